"""Properties of designs against the literal definition, and the changes that give them against brute force."""

import itertools
import json
import random

import pytest
from typer.testing import CliRunner

from cases import TIMES
from holdfast.apps.cli import app
from holdfast.budget import Budget
from holdfast.design.properties import HELD, property_named, rests_elsewhere
from holdfast.design.recommend.recommending import recommend
from holdfast.design.recommend.remedies import remedies
from holdfast.design.recommend.space import design_space
from holdfast.errors import InputError
from holdfast.scenario.reading import configuration as configuration_of, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from reference import Product
from reference_recovery import again, ranks
from segments import random_design, scenario

SERIAL = Budget(jobs=1)
PAPER = "scenarios/paper.yaml"
KINDS = ["cut", "close", "harden", "block"]
TIRING = [f"G (times({kind}) <= 1)" for kind in ("spread", "destroy")]
"""Boundaries with which an adversary that cannot wait comes to have no move."""


def random_space(rng, n_hosts=None, most=4):
    """A random segment of which a few parts can be changed, at different costs."""
    while True:
        data = json.loads(scenario(random_design(rng, n_hosts), rng))
        if rng.random() < 0.4:
            data["specs"]["adversary"] = TIRING
            data["network"].setdefault("actions", {})["adversary"] = ["spread", "destroy"]
        try:
            offered = design_space(scenario_from_text(json.dumps(data)), kinds=KINDS).changes
        except InputError:  # nothing can be changed
            continue
        taken = rng.sample(offered, min(len(offered), rng.randint(2, most)))
        data["design"] = {"changes": [{"change": c.name, "cost": rng.randint(1, 3)} for c in taken]}
        return design_space(scenario_from_text(json.dumps(data)))


def has(configuration, goal):
    """Whether the design holds and, by the sets of the definition, the goal is forced; from it, again."""
    oracle, initial = Product(configuration), configuration.initial
    start = (initial.state, initial.turn, initial.q_defender, initial.q_adversary)
    if start not in oracle.winning:
        return False
    states = configuration.goals[goal]
    rank = ranks(oracle, states).get(start)
    return start in again(oracle, states) if rank == 0 else rank is not None


def brute(space, wanted):
    """Every minimal set of changes, of all subsets, with which the design has a property."""
    found, numbers = [], range(len(space.changes))
    for size in range(1, len(space.changes) + 1):
        for chosen in map(frozenset, itertools.combinations(numbers, size)):
            if any(smaller <= chosen for smaller in found) or not space.keeps(chosen):
                continue
            try:
                changed = space.changed(chosen)
            except InputError:
                continue
            if wanted.holds(solve(changed)):
                found.append(chosen)
    return {(space.names(chosen), space.cost(chosen)) for chosen in found}


@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_a_property_is_what_it_says(seed):
    """Should agree with sets of positions, by both engines, adversaries without a move included."""
    rng = random.Random(seed)
    for _ in range(8):
        configuration = random_space(rng, 2).configuration
        for name, goal in (("evict", "evicted"), ("recover", "recovered")):
            expected = has(configuration, goal)
            for engine in ("explicit", "symbolic"):
                solution = solve(configuration, engine)
                assert property_named(configuration, name).holds(solution) is expected
                assert HELD.holds(solution) is solution.defensible


@pytest.mark.parametrize("seed", range(5 * TIMES))
def test_changes_that_give_a_property_are_what_brute_force_finds(seed):
    """Should find every minimal set after which the attacker can be got out, and no other, 20 times a seed."""
    rng, n_found = random.Random(seed), 0
    for _ in range(20):
        space = random_space(rng)
        wanted = property_named(space.configuration, rng.choice(("evict", "recover")))
        if wanted.holds(solve(space.configuration)):
            continue
        total, expected = space.cost(range(len(space.changes))), brute(space, wanted)
        found = remedies(space, total, wanted, budget=SERIAL)
        assert {(r.changes, r.cost) for r in found.sets} == expected, space.scenario.text
        assert found.complete_to == total
        cheapest = remedies(space, None, wanted, budget=SERIAL)
        least = min((cost for _, cost in expected), default=None)
        assert {(r.changes, r.cost) for r in cheapest.sets} == {e for e in expected if e[1] == least}
        n_found += len(expected)
    assert n_found


def test_an_adversary_that_must_rest_is_looked_at():
    """Should say where an adversary without a move may be away from the goal, and nowhere else."""
    text = """
holdfast: 1
network: {hosts: [a, b], links: [a -> b], entry: a, actions: {adversary: [%s]}}
specs: {defender: ["G (b = C)"], adversary: ["G (times(spread) <= 1)", "G (times(destroy) <= 0)"]}
"""
    for actions, resting in (("noop, spread, destroy", False), ("spread, destroy", True)):
        solution = solve(configuration_of(scenario_from_text(text % actions)))
        assert rests_elsewhere(solution, "evicted") is resting


def test_the_reference_of_the_paper():
    """Should name the three links each of which keeps the attacker in, and the one pair."""
    found = recommend(read_scenario(PAPER), wanted="evict", max_cost=6, budget=SERIAL)
    assert found.defensible and found.improvements is None
    assert [(r.changes, r.cost, r.moves) for r in found.remedies.sets] == [
        (("cut GW -> Web",), 1, 4),
        (("cut GW -> WS",), 1, 4),
        (("cut DB -> BK",), 1, 12),
        (("cut Web -> DB", "cut WS -> DB"), 2, 8),
    ]
    assert found.remedies.complete_to == found.remedies.total
    assert recommend(read_scenario(PAPER), "no-bypass", wanted="evict", budget=SERIAL).remedies is None


def test_a_held_design_is_told_the_gain_in_moves():
    """Should have the moves beside the other readings: without GW -> WS the reference is evicted within 4."""
    found = recommend(read_scenario(PAPER), budget=SERIAL).improvements
    moves = {design.changes: design.values["evict"] for design in found.singles}
    assert found.base.values["evict"] == "never"
    assert moves["cut GW -> WS",] == 4 and moves["cut DB -> BK",] == 12


def test_the_command(tmp_path):
    """Should tell a person and a program, write variants that have the property, and refuse unknown goals."""
    run = CliRunner().invoke
    told = run(app, ["recommend", PAPER, "--for", "evict"])
    assert told.exit_code == 0
    text = " ".join(told.stdout.split())
    assert "As it is, the attacker can stay for ever." in text
    assert "With cut GW -> Web it holds and the attacker can be evicted within 4 moves." in text
    data = json.loads(run(app, ["recommend", PAPER, "--for", "recover", "--json"]).stdout)
    assert data["for"] == "recover" and data["repairs"][0]["moves"] == 8
    better = tmp_path / "better.yaml"
    assert run(app, ["recommend", PAPER, "--for", "evict", "--write", str(better)]).exit_code == 0
    names = set(read_scenario(better).variants) - set(read_scenario(PAPER).variants)
    for name in names:
        changed = configuration_of(read_scenario(better), name)
        assert property_named(changed, "evict").holds(solve(changed))
    assert names
    wrong = run(app, ["recommend", PAPER, "--for", "evit"])
    assert wrong.exit_code == 2 and "held, evict, recover" in wrong.stderr and "evict" in wrong.stderr
    assert "has no goal" in run(app, ["recommend", "scenarios/two-lines.yaml", "--for", "evict"]).stderr


def test_a_goal_of_the_file(tmp_path):
    """Should take any goal by its name, of a lost design too."""
    text = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, Web -> DB, GW -> DB], entry: GW}
specs: {defender: [G (DB = C)]}
recovery: {web back: Web = C & GW = C}
"""
    found = recommend(scenario_from_text(text), wanted="web back", max_cost=3, budget=SERIAL)
    assert not found.defensible
    expected = brute(found.space, found.wanted)
    assert {(r.changes, r.cost) for r in found.remedies.sets} == expected and expected
