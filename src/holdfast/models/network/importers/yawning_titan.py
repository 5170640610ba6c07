"""Networks of YAWNING-TITAN: one network, or a file of several of which one is taken by its name.

A node may be an entry or of high value; an edge that the file has in one direction only counts for both,
since the simulator's networks have no direction.
"""

from __future__ import annotations

from holdfast.errors import did_you_mean
from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile, flag, known, mapping, word
from holdfast.scenario import Node, shortened

TABLE = "_default"
RANDOM = {
    "set_random_entry_nodes": "that entry nodes are drawn at random: name them with --entry",
    "set_random_high_value_nodes": "that nodes of high value are drawn at random: name them with --critical",
    "set_random_vulnerabilities": "random vulnerabilities",
}


def _recognise(file: ForeignFile) -> bool:
    if not file.is_tree:
        return False
    if TABLE in file.keys:
        return any(_is_network(node) for node in file.tree[TABLE].entries.values())
    return bool(file.keys) and _is_network(file.tree)


def _is_network(node: Node) -> bool:
    return all((below := node.get(key)) is not None and below.kind == "mapping" for key in ("nodes", "edges"))


def _read(file: ForeignFile) -> Draft:
    root = _chosen(file)
    sketch = Sketch(_title(root) or file.path.stem, file.budget)
    nodes = mapping(root, "nodes")
    for name, node in nodes.items():
        sketch.add_host(name, word(node, "name"))
        if flag(node, "entry_node"):
            sketch.mark("entry", name)
        if flag(node, "high_value_node"):
            sketch.mark("critical", name)
    for source, node in mapping(root, "edges").items():
        for target, below in node.entries.items():
            ends = known(below, source, nodes, "a node"), known(below, target, nodes, "a node")
            sketch.add_link(*ends)
            sketch.add_link(*reversed(ends))
    sketch.drop("vulnerabilities of nodes and their positions in pictures")
    sketch.drop(*(note for key, note in RANDOM.items() if flag(root, key)))
    return sketch.draft()


def _chosen(file: ForeignFile) -> Node:
    """The network that is asked for; the only one, where the file has but one."""
    if TABLE not in file.keys:
        return file.tree
    networks = {_title(node) or key: node for key, node in mapping(file.tree, TABLE).items()}
    if file.part is None and len(networks) == 1:
        return next(iter(networks.values()))
    listed = ", ".join(f'"{shortened(name)}"' for name in list(networks)[:12])
    if file.part is None:
        raise file.problem(f"the file holds {len(networks)} networks; take one with --network: {listed}")
    if file.part not in networks:
        hint = did_you_mean(file.part, networks) or f"; there are {listed}"
        raise file.problem(f'there is no network "{shortened(file.part)}"{hint}')
    return networks[file.part]


def _title(node: Node) -> str:
    about = node.get("_doc_metadata")
    return word(about, "name") if about is not None else ""


IMPORTER = Importer("yawning-titan", "networks of YAWNING-TITAN", _recognise, _read)
