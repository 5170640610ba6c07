"""``export-shield``: the permitted moves as a file that needs no Holdfast."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from holdfast.cli.app import REFUSED, emit, working
from holdfast.cli.options import Engine, Limits, Question
from holdfast.cli.reports import refuse_place


def export_shield(
    *,
    question: Question,
    form: Annotated[
        Literal["json", "c", "python"],
        typer.Option("--format", "-f", help="What to write.", show_default=False),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Where to write it; standard output by default."),
    ] = None,
    engine: Engine = "auto",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the size as one JSON object; needs --output.")
    ] = False,
    limits: Limits,
) -> None:
    """Write the shield out: which moves are permitted, as a look-up in JSON, C or Python.

    Exit 1 if the scenario is not defensible: then there is no shield.
    """
    from holdfast.engines import solve
    from holdfast.exports import flatten_shield, render, size
    from holdfast.files import write_whole

    if as_json and output is None:
        raise typer.BadParameter("--json needs --output: without it the shield itself is what is printed")
    refuse_place(output, question.file)
    with working(limits) as budget:
        _, chosen = question.read(budget)
        solution = solve(chosen, engine, budget)
        if not solution.defensible:
            _refuse(question, as_json)
        shield = flatten_shield(solution, budget)
        text = render(shield, form)
    found: dict[str, str | int] = {"format": form, "file_bytes": len(text), **size(shield)}
    if output is None:
        emit(text)
    else:
        write_whole(output, text, "the shield")
    if as_json:
        emit(json.dumps({"output": str(output), **found}))
    else:
        print(_report(found), file=sys.stderr)


def _refuse(question: Question, as_json: bool) -> NoReturn:
    """There is no shield: say so and leave."""
    variant = ["--variant", question.variant] if question.variant else []
    command = shlex.join(["holdfast", "explain", str(question.file), *variant])
    if as_json:
        emit(json.dumps({"defensible": False}))
    else:
        print(
            "not defensible: the adversary can force a violation from the initial position, so there is no "
            f"shield to export; {command} shows how",
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
