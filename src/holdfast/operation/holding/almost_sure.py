"""Recovery with probability one: the defender gets to a goal almost surely, if not for sure, and never loses.

Chance is fair here: what is tried again and again succeeds in the end. With W the positions that hold
whatever happens, and G the goal, those that recover almost surely are

    νY. μX. W ∩ (G ∪ {v : the defender has a choice of which every outcome is in Y and some outcome in X,
                          the adversary has choices, and all of them are such})

It is found on a list of positions, and where there are too many on decision diagrams
(:mod:`holdfast.solver.fairness`).

Reference: Chatterjee, Henzinger, *A survey of stochastic ω-regular games* (2012).
"""

from __future__ import annotations

import numpy as np

from holdfast.arrays import Bools
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import valuation_grid
from holdfast.logic import Player, holds_array
from holdfast.operation.holding.choice_game import ChoiceGame, choice_game, is_listed
from holdfast.operation.holding.descent import chosen_by, outcomes_inside
from holdfast.solver import Solution, almost_sure_positions, arrays, diagrams


def almost_surely(solution: Solution, goal: str, budget: Budget = UNLIMITED) -> bool:
    """Whether one of the goals of a held design is reached from v₀ with probability one.

    >>> import holdfast as hf
    >>> from holdfast.models.network import network_system
    >>> system = network_system(["GW", "DB"], [], "GW", chance={"isolate": "0.5"}, reset_probability=None)
    >>> held = hf.solve(hf.configure(system, ["G (DB = C)"], ["G !destroy"]))
    >>> hf.analyse(held.configuration).recovery["evicted"].moves, almost_surely(held, "evicted")
    ('never', True)

    Raises:
        LimitError: past the budget, or where the diagrams outgrow the memory.
    """
    assert solution.defensible, "it is asked of designs that hold"
    if not is_listed(solution):
        winning = diagrams(solution, budget).winning()
        there = winning.satisfying(solution.configuration.goals[goal])
        initial = solution.configuration.initial
        return initial in almost_sure_positions(Player.DEFENDER, there, winning, budget)
    game = choice_game(solution, budget, whole=True)
    assert game is not None, "v₀ is not in U"
    regions = arrays(solution, budget)
    structure, n = solution.configuration.game, regions.tables.n
    met = holds_array(solution.configuration.goals[goal], valuation_grid(structure))
    wanted = np.broadcast_to(met, structure.extents).reshape(-1)[game.keys % n]
    ranks = regions.ranks.reshape(2, -1)
    own = game.n_defender
    held = np.concatenate([ranks[0][game.keys[:own]], ranks[1][game.keys[own:]]]) < 0
    return bool(_recovering(game, held & wanted, held, budget)[game.initial])


def _recovering(game: ChoiceGame, goal: Bools, held: Bools, budget: Budget) -> Bools:
    """The positions that recover almost surely; U and resting without the goal are no such."""
    inside = np.concatenate([held, [False, False]])
    goal = np.concatenate([goal, [False, False]])
    while True:
        staying, reached = outcomes_inside(game, inside, np.min), goal
        while True:
            budget.tick("recovery with probability one")
            entering = staying & outcomes_inside(game, reached, np.max)
            after = goal | (inside & chosen_by(game, entering))
            after[game.n], after[game.n + 1] = False, False
            if np.array_equal(after, reached):
                break
            reached = after
        if np.array_equal(reached, inside):
            return reached
        inside = reached
