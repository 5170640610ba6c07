"""Safe play, asked where it is tight and what wrong moves concede: exact answers, as a list or as diagrams.

R is what the shield lets play reach from v₀, without engagement resets (sec:slt). What is asked of it are
sets of positions (:mod:`holdfast.solver.position_sets`), on arrays where all positions can be listed and else
on decision diagrams, and never a sample. Every question raises LimitError when diagrams outgrow their memory,
or past the budget.

*Plays.* In a list a shortest play is had by going back, move by move, the first of those that lead on. On
diagrams, going back from a set inside R gives the rings of equal distance until v₀ is met. Following them
forward from v₀ gives shortest plays to the nearest positions of the set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from holdfast.arena import ShieldedArena, arena_distances, shielded_arena
from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Position, choices
from holdfast.logic import Expression, Player
from holdfast.solver import (
    ArrayPositions,
    DiagramPositions,
    MoveInWords,
    Outcomes,
    Regions,
    Solution,
    SolvedGame,
    arrays,
    diagrams,
    move_in_words,
    safe_actions,
    safely_before,
    within_memory,
)

MAX_FOLLOWED = 2_000
"""Positions that are followed forward at most, for plays of one length."""

Play = tuple[Position, tuple[MoveInWords, ...] | None]
"""A position, and a shortest play that leads to it; None where a limit kept it from being found."""

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Nearest:
    """Where in R the adversary comes nearest: see :class:`~holdfast.explanation.spots.Approach`."""

    moves: int | None
    by_waiting: bool
    n_waiting_loses: int
    where: Any


class Routes(Protocol):
    """How plays to positions of R are found."""

    def plays(self, where: Any, n: int, budget: Budget) -> list[Play]:
        """Those of a set nearest to v₀, in different states where there are."""


@dataclass(frozen=True, eq=False, repr=False)
class SafePlay:
    """R of a solved game: ``seen``, and its plays by ``routes``."""

    solution: Solution
    regions: Regions
    seen: Any
    routes: Routes
    budget: Budget

    @property
    def n(self) -> int:
        """How many defender positions R has."""
        return self.count(self.mine)

    @property
    def mine(self) -> Any:
        """The defender positions of R."""
        return self.seen.at(Player.DEFENDER)

    def count(self, positions: Any) -> int:
        """How many positions a set has, exactly."""
        return int(positions.count(multiplicity=False))

    @property
    def busy(self) -> Budget:
        """The budget, under the words that show progress."""
        return self.budget.part("safe play as decision diagrams")

    def fewest_permitted(self) -> tuple[int, Any]:
        """The least |Safe(v)| over the defender positions of R, and where it is met; R has one at least."""
        winning = self.regions.winning()
        return self._asked(lambda: winning.narrowest(self.mine, budget=self.busy))

    def closest(self) -> Nearest:
        """The least rank to which doing nothing, or else any wrong move, leads.

        A choice of which something is drawn leads to each of its outcomes.
        """
        return self._asked(self._closest)

    def _closest(self) -> Nearest:
        winning, waiting = self.regions.winning(), self.regions.waiting
        must_act = self.mine - winning.pre(self.mine, by=waiting, budget=self.busy)
        losing = self.count((~winning).pre(must_act, by=waiting, budget=self.busy))
        inside, moves = (must_act, waiting) if losing else (self.mine, self.regions.each_outcome)
        for k in range(1, len(self.solution.shells) + 1):
            where = self.regions.lost(k).pre(inside, by=moves, budget=self.busy)
            if where:
                return Nearest(k, bool(losing), losing, where)
        return Nearest(None, False, 0, self.seen - self.seen)

    def threatened(self, near: Nearest) -> dict[int, int]:
        """For each clause of φ_D, at how many of the positions the wrong move lets it be violated at once."""
        by = self.regions.waiting if near.by_waiting else self.regions.each_outcome

        def asked(clause: int) -> int:
            return self.count(self.regions.conceding(clause, near.where, by=by, budget=self.busy))

        clauses = range(len(self.solution.configuration.defender))
        counts = {clause: self._asked(partial(asked, clause)) for clause in clauses}
        return {clause: n for clause, n in counts.items() if n}

    def extent(self, term: Expression) -> tuple[int, int]:
        """The least and the greatest value of a term over the states of R, either turn."""
        least, greatest = self._asked(lambda: self.seen.extent(term))
        return int(least), int(greatest)

    def plays(self, where: Any, n: int) -> list[Play]:
        """Those of a set nearest to v₀, in different states where there are."""
        return self.routes.plays(where, n, self.budget)

    def _asked(self, question: Callable[[], _Answer]) -> _Answer:
        with within_memory("safe play"):
            return question()


# -- as a list ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class ListedRoutes:
    """Positions of the arena by their canonical numbers; ``via`` is the last move of a shortest play."""

    arena: ShieldedArena
    seen: ArrayPositions
    depth: Array
    via: Array

    def plays(self, where: ArrayPositions, n: int, budget: Budget) -> list[Play]:
        """Those of a set nearest to v₀, in different states where there are."""
        numbers = np.searchsorted(np.flatnonzero(self.seen.inside), np.flatnonzero(where.inside))
        nearest = numbers[np.argsort(self.depth[numbers], kind="stable")].tolist()
        chosen: dict[tuple[int, ...], int] = {}
        for v in nearest[: 50 * n]:
            chosen.setdefault(self.arena.position(v).state, v)
        several = [*chosen.values(), *(v for v in nearest[:n] if v not in chosen.values())]
        return [(self.arena.position(v), self._play(v)) for v in several[:n]]

    def _play(self, v: int) -> tuple[MoveInWords, ...]:
        arena, moves = self.arena, []
        while v != arena.initial:
            edge = int(self.via[v])
            before = int(np.searchsorted(arena.first, edge, side="right")) - 1
            here, after = arena.position(before), arena.position(v)
            moves.append(move_in_words(arena.configuration.system, here, int(arena.action[edge]), after))
            v = before
        return tuple(reversed(moves))


def listed_safe_play(solution: Solution, budget: Budget = UNLIMITED) -> SafePlay:
    """R on arrays.

    Raises:
        LimitError: where the positions of the game are too many to list, or past the budget.
    """
    regions, arena = arrays(solution, budget), shielded_arena(solution, budget, resets=False)
    index = np.array([arena.configuration.game.index(state) for state in map(tuple, arena.codes.tolist())])
    inside = np.zeros(regions.ranks.shape, dtype=bool)
    inside[arena.mover, arena.block, index[arena.state]] = True
    seen = ArrayPositions(regions.tables, inside)
    return SafePlay(solution, regions, seen, ListedRoutes(arena, seen, *arena_distances(arena)), budget)


# -- as diagrams --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class RingRoutes:
    """Positions of R, followed one by one through rings of equal distance."""

    solved: SolvedGame
    seen: DiagramPositions

    def plays(self, where: DiagramPositions, n: int, budget: Budget) -> list[Play]:
        """Those of a set nearest to v₀, in different states; any one without a play where a limit is met."""
        plays: list[Play] = []
        with suppress(LimitError):
            plays += self._nearest(where, n, budget.part("safe play as decision diagrams"))
        if not plays:
            some = where.some()
            assert some is not None
            plays.append((some, None))
        return plays

    def _nearest(self, targets: DiagramPositions, n: int, budget: Budget) -> Iterator[Play]:
        """Shortest plays to up to n positions of a set inside R, the nearest first, in different states."""
        product = self.seen.product
        while n and targets:
            with within_memory("safe play"):
                plays = self._followed(self._rings(targets, budget), n, budget)
            yield from plays
            n -= len(plays)
            for position, _ in plays:
                state = product.diagrams.state(self.solved.game.codes(position.state))
                targets -= DiagramPositions.where(product, state)

    def _rings(self, targets: DiagramPositions, budget: Budget) -> list[DiagramPositions]:
        """The positions of R that are 0, 1, … moves away from the set, until v₀ is among them."""
        rings, far = [targets], self.seen - targets
        while self.solved.initial not in rings[-1]:
            before = partial(safely_before, rings[-1], self.seen, far, budget)
            newest = self.seen.product.diagrams.tidied(before)
            assert newest, "R is reached from v₀"
            far -= newest
            rings.append(newest)
        return rings

    def _followed(self, rings: list[DiagramPositions], n: int, budget: Budget) -> list[Play]:
        """Plays from v₀ inwards, ring by ring, that end in up to n different states."""
        solved = self.solved
        stack: list[tuple[Position, tuple[MoveInWords, ...]]] = [(solved.initial, ())]
        seen, ends = {solved.initial}, dict[tuple[int, ...], Play]()
        n_followed = 0
        while stack and len(ends) < n and (n_followed < MAX_FOLLOWED or not ends):
            here, play = stack.pop()
            inner = len(rings) - 1 - len(play)
            if inner == 0:
                ends.setdefault(here.state, (here, play))
                continue
            n_followed += 1
            budget.tick()
            # What is pushed last is followed first: moves that change something, in the order of the game.
            onward = list(self._safe_moves(here).items())
            onward.reverse()
            onward.sort(key=lambda item: item[0].state != here.state)
            for target, actions in onward:
                if target not in seen and target in rings[inner - 1]:
                    seen.add(target)
                    words = move_in_words(solved.configuration.system, here, actions[0], target)
                    stack.append((target, (*play, words)))
        return list(ends.values())

    def _safe_moves(self, here: Position) -> Outcomes:
        """Where moves lead; where outcomes of the defender's choices are drawn, only those of safe ones."""
        moves, groups = self.solved.moves(here), choices(self.solved.game, here.turn)
        if here.turn is Player.ADVERSARY or len(groups) == len(self.solved.game.actions[here.turn]):
            return moves
        safe = safe_actions(self.solved.solution, here)
        made = {action for own in groups if own[0] in safe for action in own}
        kept = {target: tuple(a for a in actions if a in made) for target, actions in moves.items()}
        return {target: actions for target, actions in kept.items() if actions}


def diagram_safe_play(solution: Solution, budget: Budget = UNLIMITED) -> SafePlay:
    """R as decision diagrams, by chaining.

    Raises:
        InputError: for a tabulated game.
        LimitError: when the diagrams outgrow their memory, or past the budget.
    """
    regions = diagrams(solution, budget)
    seen = regions.reached(budget)
    return SafePlay(solution, regions, seen, RingRoutes(SolvedGame(solution), seen), budget)
