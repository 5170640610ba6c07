"""Numbers as a paper prints them, and when another number agrees with one.

A printed number with d decimals stands for every number within half a unit of its last place. So x *agrees*
iff |x − printed| ≤ ½·10⁻ᵈ, in the unit that is printed; a number half-way between two is agreed with by both,
since either is a correct rounding of it. All of this is exact: a double is taken as the rational it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

PlainNumber = int | float | Fraction

_PRINTED = re.compile(r"(?P<number>[+-]?(\d{1,3}(,\d{3})+|\d+)(\.(?P<decimals>\d+))?)(?P<unit>%| points)?")

SLACK = Fraction(1, 10**9)
"""Of a half unit: what adding and dividing doubles may shift a number that is meant to be half-way."""


@dataclass(frozen=True)
class Printed:
    """A number as printed.

    Attributes:
        text: as printed, such as ``+49.7%``, ``150,000`` or ``58.0 points`` (of a percentage).
        value: what stands there, in its own unit.
        digits: decimals printed.
        unit: ``%``, `` points`` or nothing.
    """

    text: str
    value: Fraction
    digits: int
    unit: str

    @property
    def scale(self) -> int:
        """How many of the unit make one."""
        return 100 if self.unit else 1


def printed_number(text: str) -> Printed | None:
    """A printed number taken apart; None for a text that is not one.

    >>> printed_number("-57.9%")
    Printed(text='-57.9%', value=Fraction(-579, 10), digits=1, unit='%')
    >>> printed_number("150,000").value, printed_number("disjoint")
    (Fraction(150000, 1), None)
    """
    match = _PRINTED.fullmatch(text)
    if match is None:
        return None
    value = Fraction(match["number"].replace(",", ""))
    return Printed(text, value, len(match["decimals"] or ""), match["unit"] or "")


def in_unit(value: PlainNumber, printed: Printed) -> Fraction:
    """A value in the unit of the printed number, exactly."""
    return Fraction(value) * printed.scale


def agrees(value: PlainNumber, printed: Printed) -> bool:
    """Whether the printed number is a correct rounding of the value.

    >>> agrees(0.49841, printed_number("49.8%")), agrees(0.49841, printed_number("49.7%"))
    (True, False)
    >>> agrees(Fraction(55, 10_000), printed_number("0.006")), agrees(-0.11848, printed_number("-11.8%"))
    (True, True)
    """
    half = Fraction(1, 2 * 10**printed.digits)
    return abs(in_unit(value, printed) - printed.value) <= half * (1 + SLACK)


def as_number(value: PlainNumber) -> int | float:
    """A number as plain data: a count stays one, a fraction becomes the nearest double.

    >>> as_number(Fraction(23_730)), as_number(Fraction(1, 8)), as_number(0.5)
    (23730, 0.125, 0.5)
    """
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return value


def rounded(value: PlainNumber, printed: Printed, extra: int = 0) -> str:
    """The value written as the printed number is: its digits, unit, sign and separators.

    Half-way it goes to the printed number if that is one of the two, else to the even digit. ``extra`` digits
    show on which side of a bound it lies.

    >>> rounded(0.49841, printed_number("+49.7%")), rounded(149_999.5, printed_number("150,000"))
    ('+49.8%', '150,000')
    >>> rounded(-0.0004, printed_number("0.001"))
    '0.000'
    >>> rounded(0.49841, printed_number("50%"), extra=1)
    '49.8%'
    """
    if not extra and agrees(value, printed):
        return printed.text
    digits = printed.digits + extra
    places = round(in_unit(value, printed) * 10**digits)
    whole, part = divmod(abs(places), 10**digits)
    sign = "-" if places < 0 else "+" if printed.text.startswith("+") else ""
    shown = f"{whole:,}" if "," in printed.text else str(whole)
    decimals = f".{part:0{digits}d}" if digits else ""
    return f"{sign}{shown}{decimals}{printed.unit}"
