"""Perfect play as blocks: what it comes to, and its first moves in a table."""

from __future__ import annotations

from holdfast.explanation import BestMove, BestPlay
from holdfast.game import counted
from holdfast.report import blocks
from holdfast.report.blocks import Block, Cell, Prose

MAX_OTHERS = 3


def best_play_blocks(play: BestPlay | None) -> tuple[Block, ...]:
    """The opening of perfect players; nothing where it was not asked for."""
    if play is None or not play.moves:
        return ()
    known = _mean(play.moves[0])
    lead = f"Over {counted(play.steps, 'move')} the mean dominance between perfect players {known} (DDR*)."
    rows: list[tuple[blocks.CellValue, ...]] = [
        (one.move.mover, one.move.action, one.move.change, _others(one), Cell(_ends(one)))
        for one in play.moves
    ]
    columns = tuple(map(blocks.words, ("mover", "move", "what changes", "as good")))
    return (
        Prose(lead),
        blocks.Table(
            "How perfect players begin, and the mean dominance still to come before each move",
            (*columns, blocks.Column("to come")),
            tuple(rows),
            sortable=False,
        ),
    )


def _mean(first: BestMove) -> str:
    ends = _ends(first)
    return f"is {ends}" if "…" not in ends else f"lies in {ends}"


def _ends(one: BestMove) -> str:
    """One number where both ends are shown alike."""
    low, high = ("?" if end is None else f"{end:.4f}" for end in (one.low, one.high))
    return low if low == high else f"{low} … {high}"


def _others(one: BestMove) -> str:
    rest = len(one.others) - MAX_OTHERS
    return ", ".join(one.others[:MAX_OTHERS]) + (f" and {rest} more" if rest > 0 else "")
