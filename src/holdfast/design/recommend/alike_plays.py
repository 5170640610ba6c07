"""Designs that are played alike, read once.

Many changes of a held design make no difference in safe play, since the defense never lets the trouble come
to where they are: a filter on a link out of a host that is isolated at once, say. And two changes can make
the same difference. What such a design is worth was read before; only its verdict, with WIN and STP, is its
own (:mod:`holdfast.solver.variations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from holdfast.budget import Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.trials import SolvedDesign
from holdfast.errors import LimitError
from holdfast.game import Protocol
from holdfast.readings import Analysis, Asked, analysis_alike, can_be_alike, iter_analysis
from holdfast.solver import KnownPlay, Solution, is_solved_like, safe_play_of


def _not_told(chosen: AssumptionSet, known: Analysis) -> None:
    """For who does not ask for what is known before all is read."""


class _PlayLookup:
    """Safe play of a solved design, looked at when it is asked for; None where it cannot be compared."""

    def __init__(self, solution: Solution) -> None:
        self.solution, self.found = solution, list[KnownPlay | None]()

    def __call__(self, budget: Budget) -> KnownPlay | None:
        if not self.found:
            self.found.append(safe_play_of(self.solution, budget))
        return self.found[0]


class AlikePlays(SolvedDesign):
    """The designs that were read in this process, for others that are played alike."""

    def __init__(self, solution: Solution | None = None) -> None:
        """Nothing is read yet; the solution is that of the design as it is."""
        super().__init__(solution)
        self.tell: Callable[[AssumptionSet, Analysis], object] = _not_told
        self._known: dict[tuple[Asked, Protocol | None], list[tuple[_PlayLookup, Analysis]]] = {}

    @contextmanager
    def telling(self, tell: Callable[[AssumptionSet, Analysis], object]) -> Iterator[None]:
        """While it lasts, ``tell`` is called with the changes of each design and what is known of it."""
        self.tell = tell
        try:
            yield
        finally:
            self.tell = _not_told

    def read(
        self,
        solution: Solution,
        protocol: Protocol | None,
        asked: Asked,
        budget: Budget,
        tell: Callable[[Analysis], object] = lambda known: None,
    ) -> Analysis:
        """Readings of a solved design that need no training, as many as there is time for.

        ``tell`` is called with what is known as soon as there is more of it.
        """
        for play, analysis in self._known.get((asked, protocol), ()):
            if (known := play(budget)) is not None and known.is_that_of(solution):
                return analysis_alike(solution, analysis, asked, budget)
        found = read_solved((solution, protocol, asked), budget, tell)
        self._learn(solution, protocol, asked, found)
        return found

    def take_up(self, found: Analysis | None, protocol: Protocol | None, asked: Asked) -> None:
        """Take up what was read of the design as it is."""
        if self.solution is not None and found is not None:
            self._learn(self.solution, protocol, asked, found)

    def _learn(self, solution: Solution, protocol: Protocol | None, asked: Asked, found: Analysis) -> None:
        """Take up what was read of a solved design; its safe play is looked at when another may be alike."""
        whole = found.reachable is not None and not found.undecided
        if self.solution is None or not whole or not can_be_alike(solution, asked):
            return
        if is_solved_like(solution, self.solution):  # no other is ever solved in diagrams of its own
            self._known.setdefault((asked, protocol), []).append((_PlayLookup(solution), found))


def read_solved(
    task: tuple[Solution, Protocol | None, Asked],
    budget: Budget,
    tell: Callable[[Analysis], object] = lambda known: None,
) -> Analysis:
    """Readings of a solved design that need no training, as many as there is time for."""
    solution, protocol, asked = task
    stages = iter_analysis(solution, protocol, asked, budget=budget)
    known = next(stages)
    try:
        while (more := next(stages, None)) is not None:
            known = more
            tell(known)
    except LimitError as limit:
        return replace(known, undecided=str(limit))
    return known
