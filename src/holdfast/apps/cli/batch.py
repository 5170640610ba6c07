"""Several files checked at once: those in folders, and again those that have changed since."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.apps.cli.options import Questions
    from holdfast.apps.cli.reports import PipelineForm
    from holdfast.apps.services.design import Wanted
    from holdfast.budget import Budget

ENDINGS = ("*.yaml", "*.yml")
PAUSE = 0.5
"""Seconds between two looks at the files."""

_SCENARIO = re.compile(rb"^holdfast[ \t]*:", re.MULTILINE)


def scenario_files(given: Sequence[Path]) -> list[Path]:
    """The files that are named and, in the order of their names, the scenarios in the folders that are named.

    In a folder, what has no line ``holdfast:`` is not meant, nor is what lies in a hidden folder.

    Raises:
        InputError: for a folder without any.
    """
    files: dict[Path, None] = {}
    for path in given:
        own = [path]
        if path.is_dir():
            own = sorted(
                file for ending in ENDINGS for file in path.rglob(ending) if _is_scenario(file, path)
            )
            if not own:
                raise InputError(
                    f"{path}: no scenario in this folder; expected .yaml files with the line holdfast: 1"
                )
        files |= dict.fromkeys(own)
    return list(files)


def _is_scenario(file: Path, folder: Path) -> bool:
    if any(part.startswith(".") for part in file.relative_to(folder).parts):
        return False
    try:
        return file.is_file() and _SCENARIO.search(file.read_bytes()) is not None
    except OSError:
        return True  # it cannot be read, which its check will tell


def watch(stamps: Callable[[], object], check: Callable[[], None], pause: float = PAUSE) -> None:
    """Check, and check again whenever the stamps of the files differ from those before; until interrupted."""
    while True:
        before = stamps()
        check()
        while stamps() == before:
            time.sleep(pause)


def stamps_of(given: Sequence[Path]) -> tuple[tuple[Path, int, int] | Path, ...]:
    """What changes when a file does, or when a folder gets or loses one."""
    stamps: list[tuple[Path, int, int] | Path] = []
    for path in given:
        files = sorted(file for ending in ENDINGS for file in path.rglob(ending)) if path.is_dir() else [path]
        for file in files:
            try:
                stat = file.stat()
                stamps.append((file, stat.st_mtime_ns, stat.st_size))
            except OSError:
                stamps.append(file)
    return tuple(stamps)


def check_several(
    questions: Questions,
    wanted: Wanted,
    form: PipelineForm,
    within: Callable[[], AbstractContextManager[Budget]],
    again: bool,
) -> None:
    """Check several files, ``again`` and again if asked, and answer with all of them."""
    from holdfast.apps.services.batch import BatchTask, check_files
    from holdfast.report import summary_document

    # A table has no room for reasons and ladders; alerts tell the reasons of lost designs.
    why: Literal["lost", "never"] = "never" if wanted.why == "never" else "lost"
    asked = replace(wanted, why=why, ladder=wanted.ladder and form.as_json)
    codes: list[int] = []

    def once() -> None:
        files = scenario_files(questions.files)
        form.refuse(*files)
        with within() as budget:
            tasks = [BatchTask(str(file), questions.variant, asked) for file in files]
            answer = check_files(tasks, budget)
            form.write_cases(answer.cases)
            form.answer(lambda: summary_document(answer.outcomes), answer.to_object)
            codes.append(answer.exit_code)

    if again:
        watch(partial(stamps_of, questions.files), once)
    once()
    raise typer.Exit(codes[0])
