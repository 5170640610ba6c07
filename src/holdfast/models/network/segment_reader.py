"""The ``network:`` section: its shape and, with a variant's changes, the game that it means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field, PlainValidator, Tag, WithJsonSchema

from holdfast.budget import Budget
from holdfast.errors import did_you_mean
from holdfast.models.network.segment import (
    ADVERSARY_TYPES,
    DEFAULT_RESET,
    DEFENDER_TYPES,
    STATUSES,
    Link,
    Segment,
    system_of,
)
from holdfast.source.places import placed, shortened
from holdfast.source.shape import (
    FileSection,
    Name,
    Probability,
    by_kind,
    check_name,
    check_new,
    leaf,
    one_of,
)
from holdfast.source.yaml import Node, exact
from holdfast.system import System

MAX_HOSTS, MAX_GROUP, MAX_LINKS = 1_000, 500, 300_000

_LINK = re.compile(r"\s*([^\s<>]+?)\s*(<->|->)\s*([^\s<>]+)\s*")
_TAKEN = dict.fromkeys(("active", "clean"), "a quantity")
_TAKEN |= dict.fromkeys(STATUSES, "a status")
_TAKEN |= dict.fromkeys((*DEFENDER_TYPES, *ADVERSARY_TYPES), "an action")


LinkText = Annotated[
    str, leaf("a link such as GW -> Web", str), WithJsonSchema({"type": "string", "pattern": "->"})
]


class HostGroup(FileSection):
    """Several hosts that are alike."""

    called = "a group of hosts"
    count: int = Field(ge=1, le=MAX_GROUP, description="how many there are; they are named name1, name2, …")


class ResetChance(FileSection):
    """A new engagement begins in an all-clean state with this probability."""

    called = "reset"
    probability: Probability = Field(description="chance of a reset, from 0 to 1")


_Groups = Annotated[dict[str, HostGroup], Field(min_length=1, max_length=1)]
_Host = Annotated[
    Annotated[Name, Tag("~scalar")] | Annotated[_Groups, Tag("~mapping")],
    by_kind("a host name, or a group such as workstations: {count: 40}", "~scalar", "~mapping"),
]
Hosts = Annotated[list[_Host], Field(max_length=MAX_HOSTS)]
_NoReset = Annotated[str, PlainValidator(one_of("none")), WithJsonSchema({"const": "none"})]
NetworkReset = Annotated[
    Annotated[_NoReset, Tag("~scalar")]
    | Annotated[None, Tag("~null")]
    | Annotated[ResetChance, Tag("~mapping")],
    by_kind("none, or {probability: 0.1}", "~scalar", "~null", "~mapping"),
]


class NetworkSection(FileSection):
    """A network segment (sec. instantiation of the paper)."""

    called = "network"
    hosts: Annotated[Hosts, Field(min_length=1)] = Field(
        description="a list of names, or of groups such as workstations: {count: 40}",
        examples=[["GW", "Web", "DB"]],
    )
    links: list[LinkText] = Field(
        description="a list of A -> B, or A <-> B for both directions; a group stands for every member",
        examples=[["GW -> Web", "Web <-> DB"]],
    )
    sets: dict[str, list[Name]] = Field(
        default_factory=dict,
        description="named sets of hosts, for links and for count(critical in {X, D, Z})",
        examples=[{"critical": ["DB", "BK"]}],
    )
    entry: Name = Field(description="the host that is compromised at the start", examples=["GW"])
    reset: NetworkReset = Field(
        default=None, description="{probability: 0.1} if left out, or none for no resets"
    )


class NetworkChange(FileSection):
    """What a variant changes in a network."""

    called = "the network of a variant"
    links: list[LinkText] = Field(default_factory=list, description="all links, in place of the base's")
    add_links: list[LinkText] = Field(default_factory=list, description="links to add")
    remove_links: list[LinkText] = Field(default_factory=list, description="links to remove")
    add_hosts: Hosts = Field(default_factory=list, description="hosts to add, after the base's")
    remove_hosts: list[Name] = Field(default_factory=list, description="hosts to remove, with their links")
    entry: Name = Field(default=None, description="another entry host")
    reset: NetworkReset = Field(default=None, description="other engagement resets")


@dataclass
class _Gathering:
    """Hosts, groups and links while they are gathered; each remembers the node that declared it."""

    hosts: dict[str, Node]
    groups: dict[str, list[str]]
    links: dict[Link, Node]

    # -- hosts ----------------------------------------------------------------------------------

    def add_hosts(self, items: Iterable[Node]) -> None:
        """Append hosts and groups of hosts."""
        for item in items:
            if item.kind == "scalar":
                self.add_host(check_name(item, "a host"), item)
                continue
            (key,) = item.keys.values()
            name, count = check_name(key, "a group of hosts"), item[key.text]["count"].value
            assert isinstance(count, int)
            self.refuse_taken(name, key)
            self.groups[name] = [f"{name}{i}" for i in range(1, count + 1)]
            for member in self.groups[name]:
                self.add_host(member, key)

    def add_sets(self, section: Node) -> None:
        """Name sets of hosts that are there; groups may be members and mean all of theirs."""
        for name, node in section.entries.items():
            key = section.keys[name]
            check_name(key, "a set of hosts")
            self.refuse_taken(name, key)
            members = (host for item in node.items for host in self.members(item.text, item, 0))
            self.groups[name] = list(dict.fromkeys(members))

    def add_host(self, name: str, node: Node) -> None:
        """Append one host."""
        self.refuse_taken(name, node)
        if len(self.hosts) >= MAX_HOSTS:
            raise node.problem(f"more than {MAX_HOSTS:,} hosts; at most {MAX_HOSTS:,} are read")
        self.hosts[name] = node

    def refuse_taken(self, name: str, node: Node) -> None:
        """Refuse a name that already stands for something."""
        taken = dict(_TAKEN)
        if name in self.hosts or name in self.groups:
            line, _ = node.source.place((self.hosts.get(name) or node).start)
            what = "host" if name in self.hosts else "group"
            raise node.problem(f'{what} "{name}" is listed twice, first in line {line}; rename or remove one')
        check_new(name, node, taken, "a host")

    def members(self, name: str, node: Node, offset: int) -> list[str]:
        """The hosts that a name in a link stands for."""
        if name in self.groups:
            return self.groups[name]
        if name in self.hosts:
            return [name]
        raise node.problem(f'unknown host "{shortened(name)}"{self.hint(name)}', offset, len(name))

    def hint(self, name: str) -> str:
        """The closest known host, or the first few."""
        known = ", ".join([*self.hosts][:8]) + (", …" if len(self.hosts) > 8 else "")
        return did_you_mean(name, (*self.hosts, *self.groups)) or f"; the hosts are {known}"

    def remove_hosts(self, items: Iterable[Node]) -> None:
        """Remove hosts or whole groups, with their links."""
        for item in items:
            gone = set(self.members(item.text, item, 0))
            self.hosts = {name: node for name, node in self.hosts.items() if name not in gone}
            self.groups = {name: [m for m in of if m not in gone] for name, of in self.groups.items()}
            self.groups = {name: of for name, of in self.groups.items() if of}
            self.links = {link: node for link, node in self.links.items() if not gone & set(link)}

    # -- links ----------------------------------------------------------------------------------

    def pairs(self, node: Node) -> list[Link]:
        """The directed pairs that one line of ``links`` stands for."""
        found = _LINK.fullmatch(node.text)
        if found is None:
            raise node.problem(f"expected one link such as GW -> Web or GW <-> Web, found {node.describe()}")
        source, arrow, target = found.groups()
        if source == target and source not in self.groups:
            self.members(source, node, found.start(1))
            raise node.problem(
                f"link {source} {arrow} {target} joins a host to itself; remove it", found.start(3)
            )
        ends = [self.members(source, node, found.start(1)), self.members(target, node, found.start(3))]
        return list(dict.fromkeys(_directed(ends[0], ends[1], arrow == "<->")))

    def add_links(self, items: Iterable[Node], *, fresh: bool = False) -> None:
        """Add links; with ``fresh`` each line must bring one that is not there yet."""
        for item in items:
            pairs = self.pairs(item)
            if fresh and pairs and all(pair in self.links for pair in pairs):
                raise item.problem(f"link {item.text.strip()} is there already; remove this line")
            self.links |= {pair: item for pair in pairs if pair not in self.links}
            if len(self.links) > MAX_LINKS:
                raise item.problem(f"more than {MAX_LINKS:,} links; at most {MAX_LINKS:,} are read")

    def remove_links(self, items: Iterable[Node]) -> None:
        """Remove links; each line must name one that is there."""
        for item in items:
            pairs = self.pairs(item)
            missing = [pair for pair in pairs if pair not in self.links]
            if missing and (len(missing) == len(pairs) or "<->" in item.text):
                known = did_you_mean(" -> ".join(missing[0]), (" -> ".join(link) for link in self.links))
                raise item.problem(f"there is no link {' -> '.join(missing[0])} to remove{known}")
            for pair in pairs:
                self.links.pop(pair, None)


def _directed(sources: list[str], targets: list[str], both: bool) -> Iterator[Link]:
    for source in sources:
        for target in targets:
            if source != target:
                yield source, target
                if both:
                    yield target, source


def build_segment(section: Node, change: Node | None, budget: Budget) -> System:
    """The network defense game of a ``network:`` section and a variant's changes to it."""
    segment = gather_segment(section, change)
    budget.tick("reading the network")
    with placed(section):
        return system_of(segment)


def gather_segment(section: Node, change: Node | None) -> Segment:
    """The segment of a section and a variant's changes to it."""
    segment = _Gathering({}, {}, {})
    segment.add_hosts(section["hosts"].items)
    if "sets" in section.entries:
        segment.add_sets(section["sets"])
    segment.add_links(section["links"].items)
    entry, reset = section["entry"], section.entries.get("reset")
    if change is not None:
        segment.remove_hosts(_listed(change, "remove_hosts"))
        segment.add_hosts(_listed(change, "add_hosts"))
        if "links" in change.entries:
            segment.links = {}
            segment.add_links(_listed(change, "links"))
        segment.remove_links(_listed(change, "remove_links"))
        segment.add_links(_listed(change, "add_links"), fresh=True)
        entry = change.entries.get("entry", entry)
        reset = change.entries.get("reset", reset)
    if not segment.hosts:
        raise (change or section).problem("no host is left; a network needs at least one")
    if entry.text in segment.groups:
        raise entry.problem(
            f'"{entry.text}" is a group; name one host of it, such as {segment.groups[entry.text][0]}'
        )
    if entry.text not in segment.hosts:
        raise entry.problem(f'the entry "{shortened(entry.text)}" is not a host{segment.hint(entry.text)}')
    return Segment(
        tuple(segment.hosts), tuple(segment.links), entry.text, _reset_probability(reset), segment.groups
    )


def _listed(change: Node, key: str) -> tuple[Node, ...]:
    return change.entries[key].items if key in change.entries else ()


def _reset_probability(reset: Node | None) -> Fraction | None:
    """The paper's chance where nothing is said, none where ``none`` is said."""
    if reset is None:
        return DEFAULT_RESET
    return None if reset.kind == "scalar" else exact(reset["probability"])
