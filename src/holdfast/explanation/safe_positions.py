"""Safe play as a list: the defender positions of R, a shortest play to each, and what each action costs.

R is what the shield lets play reach from v₀, without engagement resets (sec:slt). Games too large to be
listed are answered by decision diagrams (:mod:`holdfast.explanation.safe_sets`), which are asked the same
questions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.arena import ShieldedArena, arena_distances, shielded_arena
from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Position, broken_clauses
from holdfast.logic import Expression, Player, number_array
from holdfast.solver import TURNS, ArrayRegions, MoveInWords, Solution, SolvedGame, arrays, move_in_words

NEVER = 2**31 - 1
MAX_ASKED = 2_000
"""Positions up to which it is looked at which clauses the adversary would violate."""

Play = tuple[Position, tuple[MoveInWords, ...] | None]
"""A position, and a shortest play that leads to it; None where a limit kept it from being found."""


@dataclass(frozen=True)
class Nearest:
    """Where in R the adversary comes nearest: see :class:`~holdfast.explanation.spots.Approach`."""

    moves: int | None
    by_waiting: bool
    n_waiting_loses: int
    where: Any


@dataclass(frozen=True, eq=False, repr=False)
class SafePositions:
    """Defender positions of R, numbered by the length of the play that leads to them.

    Attributes:
        arena: safe play; ``mine`` are their numbers in it and ``via`` the last edge of a shortest play.
        n_permitted: |Safe(v)|; shape (n,).
        nearest: the least rank ≥ 1 of a forbidden successor, :data:`NEVER` without any; shape (n,).
        waiting: the least rank ≥ 1 to which doing nothing leads, :data:`NEVER` where it is permitted or where
            every action changes the state; shape (n,).
    """

    solution: Solution
    arena: ShieldedArena
    mine: Array
    via: Array
    n_permitted: Array
    nearest: Array
    waiting: Array
    budget: Budget

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.mine)

    def count(self, where: Array) -> int:
        """How many positions a set has."""
        return len(where)

    def fewest_permitted(self) -> tuple[int, Array]:
        """The least |Safe(v)|, and where it is met."""
        least = int(self.n_permitted.min())
        return least, np.flatnonzero(self.n_permitted == least)

    def closest(self) -> Nearest:
        """The least rank to which doing nothing, or else any wrong move, leads."""
        losing = int((self.waiting < NEVER).sum())
        near = self.waiting if losing else self.nearest
        least = int(near.min(initial=NEVER))
        if least == NEVER:
            return Nearest(None, False, 0, near[:0])
        return Nearest(least, bool(losing), losing, np.flatnonzero(near == least))

    def threatened(self, near: Nearest) -> dict[int, int]:
        """For each clause of φ_D, at how many of the positions the wrong move lets it be violated at once."""
        solved, counts = SolvedGame(self.solution), Counter[int]()
        known: dict[Position, set[int]] = {}
        for i in near.where.tolist() if len(near.where) <= MAX_ASKED else ():
            self.budget.tick("what one wrong move concedes")
            here, clauses = self.position(i), set[int]()
            for target in solved.moves(here):
                if solved.rank(target) != 1 or (near.by_waiting and target.state != here.state):
                    continue
                if target not in known:
                    ends = solved.options(target).values()
                    known[target] = {c for end in ends for c in broken_clauses(solved.configuration, end)}
                clauses |= known[target]
            counts.update(clauses)
        return dict(sorted(counts.items()))

    def extent(self, term: Expression) -> tuple[int, int]:
        """The least and the greatest value of a term over the states of R, either turn."""
        variables = self.solution.configuration.game.variables
        values = number_array(term, {v.name: self.arena.codes[:, i] for i, v in enumerate(variables)})
        return int(np.min(values)), int(np.max(values))

    def plays(self, where: Array, n: int) -> list[Play]:
        """Those of a set nearest to v₀, in different states where there are."""
        chosen: dict[tuple[int, ...], int] = {}
        for i in where[: 50 * n].tolist():
            chosen.setdefault(self.position(i).state, i)
        several = [*chosen.values(), *(i for i in where[:n].tolist() if i not in chosen.values())]
        return [(self.position(i), self.play(i)) for i in several[:n]]

    def position(self, i: int) -> Position:
        """The position with a number."""
        return self.arena.position(int(self.mine[i]))

    def play(self, i: int) -> tuple[MoveInWords, ...]:
        """A shortest play from v₀ to it."""
        arena, moves, v = self.arena, [], int(self.mine[i])
        while v != arena.initial:
            edge = int(self.via[v])
            before = int(np.searchsorted(arena.first, edge, side="right")) - 1
            here, after = arena.position(before), arena.position(v)
            moves.append(move_in_words(arena.configuration.system, here, int(arena.action[edge]), after))
            v = before
        return tuple(reversed(moves))


def safe_positions(solution: Solution, budget: Budget = UNLIMITED) -> SafePositions:
    """The defender positions of R, all of them, as arrays.

    Raises:
        LimitError: where the positions of the game are too many to list, or past the budget.
    """
    regions = arrays(solution, budget)
    arena = shielded_arena(solution, budget, resets=False)
    depth, via = arena_distances(arena)
    mine = np.flatnonzero(arena.mover == TURNS.index(Player.DEFENDER))
    mine = mine[np.argsort(depth[mine], kind="stable")]
    costs = _costs(regions, arena, mine)
    return SafePositions(solution, arena, mine, via, np.diff(arena.first)[mine], *costs, budget)


def _costs(regions: ArrayRegions, arena: ShieldedArena, mine: Array) -> tuple[Array, Array]:
    """What the forbidden actions of each position concede, and what doing nothing does."""
    tables = regions.tables
    states = map(tuple, arena.codes.tolist())
    rows = np.array([arena.configuration.game.index(state) for state in states])[arena.state[mine]]
    blocks = arena.block[mine]
    nearest, waiting = (np.full(len(mine), NEVER, dtype=np.int64) for _ in range(2))
    for block in np.unique(blocks).tolist():
        in_block = np.flatnonzero(blocks == block)
        may_wait = np.zeros(len(in_block), dtype=bool)
        for available, rank, key in tables.outcomes(regions.ranks, Player.DEFENDER, block, rows[in_block]):
            conceded = np.where(available & (rank > 0), rank, NEVER)
            nearest[in_block] = np.minimum(nearest[in_block], conceded)
            idle = available & (key % tables.n == rows[in_block])
            waiting[in_block] = np.where(idle, np.minimum(waiting[in_block], conceded), waiting[in_block])
            may_wait |= idle & (rank < 0)
        waiting[in_block[may_wait]] = NEVER
    return nearest, waiting
