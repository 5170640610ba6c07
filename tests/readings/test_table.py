"""One table of readings: a row is all that a new one needs to be shown, compared, weighed, exported and gated."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest

from holdfast.apps.services.design import exit_code
from holdfast.readings.gates import Gate, gates_of
from holdfast.readings.table import (
    READINGS,
    fingerprint_readings,
    operating_points,
    radar_sides,
    reading_of,
    static_readings,
)
from paths import ROOT
from samples import golden_analysis, learned, solved

PAPER = str(ROOT / "scenarios" / "paper.yaml")
CASES = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]
HELD = golden_analysis(CASES["1"])
LOST = replace(HELD, defensible=False, slt=None, ddr=None, ddr_exact=None)
STOPPED = replace(HELD, slt=None, ddr=None, ddr_exact=None, undecided="SLT: stopped")
WIDE = replace(HELD, ddr_exact=solved(0.5, value=None, low=0.4, high=0.6))
UNSETTLED = replace(HELD, ddr=replace(learned(0.6), standing="unsettled", reason="it moved"))

WITH_NEW_ROWS = """
import json, math, sys
from holdfast.readings import table
from holdfast.readings.reading import Reading
depth = Reading(
    key="dep", label="DEP", name="depth", meaning="depth: how many ranks there are",
    read=lambda analysis: 1 / (1 + len(analysis.shells)),
    says=lambda analysis: f"depth: {len(analysis.shells)} ranks",
    undefined=lambda analysis: "",
    bounds=lambda analysis: (1 / (2 + len(analysis.shells)), 1 / (1 + len(analysis.shells))),
    bounds_are="ends of DEP", certified=True,
    gated=True, gain="depth {after} instead of {before}", burden=True, radar=True, brief=True,
)
evicted = Reading(
    key="rec", label="recovery", name="recovery", meaning="within how many moves the intruder is evicted",
    read=lambda analysis: math.inf if analysis.win < 0.475 else 3,
    says=lambda analysis: "never evicted" if analysis.win < 0.475 else "evicted within 3 moves",
    group="response", whole=True, less=True, endless="never",
    gated=True, gain="evicted within {after} moves instead of {before}", burden=True, brief=True,
)
table.READINGS = (*table.READINGS, depth, evicted)
"""

RUN_COMMANDS = """
from holdfast.apps.cli import app
from typer.testing import CliRunner
answers = [CliRunner().invoke(app, args) for args in json.loads(sys.argv[1])]
print(json.dumps([(answer.exit_code, answer.stdout) for answer in answers]))
"""

ASK_THE_STUDIO = """
from holdfast.apps.studio.bench import Bench
from holdfast.apps.studio.questions import draw, readings
from holdfast.readings import Entry, analyse
from holdfast.report.figures import fingerprint_radar
from holdfast.scenario import load
text, bench = open(sys.argv[1]).read(), Bench()
analysis = analyse(load(sys.argv[1]), latitude=False, response=False)
figure = fingerprint_radar(Entry("base", analysis, analysis))
words = [text.get_text() for axes in figure.axes for text in axes.texts]
body = {"scenario": text, "variant": None, "exact": False}
print(json.dumps([draw(bench, body), list(readings(bench, body)), words]))
"""


def with_new_rows(program: str, argument: str) -> list:
    """What a program answers in a Python in which the table has two readings more from the start."""
    command = [sys.executable, "-c", WITH_NEW_ROWS + program, argument]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def answers(*commands: tuple[str, ...]) -> list[tuple[int, str]]:
    """Exit code and output of each command with the two readings more."""
    return [(code, shown) for code, shown in with_new_rows(RUN_COMMANDS, json.dumps(commands))]


def test_a_new_reading_is_one_row_of_the_comparison():
    """Should appear in the tables, in CSV, JSON and Markdown of compare."""
    args = ("compare", PAPER, "--variant", "no-bypass", "--no-learning")
    (_, table), (_, listed), (_, told), (_, marked) = answers(
        args, (*args, "--csv"), (*args, "--json"), (*args, "--markdown")
    )
    for text in (table, marked):
        assert text.count("DEP") >= 2  # fingerprints and movements
        assert "recovery" in text and "never" in text
    header, *rows = (line.split(",") for line in listed.splitlines())
    found = [dict(zip(header, row)) for row in rows]
    assert [(row["dep"], row["dep_low"], row["rec"]) for row in found] == [
        ("0.2", str(1 / 6), "never"),
        ("0.2", str(1 / 6), "3"),
    ]
    found = json.loads(told)
    assert [(entry["dep"], entry["dep_low"], entry["rec"]) for entry in found["entries"]] == [
        (0.2, 1 / 6, "never"),
        (0.2, 1 / 6, 3),
    ]
    assert found["deltas"][0]["movements"]["dep"]["absolute"] == 0.0
    assert found["deltas"][0]["movements"]["rec"] == {
        "before": "never",
        "after": 3,
        "absolute": "-never",
        "relative": None,
    }


def test_a_new_reading_is_one_row_of_a_check(tmp_path):
    """Should have its gates, which heed both ends, and appear in words, in JSON and on the page."""
    gate, page = ("check", PAPER), tmp_path / "page.html"
    (met, shown), (between, _), (missed, _), (late, told), (_, data) = answers(
        (*gate, "--min-dep", "0.1", "--html", str(page)),
        (*gate, "--min-dep", "0.18"),
        (*gate, "--min-dep", "0.3"),
        (*gate, "--max-rec", "5"),
        (*gate, "--json", "--max-rec", "5"),
    )
    assert met == 0 and "depth: 4 ranks" in shown and "gate DEP ≥ 0.1: met" in shown
    assert (between, missed, late) == (3, 1, 1)
    assert "gate recovery ≤ 5: MISSED (never)" in told and "never evicted" in told
    assert "DEP" in page.read_text("utf-8") and "never evicted" in page.read_text("utf-8")
    found = json.loads(data)
    assert (found["dep"], found["dep_high"], found["response"]["rec"]) == (0.2, 0.2, "never")
    assert found["gates"][0] | {"axis": "rec", "maximum": 5, "value": "never"} == found["gates"][0]


def test_a_new_reading_weighs_changes_and_parts(tmp_path):
    """Should be among the readings and burdens of recommend, and be read in the cells of a frontier."""
    ask = ("recommend", PAPER, "--timeout", "300")
    frontier = ("frontier", PAPER, "--variant", "no-bypass", "--over", "times(destroy)=0..1")
    (_, shown), (_, told), (_, cells) = answers(
        ask, (*ask, "--json"), (*frontier, "--reading", "rec", "--json")
    )
    weighed, burden = shown.split("Which part makes defending hardest")
    assert all("DEP" in part and "recovery" in part for part in (weighed, burden))
    assert "never → 3" in burden and "recovery never" in burden
    found = json.loads(told)
    assert found["base"]["dep"] == 0.2 and found["base"]["response"]["rec"] == "never"
    assert {"dep", "rec"} < set(found["burden"][0]["delta"])
    assert "no longer never" in [part["delta"]["rec"] for part in found["burden"]]
    assert {cell["rec"] for cell in json.loads(cells)["cells"]} <= {"never", 3}


def test_a_new_reading_is_a_row_of_the_studio_and_a_side_of_the_radar():
    """Should reach the page with its row, its values and sentences, and stand on the radar of reports."""
    drawing, lines, words = with_new_rows(ASK_THE_STUDIO, PAPER)
    rows = {row["key"]: row for row in drawing["axes"]}
    assert rows["dep"]["brief"] and rows["rec"]["endless"] == "never" and rows["rec"]["group"] == "response"
    sides = [side["key"] for side in drawing["radar"]]
    assert sides == ["win", "stp", "slt", "ddr_exact", "dep"]
    assert all(abs(side["x"] ** 2 + side["y"] ** 2 - 1) < 1e-9 for side in drawing["radar"])
    assert lines[0]["values"]["dep"] == {"value": 0.2, "low": 1 / 6, "high": 0.2}
    assert lines[0]["values"]["rec"]["value"] == "never"
    assert lines[0]["says"]["dep"] == "depth: 4 ranks"
    assert "DEP 0.2000" in words


def test_the_rows_are_told_apart():
    """Should have one key, one label and one bearing each, and every static axis before the others."""
    bearings = [(side.x, side.y) for side in radar_sides()]
    for names in ([r.key for r in READINGS], [r.label for r in READINGS], bearings):
        assert len(set(names)) == len(names)
    assert bearings == [(0, 1), (1, 0), (0, -1), (-1, 0)]
    axes = fingerprint_readings()
    assert [axis.label for axis in static_readings()] == ["WIN", "STP", "SLT"]
    assert [axis.label for axis in axes] == ["WIN", "STP", "SLT", "room", "DDR*", "DDR"]
    assert axes[-2:] == operating_points()


def test_a_missing_reading_says_why():
    """Should tell what cannot be from what was not done."""
    assert reading_of("slt").described(LOST) == "shield latitude: there is no safe play to measure"
    assert reading_of("slt").described(STOPPED) == "shield latitude: not computed"
    assert reading_of("ddr").undefined(LOST) and not reading_of("ddr").undefined(STOPPED)
    assert (
        reading_of("win").described(replace(LOST, win=None)).endswith("every position is already a violation")
    )


def test_a_bracket_is_not_yet_a_value():
    """Should have no reading of DDR* while all that is known are its two ends."""
    axis = reading_of("ddr_exact")
    assert axis.read(WIDE) is None and axis.ends(WIDE) == (0.4, 0.6) and axis.is_read(WIDE)
    assert axis.described(WIDE).startswith("perfect play: certainly 0.4000 … 0.6000")
    assert axis.columns(WIDE) == {"ddr_exact": None, "ddr_exact_low": 0.4, "ddr_exact_high": 0.6}


def test_a_reading_in_doubt_is_shown_and_not_used():
    """Should read an unsettled DDR, with the word and the reason, and give nothing to rank."""
    axis = reading_of("ddr")
    assert (axis.read(UNSETTLED), axis.firm(UNSETTLED), axis.ends(UNSETTLED)) == (0.6, None, None)
    assert axis.doubt(UNSETTLED) == "unsettled" and axis.is_read(UNSETTLED)
    assert axis.described(UNSETTLED).endswith("unsettled: it moved")
    assert axis.ends(HELD) == (0.539, 0.539)


@pytest.mark.parametrize(
    ("found", "minima", "code"),
    [
        (HELD, {}, 0),
        (HELD, {"win": 0.4, "slt": 0.7, "ddr": 0.5}, 0),
        (HELD, {"win": 0.5}, 1),
        (LOST, {}, 1),
        (LOST, {"slt": 0.0}, 1),
        (STOPPED, {}, 0),
        (STOPPED, {"win": 0.4}, 0),
        (STOPPED, {"win": 0.4, "slt": 0.0}, 3),
        (STOPPED, {"ddr": 0.0}, 3),
        (STOPPED, {"win": 0.5, "slt": 0.0}, 1),
        (replace(HELD, ddr_exact=None, undecided="DDR*: too large"), {"ddr": 0.5, "slt": 0.7}, 0),
        (replace(HELD, interrupted=True, ddr=learned(0.6)), {"ddr": 0.5}, 3),
        (replace(HELD, interrupted=True, ddr=learned(0.6)), {}, 3),
        (UNSETTLED, {}, 0),
        (UNSETTLED, {"ddr": 0.5}, 3),
        (UNSETTLED, {"ddr": 0.9}, 3),
        (UNSETTLED, {"ddr": 0.5, "win": 0.5}, 1),
        (WIDE, {"ddr_exact": 0.4}, 0),
        (WIDE, {"ddr_exact": 0.5}, 3),
        (WIDE, {"ddr_exact": 0.6}, 3),
        (WIDE, {"ddr_exact": 0.61}, 1),
        (HELD, {"ddr_exact": 0.26}, 0),
        (HELD, {"ddr_exact": 0.28}, 1),
        (replace(HELD, interrupted=True), {"ddr_exact": 0.26}, 3),
        (STOPPED, {"ddr_exact": 0.0}, 3),
        (LOST, {"ddr_exact": 0.0}, 1),
    ],
)
def test_the_exit_code_is_that_of_what_was_asked(found, minima, code):
    """Should not fail for a reading that nobody gates, nor pass one that was not taken."""
    assert exit_code(found, gates_of(found, minima)) == code


def test_a_gate_says_whether_it_is_undecided():
    """Should be missed where the reading is undefined or below, undecided where a limit stopped it."""
    assert gates_of(STOPPED, {"slt": 0.5}) == (Gate("slt", 0.5, None, met=False, undecided=True),)
    assert gates_of(LOST, {"slt": 0.5}) == (Gate("slt", 0.5, None, met=False),)
    assert gates_of(HELD, {"win": 0.5, "ddr": 0.5}) == (
        Gate("win", 0.5, 0.4746, met=False),
        Gate("ddr", 0.5, 0.539, met=True),
    )
    (wide,) = gates_of(WIDE, {"ddr_exact": 0.5})
    assert (wide.met, wide.undecided, wide.reading) == (False, True, "0.4000 … 0.6000")
    (doubted,) = gates_of(UNSETTLED, {"ddr": 0.5})
    assert (doubted.value, doubted.met, doubted.undecided) == (0.6, False, True)
    assert doubted.reading == "0.6, unsettled"
