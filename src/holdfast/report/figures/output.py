"""Figures as files and as text for a page; the same figure always gives the same bytes."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

from matplotlib.figure import Figure

from holdfast.report.figures.style import GRID, INK, MUTED, PAPER, SERIES, look

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DPI = 200

_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_COLOUR = re.compile(r"(?<![\w-])(fill|stroke): (#[0-9a-f]{6})(?![0-9a-f])")
_DECIMALS = re.compile(r"-?\d+\.\d{3,}")

ADAPTIVE = {
    INK: "currentColor",
    MUTED: "color-mix(in srgb, currentColor 70%, transparent)",
    GRID: "color-mix(in srgb, currentColor 20%, transparent)",
    PAPER: "var(--figure-paper, #ffffff)",
    **{colour: f"var(--figure-{i}, {colour})" for i, colour in enumerate(SERIES, 1)},
}
"""What each colour becomes in a page that is light or dark."""


def save(figure: Figure, stem: Path) -> None:
    """Write ``stem`` with the endings .svg and .png, on white."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    vector, raster = (stem.with_name(stem.name + ending) for ending in (".svg", ".png"))
    vector.write_text(svg_document(figure), "utf-8")
    with look():
        figure.savefig(raster, format="png", dpi=DPI, facecolor="white", metadata={"Software": None})


def svg_text(figure: Figure, prefix: str = "") -> str:
    """An ``svg`` element to stand inside an HTML page, on a transparent ground.

    Neutral ink is ``currentColor`` and the series are ``--figure-1``, ``--figure-2``, …, which a dark page
    sets to :data:`~holdfast.report.figures.style.DARK_SERIES`, and ``--figure-paper`` to its background.

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
            value = _REFERENCE.sub(rf"url(#{prefix}\1)", value)
        elif name == "d":
            value = _DECIMALS.sub(lambda found: f"{float(found[0]):.2f}", value)
        if name == "style":
            value = _COLOUR.sub(lambda found: f"{found[1]}: {ADAPTIVE.get(found[2], found[2])}", value)
        element.set(name, value)
