"""The fingerprint table as CSV (RFC 4180), one row a design, counts exact and readings with all digits.

A spreadsheet takes a cell that starts with ``=``, ``+``, ``-`` or ``@`` for a formula, so a name that does
is given an apostrophe in front, which spreadsheets read as "this is text".
"""

from __future__ import annotations

import csv
import io
import re

from holdfast.comparison import Comparison
from holdfast.comparison.findings import Entry
from holdfast.report.terminal import plain

FORMULA = re.compile(r"\s*[=+\-@|%＝＋－＠]|[\t\r\n]")


def comparison_csv(comparison: Comparison) -> str:
    """The table with a header; an undefined reading is an empty field, shells stand apart by blanks."""
    text = io.StringIO()
    sheet = csv.writer(text)
    rows = [_fields(row, comparison.base) for row in comparison.entries]
    sheet.writerow(rows[0])
    sheet.writerows(row.values() for row in rows)
    return text.getvalue()


def _fields(row: Entry, base: str) -> dict[str, str | int | float | None]:
    found = row.columns()
    del found["label"]
    return (
        {"design": inert(row.label), "is_base": _answer(row.label == base)}
        | found
        | {
            "defensible": _answer(row.analysis.defensible),
            "shells": " ".join(map(str, row.analysis.shells)),
            "undecided": inert(row.analysis.undecided or ""),
        }
    )


def _answer(yes: bool) -> str:
    return "yes" if yes else "no"


def inert(text: str) -> str:
    """Text that no spreadsheet computes.

    >>> inert("=1+1"), inert("base"), inert("-v"), inert(" @SUM(A1)")
    ("'=1+1", 'base', "'-v", "' @SUM(A1)")
    """
    safe = plain(text)
    return f"'{safe}" if FORMULA.match(text) else safe
