"""DDR* where listing positions ends: between certified bounds, by diagrams of its value.

**Values.** Let V_k = W_k of :mod:`holdfast.arena.bellman`. Positions cannot be listed, but V_k can be kept as
a decision diagram that ends in values (:mod:`holdfast.operation.brackets.value_diagrams`): on a random
network of 20 hosts a few thousand nodes stand for 300 million positions. Sums of μ are whole numbers over one
denominator, so nothing is rounded except where a reset mixes two values, and there outwards: down for a bound
from below, up for a bound from above. After T moves the bounds of DDR* are at most two units apart by that.

**Searches.** What follows are ways to find bounds. Each is a :data:`BracketSteps`, which tells one
:class:`Bracket` what it proves and can be left wherever it yields; :func:`narrow` decides which goes on.
Seconds are processor seconds with and without it (``python -m benchmarks.brackets``).

**Window.** Few values matter at v₀. A bound from below may take what lies far below V_k(v₀) for −∞, and what
lies far above for less than it is; a bound from above may do the contrary. Both stay bounds, since one more
move is a monotone operator. The window moves along with V_k(v₀) and is doubled until the bracket is closed,
below or above, wherever it helps; a window as wide as T·(max μ − min μ) cuts nothing off. The first one is
narrow below, by what a few variables are worth, and wide above. (Abilene 1.4, with nothing cut off 8.7; an
enterprise of 40 hosts 5, and with ¼ of the range of μ on both sides at first 38.)

**Strongholds.** Where the adversary prevails slowly, play comes to positions that are worse by many moves'
worth of μ, and narrower windows are in vain. Then the defender is held to a set that it need never leave
(:mod:`holdfast.operation.brackets.strongholds`): a bound of a smaller game from below, and one of DDR*.
(newyork is closed in 24, and without anything beside wider windows not in 60.)

**Deep windows.** What is better than v₀ matters as little as ever. So after a stronghold *deep* windows,
which cut nothing off below, are tried. (newyork without them 45.) Wider windows go on beside them, in turn,
or in another thread where there are two cores: by the clock that takes half the time. (Without them atlanta
and KentmanJul2005 stay open, which are closed in 36 and 13.)

**Growth.** One more move commutes with adding a number to all values. So if a bound of V_k from below has
grown everywhere by at least g in d moves, V grows by at least g in each d moves to come: that is a bound of
the rest of the episode, and g/d one of the long run, since V_k(v₀)/k tends to its value (Mertens and Neyman,
*Stochastic games*, 1981). In the same way from above. It is asked for now and then, so that a limit finds
some bound; and where values grow evenly, or recur, nothing is gained by going on. (Abilene,
Sprint and a chain of 15 hosts are closed without it too, in nine tenths of the time.)

**Growth at v₀.** Some positions gain more in the long run than others, and then values never grow evenly. But
where they are said to be −∞ a bound from below still is one, and nothing is asked of their growth. So as soon
as V_k(v₀) grows steadily, positions that do not keep up with it are given up. If v₀ can do without them, what
is left grows by as much, and so does V(v₀) to the end. In the same way from above.
(newyork without it 101.)

**Chance.** Outcomes of choices are mixed as resets are, and one more move stays monotone and commutes with
adding a number. But almost every value is then another one, and diagrams of exact values are large. So values
are first rounded to coarse units, where many are one, and then to fine ones. (A chain of ten hosts whose
exploits work with 0.3: 0.9578 to 0.9579 in 20, and with fine units alone 0.83 to 0.96 in 48.)

**Order.** Large games are laid out anew, in an order of variables that suits values
(:mod:`holdfast.operation.brackets.layouts`). (newyork in the order in which it was solved 46.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import Event, Lock
from typing import NamedTuple

from holdfast.arena import require_defensible
from holdfast.budget import UNLIMITED, Budget, unwatched
from holdfast.errors import LimitError
from holdfast.game import Interval, Protocol, has_chance, reset_chance
from holdfast.logic import OutOfNodes
from holdfast.operation.brackets.climbs import Reference, SideBound, climb, first_window
from holdfast.operation.brackets.layouts import SMALL, laid_out
from holdfast.operation.brackets.reset_sets import check_resets, suspicious
from holdfast.operation.brackets.strongholds import stronghold
from holdfast.operation.brackets.value_game import ValueGame, value_game
from holdfast.operation.result import LEVELS, OperatingPoint
from holdfast.solver import Solution

CLOSED = 1e-5
"""A bracket narrower than this has a value: its middle."""

FINEST = Fraction(1, 1 << 19)
"""Units in which values are rounded, of μ: four of them are less than :data:`CLOSED`."""

COARSE, COARSELY = Fraction(1, 1 << 12), 0.6
"""Where outcomes are drawn in a large game, units that are tried first, and for what part of the time."""

SECURING = 0.15
"""Of the time that is left, what may be spent on looking for a stronghold."""

FIRST_TURN, FAR = 2600, 0.01
"""When so many nodes for each pair of variables have been made for wider windows, or twice as many, and so
on, and the bounds are so far apart, deep windows are tried beside them."""

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
    after = Widening((below, above), base, way, in_vain)
    return wider(after, False, widest) if after.window == base != (widest, widest) else after


BracketSteps = Iterator[int]
"""A way to find bounds, of which it tells the bracket. Whenever it can be left, for a while or for good, it
yields how many nodes it has made since the last time."""


@dataclass(eq=False)
class Bracket:
    """The closest bounds so far, which several searches may narrow at the same time.

    Attributes:
        value: bounds of DDR*.
        run: bounds of the long run.
        sides: the best bounds of V_k whose values are kept, from below (True) and from above (False).
        close: how near to each other these are to be.
    """

    value: Interval[Fraction]
    run: Interval[Fraction]
    sides: dict[bool, SideBound] = field(default_factory=dict)
    close: float = CLOSED
    lock: Lock = field(default_factory=Lock, repr=False)

    def is_closed(self, episode: int) -> bool:
        """Whether there are values of bounds from both sides, and these are close."""
        with self.lock:
            kept = dict(self.sides)
        return len(kept) == 2 and kept[False].mean(episode) - kept[True].mean(episode) < self.close

    def learn(self, bound: SideBound, episode: int) -> None:
        """Note what a bound proves; keep its values, if it has any and is the closest from its side."""
        if bound.total(episode) is None:
            return
        mean = bound.mean(episode)
        gain = bound.game.unit * Fraction(bound.gain, bound.period) if bound.period else None
        with self.lock:
            kept = self.sides.get(bound.lower)
            best = mean if kept is None else (max if bound.lower else min)(mean, kept.mean(episode))
            if bound.values and mean == best:
                self.sides[bound.lower] = bound
            self.value = _cut(self.value, mean, bound.lower)
            self.run = self.run if gain is None else _cut(self.run, gain, bound.lower)

    def learn_least(self, mu: Fraction) -> None:
        """Note that the defender can keep every μ from here on at no less."""
        with self.lock:
            self.value, self.run = _cut(self.value, mu, True), _cut(self.run, mu, True)


def _cut(known: Interval[Fraction], end: Fraction, lower: bool) -> Interval[Fraction]:
    """An interval with one more bound of its value, from below or from above."""
    return Interval(max(known.low, end), known.high) if lower else Interval(known.low, min(known.high, end))


# -- searches ---------------------------------------------------------------------------------------


def narrow(bracket: Bracket, game: ValueGame, episode: int) -> None:
    """Try wider windows until the bracket is closed or nothing is cut off, and deep ones if need be."""
    n_variables, work = len(game.product.diagrams.variables), 0
    windows, until = widened(bracket, game, episode), FIRST_TURN * n_variables**2
    for made in windows:
        work += made
        if bracket.is_closed(episode):
            return
        if work > until:
            until *= 2
            if bracket.value.width > FAR:
                if game.budget.workers == 1:
                    _in_turn(bracket, game, windows, episode, work)
                else:
                    _side_by_side(bracket, game, windows, episode)
                return


def _in_turn(bracket: Bracket, game: ValueGame, windows: BracketSteps, episode: int, ahead: int) -> None:
    """Go on with whichever search has made fewer nodes; wider windows are so many ahead of deep ones."""
    deep: BracketSteps | None = deepened(bracket, game, episode)
    while not bracket.is_closed(episode):
        search = windows if deep is None or ahead <= 0 else deep
        made = next(search, None)
        if made is not None:
            ahead += made if search is windows else -made
        elif search is windows:
            return
        else:
            deep = None


def _side_by_side(bracket: Bracket, game: ValueGame, windows: BracketSteps, episode: int) -> None:
    """Go on, while another thread tries deep windows on values of its own.

    Which of them closes the bracket is a matter of time.
    """
    over = Event()

    def follow(search: BracketSteps) -> None:
        for _ in search:
            if over.is_set() or bracket.is_closed(episode):
                return

    alone = replace(game, budget=replace(game.budget, watch=unwatched))
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(follow, deepened(bracket, alone, episode))
        try:
            follow(windows)
            while not bracket.is_closed(episode) and not other.done():
                wait([other], SECONDS_BETWEEN_TICKS)
                game.budget.tick("bounds of DDR*")
        finally:
            over.set()
    other.result()


def widened(bracket: Bracket, game: ValueGame, episode: int) -> BracketSteps:
    """Windows that are widened where it helps.

    Each side has its own. One that was widened in vain waits as long as the other is not.
    """
    widest, first = _widest(game, episode), first_window(game)
    tried, best = dict.fromkeys((True, False), Widening(first, first)), dict[bool, tuple[int, int]]()
    while tried:
        for lower in _open_side_first(bracket, tried):
            now, other = tried[lower], tried.get(not lower)
            if now.in_vain == IN_VAIN and other is not None and other.in_vain < IN_VAIN:
                continue
            bound = SideBound(game, lower, now.window)
            total = yield from _followed(bracket, bound, episode)
            here = (0, len(bound.references)) if total is None else (1, total if lower else -total)
            better = lower not in best or here > best[lower]
            best[lower] = here if better else best[lower]
            if now.window == (widest, widest):
                del tried[lower]
            else:
                tried[lower] = wider(now, better, widest)


def deepened(bracket: Bracket, game: ValueGame, episode: int) -> BracketSteps:
    """What a stronghold promises, then deep windows, on values of their own."""
    with suppress(LimitError, OutOfNodes):
        yield from defended(bracket, game, episode)
        twin = value_game(game.product, game.winning, game.chance, game.finest, game.budget)
        for window in _deep(twin, episode):
            for lower in _open_side_first(bracket, (True, False)):
                yield from _followed(bracket, SideBound(twin, lower, window), episode)


def defended(bracket: Bracket, game: ValueGame, episode: int) -> BracketSteps:
    """A bound from below by a defender who never leaves a stronghold."""
    kept = yield from stronghold(game, game.budget.share(SECURING))
    if kept is not None:
        inner = value_game(game.product, kept, game.chance, game.finest, game.budget)
        bracket.learn_least(inner.range_of_mu.low)
        yield from _followed(bracket, SideBound(inner, True, next(_deep(inner, episode))), episode)


def _followed(bracket: Bracket, bound: SideBound, episode: int) -> Generator[int, None, int | None]:
    """Tell the bracket what a bound proves on its way; V_T(v₀) by it, or None if it did not come so far."""
    table, last, made = bound.game.table, bound, bound.game.table.n_made
    try:
        reference, horizon = Reference.of(bound.game), max(episode, LONGEST)
        for certain in climb(reference, bound, episode, horizon, bracket.sides):
            if certain is not None:
                last = certain
                bracket.learn(certain, episode)
            before, made = made, table.n_made
            yield made - before
    except (LimitError, OutOfNodes):
        bound.game.budget.tick("bounds of DDR*")
        return None
    return last.total(episode)


def _open_side_first(bracket: Bracket, sides: Iterable[bool]) -> list[bool]:
    """From above before from below, but first the side of which nothing is known.

    Where nothing is known of either it is the one from below, which takes less time.
    """
    return sorted(sides, key=lambda side: (side in bracket.sides, side == bool(bracket.sides)))


def _widest(game: ValueGame, episode: int) -> int:
    """A window that cuts nothing off."""
    return math.ceil(game.range_of_mu.width / game.unit * max(episode, LONGEST))


def _deep(game: ValueGame, episode: int) -> Iterator[tuple[int, int]]:
    """Windows that cut nothing off below, and less and less above."""
    above, widest = first_window(game)[1], _widest(game, episode)
    while above < widest:
        yield widest, above
        above *= 2
    yield widest, widest


def value_search(solution: Solution, protocol: Protocol, budget: Budget) -> Bracket:
    """The closest bounds that the budget allows, with the value diagrams that they come from."""
    require_defensible(solution)
    bracket = Bracket(*2 * (Interval(Fraction(0), Fraction(1)),))
    rules = solution.configuration.game
    coarsely = has_chance(rules) and rules.n_valuations > SMALL
    for finest, part in ((COARSE, COARSELY), (FINEST, 1.0)) if coarsely else ((FINEST, 1.0),):
        bracket.close = max(CLOSED, float(finest) / 2)
        with suppress(LimitError, OutOfNodes):
            game = laid_out(solution, chance_of(solution, protocol), finest, budget.share(part))
            if game.reset is not None and suspicious(game.product, game.winning, game.reset.sets):
                check_resets(solution, budget)
            for end, lower in zip(game.range_of_mu, (True, False), strict=True):
                bracket.value, bracket.run = (_cut(i, end, lower) for i in (bracket.value, bracket.run))
            narrow(bracket, game, protocol.steps)
    return bracket


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
    bracket = value_search(solution, protocol, budget)
    value = rounded_outwards(bracket.value)
    return OperatingPoint(
        value=(value.low + value.high) / 2 if value.width < CLOSED else None,
        low=value.low,
        high=value.high,
        tremble=None,
        epsilon=protocol.epsilon_min,
        long_run=rounded_outwards(bracket.run),
        method=LEVELS,
        seconds=time.perf_counter() - started,
    )


def chance_of(solution: Solution, protocol: Protocol) -> Fraction:
    """The probability of a reset as a fraction; a decimal number means what it says."""
    p = reset_chance(protocol, solution.configuration.game)
    reset = solution.configuration.game.reset
    if protocol.reset_probability is None:
        return Fraction(0) if reset is None else Fraction(reset.probability)
    return Fraction(str(p))


def rounded_outwards(exact: Interval[Fraction]) -> Interval[float]:
    """The narrowest interval between doubles that holds an interval between fractions."""
    return Interval(rounded_down(exact.low), -rounded_down(-exact.high))


def rounded_down(exact: Fraction) -> float:
    """The greatest double that is not above a fraction."""
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)
