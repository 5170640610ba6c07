"""Collections of BloodHound Community Edition, and graphs in its OpenGraph format, projected to computers.

Whoever controls one principal may control another: a computer gives the accounts with a session on it, an
account its groups, a group what it administers or has rights over. A link runs from one computer to another
if such a way leads there that passes no other computer. Accounts, groups and policies themselves are
projected away, and counted. Tier zero is critical: domain controllers, and computers that are marked so.
Domains are zones; where computers are many, their organisational units are.

Where the links would be more than a draft holds, computers that are alike become one host each, and where
that is not enough those that give control of each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdfast.game import counted
from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import (
    MANY_HOSTS,
    MAX_DRAFT_HOSTS,
    MAX_DRAFT_LINKS,
    Draft,
    Sketch,
)
from holdfast.models.network.importers.foreign import ForeignFile

_COLLECTED = """
    users groups computers ous gpos domains containers sessions aiacas rootcas enterprisecas
    ntauthstores certtemplates issuancepolicies azure
"""
COLLECTED = frozenset(_COLLECTED.split())
_RIGHTS = """
    Owns GenericAll GenericWrite WriteDacl WriteOwner AllExtendedRights ForceChangePassword
    AddMember AddSelf AddAllowedToAct WriteSPN AddKeyCredentialLink ReadLAPSPassword
    ReadGMSAPassword WriteAccountRestrictions SyncLAPSPassword DCSync WriteGPLink
    OwnsLimitedRights WriteOwnerLimitedRights
"""
RIGHTS = frozenset(_RIGHTS.split())
"""Rights that give control of what they are over."""

_NO_WAY = """
    GetChanges GetChangesAll GetChangesInFilteredSet TrustedBy SameForestTrust
    CrossForestTrust Enroll EnterpriseCAFor RootCAFor NTAuthStoreFor IssuedSignedBy
    PublishedTo HostsCAService TrustedForNTAuth LocalToComputer MemberOfLocalGroup
    RemoteInteractiveLogonRight ExtendedByPolicy
"""
NO_WAY = frozenset(_NO_WAY.split())
"""Edges of a graph that give no control by themselves."""

LOCAL = {"-544": "AdminTo", "-555": "CanRDP", "-562": "ExecuteDCOM", "-580": "CanPSRemote"}
"""Local groups of a computer that let their members in, by the end of their identifiers."""

_UNIT = re.compile(r"(?:^|,)OU=((?:\\.|[^,\\])+)")
"""An organisational unit in a distinguished name, in capitals, where commas inside names are escaped."""

SESSIONS = ("Sessions", "PrivilegedSessions", "RegistrySessions")
CONTROLLERS, EVERYBODY = "-516", ("-S-1-5-11", "-S-1-1-0")
MACHINES = ("Computer", "AZVM", "Server", "Host", "Machine")
"""Kinds of nodes that are computers, in graphs of other sources."""

N_APART = 1_000
"""Computers that stay hosts of their own; of more, those that are alike are put together."""

MAX_COMPUTERS = 8_000
"""Computers among which those that are alike can be found."""


@dataclass
class _Graph:
    """Who gives control of whom."""

    computers: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Their names and domains."""
    after: dict[str, dict[str, str]] = field(default_factory=dict)
    """For each principal those that it gives control of, and by what."""
    units: dict[str, str] = field(default_factory=dict)
    """The organisational units of computers, outermost first, where they are told."""
    tier_zero: dict[str, None] = field(default_factory=dict)
    domains: dict[str, str] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    n_edges: int = 0
    n_idle: int = 0
    unread: Counter[str] = field(default_factory=Counter)

    def lead(self, source: str, target: str, by: str) -> None:
        """Say that control of one principal gives control of another."""
        if source and target and source != target:
            self.n_edges += 1
            self.after.setdefault(source, {}).setdefault(target, by)


def _recognise(file: ForeignFile) -> bool:
    if file.keys >= {"meta", "data"}:
        meta = _part(file.json, "meta")
        return isinstance(meta, dict) and str(meta.get("type", "")).lower() in COLLECTED
    if "graph" not in file.keys or not file.start.startswith("{"):
        return False
    graph = _part(file.json, "graph")
    return (
        isinstance(graph, dict)
        and isinstance(graph.get("nodes"), list)
        and isinstance(graph.get("edges"), list)
    )


def _read(file: ForeignFile) -> Draft:
    return _read_together([file])


def _read_together(files: Sequence[ForeignFile]) -> Draft:
    graph = _Graph()
    for file in files:
        if "graph" in file.keys:
            _add_open_graph(graph, file)
        else:
            _add_collection(graph, file)
    if not graph.computers:
        raise files[0].problem("no computer in this collection; import it together with its computers.json")
    if len(graph.computers) > MAX_DRAFT_HOSTS:
        raise files[0].problem(
            f"{len(graph.computers):,} computers; at most {MAX_DRAFT_HOSTS:,} are read: collect one domain"
        )
    _add_everybody(graph)
    title = files[0].path.stem if len(files) == 1 else files[0].path.parent.name
    return _drafted(graph, files[0], Sketch(title, files[0].budget))


# -- reading ------------------------------------------------------------------------------------------


def _part(data: object, key: str) -> Any:
    return data.get(key) if isinstance(data, dict) else None


def _listed(data: object, *keys: str) -> list[dict[str, Any]]:
    """The objects of a list below some keys; what is not as expected is passed over."""
    for key in keys:
        data = _part(data, key)
    return [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []


def _text(data: object, key: str) -> str:
    value = _part(data, key)
    return value.upper() if isinstance(value, str) else ""


def _add_collection(graph: _Graph, file: ForeignFile) -> None:
    kind = str(_part(_part(file.json, "meta"), "type")).lower()
    for i, item in enumerate(_listed(file.json, "data")):
        if i % 1024 == 0:
            file.budget.tick("reading the collection")
        if kind == "sessions":
            _add_session(graph, item, _text(item, "ComputerSID"))
            continue
        name = _text(item, "ObjectIdentifier")
        if not name or item.get("IsDeleted") is True:
            continue
        _add_object(graph, item, name, kind)
        _add_rights(graph, item, name)


def _add_rights(graph: _Graph, item: dict[str, Any], name: str) -> None:
    """Who has rights over an object; two that do nothing alone let a domain be copied together."""
    copies: dict[str, set[str]] = {}
    for ace in _listed(item, "Aces"):
        right, principal = str(ace.get("RightName", "")), _text(ace, "PrincipalSID")
        if right in RIGHTS:
            graph.lead(principal, name, right)
        elif right in ("GetChanges", "GetChangesAll"):
            copies.setdefault(principal, set()).add(right)
        else:
            graph.unread[right] += 1
    for principal, rights in copies.items():
        if len(rights) == 2:
            graph.lead(principal, name, "DCSync")


def _add_object(graph: _Graph, item: dict[str, Any], name: str, kind: str) -> None:
    """What an object of a collection says besides who has rights over it."""
    properties = item.get("Properties")
    graph.domains[name] = _text(properties, "domain")
    group = _text(item, "PrimaryGroupSID")
    graph.lead(name, group, "MemberOf")
    for member in _listed(item, "Members"):
        graph.lead(_text(member, "ObjectIdentifier"), name, "MemberOf")
    for child in _listed(item, "ChildObjects"):
        _mention(graph, child)
        graph.lead(name, _text(child, "ObjectIdentifier"), "Contains")
    for link in _listed(item, "Links"):
        graph.lead(_text(link, "GUID"), name, "GPLink")
    for target in _listed(item, "AllowedToDelegate"):
        _mention(graph, target)
        graph.lead(name, _text(target, "ObjectIdentifier"), "AllowedToDelegate")
    for former in _listed(item, "HasSIDHistory"):
        graph.lead(name, _text(former, "ObjectIdentifier"), "HasSIDHistory")
    if kind != "computers":
        graph.kinds[kind] += 1
        return
    if _part(properties, "enabled") is False:
        graph.n_idle += 1
        return
    graph.computers[name] = (_text(properties, "name") or name, graph.domains[name])
    units = _UNIT.findall(_text(properties, "distinguishedname"))
    graph.units[name] = " ".join(reversed(units))
    tags = str(_part(properties, "system_tags") or "")
    marked = (
        "admin_tier_0" in tags or _part(properties, "highvalue") is True or _part(properties, "isdc") is True
    )
    if marked or group.endswith(CONTROLLERS):
        graph.tier_zero[name] = None
    for way in SESSIONS:
        for session in _listed(item, way, "Results"):
            _add_session(graph, session, name)
    for local in _listed(item, "LocalGroups"):
        by = next((by for end, by in LOCAL.items() if _text(local, "ObjectIdentifier").endswith(end)), None)
        for member in _listed(local, "Results") if by is not None else ():
            _mention(graph, member)
            graph.lead(_text(member, "ObjectIdentifier"), name, str(by))
    for principal in _listed(item, "AllowedToAct"):
        _mention(graph, principal)
        graph.lead(_text(principal, "ObjectIdentifier"), name, "AllowedToAct")


def _add_session(graph: _Graph, session: dict[str, Any], computer: str) -> None:
    """Who is on a computer lends it the account."""
    if computer and computer not in graph.computers:
        _mention(graph, {"ObjectIdentifier": computer, "ObjectType": "Computer"})
    graph.lead(computer, _text(session, "UserSID"), "HasSession")


def _mention(graph: _Graph, other: dict[str, Any]) -> None:
    """A computer that is mentioned, and perhaps not collected, is one all the same."""
    name = _text(other, "ObjectIdentifier")
    if name and other.get("ObjectType") == "Computer":
        graph.computers.setdefault(name, ("", ""))


def _add_everybody(graph: _Graph) -> None:
    """Every account and computer of a domain is one of its authenticated users, and one of everyone."""
    for group in [name for name in graph.after if name.endswith(EVERYBODY)]:
        domain = next(group.removesuffix(end) for end in EVERYBODY if group.endswith(end))
        for name in graph.computers:
            if not domain or graph.computers[name][1] in ("", domain):
                graph.lead(name, group, "MemberOf")


def _add_open_graph(graph: _Graph, file: ForeignFile) -> None:
    known: dict[str, str] = {}
    for node in _listed(file.json, "graph", "nodes"):
        name, kinds, properties = str(node.get("id", "")), node.get("kinds"), node.get("properties")
        kinds = [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []
        if not name:
            raise file.problem('a node without "id"')
        label = _part(properties, "name") or _part(properties, "displayname") or name
        known |= {str(label).lower(): name, name.lower(): name}
        if any(kind.endswith(MACHINES) for kind in kinds):
            graph.computers[name] = (str(label), str(_part(properties, "domain") or ""))
            if "admin_tier_0" in str(_part(properties, "system_tags") or "") or "Tag_Tier_Zero" in kinds:
                graph.tier_zero[name] = None
        else:
            graph.kinds[kinds[0] if kinds else "nodes"] += 1
    for i, edge in enumerate(_listed(file.json, "graph", "edges")):
        if i % 1024 == 0:
            file.budget.tick("reading the graph")
        ends = [str(_part(edge.get(end), "value") or "") for end in ("start", "end")]
        kind = str(edge.get("kind", ""))
        if kind in NO_WAY:
            graph.unread[kind] += 1
        else:
            graph.lead(known.get(ends[0].lower(), ends[0]), known.get(ends[1].lower(), ends[1]), kind)


# -- projecting ---------------------------------------------------------------------------------------


def reached_computers(after: Mapping[str, Mapping[str, str]], computers: Sequence[str]) -> list[int]:
    """For each computer those that it gives control of through principals that are no computers, as bits.

    Principals that control each other reach the same; taken together they have no cycles, and what each
    reaches follows from what its successors do.
    """
    import networkx

    place = {name: i for i, name in enumerate(computers)}
    graph = networkx.DiGraph()
    for source, targets in after.items():
        if source not in place:
            graph.add_node(source)
            graph.add_edges_from((source, target) for target in targets if target not in place)
    reached: dict[str, int] = {}
    for together in networkx.strongly_connected_components(graph):  # successors before what leads to them
        bits = 0
        for name in together:
            for target in after.get(name, ()):
                bits |= 1 << place[target] if target in place else reached.get(target, 0)
        reached |= dict.fromkeys(together, bits)
    reach = []
    for i, name in enumerate(computers):
        bits = 0
        for target in after.get(name, ()):
            bits |= 1 << place[target] if target in place else reached.get(target, 0)
        reach.append(bits & ~(1 << i))
    return reach


def _drafted(graph: _Graph, file: ForeignFile, sketch: Sketch) -> Draft:
    computers = list(graph.computers)
    reached = reached_computers(graph.after, computers)
    heads = _heads(graph, computers, reached, file, sketch)
    sizes = Counter(heads)
    zones = _zones(graph, [computers[i] for i in sizes], sketch)
    for i in sizes:
        name = computers[i]
        called = graph.computers[name][0]
        label = called.split(".")[0] if called else f"computer-{name.rsplit('-', 1)[-1]}"
        sketch.add_host(name, label, zones[name])
        sketch.stands_for[name] = sizes[i]
        sketch.call(name, called)
        if name in graph.tier_zero:
            sketch.mark("critical", name)
    together = dict.fromkeys(sizes, 0)
    for i, head in enumerate(heads):
        together[head] |= reached[i]
    for head, bits in together.items():
        for target in dict.fromkeys(heads[j] for j in _bits(bits)):
            by = graph.after.get(computers[head], {}).get(computers[target], "")
            if target != head:
                sketch.add_link(computers[head], computers[target], by)
    _tell(graph, sketch)
    return sketch.draft()


def _zones(graph: _Graph, hosts: Sequence[str], sketch: Sketch) -> dict[str, str]:
    """The zone of each host: its domain and, where hosts are many, its organisational unit there."""
    domain = {name: graph.computers[name][1] for name in hosts}
    units = {name: graph.units.get(name, "") for name in hosts}
    if len(hosts) <= MANY_HOSTS or len(set(units.values())) < 2:
        return domain
    sketch.assume("zones: organisational units, because the computers are many; put your own under zones")
    several = len(set(domain.values())) > 1
    return {
        name: f"{domain[name]} {unit}".strip() if several or not unit else unit
        for name, unit in units.items()
    }


def _heads(
    graph: _Graph, computers: Sequence[str], reached: Sequence[int], file: ForeignFile, sketch: Sketch
) -> list[int]:
    """For each computer the one that stands for it: itself, where a draft holds all of them."""
    n_links = sum(bits.bit_count() for bits in reached)
    if n_links <= MAX_DRAFT_LINKS and len(computers) <= N_APART:
        return list(range(len(computers)))
    if len(computers) > MAX_COMPUTERS:
        raise file.problem(
            f"{len(computers):,} computers with {n_links:,} links; at most {MAX_COMPUTERS:,} are put in "
            "groups: collect one domain, or a part of it"
        )
    told = f"{len(computers):,} computers with {n_links:,} links"
    heads = _alike(graph, computers, reached)
    left = {*heads}
    mask = sum(1 << i for i in left)
    if len(left) <= N_APART and sum((reached[i] & mask).bit_count() for i in left) <= MAX_DRAFT_LINKS:
        sketch.assume(f"{told}: those that are alike are one host, which weighs as many as it stands for")
        return heads
    heads = _mutual(graph, computers)
    sketch.assume(
        f"{told}: those of one domain and tier that give control of each other, in several steps, are one "
        "host, which weighs as many as it stands for"
    )
    return heads


def _mutual(graph: _Graph, computers: Sequence[str]) -> list[int]:
    """For each computer the first of its domain and tier with which it shares control, both ways."""
    import networkx

    ways = networkx.DiGraph((a, b) for a, targets in graph.after.items() for b in targets)
    ways.add_nodes_from(computers)
    place = {name: i for i, name in enumerate(computers)}
    heads = [*range(len(computers))]
    for component in networkx.strongly_connected_components(ways):
        first: dict[object, int] = {}
        for i in sorted(place[name] for name in component if name in place):
            name = computers[i]
            heads[i] = first.setdefault((graph.computers[name][1], name in graph.tier_zero), i)
    return heads


def _bits(bits: int) -> Iterator[int]:
    text = bin(bits)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


def _alike(graph: _Graph, computers: Sequence[str], reached: Sequence[int]) -> list[int]:
    """For each computer the first one that is like it: in domain, tier, and links to and from others."""
    import numpy as np

    n = len(computers)
    width = (n + 7) // 8
    packed = np.frombuffer(b"".join(bits.to_bytes(width, "little") for bits in reached), np.uint8)
    out = np.unpackbits(packed.reshape(n, width), axis=1, count=n, bitorder="little")
    into = np.packbits(out.T, axis=1, bitorder="little")
    backward = [int.from_bytes(into[i].tobytes(), "little") for i in range(n)]
    first: dict[object, int] = {}
    heads = []
    for i, name in enumerate(computers):
        same = graph.computers[name][1], name in graph.tier_zero
        apart = ("apart", same, reached[i], backward[i])
        joined = ("joined", same, reached[i] | 1 << i, backward[i] | 1 << i)
        head = first.get(apart, first.get(joined, i))
        first.setdefault(apart, head)
        first.setdefault(joined, head)
        heads.append(head)
    return heads


def _tell(graph: _Graph, sketch: Sketch) -> None:
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in graph.kinds.most_common(8))
    sketch.drop(
        f"accounts, groups and policies, by which control passes between computers "
        f"({kinds or 'none collected'}; {graph.n_edges:,} sessions, memberships and rights)"
    )
    if graph.unread:
        listed = ", ".join(f"{n:,} {kind}" for kind, n in graph.unread.most_common(6))
        sketch.drop(f"rights that give no control by themselves: {listed}")
    if graph.n_idle:
        sketch.drop(f"{counted(graph.n_idle, 'computer')} that are disabled")
    mentioned = sum(not called for called, _ in graph.computers.values())
    if mentioned:
        sketch.assume(
            f"{counted(mentioned, 'computer')} mentioned and not collected: hosts by their identifiers"
        )
    sketch.ask("where the attacker comes in, which a collection does not say; see --entry")
    if not graph.tier_zero:
        sketch.ask("which computers are tier zero: none is marked, nor a domain controller; see --critical")


IMPORTER = Importer(
    "bloodhound", "a collection of BloodHound", _recognise, _read, read_together=_read_together
)
