"""How long a first answer takes, against importing the libraries it cannot do without.

Started with the folder of another checkout, it compares the two instead: CPU time of each command, the least
of many runs that take turns, since what else the machine does then befalls both.

    python -m benchmarks.cold_start ../holdfast-before
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

SCENARIO = "scenarios/paper.yaml"
COMMANDS = (
    ("check", "--json", SCENARIO),
    ("check", SCENARIO),
    ("--version",),
    ("--help",),
    ("fingerprint", "--no-learning", "--json", SCENARIO),
)


def cpu(command: list[str], tree: Path = Path()) -> float:
    """CPU seconds of a command that runs in a checkout, with the bytecode that it keeps there."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(tree.resolve() / "src")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True, cwd=tree, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def run(repeats: int = 8) -> dict[str, float]:
    """The first answer, and the imports without which there is none."""
    imports = [sys.executable, "-c", "import numpy, pydantic, rich"]
    check = [sys.executable, "-m", "holdfast", "check", SCENARIO]
    floor, answer = (min(cpu(command) for _ in range(repeats)) for command in (imports, check))
    return {"import_seconds": floor, "check_seconds": answer, "ratio": answer / floor}


def compare(other: Path, repeats: int = 15) -> None:
    """This checkout against another one, command by command."""
    trees = (other, Path())
    for arguments in COMMANDS:
        command = [sys.executable, "-m", "holdfast", *arguments]
        taken = [[cpu(command, tree) for tree in trees] for _ in range(repeats + 1)][1:]
        there, here = map(min, zip(*taken, strict=True))
        print(f"{' '.join(arguments):52} there {there:.3f} s, here {here:.3f} s: {here / there:.2f}")


if __name__ == "__main__":
    if sys.argv[1:]:
        compare(Path(sys.argv[1]))
    else:
        print(run())
