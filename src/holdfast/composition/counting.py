"""Counts that several zones share: how many there may be of what, and how much can be counted of it.

What is counted are predicates, each once, and counters of alike things, which tell how many of these have a
value. Every comparison of counts and numbers is brought to the form "so many at most": at least k of n is at
most n − k of those that are not, and the counters of some things add up to how many there are of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from holdfast.logic import (
    Arithmetic,
    Compare,
    Count,
    Defined,
    Expression,
    Not,
    Number,
    Read,
    Tally,
    added,
    counted_range,
    expressions as ex,
    is_static,
)

MOST_WEIGHT = 50
"""How often something may be counted that is counted more than once."""


def opened(node: Expression) -> Expression:
    """What a definition says; any other expression itself."""
    return opened(node.body) if isinstance(node, Defined) else node


def at_most(
    predicate: Expression, tallies: Sequence[Tally] = ()
) -> tuple[tuple[Expression, ...], int] | None:
    """A comparison of a count with a number as: what is counted, and how many of it there may be.

    At least k of n is at most n − k of those that are not. Of alike things counters are counted.

    >>> from fractions import Fraction
    >>> from holdfast.logic import Member, Variable
    >>> x = tuple(Member(Variable(name, range(3)), (0,)) for name in "ab")
    >>> counted = at_most(Compare(">=", Count(x), Number(Fraction(1))))
    >>> [str(item) for item in counted[0]], counted[1]
    (['a not in {0}', 'b not in {0}'], 1)
    """
    predicate = opened(predicate)
    if isinstance(predicate, Not):
        inside = opened(predicate.of)
        turned = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
        if not isinstance(inside, Compare) or inside.op not in turned:
            return None
        predicate = Compare(turned[inside.op], inside.left, inside.right)
    if not isinstance(predicate, Compare):
        return None
    left, right, op = opened(predicate.left), opened(predicate.right), predicate.op
    if isinstance(left, Number):
        left, right, op = right, left, ex.MIRRORED.get(op, op)
    if not isinstance(left, Count) or not isinstance(right, Number):
        return _sum_at_most(Compare(op, left, right), tallies) if tallies else None
    floor = right.value.numerator // right.value.denominator
    whole = floor == right.value
    if op in ("<", "<="):
        return left.items, floor - (whole and op == "<")
    if op in (">", ">="):
        least = floor + (not whole or op == ">")
        return tuple(ex.negation(item) for item in left.items), len(left.items) - least
    return None


def _sum_at_most(node: Compare, tallies: Sequence[Tally]) -> tuple[tuple[Expression, ...], int] | None:
    """A comparison of sums in which alike things are counted, of each of which it takes the least away."""
    if node.op not in ex.MIRRORED or not is_static(node):
        return None
    less = node.op in ("<", "<=")
    sides = (node.left, node.right) if less else (node.right, node.left)
    weights = ex.addends(Arithmetic("-", *sides))
    limit = -weights.pop(Number(Fraction(1)), Fraction(0))
    counted: list[tuple[Expression, Fraction]] = []
    for part, weight in weights.items():
        if isinstance(part, Count):
            limit -= min(weight, Fraction(0)) * len(part.items)
            items = part.items if weight > 0 else tuple(map(ex.negation, part.items))
            counted += [(item, abs(weight)) for item in items]
    for tally in tallies:
        own = [weights.get(Read(counter), Fraction(0)) for counter in tally.counters]
        least = min(own)
        limit -= least * tally.size
        counted += [(Read(c), weight - least) for c, weight in zip(tally.counters, own, strict=True)]
    counters = {Read(counter) for tally in tallies for counter in tally.counters}
    known = all(isinstance(part, Count) or part in counters for part in weights)
    if not known or any(weight.denominator > 1 or weight > MOST_WEIGHT for _, weight in counted):
        return None
    floor = limit.numerator // limit.denominator
    strict = node.op in ("<", ">") and floor == limit
    return tuple(item for item, weight in counted for _ in range(int(weight))), floor - strict


def total(items: Iterable[Expression]) -> Expression:
    """How much is counted of some items, as a term."""
    each = tuple(items)
    counters = [item for item in each if isinstance(item, Read)]
    predicates = tuple(item for item in each if not isinstance(item, Read))
    return added([*([Count(predicates)] if predicates or not counters else []), *counters])


def highest(items: Iterable[Expression], tallies: Sequence[Tally]) -> int:
    """How much can be counted of some items."""
    return int(counted_range(total(items), tallies)[1])
