"""Pictures of many nodes made readable: nodes that are alike are drawn as one box with a count.

Nodes are *alike* if they have the same marks, stand in the same zone, and have the same arrows to and from
everything else. The members of a declared group that are alike are always drawn as one. Where that leaves
more nodes than a picture can take, so are all others that are alike, and after that the nodes of the largest
zones that nothing singles out, although their arrows may differ: such a box has an arrow where one of its
nodes has one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from holdfast.game import Arrow, Graph
from holdfast.report.board import run_together

MANY = 24
"""Boxes past which alike nodes are drawn as one although no group was declared."""

LEAST = 3
"""Nodes that are worth a common box."""


def folded(*graphs: Graph) -> tuple[Graph, ...]:
    """The pictures with alike nodes drawn as one; what differs between them is never hidden in a box.

    >>> from holdfast.game.system import GraphNode
    >>> nodes = tuple(GraphNode(name, name) for name in ("GW", "ws1", "ws2", "ws3"))
    >>> arrows = tuple(("GW", name) for name in ("ws1", "ws2", "ws3"))
    >>> folded(Graph(nodes, arrows, groups={"ws": ("ws1", "ws2", "ws3")}))[0].arrows
    (('GW', 'ws ×3'),)
    """
    box = boxes(*graphs)
    return tuple(_merged(graph, box) for graph in graphs)


def boxes(*graphs: Graph) -> dict[str, str]:
    """For each node that is drawn together with others, the name of their box."""
    classes = _Classes(graphs)
    classes.fold_groups()
    if classes.n_boxes > MANY:
        classes.fold_alike()
    if classes.n_boxes > MANY:
        classes.fold_zones()
    return classes.box


class _Classes:
    """Which box stands for a node, while boxes are put together."""

    def __init__(self, graphs: Sequence[Graph]) -> None:
        self.graphs = graphs
        self.names = tuple(dict.fromkeys(name for graph in graphs for name in graph.names))
        self.box: dict[str, str] = {}
        self.zone = {name: zone for graph in graphs for zone, of in graph.zones.items() for name in of}
        self.ends: dict[str, list[tuple[int, bool, str, Hashable]]] = {name: [] for name in self.names}
        for number, graph in enumerate(graphs):
            for arrow in graph.arrows:
                gates = graph.gates.get(arrow, ())
                self.ends[arrow[0]].append((number, True, arrow[1], gates))
                self.ends[arrow[1]].append((number, False, arrow[0], gates))
        self.marks = {
            name: tuple(next((n.marks for n in g.nodes if n.name == name), None) for g in graphs)
            for name in self.names
        }

    @property
    def n_boxes(self) -> int:
        """How many boxes there are, single nodes included."""
        return len(self.names) - len(self.box) + len(set(self.box.values()))

    def likeness(self, name: str, among: frozenset[str] = frozenset()) -> Hashable:
        """What alike nodes have in common; arrows inside ``among`` do not count."""
        ends = frozenset(end for end in self.ends[name] if end[2] not in among)
        return self.marks[name], self.zone.get(name), ends

    def fold_groups(self) -> None:
        """Members of a declared group that are alike."""
        for group in dict.fromkeys(name for graph in self.graphs for name in graph.groups):
            members = dict.fromkeys(m for graph in self.graphs for m in graph.groups.get(group, ()))
            for names in _by(members, partial(self.likeness, among=frozenset(members))):
                whole = len(names) == len(members)
                self.put(names, f"{group if whole else run_together(names)} ×{len(names)}")

    def fold_alike(self) -> None:
        """Any other nodes that are alike."""
        for names in _by(self.single(), self.likeness):
            self.put(names, f"{run_together(names)} ×{len(names)}")

    def fold_zones(self) -> None:
        """What nothing singles out in the largest zones, as far as it is needed."""
        changed = self.changed()
        plain = [n for n in self.single() if n not in changed and not any(self.marks[n])]
        inside = _by((n for n in plain if n in self.zone), self.zone.__getitem__)
        for names in sorted(inside, key=len, reverse=True):
            if self.n_boxes > MANY:
                self.put(names, f"{len(names)} in {self.zone[names[0]]}")

    def single(self) -> list[str]:
        """The nodes with a box of their own."""
        return [name for name in self.names if name not in self.box]

    def changed(self) -> set[str]:
        """The nodes at which the graphs differ."""
        first = self.graphs[0]
        apart: set[str] = {n for graph in self.graphs for n in set(graph.names) ^ set(first.names)}
        for graph in self.graphs:
            apart |= {name for arrow in set(graph.arrows) ^ set(first.arrows) for name in arrow}
        return apart

    def put(self, names: Sequence[str], box: str) -> None:
        """One box for some nodes, if they are enough."""
        if len(names) >= LEAST and box not in self.names and box not in self.box.values():
            self.box |= dict.fromkeys(names, box)


def _by(names: Iterable[str], key: Callable[[str], Hashable]) -> list[list[str]]:
    groups: dict[Hashable, list[str]] = {}
    for name in names:
        groups.setdefault(key(name), []).append(name)
    return list(groups.values())


def _middles(graph: Graph, box: dict[str, str]) -> dict[str, tuple[float, float]]:
    """Where the boxes stand in an arranged picture: in the middle of their nodes."""
    members: dict[str, list[tuple[float, float]]] = {}
    for name, place in graph.places.items():
        members.setdefault(box.get(name, name), []).append(place)
    return {
        name: (fmean(x for x, _ in places), fmean(y for _, y in places)) for name, places in members.items()
    }


def _merged(graph: Graph, box: dict[str, str]) -> Graph:
    """The graph with boxes in place of nodes; an arrow can be shut if all that it stands for can."""
    if not box:
        return graph
    nodes = {box.get(node.name, node.name): node for node in reversed(graph.nodes)}
    arrows: dict[Arrow, list[Arrow]] = {}
    for source, target in graph.arrows:
        ends = box.get(source, source), box.get(target, target)
        if ends[0] != ends[1]:
            arrows.setdefault(ends, []).append((source, target))
    gates = {
        ends: tuple(dict.fromkeys(gate for arrow in of for gate in graph.gates[arrow]))
        for ends, of in arrows.items()
        if all(arrow in graph.gates for arrow in of)
    }
    zones = {
        zone: tuple(dict.fromkeys(box.get(name, name) for name in of)) for zone, of in graph.zones.items()
    }
    return replace(
        graph,
        nodes=tuple(replace(node, name=name) for name, node in reversed(nodes.items())),
        arrows=tuple(arrows),
        zones=zones,
        groups={},
        gates=gates,
        places=_middles(graph, box),
        labels={ends: graph.labels[of[0]] for ends, of in arrows.items() if of[0] in graph.labels},
    )
