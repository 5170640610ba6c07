"""What must never be added to a design (``fragile``), and later designs held to that (``guard``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import DEFENSIBLE, REFUSED, UNDECIDED
from holdfast.budget import UNLIMITED, Budget

if TYPE_CHECKING:
    from holdfast.design import Drift, Fragility
    from holdfast.running import Backend
    from holdfast.scenario import Scenario

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
        engine=engine,
        budget=budget,
        backend=backend,
    )
    guard = guard_text(guard_of(found, tuple(kinds), _proof(found, budget))) if guarded else ""
    return FragilityAnswer(found, guard)


def _proof(found: Fragility, budget: Budget) -> str:
    """The hash of the certificate of the design; empty where it takes too long."""
    from holdfast.certificates import certify
    from holdfast.errors import LimitError
    from holdfast.running import sha256_of

    if found.solution is None or not found.holds:
        return ""
    try:
        return sha256_of(certify(found.solution, None, budget.share(1.0, PROOF_SECONDS)))
    except LimitError:
        return ""


@dataclass(frozen=True)
class DriftAnswer:
    """What a guard says of a later design."""

    drift: Drift

    @property
    def exit_code(self) -> int:
        """Whether it may go on."""
        return DEFENSIBLE if self.drift.passes else REFUSED

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        return asdict(self.drift)


def guard(
    guard_file: Path,
    scenario: Scenario,
    variant: str | None,
    *,
    allow_weaker: bool = False,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> DriftAnswer:
    """A later design held against a guard; without a variant named, that of the guard if the file has it."""
    from holdfast.design import held_against, read_guard
    from holdfast.scenario import configuration

    known = read_guard(guard_file)
    if variant is None and known.variant in scenario.variants:
        variant = known.variant
    later = configuration(scenario, variant, budget)
    return DriftAnswer(held_against(known, later, allow_weaker=allow_weaker, engine=engine, budget=budget))
