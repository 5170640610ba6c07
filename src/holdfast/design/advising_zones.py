"""What to change in a design that is answered for zone by zone: on the zone that decides, for the whole.

**Lost or open.** First some set is looked for, which need not be the cheapest: a single change that concerns
several zones, such as a faster response, and what is left of all others made together
(:mod:`~holdfast.design.zone_cuts`). Then the cheapest is. The zone that fails has a game of its own
(:func:`holdfast.composition.zone_design`), in which minimal sets of changes are found as for any design
(:mod:`~holdfast.design.recommend.remedies`). The cheapest one is made in the whole, which is composed again:
zones that it leaves alone have their answers already. If another zone fails then, it is repaired too, and so
on, until the whole is held. That is a proof of the changed whole. Other sets of the same zone are put in its
place, each proved in the same way. Zones are not merged meanwhile: a small zone is repaired sooner, and what
it takes to hold it alone is enough.

*How much it takes at least.* In the open game of a zone the adversary stays there, so whatever makes the
whole hold makes the open game of each lost zone hold: with changes that concern this zone, or with one that
concerns several. Without the latter the costs of different zones add up, since no change is counted in two of
them. So no set costs less than that sum, or than the cheapest change that concerns several zones. Of a zone
that fails only for what is exposed nothing of the kind follows.

**Held.** For each change that concerns the weakest zone its grace and effort are read in the changed zone. A
change that never hurts leaves all other zones as they are, so the whole stays held, and what follows for it
from the readings of zones (:mod:`holdfast.composition.zone_readings`) follows with the new ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.composition import (
    Answers,
    ComposedReadings,
    Composition,
    Partition,
    compose,
    composed_readings,
    concerned_zones,
    decisive_zone,
    read_zone,
    remade,
    zone_design,
    zones_of,
)
from holdfast.design.cores import AssumptionSet
from holdfast.design.recommend.remedies import Remedy, remedies
from holdfast.design.recommend.space import DesignSpace
from holdfast.design.zone_cuts import zone_cuts
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration
from holdfast.running import Backend, run_tasks
from holdfast.solver import Extent, as_number

MOST_ROUNDS = 200
"""Zones that are repaired one after the other."""

MOST_OTHERS = 4
"""Sets of changes besides the first that are proved for the whole."""

SOON_PART = 0.6
"""The part of the time in which some set is looked for, before the cheapest one is."""

COMPOSE_PART = 0.5
"""The part of the time in which the design as it is may be decided; zones are repaired if it stays open."""

READ_PART = 0.5
"""The part of the time, where it is limited, in which the zones of a held design are read."""

SEARCH_PART = 0.9
"""The part of the time for the search as a whole; the rest is for telling what it found."""


class ZoneSpace(DesignSpace):
    """The changes of a design that concern one zone, made in the game of that zone.

    Attributes:
        whole: the changes of the whole.
        numbers: for each change of the zone its number in the whole.
        made: changes of the whole that are made already.
        found: how the whole was divided, with these changes.
        zone: the number of the zone.
    """

    whole: DesignSpace
    numbers: tuple[int, ...]
    made: AssumptionSet
    found: Composition
    zone: int

    def __init__(
        self, whole: DesignSpace, numbers: Sequence[int], made: AssumptionSet, found: Composition, zone: int
    ) -> None:
        """The changes of a whole with these numbers, in a zone of it."""
        changes = tuple(whole.changes[i] for i in numbers)
        super().__init__(whole.scenario, whole.variant, zone_design(found, zone), changes)
        own = {"whole": whole, "numbers": tuple(numbers), "made": made, "found": found, "zone": zone}
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def in_whole(self, chosen: Iterable[int]) -> AssumptionSet:
        """Changes of the zone by their numbers in the whole, with those that are made already."""
        return self.made | {self.numbers[i] for i in chosen}

    def changed(self, chosen: Iterable[int], budget: Budget = UNLIMITED) -> Configuration:
        """The game of the zone with some changes made in the whole."""
        taken, division = self.in_whole(chosen), self.found.division
        assert division is not None, "a zone that decides is one of a division"
        terms = None if self.found.lost_zone == self.zone else self.found.terms[self.zone]
        return remade(division, self.zone, terms, self.whole.changed(taken, budget), budget)

    def keeps(self, chosen: Iterable[int]) -> bool:
        """Whether the whole with some changes still has everything that has to stay."""
        return self.whole.keeps(self.in_whole(chosen))

    @cached_property
    def ways_in(self) -> AssumptionSet:
        """None: it is the whole that must not lose all its ways in."""
        return frozenset()

    @cached_property
    def restoring(self) -> AssumptionSet:
        """The changes that can give back what others take."""
        return frozenset(i for i, n in enumerate(self.numbers) if n in self.whole.restoring)


def zone_space(
    space: DesignSpace, found: Composition, zone: int, made: AssumptionSet = frozenset()
) -> ZoneSpace:
    """The changes that concern a zone, with some made already.

    Raises:
        InputError: where there are none.
    """
    own = [i for i in _concerning(space, found, zone) if i not in made]
    if not own:
        raise InputError(f"nothing that may be changed concerns {found.zones[zone].name}")
    return ZoneSpace(space, own, made, found, zone)


def _concerning(space: DesignSpace, found: Composition, zone: int) -> list[int]:
    return [
        i
        for i, change in enumerate(space.changes)
        if change.part is None or zone in concerned_zones(found, change.part.name)
    ]


@dataclass(frozen=True)
class BetterZone:
    """A change with which the weakest zone is held better: its grace and effort then."""

    change: str
    cost: int
    grace: Extent
    effort: Extent


@dataclass(frozen=True)
class ZoneAdvice:
    """What to change in a design that is answered for zone by zone.

    Attributes:
        space: what could be changed.
        found: the answer about the design as it is.
        zone: the zone that decides; the first of those that were repaired.
        sets: for a design that does not hold: sets of changes with which the whole is proved to hold.
        at_least: what every such set costs at least.
        then: why the search ended without one, or with fewer than it could have found; else empty.
        better: for a design that holds: single changes that make its weakest zone hold better.
        read: what was read of the zones of such a design.
        n_composed: how many changed wholes were asked about.
    """

    space: DesignSpace
    found: Composition
    zone: str
    sets: tuple[Remedy, ...] = ()
    at_least: int = 0
    then: str = ""
    better: tuple[BetterZone, ...] = ()
    read: ComposedReadings | None = None
    n_composed: int = 0
    seconds: float = 0.0

    @property
    def cheapest_known(self) -> bool:
        """Whether no set is cheaper than the first."""
        return bool(self.sets) and self.sets[0].cost <= self.at_least


def zone_advice(
    space: DesignSpace,
    *,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    tell: Callable[[ZoneAdvice], object] | None = None,
) -> ZoneAdvice:
    """What to change in a design, found on its zones and proved for the whole; see the module.

    Each time a set of changes is proved, ``tell`` is called with what is known by then.

    Raises:
        InputError: for a design that cannot be divided.
    """
    started, budget = time.perf_counter(), budget.share(SEARCH_PART)
    answers = Answers(budget.share(COMPOSE_PART), backend)
    partition, _ = zones_of(space.configuration)
    found = compose(space.configuration, partition, answers=answers)
    answers.budget = budget
    if found.defensible:
        read = composed_readings(found, budget.share(READ_PART), backend)
        zone = decisive_zone(found, None if read is None else read.weakest)
        advice = ZoneAdvice(space, found, found.zones[zone].name, read=read)
        if read is not None:
            better, left = _better(space, found, zone, read, budget, backend)
            advice = replace(advice, better=better, then=left)
    else:
        advice = _Repairing(space, found, partition, answers, backend, tell).advice()
    return replace(advice, seconds=time.perf_counter() - started)


# -- a design that is lost --------------------------------------------------------------------------


class _Repairing:
    """The repair of a design: single changes that are enough, cuts zone by zone, and then the cheapest."""

    def __init__(
        self,
        space: DesignSpace,
        found: Composition,
        partition: Partition,
        answers: Answers,
        backend: Backend | None,
        tell: Callable[[ZoneAdvice], object] | None,
    ) -> None:
        self.space, self.found, self.partition = space, found, partition
        self.answers, self.backend, self.tell = answers, backend, tell
        self.budget, self.n_composed = answers.budget, 1
        self.at_least = 0
        self.others: list[tuple[AssumptionSet, list[AssumptionSet]]] = []

    def composed(self, made: AssumptionSet) -> Composition:
        """The answer about the whole with some changes."""
        self.n_composed += 1
        self.answers.budget.tick("composing the changed whole")
        whole = self.space.changed(made, self.answers.budget)
        return compose(whole, self.partition, answers=self.answers, most_nodes=0)

    def advice(self) -> ZoneAdvice:
        """Repair what is lost; see the module."""
        made, then = frozenset[int](), ""
        proved, known = list[AssumptionSet](), self._known()
        try:
            here = self._unmerged()
            while not here.defensible and not then and not self._is_cheapest(known):
                made, then = self._round(here, made)
                if not then:
                    here = self.composed(made)
            if here.defensible:
                proved.append(made)
                proved += self._instead(made)
        except LimitError as limit:
            then = str(limit)
        most = min((self.space.cost(one) for one in proved), default=None)
        proved += [one for one in known if most is None or self.space.cost(one) <= most]
        return self._told(proved, then)

    def _known(self) -> list[AssumptionSet]:
        """Sets that are found soon, told as they are; each is proved, none need be the cheapest."""
        known = list[AssumptionSet]()
        self.answers.budget = self.budget.share(SOON_PART)
        with suppress(LimitError):
            for one in self._soon():
                if one not in known and self.composed(one).defensible:
                    cheapest = all(self.space.cost(one) < self.space.cost(other) for other in known)
                    known.append(one)
                    if self.tell is not None and cheapest:
                        self.tell(self._told(known))
        self.answers.budget = self.budget
        return known

    def _soon(self) -> Iterator[AssumptionSet]:
        """Single changes that concern several zones, and what is left of all others taken together."""
        singles = [i for i in self._wide() if self.space.keeps({i})]
        yield from (frozenset({i}) for i in sorted(singles, key=lambda i: self.space.changes[i].cost))
        yield from zone_cuts(self.space, self._unmerged(), self.answers, self.composed).found()

    def _unmerged(self) -> Composition:
        """The answer about the whole as it is, with no zones taken as one."""
        return self.composed(frozenset()) if self.found.merged or not self.found.terms else self.found

    def _told(self, proved: Sequence[AssumptionSet], then: str = "") -> ZoneAdvice:
        """The advice, with some sets that are proved; the cheapest first."""
        least = [one for one in dict.fromkeys(proved) if not any(other < one for other in proved)]
        least.sort(key=lambda chosen: (self.space.cost(chosen), len(chosen), sorted(chosen)))
        sets = tuple(Remedy(self.space.names(one), self.space.cost(one)) for one in least)
        zone = self.found.zones[decisive_zone(self.found)].name
        n_composed, bound = self.n_composed, self._bound()
        return ZoneAdvice(self.space, self.found, zone, sets, bound, then, n_composed=n_composed)

    def _bound(self) -> int:
        """What every set costs at least: see the module."""
        return min([self.at_least, *(self.space.changes[i].cost for i in self._wide())])

    def _is_cheapest(self, known: Sequence[AssumptionSet]) -> bool:
        """Whether one of some sets is the cheapest there is."""
        return any(self.space.cost(one) <= self._bound() for one in known)

    def _round(self, here: Composition, made: AssumptionSet) -> tuple[AssumptionSet, str]:
        """The cheapest repair of the zone that decides; or why there is none."""
        if here.lost_zone is None and here.open_zone is None:
            return made, here.open
        number = decisive_zone(here)
        name = here.zones[number].name
        if len(self.others) >= MOST_ROUNDS:
            return made, f"{MOST_ROUNDS} zones were repaired, and more are lost"
        try:
            own = zone_space(self.space, here, number, made)
            found = remedies(own, budget=self.budget, backend=self.backend)
        except InputError as error:
            return made, f"{name}: {error}"
        sets = [frozenset(own.in_whole(_numbers(own, one.changes)) - made) for one in found.sets]
        again = bool(sets) and any(sets[0] & before for before, _ in self.others)
        if here.lost_zone is not None and not again and not here.merged and not found.remark:
            cost = [one.cost for one in found.sets[:1]]
            self.at_least += min([found.complete_to + 1, *cost])
        if not sets:
            return made, f"{name}: {found.unfinished or 'no set of changes makes it hold'}"
        self.others.append((sets[0], sets[1 : 1 + MOST_OTHERS]))
        return made | sets[0], ""

    def _instead(self, made: AssumptionSet) -> Iterator[AssumptionSet]:
        """Sets with another repair of one zone in place of the first, as far as they are proved."""
        left = MOST_OTHERS
        for first, others in self.others:
            for other in others:
                if left == 0:
                    return
                left -= 1
                if self.composed(made - first | other).defensible:
                    yield made - first | other

    def _wide(self) -> list[int]:
        """The changes that concern more than one zone."""
        return [
            i
            for i, change in enumerate(self.space.changes)
            if change.part is None or len(concerned_zones(self.found, change.part.name)) > 1
        ]


def _numbers(space: DesignSpace, names: Sequence[str]) -> list[int]:
    return [i for i, change in enumerate(space.changes) if change.name in names]


# -- a design that holds ----------------------------------------------------------------------------


def _better(
    space: DesignSpace,
    found: Composition,
    zone: int,
    read: ComposedReadings,
    budget: Budget,
    backend: Backend | None,
) -> tuple[tuple[BetterZone, ...], str]:
    """The single changes with which a zone is held better, best first; and why some were not read."""
    own, before, left = zone_space(space, found, zone), read.zones[zone], ""
    asked = {change.name: (own, i) for i, change in enumerate(own.changes) if change.helps and own.keeps({i})}
    cost = {change.name: change.cost for change in own.changes}
    better = []
    scoped = None if backend is None else backend.with_scope("better")
    try:
        for name, result in run_tasks(_read_changed, asked, budget, scoped):
            left = left or result.failure or result.value.get("stopped", "")
            if not result.failure and "stopped" not in result.value:
                one = BetterZone(name, cost[name], result.value["grace"], result.value["effort"])
                better += (
                    [one]
                    if _merit(one) > _merit(replace(one, grace=before.grace, effort=before.effort))
                    else []
                )
    except LimitError as limit:
        left = str(limit)
    order = {name: i for i, name in enumerate(asked)}
    better.sort(key=lambda one: (*(-merit for merit in _merit(one)), one.cost, order[one.change]))
    return tuple(better), left


def _read_changed(task: tuple[ZoneSpace, int], budget: Budget) -> dict[str, Any]:
    """The readings of a zone with one change."""
    own, change = task
    return read_zone((own.changed({change}, budget), False), budget)


def _merit(one: BetterZone) -> tuple[float, float]:
    grace, effort = as_number(one.grace), as_number(one.effort)
    return (-1.0 if grace is None else grace), (float("-inf") if effort is None else -effort)


def zone_advice_object(advice: ZoneAdvice) -> dict[str, Any]:
    """The advice as plain data for JSON."""
    found = advice.found
    data: dict[str, Any] = {
        "name": found.configuration.name,
        "variant": found.configuration.variant,
        "defensible": found.defensible,
        "zone": advice.zone,
        "repairs": [{"changes": list(one.changes), "cost": one.cost} for one in advice.sets],
        "cost_at_least": advice.at_least,
        "cheapest": advice.cheapest_known,
        "better": [
            {"change": one.change, "cost": one.cost, "grace": one.grace, "effort": one.effort}
            for one in advice.better
        ],
        "composed": advice.n_composed,
        "undecided": advice.then or None,
        "seconds": round(advice.seconds, 3),
    }
    return data
