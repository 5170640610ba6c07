"""Expressions as sets of valuations, over arrays and over decision diagrams alike.

The checker computes with sets of valuations (:class:`StateSet`). An :class:`Algebra` has the elementary ones,
from which :func:`truth` builds all others; a :class:`Space` (:mod:`.array_space`, :mod:`.diagram_space`) is
an algebra that knows the moves too, and :class:`WitnessNumbers` is a section of a witness over it. A term is
a partition of the valuations by its exact value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from math import lcm
from typing import Protocol, Self, TypeVar

from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError
from holdfast.game.actions import Action, State
from holdfast.logic import expressions as ex

MAX_PAIRS, MAX_SPREAD = 1_000_000, 1 << 28
OFTEN = 256
"""After how many steps of a loop the time is looked at."""

COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class StateSet(Protocol):
    """A set of valuations: a Boolean array, or a decision diagram."""

    def __and__(self, other: Self, /) -> Self:
        """What is in both."""

    def __or__(self, other: Self, /) -> Self:
        """What is in either."""

    def __xor__(self, other: Self, /) -> Self:
        """What is in exactly one."""

    def __invert__(self) -> Self:
        """What is not in it."""


States = TypeVar("States", bound=StateSet)
Goal = TypeVar("Goal")
Transition = TypeVar("Transition")
Made = TypeVar("Made", covariant=True)
Taken = TypeVar("Taken", contravariant=True)
"""A transition as a space makes it, and as a section of a witness takes it."""


class Algebra(Protocol[States]):
    """The sets of valuations of one game.

    Attributes:
        true, false: all valuations, and none.
        terms: the terms evaluated so far (:func:`term`).
        budget: its deadline ends long loops.
    """

    true: States
    false: States
    terms: dict[ex.Expression, dict[Fraction, States]]
    budget: Budget

    def table(self, variable: ex.Variable, codes: Iterable[int]) -> States:
        """Where the variable has one of the codes."""

    def exists(self, states: States) -> bool:
        """Whether the set is not empty."""

    def occurs(self, states: States) -> bool:
        """Whether the set has a valuation that means something: one whose counters add up."""

    def wide(self, variable: ex.Variable) -> bool:
        """Whether a variable has so many values that they are not taken one by one."""

    def compared(
        self, parts: list[tuple[ex.Variable | States, int]], constant: int, op: str
    ) -> States | None:
        """Where a sum of numbers and of sets (1 inside, 0 outside), each times a weight, compares with 0."""


class Space(Algebra[States], Protocol[States, Made]):
    """The sets of valuations of one game, and what its actions do to them.

    *Made* is whatever a space makes of what a move does.
    """

    def contains(self, states: States, state: State) -> bool:
        """Whether the state is in the set."""

    def first(self, states: States) -> State:
        """Some state of a set that is not empty."""

    def step(self, turn: ex.Player, number: int) -> Made:
        """What an action does to each valuation."""


class WitnessNumbers(Protocol[States, Goal, Taken]):
    """One section of a witness: it gives each position that it lists a number, a rank or in a set 1.

    *Goal* is whatever it makes of where a move should lead.
    """

    def lasting(self) -> Self:
        """The section read so that a move may also lead to a position of the same number."""

    def members(self, plane: int) -> States:
        """The valuations of a plane that are listed."""

    def rank(self, plane: int, state: State) -> int:
        """The number of a member."""

    def named(self, plane: int, action: int, name: str) -> States:
        """Where the witness names this move of the adversary."""

    def goal(self, targets: list[tuple[int, States]], free: States) -> Goal:
        """What the successor valuations mean: those of each plane, and those that ask for no plane."""

    def escapes(self, plane: int, goal: Goal, step: Taken) -> States:
        """The members that the move does not take to a lower number (in a set: to a member)."""


def truth(space: Algebra[States], node: ex.Expression, move: ex.Move | None = None) -> States:
    """The valuations s' for which a local predicate holds on the letter (move, s')."""
    match node:
        case ex.Truth(value):
            return space.true if value else space.false
        case ex.Did(_, moves):
            return space.true if move in moves else space.false
        case ex.Member(variable, values):
            return space.table(variable, (code for code, v in enumerate(variable.values) if v in values))
        case ex.Defined(_, body):
            return truth(space, body, move)
        case ex.Not(of):
            return ~truth(space, of, move)
        case ex.And(args) | ex.Or(args):
            sets = (truth(space, arg, move) for arg in args)
            return reduce(operator.and_ if isinstance(node, ex.And) else operator.or_, sets)
        case ex.Implies(left, right):
            return ~truth(space, left, move) | truth(space, right, move)
        case ex.Iff(left, right):
            return ~(truth(space, left, move) ^ truth(space, right, move))
        case ex.Compare(op, left, right):
            if (states := _compared_widely(space, op, left, right)) is not None:
                return states
            compared, pairs = COMPARISONS[op], _pairs(space, op, left, right)
            return union(space, (both for x, y, both in pairs if compared(x, y)))
    raise InputError(f"a scenario has no predicate such as {node}")


def _compared_widely(
    space: Algebra[States], op: str, left: ex.Expression, right: ex.Expression
) -> States | None:
    """Where a comparison with large numbers holds; None where there are none, or it is not a plain sum."""
    weights: dict[ex.Expression, Fraction] = {}
    stack = [(left, Fraction(1)), (right, Fraction(-1))]
    while stack:
        node, weight = stack.pop()
        match node:
            case ex.Defined(_, body):
                stack.append((body, weight))
            case ex.Arithmetic("+" | "-" as sign, one, other):
                stack += [(one, weight), (other, weight if sign == "+" else -weight)]
            case ex.Arithmetic("*", ex.Number(factor), other) | ex.Arithmetic("*", other, ex.Number(factor)):
                stack.append((other, weight * factor))
            case ex.Count(items):
                stack += [(item, weight) for item in items]
            case ex.Number(value):
                weights[ex.TRUE] = weights.get(ex.TRUE, Fraction(0)) + weight * value
            case ex.Read() | ex.Member() | ex.Not():
                weights[node] = weights.get(node, Fraction(0)) + weight
            case _:
                return None
    read = [node.variable for node in weights if isinstance(node, ex.Read)]
    if not any(map(space.wide, read)):
        return None
    scale = lcm(*(weight.denominator for weight in weights.values()))
    constant = weights.pop(ex.TRUE, Fraction(0))
    parts: list[tuple[ex.Variable | States, int]] = []
    for node, weight in weights.items():
        if isinstance(node, ex.Read):
            constant += weight * int(node.variable.values[0])
            parts.append((node.variable, int(weight * scale)))
        else:
            parts.append((truth(space, node), int(weight * scale)))
    return space.compared(parts, int(constant * scale), op)


def term(space: Algebra[States], node: ex.Expression) -> dict[Fraction, States]:
    """The valuations by the value of a term: disjoint sets, all valuations between them."""
    if node not in space.terms:
        space.terms[node] = _term(space, node)
    return space.terms[node]


def _term(space: Algebra[States], node: ex.Expression) -> dict[Fraction, States]:
    match node:
        case ex.Number(value):
            return {value: space.true}
        case ex.Defined(_, body):
            return term(space, body)
        case ex.Read(variable):
            values: Sequence[ex.Value] = variable.values
            return {Fraction(v): space.table(variable, [code]) for code, v in enumerate(values)}
        case ex.Count(items):
            exactly = [space.true]
            for holds in (truth(space, item) for item in items):
                padded = [space.false, *exactly, space.false]
                exactly = [(holds & a) | (~holds & b) for a, b in pairwise(padded)]
            return {Fraction(k): states for k, states in enumerate(exactly)}
        case ex.Arithmetic(op, left, right):
            states_by_value: dict[Fraction, States] = {}
            for x, y, both in _pairs(space, op, left, right):
                value = ARITHMETIC[op](x, y)
                states_by_value[value] = states_by_value[value] | both if value in states_by_value else both
            return states_by_value
    raise InputError(f"a scenario has no term such as {node}")


def _pairs(
    space: Algebra[States], op: str, left: ex.Expression, right: ex.Expression
) -> Iterator[tuple[Fraction, Fraction, States]]:
    """The pairs of values that two terms have together, and where; ``op`` is what is to be done with them."""
    ones, others = term(space, left), term(space, right)
    if len(ones) * len(others) > MAX_PAIRS:
        raise LimitError(f"{left} and {right} have more than {MAX_PAIRS:,} pairs of values")
    n_cells = 0
    for n, ((x, one), (y, other)) in enumerate(product(ones.items(), others.items()), 1):
        if n % OFTEN == 0:
            space.budget.tick(f"evaluating {left} {op} {right}")
        n_cells += getattr(both := one & other, "size", 0)
        if n_cells > MAX_SPREAD:
            raise LimitError(
                f"{left} and {right} have too many values for arrays; certify with --engine symbolic"
            )
        if space.exists(both):
            if op == "/" and y == 0:
                raise InputError(f"{left} / {right} divides by zero")
            yield x, y, both


def union(space: Algebra[States], sets: Iterable[States]) -> States:
    """All of them joined; the empty set if there are none."""
    return reduce(operator.or_, sets, space.false)


def rules(
    space: Algebra[States], action: Action
) -> Iterator[tuple[States, list[tuple[ex.Variable, dict[int, States] | int]]]]:
    """For each rule, where it is the first that applies, and the valuations by the codes it assigns.

    A large number that is changed by a constant has this constant in place of them.

    Raises:
        InputError: where a rule that applies leaves a domain.
    """
    rest = space.true
    for rule in action.rules:
        holds = truth(space, rule.when)
        applies, rest = rest & holds, rest & ~holds
        assigned: list[tuple[ex.Variable, dict[int, States] | int]] = []
        for variable, value in rule.assign:
            change = change_of(variable, value) if space.wide(variable) else None
            if change is None:
                parts = _by_code(space, variable, value)
                within, new = union(space, parts.values()), (variable, parts)
                assigned.append(new)
            else:
                within = _within(space, variable, change)
                assigned.append((variable, change))
            if space.occurs(applies & ~within):
                raise InputError(f"the action {action.name} leaves a domain")
        yield applies, assigned


def change_of(variable: ex.Variable, value: ex.Expression) -> int | None:
    """By how much an assignment changes a number, if it changes it by a constant that is not 0."""
    match value:
        case ex.Arithmetic("+" | "-" as sign, ex.Read(other), ex.Number(number)) if other == variable:
            change = number if sign == "+" else -number
            return int(change) if change and change.denominator == 1 else None
    return None


def _within(space: Algebra[States], variable: ex.Variable, change: int) -> States:
    """Where a number, changed by so much, stays in its domain."""
    first, last = (ex.Number(Fraction(int(variable.values[end]) - change)) for end in (0, -1))
    low, high = (ex.Compare(op, ex.Read(variable), end) for op, end in ((">=", first), ("<=", last)))
    return truth(space, low) & truth(space, high)


def _by_code(space: Algebra[States], variable: ex.Variable, value: ex.Expression) -> dict[int, States]:
    parts: dict[ex.Value, States]
    match value:
        case ex.Symbol(symbol):
            parts = {symbol: space.true}
        case ex.Read(other) if not other.numeric:
            symbols: Sequence[ex.Value] = other.values
            parts = {v: space.table(other, [code]) for code, v in enumerate(symbols)}
        case _:
            parts = {int(x): states for x, states in term(space, value).items() if x.denominator == 1}
    values: Sequence[ex.Value] = variable.values
    return {values.index(v): states for v, states in parts.items() if v in values}
