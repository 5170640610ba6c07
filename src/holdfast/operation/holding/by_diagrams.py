"""HOLD_T and HOLD by value diagrams, where positions are too many to list.

As :mod:`holdfast.operation.holding.descent` says, in whole numbers: what is mixed is rounded up on the way
down from 1, so that each step is an upper bound; and a candidate for a lower bound is held to x ≤ Φ(x),
rounded down. Equal numbers mix to themselves exactly, so that nothing is lost where chance does not matter.

Beside it goes iteration from below, from 1 on W and 0 elsewhere: how likely the defender comes to W within so
many moves. Each of its steps is a lower bound, which is quick where v₀ is decided soon, however long values
elsewhere go on falling; where the adversary may keep play out of W for ever it does not close the bracket.
Where it stays at 0, it is asked whether the adversary comes to U with probability one: HOLD is 0 then, and
nobody waits for values to get there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import numpy as np

from holdfast.arrays import Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Interval
from holdfast.operation.brackets.value_diagrams import LARGEST, LEAST, MIXED_DOWN
from holdfast.operation.holding.descent import (
    CLOSE,
    FIRST_TRY,
    MAX_MOVES,
    MEDIAN_MOVES,
    MORE,
    Followed,
    median_of,
)
from holdfast.operation.holding.mean_by_diagrams import doomed_positions
from holdfast.operation.holding.value_steps import HoldGame, LaneValues, hold_game, value_of
from holdfast.solver import Solution, diagrams

REPAIRS = 40
DOOMED, MEDIAN = 0.25, 0.4
"""Of the time that is left, what may be spent on whether HOLD is 0, and on the median time to loss."""
GIVEN_UP = 1e-4
"""A candidate that has to be lowered by more at v₀ is none."""
PATIENCE = 64
"""Iteration from below is given up where so many moves do not raise the value of v₀."""
SETTLING, NEARLY = 20, 1e-6
"""The values have nearly settled where so many moves change that of v₀ by no more."""


def followed_by_diagrams(
    solution: Solution, moves: Sequence[int] = (), forever: bool = True, budget: Budget = UNLIMITED
) -> Followed:
    """HOLD_T for some T, and HOLD if it is asked for; of a game whose v₀ is not in U.

    Raises:
        LimitError: past the budget; what it knows has the brackets so far.
        InputError: for a tabulated game.
    """
    return following(solution, moves, budget).whole(moves, forever, budget)


def following(solution: Solution, moves: Sequence[int], budget: Budget) -> Following:
    """The iteration that followed_by_diagrams makes, before its first step."""
    regions = diagrams(solution, budget)
    even = all(t % 2 == 0 for t in moves)
    game = hold_game(regions.product, regions.winning(), budget)

    def hopeless() -> bool:
        return solution.configuration.initial in doomed_positions(solution, budget.share(DOOMED))

    return Following(game, even, hopeless)


class Following:
    """Iteration from above, as far as it has come.

    HOLD_T of v₀ needs HOLD of the other turn for T − 1 moves, and so on: where all that is asked are even
    numbers of moves, each step looks at one turn only.

    Attributes:
        values: of iteration from above, x ≥ Φ(x).
        low: the best lower bound of HOLD at v₀ so far.
        lowest: values x ≤ Φ(x) that prove it.
        doomed: whether HOLD is known to be 0.
    """

    def __init__(self, game: HoldGame, alternating: bool, hopeless: Callable[[], bool]) -> None:
        self.game, self.values, self.n_moves, self.alternating = game, game.start(), 0, alternating
        self.hopeless, self.doomed = hopeless, False
        self.curve, self.low, self.n_same = [1.0], 0, 0
        self.floor, self.risen = game.won_alone(), 0
        self.lowest = self.floor
        self.turn = game.product.configuration.initial.turn.opponent
        self.due = FIRST_TRY

    @property
    def stable(self) -> bool:
        """Whether nothing moves any more."""
        return self.n_same >= 1 + self.alternating

    @property
    def closed(self) -> bool:
        """Whether both ends of HOLD have met, so that more moves would say no more."""
        return value_of(self.game, self.values) - self.low <= CLOSE * self.game.scale

    def ask(self) -> None:
        """Whether HOLD is 0, where it may be and that can be found out."""
        if not self.low:
            with suppress(LimitError):
                self.doomed = self.hopeless()

    def whole(self, moves: Sequence[int], forever: bool, budget: Budget) -> Followed:
        """Follow it as far as is asked."""
        wanted, within = sorted(set(moves)), dict[int, Interval[float]]()
        try:
            for t in wanted:
                self.come_to(t, budget)
                within[t] = self.bracket(t)
            if forever:
                self.close(budget)
        except LimitError as stop:
            stop.known = {"hold": self.answer(within)}
            raise
        lucky, median = self.lucky(budget), None
        if forever and self.upper() < 0.5:
            with suppress(LimitError):  # it may take long
                median = self.median(budget.share(MEDIAN))
        return self.answer(within)._replace(lucky=lucky, median=median)

    def come_to(self, moves: int, budget: Budget) -> None:
        """Follow it for so many moves, or until more would say no more."""
        while self.n_moves < moves and not self.stable and not self.closed:
            self.step(budget)
            self.look_below(budget)

    def close(self, budget: Budget) -> None:
        """Follow it until both ends of HOLD meet, or it is known to be 0."""
        if not self.closed:
            self.ask()
        while not self.closed and not self.doomed:
            if self.stable or self.n_moves > MAX_MOVES:
                self.lower(budget)
                break
            self.step(budget)
            self.look_below(budget)

    def answer(self, within: dict[int, Interval[float]]) -> Followed:
        """What is known by now."""
        low = _below(self.low, self.game.scale)
        return Followed(within, Interval(low, max(low, self.upper())), self.curve, np.zeros(0), np.zeros(0))

    def median(self, budget: Budget) -> int | None:
        """After how many moves v₀ is more likely lost than not; None if not within :data:`MEDIAN_MOVES`."""
        while self.curve[-1] >= 0.5 and self.n_moves < MEDIAN_MOVES and not self.stable:
            self.step(budget)
        median = median_of(self.curve)
        if not median or not self.alternating:
            return median
        # The curve knows even numbers of moves: for the odd one before, the turns are taken the other way.
        values, turn = self.game.start(), self.game.product.configuration.initial.turn
        for _ in range(median - 1):
            budget.tick("the median time to loss")
            (values,) = self._collected(values)
            values, turn = {**values, **self.game.after(values, turn=turn)}, turn.opponent
        return median - (value_of(self.game, values) / self.game.scale < 0.5)

    def _collected(self, *kept: LaneValues) -> list[LaneValues]:
        """The values that are kept and these, after the garbage was collected if there is much."""
        table, lanes = self.game.table, self.game.lanes
        if not table.littered:
            return list(kept)
        whole = [self.values, self.floor, self.lowest, *kept]
        roots = iter(table.collect([own[lane] for own in whole for lane in lanes]))
        self.values, self.floor, self.lowest, *moved = ({lane: next(roots) for lane in lanes} for _ in whole)
        return moved

    def lucky(self, budget: Budget) -> bool:
        """Whether φ_D can be kept for ever if chance is on the defender's side."""
        if self.low:
            return True
        game, before, values = self.game, LaneValues(), self.game.start()
        while values != before and value_of(game, values):
            budget.tick("with luck")
            before, values = values, game.after(values, LARGEST)
        return bool(value_of(game, values))

    def step(self, budget: Budget) -> None:
        """One move more."""
        budget.tick(f"move {self.n_moves:,}")
        self._collected()
        after = {**self.values, **self.game.after(self.values, turn=self.turn if self.alternating else None)}
        self.n_same = self.n_same + 1 if after == self.values else 0
        self.values, self.n_moves = after, self.n_moves + 1
        self.climb()
        self.turn = self.turn.opponent
        self.curve.append(value_of(self.game, after) / self.game.scale)

    def climb(self) -> None:
        """One move more from below, while that helps."""
        if self.n_moves > self.risen + PATIENCE:
            return
        self.floor = {**self.floor, **self.game.after(self.floor, MIXED_DOWN, self.turn)}
        value = value_of(self.game, self.floor)
        if value > self.low:
            self.low, self.lowest, self.risen = value, self.floor, self.n_moves

    def upper(self) -> float:
        """What HOLD is at most."""
        return 0.0 if self.doomed else _above(value_of(self.game, self.values), self.game.scale)

    def bracket(self, moves: int) -> Interval[float]:
        """What is proved of HOLD_T, after T moves or where the ends have met before."""
        value = value_of(self.game, self.values)
        least = max(value - self.n_moves * self.game.error, 0)
        if moves > self.n_moves and not self.stable:
            least = self.low
        return Interval(_below(max(least, self.low), self.game.scale), _above(value, self.game.scale))

    def look_below(self, budget: Budget) -> None:
        """Now and then, where the values have nearly settled, look for a bound from below."""
        if self.n_moves < self.due or (self.alternating and self.n_moves % 2):
            return
        settled = self.curve[-1 - SETTLING] - self.curve[-1] <= NEARLY if self.n_moves > SETTLING else False
        self.due = int(self.n_moves * (MORE if settled else 1.1)) + 2
        if settled:
            self.lower(budget)

    def lower(self, budget: Budget) -> None:
        """Look for a better lower bound of HOLD at v₀, from values a little below those that there are."""
        game, value = self.game, value_of(self.game, self.values)
        lanes, roots = game.lanes, [self.values[lane] for lane in self.game.lanes]
        before = self.curve[-1] if self.stable else self.curve[max(0, len(self.curve) - 3)]
        moving = int((before - self.curve[-1]) * game.scale)
        # What rounding up has set apart is put together first, and more than that if it does not suffice.
        for tolerance in (max(1 << 8, 64 * moving), max(1 << 16, 4096 * moving)):
            for bend in (1e-9, 1e-6, 1e-3):
                budget.tick("a bound from below")
                bent = game.table.remapped(roots, partial(_bent, game.scale, tolerance, bend))
                kept = self._held_to(dict(zip(lanes, bent, strict=True)), budget)
                if kept is not None:
                    if value_of(game, kept) > self.low:
                        self.low, self.lowest = value_of(game, kept), kept
                    break
            if value - self.low <= CLOSE * game.scale:
                break

    def _held_to(self, values: LaneValues, budget: Budget) -> LaneValues | None:
        """The values, lowered where they are above Φ of them, until they are not; None if it takes long."""
        combined, began = self.game.table.combined, value_of(self.game, values)
        for _ in range(REPAIRS):
            budget.tick("a bound from below")
            if began - value_of(self.game, values) > GIVEN_UP * self.game.scale:
                return None
            after = self.game.after(values, MIXED_DOWN)
            lesser = {lane: combined(LEAST, own, after[lane]) for lane, own in values.items()}
            if lesser == values:
                return values
            values = lesser
        return None


def _bent(scale: int, tolerance: int, bend: float, values: Int64s) -> Int64s:
    """Values a little lower, convexly: those close to the next one are first taken for the lowest of them."""
    begins = np.concatenate([[True], np.diff(values) > tolerance])
    lowest = values[begins][np.cumsum(begins) - 1]
    lowest[lowest <= tolerance] = 0
    share = lowest / scale
    bent = lowest - np.ceil(bend * share * (1 - share) * scale).astype(np.int64)
    bent[values == scale] = scale
    return np.asarray(np.maximum(bent, 0))


def _below(units: int, scale: int) -> float:
    """units/scale, or the next double below it."""
    value = units / scale
    return value if value * scale == units or not units else math.nextafter(value, 0.0)


def _above(units: int, scale: int) -> float:
    value = units / scale
    return value if value * scale == units else min(1.0, math.nextafter(value, 2.0))
