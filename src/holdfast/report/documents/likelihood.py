"""How likely a design holds, in words, as a table, and as a curve that fits a line of text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from holdfast.game import Interval, bracket, count, counted, lasting, number, signed
from holdfast.operation import Hold
from holdfast.readings import Analysis
from holdfast.report.blocks import Block, Cell, Column, Illustrations, Prose, Row, Section, Table, words

BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 40
DIGITS = 9
TOLD, LEAST = 4, 0.0005
"""So many of what matters are told, and no smaller ones."""
LONG = 100
"""The number of moves that a sentence tells, if it was asked for; else the largest."""


def likelihood(analysis: Analysis) -> str:
    """The sentence about a lost design in which chance has a part; empty where it has none."""
    hold = analysis.hold
    if hold is None or not analysis.initial_rank or hold.lucky is False:
        return ""
    parts = []
    if hold.moves:
        moves = LONG if LONG in hold.moves else max(hold.moves)
        parts.append(
            f"for {counted(moves, 'move')}{lasting(moves, analysis.pace)} with probability "
            f"{shown(hold.moves[moves])}"
        )
    parts.append(f"for ever with probability {shown(hold.forever)}")
    soon = counted(analysis.initial_rank, "move")
    return (
        f"With chance on its side the adversary forces a violation within {soon}; "
        f"with the chances given the requirement is kept {' and '.join(parts)}."
    )


def shown(known: Interval[float]) -> str:
    """A probability as far as it is known."""
    low, high = known
    return number(low) if number(low) == number(high) else bracket(low, high)


def hold_sections(analysis: Analysis) -> Iterator[Section]:
    """The section about how likely the design holds, where that was found out."""
    if analysis.hold is not None:
        table = hold_table(analysis.hold, analysis.pace)
        picture = Illustrations(partial(_survival, analysis))
        yield Section("How likely it holds", (Row((table, picture)), *_curve(analysis.hold)))


def _survival(analysis: Analysis) -> list[Block]:
    """The curve as a picture; the plotting library is loaded when it is shown."""
    from holdfast.report.documents.pictures import survival_of

    return survival_of(analysis)


def hold_table(hold: Hold, pace: float | None = None) -> Table:
    """The probability that the requirement is kept, with both ends that are proved."""
    rows = [
        (f"{counted(moves, 'move')}{lasting(moves, pace)}", Cell(shown(known), known.low), _ends(known))
        for moves, known in hold.moves.items()
    ]
    rows.append(("for ever", Cell(shown(hold.forever), hold.forever.low), _ends(hold.forever)))
    return Table(
        "The probability that the requirement is kept, the defender at its best against the worst adversary",
        (words("for"), Column("probability"), words("certainly within")),
        tuple(rows),
        sortable=False,
    )


def _ends(known: Interval[float]) -> str:
    return bracket(known.low, known.high, DIGITS)


def _curve(hold: Hold) -> Iterator[Prose]:
    if len(hold.curve) > 2:
        last = hold.curve[-1][0]
        drawn = "".join(BARS[round(value * (len(BARS) - 1))] for value in _spread(hold.curve, last))
        yield Prose(f"{drawn}  from 0 to {count(last)} moves, evenly")
    if hold.median is not None:
        yield Prose(f"After {counted(hold.median, 'move')} it is more likely broken than not.")
    telling = [(name, by) for name, by in hold.matters.items() if abs(by) >= LEAST][:TOLD]
    if telling:
        said = ", ".join(f"{name} {signed(by, 3)}" for name, by in telling)
        yield Prose(f"What matters, as the change of HOLD with the probability of success: {said}.")
    if hold.lucky is False:
        yield Prose("Not even with luck can it be kept for ever.")


def _spread(curve: tuple[tuple[int, float], ...], last: int) -> Iterator[float]:
    """The curve at evenly spaced moves: at each the last point that is known by then."""
    place = 0
    for i in range(WIDTH):
        moves = last * i / (WIDTH - 1)
        while place + 1 < len(curve) and curve[place + 1][0] <= moves:
            place += 1
        yield curve[place][1]
