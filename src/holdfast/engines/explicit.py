"""The explicit engine: every position in an array, swept synchronously (alg:attractor).

The array runs over (turn, block, valuation), see :mod:`holdfast.engines.quotient`. An iteration visits only
the positions that are still undecided. Cost: O(k_max · (|V_D|·|Act_D| + |V_A|·|Act_A|)) gathers at worst;
memory: that of :mod:`holdfast.engines.product_tables`, and one rank for each position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.product_tables import TURNS, Array, ProductTables
from holdfast.errors import LimitError
from holdfast.logic.expressions import Player
from holdfast.product import Configuration, Position
from holdfast.solution import Reach, Solution, known_so_far

if TYPE_CHECKING:
    from holdfast.engines.symbolic import DiagramRegions

CHUNK = 1 << 18


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
        """Numbers for each plane and valuation; see :mod:`holdfast.engines.witness`."""
        from holdfast.engines.witness import array_witness

        return array_witness(self, settled)

    def _index(self, position: Position) -> int:
        return self.tables.configuration.game.index(position.state)


def solve(configuration: Configuration, budget: Budget = UNLIMITED) -> Solution:
    """Solve by synchronous sweeps over arrays; factored and tabulated games alike.

    Raises:
        LimitError: when the arrays would not fit in the memory.
    """
    tables = ProductTables.build(configuration, budget)
    n_blocks = tables.blocks.n_blocks
    ranks = np.full((2, n_blocks, tables.n), -1, dtype=np.int32)
    undecided = [[np.arange(tables.n)] * n_blocks for _ in TURNS]
    shells: list[int] = []
    while True:
        try:
            found = [
                [
                    _attracted(tables, ranks, turn, block, rows, budget)
                    for block, rows in enumerate(undecided[t])
                ]
                for t, turn in enumerate(TURNS)
            ]
        except LimitError as stop:
            stop.known = known_so_far(configuration, shells, ArrayRegions(tables, ranks))
            raise
        absorbed = sum(
            int(mask.sum()) * tables.blocks.multiplicity(block)
            for side in found
            for block, mask in enumerate(side)
        )
        if not absorbed:
            break
        shells.append(absorbed)
        for t in range(2):
            for block, mask in enumerate(found[t]):
                rows = undecided[t][block]
                ranks[t, block, rows[mask]] = len(shells)
                undecided[t][block] = rows[~mask]
        budget.tick(f"rank {len(shells)}: {absorbed:,} positions")
    ranks.setflags(write=False)
    return Solution(configuration, "explicit", tuple(shells), ArrayRegions(tables, ranks))


def _attracted(
    tables: ProductTables, ranks: Array, turn: Player, block: int, rows: Array, budget: Budget
) -> Array:
    """Which of the undecided rows the next iteration absorbs."""
    masks = []
    for i in range(0, len(rows), CHUNK):
        budget.tick(f"{turn}, block {block + 1} of {tables.blocks.n_blocks}, row {i:,}")
        part = rows[i : i + CHUNK]
        lost = np.full(len(part), turn is Player.DEFENDER)
        for admissible, rank, _ in tables.outcomes(ranks, turn, block, part):
            if turn is Player.ADVERSARY:
                lost |= admissible & (rank >= 0)
            else:
                lost &= ~admissible | (rank >= 0)
        masks.append(lost)
    return np.concatenate(masks) if masks else np.zeros(0, dtype=bool)
