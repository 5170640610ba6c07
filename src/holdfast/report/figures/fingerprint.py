"""The fingerprint (sec:fingerprint) as a radar: four axes from 0 at the centre to 1 at the rim, absolute.

A reading that is not there has no vertex: its axis is dashed, the polygon stays open, and nothing is drawn
at 0. DDR* is a diamond on the axis of DDR, whose interval is a bar along that axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon

from holdfast.compare import Entry
from holdfast.compare.findings import AXES
from holdfast.report.figures.style import (
    COLUMN,
    GRID,
    INK,
    MUTED,
    PAGE,
    PAPER,
    Series,
    in_house_style,
    series,
    shortened,
)

WORDS = {"win": "winning fraction", "stp": "shell steepness", "slt": "shield latitude", "ddr": "dominance"}
DIRECTIONS = {"win": (0.0, 1.0), "stp": (1.0, 0.0), "slt": (0.0, -1.0), "ddr": (-1.0, 0.0)}
ROOM = 1.55
"""Half the side of a panel, the rim being at 1."""

PANELS = 4
"""Panels in a row of the page."""


@in_house_style
def fingerprint_radar(entry: Entry) -> Figure:
    """The fingerprint of one design, with its readings."""
    figure = Figure(figsize=(COLUMN, 0.95 * COLUMN))
    axes = figure.add_subplot()
    _web(axes, [entry])
    _polygon(axes, entry, series(0), fill=True)
    _readings(axes, entry, words=True)
    return figure


@in_house_style
def fingerprint_multiples(entries: Sequence[Entry]) -> Figure:
    """One small radar for each design, all on the same scale."""
    columns = min(len(entries), PANELS)
    rows = math.ceil(len(entries) / columns)
    side = PAGE / PANELS
    figure = Figure(figsize=(side * columns, 1.12 * side * rows))
    for i, entry in enumerate(entries):
        axes = figure.add_subplot(rows, columns, i + 1)
        _web(axes, [entry])
        _polygon(axes, entry, series(i), fill=True)
        _readings(axes, entry, words=False)
        axes.set_title(shortened(entry.label), fontweight="bold")
    return figure


@in_house_style
def fingerprint_overlay(entries: Sequence[Entry]) -> Figure:
    """All fingerprints on one radar."""
    figure = Figure(figsize=(0.75 * PAGE, 0.55 * PAGE))
    axes = figure.add_subplot()
    _web(axes, entries)
    handles = []
    for i, entry in enumerate(entries):
        handles.append(_polygon(axes, entry, series(i), fill=False))
    for axis, (x, y) in DIRECTIONS.items():
        axes.text(1.14 * x, 1.14 * y, axis.upper(), ha="center", va="center", fontweight="bold")
    axes.legend(handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _web(axes: Axes, entries: Sequence[Entry]) -> None:
    """The rim, the circles and the four axes; an axis that some entry was not read on is dashed."""
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-ROOM, ROOM)
    axes.set_ylim(-ROOM, ROOM)
    for radius in (0.25, 0.5, 0.75, 1.0):
        axes.add_patch(Circle((0, 0), radius, fill=False, edgecolor=MUTED if radius == 1 else GRID, lw=0.7))
    for axis, (x, y) in DIRECTIONS.items():
        missing = any(entry.reading(axis) is None for entry in entries)
        axes.plot([0, x], [0, y], color=MUTED, lw=0.7, ls=(0, (2, 3)) if missing else "-")


def _polygon(axes: Axes, entry: Entry, look: Series, *, fill: bool) -> Line2D:
    points = [_point(axis, entry.reading(axis)) for axis in AXES]
    known = [point for point in points if point is not None]
    if fill and len(known) == len(AXES):
        axes.add_patch(Polygon(known, facecolor=look.colour, alpha=0.18, lw=0))
    style = {"color": look.colour, "ls": look.dashes, "solid_joinstyle": "round"}
    for one, other in zip(points, [*points[1:], points[0]], strict=True):
        if one is not None and other is not None:
            axes.plot([one[0], other[0]], [one[1], other[1]], **style)
    if entry.ddr_low is not None and entry.ddr_high is not None:
        axes.plot([-entry.ddr_low, -entry.ddr_high], [0, 0], color=look.colour, lw=3.5, solid_capstyle="butt")
    axes.plot(
        [x for x, _ in known], [y for _, y in known], ls="", marker=look.marker, color=look.colour,
        mec=PAPER, mew=0.6, gid=f"readings {entry.label}",
    )  # fmt: skip
    if entry.ddr_exact is not None:
        axes.plot([-entry.ddr_exact], [0], ls="", marker="d", mfc=PAPER, mec=INK, ms=5, mew=0.9, zorder=4)
    return Line2D(
        [], [], color=look.colour, ls=look.dashes, marker=look.marker, mec=PAPER, mew=0.6,
        label=shortened(entry.label),
    )  # fmt: skip


def _point(axis: str, reading: float | None) -> tuple[float, float] | None:
    x, y = DIRECTIONS[axis]
    return None if reading is None else (reading * x, reading * y)


def _readings(axes: Axes, entry: Entry, *, words: bool) -> None:
    for axis, (x, y) in DIRECTIONS.items():
        reading = entry.reading(axis)
        value = "not read" if reading is None else f"{reading:.3f}"
        text = f"{axis.upper()} {value}" if y else f"{axis.upper()}\n{value}"
        if words:
            text = f"{WORDS[axis]}\n{axis.upper()} {value}"
        axes.text(
            1.3 * x, 1.18 * y, text, ha="center", va="center", color=INK if reading is not None else MUTED
        )
