"""The threat frontier as a heat map: a panel for each design, a cell for each combination of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from holdfast.report.drawing.text import shortened
from holdfast.report.figures import style
from holdfast.report.figures.style import INK, ON_LIGHT, in_house_style

HELD, LOST, OPEN = ("#a6cbe3", ""), ("#e0812b", "////"), ("#d9d9de", "....")
"""Fill and hatch of what is defensible, of what is not, and of what a limit left open."""

ACROSS = 3
MAX_LABELLED = 14
"""Panels in a row, and values of a scale that are all labelled."""

Held = int | None
"""How many values from the left hold in a row; None where that is not known."""


@in_house_style
def heat_maps(
    panels: Mapping[str, Sequence[Held]],
    rows: tuple[str, Sequence[int]],
    columns: tuple[str, Sequence[int]],
    readings: Mapping[tuple[str, int, int], str] | None = None,
) -> Figure:
    """The panels in one figure, harder numbers to the right and upwards; the frontier is a heavy line.

    Args:
        panels: for each panel, row by row from the easiest, how many values of the columns are defensible.
        rows, columns: what the number is called, and its values from the easiest to the hardest.
        readings: what is written into a cell, by panel, row and column.
    """
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    height = 0.75 + 0.24 * len(rows[1])
    figure = Figure(figsize=(style.PAGE * across / ACROSS, down * height + 0.45), layout="constrained")
    for i, (label, held) in enumerate(panels.items()):
        axes = figure.add_subplot(down, across, i + 1)
        _panel(axes, label, held, rows, columns)
        for row in range(len(rows[1])):
            for column in range(len(columns[1])):
                text = (readings or {}).get((label, row, column))
                if text:
                    axes.text(column, row, text, ha="center", va="center", fontsize=6, color=ON_LIGHT)
        if i % across:
            axes.set_ylabel("")
    known = [n for held in panels.values() for n in held]
    kinds = [
        ("defensible", HELD),
        ("not defensible", LOST),
        *([("not known", OPEN)] if None in known else []),
    ]
    handles = [
        Patch(facecolor=fill, hatch=hatch, edgecolor="#ffffff", label=name) for name, (fill, hatch) in kinds
    ]
    style.legend_below(figure, handles, len(handles))
    return figure


def _panel(
    axes: Axes,
    label: str,
    held: Sequence[Held],
    rows: tuple[str, Sequence[int]],
    columns: tuple[str, Sequence[int]],
) -> None:
    for row, n in enumerate(held):
        for column in range(len(columns[1])):
            fill, hatch = OPEN if n is None else HELD if column < n else LOST
            place = (column - 0.5, row - 0.5)
            axes.add_patch(Rectangle(place, 1, 1, facecolor=fill, hatch=hatch, edgecolor="#ffffff", lw=0.6))
    stairs = [n for n in held if n is not None]
    xs = [n - 0.5 for n in stairs for _ in range(2)]
    ys = [y for row in range(len(stairs)) for y in (row - 0.5, row + 0.5)]
    axes.plot(xs, ys, color=INK, lw=1.8, solid_joinstyle="miter", clip_on=False)
    axes.set_xlim(-0.5, len(columns[1]) - 0.5)
    axes.set_ylim(-0.5, len(rows[1]) - 0.5)
    for axis, (name, values) in ((axes.xaxis, columns), (axes.yaxis, rows)):
        step = -(-len(values) // MAX_LABELLED)
        axis.set_ticks(range(0, len(values), step), [str(v) for v in values[::step]])
        axis.set_tick_params(length=0)
        axis.set_label_text(name)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_title(shortened(label, 26))
