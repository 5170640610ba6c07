"""A design as the page draws it: places of nodes, arrows, marks, numbers, clauses, and what can be edited.

Places and curves are in inches, with y downwards as browsers have it; see :mod:`holdfast.apps.studio.canvas`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from holdfast.apps.studio.canvas import ROUTED, Canvas, canvas_of, canvas_of_variables, curves
from holdfast.apps.studio.rule_words import rule_words
from holdfast.apps.studio.shapes import canvas_of_floor, floor_object, n_lines, shape_of
from holdfast.design import PLACE, Bound
from holdfast.game import Clause, Configuration, Graph, GraphNode, System, drawn_graph
from holdfast.logic import Player
from holdfast.readings import every_reading, radar_sides
from holdfast.report import PADDING, TITLE
from holdfast.scenario import Scenario, editing_of, settings_of

NAMED = ("key", "label", "name", "meaning", "group")
WRITTEN = ("digits", "whole", "less", "endless", "weighed", "learned", "brief")
"""What a page is told of a reading: the part of its row that is about showing it."""

SPAN = 8
"""Numbers past its own that a slider goes to where the range has no upper end."""


def drawing(
    scenario: Scenario,
    here: Configuration,
    base: Configuration,
    numbers: Iterable[Bound] = (),
    operations: Iterable[str] = (),
) -> dict[str, Any]:
    """Everything that the page needs to draw a design.

    Args:
        scenario, here: the file and the design.
        base: the design without its variant.
        numbers: of its clauses.
        operations: the kinds of operations that there are.
    """
    system, editing = here.system, editing_of(scenario)
    return {
        "model": system.model,
        "editable": editing is not None,
        "operations": list(operations),
        "marks_offered": list(editing.marks) if editing is not None else [],
        "axes": [
            {name: getattr(reading, name) for name in (*NAMED, *WRITTEN)} for reading in every_reading()
        ],
        "radar": list(_radar()),
        "title": scenario.name,
        "description": here.description,
        "variant": here.variant,
        "variants": list(scenario.variants),
        **_pictured(here, base.system.graph),
        "variables": [
            {"name": v.name, "values": [str(value) for value in v.values], "initial": str(v.values[code])}
            for v, code in zip(system.game.variables, system.game.initial, strict=True)
        ],
        "settings": settings_of(scenario._root, system.model, here.variant),
        "layout": {name: list(place) for name, place in here.layout.items()},
        "legend": dict(system.legend),
        "numbers": [_number(bound) for bound in numbers],
        "clauses": list(_clauses(here)),
        "rule_words": rule_words(here),
        "parts": [
            {"kind": part.kind, "name": part.name, "verb": part.verb}
            for part in (*system.parts, *system.hardenable, *system.upgrades)
        ],
    }


def _radar() -> Iterator[dict[str, Any]]:
    """The sides of the radar; where a reading is learned, its solved counterpart has the side, it a mark."""
    for side in radar_sides():
        reading, mark = (side.solved, side.reading.key) if side.solved else (side.reading, None)
        yield {"key": reading.key, "mark": mark, "x": side.x, "y": -side.y}


def _pictured(here: Configuration, base: Graph | None) -> dict[str, Any]:
    """The nodes and arrows of a system; its variables for one without a picture."""
    system, graph = here.system, drawn_graph(here)
    initial = dict(zip((v.name for v in system.game.variables), system.game.initial, strict=True))
    by_name = {v.name: v for v in system.game.variables}
    if graph is None or not graph.nodes:
        graph = Graph(tuple(GraphNode(name, name) for name in by_name))
    shapes = {
        node.name: shape_of(by_name[node.variable], graph) if node.variable in by_name else {"shape": "box"}
        for node in graph.nodes
    }
    canvas = _canvas(graph, shapes, system)
    zone_of = {name: zone for zone, names in graph.zones.items() for name in names}
    group_of = {name: group for group, names in graph.groups.items() for name in names}
    nodes = [
        {
            "name": node.name,
            "label": graph.captions.get(node.name, node.name),
            "note": here.notes.get(node.name),
            "variable": node.variable,
            "x": canvas.at[node.name][0],
            "y": canvas.at[node.name][1],
            "zone": zone_of.get(node.name),
            "group": group_of.get(node.name),
            "marks": list(node.marks),
            **shapes[node.name],
        }
        for node in graph.nodes
    ]
    return {
        "nodes": nodes,
        "arrows": list(_arrows(graph, base, canvas, here)),
        "flows": [
            {"name": flow.name, "paths": [list(route) for route in flow.routes or (flow.ends or (),)]}
            for flow in graph.flows
        ],
        "zones": [{"name": zone, "nodes": list(names)} for zone, names in graph.zones.items()],
        "tones": dict(graph.tones),
        "spreads": sorted(graph.spreads),
        "floor": floor_object(graph.floor) if graph.floor is not None else None,
        "noun": graph.noun,
        "relation": graph.relation,
        "sizes": {
            "width": canvas.width,
            "height": canvas.height,
            "font": canvas.font,
            "padding": PADDING,
            "title": TITLE,
        },
        "initial": {
            node.name: str(by_name[node.variable].values[initial[node.variable]])
            for node in graph.nodes
            if node.variable in by_name
        },
    }


def _canvas(graph: Graph, shapes: Mapping[str, Mapping[str, Any]], system: System) -> Canvas:
    """Where everything stands: on the floor, arranged, in layers, or in rows where nothing leads anywhere."""
    if graph.floor is not None:
        return canvas_of_floor(graph, graph.floor)
    lines = n_lines(list(shapes.values()))
    if graph.arrows or graph.tones:
        return canvas_of(graph, system.legend, lines)
    words = [
        f"{value} {system.legend.get(value, '')}"
        for one in shapes.values()
        for value in one.get("values", ())
    ]
    return canvas_of_variables(graph.names, words, lines)


def _arrows(
    graph: Graph, base: Graph | None, canvas: Canvas, configuration: Configuration
) -> Iterator[dict[str, Any]]:
    """The arrows of a graph, and those of the base that it lacks."""
    here, names = set(graph.arrows), set(graph.names)
    off = [arrow for arrow in (base.arrows if base is not None else ()) if arrow not in here]
    every = (*graph.arrows, *(arrow for arrow in off if names.issuperset(arrow)))
    few = len(every) <= ROUTED
    routed = curves(every, canvas.at, canvas.width, canvas.height) if few else {}
    for arrow in every:
        source, target = arrow
        yield {
            "from": source,
            "to": target,
            "name": f"{source} -> {target}",
            "blockable": arrow in graph.gates,
            "filtered": arrow in graph.filtered,
            "off": arrow not in here,
            "label": graph.labels.get(arrow),
            "note": configuration.notes.get(f"{source} -> {target}"),
            "curve": routed.get(arrow),
        }


def _number(bound: Bound) -> dict[str, Any]:
    assert bound.value is not None
    return {
        "name": name_of(bound),
        "label": bound.text(),
        "template": bound.template.replace(PLACE, "{}"),
        "value": bound.value,
        "low": bound.low,
        "high": bound.high if bound.high is not None else max(bound.value, 0) + SPAN,
        "harder": bound.harder,
        "side": str(bound.side),
        "clause": bound.clause,
        "where": bound.source,
    }


def name_of(bound: Bound) -> str:
    """What a number is called in a request: its side, its clause and its place there."""
    return f"{bound.side} {bound.clause}: {bound.template.replace(PLACE, '{}')}"


def _clauses(here: Configuration) -> Iterator[dict[str, Any]]:
    own = {Player.DEFENDER: here.requirement, Player.ADVERSARY: here.boundary}
    for side in Player:
        for index, clause in enumerate(here.clauses(side)):
            yield _clause(side, index, clause, given=index < len(own[side]))


def _clause(side: Player, index: int, clause: Clause, *, given: bool) -> dict[str, Any]:
    kind = "model" if not given else "formula" if clause.formula is not None else "automaton"
    return {
        "side": str(side),
        "index": index,
        "label": clause.label,
        "text": clause.text,
        "kind": kind,
        "editable": kind == "formula",
        "n_states": clause.automaton.n_states,
    }
