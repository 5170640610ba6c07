"""A design answered for zone by zone (``check --by-zone``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import REASONS_SECONDS, exit_of
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.composition import ComposedReadings, Composition
    from holdfast.explanation import Explanation
    from holdfast.report import Document
    from holdfast.running import Backend
    from holdfast.scenario import Scenario

LARGE, SOLVABLE = 150, 1_000
"""A design with more nodes than the first is asked zone by zone, unless that is not possible; one with more
than the second is not solved at once in any case."""

READINGS_SECONDS = 30.0
"""Seconds for the readings of zones, after the verdict."""

PATIENCE = 120.0
"""Seconds that zones may take for a design that could be solved at once, if nobody asked for zones."""


@dataclass(frozen=True)
class ZonesAnswer:
    """What is known of a design from its zones: why one is lost, or what was read of them."""

    found: Composition
    reasons: Explanation | None = None
    read: ComposedReadings | None = None

    @property
    def exit_code(self) -> int:
        """Whether it holds."""
        return exit_of(self.found.defensible)

    @property
    def first_verdict(self) -> dict[str, Any]:
        """The verdict alone: by how many zones it holds, which one is lost, or why it is open."""
        found = self.found
        if found.defensible is None:
            return {"defensible": None, "undecided": found.open}
        rank = self.reasons.rank if self.reasons is not None else None
        names = [zone.name for zone in found.zones if zone.defensible is False]
        told: dict[str, Any] = {"lost": names[0]} if names else {"zones": len(found.zones)}
        return {"defensible": found.defensible, "rank": rank, **told}

    def document(self, source: str, drawn: bool = False) -> Document:
        """The answer for a person, with a picture if there is room for it."""
        from holdfast.report import composition_document, reasons

        why = tuple(reasons(self.reasons)) if self.reasons is not None else ()
        return composition_document(self.found, source, why, self.read, drawn)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.composition import composition_object, readings_object

        fields = composition_object(self.found)
        if self.read is not None:
            fields["composition"]["readings"] = readings_object(self.read)
            weakest = self.read.weakest
            fields["composition"]["weakest"] = None if weakest is None else self.found.zones[weakest].name
            for row, read in zip(fields["composition"]["zones"], self.read.zones, strict=True):
                row |= {"effort": read.effort, "grace": read.grace}
        if self.reasons is not None:
            from holdfast.explanation import explanation_object

            fields["attack"] = explanation_object(self.reasons)["line"]
        return fields


def check_by_zone(
    scenario: Scenario,
    variant: str | None,
    *,
    read: bool = False,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> ZonesAnswer:
    """The verdict of a design from its zones, its own or proposed ones; with ``read`` also readings.

    Raises:
        InputError: for a design that cannot be divided.
    """
    from holdfast.composition import compose, composed_readings
    from holdfast.scenario import configuration

    found = compose(configuration(scenario, variant, budget), budget=budget, backend=backend)
    if found.lost is None:
        limited = budget.share(0.8, READINGS_SECONDS)
        return ZonesAnswer(found, read=composed_readings(found, limited, backend) if read else None)
    from holdfast.explanation import explain
    from holdfast.solver import solve

    lost = solve(found.lost, budget=budget)
    return ZonesAnswer(found, explain(lost, budget=budget.share(1.0, REASONS_SECONDS)))


def composed(
    scenario: Scenario,
    variant: str | None,
    *,
    read: bool = False,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> ZonesAnswer | None:
    """The verdict of a large design from its zones; None for one that is answered as a whole.

    That is a small one, one that cannot be divided, and one that zones leave open and that is not too large
    to be solved at once.
    """
    if not is_large(scenario):
        return None
    whole = not is_large(scenario, SOLVABLE)
    within = budget.share(0.5, PATIENCE) if whole else budget
    try:
        answer = check_by_zone(scenario, variant, read=read, backend=backend, budget=within)
    except InputError:
        return None
    return None if whole and answer.found.defensible is None else answer


def is_large(scenario: Scenario, most: int = LARGE) -> bool:
    """Whether a design lists more nodes than this."""
    from holdfast.scenario import n_listed

    return n_listed(scenario) > most


def zones_written(scenario: Scenario, variant: str | None, budget: Budget = UNLIMITED) -> str:
    """The text of a scenario with the zones that are proposed for it.

    Raises:
        InputError: for a scenario that has zones, or cannot have any.
    """
    from holdfast.composition import zones_of
    from holdfast.scenario import configuration, put

    zones, proposed = zones_of(configuration(scenario, variant, budget))
    if not proposed:
        raise InputError("the scenario names its zones already; there is nothing to propose")
    return put(scenario.text, ("network", "zones"), {name: list(of) for (name,), of in zones.items()})
