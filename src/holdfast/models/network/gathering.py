"""Hosts, links, zones and conduits of a network while they are gathered from a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.errors import did_you_mean
from holdfast.models.network.schema import MAX_HOSTS
from holdfast.models.network.segment import BLOCKED, BLOCKING, HOST_TYPES, OPEN, STATUSES, Link
from holdfast.scenario import Node, check_name, check_new, exact, shortened

MAX_LINKS = 300_000

_LINK = re.compile(r"\s*([^\s<>]+?)\s*(<->|->)\s*([^\s<>]+)\s*")
_TAKEN = dict.fromkeys(("active", "clean"), "a quantity")
_TAKEN |= dict.fromkeys(STATUSES, "a status")
_TAKEN |= dict.fromkeys((kind for types in HOST_TYPES.values() for kind in types), "an action")
_TAKEN_WITH_CONDUITS = {**dict.fromkeys(BLOCKING, "an action"), **dict.fromkeys((OPEN, BLOCKED), "a status")}


@dataclass
class Gathering:
    """A segment while it is gathered; hosts and links remember the node that declared them."""

    hosts: dict[str, Node] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    """Groups and sets."""
    links: dict[Link, Node] = field(default_factory=dict)
    off: dict[Link, Node] = field(default_factory=dict)
    """Links that the section lists and takes out again; a variant may remove them, too."""
    removed: dict[Link, None] = field(default_factory=dict)
    """Links that a variant removes."""
    alike: dict[str, list[str]] = field(default_factory=dict)
    zones: dict[str, list[str]] = field(default_factory=dict)
    last_zone: dict[str, str] = field(default_factory=dict)
    """The zone that a host was put into last; it may have been removed since."""
    conduits: dict[str, dict[Link, None]] = field(default_factory=dict)
    named: dict[str, Node] = field(default_factory=dict)
    """The node that declared a conduit."""
    filtered: dict[Link, None] = field(default_factory=dict)
    """Links along which nothing spreads."""
    cannot: dict[str, frozenset[str]] = field(default_factory=dict)
    values: dict[str, Fraction] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    """Groups that are counted; each is a host by its name."""
    apart: dict[str, None] = field(default_factory=dict)
    """Hosts of groups of which the file says that they are not to be counted."""

    # -- hosts ----------------------------------------------------------------------------------

    def add_hosts(self, items: Iterable[Node], apart: str | None = None) -> None:
        """Append hosts and groups of hosts; of a counted group that is named ``apart``, one by itself."""
        for item in items:
            if item.kind == "scalar":
                self.add_host(check_name(item, "a host"), item)
                continue
            (key,) = item.keys.values()
            settings = item[key.text]
            count = settings.get("count")
            name, members = check_name(key, "a host" if count is None else "a group of hosts"), [key.text]
            if _is_set(settings, "alike"):
                assert count is not None
                assert isinstance(count.value, int)
                members = self.add_counted(name, count.value, key, apart)
            elif count is not None:
                assert isinstance(count.value, int)
                self.refuse_taken(name, key)
                members = [f"{name}{i}" for i in range(1, count.value + 1)]
                self.groups[name], self.alike[name] = list(members), list(members)
            for member in members:
                self.add_host(member, key)
            if "alike" in settings.entries and not _is_set(settings, "alike"):
                self.apart |= dict.fromkeys(members)
            if name in self.counted:
                self.groups[name] = list(members)
            self.set_hosts(members, settings)

    def add_counted(self, name: str, size: int, key: Node, apart: str | None) -> list[str]:
        """A group that is counted, and the host of it that stands apart, if one does."""
        self.refuse_taken(name, key)
        for counter in (f"{name}_{status}" for status in STATUSES):
            self.refuse_taken(counter, key)
        one = [f"{name}1"] if apart == name else []
        self.counted[name] = size - len(one)
        return [*one, name]

    def change_hosts(self, items: Iterable[Node]) -> None:
        """Give hosts that are there other settings; a group, set or zone means each of its members."""
        for item in items:
            if item.kind == "scalar":
                raise item.problem("nothing is changed here; write {" + item.text + ": {cannot: [spread]}}")
            (key,) = item.keys.values()
            if "alike" in item[key.text].entries:
                raise item[key.text]["alike"].problem("whether a group is counted stays; use add_hosts")
            if "count" in item[key.text].entries:
                raise item[key.text]["count"].problem(
                    "the size of a group stays; use add_hosts or remove_hosts"
                )
            hosts = list(self.members(key.text, key, 0))
            if "zone" in item[key.text].entries:
                self.zones = {n: [h for h in of if h not in hosts] for n, of in self.zones.items()}
            self.set_hosts(hosts, item[key.text])

    def set_hosts(self, hosts: Iterable[str], settings: Node) -> None:
        """What hosts have of their own."""
        cannot, value, zone = (settings.get(key) for key in ("cannot", "value", "zone"))
        for host in hosts:
            if cannot is not None:
                self.cannot[host] = frozenset(kind.text for kind in cannot.items)
            if value is not None:
                self.values[host] = exact(value)
            if zone is not None:
                self.put(host, zone.text, zone)

    def add_sets(self, section: Node) -> None:
        """Name sets of hosts that are there; groups may be members and mean all of theirs."""
        for name, node in section.entries.items():
            self.new_set(name, section.keys[name])
            members = (host for item in node.items for host in self.members(item.text, item, 0))
            self.groups[name] = list(dict.fromkeys(members))

    def add_zones(self, section: Node) -> None:
        """Put hosts that are there into zones; groups may be members and mean all of theirs."""
        for name, node in section.entries.items():
            self.new_zone(name, section.keys[name])
            for item in node.items:
                for host in self.members(item.text, item, 0):
                    self.put(host, name, item)

    def put(self, host: str, zone: str, node: Node) -> None:
        """Put one host into a zone."""
        other = self.last_zone.get(host, zone)
        if other != zone and host in self.zones.get(other, ()):
            raise node.problem(f'{host} is in the zone "{other}" already; a host is in one zone at most')
        self.new_zone(zone, node)
        if host not in self.zones[zone]:
            self.zones[zone].append(host)
            self.last_zone[host] = zone

    def new_zone(self, name: str, node: Node) -> None:
        """A zone without hosts, unless it is there."""
        if name not in self.zones:
            self.new_set(name, node)
            self.zones[name] = []

    def new_set(self, name: str, key: Node) -> None:
        """Refuse a name that cannot be one of a set."""
        check_name(key, "a set of hosts")
        self.refuse_taken(name, key)

    def add_host(self, name: str, node: Node) -> None:
        """Append one host."""
        self.refuse_taken(name, node)
        if len(self.hosts) >= MAX_HOSTS:
            raise node.problem(f"more than {MAX_HOSTS:,} hosts; at most {MAX_HOSTS:,} are read")
        self.hosts[name] = node

    def refuse_taken(self, name: str, node: Node) -> None:
        """Refuse a name that already stands for something."""
        if (what := self.kind_of(name)) is not None:
            line, _ = node.source.place((self.hosts.get(name) or self.named.get(name) or node).start)
            raise node.problem(f'{what} "{name}" is listed twice, first in line {line}; rename or remove one')
        check_new(name, node, dict(_TAKEN), "a host")

    def kind_of(self, name: str) -> str | None:
        """What a name stands for; None for one that is free."""
        if name in self.hosts:
            return "host"
        if name in self.groups:
            return "group"
        return "zone" if name in self.zones else "conduit" if name in self.conduits else None

    def members(self, name: str, node: Node, offset: int) -> list[str]:
        """The hosts that a name stands for."""
        for sets in (self.groups, self.zones):
            if name in sets:
                return sets[name]
        if name in self.hosts:
            return [name]
        raise node.problem(f'unknown host "{shortened(name)}"{self.hint(name)}', offset, len(name))

    def one_of(self, name: str) -> str | None:
        """What to do where one host of a counted group is named."""
        for group, size in self.counted.items():
            if name.startswith(group) and name.removeprefix(group).isdigit():
                return (
                    f"; the {size:,} {group} are alike and counted, so that none of them has a name: name "
                    "the group, or list the one that is meant as a host of its own"
                )
        return None

    def hint(self, name: str) -> str:
        """The closest known host, or the first few."""
        if (one := self.one_of(name)) is not None:
            return one
        known = ", ".join([*self.hosts][:8]) + (", …" if len(self.hosts) > 8 else "")
        return did_you_mean(name, (*self.hosts, *self.groups, *self.zones)) or f"; the hosts are {known}"

    def remove_hosts(self, items: Iterable[Node]) -> None:
        """Remove hosts or whole groups, with their links."""
        for item in items:
            gone = set(self.members(item.text, item, 0))
            self.hosts = {name: node for name, node in self.hosts.items() if name not in gone}
            for sets in (self.groups, self.alike, self.zones):
                left = {name: [m for m in of if m not in gone] for name, of in sets.items()}
                sets.clear()
                sets |= {name: of for name, of in left.items() if of}
            self.links = {link: node for link, node in self.links.items() if not gone & set(link)}
            self.off = {link: node for link, node in self.off.items() if not gone & set(link)}
            self.filtered = {link: None for link in self.filtered if not gone & set(link)}
            self.cannot = {host: types for host, types in self.cannot.items() if host not in gone}
            self.values = {host: value for host, value in self.values.items() if host not in gone}
            self.counted = {host: size for host, size in self.counted.items() if host not in gone}
            self.apart = {host: None for host in self.apart if host not in gone}

    # -- links ----------------------------------------------------------------------------------

    def pairs(self, node: Node) -> list[Link]:
        """The directed pairs that one line of ``links`` stands for."""
        if node.kind == "mapping":
            source, target = node["from"], node["to"]
            ends = [self.members(end.text, end, 0) for end in (source, target)]
            if source.text == target.text and source.text in self.hosts and source.text not in self.counted:
                raise target.problem(f"this link joins {target.text} to itself; remove it")
            return list(dict.fromkeys(self.directed(ends[0], ends[1], _is_set(node, "both"))))
        match = _LINK.fullmatch(node.text)
        if match is None:
            raise node.problem(f"expected one link such as GW -> Web or GW <-> Web, found {node.describe()}")
        start, arrow, end = match.groups()
        if start == end and start not in (*self.groups, *self.zones):
            self.members(start, node, match.start(1))
            raise node.problem(
                f"link {start} {arrow} {end} joins a host to itself; remove it", match.start(3)
            )
        ends = [self.members(start, node, match.start(1)), self.members(end, node, match.start(3))]
        return list(dict.fromkeys(self.directed(ends[0], ends[1], arrow == "<->")))

    def directed(self, sources: list[str], targets: list[str], both: bool) -> Iterator[Link]:
        """The links from each to each; in a counted group from every host to every other."""
        for source in sources:
            for target in targets:
                if source != target or self.counted.get(source, 1) > 1:
                    yield source, target
                    if both:
                        yield target, source

    def add_links(self, items: Iterable[Node], *, fresh: bool = False) -> None:
        """Add links; with ``fresh`` each line must bring a new one, or make some blockable or filter them."""
        for item in items:
            pairs = self.pairs(item)
            blockable, filtered = (item.kind == "mapping" and _is_set(item, k) for k in ("block", "filter"))
            if (
                fresh
                and not blockable
                and not filtered
                and pairs
                and all(pair in self.links for pair in pairs)
            ):
                link = item.text.strip() or " -> ".join(item[end].text for end in ("from", "to"))
                raise item.problem(f"link {link} is there already; remove this line")
            self.links |= {pair: item for pair in pairs if pair not in self.links}
            if len(self.links) > MAX_LINKS:
                raise item.problem(f"more than {MAX_LINKS:,} links; at most {MAX_LINKS:,} are read")
            if filtered:
                self.filtered |= dict.fromkeys(pairs)
            if blockable:
                self.add_conduit(*_called(item), pairs)

    def switch_off(self, items: Iterable[Node]) -> None:
        """Take links of the section out again, and remember that they are listed."""
        listed = dict(self.links)
        self.remove_links(items)
        self.off = {pair: node for pair, node in listed.items() if pair not in self.links}

    def remove_links(self, items: Iterable[Node]) -> None:
        """Remove links; each line must name one that is there, or that is switched off already."""
        for item in items:
            pairs = self.pairs(item)
            missing = [pair for pair in pairs if pair not in self.links and pair not in self.off]
            if missing and (len(missing) == len(pairs) or "<->" in item.text):
                known = did_you_mean(" -> ".join(missing[0]), (" -> ".join(link) for link in self.links))
                raise item.problem(f"there is no link {' -> '.join(missing[0])} to remove{known}")
            for pair in pairs:
                if self.links.pop(pair, None) is not None:
                    self.removed[pair] = None
                self.filtered.pop(pair, None)

    # -- conduits -------------------------------------------------------------------------------

    def add_conduits(self, section: Node) -> None:
        """Name links that are there and can be blocked together."""
        for name, node in section.entries.items():
            items = node.items if node.kind == "list" else (node,)
            named = [pair for item in items for pair in self.pairs(item)]
            pairs = [pair for pair in named if pair in self.links]
            if not pairs:
                hint = did_you_mean(" -> ".join(named[0]), map(" -> ".join, self.links)) if named else ""
                raise node.problem(f"no link runs here, so there is nothing to block{hint}")
            self.add_conduit(check_name(section.keys[name], "a conduit"), section.keys[name], pairs)

    def add_conduit(self, name: str, node: Node, pairs: Iterable[Link]) -> None:
        """Name some links that are blocked together."""
        self.refuse_taken(name, node)
        self.conduits[name], self.named[name] = dict.fromkeys(pairs), node

    def living_conduits(self) -> dict[str, tuple[Link, ...]]:
        """The conduits with the links that are left in them; those without any are gone."""
        conduits = {n: tuple(pair for pair in of if pair in self.links) for n, of in self.conduits.items()}
        kept = {name: links for name, links in conduits.items() if links}
        for name in (*self.hosts, *self.groups, *self.zones, *kept) if kept else ():
            node = self.hosts.get(name) or self.named.get(name) or self.named[next(iter(kept))]
            check_new(name, node, dict(_TAKEN_WITH_CONDUITS), "a host or link where links can be blocked")
        return kept


def _is_set(node: Node, key: str) -> bool:
    return key in node.entries and node[key].value in (True, "yes")


def _called(item: Node) -> tuple[str, Node]:
    """The name of a link that can be blocked, and where it stands."""
    given = item.get("name")
    if given is not None:
        return check_name(given, "a link"), given
    return f"{item['from'].text}-to-{item['to'].text}", item
