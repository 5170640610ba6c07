"""Sight: how far the search for a defense reaches that uses only what is seen.

Networks of several families, blind and with every second host watched, with detection before isolation. For
each the certificate with sight, then the verdict with what is seen: processor seconds, beliefs looked at, and
how many states the controller has. ``python -m benchmarks.sight 8 12 20`` takes other sizes.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from holdfast.budget import Budget, Watch
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration, configure
from holdfast.game.sight import with_sensors
from holdfast.models.network.game import network_system
from holdfast.solver.beliefs import solve_beliefs
from holdfast.solver.engines import solve

SIZES = (8, 12, 16, 20, 30)
SEEDS = (11, 12, 13, 14)
LIMIT = 60.0
"""Processor seconds for one verdict with what is seen."""

Links = list[tuple[str, str]]


def chain(hosts: list[str], rng: random.Random) -> Links:
    """One behind the other."""
    return list(itertools.pairwise(hosts))


def enterprise(hosts: list[str], rng: random.Random) -> Links:
    """Departments behind a gateway, each with a server, and a few ways across."""
    departments = [hosts[1 + i :: 3] for i in range(3)]
    links = [(hosts[0], of[0]) for of in departments]
    for of in departments:
        links += [pair for host in of[1:] for pair in ((of[0], host), (host, of[0]))]
    return links + [(departments[i][-1], departments[i + 1][0]) for i in range(2)]


def scattered(hosts: list[str], rng: random.Random) -> Links:
    """Random links, one and a half for each host."""
    return [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 1.6 / len(hosts)]


FAMILIES: dict[str, Callable[[list[str], random.Random], Links]] = {
    "chain": chain,
    "enterprise": enterprise,
    "random": scattered,
}


def network(family: str, n: int, seed: int) -> Configuration:
    """A network of a family: its last host must not be destroyed, and not too many be out of service.

    With even seeds there are two copies besides, in reach of the entry, of which one must be left and one in
    service: what is seen decides.
    """
    rng = random.Random(seed)
    copies = ["a", "b"] if seed % 2 == 0 else []
    own = [f"h{i}" for i in range(n - len(copies))]
    links = FAMILIES[family](own, rng) + [(own[0], copy) for copy in copies]
    hosts = rng.sample([*own, *copies], n)
    system = network_system(hosts, links, own[0], isolate_detected=True)
    required = [f"G ({own[-1]} != Z)", f"G (active >= {n - 3})"]
    if copies:
        required += ["G (a in {C, I} | b in {C, I})", "G (a != I | b != I)"]
    return configure(system, required, ["G (times(destroy) <= 2)"], name=f"{family} {n}")


def measured(family: str, n: int, seed: int) -> list[dict[str, Any]]:
    """One network: with sight, blind, and half watched."""
    configuration = network(family, n, seed)
    started = time.process_time()
    solution = solve(configuration, "symbolic")
    certificate = time.process_time() - started
    rows = []
    for watched in (0, 2):
        sight = configuration.system.sight
        assert sight is not None
        placed = list(sight.sensors)[::watched] if watched else []
        row = {
            "family": family,
            "hosts": n,
            "seed": seed,
            "sensors": len(placed),
            "sight": solution.defensible,
        }
        row |= {"certificate": certificate, "seen": None, "seconds": None}
        began = time.process_time()
        try:
            found = solve_beliefs(solution, with_sensors(sight, placed), Budget(watch=_until(began + LIMIT)))
            row |= {"seen": found.defensible, "seconds": time.process_time() - began}
            row |= {"beliefs": found.n_beliefs, "stances": len(found.stances)}
        except LimitError:
            pass
        rows.append(row)
    return rows


def _until(end: float) -> Watch:
    """Somebody who ends the work at a time on the clock of the processor."""

    def watch(doing: str, done: float | None) -> None:
        if time.process_time() > end:
            raise LimitError(f"stopped after {LIMIT:g} s of processor")

    return watch


def run(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """Every family, size and seed; one line each."""
    rows = []
    for family in FAMILIES:
        for n in sizes:
            for seed in SEEDS:
                for row in measured(family, n, seed):
                    rows.append(row)
                    print("  ".join(_shown(key, value) for key, value in row.items()), flush=True)
    return rows


def _shown(key: str, value: Any) -> str:
    return f"{key} {value:.2f}" if isinstance(value, float) else f"{key} {value}"


if __name__ == "__main__":
    run(tuple(map(int, sys.argv[1:])) or SIZES)
