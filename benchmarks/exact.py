"""The exact operating point: the reference in milliseconds, large arenas against the machine's bandwidth.

The large arena is drawn at random: every position has a few distinct successors anywhere on the other side,
each reached by a few actions. A real arena of its size has neighbours near each other and is kinder to
caches. A few moves are timed and extrapolated; a sweep does the same work whatever it finds.

The quotient is measured beside the whole arena, in processor time, which other work on the machine changes
least; ``python -m benchmarks.exact quotient`` does this alone.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.families import chain, mesh
from benchmarks.timing import fastest
from holdfast.arena.bellman import merged_arena
from holdfast.arena.form import ShieldedArena
from holdfast.arena.quotient.lean_arena import lean_arena
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.game.configuration import Configuration, configure
from holdfast.game.protocol import Protocol
from holdfast.models.network.game import network_game
from holdfast.operation.dominance import exact_dominance, exploitability
from holdfast.operation.mean_payoff import long_run
from holdfast.operation.point import operating_point
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve

ROOT = Path(__file__).parent.parent
N_POSITIONS, N_SUCCESSORS, N_ALIKE = 1_000_000, 5, 5
STEPS, TIMED = 1000, 100
COPIED = 1 << 28


def run(n_positions: int = N_POSITIONS) -> dict[str, Any]:
    """Everything as one dict; about half a minute on two cores."""
    reference = shielded_arena(solve(load(ROOT / "scenarios" / "paper.yaml")))
    started = time.perf_counter()
    exact_dominance(reference)
    found: dict[str, Any] = {"first_call_seconds": time.perf_counter() - started}
    first_safe = np.append(reference.action, -1)[reference.first[:-1]]
    found["reference"] = {
        "positions": reference.n_positions,
        "both_values_milliseconds": 1e3 * fastest(lambda: exact_dominance(reference)),
        "value_milliseconds": 1e3 * fastest(lambda: exact_dominance(reference, epsilon=0)),
        "exploitability_milliseconds": 1e3 * fastest(lambda: exploitability(reference, first_safe)),
        "long_run_milliseconds": 1e3 * fastest(lambda: long_run(reference)),
    }
    found["copy_bytes_per_second"] = bandwidth()
    found["segment_of_7_hosts"] = measured(shielded_arena(solve(chain(7), "explicit")), found)
    found["quotient"] = quotients()
    found["random_arena"] = measured(scattered_arena(reference, n_positions), found)
    return found


def quotients() -> dict[str, Any]:
    """DDR*, tremble and long run: on the whole arena, and on the quotient; then the quotient alone."""
    paper = ROOT / "scenarios" / "paper.yaml"
    both = {"the paper's reference": load(paper), "the paper's case 4": load(paper, "two-active")}
    both |= {"chain of 6": chain(6), "mesh of 6": mesh(6), "star of 6": star(6), "chain of 7": chain(7)}
    alone = {
        f"{name} of {n}": family(n)
        for n in (8, 10, 12)
        for name, family in (("chain", chain), ("star", star))
    }
    operating_point(solve(chain(4)))  # so that nothing is compiled below
    long_run(shielded_arena(solve(chain(4))))
    found: dict[str, Any] = {}
    for name, configuration in both.items():
        solution = solve(configuration)
        started = time.process_time()
        arena = shielded_arena(solution)
        whole, run = exact_dominance(arena), long_run(arena)
        before = time.process_time() - started
        found[name] = on_quotient(configuration)
        point = found[name].pop("point")
        assert abs(point.value - whole.value) <= 1e-12 and abs(point.tremble - whole.tremble) <= 1e-12
        assert abs(point.long_run.low - run.low) <= 1e-12
        found[name] |= {"whole_positions": arena.n_positions, "ratio": before / found[name]["seconds"]}
    for name, configuration in alone.items():
        found[name] = on_quotient(configuration)
        found[name]["point"] = found[name]["point"].value
    return found


def on_quotient(configuration: Configuration) -> dict[str, Any]:
    """The operating point, the positions that were told apart, and processor time."""
    solution = solve(configuration)
    started = time.process_time()
    point = operating_point(solution)
    seconds = time.process_time() - started
    started = time.process_time()
    n_positions = lean_arena(solution).n_positions
    listed = time.process_time() - started
    return {"point": point, "positions": n_positions, "seconds": seconds, "listing_seconds": listed}


def star(n: int) -> Configuration:
    """Workstations that are all alike between a web server and a database."""
    stations = [f"ws{i}" for i in range(n - 4)]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK")]
    links += [link for station in stations for link in (("Web", station), (station, "DB"))]
    game = network_game(["GW", "Web", *stations, "DB", "BK"], links, "GW")
    both = "G !(DB in {X, D, Z} & BK in {X, D, Z})"
    return configure(game, [both, f"G (active >= {n - 3})"], ["G (times(destroy) <= 2)"])


def bandwidth() -> float:
    """Bytes read and written a second by one core that copies a large array."""
    source, target = np.ones(COPIED, np.uint8), np.zeros(COPIED, np.uint8)
    return 2 * COPIED / fastest(lambda: np.copyto(target, source))


def scattered_arena(like: ShieldedArena, n: int) -> ShieldedArena:
    """A random arena of n positions, half of them each player's, with one reset in a thousand."""
    rng = np.random.default_rng(1)
    half, n_states, n_moves = n // 2, 1000, N_SUCCESSORS * N_ALIKE
    mover = (np.arange(n) >= half).astype(np.int8)
    reached = rng.integers(0, half, (n, N_SUCCESSORS), dtype=np.int32)
    reached += np.where(mover == 0, half, 0).astype(np.int32)[:, None]
    reset = np.full(n, -1, dtype=np.int32)
    reset[::1000] = np.where(mover[::1000] == 0, 1, half + 1)
    mu = rng.integers(0, 6, n_states) / 5
    return replace(
        like,
        initial=half,
        mover=mover,
        state=rng.integers(0, n_states, n, dtype=np.int32),
        block=np.zeros(n, dtype=np.int32),
        first=np.arange(n + 1, dtype=np.int64) * n_moves,
        action=np.tile(np.arange(n_moves, dtype=np.int32), n),
        successor=np.tile(reached, (1, N_ALIKE)).reshape(-1),
        reset=reset,
        codes=np.zeros((n_states, like.codes.shape[1]), dtype=np.int32),
        mu=mu,
        reward=2 * mu - 1,
    )


def measured(arena: ShieldedArena, machine: dict[str, Any]) -> dict[str, Any]:
    """Seconds for an episode of 1,000 moves, on one thread and on all, and the memory traffic it implies."""
    protocol = Protocol(steps=TIMED)
    started = time.perf_counter()
    n_distinct = len(merged_arena(arena, resets=True).successor)
    laid_out = time.perf_counter() - started

    def seconds(epsilon: float, jobs: int | None) -> float:
        started = time.perf_counter()
        exact_dominance(arena, protocol, epsilon=epsilon, budget=Budget(jobs=jobs))
        # With ε both values are computed, and each call merges the moves again.
        return max(time.perf_counter() - started - laid_out, 0.0) * STEPS / TIMED

    # A move visits the positions of one side: half of all.
    n_bytes = STEPS * (n_distinct * (4 + 8) + arena.n_positions * (8 + 1 + 8 + 8)) / 2
    alone, shared = seconds(0.0, 1), seconds(0.0, None)
    return {
        "positions": arena.n_positions,
        "safe_moves": arena.n_moves,
        "distinct_moves": n_distinct,
        "layout_seconds": laid_out,
        "episode_seconds_one_thread": alone,
        "episode_seconds": shared,
        "both_values_seconds": seconds(0.1, None),
        "traffic_bytes": n_bytes,
        "traffic_seconds_at_copy_speed": n_bytes / machine["copy_bytes_per_second"],
        "share_of_copy_speed": n_bytes / shared / machine["copy_bytes_per_second"],
    }


if __name__ == "__main__":
    alone = "quotient" in sys.argv[1:]
    print(json.dumps(quotients() if alone else run(*map(int, sys.argv[1:])), indent=1))
