"""The Bellman operator of safe play, and backward induction by it: the one recursion under every exact value.

**Values.** An episode of T moves is worth the sum of μ over them, to players who choose among their safe
actions. With k moves to go, let U_k(v) be what is still to come at v when the engagement reset of the move
has or has not happened, and W_k(v) when that is still open (step 3 of :mod:`holdfast.game.protocol`):

    U_k(v) = μ(v) + opt_{a ∈ Safe(v)} W_{k−1}(Succ(v, a)),        W_0 = 0,
    W_k(v) = (1 − p)·U_k(v) + p·U_k(reset(v))                     where a reset can happen, else U_k(v),

with opt = max for the defender and min for the adversary. A mover who *trembles* gets (1 − ε)·opt + ε·mean
instead of opt, one who follows a *policy* what its action leads to. Where the adversary is out of moves play
rests: Succ is v itself. Chance moves by known probabilities and turns alternate, so perfect play
needs no randomisation (Shapley, *Stochastic games*, 1953).

**Draws.** Where the outcome of a choice is drawn, Succ(v, a) is a *draw*: a number past those of the
positions, with W_k = Σ share · W_k over where it leads (:mod:`holdfast.arena.draws`). Vectors of values
have the draws at their end.

**Operator.** The first line is :func:`move_values`, the second :func:`reset_values`; one after the other they
are T, which makes W_k of W_{k−1}. T is monotone and commutes with adding a number to all values; the
arguments of :mod:`holdfast.operation` rest on these two properties. :func:`backward` applies T so many times
to a :class:`Stage`, which holds W_k, and :func:`stages` gives one W_k after the other. Callers differ in what
they read: the value at v₀, each W_k, best actions, or how much values still grow.

**One side at a time.** Turns alternate, so with k moves to go a play from v₀ is at a position of one known
side, and the other's values need not be computed: half the work, and in place. A play that rests breaks the
alternation, and then both sides are computed.

**Moves that lead to the same position are one.** Most safe actions of a position change nothing or the same
thing (on the paper's reference 28,982 safe moves have 6,236 distinct results), and no value depends on which
of them is chosen; a trembling player only needs to know how many there are. A position whose mover is out of
moves gets a move to itself.

**Threads.** Each runs a kernel on a part of the positions, and all wait for the last before T is applied
again. They are Python's own threads. The threads of numba's parallel loops wait by spinning: on a machine
that has other work to do, a sweep with them took up to seven times as long as on one core alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.arena.form import ShieldedArena
from holdfast.arrays import Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError
from holdfast.game import has_chance

Numbers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

BYTES_PER_MOVE, BYTES_PER_POSITION = 16, 40
"""At most, while moves are merged."""

N_VECTORS = 7
"""Vectors of values that a question holds at once, at most."""

SweepWork = Callable[[int, int], int | None]
"""What is done for the positions from one number up to, not including, another."""

ParallelFor = Callable[[SweepWork, int, int], int]
"""Does the work for all positions of a range, by several threads; the sum of what its parts returned."""

PARALLEL_FROM = 1 << 17
"""From so many positions on a sweep takes longer than it takes to wake a thread."""

PARTS_PER_THREAD = 2
"""So that a thread that is held up leaves some of its work to the others."""

MOVES_BETWEEN_CALLS = 50_000_000
"""So many look-ups, a fraction of a second, and an interruption is noticed."""

BOTH = -1
"""In place of a side: the positions of both players."""


NO_DRAWS, NO_SHARES = np.zeros((0, 1), np.int32), np.zeros((0, 1))


class MergedArena(NamedTuple):
    """Safe play as the operator reads it, in compressed sparse rows.

    The distinct successors of v are at ``first[v]`` up to, not including, ``first[v + 1]``.
    """

    first: Int64s
    successor: Numbers
    times: Numbers
    """How many safe actions lead to each."""
    mover: npt.NDArray[np.int8]
    gain: Floats
    """μ(v), which each move made from v counts."""
    reset_from: Numbers
    reset_to: Numbers
    """The positions in which a reset can happen, and where it leads."""
    spans: Int64s
    """Where the positions of the defender, of the adversary, and of both begin and end."""
    initial: int
    """The number of v₀."""
    draw_to: Numbers = NO_DRAWS
    draw_share: Floats = NO_SHARES
    """Where each draw leads, a row each, and with which probabilities."""

    @property
    def n_positions(self) -> int:
        """How many positions are told apart."""
        return len(self.mover)

    @property
    def n_values(self) -> int:
        """How many values a vector has: of the positions, and then of the draws."""
        return len(self.mover) + len(self.draw_to)


class Chances(NamedTuple):
    """Chance of a reset, and chance of a tremble."""

    p: float
    epsilon: float


class Stage(NamedTuple):
    """W_k: what every position is worth with k moves to go.

    Attributes:
        values: W_k, of the positions that ``side`` does not move at, or of all.
        earlier: W_{k−1}, as long as the stage is the newest; the next stage is written there. The same array
            as ``values`` where one side is computed at a time.
        mixed: room for what resets make of values.
        side: whose values are computed next, or :data:`BOTH`.
    """

    values: Floats
    earlier: Floats
    mixed: Floats
    side: int


@dataclass(frozen=True)
class BellmanOperator:
    """T of one arena, and the threads that apply it."""

    arena: MergedArena
    chances: Chances
    parallel_for: ParallelFor


def merged_arena(arena: ShieldedArena, *, resets: bool, budget: Budget = UNLIMITED) -> MergedArena:
    """Lay the arrays out; ``resets`` says whether they happen at all.

    Raises:
        LimitError: past the memory, with the size it would have needed; or for an arena that was met on
            the way and never finished.
    """
    check_size(arena, budget)
    assert arena.draws is not None or not has_chance(arena.configuration.game), "moves are choices"
    if not arena.complete:
        raise LimitError(
            f"the arena was met on the way: its {arena.n_positions:,} positions have moves that no play has "
            "made, so it has no exact value; enumerate it with shielded_arena"
        )
    from holdfast.arena import bellman_kernels as kernels

    n = arena.n_positions
    merged, times = np.empty(arena.n_moves, np.int32), np.empty(arena.n_moves, np.int32)
    n_merged = np.empty(n, np.int64)
    kernels.merge_moves(arena.first, arena.successor, merged, times, n_merged)
    first = np.concatenate(([0], np.cumsum(np.maximum(n_merged, 1))))
    successor, closed_times = np.empty(first[-1], np.int32), np.empty(first[-1], np.int32)
    kernels.close_ranks(arena.first, merged, times, first, successor, closed_times)
    reset_from = np.flatnonzero((arena.reset >= 0) & resets).astype(np.int32)
    rows = MergedArena(
        first,
        successor,
        closed_times,
        arena.mover.copy(),
        arena.mu[arena.state],
        reset_from,
        arena.reset[reset_from],
        spans_of(arena.mover),
        arena.initial,
    )
    draws = arena.draws
    return rows if draws is None else rows._replace(draw_to=draws.target, draw_share=draws.share)


def spans_of(mover: npt.NDArray[np.int8]) -> Int64s:
    """Where the positions of the defender, of the adversary, and of both begin and end; shape (3, 2)."""
    sides = [np.flatnonzero(mover == side) for side in (0, 1)]
    spans = [(side[0], side[-1] + 1) if len(side) else (0, 0) for side in sides]
    return np.array([*spans, (0, len(mover))], dtype=np.int64)


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


def places(arena: ShieldedArena, merged: MergedArena, actions: npt.ArrayLike, side: int) -> Numbers:
    """The policy of one side as the kernels read it: places in rows, −1 for the other side.

    Raises:
        InputError: for an action that is not in Safe(v), naming the position.
    """
    from holdfast.arena import bellman_kernels as kernels

    chosen, policy = np.asarray(actions), np.empty(arena.n_positions, np.int32)
    if chosen.shape != (arena.n_positions,):
        raise InputError(
            f"the actions have shape {chosen.shape}; expected ({arena.n_positions},), one for each position"
        )
    other = arena.mover != side
    # The other side's actions are not read: its first safe one stands in for them.
    stand_in = np.append(arena.action, -1)[arena.first[:-1]]
    chosen = np.where(other, stand_in, chosen).astype(np.int64)
    bad = kernels.places_of((arena.first, arena.action, arena.successor), merged, chosen, policy)
    if bad >= 0:
        raise InputError(
            f"action {chosen[bad]} is not safe at {arena.configuration.describe(arena.position(bad))}; "
            f"Safe(v) is {list(arena.safe(bad))}"
        )
    policy[other] = -1
    return policy


# -- the operator -----------------------------------------------------------------------------------


@contextmanager
def bellman_operator(
    arena: MergedArena, chances: Chances, budget: Budget = UNLIMITED
) -> Iterator[BellmanOperator]:
    """The operator of an arena, with threads for as long as a question takes."""
    with thread_pool(len(arena.mover), budget) as parallel_for:
        yield BellmanOperator(arena, chances, parallel_for)


@contextmanager
def thread_pool(n_positions: int, budget: Budget) -> Iterator[ParallelFor]:
    """A loop over positions by several threads, or by this one where they are few; each loop is a tick."""
    jobs = budget.workers if n_positions >= PARALLEL_FROM else 1
    n_parts = jobs * PARTS_PER_THREAD
    with ThreadPoolExecutor(jobs) as pool:

        def parallel_for(work: SweepWork, low: int, high: int) -> int:
            budget.tick("perfect play")
            if jobs == 1:
                return work(low, high) or 0
            cuts = [low + (high - low) * i // n_parts for i in range(n_parts + 1)]
            return sum(n or 0 for n in pool.map(work, cuts[:-1], cuts[1:]))

        yield parallel_for


def final_stage(arena: MergedArena) -> Stage:
    """W_0 = 0, of both sides."""
    values = np.zeros(arena.n_values)
    return Stage(values, np.zeros_like(values), np.zeros(len(arena.reset_from)), BOTH)


def final_stage_of_play(arena: MergedArena, initial: int, steps: int) -> Stage:
    """W_0 = 0 for a play of so many moves from v₀: one side at a time, unless play can rest."""
    if resting(arena):
        return final_stage(arena)
    values = np.zeros(arena.n_values)
    return Stage(values, values, np.zeros(len(arena.reset_from)), int(arena.mover[initial]) ^ (steps - 1) % 2)


def stages(bellman: BellmanOperator, n_moves: int, first: int = 0) -> Iterator[Floats]:
    """W_k of all positions, k from ``first`` to ``n_moves``; each is read before the next is asked for."""
    stage = backward(bellman, final_stage(bellman.arena), first)
    yield stage.values
    for _ in range(first, n_moves):
        stage = backward(bellman, stage)
        yield stage.values


def backward(
    bellman: BellmanOperator, stage: Stage, n_moves: int = 1, policies: Sequence[Numbers] = ()
) -> Stage:
    """The stage with so many moves more to go: T applied as often. The stage that was given is used up.

    Args:
        policies: what the players do not choose, as :func:`places` gives it: one policy for all moves, or one
            for each; none if they choose everything.
    """
    from holdfast.arena import bellman_kernels as kernels

    if len(policies) > 1:
        for policy in reversed(policies):
            stage = backward(bellman, stage, 1, (policy,))
        return stage
    arena, chances = bellman.arena, bellman.chances
    policy = policies[0] if policies else kernels.NOBODY
    if len(arena.mover) < PARALLEL_FROM:
        for n in pieces(n_moves, MOVES_BETWEEN_CALLS // len(arena.successor)):
            vectors, side = stage[:3], stage.side
            bellman.parallel_for(
                lambda low, high: kernels.induct(arena, chances, policy, vectors, side, n),  # noqa: B023
                0,
                1,
            )
            stage = _next_stage(stage) if n % 2 else stage
        return stage
    for _ in range(n_moves):
        move_values(bellman, stage.values, stage.earlier, stage.side, policy)
        kernels.let_reset(arena, chances.p, stage.earlier, stage.mixed, stage.side)
        kernels.let_draw(arena, stage.earlier)
        stage = _next_stage(stage)
    return stage


def move_values(
    bellman: BellmanOperator, before: Floats, after: Floats, side: int = BOTH, policy: Numbers | None = None
) -> None:
    """U of the positions of one side, or of both, into ``after``, from W of their successors."""
    from holdfast.arena import bellman_kernels as kernels

    arena, chances = bellman.arena, bellman.chances
    policy = kernels.NOBODY if policy is None else policy
    first, last = arena.spans[side].tolist()
    bellman.parallel_for(
        lambda low, high: kernels.fill(arena, chances, policy, before, after, (side, low, high)), first, last
    )


def reset_values(bellman: BellmanOperator, values: Floats) -> Floats:
    """W from U, of both sides; U itself where no reset can happen and nothing is drawn."""
    from holdfast.arena import bellman_kernels as kernels

    n_resets = len(bellman.arena.reset_from)
    if not n_resets and not len(bellman.arena.draw_to):
        return values
    values = values.copy()
    kernels.let_reset(bellman.arena, bellman.chances.p, values, np.empty(n_resets), BOTH)
    kernels.let_draw(bellman.arena, values)
    return values


def pieces(n: int, size: int) -> Iterator[int]:
    """N in pieces of at most ``size``."""
    size = max(1, size)
    yield from [size] * (n // size)
    if n % size:
        yield n % size


def _next_stage(stage: Stage) -> Stage:
    """The stage whose values have been written to the room for them."""
    values, earlier, mixed, side = stage
    return Stage(earlier, values, mixed, side if side == BOTH else 1 - side)
