"""The minima that ``check`` and ``fingerprint`` can hold a design to, and the exit code that follows.

Every axis of :mod:`holdfast.axes` that can be gated has an option of its own; a command gets those that were
given as one argument, by the keys of the axes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast import axes
from holdfast.cli.app import DEFENSIBLE, REFUSED, UNDECIDED

if TYPE_CHECKING:
    from holdfast.results import Analysis


def _gates(*, adaptive: bool) -> Callable[..., dict[str, float]]:
    """The options of the gates as a group; ``adaptive`` if the operating points are read, too."""

    def minima(**given: float | None) -> dict[str, float]:
        return {name.removeprefix("min_"): value for name, value in given.items() if value is not None}

    options = [_option(axis) for axis in axes.AXES if axis.gated and (adaptive or axis.static)]
    vars(minima)["__signature__"] = inspect.Signature(options)
    return minima


def _option(axis: axes.Axis) -> inspect.Parameter:
    option = typer.Option(axis.option, min=0.0, max=1.0, help=f"Fail below this {axis.label}.")
    kind, annotation = inspect.Parameter.KEYWORD_ONLY, Annotated[float | None, option]
    return inspect.Parameter(f"min_{axis.key}", kind, default=None, annotation=annotation)


StaticMinima = Annotated[Mapping[str, float], _gates(adaptive=False)]
Minima = Annotated[Mapping[str, float], _gates(adaptive=True)]


def refuse_skipped(minima: Mapping[str, float], **skipped: bool) -> None:
    """A gate needs its reading; ``skipped`` are the options that leave one out."""
    for axis in axes.AXES:
        if axis.key in minima and skipped.get(axis.skipped_by.strip("-").replace("-", "_")):
            raise typer.BadParameter(
                f"{axis.option} needs a reading that {axis.skipped_by} skips; drop one of the two"
            )


def exit_code(found: Analysis, gates: Sequence[axes.Gate]) -> int:
    """What the verdict and the gates come to; a reading that nobody gates does not count.

    An undecided gate is never a pass, and no more a failure: where another one is missed, that decides. What
    a person interrupted is undecided.
    """
    if not found.defensible or any(not gate.met and not gate.undecided for gate in gates):
        return REFUSED
    return UNDECIDED if found.interrupted or any(gate.undecided for gate in gates) else DEFENSIBLE
