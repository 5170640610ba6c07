"""DDR* at real size: brackets, seconds and memory, and where it ends.

``python -m benchmarks.operating_point`` measures every game, each in a process of its own, and prints a
table; with ``levels`` by value diagrams also where positions could be listed; with ``survey`` it takes every
real topology of 8 to 30 nodes instead. Followed by a game, such as ``chain-40``, ``topozoo/Abilene`` or
``paper.yaml`` of the library, and perhaps by seconds, it measures that one and prints one JSON object.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.families import FAMILIES, real_topologies, topology
from holdfast.arena.quotient.lean_arena import merged_solution
from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration
from holdfast.operation.brackets.value_brackets import value_bracket
from holdfast.operation.point import operating_point
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve

LIBRARY = Path(__file__).parent.parent / "scenarios"
SECONDS = 150.0
SIZES = {
    name: (12, 20) if name.startswith("random") else (10, 15, 20, 40) for name in FAMILIES if name != "mesh"
}
TOPOLOGIES = (
    *("topozoo/Abilene", "topozoo/Sprint", "topozoo/Nsfnet", "topozoo/BsonetEurope", "sndlib/atlanta"),
    *("topozoo/Garr199901", "topozoo/KentmanJul2005", "sndlib/newyork", "sndlib/nobel-germany"),
    *("topozoo/Ans", "topozoo/Aarnet", "topozoo/WideJpn", "topozoo/Cesnet2001", "topozoo/Atmnet"),
    *("topozoo/Renater1999", "topozoo/Agis", "topozoo/Sunet", "topozoo/Arn", "topozoo/SwitchL3"),
    *("topozoo/Bics", "topozoo/Geant2010"),
)
"""Of 11 to 30 nodes, and two that are larger."""


def configuration(game: str) -> Configuration:
    """The game of a name: a family and its size, a network of topohub, or a scenario of the library."""
    if game.endswith(".yaml"):
        return load(LIBRARY / game)
    if "/" in game:
        return topology(game)
    family, n = game.rsplit("-", 1)
    return FAMILIES[family](int(n))


def measured(game: str, seconds: float, levels: bool) -> dict[str, Any]:
    """DDR* of one game, with what it took; certificate and quotient included."""
    started, cpu = time.perf_counter(), time.process_time()
    budget = Budget.lasting(seconds)
    found: dict[str, Any] = {"game": game, "low": 0.0, "high": 1.0, "method": "none", "long_run": None}
    try:
        solution = solve(configuration(game), budget=budget)
        if not solution.defensible:
            return {**found, "method": "not defensible"}
        if levels:
            point = value_bracket(merged_solution(solution, budget), budget=budget)
        else:
            point = operating_point(solution, budget=budget)
        run = point.long_run
        found |= {"low": point.low, "high": point.high, "method": point.method}
        found["long_run"] = None if run is None else (run.low, run.high)
    except LimitError as error:
        found["method"] = str(error)
    found["seconds"], found["cpu_seconds"] = time.perf_counter() - started, time.process_time() - cpu
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


def main() -> None:
    """Every game, as rows of a Markdown table."""
    levels = "levels" in sys.argv[1:]
    named = [word for word in sys.argv[1:] if word not in ("levels", "survey")]
    if named:
        seconds = float(named[1]) if len(named) > 1 else SECONDS
        print(json.dumps(measured(named[0], seconds, levels)))
        return
    games = sorted(path.name for path in LIBRARY.glob("*.yaml"))
    games += [f"{family}-{n}" for family, sizes in SIZES.items() for n in sizes]
    games += TOPOLOGIES
    if "survey" in sys.argv[1:]:
        games = real_topologies(8, 30)
    print("| game | DDR* | width | long run | by | seconds | CPU | MiB |\n|---|---|---|---|---|---|---|---|")
    for game in games:
        words = ["-m", "benchmarks.operating_point", game, str(SECONDS), *["levels"] * levels]
        done = subprocess.run([sys.executable, *words], capture_output=True, check=True, text=True)
        print(row(json.loads(done.stdout)), flush=True)


def row(found: dict[str, Any]) -> str:
    """One row of the table."""
    ends = [f"{end:.6f}" for end in (found["low"], found["high"])]
    run = "" if found["long_run"] is None else "{:.6f} … {:.6f}".format(*found["long_run"])
    times = f"{found.get('seconds', 0):.0f} | {found.get('cpu_seconds', 0):.0f} | {found.get('peak_mib', 0)}"
    width = f"{found['high'] - found['low']:.0e}"
    return f"| {found['game']} | {' … '.join(ends)} | {width} | {run} | {found['method']} | {times} |"


if __name__ == "__main__":
    main()
