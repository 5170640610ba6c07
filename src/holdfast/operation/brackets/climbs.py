"""Bounds of the value move by move, as high as they go: the climb of one side of a bracket.

See :mod:`holdfast.operation.brackets.value_brackets` for what a window is, and why a climb may end early.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from holdfast.arrays import Int64s
from holdfast.game import Position, admissible_moves
from holdfast.logic import OutOfNodes, Player
from holdfast.operation.brackets.lanes import TurnBlock
from holdfast.operation.brackets.value_diagrams import (
    AT_LEAST,
    AT_MOST,
    GROWTH_ABOVE,
    GROWTH_BELOW,
    INFINITE,
    ValueDiagrams,
)
from holdfast.operation.brackets.value_game import ValueGame, Values

FIRST_BELOW, FIRST_ABOVE = Fraction(5), Fraction(25)
MOST_BELOW, MOST_ABOVE = Fraction(1, 4), Fraction(1, 2)
"""The window to begin with, in what one variable of a game adds to μ on average, and at most of the range of
μ. Room above is cheap, and resets lead there."""

MOVES_BETWEEN_CHECKS, LONGEST_PERIOD = 8, 12
"""How often it is asked whether values grow evenly, and over how many moves at most."""

PERIODS = range(2, LONGEST_PERIOD + 1, 2)
STEADY, ROUNDS, PATIENCE = 2 * LONGEST_PERIOD, 4, 1.2
"""For so many moves the value at v₀ has to grow steadily; so often values that do not keep up are forgotten;
and so many times as long a climb has to be before that is tried again."""

UNEVEN = 1
"""Growth is even if it differs by no more units a move."""

MOST_KEPT = 1 << 21
"""So many nodes may be kept for the values of all moves so far; past that only the newest are, and if these
and those of other bounds have three times as many, it is given up."""


@dataclass(frozen=True)
class SideBound:
    """A bound of V_k from one side, for k = 0, 1, …

    Attributes:
        game: whose values are bounded.
        lower: whether it bounds from below.
        window: how many units below and above the reference values are told apart.
        references: V_k(v₀) by k, the middle of the window; where it is not v₀'s turn, the best that follows.
        bases: what is added to the values by k.
        values: V_k less its base by k, as far as they were kept.
        period: in so many moves V_k has grown by no less and no more than ``growth`` wherever the bound says
            something; 0 if it did not come so far.

    One more move is a monotone operator that commutes with adding a number. So what a bound from below has
    grown by at least it will always grow by, and what a bound from above has grown by at most.
    """

    game: ValueGame = field(repr=False)
    lower: bool
    window: tuple[int, int]
    references: list[int] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)
    values: dict[int, Values] = field(default_factory=dict, repr=False)
    period: int = 0
    growth: tuple[int, int] = (0, 0)

    @property
    def gain(self) -> int:
        """What a period is sure to add, at least or at most."""
        return self.growth[not self.lower]

    @property
    def unevenness(self) -> Fraction:
        """By how many units a move the growth of values differs."""
        return Fraction(self.growth[1] - self.growth[0], self.period)

    @property
    def is_even(self) -> bool:
        """Whether values grow everywhere alike, so that nothing is to be gained by following them further."""
        return bool(self.period) and self.unevenness <= UNEVEN

    def total(self, k: int) -> int | None:
        """V_k(v₀), where v₀'s turn is that of k; None if the bound did not come so far."""
        times = self._times(k)
        return None if times is None else self.references[k - times * self.period] + times * self.gain

    def mean(self, k: int) -> Fraction:
        """V_k(v₀)/k, where the bound came so far."""
        total = self.total(k)
        assert total is not None, "the bound came so far"
        return total * self.game.unit / k

    def value(self, k: int, landmark: Landmark) -> int | None:
        """V_k at a position; None where the bound says nothing of it, or its turn is not that of k."""
        times = self._times(k)
        kept = None if times is None else self.values.get(k - times * self.period)
        if times is None or kept is None or landmark.lane not in kept:
            return None
        here = self.game.table.value(kept[landmark.lane], landmark.codes)
        if abs(here) == INFINITE:
            return None
        return here + self.bases[k - times * self.period] + times * self.gain

    def so_far(self) -> SideBound:
        """What is certain now, whatever becomes of the bound; without values."""
        return replace(self, references=list(self.references), bases=list(self.bases), values={})

    def _times(self, k: int) -> int | None:
        """How many periods k lies beyond what was followed; None if that cannot be told."""
        beyond = k - len(self.references) + 1
        if beyond <= 0:
            return 0
        return -(-beyond // self.period) if self.period else None


@dataclass(frozen=True)
class Landmark:
    """A position as values see it: its lane, its codes in the order of the diagrams, and its μ in units."""

    lane: TurnBlock
    codes: Int64s = field(compare=False)
    mu: int

    @classmethod
    def of(cls, game: ValueGame, position: Position) -> Landmark:
        """The landmark of a position."""
        product, rules = game.product, game.product.configuration.game
        block = product.blocks.number(position)
        assert block is not None
        named = rules.codes(position.state)
        codes = np.array([named[variable.name] for variable in product.diagrams.variables], np.int64)
        return cls((position.turn, block), codes, int(rules.mu(position.state) / game.unit))

    def is_safe(self, game: ValueGame) -> bool:
        """Whether the position is in W."""
        return self.lane in game.safe and bool(game.table.value(game.safe[self.lane], self.codes))


@dataclass(frozen=True)
class Reference:
    """v₀, and what it leads to: where the middle of the window is read."""

    initial: Landmark
    after: tuple[Landmark, ...]

    @classmethod
    def of(cls, game: ValueGame) -> Reference:
        """The reference of a game whose v₀ is winning."""
        configuration = game.product.configuration
        moves = dict.fromkeys(admissible_moves(configuration, configuration.initial).values())
        after = [Landmark.of(game, v) for v in moves if game.product.blocks.number(v) is not None]
        safe = tuple(landmark for landmark in after if landmark.is_safe(game))
        return cls(Landmark.of(game, configuration.initial), safe)

    def value(self, game: ValueGame, values: Values, *, with_mu: bool = False) -> int:
        """The value at v₀, or where the values are those of the other turn, the best of its successors."""
        own = self.initial.lane in values
        parts = []
        for landmark in (self.initial,) if own else self.after:
            here = game.table.value(values[landmark.lane], landmark.codes)
            parts.append(here if abs(here) == INFINITE else here + landmark.mu * with_mu)
        return max(parts) if self.initial.lane[0] is Player.DEFENDER else min(parts)


def first_window(game: ValueGame) -> tuple[int, int]:
    """The window to begin with, in units below and above."""
    whole, each = game.range_of_mu.width / game.unit, Fraction(1, len(game.product.diagrams.variables))
    sizes = min(FIRST_BELOW * each, MOST_BELOW), min(FIRST_ABOVE * each, MOST_ABOVE)
    below, above = (max(1, math.ceil(size * whole)) for size in sizes)
    return below, above


def climb(
    reference: Reference,
    bound: SideBound,
    episode: int,
    horizon: int,
    others: Mapping[bool, SideBound] | None = None,
) -> Iterator[SideBound | None]:
    """The bound for k = 0, 1, …, up to the horizon, or until it grows evenly, or v₀ leaves the window.

    The last one went to its end; those before it are what was certain by then, or nothing: only a moment in
    which the climb can be left for a while. What is certain of growth is so of the values it was seen on;
    with later ones, of which a window has cut something off, it may not be. The turn is v₀'s with as many
    moves to go as the episode has. Values of the others, bounds that live beside this one and change with
    time, are kept.

    Raises:
        LimitError: past the budget.
        OutOfNodes: where the values take too much room.
    """
    game, others = bound.game, {} if others is None else others
    turn = reference.initial.lane[0] if episode % 2 == 0 else reference.initial.lane[0].opponent
    turns: tuple[Player, ...] = (turn,) if game.alternating else tuple(Player)
    values = {lane: function for lane, function in game.start().items() if lane[0] in turns}
    patience, sustained_before, begun, aside = 0, None, game.table.n_made, 0
    going = _noted(bound, reference, values, 0)
    while going:
        k, certain = len(bound.references) - 1, bound
        known = next(j for j in bound.values if bound.values[j] == bound.values[k])
        if known < k:
            gain = bound.bases[k] - bound.bases[known]
            certain = replace(bound, period=k - known, growth=(gain, gain))
        elif k % MOVES_BETWEEN_CHECKS == 0 or k == horizon:
            certain = _grown(bound)
            if not certain.is_even and k >= patience:
                patience, made = math.ceil(PATIENCE * k), game.table.n_made
                sustained = yield from _sustained(bound, reference, others, made - begun - 2 * aside)
                aside += game.table.n_made - made
                if sustained is not None:
                    yield sustained
                    if sustained_before == sustained.total(horizon):
                        return
                    sustained_before = sustained.total(horizon)
        if k == horizon or certain.is_even:
            yield certain
            return
        yield certain.so_far() if certain.period else None
        if game.table.littered:
            _tidy(bound, tuple(others.values()))
        game.budget.tick(f"bounds of DDR*: {k + 1} of {horizon} moves", (k + 1) / horizon)
        going = _moved(bound, reference)
    yield bound


def _moved(bound: SideBound, reference: Reference) -> bool:
    """Follow the bound for one more move; false where v₀ leaves the window."""
    game, values = bound.game, bound.values[len(bound.references) - 1]
    turns = {turn.opponent for turn, _ in values} if game.alternating else set(Player)
    best = game.before_moves(values, turns, bound.lower)
    middle = reference.value(game, best, with_mu=True)
    if abs(middle) == INFINITE:
        return False
    after = game.moved(best, bound.lower, middle, bound.window)
    return _noted(bound, reference, after, bound.bases[-1] + middle)


def _noted(bound: SideBound, reference: Reference, values: Values, base: int) -> bool:
    """Note the values of one more move; false where v₀ has left the window."""
    here = reference.value(bound.game, values)
    if abs(here) == INFINITE:
        return False
    bound.values[len(bound.references)] = values
    bound.references.append(base + here)
    bound.bases.append(base)
    return True


def _grown(bound: SideBound) -> SideBound:
    """The bound with the period over which it grows most evenly, if it grows for certain."""
    grown = bound
    for period in PERIODS:
        growth = _growth(bound, period)
        if growth is not None:
            here = replace(bound, period=period, growth=growth)
            grown = here if not grown.period or here.unevenness < grown.unevenness else grown
    return grown


def _growth(bound: SideBound, period: int) -> tuple[int, int] | None:
    """By how much values have grown at least and at most in the last moves; None where that is not known."""
    k, table, growths = len(bound.references) - 1, bound.game.table, _growths(bound, period)
    if not growths:
        return None
    nothing, more = INFINITE if bound.lower else -INFINITE, bound.bases[k] - bound.bases[k - period]
    leasts, mosts = zip(*(table.extremes(function, nothing) for function in growths.values()), strict=True)
    known = -INFINITE < min(leasts) <= max(mosts) < INFINITE
    return (min(leasts) + more, max(mosts) + more) if known else None


def _growths(bound: SideBound, period: int) -> Values:
    """By how much values have grown in the last moves, but for their bases; nothing if they are not kept."""
    k, kind = len(bound.references) - 1, GROWTH_BELOW if bound.lower else GROWTH_ABOVE
    before, combined = bound.values.get(k - period, {}), bound.game.table.combined
    return {lane: combined(kind, bound.values[k][lane], function) for lane, function in before.items()}


def _sustained(
    bound: SideBound, reference: Reference, others: Mapping[bool, SideBound], most: int
) -> Generator[None, None, SideBound | None]:
    """The bound, followed where one side can sustain the growth that v₀ has; None if it cannot.

    A bound from below stays one where it is lowered to −∞. So values that have grown by less than v₀'s are
    forgotten, and what is left is followed for a period: if none of it grows by less, v₀'s never will. What
    does is forgotten too. In the same way from above. After each move the search can be left for a while.
    It is given up when it has made more nodes than ``most``.
    """
    period, until = _steady_period(bound), bound.game.table.n_made + most
    if period is None:
        return None
    k, game, followed = len(bound.references) - 1, bound.game, bound
    growth_of_v0 = bound.references[k] - bound.references[k - period]
    for _ in range(ROUNDS):
        kept = _keeping_up(followed, k, period, growth_of_v0)
        earlier = {j: values for j, values in bound.values.items() if j < k}
        followed = replace(bound, references=bound.references[:k], bases=bound.bases[:k], values=earlier)
        going = _noted(followed, reference, kept, bound.bases[k])
        while going and len(followed.references) <= k + period:
            game.budget.tick("bounds of DDR*: growth")
            if game.table.littered:
                _tidy(followed, (bound, *others.values()))
            going = game.table.n_made < until and _moved(followed, reference)
            yield
        if not going:
            return None
        growth = _growth(followed, period)
        if growth is not None:
            sustained = replace(followed, period=period, growth=growth)
            if abs(sustained.gain - growth_of_v0) <= UNEVEN * period:
                return sustained
    return None


def _keeping_up(bound: SideBound, k: int, period: int, growth: int) -> Values:
    """V_k where it has, in the last moves of a bound, grown by as much as is asked for; nothing elsewhere."""
    last, combined = len(bound.references) - 1, bound.game.table.combined
    kind, slack = (AT_LEAST, -UNEVEN) if bound.lower else (AT_MOST, UNEVEN)
    limit = growth + slack * period // 2 - (bound.bases[last] - bound.bases[last - period])
    growths = _growths(bound, period)
    return {
        lane: combined(kind, function, growths[lane], low=limit, high=limit)
        for lane, function in bound.values[k].items()
    }


def _steady_period(bound: SideBound) -> int | None:
    """Over how many moves the value at v₀ grows, and has grown before, by the same; None if it does not."""
    k, references = len(bound.references) - 1, bound.references
    for period in PERIODS if k >= STEADY else ():
        if k - period in bound.values:
            grown = [
                references[j] - references[j - period] for j in range(k, k - STEADY + period - 1, -period)
            ]
            if max(grown) - min(grown) <= UNEVEN * period:
                return period
    return None


def _tidy(bound: SideBound, others: Iterable[SideBound]) -> None:
    """Collect garbage, and let go of values of long ago if there are too many."""
    table, newest = bound.game.table, max(bound.values)
    alive = [bound, *(other for other in others if other.game.table is table)]
    _collect(table, alive)
    if table.n_nodes > MOST_KEPT:
        for k in [k for k in bound.values if k < newest - LONGEST_PERIOD]:
            del bound.values[k]
        _collect(table, alive)
        if table.n_nodes > 3 * MOST_KEPT:
            raise OutOfNodes


def _collect(table: ValueDiagrams, bounds: Collection[SideBound]) -> None:
    """Keep the values of some bounds and let go of everything else."""
    places = [(values, lane) for bound in bounds for values in bound.values.values() for lane in values]
    roots = table.collect([values[lane] for values, lane in places])
    for (values, lane), root in zip(places, roots, strict=True):
        values[lane] = root
