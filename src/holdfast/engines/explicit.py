"""The explicit engine: every position in an array, swept synchronously (alg:attractor).

The array runs over (turn, block, valuation), see :mod:`holdfast.engines.quotient`. An iteration visits only
the positions that are still undecided. Cost: O(k_max · (|V_D|·|Act_D| + |V_A|·|Act_A|)) gathers at worst;
memory: that of :mod:`holdfast.engines.product_tables`, and one rank for each position.
"""

from __future__ import annotations

import numpy as np

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.array_regions import ArrayRegions
from holdfast.engines.product_tables import TURNS, Array, ProductTables
from holdfast.errors import LimitError
from holdfast.logic.expressions import Player
from holdfast.product import Configuration
from holdfast.solution import Solution, known_so_far

CHUNK = 1 << 18


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
