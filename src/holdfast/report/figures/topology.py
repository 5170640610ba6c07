"""A segment as a picture, and what changed between two (fig:topology)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from holdfast.report.figures.layout import Point, Sizes, bend, curve, layers, ordered, places, visible
from holdfast.report.figures.style import (
    COLUMN,
    INK,
    MUTED,
    ON_LIGHT,
    PAGE,
    PAPER,
    SERIES,
    in_house_style,
    shortened,
)
from holdfast.system import CRITICAL, ENTRY, Arrow, Graph

ENTRY_FILL, CRITICAL_FILL = "#f9cfa6", "#b5d3ea"
ADDED, REMOVED = SERIES[0], "#d55e00"
DASHED: Any = (0, (3, 1.6))

ARROWS = 300
"""More links than this are drawn without heads and bends, which nobody could tell apart."""

MARGIN, KEY = 0.12, 0.32
"""Inches around the hosts, and below for what the marks mean."""


@dataclass(frozen=True)
class Picture:
    """What is drawn: hosts and links of either topology, and how each of them stands."""

    before: Graph
    after: Graph
    hosts: tuple[str, ...]
    links: tuple[Arrow, ...]

    def host_colour(self, host: str) -> str | None:
        """The colour of a host that is in one topology only."""
        return _colour(host in self.before.names, host in self.after.names)

    def link_colour(self, link: Arrow) -> str | None:
        """The colour of a link that is in one topology only."""
        return _colour(link in self.before.arrows, link in self.after.arrows)


def _colour(was: bool, remains: bool) -> str | None:
    return None if was and remains else ADDED if remains else REMOVED


@in_house_style
def topology(graph: Graph) -> Figure:
    """Hosts in layers by their distance from the entry, which is marked, as are the critical assets."""
    return _drawn(graph, graph)


@in_house_style
def topology_difference(before: Graph, after: Graph) -> Figure:
    """Both segments in one picture: links and hosts that were added, removed and kept."""
    return _drawn(before, after)


def _drawn(before: Graph, after: Graph) -> Figure:
    hosts = tuple(dict.fromkeys((*before.names, *after.names)))
    picture = Picture(before, after, hosts, tuple(dict.fromkeys((*before.arrows, *after.arrows))))
    names, font = _names(picture)
    sizes, columns = _sizes(names.values(), font, len(hosts))
    found = ordered(layers(hosts, picture.links, _starts(after)), picture.links)
    at = places(found, sizes, columns)
    arrows = {} if len(picture.links) > ARROWS else _bends(picture, at, sizes)
    figure, axes = _canvas(at, sizes, arrows)
    for host in hosts:
        _box(axes, picture, host, at[host], sizes, names[host], font)
    for arrow in arrows.items():
        _arrow(axes, picture, arrow, at, sizes)
    if not arrows:
        _threads(axes, picture, at)
    for entry in after.marked(ENTRY):
        _entry_arrow(axes, at[entry], sizes)
    figure.legend(handles=list(_key(picture)), loc="lower center", ncols=4, columnspacing=1.6)
    return figure


def _starts(graph: Graph) -> tuple[str, ...]:
    """Where the layers begin: the entries or, without any, what no arrow leads to, or the first node."""
    entered = {target for _, target in graph.arrows}
    return graph.marked(ENTRY) or tuple(n for n in graph.names if n not in entered) or graph.names[:1]


def _bends(picture: Picture, at: Mapping[str, Point], sizes: Sizes) -> dict[Arrow, tuple[float, bool]]:
    """The arrows to draw: how much each bends, and whether it stands for the link back as well.

    Arrows both ways are one arrow with two heads, unless one of them is new or gone and the other is not.
    """
    found: dict[Arrow, tuple[float, bool]] = {}
    links = set(picture.links)
    for link in picture.links:
        back = link[1], link[0]
        alike = back in links and picture.link_colour(link) == picture.link_colour(back)
        if not (alike and back in found):
            one_sided = back in links and not alike
            found[link] = bend(link, at, sizes, one_sided=one_sided), alike
    return found


# -- sizes ------------------------------------------------------------------------------------------


def _names(picture: Picture) -> tuple[dict[str, str], float]:
    """What is written in the boxes, and how large."""
    n = len(picture.hosts)
    font, length = (8.0, 16) if n <= 12 else (7.0, 12) if n <= 40 else (5.5, 9)
    signs = {ADDED: "+ ", REMOVED: "− ", None: ""}
    names = {host: signs[picture.host_colour(host)] + shortened(host, length) for host in picture.hosts}
    return names, font


def _sizes(names: Iterable[str], font: float, n_hosts: int) -> tuple[Sizes, int]:
    """Of boxes and gaps, and how many columns the page takes side by side."""
    properties = FontProperties(family="sans-serif", size=font, weight="bold")
    widest = max(
        text_to_path.get_text_width_height_descent(name, properties, ismath=False)[0] for name in names
    )
    width, height = max(widest / 72 + 0.16, 0.4), 2.6 * font / 72
    wide, tall = (0.8, 0.42) if n_hosts <= 12 else (0.5, 0.3) if n_hosts <= 40 else (0.4, 0.13)
    room = PAGE - 2 * MARGIN - 0.5
    columns = max(1, int((room + wide) / (width + wide)))
    return Sizes(width, height, width + wide, height + tall), columns


def _canvas(
    at: Mapping[str, Point], sizes: Sizes, arrows: Mapping[Arrow, tuple[float, bool]]
) -> tuple[Figure, Axes]:
    """A figure whose units are inches, with room for the arrow into the entry and for bent links."""
    curves = [curve(at[a], at[b], bent) for (a, b), (bent, _) in arrows.items()]
    points = np.concatenate([np.array(list(at.values())), *curves])
    half = np.array([sizes.width / 2, sizes.height / 2])
    low = np.minimum(np.array(list(at.values())).min(axis=0) - half, points.min(axis=0)) - MARGIN
    high = np.maximum(np.array(list(at.values())).max(axis=0) + half, points.max(axis=0)) + MARGIN
    low[0] = min(low[0], -half[0] - 0.5 - MARGIN)
    spare = max(COLUMN - (high - low)[0], 0.0) / 2
    width, height = high - low + (2 * spare, KEY)
    # Placed by hand: to measure hundreds of arrows for a layout would take longer than to draw them.
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0.0, KEY / height, 1.0, 1.0 - KEY / height))
    axes.set_axis_off()
    axes.set_xlim(low[0] - spare, high[0] + spare)
    axes.set_ylim(low[1], high[1])
    return figure, axes


# -- parts ------------------------------------------------------------------------------------------


def _box(axes: Axes, picture: Picture, host: str, place: Point, sizes: Sizes, name: str, font: float) -> None:
    colour = picture.host_colour(host)
    entry = host in picture.after.marked(ENTRY)
    critical = any(host in graph.marked(CRITICAL) for graph in (picture.before, picture.after))
    fill = ENTRY_FILL if entry else CRITICAL_FILL if critical else PAPER
    corner = place[0] - sizes.width / 2, place[1] - sizes.height / 2
    box = FancyBboxPatch(
        corner,
        sizes.width,
        sizes.height,
        boxstyle="round,pad=0,rounding_size=0.06",
        facecolor=fill,
        edgecolor=colour or INK,
        linewidth=2.0 if critical or colour else 0.8,
        linestyle=DASHED if colour == REMOVED else "-",
        zorder=3,
    )
    axes.add_artist(box)
    ink = INK if fill == PAPER else ON_LIGHT
    axes.text(*place, name, ha="center", va="center", fontsize=font, fontweight="bold", color=ink, zorder=4)


def _arrow(
    axes: Axes,
    picture: Picture,
    arrow: tuple[Arrow, tuple[float, bool]],
    at: Mapping[str, Point],
    sizes: Sizes,
) -> None:
    (source, target), (bent, both) = arrow
    colour = picture.link_colour((source, target))
    small = len(at) > 12
    controls = visible(at[source], at[target], bent, sizes)
    axes.add_artist(
        FancyArrowPatch(
            path=Path(controls, [Path.MOVETO, Path.CURVE3, Path.CURVE3]),
            arrowstyle=f"{'<|-|>' if both else '-|>'},head_length=0.42,head_width=0.17",
            mutation_scale=7.0 if small else 11.0,
            color=colour or MUTED,
            linewidth=(1.2 if small else 1.8) if colour else (0.6 if small else 0.9),
            linestyle=DASHED if colour == REMOVED else "-",
            zorder=2.5 if colour else 2,
        )
    )


def _threads(axes: Axes, picture: Picture, at: Mapping[str, Point]) -> None:
    for colour in (None, ADDED, REMOVED):
        chosen = [link for link in picture.links if picture.link_colour(link) == colour]
        line: dict[str, Any] = {"lw": 0.3, "alpha": 0.5} if colour is None else {"lw": 0.9}
        segments = [(at[a], at[b]) for a, b in chosen]
        axes.add_collection(LineCollection(segments, colors=colour or MUTED, zorder=2, **line))


def _entry_arrow(axes: Axes, place: Point, sizes: Sizes) -> None:
    """An arrow into the entry from outside."""
    edge = place[0] - sizes.width / 2
    axes.add_patch(
        FancyArrowPatch(
            (edge - 0.42, place[1]),
            (edge, place[1]),
            arrowstyle="-|>,head_length=0.5,head_width=0.25",
            mutation_scale=11,
            shrinkA=0,
            shrinkB=1,
            color=INK,
            linewidth=2.0,
            capstyle="butt",
            joinstyle="miter",
            zorder=2.6,
        )
    )


def _key(picture: Picture) -> Iterator[Artist]:
    before, after = (graph.marked(ENTRY) for graph in (picture.before, picture.after))
    was = f" (was {shortened(', '.join(before), 16)})" if before != after else ""
    if after:
        yield Patch(facecolor=ENTRY_FILL, edgecolor=INK, lw=0.8, label=f"entry{was}")
    if picture.before.marked(CRITICAL) or picture.after.marked(CRITICAL):
        yield Patch(facecolor=CRITICAL_FILL, edgecolor=INK, lw=2.0, label="critical asset")
    kinds: Sequence[tuple[str, str, Any]] = ((ADDED, "added", "-"), (REMOVED, "removed", DASHED))
    for colour, word, dashes in kinds:
        links = [link for link in picture.links if picture.link_colour(link) == colour]
        hosts = [host for host in picture.hosts if picture.host_colour(host) == colour]
        if links or hosts:
            yield Line2D([], [], color=colour, lw=1.8, ls=dashes, label=word)
    if len(picture.links) > ARROWS:
        label = f"{len(picture.links):,} links, directions not drawn"
        yield Line2D([], [], color=MUTED, lw=0.6, label=label)
