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
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from holdfast import __version__
from holdfast.apps.cli.app import INTERNAL, INTERRUPTED, SUPERVISED, Command, emit, printable
from holdfast.apps.cli.examples import EXAMPLES, epilogue
from holdfast.apps.cli.options import with_groups
from holdfast.apps.cli.supervisor import claim
from holdfast.apps.services import BAD_INPUT, DEFENSIBLE
from holdfast.errors import InputError
from holdfast.running import find_place_for_compiled, is_interrupted, load_plugin, plugins_of

GROUP = "commands"

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


def command_names() -> tuple[str, ...]:
    """The commands in the order in which ``--help`` lists them; none of them is imported."""
    return tuple(plugins_of(GROUP, tuple(EXAMPLES)))


def command_of(name: str) -> Callable[..., None]:
    """The function of a command, whose arguments and options are those of its signature.

    It is named by an entry point of the group ``holdfast.commands`` and imported when it is asked for.

    Raises:
        InputError: for a plug-in that does not work.
    """
    command = load_plugin(GROUP, name)
    if not inspect.isfunction(command):
        raise InputError(
            f'the entry point "{name}" of the group holdfast.{GROUP} is no function: {command!r:.80}'
        )
    return command


class _Descriptions(Mapping[str, Any]):
    """The commands by name, without their options; each is imported when its description is asked for."""

    def __getitem__(self, name: str) -> TyperCommand:
        if name not in command_names():
            raise KeyError(name)
        try:
            return TyperCommand(name, help=inspect.getdoc(command_of(name)))
        except InputError as error:
            return TyperCommand(name, help=f"Does not work: {error}")

    def __contains__(self, name: object) -> bool:
        return name in command_names()

    def __iter__(self) -> Iterator[str]:
        return iter(command_names())

    def __len__(self) -> int:
        return len(command_names())


class Commands(TyperGroup):
    """The commands by name and description; only the one that is called gets its options."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "commands": _Descriptions()})

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands."""
        return list(self.commands)

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
        alone.command(name, cls=Command, epilog=epilogue(name))(with_groups(command_of(name)))
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
    """Find out whether a system can be defended against any attacker you describe, and what to change."""
    if version:
        emit(f"holdfast {__version__}")
        raise typer.Exit


def main() -> NoReturn:
    """Entry point: every fault becomes one message and an exit code."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # none is used, and looking for them is slow
    find_place_for_compiled()
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
    except KeyboardInterrupt:  # before Typer began, or after it had ended
        print("stopped", file=sys.stderr)
        code = INTERRUPTED
    except InputError as error:  # a command that cannot be loaded, or none that is registered
        print(printable(f"error: {error}"), file=sys.stderr)
        code = BAD_INPUT
    except Exception as error:  # a fault of ours must not look like a verdict
        code = _fault(error)
    sys.exit(code)


def _fault(error: BaseException) -> int:
    """A fault of ours, unless an interruption in a place that could not stand it is behind it."""
    claim()
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    if cause is not None or is_interrupted():
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    message = f"internal error: {type(error).__name__}: {error}; please report it with the file"
    print(printable(message), file=sys.stderr)
    return INTERNAL
