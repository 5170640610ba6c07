"""One defense that reaches a goal, followed move by move, and the additions that leave it as it is.

The ranks of a recovery (:mod:`holdfast.solver.recovery`) speak of every position from which the goal can be
forced soon. One defense needs few of them: from v₀ it always moves where the rank is least, and whatever the
adversary answers there, it is lower down again. At the goal it goes on like that, and rests where it may. An
addition that opens no move at any of the positions that are met leaves this defense what it is, and so does
any number of such additions together. Where the positions are closed, the defense lasts: it needs no other
proof that the requirement is kept, as all of them are winning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from holdfast.budget import Budget
from holdfast.game import Action, Addition, Position, State, choices, mover_of
from holdfast.logic import Player, reader
from holdfast.solver import RecoveryProof, SolvedGame

MOST_FOLLOWED = 20_000
"""Positions of one defense that are looked at."""


@dataclass(frozen=True)
class FollowedDefense:
    """Where the adversary moves while one defense takes the play to a goal.

    Attributes:
        states: there.
        lasting: whether the defense goes on for ever once it is at the goal, and these are all states.
        board: the solved design.
    """

    states: frozenset[State]
    lasting: bool
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
    to_goal = _met(board, proof, [start], budget, rests=True)
    if to_goal is None:
        return None
    beyond = _met(board, proof, to_goal, budget, rests=False)
    met = to_goal if beyond is None else to_goal | beyond
    states = frozenset(position.state for position in met if position.turn is Player.ADVERSARY)
    return FollowedDefense(states, beyond is not None, board)


def _met(
    board: SolvedGame, proof: RecoveryProof, begin: Iterable[Position], budget: Budget, *, rests: bool
) -> set[Position] | None:
    """What is met from some positions, as far as the goal or for ever; None where it cannot be followed."""
    seen = set(begin)
    waiting = list(seen)
    while waiting:
        here = waiting.pop()
        budget.tick()
        rank = _rank(proof, here)
        if rank is None or len(seen) > MOST_FOLLOWED:
            return None
        if rank == 0 and rests:
            continue
        fresh = set(_onward(board, proof, here)) - seen
        seen |= fresh
        waiting += fresh
    return seen


def _onward(board: SolvedGame, proof: RecoveryProof, here: Position) -> Iterable[Position]:
    """Where the play goes on: to all that the adversary may do, to all outcomes of what the defender does."""
    moves = board.moves(here)
    if here.turn is Player.ADVERSARY:
        return moves
    target = {action: after for after, actions in moves.items() for action in actions}
    ways = [
        {target[number] for number in outcomes if number in target}
        for outcomes in choices(board.game, here.turn)
    ]

    def order(way: set[Position]) -> tuple[float, bool]:
        ranks = [_rank(proof, after) for after in way]
        worst = max(math.inf if rank is None else rank for rank in ranks)
        return worst, any(after.state != here.state for after in way)

    return min(filter(None, ways), key=order)


def _rank(proof: RecoveryProof, position: Position) -> int | None:
    return next((rank for rank, ranked in enumerate(proof.ranks) if position in ranked), None)
