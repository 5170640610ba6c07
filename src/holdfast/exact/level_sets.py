"""DDR* where listing positions ends: between certified bounds, by level sets of its value.

**Levels.** Let V_k = W_k of :mod:`holdfast.exact`. Positions cannot be listed, but the sets {v : V_k(v) ≥ c}
can be kept as decision diagrams, and only at the values c that occur (:mod:`holdfast.exact.level_game`). Sums
of μ are whole numbers over one denominator, so nothing is rounded except where a reset mixes two values, and
there outwards: down for a bound from below, up for a bound from above. After T moves the bounds of DDR* are
at most two units apart by that.

**Window.** Few values matter at v₀. A bound from below may take what lies far below V_k(v₀) for −∞, and what
lies far above for less than it is; a bound from above may do the contrary. Both stay bounds, since one more
move is a monotone operator. The window moves along with V_k(v₀) and is doubled, for the side that gains by
it, until the bracket is closed; a window as wide as T·(max μ − min μ) cuts nothing off.

**Recurrence.** One more move commutes with adding a number to all values. So if the sets, and the values
relative to V_k(v₀), are at k what they were at k', they recur for ever, with V_k(v₀) − V_k'(v₀) more each
time: the rest of the episode needs no computing, and the gain by move is a bound of the long run, since
V_k(v₀)/k tends to its value (Mertens and Neyman, *Stochastic games*, 1981).
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

from holdfast.arena import require_defensible
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.exact.level_game import LevelGame, Values, level_game
from holdfast.exact.reset_sets import Lane, check_resets
from holdfast.exact.step_functions import Extended, Point, StepFunction
from holdfast.logic.diagrams import OutOfNodes
from holdfast.logic.expressions import Player
from holdfast.operating_point import LEVELS, LongRunBounds, OperatingPoint
from holdfast.product import Position, admissible_moves
from holdfast.protocol import Protocol, reset_chance
from holdfast.solution import Solution, diagrams, rank

CLOSED = 1e-5
"""A bracket narrower than this has a value: its middle."""

FINEST = Fraction(1, 1 << 19)
"""Units in which values are rounded, of μ: two of them are less than :data:`CLOSED`."""

FIRST_WINDOW = Fraction(1, 4)
"""Of the range of μ."""

LONGEST = 512
"""So many moves are followed for the long run, where the episode is shorter."""

CROWDED = 0.5
"""Share of the nodes in use at which what was kept to save work is let go."""


@dataclass(frozen=True)
class SideBound:
    """A bound of V_k from one side, for k = 0, 1, …

    Attributes:
        lower: whether it bounds from below.
        width: of the window, in units to each side of the reference.
        references: V_k(v₀) by k, the middle of the window; where it is not v₀'s turn, the best that follows.
        values: V_k by k, as far as they were kept.
        period: everything recurs after so many moves; 0 if that was not seen.
    """

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
    def of(cls, solution: Solution, game: LevelGame) -> Reference:
        """The reference of a solved, defensible configuration."""
        first = solution.configuration.initial
        moves = dict.fromkeys(admissible_moves(solution.configuration, first).values())
        after = tuple(Landmark.of(game, v) for v in moves if rank(solution, v) is None)
        return cls(Landmark.of(game, first), after)

    def value(self, values: Values, *, with_mu: bool = False) -> Extended:
        """The value at v₀, or where the values are those of the other turn, the best of its successors."""
        own = self.initial.lane in values
        found = [
            values[s.lane].at(s.point) + s.mu * with_mu for s in ((self.initial,) if own else self.after)
        ]
        return max(found) if self.initial.lane[0] is Player.DEFENDER else min(found)


def climbed(game: LevelGame, reference: Reference, bound: SideBound, episode: int, horizon: int) -> SideBound:
    """The bound for k = 0, 1, …, up to the horizon, or until everything recurs, or v₀ leaves the window.

    The turn is v₀'s with as many moves to go as the episode has.

    Raises:
        LimitError: past the budget.
    """
    d = game.product.diagrams
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


# -- the bracket ------------------------------------------------------------------------------------


@dataclass
class BracketSearch:
    """The closest bounds so far: of DDR*, and of the long run.

    ``sides`` are the last bounds of V_k, from below (True) and from above (False), that went to their end.
    """

    low: Fraction
    high: Fraction
    run_low: Fraction
    run_high: Fraction
    sides: dict[bool, SideBound] = field(default_factory=dict)

    def narrow(self, game: LevelGame, reference: Reference, episode: int) -> None:
        """Double the windows until the bracket is closed or nothing is cut off any more."""
        self.low, self.high = self.run_low, self.run_high = range_of_mu(game)
        span = (self.high - self.low) / game.unit
        widest = math.ceil(span * max(episode, LONGEST))
        width = max(1, math.ceil(FIRST_WINDOW * span))
        closer = {True: True, False: True}
        while self.high - self.low >= CLOSED:
            asked = [lower for lower in closer if closer[lower]] or list(closer)
            for lower in asked:
                bound = climbed(game, reference, SideBound(lower, width), episode, max(episode, LONGEST))
                closer[lower] = self.learn(bound, game, episode)
            if width >= widest and len(asked) == len(closer):
                return
            width *= 2

    def learn(self, bound: SideBound, game: LevelGame, episode: int) -> bool:
        """Note what a bound proves; whether a wider window may prove more."""
        total = bound.total(episode)
        if total is None:
            return True
        self.sides[bound.lower] = bound
        before, mean = (self.low, self.high), total * game.unit / episode
        gain = game.unit * Fraction(bound.gain, bound.period) if bound.period else None
        if bound.lower:
            self.low = max(self.low, mean)
            self.run_low = self.run_low if gain is None else max(self.run_low, gain)
        else:
            self.high = min(self.high, mean)
            self.run_high = self.run_high if gain is None else min(self.run_high, gain)
        return before != (self.low, self.high)


def level_bracket(
    solution: Solution, protocol: Protocol | None = None, budget: Budget = UNLIMITED
) -> OperatingPoint:
    """A certified bracket of DDR* and of the long run; at a limit, the bracket so far.

    Raises:
        InputError: for a game that is not factored, a configuration that is not defensible, or a protocol
            that does not fit the game.
        ModelError: for a reset that is refused.
    """
    protocol, started = protocol or Protocol(), time.perf_counter()
    require_defensible(solution)
    search = BracketSearch(Fraction(0), Fraction(1), Fraction(0), Fraction(1))
    with suppress(LimitError, OutOfNodes):
        game = level_game(diagrams(solution, budget), chance_of(solution, protocol), FINEST, budget)
        if game.reset is not None:
            check_resets(solution, game.product, game.winning, game.reset, budget)
        search.narrow(game, Reference.of(solution, game), protocol.steps)
    low, high = rounded_down(search.low), -rounded_down(-search.high)
    return OperatingPoint(
        value=(low + high) / 2 if high - low < CLOSED else None,
        low=low,
        high=high,
        tremble=None,
        epsilon=protocol.epsilon_min,
        long_run=LongRunBounds(rounded_down(search.run_low), -rounded_down(-search.run_high)),
        method=LEVELS,
        seconds=time.perf_counter() - started,
    )


def chance_of(solution: Solution, protocol: Protocol) -> Fraction:
    """The probability of a reset as a fraction; a decimal number means what it says."""
    p = reset_chance(protocol, solution.configuration.game)
    own = solution.configuration.game.reset
    if protocol.reset_probability is None:
        return Fraction(0) if own is None else Fraction(own.probability)
    return Fraction(str(p))


def range_of_mu(game: LevelGame) -> tuple[Fraction, Fraction]:
    """The least and the greatest μ in W."""
    d, dominance = game.product.diagrams, game.product.configuration.game.dominance
    safe = d.false
    for turn, block in game.lanes:
        safe |= game.winning[turn][block]
    values = [value for value, states in d.term(dominance).items() if (states & safe).satisfiable()]
    return min(values), max(values)


def rounded_down(exact: Fraction) -> float:
    """The greatest double that is not above a fraction."""
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)
