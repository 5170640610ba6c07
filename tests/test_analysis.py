"""Whole analyses: readings together, saved and loaded, cached and never stale; the fingerprint command."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from budgets import watched
from holdfast.analysis import analyse
from holdfast.archive import load_analysis, provenance_of, save
from holdfast.errors import InputError, LimitError
from holdfast.protocol import Protocol
from holdfast.report.fingerprint import operating_point
from holdfast.results import Analysis
from holdfast.scenario.load import load

ROOT = Path(__file__).parent.parent
PAPER = ROOT / "scenarios" / "paper.yaml"
SHORT = Protocol(episodes=40, window=10, steps=200, seeds=3)


def holdfast(*args):
    return subprocess.run(
        [sys.executable, "-m", "holdfast", *args], cwd=ROOT, capture_output=True, text=True, timeout=180
    )


@pytest.fixture(scope="module")
def short() -> Analysis:
    return analyse(load(PAPER), SHORT, learning=True, exact=True, provenance=provenance_of("text", None, {}))


def test_an_analysis_holds_every_reading(short):
    """Should give the static figures, DDR with its interval, and DDR*."""
    assert short.winning == 23_730
    assert short.shells == (19238, 6392, 256, 384)
    assert short.ddr.low < short.ddr.mean < short.ddr.high
    assert len(short.ddr.per_seed) == 3
    assert short.trajectories.shape == (3, 40)
    assert 0 <= short.ddr_exact.value <= 1
    assert short.protocol.episodes == 40


def test_saved_and_loaded_it_is_the_same(short, tmp_path):
    """Should survive the disk whole, trajectories and all."""
    path = tmp_path / "deep" / "a.json"
    save(short, path)
    again = load_analysis(path)
    assert again == short
    np.testing.assert_array_equal(again.trajectories, short.trajectories)
    assert json.loads(path.read_text())["provenance"]["key"] == short.provenance.key
    assert sorted(p.name for p in path.parent.iterdir()) == ["a.json", "a.npz"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"holdfast_analysis": 1}', '{"holdfast_analysis": 99}', "\x00"]
)
def test_what_is_no_analysis_is_refused(text, tmp_path):
    """Should say that the file is not one of ours, whatever it holds."""
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match="not an analysis"):
        load_analysis(path)
    with pytest.raises(InputError, match="cannot read"):
        load_analysis(tmp_path / "nothing.json")


def test_the_key_covers_what_decides_the_numbers():
    """Should change with the text, the variant and the protocol, and with nothing else."""
    key = provenance_of("text", None, {"seeds": 3}).key
    assert key == provenance_of("text", None, {"seeds": 3}).key
    for other in (("Text", None, {"seeds": 3}), ("text", "v", {"seeds": 3}), ("text", None, {"seeds": 4})):
        assert provenance_of(*other).key != key


def test_an_indefensible_design_has_no_operating_point():
    """Should leave SLT, DDR and DDR* undefined, never 0."""
    found = analyse(load(ROOT / "scenarios" / "patrol-robot.yaml"), learning=True, exact=True)
    assert not found.defensible
    assert found.initial_rank == 6
    assert (found.slt, found.ddr, found.ddr_exact) == (None, None, None)
    assert found.undecided is None


def test_a_limit_late_in_the_work_keeps_the_certificate():
    """Should name the missing reading and keep the others."""

    def impatient(doing: str) -> None:
        if doing.startswith("safe play"):
            raise LimitError("enough")

    found = analyse(load(PAPER), budget=watched(impatient))
    assert found.defensible
    assert found.slt is None
    assert found.undecided == "SLT: enough"

    def at_once(doing: str) -> None:
        raise LimitError("enough")

    with pytest.raises(LimitError) as caught:
        analyse(load(PAPER), budget=watched(at_once))
    assert caught.value.known["positions"] == 150_000


@pytest.mark.parametrize(
    ("learned", "words"), [(0.5, "left 50.0 %"), (0.1, "kept 10.0 %"), (0.2501, "settled there")]
)
def test_the_operating_point_in_a_sentence(short, learned, words):
    """Should say which side the training fell short on."""
    exact = replace(short.ddr_exact, value=0.25, low=0.25, high=0.25)
    found = replace(short, ddr=replace(short.ddr, mean=learned), ddr_exact=exact)
    assert words in operating_point(found)


def test_fingerprint_adds_both_operating_points(tmp_path):
    """Should print the keys of the contract, reuse its cache, and never a stale answer."""
    args = ["fingerprint", str(PAPER), "--seeds", "2", "--episodes", "30", "--cache", str(tmp_path), "--json"]
    done = holdfast(*args)
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    assert first["ddr"].keys() >= {"mean", "low", "high", "per_seed"}
    assert first["ddr_exact"].keys() >= {"value", "tremble"}
    assert round(first["ddr_exact"]["value"], 4) == 0.2520
    assert json.loads(holdfast(*args).stdout) == first
    assert len(list(tmp_path.glob("*.json"))) == 1
    assert holdfast(*args, "--jobs", "1").returncode == 0
    changed = holdfast(
        "fingerprint", str(PAPER), "--seeds", "2", "--episodes", "31", "--cache", str(tmp_path), "--json"
    )
    assert json.loads(changed.stdout)["ddr"] != first["ddr"]
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_fingerprint_without_learning_and_gates():
    """Should let DDR* stand alone, and refuse a gate on a reading that is skipped."""
    done = holdfast("fingerprint", str(PAPER), "--no-learning", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["ddr"] is None
    assert found["ddr_exact"]["value"] > 0
    assert holdfast("fingerprint", str(PAPER), "--no-learning", "--min-ddr", "0.5").returncode == 2
    short = ("--seeds", "1", "--episodes", "5")
    done = holdfast("fingerprint", str(PAPER), *short, "--min-ddr", "1.0")
    assert done.returncode == 1
    assert "gate DDR ≥ 1: MISSED" in done.stdout
    assert "Against a perfect adversary" in done.stdout


def test_compare_tells_what_changed_and_where():
    """Should print the reading and exit by the verdicts; with --json one object."""
    args = ["compare", str(PAPER), "--variant", "no-bypass", "--seeds", "2", "--episodes", "20"]
    done = holdfast(*args)
    assert done.returncode == 0, done.stderr
    for words in (
        "against base",
        "no-bypass (change of arena)",
        "ranks 3 and 4 only",
        "80 positions leave safe play",
    ):
        assert words in " ".join(done.stdout.split())
    found = json.loads(holdfast(*args, "--no-learning", "--json").stdout)
    assert [entry["label"] for entry in found["entries"]] == ["base", "no-bypass"]
    done = holdfast("compare", "scenarios/water-tank.yaml", "--no-learning")
    assert done.returncode == 1  # one of the variants is not defensible
    assert holdfast("compare", str(PAPER), "--base", "nonsense").returncode == 2
    assert "Traceback" not in holdfast("compare", str(PAPER), "--variant", "nonsense").stderr


def test_an_interrupted_training_says_so():
    """Should keep the seeds that finished and mark the analysis, so that nobody takes them for all."""
    protocol = Protocol(episodes=40, steps=20, window=10, seeds=4)

    def impatient(doing):
        if doing == "training seed 3":
            raise KeyboardInterrupt

    found = analyse(load(PAPER), protocol, latitude=False, learning=True, budget=watched(impatient, jobs=1))
    assert found.interrupted and "stopped before the seeds" in found.undecided
    assert found.ddr.seeds == (1, 2)
