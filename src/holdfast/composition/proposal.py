"""Zones for a system that names none: communities of its graph, in which most arrows stay inside.

Louvain's method (networkx) with a fixed seed; what is still too large is divided again, and nodes that
nothing joins to others stand together. Which zones are proposed decides how soon an answer is found, never
which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from holdfast.composition.division import declared_zones
from holdfast.errors import InputError
from holdfast.game import Configuration

MOST = 40
"""How many nodes a proposed zone has at most, if it can be divided at all."""

_SEED = 1


def communities(
    names: Collection[str], arrows: Iterable[tuple[str, str]], most: int = MOST
) -> list[tuple[str, ...]]:
    """Nodes in communities of at most so many, each in the order of all, and in that of their first nodes.

    >>> communities("abcd", [("a", "c"), ("b", "d")], 2)
    [('a', 'c'), ('b', 'd')]
    """
    import networkx

    drawn = networkx.Graph(list(arrows))
    drawn.add_nodes_from(names)

    def cut(nodes: Iterable[str]) -> list[set[str]]:
        order = list(nodes)
        return [set(order[i : i + most]) for i in range(0, len(order), most)]

    def divided(nodes: Collection[str]) -> list[set[str]]:
        if len(nodes) <= most:
            return [set(nodes)]
        parts = networkx.community.louvain_communities(drawn.subgraph(nodes), seed=_SEED)
        if len(parts) < 2:  # one dense community, cut along the order in which it is reached
            order = list(networkx.bfs_tree(drawn.subgraph(nodes), min(nodes)))
            return cut([*order, *sorted(set(nodes) - set(order))])
        return [piece for part in parts for piece in divided(part)]

    place = {name: i for i, name in enumerate(names)}
    joined = [name for name in names if drawn.degree(name)]
    lonely = [name for name in names if not drawn.degree(name)]
    parts = [sorted(part, key=place.__getitem__) for part in (*divided(joined), *cut(lonely)) if part]
    return [tuple(part) for part in sorted(parts, key=lambda part: place[part[0]])]


def proposed_zones(configuration: Configuration, most: int = MOST) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Zones of at most so many nodes, called zone1, zone2, … in the order of their first nodes.

    Raises:
        InputError: for a system without a picture.
    """
    graph = configuration.system.graph
    if graph is None or not graph.nodes:
        raise InputError("this system has no zones: only one with a picture of nodes can be divided")
    parts = communities(graph.names, graph.arrows, most)
    return {(f"zone{i}",): part for i, part in enumerate(parts, 1)}


def zones_of(configuration: Configuration) -> tuple[dict[tuple[str, ...], tuple[str, ...]], bool]:
    """The zones that a system declares or, if it has none, those that are proposed; and whether they are."""
    zones = declared_zones(configuration)
    return (zones, False) if zones else (proposed_zones(configuration), True)
