"""Topologies of containerlab.

Nodes are hosts, their ``group`` is their zone, and a link joins its two ends in both directions. What
hangs on the machine that runs the lab (``host``, ``mgmt-net``, ``macvlan``, ``vxlan``) can be reached
from outside and is exposed.
"""

from __future__ import annotations

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile, items, known, mapping, scalar, word
from holdfast.scenario import Node

OUTSIDE = ("host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch")


def _recognise(file: ForeignFile) -> bool:
    if "topology" not in file.keys:
        return False
    topology = file.tree["topology"]
    return topology.kind == "mapping" and "nodes" in topology.entries


def _read(file: ForeignFile) -> Draft:
    topology = file.tree["topology"]
    sketch = Sketch(word(file.tree, "name", file.path.stem), file.budget)
    for name, node in mapping(topology, "nodes").items():
        sketch.add_host(name, zone=word(node, "group") if node.kind == "mapping" else "")
    outward = 0
    for link in items(topology, "links"):
        if word(link, "type") == "dummy":  # an interface that leads nowhere
            continue
        inside, outside = [], word(link, "type") in OUTSIDE
        for end in (*items(link, "endpoints"), *([link["endpoint"]] if link.get("endpoint") else [])):
            name = _node(end)
            if name in OUTSIDE and name not in sketch.hosts:
                outside = True
            else:
                inside.append(known(end, name, sketch.hosts, "a node"))
        if not inside or len(inside) > 2 or (len(inside) == 1 and not outside):
            raise link.problem("expected a link with two endpoints")
        if outside:
            outward += 1
            sketch.mark("exposed", inside[0])
        else:
            sketch.add_link(inside[0], inside[1])
            sketch.add_link(inside[1], inside[0])
    if outward:
        sketch.drop(f"the other ends of {outward} links to the machine that runs the lab")
    sketch.drop("kinds, images and configurations of nodes, and the management network that joins them all")
    return sketch.draft()


def _node(end: Node) -> str:
    """The node of an endpoint, ``node:interface`` or a mapping."""
    if end.kind == "mapping":
        return word(end, "node")
    return scalar(end, "an endpoint").split(":", 1)[0]


IMPORTER = Importer("containerlab", "a topology of containerlab", _recognise, _read)
