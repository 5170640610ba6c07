"""Where runs play: an arena enumerated beforehand, or one discovered on the way.

In an arena that is discovered (:mod:`holdfast.arena.lazy_arena`) the successor of a move is worked out when
it is first made; until then it is −1, the sign on which a kernel stops. Tables have a row for each state met
so far. What is learned does not depend on the numbering, so runs may share what earlier runs have discovered.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from holdfast.arena import (
    LazyArena,
    LearnerView,
    ShieldedArena,
    require_defensible,
    row_width,
    shielded_arena,
)
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.logic import Player
from holdfast.solver import Solution, is_listable


class Enumerated:
    """A shielded arena as the kernels read it."""

    def __init__(self, arena: ShieldedArena) -> None:
        """Lay the arrays out; 8 bytes a move and 36 a position."""
        self._arena, self.initial, self.n_states = arena, arena.initial, arena.n_states
        self.width = row_width(arena.configuration.game)
        row = arena.state.astype(np.int32) * self.width
        row[arena.mover == 1] += len(arena.configuration.game.actions[Player.DEFENDER])
        reward = arena.reward[arena.state]
        # Copies, since to a compiled kernel an array that is read-only is of another type.
        self.view = LearnerView(
            first=arena.first.copy(),
            reset=arena.reset.copy(),
            mu=arena.mu[arena.state],
            gain=np.where(arena.mover == 0, -reward, reward),
            entry=np.repeat(row, np.diff(arena.first)) + arena.action,
            successor=arena.successor.copy(),
        )

    def arena(self) -> ShieldedArena:
        """The arena itself."""
        return self._arena

    def resolve(self, v: int, number: int) -> None:
        """Refuse: only an arena that was discovered and then left unfinished has unknown successors."""
        raise LimitError(
            f"no play has made move {self._arena.action[number]} at "
            f"{self._arena.configuration.describe(self._arena.position(v))} yet, so what follows is unknown; "
            "give the solution instead of the arena"
        )


Ground: TypeAlias = Enumerated | LazyArena

REMEDY = "train for fewer episodes, or allow more memory"


def ground_of(where: Solution | ShieldedArena, n_tables: int, budget: Budget = UNLIMITED) -> Ground:
    """The arena enumerated if that is possible, otherwise one to be discovered.

    Raises:
        InputError, ModelError: as :func:`~holdfast.arena.shielded_arenas.shielded_arena`.
        LimitError: when ``n_tables`` tables would not fit in the memory.
    """
    if isinstance(where, ShieldedArena):
        arena = where
    else:
        require_defensible(where)
        if not is_listable(where):
            return discovered(where, n_tables, budget)
        arena = shielded_arena(where, budget)
    need = table_bytes(arena, n_tables)
    if need > budget.memory:
        raise LimitError(
            f"{n_tables} tables of {arena.n_states:,} states would take {need / 2**20:,.0f} MiB; the limit "
            f"is {budget.memory / 2**20:,.0f} MiB: run fewer seeds, or train with tables=False"
        )
    return Enumerated(arena)


def discovered(solution: Solution, n_tables: int, budget: Budget = UNLIMITED) -> LazyArena:
    """An arena that grows on the way, v₀ alone at first; ``n_tables`` over it are held at once."""
    n_bytes = n_tables * row_width(solution.configuration.game) * 8
    return LazyArena(solution, budget, bytes_per_state=n_bytes, remedy=REMEDY)


def table_bytes(arena: ShieldedArena, n_tables: int = 1) -> int:
    """What ``n_tables`` tables over an arena take, and the kernels' view of it."""
    width = row_width(arena.configuration.game)
    return arena.n_moves * 12 + arena.n_positions * 44 + n_tables * arena.n_states * width * 8
