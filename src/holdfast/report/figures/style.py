"""One look for all figures, in a context: matplotlib's global settings are the same afterwards as before.

A series is told apart in four ways at once: hue (after Okabe and Ito, and Tol), lightness, line style and
marker or hatch, so that it reads with any colour vision and in grey. Figures are ``Figure`` objects of their
own; pyplot and its global state are never imported. Text is literal: names come from files, and a ``$`` or a
``_`` in one is not mathematics. The same figure always gives the same bytes, as a file or as text for a page.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec
from xml.etree import ElementTree

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path as Line

from holdfast.report.drawing.text import shortened

COLUMN, PAGE = 3.5, 7.0
"""Widths in inches of a column and of a page's text."""

INK, MUTED, GRID, PAPER = "#1a1a1c", "#5e5e66", "#d4d4da", "#fdfdfe"
"""Neutral colours, which a page may replace by its own: no other element of a figure has these values."""

ON_LIGHT, ON_DARK = "#111111", "#ffffff"
"""Text on a filled area, which keeps its colour whatever the page."""

SERIES = ("#0072b2", "#e69f00", "#882255", "#009e73", "#332288", "#cc79a7")
DARK_SERIES = ("#56b4e9", "#f0c04a", "#e0659c", "#2fc296", "#a79bff", "#f5b5d6")
"""The colours of series on a light page, and the lighter ones of these hues for a dark page."""

ADDED, REMOVED = SERIES[0], "#d55e00"
"""What is in one of two pictures only."""

BREAKER = "#c8102e"
"""What must never be added."""

MARKERS = ("o", "s", "^", "D", "v", "<", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1.2)))

TICKS = {"labelsize": 7.5, "color": MUTED, "labelcolor": INK}
TICKS |= {"major.size": 2.5, "major.width": 0.7, "minor.size": 1.5}
SETTINGS: dict[Any, Any] = {
    # Where text is measured for the layout: coarser grids round its width by several per cent.
    "figure.dpi": 200,
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.5,
    "legend.fontsize": 7.5,
    "text.color": INK,
    "text.parse_math": False,
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "lines.markersize": 4.5,
    "patch.linewidth": 0.7,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "figure.facecolor": "none",
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "holdfast",
    **{f"{axis}tick.{name}": value for axis in "xy" for name, value in TICKS.items()},
}

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"

REFERENCE = re.compile(r"url\(#([^)]+)\)")
COLOUR = re.compile(r"(?<![\w-])(fill|stroke): (#[0-9a-f]{6})(?![0-9a-f])")
DECIMALS = re.compile(r"-?\d+\.\d{3,}")

ADAPTIVE = {
    INK: "currentColor",
    MUTED: "color-mix(in srgb, currentColor 70%, transparent)",
    GRID: "color-mix(in srgb, currentColor 20%, transparent)",
    PAPER: "var(--figure-paper, #ffffff)",
    **{colour: f"var(--figure-{i}, {colour})" for i, colour in enumerate(SERIES, 1)},
}
"""What each colour becomes in a page that is light or dark."""

Parameters = ParamSpec("Parameters")

Curve = npt.NDArray[np.float64]
"""The control points of a line, parabola or cubic, shape (2, 2), (3, 2) or (4, 2)."""


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
            if (engine := figure.get_layout_engine()) is not None:
                engine.execute(figure)
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


def canvas(low: Sequence[float], high: Sequence[float], below: float = 0.0) -> tuple[Figure, Axes]:
    """A figure whose units are inches, from one corner to the other, with so much room below it."""
    width, height = high[0] - low[0], high[1] - low[1] + below
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0.0, below / height, 1.0, 1.0 - below / height))
    axes.set_axis_off()
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    return figure, axes


def arrow(axes: Axes, curve: Curve, color: str, heads: str = "-|>", **more: Any) -> None:
    """An arrow along a curve, on axes whose units are inches."""
    code = {2: Line.LINETO, 3: Line.CURVE3, 4: Line.CURVE4}[len(curve)]
    path = Line(curve, [Line.MOVETO, *[code] * (len(curve) - 1)])
    look: dict[str, Any] = {"arrowstyle": f"{heads},head_length=0.42,head_width=0.17", "mutation_scale": 11.0}
    look |= {"color": color, "linewidth": 0.9, "zorder": 2}
    axes.add_artist(FancyArrowPatch(path=path, **(look | more)))


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


# -- files ------------------------------------------------------------------------------------------


def save_figure(figure: Figure, stem: Path) -> None:
    """Write ``stem`` with the endings .svg and .png, on white."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    vector, raster = (stem.with_name(stem.name + ending) for ending in (".svg", ".png"))
    vector.write_text(svg_document(figure), "utf-8")
    with look():
        figure.savefig(
            raster, format="png", dpi=SETTINGS["savefig.dpi"], facecolor="white", metadata={"Software": None}
        )


def picture_bytes(figure: Figure, ending: str) -> bytes:
    """A figure on white as a file: svg, png or pdf."""
    if ending == "svg":
        return svg_document(figure).encode()
    raw = io.BytesIO()
    unsaid = {"Software": None} if ending == "png" else {"CreationDate": None}
    with look():
        figure.savefig(raw, format=ending, dpi=SETTINGS["savefig.dpi"], facecolor="white", metadata=unsaid)
    return raw.getvalue()


def svg_text(figure: Figure, prefix: str = "") -> str:
    """An ``svg`` element to stand inside an HTML page, on a transparent ground.

    Neutral ink is ``currentColor`` and the series are ``--figure-1``, ``--figure-2``, …, which a dark page
    sets to :data:`DARK_SERIES`, and ``--figure-paper`` to its background.

    Args:
        figure: to draw.
        prefix: goes before every id, so that several figures in one page do not collide.
    """
    for name, address in (("", SVG), ("xlink", XLINK)):
        ElementTree.register_namespace(name, address)
    root = ElementTree.fromstring(svg_document(figure, "none"))
    for parent in list(root.iter()):
        for name in ("metadata", "style"):
            for element in parent.findall(f"{{{SVG}}}{name}"):
                parent.remove(element)
    for element in root.iter():
        _rewrite(element, prefix)
    # The lines' ends and joins, from a style sheet that would have applied to the whole page.
    root.set("style", "max-width: 100%; height: auto; stroke-linejoin: round; stroke-linecap: butt")
    return ElementTree.tostring(root, encoding="unicode")


def svg_document(figure: Figure, ground: str = "white") -> str:
    """A whole SVG document, on white or another ground."""
    text = io.StringIO()
    with look():
        figure.savefig(text, format="svg", facecolor=ground, metadata={"Date": None, "Creator": "Holdfast"})
    return text.getvalue()


def _rewrite(element: ElementTree.Element, prefix: str) -> None:
    for name, value in element.attrib.items():
        if name == "id":
            value = prefix + value
        elif name in ("href", f"{{{XLINK}}}href") and value.startswith("#"):
            value = f"#{prefix}{value[1:]}"
        elif name in ("clip-path", "style", "fill", "mask"):
            value = REFERENCE.sub(rf"url(#{prefix}\1)", value)
        elif name == "d":
            value = DECIMALS.sub(lambda found: f"{float(found[0]):.2f}", value)
        if name == "style":
            value = COLOUR.sub(lambda found: f"{found[1]}: {ADAPTIVE.get(found[2], found[2])}", value)
        element.set(name, value)
