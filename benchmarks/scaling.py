"""Certificate and SLT of every family at every size, with both engines, each game in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.families import FAMILIES

HERE = Path(__file__).parent
SIZES = (5, 10, 20, 40, 60, 100)
EXPLICIT_SIZES = (5, 6, 7)
LIMIT = 300.0
console = Console(highlight=False)


def run(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
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
