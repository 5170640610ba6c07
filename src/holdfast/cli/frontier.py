"""``frontier``: how much attack a design bears, at which level of service."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.app import DEFENSIBLE, UNDECIDED, working
from holdfast.cli.completions import variants
from holdfast.cli.options import Engine, Limits, Workers
from holdfast.cli.reports import Form, refuse_place

if TYPE_CHECKING:
    from holdfast.whatif.frontiers import Frontier


def frontier(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario file.", show_default=False)],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="NUMBER=LOW..HIGH",
            help="A number to move, such as times(destroy)=0..5, or tempo, effort, grace, entries; repeat "
            "for more. By default a number of the requirement and one of the threat.",
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            "-v",
            help="Only the base and these variants; may be repeated.",
            autocompletion=variants,
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option("--reading", metavar="KEY", help="Read this in each cell that holds: win, slt …"),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the heat maps there as well.")
    ] = None,
    engine: Engine = "auto",
    form: Form,
    workers: Workers,
    limits: Limits,
) -> None:
    """Which combinations of numbers are defensible, for the base and each variant, exactly.

    Found by following the edge, not by filling the grid.
    """
    from holdfast.report.frontier_document import frontier_document, frontier_figure
    from holdfast.scenario.load import configuration, read_scenario
    from holdfast.scenario.schema import BASE
    from holdfast.whatif import frontiers

    form.refuse(file)
    refuse_place(svg, file, form.html)
    read: dict[tuple[str, int, int], float | None] = {}
    with working(limits, workers.jobs, about=file.name) as budget:
        scenario = read_scenario(file, budget)
        names = dict.fromkeys([BASE, *(scenario.variants if variant is None else variant)])
        designs = {name: configuration(scenario, name, budget) for name in names}
        scales = frontiers.scales_of(designs[BASE], over or ())
        place = workers.place(scenario.text, {"scales": scales, "engine": engine})
        found = frontiers.frontier(designs, scales, engine=engine, budget=budget, workplace=place)
        if reading is not None:
            read = frontiers.cell_readings(
                designs, found, reading, engine=engine, budget=budget, workplace=place
            )
    readings = {cell: "–" if value is None else f"{value:.3g}" for cell, value in read.items()}
    if svg is not None:
        from holdfast.files import write_whole
        from holdfast.report.figures import svg_document

        write_whole(svg, svg_document(frontier_figure(found, readings)))
    form.answer(
        lambda: frontier_document(found, str(file), scenario.description, readings),
        lambda: frontiers.frontier_object(found) | _cells(found, read, reading),
    )
    raise typer.Exit(UNDECIDED if any(s.unfinished for s in found.staircases) else DEFENSIBLE)


def _cells(
    found: Frontier, read: dict[tuple[str, int, int], float | None], reading: str | None
) -> dict[str, object]:
    """The readings for JSON, each with the numbers of its cell."""
    from holdfast.whatif.frontiers import levels

    if reading is None:
        return {}
    places, last = list(levels(found.scales)), found.scales[-1].values
    return {
        "reading": reading,
        "cells": [
            {"design": design, "at": [*places[level], last[column]], reading: value}
            for (design, level, column), value in read.items()
        ],
    }
