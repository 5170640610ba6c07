"""The guaranteed long-run mean of μ, between certified bounds; see :mod:`holdfast.operation`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.arena import BellmanOperator, Floats, ShieldedArena, move_values, reset_values
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.game import Protocol
from holdfast.operation.dominance import episode_operator

PRECISION, MAX_SWEEPS, FIRST_CHECK = 1e-6, 20_000, 64

NO_CLAIM = 2.0
"""Above any mean of μ."""


@dataclass(frozen=True)
class LongRun:
    """low ≤ the mean-payoff value of μ from v₀ ≤ high.

    Attributes:
        low: the defender can keep the long-run mean of μ at least here.
        high: the adversary can keep it at most here.
        n_sweeps: sweeps of the arena that were made, those that certify the bounds included.
        precision: the gap that was asked for; it was reached where :attr:`gap` is not above it.
    """

    low: float
    high: float
    n_sweeps: int
    precision: float

    @property
    def gap(self) -> float:
        """How much is left open."""
        return self.high - self.low

    @property
    def reached(self) -> bool:
        """Whether the gap is as small as was asked."""
        return self.gap <= self.precision


def long_run(
    arena: ShieldedArena,
    protocol: Protocol | None = None,
    *,
    precision: float = PRECISION,
    max_sweeps: int = MAX_SWEEPS,
    budget: Budget = UNLIMITED,
) -> LongRun:
    """Bounds on the long-run mean of μ that each player can force, resets included.

    The bounds hold wherever the iteration is stopped, rounding included; only their distance depends on it.

    Args:
        precision: stop when the bounds are this close.
        max_sweeps: or after about so many sweeps.

    Raises:
        InputError: for a protocol that does not fit the game, or a precision that is not positive.
        LimitError: as :func:`~holdfast.operation.exact_dominance`.
    """
    if not precision > 0 or max_sweeps < 1:
        raise InputError(
            f"cannot stop at a precision of {precision} or after {max_sweeps} sweeps: above 0, and at least 1"
        )
    with episode_operator(arena, protocol or Protocol(), budget) as bellman:
        return bounds_at(bellman, arena.initial, precision, max_sweeps)


def bounds_at(bellman: BellmanOperator, initial: int, precision: float, max_sweeps: int) -> LongRun:
    """Bounds on the long-run mean of μ from v₀, by the operator of an arena; see :func:`long_run`."""
    arena = bellman.arena
    potential, spare = np.zeros(arena.n_values), np.zeros(arena.n_values)
    low, high = float(arena.gain.min()), float(arena.gain.max())
    n_lazy = n_sweeps = 0
    while high - low > precision and n_sweeps < max_sweeps:
        for _ in range(min(max(n_lazy, FIRST_CHECK), max_sweeps - n_sweeps)):
            _half_way(bellman, potential, spare)
            potential, spare = spare, potential
            n_lazy += 1
            n_sweeps += 1
        potential -= potential[initial]
        for side in (0, 1):
            claim, n = _sustained(bellman, potential, side, 2 * n_lazy)
            bound = float(claim[initial])
            del claim  # the other side needs the room
            low, high = (max(low, bound), high) if side == 0 else (low, min(high, -bound))
            n_sweeps += n
    return LongRun(low, high, n_sweeps, precision)


def _half_way(bellman: BellmanOperator, potential: Floats, after: Floats) -> None:
    """The mean of U and of what one move makes of it."""
    move_values(bellman, reset_values(bellman, potential), after)
    after += potential
    after *= 0.5


def _sustained(bellman: BellmanOperator, potential: Floats, side: int, patience: int) -> tuple[Floats, int]:
    """(What one side can claim at each position, before resets; sweeps it took).

    The claims are those of the greatest fixed point. Where ``patience`` sweeps do not reach it, the least of
    all first claims is one that can be sustained everywhere.
    """
    from holdfast.arena import bellman_kernels as kernels

    arena, values = bellman.arena, reset_values(bellman, potential)
    rounded = 16 + (arena.draw_to.shape[1] if len(arena.draw_to) else 0)  # a draw adds up so many products
    margin = rounded * np.finfo(float).eps * (1 + max(float(potential.max()), -float(potential.min())))
    bound, after = np.full(arena.n_positions, NO_CLAIM), np.empty(arena.n_positions)
    claim = np.full(len(values), NO_CLAIM)
    least = 0.0
    for n in range(1, patience + 1):
        field, now, then = (values, potential, claim, margin), bound, after
        n_changed = bellman.parallel_for(
            lambda low, high: kernels.tighten(arena, side, field, now, then, (low, high)),  # noqa: B023
            0,
            arena.n_positions,
        )
        if not n_changed:
            return claim, n
        bound, after = after, bound
        least = float(bound.min()) if n == 1 else least
        kernels.let_claims_reset(arena, bellman.chances.p, bound, claim)
    return np.full(len(values), least), patience
