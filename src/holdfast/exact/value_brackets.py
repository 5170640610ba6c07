"""DDR* where listing positions ends: between certified bounds, by diagrams of its value.

**Values.** Let V_k = W_k of :mod:`holdfast.exact`. Positions cannot be listed, but V_k can be kept as a
decision diagram that ends in values (:mod:`holdfast.exact.value_diagrams`): on a random network of 20 hosts a
few thousand nodes stand for 300 million positions. Sums of μ are whole numbers over one denominator, so
nothing is rounded except where a reset mixes two values, and there outwards: down for a bound from below, up
for a bound from above. After T moves the bounds of DDR* are at most two units apart by that.

**Window.** Few values matter at v₀. A bound from below may take what lies far below V_k(v₀) for −∞, and what
lies far above for less than it is; a bound from above may do the contrary. Both stay bounds, since one more
move is a monotone operator. The window moves along with V_k(v₀) and is doubled until the bracket is closed; a
window as wide as T·(max μ − min μ) cuts nothing off.

**Deep windows.** Where the adversary prevails slowly, play comes to positions that are worse by many moves'
worth of μ, and a window that is to hold them as well as v₀ is wide. What is better than v₀ matters as little
as ever. So wide windows take turns with *deep* ones, which cut nothing off below.

**Strongholds.** Where v₀ falls out of the first window from below, the defender is held to a set that it need
never leave (:mod:`holdfast.exact.strongholds`): a bound of a smaller game, and one of DDR*.

**Growth.** One more move commutes with adding a number to all values. So if a bound of V_k from below has
grown everywhere by at least g in d moves, V grows by at least g in each d moves to come: that is a bound of
the rest of the episode, and g/d one of the long run, since V_k(v₀)/k tends to its value (Mertens and Neyman,
*Stochastic games*, 1981). In the same way from above. It is asked for now and then, so that a limit finds
some bound; and where values grow evenly, or recur, nothing is gained by going on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

from holdfast.arena import require_defensible
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.exact.climbs import Reference, SideBound, climb, first_width
from holdfast.exact.layouts import SMALL, laid_out
from holdfast.exact.reset_sets import check_resets, suspicious
from holdfast.exact.strongholds import stronghold
from holdfast.exact.value_game import ValueGame, value_game
from holdfast.logic.diagrams import OutOfNodes
from holdfast.operating_point import LEVELS, LongRunBounds, OperatingPoint
from holdfast.protocol import Protocol, reset_chance
from holdfast.solution import Solution

CLOSED = 1e-5
"""A bracket narrower than this has a value: its middle."""

FINEST = Fraction(1, 1 << 19)
"""Units in which values are rounded, of μ: four of them are less than :data:`CLOSED`."""

HELD, DEEP = 0.3, 0.6
"""Of the time that is left, what a stronghold and its bound may take; and then a side of a deep window."""

WIDE, FAR = 32, 0.25
"""A window so many times as wide as the first is a wide one; bounds so far apart are far apart."""

LONGEST = 512
"""So many moves are followed for the long run, where the episode is shorter."""


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

    def narrow(self, game: ValueGame, episode: int) -> None:
        """Try wider windows until the bracket is closed or nothing is cut off any more.

        A side whose bound did not change waits until the other's does not either.
        """
        self.low, self.high = self.run_low, self.run_high = game.range_of_mu
        first, latest, asked = first_width(game), dict[tuple[bool, bool], int | None](), {True, False}
        for window in self.windows(game, episode):
            deep = window[0] > window[1]
            for lower in sorted(asked, key=lambda side: (side in self.sides, side == deep)):
                share = replace(game, budget=game.budget.share(DEEP)) if deep else game
                total = None
                with suppress(LimitError, OutOfNodes):
                    total = self.climb(SideBound(share, lower, window), episode)
                game.budget.tick("bounds of DDR*")
                if self.is_closed:
                    return
                if total is not None and total == latest.get((lower, deep)):
                    asked = asked - {lower}
                latest[lower, deep] = total
            if window == (first, first) and True not in self.sides:
                self.hold(game, episode)
            asked = asked or {True, False}

    def windows(self, game: ValueGame, episode: int) -> Iterator[tuple[int, int]]:
        """Windows to try: as far below as above, and deep ones in between when these get wide.

        That is at once where bounds of a large game are far apart after the first of them.
        """
        width = deep = first = first_width(game)
        widest, large = _widest(game, episode), game.product.configuration.game.n_valuations > SMALL
        while width < widest:
            far = large and width > first and self.high - self.low > FAR
            if far or width >= WIDE * first:
                yield widest, deep
                deep = min(2 * deep, widest)
            yield width, width
            width *= 2
        yield widest, widest

    def climb(self, fresh: SideBound, episode: int) -> int | None:
        """Note what a bound proves on its way; V_T(v₀) by it, or None if it did not come so far."""
        game, horizon = fresh.game, max(episode, LONGEST)
        kept = [side for side in self.sides.values() if side.game.table is game.table]
        for bound in climb(Reference.of(game), fresh, episode, horizon, kept):
            self.learn(bound, episode)
        return bound.total(episode)

    def hold(self, game: ValueGame, episode: int) -> None:
        """A bound from below by a defender who never leaves a stronghold."""
        budget = game.budget.share(HELD)
        kept = stronghold(game, budget.share(0.5))
        if kept is None:
            return
        chance = Fraction(0) if game.reset is None else game.reset.sets.chance
        with suppress(LimitError, OutOfNodes):
            inner = value_game(game.product, kept, chance, FINEST, budget)
            self.low, self.run_low = (max(low, inner.range_of_mu[0]) for low in (self.low, self.run_low))
            latest = dict[bool, int | None]()
            for window in self.windows(inner, episode):
                deep, total = window[0] > window[1], self.climb(SideBound(inner, True, window), episode)
                if total is not None and total == latest.get(deep):
                    return
                latest[deep] = total

    def learn(self, bound: SideBound, episode: int) -> None:
        """Note what a bound proves."""
        total, unit = bound.total(episode), bound.game.unit
        if total is None:
            return
        mean = total * unit / episode
        gain = unit * Fraction(bound.gain, bound.period) if bound.period else None
        closest = mean >= self.low if bound.lower else mean <= self.high
        if bound.values and (closest or bound.lower not in self.sides):
            self.sides[bound.lower] = bound
        if bound.lower:
            self.low = max(self.low, mean)
            self.run_low = self.run_low if gain is None else max(self.run_low, gain)
        else:
            self.high = min(self.high, mean)
            self.run_high = self.run_high if gain is None else min(self.run_high, gain)


def _widest(game: ValueGame, episode: int) -> int:
    """A window that cuts nothing off."""
    low, high = game.range_of_mu
    return math.ceil((high - low) / game.unit * max(episode, LONGEST))


def value_search(solution: Solution, protocol: Protocol, budget: Budget) -> BracketSearch:
    """The closest bounds that the budget allows, with the value diagrams that they come from."""
    require_defensible(solution)
    search = BracketSearch(Fraction(0), Fraction(1), Fraction(0), Fraction(1))
    with suppress(LimitError, OutOfNodes):
        game = laid_out(solution, chance_of(solution, protocol), FINEST, budget)
        if game.reset is not None and suspicious(game.product, game.winning, game.reset.sets):
            check_resets(solution, budget)
        search.narrow(game, protocol.steps)
    return search


def value_bracket(
    solution: Solution, protocol: Protocol | None = None, budget: Budget = UNLIMITED
) -> OperatingPoint:
    """A certified bracket of DDR* and of the long run; at a limit, the bracket so far.

    Raises:
        InputError: for a game that is not factored, a configuration that is not defensible, or a protocol
            that does not fit the game.
        ModelError: for a reset that is refused.
    """
    protocol, started = protocol or Protocol(), time.perf_counter()
    search = value_search(solution, protocol, budget)
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
