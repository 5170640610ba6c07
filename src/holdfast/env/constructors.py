"""How environments are made of a configuration, a solution, or the scenario in a file or in the library."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.arena import PlayRules, play_rules
from holdfast.budget import UNLIMITED, Budget
from holdfast.env.extras import require
from holdfast.env.lookout import Lookout, lookout
from holdfast.env.many_games import Games, Terms, require_playable
from holdfast.env.observations import SENSORS, OneHot, encoding
from holdfast.env.opponents import Opponent, mover
from holdfast.errors import InputError, did_you_mean, expect
from holdfast.game import Configuration, Protocol, written_out
from holdfast.logic import Player
from holdfast.solver import Solution, solve

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from holdfast.env.single_role import RoleEnv
    from holdfast.env.vector_env import RoleVectorEnv

HORIZON = Protocol.steps


def aec(
    configuration: Configuration | Solution,
    *,
    mask: str = "shield",
    observe: str = "position",
    horizon: int = HORIZON,
    reset: float | None = None,
    render_mode: str | None = None,
    budget: Budget = UNLIMITED,
) -> AECEnv:
    """Both players as agents ``adversary_0`` and ``defender_0`` of a PettingZoo environment.

    Args:
        configuration: what is played; a solution saves solving it again.
        mask: ``shield`` leaves Safe(v), ``legal`` Λ(v), ``none`` every action.
        observe: ``position``, or ``state`` for what the paper's tables know; in the defender's role of
            :func:`gym` and :func:`vector` also ``sensors``, for what the scenario says that it sees.
        horizon: moves per episode, counting both players.
        reset: chance of an engagement reset; the game's own by default.
        render_mode: ``ansi``, ``human`` or ``rgb_array``.
        budget: for solving and laying out.

    Raises:
        InputError: without the extra, for unknown words, or where there is no shield to play in.
    """
    require("gymnasium", "pettingzoo")
    from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

    from holdfast.env.duel import DuelEnv

    book = book_of(configuration, budget)
    seen = encoding(book.configuration, observe)
    duel = DuelEnv(Games(book, Terms(mask, horizon, reset), 1), seen, render_mode)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(duel))


def gym(
    configuration: Configuration | Solution,
    *,
    role: str = "defender",
    opponent: Opponent = "optimal",
    mask: str = "shield",
    observe: str = "position",
    horizon: int = HORIZON,
    reset: float | None = None,
    render_mode: str | None = None,
    budget: Budget = UNLIMITED,
) -> RoleEnv:
    """One player as a Gymnasium environment, with ``action_masks()``; an opponent plays the other.

    Args:
        role: ``defender`` or ``adversary``.
        opponent: ``optimal``, ``random``, ``greedy`` (an attacker), the policies of a training, or a
            function of observations and masks, a row for each game, that returns an action for each.
        configuration, mask, observe, horizon, reset, render_mode, budget: as for :func:`aec`.

    Raises:
        InputError: as :func:`aec`; and for an opponent that there is not.
        LimitError: where an optimal opponent would be too large to solve.
    """
    require("gymnasium")
    from holdfast.env.single_role import RoleEnv

    book, player = book_of(configuration, budget), player_of(role)
    terms = _terms(book, mask, horizon, reset, observe)
    seen, whole = _seen(book, player, terms, observe, 1, budget)
    replies = mover(opponent, player.opponent, book, terms, whole, budget)
    make = partial(
        gym,
        book.solution,
        role=role,
        opponent=opponent,
        mask=mask,
        observe=observe,
        horizon=horizon,
        reset=reset,
        render_mode=render_mode,
    )
    return RoleEnv(Games(book, terms, 1), seen, player, replies, make, render_mode)


def vector(
    configuration: Configuration | Solution,
    num_envs: int,
    *,
    role: str = "defender",
    opponent: Opponent = "optimal",
    mask: str = "shield",
    observe: str = "position",
    horizon: int = HORIZON,
    reset: float | None = None,
    budget: Budget = UNLIMITED,
) -> RoleVectorEnv:
    """Many games at once as a Gymnasium vector environment; arguments as for :func:`gym`.

    Raises:
        InputError, LimitError: as :func:`gym`.
    """
    require("gymnasium")
    from holdfast.env.vector_env import RoleVectorEnv

    book, player, n = book_of(configuration, budget), player_of(role), count_of(num_envs)
    terms = _terms(book, mask, horizon, reset, observe)
    seen, whole = _seen(book, player, terms, observe, n, budget)
    replies = mover(opponent, player.opponent, book, terms, whole, budget)
    make = partial(
        vector,
        book.solution,
        num_envs,
        role=role,
        opponent=opponent,
        mask=mask,
        observe=observe,
        horizon=horizon,
        reset=reset,
    )
    return RoleVectorEnv(Games(book, terms, n), seen, player, replies, make)


def games(
    configuration: Configuration | Solution,
    n: int,
    *,
    mask: str = "shield",
    horizon: int = HORIZON,
    reset: float | None = None,
    seed: int | None = None,
    budget: Budget = UNLIMITED,
) -> Games:
    """Many games, both players, arrays in and out; arguments as for :func:`aec`.

    >>> import holdfast as hf
    >>> pair = hf.configure(hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW"), ["G (DB != Z)"])
    >>> played = games(pair, 3, seed=1)
    >>> played.step(played.mask.argmax(axis=1)).reward
    array([0., 0., 0.])
    """
    return Games(book_of(configuration, budget), Terms(mask, horizon, reset), count_of(n), seed)


def _terms(book: PlayRules, mask: str, horizon: int, reset: float | None, observe: str) -> Terms:
    """What is agreed; by sensors alone nobody could tell that an engagement begins anew, and none does."""
    if observe == SENSORS:
        if reset:
            raise InputError(
                f'observe="sensors" goes with no engagement resets, and reset is {reset}; leave it out'
            )
        reset = None if book.configuration.game.reset is None else 0.0
    return Terms(mask, horizon, reset)


def _seen(
    book: PlayRules, player: Player, terms: Terms, observe: str, n: int, budget: Budget
) -> tuple[OneHot | Lookout, OneHot]:
    """What the role observes, and what its opponent does: the adversary always sees everything."""
    if observe != SENSORS or player is Player.ADVERSARY:
        seen = encoding(book.configuration, observe)
        return seen, seen
    require_playable(book, terms)
    return lookout(book, terms.mask == "shield", n, budget), encoding(book.configuration)


def player_of(role: str) -> Player:
    """The player in a role.

    Raises:
        InputError: for a role that nobody has.
    """
    if role not in tuple(Player):
        raise InputError(
            f'there is no role "{role}"; known: defender, adversary' + did_you_mean(str(role), tuple(Player))
        )
    return Player(role)


def count_of(n: Any) -> int:
    """A number of games.

    Raises:
        InputError: for anything that is none.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise InputError(f"the number of games is {n!r}; expected a whole number of at least 1")
    return n


def book_of(given: Configuration | Solution, budget: Budget) -> PlayRules:
    """The rules of what is to be played, solved if it is not yet.

    Raises:
        InputError: for what cannot be played.
    """
    expect(given, (Configuration, Solution), "what is to be played", "a configuration, or its solution")
    if isinstance(given, Solution):
        return play_rules(given, budget)
    return play_rules(solve(written_out(given, "an environment", budget), budget=budget), budget)
