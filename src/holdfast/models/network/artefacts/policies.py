"""Cuts and closed ways in as NetworkPolicies of Kubernetes.

Policies only ever allow, so a cut onto a workload means to say all that may still reach it: one policy for
each workload that loses a source, with every source that it keeps, on the ports that it has now. What lies
outside the manifests keeps its access, pods of other namespaces and addresses outside the cluster, unless the
way in from outside is what is closed. Policies that let the workload be reached so far no longer select it;
what they say of its egress is said again by a policy of its own.

What comes of it is worked out anew from the text that is written, by the semantics of
:mod:`~holdfast.models.network.importers.network_policies`, and compared with the design.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import ip_address, ip_network
from typing import Any

import yaml

from holdfast.errors import InputError
from holdfast.game import Arrow
from holdfast.models.network.artefacts import DesignChange, PatchFormat
from holdfast.models.network.importers import network_policies as netpol
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.kubernetes import cluster_hosts
from holdfast.models.network.importers.manifests import NAME_LABEL, Cluster, Workload, policy_nodes
from holdfast.scenario import data, read_documents

API = "networking.k8s.io/v1"
ALL = "0.0.0.0/0"
PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
"""Where the addresses of pods and nodes usually are: what is left is outside the cluster."""

HEAD = """\
# NetworkPolicies for: {changes}
# Apply them with kubectl apply -f; those that are there already are replaced.
# Outside the cluster is taken to be every address but private ones: put your own ranges in their place.
"""


def written_policies(change: DesignChange, files: Sequence[ForeignFile]) -> dict[str, str]:
    """The files of a patch: what to apply now, and what to have ready for each link that can be shut.

    Raises:
        InputError: where the manifests do not have the hosts, or policies cannot say it.
    """
    written: dict[str, str] = {}
    if change.cut or change.closed:
        words = "; ".join([f"cut {a} -> {b}" for a, b in change.cut] + [f"close {h}" for h in change.closed])
        written["networkpolicies.yaml"] = _patch(files, change.cut, change.closed, words)
    for source, target in change.blockable:
        name = f"block-{source}-to-{target}.yaml"
        written[name] = _patch(files, [(source, target)], (), f"shut {source} -> {target}, while it must be")
    return written


FORMAT = PatchFormat("kubernetes", "NetworkPolicies", written_policies)


def _patch(files: Sequence[ForeignFile], cut: Iterable[Arrow], closed: Iterable[str], words: str) -> str:
    desk = _Desk.of(files)
    gone = {(desk.workload(source).id, desk.workload(target).id) for source, target in cut}
    shut = {desk.workload(host).id for host in closed}
    for target in dict.fromkeys((*(target for _, target in sorted(gone)), *sorted(shut))):
        desk.rewrite(target, {source for source, to in gone if to == target}, target in shut)
    text = HEAD.format(changes=" ".join(words.split())) + yaml.safe_dump_all(
        desk.objects.values(), sort_keys=False, allow_unicode=True, explicit_start=True
    )
    _insist(desk, text, gone, shut)
    return text


@dataclass
class _Desk:
    """Manifests, and the policies that change."""

    cluster: Cluster
    hosts: Mapping[str, str]
    """The name that each workload has in the scenario."""
    given: Mapping[tuple[str, str], dict[str, Any]]
    """The policies as they are, by namespace and name."""
    objects: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """Policies that are new or replaced."""

    @staticmethod
    def of(files: Sequence[ForeignFile]) -> _Desk:
        cluster, hosts = cluster_hosts(files)
        given = {key: data(node) for key, node in policy_nodes(files).items()}
        return _Desk(cluster, hosts, given)

    def workload(self, host: str) -> Workload:
        key = next((id for id, name in self.hosts.items() if name == host), None)
        if key is None:
            raise InputError(
                f'no workload of the manifests is "{host}" in the scenario; was it renamed, or imported with '
                "--collapse? Give the manifests that it was imported from, and the names that they gave"
            )
        workload = self.cluster.workloads[key]
        if workload.pod.on_node:
            raise InputError(f'"{host}" is on the network of its node, where policies do not hold')
        return workload

    @property
    def policies(self) -> list[netpol.NetworkPolicy]:
        return self.cluster.policies

    def links(self, policies: Sequence[netpol.NetworkPolicy]) -> dict[tuple[str, str], netpol.Ports]:
        """The ports on which workloads reach each other, by their ids."""
        workloads = list(self.cluster.workloads.values())
        pods = [w.pod for w in workloads]
        reached = netpol.allowed(pods, policies, self.cluster.namespaces)
        return {(workloads[i].id, workloads[j].id): ports for i, j, ports in reached}

    def rewrite(self, target: str, without: set[str], closed: bool) -> None:
        """One policy with all that may still reach a workload, and the others no longer for it."""
        workload = self.cluster.workloads[target]
        pod, cluster = workload.pod, self.cluster
        rules: list[dict[str, Any]] = []
        for (source, to), ports in self.admitted.items():
            if to == target and source not in without and not cluster.workloads[source].pod.on_node:
                rules.append(_rule([self._peer(source, pod.namespace)], ports))
        own = [policy for policy in self.policies if netpol.isolates(policy, pod, "ingress")]
        if not closed:
            said = [
                rule for p in own for rule in self.given[p.namespace, p.name]["spec"].get("ingress") or ()
            ]
            rules += [one for rule in (said if own else [{}]) for one in self._kept(rule, without)]
        for policy in own:
            self._release(policy, workload)
        selector = {"matchLabels": self._own_labels(workload)}
        spec = {"podSelector": selector, "policyTypes": ["Ingress"], "ingress": _merged(rules)}
        self._add(f"{workload.name}-ingress", pod.namespace, spec)

    @cached_property
    def admitted(self) -> dict[tuple[str, str], netpol.Ports]:
        """The ports on which workloads let each other in, whatever the egress of the other one says."""
        return self.links([replace(policy, egress=None) for policy in self.policies])

    def _kept(self, rule: Mapping[str, Any] | None, without: set[str]) -> Iterable[dict[str, Any]]:
        """What a rule says of those who are in none of the manifests: other namespaces, and addresses."""
        others = {"key": NAME_LABEL, "operator": "NotIn", "values": sorted(self.cluster.namespaces)}
        peers: list[dict[str, Any]] = []
        for peer in (rule or {}).get("from") or [{"namespaceSelector": {}}, {"ipBlock": {"cidr": ALL}}]:
            kept = copy.deepcopy(dict(peer))
            if "ipBlock" in peer:
                gaps = [*(peer["ipBlock"].get("except") or ())]
                gaps += PRIVATE if peer["ipBlock"]["cidr"] == ALL and not gaps else ()
                gaps += self._addresses(peer["ipBlock"]["cidr"], without)
                kept["ipBlock"] |= {"except": list(dict.fromkeys(gaps))} if gaps else {}
                peers.append(kept)
            elif "namespaceSelector" in peer:
                selector = kept["namespaceSelector"] or {}
                terms = [*(selector.get("matchExpressions") or ()), others]
                peers.append(kept | {"namespaceSelector": selector | {"matchExpressions": terms}})
        if peers:
            ports = (rule or {}).get("ports")
            yield {"from": peers} | ({"ports": copy.deepcopy(ports)} if ports else {})

    def _addresses(self, block: str, of: set[str]) -> list[str]:
        """The addresses in a range that pods of some workloads have."""
        inside = ip_network(block, strict=False)
        known = (
            ip_address(a) for workload in sorted(of) for a in self.cluster.workloads[workload].pod.addresses
        )
        addresses = [a for a in known if a.version == inside.version and a in inside]
        return [f"{address}/{address.max_prefixlen}" for address in addresses]

    def _release(self, policy: netpol.NetworkPolicy, workload: Workload) -> None:
        """A policy that no longer selects a workload; its egress is said again for it."""
        key = policy.namespace, policy.name
        changed = copy.deepcopy(self.objects.get(key) or self.given[key])
        changed.pop("status", None)
        spec = changed["spec"]
        others = [
            w.pod.labels
            for w in self.cluster.workloads.values()
            if w.id != workload.id
            and w.pod.namespace == policy.namespace
            and policy.selector.selects(w.pod.labels)
        ]
        apart = [
            (label, value)
            for label, value in workload.pod.labels.items()
            if all(labels.get(label) != value for labels in others)
        ]
        if not apart:
            raise InputError(
                f"no label sets {workload.id} apart from the others that the policy {policy.name} selects; "
                "give its pods a label of their own"
            )
        label, value = apart[0]
        selector = dict(spec.get("podSelector") or {})
        terms = [*(selector.get("matchExpressions") or ())]
        terms.append({"key": label, "operator": "NotIn", "values": [value]})
        spec["podSelector"] = selector | {"matchExpressions": terms}
        self.objects[key] = changed
        if policy.egress is not None:
            own = {"podSelector": {"matchLabels": self._own_labels(workload)}, "policyTypes": ["Egress"]}
            own["egress"] = copy.deepcopy(self.given[key]["spec"].get("egress") or [])
            self._add(f"{policy.name}-{workload.name}-egress", policy.namespace, own)

    def _own_labels(self, workload: Workload) -> dict[str, str]:
        labels = dict(workload.pod.labels)
        shared = [
            w.id
            for w in self.cluster.workloads.values()
            if w.id != workload.id
            and w.pod.namespace == workload.pod.namespace
            and labels.items() <= dict(w.pod.labels).items()
        ]
        if not labels or shared:
            others = f"; {shared[0]} has them, too" if shared else ""
            raise InputError(f"the pods of {workload.id} have no labels of their own{others}: give them one")
        return labels

    def _peer(self, source: str, namespace: str) -> dict[str, Any]:
        workload = self.cluster.workloads[source]
        peer: dict[str, Any] = {"podSelector": {"matchLabels": self._own_labels(workload)}}
        if workload.pod.namespace != namespace:
            peer["namespaceSelector"] = {"matchLabels": {NAME_LABEL: workload.pod.namespace}}
        return peer

    def _add(self, name: str, namespace: str, spec: dict[str, Any]) -> None:
        taken = {*self.given, *self.objects}
        free = next(n for n in (name, *(f"{name}-{i}" for i in range(2, 999))) if (namespace, n) not in taken)
        metadata = {"name": free, "namespace": namespace}
        self.objects[namespace, free] = {
            "apiVersion": API,
            "kind": "NetworkPolicy",
            "metadata": metadata,
            "spec": spec,
        }


def _rule(peers: list[dict[str, Any]], ports: netpol.Ports) -> dict[str, Any]:
    """A rule for some peers and ports; one without ports allows nothing and is dropped by the caller."""
    rule: dict[str, Any] = {"from": peers}
    if ports != netpol.ALL_PORTS:
        rule["ports"] = list(_ports(ports))
    return rule


def _ports(ports: netpol.Ports) -> Iterable[dict[str, Any]]:
    for protocol, first, last in netpol.port_ranges(ports):
        whole = (first, last) == (1, netpol.N_PORTS - 1)
        yield (
            {"protocol": protocol}
            | ({} if whole else {"port": first})
            | ({"endPort": last} if last > first and not whole else {})
        )


def _merged(rules: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rules with the same ports as one; those that allow no port are left out."""
    found: dict[str, dict[str, Any]] = {}
    for rule in rules:
        if rule.get("ports") == []:
            continue
        ports = {"ports": rule["ports"]} if "ports" in rule else {}
        kept = found.setdefault(str(ports), {"from": [], **ports})
        kept["from"] += [peer for peer in rule["from"] if peer not in kept["from"]]
    return list(found.values())


def _insist(desk: _Desk, text: str, gone: set[tuple[str, str]], shut: set[str]) -> None:
    """Read what was written back, and refuse it unless it gives the links of the changed design."""
    documents = read_documents(text, "networkpolicies.yaml")
    new = {}
    for node in documents:
        metadata = data(node)["metadata"]
        key = metadata.get("namespace", "default"), metadata["name"]
        new[key] = netpol.read_policy(node, *key)
    kept = [policy for policy in desk.policies if (policy.namespace, policy.name) not in new]
    found, before = desk.links([*kept, *new.values()]), desk.links(desk.policies)
    expected = {link: ports for link, ports in before.items() if link not in gone}
    if found != expected:
        link = next(iter(set(found.items()) ^ set(expected.items())))[0]
        raise InputError(
            f"these changes cannot be expressed as policies: the connection from {link[0]} to {link[1]} "
            f"would differ from the design; see the change request"
        )
    for host in shut:
        pod = desk.cluster.workloads[host].pod
        if netpol.from_outside(pod, [*kept, *new.values()]):
            raise InputError(f"policies cannot close {host} to outside; see the change request")
