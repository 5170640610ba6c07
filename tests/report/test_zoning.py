"""Pictures with zones, and pictures of many hosts: on the page and in the terminal."""

import io
import random
from dataclasses import replace

import pytest
from rich.console import Console

from holdfast.game.configuration import drawn_graph, move
from holdfast.game.system import CRITICAL, ENTRY, EXPOSED, HARDENED, Graph, GraphNode
from holdfast.report import figures
from holdfast.report.board import board, within_reach
from holdfast.report.documents import pictures
from holdfast.report.drawing.layering import Sizes
from holdfast.report.drawing.zoning import zoned_places
from holdfast.report.figures.folding import MANY, folded
from holdfast.scenario.reading import configuration, scenario_from_text

FORTY = """
holdfast: 1
network:
  hosts: [FW, VPN, Web, Mail, AD, {ws: {count: 16}}, {srv: {count: 6}}, DB, BK, {Files: {cannot: [spread]}}, Jump, {plc: {count: 10}}]
  zones: {dmz: [VPN, Web, Mail], office: [AD, ws], servers: [srv, DB, BK, Files], plant: [Jump, plc]}
  links:
    - FW -> dmz
    - VPN -> AD
    - Mail -> ws
    - ws <-> AD
    - AD -> srv
    - srv -> DB
    - DB -> BK
    - srv -> Files
    - {from: AD, to: Jump, block: yes}
    - Jump -> plc
    - ws1 -> DB
  entry: FW
  exposed: [Mail]
specs:
  defender: ["G !(DB in {X, D, Z} & BK in {X, D, Z})", G (active >= 20)]
"""


def forty():
    return configuration(scenario_from_text(FORTY))


def random_graph(rng):
    """A graph with zones and groups, marks and gates."""
    n = rng.randint(1, 45)
    names = [f"n{i}" for i in range(n)]
    marks = {
        name: tuple(m for m in (ENTRY, EXPOSED, CRITICAL, HARDENED) if rng.random() < 0.06) for name in names
    }
    arrows = tuple((a, b) for a in names for b in names if a != b and rng.random() < rng.choice((0.02, 0.06)))
    rest, zones, groups = names[:], {}, {}
    for i in range(rng.randint(0, 5)):
        taken = rest[: rng.randint(0, len(rest) // 2)]
        rest = rest[len(taken) :]
        if taken:
            zones[f"z{i}"] = tuple(taken)
    free = names[:]
    for i in range(rng.randint(0, 3)):
        taken = free[-rng.randint(1, 8) :]
        free = free[: -len(taken)]
        if taken:
            groups[f"g{i}"] = tuple(taken)
    gates = {arrow: (("wall", "shut"),) for arrow in arrows if rng.random() < 0.2}
    nodes = tuple(GraphNode(name, name, marks[name]) for name in names)
    return Graph(nodes, arrows, "host", "link", zones=zones, groups=groups, gates=gates)


def boxes_of(graph, shown):
    """Which box of the folded picture stands for each node, found by what the picture says of it."""
    found = {}
    for node in graph.nodes:
        if node.name in shown.names:
            found[node.name] = node.name
    return found


def test_folding_hides_no_mark_and_invents_no_arrow():
    """Should keep marks, single nodes and their arrows, and merge what is alike or plain."""
    n_folded = 0
    for seed in range(300):
        graph = random_graph(random.Random(seed))
        (shown,) = folded(graph)
        kept = boxes_of(graph, shown)
        assert len(shown.names) == len(set(shown.names))
        assert set(shown.names) >= set(kept)
        for mark in (ENTRY, EXPOSED, CRITICAL, HARDENED):
            assert bool(graph.marked(mark)) == bool(shown.marked(mark)), seed
        between = {(a, b) for a, b in graph.arrows if a in kept and b in kept}
        assert between == {(a, b) for a, b in shown.arrows if a in kept and b in kept}, seed
        for arrow in between:
            assert (arrow in graph.gates) == (arrow in shown.gates)
        inside = [name for of in shown.zones.values() for name in of]
        assert len(inside) == len(set(inside)) and set(inside) <= set(shown.names)
        n_folded += shown is not graph
    assert n_folded > 50


def test_folding_shows_every_difference():
    """Should draw as added and removed exactly what differs, however much is folded."""
    for seed in range(200):
        rng = random.Random(seed)
        before = random_graph(rng)
        arrows = [arrow for arrow in before.arrows if rng.random() < 0.95]
        after = replace(before, arrows=tuple(arrows), gates={})
        if before.gates:
            before = replace(before, gates={})
        one, other = folded(before, after)
        assert one.names == other.names
        assert (set(one.arrows) == set(other.arrows)) == (set(before.arrows) == set(after.arrows)), seed


def test_groups_and_zones_of_forty_hosts_become_a_readable_picture():
    """Should draw groups as one box with a count, apart from members that differ, and say so."""
    graph = drawn_graph(forty())
    (shown,) = folded(graph)
    assert len(graph.nodes) == 41 and len(shown.nodes) <= MANY
    assert {"ws2…ws16 ×15", "srv ×6", "plc ×10", "ws1"} <= set(shown.names)
    assert ("Jump", "plc ×10") in shown.arrows and ("ws1", "DB") in shown.arrows
    assert ("AD", "Jump") in shown.gates
    (drawn,) = pictures.segment(graph)
    assert "41 hosts" in drawn.caption and "a box with several hosts stands for all of them" in drawn.caption
    assert "exposed Mail" in drawn.caption and "hardened Files" in drawn.caption
    for words in (
        "plc ×10",
        "servers",
        "can be blocked",
        "open to the outside",
        "hardened",
        "critical asset",
    ):
        assert words in drawn.svg
    assert "plc7" not in drawn.svg


def test_large_zones_are_drawn_as_one_box():
    """Should fold what nothing singles out where there is no group, and keep what is marked."""
    rng = random.Random(1)
    names = [f"n{i}" for i in range(60)]
    links = [f"{a} -> {b}" for a in names for b in names if a != b and rng.random() < 0.05]
    zones = {f"z{i}": names[i * 20 : i * 20 + 20] for i in range(3)}
    text = f"holdfast: 1\nnetwork: {{hosts: {names}, links: {links}, zones: {zones}, entry: n0}}\n"
    graph = drawn_graph(configuration(scenario_from_text(text + "specs: {defender: [G (n59 != Z)]}")))
    (shown,) = folded(graph)
    assert len(shown.nodes) <= MANY
    assert {"n0", "n59"} <= set(shown.names) and any(name.endswith(" in z1") for name in shown.names)


@pytest.mark.parametrize("seed", range(60))
def test_zones_are_boxes_around_their_own_nodes(seed):
    """Should place every node inside its own frame and no other, and nothing on top of anything."""
    graph = random_graph(random.Random(seed))
    sizes = Sizes(0.6, 0.3, 1.1, 0.6)
    starts = graph.starts or graph.names[:1]
    at, frames = zoned_places(graph.names, graph.arrows, starts, graph.zones, sizes, 6.3)
    assert set(at) == set(graph.names) and {frame.name for frame in frames} == set(graph.zones)
    places = list(at.values())
    for i, (x, y) in enumerate(places):
        for other in places[:i]:
            assert abs(x - other[0]) >= sizes.width or abs(y - other[1]) >= sizes.height
    for frame in frames:
        for name, (x, y) in at.items():
            inside = frame.low[0] < x < frame.high[0] and frame.low[1] < y < frame.high[1]
            assert inside == (name in graph.zones[frame.name])
    for i, one in enumerate(frames):
        for other in frames[:i]:
            apart = [one.low[k] > other.high[k] or other.low[k] > one.high[k] for k in (0, 1)]
            assert any(apart)
    assert max(x for x, _ in places) - min(x for x, _ in places) < 6.3


def test_a_difference_between_zoned_designs_is_drawn():
    """Should draw both in one picture, a moved host where it is now."""
    text = FORTY + "variants: {v: {remove_links: [ws1 -> DB], change_hosts: [{BK: {zone: plant}}]}}\n"
    scenario = scenario_from_text(text)
    before, after = (drawn_graph(configuration(scenario, name)) for name in (None, "v"))
    figure = figures.topology_difference(before, after)
    shown = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert {"plant", "servers", "BK", "DB"} <= shown
    assert "removed" in {text.get_text() for text in figure.legends[0].get_texts()}


def told(found, moves):
    position, changed = found.initial, frozenset()
    for name in moves:
        names = [action.name for action in found.game.actions[position.turn]]
        position = move(found, position, names.index(name))
    text = io.StringIO()
    Console(width=100, file=text).print(board(found, position, changed))
    return text.getvalue()


def test_the_board_shows_zones_and_switches():
    """Should list many hosts by zone, and say which links are shut and what is in reach."""
    text = told(forty(), ["spread(VPN)", "block(AD-to-Jump)", "spread(AD)", "noop(FW)"])
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "dmz X compromised VPN" and "switches: AD-to-Jump blocked" in lines
    assert (
        next(line for line in lines if line.startswith("in reach"))
        == "in reach Web, Mail, ws1…ws16, srv1…srv6"
    )
    assert any(line.startswith("in no zone") and line.endswith("FW") for line in lines)


def test_the_board_lists_a_small_segment_zone_by_zone():
    """Should put a shut link in brackets, and leave out of reach what is hardened."""
    text = """
holdfast: 1
network:
  hosts: [GW, Web, {Files: {cannot: [spread]}}, DB]
  zones: {dmz: [GW, Web]}
  links: [GW -> Web, GW -> Files, {from: GW, to: DB, block: yes}]
  entry: GW
specs: {defender: [G (DB != Z)]}
"""
    found = configuration(scenario_from_text(text))
    shown = told(found, ["noop(GW)", "block(GW-to-DB)"])
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[0] == "GW X compromised dmz entry → Web, Files, [DB]"
    assert lines[1] == "Web C clean dmz" and lines[-1] == "switches: GW-to-DB blocked"
    graph = drawn_graph(found)
    status = {"GW": "X", "Web": "C", "Files": "C", "DB": "C"}
    assert within_reach(graph, status) == ["Web", "DB"]
    assert within_reach(graph, status, {("GW", "DB")}) == ["Web"]
