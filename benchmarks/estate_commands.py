"""Every command a new user would give, on files of 300 hosts as other programs write them.

``python -m benchmarks.estate_commands FOLDER [HOSTS] [FILE …]`` writes the files of :mod:`benchmarks.estates`
into the folder and asks for each, or for those that are named, ``import``, ``check``, its certificate,
``verify``, ``explain``, ``recommend`` and ``fragile``, each in a process of its own. It prints the table of
processor seconds as Markdown; a number in brackets is an exit code that says no, or not known (3). What each
command said is kept beside the file, to be read.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.estates import FORMATS, main as write

LIMIT = 60
"""Seconds by the clock that advice may take, as ``--timeout``."""

COLUMNS = ("import", "check", "certificate", "verify", "explain", "recommend", "fragile")


def asked(name: str, words: list[str], folder: Path) -> tuple[float, int]:
    """The processor seconds of one command and its exit code; what it printed is kept."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    after = os.times()
    (folder / f"{name}.txt").write_text(done.stdout + done.stderr, "utf-8")
    taken = after.children_user + after.children_system - before.children_user - before.children_system
    return taken, done.returncode


def row(source: str, folder: Path) -> list[str]:
    """One file from import to advice: its size, its verdict, and the seconds of each command."""
    stem = source.split(".")[0]
    files = sorted(path.relative_to(folder).as_posix() for path in (folder / source).glob("*")) or [source]
    scenario, proof, limit = f"{stem}.holdfast.yaml", f"{stem}.proof.json", ["--timeout", str(LIMIT)]
    commands = (
        ["import", *files, "-o", scenario, "--timeout", str(LIMIT)],
        ["check", scenario],
        ["check", scenario, "--certificate", proof, "--no-response", "--no-recovery"],
        ["verify", proof],
        ["explain", scenario],
        ["recommend", scenario, *limit],
        ["fragile", scenario, *limit],
    )
    cells, verdict = [], ""
    for column, words in zip(COLUMNS, commands, strict=True):
        seconds, code = asked(f"{stem}.{column}", words, folder)
        cells.append(f"{seconds:.1f}" + (f" ({code})" if code else ""))
        verdict = {0: "held", 1: "lost", 3: "open"}[code] if column == "check" else verdict
    size = (folder / proof).stat().st_size if (folder / proof).exists() else 0
    cells[2] += f", {size / 1e6:.1f} MB"
    return [source, verdict, *cells]


def main(words: list[str]) -> None:
    """Print the table, a row as soon as it is known."""
    folder, *rest = words
    n_hosts = rest.pop(0) if rest and rest[0].isdigit() else "300"
    write(folder, n_hosts)
    print("| file | verdict | " + " | ".join(COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 2), flush=True)
    for source in rest or FORMATS:
        print("| " + " | ".join(row(source, Path(folder))) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
