"""DDR* by backward induction, and how far two fixed policies are from it; see :mod:`holdfast.operation`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.arena import (
    BOTH,
    BellmanOperator,
    Chances,
    Floats,
    MergedArena,
    Numbers,
    ShieldedArena,
    backward,
    bellman_operator,
    check_size,
    choice_arena,
    final_stage_of_play,
    merged_arena,
    places,
    stages,
)
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.game import Interval, Protocol, reset_chance

EVEN = 1e-4
"""Gaps that differ by no more, in the last digit that is usually shown, are called equal."""

SWEEPS_BETWEEN_CHECKS, NEGLIGIBLE = 64, 1e-13
"""How often it is asked whether all positions gain the same, and what may be left open of a mean of μ."""

ROUNDED_OFF = 16 * float(np.finfo(float).eps)
"""More than what two moves round off, of the largest value."""


@dataclass(frozen=True)
class ExactDominance:
    """DDR*.

    Attributes:
        value: the mean of μ over an episode when both players play perfectly.
        tremble: the same when each move is, with probability ``epsilon``, drawn uniformly from Safe(v).
        epsilon: that probability.
        steps: T, moves of the episode.
        reset_probability: p.
        opening: the first action of perfect play at v₀ (the least of those that are equally good); None
            where the adversary is out of moves.
        n_positions: how many positions were solved.
        n_moves: how many distinct moves they have.
    """

    value: float
    tremble: float
    epsilon: float
    steps: int
    reset_probability: float
    opening: int | None
    n_positions: int
    n_moves: int


def exact_dominance(
    arena: ShieldedArena,
    protocol: Protocol | None = None,
    *,
    epsilon: float | None = None,
    budget: Budget = UNLIMITED,
) -> ExactDominance:
    """DDR* of an arena enumerated to the end: O(T·m) time for m distinct moves, one or two vectors.

    T and p are those of the protocol, the paper's by default; ``epsilon`` of the trembling version is its
    least exploration by default. The memory of the budget is what may be held beside the arena.

    >>> from holdfast.arena import shielded_arena
    >>> from holdfast.solver import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> arena = shielded_arena(solve(configure(game, ["G (DB != Z)"])))
    >>> dominance = exact_dominance(arena)
    >>> round(dominance.value, 4), round(dominance.tremble, 4)
    (0.7139, 0.6985)

    Raises:
        InputError: for a protocol that does not fit the game.
        LimitError: past the memory, with the size it would have needed; or for an unfinished arena.
    """
    protocol, arena = protocol or Protocol(), choice_arena(arena, budget)
    epsilon = protocol.epsilon_min if epsilon is None else epsilon
    initial, steps = arena.initial, protocol.steps
    with episode_operator(arena, protocol, budget) as bellman:
        erring = trembling(bellman, epsilon)
        value, after = episode_value(bellman, initial, steps)
        tremble = episode_value(erring, initial, steps)[0] if epsilon else value
    moves = slice(arena.first[initial], arena.first[initial + 1])
    worth = dict(zip(arena.safe(initial), after[arena.successor[moves]].tolist(), strict=True))
    choose = min if arena.mover[arena.initial] else max
    opening = choose(worth, key=worth.__getitem__) if worth else None
    n_moves = len(bellman.arena.successor)
    return ExactDominance(
        value, tremble, epsilon, steps, bellman.chances.p, opening, arena.n_positions, n_moves
    )


def optimal_actions(
    arena: ShieldedArena,
    protocol: Protocol | None = None,
    *,
    epsilon: float = 0.0,
    budget: Budget = UNLIMITED,
) -> Numbers:
    """Perfect play of the episode: row t is each position's action at move t + 1; shape (T, n_positions).

    The least of equally good actions; −1 where the adversary is out of moves. A choice whose outcome is drawn
    goes by its first outcome.

    Raises:
        InputError, LimitError: as :func:`exact_dominance`; the table of actions counts.
    """
    from holdfast.arena import bellman_kernels as kernels

    protocol, arena = protocol or Protocol(), choice_arena(arena, budget)
    check_size(arena, budget, more=4 * protocol.steps * arena.n_positions)
    moves = arena.first, arena.action, arena.successor
    with episode_operator(arena, protocol, budget, epsilon) as bellman:
        actions = np.empty((protocol.steps, arena.n_positions), np.int32)
        for row, values in zip(reversed(actions), stages(bellman, protocol.steps - 1), strict=True):
            kernels.best_actions(moves, arena.mover, values, row)
    return actions


@dataclass(frozen=True)
class Exploitability:
    """What the policies of both players are worth over an episode, each against a perfect opponent.

    Attributes:
        guaranteed: mean of μ that the fixed defender keeps against the best admissible adversary.
        conceded: mean of μ that the fixed adversary leaves to the best defender.
        played: mean of μ when the two fixed policies meet.
        value: DDR*, both perfect; ``guaranteed`` ≤ ``value`` ≤ ``conceded``.
        epsilon: chance of a tremble in all four.
        steps: T.
    """

    guaranteed: float
    conceded: float
    played: float
    value: float
    epsilon: float
    steps: int

    @property
    def defender_gap(self) -> float:
        """What the defender's policy loses to a perfect adversary; never negative."""
        return self.value - self.guaranteed

    @property
    def adversary_gap(self) -> float:
        """What the adversary's policy leaves to a perfect defender; never negative."""
        return self.conceded - self.value

    @property
    def shortchanged(self) -> str:
        """See :func:`shortchanged`."""
        return shortchanged(self.defender_gap, self.adversary_gap)


def shortchanged(defender_gap: float, adversary_gap: float) -> str:
    """The side further from perfect play: "defender", "adversary", or "neither" if they are even."""
    if abs(defender_gap - adversary_gap) <= EVEN:
        return "neither"
    return "defender" if defender_gap > adversary_gap else "adversary"


def exploitability(
    arena: ShieldedArena,
    actions: npt.ArrayLike,
    protocol: Protocol | None = None,
    *,
    epsilon: float = 0.0,
    budget: Budget = UNLIMITED,
) -> Exploitability:
    """Best responses to the policies of both players over the episode of the protocol.

    Args:
        actions: of both players, one for each position, as
            :func:`~holdfast.operation.training.minimax_q.greedy_actions` gives them; or a row of them for
            each of the T moves. At a position at rest anything may stand.
        epsilon: chance with which every move of either player is drawn uniformly from Safe(v) instead.

    Raises:
        InputError: for actions that are not safe or do not fit the arena; and as :func:`exact_dominance`.
        LimitError: as :func:`exact_dominance`.
    """
    protocol, arena = protocol or Protocol(), choice_arena(arena, budget)
    rows = _rows(arena, actions, protocol, budget)
    with episode_operator(arena, protocol, budget, epsilon) as bellman:
        defender, adversary = _policies(arena, bellman.arena, rows)
        both = [np.maximum(one, other) for one, other in zip(defender, adversary, strict=True)]
        guaranteed, conceded, played, value = (
            episode_value(bellman, arena.initial, protocol.steps, policies)[0]
            for policies in (defender, adversary, both, ())
        )
    return Exploitability(guaranteed, conceded, played, value, epsilon, protocol.steps)


class Guarantees(NamedTuple):
    """What several policies are worth over an episode, each against a perfect opponent.

    Attributes:
        guaranteed, conceded: as of :class:`Exploitability`, one for each policy.
        value: DDR*, both perfect.
    """

    guaranteed: tuple[float, ...]
    conceded: tuple[float, ...]
    value: float


def guarantees(
    arena: ShieldedArena,
    policies: Iterable[npt.ArrayLike],
    protocol: Protocol | None = None,
    *,
    budget: Budget = UNLIMITED,
) -> Guarantees:
    """Best responses to several policies of both players: one arena and one DDR* for all of them.

    Args:
        policies: the actions of each, as for :func:`exploitability`, whose numbers these are.

    Raises:
        InputError, LimitError: as :func:`exploitability`.
    """
    protocol, arena = protocol or Protocol(), choice_arena(arena, budget)
    guaranteed, conceded = [], []
    with episode_operator(arena, protocol, budget) as bellman:

        def worth(fixed: Sequence[Numbers]) -> float:
            return episode_value(bellman, arena.initial, protocol.steps, fixed)[0]

        for actions in policies:
            defender, adversary = _policies(arena, bellman.arena, _rows(arena, actions, protocol, budget))
            guaranteed.append(worth(defender))
            conceded.append(worth(adversary))
        return Guarantees(tuple(guaranteed), tuple(conceded), worth(()))


def _rows(arena: ShieldedArena, actions: npt.ArrayLike, protocol: Protocol, budget: Budget) -> Numbers:
    """Actions as rows: one for all moves, or one for each; refused where they do not fit."""
    rows = np.asarray(actions)
    rows = rows[np.newaxis] if rows.ndim == 1 else rows
    if rows.ndim != 2 or len(rows) not in (1, protocol.steps):
        raise InputError(
            f"the actions have shape {np.shape(actions)}; expected one for each of {arena.n_positions:,} "
            f"positions, or {protocol.steps:,} rows of them, one for each move"
        )
    check_size(arena, budget, more=12 * rows.size)
    return rows


def _policies(arena: ShieldedArena, merged: MergedArena, rows: Numbers) -> tuple[list[Numbers], ...]:
    """The rows as policies of the defender alone and of the adversary alone."""
    return tuple([places(arena, merged, row, side) for row in rows] for side in (0, 1))


# -- shared with the other questions ----------------------------------------------------------------


@contextmanager
def episode_operator(
    arena: ShieldedArena, protocol: Protocol, budget: Budget, epsilon: float = 0.0
) -> Iterator[BellmanOperator]:
    """The Bellman operator of the episodes of a protocol, by choices.

    Raises:
        InputError: for a protocol that does not fit the game, or an ``epsilon`` that is no probability.
        LimitError: past the memory.
    """
    p = reset_chance(protocol, arena.configuration.game)
    merged = merged_arena(choice_arena(arena, budget), resets=p > 0, budget=budget)
    with bellman_operator(merged, Chances(p, 0.0), budget) as bellman:
        yield trembling(bellman, epsilon)


def trembling(bellman: BellmanOperator, epsilon: float) -> BellmanOperator:
    """The operator where each move is drawn uniformly from Safe(v) with so much probability."""
    if not 0 <= epsilon <= 1:
        raise InputError(f"epsilon is {epsilon}; expected a probability, from 0 to 1")
    return replace(bellman, chances=bellman.chances._replace(epsilon=epsilon))


def episode_value(
    bellman: BellmanOperator, initial: int, steps: int, policies: Sequence[Numbers] = ()
) -> tuple[float, Floats]:
    """(The mean of μ over an episode, W of where the first move leads).

    Args:
        policies: what the players do not choose, as for :func:`~holdfast.arena.bellman.backward`.
    """
    stage = backward(bellman, final_stage_of_play(bellman.arena, initial, steps), steps, policies)
    # Where one side is computed at a time, ``earlier`` is the same array: the other side's part of it stands.
    return mean_of(bellman.arena, float(stage.values[initial]), steps), stage.earlier


class Settled(NamedTuple):
    """What an episode comes to, and how it was still growing at the end.

    Attributes:
        value: the mean of μ over the episode.
        long_run: certified bounds of the long-run mean of μ at every position where v₀'s mover moves.
    """

    value: float
    long_run: Interval[float]


def settled_value(bellman: BellmanOperator, initial: int, steps: int) -> Settled:
    """The mean of μ over an episode, not followed to its end where every position gains the same.

    T² is monotone and commutes with adding a number to all values. So if two moves have added at least a and
    at most b at every position where v₀'s mover moves, every further two moves add at least a and at most b.
    Once that leaves less open than rounding does, the middle is the value.
    """
    from holdfast.arena import bellman_kernels as kernels

    arena, done = bellman.arena, steps % 2
    stage = final_stage_of_play(arena, initial, steps)
    mover = BOTH if stage.side == BOTH else int(arena.mover[initial])
    stage = backward(bellman, stage, done)
    total, long_run = 0.0, Interval(0.0, 1.0)
    while done < steps:
        n = min(SWEEPS_BETWEEN_CHECKS, steps - done)
        stage = backward(bellman, stage, n - 2)
        before = stage.values.copy()
        stage = backward(bellman, stage, 2)
        done += n
        least, most = kernels.added(arena.mover, mover, before, stage.values)
        margin = ROUNDED_OFF * (1 + float(np.abs(stage.values).max()))
        long_run = long_run.meet(Interval(least / 2 - margin, most / 2 + margin))
        rest = (steps - done) // 2
        if rest * (most - least) <= NEGLIGIBLE * steps:
            total += rest * (least + most) / 2
            break
        # Values stay small, and so does what is rounded off them.
        total += float(stage.values[initial])
        stage.values[:] -= stage.values[initial]
    return Settled(mean_of(arena, total + float(stage.values[initial]), steps), long_run)


def mean_of(arena: MergedArena, total: float, steps: int) -> float:
    """A sum of μ as its mean by move; what the sum was rounded by does not take it past the μ that occur."""
    return min(max(total / steps, float(arena.gain.min())), float(arena.gain.max()))
