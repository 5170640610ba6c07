"""Recovery beside the certificate alone: what it costs to know whether the attacker can be got out.

Families of networks at 20, 40 and 100 hosts, with the hosts in the declared order and in four others; with a
slack of three hosts, where the attacker can mostly be evicted, and of two, where in half of them it can stay.
Times are of the processor, and read as ratios. ``python -m benchmarks.recovery 20 40`` takes other sizes;
``python -m benchmarks.recovery library`` sets time to evict beside DDR* for the networks of the library.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.families import FAMILIES
from benchmarks.orders import permuted
from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration
from holdfast.solver.engines import solve
from holdfast.solver.recovery import recovery_layers

SIZES = (20, 40, 100)
ORDERS = 5
LIMIT = 120.0
NAMES = ("chain", "subnets", "enterprise", "star")


def in_order(family: str, n: int, slack: int, seed: int) -> Configuration:
    """A network of a family with its hosts listed in some order; as it is written for seed 0."""
    from dataclasses import replace

    configuration = FAMILIES[family](n, slack)
    if not seed:
        return configuration
    return replace(permuted(configuration, seed), recovery=configuration.goals)


def measured(family: str, n: int, slack: int, seed: int) -> dict[str, Any]:
    """One network: the certificate, then time to evict and to recover, then effort and again and again."""
    configuration = in_order(family, n, slack, seed)
    started = time.process_time()
    solution = solve(configuration, "symbolic")
    row: dict[str, Any] = {"family": family, "hosts": n, "slack": slack, "order": seed}
    row["certificate"] = time.process_time() - started
    for goal in ("evicted", "recovered") if solution.defensible else ():
        began = time.process_time()

        def watch(doing: str, done: float | None, began: float = began) -> None:
            if time.process_time() - began > LIMIT:
                raise LimitError("given up")

        budget, layers = Budget(watch=watch), recovery_layers(solution, goal)
        try:
            row[goal] = layers.proof(configuration.initial, budget).moves
            row[f"{goal} s"] = time.process_time() - began
            if row[goal] != "never":
                layers.effort(configuration.initial, budget)
                layers.is_again(configuration.initial, budget)
                row[f"{goal} all s"] = time.process_time() - began
        except LimitError:
            row[goal] = None
    return row


def run(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """Every family, size, slack and order; one line each."""
    rows = []
    for n in sizes:
        for family in NAMES:
            for slack in (3, 2):
                for seed in range(ORDERS if n < 100 else 1):
                    rows.append(measured(family, n, slack, seed))
                    print(rows[-1], flush=True)
    return rows


def library(seconds: float = 60.0) -> None:
    """Each held network of the library by time to evict and DDR*, and how well readings go with it.

    Where nobody is inside at the start, 0 says that the attacker can be got out whenever he gets in. The
    networks of the paper count once.
    """
    from holdfast.apps.reproduce.corpus import correlation
    from holdfast.readings.analysis import analyse
    from holdfast.readings.table import reading_of
    from holdfast.scenario.reading import BASE, configuration, read_scenario

    keys = ("evict", "effort", "tempo", "grace", "slt", "win")
    columns: dict[str, list[float]] = {key: [] for key in (*keys, "ddr*")}
    for file in sorted(Path("scenarios").glob("*.yaml")):
        scenario = read_scenario(file)
        for name in (BASE, *scenario.variants):
            one = configuration(scenario, name)
            if "evicted" not in one.goals or file.stem == "paper-formulas":
                continue
            read = analyse(one, exact=True, budget=Budget.lasting(seconds))
            if read.defensible and read.ddr_exact is not None and read.ddr_exact.value is not None:
                values = {key: reading_of(key).read(read) for key in keys} | {"ddr*": read.ddr_exact.value}
                print(f"{file.stem} {name}", values, flush=True)
                for key, value in values.items():
                    columns[key].append(float(value))
    for key in keys:
        print(key, correlation(columns[key], columns["ddr*"]))


if __name__ == "__main__":
    if sys.argv[1:] == ["library"]:
        library()
    else:
        run(tuple(map(int, sys.argv[1:])) or SIZES)
