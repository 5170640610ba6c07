"""Exit codes, how a command is run, and how its answer and its work are shown."""

from __future__ import annotations

import errno
import gc
import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from holdfast.apps.cli.options import Limits
from holdfast.apps.cli.supervisor import claim, forget, remembered, supervise, unclaim
from holdfast.apps.services import BAD_INPUT, DEFENSIBLE, REFUSED, UNDECIDED
from holdfast.budget import GIB, Budget, Watch
from holdfast.errors import HoldfastError, InputError, LimitError, ScenarioError
from holdfast.running import is_interrupted

if TYPE_CHECKING:
    from rich.progress import Progress

INTERNAL, INTERRUPTED, BROKEN_PIPE = 70, 130, 141

EXIT_CODES: Mapping[int, str] = {
    DEFENSIBLE: "the design is defensible and meets every gate; for commands without a verdict: success",
    REFUSED: "the design is not defensible, or misses a gate",
    BAD_INPUT: "the command line or a file is wrong; the message says what, where and what to do",
    UNDECIDED: "undecided because a limit stopped the work; never counts as a pass",
    INTERNAL: "an internal error of Holdfast",
    INTERRUPTED: "interrupted",
}
"""What each exit code means; for some commands 1 means something else (see ``examples``)."""

ANSWER = "answer"
"""Of what is remembered: as much of the answer as was there, in the form that was asked for."""

SUPERVISED = "supervised"
"""The object of a Typer context whose command may be forked: this process is Holdfast's own."""


def printable(text: str) -> str:
    """Text with what could steer the terminal made visible; lines stay lines."""
    return "".join(c if c.isprintable() or c == "\n" else "·" for c in text)


def one_printable_line(text: str) -> str:
    """Text for one line of an answer, line breaks and what could steer the terminal made visible."""
    return printable(text).replace("\n", "·")


_verdict_told = False
"""Whether a person has read the verdict by now: in a part of the answer, or ahead of it."""


def emit(text: str) -> None:
    """Print the answer whole; nobody reading it, or no room for it, is not a verdict.

    Raises:
        KeyboardInterrupt: once more, if one was swallowed on the way here.
    """
    if is_interrupted():
        raise KeyboardInterrupt
    global _verdict_told
    _verdict_told = True
    claim()
    with _bar_aside():
        try:
            print(text, end="" if text.endswith("\n") or not text else "\n", flush=True)
        except OSError as error:
            raise SystemExit(_cannot_write(error)) from None


def emit_part(text: str) -> None:
    """Print the beginning of an answer; limits hold for the rest."""
    if text:
        emit(text)
        unclaim()


_bars: list[Progress] = []
"""The progress bar on the terminal, if there is one."""


@contextmanager
def _bar_aside() -> Iterator[None]:
    """Take the progress bar off the terminal while an answer is printed."""
    for bar in _bars:
        bar.stop()
    try:
        yield
    finally:
        for bar in _bars:
            bar.start()


def _cannot_write(error: OSError) -> int:
    """A reader that left early ends us as it would end any program; a full disk is told."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  the interpreter flushes it once more on the way out
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    print(f"error: cannot write the answer: {error.strerror}", file=sys.stderr)
    return BAD_INPUT


@contextmanager
def working(
    limits: Limits, jobs: int | None = None, task: str = "solving", about: str = ""
) -> Iterator[Budget]:
    """The budget of a command; a person watching gets a line that says what is done, for how long, and a bar.

    Args:
        limits: time and memory.
        jobs: cores; None for all.
        task: what the whole is called.
        about: what it is done to.
    """
    budget = Budget.lasting(limits.timeout, "--timeout", int(limits.memory * GIB), jobs)
    if not sys.stderr.isatty():
        yield replace(budget, watch=_telling_the_verdict(budget.watch))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    head = escape(printable(f"{about}: {task}" if about else task))
    line = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1))
    columns = SpinnerColumn(), TimeElapsedColumn(), BarColumn(bar_width=12), line
    console = Console(stderr=True)
    # What is printed meanwhile goes where standard output goes, which need not be this terminal.
    with Progress(*columns, console=console, transient=True, expand=True, redirect_stdout=False) as bar:
        _bars.append(bar)
        shown = bar.add_task(f"{head} …", total=None)

        def show(doing: str, done: float | None) -> None:
            total, seconds = None if done is None else 1.0, bar.tasks[0].time_remaining
            left = "" if seconds is None else f"{timedelta(seconds=int(seconds))} left · "
            line = f"{left}{head} … {escape(doing)}"
            bar.update(shown, description=line, total=total, completed=done)

        try:
            yield replace(budget, watch=_telling_the_verdict(show))
        finally:
            _bars.remove(bar)


SLOW = 3.0
"""Seconds of the processor after which a verdict that is known is told before the answer is whole."""


def _telling_the_verdict(watch: Watch) -> Watch:
    """A watcher that also tells the verdict as soon as it is known, where the rest of the answer takes long.

    By the processor's clock, so that it makes no difference how busy the machine is.
    """
    began = time.process_time()

    def telling(doing: str, done: float | None) -> None:
        global _verdict_told
        if not _verdict_told and time.process_time() - began > SLOW and (known := remembered()):
            _verdict_told = True
            with _bar_aside():
                for line in _in_words(known):
                    print(f"so far: {line}", file=sys.stderr, flush=True)
        watch(doing, done)

    return telling


# -- commands ---------------------------------------------------------------------------------------


class Command(TyperCommand):
    """A command that tells its errors in the form that was asked of it."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Read the arguments; what is wrong with them is told as JSON if ``--json`` is among them."""
        given = list(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except typer.TyperException as error:
            if not self._asks_for_json(info_name, given, parent):
                raise
            raise typer.Exit(_usage(error)) from None

    def _asks_for_json(self, info_name: str | None, args: list[str], parent: Any) -> bool:
        """Whether ``--json`` is among arguments that are wrong elsewhere, as far as they can be read."""
        lenient = {"resilient_parsing": True, "ignore_unknown_options": True, "allow_extra_args": True}
        flags = {name for p in self.params if getattr(p, "is_flag", False) for name in p.opts}
        # A flag with a value would end the reading before what comes after it, and asks for nothing.
        args = [word for word in args if "=" not in word or word.partition("=")[0] not in flags]
        for n in range(len(args), 0, -1):
            with suppress(typer.TyperException):
                context = super().make_context(info_name, args[:n], parent, **lenient)
                return bool(context.params.get("as_json"))
        return False

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error ends it with the exit code that it means."""
        if ctx.obj == SUPERVISED:
            gc.freeze()
            gc.enable()
        global _verdict_told
        _verdict_told = bool(ctx.params.get("as_json"))  # a program reads the answer alone
        forget()
        as_json = bool(ctx.params.get("as_json"))
        timeout, memory = ctx.params.get("timeout"), ctx.params.get("memory")
        bounded = not ctx.params.get("watch")  # whose time has no end; each check keeps to the limits
        if (
            bounded
            and ctx.obj == SUPERVISED
            and memory is not None
            and (timeout is not None or is_given(ctx, "memory"))
        ):
            supervise(timeout, memory, lambda reason, known: _ended(reason, known, ctx.params))
        try:
            _refuse_names(ctx.params.values())
            return super().invoke(ctx)
        except LimitError as error:
            error.known = {**remembered(), **error.known}
            raise typer.Exit(_failed(error, UNDECIDED, ctx.params)) from None
        except HoldfastError as error:
            raise typer.Exit(_failed(error, BAD_INPUT, ctx.params)) from None
        except typer.TyperException as error:
            if not as_json:
                raise
            raise typer.Exit(_usage(error)) from None


def _refuse_names(given: Iterable[Any]) -> None:
    """Refuse, in one place for all commands, names that no file can have, whatever it is for."""
    for value in given:
        for path in value if isinstance(value, list | tuple) else [value]:
            try:
                if isinstance(path, Path):
                    path.stat()
            except OSError as error:
                if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
                    from holdfast.scenario import shortened

                    raise InputError(
                        f"{shortened(str(path))}: no file can be there: {error.strerror}"
                    ) from None


def is_given(context: Any, name: str) -> bool:
    """Whether an option was written on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _usage(error: typer.TyperException) -> int:
    emit(json.dumps({"error": error.format_message()}))
    return BAD_INPUT


def _ended(reason: str, known: dict[str, Any], params: Mapping[str, Any]) -> int:
    """Tell that a limit ended the command from outside, and what was known by then."""
    error = LimitError(reason)
    error.known |= known
    return _failed(error, UNDECIDED, params)


def _failed(error: HoldfastError, code: int, params: Mapping[str, Any]) -> int:
    """Tell an error in the form that was asked for, in the files for a pipeline too."""
    if params.get("sarif") or params.get("junit"):
        from holdfast.apps.cli.reports import write_failure

        write_failure(error, params)
    return _report(error, code, bool(params.get("as_json")))


def _indented(error: HoldfastError) -> str:
    """An error whose further lines stand under the first, lest a text of a file pass for an answer.

    Those of a scenario's error are an excerpt and further errors, each of which begins with its place.
    """
    return str(error) if isinstance(error, ScenarioError) else re.sub(r"\n(?=\S)", "\n  ", str(error))


def _report(error: HoldfastError, code: int, as_json: bool) -> int:
    if is_interrupted():  # which is then behind the error
        raise KeyboardInterrupt
    word = "undecided" if code == UNDECIDED else "error"
    known: dict[str, Any] = dict(error.known) if isinstance(error, LimitError) else {}
    answer = known.pop(ANSWER, "")
    if as_json:
        emit(answer or json.dumps({word: str(error), **known}))
        return code
    if answer:
        emit(answer)
    claim()
    print(printable(f"{word}: {_indented(error)}"), file=sys.stderr)
    for line in [] if answer else _in_words(known):
        print(f"known so far: {line}", file=sys.stderr)
    return code


def _in_words(known: Mapping[str, Any]) -> Iterator[str]:
    """What is known where an answer is not whole, a line for each thing."""
    if known.get("shells"):
        yield f"shells of rank 1, 2, … have {known['shells']} positions"
    if known.get("defensible") is False:
        yield f"NOT DEFENSIBLE, violation is forced within {known['initial_rank']} moves"
    if known.get("defensible"):
        yield "DEFENSIBLE" + (" for a defender who sees everything" if known.get("full_sight") else "")
    for key in ("by_zones", "playbook"):
        if known.get(key):
            yield one_printable_line(known[key])
    if isinstance(verdicts := known.get("verdicts"), dict) and verdicts:
        each = (f"{label} {'DEFENSIBLE' if held else 'NOT DEFENSIBLE'}" for label, held in verdicts.items())
        yield one_printable_line(", ".join(each))
