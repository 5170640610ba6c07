"""Several drafts as one: hosts are the same if an address, a full name or a name says so.

What one source says and another denies is listed, never resolved in silence: links are those of all sources,
so that no way in is overlooked; of zones and numbers the first source's are taken, and that is said.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from holdfast.models.network.importers.draft import Draft, NamedPath
from holdfast.models.network.importers.names import moved
from holdfast.models.network.segment import Link

N_LISTED = 6
"""Examples that a sentence names."""

HostOrLink = TypeVar("HostOrLink", str, Link)

_ADDRESS = re.compile(r"[\d.]+(/\d+)?|[0-9a-f:]+:[0-9a-f:.]*(/\d+)?")


@dataclass
class _Joint:
    """A draft of all sources while it grows."""

    labels: dict[str, str] = field(default_factory=dict)
    """What each host goes by."""
    by_address: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    by_name: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    notes: list[str] = field(default_factory=list)


def joined_drafts(drafts: Sequence[tuple[str, Draft]]) -> Draft:
    """One draft of several, each with the name of its source."""
    joint = _Joint()
    maps = [_placed(joint, source, draft) for source, draft in drafts]
    placed = [(source, moved(draft, hosts)) for (source, draft), hosts in zip(drafts, maps, strict=True)]
    links: dict[Link, dict[str, None]] = {}
    for _, draft in placed:
        for link, services in draft.links.items():
            links.setdefault(link, {}).update(dict.fromkeys(services))
    zones: dict[str, list[str]] = {}
    settled: set[str] = set()
    for _, draft in placed:
        for zone, hosts in draft.zones.items():
            zones.setdefault(zone, []).extend(host for host in hosts if host not in settled)
        settled |= set(draft.zone_of)
    flows: dict[NamedPath, None] = {}
    for _, draft in placed:
        known = {path for _, path in flows}
        flows |= {flow: None for flow in draft.flows if flow[1] not in known}
    notes = [*joint.notes, *_disagreements(joint, placed)]
    return Draft(
        hosts=tuple(joint.labels),
        links={link: tuple(services) for link, services in links.items()},
        labels={host: label for host, label in joint.labels.items() if label != host},
        zones={zone: tuple(hosts) for zone, hosts in zones.items() if hosts},
        entry=_all(draft.entry for _, draft in placed),
        exposed=_all(draft.exposed for _, draft in placed),
        critical=_all(draft.critical for _, draft in placed),
        flows=tuple(flows),
        stores=_all(draft.stores for _, draft in placed),
        chances=_largest(draft.chances.items() for _, draft in placed),
        link_chances=_largest(draft.link_chances.items() for _, draft in placed),
        stands_for={host: n for _, draft in reversed(placed) for host, n in draft.stands_for.items()},
        addresses={host: _all(draft.addresses.get(host, ()) for _, draft in placed) for host in joint.labels},
        dropped=_told(placed, "dropped"),
        assumed=_told(placed, "assumed"),
        unknown=(*_told(placed, "unknown"), *_alone(joint, placed)),
        contradictions=(*_told(placed, "contradictions"), *notes),
        title=" and ".join(dict.fromkeys(draft.title for _, draft in drafts if draft.title)),
    )


# -- which hosts are the same -------------------------------------------------------------------------


def _placed(joint: _Joint, source: str, draft: Draft) -> dict[str, str]:
    """For each host of a draft the host that it is among those of all sources, added where it is new."""
    names = Counter(name for host in draft.hosts for name in _names(draft, host))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for host in draft.hosts:
        by_address = _known(joint.by_address, _addresses(draft, host), taken)
        by_name = _known(joint.by_name, (n for n in _names(draft, host) if names[n] == 1), taken)
        label = draft.label(host)
        if len(by_address) > 1 or (not by_address and len(by_name) > 1):
            several = " or ".join(f"{{{one}}}" for one in (by_address or by_name)[:N_LISTED])
            joint.notes.append(f"{label} of {source} may be {several}: it is kept apart; rename one")
            by_address = by_name = []
        elif by_address and by_name and by_address != by_name:
            joint.notes.append(
                f"{label} of {source} is {{{by_address[0]}}} by its address and {{{by_name[0]}}} by its "
                "name: the address was taken"
            )
        same = next(iter([*by_address, *by_name]), None)
        found[host] = same if same is not None else _fresh(joint, host, source)
        joint.labels.setdefault(found[host], label)
        taken.add(found[host])
    for host, same in found.items():
        for address in _addresses(draft, host):
            joint.by_address[address][same] = None
        for name in _names(draft, host):
            joint.by_name[name][same] = None
    return found


def _known(of: dict[str, dict[str, None]], keys: Iterable[str], taken: set[str]) -> list[str]:
    """The hosts that keys mean, without those that another host of the same source is already."""
    hosts = dict.fromkeys(host for key in keys if key in of for host in of[key])
    return [host for host in hosts if host not in taken]


def _fresh(joint: _Joint, host: str, source: str) -> str:
    return host if host not in joint.labels else f"{host} ({source})"


def _addresses(draft: Draft, host: str) -> list[str]:
    """Addresses and full names, which belong to one host alone."""
    given = [*draft.addresses.get(host, ()), host, draft.label(host)]
    lowered = (text.strip().lower() for text in given)
    return [text for text in lowered if _ADDRESS.fullmatch(text) or ("." in text and " " not in text)]


def _names(draft: Draft, host: str) -> list[str]:
    """Short names: the label, and full names without their domain."""
    given = (text.strip().lower() for text in (draft.label(host), *draft.addresses.get(host, ())))
    short = (text.split(".", 1)[0] for text in given if text and not _ADDRESS.fullmatch(text))
    return [*dict.fromkeys(re.sub(r"[\s_]+", "-", text) for text in short if text)]


# -- what they say ------------------------------------------------------------------------------------


def _disagreements(joint: _Joint, placed: Sequence[tuple[str, Draft]]) -> Iterator[str]:
    """What one source says and another denies, a sentence for each kind and pair of sources."""
    for i, (source, draft) in enumerate(placed):
        for other_source, other in placed[i + 1 :]:
            both = [host for host in draft.hosts if host in set(other.hosts)]
            yield from _links_apart(set(both), source, draft, other_source, other)
            zones, other_zones = draft.zone_of, other.zone_of
            apart = [
                f"{{{host}}} ({zones[host]}, {other_zones[host]})"
                for host in both
                if host in zones and host in other_zones and zones[host] != other_zones[host]
            ]
            if apart:
                where = f"{source} and {other_source} put {_some(apart)} in different zones"
                yield f"{where}: the first source's were taken"
            for ours, one, theirs, two in (
                (draft, source, other, other_source),
                (other, other_source, draft, source),
            ):
                only = [f"{{{host}}}" for host in ours.exposed if host in both and host not in theirs.exposed]
                if only and theirs.exposed:
                    told = "are exposed" if len(only) > 1 else "is exposed"
                    yield f"{_some(only)} {told} in {one} and not in {two}: taken as exposed"
            sizes = [
                f"{{{host}}} ({draft.stands_for.get(host, 1)}, {n})"
                for host, n in other.stands_for.items()
                if host in both and host in draft.stands_for and n != draft.stands_for[host]
            ]
            if sizes:
                yield (
                    f"{source} and {other_source} count {_some(sizes)} differently: "
                    "the first source's were taken"
                )
            chances = [host for host, p in other.chances.items() if draft.chances.get(host, p) != p]
            if chances:
                named = _some([f"{{{host}}}" for host in chances])
                yield (
                    f"{source} and {other_source} give other chances for {named}: the larger ones were taken"
                )


def _links_apart(both: set[str], source: str, draft: Draft, other_source: str, other: Draft) -> Iterator[str]:
    """Links between hosts that both sources know, of which only one has them."""
    for ours, one, theirs, two in (
        (draft, source, other, other_source),
        (other, other_source, draft, source),
    ):
        if not theirs.links:
            continue
        only = [
            link for link in ours.links if link[0] in both and link[1] in both and link not in theirs.links
        ]
        if only:
            named = _some([f"{{{a}}} -> {{{b}}}" for a, b in only])
            yield f"{one} has {named}, which {two} does not have between hosts that it knows: taken as links"


def _alone(joint: _Joint, placed: Sequence[tuple[str, Draft]]) -> Iterator[str]:
    """The hosts that only one source has: others may know them under another name."""
    often = Counter(host for _, draft in placed for host in draft.hosts)
    for source, draft in placed:
        only = [f"{{{host}}}" for host in draft.hosts if often[host] == 1]
        if only:
            yield (
                f"whether hosts that only {source} has ({_some(only)}) are in another source "
                "under another name"
            )


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - N_LISTED:,} more" if len(texts) > N_LISTED else ""
    return ", ".join(texts[:N_LISTED]) + more


def _told(placed: Sequence[tuple[str, Draft]], field: str) -> tuple[str, ...]:
    """The sentences of all sources; one that all of them have stands once."""
    of: dict[str, list[str]] = {}
    for source, draft in placed:
        for sentence in getattr(draft, field):
            of.setdefault(sentence, []).append(source)
    return tuple(s if len(by) == len(placed) else f"{', '.join(by)}: {s}" for s, by in of.items())


def _all(parts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(host for part in parts for host in part))


def _largest(parts: Iterable[Iterable[tuple[HostOrLink, Fraction]]]) -> dict[HostOrLink, Fraction]:
    largest: dict[HostOrLink, Fraction] = {}
    for part in parts:
        for key, chance in part:
            largest[key] = max(chance, largest.get(key, chance))
    return largest
