"""Every answer on networks that nothing was tuned on: generators, each with a seed and an order of its hosts.

``python -m benchmarks.held_out [FAMILY …] [HOSTS …] [key=value …]`` measures certificate, SLT, response,
recovery and DDR*, each in a process of its own and within a limit, in processor seconds; behind the times
stands with which power of the hosts they grow. DDR* has sizes of its own and a minute, after which it is a
bracket. ``seed=7 orders=3 limit=150 ask=slt,response,recovery,ddr`` are the options;
``tree=DIR`` measures another checkout in turn with this one and prints both, the other one within ``before``
seconds. Each question is asked once beforehand, on a small network, so that compiled loops are there. At the
end stands one table of all that was measured, in Markdown. ``make bench`` draws a new seed.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parent
SIZES: dict[str, tuple[int, ...]] = {
    "enterprise": (50, 100, 200),
    "campus": (50, 100, 200),
    "dense": (20, 30),
}
QUESTIONS = ("slt", "response", "recovery", "ddr")
LIMIT = 150
DDR_SIZES: dict[str, tuple[int, ...]] = {"enterprise": (40,), "campus": (40,), "dense": (20,)}
WARMING = ("enterprise", 40, 0, 0)
"""What is asked before anything is measured, so that the loops a question compiles are kept on disk."""

DDR_SECONDS = 60.0
"""How long DDR* may take, by the processor, until it is a bracket."""

Network = tuple[list[str], list[tuple[str, str]], tuple[str, str]]
"""Hosts, the entry first; links; the two that must not both be lost."""


def enterprise(n: int, rng: random.Random) -> Network:
    """A perimeter, departments of five to eleven, each with a server of its own, and a data room."""
    hosts, links = (
        ["GW", "Mail", "App", "DB", "BK"],
        [("GW", "Mail"), ("GW", "App"), ("App", "DB"), ("DB", "BK")],
    )
    while len(hosts) < n:
        size = min(rng.randint(5, 11), n - len(hosts))
        own = [f"d{len(hosts) + i}" for i in range(size)]
        links += [("Mail", own[0]), (own[0], rng.choice(["App", "DB"]))]
        lan = [(rng.choice(own[:i]), own[i]) for i in range(1, size)]
        links += lan + [(b, a) for a, b in lan]
        links += [(own[-1], "DB")] if rng.random() < 0.5 and size > 2 else []
        hosts += own
    return hosts, links, ("DB", "BK")


def campus(n: int, rng: random.Random) -> Network:
    """A ring of core switches, buildings on it, rooms in a line or a star in each, and two servers."""
    n_core = max(3, n // 16)
    core = [f"c{i}" for i in range(n_core)]
    links = [pair for a, b in zip(core, [*core[1:], core[0]], strict=True) for pair in ((a, b), (b, a))]
    hosts = [*core, "DB", "BK"]
    links += [(core[rng.randrange(n_core)], "DB"), ("DB", "BK"), (core[rng.randrange(n_core)], "BK")]
    while len(hosts) < n:
        size = min(rng.randint(3, 8), n - len(hosts))
        own = [f"r{len(hosts) + i}" for i in range(size)]
        line = rng.random() < 0.5
        lan = [
            (rng.choice(core), own[0]),
            *((own[i - 1] if line else own[0], own[i]) for i in range(1, size)),
        ]
        links += lan + [(b, a) for a, b in lan]
        links += [(own[-1], rng.choice(core))] if rng.random() < 0.3 else []
        hosts += own
    return hosts, links, ("DB", "BK")


def dense(n: int, rng: random.Random) -> Network:
    """Every ordered pair is linked with probability 0.3."""
    hosts = [f"h{i}" for i in range(n)]
    return (
        hosts,
        [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.3],
        (hosts[-2], hosts[-1]),
    )


GENERATORS: dict[str, Callable[[int, random.Random], Network]] = {
    "enterprise": enterprise,
    "campus": campus,
    "dense": dense,
}


def drawn(family: str, n: int, seed: int, order: int) -> tuple[Network, str]:
    """A network of a family: hosts as they are listed, and the entry; order 0 is the declared one."""
    hosts, links, pair = GENERATORS[family](n, random.Random(f"{family} {n} {seed}"))
    entry = hosts[0]
    if order:
        random.Random(order).shuffle(hosts)
        random.Random(order).shuffle(links)
    return (hosts, links, pair), entry


def work(family: str, n: int, seed: int, order: int, question: str) -> None:
    """Ask one question in this process; a line of JSON after the certificate, and one after the answer."""
    import holdfast as hf
    from holdfast import budget as budgets
    from holdfast.budget import Budget

    (hosts, links, (first, second)), entry = drawn(family, n, seed, order)
    both = f"G !({first} in {{X, D, Z}} & {second} in {{X, D, Z}})"
    system = hf.network_system(hosts, links, entry)
    configuration = hf.configure(system, [both, f"G (active >= {n - 3})"], ["G (times(destroy) <= 2)"])
    ready = time.process_time()
    solution = hf.solve(configuration)
    solved = time.process_time()
    print(json.dumps({"certificate": solved - ready, "answer": solution.shells[:3]}), flush=True)
    if question == "slt":
        reach = hf.reachable(solution)
        assert reach is not None, "every network here is held"
        answer: Any = (reach.n_positions, reach.n_defender, reach.n_permitted)
    elif question == "response":
        try:
            from holdfast.solver import response_profile
        except ImportError:  # a checkout from before there were packages
            from holdfast.response import response_profile
        answer = response_profile(solution)
    elif question == "recovery":
        from holdfast.solver.recovery import recovery_profile

        answer = [recovery_profile(solution, name, whole=None) for name in configuration.goals]
    elif question == "ddr":
        from holdfast.operation.point import operating_point

        with mock.patch.object(budgets, "time", SimpleNamespace(monotonic=time.process_time)):
            point = operating_point(solution, budget=Budget.lasting(DDR_SECONDS))
        print(json.dumps({"low": point.low, "high": point.high}))
        answer = "a bracket"
    else:
        return
    took, peak = time.process_time() - solved, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({question: took, "answer": str(answer), "peak": peak}), flush=True)


def asked(tree: Path, limit: int, *words: object) -> dict[str, Any]:
    """What a process of a checkout prints within so many processor seconds."""
    command = [sys.executable, str(HERE / "held_out.py"), "work", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}

    def capped() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    done = subprocess.run(command, capture_output=True, text=True, env=environment, preexec_fn=capped)
    found: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        found |= json.loads(line)
    if done.returncode and not found and done.returncode != -9:
        raise RuntimeError(done.stderr)
    return found


def exponent(times: dict[int, list[float]]) -> float | None:
    """The slope of the logarithm of the times over that of the sizes, by least squares."""
    points = [(math.log(n), math.log(t)) for n, own in times.items() for t in own if t > 0]
    if len({x for x, _ in points}) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def run(
    families: tuple[str, ...] = tuple(SIZES),
    sizes: tuple[int, ...] = (),
    seed: int | None = None,
    orders: int = 3,
    limit: int = LIMIT,
    questions: tuple[str, ...] = QUESTIONS,
    tree: Path | None = None,
    before: int = LIMIT,
) -> list[dict[str, Any]]:
    """Every family, size, order and question, each checkout in turn; a line on the terminal for each."""
    seed = random.randrange(1000) if seed is None else seed
    print(f"seed {seed}; processor seconds, >: stopped", flush=True)
    limits = {HERE.parent: limit} if tree is None else {tree: before, HERE.parent: limit}
    for question in questions:
        for own in limits.items():
            asked(*own, *WARMING, question)
    rows = []
    for family in families:
        for question in questions:
            times: dict[tuple[Path, str], dict[int, list[float]]] = {}
            for n in sizes or (DDR_SIZES if question == "ddr" else SIZES)[family]:
                for order in range(orders):
                    found = [asked(*own, family, n, seed, order, question) for own in limits.items()]
                    answers = {one["answer"] for one in found if question in one}
                    lows, highs = ([one[end] for one in found if end in one] for end in ("low", "high"))
                    if len(answers) > 1 or (lows and max(lows) > min(highs) + 1e-9):
                        raise AssertionError(f"{family} {n} order {order}: {answers}")
                    for own, one in zip(limits, found, strict=True):
                        measured = {"question": question, "tree": own.name, "limit": limits[own]}
                        rows.append({"family": family, "hosts": n, "order": order, **measured, **one})
                        for key in ("certificate", question):
                            if key in one:
                                times.setdefault((own, key), {}).setdefault(n, []).append(one[key])
                    told = " | ".join(map(_told, found, [question] * len(found), limits.values()))
                    print(f"{family} {n} order {order}: {told}", flush=True)
            for (own, key), taken in times.items():
                power = exponent(taken)
                if power is not None:
                    print(f"{family}: {key} grows like n^{power:.1f} ({own.name})", flush=True)
    print(table(rows), flush=True)
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """What was measured as one table: a line for each family, size and question, the trees side by side."""
    trees = list(dict.fromkeys(row["tree"] for row in rows))
    places = dict.fromkeys((row["family"], row["hosts"], row["question"]) for row in rows)
    head = [
        "",
        *(f"{key}, {tree}" if len(trees) > 1 else key for key in ("certificate", "answer") for tree in trees),
    ]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *(_row(rows, trees, *place) for place in places)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _row(rows: list[dict[str, Any]], trees: list[str], family: str, hosts: int, question: str) -> list[str]:
    own = [row for row in rows if (row["family"], row["hosts"], row["question"]) == (family, hosts, question)]
    spans = [
        _span([row for row in own if row["tree"] == tree], key)
        for key in ("certificate", question)
        for tree in trees
    ]
    return [f"{family} {hosts}, {question}", *spans]


def _span(rows: list[dict[str, Any]], key: str) -> str:
    """The least and the most of the orders; where one was stopped, that the most is above its limit."""
    times = sorted(row[key] for row in rows if key in row)
    if not times:
        return f"> {rows[0]['limit']}"
    if len(times) < len(rows):
        return f"{times[0]:.2f}–> {rows[0]['limit']}"
    return f"{times[0]:.2f}–{times[-1]:.2f}"


def _told(one: dict[str, Any], question: str, limit: int) -> str:
    certificate, took = one.get("certificate"), one.get(question)
    if certificate is None:
        return f"certificate > {limit}"
    if took is None:
        return f"certificate {certificate:.2f}, {question} > {limit}"
    ratio = took / certificate
    if "low" in one:
        question = f"{question} {one['low']:.6f} … {one['high']:.6f} in"
    return f"certificate {certificate:.2f}, {question} {took:.2f} ({ratio:.1f} times), {one['peak']} MiB"


def main(words: list[str]) -> None:
    """Read the words of the command line."""
    options = dict(word.split("=", 1) for word in words if "=" in word)
    numbers = options.keys() & {"seed", "orders", "limit", "before"}
    given: dict[str, Any] = {key: int(options[key]) for key in numbers}
    if "ask" in options:
        given["questions"] = tuple(options["ask"].split(","))
    if "tree" in options:
        given["tree"] = Path(options["tree"]).resolve()
    families = tuple(word for word in words if word in GENERATORS)
    sizes = tuple(int(word) for word in words if word.isdecimal())
    run(families or tuple(SIZES), sizes, **given)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        name, *numbers, asked_for = sys.argv[2:]
        work(name, *map(int, numbers), asked_for)  # type: ignore[call-arg]
    else:
        main(sys.argv[1:])
