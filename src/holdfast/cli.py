"""The command line: thin, over the library.

Exit codes: 0 defensible and every gate met, 1 not defensible or a gate missed, 2 bad usage or input, 3
undecided because a limit stopped the work, 70 a fault of Holdfast's own. ``--json`` prints one object on
standard output and nothing else.
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
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from holdfast.errors import HoldfastError, InputError, LimitError

if TYPE_CHECKING:
    from holdfast.analysis import Analysis

DEFENSIBLE, REFUSED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
INTERNAL, INTERRUPTED, BROKEN_PIPE = 70, 130, 141
MANY_SEEDS = 1 << 32

app = typer.Typer(
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Is this design defensible, how defensible, and what would make it more so?",
)


Watch = tuple[Callable[[str], None], Callable[[int, int], None]]


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
MemoryOption = Annotated[
    float, typer.Option(min=0.001, max=1e6, metavar="GIB", help="Memory the engine may use.")
]
NoLearningOption = Annotated[
    bool, typer.Option("--no-learning", help="Skip the training; DDR* stands alone.")
]
SeedsOption = Annotated[int | None, typer.Option(min=1, help="How many runs are trained.")]
EpisodesOption = Annotated[int | None, typer.Option(min=1, help="Episodes of each run.")]
JobsOption = Annotated[int | None, typer.Option(min=1, help="Runs at once; as many as cores by default.")]
NoLatitudeOption = Annotated[
    bool, typer.Option("--no-latitude", help="Skip the reachable set and SLT, the slowest static reading.")
]
MinWinOption = Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Fail below this WIN.")]
MinSltOption = Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Fail below this SLT.")]
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
    no_latitude: NoLatitudeOption = False,
    min_win: MinWinOption = None,
    min_slt: MinSltOption = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = 4.0,
) -> None:
    """Certify a scenario and read WIN, STP and SLT off the solved game."""
    from holdfast.analysis import analyse
    from holdfast.scenario.load import configuration, read_scenario

    _refuse_gate_without_reading("--min-slt", min_slt, "--no-latitude", no_latitude)
    scenario = read_scenario(file)
    with _watching(timeout) as (progress, _):
        found = analyse(
            configuration(scenario, variant),
            engine=engine,
            latitude=not no_latitude,
            memory=int(memory * 2**30),
            progress=progress,
        )
    _answer(found, {"win": min_win, "slt": min_slt}, as_json, str(file), scenario.variants)


@app.command()
def fingerprint(
    file: FileArgument,
    variant: VariantOption = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    no_latitude: NoLatitudeOption = False,
    no_learning: Annotated[
        bool, typer.Option("--no-learning", help="Skip the training; DDR* stands alone.")
    ] = False,
    seeds: Annotated[int | None, typer.Option(min=1, help="How many runs are trained.")] = None,
    episodes: Annotated[int | None, typer.Option(min=1, help="Episodes of each run.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs at once; as many as cores by default.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="A folder: reuse an analysis of the same inputs, or keep this one.")
    ] = None,
    min_win: MinWinOption = None,
    min_slt: MinSltOption = None,
    min_ddr: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Fail below this DDR.")] = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = 4.0,
) -> None:
    """Certificate, static reading, DDR from trained learners, and DDR* solved exactly."""
    from dataclasses import asdict

    from holdfast.analysis import analyse, provenance_of
    from holdfast.learn.protocol import protocol_of
    from holdfast.scenario.load import configuration, learning, read_scenario

    _refuse_gate_without_reading("--min-slt", min_slt, "--no-latitude", no_latitude)
    _refuse_gate_without_reading("--min-ddr", min_ddr, "--no-learning", no_learning)
    scenario = read_scenario(file)
    chosen = configuration(scenario, variant)
    protocol = protocol_of(learning(scenario, variant), episodes=episodes, seeds=seeds)
    asked = {"protocol": asdict(protocol), "latitude": not no_latitude, "learning": not no_learning}
    provenance = provenance_of(scenario.text, chosen.variant, asked)
    kept = None if cache is None else cache / f"{provenance['key']}.json"
    found = _cached(kept)
    if found is None:
        n_episodes = protocol.episodes * len(protocol.seed_numbers)
        with _watching(timeout, n_episodes) as (progress, training):
            found = analyse(
                chosen,
                protocol,
                engine=engine,
                latitude=not no_latitude,
                learning=not no_learning,
                exact=True,
                jobs=jobs,
                memory=int(memory * 2**30),
                progress=progress,
                training=training,
                provenance=provenance,
            )
        if kept is not None and found.undecided is None:
            _keep(found, kept)
    gates = {"win": min_win, "slt": min_slt, "ddr": min_ddr}
    _answer(found, gates, as_json, str(file), scenario.variants)


@app.command()
def compare(
    file: FileArgument,
    base: Annotated[str | None, typer.Option("--base", help="Compare with this variant.")] = None,
    variant: Annotated[
        list[str] | None, typer.Option("--variant", "-v", help="Only these variants; may be repeated.")
    ] = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    no_learning: NoLearningOption = False,
    seeds: SeedsOption = None,
    episodes: EpisodesOption = None,
    jobs: JobsOption = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = 4.0,
) -> None:
    """What each variant changes, at what depth, and where formal and operational rankings disagree."""
    from holdfast.analysis import analyse
    from holdfast.compare import Subject, to_object
    from holdfast.compare import compare as compared
    from holdfast.learn.protocol import protocol_of
    from holdfast.scenario.load import configuration, learning, read_scenario
    from holdfast.scenario.shape import BASE

    scenario = read_scenario(file)
    names = list(dict.fromkeys([base or BASE, *variant] if variant else [BASE, *scenario.variants]))
    chosen = {name: configuration(scenario, name) for name in names}
    protocols = {
        name: protocol_of(learning(scenario, name), episodes=episodes, seeds=seeds) for name in names
    }
    n_episodes = sum(p.episodes * len(p.seed_numbers) for p in protocols.values())
    with _watching(timeout, n_episodes) as (progress, training):
        subjects = [
            Subject(
                name,
                analyse(
                    chosen[name],
                    protocols[name],
                    engine=engine,
                    learning=not no_learning,
                    exact=True,
                    jobs=jobs,
                    memory=int(memory * 2**30),
                    progress=progress,
                    training=lambda seed, done, n=number: training(n * MANY_SEEDS + seed, done),  # type: ignore[misc]
                ),
                chosen[name],
            )
            for number, name in enumerate(names)
        ]
        found = compared(subjects, base, progress=progress)
    if as_json:
        _emit(json.dumps(to_object(found)))
    else:
        from holdfast.report.comparison import comparison_text

        _emit(comparison_text(found, str(file)))
    undecided = any(entry.undecided for entry in found.entries)
    defensible = all(entry.defensible for entry in found.entries)
    raise typer.Exit(UNDECIDED if undecided else DEFENSIBLE if defensible else REFUSED)


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
    except Exception as error:  # a fault of ours must not look like a verdict
        print(
            f"internal error: {type(error).__name__}: {error}; please report it with the file",
            file=sys.stderr,
        )
        code = INTERNAL
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


def _refuse_gate_without_reading(gate: str, minimum: float | None, skip: str, skipped: bool) -> None:
    if minimum is not None and skipped:
        raise typer.BadParameter(f"{gate} needs a reading that {skip} skips; drop one of the two")


def _cached(path: Path | None) -> Analysis | None:
    """The analysis kept there; what is damaged or missing is computed again."""
    from holdfast.analysis import load_analysis

    try:
        return None if path is None else load_analysis(path)
    except InputError:
        return None


def _keep(found: Analysis, path: Path) -> None:
    """Save to the cache; a cache that cannot be written costs time later, never the answer."""
    from holdfast.analysis import save

    try:
        save(found, path)
    except OSError as error:
        print(f"warning: {path.parent}: cannot write the cache: {error.strerror}", file=sys.stderr)


def _answer(
    found: Analysis, minima: dict[str, float | None], as_json: bool, source: str, variants: tuple[str, ...]
) -> NoReturn:
    """Print the analysis and leave with the exit code that it means."""
    values = {"win": found.win, "slt": found.slt, "ddr": found.ddr["mean"] if found.ddr else None}
    gates = [
        {"axis": axis, "minimum": minimum, "value": value, "met": value is not None and value >= minimum}
        for axis, value in values.items()
        if (minimum := minima.get(axis)) is not None
    ]
    if as_json:
        from holdfast.analysis import to_object

        _emit(json.dumps({**to_object(found), "gates": gates}))
    else:
        from holdfast.report.terminal import analysis_text

        others = tuple(name for name in variants if name != found.variant)
        _emit(analysis_text(found, gates, source, others))
    passed = found.defensible and all(gate["met"] for gate in gates)
    raise typer.Exit(UNDECIDED if found.undecided else DEFENSIBLE if passed else REFUSED)


@contextmanager
def _watching(timeout: float | None, n_episodes: int = 0) -> Iterator[Watch]:
    """Two callbacks, for what is being done and for (seed, episodes done).

    A person watching gets a line that says so, and a bar with the time left once training begins. The
    end of patience is a LimitError.
    """
    deadline = None if timeout is None else time.monotonic() + timeout

    def patience() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise LimitError(f"stopped after {timeout:g} s, as --timeout asks")

    if not sys.stderr.isatty():
        yield (lambda doing: patience()), (lambda seed, episode: patience())
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("solving …", total=None)
        done: dict[int, int] = {}

        def show(doing: str) -> None:
            patience()
            bar.update(task, description=f"solving … {doing}")

        def train(seed: int, episode: int) -> None:
            patience()
            done[seed] = episode
            bar.update(task, description="training", total=n_episodes, completed=sum(done.values()))

        yield show, train
