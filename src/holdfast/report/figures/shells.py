"""Where the positions that do not violate yet lie: won, or lost within so many moves (sec:shells).

Counts may be larger than any float: shares are divided exactly, and the logarithmic scale is of logarithms
taken before drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter

from holdfast.game import count, percent, power_of_ten
from holdfast.readings import Entry
from holdfast.report.drawing.text import shortened
from holdfast.report.figures import style
from holdfast.report.figures.style import ON_DARK, ON_LIGHT, PAPER, in_house_style, series

CLASSES = (
    ("#a6cbe3", ON_LIGHT, ""),
    ("#8c2d04", ON_DARK, ""),
    ("#e0812b", ON_LIGHT, "////"),
    ("#fdd49e", ON_LIGHT, ""),
    ("#c2541a", ON_DARK, "xxxxx"),
)
"""Fill, text and hatch of the winning region and of the shells, the deepest folded into the last."""

DIGITS = 9
"""Of a count that is written out."""

NARROW = 0.075
"""A part of a bar with less than this share is labelled beside the bar."""


@in_house_style
def decomposition(entries: Sequence[Entry]) -> Figure:
    """Stacked bars: W and the shells as shares of the |V| − |U| positions that do not violate yet."""
    if not entries:
        return style.no_data("no design to draw")
    figure = Figure(figsize=(style.PAGE, 0.85 + 0.34 * len(entries)), layout="constrained")
    axes = figure.add_subplot()
    depth = max(len(entry.analysis.shells) for entry in entries)
    for row, entry in enumerate(entries):
        _bar(axes, row, entry, depth)
    axes.set_yticks(range(len(entries)), [shortened(entry.label, 22) for entry in entries])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(entries) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
    axes.set_xlabel("share of the positions that do not violate yet")
    names = class_names(depth)
    patches = [
        Patch(facecolor=fill, hatch=hatch, edgecolor=PAPER, label=name)
        for name, (fill, _, hatch) in zip(names, CLASSES, strict=False)
    ]
    figure.legend(handles=patches, loc="outside upper center", ncols=len(names), handlelength=1.6)
    return figure


def class_names(depth: int) -> list[str]:
    """What the parts of a bar are, for shells up to rank ``depth``.

    >>> class_names(2)
    ['winning', 'lost in 1 move', '2 moves']
    >>> class_names(60)[-1]
    '4 to 60 moves'
    """
    room = len(CLASSES) - 1
    names = [f"{k} move{'s' if k > 1 else ''}" for k in range(1, min(depth, room) + 1)]
    if depth > room:
        names[-1] = f"{room} to {depth} moves"
    return ["winning", *(name if i else f"lost in {name}" for i, name in enumerate(names))]


def class_sizes(entry: Entry, depth: int) -> list[int]:
    """The parts of a bar in positions, one for each of :func:`class_names`."""
    room = len(CLASSES) - 1
    winning, own = entry.analysis.winning, entry.analysis.shells
    shells = [*own, *[0] * (min(depth, room) - len(own))]
    if depth <= room:
        return [winning, *shells[:room]]
    return [winning, *shells[: room - 1], sum(shells[room - 1 :])]


def _bar(axes: Axes, row: int, entry: Entry, depth: int) -> None:
    n_open = entry.analysis.positions - entry.analysis.unsafe
    if not n_open:
        axes.text(0.01, row, "every position is already a violation", va="center", color=style.MUTED)
        return
    left, beside = 0.0, []
    for i, size in enumerate(class_sizes(entry, depth)):
        fill, ink, hatch = CLASSES[i]
        share = float(Fraction(size, n_open))
        edge = 0.6 if share >= NARROW else 0.0
        axes.barh(row, share, left=left, color=fill, hatch=hatch, edgecolor=PAPER, lw=edge, height=0.72)
        if share >= NARROW:
            label = f"{count(size, DIGITS)} · {percent(share)}" if share > 0.2 else percent(share)
            box: dict[str, Any] = {"boxstyle": "round,pad=0.15", "fc": fill, "ec": "none"} if hatch else {}
            place = (left + share / 2, row)
            axes.text(*place, label, ha="center", va="center", color=ink, fontsize=7, bbox=box or None)
        elif size:
            beside.append((i, size, share))
        left += share
    if beside:
        text = _beside(beside, depth)
        axes.annotate(text, (1, row), (5, 0), textcoords="offset points", va="center", fontsize=7)


def _beside(parts: Sequence[tuple[int, int, float]], depth: int) -> str:
    r"""The parts that are too narrow for a label inside, as words; two in a line.

    >>> _beside([(3, 256, 0.00512), (4, 384, 0.00768)], 4)
    'in 3: 256 · in 4: 384'
    >>> _beside([(1, 8, 0.08), (2, 10**12, 0.01), (4, 2, 2e-9)], 9)
    'in 1: 8 · in 2: 1.0%\nin 4 or more: 2'
    """
    room = len(CLASSES) - 1
    last = f"in {room}" if depth <= room else f"in {room} or more"
    names = ["winning", *(f"in {k}" for k in range(1, room)), last]
    words = [f"{names[i]}: {count(n) if n < 10**6 else percent(share)}" for i, n, share in parts]
    return "\n".join(" · ".join(words[i : i + 2]) for i in range(0, len(words), 2))


# -- profile ----------------------------------------------------------------------------------------


@in_house_style
def shell_profile(entries: Sequence[Entry]) -> Figure:
    """|Sh_k| by rank k, on a logarithmic scale; a design that loses nothing has no line."""
    depth = max((len(entry.analysis.shells) for entry in entries), default=0)
    if not depth:
        return style.no_data("no position outside the violation is lost")
    alone = len(entries) == 1
    figure = Figure(
        figsize=(style.COLUMN if alone else 0.85 * style.PAGE, 2.6 if alone else 2.9), layout="constrained"
    )
    axes = figure.add_subplot()
    # Few ranks leave room to stand the designs side by side, so that equal sizes do not hide each other.
    step = 0.3 / len(entries) if depth <= 12 else 0.0
    for i, entry in enumerate(entries):
        look, own = series(i), entry.analysis.shells
        ranks = [k + step * (i - (len(entries) - 1) / 2) for k in range(1, len(own) + 1)]
        powers = [math.log10(size) if size else math.nan for size in own]
        line = look.line(shortened(entry.label, 28), markevery=max(1, len(own) // 15), lw=1.1)
        line.set_data(ranks, powers)
        axes.add_line(line)
        for k, size in enumerate(own if alone and depth <= 8 else ()):
            at, off = (ranks[k], powers[k]), (5, -9 if k + 1 < depth and own[k + 1] > size else 4)
            axes.annotate(count(size, DIGITS), at, off, textcoords="offset points", fontsize=7)
    _logarithmic(axes, [size for entry in entries for size in entry.analysis.shells if size])
    room = max(0.5, 0.02 * depth)
    axes.set_xlim(1 - room, depth + room)
    every = next(n for n in (1, 2, 5, *(10**i for i in range(1, 9))) if depth // n <= 12)
    axes.xaxis.set_major_locator(FixedLocator(sorted({1, *range(every, depth + 1, every)})))
    axes.set_xlabel("rank k: moves to a forced violation")
    axes.set_ylabel("positions of rank k")
    axes.grid(axis="y")
    if not alone:
        figure.legend(loc="outside right center", labelspacing=0.7)
    return figure


def _logarithmic(axes: Axes, sizes: Sequence[int]) -> None:
    """Ticks of a logarithmic scale on an axis of logarithms."""
    low, high = math.log10(min(sizes)), math.log10(max(sizes))
    room = max(0.08 * (high - low), 0.15)
    axes.set_ylim(low - room, high + room)
    powers = range(max(0, math.floor(low - room)), math.ceil(high + room) + 1)
    axes.yaxis.set_major_locator(FixedLocator(powers[:: max(1, len(powers) // 7)]))
    if len(powers) <= 7:
        minor = [power + math.log10(digit) for power in powers for digit in range(2, 10)]
        axes.yaxis.set_minor_locator(FixedLocator(minor))
    if high - low < 1:
        axes.yaxis.set_minor_formatter(FuncFormatter(lambda power, _: count(round(10**power), DIGITS)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda power, _: _power(round(power))))


def _power(exponent: int) -> str:
    return f"{10**exponent:,}" if exponent <= 6 else power_of_ten(exponent)
