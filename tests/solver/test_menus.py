"""Counting menus: what is counted together is what is counted one by one."""

from __future__ import annotations

import random

import pytest

from cases import TIMES
from holdfast.budget import UNLIMITED
from holdfast.logic.expressions import Player
from holdfast.solver.engines import solve
from holdfast.solver.menus import count_permitted, counts_by_code
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


def test_menus_are_those_of_each_position(solved_games):
    """Should add up to |Safe(v)| over the defender positions of R, asked one by one."""
    n_moves = 0
    for configuration, solution in solved_games:
        regions, game = solution.regions, configuration.game
        product, seen = regions.product, regions.reached()[Player.DEFENDER]
        literal = 0
        for index in range(game.n_valuations):
            state = game.state(index)
            for block, states in enumerate(seen):
                if states.eval(product.diagrams.point(game.codes(state))):
                    position = configuration.initial._replace(state=state, turn=Player.DEFENDER)
                    q_defender, q_adversary = product.blocks.states(block)
                    position = position._replace(q_defender=q_defender, q_adversary=q_adversary)
                    literal += len(safe_actions(solution, position))
        assert count_permitted(product, seen, regions.winning(), UNLIMITED) == literal
        n_moves += literal
    assert n_moves > 100
