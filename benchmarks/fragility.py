"""Every single addition to a segment of 40 hosts, and whether it costs the certificate; about 1,500 links.

``python -m benchmarks.fragility 40 evict`` asks whether the attacker can still be got out: that takes longer
for each design. A third word is the kind of additions, or ``all``; a fourth the seed of the random segments.
Times are of one processor: 240 s are two minutes on two cores.
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

HOSTS, SEED, SECONDS = 40, 7, 240.0
DENSITY = 1.5
"""Links from each host of a random segment, on average."""


def main(n_hosts: str = str(HOSTS), keep: str = "held", kind: str = "link", seed: str = str(SEED)) -> None:
    """Tell for each family how many additions there are, how many break it, and how long that took."""
    n = int(n_hosts)
    families: dict[str, Callable[[int], Configuration]] = {
        family.__name__: family for family in (star, subnets, chain, enterprise)
    }
    for number in range(int(seed), int(seed) + 3):
        families[f"random {number}"] = partial(scattered, density=DENSITY / n, seed=number)
    for name, family in families.items():
        started = time.process_time()

        def watch(doing: str, done: float | None, started: float = started) -> None:
            if time.process_time() - started > SECONDS:
                raise LimitError(f"stopped after {SECONDS:.0f} s")

        budget, kinds = Budget(jobs=1, watch=watch), () if kind == "all" else (kind,)
        try:
            answer = fragility(family(n), keep, kinds=kinds, max_cost=1, budget=budget)
        except LimitError as error:  # it leaves open whether it has it at all
            print(f"{name:<11} {keep:<6} {error}")
            continue
        seconds = time.process_time() - started
        broken = f"{len(answer.breakers):>5} break it" if answer.holds else "lacks it"
        broken += f" ({answer.unfinished}, {len(answer.undecided)} open)" if answer.unfinished else ""
        cost = f"{answer.n_solved:>5} solved, {seconds:6.1f} s"
        print(f"{name:<11} {keep:<6} {sum(answer.kinds.values()):>5} {kind}, {broken}, {cost}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:5])
