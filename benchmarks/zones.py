"""Networks of 1,000 to 25,000 hosts, zone by zone: processor seconds of reading and solving, and memory.

``python -m benchmarks.zones [HOSTS] [SHAPE] [JOBS] [certify]``: zones of 20 to 50 hosts as a ``ring``, a
``hierarchy``, with ``random`` cross links, or real topologies of topohub (``topohub``) joined in a ring; each
zone has a pair that must not fall together and may have some hosts out of service, and the attacker destroys
twice in all. With ``certify`` the certificate is written and checked, too. JOBS is a number of processes, or
``dask``: a cluster of two workers on this machine, one of which is killed when an eighth of the zones is
done.

``python -m benchmarks.zones resume [HOSTS]`` kills ``holdfast check --resume`` when some zones are in its
log, and runs it again. ``python -m benchmarks.zones all`` measures every row of the table, each in a process
of its own.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.families import real_topologies
from holdfast.budget import Budget
from holdfast.certificates import verify
from holdfast.composition import certify_composition, compose
from holdfast.running import Backend, family_of
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
    """Processor seconds of this process, of those that it started and of all that these started."""
    times, ticks = os.times(), 0
    for pid in family_of(os.getpid())[1:]:
        with suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    own = times.user + times.system + times.children_user + times.children_system
    return own + ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def cluster() -> Iterator[tuple[str, list[int]]]:
    """The address of a cluster of two workers on this machine, and their processes."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder) / "scheduler.json"

        def run(*words: str) -> int:
            command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
            command += ["--scheduler-file", str(file), "--no-dashboard", "--host", "127.0.0.1"]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process.pid

        run("scheduler", "--port", "0")
        pids = [run("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
        while not file.exists():
            time.sleep(0.05)
        from distributed import Client

        address = json.loads(file.read_text("utf-8"))["address"]
        with Client(address) as client:
            client.wait_for_workers(2)
        yield address, pids


def measured(n_hosts: str, shape: str, budget: Budget, backend: Backend, certified: bool) -> None:
    """Measure one network."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "zones.yaml"
        path.write_text(scenario(int(n_hosts), shape), "utf-8")
        started = _seconds()
        whole = load(path)
    read, clock = _seconds(), time.monotonic()
    found = compose(whole, budget=budget, backend=backend)
    solved, clock = _seconds(), time.monotonic() - clock
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    verdict = {True: "held", False: "lost", None: "open"}[found.defensible]
    hosts = sum(zone.hosts for zone in found.zones)
    print(
        f"{shape:<10} {hosts:>6} hosts, {len(found.zones):>4} zones: "
        f"{verdict} by {found.decided_by or found.open}; reading {read - started:6.1f} s, "
        f"zones {solved - read:7.1f} s of processor ({clock:.0f} by the clock), {memory} MiB; "
        f"{found.n_solved} games for {found.n_asked} questions, "
        f"{len(found.promises)} promises, {len(found.merged)} merged",
        flush=True,
    )
    if certified:
        raw = certify_composition(found, budget=budget, backend=backend)
        written = _seconds()
        valid = verify(raw).valid
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"{'':<10} certificate of {len(raw):,} bytes in {written - solved:.1f} s, "
            f"{'valid' if valid else 'REFUTED'}, checked in {_seconds() - written:.1f} s, {memory} MiB",
            flush=True,
        )


def resumed(n_hosts: str = "5000") -> None:
    """Kill a check with a log in the middle, and run it again."""
    with TemporaryDirectory() as folder:
        path, log = Path(folder) / "zones.yaml", Path(folder) / "zones.log"
        path.write_text(scenario(int(n_hosts), "ring"), "utf-8")
        words = [sys.executable, "-m", "holdfast", "check", str(path), "--by-zone", "--resume", str(log)]
        words += ["--json", "--no-response", "--no-recovery", "--jobs", "1"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < 60):
            time.sleep(0.05)
        process.kill()
        process.wait()
        known, before = log.read_bytes().count(b"\n") - 1, _seconds()
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)
        print(
            f"resume: killed with {known} answers in the log; then defensible: {told['defensible']} "
            f"in {_seconds() - before:.1f} s of processor",
            flush=True,
        )


ALL = (
    *(
        "1000 ring 1 certify",
        "1000 ring 2",
        "1000 ring dask",
        "1000 hierarchy",
        "1000 random",
        "1000 topohub",
    ),
    *("5000 ring 1 certify", "5000 ring 2", "5000 ring dask", "5000 random", "5000 topohub", "resume 5000"),
    *("25000 ring 1 certify", "25000 ring 2"),
)


def main(n_hosts: str = "1000", shape: str = "ring", jobs: str = "1", certified: str = "") -> None:
    """Measure one network, or all of the table."""
    if n_hosts == "all":
        for row in ALL:
            print(row, flush=True)
            subprocess.run([sys.executable, "-m", "benchmarks.zones", *row.split()], check=True)
    elif n_hosts == "resume":
        resumed(shape if shape.isdigit() else "5000")
    elif jobs == "dask":
        with cluster() as (address, pids):

            def watch(doing: str, done: float | None) -> None:
                if len(pids) > 1 and done is not None and done >= 1 / 8:
                    os.kill(pids.pop(), signal.SIGKILL)

            measured(n_hosts, shape, Budget(watch=watch), Backend(cluster=address), bool(certified))
            print(f"{'':<10} on a cluster of two workers, {2 - len(pids)} of them killed", flush=True)
    else:
        measured(n_hosts, shape, Budget(jobs=int(jobs)), Backend(), bool(certified))


if __name__ == "__main__":
    main(*sys.argv[1:5])
