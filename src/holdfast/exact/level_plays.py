"""Perfect play where positions cannot be listed: best moves, and a play of them, read off level sets.

With k moves to go the defender chooses what the bound from below promises most after, the adversary what the
bound from above concedes least after. Both are then sure of their own end of the bracket, whatever the other
does; and where the bracket is closed, both ends are tight all along the play, so that its moves are best.
Engagement resets are left to chance and do not happen in the play that is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.budget import UNLIMITED, Budget
from holdfast.exact.climbs import Landmark
from holdfast.exact.lean_arena import merged_solution
from holdfast.exact.level_sets import BracketSearch, level_search
from holdfast.exact.step_functions import INFINITE, Extended
from holdfast.logic.expressions import Player
from holdfast.product import Position, admissible_moves, move
from holdfast.protocol import Protocol
from holdfast.solution import Solution


@dataclass(frozen=True)
class BestReply:
    """A position of perfect play, and what its mover does there.

    Attributes:
        position: where the mover is to choose.
        actions: moves that are best, ascending; the first of them is made. Empty where the adversary is out
            of moves and play rests.
        low, high: the mean of μ over the moves to go lies between them; None where a bound says nothing.
    """

    position: Position
    actions: tuple[int, ...]
    low: float | None
    high: float | None


def best_replies(
    solution: Solution, protocol: Protocol | None = None, n_moves: int = 12, budget: Budget = UNLIMITED
) -> tuple[BestReply, ...]:
    """The first moves of perfect play on both sides; fewer where level sets do not tell how to go on.

    Raises:
        InputError, ModelError: as :func:`~holdfast.exact.level_sets.level_bracket`.
    """
    protocol = protocol or Protocol()
    merged = merged_solution(solution, budget)
    search = level_search(merged, protocol, budget)
    if len(search.sides) < 2:
        return ()
    here, shown, found = merged.configuration.initial, solution.configuration.initial, []
    for to_go in range(protocol.steps, max(0, protocol.steps - n_moves), -1):
        worth = _worth(search, here, to_go - 1)
        if worth is None:
            break
        best = max if here.turn is Player.DEFENDER else min
        actions = tuple(a for a in sorted(worth) if worth[a] == best(worth.values()))
        found.append(BestReply(shown, actions, *_means(search, here, to_go)))
        if actions:
            after, after_shown = (
                move(c, v, actions[0])
                for c, v in ((merged.configuration, here), (solution.configuration, shown))
            )
            assert after is not None and after_shown is not None
            here, shown = after, after_shown
    return tuple(found)


def _worth(search: BracketSearch, here: Position, to_go: int) -> dict[int, Extended] | None:
    """What the mover is sure of after each safe action; None if that is not known."""
    side = search.sides[here.turn is Player.DEFENDER]
    game, values = side.game, side.at(to_go)
    if values is None:
        return None
    worth: dict[int, Extended] = {}
    for action, target in admissible_moves(game.product.configuration, here).items():
        if game.product.blocks.number(target) is not None:
            mark = Landmark.of(game, target)
            if game.winning[mark.lane[0]][mark.lane[1]].eval(mark.point):
                worth[action] = values[mark.lane].at(mark.point)
    unsure = -INFINITE if here.turn is Player.DEFENDER else INFINITE
    return None if worth and all(value == unsure for value in worth.values()) else worth


def _means(search: BracketSearch, here: Position, to_go: int) -> tuple[float | None, float | None]:
    """Bounds of the mean over the moves to go."""
    found = []
    for lower in (True, False):
        side = search.sides[lower]
        values, mark = side.at(to_go), Landmark.of(side.game, here)
        value = None if values is None or mark.lane not in values else values[mark.lane].at(mark.point)
        found.append(float(value * side.game.unit / to_go) if isinstance(value, int) else None)
    return found[0], found[1]
