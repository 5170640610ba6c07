"""Safe play, searched: where R can neither be listed nor be had as diagrams, seeded walks look around in it.

Each walk has an *aim*: to leave as few permitted actions as possible, or to drive the term of some bound up
or down. It starts at v₀ or at one of the best positions met for its aim, and both players mostly choose what
serves the aim, the defender inside its shield. What is found is real; what is not found may still be there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explain.board import Board
from holdfast.explain.compiled import Reader, reader
from holdfast.explain.reached import NEVER, Reached
from holdfast.explain.words import Move, move_in_words
from holdfast.logic.expressions import Expression, Player
from holdfast.product import Position
from holdfast.solution import Solution

MAX_POSITIONS, MAX_WALKS = 3_000, 300
WALK = 60
N_TRIED, N_BEST = 4, 12
GREED = 0.7
"""How often a move is chosen for the aim of the walk, and not at random."""

Measures = tuple[int, int, int]


def searched(
    solution: Solution, terms: Sequence[Expression] = (), budget: Budget = UNLIMITED, seed: int = 0
) -> Reached:
    """Some defender positions of R; a LimitError that ``progress`` raises ends the search, not the answer.

    Args:
        solution: a defensible configuration, without its reset.
        terms: what to drive up and down, beside leaving few permitted actions.
        progress: called for each position.
        seed: of the walks.
    """
    search = _Search(Board(solution), budget, random.Random(seed))
    board = search.board
    places = {variable.name: i for i, variable in enumerate(board.game.variables)}
    readers = [reader(term, places) for term in terms]
    aims = [_Aim(None, 1), *(_Aim(read, sign) for read in readers for sign in (1, -1))]
    try:
        for n_walks in range(MAX_WALKS):
            # Every other walk is for the tightest spots, the rest are shared by the terms.
            other = aims[1 + (n_walks // 2) % (len(aims) - 1)] if len(aims) > 1 else aims[0]
            search.walk(aims[0] if n_walks % 2 == 0 else other)
            if len(search.measured) >= MAX_POSITIONS:
                break
    except LimitError:
        pass
    return search.reached()


@dataclass
class _Aim:
    """What a walk is after: a small number of permitted actions, or a small value of sign · term."""

    read: Reader | None
    sign: int
    best: list[tuple[int, Position]] = field(default_factory=list)

    def keep(self, value: int, position: Position) -> None:
        """Remember the best positions, one entry each."""
        if all(position != known for _, known in self.best):
            self.best = sorted([*self.best, (value, position)], key=lambda item: item[0])[:N_BEST]


class _Search:
    """The positions met so far, and how each was met."""

    def __init__(self, board: Board, budget: Budget, rng: random.Random) -> None:
        self.board, self.budget, self.rng = board, budget, rng
        self.parent: dict[Position, tuple[Position, int]] = {}
        self.depth = {board.initial: 0}
        self.measured: dict[Position, Measures] = {}

    def walk(self, aim: _Aim) -> None:
        """One walk of up to WALK moves."""
        here = self.board.initial
        if aim.best and self.rng.random() < 0.6:
            here = self.rng.choice(aim.best)[1]
        for _ in range(WALK):
            self.visit(here, aim)
            onward = [
                (target, actions)
                for target, actions in self.board.moves(here).items()
                if self.board.rank(target) is None
            ]
            if not onward:
                return
            target, actions = self.chosen(here, onward, aim)
            self.enter(here, target, actions[0])
            here = target

    def enter(self, here: Position, target: Position, action: int) -> None:
        """Remember how the target is met, if it is met sooner than before."""
        if self.depth[here] + 1 < self.depth.get(target, NEVER):
            self.depth[target] = self.depth[here] + 1
            self.parent[target] = here, action

    def visit(self, here: Position, aim: _Aim) -> None:
        self.budget.tick(f"searching safe play: {len(self.measured):,} positions")
        if here.turn is Player.DEFENDER and here not in self.measured:
            self.measured[here] = measure(self.board, here)
        if aim.read is not None:
            aim.keep(aim.sign * int(aim.read(here.state)), here)
        elif here.turn is Player.DEFENDER:
            aim.keep(self.measured[here][0], here)

    def chosen(
        self, here: Position, onward: list[tuple[Position, tuple[int, ...]]], aim: _Aim
    ) -> tuple[Position, tuple[int, ...]]:
        """A safe move; where there are others, one that changes something."""
        changing = [item for item in onward if item[0].state != here.state] or onward
        if self.rng.random() >= GREED:
            return self.rng.choice(changing)
        if aim.read is not None:
            values = [aim.sign * int(aim.read(target.state)) for target, _ in changing]
            return self.rng.choice([m for m, v in zip(changing, values, strict=True) if v == min(values)])
        tried = self.rng.sample(changing, min(N_TRIED, len(changing)))
        if here.turn is Player.DEFENDER:
            return tried[0]
        for target, actions in tried:
            self.enter(here, target, actions[0])
            if target not in self.measured:
                self.measured[target] = measure(self.board, target)
            aim.keep(self.measured[target][0], target)
        return min(tried, key=lambda item: self.measured[item[0]][0])

    def reached(self) -> Reached:
        positions = sorted(self.measured, key=self.depth.__getitem__)
        measures = np.array([self.measured[v] for v in positions], dtype=np.int64).reshape(-1, 3)
        codes = np.array([position.state for position in self.depth], dtype=np.int32)

        def play(i: int) -> tuple[Move, ...]:
            moves, here = [], positions[i]
            while here in self.parent:
                before, action = self.parent[here]
                moves.append(move_in_words(self.board.game, before, action, here))
                here = before
            return tuple(reversed(moves))

        n_permitted, nearest, waiting = measures.T
        return Reached(False, n_permitted, nearest, waiting, codes, positions.__getitem__, play)


def measure(board: Board, position: Position) -> Measures:
    """|Safe(v)|, the least rank ≥ 1 of a forbidden successor, and that of doing nothing."""
    n_safe, nearest, waiting, may_wait = 0, NEVER, NEVER, False
    for target, actions in board.moves(position).items():
        rank = board.rank(target)
        n_safe += len(actions) if rank is None else 0
        nearest = min(nearest, rank or NEVER)
        if target.state == position.state:
            waiting, may_wait = min(waiting, rank or NEVER), may_wait or rank is None
    return n_safe, nearest, NEVER if may_wait else waiting
