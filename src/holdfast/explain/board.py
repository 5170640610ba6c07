"""A solved game asked position by position: moves by where they lead, and ranks, each worked out once."""

from __future__ import annotations

from holdfast.engines.quotient import ClauseAtoms, classify_moves
from holdfast.explain.compiled import Reader, movers, reader
from holdfast.game import State
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.expressions import Player
from holdfast.product import Position, is_admissible
from holdfast.solution import Solution

Moves = dict[Position, tuple[int, ...]]
"""For each successor the actions that lead to it, ascending."""

Tuple = tuple[int, ...]


class Board:
    """The moves and ranks of one solution."""

    def __init__(self, solution: Solution) -> None:
        """Compile the moves and what the automata read; nothing is asked yet."""
        self.solution, self.configuration = solution, solution.configuration
        self.game, self.initial = solution.configuration.game, solution.configuration.initial
        classes, self._kinds = classify_moves(self.configuration)
        self._movers = {player: movers(self.game, player) for player in Player}
        places = {variable.name: i for i, variable in enumerate(self.game.variables)}
        sides = (self.configuration.defender, self.configuration.adversary)
        self._letters = [
            tuple(_Letters(side, atoms, places) for side, atoms in zip(sides, kind, strict=True))
            for kind in classes
        ]
        self._ranks: dict[Position, int | None] = {}
        self._moves: dict[Position, Moves] = {}

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""
        if position not in self._ranks:
            self._ranks[position] = self.solution.regions.rank(position)
        return self._ranks[position]

    def moves(self, position: Position) -> Moves:
        """Λ(v) by successor; actions that do the same and read the same are followed once."""
        if position not in self._moves:
            self._moves[position] = self._found(position)
        return self._moves[position]

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
        here, state = self.rank(position), self._movers[Player.ADVERSARY][action](position.state)
        assert here is not None and here > 0
        if state is None:
            return None
        target = self._target(position, self._kinds[Player.ADVERSARY][action], state)
        is_best = is_admissible(self.configuration, target) and self.rank(target) == here - 1
        return target if is_best else None

    def _found(self, position: Position) -> Moves:
        turn = position.turn
        after: dict[tuple[State, int], list[int]] = {}
        for action, (mover, kind) in enumerate(zip(self._movers[turn], self._kinds[turn], strict=True)):
            state = mover(position.state)
            if state is not None:
                after.setdefault((state, kind), []).append(action)
        found: dict[Position, list[int]] = {}
        for (state, kind), actions in after.items():
            target = self._target(position, kind, state)
            if turn is Player.DEFENDER or is_admissible(self.configuration, target):
                found.setdefault(target, []).extend(actions)
        return {target: tuple(sorted(actions)) for target, actions in found.items()}

    def _target(self, position: Position, kind: int, state: State) -> Position:
        """The position after a move of a class that leads to a state."""
        defender, adversary = self._letters[kind]
        return Position(
            state,
            position.turn.opponent,
            defender.read(position.q_defender, state),
            adversary.read(position.q_adversary, state),
        )


class _Letters:
    """What the automata of one side read when a move of one class leads to a state."""

    def __init__(
        self, automata: tuple[SafetyAutomaton, ...], atoms: ClauseAtoms, places: dict[str, int]
    ) -> None:
        self.automata = automata
        self.readers: list[list[Reader]] = [[reader(atom, places) for atom in own] for own in atoms]
        self.known: dict[State, Tuple] = {}

    def read(self, states: Tuple, state: State) -> Tuple:
        """The automaton states after the letter."""
        if state not in self.known:
            masks = (sum(bool(r(state)) << i for i, r in enumerate(own)) for own in self.readers)
            self.known[state] = tuple(a.column[m] for a, m in zip(self.automata, masks, strict=True))
        columns = self.known[state]
        return tuple(a.delta[q][j] for a, q, j in zip(self.automata, states, columns, strict=True))
