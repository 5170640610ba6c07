"""The writer of certificates: what the file is, letter for letter, and when there is none."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path

import pytest
from oxidd.bcdd import BCDDManager
from oxidd.util import DDDMPFile

import holdfast.solver.witnesses
from certificates import Nodes, random_scenario, segment_text, witnessed
from commands import holdfast as run_holdfast
from holdfast.apps.cli.reports import refuse_place
from holdfast.certificates.verify import container, diagram_space
from holdfast.certificates.writing import MAX_BYTES, MAX_VALUES, certify
from holdfast.errors import InputError, LimitError
from holdfast.game.array_games import from_arrays
from holdfast.game.configuration import Position, admissible_moves, configure, is_admissible, is_unsafe
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from holdfast.solver.solution import rank
from paths import ROOT

PAPER, ROBOT = ROOT / "scenarios" / "paper.yaml", ROOT / "scenarios" / "patrol-robot.yaml"
ENGINES = ("explicit", "symbolic")


def solved(text, variant=None, engine="symbolic"):
    return solve(configuration(scenario_from_text(text), variant), engine)


def test_the_file_says_what_it_is():
    """Should name format, version and hash first, embed the scenario, and be the same every time."""
    text = PAPER.read_text("utf-8")
    raw = certify(solved(text, "no-bypass"))
    data = json.loads(raw)
    assert list(data)[:3] == ["format", "version", "sha256"]
    assert (data["format"], data["version"], data["verdict"]) == ("holdfast-certificate", 1, "defensible")
    assert data["scenario"] == {
        "variant": "no-bypass",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "text": text,
    }
    rest = {key: value for key, value in data.items() if key != "sha256"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    assert data["sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert certify(solved(text, "no-bypass")) == raw


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(12))
def test_the_witness_is_the_solution(seed, engine):
    """Should be W without the positions where φ_A is violated, or the ranks up to v0's and moves that lower them."""
    text = random_scenario(random.Random(seed))
    solution = solved(text, None, engine)
    chosen, data = solution.configuration, json.loads(certify(solution))
    numbers, named = witnessed(data["witness"], chosen, solution.defensible)
    horizon = rank(solution, chosen.initial)
    every = {
        Position(state, turn, *qs)
        for state in map(chosen.game.state, range(chosen.game.n_valuations))
        for turn in Player
        for qs in {(Position(*v).q_defender, Position(*v).q_adversary) for v in numbers}
    }
    ranks = {v: rank(solution, v) for v in every if is_admissible(chosen, v) and not is_unsafe(chosen, v)}
    if solution.defensible:
        assert set(numbers) == {v for v, k in ranks.items() if k is None}
        return
    assert numbers == {v: k for v, k in ranks.items() if k is not None and k <= horizon}
    for v in numbers:
        if v[1] is Player.ADVERSARY:
            (action,) = named[v]
            target = admissible_moves(chosen, Position(*v))[action]
            assert rank(solution, target) < numbers[v]


@pytest.mark.parametrize("text", [ROBOT.read_text("utf-8"), segment_text(12), segment_text(12, slack=1)])
def test_other_programs_read_the_diagrams(text, tmp_path):
    """Should be DDDMP that oxidd's own reader takes for the same functions, point by point."""
    solution = solved(text)
    nodes = Nodes(json.loads(certify(solution))["witness"]["dddmp"])
    place = tmp_path / "witness.dddmp"
    place.write_text(nodes.text(), "utf-8")
    manager = BCDDManager(1 << 20, 1 << 16, 1)
    with DDDMPFile(str(place)) as file:
        assert file.num_nodes == len(nodes.rows) + 1
        assert file.var_names == nodes.names
        manager.add_named_vars(nodes.names)
        functions = manager.import_dddmp(file)
    rng, game = random.Random(1), solution.configuration.game
    for _ in range(200):
        bits = nodes.bits(game, tuple(rng.randrange(n) for n in game.shape))
        assert [f.eval(list(enumerate(bits))) for f in functions] == [
            nodes.holds(r, bits) for r in nodes.roots
        ]
    assert all(high > 0 for _, _, high, _ in nodes.rows), "a then edge is never complemented"
    assert len({row[1:] for row in nodes.rows}) == len(nodes.rows), "no node stands twice"


def test_what_has_no_certificate():
    """Should refuse a game given as tables, and witnesses past what the checker takes."""
    tabulated = configure(from_arrays([[0]], [[0]], labels={"bad": [False]}), ["G !bad"])
    with pytest.raises(InputError, match="no scenario file"):
        certify(solve(tabulated))


@pytest.mark.parametrize(
    ("engine", "name"),
    [("explicit", "MAX_CELLS"), ("symbolic", "MAX_NODES")],
)
def test_a_witness_past_the_limit_is_refused(engine, name, monkeypatch):
    """Should say how large it is and what to do; the limits are those of the checker."""
    text = PAPER.read_text("utf-8")
    solution = solved(text, None, engine)
    monkeypatch.setattr(holdfast.solver.witnesses, name, 100)
    with pytest.raises(LimitError, match="100"):
        certify(solution)


def test_writer_and_checker_have_the_same_limits():
    """Should never write what the checker will not read."""
    assert holdfast.solver.witnesses.MAX_CELLS == container.MAX_CELLS
    assert holdfast.solver.witnesses.MAX_NODES == diagram_space.MAX_NODES
    assert MAX_BYTES == container.MAX_BYTES
    assert MAX_VALUES == container.MAX_VALUES


def test_a_place_that_cannot_be_written(tmp_path):
    """Should be told, and leave nothing behind."""
    text = ROBOT.read_text("utf-8")
    with pytest.raises(InputError, match="cannot write the certificate"):
        certify(solved(text), tmp_path / "no" / "where")
    assert list(tmp_path.iterdir()) == []
    place = tmp_path / "robot.cert"
    assert certify(solved(text), place) == place.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["robot.cert"]


@pytest.mark.parametrize("engine", ENGINES)
def test_check_writes_what_verify_accepts(engine, tmp_path):
    """Should keep the exit code of the verdict, and standard output for the answer alone."""
    place = tmp_path / "robot.cert"
    done = run_holdfast("check", ROBOT, "--engine", engine, "--certificate", place, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["defensible"] is False
    assert done.stderr.startswith(f"wrote {place} (")
    done = run_holdfast("verify", place, "--scenario", ROBOT, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["valid"], found["defensible"], found["rank"]) == (True, False, 6)
    assert found["scenario_sha256"] == hashlib.sha256(read_scenario(ROBOT).text.encode()).hexdigest()


def test_a_place_without_permission_is_refused_before_the_work(tmp_path, monkeypatch):
    """Should ask the folder that a file goes to, and what is there already where that is no file."""
    asked = []
    monkeypatch.setattr(os, "access", lambda place, mode: asked.append(place) or place == Path(os.devnull))
    with pytest.raises(InputError, match="no permission"):
        refuse_place(tmp_path / "proof.json")
    refuse_place(Path(os.devnull))
    assert asked == [tmp_path, Path(os.devnull)]


def test_check_refuses_a_place_before_the_work(tmp_path):
    """Should exit with 2 and say what is wrong with it."""
    done = run_holdfast("check", ROBOT, "--certificate", tmp_path / "no" / "where")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr
