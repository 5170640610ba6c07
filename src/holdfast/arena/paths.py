"""A part of a shielded arena in canonical numbers, and shortest plays in it."""

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
    return taken(replace(arena, reset=np.full_like(arena.reset, -1)), distances(arena)[0] >= 0)


def taken(arena: ShieldedArena, kept: Array) -> ShieldedArena:
    """The part of an arena that some positions, given by a mask, make up, numbered canonically.

    No move or reset may lead out of it.
    """
    states = np.unique(arena.state[kept])
    states = states[np.lexsort(arena.codes[states].T[::-1])]
    state = _places(states, arena.n_states)[arena.state]
    order = np.flatnonzero(kept)
    order = order[np.lexsort((state[order], arena.block[order], arena.mover[order]))]
    number = np.append(_places(order, arena.n_positions), -1)
    moves, sizes = _moves_of(arena, order), np.diff(arena.first)[order]
    return replace(
        arena,
        initial=int(number[arena.initial]),
        mover=arena.mover[order],
        state=state[order].astype(np.int32),
        block=arena.block[order],
        first=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        action=arena.action[moves],
        successor=number[arena.successor[moves]].astype(np.int32),
        reset=number[arena.reset[order]].astype(np.int32),
        codes=arena.codes[states],
        mu=arena.mu[states],
        reward=arena.reward[states],
    )


def _places(order: Array, n: int) -> Array:
    """The place of each number below n in an order; −1 for those that it leaves out."""
    places = np.full(n, -1)
    places[order] = np.arange(len(order))
    return places


def _moves_of(arena: ShieldedArena, positions: Array) -> Array:
    """The numbers of the moves of some positions, position by position."""
    sizes = arena.first[positions + 1] - arena.first[positions]
    starts = np.repeat(arena.first[positions] - np.cumsum(sizes) + sizes, sizes)
    numbers: Array = starts + np.arange(sizes.sum())
    return numbers
