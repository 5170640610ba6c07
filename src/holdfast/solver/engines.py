"""Two engines, one contract: :func:`solve` picks, and the answer never depends on the pick."""

from __future__ import annotations

from importlib import import_module

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean, expect
from holdfast.game import Configuration
from holdfast.solver.solution import Solution

ENGINES = ("auto", "explicit", "symbolic")


def solve(configuration: Configuration, engine: str = "auto", budget: Budget = UNLIMITED) -> Solution:
    """Solve a configuration: certificate, shells, ranks.

    The engine is ``explicit`` (arrays), ``symbolic`` (decision diagrams), or ``auto``: symbolic for factored
    games, explicit for tabulated ones.

    Raises:
        InputError: for an unknown engine, or a tabulated game with the symbolic engine.
        LimitError: when the engine's size limit is reached.
    """
    expect(
        configuration,
        Configuration,
        "what is to be solved",
        "a configuration: configure(game, …) or load(file)",
    )
    expect(budget, Budget, "the budget", "a Budget, see holdfast.budget")
    if engine not in ENGINES:
        raise InputError(
            f'unknown engine "{engine}"; known: {", ".join(ENGINES)}' + did_you_mean(engine, ENGINES)
        )
    if engine == "auto":
        engine = "explicit" if configuration.game.tables is not None else "symbolic"
    solution: Solution = import_module(f"holdfast.solver.{engine}").solve(configuration, budget)
    return solution
