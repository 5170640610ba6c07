"""Safe play as an operator on values: what one more move, first, makes of the value of every position.

The value of a position with k moves to go is kept for each *lane*, a turn and a block
(:mod:`holdfast.solver.quotient`), as a function of states
(:mod:`holdfast.operation.brackets.value_diagrams`); it is −∞ where the position is not safe. With V_k as W_k
of :mod:`holdfast.arena.bellman`:

- Before a move a position is worth the most (for the defender), or the least (for the adversary), of what its
  moves lead to: one operation for each move. Where the adversary is out of moves, play rests, and the
  position leads to itself.
- μ is added; values are whole numbers, in units of 1/(denominator of μ · ``grain``).
- Where a reset can happen, the two values are mixed, and so are those of the outcomes of a choice; only there
  is anything rounded: down for a bound from below, up for a bound from above. The outcomes of a choice are
  looked at only where all of them are admissible and safe, so that nothing is mixed with what no play meets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.game import Interval
from holdfast.logic import Diagram, Player
from holdfast.operation.brackets.drawn_moves import DrawnMove, drawn_move, mixed_outcomes
from holdfast.operation.brackets.guarded_moves import GuardedMoves, guarded_moves, piece_moves
from holdfast.operation.brackets.lanes import TurnBlock, lanes_of
from holdfast.operation.brackets.reset_sets import ResetSets, reset_sets
from holdfast.operation.brackets.value_diagrams import (
    ALWAYS,
    HIGHEST,
    INFINITE,
    LARGEST,
    LEAST,
    LOWEST,
    MIXED_DOWN,
    MIXED_UP,
    NEVER,
    SECOND,
    SUM_ABOVE,
    SUM_BELOW,
    ValueDiagrams,
    constant,
)
from holdfast.solver import DiagramPositions, Gamble, ProductDiagrams, out_of_moves, separated_choices

MOST = 1 << 44
"""Units of μ times the denominator of a probability, at most: with so many moves as an episode has, that
stays far from what stands for infinity."""

Values = dict[TurnBlock, int]
"""For each lane a function of states."""

PART_OF_MEMORY = 4
"""Of the memory there is, one part in so many is for the value diagrams of a game; there may be three."""


@dataclass(frozen=True)
class ResetMoves:
    """The engagement reset as value diagrams.

    Attributes:
        sets: the same as sets of states.
        when: for each lane, where in W it can happen.
        moves: what it does.
        starts: the states after a reset by the block in which both automata start again.
    """

    sets: ResetSets
    when: dict[TurnBlock, int]
    moves: GuardedMoves
    starts: dict[int, int]


@dataclass(frozen=True)
class ValueGame:
    """Safe play of a solved configuration, for values.

    Attributes:
        winning: W.
        table: where the values are.
        safe: W in each lane.
        mu: μ in each lane, in units; −∞ outside of W.
        denominator: of the values of μ.
        grain: how many units that denominator is cut into; 1 where nothing is ever rounded.
        finest: how large units may be where something is.
        lanes: the turns and blocks that play can come to.
        moves: of each player by class of letters, without those whose outcome is drawn.
        gambles: of each player, those whose outcome is drawn.
        allowed: for a lane and the number of a gamble, where it can be chosen safely.
        edges: for a lane and a class of letters, the blocks that moves lead to and the states after them.
        rests: where the adversary is out of moves, by block.
    """

    product: ProductDiagrams
    winning: DiagramPositions
    table: ValueDiagrams
    safe: Values
    mu: Values
    denominator: int
    grain: int
    finest: Fraction
    lanes: tuple[TurnBlock, ...]
    moves: dict[Player, dict[int, GuardedMoves]]
    gambles: dict[Player, tuple[DrawnMove, ...]]
    allowed: dict[tuple[TurnBlock, int], int]
    edges: dict[tuple[TurnBlock, int], tuple[tuple[int, int], ...]]
    rests: dict[int, int]
    reset: ResetMoves | None
    budget: Budget

    @property
    def unit(self) -> Fraction:
        """What one of the whole numbers stands for."""
        return Fraction(1, self.denominator * self.grain)

    @property
    def chance(self) -> Fraction:
        """The probability of a reset, p."""
        return Fraction(0) if self.reset is None else self.reset.sets.chance

    @cached_property
    def range_of_mu(self) -> Interval[Fraction]:
        """The least and the greatest μ of what play can come to, as far as the automata tell."""
        d, game = self.product.diagrams, self.product.configuration.game
        safe = [self.winning[turn][block] for turn, block in self.lanes]
        met = [
            v for v, states in d.term(game.dominance).items() if any((states & s).satisfiable() for s in safe)
        ]
        return Interval(min(met), max(met))

    @property
    def alternating(self) -> bool:
        """Whether turns always alternate, since nobody is ever out of moves."""
        return all(states == NEVER for states in self.rests.values())

    def start(self) -> Values:
        """V₀ = 0."""
        combined = self.table.combined
        return {lane: combined(SECOND, LOWEST, constant(0), guard=safe) for lane, safe in self.safe.items()}

    def before_moves(self, values: Values, turns: Iterable[Player], lower: bool) -> Values:
        """For the positions of some turns, the best V_k of what they lead to; anything outside of W."""
        known: dict[tuple[Player, int, int], int] = {}
        mixing, own = MIXED_DOWN if lower else MIXED_UP, [lane for lane in self.lanes if lane[0] in turns]
        return {lane: self._before_move(lane, values, mixing, known) for lane in own}

    def moved(self, best: Values, lower: bool, base: int, window: tuple[int, int]) -> Values:
        """V_{k+1} less a base from the best that follows: a bound that tells values of a window apart.

        The window goes from so many units below the base to so many above it.
        """
        combined, kind = self.table.combined, SUM_BELOW if lower else SUM_ABOVE
        endless, shift = INFINITE, constant(-base)
        added = {lane: combined(SUM_BELOW, self.mu[lane], shift, low=-endless, high=endless) for lane in best}
        values_after = {
            lane: combined(kind, function, added[lane], low=-window[0], high=window[1])
            for lane, function in best.items()
        }
        if self.reset is None:
            return values_after
        for turn in {lane[0] for lane in values_after}:
            own = {lane: function for lane, function in values_after.items() if lane[0] is turn}
            values_after |= self._let_reset(self.reset, turn, own, lower)
        return values_after

    def _before_move(
        self, lane: TurnBlock, values: Values, mixing: int, known: dict[tuple[Player, int, int], int]
    ) -> int:
        """Blocks with the same goal share the work."""
        (turn, block), combined = lane, self.table.combined
        defending = turn is Player.DEFENDER
        kind, nothing = (LARGEST, LOWEST) if defending else (LEAST, HIGHEST)
        best, tick = nothing, partial(self.budget.tick, "bounds of DDR*")

        def goal_of(letters: int) -> int:
            goal = nothing
            for target, states in self.edges[lane, letters]:
                goal = combined(SECOND, goal, values[turn.opponent, target], guard=states)
            return goal

        for letters, moves in self.moves[turn].items():
            goal = goal_of(letters)
            key = turn, letters, goal
            if key not in known:
                known[key] = self.table.best_after(kind, moves, goal, tick)
            best = combined(kind, best, known[key])
        for number, gamble in enumerate(self.gambles[turn]):
            guard = self.allowed[lane, number]
            if guard != NEVER:
                tick()
                goal = goal_of(gamble.kind)
                key = turn, -1 - number, goal
                if key not in known:
                    known[key] = mixed_outcomes(self.table, gamble, goal, mixing)
                best = combined(kind, best, known[key], guard=guard)
        if not defending and self.rests[block] != NEVER:
            best = combined(SECOND, best, values[lane], guard=self.rests[block])
        return best

    def _let_reset(self, reset: ResetMoves, turn: Player, values: Values, lower: bool) -> Values:
        """From U to W: where a reset can happen its value is mixed in, rounded outwards."""
        combined, kind = self.table.combined, MIXED_DOWN if lower else MIXED_UP
        again = before = LOWEST
        for block, states in reset.starts.items():
            if (turn, block) in values:
                again = combined(SECOND, again, values[turn, block], guard=states)
        for guard, move in reset.moves:
            before = combined(SECOND, before, again, guard=guard, move=move)
        p, q = reset.sets.chance.as_integer_ratio()
        return {
            lane: combined(kind, function, before, guard=reset.when[lane], low=p, high=q)
            for lane, function in values.items()
        }


# -- building it ------------------------------------------------------------------------------------


def value_game(
    product: ProductDiagrams, winning: DiagramPositions, chance: Fraction, finest: Fraction, budget: Budget
) -> ValueGame:
    """Lay safe play out for values.

    Args:
        chance: p.
        finest: where something is rounded at all, the units in which it is are at most this large.
    """
    d, (sure, drawn) = product.diagrams, separated_choices(product, partial(budget.tick, "value diagrams"))
    table = ValueDiagrams(d, budget.memory // PART_OF_MEMORY)
    terms = d.term(product.configuration.game.dominance)
    denominator = math.lcm(*(value.denominator for value in terms))
    resets = reset_sets(product, chance) if chance > 0 else None
    grain = 1
    while (resets is not None or any(drawn.values())) and Fraction(1, denominator * grain) > finest:
        grain *= 2
    gambles = {
        player: tuple(drawn_move(table, d, gamble.kind, gamble.outcomes) for gamble in own)
        for player, own in drawn.items()
    }
    weights = [weight for own in gambles.values() for gamble in own for weight in gamble.weights]
    if max((weight.denominator for weight in weights), default=1) * denominator * grain > MOST:
        raise LimitError("the probabilities have too many digits for diagrams of values")

    def after_resets(lane: TurnBlock) -> Iterable[TurnBlock]:
        turn, block = lane
        if resets is None or not (winning[turn][block] & resets.when).satisfiable():
            return ()
        return ((turn, start) for start in resets.starts)

    lanes = lanes_of(product, after_resets)
    safe = {(turn, block): table.set_of(winning[turn][block]) for turn, block in lanes}
    mu = table.function(((int(v * denominator * grain), states) for v, states in terms.items()), 0)
    resting = out_of_moves(winning, budget.part("value diagrams"))
    reset = None
    if resets is not None:
        piece = ((ALWAYS, table.stay),) if resets.piece is None else piece_moves(table, d, resets.piece)
        reset = ResetMoves(
            resets,
            {(turn, block): table.set_of(winning[turn][block] & resets.when) for turn, block in lanes},
            piece,
            {block: table.set_of(states) for block, states in resets.starts.items()},
        )
    laid_out = ValueGame(
        product=product,
        winning=winning,
        table=table,
        safe=safe,
        mu={lane: table.combined(SECOND, LOWEST, mu, guard=safe[lane]) for lane in lanes},
        denominator=denominator,
        grain=grain,
        finest=finest,
        lanes=lanes,
        moves={p: {group.kind: guarded_moves(table, d, group) for group in sure[p]} for p in Player},
        gambles=gambles,
        allowed={
            (lane, number): table.set_of(_allowed(gamble, product, winning, lane))
            for lane in lanes
            for number, gamble in enumerate(drawn[lane[0]])
        },
        edges={
            (lane, kind): _edges(product, table, lane, kind)
            for lane in lanes
            for kind in dict.fromkeys(product.move_class[lane[0]])
        },
        rests={
            block: table.set_of(resting[turn][block]) for turn, block in lanes if turn is Player.ADVERSARY
        },
        reset=reset,
        budget=budget,
    )
    table.settle()
    return laid_out


def _allowed(gamble: Gamble, product: ProductDiagrams, winning: DiagramPositions, lane: TurnBlock) -> Diagram:
    """Where in W of a lane every outcome of a choice is admissible, and in W again."""
    turn, block = lane
    if turn is Player.ADVERSARY and product.blocks.is_sink(block):
        return product.diagrams.false
    goal = product.goal(gamble.kind, block, winning[turn.opponent], unsafe=False)
    return winning[turn][block] & gamble.into(product.diagrams, goal)


def _edges(
    product: ProductDiagrams, table: ValueDiagrams, lane: TurnBlock, kind: int
) -> tuple[tuple[int, int], ...]:
    turn, block = lane
    if turn is Player.ADVERSARY and product.blocks.is_sink(block):
        return ()
    edges = product.edges[kind][block].items()
    return tuple((target, table.set_of(states)) for target, states in edges if target is not None)
