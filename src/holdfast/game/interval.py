"""An interval between two numbers: what is known of a value that is not known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

_Number = TypeVar("_Number", float, Fraction)


@dataclass(frozen=True)
class Interval(Generic[_Number]):
    """low ≤ a value ≤ high.

    >>> known = Interval(0.25, 0.75)
    >>> known.width, 0.5 in known, known.is_disjoint(Interval(0.8, 1.0)), known.meet(Interval(0.5, 1.0))
    (0.5, True, True, Interval(low=0.5, high=0.75))
    """

    low: _Number
    high: _Number

    @property
    def width(self) -> _Number:
        """How much is left open."""
        return self.high - self.low

    def __iter__(self) -> Iterator[_Number]:
        """Both ends, the lower first."""
        return iter((self.low, self.high))

    def __contains__(self, value: object) -> bool:
        """Whether a number is between the ends, or is one of them."""
        return isinstance(value, int | float | Fraction) and self.low <= value <= self.high

    def is_disjoint(self, other: Interval[_Number]) -> bool:
        """Whether no number is in both."""
        return self.high < other.low or other.high < self.low

    def meet(self, other: Interval[_Number]) -> Interval[_Number]:
        """What is known of a value of which both are known."""
        return Interval(max(self.low, other.low), min(self.high, other.high))
