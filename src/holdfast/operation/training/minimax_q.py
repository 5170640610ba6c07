"""Shielded minimax Q-learning (sec:marl): two tables over s, both players confined to Safe(v).

A run is one seed. Runs share the arena, which they do not write to, and nothing else, so that the
:mod:`~holdfast.running.tasks` may do them in parallel threads (the kernels hold no lock) or on a cluster, and
their results do not depend on where and on how many there are. Where the arena is discovered as play goes
(:mod:`holdfast.operation.training.grounds`) the runs go one after another, and each starts from what the
earlier ones have discovered.

A table has a row for each state that play can reach and a column for each action, the defender's first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import LazyArena, ShieldedArena, choice_arena
from holdfast.arrays import Floats
from holdfast.budget import UNLIMITED, Budget, size_in_words
from holdfast.errors import InputError, LimitError
from holdfast.game import Protocol, reset_chance
from holdfast.logic import Player
from holdfast.operation.training import training_kernels as kernels
from holdfast.operation.training.grounds import Ground, ground_of, resolve
from holdfast.operation.training.training_kernels import LearningRule, Run
from holdfast.running import Backend, interruption_answered, run_tasks
from holdfast.solver import Solution

MOVES_BETWEEN_CALLS = 200_000
MOVES_OF_DISCOVERY = 2_000
"""After about so many moves a run looks up, reports, and may be stopped: some dozens of milliseconds."""


@dataclass(frozen=True)
class Training:
    """The runs that finished.

    Attributes:
        arena: where they played; only what they visited where it could not be enumerated.
        protocol: what they followed.
        seeds: the seeds that finished, in the protocol's order.
        means: the mean μ of each episode; shape (n_seeds, episodes).
        fresh: of each seed, the part of the moves in the window of which it had learned nothing before: their
            value was still the one that tables start with.
        tables: Q of each seed, shape (n_states, |Act_D| + |Act_A|); empty if they were not kept.
    """

    arena: ShieldedArena
    protocol: Protocol
    seeds: tuple[int, ...]
    means: Floats = field(repr=False)
    fresh: tuple[float, ...]
    tables: tuple[Floats, ...] = field(repr=False)

    @property
    def unfinished(self) -> tuple[int, ...]:
        """The seeds that an interruption left out."""
        return tuple(seed for seed in self.protocol.seed_numbers if seed not in self.seeds)

    def q(self, seed: int, player: Player) -> Floats:
        """The table Q_i that a seed learned; shape (n_states, |Act_i|)."""
        n_defender = len(self.arena.configuration.game.actions[Player.DEFENDER])
        table = self.tables[self.seeds.index(seed)]
        return table[:, :n_defender] if player is Player.DEFENDER else table[:, n_defender:]


@dataclass(frozen=True)
class SeedRun:
    """One run to be made: a seed, where and by which rules it plays, and whether its table is kept."""

    seed: int
    ground: Ground
    rule: LearningRule
    protocol: Protocol
    keep: bool


def train(
    where: Solution | ShieldedArena,
    protocol: Protocol | None = None,
    *,
    budget: Budget = UNLIMITED,
    tables: bool = True,
    backend: Backend | None = None,
) -> Training:
    """Train both learners, one run for each seed.

    An interruption (Ctrl-C) ends the runs that are under way and keeps those that have finished;
    :attr:`Training.unfinished` lists the others.

    Args:
        budget: memory for arena and tables (:func:`~holdfast.operation.training.grounds.table_bytes`), time,
            and how many runs may go at once; its watcher is called from the threads of the runs, never from
            two at once.
        tables: whether to keep what the seeds learned.
        backend: where the runs are made, and their log; an arena that is discovered stays here.

    Raises:
        InputError: when the configuration is not defensible, or the protocol does not fit the game.
        ModelError: when the reset is refused (:mod:`holdfast.solver.resets`).
        LimitError: when arena or tables would not fit, or the time ran out.
    """
    protocol = protocol or Protocol()
    p = reset_chance(protocol, where.configuration.game)
    seeds = protocol.seed_numbers
    need = 8 * protocol.episodes * len(seeds)  # the mean of every episode is kept
    if need > budget.memory:
        raise LimitError(
            f"the means of {protocol.episodes:,} episodes with {len(seeds):,} seeds take "
            f"{size_in_words(need)}; the limit is {size_in_words(budget.memory)}: "
            "train for fewer episodes, or allow more memory"
        )
    ground = ground_of(where, len(seeds) if tables else min(budget.workers, len(seeds)), budget)
    backend = backend or Backend()
    if isinstance(ground, LazyArena):
        budget, backend = replace(budget, jobs=1), Backend()
    rule = rule_of(protocol, ground.initial, p)
    tasks = {f"seed {seed}": SeedRun(seed, ground, rule, protocol, tables) for seed in seeds}
    finished: dict[int, dict[str, Any]] = {}
    try:
        for key, answer in run_tasks(run_seed, tasks, budget, backend, shared=True):
            if answer.failure:
                raise LimitError(answer.failure)
            finished[tasks[key].seed] = answer.value
    except KeyboardInterrupt:  # enough
        interruption_answered()
    runs = {seed: finished[seed] for seed in seeds if seed in finished}
    return Training(
        ground.arena() if isinstance(ground, LazyArena) else ground,
        protocol,
        tuple(runs),
        np.array([run["means"] for run in runs.values()]).reshape(len(runs), protocol.episodes),
        tuple(run["fresh"] for run in runs.values()),
        tuple(_table(run["table"], ground, protocol) for run in runs.values()) if tables else (),
    )


def run_seed(task: SeedRun, budget: Budget) -> dict[str, Any]:
    """One run from its first move to its last: the means of its episodes, what was fresh, and its table."""
    ground, rule, protocol = task.ground, task.rule, task.protocol
    run = new_run(task.seed, protocol, ground)
    n_known, window = None, protocol.episodes - protocol.window
    for done in _pauses(ground, protocol):
        if n_known is None and window <= done:
            run = _advance(ground, rule, run, window, protocol)
            n_known = _n_known(run.table, protocol)
        run = _advance(ground, rule, run, done, protocol)
        doing = f"training seed {task.seed}, episode {done:,} of {protocol.episodes:,}"
        budget.tick(doing, done / protocol.episodes)
    n_new = _n_known(run.table, protocol) - (n_known or 0)
    n_entries = ground.n_states * ground.width if task.keep else 0
    fresh = n_new / (protocol.window * protocol.steps)
    return {"means": run.means, "fresh": fresh, "table": run.table[:n_entries].copy()}


def rule_of(protocol: Protocol, initial: int, p: float) -> LearningRule:
    """The protocol as the kernels read it."""
    return LearningRule(
        initial=initial,
        steps=protocol.steps,
        alpha=float(protocol.alpha),
        gamma=float(protocol.gamma),
        epsilon_min=float(protocol.epsilon_min),
        decay=protocol.decay,
        p=p,
    )


def new_run(seed: int, protocol: Protocol, ground: Ground) -> Run:
    """A run before its first move; its words are those of ``RandomState(seed)``."""
    state: Any = np.random.RandomState(seed).get_state()
    registers = np.zeros(kernels.N_REGISTERS, dtype=np.int64)
    registers[kernels.MOVE] = -1
    return Run(
        table=np.full(ground.n_states * ground.width, float(protocol.q_initial)),
        words=np.append(state[1], state[2]).astype(np.int64),
        registers=registers,
        levels=np.array([float(protocol.epsilon), 0.0]),
        means=np.zeros(protocol.episodes),
    )


def _pauses(ground: Ground, protocol: Protocol) -> Iterator[int]:
    """The episodes at which a run looks up; the last is the end."""
    n_moves = MOVES_OF_DISCOVERY if isinstance(ground, LazyArena) else MOVES_BETWEEN_CALLS
    size = max(1, n_moves // protocol.steps)
    yield from range(size, protocol.episodes, size)
    yield protocol.episodes


def _n_known(table: Floats, protocol: Protocol) -> int:
    """How many moves have a value that was learned."""
    return int(np.count_nonzero(table != protocol.q_initial))


def _advance(ground: Ground, rule: LearningRule, run: Run, until: int, protocol: Protocol) -> Run:
    """Go on to episode ``until``, filling in what the kernel finds unknown."""
    while (number := kernels.train(ground.view, ground.move_draws, rule, run, until)) != kernels.FINISHED:
        resolve(ground, int(run.registers[kernels.POSITION]), int(number))
        run = run._replace(table=_grown(run.table, ground, protocol))
    return run


def _grown(table: Floats, ground: Ground, protocol: Protocol) -> Floats:
    """The table with room for all states of the ground; it grows by halves, by entries that are fresh."""
    n_entries = ground.n_states * ground.width
    if n_entries <= len(table):
        return table
    longer = np.full(max(n_entries, 3 * len(table) // 2), float(protocol.q_initial))
    longer[: len(table)] = table
    return longer


def _table(entries: Floats, ground: Ground, protocol: Protocol) -> Floats:
    """What a run learned, a row for each state of the ground; shape (n_states, width)."""
    return _grown(entries, ground, protocol)[: ground.n_states * ground.width].reshape(-1, ground.width)


# -- policies ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Policies:
    """What a seed learned: Q of both players by state.

    The greedy policy is the first maximiser of Q_i(s, ·) over Safe(v). Since Safe(v) looks at the automata
    and Q at s alone, it can be played on any arena of the same game.

    Attributes:
        codes: the states, a row of codes each; shape (n_states, n_variables).
        table: Q, the defender's columns first; shape (n_states, |Act_D| + |Act_A|).
        q_initial: Q of any state that is not listed.
    """

    codes: npt.NDArray[np.int32] = field(repr=False)
    table: Floats = field(repr=False)
    q_initial: float


def greedy_policies(training: Training, seed: int) -> Policies:
    """The policies that a seed learned.

    Raises:
        InputError: when the seed has not finished or its table was not kept.
    """
    if seed not in training.seeds or not training.tables:
        raise InputError(
            f"there is no table of seed {seed}; there are {len(training.tables)} tables, of the seeds "
            f"{list(training.seeds if training.tables else ())}"
        )
    table = training.tables[training.seeds.index(seed)]
    return Policies(training.arena.codes, table, training.protocol.q_initial)


def greedy_actions(arena: ShieldedArena, policies: Policies) -> npt.NDArray[np.int32]:
    """The action that the policies choose at each position; −1 where the adversary is out of moves.

    A choice whose outcome is drawn goes by its first outcome.
    """
    arena = choice_arena(arena)
    known = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(policies.codes))}
    rows = [known.get(row.tobytes(), -1) for row in np.ascontiguousarray(arena.codes)]
    table = np.vstack([policies.table, np.full(policies.table.shape[1], policies.q_initial)])[rows]
    n_defender = len(arena.configuration.game.actions[Player.DEFENDER])
    chosen = np.full(arena.n_positions, -1, dtype=np.int32)
    for v in range(arena.n_positions):
        actions = arena.action[arena.first[v] : arena.first[v + 1]]
        if len(actions):
            values = table[arena.state[v], actions + (n_defender if arena.mover[v] else 0)]
            chosen[v] = actions[int(np.argmax(values))]
    return chosen
