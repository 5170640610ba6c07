"""Several scenario files checked at once, on several cores; an error in one is its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import BAD_INPUT, DEFENSIBLE, REFUSED, UNDECIDED
from holdfast.apps.services.design import Wanted, check
from holdfast.errors import HoldfastError, LimitError

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.report import CheckCase, FileOutcome

WORST_FIRST = (BAD_INPUT, REFUSED, UNDECIDED, DEFENSIBLE)
"""Of several exit codes the first that occurs is the whole command's."""


@dataclass(frozen=True)
class BatchTask:
    """One file to check, and how."""

    file: str
    variant: str | None
    wanted: Wanted


@dataclass(frozen=True)
class BatchAnswer:
    """What came of several files, in their order."""

    outcomes: Sequence[FileOutcome]

    @property
    def exit_code(self) -> int:
        """The worst of all."""
        codes = {outcome.code for outcome in self.outcomes}
        return next(code for code in WORST_FIRST if code in codes)

    def cases(self) -> list[CheckCase]:
        """What a pipeline reads of them."""
        return [case for outcome in self.outcomes for case in outcome.cases]

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        return {"exit_code": self.exit_code, "files": list(map(_object, self.outcomes))}


def _object(outcome: FileOutcome) -> dict[str, Any]:
    from holdfast.design import ladder_object
    from holdfast.readings import analysis_object, gate_columns

    known: dict[str, Any] = {}
    if outcome.analysis is not None:
        known = {**analysis_object(outcome.analysis), "gates": list(map(gate_columns, outcome.gates))}
    if outcome.ladder is not None:
        known["ladder"] = ladder_object(outcome.ladder)
    word = "undecided" if outcome.code == UNDECIDED else "error"
    error = {word: outcome.error} if outcome.error else {}
    return {"file": outcome.file, "exit_code": outcome.code, **known, **error}


def check_files(tasks: Sequence[BatchTask], budget: Budget) -> BatchAnswer:
    """Each file checked, on as many cores as there are; what the time did not suffice for is undecided."""
    return BatchAnswer(tuple(_outcomes(tasks, budget)))


def _outcomes(tasks: Sequence[BatchTask], budget: Budget) -> Iterator[FileOutcome]:
    from holdfast.running import run_tasks

    outcomes: dict[str, FileOutcome] = {}
    why = "its worker process did not answer"
    try:
        for file, answer in run_tasks(check_file, {task.file: task for task in tasks}, budget):
            if answer.value is not None:
                outcomes[file] = answer.value
    except LimitError as limit:
        why = str(limit)
    for task in tasks:
        yield outcomes.get(task.file) or _failed(task, LimitError(why))


def check_file(task: BatchTask, budget: Budget) -> FileOutcome:
    """One file checked; an error is an outcome, too."""
    from holdfast.report import FileOutcome
    from holdfast.scenario import read_scenario

    try:
        answer = check(read_scenario(task.file, budget), task.variant, task.wanted, budget=budget)
        cases = tuple(answer.cases(task.file, budget))
    except HoldfastError as error:
        return _failed(task, error)
    # Caveats hold clauses with their automata, which need not travel to another process: the cases tell all.
    sent = replace(answer.analysis, caveats=None)
    gates, ladder = tuple(answer.gates), answer.ladder
    return FileOutcome(task.file, answer.exit_code, sent, gates, cases, ladder=ladder)


def _failed(task: BatchTask, error: HoldfastError) -> FileOutcome:
    from holdfast.report import FileOutcome, failed_case
    from holdfast.scenario import BASE

    code = UNDECIDED if isinstance(error, LimitError) else BAD_INPUT
    case = failed_case(task.file, task.variant or BASE, error)
    return FileOutcome(task.file, code, cases=(case,), error=str(error), undecided=code == UNDECIDED)
