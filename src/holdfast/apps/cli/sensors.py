"""``sensors``: where does the defender have to look?"""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.apps.cli.app import working
from holdfast.apps.cli.options import Engine, Limits, Question, Workers
from holdfast.apps.cli.reports import Form
from holdfast.apps.cli.supervisor import hear
from holdfast.errors import InputError


def sensors(
    *,
    question: Question,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost", metavar="HOST=COST", help="The cost of a sensor (default 1), such as DB=3; repeatable."
        ),
    ] = None,
    max_cost: Annotated[
        int | None, typer.Option(min=1, metavar="COST", help="Only sets of sensors up to this cost.")
    ] = None,
    engine: Engine = "auto",
    form: Form,
    workers: Workers,
    limits: Limits,
) -> None:
    """Find where sensors are needed, if a compromised host looks clean everywhere else.

    Lists all minimal sets of sensors that allow a defense based only on what they show, cheapest first, and
    proves that there are no others. Exits 1 if even all sensors together are not enough, and 3 if a limit
    stopped the search.
    """
    from holdfast.apps.services.sensing import sensors as asked
    from holdfast.design import sensors_object
    from holdfast.report import sensors_document
    from holdfast.scenario import read_scenario

    form.refuse(question.file)
    costs = dict(map(_priced, cost or ()))
    with working(limits, workers.jobs, about=question.called) as budget:
        scenario = read_scenario(question.file, budget)
        about = {"variant": question.variant, "costs": costs, "max": max_cost, "engine": engine}
        answer = asked(
            scenario,
            question.variant,
            costs=costs,
            max_cost=max_cost,
            engine=engine,
            solved=hear,
            backend=workers.backend(scenario.text, about),
            budget=budget,
        )
    form.answer(
        lambda: sensors_document(answer.found, str(question.file)), lambda: sensors_object(answer.found)
    )
    raise typer.Exit(answer.exit_code)


def _priced(text: str) -> tuple[str, int]:
    """``DB=3`` as a name and a cost.

    >>> _priced("DB=3")
    ('DB', 3)
    """
    name, equals, price = text.rpartition("=")
    if not equals or not name or not price.isdecimal() or not 1 <= int(price) <= 1_000_000:
        raise InputError(f'--cost "{text}": expected a sensor and what it costs, such as DB=3')
    return name, int(price)
