"""JSON of nodes and links, as networkx (``node_link_data``), D3 and topohub write it."""

from __future__ import annotations

from typing import Any

from holdfast.models.network.importers.contract import GENERAL, Importer
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import ForeignFile, items, known, truthy, word
from holdfast.models.network.importers.graphs import draft_of
from holdfast.scenario import Node


def _recognise(file: ForeignFile) -> bool:
    if "nodes" not in file.keys or not {"links", "edges"} & file.keys:
        return False
    return all(file.tree[key].kind == "list" for key in ("nodes", "links", "edges") if key in file.keys)


def _read(file: ForeignFile) -> Draft:
    import networkx

    root = file.tree
    directed = root.get("directed")
    graph: networkx.Graph[str] = (
        networkx.DiGraph() if directed is not None and truthy(directed.value) else networkx.Graph()
    )
    for node in items(root, "nodes"):
        name = word(node, "id") or word(node, "name")
        if not name:
            raise node.problem('a node without "id"; expected {"id": "GW"}')
        if name in graph:
            raise node.problem(f'the node "{name}" is listed twice; rename or remove one')
        graph.add_node(name, **_attributes(node, {"id"}))
    for edge in items(root, "links" if root.get("links") is not None else "edges"):
        ends = [word(edge, key) for key in ("source", "target")]
        if not all(ends):
            raise edge.problem('a link without its ends; expected {"source": "GW", "target": "Web"}')
        for end in ends:
            known(edge, end, graph.nodes, "a node")
        graph.add_edge(*ends, **_attributes(edge, {"source", "target"}))
    about = root.get("graph")
    return draft_of(graph, file, word(about, "name") if about is not None else "")


def _attributes(node: Node, skipped: set[str]) -> dict[str, Any]:
    return {key: value.value for key, value in node.entries.items() if key not in skipped}


IMPORTER = Importer("node-link", "JSON of nodes and links", _recognise, _read, GENERAL)
