"""Where a design stands on the page: as in the reports, with more room, since boxes there say more.

Units are inches, y downwards as browsers have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from holdfast.game import Arrow, Graph
from holdfast.report import Sizes, arranged, laid_out, routes, text_width

Point = tuple[float, float]

WIDTH = 10.0
"""Inches that a browser's window is wide, about."""

AROUND, LEAST = (0.1, 0.035), (0.53, 0.2)
"""What a box is larger by than in a report, and its least size."""

FONT, SMALL = 8 / 72, 0.76
"""The size of names where there is no graph, and that of the words below a name, of its own."""

FEW = 12
TALL, MANY, ZONED = 2.0, 1.45, 1.12
"""How much further apart rows are than in a report: with few nodes, with many, and in zones."""

ROUTED = 2_000
"""More arrows than this are not routed: nobody could follow them."""

APART = (0.48, 0.38)
"""Inches between the boxes of variables that stand in no graph."""


@dataclass(frozen=True)
class Canvas:
    """The centres of all boxes, the size that they have in common, and that of their letters."""

    at: Mapping[str, Point]
    width: float
    height: float
    font: float


def canvas_of(graph: Graph, legend: Mapping[str, str], lines: float = 0.0) -> Canvas:
    """A graph, whose boxes have room for each of the words that say how a node is, and for so many lines."""
    layout = laid_out(graph, graph, WIDTH)
    sizes, font = layout.sizes, layout.font / 72
    words = [f"{value} {word}" for value, word in legend.items()] if graph.arrows else []
    widest = max((text_width(text, SMALL * layout.font) for text in words), default=0.0)
    width = max(sizes.width + AROUND[0], widest + AROUND[0], LEAST[0])
    height = max(sizes.height + AROUND[1], LEAST[1], 1.18 * lines * font)
    if graph.places:
        put = arranged(layout.nodes, layout.arrows, graph.places, (width, height))
        return _rounded(put, width, height, font)
    wider = 1 + (width - sizes.width) / sizes.column
    taller = (
        height / sizes.height
        if lines
        else ZONED
        if graph.zones or not graph.arrows
        else TALL
        if len(graph.nodes) <= FEW
        else MANY
    )
    top = max(y for _, y in layout.at.values())
    at = {name: (x * wider, (top - y) * taller) for name, (x, y) in layout.at.items()}
    return _rounded(at, width, height, font)


def canvas_of_variables(names: Sequence[str], words: Sequence[str] = (), lines: float = 0.0) -> Canvas:
    """A system without arrows: its variables, a few in a row, with room for their values."""
    width = max(text_width(name, 72 * FONT, "bold") for name in (*names, *words)) + 2 * AROUND[0]
    width, height = max(width, 8 * FONT), max(2.6, 1.18 * lines) * FONT + AROUND[1]
    row = ceil(sqrt(len(names) * 1.6))
    step = width + APART[0], height + APART[1]
    at = {name: (k % row * step[0], k // row * step[1]) for k, name in enumerate(names)}
    return _rounded(at, width, height, FONT)


def _rounded(at: Mapping[str, Point], width: float, height: float, font: float) -> Canvas:
    """A canvas to a hundredth of a pixel: what is routed is what is sent."""
    places = {name: (round(x, 4), round(y, 4)) for name, (x, y) in at.items()}
    return Canvas(places, round(width, 4), round(height, 4), round(font, 4))


def curves(
    arrows: Iterable[Arrow], at: Mapping[str, Point], width: float, height: float
) -> dict[Arrow, list[Point]]:
    """The three control points of each arrow between boxes of one size."""
    upwards = {name: (x, -y) for name, (x, y) in at.items()}
    routed = routes(arrows, upwards, Sizes(width, height, width, height))
    return {
        arrow: [(round(x, 4), round(-y, 4)) for x, y in route.controls.tolist()]
        for arrow, route in routed.items()
    }
