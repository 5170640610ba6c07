"""The Typer application, the exit codes, and how an answer or the work on it is shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import typer

from holdfast.budget import GIB, Budget
from holdfast.cli.supervisor import claim

DEFENSIBLE, REFUSED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
INTERNAL, INTERRUPTED, BROKEN_PIPE = 70, 130, 141

MEMORY = 4.0
"""GiB that a command may use unless it is told otherwise."""

app = typer.Typer(
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Is this design defensible, how defensible, and what would make it more so?",
)


def printable(text: str) -> str:
    """Text with what could steer the terminal made visible; lines stay lines."""
    return "".join(c if c.isprintable() or c == "\n" else "·" for c in text)


def emit(text: str) -> None:
    """Print the answer whole; nobody reading it, or no room for it, is not a verdict."""
    claim()
    try:
        print(text, end="" if text.endswith("\n") else "\n", flush=True)
    except OSError as error:
        raise SystemExit(_cannot_write(error)) from None


def _cannot_write(error: OSError) -> int:
    """A reader that left early ends us as it would end any program; a full disk is told."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  the interpreter flushes it once more on the way out
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    print(f"error: cannot write the answer: {error.strerror}", file=sys.stderr)
    return BAD_INPUT


@contextmanager
def working(
    timeout: float | None = None, memory: float = MEMORY, jobs: int | None = None, task: str = "solving"
) -> Iterator[Budget]:
    """The budget of a command; a person watching gets a line that says what is done, and a bar.

    Args:
        timeout: seconds; None for no end.
        memory: GiB.
        jobs: cores; None for all.
        task: what the whole is called.
    """
    budget = Budget.lasting(timeout, "--timeout", int(memory * GIB), jobs)
    if not sys.stderr.isatty():
        yield budget
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task(f"{task} …", total=None)

        def show(doing: str, done: float | None) -> None:
            total = None if done is None else 1.0
            bar.update(shown, description=f"{task} … {doing}", total=total, completed=done)

        yield replace(budget, watch=show)
