"""What a policy is worth against a perfect opponent, exactly: the yardstick that other environments do not
have.

One side follows a policy, the same at every move; the other answers perfectly. The positions that this can
come to are listed, and the mean of μ over an episode is found backwards, as DDR* is
(:mod:`holdfast.arena.bellman`), with one chooser instead of two. A violation is worth 0 for all moves left,
and so is an action that the mask forbids where the defender chose it (1 where the adversary did): what
:mod:`holdfast.env.many_games` plays is what is evaluated here, so that policies from unshielded training
have a value too.

A defender's policy keeps at most DDR*, an adversary's leaves at least DDR*; the distance is what perfect
play would gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.arena import (
    FORFEITED,
    LEGAL,
    NONE,
    POSSIBLE,
    VIOLATED,
    Chances,
    GameRows,
    MergedArena,
    PlayRules,
    PositionNumbers,
    bellman_operator,
    play_kernels as kernels,
    rows_of,
    spans_of,
)
from holdfast.arrays import Int64s
from holdfast.budget import UNLIMITED, Budget, size_in_words
from holdfast.env.constructors import HORIZON, book_of, player_of
from holdfast.env.many_games import MASKS, Terms, new_memo, require_playable
from holdfast.env.observations import encoding
from holdfast.env.opponents import Chooser, FixedPolicy, chooser
from holdfast.errors import LimitError
from holdfast.game import Configuration, reset_chance
from holdfast.logic import Player
from holdfast.operation import OperatingPoint, episode_value, operating_point
from holdfast.solver import TURNS, Solution

CHUNK = 1 << 14
BYTES_PER_MOVE = 24


@dataclass(frozen=True)
class Evaluation:
    """What a policy is worth over an episode.

    Attributes:
        role: who follows the policy.
        value: the mean of μ when the other side answers perfectly; what a defender's policy guarantees, or
            an adversary's concedes.
        point: DDR*, for play inside the shield; None where it was not asked for or there is no shield.
        horizon: moves of the episode.
        n_positions: how many positions such play can come to.
        n_forbidden: at how many of them the policy chooses what the mask forbids.
        violable: whether such play can violate the requirement.
    """

    role: Player
    value: float
    point: OperatingPoint | None
    horizon: int
    n_positions: int
    n_forbidden: int
    violable: bool

    @property
    def gap(self) -> tuple[float, float] | None:
        """Bounds of the distance from DDR*; equal where DDR* is exact."""
        if self.point is None:
            return None
        sign = 1 if self.role is Player.DEFENDER else -1
        ends = sign * (self.point.low - self.value), sign * (self.point.high - self.value)
        return min(ends), max(ends)


def evaluate(
    configuration: Configuration | Solution,
    policy: FixedPolicy,
    *,
    role: str = "defender",
    mask: str = "shield",
    observe: str = "position",
    horizon: int = HORIZON,
    reset: float | None = None,
    exact: bool = True,
    budget: Budget = UNLIMITED,
) -> Evaluation:
    """The exact worth of a policy that is the same at every move, and DDR* beside it.

    Args:
        policy: a function of observations and masks, a row for each position, that returns an action for
            each; the policies of a training; or a mapping from positions, or from states, to actions.
        exact: whether to solve DDR* as well.
        configuration, role, mask, observe, horizon, reset, budget: as for :func:`holdfast.env.gym`.

    >>> import holdfast as hf
    >>> pair = hf.configure(hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW"), ["G (DB != Z)"])
    >>> found = evaluate(pair, lambda seen, masks: masks.argmax(axis=1))
    >>> round(found.value, 4), round(found.point.value, 4), found.n_forbidden, found.violable
    (0.0005, 0.7139, 0, False)

    Raises:
        InputError: for a policy that does not fit.
        LimitError: where the play has too many positions; :func:`~holdfast.env.simulate` knows no such limit.
    """
    book, terms, player = book_of(configuration, budget), Terms(mask, horizon, reset), player_of(role)
    require_playable(book, terms)
    choose = chooser(policy, player, book, encoding(book.configuration, observe))
    response = _Response(book, terms, player, choose, budget)
    value = response.value()
    point = None
    if exact and book.solution.defensible:
        point = operating_point(book.solution, terms.protocol, budget=budget)
    return Evaluation(
        player, value, point, horizon, response.n_positions, response.n_forbidden, response.violable
    )


class _Response:
    """All that can happen when one side follows a policy.

    The moves of position v are ``successor[first[v]:first[v + 1]]``; n stands for a violation, n + 1 for a
    forfeited game. ``reset`` is −1 where none can happen.
    """

    def __init__(self, book: PlayRules, terms: Terms, role: Player, choose: Chooser, budget: Budget) -> None:
        self._book, self._terms, self._role, self._choose, self._budget = book, terms, role, choose, budget
        self._p = reset_chance(terms.protocol, book.configuration.game)
        self._kind, self._memo, self._spare = MASKS[terms.mask], new_memo(book), rows_of(book, 2)
        self._positions = PositionNumbers(book)
        self.n_forbidden, self.violable = 0, False
        self._list()

    @property
    def n_positions(self) -> int:
        return len(self._positions)

    def value(self) -> float:
        """The mean of μ over the episode."""
        steps, budget = self._terms.horizon, self._budget.part("evaluating the policy")
        with bellman_operator(self._arena(), Chances(self._p, 0.0), budget) as bellman:
            return episode_value(bellman, 0, steps)[0]

    def _arena(self) -> MergedArena:
        """Play as the operator reads it: whoever answers chooses, and a game that is over goes on for ever.

        After a violation every move is worth 0; after a forfeit, 0 or 1.
        """
        n, answering = self.n_positions, TURNS.index(self._role.opponent)
        mover = np.full(n + 2, answering, dtype=np.int8)
        resets = np.flatnonzero(self.reset >= 0)
        return MergedArena(
            first=np.append(self.first, self.first[-1] + [1, 2]),
            successor=np.append(self.successor, [n, n + 1]).astype(np.int32),
            times=np.ones(len(self.successor) + 2, dtype=np.int32),
            mover=mover,
            gain=np.append(self.mu, [0.0, float(self._role is Player.ADVERSARY)]),
            reset_from=resets.astype(np.int32),
            reset_to=self.reset[resets].astype(np.int32),
            spans=spans_of(mover),
            initial=0,
        )

    # -- listing ------------------------------------------------------------------------------------

    def _list(self) -> None:
        """Follow play from v₀, breadth first."""
        codes, automata, turn = self._book.initial
        self._positions.numbers(GameRows(codes[None], automata[None], np.array([turn], dtype=np.int8)))
        first, successor, reset, mu = [np.zeros(1, dtype=np.int64)], [], [], []
        done = 0
        while done < self.n_positions:
            part = self._positions.rows(done, min(done + CHUNK, self.n_positions))
            done += len(part.turn)
            count, targets = self._moves(part)
            first.append(count)
            successor.append(targets)
            reset.append(self._resets(part))
            level = np.empty(len(part.turn), dtype=np.int32)
            kernels.levels(self._book.rules, part.codes, level)
            mu.append(self._book.mu[level])
            self._check_size(sum(map(len, successor)))
        self.first = np.cumsum(np.concatenate(first))
        listed = np.concatenate(successor)
        self.successor = np.where(listed < 0, self.n_positions - listed - 1, listed)
        self.reset, self.mu = np.concatenate(reset), np.concatenate(mu)

    def _moves(self, table: GameRows) -> tuple[Int64s, Int64s]:
        """How many moves each position has, and where all of them lead: −1 a violation, −2 a forfeit."""
        n, rules = len(table.turn), self._book.rules
        everywhere = np.ones(n, dtype=np.int8)
        mask, counts = np.zeros((n, self._book.n_actions), dtype=np.int8), np.zeros(n, dtype=np.int32)
        legal = LEGAL if self._kind == NONE else self._kind
        kernels.masks(rules, table, everywhere, legal, self._memo, self._spare, mask, counts)
        resting = counts == 0
        own = (table.turn == TURNS.index(self._role)) & ~resting
        offered = mask
        if self._kind == NONE and own.any():
            width = rules[rules[kernels.N_ACTIONS] + TURNS.index(self._role)]
            offered = np.broadcast_to((np.arange(mask.shape[1]) < width).astype(np.int8), mask.shape)
        chosen = mask.astype(np.bool_)
        if own.any():
            actions = self._choose(_chosen(table, own), offered[own])
            chosen[own] = False
            chosen[np.flatnonzero(own), np.clip(actions, 0, mask.shape[1] - 1)] = True
        chosen[resting, 0] = True
        row, action = np.nonzero(chosen)
        games = GameRows(table.codes[row], table.automata[row], table.turn[row])
        outcome = np.zeros(len(row), dtype=np.int8)
        kernels.advance(
            rules, games, np.ones(len(row), dtype=np.int8), action.astype(np.int32), mask[row],
            resting[row].view(np.int8), self._spare, outcome,
        )  # fmt: skip
        violated, forfeited = outcome == VIOLATED, outcome == FORFEITED
        self.n_forbidden += int(forfeited.sum())
        self.violable |= bool(violated.any())
        targets = np.where(violated, -1, -2).astype(np.int64)
        going = ~(violated | forfeited)
        targets[going] = self._positions.numbers(_chosen(games, going))
        return chosen.sum(axis=1).astype(np.int64), targets

    def _resets(self, table: GameRows) -> Int64s:
        """Where resets lead; −1 where none can happen."""
        n = len(table.turn)
        targets = np.full(n, -1, dtype=np.int64)
        if self._p == 0:
            return targets
        after = GameRows(np.empty_like(table.codes), np.empty_like(table.automata), table.turn)
        chance = np.zeros(n, dtype=np.int8)
        kernels.restart(self._book.rules, table, np.ones(n, dtype=np.int8), after, chance)
        can = chance == POSSIBLE
        targets[can] = self._positions.numbers(_chosen(after, can))
        return targets

    def _check_size(self, n_moves: int) -> None:
        self._budget.tick(f"listing what the policy allows: {self.n_positions:,} positions")
        need = self._positions.n_bytes + n_moves * BYTES_PER_MOVE
        if need > self._budget.memory:
            raise LimitError(
                f"play against the policy has at least {self.n_positions:,} positions, which take "
                f"{size_in_words(need)}; the limit is {size_in_words(self._budget.memory)}: allow more, or "
                "simulate episodes instead"
            )


def _chosen(games: GameRows, mask: npt.NDArray[np.bool_]) -> GameRows:
    return GameRows(games.codes[mask], games.automata[mask], games.turn[mask])
