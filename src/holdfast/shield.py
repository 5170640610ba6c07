"""The shield Safe(v) and the shielded-reachable set R (sec:extraction, sec:slt)."""

from __future__ import annotations

from holdfast.budget import UNLIMITED, Budget
from holdfast.product import Position, admissible_moves
from holdfast.solution import Reach, Solution, is_winning


def safe_actions(solution: Solution, position: Position) -> tuple[int, ...]:
    """Safe(v): the admissible actions whose successor stays in W, ascending; empty outside W."""
    if not is_winning(solution, position):
        return ()
    moves = admissible_moves(solution.configuration, position)
    return tuple(action for action, target in moves.items() if is_winning(solution, target))


def reachable(solution: Solution, budget: Budget = UNLIMITED) -> Reach | None:
    """R in numbers, or None: a configuration that is not defensible has no R.

    Raises:
        LimitError: when R outgrows the engine's memory.
    """
    return solution.regions.reach(budget) if solution.defensible else None
