"""The figures: what they draw is what they were given, in every situation that a report can meet."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from holdfast.errors import InputError
from holdfast.game.configuration import drawn_graph
from holdfast.game.system import ENTRY
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.compile import compile_formula
from holdfast.operation.training.trajectory import smoothed
from holdfast.readings.compare.findings import Entry
from holdfast.readings.table import radar_sides
from holdfast.report import figures
from holdfast.report.documents.background import difference
from holdfast.report.drawing import layering, routing
from holdfast.report.drawing.text import text_width
from holdfast.report.figures import operation, shells, style
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from paths import ROOT
from samples import changed, golden_analysis, learned
from strategies import synchronous_product
from variations import segment_graph

GOLDEN = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    '$\\frac{1}{0}$ _x_ & <script>alert("id=1")</script>',
    "\u202ertl\u202c 漢字 \x00\x1b[31m\n",
    "a" * 300,
    "100 % #fill: #1a1a1c;",
)


PAPER = [
    Entry(case["variant"], golden_analysis(case), base=golden_analysis(case)) for case in GOLDEN.values()
]
SEEDS = {e.label: [e.analysis.ddr.mean + d for d in (-0.02, 0.0, 0.01, 0.015)] for e in PAPER}
NO_DDR = {"ddr": None, "ddr_exact": None}
LOST = changed(PAPER[0], "lost", defensible=False, slt=None, **NO_DDR)
STATIC = changed(PAPER[3], "static", **NO_DDR)
UNDECIDED = changed(STATIC, "undecided", slt=None, undecided="SLT: out of memory")
EXACT = changed(PAPER[4], "exact", ddr=None)
SECURE = changed(PAPER[0], "nothing lost", winning=50000, shells=(), win=1.0, stp=1.0)
VIOLATED = changed(LOST, "all violate", unsafe=150000, winning=0, shells=(), win=None)
HUGE = changed(PAPER[0], "huge", positions=5**700, unsafe=0, winning=4 * 5**699, shells=(5**699 - 7, 7))
DEEP = changed(
    PAPER[0], "deep", positions=10**6, unsafe=0, winning=10**6 - 1830, shells=tuple(range(60, 0, -1))
)
ODD = [LOST, STATIC, UNDECIDED, EXACT, SECURE, VIOLATED, HUGE, DEEP]
MANY = [*ODD, *(replace(PAPER[1], label=label) for label in HOSTILE)]


def runs(offset, n_seeds=4, episodes=400, seed=0):
    noise = np.random.default_rng(seed).normal(0, 0.02, (n_seeds, episodes))
    return np.clip(offset + noise, 0, 1)


FALLING = {"falls": runs(np.linspace(0.8, 0.3, 400), seed=1), "level": runs(0.5, seed=2)}

SCENARIO = read_scenario(ROOT / "scenarios" / "paper.yaml")
SEGMENTS = {e.label: drawn_graph(configuration(SCENARIO, e.label)) for e in PAPER}
CHAIN = segment_graph(
    tuple(f"h{i}" for i in range(100)), tuple((f"h{i}", f"h{i + 1}") for i in range(99)), "h0", ("h99",)
)


def random_segment(n, p, seed):
    rng = random.Random(seed)
    hosts = tuple(f"host {i}" for i in range(n))
    links = tuple((a, b) for a in hosts for b in hosts if a != b and rng.random() < p)
    return segment_graph(hosts, links, hosts[0], hosts[-2:])


def clause(text):
    return compile_formula(text, configuration(SCENARIO).game.vocabulary)


AUTOMATA = {
    **dict(zip(("assets", "active"), configuration(SCENARIO).defender)),
    "destroys": configuration(SCENARIO).adversary[0],
    "two in a row": clause("G (DB = X -> F[<=4] DB = C)"),
    "counter": clause("G (times(destroy) <= 10)"),
    "product": synchronous_product(configuration(SCENARIO).defender, configuration(SCENARIO).game.vocabulary),
}


def lines(figure, label):
    return [line for axes in figure.axes for line in axes.get_lines() if line.get_label() == label]


def points(line):
    return [(float(x), float(y)) for x, y in zip(line.get_xdata(), line.get_ydata())]


def words(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


ALL = {
    "radar": lambda: figures.fingerprint_radar(PAPER[0]),
    "radar, lost": lambda: figures.fingerprint_radar(LOST),
    "multiples, one": lambda: figures.fingerprint_multiples(PAPER[:1]),
    "multiples, many": lambda: figures.fingerprint_multiples(MANY),
    "overlay": lambda: figures.fingerprint_overlay(PAPER),
    "overlay, many": lambda: figures.fingerprint_overlay(MANY),
    "decomposition": lambda: figures.decomposition(PAPER),
    "decomposition, one": lambda: figures.decomposition(PAPER[:1]),
    "decomposition, many": lambda: figures.decomposition(MANY),
    "profile": lambda: figures.shell_profile(PAPER),
    "profile, one": lambda: figures.shell_profile(PAPER[:1]),
    "profile, many": lambda: figures.shell_profile(MANY),
    "profile, none": lambda: figures.shell_profile([SECURE]),
    "box": lambda: figures.dominance_box(PAPER, SEEDS),
    "box, one": lambda: figures.dominance_box(PAPER[:1], {PAPER[0].label: [0.5]}),
    "box, many": lambda: figures.dominance_box(MANY, {label: [0.2, 0.3] for label in HOSTILE}),
    "trajectories": lambda: figures.trajectories(FALLING, crossing=("falls", "level")),
    "trajectories, one short": lambda: figures.trajectories({"one": runs(0.4, 1, 1)}),
    "trajectories, hostile": lambda: figures.trajectories({label: runs(0.4, 2, 60) for label in HOSTILE}),
    "trajectories, none": lambda: figures.trajectories({}),
    "topology": lambda: figures.topology(SEGMENTS["reference"]),
    "topology, alone": lambda: figures.topology(segment_graph(("a",), (), "a")),
    "topology, hostile": lambda: figures.topology(segment_graph(HOSTILE, ((HOSTILE[0], HOSTILE[2]),), HOSTILE[0])),
    "difference": lambda: figures.topology_difference(SEGMENTS["reference"], SEGMENTS["fully-connected"]),
    "automaton": lambda: figures.automata([(AUTOMATA["two in a row"], "two in a row")]),
    "automata": lambda: figures.automata([(one, name) for name, one in list(AUTOMATA.items())[:3]]),
    "automaton, too large": lambda: figures.automata([(clause("G (times(destroy) <= 30)"), HOSTILE[1])]),
    "automaton, hostile": lambda: figures.automata([(replace(AUTOMATA["assets"], states=HOSTILE[:3]), HOSTILE[2])]),
}  # fmt: skip


@pytest.fixture(scope="module", params=ALL, ids=list(ALL))
def drawn(request):
    """Each figure once, with matplotlib's settings as they were before."""
    before = dict(matplotlib.rcParams)
    figure = ALL[request.param]()
    text = figures.svg_text(figure, "p-")
    return request.param, figure, text, dict(matplotlib.rcParams) == before


# -- every figure -------------------------------------------------------------------------------------


def test_settings_are_left_alone(drawn):
    """Should leave matplotlib's global settings as they were."""
    assert drawn[3]


def test_svg_is_one_deterministic_element(drawn):
    """Should be XML without prolog, the same every time, with text as text and ids under the prefix."""
    name, figure, text, _ = drawn
    assert text == figures.svg_text(ALL[name](), "p-")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg" and text.startswith("<svg")
    assert not list(root.iter(f"{SVG}style")) and not list(root.iter(f"{SVG}metadata"))
    shown = {part for label in words(figure) for part in label.split("\n")}
    assert {element.text for element in root.iter(f"{SVG}text")} <= shown
    ids = Counter(element.get("id") for element in root.iter() if element.get("id"))
    assert ids and max(ids.values()) == 1 and all(i.startswith("p-") for i in ids)
    targets = {value[1:] for e in root.iter() for k, value in e.attrib.items() if k.endswith("href")}
    assert targets <= set(ids)


def test_neutral_ink_follows_the_page(drawn):
    """Should have no neutral colour left in the adaptive form."""
    styles = " ".join(e.get("style", "") for e in ElementTree.fromstring(drawn[2]).iter())
    assert "currentColor" in styles
    assert not any(colour in styles for colour in (style.INK, style.MUTED, style.GRID, style.PAPER))


def beyond(figure):
    """The labels of ticks outside the limits, which are not drawn."""
    return {
        tick.label1
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        if not (
            axes.axison and min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
        )
    }


def test_nothing_is_cut_off(drawn):
    """Should keep every word inside the figure, and the figure inside a page."""
    _, figure, _, _ = drawn
    width, height = figure.get_size_inches()
    assert width <= style.PAGE + 0.01 and height < 9.5
    with style.look():
        figure.draw_without_rendering()
        renderer = FigureCanvasAgg(figure).get_renderer()
        for text in set(figure.findobj(Text)) - beyond(figure):
            if text.get_text() and text.get_visible():
                box = text.get_window_extent(renderer)
                assert box.x0 >= -2 and box.x1 <= figure.bbox.width + 2, text.get_text()
                assert box.y0 >= -2 and box.y1 <= figure.bbox.height + 2, text.get_text()


def test_pyplot_is_never_imported():
    """Should draw and save without pyplot, in a process of its own."""
    code = (
        "import sys, io\n"
        "from holdfast.report import figures\n"
        "from holdfast.models.network import network_system\n"
        "figures.svg_text(figures.topology(network_system(('a', 'b'), (('a', 'b'),), 'a').graph))\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n" and not done.stderr


def test_saved_files(tmp_path):
    """Should write both files, the same bytes each time, at 200 dots an inch on white."""
    figure, folder = ALL["topology"](), tmp_path / "new"
    figures.save_figure(figure, folder / "a.b")
    vector, raster = folder / "a.b.svg", folder / "a.b.png"
    assert sorted(folder.iterdir()) == [raster, vector]
    first = vector.read_bytes(), raster.read_bytes()
    figures.save_figure(ALL["topology"](), folder / "a.b")
    assert first == (vector.read_bytes(), raster.read_bytes())
    ElementTree.fromstring(first[0])
    assert style.INK in vector.read_text("utf-8") and b"currentColor" not in first[0]
    from matplotlib.image import imread

    pixels = imread(raster)
    assert pixels.shape[1] == pytest.approx(200 * figure.get_size_inches()[0], abs=1)
    assert (pixels[0, 0, :3] == 1).all()


# -- looks --------------------------------------------------------------------------------------------


def lightness(colour):
    """L* of CIE Lab."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def contrast(one, other):
    high, low = sorted((((lightness(c) + 16) / 116) ** 3 for c in (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_series_differ_in_grey():
    """Should differ clearly in lightness from neighbour to neighbour, and a little between any two of five."""
    cycle = [style.series(i).colour for i in range(len(style.SERIES) + 1)]
    assert min(abs(lightness(a) - lightness(b)) for a, b in pairwise(cycle)) > 12
    five = sorted(lightness(colour) for colour in style.SERIES[:5])
    assert min(b - a for a, b in pairwise(five)) > 9


def test_series_are_all_different():
    """Should combine colour, marker and line so that no two of 30 look the same."""
    looks = [style.series(i) for i in range(30)]
    assert len({(s.colour, s.marker, str(s.dashes)) for s in looks}) == 30


@pytest.mark.parametrize(("colours", "ground"), [(style.SERIES, "#ffffff"), (style.DARK_SERIES, "#16181d")])
def test_series_stand_out_from_the_page(colours, ground):
    """Should have contrast with the page, light or dark."""
    assert min(contrast(colour, ground) for colour in colours) > 2.2


def test_shells_differ_in_grey():
    """Should differ in lightness from part to part, and carry readable text."""
    fills = [fill for fill, _, _ in shells.CLASSES]
    assert min(abs(lightness(a) - lightness(b)) for a, b in pairwise(fills)) > 15
    assert min(contrast(fill, ink) for fill, ink, _ in shells.CLASSES) > 4.5


# -- fingerprints -------------------------------------------------------------------------------------


def expected_points(entry):
    return [
        (side.x * entry.reading(side.reading.key), side.y * entry.reading(side.reading.key))
        for side in radar_sides()
        if entry.reading(side.reading.key) is not None
    ]


def test_radar_has_the_readings():
    """Should have a vertex at each reading, a closed polygon through them, and the numbers."""
    figure = figures.fingerprint_radar(PAPER[0])
    (marks,) = lines(figure, "_readings")
    assert points(marks) == expected_points(PAPER[0])
    (side,) = lines(figure, "_side")
    assert points(side) == [*points(marks), points(marks)[0]]
    (filled,) = figure.findobj(Polygon)
    assert [tuple(p) for p in filled.get_xy()[:4]] == points(marks)
    (exact,) = lines(figure, "_exact")
    assert points(exact) == [(-PAPER[0].analysis.ddr_exact.value, 0)]
    assert {"WIN 0.4746", "STP 0.5102", "SLT 0.7180", "DDR 0.539", "0.524–0.553"} <= set(words(figure))


@pytest.mark.parametrize("entry", [LOST, STATIC, UNDECIDED, EXACT, VIOLATED], ids=lambda e: e.label)
def test_a_missing_reading_has_no_vertex(entry):
    """Should leave the polygon open and say so, never draw a 0."""
    figure = figures.fingerprint_radar(entry)
    (marks,) = lines(figure, "_readings")
    assert points(marks) == expected_points(entry) and (0, 0) not in points(marks)
    assert not figure.findobj(Polygon)
    n_missing = 4 - len(points(marks))
    sides = lines(figure, "_side")
    assert all(len(points(side)) == 2 and (0, 0) not in points(side) for side in sides)
    assert len(sides) < len(points(marks))
    reason = "not read" if entry.analysis.defensible else "not defined"
    assert sum(reason in word for word in words(figure)) == n_missing
    assert len(lines(figure, "_exact")) == (entry.analysis.ddr_exact is not None)


def test_multiples_show_each_and_the_first_in_all():
    """Should give each design a panel with its own readings and the outline of the first."""
    figure = figures.fingerprint_multiples([*PAPER, LOST])
    assert len(figure.axes) == 6
    for axes, entry in zip(figure.axes, [*PAPER, LOST]):
        assert axes.get_title() == entry.label
        (marks,) = [line for line in axes.get_lines() if line.get_label() == "_readings"]
        assert points(marks) == expected_points(entry)
    outlines = lines(figure, "_first")
    assert len(outlines) == 5 and all(points(o)[:4] == expected_points(PAPER[0]) for o in outlines)


def test_overlay_shows_all():
    """Should have the readings of all designs on one radar, each with its look and its name."""
    figure = figures.fingerprint_overlay(PAPER)
    drawn = lines(figure, "_readings")
    assert [points(line) for line in drawn] == [expected_points(entry) for entry in PAPER]
    assert len({(line.get_color(), line.get_marker()) for line in drawn}) == 5
    assert {entry.label for entry in PAPER} <= set(words(figure))


# -- shells -------------------------------------------------------------------------------------------


def bars(figure):
    rows: dict[int, list[float]] = {}
    for patch in figure.axes[0].patches:
        if isinstance(patch, Rectangle):
            rows.setdefault(round(patch.get_y() + patch.get_height() / 2), []).append(patch.get_width())
    return rows


def test_decomposition_partitions_the_open_positions():
    """Should draw |W| and |Sh_k| over |V| − |U|, which add up to 1, and name the small ones beside the bar."""
    figure = figures.decomposition(PAPER)
    for row, entry in enumerate(PAPER):
        widths = bars(figure)[row]
        assert widths == pytest.approx([n / 50000 for n in (entry.analysis.winning, *entry.analysis.shells)])
        assert sum(widths) == pytest.approx(1)
    assert {"in 3: 256 · in 4: 384", "in 3: 224 · in 4: 288", "23,730 · 47.5%"} <= set(words(figure))
    assert "4 moves" in words(figure)


def test_decomposition_of_the_unusual():
    """Should fold deep shells, divide counts beyond any float, and say where nothing is open."""
    figure = figures.decomposition([DEEP, HUGE, SECURE, VIOLATED])
    rows = bars(figure)
    assert rows[0] == pytest.approx([0.99817, 60e-6, 59e-6, 58e-6, sum(range(58)) * 1e-6])
    assert rows[1] == pytest.approx([0.8, 0.2, 0, 0, 0])
    assert rows[2] == [1, 0, 0, 0, 0]
    assert 3 not in rows and "every position is already a violation" in words(figure)
    assert "4 to 60 moves" in words(figure)


def test_profile_has_the_sizes():
    """Should draw the logarithm of each |Sh_k| at its rank, whatever its size."""
    figure = figures.shell_profile([PAPER[0], HUGE, SECURE])
    for entry, line in zip((PAPER[0], HUGE, SECURE), figure.axes[0].get_lines()):
        assert list(line.get_ydata()) == pytest.approx([math.log10(n) for n in entry.analysis.shells])
        assert [round(x) for x in line.get_xdata()] == list(range(1, len(entry.analysis.shells) + 1))
    assert {"19,238", "6,392", "256", "384"} <= set(words(figures.shell_profile(PAPER[:1])))


# -- dominance ----------------------------------------------------------------------------------------


def test_box_has_every_seed_the_mean_and_the_interval():
    """Should show each seed as a point, the mean, the interval as a box, and DDR*."""
    figure = figures.dominance_box(PAPER, SEEDS)
    seeds, means, exact = (lines(figure, label) for label in ("_seeds", "_mean", "_exact"))
    assert [list(line.get_ydata()) for line in seeds] == [SEEDS[e.label] for e in PAPER]
    assert [list(line.get_ydata()) for line in means] == [[e.analysis.ddr.mean] for e in PAPER]
    assert [list(line.get_ydata()) for line in exact] == [[e.analysis.ddr_exact.value] for e in PAPER]
    intervals = [p for p in figure.axes[0].patches if isinstance(p, Rectangle)]
    assert [(p.get_y(), p.get_y() + p.get_height()) for p in intervals] == [
        pytest.approx(e.analysis.ddr.interval) for e in PAPER
    ]
    assert {f"{e.analysis.ddr.mean:.3f}" for e in PAPER} <= set(words(figure))
    assert "mean, boxed: 95% interval" in words(figure)


def test_one_seed_has_no_interval():
    """Should not explain a box that is not there."""
    alone = changed(PAPER[0], ddr=learned(PAPER[0].analysis.ddr.mean))
    found = words(figures.dominance_box([alone], {alone.label: [alone.analysis.ddr.mean]}))
    assert "mean" in found and not any("interval" in word for word in found)


def test_box_without_readings():
    """Should show DDR* alone where only that is known, and say where there is nothing."""
    figure = figures.dominance_box([EXACT, STATIC, LOST], {})
    assert not lines(figure, "_seeds") and not lines(figure, "_mean")
    assert len(lines(figure, "_exact")) == 1
    assert {"not read", "not defensible"} <= set(words(figure))


def test_trajectories_have_mean_band_window_and_crossing():
    """Should draw the smoothed mean, all seeds within the band, and the episode of the crossing."""
    figure = figures.trajectories(FALLING, window=100, crossing=("falls", "level"))
    axes = figure.axes[0]
    curves = lines(figure, "_mean")
    for line, given in zip(curves, FALLING.values()):
        assert np.allclose(line.get_ydata(), smoothed(given.mean(axis=0)))
        assert list(line.get_xdata()) == list(range(1, 401))
    bands = [c for c in axes.collections if isinstance(c, PolyCollection)]
    for band, given in zip(bands, FALLING.values()):
        ys = band.get_paths()[0].vertices[:, 1]
        smooth = smoothed(given)
        assert (ys.min(), ys.max()) == pytest.approx((smooth.min(), smooth.max()))
    (shade,) = [p for p in axes.patches if isinstance(p, Rectangle)]
    assert (shade.get_x(), shade.get_width()) == (300, 100)
    gap = curves[0].get_ydata() - curves[1].get_ydata()
    at = int(np.flatnonzero(gap >= 0)[-1]) + 1
    (mark,) = lines(figure, "_crossing")
    assert list(mark.get_xdata()) == [at, at]
    assert any(f"after episode {at:,}" in word for word in words(figure))
    several = figures.trajectories(FALLING, window=None)
    assert not [p for p in several.axes[0].patches if isinstance(p, Rectangle)]


def test_no_crossing_no_mark():
    """Should mark nothing where the curves do not cross, and refuse a name that is not drawn."""
    assert not lines(figures.trajectories(FALLING, crossing=("level", "falls")), "_crossing")
    with pytest.raises(InputError, match='"other"'):
        figures.trajectories(FALLING, crossing=("falls", "other"))


def test_a_long_band_keeps_its_extremes():
    """Should fold episodes without losing the lowest and the highest seed."""
    smooth = np.random.default_rng(4).random((3, 3001))
    x, low, high = operation._envelope(smooth)
    assert len(x) <= operation.STEPS and (np.diff(x) > 0).all() and x[0] >= 1 and x[-1] <= 3001
    assert (low.min(), high.max()) == (smooth.min(), smooth.max())
    assert operation._envelope(smooth[:, :10])[0].tolist() == list(range(1, 11))


def test_a_design_keeps_its_look():
    """Should take the look from the place in ``labels``."""
    figure = figures.trajectories({"level": FALLING["level"]}, labels=["falls", "level"])
    (curve,) = lines(figure, "_mean")
    assert (curve.get_color(), curve.get_marker()) == (style.series(1).colour, style.series(1).marker)


# -- topologies ---------------------------------------------------------------------------------------


def boxes(figure):
    """The boxes by the centre, and the name at that place."""
    found = {}
    names = {tuple(np.round(t.get_position(), 6)): t.get_text() for t in figure.axes[0].texts}
    for box in figure.axes[0].findobj(FancyBboxPatch):
        centre = box.get_x() + box.get_width() / 2, box.get_y() + box.get_height() / 2
        found[names[tuple(np.round(centre, 6))]] = box
    return found


def arrows(figure):
    """The arrows but that into the entry: (colour, style of the line, path)."""
    return [a for a in figure.axes[0].findobj(FancyArrowPatch) if a.get_edgecolor()[:3] != to_rgb(style.INK)]


def ends(figure):
    """The names that each arrow joins: those of the boxes nearest to its ends."""
    found = boxes(figure)
    centres = {
        n: np.array([b.get_x() + b.get_width() / 2, b.get_y() + b.get_height() / 2]) for n, b in found.items()
    }
    half = {n: np.array([b.get_width(), b.get_height()]) / 2 for n, b in found.items()}

    def nearest(point):
        return min(centres, key=lambda n: np.max(np.abs(point - centres[n]) - half[n]))

    return [
        (nearest(a._path_original.vertices[0]), nearest(a._path_original.vertices[-1]))
        for a in arrows(figure)
    ]


def test_topology_of_the_paper():
    """Should draw the five hosts and six links, with entry and critical assets marked."""
    figure = figures.topology(SEGMENTS["reference"])
    assert set(boxes(figure)) == {"GW", "Web", "WS", "DB", "BK"}
    assert Counter(ends(figure)) == Counter(SEGMENTS["reference"].arrows)
    fills = {name: box.get_facecolor()[:3] for name, box in boxes(figure).items()}
    assert fills["GW"] != fills["Web"] != fills["DB"] == fills["BK"] != fills["GW"]
    heavy = {name for name, box in boxes(figure).items() if box.get_linewidth() > 1}
    assert heavy == {"DB", "BK"}


def test_links_both_ways_are_one_arrow():
    """Should draw the 13 links of the fully connected segment as seven arrows."""
    figure = figures.topology(SEGMENTS["fully-connected"])
    links = {frozenset(link) for link in SEGMENTS["fully-connected"].arrows}
    assert {frozenset(pair) for pair in ends(figure)} == links and len(arrows(figure)) == 7


def test_difference_marks_what_was_added_and_removed():
    """Should draw the removed link dashed, an added host with its link, and the rest in grey."""
    before = SEGMENTS["reference"]
    after = segment_graph(
        (*before.names[:4], "new"),
        (*(link for link in before.arrows if link not in (("GW", "WS"), ("DB", "BK"))), ("DB", "new")),
        "Web",
        ("DB",),
    )
    figure = figures.topology_difference(before, after)
    assert {"+ new", "− BK", "GW", "Web"} <= set(boxes(figure))
    kinds = {
        pair: (matplotlib.colors.to_hex(a.get_edgecolor()), a.get_linestyle() not in ("-", "solid"))
        for pair, a in zip(ends(figure), arrows(figure))
    }
    removed, added = ("#d55e00", True), (style.SERIES[0], False)
    assert kinds[("GW", "WS")] == kinds[("DB", "− BK")] == removed
    assert kinds[("DB", "+ new")] == added
    assert Counter(kinds.values())[(style.MUTED, False)] == 4
    assert {"added", "removed", "entry (was GW)"} <= set(words(figure))


def test_difference_marks_what_was_hardened_closed_and_made_blockable():
    """Should colour a newly hardened host and a new switch, and strike the way in that is closed."""
    text = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, Web -> DB], entry: GW, exposed: [Web]}
specs: {defender: [G (DB != Z)]}
"""
    system = configuration(scenario_from_text(text)).system
    parts = {f"{p.verb} {p.name}": p for p in (*system.parts, *system.hardenable, *system.upgrades)}
    chosen = [parts[name] for name in ("harden DB", "close Web", "block GW -> Web")]
    after = system.without(chosen).graph
    figure = figures.topology_difference(system.graph, after)
    assert {"hardened, new", "can be blocked, new", "removed"} <= set(words(figure))
    assert "open to the outside" not in words(figure)
    gone = [a for a in arrows(figure) if matplotlib.colors.to_hex(a.get_edgecolor()) == "#d55e00"]
    assert len(gone) == 1  # the way in from outside
    told = difference(system.graph, after)
    assert told == "hardens DB, closes Web to the outside and lets 1 link (GW → Web) be blocked"
    assert difference(after, system.graph) == "opens Web to the outside"


def test_layers_are_distances():
    """Should put every host in the layer of its distance from the entry, and lose none."""
    for seed in range(20):
        segment = random_segment(12, 0.15, seed)
        found = layering.layers(segment.names, segment.arrows, segment.marked(ENTRY))
        assert sorted(h for layer in found for h in layer) == sorted(segment.names)
        distance = {segment.marked(ENTRY)[0]: 0}
        for _ in segment.names:
            for a, b in segment.arrows:
                if a in distance:
                    distance[b] = min(distance.get(b, 99), distance[a] + 1)
        for k, layer in enumerate(found):
            assert {distance.get(host, k) for host in layer} == {k}
        again = layering.ordered(found, segment.arrows)
        assert [sorted(layer) for layer in again] == [sorted(layer) for layer in found]


def test_a_tree_has_no_crossings():
    """Should order the children as their parents."""
    hosts = [f"n{i}" for i in range(40)]
    links = [(hosts[(i - 1) // 3], hosts[i]) for i in range(1, 40)]
    found = layering.ordered(layering.layers(hosts[::-1], links, ["n0"]), links)
    parent = {b: a for a, b in links}
    for above, layer in pairwise(found):
        rows = [above.index(parent[host]) for host in layer]
        assert rows == sorted(rows)


def test_links_avoid_the_hosts_of_the_paper():
    """Should pass no box but those that it joins."""
    sizes = layering.Sizes(0.5, 0.3, 1.3, 0.7)
    for segment in SEGMENTS.values():
        found = layering.ordered(
            layering.layers(segment.names, segment.arrows, segment.marked(ENTRY)), segment.arrows
        )
        at = layering.places(found, sizes, 5)
        for link in segment.arrows:
            bend = routing.routes([link], at, sizes)[link].bend
            (path,) = routing.curves(np.array([[at[link[0]], at[link[1]]]]), np.array([bend]), 200)
            for host in set(segment.names) - set(link):
                off = np.abs(path - np.array(at[host]))
                assert not ((off[:, 0] < 0.25) & (off[:, 1] < 0.15)).any(), (segment, link, host)


def literal_bend(link, at, sizes, one_sided):
    """How much one link must bend, found by trying one bend after the other against every box."""
    box = np.array([sizes.width, sizes.height]) / 2
    centres = np.array(list(at.values()))
    low, high = centres.min(axis=0) - box - routing.OUTSIDE, centres.max(axis=0) + box + routing.OUTSIDE
    counted = {}
    for bend in [b for b in routing.BENDS if b > 0] if one_sided else routing.BENDS:
        (points,) = routing.curves(np.array([[at[link[0]], at[link[1]]]]), np.array([bend]))
        hit = {
            name
            for name, place in at.items()
            for point in points
            if name not in link and (np.abs(point - np.array(place)) < box + routing.CLEARANCE).all()
        }
        counted[bend] = len(hit) + len(at) * bool(((points < low) | (points > high)).any())
    return min(counted, key=counted.get)


@pytest.mark.parametrize("seed", range(6))
def test_links_are_routed_together_as_one_by_one(seed):
    """Should bend every link as little as one that is looked at alone, joined with its way back or beside it."""
    rng = random.Random(seed)
    segment = random_segment(rng.randint(2, 12), 0.3, seed)
    sizes = layering.Sizes(0.6, 0.3, 1.2, 0.6)
    at = {name: (rng.uniform(0, 5), rng.uniform(0, 3)) for name in segment.names}
    links = segment.arrows
    joined = {link for link in links if rng.random() < 0.5}
    joined = {link for link in joined if link[::-1] in joined}
    routed = routing.routes(links, at, sizes, joined)
    assert {link for link in links if link not in routed} == {
        link for k, link in enumerate(links) if link in joined and link[::-1] in links[:k]
    }
    for link, route in routed.items():
        assert route.both == (link in joined)
        beside = link[::-1] in links and link not in joined
        assert route.bend == literal_bend(link, at, sizes, beside)


def test_widths_of_text_are_those_of_the_font():
    """Should tell the width of a text to a fiftieth of what the font itself says, without loading it."""
    said = (
        "Gateway", "Web", "DB", "no-operator", "OpServer", "PLC1", "active >= 2", "148 MW · 59%", "München",
        "(a | b) & !c", "critical asset", "open to the outside", "ws2…ws16 ×15", "Schließfach",
    )  # fmt: skip
    with style.look():
        for text in said:
            for weight in ("normal", "bold"):
                font = FontProperties(family="sans-serif", size=8, weight=weight)
                inches = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72
                assert text_width(text, 8, weight) == pytest.approx(inches, rel=0.02, abs=0.02), text
    assert text_width("漢字", 72) == 2.0


def test_a_link_begins_and_ends_at_the_boxes():
    """Should be the part of the curve outside both boxes."""
    sizes = layering.Sizes(0.5, 0.3, 1.3, 0.7)
    for bend in (0.0, 0.2, -0.5):
        ends, bends = np.array([[(0.0, 0.0), (2.0, 1.0)]]), np.array([bend])
        ((a, control, b),) = routing.visible(ends, bends, sizes)
        for point, centre in ((a, (0, 0)), (b, (2, 1))):
            off = np.abs(point - np.array(centre)) - np.array([0.25, 0.15]) - routing.GAP
            assert -0.001 <= off.max() < 0.02
        t = np.linspace(0, 1, 50)[:, None]
        piece = (1 - t) ** 2 * a + 2 * t * (1 - t) * control + t**2 * b
        (whole,) = routing.curves(ends, bends, 4000)
        assert np.abs(piece[:, None] - whole[None]).max(axis=2).min(axis=1).max() < 2e-3


@pytest.mark.parametrize(
    "segment",
    [CHAIN, random_segment(100, 0.015, 1), random_segment(60, 0.2, 2)],
    ids=["chain", "sparse", "dense"],
)
def test_large_segments_fit_a_page(segment):
    """Should show every host apart from the others, within a page."""
    figure = figures.topology(segment)
    width, height = figure.get_size_inches()
    assert width <= 7.01 and height <= 10
    drawn = list(boxes(figure).values())
    assert len(drawn) == len(segment.names)
    corners = np.array([(b.get_x(), b.get_y(), b.get_width(), b.get_height()) for b in drawn])
    apart = np.abs(corners[:, None, :2] - corners[None, :, :2]) >= corners[0, 2:] - 1e-9
    assert (apart.any(axis=2) | np.eye(len(drawn), dtype=bool)).all()


# -- automata ---------------------------------------------------------------------------------------


def random_table(rng, n):
    """An automaton with n states and edges that lead anywhere; the last state violates."""
    base = AUTOMATA["product" if n < 8 else "two in a row"]
    rows = [tuple(rng.choice(range(n)) for _ in base.masks) for _ in range(n - 1)]
    names = (*(f"q{i}" for i in range(n - 1)), "viol")
    accepting = (*[True] * (n - 1), False)
    delta = (*rows, (n - 1,) * len(base.masks))
    return SafetyAutomaton("random", names, 0, accepting, base.atoms, base.masks, delta)


def circles(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, Circle)]


@pytest.mark.parametrize("name", AUTOMATA)
def test_an_automaton_has_its_states_edges_and_guards(name):
    """Should draw double circles for accepting states, shaded ones for violations, an arrow for every edge."""
    automaton = AUTOMATA[name]
    figure = figures.automata([(automaton, "the clause")])
    shaded = [c for c in circles(figure) if to_rgb(c.get_facecolor()) == to_rgb(style.GRID)]
    assert len(shaded) == automaton.n_states - automaton.n_accepting
    assert len(circles(figure)) == automaton.n_states + automaton.n_accepting
    assert len(arrows(figure)) == len(automaton.edges())
    text = words(figure)
    assert "the clause" in text
    for _, _, guard in automaton.edges():
        assert ("⊤" if str(guard) == "true" else str(guard)) in text


def test_the_automata_of_the_paper():
    """Should read as fig:dfa-defender and fig:dfa-attacker do: names in a row, guards on edges."""
    shown = words(figures.automata([(AUTOMATA["destroys"], "at most two destroys")]))
    assert [shown.count(name) for name in ("q0", "q1", "q2", "viol")] == [1, 1, 1, 1]
    assert (shown.count("destroy"), shown.count("!destroy")) == (3, 3)
    both = figures.automata([(AUTOMATA["assets"], "(a)"), (AUTOMATA["active"], "(b)")])
    text = words(both)
    assert {"active >= 3", "active < 3", "count(DB, BK in {X, D, Z}) = 2"} <= set(text)
    # A long guard is a letter on the edges: each of the three on two of them, and once in the key.
    assert [text.count(letter) for letter in "abc"] == [3, 3, 3]
    row = {round(c.center[1], 6) for c in circles(both)}
    assert len(row) == 1 and both.get_figwidth() <= style.PAGE


@pytest.mark.parametrize("seed", range(12))
def test_nothing_in_the_picture_of_an_automaton_collides(seed):
    """Should keep texts off each other, off the states and inside the page, whatever the edges."""
    rng = random.Random(seed)
    automaton = random_table(rng, rng.randrange(2, 13))
    assert figures.illegible(automaton) is None
    figure = figures.automata([(automaton, "a clause")])
    assert figure.get_figwidth() <= style.PAGE + 1e-9
    renderer = FigureCanvasAgg(figure).get_renderer()
    texts = [t for t in figure.findobj(Text) if t.get_text()]
    boxes = [t.get_window_extent(renderer) for t in texts]
    page = figure.bbox
    for i, box in enumerate(boxes):
        assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        for other in boxes[:i]:
            assert not (box.x0 < other.x1 and other.x0 < box.x1 and box.y0 < other.y1 and other.y0 < box.y1)
    discs = [c.get_window_extent(renderer) for c in circles(figure)]
    names = set(automaton.states)
    for text, box in zip(texts, boxes):
        within = [d for d in discs if d.x0 < box.x1 and box.x0 < d.x1 and d.y0 < box.y1 and box.y0 < d.y1]
        assert bool(within) == (text.get_text() in names), text.get_text()


def test_a_large_automaton_is_not_drawn_and_says_why():
    """Should give the reason in the place of the picture."""
    large = clause("G (times(destroy) <= 30)")
    assert figures.illegible(large) == "32 states; a picture is legible up to 12"
    assert "not drawn: 32 states; a picture is legible up to 12" in words(figures.automata([(large, "many")]))
    product = AUTOMATA["product"]
    every = tuple(tuple((q + j) % 12 for j in range(len(product.masks))) for q in range(12))
    names = tuple(f"q{q}" for q in range(12))
    crowded = replace(product, states=names, accepting=(True,) * 12, delta=every)
    assert figures.illegible(crowded) == "72 edges; a picture is legible up to 40"
    guards = clause("G (DB in {X} -> X (BK in {I} | X (GW = C | X DB = C)))")
    assert figures.illegible(guards) == "29 different guards; a picture is legible up to 26"
