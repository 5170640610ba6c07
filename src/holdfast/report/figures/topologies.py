"""A segment as a picture, and what changed between two (fig:topology).

Hosts stand in layers, from left to right by the number of links from the entry (breadth first); within a
layer they are ordered by the mean place of their neighbours, swept to and fro, which keeps crossings few
(Sugiyama's method without dummy nodes). A long layer takes several columns, and more columns than the page is
wide continue below. A link is a parabola, straight if that hits no host, else bent as little as will do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch

from holdfast.arrays import Floats
from holdfast.game import CRITICAL, ENTRY, EXPOSED, HARDENED, SUPPLY, Arrow, Graph, distances
from holdfast.report.figures import style
from holdfast.report.figures.arrow_labels import draw_gate, draw_labels, label_width
from holdfast.report.figures.floor import floor_picture
from holdfast.report.figures.folding import folded
from holdfast.report.figures.style import (
    ADDED,
    INK,
    MUTED,
    PAPER,
    REMOVED,
    arrow,
    in_house_style,
    shortened,
)
from holdfast.report.figures.zoning import Sizes, ZoneBox, zoned_places

Point = tuple[float, float]

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

ENTRY_FILL, CRITICAL_FILL, SUPPLY_FILL = "#f9cfa6", "#b5d3ea", "#cfe6bd"
FILLS = {ENTRY: ENTRY_FILL, SUPPLY: SUPPLY_FILL}
ZONE_FILL = "#8a8a9414"
"""Hardly more than nothing, on a light page and on a dark one."""

HARD: Any = (0, (1, 0.7))
"""The edge of a hardened host."""

DASHES: Mapping[str | None, Any] = {None: "-", ADDED: "-", REMOVED: (0, (3, 1.6))}

HEAD = 5.0
"""The size of an arrow's head for each point of its width, so that a wide line does not hide it."""

ARROWS = 300
"""More links than this are drawn without heads and bends, which nobody could tell apart."""

MARGIN, KEY, ROW = 0.12, 0.32, 0.17
"""Inches around the hosts, and below for what the marks mean, for one row and for each one more."""

IN_A_ROW, KEY_FONT, BESIDE = 4, 7.5, 0.52
"""Marks that are explained side by side, at most; points of their words, and inches around these."""

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
    frames: tuple[ZoneBox, ...] = ()
    strokes: Mapping[str | Arrow, tuple[str, float]] = field(default_factory=dict)
    """Colour and width in points of what stands out for another reason, and below what they mean."""
    key: tuple[Artist, ...] = ()


@in_house_style
def topology(graph: Graph) -> Figure:
    """Hosts in layers by their distance from the entry, or in their zones; alike ones in one box.

    A system with a floor is drawn on it.
    """
    if graph.floor is not None:
        return floor_picture(graph, graph)
    (shown,) = folded(graph)
    return drawn(picture_of(shown, shown))


@in_house_style
def topology_difference(before: Graph, after: Graph) -> Figure:
    """Both segments in one picture: links and hosts that were added, removed and kept."""
    if before.floor is not None and after.floor is not None:
        return floor_picture(before, after)
    return drawn(picture_of(*folded(before, after)))


def standing(graph: Graph, page: float = style.PAGE) -> tuple[Mapping[str, Point], Sizes]:
    """Where each node of a graph stands in its picture, none folded: centres, and the size of boxes.

    A ``page`` of so many inches is what the columns have to fit on.
    """
    with style.look():
        picture = picture_of(graph, graph, page=page)
    return picture.at, picture.sizes


def picture_of(before: Graph, after: Graph, *, page: float = style.PAGE) -> Picture:
    """Where everything stands that is in one of two graphs, or in both, on a page so many inches wide."""
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
    written = {*before.labels.values(), *after.labels.values()}
    room = max((label_width(text, font) for text in written), default=0.0)
    sizes = Sizes(width, height, width + wide + room, height + tall + room / 3)
    # Where the layers begin: the entries or, without any, what no arrow leads to, or the first node.
    entered = {target for _, target in after.arrows}
    starts = after.starts or tuple(n for n in after.names if n not in entered) or after.names[:1]
    if zones := _zones(after, before):
        at, frames = zoned_places(hosts, links, starts, zones, sizes, page - 2 * MARGIN - 0.5)
        return Picture(before, after, colours, hosts, links, names, font, sizes, at, frames)
    columns = max(1, int((page - 2 * MARGIN - 0.5 + wide) / (width + wide)))
    at = places(ordered(layers(hosts, links, starts), links), sizes, columns)
    return Picture(before, after, colours, hosts, links, names, font, sizes, at)


def _zones(*graphs: Graph) -> dict[str, list[str]]:
    """The zones of some graphs; a host that moved stands where the first of them has it."""
    seen: set[str] = set()
    found: dict[str, list[str]] = {}
    for graph in graphs:
        for zone, hosts in graph.zones.items():
            found.setdefault(zone, []).extend(host for host in hosts if host not in seen)
        seen |= {host for hosts in graph.zones.values() for host in hosts}
    return found


def drawn(picture: Picture) -> Figure:
    """The picture on a canvas of its own."""
    arrows = {} if len(picture.links) > ARROWS else _bends(picture)
    figure, axes = _canvas(picture, arrows)
    for frame in picture.frames:
        _zone(axes, frame)
    for host in picture.hosts:
        _box(axes, picture, host)
    curves = {link: _link(axes, picture, link, bent, both) for link, (bent, both) in arrows.items()}
    draw_labels(axes, picture.after.labels, curves, picture.font)
    if not arrows:
        _threads(axes, picture)
    for entry in picture.after.starts:
        _entry_arrow(axes, picture, entry)
    for closed in _closed(picture):
        _entry_arrow(axes, picture, closed, gone=True)
    ncols = _n_side(picture, figure.get_figwidth())
    figure.legend(handles=list(_key(picture)), loc="lower center", ncols=ncols, columnspacing=1.6)
    return figure


def _bends(picture: Picture) -> dict[Arrow, tuple[float, bool]]:
    """The arrows to draw: how much each bends, and whether it stands for the link back as well.

    Arrows both ways are one arrow with two heads, unless one of them is new or gone and the other is not.
    """
    found: dict[Arrow, tuple[float, bool]] = {}
    for link in picture.links:
        back = link[1], link[0]
        returns = back in picture.colours
        alike = returns and _stroke(picture, link) == _stroke(picture, back)
        if not (alike and back in found):
            found[link] = bend(link, picture.at, picture.sizes, one_sided=returns and not alike), alike
    return found


def _stroke(picture: Picture, element: str | Arrow) -> tuple[str | None, float | None]:
    """The colour and the width that set something apart; None where nothing does."""
    return picture.strokes.get(element, (picture.colours[element], None))


def _canvas(picture: Picture, arrows: Mapping[Arrow, tuple[float, bool]]) -> tuple[Figure, Axes]:
    """A figure whose units are inches, with room for the arrow into the entry and for bent links."""
    curves = [curve(picture.at[a], picture.at[b], bent) for (a, b), (bent, _) in arrows.items()]
    centres = np.array(list(picture.at.values()))
    points = np.concatenate([centres, *curves])
    half = np.array([picture.sizes.width / 2, picture.sizes.height / 2])
    corners = [np.array([frame.low, frame.high]) for frame in picture.frames]
    framed = np.concatenate([centres - half, centres + half, points, *corners])
    low, high = framed.min(axis=0) - MARGIN, framed.max(axis=0) + MARGIN
    low[0] = min(low[0], centres[:, 0].min() - half[0] - 0.5 - MARGIN)
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


def _box(axes: Axes, picture: Picture, host: str) -> None:
    (colour, wide), place, sizes = _stroke(picture, host), picture.at[host], picture.sizes
    critical = any(host in graph.marked(CRITICAL) for graph in (picture.before, picture.after))
    fill = next((FILLS[mark] for mark in FILLS if host in picture.after.marked(mark)), None)
    fill = fill or (CRITICAL_FILL if critical else PAPER)
    hardened = host in picture.after.marked(HARDENED) and picture.colours[host] is None
    if hardened and host not in picture.before.marked(HARDENED):
        colour = ADDED
    box = FancyBboxPatch(
        (place[0] - sizes.width / 2, place[1] - sizes.height / 2),
        sizes.width,
        sizes.height,
        boxstyle="round,pad=0,rounding_size=0.06",
        facecolor=fill,
        edgecolor=colour or INK,
        linewidth=wide or (2.0 if critical or colour or hardened else 0.8),
        linestyle=HARD if hardened else DASHES.get(colour, "-"),
        zorder=3,
    )
    axes.add_artist(box)
    font: dict[str, Any] = {"fontsize": picture.font, "fontweight": "bold"}
    ink = INK if fill == PAPER else style.ON_LIGHT
    axes.text(*place, picture.names[host], ha="center", va="center", color=ink, zorder=4, **font)


def _link(axes: Axes, picture: Picture, link: Arrow, bent: float, both: bool) -> Floats:
    """Draw a link; the control points of its curve."""
    (colour, wide), small = _stroke(picture, link), len(picture.at) > 12
    usual = (1.2 if small else 1.8) if colour else (0.6 if small else 0.9)
    controls = visible(picture.at[link[0]], picture.at[link[1]], bent, picture.sizes)
    arrow(
        axes,
        controls,
        colour or MUTED,
        "<|-|>" if both else "-|>",
        mutation_scale=max(7.0 if small else 11.0, HEAD * (wide or 0.0)),
        linewidth=wide or usual,
        linestyle=DASHES.get(colour, "-"),
        zorder=2.5 if colour else 2,
    )
    if link in picture.after.gates and link not in picture.after.labels:
        draw_gate(axes, controls, small, INK if link in picture.before.gates else ADDED)
    return controls


def _threads(axes: Axes, picture: Picture) -> None:
    for colour in (None, ADDED, REMOVED):
        line: dict[str, Any] = {"lw": 0.3, "alpha": 0.5} if colour is None else {"lw": 0.9}
        chosen = [link for link in picture.links if picture.colours[link] == colour]
        segments = [(picture.at[a], picture.at[b]) for a, b in chosen if (a, b) not in picture.strokes]
        axes.add_collection(LineCollection(segments, colors=colour or MUTED, zorder=2, **line))
    for (a, b), (own, wide) in (
        (link, picture.strokes[link]) for link in picture.links if link in picture.strokes
    ):
        axes.add_collection(
            LineCollection([(picture.at[a], picture.at[b])], colors=own, lw=wide / 2, zorder=2.2)
        )


def _closed(picture: Picture) -> list[str]:
    """The ways in from outside that are there no more."""
    was, remains = (graph.marked(EXPOSED) for graph in (picture.before, picture.after))
    return [host for host in was if host not in remains and host not in picture.after.starts]


def _entry_arrow(axes: Axes, picture: Picture, host: str, *, gone: bool = False) -> None:
    """An arrow from outside, which ends a point before the box; a thin one where it is only a way in."""
    x, y = picture.at[host]
    held = host in picture.after.marked(ENTRY)
    wide = 2.0 if held else 1.0
    look: dict[str, Any] = {"linewidth": wide, "capstyle": "butt", "joinstyle": "miter", "zorder": 2.6}
    head = "-|>,head_length=0.5,head_width=0.25"
    edge, top = x - picture.sizes.width / 2, y + picture.sizes.height / 2
    if x <= min(place[0] for place in picture.at.values()) + 1e-9:
        points = [(edge - 0.42, y), (edge - 1 / 72, y)]
    else:  # something may stand to the left of it
        points = [(edge + 0.02, top + 0.2), (edge + 0.1, top + 1 / 72)]
    if gone:
        look |= {"linewidth": 1.8, "linestyle": DASHES[REMOVED]}
    arrow(axes, np.array(points), REMOVED if gone else INK, arrowstyle=head, **look)


def _n_side(picture: Picture, width: float) -> int:
    """Marks that are explained side by side: as many as fit so many inches, and no more than look well."""
    words = [str(mark.get_label()) for mark in _key(picture)]
    widest = max((style.measured(text, KEY_FONT) for text in words), default=0.0)
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
    for colour, word, hosts in _told_apart("hardened", before, after):
        if hosts:
            yield Patch(facecolor=PAPER, edgecolor=colour, lw=2.0, ls=HARD, label=word)
    gates = [[link for link in g.gates if link not in g.labels] for g in (picture.before, picture.after)]
    for colour, word, links in _told_apart("can be blocked", *gates):
        if links:
            yield Line2D([], [], color=colour, ls="", marker="|", ms=8, mew=2.0, label=word)
    changed = {*picture.colours.values(), *(REMOVED for _ in _closed(picture))}
    for colour, word in ((ADDED, "added"), (REMOVED, "removed")):
        if colour in changed:
            yield Line2D([], [], color=colour, lw=1.8, ls=DASHES[colour], label=word)
    yield from picture.key
    if len(picture.links) > ARROWS:
        label = f"{len(picture.links):,} links, directions not drawn"
        yield Line2D([], [], color=MUTED, lw=0.6, label=label)


def _told_apart(
    word: str, before: Collection[Any], after: Collection[Any]
) -> Iterator[tuple[str, str, list[Any]]]:
    """What was so before and still is, and what is so now; each with its colour and its words."""
    yield INK, word, [one for one in after if one in before]
    yield ADDED, f"{word}, new", [one for one in after if one not in before]


# -- layout -----------------------------------------------------------------------------------------


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
