"""Sets of states closed under moves, by saturation (Ciardo, Lüttgen and Siminiscu, 2001; with a set that is
not left, Zhao and Ciardo, 2009).

Moves that assign one variable each are made where they belong: a node of the diagram is closed under the
moves that concern its level and those below before any node above it is looked at. What is half closed never
gets large, and a move costs what lies below its first level, not the whole diagram. The diagrams have a child
for each value of a variable, and are laid out in an array of their own, for compiled loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from holdfast.budget import Budget
from holdfast.logic import Diagram, Diagrams
from holdfast.solver.events import LocalEvent
from holdfast.solver.saturation_kernels import (
    FULL,
    N_COLUMNS,
    N_NODES,
    N_STEPS,
    PAUSED,
    make,
    move_over,
    refill,
    saturate,
)

if TYPE_CHECKING:
    from holdfast.arrays import Int32s, Int64s

FIRST_NODES, STEPS = 1 << 17, 1 << 20
MOST_NODES, TRUSTED = 1 << 13, 2
"""What needs more nodes for each level is left to others, as dense graphs are; so many times more once it has
worked."""
CACHED = 4
"""Rows of the cache for each node that there is room for."""


@dataclass
class Saturation:
    """Diagrams for saturation under some events.

    Args:
        diagrams: what sets come in as, and go out.
        events: the moves.
        memory: how many bytes may be used.
    """

    diagrams: Diagrams
    events: Iterable[LocalEvent]
    memory: int
    _nodes: Int32s = field(init=False)
    _unique: Int32s = field(init=False)
    _cache: Int32s = field(init=False)
    _counters: Int64s = field(init=False)

    def __post_init__(self) -> None:
        """Lay out the events by the level at which they begin."""
        sizes = [len(variable.values) for variable in self.diagrams.variables]
        self._sizes = np.array([*sizes, 0], dtype=np.int32)
        self._width, n_levels = max(sizes), len(sizes)
        self._allocate(FIRST_NODES)
        self._work = np.zeros((3 * n_levels + 3, self._width), dtype=np.int32)
        self._stack = np.zeros((len(self._work), N_COLUMNS), dtype=np.int32)
        self._valid = [self.diagrams.true]
        for variable in reversed(self.diagrams.variables):
            self._valid.append(self.diagrams.inside((variable,)) & self._valid[-1])
        self._valid.reverse()
        begun = sorted((self._begun(event) for event in self.events), key=lambda row: row[0])
        self._first = np.searchsorted([top for top, _, _ in begun], range(n_levels + 1)).astype(np.int32)
        self._events = np.array([(guard, event.place) for _, guard, event in begun], dtype=np.int32)
        self._events = self._events.reshape(-1, 2)
        self._targets = np.full((len(begun), self._width), -1, dtype=np.int32)
        for row, (_, _, event) in zip(self._targets, begun, strict=True):
            for code, target in event.targets.items():
                row[code] = target
        self._most = MOST_NODES * n_levels
        self._n_laid = int(self._counters[N_NODES])

    def closed(self, states: Diagram, within: Diagram, budget: Budget) -> Diagram | None:
        """What the events lead to from some states without ever leaving a set that they are in.

        None if that takes too many nodes, or too much memory.

        Raises:
            LimitError: past the budget.
        """
        self._forget()
        root, bound, steps = self._node(states), self._node(within), STEPS
        most = int(self._counters[N_NODES]) + self._most
        while True:
            self._counters[N_STEPS] = steps
            found = saturate(
                root, bound, self._sizes, self._first, self._events, self._targets,
                self._nodes, self._unique, self._cache, self._stack, self._work, self._counters,
            )  # fmt: skip
            if self._counters[N_NODES] > most or (found == FULL and 2 * self._n_bytes > self.memory):
                return None
            if found == FULL:
                self._allocate(2 * len(self._nodes))
            elif found == PAUSED:
                steps += steps // 2
            else:
                self._most = TRUSTED * MOST_NODES * len(self.diagrams.variables)
                return self._diagram(found)
            budget.tick(f"{self._counters[N_NODES]:,} nodes")

    @property
    def _n_bytes(self) -> int:
        arrays = self._nodes, self._unique, self._cache
        return sum(array.nbytes for array in arrays)

    def _forget(self) -> None:
        """Drop all nodes but those of the events."""
        self._counters[N_NODES] = self._n_laid
        self._allocate(max(FIRST_NODES, 1 << self._n_laid.bit_length() + 1))

    # -- nodes ----------------------------------------------------------------------------------------

    def _allocate(self, n_nodes: int) -> None:
        """Room for so many nodes, with those that there are."""
        nodes: Int32s = np.zeros((n_nodes, self._width + 1), dtype=np.int32)
        counters: Int64s = np.array([2, 0], dtype=np.int64)
        unique: Int32s = np.zeros(2 * n_nodes, dtype=np.int32)
        if hasattr(self, "_nodes"):
            move_over(self._nodes, self._counters[N_NODES], self._sizes, nodes, unique, counters)
        cache: Int32s = np.full((CACHED * n_nodes, 5), -1, dtype=np.int32)
        if hasattr(self, "_nodes") and n_nodes > len(self._nodes):
            refill(self._cache, cache)
        self._nodes, self._unique, self._counters, self._cache = nodes, unique, counters, cache

    def _node(self, states: Diagram) -> int:
        """The node of a set at the first level."""
        d, floors, here = self.diagrams, list[dict[Diagram, list[Diagram]]](), {states: None}
        for variable in d.variables:
            floors.append({one: d.cofactors(variable, one) for one in here if one != d.false})
            here = dict.fromkeys(child for children in floors[-1].values() for child in children)
        known = {d.true: 1}
        for level in reversed(range(len(floors))):
            below, known = known, {}
            for one, children in floors[level].items():
                known[one] = self._made([below.get(child, 0) for child in children], level)
        return known.get(states, 0)

    def _made(self, children: list[int], level: int) -> int:
        row = np.zeros(self._width, dtype=np.int32)
        row[: len(children)] = children
        node = make(row, level, len(children), self._nodes, self._unique, self._counters)
        if node == FULL:
            self._allocate(2 * len(self._nodes))
            return self._made(children, level)
        return int(node)

    def _begun(self, event: LocalEvent) -> tuple[int, int, LocalEvent]:
        """The level at which an event begins, and its guard there."""
        if event.guard is None:
            return event.place, 1, event
        level, node = 0, self._node(event.guard)
        while level < event.place and node > 1:
            size = int(self._sizes[level])
            if (self._nodes[node, :size] != self._nodes[node, 0]).any():
                break
            level, node = level + 1, int(self._nodes[node, 0])
        return (level if node > 1 else event.place), node, event

    def _diagram(self, root: int) -> Diagram:
        """The set of a node of the first level."""
        d, floors, here = self.diagrams, list[dict[int, list[int]]](), {root: None}
        for size in self._sizes[:-1].tolist():
            floors.append({node: self._nodes[node, :size].tolist() for node in here if node > 1})
            here = dict.fromkeys(child for children in floors[-1].values() for child in children)
        known = {0: d.false, 1: d.true}
        for level in reversed(range(len(floors))):
            below, known = known, {0: d.false, 1: self._valid[level]}
            for node, children in floors[level].items():
                known[node] = d.select(d.variables[level], [below[child] for child in children])
        return known[root]
