"""Expressions as sets of valuations, over arrays and over decision diagrams alike.

A *space* (:mod:`.array_space`, :mod:`.diagram_space`) gives ``true``, ``false``, ``table(variable, codes)``,
``exists`` and its ``budget``; its sets know ``& | ^ ~``. A term is a partition of the valuations by its exact
value.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from typing import Any

from holdfast.errors import InputError, LimitError
from holdfast.game import Action
from holdfast.logic import expressions as ex

MAX_PAIRS, MAX_SPREAD = 1_000_000, 1 << 28
OFTEN = 256
"""After how many steps of a loop the time is looked at."""

NAMES = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
NAMES |= {"+": "add", "-": "sub", "*": "mul", "/": "truediv"}


def truth(space: Any, node: ex.Expression, move: ex.Move | None = None) -> Any:
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
            both = operator.and_ if isinstance(node, ex.And) else operator.or_
            return reduce(both, (truth(space, arg, move) for arg in args))
        case ex.Implies(left, right):
            return ~truth(space, left, move) | truth(space, right, move)
        case ex.Iff(left, right):
            return ~(truth(space, left, move) ^ truth(space, right, move))
        case ex.Compare(op, left, right):
            return union(space, (both for holds, both in _pairs(space, op, left, right) if holds))
    raise InputError(f"a scenario has no predicate such as {node}")


def term(space: Any, node: ex.Expression) -> dict[Fraction, Any]:
    """The valuations by the value of a term: disjoint sets, all valuations between them."""
    if node not in space.terms:
        space.terms[node] = _term(space, node)
    found: dict[Fraction, Any] = space.terms[node]
    return found


def _term(space: Any, node: ex.Expression) -> dict[Fraction, Any]:
    match node:
        case ex.Number(value):
            return {value: space.true}
        case ex.Defined(_, body):
            return term(space, body)
        case ex.Read(variable):
            values: Sequence[Any] = variable.values
            return {Fraction(v): space.table(variable, [code]) for code, v in enumerate(values)}
        case ex.Count(items):
            exactly = [space.true]
            for holds in (truth(space, item) for item in items):
                padded = [space.false, *exactly, space.false]
                exactly = [(holds & a) | (~holds & b) for a, b in pairwise(padded)]
            return {Fraction(k): states for k, states in enumerate(exactly)}
        case ex.Arithmetic(op, left, right):
            found: dict[Fraction, Any] = {}
            for x, both in _pairs(space, op, left, right):
                found[x] = found[x] | both if x in found else both
            return found
    raise InputError(f"a scenario has no term such as {node}")


def _pairs(space: Any, op: str, left: ex.Expression, right: ex.Expression) -> Iterator[tuple[Any, Any]]:
    """The values of ``x op y`` and where each pair (x, y) occurs."""
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
            yield getattr(operator, NAMES[op])(x, y), both


def union(space: Any, sets: Iterable[Any]) -> Any:
    """All of them joined; the empty set if there are none."""
    return reduce(operator.or_, sets, space.false)


def rules(space: Any, action: Action) -> Iterator[tuple[Any, list[tuple[ex.Variable, dict[int, Any]]]]]:
    """For each rule, where it is the first that applies, and the valuations by the codes it assigns.

    Raises:
        InputError: where a rule that applies leaves a domain.
    """
    rest = space.true
    for rule in action.rules:
        holds = truth(space, rule.when)
        applies, rest = rest & holds, rest & ~holds
        assigned = [(variable, _by_code(space, variable, value)) for variable, value in rule.assign]
        if any(space.exists(applies & ~union(space, parts.values())) for _, parts in assigned):
            raise InputError(f"the action {action.name} leaves a domain")
        yield applies, assigned


def _by_code(space: Any, variable: ex.Variable, value: ex.Expression) -> dict[int, Any]:
    match value:
        case ex.Symbol(symbol):
            parts: dict[Any, Any] = {symbol: space.true}
        case ex.Read(other) if not other.numeric:
            parts = {v: space.table(other, [code]) for code, v in enumerate(other.values)}
        case _:
            parts = {int(x): states for x, states in term(space, value).items() if x.denominator == 1}
    return {variable.values.index(v): states for v, states in parts.items() if v in variable.values}
