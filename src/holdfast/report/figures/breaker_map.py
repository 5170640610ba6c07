"""What must never be added, drawn on the topology of a design: dashed red arrows and boxes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from holdfast.game import Arrow, Graph
from holdfast.report.figures.folding import folded
from holdfast.report.figures.style import BREAKER, in_house_style
from holdfast.report.figures.topologies import LINE_STYLES, drawn, picture_of

ALONE, TOGETHER = 1.8, 0.9
"""Points of the lines of what breaks a design by itself, and of what does so only together with others."""


@in_house_style
def breaker_map(
    graph: Graph, alone: Collection[Arrow | str], together: Collection[Arrow | str] = ()
) -> Figure:
    """The topology with arrows that must never come, and nodes to which nothing more may happen.

    Everything stands where it stands without them.

    Args:
        graph: to draw.
        alone: what breaks the design by itself.
        together: what does so only together with others.
    """
    new = [place for place in (*alone, *together) if not isinstance(place, str)]
    more = replace(graph, arrows=(*graph.arrows, *(arrow for arrow in new if arrow not in graph.arrows)))
    shown, wider = folded(graph, more)
    picture = picture_of(shown, shown)
    extra = tuple(arrow for arrow in wider.arrows if arrow not in shown.arrows)
    single = set(folded(graph, replace(graph, arrows=(*graph.arrows, *_arrows(alone))))[1].arrows)
    strokes: dict[str | Arrow, tuple[str, float]] = {
        arrow: (BREAKER, ALONE if arrow in single else TOGETHER) for arrow in extra
    }
    for places, width in ((together, TOGETHER), (alone, ALONE)):
        strokes |= {place: (BREAKER, width) for place in places if place in shown.names}
    meanings = {ALONE: "must never be added", TOGETHER: "nor in combination"}
    used = sorted({width for _, width in strokes.values()}, reverse=True)
    key = (Line2D([], [], color=BREAKER, lw=w, ls=LINE_STYLES[BREAKER], label=meanings[w]) for w in used)
    layout = replace(picture.layout, arrows=(*picture.layout.arrows, *extra))
    colours = dict(picture.colours)
    colours.update(dict.fromkeys(extra))
    return drawn(replace(picture, layout=layout, colours=colours, strokes=strokes, key=tuple(key)))


def _arrows(places: Collection[Arrow | str]) -> list[Arrow]:
    return [place for place in places if not isinstance(place, str)]
