"""The fingerprint (sec:fingerprint) as a radar: four axes from 0 at the centre to 1 at the rim, absolute.

A reading that is not there has no vertex: its axis is dashed, the polygon stays open, and nothing is drawn
at 0. DDR* is a hollow diamond on the axis of DDR.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon

from holdfast import axes as table
from holdfast.axes import Axis
from holdfast.comparison.findings import Entry
from holdfast.report.figures.style import (
    COLUMN,
    GRID,
    INK,
    MUTED,
    PAGE,
    PAPER,
    Series,
    in_house_style,
    legend_below,
    no_data,
    series,
    shortened,
)

MISSING: Any = (0, (1.5, 2.5))
"""The dashes of an axis that was not read."""
OUTLINE: Any = (0, (4, 1.5))


@in_house_style
def fingerprint_radar(entry: Entry) -> Figure:
    """The fingerprint of one design, with its readings."""
    width, height = COLUMN, 2.95
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    _web(axes, [entry], (width, height - 0.35), radius=0.9)
    _shape(axes, entry, series(0))
    for axis in sides():
        _reading(axes, axis, entry, words=True)
    _circle_names(axes)
    legend_below(figure, _key([entry]), columns=3)
    return figure


@in_house_style
def fingerprint_multiples(entries: Sequence[Entry]) -> Figure:
    """One small radar for each design, all on the same scale; the first is outlined in all the others."""
    if not entries:
        return no_data("no design to draw")
    columns = n_columns(len(entries))
    rows = math.ceil(len(entries) / columns)
    width, radius = (2.3, 0.68) if columns <= 3 else (1.75, 0.45)
    height = 2 * radius + 0.84
    figure = Figure(figsize=(max(width * columns, COLUMN), height * rows + 0.25), layout="constrained")
    # Two columns of the grid to a panel, so that a last row that is not full can stand in the middle.
    grid = figure.add_gridspec(rows, 2 * columns)
    for i, entry in enumerate(entries):
        row, column = divmod(i, columns)
        shift = (columns - min(columns, len(entries) - row * columns)) + 2 * column
        axes = figure.add_subplot(grid[row, shift : shift + 2])
        _web(axes, [entry], (width, height - 0.22), radius)
        if i:
            _outline(axes, entries[0], color=MUTED, lw=0.8, ls=OUTLINE, label="_first")
        _shape(axes, entry, series(i))
        for axis in sides():
            _reading(axes, axis, entry, words=False)
        axes.set_title(shortened(entry.label, 22), fontsize=8, fontweight="bold", pad=2)
    legend_below(figure, _key(entries), columns=4)
    return figure


@in_house_style
def fingerprint_overlay(entries: Sequence[Entry]) -> Figure:
    """All fingerprints on one radar, without DDR* and intervals, which would hide each other."""
    if not entries:
        return no_data("no design to draw")
    figure = Figure(figsize=(0.8 * PAGE, 0.52 * PAGE), layout="constrained")
    axes = figure.add_subplot()
    _web(axes, entries, (2.4, 2.4), radius=1.0)
    handles = []
    for i, entry in enumerate(entries):
        look = series(i)
        _outline(axes, entry, color=look.colour, ls=look.dashes, zorder=3)
        _vertices(axes, entry, look, 5.0)
        handles.append(look.line(shortened(entry.label, 28)))
    for axis in sides():
        x, y = _bearing(axis)
        ha = "center" if y else "left" if x > 0 else "right"
        va = "center" if x else "bottom" if y > 0 else "top"
        axes.text(1.06 * x, 1.06 * y, axis.label, ha=ha, va=va, fontweight="bold")
    _circle_names(axes)
    if any(_missing([entry]) for entry in entries):
        handles.append(Line2D([], [], color=MUTED, lw=0.8, ls=MISSING, label="no reading for some"))
    figure.legend(handles=handles, loc="outside right center", labelspacing=0.7)
    return figure


def n_columns(n_panels: int) -> int:
    """Panels in a row of the page.

    >>> [n_columns(n) for n in (1, 3, 4, 5, 6, 12)]
    [1, 3, 4, 3, 3, 4]
    """
    return max(n_panels, 1) if n_panels <= 4 else 3 if n_panels <= 6 else 4


# -- parts ------------------------------------------------------------------------------------------


def _web(axes: Axes, entries: Sequence[Entry], size: tuple[float, float], radius: float) -> None:
    """The rim, the circles and the four axes; an axis that some entry was not read on is dashed.

    Args:
        axes: to draw on.
        entries: shown there.
        size: of the axes, and
        radius: of the rim, in inches.
    """
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-size[0] / (2 * radius), size[0] / (2 * radius))
    axes.set_ylim(-size[1] / (2 * radius), size[1] / (2 * radius))
    for share in (0.25, 0.5, 0.75):
        axes.add_patch(Circle((0, 0), share, fill=False, edgecolor=GRID, lw=0.6, zorder=0.5))
    axes.add_patch(Circle((0, 0), 1.0, fill=False, edgecolor=MUTED, lw=0.8, zorder=0.5))
    missing = _missing(entries)
    for axis in sides():
        x, y = _bearing(axis)
        line: dict[str, Any] = {"color": MUTED, "ls": MISSING} if axis in missing else {"color": GRID}
        axes.plot([0, x], [0, y], lw=0.8, zorder=0.5, label="_axis", **line)


def sides() -> list[Axis]:
    """The axes that the radar has, clockwise from the top."""
    return [axis for axis in table.AXES if axis.bearing is not None]


def _bearing(axis: Axis) -> tuple[int, int]:
    return axis.bearing or (0, 0)


def _missing(entries: Sequence[Entry]) -> list[Axis]:
    return [axis for axis in sides() if any(axis.read(entry.analysis) is None for entry in entries)]


def _circle_names(axes: Axes) -> None:
    for radius in (0.5, 1.0):
        at = radius * math.sqrt(0.5) + 0.02
        axes.text(at, at, f"{radius:g}", fontsize=6.5, color=MUTED, ha="left", va="bottom")


def _shape(axes: Axes, entry: Entry, look: Series) -> None:
    """Polygon, vertices and DDR* of one design."""
    points = [_point(axis, entry) for axis in sides()]
    closed = [point for point in points if point is not None]
    if len(closed) == len(points):
        axes.add_patch(Polygon(closed, facecolor=look.colour, alpha=0.2, lw=0))
    _outline(axes, entry, color=look.colour, lw=1.5, zorder=3)
    _vertices(axes, entry, look, 4.0)
    exact = entry.reading("ddr_exact")
    if exact is not None:
        axes.plot([-exact], [0], **_DIAMOND, zorder=5, label="_exact")


_DIAMOND: dict[str, Any] = {"ls": "", "marker": "D", "mfc": PAPER, "mec": INK, "ms": 4.2, "mew": 0.9}


def _outline(axes: Axes, entry: Entry, **line: Any) -> None:
    """The sides between readings that are next to each other and both there."""
    points = [_point(axis, entry) for axis in sides()]
    line = {"label": "_side", "solid_joinstyle": "round", "solid_capstyle": "round", **line}
    if None not in points:
        xs, ys = zip(*(point for point in [*points, points[0]] if point is not None), strict=True)
        axes.plot(xs, ys, **line)
        return
    for one, other in zip(points, [*points[1:], points[0]], strict=True):
        if one is not None and other is not None:
            axes.plot([one[0], other[0]], [one[1], other[1]], **line)


def _vertices(axes: Axes, entry: Entry, look: Series, size: float) -> None:
    known = [point for axis in sides() if (point := _point(axis, entry)) is not None]
    xs, ys = [x for x, _ in known], [y for _, y in known]
    mark: dict[str, Any] = {"marker": look.marker, "ms": size, "mec": PAPER, "mew": 0.6}
    axes.plot(xs, ys, ls="", color=look.colour, zorder=4, label="_readings", **mark)


def _point(axis: Axis, entry: Entry) -> tuple[float, float] | None:
    x, y = _bearing(axis)
    reading = axis.read(entry.analysis)
    return None if reading is None else (reading * x, reading * y)


def _reading(axes: Axes, axis: Axis, entry: Entry, *, words: bool) -> None:
    """Name and value of an axis, outside the rim."""
    x, y = _bearing(axis)
    short = axis.label, _value(axis.read(entry.analysis), 3), ""
    name, value, note = _in_words(axis, entry) if words else short
    small, large = (7.0, 8.0) if words else (6.5, 7.5)
    ha = "center" if y else "left" if x > 0 else "right"
    faint: dict[str, Any] = {"fontsize": small, "color": MUTED, "ha": ha, "textcoords": "offset points"}
    strong: dict[str, Any] = faint | {"fontsize": large, "color": INK, "fontweight": "bold"}
    if y > 0:
        axes.annotate(value, (0, 1), (0, 3), va="bottom", **strong)
        axes.annotate(name, (0, 1), (0, 5 + large), va="bottom", **faint)
        axes.annotate(note, (0, 1), (0, 7 + small + large), va="bottom", **faint)
    elif y < 0:
        axes.annotate(name, (0, -1), (0, -3), va="top", **faint)
        axes.annotate(value, (0, -1), (0, -5 - small), va="top", **strong)
        axes.annotate(note, (0, -1), (0, -8 - small - large), va="top", **faint)
    else:
        axes.annotate(name, (x, 0), (4 * x, 1), va="bottom", **faint)
        axes.annotate(value, (x, 0), (4 * x, -1), va="top", **strong)
        axes.annotate(note, (x, 0), (4 * x, -3 - large), va="top", **faint)


def _in_words(axis: Axis, entry: Entry) -> tuple[str, str, str]:
    """Name, value and a note, where there is room for more of each."""
    reading, note = axis.read(entry.analysis), ""
    bounds = None if axis.bounds is None else axis.bounds(entry.analysis)
    if reading is None:
        note = "not read" if entry.analysis.defensible else "not defined"
    elif bounds is not None:
        note = f"{bounds[0]:.3f}–{bounds[1]:.3f}"
    # On the left there is no room for a long line.
    name = axis.name.replace(" ", "\n") if _bearing(axis)[0] < 0 else axis.name
    return name, f"{axis.label} {_value(reading, axis.digits)}", note


def _value(reading: float | None, digits: int) -> str:
    return "–" if reading is None else f"{reading:.{digits}f}"


def _key(entries: Sequence[Entry]) -> list[Line2D]:
    """What the marks are that no label explains, those that occur."""
    found = []
    if any(entry.reading("ddr_exact") is not None for entry in entries):
        found.append(Line2D([], [], **_DIAMOND, label="DDR*, solved"))
    if len(entries) > 1:
        label = f"outline of {shortened(entries[0].label, 22)}"
        found.append(Line2D([], [], color=MUTED, lw=0.8, ls=OUTLINE, label=label))
    if _missing(entries):
        found.append(Line2D([], [], color=MUTED, lw=0.8, ls=MISSING, label="no reading"))
    return found
