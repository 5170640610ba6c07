"""One design: its certificate, its readings, its gates and its reasons (``check``, ``fingerprint``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from holdfast.apps.services import DEFENSIBLE, LADDER_SECONDS, REASONS_SECONDS, REFUSED, UNDECIDED, exit_of
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError

if TYPE_CHECKING:
    from holdfast.design import Ladder, StartVerdict
    from holdfast.explanation import Explanation
    from holdfast.game import Configuration, Protocol
    from holdfast.readings import Analysis, Gate, Provenance
    from holdfast.report import CheckCase, Document
    from holdfast.running import Backend
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution


HOLD = "hold"
"""The key of the reading that says how likely a design holds."""


@dataclass(frozen=True)
class Wanted:
    """What is asked about a design.

    Attributes:
        engine: how it is solved.
        latitude: whether to read SLT.
        response: whether to read effort, tempo and grace.
        learning: whether players are trained, for DDR; only of a fingerprint.
        minima: the gates: bounds of readings by the keys of their axes.
        why: whether the reasons behind the verdict are worked out, too: always, as a report has room for
            them, only those of a lost design, as a pipeline reads them, or never.
        ladder: whether the ladder is climbed; only of a check.
        rungs: the rungs of the ladder that the design is held to.
        recovery: whether to find how soon the attacker can be got out.
        exact: whether perfect play is solved, for DDR*; only of a fingerprint.
        hold: for how many moves to ask how likely it holds; None for the usual ones, where there is chance.
    """

    engine: str = "auto"
    latitude: bool = True
    response: bool = True
    learning: bool = True
    minima: Mapping[str, float] = field(default_factory=dict)
    why: Literal["always", "lost", "never"] = "never"
    ladder: bool = False
    rungs: tuple[str, ...] = ()
    recovery: bool = True
    exact: bool = True
    hold: tuple[int, ...] | None = None

    @property
    def moves(self) -> tuple[int, ...] | None:
        """For how many moves it is asked how likely it holds, those of gates included."""
        gated = {int(key.partition("@")[2]) for key in self.minima if "@" in key}
        if not gated and HOLD not in self.minima:
            return self.hold
        from holdfast.readings import HOLD_MOVES

        return tuple(sorted({*(HOLD_MOVES if self.hold is None else self.hold), *gated}))

    def wants_reasons(self, analysis: Analysis) -> bool:
        """Whether somebody will read the reasons behind this verdict."""
        return self.why == "always" or (self.why == "lost" and not analysis.defensible)


@dataclass(frozen=True)
class TrainingRuns:
    """How players are trained, where that differs from what the scenario says."""

    episodes: int | None = None
    seeds: int | None = None

    def protocol(self, scenario: Scenario, variant: str | None) -> Protocol:
        """How the players of a design are trained."""
        from holdfast.game import with_runs
        from holdfast.scenario import learning

        return with_runs(learning(scenario, variant), episodes=self.episodes, seeds=self.seeds)


@dataclass(frozen=True)
class DesignAnswer:
    """What is known of a design.

    Attributes:
        scenario, configuration: the design.
        analysis: its verdict and readings.
        gates: the bounds that were asked for, each met or missed.
        reasons: why the verdict is as it is, where that was asked for.
        starts: the verdict for each host as the entry, where that was asked for.
        unfinished: what a limit or a person stopped although it was asked for by name; empty if nothing.
        ladder: the design with a weaker defender, where that was asked for.
    """

    scenario: Scenario
    configuration: Configuration
    analysis: Analysis
    gates: Sequence[Gate] = ()
    reasons: Explanation | None = None
    starts: Sequence[StartVerdict] = ()
    unfinished: str = ""
    ladder: Ladder | None = None

    @property
    def exit_code(self) -> int:
        """Conclusion; a certificate that was asked for and not written is never a pass."""
        if self.unfinished and not self.analysis.interrupted:
            return UNDECIDED
        if not all(verdict.defensible for verdict in self.starts):
            return REFUSED
        return exit_code(self.analysis, self.gates)

    def cases(self, file: str, budget: Budget = UNLIMITED) -> list[CheckCase]:
        """What a pipeline reads of it."""
        from holdfast.readings import caveats
        from holdfast.report import Site, design_cases

        site, analysis = Site(file, self.scenario, self.configuration), self.analysis
        empty = analysis.caveats
        if empty is None:  # the analysis comes from a cache, which has the words alone
            held, response = analysis.defensible, analysis.response
            empty = tuple(caveats(self.configuration, held=held, response=response, budget=budget))
        return list(
            design_cases(site, analysis, self.gates, empty, self.reasons, self.starts, self.unfinished)
        )

    def document(self, source: str, reasoned: bool = True, budget: Budget = UNLIMITED) -> Document:
        """The answer for a person, with its reasons if there is room for them."""
        from holdfast.report import analysis_document, background, entries_section

        why = _sections(self.reasons) if self.reasons is not None and reasoned else ()
        graph = self.configuration.system.graph
        noun = graph.noun if graph is not None else "start"
        asked = [entries_section(self.starts, noun)] if self.starts else []
        if self.ladder is not None:
            from holdfast.report import ladder_section

            asked.append(ladder_section(self.ladder))
        about = background(self.scenario, self.configuration, source, budget)
        return analysis_document(self.analysis, self.gates, about, why, asked)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.readings import analysis_object, gate_columns

        each = [{"entry": v.start, "defensible": v.defensible, "rank": v.rank} for v in self.starts]
        fields = {**analysis_object(self.analysis), "gates": list(map(gate_columns, self.gates))}
        fields |= {"any_entry": each} if each else {}
        if self.ladder is not None:
            from holdfast.design import ladder_object

            fields["ladder"] = ladder_object(self.ladder)
        return fields


def _sections(reasons: Explanation) -> tuple[Any, ...]:
    from holdfast.report import reasons as parts  # brings arrays, which others do without

    return tuple(parts(reasons))


def exit_code(analysis: Analysis, gates: Sequence[Gate]) -> int:
    """What the verdict and the gates come to; a reading that nobody gates does not count.

    Where a gate asks how likely a design holds, it may be lost. The verdict is that for a defender who sees
    what the file says.

    An undecided gate is never a pass, and no more a failure: where another one is missed, that decides. What
    a person interrupted is undecided.
    """
    from holdfast.readings import asks_less

    seen = analysis.defensible if analysis.sight is None else analysis.sight.defensible
    seen = seen or (True if asks_less(gates) else seen)
    if seen is False or any(not gate.met and not gate.undecided for gate in gates):
        return REFUSED
    open_ = seen is None or analysis.interrupted or any(gate.undecided for gate in gates)
    return UNDECIDED if open_ else DEFENSIBLE


def reasons_of(solution: Solution, engine: str, budget: Budget) -> Explanation:
    """Why the verdict is as it is, for a report with room for it."""
    from holdfast.explanation import explain

    return explain(solution, engine=engine, budget=budget.share(1.0, REASONS_SECONDS))


def check(
    scenario: Scenario,
    variant: str | None,
    wanted: Wanted,
    *,
    any_entry: bool = False,
    certify: Callable[[Solution], None] | None = None,
    tell: Callable[[DesignAnswer], None] | None = None,
    keep: Callable[[DesignAnswer], None] | None = None,
    count_alike: bool = True,
    reading: float | None = None,
    budget: Budget = UNLIMITED,
) -> DesignAnswer:
    """A design certified and read off its solution, without training.

    Args:
        scenario, variant: the design; None for the base.
        wanted: what is asked.
        any_entry: whether to ask for each host what if it were the entry.
        certify: called with the solution before anything is read, for instance to write its proof.
        tell: called with all but the ladder before that is climbed, so that nobody has to wait for it.
        keep: called with the answer so far whenever a reading is there, should the next take for ever.
        count_alike: whether the solution may be one in which interchangeable hosts are counted; the proof of
            a file that names them is not.
        reading: the share of the time left after the verdict that the rest may take; all of it if None.
        budget: the limits of the work.

    Raises:
        InputError: for a mistake in the design, or where there is no entry to move.
        LimitError: where a limit leaves the verdict undecided.
    """
    from holdfast.readings import UNCERTIFIED, analyse, gates_of
    from holdfast.scenario import configuration

    solutions: list[Solution] = []
    chosen = configuration(scenario, variant, budget)
    if any_entry and not chosen.system.starts:
        raise InputError("--any-entry: this system has no entry to vary; the option is for networks")

    def solved(solution: Solution) -> None:
        solutions.append(solution)
        if certify is not None:
            certify(solution)

    solution, counted = None, count_alike and not any_entry
    if reading is not None:
        from holdfast.game import gathered
        from holdfast.solver import solve

        asked_of = gathered(chosen, wanted.engine, budget) if counted else chosen
        solution = solve(asked_of, wanted.engine, budget)
        budget = budget.share(reading)
    whole = wanted.why == "always"
    asked: dict[str, object] = {"latitude": wanted.latitude, "response": wanted.response}
    asked |= {} if wanted.recovery else {"recovery": False}
    asked |= {} if wanted.moves is None else {"hold": list(wanted.moves)}
    analysis = analyse(
        chosen,
        engine=wanted.engine,
        latitude=wanted.latitude,
        recovery=wanted.recovery,
        response=wanted.response,
        layers=whole and wanted.response,
        hold=wanted.moves,
        budget=budget,
        solution=solution,
        provenance=_origin(scenario, chosen.variant, asked) if whole else None,
        solved=solved,
        so_far=_keeping(keep, scenario, chosen, wanted),
        count_alike=counted,
    )
    starts = _starts(solutions[0]) if any_entry else ()
    explained = wanted.wants_reasons(analysis)
    reasons = reasons_of(solutions[0], wanted.engine, budget) if explained else None
    undecided = analysis.undecided or ""
    unfinished = undecided if f"{UNCERTIFIED}: " in undecided else ""
    gates = gates_of(analysis, wanted.minima)
    answer = DesignAnswer(scenario, chosen, analysis, gates, reasons, starts, unfinished)
    if tell is not None:
        tell(answer)
    return _climbed(answer, solutions[0], wanted, budget) if wanted.ladder or wanted.rungs else answer


def _origin(scenario: Scenario, variant: str | None, asked: dict[str, object]) -> Provenance:
    """Where the numbers of a report come from; an answer without one need not load what saves analyses."""
    from holdfast.readings import provenance_of

    return provenance_of(scenario.text, variant, asked)


def _starts(solution: Solution) -> Sequence[StartVerdict]:
    """The verdict for each place where the adversary might start."""
    from holdfast.design import start_verdicts

    return start_verdicts(solution)


def _keeping(
    keep: Callable[[DesignAnswer], None] | None, scenario: Scenario, chosen: Configuration, wanted: Wanted
) -> Callable[[Analysis, tuple[str, ...]], None] | None:
    """What hears of every reading and makes an answer of it that says what is still missing."""
    if keep is None:
        return None
    told = False

    def so_far(analysis: Analysis, coming: tuple[str, ...]) -> None:
        nonlocal told
        if told:  # what the verdict alone says is no answer yet
            from holdfast.readings import gates_of

            missing = f"{', '.join(coming)}: not there in time" if coming else None
            partial = replace(
                analysis, undecided="; ".join(filter(None, (analysis.undecided, missing))) or None
            )
            keep(DesignAnswer(scenario, chosen, partial, gates_of(partial, wanted.minima)))
        told = True

    return so_far


def _climbed(answer: DesignAnswer, solution: Solution, wanted: Wanted, budget: Budget) -> DesignAnswer:
    """The answer with the ladder, and whether it reaches the rungs that it is held to."""
    from holdfast.design import rung_gates

    limited = budget if wanted.rungs else budget.share(1.0, LADDER_SECONDS)
    ladder = whole_ladder(answer.configuration, solution, wanted.engine, limited)
    gates = (*answer.gates, *rung_gates(ladder, wanted.rungs))
    return replace(answer, gates=gates, ladder=ladder)


def _single(solution: Solution, chosen: Configuration, budget: Budget) -> Solution:
    """The solution of a design as it is written, where it was solved by numbers of alike hosts."""
    from holdfast.solver import solve

    return solution if solution.configuration is chosen else solve(chosen, budget=budget)


def whole_ladder(chosen: Configuration, solution: Solution, engine: str, budget: Budget) -> Ladder:
    """The ladder of a design that may have been solved by numbers: what needs single hosts is asked of it."""
    from holdfast.design import RungVerdict, ladder_of, rungs

    climbed = ladder_of(solution, engine, budget)
    if solution.configuration is chosen:
        return climbed
    offered, known = rungs(chosen, budget), {verdict.rung: verdict for verdict in climbed.rungs}
    others = [rung for rung in offered if rung.key not in known]
    try:
        limited = budget.share(1.0, LADDER_SECONDS)
        single = _single(solution, chosen, limited) if others else solution
        missing = [rung.key for rung in others]
        known |= {one.rung: one for one in ladder_of(single, engine, limited, only=missing).rungs}
    except LimitError as limit:
        known |= {rung.key: RungVerdict(rung.key, rung.words, None, note=str(limit)) for rung in others}
    return replace(climbed, rungs=tuple(known[rung.key] for rung in offered))


@dataclass(frozen=True)
class LadderAnswer:
    """A design on its ladder.

    Attributes:
        ladder: what came of each rung.
        rank: within how many moves the design is lost as it is; None where it holds.
        gates: the rungs that it is held to, each reached or not.
    """

    ladder: Ladder
    rank: int | None
    gates: Sequence[Gate] = ()

    @property
    def exit_code(self) -> int:
        """What the verdict and the rungs that were asked for come to."""
        if any(not gate.met and not gate.undecided for gate in self.gates):
            return REFUSED
        return UNDECIDED if any(gate.undecided for gate in self.gates) else exit_of(self.ladder.defensible)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.design import ladder_object
        from holdfast.readings import gate_columns

        one, gates = self.ladder, list(map(gate_columns, self.gates))
        named = {"name": one.name, "variant": one.variant, "defensible": one.defensible}
        return {**named, "ladder": ladder_object(one), "gates": gates}


def ladder(
    scenario: Scenario,
    variant: str | None,
    rungs: Sequence[str] = (),
    *,
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    tell: Callable[[LadderAnswer], object] | None = None,
    budget: Budget = UNLIMITED,
) -> LadderAnswer:
    """A design asked again with weaker defenders; see :mod:`holdfast.design.ladder`.

    ``solved`` is called with the solution of the design as it is, ``tell`` with that verdict before any rung
    is tried.

    Raises:
        InputError: for a mistake in the design, or a rung that makes no sense for it.
        LimitError: where a limit leaves the verdict itself undecided.
    """
    from holdfast.design import Ladder, rung_gates
    from holdfast.game import gathered
    from holdfast.scenario import configuration
    from holdfast.solver import solve

    chosen = configuration(scenario, variant, budget)
    solution = solve(gathered(chosen, engine, budget), engine, budget)
    if solved is not None:
        solved(solution)
    if tell is not None:
        verdict = Ladder(chosen.name, chosen.variant, solution.defensible, ())
        tell(LadderAnswer(verdict, solution.initial_rank))
    assessed = whole_ladder(chosen, solution, engine, budget)
    return LadderAnswer(assessed, solution.initial_rank, rung_gates(assessed, rungs))


def fingerprint(
    scenario: Scenario,
    variant: str | None,
    wanted: Wanted,
    protocol: Protocol,
    *,
    cache: Path | None = None,
    warn: Callable[[str], None] = lambda text: None,
    solved: Callable[[Solution], object] | None = None,
    keep: Callable[[DesignAnswer], None] | None = None,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> DesignAnswer:
    """A design read in full: certificate, static readings, response, DDR* and, if wanted, DDR.

    Args:
        scenario, variant: the design; None for the base.
        wanted: what is asked.
        protocol: how players are trained.
        cache: a folder of analyses; one of the same inputs is taken from it, or kept there.
        warn: told that the cache could not be written.
        solved: called with the solution before anything is read.
        keep: called with the answer so far whenever a reading is there, should the next take for ever.
        backend: where seeds are trained.
        budget: the limits of the work.

    Raises:
        InputError: for a mistake in the design.
        LimitError: where a limit leaves the verdict undecided.
    """
    from holdfast.apps.services.cache import cached, keep_cached
    from holdfast.game import gathered
    from holdfast.readings import analyse, gates_of, provenance_of
    from holdfast.scenario import configuration
    from holdfast.solver import solve

    solutions: list[Solution] = []
    chosen = configuration(scenario, variant, budget)
    read = {"latitude": wanted.latitude, "learning": wanted.learning, "response": wanted.response}
    read |= {} if wanted.recovery else {"recovery": False}
    read |= {} if wanted.exact else {"exact": False}
    provenance = provenance_of(scenario.text, chosen.variant, {"protocol": asdict(protocol), **read})
    kept = None if cache is None else cache / f"{provenance.key}.json"

    def hear(solution: Solution) -> None:
        solutions.append(solution)
        if solved is not None:
            solved(solution)

    analysis = None if kept is None else cached(kept, provenance.key)
    if analysis is None:
        analysis = analyse(
            chosen,
            protocol,
            engine=wanted.engine,
            latitude=wanted.latitude,
            recovery=wanted.recovery,
            response=wanted.response,
            learning=wanted.learning,
            layers=wanted.response,
            exact=wanted.exact,
            budget=budget,
            backend=backend,
            provenance=provenance,
            solved=hear,
            so_far=_keeping(keep, scenario, chosen, wanted),
            count_alike=True,
        )
        if kept is not None and analysis.undecided is None:
            keep_cached(analysis, kept, warn)
    reasons = None
    if wanted.wants_reasons(analysis) and not analysis.interrupted:
        asked = gathered(chosen, wanted.engine, budget)
        solution = solutions[0] if solutions else solve(asked, wanted.engine, budget)
        reasons = reasons_of(solution, wanted.engine, budget)
    unfinished = (analysis.undecided or "interrupted") if analysis.interrupted else ""
    gates = gates_of(analysis, wanted.minima)
    return DesignAnswer(scenario, chosen, analysis, gates, reasons, (), unfinished)
