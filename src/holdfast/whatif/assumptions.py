"""What a verdict rests on, piece by piece, and the configuration without some of the pieces.

An *assumption* is something whose absence can only help the defender: a part of the system (a link along
which compromise spreads, or an action of the adversary), one unit of a number in φ_A, a clause of φ_D. Taking
some of them away keeps variables, actions and all other clauses, so that a play of the configuration can be
replayed on what is left of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from holdfast.clauses import Clause
from holdfast.logic.expressions import Player
from holdfast.product import Configuration
from holdfast.system import Part
from holdfast.whatif.bounds import Bound


@dataclass(frozen=True)
class Assumption:
    """One thing that can be taken away.

    Attributes:
        kind: what it is: the kind of a part, ``budget`` or ``clause``.
        name: in the words of the model, such as ``GW -> Web``; for a budget the bound as it stands.
        becomes: for a budget, the bound one unit lower; else empty.
        part, clause, bound: which one, by kind.
    """

    kind: str
    name: str
    becomes: str = ""
    part: Part | None = field(default=None, repr=False)
    clause: int | None = field(default=None, repr=False)
    bound: Bound | None = field(default=None, repr=False)


def assumptions(configuration: Configuration, bounds: Iterable[Bound]) -> tuple[Assumption, ...]:
    """Everything that can be taken away, the design first and the requirement last.

    >>> from holdfast.models.network import STUB
    >>> from holdfast.scenario.load import configuration, scenario_from_text
    >>> from holdfast.whatif.bounds import bounds
    >>> here = configuration(scenario_from_text(STUB))
    >>> [a.name for a in assumptions(here, bounds(here)[0])][3:]
    ['DB -> BK', 'times(destroy) <= 2', 'G !(DB in {X, D, Z} & BK in {X, D, Z})', 'G (active >= 3)']
    """
    found = [Assumption(part.kind, part.name, part=part) for part in configuration.system.parts]
    for bound in bounds:
        easiest = bound.low if bound.harder > 0 else bound.high
        if bound.side is Player.ADVERSARY and bound.value is not None and bound.value != easiest:
            lower = bound.text(bound.value - bound.harder)
            found.append(Assumption("budget", bound.text(), lower, bound=bound))
    clauses = enumerate(configuration.requirement)
    return (*found, *(Assumption("clause", c.label, clause=number) for number, c in clauses))


def without(configuration: Configuration, taken: Sequence[Assumption]) -> Configuration:
    """The configuration with these assumptions taken away.

    Raises:
        InputError: when what is left does not fit together.
    """
    boundary = list(configuration.boundary)
    changed: set[int] = set()
    for assumption in taken:
        if assumption.bound is not None:
            _lower(boundary, changed, assumption.bound)
    dropped = {assumption.clause for assumption in taken}
    requirement = (c for number, c in enumerate(configuration.requirement) if number not in dropped)
    system = configuration.system.without(a.part for a in taken if a.part is not None)
    return replace(configuration, system=system, requirement=tuple(requirement), boundary=tuple(boundary))


def _lower(boundary: list[Clause], changed: set[int], bound: Bound) -> None:
    """Put the clause one unit lower; a second number of the same clause binds beside the first."""
    assert bound.value is not None
    lower = bound.automaton(bound.value - bound.harder)
    new = Clause(lower, lower.source)
    if bound.clause in changed:
        boundary.append(new)
    else:
        boundary[bound.clause] = new
        changed.add(bound.clause)
