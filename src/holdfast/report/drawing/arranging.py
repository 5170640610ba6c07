"""Where nodes stand in an arranged picture: where they were put, and all others near their neighbours.

Places are in inches, to the right and downwards, as a file's ``layout:`` has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from statistics import fmean

from holdfast.game import Arrow
from holdfast.report.drawing.layering import Point
from holdfast.report.drawing.zoning import PADDING, TITLE, ZoneBox

APART = 0.14
"""Inches that are left between a box that finds its own place and the others."""

RINGS, STEP = 60, 0.35
"""Where a free place is looked for: on so many rings, each so many inches further out."""


def arranged(
    nodes: Sequence[str], arrows: Sequence[Arrow], given: Mapping[str, Point], box: tuple[float, float]
) -> dict[str, Point]:
    """A place for every node, of boxes of one width and height: as given, or free and near its neighbours.

    >>> arranged(["a", "b", "c"], [("a", "c")], {"a": (0, 0), "b": (3, 0)}, (1.0, 0.4))["b"]
    (3, 0)
    """
    at = {node: given[node] for node in nodes if node in given}
    corner = min((x for x, _ in at.values()), default=0.0), max((y for _, y in at.values()), default=-1.0) + 1
    for node in nodes:
        if node in at:
            continue
        near = [other for arrow in arrows if node in arrow for other in arrow if other in at]
        middle = (
            (fmean(at[n][0] for n in near) + box[0] + STEP, fmean(at[n][1] for n in near)) if near else corner
        )
        at[node] = _free(middle, list(at.values()), box)
    return at


def _free(wanted: Point, taken: Sequence[Point], box: tuple[float, float]) -> Point:
    """The nearest place to a wanted one at which a box touches no other."""
    width, height = box[0] + APART, box[1] + APART
    for ring in range(RINGS):
        for k in range(max(1, 8 * ring)):
            angle = 2 * pi * k / max(1, 8 * ring)
            x, y = wanted[0] + ring * STEP * cos(angle), wanted[1] + ring * STEP * sin(angle)
            if all(abs(a - x) >= width or abs(b - y) >= height for a, b in taken):
                return x, y
    return wanted


def on_page(at: Mapping[str, Point], box: tuple[float, float], page: float) -> dict[str, Point]:
    """Places as a report has them: upwards, and no wider than the page."""
    left, right = min(x for x, _ in at.values()), max(x for x, _ in at.values())
    scale = min(1.0, max(page - box[0], 0.1) / max(right - left, 1e-9))
    low = max(y for _, y in at.values())
    return {node: (scale * (x - left), scale * (low - y)) for node, (x, y) in at.items()}


def frames(
    zones: Mapping[str, Sequence[str]], at: Mapping[str, Point], box: tuple[float, float]
) -> tuple[ZoneBox, ...]:
    """A frame around the boxes of each zone, with room for its name."""
    boxes = []
    for name, members in zones.items():
        xs, ys = [at[m][0] for m in members if m in at], [at[m][1] for m in members if m in at]
        if xs:
            low = min(xs) - box[0] / 2 - PADDING, min(ys) - box[1] / 2 - PADDING
            high = max(xs) + box[0] / 2 + PADDING, max(ys) + box[1] / 2 + PADDING + TITLE
            boxes.append(ZoneBox(name, low, high))
    return tuple(boxes)
