"""Things that are alike, counted: how many of them have each value.

A *tally* stands for some variables that nothing tells apart. Where a game has such variables, all that
matters of them is how many have each value, and a tally keeps just that: one number for each value, its
*counters*, which add up to its size. The codes of the counters are the numbers themselves.

Valuations whose counters do not add up mean nothing. No move leads from one that does to one that does not,
or back, so that whatever is found of all valuations is right of those that mean something.

Of a comparison of sums of counters there are many spellings that agree wherever the counters add up: "at
least 495 of 500 in service" is "at most 5 out of service". :func:`thinned` takes the one that needs the
smallest numbers, which is what decision diagrams are small for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Expression, Variable

_ONE = ex.Number(Fraction(1))


@dataclass(frozen=True)
class Tally:
    """How many of so many alike things have each value.

    Attributes:
        name: what they are called together.
        size: how many there are.
        values: what each of them may be.
        counters: for each value, the variable that is the number of those that have it.
        groups: the named sets that all of them belong to.
    """

    name: str
    size: int
    values: tuple[str, ...]
    counters: tuple[Variable, ...]
    groups: tuple[str, ...] = ()

    def counter(self, value: str) -> Variable:
        """The number of those that have a value."""
        return self.counters[self.values.index(value)]

    def total(self, values: Collection[str]) -> Expression:
        """How many have one of some values."""
        return added([ex.Read(self.counter(value)) for value in self.values if value in values])

    def some(self, values: Collection[str]) -> Expression:
        """Whether one of them has one of some values."""
        return ex.disjunction(at_least(self.counter(value), 1) for value in self.values if value in values)

    def none(self, values: Collection[str]) -> Expression:
        """Whether none of them has one of some values."""
        return ex.conjunction(at_most(self.counter(value), 0) for value in self.values if value in values)


def at_least(counter: Variable, n: int) -> Expression:
    """Whether a counter is so large."""
    return ex.Compare(">=", ex.Read(counter), ex.Number(Fraction(n)))


def at_most(counter: Variable, n: int) -> Expression:
    """Whether a counter is so small."""
    return ex.Compare("<=", ex.Read(counter), ex.Number(Fraction(n)))


def added(terms: Iterable[Expression]) -> Expression:
    """The sum of some terms; 0 if there are none."""
    total: Expression | None = None
    for term in terms:
        total = term if total is None else ex.Arithmetic("+", total, term)
    return ex.Number(Fraction(0)) if total is None else total


def shift_of(variable: Variable, value: Expression) -> int | None:
    """By how much an assignment changes a number: 2 for ``x := x + 2``; None for any other assignment."""
    if not variable.numeric or not isinstance(value, ex.Arithmetic) or value.op not in ("+", "-"):
        return None
    parts = ex.addends(value)
    change = parts.pop(_ONE, Fraction(0))
    return int(change) if parts == {ex.Read(variable): 1} and change.denominator == 1 else None


def thinned(node: ex.Compare, tallies: Iterable[Tally]) -> ex.Compare:
    """A comparison that says the same of all counters that add up, with the smallest numbers.

    >>> counters = tuple(Variable(f"ws_{value}", range(501)) for value in "CXI")
    >>> tally = Tally("ws", 500, ("C", "X", "I"), counters)
    >>> in_service = ex.Compare(">=", tally.total("CX"), ex.Number(Fraction(495)))
    >>> str(thinned(in_service, [tally]))
    'ws_I <= 5'
    """
    if not ex.is_static(node):
        return node
    read = ex.variables_of(node)
    concerned = [tally for tally in tallies if not read.isdisjoint(tally.counters)]
    if not concerned:
        return node
    before = weights = ex.addends(ex.Arithmetic("-", node.left, node.right))
    highest = lowest = before  # with as much of each tally taken away as leaves no weight above 0, or below
    for tally in concerned:
        own = [before.get(ex.Read(c), Fraction(0)) for c in tally.counters]
        spellings = (_spelled(weights, tally, factor) for factor in dict.fromkeys((Fraction(0), *own)))
        weights = min(spellings, key=_extent)
        highest, lowest = _spelled(highest, tally, max(own)), _spelled(lowest, tally, min(own))
    weights = min((weights, highest, lowest), key=_extent)
    return node if weights == before else _compared(node.op, weights)


def counted_range(term: Expression, tallies: Iterable[Tally]) -> tuple[Fraction, Fraction]:
    """Least and greatest value of a term wherever the counters add up.

    >>> tally = Tally("ws", 9, ("C", "X", "D"), tuple(Variable(f"ws_{v}", range(10)) for v in "CXD"))
    >>> [str(end) for end in counted_range(tally.total("XD"), [tally])]
    ['0', '9']
    """
    known = [tally for tally in tallies if not ex.variables_of(term).isdisjoint(tally.counters)]
    if not known:
        return ex.term_range(term)
    weights = ex.addends(term)
    low = high = Fraction(0)
    for tally in known:
        own = [weights.pop(ex.Read(counter), Fraction(0)) for counter in tally.counters]
        low, high = low + tally.size * min(own), high + tally.size * max(own)
    for part, weight in weights.items():
        ends = sorted(end * weight for end in ex.term_range(part))
        low, high = low + ends[0], high + ends[1]
    return low, high


def spelled_short(node: Expression, tallies: Iterable[Tally]) -> Expression:
    """An expression with each comparison of counters in it spelled as :func:`thinned` does."""
    known = tuple(tallies)
    if not known or not ex.children(node):
        return node
    if isinstance(node, ex.Compare):
        return thinned(node, known)
    return ex.rebuild(node, lambda part: spelled_short(part, known))


def _spelled(
    weights: Mapping[Expression, Fraction], tally: Tally, factor: Fraction
) -> dict[Expression, Fraction]:
    """A sum with so many times what is always 0 taken away: the counters less their size."""
    spelled = dict(weights)
    for counter in tally.counters if factor else ():
        spelled[ex.Read(counter)] = spelled.get(ex.Read(counter), Fraction(0)) - factor
    if factor:
        spelled[_ONE] = spelled.get(_ONE, Fraction(0)) + factor * tally.size
    return {part: weight for part, weight in spelled.items() if weight}


def _extent(weights: Mapping[Expression, Fraction]) -> Fraction:
    """About how many totals a diagram has to tell apart before it is decided how the sum compares with 0."""
    low = high = Fraction(0)
    for part, weight in weights.items():
        ends = [end * weight for end in ((0, 1) if not ex.is_term(part) else ex.term_range(part))]
        low, high = low + min(ends), high + max(ends)
    if low > 0 or high < 0:
        return Fraction(0)
    steps = [abs(weight) for part, weight in weights.items() if part != _ONE]
    return min(-low, high) / min(steps, default=Fraction(1)) * len(steps)


def _compared(op: str, weights: Mapping[Expression, Fraction]) -> ex.Compare:
    """A sum compared with 0: the terms on the left, and on the right a constant that is not negative."""
    constant = -weights.get(_ONE, Fraction(0))
    terms = {part: weight for part, weight in weights.items() if part != _ONE}
    if constant < 0 or (not constant and all(weight < 0 for weight in terms.values())):
        terms, constant = {part: -weight for part, weight in terms.items()}, -constant
        op = ex.MIRRORED.get(op, op)
    left = added(_times(part, weight) for part, weight in terms.items() if weight > 0)
    for part, weight in terms.items():
        if weight < 0:
            left = ex.Arithmetic("-", left, _times(part, -weight))
    return ex.Compare(op, left, ex.Number(constant))


def _times(part: Expression, weight: Fraction) -> Expression:
    return part if weight == 1 else ex.Arithmetic("*", ex.Number(weight), part)
