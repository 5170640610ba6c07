"""Future obligations by progression.

:meth:`Progression.advance` turns "this holds here" into "the residue holds at the next letter". A residue is
a positive combination of the numbered parts of a normal form; it is kept as its minimal disjunctive form, a
set of sets of numbers, which is canonical for monotone functions, so that progression meets finitely many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import AutomatonError
from holdfast.logic.expressions import Truth
from holdfast.logic.temporal import NormalForm, NormalPart

Residue = frozenset[frozenset[int]]
SATISFIED: Residue = frozenset((frozenset(),))
VIOLATED: Residue = frozenset()
MAX_WORK = 300_000

Decided = Mapping[int, bool]
"""The truth, at a letter, of each part without future operators, by its number."""


class Progression:
    """The obligations of one formula.

    Every comparison of obligations counts as work; past :data:`MAX_WORK` the formula is refused, so that no
    formula keeps the compiler busy for more than a moment.
    """

    def __init__(self, form: NormalForm, budget: Budget = UNLIMITED) -> None:
        """Start without obligations."""
        self.form, self.budget = form, budget
        self.residues: dict[int, Residue] = {}
        self.entailed: dict[tuple[int, int], bool] = {}
        self.work = 0

    def residue(self, number: int) -> Residue:
        """The obligation that a part holds at the next letter."""
        if number not in self.residues:
            self.residues[number] = self._residue(number)
        return self.residues[number]

    def _residue(self, number: int) -> Residue:
        part = self.form.parts[number]
        if part.op == "&":
            return self.conjoin(map(self.residue, part.args))
        if part.op == "|":
            return self.disjoin(map(self.residue, part.args))
        if isinstance(part.decided, Truth):
            return SATISFIED if part.decided.value == (part.op == "+") else VIOLATED
        return frozenset((frozenset((number,)),))

    def advance(self, goals: Residue, decided: Decided) -> Residue:
        """The residue after one more letter.

        Args:
            goals: the residue before it.
            decided: see :data:`Decided`.
        """
        after: dict[int, Residue] = {}

        def progress(number: int) -> Residue:
            if number not in after:
                after[number] = self._progress(number, decided, progress)
            return after[number]

        return self.disjoin(self.conjoin(progress(i) for i in sorted(term)) for term in goals)

    def _progress(self, number: int, decided: Decided, inner: Callable[[int], Residue]) -> Residue:
        """What must hold from the next letter on, for a part to hold at this one."""
        part = self.form.parts[number]
        match part:
            case NormalPart("X", (of,)):
                return self.residue(of)
            case NormalPart("G", (of,)):
                return self.conjoin((inner(of), self.again(part, SATISFIED)))
            case NormalPart("F", (of,)):
                return self.disjoin((inner(of), self.again(part, VIOLATED)))
            case NormalPart("R", (release, held)):
                rest = self.disjoin((inner(release), self.again(part, SATISFIED)))
                return self.conjoin((inner(held), rest))
            case NormalPart("U", (held, goal)):
                rest = self.conjoin((inner(held), self.again(part, VIOLATED)))
                return self.disjoin((inner(goal), rest))
            case NormalPart("&", args):
                return self.conjoin(map(inner, args))
            case NormalPart("|", args):
                return self.disjoin(map(inner, args))
        return SATISFIED if decided[number] == (part.op == "+") else VIOLATED

    def again(self, part: NormalPart, over: Residue) -> Residue:
        """The same operator at the next letter, its bound one smaller; ``over`` once it has run out."""
        if part.bound == 0:
            return over
        later = part if part.bound is None else part._replace(bound=part.bound - 1)
        return self.residue(self.form.number(later))

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
            self.entailed[i, j] = _tighter(self.form.parts[i], self.form.parts[j])
        return self.entailed[i, j]

    def spend(self, work: int) -> None:
        """Count work, and refuse the formula when there has been too much of it."""
        self.budget.tick("compiling a formula")
        self.work += work
        if self.work > MAX_WORK:
            raise AutomatonError("the formula's obligations branch too widely; split it into several clauses")


def _tighter(f: NormalPart, g: NormalPart) -> bool:
    if f.op not in ("G", "R", "F", "U") or (f.op, f.args) != (g.op, g.args):
        return False
    if f.op in "GR":
        return f.bound is None or (g.bound is not None and f.bound > g.bound)
    return f.bound is not None and g.bound is not None and f.bound < g.bound
