"""Pictures that somebody has arranged: boxes stand where they were put, and all others where there is room."""

from __future__ import annotations

from holdfast.game.system import Graph, GraphNode
from holdfast.report.drawing.arranging import arranged
from holdfast.report.drawing.layout import laid_out
from holdfast.report.figures.folding import folded


def test_what_has_no_place_gets_one_that_is_free():
    """Should keep given places, and put everything else beside its neighbours without touching a box."""
    names, box = [f"h{k}" for k in range(12)], (0.9, 0.35)
    at = arranged(names, [("h0", name) for name in names[1:]], {"h0": (0, 0), "h1": (1.5, 0)}, box)
    assert at["h0"] == (0, 0) and at["h1"] == (1.5, 0) and set(at) == set(names)
    for a in names:
        for b in names[: names.index(a)]:
            (x, y), (u, v) = at[a], at[b]
            assert abs(x - u) >= box[0] or abs(y - v) >= box[1], (a, b)


def test_a_report_follows_the_arrangement_on_its_page():
    """Should keep who stands left of and above whom, be no wider than the page, and frame zones."""
    nodes = tuple(GraphNode(name, name) for name in ("a", "b", "c"))
    places = {"a": (0.0, 0.0), "b": (20.0, 0.0), "c": (10.0, 3.0)}
    graph = Graph(nodes, (("a", "b"),), zones={"z": ("a", "c")}, places=places, captions={"a": "a.corp"})
    layout = laid_out(graph, graph, 6.0)
    at = layout.at
    assert at["a"][0] < at["c"][0] < at["b"][0] and at["c"][1] < at["a"][1] == at["b"][1]
    assert max(x for x, _ in at.values()) - min(x for x, _ in at.values()) <= 6.0
    (zone,) = layout.frames
    assert zone.low[0] < at["a"][0] and zone.high[1] > at["a"][1] and zone.low[1] < at["c"][1]
    assert layout.names["a"] == "a.corp"


def test_alike_nodes_stand_in_the_middle_of_their_places():
    """Should draw a group as one box where its members stand."""
    nodes = tuple(GraphNode(name, name) for name in ("GW", "ws1", "ws2", "ws3"))
    arrows = tuple(("GW", name) for name in ("ws1", "ws2", "ws3"))
    places = {"GW": (0.0, 0.0), "ws1": (2.0, 0.0), "ws2": (2.0, 1.0), "ws3": (2.0, 2.0)}
    (shown,) = folded(Graph(nodes, arrows, groups={"ws": ("ws1", "ws2", "ws3")}, places=places))
    assert shown.places == {"GW": (0.0, 0.0), "ws ×3": (2.0, 1.0)}
