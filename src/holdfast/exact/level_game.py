"""Safe play as an operator on level sets: what one more move, first, makes of the value of every position.

The value of a position with k moves to go is kept for each turn and block (:mod:`holdfast.engines.quotient`)
as a :class:`~holdfast.exact.step_functions.StepFunction` of states. With V_k as W_k of
:mod:`holdfast.exact`:

- {V ≥ c} before a move is the set from which some safe move (of the defender), or every admissible move (of
  the adversary), leads into {V_k ≥ c}: one predecessor for each value that occurs. Where the adversary
  is out of moves, play rests, and the position leads to itself.
- μ is added; values are whole numbers, in units of 1/(denominator of μ · ``grain``).
- Where a reset can happen, the two values are mixed, and only there is anything rounded: down for a bound
  from below, up for a bound from above.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

from holdfast.budget import Budget
from holdfast.engines.product_diagrams import ProductDiagrams, Sets, can_enter
from holdfast.exact.jumps import JumpGroup, jump_group
from holdfast.exact.reset_sets import Lane, ResetSets, reset_sets
from holdfast.exact.step_functions import (
    INFINITE,
    Extended,
    StepFunction,
    by_values,
    combined,
    parts_by_value,
    plus,
    replaced,
    windowed,
)
from holdfast.logic.diagrams import Diagram
from holdfast.logic.expressions import Player

Values = dict[Lane, StepFunction]


@dataclass(frozen=True)
class LevelGame:
    """Safe play of a solved configuration, for level sets.

    Attributes:
        winning: W.
        jumps: the moves of each player by class of letters.
        mu: μ in each lane, in units.
        denominator: of the values of μ.
        grain: how many units that denominator is cut into; 1 where nothing is ever rounded.
        lanes: the turns and blocks that play can come to.
        rests: where the adversary is out of moves, by block.
    """

    product: ProductDiagrams
    winning: Sets
    jumps: dict[tuple[Player, int], JumpGroup]
    mu: dict[Lane, StepFunction]
    denominator: int
    grain: int
    reset: ResetSets | None
    lanes: tuple[Lane, ...]
    rests: dict[int, Diagram]
    budget: Budget
    _entered: dict[tuple[Player, int, Diagram], Diagram] = field(default_factory=dict, repr=False)
    _joined: dict[Lane, dict[tuple[Diagram, ...], Diagram]] = field(default_factory=dict, repr=False)
    _sums: dict[tuple[object, ...], StepFunction] = field(default_factory=dict, repr=False)

    @property
    def unit(self) -> Fraction:
        """What one of the whole numbers stands for."""
        return Fraction(1, self.denominator * self.grain)

    @property
    def range_of_mu(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest μ of what play can come to, as far as the automata tell."""
        values = [value for function in self.mu.values() for value in function.values]
        return min(values) * self.unit, max(values) * self.unit

    @property
    def alternating(self) -> bool:
        """Whether turns always alternate, since nobody is ever out of moves."""
        return not any(states.satisfiable() for states in self.rests.values())

    def forget(self) -> None:
        """Let go of what was kept to save work."""
        self._entered.clear()
        self._joined.clear()
        self._sums.clear()

    def start(self) -> Values:
        """V₀ = 0."""
        return {
            (turn, block): StepFunction((0,), (self.winning[turn][block],), self.product.diagrams.false)
            if self.winning[turn][block].satisfiable()
            else StepFunction((), (), self.product.diagrams.false)
            for turn, block in self.lanes
        }

    def before_moves(self, values: Values, turns: Sequence[Player]) -> Values:
        """For the positions of some turns, the best V_k of what they lead to."""
        return {lane: self._before_move(lane, values) for lane in self.lanes if lane[0] in turns}

    def moved(self, best: Values, lower: bool, low: int, high: int) -> Values:
        """V_{k+1} from the best that follows, as far as it is told apart from ``low`` to ``high``."""
        found = {lane: self._with_mu(lane, function, lower, low, high) for lane, function in best.items()}
        if self.reset is None:
            return found
        for turn in Player:
            own = {lane: function for lane, function in found.items() if lane[0] is turn}
            found |= self._let_reset(self.reset, turn, own, lower)
        return found

    def targets(self, lane: Lane) -> list[int]:
        """The blocks that moves of a lane may lead to."""
        turn, block = lane
        if turn is Player.ADVERSARY and self.product.blocks.is_sink(block):
            return []
        return sorted(
            {t for g in self.product.groups[turn] for t in self.product.edges[g.kind][block] if t is not None}
        )

    def forced(self, lane: Lane, places: Mapping[Lane, Diagram]) -> Diagram:
        """Where the defender can move into one of the places, or the adversary must."""
        return self._forced(lane, self.targets(lane), [places[source] for source in self._sources(lane)])

    def _sources(self, lane: Lane) -> list[Lane]:
        """The lanes that follow; its own is one where the adversary may be out of moves."""
        turn, block = lane
        resting = turn is Player.ADVERSARY and self.rests[block].satisfiable()
        return [(turn.opponent, target) for target in self.targets(lane)] + [lane] * resting

    def _before_move(self, lane: Lane, values: Values) -> StepFunction:
        self.budget.tick("level sets")
        join = partial(self._forced, lane, self.targets(lane))
        sources = [values[source] for source in self._sources(lane)]
        return combined(sources, join, self._joined.setdefault(lane, {}))

    def _forced(self, lane: Lane, targets: list[int], parts: Sequence[Diagram]) -> Diagram:
        """Where the mover can lead into the sets of the targets, or must; a last part is its own lane's."""
        turn, block = lane
        d, reached = self.product.diagrams, dict(zip(targets, parts, strict=False))
        defending = turn is Player.DEFENDER
        result = d.false if defending else self.winning[turn][block] & ~self.rests[block]
        for group in self.product.groups[turn]:
            if not defending and not result.satisfiable():
                break
            goal, allowed = d.false, d.false
            for target, condition in self.product.edges[group.kind][block].items():
                allowed |= condition
                goal |= d.false if target is None or target not in reached else condition & reached[target]
            if defending:
                result |= self._pre(turn, group.kind, goal)
            else:
                result &= self._pre(turn, group.kind, goal | ~allowed)
        result &= self.winning[turn][block]
        return result if len(parts) == len(targets) else result | self.rests[block] & parts[-1]

    def _pre(self, turn: Player, kind: int, goal: Diagram) -> Diagram:
        key = turn, kind, goal
        if key not in self._entered:
            group = self.jumps[turn, kind]
            enter = group.can_enter if turn is Player.DEFENDER else group.must_enter
            self._entered[key] = enter(goal, partial(self.budget.tick, "level sets"))
        return self._entered[key]

    def _with_mu(self, lane: Lane, function: StepFunction, lower: bool, low: int, high: int) -> StepFunction:
        """U from the best that follows."""
        if not function.values:
            return function
        base = function.values[0]
        relative = function.shifted(-base)
        key = lane, relative, lower, low - base, high - base
        if key not in self._sums:
            tick = partial(self.budget.tick, "level sets")
            total = plus(relative, self.mu[lane], low - base, high - base, tick)
            self._sums[key] = self.cut(lane, total, lower, low - base, high - base)
        return self._sums[key].shifted(base)

    def cut(self, lane: Lane, function: StepFunction, lower: bool, low: int, high: int) -> StepFunction:
        """A bound of the function within a window."""
        domain = None if lower else self.winning[lane[0]][lane[1]]
        return windowed(function, low, high, domain, self.product.diagrams.false)

    def _let_reset(self, reset: ResetSets, turn: Player, values: Values, lower: bool) -> Values:
        """From U to W: where a reset can happen its value is mixed in, rounded outwards."""
        d = self.product.diagrams
        blocks = [block for block in reset.starts if (turn, block) in values]

        def join(parts: Sequence[Diagram]) -> Diagram:
            after = d.false
            for block, states in zip(blocks, parts, strict=True):
                after |= reset.starts[block] & states
            return reset.before(after)

        again = combined([values[turn, block] for block in blocks], join, {})
        found = dict(values)
        for lane, function in values.items():
            within = self.winning[turn][lane[1]] & reset.when
            if within.satisfiable():
                self.budget.tick("level sets")
                parts = [
                    (_mixed(own, other, reset.chance, lower), both)
                    for own, states in parts_by_value(function, within)
                    for other, both in parts_by_value(again, states)
                ]
                found[lane] = replaced(function, within, parts)
        return found


def _mixed(own: Extended, other: Extended, chance: Fraction, lower: bool) -> Extended:
    """(1 − p)·own + p·other, rounded down for a bound from below and up for one from above."""
    if chance == 1:
        own = other
    for value in (own, other):
        if not isinstance(value, int):
            return -INFINITE if lower else INFINITE
    assert isinstance(own, int) and isinstance(other, int)
    p, q = chance.numerator, chance.denominator
    total = (q - p) * own + p * other
    return total // q if lower else -(-total // q)


# -- building it ------------------------------------------------------------------------------------


def level_game(
    product: ProductDiagrams, winning: Sets, chance: Fraction, finest: Fraction, budget: Budget
) -> LevelGame:
    """Lay safe play out for level sets.

    Args:
        chance: p.
        finest: where something is rounded at all, the units in which it is are at most this large.
    """
    terms = product.diagrams.term(product.configuration.game.dominance)
    denominator = math.lcm(*(value.denominator for value in terms))
    reset = reset_sets(product, chance) if chance > 0 else None
    grain = 1
    while reset is not None and Fraction(1, denominator * grain) > finest:
        grain *= 2
    jumps = {(p, g.kind): jump_group(product.diagrams, g) for p in Player for g in product.groups[p]}
    found = LevelGame(product, winning, jumps, {}, denominator, grain, reset, (), {}, budget)
    lanes = _lanes(found)
    rests = {block: _rests(found, block) for turn, block in lanes if turn is Player.ADVERSARY}
    units = {int(value * denominator * grain): states for value, states in terms.items()}
    mu = {
        (turn, block): by_values(units, winning[turn][block], product.diagrams.false) for turn, block in lanes
    }
    return replace(found, lanes=lanes, rests=rests, mu=mu)


def _lanes(game: LevelGame) -> tuple[Lane, ...]:
    """The turns and blocks that play from v₀ can come to, as far as the automata tell."""
    initial = game.product.configuration.initial
    block = game.product.blocks.number(initial)
    assert block is not None
    todo, seen = [(initial.turn, block)], {(initial.turn, block)}
    while todo:
        turn, block = todo.pop()
        onward = [(turn.opponent, target) for target in game.targets((turn, block))]
        if game.reset is not None and (game.winning[turn][block] & game.reset.when).satisfiable():
            onward += [(turn, start) for start in game.reset.starts]
        fresh = [lane for lane in dict.fromkeys(onward) if lane not in seen]
        seen.update(fresh)
        todo += fresh
    return tuple(sorted(seen, key=lambda lane: (lane[0].value, lane[1])))


def _rests(game: LevelGame, block: int) -> Diagram:
    """Where in W the adversary has no admissible move."""
    product, winning = game.product, game.winning[Player.ADVERSARY][block]
    if product.blocks.is_sink(block):
        return winning
    for group in product.groups[Player.ADVERSARY]:
        allowed = product.diagrams.false
        for condition in product.edges[group.kind][block].values():
            allowed |= condition
        winning &= ~can_enter(group, allowed, partial(game.budget.tick, "level sets"))
    return winning
