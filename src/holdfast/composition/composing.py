"""The verdict of a system from its zones: asked one by one, then refined until it is decided.

1. Every zone is asked its guarded game (:mod:`.zone_game`) with the demands about it. A zone that is lost
   even with nothing exposed is asked its open game: if it loses that, the whole is lost.
2. *Promises.* A zone that is lost for what is exposed asks its neighbours for promises, as few as will do.
   Whoever promises is held to it; whoever cannot keep a promise is never asked for it again.
3. *Demands about several zones* are taken over by one that can meet them alone.
4. *Allowances.* Of a count over several zones each zone asks for as little as it can do with. If that is too
   much in all, it asks for a profile: so much after 0, 1, … of the adversary's budget are spent in it. The
   most that profiles can add up to, over all ways to spend the budget, is found by dynamic programming. If
   that is still too much, zones promise each other all that they can: what nothing reaches needs nothing.
5. *Merging.* What is not decided by then is asked again with two zones taken as one: the one that failed, and
   the one that it hangs on most. In the end one zone is left, whose guarded and open game are the whole.

Every step is sound, so it does not matter for the truth of an answer in which order or how cleverly terms are
looked for; only for how soon one is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat

from holdfast.budget import UNLIMITED, Budget
from holdfast.composition.agreeing import IT, Failure, Negotiation, agree, label_of
from holdfast.composition.division import Division, Partition, Zone, divide, refuse_indivisible
from holdfast.composition.proposal import zones_of
from holdfast.composition.questions import Answers
from holdfast.composition.result import (
    BY_LOSS,
    BY_MERGING,
    BY_PROMISES,
    BY_SHARES,
    BY_ZONES,
    Composition,
    Promise,
    ZoneAnswer,
)
from holdfast.composition.uses import clause_uses
from holdfast.composition.zone_game import ZoneTerms, exposures
from holdfast.errors import LimitError
from holdfast.game import Configuration
from holdfast.logic import Expression
from holdfast.running import Backend

MAX_NODES = 120
"""How many nodes zones may have in all to be taken as one."""


def compose(
    configuration: Configuration,
    partition: Partition | None = None,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    *,
    most_nodes: int = MAX_NODES,
    answers: Answers | None = None,
) -> Composition:
    """The verdict of a configuration from its zones.

    Args:
        configuration: whose system has zones; if it names none, some are proposed.
        partition: other zones than these, by their names.
        budget: memory, time and cores.
        backend: where zones are solved, and the log of what was.
        most_nodes: how large a zone may become by merging.
        answers: what is known of zones already, and is added to; in place of budget and backend.

    Raises:
        InputError: for a system that cannot be divided.
    """
    refuse_indivisible(configuration)
    zones, proposed = zones_of(configuration) if partition is None else (dict(partition), False)
    answers = answers or Answers(budget, backend)
    return replace(_refined(configuration, zones, answers, most_nodes), proposed=proposed)


def _refined(
    configuration: Configuration,
    zones: Partition,
    answers: Answers,
    most_nodes: int,
) -> Composition:
    merged, last = dict[str, str](), ""
    division = divide(configuration, zones)
    merged |= {" + ".join(names): reason for names, reason in division.joined.items()}
    asking = Negotiation(division, answers, [ZoneTerms() for _ in division.zones])
    try:
        while True:
            failure = agree(asking)
            if failure is None:
                return _answer(asking, True, merged, None)
            last = f"{division.zones[failure.zone].name}: {failure.reason}"
            if failure.lost is not None:
                return _answer(asking, False, merged, failure)
            pair = _pair(asking, failure, most_nodes)
            if pair is None:
                return _answer(asking, None, merged, failure)
            reason = failure.reason
            if reason.startswith(IT):
                reason = f"{division.zones[failure.zone].name} {reason.removeprefix(IT)}"
            division = _merged(division, pair, merged, reason)
            asking = Negotiation(division, answers, [ZoneTerms() for _ in division.zones])
    except LimitError as limit:
        rows = tuple(map(_known_row, repeat(asking), range(len(division.zones))))
        return Composition(
            configuration,
            None,
            rows,
            merged=merged,
            open=f"{limit}; by then: {last or _so_far(rows)}",
            n_solved=len(answers.known),
            n_asked=answers.n_asked,
            clauses=clause_uses(division),
            division=division,
        )


# -- zones taken as one -----------------------------------------------------------------------------


def _pair(asking: Negotiation, failure: Failure, most_nodes: int) -> tuple[int, int] | None:
    """The zone that failed and the one that it hangs on most, if both together are not too large."""
    zones, zone = asking.division.zones, failure.zone
    ties = Counter[int]()
    for predicate in exposures(asking.division, zones[zone]):
        ties[asking.owner(predicate)] += 2 if predicate in asking.blocked else 1
    for other, of in enumerate(zones):
        if other != zone:
            ties[other] += sum(asking.owner(p) == zone for p in exposures(asking.division, of))
    for partner in failure.partners:
        ties[partner] += 1
    small = [
        other
        for other in range(len(zones))
        if other != zone and len(zones[other].nodes) + len(zones[zone].nodes) <= most_nodes
    ]
    tied = [other for other in small if ties[other]] or small
    if not tied:
        return None
    return zone, max(tied, key=lambda other: (ties[other], -len(zones[other].nodes), -other))


def _merged(division: Division, pair: tuple[int, int], merged: dict[str, str], reason: str) -> Division:
    """The division with two zones taken as one."""
    first, second = sorted(pair)
    one, other = division.zones[first], division.zones[second]
    partition = {zone.names: zone.nodes for i, zone in enumerate(division.zones) if i not in pair}
    partition[one.names + other.names] = (*one.nodes, *other.nodes)
    for zone in (one, other):
        merged.pop(zone.name, None)
    merged[" + ".join(one.names + other.names)] = reason
    return replace(divide(division.configuration, partition), compiled=division.compiled)


# -- the answer -------------------------------------------------------------------------------------


def _answer(
    asking: Negotiation, defensible: bool | None, merged: dict[str, str], failure: Failure | None
) -> Composition:
    division, answers = asking.division, asking.answers
    promises = _promises(asking) if defensible else ()
    allowances = {}
    for number, tally in division.tallies.items() if defensible else ():
        allowances[label_of(division, number)] = {
            division.zones[zone].name: dict(asking.terms[zone].allowances)[number] for zone in tally.items
        }
    shares = bool(allowances) or any(own.taken for own in asking.terms)
    by = BY_LOSS if defensible is False else ""
    if defensible:
        by = BY_MERGING if merged else BY_PROMISES if promises else BY_SHARES if shares else BY_ZONES
    return Composition(
        configuration=division.configuration,
        defensible=defensible,
        zones=tuple(_row(asking, i, defensible, failure) for i in range(len(division.zones))),
        promises=promises,
        allowances=allowances,
        merged=merged,
        decided_by=by,
        open="" if defensible is not None or failure is None else _why_open(division.zones, failure),
        n_solved=len(answers.known),
        n_asked=answers.n_asked,
        clauses=clause_uses(division, asking.terms),
        division=division,
        terms=_last_terms(asking, failure),
        lost=failure.lost if failure is not None else None,
        lost_zone=failure.zone if failure is not None and failure.lost is not None else None,
        open_zone=failure.zone if failure is not None and failure.lost is None else None,
    )


def _last_terms(asking: Negotiation, failure: Failure | None) -> tuple[ZoneTerms, ...]:
    """The terms in the end; those of a zone that failed with all that others could promise it."""
    terms = list(asking.terms)
    if failure is not None and failure.lost is None:
        terms[failure.zone] = replace(terms[failure.zone], relies=asking.exposed(failure.zone))
    return tuple(terms)


def _why_open(zones: Sequence[Zone], failure: Failure) -> str:
    return (
        f"{zones[failure.zone].name}: {failure.reason}; with a neighbour it is too large to be taken as one"
    )


def _so_far(rows: Sequence[ZoneAnswer]) -> str:
    """How far the zones were asked before anything was agreed."""
    failed = [row.name for row in rows if row.by and row.defensible is None]
    if not all(row.by for row in rows):
        return "the zones were not all asked"
    more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
    return f"not held by itself: {', '.join(failed[:3])}{more}; terms with its neighbours were looked for"


def _known_row(asking: Negotiation, zone: int) -> ZoneAnswer:
    """What is known of a zone of an answer that does not rest on it, or that a limit stopped."""
    own = asking.division.zones[zone]
    alone = [good for (of, terms), good in asking.known.items() if of == zone and not terms.relies]
    words = "" if not alone else "held by itself" if any(alone) else "not held by itself"
    n_exposed = len(exposures(asking.division, own))
    return ZoneAnswer(own.name, asking.division.size(own), True if any(alone) else None, words, n_exposed)


def _row(asking: Negotiation, zone: int, defensible: bool | None, failure: Failure | None) -> ZoneAnswer:
    own, terms = asking.division.zones[zone], asking.terms[zone]
    n_exposed = len(exposures(asking.division, own))
    if failure is not None and failure.zone == zone:
        known = False if failure.lost is not None else None
        return ZoneAnswer(own.name, asking.division.size(own), known, failure.reason, n_exposed)
    if not defensible:
        return _known_row(asking, zone)
    words = "held by itself"
    if terms.relies:
        words = "held with promises"
    elif terms.promises:
        words = "held, and keeps promises"
    return ZoneAnswer(own.name, asking.division.size(own), True, words, n_exposed)


def _promises(asking: Negotiation) -> tuple[Promise, ...]:
    found: dict[Expression, list[str]] = {}
    for zone, terms in zip(asking.division.zones, asking.terms, strict=True):
        for predicate in terms.relies:
            found.setdefault(predicate, []).append(zone.name)
    zones = asking.division.zones
    return tuple(
        Promise(zones[asking.owner(predicate)].name, str(predicate), tuple(found[predicate]))
        for predicate in sorted(found, key=str)
    )
