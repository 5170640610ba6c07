"""What the defender of a segment sees.

Of every host it sees whether it is detected, isolated or destroyed, and of every conduit whether it is
blocked. A compromised host looks like a clean one, unless there is a *sensor* at it. Looking at a host
(``monitor``) turns a compromise into a detected one, and so finds out.

A sensor may be *late*: it shows a compromise that has lasted for so many moves. It may *miss* some, and which
ones the adversary chooses: a spread that is not seen is a move of its own (``spread(DB) unseen``), which
formulas take for the spread that it is. Two variables remember it, whether the compromise is a missed one and
how many more may be missed; nothing in the game depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from holdfast.errors import ModelError
from holdfast.game import Action, Recalled, Rule, Sight, counted, lasting_clause
from holdfast.logic import Expression, Player, Variable, Vocabulary, expressions as ex
from holdfast.models.network.segment import BLOCKED, OPEN, STATUSES, TYPES, Segment

UNSEEN = " unseen"
"""What follows the name of a spread that a sensor misses."""


@cache
def _status(host: str) -> Variable:
    return Variable(host, STATUSES)


def missed(host: str) -> Variable:
    """Whether the compromise of a host is one that its sensor misses."""
    return Variable(f"{host}-missed", ("no", "yes"))


def misses_left(segment: Segment, host: str) -> Variable:
    """How many more compromises the sensor at a host may miss."""
    return Variable(f"{host}-misses", range(segment.missing[host] + 1))


def memory(segment: Segment) -> tuple[Variable, ...]:
    """The variables that remember what sensors miss."""
    hosts = unreliable(segment)
    return tuple(v for host in hosts for v in (missed(host), misses_left(segment, host)))


def unreliable(segment: Segment) -> tuple[str, ...]:
    """The hosts whose sensor may miss something."""
    return tuple(host for host in segment.hosts if segment.missing.get(host))


def start(segment: Segment) -> tuple[int, ...]:
    """The codes of these variables at the start: nothing has been missed."""
    return tuple(code for host in unreliable(segment) for code in (0, segment.missing[host]))


def renewed(segment: Segment) -> list[tuple[Variable, Expression]]:
    """What a new engagement sets: nothing has been missed."""
    fresh: list[tuple[Variable, Expression]] = []
    for host in unreliable(segment):
        number = ex.Number(Fraction(segment.missing[host]))
        fresh += [(missed(host), ex.Symbol("no")), (misses_left(segment, host), number)]
    return fresh


def told_apart(segment: Segment, action: Action) -> Iterator[Action]:
    """A spread to a host whose sensor may miss it: as one that is seen, and as one that is not."""
    host = action.target
    if not segment.missing.get(host) or action.type != "spread" or not action.rules:
        yield action
        return
    if action.outcome_of:
        raise ModelError(
            f"the sensor at {host} may miss a compromise, and spreading there may fail: missed "
            f"compromises and random outcomes cannot be solved together yet; leave one of the two out"
        )
    (rule,), flag, left = action.rules, missed(host), misses_left(segment, host)
    fewer = ex.Arithmetic("-", ex.Read(left), ex.Number(Fraction(1)))
    some = ex.Compare(">", ex.Read(left), ex.Number(Fraction(0)))
    yield Action(action.name, (Rule(rule.when, (*rule.assign, (flag, ex.Symbol("no")))),))
    unseen = (*rule.assign, (flag, ex.Symbol("yes")), (left, fewer))
    yield Action(action.name + UNSEEN, (Rule(ex.conjunction((rule.when, some)), unseen),))


def shown(segment: Segment, host: str) -> Expression:
    """When the sensor at a host would show a compromise at once."""
    compromised = ex.Member(_status(host), ("X",))
    if not segment.missing.get(host):
        return compromised
    return ex.conjunction((compromised, ex.Member(missed(host), ("no",))))


def sight_of(segment: Segment, vocabulary: Vocabulary) -> Sight:
    """What the defender sees."""
    always: list[Expression] = []
    for host in segment.hosts:
        always += [ex.Member(_status(host), of) for of in (("C", "X"), ("D",), ("I",))]
    always += [ex.Member(Variable(name, (OPEN, BLOCKED)), (BLOCKED,)) for name in segment.conduits]
    sensors: dict[str, tuple[Expression | Recalled, ...]] = {}
    for host in segment.hosts:
        late = recalled(segment, host, vocabulary)
        sensors[host] = (shown(segment, host) if late is None else late,)
    kinds = [kind for kind in TYPES[Player.ADVERSARY] if kind in segment.noticed]
    noticed = [n for kind in kinds for _, n in vocabulary.moves_by_name.get(kind, ()) if UNSEEN not in n]
    return Sight(tuple(always), sensors, segment.sensors, frozenset(noticed))


def recalled(segment: Segment, host: str, vocabulary: Vocabulary) -> Recalled | None:
    """What a late sensor shows; None for one that is not late."""
    moves = segment.late.get(host, 0)
    if not moves:
        return None
    label = f"the sensor at {host} shows a compromise after {counted(moves, 'move')}"
    return lasting_clause(shown(segment, host), moves, vocabulary, label)
