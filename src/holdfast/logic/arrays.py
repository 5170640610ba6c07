"""Expressions evaluated over arrays of states.

There is one code array per variable, of any shapes that broadcast, so that an expression costs only the grid
of the variables it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from holdfast.arrays import Array
from holdfast.logic import expressions as ex
from holdfast.logic.evaluate import ARITHMETIC, COMPARE, connected
from holdfast.logic.expressions import Expression


def holds_array(node: Expression, codes: Mapping[str, Array]) -> Array:
    """Truth of a static predicate over code arrays; broadcasts, shape of the variables read."""
    match node:
        case ex.Truth(value):
            return np.asarray(value)
        case ex.Member(variable, _):
            chosen = np.zeros(len(variable.values), dtype=bool)
            chosen[list(node.codes)] = True
            return chosen[codes[variable.name]]
        case ex.Label(_, variable, mask):
            return np.frombuffer(mask, dtype=bool)[codes[variable.name]]
        case ex.Compare(op, left, right):
            result = COMPARE[op](number_array(left, codes), number_array(right, codes))
            return np.asarray(result, dtype=bool)
    return np.asarray(connected(node, lambda part: holds_array(part, codes)))


def number_array(node: Expression, codes: Mapping[str, Array]) -> Array:
    """Value of a term over code arrays: int64 where it stays whole, exact fractions otherwise."""
    match node:
        case ex.Number(value):
            return np.asarray(int(value) if value.denominator == 1 and abs(value) < 2**62 else value)
        case ex.Read(variable):
            assert isinstance(variable.values, range)
            if not _fits(node):
                return np.array([*variable.values], dtype=object)[codes[variable.name]]
            return codes[variable.name].astype(np.int64) + variable.values.start
        case ex.Defined(_, body):
            return number_array(body, codes)
        case ex.Count(items):
            total: Array = np.asarray(0, dtype=np.int64)
            for item in items:
                total = total + holds_array(item, codes)
            return total
        case ex.Lookup(_, variable, values):
            return np.array(values, dtype=object)[codes[variable.name]]
        case ex.Arithmetic(op, left, right):
            one, other = number_array(left, codes), number_array(right, codes)
            if op == "/" or one.dtype == object or other.dtype == object or not _fits(node):
                one, other = _fractions(one), _fractions(other)
            return np.asarray(ARITHMETIC[op](one, other))
    raise TypeError(f"not a term: {node}")


def _fits(node: Expression) -> bool:
    """Whether the values of a whole term stay inside a machine word."""
    low, high = ex.term_range(node)
    return low > -(2**62) and high < 2**62


def _fractions(values: Array) -> Array:
    return np.asarray(np.frompyfunc(Fraction, 1, 1)(values.astype(object)), dtype=object)
