"""Safe play as the exact sweeps read it, listed without listing what does not matter.

Alike values are one (:mod:`holdfast.arena.quotient.abstraction`), the values of interchangeable variables are
sorted (:mod:`holdfast.arena.quotient.symmetries`), and a compiled loop lists what is left
(:mod:`holdfast.arena.quotient.listing_loops`). Each position stands for all that it is alike to. Their safe
actions lead, as many of them, to alike positions, and they have the same μ, so that the episode, trembling or
not, and the long run have the same values as in the shielded arena.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena.bellman import N_VECTORS, MergedArena, spans_of
from holdfast.arena.quotient.abstraction import merged_values
from holdfast.arena.quotient.move_tables import MoveTableBuilder
from holdfast.arena.quotient.symmetries import interchangeable
from holdfast.arena.shielded_arenas import require_defensible
from holdfast.budget import UNLIMITED, Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import Position
from holdfast.solver import TURNS, Resets, Solution, diagrams, solve

Array = npt.NDArray[Any]

ROWS_BETWEEN_TICKS = 100_000
FIRST_ROOM = 1 << 12
SORTED_FROM = 1 << 12
"""So many positions do not stay in the first caches of a processor, and are worth sorting."""
ESTIMATED_FROM, SECONDS_OF_COUNTING = 1 << 17, 10.0
"""From so many positions on it is asked once how many there will be, and how long counting may take."""
LARGE = 1 << 20
"""So many rows grow by less at a time."""
SLOWER, UNCOUNTED = 3.0, 0.1
"""How much longer the rest of a list and the values on it take than its first part; the part of the time that
is left in which a list has to end whose length could not be counted."""
BYTES_PER_POSITION = 8 + 8 + 1
"""Beside the key, the hash table and the vectors of values."""
BYTES_PER_MOVE = 8
SORTING_PER_POSITION, SORTING_PER_MOVE = 40, 4
"""What sorting takes beside all that, in bytes; key and hash table are gone by then."""


class OutOfRoomError(LimitError):
    """Safe play has more positions than fit the memory."""


def merged_solution(solution: Solution, budget: Budget = UNLIMITED) -> Solution:
    """The solution of the configuration with alike values made one; the same where there are none.

    Raises:
        LimitError: past the budget.
    """

    def solved() -> Solution:
        smaller = merged_values(solution.configuration, budget)
        return solution if smaller is solution.configuration else solve(smaller, budget=budget)

    return solution.cached("merged values", solved)


def lean_arena(solution: Solution, budget: Budget = UNLIMITED, *, resets: bool = True) -> MergedArena:
    """The quotient of the shielded arena of a solved, defensible game that is not tabulated.

    Where resets never happen, ``resets`` leaves them out once it is known that none is refused.

    Raises:
        InputError: when the configuration is not defensible.
        ModelError: for a reset that is refused.
        OutOfRoomError: past the memory, with the size that was reached.
        LimitError: past the deadline, or where diagrams fail.
    """
    require_defensible(solution)
    smaller = merged_solution(solution, budget)
    twins = interchangeable(smaller.configuration, budget)
    return _Listing(smaller, twins, budget).arena(resets)


class _Listing:
    """Safe play while it is being listed."""

    def __init__(self, solution: Solution, twins: Sequence[Sequence[int]], budget: Budget) -> None:
        from holdfast.arena.quotient import listing_loops as kernels

        self._kernels, self._budget, self._started = kernels, budget, time.monotonic()
        self._configuration, self._resets = solution.configuration, Resets(solution)
        self._regions, self._twins = diagrams(solution, budget), twins
        self._blocks = self._regions.product.blocks
        self._builder = MoveTableBuilder(self._regions, twins, budget)
        self._tables = self._builder.tables()
        n_local = len(self._tables.cells[2])
        self._widest = int(self._tables.spans[-1]) + n_local + self._tables.targets.shape[1] + 2
        n_words = int(self._tables.layout[0].max()) + 1
        self._keys = np.zeros((FIRST_ROOM, n_words), np.uint64)
        self._slots = np.zeros(2 * FIRST_ROOM, np.int32)
        self._arena = MergedArena(
            first=np.zeros(FIRST_ROOM + 1, np.int64),
            successor=np.zeros(FIRST_ROOM, np.int32),
            times=np.zeros(FIRST_ROOM, np.int32),
            mover=np.zeros(FIRST_ROOM, np.int8),
            gain=np.zeros(FIRST_ROOM),
            reset_from=np.zeros(FIRST_ROOM, np.int32),
            reset_to=np.zeros(0, np.int32),
            spans=np.zeros((3, 2), np.int64),
            initial=0,
        )
        self._counts = np.zeros(5, np.int64)
        self._reset_to: list[int] = []

    def arena(self, resets: bool) -> MergedArena:
        kernels, counts = self._kernels, self._counts
        initial, estimated = self._enter(self._configuration.initial), False
        while counts[kernels.ROW] < counts[kernels.POSITIONS]:
            first = not counts[kernels.ROW]
            status = kernels.expand(
                self._tables, self._keys, self._slots, self._arena, counts, ROWS_BETWEEN_TICKS
            )
            if first:  # from now on the loop is compiled, and time says how quick it is
                self._started = time.monotonic()
            if status == kernels.NO_ROOM:
                self._grow()
            elif status == kernels.NEW_BLOCK:
                self._builder.add_block(*divmod(int(counts[kernels.BLOCK]), self._blocks.n_blocks))
                self._tables = self._builder.tables()
            self._check_size()
            self._follow_resets()
            if not estimated and counts[kernels.POSITIONS] >= ESTIMATED_FROM:
                estimated = True
                self._estimate()
        arena, n, n_moves = self._arena, int(counts[kernels.POSITIONS]), int(counts[kernels.MOVES])
        sizes = (n + 1, n_moves, n_moves, n, n, len(self._reset_to))
        columns: tuple[Array, ...] = arena[:6]
        for column, size in zip(columns, sizes, strict=True):
            column.resize(size, refcheck=False)
        reset_to = np.array(self._reset_to, np.int32)
        if n >= SORTED_FROM:
            number = self._sort(n)
            initial, reset_to = int(number[initial]), number[reset_to]
        if not resets:
            arena, reset_to = arena._replace(reset_from=arena.reset_from[:0]), reset_to[:0]
        return arena._replace(reset_to=reset_to, spans=spans_of(arena.mover), initial=initial)

    def _sort(self, n: int) -> Array:
        """Number positions by turn and key, so that successors stand near each other; the new numbers."""
        arena, nobody = self._arena, np.zeros(0, np.int32)
        self._slots = nobody
        words = self._keys[:n]
        if words.shape[1] == 1:
            order = np.argsort(words[:, 0] >> np.uint64(1) | words[:, 0] << np.uint64(63))
        else:
            order = np.lexsort((words[:, 0] >> np.uint64(1), *words.T[1:], words[:, 0] & np.uint64(1)))
        del words
        self._keys.resize((0, 1), refcheck=False)
        number = np.empty(n, np.int32)
        number[order] = np.arange(n, dtype=np.int32)
        begin = np.concatenate(([0], np.cumsum(np.diff(arena.first)[order])))
        sorted_rows = np.empty(len(arena.successor), np.int32)
        for column, names in ((arena.successor, number), (arena.times, nobody)):
            self._budget.tick("sorting safe play")
            self._kernels.rearrange(order, arena.first, begin, column, names, sorted_rows)
            column[:] = sorted_rows
        arena.first[:], arena.reset_from[:] = begin, number[arena.reset_from]
        arena.mover[:], arena.gain[:] = arena.mover[order], arena.gain[order]
        return number

    def _enter(self, position: Position) -> int:
        """The number of a position; a new one is entered."""
        kernels, block = self._kernels, self._blocks.number(position)
        assert block is not None
        self._grow()
        codes, n = np.array(position.state, np.int32), int(self._counts[kernels.POSITIONS])
        state, turn = (codes, codes.copy()), TURNS.index(position.turn)
        kernels.pack(state, turn, block, self._tables.layout, self._tables.twins, self._keys, n)
        number: int = kernels.number_of(self._keys, self._slots, n)
        self._counts[kernels.POSITIONS] += number == n
        return number

    def _follow_resets(self) -> None:
        """Enter where resets lead from positions that have been taken up."""
        kernels, codes = self._kernels, np.empty(len(self._configuration.game.variables), np.int32)
        for v in self._arena.reset_from[len(self._reset_to) : self._counts[kernels.RESETS]].tolist():
            turn, block = kernels.unpack(self._keys, v, self._tables.layout, codes)
            here = Position(tuple(codes.tolist()), TURNS[turn], *self._blocks.states(block))
            target = self._resets.target(here)
            assert target is not None
            self._reset_to.append(self._enter(target))

    def _grow(self) -> None:
        """Room for at least one more position with all its moves."""
        arena, spare = self._arena, self._widest
        n, m, r = (
            int(self._counts[i]) for i in (self._kernels.POSITIONS, self._kernels.MOVES, self._kernels.RESETS)
        )
        if len(self._keys) < n + spare:
            size = max(n + spare, _longer(len(self._keys)))
            self._keys.resize((size, self._keys.shape[1]), refcheck=False)
            arena.first.resize(size + 1, refcheck=False)
            arena.mover.resize(size, refcheck=False)
            arena.gain.resize(size, refcheck=False)
        if len(arena.successor) < m + spare:
            for column in (arena.successor, arena.times):
                column.resize(max(m + spare, _longer(len(column))), refcheck=False)
        if len(arena.reset_from) < r + spare:
            arena.reset_from.resize(max(r + spare, _longer(len(arena.reset_from))), refcheck=False)
        if len(self._slots) < 2 * (n + spare):
            self._slots = np.zeros(1 << (2 * (n + spare)).bit_length(), np.int32)
            self._kernels.rehash(self._keys, n, self._slots)

    def _estimate(self) -> None:
        """Refuse what diagrams count to be too large, or to take longer than there is time.

        Where they cannot count in a few seconds, the list has to end soon: it leaves its time to other ways.
        """
        taken = time.monotonic() - self._started
        try:
            reached = self._regions.reached(self._budget.share(0.1, at_most=SECONDS_OF_COUNTING))
        except LimitError:
            self._budget = self._budget.share(UNCOUNTED)
            return
        n_alike = math.prod(math.factorial(len(own)) for own in self._twins)
        n_least = reached.count(multiplicity=False) // n_alike
        n, n_moves = (int(self._counts[i]) for i in (self._kernels.POSITIONS, self._kernels.MOVES))
        self._check_size(max(n, n_least), max(n_moves, n_moves * n_least // n))
        if SLOWER * taken * (n_least / n - 1) > self._budget.seconds:
            raise LimitError(
                f"safe play has at least {n_least:,} positions that are told apart, and {n:,} of them took "
                f"{taken:.3g} s to list; {self._budget.seconds:.3g} s are left"
            )

    def _check_size(self, n: int = 0, n_moves: int = 0) -> None:
        """Refuse what would not fit, now or when the values are found."""
        counts, kernels = self._counts, self._kernels
        n, n_moves = max(n, int(counts[kernels.POSITIONS])), max(n_moves, int(counts[kernels.MOVES]))
        self._budget.tick(f"enumerating safe play: {n:,} positions")
        rows = n * BYTES_PER_POSITION + n_moves * BYTES_PER_MOVE
        names = self._keys.nbytes + self._slots.nbytes
        sorting = SORTING_PER_POSITION * n + SORTING_PER_MOVE * n_moves
        need = rows + max(names, sorting, 8 * N_VECTORS * n)
        if need > self._budget.memory:
            raise OutOfRoomError(
                f"safe play has at least {n:,} positions that are told apart, which take "
                f"{size_in_words(need)}; the limit is {size_in_words(self._budget.memory)}"
            )


def _longer(size: int) -> int:
    """A size to grow to: more room is written to at once, so that there should not be too much of it."""
    return size * 9 // 8 if size > LARGE else size * 3 // 2
