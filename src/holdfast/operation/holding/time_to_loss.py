"""The mean time to loss: how many moves the requirement is kept on average, where it is lost in the end.

The defender draws the play out, the adversary hurries. With Ψ(x)(v) one move more than the best that whoever
moves at v makes of x, the mean is the least fixed point of Ψ with the value 0 on U. It is finite where HOLD
is 0, and infinite elsewhere: what holds for ever with some probability has no mean.

*Below.* Iteration from 0 climbs to it. *Above.* Any x ≥ Ψ(x) is an upper bound. With y = Ψ(x) such a one is
(1 + ε) x for every ε at which ε covers what x still moves: Ψ((1 + ε) x) = 1 + (1 + ε)(y − 1). It is checked
in doubles, rounded upwards.
"""

from __future__ import annotations

import numpy as np

from holdfast.arrays import Bools, Floats
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Interval
from holdfast.operation.holding.choice_game import ChoiceGame
from holdfast.operation.holding.descent import doomed

TIGHT = 1e-6
"""Ends so close, as a part of the mean, are close enough."""
MAX_ROUNDS = 200_000
WIDEST = 1e-2
"""Ends farther apart than that, as a part of the mean, are not told."""


def mean_time(game: ChoiceGame, budget: Budget = UNLIMITED) -> Interval[float] | None:
    """Between which numbers of moves the mean lies; None where it is infinite, or not known well enough."""
    lost = doomed(game)
    if not lost[game.initial]:
        return None
    values, n_moves, moved = np.where(lost, 0.0, np.inf), 0, 1.0
    values = np.concatenate([values, [0.0, np.inf]])
    try:
        while moved > TIGHT / 4 and n_moves < MAX_ROUNDS:
            budget.tick(f"the mean time to loss: move {n_moves:,}")
            after = _one_more(game, values, lost)
            moved, n_moves = float((after[:-2][lost] - values[:-2][lost]).max()), n_moves + 1
            values = after
    except LimitError:  # what is known by then may do
        pass
    low = float(values[game.initial]) * (1 - n_moves * 2 * game.error)
    high = _above(game, values, lost, moved)
    if high is None or high - low > WIDEST * high:
        return None
    return Interval(low, high)


def _one_more(game: ChoiceGame, values: Floats, lost: Bools) -> Floats:
    """Ψ: the mean one move earlier; infinite where it is."""
    after = game.best(game.options(values)) + 1.0
    after[:-2][~lost] = np.inf
    after[game.n], after[game.n + 1] = 0.0, np.inf
    return after


def _above(game: ChoiceGame, values: Floats, lost: Bools, moved: float) -> float | None:
    """An upper bound of the mean: values that one move more does not raise."""
    rounding, longest = max(game.error, 2.0**-53), float(values[:-2][lost].max())
    for factor in (2.0, 16.0, 256.0):
        candidate = values * (1 + factor * max(moved, 8 * rounding * longest))
        needed = _one_more(game, candidate, lost) * (1 + 4 * rounding)
        if (candidate[:-2][lost] >= needed[:-2][lost]).all():
            return float(candidate[game.initial])
    return None
