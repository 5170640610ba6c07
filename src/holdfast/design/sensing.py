"""Where to put sensors: all minimal sets with which a design holds although nothing else is seen.

More sensors never hurt, so a set is enough or not, and what contains one that is enough is enough. The search
is the one that repairs and breakers have (:class:`holdfast.design.repairs.Search`): a set that is not enough
is grown as far as it can be without being enough, and what is left outside is a core, of which every set that
is enough has something.

Sensors at interchangeable places are alike: sets that differ by them only are all enough or none is, and one
of them is solved.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, islice, product
from typing import Any

from holdfast.arena import interchangeable, is_renamed
from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import ALIKE, UNASKED, AssumptionSet
from holdfast.design.repairs import Search
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, Displayed, Recalled, Sight, refuse_counted, with_sensors
from holdfast.logic import variables_of
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
    solved: Callable[[Solution], object] | None = None,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> SensorSets:
    """All minimal sets of sensors with which a design holds.

    Args:
        configuration: the design; the sensors that it has are left aside.
        costs: what a sensor costs; 1 where none is given.
        max_cost: up to which cost; that of all together if it is left out.
        solved: called with the solution for a defender who sees everything.
        engine, budget, backend: as elsewhere.

    Raises:
        InputError: for a system without sensors, and for a cost of something that is none.
        LimitError: when a limit leaves the verdict with full sight open.
    """
    started = time.perf_counter()
    sight = configuration.system.sight
    refuse_counted(configuration.game, "placing sensors")
    if sight is None or not sight.sensors:
        raise InputError("this system has no sensors to place; a game says what is seen under observes")
    names = tuple(sight.sensors)
    prices = {name: sight.costs.get(name, 1) for name in names} | dict(costs or {})
    with_sensors(sight, prices)  # refuses a name that is none
    most = sum(prices.values()) if max_cost is None else max_cost
    solution = solve(configuration, engine, budget)
    if solved is not None:
        solved(solution)
    sets, unfinished = list[tuple[str, ...]](), ""
    enough: bool | None = solution.defensible
    question = SensorQuestion(configuration, sight, names, engine)
    search = Search(
        question,
        [prices[name] for name in names],
        budget,
        backend or Backend(),
        work=missed_sensors,
        images=AlikeSensors(question, budget),
    )
    try:
        if solution.defensible:
            first = _missed(solution, question, frozenset(), budget)
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
        images=AlikeSensors(question, budget),
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


# -- sets that are alike -----------------------------------------------------------------------------


class AlikeSensors:
    """Sets of sensors that differ by sensors that are alike, so that all of them are enough or none is.

    Two sensors are alike if the design with the one is, up to the names of two variables, the design with the
    other. Each shows something of its own variable only, and nobody else shows anything of that one; so what
    is seen without them stays as it is when the names are exchanged, whichever other sensors there are. Costs
    do not matter: they tell which set comes first, not what it is worth.
    """

    def __init__(self, question: SensorQuestion, budget: Budget) -> None:
        self.question, self.budget = question, budget
        self.cores: dict[tuple[int, ...], None] = {}
        self.tried: dict[tuple[int, ...], AssumptionSet] = {}
        self.answers: dict[AssumptionSet, list[int] | None] = {}

    @cached_property
    def classes(self) -> tuple[AssumptionSet, ...]:
        """All sensors, those that are alike together."""
        variables, own = self.question.configuration.game.variables, self._own()
        found: list[list[str]] = []
        for places in interchangeable(self.question.configuration, self.budget):
            alike: list[list[str]] = []
            for name in (variables[i].name for i in places if variables[i].name in own):
                for members in alike:
                    if self._is_alike(members[0], name, own):
                        members.append(name)
                        break
                else:
                    alike.append([name])
            found += alike
        classes = [frozenset(own[name] for name in members) for members in found]
        alone = frozenset(range(len(self.question.names))).difference(*classes)
        return (*classes, *(frozenset({i}) for i in sorted(alone)))

    def add(self, core: AssumptionSet) -> None:
        """Learn of a core: so many sensors of each class are one."""
        self.cores[self._counts(core)] = None

    def missed(self, chosen: AssumptionSet, most: int) -> list[AssumptionSet]:
        """Cores that a set does not meet, at most so many: as many of each class as one that is known has."""
        return list(islice(self._missed(chosen, most), most))

    def answer(self, chosen: AssumptionSet) -> Any:
        """What came of a set that is alike."""
        other = self.tried.setdefault(self._counts(chosen), chosen)
        if other == chosen:
            return UNASKED
        if other not in self.answers:
            return ALIKE
        core = self.answers[other]
        if core is None:
            return None
        names: dict[int, int] = {}
        for of in self.classes:
            for here, there in ((other & of, chosen & of), (of - other, of - chosen)):
                names |= zip(sorted(here), sorted(there), strict=True)
        return sorted(names[i] for i in core)

    def learn(self, chosen: AssumptionSet, answer: Any) -> None:
        """Keep what came of a set."""
        self.answers[chosen] = answer

    def _counts(self, some: AssumptionSet) -> tuple[int, ...]:
        """How many of each class."""
        return tuple(len(some & of) for of in self.classes)

    def _missed(self, chosen: AssumptionSet, most: int) -> Iterator[AssumptionSet]:
        left = [sorted(of - chosen) for of in self.classes]
        for counts in self.cores:
            # A product keeps all that it is given, and of many hosts there are too many choices.
            ways = (islice(combinations(free, n), most) for free, n in zip(left, counts, strict=True))
            for way in product(*ways):
                self.budget.tick("looking for sensors: the same elsewhere")
                yield frozenset(chain(*way))

    def _own(self) -> dict[str, int]:
        """The sensors that show a single variable which no other sensor shows, by that variable."""
        shown = []
        for name in self.question.names:
            parts = self.question.sight.sensors[name]
            atoms = chain(*(p.clause.automaton.atoms if isinstance(p, Recalled) else (p,) for p in parts))
            shown.append({variable.name for atom in atoms for variable in variables_of(atom)})
        often = Counter(chain(*shown))
        return {
            name: i for i, names in enumerate(shown) for name in names if len(names) == 1 and often[name] == 1
        }

    def _is_alike(self, one: str, other: str, own: Mapping[str, int]) -> bool:
        """Whether the sensors that show two variables are alike."""
        self.budget.tick("looking for sensors: the same elsewhere")
        return is_renamed(self._with(own[one]), self._with(own[other]), {one: other, other: one})

    def _with(self, sensor: int) -> Configuration:
        """The design with a single sensor."""
        here = self.question.configuration
        sight = with_sensors(self.question.sight, [self.question.names[sensor]])
        return replace(here, system=replace(here.system, sight=sight), budget=self.budget)
