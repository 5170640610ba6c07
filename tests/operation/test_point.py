"""DDR* where outcomes are drawn: against recursion in fractions, all stationary policies, and games without chance."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from cases import TIMES
from holdfast.arena import drawn_arena, shielded_arena
from holdfast.budget import Budget
from holdfast.errors import LimitError, ModelError
from holdfast.game.configuration import configure
from holdfast.game.protocol import Protocol, reset_chance
from holdfast.game.structure import has_chance
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_system
from holdfast.operation import operating_point
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from reference_learning import after_reset, mu
from reference_minimax import DrawnMinimax
from stakes import with_stakes
from strategies import random_configuration, random_gambles, with_chance
from variations import with_game

HOSTS = ["GW", "Web", "WS", "DB"]
LINKS = [("GW", "Web"), ("GW", "WS"), ("Web", "WS"), ("Web", "DB"), ("WS", "DB")]


def drawn_game(seed: int):
    """(The solution, its twin) of a random game that is held, with chance, a μ and mostly a reset; else None."""
    rng = random.Random(seed)
    configuration = random_gambles(rng) if seed % 2 else random_configuration(rng, 300, change=with_chance)
    configuration = with_stakes(configuration, rng)
    if not has_chance(configuration.game):
        return None
    solution = solve(configuration, "symbolic" if seed % 3 == 0 else "explicit")
    return (solution, ChanceProduct(configuration)) if solution.defensible else None


def test_perfect_play_by_recursion():
    """Should agree with the recursion to 1e-12, with errors of the players too, and say what a reset is refused for."""
    seen = Counter()
    for seed in range(200 * TIMES):
        if (found := drawn_game(seed)) is None:
            continue
        (solution, twin), rng = found, random.Random(seed)
        steps, epsilon = rng.randint(1, 6), Fraction(rng.randint(0, 9), 10)
        protocol = Protocol(steps=steps, epsilon=1.0, epsilon_min=float(epsilon))
        p = reset_chance(protocol, solution.configuration.game)
        try:
            point = operating_point(solution, protocol)
            arena = drawn_arena(solution, resets=p > 0)
        except ModelError:
            seen["refused"] += 1
            continue
        exact, erring = DrawnMinimax(twin, p), DrawnMinimax(twin, p, epsilon)
        assert abs(point.value - exact.before_reset(twin.initial, steps) / steps) < 1e-12, seed
        assert abs(point.tremble - erring.before_reset(twin.initial, steps) / steps) < 1e-12, seed
        assert point.low == point.value == point.high, seed
        seen["drawn"] += len(arena.draw_to) > 0
        seen["resets"] += len(arena.draw_to) > 0 and len(arena.reset_from) > 0
        seen["rests"] += any(not exact.options(v) for v in twin.reachable())
    assert min(seen["drawn"], seen["resets"]) > 20 and seen["refused"] and seen["rests"], seen


def gain_of(twin, chosen, p, order):
    """The long-run mean of μ from v₀ where every choice is made."""
    number = {v: i for i, v in enumerate(order)}
    move, reset = np.zeros((len(order), len(order))), np.eye(len(order))
    for v, own in chosen.items():
        for _, target, share in own or [(None, v, 1)]:
            move[number[v], number[target]] += float(share)
        again = after_reset(twin.configuration, v)
        if again is not None and p:
            reset[number[v]] *= 1 - p
            reset[number[v], number[again]] += p
    limit = (np.eye(len(order)) + move @ reset) / 2
    for _ in range(60):
        limit = limit @ limit
        limit /= limit.sum(axis=1, keepdims=True)
    gains = np.array([float(mu(twin.configuration.game, v[0])) for v in order])
    return (reset @ limit @ gains)[number[twin.initial]]


def test_the_long_run_by_all_stationary_policies():
    """Should enclose the best stationary policy against the best answer to it."""
    seen = Counter()
    for seed in range(150 * TIMES):
        if (found := drawn_game(seed)) is None:
            continue
        solution, twin = found
        p = reset_chance(Protocol(), solution.configuration.game)
        exact, order = DrawnMinimax(twin, p), [twin.initial]
        for v in order:
            after = [target for own in exact.options(v) for _, target, _ in own]
            again = after_reset(twin.configuration, v)
            order += dict.fromkeys(t for t in (*after, *([again] if again and p else ())) if t not in order)
        if not set(order) <= twin.winning:
            continue
        options = [exact.options(v) or [[]] for v in order]
        if not 2 <= math.prod(map(len, options)) <= 100:
            continue
        try:
            point = operating_point(solution, Protocol())
        except ModelError:
            continue
        worst: dict = {}
        for choice in itertools.product(*(range(len(own)) for own in options)):
            chosen = {v: own[i] for v, own, i in zip(order, options, choice, strict=True)}
            defender = tuple(i for v, i in zip(order, choice, strict=True) if v[1] is Player.DEFENDER)
            worst[defender] = min(worst.get(defender, 1.0), gain_of(twin, chosen, p, order))
        value = max(worst.values())
        assert point.long_run.low - 1e-9 <= value <= point.long_run.high + 1e-9, (seed, value, point.long_run)
        seen["narrow"] += point.long_run.width <= 1e-6  # bounds hold wherever iteration is stopped
        seen["played"] += 1
        seen["resets"] += bool(p) and any(after_reset(twin.configuration, v) for v in order)
    assert seen["played"] > 10 and seen["resets"] > 1 and seen["narrow"] > 0.9 * seen["played"], seen


def as_if_drawn(game):
    """The game whose actions are drawn from two outcomes that do the same."""
    half = Fraction(1, 3)
    actions = {}
    for player, own in game.actions.items():
        actions[player] = tuple(
            replace(action, name=name, outcome_of=action.name, probability=share)
            for action in own
            for name, share in ((action.name, half), (f"{action.name} too", 1 - half))
        )
    return replace(game, actions=actions)


def test_outcomes_that_do_the_same_are_no_chance():
    """Should be the arena, and have the digits, of the game in which nothing is drawn."""
    system = network_system(HOSTS, LINKS, "GW")
    plain = configure(system, ["G (DB != Z)"], ["G (times(destroy) <= 1)"])
    drawn = with_game(plain, as_if_drawn(plain.game))
    assert has_chance(drawn.game)
    solved, other = solve(plain, "explicit"), solve(drawn, "explicit")
    arena, listed = drawn_arena(other, resets=True), shielded_arena(solved)
    assert len(arena.draw_to) == 0 and arena.n_positions == listed.n_positions
    ours, theirs = operating_point(other), operating_point(solved)
    assert (ours.value, ours.tremble) == pytest.approx((theirs.value, theirs.tremble), abs=1e-12)


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_certain_success_is_the_game_without_chance(engine):
    """Should have every digit of the game that says nothing of chance."""
    points = []
    for chance in ({}, {"spread": "1", "restore": "1"}):
        system = network_system(HOSTS, LINKS, "GW", chance=chance)
        point = operating_point(solve(configure(system, ["G (DB != Z)"]), engine))
        points.append(replace(point, seconds=0.0))
    assert points[0] == points[1]


def test_attacks_that_often_fail_leave_more():
    """Should grow as spreading becomes less likely, and meet the game in which it always succeeds."""
    values = []
    for p in ("1", "0.999999", "0.7", "0.3", "0.05"):
        system = network_system(HOSTS, LINKS, "GW", chance={"spread": p})
        values.append(operating_point(solve(configure(system, ["G (DB != Z)"]))).value)
    assert values[0] == pytest.approx(values[1], abs=1e-4)
    assert values[1:] == sorted(values[1:]) and values[-1] > values[1] + 0.01, values


def test_what_cannot_be_had_says_so():
    """Should say what the memory does not hold, with the reason."""
    system = network_system(HOSTS, LINKS, "GW", chance={"spread": "0.5"})
    with pytest.raises(LimitError):
        operating_point(solve(configure(system, ["G (DB != Z)"])), budget=Budget(memory=1 << 16))
