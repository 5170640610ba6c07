"""Expressions seen from one zone: what is read elsewhere is taken at its best or at its worst.

A zone knows the values of its own variables and the moves that are its own. Of any other predicate it is not
known whether it holds. :func:`bounded` gives an expression over the zone alone that is implied by a given one
(``weaker``), or implies it: what is not known becomes true where that makes the whole weaker, and false
where it makes it stronger. Every operator of the language but ``<->`` and comparisons of terms is monotone or
antitone in its arguments, temporal ones too, so one pass with the polarity of each place does it. Comparisons
of a count or of ``times`` with a number are monotone in what is counted, and so are those of sums in which
alike things are counted, which together are as many as there are, wherever they are.

Two things may be known of elsewhere. A predicate of another zone that is *promised* never to hold is false.
Moves that are *never* made, because the adversary stays in its zone, are not made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from holdfast.composition.counting import opened
from holdfast.logic import (
    FALSE,
    TRUE,
    And,
    Arithmetic,
    Compare,
    Count,
    Defined,
    Did,
    Expression,
    Iff,
    Implies,
    Move,
    Not,
    Number,
    Or,
    Player,
    Read,
    Tally,
    Temporal,
    Truth,
    added,
    conjunction,
    counted_range,
    disjunction,
    expressions as ex,
    variables_of,
    walk,
)


@dataclass(frozen=True)
class ZoneScope:
    """What a zone knows.

    Attributes:
        variables: the names of its variables.
        moves: the moves that are its own, and by which names its game has them; several where a move of the
            whole became several.
        promised: predicates about other zones that never hold.
        stays: whether the adversary never moves in other zones.
        tallies: alike things that are counted, here or elsewhere.
    """

    variables: frozenset[str]
    moves: Mapping[Move, tuple[str, ...]]
    promised: frozenset[Expression] = frozenset()
    stays: bool = False
    tallies: tuple[Tally, ...] = ()

    def knows(self, node: Expression) -> bool:
        """Whether an expression reads nothing but what the zone knows, and its game has under one name."""
        return all(v.name in self.variables for v in variables_of(node)) and all(
            self.moves.get(move) == (move[1],)
            for part in walk(node)
            if isinstance(part, Did)
            for move in part.moves
        )


def bounded(node: Expression, scope: ZoneScope, weaker: bool) -> Expression:
    """What is known in a zone of an expression: the strongest that it implies, place by place, or the weakest
    by which it is implied.

    >>> from holdfast.logic import Member, Variable
    >>> a, b = (Variable(name, ("C", "X")) for name in "ab")
    >>> zone = ZoneScope(frozenset("a"), {})
    >>> either = Or((Member(a, ("X",)), Member(b, ("X",))))
    >>> str(bounded(either, zone, weaker=True)), str(bounded(either, zone, weaker=False))
    ('true', 'a = X')
    """
    if scope.knows(node):
        return node
    match node:
        case Defined(_, body):
            return bounded(body, scope, weaker)
        case Not(of):
            return ex.negation(bounded(of, scope, not weaker))
        case And(args):
            return conjunction(bounded(arg, scope, weaker) for arg in args)
        case Or(args):
            return disjunction(bounded(arg, scope, weaker) for arg in args)
        case Implies(left, right):
            return disjunction((ex.negation(bounded(left, scope, not weaker)), bounded(right, scope, weaker)))
        case Iff(left, right):
            return conjunction(
                bounded(Implies(*pair), scope, weaker) for pair in ((left, right), (right, left))
            )
        case Temporal("G" | "H" as op, (of,)):
            inside = bounded(of, scope, weaker)
            return inside if isinstance(inside, Truth) else Temporal(op, (inside,), node.bound)
        case Temporal(op, args):
            return Temporal(op, tuple(bounded(arg, scope, weaker) for arg in args), node.bound)
        case Did(text, moves):
            return _did(text, moves, scope, weaker)
        case Compare(op, left, right) if node not in scope.promised:
            return _compared(op, left, right, scope, weaker)
    return FALSE if node in scope.promised else Truth(weaker)


def _did(text: str, moves: frozenset[Move], scope: ZoneScope, weaker: bool) -> Expression:
    known = [move for move in scope.moves if move in moves]  # of which there are fewer than moves of a type
    own = frozenset((move[0], name) for move in known for name in scope.moves[move])
    foreign = len(known) < len(moves)
    if foreign and scope.stays:
        foreign = any(move[0] is not Player.ADVERSARY and move not in scope.moves for move in moves)
    if foreign and weaker:
        return TRUE
    return Did(text, own) if own else FALSE


def _compared(op: str, left: Expression, right: Expression, scope: ZoneScope, weaker: bool) -> Expression:
    """A comparison of a count, of ``times`` or of counters with a number; any other tells nothing."""
    left, right = opened(left), opened(right)
    if isinstance(left, Number):
        left, right, op = right, left, ex.MIRRORED.get(op, op)
    if not isinstance(right, Number) or op not in ex.MIRRORED:
        return Truth(weaker)
    more = weaker is (op in (">", ">="))  # whether what is counted is taken at its most
    if isinstance(left, ex.Times):
        of = bounded(left.of, scope, more)
        if of == FALSE:
            return Truth(_holds(Fraction(0), op, right.value))
        return Truth(weaker) if isinstance(of, Truth) else Compare(op, ex.Times(of), right)
    if not isinstance(left, Count):
        return _sum_compared(op, left, right.value, scope, weaker)
    items = [bounded(item, scope, more) for item in left.items]
    certain = sum(item == TRUE for item in items)
    open_ = tuple(item for item in items if not isinstance(item, Truth))
    limit = right.value - certain
    if not open_:
        return Truth(_holds(Fraction(0), op, limit))
    if _holds(Fraction(0), op, limit) and _holds(Fraction(len(open_)), op, limit):
        return TRUE
    return Compare(op, Count(open_), Number(limit))


def _sum_compared(op: str, left: Expression, limit: Fraction, scope: ZoneScope, weaker: bool) -> Expression:
    """A comparison of a sum with a number; what is counted elsewhere is taken at its most or at its least."""
    more = weaker is (op in (">", ">="))
    here, elsewhere = list[Expression](), list[Expression]()
    for part, weight in ex.addends(left).items():
        if not ex.is_static(part):
            return Truth(weaker)
        if isinstance(part, Count):
            items = [bounded(item, scope, more is (weight > 0)) for item in part.items]
            limit -= weight * sum(item == TRUE for item in items)
            open_ = tuple(item for item in items if not isinstance(item, Truth))
            here += [_times(weight, Count(open_))] if open_ else []
        elif scope.knows(part):
            here.append(_times(weight, part))
        elif isinstance(part, Read):
            elsewhere.append(_times(weight, part))
        else:
            return Truth(weaker)
    limit -= counted_range(added(elsewhere), scope.tallies)[more]
    ends = [_holds(end, op, limit) for end in counted_range(added(here), scope.tallies)]
    return Truth(ends[0]) if ends[0] is ends[1] else Compare(op, added(here), Number(limit))


def _times(weight: Fraction, part: Expression) -> Expression:
    return part if weight == 1 else Arithmetic("*", Number(weight), part)


def _holds(value: Fraction, op: str, limit: Fraction) -> bool:
    return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}[op]
