"""``ladder``: does the answer survive a weaker defender, or a stronger adversary?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question, Required, rungs_of
from holdfast.apps.cli.reports import Form, Growing
from holdfast.apps.cli.supervisor import hear

if TYPE_CHECKING:
    from holdfast.apps.services.design import LadderAnswer
    from holdfast.report import Document


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
    growing, required = Growing(form), rungs_of(require)

    def document(known: LadderAnswer) -> Document:
        return ladder_document(known.ladder, str(question.file), known.rank, known.gates)

    with working(limits, about=question.called) as budget:
        answer = ladder_of(
            read_scenario(question.file, budget),
            question.variant,
            required,
            engine=engine,
            solved=hear,
            # What came of rungs that are required stands before the rest.
            tell=None if required else lambda known: growing.tell(document(known)),
            budget=budget,
        )
    growing.answer(lambda: document(answer), answer.to_object)
    raise typer.Exit(answer.exit_code)
