"""Graphs of networkx as drafts, for the formats that networkx reads.

A node goes by its ``label`` or ``name``. Attributes called ``zone`` (or ``subnet``), ``entry``,
``exposed`` (or ``internet``) and ``critical`` are taken as they are meant; others are dropped. Along an
edge without direction compromise may spread both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile, truthy
from holdfast.scenario import shortened

if TYPE_CHECKING:
    from networkx import Graph as NetworkxGraph

LABELS, ZONES = ("label", "name"), ("zone", "subnet")
MARKS = {"entry": "entry", "exposed": "exposed", "internet": "exposed", "critical": "critical"}
SERVICES = ("service", "label", "name")
KNOWN = {*LABELS, *ZONES, *MARKS, "id"}


def draft_of(graph: NetworkxGraph[Any], file: ForeignFile, title: str = "") -> Draft:
    """The draft of a graph."""
    sketch = Sketch(title or file.path.stem, file.budget)
    ignored: dict[str, None] = {}
    for node, attributes in graph.nodes(data=True):
        sketch.add_host(str(node), _first(attributes, LABELS), _first(attributes, ZONES))
        for key, kind in MARKS.items():
            if truthy(attributes.get(key)):
                sketch.mark(kind, str(node))
        ignored |= dict.fromkeys(map(str, attributes.keys() - KNOWN))
    weights: dict[str, None] = {}
    for source, target, attributes in graph.edges(data=True):
        service = _first(attributes, SERVICES)
        sketch.add_link(str(source), str(target), service)
        if not graph.is_directed():
            sketch.add_link(str(target), str(source), service)
        weights |= dict.fromkeys(map(str, attributes.keys() - {*SERVICES, "id", "key"}))
    for what, names in (("nodes", ignored), ("links", weights)):
        if names:
            listed = ", ".join(shortened(name, 30) for name in sorted(names)[:8])
            sketch.drop(f"attributes of {what}: {listed}{', …' if len(names) > 8 else ''}")
    return sketch.draft()


def _first(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    values = (attributes.get(key) for key in keys)
    return next((str(value).strip() for value in values if isinstance(value, str | int) and value != ""), "")
