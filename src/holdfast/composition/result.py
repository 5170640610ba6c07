"""What is found about a divided system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.composition.division import Division
from holdfast.composition.uses import ClauseUse
from holdfast.composition.zone_game import ZoneTerms, exposures
from holdfast.game import Configuration, Displayed

BY_ZONES, BY_PROMISES, BY_SHARES, BY_MERGING, BY_LOSS = (
    "zones",
    "promises",
    "allowances",
    "merging",
    "a zone that is lost",
)
"""What decided: every zone by itself; with promises; with allowances or demands taken over; after zones were
taken as one; or a zone whose loss is the loss of the whole."""


@dataclass(frozen=True)
class Promise:
    """That a predicate about the zone ``by`` never holds, on which the zone ``to`` relies."""

    by: str
    never: str
    to: tuple[str, ...]


@dataclass(frozen=True)
class ZoneAnswer:
    """What is known of one zone.

    Attributes:
        name: its name, or the names of those that were taken as one.
        hosts: how many nodes it has.
        defensible: whether it is held, on its terms; False where it is lost, and with it the whole; None
            where neither is known.
        by: what that rests on, in a few words.
        exposed_to: how many predicates about other zones its attackers could use.
    """

    name: str
    hosts: int
    defensible: bool | None
    by: str
    exposed_to: int = 0


@dataclass(frozen=True)
class Composition(Displayed):
    """The answer about a system that was asked zone by zone.

    Attributes:
        defensible: the verdict; None where it is open.
        zones: what is known of each.
        promises: what zones promise each other.
        allowances: for counts over several zones, by what is counted, how many each zone may have.
        merged: zones that were taken as one, and why.
        decided_by: one of the constants above; empty where it is open.
        open: why nothing was decided; empty where it was.
        n_solved, n_asked: how many games were solved, and how many questions they answered.
        clauses: who answers for each clause of the requirement.
        proposed: whether the zones were proposed, because the system names none.
        division, terms: the zones in the end, and the terms on which each is held.
        lost, lost_zone: the game of the lost zone, and its number; None where none is lost.
        open_zone: the number of the zone that failed where nothing is decided.
    """

    configuration: Configuration = field(repr=False)
    defensible: bool | None
    zones: tuple[ZoneAnswer, ...]
    promises: tuple[Promise, ...] = ()
    allowances: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)
    decided_by: str = ""
    open: str = ""
    n_solved: int = 0
    n_asked: int = 0
    clauses: tuple[ClauseUse, ...] = ()
    proposed: bool = False
    division: Division | None = field(default=None, repr=False, compare=False)
    terms: tuple[ZoneTerms, ...] = field(default=(), repr=False, compare=False)
    lost: Configuration | None = field(default=None, repr=False, compare=False)
    lost_zone: int | None = field(default=None, repr=False, compare=False)
    open_zone: int | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Crossing:
    """From which zone another can be attacked: through how many nodes or switches, and how many of these
    are promised never to let it happen. Zones are told by their numbers.
    """

    source: int
    target: int
    exposed: int
    promised: int


def crossings(found: Composition) -> tuple[Crossing, ...]:
    """What zones are exposed to, by pairs of them; of an answer that is held also what is promised."""
    if found.division is None:
        return ()
    counts: dict[tuple[int, int], list[int]] = {}
    for number, zone in enumerate(found.division.zones):
        relied = found.terms[number].relies if found.defensible else frozenset()
        for predicate in exposures(found.division, zone):
            (source,) = found.division.zones_of((predicate,))
            own = counts.setdefault((source, number), [0, 0])
            own[0] += 1
            own[1] += predicate in relied
    return tuple(Crossing(*pair, *of) for pair, of in sorted(counts.items()))


def composition_object(found: Composition) -> dict[str, Any]:
    """A composition as plain data for JSON."""
    return {
        "name": found.configuration.name,
        "variant": found.configuration.variant,
        "defensible": found.defensible,
        "composition": {
            "zones": [
                {"name": zone.name, "hosts": zone.hosts, "defensible": zone.defensible, "by": zone.by}
                for zone in found.zones
            ],
            "exposures": [
                {
                    "from": found.zones[each.source].name,
                    "to": found.zones[each.target].name,
                    "through": each.exposed,
                    "promised": each.promised,
                }
                for each in crossings(found)
            ],
            "promises": [{"by": p.by, "never": p.never, "to": list(p.to)} for p in found.promises],
            "allowances": {
                clause: {zone: list(profile) for zone, profile in zones.items()}
                for clause, zones in found.allowances.items()
            },
            "merged": [{"zones": names, "because": why} for names, why in found.merged.items()],
            "clauses": [
                {"clause": each.label, "place": each.place or None, "how": each.how} for each in found.clauses
            ],
            "decided_by": found.decided_by or None,
            "proposed": found.proposed,
            "open": found.open or None,
            "solved": found.n_solved,
        },
        **({"counted": list(alike)} if (alike := found.configuration.system.gathered) else {}),
    }
