"""Where nodes stand in a picture without zones: in layers.

A layer has the nodes at one distance from where the graph begins; layers go from left to right. Within one,
nodes are ordered by the mean place of their neighbours, swept to and fro, which keeps crossings few
(Sugiyama's method without dummy nodes). A long layer takes several columns, and more columns than the page
is wide continue below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from holdfast.game import Arrow, distances

Point = tuple[float, float]

SWEEPS = 5
"""Odd, so that the last goes from the starts outwards and a tree comes out without crossings."""

FEW, MANY = 8, 25
"""Nodes in a column: what looks well, and what a page can take."""


@dataclass(frozen=True)
class Sizes:
    """Of boxes, and between their centres, in inches."""

    width: float
    height: float
    column: float
    row: float


def layers(nodes: Sequence[str], arrows: Sequence[Arrow], starts: Sequence[str]) -> list[list[str]]:
    """Nodes by the number of arrows from the starts; those that cannot be reached come last.

    >>> layers(["GW", "DB", "Web", "Lone"], [("GW", "Web"), ("Web", "DB")], ["GW"])
    [['GW'], ['Web'], ['DB'], ['Lone']]
    """
    depth = distances(arrows, starts)
    last = max(depth.values(), default=-1) + 1
    result: list[list[str]] = [[] for _ in range(last + 1)]
    for node in nodes:
        result[depth.get(node, last)].append(node)
    return result if result[-1] else result[:-1]


def ordered(layers: Sequence[Sequence[str]], arrows: Sequence[Arrow]) -> list[list[str]]:
    """The layers with their nodes in an order that makes few arrows cross.

    >>> ordered([["a"], ["b", "c"], ["d", "e"]], [("a", "b"), ("a", "c"), ("b", "e"), ("c", "d")])
    [['a'], ['b', 'c'], ['e', 'd']]
    """
    near: dict[str, list[str]] = {node: [] for layer in layers for node in layer}
    for source, target in arrows:
        near[source].append(target)
        near[target].append(source)
    result = [list(layer) for layer in layers]
    at = {node: i - (len(layer) - 1) / 2 for layer in result for i, node in enumerate(layer)}
    level = {node: k for k, layer in enumerate(result) for node in layer}
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for k in range(len(result)) if forward else reversed(range(len(result))):
            beside = k - 1 if forward else k + 1
            ends = {node: [at[n] for n in near[node] if level[n] == beside] for node in result[k]}
            mean = {node: fmean(heights or [at[node]]) for node, heights in ends.items()}
            result[k].sort(key=lambda node: (mean[node], at[node]))
            at |= {node: i - (len(result[k]) - 1) / 2 for i, node in enumerate(result[k])}
    return result


def n_rows(layers: Sequence[Sequence[str]], columns: int) -> int:
    """Nodes in a column at most: as few as let all layers stand side by side in so many columns.

    >>> n_rows([["a"], list("bcdefghijkl"), ["m"]], 3), n_rows([["a"]] * 30, 8)
    (11, 8)
    """
    for rows in range(FEW, MANY + 1):
        if sum(-(-len(layer) // rows) for layer in layers) <= columns:
            return rows
    return FEW


def places(layers: Sequence[Sequence[str]], sizes: Sizes, columns: int) -> dict[str, Point]:
    """The centre of each node's box in inches, the first column at x = 0, the lowest box at y = 0.

    More than so many columns do not fit side by side and go on below, from right to left and back again.
    """
    rows = n_rows(layers, columns)
    stacks: list[Sequence[str]] = []
    for layer in layers:
        # Dealt out to columns in turn, so that the order of a layer still goes from top to bottom.
        n = -(-len(layer) // rows)
        stacks += [layer[column::n] for column in range(n)]
    result: dict[str, Point] = {}
    top = 0.0
    for turn, first in enumerate(range(0, len(stacks), columns)):
        band = stacks[first : first + columns]
        tallest = max(len(stack) for stack in band)
        middle = top - (tallest - 1) * sizes.row / 2
        for i, stack in enumerate(band):
            x = (columns - 1 - i if turn % 2 else i) * sizes.column
            for j, node in enumerate(stack):
                result[node] = (x, middle + ((len(stack) - 1) / 2 - j) * sizes.row)
        top -= (tallest + 0.4) * sizes.row
    lowest = min(y for _, y in result.values())
    return {node: (x, y - lowest) for node, (x, y) in result.items()}
