"""What can be changed in a network: what a design could do without, and what its defenders lack.

A change takes a :class:`~holdfast.game.system.Part` away. Here that is done to the segment, and written as a
variant writes it; both mean the same design.

- ``cut`` a link, ``close`` a way in from outside, ``harden`` a host;
- ``filter`` a link: it stays for its flows, and nothing spreads along it; or all links from one zone to
  another, as one rule;
- ``block``: the defender can shut a link, which stops its flows;
- ``respond``: one step up from who defends now. Whoever acts in every k-th turn acts twice as often; whoever
  acts in every turn, and must detect a compromise first, sees it at once;
- ``watch``: there is a sensor at a host, where a file says what is seen.

A host that moves to another zone is not among them: the links of a segment are between hosts, and which of
them it would take along or leave behind is not said anywhere. A file can say it, as a named change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from holdfast.game import Part
from holdfast.logic import Player
from holdfast.models.network.segment import BLOCKING, NOOP, Link, Segment

LINK, EXPOSURE, HOST = "link", "exposure", "host"
CARRIER, OPENING, DELAY, BLIND_SPOT = "spread along", "opening", "delay", "blind spot"
"""Kinds of parts; a carrier is a link that is in use and along which compromise spreads too, or all links
from one zone to another; an opening is a link that the defender cannot block."""

FILTER_COST, RESPONSE_COST = 2, 5
"""What it costs to filter a link, or to respond faster, where nobody says another price; all else costs 1."""

CUT = "The link is removed for everyone; no flow in the file needs it."
CLOSE = "The host can no longer be compromised from outside."
HARDEN = "Nothing can spread to the host."
FILTER = "The link stays for its flows; compromise no longer spreads along it."
FILTER_ZONES = (
    "One rule between two zones: every link from one to the other stays for its flows, and compromise no "
    "longer spreads along it."
)
BLOCK = "The defender can shut the link; while it is shut, its flows are down."
FASTER = "The defender acts twice as often: more people on duty, or faster procedures."
WATCH = "A compromise of the host is seen as soon as it happens."
AT_ONCE = "A compromise is seen, and can be isolated, at once: detection and isolation are automated."
"""What a change means, in a sentence."""

MORE_THAN_ONE = 2
"""Links from one zone to another from which on a rule between the zones is worth its name."""


def removable(segment: Segment) -> dict[Part, Link | str]:
    """Links, and ways in from outside."""
    links = {Part(LINK, " -> ".join(link), "cut", means=CUT): link for link in segment.links}
    return {**links, **{Part(EXPOSURE, host, "close", means=CLOSE): host for host in segment.exposed}}


def weak_hosts(segment: Segment) -> dict[Part, str]:
    """Hosts that can be compromised, and could be hardened."""
    proof = segment.hardened | {host for host, types in segment.cannot.items() if "spread" in types}
    return {Part(HOST, host, "harden", means=HARDEN): host for host in segment.hosts if host not in proof}


def carriers(segment: Segment) -> dict[Part, tuple[Link, ...]]:
    """What compromise spreads along and could be filtered: single links, and all from one zone to another."""
    links = [link for link in segment.links if link not in segment.filtered]
    single = {
        Part(CARRIER, " -> ".join(link), "filter", cost=FILTER_COST, means=FILTER): (link,) for link in links
    }
    zones = {zone: hosts for zone, hosts in segment.zones.items() if zone not in segment.hosts}
    zone_of = {host: zone for zone, hosts in zones.items() for host in hosts}
    between: dict[Link, tuple[Link, ...]] = {}
    for link in links:
        source, target = (zone_of.get(host) for host in link)
        if source is not None and target is not None and source != target:
            between[source, target] = (*between.get((source, target), ()), link)
    return single | {
        Part(CARRIER, " -> ".join(ends), "filter", cost=FILTER_COST, means=FILTER_ZONES): of
        for ends, of in between.items()
        if len(of) >= MORE_THAN_ONE
    }


def openings(segment: Segment) -> dict[Part, Link]:
    """Links that the defender cannot block, and could be enabled to."""
    allowed = segment.actions.get(Player.DEFENDER)
    if allowed is not None and BLOCKING[0] not in allowed:
        return {}
    return {
        Part(OPENING, " -> ".join(link), "block", means=BLOCK): link
        for link in segment.links
        if link not in segment.gates
    }


def delays(segment: Segment) -> dict[Part, dict[str, Any]]:
    """What keeps the defender from responding sooner, with what the segment has in its place.

    Without ``noop``, to see a compromise at once could even hurt: isolating it did nothing before.
    """
    types, turns = segment.types(Player.DEFENDER), segment.tempo.get(Player.DEFENDER, 1)
    if turns > 1:
        faster = Part(DELAY, "twice as fast", "respond", cost=RESPONSE_COST, means=FASTER)
        return {faster: {"tempo": {**segment.tempo, Player.DEFENDER: turns // 2}}}
    if segment.isolate_detected and {NOOP, "isolate"} <= set(types):
        at_once = Part(DELAY, "at once", "respond", cost=RESPONSE_COST, means=AT_ONCE)
        return {at_once: {"isolate_detected": False}}
    return {}


def blind_spots(segment: Segment) -> dict[Part, str]:
    """Hosts without a sensor, where a compromise is not seen by itself."""
    if segment.sensors is None:
        return {}
    there = frozenset(segment.sensors)
    return {Part(BLIND_SPOT, h, "watch", means=WATCH): h for h in segment.hosts if h not in there}


def without(segment: Segment, taken: frozenset[Part]) -> Segment:
    """The segment without some parts.

    All but blocking and a faster response keep variables, actions and what these do.
    """
    called: dict[str, list[str]] = {}
    for part in taken:
        called.setdefault(part.kind, []).append(part.name)
    links = {" -> ".join(link): link for link in segment.links}
    gone = {*(links[name] for name in called.get(LINK, ())), *called.get(EXPOSURE, ())}
    hard = set(called.get(HOST, ()))
    filtered = {links[name] for name in called.get(CARRIER, ()) if name in links}
    if not links.keys() >= set(called.get(CARRIER, ())):  # rules between zones
        filtered |= {link for part, of in carriers(segment).items() if part in taken for link in of}
    shut = [link for name, link in links.items() if name in called.get(OPENING, ()) and link not in gone]
    sooner = {key: of for part, new in delays(segment).items() if part in taken for key, of in new.items()}
    watched = set(called.get(BLIND_SPOT, ()))
    if watched:
        sooner["sensors"] = tuple(h for h in segment.hosts if h in {*watched, *(segment.sensors or ())})
    return replace(
        segment,
        links=tuple(link for link in segment.links if link not in gone),
        exposed=tuple(host for host in segment.exposed if host not in gone),
        hardened=segment.hardened | hard,
        filtered=segment.filtered | filtered,
        conduits={**segment.conduits, **{"-to-".join(link): (link,) for link in shut}},
        **sooner,
    )


def written(segment: Segment, taken: frozenset[Part]) -> dict[str, Any]:
    """What is taken away, written as the ``network`` section of a variant."""
    kinds: dict[str, list[str]] = {}
    for part in sorted(taken, key=lambda part: part.name):
        kinds.setdefault(part.kind, []).append(part.name)
    hardened = {host: sorted({*segment.cannot.get(host, ()), "spread"}) for host in kinds.get(HOST, ())}
    change: dict[str, Any] = {
        "remove_links": kinds.get(LINK, []),
        "add_links": _settings(segment, taken),
        "change_hosts": [{host: {"cannot": types}} for host, types in hardened.items()],
    }
    if EXPOSURE in kinds:
        change["exposed"] = [host for host in segment.exposed if host not in kinds[EXPOSURE]]
    for part, new in delays(segment).items():
        change |= _paced(segment, new) if part in taken else {}
    if BLIND_SPOT in kinds:
        change["sensors"] = written_sensors(segment, {*kinds[BLIND_SPOT], *(segment.sensors or ())})
    return {key: value for key, value in change.items() if value or key == "exposed"}


def named_singly(change: dict[str, Any], members: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """What a variant says, with the hosts of some groups in place of the groups.

    >>> named_singly({"remove_links": ["GW -> ws", "GW -> DB"], "exposed": ["ws"]}, {"ws": ("a", "b")})
    {'remove_links': ['GW -> a', 'GW -> b', 'GW -> DB'], 'exposed': ['a', 'b']}
    """

    def each(name: str) -> tuple[str, ...]:
        return members.get(name, (name,))

    def links(text: str) -> list[str]:
        source, target = text.split(" -> ")
        return [f"{a} -> {b}" for a in each(source) for b in each(target) if a != b]

    if not members:
        return change
    single = dict(change)
    if "remove_links" in change:
        single["remove_links"] = [link for text in change["remove_links"] for link in links(text)]
    if "add_links" in change:
        single["add_links"] = [
            {**of, "from": a, "to": b}
            for of in change["add_links"]
            for a in each(of["from"])
            for b in each(of["to"])
            if a != b
        ]
    if "change_hosts" in change:
        single["change_hosts"] = [
            {host: new} for of in change["change_hosts"] for name, new in of.items() for host in each(name)
        ]
    if "exposed" in change:
        single["exposed"] = [host for name in change["exposed"] for host in each(name)]
    return single


def written_sensors(segment: Segment, hosts: Collection[str]) -> Any:
    """Sensors at some hosts as a file has them; a list where none is late or misses anything."""
    placed = [host for host in segment.hosts if host in hosts]
    if not placed:
        return "none"
    if not {*segment.late, *segment.missing} & set(placed):
        return placed
    numbers = (("delay", segment.late), ("may_miss", segment.missing))
    return {host: {key: of[host] for key, of in numbers if of.get(host)} for host in placed}


def _settings(segment: Segment, taken: frozenset[Part]) -> list[dict[str, str]]:
    """The links that are filtered or can be blocked; those that are cut need neither."""
    gone = {thing for part, thing in removable(segment).items() if part in taken}
    filtered = [link for part, links in carriers(segment).items() if part in taken for link in links]
    shut = [link for part, link in openings(segment).items() if part in taken]
    settings: dict[Link, dict[str, str]] = {}
    for links, setting in ((filtered, "filter"), (shut, "block")):
        for link in links:
            if link not in gone:
                ends = dict(zip(("from", "to"), link, strict=True))
                settings[link] = settings.get(link, ends) | {setting: "yes"}
    return [settings[link] for link in sorted(settings)]


def _paced(segment: Segment, new: dict[str, Any]) -> dict[str, Any]:
    """A faster response in the words of a file; a reset that was not there does not come by the way."""
    if "isolate_detected" in new:
        return {"isolate": "any"}
    tempo = {str(player): turns for player, turns in new["tempo"].items()}
    again = {"reset": "none"} if segment.reset_probability is None and segment.entries else {}
    return {"tempo": tempo, **again}
