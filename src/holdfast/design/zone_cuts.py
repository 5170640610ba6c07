"""A set of changes with which every zone holds, where the cheapest would take too long to find.

All changes that only help and may be made together are made. If the whole is held then, they are taken back
again as long as every zone is held on the terms found, in halves: what a half is needed for is looked for in
its halves. A change makes a difference to one zone alone, so every zone takes back its own ones, and all
zones do so at the same time: the whole is changed once for a step of all of them. In the end zones give back
everything they have, one after the other, where the promises of others are enough for them.

What is left works, which the caller proves once more for the whole, and nothing is said about its cost. Which
changes are left depends on the order in which they are tried; there are two, from where an attack begins and
from where it leads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdfast.composition import (
    Answers,
    Composition,
    concerned_zones,
    decisive_zone,
    question_key,
    remade_zones,
)
from holdfast.design.cores import AssumptionSet
from holdfast.design.recommend.space import DesignSpace
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, distances

WholeAsked = Callable[[AssumptionSet], Composition]
"""The answer about the whole with some changes."""


@dataclass(frozen=True)
class ZoneCuts:
    """The changes that may be taken, zone by zone.

    Attributes:
        space: what could be changed.
        answers: who wins which zone; its budget is that of the search.
        composed: asks about the whole with some changes.
        home: for each change the only zone to which it makes a difference.
        lost: the zone that decides as things are.
    """

    space: DesignSpace
    answers: Answers
    composed: WholeAsked
    home: Mapping[int, int]
    lost: int

    def found(self) -> Iterator[AssumptionSet]:
        """Sets that work, as they are found; none where not even all changes together do.

        Raises:
            LimitError: past the budget; what was found before stands.
        """
        orders = _orders(self.space, self.home)
        everything = self._together(orders[0])
        held = self.composed(everything)
        if not held.defensible:
            return
        zones = sorted(set(self.home.values()))
        alike, sets = self._alike(held, everything, zones), list[AssumptionSet]()
        for order in orders:
            own = {zone: [i for i in order if self.home[i] == zone and i in everything] for zone in zones}
            made = self._fewer(held, everything, own, alike)
            if made not in sets:
                yield made
                yield from self._alone(made)
                sets.append(made)
        for made in sets:
            yield self._relying(made)

    def _together(self, order: Sequence[int]) -> AssumptionSet:
        """All changes but those that, with the others, take away what has to stay; in halves."""
        made, halves = frozenset[int](), [list(order)]
        while halves:
            self.answers.budget.tick("taking changes together")
            some = halves.pop()
            if self.space.keeps(made | set(some)):
                made |= set(some)
            elif len(some) > 1:
                halves += [some[len(some) // 2 :], some[: len(some) // 2]]
        return made

    def _alike(self, held: Composition, everything: AssumptionSet, zones: list[int]) -> dict[int, int]:
        """For each zone the first one that is its like, with all changes and without any."""
        keys: dict[int, tuple[str, ...]] = dict.fromkeys(zones, ())
        for made in (everything, frozenset[int]()):
            for zone, game in zip(zones, self._games(held, made, zones), strict=True):
                keys[zone] += (question_key(game),)
        first: dict[tuple[str, ...], int] = {}
        return {zone: first.setdefault(keys[zone], zone) for zone in zones}

    def _fewer(
        self,
        held: Composition,
        everything: AssumptionSet,
        own: Mapping[int, Sequence[int]],
        alike: Mapping[int, int],
    ) -> AssumptionSet:
        """The changes that are left when zones have taken back all that they can; alike zones do the same."""
        groups: dict[tuple[int, int], list[int]] = {}
        for zone, changes in own.items():
            groups.setdefault((alike[zone], len(changes)), []).append(zone)
        left = self._taken_back(held, everything, {of[0]: own[of[0]] for of in groups.values()})
        made = set(left)
        for first, *others in groups.values():
            kept = {place for place, i in enumerate(own[first]) if i in left}
            made -= {i for zone in others for place, i in enumerate(own[zone]) if place not in kept}
        good = self._held_without(held, frozenset(made), dict.fromkeys(own, ()))
        failed = [zone for zone in own if zone not in good]  # alike, but for the order of their changes
        made |= {i for zone in failed for i in own[zone]}
        return self._taken_back(held, frozenset(made), {zone: own[zone] for zone in failed})

    def _taken_back(
        self, held: Composition, made: AssumptionSet, own: Mapping[int, Sequence[int]]
    ) -> AssumptionSet:
        """The changes that are left of those made when some zones have taken back all that they can."""
        waiting = {zone: [list(changes)] for zone, changes in own.items() if changes}
        while waiting:
            self.answers.budget.tick(f"taking back changes, {len(made):,} are left")
            tried = {zone: halves.pop() for zone, halves in waiting.items()}
            spared = self._held_without(held, made, tried)
            for zone, some in tried.items():
                if zone in spared:
                    made -= set(some)
                elif len(some) > 1:
                    waiting[zone] += [some[: len(some) // 2], some[len(some) // 2 :]]
            waiting = {zone: halves for zone, halves in waiting.items() if halves}
        return made

    def _held_without(
        self, held: Composition, made: AssumptionSet, tried: Mapping[int, Sequence[int]]
    ) -> set[int]:
        """The zones that are held without those of their changes that are tried."""
        left, zones = made - {i for some in tried.values() for i in some}, list(tried)
        try:
            games = self._games(held, left, zones)
        except InputError:  # they do not go together, or zones are no longer the same
            return set()
        known, stopped = self.answers.told(games)
        if stopped:
            raise LimitError(stopped)
        return {zone for zone, good in zip(zones, known, strict=True) if good}

    def _games(self, held: Composition, made: AssumptionSet, zones: list[int]) -> list[Configuration]:
        return remade_zones(held, zones, self.space.changed(made, self.answers.budget))

    def _alone(self, made: AssumptionSet) -> Iterator[AssumptionSet]:
        """The changes of the zone that decides, if they are enough: others may be lost with it."""
        own = frozenset(i for i in made if self.home[i] == self.lost)
        if own and own != made and self.composed(own).defensible:
            yield own

    def _relying(self, made: AssumptionSet) -> AssumptionSet:
        """What is left when zones give everything back that the promises of others save them."""
        own: dict[int, set[int]] = {}
        for i in made:
            own.setdefault(self.home[i], set()).add(i)
        halves = [sorted(own, key=lambda zone: (zone == self.lost, -self.space.cost(own[zone]), zone))]
        while halves:
            some = halves.pop()
            left = made - {i for zone in some for i in own[zone]}
            if left and self.composed(left).defensible:
                made = left
            elif len(some) > 1:
                halves += [some[len(some) // 2 :], some[: len(some) // 2]]
        return made


def zone_cuts(space: DesignSpace, found: Composition, answers: Answers, composed: WholeAsked) -> ZoneCuts:
    """The search for a set that works, in a design divided as it was found to be."""
    home = {}
    for i, change in enumerate(space.changes):
        if change.helps and change.part is not None and i not in space.restoring:
            zones = concerned_zones(found, change.part.name, anyhow=True)
            if len(zones) == 1:
                (home[i],) = zones
    return ZoneCuts(space, answers, composed, home, decisive_zone(found))


def _orders(space: DesignSpace, home: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """The changes by how far from the ways in they are, nearest first; and the other way round.

    Those of one place stand together, so that a half of them is often all that leads there.
    """
    graph = space.configuration.system.graph
    away = distances(graph.arrows, graph.starts) if graph is not None else {}

    def place(i: int) -> tuple[int, str, int]:
        part = space.changes[i].part
        target = "" if part is None else part.name.rpartition(" -> ")[2]
        return away.get(target, len(away)), target, i

    near = sorted(home, key=place)
    return near, near[::-1]
