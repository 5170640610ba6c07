"""DDR* with chance, by value diagrams: brackets that contain what lists have, and that close."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

import holdfast as hf
from cases import TIMES
from holdfast.budget import UNLIMITED
from holdfast.errors import LimitError, ModelError
from holdfast.game.protocol import Protocol
from holdfast.game.structure import has_chance
from holdfast.logic.expressions import Player
from holdfast.models.network import network_system
from holdfast.operation.brackets.value_game import value_game
from holdfast.operation.point import operating_point
from holdfast.solver.engines import solve
from holdfast.solver.solution import diagrams
from stakes import with_stakes
from strategies import random_configuration, random_gambles, with_chance


def test_brackets_contain_ddr_of_lists():
    """Should contain DDR* and the long run of the list, whoever draws, with resets and without."""
    seen = Counter()
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        gambles = seed % 4 == 1
        plain = random_gambles(rng) if gambles else random_configuration(rng, 600, change=with_chance)
        if plain.game.tables is not None or not has_chance(plain.game):
            continue
        configuration = with_stakes(plain, rng) if gambles else plain
        solution, protocol = solve(configuration), Protocol(steps=rng.choice((5, 20, 61)))
        if not solution.defensible:
            continue
        try:
            listed = operating_point(solution, protocol, method="episode")
        except ModelError:  # a reset that is refused
            continue
        found = operating_point(solution, protocol, method="levels")
        assert found.low - 1e-9 <= listed.value <= found.high + 1e-9, seed
        assert found.high - found.low < 0.05, seed
        run, other = listed.long_run, found.long_run
        assert other.low <= run.high + 1e-9 and run.low <= other.high + 1e-9, seed
        seen["closed"] += found.value is not None
        seen["open"] += found.value is None
        for player in Player:
            seen[player] += has_chance(configuration.game, player)
        seen["reset"] += configuration.game.reset is not None
    assert min(seen[kind] for kind in (*Player, "closed", "reset")) > 3 > seen["open"], seen


def test_what_is_too_large_to_list_is_bracketed(monkeypatch):
    """Should come to value diagrams by itself, and to the value of the list."""
    chance = {"spread": "0.3", "isolate": "0.9"}
    system = network_system(["a", "b", "c"], [("a", "b"), ("b", "c")], "a", chance=chance)
    solution = solve(hf.configure(system, ["G (active >= 1)"], ["G (times(destroy) <= 1)"]))
    listed = operating_point(solution)
    monkeypatch.setattr("holdfast.arena.draws.is_listable", lambda solution: False)
    found = operating_point(solution)
    assert (listed.method, found.method) == ("episode", "levels")
    assert found.value == pytest.approx(listed.value, abs=1e-5)


def test_probabilities_of_too_many_digits_are_a_limit():
    """Should say so before whole numbers overflow."""
    chance = {"spread": "0.1234567890123"}
    system = network_system(["a", "b"], [("a", "b")], "a", chance=chance)
    solution = solve(hf.configure(system, ["G (b != Z)"]))
    regions = diagrams(solution)
    with pytest.raises(LimitError, match="too many digits"):
        value_game(regions.product, regions.winning(), Fraction(0), Fraction(1, 1 << 19), UNLIMITED)
