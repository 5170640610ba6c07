"""Moves one by one, each a change of one variable: what sets of states are closed under.

A move of a network assigns one variable, the status of a host. Those that read no other one are *local*; a
guard says where else the others depend on the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.logic import Diagram, Diagrams
from holdfast.solver.pieces import Piece
from holdfast.solver.product_diagrams import MoveGroup

MANY_BITS = 90
"""Games of more bits are worth saturation, which has to be loaded first."""
WIDEST, DEEPEST = 16, 1 << 11
"""Its nodes are as wide as the largest variable has values, and levels are told by eleven bits."""


def saturating(diagrams: Diagrams) -> bool:
    """Whether sets of a game are closed by saturation."""
    small = len(diagrams.variables) < DEEPEST and all(len(v.values) <= WIDEST for v in diagrams.variables)
    return diagrams.n_bits > MANY_BITS and small and not diagrams.tallies


@dataclass(frozen=True)
class LocalEvent:
    """A move that assigns one variable.

    Attributes:
        place: the variable, by its place in the order of the diagrams.
        targets: for some codes of it what they become.
        guard: where else it depends on the state; None if it does not.
    """

    place: int
    targets: Mapping[int, int]
    guard: Diagram | None = None


def events_of(diagrams: Diagrams, group: MoveGroup) -> list[LocalEvent] | None:
    """The moves of a class that change something; None if one of them assigns several variables."""
    events = local_events(group)
    places = {diagrams.bits[variable.name].start: i for i, variable in enumerate(diagrams.variables)}
    for piece in group.others:
        own = _guarded(diagrams, places[piece.level], piece)
        if own is None:
            return None
        events += own
    return events


def local_events(group: MoveGroup) -> list[LocalEvent]:
    """The moves of a class that read and assign one variable alone."""
    events = []
    for place, changes in enumerate(group.local.changes):
        for target in dict.fromkeys(after for own in changes.values() for after in own):
            codes = {before: target for before, own in changes.items() if target in own}
            events.append(LocalEvent(place, codes))
    return events


def _guarded(diagrams: Diagrams, place: int, piece: Piece) -> list[LocalEvent] | None:
    """The outcomes of a piece that assigns one variable alone."""
    variable = diagrams.variables[place]
    if piece.forgotten != diagrams.support((variable,)):
        return None
    cubes = [diagrams.cube(variable, code) for code in range(len(variable.values))]
    return [
        LocalEvent(place, dict.fromkeys(range(len(cubes)), cubes.index(values)), condition)
        for condition, values in piece.outcomes
    ]


def relaxed(diagrams: Diagrams, event: LocalEvent) -> LocalEvent:
    """A move made wherever the variable that it assigns is as it has to be."""
    if event.guard is None:
        return event
    variable = diagrams.variables[event.place]
    targets = {
        code: target
        for code, target in event.targets.items()
        if (event.guard & diagrams.cube(variable, code)).satisfiable()
    }
    return LocalEvent(event.place, targets)
