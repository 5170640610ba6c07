"""The registry of solvers, and :func:`solve`, which picks one for the verdict.

A solver answers one kind of question: whether a configuration can be defended (``verdict``), or what perfect
players make of one that can (``operation``, DDR*; see :mod:`holdfast.operation.point`). All solvers of a kind
take the same arguments and give the same kind of answer, so the answer never depends on the pick. They are
found by entry points of the group ``holdfast.solvers``, those that Holdfast ships too: to add one, write a
:class:`Solver` and name it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean, expect
from holdfast.game import Configuration
from holdfast.running import load_plugin, plugins_of
from holdfast.solver.solution import Solution

GROUP = "solvers"
AUTO = "auto"

SolverQuestion = Literal["verdict", "operation"]


@dataclass(frozen=True)
class Solver:
    """A way to answer a kind of question.

    Attributes:
        key: its name in options and results, and that of its entry point.
        question: the kind of question that it answers.
        description: how it works and what it is for, in a few words.
        can: whether it can answer for a configuration or, of the kind ``operation``, for a solution.
        solve: answers. For a ``verdict`` it takes a configuration and a budget, and gives a solution. For
            ``operation`` it takes a solution, a protocol, a budget and a function that is told what a limit
            left out, and gives an operating point.
    """

    key: str
    question: SolverQuestion
    description: str
    can: Callable[[Any], bool]
    solve: Callable[..., Any]


def solvers(question: SolverQuestion) -> tuple[Solver, ...]:
    """All solvers for a kind of question, those that Holdfast ships first.

    Raises:
        InputError: for a plug-in that cannot be imported or is no solver.
    """
    return tuple(solver for solver in map(_loaded, plugins_of(GROUP)) if solver.question == question)


def solver_of(question: SolverQuestion, name: str, called: str = "solver") -> Solver:
    """The solver with a name, imported when it is first asked for.

    Raises:
        InputError: for a name that no solver for this kind of question has; ``called`` is what it is called
            there.
    """
    if name in plugins_of(GROUP):
        solver = _loaded(name)
        if solver.question == question:
            return solver
    known = (AUTO, *(solver.key for solver in solvers(question)))
    raise InputError(f'unknown {called} "{name}"; known: {", ".join(known)}' + did_you_mean(name, known))


def _loaded(name: str) -> Solver:
    solver: Solver = load_plugin(GROUP, name, Solver)
    return solver


def solve(configuration: Configuration, engine: str = AUTO, budget: Budget = UNLIMITED) -> Solution:
    """Solve a configuration: certificate, shells, ranks.

    The engine is ``explicit`` (arrays), ``symbolic`` (decision diagrams), one that another package adds, or
    ``auto``: symbolic for factored games, explicit for tabulated ones.

    Raises:
        InputError: for an unknown engine, or one that cannot solve such a game.
        LimitError: when the engine's size limit is reached.
    """
    expect(
        configuration,
        Configuration,
        "what is to be solved",
        "a configuration: configure(game, …) or load(file)",
    )
    expect(budget, Budget, "the budget", "a Budget, see holdfast.budget")
    if engine == AUTO:
        engine = "explicit" if configuration.game.tables is not None else "symbolic"
    solver = solver_of("verdict", engine, "engine")
    if not solver.can(configuration):
        raise InputError(
            f'the engine "{engine}" cannot solve this game: it is {solver.description}; '
            f'leave the choice to "{AUTO}"'
        )
    solution: Solution = solver.solve(configuration, budget)
    return solution
