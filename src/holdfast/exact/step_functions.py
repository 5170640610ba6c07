"""Functions of states by their level sets: where a value is at least c, for every c at which that changes.

A :class:`StepFunction` f has whole numbers c₁ < c₂ < … and sets S₁ ⊋ S₂ ⊋ …, decision diagrams, with
Sᵢ = {f ≥ cᵢ}. Between two numbers nothing changes: {f ≥ c} is the set of the least cᵢ ≥ c. Below c₁ it is
S₁, so that f is −∞ outside of S₁; past the last number it is ``above``, the set where f is +∞.

The two infinities are for bounds. A function that bounds another from below may be −∞ wherever that is
convenient, and one that bounds it from above may be +∞.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from holdfast.logic.diagrams import Diagram

Point = list[tuple[int, bool]]
"""The bits of a state, as :meth:`holdfast.logic.diagrams.Diagrams.point` gives them."""

Extended = int | float
"""A value of a step function: a whole number, or plus or minus :data:`INFINITE`."""

INFINITE = float("inf")


@dataclass(frozen=True)
class StepFunction:
    """A function of states by its level sets; see the head of this module.

    Attributes:
        values: c₁ < c₂ < …
        sets: S₁ ⊋ S₂ ⊋ …, the last of them larger than ``above``.
        above: where the function is +∞.
    """

    values: tuple[int, ...]
    sets: tuple[Diagram, ...]
    above: Diagram

    def level(self, value: int) -> Diagram:
        """The states where the function is at least ``value``."""
        i = bisect_left(self.values, value)
        return self.sets[i] if i < len(self.sets) else self.above

    def at(self, point: Point) -> Extended:
        """The value in one state."""
        if self.above.eval(point):
            return INFINITE
        if not self.sets or not self.sets[0].eval(point):
            return -INFINITE
        low, high = 0, len(self.sets) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.sets[middle].eval(point) else (low, middle - 1)
        return self.values[low]

    def shifted(self, by: int) -> StepFunction:
        """The function with a number added."""
        return StepFunction(tuple(value + by for value in self.values), self.sets, self.above)


def step_function(values: Iterable[int], sets: Iterable[Diagram], above: Diagram) -> StepFunction:
    """A step function from ascending numbers and shrinking sets, some of which may be equal."""
    kept: list[tuple[int, Diagram]] = []
    for value, states in zip(values, sets, strict=True):
        if kept and kept[-1][1] == states:
            kept.pop()
        kept.append((value, states))
    if kept and kept[-1][1] == above:
        kept.pop()
    return StepFunction(tuple(value for value, _ in kept), tuple(states for _, states in kept), above)


Join = Callable[[Sequence[Diagram]], Diagram]
"""One set from several."""


def combined(
    sources: Sequence[StepFunction], join: Join, known: dict[tuple[Diagram, ...], Diagram]
) -> StepFunction:
    """The step function whose set at each c is joined from the sets of the sources at c.

    Args:
        join: takes one set of each source; it must grow with them.
        known: what has been joined before.
    """
    numbers = sorted({value for source in sources for value in source.values})
    sets = []
    for value in numbers:
        parts = [source.level(value) for source in sources]
        sets.append(_joined(parts, join, known))
    return step_function(numbers, sets, _joined([source.above for source in sources], join, known))


def _joined(parts: list[Diagram], join: Join, known: dict[tuple[Diagram, ...], Diagram]) -> Diagram:
    key = tuple(parts)
    if key not in known:
        known[key] = join(parts)
    return known[key]


# -- sums -------------------------------------------------------------------------------------------


def by_values(parts: Mapping[int, Diagram], within: Diagram, false: Diagram) -> StepFunction:
    """The function that has each value in a set of its own, in the states of ``within``."""
    sets, gathered = [], false
    numbers = sorted(parts)
    for number in reversed(numbers):
        gathered |= parts[number] & within
        sets.append(gathered)
    return step_function(numbers, reversed(sets), false)


def plus(
    one: StepFunction, other: StepFunction, low: int, high: int, tick: Callable[[], None]
) -> StepFunction:
    """The sum of two functions, as far as it is told apart from ``low`` to ``high``.

    Less than ``low`` may be −∞ in it, and what is more than ``high`` may be +∞ or the next value: it is to be
    cut to that window. {f + g ≥ c} is the union of {f ≥ cᵢ} ∩ {g ≥ c − cᵢ}, and of those with the same second
    part the first is the largest. The second function has no infinities.
    """
    numbers = sorted({value + more for value in one.values for more in other.values})
    first = max(0, bisect_left(numbers, low))
    last = min(len(numbers), bisect_right(numbers, high) + 1)
    sets = []
    for number in numbers[first:last]:
        tick()
        result, latest = one.above, None
        for value, states in zip(one.values, one.sets, strict=True):
            more = other.level(number - value)
            if more != latest and more.satisfiable():
                result |= states & more
            latest = more
        sets.append(result)
    return step_function(numbers[first:last], sets, one.above)


# -- windows ----------------------------------------------------------------------------------------


def windowed(
    function: StepFunction, low: int, high: int, domain: Diagram | None, false: Diagram
) -> StepFunction:
    """A bound of the function that takes values from ``low`` to ``high``, and infinities, alone.

    Args:
        domain: None for a bound from below: what is less than ``low`` becomes −∞, what is more than ``high``
            becomes that. For a bound from above the states in which the function means something: what is
            less becomes ``low``, what is more becomes +∞.
    """
    first = bisect_left(function.values, low) if domain is None else bisect_right(function.values, low)
    last = bisect_left(function.values, high) if domain is None else bisect_right(function.values, high)
    values, sets = function.values[first:last], function.sets[first:last]
    if domain is None:
        return step_function((*values, high), (*sets, function.level(high)), false)
    return step_function((low, *values), (domain, *sets), function.level(high + 1))


def parts_by_value(function: StepFunction, within: Diagram) -> list[tuple[Extended, Diagram]]:
    """The states of a set by the function's value there, as disjoint sets that are not empty.

    The sets are nested, so that the values are found by halving: what a few states show takes few steps.
    """
    levels = (*function.sets, function.above)
    values: tuple[Extended, ...] = (-INFINITE, *function.values, INFINITE)
    found: list[tuple[Extended, Diagram]] = []
    todo = [(within, 0, len(levels))] if within.satisfiable() else []
    while todo:
        states, low, high = todo.pop()
        if low == high:
            found.append((values[low], states))
            continue
        middle = (low + high) // 2
        more = states & levels[middle]
        if more.satisfiable():
            todo.append((more, middle + 1, high))
        less = states & ~levels[middle]
        if less.satisfiable():
            todo.append((less, low, middle))
    return found


def replaced(
    function: StepFunction, within: Diagram, parts: Iterable[tuple[Extended, Diagram]]
) -> StepFunction:
    """The function with other values in the states of a set; what no part names becomes −∞."""
    listed = list(parts)
    finite = sorted({value for value, _ in listed if isinstance(value, int)})
    above, outside = function.above & ~within, ~within
    for value, states in listed:
        above = above | states if value == INFINITE else above
    numbers = sorted({*function.values, *finite})
    gathered, sets = above & within, []
    by_value: dict[int, Diagram] = {}
    for value, states in listed:
        if isinstance(value, int):
            by_value[value] = by_value[value] | states if value in by_value else states
    for number in reversed(numbers):
        gathered = gathered | by_value[number] if number in by_value else gathered
        sets.append(function.level(number) & outside | gathered)
    return step_function(numbers, reversed(sets), above)
