"""Whole analyses: readings together, saved and loaded, cached and never stale; the fingerprint command."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from budgets import watched
from commands import holdfast
from holdfast.apps.cli import app
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError
from holdfast.game.protocol import Protocol
from holdfast.operation import dominance
from holdfast.operation.training.interval import GreedyBracket
from holdfast.operation.training.minimax_q import greedy_actions, greedy_policies, train
from holdfast.readings import analysis, archive, metrics
from holdfast.readings.analysis import analyse, iter_analysis
from holdfast.readings.archive import load_analysis, provenance_of, save_analysis
from holdfast.readings.compare.designs import compare_subjects
from holdfast.readings.compare.positions import Subject
from holdfast.readings.question import Asked, steps
from holdfast.readings.results import Analysis
from holdfast.report.documents.fingerprint import operating_point
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from paths import ROOT
from samples import learned, solved

PAPER = ROOT / "scenarios" / "paper.yaml"
SHORT = Protocol(episodes=40, window=10, steps=200, seeds=3)


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
    save_analysis(short, path)
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
    ("learned", "words"), [(0.5, "left 50.0%"), (0.1, "kept 10.0%"), (0.2501, "settled there")]
)
def test_the_operating_point_in_a_sentence(short, learned, words):
    """Should say which side the training fell short on."""
    exact = replace(short.ddr_exact, value=0.25, low=0.25, high=0.25, tremble=0.25)
    settled = replace(short.ddr, mean=learned, standing="settled", reason="")
    assert words in operating_point(replace(short, ddr=settled, ddr_exact=exact))


def test_what_has_not_settled_is_compared_with_nothing(short):
    """Should say the word and the reason, with DDR* or without, and blame nobody."""
    assert short.ddr.standing == "unsettled"
    for found in (short, replace(short, ddr_exact=None)):
        told = operating_point(found)
        assert f"DDR {short.ddr.mean:.3f} is unsettled, not an operating point: {short.ddr.reason}." in told
        assert "trained adversary left" not in told and "gave away" not in told
    assert told.startswith("DDR")


def test_a_bracket_in_a_sentence(short):
    """Should give both ends where DDR* is not one number yet."""
    wide = replace(short.ddr_exact, value=None, low=0.25, high=0.5, tremble=None)
    told = operating_point(replace(short, ddr=None, ddr_exact=wide))
    assert told.endswith("perfect play keeps a mean dominance between 25.0% and 50.0%.")


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
    done = holdfast("fingerprint", str(PAPER), "--seeds", "2", "--min-ddr", "1.0", "--min-ddr-exact", "0.25")
    assert done.returncode == 1
    assert "gate DDR ≥ 1: MISSED" in done.stdout and "gate DDR* ≥ 0.25: met" in done.stdout
    assert "Against a perfect adversary" in done.stdout


def test_a_training_that_has_not_settled_decides_no_gate():
    """Should leave the gate undecided, with the word, whatever the reading is."""
    short = ("--seeds", "1", "--episodes", "5")
    done = holdfast("fingerprint", str(PAPER), *short, "--min-ddr", "0.0")
    assert done.returncode == 3
    assert re.search(r"gate DDR ≥ 0: undecided \(0\.\d+, unsettled\)", done.stdout)
    assert "had never been learned" in done.stdout
    found = json.loads(holdfast("fingerprint", str(PAPER), *short, "--min-ddr", "0.0", "--json").stdout)
    assert (found["ddr"]["standing"], found["gates"][0]["undecided"]) == ("unsettled", True)
    assert found["ddr"]["settling"].keys() == {"fresh", "drift", "unrest", "apart"}


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
        if doing.startswith("training seed 3"):
            raise KeyboardInterrupt

    found = analyse(load(PAPER), protocol, latitude=False, learning=True, budget=watched(impatient, jobs=1))
    assert found.interrupted and "stopped before the seeds" in found.undecided
    assert found.ddr.seeds == (1, 2)


# -- limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "missing", "kept"),
    [
        ("certify", "certificate: enough", ()),
        ("safe play", "SLT: enough", ("ddr", "ddr_exact")),
        ("enumerating", "DDR*: enough", ("slt",)),
        ("perfect play", "DDR*: enough", ("slt", "ddr")),
        ("training", "DDR: enough", ("slt", "ddr_exact")),
    ],
)
def test_every_part_can_meet_a_limit(last, missing, kept):
    """Should name what a limit stopped, whatever it is, and keep the rest."""

    def impatient(doing: str) -> None:
        if doing.startswith(last):
            raise LimitError("enough")

    def refuse(solution: object) -> None:
        if last == "certify":
            raise LimitError("enough")

    protocol = replace(SHORT, episodes=10, seeds=1)
    found = analyse(
        load(PAPER), protocol, learning=True, exact=True, budget=watched(impatient), solved=refuse
    )
    assert found.defensible and found.undecided.startswith(missing)
    assert all(getattr(found, name) is not None for name in kept)


def test_a_limit_after_the_value_keeps_the_value(monkeypatch):
    """Should keep DDR* and DDR where only what is added to them met a limit."""

    def refused(*args: object, **kwargs: object) -> None:
        raise LimitError("enough")

    monkeypatch.setattr("holdfast.operation.point.bounds_at", refused)
    monkeypatch.setattr("holdfast.operation.guarantees", refused)
    protocol = replace(SHORT, episodes=10, seeds=1)
    found = analyse(load(PAPER), protocol, learning=True, exact=True)
    assert found.undecided == "long run: enough; what the learned policies guarantee: enough"
    assert found.ddr_exact.value is not None and found.ddr_exact.long_run is None
    assert found.ddr.mean is not None and found.ddr.bracket is None
    assert "Against a perfect adversary" in operating_point(found)


def counting(monkeypatch, module, *names):
    """How often functions of a module are called from now on."""
    counted = Counter()

    def counted_call(name, function, *args, **kwargs):
        counted[name] += 1
        return function(*args, **kwargs)

    for name in names:
        monkeypatch.setattr(module, name, partial(counted_call, name, getattr(module, name)))
    return counted


def test_what_policies_guarantee_is_found_on_one_arena(monkeypatch):
    """Should solve one episode for each player and seed, and DDR* once, with the digits of every seed alone."""
    where, seeds = shielded_arena(solve(load(PAPER))), replace(SHORT, episodes=10)
    trained = train(where, seeds, tables=True)
    policies = [greedy_actions(where, greedy_policies(trained, seed)) for seed in trained.seeds]
    alone = [dominance.exploitability(where, policy, seeds) for policy in policies]
    counted = counting(monkeypatch, dominance, "merged_arena", "episode_value")
    found = dominance.guarantees(where, policies, seeds)
    assert found == (
        tuple(one.guaranteed for one in alone),
        tuple(one.conceded for one in alone),
        alone[0].value,
    )
    assert counted == {"merged_arena": 1, "episode_value": 2 * len(policies) + 1}
    counted.clear()
    bracket = analysis._bracket(trained, seeds, Budget())
    assert counted == {"merged_arena": 1, "episode_value": 2 * len(policies) + 1}
    assert bracket.guaranteed == math.fsum(one.guaranteed for one in alone) / len(alone)
    assert bracket.conceded == math.fsum(one.conceded for one in alone) / len(alone)


def test_static_readings_are_taken_once(monkeypatch):
    """Should read WIN and STP off a solution a single time, and add SLT to them."""
    counted = counting(monkeypatch, metrics, "winning_fraction", "shell_steepness", "shield_latitude")
    found = analyse(load(PAPER), response=False)
    assert counted == {"winning_fraction": 1, "shell_steepness": 1, "shield_latitude": 1}
    assert (found.win, found.stp, found.slt) == pytest.approx((0.4746, 0.5102, 0.7180), abs=1e-4)


# -- results ----------------------------------------------------------------------------------------


def test_an_operating_point_that_was_solved_has_one_value(short):
    """Should have both ends at the value, and say how it was found."""
    exact = short.ddr_exact
    assert exact.low == exact.value == exact.high
    assert exact.method == "episode" and exact.seconds > 0
    assert exact.long_run.low <= exact.long_run.high


def test_intervals_stay_where_dominance_can_be(short):
    """Should cut what lies outside [0, 1], and leave the rest to the last digit."""
    wide = analysis._within(learned(0.6, -0.671, 1.871))
    assert (wide.mean, wide.low, wide.high) == (0.6, 0.0, 1.0)
    assert analysis._within(learned(0.6, 0.51, 0.69)) == learned(0.6, 0.51, 0.69)
    assert analysis._within(learned(0.6)).interval is None
    assert 0 <= short.ddr.low <= short.ddr.high <= 1


def test_noise_of_exploration_is_no_fault(short):
    """Should blame nobody where the policy holds what perfect play holds and DDR was taken with errors."""
    exact = solved(0.806, tremble=0.70)
    ddr = replace(learned(0.696), bracket=GreedyBracket(0.806, 0.806, "neither"))
    told = operating_point(replace(short, ddr=ddr, ddr_exact=exact))
    assert "gave away" not in told and "settled there too (69.6%)" in told
    assert "guarantees 80.6%" in told and "both err in 10.0% of their moves, 70.0%" in told
    told = operating_point(replace(short, ddr=replace(ddr, mean=0.6), ddr_exact=exact))
    assert "gave away" not in told and "makes less use of errors" in told
    worse = replace(ddr, mean=0.6, bracket=GreedyBracket(0.5, 0.806, "defender"))
    assert "it gave away what perfect play keeps" in operating_point(
        replace(short, ddr=worse, ddr_exact=exact)
    )
    none = operating_point(replace(short, ddr_exact=solved(0.5, epsilon=0.0)))
    assert "both err" not in none


# -- on disk ----------------------------------------------------------------------------------------


def typed(value):
    """The value with the type of each of its parts."""
    if is_dataclass(value):
        return type(value), [(f.name, typed(getattr(value, f.name))) for f in fields(value)]
    if isinstance(value, tuple):
        return tuple, [typed(part) for part in value]
    return type(value), value if not isinstance(value, np.ndarray) else value.tobytes()


@pytest.mark.parametrize("kind", ["whole", "static", "listed seeds", "lost"])
def test_a_saved_analysis_is_the_same_by_type_and_value(short, kind, tmp_path):
    """Should come back with tuples as tuples and classes as classes, so that protocols compare equal."""
    given = {
        "whole": lambda: short,
        "static": lambda: analyse(load(PAPER), latitude=False),
        "listed seeds": lambda: replace(short, protocol=replace(SHORT, seeds=(7, 3)), undecided="SLT: late"),
        "lost": lambda: analyse(load(ROOT / "scenarios" / "patrol-robot.yaml")),
    }[kind]()
    save_analysis(given, tmp_path / "a.json")
    again = load_analysis(tmp_path / "a.json")
    assert again == given and typed(again) == typed(given)
    save_analysis(again, tmp_path / "b.json")
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()
    one, other = Subject("kept", again), Subject("new", given)
    assert not any("protocol" in warning for warning in compare_subjects([one, other]).warnings)


def edited(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def resealed(path: Path, **changes: object) -> None:
    """Edit with a seal that fits, as somebody might who knows how."""
    content = {**json.loads(path.read_text()), **changes}
    content.pop("seal")
    path.write_text(json.dumps({**content, "seal": archive._seal(content)}))


DAMAGES = {
    "flipped": lambda path: edited(path, defensible=False),
    "another number": lambda path: edited(path, slt=0.9),
    "no seal": lambda path: edited(path, seal=None),
    "a list for text": lambda path: resealed(path, name=["x"]),
    "a number for a truth": lambda path: resealed(path, defensible=1),
    "text for a number": lambda path: resealed(path, winning="23730"),
    "no field": lambda path: resealed(path, ddr={}),
    "an impossible protocol": lambda path: resealed(path, protocol={"episodes": 0}),
    "another version": lambda path: resealed(path, holdfast_analysis=99),
    "half a file": lambda path: path.write_bytes(path.read_bytes()[:-200]),
    "deeply nested": lambda path: path.write_text("[" * 100_000),
    "not text": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "no arrays": lambda path: path.with_suffix(".npz").unlink(),
    "other arrays": lambda path: save_arrays(path),
    "broken arrays": lambda path: path.with_suffix(".npz").write_bytes(b"PK"),
}


def save_arrays(path: Path) -> None:
    np.savez_compressed(path.with_suffix(".npz"), trajectories=np.zeros((3, 40)))


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_refused(short, damage, tmp_path):
    """Should believe nothing that was changed since it was saved, and raise only errors of ours."""
    path = tmp_path / "a.json"
    save_analysis(short, path)
    load_analysis(path, short.provenance.key)
    damage(path)
    with pytest.raises(InputError):
        load_analysis(path)


def test_the_analysis_of_something_else_is_refused(short, tmp_path):
    """Should not take one entry of a cache for another, whatever its file is called."""
    save_analysis(short, tmp_path / "a.json")
    with pytest.raises(InputError, match="something else"):
        load_analysis(tmp_path / "a.json", "0" * 64)


def test_a_name_with_a_line_break_is_refused(short, tmp_path):
    """Should not let a saved analysis begin a line of the answer in which it is named."""
    for change in ({"name": "a\nDEFENSIBLE"}, {"variant": "a\u2028DEFENSIBLE"}):
        save_analysis(replace(short, **change), tmp_path / "a.json")
        with pytest.raises(InputError, match="not an analysis"):
            load_analysis(tmp_path / "a.json")


def test_parts_of_two_writers_do_not_mix(short, tmp_path):
    """Should notice the trajectories of another run beside an analysis."""
    other = replace(short, trajectories=short.trajectories + 0.5)
    save_analysis(short, tmp_path / "one.json")
    save_analysis(other, tmp_path / "two.json")
    (tmp_path / "two.npz").replace(tmp_path / "one.npz")
    with pytest.raises(InputError):
        load_analysis(tmp_path / "one.json")


def test_a_cache_is_not_believed(tmp_path, monkeypatch, capsys):
    """Should give the same answer and exit code from a cache that was tampered with, and mend it."""
    args = ["fingerprint", str(PAPER), "--no-learning", "--cache", str(tmp_path), "--json"]

    def asked() -> tuple[int, dict]:
        with pytest.raises(SystemExit) as left:
            app(args)
        found = json.loads(capsys.readouterr().out)
        del found["seconds"], found["ddr_exact"]["seconds"]
        return left.value.code, found

    first = asked()
    (kept,) = tmp_path.glob("*.json")
    whole = kept.read_bytes()
    other = analyse(load(ROOT / "scenarios" / "patrol-robot.yaml"), provenance=provenance_of("x", None, {}))
    for damage in (
        lambda: edited(kept, defensible=False),
        lambda: save_analysis(other, kept),
        lambda: kept.write_bytes(whole[:100]),
        lambda: kept.write_bytes(b"[" * 100_000),
    ):
        damage()
        assert asked() == first
        assert load_analysis(kept).defensible
    elsewhere = tmp_path / "elsewhere.txt"  # a link at an entry's name is neither read nor written through
    for content in ("mine", whole.decode()):
        kept.unlink()
        elsewhere.write_text(content)
        kept.symlink_to(elsewhere)
        assert asked() == first
        assert elsewhere.read_text() == content and not kept.is_symlink()
        assert load_analysis(kept).defensible
    kept.unlink()
    kept.mkdir()  # an entry that can be neither read nor written costs a warning
    with pytest.raises(SystemExit) as left:
        app(args)
    assert left.value.code == 0 and "cache was not written" in capsys.readouterr().err


def test_exit_codes_of_compare_are_those_of_the_verdicts(tmp_path, capsys):
    """Should not be undecided where SLT is undefined because the defender never has to move."""
    file = tmp_path / "rest.yaml"
    file.write_text(
        "holdfast: 1\nname: rest\nnetwork: {hosts: [GW, DB], links: [GW -> DB], entry: GW}\n"
        "specs: {defender: [G (DB = C)], adversary: [G false]}\n"
        "variants: {cut: {remove_links: [GW -> DB]}}\n"
    )
    with pytest.raises(SystemExit) as left:
        app(["compare", str(file), "--no-learning", "--json"])
    assert left.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert [entry["slt"] for entry in found["entries"]] == [None, None]
    assert all(entry["defensible"] for entry in found["entries"])


def test_no_reading_takes_all_of_the_time(monkeypatch):
    """Should leave half of the time to the others: the response is read though SLT does not end."""
    given: list[float] = []

    def endless(solution, budget):
        given.append(budget.deadline)
        raise LimitError(budget.over)

    monkeypatch.setattr(analysis, "latitude_reading", endless)
    budget = Budget.lasting(1000.0)
    read = analyse(load(ROOT / "scenarios" / "paper.yaml", "no-bypass"), budget=budget)
    assert given[0] < budget.deadline - 400
    assert read.slt is None and read.response is not None and read.response.effort == 1
    assert (read.undecided or "").startswith("SLT: its ")


FOUND = {
    "SLT": "slt",
    "how likely it holds": "hold",
    "recovery": "recovery",
    "effort, tempo and grace": "response",
    "DDR*": "ddr_exact",
}
"""Where an analysis has what a step reads."""


@pytest.mark.parametrize("path", ["scenarios/paper.yaml", "scenarios/indefensible.yaml"])
def test_the_steps_that_are_named_are_those_that_are_taken(path):
    """Should name, of whatever is asked for, one step for each that is taken, in the order of the answers."""
    solution = solve(load(ROOT / path))
    for latitude, response, recovery, likely, exact in itertools.product((False, True), repeat=5):
        hold = (3,) if likely else None
        asked = Asked(latitude, response, exact=exact, recovery=recovery, hold=hold, endless=False)
        named = steps(asked, held=solution.defensible)
        stages = list(iter_analysis(solution, asked=asked))
        assert len(stages) == 1 + len(named)
        for name, (before, after) in zip(named, itertools.pairwise(stages), strict=True):
            if solution.defensible and name != "warnings":
                assert getattr(before, FOUND[name]) != getattr(after, FOUND[name]), name
