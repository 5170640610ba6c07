"""How likely a design holds, in words, tables, gates and JSON."""

from __future__ import annotations

import json

import pytest

from commands import holdfast

LOST = """\
holdfast: 1
name: likely
network:
  hosts: [GW, Web, WS, DB, BK]
  links: [GW -> Web, GW -> WS, Web -> WS, Web -> DB, WS -> DB, DB -> BK]
  entry: GW
  chance: {spread: 0.05}
specs:
  defender: ["G !(DB in {X, D, Z} & BK in {X, D, Z})", G (active >= 4)]
  adversary: [G (times(destroy) <= 2)]
pace: {move: 30 min}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lost.yaml").write_text(LOST, "utf-8")
    (tmp_path / "sure.yaml").write_text(LOST.replace("  chance: {spread: 0.05}\n", ""), "utf-8")
    return tmp_path


def test_a_lost_design_leads_with_how_likely_it_holds(folder):
    """Should say it in the first sentence, in moves and in hours, and have it as a table and a curve."""
    done = holdfast("check", "lost.yaml", "--no-ladder", "--hold", "10,100", cwd=folder)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1
    assert "With luck the adversary forces a violation within 5 moves;" in said
    assert "kept for 100 moves (2.1 d) with probability 0.9645 and for ever with probability 0.9500" in said
    matters = "What matters within 100 moves, as the change of HOLD per unit of success probability:"
    assert f"{matters} spread(DB) −0.264, spread(BK) −0.264." in said  # instead of Web, WS does as well
    assert "For ever with probability 19/20, exactly." in said
    assert "0.964493790 … 0.964493791" in said


def test_json_has_both_ends(folder):
    """Should have brackets by number of moves and for ever; and no entry where there is no chance."""
    done = holdfast("check", "lost.yaml", "--no-ladder", "--hold", "10,100", "--json", cwd=folder)
    hold = json.loads(done.stdout)["hold"]
    assert set(hold["moves"]) == {"10", "100"}
    assert hold["forever"]["low"] <= 0.95 <= hold["forever"]["high"] < 0.9500001
    assert (
        hold["lucky"] is True and hold["method"] == "listed" and next(iter(hold["matters"])) == "spread(DB)"
    )
    assert hold["exact"] == "19/20" and hold["mean"] is None and hold["matters_within"] == 100
    sure = json.loads(holdfast("check", "sure.yaml", "--no-ladder", "--json", cwd=folder).stdout)
    assert "hold" not in sure
    asked = holdfast("check", "sure.yaml", "--no-ladder", "--hold", "4,5", "--json", cwd=folder)
    assert json.loads(asked.stdout)["hold"]["moves"] == {
        "4": {"low": 1.0, "high": 1.0},
        "5": {"low": 0.0, "high": 0.0},
    }


@pytest.mark.parametrize(
    ("gate", "code", "words"),
    [
        ("0.95@100", 0, "HOLD for 100 moves ≥ 0.95: met"),
        ("0.97@100", 1, "HOLD for 100 moves ≥ 0.97: MISSED"),
        ("0.9", 0, "HOLD ≥ 0.9: met"),
        ("0.99", 1, "HOLD ≥ 0.99: MISSED"),
        ("1.5", 2, "expected a probability from 0 to 1"),
        ("0.5@soon", 2, "expected a probability from 0 to 1"),
    ],
)
def test_a_gate_decides_instead_of_the_verdict(folder, gate, code, words):
    """Should pass a lost design that holds likely enough, and refuse what is no probability."""
    done = holdfast("check", "lost.yaml", "--no-ladder", "--min-hold", gate, cwd=folder)
    assert done.returncode == code
    assert words in " ".join((done.stdout + done.stderr).split())


def test_a_page_draws_the_curve(folder):
    """Should have the figure with its words."""
    done = holdfast("check", "lost.yaml", "--no-ladder", "--html", "page.html", cwd=folder)
    page = (folder / "page.html").read_text("utf-8")
    assert done.returncode == 1
    assert "How likely the requirement is still kept" in page and "A falling curve" in page


def test_a_proof_is_written_and_checked(folder):
    """Should write the certificate of both ends, and verify it; and the game for others."""
    holdfast(
        "check", "lost.yaml", "--no-ladder", "--certificate", "proof.json", "--claim", "hold",
        "--hold", "10,40", cwd=folder,
    )  # fmt: skip
    done = holdfast("verify", "proof.json", cwd=folder)
    assert (
        done.returncode == 0
        and "VALID: the requirement is kept for ever with probability 0.9499" in done.stdout
    )
    told = json.loads(holdfast("verify", "proof.json", "--json", cwd=folder).stdout)
    assert told["bounds"]["moves"] == 40
    game = holdfast("export-game", "lost.yaml", cwd=folder)
    assert game.returncode == 0 and 'label "unsafe"' in game.stdout


def test_fingerprint_of_a_held_design_trains_players(folder):
    """Should have HOLD, DDR*, and DDR of learners, which are not better than perfect play allows."""
    held = LOST.replace("active >= 4", "active >= 3")
    (folder / "held.yaml").write_text(held, "utf-8")
    done = holdfast("fingerprint", "held.yaml", "--json", "--seeds", "2", "--episodes", "40", cwd=folder)
    found = json.loads(done.stdout)
    assert found["defensible"] and found["hold"]["forever"] == {"low": 1.0, "high": 1.0}
    assert round(found["ddr_exact"]["value"], 4) == 0.9387 and found["undecided"] is None
    assert found["ddr"]["bracket"]["guaranteed"] <= 0.93871 <= found["ddr"]["bracket"]["conceded"] + 1e-4


def test_an_explanation_tells_the_likeliest_way_to_lose(folder):
    """Should lead with how likely it holds, and tell a play of three exploits that succeed at once."""
    done = holdfast("explain", "lost.yaml", cwd=folder)
    said = " ".join(done.stdout.split())
    assert "with the given probabilities the requirement is kept for 100 moves (2.1 d) with" in said
    assert "every attempt succeeds the first time, with probability 0.000125" in said
    way = json.loads(holdfast("explain", "lost.yaml", "--json", cwd=folder).stdout)["likely"]
    assert [step["move"]["action"] for step in way["play"]][::2] == [
        "spread(Web)",
        "spread(DB)",
        "spread(BK)",
    ]
    assert way["hold"]["exact"] == "19/20"
    plain = json.loads(holdfast("explain", "sure.yaml", "--json", cwd=folder).stdout)
    assert plain["likely"] is None


def test_a_gate_that_is_met_raises_no_alarm(folder):
    """Should be the exit code and SARIF alike: no error where the probability is what was asked for."""
    for bound, rules in (("0.9@100", []), ("0.97@100", ["missed-gate"])):
        asked = ("check", "lost.yaml", "--no-ladder", "--min-hold", bound, "--sarif", "found.sarif")
        done = holdfast(*asked, cwd=folder)
        (run,) = json.loads((folder / "found.sarif").read_text("utf-8"))["runs"]
        assert done.returncode == len(rules) and [each["ruleId"] for each in run["results"]] == rules
