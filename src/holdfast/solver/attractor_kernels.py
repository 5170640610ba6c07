"""The compiled attractor: every move is looked at once, from where it leads back to where it starts.

The moves of a player are listed by successor valuation. When the positions of a shell are known, the moves
that lead into it are found there: an adversary position that has one is absorbed; a defender position counts
down the moves that it has left and is absorbed with the last. All moves into rank k − 1 are counted before
anything of rank k is used, so ranks are exact. Cost: O(moves · blocks), and once more for each further rank
that a valuation gives to its blocks; never the number of ranks times the game.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from holdfast.arrays import Array

Arrivals = tuple[Array, Array, Array]
"""The moves into valuation w are ``first[w]`` … ``first[w + 1]``: where each starts, and its class."""

UNSAFE = -1


@njit(cache=True, nogil=True)
def arrivals(successors: Array, kinds: Array, n_kinds: int) -> tuple[Arrivals, Array]:
    """The moves of a player by the valuation they lead to, and how many start at each valuation.

    The moves of one class that change nothing at a valuation are one.
    """
    n_actions, n = successors.shape
    first = np.zeros(n + 1, np.int64)
    stays = np.zeros((n_kinds, n), np.bool_)
    for a in range(n_actions):
        for v in range(n):
            w = successors[a, v]
            if w == v:
                stays[kinds[a], v] = True
            elif w >= 0:
                first[w + 1] += 1
    for k in range(n_kinds):
        for v in range(n):
            if stays[k, v]:
                first[v + 1] += 1
    for v in range(n):
        first[v + 1] += first[v]
    source, kind = np.empty(first[n], np.int32), np.empty(first[n], np.int32)
    degree, place = np.zeros(n, np.int32), first[:n].copy()
    for k in range(n_kinds):
        for v in range(n):
            if stays[k, v]:
                source[place[v]], kind[place[v]] = v, k
                place[v] += 1
                degree[v] += 1
    for a in range(n_actions):
        for v in range(n):
            w = successors[a, v]
            if w != v and w >= 0:
                source[place[w]], kind[place[w]] = v, kinds[a]
                place[w] += 1
                degree[v] += 1
    return (first, source, kind), degree


@njit(cache=True, nogil=True)
def absorb(
    moves: Arrivals, targets: Array, own: tuple[Array, Array, Array], other: Array, entered: Array, rank: int
) -> tuple[Array, Array]:
    """Give a rank to the positions of one player that moves into the shell before it absorb.

    Args:
        targets: the block after a move, by class, block and successor valuation.
        own: written, by block and valuation: the ranks of the player's positions and how many moves each
            may still be without before it is absorbed, 0 for the absorbed; and by valuation the rank for
            which it was returned last.
        other: the ranks of the opponent's positions.
        entered: distinct valuations with positions of the shell before; for rank 1 those with moves into U.

    Returns:
        How many positions are absorbed, by block; and their valuations that this rank had not returned yet.
    """
    first, source, kind = moves
    ranks, left, returned = own
    n_blocks, n = ranks.shape
    counts = np.zeros(n_blocks, np.int64)
    fresh, n_fresh = np.empty(n, np.int32), 0
    for w in entered:
        for i in range(first[w], first[w + 1]):
            v, k = source[i], kind[i]
            for b in range(n_blocks):
                if left[b, v] == 0:
                    continue
                t = targets[k, b, w]
                if (rank == 1 and t == UNSAFE) or (t >= 0 and other[t, w] == rank - 1):
                    left[b, v] -= 1
                    if left[b, v] == 0:
                        ranks[b, v] = rank
                        counts[b] += 1
                        if returned[v] != rank:
                            returned[v] = rank
                            fresh[n_fresh] = v
                            n_fresh += 1
    return counts, fresh[:n_fresh].copy()
