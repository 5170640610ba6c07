"""Where everything of a system stands on a stage, on which a play is shown: boxes, links, zones; or a floor.

Units are pixels, y downwards as browsers have it. A stage is narrow enough for a telephone: a row has few
boxes and the picture grows downwards, so that names can be read without zooming.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, cos, sin

from holdfast.game import CRITICAL, ENTRY, EXPOSED, Arrow, Floor, Graph
from holdfast.report.drawing.layering import Point, Sizes
from holdfast.report.drawing.layout import laid_out
from holdfast.report.drawing.routing import routes
from holdfast.report.drawing.text import text_width

INCH = 96.0
MARGIN = 10.0
PAGES = ((12, 4.2), (40, 4.8), (10**9, 9.0))
"""Up to so many boxes: inches that the picture is wide, about."""

SMALL = 0.78
"""The size of the word below a name, of the name's own."""

AROUND, LEAST = 0.14, 0.62
"""Inches beside the words in a box, and its least width."""

LEAD_IN, HEAD = 26.0, 7.0
"""Pixels of the arrow from outside, and of the head of an arrow."""

SQUARE = 46.0
FOOT = 20.0
"""Pixels between a floor and the boxes below it."""

ROWS, ZONED = 1.35, 1.16
"""How much further apart rows are than in a report, and in zones, whose boxes have frames around them."""

ROUTED = 2_000
"""More arrows than this are not drawn: nobody could follow them."""


@dataclass(frozen=True)
class StageBox:
    """A node: its name, the variable that it shows, its centre, and what is marked on it."""

    name: str
    variable: str
    x: float
    y: float
    marks: tuple[str, ...] = ()
    way_in: str = ""


@dataclass(frozen=True)
class StageLink:
    """An arrow as a path, and its head."""

    source: str
    target: str
    path: str
    head: str


@dataclass(frozen=True)
class Frame:
    """A named rectangle: a zone, or an area of a floor; a wall or a plain square without a name."""

    name: str
    x: float
    y: float
    width: float
    height: float
    tone: str = ""


@dataclass(frozen=True)
class PlayStage:
    """All that stands still, and where what moves can stand.

    Attributes:
        width, height: of the picture.
        box: width and height of every box; zero for a floor.
        font: of names, in pixels.
        squares: for each value of what moves, its centre; empty where nothing moves.
        movers: the letters of what moves, by variable.
        bars: barriers between squares, as paths.
    """

    width: float
    height: float
    box: Point = (0.0, 0.0)
    font: float = 12.0
    boxes: tuple[StageBox, ...] = ()
    links: tuple[StageLink, ...] = ()
    frames: tuple[Frame, ...] = ()
    squares: Mapping[str, Point] = field(default_factory=dict)
    movers: Mapping[str, str] = field(default_factory=dict)
    bars: tuple[str, ...] = ()


def stage_of(graph: Graph | None, variables: Sequence[str], legend: Mapping[str, str]) -> PlayStage:
    """The stage of a system; its variables in rows where it has no graph.

    >>> stage_of(None, ["level"], {}).boxes[0].name
    'level'
    """
    if graph is not None and graph.floor is not None:
        return _floor(graph.floor, variables)
    if graph is None or not graph.nodes:
        return _variables(variables)
    return _graph(graph, legend)


def _graph(graph: Graph, legend: Mapping[str, str]) -> PlayStage:
    layout = laid_out(graph, graph, next(page for most, page in PAGES if len(graph.nodes) <= most))
    font, sizes = layout.font / 72 * INCH, layout.sizes
    words = [legend[value] for value in graph.tones if value in legend]
    widest = max((text_width(word, SMALL * layout.font) for word in words), default=0.0)
    width = max(sizes.width + AROUND, widest + AROUND, LEAST)
    wider, height = 1 + (width - sizes.width) / sizes.column, 2.9 * font
    top = max(y for _, y in layout.at.values())
    taller = ZONED if graph.zones else ROWS
    at = {name: (x * wider * INCH, (top - y) * taller * INCH) for name, (x, y) in layout.at.items()}
    box = (width * INCH, height)
    frames = [_frame(zone, [at[n] for n in names], box, font) for zone, names in graph.zones.items() if names]
    left = min([x - box[0] / 2 for x, _ in at.values()] + [f.x for f in frames]) - MARGIN
    left -= LEAD_IN if graph.starts else 0
    above = min([y - box[1] / 2 for _, y in at.values()] + [f.y for f in frames]) - MARGIN
    at = {name: (x - left, y - above) for name, (x, y) in at.items()}
    frames = [_moved(frame, left, above) for frame in frames]
    right = max([x + box[0] / 2 for x, _ in at.values()] + [f.x + f.width for f in frames])
    below = max([y + box[1] / 2 for _, y in at.values()] + [f.y + f.height for f in frames])
    boxes = tuple(
        StageBox(n.name, n.variable, *at[n.name], tuple(n.marks), _way_in(n.marks, at[n.name], box))
        for n in graph.nodes
    )
    links = tuple(_links(graph.arrows, at, box)) if len(graph.arrows) <= ROUTED else ()
    return PlayStage(right + MARGIN, below + MARGIN, box, font, boxes, links, tuple(frames))


def _links(arrows: Sequence[Arrow], at: Mapping[str, Point], box: Point) -> Iterator[StageLink]:
    upwards = {name: (x, -y) for name, (x, y) in at.items()}
    sizes = Sizes(box[0], box[1], box[0], box[1])
    for (source, target), route in routes(arrows, upwards, sizes).items():
        (ax, ay), (cx, cy), (bx, by) = ((x, -y) for x, y in route.controls.tolist())
        path = f"M{ax:.1f} {ay:.1f}Q{cx:.1f} {cy:.1f} {bx:.1f} {by:.1f}"
        yield StageLink(source, target, path, _head(bx, by, atan2(by - cy, bx - cx)))


def _head(x: float, y: float, angle: float) -> str:
    """The tip of an arrow that comes in at an angle."""
    sides = [(x - HEAD * cos(angle + turn), y - HEAD * sin(angle + turn)) for turn in (0.42, -0.42)]
    return f"M{x:.1f} {y:.1f}" + "".join(f"L{a:.1f} {b:.1f}" for a, b in sides) + "Z"


def _way_in(marks: Sequence[str], at: Point, box: Point) -> str:
    if not {ENTRY, EXPOSED} & set(marks):
        return ""
    end, y = at[0] - box[0] / 2 - 2, at[1]
    return f"M{end - LEAD_IN + 4:.1f} {y:.1f}H{end:.1f}" + _head(end, y, 0.0)


def _frame(zone: str, centres: Sequence[Point], box: Point, font: float) -> Frame:
    (xs, ys), around = zip(*centres, strict=True), 8.0
    x, y = min(xs) - box[0] / 2 - around, min(ys) - box[1] / 2 - font - 8
    return Frame(zone, x, y, max(xs) + box[0] / 2 + around - x, max(ys) + box[1] / 2 + around - y)


def _moved(frame: Frame, left: float, above: float) -> Frame:
    return Frame(frame.name, frame.x - left, frame.y - above, frame.width, frame.height, frame.tone)


def _variables(names: Sequence[str]) -> PlayStage:
    """Boxes in rows of two, for a system without a picture."""
    font = 13.0
    width = max(max(text_width(name, font * 72 / INCH, "bold") for name in names) * INCH + 24, 120.0)
    boxes = tuple(
        StageBox(name, name, MARGIN + (k % 2 + 0.5) * (width + 24), MARGIN + (k // 2 + 0.5) * 58)
        for k, name in enumerate(names)
    )
    rows = -(-len(names) // 2)
    wide = 2 * MARGIN + min(2, len(names)) * (width + 24)
    return PlayStage(wide, 2 * MARGIN + rows * 58, (width, 2.9 * font), font, boxes)


def _floor(floor: Floor, variables: Sequence[str]) -> PlayStage:
    """Squares, areas and barriers; what does not move stands below in boxes."""
    value_at = {point: value for value, point in floor.at.items()}
    frames = [
        Frame("", MARGIN + x * SQUARE, MARGIN + y * SQUARE, SQUARE, SQUARE, "wall")
        for x in range(floor.columns)
        for y in range(floor.rows)
        if (x, y) not in value_at
    ]
    for name, values in floor.areas.items():
        for k, value in enumerate(values):
            x, y = floor.at[value]
            tone = floor.tones.get(name, "plain")
            frames.append(
                Frame(name if not k else "", MARGIN + x * SQUARE, MARGIN + y * SQUARE, SQUARE, SQUARE, tone)
            )
    squares = {
        value: (MARGIN + (x + 0.5) * SQUARE, MARGIN + (y + 0.5) * SQUARE)
        for value, (x, y) in floor.at.items()
    }
    still = [name for name in variables if name not in floor.start]
    below = MARGIN + floor.rows * SQUARE
    boxes = tuple(
        StageBox(name, name, MARGIN + (k + 0.5) * 110, below + FOOT + 18) for k, name in enumerate(still)
    )
    width = 2 * MARGIN + max(floor.columns * SQUARE, 110.0 * len(still))
    height = below + (FOOT + 36 if still else 0) + MARGIN
    movers = {name: floor.letters[name] for name in floor.start}
    bars = tuple(_bar(squares[a], squares[b]) for a, b in floor.barriers)
    return PlayStage(width, height, (100.0, 36.0), 12.0, boxes, (), tuple(frames), squares, movers, bars)


def _bar(one: Point, other: Point) -> str:
    """The edge between two neighbouring squares."""
    x, y, half = (one[0] + other[0]) / 2, (one[1] + other[1]) / 2, SQUARE / 2
    if one[1] == other[1]:
        return f"M{x:.1f} {y - half:.1f}V{y + half:.1f}"
    return f"M{x - half:.1f} {y:.1f}H{x + half:.1f}"


def is_critical(box: StageBox) -> bool:
    """Whether the requirement singles a box out."""
    return CRITICAL in box.marks
