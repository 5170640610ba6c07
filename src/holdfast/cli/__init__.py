"""The command line: thin, over the library.

Exit codes: 0 defensible and every gate met, 1 not defensible or a gate missed, 2 bad usage or input, 3
undecided because a limit stopped the work, 70 a fault of Holdfast's own. ``--json`` prints one object on
standard output and nothing else.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Annotated, NoReturn

import typer

from holdfast.cli import automata, check, compare, explain, export, files, play, reproduce, verify
from holdfast.cli.app import BAD_INPUT, DEFENSIBLE, INTERNAL, INTERRUPTED, UNDECIDED, app, emit, printable
from holdfast.errors import HoldfastError, LimitError

COMMANDS = (
    check.check,
    check.fingerprint,
    compare.compare,
    explain.explain,
    automata.automata,
    verify.verify,
    play.play,
    reproduce.reproduce,
    export.export_shield,
    files.schema,
    files.init,
)
"""In the order in which ``--help`` lists them."""

for command in COMMANDS:
    app.command()(command)


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
    """Entry point: every error becomes one message and an exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        app()
        code = DEFENSIBLE
    except LimitError as error:
        code = _report(error, UNDECIDED)
    except HoldfastError as error:
        code = _report(error, BAD_INPUT)
    except SystemExit as leaving:  # as Typer leaves, also when it was interrupted
        if leaving.code == INTERRUPTED:
            print("stopped", file=sys.stderr)
        raise
    except Exception as error:  # a fault of ours must not look like a verdict
        code = _fault(error)
    sys.exit(code)


def _fault(error: BaseException) -> int:
    """A fault of ours, unless an interruption in a place that could not stand it is behind it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            print("stopped", file=sys.stderr)
            return INTERRUPTED
        cause = cause.__cause__ or cause.__context__
    told = f"internal error: {type(error).__name__}: {error}; please report it with the file"
    print(printable(told), file=sys.stderr)
    return INTERNAL


def _report(error: HoldfastError, code: int) -> int:
    word = "undecided" if code == UNDECIDED else "error"
    known = error.known if isinstance(error, LimitError) else {}
    if "--json" in sys.argv:
        emit(json.dumps({word: str(error), **known}))
        return code
    print(printable(f"{word}: {error}"), file=sys.stderr)
    if known.get("shells"):
        print(f"known so far: shells of rank 1, 2, … have {known['shells']} positions", file=sys.stderr)
    if known.get("defensible") is False:
        rank = known["initial_rank"]
        print(f"known so far: NOT DEFENSIBLE, violation is forced within {rank} moves", file=sys.stderr)
    return code
