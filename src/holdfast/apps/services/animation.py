"""The play that says why, and the file that shows it moving (``explain --animation``, and the studio)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from holdfast.explanation import Storyboard
    from holdfast.solver import Solution


def storyboard(
    solution: Solution, acting: bool = False, goal: str | None = None, budget: Budget = UNLIMITED
) -> Storyboard | None:
    """What there is to show of a solved design; None where it is held and has no goal.

    Args:
        solution: the solved design.
        acting: of a lost one, whether the defender acts at every turn instead of resisting for longest.
        goal: of a held one, which goal; the first if None.
        budget: time.

    Raises:
        InputError: for a goal that there is not.
        LimitError: past the budget.
    """
    from holdfast.explanation import attack_storyboard, recovery_storyboard

    goals = solution.configuration.goals
    if not solution.defensible:
        return attack_storyboard(solution, acting, budget)
    if goal is not None and goal not in goals:
        raise InputError(f'there is no goal "{goal[:80]}"{did_you_mean(goal, list(goals))}')
    return recovery_storyboard(solution, goal or next(iter(goals)), budget) if goals else None


def animated(
    solution: Solution, acting: bool = False, goal: str | None = None, budget: Budget = UNLIMITED
) -> str:
    """A page, complete in itself, that shows the attack on a design, or how the attacker is got out of it.

    Raises:
        InputError: where there is nothing to show.
        LimitError: past the budget.
    """
    from holdfast.report import animation

    board = storyboard(solution, acting, goal, budget)
    if board is None:
        raise InputError("the design holds and has no goal to get back to: there is no play to show")
    return animation(board, solution.configuration)
