"""Safe(v) asked of a solution position by position, for games too large to enumerate.

With decision diagrams the states in which an action is safe are one diagram for each block, the
predecessor of W under that action, and Safe(v) is one compiled walk down each of them. The sets of a
block are built and flattened when play first comes to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.engines.quotient import classify_moves
from holdfast.engines.symbolic import SymbolicRegions
from holdfast.game import State, successor
from holdfast.logic.expressions import Player
from holdfast.product import Position, move, preimage
from holdfast.shield import safe_actions
from holdfast.solution import Solution

if TYPE_CHECKING:
    from holdfast.engines.flat import FlatDiagrams


class Permitted:
    """The shield of one solution; any engine's, fastest on the symbolic engine's."""

    def __init__(self, solution: Solution) -> None:
        """Prepare; no diagram is built yet."""
        self.solution = solution
        self._kinds = classify_moves(solution.configuration)[1]
        self._safe: dict[tuple[Player, int], FlatDiagrams] = {}
        symbolic = isinstance(solution.regions, SymbolicRegions)
        self._winning = solution.regions.winning() if symbolic else None  # type: ignore[attr-defined]

    def actions(self, position: Position) -> tuple[int, ...]:
        """Safe(v) of a winning position, ascending."""
        regions = self.solution.regions
        if not isinstance(regions, SymbolicRegions):
            return safe_actions(self.solution, position)
        block = regions.arena.blocks.number(position)
        assert block is not None
        if position.turn is Player.ADVERSARY and regions.arena.blocks.is_sink(block):
            return ()
        key = position.turn, block
        if key not in self._safe:
            self._safe[key] = self._sets(regions, *key)
        return tuple(np.flatnonzero(self._safe[key].members(position.state)).tolist())

    def moves(self, position: Position) -> dict[int, Position]:
        """Safe(v) of a winning position with the successor of each action.

        Actions that lead to the same state and look alike to every automaton share one successor.
        """
        configuration, turn = self.solution.configuration, position.turn
        known: dict[tuple[State | None, int], Position] = {}
        moves = {}
        for action in self.actions(position):
            key = successor(configuration.game, turn, action, position.state), self._kinds[turn][action]
            if key not in known:
                target = move(configuration, position, action)
                assert target is not None
                known[key] = target
            moves[action] = known[key]
        return moves

    def _sets(self, regions: SymbolicRegions, turn: Player, block: int) -> FlatDiagrams:
        """For each action, the states of a block in which it is safe."""
        assert self._winning is not None
        targets, diagrams = self._winning[turn.opponent], regions.arena.diagrams
        goals = {
            kind: regions.arena.goal(kind, block, targets, unsafe=False) for kind in set(self._kinds[turn])
        }
        game = self.solution.configuration.game
        sets = [
            preimage(diagrams, action, goals[kind])
            for action, kind in zip(game.actions[turn], self._kinds[turn], strict=True)
        ]
        from holdfast.engines.flat import flatten  # brings numba, which only large games need

        return flatten(diagrams, game.variables, sets)
