"""Which nodes of a picture a requirement says must not fall.

A predicate on one node names it if it tells a good value of it from a bad one: ``DB != Z`` does, and
``GW != I``, which only asks that the gateway stays in service, does not. A count over some nodes names them
if it is one of bad values, or of good ones, that bears one fall at most: ``count(DB, BK in {X, D, Z}) < 2``.
Counts of nodes in service (``active >= 3``), counts that bear many falls, counts over all nodes and flows
that must stay up single nobody out.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.game.flows import flow_name
from holdfast.game.system import Graph
from holdfast.logic import (
    MIRRORED,
    Compare,
    Count,
    Defined,
    Expression,
    Member,
    Number,
    SafetyAutomaton,
    children,
    variables_of,
)

GOOD, BAD = frozenset({"good"}), frozenset({"bad", "watched", "gone"})
"""Tones of a graph."""

BORNE = 1
"""Falls that a count may bear and still say of each node that it must not fall."""


def critical_nodes(graph: Graph, requirement: Iterable[SafetyAutomaton]) -> list[str]:
    """The names of the nodes that some clause says must not fall.

    In a picture without good and bad values it is the nodes that some clause reads, unless it reads all.
    """
    named: set[str] = set()
    for atom in (atom for automaton in requirement for atom in automaton.atoms):
        if graph.tones:
            named |= _named(atom, graph)
        else:
            read = {variable.name for variable in variables_of(atom)}
            named |= read if len(read) < len(graph.nodes) else set()
    return [node.name for node in graph.nodes if node.variable in named]


def _named(node: Expression, graph: Graph) -> set[str]:
    match node:
        case Defined(name) if name in {flow_name(flow) for flow in graph.flows}:
            return set()
        case Member():
            return {node.variable.name} if _judges(node, graph) else set()
        case Compare(op, left, right):
            term, bound = _unwrapped(left), _unwrapped(right)
            if isinstance(term, Number):
                op, term, bound = MIRRORED.get(op, op), bound, term
            if isinstance(term, Count) and isinstance(bound, Number):
                return _counted(term, op, bound, graph)
            return set()
    return {name for child in children(node) for name in _named(child, graph)}


def _unwrapped(node: Expression) -> Expression:
    while isinstance(node, Defined):
        node = node.body
    return node


def _tones(item: Member, graph: Graph) -> set[str]:
    return {graph.tones[str(value)] for value in item.values if str(value) in graph.tones}


def _judges(item: Member, graph: Graph) -> bool:
    """Whether a predicate is true of some good value and false of some bad one, or the other way round."""
    others = Member(item.variable, tuple(v for v in item.variable.values if v not in item.values))
    inside, outside = _tones(item, graph), _tones(others, graph)
    return bool((inside & GOOD and outside & BAD) or (inside & BAD and outside & GOOD))


def _counted(count: Count, op: str, bound: Number, graph: Graph) -> set[str]:
    """The nodes of a count, if it bears few falls."""
    items = [item for item in count.items if isinstance(item, Member)]
    names = {item.variable.name for item in items}
    tones = {tone for item in items for tone in _tones(item, graph)}
    if len(items) < len(count.items) or len(names) >= len(graph.nodes) or not (tones <= GOOD or tones <= BAD):
        return set()
    last = (
        bound.value if op in ("<=", ">") else bound.value - 1
    )  # the largest number before the bound is passed
    if op in ("=", "!="):
        last = bound.value - 1 if tones <= BAD else bound.value
    falls = last if tones <= BAD else len(count.items) - last - 1
    return names if falls <= BORNE else set()
