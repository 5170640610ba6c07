"""``automata``: the clauses of a scenario as the machines that watch over them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.app import MEMORY, emit, printable, working
from holdfast.cli.options import FileArgument, JsonOption, MemoryOption, TimeoutOption, VariantOption

if TYPE_CHECKING:
    from holdfast.clauses import Clause

    Clauses = Mapping[str, Clause]
    """By side and number there: ``requirement-1``."""


class Notation(StrEnum):
    """How an automaton is written down."""

    TEXT = "text"
    DOT = "dot"
    SVG = "svg"


def automata(
    file: FileArgument,
    variant: VariantOption = None,
    form: Annotated[Notation, typer.Option("--format", "-f", help="What to write.")] = Notation.TEXT,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write a file for each clause there instead."),
    ] = None,
    as_json: JsonOption = False,
    timeout: TimeoutOption = None,
    memory: MemoryOption = MEMORY,
) -> None:
    """Show the safety automata that the clauses of φ_D and φ_A become: states, guards, violations.

    As text, in the DOT language of Graphviz, or drawn. What is too large to be drawn is written as text.
    """
    from holdfast.files import prepare
    from holdfast.logic.expressions import Player
    from holdfast.scenario.load import configuration, read_scenario

    if output is not None:
        prepare(output)
    with working(timeout, memory, task="compiling") as budget:
        found = configuration(read_scenario(file, budget), variant, budget)
    sides = {"requirement": Player.DEFENDER, "boundary": Player.ADVERSARY}
    clauses = {
        f"{name}-{i}": one for name, side in sides.items() for i, one in enumerate(found.clauses(side), 1)
    }
    if output is not None:
        _write(clauses, form, output)
    if as_json:
        objects = [
            {"clause": name, "label": one.label, "formula": one.text or None, **one.automaton.to_object()}
            for name, one in clauses.items()
        ]
        emit(json.dumps({"name": found.name, "variant": found.variant, "automata": objects}))
    elif output is None:
        emit(printable(_together(clauses, form)))


def _together(clauses: Clauses, form: Notation) -> str:
    """All automata in one text, one DOT file or one picture."""
    if form is Notation.TEXT:
        return "\n\n".join(f"{name}, {one.label}: {one.automaton}" for name, one in clauses.items())
    if form is Notation.DOT:
        return "\n".join(one.automaton.to_dot() for one in clauses.values())
    from holdfast.report import figures

    _undrawn(clauses)
    panels = [(one.automaton, f"{name}: {one.label}") for name, one in clauses.items()]
    return figures.svg_document(figures.automata(panels))


def _write(clauses: Clauses, form: Notation, directory: Path) -> None:
    """A file for each automaton; as text where it cannot be drawn."""
    from holdfast.files import write_whole
    from holdfast.report import figures

    undrawn = _undrawn(clauses) if form is Notation.SVG else set()
    for name, one in clauses.items():
        if form is Notation.TEXT or name in undrawn:
            ending, text = "txt", f"{one.automaton}\n"
        elif form is Notation.DOT:
            ending, text = "dot", f"{one.automaton.to_dot()}\n"
        else:
            ending, text = "svg", figures.svg_document(figures.automata([(one.automaton, one.label)]))
        write_whole(directory / f"{name}.{ending}", text, "the automaton")
        print(f"wrote {directory / name}.{ending}", file=sys.stderr)


def _undrawn(clauses: Clauses) -> set[str]:
    """Say which automata are too large for a picture, and why."""
    from holdfast.report import figures

    reasons = {name: figures.illegible(one.automaton) for name, one in clauses.items()}
    found = {name: reason for name, reason in reasons.items() if reason is not None}
    for name, reason in found.items():
        print(f"{name} is not drawn: {reason}; --format text shows it", file=sys.stderr)
    return set(found)
