"""``fragile`` and ``guard`` from the command line: a change that adds the bypass is refused with the rule."""

import json

from commands import holdfast
from paths import ROOT

PAPER = str(ROOT / "scenarios" / "paper.yaml")


def test_a_change_that_adds_the_bypass_is_refused(tmp_path):
    guard = str(tmp_path / "guard.json")
    asked = [
        "fragile",
        PAPER,
        "-v",
        "no-bypass",
        "--keep",
        "evict",
        "--kind",
        "link",
        "--write",
        guard,
        "--json",
    ]
    done = holdfast(*asked)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["additions"] for each in found["breakers"]] == [
        ["link GW -> WS"],
        ["link GW -> DB"],
        ["link GW -> BK"],
    ]
    assert (found["robustness"], found["complete_to"]) == (1, 1)
    assert len(json.loads((tmp_path / "guard.json").read_text())["proof_sha256"]) == 64
    assert holdfast("guard", guard, PAPER).returncode == 0
    refused = holdfast("guard", guard, PAPER, "-v", "base")
    assert refused.returncode == 1 and "link GW -> WS must never be added" in refused.stdout
    weaker = holdfast("guard", guard, PAPER, "-v", "two-active", "--json")
    assert weaker.returncode == 1 and json.loads(weaker.stdout)["weaker"]


def test_a_design_that_lacks_it_is_refused(tmp_path):
    lost = str(ROOT / "scenarios" / "indefensible.yaml")
    assert holdfast("fragile", lost).returncode == 1
    done = holdfast("fragile", lost, "--write", str(tmp_path / "guard.json"))
    assert done.returncode == 2 and "nothing to guard" in done.stderr
