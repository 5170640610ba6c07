"""The winning region by effort and by grace, on arrays (:mod:`holdfast.solver.response` has the definitions).

Sets are those of :mod:`holdfast.solver.array_positions`; a sweep visits only the positions that are still
open. Cost: a sweep takes one gather for each open position and action. Grace needs a sweep for each of its
values; a layer of effort as many as the longest attack that it withstands.
"""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Interventions, LayerCounts, Position
from holdfast.logic import Player
from holdfast.solver.array_positions import ArrayPositions
from holdfast.solver.product_tables import ProductTables

if TYPE_CHECKING:
    from holdfast.solver.explicit import ArrayRegions

LOST, ENDLESS = -2, -1
"""In place of a value: the position is not winning; the value is unbounded."""


class ArrayLayers:
    """Effort and grace of every position outside U, found when they are first asked for, and kept."""

    def __init__(self, regions: ArrayRegions, actions: Interventions) -> None:
        """Nothing is found yet."""
        self._regions, self._actions, self._winning = regions, actions, regions.winning()
        self._found: dict[str, Array] = {}

    def effort(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """The least total cost with which the requirement can be kept from a position."""
        return self._value(self._efforts(budget), position)

    def grace(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """For how many of its own turns the defender may idle first."""
        return self._value(self._graces(budget), position)

    def efforts(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by effort, or those of R."""
        return self._counts(self._efforts(budget), budget, reachable)

    def graces(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by grace, or those of R."""
        return self._counts(self._graces(budget), budget, reachable)

    def tempo(self, budget: Budget = UNLIMITED) -> float:
        """The tempo of v₀."""
        start, counted = self._regions.tables.configuration.initial, self._actions.counted
        efforts = self._efforts(budget)
        if self._actions != counted:
            efforts = self._steps(budget).efforts(self._winning, counted, last=1)
        if 0 <= efforts[self._regions.tables.place(start)] <= 1:
            return math.inf
        return self._steps(budget).tempo(self._winning, start, 1 + (self.graces(budget).largest or 0))

    def _efforts(self, budget: Budget) -> Array:
        if "efforts" not in self._found:
            self._found["efforts"] = self._steps(budget).efforts(self._winning, self._actions)
        return self._found["efforts"]

    def _graces(self, budget: Budget) -> Array:
        if "graces" not in self._found:
            self._found["graces"] = self._steps(budget).graces(self._winning)
        return self._found["graces"]

    def _steps(self, budget: Budget) -> _Steps:
        return _Steps(self._regions.tables, self._actions, budget)

    def _value(self, values: Array, position: Position) -> float | None:
        if self._regions.rank(position) is not None:
            return None
        value = int(values[self._regions.tables.place(position)])
        return math.inf if value == ENDLESS else value

    def _counts(self, values: Array, budget: Budget, reachable: bool) -> LayerCounts:
        blocks, counted = self._regions.tables.blocks, dict[int, int]()
        if reachable:
            values = np.where(self._regions.reached(budget)[0], values, LOST)
        for block in range(blocks.n_blocks):
            distinct, counts = np.unique(values[:, block], return_counts=True)
            for value, n in zip(distinct.tolist(), counts.tolist(), strict=True):
                counted[value] = counted.get(value, 0) + n * blocks.multiplicity(block)
        finite = tuple(sorted((value, n) for value, n in counted.items() if value >= 0))
        return LayerCounts(finite, counted.get(ENDLESS, 0))


class _Steps:
    """One-step questions about sets of winning positions."""

    def __init__(self, tables: ProductTables, actions: Interventions, budget: Budget) -> None:
        self.tables, self.budget = tables, budget.part("response profile")
        self.idle, self.acting = tables.only(actions.idle), tables.only(actions.acting)

    def _ways(self, inside: ArrayPositions, among: ArrayPositions, by: ProductTables) -> ArrayPositions:
        """The defender's positions among some from which one of its actions leads inside."""
        return inside.pre(among.at(Player.DEFENDER), by=by, budget=self.budget)

    def _bound(self, inside: ArrayPositions, among: ArrayPositions) -> ArrayPositions:
        """The adversary's positions among some from which every admissible move leads inside."""
        return inside.cpre(among.at(Player.ADVERSARY), budget=self.budget)

    def graces(self, winning: ArrayPositions) -> Array:
        """Grace by sets that shrink: who idles well for d turns more."""
        values, inside = np.where(winning.inside, ENDLESS, LOST), winning
        for turns in count():
            after = self._later(inside)
            dropped = inside - after
            if not dropped:
                break
            values[dropped.inside], inside = turns, after
        return values

    def _later(self, inside: ArrayPositions) -> ArrayPositions:
        """From where one idle turn, the next of the defender, leads into a set: a subset of it."""
        kept = self._ways(inside, inside, self.idle)
        return kept | self._bound(kept, inside)

    def efforts(self, winning: ArrayPositions, actions: Interventions, last: float = math.inf) -> Array:
        """Effort, layer by layer; at most up to the layer ``last``."""
        values, only = np.where(winning.inside, ENDLESS, LOST), self.tables.only
        free, priced = only(actions.free), {c: only(own) for c, own in actions.by_cost.items()}
        open_to, due = winning - winning, {0}
        while due and min(due) <= last:
            level = min(due)
            due.remove(level)
            left = ArrayPositions(self.tables, values == ENDLESS)
            for cost, tables in priced.items():
                known = ArrayPositions(self.tables, (values >= 0) & (values <= level - cost))
                open_to |= self._ways(known, left - open_to, tables)
            holds = self._kept(free, winning, left, open_to)
            if holds:
                values[holds.inside] = level
                due |= {level + cost for cost in priced}
        return values

    def _kept(
        self, free: ProductTables, winning: ArrayPositions, left: ArrayPositions, open_to: ArrayPositions
    ) -> ArrayPositions:
        """Who, of those left over, holds by free moves until it takes a way that is open to it."""
        decided = winning - left
        while True:
            kept = self._bound(decided | left, left)
            kept = kept | left & open_to | self._ways(decided | kept, left - open_to, free)
            if kept == left:
                return left
            left = kept

    def tempo(self, winning: ArrayPositions, start: Position, most: int) -> int:
        """The largest number of turns, up to ``most``, for which one intervention suffices each time."""
        rested = [winning]  # for j, who holds if its next j turns must be idle
        for turns in range(2, most + 1):
            rested.append(self._later(rested[-1]))
            while True:
                inside = rested[0]
                free = self._ways(inside, inside, self.idle) | self._ways(rested[-1], inside, self.acting)
                free |= self._bound(free, inside)
                if start not in free:
                    return turns - 1
                if free == rested[0]:
                    break
                rested[0] = free
                for j in range(1, turns):
                    rested[j] &= self._later(rested[j - 1])
        return most
