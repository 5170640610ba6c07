"""``compare``: the variants of a file, or several files, against each other."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from holdfast.apps.cli.app import DEFENSIBLE, REFUSED, UNDECIDED, one_printable_line, working
from holdfast.apps.cli.completions import variants
from holdfast.apps.cli.options import Engine, Episodes, Limits, NoLearning, Seeds, Workers
from holdfast.apps.cli.reports import PipelineForm, reasons_of

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.explanation import Explanation
    from holdfast.game import Configuration, Protocol
    from holdfast.readings import Comparison, Regression, Subject
    from holdfast.report import CheckCase, Document
    from holdfast.scenario import Scenario


@dataclass(frozen=True)
class Design:
    """One of the things to compare: a scenario, or a variant of it, under a label of its own."""

    label: str
    scenario: Scenario
    configuration: Configuration
    protocol: Protocol


def compare(
    *,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="One file with variants, or several.", show_default=False),
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
        typer.Option(help="Exit 1 if any design is lost, or if one is worse than the base."),
    ] = "lost",
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            "-v",
            help="Only these variants, of each file; may be repeated.",
            autocompletion=variants,
        ),
    ] = None,
    engine: Engine = "auto",
    form: PipelineForm,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print the fingerprint table as CSV, a row a design.")
    ] = False,
    no_learning: NoLearning = False,
    seeds: Seeds = None,
    episodes: Episodes = None,
    workers: Workers,
    limits: Limits,
) -> None:
    """What each design changes, at what depth, and where formal and operational rankings disagree.

    One file: its base and its variants. Several files: the base of each, or the variants named. A page or
    Markdown also tells why designs are lost: up to half a minute more for each, within --timeout. With
    --against: what is named, compared with the baseline.
    """
    from holdfast.readings import (
        Subject,
        chosen_base,
        compare_subjects as compared,
        comparison_object,
        regressions,
        subjects_of,
    )
    from holdfast.report import comparison_csv

    form.refuse(*files, csv=as_csv)
    if base is not None and against is not None:
        raise typer.BadParameter("--base and --against both name what to compare with; drop one of the two")
    with working(limits, workers.jobs) as budget:
        known = _baseline(against, variant or [], episodes, seeds, budget) if against is not None else None
        designs = _designs(files, base, variant or [], episodes, seeds, budget, alone=known is not None)
        earlier = [known] if isinstance(known, Subject) else []
        designs = [known, *designs] if isinstance(known, Design) else designs
        if against is None:
            chosen = _base(base, files, designs)
        else:
            chosen = chosen_base([*(s.label for s in earlier), *(d.label for d in designs)], against)
        asked = {design.label: (design.configuration, design.protocol) for design in designs}
        texts = "".join(dict.fromkeys(design.scenario.text for design in designs))
        place = workers.place(texts, {"protocols": [design.protocol for design in designs]})
        subjects = [*earlier, *subjects_of(asked, not no_learning, engine, budget, place)]
        found = compared(subjects, chosen, budget=budget)
        reasons = _reasons(subjects, engine, budget) if form.has_reasons or form.has_cases else {}
        strict = fail_on == "regression"
        worse = {d.label: regressions(found, d.label) for d in found.deltas} if strict else {}
        if form.has_cases:
            own = [design for design in designs if design is not known]
            form.write_cases(list(_cases(found, own, reasons, worse)))
    form.answer(
        lambda: _document(found, designs, ", ".join(map(str, files)), reasons, worse),
        lambda: comparison_object(found) | ({"regressions": _plain(worse)} if strict else {}),
        csv=(lambda: comparison_csv(found)) if as_csv else None,
    )
    if strict:
        all_worse = [one for each in worse.values() for one in each]
        for one in all_worse:
            print(
                one_printable_line(f"{'undecided' if one.open else 'regression'}: {one.text}"),
                file=sys.stderr,
            )
        certain = any(not one.open for one in all_worse)
        raise typer.Exit(REFUSED if certain else UNDECIDED if all_worse else DEFENSIBLE)
    # By the verdicts alone: a reading that a limit left out is named, and nothing here is gated.
    defensible = all(entry.analysis.defensible for entry in found.entries)
    raise typer.Exit(DEFENSIBLE if defensible else REFUSED)


def _baseline(
    given: str, variants: Sequence[str], episodes: int | None, seeds: int | None, budget: Budget
) -> Design | Subject:
    """The design to compare with, to be analysed like the others, or one whose analysis was saved."""
    from holdfast.apps.cli.baseline import read_baseline
    from holdfast.game import with_runs
    from holdfast.readings import Analysis, Subject
    from holdfast.scenario import configuration, learning

    found = read_baseline(given, budget)
    if isinstance(found, Analysis):
        return Subject(given, found)
    name = variants[0] if len(variants) == 1 and variants[0] in found.variants else None
    protocol = with_runs(learning(found, name), episodes=episodes, seeds=seeds)
    return Design(given, found, configuration(found, name, budget), protocol)


def _cases(
    found: Comparison,
    designs: Sequence[Design],
    reasons: Mapping[str, Explanation],
    worse: Mapping[str, Sequence[Regression]],
) -> Iterator[CheckCase]:
    """What a pipeline reads: the certificate of each design, and whether it is worse than the base."""
    from holdfast.report import Site, design_cases, regression_case

    for design in designs:
        analysis = found.entry(design.label).analysis
        site = Site(str(design.scenario.path), design.scenario, design.configuration)
        yield from design_cases(site, analysis, (), analysis.caveats or (), reasons.get(design.label))
        if design.label in worse:
            yield regression_case(site, worse[design.label], found.base)


def _designs(
    files: Sequence[Path],
    base: str | None,
    variants: Sequence[str],
    episodes: int | None,
    seeds: int | None,
    budget: Budget,
    alone: bool = False,
) -> list[Design]:
    """What to compare, in order, every part of it checked; ``alone`` if only what is named is asked about."""
    from holdfast.game import with_runs
    from holdfast.scenario import BASE, configuration, learning, read_scenario

    scenarios = [read_scenario(file, budget) for file in files]
    if len(scenarios) == 1:
        (scenario,) = scenarios
        names = [base or BASE, *variants] if variants else [BASE, *scenario.variants]
        chosen = [(name, scenario, name) for name in dict.fromkeys(names)]
        if alone:
            own = dict.fromkeys(variants or [BASE])
            chosen = [(f"{files[0]}{f' · {name}' if name != BASE else ''}", scenario, name) for name in own]
    else:
        titles = _titles(files, scenarios)
        chosen = [
            (f"{title} · {name}" if name != BASE else title, scenario, name)
            for title, scenario in zip(titles, scenarios, strict=True)
            for name in dict.fromkeys(variants or [BASE])
        ]
    return [
        Design(
            label,
            scenario,
            configuration(scenario, name, budget),
            with_runs(learning(scenario, name), episodes=episodes, seeds=seeds),
        )
        for label, scenario, name in chosen
    ]


def _titles(files: Sequence[Path], scenarios: Sequence[Scenario]) -> list[str]:
    """What tells the files apart: their scenarios' names, their own names, or else their paths."""
    for titles in ([s.name for s in scenarios], [file.stem for file in files]):
        if len(set(titles)) == len(titles):
            return titles
    return [str(file) for file in files]


def _base(base: str | None, files: Sequence[Path], designs: Sequence[Design]) -> str:
    """The label of the base, which a path may name too; refused before the work if there is none."""
    from holdfast.readings import chosen_base

    labels = [design.label for design in designs]
    if base is not None and base not in labels and len(files) > 1:
        base = next((d.label for d in designs if d.scenario.path == Path(base)), base)
    return chosen_base(labels, base)


def _reasons(subjects: Sequence[Subject], engine: str, budget: Budget) -> dict[str, Explanation]:
    """Why each lost design is lost, the time that is left shared between them."""
    lost = {s.label: s.solution for s in subjects if s.solution is not None and not s.solution.defensible}
    found: dict[str, Explanation] = {}
    for n_left, (label, solution) in zip(range(len(lost), 0, -1), lost.items(), strict=True):
        found[label] = reasons_of(solution, engine, budget.share(1 / n_left))
    return found


def _plain(worse: Mapping[str, Sequence[Regression]]) -> dict[str, list[dict[str, Any]]]:
    return {label: [asdict(one) for one in each] for label, each in worse.items()}


def _document(
    found: Comparison,
    designs: Sequence[Design],
    source: str,
    reasons: Mapping[str, Explanation],
    worse: Mapping[str, Sequence[Regression]],
) -> Document:
    from holdfast.report import background, comparison_document, reasons_together

    (first, *others) = dict.fromkeys((d.scenario.name, d.scenario.description) for d in designs)
    return comparison_document(
        found,
        source=source,
        lead="" if others else "\n\n".join(first),
        backgrounds={d.label: background(d.scenario, d.configuration) for d in designs},
        reasons=[reasons_together(why, f"Why {label} is not defensible") for label, why in reasons.items()],
        worse=[one.text for each in worse.values() for one in each],
    )
