"""Zones for a system that names none: communities of its graph, in which most arrows stay inside.

Louvain's method (networkx) with a fixed seed; what is still too large is divided again. Which zones are
proposed decides how soon an answer is found, never which.
"""

from __future__ import annotations

from collections.abc import Collection

from holdfast.composition.division import declared_zones
from holdfast.errors import InputError
from holdfast.game import Configuration

MOST = 40
"""How many nodes a proposed zone has at most, if it can be divided at all."""

_SEED = 1


def proposed_zones(configuration: Configuration, most: int = MOST) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Zones of at most so many nodes, called zone1, zone2, … in the order of their first nodes.

    Raises:
        InputError: for a system without a picture.
    """
    graph = configuration.system.graph
    if graph is None or not graph.nodes:
        raise InputError("this system has no zones: only one with a picture of nodes can be divided")
    import networkx

    drawn = networkx.Graph(list(graph.arrows))
    drawn.add_nodes_from(graph.names)

    def divided(nodes: Collection[str]) -> list[set[str]]:
        if len(nodes) <= most:
            return [set(nodes)]
        parts = networkx.community.louvain_communities(drawn.subgraph(nodes), seed=_SEED)
        if len(parts) < 2:  # one dense community, cut along the order in which it is reached
            order = list(networkx.bfs_tree(drawn.subgraph(nodes), min(nodes)))
            order += sorted(set(nodes) - set(order))
            return [set(order[i : i + most]) for i in range(0, len(order), most)]
        return [piece for part in parts for piece in divided(part)]

    place = {name: i for i, name in enumerate(graph.names)}
    parts = [sorted(part, key=place.__getitem__) for part in divided(graph.names)]
    parts.sort(key=lambda part: place[part[0]])
    return {(f"zone{i}",): tuple(part) for i, part in enumerate(parts, 1)}


def zones_of(configuration: Configuration) -> tuple[dict[tuple[str, ...], tuple[str, ...]], bool]:
    """The zones that a system declares or, if it has none, those that are proposed; and whether they are."""
    zones = declared_zones(configuration)
    return (zones, False) if zones else (proposed_zones(configuration), True)
