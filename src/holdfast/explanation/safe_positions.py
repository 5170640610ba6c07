"""Safe play as a list: the defender positions of R, a shortest play to each, and what each action costs.

R is what the shield lets play reach from v₀, without engagement resets (sec:slt). Games too large to be
listed are answered by decision diagrams (:mod:`holdfast.explanation.safe_sets`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena, shielded_arena
from holdfast.arena.form import distances
from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.explicit import ArrayRegions
from holdfast.engines.product_tables import TURNS
from holdfast.logic.expressions import Player
from holdfast.product import Position
from holdfast.solution import Solution, arrays
from holdfast.words import Move, move_in_words

Array = npt.NDArray[Any]

NEVER = 2**31 - 1


@dataclass(frozen=True)
class SafePositions:
    """Defender positions of R, numbered by the length of the play that leads to them.

    Attributes:
        n_permitted: |Safe(v)|; shape (n,).
        nearest: the least rank ≥ 1 of a forbidden successor, :data:`NEVER` without any; shape (n,).
        waiting: the least rank ≥ 1 to which doing nothing leads, :data:`NEVER` where it is permitted or where
            every action changes the state; shape (n,).
        codes: the states of R, either turn, a row of codes each.
        position: the position with a number.
        play: a shortest play from v₀ to it.
    """

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


def safe_positions(solution: Solution, budget: Budget = UNLIMITED) -> SafePositions:
    """The defender positions of R, all of them, as arrays.

    Raises:
        LimitError: where the positions of the game are too many to list, or past the budget.
    """
    regions = arrays(solution, budget)
    arena = shielded_arena(solution, budget, resets=False)
    depth, via = distances(arena)
    mine = np.flatnonzero(arena.mover == TURNS.index(Player.DEFENDER))
    mine = mine[np.argsort(depth[mine], kind="stable")]
    nearest, waiting = _costs(regions, arena, mine)

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

    return SafePositions(np.diff(arena.first)[mine], nearest, waiting, arena.codes, position, play)


def _costs(regions: ArrayRegions, arena: ShieldedArena, mine: Array) -> tuple[Array, Array]:
    """What the forbidden actions of each position concede, and what doing nothing does."""
    tables = regions.tables
    rows = np.ravel_multi_index(tuple(arena.codes[arena.state[mine]].T), arena.configuration.game.shape)
    blocks = arena.block[mine]
    nearest, waiting = (np.full(len(mine), NEVER, dtype=np.int64) for _ in range(2))
    for block in np.unique(blocks).tolist():
        own = np.flatnonzero(blocks == block)
        may_wait = np.zeros(len(own), dtype=bool)
        for available, rank, key in tables.outcomes(regions.ranks, Player.DEFENDER, block, rows[own]):
            conceded = np.where(available & (rank > 0), rank, NEVER)
            nearest[own] = np.minimum(nearest[own], conceded)
            idle = available & (key % tables.n == rows[own])
            waiting[own] = np.where(idle, np.minimum(waiting[own], conceded), waiting[own])
            may_wait |= idle & (rank < 0)
        waiting[own[may_wait]] = NEVER
    return nearest, waiting
