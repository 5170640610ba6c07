"""Sets of positions as arrays (:mod:`holdfast.solver.position_sets` has the operators).

A set is one truth value for each turn, block and valuation. An operator of the game takes one gather for each
action and each position that it looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import and_, gt, or_

import numpy as np

from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Action, Position, Seen, valuation_grid
from holdfast.logic import Expression, Player, Variable, holds_array, number_array
from holdfast.solver.product_tables import CHUNK, TURNS, ProductTables, chunks


@dataclass(frozen=True, eq=False, repr=False)
class ArrayPositions:
    """A set of positions outside U: for each turn, block and valuation whether it is in the set; read-only.

    ``by`` in place of ``tables``, where an operator takes it, is the same game with fewer moves
    (:meth:`ProductTables.only`).
    """

    tables: ProductTables
    inside: Array

    def __post_init__(self) -> None:
        """Nobody changes a set."""
        self.inside.setflags(write=False)

    @classmethod
    def nothing(cls, tables: ProductTables) -> ArrayPositions:
        """The empty set."""
        return cls(tables, np.zeros((2, tables.blocks.n_blocks, tables.n), dtype=bool))

    @classmethod
    def everything(cls, tables: ProductTables) -> ArrayPositions:
        """Every position outside U."""
        return ~cls.nothing(tables)

    @classmethod
    def of(cls, tables: ProductTables, position: Position) -> ArrayPositions:
        """The set of one position, which must be outside U."""
        place = tables.place(position)
        assert place is not None, "no position of U is in any set"
        inside = np.zeros((2, tables.blocks.n_blocks, tables.n), dtype=bool)
        inside[place] = True
        return cls(tables, inside)

    # -- sets -----------------------------------------------------------------------------------------

    def __and__(self, other: ArrayPositions) -> ArrayPositions:
        """What is in both sets."""
        return self._joined(other, and_)

    def __or__(self, other: ArrayPositions) -> ArrayPositions:
        """What is in one of the sets, or in both."""
        return self._joined(other, or_)

    def __sub__(self, other: ArrayPositions) -> ArrayPositions:
        """What is in this set and not in the other."""
        return self._joined(other, gt)

    def _joined(self, other: ArrayPositions, join: Callable[[Array, Array], Array]) -> ArrayPositions:
        return ArrayPositions(self.tables, join(self.inside, other.inside))

    def __invert__(self) -> ArrayPositions:
        """The positions outside U that are not in the set."""
        return ArrayPositions(self.tables, ~self.inside)

    def __eq__(self, other: object) -> bool:
        """Whether both sets have the same positions."""
        return isinstance(other, ArrayPositions) and np.array_equal(self.inside, other.inside)

    def __hash__(self) -> int:
        """Equal sets have equal hashes."""
        return hash(np.packbits(self.inside).tobytes())

    def __le__(self, other: ArrayPositions) -> bool:
        """Whether everything in this set is in the other."""
        return not (self.inside > other.inside).any()

    def __bool__(self) -> bool:
        """Whether there is anything in the set."""
        return bool(self.inside.any())

    def __contains__(self, position: Position) -> bool:
        """Whether a position is in the set; one of U never is."""
        place = self.tables.place(position)
        return place is not None and bool(self.inside[place])

    def count(self, multiplicity: bool = True) -> int:
        """How many positions there are, exactly; without ``multiplicity``, each block counts once."""
        blocks = self.tables.blocks
        return sum(
            int(n) * (blocks.multiplicity(block) if multiplicity else 1)
            for block, n in enumerate(self.inside.sum(axis=(0, 2)))
        )

    def size(self) -> int:
        """How many positions are listed, each block's once."""
        return int(self.inside.sum())

    def alone(self, position: Position) -> ArrayPositions:
        """The set of one position of the game, which must be outside U."""
        return ArrayPositions.of(self.tables, position)

    def some(self) -> Position | None:
        """Some position of the set; None if it is empty."""
        if not self:
            return None
        turn, block, row = (int(n) for n in np.unravel_index(self.inside.argmax(), self.inside.shape))
        state = self.tables.configuration.game.state(row)
        return Position(state, TURNS[turn], *self.tables.blocks.states(block))

    def at(self, player: Player) -> ArrayPositions:
        """The positions of the set at which it is a player's turn."""
        inside = self.inside.copy()
        inside[TURNS.index(player.opponent)] = False
        return ArrayPositions(self.tables, inside)

    def satisfying(self, predicate: Expression) -> ArrayPositions:
        """The positions of the set in whose state a predicate holds."""
        game = self.tables.configuration.game
        states = np.broadcast_to(holds_array(predicate, valuation_grid(game)), game.extents).reshape(-1)
        return ArrayPositions(self.tables, self.inside & states)

    def forgetting(self, variables: Collection[Variable]) -> ArrayPositions:
        """The positions that differ from one of the set in the values of some variables at most."""
        game = self.tables.configuration.game
        others = [
            np.broadcast_to(codes, game.extents).reshape(-1)
            for v, codes in zip(game.variables, valuation_grid(game).values(), strict=True)
            if v not in variables
        ]
        alike = np.unique(np.stack([np.zeros(self.tables.n, int), *others]), axis=1, return_inverse=True)[1]
        inside = np.zeros((2, self.tables.blocks.n_blocks, alike.max() + 1), dtype=bool)
        turns, blocks, rows = np.nonzero(self.inside)
        inside[turns, blocks, alike[rows]] = True
        return ArrayPositions(self.tables, np.ascontiguousarray(inside[:, :, alike]))

    def recalling(self, memories: Collection[tuple[int, ...]]) -> ArrayPositions:
        """The positions of the set at which φ_A is in some of its states."""
        met = np.array(self.tables.blocks.recalling(memories), dtype=bool)
        return ArrayPositions(self.tables, self.inside & met[:, None])

    def split(self, seen: Seen) -> dict[int, ArrayPositions]:
        """The set in parts that look alike to somebody who sees some of every position."""
        looks, recalled = self.tables.looks(seen), self.tables.blocks.recalled(seen)
        bits = {key: n for n, key in enumerate(dict.fromkeys(recalled))}
        of_block = np.array([bits[key] for key in recalled])
        turns, blocks, rows = np.nonzero(self.inside)
        numbers = looks.number[rows] * len(bits) + of_block[blocks]
        parts = {}
        for number in np.unique(numbers).tolist():
            chosen = numbers == number
            inside = np.zeros_like(self.inside)
            inside[turns[chosen], blocks[chosen], rows[chosen]] = True
            look, recall = divmod(number, len(bits))
            parts[looks.keys[look] | list(bits)[recall]] = ArrayPositions(self.tables, inside)
        return dict(sorted(parts.items()))

    def extent(self, term: Expression) -> tuple[int, int]:
        """The least and the greatest value of a term in the states of the set, which is not empty."""
        game = self.tables.configuration.game
        values = np.broadcast_to(number_array(term, valuation_grid(game)), game.extents).reshape(-1)
        values = values[self.inside.any(axis=(0, 1))]
        return values.min(), values.max()

    # -- the game -------------------------------------------------------------------------------------

    def pre(
        self,
        among: ArrayPositions | None = None,
        *,
        by: ProductTables | None = None,
        unsafe: bool = False,
        budget: Budget = UNLIMITED,
    ) -> ArrayPositions:
        """From where some admissible move leads into the set or, if ``unsafe``, into U.

        A move of the defender with several outcomes leads into it if all of them do.
        """
        tables = self.tables if by is None else by
        sources = np.zeros_like(self.inside)
        # The value of U, as the tables have it, is 0: between that of the set and that of the others.
        values, least = np.where(self.inside, np.int8(1), np.int8(-1)), 0 if unsafe else 1
        for turn, own in zip(TURNS, sources.reshape(2, -1), strict=True):
            asked = None if among is None else among.inside[TURNS.index(turn)].reshape(-1)
            keys = np.arange(len(own)) if asked is None else np.flatnonzero(asked)
            for i, part in enumerate(chunks(keys)):
                budget.tick(f"position {i * CHUNK:,} of {len(keys):,}")
                entering = np.zeros(len(part), dtype=bool)
                places = np.divmod(part, tables.n)
                for admissible, after, _ in tables.outcomes(values, turn, *places, worst=np.minimum):
                    entering |= admissible & (after >= least)
                own[part] = entering
        return ArrayPositions(self.tables, sources)

    def pre_as(
        self, number: int, doing: Action, among: ArrayPositions, *, unsafe: bool = False
    ) -> ArrayPositions:
        """From where the adversary would lead into the set (or U) if one of its moves did something else."""
        tables, own = self.tables.moving(number, doing), Player.ADVERSARY
        values, least = np.where(self.inside, np.int8(1), np.int8(-1)), 0 if unsafe else 1
        sources = np.zeros_like(self.inside)
        flat, asked = (each[TURNS.index(own)].reshape(-1) for each in (sources, among.inside))
        for part in chunks(np.flatnonzero(asked)):
            for admissible, after, _ in tables.outcomes(values, own, *np.divmod(part, tables.n)):
                flat[part] = admissible & (after >= least)
        return ArrayPositions(self.tables, sources)

    def cpre(
        self,
        among: ArrayPositions | None = None,
        *,
        by: ProductTables | None = None,
        budget: Budget = UNLIMITED,
    ) -> ArrayPositions:
        """From where the defender can move into the set, and the adversary cannot but move into it."""
        within = ArrayPositions.everything(self.tables) if among is None else among
        attacking = within.at(Player.ADVERSARY)
        drawn = (~self).pre(attacking, by=by, unsafe=True, budget=budget)
        return self.pre(within.at(Player.DEFENDER), by=by, budget=budget) | attacking - drawn

    def narrowest(self, among: ArrayPositions, *, budget: Budget = UNLIMITED) -> tuple[int, ArrayPositions]:
        """The fewest choices that lead into the set from any of some defender positions, and where."""
        own, values = Player.DEFENDER, np.where(self.inside, np.int8(1), np.int8(-1))
        keys = np.flatnonzero(among.inside[TURNS.index(own)])
        n_actions = np.zeros(len(keys), dtype=np.int64)
        firsts = {outcomes[0] for outcomes in self.tables.choices[own]}
        for part, counts in zip(chunks(keys), chunks(n_actions), strict=True):
            budget.tick("counting the actions that are permitted")
            places = np.divmod(part, self.tables.n)
            moves = enumerate(self.tables.outcomes(values, own, *places, worst=np.minimum))
            for _, (admissible, after, _) in (one for one in moves if one[0] in firsts):
                counts += admissible & (after > 0)
        least, inside = int(n_actions.min()), np.zeros_like(self.inside)
        inside[TURNS.index(own)].reshape(-1)[keys[n_actions == least]] = True
        return least, ArrayPositions(self.tables, inside)

    def kept(self, budget: Budget = UNLIMITED, *, here: Position | None = None) -> ArrayPositions:
        """The largest part of the set in which the defender can keep play for ever."""
        positions = self
        while (smaller := positions.cpre(positions, budget=budget)) != positions:
            positions = smaller
            if here is not None and here not in positions:
                break
        return positions

    def post(self, *, by: ProductTables | None = None, budget: Budget = UNLIMITED) -> ArrayPositions:
        """Where admissible moves lead from the set."""
        tables = self.tables if by is None else by
        entered = np.zeros_like(self.inside)
        outside_u = np.ones(self.inside.shape, dtype=np.int8)  # as the tables have it, the value of U is 0
        for turn, states in zip(TURNS, self.inside, strict=True):
            after = entered[TURNS.index(turn.opponent)].reshape(-1)
            keys = np.flatnonzero(states)
            for i, part in enumerate(chunks(keys)):
                budget.tick(f"position {i * CHUNK:,} of {len(keys):,}")
                for admissible, value, key in tables.outcomes(outside_u, turn, *np.divmod(part, tables.n)):
                    after[key[admissible & (value > 0)]] = True
        return ArrayPositions(self.tables, entered)
