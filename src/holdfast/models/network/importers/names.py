"""Names that the specification language can read, one for each host and zone of a draft.

A name stays as it is where it can. Else what is not a letter, digit, _ or inner - becomes _, a name that
starts with a digit gets an h before it, and a word of the language gets ``_host`` behind it. Two hosts
that would share a name are told apart by their zones, and where that is not enough by numbers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from holdfast.models.network.importers.draft import Draft, NamedPath
from holdfast.scenario import RESERVED

CRITICAL = "critical"
"""The set of critical hosts in the scenario that is written."""

MAX_LENGTH = 60
_MODEL = (
    "C X D I Z active clean noop monitor isolate restore fix spread destroy block unblock open blocked zone"
)
_LITERALS = "null Null NULL true True TRUE false False FALSE"
_TAKEN = {*RESERVED, *_MODEL.split(), *_LITERALS.split(), CRITICAL}
_WRONG = re.compile(r"[^\w-]+")
_BRACED = re.compile(r"\{([^{}]*)\}")


def valid(text: str, kind: str = "host") -> str:
    """The text as a name, unique or not.

    >>> [valid(text) for text in ("Web-1", "New York", "10.0.0.1", "X", "(1, 0)", "", "count")]
    ['Web-1', 'New_York', 'h10_0_0_1', 'X_host', 'h1_0', 'host', 'count_host']
    """
    name = _WRONG.sub("_", unicodedata.normalize("NFKC", text[: 4 * MAX_LENGTH]))
    name = re.sub(r"-*_[-_]*", "_", re.sub(r"-{2,}", "-", name)).strip("_-")[:MAX_LENGTH].rstrip("_-")
    if not name:
        return kind
    if not re.match(r"[^\W\d]", name):
        name = f"{kind[0]}{name}"
    return f"{name}_{kind}" if name in _TAKEN else name


def name_hosts(draft: Draft) -> dict[str, str]:
    """A valid name for each host, all different; hosts whose names are valid keep theirs."""
    zones = draft.zone_of
    wanted = {host: valid(draft.label(host)) for host in draft.hosts}
    often = Counter(draft.label(host) for host in draft.hosts)
    kept = (host for host in draft.hosts if wanted[host] == draft.label(host) and often[wanted[host]] == 1)
    names = {host: wanted[host] for host in kept}
    taken = {*names.values()}
    shared = Counter(wanted.values())
    for host in draft.hosts:
        if host not in names:
            name = wanted[host]
            if shared[name] > 1 and host in zones:
                name = valid(f"{zones[host]}-{name}")
            names[host] = _unused(name, taken)
            taken.add(names[host])
    return {host: names[host] for host in draft.hosts}


def name_zones(draft: Draft, taken: Iterable[str]) -> dict[str, str]:
    """A valid name for each zone that no host has."""
    used = set(taken)
    names: dict[str, str] = {}
    for zone in draft.zones:
        name = valid(zone, "zone")
        names[zone] = _unused(f"{name}_zone" if name in used else name, used)
        used.add(names[zone])
    return names


def named(draft: Draft, hosts: dict[str, str], zones: dict[str, str]) -> Draft:
    """The draft with other names for its hosts and zones, and valid ones for its flows."""
    flows = tuple(_named_flows(draft, hosts))
    final = moved(draft, hosts)
    final_zones = {zones[zone]: of for zone, of in final.zones.items()}
    return replace(final, zones=final_zones, flows=flows, labels={})


def moved(draft: Draft, hosts: Mapping[str, str]) -> Draft:
    """The draft with other names for its hosts, in its sentences, too; two may have become one."""

    def all_of(some: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hosts[host] for host in some))

    def told(sentences: Iterable[str]) -> tuple[str, ...]:
        return tuple(_BRACED.sub(lambda name: f"{{{hosts.get(name[1], name[1])}}}", s) for s in sentences)

    return replace(
        draft,
        hosts=all_of(draft.hosts),
        links={(hosts[a], hosts[b]): services for (a, b), services in draft.links.items()},
        labels={hosts[host]: label for host, label in draft.labels.items()},
        zones={zone: all_of(of) for zone, of in draft.zones.items()},
        entry=all_of(draft.entry),
        exposed=all_of(draft.exposed),
        critical=all_of(draft.critical),
        flows=tuple((title, tuple(hosts[host] for host in path)) for title, path in draft.flows),
        stores=all_of(draft.stores),
        chances={hosts[host]: chance for host, chance in draft.chances.items()},
        link_chances={(hosts[a], hosts[b]): chance for (a, b), chance in draft.link_chances.items()},
        stands_for={hosts[host]: n for host, n in draft.stands_for.items()},
        addresses={hosts[host]: others for host, others in draft.addresses.items()},
        dropped=told(draft.dropped),
        assumed=told(draft.assumed),
        unknown=told(draft.unknown),
        contradictions=told(draft.contradictions),
    )


def unbraced(draft: Draft) -> Draft:
    """The draft with sentences in which hosts stand without braces, once they have their names."""
    hosts = set(draft.hosts)

    def told(sentences: Iterable[str]) -> tuple[str, ...]:
        return tuple(_BRACED.sub(lambda name: name[1] if name[1] in hosts else name[0], s) for s in sentences)

    return replace(
        draft,
        dropped=told(draft.dropped),
        assumed=told(draft.assumed),
        unknown=told(draft.unknown),
        contradictions=told(draft.contradictions),
    )


def _named_flows(draft: Draft, hosts: dict[str, str]) -> Iterator[NamedPath]:
    """The flows with valid names, all different; one without a title goes by its ends."""
    taken: set[str] = set()
    for title, path in draft.flows:
        route = tuple(hosts[host] for host in path)
        wanted = valid(title, "flow") if title else valid(f"{route[0]}-to-{route[-1]}", "flow")
        name = _unused(wanted, taken)
        taken.add(name)
        yield name, route


def _unused(name: str, taken: set[str]) -> str:
    return next(candidate for candidate in _numbered(name) if candidate not in taken)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1
