"""A zone as a design of its own: its game, with the parts of the whole that can be taken from it, and what it
could get.

A change is made to the whole, which is then divided as before; what becomes of the zone is the changed
design. So nothing has to be known of what a part is, and a zone means the same before and after.

What follows for the whole from a change that leaves all other zones as they are:

- with the *guarded* game of the zone held on its terms, the whole is held: the other zones are held on
  theirs, and what the zone promises is among its clauses;
- with its *open* game lost, the whole is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.composition.division import Division, divide
from holdfast.composition.result import Composition
from holdfast.composition.zone_game import ZoneTerms, guarded_game, open_game
from holdfast.errors import InputError
from holdfast.game import Addition, Configuration, Part, System, extended, on_system

ARROW = " -> "


def decisive_zone(found: Composition, weakest: int | None = None) -> int:
    """The number of the zone that decides: the one that is lost, that stays open, or else the weakest."""
    if found.lost_zone is not None:
        return found.lost_zone
    if found.open_zone is not None:
        return found.open_zone
    if weakest is not None:
        return weakest
    rows = found.zones
    return max(range(len(rows)), key=lambda i: (rows[i].defensible is not True, rows[i].exposed_to, -i))


def zone_design(found: Composition, number: int, budget: Budget = UNLIMITED) -> Configuration:
    """The game of a zone as a design: its open game if it is lost, and else its guarded game on its terms.

    Raises:
        InputError: for an answer that was stopped before its zones had games.
    """
    division = found.division
    if division is None or not found.terms:
        raise InputError("nothing is known of its zones; ask again with more time")
    terms = None if found.lost_zone == number else found.terms[number]
    return _as_design(division, number, terms, budget)


def remade(
    division: Division, number: int, terms: ZoneTerms | None, whole: Configuration, budget: Budget = UNLIMITED
) -> Configuration:
    """A zone of another configuration with the same nodes: its guarded game on some terms, or its open game.

    Raises:
        InputError: where the other one is not divided in the same way, or nothing follows from the zone.
    """
    again = _divided_again(division, whole)
    if terms is not None:
        return guarded_game(again, again.zones[number], terms, budget)
    game = open_game(again, again.zones[number], budget)
    if game is None:
        raise InputError("nothing follows from what this zone can do by itself")
    return game


def remade_zones(found: Composition, zones: Sequence[int], whole: Configuration) -> list[Configuration]:
    """Some zones of another configuration with the same nodes: their guarded games on the terms found.

    Raises:
        InputError: where the other one is not divided in the same way.
    """
    assert found.division is not None, "an answer has a division"
    again = _divided_again(found.division, whole)
    return [guarded_game(again, again.zones[number], found.terms[number]) for number in zones]


def _divided_again(division: Division, whole: Configuration) -> Division:
    again = divide(whole, {zone.names: zone.nodes for zone in division.zones})
    if [zone.nodes for zone in again.zones] != [zone.nodes for zone in division.zones]:
        raise InputError("the change makes several zones one")
    return again


def concerned_zones(found: Composition, name: str, anyhow: bool = False) -> frozenset[int]:
    """The zones to which a part of the whole, by its name, makes a difference.

    To a zone that is lost by itself nothing does that begins elsewhere, unless it is asked ``anyhow``.
    """
    assert found.division is not None, "an answer has a division"
    return _concerned(found.division, name, None if anyhow else found.lost_zone)


def _concerned(division: Division, name: str, lost: int | None) -> frozenset[int]:
    """An arrow concerns the zone that it leads into, one that is lost by itself only if it begins there too.

    So do all arrows from one zone to another. A place concerns its own zone; what has no place, all of them.
    """
    home = division.home
    ends = name.split(ARROW)
    if len(ends) == 2:
        if not home.keys() >= set(ends):
            home = {called: number for number, zone in enumerate(division.zones) for called in zone.names}
        if home.keys() >= set(ends):
            source, target = home[ends[0]], home[ends[1]]
            return frozenset() if target == lost != source else frozenset({target})
    places = (division.home.get(word) for word in _words(name))
    return frozenset(zone for zone in places if zone is not None) or frozenset(range(len(division.zones)))


def _as_design(division: Division, number: int, terms: ZoneTerms | None, budget: Budget) -> Configuration:
    whole, nodes = division.configuration, frozenset(division.zones[number].nodes)
    lost = number if terms is None else None
    game = remade(division, number, terms, whole, budget)
    make = partial(_system, division, number, terms)
    system = replace(
        game.system,
        parts=_parts(division, number, lost, whole.system.parts),
        hardenable=_parts(division, number, lost, whole.system.hardenable),
        rebuild=partial(_rebuilt, make, whole),
        additions=partial(_additions, whole, nodes),
        extend=partial(_extended, make, whole),
        premises=whole.system.premises,
    )
    return replace(game, system=system, costs=whole.costs)


def _system(division: Division, number: int, terms: ZoneTerms | None, changed: Configuration) -> System:
    return _as_design(replace(division, configuration=changed), number, terms, UNLIMITED).system


Making = Callable[[Configuration], System]


def _rebuilt(make: Making, whole: Configuration, taken: frozenset[Part]) -> System:
    return make(on_system(whole, whole.system.without(taken)))


def _extended(make: Making, whole: Configuration, chosen: frozenset[Addition]) -> System:
    return make(on_system(whole, extended(whole.system, chosen)))


def _additions(whole: Configuration, nodes: frozenset[str]) -> tuple[Addition, ...]:
    """What the zone could get: additions whose places are all in it.

    A link from elsewhere does no more to it, in its guarded game, than to have its target exposed.
    """
    everywhere = set(whole.system.graph.names) if whole.system.graph is not None else set[str]()
    found = []
    for each in whole.system.additions():
        places = everywhere.intersection(_words(each.name))
        if places and places <= nodes:
            found.append(each)
    return tuple(found)


def _words(name: str) -> list[str]:
    return name.replace("(", " ").replace(")", " ").split()


def _parts(division: Division, number: int, lost: int | None, given: Iterable[Part]) -> tuple[Part, ...]:
    """Those of some parts that make a difference to a zone."""
    return tuple(part for part in given if number in _concerned(division, part.name, lost))
