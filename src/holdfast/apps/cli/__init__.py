"""The command line: thin, over the library.

Exit codes: 0 defensible and every gate met, 1 not defensible or a gate missed, 2 bad usage or input, 3
undecided because a limit stopped the work, 70 a fault of Holdfast's own. ``--json`` prints one object on
standard output and nothing else.
"""

from __future__ import annotations

import gc
import inspect
import io
import os
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from holdfast import __version__
from holdfast.apps.cli import (
    artifacts,
    check,
    compare,
    engines,
    frontier,
    imports,
    play,
    playbook,
    recommend,
    studio,
    template,
    verify,
)
from holdfast.apps.cli.app import DEFENSIBLE, INTERNAL, INTERRUPTED, SUPERVISED, Command, emit, printable
from holdfast.apps.cli.examples import epilogue
from holdfast.apps.cli.options import with_groups
from holdfast.apps.cli.supervisor import claim

COMMANDS = (
    check.check,
    check.fingerprint,
    compare.compare,
    check.explain,
    recommend.recommend,
    frontier.frontier,
    playbook.playbook,
    artifacts.automata,
    verify.verify,
    studio.studio,
    play.play,
    verify.reproduce,
    artifacts.export_shield,
    imports.import_,
    engines.engines,
    template.schema,
    template.init,
)
"""In the order in which ``--help`` lists them."""


ALSO_CALLED = {
    "analyse": "check",
    "analyze": "check",
    "certify": "check",
    "run": "check",
    "solve": "check",
    "diff": "compare",
    "why": "explain",
    "new": "init",
    "train": "fingerprint",
}
"""What people call some commands."""


class Commands(TyperGroup):
    """The commands by name and description; only the one that is called gets its options."""

    def __init__(self, **given: Any) -> None:
        self.functions = {f.__name__.strip("_").replace("_", "-"): f for f in COMMANDS}
        named = {name: TyperCommand(name, help=inspect.getdoc(f)) for name, f in self.functions.items()}
        super().__init__(**{**given, "commands": named})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called, whole; one that does not exist is told with what was probably meant."""
        try:
            name, _, rest = super().resolve_command(ctx, args)
        except typer.TyperException as error:
            meant = ALSO_CALLED.get(args[0]) if args else None
            if meant is not None:
                error.message = f"No such command '{args[0]}'. Did you mean '{meant}'?"
            raise
        # While a shell completes, a name that is no command is none, and not an error.
        return name, None if name is None else self.whole(name), rest

    def whole(self, name: str) -> Any:
        """A command with its arguments, its options and an example."""
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name, cls=Command, epilog=epilogue(name))(with_groups(self.functions[name]))
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Is this design defensible, how defensible, and what would make it more so?",
)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    """Is this design defensible, how defensible, and what would make it more so?"""
    if version:
        emit(f"holdfast {__version__}")
        raise typer.Exit


def main() -> NoReturn:
    """Entry point: every fault becomes one message and an exit code."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # none is used, and looking for them is slow
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    # Where somebody gathers our output in memory, what a child printed would be lost.
    supervised = SUPERVISED if sys.stdout is sys.__stdout__ else None
    if supervised:
        gc.disable()  # until the command begins: what is made before that is kept
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
