"""Effort, tempo and grace beside the certificate alone: what the response profile of a solved game costs.

Families of networks at 20, 40 and 100 hosts, with the hosts in the declared order and in four others, since
the order in which a file lists them is a matter of chance. Times are of the processor, and read as ratios.
``python -m benchmarks.response 20 40`` takes other sizes; ``layers`` counts every layer besides.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace
from typing import Any

from benchmarks.families import FAMILIES
from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration, configure
from holdfast.models.network.game import network_game
from holdfast.solver.engines import solve
from holdfast.solver.response import response_counts, response_profile

SIZES = (20, 40, 100)
ORDERS = 5
LIMIT = 300.0


def enterprise(n: int) -> Configuration:
    """A perimeter, departments of eight behind it, servers, and the database with its backup behind those."""
    desks = [f"d{i}" for i in range(n - 6)]
    hosts = ["GW", "Mail", "App", "Files", *desks, "DB", "BK"]
    links = [("GW", "Mail"), ("GW", "App"), ("Mail", "Files"), ("App", "DB"), ("Files", "DB"), ("DB", "BK")]
    for i in range(0, len(desks), 8):
        own = desks[i : i + 8]
        links += [("Mail", own[0]), (own[0], "Files"), *((own[0], other) for other in own[1:])]
    both = "G !(DB in {X, D, Z} & BK in {X, D, Z})"
    game = network_game(hosts, links, "GW")
    return configure(game, [both, f"G (active >= {n - 3})"], ["G (times(destroy) <= 2)"])


def reordered(configuration: Configuration, seed: int) -> Configuration:
    """The network with its hosts listed in another order; as it is for seed 0."""
    if not seed:
        return configuration
    game = configuration.game
    order = list(range(len(game.variables)))
    random.Random(seed).shuffle(order)
    listed = replace(
        game,
        variables=tuple(game.variables[i] for i in order),
        initial=tuple(game.initial[i] for i in order),
    )
    return configure(listed, configuration.requirement, configuration.boundary)


def measured(family: str, n: int, seed: int, layers: bool) -> dict[str, Any]:
    """One network: the certificate, then the profile, then every layer; what a limit stopped is None."""
    make = {**FAMILIES, "enterprise": enterprise}[family]
    configuration = reordered(make(n), seed)
    row: dict[str, Any] = {"family": family, "hosts": n, "order": seed}
    started = time.process_time()
    solution = solve(configuration)
    row["certificate_seconds"] = time.process_time() - started
    asked = {"profile": response_profile, **({"layers": response_counts} if layers else {})}
    for name, ask in asked.items():
        started = time.process_time()
        try:
            found = ask(solution, Budget.lasting(LIMIT))
            row[f"{name}_seconds"] = time.process_time() - started
            row[name] = str(found)
        except LimitError:
            row[f"{name}_seconds"] = None
    return row


def run(sizes: tuple[int, ...] = SIZES, layers: bool = False) -> list[dict[str, Any]]:
    """Every family, size and order; a line on the terminal for each."""
    rows = []
    for n in sizes:
        for family in ("chain", "subnets", "enterprise"):
            for seed in range(ORDERS):
                row = measured(family, n, seed, layers)
                rows.append(row)
                took, certificate = row["profile_seconds"], row["certificate_seconds"]
                times = "stopped" if took is None else f"{took:.2f} s, {took / certificate:.1f} times"
                print(
                    f"{family} {n} order {seed}: certificate {certificate:.2f} s, response {times}",
                    flush=True,
                )
    return rows


if __name__ == "__main__":
    given = tuple(int(word) for word in sys.argv[1:] if word.isdecimal())
    run(given or SIZES, "layers" in sys.argv[1:])
