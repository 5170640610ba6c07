"""``engines``: the solvers that there are."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from holdfast.apps.cli.app import emit, one_printable_line
from holdfast.apps.cli.options import AsJson

if TYPE_CHECKING:
    from holdfast.solver import Solver, SolverQuestion

QUESTIONS: Mapping[SolverQuestion, str] = {
    "verdict": "Verdicts (--engine): the answer is the same",
    "operation": "DDR*: the first of Holdfast's own that fits the limits",
}
WIDTH = 78


def engines(*, as_json: AsJson = False) -> None:
    """List the solvers: for verdicts (see --engine) and for DDR*.

    Other installed packages can add solvers.
    """
    from holdfast.solver import solvers

    known = {question: solvers(question) for question in QUESTIONS}
    if as_json:
        listed = {question: [_object(one) for one in these] for question, these in known.items()}
        emit(json.dumps(listed))
    else:
        emit("\n".join(line for question, these in known.items() for line in _lines(question, these)))


def _object(solver: Solver) -> dict[str, str]:
    return {"name": solver.key, "description": solver.description}


def _lines(question: SolverQuestion, found: Sequence[Solver]) -> Iterator[str]:
    """A heading, and each solver with its description beside its name."""
    yield QUESTIONS[question]
    widest = max(len(one_printable_line(solver.key)) for solver in found)
    for solver in found:
        name, text = map(one_printable_line, (solver.key, solver.description))
        first, *rest = textwrap.wrap(text, WIDTH - widest - 4) or [""]
        yield f"  {name:<{widest}}  {first}"
        yield from (f"  {'':<{widest}}  {line}" for line in rest)
