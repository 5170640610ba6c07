"""Tables as plain data, shared by terminal, Markdown, CSV and HTML, and how numbers are written in them.

A cell holds what is shown and, apart from it, the number it stands for: a page sorts by the number, and CSV
gives it whole. Whoever builds a table may put plain values in place of cells; :func:`cell` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # numpy comes with it, and ``check`` does without
    from holdfast.compare import Movement

MISSING = "–"
EXACT_DIGITS = 15

Kind = Literal["text", "code", "number", "share"]
"""Words, formulas, numbers to be aligned, and parts of one that are drawn as a bar besides."""


@dataclass(frozen=True)
class Cell:
    """What a cell shows, the number behind it, a smaller remark below, and whether it stands out."""

    text: str
    value: int | float | None = None
    note: str = ""
    strong: bool = False


Value = Cell | str | int | float | None


@dataclass(frozen=True)
class Column:
    """A heading, and what stands below it; ``hint`` explains the heading where there is room."""

    title: str
    kind: Kind = "number"
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
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    marks: tuple[str, ...] = ()
    note: str = ""
    sortable: bool = True

    def marked(self) -> Iterator[tuple[tuple[Cell, ...], str]]:
        """The rows as cells, each with its mark."""
        marks = self.marks or ("",) * len(self.rows)
        for row, mark in zip(self.rows, marks, strict=True):
            yield tuple(map(cell, row)), mark


def words(title: str, hint: str = "") -> Column:
    """A column of words."""
    return Column(title, "text", hint)


def cell(value: Value) -> Cell:
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


# -- numbers ----------------------------------------------------------------------------------------


def number(value: float | None, digits: int = 4) -> str:
    """A reading."""
    return MISSING if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = 4) -> str:
    """A change; what did not change at all is a plain 0.

    >>> signed(-0.0128), signed(0.0)
    ('−0.0128', '0')
    """
    if value is None:
        return MISSING
    return f"{value:+.{digits}f}".replace("-", "−") if value else "0"


def percent(share: float | None, digits: int = 1) -> str:
    """A part of one."""
    return MISSING if share is None else f"{100 * share:.{digits}f} %"


def relative(movement: Movement, digits: int = 1) -> str:
    """A change as a signed percentage of what was before."""
    if movement.relative is None:
        return MISSING
    return f"{100 * movement.relative:+.{digits}f} %".replace("-", "−")


def interval(low: float | None, high: float | None) -> str:
    """A 95 % interval."""
    return MISSING if low is None or high is None else f"{low:.3f} … {high:.3f}"


def count(n: int, digits: int = EXACT_DIGITS) -> str:
    """Exact up to so many digits, in scientific notation past that.

    >>> count(150_000), count(5**100)
    ('150,000', '7.888e69')
    """
    if abs(n) < 10**digits:
        return f"{n:,}".replace("-", "−")
    figures, sign = str(abs(n)), "−" if n < 0 else ""
    return f"{sign}{figures[0]}.{figures[1:4]}e{len(figures) - 1}"


def moved(movement: Movement) -> Cell:
    """A change of a reading, absolute over relative."""
    note = relative(movement) if movement.relative else ""
    return Cell(signed(movement.absolute), movement.absolute, note)


def listed(items: list[str] | tuple[str, ...]) -> str:
    """Words in a row: ``a, b and c``."""
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)
