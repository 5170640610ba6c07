"""Ranks beside values of iteration from above, by which they bound how likely it is to hold for ever.

Let y be such values, in whole numbers, every step rounded up. A choice at v *falls* if the mean of y after
it, rounded up, is less than y(v), and *keeps* if it is y(v). Rank 0 have positions at which y is 1, or φ_D is
violated. A position has rank r + 1 at most if every choice of the defender there, or some admissible one of
the adversary, falls, or keeps and may lead to rank r. What follows from that is said and checked in
:mod:`holdfast.certificates.verify.bounds`.

Every position has a rank, after however many steps. Let y(v) be less than 1, and j the last step that changed
it: some choice of the adversary, or every one of the defender, was then worth y(v) at most. If since before
that step the values of all its outcomes have fallen, by one unit or more, then so has their mean, and the
choice falls. Else some outcome has kept its value since before step j, and the choice keeps or falls, as no
value has risen. So j is a rank. Those that are found here are the least, and few. The same is so where values
of positions that are lost with probability one were replaced by 0: they have ranks among themselves, since
the adversary may always come nearer to U without leaving them, and those come before all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast.arrays import Int64s, distinct
from holdfast.budget import Budget
from holdfast.logic import Player
from holdfast.operation.brackets.lanes import TurnBlock
from holdfast.operation.brackets.value_diagrams import (
    GROWTH_ABOVE,
    LARGEST,
    LEAST,
    MIXED_UP,
    SECOND,
    SUM_BELOW,
    constant,
)
from holdfast.operation.holding.value_steps import HoldGame, LaneValues

GOOD = -1
"""A choice that lowers value or rank, among places of values."""


class RankedValues:
    """Values with their ranks, each pair as one number.

    Attributes:
        pairs: for each lane, the place of the value among all, times :attr:`n_ranks`, plus the rank.
        distinct: all values, ascending.
        n_ranks: one more than the largest rank.
    """

    def __init__(self, game: HoldGame, values: LaneValues, budget: Budget) -> None:
        self._game, self._budget, self._lanes = game, budget, game.lanes
        self.distinct = np.zeros(1, np.int64)
        self._remapped(values, self._noted)
        # Twice the place of each value, so that there is room between two for what may come nearer.
        self._even = self._remapped(values, lambda own: 2 * np.searchsorted(self.distinct, own))
        self._odd = self._remapped(self._even, lambda own: own + 1)
        self._bad = 2 * len(self.distinct) + 2
        self._falls, self._keeps = dict[tuple[TurnBlock, int], int](), dict[tuple[TurnBlock, int], int]()
        for lane in self._lanes:
            self._compare(lane, values)
        self._inside = self._remapped(values, lambda own: (own >= game.scale).astype(np.int64))
        self._ranks = dict.fromkeys(self._lanes, constant(0))
        self.n_ranks = self._search()
        self.pairs = self._paired()

    def written(self, pair: int) -> str:
        """A pair as a certificate has it."""
        place, rank = divmod(pair, self.n_ranks)
        return f"{max(int(self.distinct[place]), 0)}:{rank}"

    def _noted(self, own: Int64s) -> Int64s:
        self.distinct = distinct(np.concatenate([self.distinct, own]))
        return own

    def _remapped(self, values: LaneValues, image: Callable[[Int64s], Int64s]) -> LaneValues:
        roots = self._game.table.remapped(list(values.values()), image)
        return dict(zip(values, roots, strict=True))

    def _compare(self, lane: TurnBlock, values: LaneValues) -> None:
        """For each gamble of a lane, where it falls and where it keeps."""
        game, table = self._game, self._game.table
        for number, gamble in enumerate(game.gambles[lane[0]]):
            self._budget.tick("comparing values")
            worth = game.drawn(gamble, game.goal(lane, gamble.kind, values, 2 * game.scale), MIXED_UP)
            lost = table.combined(GROWTH_ABOVE, values[lane], worth)
            (self._falls[lane, number],) = table.remapped([lost], lambda own: (own > 0).astype(np.int64))
            (self._keeps[lane, number],) = table.remapped([lost], lambda own: (own == 0).astype(np.int64))

    def _search(self) -> int:
        """Give ranks, one turn after the other, until nothing is left; one more than the largest."""
        game, rank, idle = self._game, 0, 0
        turn = Player.ADVERSARY
        while idle < len(Player):
            self._budget.tick(f"ranks of values: {rank}")
            self._tidy()
            rank += 1
            pairs = {
                lane: game.table.combined(SECOND, self._odd[lane], even, guard=self._inside[lane])
                for lane, even in self._even.items()
            }
            outside = self._remapped(self._inside, lambda own: 1 - own)
            known: dict[tuple[object, int], int] = {}
            fresh = [
                self._entered(lane, rank, pairs, outside, known) for lane in self._lanes if lane[0] is turn
            ]
            idle, turn = 0 if any(fresh) else idle + 1, turn.opponent
        assert all(inside == constant(1) for inside in self._inside.values()), "every position has a rank"
        return rank + 1

    def _entered(
        self,
        lane: TurnBlock,
        rank: int,
        pairs: LaneValues,
        outside: LaneValues,
        known: dict[tuple[object, int], int],
    ) -> bool:
        """Give a rank to what has one now, in one lane; whether there is any."""
        game, table, (turn, block) = self._game, self._game.table, lane
        if self._inside[lane] == constant(1) or game.product.blocks.is_sink(block):
            return False
        defends = turn is Player.DEFENDER
        kind, best = (LARGEST, constant(GOOD)) if defends else (LEAST, constant(self._bad))
        for letters, moves in game.moves[turn].items():
            goal = game.goal(lane, letters, pairs, self._bad)
            if (letters, goal) not in known:
                known[letters, goal] = table.best_after(kind, moves, goal, self._tick)
            best = table.combined(kind, best, known[letters, goal])
        for number, gamble in enumerate(game.gambles[turn]):
            self._tick()
            goal = game.goal(lane, gamble.kind, outside, 1)
            if ((number,), goal) not in known:
                near = game.drawn(gamble, goal, LEAST)
                (known[(number,), goal],) = table.remapped([near], lambda own: np.where(own, self._bad, GOOD))
            led = table.combined(
                SECOND, constant(self._bad), known[(number,), goal], guard=self._keeps[lane, number]
            )
            led = table.combined(SECOND, led, constant(GOOD), guard=self._falls[lane, number])
            best = table.combined(kind, best, led)
        room = table.combined(GROWTH_ABOVE, self._even[lane], best)
        (inside,) = table.remapped([room], lambda own: (own >= 0).astype(np.int64))
        inside = table.combined(LARGEST, inside, self._inside[lane])
        if inside == self._inside[lane]:
            return False
        fresh = table.combined(GROWTH_ABOVE, inside, self._inside[lane])
        self._ranks[lane] = table.combined(SECOND, self._ranks[lane], constant(rank), guard=fresh)
        self._inside[lane] = inside
        return True

    def _tick(self) -> None:
        self._budget.tick("ranks of values")

    def _tidy(self) -> None:
        """Let go of what is not needed any more."""
        table = self._game.table
        if not table.littered:
            return
        kept: tuple[dict[Any, int], ...] = (
            *(self._even, self._odd, self._inside, self._ranks),
            *(self._falls, self._keeps),
        )
        roots = iter(table.collect([root for own in kept for root in own.values()]))
        for own in kept:
            own.update({key: next(roots) for key in own})

    def _paired(self) -> LaneValues:
        n, high = self.n_ranks, len(self.distinct) * self.n_ranks
        places = self._remapped(self._even, lambda own: own // 2 * n)
        sum_of = self._game.table.combined
        return {
            lane: sum_of(SUM_BELOW, places[lane], self._ranks[lane], low=0, high=high) for lane in self._lanes
        }
