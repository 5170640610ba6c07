"""``play``: the solved game played in the terminal, and plays checked against the model."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from holdfast.apps.cli.app import INTERRUPTED, emit, is_given, printable, working
from holdfast.apps.cli.options import Limits, Question
from holdfast.apps.services import DEFENSIBLE, REFUSED
from holdfast.running import interruption_answered

if TYPE_CHECKING:
    from holdfast.apps.play.session import Session
    from holdfast.apps.play.trace import Trace
    from holdfast.scenario import Scenario

MAX_LINE = 10_000
PATIENCE = 10.0
"""Seconds that a person at a terminal waits for perfect play; after that it is worked out beside the play."""


def play(
    *,
    context: typer.Context,
    question: Question,
    side: Annotated[
        Literal["defender", "adversary"], typer.Option("--as", help="The side you play.")
    ] = "defender",
    against: Annotated[
        Literal["optimal", "learned", "random"], typer.Option(help="How the other side plays.")
    ] = "optimal",
    moves: Annotated[int, typer.Option(min=1, max=1000, help="End the play after this many moves.")] = 40,
    fog: Annotated[
        bool,
        typer.Option(
            "--fog",
            help="See only what the sensors in the file show; the command cases lists what else may be true.",
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Random seed, for chance and training.")
    ] = 1,
    save: Annotated[
        Path | None, typer.Option(metavar="TRACE", help="Save the play as text to this file.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(metavar="TRACE", help="Replay a saved play and check every line."),
    ] = None,
    limits: Limits,
) -> None:
    """Play the defender against an attacker, or the attacker against the shield.

    --timeout and --memory limit the computation, not the play. In a terminal the board appears within
    seconds, and anything slower is computed while you play.
    """
    if replay is not None:
        # A kept play says itself who plays how; what else is given would be ignored.
        for name in ("side", "against", "moves", "fog", "seed", "save"):
            if is_given(context, name):
                option = "--as" if name == "side" else f"--{name}"
                raise typer.BadParameter(f"--replay replays a saved play; drop {option}")
        raise typer.Exit(_replay(question, replay, limits))
    if fog and side == "adversary":
        raise typer.BadParameter("the adversary sees everything: --fog is for the defender's side")
    from holdfast.apps.play import screen
    from holdfast.apps.play.dialogue import Sitting, converse
    from holdfast.apps.play.fog import fog_of, fog_opening
    from holdfast.apps.play.session import Match, begin
    from holdfast.apps.play.strategies import opponent, optimal, prepare
    from holdfast.apps.play.trace import save_trace, trace_of
    from holdfast.errors import LimitError
    from holdfast.game import limited_sight, written_out
    from holdfast.logic import Player
    from holdfast.scenario import learning
    from holdfast.solver import solve_beliefs

    human = Player(side)
    with working(limits, task="preparing the play", about=question.called) as budget:
        scenario, chosen = question.read(budget)
        chosen = written_out(chosen, "play", budget)
        sight = limited_sight(chosen.system.sight) if fog else None
        protocol = learning(scenario, question.variant)
        setting = prepare(chosen, protocol, moves, budget, PATIENCE if _at_a_terminal() else None)
        other, setting = opponent(against, setting, protocol, seed, budget)
        answer = None
        if sight is not None:
            with suppress(LimitError):
                answer = solve_beliefs(setting.solution, sight, budget.share(0.5, PATIENCE))
    header = _header(scenario, chosen.variant) | {
        "defender": "player" if human is Player.DEFENDER else against,
        "adversary": "player" if human is Player.ADVERSARY else against,
        "seed": str(seed),
        "moves": str(moves),
    }

    def keep(session: Session, path: Path | None = save) -> None:
        if path is not None:
            save_trace(trace_of(session, header), path)

    match = Match(setting.solution, seed, moves)
    session, in_fog = begin(match), fog_of(match, answer) if fog else None
    keep(session)
    emit(screen.rendered(screen.opening(chosen.title, setting, human, against, moves)))
    if in_fog is not None:
        emit(screen.rendered(fog_opening(in_fog), ""))
    adviser = other if against == "optimal" else optimal(setting.solution, setting.perfect)
    sitting = Sitting(human, other, adviser, setting, emit, _asker(), keep, fog=in_fog)
    code = DEFENSIBLE
    try:
        converse(sitting, session)
    except KeyboardInterrupt:
        interruption_answered()
        emit("")
        code = INTERRUPTED
    finally:
        if setting.pending is not None:
            setting.pending.leave()
    if save is not None:
        emit(f"saved {save}; play it back with: holdfast play {scenario.path} --replay {save}")
    raise typer.Exit(code)


def _replay(question: Question, path: Path, limits: Limits) -> int:
    """Play a trace back: 0 if the model reproduces it, 1 at the first line that differs."""
    from holdfast.apps.play.screen import closing, rendered
    from holdfast.apps.play.strategies import Setting
    from holdfast.apps.play.trace import END, Difference, match_of, read_trace, replayed
    from holdfast.game import written_out
    from holdfast.report import plain
    from holdfast.scenario import configuration, read_scenario
    from holdfast.solver import solve

    with working(limits, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        trace = read_trace(path)
        chosen = configuration(scenario, question.variant or trace.header.get("variant"), budget)
        match = match_of(trace, solve(written_out(chosen, "play", budget), budget=budget))
    for note in _notes(trace, scenario, chosen.variant):
        emit(f"  note: {plain(note)}")
    pausing, session = _at_a_terminal(), None
    try:
        for line, session in replayed(trace, match):
            if line.happened != END:
                pausing = _show(session, pausing)
    except Difference as difference:
        emit(f"DIFFERS  {path}, {plain(str(difference))}")
        return REFUSED
    except (EOFError, KeyboardInterrupt):
        interruption_answered()
        emit("\nstopped")
        return INTERRUPTED
    assert session is not None
    emit(rendered(closing(session, Setting(match.solution, None, None, ()))))
    emit(f"  REPRODUCED  all {len(trace.lines)} lines of {plain(str(path))} are as the model has them")
    return DEFENSIBLE


def _show(session: Session, pausing: bool) -> bool:
    """One step of a replay: a line, and on a terminal the board; whether to go on step by step."""
    from holdfast.apps.play.screen import rendered, situation, steps_since

    emit(rendered(*steps_since(session, len(session.steps) - 1)))
    if not pausing:
        return False
    emit(rendered(situation(session)))
    return input("  Enter: next · a: all · Ctrl-D: stop  ").strip().casefold() not in ("a", "all")


def _notes(trace: Trace, scenario: Scenario, variant: str | None) -> list[str]:
    """How the header of a trace differs from what it is checked against; the lines decide."""
    here, notes = _header(scenario, variant), []
    if trace.header.get("scenario", here["scenario"]) != here["scenario"]:
        notes.append(f'the play is from "{trace.header["scenario"]}"')
    if trace.header and trace.header.get("variant") != variant:
        notes.append(f"the play is from {trace.header.get('variant', 'the base')}, not of this variant")
    if trace.header.get("sha256", here["sha256"]) != here["sha256"]:
        notes.append("the scenario file has changed since the play was saved")
    return notes


def _header(scenario: Scenario, variant: str | None) -> dict[str, str]:
    """What a trace says of where it comes from."""
    from holdfast.report import plain
    from holdfast.running import sha256_of

    named = {"variant": variant} if variant is not None else {}
    return {"scenario": plain(scenario.name), **named, "sha256": sha256_of(scenario.text)}


def _at_a_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _asker() -> Callable[[str], str]:
    """Reads what the person types; in a pipe it is also shown, so that the output tells the whole story."""
    if sys.stdin is not None and sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  gives input() a history
        return input
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")

    def ask(prompt: str) -> str:
        line = sys.stdin.readline(MAX_LINE) if sys.stdin is not None else ""
        emit(f"{prompt}{printable(line.rstrip())}")
        if not line:
            raise EOFError
        return line

    return ask
