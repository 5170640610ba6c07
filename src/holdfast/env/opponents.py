"""Who can sit on the other side: perfect play, learned tables, chance, a greedy attacker, or anything that
is called.

- *optimal*: the minimax play of the episode that DDR* is the value of (:mod:`holdfast.operation`), move by
  move. Where an unshielded defender has left W, the adversary follows decreasing rank to the violation, as if
  chance were on its side.
- *learned*: the greedy policy of tables that were trained by :func:`holdfast.train`.
- *random*: a uniform draw from the mask.
- *greedy*: the attacker that leaves the defender the fewest permitted replies and then the least dominance,
  one move ahead.
- a table: a mapping from positions, or from states, to actions;
- a function of (observations, masks), a row for each game that is to be moved, that returns an action for
  each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import GameRows, PlayRules, play_kernels as kernels, shielded_arena
from holdfast.arrays import Bools, Int32s
from holdfast.budget import UNLIMITED, Budget
from holdfast.env.many_games import Games, Terms, canonical
from holdfast.env.observations import OneHot
from holdfast.errors import InputError, LimitError, did_you_mean
from holdfast.logic import Player
from holdfast.operation import Policies, optimal_actions
from holdfast.solver import SolvedGame, is_listable, rank, safe_actions

Policy = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], npt.ArrayLike]
"""From observations and masks, a row for each game, to an action for each."""

MoveWriter = Callable[[Games, Bools, Int32s], None]
"""Writes the actions of the chosen games, in all of which the same side is to move and has a move."""

OPPONENTS = ("optimal", "random", "greedy")

FixedPolicy = Policy | Policies | Mapping[Any, int]
"""A policy that does not change during play: a function, what
:func:`~holdfast.operation.training.minimax_q.greedy_policies` gives, or a table
of actions by position or state."""

Opponent = str | FixedPolicy
"""A name of :data:`OPPONENTS`, or a policy."""

Chooser = Callable[[GameRows, npt.NDArray[np.int8]], npt.NDArray[Any]]
"""From games and their masks to an action for each."""


def mover(
    opponent: Opponent,
    role: Player,
    book: PlayRules,
    terms: Terms,
    encoding: OneHot,
    budget: Budget = UNLIMITED,
) -> MoveWriter:
    """How an opponent in a role moves.

    Raises:
        InputError: for an opponent that is not known, or not in this role.
        LimitError: where perfect play is too large to solve.
    """
    if isinstance(opponent, Policies | Mapping) or callable(opponent):
        return moving(chooser(opponent, role, book, encoding))
    if opponent == "random":
        return _random
    if opponent == "optimal":
        return _optimal(book, terms, budget)
    if opponent == "greedy" and role is Player.ADVERSARY:
        return _greedy
    if opponent == "greedy":
        raise InputError(
            "greedy is an attacker; against a defender, choose optimal, random or your own policy"
        )
    hint = did_you_mean(str(opponent), OPPONENTS)
    raise InputError(
        f"there is no opponent {opponent!r}; expected {', '.join(OPPONENTS)}, the policies of a training, or "
        f"a function of observations and masks{hint}"
    )


def chooser(policy: FixedPolicy, role: Player, book: PlayRules, encoding: OneHot) -> Chooser:
    """What a policy that is the same at every move chooses.

    Raises:
        InputError: for what is no such policy.
    """
    if isinstance(policy, Policies):
        return _learned(policy, role, book)
    if isinstance(policy, Mapping):
        return _listed(policy, book)
    if callable(policy):
        return _called(policy, encoding)
    raise InputError(
        f"{policy!r} is not a policy; expected a function of observations and masks, the policies of a "
        "training, or a mapping from positions or states to actions"
    )


def moving(choose: Chooser) -> MoveWriter:
    """A mover that plays what a chooser chooses."""

    def move(games: Games, chosen: Bools, out: Int32s) -> None:
        out[chosen] = choose(games.table.at(chosen), games.mask[chosen])

    return move


def _called(policy: Policy, encoding: OneHot) -> Chooser:
    def choose(table: GameRows, masks: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        actions, n = np.asarray(policy(encoding.observed(table), masks)), len(table.turn)
        if actions.shape != (n,) or actions.dtype.kind not in "iub":
            raise InputError(
                f"the policy was asked for an action in each of {n} games and returned {actions.dtype} of "
                f"shape {actions.shape}; expected one whole number for each row of the observations"
            )
        return actions

    return choose


def _learned(policies: Policies, role: Player, book: PlayRules) -> Chooser:
    """The first maximiser of Q(s, ·) over the mask."""
    listed = np.ascontiguousarray(policies.codes, dtype=np.int32)
    rows = {codes.tobytes(): n for n, codes in enumerate(listed)}
    game = book.configuration.game
    first = 0 if role is Player.DEFENDER else len(game.actions[Player.DEFENDER])
    n = len(game.actions[role])
    q = np.vstack([policies.table, np.full(policies.table.shape[1], policies.q_initial)])[
        :, first : first + n
    ]

    def choose(table: GameRows, masks: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        numbers = [rows.get(codes.tobytes(), len(rows)) for codes in np.ascontiguousarray(table.codes)]
        best: npt.NDArray[Any] = np.where(masks[:, :n], q[numbers], -np.inf).argmax(axis=1)
        return best

    return choose


def _listed(actions: Mapping[Any, int], book: PlayRules) -> Chooser:
    def choose(table: GameRows, masks: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        chosen = []
        for codes, automata, turn in zip(*table, strict=True):
            position = book.position(codes, automata, int(turn))
            action = actions.get(position, actions.get(position.state))
            if action is None:
                raise InputError(
                    f"the table has no action for {book.configuration.describe(position)}, which play comes "
                    "to; expected one for its position or for its state"
                )
            chosen.append(action)
        return np.array(chosen)

    return choose


def _random(games: Games, chosen: Bools, out: Int32s) -> None:
    kept = out.copy()
    kernels.drawn(games.mask, games.counts, games.rng.random(games.n), out)
    out[~chosen] = kept[~chosen]


def _greedy(games: Games, chosen: Bools, out: Int32s) -> None:
    book, spare = games.book, games.spare
    spare.turn[1] = 0
    alike = np.empty(book.n_readings, dtype=np.int8)
    flags = chosen.view(np.int8)
    kernels.greedy(book.rules, book.mu, book.upto, games.table, flags, games.mask, alike, spare, out)


def _optimal(book: PlayRules, terms: Terms, budget: Budget) -> MoveWriter:
    """Perfect play by move and position."""
    solution = book.solution
    if not solution.defensible:
        return _forcing(book)
    if not is_listable(solution) or book.weights is None:
        raise LimitError(
            "safe play is too large to be solved move by move, so there is no optimal opponent; play against "
            "greedy, random, learned policies or one of your own"
        )
    arena = shielded_arena(solution, budget)
    actions = optimal_actions(arena, terms.protocol, budget=budget)
    n_valuations = book.configuration.game.n_valuations
    weights = book.weights
    numbers = (arena.mover * np.int64(book.rules[kernels.N_BLOCKS]) + arena.block) * n_valuations
    numbers = numbers + arena.codes.astype(np.int64)[arena.state] @ weights
    outside = _forcing(book)

    def move(games: Games, chosen: Bools, out: Int32s) -> None:
        keys = canonical(book, games.table)
        place = np.minimum(np.searchsorted(numbers, keys), len(numbers) - 1)
        inside = numbers[place] == keys
        rows = np.flatnonzero(chosen & inside)
        out[rows] = actions[games.n_moves[rows], place[rows]]
        if not inside[chosen].all():
            outside(games, chosen & ~inside, out)

    return move


def _forcing(book: PlayRules) -> MoveWriter:
    """Outside W the adversary's quickest way to a violation, the defender's slowest; inside, a safe move."""
    solved = SolvedGame(book.solution)

    def move(games: Games, chosen: Bools, out: Int32s) -> None:
        for i in np.flatnonzero(chosen).tolist():
            action = _forced(solved, games, i)
            while not book.n_outcomes[games.table.turn[i], action]:  # the choice of which it is an outcome
                action -= 1
            out[i] = action

    return move


def _forced(solved: SolvedGame, games: Games, i: int) -> int:
    position = games.position(i)
    if rank(solved.solution, position) is None:
        safe = safe_actions(solved.solution, position)
        return safe[0] if safe else int(np.argmax(games.mask[i]))
    if position.turn is Player.ADVERSARY:
        return min(solved.options(position))
    slowest = max(solved.moves(position).items(), key=lambda item: solved.rank(item[0]) or 0)
    return slowest[1][0]
