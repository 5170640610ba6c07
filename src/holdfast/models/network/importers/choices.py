"""What a person asks of a draft, and what is chosen where neither the file nor the person says it."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count

from holdfast.composition import communities
from holdfast.errors import InputError, did_you_mean
from holdfast.game import counted
from holdfast.models.network.importers.draft import MANY_HOSTS, Draft, NamedPath
from holdfast.models.network.importers.names import valid
from holdfast.scenario import shortened

DEFENDER = "staffed"
"""Who defends a network of which the file does not say it: people, who must detect before they isolate."""

STORES = frozenset(
    (
        *("db", "database", "sql", "mysql", "postgres", "postgresql", "mongo", "mongodb", "redis", "oracle"),
        *("backup", "bk", "storage", "nas", "files", "fileserver", "vault", "warehouse", "historian"),
    )
)
"""Words in the name of a host that holds data."""

_WORD = re.compile(r"[a-z]+")

LARGE_ZONE = 60
"""Hosts of a zone from which on it is divided, where a network is asked about zone by zone."""

N_CRITICAL = 2
"""How many critical hosts are chosen where the file names none."""


def with_marks(draft: Draft, entry: Sequence[str] = (), critical: Sequence[str] = ()) -> Draft:
    """The draft with other entry and critical hosts, where any are given; a zone means all its hosts.

    Raises:
        InputError: for a name that the file does not have.
    """
    if entry:
        draft = replace(draft, entry=_found(draft, entry, "--entry"), exposed=())
    if critical:
        draft = replace(draft, critical=_found(draft, critical, "--critical"))
    return draft


def _found(draft: Draft, names: Sequence[str], option: str) -> tuple[str, ...]:
    """The hosts that names mean: as the file calls them, by their labels, or as they will be called."""
    meant: dict[str, tuple[str, ...]] = {}
    for name, hosts in draft.zones.items():
        meant |= {valid(name, "zone"): hosts, name: hosts}
    for called in (lambda host: valid(draft.label(host)), draft.label, str):
        meant |= {called(host): (host,) for host in draft.hosts}
    chosen: dict[str, None] = {}
    for name in (part for given in names for part in ([given] if given in meant else given.split(","))):
        if name not in meant:
            listed = ", ".join(shortened(draft.label(host), 30) for host in draft.hosts[:8])
            more = ", …" if len(draft.hosts) > 8 else ""
            hint = did_you_mean(name, meant) or f"; the hosts are {listed}{more}"
            raise InputError(f'{option}: there is no host "{shortened(name)}"{hint}')
        chosen |= dict.fromkeys(meant[name])
    return tuple(chosen)


def both_ways(draft: Draft) -> Draft:
    """The draft with every link in both directions."""
    links = {**draft.links}
    for (source, target), services in draft.links.items():
        links.setdefault((target, source), services)
    return replace(draft, links=links)


def with_defaults(draft: Draft) -> Draft:
    """The draft with an entry and critical hosts in any case, and a sentence on what had to be chosen."""
    assumed = [*draft.assumed]
    if not draft.entry and not draft.exposed:
        host, why = _likely_entry(draft)
        draft = replace(draft, entry=(host,))
        assumed.append(f"entry: {{{host}}}, because {why}; name others with --entry")
    if not draft.critical:
        chosen = _farthest(draft)
        draft = replace(draft, critical=chosen)
        names = " and ".join(f"{{{host}}}" for host in chosen)
        assumed.append(f"critical: {names}, the farthest from the attacker's entry; see --critical")
    if not draft.stores:
        draft = replace(draft, stores=_called_stores(draft))
        names = ", ".join(f"{{{host}}}" for host in draft.other_stores)
        if names:
            where = " of a zone" if len(draft.hosts) > MANY_HOSTS else ""
            assumed.append(f"data stores: {names}, by their names; no two{where} may be lost at a time")
    assumed += _both(draft)
    if len(draft.hosts) > MANY_HOSTS:
        draft = _zoned(draft, assumed)
    of_each = " of each zone" if draft.by_zone else ""
    kept = f"stay in service, and at most {counted(draft.slack, 'host')}{of_each} out of service at a time"
    if draft.critical_flows:
        kept = "their flows stay up"
    assumed.append(f"requirement: critical hosts are never lost and {kept}; adapt it under specs")
    assumed.append(f"defender: {DEFENDER}, who must detect a compromise before isolating it; see defender")
    return replace(draft, assumed=tuple(assumed))


def _zoned(draft: Draft, assumed: list[str]) -> Draft:
    """The draft with every host in a zone, and sentences on what that means for the question."""
    zones, inside = dict(draft.zones), set(draft.zone_of)
    for name, hosts in draft.zones.items():
        parts = _parted(draft, hosts) if len(hosts) > LARGE_ZONE else []
        if len(parts) > 1:
            del zones[name]
            zones |= {f"{name} {number}": part for number, part in enumerate(parts, 1)}
            assumed.append(
                f"zones: {name}, {len(hosts):,} hosts, too many to be asked about at once, is divided into "
                f"{counted(len(parts), 'group')} with most of their links inside; put your own under zones"
            )
    rest = [host for host in draft.hosts if host not in inside]
    if rest:
        parts = _parted(draft, rest)
        taken = {*zones, *draft.zones}
        numbers = (number for number in count(1) if f"zone{number}" not in taken)
        zones |= {f"zone{number}": part for number, part in zip(numbers, parts, strict=False)}
        whose = counted(len(rest), "host") if inside else "hosts"
        assumed.append(
            f"zones: {counted(len(parts), 'group')} of {whose} with most of their links inside, because the "
            "source names none; put your own under zones"
        )
    assumed.append(
        f"{len(draft.hosts):,} hosts are asked about zone by zone: what may be out of service, or lost "
        "together, is counted in each zone and not over the whole, which is harder to keep and to prove"
    )
    return replace(draft, zones=zones)


def _parted(draft: Draft, hosts: Sequence[str]) -> list[tuple[str, ...]]:
    """Some hosts in groups with most of their links inside."""
    within = set(hosts)
    return communities(hosts, [link for link in draft.links if within.issuperset(link)])


def _called_stores(draft: Draft) -> tuple[str, ...]:
    """Hosts whose names say that they hold data."""
    return tuple(host for host in draft.hosts if STORES & set(_WORD.findall(draft.label(host).lower())))


def _both(draft: Draft) -> list[str]:
    """What is critical although the attacker is there, or can be at any time: it cannot be kept."""
    notes = []
    for host in draft.critical:
        if host in draft.entry or host in draft.exposed:
            where = "is where the attacker starts" if host in draft.entry else "is exposed"
            notes.append(
                f"{{{host}}} is critical, and {where}: it cannot be protected from loss; see --critical"
            )
    return notes


def _likely_entry(draft: Draft) -> tuple[str, str]:
    """Where the attacker may come in, if possible on a way to what is critical, and why."""
    targets = {target for _, target in draft.links}
    sources = {source for source, _ in draft.links}
    others = [host for host in draft.hosts if host not in draft.critical] or [*draft.hosts]
    ahead = _leading_to(draft, draft.critical)
    others = [host for host in others if host in ahead] or others
    for host in others:
        if host not in targets and host in sources:
            return host, "links lead from it and none to it"
    degree = Counter(source for source, _ in draft.links)
    return max(others, key=lambda host: degree[host]), "it has the most links"


def _leading_to(draft: Draft, hosts: Iterable[str]) -> set[str]:
    """The hosts from which links lead to some of these, in however many steps."""
    before: dict[str, list[str]] = {host: [] for host in draft.hosts}
    for source, target in draft.links:
        before[target].append(source)
    found, queue = set[str](), [source for host in hosts for source in before[host]]
    while queue:
        host = queue.pop()
        if host not in found:
            found.add(host)
            queue += before[host]
    return found


def _farthest(draft: Draft) -> tuple[str, ...]:
    """The hosts that take the most steps to reach, of those that can be reached; the last ones of them."""
    steps = distances(draft)
    inside = [host for host in draft.hosts if steps.get(host, 0) > 0]
    inside = inside or [host for host in draft.hosts if host not in draft.entry] or [*draft.hosts]
    place = {host: i for i, host in enumerate(inside)}
    ranked = sorted(inside, key=lambda host: (-steps.get(host, 0), -place[host]))[:N_CRITICAL]
    return tuple(sorted(ranked, key=place.__getitem__))


def distances(draft: Draft) -> dict[str, int]:
    """How many spreads it takes from where the attacker comes in, for each host that can be reached."""
    after: dict[str, list[str]] = {host: [] for host in draft.hosts}
    for source, target in draft.links:
        after[source].append(target)
    distance = dict.fromkeys(draft.exposed, 1) | dict.fromkeys(draft.entry, 0)
    queue = deque(sorted(distance, key=lambda host: distance[host]))
    while queue:
        host = queue.popleft()
        for target in after[host]:
            if target not in distance:
                distance[target] = distance[host] + 1
                queue.append(target)
    return distance


def unreachable(draft: Draft) -> tuple[str, ...]:
    """The critical hosts that nothing leads to from where the attacker comes in."""
    steps = distances(draft)
    return tuple(host for host in draft.critical if host not in steps)


# -- fewer hosts ------------------------------------------------------------------------------------


def collapsed(draft: Draft, by: str) -> Draft:
    """The draft with one host for each zone, or for each group of hosts that are alike.

    Hosts are alike if they stand in one zone, have the same links to and from all others, and are the same to
    the attacker and to the requirement. One that is marked gives its mark to the host that stands for it.

    >>> links = dict.fromkeys([("gw", "a"), ("gw", "b"), ("a", "db"), ("b", "db")], ())
    >>> found = collapsed(Draft(("gw", "a", "b", "db"), links), "group")
    >>> found.hosts, list(found.links), dict(found.stands_for)
    (('gw', 'a', 'db'), [('gw', 'a'), ('a', 'db')], {'a': 2})

    Raises:
        InputError: for zones where the file has none.
    """
    zones = draft.zone_of
    if by == "zone":
        if not zones:
            raise InputError("--collapse zone: the file has no zones; try --collapse group")
        head = {host: draft.zones[zones[host]][0] if host in zones else host for host in draft.hosts}
    else:
        head = _alike(draft)
    sizes: Counter[str] = Counter()
    for host in draft.hosts:
        sizes[head[host]] += draft.stands_for.get(host, 1)
    links: dict[tuple[str, str], dict[str, None]] = {}
    for (source, target), services in draft.links.items():
        if head[source] != head[target]:
            links.setdefault((head[source], head[target]), {}).update(dict.fromkeys(services))
    hosts = tuple(dict.fromkeys(head[host] for host in draft.hosts))
    kept = set(hosts)
    labels = {host: label for host, label in draft.labels.items() if host in kept}
    left = {zone: tuple(host for host in of if host in kept) for zone, of in draft.zones.items()}
    if by == "zone":
        labels |= {of[0]: zone for zone, of in draft.zones.items()}
        left = {}
    n_gone = len(draft.hosts) - len(hosts)
    notes = (f"{n_gone} hosts, which others of their {by} stand for",) if n_gone else ()
    return replace(
        draft,
        hosts=hosts,
        links={link: tuple(services) for link, services in links.items()},
        labels=labels,
        zones=left,
        entry=_heads(draft.entry, head),
        exposed=_heads(draft.exposed, head),
        critical=_heads(draft.critical, head),
        flows=_collapsed_flows(draft.flows, head),
        stores=_heads(draft.stores, head),
        chances=_likeliest((head[host], chance) for host, chance in draft.chances.items()),
        link_chances={},
        stands_for={host: sizes[host] for host in hosts if sizes[host] > 1},
        addresses={host: others for host, others in draft.addresses.items() if host in kept},
        dropped=(*draft.dropped, *notes),
    )


def _collapsed_flows(flows: Iterable[NamedPath], head: dict[str, str]) -> tuple[NamedPath, ...]:
    """The flows between hosts that stand for others, each path once; what stays within one host is none."""
    by_path: dict[tuple[str, ...], str] = {}
    for title, path in flows:
        short = tuple(dict.fromkeys(head[host] for host in path))
        if len(short) > 1 or len(path) == 1:
            by_path.setdefault(short, title)
    return tuple((title, path) for path, title in by_path.items())


def _likeliest(chances: Iterable[tuple[str, Fraction]]) -> dict[str, Fraction]:
    """The largest chance of each host that stands for others."""
    largest: dict[str, Fraction] = {}
    for host, chance in chances:
        largest[host] = max(chance, largest.get(host, chance))
    return largest


def _heads(hosts: Iterable[str], head: dict[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(head[host] for host in hosts))


def _alike(draft: Draft) -> dict[str, str]:
    """For each host the first one that it is like: joined to each other, or not joined at all."""
    out: dict[str, set[str]] = {host: set() for host in draft.hosts}
    into: dict[str, set[str]] = {host: set() for host in draft.hosts}
    for source, target in draft.links:
        out[source].add(target)
        into[target].add(source)
    zones = draft.zone_of
    ways: dict[str, set[tuple[str, Fraction]]] = {host: set() for host in draft.hosts}
    for (source, target), chance in draft.link_chances.items():
        ways[source].add(("from", chance))
        ways[target].add(("to", chance))
    marks = [set(of) for of in (draft.entry, draft.exposed, draft.critical)]
    head: dict[str, str] = {}
    first: dict[object, str] = {}
    for host in draft.hosts:
        same = (
            zones.get(host),
            draft.chances.get(host),
            frozenset(ways[host]),
            *(host in of for of in marks),
        )
        apart = (same, frozenset(out[host]), frozenset(into[host]))
        joined = (same, frozenset(out[host] | {host}), frozenset(into[host] | {host}))
        head[host] = first.get(("apart", *apart)) or first.get(("joined", *joined)) or host
        first.setdefault(("apart", *apart), head[host])
        first.setdefault(("joined", *joined), head[host])
    return head
