"""What a pipeline should hear of: each alert under a rule, at a place of a scenario file.

A *check case* is one thing that a design was held to: its certificate, a gate, not being worse than before.
It passes, or it has alerts that say why not. SARIF (:mod:`holdfast.report.pipelines.sarif`) lists the alerts,
JUnit (:mod:`holdfast.report.pipelines.junit`) the cases.

An alert has a ``subject``, what it is about in the words of the file: with rule, file and design it says
which alert it is, whatever is added above it in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from holdfast.design import Drift, StartVerdict
from holdfast.errors import HoldfastError, LimitError, ScenarioError
from holdfast.explanation import Explanation
from holdfast.game import Clause, Configuration
from holdfast.logic import Player
from holdfast.readings import Analysis, Caveat, Gate, Regression, asks_less
from holdfast.report.documents.attack_tree import violated_by
from holdfast.report.documents.fingerprint import gate_table, verdict_of
from holdfast.scenario import BASE, FilePlace, Scenario, design_place, mention

MAX_RELATED = 20
"""Further places of one alert."""


@dataclass(frozen=True)
class AlertRule:
    """What alerts of one kind mean, and what to do about one.

    The level is that of SARIF: an ``error`` is why the exit code is not 0, a ``warning`` leaves it alone.
    """

    key: str
    level: str
    title: str
    meaning: str
    remedy: str


LOST = AlertRule(
    "lost-certificate",
    "error",
    "The design is not defensible",
    "An adversary within the boundary forces a violation of the requirement, whatever the defender does.",
    "Run `holdfast explain` for the attack and the smallest fixes, and `holdfast recommend` for all of them.",
)
MISSED = AlertRule(
    "missed-gate",
    "error",
    "A score misses its gate",
    "A score of the design is worse than the limit set in the pipeline, or is undefined.",
    "Improve the design (`holdfast recommend`), or change the limit in a commit that says why.",
)
REGRESSION = AlertRule(
    "regression",
    "error",
    "The design is worse than its baseline",
    "The baseline is defensible and this design is not, or a score is certainly worse for the same question.",
    "Run `holdfast compare` on both to see what changed and how deep.",
)
VACUOUS = AlertRule(
    "vacuous-question",
    "warning",
    "A requirement or assumption is vacuous",
    "The answer is exact, but part of the question has no effect, so it promises less than it seems to.",
    "Rewrite the clause named in the message, or add what is missing.",
)
UNDECIDED = AlertRule(
    "undecided",
    "error",
    "A limit was reached first",
    "A limit on time, memory or size was reached before the verdict or a gated score. This never counts "
    "as a pass.",
    "Raise `--timeout` or `--memory`, or skip scores that no gate uses.",
)
INVALID = AlertRule(
    "invalid-scenario",
    "error",
    "The scenario cannot be read",
    "The file is not a scenario, or its parts do not fit together.",
    "Correct the file at the place named in the message; `holdfast schema` lets editors check it.",
)
FORBIDDEN = AlertRule(
    "forbidden-addition",
    "error",
    "The change adds something forbidden",
    "The guard forbids this addition: with it the design loses the guarded property.",
    "Leave the addition out, or protect the design against it and rewrite the guard (`holdfast fragile`).",
)
BROKEN_GUARD = AlertRule(
    "guard-broken",
    "error",
    "The design lost the guarded property",
    "The changed design was solved and no longer has the property that was proved.",
    "Run `holdfast explain` for the attack, and `holdfast recommend` for the fixes.",
)
WEAKER = AlertRule(
    "weaker-claim",
    "error",
    "The change claims less than what was proved",
    "The requirement asks less than that of the guarded design, or the adversary is assumed to be weaker.",
    "Restore the clause named in the message, or accept the change with `--allow-weaker` and rewrite the "
    "guard.",
)
UNSEEN = AlertRule(
    "unseen-attack",
    "error",
    "The design is not defensible with what the sensors show",
    "A defender who sees everything would hold, but with the sensors of the file some attack looks harmless "
    "until it is too late.",
    "Run `holdfast sensors` to see where sensors are needed, and `holdfast explain` for the attack.",
)
RULES = (
    LOST,
    UNSEEN,
    MISSED,
    REGRESSION,
    VACUOUS,
    UNDECIDED,
    INVALID,
    FORBIDDEN,
    BROKEN_GUARD,
    WEAKER,
)


@dataclass(frozen=True)
class FileMention:
    """A place of a file, and what stands there."""

    file: str
    place: FilePlace
    words: str


@dataclass(frozen=True)
class Alert:
    """Something to tell, the place it is about first; ``related`` are further places."""

    rule: AlertRule
    message: str
    file: str
    place: FilePlace
    design: str
    subject: str
    related: tuple[FileMention, ...] = ()


@dataclass(frozen=True)
class CheckCase:
    """One thing that a design was held to, and the alerts that came of it."""

    file: str
    design: str
    name: str
    seconds: float = 0.0
    alerts: tuple[Alert, ...] = ()


@dataclass(frozen=True)
class Site:
    """A design in its file, where its parts can be looked up."""

    file: str
    scenario: Scenario
    configuration: Configuration

    @property
    def design(self) -> str:
        """The name of the variant, or of the base."""
        return self.configuration.variant or BASE

    @property
    def place(self) -> FilePlace:
        """Where the design begins."""
        return design_place(self.scenario, self.configuration.variant)

    def alert(self, rule: AlertRule, message: str, subject: str, at: FilePlace | None = None) -> Alert:
        """An alert at a place of this file, by default where the design begins."""
        return Alert(rule, message, self.file, at or self.place, self.design, subject)

    def clause_place(self, clause: Clause) -> FilePlace | None:
        """Where a clause stands; None for one that the model itself brings."""
        if not clause.place:
            return None
        _, line, column = clause.place.rsplit(":", 2)
        return int(line), int(column)

    def part_place(self, name: str) -> FilePlace | None:
        """Where a part is first named: a link, a host, an action, a clause."""
        return mention(self.scenario, name, self.configuration.variant)


def design_cases(
    site: Site,
    analysis: Analysis,
    gates: Sequence[Gate] = (),
    caveats: Sequence[Caveat] = (),
    reasons: Explanation | None = None,
    starts: Sequence[StartVerdict] = (),
    unfinished: str = "",
) -> Iterator[CheckCase]:
    """The cases of one design: its certificate, each gate, and the question itself where it has caveats.

    Args:
        site: the design in its file.
        analysis, gates, caveats: what was found about it.
        reasons: why it is lost, where that was looked for.
        starts: the verdict for each other start that was asked about.
        unfinished: why the certificate could not be given although the verdict is known; else empty.
    """
    file, design = site.file, site.design
    passes = analysis.defensible or asks_less(gates)
    alerts = () if passes else (_lost(site, analysis, reasons),)
    if analysis.defensible and analysis.sight is not None and not analysis.sight.defensible:
        rule = UNDECIDED if analysis.sight.defensible is None else UNSEEN
        alerts = (site.alert(rule, f"{design}: {verdict_of(analysis).sentence}", "sight"),)
    if unfinished:
        alerts = (site.alert(UNDECIDED, f"{design} is undecided: {unfinished}.", "certificate"), *alerts)
    yield CheckCase(file, design, "certificate", analysis.seconds, alerts)
    for start in starts:
        message = f"{design} is not defensible if {start.start} is the entry."
        at = site.part_place(start.start)
        alerts = () if start.defensible else (site.alert(LOST, message, f"entry {start.start}", at),)
        yield CheckCase(file, design, f"entry {start.start}", alerts=alerts)
    for gate, (row, _) in zip(gates, gate_table(gates).marked(), strict=True):
        asked, value, result = (cell.text for cell in row)
        rule = UNDECIDED if gate.undecided else MISSED
        why = f": {analysis.undecided}" if gate.undecided and analysis.undecided else ""
        message = f"Gate {asked} of {design}: {result} ({value}){why}."
        alerts = () if gate.met else (site.alert(rule, message, gate.axis),)
        yield CheckCase(file, design, f"gate {asked}", alerts=alerts)
    if caveats:
        yield CheckCase(file, design, "question", alerts=tuple(_vacuous(site, c) for c in caveats))


def regression_case(site: Site, found: Sequence[Regression], base: str) -> CheckCase:
    """The case of a design that must not be worse than a baseline."""
    alerts = tuple(
        site.alert(UNDECIDED if one.open else REGRESSION, f"{one.text}.", f"baseline {one.about}")
        for one in found
    )
    return CheckCase(site.file, site.design, f"no worse than {base}", alerts=alerts)


def guard_case(site: Site, drift: Drift, guard: str) -> CheckCase:
    """The case of a design that is held to a guard: at the first thing that must not be there."""
    alerts: tuple[Alert, ...] = ()
    if not drift.passes:
        rule = FORBIDDEN if drift.rule and not drift.solved else BROKEN_GUARD if drift.solved else WEAKER
        names = [_place_of(text) for text in drift.rule]
        places = [(name, at) for name in names if (at := site.part_place(name))]
        mentions = (FileMention(site.file, at, f"{name} is part of it") for name, at in places[1:])
        subject = " + ".join(drift.rule) or "; ".join(drift.weaker) or "guard"
        at = places[0][1] if places else site.place
        message = f"{site.design} fails {guard}: {drift.words}."
        alerts = (Alert(rule, message, site.file, at, site.design, subject, tuple(mentions)),)
    return CheckCase(site.file, site.design, f"guard {guard}", alerts=alerts)


def _place_of(addition: str) -> str:
    """What an addition is about, as a file names it: a link as it is, else the last word."""
    _, _, name = addition.partition(" ")
    return name if " -> " in name else name.rpartition(" ")[2]


def _lost(site: Site, analysis: Analysis, reasons: Explanation | None) -> Alert:
    """The lost certificate, at the clause that the attack violates in the end, with what it depends on.

    What the defender would violate by a bad reply is no reason: the attack needs none of it.
    """
    labels = () if reasons is None else reasons.violated or violated_by(reasons.line)
    clauses = [c for c in site.configuration.clauses(Player.DEFENDER) if c.label in labels]
    at = next((place for c in clauses if (place := site.clause_place(c))), None)
    message = f"{site.design} is not defensible. {verdict_of(analysis).sentence}"
    if clauses:
        message += f' Violated: "{clauses[0].label}".'
    if reasons is not None and reasons.line is not None and reasons.line.steps and not reasons.line.opening:
        message += f" The attack begins with {reasons.line.steps[0].action}."
    sets = reasons.repairs.sets if reasons is not None and reasons.repairs is not None else ()
    if sets:
        parts = " and ".join(f"{p.kind} {p.name}" + (f" → {p.becomes}" if p.becomes else "") for p in sets[0])
        message += f" It would hold without {parts}."
    names = dict.fromkeys((p.kind, p.name) for one in sets for p in one)
    places = ((f"{kind} {name}: the attack depends on it", site.part_place(name)) for kind, name in names)
    mentions = (FileMention(site.file, place, words) for words, place in places if place)
    related = tuple(islice(mentions, MAX_RELATED))
    subject = clauses[0].label if clauses else "certificate"
    return Alert(LOST, message, site.file, at or site.place, site.design, subject, related)


def _vacuous(site: Site, caveat: Caveat) -> Alert:
    """A caveat, at the clause or the node that it is about."""
    at = next((place for c in caveat.clauses if (place := site.clause_place(c))), None)
    if at is None and caveat.nodes:
        at = site.part_place(caveat.nodes[0])
    subject = caveat.clauses[0].label if caveat.clauses else ",".join(caveat.nodes) or caveat.text
    return site.alert(VACUOUS, f"{site.design}: {caveat.text}.", subject, at)


def failed_case(file: str, design: str, error: HoldfastError) -> CheckCase:
    """The case of a design whose question an error ended: a limit, or a mistake in this or another file."""
    rule = UNDECIDED if isinstance(error, LimitError) else INVALID
    place, message = (1, 1), str(error).partition("\n")[0]
    own = str(error).startswith(f"{file}:")
    if own and isinstance(error, ScenarioError) and error.place is not None:
        place, message = error.place[:2], error.problem
    subject = "certificate" if rule is UNDECIDED else message
    return CheckCase(
        file, design, "certificate", alerts=(Alert(rule, message, file, place, design, subject),)
    )
