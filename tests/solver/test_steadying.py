"""A steadier defense: still one, by the same proof and against every play, and never with more stances."""

from __future__ import annotations

import random

from cases import TIMES
from hidden_games import random_hidden_game, random_sight
from holdfast.budget import UNLIMITED
from holdfast.game.sight import with_sensors
from holdfast.scenario import load
from holdfast.solver import controller, solve, solve_beliefs
from holdfast.solver.beliefs import SeenMoves, initial_beliefs
from holdfast.solver.steadying import steadied
from paths import ROOT
from seen_plays import every_play

N_GAMES = 60 * TIMES


def check(solution, answer):
    """The stances are an inductive invariant, and every play under them is held."""
    moves = SeenMoves(solution, answer.sight)
    for look, belief in initial_beliefs(solution, moves, UNLIMITED).items():
        assert belief <= answer.stances[answer.start[look]].belief
    for stance in answer.stances:
        assert stance.belief <= moves.safe(stance.action)
        after = dict(moves.after(stance.belief, stance.action, UNLIMITED))
        assert after.keys() == stance.after.keys()
        assert all(belief <= answer.stances[stance.after[look]].belief for look, belief in after.items())

    def decided(stance):
        return answer.stances[stance].action, stance

    every_play(
        solution.configuration,
        answer.sight,
        lambda look: decided(answer.start[look]),
        lambda stance, between, look: decided(answer.stances[stance].after[between, look]),
    )


def test_random_games():
    """Should be a defense on both engines, often with fewer stances."""
    n_held = n_fewer = 0
    for seed in range(N_GAMES):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng)
        sight = random_sight(rng, configuration)
        solution = solve(configuration, ("explicit", "symbolic")[seed % 4 == 0])
        answer = solve_beliefs(solution, sight)
        if answer.defensible:
            steady = steadied(solution, answer)
            check(solution, steady)
            assert len(steady.stances) <= len(answer.stances)
            n_held, n_fewer = n_held + 1, n_fewer + (len(steady.stances) < len(answer.stances))
    assert n_held > 10 and n_fewer > 3, (n_held, n_fewer)


def test_the_reference_needs_no_memory():
    """Should hold the paper's first case without a sensor and with nothing to keep in mind."""
    configuration = load(ROOT / "scenarios" / "paper.yaml")
    solution = solve(configuration)
    answer = solve_beliefs(solution, with_sensors(configuration.system.sight, ()))
    steady = steadied(solution, answer)
    check(solution, steady)
    assert len(controller(steady).phases) == 1 < len(controller(answer).phases)
