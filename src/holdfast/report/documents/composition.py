"""A system answered for zone by zone, in words."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.composition import Composition, ZoneAnswer
from holdfast.game import count, counted, listed
from holdfast.report.blocks import Banner, Block, Column, Document, Facts, Prose, Section, Table, words

SHOWN = 30
"""How many zones a table shows; those that matter most stand first."""

_PROOFS = {
    "zones": "every zone can be defended by itself, whatever the others let through",
    "promises": "every zone can be defended, some of them relying on promises of others",
    "allowances": "every zone can be defended with its share of the overall allowance",
    "merging": "every zone can be defended after some were merged",
    "a zone that is lost": "the attacker can stay in it, and nothing elsewhere stops that",
}


def composition_document(found: Composition, source: str = "", why: tuple[Section, ...] = ()) -> Document:
    """The answer of ``check --by-zone``; ``why`` tells of the zone that is lost."""
    title, zones = found.configuration.title, Section("Zones", tuple(_blocks(found)))
    return Document(title or source, (zones, *why), source if title else "")


def _blocks(found: Composition) -> Iterator[Block]:
    yield _banner(found)
    n_hosts = sum(zone.hosts for zone in found.zones)
    facts = [("asked", f"{counted(n_hosts, 'host')} in {counted(len(found.zones), 'zone')}")]
    if found.proposed:
        facts.append(("zones", "proposed from the links; --write-zones FILE saves them"))
    if found.decided_by:
        facts.append(("proof", _PROOFS[found.decided_by]))
    facts.append(("solved", f"{counted(found.n_solved, 'game')} for {count(found.n_asked)} questions"))
    yield Facts(tuple(facts))
    yield _zones(found)
    if found.promises:
        made = tuple((p.by, f"never {p.never}", listed(p.to)) for p in found.promises[:SHOWN])
        yield Table("What zones promise each other", (words("zone"), words("promises"), words("to")), made)
    for clause, zones in found.allowances.items():
        shares = sorted(zones.items(), key=lambda each: -each[1][-1])
        rows = tuple((zone, ", ".join(map(str, profile))) for zone, profile in shares[:SHOWN] if profile[-1])
        spent = ", after 0, 1, … of the attacker's budget are spent there" if _steps(zones) else ""
        shares_of = (words("zone"), words(f"its share of {clause}{spent}"))
        yield Table("What the whole allows, shared among zones", shares_of, rows)
    if any(not use.divided for use in found.clauses) or (found.defensible is None and found.clauses):
        whole = sorted(found.clauses, key=lambda use: use.divided)
        shown = tuple((use.label, use.place, use.how) for use in whole[:SHOWN])
        yield Table(
            "How the requirement is divided", (words("clause"), words("place"), words("by zones")), shown
        )
    for names, why in found.merged.items():
        yield Prose(f"{names} taken as one: {why}.")


def _steps(zones: object) -> bool:
    return isinstance(zones, dict) and any(len(profile) > 1 for profile in zones.values())


def _banner(found: Composition) -> Banner:
    if found.defensible:
        return Banner("good", "DEFENSIBLE", "Proved zone by zone, against every admissible attacker.")
    if found.defensible is None:
        return Banner("open", "NOT DECIDED", f"{found.open[:1].upper()}{found.open[1:]}.")
    lost = next(zone for zone in found.zones if zone.defensible is False)
    return Banner(
        "bad", "NOT DEFENSIBLE", f"{lost.name} cannot be defended even by itself, so neither can the whole."
    )


def _zones(found: Composition) -> Table:
    order = {False: 0, None: 1, True: 2}
    first = sorted(found.zones, key=lambda zone: (order[zone.defensible], -zone.exposed_to))
    rest = len(first) - SHOWN
    return Table(
        "The zones, most important first",
        (words("zone"), Column("hosts"), Column("exposed to"), words("verdict")),
        tuple((zone.name, zone.hosts, zone.exposed_to, _verdict(zone)) for zone in first[:SHOWN]),
        tuple({True: "met", False: "lost", None: "differs"}[zone.defensible] for zone in first[:SHOWN]),
        note=f"and {counted(rest, 'more zone')}" if rest > 0 else "",
    )


def _verdict(zone: ZoneAnswer) -> str:
    if zone.defensible is False:
        return "lost by itself"
    return zone.by or ("held" if zone.defensible else "not decided")
