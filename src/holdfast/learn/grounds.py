"""Where runs play: an arena enumerated beforehand, or one discovered on the way; and how a run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena, require_defensible, shielded_arena
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.learn import training_kernels as kernels
from holdfast.learn.discovery import Discovery
from holdfast.learn.training_kernels import LearnerView, LearningRule, Run
from holdfast.logic.expressions import Player
from holdfast.protocol import Protocol
from holdfast.solution import Solution, is_listable

Floats = npt.NDArray[np.float64]
Rows = Callable[[int], Floats]
"""The rows of a fresh table for the states from this number on."""

MOVES_BETWEEN_CALLS = 200_000
MOVES_OF_DISCOVERY = 2_000
"""After about so many moves a run looks up, reports, and may be stopped: some dozens of milliseconds."""


class Enumerated:
    """A shielded arena as the kernels read it."""

    def __init__(self, arena: ShieldedArena) -> None:
        """Lay the arrays out; 8 bytes a move and 36 a position."""
        actions = arena.configuration.game.actions
        self._arena, self.initial, self.n_states = arena, arena.initial, arena.n_states
        self.configuration, self.width = arena.configuration, sum(len(actions[player]) for player in Player)
        row = arena.state.astype(np.int32) * self.width
        row[arena.mover == 1] += len(actions[Player.DEFENDER])
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

    def codes(self, start: int = 0) -> npt.NDArray[np.int32]:
        """The states from number ``start`` on, a row of codes each."""
        return self._arena.codes[start:]

    def resolve(self, v: int, number: int) -> None:
        """Refuse: only an arena that was discovered and then left unfinished has unknown successors."""
        raise LimitError(
            f"no play has made move {self._arena.action[number]} at "
            f"{self._arena.configuration.describe(self._arena.position(v))} yet, so what follows is unknown; "
            "give the solution instead of the arena"
        )


Ground = Enumerated | Discovery


def ground_of(where: Solution | ShieldedArena, n_tables: int, budget: Budget = UNLIMITED) -> Ground:
    """The arena enumerated if that is possible, otherwise one to be discovered.

    Raises:
        InputError, ModelError: as :func:`~holdfast.arena.shielded_arena`.
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
    actions = arena.configuration.game.actions
    width = sum(len(actions[player]) for player in Player)
    return arena.n_moves * 12 + arena.n_positions * 44 + n_tables * arena.n_states * width * 8


def rule_of(protocol: Protocol, initial: int, p: float) -> LearningRule:
    """The protocol as the kernels read it."""
    return LearningRule(
        initial,
        protocol.steps,
        float(protocol.alpha),
        float(protocol.gamma),
        float(protocol.epsilon_min),
        protocol.decay,
        p,
    )


def new_run(seed: int, episodes: int, epsilon: float, table: Floats) -> Run:
    """A run before its first move; its words are those of ``RandomState(seed)``."""
    state: Any = np.random.RandomState(seed).get_state()
    registers = np.zeros(kernels.N_REGISTERS, dtype=np.int64)
    registers[kernels.MOVE] = -1
    return Run(
        table=np.ascontiguousarray(table).reshape(-1),
        words=np.append(state[1], state[2]).astype(np.int64),
        registers=registers,
        levels=np.array([float(epsilon), 0.0]),
        means=np.zeros(episodes),
    )


def pieces(ground: Ground, episodes: int, steps: int) -> Iterator[int]:
    """The episodes at which a run looks up; the last is the end."""
    size = max(1, (MOVES_OF_DISCOVERY if isinstance(ground, Discovery) else MOVES_BETWEEN_CALLS) // steps)
    yield from range(size, episodes, size)
    yield episodes


def advance(
    kernel: Callable[[LearnerView, LearningRule, Run, int], int],
    ground: Ground,
    rule: LearningRule,
    run: Run,
    until: int,
    rows: Rows,
    stop: Event,
) -> Run:
    """Go on to episode ``until``, filling in what the kernel finds unknown; or until ``stop`` is set."""
    filled = ground.n_states
    while not stop.is_set():
        number = kernel(ground.view, rule, run, until)
        if number == kernels.DONE:
            break
        ground.resolve(int(run.registers[kernels.POSITION]), int(number))
        if ground.n_states > filled:
            run = run._replace(table=_filled(run.table, filled * ground.width, rows(filled)))
            filled = ground.n_states
    return run


def finished_table(run: Run, ground: Ground, rows: Rows) -> Floats:
    """The table of a run, with a row for every state of the ground; shape (n_states, width)."""
    table = run.table.reshape(-1, ground.width)
    return np.concatenate([table, rows(len(table))]) if len(table) < ground.n_states else table


def _filled(table: Floats, start: int, rows: Floats) -> Floats:
    """The table with these rows from entry ``start`` on; it grows by halves."""
    end = start + rows.size
    if end > len(table):
        longer = np.zeros(max(end, 3 * len(table) // 2))
        longer[:start] = table[:start]
        table = longer
    table[start:end] = rows.reshape(-1)
    return table
