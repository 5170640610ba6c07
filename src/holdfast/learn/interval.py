"""DDR with its interval (def:ddr, sec:whatif): x̄ ± t_{n−1, 0.975} · s/√n over the means of n seeds.

Student's distribution with a whole number ν of degrees of freedom has a closed form: with θ = atan(t/√ν),
P(|T| ≤ t) is a finite sum in sin θ and cos θ (Abramowitz and Stegun, 26.7.3 and 26.7.4). All its terms are
positive, so it is accurate to rounding, and it grows with θ, so bisection inverts it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import InputError

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
        shortchanged: the side further from perfect play; see :func:`holdfast.exact.dominance.shortchanged`.
    """

    guaranteed: float
    conceded: float
    shortchanged: str


@dataclass(frozen=True)
class DefenderDominance:
    """DDR.

    Attributes:
        mean: over all seeds.
        low, high: its 95 % interval over the seeds; None for a single seed.
        per_seed: the mean of each seed.
        seeds: which seeds those are.
        bracket: how good the policies are that were learned; None where that was not asked.
    """

    mean: float
    low: float | None
    high: float | None
    per_seed: tuple[float, ...]
    seeds: tuple[int, ...] = ()
    bracket: GreedyBracket | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends; None for a single seed."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def defender_dominance(means: npt.NDArray[np.float64], window: int) -> DefenderDominance:
    """DDR of runs given by their per-episode means of μ.

    Args:
        means: shape (n_seeds, episodes).
        window: how many final episodes count.

    >>> import numpy as np
    >>> reading = defender_dominance(np.array([[0.0, 0.5], [0.0, 0.7]]), window=1)
    >>> round(reading.mean, 12), round(reading.low, 3), round(reading.high, 3)
    (0.6, -0.671, 1.871)

    Raises:
        InputError: when no seed has finished, or the window is longer than the run.
    """
    if means.ndim != 2 or not len(means):
        raise InputError("no seed has finished, so there is nothing to read DDR from")
    if not 1 <= window <= means.shape[1]:
        raise InputError(f"a window of {window} does not fit a run of {means.shape[1]} episodes")
    per_seed = tuple(math.fsum(row) / window for row in means[:, -window:].tolist())
    n = len(per_seed)
    mean = math.fsum(per_seed) / n
    if n == 1:
        return DefenderDominance(mean, None, None, per_seed)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in per_seed) / (n - 1))
    half = student_quantile(LEVEL, n - 1) * deviation / math.sqrt(n)
    return DefenderDominance(mean, mean - half, mean + half, per_seed)


def student_quantile(level: float, df: int) -> float:
    """The t with P(|T| ≤ t) = ``level``.

    >>> round(student_quantile(0.95, 9), 6)
    2.262157
    """
    low, high = 0.0, math.pi / 2
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return math.tan(middle) * math.sqrt(df)
        if _central(middle, df) < level:
            low = middle
        else:
            high = middle


def _central(theta: float, df: int) -> float:
    """The finite sum; its terms are cos^k θ times products of even over odd numbers, or odd over even."""
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = df % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(1 + odd, df, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    return (theta + sine * total) * 2 / math.pi if odd else sine * total
