"""What a report is made of before it is shown: a document, its sections, and blocks of plain text.

A document is built once, from an analysis, a comparison, an explanation or a reproduction; the renderers
(:mod:`~holdfast.report.terminal`, :mod:`~holdfast.report.markdown`, :mod:`~holdfast.report.page`) know blocks
and nothing else. A renderer may leave a block out for which it has no place, and adds nothing of its own.

Nothing here is markup except the SVG of an :class:`Illustration`, which Holdfast draws itself; every other
text is made inert where it is rendered, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from holdfast.report.tables import Table

Tone = Literal["good", "bad", "open"]
Role = Literal["", "strong", "quiet", "good", "bad"]


@dataclass(frozen=True)
class Span:
    """A few words that stand out in some way."""

    text: str
    role: Role = ""


Phrase = str | tuple[Span, ...]
"""A sentence, or its parts where some of them stand out."""


def spans(phrase: Phrase) -> tuple[Span, ...]:
    """The parts of a phrase."""
    return (Span(phrase),) if isinstance(phrase, str) else phrase


def quiet(text: str) -> tuple[Span, ...]:
    """A remark of less weight."""
    return (Span(text, "quiet"),)


@dataclass(frozen=True)
class Prose:
    """Paragraphs of sentences; an empty line parts them."""

    text: Phrase


@dataclass(frozen=True)
class Points:
    """A list of sentences of equal weight."""

    items: tuple[Phrase, ...]


@dataclass(frozen=True)
class Banner:
    """The answer in a word and a sentence; ``about`` names the design where there are several."""

    tone: Tone
    word: str
    sentence: str
    about: str = ""


@dataclass(frozen=True)
class Illustration:
    """A drawing: SVG made by Holdfast, a caption under it, and a description for those who cannot see it."""

    svg: str
    caption: str
    description: str


@dataclass(frozen=True)
class Illustrations:
    """Blocks that are drawn only when a renderer shows them: drawing takes longer than all the rest."""

    draw: Callable[[], Iterable[Block]]


@dataclass(frozen=True)
class Warnings:
    """What a reader could take the numbers to say, and they do not."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for; a name that is repeated stands once before all that it names."""

    items: tuple[tuple[Phrase, Phrase], ...]


@dataclass(frozen=True)
class Branch:
    """A line of a tree and what follows from it."""

    line: tuple[Span, ...]
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class Tree:
    """Lines that branch, such as moves and the replies to them."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class CommandLine:
    """A command line to type, and what for."""

    words: str
    line: str


@dataclass(frozen=True)
class Row:
    """Blocks side by side where there is room, below each other where there is not."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Aside:
    """What helps a newcomer to read the rest; the terminal, where answers are short, leaves it out."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str


Block = (
    Prose
    | Points
    | Banner
    | Table
    | Illustration
    | Illustrations
    | Warnings
    | Facts
    | Tree
    | CommandLine
    | Row
    | Aside
    | Heading
)


def is_empty(block: Block) -> bool:
    """Whether there is nothing to show: whoever builds a section need not ask."""
    match block:
        case Points() | Warnings() | Facts():
            return not block.items
        case Table():
            return not block.rows
        case Row() | Aside():
            return all(map(is_empty, block.blocks))
        case _:
            return False


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it.

    Attributes:
        title: of the section.
        blocks: in order.
        detail: whether a short report may fold it away.
        contents: what stands in the table of contents, where the title is too long for it.
    """

    title: str
    blocks: tuple[Block, ...]
    detail: bool = False
    contents: str = ""


@dataclass(frozen=True)
class Document:
    """A whole report.

    Attributes:
        title: what it is about.
        sections: in order; the first is the answer and stands right under the title.
        source: the file or files that were asked about.
        lead: what the design is, for a reader who has not seen the file.
        provenance: where the numbers come from.
        closing: lines of small print.
    """

    title: str
    sections: tuple[Section, ...]
    source: str = ""
    lead: str = ""
    provenance: tuple[tuple[str, str], ...] = ()
    closing: tuple[str, ...] = ()
