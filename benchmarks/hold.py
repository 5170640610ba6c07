"""HOLD: how long it takes to know how likely a lost design holds, and what NASim's scenarios come to.

Families of networks in which every host but one has to stay in service, and every attempt to spread succeeds
with a probability of its own (seeded). ``python -m benchmarks.hold 10 20`` takes other sizes,
``python -m benchmarks.hold nasim`` the scenarios of NASim with their own probabilities, and
``python -m benchmarks.hold certificates 5 10 20`` writes certificates of HOLD and checks them;
``python -m benchmarks.hold means 10 20`` asks for the mean and the median time to loss of designs that fall.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from holdfast.budget import Budget
from holdfast.certificates import verify
from holdfast.errors import LimitError
from holdfast.game import Configuration, configure
from holdfast.models.network import network_system
from holdfast.operation import Hold, certify_hold, hold
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import solve

SIZES = (5, 7, 10, 15, 20, 30)
SEEDS = (1, 2)
LIMIT = 120.0
MOVES = (10, 100, 1000)
FAMILIES = ("chain", "subnets", "enterprise", "random")
CHANCES = ("0.1", "0.15", "0.2", "0.25", "0.3", "0.4")


def links(family: str, hosts: list[str], rng: random.Random) -> list[tuple[str, str]]:
    """The links of a family of networks."""
    n = len(hosts)
    if family == "chain":
        pairs = [(i, i + 1) for i in range(n - 1)]
    elif family == "subnets":
        near = [(i, j) for i in range(n) for j in range(n) if i != j and i // 5 == j // 5]
        pairs = near + [(i, i + 1) for i in range(4, n - 1, 5)]
    elif family == "enterprise":
        pairs = [(0, 1), *((1, i) for i in range(2, n - 1)), *((i, i + 1) for i in range(2, n - 1))]
    else:
        pairs = [(i, j) for j in range(1, n) for i in rng.sample(range(j), min(j, 2))]
    return [(hosts[i], hosts[j]) for i, j in dict.fromkeys(pairs)]


def design(family: str, n: int, seed: int) -> Configuration:
    """A lost design in which the last host must stay clean, and all but one in service."""
    rng, hosts = random.Random(seed), [f"h{i}" for i in range(n)]
    chance = {f"spread({host})": rng.choice(CHANCES) for host in hosts}
    system = network_system(hosts, links(family, hosts, rng), hosts[0], None, chance=chance)
    required = [f"G ({hosts[-1]} in {{C, I}})", f"G (active >= {n - 1})"]
    return configure(system, required, ["G (times(destroy) <= 1)"], name=family)


def measured(family: str, n: int, seed: int) -> dict[str, Any]:
    """One design: the certificate, then HOLD for some moves and for ever."""
    row: dict[str, Any] = {"family": family, "hosts": n, "seed": seed}
    began = time.perf_counter()
    solution = solve(design(family, n, seed))
    row |= {"held": solution.defensible, "certificate s": round(time.perf_counter() - began, 2)}
    return row | asked(solution)


def asked(solution: Any) -> dict[str, Any]:
    """HOLD of a solution, in words of a table."""
    began = time.perf_counter()
    try:
        found = hold(solution, MOVES, Budget.lasting(LIMIT))
    except LimitError as stop:
        known = stop.known.get("hold")
        found = known if isinstance(known, Hold) else None
    row: dict[str, Any] = {"hold s": round(time.perf_counter() - began, 2)}
    if found is not None:
        row |= {f"HOLD_{t}": ends.high for t, ends in found.moves.items()}
        row |= {"low": found.forever.low, "high": found.forever.high, "method": found.method}
        row["matters"] = next(iter(found.matters.items()), None)
    return row


def nasim() -> list[dict[str, Any]]:
    """NASim's own scenarios, imported with their probabilities, critical hosts never lost."""
    import nasim as package

    from holdfast.models.network.importers import import_network

    rows = []
    folder = Path(package.__file__).parent / "scenarios" / "benchmark"
    for file in sorted(folder.glob("*.yaml")):
        scenario = scenario_from_text(import_network(file).text)
        solution = solve(configuration(scenario, None), "auto", Budget.lasting(LIMIT))
        rows.append({"scenario": file.stem, "held": solution.defensible, **asked(solution)})
        print(rows[-1], flush=True)
    return rows


def written(family: str, n: int, seed: int) -> str:
    """Such a design as the text of a scenario, which a certificate is about."""
    rng, hosts = random.Random(seed), [f"h{i}" for i in range(n)]
    chance = {f"spread({host})": float(rng.choice(CHANCES)) for host in hosts}
    arrows = [f"{one} -> {other}" for one, other in links(family, hosts, rng)]
    required = [f"G ({hosts[-1]} in {{C, I}})", f"G (active >= {n - 1})"]
    network = {"hosts": hosts, "links": arrows, "entry": hosts[0], "chance": chance}
    specs = {"defender": required, "adversary": ["G (times(destroy) <= 1)"]}
    return json.dumps({"holdfast": 1, "name": family, "network": network, "specs": specs})


def certificates(sizes: tuple[int, ...]) -> None:
    """Write certificates of HOLD and of HOLD_100, and check them; in processor seconds."""
    certify_hold(solve(configuration(scenario_from_text(written("chain", 10, 1)), None)))  # compiled by now
    for n in sizes:
        for family in FAMILIES:
            solution = solve(configuration(scenario_from_text(written(family, n, 1)), None))
            began = time.process_time()
            raw = certify_hold(solution)
            between = time.process_time()
            verdict = verify(raw)
            ended, bounds = time.process_time(), verdict.bounds
            assert verdict.valid and bounds is not None, verdict.reason
            row = {
                "family": family,
                "hosts": n,
                "kind": json.loads(raw)["witness"]["kind"],
                "bytes": len(raw),
            }
            row |= {"write s": round(between - began, 2), "verify s": round(ended - between, 2)}
            row |= {"low": float(bounds.low), f"high at {bounds.moves}": float(bounds.high)}
            if bounds.forever is not None and bounds.least is not None:
                row |= {"high": float(bounds.forever), f"low at {bounds.moves}": float(bounds.least)}
            print(row, flush=True)


def means(sizes: tuple[int, ...]) -> None:
    """The mean and the median time to loss of designs in which every host has to stay in service."""
    for n in sizes:
        for family in FAMILIES:
            plain = design(family, n, 1)
            required = [f"G (h{n - 1} = C)", f"G (active >= {n})"]
            solution = solve(configure(plain.system, required, ["G !destroy"]))
            began = time.process_time()
            found = hold(solution, (10, 100), Budget(deadline=time.monotonic() + LIMIT))
            told = None if found.mean is None else (found.mean.low, found.mean.high)
            print(
                n,
                family,
                found.method,
                found.median,
                told,
                f"{time.process_time() - began:.1f} s",
                flush=True,
            )


def run(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """Every family, size and seed; one line each."""
    rows = []
    for n in sizes:
        for family in FAMILIES:
            for seed in SEEDS:
                rows.append(measured(family, n, seed))
                print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    if sys.argv[1:] == ["nasim"]:
        nasim()
    elif sys.argv[1:2] == ["certificates"]:
        certificates(tuple(map(int, sys.argv[2:])) or (5, 10, 20))
    elif sys.argv[1:2] == ["means"]:
        means(tuple(map(int, sys.argv[2:])) or (5, 10, 20))
    else:
        run(tuple(map(int, sys.argv[1:])) or SIZES)
