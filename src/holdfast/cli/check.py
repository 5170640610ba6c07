"""``check`` and ``fingerprint``: one configuration, its readings and its gates."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from holdfast.cli.app import DEFENSIBLE, MEMORY, REFUSED, UNDECIDED, emit, working
from holdfast.cli.options import (
    Engine,
    EngineOption,
    EpisodesOption,
    FileArgument,
    JobsOption,
    JsonOption,
    MemoryOption,
    MinSltOption,
    MinWinOption,
    NoLatitudeOption,
    NoLearningOption,
    SeedsOption,
    TimeoutOption,
    VariantOption,
)
from holdfast.cli.reports import HtmlOption, MarkdownOption, refuse_place, refuse_two_forms, write_page
from holdfast.cli.verify import CertificateOption, certifier
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.analysis import Analysis
    from holdfast.product import Configuration
    from holdfast.scenario.load import Scenario


def check(
    file: FileArgument,
    variant: VariantOption = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    as_markdown: MarkdownOption = False,
    html: HtmlOption = None,
    certificate: CertificateOption = None,
    no_latitude: NoLatitudeOption = False,
    min_win: MinWinOption = None,
    min_slt: MinSltOption = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = MEMORY,
) -> None:
    """Certify a scenario and read WIN, STP and SLT off the solved game."""
    from holdfast.analysis import analyse, provenance_of
    from holdfast.scenario.load import configuration, read_scenario

    refuse_two_forms(json=as_json, markdown=as_markdown)
    refuse_place(html, file, certificate)
    refuse_place(certificate, file)
    _refuse_gate_without_reading("--min-slt", min_slt, "--no-latitude", no_latitude)
    scenario = read_scenario(file)
    chosen = configuration(scenario, variant)
    reported = as_markdown or html is not None
    asked = {"latitude": not no_latitude}
    with working(timeout, memory) as budget:
        found = analyse(
            chosen,
            engine=engine,
            latitude=not no_latitude,
            budget=budget,
            provenance=provenance_of(scenario.text, chosen.variant, asked) if reported else None,
            solved=certifier(certificate, scenario.text, budget),
        )
    gates = _gates(found, {"win": min_win, "slt": min_slt})
    write_page(html, lambda: _page(found, gates, scenario, chosen))
    _answer(found, gates, as_json, as_markdown, str(file), scenario.variants)


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
    min_win: MinWinOption = None,
    min_slt: MinSltOption = None,
    min_ddr: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Fail below this DDR.")] = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = MEMORY,
) -> None:
    """Certificate, static reading, DDR from trained learners, and DDR* solved exactly."""
    from dataclasses import asdict

    from holdfast.analysis import analyse, provenance_of
    from holdfast.protocol import with_runs
    from holdfast.scenario.load import configuration, learning, read_scenario

    refuse_two_forms(json=as_json, markdown=as_markdown)
    refuse_place(html, file)
    _refuse_gate_without_reading("--min-slt", min_slt, "--no-latitude", no_latitude)
    _refuse_gate_without_reading("--min-ddr", min_ddr, "--no-learning", no_learning)
    scenario = read_scenario(file)
    chosen = configuration(scenario, variant)
    protocol = with_runs(learning(scenario, variant), episodes=episodes, seeds=seeds)
    asked = {"protocol": asdict(protocol), "latitude": not no_latitude, "learning": not no_learning}
    provenance = provenance_of(scenario.text, chosen.variant, asked)
    kept = None if cache is None else cache / f"{provenance['key']}.json"
    found = _cached(kept)
    if found is None:
        with working(timeout, memory, jobs) as budget:
            found = analyse(
                chosen,
                protocol,
                engine=engine,
                latitude=not no_latitude,
                learning=not no_learning,
                exact=True,
                budget=budget,
                provenance=provenance,
            )
        if kept is not None and found.undecided is None:
            _keep(found, kept)
    gates = _gates(found, {"win": min_win, "slt": min_slt, "ddr": min_ddr})
    write_page(html, lambda: _page(found, gates, scenario, chosen))
    _answer(found, gates, as_json, as_markdown, str(file), scenario.variants)


def _refuse_gate_without_reading(gate: str, minimum: float | None, skip: str, skipped: bool) -> None:
    if minimum is not None and skipped:
        raise typer.BadParameter(f"{gate} needs a reading that {skip} skips; drop one of the two")


def _cached(path: Path | None) -> Analysis | None:
    """The analysis kept there; what is damaged or missing is computed again."""
    from holdfast.analysis import load_analysis

    try:
        return None if path is None else load_analysis(path)
    except InputError:
        return None


def _keep(found: Analysis, path: Path) -> None:
    """Save to the cache; a cache that cannot be written costs time later, never the answer."""
    from holdfast.analysis import save

    try:
        save(found, path)
    except OSError as error:
        print(f"warning: {path.parent}: cannot write the cache: {error.strerror}", file=sys.stderr)


def _gates(found: Analysis, minima: dict[str, float | None]) -> list[dict[str, Any]]:
    """Each minimum that was asked for, with the reading and whether it is met."""
    values = {"win": found.win, "slt": found.slt, "ddr": found.ddr["mean"] if found.ddr else None}
    return [
        {"axis": axis, "minimum": minimum, "value": value, "met": value is not None and value >= minimum}
        for axis, value in values.items()
        if (minimum := minima.get(axis)) is not None
    ]


def _page(found: Analysis, gates: list[dict[str, Any]], scenario: Scenario, chosen: Configuration) -> str:
    from holdfast.product import drawn_graph
    from holdfast.report.page import analysis_page

    return analysis_page(found, drawn_graph(chosen), gates, scenario.description)


def _answer(
    found: Analysis,
    gates: list[dict[str, Any]],
    as_json: bool,
    as_markdown: bool,
    source: str,
    variants: tuple[str, ...],
) -> NoReturn:
    """Print the analysis and leave with the exit code that it means."""
    if as_json:
        from holdfast.analysis import to_object

        emit(json.dumps({**to_object(found), "gates": gates}))
    elif as_markdown:
        from holdfast.report.markdown import analysis_markdown

        emit(analysis_markdown(found, gates))
    else:
        from holdfast.report.terminal import analysis_text

        others = tuple(name for name in variants if name != found.variant)
        emit(analysis_text(found, gates, source, others))
    passed = found.defensible and all(gate["met"] for gate in gates)
    raise typer.Exit(UNDECIDED if found.undecided else DEFENSIBLE if passed else REFUSED)
