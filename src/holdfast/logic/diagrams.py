"""Expressions as binary decision diagrams with complement edges (BCDD, by oxidd).

A variable with d values takes ⌈log₂ d⌉ neighbouring levels, most significant bit first, and a set of
states is the diagram of its code bits. Codes past the end of a domain mean nothing: every set is read
inside :attr:`Diagrams.valid`. A term is a partition of the states by its value, so that arithmetic and
comparisons stay exact.

The predecessor of a set T under a deterministic assignment is T with the next-state functions put in
place of the variables (:meth:`Diagrams.compose`): no relation, no primed variables, no quantifier.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, TypeGuard, TypeVar, cast

from oxidd.bcdd import BCDDFunction, BCDDManager, BCDDSubstitution
from oxidd.util import DDMemoryError

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.logic import expressions as ex
from holdfast.logic.counting import StateCounts
from holdfast.logic.evaluate import ARITHMETIC, connected
from holdfast.logic.expressions import Expression, Variable
from holdfast.logic.sums import (
    MAX_PAIRS,
    Sum,
    Summand,
    bit_summands,
    compared,
    has_bit,
    is_outside,
    is_zero,
    plus,
)
from holdfast.logic.tallies import Tally, added, shift_of

MAX_TERM_VALUES = 100_000
WIDE = 64
"""Variables with more values are added up bit by bit, not value by value, unless every total is wanted."""
WHOLE = math.inf
FULL = 0.6
"""Share of the nodes in use at which garbage is collected before more work."""
LITTER, GROWTH = 1 << 19, 4
"""Garbage is collected when there are so many nodes, and so many times those that were needed last time."""

Computed = TypeVar("Computed")
Diagram = BCDDFunction
Assignments = tuple[tuple[Variable, Expression], ...]
OutOfNodes = DDMemoryError


def children_first(
    root: Diagram, known: Container[Diagram]
) -> Iterator[tuple[Diagram, tuple[Diagram, Diagram]]]:
    """The nodes of a diagram with their children (high, low), each node after them.

    Whoever takes a node adds it to ``known``, where the terminals are from the start.
    """
    stack = [root]
    while stack:
        top = stack[-1]
        if top in known:
            stack.pop()
            continue
        cofactors = top.cofactors()
        assert cofactors is not None, "only the terminals have none, and they are known"
        missing = [child for child in cofactors if child not in known]
        if missing:
            stack += missing
            continue
        yield top, cofactors
        stack.pop()


class Diagrams:
    """A manager, the levels of each variable, and a memo of translated expressions.

    Args:
        variables: in diagram order, top first.
        nodes: capacity; an operation that needs more raises :data:`OutOfNodes`.
        cache: entries of the operation cache.
        budget: its deadline ends the translation of expressions; single operations are not interrupted.
        tallies: those whose counters are among the variables, for :meth:`count` and :meth:`pick`.
    """

    def __init__(
        self,
        variables: Iterable[Variable],
        nodes: int = 1 << 20,
        cache: int = 1 << 14,
        budget: Budget = UNLIMITED,
        tallies: Iterable[Tally] = (),
    ) -> None:
        self.budget = budget
        self.tallies = tuple(tallies)
        self.variables = tuple(variables)
        self.manager = BCDDManager(nodes, cache, 1)
        self.n_nodes = nodes
        self._n_collected = self._n_needed = 0
        self.memos: list[dict[Diagram, Diagram]] = []  # emptied whenever garbage is collected
        self.bits: dict[str, range] = {}
        for variable in self.variables:
            width = max(1, (len(variable.values) - 1).bit_length())
            self.bits[variable.name] = self.manager.add_vars(width)
        self.n_bits = self.manager.num_vars()
        self.true, self.false = self.manager.true(), self.manager.false()
        self._truths: dict[Expression, Diagram] = {}
        self._assignments: dict[Assignments, BCDDSubstitution] = {}
        self._terms: dict[Expression, dict[Fraction, Diagram]] = {}
        self.valid = self.inside(self.variables)
        # Only where it is needed: it refers back to the diagrams, which then wait to be collected as garbage.
        self._own_counts = self.counts() if self.tallies else None

    @property
    def n_made(self) -> int:
        """How many nodes have been made so far, those that were collected included."""
        return self._n_collected + int(self.manager.approx_num_inner_nodes())

    def tidy(self) -> None:
        """Collect garbage if there is much of it; to be called between operations, as often as one likes."""
        n_nodes = self.manager.approx_num_inner_nodes()
        if n_nodes > min(FULL * self.n_nodes, max(LITTER, GROWTH * self._n_needed)):
            self._collect()

    def _collect(self) -> None:
        before = self.n_made
        for memo in self.memos:
            memo.clear()
        self.manager.gc()
        self._n_needed = int(self.manager.num_inner_nodes())
        self._n_collected = before - self._n_needed

    def tidied(self, work: Callable[[], Computed]) -> Computed:
        """Do the work with the garbage out of the way, and once more if the nodes run out all the same.

        oxidd collects garbage beside the work, not before it gives up; the work must be repeatable.
        """
        self.tidy()
        try:
            return work()
        except OutOfNodes:
            self._collect()
            return work()

    def copied(self, source: Diagrams, sets: Iterable[Diagram], tick: Callable[[], None]) -> list[Diagram]:
        """Sets of other diagrams over the same variables, in whatever order, as sets of these."""
        pairs = ((source.bits[name], self.bits[name]) for name in self.bits)
        bits = {old: new for olds, news in pairs for old, new in zip(olds, news, strict=True)}
        known = {source.true: self.true, source.false: self.false}
        copies = []
        for root in sets:
            for node, (high, low) in children_first(root, known):
                tick()
                bit = node.node_var()
                assert bit is not None, "only the terminals have none"
                known[node] = self.manager.var(bits[bit]).ite(known[high], known[low])
            copies.append(known[root])
        return copies

    def cube(self, variable: Variable, code: int) -> Diagram:
        """States in which ``variable`` has this code."""
        result = self.true
        bits = self.bits[variable.name]
        for place, bit in enumerate(reversed(bits)):
            literal = self.manager.var(bit) if code >> place & 1 else self.manager.not_var(bit)
            result = literal & result
        return result

    def table(self, variable: Variable, mask: Iterable[object]) -> Diagram:
        """States in which the mask is set at the code of ``variable``."""
        return self.select(variable, [self.true if bit else self.false for bit in mask])

    def select(self, variable: Variable, by_code: list[Diagram]) -> Diagram:
        """States that are in the set listed at the code of ``variable``."""
        bits = self.bits[variable.name]
        level = by_code + [self.false] * ((1 << len(bits)) - len(by_code))
        for bit in reversed(bits):
            test = self.manager.var(bit)
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [low if low == high else test.ite(high, low) for low, high in pairs]
        return level[0]

    def cofactors(self, variable: Variable, states: Diagram) -> list[Diagram]:
        """For each code of a variable what is left of the set there; no variable above it may be read."""
        cofactors = [states]
        for bit in self.bits[variable.name]:
            parts = [((s, s) if s.node_var() != bit else s.cofactors()) or () for s in cofactors]
            cofactors = [part for pair in parts for part in pair[::-1]]
        return cofactors[: len(variable.values)]

    def inside(self, variables: Iterable[Variable]) -> Diagram:
        """States in which the codes of these variables mean something."""
        result = self.true
        for variable in sorted(variables, key=lambda v: self.bits[v.name].start, reverse=True):
            self.budget.tick("laying out variables")
            result = self._below(variable, len(variable.values)) & result
        return result

    def _below(self, variable: Variable, limit: int) -> Diagram:
        """Codes of ``variable`` below ``limit``."""
        if limit == 1 << len(self.bits[variable.name]):
            return self.true
        result = self.false
        for place, bit in enumerate(reversed(self.bits[variable.name])):
            test = self.manager.not_var(bit)
            result = test | result if limit >> place & 1 else test & result
        return result

    def count(self, states: Diagram) -> int:
        """Number of states in a set, exactly; of counters, of those that they stand for."""
        if self._own_counts is not None:
            return self._own_counts.of(states)
        return int((states & self.valid).sat_count(self.n_bits))

    def counts(self, times: Variable | None = None) -> StateCounts:
        """What counts states with counters, or the sum of one of these over them."""
        return StateCounts(self, times, partial(self.budget.tick, "counting states"))

    def possible(self, states: Diagram) -> bool:
        """Whether there is a state in a set, which must be within the domains, whose counters add up."""
        return bool(states.satisfiable()) and (not self.tallies or self.count(states) > 0)

    @cached_property
    def consistent(self) -> Diagram:
        """The states whose counters can add up as they should; counters that are not here may be anything."""
        result = self.valid
        for tally in self.tallies:
            here = [counter for counter in tally.counters if counter.name in self.bits]
            op = "=" if len(here) == len(tally.counters) else "<="
            total = added(ex.Read(counter) for counter in here)
            if len(here) > 1:
                result &= self.truth(ex.Compare(op, total, ex.Number(Fraction(tally.size))))
        return result

    def pick(self, states: Diagram) -> dict[str, int] | None:
        """The codes of one state of the set, or None if it is empty."""
        if self.tallies and (states & self.valid).satisfiable():
            states &= self.consistent
        chosen = (states & self.valid).pick_cube()
        if chosen is None:
            return None
        return {
            name: sum(bool(chosen[bit]) << place for place, bit in enumerate(reversed(bits)))
            for name, bits in self.bits.items()
        }

    def state(self, codes: Mapping[str, int]) -> Diagram:
        """The set of one state."""
        result = self.true
        for variable in reversed(self.variables):
            result = self.cube(variable, codes[variable.name]) & result
        return result

    def point(self, codes: Mapping[str, int]) -> list[tuple[int, bool]]:
        """The bits of one state, for ``Diagram.eval``."""
        return [
            (bit, bool(codes[name] >> place & 1))
            for name, bits in self.bits.items()
            for place, bit in enumerate(reversed(bits))
        ]

    def support(self, variables: Iterable[Variable]) -> Diagram:
        """The conjunction of all bits of the variables, as quantifiers want it."""
        result = self.true
        for variable in variables:
            for bit in self.bits[variable.name]:
                result &= self.manager.var(bit)
        return result

    # -- expressions ----------------------------------------------------------------------------

    def truth(self, node: Expression) -> Diagram:
        """The states in which a static predicate holds."""
        known = self._truths.get(node)
        if known is None:
            self.budget.tick("translating expressions")
            known = self._truths[node] = self._truth(node)
        return known

    def _truth(self, node: Expression) -> Diagram:
        match node:
            case ex.Truth(value):
                return self.true if value else self.false
            case ex.Member(variable, _):
                return self._any(self.cube(variable, code) for code in node.codes)
            case ex.Label(_, variable, mask):
                return self.table(variable, mask)
            case ex.Compare("=" | "!=" as op, left, right):
                equal = self._sum(ex.Arithmetic("-", left, right)).where(is_zero)
                return equal if op == "=" else ~equal
            case ex.Compare(op, left, right):
                return self._sum(ex.Arithmetic("-", left, right)).where(compared(op))
        return cast(Diagram, connected(node, self.truth))

    def _any(self, sets: Iterable[Diagram]) -> Diagram:
        result = self.false
        for states in sets:
            self.budget.tick("translating expressions")
            result |= states
        return result

    def term(self, node: Expression) -> dict[Fraction, Diagram]:
        """The states by value of a term: disjoint nonempty sets that cover all valid states.

        Raises:
            ZeroDivisionError: when some state divides by zero.
            LimitError: for a term with too many values.
        """
        known = self._terms.get(node)
        if known is None:
            self.budget.tick("translating expressions")
            known = self._terms[node] = self._term(node)
        return known

    def _term(self, node: Expression) -> dict[Fraction, Diagram]:
        match node:
            case ex.Defined(_, body):
                return self.term(body)
            case ex.Arithmetic("*" | "/" as op, left, right) if ex.addends(node) == {node: 1}:
                return self._combined(op, left, right, node)
        summed, inside = self._sum(node, WHOLE), self.inside(ex.variables_of(node))
        return {
            Fraction(total, summed.denominator): states
            for total, states in summed.by_total(MAX_TERM_VALUES).items()
            if (states & inside).satisfiable()
        }

    def _combined(
        self, op: str, left: Expression, right: Expression, node: Expression
    ) -> dict[Fraction, Diagram]:
        """The states by value of a product or a quotient, from each pair of values that occurs."""
        result: dict[Fraction, Diagram] = {}
        ones, others, inside = self.term(left), self.term(right), self.inside(ex.variables_of(node))
        if len(ones) * len(others) > MAX_PAIRS:
            raise LimitError(f"the term {node} combines more than {MAX_PAIRS:,} pairs of values")
        for x, one in ones.items():
            self.budget.tick("combining terms")
            here = one & inside
            for y, other in others.items():
                both = here & other
                if both.satisfiable():
                    value = Fraction(ARITHMETIC[op](x, y))
                    result[value] = result[value] | both if value in result else both
            if len(result) > MAX_TERM_VALUES:
                raise LimitError(f"the term {node} takes more than {MAX_TERM_VALUES:,} values")
        return result

    # -- sums -----------------------------------------------------------------------------------

    def _sum(self, node: Expression, wide_from: float | None = None) -> Sum:
        """A term as a sum of what reads one variable each or, where it has many values, one bit each."""
        most = WIDE if wide_from is None else wide_from
        weights: dict[Expression, Fraction] = {}
        for part, weight in ex.addends(node).items():
            for leaf in part.items if isinstance(part, ex.Count) else (part,):
                weights[leaf] = weights.get(leaf, Fraction(0)) + weight
        start = weights.pop(ex.Number(Fraction(1)), Fraction(0))
        wide = {leaf: weights.pop(leaf) for leaf in [*weights] if _is_wide(leaf, most)}
        start += sum((_whole(leaf.variable).start * weight for leaf, weight in wide.items()), Fraction(0))
        values = {leaf: self._values(leaf) for leaf, weight in weights.items() if weight}
        shares = [start, *wide.values(), *(weights[leaf] for leaf in values)]
        shares += [
            weights[leaf] * x
            for leaf, domain in values.items()
            if not isinstance(domain, range)
            for x in domain
        ]
        denominator = math.lcm(*{share.denominator for share in shares})
        summands = [
            self._summand(leaf, domain, int(weights[leaf] * denominator)) for leaf, domain in values.items()
        ]
        for leaf, weight in wide.items():
            tests = [(bit, self.manager.var(bit)) for bit in reversed(self.bits[leaf.variable.name])]
            summands += bit_summands(tests, int(weight * denominator) * _whole(leaf.variable).step)
        summands.sort(key=lambda summand: summand.level, reverse=True)
        args = tuple(summands), denominator, self.true, self.false, self.budget, str(node)
        return Sum(int(start * denominator), *args)

    def _values(self, leaf: Expression) -> Sequence[Fraction | int]:
        """The values of a summand: for each code of its variable, or once each where it reads several."""
        if not ex.is_term(leaf):
            return range(1, -1, -1)
        match leaf:
            case ex.Read(variable):
                return _whole(variable)
            case ex.Lookup(_, _, values):
                return values
        return tuple(self.term(leaf))

    def _summand(self, leaf: Expression, values: Sequence[Fraction | int], weight: int) -> Summand:
        scaled: Sequence[int]
        if isinstance(values, range):  # perhaps a long one, of which nothing but the ends may be asked
            scaled = range(values.start * weight, values.stop * weight, values.step * weight)
            low, high = sorted((scaled[0], scaled[-1]))
        else:
            scaled = [int(weight * value) for value in values]
            low, high = min(scaled), max(scaled)
        level = min((self.bits[v.name].start for v in ex.variables_of(leaf)), default=0)
        if isinstance(leaf, ex.Read | ex.Lookup):
            variable = leaf.variable

            def split(f: Callable[[int], Diagram]) -> Diagram:
                return self.select(variable, [f(value) for value in scaled])

            return Summand(scaled, low, high, level, split, lambda: self._by_value(variable, scaled))
        if not ex.is_term(leaf):
            sets = [self.truth(leaf), ~self.truth(leaf)]
        else:
            sets = list(self.term(leaf).values())
        by_value = dict(zip(scaled, sets, strict=True))

        def fold(f: Callable[[int], Diagram]) -> Diagram:
            *others, last = by_value
            result = f(last)
            for value in others:
                result = by_value[value].ite(f(value), result)
            return result

        return Summand(tuple(by_value), low, high, level, fold, lambda: by_value)

    def _by_value(self, variable: Variable, values: Sequence[int]) -> dict[int, Diagram]:
        """The states by value, given the value for each code of a variable."""
        return self._gathered((value, self.cube(variable, code)) for code, value in enumerate(values))

    def _gathered(self, parts: Iterable[tuple[int, Diagram]]) -> dict[int, Diagram]:
        """The sets of each number, put together."""
        by_number: dict[int, Diagram] = {}
        for number, states in parts:
            self.budget.tick("translating expressions")
            by_number[number] = by_number[number] | states if number in by_number else states
        return by_number

    # -- assignments ----------------------------------------------------------------------------

    def assignment(self, assign: Assignments) -> BCDDSubstitution:
        """The simultaneous assignment as a substitution of bits by next-state functions.

        Equal assignments give one object, so that oxidd's cache serves all of their uses.
        """
        if assign not in self._assignments:
            pairs = [pair for variable, value in assign for pair in self._next_bits(variable, value)]
            self._assignments[assign] = Diagram.make_substitution(pairs)
        return self._assignments[assign]

    def _next_bits(self, variable: Variable, value: Expression) -> list[tuple[int, Diagram]]:
        """For each bit of a variable, the states in which an assignment sets it."""
        bits = self.bits[variable.name]
        if isinstance(value, ex.Read) and value.variable.values == variable.values:
            other, known = self.bits[value.variable.name], self.inside((value.variable,))
            return [(bit, self.manager.var(old) & known) for bit, old in zip(bits, other, strict=True)]
        places = [(bit, len(bits) - 1 - i) for i, bit in enumerate(bits)]
        if not variable.numeric:
            parts = self.by_code(variable, value)
            return [
                (bit, self._any(states for code, states in parts.items() if code >= 0 and code >> place & 1))
                for bit, place in places
            ]
        shift = shift_of(variable, value)
        narrow = len(variable.values) <= WIDE and not self.tallies
        if shift is not None and not narrow and _whole(variable).step == 1:
            own = [self.manager.var(bit) for bit in reversed(bits)]
            return list(zip(reversed(bits), plus(own, shift, self.false), strict=True))
        summed = self._sum(value)
        domain = _whole(variable)
        return [(bit, summed.where(has_bit(domain, summed.denominator, place))) for bit, place in places]

    def outside(self, variable: Variable, value: Expression) -> Diagram:
        """The states in which an assignment would leave the domain of the variable."""
        if not variable.numeric:
            return self.by_code(variable, value).get(-1, self.false)
        summed = self._sum(value, None if self.tallies else WHOLE)  # whose bounds often suffice
        return summed.where(is_outside(_whole(variable), summed.denominator))

    def by_code(self, variable: Variable, value: Expression) -> dict[int, Diagram]:
        """The states by the code that ``variable`` gets; -1 gathers values outside its domain."""
        match value:
            case ex.Symbol(symbol):
                return {variable.code(symbol): self.true}
            case ex.Read(other) if not other.numeric:
                sets: dict[Any, Diagram] = {v: self.cube(other, code) for code, v in enumerate(other.values)}
            case _:
                sets = {int(x) if x.denominator == 1 else x: states for x, states in self.term(value).items()}
        return self._gathered(
            (variable.code(x) if x in variable.values else -1, states) for x, states in sets.items()
        )


def _is_wide(leaf: Expression, most: float) -> TypeGuard[ex.Read]:
    return isinstance(leaf, ex.Read) and len(leaf.variable.values) > most


def _whole(variable: Variable) -> range:
    """The domain of a numeric variable."""
    assert isinstance(variable.values, range)
    return variable.values
