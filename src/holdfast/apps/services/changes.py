"""A design changed: what would make it hold (``recommend``), and how much attack it bears (``frontier``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import DEFENSIBLE, REASONS_SECONDS, REFUSED, UNDECIDED
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from holdfast.design import (
        ChangedDesign,
        Frontier,
        LikelyFrontier,
        ProbabilityScale,
        Recommendation,
        Scale,
    )
    from holdfast.game import Configuration
    from holdfast.readings import Asked
    from holdfast.report import Document
    from holdfast.running import Backend
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution


@dataclass(frozen=True)
class RecommendationAnswer:
    """What to change, and the designs that come of it where a report shows them."""

    recommendation: Recommendation
    proposed: Sequence[ChangedDesign] = ()

    @property
    def coming(self) -> tuple[str, ...]:
        """What is still being worked out, in words; nothing of a whole answer."""
        return self.recommendation.awaited

    @property
    def exit_code(self) -> int:
        """Whether the design has what is asked for, or changes give it that."""
        remedies, likelier = self.recommendation.remedies, self.recommendation.likelier
        if likelier is not None and not likelier.designs:
            return UNDECIDED if likelier.undecided or not likelier.complete else REFUSED
        if remedies is None or remedies.sets:
            return DEFENSIBLE
        return UNDECIDED if remedies.unfinished else REFUSED


def recommend(
    scenario: Scenario,
    variant: str | None,
    *,
    kinds: Sequence[str] = (),
    max_cost: int | None = None,
    wanted: str = "held",
    cut_flows: bool = False,
    count_alike: bool = True,
    readings: Asked | None = None,
    shown: bool = False,
    engine: str = "auto",
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
    solved: Callable[[Solution], object] | None = None,
    tell: Callable[[RecommendationAnswer], object] | None = None,
) -> RecommendationAnswer:
    """What to change so that a design holds, or holds better; ``shown`` if a report draws what comes of it.

    Whoever waits is told part by part: ``tell`` is called with what is known, the verdict, the first set of
    changes that works or each change that is read, then the rest. The other arguments are those of
    :func:`holdfast.design.recommend`.
    """
    from holdfast.design import proposals, recommend as recommended

    recommendation = recommended(
        scenario,
        variant,
        kinds=kinds,
        max_cost=max_cost,
        wanted=wanted,
        cut_flows=cut_flows,
        count_alike=count_alike,
        readings=readings,
        engine=engine,
        budget=budget,
        backend=backend,
        solved=solved,
        tell=None if tell is None else lambda known: tell(RecommendationAnswer(known)),
    )
    if not shown:
        return RecommendationAnswer(recommendation)
    limited = budget.share(1.0, REASONS_SECONDS)
    return RecommendationAnswer(
        recommendation, proposals(recommendation, engine=engine, budget=limited, backend=backend)
    )


def patch(
    answer: RecommendationAnswer, sources: Sequence[Path] = (), *, budget: Budget = UNLIMITED
) -> dict[str, str]:
    """The first recommended set of changes as files, by name: a change request, and patches of its sources.

    Raises:
        InputError: where nothing is recommended, or for another model.
        PatchRefusedError: where sources cannot be patched; it has the change request.
    """
    from holdfast.models import DesignChange, patch_files

    advice = answer.recommendation
    remedies, better = advice.remedies, advice.improvements
    sets = [one.changes for one in remedies.sets] if remedies is not None else []
    sets += [one.changes for one in better.front] if better is not None else []
    space = advice.space
    if not sets:
        raise InputError("there is no recommendation, so there is no change to write as a patch")
    if space.configuration.system.model != "network":
        raise InputError("patches are for networks; the changes of this model are in --json and --write")
    chosen = [i for i, change in enumerate(space.changes) if change.name in sets[0]]
    after = space.changed(chosen, budget)
    meanings = {one.name: one.part.means if one.part is not None else "" for one in space.changes}
    words = {name: meanings[name] for name in sets[0]}
    return patch_files(DesignChange(space.configuration, after, words), sources, budget)


@dataclass(frozen=True)
class FrontierAnswer:
    """How much attack designs bear.

    Attributes:
        frontier: the edge between what holds and what does not.
        reading: the key of what was read in each cell that holds; None for nothing.
        cells: what was read, by design, level and column.
    """

    frontier: Frontier
    reading: str | None = None
    cells: Mapping[tuple[str, int, int], float | None] | None = None

    @property
    def exit_code(self) -> int:
        """Whether all of it is known."""
        return UNDECIDED if any(one.unfinished for one in self.frontier.staircases) else DEFENSIBLE

    def document(self, source: str, lead: str, name: str = "") -> Document:
        """The answer for a person."""
        from holdfast.report import frontier_document

        return frontier_document(self.frontier, source, lead, self.readings, name)

    def figure(self) -> Figure:
        """Its heat maps."""
        from holdfast.report import frontier_figure

        return frontier_figure(self.frontier, self.readings)

    @property
    def readings(self) -> dict[tuple[str, int, int], str]:
        """What was read, as it is shown."""
        return {cell: self._short(value) for cell, value in (self.cells or {}).items()}

    def _short(self, value: float | None) -> str:
        """A reading as a cell has room for it."""
        from holdfast.readings import reading_of

        if value is not None and self.reading is not None and math.isinf(value):
            return reading_of(self.reading).written(value)
        return "–" if value is None else f"{value:.3g}"

    def to_object(self) -> dict[str, Any]:
        """The answer for a program, each reading with the numbers of its cell."""
        from holdfast.design import frontier_object, levels
        from holdfast.readings import reading_of

        fields = frontier_object(self.frontier)
        if self.cells is None or self.reading is None:
            return fields
        places, last = list(levels(self.frontier.scales)), self.frontier.scales[-1].values
        row = reading_of(self.reading)
        cells = [
            {"design": design, "at": [*places[level], last[column]], self.reading: row.plain(value)}
            for (design, level, column), value in self.cells.items()
        ]
        return fields | {"reading": self.reading, "cells": cells}


def frontier(
    designs: Mapping[str, Configuration],
    over: Sequence[Scale] | Sequence[str] = (),
    *,
    reading: str | None = None,
    engine: str = "auto",
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> FrontierAnswer:
    """Which combinations of numbers are defensible, and what is read in those that are.

    The other arguments are those of :func:`holdfast.design.frontier`.
    """
    from holdfast.design import cell_readings, frontier as frontier_of
    from holdfast.game import gathered

    forms = {label: gathered(each, engine, budget) for label, each in designs.items()}
    if all(each.system.gathered for each in forms.values()):  # their numbers are called alike
        designs = forms
    edge = frontier_of(designs, over, engine=engine, budget=budget, backend=backend)
    if reading is None:
        return FrontierAnswer(edge)
    cells = cell_readings(designs, edge, reading, engine=engine, budget=budget, backend=backend)
    return FrontierAnswer(edge, reading, cells)


@dataclass(frozen=True)
class LikelyFrontierAnswer:
    """How likely designs hold as one probability is moved."""

    frontier: LikelyFrontier

    @property
    def exit_code(self) -> int:
        """Whether all of it is known."""
        return UNDECIDED if any(one.unfinished for one in self.frontier.curves) else DEFENSIBLE

    def document(self, source: str, lead: str, name: str = "") -> Document:
        """The answer for a person."""
        from holdfast.report import likely_frontier_document

        return likely_frontier_document(self.frontier, source, lead, name)

    def figure(self) -> Figure:
        """Its curves."""
        from holdfast.report import likely_figure

        return likely_figure(self.frontier)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.design import likely_object

        return likely_object(self.frontier)


def likely_frontier(
    designs: Mapping[str, Configuration],
    over: ProbabilityScale,
    moves: int | None,
    least: float,
    *,
    engine: str = "auto",
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> LikelyFrontierAnswer:
    """How likely designs hold along a scale; the arguments are those of :func:`holdfast.likely_frontier`."""
    from holdfast.design import likely_frontier as found

    return LikelyFrontierAnswer(
        found(designs, over, moves=moves, least=least, engine=engine, budget=budget, backend=backend)
    )
