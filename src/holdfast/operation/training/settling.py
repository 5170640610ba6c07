"""Whether training has settled, so that DDR is an operating point and not a moment of learning.

DDR is a mean over the last w episodes. Let h = min(w, ⌊N_ep/2⌋), and compare the last h episodes with the h
before them. Training has *settled* when all of this holds; levels are on the scale of μ, from 0 to 1:

1. *Learned.* Of at most :data:`FRESH` of the moves in the window a run had learned nothing before: the value
   of the move was still the one that tables start with. Learners that go on trying moves for the first time
   play no policy yet, however flat their curve is.
2. *No trend.* The mean over the runs has not moved by more than :data:`DRIFT`, unless noise explains it.
3. *Every run stands still.* No run has moved by more than :data:`TOLERANCE`, noise included: a run so short
   or so noisy that this cannot be told is not known to stand still.
4. *The runs agree.* No run is further than :data:`TOLERANCE` from the median of the runs.

Noise is that of batch means: each stretch of h episodes is cut into up to ten batches, whose means are close
to independent although single episodes need not be; 95% by Student's distribution.

Play that has settled can still be wrong. Perfect play that never errs keeps DDR*; perfect play that errs as
often as the learners explore keeps the trembling value; learners who have learned are about there. DDR is
*contradicted* where its whole interval lies further than :data:`TOLERANCE` outside the stretch between
those two: then one side has not learned to play. (How good the learned policies are when they do not explore
is another question, which :class:`~holdfast.operation.training.interval.GreedyBracket` answers.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from holdfast.game import percent
from holdfast.operation.training.quantile import student_quantile

SETTLED, UNSETTLED, CONTRADICTED = "settled", "unsettled", "contradicted"
"""The standings of DDR."""

FRESH, DRIFT, TOLERANCE = 0.01, 0.02, 0.1
"""Limits of what counts as settled, see above."""

N_BATCHES, LEVEL, MANY = 10, 0.95, 1000
"""Batches of a stretch, confidence, and degrees of freedom that are as good as infinitely many."""

Runs = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Settling:
    """What was observed of the runs; each number has its limit in the head of this module.

    Attributes:
        fresh: the part of the moves in the window of which a run had learned nothing; None if not counted.
        drift: by how much the mean over the runs moved.
        unrest: by how much any one run may have moved, noise included; None where a run is too short to tell.
        apart: how far the outermost run is from the median of the runs.
    """

    fresh: float | None
    drift: float
    unrest: float | None
    apart: float


def settling_of(
    means: Runs, window: int, seeds: Sequence[int], fresh: Sequence[float] | None = None
) -> tuple[Settling, str]:
    """(What was observed, why that is not settled; empty if it is).

    Args:
        means: of each run, the mean of μ in each episode.
        window: how many final episodes DDR averages.
        seeds: the runs by name.
        fresh: of each run, the part of the moves in the window of which it had learned nothing.

    >>> settling_of([[0.5, 0.52] * 20, [0.51, 0.5] * 20], 20, (1, 2))[1]
    ''
    >>> settling_of([[0.01 * episode for episode in range(40)]], 20, (1,))[1]
    'the mean of the runs moved by +0.200 in the last 40 episodes; seed 1 may have moved by 0.257'
    """
    length = min(window, len(means[0]) // 2)
    levels = [math.fsum(row[-window:]) / window for row in means]
    middle = median(levels)
    moved = [_moved(row, length) for row in means]
    drift = math.fsum(change for change, _ in moved) / len(moved)
    n_batches = min(N_BATCHES, length)
    quantile = student_quantile(LEVEL, min(2 * (n_batches - 1), MANY)) if length > 1 else math.inf
    unrest = [abs(change) + quantile * noise for change, noise in moved] if length > 1 else []
    settling = Settling(
        fresh=math.fsum(fresh) / len(fresh) if fresh else None,
        drift=drift,
        unrest=max(unrest, default=None),
        apart=max(abs(level - middle) for level in levels),
    )
    doubts = []
    if settling.fresh is not None and settling.fresh > FRESH:
        doubts.append(f"{percent(settling.fresh)} of the moves behind it had never been learned")
    if not unrest:
        return settling, "; ".join([*doubts, f"a run of {len(means[0])} episodes is too short to tell"])
    explained = student_quantile(LEVEL, min(2 * (n_batches - 1) * len(moved), MANY)) * _together(moved)
    if abs(drift) > max(DRIFT, explained):
        doubts.append(f"the mean of the runs moved by {drift:+.3f} in the last {2 * length} episodes")
    if max(unrest) > TOLERANCE:
        doubts.append(f"seed {seeds[unrest.index(max(unrest))]} may have moved by {max(unrest):.3f}")
    if settling.apart > TOLERANCE:
        furthest = max(range(len(levels)), key=lambda i: abs(levels[i] - middle))
        doubts.append(f"seed {seeds[furthest]} is at {levels[furthest]:.3f}, the middle run at {middle:.3f}")
    return settling, "; ".join(doubts)


def contradiction(
    low: float, high: float, perfect: tuple[float, float], tremble: float | None, epsilon: float
) -> str:
    """Why perfect play contradicts a DDR between ``low`` and ``high``; empty if it does not.

    Args:
        perfect: certified bounds of DDR*.
        tremble: what perfect play keeps that errs in a part ``epsilon`` of its moves; while that is not known
            and there is exploration, nothing can be said.

    >>> contradiction(0.20, 0.34, (0.93, 0.93), 0.88, 0.1)
    'perfect play keeps 0.880 to 0.930'
    >>> contradiction(0.52, 0.55, (0.25, 0.25), 0.72, 0.1)
    ''
    """
    if tremble is None:
        if epsilon:
            return ""
        tremble = perfect[0]
    least, most = min(perfect[0], tremble), max(perfect[1], tremble)
    if low > most + TOLERANCE or high < least - TOLERANCE:
        return f"perfect play keeps {least:.3f} to {most:.3f}"
    return ""


def _moved(row: Sequence[float], length: int) -> tuple[float, float]:
    """(Mean of the last ``length`` episodes less that of those before; the standard error of that)."""
    late, early = row[len(row) - length :], row[len(row) - 2 * length : len(row) - length]
    change = (math.fsum(late) - math.fsum(early)) / max(length, 1)
    return change, math.hypot(_noise(late), _noise(early))


def _noise(stretch: Sequence[float]) -> float:
    """The standard error of a mean over some episodes, by batch means."""
    n = min(N_BATCHES, len(stretch))
    if n < 2:
        return math.inf
    size = len(stretch) // n
    batches = [math.fsum(stretch[i * size : (i + 1) * size]) / size for i in range(n)]
    mean = math.fsum(batches) / n
    return math.sqrt(math.fsum((batch - mean) ** 2 for batch in batches) / (n - 1) / n)


def _together(moved: Sequence[tuple[float, float]]) -> float:
    """The standard error of the mean change."""
    return math.sqrt(math.fsum(noise * noise for _, noise in moved)) / len(moved)
