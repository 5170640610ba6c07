"""Tables as plain data, shared by terminal, Markdown, CSV and HTML, and how numbers are written in them.

A cell holds what is shown and, apart from it, the number it stands for: a page sorts by the number, and CSV
gives it whole. Whoever builds a table may put plain values in place of cells; :func:`cell` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # numpy comes with it, and ``check`` does without
    from holdfast.comparison.findings import Movement

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
        title: what stands above it, also where there is no room for a caption.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
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


def apart(one: float, other: float, digits: int = 3) -> tuple[str, str]:
    """Two readings with so many digits, or with as many more as it takes to tell them apart.

    >>> apart(0.25, 0.75), apart(0.25196, 0.25204)
    (('0.250', '0.750'), ('0.25196', '0.25204'))
    """
    while digits < 9 and number(one, digits) == number(other, digits):
        digits += 1
    return number(one, digits), number(other, digits)


def signed(value: float | None, digits: int = 4) -> str:
    """A change, with one digit at least that is not 0; what did not change at all is a plain 0.

    >>> signed(-0.0128), signed(0.00000123), signed(-4e-17), signed(0.0)
    ('−0.0128', '+0.000001', '−4e−17', '0')
    """
    if value is None:
        return MISSING
    if not value:
        return "0"
    while digits < 9 and abs(value) < 0.5 / 10**digits:
        digits += 1
    text = f"{value:+.{digits}f}" if abs(value) >= 0.5 / 10**digits else f"{value:+.0e}"
    return text.replace("-", "−")


def relative(movement: Movement, digits: int = 1) -> str:
    """A change as a signed percentage of what was before."""
    return MISSING if movement.relative is None else f"{signed(100 * movement.relative, digits)} %"


def interval(low: float | None, high: float | None) -> str:
    """A 95 % interval."""
    return MISSING if low is None or high is None else f"{low:.3f} … {high:.3f}"


def count(n: int, digits: int = EXACT_DIGITS) -> str:
    """Exact up to so many digits, rounded to four and in powers of ten past that.

    >>> count(150_000), count(5**100), count(10**9 - 1, 9), count(10**9, 9)
    ('150,000', '7.889×10⁶⁹', '999,999,999', '1.000×10⁹')
    """
    if abs(n) < 10**digits:
        return f"{n:,}".replace("-", "−")
    figures, exponent = f"{Decimal(n):.3e}".replace("-", "−").split("e+")
    return f"{figures}×{power_of_ten(int(exponent))}"


def power_of_ten(exponent: int) -> str:
    """10ᵏ in plain characters.

    >>> power_of_ten(12)
    '10¹²'
    """
    return "10" + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def counted(n: int, noun: str, verb: str = "") -> str:
    """So many of something, and what they do.

    >>> counted(1, "menu", "widen"), counted(1200, "position", "leave")
    ('1 menu widens', '1,200 positions leave')
    """
    one = n == 1
    return f"{n:,} {noun}{'' if one else 's'}" + (f" {verb}{'s' if one else ''}" if verb else "")


def moved(movement: Movement) -> Cell:
    """A change of a reading, absolute over relative."""
    note = relative(movement) if movement.relative else ""
    return Cell(signed(movement.absolute), movement.absolute, note)


def listed(items: list[str] | tuple[str, ...]) -> str:
    """Words in a row: ``a, b and c``."""
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)
