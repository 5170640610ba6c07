"""Shortest plays in a shielded arena, and the part of it that play reaches without resets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena.form import ShieldedArena

Array = npt.NDArray[Any]


def distances(arena: ShieldedArena) -> tuple[Array, Array]:
    """For each position its distance from v₀ in moves, and the move by which a shortest play enters it.

    Both are −1 where only a reset leads, the move at v₀ too.
    """
    depth = np.full(arena.n_positions, -1, dtype=np.int64)
    via = np.full(arena.n_positions, -1, dtype=np.int64)
    depth[arena.initial] = 0
    frontier = np.array([arena.initial])
    while len(frontier):
        edges = _moves_of(arena, frontier)
        targets, first = np.unique(arena.successor[edges], return_index=True)
        new = depth[targets] < 0
        level = int(depth[frontier[0]]) + 1
        frontier = targets[new]
        depth[frontier], via[frontier] = level, edges[first[new]]
    return depth, via


def without_resets(arena: ShieldedArena) -> ShieldedArena:
    """The same arena where no reset happens: R. The numbering stays canonical."""
    kept = np.flatnonzero(distances(arena)[0] >= 0)
    states, state = np.unique(arena.state[kept], return_inverse=True)
    moves, sizes = _moves_of(arena, kept), np.diff(arena.first)[kept]
    return replace(
        arena,
        initial=int(np.searchsorted(kept, arena.initial)),
        mover=arena.mover[kept],
        state=state.astype(np.int32),
        block=arena.block[kept],
        first=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        action=arena.action[moves],
        successor=np.searchsorted(kept, arena.successor[moves]).astype(np.int32),
        reset=np.full(len(kept), -1, dtype=np.int32),
        codes=arena.codes[states],
        mu=arena.mu[states],
        reward=arena.reward[states],
    )


def _moves_of(arena: ShieldedArena, positions: Array) -> Array:
    """The numbers of the moves of some positions, position by position."""
    sizes = arena.first[positions + 1] - arena.first[positions]
    starts = np.repeat(arena.first[positions] - np.cumsum(sizes) + sizes, sizes)
    numbers: Array = starts + np.arange(sizes.sum())
    return numbers
