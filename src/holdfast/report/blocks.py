"""What a report is made of before it is shown: a document, its sections, and blocks of plain text.

A document is built once, from an analysis, a comparison, an explanation or a reproduction; the renderers
(:mod:`~holdfast.report.renderers.terminal`, :mod:`~holdfast.report.renderers.markdown`,
:mod:`~holdfast.report.renderers.page`) know blocks and nothing else. A renderer may leave a block out for
which it has no place, and adds nothing of its own.

A cell of a table holds what is shown and, apart from it, the number behind it: a page sorts by the number.
Whoever builds a table may put plain values in place of cells; :func:`cell` reads them.

Nothing here is markup except the SVG of an :class:`Illustration`, which Holdfast draws itself; every other
text is made inert where it is rendered, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from holdfast.game import MISSING, count, number

Tone = Literal["good", "bad", "open"]
Role = Literal["", "strong", "quiet", "good", "bad"]
ColumnKind = Literal["text", "code", "number", "share"]
"""Words, formulas, numbers to be aligned, and parts of one that are drawn as a bar besides."""


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
    """A list of sentences of equal weight, or to be read in their order, the first of which has a number."""

    items: tuple[Phrase, ...]
    first: int | None = None


@dataclass(frozen=True)
class Banner:
    """The answer in a word and a sentence; ``about`` names the design where there are several."""

    tone: Tone
    word: str
    sentence: str
    about: str = ""


@dataclass(frozen=True)
class Cell:
    """What a cell shows, the number behind it, a smaller remark below, and whether it stands out."""

    text: str
    value: int | float | None = None
    note: str = ""
    strong: bool = False


CellValue = Cell | str | int | float | None


@dataclass(frozen=True)
class Column:
    """A heading, and what stands below it; ``hint`` explains the heading where there is room."""

    title: str
    kind: ColumnKind = "number"
    hint: str = ""


@dataclass(frozen=True)
class Table:
    """A header and rows.

    Attributes:
        caption: what the table shows, in words.
        columns: one for each cell of a row; the first names the row.
        rows: cells, or plain values that :func:`cell` reads.
        marks: for each row "", "base", "lost", "met", "differs" or "apart"; empty for none.
        note: what a reader should know, below the table.
        sortable: whether another order of the rows makes sense.
        title: what stands above it, also where there is no room for a caption.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[CellValue, ...], ...]
    marks: tuple[str, ...] = ()
    note: str = ""
    sortable: bool = True
    title: str = ""

    def marked(self) -> Iterator[tuple[tuple[Cell, ...], str]]:
        """The rows as cells, each with its mark."""
        marks = self.marks or ("",) * len(self.rows)
        for row, mark in zip(self.rows, marks, strict=True):
            yield tuple(map(cell, row)), mark


def words(title: str, hint: str = "") -> Column:
    """A column of words."""
    return Column(title, "text", hint)


def cell(value: CellValue) -> Cell:
    """A plain value as a cell: counts exact with separators, numbers with four digits.

    >>> cell(19238).text, cell(0.5).text, cell(None).text, cell("GW").text
    ('19,238', '0.5000', '–', 'GW')
    """
    match value:
        case Cell():
            return value
        case None:
            return Cell(MISSING)
        case str():
            return Cell(value)
        case bool():
            return Cell("yes" if value else "no", int(value))
        case int():
            return Cell(count(value), value)
        case float():
            return Cell(number(value), value)


@dataclass(frozen=True)
class Illustration:
    """A drawing: SVG made by Holdfast, a caption under it, and a description for those who cannot see it."""

    svg: str
    caption: str
    description: str

    def _repr_html_(self) -> str:
        """What a notebook shows of it."""
        from holdfast.report.renderers.notebook import notebook

        return notebook(Document("", (Section("", (self,)),)))


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
    """A line of a tree and what follows from it; a page opens what is ``folded``, others leave it out."""

    line: tuple[Span, ...]
    branches: tuple[Branch, ...] = ()
    folded: bool = False


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


WordBlock = Prose | Points | Banner | Heading | Facts | Warnings | Tree | CommandLine
Block = WordBlock | Table | Illustration | Illustrations | Row | Aside


def is_empty(block: Block) -> bool:
    """Whether there is nothing to show: whoever builds a section need not ask."""
    match block:
        case Points() | Warnings() | Facts():
            return not block.items
        case Table():
            return not block.rows
        case Row() | Aside():
            return all(map(is_empty, block.blocks))
    return False


FIGURES = (Illustration, Illustrations)


def stacked(given: Iterable[Block], without: tuple[type, ...]) -> Iterator[Block]:
    """Blocks one below the other, also those of a row; no empty ones, and none of some kinds."""
    for block in given:
        if isinstance(block, Row | Aside) and not isinstance(block, without):
            yield from stacked(block.blocks, without)
        elif not (isinstance(block, without) or is_empty(block)):
            yield block


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it.

    Attributes:
        title: of the section.
        blocks: in order.
        detail: whether a short report may fold it away.
        contents: what stands in the table of contents, where the title is too long for it.
        drawn: whether a figure of an earlier section shows the same, so that a page leaves it out.
    """

    title: str
    blocks: tuple[Block, ...]
    detail: bool = False
    contents: str = ""
    drawn: bool = False


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
        brief: whether it is meant for two printed pages.
    """

    title: str
    sections: tuple[Section, ...]
    source: str = ""
    lead: str = ""
    provenance: tuple[tuple[str, str], ...] = ()
    closing: tuple[str, ...] = ()
    brief: bool = False
