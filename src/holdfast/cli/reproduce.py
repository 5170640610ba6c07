"""``reproduce``: the paper, number by number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.app import DEFENSIBLE, REFUSED, emit, working
from holdfast.cli.options import AsJson, Jobs, Limits


def reproduce(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write report, figures and data.")
    ] = Path("reproduction"),
    quick: Annotated[bool, typer.Option("--quick", help="Skip the training, and what needs it.")] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit 1 for differences on record and for early rounding, too."),
    ] = False,
    jobs: Jobs = None,
    as_json: AsJson = False,
    limits: Limits,
) -> None:
    """Run the paper that Holdfast implements, and set every published number beside ours.

    Exit 1 if a number differs beyond its printed digits and is not on record as one that does. A limit ends
    it undecided, and nothing is written.
    """
    from holdfast.files import prepare
    from holdfast.reproduction import reproduce as reproduced
    from holdfast.reproduction import to_object
    from holdfast.reproduction.folder import write
    from holdfast.reproduction.outcome import outcome_text

    prepare(output)
    with working(limits, jobs, task="reproducing") as budget:
        found = reproduced(quick=quick, budget=budget)
        page = write(found, output, budget)
    emit(json.dumps(to_object(found)) if as_json else outcome_text(found, page))
    passed = found.summary.to_the_digit if strict else found.summary.reproduced
    raise typer.Exit(DEFENSIBLE if passed else REFUSED)
