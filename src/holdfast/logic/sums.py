"""Weighted sums over decision diagrams.

A sum adds up *summands*, each of which splits the states by its value. The summands are taken in the order
of their variables, deepest first, so that every step only puts nodes on top of finished diagrams; it costs
as many operations as there are totals times values, however large the diagrams are. A test of a total,
such as "at most 3", is asked of the totals that the upper summands can give, and wherever all values of
the lower summands answer alike the diagram ends.

Values are whole numbers here; :class:`Sum` has the denominator that they share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from oxidd.bcdd import BCDDFunction as Diagram

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.logic.evaluate import COMPARE

TotalTest = Callable[[int, int], bool | None]
"""Whether a predicate of totals holds from the first to the second total; None if only for some. Between
equal totals it must decide."""

MAX_PAIRS = 1_000_000


@dataclass(frozen=True)
class Summand:
    """A term in a sum.

    Attributes:
        values, low, high: the values it takes, the least and the greatest of them.
        level: the topmost level of the variables it reads.
        split: for a function of values, the states in which it holds of this term's value.
        parts: the states by value.
    """

    values: Sequence[int]
    low: int
    high: int
    level: int
    split: Callable[[Callable[[int], Diagram]], Diagram]
    parts: Callable[[], Mapping[int, Diagram]]


@dataclass(frozen=True)
class Sum:
    """``(start + Σ summands) / denominator``, deepest summand first; ``text`` is for messages."""

    start: int
    summands: tuple[Summand, ...]
    denominator: int
    true: Diagram
    false: Diagram
    budget: Budget
    text: str

    def where(self, test: TotalTest) -> Diagram:
        """The states in which the test holds of the total.

        Raises:
            LimitError: past :data:`MAX_PAIRS` at one step.
        """
        low = list(accumulate((s.low for s in self.summands), initial=0))
        high = list(accumulate((s.high for s in self.summands), initial=0))
        constants = {True: self.true, False: self.false}
        # From the top: which totals of the upper summands leave the answer open?
        answers: list[dict[int, bool | None]] = []
        totals = {self.start}
        for depth in range(len(self.summands), -1, -1):
            answers.append({total: test(total + low[depth], total + high[depth]) for total in totals})
            still = [total for total, answer in answers[-1].items() if answer is None]
            values = self.summands[depth - 1].values if still else ()
            self._check(len(still) * len(values))
            totals = {total + value for total in still for value in values}
        # From the bottom: the diagram of each.
        below: dict[int, Diagram] = {}
        for asked, summand in zip(reversed(answers), (None, *self.summands), strict=True):
            here: dict[int, Diagram] = {}
            for total, answer in asked.items():
                self.budget.tick("adding up terms")
                if answer is not None:
                    here[total] = constants[answer]
                else:
                    assert summand is not None, "a test decides between equal totals"
                    here[total] = summand.split(_after(total, below))
            below = here
        return below[self.start]

    def by_total(self, max_values: int) -> dict[int, Diagram]:
        """The states by total, ascending.

        Raises:
            LimitError: past ``max_values`` totals, or past :data:`MAX_PAIRS` at one step.
        """
        if not self.summands:
            return {self.start: self.true}
        first, *others = self.summands
        by_total = {self.start + value: states for value, states in first.parts().items()}
        for summand in others:
            self._check(len(by_total) * len(summand.values))
            totals = {total + value for total in by_total for value in summand.values}
            if len(totals) > max_values:
                raise LimitError(f"the term {self.text} takes more than {max_values:,} values")
            after: dict[int, Diagram] = {}
            for total in totals:
                self.budget.tick("adding up terms")
                states = summand.split(_before(total, by_total, self.false))
                if states.satisfiable():
                    after[total] = states
            by_total = after
        return dict(sorted(by_total.items()))

    def _check(self, n_pairs: int) -> None:
        self.budget.tick("adding up terms")
        if n_pairs > MAX_PAIRS:
            raise LimitError(f"the term {self.text} combines more than {MAX_PAIRS:,} pairs of values")


def _after(total: int, below: Mapping[int, Diagram]) -> Callable[[int], Diagram]:
    """By the next value, the states of the total after it."""
    return lambda value: below[total + value]


def _before(total: int, by_total: Mapping[int, Diagram], none: Diagram) -> Callable[[int], Diagram]:
    """By the last value, the states of the total before it."""
    return lambda value: by_total.get(total - value, none)


def bit_summands(bits: Sequence[tuple[int, Diagram]], weight: int) -> list[Summand]:
    """A number in binary times a weight, a summand for each bit; levels and tests, the least one first."""
    return [_bit(level, test, weight << place) for place, (level, test) in enumerate(bits) if weight]


def _bit(level: int, test: Diagram, weight: int) -> Summand:
    values = (0, weight)

    def split(f: Callable[[int], Diagram]) -> Diagram:
        return test.ite(f(weight), f(0))

    return Summand(values, min(values), max(values), level, split, lambda: {0: ~test, weight: test})


def plus(bits: Sequence[Diagram], number: int, none: Diagram) -> list[Diagram]:
    """A number in binary, the least significant bit first, with another added to it: a chain of adders.

    What does not fit the bits is lost, as in a machine word; a negative number is taken away.
    """
    carry, total = none, []
    for place, bit in enumerate(bits):
        odd = bit ^ carry
        if number >> place & 1:
            total.append(~odd)
            carry = bit | carry
        else:
            total.append(odd)
            carry = bit & carry
    return total


# -- tests ------------------------------------------------------------------------------------------


def is_zero(low: int, high: int) -> bool | None:
    """Whether a total is zero."""
    if low == high:
        return low == 0
    return None if low <= 0 <= high else False


def compared(op: str) -> TotalTest:
    """Whether a total compares with zero, by one of ``< <= > >=``."""
    compare = COMPARE[op]

    def test(low: int, high: int) -> bool | None:
        first = compare(low, 0)
        return bool(first) if first == compare(high, 0) else None

    return test


def is_outside(domain: range, denominator: int) -> TotalTest:
    """Whether a total over a denominator is outside a domain."""
    first, last = domain[0] * denominator, domain[-1] * denominator

    def test(low: int, high: int) -> bool | None:
        if high < first or low > last:
            return True
        if low == high:
            return low % denominator != 0
        return False if denominator == 1 and first <= low and high <= last else None

    return test


def has_bit(domain: range, denominator: int, place: int) -> TotalTest:
    """Whether a total over a denominator is in a domain and its code, the place in the domain, has a bit."""
    outside = is_outside(domain, denominator)

    def test(low: int, high: int) -> bool | None:
        lost = outside(low, high)
        if lost is not False:
            return False if lost else None
        one, other = (total // denominator - domain[0] >> place for total in (low, high))
        return bool(one & 1) if one == other else None

    return test
