"""What to change: what makes a lost design hold at the least cost, or a held one hold better.

The design space (:mod:`~holdfast.design.recommend.space`) comes from the scenario file. A lost design is
answered by all minimal sets of changes that make it defensible (:mod:`~holdfast.design.recommend.remedies`);
so is one that lacks another property which is asked for, such as that the attacker can be got out
(:mod:`~holdfast.design.properties`). A design that has what is asked for is answered by what each change
does to its readings (:mod:`~holdfast.design.recommend.improvements`) and by what each of its parts carries
(:mod:`~holdfast.design.recommend.burdens`). For the first proposals it is said which single additions would
undo them (:mod:`~holdfast.design.recommend.robustness`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.properties import HELD, Property, property_named
from holdfast.design.recommend.alike_plays import AlikePlays
from holdfast.design.recommend.burdens import Burden, burdens, to_objects
from holdfast.design.recommend.changed_designs import IN_FULL, ChangedDesign, read_base, read_designs
from holdfast.design.recommend.improvements import Improvements, improvements
from holdfast.design.recommend.likelier import Likelier, likelier, likelier_object, likelihood_named
from holdfast.design.recommend.remedies import Remedies, droppable, remedies
from holdfast.design.recommend.robustness import MOST_ASKED, UndoneBy, undone_by, undone_object
from holdfast.design.recommend.space import DesignSpace, design_space
from holdfast.design.trials import SolvedDesign
from holdfast.game import Configuration, Displayed, Protocol
from holdfast.readings import Asked
from holdfast.running import Backend
from holdfast.scenario import Scenario, learning
from holdfast.solver import Solution, solve

__all__ = ["Recommendation", "design_space", "proposals", "recommend", "recommendation_object"]

LIKELIER, IMPROVEMENTS, BURDENS = (
    "what makes it likelier to hold",
    "what each change does",
    "what parts carry",
)
REMEDIES, DROPPABLE, UNDONE = "the cheapest changes", "what could be given up", "what would undo it"
ASKED_FOR = "whether it has what is asked for"
"""The parts of a recommendation, in words."""

MOST_PROPOSED = 3
"""Changed designs that are drawn beside the design as it is."""


@dataclass(frozen=True)
class Recommendation(Displayed):
    """What to change in a design.

    Attributes:
        space: what could be changed.
        defensible: whether the design holds as it is.
        rank: within how many moves it is lost; None if it holds.
        wanted: what is asked of the design.
        remedies: for a design that lacks it.
        droppable: clauses each of which alone gives it what it lacks if it is given up: never a design.
        improvements: for a design that has it.
        burdens: for such a design, what each of its parts carries.
        seconds: how long it took.
        solution: the design as it is, solved.
        likelier: for a lost design, where that is asked for: what makes it likelier to hold.
        undone: for the first proposals, and for a design that has what is asked for, what would undo it.
        awaited: what is still being worked out, in words; nothing of a whole recommendation.
    """

    space: DesignSpace
    defensible: bool
    rank: int | None
    wanted: Property
    remedies: Remedies | None
    droppable: tuple[str, ...]
    improvements: Improvements | None
    burdens: tuple[Burden, ...]
    seconds: float
    solution: Solution = field(repr=False, compare=False)
    undone: tuple[UndoneBy, ...] = ()
    likelier: Likelier | None = None
    awaited: tuple[str, ...] = ()

    @property
    def n_solved(self) -> int:
        """How many changed designs were solved to find out."""
        if self.likelier is not None:
            return self.likelier.n_read
        if self.improvements is None:
            return self.remedies.n_solved if self.remedies is not None else 0
        singles = {reading.changes for reading in self.improvements.singles}
        return self.improvements.n_read + sum(
            burden.without.changes not in singles for burden in self.burdens
        )


def recommend(
    scenario: Scenario | Configuration,
    variant: str | None = None,
    *,
    kinds: Collection[str] = (),
    max_cost: int | None = None,
    wanted: str = HELD.name,
    cut_flows: bool = False,
    count_alike: bool = False,
    readings: Asked | None = None,
    protocol: Protocol | None = None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    solved: Callable[[Solution], object] | None = None,
    tell: Callable[[Recommendation], object] | None = None,
) -> Recommendation:
    """What to change in a design.

    Args:
        scenario, variant: the design. A configuration is a design too; if it comes from a file, what the
            file says about changes counts, and else every link can be cut and every exposure closed.
        kinds: only changes of these kinds, such as ``cut`` and ``harden``.
        max_cost: how much may be spent; without it, a lost design gets its cheapest remedies, and a held one
            every single change.
        wanted: what the design must have: that it holds (``held``; with what is seen, where the file says
            what that is), that it holds and the attacker can be got
            out (``evict``), that it holds and all can be clean again (``recover``), or another of its goals;
            ``hold`` or ``hold@100``: that it is more likely to hold, for ever or for so many moves.
        cut_flows: whether what a flow needs may be taken away.
        count_alike: whether interchangeable hosts may be counted where that pays, no engine is named and the
            file lists no changes. A change is then one for all of them.
        readings: what is read of designs that have what is wanted; all that needs no training by default.
        protocol: of DDR*; the file's by default, and without a file the paper's.
        engine, budget, backend: as elsewhere.
        solved: called with the solution of the design as it is, before anything is changed.
        tell: called with what is known whenever there is more of it: the verdict, the first set of changes
            that works, then the rest; ``awaited`` says what is still to come.

    >>> from holdfast.scenario.reading import scenario_from_text
    >>> scenario = scenario_from_text('''
    ... holdfast: 1
    ... network: {hosts: [GW, Web, DB], links: [GW -> Web, Web -> DB, GW -> DB], entry: GW}
    ... specs: {defender: [G (DB = C)]}
    ... ''')
    >>> [remedy.changes for remedy in recommend(scenario).remedies.sets]
    [('cut GW -> DB',)]

    Raises:
        InputError: where nothing can be changed, for a goal that the design does not have, and for a
            configuration that was changed since it was loaded; ScenarioError for a mistake in the file.
        LimitError: when a limit leaves even the verdict undecided.
    """
    started = time.perf_counter()
    counts = count_alike and engine == "auto"
    space = design_space(scenario, variant, kinds, budget, cut_flows=cut_flows, count_alike=counts)
    likely = likelihood_named(space.configuration, wanted)
    asked = property_named(space.configuration, wanted) if likely is None else likely[0]
    solution = solve(space.configuration, engine, budget)
    if solved is not None:
        solved(solution)
    known = _Advice(space, solution, asked, started, tell)
    means: dict[str, Any] = {"engine": engine, "budget": budget, "backend": backend}
    if likely is not None and not solution.defensible:
        known.says(LIKELIER)
        return known.whole(likelier=likelier(space, solution, likely[1], max_cost, **means))
    known.says(ASKED_FOR)
    improved: Improvements | None = None
    remedied: Remedies | None = None
    if asked.holds(solution, budget):
        means |= {"protocol": protocol or _protocol(space), "asked": readings or IN_FULL}
        means["alike"] = AlikePlays(solution)
        hear = known.hearing("improvements", IMPROVEMENTS, BURDENS, UNDONE)
        improved = improvements(space, solution, max_cost, **means, tell=hear)
        known.says(BURDENS, UNDONE, improvements=improved)
        known.says(UNDONE, burdens=burdens(space, improved.singles, kinds, **means))
    else:
        hear = known.hearing("remedies", REMEDIES, DROPPABLE, UNDONE)
        remedied = remedies(space, max_cost, asked, base=SolvedDesign(solution), **means, tell=hear)
        known.says(DROPPABLE, UNDONE, remedies=remedied)
        known.says(UNDONE, droppable=tuple(droppable(space, asked, engine, budget)))
    proposed = _proposed(space, remedied, improved)
    return known.whole(undone=undone_by(space, solution, proposed, wanted, engine, budget))


@dataclass
class _Advice:
    """What is known of a recommendation by now, and who is told of it."""

    space: DesignSpace
    solution: Solution
    wanted: Property
    started: float
    tell: Callable[[Recommendation], object] | None
    fields: dict[str, Any] = field(default_factory=dict)
    awaited: tuple[str, ...] = ()

    def says(self, *awaited: str, **found: object) -> None:
        """Say what is known, some of it just found, and what is still to come."""
        self.awaited = awaited
        self.fields |= found
        if self.tell is not None:
            self.tell(self._recommendation())

    def hearing(self, name: str, *awaited: str) -> Callable[[Any], None] | None:
        """Says what is known at once, and is then called with a field whenever there is more of it."""
        self.says(*awaited)
        return None if self.tell is None else lambda found: self.says(*awaited, **{name: found})

    def whole(self, **found: object) -> Recommendation:
        """The recommendation, with the last of what was found."""
        self.fields |= found
        self.awaited = ()
        return self._recommendation()

    def _recommendation(self) -> Recommendation:
        solution = self.solution
        known = {"remedies": None, "droppable": (), "improvements": None, "burdens": ()} | self.fields
        return Recommendation(
            space=self.space,
            defensible=solution.defensible,
            rank=solution.initial_rank,
            wanted=self.wanted,
            seconds=time.perf_counter() - self.started,
            solution=solution,
            awaited=self.awaited,
            **known,
        )


def _proposed(
    space: DesignSpace, remedied: Remedies | None, improved: Improvements | None
) -> list[AssumptionSet]:
    """The first proposals, after the design as it is where that has what is asked for."""
    if improved is not None:
        return [frozenset(), *(one.chosen for one in improved.front[:MOST_ASKED])]
    assert remedied is not None
    numbers = {change.name: i for i, change in enumerate(space.changes)}
    return [frozenset(numbers[name] for name in one.changes) for one in remedied.sets[:MOST_ASKED]]


def _protocol(space: DesignSpace) -> Protocol:
    return Protocol() if space.scenario is None else learning(space.scenario, space.variant)


def proposals(
    recommendation: Recommendation,
    most: int = MOST_PROPOSED,
    *,
    protocol: Protocol | None = None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> tuple[ChangedDesign, ...]:
    """The design as it is and the best changed ones, with the readings for which there is time.

    Improvements were read before; remedies are read now.
    """
    if recommendation.likelier is not None:
        return ()
    if recommendation.improvements is not None:
        return (recommendation.improvements.base, *recommendation.improvements.front[:most])
    assert recommendation.remedies is not None
    space, numbers = (
        recommendation.space,
        {change.name: i for i, change in enumerate(recommendation.space.changes)},
    )
    sets = [
        frozenset(numbers[name] for name in remedy.changes) for remedy in recommendation.remedies.sets[:most]
    ]
    taken = protocol or _protocol(space)
    base = read_base(space, recommendation.solution, taken, budget, backend)
    return base, *read_designs(space, sets, taken, engine, budget, backend)


def recommendation_object(recommendation: Recommendation) -> dict[str, Any]:
    """The recommendation as plain data for JSON, as far as it is known."""
    data: dict[str, Any] = {
        "name": recommendation.space.configuration.name,
        "variant": recommendation.space.variant,
        "defensible": recommendation.defensible,
        "for": recommendation.wanted.name,
        "changes": [
            {"change": c.name, "kind": c.kind, "cost": c.cost, "means": c.part.means if c.part else ""}
            for c in recommendation.space.changes
        ],
        "repairs": [],
        "complete_to": None,
        "improvements": [],
        "robustness": [undone_object(each) for each in recommendation.undone],
        "n_solved": recommendation.n_solved,
        "seconds": recommendation.seconds,
    }
    if recommendation.space.configuration.system.gathered:
        data["counted"] = list(recommendation.space.configuration.system.gathered)
    if recommendation.space.flows_left(()):
        data["withheld"] = list(recommendation.space.withheld)
    if recommendation.likelier is not None:
        data["likelier"] = likelier_object(recommendation.likelier)
    if recommendation.remedies is not None:
        data |= {
            "repairs": [
                {"changes": list(r.changes), "cost": r.cost}
                | ({"moves": r.moves} if recommendation.wanted.goal else {})
                | _flows(recommendation.space, r.changes)
                for r in recommendation.remedies.sets
            ],
            "complete_to": recommendation.remedies.complete_to,
            "complete": recommendation.remedies.complete_to >= recommendation.remedies.total,
            "undecided": recommendation.remedies.unfinished or None,
            "droppable": list(recommendation.droppable),
        }
    if recommendation.improvements is not None:
        data |= {
            "base": _told(recommendation.improvements.base),
            "improvements": [
                _told(reading) | _flows(recommendation.space, reading.changes)
                for reading in recommendation.improvements.front
            ],
            "dominated": [
                _told(reading) | {"by": list(recommendation.improvements.front[i].changes)}
                for reading, i in recommendation.improvements.dominated
            ],
            "singles": [_told(reading) for reading in recommendation.improvements.singles],
            "burden": to_objects(recommendation.burdens, recommendation.improvements.base),
            "covered": recommendation.improvements.coverage,
            "complete": recommendation.improvements.complete,
        }
    return data


def _flows(space: DesignSpace, changes: Collection[str]) -> dict[str, Any]:
    """What changes, by their names, leave of each flow; nothing for a design without flows."""
    left = space.flows_left(changes)
    return {"flows": [{"flow": each.flow, "kept": each.kept} for each in left]} if left else {}


def _told(reading: ChangedDesign) -> dict[str, Any]:
    known = {"changes": list(reading.changes), "cost": reading.cost, "defensible": reading.defensible}
    rungs = None if reading.rungs_gained is None else list(reading.rungs_gained)
    return known | reading.values | {"rungs_gained": rungs, "undecided": reading.undecided or None}
