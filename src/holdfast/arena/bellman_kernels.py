"""The Bellman operator compiled by numba; see :mod:`holdfast.arena.bellman`.

A sweep computes every position from values that it does not write, so it comes to the same doubles however
the positions are shared among threads, compiled or in plain Python (``NUMBA_DISABLE_JIT=1``). The threads are
ordinary ones, which the kernels let run by holding no lock.

A kernel takes its arrays out of the tuple once and loops over a part of the positions: to hand them on for
each position would count references to each, which takes longer than the few look-ups it is for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from holdfast.arena.bellman import BOTH, Chances, Floats, MergedArena, Numbers
from holdfast.arrays import Int64s

ArenaRows = tuple[Int64s, Numbers, Numbers]
"""(first, action, successor) of a shielded arena."""

NOBODY = np.zeros(0, dtype=np.int32)
"""In place of a policy: both players choose."""

GRID = 2.0**-36
SLACK = 2.0**-50
"""Bounds lie on a grid, and an average that had to be rounded gives way by far more than it was rounded."""


# -- the arena without repetitions ------------------------------------------------------------------


@njit(cache=True, nogil=True)
def merge_moves(first: Int64s, successor: Numbers, merged: Numbers, times: Numbers, n_merged: Int64s) -> None:
    """The distinct successors of each position, in order of appearance, and how many moves lead to each.

    Row v of the result starts at ``first[v]`` and has ``n_merged[v]`` entries. A position without moves has
    none.
    """
    for v in range(len(n_merged)):
        start, n = first[v], 0
        for move in range(start, first[v + 1]):
            target, place = successor[move], start
            while place < start + n and merged[place] != target:
                place += 1
            if place == start + n:
                merged[place], times[place] = target, 0
                n += 1
            times[place] += 1
        n_merged[v] = n


@njit(cache=True, nogil=True)
def close_ranks(
    first: Int64s, merged: Numbers, times: Numbers, ranks: Int64s, successor: Numbers, closed_times: Numbers
) -> None:
    """Move the rows together, from ``first[v]`` to ``ranks[v]``; where there is none, add a move to v."""
    for v in range(len(ranks) - 1):
        start, n = first[v], ranks[v + 1] - ranks[v]
        if first[v + 1] == start:
            successor[ranks[v]], closed_times[ranks[v]] = v, 1
        else:
            for i in range(n):
                successor[ranks[v] + i], closed_times[ranks[v] + i] = merged[start + i], times[start + i]


@njit(cache=True, nogil=True)
def places_of(arena: ArenaRows, merged: MergedArena, actions: Int64s, places: Numbers) -> int:
    """For each position the place, in its merged row, of the move that ``actions`` names.

    ``arena`` is (first, action, successor). A place is −1 where there is nothing to choose.

    Returns:
        The first position whose action is not safe, −1 if there is none.
    """
    first, action, successor = arena
    for v in range(len(places)):
        places[v] = -1
        if first[v] == first[v + 1]:
            continue
        move = first[v]
        while move < first[v + 1] and action[move] != actions[v]:
            move += 1
        if move == first[v + 1]:
            return v
        places[v] = 0
        while merged.successor[merged.first[v] + places[v]] != successor[move]:
            places[v] += 1
    return -1


# -- backward induction -----------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def fill(
    merged: MergedArena,
    chances: Chances,
    policy: Numbers,
    before: Floats,
    after: Floats,
    part: tuple[int, int, int],
) -> None:
    """U of the positions of one side (or of both) from W of their successors, for those in one part.

    ``part`` is (side, low, high): positions from ``low`` up to, not including, ``high``. Only for a single
    side may ``after`` be ``before``.
    """
    first, successor, times, mover, gain = (
        merged.first,
        merged.successor,
        merged.times,
        merged.mover,
        merged.gain,
    )
    trembles = chances.epsilon > 0.0
    side, low, high = part
    for v in range(low, high):
        if side != BOTH and mover[v] != side:
            continue
        start, stop = first[v], first[v + 1]
        value, total, n = before[successor[start]], 0.0, 0
        if trembles and mover[v] == 0:
            for move in range(start, stop):
                other = before[successor[move]]
                total += times[move] * other
                n += times[move]
                value = other if other > value else value
        elif trembles:
            for move in range(start, stop):
                other = before[successor[move]]
                total += times[move] * other
                n += times[move]
                value = other if other < value else value
        elif mover[v] == 0:
            for move in range(start + 1, stop):
                other = before[successor[move]]
                value = other if other > value else value
        else:
            for move in range(start + 1, stop):
                other = before[successor[move]]
                value = other if other < value else value
        if len(policy) and policy[v] >= 0:
            value = before[successor[start + policy[v]]]
        if trembles:
            value = (1.0 - chances.epsilon) * value + chances.epsilon * (total / n)
        after[v] = gain[v] + value


@njit(cache=True, nogil=True)
def let_reset(merged: MergedArena, p: float, values: Floats, mixed: Floats, side: int) -> None:
    """From U to W, in place; a reset keeps the turn, so that one side can go alone."""
    for i in range(len(merged.reset_from)):
        v = merged.reset_from[i]
        mixed[i] = (1.0 - p) * values[v] + p * values[merged.reset_to[i]]
    for i in range(len(merged.reset_from)):
        v = merged.reset_from[i]
        if side == BOTH or merged.mover[v] == side:
            values[v] = mixed[i]


@njit(cache=True, nogil=True)
def let_draw(merged: MergedArena, values: Floats) -> None:
    """W of the draws, at the end of the values, from W of the positions."""
    target, share, n = merged.draw_to, merged.draw_share, len(merged.mover)
    for i in range(len(target)):
        mean = 0.0
        for j in range(target.shape[1]):
            mean += share[i, j] * values[target[i, j]]
        values[n + i] = mean


@njit(cache=True, nogil=True)
def induct(
    merged: MergedArena,
    chances: Chances,
    policy: Numbers,
    vectors: tuple[Floats, Floats, Floats],
    side: int,
    n_moves: int,
) -> None:
    """T applied so many times, to the sides in turn, or to :data:`BOTH` each time.

    ``vectors`` are those of a stage; after an even number the newest values are in the first, else in the
    second.
    """
    before, after, mixed = vectors
    for _ in range(n_moves):
        low, high = merged.spans[side]
        fill(merged, chances, policy, before, after, (side, low, high))
        let_reset(merged, chances.p, after, mixed, side)
        let_draw(merged, after)
        before, after = after, before
        if side != BOTH:
            side = 1 - side


@njit(cache=True, nogil=True)
def best_actions(arena: ArenaRows, mover: npt.NDArray[np.int8], values: Floats, actions: Numbers) -> None:
    """The first best action at every position, given W of the next; −1 where there is none."""
    first, action, successor = arena
    for v in range(len(actions)):
        actions[v], value = -1, 0.0
        for move in range(first[v], first[v + 1]):
            other = values[successor[move]]
            if actions[v] < 0 or ((other > value) if mover[v] == 0 else (other < value)):
                actions[v], value = action[move], other


@njit(cache=True, nogil=True)
def added(mover: npt.NDArray[np.int8], side: int, before: Floats, after: Floats) -> tuple[float, float]:
    """The least and the most that values have grown by, over the positions of one side or of both."""
    least, most = np.inf, -np.inf
    for v in range(len(mover)):
        if side == BOTH or mover[v] == side:
            more = after[v] - before[v]
            least, most = min(least, more), max(most, more)
    return least, most


# -- the long run -----------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def tighten(
    merged: MergedArena,
    maximiser: int,
    field: tuple[Floats, Floats, Floats, float],
    bound: Floats,
    after: Floats,
    part: tuple[int, int],
) -> int:
    """Take back the claims of one part that cannot be sustained; how many there were.

    At v the maximiser can claim what a move earns, but no more than is claimed where it leads. ``field`` is
    (W, U, claims before a reset, margin). The adversary maximises −μ: its claims are of the other sign.
    """
    first, successor, mover, gain = merged.first, merged.successor, merged.mover, merged.gain
    values, potential, claim, margin = field
    low, high = part
    sign, n_changed = 1.0 - 2.0 * maximiser, 0
    for v in range(low, high):
        maximising = mover[v] == maximiser
        best = -np.inf if maximising else np.inf
        for move in range(first[v], first[v + 1]):
            target = successor[move]
            here = min(sign * (gain[v] + values[target] - potential[v]) - margin, claim[target])
            best = max(best, here) if maximising else min(best, here)
        after[v] = min(bound[v], np.floor(best / GRID) * GRID)
        n_changed += after[v] != bound[v]
    return n_changed


def let_claims_reset(merged: MergedArena, p: float, bound: Floats, claim: Floats) -> None:
    """From claims after a reset to claims before one and at draws, rounded down on the grid; plain NumPy."""
    n, width = len(merged.mover), merged.draw_to.shape[1]
    claim[:n] = bound
    here, there = bound[merged.reset_from], bound[merged.reset_to]
    mixed = np.floor((here + p * (there - here) - SLACK) / GRID) * GRID
    claim[merged.reset_from] = there if p == 1 else np.where(here == there, here, mixed)
    drawn = claim[merged.draw_to]
    least, most = (np.where(merged.draw_share > 0, drawn, fill) for fill in (np.inf, -np.inf))
    mean = np.floor(((merged.draw_share * drawn).sum(axis=1) - width * SLACK) / GRID) * GRID
    claim[n:] = np.where(least.min(axis=1) == most.max(axis=1), least.min(axis=1), mean)
