"""HOLD beside another program: the same games, written in PRISM's language, checked by the solver of paynt.

``python -m benchmarks.hold_peers PYTHON`` takes the interpreter of an environment of its own in which
``paynt`` is installed (with ``stormpy``; Storm by itself solves no stochastic games). Processor seconds of
one run: ours from the solved game to HOLD_100 and HOLD for ever, certified; theirs of the check alone, once
the model is built. A value of theirs that lies outside our bracket is marked; where HOLD is known as a
fraction, it decides who is right.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.hold import design
from holdfast.operation import hold, prism_model
from holdfast.solver import solve

MOVES = 100
FAMILIES = ("chain", "subnets", "enterprise", "random")
SIZES = (4, 5, 6)

THEIRS = """
import json, sys, time
import payntbind, stormpy
import paynt.specification.property as specified
if hasattr(specified.Property, "initialize"):
    specified.Property.initialize()
environment = getattr(specified.Property, "environment", None) or stormpy.Environment()
program = stormpy.parse_prism_program(sys.argv[1])
found = {}
for name, asked in (("forever", 'F "unsafe"'), ("moves", 'F<=MOVES "unsafe"')):
    began = time.process_time()
    properties = stormpy.parse_properties(f"<<adversary>> Pmax=? [ {asked} ]", program)
    model = stormpy.build_model(program, properties)
    built = time.process_time()
    formula = properties[0].get_raw_formula()
    check = payntbind.synthesis.model_check_smg
    result = check(model, formula, only_initial_states=False, set_produce_schedulers=False, env=environment)
    lost = result.get_value(model.initial_states[0])
    found[name] = {"value": 1 - lost, "check": time.process_time() - built, "build": built - began}
print("found", json.dumps(found))
"""


def theirs(python: str, model: str) -> dict[str, Any]:
    """What the other program says of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.prism"
        path.write_text(model, "utf-8")
        script = THEIRS.replace("MOVES", str(MOVES))
        done = subprocess.run([python, "-c", script, path], capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("found "))
    return dict(json.loads(line.removeprefix("found ")))


def beside(python: str, family: str, n: int, seed: int) -> dict[str, Any]:
    """One game, both ways."""
    solution = solve(design(family, n, seed), "explicit")
    model = prism_model(solution)
    began = time.process_time()
    ours = hold(solution, (MOVES,))
    seconds, other = time.process_time() - began, theirs(python, model)
    row: dict[str, Any] = {"game": f"{family} {n}", "exact": ours.exact, "seconds": round(seconds, 3)}
    for name, ends in (("forever", ours.forever), ("moves", ours.moves[MOVES])):
        value = other[name]["value"]
        row |= {f"{name} low": ends.low, f"{name} high": ends.high, f"{name} theirs": value}
        row |= {f"{name} {part}": round(other[name][part], 3) for part in ("check", "build")}
        row[f"{name} outside by"] = max(ends.low - value, value - ends.high, 0.0)
    if ours.exact is not None:
        row["off by"] = abs(float(Fraction(other["forever"]["value"]) - Fraction(ours.exact)))
    return row


if __name__ == "__main__":
    for size in SIZES:
        for kind in FAMILIES:
            print(beside(sys.argv[1], kind, size, 1), flush=True)
