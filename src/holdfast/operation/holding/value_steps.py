"""The game of HOLD on decision diagrams: what one more move, first, makes of the value of every position.

The value of a position is kept for each *lane*, a turn and a block (:mod:`holdfast.solver.quotient`), as a
function of states (:mod:`holdfast.operation.brackets.value_diagrams`). Values are whole numbers, in units of
1/``scale``: 0 in U, ``scale`` in W, and twice that where the adversary cannot choose. A gamble mixes what
its outcomes lead to, one after the other, rounded up for bounds from above and down for bounds from below;
nothing else is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.budget import Budget
from holdfast.logic import Player
from holdfast.operation.brackets.drawn_moves import DrawnMove, drawn_move, mixed_outcomes
from holdfast.operation.brackets.guarded_moves import GuardedMoves, guarded_moves
from holdfast.operation.brackets.lanes import TurnBlock, lanes_of
from holdfast.operation.brackets.value_diagrams import (
    HIGHEST,
    LARGEST,
    LEAST,
    LOWEST,
    MIXED_UP,
    SECOND,
    ValueDiagrams,
    constant,
)
from holdfast.solver import DiagramPositions, ProductDiagrams, separated_choices

BITS = 61
"""Values times the denominators of probabilities stay below so many bits."""
PART_OF_MEMORY = 2

LaneValues = dict[TurnBlock, int]
"""For each lane a function of states."""


@dataclass(frozen=True)
class HoldGame:
    """The positions outside U, for values.

    Attributes:
        table: where the values are.
        scale: how many units make 1.
        won: W in each lane.
        lanes: the turns and blocks that play can come to.
        moves: of each player without chance, by class of letters.
        gambles: of each player with chance.
        edges: for a lane and a class of letters, the blocks that moves lead to and the states after them;
            under None the states that are unsafe.
    """

    product: ProductDiagrams
    table: ValueDiagrams
    scale: int
    won: LaneValues
    lanes: tuple[TurnBlock, ...]
    moves: dict[Player, dict[int, GuardedMoves]]
    gambles: dict[Player, tuple[DrawnMove, ...]]
    edges: dict[tuple[TurnBlock, int], tuple[tuple[int | None, int], ...]]
    budget: Budget

    @property
    def error(self) -> int:
        """How many units a step may be off at most."""
        widest = (len(g.outcomes) - 1 for own in self.gambles.values() for g in own)
        return max(widest, default=0)

    def start(self) -> LaneValues:
        """1 everywhere outside U."""
        return dict.fromkeys(self.lanes, constant(self.scale))

    def won_alone(self) -> LaneValues:
        """1 on W, 0 elsewhere."""
        nothing, whole = constant(0), constant(self.scale)
        won = self.won.items()
        return {lane: self.table.combined(SECOND, nothing, whole, guard=own) for lane, own in won}

    def after(self, values: LaneValues, mixing: int = MIXED_UP, turn: Player | None = None) -> LaneValues:
        """Φ: the values one move earlier, of one turn if it is given.

        The outcomes of a gamble are put together by ``mixing``: their mean rounded up or down
        (:data:`MIXED_DOWN`), or the best of them (:data:`LARGEST`).
        """
        known: dict[tuple[Player, object, int], int] = {}
        lanes = (lane for lane in self.lanes if turn in (None, lane[0]))
        return {lane: self._before(lane, values, mixing, known) for lane in lanes}

    def _before(
        self, lane: TurnBlock, values: LaneValues, mixing: int, known: dict[tuple[Player, object, int], int]
    ) -> int:
        (turn, block), combined, whole = lane, self.table.combined, constant(self.scale)
        if turn is Player.ADVERSARY and self.product.blocks.is_sink(block):
            return whole
        best = combined(LEAST, self.best(lane, values, mixing, known), whole)
        return combined(SECOND, best, whole, guard=self.won[lane])

    def best(
        self, lane: TurnBlock, values: LaneValues, mixing: int, known: dict[tuple[Player, object, int], int]
    ) -> int:
        """What the best choice of whoever moves in a lane makes of values; 2 where there is none."""
        (turn, _), combined = lane, self.table.combined
        defending = turn is Player.DEFENDER
        best = LOWEST if defending else HIGHEST
        kind = LARGEST if defending else LEAST
        goals: dict[int, int] = {}

        def goal_of(letters: int) -> int:
            if letters not in goals:
                goals[letters] = self.goal(lane, letters, values, 2 * self.scale)
            return goals[letters]

        def tick() -> None:
            self.budget.tick("how likely it holds, by value diagrams")

        for letters, moves in self.moves[turn].items():
            goal = goal_of(letters)
            key = turn, letters, goal
            if key not in known:
                known[key] = self.table.best_after(kind, moves, goal, tick)
            best = combined(kind, best, known[key])
        for number, gamble in enumerate(self.gambles[turn]):
            tick()
            goal = goal_of(gamble.kind)
            other = turn, (number,), goal
            if other not in known:
                known[other] = self.drawn(gamble, goal, mixing)
            best = combined(kind, best, known[other])
        return best

    def goal(self, lane: TurnBlock, letters: int, values: LaneValues, barred: int) -> int:
        """What states after a move from a lane are worth: 0 in U, and ``barred`` where it is not allowed."""
        goal = constant(barred)
        for target, states in self.edges[lane, letters]:
            worth = constant(0) if target is None else values[lane[0].opponent, target]
            goal = self.table.combined(SECOND, goal, worth, guard=states)
        return goal

    def drawn(self, gamble: DrawnMove, goal: int, kind: int) -> int:
        """What the outcomes of a gamble make of a goal together."""
        return mixed_outcomes(self.table, gamble, goal, kind)


def hold_game(product: ProductDiagrams, winning: DiagramPositions, budget: Budget) -> HoldGame:
    """Lay the game of HOLD out for values."""
    d = product.diagrams
    table = ValueDiagrams(d, budget.memory // PART_OF_MEMORY)
    groups, drawn = separated_choices(product, lambda: budget.tick("value diagrams"))
    moves: dict[Player, dict[int, GuardedMoves]] = {}
    gambles: dict[Player, tuple[DrawnMove, ...]] = {}
    largest = 1
    for player in Player:
        moves[player] = {group.kind: guarded_moves(table, d, group) for group in groups[player]}
        gambles[player] = tuple(drawn_move(table, d, one.kind, one.outcomes) for one in drawn[player])
        weights = [weight for gamble in gambles[player] for weight in gamble.weights]
        largest = max([largest, *(weight.denominator for weight in weights)])
    lanes = lanes_of(product)
    letters = {player: {*moves[player], *(g.kind for g in gambles[player])} for player in Player}
    laid_out = HoldGame(
        product=product,
        table=table,
        scale=1 << max(16, BITS - 2 - largest.bit_length()),
        won={(turn, block): table.set_of(winning[turn][block]) for turn, block in lanes},
        lanes=lanes,
        moves=moves,
        gambles=gambles,
        edges={
            (lane, kind): tuple(
                (target, table.set_of(states)) for target, states in product.edges[kind][lane[1]].items()
            )
            for lane in lanes
            for kind in letters[lane[0]]
        },
        budget=budget,
    )
    table.settle()
    return laid_out


def value_of(game: HoldGame, values: LaneValues) -> int:
    """The value of v₀."""
    initial = game.product.configuration.initial
    block = game.product.blocks.number(initial)
    assert block is not None
    codes = game.product.configuration.game.codes(initial.state)
    point = np.array([codes[v.name] for v in game.product.diagrams.variables], np.int64)
    return game.table.value(values[initial.turn, block], point)
