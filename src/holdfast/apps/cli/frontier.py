"""``frontier``: how much attack a design bears, at which level of service."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.apps.cli.app import DEFENSIBLE, UNDECIDED, working
from holdfast.apps.cli.completions import variants
from holdfast.apps.cli.options import Engine, Limits, Workers
from holdfast.apps.cli.reports import Form, refuse_place

if TYPE_CHECKING:
    from holdfast.design import Frontier


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
    from holdfast.design import cell_readings, frontier as frontier_of, frontier_object, scales_of
    from holdfast.report import frontier_document, frontier_figure
    from holdfast.scenario import BASE, configuration, read_scenario

    form.refuse(file)
    refuse_place(svg, file, form.html)
    read: dict[tuple[str, int, int], float | None] = {}
    with working(limits, workers.jobs, about=file.name) as budget:
        scenario = read_scenario(file, budget)
        names = dict.fromkeys([BASE, *(scenario.variants if variant is None else variant)])
        designs = {name: configuration(scenario, name, budget) for name in names}
        scales = scales_of(designs[BASE], over or ())
        place = workers.place(scenario.text, {"scales": scales, "engine": engine})
        found = frontier_of(designs, scales, engine=engine, budget=budget, workplace=place)
        if reading is not None:
            read = cell_readings(designs, found, reading, engine=engine, budget=budget, workplace=place)
    readings = {cell: _short(value, reading) for cell, value in read.items()}
    if svg is not None:
        from holdfast.report import svg_document
        from holdfast.running import write_whole

        write_whole(svg, svg_document(frontier_figure(found, readings)))
    form.answer(
        lambda: frontier_document(found, str(file), scenario.description, readings),
        lambda: frontier_object(found) | _cells(found, read, reading),
    )
    raise typer.Exit(UNDECIDED if any(s.unfinished for s in found.staircases) else DEFENSIBLE)


def _short(value: float | None, key: str | None) -> str:
    """A reading as a cell has room for it."""
    from holdfast.readings import reading_of

    if value is not None and key is not None and math.isinf(value):
        return reading_of(key).written(value)
    return "–" if value is None else f"{value:.3g}"


def _cells(
    found: Frontier, read: dict[tuple[str, int, int], float | None], reading: str | None
) -> dict[str, object]:
    """The readings for JSON, each with the numbers of its cell."""
    from holdfast.design import levels
    from holdfast.readings import reading_of

    if reading is None:
        return {}
    places, last, row = list(levels(found.scales)), found.scales[-1].values, reading_of(reading)
    return {
        "reading": reading,
        "cells": [
            {"design": design, "at": [*places[level], last[column]], reading: row.plain(value)}
            for (design, level, column), value in read.items()
        ],
    }
