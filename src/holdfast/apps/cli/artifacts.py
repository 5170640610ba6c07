"""``export-shield``, ``export-game`` and ``automata``: parts of a scenario as files that need no Holdfast."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from holdfast.apps.cli.app import emit, printable, working
from holdfast.apps.cli.options import AsJson, Engine, Limits, Question
from holdfast.apps.cli.reports import refuse_place
from holdfast.apps.cli.supervisor import hear
from holdfast.apps.services import REFUSED
from holdfast.running import plugins_of

if TYPE_CHECKING:
    from holdfast.game import Clause

    Clauses = Mapping[str, Clause]
    """By side and number there: ``requirement-1``."""

    ShieldFormat = str
else:  # the names are known only when the program runs
    ShieldFormat = Annotated[
        Literal[tuple(plugins_of("exporters", ("json", "c", "python")))],
        typer.Option("--format", "-f", help="What to write.", show_default=False),
    ]


def export_shield(
    *,
    question: Question,
    form: ShieldFormat,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="The file to write; standard output by default."),
    ] = None,
    sight: Annotated[
        bool,
        typer.Option(
            "--sight", help="Export a controller with memory that uses only what the sensors (sensors:) show."
        ),
    ] = False,
    engine: Engine = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the size as JSON; needs --output.")] = False,
    limits: Limits,
) -> None:
    """Export the shield (which moves are permitted) as JSON, C or Python.

    With --sight, exports a controller instead, which acts on what the sensors show and on its memory. Exits
    1 if the scenario cannot be defended, because there is no shield then.
    """
    from holdfast.arena import (
        controller_size,
        flatten_controller,
        flatten_shield,
        render,
        render_controller,
        size,
    )
    from holdfast.game import limited_sight, written_out
    from holdfast.running import write_whole
    from holdfast.solver import solve, solve_beliefs, steadied

    if as_json and output is None:
        raise typer.BadParameter("--json needs --output, because otherwise the shield itself is printed")
    refuse_place(output, question.file)
    with working(limits, about=question.called) as budget:
        _, chosen = question.read(budget)
        chosen = written_out(chosen, "an exported shield", budget)
        solution = solve(chosen, engine, budget)
        hear(solution)
        if not solution.defensible:
            _refuse(question, as_json)
        if sight:
            answer = solve_beliefs(solution, limited_sight(chosen.system.sight), budget)
            if not answer.defensible:
                _refuse(question, as_json, "not defensible with what the sensors show")
            controller = flatten_controller(steadied(solution, answer, budget), budget)
            text, sizes = render_controller(controller, form), controller_size(controller)
        else:
            shield = flatten_shield(solution, budget)
            text, sizes = render(shield, form), size(shield)
    facts: dict[str, str | int] = {"format": form, "file_bytes": len(text), **sizes}
    if output is None:
        emit(text)
    else:
        write_whole(output, text, "the shield")
    if as_json:
        emit(json.dumps({"output": str(output), **facts}))
    else:
        print((_controller_report if sight else _report)(facts), file=sys.stderr)
        seen = chosen.system.sight
        if not sight and seen is not None and seen.placed is not None:
            print("it must be told everything; --sight writes what holds with what is seen", file=sys.stderr)


NOT_DEFENSIBLE = "not defensible: the adversary can force a violation from the initial position"


def _refuse(question: Question, as_json: bool, why: str = NOT_DEFENSIBLE) -> NoReturn:
    """There is no shield: say so and leave."""
    variant = ["--variant", question.variant] if question.variant else []
    command = shlex.join(["holdfast", "explain", str(question.file), *variant])
    if as_json:
        emit(json.dumps({"defensible": False}))
    else:
        print(
            f"{why}, so there is no shield to export; {command} shows how",
            file=sys.stderr,
        )
    raise typer.Exit(REFUSED)


def _report(found: dict[str, str | int]) -> str:
    """The size in a sentence."""
    return (
        f"{found['file_bytes']:,} bytes of {found['format']}: {found['nodes']:,} nodes in "
        f"{found['entries']:,} entries, {found['blocks']:,} pairs of automaton states, "
        f"{found['actions']:,} actions; {found['table_bytes']:,} bytes of tables in C"
    )


def _controller_report(found: dict[str, str | int]) -> str:
    """The size of a controller in a sentence."""
    return (
        f"{found['file_bytes']:,} bytes of {found['format']}: phases {found['phases']:,}, "
        f"rounds {found['rounds']:,}, looks {found['looks']:,}, actions {found['actions']:,}"
    )


def export_game(
    *,
    question: Question,
    form: Annotated[
        Literal["prism", "strategies"],
        typer.Option(
            "--format", "-f", help="The output format: the PRISM-games language, or best strategies as JSON."
        ),
    ] = "prism",
    moves: Annotated[
        int | None, typer.Option(min=1, help="Strategies for so many moves; for ever by default.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="The file to write; standard output by default."),
    ] = None,
    engine: Engine = "auto",
    limits: Limits,
) -> None:
    """Export the game, position by position, so that other programs can compute how likely it holds.

    The properties to ask for are listed at the top of the file. As strategies it is JSON: what each side
    chooses at every position that it may reach, and what that guarantees, where outcomes are drawn.
    """
    from holdfast.game import written_out
    from holdfast.operation import hold_strategies, prism_model, strategies_object
    from holdfast.running import write_whole
    from holdfast.solver import solve

    if moves is not None and form == "prism":
        raise typer.BadParameter("--moves is for strategies; add --format strategies")
    refuse_place(output, question.file)
    with working(limits, about=question.called) as budget:
        _, chosen = question.read(budget)
        solution = solve(written_out(chosen, "an exported game", budget), engine, budget)
        hear(solution)
        if form == "prism":
            text = prism_model(solution, budget)
        else:
            best = hold_strategies(solution, moves, budget)
            text = json.dumps(strategies_object(best, chosen), ensure_ascii=False, indent=1) + "\n"
    if output is None:
        emit(text)
    else:
        write_whole(output, text, "the game")
        print(f"wrote {output} ({len(text):,} bytes of {form})", file=sys.stderr)


def automata(
    *,
    question: Question,
    form: Annotated[
        Literal["text", "dot", "svg"], typer.Option("--format", "-f", help="What to write.")
    ] = "text",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Write one file per clause to this folder instead."
        ),
    ] = None,
    as_json: AsJson = False,
    limits: Limits,
) -> None:
    """Show the safety automata that the clauses of φ_D and φ_A become: states, guards, violations.

    As text, in the DOT language of Graphviz, or as a picture. Automata that are too large to draw are
    written as text.
    """
    from holdfast.logic import Player
    from holdfast.running import prepare

    if output is not None:
        prepare(output)
    with working(limits, task="compiling", about=question.called) as budget:
        _, chosen = question.read(budget)
    sides = {"requirement": Player.DEFENDER, "boundary": Player.ADVERSARY}
    clauses = {
        f"{name}-{i}": one for name, side in sides.items() for i, one in enumerate(chosen.clauses(side), 1)
    }
    if output is not None:
        _write(clauses, form, output)
    if as_json:
        objects = [
            {"clause": name, "label": one.label, "formula": one.text or None, **one.automaton.to_object()}
            for name, one in clauses.items()
        ]
        emit(json.dumps({"name": chosen.name, "variant": chosen.variant, "automata": objects}))
    elif output is None:
        emit(printable(_together(clauses, form)))


def _together(clauses: Clauses, form: str) -> str:
    """All automata in one text, one DOT file or one picture."""
    if form == "text":
        return "\n\n".join(f"{name}, {one.label}: {one.automaton}" for name, one in clauses.items())
    if form == "dot":
        return "\n".join(one.automaton.to_dot() for one in clauses.values())
    from holdfast.report import figures

    _undrawn(clauses)
    panels = [(one.automaton, f"{name}: {one.label}") for name, one in clauses.items()]
    return figures.svg_document(figures.automata(panels))


def _write(clauses: Clauses, form: str, directory: Path) -> None:
    """A file for each automaton; as text where it cannot be drawn."""
    from holdfast.report import figures
    from holdfast.running import write_whole

    undrawn = _undrawn(clauses) if form == "svg" else set()
    for name, one in clauses.items():
        if form == "text" or name in undrawn:
            ending, text = "txt", f"{one.automaton}\n"
        elif form == "dot":
            ending, text = "dot", f"{one.automaton.to_dot()}\n"
        else:
            ending, text = "svg", figures.svg_document(figures.automata([(one.automaton, one.label)]))
        write_whole(directory / f"{name}.{ending}", text, "the automaton")
        print(f"wrote {directory / name}.{ending}", file=sys.stderr)


def _undrawn(clauses: Clauses) -> set[str]:
    """Say which automata are too large for a picture, and why."""
    from holdfast.report import figures

    reasons = {name: figures.illegible(one.automaton) for name, one in clauses.items()}
    undrawn = {name: reason for name, reason in reasons.items() if reason is not None}
    for name, reason in undrawn.items():
        print(f"{name} is not drawn: {reason}; --format text shows it", file=sys.stderr)
    return set(undrawn)
