"""This checkout against another one, question by question: what a restructuring costs or saves.

    python -m benchmarks.before_after ../holdfast-before [NAME …]

Each question is a command line on a scenario, asked in both trees by turns in processes of their own; the
figure is the least processor time of a few runs, so that what else the machine does befalls both. Compiled
code is kept by the first run of each, which does not count.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.cold_start import cpu
from benchmarks.families import FAMILIES

REPEATS = 3

GAMES = {"chain 12": ("chain", 12), "chain 40": ("chain", 40), "subnets 40": ("subnets", 40),
         "enterprise 40": ("enterprise", 40), "random 12": ("random-0.3", 12)}  # fmt: skip

QUESTIONS = {
    "first answer": ("check", "paper", "--json"),
    "all of check": ("check", "office"),
    "certificate": ("check", "enterprise 40", "--json", "--no-latitude", "--no-response"),
    "SLT, chain": ("check", "chain 40", "--json", "--no-response"),
    "SLT, subnets": ("check", "subnets 40", "--json", "--no-response"),
    "response": ("check", "subnets 40", "--json", "--no-latitude"),
    "explicit engine": ("check", "paper-formulas", "--json", "--engine", "explicit"),
    "DDR*, office": ("fingerprint", "office", "--json", "--no-learning"),
    "DDR*, chain": ("fingerprint", "chain 12", "--json", "--no-learning", "--no-latitude", "--no-response"),
    "training": ("fingerprint", "paper", "--json", "--jobs", "1", "--seeds", "3"),
    "compare": ("compare", "paper", "--json", "--no-learning", "--jobs", "1"),
    "explain": ("explain", "office", "--json"),
    "recommend": ("recommend", "paper", "--json", "--jobs", "1"),
    "frontier": ("frontier", "paper", "--json", "--jobs", "1"),
    "playbook": ("playbook", "paper", "--json"),
    "grid": ("check", "nine-bus", "--json"),
    "page": ("check", "office", "--html", "page.html"),
}


def text_of(family: str, n: int) -> str:
    """A game of a family as a scenario file."""
    graph = FAMILIES[family](n).system.graph
    assert graph is not None
    first, second = ("DB", "BK") if "DB" in graph.names else graph.names[-2:]
    links = ", ".join(f"{a} -> {b}" for a, b in graph.arrows)
    return (
        f"holdfast: 1\nname: {family} {n}\n"
        f"network:\n  hosts: [{', '.join(graph.names)}]\n  links: [{links}]\n  entry: {graph.names[0]}\n"
        f"specs:\n  defender:\n    - G !({first} in {{X, D, Z}} & {second} in {{X, D, Z}})\n"
        f"    - G (active >= {n - 3})\n  adversary:\n    - G (times(destroy) <= 2)\n"
    )


def compare(other: Path, names: list[str]) -> None:
    """Print a row for each question: processor seconds there and here, and their ratio."""
    trees = (other, Path())
    with TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name.replace(' ', '-')}.yaml" for name in GAMES}
        for name, (family, n) in GAMES.items():
            files[name].write_text(text_of(family, n), "utf-8")
        for name in names or QUESTIONS:
            command, scenario, *options = QUESTIONS[name]
            file = files.get(scenario, Path("scenarios") / f"{scenario}.yaml").resolve()
            given = [str(Path(folder) / option) if option.endswith(".html") else option for option in options]
            words = [sys.executable, "-m", "holdfast", command, str(file), *given]
            taken = [[cpu(words, tree) for tree in trees] for _ in range(REPEATS + 1)][1:]
            there, here = map(min, zip(*taken, strict=True))
            print(f"{name:18} there {there:7.2f} s, here {here:7.2f} s: {here / there:.2f}", flush=True)


if __name__ == "__main__":
    compare(Path(sys.argv[1]), sys.argv[2:])
