"""How long a first answer takes, against importing the libraries it cannot do without."""

from __future__ import annotations

import subprocess
import sys
import time


def best_of(command: list[str], repeats: int) -> float:
    """Least wall time of a command, in seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        times.append(time.perf_counter() - started)
    return min(times)


def run(repeats: int = 8) -> dict[str, float]:
    """Time both, interleaved runs being unnecessary for minima."""
    floor = best_of([sys.executable, "-c", "import numpy, pydantic, rich"], repeats)
    check = best_of([sys.executable, "-m", "holdfast", "check", "scenarios/paper.yaml"], repeats)
    return {"import_seconds": floor, "check_seconds": check, "ratio": check / floor}


if __name__ == "__main__":
    print(run())
