"""DDR with its interval (def:ddr, sec:whatif): x̄ ± t_{n−1, 0.975} · s/√n over the means of n seeds.

Whether the runs had settled when it was read is judged in :mod:`holdfast.operation.training.settling`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import InputError
from holdfast.operation.training.quantile import student_quantile
from holdfast.operation.training.settling import SETTLED, UNSETTLED, Settling, settling_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

LEVEL = 0.95


@dataclass(frozen=True)
class GreedyBracket:
    """What the learned greedy policies are worth against perfect opponents, averaged over the seeds.

    Attributes:
        guaranteed: mean of μ that the defender's policy keeps against the best admissible adversary.
        conceded: mean of μ that the adversary's policy leaves to the best defender.
        shortchanged: the side further from perfect play; see
            :func:`holdfast.operation.dominance.shortchanged`.
    """

    guaranteed: float
    conceded: float
    shortchanged: str


@dataclass(frozen=True)
class DefenderDominance:
    """DDR.

    Attributes:
        mean: over all seeds.
        low, high: its 95% interval over the seeds; None for a single seed.
        per_seed: the mean of each seed.
        seeds: which seeds those are.
        bracket: how good the policies are that were learned; None where that was not asked.
        standing: whether this is an operating point: ``settled``, ``unsettled`` or ``contradicted``, as
            :mod:`holdfast.operation.training.settling` defines them. Only what has settled is ranked and
            gated.
        reason: why it is not settled, in words; empty if it is.
        settling: what the standing rests on; None where the runs are not at hand.
    """

    mean: float
    low: float | None
    high: float | None
    per_seed: tuple[float, ...]
    seeds: tuple[int, ...] = ()
    bracket: GreedyBracket | None = None
    standing: str = SETTLED
    reason: str = ""
    settling: Settling | None = None

    @property
    def settled(self) -> bool:
        """Whether it may be ranked and gated."""
        return self.standing == SETTLED

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends; None for a single seed."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def defender_dominance(
    means: npt.NDArray[np.float64],
    window: int,
    seeds: Sequence[int] = (),
    fresh: Sequence[float] | None = None,
) -> DefenderDominance:
    """DDR of runs given by their per-episode means of μ.

    Args:
        means: shape (n_seeds, episodes).
        window: how many final episodes count.
        seeds: which seeds those are; 1, 2, … by default.
        fresh: as for :func:`~holdfast.operation.training.settling.settling_of`.

    >>> import numpy as np
    >>> reading = defender_dominance(np.array([[0.0, 0.5], [0.0, 0.7]]), window=1)
    >>> round(reading.mean, 12), round(reading.low, 3), round(reading.high, 3)
    (0.6, -0.671, 1.871)
    >>> reading.standing, reading.reason
    ('unsettled', 'a run of 2 episodes is too short to tell')

    Raises:
        InputError: when no seed has finished, or the window is longer than the run.
    """
    if means.ndim != 2 or not len(means):
        raise InputError("no seed has finished, so there is nothing to read DDR from")
    if not 1 <= window <= means.shape[1]:
        raise InputError(f"a window of {window} does not fit a run of {means.shape[1]} episodes")
    per_seed = tuple(math.fsum(row) / window for row in means[:, -window:].tolist())
    n = len(per_seed)
    seeds = tuple(seeds) or tuple(range(1, n + 1))
    settling, reason = settling_of(means.tolist(), window, seeds, fresh)
    mean = math.fsum(per_seed) / n
    low = high = None
    if n > 1:
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in per_seed) / (n - 1))
        half = student_quantile(LEVEL, n - 1) * deviation / math.sqrt(n)
        low, high = mean - half, mean + half
    standing = UNSETTLED if reason else SETTLED
    return DefenderDominance(mean, low, high, per_seed, seeds, None, standing, reason, settling)
