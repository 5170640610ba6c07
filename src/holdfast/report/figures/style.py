"""One look for all figures, in a context: matplotlib's global settings are the same afterwards as before.

A series is told apart in four ways at once: hue (after Okabe and Ito, and Tol), lightness, line style and
marker or hatch, so that it reads with any colour vision and in grey. Figures are ``Figure`` objects of their
own; pyplot and its global state are never imported. Text is literal: names come from files, and a ``$`` or a
``_`` in one is not mathematics.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec

import matplotlib
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from holdfast.report.terminal import plain

COLUMN, PAGE = 3.5, 7.0
"""Widths in inches of a column and of a page's text."""

INK, MUTED, GRID, PAPER = "#1a1a1c", "#5e5e66", "#d4d4da", "#fdfdfe"
"""Neutral colours, which a page may replace by its own: no other element of a figure has these values."""

ON_LIGHT, ON_DARK = "#111111", "#ffffff"
"""Text on a filled area, which keeps its colour whatever the page."""

SERIES = ("#0072b2", "#e69f00", "#882255", "#009e73", "#332288", "#cc79a7")
DARK_SERIES = ("#56b4e9", "#f0c04a", "#e0659c", "#2fc296", "#a79bff", "#f5b5d6")
"""The same hues for a dark page."""

MARKERS = ("o", "s", "^", "D", "v", "<", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1.2)))

SETTINGS: dict[Any, Any] = {
    # Where text is measured for the layout: coarser grids round its width by several per cent.
    "figure.dpi": 200,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "text.color": INK,
    "text.parse_math": False,
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.grid": False,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "lines.scale_dashes": True,
    "patch.linewidth": 0.7,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "figure.facecolor": "none",
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "holdfast",
}

Parameters = ParamSpec("Parameters")


@dataclass(frozen=True)
class Series:
    """How one series looks."""

    colour: str
    marker: str
    dashes: Any

    def line(self, label: str, **more: Any) -> Line2D:
        """An entry of a legend."""
        look: dict[str, Any] = {"color": self.colour, "ls": self.dashes, "marker": self.marker}
        return Line2D([], [], mec=PAPER, mew=0.6, label=label, **(look | more))


def series(index: int) -> Series:
    """The look of a series; the first 30 are all different, and more than any figure can show at once.

    >>> series(0).colour, series(0).marker
    ('#0072b2', 'o')
    """
    return Series(SERIES[index % len(SERIES)], MARKERS[index % len(MARKERS)], DASHES[index % len(DASHES)])


@contextmanager
def look() -> Iterator[None]:
    """Matplotlib with the settings of the house, whatever the user's own file says."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A name may have letters that the font lacks: the SVG shows them, the PNG a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        matplotlib.rcdefaults()
        with matplotlib.rc_context(SETTINGS):
            yield


def in_house_style(draw: Callable[Parameters, Figure]) -> Callable[Parameters, Figure]:
    """Have a drawing function run inside :func:`look`, and what it drew laid out once and for all.

    A second layout would start from the first and differ in the last digits, hence in the file.
    """

    @wraps(draw)
    def styled(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Figure:
        with look():
            figure = draw(*args, **kwargs)
            if figure.get_layout_engine() is not None:
                figure.draw_without_rendering()
                figure.set_layout_engine("none")
            return figure

    return styled


def legend_below(figure: Figure, handles: Sequence[Artist], columns: int) -> None:
    """A legend under everything else, if there is anything to explain."""
    if handles:
        ncols = min(columns, len(handles))
        figure.legend(handles=handles, loc="outside lower center", ncols=ncols, columnspacing=1.6)


def no_data(reason: str) -> Figure:
    """A figure that says why there is nothing in it."""
    figure = Figure(figsize=(COLUMN, 0.8))
    figure.text(0.5, 0.5, reason, ha="center", va="center", color=MUTED)
    return figure


def shortened(text: str, length: int = 24) -> str:
    """A name from a file, made safe to draw and cut in the middle if it is too long.

    >>> shortened("no-bypass"), shortened("a-rather-long-name-of-a-design", 16), shortened("two" + chr(10))
    ('no-bypass', 'a-rather…-design', 'two·')
    """
    safe = plain(text).strip() or "–"
    if len(safe) <= length:
        return safe
    tail = (length - 1) // 2
    return f"{safe[: length - 1 - tail]}…{safe[-tail:]}"


def wrapped(text: str, width: int, lines: int) -> str:
    r"""A name from a file over a few lines, broken where it has a space or a hyphen.

    >>> wrapped("unlimited-destroys", 12, 2)
    'unlimited-\ndestroys'
    """
    room = max(width, 6)
    safe = shortened(text, room * lines)
    parts = textwrap.wrap(safe, room)
    if len(parts) > lines:
        parts = [safe[i : i + room] for i in range(0, len(safe), room)]
    return "\n".join(parts)
