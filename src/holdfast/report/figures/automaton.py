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
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from holdfast.logic.automata import SafetyAutomaton
from holdfast.report.figures.style import COLUMN, GRID, INK, MUTED, PAGE, PAPER, in_house_style, shortened
from holdfast.report.terminal import plain

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

NOWHERE = np.zeros((0, 2))

Arc = tuple[int, int]
"""An edge: the states that it leads from and to."""

Curve = npt.NDArray[np.float64]
"""The control points of a line, parabola or cubic, shape (2, 2), (3, 2) or (4, 2)."""


@in_house_style
def automaton(automaton: SafetyAutomaton, label: str) -> Figure:
    """One automaton under its label, or the reason why it is not drawn (see :func:`illegible`)."""
    return _figure([(automaton, label)])


@in_house_style
def automata(panels: Sequence[tuple[SafetyAutomaton, str]]) -> Figure:
    """Several automata, each under its label, side by side where the page is wide enough."""
    return _figure(panels)


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
        return Panel(_lines(label, TITLED * (COLUMN - 2 * MARGIN), 3), (("", f"not drawn: {reason}"),))
    n = automaton.n_states
    names = tuple(shortened(name, 12 if n <= 6 else 7 if n <= 8 else 4) for name in automaton.states)
    radius = min(
        max(0.17, max(map(_measured, names)) / 2 + 0.05), (PAGE - 2 * MARGIN - ENTRY) / (2 * n) - 0.12
    )
    guards = {(q, t): _guard_text(str(guard)) for q, t, guard in automaton.edges()}
    widest = (PAGE - 2 * MARGIN - ENTRY - 2 * radius) / max(1, n - 1)
    room = min(1.3, widest - 2 * radius - 0.24)
    written = {text for text in guards.values() if text == ANY or _measured(text) <= room}
    longest = max(map(_measured, written), default=0.0)
    pitch = min(widest, max(2 * radius + 0.6, 2 * radius + 0.24 + longest))
    letters = _letters(guards, written)
    x = [0.0] * n
    for place, q in enumerate(_order(automaton)):
        x[q] = place * pitch
    marks = {edge: letters.get(text, text) for edge, text in guards.items()}
    width = max(ENTRY + 2 * radius + pitch * (n - 1) + 2 * MARGIN, COLUMN * 0.7)
    key = [line for text, letter in letters.items() for line in _explained(letter, text, width)]
    return Panel(
        title=_lines(label, TITLED * (width - 2 * MARGIN), 3),
        key=(*key, *(((ANY, "any letter"),) if ANY in written else ())),
        names=names,
        shaded=tuple(not accepting for accepting in automaton.accepting),
        x=tuple(x),
        radius=radius,
        marks=marks,
        lanes=_lanes([edge for edge in marks if abs(x[edge[0]] - x[edge[1]]) > 1.5 * pitch], x),
        width=width,
    )


def _guard_text(text: str) -> str:
    return ANY if text == "true" else plain(text)


def _letters(guards: Mapping[Arc, str], written: set[str]) -> dict[str, str]:
    """A letter for each guard that is not written out, none that is itself a guard in the picture."""
    free = iter(letter for letter in ascii_lowercase if letter not in written)
    return {text: next(free) for text in dict.fromkeys(guards.values()) if text not in written}


def _explained(letter: str, text: str, width: float) -> Iterator[tuple[str, str]]:
    lines = _lines(text, width - 2 * MARGIN - KEY, 3)
    yield from zip((letter, *[""] * (len(lines) - 1)), lines, strict=True)


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
    found: dict[Arc, int] = {}
    for edge in sorted(edges, key=lambda edge: (spans[edge][1] - spans[edge][0], spans[edge], edge)):
        low, high = spans[edge]
        passed = [lane for other, lane in found.items() if low < spans[other][1] and spans[other][0] < high]
        found[edge] = 1 + max(passed, default=-1)
    return found


def _measured(text: str) -> float:
    """The width of a text in inches."""
    font = FontProperties(family="sans-serif", size=FONT)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def _lines(text: str, width: float, most: int = 2) -> tuple[str, ...]:
    """A text over a few lines of so many inches, cut where it is longer."""
    safe = plain(text)
    measured = _measured(safe)
    if measured <= width:
        return (safe,)
    per_line = max(8, int(len(safe) * width / measured))
    return tuple(textwrap.wrap(safe, per_line, max_lines=most, placeholder=" …"))


# -- curves -----------------------------------------------------------------------------------------


def _curve(panel: Panel, arc: Arc) -> Curve:
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


def _points(curve: Curve, at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Points of a curve, shape (n, 2), by de Casteljau's rule."""
    found = np.repeat(curve[:, None, :], len(at), axis=1)
    while len(found) > 1:
        found = found[:-1] * (1 - at)[None, :, None] + found[1:] * at[None, :, None]
    return np.asarray(found[0])


def _places(panel: Panel, curves: Mapping[Arc, Curve]) -> Iterator[tuple[str, float, float]]:
    """Each mark and its centre: above the middle of its edge, or below it, or aside where others pass."""
    steps = np.linspace(0.0, 1.0, 65)
    dots = {arc: _points(curves[arc], steps) for arc in panel.lanes}
    taken: list[tuple[Curve, Curve]] = []
    for arc, curve in curves.items():
        if arc in panel.lanes:
            half = np.array([_measured(panel.marks[arc]) / 2 + SPACE, LINE / 2])
            others = np.concatenate([NOWHERE, *(found for other, found in dots.items() if other != arc)])
            spots = _points(curve, SPOTS) - np.array([0.0, SPACE + LINE / 2])
            x, y = min(spots, key=partial(_crowded, half=half, others=others, taken=tuple(taken)))
            taken.append((np.array([x, y]), half))
        else:
            x, y = _points(curve, SPOTS[:1])[0]
            back = len(curve) == 3 and panel.x[arc[0]] > panel.x[arc[1]]
            y += -SPACE - LINE / 2 if back else SPACE + LINE / 2
        yield panel.marks[arc], float(x), float(y)


def _crowded(spot: Curve, half: Curve, others: Curve, taken: Sequence[tuple[Curve, Curve]]) -> int:
    """How much is in the way of a mark at a spot: points of other edges, and ten for each other mark."""
    passing = int((np.abs(others - spot) < half).all(axis=1).sum())
    return passing + 10 * sum(bool((np.abs(place - spot) < half + size).all()) for place, size in taken)


# -- drawing ----------------------------------------------------------------------------------------


def _figure(given: Sequence[tuple[SafetyAutomaton, str]]) -> Figure:
    rows: list[list[Panel]] = []
    for panel in (_panel(*each) for each in given):
        if rows and sum(p.width + GAP for p in rows[-1]) + panel.width <= PAGE:
            rows[-1].append(panel)
        else:
            rows.append([panel])
    heights = [max(p.above for p in row) + max(p.below for p in row) for row in rows]
    width = max([sum(p.width + GAP for p in row) - GAP for row in rows])
    height = sum(heights) + GAP / 2 * (len(rows) - 1) + 2 * MARGIN
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0.0, width)
    axes.set_ylim(-height, 0.0)
    top = -MARGIN
    for row, tall in zip(rows, heights, strict=True):
        left = 0.0
        for panel in row:
            _draw(axes, panel, left, top - max(p.above for p in row), top)
            left += panel.width + GAP
        top -= tall + GAP / 2
    return figure


def _draw(axes: Axes, panel: Panel, left: float, row: float, top: float) -> None:
    """A panel with its row of states at one height and its title at the top."""
    for i, line in enumerate(panel.title):
        axes.text(left + MARGIN, top - LINE * i, line, va="top", fontsize=FONT + 0.5, fontweight="bold")
    depth = row - panel.below + LINE * len(panel.key)
    for i, (sign, line) in enumerate(panel.key):
        axes.text(
            left + MARGIN, depth - LINE * i, sign, va="top", fontsize=FONT, fontstyle=_slant(panel, sign)
        )
        indent = KEY if panel.x else 0.0
        axes.text(left + MARGIN + indent, depth - LINE * i, line, va="top", fontsize=FONT)
    if not panel.x:
        return
    x, edge = left + MARGIN + ENTRY + panel.radius, left + MARGIN
    _arrow(axes, np.array([(edge, row), (edge + ENTRY, row)]), INK)
    curves = {arc: _curve(panel, arc) for arc in panel.marks}
    for curve in curves.values():
        _arrow(axes, curve + np.array([x, row]), MUTED)
    for mark, along, up in _places(panel, curves):
        slant = _slant(panel, mark)
        axes.text(x + along, row + up, mark, ha="center", va="center", fontsize=FONT, fontstyle=slant)
    for along, name, shaded in zip(panel.x, panel.names, panel.shaded, strict=True):
        _state(axes, (x + along, row), panel.radius, name, shaded)


def _slant(panel: Panel, sign: str) -> Literal["italic", "normal"]:
    """Letters of the key lean, so that none is taken for a guard."""
    return "italic" if sign != ANY and any(sign == letter for letter, _ in panel.key) else "normal"


def _arrow(axes: Axes, curve: Curve, colour: str) -> None:
    code = {2: Path.LINETO, 3: Path.CURVE3, 4: Path.CURVE4}[len(curve)]
    axes.add_artist(
        FancyArrowPatch(
            path=Path(curve, [Path.MOVETO, *[code] * (len(curve) - 1)]),
            arrowstyle="-|>,head_length=0.42,head_width=0.17",
            mutation_scale=11.0,
            shrinkA=0,
            shrinkB=0,
            color=colour,
            linewidth=0.9,
            zorder=2,
        )
    )


def _state(axes: Axes, place: tuple[float, float], radius: float, name: str, violating: bool) -> None:
    fill = GRID if violating else PAPER
    axes.add_patch(Circle(place, radius, facecolor=fill, edgecolor=INK, linewidth=0.9, zorder=3))
    if not violating:
        axes.add_patch(Circle(place, radius - 0.03, facecolor="none", edgecolor=INK, linewidth=0.6, zorder=3))
    size = FONT * min(1.0, (2 * radius - 0.08) / max(_measured(name), 0.01))
    axes.text(*place, name, ha="center", va="center", fontsize=size, zorder=4)
