"""Where the positions that do not violate yet lie: won, or lost within so many moves (sec:shells)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from holdfast.compare import Entry
from holdfast.report.figures.style import (
    ON_DARK,
    ON_LIGHT,
    PAGE,
    PAPER,
    in_house_style,
    power_of_ten,
    series,
    shortened,
)

CLASSES = (
    ("#a6cbe3", ON_LIGHT, ""),
    ("#8c2d04", ON_DARK, ""),
    ("#e0812b", ON_LIGHT, "////"),
    ("#fdd49e", ON_LIGHT, "...."),
    ("#fff3dc", ON_LIGHT, "xxxx"),
)
"""Fill, text and hatch of the winning region and of the shells, the deepest folded into the last."""


@in_house_style
def decomposition(entries: Sequence[Entry]) -> Figure:
    """Stacked bars: W and the shells as shares of the |V| − |U| positions that do not violate yet."""
    figure = Figure(figsize=(PAGE, 0.9 + 0.36 * len(entries)))
    axes = figure.add_subplot()
    depth = max((len(entry.shells) for entry in entries), default=0)
    names = class_names(depth)
    for row, entry in enumerate(entries):
        left = 0.0
        for share, (fill, _, hatch) in zip(shares(entry, depth), CLASSES, strict=False):
            axes.barh(row, share, left=left, color=fill, hatch=hatch, edgecolor=PAPER, height=0.7)
            left += share
    for name, (fill, _, hatch) in zip(names, CLASSES, strict=False):
        axes.barh([0], [0], color=fill, hatch=hatch, label=name)
    axes.set_yticks(range(len(entries)), [shortened(entry.label) for entry in entries])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}".replace("%", " %")))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(names))
    return figure


def class_names(depth: int) -> list[str]:
    """What the parts of a bar are, for shells up to rank ``depth``.

    >>> class_names(2)
    ['winning', 'rank 1', 'rank 2']
    >>> class_names(60)[-1]
    'ranks 4 to 60'
    """
    room = len(CLASSES) - 1
    names = ["winning", *(f"rank {k}" for k in range(1, min(depth, room) + 1))]
    if depth > room:
        names[-1] = f"ranks {room} to {depth}"
    return names


def shares(entry: Entry, depth: int) -> list[float]:
    """The parts of a bar; counts of any size are divided exactly."""
    n_open = entry.positions - entry.unsafe
    room = len(CLASSES) - 1
    sizes = [entry.winning, *entry.shells[: room - 1], sum(entry.shells[room - 1 :])]
    return [float(Fraction(size, n_open)) for size in sizes] if n_open else []


@in_house_style
def shell_profile(entries: Sequence[Entry]) -> Figure:
    """|Sh_k| by rank k, on a logarithmic scale."""
    figure = Figure(figsize=(0.75 * PAGE, 2.8))
    axes = figure.add_subplot()
    for i, entry in enumerate(entries):
        look = series(i)
        ranks = range(1, len(entry.shells) + 1)
        sizes = [math.log10(size) if size else math.nan for size in entry.shells]
        axes.plot(
            ranks, sizes, color=look.colour, ls=look.dashes, marker=look.marker, mec=PAPER, mew=0.6,
            label=shortened(entry.label),
        )  # fmt: skip
    axes.set_xlabel("rank k: moves within which the adversary forces a violation")
    axes.set_ylabel("positions in the shell, |Sh_k|")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda power, _: power_of_ten(round(power))))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
