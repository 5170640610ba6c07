"""Where runs play: an arena enumerated beforehand, or one discovered on the way.

In an arena that is discovered (:mod:`holdfast.arena.lazy_arena`) the successor of a move is worked out when
it is first made; until then it is −1, the sign on which a kernel stops. Tables have a row for each state met
so far. What is learned does not depend on the numbering, so runs may share what earlier runs have discovered.
"""

from __future__ import annotations

from typing import TypeAlias

from holdfast.arena import (
    LazyArena,
    ShieldedArena,
    require_defensible,
    row_width,
    shielded_arena,
)
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.solver import Solution, is_listable

Ground: TypeAlias = ShieldedArena | LazyArena
"""Both have a ``view``, which the kernels read."""

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
    return arena


def discovered(solution: Solution, n_tables: int, budget: Budget = UNLIMITED) -> LazyArena:
    """An arena that grows on the way, v₀ alone at first; ``n_tables`` over it are held at once."""
    n_bytes = n_tables * row_width(solution.configuration.game) * 8
    return LazyArena(solution, budget, bytes_per_state=n_bytes, remedy=REMEDY)


def resolve(ground: Ground, v: int, number: int) -> None:
    """Fill in the successor of move ``number``, made at position v.

    Raises:
        LimitError: past the memory, or for an arena that was discovered and then left unfinished.
    """
    if isinstance(ground, LazyArena):
        ground.resolve(v, number)
        return
    raise LimitError(
        f"no play has made move {ground.action[number]} at "
        f"{ground.configuration.describe(ground.position(v))} yet, so what follows is unknown; "
        "give the solution instead of the arena"
    )


def table_bytes(arena: ShieldedArena, n_tables: int = 1) -> int:
    """What ``n_tables`` tables over an arena take, and the kernels' view of it."""
    return arena.n_moves * 12 + arena.n_positions * 44 + n_tables * arena.n_states * arena.width * 8
