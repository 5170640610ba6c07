"""What is reached with probability one, chance being fair: sets as decision diagrams against the definition."""

from __future__ import annotations

import random
from collections import Counter

from cases import TIMES
from holdfast.game.configuration import Position
from holdfast.logic.expressions import Player
from holdfast.operation.holding.mean_by_diagrams import doomed_positions
from holdfast.solver.engines import solve
from holdfast.solver.fairness import almost_sure_positions
from holdfast.solver.solution import diagrams
from reference_chance import ChanceProduct, almost_sure, doomed, recovery_ranks
from reference_recovery import goal_positions
from strategies import random_configuration, random_gambles, with_chance, with_random_goal


def test_sets_are_those_of_the_definition():
    """Should have every position that gets to a goal, or that the adversary gets to U, and no other."""
    seen = Counter()
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        plain = random_gambles(rng) if seed % 2 else random_configuration(rng, 300, change=with_chance)
        if plain.game.tables is not None:
            continue
        configuration = with_random_goal(rng, plain)
        (goal,) = configuration.goals.values()
        oracle, solution = ChanceProduct(configuration), solve(configuration, "symbolic")
        there = goal_positions(oracle, goal)
        winning = diagrams(solution).winning()
        found = almost_sure_positions(Player.DEFENDER, winning.satisfying(goal), winning)
        fair, lost = almost_sure(oracle, there), doomed(oracle)
        hopeless = doomed_positions(solution)
        every = set(oracle.positions) - set(oracle.unsafe)
        for v in every:
            assert (Position(*v) in found) == (v in fair), (seed, v)
            assert (Position(*v) in hopeless) == (v in lost), (seed, v)
        seen["fair"] += len(fair) > len(recovery_ranks(oracle, there))
        seen["lost"] += bool(lost)
        seen["open"] += bool(every - set(oracle.winning) - lost)
    assert min(seen["fair"], seen["lost"], seen["open"]) > 1, seen
