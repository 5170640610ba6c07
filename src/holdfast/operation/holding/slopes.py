"""Which exploit matters, where positions are too many to list: the slope of HOLD_T in each probability.

HOLD_T is made of means, greatest and least values, so how it moves when a probability p falls follows the
same steps, with the choices that are best alone: where several are, whoever moves takes the one that is best
for it once p has fallen. So an exploit with a substitute has the slope 0, as it should.

    D_t(v) = best over the best choices at v of  Σ share · D_t−1(outcome)
             + (what failure is worth − what success is worth, where it is the choice that p belongs to)

HOLD_0, …, HOLD_T are found once, as value diagrams; then only positions are looked at that best play can meet
from v₀, one by one, and all slopes are found together on the way back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from holdfast.arrays import Floats
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Position, choices
from holdfast.logic import Player
from holdfast.operation.holding.value_steps import HoldGame, LaneValues, hold_game
from holdfast.solver import Solution, Stepper, diagrams

ALIKE = 1e-11
"""Choices whose values differ by no more are best alike."""
MAX_MET, MAX_FOLLOWED = 5_000, 50_000
"""So many positions, each with a number of moves left, are looked at; past it one best choice is followed at
each, and then so many."""
NEGLIGIBLE = 1e-6

_Node = tuple[int, Position]
"""A position, and how many moves are left."""


@dataclass(frozen=True)
class _Option:
    """A choice: where its outcomes lead, those that fail last, and how likely they are; its place in a list
    of the choices whose slope is asked for, −1 if it is none.
    """

    number: int
    targets: tuple[Position, ...]
    shares: tuple[float, ...]


def slopes_by_diagrams(solution: Solution, moves: int, budget: Budget = UNLIMITED) -> dict[str, float]:
    """By how much HOLD_T moves with the probability of success of each choice, as it falls; the most first.

    Raises:
        LimitError: past the budget.
    """
    regions = diagrams(solution, budget)
    game, moves = hold_game(regions.product, regions.winning(), budget), moves + moves % 2
    play = _BestPlay(solution, game, _stages(game, moves, budget), budget)
    for ties in (True, False):
        try:
            changes = play.slopes(moves, ties)
            break
        except _TooManyError:
            if not ties:
                raise LimitError(f"best play meets more than {MAX_FOLLOWED:,} positions") from None
    named = {name: float(value) for name, value in zip(play.names, changes, strict=True)}
    named = {name: value if abs(value) > NEGLIGIBLE else 0.0 for name, value in named.items()}
    return dict(sorted(named.items(), key=lambda each: -abs(each[1])))


class _TooManyError(Exception):
    """Best play meets too many positions."""


def _stages(game: HoldGame, moves: int, budget: Budget) -> list[LaneValues]:
    """HOLD_0, HOLD_1, … of the turn that each is asked for: v₀'s after an even number of moves."""
    turn = game.product.configuration.initial.turn
    stages = [game.start()]
    for t in range(1, moves + 1):
        budget.tick(f"which exploit matters: move {t:,}")
        if game.table.littered:
            lanes = game.lanes
            roots = game.table.collect([values[lane] for values in stages for lane in lanes])
            parts = [roots[i : i + len(lanes)] for i in range(0, len(roots), len(lanes))]
            stages = [dict(zip(lanes, own, strict=True)) for own in parts]
        if t > 2 and stages[-1] == stages[-2] == stages[-3]:  # nothing moves any more
            stages.append(stages[-1])
            continue
        now = turn if t % 2 == 0 else turn.opponent
        stages.append({**stages[-1], **game.after(stages[-1], turn=now)})
    return stages


@dataclass
class _BestPlay:
    """Positions that best play meets, and what is known of them."""

    solution: Solution
    game: HoldGame
    stages: list[LaneValues]
    budget: Budget
    _options: dict[Position, tuple[_Option, ...]] = field(default_factory=dict)
    _values: dict[int, dict[Position, float]] = field(default_factory=dict)
    _codes: dict[Position, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        structure = self.solution.configuration.game
        self.stepper, places = Stepper(self.solution.configuration), dict[tuple[Player, str], int]()
        for player in Player:
            for outcomes in choices(structure, player):
                own = [structure.actions[player][action] for action in outcomes]
                if len(own) > 1 and not all(one.rules for one in own):  # one of them changes nothing
                    places[player, own[0].choice] = len(places)
        self.places = places

    @property
    def names(self) -> list[str]:
        """The choices whose slope is asked for."""
        return [name for _, name in self.places]

    def slopes(self, moves: int, ties: bool) -> Floats:
        """The slope of each at v₀."""
        layers = self._layers(moves, ties)
        nothing, after = np.zeros(len(self.places)), dict[Position, Floats]()
        for left, layer in zip(range(1, moves + 1), reversed(layers), strict=True):
            self.budget.tick(f"which exploit matters: {left:,} moves left")
            here = {}
            for position, best in layer.items():
                changes = [self._change(option, left, after, nothing) for option in best]
                pick = np.maximum if position.turn is Player.DEFENDER else np.minimum
                here[position] = pick.reduce(changes) if changes else nothing
            after = here
        return -after[self.solution.configuration.initial]

    def _layers(self, moves: int, ties: bool) -> list[dict[Position, list[_Option]]]:
        """For each number of moves left, from all on, the positions that are met and their best choices."""
        layers, here, n_met = [], [self.solution.configuration.initial], 0
        for left in range(moves, 0, -1):
            layer = {}
            for position in here:
                self.budget.tick(f"which exploit matters: {n_met:,} positions")
                layer[position] = self._best(position, left, ties)
            layers.append(layer)
            n_met += len(layer)
            if n_met > (MAX_MET if ties else MAX_FOLLOWED):
                raise _TooManyError
            targets = (target for best in layer.values() for option in best for target in option.targets)
            here = list(dict.fromkeys(targets))
        return layers

    def _best(self, position: Position, left: int, ties: bool) -> list[_Option]:
        """The best choices at a position; none where it is decided."""
        if self._value(position, left) in (0.0, 1.0):
            return []
        if position not in self._options:
            self._options[position] = self._found(position)
        worth = [self._worth(option, left) for option in self._options[position]]
        if not worth:
            return []
        best = max(worth) if position.turn is Player.DEFENDER else min(worth)
        alike = [
            option
            for option, value in zip(self._options[position], worth, strict=True)
            if abs(value - best) <= ALIKE
        ]
        return alike if ties else alike[:1]

    def _worth(self, option: _Option, left: int) -> float:
        pairs = zip(option.shares, option.targets, strict=True)
        return sum(share * self._value(target, left - 1) for share, target in pairs)

    def _change(self, option: _Option, left: int, after: dict[Position, Floats], nothing: Floats) -> Floats:
        """How a choice moves as each probability falls."""
        change = nothing.copy()
        for share, target in zip(option.shares, option.targets, strict=True):
            change += share * after.get(target, nothing)
        if option.number >= 0:
            *successes, fails = (self._value(target, left - 1) for target in option.targets)
            likely = option.shares[:-1]
            success = sum(s * value for s, value in zip(likely, successes, strict=True)) / sum(likely)
            change[option.number] += fails - success
        return change

    def _value(self, position: Position, left: int) -> float:
        """HOLD of a position with so many moves left."""
        known = self._values.setdefault(left, {})
        if position not in known:
            known[position] = self._looked_up(position, left)
        return known[position]

    def _looked_up(self, position: Position, left: int) -> float:
        game, block = self.game, self.game.product.blocks.number(position)
        if block is None:
            return 0.0
        if position not in self._codes:
            structure = self.solution.configuration.game
            codes = structure.codes(position.state)
            order = game.product.diagrams.variables
            self._codes[position] = np.array([codes[v.name] for v in order], np.int64)
        root = self.stages[left][position.turn, block]
        return game.table.value(root, self._codes[position]) / game.scale

    def _found(self, position: Position) -> tuple[_Option, ...]:
        """The choices at a position, those that come to the same as one."""
        structure, moves = self.solution.configuration.game, self.stepper.moves(position)
        found: dict[_Option, None] = {}
        for outcomes in choices(structure, position.turn):
            if any(action not in moves for action in outcomes):
                continue
            actions = structure.actions[position.turn]
            ordered = sorted(outcomes, key=lambda action: not actions[action].rules)  # what fails comes last
            targets = tuple(moves[action] for action in ordered)
            shares = tuple(float(actions[action].probability) for action in ordered)
            if len(set(targets)) == 1:
                found[_Option(-1, targets[:1], (1.0,))] = None
            else:
                number = self.places.get((position.turn, actions[outcomes[0]].choice), -1)
                found[_Option(number, targets, shares)] = None
        return tuple(found)
