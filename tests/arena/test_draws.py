"""Play in which outcomes are drawn, for learners and environments: each draw, each number, by a literal twin."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import holdfast as hf
from cases import TIMES
from holdfast import env
from holdfast.arena.lazy_arena import LazyArena
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.env.evaluation import evaluate
from holdfast.errors import ModelError
from holdfast.game.protocol import Protocol, reset_chance
from holdfast.game.structure import choices, has_chance
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_system
from holdfast.operation.dominance import exact_dominance, guarantees, optimal_actions
from holdfast.operation.point import operating_point
from holdfast.operation.training.grounds import discovered
from holdfast.operation.training.minimax_q import greedy_actions, greedy_policies, train
from holdfast.scenario.reading import configuration as configured, scenario_from_text
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from reference_learning import DrawnPlay, after_reset, assert_same_run, learn, mu
from reference_minimax import DrawnMinimax
from stakes import with_stakes
from strategies import random_configuration, random_gambles, with_chance
from variations import with_game

SMALL = Protocol(episodes=6, steps=24, window=3, epsilon=1.0, epsilon_min=0.3, seeds=(1, 2))


@cache
def drawn_game(seed: int, held: bool = True):
    """(The solution, its twin) of a random game with chance, a μ and mostly a reset; None where there is none."""
    rng = random.Random(seed)
    configuration = random_gambles(rng) if seed % 2 else random_configuration(rng, 300, change=with_chance)
    configuration = with_stakes(configuration, rng)
    if configuration.game.reset is not None and seed % 5 < 2:
        reset = replace(configuration.game.reset, kept=True)
        configuration = with_game(configuration, replace(configuration.game, reset=reset))
    if not has_chance(configuration.game):
        return None
    solution = solve(configuration, "symbolic" if seed % 3 == 0 else "explicit")
    if solution.initial_rank == 0 or (held and not solution.defensible):
        return None
    return solution, ChanceProduct(configuration)


def test_learners_draw_what_the_protocol_draws():
    """Should come to the very tables of the protocol transcribed, in a listed arena and in one that grows."""
    seen = Counter()
    for seed in range(40 * TIMES):
        if (found := drawn_game(seed)) is None:
            continue
        solution, twin = found
        try:
            listed = train(solution, SMALL)
            growing = _grown(solution)
        except ModelError:
            continue
        p = reset_chance(SMALL, solution.configuration.game)
        for number in SMALL.seeds:
            means, tables = learn(DrawnPlay(twin), SMALL, number, p)
            assert_same_run(listed, number, means, tables)
            assert_same_run(growing, number, means, tables)
            seen["drawn"] += len(tables[Player.DEFENDER]) + len(tables[Player.ADVERSARY]) > 6
        seen["resets"] += p > 0
    assert seen["drawn"] > 20 and seen["resets"] > 5, seen


def _grown(solution):
    """A training in an arena that is discovered on the way."""
    from holdfast.operation.training import minimax_q

    kept = minimax_q.ground_of
    minimax_q.ground_of = lambda where, n, budget: discovered(where, n, budget)
    try:
        return train(solution, SMALL)
    finally:
        minimax_q.ground_of = kept


def test_learned_policies_are_worth_what_they_guarantee():
    """Should enclose DDR* by what the learned policies guarantee and concede, and evaluate them to the same."""
    seen = Counter()
    for seed in range(16 * TIMES):
        if (found := drawn_game(seed)) is None:
            continue
        solution, twin = found
        protocol = replace(SMALL, steps=5)
        try:
            trained, arena = train(solution, protocol), shielded_arena(solution)
        except ModelError:
            continue
        policies = greedy_policies(trained, 1)
        worth = guarantees(arena, [greedy_actions(arena, policies)], protocol)
        p = reset_chance(protocol, solution.configuration.game)
        exact = float(DrawnMinimax(twin, p).before_reset(twin.initial, 5) / 5)
        assert (
            abs(worth.value - exact) < 1e-12 and abs(exact_dominance(arena, protocol).value - exact) < 1e-12
        )
        assert worth.guaranteed[0] <= exact + 1e-12 <= worth.conceded[0] + 2e-12, seed
        if solution.configuration.game.listed is None and all(solution.configuration.game.actions.values()):
            for role, value in zip(Player, (worth.guaranteed[0], worth.conceded[0]), strict=True):
                told = evaluate(solution, policies, role=role, horizon=5)
                assert abs(told.value - value) < 1e-12 and told.n_forbidden == 0 and not told.violable, seed
                seen["worse"] += abs(told.value - exact) > 1e-6
    assert seen["worse"] > 3, seen


def literal_games(twin, n, horizon, p, mask, seed, choose):
    """Games side by side, drawn one after the other in the order of games: positions, rewards, ends, by step."""
    rng, play = np.random.default_rng(seed), DrawnPlay(twin)
    told, where, over = [], [], [False] * n

    def begin(v):
        again = after_reset(twin.configuration, v)
        if again is None:
            return v
        u = rng.random()
        kept = v in twin.winning and again in twin.winning
        return again if u < p and kept else v

    where = [twin.initial] * n
    where = [begin(v) for v in where]
    for step in range(horizon):
        chosen, row, landed = [], [], []
        for i, v in enumerate(where):
            menu = play.safe(v) if mask == "shield" else tuple(own[0][0] for own in twin.groups(v))
            chosen.append(choose(step, i, menu) if menu else None)
        for i, v in enumerate(where):
            if over[i]:
                landed.append(v)
                continue
            after = v if chosen[i] is None else play.drawn(v, chosen[i], rng)
            landed.append(after)
            over[i] = after in twin.unsafe
        for i, v in enumerate(landed):
            game = twin.configuration.game
            left = horizon - step
            row.append((chosen[i], -left if over[i] else float(2 * mu(game, v[0]) - 1)))
        if step + 1 < horizon:
            where = [v if over[i] else begin(v) for i, v in enumerate(landed)]
        told.append((row, list(where)))
        if all(over):
            break
    return told


def test_games_draw_like_their_literal_twin():
    """Should stand where the twin stands after every move, with its rewards and masks, whatever the mask."""
    seen, horizon, n = Counter(), 12, 4
    for seed in range(60 * TIMES):
        if (found := drawn_game(seed, False)) is None:
            continue
        solution, twin = found
        game = solution.configuration.game
        mask = "shield" if solution.defensible and seed % 3 else "legal"
        if not all(game.actions.values()):
            continue

        def choose(step, i, menu, seed=seed):
            return menu[random.Random(f"{seed} {step} {i}").randrange(len(menu))]

        p = reset_chance(Protocol(), game)
        try:
            games = env.games(solution, n, mask=mask, horizon=horizon, seed=seed)
            want, ended = literal_games(twin, n, horizon, p, mask, seed, choose), np.zeros(n, dtype=bool)
            for step, (row, where) in enumerate(want):
                menus = [tuple(np.flatnonzero(games.mask[i]).tolist()) for i in range(n)]
                actions = [choose(step, i, menu) if menu else 0 for i, menu in enumerate(menus)]
                going = ~ended
                came = games.step(np.array(actions), going)
                for i in np.flatnonzero(going).tolist():
                    assert row[i][0] is None or row[i][0] == actions[i], (seed, step, i)
                    assert came.reward[i] == row[i][1], (seed, step, i)
                    if not came.over[i]:
                        assert tuple(games.position(i)) == tuple(where[i]), (seed, step, i)
                seen["violated"] += int(came.violated.sum())
                assert not came.forfeited.any()
                ended |= came.over
        except ModelError:
            continue
        seen[mask] += 1
    assert min(seen["shield"], seen["legal"], seen["violated"]) > 5, seen


def test_outcomes_come_as_often_as_they_are_likely():
    """Should happen at exactly those of the numbers that can be drawn that are below the probability."""
    system = network_system(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.05"})
    games = env.games(hf.solve(hf.configure(system, ["G (DB != Z)"])), 1024, horizon=2, reset=0.0)
    actions = system.game.actions[Player.ADVERSARY]
    spread = next(i for i, action in enumerate(actions) if action.choice == "spread(DB)")

    class Evenly:
        def random(self, n):
            return np.arange(n) / n

    assert games.mask[0, spread] and not games.mask[0, spread + 1], "no mask has what is not chosen"
    games.rng = Evenly()
    games.step(np.full(1024, spread))
    assert sum(games.position(i).state[1] == 1 for i in range(1024)) == sum(
        Fraction(k, 1024) < Fraction(1, 20) for k in range(1024)
    )


def test_the_best_opponent_gets_what_perfect_play_leaves():
    """Should come to DDR* in the mean when both sides play perfectly and all draws of a short episode occur."""
    seen = 0
    for seed in range(30 * TIMES):
        if (found := drawn_game(seed)) is None:
            continue
        solution, twin = found
        protocol = Protocol(
            steps=3, reset_probability=None if solution.configuration.game.reset is None else 0.0
        )
        actions = optimal_actions(shielded_arena(solution, resets=False), protocol)
        arena = shielded_arena(solution, resets=False)

        def mean(v, t, arena=arena, actions=actions, twin=twin):
            here = mu(twin.configuration.game, v[0])
            if t == 2:
                return here
            action = int(
                actions[
                    t,
                    arena.number(
                        twin.configuration.initial._replace(
                            state=v[0], turn=v[1], q_defender=v[2], q_adversary=v[3]
                        )
                    ),
                ]
            )
            own = [own for own in twin.groups(v) if own[0][0] == action]
            if not own:
                return here + mean(v, t + 1)
            return here + sum(share * mean(target, t + 1) for _, target, share in own[0])

        value = float(mean(twin.initial, 0) / 3)
        assert abs(value - operating_point(solution, protocol).value) < 1e-12, seed
        seen += 1
    assert seen > 8


def test_an_arena_that_grows_has_the_moves_of_the_listed_one():
    """Should reach the same positions by the same choices when it is walked to the end."""
    seen = 0
    for seed in range(30 * TIMES):
        if (found := drawn_game(seed)) is None or found[0].configuration.game.listed is not None:
            continue
        solution, _ = found
        listed = shielded_arena(solution, resets=False)
        lazy, v = LazyArena(solution, hf.Budget(), resets=False), 0
        while v < lazy.n_positions:
            lazy.resolve_rows(v, np.full(1, -1))
            v += 1
        assert lazy.n_positions == listed.n_positions and lazy.n_moves == listed.n_moves
        assert sum(lazy.move_draws.outcomes[: lazy.n_moves] > 0) == sum(listed.move_draws.outcomes > 0)
        seen += any(len(own) > 1 for player in Player for own in choices(solution.configuration.game, player))
    assert seen > 8


def test_a_reset_may_keep_what_the_requirement_remembers():
    """Should go on from the count that there was, where a reset that erases it is refused."""
    text = """
holdfast: 1
network: {hosts: [GW, DB], links: [GW -> DB], entry: GW, reset: RESET}
specs: {defender: ["G (times(monitor) <= 2)"]}
"""
    kept = solve(configured(scenario_from_text(text.replace("RESET", "{probability: 0.5, memory: kept}"))))
    erased = solve(configured(scenario_from_text(text.replace("RESET", "{probability: 0.5}"))))
    with pytest.raises(ModelError, match="memory: kept"):
        shielded_arena(erased)
    arena = shielded_arena(kept)
    counted = [arena.position(v).q_defender for v in np.flatnonzero(arena.reset >= 0).tolist()]
    led = [arena.position(int(arena.reset[v])).q_defender for v in np.flatnonzero(arena.reset >= 0).tolist()]
    assert counted == led and len(set(led)) > 1
    twin = ChanceProduct(kept.configuration)
    exact = float(DrawnMinimax(twin, 0.5).before_reset(twin.initial, 6) / 6)
    assert abs(operating_point(kept, Protocol(steps=6)).value - exact) < 1e-12


def test_the_quotient_follows_resets_that_keep_memory():
    """Should have the value of the whole arena, where positions are merged too."""
    seen = 0
    for seed in range(40 * TIMES):
        rng = random.Random(seed)
        configuration = with_stakes(random_configuration(rng, 300), rng)
        game = configuration.game
        if game.reset is None or game.tables is not None:
            continue
        configuration = with_game(configuration, replace(game, reset=replace(game.reset, kept=True)))
        solution, protocol = solve(configuration), Protocol(steps=8)
        try:
            value = exact_dominance(shielded_arena(solution), protocol).value if solution.defensible else None
        except ModelError:
            continue
        if value is not None:
            assert abs(operating_point(solution, protocol).value - value) < 1e-12, seed
            seen += 1
    assert seen > 3
