"""What must never be added to a design (``fragile``), and later designs held to that (``guard``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import BAD_INPUT, DEFENSIBLE, REFUSED, UNDECIDED
from holdfast.apps.services.batch import WORST_FIRST
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import HoldfastError, LimitError

if TYPE_CHECKING:
    from holdfast.design import Drift, DriftGuard, Fragility
    from holdfast.report import CheckCase, Document
    from holdfast.running import Backend
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution

PROOF_SECONDS = 20.0
"""What a guard spends on the proof of its design, at most; without it, it has no hash of one."""


@dataclass(frozen=True)
class FragilityAnswer:
    """What must never be added, and the guard that says so where one was asked for."""

    fragility: Fragility
    guard: str = ""

    @property
    def exit_code(self) -> int:
        """Whether the design has what it is to keep, and all breakers that were asked for are known."""
        if not self.fragility.holds:
            return REFUSED
        return UNDECIDED if self.fragility.unfinished else DEFENSIBLE


def fragile(
    scenario: Scenario,
    variant: str | None,
    *,
    keep: str = "held",
    kinds: Sequence[str] = (),
    max_cost: int | None = None,
    guarded: bool = False,
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> FragilityAnswer:
    """What must never be added to a design, and its guard if it is to be ``guarded``.

    The other arguments are those of :func:`holdfast.design.fragility`.
    """
    from holdfast.design import fragility, guard_of, guard_text
    from holdfast.scenario import configuration

    found = fragility(
        configuration(scenario, variant, budget),
        keep,
        scenario=scenario,
        kinds=kinds,
        max_cost=max_cost,
        count_alike=not guarded,
        engine=engine,
        solved=solved,
        budget=budget,
        backend=backend,
    )
    guard = guard_text(guard_of(found, tuple(kinds), _proof(found, budget))) if guarded else ""
    return FragilityAnswer(found, guard)


def _proof(found: Fragility, budget: Budget) -> str:
    """The hash of the certificate of the design; empty where it takes too long."""
    from holdfast.certificates import certify
    from holdfast.running import sha256_of

    if found.solution is None or not found.holds:
        return ""
    try:
        return sha256_of(certify(found.solution, None, budget.share(1.0, PROOF_SECONDS)))
    except LimitError:
        return ""


@dataclass(frozen=True)
class DriftOutcome:
    """What a guard says of one file; ``error`` where none could be asked, and ``code`` what that means."""

    file: str
    code: int
    drift: Drift | None = None
    cases: tuple[CheckCase, ...] = ()
    error: str = ""

    def to_object(self) -> dict[str, Any]:
        """The outcome for a program."""
        word = "undecided" if self.code == UNDECIDED else "error"
        told = {word: self.error} if self.drift is None else asdict(self.drift)
        return {"file": self.file, "exit_code": self.code, **told}


@dataclass(frozen=True)
class DriftAnswer:
    """What a guard says of some files, in their order."""

    guard: str
    outcomes: tuple[DriftOutcome, ...]

    @property
    def exit_code(self) -> int:
        """The worst of all."""
        codes = {outcome.code for outcome in self.outcomes}
        return next(code for code in WORST_FIRST if code in codes)

    def cases(self) -> list[CheckCase]:
        """What a pipeline reads of them."""
        return [case for outcome in self.outcomes for case in outcome.cases]

    def document(self) -> Document:
        """The answer for a person."""
        from holdfast.report import drift_document

        return drift_document({each.file: each.drift or each.error for each in self.outcomes}, self.guard)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program: of one file what is said of it, of several a list."""
        if len(self.outcomes) == 1:
            return self.outcomes[0].to_object()
        return {"exit_code": self.exit_code, "files": [each.to_object() for each in self.outcomes]}

    def lines(self) -> list[str]:
        """The answer for a person at a terminal, a line for each file."""
        several = len(self.outcomes) > 1
        return [(f"{each.file} " if several else "") + _sentence(each) for each in self.outcomes]


def _sentence(outcome: DriftOutcome) -> str:
    if outcome.drift is None:
        return f"{'is undecided' if outcome.code == UNDECIDED else 'cannot be asked'}: {outcome.error}"
    return f"{'passes' if outcome.drift.passes else 'FAILS'}: {outcome.drift.words}"


def guard(
    guard_file: Path,
    files: Sequence[Path],
    variant: str | None,
    *,
    allow_weaker: bool = False,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> DriftAnswer:
    """Files held against a guard; without a variant named, each by that of the guard if it has it.

    Raises:
        InputError: for a guard that cannot be read; what is wrong with a file is its outcome.
    """
    from holdfast.design import read_guard

    known, outcomes = read_guard(guard_file), []
    for n_left, file in zip(range(len(files), 0, -1), files, strict=True):
        ask = partial(_asked, known, str(guard_file), file, variant, allow_weaker, engine)
        outcomes.append(ask(budget.share(1 / n_left)))
    return DriftAnswer(str(guard_file), tuple(outcomes))


def _asked(
    known: DriftGuard,
    called: str,
    file: Path,
    variant: str | None,
    allow_weaker: bool,
    engine: str,
    budget: Budget,
) -> DriftOutcome:
    from holdfast.design import held_against
    from holdfast.report import Site, failed_case, guard_case
    from holdfast.scenario import BASE, configuration, read_scenario

    try:
        scenario = read_scenario(file, budget)
        name = variant or (known.variant if known.variant in scenario.variants else None)
        later = configuration(scenario, name, budget)
        drift = held_against(known, later, allow_weaker=allow_weaker, engine=engine, budget=budget)
    except HoldfastError as error:
        code = UNDECIDED if isinstance(error, LimitError) else BAD_INPUT
        return DriftOutcome(
            str(file), code, cases=(failed_case(str(file), variant or BASE, error),), error=str(error)
        )
    case = guard_case(Site(str(file), scenario, later), drift, called)
    return DriftOutcome(str(file), DEFENSIBLE if drift.passes else REFUSED, drift, (case,))
