"""Changed configurations solved, in the diagrams of the one that they come from, while a budget lasts."""

from __future__ import annotations

from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Configuration
from holdfast.solver import Solution, recovery_layers, solve, solve_like


class SolvedDesign:
    """A solved design, in whose diagrams changed ones are solved; in another process there is none."""

    def __init__(self, solution: Solution | None = None) -> None:
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def changed(self, design: Configuration, engine: str, budget: Budget) -> Solution:
        """A changed design, solved.

        Raises:
            LimitError: past the budget.
        """
        if self.solution is None:
            return solve(design, engine, budget)
        return solve_like(design, self.solution, engine, budget)


class Trials:
    """Changed configurations, solved one after the other while a budget for all of them lasts."""

    def __init__(
        self, engine: str = "auto", budget: Budget = UNLIMITED, base: SolvedDesign | None = None
    ) -> None:
        self.engine, self.budget, self.base = engine, budget, base or SolvedDesign()
        self.n_solved = 0

    def solve(self, configuration: Configuration) -> Solution:
        """Solve one more configuration.

        Raises:
            LimitError: when the time is over, or a limit of the engine is met.
        """
        self.n_solved += 1
        self.budget.tick()
        return self.base.changed(configuration, self.engine, self.budget.part(f"what if, {self.n_solved}"))


def forces(solution: Solution, goal: str, budget: Budget = UNLIMITED) -> bool:
    """Whether the defender of a design that holds can force a goal; again and again if it starts there.

    Raises:
        LimitError: past the budget.
    """
    layers, initial = recovery_layers(solution, goal), solution.configuration.initial
    moves = layers.rank(initial, budget)
    return layers.is_again(initial, budget) if moves == 0 else moves is not None
