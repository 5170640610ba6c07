"""How every command is run: under its limits, and with each error as one message or one JSON object."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperCommand

from holdfast.cli.app import BAD_INPUT, UNDECIDED, emit, printable
from holdfast.cli.supervisor import claim, supervise
from holdfast.errors import HoldfastError, LimitError

SUPERVISED = "supervised"
"""The object of a Typer context whose command may be forked: this process is Holdfast's own."""


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
        for n in range(len(args), 0, -1):
            with suppress(typer.TyperException):
                context = super().make_context(info_name, args[:n], parent, **lenient)
                return bool(context.params.get("as_json"))
        return False

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error ends it with the exit code that it means."""
        as_json = bool(ctx.params.get("as_json"))
        timeout, memory = ctx.params.get("timeout"), ctx.params.get("memory")
        if ctx.obj == SUPERVISED and memory is not None and (timeout is not None or _is_given(ctx, "memory")):
            supervise(timeout, memory, lambda reason: _report(LimitError(reason), UNDECIDED, as_json))
        try:
            return super().invoke(ctx)
        except LimitError as error:
            raise typer.Exit(_report(error, UNDECIDED, as_json)) from None
        except HoldfastError as error:
            raise typer.Exit(_report(error, BAD_INPUT, as_json)) from None
        except typer.TyperException as error:
            if not as_json:
                raise
            raise typer.Exit(_usage(error)) from None


def _is_given(context: Any, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _usage(error: typer.TyperException) -> int:
    emit(json.dumps({"error": error.format_message()}))
    return BAD_INPUT


def _report(error: HoldfastError, code: int, as_json: bool) -> int:
    word = "undecided" if code == UNDECIDED else "error"
    known = error.known if isinstance(error, LimitError) else {}
    if as_json:
        emit(json.dumps({word: str(error), **known}))
        return code
    claim()
    print(printable(f"{word}: {error}"), file=sys.stderr)
    if known.get("shells"):
        print(f"known so far: shells of rank 1, 2, … have {known['shells']} positions", file=sys.stderr)
    if known.get("defensible") is False:
        rank = known["initial_rank"]
        print(f"known so far: NOT DEFENSIBLE, violation is forced within {rank} moves", file=sys.stderr)
    return code
