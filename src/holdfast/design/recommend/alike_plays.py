"""Designs that are played alike, read once.

Many changes of a held design make no difference in safe play, since the defense never lets the trouble come
to where they are: a filter on a link out of a host that is isolated at once, say. And two changes can make
the same difference. What such a design is worth was read before; only its verdict, with WIN and STP, is its
own (:mod:`holdfast.solver.variations`).
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.budget import Budget
from holdfast.design.trials import SolvedDesign
from holdfast.errors import LimitError
from holdfast.game import Protocol
from holdfast.readings import Analysis, Asked, analysis_alike, can_be_alike, iter_analysis
from holdfast.solver import KnownPlay, Solution, safe_play_of


class AlikePlays(SolvedDesign):
    """The designs that were read in this process, for others that are played alike."""

    def __init__(self, solution: Solution | None = None) -> None:
        """Nothing is read yet; the solution is that of the design as it is."""
        super().__init__(solution)
        self._known: dict[tuple[Asked, Protocol | None], list[tuple[KnownPlay, Analysis]]] = {}

    def read(self, solution: Solution, protocol: Protocol | None, asked: Asked, budget: Budget) -> Analysis:
        """Readings of a solved design that need no training, as many as there is time for."""
        for play, analysis in self._known.get((asked, protocol), ()):
            if play.is_that_of(solution):
                return analysis_alike(solution, analysis, asked, budget)
        found = read_solved((solution, protocol, asked), budget)
        self._learn(solution, protocol, asked, found, budget)
        return found

    def take_up(
        self, found: Analysis | None, protocol: Protocol | None, asked: Asked, budget: Budget
    ) -> None:
        """Take up what was read of the design as it is."""
        if self.solution is not None and found is not None:
            self._learn(self.solution, protocol, asked, found, budget)

    def _learn(
        self, solution: Solution, protocol: Protocol | None, asked: Asked, found: Analysis, budget: Budget
    ) -> None:
        """Take up what was read of a solved design."""
        whole = found.reachable is not None and not found.undecided
        if self.solution is None or not whole or not can_be_alike(solution, asked):
            return
        play = safe_play_of(solution, budget)
        if play is not None:
            self._known.setdefault((asked, protocol), []).append((play, found))


def read_solved(task: tuple[Solution, Protocol | None, Asked], budget: Budget) -> Analysis:
    """Readings of a solved design that need no training, as many as there is time for."""
    solution, protocol, asked = task
    stages = iter_analysis(solution, protocol, asked, budget=budget)
    known = next(stages)
    try:
        while (more := next(stages, None)) is not None:
            known = more
    except LimitError as limit:
        return replace(known, undecided=str(limit))
    return known
