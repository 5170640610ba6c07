"""Changed designs and their readings, as many as there is time for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.recommend.alike_plays import AlikePlays, read_solved
from holdfast.design.recommend.space import DesignSpace
from holdfast.design.recommend.twins import twins
from holdfast.errors import InputError, LimitError
from holdfast.game import Protocol
from holdfast.readings import (
    Analysis,
    Asked,
    analysis_alike,
    analysis_of,
    can_be_alike,
    iter_analysis,
    plain_of,
    untrained_readings,
)
from holdfast.running import Backend, TaskResult, Work, run_tasks
from holdfast.solver import Solution

_Task = TypeVar("_Task")

NOT_REACHED = "the time ran out before it was tried"
IN_FULL: Asked = Asked(exact=True, endless=False)
"""What is asked of a design that is read in full."""


@dataclass(frozen=True)
class ChangedDesign:
    """A changed design.

    Attributes:
        chosen: the changes, by their number.
        changes, cost: in words, and what they cost.
        analysis: all its readings that need no training; None if the changes cannot be combined, or if it
            was not reached.
        undecided: what a limit left out.
        rungs_gained: rungs of the ladder that it reaches and the design as it is does not; None where nobody
            looked.
        flows_hit: how many flows it does not leave whole.
    """

    chosen: AssumptionSet
    changes: tuple[str, ...]
    cost: int
    analysis: Analysis | None = field(repr=False)
    undecided: str = ""
    rungs_gained: tuple[str, ...] | None = None
    flows_hit: int = 0

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


def read_designs(
    space: DesignSpace,
    sets: Iterable[AssumptionSet],
    protocol: Protocol | None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    hear: Callable[[ChangedDesign], object] = lambda one: None,
    asked: Asked = IN_FULL,
    alike: AlikePlays | None = None,
) -> list[ChangedDesign]:
    """The readings of changed designs, as many as there is time for; ``hear`` is called with each.

    Those that are played ``alike`` are read once.
    """
    alike = alike or AlikePlays()
    tasks = {chosen: (space, chosen, protocol, engine, asked, alike) for chosen in sets}
    return read_all(space, tasks, budget, backend, hear)


def read_all(
    space: DesignSpace,
    tasks: Mapping[AssumptionSet, ReadTask],
    budget: Budget,
    backend: Backend | None,
    hear: Callable[[ChangedDesign], object],
) -> list[ChangedDesign]:
    """What came of each task; of designs that differ by names only, all but one are read by that one."""
    apart = backend is not None and (backend.cluster or backend.log is not None)
    # Somebody waits for the first answer, and to find out what is alike takes as long as a reading.
    head = {} if apart else dict(islice(tasks.items(), 1))
    read = {one.chosen: one for one in _readings(space, read_changed, head, budget, backend, hear)}
    same = {} if apart else twins(space, tasks, budget)
    firsts = {chosen: task for chosen, task in tasks.items() if chosen not in same and chosen not in head}
    read |= {one.chosen: one for one in _readings(space, read_changed, firsts, budget, backend, hear)}
    left = {chosen: (tasks[chosen], read[one].analysis) for chosen, one in same.items()}
    read |= {one.chosen: one for one in _readings(space, read_twin, left, budget, backend, hear)}
    return [read[chosen] for chosen in tasks]


def read_verdict(
    space: DesignSpace, solution: Solution, protocol: Protocol | None, budget: Budget = UNLIMITED
) -> ChangedDesign:
    """What the verdict alone says of the design as it is."""
    return as_changed(space, frozenset(), next(iter_analysis(solution, protocol, IN_FULL, budget=budget)), "")


def read_base(
    space: DesignSpace,
    solution: Solution,
    protocol: Protocol | None,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    asked: Asked = IN_FULL,
) -> ChangedDesign:
    """The readings of the design as it is, which is solved already; they are taken in this process."""
    here = replace(backend or Backend(), cluster="")
    here = here if asked.exact or asked.recovery else here.with_scope("look")
    unchanged: AssumptionSet = frozenset()
    (base,) = _readings(space, read_solved, {unchanged: (solution, protocol, asked)}, budget, here)
    if base.analysis is None:  # what the verdict alone says is known in any case
        return replace(read_verdict(space, solution, protocol, budget), undecided=base.undecided)
    return base


def _readings(
    space: DesignSpace,
    work: Work[_Task],
    tasks: Mapping[AssumptionSet, _Task],
    budget: Budget,
    backend: Backend | None,
    hear: Callable[[ChangedDesign], object] = lambda one: None,
) -> list[ChangedDesign]:
    """What came of each task, as many as there is time for; a log is given what JSON can hold."""
    keys = {json.dumps(space.names(chosen)): chosen for chosen in tasks}
    by_key = {key: tasks[chosen] for key, chosen in keys.items()}
    if backend is not None and backend.log is not None:
        work = partial(_plainly, work)
    results: dict[str, TaskResult] = {}
    with suppress(LimitError):
        for key, answer in run_tasks(work, by_key, budget, backend):
            results[key] = answer
            hear(as_changed(space, keys[key], answer.value, answer.failure))
    missing = TaskResult(None, NOT_REACHED)
    answers = ((chosen, results.get(key, missing)) for key, chosen in keys.items())
    return [as_changed(space, chosen, answer.value, answer.failure) for chosen, answer in answers]


ReadTask = tuple[DesignSpace, AssumptionSet, Protocol | None, str, Asked, AlikePlays]
"""A set of changes, what is to be read of the design with them, and what was read before."""


def read_changed(task: ReadTask, budget: Budget) -> Analysis | None:
    """Readings of a changed design that need no training; None if there can be no such design."""
    space, chosen, protocol, engine, asked, alike = task
    try:
        changed = space.changed(chosen, budget)
    except InputError:
        return None
    solution = alike.changed(changed, engine, budget)
    return alike.read(solution, protocol, asked, budget, partial(alike.tell, chosen))


def read_twin(task: tuple[ReadTask, Analysis | None], budget: Budget) -> Analysis | None:
    """Readings of a changed design that differs by names only from one that was read, if all of it was."""
    (space, chosen, _, engine, asked, alike), known = task
    if known is not None and known.defensible and known.reachable is not None and not known.undecided:
        solution = alike.changed(space.changed(chosen, budget), engine, budget)
        if can_be_alike(solution, asked):
            return analysis_alike(solution, known, asked, budget)
    return read_changed(task[0], budget)


def _plainly(work: Work[_Task], task: _Task, budget: Budget) -> dict[str, Any] | None:
    """The answer to a task as data that JSON can hold."""
    reading = work(task, budget)
    return None if reading is None else plain_of(reading)


def as_changed(
    space: DesignSpace, chosen: AssumptionSet, found: Analysis | dict[str, Any] | None, failure: str
) -> ChangedDesign:
    """What a task gave, as a changed design; ``failure`` says why it gave nothing."""
    names, cost = space.names(chosen), space.cost(chosen)
    if found is None:
        return ChangedDesign(chosen, names, cost, None, failure or "the changes cannot be combined")
    read = analysis_of(found) if isinstance(found, dict) else found
    return ChangedDesign(chosen, names, cost, read, read.undecided or "")
