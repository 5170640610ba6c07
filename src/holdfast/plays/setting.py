"""What is made ready before the first move: the solved game, and perfect play where it can be had."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines import solve
from holdfast.errors import InputError, LimitError, ModelError, did_you_mean
from holdfast.logic.expressions import Player
from holdfast.plays.session import Match, Session, begin
from holdfast.plays.strategies import Strategy, at_random, learned, optimal, played, trained
from holdfast.product import Configuration, without_reset
from holdfast.protocol import Protocol
from holdfast.solution import Solution, is_listable

if TYPE_CHECKING:
    from holdfast.arena import ShieldedArena
    from holdfast.plays.perfect import Perfect

PLAIN_RULE = "the adversary leaves the fewest permitted replies, the defender keeps the dominance high"
NO_SHIELD = "there is no shield to train in, so the learned opponent plays as the optimal one"
STRATEGIES = ("optimal", "learned", "random")
MAX_EPISODE = 3 * 10**9
"""Moves times steps up to which DDR* is computed as well."""


@dataclass(frozen=True)
class Setting:
    """A game ready to be played.

    Attributes:
        solution: of the configuration; without its reset where that is refused.
        perfect: the N-move game solved; None where there is none or it is too large.
        ddr_exact: DDR* over the episode of the protocol, if it takes no more than a second.
        notes: what a player should know about all this.
    """

    solution: Solution
    perfect: Perfect | None
    ddr_exact: float | None
    notes: tuple[str, ...]


def prepare(
    configuration: Configuration,
    protocol: Protocol,
    n_moves: int,
    budget: Budget = UNLIMITED,
) -> Setting:
    """Solve a configuration and, if it is defensible and not too large, its N-move game."""
    solution = solve(configuration, budget=budget)
    if not solution.defensible:
        return Setting(solution, None, None, ())
    budget.tick("perfect play")
    notes: list[str] = []
    try:
        solution, arena = _arena(solution, notes, budget)
        from holdfast.exact import exact_dominance
        from holdfast.plays.perfect import perfect_play

        perfect, ddr_exact = perfect_play(arena, n_moves, budget), None
        if arena.n_moves * protocol.steps <= MAX_EPISODE:
            ddr_exact = exact_dominance(arena, protocol, epsilon=0, budget=budget).value
        return Setting(solution, perfect, ddr_exact, tuple(notes))
    except LimitError:
        notes.append(
            f"safe play is too large to solve exactly; optimal means a plain rule here: {PLAIN_RULE}"
        )
        return Setting(solution, None, None, tuple(notes))


def opponent(
    name: str, setting: Setting, protocol: Protocol, seed: int, budget: Budget = UNLIMITED
) -> tuple[Strategy, Setting]:
    """The strategy with this name, and the setting with what there is to say of it.

    Raises:
        InputError, LimitError: where training is impossible.
    """
    solution = setting.solution
    if name == "random":
        return at_random(solution), setting
    if name == "optimal":
        return optimal(solution, setting.perfect), setting
    if not solution.defensible:
        return optimal(solution, None), replace(setting, notes=(*setting.notes, NO_SHIELD))
    where = solution if setting.perfect is None else setting.perfect.arena
    return learned(solution, trained(where, protocol, seed, budget)), setting


def play(
    configuration: Configuration,
    *,
    defender: str | Strategy = "optimal",
    adversary: str | Strategy = "optimal",
    moves: int = 40,
    seed: int = 1,
    protocol: Protocol | None = None,
    budget: Budget = UNLIMITED,
) -> Session:
    """One play, each side by the name of a strategy or by a function from the session to a choice.

    Args:
        configuration: what is played.
        defender, adversary: ``optimal``, ``learned``, ``random``, or a strategy of your own.
        moves: after how many the play ends.
        seed: of chance and of the training.
        protocol: of the training; the paper's by default.
        budget: for what is made ready before the first move.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.plays.session import mean_dominance
    >>> from holdfast.product import configure
    >>> pair = configure(network_game(["GW", "DB"], [("GW", "DB")], "GW"), ["G (DB != Z)"])
    >>> found = play(pair, adversary="random", moves=6)
    >>> found.n_moves, mean_dominance(found)
    (6, Fraction(1, 4))

    Raises:
        InputError: for an unknown strategy.
    """
    protocol = protocol or Protocol()
    setting, sides = prepare(configuration, protocol, moves, budget), {}
    for player, chosen in ((Player.DEFENDER, defender), (Player.ADVERSARY, adversary)):
        if isinstance(chosen, str):
            if chosen not in STRATEGIES:
                known = f"; known: {', '.join(STRATEGIES)}" + did_you_mean(chosen, STRATEGIES)
                raise InputError(f'there is no strategy "{chosen}"{known}')
            chosen, setting = opponent(chosen, setting, protocol, seed, budget)
        sides[player] = chosen
    return played(begin(Match(setting.solution, seed, moves)), sides)


def _arena(solution: Solution, notes: list[str], budget: Budget) -> tuple[Solution, ShieldedArena]:
    """The shielded arena; where the reset is refused, of the game without it.

    Raises:
        LimitError: for a game that is not small, since others would take long to enumerate.
    """
    from holdfast.arena import shielded_arena

    if not is_listable(solution):
        raise LimitError("too large")
    try:
        return solution, shielded_arena(solution, budget)
    except ModelError as error:
        notes.append(f"{error}. This play goes without it")
        # Ranks and Safe(v) know of no reset, so that nothing has to be solved again.
        without = replace(solution, configuration=without_reset(solution.configuration))
        return without, shielded_arena(without, budget)
