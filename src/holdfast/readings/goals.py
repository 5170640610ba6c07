"""Whether a goal of recovery can be reached, and how soon, in the words that tables and sentences use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holdfast.game import NEVER, counted, lasting
from holdfast.readings.reading import NO_PLAY

if TYPE_CHECKING:  # the command line reads the table when it starts
    from holdfast.readings.results import Analysis
    from holdfast.solver import MoveCount

EVICTED, RECOVERED = "evicted", "recovered"

CAN = {EVICTED: "the attacker can be evicted", RECOVERED: "everything can be clean again"}
CANNOT = {EVICTED: "the attacker can stay for ever", RECOVERED: "not everything can ever be clean again"}
AGAIN = {
    EVICTED: "the attacker can be evicted every time he gets in",
    RECOVERED: "everything can be cleaned again every time",
}
ONCE = {
    EVICTED: "once inside, the attacker can stay for ever",
    RECOVERED: "once something is compromised, not everything can ever be clean again",
}


def _can(goal: str) -> str:
    return CAN.get(goal, f'"{goal}" can be reached')


def reach_in_words(goal: str, moves: MoveCount) -> str:
    """Whether a goal can be forced from the start, in a clause of a sentence.

    >>> for moves in (4, "never"):
    ...     print(reach_in_words("evicted", moves), reach_in_words("refilled", moves), sep="; ")
    the attacker can be evicted within 4 moves; "refilled" can be reached within 4 moves
    the attacker can stay for ever; the adversary can prevent "refilled" for ever
    """
    if moves == NEVER:
        return CANNOT.get(goal, f'the adversary can prevent "{goal}" for ever')
    if not moves:
        return f'"{goal}" is met at the start'
    return f"{_can(goal)} within {counted(moves, 'move')}"


def again_in_words(goal: str, again: bool) -> str:
    """Whether a goal that is met can be met again and again, in a clause of a sentence.

    >>> print(again_in_words("evicted", True), again_in_words("refilled", False), sep="; ")
    the attacker can be evicted every time he gets in; once left, "refilled" can be prevented for ever
    """
    if again:
        return AGAIN.get(goal, f"{_can(goal)} again and again")
    return ONCE.get(goal, f'once left, "{goal}" can be prevented for ever')


def goal_in_words(analysis: Analysis, goal: str) -> str:
    """How soon a goal can be forced, in a clause of a sentence; empty where it is not known."""
    profile = analysis.recovery.get(goal)
    if profile is None or profile.moves is None:
        return ""
    can = _can(goal)
    if profile.moves == NEVER:
        if analysis.almost_surely.get(goal):
            return f"{can} with probability one, though not for sure"
        return reach_in_words(goal, NEVER)
    if profile.moves == 0 and profile.again is not None:
        return again_in_words(goal, profile.again)
    soon = f"{can} within {counted(profile.moves, 'move')}{lasting(profile.moves, analysis.pace)}"
    return soon if profile.again is not False else f"{soon}, but not again and again"


def stays_away(analysis: Analysis, goal: str) -> bool:
    """Whether a goal is never reached, or not any more once it was left."""
    return moves_to(analysis, goal) == math.inf


def goal_row(analysis: Analysis, goal: str) -> str:
    """What the row of a goal says."""
    profile, soon = analysis.recovery.get(goal), goal_in_words(analysis, goal)
    if profile is None or not soon or profile.moves in (NEVER, 0):
        return soon
    cost = "" if profile.effort is None else f", with {counted(int(profile.effort), 'intervention')}"
    if analysis.costs and profile.effort is not None:
        cost = f", at a cost of {profile.effort}"
    if profile.everywhere is False:
        return f"{soon}{cost}; a defender who waits too long can lose the chance"
    if profile.longest is not None:
        return f"{soon}{cost}; from anywhere in safe play within {profile.longest}"
    return f"{soon}{cost}"


def moves_to(analysis: Analysis, goal: str) -> float | None:
    """A number of moves; infinite also where the goal is reached at the start and lost later for ever."""
    profile = analysis.recovery.get(goal)
    moves = None if profile is None else profile.moves
    once = profile is not None and moves == 0 and profile.again is False
    return math.inf if moves == NEVER or once else moves


def no_goal(analysis: Analysis, goal: str) -> str:
    """Why an analysis cannot say how soon a goal is reached; empty if it can."""
    if not analysis.defensible:
        return NO_PLAY
    return "" if goal in analysis.recovery or not analysis.recovery else "this system has no such goal"
