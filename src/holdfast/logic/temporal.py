"""Safety formulas taken apart: negation normal form, and obligations by progression.

*Negation normal form.* Negations are pushed down to what one letter, or the past, decides. A formula is
syntactically safe iff no unbounded F or U is left then; anything else is refused with the reason. ``a <-> b``
needs both a and !a, and so does each level of a formula that nests it: written out as a tree the normal form
doubles at every level. It is therefore a table of numbered parts, in which each part stands once.

*Past.* Y O H S and ``times`` are decided by the letter just read and a finite memory: one bit for each past
subformula (its value one letter ago) and one saturating counter for each counted predicate
(:mod:`holdfast.logic.machine`).

*Future.* What is left are obligations on the letters to come. :meth:`Progression.advance` turns "this holds
here" into "the residue holds at the next letter". A residue is a positive combination of the numbered parts
of the normal form; it is kept as its minimal disjunctive form, a set of sets of numbers, which is canonical
for monotone functions, so that progression meets finitely many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import AutomatonError, FormulaError, LivenessError
from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Expression

Residue = frozenset[frozenset[int]]
SATISFIED: Residue = frozenset((frozenset(),))
VIOLATED: Residue = frozenset()
MAX_WORK = 300_000

Decided = Mapping[int, bool]
"""The truth, at a letter, of each part without future operators, by its number."""

_DUAL = {"G": "F", "F": "G", "U": "R", "R": "U", "&": "|", "|": "&"}


class NormalPart(NamedTuple):
    """A part of a normal form.

    Attributes:
        op: ``& | X G F R U``, or ``+`` and ``-`` for what is decided at a letter, as it is and negated.
        args: the numbers of its own parts.
        bound: of a temporal operator, if it has one.
        decided: what the letters read so far decide: a formula without future operators.
    """

    op: str
    args: tuple[int, ...] = ()
    bound: int | None = None
    decided: Expression | None = None


class NormalForm:
    """The negation normal form of a formula.

    ``parts`` has every part once, after its own parts, and ``root`` is the number of the whole formula.

    Raises:
        LivenessError: for a formula outside the safety fragment, naming the bounded form.
        FormulaError: for a future operator under a past one.
    """

    def __init__(self, formula: Expression, text: str) -> None:
        self.parts: list[NormalPart] = []
        self._text = text
        self._numbers: dict[NormalPart, int] = {}
        self._known: dict[tuple[int, bool], int] = {}
        self.root = self._form(formula, False)

    def number(self, part: NormalPart) -> int:
        """The number of a part, a new one if need be."""
        if part not in self._numbers:
            self._numbers[part] = len(self.parts)
            self.parts.append(part)
        return self._numbers[part]

    def _form(self, node: Expression, negate: bool) -> int:
        """The normal form of a node of the formula, which lives as long as this is built."""
        key = id(node), negate
        if key not in self._known:
            self._known[key] = self._formed(node, negate)
        return self._known[key]

    def _formed(self, node: Expression, negate: bool) -> int:
        if isinstance(node, ex.Not):
            return self._form(node.of, not negate)
        if not ex.looks_ahead(node):
            return self.number(NormalPart("-" if negate else "+", decided=node))
        match node:
            case ex.And(args) | ex.Or(args):
                return self._joined("&" if isinstance(node, ex.And) else "|", args, negate)
            case ex.Implies(left, right):
                ends = self._form(left, not negate), self._form(right, negate)
                return self.number(NormalPart("&" if negate else "|", ends))
            case ex.Iff(left, right):
                # (l & r) | (!l & !r), and negated (!l | !r) & (l | r)
                inner, outer = ("|", "&") if negate else ("&", "|")
                ways = [(self._form(left, n), self._form(right, n)) for n in (negate, not negate)]
                each = tuple(self.number(NormalPart(inner, ends)) for ends in ways)
                return self.number(NormalPart(outer, each))
            case ex.Temporal():
                return self._temporal(node, negate)
        raise TypeError(f"not a formula: {node}")

    def _joined(self, op: str, args: tuple[Expression, ...], negate: bool) -> int:
        parts = tuple(self._form(arg, negate) for arg in args)
        return self.number(NormalPart(_DUAL[op] if negate else op, parts))

    def _temporal(self, node: ex.Temporal, negate: bool) -> int:
        if node.op in ex.PAST:
            raise _misplaced(node, self._text)
        op = "R" if node.op == "W" else node.op
        op = _DUAL.get(op, op) if negate else op
        if op in "FU" and node.bound is None:
            raise _liveness(node, self._text)
        if node.op == "W":  # l W r = r R (l | r)
            args: tuple[int, ...] = self._form(node.args[1], negate), self._joined("|", node.args, negate)
        else:
            args = tuple(self._form(arg, negate) for arg in node.args)
        return self.number(NormalPart(op, args, node.bound if op != "X" else None))


def _misplaced(node: ex.Temporal, text: str) -> FormulaError:
    inner = next(part for part in ex.walk(node) if isinstance(part, ex.Temporal) and part.op in ex.FUTURE)
    return FormulaError(
        f'"{inner.op}" looks ahead inside "{node.op}", which looks back; put the past operator inside',
        text,
        inner.at,
    )


_BOUNDED = {
    "F": ("F p", "F[<=k] p"),
    "G": ("!(G p)", "F[<=k] !p"),
    "U": ("p U q", "p U[<=k] q"),
    "R": ("!(p R q)", "(!p) U[<=k] (!q)"),
    "W": ("!(p W q)", "(!q) U[<=k] (!p & !q)"),
}
"""For each operator the liveness property that it expresses, and the bounded form of that."""


def _liveness(node: ex.Temporal, text: str) -> LivenessError:
    written = "W" if text[node.at : node.at + 1] == "W" else node.op
    shown, bounded = _BOUNDED[written]
    weak = " or, if q need not come, p W q" if written == "U" else ""
    return LivenessError(
        f'"{shown}" is a liveness property: no finite play violates it, so no safety game decides it; '
        f"bound it: {bounded} with a number of moves k{weak}",
        text,
        node.at,
    )


# -- progression ------------------------------------------------------------------------------------


class Progression:
    """The obligations of one formula.

    Every comparison of obligations counts as work; past :data:`MAX_WORK` the formula is refused, so that no
    formula keeps the compiler busy for more than a moment.
    """

    def __init__(self, form: NormalForm, budget: Budget = UNLIMITED) -> None:
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
        if part.op in "&|":
            return (self.conjoin if part.op == "&" else self.disjoin)(map(self.residue, part.args))
        if isinstance(part.decided, ex.Truth):
            return SATISFIED if part.decided.value == (part.op == "+") else VIOLATED
        return frozenset((frozenset((number,)),))

    def advance(self, goals: Residue, decided: Decided) -> Residue:
        """The residue after one more letter."""
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
        """What an operator leaves to the next letter, its bound one smaller; ``over`` once it has run out."""
        if part.bound == 0:
            return over
        later = part if part.bound is None else part._replace(bound=part.bound - 1)
        return self.residue(self.form.number(later))

    def conjoin(self, parts: Iterable[Residue]) -> Residue:
        """All of the obligations."""
        result = SATISFIED
        for part in parts:
            self.spend(len(result) * len(part))
            if result == SATISFIED:
                result = part
            elif part != SATISFIED:
                result = self.minimal({self.tightest(one | other) for one in result for other in part})
        return result

    def disjoin(self, parts: Iterable[Residue]) -> Residue:
        """At least one of the obligations."""
        return self.minimal({term for part in parts for term in part})

    def minimal(self, terms: set[frozenset[int]]) -> Residue:
        """Drop every conjunction that another, weaker one makes redundant."""
        if len(terms) < 2:
            return frozenset(terms)
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
