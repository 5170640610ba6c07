"""A shielded arena that grows position by position, for games too large to list.

A position gets a number when it is first come to, and Safe(v) is asked of the solution then; the successors
of its moves are worked out when they are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena.form import ShieldedArena, dominance, taken
from holdfast.budget import Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import Position, State
from holdfast.solver import TURNS, Blocks, Reach, Resets, Solution, Stepper, safe_actions

MAX_WALKED = 250_000
"""Positions up to which a game is walked to its end: a minute or so."""

BYTES_PER_POSITION, BYTES_PER_MOVE, BYTES_PER_CODE = 600, 16, 8
"""What dictionaries and arrays take, with the capacity they keep in reserve."""


class Expansion:
    """The part of a shielded arena that has been visited.

    Attributes:
        configuration: whose arena it is; its v₀ has number 0.
        positions: in order of discovery, one rejecting state of φ_A standing for all.
        states: the states met, with their numbers.
        first, action, successor, reset: as in :class:`~holdfast.arena.form.ShieldedArena`, with room to grow.
    """

    def __init__(self, solution: Solution, resets: Resets | None) -> None:
        """Start with v₀, and where resets lead from there."""
        self.configuration = solution.configuration
        self.positions: list[Position] = []
        self.states: dict[State, int] = {}
        self.first = np.zeros(1, dtype=np.int64)
        self.action = np.zeros(0, dtype=np.int32)
        self.successor = np.zeros(0, dtype=np.int32)
        self.reset = np.zeros(0, dtype=np.int32)
        self._solution, self._resets = solution, resets
        self._stepper, self._blocks = Stepper(solution.configuration), Blocks.of(solution.configuration)
        self._block_of: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._numbers: dict[Position, int] = {}
        self.visit(self.configuration.initial)

    @property
    def n_moves(self) -> int:
        """Σ |Safe(v)| over the positions visited."""
        return int(self.first[len(self.positions)])

    @property
    def n_bytes(self) -> int:
        """About what all of it takes."""
        per_position = BYTES_PER_POSITION + BYTES_PER_CODE * len(self.configuration.game.variables)
        return len(self.positions) * per_position + self.n_moves * BYTES_PER_MOVE

    def visit(self, position: Position) -> int:
        """The number of a position; a new one is entered, with the targets of its resets."""
        position = self._shown(position)
        if position in self._numbers:
            return self._numbers[position]
        todo, jumps = [position], []
        while todo:
            here = todo.pop()
            if here in self._numbers:
                continue
            self._enter(here)
            target = None if self._resets is None else self._resets.target(here)
            if target is not None:
                shown = self._shown(target)
                jumps.append((here, shown))
                todo.append(shown)
        for here, target in jumps:
            self.reset[self._numbers[here]] = self._numbers[target]
        return self._numbers[position]

    def resolve_all(self, v: int) -> None:
        """Fill in the successors of all moves of position v."""
        moves = slice(self.first[v], self.first[v + 1])
        actions = self.action[moves].tolist()
        number_after: dict[int, int] = {}
        for target, alike in self._stepper.groups(self.positions[v], actions):
            number_after |= dict.fromkeys(alike, self.visit(target))
        self.successor[moves] = [number_after[action] for action in actions]

    def arena(self) -> ShieldedArena:
        """What has been visited, numbered in order of discovery."""
        n, m = len(self.positions), self.n_moves
        codes = np.array(list(self.states), dtype=np.int32).reshape(len(self.states), -1)
        return ShieldedArena(
            self.configuration,
            0,
            np.array([TURNS.index(position.turn) for position in self.positions], dtype=np.int8),
            np.array([self.states[position.state] for position in self.positions], dtype=np.int32),
            np.array([self._block(position) for position in self.positions], dtype=np.int32),
            self.first[: n + 1].copy(),
            self.action[:m].copy(),
            self.successor[:m].copy(),
            self.reset[:n].copy(),
            codes,
            *dominance(self.configuration.game, codes),
        )

    def _enter(self, position: Position) -> None:
        """Number a position and ask for Safe(v)."""
        actions = safe_actions(self._solution, position)
        v, first = len(self.positions), self.n_moves
        last = first + len(actions)
        self.first, self.reset = grown(self.first, v + 2), grown(self.reset, v + 1)
        self.action, self.successor = grown(self.action, last), grown(self.successor, last)
        self.first[v + 1], self.reset[v] = last, -1
        self.action[first:last], self.successor[first:last] = actions, -1
        self._numbers[position] = v
        self.positions.append(position)
        self.states.setdefault(position.state, len(self.states))

    def _block(self, position: Position) -> int:
        key = position.q_defender, position.q_adversary
        if key not in self._block_of:
            block = self._blocks.number(position)
            assert block is not None
            self._block_of[key] = block
        return self._block_of[key]

    def _shown(self, position: Position) -> Position:
        """The position with one rejecting state of φ_A standing for all of them."""
        block = self._block(position)
        if not self._blocks.is_sink(block):
            return position
        return position._replace(q_adversary=self._blocks.states(block)[1])


def walked_arena(solution: Solution, resets: Resets | None, budget: Budget) -> ShieldedArena:
    """The arena of a solved game, each position asked of the solution; slow, but |V| may be anything.

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
    expansion, v = Expansion(solution, resets), 0
    while v < len(expansion.positions):
        expansion.resolve_all(v)
        v += 1
        n_positions = len(expansion.positions)
        budget.tick(f"enumerating safe play: {n_positions:,} positions")
        if expansion.n_bytes > budget.memory:
            raise LimitError(
                f"the shielded arena has at least {n_positions:,} positions and {expansion.n_moves:,} safe "
                f"moves, which take {size_in_words(expansion.n_bytes)}; the limit is "
                f"{size_in_words(budget.memory)}"
            )
        if n_positions > MAX_WALKED:
            raise LimitError(
                f"the shielded arena has more than {MAX_WALKED:,} positions, the limit where each has to be "
                "asked of the solution"
            )
    arena = expansion.arena()
    return taken(arena, np.full(arena.n_positions, True))


def grown(column: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The column with room for ``size`` entries, or rows, in steps of a half."""
    if size <= len(column):
        return column
    longer = np.zeros((max(size, 3 * len(column) // 2, 64), *column.shape[1:]), dtype=column.dtype)
    longer[: len(column)] = column
    return longer
