"""Draw the pictures of the documentation: an answer as it is printed, and the systems of some scenarios.

Run it from the project's root: ``.venv/bin/python docs/picture.py``.
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from holdfast.game.configuration import drawn_graph
from holdfast.readings.analysis import analyse
from holdfast.report import figures
from holdfast.report.documents.background import Background
from holdfast.report.documents.fingerprint import analysis_document
from holdfast.report.renderers.terminal import print_document
from holdfast.scenario.reading import load

# rich's own frame without its web fonts: the file must not ask the network for anything.
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}</defs>
<rect fill="#1c1f26" width="{width}" height="{height}" rx="8" />
<g transform="translate({terminal_x}, 4)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


SYSTEMS = {"robot-cell": "safe", "water-works": None}
"""Scenarios whose picture is shown, each with a variant."""


def main() -> None:
    """Record the output, draw the systems, and save them."""
    console = Console(record=True, width=100, highlight=False, force_terminal=True)
    found = analyse(load("scenarios/paper.yaml"))
    print_document(console, analysis_document(found, background=Background("scenarios/paper.yaml")))
    svg = console.export_svg(theme=MONOKAI, code_format=FRAME, unique_id="holdfast")
    Path("docs/check.svg").write_text(svg, encoding="utf-8")
    for name, variant in SYSTEMS.items():
        graph = drawn_graph(load(f"scenarios/{name}.yaml", variant))
        assert graph is not None
        Path(f"docs/{name}.svg").write_text(figures.svg_document(figures.topology(graph)), encoding="utf-8")


if __name__ == "__main__":
    main()
