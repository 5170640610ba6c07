"""Manifests of Kubernetes: what the objects of files declare, before anything is made of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.models.network.importers import network_policies as netpol
from holdfast.models.network.importers.foreign import ForeignFile, flag, items, mapping, scalar, word
from holdfast.scenario import Node, Problem

DEFAULT = "default"
NAME_LABEL = "kubernetes.io/metadata.name"
"""The label that every namespace has, with its own name."""

PODS_OF = {
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"), ("template",)
    ),
    **dict.fromkeys(("Job", "DeploymentConfig", "Rollout"), ("template",)),
    "CronJob": ("jobTemplate", "spec", "template"),
}
"""Where the template of a workload's pods stands in its spec."""

ROUTES = ("Ingress", "Route", "HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute")
QUIET = frozenset("Namespace NetworkPolicy Service ConfigMap Pod List Secret".split())  # noqa: SIM905
POLICY_GROUPS = (
    "cilium.io",
    "projectcalico.org",
    "policy.networking.k8s.io",
    "security.istio.io",
    "linkerd.io",
)
INTERNAL = re.compile(r"internal|scheme", re.IGNORECASE)
DATA_IMAGES = re.compile(
    r"(^|[/-])(postgres\w*|mysql|mariadb|mongo\w*|redis|valkey|cassandra|elasticsearch|opensearch|etcd|couchdb|"
    r"influxdb|neo4j|mssql\w*|oracle\w*|minio|clickhouse\w*|cockroach\w*|vault|zookeeper|kafka|rabbitmq)\b"
)
"""Images of programs that keep data."""

_TEMPLATE = re.compile(r"\{\{.*?\}\}")


@dataclass(frozen=True)
class Workload:
    """What runs: its pods, and what they say of others."""

    kind: str
    name: str
    pod: netpol.Pod
    replicas: int
    settings: tuple[tuple[str, str], ...] = ()
    """Names and texts of environment variables and arguments."""
    images: tuple[str, ...] = ()
    keeps_data: bool = False
    host_ports: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        """What no other workload is called, as netpol-analyzer writes it."""
        return f"{self.pod.namespace}/{self.name}[{self.kind}]"


@dataclass(frozen=True)
class Service:
    """A Service: the pods that it selects, and whether it offers them to outside."""

    name: str
    namespace: str
    selector: Mapping[str, str]
    ports: tuple[tuple[str, str], ...]
    """Protocol and port of the pod, a number or a name."""
    outside: str = ""

    def selects(self, pod: netpol.Pod) -> bool:
        """Whether a pod is behind this Service."""
        return (
            bool(self.selector)
            and pod.namespace == self.namespace
            and all(pod.labels.get(key) == value for key, value in self.selector.items())
        )


@dataclass
class Cluster:
    """What manifests declare."""

    workloads: dict[str, Workload] = field(default_factory=dict)
    services: dict[tuple[str, str], Service] = field(default_factory=dict)
    policies: list[netpol.NetworkPolicy] = field(default_factory=list)
    routes: list[tuple[str, str, str]] = field(default_factory=list)
    """What offers a Service to outside, the namespace and the name of the Service."""
    namespaces: dict[str, dict[str, str]] = field(default_factory=dict)
    configs: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    twice: dict[str, None] = field(default_factory=dict)
    idle: dict[str, None] = field(default_factory=dict)
    inside: dict[str, None] = field(default_factory=dict)

    @cached_property
    def behind(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The workloads behind each Service."""
        return {
            key: tuple(w.id for w in self.workloads.values() if service.selects(w.pod))
            for key, service in self.services.items()
        }


def read_cluster(files: Sequence[ForeignFile]) -> Cluster:
    """What the manifests of some files declare.

    Raises:
        Problem: for what is no manifest, or manifests without a workload.
    """
    cluster = Cluster()
    objects = [one for file in files for one in _objects(file)]
    for one in objects:
        if word(one, "kind") == "ConfigMap":
            texts = {k: v.text for k, v in mapping(one, "data").items() if v.kind == "scalar"}
            cluster.configs[_namespace(one), _name(one)] = texts
    for one in objects:
        files[0].budget.tick("reading the manifests")
        _declare(cluster, one)
    _gather_pods(cluster, objects)
    if not cluster.workloads:
        raise files[0].problem(
            "no workload in these manifests (Deployment, StatefulSet, DaemonSet, Job, Pod, …); "
            "import the folder that has them, too"
        )
    return cluster


def policy_nodes(files: Sequence[ForeignFile]) -> dict[tuple[str, str], Node]:
    """The NetworkPolicies of some files as they stand there, by namespace and name; the first of each."""
    found: dict[tuple[str, str], Node] = {}
    for one in (one for file in files for one in _objects(file)):
        if word(one, "kind") == "NetworkPolicy":
            found.setdefault((_namespace(one), _name(one)), one)
    return found


def _objects(file: ForeignFile) -> Iterator[Node]:
    """The objects of a file, lists taken apart."""
    try:
        documents = file.documents
    except Problem as problem:
        if _TEMPLATE.search(file.text):
            line = file.text.count("\n", 0, problem.index or 0) + 1
            raise file.problem(
                "a template of Helm; run helm template first, and import what it writes", line
            ) from None
        raise
    for document in documents:
        if document.kind != "mapping":
            raise document.problem(
                f"expected an object with apiVersion and kind, found {document.describe()}"
            )
        yield from _listed(document)


def _listed(node: Node) -> Iterator[Node]:
    if node.kind == "mapping" and word(node, "kind").endswith("List") and "items" in node.entries:
        of = word(node, "kind").removesuffix("List")
        for item in items(node, "items"):
            if of and item.kind == "mapping" and "kind" not in item.entries:
                raise item.problem(
                    f"an object of a {of}List without its kind; write it with kubectl get -o yaml"
                )
            yield from _listed(item)
    elif node.kind == "mapping" and "kind" in node.entries:
        yield node


# -- what is declared -----------------------------------------------------------------------------------


def _declare(cluster: Cluster, node: Node) -> None:
    kind, group = word(node, "kind"), word(node, "apiVersion").rpartition("/")[0]
    name, namespace = _name(node), _namespace(node)
    if kind == "Namespace":
        cluster.namespaces[name] = {NAME_LABEL: name} | _labels(node.get("metadata"))
    elif kind in PODS_OF:
        _add_workload(cluster, node, kind, name, namespace)
    elif kind == "NetworkPolicy" and group in ("networking.k8s.io", "extensions"):
        if any((p.name, p.namespace) == (name, namespace) for p in cluster.policies):
            cluster.twice[f"NetworkPolicy {namespace}/{name}"] = None
        else:
            cluster.policies.append(netpol.read_policy(node, namespace, name))
    elif kind == "Service":
        _add_service(cluster, node, name, namespace)
    elif kind in ROUTES:
        cluster.routes += [(f"{kind} {name}", *place) for place in _offered(node, namespace)]
    elif "Policy" in kind and (kind == "NetworkPolicy" or any(group.endswith(of) for of in POLICY_GROUPS)):
        cluster.ignored[f"{kind} of {group}"] += 1
    elif kind not in QUIET:
        cluster.others[kind] += 1


def _name(node: Node) -> str:
    metadata = node.get("metadata")
    name = word(metadata, "name") if metadata is not None else ""
    if not name and metadata is not None:
        name = word(metadata, "generateName").rstrip("-")
    if not name:
        raise node.problem(f"a {word(node, 'kind')} without a name (metadata: {{name: …}})")
    return name


def _namespace(node: Node) -> str:
    metadata = node.get("metadata")
    return (word(metadata, "namespace") if metadata is not None else "") or DEFAULT


def _labels(metadata: Node | None) -> dict[str, str]:
    if metadata is None:
        return {}
    return {
        key: scalar(value, "a label")
        for key, value in mapping(metadata, "labels").items()
        if not value.is_null
    }


def _add_workload(cluster: Cluster, node: Node, kind: str, name: str, namespace: str) -> None:
    spec = node.get("spec")
    template = spec
    for key in PODS_OF[kind]:
        template = template.get(key) if template is not None else None
    if spec is None or template is None:
        raise node.problem(f'the {kind} "{name}" has no template of pods (spec: {{template: …}})')
    if kind == "ReplicaSet" and _owner(node):
        return  # the Deployment that owns it is the workload
    replicas = spec.get("replicas")
    n = replicas.value if replicas is not None and isinstance(replicas.value, int) else 1
    _keep(cluster, _workload(cluster, template, kind, name, namespace, n, spec))


def _keep(cluster: Cluster, workload: Workload) -> None:
    if workload.id in cluster.workloads:
        if cluster.workloads[workload.id] != workload:
            cluster.twice[workload.id] = None
        return
    if workload.replicas == 0:
        cluster.idle[workload.id] = None
        return
    cluster.workloads[workload.id] = workload


def _workload(
    cluster: Cluster,
    template: Node,
    kind: str,
    name: str,
    namespace: str,
    replicas: int,
    spec: Node | None = None,
) -> Workload:
    inner = template.get("spec")
    if inner is None:
        raise template.problem(f'the pods of the {kind} "{name}" have no spec')
    containers = [*items(inner, "initContainers"), *items(inner, "containers")]
    named: dict[str, list[tuple[str, int]]] = {}
    host_ports: list[int] = []
    for port in (port for container in containers for port in items(container, "ports")):
        number = port.get("containerPort")
        if number is not None and port.get("name") is not None:
            protocol = word(port, "protocol", "TCP").upper()
            if protocol in netpol.PROTOCOLS:
                named.setdefault(word(port, "name"), []).append((protocol, netpol.port_number(number)))
        if port.get("hostPort") is not None:
            host_ports.append(netpol.port_number(port["hostPort"]))
    pod = netpol.Pod(
        namespace,
        _labels(template.get("metadata")),
        {key: tuple(of) for key, of in named.items()},
        on_node=flag(inner, "hostNetwork"),
    )
    claims = [*items(spec, "volumeClaimTemplates")] if spec is not None else []
    claims += [
        volume for volume in items(inner, "volumes") if volume.get("persistentVolumeClaim") is not None
    ]
    images = tuple(word(container, "image") for container in containers)
    return Workload(
        kind,
        name,
        pod,
        replicas,
        tuple(setting for container in containers for setting in _settings(container, namespace, cluster)),
        images,
        bool(claims) or any(DATA_IMAGES.search(image.split("@")[0].split(":")[0]) for image in images),
        tuple(host_ports),
    )


def _settings(container: Node, namespace: str, cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Names and texts of what a container is told: its environment, its ConfigMaps and its arguments."""
    for variable in items(container, "env"):
        name, value = word(variable, "name"), variable.get("value")
        source = variable.get("valueFrom")
        if value is not None and value.kind == "scalar":
            yield name, value.text
        elif source is not None and (key := source.get("configMapKeyRef")) is not None:
            config = cluster.configs.get((namespace, word(key, "name")), {})
            yield name, config.get(word(key, "key"), "")
    for part in items(container, "envFrom"):
        if (of := part.get("configMapRef")) is not None:
            yield from cluster.configs.get((namespace, word(of, "name")), {}).items()
    for arguments in ("command", "args"):
        for argument in items(container, arguments):
            if argument.kind == "scalar":
                option, _, text = argument.text.rpartition("=")
                yield option, text


def _owner(node: Node) -> tuple[str, str] | None:
    """The kind and the name of what controls an object."""
    metadata = node.get("metadata")
    owners = items(metadata, "ownerReferences") if metadata is not None else ()
    named = [(word(owner, "kind"), word(owner, "name")) for owner in owners if owner.kind == "mapping"]
    return named[0] if named else None


def _gather_pods(cluster: Cluster, objects: Sequence[Node]) -> None:
    """Pods: those of a workload that is there lend it their addresses, others of one owner are a workload."""
    of: dict[str, list[Node]] = {}
    kinds: dict[str, tuple[str, str, str]] = {}
    for node in objects:
        if word(node, "kind") != "Pod":
            continue
        namespace, owner = _namespace(node), _owner(node)
        kind, name = owner or ("Pod", _name(node))
        if kind == "ReplicaSet":
            short = re.sub(r"-[0-9a-z]{6,10}$", "", name)
            kind, name = "Deployment", short
        elif kind == "Job":
            cron = re.sub(r"-\d{6,}$", "", name)
            kind, name = ("CronJob", cron) if cron != name else (kind, name)
        key = f"{namespace}/{name}[{kind}]"
        of.setdefault(key, []).append(node)
        kinds[key] = kind, name, namespace
    for key, nodes in of.items():
        kind, name, namespace = kinds[key]
        addresses = tuple(address for node in nodes for address in _pod_addresses(node))
        workload = cluster.workloads.get(key)
        if workload is None:
            workload = _workload(cluster, nodes[0], kind, name, namespace, len(nodes))
        pod = netpol.Pod(
            namespace, workload.pod.labels, workload.pod.named_ports, addresses, workload.pod.on_node
        )
        fields = (workload.settings, workload.images, workload.keeps_data, workload.host_ports)
        cluster.workloads[key] = Workload(kind, name, pod, max(workload.replicas, len(nodes)), *fields)


def _pod_addresses(node: Node) -> list[str]:
    status = node.get("status")
    if status is None:
        return []
    from ipaddress import ip_address

    given = [word(status, "podIP"), *(word(item, "ip") for item in items(status, "podIPs"))]
    addresses = []
    for text in dict.fromkeys(text for text in given if text):
        try:
            addresses.append(str(ip_address(text)))
        except ValueError:
            raise status.problem(f'"{text[:40]}" is no address of a pod') from None
    return addresses


def _add_service(cluster: Cluster, node: Node, name: str, namespace: str) -> None:
    spec = node.get("spec")
    if spec is None:
        return
    kind = word(spec, "type", "ClusterIP")
    outside = (
        kind if kind in ("LoadBalancer", "NodePort") else "externalIPs" if items(spec, "externalIPs") else ""
    )
    if outside == "LoadBalancer" and _is_internal(node.get("metadata")):
        cluster.inside[f"{namespace}/{name}"] = None
        outside = ""
    ports = []
    for port in items(spec, "ports"):
        target = port.get("targetPort") or port.get("port")
        if target is not None:
            ports.append((word(port, "protocol", "TCP").upper(), scalar(target, "a port")))
    selector = {key: scalar(value, "a label") for key, value in mapping(spec, "selector").items()}
    cluster.services[namespace, name] = Service(name, namespace, selector, tuple(ports), outside)


def _is_internal(metadata: Node | None) -> bool:
    """Whether a note on a LoadBalancer asks for one inside the cloud's own network."""
    if metadata is None:
        return False
    notes = mapping(metadata, "annotations")
    return any(
        "load-balancer" in key
        and INTERNAL.search(key + value.text)
        and value.text.lower() in ("true", "internal")
        for key, value in notes.items()
        if value.kind == "scalar"
    )


def _offered(node: Node, namespace: str) -> Iterator[tuple[str, str]]:
    """The Services that an Ingress or a route leads to."""
    spec = node.get("spec")
    if spec is None:
        return
    kind = word(node, "kind")
    if kind == "Ingress":
        backends = [spec.get("defaultBackend"), spec.get("backend")]
        for rule in items(spec, "rules"):
            http = rule.get("http")
            backends += [path.get("backend") for path in (items(http, "paths") if http is not None else ())]
        for backend in (backend for backend in backends if backend is not None):
            service = backend.get("service")
            yield namespace, word(service, "name") if service is not None else word(backend, "serviceName")
    elif kind == "Route":
        targets = [spec.get("to"), *items(spec, "alternateBackends")]
        yield from ((namespace, word(to, "name")) for to in targets if to is not None)
    else:
        for rule in items(spec, "rules"):
            for backend in items(rule, "backendRefs"):
                yield word(backend, "namespace", namespace), word(backend, "name")
