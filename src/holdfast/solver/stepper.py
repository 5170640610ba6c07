"""The moves of a product game, one position at a time, compiled for games that are asked often.

Actions that lead to the same state and look alike to every automaton come to the same position. So where an
action leads is worked out once for all of them; and what the automata read in a state is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdfast.game import Configuration, Position, State, is_admissible, movers
from holdfast.logic import Player, SafetyAutomaton, reader
from holdfast.solver.quotient import MoveClass, classify_moves

MAX_KEPT = 100_000
"""States of which it is kept, for each class of moves, what the automata read in them."""

Outcomes = dict[Position, tuple[int, ...]]
"""For each successor the actions that lead to it, ascending."""

Columns = tuple[tuple[int, ...], tuple[int, ...]]
"""For each clause of φ_D and of φ_A, the column of its transition table that a letter selects."""


class Stepper:
    """Succ(v, a) and Λ(v) of one configuration."""

    def __init__(self, configuration: Configuration) -> None:
        """Compile the moves and what the automata read; nothing is asked yet."""
        self.configuration = configuration
        classes, self._kinds = classify_moves(configuration)
        self._movers = {player: movers(configuration.game, player) for player in Player}
        self._letters = [_Letters(configuration, kind) for kind in classes]

    def kinds(self, player: Player) -> tuple[int, ...]:
        """For each action of a player, the number of its class: what the automata see of it."""
        return self._kinds[player]

    def groups(self, position: Position, actions: Iterable[int]) -> Iterator[tuple[Position, list[int]]]:
        """Where the actions lead, those that come to the same taken together; unavailable ones left out.

        In the order of their first action. A position may come twice, by actions that look different.
        """
        turn, state = position.turn, position.state
        movers, kinds = self._movers[turn], self._kinds[turn]
        alike: dict[tuple[State, int], list[int]] = {}
        for action in actions:
            after = movers[action](state)
            if after is not None:
                alike.setdefault((after, kinds[action]), []).append(action)
        for (after, kind), own in alike.items():
            yield self._letters[kind].read(position, after), own

    def target(self, position: Position, action: int) -> Position | None:
        """Succ(v, a), or None where a tabulated action is unavailable."""
        return next((target for target, _ in self.groups(position, (action,))), None)

    def outcomes(self, position: Position) -> Outcomes:
        """Λ(v) by successor: every move of the defender, the adversary's moves with q_A' ∈ F_A."""
        targets: dict[Position, list[int]] = {}
        for target, actions in self.groups(position, range(len(self._movers[position.turn]))):
            if position.turn is Player.DEFENDER or is_admissible(self.configuration, target):
                targets.setdefault(target, []).extend(actions)
        return {target: tuple(sorted(actions)) for target, actions in targets.items()}

    def moves(self, position: Position) -> dict[int, Position]:
        """Λ(v) by action, ascending."""
        moves = {a: target for target, actions in self.outcomes(position).items() for a in actions}
        return dict(sorted(moves.items()))


class _Letters:
    """What the automata read when a move of one class leads to a state."""

    def __init__(self, configuration: Configuration, kind: MoveClass) -> None:
        self._sides = configuration.defender, configuration.adversary
        self._readers = [
            [[reader(atom, configuration.game.places) for atom in clause] for clause in side] for side in kind
        ]
        self._known: dict[State, Columns] = {}

    def read(self, position: Position, state: State) -> Position:
        """The position after a move from ``position`` that leads to ``state``."""
        columns = self._known.get(state)
        if columns is None:
            if len(self._known) == MAX_KEPT:
                self._known.clear()
            columns = self._known[state] = self._columns(0, state), self._columns(1, state)
        return Position(
            state,
            position.turn.opponent,
            _after(self._sides[0], position.q_defender, columns[0]),
            _after(self._sides[1], position.q_adversary, columns[1]),
        )

    def _columns(self, side: int, state: State) -> tuple[int, ...]:
        masks = (sum(bool(read(state)) << i for i, read in enumerate(own)) for own in self._readers[side])
        return tuple(a.column[mask] for a, mask in zip(self._sides[side], masks, strict=True))


def _after(
    automata: tuple[SafetyAutomaton, ...], states: tuple[int, ...], columns: tuple[int, ...]
) -> tuple[int, ...]:
    return tuple([a.delta[q][c] for a, q, c in zip(automata, states, columns, strict=True)])
