"""Trajectories of training (sec:demo-trajectory): the mean of μ by episode, smoothed, and where two cross.

The smoothed value of an episode is the mean over the last n episodes up to it, or over all there are before
the n-th: no later episode enters, so the end of a curve is the settled value. Two curves cross for good after
the last episode in which the first is not below the second. Episodes are counted from 1; the paper counts
from 0, so the episode number it gives for the first one below (1,769) is that of the last one not below here.
"""

from __future__ import annotations

import numpy as np

from holdfast.arrays import Floats
from holdfast.errors import InputError

SMOOTHING = 25
"""Episodes in the trailing mean of fig:trajectories."""


def smoothed(means: Floats, n: int = SMOOTHING) -> Floats:
    """The trailing mean over ``n`` episodes, along the last axis; the shape stays.

    >>> smoothed(np.array([4.0, 2.0, 6.0, 1.0]), 2).tolist()
    [4.0, 3.0, 4.0, 3.5]

    Raises:
        InputError: for an ``n`` below 1.
    """
    if n < 1:
        raise InputError(f"a mean over {n} episodes is not defined; smooth over 1 or more")
    values = np.asarray(means, dtype=np.float64)
    episodes = values.shape[-1]
    # The sum starts from 0 anew for each curve, so equal curves stay equal to the last bit.
    sums = np.concatenate([np.zeros((*values.shape[:-1], 1)), np.cumsum(values, axis=-1)], axis=-1)
    last = np.arange(1, episodes + 1)
    first = np.maximum(last - n, 0)
    return np.asarray((sums[..., last] - sums[..., first]) / (last - first))


def crossing(one: Floats, other: Floats, n: int = SMOOTHING) -> int | None:
    """The episode after which ``one``, once above ``other``, stays below it; None if there is none.

    Args:
        one, other: means over the seeds, shape (episodes,) of the same length.
        n: smoothing, see :func:`smoothed`.

    >>> falling, level = np.array([3.0, 1.0, 3.0, 1.0, 1.0]), np.full(5, 2.0)
    >>> crossing(falling, level, 1), crossing(level, falling, 1), crossing(level, level, 1)
    (3, None, None)

    Raises:
        InputError: for curves of different lengths.
    """
    if one.ndim != 1 or one.shape != other.shape:
        raise InputError(
            f"curves of shapes {one.shape} and {other.shape} cannot cross; give two of one length, "
            "each the mean over its seeds"
        )
    gap = smoothed(one, n) - smoothed(other, n)
    not_below = np.flatnonzero(gap >= 0)
    if not (gap > 0).any() or not_below[-1] == len(gap) - 1:
        return None
    return int(not_below[-1]) + 1
