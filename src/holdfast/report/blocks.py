"""What a report is made of, before it becomes a page or Markdown: sections of blocks, all of them plain text.

Nothing here is markup except the SVG of a :class:`Figure`, which Holdfast draws itself; every other text is
escaped where it is rendered, whoever wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.report.tables import Table

Tone = Literal["good", "bad", "open"]


@dataclass(frozen=True)
class Prose:
    """Paragraphs of plain sentences; an empty line parts them."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list of sentences of equal weight."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """The answer in a word and a sentence; ``about`` names the design where there are several."""

    tone: Tone
    word: str
    sentence: str
    about: str = ""


@dataclass(frozen=True)
class Figure:
    """A drawing: SVG made by Holdfast, a caption under it, and a description for those who cannot see it."""

    svg: str
    caption: str
    description: str


@dataclass(frozen=True)
class Warnings:
    """What a reader could take the numbers to say, and they do not."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for, such as hashes and versions."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Row:
    """Blocks side by side where there is room, below each other where there is not."""

    blocks: tuple[Block, ...]


Block = Prose | Points | Verdict | Table | Figure | Warnings | Facts | Row


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it.

    Attributes:
        title: short, as it also stands in the table of contents.
        blocks: in order.
        detail: whether a short report may fold it away.
    """

    title: str
    blocks: tuple[Block, ...]
    detail: bool = False
