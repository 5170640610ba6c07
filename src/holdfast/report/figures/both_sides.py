"""Both sides of the game in one picture: the lost region by forced depth, the winning region by effort.

Or by how soon a goal is reached, such as that the attacker is out (:func:`both_sides_to_goal`): never, late,
soon, at once.

From left to right positions get better for the defender: lost in one move, in two, …; then, past the border
of the winning region, held for ever only by interventions without end, by many, by few, and by idling alone.
Deep shells and large efforts, those next to the border, are gathered where there are too many to tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from holdfast.game import NEVER, LayerCounts, percent
from holdfast.readings import Analysis, Entry
from holdfast.report.drawing.text import shortened
from holdfast.report.figures import style
from holdfast.report.figures.style import INK, MUTED, PAPER, in_house_style

LOST = ("#8c2d04", "#c2541a", "#e0812b", "#f5a95b", "#fdd49e")
"""Lost in 1 move, in 2, …; the last is for all deeper ones."""

HELD = ("#a6cbe3", "#6fb0d6", "#3f8fc2", "#1f6ba0", "#0b3f68", "#4b3a70")
"""Held with an effort of 0, of 1, …; the last but one is for all larger ones, the last for unbounded ones."""


@dataclass(frozen=True)
class Stretch:
    """Positions that lie together in the picture: what they are called, how many, and their colour."""

    name: str
    n_positions: int
    colour: str


def lost_stretches(shells: Sequence[int]) -> list[Stretch]:
    """The lost positions by forced depth, the shallowest first.

    >>> [(part.name, part.n_positions) for part in lost_stretches((9, 8, 7, 6, 5, 4))]
    [('1', 9), ('2', 8), ('3', 7), ('4', 6), ('5+', 9)]
    """
    room = len(LOST)
    sizes = list(shells) if len(shells) <= room else [*shells[: room - 1], sum(shells[room - 1 :])]
    names = [str(k) for k in range(1, len(sizes) + 1)]
    if len(shells) > room:
        names[-1] += "+"
    return [Stretch(*part) for part in zip(names, sizes, LOST, strict=False)]


def held_stretches(efforts: LayerCounts) -> list[Stretch]:
    """The winning positions by effort, the hardest to hold first.

    >>> [(part.name, part.n_positions) for part in held_stretches(LayerCounts(((0, 9), (2, 4)), 1))]
    [('∞', 1), ('2', 4), ('0', 9)]
    >>> [part.name for part in held_stretches(LayerCounts(tuple((m, 1) for m in range(9)), 0))]
    ['4+', '3', '2', '1', '0']
    """
    room, finite = len(HELD) - 1, list(efforts.finite)
    shown = finite if len(finite) <= room else finite[: room - 1]
    stretches = [Stretch(str(m), n, colour) for (m, n), colour in zip(shown, HELD, strict=False)]
    if len(finite) > room:
        rest = finite[room - 1 :]
        stretches.append(Stretch(f"{rest[0][0]}+", sum(n for _, n in rest), HELD[room - 1]))
    if efforts.unbounded:
        stretches.append(Stretch("∞", efforts.unbounded, HELD[-1]))
    return stretches[::-1]


def recovering_stretches(layers: Sequence[int], n_winning: int) -> list[Stretch]:
    """The winning positions by the moves to a goal, those that never reach it first; large numbers together.

    >>> [(part.name, part.n_positions) for part in recovering_stretches((9, 4, 3), 20)]
    [('never', 4), ('2', 3), ('1', 4), ('0', 9)]
    >>> [part.name for part in recovering_stretches((1,) * 13, 13)]
    ['10–12', '7–9', '4–6', '1–3', '0']
    """
    room = len(HELD) - 2
    width = max(1, -(-(len(layers) - 1) // room))
    stretches = [Stretch("0", layers[0], HELD[0])] if layers else []
    for colour, first in zip(HELD[1:-1], range(1, len(layers), width), strict=False):
        last = min(first + width, len(layers)) - 1
        name = str(first) if first == last else f"{first}–{last}"
        stretches.append(Stretch(name, sum(layers[first : last + 1]), colour))
    if n_winning > sum(layers):
        stretches.append(Stretch(NEVER, n_winning - sum(layers), HELD[-1]))
    return stretches[::-1]


@in_house_style
def both_sides(entry: Entry) -> Figure:
    """One design: a column for each depth and each effort, as shares of what does not violate yet."""
    analysis = entry.analysis
    if analysis.layers is None:
        return style.no_data("efforts were not computed")
    return _in_columns(analysis, held_stretches(analysis.layers.efforts), "held: effort it takes")


@in_house_style
def both_sides_to_goal(entry: Entry, goal: str) -> Figure:
    """One design: a column for each depth, and for how soon a goal is reached."""
    analysis, profile = entry.analysis, entry.analysis.recovery.get(goal)
    if profile is None or not profile.layers:
        return style.no_data("how soon the goal is reached was not computed")
    held = recovering_stretches(profile.layers, analysis.winning)
    return _in_columns(analysis, held, f"held: moves until {goal}")


def _in_columns(analysis: Analysis, held: Sequence[Stretch], title: str) -> Figure:
    """The lost positions by depth to the left of the border, and winning ones to its right."""
    n_open, lost = analysis.positions - analysis.unsafe, lost_stretches(analysis.shells)
    if not n_open:
        return style.no_data("no position to draw")
    figure = Figure(figsize=(1.2 * style.COLUMN, 2.5), layout="constrained")
    axes = figure.add_subplot()
    places = [*range(-len(lost), 0), *range(1, len(held) + 1)]
    for x, part in zip(places, [*lost, *held], strict=True):
        share = float(Fraction(part.n_positions, n_open))
        axes.bar(x, share, width=0.86, color=part.colour, edgecolor=PAPER, lw=0.6)
        axes.annotate(
            percent(share), (x, share), (0, 2), textcoords="offset points", ha="center", fontsize=6, color=INK
        )
    axes.axvline(0, color=MUTED, lw=0.9, dashes=(3, 2))
    axes.set_xticks(places, [part.name for part in (*lost, *held)])
    wide = max((len(part.name) for part in (*lost, *held)), default=1) > 3
    axes.tick_params(axis="x", length=0, labelsize=6.5 if wide else None)
    axes.set_xlim(-len(lost) - 0.7, len(held) + 0.7)
    _title(axes, "lost: moves to a violation", -(len(lost) + 1) / 2, bool(lost))
    _title(axes, title, (len(held) + 1) / 2, bool(held))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f}%"))
    axes.set_ylabel("share of the positions\nthat do not violate yet", fontsize=7)
    axes.margins(y=0.14)
    return figure


def _title(axes: Axes, text: str, x: float, shown: bool) -> None:
    """What one side is, under its columns."""
    if shown:
        where = axes.get_xaxis_transform()
        axes.text(x, -0.13, text, transform=where, ha="center", va="top", fontsize=7.5)


@in_house_style
def both_sides_of_all(entries: Sequence[Entry]) -> Figure:
    """All designs: a bar for each, the lost part to the left of the border and the held part to the right."""
    drawn = [entry for entry in entries if entry.analysis.layers is not None]
    if not drawn:
        return style.no_data("efforts were not computed")
    figure = Figure(figsize=(style.PAGE, 1.15 + 0.34 * len(drawn)), layout="constrained")
    axes = figure.add_subplot()
    legend: dict[tuple[bool, str], str] = {}
    reach = 0.0
    for row, entry in enumerate(drawn):
        analysis = entry.analysis
        n_open = analysis.positions - analysis.unsafe
        assert analysis.layers is not None
        sides = (-1, lost_stretches(analysis.shells)[::-1]), (1, held_stretches(analysis.layers.efforts))
        for sign, parts in sides if n_open else ():
            edge = 0.0
            for part in parts:
                share = float(Fraction(part.n_positions, n_open))
                axes.barh(
                    row, sign * share, left=sign * edge, color=part.colour, ec=PAPER, lw=0.4, height=0.72
                )
                legend[sign > 0, part.name] = part.colour
                edge += share
            reach = max(reach, edge)
    axes.axvline(0, color=INK, lw=0.9)
    axes.set_yticks(range(len(drawn)), [shortened(entry.label, 22) for entry in drawn])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(drawn) - 0.5, -0.5)
    axes.set_xlim(-1.03 * reach or -1, 1.03 * reach or 1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{abs(100 * share):.0f}%"))
    axes.set_xlabel("← lost · share of the positions that do not violate yet · held →")
    _legends(figure, legend)
    return figure


def _legends(figure: Figure, legend: dict[tuple[bool, str], str]) -> None:
    """Depths above the left side and efforts above the right, each in their order."""
    for held in (False, True):
        names = sorted((name for side, name in legend if side == held), key=_order)
        patches = [Patch(facecolor=legend[held, name], edgecolor=PAPER, label=name) for name in names]
        if patches:
            figure.legend(
                handles=patches,
                loc="outside upper right" if held else "outside upper left",
                ncols=len(patches),
                title="held with effort" if held else "lost in moves",
                handlelength=1.0,
                columnspacing=0.9,
            )


def _order(name: str) -> float:
    return float("inf") if name == "∞" else float(name.rstrip("+"))
