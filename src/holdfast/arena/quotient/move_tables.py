"""The product game as arrays that a compiled loop reads: which moves are safe at a position, and where they
lead.

Guards, letters, W and μ are decision diagrams with several results (:mod:`holdfast.solver.mdd`),
so that each question about a state is one walk. Moves of one class of letters that do the same everywhere are
one, with their number; where a move changes nothing it is told so, and all moves of a class that change
nothing are looked at once.

A position is packed into a few words of 64 bits: the turn, the block of automaton states, the code of each
variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.arrays import Int32s
from holdfast.budget import Budget
from holdfast.game import Action
from holdfast.logic import Diagram, Diagrams, Player
from holdfast.solver import NEITHER, TURNS, DiagramRegions, MultiValuedDiagrams, NodeReference

PackedWords = npt.NDArray[np.uint64]

CodeChanges = tuple[tuple[int, int], ...]
"""Places of a state, and the codes they get."""

WORD = 64


MoveKey = tuple[Player, int, int]
"""Who moves, the class of the letter, and the walk to the changes."""

LocalMove = tuple[int, tuple[int, ...]]
"""The only variable that a move reads, and the result for each code."""


class MoveTables(NamedTuple):
    """What the compiled loop reads; turns are 0 for the defender and 1 for the adversary.

    Attributes:
        nodes: the cells of all diagrams.
        moves: (root, class of letters, how many actions) of each move; its walk ends with 0 where it changes
            nothing, otherwise with a number of changes. Moves that read one variable are not among them.
        cells: (cell, begin, class, changes, how many actions): the moves that read one variable only, by
            turn, variable and code: those of a code c of a variable are from ``begin[cell[turn, variable] +
            c]`` on.
        idle: for a turn and class, how many actions the moves of all cells have, and those that never change
            anything.
        spans: the moves of the defender are from ``spans[0]`` to ``spans[1]``, the adversary's up to
            ``spans[2]``.
        changes: (begin, place, code): the changes r are from ``begin[r]`` up to, not including, ``begin[r +
            1]``.
        targets: for a turn, class and block the walk, at the state after a safe move, to the block after it
            plus 1; it ends with 0 where the move is not safe.
        ready: for a turn and block, whether ``targets`` has been filled in.
        layout: (word, shift, mask) of each variable in the key, and of the block as one more.
        twins: (begin, place): places whose codes are sorted, class by class.
        readings: the walk to the number of μ, and to 1 where a reset can happen.
        gains: the values of μ by number.
    """

    nodes: Int32s
    moves: tuple[Int32s, Int32s, Int32s]
    cells: tuple[Int32s, Int32s, Int32s, Int32s, Int32s]
    idle: Int32s
    spans: npt.NDArray[np.int64]
    changes: tuple[Int32s, Int32s, Int32s]
    targets: Int32s
    ready: npt.NDArray[np.bool_]
    layout: tuple[npt.NDArray[np.int64], PackedWords, PackedWords]
    twins: tuple[Int32s, Int32s]
    readings: Int32s
    gains: npt.NDArray[np.float64]


class MoveTableBuilder:
    """The tables of one solved game; what a block needs is added when play first comes to it."""

    def __init__(self, regions: DiagramRegions, twins: Sequence[Sequence[int]], budget: Budget) -> None:
        """Translate moves, μ and the reset.

        Raises:
            LimitError: for a dominance with too many values.
        """
        self._regions, self._product = regions, regions.product
        self._winning = regions.winning()
        configuration, diagrams = self._product.configuration, self._product.diagrams
        game = configuration.game
        self._table = MultiValuedDiagrams(diagrams, game.variables)
        self._kinds = self._product.move_class
        self._changes: dict[CodeChanges, int] = {(): 0}
        places = game.places
        moves: dict[MoveKey, int] = {}
        for turn in TURNS:
            for action, kind in zip(game.actions[turn], self._kinds[turn], strict=True):
                budget.tick("translating the moves")
                key = turn, kind, self._move(diagrams, action, places)
                moves[key] = moves.get(key, 0) + 1
        by_value = diagrams.term(game.dominance)
        reset = diagrams.false if game.reset is None else diagrams.truth(game.reset.when) & diagrams.valid
        self.readings = self._function(list(enumerate(by_value.values(), 1))), self._function([(1, reset)])
        self.gains = [0.0, *map(float, by_value)]
        n_kinds = len(self._product.edges)
        self._targets = np.full((2, n_kinds, self._product.blocks.n_blocks), NEITHER, dtype=np.int32)
        self._ready = np.zeros((2, self._product.blocks.n_blocks), dtype=bool)
        self._moves, self._twins = moves, twins

    def add_block(self, turn: int, block: int) -> None:
        """Fill in where the moves of a player lead from a block."""
        player, other = TURNS[turn], self._winning[TURNS[1 - turn]]
        at_rest = player is Player.ADVERSARY and self._product.blocks.is_sink(block)
        for kind in () if at_rest else set(self._kinds[player]):
            edges = self._product.edges[kind][block]
            cases = [
                # The adversary's admissible moves all stay in W.
                (after + 1, states if player is Player.ADVERSARY else states & other[after])
                for after, states in edges.items()
                if after is not None
            ]
            self._targets[turn, kind, block] = self._function(cases)
        self._ready[turn, block] = True

    def tables(self) -> MoveTables:
        """The tables as they are now."""
        local = {key: self._local(key[2]) for key in self._moves}
        rest = [(key, n) for key, n in self._moves.items() if local[key] is None]
        root, kind, weight = _columns([(root, kind, n) for (_, kind, root), n in rest], 3)
        n_defender = sum(turn is Player.DEFENDER for (turn, _, _), _ in rest)
        listed = list(self._changes)
        place, code = _columns([pair for changes in listed for pair in changes], 2)
        return MoveTables(
            np.array(self._table.cells, dtype=np.int32),
            (root, kind, weight),
            *self._cells(local),
            np.array([0, n_defender, len(rest)], dtype=np.int64),
            (_begins(listed), place, code),
            self._targets,
            self._ready,
            self._layout(),
            (_begins(self._twins), np.array([p for own in self._twins for p in own], dtype=np.int32)),
            np.array(self.readings, dtype=np.int32),
            np.array(self.gains),
        )

    def _move(self, diagrams: Diagrams, action: Action, places: dict[str, int]) -> int:
        """The walk from a state to the changes that an action makes there."""
        cases: list[tuple[int, Diagram]] = []
        rest = diagrams.valid
        for rule in action.rules:
            outcomes: list[tuple[Diagram, CodeChanges, Diagram]] = [
                (rest & diagrams.truth(rule.when), (), diagrams.true)
            ]
            rest &= ~diagrams.truth(rule.when)
            for variable, value in rule.assign:
                outcomes = [
                    (
                        here & states,
                        (*changes, (places[variable.name], code)),
                        same & diagrams.cube(variable, code),
                    )
                    for here, changes, same in outcomes
                    for code, states in diagrams.by_code(variable, value).items()
                    if code >= 0 and (here & states).satisfiable()
                ]
            for here, changes, same in outcomes:
                changing = here & ~same
                if changing.satisfiable():
                    cases.append((self._changes.setdefault(changes, len(self._changes)), changing))
        return self._function(cases)

    def _function(self, cases: Sequence[tuple[int, Diagram]]) -> NodeReference:
        """The function that has a result in each of some disjoint sets, and 0 elsewhere."""
        return self._table.decide([states for _, states in cases], [*(result for result, _ in cases), 0])

    def _local(self, root: NodeReference) -> LocalMove | None:
        """A function that reads one variable at most; None for others.

        One that is 0 everywhere has no code that matters: variable 0 and no results.
        """
        if root == NEITHER:
            return 0, ()
        if root < 0:
            return None
        variable, children = self._table.node(root)
        return None if max(children) >= 0 else (variable, tuple(~child for child in children))

    def _cells(
        self, local: dict[MoveKey, LocalMove | None]
    ) -> tuple[tuple[Int32s, Int32s, Int32s, Int32s, Int32s], Int32s]:
        """``cells`` and ``idle`` of the moves that read one variable, or none."""
        shape = self._product.configuration.game.shape
        cell = np.cumsum([0, *shape, *shape])[:-1].reshape(2, -1).astype(np.int32)
        rows: list[list[tuple[int, int, int]]] = [[] for _ in range(2 * sum(shape))]
        idle = np.zeros((2, self._targets.shape[1]), np.int32)
        for key, own in local.items():
            if own is None:
                continue
            t, kind, n = TURNS.index(key[0]), key[1], self._moves[key]
            idle[t, kind] += n
            for code, changes in enumerate(own[1]):
                if changes:
                    rows[cell[t, own[0]] + code].append((kind, changes, n))
        kinds, changed, weights = _columns([row for own in rows for row in own], 3)
        return (cell, _begins(rows), kinds, changed, weights), idle

    def _layout(self) -> tuple[npt.NDArray[np.int64], PackedWords, PackedWords]:
        """Word, shift and mask of each variable and of the block, after the bit of the turn."""
        game, blocks = self._product.configuration.game, self._product.blocks
        rows, word, used = [], 0, 1
        for size in (blocks.n_blocks, *game.shape):
            width = (size - 1).bit_length()
            if used + width > WORD:
                word, used = word + 1, 0
            rows.append((word, used % WORD, (1 << width) - 1))
            used += width
        rows = [*rows[1:], rows[0]]
        words, shifts, masks = zip(*rows, strict=True)
        return np.array(words, np.int64), np.array(shifts, np.uint64), np.array(masks, np.uint64)


def _columns(rows: Sequence[Sequence[int]], n: int) -> Int32s:
    return np.array(rows, np.int32).reshape(-1, n).T.copy()


def _begins(rows: Sequence[Sequence[object]]) -> Int32s:
    return np.cumsum([0, *map(len, rows)]).astype(np.int32)
