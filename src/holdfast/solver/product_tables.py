"""The product game as arrays: successors of valuations, and where the letters lead.

The arrays run over (turn, block, valuation), see :mod:`holdfast.solver.quotient`. Memory: one successor
index for each valuation and action, and one target for each valuation, block and class of moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import (
    NO_SUCCESSOR,
    Action,
    Configuration,
    GameStructure,
    OutcomeGroups,
    Position,
    Recalled,
    Seen,
    State,
    choices,
    valuation_grid,
)
from holdfast.logic import (
    Expression,
    Player,
    Read,
    SafetyAutomaton,
    Symbol,
    Variable,
    holds_array,
    number_array,
)
from holdfast.solver.quotient import Blocks, ClauseAtoms, Side, classify_moves

TURNS = (Player.DEFENDER, Player.ADVERSARY)
UNSAFE, INADMISSIBLE = -1, -2

Worse = Callable[[Array, Array], Array]
"""Of two arrays one, entry by entry."""

CHUNK, AT_ONCE = 1 << 18, 1 << 16
"""So many positions are looked at together, and so many moves; past these, one action after the other, which
needs less memory."""


class Looks(NamedTuple):
    """What states look like to somebody who sees some of them.

    Attributes:
        number: for each valuation the number of its look.
        keys: for each look a bit for each thing that is seen, the first one lowest.
    """

    number: Array
    keys: tuple[int, ...]


@dataclass(frozen=True)
class ProductTables:
    """The quotient of the product game, as arrays.

    Attributes:
        successors: for each action and valuation the one after it, -1 where it cannot be chosen.
        move_class: for each action the class of its letters.
        targets: for a class and a block, the block after the move at each successor valuation, or
            :data:`UNSAFE`, or :data:`INADMISSIBLE`; shape (n_classes, n_blocks, n).
        choices: for each player the actions that are outcomes of one choice.
    """

    configuration: Configuration
    blocks: Blocks
    successors: dict[Player, Array]
    move_class: dict[Player, tuple[int, ...]]
    targets: Array
    choices: dict[Player, OutcomeGroups]
    _looks: dict[Seen, Looks] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def build(cls, configuration: Configuration, budget: Budget = UNLIMITED) -> ProductTables:
        """Tabulate successors and letters."""
        game, blocks = configuration.game, Blocks.of(configuration)
        classes, move_class = classify_moves(configuration)
        _check_memory(game, blocks, len(classes), budget.memory)
        grid = valuation_grid(game)
        targets = np.empty((len(classes), blocks.n_blocks, game.n_valuations), dtype=np.int16)
        for left, out in zip(classes, targets, strict=True):
            budget.tick("tabulating the letters")
            defender, adversary = (
                _columns(side, atoms, grid, game)
                for side, atoms in zip((configuration.defender, configuration.adversary), left, strict=True)
            )
            _fill_targets(blocks, defender, adversary, out)
        successors = {player: _successors(game, player, grid, budget) for player in Player}
        return cls(
            configuration, blocks, successors, move_class, targets, {p: choices(game, p) for p in Player}
        )

    @property
    def n(self) -> int:
        """Number of valuations."""
        return self.configuration.game.n_valuations

    @property
    def n_gathers(self) -> int:
        """How often a sweep over all positions looks at a move: valuations · actions · blocks."""
        return self.n_moves * self.blocks.n_blocks

    @property
    def n_moves(self) -> int:
        """How many moves the game structure has: valuations · actions."""
        return self.n * sum(map(len, self.successors.values()))

    def place(self, position: Position) -> tuple[int, int, int] | None:
        """Turn, block and valuation of a position, by which arrays have it; None where it is unsafe."""
        block = self.blocks.number(position)
        if block is None:
            return None
        return TURNS.index(position.turn), block, self.configuration.game.index(position.state)

    def looks(self, seen: Seen) -> Looks:
        """What states look like to somebody who sees some of them; worked out once."""
        if seen not in self._looks:
            game = self.configuration.game
            grid = valuation_grid(game)
            rows = np.zeros((self.n, len(seen)), dtype=np.uint8)
            for i, part in enumerate(seen):
                if not isinstance(part, Recalled):
                    rows[:, i] = np.broadcast_to(holds_array(part, grid), game.extents).reshape(-1)
            each, number = np.unique(rows, axis=0, return_inverse=True)
            keys = tuple(sum(int(bit) << i for i, bit in enumerate(look)) for look in each.tolist())
            self._looks[seen] = Looks(number.reshape(-1), keys)
        return self._looks[seen]

    def only(self, actions: Sequence[int], own: Player = Player.DEFENDER) -> ProductTables:
        """The game in which a player has some of its actions alone, given by their numbers."""
        successors = {**self.successors, own: self.successors[own][list(actions)]}
        kinds = {**self.move_class, own: tuple(self.move_class[own][a] for a in actions)}
        place = {action: i for i, action in enumerate(actions)}
        kept = ([place[a] for a in outcomes if a in place] for outcomes in self.choices[own])
        left = {**self.choices, own: tuple(tuple(outcomes) for outcomes in kept if outcomes)}
        return replace(self, successors=successors, move_class=kinds, choices=left)

    def frozen(self, variables: Collection[Variable], state: State) -> ProductTables:
        """The game in which variables keep their values of a state, without moves that write or copy them."""
        game, frozen = self.configuration.game, self
        for player in TURNS:
            own = enumerate(game.actions[player])
            frozen = frozen.only([n for n, a in own if not a.written & set(variables)], player)
        kept = (
            slice(code, code + 1) if v in variables else slice(None)
            for v, code in zip(game.variables, state, strict=True)
        )
        rows = np.arange(self.n).reshape(game.shape)
        here = np.broadcast_to(rows[tuple(kept)], game.shape).reshape(-1)
        return replace(frozen, successors={p: own[:, here] for p, own in frozen.successors.items()})

    def moving(self, number: int, doing: Action) -> ProductTables:
        """The game in which the adversary has one of its actions alone, which does what another one says."""
        own, game = Player.ADVERSARY, self.configuration.game
        successors = _tabulated((doing,), game, valuation_grid(game), UNLIMITED)
        kinds = {**self.move_class, own: (self.move_class[own][number],)}
        alone = {**self.choices, own: ((0,),)}
        return replace(self, successors={**self.successors, own: successors}, move_class=kinds, choices=alone)

    @property
    def gambling(self) -> bool:
        """Whether some choice of the defender has several outcomes."""
        return any(len(outcomes) > 1 for outcomes in self.choices[Player.DEFENDER])

    @cached_property
    def each_outcome(self) -> ProductTables:
        """The game in which the defender chooses what comes of its choices."""
        alone = tuple((number,) for number in range(len(self.successors[Player.DEFENDER])))
        return replace(self, choices={**self.choices, Player.DEFENDER: alone})

    @cached_property
    def waiting(self) -> ProductTables:
        """The game in which a move is made only where it leaves the state as it is, one for each class.

        A choice of the defender of which an outcome is drawn is none.
        """
        here, successors, kinds = np.arange(self.n, dtype=np.int32), {}, {}
        drawn = [a for outcomes in self.choices[Player.DEFENDER] if len(outcomes) > 1 for a in outcomes]
        for player, moves in self.successors.items():
            kinds[player] = tuple(sorted(set(self.move_class[player])))
            own = np.array(self.move_class[player])
            own[drawn if player is Player.DEFENDER else []] = -1
            rows = [(moves[own == kind] == here).any(axis=0) for kind in kinds[player]]
            still = np.array(rows, dtype=bool).reshape(-1, self.n)
            successors[player] = np.where(still, here, np.int32(NO_SUCCESSOR))
        alone: dict[Player, OutcomeGroups]
        alone = {player: tuple((number,) for number in range(len(own))) for player, own in kinds.items()}
        return replace(self, successors=successors, move_class=kinds, choices=alone)

    def violates(self, clause: int, block: Array, rows: Array) -> Array:
        """Whether the adversary has, at each valuation of a block, a move that violates a clause at once."""
        configuration, own = self.configuration, Player.ADVERSARY
        automaton, grid = configuration.defender[clause], valuation_grid(configuration.game)
        accepting, delta = np.array(automaton.accepting), np.array(automaton.delta)
        classes, _ = classify_moves(configuration)
        rejected = {}
        for kind in set(self.move_class[own]):
            (column,) = _columns((automaton,), (classes[kind][0][clause],), grid, configuration.game)
            rejected[kind] = ~accepting[delta[:, column]]
        n_planes = len(self.blocks.planes)
        q = np.array([states[clause] for states in self.blocks.defender.accepting])[block // n_planes]
        violated = np.zeros(len(rows), dtype=bool)
        for successor, kind in zip(self.successors[own], self.move_class[own], strict=True):
            state = successor[rows]
            admissible = (state != NO_SUCCESSOR) & (self.targets[kind][block, state] != INADMISSIBLE)
            violated |= admissible & rejected[kind][q, state]
        return np.asarray(violated & ~self.blocks.is_sink(block))

    def outcomes(
        self, ranks: Array, turn: Player, block: int | Array, rows: Array, worst: Worse = np.maximum
    ) -> Iterator[tuple[Array, Array, Array]]:
        """For each action, at the valuations ``rows`` of a block: Λ, the rank after it, and where it leads.

        Args:
            ranks: of all positions outside U, −1 on W (or where it is not known yet); shape (2, n_blocks, n).
            block: of all rows, or one for each.
            worst: of two ranks, the one that counts where both are outcomes of one choice of the defender.

        Yields:
            Where Λ lets the action be chosen; the rank of its successor, 0 in U; and the number
            block · n + valuation of the successor among the other player's positions. The latter two mean
            nothing where the action cannot be chosen, the last nothing in U. Each outcome of a choice of the
            defender has the rank that counts among them; the adversary's are as if it chose the outcome.
        """
        found = self.single_outcomes(ranks, turn, block, rows)
        if turn is Player.ADVERSARY or not self.gambling:
            yield from found
            return
        for outcomes in self.choices[turn]:
            own = [next(found) for _ in outcomes]
            possible = np.logical_and.reduce([admissible for admissible, _, _ in own])
            rank = reduce(worst, [rank for _, rank, _ in own])
            yield from ((possible, rank, key) for _, _, key in own)

    def single_outcomes(
        self, ranks: Array, turn: Player, block: int | Array, rows: Array
    ) -> Iterator[tuple[Array, Array, Array]]:
        """As :meth:`outcomes`, each action by itself."""
        ended = turn is Player.ADVERSARY and self.blocks.is_sink(block)
        if np.all(ended):
            return
        after = ranks[TURNS.index(turn.opponent)].reshape(-1)
        moves, kinds, open_ = self.successors[turn], self.move_class[turn], np.logical_not(ended)
        if rows.size * len(moves) <= AT_ONCE:
            state = moves[:, rows]
            target = self.targets[np.array(kinds, dtype=np.intp)[:, None], block, state]
            yield from zip(*self._found(after, state, target, open_), strict=True)
            return
        for successor, kind in zip(moves, kinds, strict=True):
            state = successor[rows]
            yield self._found(after, state, self.targets[kind][block, state], open_)

    def _found(self, after: Array, state: Array, target: Array, open_: Any) -> tuple[Array, Array, Array]:
        """Λ, ranks and numbers of successors, given their valuations and what their letters lead to.

        No move is made where it is not ``open_``.
        """
        key = target.clip(0).astype(np.int64) * self.n + state
        admissible = (state != NO_SUCCESSOR) & (target != INADMISSIBLE) & open_
        return admissible, np.where(target == UNSAFE, 0, after[key]), key


def chunks(keys: Array, size: int = CHUNK) -> Iterator[Array]:
    """Numbers of positions, so many at a time."""
    for i in range(0, len(keys), size):
        yield keys[i : i + size]


# -- tables -----------------------------------------------------------------------------------------


def _check_memory(game: GameStructure, blocks: Blocks, n_classes: int, memory: int) -> None:
    n_actions = sum(len(game.actions[player]) for player in Player)
    need = game.n_valuations * (4 * n_actions + (40 + 4 * n_classes) * blocks.n_blocks)
    if need > memory or len(game.extents) > 60:
        raise LimitError(
            f"the explicit engine would need about {size_in_words(need)} for {game.n_valuations:,} "
            f"valuations (at most {size_in_words(memory)}); use the symbolic engine"
        )


def _successors(game: GameStructure, player: Player, grid: dict[str, Array], budget: Budget) -> Array:
    """δ of each action as an array of valuation indices."""
    if game.tables is not None:
        return np.ascontiguousarray(game.tables[player].T, dtype=np.int32)
    return _tabulated(game.actions[player], game, grid, budget)


def _tabulated(
    actions: Sequence[Action], game: GameStructure, grid: dict[str, Array], budget: Budget
) -> Array:
    """Where actions by rules lead, as an array of valuation indices."""
    names = [v.name for v in game.variables]
    stride = {name: math.prod(game.shape[i + 1 :]) for i, name in enumerate(names)}
    here = np.arange(game.n_valuations, dtype=np.int32).reshape(game.shape)
    successors = np.empty((len(actions), *game.shape), dtype=np.int32)
    for action, after in zip(actions, successors, strict=True):
        budget.tick("tabulating the moves")
        after[...] = here
        for rule in reversed(action.rules):
            moved = here
            for variable, value in rule.assign:
                change = _assigned_codes(variable, value, grid) - grid[variable.name]
                moved = moved + change * stride[variable.name]
            np.copyto(after, moved, where=holds_array(rule.when, grid))
    return successors.reshape(len(successors), game.n_valuations)


def _assigned_codes(variable: Variable, value: Expression, grid: dict[str, Array]) -> Array:
    """Codes after an assignment; arbitrary where its rule does not apply."""
    match value:
        case Symbol(symbol):
            return np.asarray(variable.code(symbol), dtype=np.int32)
        case Read(other) if not other.numeric:
            return np.array([variable.code(v) for v in other.values], dtype=np.int32)[grid[other.name]]
    assert isinstance(variable.values, range)
    numbers = number_array(value, grid)
    start, last = variable.values.start, len(variable.values) - 1
    if numbers.dtype == object or abs(start) >= 2**62:
        inside = np.frompyfunc(lambda number: min(max(int(number) - start, 0), last), 1, 1)
        return np.asarray(inside(numbers.astype(object)), dtype=np.int64)
    return np.asarray(numbers - start)


def _columns(
    automata: tuple[SafetyAutomaton, ...], left: ClauseAtoms, grid: dict[str, Array], game: GameStructure
) -> list[Array]:
    """For each clause, the column of its transition table that each valuation selects."""
    columns = []
    for automaton, atoms in zip(automata, left, strict=True):
        kind = np.int64 if len(atoms) < 63 else object  # wider masks do not fit a machine word
        mask: Array = np.zeros((1,) * len(game.extents), dtype=kind)
        for i, atom in enumerate(atoms):
            mask = mask | (holds_array(atom, grid).astype(kind) << i)
        column = np.searchsorted(np.array(automaton.masks, dtype=kind), mask)
        columns.append(np.broadcast_to(column, game.extents).reshape(-1))
    return columns


def _fill_targets(blocks: Blocks, defender: list[Array], adversary: list[Array], out: Array) -> None:
    """For each block, the block after the move at each successor valuation."""
    n_planes, sink = len(blocks.planes), len(blocks.adversary.accepting)
    after_defender = [_after(blocks.defender, q, defender) for q in blocks.defender.accepting]
    after_adversary = [
        np.asarray(sink) if q is None else _after(blocks.adversary, q, adversary) for q in blocks.planes
    ]
    for block, row in enumerate(out):
        d, a = after_defender[block // n_planes], after_adversary[block % n_planes]
        row[:] = np.where(a < 0, INADMISSIBLE, np.where(d < 0, UNSAFE, d * n_planes + a))


def _after(side: Side, states: tuple[int, ...], columns: Sequence[Array]) -> Array:
    """Number of the tuple after reading, at each valuation, the letter of its column; -1 if it rejects."""
    number: Array = np.zeros((), dtype=np.int64)
    rejects: Array = np.zeros((), dtype=bool)
    for automaton, local, q, column in zip(side.automata, side.local, states, columns, strict=True):
        row = np.array(local)[np.array(automaton.delta[q])][column]
        rejects = rejects | (row < 0)
        number = number * automaton.n_accepting + row
    return np.where(rejects, -1, number)
