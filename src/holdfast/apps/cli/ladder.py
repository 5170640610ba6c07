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
    """Ask whether a design still holds with detection first, slow defenders, or one more host lost.

    Repeats the question under each standard weakening that applies to the file: detect-first, half-speed,
    critical-in-service, one-entry-more, one-destroy-more, any-entry. A rung that a limit stops is reported
    as undecided. The exit code covers the verdict and every rung named by --require.
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
