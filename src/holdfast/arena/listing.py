"""A shielded arena breadth first on arrays: for games whose positions can all be listed.

Positions go by their canonical numbers, (turn · n_blocks + block) · n_valuations + state; a level of the
search is split by turn and block.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdfast.arena.form import ShieldedArena, dominance
from holdfast.arrays import Array
from holdfast.budget import Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import GameStructure, Position, valuation_grid
from holdfast.logic import holds_array
from holdfast.solver import TURNS, ArrayRegions, ProductTables, Resets, Solution, arrays

CHUNK = 1 << 17

BYTES_PER_MOVE, BYTES_PER_POSITION = 40, 64
"""At the peak, when the moves are held as found and as sorted."""


def listed_arena(solution: Solution, resets: bool, budget: Budget) -> ShieldedArena:
    """The arena of a solved game, by search from v₀.

    Raises:
        LimitError: past the budget.
        ModelError: for a reset that is refused.
    """
    regions = arrays(solution, budget)
    tables, n = regions.tables, regions.tables.n
    game = tables.configuration.game
    seen = np.zeros(regions.ranks.size, dtype=bool)
    resettable = _reset_mask(game) if resets else np.zeros(n, dtype=bool)
    restarts = Resets(solution) if resets else None
    initial = _key(tables, tables.configuration.initial)
    frontier = np.array([initial])
    moves: list[tuple[Array, Array, Array]] = []
    jumps: dict[int, int] = {}
    n_seen = n_moves = 0
    while len(frontier):
        seen[frontier] = True
        n_seen += len(frontier)
        entered = []
        for plane, rows in _chunks(frontier, n):
            sources, actions, targets = _safe_moves(regions, plane, rows)
            moves.append((plane * n + sources, actions, targets))
            n_moves += len(targets)
            _check_size(n_seen, n_moves, budget)
            entered.append(np.unique(targets))
            for key in (plane * n + rows[resettable[rows]]).tolist():
                assert restarts is not None
                target = restarts.target(_position(tables, key))
                assert target is not None
                jumps[key] = _key(tables, target)
                entered.append(np.array([jumps[key]]))
        fresh = np.unique(np.concatenate(entered))
        frontier = fresh[~seen[fresh]]
    keys = np.flatnonzero(seen)
    source, action, after = (np.concatenate(parts) for parts in zip(*moves, strict=True))
    order = np.argsort(source, kind="stable")
    reset = np.full(len(keys), -1, dtype=np.int32)
    reset[np.searchsorted(keys, list(jumps))] = np.searchsorted(keys, list(jumps.values()))
    valuations, state = np.unique(keys % n, return_inverse=True)
    codes = (
        np.stack(np.unravel_index(valuations, game.shape), axis=1).astype(np.int32)
        if game.listed is None
        else game.listed[valuations]
    )
    return ShieldedArena(
        solution.configuration,
        int(np.searchsorted(keys, initial)),
        (keys // (n * tables.blocks.n_blocks)).astype(np.int8),
        state.astype(np.int32),
        (keys // n % tables.blocks.n_blocks).astype(np.int32),
        np.append(np.searchsorted(source[order], keys), len(source)).astype(np.int64),
        action[order].astype(np.int32),
        np.searchsorted(keys, after[order]).astype(np.int32),
        reset,
        codes,
        *dominance(game, codes),
    )


def _chunks(frontier: Array, n: int) -> Iterator[tuple[int, Array]]:
    """The sorted frontier by turn and block, in pieces that bound what a step holds at once."""
    for plane in np.unique(frontier // n).tolist():
        low, high = np.searchsorted(frontier, [plane * n, (plane + 1) * n])
        for start in range(low, high, CHUNK):
            yield plane, frontier[start : min(start + CHUNK, high)] - plane * n


def _safe_moves(regions: ArrayRegions, plane: int, rows: Array) -> tuple[Array, Array, Array]:
    """Safe(v) of the given rows: (row, action, number of the successor), by row and then by action."""
    tables = regions.tables
    turn, block = divmod(plane, tables.blocks.n_blocks)
    other = (1 - turn) * tables.blocks.n_blocks * tables.n
    safe, targets = [], []
    for admissible, rank, key in tables.outcomes(regions.ranks, TURNS[turn], block, rows):
        safe.append(admissible & (rank < 0))
        targets.append(key)
    if not safe:
        return rows[:0], rows[:0], rows[:0]
    place, action = np.nonzero(np.stack(safe, axis=1))
    return rows[place], action, other + np.stack(targets, axis=1)[place, action]


def _reset_mask(game: GameStructure) -> Array:
    """For each valuation, whether a reset can happen there."""
    if game.reset is None:
        return np.zeros(game.n_valuations, dtype=bool)
    return np.broadcast_to(holds_array(game.reset.when, valuation_grid(game)), game.extents).reshape(-1)


def _key(tables: ProductTables, position: Position) -> int:
    block = tables.blocks.number(position)
    assert block is not None
    plane = TURNS.index(position.turn) * tables.blocks.n_blocks + block
    return plane * tables.n + tables.configuration.game.index(position.state)


def _position(tables: ProductTables, key: int) -> Position:
    plane, index = divmod(key, tables.n)
    turn, block = divmod(plane, tables.blocks.n_blocks)
    return Position(tables.configuration.game.state(index), TURNS[turn], *tables.blocks.states(block))


def _check_size(n_positions: int, n_moves: int, budget: Budget) -> None:
    budget.tick(f"enumerating safe play: {n_positions:,} positions")
    need = n_moves * BYTES_PER_MOVE + n_positions * BYTES_PER_POSITION
    if need > budget.memory:
        raise LimitError(
            f"the shielded arena has at least {n_positions:,} positions and {n_moves:,} safe moves, which "
            f"take {size_in_words(need)}; the limit is {size_in_words(budget.memory)}"
        )
