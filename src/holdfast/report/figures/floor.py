"""A floor with what stands on it: a floor plan, and what changed between two.

A square that is no value is a wall. Areas are tinted by their tone and carry their name, dangerous ones
are hatched as well; a barrier is a thick line between two squares; what moves is a disc where it starts. In a
difference, what was added is drawn in one colour and what was removed, dashed, in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Rectangle

from holdfast.game import Arrow, Floor, Graph
from holdfast.report.drawing.text import shortened, text_width
from holdfast.report.figures import style
from holdfast.report.figures.style import ADDED, GRID, INK, MUTED, ON_LIGHT, PAPER, REMOVED

SQUARE = 0.52
"""The side of a square in inches, where the page is wide enough."""

LEGIBLE = 0.34
"""Inches from which on a square carries its own name."""

MARGIN, KEY, ROW = 0.1, 0.34, 0.17
IN_A_ROW = 4

TINTS = {"bad": "#f6c9b3", "watched": "#f5e3a3", "good": "#bfe3d0", "apart": "#d3d3da", "gone": "#c9b3d6"}
PLAIN = "#8a8a9422"
"""The tint of an area without a tone."""

MOVERS = ("#0072b2", "#882255", "#009e73", "#332288", "#cc79a7", "#b85c00")
"""Discs; white reads on all of them."""

GONE: Any = (0, (2.2, 1.4))


def floor_picture(before: Graph, after: Graph) -> Figure:
    """Both floors in one picture; the same one twice is a picture of it alone."""
    old, new = before.floor, after.floor
    assert old is not None and new is not None, "both systems have a floor"
    columns, rows = max(old.columns, new.columns), max(old.rows, new.rows)
    side = min(SQUARE, (style.PAGE - 2 * MARGIN) / columns)
    handles = list(_key(old, new))
    width = max(columns * side + 2 * MARGIN, style.COLUMN)
    spare = (width - columns * side) / 2
    low, high = (-spare, -rows * side - MARGIN), (columns * side + spare, MARGIN)
    below = KEY + ROW * max(-(-len(handles) // IN_A_ROW) - 1, 0) if handles else 0.0
    figure, axes = style.canvas(low, high, below)
    _squares(axes, old, new, columns, rows, side)
    _areas(axes, old, new, side)
    _barriers(axes, old, new, side)
    _movers(axes, old, new, side)
    if handles:
        figure.legend(handles=handles, loc="lower center", ncols=IN_A_ROW, columnspacing=1.6)
    return figure


def _corner(floor: Floor, value: str, side: float) -> tuple[float, float]:
    """The lower left corner of a square."""
    column, row = floor.at[value]
    return column * side, -(row + 1) * side


def _centre(floor: Floor, value: str, side: float) -> tuple[float, float]:
    x, y = _corner(floor, value, side)
    return x + side / 2, y + side / 2


def _squares(axes: Axes, old: Floor, new: Floor, columns: int, rows: int, side: float) -> None:
    """Walls, the squares between them, and their names."""
    axes.add_artist(
        Rectangle((0, -rows * side), columns * side, rows * side, facecolor=MUTED, lw=0, zorder=1)
    )
    was = set(old.at.values())
    for value, (column, row) in new.at.items():
        place = (column * side, -(row + 1) * side)
        fresh = (column, row) not in was
        box: dict[str, Any] = {"edgecolor": ADDED if fresh else GRID, "linewidth": 1.6 if fresh else 0.6}
        axes.add_artist(Rectangle(place, side, side, facecolor=PAPER, zorder=2.1 if fresh else 2, **box))
        if side >= LEGIBLE:
            name = shortened(value, 5)
            at = (place[0] + 0.03, place[1] + side - 0.025)
            axes.text(*at, name, ha="left", va="top", fontsize=4.6, color=MUTED, zorder=4)
    for column, row in was - set(new.at.values()):
        place = (column * side, -(row + 1) * side)
        box = {"edgecolor": REMOVED, "linewidth": 1.6, "linestyle": GONE}
        axes.add_artist(Rectangle(place, side, side, facecolor=MUTED, zorder=2.2, **box))


def _areas(axes: Axes, old: Floor, new: Floor, side: float) -> None:
    """Tints, smaller ones on top of larger ones, and names below where discs stand."""
    ordered = sorted(new.areas, key=lambda name: -len(new.areas[name]))
    taken: dict[str, int] = {}
    for name in ordered:
        tone, values = new.tones.get(name, ""), new.areas[name]
        for value in values:
            box: dict[str, Any] = {"facecolor": TINTS.get(tone, PLAIN), "linewidth": 0, "zorder": 2.3}
            if tone == "bad":
                box |= {"hatch": "////", "edgecolor": "#c96a3f", "linewidth": 0.0}
            axes.add_artist(Rectangle(_corner(new, value, side), side, side, **box))
            if value not in old.areas.get(name, ()):
                _outline(axes, new, value, side, ADDED, "-")
    for value in new.at:
        box = {"facecolor": "none", "edgecolor": GRID, "linewidth": 0.6, "zorder": 2.4}
        axes.add_artist(Rectangle(_corner(new, value, side), side, side, **box))
    for name, values in old.areas.items():
        for value in values:
            if value not in new.areas.get(name, ()) and value in new.at:
                _outline(axes, new, value, side, REMOVED, GONE)
    for name in dict.fromkeys((*new.tones, *new.areas)):
        if values := new.areas.get(name, ()):
            _name(axes, new, name, values, side, taken)


def _outline(axes: Axes, floor: Floor, value: str, side: float, colour: str, dashes: Any) -> None:
    x, y = _corner(floor, value, side)
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "linewidth": 1.8, "linestyle": dashes}
    axes.add_artist(Rectangle((x + 0.02, y + 0.02), side - 0.04, side - 0.04, zorder=3.2, **look))


def _name(
    axes: Axes, floor: Floor, name: str, values: Sequence[str], side: float, taken: dict[str, int]
) -> None:
    """The name of an area, in its square nearest to the middle, away from discs and other names."""
    middle = np.mean([floor.at[value] for value in values], axis=0)
    starts = set(floor.start.values())

    def order(value: str) -> tuple[bool, float]:
        away = np.array(floor.at[value]) - middle
        return value in starts or value in taken, float(away @ away)

    at = min(values, key=order)
    x, y = _centre(floor, at, side)
    room = next((points for points in (6.0, 5.4, 4.8) if text_width(name, points) <= side * 0.96), 4.4)
    label = name if text_width(name, room) <= side * 0.96 else shortened(name, max(3, int(side / 0.048)))
    low = y - side / 2 + 0.03 + 0.085 * taken.get(at, 0)
    taken[at] = taken.get(at, 0) + 1
    axes.text(
        x,
        low,
        label,
        ha="center",
        va="bottom",
        fontsize=room,
        color=ON_LIGHT if name in floor.tones else INK,
        zorder=4,
    )


def _barriers(axes: Axes, old: Floor, new: Floor, side: float) -> None:
    was, remains = (set(floor.barriers) for floor in (old, new))
    for pair in sorted(was | remains):
        floor = new if pair in remains else old
        colour = INK if pair in was and pair in remains else ADDED if pair in remains else REMOVED
        xs, ys = _between(floor, pair, side)
        look: dict[str, Any] = {"color": colour, "lw": 3.2, "solid_capstyle": "butt", "zorder": 3.5}
        axes.add_artist(Line2D(xs, ys, ls=GONE if pair not in remains else "-", **look))


def _between(floor: Floor, pair: Arrow, side: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The side that two squares share, as xs and ys."""
    (a, b), (c, d) = (_centre(floor, value, side) for value in pair)
    x, y = (a + c) / 2, (b + d) / 2
    if a != c:  # they stand side by side
        return (x, x), (y - side / 2, y + side / 2)
    return (x - side / 2, x + side / 2), (y, y)


def _movers(axes: Axes, old: Floor, new: Floor, side: float) -> None:
    here: dict[str, list[str]] = {}
    for name, value in new.start.items():
        here.setdefault(value, []).append(name)
    colours = dict(zip(new.start, _cycle(len(new.start)), strict=True))
    for value, names in here.items():
        x, y = _centre(new, value, side)
        for n, name in enumerate(names):
            shift = (n - (len(names) - 1) / 2) * side * 0.3
            moved = old.start.get(name) != value
            edge = ADDED if moved else PAPER
            radius = side * (0.27 if len(names) == 1 else 0.2)
            at = (x + shift, y + side * 0.04)
            look: dict[str, Any] = {
                "facecolor": colours[name],
                "edgecolor": edge,
                "linewidth": 1.8 if moved else 0.8,
            }
            axes.add_artist(Circle(at, radius, zorder=5, **look))
            letter = new.letters[name]
            axes.text(
                *at,
                letter,
                ha="center",
                va="center",
                fontsize=max(4.0, 17 * side),
                fontweight="bold",
                color=style.ON_DARK,
                zorder=6,
            )


def _cycle(n: int) -> list[str]:
    return [MOVERS[i % len(MOVERS)] for i in range(n)]


def _key(old: Floor, new: Floor) -> Iterator[Artist]:
    for name, colour in zip(new.start, _cycle(len(new.start)), strict=True):
        disc: dict[str, Any] = {"marker": "o", "ms": 7, "ls": "", "mec": PAPER}
        yield Line2D([], [], color=colour, label=shortened(name, 14), **disc)
    words: Mapping[str, str] = {"bad": "dangerous", "watched": "can be shut", "good": "helps the defender"}
    tones = [tone for tone in words if tone in new.tones.values()]
    for tone in tones:
        hatch: dict[str, Any] = (
            {"hatch": "////", "edgecolor": "#c96a3f", "lw": 0} if tone == "bad" else {"lw": 0}
        )
        yield Patch(facecolor=TINTS[tone], label=words[tone], **hatch)
    if new.barriers or old.barriers:
        yield Line2D([], [], color=INK, lw=3.2, label="barrier")
    for word, one, other in (("added", new, old), ("removed", old, new)):
        if _has_more(one, other):
            look: dict[str, Any] = {"color": ADDED} if word == "added" else {"color": REMOVED, "ls": GONE}
            yield Line2D([], [], lw=1.8, label=word, **look)


def _has_more(one: Floor, other: Floor) -> bool:
    """Whether a floor has squares, areas, barriers or starts that another has not."""
    areas = ((name, value) for name, values in one.areas.items() for value in values)
    return bool(
        set(one.at.values()) - set(other.at.values())
        or set(one.barriers) - set(other.barriers)
        or set(one.start.items()) - set(other.start.items())
        or any(value not in other.areas.get(name, ()) for name, value in areas)
    )
