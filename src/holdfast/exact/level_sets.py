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

**Strongholds.** Where v₀ falls out of the windows from below, since play can come to positions that are far
worse, the defender is held to a set that it need never leave (:mod:`holdfast.exact.strongholds`): a bound of
a smaller game, and one of DDR*. Where the adversary can press μ down for good, that bounds DDR* from above
(:mod:`holdfast.exact.footholds`).

**Recurrence.** One more move commutes with adding a number to all values. So if the sets, and the values
relative to V_k(v₀), are at k what they were at k', they recur for ever, with V_k(v₀) − V_k'(v₀) more each
time: the rest of the episode needs no computing, and the gain by move is a bound of the long run, since
V_k(v₀)/k tends to its value (Mertens and Neyman, *Stochastic games*, 1981).
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.arena import require_defensible
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.exact.climbs import Reference, SideBound, climbed, first_width
from holdfast.exact.footholds import Footholds, pressed_sum
from holdfast.exact.layouts import laid_out
from holdfast.exact.level_game import LevelGame, level_game
from holdfast.exact.reset_sets import check_resets, suspicious
from holdfast.exact.strongholds import stronghold
from holdfast.logic.diagrams import OutOfNodes
from holdfast.operating_point import LEVELS, LongRunBounds, OperatingPoint
from holdfast.protocol import Protocol, reset_chance
from holdfast.solution import Solution

CLOSED = 1e-5
"""A bracket narrower than this has a value: its middle."""

FINEST = Fraction(1, 1 << 19)
"""Units in which values are rounded, of μ: two of them are less than :data:`CLOSED`."""

LONGEST = 512
"""So many moves are followed for the long run, where the episode is shorter."""

HELD, PRESSED = 0.3, 0.6
"""Of the time that is left, what a stronghold and its bound may take, and then how low μ can be pressed."""


@dataclass
class BracketSearch:
    """The closest bounds so far: of DDR*, and of the long run.

    ``sides`` are the best bounds of V_k, from below (True) and from above (False), that went to their end.
    """

    low: Fraction
    high: Fraction
    run_low: Fraction
    run_high: Fraction
    sides: dict[bool, SideBound] = field(default_factory=dict)

    @property
    def is_closed(self) -> bool:
        """Whether there are bounds from both sides, and they are close."""
        return self.high - self.low < CLOSED and len(self.sides) == 2

    def narrow(self, game: LevelGame, episode: int) -> None:
        """Double the windows until the bracket is closed or nothing is cut off any more."""
        self.low, self.high = self.run_low, self.run_high = game.range_of_mu
        width, widest = first_width(game), _widest(game, episode)
        reference, closer, held = Reference.of(game), {True: True, False: True}, False
        while not self.is_closed:
            asked = [lower for lower in closer if closer[lower]] or list(closer)
            for lower in sorted(asked, key=self.sides.__contains__):  # first what has no bound yet
                if self.is_closed:
                    return
                bound = climbed(reference, SideBound(game, lower, width), episode, max(episode, LONGEST))
                closer[lower] = self.learn(bound, episode)
                if lower and not held and bound.total(episode) is None:
                    held = True
                    self.hold(game, episode)
                    self.press(game, episode)
            if width >= widest and len(asked) == len(closer):
                return
            width *= 2

    def hold(self, game: LevelGame, episode: int) -> None:
        """A bound from below by a defender who never leaves a stronghold."""
        budget = game.budget.share(HELD)
        kept = stronghold(game, budget.share(0.5))
        if kept is None:
            return
        chance = Fraction(0) if game.reset is None else game.reset.chance
        with suppress(LimitError, OutOfNodes):
            inner = level_game(game.product, kept, chance, FINEST, budget)
            self.low, self.run_low = (max(low, inner.range_of_mu[0]) for low in (self.low, self.run_low))
            reference, width, widest = Reference.of(inner), first_width(inner), _widest(inner, episode)
            closer = True
            while closer and width < 2 * widest:
                bound = climbed(reference, SideBound(inner, True, width), episode, max(episode, LONGEST))
                closer, width = self.learn(bound, episode), 2 * width

    def press(self, game: LevelGame, episode: int) -> None:
        """Bounds from above by how low the adversary can press μ for good, the lowest by halving."""
        footholds = Footholds.of(game, game.budget.share(PRESSED))
        numbers, reached, failed = footholds.numbers, 0, len(footholds.numbers)

        def pressed(place: int, fine: bool) -> bool:
            stages = footholds.stages(place, fine=fine)
            if stages is not None:
                mean = pressed_sum(stages, numbers[place], episode) * game.unit / episode
                self.high = min(self.high, mean)
                self.run_high = min(self.run_high, numbers[place] * game.unit)
            return stages is not None

        with suppress(LimitError, OutOfNodes):
            while failed - reached > 1:
                middle = (reached + failed) // 2
                reached, failed = (middle, failed) if pressed(middle, False) else (reached, middle)
            if reached:
                pressed(reached, True)

    def learn(self, bound: SideBound, episode: int) -> bool:
        """Note what a bound proves; whether a wider window may prove more."""
        total = bound.total(episode)
        if total is None:
            return True
        before, unit = (self.low, self.high), bound.game.unit
        mean = total * unit / episode
        gain = unit * Fraction(bound.gain, bound.period) if bound.period else None
        if mean >= self.low if bound.lower else mean <= self.high:
            self.sides[bound.lower] = bound
        if bound.lower:
            self.low = max(self.low, mean)
            self.run_low = self.run_low if gain is None else max(self.run_low, gain)
        else:
            self.high = min(self.high, mean)
            self.run_high = self.run_high if gain is None else min(self.run_high, gain)
        return before != (self.low, self.high)


def _widest(game: LevelGame, episode: int) -> int:
    """A window that cuts nothing off."""
    low, high = game.range_of_mu
    return math.ceil((high - low) / game.unit * max(episode, LONGEST))


def level_search(solution: Solution, protocol: Protocol, budget: Budget) -> BracketSearch:
    """The closest bounds that the budget allows, with the level sets that they come from."""
    require_defensible(solution)
    search = BracketSearch(Fraction(0), Fraction(1), Fraction(0), Fraction(1))
    with suppress(LimitError, OutOfNodes):
        game = laid_out(solution, chance_of(solution, protocol), FINEST, budget)
        if game.reset is not None and suspicious(game.product, game.winning, game.reset):
            check_resets(solution, budget)
        search.narrow(game, protocol.steps)
    return search


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
    search = level_search(solution, protocol, budget)
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


def rounded_down(exact: Fraction) -> float:
    """The greatest double that is not above a fraction."""
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)
