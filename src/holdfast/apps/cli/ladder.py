"""``ladder``: does the answer survive a weaker defender, or a stronger adversary?"""

from __future__ import annotations

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question, Required, rungs_of
from holdfast.apps.cli.reports import Form


def ladder(
    *,
    question: Question,
    require: Required = None,
    engine: Engine = "auto",
    form: Form,
    limits: Limits,
) -> None:
    """Does it still hold if detection comes first, the defender is slow, or one more host is lost?

    The same question under standard weakenings, those that make sense for the file: detect-first,
    half-speed, critical-in-service, one-entry-more, one-destroy-more, any-entry. A rung that a limit stops
    is left undecided. The exit code is that of the verdict, and of the rungs that --require names.
    """
    from holdfast.apps.services.design import ladder as ladder_of
    from holdfast.report import ladder_document
    from holdfast.scenario import read_scenario

    form.refuse(question.file)
    with working(limits, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        answer = ladder_of(scenario, question.variant, rungs_of(require), engine=engine, budget=budget)
    form.answer(
        lambda: ladder_document(answer.ladder, str(question.file), answer.rank, answer.gates),
        answer.to_object,
    )
    raise typer.Exit(answer.exit_code)
