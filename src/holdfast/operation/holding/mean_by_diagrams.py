"""The mean time to loss by value diagrams, where positions are too many to list.

With Ψ as in :mod:`holdfast.operation.holding.time_to_loss` and D the positions at which HOLD is 0
(:mod:`holdfast.solver.fairness`), the mean is finite on D and infinite elsewhere.

*What is proved.* Let u ≥ 0 be any bounded function on D, 0 on U, and ∞ outside of D.

- Above: if Ψ(u) ≤ u + r on D with r < 1, then w = (1 + ε) u with ε = r/(1 − r) has w ≥ Ψ(w). An adversary
  that does what is best for w is at U in the mean within w.
- Below: if Ψ(u) ≥ u − s on D, then w = (1 − ε) u with ε = s/(1 + s) has w ≤ Ψ(w). A defender that does what
  is best for w keeps φ_D for w in the mean: w is bounded, so that what is still to come vanishes where the
  mean is finite, and outside of D it has a strategy whose mean is not.

So both ends come from one more move, rounded up and down, whatever u is. A good u is made by iteration from
0; since what it lacks shrinks by the same factor λ from round to round in the end, it is added at once, as
λ/(1 − λ) times the last step, and iteration goes on from there.

*Numbers.* Values are whole, in units of which ``scale`` stands for ∞ and one in ``MOVES`` for a move. A
choice that leads to ∞ with probability p is then worth p · ``scale`` or more, and it is made sure that u is
less everywhere on D.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from holdfast.arrays import Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Interval
from holdfast.logic import Player
from holdfast.operation.brackets.value_diagrams import (
    GROWTH_BELOW,
    INFINITE,
    MIXED_DOWN,
    MIXED_UP,
    SECOND,
    SUM_ABOVE,
    constant,
)
from holdfast.operation.holding.time_to_loss import TIGHT, WIDEST
from holdfast.operation.holding.value_steps import HoldGame, LaneValues, hold_game, value_of
from holdfast.solver import DiagramPositions, Solution, almost_sure_positions, diagrams

MOVES = 1 << 26
"""So many moves would be for ever."""
MAX_ROUNDS = 20_000
FIRST_LOOK, LATER = 4, 1.3
"""After so many rounds the ends are looked for, and each time after so many times as many."""
PART = 1 << 10
"""The share of the last step that is added is counted in parts of one."""


def doomed_positions(solution: Solution, budget: Budget = UNLIMITED) -> DiagramPositions:
    """The positions outside of U at which HOLD is 0.

    Raises:
        LimitError: past the budget, or where the diagrams outgrow the memory.
        InputError: for a tabulated game.
    """
    winning = diagrams(solution, budget).winning()
    nothing = winning - winning
    return solution.cached(
        "doomed", lambda: almost_sure_positions(Player.ADVERSARY, nothing, ~winning, budget)
    )


def mean_by_diagrams(solution: Solution, budget: Budget = UNLIMITED) -> Interval[float] | None:
    """Between which numbers of moves the mean lies; None where it is infinite, or not known well enough.

    Raises:
        LimitError: past the budget, before anything is known.
    """
    lost = doomed_positions(solution, budget)
    if solution.configuration.initial not in lost:
        return None
    regions = diagrams(solution, budget)
    mean = _Mean(hold_game(regions.product, regions.winning(), budget), lost)
    try:
        mean.follow(budget)
    except LimitError:
        if mean.high is None:
            raise
    if mean.high is None or mean.high - mean.low > WIDEST * mean.high:
        return None
    return Interval(_below(mean.low), _above(mean.high))


class _Mean:
    """Iteration, as far as it has come; ``low`` and ``high`` are the ends that are proved by then."""

    def __init__(self, game: HoldGame, lost: DiagramPositions) -> None:
        self.game, table = game, game.table
        self.move = game.scale // MOVES
        self.lost = {(turn, block): table.set_of(lost[turn][block]) for turn, block in game.lanes}
        table.settle()
        never, nothing = constant(game.scale), constant(0)
        self.values = {
            lane: table.combined(SECOND, never, nothing, guard=own) for lane, own in self.lost.items()
        }
        drawn = (gamble.outcomes for own in game.gambles.values() for gamble in own)
        self.least_share = min((share for outcomes in drawn for share, _ in outcomes), default=Fraction(1))
        self.low = Fraction(0)
        self.high: Fraction | None = None

    def follow(self, budget: Budget) -> None:
        """Iterate until the ends are close, or a limit is met."""
        steps, due = [0, 0], FIRST_LOOK
        for n in range(1, MAX_ROUNDS):
            budget.tick(f"the mean time to loss: {2 * n:,} moves, at least {float(self.low):.0f}")
            before, value = self._kept(), value_of(self.game, self.values)
            self.values = self._round(self.values)
            steps = [steps[1], value_of(self.game, self.values) - value]
            if n < due and steps[1]:
                continue
            due = max(int(n * LATER), n + 2)
            self._add_what_is_lacking(before, steps)
            self._look()
            if self.high is not None and self.high - self.low <= TIGHT * self.high:
                return

    def _kept(self) -> LaneValues:
        """The values, after the garbage was collected if there is much."""
        table, lanes = self.game.table, self.game.lanes
        if table.littered:
            roots = table.collect([self.values[lane] for lane in lanes])
            self.values = dict(zip(lanes, roots, strict=True))
        return self.values

    def _round(self, values: LaneValues) -> LaneValues:
        """A move of each side more, first; of the side that moves second, from what that gives."""
        for turn in Player:
            values = {**values, **self._after(values, MIXED_DOWN, turn)}
        return values

    def _after(self, values: LaneValues, mixing: int, turn: Player | None = None) -> LaneValues:
        """Ψ, of one turn if it is given."""
        known: dict[tuple[Player, object, int], int] = {}
        combined, never, move = self.game.table.combined, constant(self.game.scale), constant(self.move)
        after = {}
        for lane in self.game.lanes:
            if turn in (None, lane[0]):
                best = self.game.best(lane, values, mixing, known)
                later = combined(SUM_ABOVE, best, move, low=-INFINITE, high=INFINITE)
                after[lane] = combined(SECOND, never, later, guard=self.lost[lane])
        return after

    def _add_what_is_lacking(self, before: LaneValues, steps: list[int]) -> None:
        """Add what iteration would still add, if its steps went on shrinking as the last two did."""
        first, last = steps
        if not 0 < last < first:
            return
        parts = PART * last // (first - last)
        table, lanes = self.game.table, self.game.lanes
        grown = [table.combined(GROWTH_BELOW, self.values[lane], before[lane]) for lane in lanes]
        most = max(table.extremes(root, INFINITE)[1] for root in grown)
        if most * parts >= self.game.scale * PART:
            return
        added = table.remapped(grown, partial(_times, parts))
        self.values = {
            lane: table.combined(SUM_ABOVE, self.values[lane], own, low=-INFINITE, high=INFINITE)
            for lane, own in zip(lanes, added, strict=True)
        }

    def _look(self) -> None:
        """The ends that are proved by one more move, if there are any."""
        table, values = self.game.table, self.values
        extremes = [table.extremes(own, self.game.scale) for own in values.values()]
        least, most = min(low for low, _ in extremes), max(high for _, high in extremes)
        if least < 0 or most + 2 * self.move >= self.least_share * self.game.scale:
            return
        value, move = Fraction(value_of(self.game, values)) / self.move, self.move
        more = Fraction(max(self._gap(self._after(values, MIXED_UP), values), 0)) / move
        less = Fraction(max(self._gap(values, self._after(values, MIXED_DOWN)), 0)) / move
        self.low = max(self.low, value / (1 + less))
        if more < 1:
            high = value / (1 - more)
            self.high = high if self.high is None else min(self.high, high)

    def _gap(self, ones: LaneValues, others: LaneValues) -> int:
        """How much larger some values are than others, at most."""
        table = self.game.table
        grown = (table.combined(GROWTH_BELOW, own, others[lane]) for lane, own in ones.items())
        return max(table.extremes(root, INFINITE)[1] for root in grown)


def _times(parts: int, values: Int64s) -> Int64s:
    """Some numbers times a share, rounded to what is nearer to 0."""
    return np.array([math.trunc(Fraction(int(value) * parts, PART)) for value in values], np.int64)


def _below(value: Fraction) -> float:
    """A fraction, or the next double below it."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, 0.0)


def _above(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)
