"""Safety formulas taken apart: normal form, what is decided at a letter, counters.

*Negation normal form.* Negations are pushed down to what one letter, or the past, decides. A formula is
syntactically safe iff no unbounded F or U is left then; anything else is refused with the reason. ``a <-> b``
needs both a and !a, and so does each level of a formula that nests it: written out as a tree the normal form
doubles at every level. It is therefore a table of numbered parts, in which each part stands once.

*Past.* Y O H S and ``times`` are decided by the letter just read and a finite memory: one bit for each past
subformula (its value one letter ago) and one saturating counter for each counted predicate.

*Future.* What is left are obligations on the letters to come: :mod:`holdfast.logic.progression`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from holdfast.errors import FormulaError, LivenessError
from holdfast.logic import expressions as ex
from holdfast.logic.evaluate import ARITHMETIC
from holdfast.logic.expressions import Expression

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

    Attributes:
        parts: every part once, after its own parts.
        root: the number of the whole formula.

    Raises:
        LivenessError: for a formula outside the safety fragment, naming the bounded form.
        FormulaError: for a future operator under a past one.
    """

    def __init__(self, formula: Expression, text: str) -> None:
        """Push the negations down."""
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
                return self.number(
                    NormalPart(outer, tuple(self.number(NormalPart(inner, ends)) for ends in ways))
                )
            case ex.Temporal():
                return self._temporal(node, negate)
        raise TypeError(f"not a formula: {node}")

    def _joined(self, op: str, args: tuple[Expression, ...], negate: bool) -> int:
        return self.number(
            NormalPart(_DUAL[op] if negate else op, tuple(self._form(arg, negate) for arg in args))
        )

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


def _liveness(node: ex.Temporal, text: str) -> LivenessError:
    written = "W" if text[node.at : node.at + 1] == "W" else node.op
    shown = {"F": "F p", "G": "!(G p)", "U": "p U q", "R": "!(p R q)", "W": "!(p W q)"}[written]
    bounded = {
        "F": "F[<=k] p",
        "G": "F[<=k] !p",
        "U": "p U[<=k] q",
        "R": "(!p) U[<=k] (!q)",
        "W": "(!q) U[<=k] (!p & !q)",
    }[written]
    weak = " or, if q need not come, p W q" if written == "U" else ""
    return LivenessError(
        f'"{shown}" is a liveness property: no finite play violates it, so no safety game decides it; '
        f"bound it: {bounded} with a number of moves k{weak}",
        text,
        node.at,
    )


# -- counters ---------------------------------------------------------------------------------------


def counters(node: Expression, text: str) -> dict[ex.Times, int]:
    """Each counted predicate with the value at which its counter may saturate.

    In a comparison Σ cᵢ·timesᵢ + rest ⋈ 0 with all cᵢ of one sign, counter i is decided for good once
    cᵢ·timesᵢ alone outweighs the least value of the rest.

    Raises:
        FormulaError: when the counters pull in opposite directions, or are multiplied together.
    """
    caps: dict[ex.Times, int] = {}
    for part in ex.walk(node):
        if not isinstance(part, ex.Compare) or ex.is_local(part):
            continue
        try:
            weights, low, high = _balance(part)
        except (TypeError, ZeroDivisionError):
            raise _counter_error(f"times(...) must stand alone or in a sum, as in {_EXAMPLE}", text) from None
        signs = {weight > 0 for weight in weights.values() if weight}
        if len(signs) > 1:
            raise _counter_error("counters that pull in opposite directions have no bound", text)
        margin = -low if signs == {True} else high
        for times, weight in weights.items():
            cap = max(0, int(margin // abs(weight)) + 1) if weight else 0
            caps[times] = max(cap, caps.get(times, 0))
    return caps


_EXAMPLE = "times(a) + times(b) <= 3"


def _counter_error(problem: str, text: str) -> FormulaError:
    return FormulaError(problem, text, max(0, text.find("times")), 5)


def _balance(comparison: ex.Compare) -> tuple[dict[ex.Times, Fraction], Fraction, Fraction]:
    """The weights of the counters in left - right, and between what values the rest of it lies."""
    weights: dict[ex.Times, Fraction] = {}
    low = high = Fraction(0)
    for term, weight in ex.addends(ex.Arithmetic("-", comparison.left, comparison.right)).items():
        if isinstance(term, ex.Times):
            weights[term] = weight
        else:
            ends = sorted(weight * end for end in ex.term_range(term))
            low, high = low + ends[0], high + ends[1]
    return weights, low, high


def with_counts(node: Expression, counts: dict[ex.Times, int]) -> Expression:
    """A comparison with each ``times(...)`` replaced by its count, constants worked out: a local predicate.

    So ``times(a) + times(b) <= x`` gives one predicate for each sum, and not for each pair of counts.
    """
    match node:
        case ex.Times():
            return ex.Number(Fraction(counts[node]))
        case ex.Compare(op, left, right):
            return ex.Compare(op, with_counts(left, counts), with_counts(right, counts))
        case ex.Arithmetic(op, left, right) if not ex.is_local(node):
            one, other = with_counts(left, counts), with_counts(right, counts)
            if isinstance(one, ex.Number) and isinstance(other, ex.Number):
                return ex.Number(Fraction(ARITHMETIC[op](one.value, other.value)))
            return ex.Arithmetic(op, one, other)
    return node
