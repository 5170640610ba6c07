"""How likely designs hold as one probability is moved, as a document: in words, as a table and as curves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from holdfast.design import LikelyCurve, LikelyFrontier
from holdfast.logic import Player
from holdfast.report import blocks
from holdfast.report.blocks import Block, Cell, CellValue, Column, Illustrations, Points, Section, Table
from holdfast.report.documents.likelihood import shown

if TYPE_CHECKING:  # drawing takes longer to load than all the rest
    from matplotlib.figure import Figure


def likely_frontier_document(
    found: LikelyFrontier, source: str = "", lead: str = "", name: str = ""
) -> blocks.Document:
    """The answer of ``frontier`` over a probability."""
    stopped = tuple(f"{curve.label}: {curve.unfinished}" for curve in found.curves if curve.unfinished)
    sentences = Points(tuple(_sentence(found, curve) for curve in found.curves if not curve.unfinished))
    parts = (sentences, Illustrations(partial(_curves, found)), _table(found), blocks.Warnings(stopped))
    called = f"{name}: how likely" if name else "How likely"
    return blocks.Document(
        title=f"{called} it holds as the chance of {found.scale.name} moves",
        source=source,
        lead=lead,
        sections=(Section("How likely it holds", parts),),
        closing=("both ends of every number are proved; a cell has one number where they agree",),
    )


def _sentence(found: LikelyFrontier, curve: LikelyCurve) -> str:
    """Up to where a design is likely enough to hold."""
    name, least = found.scale.name, f"{found.least:g}"
    first, last = (f"{float(p):g}" for p in (found.scale.values[0], found.scale.values[-1]))
    if curve.crossing is not None:
        near = f"{float(curve.crossing.low):.4g} and {float(curve.crossing.high):.4g}"
        way = "up to" if curve.player is Player.ADVERSARY else "from"
        return (
            f"{curve.label} is kept {found.words} with probability {least} or more {way} a chance of {name} "
            f"between {near}."
        )
    kept = all(one is not None and one.low >= found.least for one in curve.cells)
    missed = all(one is not None and one.high < found.least for one in curve.cells)
    word = "everywhere" if kept else "nowhere" if missed else "partly, as far as is known,"
    where = f"{word} between {first} and {last}"
    return f"{curve.label} is kept {found.words} with probability {least} or more {where}."


def _table(found: LikelyFrontier) -> Table:
    heads = (Column(f"chance of {found.scale.name}"), *(Column(curve.label) for curve in found.curves))
    rows: list[tuple[CellValue, ...]] = []
    for place, p in enumerate(found.scale.values):
        cells = (curve.cells[place] for curve in found.curves)
        rows.append((f"{float(p):g}", *(None if one is None else Cell(shown(one), one.low) for one in cells)))
    title = f"The probability that the requirement is kept {found.words}"
    return Table(title, heads, tuple(rows), sortable=False)


def _curves(found: LikelyFrontier) -> Iterator[Block]:
    """The curves, drawn when they are shown."""
    if len(found.scale.values) > 1:
        from holdfast.report import figures

        yield blocks.Illustration(
            figures.svg_text(likely_figure(found), "likely-"),
            f"How likely the requirement is kept {found.words}, by the chance of {found.scale.name}; the "
            f"dashed line is at {found.least:g}.",
            "Curves; the table has the same.",
        )


def likely_figure(found: LikelyFrontier) -> Figure:
    """The probability of holding over the probability that is moved, with the threshold."""
    from holdfast.report.figures import held_over

    curves = {
        curve.label: [
            (float(p), (one.low + one.high) / 2)
            for p, one in zip(found.scale.values, curve.cells, strict=True)
            if one is not None
        ]
        for curve in found.curves
    }
    return held_over(curves, f"chance of {found.scale.name}", found.least)
