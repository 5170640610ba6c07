"""``make bench``: every speed as a ratio or a curve of one run, on the terminal, as JSON and as a plot.

``python -m benchmarks quick`` stops at 20 hosts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import cold_start, exact, learning, orders, peers, response
from benchmarks.families import FAMILIES, chain

HERE = Path(__file__).parent
SIZES = (5, 10, 20, 40, 60, 100)
EXPLICIT_SIZES = (5, 6, 7)
LIMIT = 300.0
console = Console(highlight=False)


def main() -> None:
    """Run everything and write ``results.json`` and ``scaling.png`` beside this file."""
    quick = "quick" in sys.argv[1:]
    results: dict[str, Any] = {"cold_start": cold_start.run(), "twin": slow_twin()}
    start = results["cold_start"]
    console.print(
        f"cold start: check {start['check_seconds']:.2f} s, "
        f"its libraries alone {start['import_seconds']:.2f} s, ratio {start['ratio']:.1f}"
    )
    twin = results["twin"]
    literal = twin["literal_seconds"]
    console.print(f"slow twin, 4 hosts ({twin['positions']:,} positions): literal {literal:.2f} s")
    for engine in ("explicit", "symbolic"):
        took = twin[f"{engine}_seconds"]
        console.print(f"  {engine} {took:.4f} s, {literal / took:,.0f} times faster")
    results["learning"] = learning.run()
    results["exact"] = exact.run()
    for name in ("learning", "exact"):
        console.print(f"{name}: {json.dumps(results[name], default=str)}")
    console.print("orders: certificates of the same games, their hosts declared in five random orders")
    results["orders"] = orders.run(20 if quick else orders.HOSTS)
    console.print(f"  worst ratio {max(row['ratio'] for row in results['orders']):.2f}")
    results["peers"] = peers.run((10,) if quick else (10, 20, 30))
    console.print(f"peers: {json.dumps(results['peers'])}")
    results["response"] = response.run((20,) if quick else response.SIZES)
    results["scaling"] = scaling([n for n in SIZES if not quick or n <= 20])
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    plot(results["scaling"])
    console.print("wrote benchmarks/results.json and benchmarks/scaling.png")


def slow_twin() -> dict[str, Any]:
    """Both engines beside the literal oracle of the tests, on one game."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    from holdfast.engines import solve
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
    return found


def scaling(sizes: list[int]) -> list[dict[str, Any]]:
    """Every family at every size; a family stops at the first size that takes too long."""
    rows = []
    table = Table("engine", "family", "hosts", "positions", "certificate", "SLT", "peak", "nodes")
    for family in FAMILIES:
        for engine in ("explicit", "symbolic"):
            for n in EXPLICIT_SIZES if engine == "explicit" else sizes:
                row = measured(engine, family, n)
                rows.append(row)
                table.add_row(*shown(row))
                console.print(f"  {' · '.join(shown(row))}")
                if row.get("latitude_seconds") is None:
                    break
    console.print(table)
    return rows


def measured(engine: str, family: str, n: int) -> dict[str, Any]:
    """One game in a process of its own; what it had printed when the time ran out still counts."""
    command = [sys.executable, "-m", "benchmarks.worker", engine, family, str(n), "yes"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=HERE.parent)
        output, end = done.stdout, "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
    except subprocess.TimeoutExpired as expired:
        output, end = (expired.stdout or b"").decode(), f"stopped after {LIMIT:.0f} s"
    lines = output.strip().splitlines()
    row: dict[str, Any] = {"engine": engine, "family": family, "hosts": n}
    return {**row, **(json.loads(lines[-1]) if lines else {}), "end": end}


def shown(row: dict[str, Any]) -> list[str]:
    """A row of the table."""

    def seconds(key: str) -> str:
        return f"{row[key]:.3g} s" if row.get(key) is not None else row["end"][:40] or "–"

    positions = row.get("positions", "")
    return [
        row["engine"],
        row["family"],
        str(row["hosts"]),
        positions if len(positions) < 13 else f"{positions[0]}.{positions[1:3]}e{len(positions) - 1}",
        seconds("solve_seconds"),
        seconds("latitude_seconds"),
        f"{row['peak_mib']:.0f} MiB" if "peak_mib" in row else "",
        f"{row['nodes']:,}" if row.get("nodes") else "",
    ]


def plot(rows: list[dict[str, Any]]) -> None:
    """Time against hosts, certificate and SLT side by side."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
    markers = dict(zip(FAMILIES, "osD^vPX", strict=True))
    for axis, key, title in (
        (axes[0], "solve_seconds", "certificate and shells"),
        (axes[1], "latitude_seconds", "R and SLT"),
    ):
        for family, marker in markers.items():
            for engine, style in (("symbolic", "-"), ("explicit", ":")):
                points = [
                    (r["hosts"], r[key])
                    for r in rows
                    if r["family"] == family and r["engine"] == engine and r.get(key) is not None
                ]
                if points:
                    label = family if engine == "symbolic" else f"{family}, explicit"
                    axis.plot(*zip(*points, strict=True), style, marker=marker, label=label, markersize=5)
        axis.set(xscale="log", yscale="log", xlabel="hosts", title=title, xticks=SIZES, xticklabels=SIZES)
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[1].legend(fontsize=7, ncols=2)
    figure.savefig(HERE / "scaling.png", dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    main()
