"""How likely a defense holds: what is known of it, with both ends proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.game import Interval


@dataclass(frozen=True)
class Hold:
    """The probability that φ_D is kept, the defender at its best against the worst admissible adversary.

    Attributes:
        forever: for ever, HOLD.
        moves: for so many moves of both players together, HOLD_T.
        lucky: whether the defender can keep φ_D for ever if chance is on its side; None if nobody asked.
        median: after how many moves φ_D is as likely violated as not; None where it may never be, or where
            the curve was not followed that far.
        mean: between which numbers of moves it is violated on average, the defender drawing the play out and
            the adversary hurrying; None where it may never be, or where that was not found out.
        exact: HOLD as a fraction such as ``19/20``; None where the game is too large for that.
        matters: by how much HOLD_T moves with the probability of success of a choice, as that falls; those
            that matter most first.
        matters_within: for how many moves that is: of those that were asked for, the number at which it is
            most open whether it holds.
        opening: the best first choice of whoever moves first, for as many moves; None where it was not found.
        curve: points of the survival curve, as far as it was followed.
        method: how it was found: ``listed`` position by position, or by ``diagrams``.
        seconds: how long it took.
    """

    forever: Interval[float]
    moves: Mapping[int, Interval[float]] = field(default_factory=dict)
    lucky: bool | None = None
    median: int | None = None
    mean: Interval[float] | None = None
    exact: str | None = None
    matters: Mapping[str, float] = field(default_factory=dict)
    matters_within: int | None = None
    opening: str | None = None
    curve: tuple[tuple[int, float], ...] = ()
    method: str = ""
    seconds: float | None = None
