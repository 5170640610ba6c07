"""A design answered for zone by zone (``check --by-zone``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import DEFENSIBLE, REASONS_SECONDS, UNDECIDED, exit_of
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, counted, gathered

if TYPE_CHECKING:
    from holdfast.composition import ComposedReadings, Composition
    from holdfast.design import Fragility, ZoneAdvice
    from holdfast.explanation import Explanation
    from holdfast.report import Document
    from holdfast.running import Backend
    from holdfast.scenario import Scenario

LARGE, SOLVABLE = 150, 1_000
"""A design with more nodes than the first is asked zone by zone, unless that is not possible; one with more
than the second is not solved at once in any case."""

READ_PART, READ_FIRST_PART = 0.8, 0.3
"""The part of the time, where it is limited, for the readings of zones: after the verdict; before more."""

ZONES_PART = 0.5
"""The part of the time that zones may take for a design that could be solved at once, if nobody asked for
zones."""


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
        from holdfast.solver import solve

        found = self.found
        if found.defensible is None:
            return {"defensible": None, "undecided": found.open}
        rank = None if found.lost is None else solve(found.lost).initial_rank
        names = [zone.name for zone in found.zones if zone.defensible is False]
        told: dict[str, Any] = {"lost": names[0]} if names else {"zones": len(found.zones)}
        return {"defensible": found.defensible, "rank": rank, **told}

    def is_final(self, scenario: Scenario) -> bool:
        """Whether there is nothing else to try: it is decided, or the whole is too large."""
        return self.found.defensible is not None or is_large(scenario, SOLVABLE)

    def and_whole_stopped(self, limit: LimitError) -> ZonesAnswer:
        """The answer where the whole was tried as well, and a limit stopped that."""
        told = f"{self.found.open}; the whole was not solved either: {limit}"
        return replace(self, found=replace(self.found, open=told))

    @property
    def so_far(self) -> str:
        """What zones say of a design that they leave open, in one sentence."""
        held = sum(zone.defensible is True for zone in self.found.zones)
        return (
            f"{held} of {counted(len(self.found.zones), 'zone')} held by themselves; open: {self.found.open}"
        )

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
    why: bool = True,
    certified: bool = False,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> ZonesAnswer:
    """The verdict of a design from its zones, its own or proposed ones; with ``read`` also readings.

    Of a design that is lost also ``why``, if that is asked for. One that is to be ``certified`` is about the
    hosts as the file has them; else alike ones are counted.

    Raises:
        InputError: for a design that cannot be divided.
    """
    from holdfast.composition import compose, composed_readings
    from holdfast.scenario import configuration

    chosen = configuration(scenario, variant, budget)
    found = compose(chosen if certified else _counted(chosen, budget), budget=budget, backend=backend)
    if found.lost is None:
        limited = budget.share(READ_PART)
        return ZonesAnswer(found, read=composed_readings(found, limited, backend) if read else None)
    if not why:
        return ZonesAnswer(found)
    from holdfast.explanation import explain
    from holdfast.solver import solve

    lost = solve(found.lost, budget=budget)
    return ZonesAnswer(found, explain(lost, budget=budget.share(1.0, REASONS_SECONDS)))


def _counted(chosen: Configuration, budget: Budget) -> Configuration:
    """The configuration with what is alike in the zones that it declares counted, where that pays."""
    graph = chosen.system.graph
    return gathered(chosen, budget=budget) if graph is not None and graph.zones else chosen


def first_by_zone(scenario: Scenario, budget: Budget) -> ZonesAnswer | None:
    """The verdict alone of a large design from its zones, which may take all the time there is for it.

    None for a small one, and one that cannot be divided.
    """
    if not is_asked_by_zone(scenario):
        return None
    with suppress(InputError):
        return check_by_zone(scenario, None, why=False, budget=budget)
    return None


def composed(
    scenario: Scenario,
    variant: str | None,
    *,
    read: bool = False,
    certified: bool = False,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> ZonesAnswer | None:
    """The verdict of a large design from its zones; None for a small one, and one that cannot be divided.

    It may be open, and the whole small enough to be asked then (:meth:`ZonesAnswer.is_final`).
    """
    if not is_asked_by_zone(scenario):
        return None
    within = budget if is_large(scenario, SOLVABLE) else budget.share(ZONES_PART)
    try:
        return check_by_zone(
            scenario, variant, read=read, certified=certified, backend=backend, budget=within
        )
    except InputError:
        return None


@dataclass(frozen=True)
class ZoneReasons:
    """Why the zone that decides holds or not, and what that says of the whole."""

    found: Composition
    zone: str
    explanation: Explanation
    read: ComposedReadings | None = None

    @property
    def exit_code(self) -> int:
        """That of the verdict on the whole."""
        return exit_of(self.found.defensible)

    @property
    def follows(self) -> str:
        """What the reasons say of the whole."""
        if self.found.defensible is False:
            return (
                f"This is about {self.zone}. The attack works on the whole network: the attacker stays in "
                "the zone, and nothing that is done elsewhere helps."
            )
        if self.found.defensible is None:
            return (
                f"This is about {self.zone}, as if everything came in that its neighbours cannot promise to "
                "stop. It is not known whether the attack works on the whole network."
            )
        return (
            f"This is about {self.zone}, the weakest zone, whatever comes in from zones that promise "
            "nothing. What is safe here is safe in the whole network; the margins there may be larger."
        )

    def document(self, source: str) -> Document:
        """The answer for a person."""
        from holdfast.report import Prose, Section, composition_document, reasons

        about = Section(f"The zone {self.zone}", (Prose(self.follows),))
        return composition_document(self.found, source, (about, *reasons(self.explanation)), self.read)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.explanation import explanation_object

        told = ZonesAnswer(self.found, read=self.read).to_object()
        return told | {
            "zone": self.zone,
            "follows": self.follows,
            "explanation": explanation_object(self.explanation),
        }


def explain_by_zone(
    scenario: Scenario, variant: str | None, *, backend: Backend | None = None, budget: Budget = UNLIMITED
) -> ZoneReasons:
    """Why a design holds or not, on the zone that decides.

    Raises:
        InputError: for a design that cannot be divided.
        LimitError: where a limit left even its zones open.
    """
    from holdfast.composition import decisive_zone, zone_design
    from holdfast.explanation import explain
    from holdfast.solver import solve

    found, read = _found_and_read(scenario, variant, backend, budget, count_alike=True)
    number = decisive_zone(found, None if read is None else read.weakest)
    solution = solve(zone_design(found, number, budget), budget=budget)
    explanation = explain(solution, budget=budget.share(1.0, REASONS_SECONDS))
    return ZoneReasons(found, found.zones[number].name, explanation, read)


def _found_and_read(
    scenario: Scenario,
    variant: str | None,
    backend: Backend | None,
    budget: Budget,
    count_alike: bool = False,
) -> tuple[Composition, ComposedReadings | None]:
    """The answer from zones and, where it holds, what was read of them."""
    from holdfast.composition import compose, composed_readings
    from holdfast.scenario import configuration

    chosen = configuration(scenario, variant, budget)
    found = compose(_counted(chosen, budget) if count_alike else chosen, budget=budget, backend=backend)
    if not found.terms:
        raise LimitError(found.open)
    return found, composed_readings(found, budget.share(READ_FIRST_PART), backend)


@dataclass(frozen=True)
class ZoneFragility:
    """What must never be added to the zone that decides."""

    found: Composition
    zone: str
    fragility: Fragility

    @property
    def exit_code(self) -> int:
        """Whether the design holds, and all breakers that were asked for are known."""
        if self.found.defensible is not True:
            return exit_of(self.found.defensible)
        return UNDECIDED if self.fragility.unfinished or self.fragility.undecided else DEFENSIBLE

    @property
    def follows(self) -> str:
        """What the answer says of the whole."""
        return (
            f"This is about what could be added to {self.zone}, the weakest zone, or lost there. What is "
            "listed costs the whole network its verdict, each checked in it; what is neither listed nor "
            "named as undecided leaves it held. A new link to a host from another zone is tolerated if "
            "exposing that host is."
        )

    def document(self, source: str) -> Document:
        """The answer for a person."""
        from holdfast.report import Document, Prose, Section, composition_document, fragility_document

        if self.found.defensible is not True:
            return composition_document(self.found, source)
        made = fragility_document(self.fragility, source)
        about = Section(f"The zone {self.zone}", (Prose(self.follows),))
        return Document(made.title, (*made.sections, about), source)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.composition import composition_object
        from holdfast.design import fragility_object

        if self.found.defensible is not True:
            return composition_object(self.found)
        return fragility_object(self.fragility) | {"zone": self.zone, "follows": self.follows}


def fragile_by_zone(
    scenario: Scenario,
    variant: str | None,
    *,
    kinds: Sequence[str] = (),
    max_cost: int | None = None,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> ZoneFragility:
    """What must never be added to the weakest zone of a design that holds.

    Raises:
        InputError: for a design that cannot be divided, and for unknown kinds.
    """
    from holdfast.composition import decisive_zone
    from holdfast.design import zone_fragility

    found, read = _found_and_read(scenario, variant, backend, budget)
    number = decisive_zone(found, None if read is None else read.weakest)
    told = zone_fragility(found, number, kinds=kinds, max_cost=max_cost, budget=budget, backend=backend)
    return ZoneFragility(found, found.zones[number].name, told)


@dataclass(frozen=True)
class ZoneAdviceAnswer:
    """What to change, found on zones and proved for the whole."""

    advice: ZoneAdvice

    @property
    def so_far(self) -> str:
        """The cheapest set of changes that is known while the search goes on, in a line."""
        from holdfast.report import changes_in_brief

        first = self.advice.sets[0]
        brief = changes_in_brief(first.changes)
        return f"enough, proved for the whole network: {brief} (cost {first.cost}); looking for a cheaper set"

    def written(self) -> str:
        """The scenario with the sets of changes as variants."""
        from holdfast.design import written_variants

        return written_variants(self.advice.space, [one.changes for one in self.advice.sets])

    @property
    def exit_code(self) -> int:
        """Whether the design holds, or with some set of changes does."""
        if self.advice.found.defensible or self.advice.sets:
            return DEFENSIBLE
        return UNDECIDED

    def document(self, source: str) -> Document:
        """The answer for a person."""
        from holdfast.report import zone_advice_document

        return zone_advice_document(self.advice, source)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.design import zone_advice_object

        return zone_advice_object(self.advice)


def recommend_by_zone(
    scenario: Scenario,
    variant: str | None,
    *,
    kinds: Sequence[str] = (),
    cut_flows: bool = False,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
    tell: Callable[[ZoneAdviceAnswer], object] | None = None,
) -> ZoneAdviceAnswer:
    """What to change in a design, found on the zones that decide; ``tell`` hears of every set proved.

    Raises:
        InputError: for a design that cannot be divided, or has nothing to change.
    """
    from holdfast.design import design_space, zone_advice

    space = design_space(scenario, variant, kinds, budget, cut_flows=cut_flows)
    told = None if tell is None else lambda known: tell(ZoneAdviceAnswer(known))
    return ZoneAdviceAnswer(zone_advice(space, budget=budget, backend=backend, tell=told))


def is_large(scenario: Scenario, most: int = LARGE) -> bool:
    """Whether a design lists more nodes than this."""
    from holdfast.scenario import n_listed

    return n_listed(scenario) > most


def is_asked_by_zone(scenario: Scenario) -> bool:
    """Whether a design lists many nodes, or has many in zones of its own, however few groups they are."""
    from holdfast.scenario import n_in_zones

    return is_large(scenario) or n_in_zones(scenario) > LARGE


def is_zonal(scenario: Scenario, variant: str | None, budget: Budget = UNLIMITED) -> bool:
    """Whether a design is large, and can be divided into zones."""
    from holdfast.composition import refuse_indivisible
    from holdfast.scenario import configuration

    if not is_asked_by_zone(scenario):
        return False
    try:
        refuse_indivisible(configuration(scenario, variant, budget))
    except InputError:
        return False
    return True


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
