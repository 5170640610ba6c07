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

from holdfast.arena import (
    ALL_MOVES,
    LEGAL,
    NO_MOVE,
    NONE,
    Chances,
    LazyArena,
    MergedArena,
    PlayRules,
    ShieldedArena,
    bellman_operator,
    choice_arena,
    spans_of,
)
from holdfast.arrays import Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.env.constructors import HORIZON, book_of, player_of
from holdfast.env.many_games import MASKS, Terms, require_playable
from holdfast.env.observations import encoding
from holdfast.env.opponents import Chooser, FixedPolicy, chooser
from holdfast.game import Configuration, reset_chance
from holdfast.logic import Player
from holdfast.operation import OperatingPoint, episode_value, operating_point
from holdfast.solver import TURNS, Solution

CHUNK = 1 << 14
REMEDY = "allow more memory, or simulate episodes instead"


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
    arena, n_positions, n_forbidden = _responses(book, terms, player, choose, budget)
    chances = Chances(reset_chance(terms.protocol, book.configuration.game), 0.0)
    with bellman_operator(arena, chances, budget.part("evaluating the policy")) as bellman:
        value, _ = episode_value(bellman, arena.initial, horizon)
    point = None
    if exact and book.solution.defensible:
        point = operating_point(book.solution, terms.protocol, budget=budget)
    violable = n_positions < arena.n_positions - 1
    return Evaluation(player, value, point, horizon, n_positions, n_forbidden, violable)


def _responses(
    book: PlayRules, terms: Terms, role: Player, choose: Chooser, budget: Budget
) -> tuple[MergedArena, int, int]:
    """All that can happen when one side follows a policy.

    Returns:
        Play as the operator reads it; how many of its positions are outside U; at how many the policy chooses
        what the mask forbids. A game that is over goes on for ever: in U every move is worth 0, and at one
        position more, where forfeited games are, 0 or 1.
    """
    kind, resets = MASKS[terms.mask], reset_chance(terms.protocol, book.configuration.game) > 0
    mask = LEGAL if kind == NONE else kind
    lazy = LazyArena(book.solution, budget, resets=resets, mask=mask, remedy=REMEDY)
    choices, done, n_outcomes = [np.zeros(0, np.int64)], 0, book.n_outcomes[TURNS.index(role)]
    while done < lazy.n_positions:
        rows, menu = lazy.menus(done, min(done + CHUNK, lazy.n_positions))
        budget.tick(f"listing what the policy allows: {lazy.n_positions:,} positions")
        chosen = np.full(len(rows.turn), ALL_MOVES)
        mine = np.flatnonzero((rows.turn == TURNS.index(role)) & menu.any(axis=1))
        if len(mine):
            menu, offered = menu[mine], menu[mine]
            if kind == NONE:
                offered = np.zeros_like(menu)
                offered[:, : len(book.configuration.game.actions[role])] = 1
            actions = choose(rows.at(mine), offered)
            each, actions = np.arange(len(mine)), np.clip(actions, 0, menu.shape[1] - 1)
            rows_of_each = menu * n_outcomes  # a move for each outcome of a choice
            place = lazy.view.first[done + mine] + rows_of_each.cumsum(axis=1)[each, actions]
            place -= n_outcomes[actions]
            chosen[mine] = np.where(menu[each, actions], place, NO_MOVE)
        choices.append(chosen)
        lazy.resolve_rows(done, chosen)
        done += len(chosen)
    arena, chosen = lazy.arena(), np.concatenate(choices)
    over, violated = arena.n_positions, arena.block < 0
    arena, chosen = _by_choice(arena, chosen, budget)
    source = np.repeat(np.arange(over), np.diff(arena.first))
    made = (chosen[source] == ALL_MOVES) | (chosen[source] == np.arange(arena.n_moves))
    source, targets = source[made], arena.successor[made]
    still = np.flatnonzero(np.bincount(source, minlength=over + 1) == 0)
    source = np.append(source, still)
    targets = np.append(targets, np.where(np.append(chosen, NO_MOVE)[still] == NO_MOVE, over, still))
    mover = np.full(over + 1, TURNS.index(role.opponent), dtype=np.int8)  # the policy has no choice
    reset_from = np.flatnonzero(arena.reset >= 0)
    merged = MergedArena(
        first=np.append(0, np.cumsum(np.bincount(source))),
        successor=targets[np.argsort(source, kind="stable")].astype(np.int32),
        times=np.ones(len(targets), dtype=np.int32),
        mover=mover,
        gain=np.append(np.where(violated, 0.0, arena.mu[arena.state]), float(role is Player.ADVERSARY)),
        reset_from=reset_from.astype(np.int32),
        reset_to=arena.reset[reset_from],
        spans=spans_of(mover),
        initial=arena.initial,
    )
    if arena.draws is not None:
        merged = merged._replace(draw_to=arena.draws.target, draw_share=arena.draws.share)
    return merged, over - int(violated.sum()), int((chosen == NO_MOVE).sum())


def _by_choice(arena: ShieldedArena, chosen: Int64s, budget: Budget) -> tuple[ShieldedArena, Int64s]:
    """The arena with a move for each choice, draws numbered after one position more; those chosen there."""
    by_choice = choice_arena(arena, budget, first_draw=arena.n_positions + 1)
    if by_choice is arena:
        return arena, chosen
    v, width = np.flatnonzero(chosen >= 0), arena.width
    keys = np.repeat(np.arange(arena.n_positions), np.diff(by_choice.first)) * width + by_choice.action
    found = chosen.copy()
    found[v] = np.searchsorted(keys, v * width + arena.action[chosen[v]])
    return by_choice, found
