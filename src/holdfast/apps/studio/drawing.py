"""A design as the page draws it: places of nodes, arrows, marks, numbers, clauses, and what can be edited.

Positions come from the layout of the reports, in inches, here with y downwards as browsers have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from holdfast.design import PLACE, Bound
from holdfast.game import Arrow, Clause, Configuration, Graph, drawn_graph
from holdfast.logic import Player
from holdfast.readings import every_reading, radar_sides
from holdfast.scenario import Scenario, editing_of

NAMED = ("key", "label", "name", "meaning", "group")
WRITTEN = ("digits", "whole", "less", "endless", "weighed", "learned", "brief")
"""What a page is told of a reading: the part of its row that is about showing it."""

CANVAS = 10.0
"""Inches that a browser's window is wide, about."""

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
        "legend": dict(system.legend),
        "numbers": [_number(bound) for bound in numbers],
        "clauses": list(_clauses(here)),
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
    """The nodes and arrows of a system; none for one without a picture."""
    system, graph = here.system, drawn_graph(here)
    initial = dict(zip((v.name for v in system.game.variables), system.game.initial, strict=True))
    by_name = {v.name: v for v in system.game.variables}
    if graph is None or not graph.nodes:
        return {"nodes": [], "arrows": [], "zones": [], "tones": {}, "spreads": [], "initial": {}} | {
            "noun": "variable",
            "relation": "influence",
            "sizes": None,
        }
    from holdfast.report import standing

    at, sizes = standing(graph, CANVAS)
    top = max(y for _, y in at.values())
    zone_of = {name: zone for zone, names in graph.zones.items() for name in names}
    group_of = {name: group for group, names in graph.groups.items() for name in names}
    nodes = [
        {
            "name": node.name,
            "label": node.name,
            "variable": node.variable,
            "x": round(at[node.name][0], 4),
            "y": round(top - at[node.name][1], 4),
            "zone": zone_of.get(node.name),
            "group": group_of.get(node.name),
            "marks": list(node.marks),
        }
        for node in graph.nodes
    ]
    return {
        "nodes": nodes,
        "arrows": list(_arrows(graph, base)),
        "zones": [{"name": zone, "nodes": list(names)} for zone, names in graph.zones.items()],
        "tones": dict(graph.tones),
        "spreads": sorted(graph.spreads),
        "noun": graph.noun,
        "relation": graph.relation,
        "sizes": {"width": round(sizes.width, 4), "height": round(sizes.height, 4)},
        "initial": {
            node.name: str(by_name[node.variable].values[initial[node.variable]])
            for node in graph.nodes
            if node.variable in by_name
        },
    }


def _arrows(graph: Graph, base: Graph | None) -> Iterator[dict[str, Any]]:
    """The arrows of a graph, and those of the base that it lacks."""
    for arrow in graph.arrows:
        yield _arrow(arrow, graph.gates, off=False)
    names = set(graph.names)
    for arrow in base.arrows if base is not None else ():
        if arrow not in graph.arrows and names.issuperset(arrow):
            yield _arrow(arrow, {}, off=True)


def _arrow(arrow: Arrow, gates: Mapping[Arrow, object], *, off: bool) -> dict[str, Any]:
    source, target = arrow
    return {
        "from": source,
        "to": target,
        "name": f"{source} -> {target}",
        "blockable": arrow in gates,
        "off": off,
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
