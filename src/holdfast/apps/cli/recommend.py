"""``recommend``: what to change so that a design holds, or holds better."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question, Workers
from holdfast.apps.cli.reports import Form, Growing, refuse_place
from holdfast.apps.cli.supervisor import remember

if TYPE_CHECKING:
    from holdfast.apps.services.changes import RecommendationAnswer
    from holdfast.report import Document


def recommend(
    *,
    question: Question,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            help="Only changes of this kind: cut, filter, close, respond, harden, block, named; repeatable.",
        ),
    ] = None,
    max_cost: Annotated[
        int | None,
        typer.Option(
            "--budget",
            min=1,
            metavar="COST",
            help="Sets of changes up to this cost; else the cheapest that help, or every single change.",
        ),
    ] = None,
    wanted: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="GOAL",
            help="What must be possible besides holding: evict (get the attacker out), recover (have all "
            "clean again), or a goal of the file (recovery:); hold or hold@100: what makes a lost design "
            "likelier to hold.",
        ),
    ] = "held",
    cut_flows: Annotated[
        bool, typer.Option("--cut-flows", help="Offer to cut links that a flow of the network needs, too.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show all sets of changes that help, not only the first five.")
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option("--write", metavar="FILE", help="Write the scenario there, the best as variants."),
    ] = None,
    patch: Annotated[
        Path | None,
        typer.Option(
            "--patch",
            metavar="DIR",
            help="Write the first set of changes there: a change request and, with --source, patches.",
        ),
    ] = None,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--source",
            metavar="PATH",
            help="What it was imported from, for --patch: Kubernetes manifests, nftables rules, .tf files.",
        ),
    ] = None,
    drawings: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Write the pictures there, as SVG and as PNG."),
    ] = None,
    engine: Engine = "auto",
    form: Form,
    workers: Workers,
    limits: Limits,
) -> None:
    """What is the cheapest change that makes it hold, or what makes it hold better?

    The changes to choose from stand in the file (design:); by default every link can be cut, but for those
    that a flow of the network needs, which can be filtered, there can be a filter between two zones, and the
    defender can respond faster. Exit 0 if the design holds or a set of changes is found that makes it hold
    (with --for: and reach the goal), 1 if none does, 3 if a limit left that open.
    """
    from holdfast.apps.services.changes import patch as patched, recommend as recommended
    from holdfast.design import recommendation_object
    from holdfast.report import recommendation_document
    from holdfast.running import prepare, write_whole
    from holdfast.scenario import read_scenario

    form.refuse(question.file)
    refuse_place(write, question.file, form.html)
    if source and patch is None:
        raise typer.BadParameter("--source says what --patch is for; name a folder with --patch")
    for folder in (drawings, patch):
        if folder is not None:
            prepare(folder)
    growing = Growing(form)

    def document(known: RecommendationAnswer) -> Document:
        advice, proposed = known.recommendation, known.proposed
        return recommendation_document(advice, str(question.file), proposed, in_full=everything)

    with working(limits, workers.jobs, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        asked = {"variant": question.variant, "kinds": kind, "engine": engine, "cut_flows": cut_flows}
        asked |= {} if wanted == "held" else {"for": wanted}
        answer = recommended(
            scenario,
            question.variant,
            kinds=kind or (),
            max_cost=max_cost,
            wanted=wanted,
            cut_flows=cut_flows,
            shown=form.html is not None or drawings is not None,
            engine=engine,
            backend=workers.backend(scenario.text, asked),
            budget=budget,
            solved=lambda one: remember(defensible=one.defensible, initial_rank=one.initial_rank),
            tell=(lambda known: growing.tell(document(known))) if form.is_text else None,
        )
        files = patched(answer, source or (), budget=budget) if patch is not None else {}
    _write(answer, write, drawings)
    for name, text in files.items():
        assert patch is not None
        write_whole(patch / name, text, "the patch")
        print(f"wrote {patch / name}", file=sys.stderr)
    growing.answer(lambda: document(answer), lambda: recommendation_object(answer.recommendation))
    raise typer.Exit(answer.exit_code)


def _write(answer: RecommendationAnswer, scenario: Path | None, drawings: Path | None) -> None:
    """Write the scenario with the best as variants, and the pictures, where they were asked for."""
    if scenario is not None:
        from holdfast.design import with_variants
        from holdfast.running import write_whole

        write_whole(scenario, with_variants(answer.recommendation), "the scenario")
    if drawings is not None:
        from holdfast.report import recommendation_figures, save_figure

        for name, figure in recommendation_figures(answer.recommendation, answer.proposed).items():
            save_figure(figure, drawings / name)
