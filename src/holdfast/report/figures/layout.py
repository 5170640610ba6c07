"""Where the hosts of a segment stand in a picture, and how links bend around them.

Hosts stand in layers, from left to right by the number of links from the entry (breadth first); within a
layer they are ordered by the mean place of their neighbours, swept to and fro, which keeps crossings few
(Sugiyama's method without dummy nodes). A long layer takes several columns, and more columns than the page is
wide continue below. A link is a parabola, straight if that hits no host, else bent as little as will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from holdfast.system import Arrow, distances

Point = tuple[float, float]
Floats = npt.NDArray[np.float64]

SWEEPS = 5
"""Odd, so that the last goes from the entry outwards and a tree comes out without crossings."""

BENDS = (0.0, *(side * by for by in (0.06, 0.11, 0.17, 0.24, 0.32, 0.42, 0.55, 0.7) for side in (1, -1)))
"""How far the middle of a link may stand off the straight line, in its length; twice that is its control."""

FEW, MANY = 8, 25
"""Hosts in a column: what looks well, and what a page can take."""

CLEARANCE = 0.05
"""Inches between a link and a host that it passes."""

GAP = 0.02
"""Inches between the end of a link and the box."""

OUTSIDE = 0.4
"""Inches that a link may leave the area of the hosts by."""


@dataclass(frozen=True)
class Sizes:
    """Of boxes, and between their centres, in inches."""

    width: float
    height: float
    column: float
    row: float


def layers(hosts: Sequence[str], links: Sequence[Arrow], starts: Sequence[str]) -> list[list[str]]:
    """Nodes by the number of arrows from the starts; those that cannot be reached come last.

    >>> layers(["GW", "DB", "Web", "Lone"], [("GW", "Web"), ("Web", "DB")], ["GW"])
    [['GW'], ['Web'], ['DB'], ['Lone']]
    """
    depth = distances(links, starts)
    last = max(depth.values(), default=-1) + 1
    found: list[list[str]] = [[] for _ in range(last + 1)]
    for host in hosts:
        found[depth.get(host, last)].append(host)
    return found if found[-1] else found[:-1]


def ordered(found: Sequence[Sequence[str]], links: Sequence[Arrow]) -> list[list[str]]:
    """The layers with their hosts in an order that makes few links cross.

    >>> ordered([["a"], ["b", "c"], ["d", "e"]], [("a", "b"), ("a", "c"), ("b", "e"), ("c", "d")])
    [['a'], ['b', 'c'], ['e', 'd']]
    """
    near: dict[str, list[str]] = {host: [] for layer in found for host in layer}
    for source, target in links:
        near[source].append(target)
        near[target].append(source)
    result = [list(layer) for layer in found]
    at = {host: i - (len(layer) - 1) / 2 for layer in result for i, host in enumerate(layer)}
    level = {host: k for k, layer in enumerate(result) for host in layer}
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for k in range(len(result)) if forward else reversed(range(len(result))):
            beside = k - 1 if forward else k + 1
            ends = {host: [at[n] for n in near[host] if level[n] == beside] for host in result[k]}
            mean = {host: fmean(own or [at[host]]) for host, own in ends.items()}
            result[k].sort(key=lambda host: (mean[host], at[host]))
            at |= {host: i - (len(result[k]) - 1) / 2 for i, host in enumerate(result[k])}
    return result


def n_rows(found: Sequence[Sequence[str]], columns: int) -> int:
    """Hosts in a column at most: as few as let all layers stand side by side in so many columns.

    >>> n_rows([["a"], list("bcdefghijkl"), ["m"]], 3), n_rows([["a"]] * 30, 8)
    (11, 8)
    """
    for rows in range(FEW, MANY + 1):
        if sum(-(-len(layer) // rows) for layer in found) <= columns:
            return rows
    return FEW


def places(found: Sequence[Sequence[str]], sizes: Sizes, columns: int) -> dict[str, Point]:
    """The centre of each host's box in inches, the first column at x = 0, the lowest box at y = 0.

    More than so many columns do not fit side by side and go on below, from right to left and back again.
    """
    rows = n_rows(found, columns)
    stacks: list[Sequence[str]] = []
    for layer in found:
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
            for j, host in enumerate(stack):
                result[host] = (x, middle + ((len(stack) - 1) / 2 - j) * sizes.row)
        top -= (tallest + 0.4) * sizes.row
    lowest = min(y for _, y in result.values())
    return {host: (x, y - lowest) for host, (x, y) in result.items()}


def bend(link: Arrow, at: Mapping[str, Point], sizes: Sizes, *, one_sided: bool = False) -> float:
    """How much a link must bend to pass no other host's box; the least bad where nothing helps.

    One of two links that go both ways is ``one_sided``: it keeps to the right of the straight line.
    """
    centres = np.array(list(at.values()))
    others = np.array([place for host, place in at.items() if host not in link]).reshape(-1, 2)
    box = np.array([sizes.width, sizes.height]) / 2
    low, high = centres.min(axis=0) - box - OUTSIDE, centres.max(axis=0) + box + OUTSIDE
    candidates = [b for b in BENDS if b > 0] if one_sided else BENDS
    hits = []
    for candidate in candidates:
        points = curve(at[link[0]], at[link[1]], candidate)
        inside = (np.abs(points[:, None, :] - others[None, :, :]) < box + CLEARANCE).all(axis=2)
        outside = bool(((points < low) | (points > high)).any())
        hits.append(int(inside.any(axis=0).sum()) + len(at) * outside)
        if not hits[-1]:
            break
    return candidates[int(np.argmin(hits))]


def curve(start: Point, end: Point, bend: float, n: int = 33) -> Floats:
    """Points along a link, shape (n, 2), from centre to centre."""
    t = np.linspace(0.0, 1.0, n)
    return _blossom(start, end, bend, t, t)


def visible(start: Point, end: Point, bend: float, sizes: Sizes) -> Floats:
    """The three control points of a link from the edge of one box to the edge of the other, shape (3, 2)."""
    t = np.linspace(0.0, 1.0, 513)
    points = _blossom(start, end, bend, t, t)
    reach = np.array([sizes.width, sizes.height]) / 2 + GAP
    leaving, arriving = ((np.abs(points - np.array(place)) < reach).all(axis=1) for place in (start, end))
    first, last = t[int(leaving.argmin())], t[-1 - int(arriving[::-1].argmin())]
    if first >= last:
        first, last = 0.0, 1.0
    return _blossom(start, end, bend, np.array([first, first, last]), np.array([first, last, last]))


def _blossom(start: Point, end: Point, bend: float, s: Floats, t: Floats) -> Floats:
    """The polar form of the parabola: points for s = t, the control points of a piece for its two ends."""
    a, b = np.array(start), np.array(end)
    along = b - a
    control = (a + b) / 2 + 2 * bend * np.array([along[1], -along[0]])
    s, t = s[:, None], t[:, None]
    return np.asarray((1 - s) * (1 - t) * a + ((1 - s) * t + s * (1 - t)) * control + s * t * b)
