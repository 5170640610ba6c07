"""``frontier``: how much attack a design bears, at which level of service."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.apps.cli.app import one_printable_line, working
from holdfast.apps.cli.completions import variants
from holdfast.apps.cli.options import Engine, Limits, Workers
from holdfast.apps.cli.reports import Form, refuse_place
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.apps.services.changes import FrontierAnswer, LikelyFrontierAnswer
    from holdfast.design import Scale
    from holdfast.game import Configuration


def frontier(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario file.", show_default=False)],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="NUMBER=LOW..HIGH",
            help="A number to vary, such as times(destroy)=0..5, or tempo, effort, grace, entries, "
            "sensors; repeatable. By default, one number of the requirement and one of the threat model.",
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            "-v",
            help="Only the base and this variant; repeatable.",
            autocompletion=variants,
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading", metavar="KEY", help="Show this score in each cell that holds, such as win or slt."
        ),
    ] = None,
    hold: Annotated[
        int,
        typer.Option(min=0, metavar="MOVES", help="With a chance: for how many moves; 0 for ever."),
    ] = 100,
    least: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="With a chance: the probability that is enough.")
    ] = 0.95,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also write the heat maps to this file.")
    ] = None,
    engine: Engine = "auto",
    form: Form,
    workers: Workers,
    limits: Limits,
) -> None:
    """Stress-test a design: which combinations of budgets and thresholds can still be defended?

    The answer is exact, for the base and each variant. Only the boundary is solved, not every cell.
    Over a chance, as in --over "chance(spread)=0.1..0.9", it is how likely the design holds at each value.
    """
    from holdfast.apps.services.changes import frontier as frontier_of, likely_frontier
    from holdfast.design import probability_scale, scales_of
    from holdfast.scenario import BASE, configuration, read_scenario

    chances = [scale for text in over or () if (scale := probability_scale(text)) is not None]
    if chances and (len(over or ()) > 1 or reading is not None):
        raise typer.BadParameter("a chance is moved by itself: one --over chance(…), and no --reading")
    form.refuse(file)
    refuse_place(svg, file, form.html)
    with working(limits, workers.jobs, about=file.name) as budget:
        scenario = read_scenario(file, budget)
        names = dict.fromkeys([BASE, *(scenario.variants if variant is None else variant)])
        designs = {name: configuration(scenario, name, budget) for name in names}
        answer: FrontierAnswer | LikelyFrontierAnswer
        if chances:
            asked: dict[str, Any] = {"over": chances[0], "moves": hold or None, "least": least}
            backend = workers.backend(scenario.text, {**asked, "engine": engine})
            answer = likely_frontier(designs, **asked, engine=engine, backend=backend, budget=budget)
        else:
            scales = scales_of(designs[BASE], over or ())
            if variant is None:
                designs = dict(_having(designs, scales))
            backend = workers.backend(scenario.text, {"scales": scales, "engine": engine})
            answer = frontier_of(
                designs, scales, reading=reading, engine=engine, backend=backend, budget=budget
            )
    if svg is not None:
        from holdfast.report import svg_document
        from holdfast.running import write_whole

        write_whole(svg, svg_document(answer.figure()))
    form.answer(lambda: answer.document(str(file), scenario.description, scenario.name), answer.to_object)
    raise typer.Exit(answer.exit_code)


def _having(
    designs: Mapping[str, Configuration], scales: Sequence[Scale]
) -> Iterator[tuple[str, Configuration]]:
    """The base, and what has the numbers of the scales too; that the others are left out is said."""
    from holdfast.design import numbers_of

    for name, design in designs.items():
        try:
            numbers_of(design, scales)
        except InputError as error:
            if design.variant is not None:
                print(one_printable_line(f"left out: {error}".partition(";")[0]), file=sys.stderr)
                continue
        yield name, design
