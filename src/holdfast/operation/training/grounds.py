"""Where runs play: an arena enumerated beforehand, or one discovered on the way.

In an arena that is discovered the successor of a move is worked out when the move, or one that is seen to
lead the same way, is first made; until then it is −1, the sign on which a kernel stops. Tables have a row for
each state met so far. What is learned does not depend on the numbering, so runs may share what earlier runs
have discovered.
"""

from __future__ import annotations

import numpy as np

from holdfast.arena import (
    GameRows,
    Met,
    PlayRules,
    ShieldedArena,
    grown,
    play_kernels as kernels,
    play_rules,
    require_defensible,
    shielded_arena,
)
from holdfast.budget import UNLIMITED, Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import GameStructure, Position
from holdfast.logic import Player
from holdfast.operation.training.training_kernels import LearnerView
from holdfast.solver import TURNS, Blocks, Resets, Solution, is_listable

BYTES_PER_POSITION, BYTES_PER_MOVE, BYTES_PER_CODE = 128, 24, 6
"""What the columns of a discovery take, with the capacity they keep in reserve."""


class Enumerated:
    """A shielded arena as the kernels read it."""

    def __init__(self, arena: ShieldedArena) -> None:
        """Lay the arrays out; 8 bytes a move and 36 a position."""
        self._arena, self.initial, self.n_states = arena, arena.initial, arena.n_states
        self.width = _width(arena.configuration.game)
        row = arena.state.astype(np.int32) * self.width
        row[arena.mover == 1] += len(arena.configuration.game.actions[Player.DEFENDER])
        reward = arena.reward[arena.state]
        # Copies, since to a compiled kernel an array that is read-only is of another type.
        self.view = LearnerView(
            first=arena.first.copy(),
            reset=arena.reset.copy(),
            mu=arena.mu[arena.state],
            gain=np.where(arena.mover == 0, -reward, reward),
            entry=np.repeat(row, np.diff(arena.first)) + arena.action,
            successor=arena.successor.copy(),
        )

    def arena(self) -> ShieldedArena:
        """The arena itself."""
        return self._arena

    def resolve(self, v: int, number: int) -> None:
        """Refuse: only an arena that was discovered and then left unfinished has unknown successors."""
        raise LimitError(
            f"no play has made move {self._arena.action[number]} at "
            f"{self._arena.configuration.describe(self._arena.position(v))} yet, so what follows is unknown; "
            "give the solution instead of the arena"
        )


class Discovery:
    """The part of the shielded arena that play has visited, as the kernels read it.

    Positions are entered by compiled code that walks down flattened diagrams
    (:mod:`holdfast.arena.play_kernels`); only where an engagement reset can happen is the solution itself
    asked where it leads.
    """

    initial = 0

    def __init__(self, solution: Solution, budget: Budget, n_tables: int) -> None:
        """Start with v₀ alone; ``n_tables`` are held at once, and count towards the memory."""
        self.configuration = solution.configuration
        self.width = _width(self.configuration.game)
        self._play, self._resets = play_rules(solution, budget), Resets(solution)
        self._memory, self._n_tables = budget.memory, n_tables
        self._met = _room_for_nothing(self._play)
        self._visit(self.configuration.initial)

    @property
    def n_positions(self) -> int:
        """How many positions have been visited."""
        return int(self._met.sizes[0])

    @property
    def n_states(self) -> int:
        """How many states have been visited."""
        return int(self._met.sizes[1])

    @property
    def n_moves(self) -> int:
        """Σ |Safe(v)| over the positions visited."""
        return int(self._met.sizes[2])

    @property
    def view(self) -> LearnerView:
        """What the kernels read, as far as it is known."""
        met = self._met
        return LearnerView(met.first, met.reset, met.mu, met.gain, met.entry, met.successor)

    def position(self, v: int) -> Position:
        """The position with number v; one rejecting state of φ_A stands for all."""
        codes, automata, turn = self._met.games
        return self._play.position(codes[v], automata[v], int(turn[v]))

    def arena(self) -> ShieldedArena:
        """What has been visited, numbered in order of discovery; −1 is the successor of a move never made."""
        met, n, n_moves = self._met, self.n_positions, self.n_moves
        block = np.empty(n, dtype=np.int64)
        kernels.blocks(self._play.rules, met.games.automata[:n], block)
        holder = met.holder[: self.n_states]
        reward = np.where(met.games.turn[holder] == 0, -met.gain[holder], met.gain[holder])
        return ShieldedArena(
            self.configuration,
            self.initial,
            met.games.turn[:n].copy(),
            met.state[:n].copy(),
            block.astype(np.int32),
            met.first[: n + 1].copy(),
            met.action[:n_moves].copy(),
            met.successor[:n_moves].copy(),
            met.reset[:n].copy(),
            met.games.codes[holder],
            met.mu[holder],
            reward,
        )

    def resolve(self, v: int, number: int) -> None:
        """Fill in the successor of move ``number``, made at position v.

        Raises:
            LimitError: past the memory, saying how far play came.
        """
        self._make_room()
        self._settle(kernels.discover(self._play.rules, self._met, v, number))

    def _visit(self, position: Position) -> int:
        """The number of a position, which is entered if it is new."""
        self._make_room()
        spare = self._met.spare
        spare.codes[0], spare.turn[0] = position.state, TURNS.index(position.turn)
        spare.automata[0] = (*position.q_defender, *position.q_adversary)
        number = int(kernels.enter(self._play.rules, self._met))
        self._settle(number)
        return number

    def _settle(self, number: int) -> None:
        """Ask where a reset leads from a position that was just entered, if one can happen there."""
        if self._met.reset[number] != kernels.ASKED:
            return
        self._met.reset[number] = -1
        target = self._resets.target(self.position(number))
        if target is not None:
            after = self._visit(target)
            self._met.reset[number] = after

    def _make_room(self) -> None:
        """Let one more position fit, with all of its moves."""
        met, (n, n_states, n_moves) = self._met, self._met.sizes.tolist()
        columns = n * BYTES_PER_POSITION + n_moves * BYTES_PER_MOVE
        codes = n * met.games.codes.shape[1] * BYTES_PER_CODE
        if columns + codes + n_states * self._n_tables * self.width * 8 > self._memory:
            raise LimitError(
                f"play has visited {n:,} positions and {n_states:,} states, and what is "
                f"kept of them has reached the limit of {size_in_words(self._memory)}: train for fewer "
                "episodes, or allow more memory"
            )
        if n + 1 >= len(met.state):
            self._met = met = _with_room(met, max(64, 3 * n // 2 + 2))
            kernels.rehash(met)
        n_needed = n_moves + met.mask.shape[1]
        if n_needed > len(met.action):
            longer = [grown(column, n_needed) for column in (met.action, met.entry, met.successor)]
            self._met = met._replace(action=longer[0], entry=longer[1], successor=longer[2])


def _room_for_nothing(play: PlayRules) -> Met:
    """The arrays of a discovery before the first position."""
    configuration, n_actions = play.configuration, play.n_actions
    sizes = len(configuration.game.variables), play.n_clauses
    blocks = Blocks.of(configuration)
    sink = blocks.states(len(blocks.planes) - 1)[1]

    def rows(n: int) -> GameRows:
        return GameRows(
            np.zeros((n, sizes[0]), np.int32), np.zeros((n, sizes[1]), np.int32), np.zeros(n, np.int8)
        )

    ints, floats = np.zeros(0, np.int32), np.zeros(0)
    return Met(
        rows(0), ints, ints, np.zeros(1, np.int64), ints, floats, floats, ints, ints, ints, (ints, ints),
        np.zeros(3, np.int64), (play.mu, play.reward), np.array(sink, dtype=np.int32), rows(1),
        np.zeros((1, n_actions), np.int8), np.zeros(play.n_readings, np.int8),
    )  # fmt: skip


def _with_room(met: Met, n: int) -> Met:
    """The positions met so far in arrays with room for n of them; the slots of the hash table are empty."""
    games = GameRows(*(grown(column, n) for column in met.games))
    n = len(games.turn)
    slots = np.full(2 * n + 1, -1, np.int32), np.full(2 * n + 1, -1, np.int32)
    return met._replace(
        games=games,
        slots=slots,
        first=grown(met.first, n + 1),
        state=grown(met.state, n),
        holder=grown(met.holder, n),
        reset=grown(met.reset, n),
        mu=grown(met.mu, n),
        gain=grown(met.gain, n),
    )


Ground = Enumerated | Discovery


def ground_of(where: Solution | ShieldedArena, n_tables: int, budget: Budget = UNLIMITED) -> Ground:
    """The arena enumerated if that is possible, otherwise one to be discovered.

    Raises:
        InputError, ModelError: as :func:`~holdfast.arena.shielded_arenas.shielded_arena`.
        LimitError: when ``n_tables`` tables would not fit in the memory.
    """
    if isinstance(where, ShieldedArena):
        arena = where
    else:
        require_defensible(where)
        if not is_listable(where):
            return Discovery(where, budget, n_tables)
        arena = shielded_arena(where, budget)
    need = table_bytes(arena, n_tables)
    if need > budget.memory:
        raise LimitError(
            f"{n_tables} tables of {arena.n_states:,} states would take {need / 2**20:,.0f} MiB; the limit "
            f"is {budget.memory / 2**20:,.0f} MiB: run fewer seeds, or train with tables=False"
        )
    return Enumerated(arena)


def table_bytes(arena: ShieldedArena, n_tables: int = 1) -> int:
    """What ``n_tables`` tables over an arena take, and the kernels' view of it."""
    width = _width(arena.configuration.game)
    return arena.n_moves * 12 + arena.n_positions * 44 + n_tables * arena.n_states * width * 8


def _width(game: GameStructure) -> int:
    """|Act_D| + |Act_A|."""
    return sum(len(game.actions[player]) for player in Player)
