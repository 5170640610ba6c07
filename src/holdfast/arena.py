"""The shielded arena: what play can reach once both players are confined to W (sec:marl, sec:respawn).

Its positions are those reached from v₀ through Safe(v) and through engagement resets
(:mod:`holdfast.resets`). Learners and the exact operating point play here, so everything they read at a
position is one array look-up away.

At an adversary position of W every admissible move stays in W, so Safe(v) = Λ(v), and it may be empty. The
adversary is then out of moves and the play *rests*: μ of the position goes on counting, and only a reset
can end it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.explicit import TURNS, Arena, ExplicitRegions, valuation_grid
from holdfast.engines.explicit import solve as solve_explicit
from holdfast.engines.quotient import Blocks
from holdfast.errors import InputError, LimitError
from holdfast.game import GameStructure
from holdfast.logic.arrays import holds_array, number_array
from holdfast.logic.expressions import Player
from holdfast.permitted import Permitted
from holdfast.product import Configuration, Position
from holdfast.resets import Resets
from holdfast.solution import Solution, rank

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

MAX_WALKED = 100_000
CHUNK = 1 << 17
MAX_EXPLICIT = 150_000_000
"""Up to this many gathers a sweep (valuations · actions · blocks) a game is solved again explicitly."""

BYTES_PER_MOVE, BYTES_PER_POSITION = 40, 64
"""At the peak of an enumeration, when its moves are held as found and as sorted."""


@dataclass(frozen=True)
class ShieldedArena:
    """Positions 0 … n − 1 with Safe(v), successors, resets and μ, as read-only arrays.

    The numbering is canonical: by turn (defender first), block of automaton states, state.

    Attributes:
        configuration: whose arena it is.
        initial: the number of v₀.
        mover: 0 where the defender moves, 1 where the adversary does; shape (n,).
        state: the number of the position's state s, turns not told apart; shape (n,).
        block: its automaton states, as :class:`~holdfast.engines.quotient.Blocks` numbers them; shape (n,).
        first: the moves of v are ``first[v]`` up to, not including, ``first[v + 1]``; shape (n + 1,).
        action: action numbers, ascending within a position; shape (m,).
        successor: the position after each move; shape (m,).
        reset: the position after a reset, −1 where none can happen; shape (n,).
        codes: the states that occur, a row of codes each, ascending; shape (n_states, n_variables).
        mu: the double nearest to μ(s); shape (n_states,).
        reward: the double nearest to 2μ(s) − 1, rounded once; shape (n_states,).
    """

    configuration: Configuration
    initial: int
    mover: npt.NDArray[np.int8] = field(repr=False)
    state: Ints = field(repr=False)
    block: Ints = field(repr=False)
    first: npt.NDArray[np.int64] = field(repr=False)
    action: Ints = field(repr=False)
    successor: Ints = field(repr=False)
    reset: Ints = field(repr=False)
    codes: Ints = field(repr=False)
    mu: Floats = field(repr=False)
    reward: Floats = field(repr=False)

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
        return Position(state, TURNS[self.mover[v]], *automaton_states(self.blocks, int(self.block[v])))


def shielded_arena(solution: Solution, budget: Budget = UNLIMITED) -> ShieldedArena:
    """Enumerate the shielded arena of a solved, defensible configuration.

    A game that is small enough is searched breadth first on the arrays of the explicit engine, which
    solves it again if another engine has solved it; any other is walked position by position.

    >>> from holdfast.engines import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.product import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> arena = shielded_arena(solve(configure(game, ["G (DB != Z)"])))
    >>> arena.n_positions, arena.n_states, arena.position(arena.initial).state
    (22, 12, (1, 0))

    Raises:
        InputError: when the configuration is not defensible: then there is no shield to play in.
        ModelError: for a reset whose target is not winning, or that would erase the memory of φ_D.
        LimitError: past the budget, or past :data:`MAX_WALKED` positions where they have to be walked.
    """
    require_defensible(solution)
    if not isinstance(solution.regions, ExplicitRegions) and is_small(solution.configuration):
        solution = solve_explicit(solution.configuration, budget)
    if isinstance(solution.regions, ExplicitRegions):
        return _searched(solution, solution.regions, budget)
    return _walked(solution, budget)


def require_defensible(solution: Solution) -> None:
    """Refuse a configuration that has no shield."""
    if not solution.defensible:
        found = rank(solution, solution.configuration.initial)
        raise InputError(
            f"the configuration is not defensible: v0 has rank {found}, so there is no shield to play in "
            "and DDR is undefined; strengthen the design first"
        )


def is_small(configuration: Configuration) -> bool:
    """Whether the explicit engine solves the game in a second or two (:data:`MAX_EXPLICIT`)."""
    n_actions = sum(len(configuration.game.actions[player]) for player in Player)
    return configuration.game.n_valuations * n_actions * Blocks.of(configuration).n_blocks <= MAX_EXPLICIT


def automaton_states(blocks: Blocks, block: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The automaton states (q_D, q_A) of a block; for the sink, some rejecting q_A."""
    q_adversary = blocks.planes[block % len(blocks.planes)]
    if q_adversary is None:
        q_adversary = tuple(
            next((q for q in range(a.n_states) if not a.accepting[q]), 0) for a in blocks.adversary.automata
        )
    return blocks.defender.accepting[block // len(blocks.planes)], q_adversary


def position_key(configuration: Configuration, blocks: Blocks, position: Position) -> int:
    """The canonical number of a position among all: (turn · n_blocks + block) · n_valuations + state."""
    game, block = configuration.game, blocks.number(position)
    assert block is not None
    plane = TURNS.index(position.turn) * blocks.n_blocks + block
    return plane * game.n_valuations + game.index(position.state)


def position_at(configuration: Configuration, blocks: Blocks, key: int) -> Position:
    """The position with a canonical number."""
    plane, index = divmod(key, configuration.game.n_valuations)
    turn, block = divmod(plane, blocks.n_blocks)
    return Position(configuration.game.state(index), TURNS[turn], *automaton_states(blocks, block))


def dominance(game: GameStructure, codes: Ints) -> tuple[Floats, Floats]:
    """(μ, 2μ − 1) of the states with these rows of codes, each rounded once from the exact rational."""
    columns = {v.name: codes[:, i] for i, v in enumerate(game.variables)}
    exact = np.broadcast_to(number_array(game.dominance, columns), (len(codes),)).tolist()
    mu = {x: float(Fraction(x)) for x in set(exact)}
    reward = {x: float(2 * Fraction(x) - 1) for x in mu}
    return np.array([mu[x] for x in exact], dtype=float), np.array([reward[x] for x in exact], dtype=float)


# -- breadth first on arrays ------------------------------------------------------------------------


def _searched(solution: Solution, regions: ExplicitRegions, budget: Budget) -> ShieldedArena:
    """Positions go by their canonical numbers; a level of the search is split by turn and block."""
    configuration, game, n = solution.configuration, solution.configuration.game, regions.arena.n
    blocks, resets = regions.arena.blocks, Resets(solution)
    winning = (regions.ranks < 0).reshape(-1)
    seen = np.zeros_like(winning)
    resettable = _reset_mask(game)
    initial = position_key(configuration, blocks, configuration.initial)
    frontier = np.array([initial])
    moves: list[tuple[Array, Array, Array]] = []
    jumps: dict[int, int] = {}
    n_seen = n_moves = 0
    while len(frontier):
        seen[frontier] = True
        n_seen += len(frontier)
        entered = []
        for plane, rows in _chunks(frontier, n):
            sources, actions, targets = _safe_moves(regions.arena, winning, plane, rows)
            moves.append((plane * n + sources, actions, targets))
            n_moves += len(targets)
            _check_size(n_seen, n_moves, budget)
            entered.append(np.unique(targets))
            for key in (plane * n + rows[resettable[rows]]).tolist():
                target = resets.target(position_at(configuration, blocks, key))
                assert target is not None
                jumps[key] = position_key(configuration, blocks, target)
                entered.append(np.array([jumps[key]]))
        found = np.unique(np.concatenate(entered))
        frontier = found[~seen[found]]
    keys = np.flatnonzero(seen)
    source, action, after = (np.concatenate(parts) for parts in zip(*moves, strict=True))
    order = np.argsort(source, kind="stable")
    reset = np.full(len(keys), -1, dtype=np.int32)
    reset[np.searchsorted(keys, list(jumps))] = np.searchsorted(keys, list(jumps.values()))
    valuations, state = np.unique(keys % n, return_inverse=True)
    codes = np.stack(np.unravel_index(valuations, game.shape), axis=1).astype(np.int32)
    return ShieldedArena(
        configuration,
        int(np.searchsorted(keys, initial)),
        (keys // (n * blocks.n_blocks)).astype(np.int8),
        state.astype(np.int32),
        (keys // n % blocks.n_blocks).astype(np.int32),
        np.append(np.searchsorted(source[order], keys), len(source)).astype(np.int64),
        action[order].astype(np.int32),
        np.searchsorted(keys, after[order]).astype(np.int32),
        reset,
        codes,
        *dominance(game, codes),
    )


def _chunks(frontier: Array, n: int) -> Iterator[tuple[int, Array]]:
    """The sorted frontier by turn and block, in pieces that bound what a step holds at once."""
    for plane in np.unique(frontier // n).tolist():
        low, high = np.searchsorted(frontier, [plane * n, (plane + 1) * n])
        for start in range(low, high, CHUNK):
            yield plane, frontier[start : min(start + CHUNK, high)] - plane * n


def _safe_moves(tables: Arena, winning: Array, plane: int, rows: Array) -> tuple[Array, Array, Array]:
    """Safe(v) of the given rows: (row, action, key of the successor), by row and then by action."""
    turn, block = divmod(plane, tables.blocks.n_blocks)
    half = (1 - turn) * tables.blocks.n_blocks
    safe, targets = [], []
    for admissible, target, state in tables.moves(TURNS[turn], block, rows):
        key = (half + target.clip(0).astype(np.int64)) * tables.n + state
        safe.append(admissible & (target >= 0) & winning[key])
        targets.append(key)
    if not safe:
        return rows[:0], rows[:0], rows[:0]
    place, action = np.nonzero(np.stack(safe, axis=1))
    return rows[place], action, np.stack(targets, axis=1)[place, action]


def _reset_mask(game: GameStructure) -> Array:
    """For each valuation, whether a reset can happen there."""
    if game.reset is None:
        return np.zeros(game.n_valuations, dtype=bool)
    return np.broadcast_to(holds_array(game.reset.when, valuation_grid(game)), game.shape).reshape(-1)


# -- position by position ---------------------------------------------------------------------------


def _walked(solution: Solution, budget: Budget) -> ShieldedArena:
    """Depth first, each position asked of the solution; slow, but |V| may be anything."""
    configuration, permitted, resets = solution.configuration, Permitted(solution), Resets(solution)
    blocks = Blocks.of(configuration)

    def key_of(position: Position) -> int:
        return position_key(configuration, blocks, position)

    initial = key_of(configuration.initial)
    known: dict[int, Position] = {initial: configuration.initial}
    moves: dict[int, list[tuple[int, int]]] = {}
    jumps: dict[int, int] = {}
    stack, n_moves = [initial], 0
    while stack:
        here = stack.pop()
        targets = permitted.moves(known[here])
        start = resets.target(known[here])
        entered = {key_of(position): position for position in targets.values()}
        moves[here] = [(action, key_of(target)) for action, target in targets.items()]
        if start is not None:
            jumps[here] = key_of(start)
            entered[jumps[here]] = start
        new = {key: position for key, position in entered.items() if key not in known}
        stack += new
        known |= new
        n_moves += len(targets)
        _check_size(len(known), n_moves, budget, MAX_WALKED)
    keys = sorted(known)
    number = {key: v for v, key in enumerate(keys)}
    states = sorted({position.state for position in known.values()})
    number_of_state = {state: i for i, state in enumerate(states)}
    codes = np.array(states, dtype=np.int32)
    return ShieldedArena(
        configuration,
        number[initial],
        np.array([TURNS.index(known[key].turn) for key in keys], dtype=np.int8),
        np.array([number_of_state[known[key].state] for key in keys], dtype=np.int32),
        np.array([blocks.number(known[key]) for key in keys], dtype=np.int32),
        np.cumsum([0, *(len(moves[key]) for key in keys)], dtype=np.int64),
        np.array([action for key in keys for action, _ in moves[key]], dtype=np.int32),
        np.array([number[target] for key in keys for _, target in moves[key]], dtype=np.int32),
        np.array([number[jumps[key]] if key in jumps else -1 for key in keys], dtype=np.int32),
        codes,
        *dominance(configuration.game, codes),
    )


def _check_size(n_positions: int, n_moves: int, budget: Budget, max_positions: int | None = None) -> None:
    budget.tick(f"enumerating safe play: {n_positions:,} positions")
    need = n_moves * BYTES_PER_MOVE + n_positions * BYTES_PER_POSITION
    if need > budget.memory:
        raise LimitError(
            f"the shielded arena has at least {n_positions:,} positions and {n_moves:,} safe moves, which "
            f"take {need / 2**20:,.0f} MiB; the limit is {budget.memory / 2**20:,.0f} MiB"
        )
    if max_positions is not None and n_positions > max_positions:
        raise LimitError(
            f"the shielded arena has more than {max_positions:,} positions, the limit where each has to be "
            "asked of the solution"
        )
