"""An arena that grows as play visits it, for games that cannot be enumerated.

A position gets a number when play first comes to it, and Safe(v) is asked of the solution then; the
successor of a move is computed when the move is first made. Until then it is −1, the sign on which a kernel
stops. Tables have a row for each state met so far. What is learned does not depend on the numbering, so runs
may share what earlier runs have discovered.

Memory is bounded: past ``max_bytes`` a :class:`~holdfast.errors.LimitError` says how far play came.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena, dominance, position_at, position_key
from holdfast.engines.quotient import Blocks, classify_moves
from holdfast.errors import LimitError
from holdfast.game import State, successor
from holdfast.learn.kernels import Board
from holdfast.logic.expressions import Player
from holdfast.permitted import Permitted
from holdfast.product import Position, move
from holdfast.resets import Resets
from holdfast.solution import Solution

BYTES_PER_POSITION, BYTES_PER_MOVE, BYTES_PER_STATE = 400, 40, 200
"""What dictionaries and arrays take, with the capacity they keep in reserve."""

MAX_LETTERS = 100_000
"""Successors remembered beside the board, so that moves which come to the same share the work."""


class Discovery:
    """The part of the shielded arena that play has visited.

    Attributes:
        configuration: whose arena it is.
        initial: the number of v₀, 0.
        board: what the kernels read; replaced when it grows.
        n_moves: Σ |Safe(v)| so far.
        width: |Act_D| + |Act_A|.
    """

    def __init__(self, solution: Solution, max_bytes: int, n_tables: int) -> None:
        """Start with v₀ alone; ``n_tables`` are held at once, and count towards ``max_bytes``."""
        self.configuration = solution.configuration
        game = solution.configuration.game
        self.max_bytes, self.n_tables = max_bytes, n_tables
        self.n_defender = len(game.actions[Player.DEFENDER])
        self.width = self.n_defender + len(game.actions[Player.ADVERSARY])
        self.initial, self.n_moves = 0, 0
        self._blocks = Blocks.of(solution.configuration)
        self._permitted, self._resets = Permitted(solution), Resets(solution)
        self._numbers: dict[int, int] = {}
        self._keys: list[int] = []
        self._states: dict[int, int] = {}
        self._valuations: list[int] = []
        self._kinds = classify_moves(solution.configuration)[1]
        self._after: dict[tuple[int, int, State], int] = {}
        self._action = np.zeros(0, dtype=np.int32)
        self.board = Board(
            first=np.zeros(0, dtype=np.int64),
            last=np.zeros(0, dtype=np.int64),
            reset=np.zeros(0, dtype=np.int32),
            mu=np.zeros(0),
            gain=np.zeros(0),
            entry=np.zeros(0, dtype=np.int32),
            successor=np.zeros(0, dtype=np.int32),
        )
        self._visit(self.configuration.initial)

    @property
    def n_positions(self) -> int:
        """How many positions have been visited."""
        return len(self._keys)

    @property
    def n_states(self) -> int:
        """How many states have been visited."""
        return len(self._states)

    def resolve(self, v: int, number: int) -> None:
        """Fill in the successor of move ``number``, made at position v."""
        here = position_at(self.configuration, self._blocks, self._keys[v])
        action = int(self._action[number])
        state = successor(self.configuration.game, here.turn, action, here.state)
        assert state is not None
        # What the automata do depends on their states, the class of the move and the state it leads to.
        plane = self._keys[v] // self.configuration.game.n_valuations
        letter = plane, self._kinds[here.turn][action], state
        if letter not in self._after:
            target = move(self.configuration, here, action)
            assert target is not None
            if len(self._after) == MAX_LETTERS:
                self._after.clear()
            self._after[letter] = self._visit(target)
        self.board.successor[number] = self._after[letter]

    def codes(self, start: int = 0) -> npt.NDArray[np.int32]:
        """The states met, from number ``start`` on, a row of codes each."""
        game = self.configuration.game
        rows = [game.state(index) for index in self._valuations[start:]]
        return np.array(rows, dtype=np.int32).reshape(len(rows), len(game.variables))

    def arena(self) -> ShieldedArena:
        """What has been visited, numbered in order of discovery; −1 is the successor of a move never made."""
        n, m, n_blocks = self.n_positions, self.n_moves, self._blocks.n_blocks
        n_valuations = self.configuration.game.n_valuations
        codes = self.codes()
        planes = np.array([key // n_valuations for key in self._keys], dtype=np.int64)
        return ShieldedArena(
            self.configuration,
            self.initial,
            (planes // n_blocks).astype(np.int8),
            np.array([self._states[key % n_valuations] for key in self._keys], dtype=np.int32),
            (planes % n_blocks).astype(np.int32),
            np.append(self.board.first[:n], m),
            self._action[:m].copy(),
            self.board.successor[:m].copy(),
            self.board.reset[:n].copy(),
            codes,
            *dominance(self.configuration.game, codes),
        )

    def _visit(self, position: Position) -> int:
        """The number of a position; a new one is entered, with the targets of its resets."""
        key = position_key(self.configuration, self._blocks, position)
        if key in self._numbers:
            return self._numbers[key]
        todo, jumps = [position], []
        while todo:
            here = todo.pop()
            v, fresh = self._enter(here)
            target = self._resets.target(here) if fresh else None
            if target is not None:
                jumps.append((v, position_key(self.configuration, self._blocks, target)))
                todo.append(target)
        for v, target_key in jumps:
            self.board.reset[v] = self._numbers[target_key]
        return self._numbers[key]

    def _enter(self, position: Position) -> tuple[int, bool]:
        """Number a position and ask for Safe(v); whether it was new."""
        game, board = self.configuration.game, self.board
        key = position_key(self.configuration, self._blocks, position)
        if key in self._numbers:
            return self._numbers[key], False
        actions = self._permitted.actions(position)
        v = self._numbers[key] = len(self._keys)
        self._keys.append(key)
        valuation = key % game.n_valuations
        state = self._states.setdefault(valuation, len(self._states))
        if state == len(self._valuations):
            self._valuations.append(valuation)
        first, last = self.n_moves, self.n_moves + len(actions)
        self.n_moves = last
        self._check_size()
        sizes = (v + 1,) * 5 + (last,) * 2
        columns: tuple[npt.NDArray[Any], ...] = tuple(board)
        board = self.board = Board(*(_grown(c, size) for c, size in zip(columns, sizes, strict=True)))
        self._action = _grown(self._action, last)
        mu = game.mu(position.state)
        defends = position.turn is Player.DEFENDER
        board.first[v], board.last[v], board.reset[v] = first, last, -1
        board.mu[v], board.gain[v] = float(mu), float(1 - 2 * mu if defends else 2 * mu - 1)
        board.entry[first:last] = np.array(actions, dtype=np.int32) + (
            state * self.width + (0 if defends else self.n_defender)
        )
        board.successor[first:last] = -1
        self._action[first:last] = actions
        return v, True

    def _check_size(self) -> None:
        need = (
            self.n_positions * BYTES_PER_POSITION
            + self.n_moves * BYTES_PER_MOVE
            + self.n_states * (BYTES_PER_STATE + self.n_tables * self.width * 8)
        )
        if need > self.max_bytes:
            raise LimitError(
                f"play has visited {self.n_positions:,} positions and {self.n_states:,} states, and what is "
                f"kept of them has reached the limit of {self.max_bytes / 2**20:,.0f} MiB: train for fewer "
                "episodes, or allow more memory"
            )


def _grown(column: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The column with room for ``size`` entries, in steps of a half."""
    if size <= len(column):
        return column
    longer = np.zeros(max(size, 3 * len(column) // 2, 64), dtype=column.dtype)
    longer[: len(column)] = column
    return longer
