"""Questions that are emptier than they look, and which hosts a requirement says must not fall."""

import json
import random
from collections import Counter, deque

import pytest
from typer.testing import CliRunner

from cases import TIMES
from holdfast.apps.cli import app
from holdfast.design.starts import start_verdicts
from holdfast.game.configuration import drawn_graph
from holdfast.game.structure import successor
from holdfast.game.system import CRITICAL
from holdfast.logic.expressions import Player
from holdfast.readings.analysis import analyse
from holdfast.readings.vacuity import UNDEFENDED, possible_values, warnings
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from segments import DEFENDER, Literal, random_design, scenario
from strategies import random_game

CHAIN = "hosts: [GW, Web, DB, BK, Far], links: [GW -> Web, Web -> DB, DB -> BK], entry: GW"


def asked(defender, adversary=(), network=CHAIN):
    text = f"holdfast: 1\nnetwork: {{{network}}}\nspecs: {{defender: {list(defender)}, adversary: {list(adversary)}}}\n"
    return configuration(scenario_from_text(text))


@pytest.mark.parametrize(
    ("defender", "adversary", "network", "words"),
    [
        (["G !(DB in {X, D, Z})"], [], CHAIN, ["DB can simply stay isolated: nothing asks that it be in service"]),
        (["G !(DB in {X, D, Z})", "G (DB != I)"], [], CHAIN, []),
        (["G !(DB in {X, D, Z})", "G (active >= 3)"], [], CHAIN, []),
        (["G !(DB in {X, D, Z})", "G (count(DB, BK in {C, X, D}) >= 1)"], [], CHAIN, []),
        (["G (DB in {C, I})"], [], CHAIN, []),
        (["G (DB != Z)", "G (DB = I -> F[<=4] DB = C)"], [], CHAIN, []),
        (["G (count(DB, BK in {X, D, Z}) < 2)"], [], CHAIN, ["DB and BK can simply stay isolated: nothing asks that they be"]),
        (["G !(DB in {X, D, Z})"], [], CHAIN.replace("DB, BK", "{DB: {cannot: [isolate]}}, BK"), []),
        (["G (DB != Z)", "G (BK = C | DB != I)"], [], CHAIN, []),
        (["G (Far != Z)", "G (active >= 2)"], [], CHAIN, ["the requirement names Far, but nothing bad can ever happen there"]),
        (["G (BK != Z)", "G (active >= 2)"], [], CHAIN.replace("DB, BK", "{DB: {cannot: [spread]}}, BK"), ["the requirement names BK, but"]),
        (["G (BK != Z)", "G (active >= 2)"], [], CHAIN + ", exposed: [Far]", []),
        (["G (Far != Z)", "G (active >= 2)"], [], CHAIN + ", exposed: [Far]", []),
        (["G (active >= 2)"], ["G !(spread | destroy)"], CHAIN, ['limit 1 on the adversary, "G !(spread | destroy)", forbids every move']),
        (["G (active >= 2)"], ["G !spread", "G !destroy"], CHAIN, ["what the adversary keeps to forbids every move that changes anything"]),
        (["G (active >= 2)"], ["G !spread", "G (times(destroy) <= 1)"], CHAIN, []),
        (["G (active >= 2)"], ["G !spread", "G (destroy -> DB = C)"], CHAIN, []),
        (["G (active >= 2)"], [], CHAIN + ", actions: {adversary: [noop]}", ["the adversary has no action that changes anything"]),
    ],
)  # fmt: skip
def test_questions_that_are_emptier_than_they_look(defender, adversary, network, words):
    """Should be warned of, each once and in plain words; others should not."""
    found = warnings(asked(defender, adversary, network))
    assert len(found) == len(words), found
    for warning, start in zip(found, words):
        assert warning.startswith(start)


EMPTY = f"holdfast: 1\nnetwork: {{{CHAIN}}}\nspecs:\n  defender:\n    - G (active >= 2)\n    - DB = C\n"
"""Its second clause binds the first moment only."""


def alerts_of(tmp_path, command, files, *options):
    """What a command says in SARIF about questions that are empty: the lines."""
    for name in files:
        (tmp_path / name).write_text(EMPTY, "utf-8")
    out = tmp_path / "out.sarif"
    CliRunner().invoke(
        app, [command, *(str(tmp_path / name) for name in files), *options, "--sarif", str(out)]
    )
    (run,) = json.loads(out.read_text("utf-8"))["runs"]
    empty = [result for result in run["results"] if result["ruleId"] == "vacuous-question"]
    return [alert["locations"][0]["physicalLocation"]["region"]["startLine"] for alert in empty]


@pytest.mark.parametrize(
    ("command", "files", "options"),
    [
        ("check", ["a.yaml"], []),
        ("check", ["a.yaml", "b.yaml"], ["--jobs", "1"]),
        ("fingerprint", ["a.yaml"], ["--no-learning"]),
        ("compare", ["a.yaml", "b.yaml"], ["--no-learning"]),
    ],
)
def test_a_pipeline_asks_for_caveats_once_a_design(command, files, options, tmp_path, monkeypatch):
    """Should find them with the analysis, and tell a pipeline of these."""
    n_asked = Counter()

    def counting(configuration):
        n_asked["times"] += 1
        return iter(())

    monkeypatch.setattr("holdfast.readings.vacuity._missing", counting)
    assert alerts_of(tmp_path, command, files, *options) == [6] * len(files)
    assert n_asked["times"] == len(files)


def test_a_pipeline_hears_of_the_caveats_of_an_analysis_from_a_cache(tmp_path):
    """Should be told where they stand, though the cache has their words alone."""
    asked = ["--no-learning", "--cache", str(tmp_path / "cache")]
    for _ in range(2):
        assert alerts_of(tmp_path, "fingerprint", ["a.yaml"], *asked) == [6]
    (kept,) = (tmp_path / "cache").glob("*.json")
    found = json.loads(kept.read_text("utf-8"))
    assert "caveats" not in found and len(found["warnings"]) == 1


def test_a_lost_design_is_not_told_that_it_could_switch_hosts_off():
    """Should say so only where a defense exists."""
    found = asked(["G !(DB in {X, D, Z})"], network=CHAIN.replace("entry: GW", "entry: [GW, Web]"))
    assert not solve(found).defensible
    assert warnings(found, held=False) == []


@pytest.mark.parametrize(
    ("clause", "critical"),
    [
        ("G !(DB in {X, D, Z} & BK in {X, D, Z})", ["DB", "BK"]),
        ("G (DB != Z)", ["DB"]),
        ("G (DB != I)", []),
        ("G (DB = C)", ["DB"]),
        ("G (count(DB, BK in {X, D, Z}) < 2)", ["DB", "BK"]),
        ("G (2 > count(DB, BK in {X, D, Z}))", ["DB", "BK"]),
        ("G (count(Web, DB, BK in {X, D, Z}) <= 2)", []),
        ("G (count(Web, DB, BK in {C}) >= 2)", ["Web", "DB", "BK"]),
        ("G (count(Web, DB, BK in {C}) >= 1)", []),
        ("G (count(Web, DB, BK in {C, X, D}) >= 2)", []),
        ("G (active >= 4)", []),
        ("G (clean >= 4)", []),
        ("G (Web in {C, I} | BK = C)", ["Web", "BK"]),
    ],
)
def test_critical_is_what_must_not_fall(clause, critical):
    """Should mark what a clause names as not to fall, and not every host in a count."""
    graph = drawn_graph(asked([clause]))
    assert set(graph.marked(CRITICAL)) == set(critical)


def reached(game):
    """Every value that a variable takes in some state that can be reached, by search."""
    seen, queue = {game.initial}, deque([game.initial])
    while queue:
        state = queue.popleft()
        for player in Player:
            for number in range(len(game.actions[player])):
                after = successor(game, player, number, state)
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
    return {v.name: {v.values[s[i]] for s in seen} for i, v in enumerate(game.variables)}


def test_what_is_called_impossible_is_impossible():
    """Should find at least the values that a search finds, and on segments just these."""
    for seed in range(300):
        game = random_game(random.Random(seed))
        if game.tables is None:
            found = possible_values(game)
            assert all(values <= found[name] for name, values in reached(game).items()), seed
    tight = 0
    for seed in range(150):
        rng = random.Random(seed)
        game = configuration(scenario_from_text(scenario(random_design(rng), rng))).game
        found, exact = possible_values(game), reached(game)
        assert all(values <= found[name] for name, values in exact.items()), seed
        tight += found == exact
    assert tight > 140


def test_any_entry_is_the_game_with_that_entry():
    """Should give each start the rank that the segment with that entry has."""
    n = 0
    for seed in range(120):
        rng = random.Random(seed)
        design = random_design(rng)
        found = solve(configuration(scenario_from_text(scenario(design, rng))))
        for verdict in start_verdicts(found):
            moved = {**design, "entries": [verdict.start]}
            own = solve(configuration(scenario_from_text(scenario(moved, random.Random(seed)))))
            assert verdict.rank == own.initial_rank, (seed, verdict)
            n += verdict.defensible
    assert n > 20


def test_nothing_to_defend():
    """Should be said exactly where the literal game holds with a defender who can do nothing."""
    seen = Counter()
    for seed in range(80 * TIMES):
        rng = random.Random(seed)
        design = random_design(rng, 2)
        found = analyse(configuration(scenario_from_text(scenario(design, rng))), latitude=False)
        idle = Literal({**design, "actions": {**design["actions"], DEFENDER: ["noop"]}, "conduits": {}})
        if design["conduits"] or any("no attack was withstood" in warning for warning in found.warnings):
            continue
        held = idle.rank.get(idle.first) is None
        assert (UNDEFENDED.text in found.warnings) is held, seed
        assert found.defensible or not held, seed
        seen[held] += 1
    assert seen[True] > 5 and seen[False] > 5


def test_nothing_to_defend_is_told_everywhere(tmp_path):
    """Should be told by check, by explain and to pipelines, once; and not where nobody attacks anyway."""
    file, sarif = tmp_path / "far.yaml", tmp_path / "far.sarif"
    text = f"holdfast: 1\nnetwork: {{{CHAIN}}}\nspecs: {{defender: [G (clean <= 4)], adversary: []}}\n"
    file.write_text(text, "utf-8")
    runner = CliRunner()
    for command in ("check", "explain"):
        told = json.loads(runner.invoke(app, [command, str(file), "--json"]).stdout)["warnings"]
        assert [warning for warning in told if warning.startswith("nothing has to be defended")], command
    runner.invoke(app, ["check", str(file), "--sarif", str(sarif)])
    results = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["vacuous-question"] * len(results) and results
    for question in (asked(["G (DB != Z)"], ["G !(spread | destroy)"]), asked(["DB = C"])):
        quiet = analyse(question)
        assert quiet.response.grace == "unbounded" and UNDEFENDED.text not in quiet.warnings
