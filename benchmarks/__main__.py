"""``make bench``: every speed as a ratio or a curve of one run, on the terminal, as JSON and as a plot.

``python -m benchmarks [quick] [PART …]``: some parts, or all; ``quick`` stops at 20 hosts. What a part finds
is written when it is done, and a part that fails does not keep the others from being measured.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import cold_start, exact, held_out, learning, orders, peers, recovery, response, scaling
from benchmarks.families import chain

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
console = Console(highlight=False)


def main(words: list[str]) -> int:
    """Measure part by part into ``results.json`` beside this file; how many parts failed."""
    quick = "quick" in words
    parts = _parts(quick)
    wanted = [word for word in words if word != "quick"] or list(parts)
    unknown = [word for word in wanted if word not in parts]
    if unknown:
        console.print(f"unknown: {', '.join(unknown)}; parts: {', '.join(parts)}")
        return 2
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() and wanted != list(parts) else {}
    results: dict[str, Any] = {**kept, "seconds": {}, "failed": {}}
    for name in wanted:
        console.print(f"[bold]{name}[/bold]")
        started = time.perf_counter()
        try:
            results[name] = parts[name]()
        except Exception:
            results["failed"][name] = traceback.format_exc()
            console.print(results["failed"][name], markup=False)
        results["seconds"][name] = time.perf_counter() - started
        RESULTS.write_text(json.dumps(results, indent=1, default=str) + "\n")
    console.print("wrote benchmarks/results.json; minutes: " + _minutes(results["seconds"]))
    if results["failed"]:
        console.print(f"failed: {', '.join(results['failed'])}")
    return len(results["failed"])


def _minutes(seconds: dict[str, float]) -> str:
    parts = [f"{name} {took / 60:.1f}" for name, took in seconds.items()]
    return f"{', '.join(parts)}; {sum(seconds.values()) / 60:.0f} in all"


def _parts(quick: bool) -> dict[str, Callable[[], Any]]:
    """What is measured, in this order: each prints what it finds, and returns it."""
    return {
        "cold_start": _cold_start,
        "twin": slow_twin,
        "learning": lambda: _told(learning.run()),
        "exact": lambda: _told(exact.run()),
        "orders": lambda: _orders(20 if quick else orders.HOSTS),
        "peers": lambda: _told(peers.run((10,) if quick else (10, 20, 30))),
        "held_out": lambda: held_out.run(sizes=(20,) if quick else ()),
        "recovery": lambda: recovery.run((20,) if quick else recovery.SIZES),
        "response": lambda: response.run((20,) if quick else response.SIZES),
        "scaling": lambda: _scaling(tuple(n for n in scaling.SIZES if not quick or n <= 20)),
    }


def _told(found: dict[str, Any]) -> dict[str, Any]:
    console.print(json.dumps(found, default=str), markup=False)
    return found


def _cold_start() -> dict[str, Any]:
    found = cold_start.run()
    console.print(
        f"check {found['check_seconds']:.2f} s, "
        f"its libraries alone {found['import_seconds']:.2f} s, ratio {found['ratio']:.1f}"
    )
    return found


def _orders(hosts: int) -> list[dict[str, Any]]:
    console.print("certificates of the same games, their hosts declared in five random orders")
    found = orders.run(hosts)
    console.print(f"  worst ratio {max(row['ratio'] for row in found):.2f}")
    return found


def _scaling(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    found = scaling.run(sizes)
    scaling.plot(found)
    console.print("wrote benchmarks/scaling.png")
    return found


def slow_twin() -> dict[str, Any]:
    """Both engines beside the literal oracle of the tests, on one game."""
    sys.path.insert(0, str(HERE.parent / "tests" / "oracles"))
    from holdfast.solver.engines import solve
    from reference import Product

    configuration = chain(4, slack=2)
    found: dict[str, Any] = {"positions": configuration.n_positions}
    started = time.perf_counter()
    oracle = Product(configuration)
    found["literal_seconds"] = time.perf_counter() - started
    for engine in ("explicit", "symbolic"):
        started = time.perf_counter()
        solution = solve(configuration, engine)
        found[f"{engine}_seconds"] = time.perf_counter() - started
        assert solution.shells == oracle.shells()
    literal = found["literal_seconds"]
    console.print(f"4 hosts ({found['positions']:,} positions): literal {literal:.2f} s")
    for engine in ("explicit", "symbolic"):
        took = found[f"{engine}_seconds"]
        console.print(f"  {engine} {took:.4f} s, {literal / took:,.0f} times faster")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
