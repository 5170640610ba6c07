"""Future obligations by progression.

:meth:`Progression.progress` turns "f holds here" into "the residue holds at the next letter". A residue is a
positive combination of subformulas; it is kept as its minimal disjunctive form, a set of sets, which is
canonical for monotone functions, so that progression meets finitely many residues. Subformulas are
numbered once, because sets of numbers are compared and hashed far faster than sets of trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from holdfast.errors import AutomatonError
from holdfast.logic.expressions import And, Expression, Or, Temporal, Truth
from holdfast.logic.temporal import looks_ahead

Residue = frozenset[frozenset[int]]
SATISFIED: Residue = frozenset((frozenset(),))
VIOLATED: Residue = frozenset()
MAX_WORK = 300_000

Decided = Callable[[Expression], bool]


class Progression:
    """The numbered obligations of one formula.

    Every comparison of obligations counts as work; past :data:`MAX_WORK` the formula is refused, so that no
    formula keeps the compiler busy for more than a moment.
    """

    def __init__(self) -> None:
        """Start without obligations."""
        self.formulas: list[Expression] = []
        self.numbers: dict[Expression, int] = {}
        self.entailed: dict[tuple[int, int], bool] = {}
        self.work = 0

    def residue(self, node: Expression) -> Residue:
        """The obligation "node holds at the next letter"."""
        match node:
            case And(args) if looks_ahead(node):
                return self.conjoin(self.residue(arg) for arg in args)
            case Or(args) if looks_ahead(node):
                return self.disjoin(self.residue(arg) for arg in args)
            case Truth(value):
                return SATISFIED if value else VIOLATED
        if node not in self.numbers:
            self.numbers[node] = len(self.formulas)
            self.formulas.append(node)
        return frozenset((frozenset((self.numbers[node],)),))

    def advance(self, goals: Residue, decided: Decided) -> Residue:
        """The residue after one more letter."""
        after = {i: self.progress(self.formulas[i], decided) for term in goals for i in term}
        return self.disjoin(self.conjoin(after[i] for i in sorted(term)) for term in goals)

    def progress(self, node: Expression, decided: Decided) -> Residue:
        """What must hold from the next letter on, for ``node`` to hold at this one.

        Args:
            node: a formula in normal form.
            decided: the truth, at this letter, of the parts without future operators.
        """
        match node:
            case Temporal("X", (of,)):
                return self.residue(of)
            case Temporal("G", (of,)):
                return self.conjoin((self.progress(of, decided), self.again(node, SATISFIED)))
            case Temporal("F", (of,)):
                return self.disjoin((self.progress(of, decided), self.again(node, VIOLATED)))
            case Temporal("R", (release, held)):
                rest = self.disjoin((self.progress(release, decided), self.again(node, SATISFIED)))
                return self.conjoin((self.progress(held, decided), rest))
            case Temporal("U", (held, goal)):
                rest = self.conjoin((self.progress(held, decided), self.again(node, VIOLATED)))
                return self.disjoin((self.progress(goal, decided), rest))
            case And(args) if looks_ahead(node):
                return self.conjoin(self.progress(arg, decided) for arg in args)
            case Or(args) if looks_ahead(node):
                return self.disjoin(self.progress(arg, decided) for arg in args)
        return SATISFIED if decided(node) else VIOLATED

    def again(self, node: Temporal, over: Residue) -> Residue:
        """The same operator at the next letter, its bound one smaller; ``over`` once it has run out."""
        if node.bound is None:
            return self.residue(node)
        return (
            over if node.bound == 0 else self.residue(Temporal(node.op, node.args, node.bound - 1, node.at))
        )

    def conjoin(self, parts: Iterable[Residue]) -> Residue:
        """All of the obligations."""
        result = SATISFIED
        for part in parts:
            self.spend(len(result) * len(part))
            result = self.minimal({self.tightest(one | other) for one in result for other in part})
        return result

    def disjoin(self, parts: Iterable[Residue]) -> Residue:
        """At least one of the obligations."""
        return self.minimal({term for part in parts for term in part})

    def minimal(self, terms: set[frozenset[int]]) -> Residue:
        """Drop every conjunction that another, weaker one makes redundant."""
        kept: list[frozenset[int]] = []
        for term in sorted(terms, key=len):
            self.spend(len(kept) + 1)
            if not any(self.stronger(term, other) for other in kept):
                kept = [other for other in kept if not self.stronger(other, term)] + [term]
        return frozenset(kept)

    def stronger(self, one: frozenset[int], other: frozenset[int]) -> bool:
        """Whether every member of ``other`` is entailed by a member of ``one``."""
        return other <= one or all(g in one or any(self.entails(f, g) for f in one) for g in other)

    def tightest(self, term: frozenset[int]) -> frozenset[int]:
        """A conjunction without the members that another member entails."""
        return frozenset(g for g in term if not any(f != g and self.entails(f, g) for f in term))

    def entails(self, i: int, j: int) -> bool:
        """Whether i is j, or the same operator with a bound that makes it stronger."""
        if i == j:
            return True
        if (i, j) not in self.entailed:
            self.entailed[i, j] = _tighter(self.formulas[i], self.formulas[j])
        return self.entailed[i, j]

    def spend(self, work: int) -> None:
        """Count work, and refuse the formula when there has been too much of it."""
        self.work += work
        if self.work > MAX_WORK:
            raise AutomatonError("the formula's obligations branch too widely; split it into several clauses")


def _tighter(f: Expression, g: Expression) -> bool:
    if not (isinstance(f, Temporal) and isinstance(g, Temporal) and f.op == g.op and f.args == g.args):
        return False
    if f.op in "GR":
        return f.bound is None or (g.bound is not None and f.bound > g.bound)
    return f.bound is not None and g.bound is not None and f.bound < g.bound
