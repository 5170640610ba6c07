"""What is on arrows: texts, at the middle or beside it where another stands, and bars where one can shut."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from holdfast.arrays import Floats
from holdfast.game import Arrow
from holdfast.report.figures import style

ALONG = (0.5, 0.35, 0.65, 0.25, 0.75)
"""Where on an arrow its label may stand, the first that is free."""


SMALLER = 0.75
"""The size of labels, of that of names."""


def label_width(text: str, font: float) -> float:
    """Inches that a label takes beside names of so many points."""
    return style.measured(text, SMALLER * font)


def draw_labels(
    axes: Axes,
    labels: Mapping[Arrow, str],
    curves: Mapping[Arrow, Floats],
    font: float,
) -> None:
    """Write the labels of the arrows that are drawn, each a parabola by its three control points."""
    paper = {"boxstyle": "square,pad=0.1", "facecolor": style.PAPER, "edgecolor": "none"}
    placed: list[tuple[float, float]] = []
    for arrow, text in labels.items():
        if arrow not in curves:
            continue
        a, b, c = curves[arrow]
        wide, tall = label_width(text, font) + 0.05, 1.2 * font / 72
        x, y = 0.0, 0.0
        for t in ALONG:
            x, y = ((1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * c).tolist()
            if not any(abs(x - u) < wide and abs(y - v) < tall for u, v in placed):
                break
        placed.append((x, y))
        axes.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            fontsize=SMALLER * font,
            color=style.INK,
            bbox=paper,
            zorder=2.8,
        )


def draw_gate(axes: Axes, controls: Floats, small: bool, colour: str) -> None:
    """A bar across the middle of a link that can be blocked."""
    a, b, c = controls
    middle, along = (a + 2 * b + c) / 4, c - a
    across = np.array([-along[1], along[0]]) / (float(np.hypot(*along)) or 1.0)
    ends = [middle + side * (0.05 if small else 0.07) * across for side in (1, -1)]
    xs, ys = zip(*ends, strict=True)
    axes.add_artist(Line2D(xs, ys, color=colour, lw=1.6 if small else 2.2, solid_capstyle="butt", zorder=2.7))
