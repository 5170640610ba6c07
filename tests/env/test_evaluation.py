"""What policies are worth: exact values against the operating point's own computation, simulation against both."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from env_games import solution_of
from holdfast import env
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError
from holdfast.game.configuration import admissible_moves, is_unsafe
from holdfast.game.protocol import Protocol
from holdfast.logic.expressions import Player
from holdfast.operation.dominance import exploitability
from holdfast.operation.training.minimax_q import greedy_actions, greedy_policies, train
from holdfast.solver.engines import solve
from holdfast.solver.resets import Resets
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import is_winning
from stakes import playable


def first(seen, masks):
    return masks.argmax(axis=1)


def last(seen, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def worth(solution, actions, role, kind, k, p):
    """The definition, position by position and move by move; ``actions`` gives the role's choice."""
    subject, resets, known = solution.configuration, Resets(solution), {}

    def open_(v, k):
        if k == 0:
            return 0.0
        if (v, k) not in known:
            target = reset_of(v)
            known[v, k] = made(v, k) if target is None else (1 - p) * made(v, k) + p * made(target, k)
        return known[v, k]

    def reset_of(v):
        if subject.game.reset is None or not is_winning(solution, v) or p == 0:
            return None
        return resets.target(v)

    def made(v, k):
        now = float(subject.game.mu(v.state))
        legal = admissible_moves(subject, v)
        if not legal:
            return now + open_(v, k - 1)
        offered = safe_actions(solution, v) if kind == "shield" else tuple(legal)
        if v.turn is role:
            action = actions(v)
            if action not in offered:
                return now + (0 if role is Player.DEFENDER else k - 1)
            return now + after(legal[action], k - 1)
        best = min if role is Player.DEFENDER else max
        return now + best(after(legal[a], k - 1) for a in offered)

    def after(v, k):
        return 0.0 if is_unsafe(subject, v) else open_(v, k)

    return open_(subject.initial, k) / k


def test_random_policies_are_worth_what_the_definition_says():
    """Should agree with a literal recursion, inside the shield and outside, policies that stray included."""
    n_asked = 0
    for seed in range(10):
        configuration, _, arena = playable(seed)
        if arena is None:
            continue
        solution, horizon = solve(configuration), 7
        for kind, role in (
            ("shield", Player.DEFENDER),
            ("shield", Player.ADVERSARY),
            ("legal", Player.DEFENDER),
        ):
            if not configuration.game.actions[Player.ADVERSARY]:
                continue
            n_actions = len(configuration.game.actions[role])

            def actions(v, salt=f"{seed} {kind} {role}", n=n_actions):
                return random.Random(f"{salt} {v}").randrange(n)

            class Table(dict):
                def get(self, key, other=None, choose=actions):
                    return choose(key) if hasattr(key, "turn") else other

            p = float(configuration.game.reset.probability) if configuration.game.reset else 0.0
            found = env.evaluate(solution, Table(), role=role, mask=kind, horizon=horizon, exact=False)
            assert found.value == pytest.approx(
                worth(solution, actions, role, kind, horizon, p), abs=1e-12
            ), seed
            n_asked += 1
            assert kind == "legal" or not found.violable
    assert n_asked > 15


def test_straying_is_worth_what_the_definition_says():
    """Should lose all that is left by a violation or by what the mask forbids."""
    solution = solution_of("paper")
    cases = (
        ("shield", Player.DEFENDER, 10, 5),
        ("shield", Player.ADVERSARY, 14, 5),
        ("legal", Player.DEFENDER, 0, 7),
    )
    strayed = []
    for kind, role, action, horizon in cases:

        def always(seen, masks, action=action):
            return np.full(len(seen), action)

        found = env.evaluate(solution, always, role=role, mask=kind, horizon=horizon, exact=False)
        literal = worth(solution, lambda v, action=action: action, role, kind, horizon, 0.1)
        assert found.value == pytest.approx(literal, abs=1e-12)
        strayed.append((found.n_forbidden > 0, found.violable))
    assert strayed[0] == (True, False) and strayed[2] == (False, True)


def test_learned_policies_are_as_exploitable_as_the_operating_point_finds_them():
    """Should give the same digits for both players, and DDR* beside them."""
    solution = solution_of("paper")
    training = train(solution, Protocol(episodes=40, steps=300, window=1, seeds=1))
    policies, arena = greedy_policies(training, 1), shielded_arena(solution)
    expected = exploitability(arena, greedy_actions(arena, policies))
    defender = env.evaluate(solution, policies)
    adversary = env.evaluate(solution, policies, role="adversary", exact=False)
    assert (defender.value, adversary.value) == (expected.guaranteed, expected.conceded)
    assert defender.point.value == pytest.approx(expected.value, abs=1e-12)
    assert defender.gap == pytest.approx((expected.defender_gap, expected.defender_gap), abs=1e-12)
    assert defender.n_forbidden == 0 and not defender.violable and adversary.gap is None


def test_a_table_by_position_and_by_state_is_a_policy():
    solution = solution_of("paper")
    arena = shielded_arena(solution)
    table = {arena.position(v): arena.safe(v)[0] for v in range(arena.n_positions) if arena.mover[v] == 0}
    assert (
        env.evaluate(solution, table, exact=False).value == env.evaluate(solution, first, exact=False).value
    )
    by_state = dict.fromkeys(product(range(5), repeat=5), 0)
    assert env.evaluate(solution, by_state, mask="legal", exact=False).violable
    with pytest.raises(InputError, match="the table has no action for GW = "):
        env.evaluate(solution, {}, exact=False)
    with pytest.raises(InputError, match="'optimal' is not a policy"):
        env.evaluate(solution, "optimal")
    with pytest.raises(LimitError, match="simulate episodes instead"):
        env.evaluate(solution_of("twenty hosts"), first, exact=False, budget=Budget(memory=1 << 20))


def test_simulation_comes_to_what_is_exact():
    """Should be the exact value where nothing is left to chance, and within its interval elsewhere."""
    solution = solution_of("paper")
    worst = env.evaluate(solution, last, horizon=60, reset=0.0)
    met = env.simulate(solution, "optimal", horizon=60, reset=0.0, episodes=3)
    assert met.mean == pytest.approx(worst.point.value, abs=1e-12) and met.low == pytest.approx(
        met.high, abs=1e-12
    )
    assert worst.value <= env.simulate(solution, last, horizon=60, reset=0.0, episodes=2).mean + 1e-12
    chance = env.simulate(solution, "random", opponent="random", horizon=60, episodes=300, seed=4)
    again = env.simulate(solution, "random", opponent="random", horizon=60, episodes=300, seed=4)
    other = env.simulate(solution, "random", opponent="random", horizon=60, episodes=300, seed=5)
    assert chance == again and chance != other and other.low < chance.high and chance.low < other.high
    assert chance.violations == chance.forfeits == 0 and chance.episodes == len(chance.dominance) == 300


def test_violations_are_counted_without_the_shield():
    """Should all be lost by who does nothing against the optimal attacker, and by none inside the shield."""
    solution = solution_of("paper")
    idle = env.simulate(
        solution, lambda seen, masks: np.zeros(len(seen), int), mask="none", horizon=100, episodes=5
    )
    assert idle.violations == 5 and idle.mean < 0.2
    wild = env.simulate(solution, "random", opponent="random", mask="legal", horizon=200, episodes=30, seed=1)
    kept = env.simulate(solution, "random", opponent="random", horizon=200, episodes=30, seed=1)
    assert wild.violations > 10 and kept.violations == 0
    stubborn = env.simulate(solution, lambda seen, masks: np.full(len(seen), 10), horizon=100, episodes=4)
    assert stubborn.forfeits == 4 and stubborn.violations == 0
    large = env.simulate(
        solution_of("twenty hosts"), first, opponent="greedy", horizon=40, episodes=4, seed=1
    )
    assert large.violations == 0 and 0 < large.mean < 1


# -- agents of other libraries, where they are installed ------------------------------------------------


def test_stable_baselines_accepts_the_environment_and_trains_in_it():
    """Should train for a moment with masks, without a violation, and be evaluated exactly."""
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_checker import check_env

    solution = solution_of("paper")
    game = env.gym(solution, horizon=100)
    check_env(game)
    agent = MaskablePPO("MlpPolicy", game, n_steps=64, batch_size=64, n_epochs=1, seed=1, device="cpu").learn(
        128
    )

    def policy(seen, masks):
        return agent.predict(seen, action_masks=masks, deterministic=True)[0]

    found = env.evaluate(solution, policy, horizon=100)
    assert found.n_forbidden == 0 and not found.violable and found.value <= found.point.value + 1e-12
    assert env.simulate(solution, policy, horizon=100, episodes=3).violations == 0
