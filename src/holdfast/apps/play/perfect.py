"""The N-move game solved: what each permitted move is worth, with any number of moves to go.

This is the backward induction of :mod:`holdfast.arena.bellman` over an episode of N moves, with all values
kept: W_k(v), what the last k moves add up to when the reset of the first of them is still open. Where
positions cannot be listed, value diagrams give certified bounds of them
(:mod:`holdfast.operation.brackets.value_plays`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena, choice_arena, stages
from holdfast.budget import UNLIMITED, Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import Position, Protocol
from holdfast.logic import Player
from holdfast.operation import ValuePlay, episode_operator, promised, value_play
from holdfast.solver import Solution

PART_OF_MEMORY = 8
"""The values may take this part of the memory: someone is waiting for the first move."""

SECONDS_OF_LEVELS = 240.0
"""So long value diagrams are given, at most."""


@dataclass(frozen=True)
class Perfect:
    """Perfect play of both sides.

    Attributes:
        arena: where it is defined.
        values: row k is W_k, of the positions and then of what is drawn.
    """

    arena: ShieldedArena
    values: npt.NDArray[np.float64] = field(repr=False)

    @property
    def mean(self) -> float:
        """The mean of μ over the N moves from v₀ when both play perfectly."""
        n_moves = len(self.values) - 1
        return float(self.values[n_moves, self.arena.initial]) / n_moves


Knowledge = Perfect | ValuePlay
"""What is known of perfect play: all of it, or bounds."""


def mean_in_words(known: Knowledge) -> str:
    """The mean of μ over the N moves from v₀ between perfect players, as the end of a sentence about it."""
    if isinstance(known, Perfect):
        return f"is {known.mean:.4f}"
    if known.is_closed:
        return f"is {sum(known.mean) / 2:.4f}"
    return f"lies between {known.mean.low:.4f} and {known.mean.high:.4f}"


def perfect_play(arena: ShieldedArena, n_moves: int, budget: Budget = UNLIMITED) -> Perfect:
    """Solve the game of N moves, resets included.

    Raises:
        LimitError: when the values would take more than their part of the memory.
    """
    need, limit = 8 * (n_moves + 1) * arena.n_positions, budget.memory // PART_OF_MEMORY
    if need > limit:
        raise LimitError(
            f"the values of {arena.n_positions:,} positions over {n_moves:,} moves take "
            f"{size_in_words(need)}; at most {size_in_words(limit)} are kept"
        )
    arena = choice_arena(arena, budget)
    with episode_operator(arena, Protocol(steps=n_moves), budget) as bellman:
        values = np.empty((n_moves + 1, bellman.arena.n_values))
        for row, now in zip(values, stages(bellman, n_moves), strict=True):
            row[:] = now
    values.setflags(write=False)
    return Perfect(arena, values)


def bounded_play(solution: Solution, n_moves: int, budget: Budget = UNLIMITED) -> ValuePlay | None:
    """The game of N moves by value diagrams; None where they do not come to bounds of both sides in time.

    Raises:
        ModelError: for a reset that is refused.
    """
    share = budget.share(1.0, at_most=SECONDS_OF_LEVELS)
    try:
        return value_play(solution, Protocol(steps=n_moves), share)
    except LimitError:
        return None


def worth(perfect: Knowledge, position: Position, to_go: int) -> dict[int, float] | None:
    """For each safe action, the mean of μ over the moves to go if it is chosen and play is then perfect.

    By value diagrams, what its mover can then be sure of. None for a position that shielded play does not
    reach, or of which value diagrams say nothing.
    """
    if isinstance(perfect, ValuePlay):
        return promised(perfect, position, to_go) or None
    arena = perfect.arena
    v = arena.number(position)
    if v is None:
        return None
    moves = slice(arena.first[v], arena.first[v + 1])
    now = arena.mu[arena.state[v]]
    later = perfect.values[to_go - 1][arena.successor[moves]]
    return dict(zip(arena.action[moves].tolist(), ((now + later) / to_go).tolist(), strict=True))


def best(values: dict[int, float], player: Player) -> int:
    """The least of the best actions: of highest worth for the defender, of lowest for the adversary."""
    choose = max if player is Player.DEFENDER else min
    return choose(values, key=values.__getitem__)
