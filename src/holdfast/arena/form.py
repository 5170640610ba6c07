"""The form of a shielded arena: positions with Safe(v), successors, resets and μ, as read-only arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.arena.play_rows import LearnerView, MoveDraws, thresholds
from holdfast.arrays import Array, Floats, Int32s, distinct
from holdfast.game import Configuration, GameStructure, Position, State, has_chance
from holdfast.logic import Player, number_array
from holdfast.solver import TURNS, Blocks


class Draws(NamedTuple):
    """Where draws lead, one row each, and with which probabilities; shorter rows end in probabilities 0."""

    target: Int32s
    share: Floats


@dataclass(frozen=True)
class ShieldedArena:
    """Positions 0 … n − 1; what they have is laid out in compressed rows.

    The numbering is canonical where the arena was enumerated: by turn (defender first), block of automaton
    states, state.

    Attributes:
        configuration: whose arena it is.
        initial: the number of v₀.
        mover: 0 where the defender moves, 1 where the adversary does; shape (n,).
        state: the number of the position's state s, turns not told apart; shape (n,).
        block: its automaton states, as :class:`~holdfast.solver.quotient.Blocks` numbers them; shape (n,).
        first: the moves of v are ``first[v]`` up to, not including, ``first[v + 1]``; shape (n + 1,).
        action: action numbers, ascending within a position; shape (m,). Where outcomes are drawn each is an
            action, and all outcomes of a choice stand next to each other.
        successor: the position after each move; shape (m,).
        reset: the position after a reset, −1 where none can happen; shape (n,).
        codes: the states that occur, a row of codes each, ascending; shape (n_states, n_variables).
        mu: the double nearest to μ(s); shape (n_states,).
        reward: the double nearest to 2μ(s) − 1, rounded once; shape (n_states,).
        draws: where moves are choices (:func:`~holdfast.arena.draws.choice_arena`), what is drawn: successors
            beyond the positions are rows of it. None where each outcome is a move.
    """

    configuration: Configuration
    initial: int
    mover: npt.NDArray[np.int8] = field(repr=False)
    state: Int32s = field(repr=False)
    block: Int32s = field(repr=False)
    first: npt.NDArray[np.int64] = field(repr=False)
    action: Int32s = field(repr=False)
    successor: Int32s = field(repr=False)
    reset: Int32s = field(repr=False)
    codes: Int32s = field(repr=False)
    mu: Floats = field(repr=False)
    reward: Floats = field(repr=False)
    draws: Draws | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Freeze the arrays too."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def n_positions(self) -> int:
        """How many positions play can visit."""
        return len(self.mover)

    @property
    def n_states(self) -> int:
        """How many states of M play can visit, turns not told apart."""
        return len(self.codes)

    @property
    def n_moves(self) -> int:
        """Σ |Safe(v)|."""
        return len(self.action)

    @property
    def width(self) -> int:
        """How many entries a state has in a table of both players' actions."""
        return row_width(self.configuration.game)

    @cached_property
    def view(self) -> LearnerView:
        """The arena as learners read it: 8 bytes a move and 36 a position."""
        row = self.state.astype(np.int32) * self.width
        row[self.mover == 1] += len(self.configuration.game.actions[Player.DEFENDER])
        reward = self.reward[self.state]
        # Copies, since to a compiled kernel an array that is read-only is of another type.
        return LearnerView(
            first=self.first.copy(),
            reset=self.reset.copy(),
            mu=self.mu[self.state],
            gain=np.where(self.mover == 0, -reward, reward),
            entry=np.repeat(row, np.diff(self.first)) + self.action,
            successor=self.successor.copy(),
        )

    @cached_property
    def move_draws(self) -> MoveDraws | None:
        """How outcomes are drawn, where each is a move; None where none are."""
        game = self.configuration.game
        if not has_chance(game):
            return None
        mover = np.repeat(self.mover, np.diff(self.first))
        n_outcomes, upto = thresholds(game, max(len(game.actions[player]) for player in Player))
        return MoveDraws(n_outcomes[mover, self.action], upto[mover, self.action])

    @cached_property
    def blocks(self) -> Blocks:
        """The numbering of automaton states."""
        return Blocks.of(self.configuration)

    def safe(self, v: int) -> tuple[int, ...]:
        """Safe(v), ascending."""
        return tuple(self.action[self.first[v] : self.first[v + 1]].tolist())

    @property
    def complete(self) -> bool:
        """Whether every safe move has its successor here; else −1 stands for moves that play never made."""
        return not (self.successor < 0).any()

    def position(self, v: int) -> Position:
        """The position with number v. Rejecting states of φ_A are not told apart; one of them is shown."""
        state = tuple(self.codes[self.state[v]].tolist())
        return Position(state, TURNS[self.mover[v]], *self.blocks.states(int(self.block[v])))

    def number(self, position: Position) -> int | None:
        """The number of a position; None if play does not visit it."""
        block = self.blocks.number(position)
        return None if block is None else self._numbers.get((position.state, position.turn, block))

    @cached_property
    def _numbers(self) -> dict[tuple[State, Player, int], int]:
        states = list(map(tuple, self.codes.tolist()))
        rows = zip(self.state.tolist(), self.mover.tolist(), self.block.tolist(), strict=True)
        return {(states[s], TURNS[t], block): v for v, (s, t, block) in enumerate(rows)}


def row_width(game: GameStructure) -> int:
    """|Act_D| + |Act_A|: how many entries a state has in a table of both players' actions."""
    return sum(len(game.actions[player]) for player in Player)


def dominance(game: GameStructure, codes: Int32s) -> tuple[Floats, Floats]:
    """(μ, 2μ − 1) of the states with these rows of codes, each rounded once from the exact rational."""
    columns = {v.name: codes[:, i] for i, v in enumerate(game.variables)}
    exact = np.broadcast_to(number_array(game.dominance, columns), (len(codes),)).tolist()
    mu = {x: float(Fraction(x)) for x in set(exact)}
    reward = {x: float(2 * Fraction(x) - 1) for x in mu}
    return np.array([mu[x] for x in exact], dtype=float), np.array([reward[x] for x in exact], dtype=float)


# -- parts and paths -------------------------------------------------------------------------------


def arena_distances(arena: ShieldedArena) -> tuple[Array, Array]:
    """For each position its distance from v₀ in moves, and the move by which a shortest play enters it.

    Both are −1 where only a reset leads, the move at v₀ too.
    """
    depth = np.full(arena.n_positions, -1, dtype=np.int64)
    via = np.full(arena.n_positions, -1, dtype=np.int64)
    depth[arena.initial] = 0
    frontier = np.array([arena.initial])
    while len(frontier):
        edges = _moves_of(arena, frontier)
        targets, first = np.unique(arena.successor[edges], return_index=True)
        new = depth[targets] < 0
        level = int(depth[frontier[0]]) + 1
        frontier = targets[new]
        depth[frontier], via[frontier] = level, edges[first[new]]
    return depth, via


def without_resets(arena: ShieldedArena) -> ShieldedArena:
    """The arena without resets: R alone. The numbering stays canonical."""
    return taken(replace(arena, reset=np.full_like(arena.reset, -1)), arena_distances(arena)[0] >= 0)


def taken(arena: ShieldedArena, kept: Array) -> ShieldedArena:
    """The part of an arena that some positions, given by a mask, make up, numbered canonically.

    No move or reset may lead out of it.
    """
    states = distinct(arena.state[kept])
    states = states[np.lexsort(arena.codes[states].T[::-1])]
    state = _places(states, arena.n_states)[arena.state]
    order = np.flatnonzero(kept)
    order = order[np.lexsort((state[order], arena.block[order], arena.mover[order]))]
    number = np.append(_places(order, arena.n_positions), -1)
    moves, sizes = _moves_of(arena, order), np.diff(arena.first)[order]
    return replace(
        arena,
        initial=int(number[arena.initial]),
        mover=arena.mover[order],
        state=state[order].astype(np.int32),
        block=arena.block[order],
        first=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        action=arena.action[moves],
        successor=number[arena.successor[moves]].astype(np.int32),
        reset=number[arena.reset[order]].astype(np.int32),
        codes=arena.codes[states],
        mu=arena.mu[states],
        reward=arena.reward[states],
    )


def _places(order: Array, n: int) -> Array:
    """The place of each number below n in an order; −1 for those that it leaves out."""
    places = np.full(n, -1)
    places[order] = np.arange(len(order))
    return places


def _moves_of(arena: ShieldedArena, positions: Array) -> Array:
    """The numbers of the moves of some positions, position by position."""
    sizes = arena.first[positions + 1] - arena.first[positions]
    starts = np.repeat(arena.first[positions] - np.cumsum(sizes) + sizes, sizes)
    numbers: Array = starts + np.arange(sizes.sum())
    return numbers
