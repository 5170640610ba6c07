"""Expressions compiled to functions of one state; :mod:`holdfast.logic.arrays` takes arrays of states.

A state gives each variable its code, the index of its value (see :mod:`holdfast.logic.expressions`). It is a
tuple of codes, or anything else that can be indexed: ``places`` says where each variable stands in it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Expression, Variable

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Reader = Callable[[Any], Any]
"""A function of a state: a truth value or an exact number."""

Places = Mapping[str, Any]
"""Where in a state the code of each variable stands."""


def reader(
    node: Expression, places: Places, leaf: Callable[[Expression], Reader | None] | None = None
) -> Reader:
    """A static expression as a function of the state.

    The function raises ZeroDivisionError where a term divides by zero. ``leaf`` gives the function of a part
    that is read in another way, None for every other part.

    >>> x = Variable("x", range(2, 9))
    >>> half = reader(ex.Arithmetic("/", ex.Read(x), ex.Number(Fraction(2))), {"x": 0})
    >>> half((0,)), half((1,))
    (Fraction(1, 1), Fraction(3, 2))
    """
    if leaf is not None and (known := leaf(node)) is not None:
        return known

    def inner(part: Expression) -> Reader:
        return reader(part, places, leaf)

    match node:
        case ex.Truth(value):
            return lambda s: value
        case ex.Number(value):
            exact = int(value) if value.denominator == 1 else value
            return lambda s: exact
        case ex.Member(variable, _):
            at, codes = places[variable.name], frozenset(node.codes)
            return lambda s: s[at] in codes
        case ex.Read(variable):
            return _looked_up(variable.values, places[variable.name])
        case ex.Lookup(_, variable, values):
            return _looked_up(values, places[variable.name])
        case ex.Label(_, variable, mask):
            return _looked_up(tuple(map(bool, mask)), places[variable.name])
        case ex.Count(items):
            members = [item for item in items if isinstance(item, ex.Member)]
            if len(members) < len(items):
                counted = [inner(item) for item in items]
                return lambda s: sum([bool(holds(s)) for holds in counted])
            tests = [(places[item.variable.name], frozenset(item.codes)) for item in members]
            return lambda s: sum([s[at] in codes for at, codes in tests])
        case ex.Defined(_, body):
            return inner(body)
        case ex.Not(of):
            negated = inner(of)
            return lambda s: not negated(s)
        case ex.And(args) | ex.Or(args):
            parts, join = [inner(arg) for arg in args], all if isinstance(node, ex.And) else any
            return lambda s: join(part(s) for part in parts)
        case ex.Implies(left, right):
            one, other = inner(left), inner(right)
            return lambda s: not one(s) or other(s)
        case ex.Iff(left, right) | ex.Compare(_, left, right) | ex.Arithmetic(_, left, right):
            op = "=" if isinstance(node, ex.Iff) else node.op
            return _infix(op, inner(left), inner(right))
    raise TypeError(f"not a static expression: {node}")


def _infix(op: str, one: Reader, other: Reader) -> Reader:
    if op == "/":
        return lambda s: Fraction(one(s)) / other(s)
    combine = ARITHMETIC[op] if op in ARITHMETIC else COMPARE[op]
    return lambda s: combine(one(s), other(s))


def _looked_up(table: Any, at: Any) -> Reader:
    return lambda s: table[s[at]]


def code_reader(variable: Variable, value: Expression, places: Places) -> Reader:
    """The code that a variable gets by an assignment (ModelError for a value outside its domain)."""
    if isinstance(value, ex.Symbol):
        fixed = variable.code(value.value)
        return lambda s: fixed
    read = reader(value, places)
    if not variable.numeric:
        return lambda s: variable.code(read(s))

    def code(s: Any) -> int:
        exact = read(s)
        return variable.code(int(exact) if exact.denominator == 1 else exact)

    return code


def connected(node: Expression, truth: Callable[[Expression], Any]) -> Any:
    """A connective over anything that has ``~ & | ^``, such as arrays; ``truth`` gives its parts."""
    match node:
        case ex.Defined(_, body):
            return truth(body)
        case ex.Not(of):
            return ~truth(of)
        case ex.And(args):
            return reduce(operator.and_, map(truth, args))
        case ex.Or(args):
            return reduce(operator.or_, map(truth, args))
        case ex.Implies(left, right):
            return ~truth(left) | truth(right)
        case ex.Iff(left, right):
            return ~(truth(left) ^ truth(right))
    raise TypeError(f"not a static predicate: {node}")
