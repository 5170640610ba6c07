"""The registry of solvers: what is shipped, and what a package installed beside Holdfast adds to it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest

import holdfast as hf
from commands import ROOT, holdfast
from holdfast.errors import InputError
from holdfast.operation.point import operating_point
from holdfast.solver.engines import Solver, solve, solver_of, solvers
from strategies import random_configuration

PAPER = str(ROOT / "scenarios" / "paper.yaml")

ADDED = """
from dataclasses import replace
from holdfast.solver import Solver, solve
from holdfast.operation import operating_point

def slowly(configuration, budget):
    return replace(solve(configuration, "explicit", budget), engine="turtle")

TURTLE = Solver("turtle", "verdict", "the explicit engine, said differently", lambda asked: True, slowly)
HARE = Solver("hare", "operation", "half of everything", lambda asked: True, lambda *given: "half")
NONE = "no solver"
"""


@pytest.fixture(scope="module")
def beside(tmp_path_factory):
    """Run Python where a package with two solvers, and one that is none, is installed beside Holdfast."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "turtles.py").write_text(ADDED)
    info = folder / "turtles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: turtles\nVersion: 1.0\n")

    def run(*words, names=("turtle = turtles:TURTLE", "hare = turtles:HARE")):
        (info / "entry_points.txt").write_text("\n".join(["[holdfast.solvers]", *names, ""]))
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
        command = [sys.executable, *words]
        environment = os.environ | {"PYTHONPATH": path}
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)

    return run


def test_what_is_shipped_is_listed():
    """Should have two ways to a verdict and two to DDR*, with what they are."""
    done = holdfast("engines", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert {question: [one["name"] for one in listed] for question, listed in found.items()} == {
        "verdict": ["explicit", "symbolic"],
        "operation": ["episode", "levels"],
    }
    words = " ".join(holdfast("engines").stdout.split())
    assert all(one["name"] in words and one["description"] in words for f in found.values() for one in f)


def test_every_solver_has_a_name_of_its_own():
    """Should be found under its own name, for its own kind of question only."""
    for question, other in (("verdict", "operation"), ("operation", "verdict")):
        for solver in solvers(question):
            assert isinstance(solver, Solver) and solver_of(question, solver.key) is solver
            with pytest.raises(InputError, match=f'unknown solver "{solver.key}"; known: auto, '):
                solver_of(other, solver.key)


def test_a_solver_refuses_what_it_cannot_solve():
    """Should say which engine cannot, what it is, and what to do; diagrams need variables."""
    listed = (random_configuration(random.Random(seed)) for seed in range(99))
    tabulated = next(found for found in listed if found.game.tables is not None)
    solution = solve(tabulated)
    assert solution.engine == "explicit"
    with pytest.raises(InputError, match=r'the engine "symbolic" cannot solve.*factored.*to "auto"'):
        solve(tabulated, "symbolic")
    with pytest.raises(InputError, match=r'the method "levels" cannot solve.*factored.*to "auto"'):
        operating_point(solution, method="levels")


def test_both_ways_to_ddr_agree():
    """Should find the value of backward induction between the bounds of value diagrams."""
    solution = solve(hf.load(PAPER, "no-bypass"))
    exact, bracket = (operating_point(solution, method=name) for name in ("episode", "levels"))
    assert (exact.method, bracket.method) == ("episode", "levels")
    assert bracket.low <= exact.value <= bracket.high
    with pytest.raises(InputError, match=r'unknown method "levls".*did you mean "levels"'):
        operating_point(solution, method="levls")


def test_a_package_adds_solvers(beside):
    """Should be listed, solve by the option and from Python, and not take part where nobody names it."""
    found = json.loads(beside("-m", "holdfast", "engines", "--json").stdout)
    assert found["verdict"][-1]["name"] == "turtle" and found["operation"][-1]["name"] == "hare"
    told = json.loads(beside("-m", "holdfast", "check", PAPER, "--json", "--engine", "turtle").stdout)
    assert told["engine"] == "turtle" and told["defensible"]
    assert json.loads(beside("-m", "holdfast", "check", PAPER, "--json").stdout)["engine"] == "symbolic"
    program = (
        "import holdfast as hf; from holdfast.operation import operating_point\n"
        f"print(operating_point(hf.solve(hf.load({PAPER!r})), method='hare'))"
    )
    assert beside("-c", program).stdout == "half\n"


def test_what_is_no_solver_is_named(beside):
    """Should tell the entry point, and what was expected there."""
    done = beside("-m", "holdfast", "engines", names=["owl = turtles:NONE"])
    assert done.returncode == 2 and '"owl", one of the solvers that the package turtles brings' in done.stderr
    assert "expected Solver at turtles:NONE" in done.stderr
