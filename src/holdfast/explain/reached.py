"""Safe play, listed: the positions of R, a shortest play to each, and what every defender action would cost.

R is what the shield lets play reach from v₀, without engagement resets (sec:slt). A game that is small
enough is listed whole on the explicit engine's arrays. Larger ones are answered by decision diagrams
(:mod:`holdfast.explain.charted`) or, failing that, searched (:mod:`holdfast.explain.searched`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena, is_small, shielded_arena
from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.explicit import TURNS, UNSAFE, ExplicitRegions
from holdfast.engines.explicit import solve as solve_explicit
from holdfast.errors import LimitError
from holdfast.explain.words import Move, move_in_words
from holdfast.logic.expressions import Player
from holdfast.product import Position, without_reset
from holdfast.solution import Solution

Array = npt.NDArray[Any]

NEVER = 2**31 - 1


@dataclass(frozen=True)
class Reached:
    """Defender positions of R, numbered by the length of the play that leads to them.

    Attributes:
        whole: whether they are all of them.
        n_permitted: |Safe(v)|; shape (n,).
        nearest: the least rank ≥ 1 of a forbidden successor, :data:`NEVER` without any; shape (n,).
        waiting: the least rank ≥ 1 to which doing nothing leads, :data:`NEVER` where it is permitted or where
            every action changes the state; shape (n,).
        codes: the states of R, either turn, a row of codes each.
        position: the position with a number.
        play: a play from v₀ to it, a shortest one if they are all.
    """

    whole: bool
    n_permitted: Array = field(repr=False)
    nearest: Array = field(repr=False)
    waiting: Array = field(repr=False)
    codes: Array = field(repr=False)
    position: Callable[[int], Position] = field(repr=False)
    play: Callable[[int], tuple[Move, ...]] = field(repr=False)

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.n_permitted)


def listed(solution: Solution, budget: Budget = UNLIMITED) -> Reached | None:
    """The defender positions of R, all of them; None if the game is too large to list."""
    bare = replace(solution, configuration=without_reset(solution.configuration))
    if not isinstance(bare.regions, ExplicitRegions) and is_small(bare.configuration):
        bare = solve_explicit(bare.configuration, budget)
    if not isinstance(bare.regions, ExplicitRegions):
        return None
    budget.tick("listing safe play")
    try:
        return _listed(bare, budget)
    except LimitError:
        return None


# -- all of it ----------------------------------------------------------------------------------------


def _listed(solution: Solution, budget: Budget) -> Reached:
    arena = shielded_arena(solution, budget)
    depth, via = _distances(arena)
    mine = np.flatnonzero(arena.mover == TURNS.index(Player.DEFENDER))
    mine = mine[np.argsort(depth[mine], kind="stable")]
    nearest, waiting = _costs(solution, arena, mine)

    def position(i: int) -> Position:
        return arena.position(int(mine[i]))

    def play(i: int) -> tuple[Move, ...]:
        moves, v = [], int(mine[i])
        while v != arena.initial:
            edge = int(via[v])
            before = int(np.searchsorted(arena.first, edge, side="right")) - 1
            here, after = arena.position(before), arena.position(v)
            moves.append(move_in_words(arena.configuration.game, here, int(arena.action[edge]), after))
            v = before
        return tuple(reversed(moves))

    n_permitted = np.diff(arena.first)[mine]
    return Reached(True, n_permitted, nearest, waiting, arena.codes, position, play)


def _distances(arena: ShieldedArena) -> tuple[Array, Array]:
    """For each position its distance from v₀, and the move by which a shortest play enters it."""
    depth = np.full(arena.n_positions, -1, dtype=np.int64)
    via = np.full(arena.n_positions, -1, dtype=np.int64)
    depth[arena.initial] = 0
    frontier = np.array([arena.initial])
    while len(frontier):
        sizes = arena.first[frontier + 1] - arena.first[frontier]
        starts = np.repeat(arena.first[frontier] - np.cumsum(sizes) + sizes, sizes)
        edges = starts + np.arange(sizes.sum())
        targets, first = np.unique(arena.successor[edges], return_index=True)
        new = depth[targets] < 0
        level = int(depth[frontier[0]]) + 1
        frontier = targets[new]
        depth[frontier], via[frontier] = level, edges[first[new]]
    return depth, via


def _costs(solution: Solution, arena: ShieldedArena, mine: Array) -> tuple[Array, Array]:
    """What the forbidden actions of each position concede, and what doing nothing does."""
    regions = solution.regions
    assert isinstance(regions, ExplicitRegions)
    game = solution.configuration.game
    rows = np.ravel_multi_index(tuple(arena.codes[arena.state[mine]].T), game.shape)
    blocks = arena.block[mine]
    nearest, waiting = (np.full(len(mine), NEVER, dtype=np.int64) for _ in range(2))
    after = regions.ranks[TURNS.index(Player.ADVERSARY)].reshape(-1)
    for block in np.unique(blocks).tolist():
        own = np.flatnonzero(blocks == block)
        may_wait = np.zeros(len(own), dtype=bool)
        for available, target, state in regions.arena.moves(Player.DEFENDER, block, rows[own]):
            rank = after[target.clip(0).astype(np.int64) * regions.arena.n + state]
            rank = np.where(target == UNSAFE, 0, rank)
            conceded = np.where(available & (rank > 0), rank, NEVER)
            nearest[own] = np.minimum(nearest[own], conceded)
            idle = available & (state == rows[own])
            waiting[own] = np.where(idle, np.minimum(waiting[own], conceded), waiting[own])
            may_wait |= idle & (rank < 0)
        waiting[own[may_wait]] = NEVER
    return nearest, waiting
