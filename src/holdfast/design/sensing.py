"""Where to put sensors: all minimal sets with which a design holds although nothing else is seen.

More sensors never hurt, so a set is enough or not, and what contains one that is enough is enough. The search
is the one that repairs and breakers have (:class:`holdfast.design.repairs.Search`): a set that is not enough
is grown as far as it can be without being enough, and what is left outside is a core, of which every set that
is enough has something.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import UNASKED, AssumptionSet
from holdfast.design.repairs import Search
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, Displayed, Sight, with_sensors
from holdfast.running import Backend
from holdfast.solver import Solution, solve, solve_beliefs

MOST_SETS = 1_000
GROWTH_SECONDS = 5.0
"""What growing one set may take; a set that is grown less rules out less."""


@dataclass(frozen=True)
class SensorQuestion:
    """What is asked of sets of sensors: a design, and those that it could have."""

    configuration: Configuration
    sight: Sight
    names: tuple[str, ...]
    engine: str = "auto"


@dataclass(frozen=True)
class SensorSets(Displayed):
    """Where sensors are needed.

    Attributes:
        configuration: the design.
        defensible: whether it holds for a defender who sees everything; without that no sensor helps.
        sensors: what could be watched, each with its cost.
        minimal: the minimal sets that are enough, cheapest first.
        complete_to: every minimal set that costs no more is listed.
        enough: whether all sensors together are enough; None where that is not decided.
        n_solved: how many sets were tried.
        unfinished: why the search ended early; else empty.
    """

    configuration: Configuration
    defensible: bool
    sensors: Mapping[str, int]
    minimal: tuple[tuple[str, ...], ...]
    complete_to: int
    enough: bool | None
    n_solved: int
    seconds: float = field(compare=False)
    unfinished: str = ""

    def cost(self, names: tuple[str, ...]) -> int:
        """What some sensors cost."""
        return sum(self.sensors[name] for name in names)


def sensor_sets(
    configuration: Configuration,
    costs: Mapping[str, int] | None = None,
    *,
    max_cost: int | None = None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> SensorSets:
    """All minimal sets of sensors with which a design holds.

    Args:
        configuration: the design; the sensors that it has are left aside.
        costs: what a sensor costs; 1 where none is given.
        max_cost: up to which cost; that of all together if it is left out.
        engine, budget, backend: as elsewhere.

    Raises:
        InputError: for a system without sensors, and for a cost of something that is none.
        LimitError: when a limit leaves the verdict with full sight open.
    """
    started = time.perf_counter()
    sight = configuration.system.sight
    if sight is None or not sight.sensors:
        raise InputError("this system has no sensors to place; a game says what is seen under observes")
    names = tuple(sight.sensors)
    prices = {name: sight.costs.get(name, 1) for name in names} | dict(costs or {})
    with_sensors(sight, prices)  # refuses a name that is none
    most = sum(prices.values()) if max_cost is None else max_cost
    solution = solve(configuration, engine, budget)
    sets, unfinished = list[tuple[str, ...]](), ""
    enough: bool | None = solution.defensible
    search = Search(
        SensorQuestion(configuration, sight, names, engine),
        [prices[name] for name in names],
        budget,
        backend or Backend(),
        work=missed_sensors,
        images=NothingAlike(),
    )
    try:
        if solution.defensible:
            first = _missed(solution, search.question, frozenset(), budget)
            if first is None:
                sets.append(())
            else:
                search.cores.append(frozenset(first))
                enough = bool(first)
                for chosen in search.repairs(most) if first else ():
                    sets.append(tuple(names[i] for i in sorted(chosen)))
                    if len(sets) >= MOST_SETS:
                        raise LimitError(f"the first {MOST_SETS:,} are listed; there may be more")
        complete_to = most
    except LimitError as limit:
        unfinished, complete_to = str(limit), search.complete_to
        enough = True if sets else None
    sets.sort(
        key=lambda some: (sum(prices[name] for name in some), len(some), [names.index(n) for n in some])
    )
    seconds = time.perf_counter() - started
    return SensorSets(
        configuration,
        solution.defensible,
        prices,
        tuple(sets),
        complete_to,
        enough,
        search.n_tried + 1,
        seconds,
        unfinished,
    )


def holds_with_sensors(solution: Solution, most: int, budget: Budget = UNLIMITED) -> bool:
    """Whether some set of at most so many sensors is enough for a solved design.

    Raises:
        LimitError: past the budget.
    """
    sight = solution.configuration.system.sight
    assert sight is not None, "only a design with sensors is asked this"
    names = tuple(sight.sensors)
    if not solution.defensible:
        return False
    question = SensorQuestion(solution.configuration, sight, names)
    first = _missed(solution, question, frozenset(range(len(names)) if most >= len(names) else ()), budget)
    if not first or most >= len(names):
        return first is None
    search = Search(
        question,
        [1] * len(names),
        replace(budget, jobs=1),
        work=lambda task, limited: _missed(solution, *task, limited),
        images=NothingAlike(),
        cores=[frozenset(first)],
    )
    return next(search.repairs(most), None) is not None


def sensors_object(found: SensorSets) -> dict[str, Any]:
    """The answer as plain data for JSON."""
    return {
        "name": found.configuration.name,
        "variant": found.configuration.variant,
        "defensible": found.defensible,
        "enough": found.enough,
        "minimal": [list(names) for names in found.minimal],
        "costs": [found.cost(names) for names in found.minimal],
        "complete_to": found.complete_to,
        "sensors": dict(found.sensors),
        "solved": found.n_solved,
        "seconds": round(found.seconds, 3),
        "unfinished": found.unfinished or None,
    }


def missed_sensors(task: tuple[SensorQuestion, AssumptionSet], budget: Budget) -> list[int] | None:
    """None where a set of sensors is enough, else a core that it misses."""
    question, chosen = task
    return _missed(solve(question.configuration, question.engine, budget), question, chosen, budget)


def _missed(
    solution: Solution, question: SensorQuestion, chosen: AssumptionSet, budget: Budget
) -> list[int] | None:
    def enough(some: AssumptionSet, limited: Budget) -> bool:
        sight = with_sensors(question.sight, [question.names[i] for i in some])
        return solve_beliefs(solution, sight, limited).defensible

    if enough(chosen, budget):
        return None
    everything, grown = frozenset(range(len(question.names))), chosen
    if not enough(everything, budget):
        return []
    patience = budget.share(1.0, GROWTH_SECONDS)
    try:
        for i in sorted(everything - chosen):
            larger = grown | {i}
            if larger != everything and not enough(larger, patience):
                grown = larger
    except LimitError:
        budget.tick()
    return sorted(everything - grown)


class NothingAlike:
    """No set of sensors is taken for another one."""

    def add(self, core: AssumptionSet) -> None:
        """Learn nothing of a core."""

    def missed(self, chosen: AssumptionSet, most: int) -> list[AssumptionSet]:
        """No further core."""
        return []

    def answer(self, chosen: AssumptionSet) -> Any:
        """Nothing that was tried before is alike."""
        return UNASKED

    def learn(self, chosen: AssumptionSet, answer: Any) -> None:
        """Learn nothing of a set."""
