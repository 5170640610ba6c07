"""HOLD_T and HOLD of a listed game, as brackets that are proved.

With Φ(x)(v) the best that whoever moves at v makes of x one move later, HOLD_T = Φ^T(1), and HOLD is the
greatest fixed point of Φ with the value 0 on U.

*Above.* HOLD_T falls with T, so each of them is an upper bound of HOLD. Doubles are off by one rounding a
step at most (:attr:`ChoiceGame.error`), and Φ spreads no error, so that T steps are off by T roundings.

*Below.* Any x ≤ Φ(x) with x = 0 on U is a lower bound of HOLD. One is made of the values x that iteration
from above has come to: values that differ by less than they still move are one, the lowest of them, and then
x − ε x (1 − x) takes their place. That function is convex, so that the mean of what may be drawn loses less
than what is chosen, unless it is all the same: choices without chance keep their order, and gambles gain what
the iteration still owed. It is then held to x ≤ Φ(x) in doubles, with the error of a gamble taken off; what
fails is lowered to Φ(x), a few times. Loops in which play may rest need no care: they only bind values that
are equal. Should the bracket stay open, iteration goes on.

*Zero and one.* Positions of W hold for sure. Where the adversary can come to U with probability one, HOLD is
0: positions from which it never leaves the set of those, and may always come nearer to U.

Reference: Chatterjee, Henzinger, *A survey of stochastic ω-regular games* (2012); Hartmanns, Kaminski,
*Optimistic value iteration* (2020).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from holdfast.arrays import Bools, Floats
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Interval
from holdfast.operation.holding.choice_game import ChoiceGame

CLOSE = 1e-9
"""A bracket of HOLD so narrow is narrow enough."""
FIRST_TRY, MORE = 64, 1.5
"""After so many moves the first lower bound is tried, and each time after so many times as many."""
BENDS = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""What ε is tried, above."""
REPAIRS = 60
MAX_MOVES = 1_000_000
MEDIAN_MOVES = 100_000
"""So far the curve is followed to find when it is more likely to be broken than not."""


class Followed(NamedTuple):
    """What iteration from above has come to: HOLD_T at the moves asked for, and the bracket of HOLD.

    ``lucky`` is whether φ_D can be kept with luck, and ``median`` after how many moves it is more likely lost
    than not, where that was found out on the way.
    """

    moves: dict[int, Interval[float]]
    forever: Interval[float]
    curve: list[float]
    values: Floats
    lower: Floats
    lucky: bool | None = None
    median: int | None = None


@dataclass
class _Descent:
    """Iteration from above, as far as it has come."""

    game: ChoiceGame
    values: Floats
    n_moves: int = 0

    def step(self) -> float:
        """One move more; by how much a value fell at most."""
        after = self.game.after(self.values)
        moved = float(np.abs(after - self.values).max()) if self.game.n else 0.0
        self.values, self.n_moves = after, self.n_moves + 1
        return moved

    def at(self, position: int) -> Interval[float]:
        """What is proved of HOLD_T at a position."""
        return _around(float(self.values[position]), self.n_moves * self.game.error)


def _around(value: float, error: float) -> Interval[float]:
    low, high = value - error, value + error
    if error:
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    return Interval(min(max(low, 0.0), 1.0), max(min(high, 1.0), 0.0))


def followed(
    game: ChoiceGame, moves: Sequence[int] = (), forever: bool = True, budget: Budget = UNLIMITED
) -> Followed:
    """HOLD_T for some T, and HOLD if it is asked for.

    Raises:
        LimitError: past the budget; what it knows has the brackets so far.
    """
    descent, within, curve = _Descent(game, game.start()), dict[int, Interval[float]](), [1.0]
    wanted, lower, known = sorted(set(moves)), game.start(0.0), Interval(0.0, 1.0)
    try:
        within |= {0: descent.at(game.initial)} if 0 in wanted else {}
        for t in range(1, (wanted[-1] if wanted else 0) + 1):
            budget.tick(f"move {t:,}")
            moved = descent.step()
            curve.append(float(descent.values[game.initial]))
            if t in wanted:
                within[t] = descent.at(game.initial)
            if moved == 0.0:
                within |= {later: descent.at(game.initial) for later in wanted if later > t}
                break
        if forever:
            known, lower = _for_ever(game, descent.values.copy(), descent.n_moves, budget)
            while known.high < 0.5 <= curve[-1] and len(curve) < MEDIAN_MOVES:
                budget.tick(f"move {descent.n_moves:,}")
                descent.step()
                curve.append(float(descent.values[game.initial]))
    except LimitError as stop:
        best = min((within[t].high for t in within), default=1.0)
        stop.known = {
            "hold": Followed(
                within, Interval(0.0, best), curve, descent.values, lower, median=median_of(curve)
            )
        }
        raise
    return Followed(within, known, curve, descent.values, lower, median=median_of(curve))


def _for_ever(
    game: ChoiceGame, values: Floats, n_moves: int, budget: Budget
) -> tuple[Interval[float], Floats]:
    """The bracket of HOLD, and the lower bounds of all positions; from HOLD_T on."""
    descent = _Descent(game, values, n_moves)
    hopeless = doomed(game)
    if hopeless[game.initial]:
        return Interval(0.0, 0.0), game.start(0.0)
    high, due, best = descent.at(game.initial).high, max(FIRST_TRY, descent.n_moves), game.start(0.0)
    descent.values[:-2][hopeless] = 0.0
    while True:
        budget.tick(f"move {descent.n_moves:,}")
        moved = descent.step()
        if descent.n_moves < due and moved > 0.0:
            continue
        due = int(descent.n_moves * MORE)
        high = min(high, descent.at(game.initial).high)
        best = np.maximum(best, lower_values(game, descent.values, moved))
        low = float(best[game.initial])
        if high - low <= CLOSE or moved == 0.0 or descent.n_moves > MAX_MOVES:
            return Interval(low, max(low, high)), best


def lower_values(game: ChoiceGame, values: Floats, moved: float) -> Floats:
    """Values x ≤ Φ(x) a little below some that iteration from above has come to; the best that is found."""
    best, gap = game.start(0.0), max(64 * game.error, 4 * moved)
    for tolerance in dict.fromkeys((gap, 100 * gap, 1e4 * gap)):
        close = snapped(values, tolerance)
        for bend in BENDS:
            held = _held_to(game, close - bend * close * (1 - close))
            if held is not None:
                best = np.maximum(best, held)
                break
        if best[game.initial] >= values[game.initial] - CLOSE:
            break
    return best


def snapped(values: Floats, tolerance: float) -> Floats:
    """The values, those that are close to the next one together the lowest of them."""
    distinct, place = np.unique(values, return_inverse=True)
    begins = np.concatenate([[True], np.diff(distinct) > tolerance])
    lowest = distinct[begins][np.cumsum(begins) - 1]
    lowest[lowest <= tolerance] = 0.0
    lowest[distinct == 1.0] = 1.0
    return np.asarray(lowest[place])


def _held_to(game: ChoiceGame, values: Floats) -> Floats | None:
    """The values, lowered where they are above Φ of them, until they are nowhere; None if that takes long."""
    for _ in range(REPAIRS):
        after = game.best(game.at_least(values))
        above = values > after
        if not above.any():
            return values
        values = np.where(above, np.maximum(after, 0.0), values)
    return None


# -- zero and one -----------------------------------------------------------------------------------


def doomed(game: ChoiceGame) -> Bools:
    """The positions at which HOLD is 0.

    νY. μX. U and from where some choice of the adversary, or every one of the defender, stays in Y whatever
    is drawn, and may enter X.
    """
    inside = np.ones(game.n + 2, dtype=bool)
    inside[game.n + 1] = False
    while True:
        staying, reached = outcomes_inside(game, inside, np.min), np.zeros(game.n + 2, dtype=bool)
        reached[game.n] = True
        while True:
            entering = staying & outcomes_inside(game, reached, np.max)
            after = reached | ~chosen_by(game, ~entering)
            after[game.n], after[game.n + 1] = True, False
            if np.array_equal(after, reached):
                break
            reached = after
        if np.array_equal(reached, inside):
            return inside[:-2]
        inside = reached


def lucky(game: ChoiceGame) -> Bools:
    """The positions from which φ_D can be kept for ever if chance is on the defender's side."""
    inside = game.start() > 0
    while True:
        after = inside & chosen_by(game, outcomes_inside(game, inside, np.max))
        if np.array_equal(after, inside):
            return inside[:-2]
        inside = after


def outcomes_inside(game: ChoiceGame, inside: Bools, which: Callable[..., Bools]) -> Bools:
    """For each choice whether some outcome (``np.max``), or every one (``np.min``), is inside."""
    worth = inside[game.target]
    if len(game.gambles):
        neutral = which is np.min
        worth[game.gambles] = which(np.where(game.shares > 0, inside[game.drawn], neutral), axis=1)
    return np.asarray(worth)


def chosen_by(game: ChoiceGame, worth: Bools) -> Bools:
    """Where the defender has a choice that is worth it, and the adversary no other."""
    return np.asarray(game.best(worth.astype(float)) > 0)


def median_of(curve: Iterable[float]) -> int | None:
    """After how many moves it is more likely lost than not; None if it is not within the curve."""
    return next((t for t, value in enumerate(curve) if value < 0.5), None)
