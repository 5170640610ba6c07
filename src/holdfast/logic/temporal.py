"""Safety formulas read letter by letter: past by memory, future by progression.

*Negation normal form.* Negations are pushed down to what one letter, or the past, decides. A formula
is syntactically safe iff no unbounded F or U is left then; anything else is refused with the reason.

*Past.* Y O H S and ``times`` are decided by the letter just read and a finite memory: one bit for each
past subformula (its value one letter ago) and one saturating counter for each counted predicate.

*Future.* :func:`progress` turns "f holds here" into "the residue holds at the next letter". A residue is
a positive combination of subformulas; it is kept as its minimal disjunctive form, a set of sets, which
is canonical for monotone functions, so that progression meets finitely many residues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from holdfast.errors import AutomatonError, FormulaError, LivenessError
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
    Truth,
    children,
    is_local,
    term_range,
    walk,
)

Residue = frozenset[frozenset[Expression]]
SATISFIED: Residue = frozenset((frozenset(),))
VIOLATED: Residue = frozenset()
MAX_RESIDUE = 2_000

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
            f'"{inner.op}" looks ahead inside "{node.op}", which looks back; put the past operator inside', text, inner.at
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


# -- progression ------------------------------------------------------------------------------------


def residue(node: Expression) -> Residue:
    """The obligation "node holds at the next letter"."""
    match node:
        case And(args) if looks_ahead(node):
            return _conjoin(residue(arg) for arg in args)
        case Or(args) if looks_ahead(node):
            return disjoin(residue(arg) for arg in args)
        case Truth(value):
            return SATISFIED if value else VIOLATED
    return frozenset((frozenset((node,)),))


def progress(node: Expression, decided: Callable[[Expression], bool]) -> Residue:
    """What must hold from the next letter on, for ``node`` to hold at this one.

    Args:
        node: a formula in normal form.
        decided: the truth, at this letter, of the parts without future operators.
    """
    match node:
        case Temporal("X", (of,)):
            return residue(of)
        case Temporal("G", (of,), bound):
            return _conjoin((progress(of, decided), _again(node, bound, SATISFIED)))
        case Temporal("F", (of,), bound):
            return disjoin((progress(of, decided), _again(node, bound, VIOLATED)))
        case Temporal("R", (release, held), bound):
            rest = disjoin((progress(release, decided), _again(node, bound, SATISFIED)))
            return _conjoin((progress(held, decided), rest))
        case Temporal("U", (held, goal), bound):
            rest = _conjoin((progress(held, decided), _again(node, bound, VIOLATED)))
            return disjoin((progress(goal, decided), rest))
        case And(args) if looks_ahead(node):
            return _conjoin(progress(arg, decided) for arg in args)
        case Or(args) if looks_ahead(node):
            return disjoin(progress(arg, decided) for arg in args)
    return SATISFIED if decided(node) else VIOLATED


def progress_residue(goals: Residue, decided: Callable[[Expression], bool]) -> Residue:
    """The residue after one more letter."""
    return disjoin(_conjoin(progress(part, decided) for part in term) for term in goals)


def _again(node: Temporal, bound: int | None, over: Residue) -> Residue:
    """The same operator at the next letter, its bound one smaller; ``over`` once it has run out."""
    if bound == 0:
        return over
    later = node if bound is None else Temporal(node.op, node.args, bound - 1, node.at)
    return frozenset((frozenset((later,)),))


def _conjoin(parts: Iterable[Residue]) -> Residue:
    result = SATISFIED
    for part in parts:
        result = _minimal({_tightest(one | other) for one in result for other in part})
    return result


def disjoin(parts: Iterable[Residue]) -> Residue:
    """At least one of the obligations."""
    return _minimal({term for part in parts for term in part})


def _minimal(terms: set[frozenset[Expression]]) -> Residue:
    """Drop every conjunction that another, weaker one makes redundant."""
    if len(terms) <= 1:
        return frozenset(terms)
    if len(terms) > MAX_RESIDUE:
        raise AutomatonError("the formula's obligations branch too widely; split it into several clauses")
    kept: list[frozenset[Expression]] = []
    for term in sorted(terms, key=len):
        if not any(_stronger(term, other) for other in kept):
            kept = [other for other in kept if not _stronger(other, term)] + [term]
    return frozenset(kept)


def _stronger(one: frozenset[Expression], other: frozenset[Expression]) -> bool:
    return all(any(_entails(f, g) for f in one) for g in other)


def _tightest(term: frozenset[Expression]) -> frozenset[Expression]:
    """A conjunction without the members that another member entails."""
    return frozenset(g for g in term if not any(f != g and _entails(f, g) for f in term))


def _entails(f: Expression, g: Expression) -> bool:
    """Whether f is g, or the same operator with a bound that makes it stronger."""
    if f == g:
        return True
    if not (isinstance(f, Temporal) and isinstance(g, Temporal) and f.op == g.op and f.args == g.args):
        return False
    if f.op in "GR":
        return f.bound is None or (g.bound is not None and f.bound > g.bound)
    return f.bound is not None and g.bound is not None and f.bound < g.bound


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
