"""Safe play as an operator on values: what one more move, first, makes of the value of every position.

The value of a position with k moves to go is kept for each *lane*, a turn and a block
(:mod:`holdfast.solver.quotient`), as a function of states
(:mod:`holdfast.operation.brackets.value_diagrams`); it is −∞ where the position is not safe. With V_k as W_k
of :mod:`holdfast.arena.bellman`:

- Before a move a position is worth the most (for the defender), or the least (for the adversary), of what its
  moves lead to: one operation for each move. Where the adversary is out of moves, play rests, and the
  position leads to itself.
- μ is added; values are whole numbers, in units of 1/(denominator of μ · ``grain``).
- Where a reset can happen, the two values are mixed, and only there is anything rounded: down for a bound
  from below, up for a bound from above.
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
from holdfast.logic import Diagrams, Player
from holdfast.operation.brackets.reset_sets import ResetSets, TurnBlock, reset_sets
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
    GuardedMove,
    ValueDiagrams,
    constant,
)
from holdfast.solver import DiagramPositions, MoveGroup, Piece, ProductDiagrams, out_of_moves

Values = dict[TurnBlock, int]
"""For each lane a function of states."""

PART_OF_MEMORY = 4
"""Of the memory there is, one part in so many is for the value diagrams of a game; there may be three."""

GuardedMoves = tuple[GuardedMove, ...]


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
        lanes: the turns and blocks that play can come to.
        moves: of each player by class of letters.
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
    lanes: tuple[TurnBlock, ...]
    moves: dict[tuple[Player, int], GuardedMoves]
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

    def before_moves(self, values: Values, turns: Iterable[Player]) -> Values:
        """For the positions of some turns, the best V_k of what they lead to; anything outside of W."""
        known: dict[tuple[Player, int, int], int] = {}
        return {lane: self._before_move(lane, values, known) for lane in self.lanes if lane[0] in turns}

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

    def _before_move(self, lane: TurnBlock, values: Values, known: dict[tuple[Player, int, int], int]) -> int:
        """Blocks with the same goal share the work."""
        (turn, block), combined = lane, self.table.combined
        defending = turn is Player.DEFENDER
        kind, nothing = (LARGEST, LOWEST) if defending else (LEAST, HIGHEST)
        best = nothing
        for group in self.product.groups[turn]:
            goal = nothing
            for target, states in self.edges[lane, group.kind]:
                goal = combined(SECOND, goal, values[turn.opponent, target], guard=states)
            key = turn, group.kind, goal
            if key not in known:
                tick = partial(self.budget.tick, "bounds of DDR*")
                known[key] = self.table.best_after(kind, self.moves[turn, group.kind], goal, tick)
            best = combined(kind, best, known[key])
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
    d, groups = product.diagrams, product.groups
    table = ValueDiagrams(d, budget.memory // PART_OF_MEMORY)
    terms = d.term(product.configuration.game.dominance)
    denominator = math.lcm(*(value.denominator for value in terms))
    resets = reset_sets(product, chance) if chance > 0 else None
    grain = 1
    while resets is not None and Fraction(1, denominator * grain) > finest:
        grain *= 2
    lanes = _lanes(product, winning, resets)
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
        lanes=lanes,
        moves={(p, group.kind): guarded_moves(table, d, group) for p in Player for group in groups[p]},
        edges={
            (lane, group.kind): _edges(product, table, lane, group.kind)
            for lane in lanes
            for group in groups[lane[0]]
        },
        rests={
            block: table.set_of(resting[turn][block]) for turn, block in lanes if turn is Player.ADVERSARY
        },
        reset=reset,
        budget=budget,
    )
    table.settle()
    return laid_out


def guarded_moves(table: ValueDiagrams, d: Diagrams, group: MoveGroup) -> GuardedMoves:
    """The moves of a class: one that changes nothing, those of single variables together, the others.

    Where some move changes nothing, what leaves a code as it is does no harm, and needs no guard.
    """
    free = not (d.valid & ~group.stay).satisfiable()
    moves: list[GuardedMove] = [(table.set_of(group.stay), table.stay)]
    for level, changes in enumerate(group.local.changes):
        for turn in range(max(map(len, changes.values()), default=0)):
            move, own = table.stay.copy(), d.false
            for code, targets in changes.items():
                if turn < len(targets):
                    move[level, code] = list(targets)[turn]
                    own |= d.cube(d.variables[level], code)
            moves.append((ALWAYS if free else table.set_of(own), move))
    for piece in group.others:
        moves += piece_moves(table, d, piece)
    return tuple(moves)


def piece_moves(table: ValueDiagrams, d: Diagrams, piece: Piece) -> GuardedMoves:
    """A piece as moves that assign constants.

    Raises:
        LimitError: for one that changes numbers by more values than are listed.
    """
    if piece.back is not None:
        raise LimitError("an action assigns too many values for diagrams of values")
    assigned = [
        (level, variable)
        for level, variable in enumerate(d.variables)
        if not (piece.forgotten & d.manager.not_var(d.bits[variable.name].start)).satisfiable()
    ]
    moves = []
    for states, values in piece.outcomes:
        move = table.stay.copy()
        for level, variable in assigned:
            codes = range(len(variable.values))
            move[level] = next(c for c in codes if (values & d.cube(variable, c)).satisfiable())
        moves.append((table.set_of(states & piece.guard), move))
    return tuple(moves)


def _edges(
    product: ProductDiagrams, table: ValueDiagrams, lane: TurnBlock, kind: int
) -> tuple[tuple[int, int], ...]:
    turn, block = lane
    if turn is Player.ADVERSARY and product.blocks.is_sink(block):
        return ()
    edges = product.edges[kind][block].items()
    return tuple((target, table.set_of(states)) for target, states in edges if target is not None)


def _lanes(
    product: ProductDiagrams, winning: DiagramPositions, resets: ResetSets | None
) -> tuple[TurnBlock, ...]:
    """The turns and blocks that play from v₀ can come to, as far as the automata tell."""
    initial = product.configuration.initial
    block = product.blocks.number(initial)
    assert block is not None
    todo, seen = [(initial.turn, block)], {(initial.turn, block)}
    while todo:
        turn, block = todo.pop()
        onward = [(turn.opponent, target) for target in _targets(product, turn, block)]
        if resets is not None and (winning[turn][block] & resets.when).satisfiable():
            onward += [(turn, start) for start in resets.starts]
        fresh = [lane for lane in dict.fromkeys(onward) if lane not in seen]
        seen.update(fresh)
        todo += fresh
    return tuple(sorted(seen, key=lambda lane: (lane[0].value, lane[1])))


def _targets(product: ProductDiagrams, turn: Player, block: int) -> list[int]:
    """The blocks that moves of a lane may lead to."""
    if turn is Player.ADVERSARY and product.blocks.is_sink(block):
        return []
    return sorted(
        {t for group in product.groups[turn] for t in product.edges[group.kind][block] if t is not None}
    )
