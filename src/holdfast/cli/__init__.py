"""The command line: thin, over the library.

Exit codes: 0 defensible and every gate met, 1 not defensible or a gate missed, 2 bad usage or input, 3
undecided because a limit stopped the work, 70 a fault of Holdfast's own. ``--json`` prints one object on
standard output and nothing else.
"""

from __future__ import annotations

import io
import sys
from typing import Annotated, NoReturn

import typer

from holdfast.cli import artifacts, check, compare, frontier, imports, play, template, verify
from holdfast.cli.app import (
    DEFENSIBLE,
    INTERNAL,
    INTERRUPTED,
    SUPERVISED,
    Command,
    app,
    emit,
    printable,
)
from holdfast.cli.options import with_groups
from holdfast.cli.supervisor import claim

COMMANDS = (
    check.check,
    check.fingerprint,
    compare.compare,
    check.explain,
    frontier.frontier,
    artifacts.automata,
    verify.verify,
    play.play,
    verify.reproduce,
    artifacts.export_shield,
    imports.import_,
    template.schema,
    template.init,
)
"""In the order in which ``--help`` lists them."""

for command in COMMANDS:
    app.command(command.__name__.strip("_").replace("_", "-"), cls=Command)(with_groups(command))


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    """Is this design defensible, how defensible, and what would make it more so?"""
    if version:
        from importlib.metadata import version as installed

        emit(f"holdfast {installed('holdfast')}")
        raise typer.Exit


def main() -> NoReturn:
    """Entry point: every fault becomes one message and an exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    # Where somebody gathers our output in memory, what a child printed would be lost.
    supervised = SUPERVISED if sys.stdout is sys.__stdout__ else None
    try:
        app(obj=supervised)
        code = DEFENSIBLE
    except SystemExit as leaving:  # as Typer leaves, also when it was interrupted
        if leaving.code == INTERRUPTED:
            print("stopped", file=sys.stderr)
        raise
    except Exception as error:  # a fault of ours must not look like a verdict
        code = _fault(error)
    sys.exit(code)


def _fault(error: BaseException) -> int:
    """A fault of ours, unless an interruption in a place that could not stand it is behind it."""
    claim()
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            print("stopped", file=sys.stderr)
            return INTERRUPTED
        cause = cause.__cause__ or cause.__context__
    told = f"internal error: {type(error).__name__}: {error}; please report it with the file"
    print(printable(told), file=sys.stderr)
    return INTERNAL
