"""What the flows of a design need of it, and what a change leaves of them.

A part is *needed* if a flow would lose a path that it names without it, or all paths between its ends, or the
way in that it starts at. No change takes such a part away unless somebody asks for that.

A link on one of several paths of a flow is not always needed, but a requirement that speaks of the flow is
harder to keep without it. Taking it away is no change that can only help.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from holdfast.errors import LimitError
from holdfast.game import (
    EXPOSED,
    FLOWS_UP,
    Arrow,
    Configuration,
    Flow,
    Graph,
    Part,
    System,
    carried,
    flow_name,
    needed_arrows,
    routes_between,
    used_definitions,
)

FILTER = "filter"
"""The verb of a part that stays for its flows and that trouble no longer follows."""

WHOLE, PARTLY, BROKEN = "whole", "in part", "lost"


@dataclass(frozen=True)
class FlowLeft:
    """What a change leaves of a flow: ``whole``, ``in part`` (one of its paths at least) or ``lost``."""

    flow: str
    kept: str


def needed_parts(system: System) -> frozenset[Part]:
    """The parts of a system that some flow needs."""
    graph = system.graph
    if graph is None or not graph.flows:
        return frozenset()
    arrows = set(graph.arrows)
    needed: set[Arrow | str] = {a for flow in graph.flows for a in needed_arrows(flow, graph.names, arrows)}
    needed |= {start for flow in graph.flows for start in flow.starts}
    return frozenset(part for part in system.parts if graph.place(part.name) in needed)


def weakening_parts(configuration: Configuration) -> frozenset[Part]:
    """The parts without which a flow that some clause speaks of has fewer paths."""
    system, graph = configuration.system, configuration.system.graph
    if graph is None or not graph.flows:
        return frozenset()
    sides = [configuration.defender, configuration.adversary]
    asked = {name for side in sides for automaton in side for name in used_definitions(automaton)}
    flows = [flow for flow in graph.flows if {flow_name(flow), FLOWS_UP} & asked]
    arrows = {arrow for flow in flows for arrow in _used(flow, graph)}
    return frozenset(part for part in system.parts if graph.place(part.name) in arrows)


def _used(flow: Flow, graph: Graph) -> frozenset[Arrow]:
    """The arrows of the paths that a flow may take."""
    routes = carried(flow, graph.names, set(graph.arrows))
    if flow.ends is not None and routes:
        gates = {arrow: [variable for variable, _ in shut] for arrow, shut in graph.gates.items()}
        try:
            routes = routes_between(flow.ends, graph.arrows, gates)
        except LimitError:  # more than can be told apart
            return frozenset(graph.arrows)
    return frozenset(arrow for route in routes for arrow in pairwise(route))


def flows_left(before: Graph | None, after: Graph | None) -> tuple[FlowLeft, ...]:
    """What is left of each flow of a design once it is changed; one that the change redefines is whole."""
    left: list[FlowLeft] = []
    for flow in before.flows if before is not None else ():
        assert before is not None
        if after is None or flow not in after.flows:
            left.append(FlowLeft(flow.name, BROKEN if after is None else WHOLE))
            continue
        had, has = (carried(flow, graph.names, set(graph.arrows)) for graph in (before, after))
        closed = flow.starts & set(before.marked(EXPOSED)) - set(after.marked(EXPOSED))
        if had and (not has or closed):
            left.append(FlowLeft(flow.name, BROKEN))
        elif flow.ends is None:
            left.append(FlowLeft(flow.name, WHOLE if had == has else PARTLY))
        else:
            fewer = _used(flow, before) - set(after.arrows)
            left.append(FlowLeft(flow.name, PARTLY if fewer else WHOLE))
    return tuple(left)


def breaks_flows(before: Graph | None, after: Graph | None) -> bool:
    """Whether a change takes from a flow a path that it names, or all paths between its ends."""
    ends = {flow.name: flow.ends for flow in before.flows} if before is not None else {}
    return any(
        left.kept == BROKEN or (left.kept == PARTLY and ends[left.flow] is None)
        for left in flows_left(before, after)
    )
