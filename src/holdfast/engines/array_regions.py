"""What the explicit engine keeps of a solved game: the rank of every position."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.product_tables import TURNS, Array, ProductTables
from holdfast.logic.expressions import Player
from holdfast.product import Position
from holdfast.solution import Reach

if TYPE_CHECKING:
    from holdfast.engines.diagram_regions import DiagramRegions


@dataclass(frozen=True)
class ArrayRegions:
    """Ranks of all positions outside U, −1 on W, by (turn, block, valuation); and the game as arrays."""

    tables: ProductTables
    ranks: Array = field(repr=False)

    @property
    def listable(self) -> bool:
        """Its positions are listed already."""
        return True

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""
        block = self.tables.blocks.number(position)
        if block is None:
            return 0
        found = int(self.ranks[TURNS.index(position.turn), block, self._index(position)])
        return found if found > 0 else None

    def safe_actions(self, position: Position) -> tuple[int, ...]:
        """Safe(v), ascending; empty outside W."""
        block = self.tables.blocks.number(position)
        if block is None or self.rank(position) is not None:
            return ()
        row = np.array([self._index(position)])
        moves = enumerate(self.tables.outcomes(self.ranks, position.turn, block, row))
        return tuple(action for action, (admissible, rank, _) in moves if admissible[0] and rank[0] < 0)

    def reach(self, budget: Budget = UNLIMITED) -> Reach:
        """R by breadth-first search, a turn at a time."""
        tables, n = self.tables, self.tables.n
        initial = tables.configuration.initial
        start, t = tables.blocks.number(initial), TURNS.index(initial.turn)
        assert start is not None
        seen = np.zeros((2, tables.blocks.n_blocks * n), dtype=bool)
        frontier = np.array([start * n + self._index(initial)])
        seen[t, frontier] = True
        n_permitted = 0
        while len(frontier):
            budget.tick(f"safe play: {int(seen.sum()):,} positions")
            entered = np.zeros(seen.shape[1], dtype=bool)
            for block in np.unique(frontier // n).tolist():
                rows = frontier[frontier // n == block] % n
                for admissible, rank, key in tables.outcomes(self.ranks, TURNS[t], block, rows):
                    safe = admissible & (rank < 0)
                    entered[key[safe]] = True
                    if TURNS[t] is Player.DEFENDER:
                        n_permitted += int(safe.sum())
            t = 1 - t
            frontier = np.flatnonzero(entered & ~seen[t])
            seen[t, frontier] = True
        return Reach(int(seen.sum()), int(seen[TURNS.index(Player.DEFENDER)].sum()), n_permitted)

    def as_arrays(self, budget: Budget = UNLIMITED) -> ArrayRegions:
        """Itself."""
        return self

    def as_diagrams(self, budget: Budget = UNLIMITED) -> DiagramRegions:
        """Solved again by the symbolic engine.

        Raises:
            InputError: for a tabulated game.
            LimitError: past the budget.
        """
        from holdfast.engines.symbolic import solve

        return solve(self.tables.configuration, budget).regions.as_diagrams(budget)

    def witness(self, settled: dict[Position, int] | None, budget: Budget = UNLIMITED) -> dict[str, Any]:
        """Numbers for each plane and valuation; see :mod:`holdfast.engines.array_witness`."""
        from holdfast.engines.array_witness import array_witness

        return array_witness(self, settled)

    def _index(self, position: Position) -> int:
        return self.tables.configuration.game.index(position.state)
