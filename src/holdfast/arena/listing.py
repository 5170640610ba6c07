"""A shielded arena on arrays, where all positions can be listed: the search for R, its moves kept.

Positions go by their canonical numbers, (turn · n_blocks + block) · n_valuations + state.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from holdfast.arena.form import ShieldedArena, dominance
from holdfast.arrays import Array
from holdfast.budget import Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import GameStructure, Position, valuation_grid
from holdfast.logic import holds_array
from holdfast.solver import TURNS, ProductTables, Resets, Solution, arrays

BYTES_PER_MOVE, BYTES_PER_POSITION = 40, 64
"""At the peak, when the moves are held as found and as sorted."""


def listed_arena(solution: Solution, resets: bool, budget: Budget) -> ShieldedArena:
    """The arena of a solved game, by search from v₀.

    Raises:
        LimitError: past the budget.
        ModelError: for a reset that is refused.
    """
    regions = arrays(solution, budget)
    tables, game = regions.tables, solution.configuration.game
    n, n_side = tables.n, tables.n * tables.blocks.n_blocks
    moves: list[tuple[Array, Array, Array]] = []
    jumps: dict[int, int] = {}
    sizes = Counter[str]()

    def visit(t: int, positions: Array, outcomes: list[tuple[Array, Array]]) -> None:
        sizes["positions"] += len(positions)
        if outcomes:
            safe, targets = (np.stack(columns, axis=1) for columns in zip(*outcomes, strict=True))
            place, action = np.nonzero(safe)
            moves.append((t * n_side + positions[place], action, (1 - t) * n_side + targets[place, action]))
            sizes["moves"] += len(place)
        _check_size(sizes["positions"], sizes["moves"], budget)

    restarts, resettable = Resets(solution), _reset_mask(game)

    def reset(t: int, positions: Array) -> Array:
        here = positions[resettable[positions % n]].tolist()
        for key in here:
            target = restarts.target(_position(tables, t * n_side + key))
            assert target is not None
            jumps[t * n_side + key] = _key(tables, target)
        return np.array([jumps[t * n_side + key] - t * n_side for key in here], dtype=np.int64)

    keys = np.flatnonzero(regions.reached(budget, visit, reset if resets else None))
    nothing = np.zeros(0, dtype=np.int64)
    source, action, after = map(np.concatenate, zip((nothing, nothing, nothing), *moves, strict=True))
    order = np.argsort(source, kind="stable")
    reset_to = np.full(len(keys), -1, dtype=np.int32)
    reset_to[np.searchsorted(keys, list(jumps))] = np.searchsorted(keys, list(jumps.values()))
    valuations, state = np.unique(keys % n, return_inverse=True)
    codes = (
        np.stack(np.unravel_index(valuations, game.shape), axis=1).astype(np.int32)
        if game.listed is None
        else game.listed[valuations]
    )
    return ShieldedArena(
        solution.configuration,
        int(np.searchsorted(keys, _key(tables, solution.configuration.initial))),
        (keys // n_side).astype(np.int8),
        state.astype(np.int32),
        (keys // n % tables.blocks.n_blocks).astype(np.int32),
        np.append(np.searchsorted(source[order], keys), len(source)).astype(np.int64),
        action[order].astype(np.int32),
        np.searchsorted(keys, after[order]).astype(np.int32),
        reset_to,
        codes,
        *dominance(game, codes),
    )


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
