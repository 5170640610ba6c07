"""One defense that reaches a goal, followed move by move, and the additions that leave it as it is.

The ranks of a recovery (:mod:`holdfast.solver.recovery`) speak of every position from which the goal can be
forced soon. One defense needs few of them: from v₀ it always moves where the rank is least, and whatever the
adversary answers there, it is lower down again. An addition that opens no move at any of the positions that
are met leaves this defense what it is, and so does any number of such additions together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from holdfast.budget import Budget
from holdfast.game import Action, Addition, Position, State, mover_of
from holdfast.logic import Player, reader
from holdfast.solver import RecoveryProof, SolvedGame

MOST_FOLLOWED = 20_000
"""Positions of one defense that are looked at."""


@dataclass(frozen=True)
class FollowedDefense:
    """Where the adversary moves while one defense takes the play to a goal.

    Attributes:
        states: there.
        board: the solved design.
    """

    states: frozenset[State]
    board: SolvedGame
    _known: dict[Action, frozenset[State]] = field(default_factory=dict, repr=False)

    def is_touched_by(self, addition: Addition) -> bool:
        """Whether an addition that opens a move lets it lead elsewhere at one of the states."""
        assert addition.opens is not None
        action, when = addition.opens
        is_open = reader(when, self.board.game.places)
        return any(is_open(state) for state in self._changed(action))

    def _changed(self, action: Action) -> frozenset[State]:
        """The states at which the adversary's move of this name leads elsewhere if it does so much."""
        if action not in self._known:
            game = self.board.game
            own = next(each for each in game.actions[Player.ADVERSARY] if each.name == action.name)
            before, after = mover_of(game, own), mover_of(game, action)
            self._known[action] = frozenset(
                state for state in self.states if after(state) not in (state, before(state))
            )
        return self._known[action]


def followed_defense(
    board: SolvedGame, proof: RecoveryProof, start: Position, budget: Budget
) -> FollowedDefense | None:
    """The defense by the ranks of a proof from a position; None where that has none, or it meets too many.

    Raises:
        LimitError: past the budget.
    """
    waiting, seen, states = [start], {start}, set[State]()
    while waiting:
        here = waiting.pop()
        budget.tick()
        rank = _rank(proof, here)
        if rank is None or len(seen) > MOST_FOLLOWED:
            return None
        if rank == 0:
            continue
        moves: Iterable[Position] = board.moves(here)
        if here.turn is Player.DEFENDER:
            ranked = {after: lower for after in moves if (lower := _rank(proof, after)) is not None}
            moves = [min(ranked, key=lambda after: ranked[after])]
        else:
            states.add(here.state)
        fresh = [after for after in moves if after not in seen]
        seen.update(fresh)
        waiting += fresh
    return FollowedDefense(frozenset(states), board)


def _rank(proof: RecoveryProof, position: Position) -> int | None:
    return next((rank for rank, ranked in enumerate(proof.ranks) if position in ranked), None)
