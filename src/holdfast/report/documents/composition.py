"""A system answered for zone by zone, in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from holdfast.composition import (
    Between,
    ComposedReadings,
    Composition,
    Crossing,
    ZoneAnswer,
    ZoneReading,
    crossings,
)
from holdfast.game import ENTRY, Graph, GraphNode, count, counted, listed
from holdfast.report.blocks import (
    Banner,
    Block,
    CellValue,
    Column,
    CommandLine,
    Document,
    Facts,
    Illustration,
    Prose,
    Section,
    Table,
    words,
)
from holdfast.report.documents.fingerprint import counted_alike
from holdfast.solver import Extent, MoveCount

SHOWN = 30
"""How many zones a table shows; those that matter most stand first."""

DRAWN = 40
"""How many zones a picture shows: all, or else the one that decides and those around it."""

_PROOFS = {
    "zones": "every zone can be defended by itself, whatever the others let through",
    "promises": "every zone can be defended, some of them relying on promises of others",
    "allowances": "every zone can be defended with its share of the overall allowance",
    "merging": "every zone can be defended after some were merged",
    "a zone that is lost": "the attacker can stay in it, and nothing elsewhere stops that",
}


def composition_document(
    found: Composition,
    source: str = "",
    why: tuple[Section, ...] = (),
    read: ComposedReadings | None = None,
    drawn: bool = False,
) -> Document:
    """The answer of ``check --by-zone``.

    Args:
        found: what zones prove.
        source: of which file.
        why: tells of the zone that decides.
        read: what was read of the zones, and follows for the whole.
        drawn: whether there is room for a picture.
    """
    title = found.configuration.title
    zones = Section("Zones", (*_blocks(found, read, drawn), *_next(found, source)))
    return Document(title or source, (zones, *why), source if title else "")


def _blocks(found: Composition, read: ComposedReadings | None, drawn: bool) -> Iterator[Block]:
    yield _banner(found)
    n_hosts = sum(zone.hosts for zone in found.zones)
    facts = [("asked", f"{counted(n_hosts, 'host')} in {counted(len(found.zones), 'zone')}")]
    if found.proposed:
        facts.append(("zones", "proposed from the links; --write-zones FILE saves them"))
    if found.decided_by:
        facts.append(("proof", _PROOFS[found.decided_by]))
    facts += list(_of_the_whole(found, read)) if read is not None else []
    solved = counted(found.n_solved, "zone game")
    alike = f", which answer {count(found.n_asked)} questions: zones that are alike are solved once"
    facts.append(("solved", solved + (alike if found.n_solved < found.n_asked else "")))
    yield Facts(tuple(facts))
    yield _zones(found, read)
    if drawn:
        yield from _picture(found, read)
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
        columns = (words("clause"), words("place"), words("by zones"))
        yield Table("How the requirement is divided", columns, shown)
    for names, why in found.merged.items():
        yield Prose(f"{names} taken as one: {why}.")
    if alike := counted_alike(found.configuration.system.gathered, ""):
        yield Prose(alike)


def _next(found: Composition, source: str) -> Iterator[CommandLine]:
    """What to ask now that this is known."""
    variant = found.configuration.variant
    named = [source, *(["--variant", variant] if variant else [])]
    if source and found.defensible is not None:
        improve = "what would make its weakest zone hold better" if found.defensible else "what would fix it"
        yield CommandLine(f"To see {improve}", shlex.join(["holdfast", "recommend", *named, "--by-zone"]))


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


# -- readings ---------------------------------------------------------------------------------------


def _of_the_whole(found: Composition, read: ComposedReadings) -> Iterator[tuple[str, str]]:
    """What follows for the whole from the readings of its zones."""
    if read.weakest is not None:
        zone, row = found.zones[read.weakest], read.zones[read.weakest]
        yield "weakest", f"{zone.name}: {_grace(row.grace)}; {_effort(row.effort)}"
    for goal, moves in read.goals.items():
        called = {"evicted": "the attacker out", "recovered": "all clean again"}.get(goal, goal)
        if moves:  # that it takes no moves at least says nothing
            yield "getting out", f"{called}: {_soonest(moves)}"
    if says := _between(read.effort, "intervention"):
        yield "effort", f"{says} in the whole play"
    if read.grace.exact and read.grace.low == 0:
        yield "grace", "none: the defender has to act in its first turn"
    elif says := _between(read.grace, "turn"):
        yield "grace", f"the defender may start {says} late"
    if isinstance(read.tempo.high, int):
        slow = read.tempo.high
        yield "tempo", "it has to act in every turn" if slow == 1 else f"no slower than once in {slow} turns"
    if read.unread:
        yield "not read", f"in full: {read.unread}; what follows from all zones is left out"


def _soonest(moves: MoveCount) -> str:
    return "never" if moves == "never" else f"it takes {counted(int(moves or 0), 'move')} at least"


def _between(ends: Between, noun: str) -> str:
    """Both ends of a reading in words, those that say something; empty where none does."""
    low = ends.low if ends.low != 0 else None
    high = ends.high if ends.high != "unbounded" else None
    if ends.exact:
        return "any number of turns" if ends.low == "unbounded" else counted(int(ends.low or 0), noun)
    if high is None:
        return f"at least {counted(low, noun)}" if isinstance(low, int) else ""
    assert isinstance(high, int)
    return f"{low} to {counted(high, noun)}" if low is not None else f"at most {counted(high, noun)}"


def _grace(grace: Extent) -> str:
    if grace == "unbounded":
        return "it holds although nobody acts"
    if not grace:
        return "the defender has to act in its first turn"
    return f"the defender may start {counted(int(grace), 'turn')} late"


def _effort(effort: Extent) -> str:
    if effort is None:
        return "what it takes is not known"
    if effort == "unbounded":
        return "interventions without end"
    return f"{counted(effort, 'intervention')} at most, whatever comes in"


def _zones(found: Composition, read: ComposedReadings | None) -> Table:
    order = {False: 0, None: 1, True: 2}
    rows = read.zones if read is not None else (ZoneReading(),) * len(found.zones)
    pairs = list(zip(found.zones, rows, strict=True))
    weakest = found.zones[read.weakest] if read is not None and read.weakest is not None else None
    pairs.sort(key=lambda pair: (order[pair[0].defensible], pair[0] is not weakest, -pair[0].exposed_to))
    rest = len(pairs) - SHOWN
    columns = [words("zone"), Column("hosts"), Column("exposed to")]
    columns += [Column("grace"), Column("effort")] if read is not None else []

    def cells(zone: ZoneAnswer, row: ZoneReading) -> tuple[CellValue, ...]:
        more = (_cell(row.grace), _cell(row.effort)) if read is not None else ()
        return (zone.name, zone.hosts, zone.exposed_to, *more, _verdict(zone))

    return Table(
        "The zones, most important first",
        (*columns, words("verdict")),
        tuple(cells(*pair) for pair in pairs[:SHOWN]),
        tuple({True: "met", False: "lost", None: "differs"}[zone.defensible] for zone, _ in pairs[:SHOWN]),
        note=f"and {counted(rest, 'more zone')}" if rest > 0 else "",
    )


def _cell(reading: Extent) -> CellValue:
    return "–" if reading is None else "∞" if reading == "unbounded" else reading


def _verdict(zone: ZoneAnswer) -> str:
    if zone.defensible is False:
        return "lost by itself"
    return zone.by or ("held" if zone.defensible else "not decided")


# -- the picture ------------------------------------------------------------------------------------


def _picture(found: Composition, read: ComposedReadings | None) -> Iterator[Illustration]:
    """Zones and what they are exposed to; of many zones the one that decides, and its neighbours."""
    if found.division is None or len(found.zones) < 2:
        return
    decides = found.lost_zone if read is None else read.weakest
    if decides is None:
        decides = next((i for i, zone in enumerate(found.zones) if not zone.defensible), None)
    every = crossings(found)
    shown = _around(every, len(found.zones), decides)
    called = {i: f"{found.zones[i].name} ×{found.zones[i].hosts}" for i in shown}
    graph = found.configuration.system.graph
    assert graph is not None, "what is divided has a picture"
    starts = set(graph.starts)
    nodes = tuple(
        GraphNode(name, name, (ENTRY,) if starts.intersection(found.division.zones[i].nodes) else ())
        for i, name in called.items()
    )
    within = [each for each in every if each.source in called and each.target in called]
    arrows = tuple((called[each.source], called[each.target]) for each in within)
    labels = {arrow: _through(each) for arrow, each in zip(arrows, within, strict=True) if each.exposed > 1}
    promised = [arrow for arrow, each in zip(arrows, within, strict=True) if each.promised == each.exposed]
    drawn = Graph(nodes, arrows, noun="zone", relation="exposure", labels=labels)
    weak = [called[decides]] if decides is not None else []
    says = "lost by itself" if found.lost_zone is not None else "not decided"
    says = "the weakest zone, and what it is exposed to" if found.defensible else says
    yield _illustrated(found, drawn, weak, promised, says, len(found.zones) - len(shown))


def _through(each: Crossing) -> str:
    some = 0 < each.promised < each.exposed
    return f"{each.exposed}, {each.promised} promised" if some else str(each.exposed)


def _illustrated(
    found: Composition,
    graph: Graph,
    weak: list[str],
    promised: list[tuple[str, str]],
    says: str,
    n_left: int,
) -> Illustration:
    from holdfast.report import figures

    left = f" {counted(n_left, 'zone')} further away are not drawn." if n_left else ""
    caption = (
        "Zones, each with its number of hosts. An arrow leads from a zone to one that could be attacked "
        f"through it, with the number of hosts through which it could, if more than one.{left}"
    )
    described = f"{len(graph.nodes)} zones and {len(graph.arrows)} exposures."
    described += f" {listed(weak)}: {says}." if weak else ""
    described += f" Promised: {listed([f'{a} to {b}' for a, b in promised])}." if promised else ""
    return Illustration(
        figures.svg_text(figures.zone_map(graph, weak, promised, says), "zones-"), caption, described
    )


def _around(every: tuple[Crossing, ...], n_zones: int, decides: int | None) -> list[int]:
    """The zones that a picture shows: all, or those nearest to the one that decides."""
    if n_zones <= DRAWN:
        return list(range(n_zones))
    near: dict[int, list[int]] = {}
    for each in every:
        near.setdefault(each.source, []).append(each.target)
        near.setdefault(each.target, []).append(each.source)
    shown = dict.fromkeys([decides or 0])
    for zone in (queue := list(shown)):
        for other in near.get(zone, ()):
            if other not in shown and len(shown) < DRAWN // 2:
                shown[other] = None
                queue.append(other)
    return sorted(shown)
