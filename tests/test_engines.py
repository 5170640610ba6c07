"""Both engines against each other and against the literal oracle, on thousands of random games."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from holdfast.engines import solve
from holdfast.logic.expressions import Player
from holdfast.metrics import shell_steepness, shield_latitude, winning_fraction
from holdfast.product import Position
from holdfast.shield import reachable, safe_actions
from reference import Product
from strategies import random_configuration

N_GAMES, N_CHUNKS = 2400, 24


def engines_for(configuration):
    return ["explicit"] if configuration.game.tables is not None else ["explicit", "symbolic"]


def compare(configuration, rng, note):
    oracle = Product(configuration)
    assert configuration.n_positions == len(oracle.positions), note
    assert configuration.n_unsafe == len(oracle.unsafe), note
    assert tuple(configuration.initial) == oracle.initial, note
    reach = oracle.reachable()
    for engine in engines_for(configuration):
        at = f"{note}, engine {engine}"
        solution = solve(configuration, engine)
        assert solution.shells == oracle.shells(), at
        assert solution.n_winning == len(oracle.winning), at
        assert solution.defensible == oracle.defensible, at
        assert winning_fraction(solution) == oracle.win(), at
        assert shell_steepness(solution.shells) == pytest.approx(oracle.stp(), abs=1e-12), at
        found = reachable(solution)
        assert (found is None) == (reach is None), at
        if found is not None:
            assert found.n_positions == len(reach), at
            assert found.n_defender == sum(v[1] is Player.DEFENDER for v in reach), at
        n_actions = len(configuration.game.actions[Player.DEFENDER])
        assert shield_latitude(found, n_actions) == oracle.slt(), at
        for v in rng.sample(oracle.positions, min(12, len(oracle.positions))):
            assert solution.regions.rank(Position(*v)) == oracle.rank.get(v), (at, v)
            assert safe_actions(solution, Position(*v)) == oracle.safe(v), (at, v)
    return oracle


@pytest.mark.parametrize("chunk", range(N_CHUNKS))
def test_engines_equal_the_oracle_on_random_games(chunk):
    """Should agree on counts, shells, ranks, Safe, R and all static readings."""
    seen = Counter()
    for seed in range(chunk * N_GAMES // N_CHUNKS, (chunk + 1) * N_GAMES // N_CHUNKS):
        rng = random.Random(seed)
        configuration = random_configuration(rng)
        oracle = compare(configuration, rng, f"seed {seed}")
        seen["defensible" if oracle.defensible else "indefensible"] += 1
        seen["initial violation"] += oracle.initial in oracle.unsafe
        seen["empty attractor"] += not oracle.shells()
        seen["deep"] += len(oracle.shells()) >= 3
        seen["adversary dead end"] += any(
            v[1] is Player.ADVERSARY and v not in oracle.unsafe and not oracle.admissible(v)
            and v[3] in oracle.accepting_adversary
            for v in oracle.positions
        )  # fmt: skip
        seen["several clauses"] += len(configuration.defender) > 1 or len(configuration.adversary) > 1
        seen["tabulated"] += configuration.game.tables is not None
    kinds = (
        "defensible",
        "indefensible",
        "initial violation",
        "empty attractor",
        "deep",
        "several clauses",
        "tabulated",
    )
    assert all(seen[kind] for kind in kinds), seen
