"""GML, the Graph Modelling Language, as igraph, Gephi, networkx and the Internet Topology Zoo write it."""

from __future__ import annotations

import re

from holdfast.models.network.importers.contract import GENERAL, Importer
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import ForeignFile, refuse_large
from holdfast.models.network.importers.graphml import unreadable
from holdfast.models.network.importers.graphs import draft_of

MAX_GML_DEPTH = 50
_GRAPH = re.compile(r"(?:\s*(?:#.*|(?!graph\b)\w+[ \t]+(?:\"[^\"]*\"|[^\s\[]+))[ \t\r]*\n)*\s*graph\s*\[")
_BRACKETS = re.compile(r'"[^"]*"|#.*|[\[\]]')


def _recognise(file: ForeignFile) -> bool:
    return _GRAPH.match(file.text[:20_000]) is not None


def _read(file: ForeignFile) -> Draft:
    import networkx

    refuse_large(file)
    depth = 0
    for bracket in _BRACKETS.finditer(file.text):
        depth += {"[": 1, "]": -1}.get(bracket[0], 0)
        if depth > MAX_GML_DEPTH:
            line, _ = file.source.place(bracket.start())
            raise file.problem(f"nested more than {MAX_GML_DEPTH} levels deep", line)
    file.budget.tick("reading the graph")
    try:
        # By id, since labels need not be unique; the label is what a host goes by.
        graph = networkx.parse_gml(file.text, label="id")
    except (networkx.NetworkXError, KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable(file, "GML", error) from None
    title = next((str(graph.graph[k]) for k in ("Network", "label", "name") if graph.graph.get(k)), "")
    return draft_of(graph, file, title)


IMPORTER = Importer("gml", "GML", _recognise, _read, GENERAL)
