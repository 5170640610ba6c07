"""Several scenario files checked in one command, at once on several cores, and again when one changes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.apps.cli.app import BAD_INPUT, DEFENSIBLE, REFUSED, UNDECIDED
from holdfast.apps.cli.reports import PipelineForm
from holdfast.errors import HoldfastError, InputError, LimitError

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.report import FileOutcome

ENDINGS = ("*.yaml", "*.yml")
WORST_FIRST = (BAD_INPUT, REFUSED, UNDECIDED, DEFENSIBLE)
"""Of several exit codes the first that occurs is the whole command's."""

PAUSE = 0.5
"""Seconds between two looks at the files."""

_SCENARIO = re.compile(rb"^holdfast[ \t]*:", re.MULTILINE)


@dataclass(frozen=True)
class BatchTask:
    """One file to check, and how."""

    file: str
    variant: str | None
    engine: str
    latitude: bool
    response: bool
    minima: Mapping[str, float]
    explained: bool


def scenario_files(given: Sequence[Path]) -> list[Path]:
    """The files that are named and, in the order of their names, the scenarios in the folders that are named.

    In a folder, what has no line ``holdfast:`` is not meant, nor is what lies in a hidden folder.

    Raises:
        InputError: for a folder without any.
    """
    found: dict[Path, None] = {}
    for path in given:
        own = [path]
        if path.is_dir():
            own = sorted(
                file for ending in ENDINGS for file in path.rglob(ending) if _is_scenario(file, path)
            )
            if not own:
                raise InputError(
                    f"{path}: no scenario in this folder; expected .yaml files with a line holdfast: 1"
                )
        found |= dict.fromkeys(own)
    return list(found)


def _is_scenario(file: Path, folder: Path) -> bool:
    if any(part.startswith(".") for part in file.relative_to(folder).parts):
        return False
    try:
        return file.is_file() and _SCENARIO.search(file.read_bytes()) is not None
    except OSError:
        return True  # it cannot be read, which its check will tell


def checked(task: BatchTask, budget: Budget) -> FileOutcome:
    """One file checked; an error is an outcome, too."""
    from holdfast.report import FileOutcome, failed_case
    from holdfast.scenario import BASE

    try:
        return _checked(task, budget)
    except HoldfastError as error:
        code = UNDECIDED if isinstance(error, LimitError) else BAD_INPUT
        case = failed_case(task.file, task.variant or BASE, error)
        return FileOutcome(task.file, code, cases=(case,), error=str(error), undecided=code == UNDECIDED)


def _checked(task: BatchTask, budget: Budget) -> FileOutcome:
    from holdfast.apps.cli.check import exit_code
    from holdfast.apps.cli.reports import reasons_of
    from holdfast.readings import analyse, gates_of
    from holdfast.report import FileOutcome, Site, design_cases
    from holdfast.scenario import configuration, read_scenario

    scenario = read_scenario(task.file, budget)
    chosen = configuration(scenario, task.variant, budget)
    solutions: list[Any] = []
    found = analyse(
        chosen,
        engine=task.engine,
        latitude=task.latitude,
        response=task.response,
        budget=budget,
        solved=solutions.append,
    )
    lost = task.explained and not found.defensible
    reasons = reasons_of(solutions[0], task.engine, budget) if lost else None
    gates, site = gates_of(found, task.minima), Site(task.file, scenario, chosen)
    cases = design_cases(site, found, gates, found.caveats or (), reasons)
    # Caveats hold clauses with their automata, which need not travel to another process: the cases tell all.
    sent = replace(found, caveats=None)
    return FileOutcome(task.file, exit_code(found, gates), sent, gates, tuple(cases))


def check_files(tasks: Sequence[BatchTask], form: PipelineForm, budget: Budget) -> int:
    """Check files, answer with all of them, and give the worst of their exit codes."""
    from holdfast.report import summary_document

    outcomes = list(_outcomes(tasks, budget))
    code = next(code for code in WORST_FIRST if any(outcome.code == code for outcome in outcomes))
    form.write_cases([case for outcome in outcomes for case in outcome.cases])
    form.answer(lambda: summary_document(outcomes), lambda: _plain(outcomes, code))
    return code


def _outcomes(tasks: Sequence[BatchTask], budget: Budget) -> Iterator[FileOutcome]:
    """The outcome of each task, in their order; what the time did not suffice for is undecided."""
    from holdfast.report import FileOutcome, failed_case
    from holdfast.running import answers
    from holdfast.scenario import BASE

    found: dict[str, FileOutcome] = {}
    why = "its worker gave no answer"
    try:
        for file, answer in answers(checked, {task.file: task for task in tasks}, budget):
            if answer.value is not None:
                found[file] = answer.value
    except LimitError as limit:
        why = str(limit)
    for task in tasks:
        case = failed_case(task.file, task.variant or BASE, LimitError(why))
        yield found.get(task.file) or FileOutcome(
            task.file, UNDECIDED, cases=(case,), error=why, undecided=True
        )


def _plain(outcomes: Sequence[FileOutcome], code: int) -> dict[str, Any]:
    from holdfast.readings import analysis_object, gate_columns

    files = []
    for outcome in outcomes:
        known = {} if outcome.analysis is None else analysis_object(outcome.analysis)
        known |= {"gates": list(map(gate_columns, outcome.gates))} if outcome.analysis is not None else {}
        error = (
            {"undecided" if outcome.code == UNDECIDED else "error": outcome.error} if outcome.error else {}
        )
        files.append({"file": outcome.file, "exit_code": outcome.code, **known, **error})
    return {"exit_code": code, "files": files}


def watch(stamps: Callable[[], object], check: Callable[[], None], pause: float = PAUSE) -> None:
    """Check, and check again whenever the stamps of the files differ from those before; until interrupted."""
    while True:
        before = stamps()
        check()
        while stamps() == before:
            time.sleep(pause)


def stamps_of(given: Sequence[Path]) -> tuple[tuple[Path, int, int] | Path, ...]:
    """What changes when a file does, or when a folder gets or loses one."""
    found: list[tuple[Path, int, int] | Path] = []
    for path in given:
        files = sorted(file for ending in ENDINGS for file in path.rglob(ending)) if path.is_dir() else [path]
        for file in files:
            try:
                stat = file.stat()
                found.append((file, stat.st_mtime_ns, stat.st_size))
            except OSError:
                found.append(file)
    return tuple(found)
