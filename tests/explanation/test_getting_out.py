"""How the attacker is driven out, and why never: the plays are replayed, move by move, on the literal game."""

from __future__ import annotations

import random
from collections import Counter

from cases import TIMES
from commands import holdfast
from holdfast.explanation.getting_out import getting_out
from holdfast.game.numerals import NEVER
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration as configuration_of, read_scenario
from holdfast.solver.engines import solve
from reference import Product
from reference_recovery import again, goal_positions, ranks
from strategies import random_configuration, with_random_goal

N_GAMES = 80 * TIMES


def test_plays_are_what_they_say():
    """Should follow moves of the game: to the goal in as many moves as said, or around it for ever, and stay in W."""
    seen = Counter()
    for seed in range(N_GAMES):
        rng = random.Random(f"getting out {seed}")
        configuration = with_random_goal(rng, random_configuration(rng, 60))
        goal, solution = configuration.recovery["goal"], solve(configuration)
        if not solution.defensible:
            continue
        oracle = Product(configuration)
        rank, wanted = ranks(oracle, goal), goal_positions(oracle, goal)
        out = getting_out(solution, "goal")
        assert out.moves == rank.get(oracle.initial, NEVER)
        here, visited = oracle.initial, [oracle.initial]
        for step in out.play:
            names = [action.name for action in configuration.game.actions[here[1]]]
            assert step.move.mover == str(here[1])
            here = oracle.admissible(here)[names.index(step.move.action)]
            visited.append(here)
            assert here in oracle.winning
            assert out.moves == 0 or step.left == rank.get(here)
            for refused in step.refused:
                for name in refused.actions:
                    assert oracle.successors[visited[-2]][names.index(name)] in oracle.rank
        if out.moves == 0:
            assert out.again is (oracle.initial in again(oracle, goal))
            if out.again:
                assert not out.play or (visited[-1] in wanted and not set(visited) <= wanted)
            elif out.repeats is not None:
                assert visited[-1] == visited[out.repeats] and not wanted & set(visited[out.repeats :])
            seen["again", out.again] += bool(out.play)
        elif out.moves == NEVER:
            assert not wanted & set(visited)
            seen["trap"] += 1
            if out.repeats is not None:
                assert visited[-1] == visited[out.repeats]
            elif len(out.play) < 60:
                assert visited[-1][1] is Player.ADVERSARY and not oracle.admissible(visited[-1])
                seen["rests"] += 1
        else:
            assert visited[-1] in wanted and len(out.play) == out.moves
            seen["reached"] += 1
    assert seen["trap"] and seen["reached"] and seen["rests"], seen
    assert seen["again", True] and seen["again", False], seen


def test_the_reference_segment():
    """Should show why nobody gets the attacker out of it, and how without the bypass."""
    scenario = read_scenario("scenarios/paper.yaml")
    out = getting_out(solve(configuration_of(scenario)), "evicted")
    reasons = " ".join(refused.reason for step in out.play for refused in step.refused)
    assert out.moves == NEVER and "at least three hosts are active" in reasons
    out = getting_out(solve(configuration_of(scenario, "no-bypass")), "evicted")
    assert [step.left for step in out.play] == [3, 2, 1, 0]


def test_explain_tells_it():
    """Should stand in the explanation, a trap once."""
    text = holdfast("explain", "scenarios/paper.yaml").stdout
    assert "Why the attacker can stay" in text and "recovered" not in text
    text = holdfast("explain", "scenarios/paper.yaml", "--variant", "no-bypass").stdout
    assert "How the attacker is driven out" in text and 'How "recovered" is reached' in text
    text = holdfast("explain", "scenarios/three-sites.yaml").stdout
    assert "How the attacker is driven out, once inside" in text and "spread(Gate)" in text
