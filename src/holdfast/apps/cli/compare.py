"""``compare``: the variants of a file, or several files, against each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from holdfast.apps.cli.app import one_printable_line, working
from holdfast.apps.cli.completions import variants
from holdfast.apps.cli.options import (
    Engine,
    Episodes,
    Limits,
    NoExact,
    NoLadder,
    NoLatitude,
    NoLearning,
    NoRecovery,
    NoResponse,
    Seeds,
    Workers,
)
from holdfast.apps.cli.reports import PipelineForm
from holdfast.apps.cli.supervisor import remember
from holdfast.errors import InputError


def compare(
    *,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="One file with variants, or several files.", show_default=False),
    ],
    base: Annotated[str | None, typer.Option("--base", help="Compare with this design.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="BASELINE",
            help="Compare with this: a file, REVISION:FILE of git (main:segment.yaml), or a saved analysis.",
        ),
    ] = None,
    fail_on: Annotated[
        Literal["lost", "regression"],
        typer.Option(help="Exit 1 if any design cannot be defended, or if one is worse than the base."),
    ] = "lost",
    guard: Annotated[
        Path | None,
        typer.Option(
            metavar="GUARD",
            help="Exit 1 if a design adds anything that GUARD forbids; GUARD is a file written by "
            "fragile --write.",
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            "-v",
            help="Only this variant of each file; repeatable.",
            autocompletion=variants,
        ),
    ] = None,
    engine: Engine = "auto",
    form: PipelineForm,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print the scores as CSV, one row per design.")
    ] = False,
    no_exact: NoExact = False,
    no_latitude: NoLatitude = False,
    no_learning: NoLearning = False,
    no_recovery: NoRecovery = False,
    no_response: NoResponse = False,
    no_ladder: NoLadder = False,
    seeds: Seeds = None,
    episodes: Episodes = None,
    workers: Workers,
    limits: Limits,
) -> None:
    """Compare designs: what each one changes, how deep, and where the ranking on paper differs from play.

    With one file, compares its base with its variants; with several, the base of each, or the variants you
    name; with --against, compares them with a baseline. Verdicts come first, and the scores share the rest
    of --timeout; any that remain undecided are named. --html and --markdown add why a design is lost, up to
    30 seconds more for each.
    """
    from holdfast.apps.services.baseline import read_baseline
    from holdfast.apps.services.comparison import compare as compared, lineup
    from holdfast.apps.services.design import TrainingRuns
    from holdfast.report import comparison_csv

    form.refuse(*files, guard, csv=as_csv)
    printed = next((file for file in files[1:] if file.suffix in (".csv", ".md", ".json")), None)
    if printed is not None and not printed.exists():
        raise InputError(
            f"{printed}: no such file; --csv, --markdown and --json print the answer: "
            f"to keep it, end the command with > {printed}"
        )
    if base is not None and against is not None:
        raise typer.BadParameter("--base and --against both name what to compare with; drop one of the two")
    with working(limits, workers.jobs) as budget:
        chosen = lineup(
            files,
            variant or [],
            TrainingRuns(episodes, seeds),
            base=base,
            against=None if against is None else read_baseline(against, budget),
            called=against or "",
            budget=budget,
        )
        answer = compared(
            chosen,
            latitude=not no_latitude,
            response=not no_response,
            learning=not no_learning,
            recovery=not no_recovery,
            exact=not no_exact,
            strict=fail_on == "regression",
            why=form.why != "never",
            ladder=not no_ladder and not as_csv,
            guard=guard,
            engine=engine,
            backend=workers.backend(chosen.texts, {"protocols": [d.protocol for d in chosen.designs]}),
            decided=lambda verdicts: remember(verdicts=verdicts),
            budget=budget,
        )
        form.write_cases(answer.cases)
    form.answer(
        lambda: answer.document(", ".join(map(str, files))),
        answer.to_object,
        csv=(lambda: comparison_csv(answer.comparison)) if as_csv else None,
    )
    for one in answer.regressions:
        line = f"{'undecided' if one.open else 'regression'}: {one.text}"
        print(one_printable_line(line), file=sys.stderr)
    for refused in answer.refused:
        print(one_printable_line(f"guard: {refused}"), file=sys.stderr)
    raise typer.Exit(answer.exit_code)
