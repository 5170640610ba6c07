"""A system's graph as a picture, and what changed between two (fig:topology).

Where everything stands is worked out in :mod:`holdfast.report.drawing`; here it is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch

from holdfast.game import CRITICAL, ENTRY, EXPOSED, HARDENED, SUPPLY, WATCHED, Arrow, Graph
from holdfast.report.drawing.layout import DRAWING_MARGIN, WAY_IN, GraphLayout, laid_out
from holdfast.report.drawing.routing import SMALLER, Floats, Route, curves, label_places, routes
from holdfast.report.drawing.text import shortened, text_width
from holdfast.report.drawing.zoning import ZoneBox
from holdfast.report.figures import style
from holdfast.report.figures.floor import floor_picture
from holdfast.report.figures.folding import folded
from holdfast.report.figures.style import ADDED, BREAKER, INK, MUTED, PAPER, REMOVED, arrow, in_house_style

ENTRY_FILL, CRITICAL_FILL, SUPPLY_FILL = "#f9cfa6", "#b5d3ea", "#cfe6bd"
FILLS = {ENTRY: ENTRY_FILL, SUPPLY: SUPPLY_FILL}
ZONE_FILL = "#8a8a9414"
"""Hardly more than nothing, on a light page and on a dark one."""

HARD: Any = (0, (1, 0.7))
"""The edge of a hardened node."""

LINE_STYLES: Mapping[str | None, Any] = {
    None: "-",
    ADDED: "-",
    REMOVED: (0, (3, 1.6)),
    BREAKER: (0, (3, 1.6)),
}

EYE: Mapping[str, Any] = {"marker": "o", "ms": 7.0, "mew": 1.6, "mfc": PAPER, "fillstyle": "full"}
"""A sensor."""

HEAD = 5.0
"""The size of an arrow's head for each point of its width, so that a wide line does not hide it."""

ARROWS = 300
"""More arrows than this are drawn without heads and bends, which nobody could tell apart."""

KEY, ROW = 0.32, 0.17
"""Inches below the picture for what the marks mean, for one row and for each one more."""

IN_A_ROW, KEY_FONT, BESIDE = 4, 7.5, 0.52
"""Marks that are explained side by side, at most; points of their words, and inches around these."""


@dataclass(frozen=True)
class Picture:
    """What is drawn: the nodes and arrows of either graph, where they stand, and how each of them looks."""

    before: Graph
    after: Graph
    layout: GraphLayout
    colours: Mapping[str | Arrow, str | None]
    """Of what is in one graph only; None for what is in both."""
    strokes: Mapping[str | Arrow, tuple[str, float]] = field(default_factory=dict)
    """Colour and width in points of what stands out for another reason, and below what they mean."""
    key: tuple[Artist, ...] = ()


@in_house_style
def topology(graph: Graph) -> Figure:
    """Nodes in layers by their distance from the entry, or in their zones; alike ones in one box.

    A system with a floor is drawn on it.
    """
    if graph.floor is not None:
        return floor_picture(graph, graph)
    (shown,) = folded(graph)
    return drawn(picture_of(shown, shown))


@in_house_style
def topology_difference(before: Graph, after: Graph) -> Figure:
    """Both graphs in one picture: arrows and nodes that were added, removed and kept."""
    if before.floor is not None and after.floor is not None:
        return floor_picture(before, after)
    return drawn(picture_of(*folded(before, after)))


def picture_of(before: Graph, after: Graph) -> Picture:
    """Where everything stands that is in one of two graphs, or in both, and what is in one of them only."""
    layout = laid_out(before, after, style.PAGE, two_lines=True)
    was, remains = ({*graph.names, *graph.arrows} for graph in (before, after))
    either: tuple[str | Arrow, ...] = (*layout.nodes, *layout.arrows)
    colours = {e: None if e in was and e in remains else ADDED if e in remains else REMOVED for e in either}
    return Picture(before, after, layout, colours)


def drawn(picture: Picture) -> Figure:
    """The picture on a canvas of its own."""
    layout = picture.layout
    many = len(layout.arrows) > ARROWS
    routed = {} if many else routes(layout.arrows, layout.at, layout.sizes, _joined(picture))
    figure, axes = _canvas(picture, routed)
    for frame in layout.frames:
        _zone(axes, frame)
    for node in layout.nodes:
        _box(axes, picture, node)
    for link, route in routed.items():
        _arrow(axes, picture, link, route)
    for text, place in label_places(picture.after.labels, routed, layout.font):
        _label(axes, text, place, SMALLER * layout.font)
    if not routed:
        _threads(axes, picture)
    for entry in picture.after.starts:
        _entry_arrow(axes, picture, entry)
    for closed in _closed(picture):
        _entry_arrow(axes, picture, closed, gone=True)
    ncols = _n_side(picture, figure.get_figwidth())
    figure.legend(handles=list(_key(picture)), loc="lower center", ncols=ncols, columnspacing=1.6)
    return figure


def _joined(picture: Picture) -> set[Arrow]:
    """Arrows that are drawn as one with the arrow back: where the two look alike."""
    every = set(picture.layout.arrows)
    returning = (arrow for arrow in every if arrow[::-1] in every)
    return {arrow for arrow in returning if _stroke(picture, arrow) == _stroke(picture, arrow[::-1])}


def _stroke(picture: Picture, element: str | Arrow) -> tuple[str | None, float | None]:
    """The colour and the width that set something apart; None where nothing does."""
    return picture.strokes.get(element, (picture.colours[element], None))


def _canvas(picture: Picture, routed: Mapping[Arrow, Route]) -> tuple[Figure, Axes]:
    """A figure whose units are inches, with room for the arrow into the entry and for bent arrows."""
    at, sizes = picture.layout.at, picture.layout.sizes
    centres = np.array(list(at.values()))
    ends = np.array([(at[a], at[b]) for a, b in routed]).reshape(-1, 2, 2)
    points = curves(ends, np.array([route.bend for route in routed.values()])).reshape(-1, 2)
    half = np.array([sizes.width / 2, sizes.height / 2])
    corners = [np.array([frame.low, frame.high]) for frame in picture.layout.frames]
    framed = np.concatenate([centres - half, centres + half, points, *corners])
    low, high = framed.min(axis=0) - DRAWING_MARGIN, framed.max(axis=0) + DRAWING_MARGIN
    low[0] = min(low[0], centres[:, 0].min() - half[0] - WAY_IN - DRAWING_MARGIN)
    spare = np.array([max(style.COLUMN - (high - low)[0], 0.0) / 2, 0.0])
    # Placed by hand: to measure hundreds of arrows for a layout would take longer than to draw them.
    width = float((high - low + 2 * spare)[0])
    rows = -(-len(list(_key(picture))) // _n_side(picture, width))
    return style.canvas(low - spare, high + spare, below=KEY + ROW * max(rows - 1, 0))


def _zone(axes: Axes, frame: ZoneBox) -> None:
    (x, y), (right, top) = frame.low, frame.high
    box = FancyBboxPatch(
        frame.low,
        right - x,
        top - y,
        boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=ZONE_FILL,
        edgecolor=MUTED,
        linewidth=0.7,
        linestyle=(0, (4, 2)),
        zorder=1,
    )
    axes.add_artist(box)
    name = shortened(frame.name, max(6, int((right - x) / 0.075)))
    axes.text(x + 0.09, top - 0.07, name, ha="left", va="top", fontsize=7.0, color=MUTED, zorder=1.5)


def _box(axes: Axes, picture: Picture, node: str) -> None:
    layout = picture.layout
    (colour, wide), place, sizes = _stroke(picture, node), layout.at[node], layout.sizes
    critical = any(node in graph.marked(CRITICAL) for graph in (picture.before, picture.after))
    fill = next((FILLS[mark] for mark in FILLS if node in picture.after.marked(mark)), None)
    fill = fill or (CRITICAL_FILL if critical else PAPER)
    hardened = node in picture.after.marked(HARDENED) and picture.colours[node] is None
    if hardened and node not in picture.before.marked(HARDENED):
        colour = ADDED
    box = FancyBboxPatch(
        (place[0] - sizes.width / 2, place[1] - sizes.height / 2),
        sizes.width,
        sizes.height,
        boxstyle="round,pad=0,rounding_size=0.06",
        facecolor=fill,
        edgecolor=colour or INK,
        linewidth=wide or (2.0 if critical or colour or hardened else 0.8),
        linestyle=HARD if hardened else LINE_STYLES.get(colour, "-"),
        zorder=3,
    )
    axes.add_artist(box)
    font: dict[str, Any] = {"fontsize": layout.font, "fontweight": "bold"}
    ink = INK if fill == PAPER else style.ON_LIGHT
    axes.text(*place, layout.names[node], ha="center", va="center", color=ink, zorder=4, **font)
    watched = [node in graph.marked(WATCHED) for graph in (picture.before, picture.after)]
    if any(watched):
        _sensor(axes, (place[0] + sizes.width / 2, place[1] + sizes.height / 2), *watched)


def _sensor(axes: Axes, corner: tuple[float, float], before: bool, after: bool) -> None:
    """An eye at the corner of a box that is watched; coloured where that is new, or no more."""
    colour = (INK if before else ADDED) if after else REMOVED
    axes.add_artist(Line2D([corner[0]], [corner[1]], color=colour, ls="", **EYE, zorder=4.5))


def _arrow(axes: Axes, picture: Picture, link: Arrow, route: Route) -> None:
    (colour, wide), small = _stroke(picture, link), len(picture.layout.at) > 12
    usual = (1.2 if small else 1.8) if colour else (0.6 if small else 0.9)
    arrow(
        axes,
        route.controls,
        colour or MUTED,
        "<|-|>" if route.both else "-|>",
        mutation_scale=max(7.0 if small else 11.0, HEAD * (wide or 0.0)),
        linewidth=wide or usual,
        linestyle=LINE_STYLES.get(colour, "-"),
        zorder=2.5 if colour else 2,
    )
    if link in picture.after.gates and link not in picture.after.labels:
        _gate(axes, route.controls, small, INK if link in picture.before.gates else ADDED)


def _gate(axes: Axes, controls: Floats, small: bool, colour: str) -> None:
    """A bar across the middle of an arrow that can be blocked."""
    a, b, c = controls
    middle, along = (a + 2 * b + c) / 4, c - a
    across = np.array([-along[1], along[0]]) / (float(np.hypot(*along)) or 1.0)
    ends = [middle + side * (0.05 if small else 0.07) * across for side in (1, -1)]
    xs, ys = zip(*ends, strict=True)
    axes.add_artist(Line2D(xs, ys, color=colour, lw=1.6 if small else 2.2, solid_capstyle="butt", zorder=2.7))


def _label(axes: Axes, text: str, place: tuple[float, float], size: float) -> None:
    paper = {"boxstyle": "square,pad=0.1", "facecolor": PAPER, "edgecolor": "none"}
    axes.text(*place, text, ha="center", va="center", fontsize=size, color=INK, bbox=paper, zorder=2.8)


def _threads(axes: Axes, picture: Picture) -> None:
    """Too many arrows: straight lines without heads."""
    at, strokes = picture.layout.at, picture.strokes
    for colour in (None, ADDED, REMOVED):
        line: dict[str, Any] = {"lw": 0.3, "alpha": 0.5} if colour is None else {"lw": 0.9}
        chosen = [link for link in picture.layout.arrows if picture.colours[link] == colour]
        lines = [(at[a], at[b]) for a, b in chosen if (a, b) not in strokes]
        axes.add_collection(LineCollection(lines, colors=colour or MUTED, zorder=2, **line))
    for a, b in (link for link in picture.layout.arrows if link in strokes):
        stroke, wide = strokes[a, b]
        axes.add_collection(LineCollection([(at[a], at[b])], colors=stroke, lw=wide / 2, zorder=2.2))


def _closed(picture: Picture) -> list[str]:
    """The ways in from outside that are there no more."""
    was, remains = (graph.marked(EXPOSED) for graph in (picture.before, picture.after))
    return [node for node in was if node not in remains and node not in picture.after.starts]


def _entry_arrow(axes: Axes, picture: Picture, node: str, *, gone: bool = False) -> None:
    """An arrow from outside, which ends a point before the box; a thin one where it is only a way in."""
    at, sizes = picture.layout.at, picture.layout.sizes
    x, y = at[node]
    held = node in picture.after.marked(ENTRY)
    wide = 2.0 if held else 1.0
    look: dict[str, Any] = {"linewidth": wide, "capstyle": "butt", "joinstyle": "miter", "zorder": 2.6}
    head = "-|>,head_length=0.5,head_width=0.25"
    edge, top = x - sizes.width / 2, y + sizes.height / 2
    if x <= min(place[0] for place in at.values()) + 1e-9:
        points = [(edge - 0.42, y), (edge - 1 / 72, y)]
    else:  # something may stand to the left of it
        points = [(edge + 0.02, top + 0.2), (edge + 0.1, top + 1 / 72)]
    if gone:
        look |= {"linewidth": 1.8, "linestyle": LINE_STYLES[REMOVED]}
    arrow(axes, np.array(points), REMOVED if gone else INK, arrowstyle=head, **look)


def _n_side(picture: Picture, width: float) -> int:
    """Marks that are explained side by side: as many as fit so many inches, and no more than look well."""
    words = [str(mark.get_label()) for mark in _key(picture)]
    widest = max((text_width(text, KEY_FONT) for text in words), default=0.0)
    return max(1, min(IN_A_ROW, int(width / (widest + BESIDE))))


def _key(picture: Picture) -> Iterator[Artist]:
    before, after = (graph.marked(ENTRY) for graph in (picture.before, picture.after))
    was = f" (was {shortened(', '.join(before), 16)})" if before != after else ""
    if after:
        yield Patch(facecolor=ENTRY_FILL, edgecolor=INK, lw=0.8, label=f"entry{was}")
    if picture.before.marked(CRITICAL) or picture.after.marked(CRITICAL):
        yield Patch(facecolor=CRITICAL_FILL, edgecolor=INK, lw=2.0, label="critical asset")
    if picture.after.marked(SUPPLY):
        yield Patch(facecolor=SUPPLY_FILL, edgecolor=INK, lw=0.8, label="supply")
    if picture.after.marked(EXPOSED):
        yield Line2D([], [], color=INK, lw=1.0, label="open to the outside")
    before, after = picture.before.marked(HARDENED), picture.after.marked(HARDENED)
    for colour, word, nodes in _apart("hardened", before, after):
        if nodes:
            yield Patch(facecolor=PAPER, edgecolor=colour, lw=2.0, ls=HARD, label=word)
    before, after = picture.before.marked(WATCHED), picture.after.marked(WATCHED)
    for colour, word, nodes in _apart("a compromise is seen", before, after):
        if nodes:
            yield Line2D([], [], color=colour, ls="", **EYE, label=word)
    gates = [[link for link in g.gates if link not in g.labels] for g in (picture.before, picture.after)]
    for colour, word, links in _apart("can be blocked", *gates):
        if links:
            yield Line2D([], [], color=colour, ls="", marker="|", ms=8, mew=2.0, label=word)
    changed = {*picture.colours.values(), *(REMOVED for _ in _closed(picture))}
    for colour, word in ((ADDED, "added"), (REMOVED, "removed")):
        if colour in changed:
            yield Line2D([], [], color=colour, lw=1.8, ls=LINE_STYLES[colour], label=word)
    yield from picture.key
    if len(picture.layout.arrows) > ARROWS:
        label = f"{len(picture.layout.arrows):,} {picture.after.relation}s, directions not drawn"
        yield Line2D([], [], color=MUTED, lw=0.6, label=label)


def _apart(
    word: str, before: Collection[Any], after: Collection[Any]
) -> Iterator[tuple[str, str, list[Any]]]:
    """What was so before and still is, and what is so now; each with its colour and its words."""
    yield INK, word, [one for one in after if one in before]
    yield ADDED, f"{word}, new", [one for one in after if one not in before]
