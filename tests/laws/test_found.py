"""What the standing attack (tests/fuzzing) has found stays mended; and the attack itself finds what is there."""

import json
import random
from pathlib import Path

import pytest

from fuzzing import attacks, campaign
from fuzzing.attacks import ATTACKS, Attack, case_of, judged, reductions, smaller
from fuzzing.found import keep, kept, read

# Newer Pythons warn of forks beside threads; the forked processes here only make and judge cases.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.mark.parametrize("path", kept(), ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path: Path) -> None:
    """Should have nothing wrong with it any more."""
    attack, case = read(path)
    complaint = judged(attack, case)[1]
    assert complaint is None, complaint.words


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_attack_makes_cases_again_and_finds_nothing(attack: str) -> None:
    """Should make the same case from the same numbers, as plain data, and have no complaint."""
    case = case_of(attack, 7, 0)
    assert json.loads(json.dumps(case)) == json.loads(json.dumps(case_of(attack, 7, 0)))
    kinds, complaint = judged(attack, json.loads(json.dumps(case)))
    assert complaint is None, complaint.words
    assert kinds


def test_every_file_is_about_an_attack_that_there_is() -> None:
    """Should be small enough to be read."""
    for path in kept():
        attack, _ = read(path)
        assert attack in ATTACKS and path.name.startswith(attack)
        assert path.stat().st_size < 20_000


# -- the attack itself, against mistakes that are planted --------------------------------------------------


def planted(judge) -> Attack:
    """An attack whose cases are a few letters."""
    return Attack(lambda rng: {"text": "".join(rng.choices("abcx", k=30)), "other": [1, 2, 3]}, judge)


def no_two_x(case):
    """A mistake that is there where two letters stand together."""
    assert "xx" not in case["text"], case["text"]
    return ["plain"]


@pytest.fixture
def attack_with(monkeypatch, tmp_path):
    """The name of an attack with a judge; what it finds is kept in a folder of the test."""

    def plant(judge):
        monkeypatch.setitem(attacks.ATTACKS, "planted", planted(judge))
        monkeypatch.setattr(campaign, "keep", lambda *args: keep(*args, folder=tmp_path))
        monkeypatch.setattr(campaign, "BATCH", 0.05)
        return "planted"

    return plant


def test_a_case_is_made_as_small_as_it_can_be(attack_with):
    """Should leave what the mistake needs, and nothing else."""
    attack = attack_with(no_two_x)
    case = next(c for c in (case_of(attack, 0, n) for n in range(99)) if "xx" in c["text"])
    mark = judged(attack, case)[1].mark
    assert smaller(attack, case, mark, 60.0) == {"text": "xx"}


def test_smaller_values_are_smaller_and_end():
    """Should come to an end whatever is taken."""
    value = {"a": ["bc", {"d": "e\nf"}], "g": 1}
    rng, n = random.Random(0), 0
    while options := list(reductions(value)):
        assert all(len(json.dumps(option)) < len(json.dumps(value)) for option in options)
        value, n = rng.choice(options), n + 1
    assert value in ({}, {"g": 1}) and n > 2


def test_a_campaign_counts_finds_and_keeps(attack_with, tmp_path):
    """Should find a planted mistake, keep one file of it, and stop in order when it is interrupted."""
    attack = attack_with(no_two_x)

    def tell(tally, finding):
        if len(tally.findings) >= 3:
            raise KeyboardInterrupt

    tally = campaign.campaign(0, 1.0, 1, [attack], True, tell)
    told = campaign.summary(tally, 1.0)
    assert told["cases"][attack] >= len(told["findings"]) >= 3
    assert {finding["mark"] for finding in told["findings"]} == {tally.findings[0].mark}
    (path,) = kept(tmp_path)
    assert read(path) == (attack, {"text": "xx"})
    number = tally.findings[0].number
    assert "xx" in case_of(attack, 0, number)["text"]


def test_a_case_that_never_ends_is_ended_and_found_alone(attack_with, monkeypatch):
    """Should name the one case that did not end, and not its neighbours."""

    def judge(case):
        while case == case_of("planted", 0, 5):
            pass
        return ["ended"]

    attack = attack_with(judge)
    monkeypatch.setattr(campaign, "PROCESSOR", 1)
    monkeypatch.setattr(campaign, "BATCH", 60.0)

    def tell(tally, finding):
        if tally.findings:
            raise KeyboardInterrupt

    tally = campaign.campaign(0, 1.0, 1, [attack], False, tell)
    assert [(f.attack, f.number, f.mark) for f in tally.findings] == [(attack, 5, "ended with -24")]
