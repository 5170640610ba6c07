"""Measure one game in a process of its own, so that peak memory is its own; prints one JSON object."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from benchmarks.families import FAMILIES
from holdfast.readings.metrics import static_reading
from holdfast.solver.engines import solve


def main(engine: str, family: str, n: int, latitude: bool) -> None:
    """Time the certificate, then the reading, by the processor, and print after each."""
    configuration = FAMILIES[family](n)
    started = time.process_time()
    solution = solve(configuration, engine)
    found: dict[str, object] = {
        "engine": engine,
        "family": family,
        "hosts": n,
        "positions": str(configuration.n_positions),
        "defensible": solution.defensible,
        "ranks": len(solution.shells),
        "solve_seconds": time.process_time() - started,
    }
    _print(found, solution)
    if latitude:
        started = time.process_time()
        found["slt"] = static_reading(solution).shield_latitude
        found["latitude_seconds"] = time.process_time() - started
        _print(found, solution)


def _print(found: dict[str, object], solution: object) -> None:
    product = getattr(getattr(solution, "regions", None), "product", None)
    found["nodes"] = None if product is None else int(product.diagrams.manager.num_inner_nodes())
    found["peak_mib"] = _peak_mib()
    print(json.dumps(found), flush=True)


def _peak_mib() -> float:
    """Peak resident memory of this process; the kernel's own mark, where getrusage inherits the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "yes")
