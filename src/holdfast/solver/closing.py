"""Sets of states closed under moves, with a look from behind at what is still missing.

What is closed under all moves is simple, and what is half closed is not: hosts that are infected so far hang
together, those that were infected at some time need not. So the moves are parted. *Local* ones, which read
and assign one variable, are closed first, which is quick from any set. If the others were local too, because
what they read of other variables is left out, the same would give a *bound*: more than can be reached. What
is missing between the two is simple again; each of the other moves is made from where it leads there. That
mostly takes few rounds, and one in which no move does proves that the set is closed.

A *walk* comes before each round: one of the new states, in which every other move is made while it leads to
something else. Where moves need others before them, as an infection does, the round starts from their end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import or_
from typing import TYPE_CHECKING

from oxidd.util import BooleanOperator

from holdfast.budget import Budget
from holdfast.logic import Diagram, Diagrams
from holdfast.solver.events import LocalEvent, events_of, local_events, relaxed, saturating
from holdfast.solver.pieces import Piece, image
from holdfast.solver.product_diagrams import MoveGroup

if TYPE_CHECKING:
    from holdfast.solver.saturation import Saturation

MOST_ROUNDS = 12
"""After so many rounds what has been found is left to others to complete."""


@dataclass(frozen=True)
class Closing:
    """How to close sets under the moves of some classes.

    Attributes:
        diagrams: what sets are made of.
        groups: the moves.
        memory: how many bytes a saturation may use.
    """

    diagrams: Diagrams
    groups: tuple[MoveGroup, ...]
    memory: int

    @cached_property
    def others(self) -> tuple[Piece, ...]:
        """The moves that are not local."""
        return tuple(piece for group in self.groups for piece in group.others)

    @cached_property
    def _events(self) -> list[LocalEvent] | None:
        """The moves one by one; None if one of them assigns several variables."""
        listed = [events_of(self.diagrams, group) for group in self.groups]
        return None if None in listed else [event for own in listed for event in own or ()]

    @cached_property
    def _local(self) -> Saturation | Sweeps | None:
        """For closing under the local moves alone; None if there are none."""
        events = [event for group in self.groups for event in local_events(group)]
        return self._under(events) if events else None

    @cached_property
    def _relaxed(self) -> Saturation | Sweeps | None:
        """For closing under all moves as if they were local."""
        if self._events is None:
            return None
        return self._under([relaxed(self.diagrams, event) for event in self._events])

    @cached_property
    def _whole(self) -> Saturation | Sweeps | None:
        """For closing under all moves as they are."""
        return self._under(self._events) if self._events and saturating(self.diagrams) else None

    def _under(self, events: list[LocalEvent]) -> Saturation | Sweeps:
        if not saturating(self.diagrams):
            return Sweeps(self.diagrams, events)
        from holdfast.solver.saturation import Saturation

        return Saturation(self.diagrams, events, self.memory)

    def closed(self, states: Diagram, within: Diagram, budget: Budget) -> tuple[Diagram, bool]:
        """What moves lead to from some states without ever leaving a set that they are in; is that all?

        Raises:
            LimitError: past the budget.
        """
        local = self._local
        if local is None:
            return states, False
        wider = None if self._relaxed is None else self._relaxed.closed(states, within, budget)
        bound = within if wider is None else wider
        found, new = states, self._walked(states, bound, budget) if self.others else states
        for _ in range(MOST_ROUNDS):
            closed = local.closed(found | new, bound, budget)
            if closed is None:
                return found, False
            found = closed
            new = self.diagrams.tidied(partial(self._entered, found, bound & ~found, budget))
            if not new.satisfiable():
                return found, True
            new |= self._walked(new, bound, budget)
        closed = None if self._whole is None else self._whole.closed(found, bound, budget)
        return (found, False) if closed is None else (closed, True)

    def _walked(self, states: Diagram, within: Diagram, budget: Budget) -> Diagram:
        """Where one of the states gets to by moves that are not local, each made once."""
        codes = self.diagrams.pick(states)
        assert codes is not None, "nothing is closed from no state"
        here, left, before = self.diagrams.state(codes), self.others, None
        while before != (before := here):
            budget.tick("a walk")
            stuck = []
            for piece in left:
                after = image(piece, here & piece.guard) & within
                if after.satisfiable() and after != here:
                    here = after
                else:
                    stuck.append(piece)
            left = tuple(stuck)
        return here

    def _entered(self, states: Diagram, missing: Diagram, budget: Budget) -> Diagram:
        """What of a set moves that are not local lead to from some states."""
        new = self.diagrams.false
        for piece in self.others if missing.satisfiable() else ():
            budget.tick("what is missing")
            ready = states & (piece.guard & missing.substitute(piece.substitution))
            if ready.satisfiable():
                new |= image(piece, ready)
        return new & missing


class Sweeps:
    """Closing under local moves variable by variable, again and again, for games that are not large.

    From the last variable of the order to the first, since what lies below is then small.
    """

    def __init__(self, diagrams: Diagrams, events: Iterable[LocalEvent]) -> None:
        """Lay out the events by their variables."""
        self._tidied = diagrams.tidied
        changes: dict[int, dict[int, dict[int, None]]] = {}
        for event in events:
            for before, after in event.targets.items():
                if before != after:
                    changes.setdefault(event.place, {}).setdefault(before, {})[after] = None
        self._variables = [
            _VariableSweep.of(diagrams, place, changes[place]) for place in sorted(changes, reverse=True)
        ]

    def closed(self, states: Diagram, within: Diagram, budget: Budget) -> Diagram:
        """What the events lead to from some states without ever leaving a set that they are in.

        Raises:
            LimitError: past the budget.
        """
        before, done = None, dict[int, Diagram]()
        while before != (before := states):
            for i, variable in enumerate(self._variables):
                budget.tick("moves of one variable")
                if done.get(i) != states:
                    states = done[i] = self._tidied(partial(variable.closed, states, within))
        return states


@dataclass(frozen=True)
class _VariableSweep:
    """The changes of one variable: the states before one, and what they lead to."""

    support: Diagram
    changes: tuple[tuple[Diagram, Diagram], ...]

    @classmethod
    def of(cls, diagrams: Diagrams, place: int, changes: dict[int, dict[int, None]]) -> _VariableSweep:
        variable = diagrams.variables[place]
        cubes = [diagrams.cube(variable, code) for code in range(len(variable.values))]
        led = ((cubes[code], [cubes[target] for target in targets]) for code, targets in changes.items())
        return cls(diagrams.support((variable,)), tuple((one, reduce(or_, others)) for one, others in led))

    def closed(self, states: Diagram, within: Diagram) -> Diagram:
        before = None
        while before != (before := states):
            for here, after in self.changes:
                moved = states.apply_exists(BooleanOperator.AND, here, self.support)
                states |= moved & after & within
        return states
