"""Reports on the terminal: the verdict in a sentence, what was proved, what the numbers mean."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from holdfast.report.blocks import Points, Prose, Section, Verdict
from holdfast.report.fingerprint import (
    Gates,
    contract,
    gate_table,
    operating_point,
    readings,
    shell_sizes,
    title_of,
    verdict_of,
)
from holdfast.report.tables import Cell, Table, count
from holdfast.results import Analysis

WIDTH = 100
BAR = 24
GAP = 2
SHORT, LONG = 12, 20
"""Between the columns of a table; what is not folded at all; and words that are folded only if longer."""

STYLES = {"lost": "red", "differs": "bold red", "met": "green", "apart": "dim"}


def text_of(show: Callable[[Console], None]) -> str:
    """What ``show`` prints, styled if standard output is a terminal, no line ending in blanks."""
    text = io.StringIO()
    width = min(shutil.get_terminal_size().columns, WIDTH)
    show(Console(file=text, force_terminal=sys.stdout.isatty(), width=width, highlight=False))
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def plain(text: str) -> str:
    """Text from a file with control characters made visible, so that it cannot steer the terminal."""
    return "".join(c if c.isprintable() else "·" for c in text)


# -- one analysis -----------------------------------------------------------------------------------


def analysis_text(analysis: Analysis, gates: Gates, source: str, variants: tuple[str, ...] = ()) -> str:
    """The answer of ``check`` and ``fingerprint``, styled if standard output is a terminal."""
    return text_of(lambda console: print_analysis(console, analysis, gates, source, variants))


def print_analysis(
    console: Console, analysis: Analysis, gates: Gates, source: str, variants: tuple[str, ...] = ()
) -> None:
    """Print an analysis for a person."""
    title = title_of(analysis)
    console.print()
    console.print(
        Text(plain(title or source), style="bold"), Text(f"({plain(source)})" if title else "", style="dim")
    )
    parts: list[RenderableType] = [
        verdict_line(verdict_of(analysis)),
        indented(_contract(analysis)),
        indented(_readings(analysis)),
        _shells(analysis),
    ]
    operation = operating_point(analysis)
    if operation:
        parts.append(indented(Text(operation)))
    parts += [indented(Text(f"warning: {plain(w)}", style="yellow")) for w in analysis.warnings]
    if analysis.undecided:
        parts.append(indented(Text(f"UNDECIDED  {plain(analysis.undecided)}", style="bold yellow")))
    for part in parts:
        console.print()
        console.print(part)
    if gates:
        console.print()
    for (gate, value, result), mark in gate_table(gates).marked():
        console.print(Text(f"  gate {gate.text}: {result.text} ({value.text})", style=STYLES[mark]))
    console.print()
    if variants:
        others = f"other variants in the file: {plain(', '.join(variants))}"
        console.print(indented(Text(others, style="dim")))
    footer = f"{count(analysis.positions)} positions · {analysis.engine} engine · {analysis.seconds:.2f} s"
    console.print(Text(f"  {footer}", style="dim"))


def verdict_line(verdict: Verdict) -> RichTable:
    """The certificate, what it means beside it."""
    style = "bold black on green" if verdict.tone == "good" else "bold white on red"
    line = RichTable.grid(padding=(0, 2))
    line.add_column(no_wrap=True)
    line.add_row(Text(f"  {verdict.word}  ", style=style), Text(verdict.sentence, style="bold"))
    return line


def _contract(analysis: Analysis) -> RichTable:
    table = RichTable.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    before = ""
    for name, said in contract(analysis).items:
        table.add_row("" if name == before else name, Text(plain(said)))
        before = name
    return table


def _readings(analysis: Analysis) -> RichTable:
    table = RichTable.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for (axis, value, said), _ in readings(analysis).marked():
        table.add_row(axis.text, value.text, said.text)
    return table


def _shells(analysis: Analysis) -> RichTable:
    sizes = shell_sizes(analysis)
    table = RichTable(box=None, padding=(0, 2), header_style="dim", show_edge=False)
    table.add_column(sizes.columns[0].title)
    for column in sizes.columns[1:]:
        table.add_column(column.title, justify="right")
    table.add_column("")
    for (name, size, share), mark in sizes.marked():
        part = share.value or 0.0
        bar = "█" * max(round(part * BAR), 1 if part else 0)
        style = "dim" if mark == "apart" else ""
        bar_style = "green" if mark == "met" else "red"
        table.add_row(name.text, size.text, share.text, Text(bar, style=bar_style), style=style)
    return table


# -- sections ---------------------------------------------------------------------------------------


def print_section(console: Console, section: Section) -> None:
    """Print a section: its title, its tables and its sentences; figures are for pages."""
    console.print()
    console.print(indented(Text(plain(section.title), style="bold")))
    for block in section.blocks:
        if isinstance(block, Table):
            for part in rich_tables(block, console.width - 2):
                console.print(indented(part))
            if block.note:
                console.print(indented(Text(plain(block.note), style="dim")))
        elif isinstance(block, Prose):
            console.print(indented(Text(plain(block.text))))
        elif isinstance(block, Points):
            for item in block.items:
                console.print(indented(Text(plain(item))))


def rich_tables(table: Table, room: int) -> Iterator[RichTable]:
    """A table for the terminal, numbers to the right, words folded; what is too wide goes on in another.

    Each part begins with the column that names the rows, and no number is cut.

    Args:
        table: to show.
        room: columns of the terminal.
    """
    rows = [([_text(cell) for cell in row], STYLES.get(mark, "")) for row, mark in table.marked()]
    titles = [Text(plain(column.title)) for column in table.columns]
    columns = [[title, *(row[i] for row, _ in rows)] for i, title in enumerate(titles)]
    numeric = [column.kind in ("number", "share") for column in table.columns]
    wanted = [max(cell_len(line) for text in own for line in text.plain.split("\n")) for own in columns]
    words = [max(cell_len(word) for text in own for word in re.split(r"\s", text.plain)) for own in columns]
    folded = [min(w, max(SHORT, min(word, LONG))) for w, word in zip(wanted, words, strict=True)]
    least = [wanted[i] if numeric[i] else folded[i] for i in range(len(columns))]
    for part in _parts(least, room):
        widths = _widths([least[i] for i in part], [wanted[i] for i in part], room)
        found = RichTable(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
        for i, width in zip(part, widths, strict=True):
            justify: JustifyMethod = "right" if numeric[i] else "left"
            found.add_column(titles[i], justify=justify, overflow="fold", width=width)
        for row, style in rows:
            found.add_row(*(row[i] for i in part), style=style)
        yield found


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


def _text(cell: Cell) -> Text:
    text = Text("\n".join(map(plain, cell.text.split("\n"))), style="bold" if cell.strong else "")
    for line in filter(None, cell.note.split("\n")):
        text.append(f"\n{plain(line)}", style="dim")
    return text


def indented(content: RenderableType) -> Padding:
    """Two blanks before every line."""
    return Padding(content, (0, 0, 0, 2))
