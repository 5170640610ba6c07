"""Games in which outcomes are drawn: *held* is whatever happens, in both engines and in the literal oracle."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

from cases import TIMES
from engine_comparison import compare
from holdfast.certificates.verify.checking import verify
from holdfast.certificates.writing import certify
from holdfast.errors import InadmissibleError, InputError, ModelError, ScenarioError
from holdfast.explanation.explaining import explain
from holdfast.explanation.getting_out import getting_out
from holdfast.game.actions import Action, Rule
from holdfast.game.chance import DrawnRule, drawn_actions, refuse_chance
from holdfast.game.configuration import Position, configure
from holdfast.game.structure import GameStructure, choices, has_chance
from holdfast.logic.expressions import TRUE, Number, Player, Symbol, Variable
from holdfast.logic.parser import parse_predicate
from holdfast.models.game.reader import game_system
from holdfast.models.network.game import network_game
from holdfast.operation.holding.almost_sure import almost_surely
from holdfast.scenario.reading import configuration as configuration_of, scenario_from_text
from holdfast.solver.engines import solve
from holdfast.solver.recovery import recovery_layers
from holdfast.solver.response import response_profile
from holdfast.solver.restrictions import Restriction, restricted
from holdfast.solver.solved_game import SolvedGame
from holdfast.solver.strategy import winning_strategy
from holdfast.solver.words import verdicts
from reference import Product
from reference_chance import ChanceProduct, almost_sure, recovery_ranks
from reference_recovery import goal_positions
from strategies import (
    CHASE,
    random_chase,
    random_configuration,
    random_gambles,
    random_predicate,
    with_chance,
    with_idle_action,
)

N_GAMES = 200 * TIMES


def test_engines_equal_the_oracle_where_outcomes_are_drawn():
    """Should agree on shells, ranks, Safe, R and the static readings, whoever draws."""
    seen = Counter()
    for seed in range(N_GAMES):
        rng = random.Random(seed)
        configuration = random_configuration(rng, max_positions=1500, change=with_chance)
        oracle = compare(configuration, rng, f"seed {seed}", ChanceProduct)
        for player in Player:
            seen[player] += has_chance(configuration.game, player)
        seen["defensible" if oracle.defensible else "indefensible"] += 1
        seen["deep"] += len(oracle.shells()) >= 3
        if has_chance(configuration.game, Player.DEFENDER):
            seen["grouped"] += Product(configuration).shells() != oracle.shells()
    assert min(seen[kind] for kind in (*Player, "defensible", "indefensible", "deep", "grouped")) > 5, seen


def test_recovery_counts_on_no_outcome():
    """Should have the ranks of the oracle, in both engines, where the defender's own moves may fail.

    Recovery with probability one is that of the oracle, too.
    """
    seen = Counter()
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        configuration = random_configuration(rng, max_positions=600, change=with_chance)
        vocabulary = configuration.game.vocabulary
        goal = parse_predicate(random_predicate(rng, vocabulary, 1, moves=False), vocabulary)
        configuration = configure(
            configuration.system, configuration.requirement, configuration.boundary, recovery={"there": goal}
        )
        oracle = ChanceProduct(configuration)
        ranks = recovery_ranks(oracle, goal_positions(oracle, goal))
        fair = almost_sure(oracle, goal_positions(oracle, goal))
        assert fair >= set(ranks), seed
        seen["fair"] += oracle.defensible and oracle.initial in fair and oracle.initial not in ranks
        for engine in ("explicit", "symbolic") if configuration.game.tables is None else ("explicit",):
            if oracle.defensible:
                known = almost_surely(solve(configuration, engine), "there")
                assert known == (oracle.initial in fair), (seed, engine)
            layers = recovery_layers(solve(configuration, engine), "there")
            winning = sorted(oracle.winning, key=repr)
            for v in rng.sample(winning, min(20, len(winning))):
                assert layers.rank(Position(*v)) == ranks.get(v), (seed, engine, v)
        seen[max(ranks.values(), default=0) > 1] += 1
    assert min(seen[True], seen[False]) > 3 and seen["fair"], seen


def test_a_forced_line_has_chance_on_the_adversary_s_side():
    """Should answer each choice of the defender once, by its worst outcome, and come nearer to a violation."""
    seen = Counter()
    for seed in range(150 * TIMES):
        configuration = random_configuration(random.Random(seed), max_positions=400, change=with_chance)
        solution = solve(configuration)
        if not solution.initial_rank or not has_chance(configuration.game, Player.DEFENDER):
            continue
        solved = SolvedGame(solution)
        strategy = winning_strategy(solved)
        groups = choices(configuration.game, Player.DEFENDER)
        for here, replies in strategy.replies.items():
            made = [action for actions in replies.values() for action in actions]
            possible = [
                own for own in groups if any(a in own for t, acts in solved.moves(here).items() for a in acts)
            ]
            assert len(made) == len(possible), seed
            assert all(sum(action in own for action in made) == 1 for own in possible), seed
            assert all(solved.rank(target) < solved.rank(here) for target in replies), seed
            seen["replies"] += 1
        seen["told"] += bool(explain(solution).line)
    assert min(seen["replies"], seen["told"]) > 5, seen


def test_effort_and_grace_count_choices():
    """Should be what the game with one more clause says, whose engines know nothing of layers."""
    n_seen = 0
    for seed in range(80 * TIMES):
        rng = random.Random(seed)
        change = lambda rng, game: with_chance(rng, with_idle_action(rng, game))  # noqa: E731
        configuration = random_configuration(rng, max_positions=400, change=change)
        for engine in ("explicit", "symbolic") if configuration.game.tables is None else ("explicit",):
            solution = solve(configuration, engine)
            profile = response_profile(solution)
            if profile is None or not has_chance(configuration.game, Player.DEFENDER):
                continue
            n_seen += 1
            for name in ("effort", "grace"):
                value = getattr(profile, name)
                if not isinstance(value, int):
                    continue
                for bound in (value, value - 1 if name == "effort" else value + 1):
                    if bound < 0:
                        continue
                    harder = restricted(configuration, Restriction(name, bound))
                    oracle = ChanceProduct(harder)
                    assert oracle.defensible == (bound == value), (seed, engine, name, value, bound)
    assert n_seen > 20


def test_certificates_know_outcomes():
    """Should be accepted as they are, by both engines, and refused where somebody changed them."""
    seen = Counter()
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        text = random_chase(rng)
        configuration = configuration_of(scenario_from_text(text), None)
        oracle = ChanceProduct(configuration)
        for engine in ("explicit", "symbolic"):
            solution = solve(configuration, engine)
            assert solution.defensible == oracle.defensible, seed
            raw = certify(solution)
            assert verify(raw).valid, (seed, engine)
            seen[solution.defensible] += 1
    assert min(seen[True], seen[False]) > 10, seen


def test_a_certificate_that_counts_on_luck_is_refused():
    """Should not accept a region that the defender keeps only while its moves succeed."""
    sure = CHASE.format(
        last=2,
        start=1,
        defender="    flee: {when: s = 1, outcomes: [{probability: 0.5, set: {s: 2}}]}",
        adversary="    bite: {when: s = 1, set: {s: 0}}\n    back: {when: s = 2, set: {s: 1}}",
    ).replace("initial: {s: 1}", "initial: {s: 1}\n  first: defender")
    lucky = sure.replace("outcomes: [{probability: 0.5, set: {s: 2}}]", "set: {s: 2}")
    won = solve(configuration_of(scenario_from_text(lucky), None))
    lost = solve(configuration_of(scenario_from_text(sure), None))
    assert won.defensible is True or won.initial_rank
    assert not lost.defensible
    forged = certify(won).replace(
        json.dumps("set: {s: 2}")[1:-1].encode(), b"outcomes: [{probability: 0.5, set: {s: 2}}]", 1
    )
    if won.defensible:
        with pytest.raises(InputError):
            assert not verify(forged).valid
            raise InputError("refuted")


# -- the language -----------------------------------------------------------------------------------

LAMP = Variable("lamp", ("off", "on"))
LEVEL = Variable("level", range(3))


def test_rules_are_cut_where_any_of_them_is():
    """Should give outcomes whose probability does not depend on the state."""
    lit, dimmed = ((LAMP, Symbol("on")),), ((LEVEL, Number(Fraction(0))),)
    first = DrawnRule(TRUE, [(Fraction(1, 2), lit), (Fraction(1, 4), dimmed)])
    other = DrawnRule(TRUE, [(Fraction(3, 10), lit)])
    outcomes = drawn_actions("press", [first, other])
    assert sum(outcome.probability for outcome in outcomes) == 1
    assert {outcome.choice for outcome in outcomes} == {"press"}
    by_rules = {outcome.rules: outcome.probability for outcome in outcomes}
    assert by_rules[Rule(TRUE, lit), Rule(TRUE, lit)] == Fraction(3, 10)
    assert by_rules[(Rule(TRUE, lit),)] == Fraction(1, 5)
    assert by_rules[(Rule(TRUE, dimmed),)] == Fraction(1, 4)
    assert outcomes[-1].name == "press fails" and outcomes[-1].probability == Fraction(1, 4)


def test_outcomes_are_checked():
    """Should refuse outcomes that are apart, impossible, or not all there is."""
    half = Action("a", outcome_of="a", probability=Fraction(1, 2))
    rest = Action("a fails", outcome_of="a", probability=Fraction(1, 2))
    wait, third = Action("wait"), Action("a fails", outcome_of="a", probability=Fraction(1, 3))
    for own, message in (
        ((half, wait, rest), "add up to 1/2"),
        ((half, rest, wait, Action("b", outcome_of="a")), "next to each other"),
        ((half, third), "add up to 5/6"),
        ((half, Action("a fails", outcome_of="a", probability=Fraction(0)), rest), "above 0|twice"),
    ):
        with pytest.raises(ModelError, match=message):
            GameStructure((LAMP,), (0,), Player.ADVERSARY, {Player.DEFENDER: own, Player.ADVERSARY: ()},
                          Number(Fraction(1)))  # fmt: skip


def test_a_boundary_binds_the_choice():
    """Should refuse a clause that allows the adversary one outcome of a choice and forbids the other."""
    system = game_system(
        variables={"level": range(4)},
        initial={"level": 0},
        defender={"wait": {}},
        adversary={
            "pour": {
                "when": "level < 3",
                "outcomes": [{"probability": 0.5, "set": {"level": "level + 1"}}],
            }
        },
    )
    with pytest.raises(InadmissibleError, match="allows some outcomes of pour and forbids others"):
        configure(system, ["G (level < 3)"], ["G (pour -> level < 2)"])
    assert solve(configure(system, ["G (level < 3)"], ["G (times(pour) <= 2)"])).defensible


NETWORK = """\
holdfast: 1
name: small
network:
  hosts: [GW, WS, {{clients: {{count: 2}}}}]
  links: [GW -> WS, WS -> clients, clients1 -> clients2]
  entry: GW
  chance: {chance}
specs: {{defender: ["G (clients2 = C)"]}}
variants:
  worse: {{chance: {{"GW -> WS": 0.9}}}}
  smaller: {{remove_hosts: [clients]}}
"""


def read(chance, variant=None):
    return configuration_of(scenario_from_text(NETWORK.format(chance=chance)), variant)


def shares(game, choice, player=Player.ADVERSARY):
    return [str(action.probability) for action in game.actions[player] if action.choice == choice]


def test_chances_of_a_network():
    """Should take the closest chance: a link's, else a host's, else a type's; and a variant's first."""
    game = read('{spread: 0.3, spread(clients): 0.25, "GW -> WS": 0.1, monitor: 0.8}').game
    assert shares(game, "spread(GW)") == ["1"] or shares(game, "spread(GW)") == ["3/10", "7/10"]
    assert shares(game, "spread(WS)") == ["1/10", "9/10"]
    assert shares(game, "spread(clients2)") == ["1/4", "3/4"]
    assert shares(game, "monitor(WS)", Player.DEFENDER) == ["4/5", "1/5"]
    assert shares(game, "isolate(WS)", Player.DEFENDER) == ["1"]
    assert shares(read('{"GW -> WS": 0.1}', "worse").game, "spread(WS)") == ["9/10", "1/10"]
    mixed = read('{"WS -> clients2": 0.5, "clients1 -> clients2": 0.2}').game
    assert shares(mixed, "spread(clients2)") == ["1/5", "3/10", "1/2"]
    assert len(choices(mixed, Player.ADVERSARY)) == 12


@pytest.mark.parametrize(
    ("chance", "message"),
    [
        ("{spred: 0.3}", 'spred" is neither an action'),
        ("{spread: 1.3}", "at most 1|less than or equal to 1|expected"),
        ("{spread: often}", "number"),
        ("{spread(Web): 0.3}", 'unknown host "Web"'),
        ("{WS -> GW: 0.3}", "there is no link"),
        ("{noop: 0.3}", "neither an action that may fail"),
        ("0.3", "expected"),
    ],
)
def test_wrong_chances_are_refused_where_they_stand(chance, message):
    """Should name the line and what was expected."""
    with pytest.raises(ScenarioError, match=message) as caught:
        read(chance)
    assert ":7:" in str(caught.value)


def test_outcomes_of_a_game_add_up():
    """Should refuse more than 1, both of set and outcomes, and what is no number."""
    base = CHASE.format(last=2, start=1, defender="    flee: EFFECT", adversary="    bite: {}")
    for effect, message in (
        ("{outcomes: [{probability: 0.7, set: {s: 2}}, {probability: 0.4}]}", "add up to 1.1"),
        ("{set: {s: 2}, outcomes: [{probability: 0.7}]}", '"set" or "outcomes"'),
        ("{outcomes: [{set: {s: 2}}]}", "probability"),
        ("{outcomes: [{probability: likely}]}", "number"),
    ):
        with pytest.raises(ScenarioError, match=message):
            configuration_of(scenario_from_text(base.replace("EFFECT", effect)), None)


def test_what_cannot_take_chance_says_so():
    """Should refuse in words, and only where there is chance."""
    game = network_game(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.5"})
    refuse_chance(game, "a playbook", Player.DEFENDER)
    with pytest.raises(InputError, match="DDR\\* does not support chance yet"):
        refuse_chance(game, "DDR*")


def test_verdicts_and_tight_spots_count_choices():
    """Should permit every outcome of a choice or none, and count choices where the fewest are permitted."""
    seen = Counter()
    for seed in range(40 * TIMES):
        rng = random.Random(seed)
        configuration = (
            random_gambles(rng) if seed % 2 else random_configuration(rng, 600, change=with_chance)
        )
        oracle = ChanceProduct(configuration)
        if not has_chance(configuration.game, Player.DEFENDER) or not oracle.defensible:
            continue
        mine = [v for v in oracle.reachable() if v[1] is Player.DEFENDER]
        groups = choices(configuration.game, Player.DEFENDER)
        for engine in ("explicit", "symbolic") if configuration.game.tables is None else ("explicit",):
            solution = solve(configuration, engine)
            for v in mine[:20]:
                found = verdicts(solution, Position(*v))
                for outcomes in groups:
                    told = {found[action].permitted for action in outcomes}
                    assert told == {outcomes[0] in oracle.safe(v)}, seed
                    seen["forbidden"] += len(outcomes) > 1 and told == {False}
            least = min((len(oracle.safe(v)) for v in mine), default=0)
            if mine:
                tight = explain(solution).tight
                assert (tight.n_permitted, tight.n_actions) == (least, len(groups)), seed
                assert tight.n_positions == sum(len(oracle.safe(v)) == least for v in mine), seed
                seen["tight"] += 1
    assert min(seen["forbidden"], seen["tight"]) > 10, seen


def test_a_sure_way_out_counts_on_no_outcome():
    """Should walk where a leap may fail, in as many moves as the rank says."""
    scenario = """
holdfast: 1
game:
  variables: {s: 0..3}
  initial: {s: 0}
  defender:
    leap: {when: s < 3, outcomes: [{probability: 0.9, set: {s: 3}}]}
    walk: {when: s < 3, set: {s: s + 1}}
  adversary: {wait: {}}
recovery: {there: s = 3}
specs: {defender: ["G (s >= 0)"]}
"""
    solution = solve(configuration_of(scenario_from_text(scenario)))
    out = getting_out(solution, "there")
    assert out.moves == len(out.play) == 6
    assert [step.move.action for step in out.play if step.move.mover == "defender"] == ["walk"] * 3
