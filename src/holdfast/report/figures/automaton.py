"""Safety automata as pictures, in the manner of fig:dfa-defender and fig:dfa-attacker.

States stand in one row: the initial state first, then by the number of letters that lead there, violating
states last. Accepting states are double circles, violating ones are shaded. An edge to the next state is
straight, or bent where another leads back; a loop stands above its state; every other edge passes below the
row in a lane of its own, the shorter the nearer. A guard is written on its edge where there is room; else a
letter stands for it, and the key below says which. ⊤ is any letter of the alphabet.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from string import ascii_lowercase
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.bezier import BezierSegment
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from holdfast.arrays import Floats
from holdfast.logic import SafetyAutomaton
from holdfast.report.drawing.text import shortened, text_width
from holdfast.report.figures import style
from holdfast.report.figures.style import COLUMN, GRID, INK, MUTED, PAGE, PAPER, arrow, in_house_style
from holdfast.report.renderers.terminal import plain

MOST_STATES, MOST_EDGES, MOST_GUARDS = 12, 40, len(ascii_lowercase)
"""Past these a picture says less than the text."""

ANY = "⊤"

FONT, LINE = 7.5, 0.15
"""Size of all text in points, and inches from one line to the next."""

MARGIN, ENTRY, GAP = 0.1, 0.38, 0.4
"""Inches around a panel, for the arrow into the initial state, and between two panels."""

LOOP, BEND, LANE = 0.34, 0.11, 0.25
"""Inches that loops rise, that pairs of edges bend, and from lane to lane."""

KEY, TITLED = 0.18, 0.8
"""Inches from a sign in the key to what it means, and how wide plain text is to that of a title."""

SPACE = 0.03
"""Inches between an edge and what is written on it."""

SPOTS = np.array([0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72])
"""Where a mark may stand along an edge below the row, best first."""

NO_POINTS = np.zeros((0, 2))

Arc = tuple[int, int]
"""An edge: the states that it leads from and to."""

_width = partial(text_width, size=FONT)


@in_house_style
def automata(panels: Sequence[tuple[SafetyAutomaton, str]]) -> Figure:
    """Automata, each under its label, side by side where the page is wide enough.

    One that is not drawn has the reason in its place (see :func:`illegible`).
    """
    rows: list[list[Panel]] = []
    for panel in (_panel(*each) for each in panels):
        if rows and sum(p.width + GAP for p in rows[-1]) + panel.width <= PAGE:
            rows[-1].append(panel)
        else:
            rows.append([panel])
    heights = [max(p.above for p in row) + max(p.below for p in row) for row in rows]
    width = max([sum(p.width + GAP for p in row) - GAP for row in rows])
    height = sum(heights) + GAP / 2 * (len(rows) - 1) + 2 * MARGIN
    figure, axes = style.canvas((0.0, -height), (width, 0.0))
    top = -MARGIN
    for row, tall in zip(rows, heights, strict=True):
        left = 0.0
        for panel in row:
            _draw(axes, panel, left, top - max(p.above for p in row), top)
            left += panel.width + GAP
        top -= tall + GAP / 2
    return figure


def illegible(automaton: SafetyAutomaton) -> str | None:
    """Why an automaton is better read as text, or None if it can be drawn."""
    if automaton.n_states > MOST_STATES:
        return f"{automaton.n_states:,} states; a picture is legible up to {MOST_STATES}"
    n_edges = sum(len(set(row)) for row in automaton.delta)
    if n_edges > MOST_EDGES:
        return f"{n_edges:,} edges; a picture is legible up to {MOST_EDGES}"
    n_guards = len({str(guard) for _, _, guard in automaton.edges()})
    if n_guards > MOST_GUARDS:
        return f"{n_guards:,} different guards; a picture is legible up to {MOST_GUARDS}"
    return None


# -- what goes where --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """One automaton, laid out; its origin is the centre of the initial state, its unit the inch.

    Attributes:
        title: lines above the picture.
        key: lines below it, each with the sign that it explains: what letters stand for, or why there is no
            picture.
        names: what is written in each state.
        shaded: for each state, whether it is violating.
        x: where each state stands in the row.
        radius: of the states.
        marks: what is written on each edge.
        lanes: the lane of each edge that passes below the row, from 0.
        width: of the whole.
    """

    title: tuple[str, ...]
    key: tuple[tuple[str, str], ...]
    names: tuple[str, ...] = ()
    shaded: tuple[bool, ...] = ()
    x: tuple[float, ...] = ()
    radius: float = 0.0
    marks: Mapping[Arc, str] = field(default_factory=dict)
    lanes: Mapping[Arc, int] = field(default_factory=dict)
    width: float = COLUMN

    @property
    def above(self) -> float:
        """Inches from the top to the row."""
        loops = any(q == t for q, t in self.marks)
        return LINE * len(self.title) + self.radius + (LOOP + 1.6 * LINE if loops else LINE)

    @property
    def below(self) -> float:
        """Inches from the row to the bottom."""
        lanes = 0.05 + LANE * (1 + max(self.lanes.values(), default=-1)) + (LINE if self.lanes else 0)
        return self.radius + lanes + LINE * (0.6 + len(self.key))


def _panel(automaton: SafetyAutomaton, label: str) -> Panel:
    reason = illegible(automaton)
    if reason is not None:
        return Panel(_lines(label, TITLED * (COLUMN - 2 * MARGIN)), (("", f"not drawn: {reason}"),))
    n = automaton.n_states
    names = tuple(shortened(name, 12 if n <= 6 else 7 if n <= 8 else 4) for name in automaton.states)
    radius = min(max(0.17, max(map(_width, names)) / 2 + 0.05), (PAGE - 2 * MARGIN - ENTRY) / (2 * n) - 0.12)
    guards = {(q, t): ANY if str(guard) == "true" else plain(str(guard)) for q, t, guard in automaton.edges()}
    widest = (PAGE - 2 * MARGIN - ENTRY - 2 * radius) / max(1, n - 1)
    room = min(1.3, widest - 2 * radius - 0.24)
    written = {text for text in guards.values() if text == ANY or _width(text) <= room}
    longest = max(map(_width, written), default=0.0)
    pitch = min(widest, max(2 * radius + 0.6, 2 * radius + 0.24 + longest))
    # A letter for each guard that is not written out, none that is itself a guard in the picture.
    free = iter(letter for letter in ascii_lowercase if letter not in written)
    letters = {text: next(free) for text in dict.fromkeys(guards.values()) if text not in written}
    x = [0.0] * n
    for place, q in enumerate(_order(automaton)):
        x[q] = place * pitch
    marks = {edge: letters.get(text, text) for edge, text in guards.items()}
    width = max(ENTRY + 2 * radius + pitch * (n - 1) + 2 * MARGIN, COLUMN * 0.7)
    lines = {letter: _lines(text, width - 2 * MARGIN - KEY) for text, letter in letters.items()}
    key = [("" if i else letter, line) for letter, own in lines.items() for i, line in enumerate(own)]
    return Panel(
        title=_lines(label, TITLED * (width - 2 * MARGIN)),
        key=(*key, *(((ANY, "any letter"),) if ANY in written else ())),
        names=names,
        shaded=tuple(not accepting for accepting in automaton.accepting),
        x=tuple(x),
        radius=radius,
        marks=marks,
        lanes=_lanes([edge for edge in marks if abs(x[edge[0]] - x[edge[1]]) > 1.5 * pitch], x),
        width=width,
    )


def _order(automaton: SafetyAutomaton) -> list[int]:
    """States from left to right."""
    depth, level = {automaton.initial: 0}, [automaton.initial]
    while level:
        level = [t for t in dict.fromkeys(t for q in level for t in automaton.delta[q]) if t not in depth]
        depth |= dict.fromkeys(level, 1 + max(depth.values()))
    last = automaton.n_states

    def place(q: int) -> tuple[bool, bool, int, int]:
        return q != automaton.initial, not automaton.accepting[q], depth.get(q, last), q

    return sorted(range(automaton.n_states), key=place)


def _lanes(edges: Sequence[Arc], x: Sequence[float]) -> dict[Arc, int]:
    """A lane for each edge below the row: the first under every shorter edge that it passes."""
    spans = {edge: (min(x[q] for q in edge), max(x[q] for q in edge)) for edge in edges}
    lanes: dict[Arc, int] = {}
    for edge in sorted(edges, key=lambda edge: (spans[edge][1] - spans[edge][0], spans[edge], edge)):
        low, high = spans[edge]
        passed = [lane for other, lane in lanes.items() if low < spans[other][1] and spans[other][0] < high]
        lanes[edge] = 1 + max(passed, default=-1)
    return lanes


def _lines(text: str, width: float) -> tuple[str, ...]:
    """A text over up to three lines of so many inches, cut where it is longer."""
    safe = plain(text)
    whole = _width(safe)
    if whole <= width:
        return (safe,)
    per_line = max(8, int(len(safe) * width / whole))
    return tuple(textwrap.wrap(safe, per_line, max_lines=3, placeholder=" …"))


# -- curves -----------------------------------------------------------------------------------------


def _curve(panel: Panel, arc: Arc) -> Floats:
    """The control points of an edge, from rim to rim."""
    q, t = arc
    if q == t:
        start, end = _rim(panel, q, 115), _rim(panel, q, 65)
        top = panel.radius + LOOP * 1.33
        return np.array([start, (panel.x[q] - 0.2, top), (panel.x[q] + 0.2, top), end])
    forward = panel.x[q] < panel.x[t]
    if arc in panel.lanes:
        start, end = _rim(panel, q, -55 if forward else -105), _rim(panel, t, -125 if forward else -75)
        depth = -(panel.radius + 0.05 + LANE * (1 + panel.lanes[arc]))
        control = (depth - start[1] / 4) * 4 / 3
        return np.array([start, (start[0], control), (end[0], control), end])
    if (t, q) not in panel.marks:
        return np.array([_rim(panel, q, 0 if forward else 180), _rim(panel, t, 180 if forward else 0)])
    start, end = _rim(panel, q, 28 if forward else 208), _rim(panel, t, 152 if forward else 332)
    side = 1 if forward else -1
    return np.array([start, ((start[0] + end[0]) / 2, start[1] + side * 2 * BEND), end])


def _rim(panel: Panel, q: int, degrees: float) -> tuple[float, float]:
    angle = np.radians(degrees)
    return panel.x[q] + panel.radius * float(np.cos(angle)), panel.radius * float(np.sin(angle))


def _places(panel: Panel, curves: Mapping[Arc, Floats]) -> Iterator[tuple[str, float, float]]:
    """Each mark and its centre: above the middle of its edge, or below it, or aside where others pass."""
    steps = np.linspace(0.0, 1.0, 65)
    dots = {arc: BezierSegment(curves[arc])(steps) for arc in panel.lanes}
    taken: list[tuple[Floats, Floats]] = []
    for arc, curve in curves.items():
        if arc in panel.lanes:
            half = np.array([_width(panel.marks[arc]) / 2 + SPACE, LINE / 2])
            others = np.concatenate([NO_POINTS, *(points for other, points in dots.items() if other != arc)])
            spots = BezierSegment(curve)(SPOTS) - np.array([0.0, SPACE + LINE / 2])
            x, y = min(spots, key=partial(_crowded, half=half, others=others, taken=tuple(taken)))
            taken.append((np.array([x, y]), half))
        else:
            x, y = BezierSegment(curve)(SPOTS[0])
            back = len(curve) == 3 and panel.x[arc[0]] > panel.x[arc[1]]
            y += -SPACE - LINE / 2 if back else SPACE + LINE / 2
        yield panel.marks[arc], float(x), float(y)


def _crowded(spot: Floats, half: Floats, others: Floats, taken: Sequence[tuple[Floats, Floats]]) -> int:
    """How much is in the way of a mark at a spot: points of other edges, and ten for each other mark."""
    passing = int((np.abs(others - spot) < half).all(axis=1).sum())
    return passing + 10 * sum(bool((np.abs(place - spot) < half + size).all()) for place, size in taken)


# -- drawing ----------------------------------------------------------------------------------------


def _draw(axes: Axes, panel: Panel, left: float, row: float, top: float) -> None:
    """A panel with its row of states at one height and its title at the top."""
    for i, line in enumerate(panel.title):
        axes.text(left + MARGIN, top - LINE * i, line, va="top", fontsize=FONT + 0.5, fontweight="bold")
    depth = row - panel.below + LINE * len(panel.key)
    indent = KEY if panel.x else 0.0
    for i, (sign, line) in enumerate(panel.key):
        y, slant = depth - LINE * i, _slant(panel, sign)
        axes.text(left + MARGIN, y, sign, va="top", fontsize=FONT, fontstyle=slant)
        axes.text(left + MARGIN + indent, y, line, va="top", fontsize=FONT)
    if not panel.x:
        return
    x, edge = left + MARGIN + ENTRY + panel.radius, left + MARGIN
    arrow(axes, np.array([(edge, row), (edge + ENTRY, row)]), INK)
    curves = {arc: _curve(panel, arc) for arc in panel.marks}
    for curve in curves.values():
        arrow(axes, curve + np.array([x, row]), MUTED)
    for mark, along, up in _places(panel, curves):
        slant = _slant(panel, mark)
        axes.text(x + along, row + up, mark, ha="center", va="center", fontsize=FONT, fontstyle=slant)
    for along, name, shaded in zip(panel.x, panel.names, panel.shaded, strict=True):
        _state(axes, (x + along, row), panel.radius, name, shaded)


def _slant(panel: Panel, sign: str) -> Literal["italic", "normal"]:
    """Letters of the key lean, so that none is taken for a guard."""
    return "italic" if sign != ANY and any(sign == letter for letter, _ in panel.key) else "normal"


def _state(axes: Axes, place: tuple[float, float], radius: float, name: str, violating: bool) -> None:
    fill = GRID if violating else PAPER
    axes.add_patch(Circle(place, radius, facecolor=fill, edgecolor=INK, linewidth=0.9, zorder=3))
    if not violating:
        axes.add_patch(Circle(place, radius - 0.03, facecolor="none", edgecolor=INK, linewidth=0.6, zorder=3))
    size = FONT * min(1.0, (2 * radius - 0.08) / max(_width(name), 0.01))
    axes.text(*place, name, ha="center", va="center", fontsize=size, zorder=4)
