"""Every single new link of a segment of 40 hosts, and whether it costs the certificate; about 1,500 of them.

``python -m benchmarks.fragility 10 evict`` takes fewer hosts, and asks whether the attacker can still be got
out: that takes much longer for each design.
"""

from __future__ import annotations

import sys
import time

from benchmarks.families import chain, enterprise, star, subnets
from holdfast.budget import Budget
from holdfast.design.fragility import fragility

HOSTS = 40


def main(n_hosts: str = str(HOSTS), keep: str = "held") -> None:
    """Tell for each family how many links there are, how many break it, and how long that took."""
    for family in (chain, subnets, star, enterprise):
        started = time.perf_counter()
        found = fragility(family(int(n_hosts)), keep, kinds=["link"], max_cost=1, budget=Budget(jobs=2))
        seconds = time.perf_counter() - started
        answer = f"{len(found.breakers):>5} break it" if found.holds else "lacks it"
        told = (
            f"{found.kinds.get('link', 0):>5} links, {answer}, {found.n_solved:>5} solved, {seconds:6.1f} s"
        )
        print(f"{family.__name__:<11} {keep:<6} {told}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
