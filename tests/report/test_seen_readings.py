"""What becomes of a design where not everything is seen: in words, tables, JSON, SARIF and comparisons."""

from __future__ import annotations

import json

import pytest

from commands import holdfast
from paths import SCENARIOS

COPIES = str(SCENARIOS / "two-copies.yaml")


def words_of(*arguments, exits=0):
    done = holdfast(*arguments)
    assert done.returncode == exits, done.stderr
    return " ".join(done.stdout.split())


def test_what_is_left_stands_beside_the_readings_with_sight():
    """Should have latitude, recovery and response with what is seen, and say whose the others are."""
    said = words_of("check", COPIES, "--variant", "watched", "--no-ladder")
    assert "A defense with sensors at BK exists" in said
    assert "The attacker can be evicted within 16 moves, and is known to be." in said
    assert "latitude 0.8478 0.8790 84.8% of the defender's actions are safe" in said
    assert "evicted 16 16 the attacker can be evicted within 16 moves, and it is known then" in said
    assert "effort 1 1 1 intervention in all is enough" in said
    assert "All other scores, and every rung of the ladder except blind, are for a defender who" in said
    data = json.loads(holdfast("check", COPIES, "--variant", "watched", "--no-ladder", "--json").stdout)
    assert data["sight"]["response"] == {"effort": 1, "tempo": "unbounded", "grace": 0}
    assert data["sight"]["recovery"] == {"evicted": 16, "recovered": 22}


def test_a_design_that_is_lost_with_what_is_seen(tmp_path):
    """Should fail, name the sensors command, and be an alert of its own for pipelines."""
    alerts = tmp_path / "alerts.sarif"
    said = words_of("check", COPIES, "--no-ladder", "--sarif", str(alerts), exits=1)
    assert "NOT DEFENSIBLE WITH THESE SENSORS" in said and "holdfast sensors" in said
    assert "With these sensors" not in said
    (result,) = json.loads(alerts.read_text())["runs"][0]["results"]
    assert result["ruleId"] == "unseen-attack"
    data = json.loads(holdfast("check", COPIES, "--no-ladder", "--json").stdout)
    assert data["defensible"] and data["sight"]["defensible"] is False and data["sight"]["response"] is None


def test_comparisons_tell_sight_from_the_contract():
    """Should not take a late sensor for another requirement, nor say of a lost design that it holds."""
    said = words_of("compare", COPIES, "--no-learning", "--no-ladder")
    assert "Not defensible with what the sensors show: base, late." in said
    assert "All 3 hold if everything is seen" in said
    assert "late (change of what is seen)" in said and "another contract" not in said


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["explain"], "Everything below is about a defender who sees everything."),
        (["playbook"], "two-copies.yaml --variant watched --for sight"),
        (["playbook", "--for", "evict"], "two-copies.yaml --variant watched --for sight"),
    ],
)
def test_answers_with_sight_say_so(command, hint):
    """Should not let anybody take them for answers about what is seen."""
    assert hint in words_of(*command, COPIES, "--variant", "watched")


def test_a_shield_that_must_be_told_everything(tmp_path):
    """Should say so where the file says what is seen."""
    place = ["--output", str(tmp_path / "shield.py"), "--format", "python"]
    told = holdfast("export-shield", COPIES, "--variant", "watched", *place).stderr
    assert "--sight writes what holds with what is seen" in told
    assert (
        "--sight" not in holdfast("export-shield", COPIES, "--variant", "watched", "--sight", *place).stderr
    )
