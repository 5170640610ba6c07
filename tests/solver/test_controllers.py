"""Controllers: every play under the phases is held, and is the play under the stances."""

from __future__ import annotations

import random

from cases import TIMES
from hidden_games import random_hidden_game, random_sight
from holdfast.game.configuration import configure
from holdfast.logic.expressions import Player
from holdfast.models.network import network_system
from holdfast.solver import solve, solve_beliefs
from holdfast.solver.controllers import controller
from seen_plays import every_play

N_GAMES = 80 * TIMES


def held_games(n_games):
    """Random games that are held with what is seen, as solutions with their answers."""
    for seed in range(n_games):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng)
        sight = random_sight(rng, configuration)
        solution = solve(configuration)
        answer = solve_beliefs(solution, sight)
        if answer.defensible:
            yield seed, solution, answer


def test_every_play_is_held_and_goes_as_the_stances_say():
    """Should give, against every adversary, the actions of the stances, with no more phases than those."""
    n_held = n_shorter = 0
    for seed, solution, answer in held_games(N_GAMES):
        machine = controller(answer)
        assert len(machine.phases) - 1 <= len(answer.stances) == machine.n_stances, seed

        def begin(look, machine=machine, answer=answer):
            stance, (action, phase) = answer.start[look], machine.first(look)
            assert action == answer.stances[stance].action
            return action, (stance, phase)

        def go_on(memory, between, look, machine=machine, answer=answer):
            stance, phase = memory
            stance = answer.stances[stance].after[between, look]
            action, phase = machine.phases[phase][between, look]
            assert action == answer.stances[stance].action
            return action, (stance, phase)

        every_play(solution.configuration, answer.sight, begin, go_on)
        n_held += 1
        n_shorter += len(machine.phases) < len(answer.stances)
    assert n_held > 10 and n_shorter > 5, (n_held, n_shorter)


def test_nothing_to_keep_in_mind():
    """Should need one phase where the same is right whatever was seen before."""
    system = network_system(["GW", "DB"], [("GW", "DB")], "GW", sensors=())
    solution = solve(configure(system, ["G (DB != Z)"]))
    machine = controller(solve_beliefs(solution, system.sight))
    actions = system.game.actions[Player.DEFENDER]
    assert len(machine.phases) == 1 < machine.n_stances
    assert [actions[number].name for number in machine.actions] == ["noop(GW)", "isolate(DB)"]
