"""Zones as boxes, what each is exposed to as arrows: which is the weak one, and what is promised to it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from holdfast.game import Arrow, Graph
from holdfast.report.figures.style import ADDED, BREAKER, in_house_style
from holdfast.report.figures.topologies import drawn, picture_of

WIDE = 1.8
"""Points of the lines of what stands out."""


@in_house_style
def zone_map(
    graph: Graph, weak: Collection[str], promised: Collection[Arrow], says: str = "the weakest zone"
) -> Figure:
    """A graph of zones.

    Args:
        graph: its nodes are zones, and an arrow leads from a zone to one that is exposed to it.
        weak: the zones that stand out.
        promised: arrows behind which a promise stands that nothing comes through.
        says: what the zones are that stand out.
    """
    picture = picture_of(graph, graph)
    leading = [arrow for arrow in graph.arrows if arrow[1] in weak and arrow not in promised]
    strokes: dict[str | Arrow, tuple[str, float]] = dict.fromkeys(leading, (BREAKER, WIDE))
    strokes |= {arrow: (ADDED, WIDE) for arrow in promised if arrow in graph.arrows}
    strokes |= dict.fromkeys(weak, (BREAKER, WIDE + 0.6))
    key = [Line2D([], [], color=BREAKER, lw=WIDE, label=says)] if weak else []
    if any(stroke[0] == ADDED for stroke in strokes.values()):
        key.append(Line2D([], [], color=ADDED, lw=WIDE, label="nothing comes through: promised"))
    return drawn(replace(picture, strokes=strokes, key=tuple(key)))
