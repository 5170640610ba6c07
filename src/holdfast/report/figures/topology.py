"""A segment as a picture, and what changed between two (fig:topology)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch

from holdfast.report.figures import style
from holdfast.report.figures.layout import Point, Sizes, bend, curve, layers, ordered, places, visible
from holdfast.report.figures.style import INK, MUTED, PAPER, arrow, in_house_style, shortened
from holdfast.system import CRITICAL, ENTRY, Arrow, Graph

ENTRY_FILL, CRITICAL_FILL = "#f9cfa6", "#b5d3ea"
ADDED, REMOVED = style.SERIES[0], "#d55e00"
DASHES: Mapping[str | None, Any] = {None: "-", ADDED: "-", REMOVED: (0, (3, 1.6))}

ARROWS = 300
"""More links than this are drawn without heads and bends, which nobody could tell apart."""

MARGIN, KEY = 0.12, 0.32
"""Inches around the hosts, and below for what the marks mean."""

SIZES = ((12, 8.0, 16, 0.8, 0.42), (40, 7.0, 12, 0.5, 0.3), (10**9, 5.5, 9, 0.4, 0.13))
"""Up to so many hosts: points of their names, characters of these, inches between columns and rows."""


@dataclass(frozen=True)
class Picture:
    """What is drawn: hosts and links of either topology, how each of them stands, and where."""

    before: Graph
    after: Graph
    colours: Mapping[str | Arrow, str | None]
    """Of what is in one topology only; None for what is in both."""
    hosts: tuple[str, ...]
    links: tuple[Arrow, ...]
    names: Mapping[str, str]
    """What is written in the boxes."""
    font: float
    sizes: Sizes
    at: Mapping[str, Point]


@in_house_style
def topology(graph: Graph) -> Figure:
    """Hosts in layers by their distance from the entry, which is marked, as are the critical assets."""
    return _drawn(_picture(graph, graph))


@in_house_style
def topology_difference(before: Graph, after: Graph) -> Figure:
    """Both segments in one picture: links and hosts that were added, removed and kept."""
    return _drawn(_picture(before, after))


def _picture(before: Graph, after: Graph) -> Picture:
    hosts = tuple(dict.fromkeys((*before.names, *after.names)))
    links = tuple(dict.fromkeys((*before.arrows, *after.arrows)))
    was, remains = ({*graph.names, *graph.arrows} for graph in (before, after))
    either: tuple[str | Arrow, ...] = (*hosts, *links)
    colours = {e: None if e in was and e in remains else ADDED if e in remains else REMOVED for e in either}
    font, length, wide, tall = next(rest for most, *rest in SIZES if len(hosts) <= most)
    signs = {ADDED: "+ ", REMOVED: "− ", None: ""}
    names = {host: signs[colours[host]] + shortened(host, int(length)) for host in hosts}
    widest = max(style.measured(name, font, "bold") for name in names.values())
    width, height = max(widest + 0.16, 0.4), 2.6 * font / 72
    sizes = Sizes(width, height, width + wide, height + tall)
    # Where the layers begin: the entries or, without any, what no arrow leads to, or the first node.
    entered = {target for _, target in after.arrows}
    starts = after.marked(ENTRY) or tuple(n for n in after.names if n not in entered) or after.names[:1]
    columns = max(1, int((style.PAGE - 2 * MARGIN - 0.5 + wide) / (width + wide)))
    at = places(ordered(layers(hosts, links, starts), links), sizes, columns)
    return Picture(before, after, colours, hosts, links, names, font, sizes, at)


def _drawn(picture: Picture) -> Figure:
    arrows = {} if len(picture.links) > ARROWS else _bends(picture)
    figure, axes = _canvas(picture, arrows)
    for host in picture.hosts:
        _box(axes, picture, host)
    for link, (bent, both) in arrows.items():
        _link(axes, picture, link, bent, both)
    if not arrows:
        _threads(axes, picture)
    for entry in picture.after.marked(ENTRY):
        _entry_arrow(axes, picture, entry)
    figure.legend(handles=list(_key(picture)), loc="lower center", ncols=4, columnspacing=1.6)
    return figure


def _bends(picture: Picture) -> dict[Arrow, tuple[float, bool]]:
    """The arrows to draw: how much each bends, and whether it stands for the link back as well.

    Arrows both ways are one arrow with two heads, unless one of them is new or gone and the other is not.
    """
    found: dict[Arrow, tuple[float, bool]] = {}
    for link in picture.links:
        back = link[1], link[0]
        returns = back in picture.colours
        alike = returns and picture.colours[link] == picture.colours[back]
        if not (alike and back in found):
            found[link] = bend(link, picture.at, picture.sizes, one_sided=returns and not alike), alike
    return found


def _canvas(picture: Picture, arrows: Mapping[Arrow, tuple[float, bool]]) -> tuple[Figure, Axes]:
    """A figure whose units are inches, with room for the arrow into the entry and for bent links."""
    curves = [curve(picture.at[a], picture.at[b], bent) for (a, b), (bent, _) in arrows.items()]
    centres = np.array(list(picture.at.values()))
    points = np.concatenate([centres, *curves])
    half = np.array([picture.sizes.width / 2, picture.sizes.height / 2])
    low = np.minimum(centres.min(axis=0) - half, points.min(axis=0)) - MARGIN
    high = np.maximum(centres.max(axis=0) + half, points.max(axis=0)) + MARGIN
    low[0] = min(low[0], -half[0] - 0.5 - MARGIN)
    spare = np.array([max(style.COLUMN - (high - low)[0], 0.0) / 2, 0.0])
    # Placed by hand: to measure hundreds of arrows for a layout would take longer than to draw them.
    return style.canvas(low - spare, high + spare, below=KEY)


# -- parts ------------------------------------------------------------------------------------------


def _box(axes: Axes, picture: Picture, host: str) -> None:
    colour, place, sizes = picture.colours[host], picture.at[host], picture.sizes
    critical = any(host in graph.marked(CRITICAL) for graph in (picture.before, picture.after))
    fill = ENTRY_FILL if host in picture.after.marked(ENTRY) else CRITICAL_FILL if critical else PAPER
    box = FancyBboxPatch(
        (place[0] - sizes.width / 2, place[1] - sizes.height / 2),
        sizes.width,
        sizes.height,
        boxstyle="round,pad=0,rounding_size=0.06",
        facecolor=fill,
        edgecolor=colour or INK,
        linewidth=2.0 if critical or colour else 0.8,
        linestyle=DASHES[colour],
        zorder=3,
    )
    axes.add_artist(box)
    font: dict[str, Any] = {"fontsize": picture.font, "fontweight": "bold"}
    ink = INK if fill == PAPER else style.ON_LIGHT
    axes.text(*place, picture.names[host], ha="center", va="center", color=ink, zorder=4, **font)


def _link(axes: Axes, picture: Picture, link: Arrow, bent: float, both: bool) -> None:
    colour, small = picture.colours[link], len(picture.at) > 12
    controls = visible(picture.at[link[0]], picture.at[link[1]], bent, picture.sizes)
    arrow(
        axes,
        controls,
        colour or MUTED,
        "<|-|>" if both else "-|>",
        mutation_scale=7.0 if small else 11.0,
        linewidth=(1.2 if small else 1.8) if colour else (0.6 if small else 0.9),
        linestyle=DASHES[colour],
        zorder=2.5 if colour else 2,
    )


def _threads(axes: Axes, picture: Picture) -> None:
    for colour in (None, ADDED, REMOVED):
        line: dict[str, Any] = {"lw": 0.3, "alpha": 0.5} if colour is None else {"lw": 0.9}
        chosen = [link for link in picture.links if picture.colours[link] == colour]
        segments = [(picture.at[a], picture.at[b]) for a, b in chosen]
        axes.add_collection(LineCollection(segments, colors=colour or MUTED, zorder=2, **line))


def _entry_arrow(axes: Axes, picture: Picture, host: str) -> None:
    """An arrow into the entry from outside, which ends a point before it."""
    x, y = picture.at[host]
    edge = x - picture.sizes.width / 2
    look: dict[str, Any] = {"linewidth": 2.0, "capstyle": "butt", "joinstyle": "miter", "zorder": 2.6}
    head = "-|>,head_length=0.5,head_width=0.25"
    arrow(axes, np.array([(edge - 0.42, y), (edge - 1 / 72, y)]), INK, arrowstyle=head, **look)


def _key(picture: Picture) -> Iterator[Artist]:
    before, after = (graph.marked(ENTRY) for graph in (picture.before, picture.after))
    was = f" (was {shortened(', '.join(before), 16)})" if before != after else ""
    if after:
        yield Patch(facecolor=ENTRY_FILL, edgecolor=INK, lw=0.8, label=f"entry{was}")
    if picture.before.marked(CRITICAL) or picture.after.marked(CRITICAL):
        yield Patch(facecolor=CRITICAL_FILL, edgecolor=INK, lw=2.0, label="critical asset")
    for colour, word in ((ADDED, "added"), (REMOVED, "removed")):
        if colour in picture.colours.values():
            yield Line2D([], [], color=colour, lw=1.8, ls=DASHES[colour], label=word)
    if len(picture.links) > ARROWS:
        label = f"{len(picture.links):,} links, directions not drawn"
        yield Line2D([], [], color=MUTED, lw=0.6, label=label)
