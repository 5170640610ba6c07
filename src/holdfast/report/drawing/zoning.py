"""Where nodes stand in a picture with zones: a box for each zone, boxes in levels from the entry outwards.

A *block* is a zone with its nodes, or one node that is in no zone. Blocks are put in levels by the number of
arrows between blocks from where trouble begins; a level is a column of blocks, and levels that do not fit
side by side go on below. Inside a zone the nodes stand in columns by their own distance. The order in a
column follows the mean height of the neighbours, swept a few times, which keeps crossings few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from holdfast.game import Arrow, distances
from holdfast.report.drawing.layering import Point, Sizes

PADDING, TITLE, BETWEEN = 0.13, 0.2, 0.22
"""Inches around the nodes of a zone, above them for its name, and between blocks of a level."""

ROWS = 7
"""Nodes in a column of a zone."""

SWEEPS = 4


@dataclass(frozen=True)
class ZoneBox:
    """The frame of a zone: its name, its lower left and upper right corner in inches."""

    name: str
    low: Point
    high: Point


@dataclass
class _Block:
    """A zone, or a lone node, with its nodes in columns."""

    zone: str
    columns: list[list[str]]

    @property
    def members(self) -> list[str]:
        return [name for column in self.columns for name in column]


def zoned_places(
    names: Sequence[str],
    arrows: Sequence[Arrow],
    starts: Sequence[str],
    zones: Mapping[str, Sequence[str]],
    sizes: Sizes,
    page: float,
) -> tuple[dict[str, Point], tuple[ZoneBox, ...]]:
    """The centre of each node's box, and the frames of the zones, on a page of so many inches' width."""
    away = distances(arrows, starts)
    fitting = max(1, int((page - 2 * PADDING + sizes.column - sizes.width) / sizes.column))
    blocks = [_Block(zone, _columns(of, away, fitting)) for zone, of in zones.items() if of]
    inside = {name for block in blocks for name in block.members}
    blocks += [_Block("", [[name]]) for name in names if name not in inside]
    levels = _levels(blocks, arrows, starts)
    near: dict[str, list[str]] = {name: [] for name in names}
    for source, target in arrows:
        near[source].append(target)
        near[target].append(source)
    at: dict[str, Point] = {}
    for _ in range(SWEEPS):
        at = _placed(levels, sizes, page)
        height = {name: y for name, (_, y) in at.items()}
        for level in levels:
            for block in level:
                for column in block.columns:
                    column.sort(key=lambda name: -fmean([height[n] for n in near[name]] or [height[name]]))
            level.sort(key=lambda block: -_pull(block, near, height))
    at = _placed(levels, sizes, page)
    frames = tuple(_frame(block, at, sizes) for level in levels for block in level if block.zone)
    return at, frames


def _columns(names: Sequence[str], away: Mapping[str, int], fitting: int) -> list[list[str]]:
    """The nodes of a zone in columns, those that are nearer to where trouble begins first."""
    layers: dict[int, list[str]] = {}
    for name in names:
        layers.setdefault(away.get(name, len(away)), []).append(name)
    columns: list[list[str]] = []
    for _, layer in sorted(layers.items()):
        n = -(-len(layer) // ROWS)
        columns += [layer[i::n] for i in range(n)]
    if len(columns) <= fitting:
        return columns
    every = [name for column in columns for name in column]
    rows = -(-len(every) // fitting)
    return [every[i : i + rows] for i in range(0, len(every), rows)]


def _levels(blocks: list[_Block], arrows: Sequence[Arrow], starts: Sequence[str]) -> list[list[_Block]]:
    """Blocks by the number of arrows between blocks from the starts; those out of reach come last."""
    of = {name: str(i) for i, block in enumerate(blocks) for name in block.members}
    between = {(of[a], of[b]): None for a, b in arrows if of[a] != of[b]}
    begin = dict.fromkeys(of[name] for name in starts)
    away = distances(between, begin or ["0"])
    levels: dict[int, list[_Block]] = {}
    for i, block in enumerate(blocks):
        levels.setdefault(away.get(str(i), len(blocks)), []).append(block)
    return [level for _, level in sorted(levels.items())]


def _pull(block: _Block, near: Mapping[str, Sequence[str]], height: Mapping[str, float]) -> float:
    """The mean height of what the nodes of a block are joined to outside of it."""
    members = set(block.members)
    others = [height[n] for name in members for n in near[name] if n not in members]
    return fmean(others or [height[name] for name in members])


def _size(block: _Block, sizes: Sizes) -> Point:
    wide = (len(block.columns) - 1) * sizes.column + sizes.width
    tall = (max(map(len, block.columns)) - 1) * sizes.row + sizes.height
    return (wide + 2 * PADDING, tall + 2 * PADDING + TITLE) if block.zone else (wide, tall)


def _placed(levels: list[list[_Block]], sizes: Sizes, page: float) -> dict[str, Point]:
    """Centres of all nodes, the levels from left to right in bands that fit the page."""
    gap = sizes.column - sizes.width
    bands: list[list[list[_Block]]] = [[]]
    used = 0.0
    for level in levels:
        wide = max(_size(block, sizes)[0] for block in level)
        if bands[-1] and used + gap + wide > page:
            bands.append([])
            used = 0.0
        used += wide + (gap if bands[-1] else 0.0)
        bands[-1].append(level)
    at: dict[str, Point] = {}
    top = 0.0
    for band in bands:
        tallest = max(_height(level, sizes) for level in band)
        x = 0.0
        for level in band:
            wide = max(_size(block, sizes)[0] for block in level)
            y = top - (tallest - _height(level, sizes)) / 2
            for block in level:
                size = _size(block, sizes)
                _put(block, (x + (wide - size[0]) / 2, y), sizes, at)
                y -= size[1] + BETWEEN
            x += wide + gap
        top -= tallest + 1.6 * BETWEEN
    return at


def _height(level: list[_Block], sizes: Sizes) -> float:
    return sum(_size(block, sizes)[1] for block in level) + BETWEEN * (len(level) - 1)


def _put(block: _Block, corner: Point, sizes: Sizes, at: dict[str, Point]) -> None:
    """Place the nodes of a block whose upper left corner is given."""
    inset, head = (PADDING, PADDING + TITLE) if block.zone else (0.0, 0.0)
    tall = max(map(len, block.columns))
    for i, column in enumerate(block.columns):
        x = corner[0] + inset + sizes.width / 2 + i * sizes.column
        first = corner[1] - head - sizes.height / 2 - (tall - len(column)) / 2 * sizes.row
        for j, name in enumerate(column):
            at[name] = (x, first - j * sizes.row)


def _frame(block: _Block, at: Mapping[str, Point], sizes: Sizes) -> ZoneBox:
    xs, ys = zip(*(at[name] for name in block.members), strict=True)
    half = sizes.width / 2 + PADDING, sizes.height / 2 + PADDING
    return ZoneBox(
        block.zone, (min(xs) - half[0], min(ys) - half[1]), (max(xs) + half[0], max(ys) + half[1] + TITLE)
    )
