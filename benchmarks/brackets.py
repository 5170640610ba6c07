"""What each heuristic of the brackets of DDR* is good for: closes or not without it, and processor seconds.

``python -m benchmarks.brackets`` switches each off on a few games, each in a process of its own, and prints
a table; with a switch and a game, such as ``no_stronghold sndlib/newyork``, it measures that one and prints
one JSON object. The time limit is one of processor time, of both threads together, so that a busy machine
does not matter.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest import mock

from benchmarks.operating_point import configuration
from holdfast import budget as budgets
from holdfast.arena.quotient.lean_arena import merged_solution
from holdfast.budget import Budget
from holdfast.operation.brackets import climbs, layouts, value_brackets
from holdfast.solver.engines import solve

SECONDS = 60.0
GAMES = (
    *("boutique.yaml", "chain-15", "random-0.3-12", "topozoo/Abilene", "topozoo/Sprint"),
    *("topozoo/KentmanJul2005", "sndlib/newyork", "sndlib/atlanta"),
)


def _nothing(*words: object) -> Generator[int, None, None]:
    """In place of a search: it finds nothing."""
    yield from ()


def _both_ways(now: value_brackets.Widening, better: bool, widest: int) -> value_brackets.Widening:
    """In place of a window that is widened where it helps: twice as wide below and above."""
    below, above = (min(2 * size, widest) for size in now.window)
    return value_brackets.Widening((below, above), now.window)


SWITCHES: dict[str, tuple[object, str, Any]] = {
    "all": (layouts, "N_ORDERS", layouts.N_ORDERS),
    "no_windows": (value_brackets, "first_window", lambda game: (1 << 60, 1 << 60)),
    "both_ways": (value_brackets, "wider", _both_ways),
    "nothing_beside": (value_brackets, "FAR", 2),
    "no_deep_windows": (value_brackets, "deepened", value_brackets.defended),
    "no_stronghold": (value_brackets, "stronghold", _nothing),
    "no_growth": (climbs, "_grown", lambda bound: bound),
    "no_growth_at_v0": (climbs, "_sustained", _nothing),
    "declared_order": (layouts, "N_ORDERS", 0),
    "solved_order": (layouts, "SMALL", 1 << 400),
    "one_thread": (layouts, "N_ORDERS", layouts.N_ORDERS),
}
"""What stands in for what. Without windows nothing is cut off; without layouts the order of the variables is
the declared one, or the one in which the game was solved."""


def measured(switch: str, game: str, clock: Callable[[], float] = time.process_time) -> dict[str, Any]:
    """The bracket of one game without a heuristic; certificate and quotient not included."""
    merged = merged_solution(solve(configuration(game)))
    with (
        mock.patch.object(*SWITCHES[switch]),
        mock.patch.object(budgets, "time", SimpleNamespace(monotonic=clock)),
    ):
        started, budget = clock(), Budget.lasting(SECONDS)
        point = value_brackets.value_bracket(
            merged, budget=replace(budget, jobs=1) if switch == "one_thread" else budget
        )
        seconds = clock() - started
    return {"switch": switch, "game": game, "low": point.low, "high": point.high, "cpu_seconds": seconds}


def main() -> None:
    """Every switch on every game: processor seconds where the bracket was closed, else how wide it was."""
    if len(sys.argv) == 3:
        print(json.dumps(measured(sys.argv[1], sys.argv[2])))
        return
    print("| game |", " | ".join(SWITCHES), "|\n|---" + "|---" * len(SWITCHES) + "|")
    for game in GAMES:
        cells = []
        for switch in SWITCHES:
            words = ["-m", "benchmarks.brackets", switch, game]
            done = subprocess.run([sys.executable, *words], capture_output=True, check=True, text=True)
            point = json.loads(done.stdout)
            width = point["high"] - point["low"]
            closed = width < value_brackets.CLOSED
            cells.append(f"{point['cpu_seconds']:.1f}" if closed else f"open: {width:.4f}")
        print(f"| {game} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
