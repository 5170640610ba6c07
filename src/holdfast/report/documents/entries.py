"""The verdict for any one node as the entry, as a section of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.game import counted, listed
from holdfast.report.blocks import Block, Prose, Section, Table, words

if TYPE_CHECKING:
    from holdfast.design import StartVerdict

MAX_HELD = 40
"""Names of starts from which the design holds that a sentence has room for."""


def entries_section(verdicts: Sequence[StartVerdict], noun: str) -> Section:
    """How many entries the design withstands, and within how many moves the others lose it."""
    lost = sorted((v for v in verdicts if not v.defensible), key=lambda v: v.rank or 0)
    held = [v.start for v in verdicts if v.defensible]
    text = f"A defense exists whichever of the {len(verdicts)} {noun}s is the entry."
    if lost:
        text = f"Of {counted(len(verdicts), noun)}, {len(lost)} would break the design as the entry."
    if lost and held:
        names = listed([*held[:MAX_HELD], *(["others"] if len(held) > MAX_HELD else [])], "or")
        text += f" It is defensible if the entry is {names}."
    rows = tuple((v.start, "violated at once" if not v.rank else counted(v.rank, "move")) for v in lost)
    table = Table(
        "The entries that make the design indefensible, fastest first.",
        (words("entry"), words("violation is forced within")),
        rows,
        ("lost",) * len(rows),
    )
    blocks: tuple[Block, ...] = (Prose(text), table)
    return Section(f"Any one {noun} as the entry", blocks, contents="Any entry")
