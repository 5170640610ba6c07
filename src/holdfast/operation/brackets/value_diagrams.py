"""Functions from states to whole numbers, as decision diagrams with a value at the end of each path.

A node reads one variable and has a child for each of its codes. Equal nodes are one, and a node whose
children are all the same is left out, so that equal functions have the same *reference*, a number. Two values
stand for plus and minus infinity.

OxiDD has diagrams of this kind, but not for Python. Here they are arrays, and one compiled operation on three
diagrams (:mod:`holdfast.operation.brackets.value_loops`) does all that is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.arrays import Int32s, Int64s, distinct
from holdfast.errors import LimitError
from holdfast.logic import Diagram, Diagrams
from holdfast.solver import MultiValuedDiagrams

ORIGIN = 1 << 61
"""A reference that is negative is that of a value: the value less this number."""

PLACE = 40
"""A reference that is not is that of a node: its level, then its place among the cells in so many bits."""

INFINITE = 1 << 60
"""Stands for +∞, and its negative for −∞."""

LARGEST, LEAST, SECOND, MIXED_DOWN, MIXED_UP, SUM_BELOW, SUM_ABOVE = range(7)
GROWTH_BELOW, GROWTH_ABOVE, AT_LEAST, AT_MOST = range(7, 11)
"""What an operation makes of two values; see :func:`holdfast.operation.brackets.value_loops.outcome`."""

DONE, NO_ROOM, NO_NODES = 0, 1, 2
"""Whether an operation was done, or had no room for its tasks, or for the nodes that it may need."""

CodeMap = npt.NDArray[np.int32]
"""For each level and code, which code the move turns it into."""

GuardedMove = tuple[int, CodeMap]
"""The set in which a move can be made, and what it does."""

FIRST_NODES = 1 << 12
BYTES_PER_NODE, BYTES_PER_TASK = 24, 48
"""Beside the children: the node or task, and its part of a hash table."""

MEMO = 1 << 18
"""Results that are kept from one operation to the next."""

LITTER, GROWTH = 1 << 20, 4
"""Garbage is collected when there are so many nodes, and so many times as many as were needed last time."""


class Nodes(NamedTuple):
    """All nodes of a table.

    Attributes:
        cells: one node after the other, its level and then its children; children come before their parents.
        slots: the hash table that makes equal nodes one: 0, or the place of a node plus 1, and before it
            some bits that tell it from most others.
        counts: how many nodes there are, and how many cells they take.
        size: of each level, how many children its nodes have; one more level for values.
    """

    cells: Int64s
    slots: Int64s
    counts: Int64s
    size: Int64s


class Room(NamedTuple):
    """What an operation writes on while it works.

    Attributes:
        triple: three references for each task.
        after: for each task and code what follows: a reference, or the number of a task plus ``ORIGIN``.
        onward: the next task of the same level, -1 for the last.
        home: where a task is in the hash table.
        slots: the hash table: number of a task plus 1, or 0.
        heads: the first task of each level.
        memo: rows of (one, other, kind, result): the larger or the lesser of two functions, as far as it was
            asked for before.
    """

    triple: Int64s
    after: Int64s
    onward: Int32s
    home: Int32s
    slots: Int32s
    heads: Int32s
    memo: Int64s


def constant(value: int) -> int:
    """The reference of the function that has this value everywhere."""
    return value - ORIGIN


NEVER, ALWAYS = constant(0), constant(1)
"""The empty set and that of all states: a set is a function that is 1 in it."""

LOWEST, HIGHEST = constant(-INFINITE), constant(INFINITE)


def _unwatched() -> None:
    """For work that nobody watches."""


class ValueDiagrams:
    """A table of nodes, to which operations add.

    Args:
        diagrams: sets of states are taken from here, and the order of the variables.
        memory: bytes that nodes and operations may take.
    """

    def __init__(self, diagrams: Diagrams, memory: int) -> None:
        from holdfast.operation.brackets import value_loops

        self._kernels, self._diagrams, self._memory = value_loops, diagrams, memory
        sizes = [len(variable.values) for variable in diagrams.variables]
        self._sizes, self._width = np.array([*sizes, 0], np.int64), max(sizes)
        self.stay: CodeMap = np.tile(np.arange(self._width, dtype=np.int32), (len(sizes), 1))
        self._n_most = memory // (BYTES_PER_NODE + BYTES_PER_TASK + 16 * self._width)
        self._memo = np.zeros((MEMO, 4), np.int64)
        self._nodes, self._room = self._empty(FIRST_NODES), self._empty_room(FIRST_NODES)
        self._n_needed = self._n_static = self._n_collected = 0
        self._sets: dict[Diagram, int] = {}

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return int(self._nodes.counts[0])

    @property
    def n_made(self) -> int:
        """How many nodes have been made so far, those that were collected included."""
        return self._n_collected + self.n_nodes

    def function(self, cases: Iterable[tuple[int, Diagram]], otherwise: int) -> int:
        """The function that has a value in each of some disjoint sets, and another one elsewhere."""
        values, sets = zip(*cases, strict=True)
        table = MultiValuedDiagrams(self._diagrams, self._diagrams.variables)
        root = table.decide(sets, [*range(1, len(sets) + 1), 0])
        known = {~number: constant(value) for number, value in enumerate((otherwise, *values))}
        while not self._kernels.has_room(self._nodes, table.n_nodes):
            self._grow()
        children = np.zeros(self._width, np.int64)
        for node, level, below in table.nodes():
            children[: len(below)] = [known[child] for child in below]
            known[node] = int(self._kernels.entered(self._nodes, level, children))
        return known[root]

    def set_of(self, states: Diagram) -> int:
        """A set of states."""
        if states not in self._sets:
            self._sets[states] = self.function([(1, states & self._diagrams.valid)], 0)
        return self._sets[states]

    def settle(self) -> None:
        """From now on nothing that there is becomes garbage, and sets are no longer known."""
        self._n_static, self._n_needed = int(self._nodes.counts[1]), self.n_nodes
        self._sets.clear()

    def combined(
        self,
        kind: int,
        one: int,
        other: int,
        guard: int = ALWAYS,
        move: CodeMap | None = None,
        low: int = 0,
        high: int = 0,
    ) -> int:
        """In the states of the guard what an operation makes of ``one``, and of ``other`` after a move.

        Elsewhere it is ``one``. For the kinds of operation see
        :func:`holdfast.operation.brackets.value_loops.outcome`.

        Raises:
            LimitError: past the memory.
        """
        ones, others = np.array([one], np.int64), np.array([other], np.int64)
        self._combine(kind, (ones, guard, others), (low, high), self.stay if move is None else move)
        return int(ones[0])

    def best_after(
        self, kind: int, moves: Sequence[GuardedMove], goal: int, tick: Callable[[], object] = _unwatched
    ) -> int:
        """The largest or the least that some move makes of a goal; ``tick`` is called often.

        A move concerns the levels from the topmost that it reads or writes on. So it is made in the parts of
        the goal that begin there, all of them at once, after the moves that begin further down; what lies
        above is put on top, and never gone through again.
        """
        nothing = LOWEST if kind == LARGEST else HIGHEST
        n_levels, cells = len(self._sizes) - 1, self._nodes.cells
        at_level: list[list[GuardedMove]] = [[] for _ in range(n_levels + 1)]
        for guard, move in moves:
            if guard != NEVER:
                at_level[self._top(guard, move)].append((guard, move))
        cuts, below = [np.array([goal], np.int64)], []
        for level in range(n_levels):
            cut, size = cuts[-1], self._sizes[level]
            rows = np.repeat(cut[:, None], size, axis=1)
            here = np.flatnonzero(cut >> PLACE == level)
            rows[here] = cells[(cut[here, None] & (1 << PLACE) - 1) + 1 + np.arange(size)]
            parts, places = np.unique(rows, return_inverse=True)
            cuts.append(parts)
            below.append(places.reshape(rows.shape))
        best = cuts.pop()
        best = best.copy() if at_level[n_levels] else np.full_like(best, nothing)
        for level in reversed(range(n_levels)):
            cut, rows = cuts.pop(), best[below.pop()]
            best = np.empty(len(cut), np.int64)
            while not self._kernels.enter_rows(self._nodes, level, rows, best):
                self._grow()
            for guard, move in at_level[level]:
                tick()
                self._combine(kind, (best, guard, cut), (0, 0), move)
        return int(best[0])

    def _top(self, guard: int, move: CodeMap) -> int:
        """The topmost level that a guarded move reads or writes."""
        changed = np.flatnonzero((move != self.stay).any(axis=1))
        read = len(self._sizes) - 1 if guard < 0 else guard >> PLACE
        return min([read, *map(int, changed[:1])])

    def _combine(
        self, kind: int, roots: tuple[Int64s, int, Int64s], bounds: tuple[int, int], move: CodeMap
    ) -> None:
        """Replace the first roots by what an operation makes of them and the others."""
        while True:
            status = self._kernels.combined(self._nodes, self._room, kind, roots, bounds, move)
            if status == DONE:
                return
            if status == NO_NODES:
                self._grow()
            else:
                self._check(self._capacity, 2 * len(self._room.triple))
                self._room = self._empty_room(2 * len(self._room.triple))

    def value(self, root: int, codes: Int64s) -> int:
        """The value in a state, given by its codes in the order of the variables."""
        return int(self._kernels.value_at(self._nodes, root, codes))

    def extremes(self, root: int, ignored: int) -> tuple[int, int]:
        """The least and the greatest value of all but one; +∞ and −∞ if there is no other."""
        marks = np.zeros(int(self._nodes.counts[1]), np.bool_)
        least, greatest = self._kernels.extremes(self._nodes, root, ignored, marks)
        return int(least), int(greatest)

    def remapped(self, roots: Sequence[int], image: Callable[[Int64s], Int64s]) -> list[int]:
        """Functions with other values: ``image`` gives what replaces all of their values, which ascend.

        Raises:
            LimitError: past the memory.
        """
        references = np.array(roots, np.int64)
        marks = np.zeros(int(self._nodes.counts[1]), np.bool_)
        values = distinct(self._kernels.terminals(self._nodes, references, marks))
        images, names = (values, image(values)), np.zeros(len(marks), np.int64)
        while not self._kernels.mapped(self._nodes, references, marks, images, names):
            self._grow()
        return [int(root) for root in references]

    def nodes(self, roots: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
        """The nodes of some functions, children first: reference, level, and the references of children."""
        cells, marks = self._nodes.cells, np.zeros(int(self._nodes.counts[1]), np.bool_)
        self._kernels.terminals(self._nodes, np.array(roots, np.int64), marks)
        for start in np.flatnonzero(marks).tolist():
            level = int(cells[start])
            children = cells[start + 1 : start + 1 + self._sizes[level]]
            yield level << PLACE | start, level, children.tolist()

    @property
    def littered(self) -> bool:
        """Whether there is so much garbage that it should be collected."""
        return self.n_nodes > min(max(LITTER, GROWTH * self._n_needed), self._n_most // 2)

    def collect(self, roots: Sequence[int]) -> list[int]:
        """Keep what the roots need and let go of the rest; the roots by their new references."""
        old, self._nodes = self._nodes, self._empty(self._capacity)
        references, names = np.array(roots, np.int64), np.zeros(int(old.counts[1]), np.int64)
        self._memo[:] = 0
        self._kernels.copied(old, self._nodes, self._n_static, references, names)
        self._n_collected += int(old.counts[0]) - self.n_nodes
        self._n_needed = self.n_nodes
        return [int(root) for root in references]

    # -- room ---------------------------------------------------------------------------------------

    @property
    def _capacity(self) -> int:
        """How many nodes there is room for, with as many children as any have."""
        return len(self._nodes.cells) // (1 + self._width)

    def _grow(self) -> None:
        """Twice as many nodes."""
        old, size = self._nodes, 2 * self._capacity
        self._check(size, len(self._room.triple))
        self._nodes, n_cells = self._empty(size), old.counts[1]
        self._nodes.counts[:] = old.counts
        self._nodes.cells[:n_cells] = old.cells[:n_cells]
        self._kernels.rehash(self._nodes)

    def _check(self, n_nodes: int, n_tasks: int) -> None:
        """Refuse to outgrow the memory."""
        children = 8 * self._width
        need = n_nodes * (BYTES_PER_NODE + children) + n_tasks * (BYTES_PER_TASK + children)
        if need > self._memory:
            raise LimitError("value diagrams outgrew the memory")

    def _empty(self, n: int) -> Nodes:
        return Nodes(
            np.zeros(n * (1 + self._width), np.int64),
            np.zeros(_slots(n), np.int64),
            np.zeros(2, np.int64),
            self._sizes,
        )

    def _empty_room(self, n: int) -> Room:
        return Room(
            np.zeros((n, 3), np.int64),
            np.zeros((n, self._width), np.int64),
            np.zeros(n, np.int32),
            np.zeros(n, np.int32),
            np.zeros(_slots(n), np.int32),
            np.zeros(len(self._sizes), np.int32),
            self._memo,
        )


def _slots(n: int) -> int:
    """A power of two, twice as large or more."""
    return 1 << (2 * n - 1).bit_length()
