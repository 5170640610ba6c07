"""The rules of a play: pure functions on a frozen value; see :mod:`holdfast.apps.play`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from random import Random

from holdfast.errors import InputError, ModelError
from holdfast.game import (
    Configuration,
    Position,
    admissible_moves,
    choices,
    is_admissible,
    is_unsafe,
    move,
    refuse_counted,
)
from holdfast.logic import Player
from holdfast.solver import Resets, Solution, is_winning

MAX_MOVES = 1000


@dataclass(frozen=True)
class Match:
    """What stays the same throughout a play.

    Attributes:
        solution: of the configuration that is played.
        seed: of everything that chance decides.
        limit: N, after how many moves the play ends.
    """

    solution: Solution
    seed: int = 1
    limit: int = 40

    @cached_property
    def resets(self) -> Resets:
        """Where engagement resets lead."""
        return Resets(self.solution)

    @property
    def configuration(self) -> Configuration:
        """What is played."""
        return self.solution.configuration


class Event(StrEnum):
    """What happened in a step."""

    START = "start"
    MOVE = "move"
    RESET = "(reset)"
    REST = "(rest)"


@dataclass(frozen=True)
class Step:
    """Something happened, and play stands at ``position``; ``action`` is None unless it was a move."""

    event: Event
    position: Position
    action: int | None = None

    @property
    def counts(self) -> bool:
        """Whether it is one of the N moves."""
        return self.event in (Event.MOVE, Event.REST)


@dataclass(frozen=True)
class Session:
    """A play so far, its first step the start."""

    match: Match = field(repr=False, compare=False)
    steps: tuple[Step, ...]

    @property
    def position(self) -> Position:
        """Where play stands."""
        return self.steps[-1].position

    @property
    def n_moves(self) -> int:
        """How many moves have been made."""
        return sum(step.counts for step in self.steps)

    @property
    def to_go(self) -> int:
        """How many are left of N."""
        return self.match.limit - self.n_moves


# -- what can be done -------------------------------------------------------------------------------


def begin(match: Match) -> Session:
    """The play before its first move; a reset at v₀ has or has not happened."""
    refuse_counted(match.configuration.game, "play")
    return with_chance(Session(match, (Step(Event.START, match.configuration.initial),)))


def make_move(session: Session, action: int) -> Session:
    """The play after the mover's action, chance included.

    Of a choice that may have several outcomes one is drawn, whichever of them the action is.

    Raises:
        InputError: for an action that the mover does not have there, with the reason.
    """
    return with_chance(with_move(session, drawn_outcome(session, action)))


def drawn_outcome(session: Session, action: int) -> int:
    """What a choice comes to: a function of the seed and of the number of the move."""
    game, player = session.match.configuration.game, session.position.turn
    own = next((outcomes for outcomes in choices(game, player) if action in outcomes), ())
    if len(own) < 2:
        return action
    u, reached = Fraction(Random(f"{session.match.seed} outcome {session.n_moves}").random()), Fraction(0)
    for outcome in own:
        reached += Fraction(game.actions[player][outcome].probability)
        if u < reached:
            return outcome
    raise AssertionError("probabilities add up to 1")


def make_rest(session: Session) -> Session:
    """The play after a move that an adversary who is out of moves could not make."""
    return with_chance(with_rest(session))


def with_chance(session: Session) -> Session:
    """The play with the reset of the coming move, if there is one: u < p."""
    match, game = session.match, session.match.configuration.game
    target = None if ending(session) else reset_target(match, session.position)
    if target is None or game.reset is None:
        return session
    u = Random(f"{match.seed} reset {session.n_moves}").random()
    return with_reset(session) if u < game.reset.probability else session


def undone(session: Session, player: Player) -> Session | None:
    """The play as it was when ``player`` last made a choice; None if there was none."""
    for n in range(len(session.steps) - 1, 0, -1):
        step, before = session.steps[n], session.steps[n - 1].position
        if step.event is Event.MOVE and before.turn is player:
            return replace(session, steps=session.steps[:n])
    return None


# -- single steps, as a trace lists them ------------------------------------------------------------


def with_move(session: Session, action: int) -> Session:
    """One move further; InputError if it cannot be made there."""
    configuration, position = session.match.configuration, session.position
    over = ending(session)
    if over is not None:
        raise InputError(f"the play is over ({over}); no move can follow")
    actions = configuration.game.actions[position.turn]
    if not 0 <= action < len(actions):
        raise InputError(f"the {position.turn} has no action {action}; expected 0 to {len(actions) - 1}")
    target = move(configuration, position, action)
    if target is None:
        raise InputError(f"{actions[action].name} is not available at {configuration.describe(position)}")
    if position.turn is Player.ADVERSARY and not is_admissible(configuration, target):
        clause = configuration.broken(target, Player.ADVERSARY)[0]
        raise InputError(f"{actions[action].name} is not admissible: it violates φ_A, {clause}")
    return _further(session, Step(Event.MOVE, target, action))


def with_rest(session: Session) -> Session:
    """One move further without one; InputError unless the adversary has no moves left."""
    if ending(session) is not None or not is_resting(session.match.configuration, session.position):
        raise InputError("play does not pause here: the mover has a move, or the play is over")
    return _further(session, Step(Event.REST, session.position))


def with_reset(session: Session) -> Session:
    """A new engagement; InputError where none can begin."""
    target = None if ending(session) else reset_target(session.match, session.position)
    if target is None or session.steps[-1].event is Event.RESET:
        raise InputError("no engagement reset can happen here")
    return _further(session, Step(Event.RESET, target))


def _further(session: Session, step: Step) -> Session:
    return replace(session, steps=(*session.steps, step))


# -- what can be asked ------------------------------------------------------------------------------


def is_resting(configuration: Configuration, position: Position) -> bool:
    """Whether the adversary is to move and out of moves."""
    if position.turn is Player.DEFENDER:
        return False
    return not admissible_moves(configuration, position)


def reset_target(match: Match, position: Position) -> Position | None:
    """Where a reset leads from here; None where none can happen, or where it is refused."""
    if match.configuration.game.reset is None or not is_winning(match.solution, position):
        return None
    try:
        return match.resets.target(position)
    except ModelError:
        return None


def ending(session: Session) -> str | None:
    """Why the play is over, in a few words; None if it goes on."""
    configuration, position = session.match.configuration, session.position
    if is_unsafe(configuration, position):
        return f"violation: {'; '.join(configuration.broken(position))}"
    if session.to_go <= 0:
        return f"{session.match.limit} moves without a violation"
    if is_resting(configuration, position) and reset_target(session.match, position) is None:
        return "the adversary has no moves left"
    return None


def mean_dominance(session: Session) -> Fraction | None:
    """The mean of μ over the moves made, exactly; None before the first."""
    mu, steps = session.match.configuration.game.mu, session.steps
    earned = [mu(steps[n - 1].position.state) for n in range(1, len(steps)) if steps[n].counts]
    return sum(earned, Fraction()) / len(earned) if earned else None


def fatal_step(session: Session) -> int | None:
    """The number of the step with which play last left W; 0 if it began outside, None if it is inside."""
    solution = session.match.solution
    if is_winning(solution, session.position):
        return None
    inside = [n for n, step in enumerate(session.steps, 1) if is_winning(solution, step.position)]
    return inside[-1] if inside else 0
