"""Models of Threagile, the agile threat modelling toolkit.

Technical assets are hosts and communication links are links, each in use: a flow. The innermost trust
boundary of an asset is its zone. What is on the internet is exposed, and a ``datastore`` holds data. Critical
is what must never fail (availability ``mission-critical``), is rated or stores data rated
``strictly-confidential``.
"""

from __future__ import annotations

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile, flag, items, known, mapping, scalar, word
from holdfast.scenario import Node

SECRET, VITAL = "strictly-confidential", "mission-critical"


def _recognise(file: ForeignFile) -> bool:
    return "technical_assets" in file.keys and {"threagile_version", "trust_boundaries"} & file.keys != set()


def _read(file: ForeignFile) -> Draft:
    root = file.tree
    sketch = Sketch(word(root, "title", file.path.stem), file.budget)
    secret = {
        word(node, "id", name)
        for name, node in mapping(root, "data_assets").items()
        if word(node, "confidentiality") == SECRET
    }
    zones = _zones(root)
    assets: dict[str, Node] = {}
    for title, node in mapping(root, "technical_assets").items():
        name = word(node, "id", title)
        if name in assets:
            raise node.problem(f'the id "{name}" is used twice; rename one')
        assets[name] = node
        sketch.add_host(name, zone=zones.get(name, ""))
        if flag(node, "internet"):
            sketch.mark("exposed", name)
        if word(node, "type") == "datastore":
            sketch.mark("stores", name)
        stored = {scalar(item, "a data asset") for item in items(node, "data_assets_stored")}
        if word(node, "availability") == VITAL or word(node, "confidentiality") == SECRET or stored & secret:
            sketch.mark("critical", name)
    n_read_only = 0
    for name, node in assets.items():
        for title, link in mapping(node, "communication_links").items():
            target = known(link, word(link, "target"), assets, "a technical asset")
            sketch.add_link(name, target, word(link, "protocol"))
            sketch.use(title, name, target)
            n_read_only += flag(link, "readonly")
    _tell(root, sketch, assets, n_read_only)
    return sketch.draft()


def _zones(root: Node) -> dict[str, str]:
    """The innermost trust boundary of each asset."""
    zones: dict[str, str] = {}
    for title, node in mapping(root, "trust_boundaries").items():
        for item in items(node, "technical_assets_inside"):
            zones.setdefault(scalar(item, "an asset"), word(node, "id", title))
    return zones


def _tell(root: Node, sketch: Sketch, assets: dict[str, Node], n_read_only: int) -> None:
    sketch.drop("protocols' details, authentication, encryption, data assets and rated risks")
    nested = [
        f"{scalar(item, 'a boundary')} in {word(node, 'id', title)}"
        for title, node in mapping(root, "trust_boundaries").items()
        for item in items(node, "trust_boundaries_nested")
    ]
    if nested:
        sketch.drop(f"nesting of trust boundaries ({', '.join(nested[:6])}): each is a zone of its own")
    if n_read_only:
        sketch.drop(f"that {n_read_only} links are read-only: compromise may spread along them")
    if mapping(root, "shared_runtimes"):
        sketch.drop("shared runtimes: what runs on one machine is not linked for that")
    scope = [name for name, node in assets.items() if flag(node, "out_of_scope")]
    if scope:
        sketch.drop(f"that some assets are out of scope ({', '.join(scope[:6])}): they are hosts like others")


IMPORTER = Importer("threagile", "a model of Threagile", _recognise, _read)
