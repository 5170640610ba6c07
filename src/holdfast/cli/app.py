"""The Typer application, the exit codes, and how an answer or the work on it is shown."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from holdfast.errors import LimitError

DEFENSIBLE, REFUSED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
INTERNAL, INTERRUPTED, BROKEN_PIPE = 70, 130, 141

Watch = tuple[Callable[[str], None], Callable[[int, int], None]]
"""Called with what is being done, and with (seed, episodes done)."""

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
def watching(timeout: float | None, n_episodes: int = 0, task: str = "solving") -> Iterator[Watch]:
    """Two callbacks, for what is being done and for (seed, episodes done).

    A person watching gets a line that says so, and a bar with the time left once training begins. The
    end of patience is a LimitError. ``task`` is what the whole is called.
    """
    deadline = None if timeout is None else time.monotonic() + timeout

    def patience() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise LimitError(f"stopped after {timeout:g} s, as --timeout asks")

    if not sys.stderr.isatty():
        yield (lambda doing: patience()), (lambda seed, episode: patience())
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task(f"{task} …", total=None)
        done: dict[int, int] = {}

        def show(doing: str) -> None:
            patience()
            bar.update(shown, description=f"{task} … {doing}")

        def train(seed: int, episode: int) -> None:
            patience()
            done[seed] = episode
            bar.update(shown, description="training", total=n_episodes, completed=sum(done.values()))

        yield show, train
