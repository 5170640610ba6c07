"""``automata``: the clauses of a scenario as the machines that watch over them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.app import emit, printable
from holdfast.cli.options import FileArgument, JsonOption, VariantOption

if TYPE_CHECKING:
    from holdfast.logic.automata import SafetyAutomaton

    Clauses = Sequence[tuple[str, SafetyAutomaton]]
    """The automata of a scenario, each with its side and its number there: ``requirement-1``."""


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
) -> None:
    """Show the safety automata that the clauses of φ_D and φ_A become: states, guards, violations.

    As text, in the DOT language of Graphviz, or drawn. What is too large to be drawn is written as text.
    """
    from holdfast.files import prepare
    from holdfast.scenario.load import configuration, read_scenario

    if output is not None:
        prepare(output)
    found = configuration(read_scenario(file), variant)
    sides = {"requirement": found.defender, "boundary": found.adversary}
    clauses = [(f"{side}-{i}", one) for side, several in sides.items() for i, one in enumerate(several, 1)]
    if output is not None:
        _write(clauses, form, output)
    if as_json:
        objects = [{"clause": name, "label": one.source, **one.to_object()} for name, one in clauses]
        emit(json.dumps({"name": found.name, "variant": found.variant, "automata": objects}))
    elif output is None:
        emit(printable(_together(clauses, form)))


def _together(clauses: Clauses, form: Notation) -> str:
    """All automata in one text, one DOT file or one picture."""
    if form is Notation.TEXT:
        return "\n\n".join(f"{name}: {one}" for name, one in clauses)
    if form is Notation.DOT:
        return "\n".join(one.to_dot() for _, one in clauses)
    from holdfast.report import figures

    _undrawn(clauses)
    return figures.svg_document(figures.automata([(one, f"{name}: {one.source}") for name, one in clauses]))


def _write(clauses: Clauses, form: Notation, directory: Path) -> None:
    """A file for each automaton; as text where it cannot be drawn."""
    from holdfast.files import write_whole
    from holdfast.report import figures

    undrawn = _undrawn(clauses) if form is Notation.SVG else set()
    for name, one in clauses:
        if form is Notation.TEXT or name in undrawn:
            place, text = directory / f"{name}.txt", f"{one}\n"
        elif form is Notation.DOT:
            place, text = directory / f"{name}.dot", f"{one.to_dot()}\n"
        else:
            place, text = directory / f"{name}.svg", figures.svg_document(figures.automaton(one, one.source))
        write_whole(place, text, "the automaton")
        print(f"wrote {place}", file=sys.stderr)


def _undrawn(clauses: Clauses) -> set[str]:
    """Say which automata are too large for a picture, and why."""
    from holdfast.report import figures

    found = set()
    for name, one in clauses:
        reason = figures.illegible(one)
        if reason is not None:
            print(f"{name} is not drawn: {reason}; --format text shows it", file=sys.stderr)
            found.add(name)
    return found
