"""Expressions evaluated exactly at one state; :mod:`holdfast.logic.arrays` does it over arrays of states.

A state gives each variable its code, the index of its value (see :mod:`holdfast.logic.expressions`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from holdfast.logic.expressions import (
    And,
    Arithmetic,
    Compare,
    Count,
    Defined,
    Did,
    Expression,
    Iff,
    Implies,
    Label,
    Lookup,
    Member,
    Move,
    Not,
    Number,
    Or,
    Read,
    Truth,
)

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


def holds(node: Expression, codes: Mapping[str, int], move: Move | None = None) -> bool:
    """Truth of a local predicate on the letter (move, state).

    Args:
        node: a predicate without temporal operators.
        codes: the code of each variable, by name.
        move: the move just made, or None on the initial letter.
    """
    match node:
        case Truth(value):
            return value
        case Member(variable, _):
            return codes[variable.name] in node.codes
        case Did(_, moves):
            return move in moves
        case Label(_, variable, mask):
            return bool(mask[codes[variable.name]])
        case Defined(_, body):
            return holds(body, codes, move)
        case Not(of):
            return not holds(of, codes, move)
        case And(args):
            return all(holds(arg, codes, move) for arg in args)
        case Or(args):
            return any(holds(arg, codes, move) for arg in args)
        case Implies(left, right):
            return not holds(left, codes, move) or holds(right, codes, move)
        case Iff(left, right):
            return holds(left, codes, move) == holds(right, codes, move)
        case Compare(op, left, right):
            return bool(COMPARE[op](number(left, codes), number(right, codes)))
    raise TypeError(f"not a local predicate: {node}")


def number(node: Expression, codes: Mapping[str, int]) -> Fraction:
    """Exact value of a term at one state.

    Raises:
        ZeroDivisionError: when the term divides by zero there.
    """
    match node:
        case Number(value):
            return value
        case Read(variable):
            return Fraction(variable.values[codes[variable.name]])
        case Defined(_, body):
            return number(body, codes)
        case Count(items):
            return Fraction(sum(holds(item, codes) for item in items))
        case Lookup(_, variable, values):
            return values[codes[variable.name]]
        case Arithmetic(op, left, right):
            return Fraction(ARITHMETIC[op](number(left, codes), number(right, codes)))
    raise TypeError(f"not a term: {node}")
