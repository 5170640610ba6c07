"""The ``flows:`` of a network, or of a variant, to the flows that they mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from itertools import pairwise

from holdfast.errors import LimitError, did_you_mean
from holdfast.game import FLOW, FLOWS_UP, Flow, FlowRoute, carried, routes_between
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


def _flow(section: Node, key: str, gathering: Gathering, links: Collection[Link]) -> Flow:
    node, name = section[key], check_name(section.keys[key], "a flow")
    if node.kind == "scalar":
        route = _route(node, gathering)
        if len(route) == 2 and route not in links:
            return _joined(Flow(name, ends=(route[0], route[1])), node, gathering, links)
        return _checked(Flow(name, (route,)), [node], links)
    value = exact(node["value"]) if "value" in node.entries else Fraction(1)
    if "from" in node.entries:
        source, target = (_host(node[end], node[end].text, gathering) for end in ("from", "to"))
        if source == target:
            raise node["to"].problem(f"this flow ends where it starts; name one host alone: path: {source}")
        return _joined(Flow(name, ends=(source, target), value=value), node, gathering, links)
    paths = [node["path"]] if "path" in node.entries else [*node["paths"].items]
    routes = tuple(_route(path, gathering) for path in paths)
    return _checked(Flow(name, routes, value=value), paths, links)


def _route(node: Node, gathering: Gathering) -> FlowRoute:
    """The hosts of a path, in order."""
    if node.kind == "list":
        hosts = [_host(item, item.text, gathering) for item in node.items]
    else:
        hosts = [_host(node, word, gathering, at) for word, at in _words(node)]
    twice = next((host for i, host in enumerate(hosts) if host in hosts[:i]), None)
    if twice is not None:
        raise node.problem(f"this path comes to {twice} twice; a path of a flow has each host once")
    return tuple(hosts)


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
    for several in (gathering.groups, gathering.zones):
        if name in gathering.counted:
            raise node.problem(
                f'the hosts of "{name}" are counted, so that no path takes its way through one of them; '
                "leave out alike: yes, or name another path",
                at,
                len(name),
            )
        if name in several:
            first = next(iter(several[name]), "")
            raise node.problem(
                f'"{name}" stands for several hosts; a path goes through one of them, such as {first}: '
                "list one path for each under paths",
                at,
                len(name),
            )
    if name not in gathering.hosts:
        raise node.problem(f'unknown host "{shortened(name)}"{gathering.hint(name)}', at, len(name))
    return name


def _checked(flow: Flow, nodes: list[Node], links: Collection[Link]) -> Flow:
    for node, route in zip(nodes, flow.routes, strict=True):
        missing = next((pair for pair in pairwise(route) if pair not in links), None)
        if missing is not None:
            link = " -> ".join(missing)
            hint = did_you_mean(link, map(" -> ".join, links))
            raise node.problem(
                f"there is no link {link} for this path{hint}; add it to links, or write "
                f"{{from: {route[0]}, to: {route[-1]}}} for any path"
            )
    return flow


def _joined(flow: Flow, node: Node, gathering: Gathering, links: Collection[Link]) -> Flow:
    assert flow.ends is not None
    if not carried(flow, gathering.hosts, links):
        raise node.problem(f"no path of links leads from {flow.ends[0]} to {flow.ends[1]}")
    try:
        routes_between(flow.ends, gathering.links)
    except LimitError as limit:
        raise node.problem(f"{limit}; name the one that this flow takes, {{path: A -> B -> C}}") from None
    return flow
