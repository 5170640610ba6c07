"""Playbooks that get the attacker out: every play under them is replayed by the literal definition."""

import json
import random

import pytest
from typer.testing import CliRunner

import holdfast as hf
import segments
import strategies
from cases import TIMES
from holdfast.apps.cli import app
from holdfast.design.properties import property_named
from holdfast.explanation.playbook import listed_play, playbooks
from holdfast.explanation.playbook.playbooks import playbook
from holdfast.explanation.playbook.set_play import set_play
from holdfast.explanation.playbook.strategies import GoalStrategy
from holdfast.explanation.playbook.traits import RuleList, traits_of
from holdfast.game.configuration import Position
from holdfast.logic.expressions import Player
from holdfast.logic.parser import parse_predicate
from reference import Product
from reference_recovery import goal_positions, ranks
from strategies import random_predicate

PAPER = "scenarios/paper.yaml"


def replayed(configuration, answer, goal):
    """The most moves until a play under the rules is at the goal, from v₀ or, if it is there, from wherever
    plays leave it; and whether each position that is ever reached is winning.
    """
    oracle = Product(configuration)
    there = goal_positions(oracle, goal)

    def after(v):
        moves = oracle.admissible(v)
        return {moves[answer(Position(*v))]} if v[1] is Player.DEFENDER else set(moves.values())

    start = tuple(configuration.initial)
    reached, left = {start}, [start]
    while left:
        new = after(left.pop()) - reached
        reached |= new
        left += new
    away = {v for v in reached if v not in there} if start in there else {start} - there
    n_moves = 0
    while away:
        assert all(after(v) for v in away), "an adversary that rests is not got out"
        away = {t for v in away for t in after(v) if t not in there}
        n_moves += 1
        assert n_moves <= len(reached), "never got out"
    return n_moves, reached <= oracle.winning


def judged(configuration, name):
    """Hold a playbook for a goal to the definition; the number of its rules, or None where there is none."""
    found = playbook(configuration, wanted=name)
    wanted = property_named(configuration, name)
    assert found.possible is wanted.holds(hf.solve(configuration))
    if not found.possible:
        return None
    rules = RuleList(configuration, found.instructions, found.default)
    goal = configuration.goals[wanted.goal]
    n_moves, safe = replayed(configuration, rules.answer, goal)
    assert safe and n_moves == found.within
    oracle = Product(configuration)
    rank = ranks(oracle, goal)[tuple(configuration.initial)]
    assert rank in (0, n_moves), "no rules are sooner"
    return len(found.instructions)


@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_segments_should_be_got_out_of_within_the_moves_that_are_told(seed):
    rng, rules = random.Random(seed), []
    while len([n for n in rules if n]) < 4:
        design = segments.random_design(rng, 2)
        configuration = hf.configuration(hf.scenario_from_text(segments.scenario(design, rng)))
        rules.append(judged(configuration, rng.choice(("evict", "recover"))))


@pytest.mark.parametrize("seed", range(3 * TIMES))
def test_any_game_should_reach_its_goal_within_the_moves_that_are_told(seed):
    rng, n = random.Random(seed), 0
    while n < 6:
        game = strategies.random_configuration(rng, 300)
        if game.game.tables is not None:
            continue
        goal = parse_predicate(
            random_predicate(rng, game.system.vocabulary, moves=False), game.system.vocabulary
        )
        configuration = type(game)(game.system, game.requirement, game.boundary, recovery={"there": goal})
        n += judged(configuration, "there") is not None


def test_sets_should_say_what_lists_say(monkeypatch):
    """Should be right wherever play comes where it is followed as sets, and as soon."""
    system = hf.network_system(["a", "b", "c"], [("a", "b"), ("b", "c")], "a")
    configuration = hf.configure(system, ["G (c = C)"], ["G (times(destroy) <= 1)"])
    solution = hf.solve(configuration, "symbolic")
    listed = playbook(solution, wanted="evict")
    proved = set_play(GoalStrategy(solution, "evicted"), traits_of(configuration))
    moves, safe = replayed(configuration, proved.rules.answer, configuration.goals["evicted"])
    assert safe and moves == listed.within > 0
    monkeypatch.setattr(listed_play, "MAX_LISTED", 3)
    found = playbook(solution, wanted="evict")
    assert found.method == "diagrams" and found.within == moves


@pytest.mark.parametrize(("variant", "name", "within"), [
    ("two-active", "evict", 6), ("two-active", "recover", 12), ("no-bypass", "evict", 4), ("no-bypass", "recover", 8),
])  # fmt: skip
def test_the_cases_of_the_paper(variant, name, within):
    found = playbook(hf.load(PAPER, variant), wanted=name)
    assert found.within == within and found.short
    assert len(found.example) == within


def test_a_network_that_can_be_entered_again_is_cleared_again_and_again():
    text = """
holdfast: 1
network: {hosts: [web, db], links: [web -> db], exposed: [web]}
specs: {defender: [G (db = C)]}
"""
    configuration = hf.configuration(hf.scenario_from_text(text))
    assert judged(configuration, "evict")
    assert playbook(configuration, wanted="evict").within == 1


def test_the_command(tmp_path):
    run, proof = CliRunner().invoke, tmp_path / "proof.json"
    told = run(
        app, ["playbook", PAPER, "--variant", "no-bypass", "--for", "evict", "--certificate", str(proof)]
    )
    assert told.exit_code == 0 and "has the attacker out within 4 moves" in " ".join(told.stdout.split())
    assert run(app, ["verify", str(proof)]).exit_code == 0
    data = json.loads(
        run(app, ["playbook", PAPER, "--variant", "no-bypass", "--for", "evict", "--json"]).stdout
    )
    assert (data["for"], data["within"], data["n_rules"]) == ("evict", 4, 2)
    never = run(app, ["playbook", PAPER, "--for", "evict"])
    assert never.exit_code == 1 and "the attacker can stay for ever" in " ".join(never.stdout.split())
    none = json.loads(run(app, ["playbook", PAPER, "--for", "evict", "--json"]).stdout)
    assert none["defensible"] and none["rules"] is None and none["within"] is None
    assert run(app, ["playbook", PAPER, "--for", "evit"]).exit_code == 2
    assert playbooks.playbook_object(playbook(hf.load(PAPER)))["for"] == "held"
