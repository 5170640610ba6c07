"""Counting menus: what is counted together is what is counted one by one."""

from __future__ import annotations

import random

import pytest

from cases import TIMES
from holdfast.budget import UNLIMITED
from holdfast.game.structure import movers
from holdfast.logic.expressions import Player
from holdfast.solver.engines import solve
from holdfast.solver.menus import MenuCounts, count_menus, counts_by_code
from holdfast.solver.shield import safe_actions
from strategies import random_configuration


@pytest.fixture(scope="module")
def solved_games():
    """Random factored games that can be defended, with their solutions by diagrams."""
    found = []
    for seed in range(80 * TIMES):
        configuration = random_configuration(random.Random(seed), 600)
        if configuration.game.tables is None:
            solution = solve(configuration, "symbolic")
            if solution.defensible:
                found.append((configuration, solution))
    return found


def test_counts_by_code_are_those_of_each_code(solved_games):
    """Should agree with counting the states of each code, in sets of random games."""
    n_sets = 0
    for _, solution in solved_games:
        d = solution.regions.product.diagrams
        for sets in (solution.regions.winning(), solution.regions.reached()):
            for states in (*sets.defender, *sets.adversary):
                wanted = [
                    [d.count(states & d.cube(variable, code)) for code in range(len(variable.values))]
                    for variable in d.variables
                ]
                assert counts_by_code(d, states & d.valid) == wanted
                n_sets += any(map(any, wanted))
    assert n_sets > 100


def moves(game):
    """The defender's actions as functions of a state."""
    return movers(game, Player.DEFENDER)


def test_menus_are_those_of_each_position(solved_games):
    """Should add up over the defender positions of R, asked one by one: safe, with an effect, and both."""
    n_moves = n_still = 0
    for configuration, solution in solved_games:
        regions, game = solution.regions, configuration.game
        product, seen = regions.product, regions.reached()[Player.DEFENDER]
        permitted = effective = both = 0
        for index in range(game.n_valuations):
            state = game.state(index)
            for block, states in enumerate(seen):
                if states.eval(product.diagrams.point(game.codes(state))):
                    position = configuration.initial._replace(state=state, turn=Player.DEFENDER)
                    q_defender, q_adversary = product.blocks.states(block)
                    position = position._replace(q_defender=q_defender, q_adversary=q_adversary)
                    safe = safe_actions(solution, position)
                    changing = [a for a in range(len(moves(game))) if moves(game)[a](state) != state]
                    permitted += len(safe)
                    effective += len(changing)
                    both += len(set(changing) & set(safe))
        counted = count_menus(product, seen, regions.winning(), UNLIMITED)
        assert counted == MenuCounts(permitted, effective, both)
        n_moves += both
        n_still += permitted - both
    assert n_moves > 40 and n_still > 40
