"""The mean and the median time to loss, by value diagrams: as listed, and as all strategies have them."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import holdfast as hf
from cases import TIMES
from holdfast.models.network import network_system
from holdfast.operation.holding import choice_game as listing
from holdfast.operation.holding.almost_sure import almost_surely
from holdfast.operation.holding.asking import hold
from holdfast.operation.holding.choice_game import choice_game
from holdfast.operation.holding.mean_by_diagrams import mean_by_diagrams
from holdfast.operation.holding.time_to_loss import mean_time
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from strategies import random_configuration, random_gambles, with_chance, with_random_goal


def test_the_mean_is_that_of_lists():
    """Should be finite for the same games, and have brackets that meet; on tiny games it has the fraction."""
    seen = Counter()
    for seed in range(100 * TIMES):
        rng = random.Random(seed)
        tiny = random_gambles(rng, 4)
        configuration = tiny if seed % 4 else random_configuration(rng, 600, change=with_chance)
        solution = solve(configuration, "symbolic") if configuration.game.tables is None else None
        if solution is None or solution.defensible or (game := choice_game(solution)) is None:
            continue
        one, other = mean_time(game), mean_by_diagrams(solution)
        assert (one is None) == (other is None), seed
        seen[one is None] += 1
        if one is None or other is None:
            continue
        assert one.low <= other.high and other.low <= one.high, seed
        assert other.high - other.low <= 1e-5 * other.high, seed
        if configuration is tiny and seed % 8 == 1:
            mean = ChanceProduct(configuration).mean_tried()
            assert mean is not None and mean in other, seed
            seen["tried"] += 1
    assert min(seen[True], seen[False], seen["tried"]) > 3, seen


@pytest.mark.parametrize("within", [(10, 100), (9, 100)], ids=["even", "odd"])
def test_the_median_is_that_of_lists(within, monkeypatch):
    """Should be the same number of moves, whether or not the steps look at one turn only."""
    seen = Counter()
    for seed in range(12 * TIMES):
        rng = random.Random(seed)
        links = [("a", "b"), ("b", "c"), *([("a", "c")] if rng.random() < 0.5 else [])]
        chance = {"spread": f"0.{rng.randint(1, 6)}", "isolate": rng.choice(["1", "0.7"])}
        system = network_system(["a", "b", "c"], links, "a", None, chance=chance)
        least = rng.choice(["G (active >= 3)", "G (c != X)", "G (active >= 2)"])
        solution = solve(hf.configure(system, [least], ["G !destroy"]))
        monkeypatch.setattr(listing, "LISTABLE", 1 << 40)
        one = hold(solution, within)
        monkeypatch.setattr(listing, "LISTABLE", 0)
        other = hold(solution, within)
        assert one.median == other.median, seed
        assert one.lucky == other.lucky, seed
        if one.mean is not None and other.mean is not None:
            assert one.mean.low <= other.mean.high and other.mean.low <= one.mean.high, seed
        assert (one.mean is None) == (other.mean is None), seed
        seen[one.median is None] += 1
        seen["odd"] += bool(one.median and one.median % 2)
    assert min(seen.values()) > 0 and len(seen) == 3, seen


def test_recovery_with_probability_one_needs_no_list(monkeypatch):
    """Should say what the list says where there is none."""
    seen = Counter()
    for seed in range(30 * TIMES):
        rng = random.Random(seed)
        configuration = with_random_goal(rng, random_configuration(rng, 400, change=with_chance))
        solution = solve(configuration, "explicit")
        if configuration.game.tables is not None or not solution.defensible:
            continue
        (goal,) = configuration.goals
        monkeypatch.setattr(listing, "LISTABLE", 1 << 40)
        listed = almost_surely(solution, goal)
        monkeypatch.setattr(listing, "LISTABLE", 0)
        assert almost_surely(solve(configuration, "symbolic"), goal) == listed, seed
        seen[listed] += 1
    assert min(seen[True], seen[False]) > 1, seen
