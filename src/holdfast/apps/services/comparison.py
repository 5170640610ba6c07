"""Several designs against each other (``compare``): which they are, how they differ, and which are worse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import DEFENSIBLE, LADDER_SECONDS, REFUSED, UNDECIDED, exit_of
from holdfast.apps.services.design import TrainingRuns, reasons_of, whole_ladder
from holdfast.budget import UNLIMITED, Budget

if TYPE_CHECKING:
    from holdfast.design import Drift, Ladder
    from holdfast.explanation import Explanation
    from holdfast.game import Configuration, Protocol
    from holdfast.readings import Analysis, Comparison, Regression, Subject
    from holdfast.report import CheckCase, Document
    from holdfast.running import Backend
    from holdfast.scenario import Scenario


@dataclass(frozen=True)
class Design:
    """One of the things to compare: a scenario, or a variant of it, under a label of its own."""

    label: str
    scenario: Scenario
    configuration: Configuration
    protocol: Protocol


@dataclass(frozen=True)
class Lineup:
    """The designs to compare, and with which of them.

    Attributes:
        designs: those that are to be analysed, in order.
        base: the label of the one that the others are compared with.
        baseline: that one, where it was named apart from the others: a design, or an analysis that was saved.
    """

    designs: Sequence[Design]
    base: str
    baseline: Design | Subject | None = None

    @property
    def texts(self) -> str:
        """What the answer depends on: the texts of all scenarios."""
        return "".join(dict.fromkeys(design.scenario.text for design in self.designs))


def lineup(
    files: Sequence[Path],
    variants: Sequence[str],
    runs: TrainingRuns,
    *,
    base: str | None = None,
    against: Scenario | Analysis | None = None,
    called: str = "",
    budget: Budget = UNLIMITED,
) -> Lineup:
    """What to compare: one file's base and variants or those named, or the base of each of several files.

    Args:
        files: the scenario files.
        variants: only these, of each file; all of a single file if there are none.
        runs: how players are trained.
        base: the design to compare with: a label, or the path of a file.
        against: a baseline instead, called ``called``; then only what is named is compared with it.
        budget: the limits of the work.

    Raises:
        InputError: for a mistake in a file, or a base that there is not.
    """
    from holdfast.readings import Analysis, Subject, chosen_base

    if against is None:
        designs = _designs(files, base, variants, runs, budget)
        return Lineup(designs, _base(base, files, designs))
    baseline: Design | Subject
    if isinstance(against, Analysis):
        baseline = Subject(called, against)
    else:
        name = variants[0] if len(variants) == 1 and variants[0] in against.variants else None
        baseline = _design(called, against, name, runs, budget)
    if len(files) == 1:
        designs = _named(files[0], variants, runs, budget)
    else:
        designs = _designs(files, None, variants, runs, budget)
    chosen = chosen_base([baseline.label, *(design.label for design in designs)], called)
    return Lineup([baseline, *designs] if isinstance(baseline, Design) else designs, chosen, baseline)


def _design(label: str, scenario: Scenario, name: str | None, runs: TrainingRuns, budget: Budget) -> Design:
    from holdfast.scenario import configuration

    return Design(label, scenario, configuration(scenario, name, budget), runs.protocol(scenario, name))


def _named(file: Path, variants: Sequence[str], runs: TrainingRuns, budget: Budget) -> list[Design]:
    """What is named of one file, for a comparison with something else."""
    from holdfast.scenario import BASE, read_scenario

    scenario = read_scenario(file, budget)
    labels = {name: f"{file} · {name}" if name != BASE else str(file) for name in variants or [BASE]}
    return [_design(label, scenario, name, runs, budget) for name, label in labels.items()]


def _designs(
    files: Sequence[Path], base: str | None, variants: Sequence[str], runs: TrainingRuns, budget: Budget
) -> list[Design]:
    """What to compare, in order, every part of it checked."""
    from holdfast.scenario import BASE, read_scenario

    scenarios = [read_scenario(file, budget) for file in files]
    if len(scenarios) == 1:
        (scenario,) = scenarios
        names = [base or BASE, *variants] if variants else [BASE, *scenario.variants]
        return [_design(name, scenario, name, runs, budget) for name in dict.fromkeys(names)]
    return [
        _design(f"{title} · {name}" if name != BASE else title, scenario, name, runs, budget)
        for title, scenario in zip(_titles(files, scenarios), scenarios, strict=True)
        for name in dict.fromkeys(variants or [BASE])
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


@dataclass(frozen=True)
class ComparisonAnswer:
    """Designs compared.

    Attributes:
        lineup: what was compared.
        comparison: how they differ.
        reasons: why each lost design is lost, where that was asked for.
        worse: in what each design is worse than the base; None where a lost design alone counts.
        ladders: each design with a weaker defender, where that was asked for.
        drifts: what a guard says of each design but the base, where one was given.
        guard: what that guard is called.
    """

    lineup: Lineup
    comparison: Comparison
    reasons: Mapping[str, Explanation] = field(default_factory=dict)
    worse: Mapping[str, Sequence[Regression]] | None = None
    ladders: Mapping[str, Ladder] = field(default_factory=dict)
    drifts: Mapping[str, Drift] = field(default_factory=dict)
    guard: str = ""

    @property
    def refused(self) -> list[str]:
        """What the guard says of each design that it does not let pass."""
        return [f"{label}: {each.words}" for label, each in self.drifts.items() if not each.passes]

    @property
    def regressions(self) -> list[Regression]:
        """All that is worse than the base, where that counts."""
        return [one for each in (self.worse or {}).values() for one in each]

    @property
    def exit_code(self) -> int:
        """By the verdicts alone, or by what is worse; a reading that a limit left out is named, not gated.

        A guard that does not let a design pass decides in any case.
        """
        if self.refused:
            return REFUSED
        if self.worse is None:
            return exit_of(all(entry.analysis.defensible for entry in self.comparison.entries))
        certain = any(not one.open for one in self.regressions)
        return REFUSED if certain else UNDECIDED if self.regressions else DEFENSIBLE

    def cases(self) -> list[CheckCase]:
        """What a pipeline reads: the certificate of each design, and whether it is worse than the base."""
        from holdfast.report import Site, design_cases, guard_case, regression_case

        cases: list[CheckCase] = []
        for design in self.lineup.designs:
            if design is self.lineup.baseline:
                continue
            label, analysis = design.label, self.comparison.entry(design.label).analysis
            site = Site(str(design.scenario.path), design.scenario, design.configuration)
            empty = analysis.caveats or ()
            cases += design_cases(site, analysis, (), empty, self.reasons.get(label))
            if self.worse is not None and label in self.worse:
                cases.append(regression_case(site, self.worse[label], self.comparison.base))
            if label in self.drifts:
                cases.append(guard_case(site, self.drifts[label], self.guard))
        return cases

    def document(self, source: str) -> Document:
        """The answer for a person."""
        from holdfast.report import background, comparison_document, reasons_together

        designs, reasons = self.lineup.designs, self.reasons
        (first, *others) = dict.fromkeys((d.scenario.name, d.scenario.description) for d in designs)
        return comparison_document(
            self.comparison,
            source=source,
            lead="" if others else "\n\n".join(filter(None, first)),
            backgrounds={d.label: background(d.scenario, d.configuration) for d in designs},
            reasons=[
                reasons_together(why, f"Why {label} is not defensible") for label, why in reasons.items()
            ],
            worse=[*(one.text for one in self.regressions), *self.refused],
            ladders=self.ladders,
        )

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.design import ladder_object
        from holdfast.readings import comparison_object

        fields = comparison_object(self.comparison)
        if self.ladders:
            fields["ladders"] = {label: ladder_object(each) for label, each in self.ladders.items()}
        if self.drifts:
            fields["guard"] = {label: asdict(each) for label, each in self.drifts.items()}
        if self.worse is None:
            return fields
        return fields | {
            "regressions": {label: list(map(asdict, each)) for label, each in self.worse.items()}
        }


def compare(
    chosen: Lineup,
    *,
    latitude: bool = True,
    response: bool = True,
    learning: bool = True,
    recovery: bool = True,
    exact: bool = True,
    strict: bool = False,
    why: bool = False,
    ladder: bool = False,
    guard: Path | None = None,
    engine: str = "auto",
    backend: Backend | None = None,
    decided: Callable[[Mapping[str, bool]], object] = lambda verdicts: None,
    budget: Budget = UNLIMITED,
) -> ComparisonAnswer:
    """Analyse designs and compare them: all verdicts first, then readings, which share the time that is left.

    Args:
        chosen: the designs; see :func:`lineup`.
        latitude: whether to read SLT.
        response: whether to read effort, tempo and grace.
        learning: whether players are trained.
        recovery: whether to find how soon the attacker can be got out.
        exact: whether perfect play is solved, for DDR*.
        strict: whether it counts that a design is worse than the base, and not only that one is lost.
        why: whether to work out why designs are lost.
        ladder: whether to ask of each design what it holds with besides.
        guard: what must never be added, as ``fragile --write`` wrote it; all designs but the base are held
            to it.
        engine: how they are solved.
        backend: where seeds are trained.
        decided: called with the verdicts by label, whenever there is one more.
        budget: the limits of the work.

    Raises:
        LimitError: where a limit leaves a verdict undecided; it knows the others.
    """
    from holdfast.readings import Asked, Subject, compare_subjects, regressions, subjects_of

    drifts = _drifts(chosen, guard, engine, budget) if guard is not None else {}
    asked = {design.label: (design.configuration, design.protocol) for design in chosen.designs}
    earlier = [chosen.baseline] if isinstance(chosen.baseline, Subject) else []
    readings = Asked(latitude, response, response, learning, exact, recovery)
    subjects = [*earlier, *subjects_of(asked, readings, engine, budget, backend, decided)]
    comparison = compare_subjects(subjects, chosen.base, budget=budget)
    reasons = _reasons(subjects, engine, budget) if why else {}
    worse = {d.label: regressions(comparison, d.label) for d in comparison.deltas} if strict else None
    ladders = _ladders(subjects, engine, budget) if ladder else {}
    return ComparisonAnswer(chosen, comparison, reasons, worse, ladders, drifts, str(guard or ""))


def _drifts(chosen: Lineup, guard: Path, engine: str, budget: Budget) -> dict[str, Drift]:
    """What a guard says of each design but the base."""
    from holdfast.design import held_against, read_guard

    known = read_guard(guard)
    others = [design for design in chosen.designs if design.label != chosen.base]
    return {
        design.label: held_against(known, design.configuration, engine=engine, budget=budget)
        for design in others
    }


def _ladders(subjects: Sequence[Subject], engine: str, budget: Budget) -> dict[str, Ladder]:
    """The ladder of each design that was solved, the time that is left shared between them."""
    ladders: dict[str, Ladder] = {}
    for n_left, subject in zip(range(len(subjects), 0, -1), subjects, strict=True):
        if subject.solution is not None:
            chosen = subject.configuration or subject.solution.configuration
            share = budget.share(1 / n_left, LADDER_SECONDS)
            ladders[subject.label] = whole_ladder(chosen, subject.solution, engine, share)
    return ladders


def _reasons(subjects: Sequence[Subject], engine: str, budget: Budget) -> dict[str, Explanation]:
    """Why each lost design is lost, the time that is left shared between them."""
    lost = {s.label: s.solution for s in subjects if s.solution is not None and not s.solution.defensible}
    reasons: dict[str, Explanation] = {}
    for n_left, (label, solution) in zip(range(len(lost), 0, -1), lost.items(), strict=True):
        reasons[label] = reasons_of(solution, engine, budget.share(1 / n_left))
    return reasons
