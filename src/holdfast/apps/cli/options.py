"""The arguments and options that several commands share, some of them in groups.

A group of options is one argument of a command: a dataclass with an option for each field, or the
:class:`GateOptions`: every reading of :mod:`holdfast.readings.table` that can be gated has an option, and a
command gets the bounds that were given by the keys of the readings.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.apps.cli.completions import engines, variants
from holdfast.errors import InputError
from holdfast.game import NEVER

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.game import Configuration
    from holdfast.readings import Reading
    from holdfast.running import Backend
    from holdfast.scenario import Scenario

MEMORY = 4.0
"""GiB that a command may use unless it is told otherwise."""

MAX_SEEDS = 1_000_000


def _fitting(memory: float) -> float:
    """Memory that the machine has; the engine reserves it when it starts."""
    if "SC_PHYS_PAGES" in os.sysconf_names:
        installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        if memory > installed:
            raise typer.BadParameter(f"{memory:g} GiB is more than the {installed:.1f} GiB of this machine")
    return memory


def _engine(name: str) -> str:
    """Refuse a name that no solver for verdicts has before any work is done."""
    if name != "auto":
        from holdfast.solver import solver_of

        try:
            solver_of("verdict", name, "engine")
        except InputError as error:
            raise typer.BadParameter(str(error)) from None
    return name


Engine = Annotated[
    str,
    typer.Option(
        callback=_engine,
        metavar="<auto|explicit|symbolic>",
        help="How to solve; the answer is the same.",
        autocompletion=engines,
    ),
]
NoLearning = Annotated[bool, typer.Option("--no-learning", help="Skip the training and compute DDR* only.")]
Seeds = Annotated[int | None, typer.Option(min=1, max=MAX_SEEDS, help="Number of training runs.")]
Episodes = Annotated[int | None, typer.Option(min=1, help="Episodes per run.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="How many runs at once; by default, one per core.")]
NoLatitude = Annotated[
    bool,
    typer.Option(
        "--no-latitude", help="Skip the reachable positions and SLT, the slowest of the static scores."
    ),
]
NoResponse = Annotated[bool, typer.Option("--no-response", help="Skip effort, tempo and grace.")]
NoRecovery = Annotated[
    bool, typer.Option("--no-recovery", help="Skip the question whether the attacker can be driven out.")
]
NoExact = Annotated[
    bool, typer.Option("--no-exact", help="Skip DDR*, the value of perfect play, the slowest of all scores.")
]
NoLadder = Annotated[bool, typer.Option("--no-ladder", help="Skip the questions about weaker defenders.")]


def _rungs(names: list[str] | None) -> list[str] | None:
    """Refuse a gate that is none before any work is done."""
    for name in names or ():
        if not name.startswith(RUNG) or not name.removeprefix(RUNG):
            raise typer.BadParameter(f'"{name}" is no rung; expected one such as {RUNG}detect-first')
    return names


RUNG = "ladder:"
Required = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="ladder:RUNG",
        callback=_rungs,
        help="Fail if the design does not also hold on this rung of the ladder, such as "
        "ladder:detect-first; repeatable.",
    ),
]


def rungs_of(required: list[str] | None) -> tuple[str, ...]:
    """The rungs that gates name."""
    return tuple(name.removeprefix(RUNG) for name in required or ())


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@dataclass(frozen=True)
class Limits:
    """What a command may use."""

    timeout: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="SECONDS", help="Stop after this long and exit 3 (undecided)."),
    ] = None
    memory: Annotated[
        float,
        typer.Option(min=0.001, callback=_fitting, metavar="GIB", help="Memory that the solver may use."),
    ] = MEMORY


@dataclass(frozen=True)
class Question:
    """The configuration that a command is about."""

    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario file.", show_default=False)]
    variant: Annotated[
        str | None,
        typer.Option("--variant", "-v", help="Analyse this variant of the file.", autocompletion=variants),
    ] = None

    @property
    def called(self) -> str:
        """The file and the variant, for a line on the work."""
        return self.file.name + (f" · {self.variant}" if self.variant else "")

    def read(self, budget: Budget) -> tuple[Scenario, Configuration]:
        """The scenario of the file, and the configuration that is asked about."""
        from holdfast.scenario import configuration, read_scenario

        scenario = read_scenario(self.file, budget)
        return scenario, configuration(scenario, self.variant, budget)

    def goes_by_zone(self, scenario: Scenario, asked: bool, refusal: str, budget: Budget) -> bool:
        """Whether the zone that decides is asked: on demand, or because the design is large.

        Args:
            scenario: of the file.
            asked: whether ``--by-zone`` was given.
            refusal: why the whole is needed; empty where it is not.
            budget: the limits of looking.
        """
        from holdfast.apps.services.zones import is_zonal

        if asked and refusal:
            raise typer.BadParameter(refusal)
        return asked or (not refusal and is_zonal(scenario, self.variant, budget))


@dataclass(frozen=True)
class Questions:
    """The configurations that a command is about, one of each file."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Scenario files, or folders that contain some.", show_default=False
        ),
    ]
    variant: Annotated[
        str | None,
        typer.Option("--variant", "-v", help="Analyse this variant of each file.", autocompletion=variants),
    ] = None

    @property
    def single(self) -> Question | None:
        """The one question there is; None where there may be several."""
        return (
            None if len(self.files) > 1 or self.files[0].is_dir() else Question(self.files[0], self.variant)
        )


def warn(text: str) -> None:
    """Say that something went less well than it could."""
    print(f"warning: {text}", file=sys.stderr)


ByZone = Annotated[
    bool,
    typer.Option("--by-zone", help="Work on the zone that decides; this is automatic above 150 hosts."),
]
ClusterAddress = Annotated[
    str,
    typer.Option(
        metavar="tcp://HOST:PORT", help="Solve on the workers of this Dask scheduler.", show_default=False
    ),
]
ResumeLog = Annotated[
    Path | None,
    typer.Option(metavar="LOG", help="Save solved zones to this file, and resume from it."),
]


@dataclass(frozen=True)
class Workers:
    """Who solves where there is much to solve."""

    jobs: Jobs = None
    cluster: ClusterAddress = ""
    resume: ResumeLog = None

    def backend(self, text: str, asked: dict[str, Any]) -> Backend:
        """Where they work; a log is only believed about the same text, question and program."""
        from holdfast.readings import provenance_of
        from holdfast.running import Backend

        about = f"{provenance_of(text, None, asked).key} " if self.resume is not None else ""
        return Backend(cluster=self.cluster, log=self.resume, about=about, warn=warn)


# -- gates ------------------------------------------------------------------------------------------


MAX_HELD = 1_000_000
"""For at most so many moves it is asked how likely a design holds."""


@dataclass(frozen=True)
class GateOptions:
    """The options of the gates as a group; ``adaptive`` if the operating points are read, too.

    The readings, and with them the options, are looked up when a command is called that has gates.
    """

    adaptive: bool

    def __call__(self, **given: float | bool | str | None) -> dict[str, float]:
        """The bounds that were given, by the keys of their readings; infinite where any number will do."""
        required = {name.partition("_")[2]: math.inf for name, value in given.items() if value is True}
        bounds = {
            name.partition("_")[2]: value
            for name, value in given.items()
            if value is not None and not isinstance(value, bool | str)
        }
        likely = dict(_likelihood(value) for value in given.values() if isinstance(value, str))
        return {**required, **bounds, **likely}

    @property
    def __signature__(self) -> inspect.Signature:
        from holdfast.readings import chance_readings, every_reading

        every = (*every_reading(), *chance_readings())
        gated = [reading for reading in every if reading.gated and (self.adaptive or reading.static)]
        required = [_requirement(reading) for reading in gated if reading.endless == NEVER]
        return inspect.Signature([*map(_option, gated), *required])


def _option(reading: Reading) -> inspect.Parameter:
    text = f"Fail {'above' if reading.less else 'below'} this {reading.label}."
    annotation: Any = Annotated[float | None, typer.Option(reading.option, min=0.0, max=1.0, help=text)]
    if reading.group == "chance":
        more = f"Fail below this {reading.label}, for ever or for a number of moves, such as 0.95@1000."
        annotation = Annotated[str | None, typer.Option(reading.option, metavar="P[@MOVES]", help=more)]
    if reading.whole:
        annotation = Annotated[int | None, typer.Option(reading.option, min=0, help=text)]
    name = reading.option.strip("-").replace("-", "_")
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _likelihood(given: str) -> tuple[str, float]:
    """The key and the bound of a gate on HOLD."""
    bound, at, moves = given.partition("@")
    try:
        least = float(bound)
    except ValueError:
        least = -1.0
    digits = moves.isascii() and moves.isdigit() and len(moves) <= len(str(MAX_HELD))
    if not 0 <= least <= 1 or (at and not (digits and int(moves) <= MAX_HELD)):
        raise typer.BadParameter(
            f'--min-hold is "{given[:40]}"; expected a probability from 0 to 1, such as 0.95, '
            f"optionally with a number of moves up to {MAX_HELD:,}, as in 0.95@1000"
        )
    return f"hold@{int(moves)}" if at else "hold", least


def _requirement(reading: Reading) -> inspect.Parameter:
    text = f"Fail if the {reading.name} is never."
    annotation: Any = Annotated[bool, typer.Option(f"--require-{reading.key}", help=text)]
    name = f"require_{reading.key}"
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)


StaticMinima = Annotated[Mapping[str, float], GateOptions(adaptive=False)]
Minima = Annotated[Mapping[str, float], GateOptions(adaptive=True)]


def refuse_skipped(minima: Mapping[str, float], **skipped: bool) -> None:
    """A gate needs its reading; ``skipped`` are the options that leave one out."""
    from holdfast.readings import every_reading

    for reading in every_reading():
        if reading.key in minima and skipped.get(reading.skipped_by.strip("-").replace("-", "_")):
            raise typer.BadParameter(
                f"{reading.option} needs a reading that {reading.skipped_by} skips; drop one of the two"
            )


# -- groups as Typer wants them ---------------------------------------------------------------------


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer wants it: each group of options replaced by the options themselves."""
    parameters: list[inspect.Parameter] = []
    makers: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        options, maker = [parameter], _maker(parameter.annotation)
        if maker is not None:
            options = list(inspect.signature(maker, eval_str=True).parameters.values())
            makers[parameter.name] = maker, [option.name for option in options]
        parameters += [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]

    @wraps(command)
    def run(**given: Any) -> None:
        groups = {
            name: maker(**{option: given.pop(option) for option in options})
            for name, (maker, options) in makers.items()
        }
        command(**given, **groups)

    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(run)["__signature__"] = inspect.Signature(parameters)
    return run


def _maker(annotation: Any) -> Callable[..., Any] | None:
    """What makes a group of its options; None for an option that stands alone."""
    if is_dataclass(annotation) and isinstance(annotation, type):
        return annotation
    return next(
        (one for one in getattr(annotation, "__metadata__", ()) if isinstance(one, GateOptions)), None
    )
