"""DDR* where listing positions ends: between certified bounds, by diagrams of its value.

**Values.** Let V_k = W_k of :mod:`holdfast.arena.bellman`. Positions cannot be listed, but V_k can be kept as
a decision diagram that ends in values (:mod:`holdfast.operation.brackets.value_diagrams`): on a random
network of 20 hosts a few thousand nodes stand for 300 million positions. Sums of μ are whole numbers over one
denominator, so
nothing is rounded except where a reset mixes two values, and there outwards: down for a bound from below, up
for a bound from above. After T moves the bounds of DDR* are at most two units apart by that.

**Window.** Few values matter at v₀. A bound from below may take what lies far below V_k(v₀) for −∞, and what
lies far above for less than it is; a bound from above may do the contrary. Both stay bounds, since one more
move is a monotone operator. The window moves along with V_k(v₀) and is doubled until the bracket is closed; a
window as wide as T·(max μ − min μ) cuts nothing off.

**Deep windows.** Where the adversary prevails slowly, play comes to positions that are worse by many moves'
worth of μ, and narrower windows are in vain. What is better than v₀ matters as little as ever. So *deep*
windows, which cut nothing off below, are tried beside wider ones.

**Strongholds.** Before that the defender is held to a set that it need never leave
(:mod:`holdfast.operation.brackets.strongholds`): a bound of a smaller game from below, and one of DDR*.

**Growth.** One more move commutes with adding a number to all values. So if a bound of V_k from below has
grown everywhere by at least g in d moves, V grows by at least g in each d moves to come: that is a bound of
the rest of the episode, and g/d one of the long run, since V_k(v₀)/k tends to its value (Mertens and Neyman,
*Stochastic games*, 1981). In the same way from above. It is asked for now and then, so that a limit finds
some bound; and where values grow evenly, or recur, nothing is gained by going on.

**Growth at v₀.** Some positions gain more in the long run than others, and then values never grow evenly. But
where they are said to be −∞ a bound from below still is one, and nothing is asked of their growth. So as soon
as V_k(v₀) grows steadily, positions that do not keep up with it are given up. If v₀ can do without them, what
is left grows by as much, and so does V(v₀) to the end. In the same way from above.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from holdfast.arena import require_defensible
from holdfast.budget import UNLIMITED, Budget, unwatched
from holdfast.errors import LimitError
from holdfast.game import Protocol, reset_chance
from holdfast.logic import OutOfNodes
from holdfast.operation.brackets.climbs import Reference, SideBound, climb, first_width
from holdfast.operation.brackets.layouts import laid_out
from holdfast.operation.brackets.reset_sets import check_resets, suspicious
from holdfast.operation.brackets.strongholds import stronghold
from holdfast.operation.brackets.value_game import ValueGame, value_game
from holdfast.operation.result import LEVELS, LongRunBounds, OperatingPoint
from holdfast.solver import Solution

CLOSED = 1e-5
"""A bracket narrower than this has a value: its middle."""

FINEST = Fraction(1, 1 << 19)
"""Units in which values are rounded, of μ: four of them are less than :data:`CLOSED`."""

HELD = 0.15
"""Of the time that is left, what may be spent on looking for a stronghold."""

FIRST_TURN, FAR = 1 << 20, 0.01
"""When so many nodes have been made for wider windows, or twice as many, and so on, and the bounds are so far
apart, deep windows are tried beside them."""

SECONDS_BETWEEN_TICKS = 0.1

IN_VAIN = 2
"""A window can be widened below and above; when both were in vain, it is widened in both ways."""

LONGEST = 512
"""So many moves are followed for the long run, where the episode is shorter."""


class Widening(NamedTuple):
    """A window, so many units below and above: twice as wide as another one below, above, or in both ways.

    Attributes:
        window: to be tried.
        base: what it is twice as wide as, the last window but those that were tried in vain.
        way: 0 if it is widened below, 1 if above.
        in_vain: how often the base was widened before; the third time in both ways.
    """

    window: tuple[int, int]
    base: tuple[int, int]
    way: int = 0
    in_vain: int = 0


def wider(now: Widening, better: bool, widest: int) -> Widening:
    """The next window to try: one way as long as it helps, then the other way, and then both.

    >>> tried = Widening((1, 1), (1, 1))
    >>> for better in (True, True, False, False, False):
    ...     tried = wider(tried, better, 9)
    ...     print(tried.window)
    (2, 1)
    (4, 1)
    (2, 2)
    (4, 2)
    (8, 2)
    """
    again = better or now.in_vain == IN_VAIN
    base, way = (now.window, now.way) if again else (now.base, 1 - now.way)
    in_vain = 0 if again else now.in_vain + 1
    both = in_vain == IN_VAIN
    below, above = (min(2 * size, widest) if both or i == way else size for i, size in enumerate(base))
    found = Widening((below, above), base, way, in_vain)
    return wider(found, False, widest) if found.window == base != (widest, widest) else found


class _NoNeedError(LimitError):
    """The bracket was closed elsewhere."""


@dataclass(eq=False)
class BracketSearch:
    """The closest bounds so far: of DDR*, and of the long run.

    ``sides`` are the best bounds of V_k, from below (True) and from above (False), whose values are kept;
    ``proved`` are their ends of DDR*, or those of a search beside this one. ``work`` is how many nodes all
    bounds have made, and ``is_over`` says that no more are needed.
    """

    low: Fraction
    high: Fraction
    run_low: Fraction
    run_high: Fraction
    sides: dict[bool, SideBound] = field(default_factory=dict)
    proved: dict[bool, Fraction] = field(default_factory=dict)
    work: int = 0
    is_over: bool = False

    @property
    def ends(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """Both ends of DDR* and of the long run."""
        return self.low, self.high, self.run_low, self.run_high

    @property
    def is_closed(self) -> bool:
        """Whether there are bounds from both sides, and they are close."""
        proved = self.proved
        return len(proved) == 2 and proved[False] - proved[True] < CLOSED

    def narrow(self, game: ValueGame, episode: int) -> None:
        """Try wider windows until the bracket is closed or nothing is cut off, and deep ones if need be."""
        self.low, self.high = self.run_low, self.run_high = game.range_of_mu
        way, until = self.widened(self._heeding(game), episode), FIRST_TURN
        for _ in way:
            if self.is_closed:
                return
            if self.work > until:
                until *= 2
                if self.high - self.low > FAR:
                    self._narrow_beside(game, way, episode)
                    return

    def _narrow_beside(self, game: ValueGame, way: Iterator[None], episode: int) -> None:
        """Go on, while another thread tries deep windows on values of its own; in turn, on a single core.

        Which of them closes the bracket is a matter of time.
        """
        beside, budget = BracketSearch(*self.ends), game.budget
        watch = budget.watch if budget.workers == 1 else unwatched
        deep = beside.deepened(beside._heeding(replace(game, budget=replace(budget, watch=watch))), episode)
        try:
            if budget.workers == 1:
                self._follow(_in_turn(self, way, beside, deep), beside)
                return
            with ThreadPoolExecutor(1) as pool:
                other = pool.submit(beside._follow, deep, self)
                try:
                    self._follow(way, beside)
                    while not self.is_closed and not other.done():
                        wait([other], SECONDS_BETWEEN_TICKS)
                        budget.tick("bounds of DDR*")
                finally:
                    beside.is_over = True
            other.result()
        finally:
            self.take(beside)
            for bound in beside.sides.values():
                self._keep(bound, episode)

    def _follow(self, way: Iterator[None], beside: BracketSearch) -> None:
        """Go on with one way until the bracket is closed, here or beside."""
        with suppress(_NoNeedError):
            for _ in way:
                self.take(beside)
                if self.is_closed:
                    beside.is_over = True
                    return

    def take(self, other: BracketSearch) -> None:
        """Take over what another search has proved."""
        self.low, self.run_low = max(self.low, other.low), max(self.run_low, other.run_low)
        self.high, self.run_high = min(self.high, other.high), min(self.run_high, other.run_high)
        self.proved = _nearer(self.proved, other.proved)

    def _heeding(self, game: ValueGame) -> ValueGame:
        """A game that is left as soon as this search is over."""

        def watch(doing: str, done: float | None) -> None:
            if self.is_over:
                raise _NoNeedError(doing)
            game.budget.watch(doing, done)

        return replace(game, budget=replace(game.budget, watch=watch))

    def widened(self, game: ValueGame, episode: int) -> Iterator[None]:
        """Windows that are widened where it helps.

        Each side has its own. One that was widened in vain waits as long as the other is not.
        """
        widest, first = _widest(game, episode), (first_width(game),) * 2
        tried, best = dict.fromkeys((True, False), Widening(first, first)), dict[bool, tuple[int, int]]()
        while tried:
            for lower in sorted(tried, key=lambda side: (side in self.proved, side)):
                now, other = tried[lower], tried.get(not lower)
                if now.in_vain == IN_VAIN and other is not None and other.in_vain < IN_VAIN:
                    continue
                bound = SideBound(game, lower, now.window)
                total = yield from self.climb(bound, episode)
                here = (0, len(bound.references)) if total is None else (1, total if lower else -total)
                better = lower not in best or here > best[lower]
                best[lower] = here if better else best[lower]
                if now.window == (widest, widest):
                    del tried[lower]
                else:
                    tried[lower] = wider(now, better, widest)

    def deepened(self, game: ValueGame, episode: int) -> Iterator[None]:
        """What a stronghold promises, then deep windows, on values of their own."""
        with suppress(LimitError, OutOfNodes):
            yield from self.held(game, episode)
            twin = value_game(game.product, game.winning, game.chance, FINEST, game.budget)
            for window in _deep(twin, episode):
                for lower in sorted((True, False), key=lambda side: (side in self.proved, side)):
                    yield from self.climb(SideBound(twin, lower, window), episode)

    def held(self, game: ValueGame, episode: int) -> Iterator[None]:
        """A bound from below by a defender who never leaves a stronghold."""
        kept = stronghold(game, game.budget.share(HELD))
        if kept is not None:
            inner = value_game(game.product, kept, game.chance, FINEST, game.budget)
            self.low, self.run_low = (max(low, inner.range_of_mu[0]) for low in (self.low, self.run_low))
            yield from self.climb(SideBound(inner, True, next(_deep(inner, episode))), episode)

    def climb(self, bound: SideBound, episode: int) -> Generator[None, None, int | None]:
        """Note what a bound proves on its way; V_T(v₀) by it, or None if it did not come so far."""
        table, budget, last = bound.game.table, bound.game.budget, bound
        made = table.n_made
        try:
            horizon = max(episode, LONGEST)
            for certain in climb(Reference.of(bound.game), bound, episode, horizon, self.sides.values):
                self.work, made = self.work + table.n_made - made, table.n_made
                if certain is not None:
                    last = certain
                    self.learn(certain, episode)
                yield
        except (LimitError, OutOfNodes):
            budget.tick("bounds of DDR*")
            return None
        return last.total(episode)

    def _keep(self, bound: SideBound, episode: int) -> None:
        """Keep a bound with its values, if it is the closest from its side."""
        lower, mean = bound.lower, bound.mean(episode)
        own = {side: kept.mean(episode) for side, kept in self.sides.items()}
        if mean == _nearer(own, {lower: mean})[lower]:
            self.sides[lower] = bound
            self.proved = _nearer(self.proved, {lower: mean})

    def learn(self, bound: SideBound, episode: int) -> None:
        """Note what a bound proves."""
        if bound.total(episode) is None:
            return
        mean = bound.mean(episode)
        gain = bound.game.unit * Fraction(bound.gain, bound.period) if bound.period else None
        if bound.values:
            self._keep(bound, episode)
        if bound.lower:
            self.low = max(self.low, mean)
            self.run_low = self.run_low if gain is None else max(self.run_low, gain)
        else:
            self.high = min(self.high, mean)
            self.run_high = self.run_high if gain is None else min(self.run_high, gain)


def _nearer(one: dict[bool, Fraction], other: dict[bool, Fraction]) -> dict[bool, Fraction]:
    """The greater of two ends from below and the lesser of those from above, as far as there are any."""
    return {
        lower: (max if lower else min)(ends[lower] for ends in (one, other) if lower in ends)
        for lower in one.keys() | other.keys()
    }


def _in_turn(
    one: BracketSearch, way: Iterator[None], other: BracketSearch, another: Iterator[None]
) -> Iterator[None]:
    """Go on with whichever search has done less, until the way of the first has come to its end."""
    done, going = object(), True
    while True:
        if going and other.work < one.work:
            going = next(another, done) is not done
        elif next(way, done) is done:
            return
        yield


def _widest(game: ValueGame, episode: int) -> int:
    """A window that cuts nothing off."""
    low, high = game.range_of_mu
    return math.ceil((high - low) / game.unit * max(episode, LONGEST))


def _deep(game: ValueGame, episode: int) -> Iterator[tuple[int, int]]:
    """Windows that cut nothing off below, and less and less above."""
    above, widest = first_width(game), _widest(game, episode)
    while above < widest:
        yield widest, above
        above *= 2
    yield widest, widest


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
