"""The minima that ``check`` and ``fingerprint`` can hold a design to, and the exit code that follows.

Every axis of :mod:`holdfast.axes` that can be gated has an option of its own: a command that takes them says
so with :func:`gated`, and gets those that were given as one argument.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from holdfast import axes
from holdfast.cli.app import DEFENSIBLE, REFUSED, UNDECIDED

if TYPE_CHECKING:
    from holdfast.results import Analysis

Command = Callable[..., None]

Minima = Mapping[str, float]
"""By the keys of the axes."""

NO_MINIMA: Minima = {}


def gated(*, adaptive: bool) -> Callable[[Command], Command]:
    """Give a command an option for each gate, in the place of its argument ``minima``.

    Args:
        adaptive: whether the command reads the operating points too.
    """
    return lambda command: _with_options(command, adaptive)


def _with_options(command: Command, adaptive: bool) -> Command:
    gates = [axis for axis in axes.AXES if axis.gated and (adaptive or axis.static)]
    options = {f"min_{axis.key}": _option(axis) for axis in gates}
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name == "minima":
            parameters += options.values()
        else:
            named = parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)
            parameters.append(named)

    @wraps(command)
    def run(**given: Any) -> None:
        asked = {axis.key: given.pop(f"min_{axis.key}") for axis in gates}
        minima = {key: minimum for key, minimum in asked.items() if minimum is not None}
        for axis in gates:
            skipped = axis.skipped_by and given.get(axis.skipped_by.strip("-").replace("-", "_"))
            if axis.key in minima and skipped:
                raise typer.BadParameter(
                    f"{axis.option} needs a reading that {axis.skipped_by} skips; drop one of the two"
                )
        command(**given, minima=minima)

    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(run)["__signature__"] = inspect.Signature(parameters)
    return run


def _option(axis: axes.Axis) -> inspect.Parameter:
    option = typer.Option(axis.option, min=0.0, max=1.0, help=f"Fail below this {axis.label}.")
    kind, annotation = inspect.Parameter.KEYWORD_ONLY, Annotated[float | None, option]
    return inspect.Parameter(f"min_{axis.key}", kind, default=None, annotation=annotation)


def exit_code(found: Analysis, gates: Sequence[axes.Gate]) -> int:
    """What the verdict and the gates come to; a reading that nobody gates does not count.

    An undecided gate is never a pass, and no more a failure: where another one is missed, that decides. What
    a person interrupted is undecided.
    """
    if not found.defensible or any(not gate.met and not gate.undecided for gate in gates):
        return REFUSED
    return UNDECIDED if found.interrupted or any(gate.undecided for gate in gates) else DEFENSIBLE
