"""An attack played against a playbook, as an example of how it is used.

The adversary makes the move after which the defender may idle for the fewest turns (its grace,
:mod:`holdfast.solver.response`), so that it forces an intervention as soon as it can; of several such moves
the one after which a rule decides that was not used before, then the one that leaves the fewest safe actions.
The example ends where nothing more can be forced, where a position comes back, or after so many moves.
Against rules that go to a goal the adversary draws it out for as long as it can, and the example ends there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.playbook.strategies import GoalStrategy, PlaybookStrategy
from holdfast.explanation.playbook.traits import RuleList
from holdfast.game import Position
from holdfast.logic import Player
from holdfast.solver import move_in_words, response_layers

MAX_SHOWN = 24
"""Moves of an example, both players' counted."""

SECONDS = 20.0
"""What is spent on grace at most; past that the adversary goes by the number of safe actions alone."""


@dataclass(frozen=True)
class ExampleMove:
    """A move of the example.

    Attributes:
        mover, action, change: who did what, and what it changed.
        rule: of a defender's move the number of the rule that decided, from 1, where the last resort counts
            as the last; None for the adversary's.
    """

    mover: str
    action: str
    change: str
    rule: int | None = None


def demonstration(
    strategy: PlaybookStrategy, rules: RuleList, budget: Budget = UNLIMITED
) -> tuple[ExampleMove, ...]:
    """Play the rules against an adversary who wants the defender to act; ``strategy`` knows the moves.

    Raises:
        LimitError: past the budget.
    """
    configuration = rules.configuration
    here, used, seen = configuration.initial, set[int](), set[Position]()
    goal = strategy if isinstance(strategy, GoalStrategy) else None
    graces = None if goal else _Graces(strategy, budget.share(0.5, SECONDS))
    moves: list[ExampleMove] = []
    while here not in seen and len(moves) < MAX_SHOWN:
        if goal and moves and goal.rank(here) == 0:
            break
        budget.tick("playing an example")
        seen.add(here)
        place = None
        if here.turn is Player.DEFENDER:
            place = rules.deciding(here)
            used.add(place)
            targets = strategy.targets(here, rules.action(place))
            assert targets, "a rule of the list is right wherever play comes"
            target, *others = targets
            if others:  # chance is on the adversary's side
                target = min(targets, key=lambda v: _urgency(v, graces, goal))
            action = targets[target]
        else:
            replies = strategy.stepper.outcomes(here)
            urgent = {v: _urgency(v, graces, goal) for v in replies}
            if not replies or all(math.isinf(grace) for grace in urgent.values()):
                break
            keys = {v: (urgent[v], rules.deciding(v) in used, len(strategy.safe(v))) for v in replies}
            target = min(replies, key=keys.__getitem__)
            action = replies[target][0]
        step = move_in_words(configuration.system, here, action, target)
        moves.append(ExampleMove(step.mover, step.action, step.change, None if place is None else place + 1))
        here = target
    return tuple(moves)


def _urgency(position: Position, graces: _Graces | None, goal: GoalStrategy | None) -> float:
    """What the adversary wants to be low: the grace that is left, or the moves to the goal, turned."""
    if graces is not None:
        return graces.at(position)
    return -float((goal.rank(position) if goal is not None else None) or 0)


class _Graces:
    """For how many turns the defender may idle; 0 throughout where that cannot be found in time."""

    def __init__(self, strategy: PlaybookStrategy, budget: Budget) -> None:
        self.budget, self.known = budget, dict[Position, float]()
        try:
            self.layers = response_layers(strategy.solution, budget)
        except LimitError:
            self.layers = None

    def at(self, position: Position) -> float:
        if position not in self.known:
            try:
                grace = None if self.layers is None else self.layers.grace(position, self.budget)
            except LimitError:
                self.layers, grace = None, None
            self.known[position] = 0.0 if grace is None else grace
        return self.known[position]
