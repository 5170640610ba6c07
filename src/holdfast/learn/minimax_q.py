"""Shielded minimax Q-learning (sec:marl): two tables over s, both players confined to Safe(v).

A run is one seed. Runs share the arena, which they do not write to, and nothing else, so that they may go in
parallel threads (the kernels hold no lock) and their results do not depend on how many there are. Where the
arena is discovered as play goes (:mod:`holdfast.learn.discovery`) the runs go one after another, and each
starts from what the earlier ones have discovered.

A table has a row for each state that play can reach and a column for each action, the defender's first.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event, Lock

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena
from holdfast.budget import UNLIMITED, Budget
from holdfast.learn import training_kernels as kernels
from holdfast.learn.discovery import Discovery
from holdfast.learn.grounds import advance, finished_table, ground_of, new_run, pieces, rule_of
from holdfast.learn.training_kernels import Run
from holdfast.logic.expressions import Player
from holdfast.protocol import Protocol, reset_chance
from holdfast.solution import Solution

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Training:
    """The runs that finished.

    Attributes:
        arena: where they played; only what they visited where it could not be enumerated.
        protocol: what they followed.
        seeds: the seeds that finished, in the protocol's order.
        means: the mean μ of each episode; shape (n_seeds, episodes).
        tables: Q of each seed, shape (n_states, |Act_D| + |Act_A|); empty if they were not kept.
    """

    arena: ShieldedArena
    protocol: Protocol
    seeds: tuple[int, ...]
    means: Floats = field(repr=False)
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


def train(
    where: Solution | ShieldedArena,
    protocol: Protocol | None = None,
    *,
    budget: Budget = UNLIMITED,
    tables: bool = True,
) -> Training:
    """Train both learners, one run for each seed.

    An interruption (Ctrl-C) ends the runs that are under way and keeps those that have finished;
    :attr:`Training.unfinished` lists the others.

    Args:
        where: a solved configuration, or its arena.
        protocol: the paper's by default.
        budget: memory for arena and tables (:func:`~holdfast.learn.grounds.table_bytes`), time, and how many
            runs may go at once; its watcher is called from the threads of the runs, never from two at once.
        tables: whether to keep what the seeds learned.

    Raises:
        InputError: when the configuration is not defensible, or the protocol does not fit the game.
        ModelError: when the reset is refused (:mod:`holdfast.resets`).
        LimitError: when arena or tables would not fit.
    """
    protocol = protocol or Protocol()
    jobs = budget.workers
    p = reset_chance(protocol, where.configuration.game)
    n_tables = len(protocol.seed_numbers) if tables else min(jobs, len(protocol.seed_numbers))
    ground = ground_of(where, n_tables, budget)
    if isinstance(ground, Discovery):
        jobs = 1
    rule = rule_of(protocol, ground.initial, p)
    stop, lock = Event(), Lock()
    finished: dict[int, Run] = {}
    episodes: dict[int, int] = {}
    n_episodes = protocol.episodes * len(protocol.seed_numbers)

    def rows(start: int) -> Floats:
        return np.full((ground.n_states - start, ground.width), float(protocol.q_initial))

    def one(seed: int) -> None:
        run = new_run(seed, protocol.episodes, protocol.epsilon, rows(0))
        for done in pieces(ground, protocol.episodes, protocol.steps):
            run = advance(kernels.train, ground, rule, run, done, rows, stop)
            if stop.is_set():
                return
            with lock:
                episodes[seed] = done
                try:
                    budget.tick(f"training seed {seed}", sum(episodes.values()) / n_episodes)
                except BaseException:
                    stop.set()  # at once, so that no other seed begins before the exception arrives
                    raise
        n_entries = ground.n_states * ground.width if tables else 0
        finished[seed] = run._replace(table=run.table[:n_entries].copy())

    _in_threads(one, protocol.seed_numbers, jobs, stop)
    seeds = tuple(seed for seed in protocol.seed_numbers if seed in finished)
    return Training(
        ground.arena(),
        protocol,
        seeds,
        np.array([finished[seed].means for seed in seeds]).reshape(len(seeds), protocol.episodes),
        tuple(finished_table(finished[seed], ground, rows) for seed in seeds) if tables else (),
    )


def _in_threads(one: Callable[[int], None], seeds: tuple[int, ...], jobs: int, stop: Event) -> None:
    """Run all seeds; an interruption is taken as "enough", any other exception goes through."""

    def stopping(seed: int) -> None:
        """One seed; what ends it ends the others at once, before a thread takes up the next."""
        try:
            one(seed)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(min(jobs, len(seeds))) as pool:
        waiting: set[Future[None]] = {pool.submit(stopping, seed) for seed in seeds}
        try:
            while waiting:
                # A wait without end is one that an interruption may not reach.
                done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        except BaseException as error:
            stop.set()
            pool.shutdown(cancel_futures=True)
            if not isinstance(error, KeyboardInterrupt):
                raise
