"""Networks of 1,000 to 25,000 hosts, zone by zone: processor seconds of reading and solving, and memory.

``python -m benchmarks.zones [HOSTS] [SHAPE] [JOBS] [certify]``: zones of 20 to 50 hosts as a ``ring``, a
``hierarchy``, with ``random`` cross links, or real topologies of topohub (``topohub``) joined in a ring; each
zone has a pair that must not fall together and may have some hosts out of service, and the attacker destroys
twice in all. With ``certify`` the certificate is written and checked, too.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.families import real_topologies
from holdfast.budget import Budget
from holdfast.certificates import verify
from holdfast.composition import certify_composition, compose
from holdfast.scenario import load

SEED = 11
SHAPES = ("ring", "hierarchy", "random", "topohub")

Zone = tuple[list[str], list[tuple[str, str]]]


def drawn_zone(number: int, draw: Random) -> Zone:
    """A zone of 20 to 50 hosts: a random tree in their order, and a quarter as many links more."""
    hosts = [f"z{number}h{i}" for i in range(draw.randint(20, 50))]
    links = [(hosts[draw.randrange(max(0, i - 4), i)], hosts[i]) for i in range(1, len(hosts))]
    for _ in range(len(hosts) // 4):
        a, b = sorted(draw.sample(range(len(hosts)), 2))
        links.append((hosts[a], hosts[b]))
    return hosts, links


def real_zones() -> list[Zone]:
    """The networks of topohub with 20 to 50 nodes, links in both directions."""
    import topohub

    zones = []
    for name in real_topologies(20, 50):
        graph = topohub.get(name)
        names = {node["id"]: f"n{i}" for i, node in enumerate(graph["nodes"])}
        ends = [(names[edge["source"]], names[edge["target"]]) for edge in graph["edges"]]
        zones.append((list(names.values()), [pair for a, b in ends if a != b for pair in ((a, b), (b, a))]))
    return zones


def scenario(n_hosts: int, shape: str, seed: int = SEED) -> str:
    """The text of a scenario with about so many hosts."""
    draw, zones = Random(seed), list[Zone]()
    real = real_zones() if shape == "topohub" else []
    while sum(len(hosts) for hosts, _ in zones) < n_hosts:
        number = len(zones)
        if not real:
            zones.append(drawn_zone(number, draw))
            continue
        hosts, links = draw.choice(real)
        zones.append(
            ([f"z{number}{h}" for h in hosts], [(f"z{number}{a}", f"z{number}{b}") for a, b in links])
        )
    n = len(zones)
    cross = [(i, (i + 1) % n) for i in range(n)]
    if shape == "hierarchy":
        cross = [((i - 1) // 4, i) for i in range(1, n)]
    if shape == "random":
        cross = [tuple(draw.sample(range(n), 2)) for _ in range(2 * n)]
    links = [link for _, own in zones for link in own]
    links += [(draw.choice(zones[a][0]), zones[b][0][0]) for a, b in cross]
    lines = ["holdfast: 1", f"name: {shape} of {n} zones", "network:"]
    lines += [f"  hosts: [{', '.join(h for hosts, _ in zones for h in hosts)}]", "  zones:"]
    lines += [f"    zone{i}: [{', '.join(hosts)}]" for i, (hosts, _) in enumerate(zones)]
    lines += ["  links:", *(f"    - {a} -> {b}" for a, b in dict.fromkeys(links))]
    lines += [f"  entry: {zones[0][0][0]}", "specs:", "  defender:"]
    lines += ["    - per_zone: G (count(zone in {I, Z}) <= 3)"]
    lines += [f"    - G !({h[-2]} in {{X, D, Z}} & {h[-1]} in {{X, D, Z}})" for h, _ in zones]
    return "\n".join([*lines, "  adversary:", "    - G (times(destroy) <= 2)", ""])


def _seconds() -> float:
    """Processor seconds of this process and of those that it started."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main(n_hosts: str = "1000", shape: str = "ring", jobs: str = "1", certified: str = "") -> None:
    """Measure one network."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "zones.yaml"
        path.write_text(scenario(int(n_hosts), shape), "utf-8")
        started = _seconds()
        whole = load(path)
    read, budget = _seconds(), Budget(jobs=int(jobs))
    found = compose(whole, budget=budget)
    solved = _seconds()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    verdict = {True: "held", False: "lost", None: "open"}[found.defensible]
    hosts = sum(zone.hosts for zone in found.zones)
    print(
        f"{shape:<10} {hosts:>6} hosts, {len(found.zones):>4} zones: "
        f"{verdict} by {found.decided_by or found.open}; "
        f"reading {read - started:6.1f} s, zones {solved - read:7.1f} s of processor, {memory} MiB; "
        f"{found.n_solved} games for {found.n_asked} questions, {len(found.promises)} promises, "
        f"{len(found.merged)} merged",
        flush=True,
    )
    if certified:
        raw = certify_composition(found, budget=budget)
        written = _seconds()
        valid = verify(raw).valid
        print(
            f"{'':<10} certificate of {len(raw):,} bytes in {written - solved:.1f} s, "
            f"{'valid' if valid else 'REFUTED'}, checked in {_seconds() - written:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:5])
