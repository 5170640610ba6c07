"""The adaptive layer: seconds a run, beside a plain-Python transcription, and where the time goes.

The shares are measured by replaying one run's own moves, updates included, with the random numbers left out,
and with the scans of the tables left out; what each saves is its share.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from benchmarks.families import chain
from benchmarks.timing import fastest
from holdfast.arena.form import ShieldedArena
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.game.protocol import Protocol
from holdfast.operation.training import training_kernels as kernels
from holdfast.operation.training.minimax_q import Training, new_run, rule_of, train
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from holdfast.solver.solution import Solution

ROOT = Path(__file__).parent.parent
VARIANTS = (None, "fully-connected", "unlimited-destroys", "two-active", "no-bypass")
TWIN = Protocol(episodes=20, window=1, seeds=1)


def run() -> dict[str, Any]:
    """Everything as one dict; about half a minute on two cores."""
    started = time.perf_counter()
    arenas = [shielded_arena(solve(load(ROOT / "scenarios" / "paper.yaml", v))) for v in VARIANTS]
    found: dict[str, Any] = {"arenas_seconds": time.perf_counter() - started}
    started = time.perf_counter()
    train(arenas[0], TWIN)
    found["first_call_seconds"] = time.perf_counter() - started
    protocol = Protocol(seeds=1)
    n_moves = protocol.episodes * protocol.steps
    found["run_seconds"] = fastest(lambda: train(arenas[0], protocol, budget=Budget(jobs=1)))
    found["moves_per_second"] = n_moves / found["run_seconds"]
    found["twin_seconds"] = twin_seconds() * n_moves / (TWIN.episodes * TWIN.steps)
    found["ratio"] = found["twin_seconds"] / found["run_seconds"]
    found["shares"] = shares(arenas[0], protocol)
    started = time.perf_counter()
    for arena in arenas:
        train(arena, Protocol(), budget=Budget(jobs=2))
    found["five_cases_ten_seeds_seconds"] = time.perf_counter() - started
    found["twelve_hosts"] = twelve_hosts()
    found["fifteen_hosts"] = fifteen_hosts()
    return found


def twin_seconds() -> float:
    """A short run of the transcription in the tests, its positions already met."""
    sys.path.insert(0, str(ROOT / "tests" / "oracles"))
    from reference_learning import ShieldPlay, learn

    play = ShieldPlay(solve(load(ROOT / "scenarios" / "paper.yaml"), "explicit"))
    learn(play, TWIN, 1, 0.1)
    return fastest(lambda: learn(play, TWIN, 1, 0.1))


def twelve_hosts() -> dict[str, Any]:
    """A segment too large to enumerate, met on the way."""
    solution = solve(chain(12))
    protocol = Protocol(episodes=50, window=10, seeds=1)
    started = time.perf_counter()
    training = train(solution, protocol)
    return {
        "seconds": time.perf_counter() - started,
        "moves": protocol.episodes * protocol.steps,
        "positions_met": training.arena.n_positions,
        "states_met": training.arena.n_states,
    }


def fifteen_hosts(episodes: int = 3000) -> dict[str, Any]:
    """A run on a chain of 15 hosts, discovered."""
    solution = solve(chain(15))
    whole = Protocol(episodes=episodes, window=min(200, episodes), seeds=1)
    train(solution, TWIN)
    seconds, training = _trained(solution, whole)
    return {
        "seconds": seconds,
        "moves": whole.episodes * whole.steps,
        "positions_met": training.arena.n_positions,
        "seconds_for_10,000_positions": seconds / training.arena.n_positions * 10_000,
    }


def _trained(solution: Solution, protocol: Protocol) -> tuple[float, Training]:
    """Seconds of processor time, and the training."""
    started = time.process_time()
    training = train(solution, protocol, budget=Budget(jobs=1), tables=False)
    return time.process_time() - started, training


# -- shares -----------------------------------------------------------------------------------------


def shares(arena: ShieldedArena, protocol: Protocol) -> dict[str, float]:
    """Fractions of a run's time: random numbers, table look-ups, the rest."""
    rule = rule_of(protocol, arena.initial, 0.1)

    def fresh() -> kernels.Run:
        return new_run(1, protocol, arena)

    moves = np.zeros((protocol.episodes, protocol.steps), dtype=np.int32)
    unknown = arena.view._replace(successor=np.full_like(arena.view.successor, -1))
    learned = fresh()
    n_made = _trace(unknown, arena.view.successor, rule, learned, protocol.episodes, moves)
    assert n_made == moves.size
    source = np.repeat(np.arange(arena.n_positions), np.diff(arena.first))

    def replay(drawing: bool, scanning: bool) -> float:
        return fastest(lambda: _replay(arena.view, rule, fresh(), source, moves, drawing, scanning))

    replay(False, False)
    whole = replay(True, True)
    random_numbers = 1 - replay(False, True) / whole
    look_ups = 1 - replay(True, False) / whole
    return {
        "random_numbers": random_numbers,
        "table_look_ups": look_ups,
        "rest": 1 - random_numbers - look_ups,
    }


@njit(nogil=True)
def _trace(view, successor, rule, run, stop, moves):  # type: ignore[no-untyped-def]
    """The moves of a run, by letting the kernel stop at every one."""
    flat = moves.reshape(-1)
    last, n = -1, 0
    while True:
        move = kernels.train(view, None, rule, run, stop)
        if last >= 0:
            view.successor[last] = -1
        if move == kernels.FINISHED:
            break
        flat[n] = move
        n += 1
        view.successor[move] = successor[move]
        last = move
    return n


@njit(nogil=True)
def _replay(view, rule, run, source, moves, drawing, scanning):  # type: ignore[no-untyped-def]
    """A run whose moves are known, with or without its random numbers and its scans."""
    epsilon, total = run.levels[kernels.EPSILON], 0.0
    for episode in range(moves.shape[0]):
        v = rule.initial
        for move in moves[episode]:
            if drawing:
                if view.reset[v] >= 0:
                    total += kernels.uniform(run.words)
                v = source[move]
                if kernels.uniform(run.words) < epsilon:
                    total += kernels.below(view.first[v + 1] - view.first[v], run.words)
            v = view.successor[move]
            q = value = run.table[view.entry[move]]
            if scanning:
                _, value = kernels.best_move(view, run.table, v)
            run.table[view.entry[move]] = q + rule.alpha * (view.gain[v] + rule.gamma * (-value) - q)
            total += view.mu[v]
        epsilon = max(epsilon - rule.decay, rule.epsilon_min)
    return total


if __name__ == "__main__":
    import json

    print(json.dumps(run(), indent=1))
