"""Zones: that what is proved of the parts of a system proves the verdict of the whole.

A certificate may divide the variables of its scenario into zones, and prove of each a game of its own. Which
game that is, the checker works out here from the scenario, by code that it shares with nobody. What has to be
shown for "defensible":

- Every variable is in one zone. Every action writes in one zone; what it assigns is known there and, of a
  defender's action, where it applies. An action that writes nothing belongs to what it is named after.
- φ_D is taken apart into demands: a conjunction, under G too, asks for each of its parts. Of each demand one
  of three is true. It reads one zone, which is held to it. Some zone is *held to it alone*: to a stronger
  formula that reads this zone only. It is G (count ≤ n), each zone that it reads is held to a *share*, and
  the shares add up to n at most, however the adversary divides what it may spend.
- What a zone relies on, some other zone promises, and is held to.
- In the game of a zone the adversary's moves need nothing from elsewhere but what is promised away; φ_A is
  weakened to the zone. Rounds in which nothing happens in the zone are left out only if no automaton of the
  zone can tell, and else are in the game, with an answer that is not a choice. The witness proves that game.

So the defender who answers in the zone in which the adversary moved keeps every demand. For suppose the first
violation of a demand or a promise comes with some move. Before it every promise was kept, so what the move
needed from elsewhere was not promised away; so the play up to and with this move is, zone by zone, one of the
games that were proved, and nothing is violated by it.

For "not defensible" one zone is named. In its game the adversary has only moves of the zone that need nothing
from elsewhere; φ_A is strengthened to the zone, φ_D weakened; and the defender may also do nothing there.
What the adversary forces there it forces in the whole, by staying in the zone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from holdfast.budget import Budget
from holdfast.certificates.verify.container import DEFENSIBLE, check_witness, refuse
from holdfast.certificates.verify.zone_division import (
    CheckedZone,
    Divided,
    Promised,
    counted_in_zones,
    spending,
)
from holdfast.certificates.verify.zone_games import guarded_game, open_game
from holdfast.game.configuration import Configuration
from holdfast.logic.expressions import Compare, Member, Number, Read

GameCheck = Callable[[Configuration, dict[str, Any]], str]
"""Why a witness does not prove the verdict of a game; empty if it does."""


def wrong_zones(
    chosen: Configuration, data: dict[str, Any], check: GameCheck, budget: Budget
) -> tuple[str, int]:
    """Why the zones of a certificate do not prove its verdict, empty if they do; and how many there are."""
    composed, witnesses = data["composition"], data["witness"]["zones"]
    held = data["verdict"] == DEFENSIBLE
    zones = [_zone(entry, chosen) for entry in composed["zones"]]
    if not zones:
        refuse("it has no zones")
    divided, lost = Divided(chosen, zones, budget), composed["lost"]
    if held != (lost == -1) or not -1 <= lost < len(zones) or len(witnesses) != (len(zones) if held else 1):
        refuse("its zones and the witnesses of them do not fit its verdict")
    if not held:
        check_witness(witnesses[0], data["verdict"])
        game = open_game(divided, lost)
        why = check(game, witnesses[0]) if isinstance(game, Configuration) else game
        return (f"zone {zones[lost].name}: {why}" if why else ""), len(zones)
    if why := _unanswered(divided) or _unpromised(divided):
        return why, len(zones)
    for number, witness in enumerate(witnesses):
        budget.tick("checking the zones")
        check_witness(witness if isinstance(witness, dict) else {}, data["verdict"])
        if why := check(guarded_game(divided, number), witness):
            return f"zone {zones[number].name}: {why}", len(zones)
    return "", len(zones)


# -- what the certificate says ----------------------------------------------------------------------


def _zone(entry: Any, chosen: Configuration) -> CheckedZone:
    match entry:
        case {
            "name": str(name),
            "variables": [*variables],
            "relies": [*relies],
            "promises": [*promises],
            "shares": [*shares],
            "alone": [*alone],
        } if len(entry) == 6 and variables and all(isinstance(v, str) for v in variables):
            if len(set(variables)) < len(variables):
                refuse("a zone has a variable twice")
            return CheckedZone(
                name[:60],
                frozenset(variables),
                frozenset(_predicate(each, chosen) for each in relies),
                frozenset(_predicate(each, chosen) for each in promises),
                dict(map(_share, shares)),
                tuple(_number(each) for each in alone),
            )
    refuse("a zone of it is not made of a name, variables, relies, promises, shares and alone")


def _predicate(entry: Any, chosen: Configuration) -> Promised:
    match entry:
        case [str(name), ("<" | "<=" | ">" | ">=" | "=" | "!=") as op, str(limit)] if (
            name in chosen.game.places
        ):
            variable = chosen.game.variables[chosen.game.places[name]]
            if variable.numeric and limit.isdecimal() and len(limit) < 10:
                return Compare(op, Read(variable), Number(Fraction(limit)))
        case [str(name), [*values]] if name in chosen.game.places and values:
            variable = chosen.game.variables[chosen.game.places[name]]
            if set(map(str, values)) <= set(map(str, variable.values)):
                return Member(variable, tuple(v for v in variable.values if v in values))
    refuse("a promise of it is not a variable with some of its values, or compared with a number")


def _share(entry: Any) -> tuple[int, tuple[int, ...]]:
    match entry:
        case [number, [*profile]] if profile:
            return _number(number), tuple(_number(each) for each in profile)
    refuse("a share of it is not the number of a demand with numbers")


def _number(entry: Any) -> int:
    return entry if type(entry) is int and entry >= 0 else refuse("a number of its zones is none")


# -- the composition --------------------------------------------------------------------------------


def _unanswered(divided: Divided) -> str:
    """A demand that no zone, or not enough of them, is held to; empty if there is none."""
    known = range(len(divided.asked))
    for zone in divided.zones:
        if any(n not in known or divided.asked[n].formula is None for n in (*zone.alone, *zone.shares)):
            refuse("a zone of it is held to a demand that its scenario does not have")
    for number, demand in enumerate(divided.asked):
        if len(demand.zones) <= 1 or any(number in zone.alone for zone in divided.zones):
            continue
        counted = None if demand.formula is None else counted_in_zones(divided, demand.formula)
        if counted is None:
            return f'no zone answers for "{demand.clause.label}"'
        limit, items = counted
        if not all(number in divided.zones[i].shares for i in items):
            return f'a zone has no share of "{demand.clause.label}"'
        spent = spending(divided)[1]
        profiles = [divided.zones[i].shares[number] for i in items]
        if any(len(profile) not in (1, spent + 1) for profile in profiles):
            refuse("the shares of a zone are not one for each number that can be spent")
        best = [0] * (spent + 1)
        for profile in profiles:
            best = [
                max(best[all_ - k] + profile[min(k, len(profile) - 1)] for k in range(all_ + 1))
                for all_ in range(spent + 1)
            ]
        if best[spent] > limit:
            return f'the shares of "{demand.clause.label}" add up to {best[spent]}, more than {limit}'
    return ""


def _unpromised(divided: Divided) -> str:
    """Something that a zone relies on and nobody promises."""
    for number, zone in enumerate(divided.zones):
        for predicate in zone.relies:
            owner = _owner(divided, predicate)
            if owner == number or predicate not in divided.zones[owner].promises:
                return f"zone {zone.name} relies on it that never {predicate}, and nobody promises that"
        if any(_owner(divided, predicate) != number for predicate in zone.promises):
            return f"zone {zone.name} promises something about another one"
    return ""


def _owner(divided: Divided, predicate: Promised) -> int:
    """The zone of the only variable that something promised is about."""
    return min(divided.read_by((predicate,)))
