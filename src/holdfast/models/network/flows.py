"""Flows of a segment as expressions: ``flow(name)``, ``flows_up`` and their share in μ.

A flow is *up* in a state while, on one of its paths, every host is in service (neither isolated nor
destroyed, nor compromised or detected where compromised hosts do not serve) and no conduit of a link is
blocked. A path through a counted group is one through each of its hosts, whose links are alike: it is up
while one of them serves. A path is there only if all its hosts and links are; a flow without a path is never
up. Of a flow that takes any path the paths that matter are listed
(:attr:`~holdfast.models.network.segment.Segment.routes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

from holdfast.game import FLOWS_UP, FlowRoute, flow_name
from holdfast.logic import Expression, Tally, Variable, expressions as ex
from holdfast.models.network.segment import OPEN, Segment

SERVING, SERVING_CLEAN = ("C", "X", "D"), ("C",)
"""The statuses in which a host serves flows: by default, and where compromised hosts do not."""


def flow_definitions(
    segment: Segment,
    status: Mapping[str, Variable],
    gate: Mapping[str, Variable],
    tallies: Mapping[str, Tally],
) -> dict[str, Expression]:
    """``flow(name)`` for each flow, and ``flows_up``; nothing for a segment without flows."""
    if not segment.flows:
        return {}
    serving = SERVING if segment.compromised_serves else SERVING_CLEAN

    def needs(route: FlowRoute) -> Iterator[Expression]:
        for host in route:
            yield tallies[host].some(serving) if host in tallies else ex.Member(status[host], serving)
        for link in pairwise(route):
            yield from (ex.Member(gate[name], (OPEN,)) for name in segment.gates.get(link, ()))

    up = {
        flow_name(flow): ex.disjunction(ex.conjunction(needs(route)) for route in segment.routes[flow.name])
        for flow in segment.flows
    }
    return {**up, FLOWS_UP: ex.Count(tuple(ex.Defined(name, body) for name, body in up.items()))}


def flow_share(segment: Segment, definitions: Mapping[str, Expression]) -> Expression:
    """μ: the value of the flows that are up as a share of the value of all."""
    names = {flow: flow_name(flow) for flow in segment.flows}
    return weighted_share([(ex.Defined(name, definitions[name]), flow.value) for flow, name in names.items()])


def weighted_share(valued: Sequence[tuple[Expression, Fraction]]) -> Expression:
    """The value of the predicates that hold as a share of the value of all, in whole numbers."""
    scale = lcm(*(value.denominator for _, value in valued))
    weights = [value * scale for _, value in valued]
    total: Expression | None = None
    for weight in sorted(set(weights) - {0}):
        items = tuple(part for (part, _), own in zip(valued, weights, strict=True) if own == weight)
        term: Expression = ex.Arithmetic("*", ex.Number(weight), ex.Count(items))
        total = term if total is None else ex.Arithmetic("+", total, term)
    assert total is not None, "something counts"
    return ex.Arithmetic("/", total, ex.Number(Fraction(sum(weights))))
