"""What each part of a system carries, drawn on its topology: width for how much, colour for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from holdfast.game import Arrow, Graph
from holdfast.report.figures.folding import boxes, folded
from holdfast.report.figures.style import MUTED, SERIES, in_house_style
from holdfast.report.figures.topologies import drawn, picture_of

THIN, WIDE = 0.8, 4.2
"""Points of the lines that carry nothing, and of those that carry most."""

COLOURS = {"": MUTED, "better": SERIES[0], "relieved": SERIES[2]}
MEANINGS = {
    "": "nothing is better without it",
    "better": "holds better without it",
    "relieved": "and takes less effort",
}


@dataclass(frozen=True)
class Weight:
    """What something carries: a number of at least 0, and a tone, one of :data:`COLOURS`."""

    amount: float
    tone: str = ""


@in_house_style
def burden_map(graph: Graph, weights: Mapping[Arrow | str, Weight], unit: str) -> Figure:
    """The topology, its arrows and boxes as wide as what they carry; alike nodes show their heaviest.

    Args:
        graph: to draw.
        weights: of arrows and nodes; those without one are drawn as usual.
        unit: what the width shows.
    """
    box, (shown,) = boxes(graph), folded(graph)
    gathered: dict[Arrow | str, Weight] = {}
    for place, weight in weights.items():
        known = (
            box.get(place, place)
            if isinstance(place, str)
            else (box.get(place[0], place[0]), box.get(place[1], place[1]))
        )
        gathered[known] = max(weight, gathered.get(known, weight), key=_order)
    most = max((weight.amount for weight in gathered.values()), default=0.0)
    strokes = {place: (COLOURS[w.tone], _points(w.amount, most)) for place, w in gathered.items()}
    tones = [tone for tone in COLOURS if any(weight.tone == tone for weight in gathered.values())]
    key = [Line2D([], [], color=COLOURS[tone], lw=1.8, label=MEANINGS[tone]) for tone in tones]
    if most > 0:
        key.append(Line2D([], [], color=MUTED, lw=WIDE, label=f"{unit} +{most:.2g}"))
    return drawn(replace(picture_of(shown, shown), strokes=strokes, key=tuple(key)))


def _order(weight: Weight) -> tuple[float, int]:
    return weight.amount, list(COLOURS).index(weight.tone)


def _points(amount: float, most: float) -> float:
    """The width of a line, in proportion to the heaviest."""
    return THIN if most <= 0 else THIN + (WIDE - THIN) * max(0.0, amount) / most
