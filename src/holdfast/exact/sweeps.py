"""Sweeps of an arena, shared among threads where it is large.

Each thread runs a kernel on a part of the positions, and all wait for the last before the next sweep starts.
They are Python's own threads. The threads of numba's parallel loops wait by spinning: on a machine that has
other work to do, a sweep with them took up to seven times as long as on one core alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from holdfast.budget import Budget
from holdfast.exact.merged_arena import Chances, Floats, MergedArena, Numbers

Vectors = tuple[Floats, Floats, Floats]
"""(values, where the next go, room for the resets); one side's turn needs no second vector."""

Work = Callable[[int, int], int | None]
"""What is done for the positions from one number up to, not including, another."""

Share = Callable[[Work, int, int], int]
"""Does the work for a range of positions, all of it; gives the sum of what its parts gave."""

PARALLEL_FROM = 1 << 17
"""From so many positions on a sweep takes longer than it takes to wake a thread."""

PARTS_PER_THREAD = 2
"""So that a thread that is held up leaves some of its work to the others."""

MOVES_BETWEEN_CALLS = 50_000_000
"""So many look-ups, a fraction of a second, and an interruption is noticed."""

BOTH = -1
"""In place of a side: sweep the positions of both players."""


@contextmanager
def crew(n_positions: int, budget: Budget) -> Iterator[Share]:
    """Threads for as long as a question takes; a share of the work is a tick of the budget."""
    jobs = budget.workers if n_positions >= PARALLEL_FROM else 1
    n_parts = jobs * PARTS_PER_THREAD
    with ThreadPoolExecutor(jobs) as pool:

        def share(work: Work, low: int, high: int) -> int:
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
    policy: Numbers | None = None,
) -> Vectors:
    """Some sweeps further, the first of ``side`` and then by turns; the newest values come first."""
    from holdfast.exact import sweep_kernels as kernels

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
    policy: Numbers,
    before: Floats,
    after: Floats,
    side: int,
    share: Share,
) -> None:
    """U of the positions of one side, or of :data:`BOTH`, from W of their successors."""
    from holdfast.exact import sweep_kernels as kernels

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
