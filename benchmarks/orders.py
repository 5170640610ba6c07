"""Does the certificate depend on the order in which hosts are declared?

Every family and ten real topologies, declared in five random orders: the processor time of the certificate
against the best known order, which is the quickest of all runs of that game: those five, the order in which
the family is written down, and each candidate of that one on its own. A candidate is given up at four times
the best so far.

``python -m benchmarks.orders [HOSTS [FAMILY …]]``; 40 hosts and everything if nothing is said.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from benchmarks.families import FAMILIES, REAL, topology
from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration, configure
from holdfast.solver import symbolic
from holdfast.solver.engines import solve
from holdfast.solver.ordering import Order, variable_orders

N_PERMUTATIONS, GIVEN_UP, HOSTS = 5, 4.0, 40


def permuted(configuration: Configuration, seed: int) -> Configuration:
    """The game with its variables and actions declared in another order."""
    rng, game = random.Random(seed), configuration.game
    places = rng.sample(range(len(game.variables)), len(game.variables))
    shuffled = replace(
        game,
        variables=tuple(game.variables[i] for i in places),
        initial=tuple(game.initial[i] for i in places),
        actions={p: tuple(rng.sample(own, len(own))) for p, own in game.actions.items()},
    )
    return configure(shuffled, configuration.requirement, configuration.boundary)


def seconds(configuration: Configuration, at_most: float = float("inf")) -> tuple[float, tuple[int, ...]]:
    """Processor time of one certificate, infinite past the limit, and its shells."""
    started = time.process_time()

    def watch(doing: str, done: float | None) -> None:
        if time.process_time() - started > at_most:
            raise LimitError("given up")

    try:
        shells = solve(configuration, "symbolic", Budget(watch=watch)).shells
    except LimitError:
        return float("inf"), ()
    return time.process_time() - started, shells


def only(order: Order) -> Callable[..., Iterator[Order]]:
    """In place of the candidates: this order alone."""
    return lambda *_: iter([order])


def measured(name: str, configuration: Configuration) -> dict[str, Any]:
    """One game in all its permutations."""
    declared, shells = seconds(configuration)
    times = []
    for seed in range(1, N_PERMUTATIONS + 1):
        took, found = seconds(permuted(configuration, seed))
        assert found == shells, "shells do not depend on the order of the hosts"
        times.append(took)
    best = min(declared, *times)
    for order in variable_orders(configuration.game, (*configuration.defender, *configuration.adversary)):
        with patch.object(symbolic, "variable_orders", only(order)):
            best = min(best, seconds(configuration, GIVEN_UP * best)[0])
    worst = max(times)
    return {
        "name": name,
        "hosts": len(configuration.game.variables),
        "best_seconds": best,
        "declared_seconds": declared,
        "permuted_seconds": times,
        "ratio": worst / best,
        "ratio_past_a_second": max(0.0, worst - 1) / best,
    }


def run(hosts: int = HOSTS, names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """All games, or some families, one line each as they are done."""
    games: dict[str, Callable[[], Configuration]] = {
        family: lambda build=build: build(hosts) for family, build in FAMILIES.items()
    }
    games |= {name: lambda name=name: topology(name) for name in REAL}
    rows = []
    for name in names or games:
        row = measured(name, games[name]())
        rows.append(row)
        print(
            f"  {name}, {row['hosts']} hosts: best {row['best_seconds']:.2f} s, permutations "
            + " ".join(f"{took:.2f}" for took in row["permuted_seconds"])
            + f", worst {row['ratio']:.2f} times, {row['ratio_past_a_second']:.2f} past a second",
            flush=True,
        )
    return rows


if __name__ == "__main__":
    found = run(*map(int, sys.argv[1:2]), names=tuple(sys.argv[2:]))
    print(f"worst ratio {max(row['ratio'] for row in found):.2f}")
