"""``check``, ``fingerprint`` and ``explain``: one configuration, its readings, its gates and its reasons."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.apps.cli.app import DEFENSIBLE, REFUSED, UNDECIDED, working
from holdfast.apps.cli.batch import BatchTask
from holdfast.apps.cli.options import (
    Engine,
    Episodes,
    Limits,
    Minima,
    NoLatitude,
    NoLearning,
    NoResponse,
    Question,
    Questions,
    Seeds,
    StaticMinima,
    Workers,
    refuse_skipped,
)
from holdfast.apps.cli.reports import Form, PipelineForm, reasons_of, refuse_place
from holdfast.apps.cli.verify import (
    Certificate,
    ResponseCertificates,
    write_certificate,
    write_response_certificates,
)
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.design import StartVerdict
    from holdfast.explanation import Explanation
    from holdfast.game import Configuration
    from holdfast.readings import Analysis, Gate, Provenance
    from holdfast.report import Background, Document, Section
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution


def check(
    *,
    questions: Questions,
    engine: Engine = "auto",
    form: PipelineForm,
    certificate: Certificate = None,
    response_certificates: ResponseCertificates = None,
    no_latitude: NoLatitude = False,
    no_response: NoResponse = False,
    any_entry: Annotated[
        bool,
        typer.Option("--any-entry", help="Ask also for each host what if it were the entry; all must hold."),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever a file changes, until interrupted.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Files at once; as many as cores by default.")
    ] = None,
    minima: StaticMinima,
    limits: Limits,
) -> None:
    """Certify a scenario; read WIN, STP, SLT, effort, tempo and grace off the solved game.

    A page or Markdown also tells why, as explain does: that takes up to half a minute more, within --timeout.
    Of several files, or the scenarios in a folder, the answer is a table, and the exit code the worst of all.
    """
    from holdfast.readings import UNCERTIFIED, analyse

    refuse_skipped(minima, no_latitude=no_latitude, no_response=no_response)
    question = None if watch else questions.single
    if question is None:
        given = {"--certificate": certificate, "--response-certificates": response_certificates}
        alone = [name for name, path in given.items() if path is not None]
        latitude, response = not no_latitude, not no_response
        _check_several(
            questions,
            BatchTask(
                "", questions.variant, engine, latitude, response, minima, form.has_cases or form.has_reasons
            ),
            [*alone, *(["--any-entry"] if any_entry else [])],
            form,
            partial(working, limits, jobs),
            watch,
        )
        return
    form.refuse(question.file, certificate)
    refuse_place(certificate, question.file)
    solutions: list[Solution] = []
    with working(limits, about=question.called) as budget:
        scenario, chosen = question.read(budget)
        if any_entry and not chosen.system.starts:
            raise InputError("--any-entry: this system has no entry to move; it is for networks")
        asked = {"latitude": not no_latitude, "response": not no_response}

        def solved(solution: Solution) -> None:
            solutions.append(solution)
            if certificate is not None:
                write_certificate(solution, certificate, budget)
            if response_certificates is not None:
                write_response_certificates(solution, response_certificates, engine, budget)

        found = analyse(
            chosen,
            engine=engine,
            latitude=not no_latitude,
            response=not no_response,
            layers=form.has_reasons and not no_response,
            budget=budget,
            provenance=_origin(scenario, chosen, **asked) if form.has_reasons else None,
            solved=solved,
        )
        starts = _starts(solutions[0]) if any_entry else ()
        reasons = reasons_of(solutions[0], engine, budget) if _asks_why(form, found) else None
        unfinished = (found.undecided or "") if f"{UNCERTIFIED}: " in (found.undecided or "") else ""
        _write_cases(
            form, question.file, scenario, chosen, found, minima, reasons, budget, starts, unfinished
        )
    told = partial(_told, scenario, chosen, question.file)
    noun = chosen.system.graph.noun if chosen.system.graph is not None else "start"
    code = _report(found, minima, reasons, told, form, starts, noun)
    raise typer.Exit(UNDECIDED if unfinished else code)


def _check_several(
    questions: Questions,
    task: BatchTask,
    alone: Sequence[str],
    form: PipelineForm,
    within: Callable[[], AbstractContextManager[Budget]],
    again: bool,
) -> None:
    """Check several files as ``task`` says, ``again`` and again if asked; ``alone`` is for one file only."""
    from holdfast.apps.cli.batch import check_files, scenario_files, stamps_of, watch

    if alone:
        raise typer.BadParameter(f"{alone[0]} is about one scenario; name a single file, without --watch")
    if again and form.as_json:
        raise typer.BadParameter(
            "--json is one object, and --watch answers again and again; drop one of the two"
        )
    codes: list[int] = []

    def once() -> None:
        files = scenario_files(questions.files)
        form.refuse(*files)
        with within() as budget:
            tasks = [replace(task, file=str(file)) for file in files]
            codes.append(check_files(tasks, form, budget))

    if again:
        watch(partial(stamps_of, questions.files), once)
    once()
    raise typer.Exit(codes[0])


def fingerprint(
    *,
    question: Question,
    engine: Engine = "auto",
    form: PipelineForm,
    no_latitude: NoLatitude = False,
    no_learning: NoLearning = False,
    no_response: NoResponse = False,
    seeds: Seeds = None,
    episodes: Episodes = None,
    workers: Workers,
    cache: Annotated[
        Path | None, typer.Option(help="A folder: reuse an analysis of the same inputs, or keep this one.")
    ] = None,
    minima: Minima,
    limits: Limits,
) -> None:
    """Certificate, static reading, response, DDR from trained learners, and DDR* solved exactly.

    A page or Markdown also tells why, as explain does: that takes up to half a minute more, within --timeout.
    """
    from holdfast.game import with_runs
    from holdfast.readings import analyse
    from holdfast.scenario import learning
    from holdfast.solver import solve

    refuse_skipped(minima, no_latitude=no_latitude, no_learning=no_learning, no_response=no_response)
    form.refuse(question.file)
    solved: list[Solution] = []
    with working(limits, workers.jobs, about=question.called) as budget:
        scenario, chosen = question.read(budget)
        protocol = with_runs(learning(scenario, question.variant), episodes=episodes, seeds=seeds)
        asked = {
            "protocol": asdict(protocol),
            "latitude": not no_latitude,
            "learning": not no_learning,
            "response": not no_response,
        }
        provenance = _origin(scenario, chosen, **asked)
        kept = None if cache is None else cache / f"{provenance.key}.json"
        found = None if kept is None else _cached(kept, provenance.key)
        if found is None:
            found = analyse(
                chosen,
                protocol,
                engine=engine,
                latitude=not no_latitude,
                response=not no_response,
                layers=not no_response,
                learning=not no_learning,
                exact=True,
                budget=budget,
                workplace=workers.place(scenario.text, {"variant": question.variant, "protocol": protocol}),
                provenance=provenance,
                solved=solved.append,
            )
            if kept is not None and found.undecided is None:
                _keep(found, kept)
        reasons = None
        if _asks_why(form, found) and not found.interrupted:
            solution = solved[0] if solved else solve(chosen, engine, budget)
            reasons = reasons_of(solution, engine, budget)
        unfinished = (found.undecided or "interrupted") if found.interrupted else ""
        _write_cases(form, question.file, scenario, chosen, found, minima, reasons, budget, (), unfinished)
    raise typer.Exit(_report(found, minima, reasons, partial(_told, scenario, chosen, question.file), form))


def _asks_why(form: PipelineForm, found: Analysis) -> bool:
    """Whether somebody will read the reasons: in a report or, those of a lost design, in a pipeline."""
    return form.has_reasons or (form.has_cases and not found.defensible)


def _write_cases(
    form: PipelineForm,
    file: Path,
    scenario: Scenario,
    chosen: Configuration,
    found: Analysis,
    minima: Mapping[str, float],
    reasons: Explanation | None,
    budget: Budget,
    starts: Sequence[StartVerdict],
    unfinished: str,
) -> None:
    """What a pipeline reads of one design, if it was asked for."""
    if not form.has_cases:
        return
    from holdfast.readings import caveats, gates_of
    from holdfast.report import Site, design_cases

    site, gates = Site(str(file), scenario, chosen), gates_of(found, minima)
    empty = found.caveats
    if empty is None:  # the analysis comes from a cache, which has the words alone
        empty = tuple(caveats(chosen, held=found.defensible, budget=budget))
    form.write_cases(list(design_cases(site, found, gates, empty, reasons, starts, unfinished)))


def _origin(scenario: Scenario, chosen: Configuration, **asked: Any) -> Provenance:
    """Where the numbers of an answer come from."""
    from holdfast.readings import provenance_of

    return provenance_of(scenario.text, chosen.variant, asked)


def _starts(solution: Solution) -> tuple[StartVerdict, ...]:
    from holdfast.design import start_verdicts

    return start_verdicts(solution)


def _cached(path: Path, key: str) -> Analysis | None:
    """The analysis kept there; what is missing, damaged, a link or of something else is computed again."""
    from holdfast.readings import load_analysis

    if path.is_symlink() or path.with_suffix(".npz").is_symlink():
        return None
    try:
        return load_analysis(path, key)
    except InputError:
        return None


def _keep(found: Analysis, path: Path) -> None:
    """Save to the cache; a cache that cannot be written costs time later, never the answer."""
    from holdfast.readings import save

    try:
        save(found, path)
    except InputError as error:
        print(f"warning: the cache was not written: {error}", file=sys.stderr)


def _told(scenario: Scenario, chosen: Configuration, file: Path) -> Background:
    """What a report says of a design; only asked for where there is one, since JSON needs none of it."""
    from holdfast.report import background

    return background(scenario, chosen, str(file))


def _report(
    found: Analysis,
    minima: Mapping[str, float],
    reasons: Explanation | None,
    told: Callable[[], Background],
    form: Form,
    starts: Sequence[StartVerdict] = (),
    noun: str = "",
) -> int:
    """Answer with an analysis; the exit code that it means."""
    from holdfast.readings import gate_columns, gates_of

    gates = gates_of(found, minima)

    def document() -> Document:
        from holdfast.report import analysis_document, entries_section

        why = _sections(reasons) if reasons is not None and form.has_reasons else ()
        asked = [entries_section(starts, noun)] if starts else []
        return analysis_document(found, gates, told(), why, asked)

    def data() -> dict[str, Any]:
        from holdfast.readings import analysis_object

        each = [{"entry": v.start, "defensible": v.defensible, "rank": v.rank} for v in starts]
        told_gates = list(map(gate_columns, gates))
        return {**analysis_object(found), "gates": told_gates, **({"any_entry": each} if starts else {})}

    form.answer(document, data)
    return exit_code(found, gates) if all(v.defensible for v in starts) else REFUSED


def _sections(reasons: Explanation) -> tuple[Section, ...]:
    from holdfast.report import reasons as parts  # brings arrays, which others do without

    return tuple(parts(reasons))


def exit_code(found: Analysis, gates: Sequence[Gate]) -> int:
    """What the verdict and the gates come to; a reading that nobody gates does not count.

    An undecided gate is never a pass, and no more a failure: where another one is missed, that decides. What
    a person interrupted is undecided.
    """
    if not found.defensible or any(not gate.met and not gate.undecided for gate in gates):
        return REFUSED
    return UNDECIDED if found.interrupted or any(gate.undecided for gate in gates) else DEFENSIBLE


def explain(
    *,
    question: Question,
    engine: Engine = "auto",
    best_play: Annotated[
        bool, typer.Option("--best-play", help="Add how perfect players begin; takes as long as DDR*.")
    ] = False,
    form: Form,
    limits: Limits,
) -> None:
    """Why it is defensible or not: the forced attack and what it needs, or the tightest spots and margins.

    The exit code is that of the verdict. A timeout after the verdict leaves parts of the explanation out,
    and the answer names them.
    """
    from holdfast.explanation import explain as explained, explanation_object
    from holdfast.report import background, explanation_document
    from holdfast.scenario import learning
    from holdfast.solver import solve

    form.refuse(question.file)
    with working(limits, about=question.called) as budget:
        scenario, chosen = question.read(budget)
        told = background(scenario, chosen, str(question.file), budget)
        solution = solve(chosen, engine, budget)
        episode = learning(scenario, question.variant) if best_play else None
        found = explained(solution, engine=engine, best_play=episode, budget=budget)
    provenance = _origin(scenario, chosen, explanation=True)
    form.answer(lambda: explanation_document(found, told, provenance), lambda: explanation_object(found))
    raise typer.Exit(DEFENSIBLE if found.defensible else REFUSED)
