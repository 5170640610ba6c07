"""States with counters, counted back: how many states of the alike things themselves a set stands for.

A state in which n₁, n₂, … of m alike things have the first, the second, … value stands for
m! / (n₁! n₂! …) states. Over a set of states that is a coefficient of a generating function: m! times that of
tᵐ in the sum of Π tⁿ/n! over the set, where a variable that is no counter gives a factor of 1.

*Small numbers.* The sum goes up the diagram, counter by counter. What a counter may be on the way to one
child is some numbers, or all but some: Σ tⁿ/n! over the former is a polynomial, over the latter eᵗ less one.
So all sums are Σ aₖⱼ eᵏᵗ tʲ/j!, with whole numbers aₖⱼ, and m! times the coefficient of tᵐ in eᵏᵗ tʲ/j! is
C(m, j) kᵐ⁻ʲ. However large m is, the work depends only on how many numbers the set tells apart.

Several tallies have a variable t each. A counter that the states are to be counted *times* has n tⁿ/n! in
place of tⁿ/n!.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import comb
from typing import TYPE_CHECKING

from holdfast.logic.expressions import Variable

if TYPE_CHECKING:
    from holdfast.logic.diagrams import Diagram, Diagrams

MAX_KNOWN = 20_000
"""Parts of sets whose sums are kept."""

TallyPower = tuple[int, int]
"""k and j of eᵏᵗ tʲ/j!."""

TallyPowers = tuple[TallyPower, ...]
"""Those of a product, one for each tally."""

PowerSeries = dict[TallyPowers, int]
"""A sum of such products, each with its factor."""

Intervals = list[tuple[int, int]]
"""Numbers, from the first to before the second of each pair."""


class StateCounts:
    """How many states sets stand for; what sets have in common is looked at once.

    Args:
        diagrams: whose sets they are.
        times: the counter of which the sum over all states is wanted, in place of their number.
        tick: called often.
    """

    def __init__(self, diagrams: Diagrams, times: Variable | None, tick: Callable[[], None]) -> None:
        self.d, self.tick = diagrams, tick
        self.times = None if times is None else times.name
        self.place = {c.name: i for i, tally in enumerate(diagrams.tallies) for c in tally.counters}
        self.sizes = [tally.size for tally in diagrams.tallies]
        self.one: TallyPowers = ((0, 0),) * len(self.sizes)
        self._known: dict[tuple[Diagram, int], PowerSeries] = {}
        self._coefficients: dict[tuple[int, int, int], int] = {}
        self.bits = [tuple(diagrams.bits[v.name]) for v in diagrams.variables]

    def of(self, states: Diagram) -> int:
        """How many states a set stands for."""
        total = 0
        for powers, factor in self._series(states).items():
            product = factor
            for (k, j), size in zip(powers, self.sizes, strict=True):
                product *= self._coefficient(size, k, j)
            total += product
        return total

    def _coefficient(self, size: int, k: int, j: int) -> int:
        """What eᵏᵗ tʲ/j! has at tᵐ, times m!."""
        key = size, k, j
        if key not in self._coefficients:
            self._coefficients[key] = comb(size, j) * k ** (size - j)
        return self._coefficients[key]

    def _series(self, states: Diagram) -> PowerSeries:
        """The sum over a set, from its leaves up, as deep diagrams ask for."""
        known = self._known
        if len(known) > MAX_KNOWN:
            known.clear()
        stack = [(states, 0)]
        below: dict[tuple[Diagram, int], dict[Diagram, Intervals]] = {}
        while stack:
            top = stack[-1]
            node, floor = top
            if top in known:
                stack.pop()
            elif node == self.d.false:
                known[stack.pop()] = {}
            elif floor == len(self.bits):
                known[stack.pop()] = {self.one: 1}
            else:
                if top not in below:
                    self.tick()
                    below[top] = self._children(node, floor)
                missing = [(child, floor + 1) for child in below[top] if (child, floor + 1) not in known]
                if missing:
                    stack += missing
                else:
                    known[stack.pop()] = self._joined(floor, below.pop(top), known)
        return known[states, 0]

    def _children(self, node: Diagram, floor: int) -> dict[Diagram, Intervals]:
        """What is left of a set below a variable, and for which of its codes."""
        bits, n = self.bits[floor], len(self.d.variables[floor].values)
        children: dict[Diagram, Intervals] = {}
        for first, last, child in _intervals(node, bits, 0, 0):
            if first < n:
                own, end = children.setdefault(child, []), min(last, n)
                if own and own[-1][1] == first:
                    own[-1] = own[-1][0], end
                else:
                    own.append((first, end))
        return children

    def _joined(
        self, floor: int, children: dict[Diagram, Intervals], known: dict[tuple[Diagram, int], PowerSeries]
    ) -> PowerSeries:
        """Each child's sum with what the variable adds to it."""
        name = self.d.variables[floor].name
        total: PowerSeries = {}
        for child, codes in children.items():
            series = known[child, floor + 1]
            if name not in self.place:
                n = sum(last - first for first, last in codes)
                for powers, factor in series.items():
                    total[powers] = total.get(powers, 0) + n * factor
                continue
            tally = self.place[name]
            for power, weight in self._numbers(codes, self.sizes[tally], name == self.times):
                self.tick()
                for powers, factor in series.items():
                    (k, i), (more, j) = powers[tally], power
                    if i + j <= self.sizes[tally]:
                        product = (*powers[:tally], (k + more, i + j), *powers[tally + 1 :])
                        total[product] = total.get(product, 0) + weight * factor * comb(i + j, i)
        return {powers: factor for powers, factor in total.items() if factor}

    @staticmethod
    def _numbers(codes: Intervals, size: int, times: bool) -> Iterator[tuple[TallyPower, int]]:
        """Σ tⁿ/n! over some numbers, or n times that; all from the first to ``size`` but a few are few."""
        n = sum(last - first for first, last in codes)
        if 2 * n <= size + 1:
            yield from (((0, number), number if times else 1) for number in _each(codes))
            return
        yield (1, int(times)), 1
        yield from (((0, number), -number if times else -1) for number in _each(_others(codes, size + 1)))


def _each(intervals: Iterable[tuple[int, int]]) -> Iterator[int]:
    return (number for first, last in intervals for number in range(first, last))


def _others(intervals: Intervals, end: int) -> Iterator[tuple[int, int]]:
    """The numbers from 0 to before the end that are in none of some intervals."""
    before = 0
    for first, last in sorted(intervals):
        if before < first:
            yield before, first
        before = last
    if before < end:
        yield before, end


def _intervals(
    node: Diagram, bits: tuple[int, ...], place: int, prefix: int
) -> Iterator[tuple[int, int, Diagram]]:
    """The codes of one variable, in intervals with the same rest of a set, ascending."""
    rest = len(bits) - place
    if node.node_var() not in bits[place:]:
        yield prefix << rest, (prefix + 1) << rest, node
        return
    if node.node_var() != bits[place]:
        low = high = node
    else:
        cofactors = node.cofactors()
        assert cofactors is not None, "only the terminals have none"
        high, low = cofactors
    yield from _intervals(low, bits, place + 1, prefix << 1)
    yield from _intervals(high, bits, place + 1, prefix << 1 | 1)
