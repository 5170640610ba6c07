"""Playbooks where the defender's own actions may fail: right whatever comes of them, listed and as sets."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

import certificates
import holdfast as hf
from cases import TIMES
from holdfast.certificates.verify.checking import verify
from holdfast.errors import InputError
from holdfast.explanation.playbook.playbooks import playbook, playbook_object
from holdfast.explanation.playbook.proof import certify_playbook
from holdfast.explanation.playbook.set_play import set_play
from holdfast.explanation.playbook.strategies import EarlyStrategy, GoalStrategy, LateStrategy
from holdfast.explanation.playbook.traits import traits_of
from holdfast.game.configuration import Position
from holdfast.game.structure import choices, has_chance
from holdfast.logic.expressions import Player
from holdfast.logic.parser import parse_predicate
from holdfast.report.exchange.cacao import cacao_object
from holdfast.solver.engines import solve
from holdfast.solver.solution import diagrams
from reference_chance import ChanceProduct, recovery_ranks
from reference_playbook import (
    Literal,
    assert_early_everywhere,
    assert_lazy_everywhere,
    forged,
    judged,
)
from reference_recovery import goal_positions
from strategies import random_chase, random_configuration, random_gambles, with_chance, with_idle_action

DEFENDER = Player.DEFENDER


def network(rng):
    """Two hosts whose defenders may fail at some of what they do."""
    kinds = [kind for kind in ("isolate", "fix", "spread") if rng.random() < 0.5]
    chance = {kind: f"0.{rng.randint(1, 9)}" for kind in ("monitor", *kinds)}
    system = hf.network_system(["a", "b"], [("a", "b")], "a", chance=chance)
    return hf.configure(system, [rng.choice(["G (active >= 1)", "G (b != Z)"])], ["G !destroy"])


def gambles(rng):
    """A walk on a few places, most of whose steps are drawn."""
    return random_gambles(rng)


def scenario(rng):
    """A walk on numbers from the text of a scenario."""
    return hf.configuration(hf.scenario_from_text(random_chase(rng)))


def mixed(rng):
    """A random game in which the defender may idle."""
    return random_configuration(rng, 300, lambda rng, game: with_chance(rng, with_idle_action(rng, game)))


def drawn_games(n):
    """Games of each kind that hold and in which the defender draws."""
    for make, part in ((gambles, 4), (scenario, 2), (mixed, 1), (network, 1)):
        for seed in range(n * part):
            rng = random.Random(f"{make.__name__} {seed}")
            configuration = make(rng)
            if has_chance(configuration.game, DEFENDER) and solve(configuration).defensible:
                yield configuration, rng


def test_lists_are_right_whatever_comes_of_an_action():
    """Should be what the definition allows at every position that the literal search reaches."""
    seen = Counter()
    for configuration, _ in drawn_games(6 * TIMES):
        seen["rules"] += assert_lazy_everywhere(configuration) > 0
        assert_early_everywhere(configuration)
        found = playbook(configuration)
        names = [found.action(action) for action in found.drawn]
        assert playbook_object(found)["drawn"] == names
        seen["drawn"] += bool(names)
    assert min(seen["rules"], seen["drawn"]) > 5, seen


def test_sets_are_right_whatever_comes_of_an_action():
    """Should have the positions at which each choice is right, and lists that are right wherever play comes."""
    seen = Counter()
    for configuration, _ in drawn_games(4 * TIMES):
        solution, twin = solve(configuration, "symbolic"), Literal(configuration)
        winning = diagrams(solution).winning()
        early, late = EarlyStrategy(solution), LateStrategy(solution)
        home, right = early.in_sets(winning)
        _, inside = twin.home()
        assert set(right) == {own[0] for own in choices(configuration.game, DEFENDER)}
        for v in sorted(inside, key=repr)[:40]:
            assert Position(*v) in home
            if v[1] is DEFENDER:
                told = {action for action, here in right.items() if Position(*v) in here}
                assert told == twin.early(v, inside, True) == set(early.choices(Position(*v)))
        for strategy in (early, late):
            proved = set_play(strategy, traits_of(configuration))
            reached = twin.reached(lambda v, rules=proved.rules: rules.answer(Position(*v)))
            assert reached <= twin.whole.winning
            own = [v for v in reached if v[1] is DEFENDER]
            assert sum(proved.decides) == len(own)
            if strategy is early:
                assert all(proved.rules.answer(Position(*v)) in twin.early(v, inside, True) for v in own)
            seen["drawn"] += any(len(strategy.outcomes[i.action]) > 1 for i in proved.rules.instructions)
    assert seen["drawn"] > 5, seen


def test_goals_are_reached_whatever_comes_of_an_action():
    """Should lead nearer by every outcome, and be there within the moves that are told, listed and as sets."""
    seen = Counter()
    for seed in range(80 * TIMES):
        plain = random_gambles(random.Random(seed), 6)
        if not solve(plain).defensible:
            continue
        there = parse_predicate("s >= 4", plain.game.vocabulary)
        configuration, goal = (
            hf.configure(plain.system, plain.requirement, recovery={"there": there}),
            "there",
        )
        oracle = ChanceProduct(configuration)
        there = goal_positions(oracle, configuration.goals[goal])
        rank = recovery_ranks(oracle, there).get(oracle.initial)
        found = playbook(configuration, wanted=goal)
        if rank == 0:
            continue
        assert found.possible is (rank is not None)
        if rank is None:
            continue
        assert found.within == rank
        proved = set_play(GoalStrategy(solve(configuration, "symbolic"), goal), traits_of(configuration))
        twin, away, n_moves = Literal(configuration), {oracle.initial}, 0
        while away:
            n_moves += 1
            after = []
            for v in away:
                led = twin.led(v)
                said = [proved.rules.answer(Position(*v))] if v[1] is DEFENDER else list(led)
                after += [target for choice in said for target in led[choice]]
            away = set(after) - set(there)
        assert n_moves == rank
        seen[bool(found.drawn)] += 1
    assert seen[True] > 2, seen


def test_the_certificate_of_a_list_counts_on_no_outcome():
    """Should be accepted as it is, and judged position by position where somebody changed its rules."""
    seen = Counter()
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        configuration = scenario(rng)
        found = playbook(configuration)
        if not found.instructions:
            continue
        raw = certify_playbook(found)
        assert verify(raw).valid, seed
        groups, named = choices(configuration.game, DEFENDER), configuration.game.actions[DEFENDER]
        data = json.loads(raw)
        for _ in range(6):
            changed = forged(rng, data | {"names": [named[own[0]].name for own in groups]})
            verdict = verify(certificates.repaired(changed)).valid
            assert verdict == judged(changed), seed
            seen[verdict] += 1
        for outcome in (number for own in groups for number in own[1:]):
            data["witness"]["otherwise"] = named[outcome].name
            with pytest.raises(InputError, match="which the defender cannot do"):
                verify(certificates.repaired(data))
            seen["outcomes"] += 1
    assert min(seen[True], seen[False], seen["outcomes"]) > 2, seen


def test_reports_say_what_may_fail():
    """Should name it in the answer, in CACAO and on paper."""
    system = hf.network_system(["a", "b"], [("a", "b")], "a", chance={"isolate": "0.5"})
    found = playbook(hf.configure(system, ["G (b != Z)"], ["G !destroy"]))
    assert found.drawn
    said = " ".join(hf.render(found).split())
    assert "isolate a" in said and "may fail. The rules hold whatever comes of it" in said
    written = cacao_object(found)
    assert "may fail" in written["description"]
    assert any("may fail" in step.get("description", "") for step in written["workflow"].values())
