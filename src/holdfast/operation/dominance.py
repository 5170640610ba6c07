"""DDR* by backward induction, and how far two fixed policies are from it; see :mod:`holdfast.operation`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.arena import (
    BOTH,
    Chances,
    MergedArena,
    Share,
    ShieldedArena,
    Vectors,
    check_size,
    crew,
    fresh_vectors,
    merged_arena,
    next_side,
    places,
    resting,
    swept,
)
from holdfast.arrays import Floats, Int32s
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.game import Protocol, reset_chance

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
    >>> found = exact_dominance(arena)
    >>> round(found.value, 4), round(found.tremble, 4)
    (0.7139, 0.6985)

    Raises:
        InputError: for a protocol that does not fit the game.
        LimitError: past the memory, with the size it would have needed; or for an unfinished arena.
    """
    protocol = protocol or Protocol()
    epsilon = protocol.epsilon_min if epsilon is None else epsilon
    merged, p = episode_arena(arena, protocol, budget)
    trembling = checked(Chances(p, epsilon))
    initial, steps = arena.initial, protocol.steps
    with crew(arena.n_positions, budget) as share:
        value, after = episode_value(merged, initial, Chances(p, 0.0), steps, share)
        tremble = episode_value(merged, initial, trembling, steps, share)[0] if epsilon else value
    moves = slice(arena.first[initial], arena.first[initial + 1])
    worth = dict(zip(arena.safe(initial), after[arena.successor[moves]].tolist(), strict=True))
    choose = min if arena.mover[arena.initial] else max
    opening = choose(worth, key=worth.__getitem__) if worth else None
    return ExactDominance(
        value, tremble, epsilon, protocol.steps, p, opening, arena.n_positions, len(merged.successor)
    )


def optimal_actions(
    arena: ShieldedArena,
    protocol: Protocol | None = None,
    *,
    epsilon: float = 0.0,
    budget: Budget = UNLIMITED,
) -> Int32s:
    """Perfect play of the episode: row t is each position's action at move t + 1; shape (T, n_positions).

    The least of equally good actions; −1 where the adversary is out of moves.

    Raises:
        InputError, LimitError: as :func:`exact_dominance`; the table of actions counts.
    """
    from holdfast.arena import sweep_loops as kernels

    protocol = protocol or Protocol()
    check_size(arena, budget, more=4 * protocol.steps * arena.n_positions)
    merged, p = episode_arena(arena, protocol, budget)
    rule = checked(Chances(p, epsilon))
    actions = np.empty((protocol.steps, arena.n_positions), np.int32)
    vectors = fresh_vectors(merged, both=True)
    with crew(arena.n_positions, budget) as share:
        for row in reversed(actions):
            kernels.best_actions((arena.first, arena.action, arena.successor), arena.mover, vectors[0], row)
            vectors = swept(merged, rule, vectors, BOTH, 1, share)
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
        :func:`~holdfast.operation.training.minimax_q.greedy_actions`
            gives them; or a row of them for each of the T moves. At a position at rest anything may stand.
        epsilon: chance with which every move of either player is drawn uniformly from Safe(v) instead.

    Raises:
        InputError: for actions that are not safe or do not fit the arena; and as :func:`exact_dominance`.
        LimitError: as :func:`exact_dominance`.
    """
    protocol = protocol or Protocol()
    rows = _rows(arena, actions, protocol, budget)
    merged, p = episode_arena(arena, protocol, budget)
    rule = checked(Chances(p, epsilon))
    defender, adversary = _policies(arena, merged, rows)
    both = [np.maximum(one, other) for one, other in zip(defender, adversary, strict=True)]

    with crew(arena.n_positions, budget) as share:
        found = [
            episode_value(merged, arena.initial, rule, protocol.steps, share, policies)[0]
            for policies in (defender, adversary, both, None)
        ]
    return Exploitability(found[0], found[1], found[2], found[3], epsilon, protocol.steps)


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
    protocol = protocol or Protocol()
    merged, p = episode_arena(arena, protocol, budget)
    rule = Chances(p, 0.0)
    guaranteed, conceded = [], []
    with crew(arena.n_positions, budget) as share:

        def worth(fixed: list[Int32s] | None) -> float:
            return episode_value(merged, arena.initial, rule, protocol.steps, share, fixed)[0]

        for actions in policies:
            defender, adversary = _policies(arena, merged, _rows(arena, actions, protocol, budget))
            guaranteed.append(worth(defender))
            conceded.append(worth(adversary))
        return Guarantees(tuple(guaranteed), tuple(conceded), worth(None))


def _rows(arena: ShieldedArena, actions: npt.ArrayLike, protocol: Protocol, budget: Budget) -> Int32s:
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


def _policies(arena: ShieldedArena, merged: MergedArena, rows: Int32s) -> tuple[list[Int32s], ...]:
    """The rows as policies of the defender alone and of the adversary alone."""
    return tuple([places(arena, merged, row, side) for row in rows] for side in (0, 1))


# -- shared with the other questions ----------------------------------------------------------------


def checked(rule: Chances) -> Chances:
    """Refuse a chance that is none."""
    if not 0 <= rule.epsilon <= 1:
        raise InputError(f"epsilon is {rule.epsilon}; expected a probability, from 0 to 1")
    return rule


def episode_arena(arena: ShieldedArena, protocol: Protocol, budget: Budget) -> tuple[MergedArena, float]:
    """The arena with its moves merged, on which μ counts; and p."""
    p = reset_chance(protocol, arena.configuration.game)
    return merged_arena(arena, resets=p > 0, budget=budget), p


def episode_value(
    merged: MergedArena,
    initial: int,
    rule: Chances,
    steps: int,
    share: Share,
    policies: list[Int32s] | None = None,
) -> tuple[float, Floats]:
    """(The mean of μ over an episode, W of where the first move leads).

    Turns alternate, so with k moves to go play is at a position of one known side and the other's need not be
    computed: half the work, and in place. A play that rests breaks the alternation: then both are swept.

    Args:
        policies: what the players do not choose: one policy, or one for each move.
    """
    vectors, side = first_vectors(merged, initial, steps)
    if policies is None or len(policies) == 1:
        vectors = swept(merged, rule, vectors, side, steps, share, policies[0] if policies else None)
    else:
        for policy in reversed(policies):
            vectors = swept(merged, rule, vectors, side, 1, share, policy)
            side = next_side(side)
    # The last sweep wrote the first vector, or the mover's own part of it: what it read is still there.
    return mean_of(merged, float(vectors[0][initial]), steps), vectors[1]


class Settled(NamedTuple):
    """What an episode comes to, and how it was still growing at the end.

    Attributes:
        value: the mean of μ over the episode.
        low, high: certified bounds of the long-run mean of μ at every position where v₀'s mover moves.
    """

    value: float
    low: float
    high: float


def settled_value(merged: MergedArena, initial: int, rule: Chances, steps: int, share: Share) -> Settled:
    """The mean of μ over an episode, not followed to its end where every position gains the same.

    What two more moves make of values is monotone, and commutes with adding a number to all of them. So if
    they have added at least a and at most b at every position where v₀'s mover moves, every further two moves
    add at least a and at most b. Once that leaves less open than rounding does, the middle is the value.
    """
    from holdfast.arena import sweep_loops as kernels

    vectors, side = first_vectors(merged, initial, steps)
    mover = side if side == BOTH else int(merged.mover[initial])
    done = steps % 2
    vectors = swept(merged, rule, vectors, side, done, share)
    side = next_side(side) if done else side
    total, low, high = 0.0, 0.0, 1.0
    while done < steps:
        n = min(SWEEPS_BETWEEN_CHECKS, steps - done)
        vectors = swept(merged, rule, vectors, side, n - 2, share)
        before = vectors[0].copy()
        vectors = swept(merged, rule, vectors, side, 2, share)
        done += n
        least, most = kernels.added(merged.mover, mover, before, vectors[0])
        margin = ROUNDED_OFF * (1 + float(np.abs(vectors[0]).max()))
        low, high = max(low, least / 2 - margin), min(high, most / 2 + margin)
        rest = (steps - done) // 2
        if rest * (most - least) <= NEGLIGIBLE * steps:
            total += rest * (least + most) / 2
            break
        # Values stay small, and so does what is rounded off them.
        total += float(vectors[0][initial])
        vectors[0][:] -= vectors[0][initial]
    return Settled(mean_of(merged, total + float(vectors[0][initial]), steps), low, high)


def mean_of(merged: MergedArena, total: float, steps: int) -> float:
    """A sum of μ as its mean by move; what the sum was rounded by does not take it past the μ that occur."""
    return min(max(total / steps, float(merged.gain.min())), float(merged.gain.max()))


def first_vectors(merged: MergedArena, initial: int, steps: int) -> tuple[Vectors, int]:
    """(Zeros, whose sweep comes first so that v₀'s mover has the last)."""
    both = resting(merged)
    side = BOTH if both else int(merged.mover[initial]) ^ (steps - 1) % 2
    return fresh_vectors(merged, both=both), side
