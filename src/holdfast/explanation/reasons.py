"""Why the shield forbids a move: the clause that it violates, or how soon a violation is then forced."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.logic.expressions import Player
from holdfast.product import Position, is_admissible, move
from holdfast.solution import Solution, rank


@dataclass(frozen=True)
class MoveVerdict:
    """What the solved game says of one action at one position.

    Attributes:
        action: its index among the mover's actions.
        target: where it leads; None where a tabulated action is not available.
        permitted: whether it belongs to Safe(v).
        rank: of the target; 0 in U, None in W.
        reason: why it is forbidden, in the words of the model; empty if it is permitted.
    """

    action: int
    target: Position | None
    permitted: bool
    rank: int | None
    reason: str


def verdicts(solution: Solution, position: Position) -> tuple[MoveVerdict, ...]:
    """Every action of the mover at v, in the order of the game.

    A defender action is forbidden because it loses; an adversary action because φ_A does not admit it or,
    like the defender's, because it would leave W, which cannot happen inside W.
    """
    configuration = solution.configuration
    n_actions = len(configuration.game.actions[position.turn])
    return tuple(_verdict(solution, position, action) for action in range(n_actions))


def _verdict(solution: Solution, position: Position, action: int) -> MoveVerdict:
    configuration = solution.configuration
    target = move(configuration, position, action)
    if target is None:
        return MoveVerdict(action, None, False, None, "not available here")
    forced = rank(solution, target)
    if position.turn is Player.ADVERSARY and not is_admissible(configuration, target):
        clause = configuration.broken(target, Player.ADVERSARY)[0]
        return MoveVerdict(action, target, False, forced, f"not admissible: {clause}")
    if forced is None:
        return MoveVerdict(action, target, True, None, "")
    if forced == 0:
        reason = f"violates at once: {configuration.broken(target)[0]}"
    else:
        reason = f"the adversary then forces a violation within {forced} move{'s' if forced > 1 else ''}"
    return MoveVerdict(action, target, False, forced, reason)
