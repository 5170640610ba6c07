"""Safe play of a game with counters, listed one position after the other, for the operating point.

Counters are a quotient already: positions that differ in which of the alike things have which value are one.
A move stands for as many as there are things that it may be made on, which a player who errs has to know; all
that are left are few enough to be listed by the moves themselves.
"""

from __future__ import annotations

from array import array

import numpy as np

from holdfast.arena.bellman import MergedArena, spans_of
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Position, State, weight_of
from holdfast.logic import Player
from holdfast.solver import TURNS, Blocks, Resets, Solution, Stepper, is_winning

MAX_COUNTED = 200_000
"""Positions that are listed; more would take minutes."""

CountedKey = tuple[State, Player, int | None]
"""A state, whose turn it is, and the block."""


def counted_arena(solution: Solution, budget: Budget = UNLIMITED, *, resets: bool) -> MergedArena:
    """The positions of safe play with their distinct successors, and how many actions lead to each.

    Raises:
        LimitError: past :data:`MAX_COUNTED` positions, or past the budget.
        ModelError: for a reset that is refused.
    """
    configuration = solution.configuration
    game, blocks, stepper = configuration.game, Blocks.of(configuration), Stepper(configuration)
    leading = Resets(solution) if resets and game.reset is not None else None
    numbers: dict[CountedKey, int] = {}
    positions: list[Position] = []

    def number(position: Position) -> int:
        key = position.state, position.turn, blocks.number(position)
        known = numbers.setdefault(key, len(positions))
        if known == len(positions):
            if known >= MAX_COUNTED:
                raise LimitError(f"safe play has more than {MAX_COUNTED:,} positions, too many to list")
            positions.append(position)
        return known

    number(configuration.initial)
    rows: list[dict[int, int]] = []
    reset = array("i")
    for v, position in enumerate(positions):  # which grows
        if v % 64 == 0:
            budget.tick(f"listing safe play: {v:,} of {len(positions):,} positions")
        row: dict[int, int] = {}
        for target, actions in stepper.outcomes(position).items():
            own = game.actions[position.turn]
            weight = sum(weight_of(game, own[action], position.state) for action in actions)
            if weight and is_winning(solution, target):
                after = number(target)
                row[after] = row.get(after, 0) + weight
        rows.append(row or {v: 1})
        again = None if leading is None else leading.target(position)
        reset.append(-1 if again is None else number(again))
    return _laid_out(solution, positions, rows, np.array(reset, np.int32))


def _laid_out(
    solution: Solution, positions: list[Position], rows: list[dict[int, int]], reset: np.ndarray
) -> MergedArena:
    """The list in the order of arenas: the defender's positions first."""
    mover = np.array([TURNS.index(position.turn) for position in positions], np.int8)
    order = np.argsort(mover, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    sizes = np.array([len(rows[v]) for v in order])
    game = solution.configuration.game
    mu = {state: float(game.mu(state)) for state in {position.state for position in positions}}
    listed = [(int(place[target]), times) for v in order for target, times in rows[v].items()]
    again = np.append(place, -1)[reset[order]]
    reset_from = np.flatnonzero(again >= 0).astype(np.int32)
    return MergedArena(
        first=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        successor=np.array([target for target, _ in listed], np.int32),
        times=np.array([times for _, times in listed], np.int32),
        mover=mover[order],
        gain=np.array([mu[positions[v].state] for v in order]),
        reset_from=reset_from,
        reset_to=again[reset_from].astype(np.int32),
        spans=spans_of(mover[order]),
        initial=int(place[0]),
    )
