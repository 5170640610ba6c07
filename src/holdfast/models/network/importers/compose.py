"""Files of Docker Compose.

Services are hosts. Those on a common network reach each other in both directions, on every port; without
``networks`` all are on one. A published port is exposed, unless it is bound to the machine itself. What a
service depends on, is linked to, or names in its environment or command it uses: a flow. Several files are
put together, as Compose does it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.endpoints import endpoints
from holdfast.models.network.importers.foreign import ForeignFile, items, mapping, scalar, word
from holdfast.models.network.importers.manifests import DATA_IMAGES
from holdfast.scenario import Node

DEFAULT = "default"
HERE = ("127.", "localhost", "[::1]", "::1")
"""Addresses of the machine itself."""


@dataclass
class _Service:
    """A service of one file or several."""

    image: str = ""
    networks: dict[str, None] = field(default_factory=dict)
    mode: str = ""
    published: dict[str, None] = field(default_factory=dict)
    local: int = 0
    uses: dict[str, None] = field(default_factory=dict)
    settings: list[tuple[str, str]] = field(default_factory=list)
    names: dict[str, None] = field(default_factory=dict)
    replicas: int = 1
    optional: bool = False


def _recognise(file: ForeignFile) -> bool:
    if "services" not in file.keys:
        return False
    services = file.tree["services"]
    if services.kind != "mapping" or not services.entries:
        return False
    known = {
        "image",
        "build",
        "extends",
        "command",
        "environment",
        "ports",
        "networks",
        "depends_on",
        "volumes",
    }
    return any(known & node.entries.keys() for node in services.entries.values() if node.kind == "mapping")


def _read(file: ForeignFile) -> Draft:
    return _read_together([file])


def _read_together(files: Sequence[ForeignFile]) -> Draft:
    services: dict[str, _Service] = {}
    title = ""
    for file in files:
        file.budget.tick("reading the file")
        title = title or word(file.tree, "name")
        for name, node in mapping(file.tree, "services").items():
            _add(services.setdefault(name, _Service()), node)
    parent = files[0].path.resolve().parent.name
    sketch = Sketch(title or parent or files[0].path.stem, files[0].budget)
    included = sum(len(items(file.tree, "include")) for file in files)
    if included:
        sketch.drop(f"{included} included files: import them together with this one")
    return _drafted(services, sketch)


def _add(service: _Service, node: Node) -> None:
    """What one file says of a service."""
    if node.kind != "mapping":
        raise node.problem(f"expected the settings of a service, found {node.describe()}")
    service.image = word(node, "image") or service.image
    service.mode = word(node, "network_mode") or service.mode
    service.networks |= dict.fromkeys(_keys(node, "networks"))
    service.optional = service.optional or node.get("profiles") is not None
    for port in items(node, "ports"):
        text, host = _port(port)
        if host.startswith(HERE):
            service.local += 1
        else:
            service.published[text] = None
    service.uses |= dict.fromkeys(_keys(node, "depends_on"))
    for link in items(node, "links"):
        service.uses[scalar(link, "a link").partition(":")[0]] = None
    service.settings += _settings(node)
    for name in ("container_name", "hostname"):
        if word(node, name):
            service.names[word(node, name)] = None
    deploy = node.get("deploy")
    replicas = (
        deploy.get("replicas") if deploy is not None and deploy.kind == "mapping" else None
    ) or node.get("scale")
    if replicas is not None and isinstance(replicas.value, int) and replicas.value > 0:
        service.replicas = replicas.value


def _keys(node: Node, key: str) -> list[str]:
    """A list of names, or the keys of a mapping."""
    below = node.get(key)
    if below is None:
        return []
    if below.kind == "mapping":
        return list(below.entries)
    return [scalar(item, f'"{key}"') for item in items(node, key)]


def _port(node: Node) -> tuple[str, str]:
    """A published port in words, and the address that it is bound to, if any."""
    if node.kind == "mapping":
        published = word(node, "published")
        return f"{published + ':' if published else ''}{word(node, 'target')}", word(node, "host_ip")
    text = scalar(node, "a port")
    return text, text if text.startswith(HERE) else ""


def _settings(node: Node) -> Iterator[tuple[str, str]]:
    environment = node.get("environment")
    if environment is not None and environment.kind == "mapping":
        yield from ((key, value.text) for key, value in environment.entries.items() if value.kind == "scalar")
    else:
        for item in items(node, "environment"):
            key, _, value = scalar(item, "a variable").partition("=")
            yield key, value
    command = node.get("command")
    for part in (command.items or (command,)) if command is not None else ():
        if part.kind == "scalar":
            yield "", part.text


def _drafted(services: dict[str, _Service], sketch: Sketch) -> Draft:
    on: dict[str, list[str]] = {}
    for name, service in services.items():
        through = service.mode.partition(":")[2] if service.mode.startswith("service:") else ""
        shared = services.get(through, service)
        networks = list(shared.networks) or ([] if shared.mode in ("none", "host") else [DEFAULT])
        for network in networks:
            on.setdefault(network, []).append(name)
        zone = networks[0] if len(networks) == 1 and networks != [DEFAULT] else ""
        sketch.add_host(name, zone=zone)
        sketch.stands_for[name] = service.replicas
        sketch.call(name, *service.names)
        if DATA_IMAGES.search(service.image.split("@")[0].rsplit(":", 1)[0]):
            sketch.mark("stores", name)
        if service.published or service.mode == "host":
            sketch.mark("exposed", name)
            sketch.use(f"outside-to-{name}", name)
    for members in on.values():
        for source, target in permutations(members, 2):
            sketch.add_link(source, target)
    for name, service in services.items():
        named = [host for key, text in service.settings for host, sure in endpoints(key, text) if sure]
        for target in dict.fromkeys((*service.uses, *named)):
            if target not in services or target == name:
                continue
            if (name, target) in sketch.links:
                sketch.use("", name, target)
            elif target in service.uses:
                sketch.contradict(f"{{{name}}} depends on {{{target}}}, and they are on no common network")
    _tell(services, sketch)
    return sketch.draft()


def _tell(services: dict[str, _Service], sketch: Sketch) -> None:
    inside = [host for host in sketch.marks["stores"] if host not in sketch.marks["exposed"]]
    for host in inside:
        sketch.mark("critical", host)
    if inside:
        sketch.assume(
            f"critical: {', '.join(f'{{{h}}}' for h in inside[:6])}, which keep data; see --critical"
        )
    local = [name for name, service in services.items() if service.local and not service.published]
    if local:
        sketch.drop(f"ports of the machine itself ({', '.join(local[:6])}): not exposed")
    optional = [name for name, service in services.items() if service.optional]
    if optional:
        sketch.drop(f"that some services start with a profile alone ({', '.join(optional[:6])})")
    if any(service.replicas > 1 for service in services.values()):
        sketch.drop("replicas one by one: those of a service are one host")
    if not sketch.marks["exposed"]:
        sketch.ask("what can be reached from outside: no service publishes a port")
    sketch.drop("images, volumes, secrets, and the machine that all of it runs on")


IMPORTER = Importer("compose", "a file of Docker Compose", _recognise, _read, read_together=_read_together)
