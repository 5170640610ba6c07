"""How numbers, counts and lists are written for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

MISSING = "–"
UNBOUNDED: Literal["unbounded"] = "unbounded"
NEVER: Literal["never"] = "never"
EXACT_DIGITS = 15


def percent(share: float) -> str:
    """A part of one, with a second digit only where it is small, and never a false 0 or 100.

    >>> percent(0.4746), percent(0.00512), percent(3e-7), percent(0.0), percent(0.99999)
    ('47.5%', '0.51%', '<0.01%', '0%', '>99.9%')
    """
    if share in (0, 1):
        return f"{100 * share:.0f}%"
    if share < 0.0001:
        return "<0.01%"
    if share > 0.999:
        return ">99.9%"
    return f"{100 * share:.2f}%" if share < 0.01 else f"{100 * share:.1f}%"


def number(value: float | None, digits: int = 4) -> str:
    """A reading."""
    return MISSING if value is None else f"{value:.{digits}f}"


def bracket(low: float, high: float, digits: int = 4) -> str:
    """Two certain ends, rounded outwards, so that what is shown is certain too.

    >>> bracket(0.81239, 0.89001)
    '0.8123 … 0.8901'
    """
    unit = 10**digits
    return (
        f"{number(math.floor(low * unit) / unit, digits)} … {number(math.ceil(high * unit) / unit, digits)}"
    )


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


def relative(change: float | None, digits: int = 1) -> str:
    """A change, given as a part of what was before, as a signed percentage."""
    return MISSING if change is None else f"{signed(100 * change, digits)}%"


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

    >>> counted(1, "menu", "widen"), counted(1200, "position", "leave"), counted(2, "branch")
    ('1 menu widens', '1,200 positions leave', '2 branches')
    """
    one = n == 1
    plural = "es" if noun.endswith(("ch", "s", "x")) else "s"
    return f"{count(n)} {noun}{'' if one else plural}" + (f" {verb}{'s' if one else ''}" if verb else "")


def listed(items: Sequence[str], last: str = "and") -> str:
    """Words in a row: ``a, b and c``, or with another word before the last."""
    return f" {last} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)
