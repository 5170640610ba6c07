"""Functions from valuations to values, as decision diagrams with a value at the end of each path.

A node reads one bit, in the order of the file. Equal nodes are one, and a node whose two ends are the same is
left out; so equal functions have the same number. A value is a whole number of any size, with a rank, and
nothing is rounded here. Sets of valuations, which oxidd makes, are functions that are 1 inside and 0 outside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from oxidd.bcdd import BCDDFunction

from holdfast.budget import Budget
from holdfast.certificates.verify.container import refuse
from holdfast.certificates.verify.diagram_space import MAX_NODES, DiagramSpace
from holdfast.errors import LimitError

MAX_LEVELS = 400
"""Functions are gone through by recursion, one call for each bit."""
LITTER, GROWTH = 1 << 18, 4
"""Garbage is collected when there are so many nodes, and so many times as many as were needed last time."""
BYTES_PER_NODE = 1 << 10
"""With what is remembered of it."""
TICKS = 1 << 12
"""After how many nodes the time and the memory are looked at."""

RankedValue = tuple[int, int]
"""A value and a rank, 0 where it has none."""
NO, YES = (0, 0), (1, 0)
_VALUE = re.compile(r"(\d{1,20})(?::(\d{1,9}))?")
Moved = list[tuple[int, dict[int, int]]]
"""What a move does: for each rule the set in which it applies, and for some bits the sets in which they are
1 after it. Where no rule applies nothing changes."""


class ValueFunctions:
    """A table of functions over the bits of a space, which must be laid out."""

    def __init__(self, space: DiagramSpace, budget: Budget) -> None:
        self.bottom = space.manager.num_vars()
        self.space, self.budget = space, budget
        self.capacity = min(MAX_NODES, budget.memory // BYTES_PER_NODE)
        self.level: list[int] = []
        self.high: list[int] = []
        self.low: list[int] = []
        self.values: dict[int, RankedValue] = {}
        self._ends: dict[RankedValue, int] = {}
        self._nodes: dict[tuple[int, int, int], int] = {}
        self._chosen: dict[tuple[int, int, int], int] = {}
        self._combined: dict[tuple[str | int, ...], dict[tuple[int, int], int]] = {}
        self._moved: dict[int, dict[int, int]] = {}
        self._sets: dict[BCDDFunction, int] = {}
        self.never, self.always = self.constant(NO), self.constant(YES)
        self._n_kept = self._n_needed = 0

    # -- functions ----------------------------------------------------------------------------------

    def constant(self, value: RankedValue) -> int:
        """The function that has this value everywhere."""
        if value not in self._ends:
            self._ends[value] = self._entered(self.bottom, -1, -1)
            self.values[self._ends[value]] = value
        return self._ends[value]

    def node(self, level: int, high: int, low: int) -> int:
        """The function that is one where a bit is 1 and another one where it is 0; neither reads above it."""
        if high == low:
            return high
        key = (level, high, low)
        number = self._nodes.get(key)
        if number is None:
            number = self._nodes[key] = self._entered(level, high, low)
        return number

    def _entered(self, level: int, high: int, low: int) -> int:
        number = len(self.level)
        if number % TICKS == 0:
            self.budget.tick("checking values")
            if number > self.capacity:
                raise LimitError("the values outgrew the memory for checking them")
        self.level.append(level)
        self.high.append(high)
        self.low.append(low)
        return number

    def of_set(self, states: BCDDFunction) -> int:
        """A set of oxidd as a function."""
        if states not in self._sets:
            level, ends = states.node_level(), states.cofactors()
            if level is None or ends is None:
                self._sets[states] = self.always if states.satisfiable() else self.never
            else:
                inside, outside = ends
                self._sets[states] = self.node(level, self.of_set(inside), self.of_set(outside))
        return self._sets[states]

    def chosen(self, states: int, one: int, other: int) -> int:
        """One function in a set, another one outside."""
        memo, always, never = self._chosen, self.always, self.never
        levels, highs, lows, node = self.level, self.high, self.low, self.node

        def go(s: int, a: int, b: int) -> int:
            if s == always or a == b:
                return a
            if s == never:
                return b
            key = (s, a, b)
            result = memo.get(key)
            if result is None:
                x, y, z = levels[s], levels[a], levels[b]
                top = min(x, y, z)
                s1, s0 = (highs[s], lows[s]) if x == top else (s, s)
                a1, a0 = (highs[a], lows[a]) if y == top else (a, a)
                b1, b0 = (highs[b], lows[b]) if z == top else (b, b)
                result = memo[key] = node(top, go(s1, a1, b1), go(s0, a0, b0))
            return result

        return go(states, one, other)

    def combined(
        self,
        key: tuple[str | int, ...],
        at: Callable[[RankedValue, RankedValue], RankedValue],
        one: int,
        other: int,
        *,
        same: bool = False,
    ) -> int:
        """What an operation, known by a key, makes of the values of two functions.

        ``same`` says that it makes of two equal values that value.
        """
        memo, bottom, values = self._combined.setdefault(key, {}), self.bottom, self.values
        levels, highs, lows, node = self.level, self.high, self.low, self.node

        def go(a: int, b: int) -> int:
            if same and a == b:
                return a
            pair = (a, b)
            result = memo.get(pair)
            if result is None:
                x, y = levels[a], levels[b]
                if x < y:
                    result = node(x, go(highs[a], b), go(lows[a], b))
                elif y < x:
                    result = node(y, go(a, highs[b]), go(a, lows[b]))
                elif x < bottom:
                    result = node(x, go(highs[a], highs[b]), go(lows[a], lows[b]))
                else:
                    result = self.constant(at(values[a], values[b]))
                memo[pair] = result
            return result

        return go(one, other)

    def less(self, one: int, other: int) -> int:
        """The set in which one function has lesser values than another, or equal ones and a lesser rank."""
        return self.combined(("<",), lambda a, b: YES if a < b else NO, one, other)

    def after(self, function: int, moved: Moved) -> int:
        """A function of where a move leads, as a function of where it is made."""
        result = function
        for applies, bits in moved:
            led = self._substituted(function, bits) if bits else function
            result = self.chosen(applies, led, result)
        return result

    def _substituted(self, function: int, bits: dict[int, int]) -> int:
        """A function of bits that are themselves sets, where they are given."""
        memo = self._moved.setdefault(id(bits), {})
        bottom, never, always, levels, node = self.bottom, self.never, self.always, self.level, self.node
        last = max(bits)

        def go(f: int) -> int:
            level = levels[f]
            if level > last:
                return f
            result = memo.get(f)
            if result is None:
                bit = bits.get(level)
                if bit == always:
                    result = go(self.high[f])
                elif bit == never:
                    result = go(self.low[f])
                else:
                    one, other = go(self.high[f]), go(self.low[f])
                    if bit is None and min(levels[one], levels[other]) > level:
                        result = node(level, one, other)
                    else:
                        here = node(level, always, never) if bit is None else bit
                        result = self.chosen(here, one, other)
                memo[f] = result
            return result

        return go(function) if levels[function] < bottom else function

    def value(self, function: int, bits: dict[int, bool]) -> RankedValue:
        """The value at a valuation, given by its bits."""
        while self.level[function] < self.bottom:
            function = (self.high if bits[self.level[function]] else self.low)[function]
        return self.values[function]

    def values_of(self, functions: Iterable[int]) -> set[RankedValue]:
        """All values of some functions."""
        seen, met, stack = set[int](), set[RankedValue](), list(functions)
        while stack:
            function = stack.pop()
            if function in self.values:
                met.add(self.values[function])
            elif function not in seen:
                seen.add(function)
                stack += (self.high[function], self.low[function])
        return met

    def member(self, states: int) -> BCDDFunction:
        """Some part of a set that is not empty."""
        cube, manager = self.space.true, self.space.manager
        while states != self.always:
            bit, high = self.level[states], self.high[states]
            cube &= manager.var(bit) if high != self.never else manager.not_var(bit)
            states = high if high != self.never else self.low[states]
        return cube

    # -- room ---------------------------------------------------------------------------------------

    def settle(self) -> None:
        """From now on nothing that there is becomes garbage."""
        self._n_kept = self._n_needed = len(self.level)

    def collected(self, roots: Sequence[int]) -> list[int]:
        """The functions by new numbers, where there is much that nobody needs, which is let go."""
        if len(self.level) < max(LITTER, GROWTH * self._n_needed):
            return list(roots)
        level, high, low, values = self.level, self.high, self.low, self.values
        n = self._n_kept
        self.level, self.high, self.low = level[:n], high[:n], low[:n]
        self.values = {number: value for number, value in values.items() if number < n}
        self._ends = {value: number for number, value in self.values.items()}
        self._nodes = {key: number for key, number in self._nodes.items() if number < n}
        self._sets, self._chosen, self._combined, self._moved = {}, {}, {}, {}
        new: dict[int, int] = {}

        def go(f: int) -> int:
            if f < n:
                return f
            if f not in new:
                new[f] = (
                    self.node(level[f], go(high[f]), go(low[f]))
                    if level[f] < self.bottom
                    else self.constant(values[f])
                )
            return new[f]

        renamed = [go(root) for root in roots]
        self._n_needed = len(self.level)
        return renamed


def read_functions(text: str, space: DiagramSpace, budget: Budget) -> tuple[ValueFunctions, int, list[int]]:
    """The functions of a text in which each node stands after its ends and on a level above them.

    Its lines are, behind a word each: how many units make 1, the names of the bits from the top, the values,
    each with ``:`` and a rank if it has one, and the roots; then ``bit high low`` for each node. A node is
    known by its number, from 0, and value i by −1 − i.

    Returns:
        The table of functions, the units, and the roots.
    """
    if text.count("\n") > MAX_NODES:
        raise LimitError(f"the witness has more than {MAX_NODES:,} nodes, too many to be checked")
    head, _, body = text.partition("\n.nodes\n")
    header = dict(line.partition(" ")[::2] for line in head.split("\n"))
    if list(header) != [".units", ".bits", ".values", ".roots"]:
        refuse("its values do not begin with units, bits, values and roots")
    names = header[".bits"].split(" ", MAX_LEVELS + 1)
    if len(names) > MAX_LEVELS:
        raise LimitError(f"the values read more than {MAX_LEVELS:,} bits, too many to be checked")
    space.lay_out(names)
    table, ends, numbers = ValueFunctions(space, budget), list[int](), list[int]()

    def function(word: str) -> int:
        number = int(word)
        if not -len(ends) <= number < len(numbers):
            refuse(f"node {len(numbers)} of its values refers to one that does not stand before it")
        return numbers[number] if number >= 0 else ends[-1 - number]

    *lines, end, after = "", *body.split("\n")
    if (end, after) != (".end", ""):
        refuse("its values are cut off")
    try:
        ends += [table.constant(_value(word)) for word in header[".values"].split(" ")]
        for line in lines[1:]:
            word, *both = line.split(" ")
            (high, low), level = map(function, both), int(word)
            if not 0 <= level < min(table.level[high], table.level[low]):
                refuse(f"node {len(numbers)} of its values is not on a level above its ends")
            numbers.append(table.node(level, high, low))
        return table, int(header[".units"]), [function(word) for word in header[".roots"].split(" ")]
    except ValueError:
        refuse("its values are not text of the expected form")


def _value(word: str) -> RankedValue:
    parts = _VALUE.fullmatch(word)
    if parts is None:
        raise ValueError(word)
    return int(parts[1]), int(parts[2] or 0)
