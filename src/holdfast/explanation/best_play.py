"""Perfect play shown: what DDR* is made of, move by move.

Both sides make the best of the whole episode; the first moves are told, and what each side can be sure of by
then. Moves that lead to the same position are one.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Configuration, Position, Protocol, move
from holdfast.operation import BestReply, best_replies
from holdfast.solver import MoveInWords, Solution, move_in_words


@dataclass(frozen=True)
class BestMove:
    """A move of perfect play.

    Attributes:
        move: what is done.
        others: what would have been as good, and leads elsewhere.
        low, high: before it, the mean of μ over the moves to go lies between them; None where not known.
    """

    move: MoveInWords
    others: tuple[str, ...]
    low: float | None
    high: float | None


@dataclass(frozen=True)
class BestPlay:
    """The first moves of perfect play on both sides, of an episode of ``steps`` moves."""

    steps: int
    moves: tuple[BestMove, ...]


def best_play(solution: Solution, protocol: Protocol, budget: Budget = UNLIMITED) -> BestPlay:
    """How perfect players begin an episode of a defensible configuration.

    Raises:
        ModelError: for a reset that is refused.
        LimitError: where no bounds of both sides were found in time.
    """
    replies = best_replies(solution, protocol, budget=budget)
    if not replies:
        raise LimitError("the time ran out before there were bounds from both sides")
    moves = []
    for reply in replies:
        targets = _targets(solution.configuration, reply)
        if not targets:  # the adversary has no moves left: play ends here
            break
        system, here = solution.configuration.system, reply.position
        named = [move_in_words(system, here, action, after) for after, action in targets.items()]
        moves.append(BestMove(named[0], tuple(one.action for one in named[1:]), reply.low, reply.high))
    return BestPlay(protocol.steps, tuple(moves))


def _targets(configuration: Configuration, reply: BestReply) -> dict[Position, int]:
    """Where the best moves lead, and the first that leads there."""
    action_to: dict[Position, int] = {}
    for action in reply.actions:
        after = move(configuration, reply.position, action)
        assert after is not None
        action_to.setdefault(after, action)
    return action_to
