"""``fragile`` and ``guard``: what must never be added to a design, and later designs held to that."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.apps.cli.app import emit, one_printable_line, working
from holdfast.apps.cli.options import ByZone, Engine, Limits, Question, Workers
from holdfast.apps.cli.reports import Form, PipelineForm, refuse_place
from holdfast.apps.cli.supervisor import hear


def fragile(
    *,
    question: Question,
    keep: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="The property to keep: held, evict, recover, ladder:RUNG, or a gate such as 'effort <= 1'.",
        ),
    ] = "held",
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            help="Only additions of this kind: link, entry, expose, ability, lose, slower, soften, "
            "unfilter, tempo, budget, drop, or assumption (everything the proof relies on); repeatable.",
        ),
    ] = None,
    max_cost: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="COST",
            help="Search sets of additions up to this cost; by default, up to the cheapest single addition.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write", metavar="GUARD", help="Write the forbidden sets to this file, for holdfast guard."
        ),
    ] = None,
    engine: Engine = "auto",
    by_zone: ByZone = False,
    form: Form,
    workers: Workers,
    limits: Limits,
) -> None:
    """Find what must never be added, because it would break the proof.

    Lists all minimal sets of new links, entries, exposed hosts, attacker abilities and lost protections
    that break the design, cheapest first, each with the attack that it opens. Exits 1 if the design does
    not have the property to begin with, and 3 if a limit stopped the search.
    """
    from holdfast.apps.services.drift import fragile as asked
    from holdfast.apps.services.zones import fragile_by_zone
    from holdfast.design import fragility_object
    from holdfast.report import fragility_document
    from holdfast.running import write_whole
    from holdfast.scenario import read_scenario

    form.refuse(question.file)
    refuse_place(write, question.file, form.html)
    with working(limits, workers.jobs, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        whole = keep != "held" or write is not None
        refusal = "--by-zone finds what breaks the verdict; leave out --keep and --write" if whole else ""
        if question.goes_by_zone(scenario, by_zone, refusal, budget):
            told = fragile_by_zone(
                scenario,
                question.variant,
                kinds=kind or (),
                max_cost=max_cost,
                backend=workers.backend(scenario.text, {"variant": question.variant, "fragile": "zone"}),
                budget=budget,
            )
            form.answer(lambda: told.document(str(question.file)), told.to_object)
            raise typer.Exit(told.exit_code)
        about = {"variant": question.variant, "keep": keep, "kinds": kind, "max": max_cost, "engine": engine}
        answer = asked(
            scenario,
            question.variant,
            keep=keep,
            kinds=kind or (),
            max_cost=max_cost,
            guarded=write is not None,
            engine=engine,
            solved=hear,
            backend=workers.backend(scenario.text, about),
            budget=budget,
        )
    if write is not None:
        write_whole(write, answer.guard, "the guard")
    form.answer(
        lambda: fragility_document(answer.fragility, str(question.file)),
        lambda: fragility_object(answer.fragility),
    )
    raise typer.Exit(answer.exit_code)


def guard(
    *,
    guard_file: Annotated[
        Path, typer.Argument(metavar="GUARD", help="The file written by fragile --write.", show_default=False)
    ],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="The changed scenario files.", show_default=False),
    ],
    variant: Annotated[
        str | None, typer.Option("--variant", "-v", help="Check this variant; by default, the guarded one.")
    ] = None,
    allow_weaker: Annotated[
        bool,
        typer.Option(
            "--allow-weaker", help="Accept a change that claims less than what was proved, and solve it."
        ),
    ] = False,
    engine: Engine = "auto",
    form: PipelineForm,
    limits: Limits,
) -> None:
    """Check that a changed design still has the proved property and adds nothing forbidden.

    A change that contains a forbidden set fails at once, without solving; a change that the guard does not
    cover is solved. Exits 1 if the change breaks the guarded property or weakens what was proved.
    """
    from holdfast.apps.services.drift import guard as asked

    form.refuse(guard_file, *files)
    with working(limits, task="guarding", about=", ".join(file.name for file in files)) as budget:
        answer = asked(guard_file, files, variant, allow_weaker=allow_weaker, engine=engine, budget=budget)
        form.write_cases(answer.cases)
    if form.is_text:
        emit("\n".join(map(one_printable_line, answer.lines())))
    else:
        form.answer(answer.document, answer.to_object)
    raise typer.Exit(answer.exit_code)
