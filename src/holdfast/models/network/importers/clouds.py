"""What the resources of a cloud mean for a network: AWS security groups, Azure network security groups.

Machines, databases, load balancers and the like are hosts, and subnets zones. In AWS a link runs from one
host to another if some security group of the first lets traffic out, and one of the second lets it in: to a
group, to addresses or to itself. A host without groups is in the default group of its network. In Azure the
rules of the groups on a machine's interface and on its subnet count, by priority, and both must let traffic
pass. Exposed is what has a public address, and lets addresses of the internet in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from holdfast.game import counted
from holdfast.models.network.importers.cloud_hosts import (
    AWS_HOSTS,
    AZURE_HOSTS,
    DEFAULT_GROUP,
    Cloud,
    CloudHost,
    CloudResource,
    Range,
    TrafficRule,
    aws_hosts,
    azure_hosts,
    parts_of,
    ranges_in,
)
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.network_policies import (
    ALL_PORTS,
    N_PORTS,
    PROTOCOLS,
    port_bits,
    port_words,
)

INNER = tuple(
    map(
        ip_network,
        (
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "fc00::/7",
        ),
    )
)
"""Addresses that nobody on the internet has."""


def cloud_draft(resources: Sequence[CloudResource], sketch: Sketch, file: ForeignFile) -> Draft:
    """The draft of the resources of a cloud."""
    cloud = Cloud(resources)
    hosts = [*aws_hosts(cloud), *azure_hosts(cloud)]
    if not hosts:
        kinds = ", ".join(sorted({one.kind for one in resources})[:8])
        raise file.problem(
            f"no machine, database or load balancer of AWS or Azure among the resources ({kinds})"
        )
    _gather_rules(cloud, sketch)
    for host in hosts:
        zone = cloud.at[host.subnets[0]] if host.subnets else None
        sketch.add_host(host.address, host.label, zone.name if zone is not None else "")
        sketch.stands_for[host.address] = host.copies
        sketch.call(host.address, *(str(r.network_address) for r in host.ranges if r.num_addresses == 1))
        if host.kind == "store":
            sketch.mark("stores", host.address)
    for source in hosts:
        for target in hosts:
            file.budget.tick("reading the rules")
            passed = _passed(cloud, source, target) if source is not target else 0
            if passed:
                sketch.add_link(source.address, target.address, port_words(passed))
                if passed != ALL_PORTS and _named(cloud, source, target):
                    sketch.use("", source.address, target.address)
    _expose(cloud, hosts, sketch)
    _tell(cloud, hosts, sketch)
    return sketch.draft()


# -- rules ------------------------------------------------------------------------------------------------


def is_inner(span: Range) -> bool:
    """Whether nobody on the internet has addresses of a range."""
    return any(span.version == own.version and span.subnet_of(own) for own in INNER)  # type: ignore[arg-type]


def _gather_rules(cloud: Cloud, sketch: Sketch) -> None:
    lost = 0
    for group in cloud.of("aws_security_group"):
        for way in ("ingress", "egress"):
            cloud.rules.setdefault(group.address, []).extend(
                aws_rule(cloud, block, way == "ingress") for block in parts_of(group.values.get(way))
            )
    for one in cloud.of(*RULE_KINDS):
        inward = is_inward(one)
        for name in cloud.meant(one.values.get("security_group_id"), "aws_security_group"):
            cloud.rules.setdefault(name, []).append(aws_rule(cloud, one.values, inward))
    cloud.rules[DEFAULT_GROUP] = [
        TrafficRule(True, ALL_PORTS, itself=True),
        TrafficRule(False, ALL_PORTS, ranges=ranges_in("0.0.0.0/0")),
    ]
    for group in cloud.of("azurerm_network_security_group"):
        blocks = parts_of(group.values.get("security_rule"))
        cloud.rules.setdefault(group.address, []).extend(map(_azure_rule, blocks))
    for one in cloud.of("azurerm_network_security_rule"):
        named = cloud.meant(one.values.get("network_security_group_name"), "azurerm_network_security_group")
        for name in named or _by_name(cloud, one.values.get("network_security_group_name")):
            cloud.rules.setdefault(name, []).append(_azure_rule(one.values))
    for rules in cloud.rules.values():
        lost += sum(not (r.groups or r.ranges or r.itself or r.words) for r in rules)
    if lost:
        sketch.ask(
            f"whom {counted(lost, 'rule')} mean: addresses or groups are not in the files, so nobody passes"
        )


_VPC_RULES = ("aws_vpc_security_group_ingress_rule", "aws_vpc_security_group_egress_rule")
RULE_KINDS = ("aws_security_group_rule", *_VPC_RULES)
"""Rules of AWS that are resources of their own."""


def is_inward(one: CloudResource) -> bool:
    """Whether a resource that is a rule of AWS lets traffic in."""
    return one.values.get("type") == "ingress" or one.kind == _VPC_RULES[0]


def _by_name(cloud: Cloud, name: object) -> list[str]:
    return [
        one.address for one in cloud.of("azurerm_network_security_group") if one.values.get("name") == name
    ]


def aws_rule(cloud: Cloud, block: Mapping[str, Any], inward: bool) -> TrafficRule:
    """What a rule of AWS lets pass."""
    keys = ("security_groups", "source_security_group_id", "referenced_security_group_id")
    groups = [group for key in keys for group in cloud.meant(block.get(key), "aws_security_group")]
    addresses = ("cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6")
    ranges = [r for key in addresses for r in ranges_in(block.get(key))]
    protocol = str(block.get("protocol", block.get("ip_protocol", "-1")))
    ports = _port_range(protocol, block.get("from_port"), block.get("to_port"))
    return TrafficRule(inward, ports, frozenset(groups), tuple(ranges), block.get("self") is True)


def _port_range(protocol: str, first: object, last: object) -> int:
    """Ports of a rule of AWS; -1 is every protocol, and what has no ports counts for nothing."""
    name = {"6": "TCP", "17": "UDP", "132": "SCTP"}.get(protocol, protocol.upper())
    if name in ("-1", "ALL"):
        return ALL_PORTS
    if name not in ("TCP", "UDP", "SCTP"):
        return 0
    low, high = _number(first, 0), _number(last, N_PORTS - 1)
    low, high = max(low, 1), min(high, N_PORTS - 1)
    return port_bits(name, low, high) if low <= high else 0


def _number(value: object, otherwise: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return otherwise
    text = str(value)
    return int(float(text)) if re.fullmatch(r"\d{1,6}(\.0)?", text) else otherwise


def _azure_rule(block: Mapping[str, Any]) -> TrafficRule:
    inward = str(block.get("direction", "")).lower() == "inbound"
    end = "source" if inward else "destination"
    given = [block.get(f"{end}_address_prefix"), *_texts(block.get(f"{end}_address_prefixes"))]
    words = frozenset(text.lower() for text in given if isinstance(text, str) and not ranges_in(text))
    ranges = tuple(r for text in given for r in ranges_in(text))
    protocols = {"*": PROTOCOLS, "any": PROTOCOLS}.get(
        str(block.get("protocol", "*")).lower(), (str(block.get("protocol", "")).upper(),)
    )
    spans = [block.get("destination_port_range"), *_texts(block.get("destination_port_ranges"))]
    ports = 0
    for protocol in protocols:
        for span in (text for text in spans if isinstance(text, str | int)):
            first, _, last = str(span).partition("-")
            whole = str(span) == "*"
            ports |= _port_range(protocol, 0 if whole else first, N_PORTS - 1 if whole else last or first)
    allows = str(block.get("access", "Allow")).lower() == "allow"
    return TrafficRule(
        inward, ports, frozenset(), ranges, False, words, allows, _number(block.get("priority"), 4096)
    )


def _texts(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


# -- what passes ------------------------------------------------------------------------------------------


def _passed(cloud: Cloud, source: CloudHost, target: CloudHost) -> int:
    """The ports on which one host reaches another."""
    if _is_azure(source) != _is_azure(target):
        return 0
    if _is_azure(source):
        if target.kind == "store" and not target.subnets:
            return 0
        out, into = _by_priority(cloud, source, target, False), _by_priority(cloud, target, source, True)
        return out & into
    return _by_sum(cloud, source, target, False) & _by_sum(cloud, target, source, True)


def _is_azure(host: CloudHost) -> bool:
    return not host.groups


def _by_sum(cloud: Cloud, host: CloudHost, other: CloudHost, inward: bool) -> int:
    ports = 0
    for group in host.groups:
        for rule in cloud.rules.get(group, ()):
            if rule.inward == inward and is_meant(rule, group, other):
                ports |= rule.ports
    return ports


def is_meant(rule: TrafficRule, group: str, other: CloudHost) -> bool:
    """Whether a rule of a group means a host; one of unknown address may be in any private range."""
    if rule.groups & set(other.groups) or (rule.itself and group in other.groups):
        return True
    for span in rule.ranges:
        if span.prefixlen == 0 or (not other.ranges and is_inner(span)):
            return True
        if any(span.version == own.version and span.overlaps(own) for own in other.ranges):
            return True
    return False


def _by_priority(cloud: Cloud, host: CloudHost, other: CloudHost | None, inward: bool) -> int:
    """The ports that all groups on a host let pass, to or from another one, or the internet (None)."""
    ports = ALL_PORTS
    for guard in host.guards:
        open_, left = 0, ALL_PORTS
        for rule in sorted(cloud.rules.get(guard, ()), key=lambda rule: rule.priority):
            if rule.inward == inward and _is_matched(rule, other):
                open_ |= rule.ports & left if rule.allows else 0
                left &= ~rule.ports
        ports &= open_ | (left if other is not None or not inward else 0)
    return ports


def _is_matched(rule: TrafficRule, other: CloudHost | None) -> bool:
    """Whether a rule of Azure means a host or the internet; one that denies must mean all of it."""
    if rule.words & {"*", "any"} or any(span.prefixlen == 0 for span in rule.ranges):
        return True
    if other is None:
        return "internet" in rule.words or (rule.allows and not all(map(is_inner, rule.ranges)))
    if "virtualnetwork" in rule.words:
        return True
    for span in rule.ranges:
        for own in (own for own in other.ranges if own.version == span.version):
            inside = own.network_address in span and own.broadcast_address in span
            if inside or (rule.allows and span.overlaps(own)):
                return True
    return False


def _named(cloud: Cloud, source: CloudHost, target: CloudHost) -> bool:
    """Whether a rule names the group of a host, which says that the link is in use."""
    ours = set(source.groups)
    rules = (rule for group in target.groups for rule in cloud.rules.get(group, ()) if rule.inward)
    return any(rule.groups & ours for rule in rules)


def _expose(cloud: Cloud, hosts: Sequence[CloudHost], sketch: Sketch) -> None:
    unclear = []
    for host in hosts:
        if _is_azure(host):
            open_ = _by_priority(cloud, host, None, True) if host.guards else ALL_PORTS
        else:
            rules = (rule for group in host.groups for rule in cloud.rules.get(group, ()) if rule.inward)
            wide = [rule for rule in rules if any(not is_inner(s) for s in rule.ranges)]
            open_ = 0
            for rule in wide:
                open_ |= rule.ports
        if open_ and host.public:
            sketch.mark("exposed", host.address)
            sketch.use(f"internet-to-{host.label}", host.address)
        elif open_ and host.public is None:
            unclear.append(f"{{{host.address}}}")
    if unclear:
        sketch.ask(
            f"whether {', '.join(unclear[:6])} has a public address: rules let the internet in; see exposed"
        )


def _tell(cloud: Cloud, hosts: Sequence[CloudHost], sketch: Sketch) -> None:
    inside = [host for host in sketch.marks["stores"] if host not in sketch.marks["exposed"]]
    for host in inside:
        sketch.mark("critical", host)
    if inside:
        sketch.assume(
            f"critical: {', '.join(f'{{{host}}}' for host in inside[:6])}, where data is kept; see --critical"
        )
    default = [f"{{{host.address}}}" for host in hosts if host.groups == (DEFAULT_GROUP,)]
    if default:
        sketch.assume(
            f"{', '.join(default[:6])} without a security group: in the default group of the network"
        )
    if any(not host.ranges and host.groups for host in hosts):
        sketch.assume(
            "hosts whose addresses the files do not say may be in any private range that a rule names"
        )
    if any(host.copies > 1 for host in hosts):
        sketch.drop("copies one by one: those of one declaration are one host")
    if any(_is_azure(host) and host.kind == "store" and not host.subnets for host in hosts):
        sketch.ask("which machines use databases outside their networks: no link leads to these")
    known = {*AWS_HOSTS, *AZURE_HOSTS}
    others = sorted(
        {one.kind for one in cloud.resources if one.kind not in known and not _USED.search(one.kind)}
    )
    if others:
        sketch.drop(f"resources of other kinds: {', '.join(others[:8])}{', …' if len(others) > 8 else ''}")
    sketch.drop(
        "routes, network access lists, peerings, firewalls of their own and rights in the cloud (IAM)"
    )


_USED = re.compile(r"security_group|security_rule|subnet|network_interface|public_ip|firewall_rule|_eip|_lb")
