"""How low the adversary can press μ for good: a bound from above that needs no window.

For a number x let P be the largest set of safe positions in which the adversary can see to it that μ ≤ x for
ever: some admissible move of the adversary, and every safe move of the defender, leads back into P. If it can
force play from v₀ into P within r moves, the long run is at most x, and an episode of T moves at most
r · max μ + (T − r) · x. Where a reset can happen both outcomes count as if the defender chose between them.

Each is one set for each turn and block, found by the attractor, where a window of level sets has one for each
value. So the bound is coarse but cheap where the adversary prevails.
"""

from __future__ import annotations

from functools import partial

from holdfast.budget import Budget
from holdfast.exact.climbs import Landmark
from holdfast.exact.level_game import LevelGame
from holdfast.exact.reset_sets import Lane
from holdfast.logic.diagrams import Diagram
from holdfast.logic.expressions import Player

Places = dict[Lane, Diagram]
"""For each lane a set of states."""


def moves_to_press(game: LevelGame, most: int, budget: Budget) -> int | None:
    """Within how many moves the adversary can force μ down to so many units, for ever; None if it cannot."""
    d, initial = game.product.diagrams, Landmark.of(game, game.product.configuration.initial)
    safe: Places = {(turn, block): game.winning[turn][block] for turn, block in game.lanes}
    tick = partial(budget.tick, "level sets: how low μ can be pressed")
    free: Places = {lane: game.mu[lane].level(most + 1) for lane in safe}
    growing = True
    while growing:
        tick()
        held = d.tidied(partial(_held, game, free))
        larger = {lane: free[lane] | held[lane] & safe[lane] for lane in safe}
        growing, free = larger != free, larger
    if free == safe:
        return None
    n_moves = 0
    while _opened(game, free)[initial.lane].eval(initial.point):
        tick()
        held = d.tidied(partial(_held, game, free))
        smaller = {lane: free[lane] & held[lane] for lane in free}
        if smaller == free:
            return None
        free, n_moves = smaller, n_moves + 1
    return n_moves


def _held(game: LevelGame, places: Places) -> Places:
    """Where the defender can, or the adversary must, move so that the next move begins in the places."""
    opened = _opened(game, places)
    return {lane: game.forced(lane, opened) for lane in places}


def _opened(game: LevelGame, places: Places) -> Places:
    """The places before it is known whether a reset happens, if the defender had the choice."""
    if game.reset is None:
        return places
    found: Places = {}
    for turn in Player:
        after = game.product.diagrams.false
        for block, states in game.reset.starts.items():
            if (turn, block) in places:
                after |= states & places[turn, block]
        before, own = game.reset.before(after), [lane for lane in places if lane[0] is turn]
        found |= {lane: places[lane] | before & game.winning[turn][lane[1]] for lane in own}
    return found
