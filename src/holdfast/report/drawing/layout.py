"""Where the nodes of a graph stand, or those of two graphs that are drawn in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.game import Arrow, Graph
from holdfast.report.drawing.arranging import arranged, frames, on_page
from holdfast.report.drawing.layering import Point, Sizes, layers, ordered, places
from holdfast.report.drawing.routing import label_width
from holdfast.report.drawing.text import on_two_lines, shortened, text_width
from holdfast.report.drawing.zoning import ZoneBox, zoned_places

DRAWING_MARGIN, WAY_IN = 0.12, 0.5
"""Inches around the boxes, and to the left of them for the arrow from outside."""

SIZES = ((12, 8.0, 16, 0.8, 0.42), (40, 7.0, 12, 0.5, 0.3), (10**9, 5.5, 9, 0.4, 0.13))
"""Up to so many nodes: points of their names, characters of these, inches between columns and rows."""


@dataclass(frozen=True)
class GraphLayout:
    """Nodes and their places.

    Attributes:
        nodes, arrows: of either graph.
        names: what is written in the boxes.
        font: its size in points.
        sizes: of the boxes, all alike.
        at: the centre of each node's box.
        frames: of the zones.
    """

    nodes: tuple[str, ...]
    arrows: tuple[Arrow, ...]
    names: Mapping[str, str]
    font: float
    sizes: Sizes
    at: Mapping[str, Point]
    frames: tuple[ZoneBox, ...] = ()


def laid_out(before: Graph, after: Graph, page: float, *, two_lines: bool = False) -> GraphLayout:
    """Where everything stands that is in one of two graphs, or in both, on a page so many inches wide.

    For one graph alone, give it twice. Long names may take ``two_lines``.
    """
    nodes = tuple(dict.fromkeys((*before.names, *after.names)))
    arrows = tuple(dict.fromkeys((*before.arrows, *after.arrows)))
    font, length, wide, tall = next(rest for most, *rest in SIZES if len(nodes) <= most)
    was, remains = set(before.names), set(after.names)
    signs = {node: "" if node in was & remains else "+ " if node in remains else "− " for node in nodes}
    captions = {**before.captions, **after.captions}
    cut = on_two_lines if two_lines else shortened
    names = {node: signs[node] + cut(captions.get(node, node), int(length)) for node in nodes}
    widest = max(text_width(line, font, "bold") for name in names.values() for line in name.split("\n"))
    height = (3.8 if any("\n" in name for name in names.values()) else 2.6) * font / 72
    width = max(widest + 0.16, 0.4)
    labels = {*before.labels.values(), *after.labels.values()}
    room = max((label_width(text, font) for text in labels), default=0.0)
    sizes = Sizes(width, height, width + wide + room, height + tall + room / 3)
    # Where the layers begin: the entries or, without any, what no arrow leads to, or the first node.
    entered = {target for _, target in after.arrows}
    starts = after.starts or tuple(n for n in after.names if n not in entered) or after.names[:1]
    usable = page - 2 * DRAWING_MARGIN - WAY_IN
    given = {**before.places, **after.places}
    if any(node in given for node in nodes):
        box = sizes.width, sizes.height
        at = on_page(arranged(nodes, arrows, given, box), box, usable)
        return GraphLayout(nodes, arrows, names, font, sizes, at, frames(_zones(after, before), at, box))
    if zones := _zones(after, before):
        at, boxes = zoned_places(nodes, arrows, starts, zones, sizes, usable)
        return GraphLayout(nodes, arrows, names, font, sizes, at, boxes)
    columns = max(1, int((usable + wide) / (width + wide)))
    at = places(ordered(layers(nodes, arrows, starts), arrows), sizes, columns)
    return GraphLayout(nodes, arrows, names, font, sizes, at)


def _zones(*graphs: Graph) -> dict[str, list[str]]:
    """The zones of some graphs; a node that moved stands where the first of them has it."""
    seen: set[str] = set()
    result: dict[str, list[str]] = {}
    for graph in graphs:
        for zone, nodes in graph.zones.items():
            result.setdefault(zone, []).extend(node for node in nodes if node not in seen)
        seen |= {node for nodes in graph.zones.values() for node in nodes}
    return result
