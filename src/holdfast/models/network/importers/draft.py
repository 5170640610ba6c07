"""What an importer makes of a file: a draft of a network, and what had to be left out.

A draft keeps the names of its file; valid names of the specification language are found when it is
written (:mod:`~holdfast.models.network.importers.names`). While a file is read, its draft grows in a
:class:`Sketch`, which bounds what may become of it: no file can make it larger than
:data:`MAX_DRAFT_HOSTS` and :data:`MAX_DRAFT_LINKS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.models.network.segment import Link

MAX_DRAFT_HOSTS, MAX_DRAFT_LINKS = 20_000, 300_000
"""What is kept of a file while it is read; a scenario holds fewer hosts, and collapsing comes in between."""

NamedPath = tuple[str, tuple[str, ...]]
"""A title and the hosts of a path."""

MAX_DRAFT_FLOWS = 300
"""Flows that are written; more than these nobody would read."""

MANY_HOSTS = 150
"""A network with more hosts than this is asked about zone by zone, because the whole takes too long."""

MAX_SERVICES = 6
"""Services of one link that are named beside it."""


@dataclass(frozen=True)
class Draft:
    """A network as a file tells it.

    Attributes:
        hosts: in the order of the file, by the names that the file gives them.
        links: directed pairs of hosts, with the services behind each, where the file names any.
        labels: shorter names to go by, where the file's own are unwieldy.
        zones: disjoint sets of hosts.
        entry: hosts that the attacker holds at the start.
        exposed: hosts that can be attacked from outside at any time.
        critical: hosts that matter most.
        flows: what links are in use for, where the file says it: each a title and its path of hosts.
        stores: hosts that hold data, of which no two should be lost at a time.
        chances: how likely an attempt to compromise a host succeeds, where the file says it.
        link_chances: how likely one along a link does, where that differs.
        cves: the vulnerabilities that were found on a host, where the file names them.
        stands_for: how many hosts of the file a host stands for, where that is more than one.
        addresses: what else a host goes by in other files: its addresses and full names.
        dropped: what the file says and a segment cannot, one sentence each.
        assumed: what the file does not say and was chosen, one sentence each.
        unknown: what nobody can choose and a person has to fill in, one sentence each.
        contradictions: what one source says and another denies, one sentence each.
        title: what the network is called.
    """

    hosts: tuple[str, ...]
    links: Mapping[Link, tuple[str, ...]]
    labels: Mapping[str, str] = field(default_factory=dict)
    zones: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entry: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    critical: tuple[str, ...] = ()
    flows: tuple[NamedPath, ...] = ()
    stores: tuple[str, ...] = ()
    chances: Mapping[str, Fraction] = field(default_factory=dict)
    link_chances: Mapping[Link, Fraction] = field(default_factory=dict)
    cves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stands_for: Mapping[str, int] = field(default_factory=dict)
    addresses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    title: str = ""

    @property
    def zone_of(self) -> dict[str, str]:
        """The zone of each host that is in one."""
        return {host: zone for zone, hosts in self.zones.items() for host in hosts}

    @property
    def by_zone(self) -> bool:
        """Whether the first requirement is one for each zone: where there are many hosts, all in zones."""
        return len(self.hosts) > MANY_HOSTS and len(self.zone_of) == len(self.hosts)

    @property
    def other_stores(self) -> tuple[str, ...]:
        """The data stores of which no two may be lost at a time; critical ones must never be."""
        others = tuple(host for host in self.stores if host not in self.critical)
        return others if len(others) > 1 else ()

    @property
    def stores_by_zone(self) -> tuple[tuple[str, ...], ...]:
        """The other data stores of each zone that has several."""
        others, zones = set(self.other_stores), self.zones.values()
        by_zone = (tuple(host for host in of if host in others) for of in zones)
        return tuple(stores for stores in by_zone if len(stores) > 1)

    @property
    def critical_flows(self) -> tuple[NamedPath, ...]:
        """The flows that critical hosts take part in.

        Not those of exposed hosts: these can be compromised and destroyed from outside, whatever is done, so
        nobody can promise that such a flow stays up.
        """
        critical, exposed = set(self.critical), set(self.exposed)
        ours = (flow for flow in self.flows if not critical.isdisjoint(flow[1]))
        return tuple(flow for flow in ours if exposed.isdisjoint(flow[1]))

    @property
    def slack(self) -> int:
        """How many hosts may be out of service at once: two, as in the paper's segment, or half of a few."""
        return min(2, len(self.hosts) // 2)

    def label(self, host: str) -> str:
        """What a host goes by."""
        return self.labels.get(host, host)


class Sketch:
    """A draft while its file is read.

    >>> sketch = Sketch("pair")
    >>> sketch.add_host("a", zone="left"); sketch.add_host("b")
    >>> sketch.add_link("a", "b", "ssh"); sketch.add_link("a", "b", "http"); sketch.add_link("b", "b")
    >>> draft = sketch.draft()
    >>> dict(draft.links), dict(draft.zones), draft.dropped
    ({('a', 'b'): ('ssh', 'http')}, {'left': ('a',)}, ('1 link that joins a host to itself',))
    """

    def __init__(self, title: str, budget: Budget = UNLIMITED) -> None:
        """An empty draft with a title."""
        self.title, self.budget = title, budget
        self.hosts: dict[str, str] = {}
        self.links: dict[Link, dict[str, None]] = {}
        self.zones: dict[str, list[str]] = {}
        self.marks: dict[str, dict[str, None]] = {"entry": {}, "exposed": {}, "critical": {}, "stores": {}}
        self.flows: dict[NamedPath, None] = {}
        self.stands_for: dict[str, int] = {}
        self.addresses: dict[str, dict[str, None]] = {}
        self.dropped: dict[str, None] = {}
        self.assumed: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self.contradictions: dict[str, None] = {}
        self.ways: dict[str, dict[str, Fraction]] = {}
        self.n_loops = self.n_ticks = 0

    def add_host(self, host: str, label: str = "", zone: str = "") -> None:
        """Add a host, with a label and a zone if it has them; one that is there already keeps its own."""
        self._tick()
        if host in self.hosts:
            return
        if len(self.hosts) >= MAX_DRAFT_HOSTS:
            raise InputError(
                f"more than {MAX_DRAFT_HOSTS:,} hosts; at most {MAX_DRAFT_HOSTS:,} are read: import a part"
            )
        self.hosts[host] = label
        if zone:
            self.zones.setdefault(zone, []).append(host)

    def add_link(self, source: str, target: str, service: str = "") -> None:
        """Add a link between hosts that are there; another service on the same link joins the first."""
        self._tick()
        if source == target:
            self.n_loops += 1
            return
        if (source, target) not in self.links and len(self.links) >= MAX_DRAFT_LINKS:
            raise InputError(
                f"more than {MAX_DRAFT_LINKS:,} links; at most {MAX_DRAFT_LINKS:,} are read: import a part"
            )
        services = self.links.setdefault((source, target), {})
        if service and len(services) <= MAX_SERVICES:
            services[service] = None

    def use(self, title: str, *path: str) -> None:
        """Say what a path of links, or a host alone, is in use for; a host and itself are no path."""
        if len(set(path)) == len(path):
            self.flows[title, path] = None

    def mark(self, kind: str, host: str) -> None:
        """Mark a host as ``entry``, ``exposed``, ``critical`` or one of the ``stores``."""
        self.marks[kind][host] = None

    def succeed(self, target: str, source: str, chance: Fraction) -> None:
        """Say how likely an attempt to compromise a host succeeds from another, or from outside if empty.

        Of several attempts the likeliest counts.
        """
        own = self.ways.setdefault(target, {})
        own[source] = max(chance, own.get(source, chance))

    def call(self, host: str, *others: str) -> None:
        """Say what else a host goes by: addresses and full names, by which other files may mean it."""
        self.addresses.setdefault(host, {}).update(dict.fromkeys(other for other in others if other))

    def drop(self, *sentences: str) -> None:
        """Say what is left out."""
        self.dropped |= dict.fromkeys(sentences)

    def assume(self, *sentences: str) -> None:
        """Say what the file does not say and was chosen; a host stands in braces."""
        self.assumed |= dict.fromkeys(sentences)

    def ask(self, *sentences: str) -> None:
        """Say what the file does not say and a person has to fill in."""
        self.unknown |= dict.fromkeys(sentences)

    def contradict(self, *sentences: str) -> None:
        """Say what one part of the source says and another denies."""
        self.contradictions |= dict.fromkeys(sentences)

    def draft(self) -> Draft:
        """The draft that has been gathered."""
        return Draft(
            hosts=tuple(self.hosts),
            links={link: _shortened(services) for link, services in self.links.items()},
            labels={host: label for host, label in self.hosts.items() if label},
            zones={zone: tuple(hosts) for zone, hosts in self.zones.items()},
            entry=tuple(self.marks["entry"]),
            exposed=tuple(self.marks["exposed"]),
            critical=tuple(self.marks["critical"]),
            stores=tuple(self.marks["stores"]),
            chances={host: max(own.values()) for host, own in self.ways.items()},
            link_chances={
                (source, host): chance
                for host, own in self.ways.items()
                for source, chance in own.items()
                if source and chance != max(own.values())
            },
            flows=tuple(self.flows) if len(self.flows) <= MAX_DRAFT_FLOWS else (),
            stands_for={host: n for host, n in self.stands_for.items() if n > 1 and host in self.hosts},
            addresses={host: tuple(others) for host, others in self.addresses.items() if host in self.hosts},
            dropped=(*self.dropped, *self._also_dropped()),
            assumed=tuple(self.assumed),
            unknown=tuple(self.unknown),
            contradictions=tuple(self.contradictions),
            title=self.title,
        )

    def _also_dropped(self) -> Iterator[str]:
        if self.n_loops:
            several = "s that join a host" if self.n_loops > 1 else " that joins a host"
            yield f"{self.n_loops:,} link{several} to itself"
        if len(self.flows) > MAX_DRAFT_FLOWS:
            yield f"what {len(self.flows):,} connections are used for, too many to name: add what matters"

    def _tick(self) -> None:
        self.n_ticks += 1
        if self.n_ticks % 4096 == 1:
            self.budget.tick("reading the file")


def _shortened(services: Iterable[str]) -> tuple[str, ...]:
    listed = tuple(services)
    return listed if len(listed) <= MAX_SERVICES else (*listed[:MAX_SERVICES], "…")
