"""Flows: what the arrows of a picture are in use for, and which of them that needs.

A flow is a list of paths along arrows, or all paths from one node to another. It is *carried* while one of
its paths is there. An arrow is *needed* if a flow names it in a path, or if no path between the two ends of a
flow is left without it. Whether a flow is up in a state is a matter of the model, which defines
``flow(name)`` and ``flows_up`` for expressions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from holdfast.errors import LimitError

Arrow = tuple[str, str]
"""From one node to another, by name."""

FlowRoute = tuple[str, ...]
"""The nodes of a path, in order; one node alone is a path without arrows."""

FLOW, FLOWS_UP = "flow", "flows_up"
"""What expressions call a flow, and the number of flows that are up."""

MAX_ROUTES, MAX_STEPS = 500, 50_000
"""Paths between the ends of a flow that are told apart, and steps that are made to find them."""


@dataclass(frozen=True)
class Flow:
    """Something that a design is used for.

    Attributes:
        name: what expressions call it, as in ``flow(shop)``.
        routes: the paths that it may take; empty for one that takes any path between its ends.
        ends: the first and the last node of a flow that takes any path; None for one whose paths are named.
        value: its weight in μ, where μ is about flows.
    """

    name: str
    routes: tuple[FlowRoute, ...] = ()
    ends: Arrow | None = None
    value: Fraction = Fraction(1)

    @property
    def starts(self) -> frozenset[str]:
        """The nodes that it begins at."""
        return frozenset(route[0] for route in self.routes) if self.ends is None else frozenset(self.ends[:1])


def flow_name(flow: Flow) -> str:
    """The flow as expressions call it, ``flow(shop)``."""
    return f"{FLOW}({flow.name})"


def carried(flow: Flow, nodes: Collection[str], arrows: Collection[Arrow]) -> tuple[FlowRoute, ...]:
    """The paths of a flow that are there; of a flow that takes any path a shortest one stands for all.

    >>> shop = Flow("shop", (("a", "b", "c"), ("a", "c")))
    >>> carried(shop, "abc", {("a", "b"), ("b", "c")})
    (('a', 'b', 'c'),)
    """
    if flow.ends is not None:
        shortest = _shortest(flow.ends, nodes, arrows)
        return () if shortest is None else (shortest,)
    there = set(nodes)
    return tuple(r for r in flow.routes if there.issuperset(r) and all(a in arrows for a in pairwise(r)))


def needed_arrows(flow: Flow, nodes: Collection[str], arrows: Collection[Arrow]) -> frozenset[Arrow]:
    """The arrows without which the flow loses a path that it names, or is left without any.

    >>> square = {("a", "b"), ("b", "d"), ("b", "c"), ("c", "d")}
    >>> sorted(needed_arrows(Flow("any", ends=("a", "d")), "abcd", square))
    [('a', 'b')]
    """
    there = carried(flow, nodes, arrows)
    on_them = {arrow for route in there for arrow in pairwise(route)}
    if flow.ends is None:
        return frozenset(on_them)
    return frozenset(a for a in on_them if _shortest(flow.ends, nodes, set(arrows) - {a}) is None)


def routes_between(
    ends: Arrow, arrows: Iterable[Arrow], gates: Mapping[Arrow, Collection[str]] | None = None
) -> tuple[FlowRoute, ...]:
    """All paths between two nodes that matter: up is the flow of one of these or of none.

    A path that another one shortens is left out if the shorter one needs no gate that it does not need
    itself: whenever all of its nodes serve and its gates are open, the same is true of the shorter one.

    >>> routes_between(("a", "d"), [("a", "b"), ("b", "c"), ("c", "d"), ("b", "d"), ("b", "a")])
    (('a', 'b', 'd'),)

    Raises:
        LimitError: past :data:`MAX_ROUTES` paths, or past :data:`MAX_STEPS` steps.
    """
    source, target = ends
    shut = {arrow: frozenset(names) for arrow, names in (gates or {}).items()}
    links = set(arrows)
    back = _onward((b, a) for a, b in links)
    useful = _reached(target, back)
    onward = {a: [b for b in targets if b in useful] for a, targets in _onward(links).items()}
    routes: list[FlowRoute] = []
    n_steps = 0
    stack: list[FlowRoute] = [(source,)] if source in useful or source == target else []
    while stack:
        route = stack.pop()
        n_steps += 1
        if n_steps > MAX_STEPS or len(routes) > MAX_ROUTES:
            raise LimitError(f"there are more than {MAX_ROUTES} paths from {source} to {target}")
        if route[-1] == target:
            routes.append(route)
            continue
        for node in reversed(onward.get(route[-1], [])):
            if node not in route and not _is_longer(route, node, links, shut):
                stack.append((*route, node))
    return tuple(sorted(routes, key=lambda route: (len(route), route)))


def _is_longer(
    route: FlowRoute, node: str, links: Collection[Arrow], shut: Mapping[Arrow, frozenset[str]]
) -> bool:
    """Whether an earlier node of a path leads to the next one directly, through no gate of its own."""
    passed = shut.get((route[-1], node), frozenset())
    for here, after in reversed(list(pairwise(route))):
        passed |= shut.get((here, after), frozenset())
        if (here, node) in links and shut.get((here, node), frozenset()) <= passed:
            return True
    return False


def _onward(arrows: Iterable[Arrow]) -> dict[str, list[str]]:
    onward: dict[str, list[str]] = {}
    for source, target in sorted(arrows):
        onward.setdefault(source, []).append(target)
    return onward


def _reached(start: str, onward: Mapping[str, Iterable[str]]) -> dict[str, str | None]:
    """The nodes that can be reached, the nearest first, each with the one before it."""
    before: dict[str, str | None] = {start: None}
    queue = deque(before)
    while queue:
        here = queue.popleft()
        for node in onward.get(here, ()):
            if node not in before:
                before[node] = here
                queue.append(node)
    return before


def _shortest(ends: Arrow, nodes: Collection[str], arrows: Collection[Arrow]) -> FlowRoute | None:
    there = set(nodes)
    if not there.issuperset(ends):
        return None
    before = _reached(ends[0], _onward(a for a in arrows if there.issuperset(a)))
    if ends[1] not in before:
        return None

    def back() -> Iterator[str]:
        here: str | None = ends[1]
        while here is not None:
            yield here
            here = before[here]

    return tuple(back())[::-1]
