"""Defend by what is seen, with an exported controller; the standard library is all that this needs.

What is seen at one time is a *look*: the truth of each predicate of :attr:`SeenMachine.seen`, in that order.
Keep the phase. Begin with :meth:`SeenMachine.begin`; after each move of the adversary ask
:meth:`SeenMachine.step` what to do, with what was seen after your own move and what is seen now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class SeenMachine:
    """A machine that knows its next action by what it sees and by the phase it is in; it never changes."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Take the object that the JSON format documents."""
        if table.get("holdfast_controller") != 1:
            raise ValueError("not a controller in version 1 of the format")
        self.seen = tuple(table["seen"])
        self.actions = tuple(table["actions"])
        self.noticed = tuple(table["noticed"])
        self.start_look = tuple(bit == "1" for bit in table["start"])
        looks, rounds = table["looks"], table["rounds"]
        self._looks = {tuple(bit == "1" for bit in look): number for number, look in enumerate(looks)}
        self._rounds = {tuple(row[:4]): (row[4], row[5]) for row in rounds}

    def begin(self, now: Iterable[bool], noticed: str | None = None) -> tuple[int, int]:
        """The first action and phase, by what is seen before it; where the defender begins, the start."""
        return self.step(0, self.start_look, now, noticed)

    def step(
        self, phase: int, between: Iterable[bool], now: Iterable[bool], noticed: str | None = None
    ) -> tuple[int, int]:
        """The next action and phase.

        Args:
            phase: the one that came with the last action.
            between: what was seen after that action, before the adversary moved.
            now: what is seen after the adversary's move.
            noticed: the adversary's action, if it was noticed as such.

        Raises:
            LookupError: for something that cannot be seen as long as moves have the effects of the model and
                the adversary keeps to what is assumed of it.
        """
        notice = -1 if noticed is None else self.noticed.index(noticed)
        looks = (self._looks.get(tuple(map(bool, look)), -1) for look in (between, now))
        decision = self._rounds.get((phase, *looks, notice))
        if decision is None:
            raise LookupError(f"this cannot be seen in phase {phase}")
        return decision

    def look(self, holds: Mapping[str, bool]) -> tuple[bool, ...]:
        """A look, by what holds of each predicate; what is left out does not hold."""
        return tuple(bool(holds.get(predicate)) for predicate in self.seen)
