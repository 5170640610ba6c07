"""One attractor by other programs, in one run, where they are installed; none of them is needed.

*dd* (``pip install dd``): decision diagrams, CUDD's where its wheel has them, else the package's own, in
Python. It solves one chain in the declared order, one set for each turn and budget, predecessors by
substitution: what one would write first. *Oink* (``oink`` on the path): an explicit solver of parity games,
given the game as a PGSolver file; beside it stands what solving takes from the configuration to the verdict,
tables and orders included (``whole``). *PRISM-games* (``prism`` on the path) is only found and named.

``python -m benchmarks.peers [HOSTS …]``; 10, 20 and 30 if nothing is said.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.families import chain
from holdfast.budget import UNLIMITED
from holdfast.game.configuration import Configuration
from holdfast.logic.expressions import Player
from holdfast.solver import explicit
from holdfast.solver.engines import solve
from holdfast.solver.product_tables import INADMISSIBLE, TURNS, UNSAFE, ProductTables

SLACK, BUDGET = 3, 2
STATUSES, INFECTED = "CXDIZ", "XD"
CHANGES = {"monitor": ("X", "D"), "isolate": ("CXD", "I"), "restore": ("I", "C"), "fix": ("Z", "C")}


def run(sizes: tuple[int, ...] = (10, 20, 30)) -> dict[str, Any]:
    """Everything that is installed, as one dict; processor seconds."""
    found: dict[str, Any] = {"dd": [], "oink": [], "prism": shutil.which("prism")}
    solve(chain(5), "symbolic")  # what is loaded with the first game is not counted
    found["whole"] = [_whole(n) for n in (5, 7)]
    for n in sizes:
        started = time.process_time()
        shells = solve(chain(n, SLACK, BUDGET), "symbolic").shells
        row: dict[str, Any] = {"hosts": n, "holdfast_seconds": time.process_time() - started}
        try:
            found["dd"].append(row | _by_dd(n, shells))
        except ImportError:
            found["dd"] = "not installed"
            break
    for n in (5, 7) if shutil.which("oink") else ():
        found["oink"].append(_by_oink(chain(n, SLACK, BUDGET)))
    return found


# -- dd -----------------------------------------------------------------------------------------------


def _by_dd(n: int, shells: tuple[int, ...]) -> dict[str, Any]:
    """The chain of n hosts with dd; its losing region must have as many positions as ours outside U."""
    try:
        from dd import cudd as engine
    except ImportError:
        from dd import autoref as engine
    started = time.process_time()
    game = _Chain(engine.BDD(), n)
    n_lost = game.solve()
    took = time.process_time() - started
    assert math.isclose(n_lost, sum(shells), rel_tol=1e-9), (
        "both find the same region"
    )  # CUDD counts in doubles
    return {"dd_seconds": took, "dd_engine": engine.__name__}


class _Chain:
    """The chain of :func:`benchmarks.families.chain` over a package of decision diagrams."""

    def __init__(self, bdd: Any, n: int) -> None:
        self.bdd, self.n = bdd, n
        stations = [f"ws{i}" for i in range(1, n - 3)]
        self.hosts = ["GW", "Web", *stations, "DB", "BK"]
        links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK"), ("GW", stations[0]), ("Web", stations[0])]
        links += [(stations[-1], "DB"), *itertools.pairwise(stations)]
        self.sources = {host: [a for a, b in links if b == host] for host in self.hosts}
        self.bits = {host: [f"{host}_{i}" for i in range(3)] for host in self.hosts}
        bdd.declare(*(bit for bits in self.bits.values() for bit in bits))
        self.valid = self._all(self.among(host, STATUSES) for host in self.hosts)
        bad = [self.among(host, "XDZ") for host in ("DB", "BK")]
        # [k]: the rest of the hosts has at least n − SLACK − k active ones
        at_least = [bdd.true if k >= n - SLACK else bdd.false for k in range(n + 1)]
        for host in reversed(self.hosts):
            active = self.among(host, "CXD")
            at_least = [bdd.ite(active, at_least[min(k + 1, n)], at_least[k]) for k in range(n + 1)]
        self.safe = self.valid & ~(bad[0] & bad[1]) & at_least[0]

    def among(self, host: str, statuses: str) -> Any:
        """The states in which a host has one of some statuses."""
        result = self.bdd.false
        for status in statuses:
            code = STATUSES.index(status)
            values = {bit: bool(code >> 2 - i & 1) for i, bit in enumerate(self.bits[host])}
            result |= self.bdd.cube(values)
        return result

    def _all(self, sets: Any) -> Any:
        result = self.bdd.true
        for states in sets:
            result &= states
        return result

    def _set(self, goal: Any, host: str, status: str) -> Any:
        code = STATUSES.index(status)
        return self.bdd.let({bit: bool(code >> 2 - i & 1) for i, bit in enumerate(self.bits[host])}, goal)

    def solve(self) -> float:
        """How many positions outside U are lost: a least fixpoint, all of a turn and budget at once.

        The last set of each turn is that of an adversary who has spent more than it may, and has no move.
        """
        false = self.bdd.false
        guards = {host: self._any(self.among(s, INFECTED) for s in self.sources[host]) for host in self.hosts}
        idle = self._any(self.among(host, "CIZ") for host in self.hosts)
        lost = {turn: [false] * (BUDGET + 2) for turn in Player}
        while True:
            found = {turn: [false] * (BUDGET + 2) for turn in Player}
            for spent in range(BUDGET + 2):
                goal = held = ~self.safe | lost[Player.ADVERSARY][spent]
                for host, (before, after) in itertools.product(self.hosts, CHANGES.values()):
                    held &= ~self.among(host, before) | self._set(goal, host, after)
                found[Player.DEFENDER][spent] = held & self.valid
            for spent in range(BUDGET + 1):
                goal = reached = ~self.safe | lost[Player.DEFENDER][spent]
                worse = ~self.safe | lost[Player.DEFENDER][spent + 1] if spent < BUDGET else false
                reached |= worse & idle  # a destroy that changes nothing still counts
                for host in self.hosts:
                    reached |= self.among(host, "C") & guards[host] & self._set(goal, host, "X")
                    reached |= self.among(host, INFECTED) & self._set(worse, host, "Z")
                found[Player.ADVERSARY][spent] = reached & self.valid
            if found == lost:
                break
            lost = found
        return sum(float(states.count(3 * self.n)) for sets in lost.values() for states in sets)

    def _any(self, sets: Any) -> Any:
        result = self.bdd.false
        for states in sets:
            result |= states
        return result


def _whole(n: int) -> dict[str, Any]:
    """The chain of n hosts from the configuration to the verdict, by each engine: the best of nine."""
    solve(chain(8), "explicit")  # large enough for the compiled way, so that it is loaded
    row: dict[str, Any] = {"hosts": n}
    for engine in ("explicit", "symbolic"):
        times = []
        for _ in range(9):
            configuration = chain(n, SLACK, BUDGET)
            started = time.process_time()
            solve(configuration, engine)
            times.append(time.process_time() - started)
        row[f"{engine}_seconds"] = min(times)
    return row


# -- Oink ---------------------------------------------------------------------------------------------


def _by_oink(configuration: Configuration) -> dict[str, Any]:
    """A PGSolver file solved by Oink beside the explicit engine, table building and parsing left out."""
    tables = ProductTables.build(configuration)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.pg"
        file.write_text(pgsolver(tables))
        done = subprocess.run(["oink", str(file)], capture_output=True, text=True, check=True)
    import numpy as np

    times = []
    for _ in range(5):
        ranks = np.full((2, tables.blocks.n_blocks, tables.n), -1, dtype=np.int32)
        started = time.process_time()
        list(explicit.compiled_shells(tables, ranks, UNLIMITED))
        times.append(time.process_time() - started)
    told = re.search(r"solving took ([\d.]+) sec", done.stdout + done.stderr)
    return {
        "positions": configuration.n_positions,
        "oink_seconds": float(told.group(1)) if told else None,
        "holdfast_seconds": min(times),
    }


def pgsolver(tables: ProductTables) -> str:
    """The quotient as a parity game: U is one vertex of odd priority, everything else is even."""
    size = 2 * tables.blocks.n_blocks * tables.n
    lines = [f"parity {size};", f"{size} 1 0 {size};"]
    for number in range(size):
        turn, rest = divmod(number, tables.blocks.n_blocks * tables.n)
        block, valuation = divmod(rest, tables.n)
        player = TURNS[turn]
        targets = {}
        for after, kind in zip(tables.successors[player], tables.move_class[player], strict=True):
            state = int(after[valuation])
            target = int(tables.targets[kind, block, state])
            if state < 0 or target == INADMISSIBLE or (turn and tables.blocks.is_sink(block)):
                continue
            other = ((1 - turn) * tables.blocks.n_blocks + target) * tables.n + state
            targets[size if target == UNSAFE else other] = None
        # An adversary without a move has lost the play: it stays where it is, at an even priority.
        lines.append(f"{number} 0 {turn} {','.join(map(str, targets or [number]))};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(json.dumps(run(*([tuple(map(int, sys.argv[1:]))] if sys.argv[1:] else [])), indent=1))
