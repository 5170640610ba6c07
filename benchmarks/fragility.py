"""Every single new link of a segment of 40 hosts, and whether it costs the certificate; about 1,500 of them.

``python -m benchmarks.fragility 40 evict`` asks whether the attacker can still be got out: that takes longer
for each design. A third number is the seed of the random segments.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from benchmarks.families import chain, enterprise, scattered, star, subnets
from holdfast.budget import Budget
from holdfast.design.fragility import fragility
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration

HOSTS, SEED, SECONDS = 40, 7, 120.0
DENSITY = 1.5
"""Links from each host of a random segment, on average."""


def main(n_hosts: str = str(HOSTS), keep: str = "held", seed: str = str(SEED)) -> None:
    """Tell for each family how many links there are, how many break it, and how long that took."""
    n = int(n_hosts)
    families: dict[str, Callable[[int], Configuration]] = {
        family.__name__: family for family in (star, subnets, chain, enterprise)
    }
    for number in range(int(seed), int(seed) + 3):
        families[f"random {number}"] = partial(scattered, density=DENSITY / n, seed=number)
    for name, family in families.items():
        started = time.perf_counter()
        budget = Budget.lasting(SECONDS, jobs=2)
        try:
            found = fragility(family(n), keep, kinds=["link"], max_cost=1, budget=budget)
        except LimitError as error:  # it leaves open whether it has it at all
            print(f"{name:<11} {keep:<6} {error}")
            continue
        seconds = time.perf_counter() - started
        answer = f"{len(found.breakers):>5} break it" if found.holds else "lacks it"
        answer += f" ({found.unfinished})" if found.unfinished else ""
        n_links = found.kinds.get("link", 0)
        cost = f"{found.n_solved:>5} solved, {seconds:6.1f} s"
        print(f"{name:<11} {keep:<6} {n_links:>5} links, {answer}, {cost}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
