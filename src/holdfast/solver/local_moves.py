"""Moves that look at one variable and change nothing else, taken together.

Most moves of a network do: isolating a host depends on the host alone. The states from which *some* such
move leads into a goal are found in one walk over the goal's diagram, variable by variable: at a node, a code
either leaves the move to a variable below, or makes it here and goes to where another code would have gone.
That is one walk for all of them where composing them one by one is a walk for each, with unions of
half-finished sets in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.logic import Diagram, Diagrams, Variable

if TYPE_CHECKING:
    from holdfast.solver.pieces import Piece

VariableChanges = dict[int, dict[int, None]]
"""For a code of one variable, the codes that a move may turn it into."""


@dataclass(frozen=True)
class LocalMoves:
    """The local moves of some pieces; for each variable in the order of the diagrams, its changes."""

    diagrams: Diagrams
    changes: tuple[VariableChanges, ...]

    @classmethod
    def among(cls, diagrams: Diagrams, pieces: Iterable[Piece]) -> tuple[LocalMoves, tuple[Piece, ...]]:
        """Part pieces into the local moves and the others."""
        places = {diagrams.bits[variable.name].start: i for i, variable in enumerate(diagrams.variables)}
        changes: tuple[VariableChanges, ...] = tuple({} for _ in diagrams.variables)
        others = []
        for piece in pieces:
            place = places[piece.level]
            own = changes_of(diagrams, diagrams.variables[place], piece)
            if own is None:
                others.append(piece)
                continue
            for before, after in own:
                changes[place].setdefault(before, {})[after] = None
        return cls(diagrams, changes), tuple(others)

    def into(self, goal: Diagram, tick: Callable[[], None]) -> Diagram:
        """Where some local move leads into the goal."""
        d, depth = self.diagrams, max((i + 1 for i, own in enumerate(self.changes) if own), default=0)
        floors: list[dict[Diagram, list[Diagram]]] = []
        nodes = {goal: None}
        for variable in d.variables[:depth]:
            tick()
            floors.append({node: d.cofactors(variable, node) for node in nodes if node != d.false})
            nodes = dict.fromkeys(child for children in floors[-1].values() for child in children)
        goals: dict[Diagram, Diagram] = {}
        for place in reversed(range(depth)):
            below, goals = goals, {}
            for node, children in floors.pop().items():
                tick()
                after = [below.get(child, d.false) for child in children]
                for code, targets in self.changes[place].items():
                    for target in targets:
                        after[code] |= children[target]
                goals[node] = d.select(d.variables[place], after)
        return goals.get(goal, d.false)


def changes_of(diagrams: Diagrams, variable: Variable, piece: Piece) -> list[tuple[int, int]] | None:
    """The changes of a piece by code, if it reads and assigns this variable alone."""
    if diagrams.tallies or piece.back is not None or piece.forgotten != diagrams.support((variable,)):
        return None  # a walk takes large numbers value by value, so that it is never begun
    cubes = [diagrams.cube(variable, code) for code in range(len(variable.values))]
    changes = []
    for outcome, values in piece.outcomes:
        condition = outcome & piece.guard
        met = [code for code, cube in enumerate(cubes) if (condition & cube).satisfiable()]
        whole = diagrams.false
        for code in met:
            whole |= cubes[code]
        if condition != whole & diagrams.valid:
            return None
        changes += [(code, cubes.index(values)) for code in met]
    return changes
