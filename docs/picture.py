"""Draw the pictures of the documentation: what one link decides, an answer as printed, and some systems.

Run it from the project's root by ``make pictures``; a test compares what it draws with what is shown.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from rich.console import Console
from rich.terminal_theme import MONOKAI

from holdfast.game import Configuration, Graph, drawn_graph
from holdfast.readings import Analysis, goal_in_words
from holdfast.readings.analysis import analyse
from holdfast.report import figures
from holdfast.report.documents.background import Background
from holdfast.report.documents.fingerprint import analysis_document
from holdfast.report.figures.style import BREAKER, in_house_style
from holdfast.report.figures.topologies import LINE_STYLES, drawn, picture_of
from holdfast.report.renderers.terminal import print_document
from holdfast.scenario.reading import configuration, load, scenario_from_text

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

PAIR = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 264" role="img" aria-label="{alternative}">
<style>text {{ font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 15px; fill: #1a1a1a; }}
.title {{ font-size: 17px; font-weight: bold; }} .bad {{ fill: #b3261e; }} .good {{ fill: #1b6e3c; }}</style>
<rect width="800" height="264" rx="8" fill="#ffffff" />
{panels}
</svg>
"""

SYSTEMS = {"plant": None, "robot-cell": "safe", "water-works": None}
"""Scenarios whose picture is shown, each with a variant."""

WITH, WITHOUT = "With one forgotten VPN link", "Without it"
BYPASS = ("GW", "WS")


def one_link() -> str:
    """The reference segment with its bypass and without it, and what that does to those who defend it."""
    panels, texts = [], []
    base = drawn_graph(load("scenarios/paper.yaml"))
    for x, title, tone, variant in ((8, WITH, "bad", None), (408, WITHOUT, "good", "no-bypass")):
        design = load("scenarios/paper.yaml", variant)
        graph = drawn_graph(design)
        assert base is not None and graph is not None
        said = list(_consequence(analyse(design, learning=False, exact=True)))
        texts += [f"{title}: {' '.join(said)}"]
        panels += [f'<text class="title {tone}" x="{x + 16}" y="34">{title}</text>']
        panels += [_nested(_segment(base, graph), x, tone)]
        panels += [f'<text x="{x + 16}" y="{208 + 24 * i}">{line}</text>' for i, line in enumerate(said)]
    return PAIR.format(alternative=" ".join(texts), panels="\n".join(panels))


def _consequence(analysis: Analysis) -> Iterator[str]:
    soon = goal_in_words(analysis, "evicted")
    assert analysis.ddr_exact is not None and analysis.ddr_exact.value is not None
    yield f"{soon[0].upper()}{soon[1:]}."
    yield f"Played perfectly, {100 * analysis.ddr_exact.value:.0f}% of the hosts stay clean."


@in_house_style
def _segment(base: Graph, graph: Graph) -> Figure:
    """A design with everything where it stands in the base, and the bypass in red where there is one."""
    picture = picture_of(base, base)
    layout = replace(picture.layout, arrows=tuple(a for a in picture.layout.arrows if a in graph.arrows))
    key = Line2D([], [], color=BREAKER, lw=2, ls=LINE_STYLES[BREAKER], label="forgotten link")
    there = BYPASS in graph.arrows
    strokes = {BYPASS: (BREAKER, 2.0)} if there else {}
    return drawn(replace(picture, layout=layout, after=graph, strokes=strokes, key=(key,) if there else ()))


def _nested(figure: Figure, x: int, prefix: str) -> str:
    """A figure inside a larger picture; identifiers are its own."""
    text = figures.svg_document(figure)
    root = ElementTree.fromstring(text)
    box = root.get("viewBox", "")
    inner = text[text.index("<defs>") : text.rindex("</svg>")]
    for name in {e.get("id") for e in root.iter() if e.get("id")}:
        inner = inner.replace(f'id="{name}"', f'id="{prefix}-{name}"').replace(
            f"#{name})", f"#{prefix}-{name})"
        )
    return f'<svg x="{x}" y="48" width="384" height="132" viewBox="{box}">\n{inner}</svg>'


def answer() -> str:
    """What ``check`` prints for the reference segment."""
    console = Console(record=True, width=100, highlight=False, force_terminal=True, file=io.StringIO())
    analysis = replace(analyse(load("scenarios/paper.yaml")), seconds=0.1)
    print_document(console, analysis_document(analysis, background=Background("scenarios/paper.yaml")))
    return console.export_svg(theme=MONOKAI, code_format=FRAME, unique_id="holdfast")


def pictures() -> Iterator[tuple[str, str]]:
    """Every picture that is drawn here, as the name of its file and its text."""
    yield "one-link.svg", one_link()
    yield "check.svg", answer()
    for name, variant in SYSTEMS.items():
        yield f"{name}.svg", _system(load(f"scenarios/{name}.yaml", variant))
    yield (
        "cases/booster.svg",
        _system(configuration(scenario_from_text(shown_file("cases/water.md", "booster.yaml")))),
    )


def _system(design: Configuration) -> str:
    graph = drawn_graph(design)
    assert graph is not None
    return figures.svg_document(figures.topology(graph))


def shown_file(page: str, name: str) -> str:
    """The text of a file that a page has its reader write."""
    text = (Path(__file__).parent / page).read_text("utf-8")
    return text.split(f"<!-- file: {name} -->\n```yaml\n")[1].split("```\n")[0]


def main() -> None:
    """Write them all."""
    for name, text in pictures():
        (Path(__file__).parent / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
