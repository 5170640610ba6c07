"""DDR* as a result: a bracket, and how it was found. Plain numbers, which need no game to be read."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.game import Interval

EPISODE = "episode"
"""The method of :class:`OperatingPoint`: backward induction over one whole episode, exact."""

LEVELS = "levels"
"""The method of :class:`OperatingPoint`: diagrams of values, between certified bounds."""


@dataclass(frozen=True)
class OperatingPoint:
    """DDR*: what perfect play of both sides keeps, on average over an episode.

    Attributes:
        value: DDR*; None while all that is known is a bracket too wide to stand for one number.
        low, high: certified bounds of it; both are ``value`` where it was solved exactly.
        tremble: the same when each move is, with probability ``epsilon``, drawn from the safe ones; None
            where it was not solved.
        long_run: bounds of the mean of μ over endless perfect play.
        method: how it was found; :data:`EPISODE` is exact, :data:`LEVELS` certifies its bounds.
    """

    value: float | None
    low: float
    high: float
    tremble: float | None
    epsilon: float
    long_run: Interval[float] | None
    method: str
    seconds: float
