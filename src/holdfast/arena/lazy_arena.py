"""A shielded arena that grows move by move, for games too large to list.

A position gets a number when play first comes to it, and Safe(v) is worked out then; the successor of a move
is worked out when the move, or one that is seen to lead the same way, is first made. Until then it is −1.
Compiled code does this by walking down diagrams (:mod:`holdfast.arena.play_kernels`).

Who asks decides which moves are made: learners make one after the other, :func:`walked_arena` all of them,
and where a policy is evaluated one side makes those of the policy alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import play_kernels as kernels
from holdfast.arena.compiled_rules import PlayRules, play_rules
from holdfast.arena.form import ShieldedArena, row_width, taken
from holdfast.arena.play_rows import Flags, GameRows, LearnerView, MoveDraws, PositionTable
from holdfast.arrays import Int64s
from holdfast.budget import Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import Position, has_chance
from holdfast.solver import Blocks, Reach, Resets, Solution

MAX_WALKED = 250_000
"""Positions up to which a game is walked to its end; where there are more, diagrams answer."""

ROWS_BETWEEN_TICKS = 1000

BYTES_PER_POSITION, BYTES_PER_MOVE, BYTES_PER_CODE = 128, 24, 6
"""What the columns take, with the capacity they keep in reserve."""


class LazyArena:
    """The part of a shielded arena that has been visited; v₀ has number 0.

    Args:
        solution: of a defensible game.
        budget: whose memory bounds what is kept.
        resets: whether engagement resets happen.
        mask: what leaves the moves, if not the shield. Play may then leave W: in U it ends, a reset that is
            refused does not happen, and all states of φ_A are told apart.
        bytes_per_state: what the caller keeps of each state, which counts towards the memory.
        remedy: what to do when the memory is full.

    Attributes:
        view: what learners read, as far as it is known.
    """

    initial = 0

    def __init__(
        self,
        solution: Solution,
        budget: Budget,
        *,
        resets: bool = True,
        mask: int | None = None,
        bytes_per_state: int = 0,
        remedy: str = "allow more memory",
    ) -> None:
        """Start with v₀, and where resets lead from there."""
        self.width, self._remedy = row_width(solution.configuration.game), remedy
        self.configuration = solution.configuration
        self._play, self._resets = play_rules(solution, budget), Resets(solution) if resets else None
        self._memory, self._bytes_per_state = budget.memory, bytes_per_state
        self._shielded, self._table = mask is None, _empty_table(self._play, mask)
        ints, floats = np.zeros(0, np.int32), np.zeros(0)
        self.view = LearnerView(np.zeros(1, np.int64), ints, floats, floats, ints, ints)
        spare = self._table.spare
        spare.codes[0], spare.automata[0], spare.turn[0] = self._play.initial
        self._enter()

    @property
    def n_positions(self) -> int:
        """How many positions have been visited."""
        return int(self._table.sizes[0])

    @property
    def n_states(self) -> int:
        """How many states have been visited."""
        return int(self._table.sizes[1])

    @property
    def n_moves(self) -> int:
        """Σ |Safe(v)| over the positions visited; each outcome that may be drawn counts."""
        return int(self._table.sizes[2])

    @property
    def move_draws(self) -> MoveDraws | None:
        """How outcomes are drawn; None where none are."""
        return self._table.draws if len(self._table.draws.outcomes) else None

    def position(self, v: int) -> Position:
        """The position with number v; one rejecting state of φ_A stands for all."""
        codes, automata, turn = self._table.games
        return self._play.position(codes[v], automata[v], int(turn[v]))

    def arena(self) -> ShieldedArena:
        """What has been visited, numbered in order of discovery; −1 is the successor of a move never made."""
        table, view, n, n_moves = self._table, self.view, self.n_positions, self.n_moves
        block = np.empty(n, dtype=np.int64)
        kernels.blocks(self._play.rules, table.games.automata[:n], block)
        holder = table.holder[: self.n_states]
        reward = np.where(table.games.turn[holder] == 0, -view.gain[holder], view.gain[holder])
        return ShieldedArena(
            self.configuration,
            self.initial,
            table.games.turn[:n].copy(),
            table.state[:n].copy(),
            block.astype(np.int32),
            view.first[: n + 1].copy(),
            table.action[:n_moves].copy(),
            view.successor[:n_moves].copy(),
            view.reset[:n].copy(),
            table.games.codes[holder],
            view.mu[holder],
            reward,
        )

    def resolve(self, v: int, number: int) -> None:
        """Fill in the successor of move ``number``, made at position v.

        Raises:
            LimitError: past the memory, saying how far play came.
        """
        self._make_room()
        self._settle(kernels.discover(self._play.rules, self._table, self.view, v, number))

    def resolve_rows(self, first: int, chosen: Int64s) -> None:
        """Fill in the successors of some positions, from ``first`` on: of the move that is chosen at each.

        It may be all moves (:data:`~holdfast.arena.play_kernels.ALL_MOVES`), or none (``NO_MOVE``).

        Raises:
            LimitError: past the memory, saying how far play came.
        """
        v = first
        while v < first + len(chosen):
            self._make_room()
            v = int(kernels.discover_rows(self._play.rules, self._table, self.view, v, chosen, first))
            self._settle(self.n_positions - 1)

    def menus(self, first: int, last: int) -> tuple[GameRows, Flags]:
        """The positions from one number up to, not including, another, and which choices each has."""
        begin = self.view.first
        rows = self._table.games.at(np.arange(first, last))
        mask = np.zeros((last - first, self._play.n_actions), dtype=np.int8)
        row = np.repeat(np.arange(last - first), np.diff(begin[first : last + 1]))
        moves = slice(begin[first], begin[last])
        draws = self.move_draws
        mask[row, self._table.action[moves]] = 1 if draws is None else draws.outcomes[moves] > 0
        return rows, mask

    def _enter(self) -> int:
        """The number of the spare position, which is entered if it is new."""
        self._make_room()
        number = int(kernels.enter(self._play.rules, self._table, self.view))
        self._settle(number)
        return number

    def _settle(self, number: int) -> None:
        """Look where a reset leads from a position that was just entered, if one can happen there."""
        table = self._table
        if self.view.reset[number] != kernels.ASKED:
            return
        self.view.reset[number] = -1
        if self._resets is None:
            return
        here, chance = table.games.at(slice(number, number + 1)), np.zeros(1, np.int8)
        kernels.restart(self._play.rules, here, np.ones(1, np.int8), table.spare, chance)
        if chance[0] == kernels.REFUSED:
            if self._shielded:
                self._resets.target(self.position(number))  # says why
            return
        table.spare.turn[0] = here.turn[0]
        after = self._enter()
        self.view.reset[number] = after

    def _make_room(self) -> None:
        """Let one more position fit, with all of its moves."""
        table, (n, n_states, n_moves) = self._table, self._table.sizes.tolist()
        columns = n * BYTES_PER_POSITION + n_moves * BYTES_PER_MOVE
        codes = n * table.games.codes.shape[1] * BYTES_PER_CODE
        if columns + codes + n_states * self._bytes_per_state > self._memory:
            raise LimitError(
                f"play has visited {n:,} positions and {n_states:,} states, and what is kept of them has "
                f"reached the limit of {size_in_words(self._memory)}: {self._remedy}"
            )
        view = self.view
        if n + 1 >= len(table.state):
            games = GameRows(*(grown(column, max(64, 3 * n // 2 + 2)) for column in table.games))
            room = len(games.turn)
            self._table = table = table._replace(
                games=games,
                slots=(no_slots(room), no_slots(room)),
                state=grown(table.state, room),
                holder=grown(table.holder, room),
            )
            self.view = view = view._replace(
                first=grown(view.first, room + 1),
                reset=grown(view.reset, room),
                mu=grown(view.mu, room),
                gain=grown(view.gain, room),
            )
            kernels.rehash(table)
        n_needed = n_moves + table.mask.shape[1]
        if n_needed > len(table.action):
            self._table = table._replace(action=grown(table.action, n_needed))
            entry, successor = (grown(column, n_needed) for column in (view.entry, view.successor))
            self.view = view._replace(entry=entry, successor=successor)
            if self.move_draws is not None:
                draws = MoveDraws(*(grown(column, n_needed) for column in table.draws))
                self._table = self._table._replace(draws=draws)


def walked_arena(solution: Solution, resets: bool, budget: Budget) -> ShieldedArena:
    """The arena of a solved game, walked to its end; |V| may be anything.

    Raises:
        LimitError: past the budget, or past :data:`MAX_WALKED` positions.
        ModelError: for a reset that is refused.
    """
    reach: Reach | None = solution.cached_or_none("reach")
    if reach is not None and reach.n_positions > MAX_WALKED:
        raise LimitError(
            f"safe play has {reach.n_positions:,} positions, too many to enumerate (at most {MAX_WALKED:,} "
            "in a game of this size)"
        )
    lazy, v = LazyArena(solution, budget, resets=resets), 0
    while v < lazy.n_positions:
        everything = np.full(min(ROWS_BETWEEN_TICKS, lazy.n_positions - v), kernels.ALL_MOVES)
        lazy.resolve_rows(v, everything)
        v += len(everything)
        budget.tick(f"enumerating safe play: {lazy.n_positions:,} positions")
        if lazy.n_positions > MAX_WALKED:
            raise LimitError(
                f"the shielded arena has more than {MAX_WALKED:,} positions, the limit for a game whose "
                "positions cannot all be listed"
            )
    arena = lazy.arena()
    return taken(arena, np.full(arena.n_positions, True))


def _empty_table(play: PlayRules, mask: int | None) -> PositionTable:
    """The table of a lazy arena before the first position."""
    blocks = Blocks.of(play.configuration)
    sink = blocks.states(len(blocks.planes) - 1)[1] if mask is None else ()
    ints, drawn = np.zeros(0, np.int32), int(has_chance(play.configuration.game))
    draws = MoveDraws(np.zeros(drawn, np.int32), np.zeros(drawn))
    return PositionTable(
        rows_of(play, 0), ints, ints, ints, (ints, ints), np.zeros(3, np.int64), (play.mu, play.reward),
        np.array(sink, dtype=np.int32), kernels.SHIELD if mask is None else mask, play.upto, draws,
        rows_of(play, 1), np.zeros((1, play.n_actions), np.int8), np.zeros(play.n_readings, np.int8),
    )  # fmt: skip


def rows_of(play: PlayRules, n: int) -> GameRows:
    """Room for so many games."""
    codes, automata, _ = play.initial
    return GameRows(
        np.zeros((n, len(codes)), dtype=np.int32),
        np.zeros((n, len(automata)), dtype=np.int32),
        np.zeros(n, dtype=np.int8),
    )


def no_slots(n: int) -> npt.NDArray[np.int32]:
    """Empty slots for so many positions."""
    return np.full(2 * n + 1, -1, np.int32)


def grown(column: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The column with room for ``size`` entries, or rows, in steps of a half."""
    if size <= len(column):
        return column
    longer = np.zeros((max(size, 3 * len(column) // 2, 64), *column.shape[1:]), dtype=column.dtype)
    longer[: len(column)] = column
    return longer
