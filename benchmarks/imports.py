"""Real networks from files to verdicts: every small benchmark of NASim, and the topologies of topohub.

``python -m benchmarks.imports`` imports and checks all of them in one run and prints a table: hosts, links,
the verdict on the scenario as it is written, the verdict on its variant ``stricter-service`` (with the moves
that the attacker needs), and the seconds of processor time for reading the file and for both verdicts. With
``real`` it leaves out topohub's synthetic graphs (gabriel), with ``quick`` it takes every tenth file.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import nasim
import topohub
from rich.console import Console
from rich.table import Table

import holdfast as hf

MAX_NASIM, MAX_TOPOHUB = 16, 60
SECONDS = 600.0
"""What one verdict may take."""

console = Console(highlight=False)


def main() -> None:
    """Run everything and print the table."""
    rows = list(run(real="real" in sys.argv[1:], every=10 if "quick" in sys.argv[1:] else 1))
    table = Table("file", "hosts", "links", "verdict", "stricter service", "read s", "check s")
    for row in rows:
        told = [row["file"], str(row["hosts"]), str(row["links"]), row["base"], row["stricter-service"]]
        table.add_row(*told, f"{row['read']:.2f}", f"{row['check']:.2f}")
    console.print(table)
    console.print(f"{len(rows)} networks; {json.dumps(summary(rows))}")


def run(real: bool = False, every: int = 1) -> Iterator[dict[str, Any]]:
    """A row for each file that is small enough."""
    for name, path, largest in list(files(real))[::every]:
        started = time.process_time()
        found = hf.import_network(path)
        read = time.process_time() - started
        if len(found.network.hosts) > largest:
            continue
        scenario = hf.scenario_from_text(found.text)
        row = {
            "file": name,
            "hosts": len(found.network.hosts),
            "links": len(found.network.links),
            "read": read,
        }
        started = time.process_time()
        for variant in (None, "stricter-service"):
            row[variant or "base"] = verdict(scenario, variant)
        yield {**row, "check": time.process_time() - started}


def verdict(scenario: hf.Scenario, variant: str | None) -> str:
    """The verdict in a word or two."""
    try:
        budget = hf.Budget.lasting(SECONDS)
        solution = hf.solve(hf.configuration(scenario, variant, budget), budget=budget)
    except hf.LimitError:
        return "undecided"
    if solution.defensible:
        return "defensible"
    return f"lost in {hf.rank(solution, solution.configuration.initial)}"


def files(real: bool) -> Iterator[tuple[str, Path, int]]:
    """Names and places, and how many hosts are few enough."""
    folder = Path(nasim.__file__).parent / "scenarios" / "benchmark"
    for path in sorted(folder.glob("*.yaml")):
        yield f"nasim/{path.stem}", path, MAX_NASIM
    folder = Path(topohub.__file__).parent / "data"
    for path in sorted(folder.rglob("*.json")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if real and name.startswith("gabriel/"):
            continue
        if len(json.loads(path.read_text("utf-8"))["nodes"]) <= MAX_TOPOHUB:
            yield f"topohub/{name}", path, MAX_TOPOHUB


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How many came to which verdict, and how long it took."""
    found: dict[str, Any] = {
        key: dict(Counter(row[key].split(" ")[0] for row in rows)) for key in ("base", "stricter-service")
    }
    for key in ("read", "check"):
        times = [row[key] for row in rows]
        found[key] = {
            "median": round(median(times), 3),
            "most": round(max(times), 2),
            "all": round(sum(times), 1),
        }
    return found


if __name__ == "__main__":
    main()
