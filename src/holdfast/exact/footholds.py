"""How low the adversary can press μ for good: a bound from above that needs no window.

For a number x let P(x) be the largest set of safe positions in which the adversary can see to it that μ ≤ x
for ever: some admissible move of the adversary, and every safe move of the defender, leads back into it.
Where a reset can happen both outcomes count as if the defender chose between them.

The adversary presses in stages. For falling numbers x₀ > x₁ > … > x_m, x₀ being the greatest μ of all, let
T_m = P(x_m), and T_i the positions from which play can be forced into T_{i+1} within r_i moves, never leaving
P(x_i). If v₀ is in T₀, an episode has at most r₀ moves with a μ of up to x₀, then at most r₁ with one of up
to x₁, and so on; after that none has more than x_m. That bounds its mean, and x_m the long run.

Each stage is one set for each turn and block, found by the attractor, where a window of level sets has one
for each value. So the bound is cheap where the adversary prevails. The last number is found by halving, with
one stage alone; only then are all numbers on the way to it taken for stages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from holdfast.budget import Budget
from holdfast.exact.climbs import Landmark
from holdfast.exact.level_game import LevelGame
from holdfast.exact.reset_sets import Lane
from holdfast.logic.diagrams import Diagram
from holdfast.logic.expressions import Player

Places = dict[Lane, Diagram]
"""For each lane a set of states."""

Stage = tuple[int, int]
"""A number of units that μ does not exceed, and for how many moves at most."""


@dataclass
class Footholds:
    """P(x) for the numbers that were asked for, each by what it leaves to the defender.

    Attributes:
        numbers: all values of μ, in units, falling.
        free: for a place among the numbers, the safe positions that are not in P of it.
    """

    game: LevelGame
    budget: Budget
    numbers: tuple[int, ...]
    free: dict[int, Places] = field(default_factory=dict)

    @classmethod
    def of(cls, game: LevelGame, budget: Budget) -> Footholds:
        """None asked for yet."""
        found = {value for function in game.mu.values() for value in function.values}
        return cls(game, budget, tuple(sorted(found, reverse=True)))

    def stages(self, last: int, *, fine: bool) -> list[Stage] | None:
        """The stages in which the number with this place is reached from v₀; None if it cannot be forced.

        One stage, which is quicker to find; or, if they are to be fine, one for each number on the way.

        Raises:
            LimitError: past the budget.
        """
        game = self.game
        safe = {(turn, block): game.winning[turn][block] for turn, block in game.lanes}
        missed = self.left(last)
        if missed == safe:
            return None
        found: list[Stage] = []
        for place in reversed(range(last)) if fine else (0,):
            if not self._misses_start(missed):
                break
            missed, n_moves = self._forced(missed, self.left(place))
            found.append((self.numbers[place], n_moves))
        return None if self._misses_start(missed) else found[::-1]

    def left(self, place: int) -> Places:
        """The safe positions outside of P: from them the defender can come to a greater μ."""
        game = self.game
        if place not in self.free:
            nearest = max((other for other in self.free if other < place), default=None)
            most = self.numbers[place] + 1
            start = {lane: game.mu[lane].level(most) for lane in game.lanes}
            if nearest is not None:
                start = {lane: start[lane] | self.free[nearest][lane] for lane in start}
            self.free[place] = self._reaching(start)
        return self.free[place]

    def _reaching(self, places: Places) -> Places:
        """From where the defender can come to the places, sooner or later."""
        while True:
            held = self._held(places)
            after = {lane: places[lane] | held[lane] for lane in places}
            if after == places:
                return places
            places = after

    def _forced(self, missed: Places, free: Places) -> tuple[Places, int]:
        """What is missed when a stage is added, outside of what is free; and how many moves it takes."""
        n_moves = 0
        while self._misses_start(missed):
            held = self._held(missed)
            after = {lane: missed[lane] & (held[lane] | free[lane]) for lane in missed}
            if after == missed:
                break
            missed, n_moves = after, n_moves + 1
        return missed, n_moves

    def _misses_start(self, missed: Places) -> bool:
        """Whether v₀ is still missed."""
        initial = Landmark.of(self.game, self.game.product.configuration.initial)
        return bool(_opened(self.game, missed)[initial.lane].eval(initial.point))

    def _held(self, places: Places) -> Places:
        """Where the defender can, or the adversary must, move so that the next move begins in the places."""
        self.budget.tick("level sets: how low μ can be pressed")
        return self.game.product.diagrams.tidied(partial(_held, self.game, places))


def pressed_sum(stages: list[Stage], last: int, n_moves: int) -> int:
    """A bound of the sum of μ over an episode, in units, if it is at most ``last`` after the stages."""
    total = 0
    for most, moves in stages:
        now = min(moves, n_moves)
        total, n_moves = total + now * most, n_moves - now
    return total + n_moves * last


def _held(game: LevelGame, places: Places) -> Places:
    """Where the defender can, or the adversary must, move so that the next move begins in the places."""
    opened = _opened(game, places)
    safe = {lane: game.winning[lane[0]][lane[1]] for lane in places}
    return {lane: game.forced(lane, opened) & safe[lane] for lane in places}


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
