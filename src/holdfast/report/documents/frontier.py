"""A threat frontier as a document: what each design bears in words, as tables and as heat maps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING

from holdfast.design import Contrast, Frontier, Scale, Staircase, contrasts, levels
from holdfast.game import counted, listed
from holdfast.report import blocks
from holdfast.report.blocks import Block, Cell, CellValue, Column, Points, Prose, Section, Table, words

if TYPE_CHECKING:  # drawing takes longer to load than all the rest
    from matplotlib.figure import Figure

CellReadings = Mapping[tuple[str, int, int], str]
"""What is read in a cell, by design, level and place on the last scale."""

_BUDGET = re.compile(r"times\((?:adversary\.)?(\w+)\) <= ")
_UNITS = {
    "tempo": ("turn of tempo", "turns of tempo"),
    "grace": ("turn of grace", "turns of grace"),
    "entries": ("entry at once", "entries at once"),
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")

MAX_PANELS, MAX_VALUES = 12, 24


def frontier_document(
    frontier: Frontier,
    source: str = "",
    lead: str = "",
    readings: CellReadings | None = None,
    name: str = "",
) -> blocks.Document:
    """The answer of ``frontier``; ``name`` is that of the scenario, where there is one."""
    sentences, shown = tuple(_sentences(frontier)), readings or {}
    stopped = [f"{s.label}: {s.unfinished}" for s in frontier.staircases if s.unfinished]
    n_solved = sum(s.n_solved for s in frontier.staircases)
    each = len(frontier.scales[-1].values)
    n_cells = len(frontier.staircases) * len(frontier.staircases[0].reach) * each
    n_open = sum(s.reach.count(None) for s in frontier.staircases) * each
    cells = f"{n_cells - n_open} of {counted(n_cells, 'cell')}" if n_open else counted(n_cells, "cell")
    return blocks.Document(
        title=f"{name}: how much attack it tolerates" if name else "Threat frontier",
        source=source,
        lead=lead,
        sections=(
            Section(
                "What is defensible",
                (
                    Points(sentences),
                    _drawn(frontier, shown),
                    _table(frontier),
                    blocks.Warnings(tuple(stopped)),
                ),
            ),
            Section("Cell by cell", tuple(_maps(frontier, shown)), detail=True, drawn=True),
        ),
        closing=(f"{cells} decided exactly by {counted(n_solved, 'solve')}",),
    )


def _sentences(frontier: Frontier) -> Iterator[str]:
    base, last = frontier.staircases[0], frontier.scales[-1]
    if all(n == len(last.values) for n in base.reach):
        yield f"{base.label} is defensible in every cell."
    elif not any(base.reach) and None not in base.reach:
        yield f"{base.label} is defensible in no cell."
    differences = list(contrasts(frontier))
    if (
        len(differences) > 1
        and all(not c.more and not c.fewer for c in differences)
        and any(c.n_levels for c in differences)
    ):
        n_designs = len(frontier.staircases)
        yield f"All {n_designs} designs tolerate the same: these numbers do not tell them apart."
    else:
        yield from (_contrast(c, base.label, last, len(frontier.scales) > 1) for c in differences)


def _contrast(contrast: Contrast, base: str, last: Scale, has_levels: bool) -> str:
    """How a design differs from the base, in a sentence."""
    where = " at every level" if has_levels else ""
    if has_levels and contrast.n_hopeless:
        where = " at every level that can be held at all"
    if not contrast.n_levels or contrast.more == contrast.fewer == 0:
        return f"{contrast.label} tolerates as much as {base}{where}."
    if contrast.everywhere:
        n, word = abs(contrast.everywhere), "more" if contrast.everywhere > 0 else "fewer"
        if last.template.startswith("sensors "):
            fewer = "fewer" if contrast.everywhere > 0 else "more"
            return f"{contrast.label} needs {counted(n, f'{fewer} sensor')}{where} than {base}."
        return f"{contrast.label} tolerates {_units(n, last, word)}{where} than {base}."
    at = [f"more at {counted(contrast.more, 'level')}"] if contrast.more else []
    at += [f"less at {counted(contrast.fewer, 'level')}"] if contrast.fewer else []
    rest = contrast.n_levels - contrast.more - contrast.fewer
    at += [f"as much at {counted(rest, 'level')}"] if rest else []
    return f"{contrast.label} against {base}: tolerates {listed(at)}."


def _units(n: int, scale: Scale, word: str) -> str:
    """So many units of a scale, such as ``one more destroy``.

    >>> _units(1, Scale("times(destroy) <= □", (0, 1), 1), "more")
    'one more destroy'
    >>> _units(2, Scale("active >= □", (0, 1, 2), 1), "fewer")
    'two steps fewer of active >= k'
    """
    number = _NUMBERS[n] if n < len(_NUMBERS) else str(n)
    budget = _BUDGET.match(scale.template)
    if budget is not None:
        return f"{number} {word} {budget[1]}{'s' if n > 1 else ''}"
    one, several = _UNITS.get(scale.template.split(" ")[0], ("", ""))
    if one:
        return f"{number} {word} {several if n > 1 else one}"
    return f"{number} step{'s' if n > 1 else ''} {word} of {scale.text()}"


def _table(frontier: Frontier) -> Table:
    """The hardest value of the last scale that each design tolerates, level by level."""
    last = frontier.scales[-1]
    heads = tuple(words(scale.text()) for scale in frontier.scales[:-1]) or (words(""),)
    rows: list[tuple[CellValue, ...]] = []
    for i, level in enumerate(levels(frontier.scales)):
        named = tuple(str(k) for k in level) or ("",)
        rows.append((*named, *(_limit(s.reach[i], last) for s in frontier.staircases)))
    designs = tuple(Column(s.label, "text") for s in frontier.staircases)
    return Table(
        f"The hardest {last.text()} that each design tolerates",
        (*heads, *designs),
        tuple(rows),
        title=f"The hardest {last.text()} that is defensible",
        note="Exact: the next harder value is not defensible. ≥: the last value tried still is.",
        sortable=False,
    )


def _limit(n: int | None, last: Scale) -> Cell:
    if n is None:
        return Cell("not known")
    if n == 0:
        return Cell("none", -1)
    return Cell(f"{'≥ ' if n == len(last.values) else ''}{last.values[n - 1]}", n)


def _panels(frontier: Frontier, apart: bool) -> Iterator[tuple[str, Staircase, int]]:
    """The panels, one for each design and each combination of all scales but the last two.

    Designs with the same frontier share theirs. With each, where its rows begin.
    """
    outer = list(product(*(scale.values for scale in frontier.scales[:-2])))
    n_rows = len(frontier.scales[-2].values) if len(frontier.scales) > 1 else 1
    alike: dict[object, list[Staircase]] = {}
    for staircase in frontier.staircases:
        alike.setdefault(staircase.label if apart else staircase.reach, []).append(staircase)
    for same in alike.values():
        label = listed([staircase.label for staircase in same])
        if len(same) == len(frontier.staircases) > 2:
            label = f"all {len(same)} designs"
        for i, level in enumerate(outer):
            at = ", ".join(s.text(k) for s, k in zip(frontier.scales, level, strict=False))
            yield f"{label}{f' · {at}' if at else ''}", same[0], i * n_rows


def _maps(frontier: Frontier, readings: CellReadings) -> Iterator[Block]:
    """The panels as text: a table for each, harder numbers to the right and downwards."""
    last = frontier.scales[-1]
    if len(last.values) > MAX_VALUES:
        return
    rows = frontier.scales[-2].values if len(frontier.scales) > 1 else ("",)
    name = frontier.scales[-2].text() if len(frontier.scales) > 1 else ""
    columns = (words(name), *(Column(str(k), "text") for k in last.values))
    for number, (label, staircase, start) in enumerate(_panels(frontier, bool(readings))):
        if number >= MAX_PANELS:
            yield Prose("… and more; --json has all of them")
            return
        cells = tuple(
            (str(row), *(_mark(staircase, start + i, j, readings) for j in range(len(last.values))))
            for i, row in enumerate(rows)
        )
        caption = f"{label}: ■ is defensible, · is not; across {last.text()}"
        yield Table(caption, columns, cells, title=f"{label}, across {last.text()}", sortable=False)


def _mark(staircase: Staircase, level: int, column: int, readings: CellReadings) -> str:
    n = staircase.reach[level]
    if n is None:
        return "?"
    return readings.get((staircase.label, level, column), "■") if column < n else "·"


def _drawn(frontier: Frontier, readings: CellReadings) -> blocks.Illustrations:
    def draw() -> Iterator[Block]:
        from holdfast.report import figures

        yield blocks.Illustration(
            figures.svg_text(frontier_figure(frontier, readings), "frontier-"),
            f"What is defensible; harder to the right ({frontier.scales[-1].text()}) and upwards. The heavy "
            "line is the frontier.",
            "Heat maps of the frontier; the tables have the same.",
        )

    return blocks.Illustrations(draw)


def frontier_figure(frontier: Frontier, readings: CellReadings | None = None) -> Figure:
    """The heat maps of all panels that fit a figure."""
    from holdfast.report.figures.heat_map import heat_maps

    last = frontier.scales[-1]
    levelled = frontier.scales[-2] if len(frontier.scales) > 1 else None
    n_rows = len(levelled.values) if levelled else 1
    panels, shown = {}, {}
    for label, staircase, start in list(_panels(frontier, bool(readings)))[:MAX_PANELS]:
        panels[label] = staircase.reach[start : start + n_rows]
        for (design, level, column), text in (readings or {}).items():
            if design == staircase.label and start <= level < start + n_rows:
                shown[label, level - start, column] = text
    rows = (levelled.text(), levelled.values) if levelled else ("", (0,))
    return heat_maps(panels, rows, (last.text(), last.values), shown)
