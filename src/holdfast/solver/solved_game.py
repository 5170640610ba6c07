"""A solved game asked position by position: moves by where they lead, and ranks, each worked out once."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from holdfast.game import Position, choices, is_admissible, weight_of
from holdfast.logic import Player
from holdfast.solver.solution import Solution, rank
from holdfast.solver.stepper import Outcomes, Stepper


class SolvedGame:
    """The moves and ranks of one solution."""

    def __init__(self, solution: Solution) -> None:
        """Compile the moves; nothing is asked yet."""
        self.solution, self.configuration = solution, solution.configuration
        self.game, self.initial = solution.configuration.game, solution.configuration.initial
        self._stepper = Stepper(solution.configuration)
        self._ranks: dict[Position, int | None] = {}
        self._moves: dict[Position, Outcomes] = {}

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""
        if position not in self._ranks:
            self._ranks[position] = rank(self.solution, position)
        return self._ranks[position]

    def moves(self, position: Position) -> Outcomes:
        """Λ(v) by successor."""
        if position not in self._moves:
            self._moves[position] = self._of_somebody(position, self._stepper.outcomes(position))
        return self._moves[position]

    def _of_somebody(self, position: Position, outcomes: Outcomes) -> Outcomes:
        """The moves without those that stand for none of some alike things, and do what others do."""
        if not self.game.tallies:
            return outcomes
        actions, state = self.game.actions[position.turn], position.state
        real = {
            target: tuple(number for number in own if weight_of(self.game, actions[number], state))
            for target, own in outcomes.items()
        }
        return {target: own for target, own in real.items() if own}

    def replies(self, position: Position, ease: Callable[[Position], float] | None = None) -> Outcomes:
        """The defender's choices at a position by successor, each as the outcome that is worst for it.

        Args:
            ease: the less of it, the worse a position is for the defender; its rank by default.
        """
        moves, groups = self.moves(position), choices(self.game, position.turn)
        if len(groups) == len(self.game.actions[position.turn]):
            return moves
        led = {action: target for target, actions in moves.items() for action in actions}
        worst: dict[Position, list[int]] = {}
        for outcomes in groups:
            own = [action for action in outcomes if action in led]
            if own:
                action = min(own, key=lambda one: (ease or self._ease)(led[one]))
                worst.setdefault(led[action], []).append(action)
        return {target: tuple(sorted(actions)) for target, actions in worst.items()}

    def _ease(self, position: Position) -> float:
        rank = self.rank(position)
        return inf if rank is None else rank

    def options(self, position: Position) -> dict[int, Position]:
        """The adversary's actions at a lost position after which the rank is one less: its best moves."""
        here = self.rank(position)
        assert here is not None and here > 0
        return {
            action: target
            for target, actions in self.moves(position).items()
            if self.rank(target) == here - 1
            for action in actions
        }

    def best(self, position: Position, action: int) -> Position | None:
        """Where one of those actions leads; None for any other action of the adversary."""
        here, target = self.rank(position), self._stepper.target(position, action)
        assert position.turn is Player.ADVERSARY and here is not None and here > 0
        if target is None or not is_admissible(self.configuration, target):
            return None
        return target if self.rank(target) == here - 1 else None
