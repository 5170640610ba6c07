"""``check`` and ``fingerprint``: one configuration, its readings and its gates."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.axes import Gate, gates_of
from holdfast.cli.app import MEMORY, UNDECIDED, emit, working
from holdfast.cli.gates import NO_MINIMA, Minima, exit_code, gated
from holdfast.cli.options import (
    Engine,
    EngineOption,
    EpisodesOption,
    FileArgument,
    JobsOption,
    JsonOption,
    MemoryOption,
    NoLatitudeOption,
    NoLearningOption,
    SeedsOption,
    TimeoutOption,
    VariantOption,
)
from holdfast.cli.reports import (
    HtmlOption,
    MarkdownOption,
    emit_document,
    reasons_of,
    refuse_place,
    refuse_two_forms,
    write_page,
)
from holdfast.cli.verify import CertificateOption, certifier
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.report.background import Background
    from holdfast.report.blocks import Document, Section
    from holdfast.results import Analysis
    from holdfast.solution import Solution


Gates = tuple[Gate, ...]


@gated(adaptive=False)
def check(
    file: FileArgument,
    variant: VariantOption = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    as_markdown: MarkdownOption = False,
    html: HtmlOption = None,
    certificate: CertificateOption = None,
    no_latitude: NoLatitudeOption = False,
    minima: Minima = NO_MINIMA,
    timeout: TimeoutOption = None,
    memory: MemoryOption = MEMORY,
) -> None:
    """Certify a scenario and read WIN, STP and SLT off the solved game.

    A page or Markdown also tells why, as explain does: that takes up to half a minute more, within --timeout.
    """
    from holdfast.analysis import UNCERTIFIED, analyse
    from holdfast.archive import provenance_of
    from holdfast.report.background import background
    from holdfast.scenario.load import configuration, read_scenario

    refuse_two_forms(json=as_json, markdown=as_markdown)
    refuse_place(html, file, certificate)
    refuse_place(certificate, file)
    reported = as_markdown or html is not None
    asked = {"latitude": not no_latitude}
    with working(timeout, memory) as budget:
        scenario = read_scenario(file, budget)
        chosen = configuration(scenario, variant, budget)
        told = background(scenario, chosen, str(file), budget)
        certify = certifier(certificate, budget)
        kept: list[Solution] = []

        def solved(solution: Solution) -> None:
            kept.append(solution)
            if certify is not None:
                certify(solution)

        found = analyse(
            chosen,
            engine=engine,
            latitude=not no_latitude,
            budget=budget,
            provenance=provenance_of(scenario.text, chosen.variant, asked) if reported else None,
            solved=solved,
        )
        reasons = reasons_of(kept[0], engine, budget) if reported else ()
    gates = gates_of(found, minima)
    _report(found, gates, reasons, told, html, as_json, as_markdown)
    uncertified = f"{UNCERTIFIED}: " in (found.undecided or "")
    raise typer.Exit(UNDECIDED if uncertified else exit_code(found, gates))


@gated(adaptive=True)
def fingerprint(
    file: FileArgument,
    variant: VariantOption = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    as_markdown: MarkdownOption = False,
    html: HtmlOption = None,
    no_latitude: NoLatitudeOption = False,
    no_learning: NoLearningOption = False,
    seeds: SeedsOption = None,
    episodes: EpisodesOption = None,
    jobs: JobsOption = None,
    cache: Annotated[
        Path | None, typer.Option(help="A folder: reuse an analysis of the same inputs, or keep this one.")
    ] = None,
    minima: Minima = NO_MINIMA,
    timeout: TimeoutOption = None,
    memory: MemoryOption = MEMORY,
) -> None:
    """Certificate, static reading, DDR from trained learners, and DDR* solved exactly.

    A page or Markdown also tells why, as explain does: that takes up to half a minute more, within --timeout.
    """
    from holdfast.analysis import analyse
    from holdfast.archive import provenance_of
    from holdfast.engines import solve
    from holdfast.protocol import with_runs
    from holdfast.report.background import background
    from holdfast.scenario.load import configuration, learning, read_scenario

    refuse_two_forms(json=as_json, markdown=as_markdown)
    refuse_place(html, file)
    solved: list[Solution] = []
    with working(timeout, memory, jobs) as budget:
        scenario = read_scenario(file, budget)
        chosen = configuration(scenario, variant, budget)
        told = background(scenario, chosen, str(file), budget)
        protocol = with_runs(learning(scenario, variant), episodes=episodes, seeds=seeds)
        asked = {"protocol": asdict(protocol), "latitude": not no_latitude, "learning": not no_learning}
        provenance = provenance_of(scenario.text, chosen.variant, asked)
        kept = None if cache is None else cache / f"{provenance.key}.json"
        found = None if kept is None else _cached(kept, provenance.key)
        if found is None:
            found = analyse(
                chosen,
                protocol,
                engine=engine,
                latitude=not no_latitude,
                learning=not no_learning,
                exact=True,
                budget=budget,
                provenance=provenance,
                solved=solved.append,
            )
            if kept is not None and found.undecided is None:
                _keep(found, kept)
        reasons: tuple[Section, ...] = ()
        if (as_markdown or html is not None) and not found.interrupted:
            solution = solved[0] if solved else solve(chosen, engine, budget)
            reasons = reasons_of(solution, engine, budget)
    gates = gates_of(found, minima)
    _report(found, gates, reasons, told, html, as_json, as_markdown)
    raise typer.Exit(exit_code(found, gates))


def _cached(path: Path, key: str) -> Analysis | None:
    """The analysis kept there; what is missing, damaged or of something else is computed again."""
    from holdfast.archive import load_analysis

    try:
        return load_analysis(path, key)
    except InputError:
        return None


def _keep(found: Analysis, path: Path) -> None:
    """Save to the cache; a cache that cannot be written costs time later, never the answer."""
    from holdfast.archive import save

    try:
        save(found, path)
    except InputError as error:
        print(f"warning: the cache was not written: {error}", file=sys.stderr)


def _plain(gate: Gate) -> dict[str, object]:
    return {name: getattr(gate, name) for name in ("axis", "minimum", "value", "met")}


def _report(
    found: Analysis,
    gates: Gates,
    reasons: tuple[Section, ...],
    background: Background,
    html: Path | None,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Write the page that was asked for, and print the analysis in the form that was asked for."""

    def document() -> Document:
        from holdfast.report.fingerprint import analysis_document

        return analysis_document(found, gates, background, reasons)

    write_page(html, document)
    if as_json:
        from holdfast.results import to_object

        emit(json.dumps({**to_object(found), "gates": [_plain(gate) for gate in gates]}))
    else:
        emit_document(document(), as_markdown)
