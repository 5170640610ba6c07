"""Assumptions: what can be taken away from a configuration so that the defender is never worse off.

An *assumption* is a part of the system (a link along which compromise spreads, an action of the adversary),
one unit of a number in φ_A, or a clause of φ_D. Taking some of them away keeps variables, actions and all
other clauses, so that a play of the configuration can be replayed on what is left of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from holdfast.design.bound import Bound
from holdfast.design.flow_needs import FILTER, needed_parts, weakening_parts
from holdfast.game import Clause, Configuration, Part
from holdfast.logic import Player


@dataclass(frozen=True)
class Removal:
    """An assumption in words.

    Attributes:
        kind: what it is: the kind of a part, ``budget`` or ``clause``.
        name: in the words of the model, such as ``GW -> Web``; for a budget the bound as it stands.
        becomes: for a budget, the bound one unit lower; else empty.
    """

    kind: str
    name: str
    becomes: str = ""


@dataclass(frozen=True)
class Assumption(Removal):
    """One thing that can be taken away: a part, a clause (by its number), or a unit of a bound."""

    part: Part | None = None
    clause: int | None = None
    bound: Bound | None = None

    def in_words(self) -> Removal:
        """The assumption as it is named, without the objects that it stands for."""
        return Removal(self.kind, self.name, self.becomes)


def assumptions(configuration: Configuration, bounds: Iterable[Bound]) -> tuple[Assumption, ...]:
    """Everything that can be taken away, the design first and the requirement last.

    >>> from holdfast.models.network import STUB
    >>> from holdfast.scenario.reading import configuration, scenario_from_text
    >>> from holdfast.design.bound import bounds
    >>> here = configuration(scenario_from_text(STUB))
    >>> [a.name for a in assumptions(here, bounds(here)[0])][3:]
    ['DB -> BK', 'times(destroy) <= 2', 'G !(DB in {X, D, Z} & BK in {X, D, Z})', 'G (active >= 3)']
    """
    removable = [Assumption(part.kind, part.name, part=part) for part in _removable(configuration)]
    for bound in bounds:
        easiest = bound.low if bound.harder > 0 else bound.high
        if bound.side is Player.ADVERSARY and bound.value is not None and bound.value != easiest:
            lower = bound.text(bound.value - bound.harder)
            removable.append(Assumption("budget", bound.text(), lower, bound=bound))
    clauses = enumerate(configuration.requirement)
    return (*removable, *(Assumption("clause", c.label, clause=number) for number, c in clauses))


def _removable(configuration: Configuration) -> Iterator[Part]:
    """The parts that no flow has to do without; of an arrow that one needs, what spreads along it."""
    system = configuration.system
    spared = needed_parts(system) | weakening_parts(configuration)
    yield from (part for part in system.parts if part not in spared)
    names = {part.name for part in spared}
    yield from (part for part in system.hardenable if part.verb == FILTER and part.name in names)


def without(configuration: Configuration, taken: Sequence[Assumption]) -> Configuration:
    """The configuration with these assumptions taken away.

    Raises:
        InputError: when what is left does not fit together.
    """
    boundary = list(configuration.boundary)
    changed: set[int] = set()
    for bound in (assumption.bound for assumption in taken if assumption.bound is not None):
        lower = bound.eased()
        if bound.clause in changed:  # a second number of the same clause binds beside the first
            boundary.append(Clause(lower, lower.source))
        else:
            boundary[bound.clause] = Clause(lower, lower.source)
            changed.add(bound.clause)
    dropped = {assumption.clause for assumption in taken}
    requirement = (c for number, c in enumerate(configuration.requirement) if number not in dropped)
    system = configuration.system.without(a.part for a in taken if a.part is not None)
    return replace(configuration, system=system, requirement=tuple(requirement), boundary=tuple(boundary))
