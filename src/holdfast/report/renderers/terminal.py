"""Documents on the terminal: the answer first, tables folded to the width, no figures."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from holdfast.report import blocks
from holdfast.report.blocks import (
    FIGURES,
    Banner,
    Block,
    Branch,
    Cell,
    Document,
    Facts,
    Phrase,
    Table,
    stacked,
)

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree

WIDTH = 100
BAR = 24
GAP = 2
SHORT, LONG = 12, 20
"""Between the columns of a table; what is not folded at all; and words that are folded only if longer."""

INERT: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}
"""For a console that takes text as it is."""

MARKS = {"lost": "red", "differs": "bold red", "met": "green", "apart": "dim"}
ROLES = {"strong": "bold", "quiet": "dim", "good": "green", "bad": "bold red"}
TONES = {"good": "bold black on green", "bad": "bold white on red", "open": "bold black on yellow"}

APART = (Banner, blocks.CommandLine, Facts, blocks.Heading, blocks.Warnings)


def terminal(document: Document) -> str:
    """A document as text, styled if standard output is a terminal, no line ending in blanks."""
    text = io.StringIO()
    width = min(shutil.get_terminal_size().columns, WIDTH)
    print_document(Console(file=text, force_terminal=sys.stdout.isatty(), width=width, **INERT), document)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def plain(text: str) -> str:
    """Text from a file with control characters made visible, so that it cannot steer the terminal."""
    return "".join(c if c.isprintable() else "·" for c in text)


def print_document(console: Console, document: Document) -> None:
    """Print a document for a person."""
    if document.title:
        source = f"({plain(document.source)})" if document.source else ""
        console.print()
        console.print(Text(plain(document.title), style="bold"), Text(source, style="dim"))
    for number, section in enumerate(document.sections):
        shown = list(stacked(section.blocks, without=(blocks.Aside, *FIGURES)))
        if shown:
            console.print()
            if number:
                console.print(indented(Text(plain(section.title), style="bold")))
            _print_blocks(console, shown)
    if document.closing:
        console.print()
    for line in document.closing:
        console.print(indented(Text(plain(line), style="dim")))


def _print_blocks(console: Console, shown: Sequence[Block]) -> None:
    for before, block in zip([None, *shown], shown, strict=False):
        if before is not None and _parted(before, block):
            console.print()
        for part in _rendered(block, console.width - 2):
            console.print(part if isinstance(block, Banner) else indented(part))
        if isinstance(block, blocks.CommandLine):  # to be copied, so it is not broken over lines
            console.print(Text(f"  {plain(block.line)}"), soft_wrap=True)


def _parted(before: Block, block: Block) -> bool:
    """Whether an empty line stands between two blocks."""
    if isinstance(before, blocks.Heading) or (isinstance(before, Banner) and isinstance(block, Banner)):
        return False
    return isinstance(before, Banner | blocks.Warnings) or isinstance(block, APART)


def _rendered(block: Block, room: int) -> Iterator[RenderableType]:
    match block:
        case Banner():
            yield _banner(block)
        case blocks.Prose(text=str(text)):
            yield from map(_text, text.split("\n\n"))
        case blocks.Prose():
            yield _text(block.text)
        case blocks.Points():
            listed = RichTable.grid(padding=(0, 1))
            for number, item in enumerate(block.items, block.first or 0):
                listed.add_row("•" if block.first is None else f"{number}.", _text(item))
            yield listed
        case Facts():
            yield _facts(block, room)
        case blocks.Warnings():
            yield from (Text(f"warning: {plain(item)}", style="yellow") for item in block.items)
        case Table():
            if block.title:
                yield Text(plain(block.title))
            yield from rich_tables(block, room)
            if block.note:
                yield Text(plain(block.note), style="dim")
        case blocks.Tree():
            yield from (_tree(branch) for branch in block.branches)
        case blocks.CommandLine():
            yield Text(f"{plain(block.words)}:")
        case blocks.Heading():
            yield Text(plain(block.text), style="bold")


def _text(phrase: Phrase) -> Text:
    if isinstance(phrase, str):
        return Text(plain(phrase))
    return Text.assemble(*((plain(span.text), ROLES.get(span.role, "")) for span in phrase))


def _banner(banner: Banner) -> RichTable:
    """The answer in a word, what it means beside it."""
    line = RichTable.grid(padding=(0, 2))
    line.add_column(no_wrap=True)
    about = f"{banner.about}: " if banner.about else ""
    line.add_row(
        Text(f"  {plain(banner.word)}  ", style=TONES[banner.tone]),
        Text(plain(about + banner.sentence), style="bold"),
    )
    return line


def _facts(facts: Facts, room: int) -> RichTable:
    """Names, each once, and what they stand for beside them."""
    table = RichTable.grid(padding=(0, GAP))
    names = [_text(name) for name, _ in facts.items]
    longest = max(cell_len(name.plain) for name in names)
    table.add_column(max_width=None if longest <= LONG else room // 2)
    table.add_column()
    before = ""
    for name, (given, said) in zip(names, facts.items, strict=True):
        if isinstance(given, str):
            name.stylize("dim")
        table.add_row("" if name.plain == before else name, _text(said))
        before = name.plain
    return table


def _tree(branch: Branch) -> RichTree:
    from rich.tree import Tree as RichTree

    root = RichTree(_text(branch.line), guide_style="dim")
    for inner in () if branch.folded else branch.branches:
        root.add(_tree(inner))
    return root


# -- tables -----------------------------------------------------------------------------------------


def rich_tables(table: Table, room: int) -> Iterator[RichTable]:
    """A table for so many columns, numbers to the right, words folded; what is too wide goes on in another.

    Each part begins with the column that names the rows, and no number is cut.
    """
    kinds, columns = zip(*_columns(table), strict=True)
    styles = [MARKS.get(mark, "") for _, mark in table.marked()]
    wanted = [max(cell_len(line) for text in own for line in text.plain.split("\n")) for own in columns]
    words = [max(cell_len(word) for text in own for word in re.split(r"\s", text.plain)) for own in columns]
    folded = [min(w, max(SHORT, min(word, LONG))) for w, word in zip(wanted, words, strict=True)]
    least = [folded[i] if kind == "text" else wanted[i] for i, kind in enumerate(kinds)]
    for part in _parts(least, room):
        widths = _widths([least[i] for i in part], [wanted[i] for i in part], room)
        rich = RichTable(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
        for i, width in zip(part, widths, strict=True):
            justify: JustifyMethod = "right" if kinds[i] == "number" else "left"
            rich.add_column(columns[i][0], justify=justify, overflow="fold", width=width)
        for row, style in enumerate(styles, 1):
            rich.add_row(*(columns[i][row] for i in part), style=style)
        yield rich


def _columns(table: Table) -> Iterator[tuple[str, list[Text]]]:
    """Kind, and title and cells, of each column; shares have bars in another column beside them."""
    rows = list(table.marked())
    for i, column in enumerate(table.columns):
        kind = "number" if column.kind in ("number", "share") else "text"
        yield kind, [Text(plain(column.title)), *(_cell(row[i]) for row, _ in rows)]
        if column.kind == "share":
            yield "bar", [Text(""), *(_bar(row[i].value or 0.0, mark) for row, mark in rows)]


def _bar(share: float, mark: str) -> Text:
    return Text("█" * max(round(share * BAR), 1 if share else 0), style="green" if mark == "met" else "red")


def _parts(least: Sequence[int], room: int) -> Iterator[list[int]]:
    """Columns that fit side by side, the first in every part."""
    part = [0]
    for i in range(1, len(least)):
        if len(part) > 1 and sum(least[j] + GAP for j in (*part, i)) - GAP > room:
            yield part
            part = [0]
        part.append(i)
    yield part


def _widths(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """As wide as wanted, or narrower where words can fold, the widest first."""
    widths = list(wanted)
    while sum(width + GAP for width in widths) - GAP > room:
        loose = [i for i, width in enumerate(widths) if width > least[i]]
        if not loose:
            break
        widths[max(loose, key=widths.__getitem__)] -= 1
    return widths


def _cell(cell: Cell) -> Text:
    text = Text("\n".join(map(plain, cell.text.split("\n"))), style="bold" if cell.strong else "")
    for line in filter(None, cell.note.split("\n")):
        text.append(f"\n{plain(line)}", style="dim")
    return text


def indented(content: RenderableType) -> Padding:
    """Two blanks before every line."""
    return Padding(content, (0, 0, 0, 2))
