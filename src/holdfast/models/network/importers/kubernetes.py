"""Manifests of Kubernetes as they are applied, and lists that kubectl writes.

Workloads are hosts, their replicas together one, and namespaces are zones. A link runs from one workload to
another if the NetworkPolicies of both let some connection pass
(:mod:`~holdfast.models.network.importers.network_policies`); without policies every pod reaches every pod.
What a Service of type LoadBalancer or NodePort, an Ingress or a route offers is exposed, if policies let it
in. A workload whose environment, arguments or ConfigMaps name a Service uses it: a flow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from holdfast.game import counted
from holdfast.models.network.importers import network_policies as netpol
from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.endpoints import endpoints
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.manifests import NAME_LABEL, Cluster, Service, read_cluster
from holdfast.models.network.importers.names import name_hosts

_MANIFEST = re.compile(r"^[ \t{]*[\"']?apiVersion[\"']?[ \t]*:", re.MULTILINE)
_KIND = re.compile(r"(?:^|[{,])[ \t]*[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?[A-Z]", re.MULTILINE)


def _recognise(file: ForeignFile) -> bool:
    if not file.is_tree:
        return False
    if file.keys and file.start.startswith("{"):
        return {"apiVersion", "kind"} <= file.keys
    return _MANIFEST.search(file.text) is not None and _KIND.search(file.text) is not None


def _read(file: ForeignFile) -> Draft:
    return _read_together([file])


def _read_together(files: Sequence[ForeignFile]) -> Draft:
    cluster = read_cluster(files)
    title = files[0].path.stem if len(files) == 1 else files[0].path.parent.name
    return _drafted(cluster, Sketch(title, files[0].budget))


def cluster_hosts(files: Sequence[ForeignFile]) -> tuple[Cluster, dict[str, str]]:
    """What manifests declare, and the name that each workload gets in a scenario, by its id."""
    cluster = read_cluster(files)
    return cluster, name_hosts(_drafted(cluster, Sketch("", files[0].budget)))


def _drafted(cluster: Cluster, sketch: Sketch) -> Draft:
    workloads = list(cluster.workloads.values())
    for namespace in {w.pod.namespace for w in workloads}:
        cluster.namespaces.setdefault(namespace, {NAME_LABEL: namespace})
    for workload in workloads:
        sketch.add_host(workload.id, workload.name, workload.pod.namespace)
        sketch.stands_for[workload.id] = workload.replicas
        sketch.call(workload.id, *workload.pod.addresses)
        if workload.keeps_data:
            sketch.mark("stores", workload.id)
    pods = [w.pod for w in workloads]
    for i, j, ports in netpol.allowed(pods, cluster.policies, cluster.namespaces):
        sketch.add_link(workloads[i].id, workloads[j].id, netpol.port_words(ports))
    for (namespace, name), of in cluster.behind.items():
        for host in of:
            sketch.call(host, name, f"{name}.{namespace}.svc.cluster.local")
    _expose(cluster, sketch)
    _connect(cluster, sketch)
    _tell(cluster, sketch)
    return sketch.draft()


def _expose(cluster: Cluster, sketch: Sketch) -> None:
    """Mark what is offered to outside, if policies let it in."""
    offers = [(s, f"Service {s.name} ({s.outside})", False) for s in cluster.services.values() if s.outside]
    for route, namespace, name in cluster.routes:
        service = cluster.services.get((namespace, name))
        if service is None:
            sketch.contradict(
                f"{route} leads to the Service {namespace}/{name}, which is in none of the files"
            )
        else:
            offers.append((service, route, True))
    for service, what, by_controller in offers:
        hosts = cluster.behind[service.namespace, service.name]
        if not hosts:
            sketch.contradict(
                f"{what} offers pods to outside, and no workload has the labels that it selects"
            )
        for host in hosts:
            pod = cluster.workloads[host].pod
            offered = _target_ports(service, pod)
            passed = netpol.from_outside(pod, cluster.policies)
            if by_controller:
                passed |= netpol.from_elsewhere(pod, cluster.policies, cluster.namespaces)
            if offered & passed or pod.on_node:
                sketch.mark("exposed", host)
                sketch.use(f"{what.split(' ')[0].lower()}-to-{cluster.workloads[host].name}", host)
            else:
                sketch.contradict(
                    f"{what} offers {{{host}}} to outside, and its policies let nothing from outside in: "
                    "it is not exposed"
                )


def _target_ports(service: Service, pod: netpol.Pod) -> netpol.Ports:
    """The ports of a pod that a Service leads to; all, where it says none."""
    ports = 0
    for protocol, target in service.ports:
        if protocol not in netpol.PROTOCOLS:
            continue
        numbers = (
            [int(target)]
            if target.isdigit()
            else [n for p, n in pod.named_ports.get(target, ()) if p == protocol]
        )
        for number in numbers:
            if 0 < number < netpol.N_PORTS:
                ports |= netpol.port_bits(protocol, number, number)
    return ports if service.ports else netpol.ALL_PORTS


def _connect(cluster: Cluster, sketch: Sketch) -> None:
    """The flows: to Services that a workload names, and what policies name pod by pod, with ports."""
    for workload in cluster.workloads.values():
        for name, text in workload.settings:
            for service in _services_named(cluster, workload.pod.namespace, name, text):
                for target in cluster.behind[service.namespace, service.name]:
                    if target == workload.id:
                        continue
                    if (workload.id, target) in sketch.links:
                        sketch.use("", workload.id, target)
                    else:
                        sketch.contradict(
                            f"{{{workload.id}}} names the Service {service.name} "
                            f"({name or 'in an argument'}), and policies do not let it reach {{{target}}}"
                        )
    for (source, target), ports in sketch.links.items():
        if netpol.port_words(netpol.ALL_PORTS) not in ports:
            sketch.use("", source, target)


def _services_named(cluster: Cluster, namespace: str, name: str, text: str) -> Iterator[Service]:
    """The Services that a setting names: ``cart:7070``, ``http://cart.shop.svc/x``, or ``CART_HOST=cart``."""
    for host, sure in endpoints(name, text):
        first, *domain = host.split(".")
        service = cluster.services.get((domain[0] if domain else namespace, first))
        if service is not None and (sure or domain):
            yield service


def _tell(cluster: Cluster, sketch: Sketch) -> None:
    if cluster.policies:
        isolated = {
            way: {
                w.id
                for w in cluster.workloads.values()
                if any(netpol.isolates(p, w.pod, way) for p in cluster.policies)
            }
            for way in ("ingress", "egress")
        }
        n, all_of = len(isolated["ingress"]), len(cluster.workloads)
        free = [f"{{{host}}}" for host in cluster.workloads if host not in isolated["ingress"]]
        if free:
            listed = ", ".join(free[:6]) + (", …" if len(free) > 6 else "")
            sketch.assume(
                f"policies isolate {n} of {counted(all_of, 'workload')} for what comes in; the others accept "
                f"everything: {listed}"
            )
    else:
        sketch.assume("there are no NetworkPolicies: every pod reaches every pod, as Kubernetes has it")
    if cluster.ignored:
        kinds = ", ".join(f"{n} {kind}" for kind, n in cluster.ignored.items())
        sketch.drop(f"policies of other kinds, which may allow less or more: {kinds}")
    on_node = [f"{{{w.id}}}" for w in cluster.workloads.values() if w.pod.on_node]
    if on_node:
        sketch.assume(
            f"{', '.join(on_node[:6])} on their node's network, where policies do not hold: linked with all"
        )
    blocks = [
        peer
        for policy in cluster.policies
        for rule in (*(policy.ingress or ()), *(policy.egress or ()))
        for peer in rule.peers or ()
        if peer.block is not None
    ]
    if blocks and not any(w.pod.addresses for w in cluster.workloads.values()):
        sketch.assume(
            f"{counted(len(blocks), 'rule')} with addresses (ipBlock) taken for what is outside the cluster; "
            "0.0.0.0/0 without exceptions means pods, too"
        )
    guarded = [f"{{{w.id}}}" for w in cluster.workloads.values() if w.host_ports]
    if guarded:
        sketch.ask(
            f"whether outside reaches the nodes of {', '.join(guarded[:6])} (hostPort): if so, expose them"
        )
    _tell_rest(cluster, sketch)


def _tell_rest(cluster: Cluster, sketch: Sketch) -> None:
    stores = [host for host in sketch.marks["stores"] if host not in sketch.marks["exposed"]]
    for host in stores:
        sketch.mark("critical", host)
    if stores:
        names = ", ".join(f"{{{host}}}" for host in stores[:6]) + (", …" if len(stores) > 6 else "")
        sketch.assume(f"critical: {names}, where data is kept, by images or volumes; see --critical")
    for text in cluster.twice:
        sketch.contradict(f"{text} is declared twice, and not alike: the first was taken")
    if cluster.idle:
        sketch.drop(f"workloads without replicas: {', '.join(list(cluster.idle)[:6])}")
    if any(w.replicas > 1 for w in cluster.workloads.values()):
        sketch.drop("replicas one by one: those of a workload are one host, compromised if one of them is")
    if cluster.inside:
        sketch.drop(f"LoadBalancers inside the cloud's own network: {', '.join(list(cluster.inside)[:6])}")
    if cluster.others:
        kinds = ", ".join(f"{n} {kind}" for kind, n in cluster.others.most_common(8))
        sketch.drop(f"objects of other kinds: {kinds}{', …' if len(cluster.others) > 8 else ''}")
    sketch.drop("nodes, rights in the cluster's own API (RBAC) and connections to outside")
    if not cluster.routes and not any(s.outside for s in cluster.services.values()):
        sketch.ask("what can be reached from outside: no Ingress, LoadBalancer or NodePort is in the files")


IMPORTER = Importer("kubernetes", "manifests of Kubernetes", _recognise, _read, read_together=_read_together)
