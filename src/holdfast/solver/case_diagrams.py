"""Several disjoint sets of states as one diagram that tells which of them a state is in, flattened into
arrays.

A node reads one variable, all bits of its code at once, and has a child for each code. A child that is not
negative is a node; −1 − r ends the walk with the result r. A state that is in none of the sets has the
result 0, so results count from 1. Nodes are shared by all diagrams of one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arrays import Int32s
from holdfast.logic import Diagram, Diagrams, Variable

Cases = tuple[tuple[int, Diagram], ...]
"""Results, and the states that have them."""

NEITHER = -1
"""Where every walk ends that starts in no set: the result 0."""


class CaseDiagrams:
    """Nodes, to which diagrams are added one after the other."""

    def __init__(self, diagrams: Diagrams, variables: Sequence[Variable]) -> None:
        """An empty table; ``variables`` is the order of the codes in a state."""
        self._diagrams, self._variables = diagrams, variables
        self._place_of_bit = {
            bit: place for place, v in enumerate(variables) for bit in diagrams.bits[v.name]
        }
        self._known: dict[Cases, int] = {}
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._nodes: list[tuple[int, tuple[int, ...]]] = []
        self._below: dict[tuple[Diagram, int], list[Diagram]] = {}

    def add(self, cases: Iterable[tuple[int, Diagram]]) -> int:
        """Where the walk starts that ends with the result of the case a state is in.

        Cost: some microseconds for each node and code.
        """
        root = self._number(tuple((r, states) for r, states in cases if states.satisfiable()))
        self._below.clear()
        return root

    def arrays(self) -> tuple[Int32s, Int32s, Int32s]:
        """(place, begin, child): the variable that a node reads, where its children begin, all children."""
        place = np.array([place for place, _ in self._nodes], dtype=np.int32)
        sizes = [len(children) for _, children in self._nodes]
        begin: npt.NDArray[Any] = np.cumsum([0, *sizes])[:-1]
        child = np.array([c for _, children in self._nodes for c in children], dtype=np.int32)
        return place, begin.astype(np.int32), child

    def children_at_end(self, root: int) -> tuple[int, tuple[int, ...]] | None:
        """For a walk of one step at most: the variable it reads and the result for each code; None for
        longer.

        A walk of no step has no code that matters: variable 0 and no results.
        """
        if root == NEITHER:
            return 0, ()
        if root < 0 or max(self._nodes[root][1]) >= 0:
            return None
        place, children = self._nodes[root]
        return place, tuple(-1 - child for child in children)

    def _number(self, cases: Cases) -> int:
        if not cases:
            return NEITHER
        tops = [states.node_var() for _, states in cases]
        if None in tops:  # all of the states, and the other cases hold only where codes mean nothing
            return -1 - cases[tops.index(None)][0]
        known = self._known.get(cases)
        if known is None:
            place = self._place_of_bit[min(bit for bit in tops if bit is not None)]
            size, false = len(self._variables[place].values), self._diagrams.false
            below = [self._codes(states, place) for _, states in cases]
            children = tuple(
                self._number(
                    tuple(
                        (r, own[code]) for (r, _), own in zip(cases, below, strict=True) if own[code] != false
                    )
                )
                for code in range(size)
            )
            same = len(set(children)) == 1
            known = self._known[cases] = children[0] if same else self._node(place, children)
        return known

    def _node(self, place: int, children: tuple[int, ...]) -> int:
        key = place, children
        if key not in self._numbers:
            self._numbers[key] = len(self._nodes)
            self._nodes.append(key)
        return self._numbers[key]

    def _codes(self, states: Diagram, place: int) -> list[Diagram]:
        """The rest of a set for each code of the variable that it reads first."""
        key = states, place
        if key not in self._below:
            rest = [states]
            for bit in self._diagrams.bits[self._variables[place].name]:
                longer = []
                for each in rest:
                    both = each.cofactors() if each.node_var() == bit else None
                    longer += [each, each] if both is None else [both[1], both[0]]
                rest = longer
            self._below[key] = rest
        return self._below[key]
