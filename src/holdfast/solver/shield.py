"""The shield Safe(v) and the shielded-reachable set R (sec:extraction, sec:slt)."""

from __future__ import annotations

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import GameStructure, Position, State, choices, is_admissible, move, successor
from holdfast.logic import Player
from holdfast.solver.solution import Reach, Solution


def safe_actions(solution: Solution, position: Position) -> tuple[int, ...]:
    """Safe(v): the admissible actions whose successor stays in W, ascending; empty outside W."""
    return solution.regions.safe_actions(position)


def reachable(solution: Solution, budget: Budget = UNLIMITED) -> Reach | None:
    """R in numbers, or None: a configuration that is not defensible has no R.

    Raises:
        LimitError: when R outgrows the engine's memory.
    """
    if not solution.defensible:
        return None
    if not is_admissible(solution.configuration, solution.configuration.initial):
        return _reach_at_rest(solution)
    return solution.cached("reach", lambda: solution.regions.reach(budget))


def _reach_at_rest(solution: Solution) -> Reach:
    """R where s₀ violates φ_A: the adversary never moves, so it is v₀ and what one defender move leads to.

    Counted one by one, since the engines do not tell the rejecting states of φ_A apart.
    """
    initial = solution.configuration.initial
    if initial.turn is Player.ADVERSARY:
        return Reach(1, 0, 0, 0, 0)
    safe, game = safe_actions(solution, initial), solution.configuration.game
    after = {move(solution.configuration, initial, action) for action in safe}
    effective = [own[0] for own in choices(game, Player.DEFENDER) if _changes(game, initial.state, own)]
    return Reach(1 + len(after), 1, len(safe), len(effective), sum(action in safe for action in effective))


def _changes(game: GameStructure, state: State, outcomes: tuple[int, ...]) -> bool:
    """Whether some outcome of a choice of the defender changes the state."""
    return any(successor(game, Player.DEFENDER, action, state) not in (None, state) for action in outcomes)
