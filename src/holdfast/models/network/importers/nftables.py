"""Rules of nftables, as ``nft -j list ruleset`` writes them: who may open a connection to whom.

Hosts are the addresses that rules name, and networks in which no such address lies. A link runs from one to
another if a new connection may pass all chains at the forward hook. What is not looked at (ports, interfaces,
limits) may or may not fit: a rule that accepts then lets some connection pass, one that drops does not stop
all of them. Whoever is reached from an address that no rule names is exposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network, summarize_address_range
from typing import Any

from holdfast.game import counted
from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.scenario import shortened

AddressBlock = IPv4Network | IPv6Network

FAMILIES = ("inet", "ip", "ip6")
QUIET = frozenset({"counter", "log", "comment", "meta", "mangle", "notrack"})
"""Statements that let a packet go on."""

MAX_DEPTH = 16
"""Chains that may call each other, as in the kernel."""

MAX_LOOKS = 30_000_000
"""Pairs of hosts times rules that are looked at."""

ChainName = tuple[str, str, str]
"""Family, table and name."""


@dataclass(frozen=True)
class FirewallHost:
    """An address, or a network in which no address is named; ``None`` as its blocks is whoever is outside."""

    name: str
    blocks: tuple[AddressBlock, ...] | None


@dataclass
class Ruleset:
    """What a firewall has: chains with their rules, and named sets of addresses."""

    chains: dict[ChainName, dict[str, Any]] = field(default_factory=dict)
    rules: dict[ChainName, list[dict[str, Any]]] = field(default_factory=dict)
    sets: dict[ChainName, list[Any]] = field(default_factory=dict)
    passed_over: dict[str, int] = field(default_factory=dict)
    known: dict[tuple[int, ChainName], list[AddressBlock]] = field(default_factory=dict, repr=False)

    @cached_property
    def gates(self) -> tuple[ChainName, ...]:
        """The chains at the forward hook, in the order in which they are asked."""
        hooked = [name for name, chain in self.chains.items() if chain.get("hook") == "forward"]
        return tuple(sorted(hooked, key=lambda name: int(self.chains[name].get("prio", 0))))

    def blocks(self, value: Any, of: ChainName) -> list[AddressBlock]:
        """The addresses that the right side of a match means; a set is looked up in its table."""
        if isinstance(value, str) and value.startswith("@"):
            members = self.sets.get((*of[:2], value[1:]), [])
            return [block for member in members for block in self.blocks(member, of)]
        if isinstance(value, str):
            return [ip_network(value)]
        if isinstance(value, list):
            return [block for member in value for block in self.blocks(member, of)]
        if "set" in value:
            return self.blocks(value["set"], of)
        if "elem" in value:
            return self.blocks(value["elem"]["val"], of)
        if "prefix" in value:
            return [ip_network((value["prefix"]["addr"], value["prefix"]["len"]), strict=False)]
        first, last = map(ip_address, value["range"])
        return list(summarize_address_range(first, last))

    def passes(self, source: FirewallHost, target: FirewallHost) -> bool:
        """Whether some new connection may pass from one host to another."""
        for gate in self.gates:
            accepts, goes_on = self._walk(gate, source, target, 0)
            kept = self.chains[gate].get("policy", "accept") == "accept"
            if not (accepts or (goes_on and kept)):
                return False
        return True

    def _walk(
        self, chain: ChainName, source: FirewallHost, target: FirewallHost, depth: int
    ) -> tuple[bool, bool]:
        """Whether some connection is accepted in a chain, and whether some comes out at its end."""
        accepts = leaves = False
        if depth > MAX_DEPTH:
            return True, True
        for rule in self.rules.get(chain, ()):
            fits = self._fits(rule["expr"], chain, source, target)
            if fits is False:
                continue
            for statement in rule["expr"]:
                (kind, about), *_ = statement.items()
                if kind == "accept":
                    accepts = True
                elif kind in ("jump", "goto"):
                    inner, on = self._walk((*chain[:2], about["target"]), source, target, depth + 1)
                    accepts |= inner
                    leaves |= on and kind == "goto"
                    if fits and (kind == "goto" or not on):
                        return accepts, leaves
                elif kind == "return":
                    leaves = True
                elif kind not in ("drop", "reject", "match", *QUIET):
                    accepts = True  # a verdict by a map, a queue, …: it may be to accept
                if kind in ("accept", "drop", "reject", "return") and fits:
                    return accepts, leaves
        return accepts, True

    def _fits(
        self,
        statements: Iterable[Mapping[str, Any]],
        of: ChainName,
        source: FirewallHost,
        target: FirewallHost,
    ) -> bool | None:
        """Whether a rule is about a new connection between two hosts; None where that depends."""
        sure = True
        for statement in statements:
            if "limit" in statement:
                sure = False
            if "match" not in statement:
                continue
            matches = self._matches(statement["match"], of, source, target)
            if matches is False:
                return False
            sure &= matches is True
        return True if sure else None

    def _matches(
        self, match: Mapping[str, Any], of: ChainName, source: FirewallHost, target: FirewallHost
    ) -> bool | None:
        left, turned = match["left"], match["op"] == "!="
        if isinstance(left, dict) and "ct" in left and left["ct"].get("key") == "state":
            given = match["right"] if isinstance(match["right"], list) else [match["right"]]
            return bool(("new" in given) != turned)
        field = left.get("payload", {}).get("field") if isinstance(left, dict) else None
        if field not in ("saddr", "daddr") or left["payload"].get("protocol") not in ("ip", "ip6"):
            return None
        key = id(match), of
        if key not in self.known:
            self.known[key] = self.blocks(match["right"], of)
        inside = _inside(source if field == "saddr" else target, self.known[key])
        return None if inside is None else bool(inside != turned)


def _inside(host: FirewallHost, blocks: Iterable[AddressBlock]) -> bool | None:
    """Whether a host lies in some blocks; None if a part does. Outside lies in the whole space alone."""
    listed = list(blocks)
    if host.blocks is None:
        return any(block.prefixlen == 0 for block in listed)
    partly = False
    for own in host.blocks:
        same = [block for block in listed if block.version == own.version]
        if not any(_within(own, block) for block in same):
            partly |= any(block.overlaps(own) for block in same)
            return None if partly else False
    return True


def read_ruleset(file: ForeignFile) -> Ruleset:
    """The rules of a file.

    Raises:
        Problem: where nothing is at the forward hook.
    """
    ruleset = Ruleset()
    for entry in file.json["nftables"]:
        ((kind, about),) = entry.items()
        if kind == "metainfo":
            continue
        if about.get("family") not in FAMILIES:
            family = f"family {about.get('family')}"
            ruleset.passed_over[family] = ruleset.passed_over.get(family, 0) + 1
            continue
        home = about["family"], about.get("table", ""), about.get("name", "")
        if kind == "chain":
            ruleset.chains[home] = about
        elif kind == "rule":
            ruleset.rules.setdefault((*home[:2], about["chain"]), []).append(about)
        elif kind == "set" and str(about.get("type", "")).endswith("_addr"):
            ruleset.sets[home] = about.get("elem", [])
    if not ruleset.gates:
        raise file.problem("no chain at the forward hook: these rules are about one machine, not a network")
    return ruleset


def firewall_hosts(ruleset: Ruleset) -> list[FirewallHost]:
    """The addresses that rules and sets name, and networks in which none of them lies."""
    named: dict[AddressBlock, str] = {}
    for (_, _, name), elements in ruleset.sets.items():
        blocks = [block for one in elements for block in ruleset.blocks(one, ("", "", ""))]
        for block in blocks:
            named.setdefault(block, name if len(blocks) == 1 else "")
    for chain, rules in ruleset.rules.items():
        for block in (block for rule in rules for block in _named_in(ruleset, rule, chain)):
            named.setdefault(block, "")
    single = [block for block in named if block.num_addresses == 1]
    wide = [block for block in named if block.num_addresses > 1 and block.prefixlen > 0]
    empty = [block for block in wide if not any(_within(other, block) for other in named if other != block)]
    hosts = [*single, *empty]
    return [FirewallHost(named[block] or _spoken(block), (block,)) for block in hosts]


def _named_in(ruleset: Ruleset, rule: Mapping[str, Any], chain: ChainName) -> Iterator[AddressBlock]:
    for statement in rule["expr"]:
        left = statement.get("match", {}).get("left", {})
        about = left.get("payload", {}) if isinstance(left, dict) else {}
        if about.get("field") in ("saddr", "daddr") and about.get("protocol") in ("ip", "ip6"):
            yield from ruleset.blocks(statement["match"]["right"], chain)


def _within(inner: AddressBlock, outer: AddressBlock) -> bool:
    first, last = outer.network_address, outer.broadcast_address
    same = inner.version == outer.version
    return same and int(first) <= int(inner.network_address) and int(inner.broadcast_address) <= int(last)


def _spoken(block: AddressBlock) -> str:
    return str(block.network_address) if block.num_addresses == 1 else str(block)


ANYBODY = FirewallHost("outside", None)


def _recognise(file: ForeignFile) -> bool:
    return file.start.startswith("{") and "nftables" in file.keys


def _read(file: ForeignFile) -> Draft:
    try:
        return _drafted(file)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise file.problem(f"not as nft -j list ruleset writes it: {shortened(str(error))}") from None


def _drafted(file: ForeignFile) -> Draft:
    ruleset = read_ruleset(file)
    hosts, sketch = firewall_hosts(ruleset), Sketch(file.path.stem, file.budget)
    n_rules = sum(map(len, ruleset.rules.values()))
    if len(hosts) ** 2 * n_rules > MAX_LOOKS:
        raise file.problem(f"{len(hosts):,} addresses and {n_rules:,} rules are too much; import a part")
    for host in hosts:
        sketch.add_host(host.name)
        sketch.call(host.name, *(_spoken(block) for block in host.blocks or ()))
    for source in hosts:
        file.budget.tick("following the rules")
        for target in hosts:
            if source != target and ruleset.passes(source, target):
                sketch.add_link(source.name, target.name)
        if ruleset.passes(ANYBODY, source):
            sketch.mark("exposed", source.name)
    sketch.assume("a rule with ports, interfaces or limits lets some connection pass: the link is there")
    sketch.drop("what reaches the firewall itself, address translation, and connections within one network")
    for what, n in ruleset.passed_over.items():
        sketch.drop(f"{counted(n, 'object')} of the {what}")
    sketch.ask("which connections are needed: rules say what may be, not what for (flows)")
    return sketch.draft()


IMPORTER = Importer("nftables", "rules of nftables (nft -j list ruleset)", _recognise, _read)
