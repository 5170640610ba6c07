"""Configurations varied: their numbers and parts, margins, and the smallest repairs.

Making φ_D smaller, φ_A larger, or a system richer in :class:`~holdfast.game.system.Part` values never helps
the defender (prop:refinement). Everything here rests on that order.
"""

from __future__ import annotations

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Configuration
from holdfast.solver import Solution, solve


class Trials:
    """Changed configurations, solved one after the other while a budget for all of them lasts."""

    def __init__(self, engine: str = "auto", budget: Budget = UNLIMITED) -> None:
        self.engine, self.budget = engine, budget
        self.n_solved = 0

    def solve(self, configuration: Configuration) -> Solution:
        """Solve one more configuration.

        Raises:
            LimitError: when the time is over, or a limit of the engine is met.
        """
        self.n_solved += 1
        self.budget.tick()
        return solve(configuration, self.engine, self.budget.part(f"what if, {self.n_solved}"))
