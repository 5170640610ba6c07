"""The winning region by effort and by grace, on arrays (:mod:`holdfast.solver.response` has the definitions).

Sets are arrays over (turn, block, valuation) as ranks are; a sweep visits only the positions that are still
open. Cost: a sweep takes one gather for each open position and action. Grace needs a sweep for each of its
values; a layer of effort as many as the longest attack that it withstands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Interventions, LayerCounts, Position
from holdfast.logic import Player
from holdfast.solver.product_tables import CHUNK, TURNS, ProductTables, chunks

if TYPE_CHECKING:
    from holdfast.solver.explicit import ArrayRegions

DEFENDER, ADVERSARY = TURNS.index(Player.DEFENDER), TURNS.index(Player.ADVERSARY)
LOST, ENDLESS = -2, -1
"""In place of a value: the position is not winning; the value is unbounded."""


class ArrayLayers:
    """Effort and grace of every position outside U, found when they are first asked for, and kept."""

    def __init__(self, regions: ArrayRegions, actions: Interventions) -> None:
        """Nothing is found yet."""
        self._regions, self._actions, self._winning = regions, actions, regions.ranks < 0
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
        start, counted = self._place(self._regions.tables.configuration.initial), self._actions.counted
        efforts = self._efforts(budget)
        if self._actions != counted:
            efforts = self._steps(budget).efforts(self._winning, counted, last=1)
        if 0 <= efforts[start] <= 1:
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

    def _place(self, position: Position) -> tuple[int, int, int]:
        tables = self._regions.tables
        block = tables.blocks.number(position)
        assert block is not None
        return TURNS.index(position.turn), block, tables.configuration.game.index(position.state)

    def _value(self, values: Array, position: Position) -> float | None:
        if self._regions.rank(position) is not None:
            return None
        found = int(values[self._place(position)])
        return math.inf if found == ENDLESS else found

    def _counts(self, values: Array, budget: Budget, reachable: bool) -> LayerCounts:
        blocks, counted = self._regions.tables.blocks, dict[int, int]()
        if reachable:
            values = np.where(self._regions.reached(budget)[0], values, LOST)
        for block in range(blocks.n_blocks):
            found, counts = np.unique(values[:, block], return_counts=True)
            for value, n in zip(found.tolist(), counts.tolist(), strict=True):
                counted[value] = counted.get(value, 0) + n * blocks.multiplicity(block)
        finite = tuple(sorted((value, n) for value, n in counted.items() if value >= 0))
        return LayerCounts(finite, counted.get(ENDLESS, 0))


class _Steps:
    """One-step questions about sets of positions, which are boolean arrays by (turn, block, valuation)."""

    def __init__(self, tables: ProductTables, actions: Interventions, budget: Budget) -> None:
        self.tables, self.actions, self.budget = tables, actions, budget
        self.idle, self.acting = self._only(actions.idle), self._only(actions.acting)

    def _only(self, actions: Sequence[int]) -> ProductTables:
        """The game in which the defender has some of its actions."""
        tables, own = self.tables, Player.DEFENDER
        successors = {**tables.successors, own: tables.successors[own][list(actions)]}
        kinds = {**tables.move_class, own: tuple(tables.move_class[own][a] for a in actions)}
        return replace(tables, successors=successors, move_class=kinds)

    def can_enter(self, tables: ProductTables, inside: Array, among: Array) -> Array:
        """The positions among the defender's from which one of its actions leads inside."""
        found = np.zeros_like(among)
        for block, rows in self._rows(among):
            entering = np.zeros(len(rows), dtype=bool)
            for admissible, after, _ in tables.outcomes(inside, Player.DEFENDER, block, rows):
                entering |= admissible & (after > 0)
            found[block, rows] = entering
        return found

    def must_enter(self, inside: Array, among: Array) -> Array:
        """The positions among the adversary's from which every admissible move leads inside."""
        found = among.copy()
        for block, rows in self._rows(among):
            entering = np.ones(len(rows), dtype=bool)
            for admissible, after, _ in self.tables.outcomes(inside, Player.ADVERSARY, block, rows):
                entering &= ~admissible | (after > 0)
            found[block, rows] = entering
        return found

    def _rows(self, among: Array) -> Iterable[tuple[Array, Array]]:
        keys = np.flatnonzero(among)
        for i, part in enumerate(chunks(keys)):
            self.budget.tick(f"response profile: position {i * CHUNK:,} of {len(keys):,}")
            yield np.divmod(part, self.tables.n)

    def graces(self, winning: Array) -> Array:
        """Grace by sets that shrink: who idles well for d turns more."""
        found, inside = np.where(winning, ENDLESS, LOST), winning.copy()
        for turns in range(winning.size + 1):
            after = self._later(inside)
            dropped = inside & ~after
            if not dropped.any():
                break
            found[dropped], inside = turns, after
        return found

    def _later(self, inside: Array) -> Array:
        """From where one idle turn, the next of the defender, leads into a set: a subset of it."""
        after = inside.copy()
        after[DEFENDER] = self.can_enter(self.idle, inside, inside[DEFENDER])
        after[ADVERSARY] = self.must_enter(after, inside[ADVERSARY])
        return after

    def efforts(self, winning: Array, actions: Interventions, last: float = math.inf) -> Array:
        """Effort, layer by layer; at most up to the layer ``last``."""
        found = np.where(winning, ENDLESS, LOST)
        free, priced = self._only(actions.free), {c: self._only(own) for c, own in actions.by_cost.items()}
        open_to, due = np.zeros_like(winning[DEFENDER]), {0}
        while due and min(due) <= last:
            level = min(due)
            due.remove(level)
            left = found == ENDLESS
            for cost, tables in priced.items():
                known = (found >= 0) & (found <= level - cost)
                open_to |= self.can_enter(tables, known, left[DEFENDER] & ~open_to)
            holds = self._kept(free, winning, left, open_to)
            if holds.any():
                found[holds] = level
                due |= {level + cost for cost in priced}
        return found

    def _kept(self, free: ProductTables, winning: Array, left: Array, open_to: Array) -> Array:
        """Who, of those left over, holds by free moves until it takes a way that is open to it."""
        decided = winning & ~left
        while True:
            kept = left.copy()
            kept[ADVERSARY] = self.must_enter(decided | left, left[ADVERSARY])
            bound = left[DEFENDER] & ~open_to
            kept[DEFENDER] &= open_to | self.can_enter(free, decided | kept, bound)
            if (kept == left).all():
                return left
            left = kept

    def tempo(self, winning: Array, start: tuple[int, int, int], most: int) -> int:
        """The largest number of turns, up to ``most``, for which one intervention suffices each time."""
        rested = [winning.copy()]  # for j, who holds if its next j turns must be idle
        for turns in range(2, most + 1):
            rested.append(self._later(rested[-1]))
            while True:
                free, mine = rested[0].copy(), rested[0][DEFENDER]
                free[DEFENDER] = self.can_enter(self.idle, rested[0], mine)
                free[DEFENDER] |= self.can_enter(self.acting, rested[-1], mine)
                free[ADVERSARY] = self.must_enter(free, free[ADVERSARY])
                if not free[start]:
                    return turns - 1
                if (free == rested[0]).all():
                    break
                rested[0] = free
                for j in range(1, turns):
                    rested[j] = rested[j] & self._later(rested[j - 1])
        return most
