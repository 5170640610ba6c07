"""The fingerprint table as CSV (RFC 4180), one row a design, counts exact and readings with all digits.

A spreadsheet takes a cell that starts with ``=``, ``+``, ``-`` or ``@`` for a formula, so a name that does
is given an apostrophe in front, which spreadsheets read as "this is text".
"""

from __future__ import annotations

import csv
import io
import re

from holdfast.compare import Comparison, Entry
from holdfast.report.terminal import plain

FORMULA = re.compile(r"\s*[=+\-@|%＝＋－＠]|[\t\r\n]")

READINGS = ("win", "stp", "slt", "ddr", "ddr_low", "ddr_high", "ddr_exact", "burden", "burden_ratio")
COUNTS = ("positions", "unsafe", "winning")
COLUMNS = ("design", "is_base", "defensible", *COUNTS, "shells", *READINGS, "undecided")


def comparison_csv(comparison: Comparison) -> str:
    """The table with a header; an undefined reading is an empty field, shells stand apart by blanks."""
    text = io.StringIO()
    sheet = csv.writer(text)
    sheet.writerow(COLUMNS)
    for row in comparison.entries:
        sheet.writerow(_fields(row, comparison.base))
    return text.getvalue()


def _fields(row: Entry, base: str) -> list[str | int | float | None]:
    return [
        inert(row.label),
        "yes" if row.label == base else "no",
        "yes" if row.defensible else "no",
        *(getattr(row, name) for name in COUNTS),
        " ".join(map(str, row.shells)),
        *(getattr(row, name) for name in READINGS),
        inert(row.undecided or ""),
    ]


def inert(text: str) -> str:
    """Text that no spreadsheet computes.

    >>> inert("=1+1"), inert("base"), inert("-v"), inert(" @SUM(A1)")
    ("'=1+1", 'base', "'-v", "' @SUM(A1)")
    """
    safe = plain(text)
    return f"'{safe}" if FORMULA.match(text) else safe
