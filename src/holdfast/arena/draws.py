"""Safe play of a game whose outcomes are drawn, for the Bellman operator.

A choice is safe where every outcome of it is. It leads to a position where all of its outcomes do; else to a
*draw*, which is numbered after the positions and is worth the expectation of where it leads
(:func:`~holdfast.arena.bellman_kernels.let_draw`). Every position is listed: what the quotients tell apart
(:mod:`holdfast.arena.quotient`) they tell apart by where single actions lead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdfast.arena.bellman import MergedArena, merged_arena
from holdfast.arena.form import Draws, ShieldedArena
from holdfast.arena.listing import listed_arena
from holdfast.arena.quotient.lean_arena import OutOfRoomError
from holdfast.arena.shielded_arenas import require_defensible
from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import choices, has_chance, refuse_counted
from holdfast.solver import TURNS, Solution, is_listable

BYTES_PER_OUTCOME = 48
"""At most, while draws are told apart."""


def drawn_arena(solution: Solution, budget: Budget = UNLIMITED, *, resets: bool) -> MergedArena:
    """The shielded arena of a game with chance, every position of it, as the operator reads it.

    Raises:
        InputError: when the configuration is not defensible, or alike things are counted.
        ModelError: for a reset that is refused.
        OutOfRoomError: where there are too many positions to list.
        LimitError: past the budget.
    """
    game = solution.configuration.game
    require_defensible(solution)
    refuse_counted(game, "DDR* of a game with chance")
    if not is_listable(solution):
        n = solution.configuration.n_positions
        raise OutOfRoomError(f"with chance every position is listed, and there are too many: {n:,}")
    arena = listed_arena(solution, resets and game.reset is not None, budget)
    return merged_arena(choice_arena(arena, budget), resets=resets, budget=budget)


def choice_arena(
    arena: ShieldedArena, budget: Budget = UNLIMITED, first_draw: int | None = None
) -> ShieldedArena:
    """The arena with one move for each choice, by its first outcome, where outcomes had one each.

    Where nothing is drawn it is the arena itself. Draws are numbered after the positions, or from
    ``first_draw`` on; a choice of which an outcome has no successor yet is left out.

    Raises:
        LimitError: past the memory.
    """
    if arena.draws is not None or not has_chance(arena.configuration.game):
        return arena
    groups = [choices(arena.configuration.game, player) for player in TURNS]
    width = max(len(outcomes) for own in groups for outcomes in own)
    if arena.n_moves * width * BYTES_PER_OUTCOME > budget.memory:
        raise LimitError(f"the draws of {arena.n_moves:,} safe moves do not fit in the memory")
    source = np.repeat(np.arange(arena.n_positions), np.diff(arena.first))
    mover, choice, place = arena.mover[source], np.empty_like(arena.action), np.empty_like(arena.action)
    sizes, shares = [], []
    for turn, own in enumerate(groups):
        here = mover == turn
        of = {action: (number, i) for number, each in enumerate(own) for i, action in enumerate(each)}
        table = np.array([of[action] for action in range(len(of))], dtype=np.int32).reshape(-1, 2)
        choice[here], place[here] = table[arena.action[here]].T
        sizes.append(np.array([len(each) for each in own]))
        shares.append(_shares(arena, turn, own, width))
    new = (np.diff(source, prepend=-1) != 0) | (np.diff(choice, prepend=-1) != 0)
    begins = np.flatnonzero(new)
    row = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(source)))
    target = np.full((len(begins), width), -1, dtype=np.int32)
    target[row, place] = arena.successor
    share, n_outcomes = np.zeros((len(begins), width)), np.empty(len(begins), dtype=np.int64)
    for turn in range(2):
        here = mover[begins] == turn
        share[here] = shares[turn][choice[begins[here]]]
        n_outcomes[here] = sizes[turn][choice[begins[here]]]
    whole = (target >= 0).sum(axis=1) == n_outcomes
    begins, target, share = begins[whole], target[whole], share[whole]
    target = np.where(target < 0, target[:, :1], target)
    risky = (target != target[:, :1]).any(axis=1)
    successor = target[:, 0].copy()
    rows = np.concatenate([target[risky].astype(np.float64), share[risky]], axis=1)
    told, number = np.unique(rows, axis=0, return_inverse=True)
    successor[risky] = (arena.n_positions if first_draw is None else first_draw) + number.reshape(-1)
    first = np.searchsorted(source[begins], np.arange(arena.n_positions + 1)).astype(np.int64)
    targets, probabilities = told[:, :width].astype(np.int32), told[:, width:]
    draws = Draws(np.ascontiguousarray(targets), np.ascontiguousarray(probabilities))
    return replace(arena, first=first, action=arena.action[begins], successor=successor, draws=draws)


def _shares(arena: ShieldedArena, turn: int, own: tuple[tuple[int, ...], ...], width: int) -> Array:
    """The probabilities of the outcomes of each choice of a player, each rounded once."""
    actions = arena.configuration.game.actions[TURNS[turn]]
    table = np.zeros((len(own), width))
    for number, outcomes in enumerate(own):
        table[number, : len(outcomes)] = [float(actions[action].probability) for action in outcomes]
    return table
