"""Safety formulas taken apart: normal form, what is decided at a letter, counters.

*Negation normal form.* Negations are pushed down to what one letter, or the past, decides. A formula is
syntactically safe iff no unbounded F or U is left then; anything else is refused with the reason.

*Past.* Y O H S and ``times`` are decided by the letter just read and a finite memory: one bit for each past
subformula (its value one letter ago) and one saturating counter for each counted predicate.

*Future.* What is left are obligations on the letters to come: :mod:`holdfast.logic.progression`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from holdfast.errors import FormulaError, LivenessError
from holdfast.logic.expressions import (
    PAST,
    And,
    Arithmetic,
    Compare,
    Defined,
    Expression,
    Iff,
    Implies,
    Not,
    Number,
    Or,
    Temporal,
    Times,
    children,
    is_local,
    term_range,
    walk,
)

_DUAL = {"G": "F", "F": "G", "U": "R", "R": "U"}


def normal_form(node: Expression, text: str, negate: bool = False) -> Expression:
    """Negation normal form over maximal *decided* parts: local predicates and past formulas.

    Raises:
        LivenessError: for a formula outside the safety fragment, naming the bounded form.
        FormulaError: for a future operator under a past one.
    """
    if is_decided(node, text):
        return Not(node) if negate else node
    match node:
        case Not(of):
            return normal_form(of, text, not negate)
        case And(args) | Or(args):
            parts = tuple(normal_form(arg, text, negate) for arg in args)
            return And(parts) if isinstance(node, And) != negate else Or(parts)
        case Implies(left, right):
            return normal_form(Or((Not(left), right)), text, negate)
        case Iff(left, right):
            both = Or((And((left, right)), And((Not(left), Not(right)))))
            return normal_form(both, text, negate)
        case Temporal("X", (of,), _, at):
            return Temporal("X", (normal_form(of, text, negate),), None, at)
        case Temporal("W", (left, right), _, at):
            # l W r = r R (l | r)
            return normal_form(Temporal("R", (right, Or((left, right))), None, at), text, negate)
        case Temporal(op, args, bound, at):
            op = _DUAL[op] if negate else op
            if op in "FU" and bound is None:
                raise _liveness(node, text)
            return Temporal(op, tuple(normal_form(arg, text, negate) for arg in args), bound, at)
    raise TypeError(f"not a formula: {node}")


def looks_ahead(node: Expression) -> bool:
    """Whether the node holds a future operator."""
    return any(isinstance(part, Temporal) and part.op not in PAST for part in walk(node))


def is_decided(node: Expression, text: str) -> bool:
    """Whether the letters read so far decide the node: no future operator in it."""
    if not looks_ahead(node):
        return True
    if isinstance(node, Temporal) and node.op in PAST:
        inner = next(part for part in walk(node) if isinstance(part, Temporal) and part.op not in PAST)
        raise FormulaError(
            f'"{inner.op}" looks ahead inside "{node.op}", which looks back; put the past operator inside',
            text,
            inner.at,
        )
    return False


def _liveness(node: Temporal, text: str) -> LivenessError:
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


def counters(node: Expression, text: str) -> dict[Times, int]:
    """Each counted predicate with the value at which its counter may saturate.

    In a comparison Σ cᵢ·timesᵢ + rest ⋈ 0 with all cᵢ of one sign, counter i is decided for good once
    cᵢ·timesᵢ alone outweighs the least value of the rest.

    Raises:
        FormulaError: when the counters pull in opposite directions, or are multiplied together.
    """
    caps: dict[Times, int] = {}
    for part in walk(node):
        if not isinstance(part, Compare) or not any(isinstance(p, Times) for p in walk(part)):
            continue
        try:
            weights, rest = _linear(Arithmetic("-", part.left, part.right))
            low, high = _rest_range(rest)
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


def _rest_range(rest: list[tuple[Fraction, Expression]]) -> tuple[Fraction, Fraction]:
    low = high = Fraction(0)
    for weight, term in rest:
        ends = sorted(weight * end for end in term_range(term))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _linear(node: Expression) -> tuple[dict[Times, Fraction], list[tuple[Fraction, Expression]]]:
    """A term as weighted counters plus weighted counter-free terms."""
    match node:
        case Times():
            return {node: Fraction(1)}, []
        case Defined(_, body):
            return _linear(body)
        case Arithmetic(op, left, right) if not is_local(node):
            if op in "*/":
                factor, other = (right, left) if is_local(right) else (left, right)
                if not isinstance(factor, Number) or (op == "/" and factor is left):
                    raise TypeError
                scale = factor.value if op == "*" else 1 / factor.value
                weights, rest = _linear(other)
                return {t: w * scale for t, w in weights.items()}, [(w * scale, e) for w, e in rest]
            (weights, rest), (more, others) = _linear(left), _linear(right)
            sign = 1 if op == "+" else -1
            total = dict(weights)
            for times, weight in more.items():
                total[times] = total.get(times, Fraction(0)) + sign * weight
            return total, rest + [(sign * w, e) for w, e in others]
    return {}, [(Fraction(1), node)]


def with_counts(node: Expression, counts: dict[Times, int]) -> Expression:
    """A comparison with each ``times(...)`` replaced by its count: a local predicate."""
    match node:
        case Times():
            return Number(Fraction(counts[node]))
        case Compare(op, left, right):
            return Compare(op, with_counts(left, counts), with_counts(right, counts))
        case Arithmetic(op, left, right):
            return Arithmetic(op, with_counts(left, counts), with_counts(right, counts))
    return node


def decided_parts(node: Expression) -> Iterable[Expression]:
    """The maximal parts of a normal form that hold no future operator, without their negations."""
    if not looks_ahead(node):
        yield node.of if isinstance(node, Not) else node
    else:
        for child in children(node):
            yield from decided_parts(child)
