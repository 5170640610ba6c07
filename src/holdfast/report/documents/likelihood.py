"""How likely a design holds, in words, as a table, and as a curve that fits a line of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from holdfast.game import Interval, bracket, count, counted, lasting, number, signed
from holdfast.readings import Analysis
from holdfast.report.blocks import (
    Block,
    Cell,
    CellValue,
    Column,
    Illustrations,
    Prose,
    Row,
    Section,
    Table,
    words,
)

if TYPE_CHECKING:
    from holdfast.operation import Hold
    from holdfast.readings import Entry

BARS = " ▁▂▃▄▅▆▇█"
WIDTH, NARROW = 40, 20
DIGITS = 9
TOLD, LEAST = 4, 0.0005
"""So many of what matters are told, and no smaller ones."""
LUCKY = "With luck on the defender's side it could be kept for ever."
UNLUCKY = "Even with luck it cannot be kept for ever."
LONG = 100
"""The number of moves that a sentence tells, if it was asked for; else the largest."""


def likelihood(hold: Hold | None, rank: int | None, pace: float | None = None) -> str:
    """The sentence about a lost design in which chance has a part; empty where it has none."""
    if hold is None or not rank or hold.lucky is False:
        return ""
    parts = []
    if hold.moves:
        moves = LONG if LONG in hold.moves else max(hold.moves)
        parts.append(
            f"for {counted(moves, 'move')}{lasting(moves, pace)} with probability {shown(hold.moves[moves])}"
        )
    parts.append(f"for ever with probability {shown(hold.forever)}")
    soon = counted(rank, "move")
    return (
        f"With luck the adversary forces a violation within {soon}; "
        f"with the given probabilities the requirement is kept {' and '.join(parts)}."
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
        yield Section("How likely it holds", (Row((table, picture)), *_curve(analysis.hold, analysis.pace)))


def likely_designs(entries: Sequence[Entry]) -> Iterator[Section]:
    """How likely each design of a comparison holds, beside each other; where one of them says."""
    read = [(entry.label, entry.analysis.hold) for entry in entries if entry.analysis.hold is not None]
    if not read:
        return
    asked = sorted({moves for _, hold in read for moves in hold.moves})
    last = max(hold.curve[-1][0] for _, hold in read)
    rows: list[tuple[CellValue, ...]] = []
    for label, hold in read:
        known = [*(hold.moves.get(moves) for moves in asked), hold.forever]
        cells = [None if one is None else Cell(shown(one), one.low) for one in known]
        rows.append((label, *cells, _drawn_in_text(hold, last, NARROW)))
    pace = entries[0].analysis.pace
    heads = [Column(f"{counted(moves, 'move')}{lasting(moves, pace)}") for moves in asked]
    table = Table(
        "The probability that each design keeps the requirement",
        (words("design"), *heads, Column("for ever"), words(f"0 to {counted(last, 'move')}")),
        tuple(rows),
        sortable=False,
    )
    picture = Illustrations(partial(_survivals, tuple(read)))
    yield Section("How likely they hold", (table, picture))


def likeliest(entries: Sequence[Entry]) -> Iterator[str]:
    """Which lost design certainly holds most and which least, for the moves that a sentence tells."""
    read = [
        (e.label, e.analysis.hold)
        for e in entries
        if e.analysis.hold is not None and not e.analysis.defensible
    ]
    asked = [set(hold.moves) for _, hold in read]
    both = sorted(set.intersection(*asked)) if len(read) > 1 else []
    if not both:
        return
    moves = LONG if LONG in both else both[-1]
    known = [(label, hold.moves[moves]) for label, hold in read]
    best, worst = max(known, key=lambda each: each[1].low), min(known, key=lambda each: each[1].high)
    if best[1].low > worst[1].high:
        yield (
            f"Of those that are lost, {best[0]} is most likely to hold for {counted(moves, 'move')} "
            f"({shown(best[1])}), {worst[0]} least ({shown(worst[1])})."
        )


def _survivals(read: Sequence[tuple[str, Hold]]) -> list[Block]:
    from holdfast.report.documents.pictures import survivals

    return survivals(read)


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
        "The probability that the requirement is kept, with the best defender against the worst adversary",
        (words("for"), Column("probability"), words("certainly within")),
        tuple(rows),
        sortable=False,
    )


def _ends(known: Interval[float]) -> str:
    return bracket(known.low, known.high, DIGITS)


def _curve(hold: Hold, pace: float | None) -> Iterator[Prose]:
    if len(hold.curve) > 2:
        last = hold.curve[-1][0]
        yield Prose(f"{_drawn_in_text(hold, last)}  from 0 to {count(last)} moves, evenly")
    if hold.median is not None:
        told = f"{counted(hold.median, 'move')}{lasting(hold.median, pace)}"
        mean = "" if hold.mean is None else f"; on average it is kept for {_mean(hold.mean)} moves"
        long = "" if hold.mean is None else lasting(hold.mean.low, pace)
        yield Prose(f"After {told} it is more likely to be broken than not{mean}{long}.")
    if hold.exact is not None and "/" in hold.exact:
        yield Prose(f"For ever with probability {hold.exact}, exactly.")
    yield from _matters(hold)
    if hold.lucky is not None and hold.forever.low < 1:
        yield Prose(LUCKY if hold.lucky else UNLUCKY)


def _mean(mean: Interval[float]) -> str:
    low, high = (f"{end:,.1f}" for end in mean)
    return low if low == high else f"{low} to {high}"


def _matters(hold: Hold) -> Iterator[Prose]:
    """Which exploit matters."""
    within = "" if hold.matters_within is None else f" within {counted(hold.matters_within, 'move')}"
    telling = [(name, by) for name, by in hold.matters.items() if abs(by) >= LEAST][:TOLD]
    if telling:
        said = ", ".join(f"{name} {signed(by, 3)}" for name, by in telling)
        yield Prose(f"What matters{within}, as the change of HOLD per unit of success probability: {said}.")
    elif hold.matters and hold.forever.high < 1 - LEAST:
        yield Prose(
            f"No single attempt matters{within}: where one succeeds less often, others do just as well."
        )


def _drawn_in_text(hold: Hold, last: int, width: int = WIDTH) -> str:
    """The survival curve as bars, up to a number of moves."""
    return "".join(BARS[round(value * (len(BARS) - 1))] for value in _spread(hold.curve, last, width))


def _spread(curve: tuple[tuple[int, float], ...], last: int, width: int) -> Iterator[float]:
    """The curve at evenly spaced moves: at each the last point that is known by then."""
    place = 0
    for i in range(width):
        moves = last * i / (width - 1)
        while place + 1 < len(curve) and curve[place + 1][0] <= moves:
            place += 1
        yield curve[place][1]
