"""Changed configurations, solved one after the other while their time lasts."""

from __future__ import annotations

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines import solve
from holdfast.product import Configuration
from holdfast.solution import Solution


class Trials:
    """A solver with limited patience.

    Args:
        engine: see :func:`holdfast.engines.solve`.
        budget: for all of them together.
    """

    def __init__(self, engine: str = "auto", budget: Budget = UNLIMITED) -> None:
        """Nothing is solved yet."""
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
