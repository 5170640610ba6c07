"""Hosts that a segment does not tell apart: found, put together as a counted group, and written out again.

Two hosts are alike if exchanging their names changes nothing: they have the same abilities, value, sets and
zone, are both entries or exposed or neither, and have the same links to and from all others. Among alike
hosts then either none reaches another or every one reaches every other, so that two keys find all classes in
one walk over the links: a host's links, and its links with one to itself added.

That goes for the paths of flows, too: each has to lead through any other of them. The ends of a flow that
takes any path are not counted, and where chances or sensors speak of single hosts nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice, product

from holdfast.game import Flow, FlowRoute
from holdfast.logic import action_target, action_type
from holdfast.models.network.host_groups import counter_names
from holdfast.models.network.segment import Link, Segment

HostClass = tuple[str, ...]

_SIGNS = re.compile(r"[\W\d_]*$")


def alike_hosts(segment: Segment) -> tuple[HostClass, ...]:
    """The classes of two or more hosts that are alike and may be counted.

    >>> from holdfast.models.network.segment import segment_of
    >>> links = [("GW", "A"), ("GW", "B"), ("A", "DB"), ("B", "DB")]
    >>> alike_hosts(segment_of(["GW", "A", "B", "DB"], links, "GW"))
    (('A', 'B'),)
    """
    if segment.chance or segment.link_chance or segment.sensors is not None:
        return ()
    marks = _marks(segment)
    ways: dict[str, set[Hashable]] = {host: set() for host in segment.hosts}
    for source, target in segment.links:
        kind = segment.gates.get((source, target), ()), (source, target) in segment.filtered
        ways[source].add(("to", target, kind))
        ways[target].add(("from", source, kind))
    for flow in segment.flows:
        for route in flow.routes:
            for place, host in enumerate(route):
                ways[host].add(("on", flow.name, route[:place], route[place + 1 :]))
    ends = {host for flow in segment.flows for host in flow.ends or ()}
    aside = ends | set(segment.counted) | segment.apart
    classes: dict[Hashable, list[str]] = {}
    plain = (), False
    for host in (host for host in segment.hosts if host not in aside):
        for itself in (False, True):
            own = ways[host] | ({("to", host, plain), ("from", host, plain)} if itself else set())
            classes.setdefault((itself, marks[host], frozenset(own)), []).append(host)
    return tuple(tuple(own) for own in classes.values() if len(own) > 1)


def _marks(segment: Segment) -> dict[str, Hashable]:
    """What a host has of its own."""
    sets: dict[str, list[str]] = {host: [] for host in segment.hosts}
    for kind in (segment.groups, segment.zones, segment.alike):
        for name, hosts in kind.items():
            for host in hosts:
                sets[host].append(name)
    return {
        host: (
            host in segment.entries,
            host in segment.exposed,
            host in segment.hardened,
            segment.cannot.get(host, frozenset()),
            segment.values.get(host, 1),
            frozenset(sets[host]),
        )
        for host in segment.hosts
    }


def counted_hosts(segment: Segment, classes: Sequence[HostClass]) -> Segment:
    """The segment with some classes of alike hosts counted."""
    named = _names(segment, classes)
    group_of = {host: named[own] for own in classes for host in own}
    sizes = {named[own]: len(own) for own in classes}
    return _renamed(segment, lambda host: (group_of.get(host, host),), {**segment.counted, **sizes})


def _names(segment: Segment, classes: Sequence[HostClass]) -> dict[HostClass, str]:
    """What classes are called: as their group is, or by what their names begin with."""
    declared_sets = {**segment.groups, **segment.alike}
    groups = {frozenset(of): name for name, of in declared_sets.items() if name not in segment.zones}
    around = {host: name for name, of in declared_sets.items() for host in of}
    taken = {*segment.hosts, *segment.groups, *segment.zones, *segment.conduits}
    named: dict[HostClass, str] = {}
    for own in classes:
        declared, stem = groups.get(frozenset(own)), _stem(own)
        within = around.get(own[0], stem)
        tries = [
            declared,
            stem,
            within and f"other_{within}",
            *(f"like_{own[0]}{'_' * n}" for n in range(len(taken) + 1)),
        ]
        named[own] = next(
            name
            for name in tries
            if name and (name == declared or name not in taken) and taken.isdisjoint(counter_names(name))
        )
        taken |= {named[own], *counter_names(named[own])}
    return named


def _stem(names: Sequence[str]) -> str:
    """What all names begin with, without digits and signs at its end: WS of WS01 and WS02."""
    first, last = min(names), max(names)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return _SIGNS.sub("", first[:n])


def single_hosts(segment: Segment) -> Segment:
    """The segment with every counted host written out: ``ws1``, ``ws2``, … as a group without ``alike``."""
    taken = {*segment.hosts, *segment.groups, *segment.zones, *segment.conduits} - set(segment.counted)
    members: dict[str, tuple[str, ...]] = {}
    for name, size in segment.counted.items():
        free = (each for n in count(1) if (each := f"{name}{n}") not in taken)
        members[name] = tuple(islice(free, size))
        taken |= {*members[name]}
    named = {flow.name: replace(flow, routes=segment.routes[flow.name], ends=None) for flow in segment.flows}
    through = {name for name in named if any(h in members for r in named[name].routes for h in r)}
    paths = tuple(named[flow.name] if flow.name in through else flow for flow in segment.flows)
    whole = replace(segment, flows=paths)  # of any path those that there are: written out they are many
    written = _renamed(whole, lambda host: members.get(host, (host,)), {})
    return replace(written, alike={**written.alike, **members})


def _renamed(segment: Segment, meant: Callable[[str], HostClass], counted: Mapping[str, int]) -> Segment:
    """The segment with other hosts in place of each; several may become one, and one several."""

    def hosts(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for name in names for each in meant(name)))

    def links(pairs: Iterable[Link]) -> tuple[Link, ...]:
        ends = ((a, b) for source, target in pairs for a in meant(source) for b in meant(target))
        return tuple(dict.fromkeys((a, b) for a, b in ends if a != b or a in counted))

    def path(hosts: FlowRoute) -> Iterator[FlowRoute]:
        return (each for each in product(*map(meant, hosts)) if len(set(each)) == len(each))

    def flow(given: Flow) -> Flow:
        return replace(given, routes=tuple(dict.fromkeys(r for route in given.routes for r in path(route))))

    def likely(name: str) -> Iterator[str]:
        target = action_target(name)
        return (f"{action_type(name)}({each})" for each in meant(target)) if target else iter((name,))

    def sets(given: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        return {name: hosts(of) for name, of in given.items()}

    return replace(
        segment,
        hosts=hosts(segment.hosts),
        links=links(segment.links),
        entries=hosts(segment.entries),
        groups=sets(segment.groups),
        zones=sets(segment.zones),
        alike=sets(segment.alike),
        exposed=hosts(segment.exposed),
        hardened=frozenset(hosts(segment.hardened)),
        apart=frozenset(hosts(segment.apart)),
        cannot={each: types for host, types in segment.cannot.items() for each in meant(host)},
        values={each: value for host, value in segment.values.items() for each in meant(host)},
        conduits={name: links(of) for name, of in segment.conduits.items()},
        filtered=frozenset(links(segment.filtered)),
        flows=tuple(map(flow, segment.flows)),
        chance={each: chance for name, chance in segment.chance.items() for each in likely(name)},
        link_chance={pair: p for link, p in segment.link_chance.items() for pair in links([link])},
        counted=counted,
    )
