"""The fingerprint (sec:fingerprint) as a radar: an axis a reading, from 0 at the centre to 1 at the rim.

Which readings have an axis, and where it points, is in the table of readings
(:func:`~holdfast.readings.table.radar_sides`). A reading that is not there, or is in doubt, has no vertex:
its axis is dashed, the polygon stays open, and nothing is drawn at 0. DDR* is a hollow diamond on the axis of
DDR; where only its ends are known, two of them with a bar between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon

from holdfast.game import number
from holdfast.readings import Entry, RadarSide, radar_sides
from holdfast.report.drawing.text import shortened
from holdfast.report.figures import style
from holdfast.report.figures.style import GRID, INK, MUTED, PAPER, Series, in_house_style, series

MISSING: Any = (0, (1.5, 2.5))
"""The dashes of an axis that was not read."""
OUTLINE: Any = (0, (4, 1.5))
ASIDE: dict[int, Any] = {-1: "right", 0: "center", 1: "left"}
"""How text is aligned on the left of the radar, in its middle and on its right."""

_DIAMOND: dict[str, Any] = {"color": INK, "lw": 1.4, "marker": "D", "mfc": PAPER, "ms": 4.2, "mew": 0.9}


@in_house_style
def fingerprint_radar(entry: Entry) -> Figure:
    """The fingerprint of one design, with its readings."""
    width, height = style.COLUMN, 2.95
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    _web(axes, [entry], (width, height - 0.35), radius=0.9)
    _shape(axes, entry, series(0))
    for side in radar_sides():
        _reading(axes, side, entry, words=True)
    _circle_names(axes)
    style.legend_below(figure, _key([entry]), columns=3)
    return figure


@in_house_style
def fingerprint_multiples(entries: Sequence[Entry]) -> Figure:
    """One small radar for each design, all on the same scale; the first is outlined in all the others."""
    if not entries:
        return style.no_data("no design to draw")
    columns = n_columns(len(entries))
    rows = math.ceil(len(entries) / columns)
    width, radius = (2.3, 0.68) if columns <= 3 else (1.75, 0.45)
    height = 2 * radius + 0.84
    figure = Figure(figsize=(max(width * columns, style.COLUMN), height * rows + 0.25), layout="constrained")
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
        for side in radar_sides():
            _reading(axes, side, entry, words=False)
        axes.set_title(shortened(entry.label, 22), fontsize=8, fontweight="bold", pad=2)
    style.legend_below(figure, _key(entries), columns=4)
    return figure


@in_house_style
def fingerprint_overlay(entries: Sequence[Entry]) -> Figure:
    """All fingerprints on one radar, without DDR* and intervals, which would hide each other."""
    if not entries:
        return style.no_data("no design to draw")
    figure = Figure(figsize=(0.8 * style.PAGE, 0.52 * style.PAGE), layout="constrained")
    axes = figure.add_subplot()
    _web(axes, entries, (2.4, 2.4), radius=1.0)
    handles = []
    for i, entry in enumerate(entries):
        look = series(i)
        _outline(axes, entry, color=look.colour, ls=look.dashes, zorder=3)
        _vertices(axes, entry, look, 5.0)
        handles.append(look.line(shortened(entry.label, 28)))
    for side in radar_sides():
        va = "center" if side.x else "bottom" if side.y > 0 else "top"
        at = 1.06 * side.x, 1.06 * side.y
        axes.text(*at, side.reading.label, ha=ASIDE[_sign(side.x)], va=va, fontweight="bold")
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
    """Rim, circles and axes, sizes in inches; an axis that some entry was not read on is dashed."""
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-size[0] / (2 * radius), size[0] / (2 * radius))
    axes.set_ylim(-size[1] / (2 * radius), size[1] / (2 * radius))
    for share, colour, width in ((0.25, GRID, 0.6), (0.5, GRID, 0.6), (0.75, GRID, 0.6), (1.0, MUTED, 0.8)):
        axes.add_patch(Circle((0, 0), share, fill=False, edgecolor=colour, lw=width, zorder=0.5))
    missing = _missing(entries)
    for side in radar_sides():
        line: dict[str, Any] = {"color": MUTED, "ls": MISSING} if side in missing else {"color": GRID}
        axes.plot([0, side.x], [0, side.y], lw=0.8, zorder=0.5, label="_axis", **line)


def _sign(number: float) -> int:
    """−1 on the left or below, 1 on the right or above, 0 in the middle."""
    return (number > 0) - (number < 0)


def _missing(entries: Sequence[Entry]) -> list[RadarSide]:
    sides = radar_sides()
    return [side for side in sides if any(side.reading.firm(entry.analysis) is None for entry in entries)]


def _circle_names(axes: Axes) -> None:
    for radius in (0.5, 1.0):
        at = radius * math.sqrt(0.5) + 0.02
        axes.text(at, at, f"{radius:g}", fontsize=6.5, color=MUTED, ha="left", va="bottom")


def _points(entry: Entry) -> list[tuple[float, float] | None]:
    """The vertices of a design, clockwise from the top; None where there is no reading."""
    points: list[tuple[float, float] | None] = []
    for side in radar_sides():
        value = side.reading.firm(entry.analysis)
        points.append(None if value is None else (value * side.x, value * side.y))
    return points


def _shape(axes: Axes, entry: Entry, look: Series) -> None:
    """Polygon and vertices of one design, and diamonds for what was solved besides learned."""
    points = _points(entry)
    closed = [point for point in points if point is not None]
    if len(closed) == len(points):
        axes.add_patch(Polygon(closed, facecolor=look.colour, alpha=0.2, lw=0))
    _outline(axes, entry, color=look.colour, lw=1.5, zorder=3)
    _vertices(axes, entry, look, 4.0)
    for side in radar_sides():
        ends = entry.marks(side.solved.key) if side.solved is not None else ()
        if ends:
            line = [side.x * end for end in ends], [side.y * end for end in ends]
            axes.plot(*line, **_DIAMOND, zorder=5, label="_exact")


def _outline(axes: Axes, entry: Entry, **line: Any) -> None:
    """The sides between readings that are next to each other and both there."""
    points = _points(entry)
    ring = [*points, points[0]]
    lines = [ring] if None not in ring else [pair for pair in pairwise(ring) if None not in pair]
    line = {"label": "_side", "solid_joinstyle": "round", "solid_capstyle": "round", **line}
    for run in lines:
        axes.plot(*zip(*(point for point in run if point is not None), strict=True), **line)


def _vertices(axes: Axes, entry: Entry, look: Series, size: float) -> None:
    known = [point for point in _points(entry) if point is not None]
    xs, ys = [x for x, _ in known], [y for _, y in known]
    mark: dict[str, Any] = {"marker": look.marker, "ms": size, "mec": PAPER, "mew": 0.6}
    axes.plot(xs, ys, ls="", color=look.colour, zorder=4, label="_readings", **mark)


def _reading(axes: Axes, side: RadarSide, entry: Entry, *, words: bool) -> None:
    """Name and value of an axis, and a note, outside the rim, by their points above the end of the axis."""
    reading = side.reading
    short = reading.label, number(reading.read(entry.analysis), 3), reading.doubt(entry.analysis)
    name, value, note = _in_words(side, entry) if words else short
    small, large = (7.0, 8.0) if words else (6.5, 7.5)
    faint: dict[str, Any] = {"fontsize": small, "color": MUTED}
    strong: dict[str, Any] = {"fontsize": large, "color": INK, "fontweight": "bold"}
    rows: dict[int, tuple[tuple[str, dict[str, Any], float], ...]] = {
        1: ((value, strong, 3), (name, faint, 5 + large), (note, faint, 7 + small + large)),
        0: ((name, faint, 1), (value, strong, -1), (note, faint, -3 - large)),
        -1: ((name, faint, -3), (value, strong, -5 - small), (note, faint, -8 - small - large)),
    }
    aside = _sign(side.x)
    for text, font, up in rows[0 if aside else _sign(side.y)]:
        place: dict[str, Any] = {"ha": ASIDE[aside], "va": "bottom" if up > 0 else "top", **font}
        axes.annotate(text, (side.x, side.y), (4 * aside, up), textcoords="offset points", **place)


def _in_words(side: RadarSide, entry: Entry) -> tuple[str, str, str]:
    """Name, value and a note, where there is room for more of each."""
    reading, note = side.reading, ""
    value = reading.read(entry.analysis)
    bounds = None if reading.bounds is None else reading.bounds(entry.analysis)
    if value is None:
        note = "not read" if entry.analysis.defensible else "not defined"
    elif bounds is not None:
        note = f"{bounds[0]:.3f}–{bounds[1]:.3f}"
    note = reading.doubt(entry.analysis) or note
    # On the left there is no room for a long line.
    name = reading.name.replace(" ", "\n") if side.x < 0 else reading.name
    return name, f"{reading.label} {number(value, reading.digits)}", note


def _key(entries: Sequence[Entry]) -> list[Line2D]:
    """What the marks are that no label explains, those that occur."""
    first = shortened(entries[0].label, 22)
    solved = [side.solved for side in radar_sides() if side.solved is not None]
    marked = [one.label for one in solved if any(entry.marks(one.key) for entry in entries)]
    thin: dict[str, Any] = {"color": MUTED, "lw": 0.8}
    keys: tuple[tuple[object, dict[str, Any]], ...] = (
        (marked, _DIAMOND | {"ls": "", "label": f"{', '.join(marked)}, solved"}),
        (len(entries) > 1, thin | {"ls": OUTLINE, "label": f"outline of {first}"}),
        (_missing(entries), thin | {"ls": MISSING, "label": "no reading"}),
    )
    return [Line2D([], [], **look) for occurs, look in keys if occurs]
