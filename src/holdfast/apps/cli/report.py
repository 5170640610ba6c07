"""``report``: a design on two printed pages, for those who decide."""

from __future__ import annotations

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question
from holdfast.apps.cli.reports import Form
from holdfast.apps.cli.supervisor import hear


def report(*, question: Question, engine: Engine = "auto", form: Form, limits: Limits) -> None:
    """Write a page for decision makers: the verdict, the attack or the staffing, options and assumptions.

    --html writes a page that prints on two sheets. Searching for changes takes up to a minute, within
    --timeout. The exit code is that of the verdict.
    """
    from holdfast.apps.services.briefing import briefing
    from holdfast.scenario import read_scenario

    form.refuse(question.file)
    with working(limits, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        answer = briefing(scenario, question.variant, engine=engine, solved=hear, budget=budget)
    form.answer(lambda: answer.document(str(question.file)), answer.to_object)
    raise typer.Exit(answer.exit_code)
