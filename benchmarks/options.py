"""What the options of a segment cost: the certificate of one plant with each of them, as a ratio to none.

``python -m benchmarks.options`` prints a table; times are of the processor, the best of three.
"""

from __future__ import annotations

import itertools
import random
import time
from typing import Any

from holdfast.game.configuration import Configuration, configure
from holdfast.models.network.game import network_system
from holdfast.models.network.segment import Link
from holdfast.solver.engines import solve

WIDTH = 4
"""Hosts in a zone."""


def layers(n: int) -> tuple[list[list[str]], list[Link]]:
    """Zones of four hosts one behind the other, each host with links to two of the next zone."""
    rng, hosts = random.Random(n), [f"h{i}" for i in range(n)]
    zones = [hosts[i : i + WIDTH] for i in range(0, n, WIDTH)]
    links = [
        (host, target)
        for here, there in itertools.pairwise(zones)
        for host in here
        for target in rng.sample(there, min(2, len(there)))
    ]
    return zones, links


def options(n: int) -> dict[str, dict[str, Any]]:
    """The options, each alone and then most of them together."""
    zones, links = layers(n)
    walls = {
        f"wall{i}": [(a, b) for a, b in links if a in here and b in there]
        for i, (here, there) in enumerate(itertools.pairwise(zones))
    }
    last = zones[-1][-1]
    blocking: dict[str, Any] = {"conduits": walls, "zones": {f"z{i}": of for i, of in enumerate(zones)}}
    weighing: dict[str, Any] = {"values": {last: 5}, "cannot": {last: ["isolate"]}}
    return {
        "none": {},
        "isolate: detected": {"isolate_detected": True},
        "exposed": {"exposed": zones[0]},
        "values, cannot": weighing,
        "blockable zones": blocking,
        "tempo of the adversary": {"tempo": {"adversary": 2}},
        "all but tempo": {**blocking, **weighing, "isolate_detected": True, "exposed": zones[0]},
    }


def configured(n: int, chosen: dict[str, Any]) -> Configuration:
    """The plant with some options."""
    zones, links = layers(n)
    hosts = [host for zone in zones for host in zone]
    system = network_system(hosts, links, hosts[0], **chosen)
    both = f"G !({hosts[-1]} in {{X, D, Z}} & {hosts[-2]} in {{X, D, Z}})"
    return configure(system, [both, f"G (active >= {n // 2})"], ["G (times(destroy) <= 2)"])


def seconds(configuration: Configuration) -> float:
    """Processor time of the certificate, the best of three."""
    found = []
    for _ in range(3):
        started = time.process_time()
        solve(configuration, "symbolic")
        found.append(time.process_time() - started)
    return min(found)


def main() -> None:
    """Print the table."""
    sizes = (14, 20, 40)
    print(f"{'option':24}" + "".join(f"{n:>5} hosts, s   ratio" for n in sizes))
    times = {n: {name: seconds(configured(n, chosen)) for name, chosen in options(n).items()} for n in sizes}
    for name in options(14):
        cells = (f"{times[n][name]:>14.2f} {times[n][name] / times[n]['none']:>7.1f}" for n in sizes)
        print(f"{name:24}" + "".join(cells))


if __name__ == "__main__":
    main()
