"""A search over 200 changed designs with one process and with two, the same answers, in one run.

A chain of hosts with as many links again drawn at random, which holds, and 200 sets of cuts: the certificate,
SLT, effort, tempo, grace and DDR* of each, as ``recommend`` reads them. Two ratios are told: of the clock on
the wall, and of the processor, one process beside the busier of two. The second is what a quiet machine would
show; starting the processes is in the first only. ``python -m benchmarks.search 40`` takes fewer.
"""

from __future__ import annotations

import os
import random
import sys
import time
from itertools import pairwise
from typing import Any

from holdfast.budget import Budget
from holdfast.design.recommend.changed_designs import read_changed
from holdfast.design.recommend.space import design_space
from holdfast.readings.results import plain_of
from holdfast.running.tasks import Backend, run_tasks, whole
from holdfast.scenario.reading import scenario_from_text

CANDIDATES = 200
HOSTS = 6


def text(n_candidates: int) -> str:
    """A scenario with so many changes to choose from: every cut, and pairs of cuts under names."""
    rng, hosts = random.Random(1), [f"h{i}" for i in range(HOSTS)]
    links = dict.fromkeys(pairwise(hosts))
    while len(links) < 2 * HOSTS:
        a, b = sorted(rng.sample(range(HOSTS), 2))
        links[hosts[a], hosts[b]] = None
    names = [" -> ".join(link) for link in links]
    pairs = [(one, other) for i, one in enumerate(names) for other in names[:i]]
    triples = [(*pair, third) for pair in pairs for third in names if third not in pair]
    sets = [*((name,) for name in names), *pairs, *triples][:n_candidates]
    cuts = [", ".join(cut) for cut in sets]
    changes = "".join(
        f"    - {{name: 'cut {cut}', variant: {{network: {{remove_links: [{cut}]}}}}}}\n" for cut in cuts
    )
    return f"""
holdfast: 1
network: {{hosts: [{", ".join(hosts)}], links: [{", ".join(names)}], entry: h0}}
specs:
  defender: ["G !(h{HOSTS - 1} in {{X, D, Z}} & h{HOSTS - 2} in {{X, D, Z}})", "G (active >= {HOSTS - 2})"]
  adversary: ["G (times(destroy) <= 2)"]
learning: {{steps: 100}}
design:
  changes:
{changes}"""


def timed(task: Any, budget: Budget) -> tuple[int, float, Any]:
    """One design read: by which process, in how many seconds of the processor, and what came of it."""
    started = time.process_time()
    read = read_changed(task, budget)
    assert read is not None
    found = plain_of(read)
    point = {key: value for key, value in found["ddr_exact"].items() if key != "seconds"}
    others = [found[key] for key in ("winning", "shells", "slt", "response")]
    return os.getpid(), time.process_time() - started, [*others, point]


def run(n_candidates: int = CANDIDATES) -> dict[str, float]:
    """How many times faster two processes are than one."""
    space = design_space(scenario_from_text(text(n_candidates)))
    tasks = {change.name: (space, frozenset({i}), None, "auto") for i, change in enumerate(space.changes)}
    found: dict[str, float] = {"candidates": len(tasks)}
    told: dict[int, dict[str, Any]] = {}
    for jobs in (1, 2):
        started = time.perf_counter()
        told[jobs] = whole(run_tasks(timed, tasks, Budget(jobs=jobs), Backend(patience=0.0)))
        found[f"wall_{jobs}"] = time.perf_counter() - started
        spent: dict[int, float] = {}
        for process, seconds, _ in told[jobs].values():
            spent[process] = spent.get(process, 0.0) + seconds
        found[f"cpu_{jobs}"] = max(spent.values())
    assert all(told[1][key][2] == told[2][key][2] for key in tasks), "two processes gave other answers"
    ratios = {f"{clock}_ratio": found[f"{clock}_1"] / found[f"{clock}_2"] for clock in ("wall", "cpu")}
    return found | ratios


if __name__ == "__main__":
    result = run(*map(int, sys.argv[1:2]))
    print(", ".join(f"{key} {value:.3g}" for key, value in result.items()))
