"""``check``, ``fingerprint`` and ``explain``: one configuration, its readings, its gates and its reasons."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from holdfast.apps.cli.app import emit, working
from holdfast.apps.cli.options import (
    MAX_HELD,
    ByZone,
    ClusterAddress,
    Engine,
    Episodes,
    Limits,
    Minima,
    NoExact,
    NoLadder,
    NoLatitude,
    NoLearning,
    NoRecovery,
    NoResponse,
    Question,
    Questions,
    Required,
    ResumeLog,
    Seeds,
    StaticMinima,
    Workers,
    refuse_skipped,
    rungs_of,
    warn,
)
from holdfast.apps.cli.reports import Form, Growing, PipelineForm, refuse_place
from holdfast.apps.cli.supervisor import hear, is_supervised, remember, unclaim
from holdfast.apps.cli.verify import (
    HOLD,
    Certificate,
    ClaimedGoal,
    ResponseCertificates,
    write_certificate,
    write_response_certificates,
)
from holdfast.errors import LimitError

if TYPE_CHECKING:
    from holdfast.apps.services.design import DesignAnswer
    from holdfast.apps.services.reasons import ExplanationAnswer
    from holdfast.apps.services.zones import ZonesAnswer
    from holdfast.budget import Budget
    from holdfast.composition import Composition
    from holdfast.running import Backend
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution


def check(
    *,
    questions: Questions,
    engine: Engine = "auto",
    form: PipelineForm,
    certificate: Certificate = None,
    claim: ClaimedGoal = None,
    response_certificates: ResponseCertificates = None,
    no_latitude: NoLatitude = False,
    no_recovery: NoRecovery = False,
    no_response: NoResponse = False,
    no_ladder: NoLadder = False,
    require: Required = None,
    hold: Annotated[
        str | None,
        typer.Option(
            metavar="MOVES",
            help="Compute the probability that it holds for this many moves, such as 10,100,1000.",
        ),
    ] = None,
    any_entry: Annotated[
        bool,
        typer.Option(
            "--any-entry",
            help="Also try every host as the attacker's entry; the design must hold for all of them.",
        ),
    ] = False,
    by_zone: Annotated[
        bool,
        typer.Option(
            "--by-zone",
            help="Prove the verdict zone by zone; this is automatic above 150 hosts.",
        ),
    ] = False,
    write_zones: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the scenario with proposed zones to this file, and stop."),
    ] = None,
    cluster: ClusterAddress = "",
    resume: ResumeLog = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever a file changes, until you press Ctrl-C.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="How many files or zones to solve at once; by default, one per core."),
    ] = None,
    minima: StaticMinima,
    limits: Limits,
) -> None:
    """Decide whether a design can be defended and whether the attacker can be driven out again, with proof.

    It also repeats the question for weaker defenders, for up to 10 seconds (see ladder). --html and
    --markdown add the reasons (see explain), which takes up to 30 seconds more, within --timeout. Given
    several files or a folder, it prints one table and exits with the worst code.
    """
    from holdfast.apps.services.design import Wanted, check as checked
    from holdfast.scenario import configuration, read_scenario

    refuse_skipped(minima, no_latitude=no_latitude, no_recovery=no_recovery, no_response=no_response)
    rungs = rungs_of(require)
    if rungs and no_ladder:
        raise typer.BadParameter("--require needs the ladder that --no-ladder skips; drop one of the two")
    wanted = Wanted(
        engine,
        not no_latitude,
        not no_response,
        minima=minima,
        why=form.why,
        ladder=not no_ladder,
        rungs=rungs,
        recovery=not no_recovery,
        hold=None if hold is None else _moves(hold),
    )
    if claim is not None and certificate is None:
        raise typer.BadParameter("--claim says what the certificate proves; say where with --certificate")
    question = None if watch else questions.single
    if question is None:
        given = {
            "--certificate": certificate,
            "--response-certificates": response_certificates,
            "--any-entry": any_entry or None,
        }
        _refuse_alone([name for name, value in given.items() if value is not None], watch, form)
        from holdfast.apps.cli.batch import check_several

        check_several(questions, wanted, form, partial(working, limits, jobs), watch)
        return
    form.refuse(question.file, certificate)
    refuse_place(certificate, question.file)
    if write_zones is not None:
        _write_zones(question, write_zones, limits)
    workers = Workers(jobs, cluster, resume)
    more = bool(response_certificates or claim or minima or rungs or any_entry or hold)
    by_zones: ZonesAnswer | None = None
    with working(limits, jobs, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        if by_zone or not more:
            read = not (no_response and no_recovery)
            by_zones = _asked_by_zone(
                scenario, question, workers, budget, certificate, asked=by_zone, more=more, read=read
            )
            if by_zones is not None and (by_zone or by_zones.is_final(scenario)):
                _answer_by_zone(by_zones, question, form)
        if cluster or resume is not None:
            raise typer.BadParameter("--cluster and --resume are for zones; add --by-zone")
        budget = replace(budget, jobs=None)

        def certify(solution: Solution) -> None:
            hear(solution)
            if certificate is not None:
                write_certificate(solution, certificate, claim, wanted.hold or (), budget)
            if response_certificates is not None:
                write_response_certificates(solution, response_certificates, engine, budget)

        # In words for a person all that is known by then comes before the ladder, unless that is gated.
        early = form.is_text and not form.has_cases and wanted.ladder and not rungs

        def tell(answer: DesignAnswer) -> None:
            form.answer(lambda: answer.document(str(question.file), form.has_reasons), answer.to_object)
            remember(answer="")
            unclaim()  # the limits hold for the ladder too

        if claim not in (None, HOLD):
            from holdfast.certificates import require_claim

            require_claim(configuration(scenario, question.variant, budget), claim)
        try:
            answer = checked(
                scenario,
                question.variant,
                wanted,
                any_entry=any_entry,
                certify=certify,
                tell=tell if early else None,
                keep=_keeper(question, form),
                count_alike=certificate is None and response_certificates is None,
                budget=budget,
            )
        except LimitError as limit:
            if by_zones is None:
                raise
            _answer_by_zone(by_zones.and_whole_stopped(limit), question, form)
        form.write_cases(lambda: answer.cases(str(question.file), budget))
    if early:
        _add_ladder(answer)
    _answer(answer, question, form)


def _keeper(question: Question, form: PipelineForm) -> Callable[[DesignAnswer], None] | None:
    """What keeps the answer so far, to be printed if one long operation of a reading has to be ended.

    Nobody hears of it where nobody would end this process, or where a pipeline is told of the failure.
    """
    if not is_supervised() or form.has_cases:
        return None
    return lambda answer: remember(
        answer=form.text(lambda: answer.document(str(question.file), False), answer.to_object)
    )


def _write_zones(question: Question, path: Path, limits: Limits) -> NoReturn:
    """Write the scenario with proposed zones, and leave."""
    from holdfast.apps.services.zones import zones_written
    from holdfast.running import write_whole
    from holdfast.scenario import read_scenario

    refuse_place(path, question.file)
    with working(limits, about=question.called) as budget:
        text = zones_written(read_scenario(question.file, budget), question.variant, budget)
    write_whole(path, text.encode(), "the scenario")
    raise typer.Exit(0)


def _asked_by_zone(
    scenario: Scenario,
    question: Question,
    workers: Workers,
    budget: Budget,
    certificate: Path | None,
    *,
    asked: bool,
    more: bool,
    read: bool,
) -> ZonesAnswer | None:
    """The answer zone by zone, if that is asked or the design is large; its certificate is written."""
    from holdfast.apps.services.zones import check_by_zone, composed, is_asked_by_zone

    if not asked and not is_asked_by_zone(scenario):
        return None
    if more:
        raise typer.BadParameter(
            "--by-zone gives only the verdict and its certificate; leave it out for gates, --claim, "
            "--require, --hold, --any-entry and --response-certificates"
        )
    backend = workers.backend(scenario.text, {"variant": question.variant, "by": "zone"})
    ask = partial(check_by_zone if asked else composed, certified=certificate is not None)
    answer = ask(scenario, question.variant, read=read, backend=backend, budget=budget)
    if answer is None:
        return None
    if answer.found.defensible is None:
        remember(by_zones=answer.so_far)
    if certificate is not None and (asked or answer.is_final(scenario)):
        _write_composed(answer.found, certificate, budget, backend)
    return answer


def _answer_by_zone(answer: ZonesAnswer, question: Question, form: PipelineForm) -> NoReturn:
    """Print what zones say, and leave with what it means."""
    form.answer(lambda: answer.document(str(question.file), form.has_reasons), answer.to_object)
    raise typer.Exit(answer.exit_code)


def _write_composed(found: Composition, path: Path, budget: Budget, backend: Backend) -> None:
    """Write the certificate of a verdict by zones, if there is one, and say how it is checked."""
    from holdfast.composition import certify_composition

    if found.defensible is None:
        warn("the verdict is undecided, so no certificate was written")
        return
    size = len(certify_composition(found, path, budget, backend))
    shown = f"wrote {path} ({size:,} bytes); check it with: holdfast verify {quote(str(path))}"
    print(shown, file=sys.stderr)


def _moves(given: str) -> tuple[int, ...]:
    """Numbers of moves, separated by commas."""
    numbers = [word.strip() for word in given.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) <= MAX_HELD for word in numbers):
        raise typer.BadParameter(
            f'--hold is "{given[:40]}"; expected numbers of moves up to {MAX_HELD:,}, such as 10,100,1000'
        )
    return tuple(sorted({int(word) for word in numbers}))


def _add_ladder(answer: DesignAnswer) -> NoReturn:
    """Print the ladder below an answer that is there already, and leave with what it means."""
    from holdfast.report import Document, ladder_section, rendered

    if answer.ladder is not None and answer.ladder.rungs:
        section = ladder_section(answer.ladder)
        # The first section of a document has no heading of its own.
        emit(rendered(Document("", (replace(section, title="", blocks=()), section)), "text"))
    raise typer.Exit(answer.exit_code)


def _refuse_alone(alone: Sequence[str], watch: bool, form: PipelineForm) -> None:
    """Refuse, where several files are checked, what is about one of them, and one answer where many come."""
    if alone:
        raise typer.BadParameter(f"{alone[0]} needs a single scenario; name one file, without --watch")
    if watch and form.as_json:
        raise typer.BadParameter(
            "--json prints one object, but --watch answers repeatedly; drop one of the two"
        )


def _answer(answer: DesignAnswer, question: Question, form: Form) -> NoReturn:
    """Answer about one design, and leave with what it means."""
    form.answer(lambda: answer.document(str(question.file), form.has_reasons), answer.to_object)
    raise typer.Exit(answer.exit_code)


def fingerprint(
    *,
    question: Question,
    engine: Engine = "auto",
    form: PipelineForm,
    no_exact: NoExact = False,
    no_latitude: NoLatitude = False,
    no_learning: NoLearning = False,
    no_recovery: NoRecovery = False,
    no_response: NoResponse = False,
    seeds: Seeds = None,
    episodes: Episodes = None,
    workers: Workers,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of saved analyses: reuse one for the same input, or save this one."),
    ] = None,
    minima: Minima,
    limits: Limits,
) -> None:
    """Compute every score: verdict, static scores, response, DDR of trained players and the exact DDR*.

    --html and --markdown add the reasons (see explain), which takes up to 30 seconds more, within --timeout.
    """
    from holdfast.apps.services.design import TrainingRuns, Wanted, fingerprint as fingerprinted
    from holdfast.scenario import read_scenario

    refuse_skipped(
        minima,
        no_exact=no_exact,
        no_latitude=no_latitude,
        no_learning=no_learning,
        no_recovery=no_recovery,
        no_response=no_response,
    )
    form.refuse(question.file)
    wanted = Wanted(
        engine,
        not no_latitude,
        not no_response,
        not no_learning,
        minima,
        form.why,
        recovery=not no_recovery,
        exact=not no_exact,
    )
    with working(limits, workers.jobs, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        protocol = TrainingRuns(episodes, seeds).protocol(scenario, question.variant)
        answer = fingerprinted(
            scenario,
            question.variant,
            wanted,
            protocol,
            cache=cache,
            warn=warn,
            solved=hear,
            keep=_keeper(question, form),
            backend=workers.backend(scenario.text, {"variant": question.variant, "protocol": protocol}),
            budget=budget,
        )
        form.write_cases(lambda: answer.cases(str(question.file), budget))
    _answer(answer, question, form)


def explain(
    *,
    question: Question,
    engine: Engine = "auto",
    best_play: Annotated[
        bool,
        typer.Option("--best-play", help="Add the opening moves of perfect players; takes as long as DDR*."),
    ] = False,
    layer: Annotated[
        Path | None,
        typer.Option(
            "--layer",
            metavar="FILE",
            help="Write the forced attack to this file as an ATT&CK Navigator layer.",
        ),
    ] = None,
    by_zone: ByZone = False,
    animation: Annotated[
        Path | None,
        typer.Option(
            "--animation",
            metavar="FILE",
            help="Write a page there, to be sent, that shows the attack or the eviction moving.",
        ),
    ] = None,
    form: Form,
    limits: Limits,
) -> None:
    """Explain the verdict: the attack and what it depends on, or where the defense has the least room.

    What is known is printed at once: the attack, then the smallest repair, then the rest. The exit code is
    that of the verdict. If time runs out after the verdict, the answer says which parts of the explanation
    are missing.
    """
    from holdfast.apps.services.reasons import explain as explained
    from holdfast.apps.services.zones import explain_by_zone
    from holdfast.game import gathered
    from holdfast.running import write_whole
    from holdfast.scenario import configuration, read_scenario
    from holdfast.solver import solve

    form.refuse(question.file)
    refuse_place(layer, question.file, form.html)
    refuse_place(animation, question.file, form.html, layer)
    growing, source = Growing(form), str(question.file)
    with working(limits, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        whole = best_play or layer is not None or animation is not None
        refusal = "--best-play, --layer and --animation need the whole; leave out --by-zone" if whole else ""
        if question.goes_by_zone(scenario, by_zone, refusal, budget):
            told = explain_by_zone(scenario, question.variant, budget=budget)
            form.answer(lambda: told.document(source), told.to_object)
            raise typer.Exit(told.exit_code)
        chosen = gathered(configuration(scenario, question.variant, budget), engine, budget)
        solution = solve(chosen, engine, budget)
        hear(solution)
        film = "" if animation is None else _film(solution, budget)
        answer = explained(
            scenario,
            solution,
            best_play=best_play,
            engine=engine,
            budget=budget,
            tell=lambda known: growing.tell(known.document(source)),
        )
    if layer is not None:
        _write_layer(answer, layer)
    if animation is not None and film:
        write_whole(animation, film, "the animation")
        print(f"wrote {animation}", file=sys.stderr)
    catalogues = form.html is not None
    growing.answer(lambda: answer.document(source, catalogues), answer.to_object)
    raise typer.Exit(answer.exit_code)


def _film(solution: Solution, budget: Budget) -> str:
    """The page that moves; empty, and said, where there is nothing to show."""
    from holdfast.apps.services.animation import animated
    from holdfast.errors import InputError

    try:
        return animated(solution, budget=budget)
    except InputError as nothing:
        print(nothing, file=sys.stderr)
        return ""


def _write_layer(answer: ExplanationAnswer, path: Path) -> None:
    """Write the layer of a forced attack; a design that holds has none."""
    from holdfast.running import write_whole

    text = answer.layer()
    if text:
        write_whole(path, text, "the layer")
        print(f"wrote {path}", file=sys.stderr)
    else:
        print("the design holds, so there is no forced attack to write as a layer", file=sys.stderr)
