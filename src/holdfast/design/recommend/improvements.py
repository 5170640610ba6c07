"""For a held design: what each change, and each affordable set of changes, does to its readings.

Every single change is read, then sets of changes in the order of size while they cost no more than the budget
and there are no more than :data:`MOST_SETS` of them; past that only sets that add one change to the best ones
found so far. The answer says what it covered. A change *improves* on the design if some reading is better and
the design still holds; one is *dominated* if another is at least as good in every reading and in cost, and
better in one. Those that are not dominated are the Pareto front, best by DDR* first.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import comb
from typing import Any, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.recommend.space import DesignSpace
from holdfast.errors import InputError, LimitError
from holdfast.game import Protocol
from holdfast.readings import (
    Analysis,
    Asked,
    analyse,
    analysis_of,
    burden_readings,
    iter_analysis,
    plain_of,
    untrained_readings,
)
from holdfast.running import Backend, TaskResult, Work, run_tasks
from holdfast.solver import Solution

_Task = TypeVar("_Task")

MOST_SETS = 2_000
BEAM = 8
"""Sets of one size that are looked at, and how many of the best are built on past that."""

NOT_REACHED = "the time was over before it was looked at"
SAME = 1e-9
"""Readings that differ by less are the same."""


@dataclass(frozen=True)
class ChangedDesign:
    """A changed design.

    Attributes:
        chosen: the changes, by their number.
        changes, cost: in words, and what they cost.
        analysis: all its readings that need no training; None if the changes do not go together, or if it
            was not reached.
        undecided: what a limit left out.
    """

    chosen: AssumptionSet
    changes: tuple[str, ...]
    cost: int
    analysis: Analysis | None = field(repr=False)
    undecided: str = ""

    @property
    def defensible(self) -> bool:
        """Whether it is known to hold."""
        return self.analysis is not None and self.analysis.defensible

    @property
    def values(self) -> dict[str, Any]:
        """Its readings that need no training, as plain data; the response in an object of its own."""
        if self.analysis is None:
            return {}
        values: dict[str, Any] = {}
        response: dict[str, Any] = {}
        for reading in untrained_readings():
            place = response if reading.group == "response" else values
            place |= reading.columns(self.analysis)
        return values | {"response": response}


@dataclass(frozen=True)
class Improvements:
    """What was found out about a held design.

    Attributes:
        base: its readings as it is.
        singles: every single change.
        front: sets of changes that improve it and are not dominated, best by DDR* first.
        dominated: sets that improve it too, each with the number in ``front`` of one that is better.
        coverage: what was looked at, in words.
        n_read: how many changed designs were analysed.
    """

    base: ChangedDesign
    singles: tuple[ChangedDesign, ...]
    front: tuple[ChangedDesign, ...]
    dominated: tuple[tuple[ChangedDesign, int], ...]
    coverage: str
    n_read: int


def improvements(
    space: DesignSpace,
    solution: Solution,
    max_cost: int | None = None,
    *,
    protocol: Protocol | None = None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> Improvements:
    """What changes do to a held design, which is solved; sets of several only with ``max_cost``."""
    backend = backend or Backend()

    def read(sets: Iterable[AssumptionSet]) -> list[ChangedDesign]:
        fitting = [chosen for chosen in sets if space.keeps(chosen)]
        return read_designs(space, fitting, protocol, engine, budget, backend)

    base = read_base(space, solution, protocol, budget, backend)
    n = len(space.changes)
    singles = read(frozenset({i}) for i in range(n))
    designs, coverage = list(singles), [f"all {n} single changes"]
    left = sum(r.undecided == NOT_REACHED for r in singles)
    if left:
        coverage = [f"{n - left} of {n} single changes, then the time was over"]
    size, best = 2, singles
    try:
        while max_cost is not None and size <= n and not left:
            complete = comb(n, size) <= MOST_SETS
            sets = _larger(space, best, size, max_cost, complete)
            if not sets:
                break
            more = read(sets)
            designs += more
            word = {2: "pairs", 3: "triples"}.get(size, f"sets of {size}")
            coverage.append(f"all {word} within the budget" if complete else f"{len(sets)} of the {word}")
            best, size = sorted(more, key=_merit, reverse=True)[:BEAM], size + 1
    except LimitError as limit:
        coverage.append(f"then {limit}")
    better = [reading for reading in designs if reading.defensible and _improves(reading, base)]
    better.sort(key=lambda r: (-_merit(r)[0], r.cost, len(r.chosen), sorted(r.chosen)))
    front = [r for r in better if not any(_beats(other, r) for other in better)]
    beaten = [
        (r, next(i for i, other in enumerate(front) if _beats(other, r))) for r in better if r not in front
    ]
    return Improvements(
        base, tuple(singles), tuple(front), tuple(beaten), ", ".join(coverage), 1 + len(designs)
    )


def _larger(
    space: DesignSpace, best: Sequence[ChangedDesign], size: int, max_cost: int, complete: bool
) -> list[AssumptionSet]:
    """The sets of a size that can be paid: all of them, or those that add one change to the best."""
    everything = range(len(space.changes))
    if complete:
        sets: Iterator[AssumptionSet] = map(frozenset, combinations(everything, size))
    else:
        sets = (reading.chosen | {i} for reading in best for i in everything if i not in reading.chosen)
    return [chosen for chosen in dict.fromkeys(sets) if space.cost(chosen) <= max_cost]


# -- readings -----------------------------------------------------------------------------------------


def read_designs(
    space: DesignSpace,
    sets: Iterable[AssumptionSet],
    protocol: Protocol | None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> list[ChangedDesign]:
    """The readings of changed designs, as many as there is time for."""
    tasks = {chosen: (space, chosen, protocol, engine) for chosen in sets}
    return _readings(space, read_changed, tasks, budget, backend)


def read_base(
    space: DesignSpace,
    solution: Solution,
    protocol: Protocol | None,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> ChangedDesign:
    """The readings of the design as it is, which is solved already; they are taken in this process."""
    here = replace(backend or Backend(), cluster="")
    (base,) = _readings(space, read_solved, {frozenset[int](): (solution, protocol)}, budget, here)
    return base


def _readings(
    space: DesignSpace,
    work: Work[_Task],
    tasks: Mapping[AssumptionSet, _Task],
    budget: Budget,
    backend: Backend | None,
) -> list[ChangedDesign]:
    """What came of each task, as many as there is time for; a log is given what JSON can hold."""
    keys = {json.dumps(space.names(chosen)): chosen for chosen in tasks}
    by_key = {key: tasks[chosen] for key, chosen in keys.items()}
    if backend is not None and backend.log is not None:
        work = partial(_plainly, work)
    results: dict[str, TaskResult] = {}
    try:
        for key, answer in run_tasks(work, by_key, budget, backend):
            results[key] = answer
    except LimitError:
        if not results:
            raise
    missing = TaskResult(None, NOT_REACHED)
    told = ((chosen, results.get(key, missing)) for key, chosen in keys.items())
    return [_reading(space, chosen, answer.value, answer.failure) for chosen, answer in told]


def read_changed(
    task: tuple[DesignSpace, AssumptionSet, Protocol | None, str], budget: Budget
) -> Analysis | None:
    """All readings of a changed design that need no training; None if there can be no such design."""
    space, chosen, protocol, engine = task
    try:
        changed = space.changed(chosen, budget)
    except InputError:
        return None
    return analyse(changed, protocol, engine=engine, exact=True, budget=budget)


def read_solved(task: tuple[Solution, Protocol | None], budget: Budget) -> Analysis:
    """All readings of a solved design that need no training."""
    solution, protocol = task
    return deque(iter_analysis(solution, protocol, Asked(exact=True), budget=budget), maxlen=1)[0]


def _plainly(work: Work[_Task], task: _Task, budget: Budget) -> dict[str, Any] | None:
    """The answer to a task as data that JSON can hold."""
    reading = work(task, budget)
    return None if reading is None else plain_of(reading)


def _reading(
    space: DesignSpace, chosen: AssumptionSet, found: Analysis | dict[str, Any] | None, failure: str
) -> ChangedDesign:
    names, cost = space.names(chosen), space.cost(chosen)
    if found is None:
        return ChangedDesign(chosen, names, cost, None, failure or "the changes do not go together")
    read = analysis_of(found) if isinstance(found, dict) else found
    return ChangedDesign(chosen, names, cost, read, read.undecided or "")


# -- order --------------------------------------------------------------------------------------------


def merits(design: ChangedDesign) -> dict[str, tuple[float, float]]:
    """The readings that changes are weighed by, each as an interval, turned so that more is better."""
    if design.analysis is None:
        return {}
    ends = {r.key: r.merits(design.analysis) for r in untrained_readings() if r.weighed}
    return {key: interval for key, interval in ends.items() if interval is not None}


def _improves(reading: ChangedDesign, base: ChangedDesign) -> bool:
    """Whether some reading is better for certain."""
    return any(True for _ in gains(reading, base))


def _merit(design: ChangedDesign) -> tuple[float, ...]:
    """What a design is ranked by: the certain part of DDR*, then SLT."""
    known = merits(design)
    return tuple(known.get(key, (-1.0, 0.0))[0] for key in ranking())


def ranking() -> tuple[str, ...]:
    """The readings by which changes and parts are put in order, the most important one first."""
    return tuple(reading.key for reading in burden_readings() if reading.group == "fingerprint")


def _beats(one: ChangedDesign, other: ChangedDesign) -> bool:
    """Whether one is at least as good in everything, cost included, and better in something."""
    a, b = merits(one), merits(other)
    if one.cost > other.cost or a.keys() != b.keys():
        return False
    if any(a[key][0] < b[key][1] - SAME for key in a):
        return False
    return one.cost < other.cost or any(a[key][0] > b[key][1] + SAME for key in a)


def gains(reading: ChangedDesign, base: ChangedDesign) -> Iterator[tuple[str, float, float]]:
    """(axis, before, after) of everything that is better for certain, in the order of the readings."""
    before = merits(base)
    for key, (low, high) in merits(reading).items():
        if key in before and low > before[key][1] + SAME:
            yield key, sum(before[key]) / 2, (low + high) / 2


def losses(reading: ChangedDesign, base: ChangedDesign) -> Iterator[tuple[str, float, float]]:
    """(axis, before, after) of everything that is worse for certain, in the order of the readings."""
    yield from ((key, after, before) for key, before, after in gains(base, reading))
