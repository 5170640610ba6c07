"""The shielded arena as the exact sweeps read it, and sweeps of it, shared among threads where it is large.

*Moves that lead to the same position are one.* Most safe actions of a position change nothing or the same
thing (on the paper's reference 28,982 safe moves have 6,236 distinct results), and no value depends on which
of them is chosen; a trembling player only needs to know how many there are. A position whose mover is out of
moves gets a move to itself: so play rests.

*Threads.* Each runs a kernel on a part of the positions, and all wait for the last before the next sweep
starts. They are Python's own threads. The threads of numba's parallel loops wait by spinning: on a machine
that has other work to do, a sweep with them took up to seven times as long as on one core alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.arena.form import ShieldedArena
from holdfast.arrays import Floats, Int32s, Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError

BYTES_PER_MOVE, BYTES_PER_POSITION = 16, 40
"""At most, while moves are merged."""

N_VECTORS = 7
"""Vectors of values that a question holds at once, at most."""

Vectors = tuple[Floats, Floats, Floats]
"""(values, where the next go, room for the resets); one side's turn needs no second vector."""

RangeWork = Callable[[int, int], int | None]
"""What is done for the positions from one number up to, not including, another."""

Share = Callable[[RangeWork, int, int], int]
"""Does the work for a range of positions, all of it; gives the sum of what its parts gave."""

PARALLEL_FROM = 1 << 17
"""From so many positions on a sweep takes longer than it takes to wake a thread."""

PARTS_PER_THREAD = 2
"""So that a thread that is held up leaves some of its work to the others."""

MOVES_BETWEEN_CALLS = 50_000_000
"""So many look-ups, a fraction of a second, and an interruption is noticed."""

BOTH = -1
"""In place of a side: sweep the positions of both players."""


class MergedArena(NamedTuple):
    """The arena as the exact sweeps read it.

    The distinct successors of v are at ``first[v]`` up to, not including, ``first[v + 1]``.
    """

    first: Int64s
    successor: Int32s
    times: Int32s
    """How many safe actions lead to each."""
    mover: npt.NDArray[np.int8]
    gain: Floats
    """μ(v), which each move made from v counts."""
    reset_from: Int32s
    reset_to: Int32s
    """The positions in which a reset can happen, and where it leads."""
    spans: Int64s
    """Where the positions of the defender, of the adversary, and of both begin and end."""


class Chances(NamedTuple):
    """Chance of a reset, and chance of a tremble."""

    p: float
    epsilon: float


def merged_arena(arena: ShieldedArena, *, resets: bool, budget: Budget = UNLIMITED) -> MergedArena:
    """Lay the arrays out; ``resets`` says whether they happen at all.

    Raises:
        LimitError: past the memory, with the size it would have needed; or for an arena that was met on
            the way and never finished.
    """
    check_size(arena, budget)
    if not arena.complete:
        raise LimitError(
            f"the arena was met on the way: its {arena.n_positions:,} positions have moves that no play has "
            "made, so it has no exact value; enumerate it with shielded_arena"
        )
    from holdfast.arena import sweep_loops as kernels

    n = arena.n_positions
    merged, times = np.empty(arena.n_moves, np.int32), np.empty(arena.n_moves, np.int32)
    n_merged = np.empty(n, np.int64)
    kernels.merge_moves(arena.first, arena.successor, merged, times, n_merged)
    first = np.concatenate(([0], np.cumsum(np.maximum(n_merged, 1))))
    successor, closed_times = np.empty(first[-1], np.int32), np.empty(first[-1], np.int32)
    kernels.close_ranks(arena.first, merged, times, first, successor, closed_times)
    reset_from = np.flatnonzero((arena.reset >= 0) & resets).astype(np.int32)
    sides = [np.flatnonzero(arena.mover == side) for side in (0, 1)]
    spans = [(side[0], side[-1] + 1) if len(side) else (0, 0) for side in sides]
    return MergedArena(
        first,
        successor,
        closed_times,
        arena.mover.copy(),
        arena.mu[arena.state],
        reset_from,
        arena.reset[reset_from],
        np.array([*spans, (0, n)], dtype=np.int64),
    )


def check_size(arena: ShieldedArena, budget: Budget, more: int = 0) -> None:
    """Refuse an arena for which, with ``more`` bytes, more than the memory would be held."""
    per_position = BYTES_PER_POSITION + 8 * N_VECTORS
    need = arena.n_positions * per_position + arena.n_moves * BYTES_PER_MOVE + more
    if need > budget.memory:
        raise LimitError(
            f"undecided: exact values of {arena.n_positions:,} positions with {arena.n_moves:,} safe moves "
            f"need {need:,} bytes ({need / 2**20:,.0f} MiB) beside the arena; the limit is "
            f"{budget.memory / 2**20:,.0f} MiB"
        )


def resting(merged: MergedArena) -> bool:
    """Whether the adversary is somewhere out of moves: a position follows itself."""
    return bool((merged.successor[merged.first[:-1]] == np.arange(len(merged.mover))).any())


def places(arena: ShieldedArena, merged: MergedArena, actions: npt.ArrayLike, side: int) -> Int32s:
    """The policy of one side as the kernels read it: places in rows, −1 for the other side.

    Raises:
        InputError: for an action that is not in Safe(v), naming the position.
    """
    from holdfast.arena import sweep_loops as kernels

    chosen, found = np.asarray(actions), np.empty(arena.n_positions, np.int32)
    if chosen.shape != (arena.n_positions,):
        raise InputError(
            f"the actions have shape {chosen.shape}; expected ({arena.n_positions},), one for each position"
        )
    other = arena.mover != side
    # The other side's actions are not read: its first safe one stands in for them.
    stand_in = np.append(arena.action, -1)[arena.first[:-1]]
    chosen = np.where(other, stand_in, chosen).astype(np.int64)
    bad = kernels.places_of((arena.first, arena.action, arena.successor), merged, chosen, found)
    if bad >= 0:
        raise InputError(
            f"action {chosen[bad]} is not safe at {arena.configuration.describe(arena.position(bad))}; "
            f"Safe(v) is {list(arena.safe(bad))}"
        )
    found[other] = -1
    return found


# -- sweeps -----------------------------------------------------------------------------------------


@contextmanager
def crew(n_positions: int, budget: Budget) -> Iterator[Share]:
    """Threads for as long as a question takes; a share of the work is a tick of the budget."""
    jobs = budget.workers if n_positions >= PARALLEL_FROM else 1
    n_parts = jobs * PARTS_PER_THREAD
    with ThreadPoolExecutor(jobs) as pool:

        def share(work: RangeWork, low: int, high: int) -> int:
            budget.tick("perfect play")
            if jobs == 1:
                return work(low, high) or 0
            cuts = [low + (high - low) * i // n_parts for i in range(n_parts + 1)]
            return sum(n or 0 for n in pool.map(work, cuts[:-1], cuts[1:]))

        yield share


def fresh_vectors(merged: MergedArena, *, both: bool) -> Vectors:
    """Zeros; two vectors where both sides are swept at once."""
    values = np.zeros(len(merged.mover))
    return values, np.zeros_like(values) if both else values, np.zeros(len(merged.reset_from))


def swept(
    merged: MergedArena,
    rule: Chances,
    vectors: Vectors,
    side: int,
    n_sweeps: int,
    share: Share,
    policy: Int32s | None = None,
) -> Vectors:
    """Some sweeps further, the first of ``side`` and then by turns; the newest values come first."""
    from holdfast.arena import sweep_loops as kernels

    policy = kernels.NOBODY if policy is None else policy
    before, after, spare = vectors
    if len(merged.mover) < PARALLEL_FROM:
        for n in pieces(n_sweeps, MOVES_BETWEEN_CALLS // len(merged.successor)):
            now = before, after, spare
            share(lambda low, high: kernels.induct(merged, rule, policy, now, side, n), 0, 1)  # noqa: B023
            if n % 2:
                before, after, side = after, before, next_side(side)
        return before, after, spare
    for _ in range(n_sweeps):
        sweep(merged, rule, policy, before, after, side, share)
        kernels.let_reset(merged, rule.p, after, spare, side)
        before, after, side = after, before, next_side(side)
    return before, after, spare


def sweep(
    merged: MergedArena,
    rule: Chances,
    policy: Int32s,
    before: Floats,
    after: Floats,
    side: int,
    share: Share,
) -> None:
    """U of the positions of one side, or of :data:`BOTH`, from W of their successors."""
    from holdfast.arena import sweep_loops as kernels

    low, high = merged.spans[side].tolist()
    share(lambda low, high: kernels.fill(merged, rule, policy, before, after, (side, low, high)), low, high)


def next_side(side: int) -> int:
    """Whose turn follows; both stay both."""
    return side if side == BOTH else 1 - side


def pieces(n: int, size: int) -> Iterator[int]:
    """N in pieces of at most ``size``."""
    size = max(1, size)
    yield from [size] * (n // size)
    if n % size:
        yield n % size
