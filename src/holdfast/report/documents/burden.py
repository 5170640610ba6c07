"""Which part makes defending hardest, as a section: the topology with what each part carries, and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isinf
from typing import TYPE_CHECKING

from holdfast.design import (
    FILTER,
    Burden,
    ChangedDesign,
    Shift,
    gains,
    heaviest_first,
    merits,
    ranking,
    relieves,
    shifts,
)
from holdfast.game import Configuration, Part, counted, drawn_graph, listed, number
from holdfast.readings import Reading, burden_readings
from holdfast.report import blocks
from holdfast.report.blocks import Block, Cell, CellValue, Column, Section, Table, words

if TYPE_CHECKING:  # drawing takes longer to load than all the rest
    from matplotlib.figure import Figure

MAX_SHOWN = 30


def burden_section(configuration: Configuration, burdens: Sequence[Burden], base: ChangedDesign) -> Section:
    """The parts of a held design by what they carry, heaviest first."""
    title = "Which part makes defending hardest"
    return Section(
        title,
        (_drawn(configuration, burdens, base), _table(burdens, base, configuration.system.parts)),
        detail=True,
    )


def _table(burdens: Sequence[Burden], base: ChangedDesign, parts: Sequence[Part]) -> Table:
    """What the absence of each part would change."""
    ranked = heaviest_first((burden for burden in burdens if burden.without.analysis is not None), base)
    n_left, known = len(burdens) - len(ranked), merits(base)
    weighed = [reading for reading in burden_readings() if reading.key in known]
    rows: list[tuple[CellValue, ...]] = []
    for burden in ranked[:MAX_SHOWN]:
        moved, better = shifts(burden, base), {key for key, _, _ in gains(burden.without, base)}
        after = merits(burden.without)
        cells = (_cell(r, moved.get(r.key), known[r.key], after.get(r.key), r.key in better) for r in weighed)
        rows.append((f"{burden.part.kind} {burden.part.name}", *cells))
    filters = {burden.part.kind for burden in burdens if burden.part.verb == FILTER}
    spots = {burden.part.kind for burden in burdens} - {part.kind for part in parts} - filters
    hard = f" A {listed(sorted(spots))} is gone when trouble cannot spread to it." if spots else ""
    hard += " Where a flow needs a link, it is filtered instead of removed." if filters else ""
    readings = ", ".join(f"{r.label} {_value(r, known[r.key])}" for r in weighed)
    more = f" {len(ranked) - MAX_SHOWN} more are in --json." if len(ranked) > MAX_SHOWN else ""
    more += f" Not analysed in time: {counted(n_left, 'part')}." if n_left else ""
    return Table(
        "What the design would gain without each part",
        (words("without"), *(Column(reading.label) for reading in weighed)),
        tuple(rows),
        note=f"Against the design as it is: {readings}. ·: the same.{hard}{more}",
    )


def _cell(
    reading: Reading,
    shift: Shift | None,
    before: tuple[float, float],
    after: tuple[float, float] | None,
    better: bool,
) -> Cell:
    """A change with its sign; of a whole number, what it was and what it becomes."""
    if shift is None or after is None:
        return Cell("–")
    if abs(shift.low) < 5e-5 and abs(shift.high) < 5e-5:
        return Cell("·", 0.0)
    if reading.whole:
        was, becomes = (reading.written(abs(ends[0])) for ends in (before, after))
        return Cell(f"{was} → {becomes}", None if isinf(shift.low) else shift.low, strong=better)
    ends = [f"{end:+.4f}".replace("-", "−") for end in (shift.low, shift.high)]
    text = ends[0] if shift.high - shift.low < 1e-4 else f"{ends[0]} to {ends[1]}"
    return Cell(text, (shift.low + shift.high) / 2, strong=better)


def _value(reading: Reading, ends: tuple[float, float]) -> str:
    if reading.whole:
        return reading.written(abs(ends[0]))
    return number(ends[0], 4) if ends[1] - ends[0] < 1e-4 else f"{number(ends[0], 4)} to {number(ends[1], 4)}"


# -- the picture --------------------------------------------------------------------------------------


def _drawn(
    configuration: Configuration, burdens: Sequence[Burden], base: ChangedDesign
) -> blocks.Illustrations:
    def draw() -> Iterator[Block]:
        from holdfast.report import figures

        figure, graph = burden_figure(configuration, burdens, base), configuration.system.graph
        if figure is not None and graph is not None:
            heavy = [f"{b.part.kind} {b.part.name}" for b in heaviest_first(burdens, base)[:3]]
            yield blocks.Illustration(
                figures.svg_text(figure, "burden-"),
                f"What each part carries: the wider a {graph.relation} or the edge of a {graph.noun}, the "
                "more DDR* would rise without it.",
                f"The topology, lines by what they carry. Heaviest: {', '.join(heavy)}. The table has the "
                "numbers.",
            )

    return blocks.Illustrations(draw)


def burden_figure(
    configuration: Configuration, burdens: Sequence[Burden], base: ChangedDesign
) -> Figure | None:
    """The topology with what its parts carry; None for a system without a picture, or with one too large."""
    from holdfast.report.documents.pictures import drawable
    from holdfast.report.figures.burden_map import Weight, burden_map

    graph = drawn_graph(configuration)
    if graph is None or not drawable(graph):
        return None
    weights = {}
    for burden in reversed(heaviest_first(burdens, base)):
        place, moved = graph.place(burden.part.name), shifts(burden, base)
        if place is None or not moved:
            continue
        gains_by_key = [moved.get(key, Shift(0.0, 0.0)).low for key in ranking()]
        gain, better = gains_by_key[0], max(gains_by_key) > 5e-5
        tone = "relieved" if relieves(burden, base) else "better" if better else ""
        weights[place] = Weight(max(0.0, gain), tone)
    return burden_map(graph, weights, "DDR*")
