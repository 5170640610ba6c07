"""The effort still needed in a play, what a move does to it, and whether the attacker can be evicted.

Where finding them (:mod:`holdfast.solver.response`, :mod:`holdfast.solver.recovery`) takes long they are left
out: a play is a conversation.
"""

from __future__ import annotations

import math

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.game import Position, counted
from holdfast.logic import Player
from holdfast.readings import EVICTED
from holdfast.solver import Solution, is_winning, recovery_layers, response_layers

SECONDS = 3.0
"""How long a person waits for it; where it took longer once, it is not asked for again."""


def effort_at(solution: Solution, position: Position) -> float | None:
    """The effort still needed at a position; None where it is lost, not defined, or takes long to find."""
    if solution.cached_or_none("effort takes long"):
        return None
    budget = Budget.lasting(SECONDS)
    try:
        layers = response_layers(solution, budget)
        return None if layers is None else layers.effort(position, budget)
    except LimitError:
        solution.cached("effort takes long", lambda: True)
        return None


def still_needed(solution: Solution, position: Position) -> str:
    """What is still needed from a position, in words; empty where it is not known."""
    effort = effort_at(solution, position)
    if effort is None:
        return ""
    if not effort:
        return "nothing more has to be done: doing nothing is safe from here"
    if math.isinf(effort):
        return "there is no end to the interventions needed"
    if solution.configuration.costs:
        return f"interventions that cost {effort:.0f} are still needed"
    return f"{counted(int(effort), 'intervention')} still needed"


def getting_out(solution: Solution, position: Position) -> str:
    """Within how many moves the attacker can be evicted, in words; empty where that is no question."""
    asked = EVICTED in solution.configuration.goals and is_winning(solution, position)
    if not asked or solution.cached_or_none("recovery takes long"):
        return ""
    try:
        moves = recovery_layers(solution, EVICTED).rank(position, Budget.lasting(SECONDS))
    except LimitError:
        solution.cached("recovery takes long", lambda: True)
        return ""
    if moves is None:
        return "the attacker cannot be evicted from here"
    return (
        f"the attacker can be evicted within {counted(moves, 'move')}" if moves else "no attacker is inside"
    )


def raised(solution: Solution, before: Position, after: Position) -> str:
    """How a move of the defender raises the effort that is still needed, in words; empty if it does not."""
    if before.turn is not Player.DEFENDER:
        return ""
    here, then = effort_at(solution, before), effort_at(solution, after)
    if here is None or then is None or then <= here:
        return ""
    return f"raises the effort to {'∞' if math.isinf(then) else int(then)}"
