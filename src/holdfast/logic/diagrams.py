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
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TypeVar

from oxidd.bcdd import BCDDFunction, BCDDManager, BCDDSubstitution
from oxidd.util import DDMemoryError

from holdfast.errors import LimitError
from holdfast.logic.evaluate import ARITHMETIC, COMPARE
from holdfast.logic.expressions import (
    And,
    Arithmetic,
    Compare,
    Count,
    Defined,
    Expression,
    Iff,
    Implies,
    Label,
    Lookup,
    Member,
    Not,
    Number,
    Or,
    Read,
    Symbol,
    Truth,
    Value,
    Variable,
)

MAX_TERM_VALUES = 100_000
MAX_PAIRS = 1_000_000
FULL = 0.6
"""Share of the nodes in use at which garbage is collected before more work."""

Result = TypeVar("Result")
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
    """

    def __init__(self, variables: Iterable[Variable], nodes: int = 1 << 20, cache: int = 1 << 14) -> None:
        """Lay out the variables on the levels."""
        self.variables = tuple(variables)
        self.manager = BCDDManager(nodes, cache, 1)
        self.n_nodes = nodes
        self.bits: dict[str, range] = {}
        for variable in self.variables:
            width = max(1, (len(variable.values) - 1).bit_length())
            self.bits[variable.name] = self.manager.add_vars(width)
        self.n_bits = self.manager.num_vars()
        self.true, self.false = self.manager.true(), self.manager.false()
        self._truths: dict[Expression, Diagram] = {}
        self._assignments: dict[Assignments, BCDDSubstitution] = {}
        self._terms: dict[Expression, dict[Fraction, Diagram]] = {}
        self.valid = self.true
        for variable in reversed(self.variables):
            self.valid = self._below(variable, len(variable.values)) & self.valid

    def tidied(self, work: Callable[[], Result]) -> Result:
        """Do the work with the garbage out of the way, and once more if the nodes run out all the same.

        oxidd collects garbage beside the work, not before it gives up; the work must be repeatable.
        """
        if self.manager.approx_num_inner_nodes() > FULL * self.n_nodes:
            self.manager.gc()
        try:
            return work()
        except OutOfNodes:
            self.manager.gc()
            return work()

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
        bits = self.bits[variable.name]
        level = [self.true if bit else self.false for bit in mask]
        level += [self.false] * ((1 << len(bits)) - len(level))
        for bit in reversed(bits):
            test = self.manager.var(bit)
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [low if low == high else test.ite(high, low) for low, high in pairs]
        return level[0]

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
        """Number of states in a set, exactly."""
        return int((states & self.valid).sat_count(self.n_bits))

    def pick(self, states: Diagram) -> dict[str, int] | None:
        """The codes of one state of the set, or None if it is empty."""
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
            known = self._truths[node] = self._truth(node)
        return known

    def _truth(self, node: Expression) -> Diagram:
        match node:
            case Truth(value):
                return self.true if value else self.false
            case Member(variable, _):
                return self._any(self.cube(variable, code) for code in node.codes)
            case Label(_, variable, mask):
                return self.table(variable, mask)
            case Defined(_, body):
                return self.truth(body)
            case Not(of):
                return ~self.truth(of)
            case And(args):
                result = self.true
                for arg in args:
                    result &= self.truth(arg)
                return result
            case Or(args):
                return self._any(self.truth(arg) for arg in args)
            case Implies(left, right):
                return self.truth(left).imp(self.truth(right))
            case Iff(left, right):
                return self.truth(left).equiv(self.truth(right))
            case Compare(op, left, right):
                return self._compare(op, left, right)
        raise TypeError(f"not a static predicate: {node}")

    def _compare(self, op: str, left: Expression, right: Expression) -> Diagram:
        """A comparison of terms, in as many steps as the two have values."""
        if op == "!=":
            return ~self._compare("=", left, right)
        if op in (">", ">="):
            return self._compare({">": "<", ">=": "<="}[op], right, left)
        items, limit = _body(right), _body(left)
        if isinstance(items, Count) and isinstance(limit, Number) and op != "=":
            return self._at_least(
                items.items, math.floor(limit.value) + 1 if op == "<" else math.ceil(limit.value)
            )
        items, limit = limit, items
        if isinstance(items, Count) and isinstance(limit, Number) and op != "=":
            return ~self._at_least(
                items.items, math.ceil(limit.value) if op == "<" else math.floor(limit.value) + 1
            )
        ones, others = self.term(left), self.term(right)
        if op == "=":
            return self._any(states & others[x] for x, states in ones.items() if x in others)
        result, above, ys = self.false, self.false, sorted(others)
        for x in sorted(ones, reverse=True):
            while ys and COMPARE[op](x, ys[-1]):
                above |= others[ys.pop()]
            result |= ones[x] & above
        return result

    def _at_least(self, items: tuple[Member, ...], k: int) -> Diagram:
        """Where at least k of the items hold; counted from whichever side is nearer."""
        if k <= 0:
            return self.true
        if k > len(items):
            return self.false
        tests = [self.truth(item) for item in self._bottom_first(items)]
        from_above = len(items) - k + 1 < k
        if from_above:
            tests, k = [~test for test in tests], len(items) - k + 1
        need = [self.true] + [self.false] * k
        for test in tests:
            need = [self.true] + [test.ite(need[j - 1], need[j]) for j in range(1, k + 1)]
        return ~need[k] if from_above else need[k]

    def _bottom_first(self, items: tuple[Member, ...]) -> list[Member]:
        """By level, deepest first: counting them in this order only adds nodes on top."""
        return sorted(items, key=lambda item: self.bits[item.variable.name].start, reverse=True)

    def _any(self, sets: Iterable[Diagram]) -> Diagram:
        result = self.false
        for states in sets:
            result |= states
        return result

    def term(self, node: Expression) -> dict[Fraction, Diagram]:
        """The states by value of a term: disjoint nonempty sets that cover all valid states.

        Raises:
            ZeroDivisionError: when some state divides by zero.
        """
        known = self._terms.get(node)
        if known is None:
            known = self._terms[node] = self._term(node)
        return known

    def _term(self, node: Expression) -> dict[Fraction, Diagram]:
        match node:
            case Number(value):
                return {value: self.true}
            case Defined(_, body):
                return self.term(body)
            case Read(variable):
                assert isinstance(variable.values, range)
                return {Fraction(x): self.cube(variable, code) for code, x in enumerate(variable.values)}
            case Count(items):
                return self._count(items)
            case Lookup(_, variable, values):
                return {x: self.table(variable, (y == x for y in values)) for x in dict.fromkeys(values)}
            case Arithmetic(op, left, right):
                result: dict[Fraction, Diagram] = {}
                if len(self.term(left)) * len(self.term(right)) > MAX_PAIRS:
                    raise LimitError(f"the term {node} combines more than {MAX_PAIRS:,} pairs of values")
                for x, one in self.term(left).items():
                    for y, other in self.term(right).items():
                        both = one & other
                        if (both & self.valid).satisfiable():
                            value = Fraction(ARITHMETIC[op](x, y))
                            result[value] = result[value] | both if value in result else both
                    if len(result) > MAX_TERM_VALUES:
                        raise LimitError(f"the term {node} takes more than {MAX_TERM_VALUES:,} values")
                return result
        raise TypeError(f"not a term: {node}")

    def _count(self, items: tuple[Member, ...]) -> dict[Fraction, Diagram]:
        exactly = [self.true]
        for item in self._bottom_first(items):
            test = self.truth(item)
            padded = [self.false, *exactly, self.false]
            exactly = [test.ite(padded[k], padded[k + 1]) for k in range(len(exactly) + 1)]
        return {Fraction(k): states for k, states in enumerate(exactly) if states.satisfiable()}

    # -- assignments ----------------------------------------------------------------------------

    def assignment(self, assign: Assignments) -> BCDDSubstitution:
        """The simultaneous assignment as a substitution of bits by next-state functions.

        Equal assignments give one object, so that oxidd's cache serves all of their uses.
        """
        if assign not in self._assignments:
            pairs: list[tuple[int, Diagram]] = []
            for variable, value in assign:
                parts = self.by_code(variable, value)
                for place, bit in enumerate(reversed(self.bits[variable.name])):
                    ones = self._any(s for code, s in parts.items() if code >= 0 and code >> place & 1)
                    pairs.append((bit, ones))
            self._assignments[assign] = Diagram.make_substitution(pairs)
        return self._assignments[assign]

    def by_code(self, variable: Variable, value: Expression) -> dict[int, Diagram]:
        """The states by the code that ``variable`` gets; -1 gathers values outside its domain."""
        match value:
            case Symbol(symbol):
                return {variable.code(symbol): self.true}
            case Read(other) if not other.numeric:
                values: tuple[Value, ...] = tuple(other.values)
                return {variable.code(v): self.cube(other, code) for code, v in enumerate(values)}
        parts: dict[int, Diagram] = {}
        for x, states in self.term(value).items():
            code = variable.code(int(x)) if x.denominator == 1 and int(x) in variable.values else -1
            parts[code] = parts[code] | states if code in parts else states
        return parts


def _body(node: Expression) -> Expression:
    """The expression behind a defined name."""
    return _body(node.body) if isinstance(node, Defined) else node
