"""The ``flows:`` of a network, or of a variant, to the flows that they mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod

from holdfast.errors import LimitError, did_you_mean
from holdfast.game import FLOW, FLOWS_UP, MAX_ROUTES, Flow, FlowRoute, carried, routes_between
from holdfast.models.network.gathering import Gathering
from holdfast.models.network.segment import Link
from holdfast.scenario import Node, check_name, check_new, exact, shortened

ARROW = "->"
TAKEN_WITH_FLOWS = {FLOW: "the word for a flow", FLOWS_UP: "a quantity"}


def read_flows(section: Node, gathering: Gathering) -> tuple[Flow, ...]:
    """The flows of a design, whose hosts and links are gathered.

    Links that are listed and switched off, or that a variant removes, count as there: a flow over one of them
    is down for now.

    Raises:
        Problem: for a host or link that is not there, and for ends that no path joins.
    """
    links = {*gathering.links, *gathering.off, *gathering.removed}
    flows = tuple(_flow(section, name, gathering, links) for name in section.entries)
    for name in (*gathering.hosts, *gathering.groups, *gathering.zones, *gathering.conduits) if flows else ():
        node = gathering.hosts.get(name) or gathering.named.get(name) or section
        check_new(name, node, dict(TAKEN_WITH_FLOWS), "a host or link where there are flows")
    return flows


def _flow(section: Node, key: str, gathering: Gathering, links: set[Link]) -> Flow:
    node, name = section[key], check_name(section.keys[key], "a flow")
    if node.kind == "scalar":
        routes = _routes(node, gathering)
        if len(routes[0]) == 2 and links.isdisjoint(routes):
            source, target = (_host(node, word, gathering, at) for word, at in _words(node))
            return _joined(Flow(name, ends=(source, target)), node, gathering, links)
        return _checked(name, Fraction(1), [(node, routes)], links)
    value = exact(node["value"]) if "value" in node.entries else Fraction(1)
    if "from" in node.entries:
        source, target = (_host(node[end], node[end].text, gathering) for end in ("from", "to"))
        if source == target:
            raise node["to"].problem(f"this flow ends where it starts; name one host alone: path: {source}")
        return _joined(Flow(name, ends=(source, target), value=value), node, gathering, links)
    paths = [node["path"]] if "path" in node.entries else [*node["paths"].items]
    return _checked(name, value, [(path, _routes(path, gathering)) for path in paths], links)


def _routes(node: Node, gathering: Gathering) -> tuple[FlowRoute, ...]:
    """The hosts of a path, in order; with a group on it, one path through each of its hosts."""
    if node.kind == "list":
        words = [(item, item.text, 0) for item in node.items]
    else:
        words = [(node, word, at) for word, at in _words(node)]
    names = [word for _, word, _ in words]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise node.problem(f"this path comes to {twice} twice; a path of a flow has each host once")
    hosts = [
        gathering.groups[word]
        if word in gathering.alike or word in gathering.counted
        else (_host(place, word, gathering, at),)
        for place, word, at in words
    ]
    if prod(map(len, hosts)) > MAX_ROUTES:
        raise node.problem(
            f"these are more than {MAX_ROUTES:,} paths; name fewer hosts, or count them: alike: yes"
        )
    return tuple(route for route in product(*hosts) if len(set(route)) == len(route))


def _words(node: Node) -> Iterator[tuple[str, int]]:
    """The names between the arrows of a text, each with its place in it."""
    at = 0
    for part in node.text.split(ARROW):
        word = part.strip()
        if not word or " " in word or "<" in word:
            raise node.problem(f"expected a path such as GW -> Web -> DB, found {node.describe()}")
        yield word, at + part.index(word)
        at += len(part) + len(ARROW)


def _host(node: Node, name: str, gathering: Gathering, at: int = 0) -> str:
    several = gathering.groups.get(name) or gathering.zones.get(name)
    if several is not None:
        raise node.problem(
            f'"{name}" stands for several hosts; a path goes through one of them, such as {several[0]}: list '
            "one path for each under paths, or name a path through a group of hosts, which is one for each",
            at,
            len(name),
        )
    if name not in gathering.hosts:
        raise node.problem(f'unknown host "{shortened(name)}"{gathering.hint(name)}', at, len(name))
    return name


def _checked(
    name: str, value: Fraction, paths: Iterable[tuple[Node, Sequence[FlowRoute]]], links: set[Link]
) -> Flow:
    """A flow of named paths, of each of which some links are there, for one host of each group at least."""
    there: list[FlowRoute] = []
    for node, routes in paths:
        kept = [route for route in routes if links.issuperset(pairwise(route))]
        if not kept:
            missing = next(pair for pair in pairwise(routes[0]) if pair not in links)
            link = " -> ".join(missing)
            hint = did_you_mean(link, map(" -> ".join, links))
            raise node.problem(
                f"there is no link {link} for this path{hint}; add it to links, or write "
                f"{{from: {routes[0][0]}, to: {routes[0][-1]}}} for any path"
            )
        there += kept
    return Flow(name, tuple(there), value=value)


def _joined(flow: Flow, node: Node, gathering: Gathering, links: set[Link]) -> Flow:
    assert flow.ends is not None
    if not carried(flow, gathering.hosts, links):
        raise node.problem(f"no path of links leads from {flow.ends[0]} to {flow.ends[1]}")
    try:
        routes_between(flow.ends, gathering.links)
    except LimitError as limit:
        raise node.problem(f"{limit}; name the one that this flow takes, {{path: A -> B -> C}}") from None
    return flow
