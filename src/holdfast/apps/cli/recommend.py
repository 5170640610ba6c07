"""``recommend``: what to change so that a design holds, or holds better."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.apps.cli.app import printable, working
from holdfast.apps.cli.options import (
    ByZone,
    Engine,
    Limits,
    NoExact,
    NoLatitude,
    NoRecovery,
    NoResponse,
    Question,
    Workers,
)
from holdfast.apps.cli.reports import Form, Growing, refuse_place
from holdfast.apps.cli.supervisor import hear, remember
from holdfast.apps.services import BAD_INPUT

if TYPE_CHECKING:
    from holdfast.apps.services.changes import RecommendationAnswer
    from holdfast.apps.services.zones import ZoneAdviceAnswer
    from holdfast.report import Document


NEEDS_WHOLE = "--by-zone proposes what makes the whole hold; leave out --budget, --for, --patch and --figures"


def recommend(
    *,
    question: Question,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            help="Only changes of this kind, such as cut, filter, close, respond, harden, block, named; "
            "repeatable.",
        ),
    ] = None,
    max_cost: Annotated[
        int | None,
        typer.Option(
            "--budget",
            min=1,
            metavar="COST",
            help="Search sets of changes up to this cost; by default, the cheapest that help, or every "
            "single change.",
        ),
    ] = None,
    wanted: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="GOAL",
            help="What the design must also achieve: evict (drive the attacker out), recover (clean "
            "everything), or a goal from the file (recovery:). With hold or hold@100: what makes a lost "
            "design more likely to hold.",
        ),
    ] = "held",
    cut_flows: Annotated[
        bool,
        typer.Option("--cut-flows", help="Also consider cutting links that a flow of the network needs."),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show all sets of changes that help, not only the first five.")
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            metavar="FILE",
            help="Write the scenario to this file, with the best changes as variants.",
        ),
    ] = None,
    patch: Annotated[
        Path | None,
        typer.Option(
            "--patch",
            metavar="DIR",
            help="Write the best set of changes to this folder: a change request and, with --source, "
            "patches.",
        ),
    ] = None,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--source",
            metavar="PATH",
            help="For --patch: the files the scenario was imported from (Kubernetes manifests, nftables "
            "rules, .tf files).",
        ),
    ] = None,
    drawings: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Write the pictures to this folder, as SVG and PNG."),
    ] = None,
    engine: Engine = "auto",
    by_zone: ByZone = False,
    no_exact: NoExact = False,
    no_latitude: NoLatitude = False,
    no_recovery: NoRecovery = False,
    no_response: NoResponse = False,
    form: Form,
    workers: Workers,
    limits: Limits,
) -> None:
    """Find the cheapest changes that make a design hold, or that improve one that holds.

    The file can list the changes to choose from (design:). By default, links can be cut (or filtered, if a
    flow of the network needs them), filters can be placed between zones, and the defenders can respond
    faster. Exits 0 if the design holds or some set of changes makes it hold (and, with --for, reach the
    goal), 1 if none does, and 3 if a limit stopped the search.
    """
    from holdfast.apps.services.changes import patch as patched, recommend as recommended
    from holdfast.apps.services.zones import recommend_by_zone
    from holdfast.design import IN_FULL, recommendation_object
    from holdfast.models import PatchRefusedError
    from holdfast.report import recommendation_document
    from holdfast.running import prepare, write_whole
    from holdfast.scenario import read_scenario

    form.refuse(question.file)
    refuse_place(write, question.file, form.html)
    if source and patch is None:
        raise typer.BadParameter("--source names the files that --patch changes; name a folder with --patch")
    for folder in (drawings, patch):
        if folder is not None:
            prepare(folder)
    growing = Growing(form)

    def document(known: RecommendationAnswer) -> Document:
        advice, proposed = known.recommendation, known.proposed
        return recommendation_document(advice, str(question.file), proposed, in_full=everything)

    with working(limits, workers.jobs, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        whole = any((max_cost, patch, drawings, wanted != "held"))
        if question.goes_by_zone(scenario, by_zone, NEEDS_WHOLE if whole else "", budget):
            told = recommend_by_zone(
                scenario,
                question.variant,
                kinds=kind or (),
                cut_flows=cut_flows,
                backend=workers.backend(scenario.text, {"variant": question.variant, "by": "zone"}),
                budget=budget,
                tell=partial(_tell_zones, aloud=form.is_text),
            )
            if write is not None:
                write_whole(write, told.written(), "the scenario")
            form.answer(lambda: told.document(str(question.file)), told.to_object)
            raise typer.Exit(told.exit_code)
        asked: dict[str, Any] = {"variant": question.variant, "kinds": kind, "engine": engine}
        asked |= {"cut_flows": cut_flows}
        asked |= {} if wanted == "held" else {"for": wanted}
        readings = replace(
            IN_FULL,
            latitude=not no_latitude,
            response=not no_response,
            exact=not no_exact,
            recovery=not no_recovery,
        )
        asked |= {} if readings == IN_FULL else {"readings": asdict(readings)}
        answer = recommended(
            scenario,
            question.variant,
            kinds=kind or (),
            max_cost=max_cost,
            wanted=wanted,
            cut_flows=cut_flows,
            count_alike=patch is None,
            readings=readings,
            shown=form.html is not None or drawings is not None,
            engine=engine,
            backend=workers.backend(scenario.text, asked),
            budget=budget,
            solved=hear,
            tell=(lambda known: growing.tell(document(known))) if form.is_text else None,
        )
        files, refused = {}, None
        try:
            files = patched(answer, source or (), budget=budget) if patch is not None else {}
        except PatchRefusedError as error:
            files, refused = error.files, error
    _write(answer, write, drawings)
    for name, text in files.items():
        assert patch is not None
        write_whole(patch / name, text, "the patch")
        print(f"wrote {patch / name}", file=sys.stderr)
    growing.answer(lambda: document(answer), lambda: recommendation_object(answer.recommendation))
    if refused is not None:
        print(printable(f"error: {refused}"), file=sys.stderr)
        raise typer.Exit(BAD_INPUT)
    raise typer.Exit(answer.exit_code)


def _tell_zones(known: ZoneAdviceAnswer, *, aloud: bool) -> None:
    """Keep what is known, should the search be ended from outside, and say it to a person."""
    remember(by_zones=known.so_far)
    if aloud:
        print(printable(known.so_far), file=sys.stderr)


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
