"""What is made ready before the first move: the solved game, and perfect play where it can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.engines import solve
from holdfast.errors import LimitError, ModelError
from holdfast.play.strategies import Strategy, at_random, learned, optimal, trained
from holdfast.product import Configuration
from holdfast.solution import Solution

if TYPE_CHECKING:
    from holdfast.arena import ShieldedArena
    from holdfast.learn.protocol import Protocol
    from holdfast.play.perfect import Perfect

PLAIN_RULE = "the adversary leaves the fewest permitted replies, the defender keeps the dominance high"
OPPONENTS = ("optimal", "learned", "random")


@dataclass(frozen=True)
class Setting:
    """A game ready to be played.

    Attributes:
        solution: of the configuration; without its reset where that is refused.
        perfect: the N-move game solved; None where there is none or it is too large.
        ddr_exact: DDR* over the episode of the protocol, if ``perfect`` is there.
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
    progress: Callable[[str], None] = lambda doing: None,
) -> Setting:
    """Solve a configuration and, if it is defensible and not too large, its N-move game."""
    solution = solve(configuration, progress=progress)
    if not solution.defensible:
        return Setting(solution, None, None, ())
    progress("perfect play")
    notes: list[str] = []
    try:
        solution, arena = _arena(solution, notes)
        from holdfast.exact import exact_dominance
        from holdfast.play.perfect import perfect_play

        perfect = perfect_play(arena, n_moves)
        return Setting(solution, perfect, exact_dominance(arena, protocol, epsilon=0).value, tuple(notes))
    except LimitError:
        notes.append(
            f"safe play is too large to solve exactly; optimal means a plain rule here: {PLAIN_RULE}"
        )
        return Setting(solution, None, None, tuple(notes))


def opponent(
    name: str, setting: Setting, protocol: Protocol, seed: int, progress: Callable[[int, int], None]
) -> Strategy:
    """The strategy with this name.

    Raises:
        InputError, LimitError: where training is impossible.
    """
    solution = setting.solution
    if name == "random":
        return at_random(solution)
    if name == "optimal" or not solution.defensible:
        return optimal(solution, setting.perfect)
    where = solution if setting.perfect is None else setting.perfect.arena
    return learned(solution, trained(where, protocol, seed, progress))


def _arena(solution: Solution, notes: list[str]) -> tuple[Solution, ShieldedArena]:
    """The shielded arena; where the reset is refused, of the game without it.

    Raises:
        LimitError: for a game that is not small, since others would take long to enumerate.
    """
    from holdfast.arena import is_small, shielded_arena

    configuration = solution.configuration
    if not is_small(configuration):
        raise LimitError("too large")
    try:
        return solution, shielded_arena(solution)
    except ModelError as error:
        notes.append(f"{error}. This play goes without it")
        without = replace(configuration, game=replace(configuration.game, reset=None))
        solved = solve(without)
        return solved, shielded_arena(solved)
