"""How a lost design is likely lost, where outcomes are drawn: the likeliest play, and how likely it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from holdfast.operation import Hold, LikelyMove
from holdfast.solver import MoveInWords, Solution, move_in_words

MOVES = 100
"""Within so many moves a way to lose is looked for."""


@dataclass(frozen=True)
class LikelyStep:
    """A move of the play, and how likely it succeeds so."""

    move: MoveInWords
    probability: float


@dataclass(frozen=True)
class LikelyWay:
    """How a lost design is likely lost.

    Attributes:
        moves: within how many it was looked for.
        play: of all plays that both sides make at their best and that violate the requirement, the likeliest;
            empty where there is none within so many moves.
        probability: of exactly this play, every attempt succeeding at once.
        violates: the clauses that are violated at its end.
        hold: how likely the design holds.
        pace: the seconds of a move, where the file says.
    """

    moves: int
    play: tuple[LikelyStep, ...]
    probability: float
    violates: tuple[str, ...]
    hold: Hold
    pace: float | None = None


def likely_way(
    solution: Solution, known: Hold, found: Sequence[LikelyMove] = (), moves: int = MOVES
) -> LikelyWay:
    """How a lost design is likely lost, given how likely it holds and the likeliest play that loses it."""
    configuration = solution.configuration
    play = tuple(
        LikelyStep(
            move_in_words(configuration.system, step.position, step.action, step.target),
            float(step.probability),
        )
        for step in found
    )
    return LikelyWay(
        moves,
        play,
        float(prod(step.probability for step in found)) if found else 0.0,
        configuration.broken(found[-1].target) if found else (),
        known,
        configuration.pace,
    )
