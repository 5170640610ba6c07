"""The command line: thin, over the library.

Exit codes: 0 defensible and every gate met, 1 not defensible or a gate missed, 2 bad usage or input, 3
undecided because a limit stopped the work. ``--json`` prints one object on standard output and nothing else.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from holdfast.errors import HoldfastError, InputError, LimitError

if TYPE_CHECKING:
    from holdfast.metrics import StaticReading
    from holdfast.product import Configuration
    from holdfast.solution import Solution

DEFENSIBLE, REFUSED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
INTERRUPTED, BROKEN_PIPE = 130, 141

app = typer.Typer(
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Is this design defensible, how defensible, and what would make it more so?",
)


class Engine(StrEnum):
    """The engines a user can name."""

    AUTO = "auto"
    EXPLICIT = "explicit"
    SYMBOLIC = "symbolic"


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A scenario file.", show_default=False)]
VariantOption = Annotated[
    str | None, typer.Option("--variant", "-v", help="Analyse this variant of the file.")
]
EngineOption = Annotated[Engine, typer.Option(help="How to solve; the answer is the same.")]
TimeoutOption = Annotated[
    float | None,
    typer.Option(min=0.0, metavar="SECONDS", help="Give up after this long, undecided (exit 3)."),
]
MemoryOption = Annotated[float, typer.Option(min=0.001, metavar="GIB", help="Memory the engine may use.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    """Is this design defensible, how defensible, and what would make it more so?"""
    if version:
        from importlib.metadata import version as installed

        _emit(f"holdfast {installed('holdfast')}")
        raise typer.Exit


@app.command()
def check(
    file: FileArgument,
    variant: VariantOption = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    no_latitude: Annotated[
        bool, typer.Option("--no-latitude", help="Skip the reachable set and SLT, the slowest reading.")
    ] = False,
    min_win: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Fail below this WIN.")] = None,
    min_slt: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Fail below this SLT.")] = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = 4.0,
) -> None:
    """Certify a scenario and read WIN, STP and SLT off the solved game."""
    from holdfast.engines import solve
    from holdfast.metrics import static_reading

    if min_slt is not None and no_latitude:
        raise typer.BadParameter("--min-slt needs SLT, which --no-latitude skips; drop one of the two")
    started = time.perf_counter()
    configuration = _load(file, variant)
    stopped = None
    with _watching(timeout) as progress:
        try:
            solution = solve(configuration, engine, progress, int(memory * 2**30))
        except LimitError as error:
            error.known |= {"name": configuration.name, "variant": configuration.variant}
            error.known |= {"positions": configuration.n_positions, "unsafe": configuration.n_unsafe}
            raise
        try:
            reading = static_reading(solution, not no_latitude, progress)
        except LimitError as error:
            reading, stopped = static_reading(solution, latitude=False), str(error)
    seconds = time.perf_counter() - started
    gates = _gates({"win": (reading.winning_fraction, min_win), "slt": (reading.shield_latitude, min_slt)})
    if as_json:
        _emit(json.dumps(_check_object(solution, reading, gates, seconds, stopped)))
    else:
        from holdfast.report.terminal import check_text

        _emit(check_text(solution, reading, gates, seconds, str(file), stopped))
    passed = solution.defensible and all(gate["met"] for gate in gates)
    raise typer.Exit(UNDECIDED if stopped else DEFENSIBLE if passed else REFUSED)


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors and validators."""
    from holdfast.scenario.schema import json_schema

    _emit(json.dumps(json_schema(), indent=2))


@app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("scenario.yaml"),
    game: Annotated[bool, typer.Option("--game", help="A system of your own instead of a network.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented scenario to start from."""
    from holdfast.scenario.stubs import GAME_STUB, NETWORK_STUB

    if file.exists() and not force:
        raise InputError(f"{file} exists already; choose another name or pass --force")
    try:
        file.write_text(GAME_STUB if game else NETWORK_STUB, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot write: {error.strerror}") from None
    print(f"wrote {file}; now run: holdfast check {file}")


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
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


def _emit(text: str) -> None:
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


def _report(error: HoldfastError, code: int) -> int:
    word = "undecided" if code == UNDECIDED else "error"
    known = error.known if isinstance(error, LimitError) else {}
    if "--json" in sys.argv:
        _emit(json.dumps({word: str(error), **known}))
        return code
    print(f"{word}: {error}", file=sys.stderr)
    if known.get("shells"):
        print(f"known so far: shells of rank 1, 2, … have {known['shells']} positions", file=sys.stderr)
    if known.get("defensible") is False:
        rank = known["initial_rank"]
        print(f"known so far: NOT DEFENSIBLE, violation is forced within {rank} moves", file=sys.stderr)
    return code


def _load(file: Path, variant: str | None) -> Configuration:
    from holdfast.scenario.load import load

    return load(file, variant)


@contextmanager
def _watching(timeout: float | None) -> Iterator[Callable[[str], None]]:
    """A progress callback: a line where a person is watching, and the end of patience as a LimitError."""
    deadline = None if timeout is None else time.monotonic() + timeout

    def patience() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise LimitError(f"stopped after {timeout:g} s, as --timeout asks")

    if not sys.stderr.isatty():
        yield lambda doing: patience()
        return
    from rich.console import Console

    with Console(stderr=True).status("solving …") as status:

        def show(doing: str) -> None:
            patience()
            status.update(f"solving … {doing}")

        yield show


def _gates(asked: dict[str, tuple[float | None, float | None]]) -> list[dict[str, Any]]:
    """Each gate that was asked for, and whether the reading meets it; no reading never passes."""
    return [
        {"axis": axis, "minimum": minimum, "value": value, "met": value is not None and value >= minimum}
        for axis, (value, minimum) in asked.items()
        if minimum is not None
    ]


def _check_object(
    solution: Solution,
    reading: StaticReading,
    gates: list[dict[str, Any]],
    seconds: float,
    stopped: str | None,
) -> dict[str, Any]:
    from holdfast.product import warnings

    configuration, reach = solution.configuration, reading.reach
    return {
        "name": configuration.name,
        "variant": configuration.variant,
        "defensible": solution.defensible,
        "positions": configuration.n_positions,
        "unsafe": configuration.n_unsafe,
        "winning": solution.n_winning,
        "attractor": solution.n_attractor,
        "shells": list(solution.shells),
        "initial_rank": solution.regions.rank(configuration.initial),
        "win": reading.winning_fraction,
        "stp": reading.shell_steepness,
        "slt": reading.shield_latitude,
        "reachable": None
        if reach is None
        else {"positions": reach.n_positions, "defender": reach.n_defender, "permitted": reach.n_permitted},
        "warnings": warnings(configuration),
        "undecided": stopped,
        "gates": gates,
        "engine": solution.engine,
        "seconds": round(seconds, 6),
    }
