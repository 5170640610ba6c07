"""One table of axes: a row is all that a new metric needs to be shown, compared, exported and gated."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.apps.services.design import exit_code
from holdfast.readings.axes import AXES, Gate, axis_of, gates_of, operating_points, static_axes
from samples import golden_analysis, learned, solved

ROOT = Path(__file__).parent.parent
PAPER = str(ROOT / "scenarios" / "paper.yaml")
CASES = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]
HELD = golden_analysis(CASES["1"])
LOST = replace(HELD, defensible=False, slt=None, ddr=None, ddr_exact=None)
STOPPED = replace(HELD, slt=None, ddr=None, ddr_exact=None, undecided="SLT: stopped")
WIDE = replace(HELD, ddr_exact=solved(0.5, value=None, low=0.4, high=0.6))
UNSETTLED = replace(HELD, ddr=replace(learned(0.6), standing="unsettled", reason="it moved"))

WITH_A_NEW_AXIS = """
import json, sys
from holdfast.readings import axes
new = axes.Axis(
    key="dep", label="DEP", name="depth", meaning="depth: how many ranks there are", static=True,
    read=lambda analysis: 1 / (1 + len(analysis.shells)),
    says=lambda analysis: f"depth: {len(analysis.shells)} ranks",
    undefined=lambda analysis: "",
    gated=True,
)
axes.AXES = (*axes.AXES, new)
from holdfast.apps.cli import app
from typer.testing import CliRunner
answers = [CliRunner().invoke(app, args) for args in json.loads(sys.argv[1])]
print(json.dumps([(answer.exit_code, answer.stdout) for answer in answers]))
"""


def with_a_new_axis(*commands: tuple[str, ...]) -> list[tuple[int, str]]:
    """Exit code and output of each command, in a Python in which there is one axis more from the start."""
    command = [sys.executable, "-c", WITH_A_NEW_AXIS, json.dumps(commands)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [(code, shown) for code, shown in json.loads(done.stdout)]


def test_a_new_axis_is_one_row():
    """Should appear in the tables, in CSV and in JSON of compare, and have its gate."""
    args = ("compare", PAPER, "--variant", "no-bypass", "--no-learning")
    gate = ("check", PAPER, "--min-dep")
    (_, table), (_, listed), (_, told), (met, shown), (missed, _) = with_a_new_axis(
        args, (*args, "--csv"), (*args, "--json"), (*gate, "0.2"), (*gate, "0.3")
    )
    assert table.count("DEP") >= 2  # fingerprints and movements
    header, *rows = listed.splitlines()
    place = header.split(",").index("dep")
    assert [float(row.split(",")[place]) for row in rows] == [0.2, 0.2]
    found = json.loads(told)
    assert [entry["dep"] for entry in found["entries"]] == [0.2, 0.2]
    assert found["deltas"][0]["movements"]["dep"]["absolute"] == 0.0
    assert met == 0 and "depth: 4 ranks" in shown and "gate DEP ≥ 0.2: met" in shown
    assert missed == 1


def test_the_rows_are_told_apart():
    """Should have one key, one label and one bearing each, and every static axis before the others."""
    for names in ([a.key for a in AXES], [a.label for a in AXES], [a.bearing for a in AXES if a.bearing]):
        assert len(set(names)) == len(names)
    assert (*static_axes(), *operating_points()) == AXES
    assert [axis.label for axis in AXES] == ["WIN", "STP", "SLT", "DDR*", "DDR"]


def test_a_missing_reading_says_why():
    """Should tell what cannot be from what was not done."""
    assert axis_of("slt").described(LOST) == "shield latitude: there is no safe play to measure"
    assert axis_of("slt").described(STOPPED) == "shield latitude: not computed"
    assert axis_of("ddr").undefined(LOST) and not axis_of("ddr").undefined(STOPPED)
    assert axis_of("win").described(replace(LOST, win=None)).endswith("every position violates already")


def test_a_bracket_is_not_yet_a_value():
    """Should have no reading of DDR* while all that is known are its two ends."""
    axis = axis_of("ddr_exact")
    assert axis.read(WIDE) is None and axis.ends(WIDE) == (0.4, 0.6) and axis.is_read(WIDE)
    assert axis.described(WIDE).startswith("perfect play: certainly 0.4000 … 0.6000")
    assert axis.columns(WIDE) == {"ddr_exact": None, "ddr_exact_low": 0.4, "ddr_exact_high": 0.6}


def test_a_reading_in_doubt_is_shown_and_not_used():
    """Should read an unsettled DDR, with the word and the reason, and give nothing to rank."""
    axis = axis_of("ddr")
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
