"""Steps per second of the environments, beside PettingZoo's connect four and NASim, all stepping at random
in one run.

``python -m benchmarks.environments`` prints a table; times are of the processor. Connect four needs pygame
(``pip install pygame``) and is left out without it; NASim comes with the development tools.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.families import chain
from holdfast import env
from holdfast.arena import play_kernels as kernels
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from holdfast.solver.solution import Solution

ROOT = Path(__file__).parent.parent
SECONDS = 3.0
"""Of processor time that each environment steps for, at least."""

MANY = 4096


def run(seconds: float = SECONDS) -> dict[str, float]:
    """Steps per second by name; a step of many games counts for each of them."""
    paper, larger = solve(load(ROOT / "scenarios" / "paper.yaml")), solve(chain(20))
    found = {
        "NASim tiny": rate(nasim("tiny"), seconds),
        "NASim small": rate(nasim("small"), seconds),
    }
    if find_spec("pygame") is not None:
        found["PettingZoo connect four"] = rate(connect_four(), seconds)
    for name, solution in (("paper", paper), ("20 hosts", larger)):
        found[f"AEC, {name}"] = rate(both_agents(solution), seconds)
        found[f"Gymnasium, {name}"] = rate(one_role(solution), seconds)
        found[f"Gymnasium vector, {name}"] = rate(vector(solution), seconds)
        found[f"many games, {name}"] = rate(many_games(solution), seconds)
    return found


def rate(work: Callable[[], int], seconds: float) -> float:
    """Steps per second of processor time, once everything is compiled."""
    work()
    started, steps = time.process_time(), 0
    while time.process_time() - started < seconds:
        steps += work()
    return steps / (time.process_time() - started)


def both_agents(solution: Solution) -> Callable[[], int]:
    """Our AEC environment by PettingZoo's loop."""
    return aec_loop(env.aec(solution, horizon=100))


def connect_four() -> Callable[[], int]:
    """PettingZoo's own, by the same loop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    return aec_loop(connect_four_v3.env())


def aec_loop(game: Any) -> Callable[[], int]:
    """One episode at random, by the loop of PettingZoo's manual."""
    rng = np.random.default_rng(1)

    def work() -> int:
        game.reset(seed=int(rng.integers(1 << 30)))
        n = 0
        for _ in game.agent_iter():
            seen, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                game.step(None)
            else:
                game.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
                n += 1
        return n

    return work


def one_role(solution: Solution) -> Callable[[], int]:
    """Our single-role view against a random attacker; a step is two moves."""
    game, rng = env.gym(solution, opponent="random", horizon=200), np.random.default_rng(1)

    def work() -> int:
        game.reset(seed=int(rng.integers(1 << 30)))
        n, over = 0, False
        while not over:
            *_, terminated, truncated, _ = game.step(int(rng.choice(np.flatnonzero(game.action_masks()))))
            n, over = n + 1, terminated or truncated
        return n

    return work


def vector(solution: Solution, n: int = MANY) -> Callable[[], int]:
    """Our Gymnasium vector environment against random attackers; a step is two moves in every game."""
    games, rng = env.vector(solution, n, opponent="random"), np.random.default_rng(1)
    games.reset(seed=1)
    actions = np.zeros(n, dtype=np.int32)

    def work() -> int:
        kernels.drawn(games.games.mask, games.games.counts, rng.random(n), actions)
        games.step(actions)
        return n

    return work


def many_games(solution: Solution, n: int = MANY) -> Callable[[], int]:
    """Our compiled form: a move of whoever is to move in every game."""
    games, rng = env.games(solution, n, seed=1), np.random.default_rng(1)
    actions = np.zeros(n, dtype=np.int32)

    def work() -> int:
        kernels.drawn(games.mask, games.counts, rng.random(n), actions)
        over = games.step(actions).over
        if over.any():
            games.begin(over)
        return n

    return work


def nasim(name: str) -> Callable[[], int]:
    """A benchmark scenario of NASim, a hundred steps at a time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import nasim as library

        game = library.make_benchmark(name, seed=1)
    game.reset(seed=1)
    rng = np.random.default_rng(1)
    n_actions = int(game.action_space.n)

    def work() -> int:
        for _ in range(100):
            *_, done, truncated, _ = game.step(int(rng.integers(n_actions)))
            if done or truncated:
                game.reset()
        return 100

    return work


def main() -> None:
    """Print the table."""
    found = run()
    least = min(found["NASim tiny"], found["NASim small"])
    most = max(found["NASim tiny"], found["NASim small"])
    table = Table("environment", "steps a second", "times NASim")
    for name, speed in found.items():
        table.add_row(name, f"{speed:,.0f}", f"{speed / most:,.1f} to {speed / least:,.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
