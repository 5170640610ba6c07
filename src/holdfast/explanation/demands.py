"""What a design demands of those who defend it, shown: a play that holds with the least effort, and what
breaks.

One intervention fewer, one turn slower or one turn later is a design of its own, with one clause more on φ_D
(:mod:`holdfast.solver.restrictions`). It cannot be defended, and the line that shows it is forced as any
other is.

The play is that of a defender who spends as little as it must, against an adversary who keeps the effort that
is still needed as large as it can, and then the grace as small. It ends where nothing more has to be done, or
where a position comes up again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.lines import ForcedLine, forced_line
from holdfast.game import Interventions, Position, ResponseLayers, interventions_of
from holdfast.logic import Player
from holdfast.solver import (
    Extent,
    MoveInWords,
    ResponseProfile,
    Restriction,
    Solution,
    SolvedGame,
    extent,
    move_in_words,
    response_layers,
    response_profile,
    restricted,
    solve,
    steps_past,
)

MAX_PLAY = 60
"""Moves after which a play that goes on is left."""


@dataclass(frozen=True)
class Breach:
    """What goes wrong one step past a reading.

    Attributes:
        reading: ``effort``, ``tempo`` or ``grace``.
        restriction: what the defender is then held to, in words.
        rank: within how many moves the violation is forced.
        line: how.
    """

    reading: str
    restriction: str
    rank: int
    line: ForcedLine


@dataclass(frozen=True)
class ThriftyMove:
    """A move of the play that spends least, what it costs, and the effort that is needed after it."""

    move: MoveInWords
    cost: int
    needed: Extent


@dataclass(frozen=True)
class Demands:
    """Effort, tempo and grace, what breaks one step past each, and a play that holds with least effort."""

    profile: ResponseProfile
    breaches: tuple[Breach, ...]
    play: tuple[ThriftyMove, ...]


def demands(
    solution: Solution,
    engine: str,
    budget: Budget = UNLIMITED,
    undecided: Callable[[str], None] = lambda said: None,
) -> Demands | None:
    """What a defensible design demands; None where no action is idle.

    Args:
        solution: of the design.
        engine: for the designs one step further.
        budget: memory and time.
        undecided: called with what a limit stopped.
    """
    layers, actions = response_layers(solution, budget), interventions_of(solution.configuration, budget)
    if layers is None or actions is None:
        return None
    open_readings: list[str] = []
    profile = response_profile(solution, budget, open_readings)
    for said in open_readings:
        undecided(said)
    breaches = []
    for restriction in steps_past(profile):
        try:
            breaches.append(breach(solution, restriction, engine, budget.share(0.5)))
        except LimitError as stop:
            undecided(f"{restriction}: {stop}")
    play: tuple[ThriftyMove, ...] = ()
    if profile.effort is not None:
        try:
            play = thrifty_play(solution, layers, actions, budget)
        except LimitError as stop:
            undecided(f"a play with the least effort: {stop}")
    return Demands(profile, tuple(breaches), play)


def breach(
    solution: Solution, restriction: Restriction, engine: str = "auto", budget: Budget = UNLIMITED
) -> Breach:
    """How a design is lost under a restriction that it does not bear."""
    further = solve(restricted(solution.configuration, restriction, budget), engine, budget)
    rank = further.initial_rank
    assert rank is not None, f"{restriction}: the design tolerates more than was computed"
    line, _ = forced_line(SolvedGame(further), budget=budget)
    return Breach(restriction.kind, str(restriction), rank, line)


def thrifty_play(
    solution: Solution, layers: ResponseLayers, actions: Interventions, budget: Budget = UNLIMITED
) -> tuple[ThriftyMove, ...]:
    """A play that holds with the least effort, from v₀."""
    solved, here = SolvedGame(solution), solution.configuration.initial
    play: list[ThriftyMove] = []
    seen = {here}
    while len(play) < MAX_PLAY and layers.effort(here, budget):
        budget.tick("a play with the least effort")
        moves = _held(solved, layers, here, budget)
        if not moves:
            break
        if here.turn is Player.DEFENDER:
            action, target = min(moves, key=lambda move: _spent(actions, layers, move, budget))
        else:
            action, target = max(moves, key=lambda move: _pressed(layers, here, move, budget))
        cost = actions.costs[action] if here.turn is Player.DEFENDER else 0
        needed = extent(layers.effort(target, budget))
        play.append(
            ThriftyMove(move_in_words(solved.configuration.system, here, action, target), cost, needed)
        )
        if target in seen:
            break
        seen.add(target)
        here = target
    return tuple(play)


def _held(
    solved: SolvedGame, layers: ResponseLayers, here: Position, budget: Budget
) -> list[tuple[int, Position]]:
    """The moves that stay winning."""
    outcomes = solved.moves(here)
    if here.turn is Player.DEFENDER:

        def ease(target: Position) -> float:
            needed = layers.effort(target, budget)
            return -math.inf if needed is None else -needed

        outcomes = solved.replies(here, ease)
    moves = ((action, target) for target, actions in outcomes.items() for action in actions)
    return [(a, target) for a, target in moves if layers.effort(target, budget) is not None]


def _spent(
    actions: Interventions, layers: ResponseLayers, move: tuple[int, Position], budget: Budget
) -> tuple[float, int, int]:
    """What a move of the defender comes to: all that is needed, idle moves before others."""
    action, target = move
    needed = layers.effort(target, budget)
    assert needed is not None
    return actions.costs[action] + needed, action not in actions.idle, action


def _pressed(
    layers: ResponseLayers, here: Position, move: tuple[int, Position], budget: Budget
) -> tuple[float, float, bool, int]:
    """How hard a move of the adversary presses: by effort, by want of grace, by doing anything at all."""
    action, target = move
    effort, grace = layers.effort(target, budget), layers.grace(target, budget)
    assert effort is not None and grace is not None
    return effort, -grace if math.isfinite(grace) else -math.inf, target.state != here.state, -action
