"""Moves that look at one variable and change nothing else, taken together.

Most moves of a network do: isolating a host depends on the host alone. The states from which *some* such
move leads into a goal are found in one walk over the goal's diagram, variable by variable: at a node, a code
either leaves the move to a variable below, or makes it here and goes to where another code would have gone.
That is one walk for all of them where composing them one by one is a walk for each, with unions of
half-finished sets in between. Iterations of a fixpoint ask about goals that are alike, so what was found of
their nodes is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.logic import Diagram, Diagrams, Variable

if TYPE_CHECKING:
    from holdfast.solver.pieces import Piece

VariableChanges = dict[int, dict[int, None]]
"""For a code of one variable, the codes that a move may turn it into."""


MOST_KNOWN = 1 << 17
"""Nodes of which it is kept where local moves lead into them from."""
BETWEEN_TICKS = 256


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

    @cached_property
    def _known(self) -> tuple[dict[Diagram, Diagram], ...]:
        """From where moves of a variable and those below it lead into nodes that read none above it.

        For each variable down to the last that changes, and one more, of which nothing is known.
        """
        depth = max((i + 1 for i, own in enumerate(self.changes) if own), default=0)
        known: tuple[dict[Diagram, Diagram], ...] = tuple({} for _ in range(depth + 1))
        self.diagrams.memos.extend(known)
        return known

    def into(self, goal: Diagram, tick: Callable[[], None]) -> Diagram:
        """Where some local move leads into the goal."""
        d, known, nothing = self.diagrams, self._known, self.diagrams.false
        if sum(map(len, known)) > MOST_KNOWN:
            for memo in known:
                memo.clear()
        floors: list[dict[Diagram, list[Diagram]]] = []
        nodes = {goal: None}
        for variable, own in zip(d.variables, known[:-1], strict=False):
            tick()
            nodes.pop(nothing, None)
            floors.append({node: d.cofactors(variable, node) for node in nodes if node not in own})
            nodes = dict.fromkeys(child for children in floors[-1].values() for child in children)
        for place in reversed(range(len(floors))):
            own, below = known[place], known[place + 1]
            for n, (node, children) in enumerate(floors[place].items()):
                if not n % BETWEEN_TICKS:
                    tick()
                after = [below.get(child, nothing) for child in children]
                for code, targets in self.changes[place].items():
                    for target in targets:
                        after[code] |= children[target]
                own[node] = d.select(d.variables[place], after)
        return known[0].get(goal, nothing)


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
