"""Bounds of the value move by move, as high as they go: the climb of one side of a bracket.

See :mod:`holdfast.exact.level_sets` for what a window is, and why everything may recur.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

from holdfast.exact.level_game import LevelGame, Values
from holdfast.exact.reset_sets import Lane
from holdfast.exact.step_functions import Extended, Point, StepFunction
from holdfast.logic.expressions import Player
from holdfast.product import Position, admissible_moves

FIRST_WINDOW = Fraction(1, 4)
"""Of the range of μ."""

CROWDED = 0.5
"""Share of the nodes in use at which what was kept to save work is let go."""


@dataclass(frozen=True)
class SideBound:
    """A bound of V_k from one side, for k = 0, 1, …

    Attributes:
        game: whose values are bounded.
        lower: whether it bounds from below.
        width: of the window, in units to each side of the reference.
        references: V_k(v₀) by k, the middle of the window; where it is not v₀'s turn, the best that follows.
        values: V_k by k, as far as they were kept.
        period: everything recurs after so many moves; 0 if that was not seen.
    """

    game: LevelGame = field(repr=False)
    lower: bool
    width: int
    references: list[int] = field(default_factory=list)
    values: dict[int, Values] = field(default_factory=dict, repr=False)
    period: int = 0

    @property
    def gain(self) -> int:
        """What one period adds."""
        return self.references[-1] - self.references[-1 - self.period]

    def total(self, k: int) -> int | None:
        """V_k(v₀), where v₀'s turn is that of k; None if the bound did not come so far."""
        if k < len(self.references):
            return self.references[k]
        if not self.period:
            return None
        times = -(-(k - len(self.references) + 1) // self.period)
        return self.references[k - times * self.period] + times * self.gain

    def at(self, k: int) -> Values | None:
        """V_k; None if it was not kept."""
        if k in self.values:
            return self.values[k]
        times = -(-(k - len(self.references) + 1) // self.period) if self.period else 0
        kept = self.values.get(k - times * self.period)
        if times <= 0 or kept is None:
            return None
        return {lane: function.shifted(times * self.gain) for lane, function in kept.items()}


@dataclass(frozen=True)
class Landmark:
    """A safe position as level sets see it: its lane, its state as bits, and its μ in units."""

    lane: Lane
    point: Point
    mu: int

    @classmethod
    def of(cls, game: LevelGame, position: Position) -> Landmark:
        """The landmark of a position."""
        product, rules = game.product, game.product.configuration.game
        block = product.blocks.number(position)
        assert block is not None
        point = product.diagrams.point(rules.codes(position.state))
        return cls((position.turn, block), point, int(rules.mu(position.state) / game.unit))


@dataclass(frozen=True)
class Reference:
    """v₀, and what it leads to: where the middle of the window is read."""

    initial: Landmark
    after: tuple[Landmark, ...]

    @classmethod
    def of(cls, game: LevelGame) -> Reference:
        """The reference of a game whose v₀ is winning."""
        configuration = game.product.configuration
        moves = dict.fromkeys(admissible_moves(configuration, configuration.initial).values())
        after = [Landmark.of(game, v) for v in moves if game.product.blocks.number(v) is not None]
        safe = [m for m in after if game.winning[m.lane[0]][m.lane[1]].eval(m.point)]
        return cls(Landmark.of(game, configuration.initial), tuple(safe))

    def value(self, values: Values, *, with_mu: bool = False) -> Extended:
        """The value at v₀, or where the values are those of the other turn, the best of its successors."""
        own = self.initial.lane in values
        found = [
            values[s.lane].at(s.point) + s.mu * with_mu for s in ((self.initial,) if own else self.after)
        ]
        return max(found) if self.initial.lane[0] is Player.DEFENDER else min(found)


def first_width(game: LevelGame) -> int:
    """The window to begin with, in units."""
    low, high = game.range_of_mu
    return max(1, math.ceil(FIRST_WINDOW * (high - low) / game.unit))


def climbed(reference: Reference, bound: SideBound, episode: int, horizon: int) -> SideBound:
    """The bound for k = 0, 1, …, up to the horizon, or until everything recurs, or v₀ leaves the window.

    The turn is v₀'s with as many moves to go as the episode has.

    Raises:
        LimitError: past the budget.
    """
    game, d = bound.game, bound.game.product.diagrams
    turn = reference.initial.lane[0] if episode % 2 == 0 else reference.initial.lane[0].opponent
    turns: tuple[Player, ...] = (turn,) if game.alternating else tuple(Player)
    values = {lane: function for lane, function in game.start().items() if lane[0] in turns}
    seen: dict[object, int] = {}
    while True:
        k, here = len(bound.references), reference.value(values)
        if not isinstance(here, int):
            return bound
        bound.references.append(here)
        window = bound.lower, here - bound.width, here + bound.width
        values = {lane: game.cut(lane, function, *window) for lane, function in values.items()}
        bound.values[k] = values
        key = tuple((lane, function.shifted(-here)) for lane, function in sorted_values(values))
        if key in seen:
            return replace(bound, period=k - seen[key])
        seen[key] = k
        if k == horizon:
            return bound
        if d.manager.approx_num_inner_nodes() > CROWDED * d.n_nodes:
            game.forget()
            seen.clear()
            bound.values.clear()
            d.manager.gc()
        turns = tuple(t.opponent for t in turns) if len(turns) == 1 else turns
        game.budget.tick(f"level sets: {k + 1} of {horizon} moves", (k + 1) / horizon)
        best = d.tidied(partial(game.before_moves, values, turns))
        middle = reference.value(best, with_mu=True)
        if not isinstance(middle, int):
            return bound
        window = bound.lower, middle - bound.width, middle + bound.width
        values = d.tidied(partial(game.moved, best, *window))


def sorted_values(values: Values) -> list[tuple[Lane, StepFunction]]:
    """The functions in a fixed order."""
    return sorted(values.items(), key=lambda item: (item[0][0].value, item[0][1]))
