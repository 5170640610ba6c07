"""Games in which outcomes are drawn: *held* is whatever happens, in both engines and in the literal oracle."""

from __future__ import annotations

import random
from collections import Counter

from cases import TIMES
from engine_comparison import compare
from holdfast.game.structure import has_chance
from holdfast.logic.expressions import Player
from reference import Product
from reference_chance import ChanceProduct
from strategies import random_configuration, with_chance

N_GAMES = 300 * TIMES


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
