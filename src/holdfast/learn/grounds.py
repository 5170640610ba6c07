"""Where runs play: an arena enumerated beforehand, or one discovered on the way.

In an arena that is discovered the successor of a move is worked out when the move, or one that is seen to
lead the same way, is first made; until then it is −1, the sign on which a kernel stops. Tables have a row for
each state met so far. What is learned does not depend on the numbering, so runs may share what earlier runs
have discovered.
"""

from __future__ import annotations

import numpy as np

from holdfast.arena import ShieldedArena, require_defensible, shielded_arena
from holdfast.arena.expansion import Expansion, grown
from holdfast.budget import UNLIMITED, Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import GameStructure
from holdfast.learn.training_kernels import LearnerView
from holdfast.logic.expressions import Player
from holdfast.resets import Resets
from holdfast.solution import Solution, is_listable

BYTES_PER_POSITION, BYTES_PER_MOVE = 40, 8
"""What the columns of a discovery take beside the arena itself."""


class Enumerated:
    """A shielded arena as the kernels read it."""

    def __init__(self, arena: ShieldedArena) -> None:
        """Lay the arrays out; 8 bytes a move and 36 a position."""
        self._arena, self.initial, self.n_states = arena, arena.initial, arena.n_states
        self.width = _width(arena.configuration.game)
        row = arena.state.astype(np.int32) * self.width
        row[arena.mover == 1] += len(arena.configuration.game.actions[Player.DEFENDER])
        reward = arena.reward[arena.state]
        # Copies, since to a compiled kernel an array that is read-only is of another type.
        self.view = LearnerView(
            first=arena.first.copy(),
            reset=arena.reset.copy(),
            mu=arena.mu[arena.state],
            gain=np.where(arena.mover == 0, -reward, reward),
            entry=np.repeat(row, np.diff(arena.first)) + arena.action,
            successor=arena.successor.copy(),
        )

    def arena(self) -> ShieldedArena:
        """The arena itself."""
        return self._arena

    def resolve(self, v: int, number: int) -> None:
        """Refuse: only an arena that was discovered and then left unfinished has unknown successors."""
        raise LimitError(
            f"no play has made move {self._arena.action[number]} at "
            f"{self._arena.configuration.describe(self._arena.position(v))} yet, so what follows is unknown; "
            "give the solution instead of the arena"
        )


class Discovery:
    """The part of the shielded arena that play has visited, as the kernels read it."""

    initial = 0

    def __init__(self, solution: Solution, budget: Budget, n_tables: int) -> None:
        """Start with v₀ alone; ``n_tables`` are held at once, and count towards the memory."""
        self._game = solution.configuration.game
        self.width = _width(self._game)
        self._memory, self._n_tables = budget.memory, n_tables
        self._visited = Expansion(solution, Resets(solution))
        self._mu, self._gain, self._entry = np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int32)
        self._n_filled = 0
        self._levels: list[tuple[float, float]] = []
        self._fill()

    @property
    def n_states(self) -> int:
        """How many states have been visited."""
        return len(self._visited.states)

    @property
    def view(self) -> LearnerView:
        """What the kernels read, as far as it is known."""
        visited = self._visited
        return LearnerView(visited.first, visited.reset, self._mu, self._gain, self._entry, visited.successor)

    def arena(self) -> ShieldedArena:
        """What has been visited, numbered in order of discovery; −1 is the successor of a move never made."""
        return self._visited.arena()

    def resolve(self, v: int, number: int) -> None:
        """Fill in the successor of move ``number``, made at position v.

        Raises:
            LimitError: past the memory, saying how far play came.
        """
        self._visited.resolve(v, number)
        self._fill()

    def _fill(self) -> None:
        """μ, reward and places in the table for the positions that are new."""
        visited, n = self._visited, len(self._visited.positions)
        if n == self._n_filled:
            return
        self._check_size(n)
        self._mu, self._gain = grown(self._mu, n), grown(self._gain, n)
        self._entry = grown(self._entry, visited.n_moves)
        for v in range(self._n_filled, n):
            position, moves = visited.positions[v], slice(visited.first[v], visited.first[v + 1])
            state, defends = visited.states[position.state], position.turn is Player.DEFENDER
            if state == len(self._levels):  # states are numbered as they come
                mu = self._game.mu(position.state)
                self._levels.append((float(mu), float(2 * mu - 1)))
            self._mu[v], reward = self._levels[state]
            self._gain[v] = -reward if defends else reward
            skipped = 0 if defends else len(self._game.actions[Player.DEFENDER])
            self._entry[moves] = visited.action[moves] + state * self.width + skipped
        self._n_filled = n

    def _check_size(self, n_positions: int) -> None:
        columns = n_positions * BYTES_PER_POSITION + self._visited.n_moves * BYTES_PER_MOVE
        tables = self.n_states * self._n_tables * self.width * 8
        if self._visited.n_bytes + columns + tables > self._memory:
            raise LimitError(
                f"play has visited {n_positions:,} positions and {self.n_states:,} states, and what is "
                f"kept of them has reached the limit of {size_in_words(self._memory)}: train for fewer "
                "episodes, or allow more memory"
            )


Ground = Enumerated | Discovery


def ground_of(where: Solution | ShieldedArena, n_tables: int, budget: Budget = UNLIMITED) -> Ground:
    """The arena enumerated if that is possible, otherwise one to be discovered.

    Raises:
        InputError, ModelError: as :func:`~holdfast.arena.shielded_arena`.
        LimitError: when ``n_tables`` tables would not fit in the memory.
    """
    if isinstance(where, ShieldedArena):
        arena = where
    else:
        require_defensible(where)
        if not is_listable(where):
            return Discovery(where, budget, n_tables)
        arena = shielded_arena(where, budget)
    need = table_bytes(arena, n_tables)
    if need > budget.memory:
        raise LimitError(
            f"{n_tables} tables of {arena.n_states:,} states would take {need / 2**20:,.0f} MiB; the limit "
            f"is {budget.memory / 2**20:,.0f} MiB: run fewer seeds, or train with tables=False"
        )
    return Enumerated(arena)


def table_bytes(arena: ShieldedArena, n_tables: int = 1) -> int:
    """What ``n_tables`` tables over an arena take, and the kernels' view of it."""
    width = _width(arena.configuration.game)
    return arena.n_moves * 12 + arena.n_positions * 44 + n_tables * arena.n_states * width * 8


def _width(game: GameStructure) -> int:
    """|Act_D| + |Act_A|."""
    return sum(len(game.actions[player]) for player in Player)
