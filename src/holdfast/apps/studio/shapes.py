"""What a node looks like on the page besides a box: a tank, a valve, a list of values.

On a floor, what moves is a disc on the square that is its value, a machine or a door is a plate on its own
squares, and everything else stands below the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.apps.studio.canvas import Canvas, Point
from holdfast.game import Floor, Graph
from holdfast.logic import Variable
from holdfast.report import text_width

SQUARE = 0.62
"""Inches that a square of a floor is wide."""

LISTED = 8
"""Values of a variable that are listed in its box; of one with more, only the one that it has is shown."""

DEVICES = {"valve": {"open", "shut"}, "pump": {"on", "off"}, "sensor": {"ok", "blind"}}
"""What a device is, by values that it has."""

BELOW, FONT = 0.35, 8 / 72
"""Inches below a floor before what stands beside it; and the size of the letters there."""


def shape_of(variable: Variable, graph: Graph) -> dict[str, Any]:
    """How a node is drawn: its shape, and what its variable can be where that is shown."""
    values = [str(value) for value in variable.values]
    if graph.floor is not None and variable.name in graph.floor.start:
        return {"shape": "token"}
    if graph.floor is not None and graph.floor.areas.get(variable.name):
        return {"shape": "plate"}
    if all(isinstance(value, int) for value in variable.values) and len(values) > 2:
        return {"shape": "tank", "low": int(variable.values[0]), "high": int(variable.values[-1])}
    for shape, known in DEVICES.items():
        if known <= set(values) and not graph.tones:
            return {"shape": shape}
    if graph.arrows or graph.tones or not 1 < len(values) <= LISTED:
        return {"shape": "box"}
    return {"shape": "list", "values": values}


def n_lines(shapes: Sequence[Mapping[str, Any]]) -> float:
    """Lines of text that the boxes of all nodes are high."""
    lists = [1.6 + len(shape["values"]) for shape in shapes if shape["shape"] == "list"]
    others = [4.4 for shape in shapes if shape["shape"] in ("tank", "valve", "pump", "sensor")]
    return max([0.0, *lists, *others])


def canvas_of_floor(graph: Graph, floor: Floor) -> Canvas:
    """The places of all nodes of a graph with a floor; what moves stands where it starts."""
    at: dict[str, Point] = {}
    beside = [name for name in graph.names if name not in floor.start and not floor.areas.get(name)]
    words = max((text_width(name, 72 * FONT, "bold") for name in beside), default=0.0)
    width, height = max(words + 0.2, 0.8), 3.4 * FONT
    for number, name in enumerate(beside):
        at[name] = (number + 0.5) * (width + 0.2), floor.rows * SQUARE + BELOW + height / 2
    for name in graph.names:
        if name in floor.start:
            at[name] = middle(floor, [floor.start[name]])
        elif name not in at:
            at[name] = middle(floor, floor.areas[name])
    return Canvas({name: (round(x, 4), round(y, 4)) for name, (x, y) in at.items()}, width, height, FONT)


def middle(floor: Floor, values: Sequence[str]) -> Point:
    """The middle of some squares."""
    points = [floor.at[value] for value in values]
    x, y = (sum(point[k] for point in points) / len(points) for k in (0, 1))
    return (x + 0.5) * SQUARE, (y + 0.5) * SQUARE


def floor_object(floor: Floor) -> dict[str, Any]:
    """A floor for the page: squares by their values, areas (larger ones first), barriers, what moves."""
    ordered = sorted(floor.areas, key=lambda name: -len(floor.areas[name]))
    return {
        "columns": floor.columns,
        "rows": floor.rows,
        "side": SQUARE,
        "at": {value: list(point) for value, point in floor.at.items()},
        "areas": [
            {"name": name, "values": list(floor.areas[name]), "tone": floor.tones.get(name, "")}
            for name in ordered
        ],
        "barriers": [list(pair) for pair in floor.barriers],
        "letters": dict(floor.letters),
        "across": list(floor.across),
        "down": list(floor.down),
    }
