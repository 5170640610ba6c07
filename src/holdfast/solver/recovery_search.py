"""The recovery rank of one position, between bounds that close in on it.

The parts of W that are looked at are those of :mod:`holdfast.solver.surroundings`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from holdfast.budget import Budget
from holdfast.game import Position
from holdfast.solver.forcing import Excerpt, Forcing
from holdfast.solver.position_sets import PositionSet


class RankSearch:
    """The recovery rank of one position, between bounds that close in on it.

    Attributes:
        low, high: at least and at most so many moves.
        trap: in which the position is, if it never recovers.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.low, self.high = 0, math.inf
        self.ranks: tuple[PositionSet, ...] = ()
        self.trap: PositionSet | None = None

    @property
    def over(self) -> bool:
        """Whether the rank is known."""
        return self.trap is not None or self.low >= self.high

    def exactly(self, forcing: Forcing, budget: Budget) -> Iterator[int]:
        """Look through all of W."""
        return self._climb(forcing, budget, lower=True, upper=True)

    def within(self, parts: Iterable[Excerpt], budget: Budget, trapping: bool = False) -> Iterator[int]:
        """Look through some parts of W, from both sides; from below last where somebody is ``trapping``."""
        for part in parts:
            if self.position in part.inner:
                if not trapping:
                    yield from self._climb(part.conceded(budget), budget, lower=True)
                yield from self._climb(part.denied(budget), budget, upper=True)
                if self.high < math.inf:
                    yield from self._climb(part.conceded(budget), budget, lower=True)

    def caught(self, parts: Iterable[Excerpt], budget: Budget) -> Iterator[int]:
        """Look for a trap by the variables of some parts of W alone."""
        for part in parts:
            if self.position not in part.inner or self.high < math.inf:
                continue
            yield part.inner.size()
            confined = part.confined(budget)
            yield from self._climb(confined, budget)
            if confined.complete and self.position in confined.left:
                yield from self._climb(part.widened(budget), budget, lower=True)

    def _climb(
        self, forcing: Forcing, budget: Budget, lower: bool = False, upper: bool = False
    ) -> Iterator[int]:
        """Go from rank to rank until the position is found, and say after each how much there was to do."""
        k = 0
        while upper or k < self.high:
            if k == len(forcing.ranks):
                if forcing.complete:
                    self.trap = forcing.left if lower else None
                    return
                forcing.advance(budget)
                yield forcing.ranks[-1].size()
            elif self.position not in forcing.ranks[k]:
                k += 1
                self.low = max(self.low, k) if lower else self.low
            else:
                if upper and k < self.high:
                    self.high, self.ranks = k, tuple(forcing.ranks[: k + 1])
                return
