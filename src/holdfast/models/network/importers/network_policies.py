"""What the NetworkPolicies of a Kubernetes cluster allow.

A pod is isolated for ingress if some policy of its namespace selects it and is of type Ingress; then only
what a rule of such a policy allows comes in. The same holds for egress. A connection needs both ends: the
egress of its source and the ingress of its target. Rules add up, and nothing denies. A rule without peers
means everybody, one without ports every port. Of a peer, ``podSelector`` alone means pods of the policy's own
namespace, ``namespaceSelector`` alone all pods of the namespaces that it selects, both together those pods in
those namespaces. A port that is given by its name is that of the pod which is connected to.

Ports are sets of bits: one for each port of each protocol, so that what both ends allow is one ``&``.

Where Kubernetes leaves it open: pods on the network of their node are not selected by policies, neither as
subject nor as peer, and reach and are reached by everything, as a node and its pods always do. An ``ipBlock``
means pods whose address is known to be in it, and every pod if it is the whole address space without
exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from holdfast.models.network.importers.foreign import items, mapping, scalar, word
from holdfast.scenario import Node

PROTOCOLS = ("TCP", "UDP", "SCTP")
N_PORTS = 65_536
_ONE = (1 << N_PORTS) - 2
ALL_PORTS = sum(_ONE << (i * N_PORTS) for i in range(len(PROTOCOLS)))
"""All ports of all protocols; 0 is no port."""

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
AddressRange = IPv4Network | IPv6Network
Ports = int
"""A set of ports, as bits."""


@dataclass(frozen=True)
class Selector:
    """Labels that must be there: each a key, an operator and values."""

    terms: tuple[tuple[str, str, frozenset[str]], ...] = ()

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether labels are selected; what has no term selects all."""
        return all(_fits(labels.get(key), operator, values) for key, operator, values in self.terms)


def _fits(value: str | None, operator: str, values: frozenset[str]) -> bool:
    if operator == "In":
        return value is not None and value in values
    if operator == "NotIn":
        return value is None or value not in values
    return (value is None) == (operator == "DoesNotExist")


@dataclass(frozen=True)
class PolicyPort:
    """A port of a rule: a number, a range, a name, or all of a protocol."""

    protocol: str
    first: int = 1
    last: int = N_PORTS - 1
    name: str = ""


@dataclass(frozen=True)
class Peer:
    """Pods, or addresses, that a rule names."""

    pods: Selector | None = None
    namespaces: Selector | None = None
    block: AddressRange | None = None
    without: tuple[AddressRange, ...] = ()


@dataclass(frozen=True)
class PolicyRule:
    """Peers and ports that are allowed; None for all of them."""

    peers: tuple[Peer, ...] | None
    ports: tuple[PolicyPort, ...] | None


@dataclass(frozen=True)
class NetworkPolicy:
    """A NetworkPolicy; None for a direction in which it does not isolate."""

    name: str
    namespace: str
    selector: Selector
    ingress: tuple[PolicyRule, ...] | None
    egress: tuple[PolicyRule, ...] | None


@dataclass(frozen=True)
class Pod:
    """What policies see of the pods of a workload."""

    namespace: str
    labels: Mapping[str, str] = field(default_factory=dict)
    named_ports: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    addresses: tuple[str, ...] = ()
    on_node: bool = False


# -- reading ------------------------------------------------------------------------------------------


def read_policy(node: Node, namespace: str, name: str) -> NetworkPolicy:
    """A policy from its manifest."""
    spec = node.get("spec")
    if spec is None:
        raise node.problem(f'the NetworkPolicy "{name}" has no spec')
    types = [scalar(item, "a policy type") for item in items(spec, "policyTypes")]
    if not types:
        types = ["Ingress", *(["Egress"] if items(spec, "egress") else [])]
    rules = {way: tuple(_rule(rule, end) for rule in items(spec, way.lower())) for way, end in _ENDS.items()}
    return NetworkPolicy(
        name,
        namespace,
        read_selector(spec, "podSelector") or Selector(),
        *(rules[way] if way in types else None for way in _ENDS),
    )


_ENDS = {"Ingress": "from", "Egress": "to"}


def read_selector(node: Node, key: str) -> Selector | None:
    """A label selector below a key; None where there is none, which is not the same as an empty one."""
    given = node.get(key)
    if given is None:
        return None
    if given.kind != "mapping":
        raise given.problem(f'expected a mapping for "{key}", found {given.describe()}')
    terms = [
        (label, "In", frozenset((scalar(value, "a label"),)))
        for label, value in mapping(given, "matchLabels").items()
    ]
    for item in items(given, "matchExpressions"):
        operator = word(item, "operator")
        if operator not in OPERATORS:
            raise item.problem(f'the operator "{operator}" is none of {", ".join(OPERATORS)}')
        values = frozenset(scalar(value, "a label") for value in items(item, "values"))
        if bool(values) != (operator in ("In", "NotIn")):
            raise item.problem(f"{operator} takes {'no' if values else 'some'} values")
        terms.append((word(item, "key"), operator, values))
    return Selector(tuple(terms))


def _rule(node: Node, end: str) -> PolicyRule:
    if node.kind != "mapping" and not node.is_null:
        raise node.problem(f"expected a rule, found {node.describe()}")
    peers = tuple(_peer(peer) for peer in items(node, end))
    ports = tuple(_port(port) for port in items(node, "ports"))
    return PolicyRule(peers or None, ports or None)


def _peer(node: Node) -> Peer:
    block, pods, namespaces = (
        node.get("ipBlock"),
        *(read_selector(node, key) for key in ("podSelector", "namespaceSelector")),
    )
    if block is not None:
        if pods is not None or namespaces is not None:
            raise node.problem("a peer with ipBlock has no selector; make two peers of it")
        return Peer(
            block=_network(block, word(block, "cidr")),
            without=tuple(_network(item, scalar(item, "an address")) for item in items(block, "except")),
        )
    if pods is None and namespaces is None:
        raise node.problem("a peer needs podSelector, namespaceSelector or ipBlock")
    return Peer(pods, namespaces)


def _network(node: Node, text: str) -> AddressRange:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise node.problem(f'"{text[:60]}" is no range of addresses such as 10.0.0.0/8') from None


def _port(node: Node) -> PolicyPort:
    protocol = word(node, "protocol", "TCP").upper()
    if protocol not in PROTOCOLS:
        raise node.problem(f'the protocol "{protocol[:20]}" is none of {", ".join(PROTOCOLS)}')
    given, last = node.get("port"), node.get("endPort")
    if given is None:
        if last is not None:
            raise last.problem("endPort needs a port that is a number")
        return PolicyPort(protocol)
    if not isinstance(given.value, int) or isinstance(given.value, bool):
        if last is not None:
            raise last.problem("endPort needs a port that is a number")
        return PolicyPort(protocol, name=scalar(given, "a port"))
    first, end = port_number(given), port_number(last) if last is not None else port_number(given)
    if end < first:
        raise node.problem(f"endPort {end} is smaller than port {first}")
    return PolicyPort(protocol, first, end)


def port_number(node: Node) -> int:
    """A number from 1 to 65535."""
    if not isinstance(node.value, int) or isinstance(node.value, bool) or not 0 < node.value < N_PORTS:
        raise node.problem(f"expected a port from 1 to {N_PORTS - 1}, found {node.describe()}")
    return node.value


# -- what is allowed ------------------------------------------------------------------------------------


def port_bits(protocol: str, first: int, last: int) -> Ports:
    """The ports of a range as bits."""
    return ((1 << (last - first + 1)) - 1) << (PROTOCOLS.index(protocol) * N_PORTS + first)


def port_words(ports: Ports) -> str:
    """A set of ports in words.

    >>> port_words(port_bits("TCP", 80, 80) | port_bits("TCP", 443, 445)), port_words(ALL_PORTS)
    ('TCP 80,443-445', 'All connections')
    """
    if ports is ALL_PORTS or ports == ALL_PORTS:
        return "All connections"
    told = []
    for i, protocol in enumerate(PROTOCOLS):
        own = (ports >> (i * N_PORTS)) & _ONE
        if own == _ONE:
            told.append(protocol)
        elif own:
            ranges = (f"{a}" if a == b else f"{a}-{b}" for a, b in _ranges(own))
            told.append(f"{protocol} {','.join(ranges)}")
    return ", ".join(told)


def port_ranges(ports: Ports) -> Iterator[tuple[str, int, int]]:
    """The ranges of a set of ports: protocol, first and last."""
    for i, protocol in enumerate(PROTOCOLS):
        yield from ((protocol, first, last) for first, last in _ranges((ports >> (i * N_PORTS)) & _ONE))


def _ranges(bits: int) -> Iterator[tuple[int, int]]:
    at = 0
    while bits:
        zeros = (bits & -bits).bit_length() - 1
        bits >>= zeros
        ones = (~bits & (bits + 1)).bit_length() - 1
        yield at + zeros, at + zeros + ones - 1
        bits >>= ones
        at += zeros + ones


def allowed(
    pods: Sequence[Pod], policies: Iterable[NetworkPolicy], namespaces: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[int, int, Ports]]:
    """The pairs of pods between which a connection is possible, with its ports.

    Args:
        namespaces: the labels of each namespace.
    """
    listed = tuple(policies)
    rules = {
        (rule, policy.namespace)
        for policy in listed
        for rule in (*(policy.ingress or ()), *(policy.egress or ()))
    }
    who = {(rule, of): _who(rule, of, pods, namespaces) for rule, of in rules}
    ingress, egress = (
        [_Isolation.of(pod, listed, way, who) for pod in pods] for way in ("ingress", "egress")
    )
    for i, source in enumerate(pods):
        for j, target in enumerate(pods):
            if i == j:
                continue
            if source.on_node or target.on_node:
                yield i, j, ALL_PORTS
                continue
            out = egress[i]
            into = ingress[j]
            passed = ALL_PORTS if out is None else out.ports(j, target)
            if passed and into is not None:
                passed &= into.ports(i, target)
            if passed:
                yield i, j, passed


@dataclass(frozen=True)
class _Isolation:
    """The rules that apply to a pod in one direction: who, on which ports."""

    rules: tuple[tuple[frozenset[int] | None, PolicyRule], ...]
    known: dict[tuple[int, ...], Ports] = field(default_factory=dict)

    @staticmethod
    def of(
        pod: Pod,
        policies: Sequence[NetworkPolicy],
        way: str,
        who: Mapping[tuple[PolicyRule, str], frozenset[int] | None],
    ) -> _Isolation | None:
        """None for a pod that is not isolated."""
        own = [policy for policy in policies if isolates(policy, pod, way)]
        if not own:
            return None
        return _Isolation(
            tuple((who[rule, policy.namespace], rule) for policy in own for rule in getattr(policy, way))
        )

    def ports(self, peer: int, target: Pod) -> Ports:
        """The ports on which the rules let a peer pass; names are those of the pod that is connected to."""
        rules = [i for i, (who, _) in enumerate(self.rules) if who is None or peer in who]
        if any(port.name for i in rules for port in self.rules[i][1].ports or ()):
            return _union(self.rules[i][1].ports for i in rules) | _named(
                (self.rules[i][1].ports for i in rules), target
            )
        key = tuple(rules)
        if key not in self.known:
            self.known[key] = _union(self.rules[i][1].ports for i in rules)
        return self.known[key]


def isolates(policy: NetworkPolicy, pod: Pod, way: str) -> bool:
    """Whether a policy isolates a pod in a direction."""
    return (
        getattr(policy, way) is not None
        and not pod.on_node
        and policy.namespace == pod.namespace
        and policy.selector.selects(pod.labels)
    )


def _who(
    rule: PolicyRule, namespace: str, pods: Sequence[Pod], namespaces: Mapping[str, Mapping[str, str]]
) -> frozenset[int] | None:
    """The pods that a rule names; None for all."""
    if rule.peers is None:
        return None
    return frozenset(
        i
        for i, pod in enumerate(pods)
        if any(is_peer(pod, peer, namespace, namespaces) for peer in rule.peers)
    )


def is_peer(pod: Pod, peer: Peer, namespace: str, namespaces: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a pod is one of those that a peer of a policy in a namespace means."""
    if peer.block is not None:
        if not pod.addresses:
            return peer.block.prefixlen == 0 and not peer.without
        return any(
            _inside(address, peer.block) and not any(_inside(address, gap) for gap in peer.without)
            for address in pod.addresses
        )
    if pod.on_node:
        return False
    if peer.namespaces is None:
        if pod.namespace != namespace:
            return False
    elif not peer.namespaces.selects(namespaces.get(pod.namespace, {})):
        return False
    return peer.pods is None or peer.pods.selects(pod.labels)


def _inside(address: str, block: AddressRange) -> bool:
    ip = ip_address(address)
    return ip.version == block.version and ip in block


def _union(lists: Iterable[tuple[PolicyPort, ...] | None]) -> Ports:
    ports = 0
    for given in lists:
        if given is None:
            return ALL_PORTS
        for port in given:
            ports |= 0 if port.name else port_bits(port.protocol, port.first, port.last)
    return ports


def _named(lists: Iterable[tuple[PolicyPort, ...] | None], target: Pod) -> Ports:
    ports = 0
    for port in (port for given in lists for port in given or () if port.name):
        for protocol, number in target.named_ports.get(port.name, ()):
            if protocol == port.protocol:
                ports |= port_bits(protocol, number, number)
    return ports


def from_outside(pod: Pod, policies: Iterable[NetworkPolicy]) -> Ports:
    """The ports on which a pod may be reached by some address outside the cluster."""
    own = [policy for policy in policies if isolates(policy, pod, "ingress")]
    if not own:
        return ALL_PORTS
    rules = [rule for policy in own for rule in policy.ingress or () if _lets_outside(rule)]
    return _union(rule.ports for rule in rules) | _named((rule.ports for rule in rules), pod)


def _lets_outside(rule: PolicyRule) -> bool:
    return rule.peers is None or any(p.block is not None and not is_empty(p) for p in rule.peers)


def is_empty(peer: Peer) -> bool:
    """Whether the exceptions of a range of addresses leave nothing of it."""
    block = peer.block
    assert block is not None
    gaps = [_span(gap) for gap in peer.without if gap.version == block.version]
    start, end = _span(block)
    for first, last in sorted(gaps):
        if first <= start:
            start = max(start, last + 1)
    return start > end


def _span(block: AddressRange) -> tuple[int, int]:
    return int(block.network_address), int(block.broadcast_address)


def from_elsewhere(
    pod: Pod, policies: Iterable[NetworkPolicy], namespaces: Mapping[str, Mapping[str, str]]
) -> Ports:
    """The ports on which some pod may come in whose namespace is not among those that are known.

    So does an ingress controller, of which manifests say nothing: a rule means it that names everybody, all
    namespaces, or namespaces of which none is known.
    """
    own = [policy for policy in policies if isolates(policy, pod, "ingress")]
    if not own:
        return ALL_PORTS
    rules = [
        rule
        for policy in own
        for rule in policy.ingress or ()
        if rule.peers is None or any(_means_others(peer, namespaces) for peer in rule.peers)
    ]
    return _union(rule.ports for rule in rules) | _named((rule.ports for rule in rules), pod)


def _means_others(peer: Peer, namespaces: Mapping[str, Mapping[str, str]]) -> bool:
    if peer.block is not None:
        return peer.block.prefixlen == 0 and not peer.without
    if peer.namespaces is None:
        return False
    return not peer.namespaces.terms or not any(map(peer.namespaces.selects, namespaces.values()))
