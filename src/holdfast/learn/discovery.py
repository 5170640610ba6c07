"""An arena that grows as play visits it, for games that cannot be enumerated.

The successor of a move is computed when the move is first made; until then it is −1, the sign on which a
kernel stops. Tables have a row for each state met so far. What is learned does not depend on the numbering,
so runs may share what earlier runs have discovered.

Memory is bounded: past it a :class:`~holdfast.errors.LimitError` says how far play came.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena
from holdfast.arena.expansion import Expansion, grown
from holdfast.budget import Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.learn.training_kernels import LearnerView
from holdfast.logic.expressions import Player
from holdfast.resets import Resets
from holdfast.solution import Solution

BYTES_PER_POSITION, BYTES_PER_MOVE = 40, 8
"""What the learners' columns take beside the arena itself."""


class Discovery:
    """The part of the shielded arena that play has visited, as the kernels read it.

    Attributes:
        configuration: whose arena it is.
        initial: the number of v₀, 0.
        width: |Act_D| + |Act_A|.
    """

    def __init__(self, solution: Solution, budget: Budget, n_tables: int) -> None:
        """Start with v₀ alone; ``n_tables`` are held at once, and count towards the memory."""
        self.configuration = solution.configuration
        actions = solution.configuration.game.actions
        self.initial, self.n_defender = 0, len(actions[Player.DEFENDER])
        self.width = self.n_defender + len(actions[Player.ADVERSARY])
        self._budget, self._n_tables = budget, n_tables
        self._visited = Expansion(solution, Resets(solution))
        self._mu, self._gain, self._entry = np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int32)
        self._n_filled = 0
        self._fill()

    @property
    def n_positions(self) -> int:
        """How many positions have been visited."""
        return len(self._visited.positions)

    @property
    def n_states(self) -> int:
        """How many states have been visited."""
        return len(self._visited.states)

    @property
    def view(self) -> LearnerView:
        """What the kernels read, as far as it is known."""
        visited = self._visited
        return LearnerView(visited.first, visited.reset, self._mu, self._gain, self._entry, visited.successor)

    def resolve(self, v: int, number: int) -> None:
        """Fill in the successor of move ``number``, made at position v."""
        self._visited.resolve(v, number)
        self._fill()

    def codes(self, start: int = 0) -> npt.NDArray[np.int32]:
        """The states met, from number ``start`` on, a row of codes each."""
        return self._visited.codes(start)

    def arena(self) -> ShieldedArena:
        """What has been visited, numbered in order of discovery; −1 is the successor of a move never made."""
        return self._visited.arena()

    def _fill(self) -> None:
        """μ, reward and places in the table for the positions that are new."""
        visited, game = self._visited, self.configuration.game
        self._check_size()
        self._mu, self._gain = grown(self._mu, self.n_positions), grown(self._gain, self.n_positions)
        self._entry = grown(self._entry, visited.n_moves)
        for v in range(self._n_filled, self.n_positions):
            position, moves = visited.positions[v], slice(visited.first[v], visited.first[v + 1])
            mu, defends = game.mu(position.state), position.turn is Player.DEFENDER
            self._mu[v], self._gain[v] = float(mu), float(1 - 2 * mu if defends else 2 * mu - 1)
            row = visited.states[position.state] * self.width + (0 if defends else self.n_defender)
            self._entry[moves] = visited.action[moves] + row
        self._n_filled = self.n_positions

    def _check_size(self) -> None:
        visited, memory = self._visited, self._budget.memory
        need = (
            visited.n_bytes
            + self.n_positions * BYTES_PER_POSITION
            + visited.n_moves * BYTES_PER_MOVE
            + self.n_states * self._n_tables * self.width * 8
        )
        if need > memory:
            raise LimitError(
                f"play has visited {self.n_positions:,} positions and {self.n_states:,} states, and what is "
                f"kept of them has reached the limit of {size_in_words(memory)}: train for fewer "
                "episodes, or allow more memory"
            )
