"""Which clause of the requirement is answered for by which zones, and why one is not divided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.composition.division import Division, ZoneDemand
from holdfast.composition.zone_game import ZoneTerms
from holdfast.game import counted
from holdfast.logic import Player


@dataclass(frozen=True)
class ClauseUse:
    """How a clause was divided among zones.

    Attributes:
        label: what the clause is called.
        place: where it stands, as file and line; empty where it stands in no file.
        how: who answers for it, in a few words.
        divided: whether zones answer for their parts of it, and none for what is about several.
    """

    label: str
    place: str
    how: str
    divided: bool


def clause_uses(division: Division, terms: Sequence[ZoneTerms] = ()) -> tuple[ClauseUse, ...]:
    """How each clause of φ_D was divided; ``terms`` says who met alone what is about several zones."""
    parts: dict[int, list[int]] = {}
    for number, demand in enumerate(division.demands):
        parts.setdefault(demand.clause, []).append(number)
    taker = {number: zone for zone, own in enumerate(terms) for number in own.taken}
    found = []
    for i, clause in enumerate(division.configuration.clauses(Player.DEFENDER)):
        own = parts.get(i, [])
        demands = [division.demands[number] for number in own]
        joint = [number for number in own if len(division.demands[number].zones) > 1]
        divided = all(number in division.tallies for number in joint)
        how = _belongs(division, demands)
        if joint:
            how = "; ".join(dict.fromkeys(_joint(division, number, taker) for number in joint))
        found.append(ClauseUse(clause.label, str(clause.place or ""), how, divided))
    return tuple(found)


def _belongs(division: Division, demands: Sequence[ZoneDemand]) -> str:
    zones = {zone: None for demand in demands for zone in demand.zones}
    if not zones:
        return "about no zone"
    if len(zones) > 1:
        return f"in parts, each about one of {counted(len(zones), 'zone')}"
    name = division.zones[next(iter(zones))].name
    if any(demand.formula is None for demand in demands) and " + " in name:
        return f"an automaton that reads all of {name}, which it makes one; a formula could be divided"
    return f"about {name} alone"


def _joint(division: Division, number: int, taker: dict[int, int]) -> str:
    demand = division.demands[number]
    if number in division.tallies:
        return f"a count over {counted(len(demand.zones), 'zone')}, each of which has an allowance"
    if number in taker:
        return (
            f"about {counted(len(demand.zones), 'zone')}; met by {division.zones[taker[number]].name} alone"
        )
    return f"about {counted(len(demand.zones), 'zone')}, and not a count: only one of them alone can meet it"
