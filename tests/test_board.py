"""The board: drawings are read back line by line, and lists stay inside the terminal."""

from __future__ import annotations

import io
import random
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from holdfast.models.network import STATUS_NAMES, Topology, network_game
from holdfast.product import configure
from holdfast.report.board import MAX_DRAWN, STYLES, board, drawing, layout, run_together
from holdfast.report.wiring import DOWN, LEFT, LINES, RIGHT, UP
from holdfast.scenario.load import configuration, read_scenario, topology

ROOT = Path(__file__).parent.parent
PAPER = "scenarios/paper.yaml"

ARMS = {mark: arms for arms, mark in LINES.items()}
STEP = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
BACK = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}


def links_in(text, boxes):
    """Read the links off a drawing, line by line, as an eye would."""
    grid = text.split("\n")
    border = {
        (row, x): node
        for node, box in boxes.items()
        for row in range(box.top, box.top + box.height)
        for x in (box.start, box.start + box.width - 1)
    }
    found, seen = set(), set()
    for row, line in enumerate(grid):
        for x, mark in enumerate(line):
            if mark in "▲▼↕":
                upper = next(
                    n
                    for (r, _), n in border.items()
                    if r == row - 1 and boxes[n].start <= x < boxes[n].start + boxes[n].width
                )
                lower = next(
                    n
                    for (r, _), n in border.items()
                    if r == row + 1 and boxes[n].start <= x < boxes[n].start + boxes[n].width
                )
                found |= {(upper, lower)} if mark in "▼↕" else set()
                found |= {(lower, upper)} if mark in "▲↕" else set()
            if mark in "▶◀" and (row, x) not in seen:
                ports, arrows = flood(grid, border, row, x)
                seen |= set(arrows)
                targets = [border[r, c + (1 if grid[r][c] == "▶" else -1)] for r, c in arrows]
                assert len(ports) <= 1, "a line has one source"
                if ports:
                    found |= {(ports[0], target) for target in targets}
                else:
                    one, other = targets
                    found |= {(one, other), (other, one)}
    return found


def flood(grid, border, row, x):
    """All ends of the line that an arrow head belongs to: nodes it leaves, and its arrow heads."""
    ports, arrows, todo, met = [], [(row, x)], [(row, x, LEFT if grid[row][x] == "▶" else RIGHT)], set()
    while todo:
        row, x, way = todo.pop()
        row, x = row + STEP[way][0], x + STEP[way][1]
        if (row, x, way) in met:
            continue
        met.add((row, x, way))
        mark = grid[row][x]
        if (row, x) in border:
            assert mark in ("├╟" if way == LEFT else "┤╢"), mark
            ports.append(border[row, x])
        elif mark in "▶◀":
            assert way == (RIGHT if mark == "▶" else LEFT)
            arrows.append((row, x))
        elif BACK[way] & ARMS[mark]:
            todo += [(row, x, out) for out in STEP if out & ARMS[mark] and out != BACK[way]]
        else:
            assert mark == "│", "only a line that crosses is passed"
            todo.append((row, x, way))
    return ports, arrows


@pytest.mark.parametrize("seed", range(30))
def test_a_drawing_shows_exactly_the_links(seed):
    """Should be readable: following the lines of the drawing gives the links of the segment."""
    rng = random.Random(seed)
    n_drawn = 0
    for _ in range(6):
        hosts = [f"h{i}" for i in range(rng.randint(1, MAX_DRAWN))]
        links = {(hosts[rng.randrange(i)], hosts[i]) for i in range(1, len(hosts)) if rng.random() < 0.9}
        links |= {tuple(rng.sample(hosts, 2)) for _ in range(rng.randint(0, 6)) if len(hosts) > 1}
        topology = Topology(
            tuple(hosts), tuple(sorted(links)), "h0", tuple(rng.sample(hosts, min(2, len(hosts))))
        )
        status = {host: rng.choice("CXDIZ") for host in hosts}
        room = rng.choice((79, 99, 120))
        text = drawing(topology, status, room)
        if text is None:
            continue
        n_drawn += 1
        rows = text.plain.split("\n")
        assert max(map(len, rows)) <= room
        words = "compromised" not in rows[-1]
        boxes = boxes_in(topology, room, words)
        assert links_in(text.plain, boxes) == links
        for host, box in boxes.items():
            inside = [
                row[box.start + 1 : box.start + box.width - 1].split()
                for row in rows[box.top + 1 : box.top + box.height - 1]
            ]
            assert [host] in inside
            assert [status[host], *([STATUS_NAMES[status[host]]] if words else [])] in inside
            frame = rows[box.top][box.start : box.start + box.width]
            assert ("entry" in frame) == (host == "h0")
            assert ("critical" in frame) == (frame[0] == "╔") == (host in topology.critical)
    assert n_drawn >= 3


def boxes_in(topology, room, words):
    """Where the boxes are, by the layout that was drawn."""
    return next(
        found.boxes for style in STYLES if style[0] == words
        and (found := layout(topology, room, *style)) is not None
    )  # fmt: skip


def test_the_drawing_of_the_reference():
    """Should look like this."""
    scenario = read_scenario(ROOT / PAPER)
    status = dict(zip(("GW", "Web", "WS", "DB", "BK"), "XCDIZ"))
    text = drawing(topology(scenario, configuration(scenario)), status, 79).plain
    assert "\n".join(line.rstrip() for line in text.split("\n")) == REFERENCE.strip("\n")


REFERENCE = """
                     ┌───────────────┐
                  ┌─▶│ Web           ├─┐
┌─entry─────────┐ │  │ C clean       │ │  ╔═critical══════╗   ╔═critical══════╗
│ GW            ├─┤  └───────────────┘ └─▶║ DB            ╟──▶║ BK            ║
│ X compromised │ │          ▼         ┌─▶║ I isolated    ║   ║ Z destroyed   ║
└───────────────┘ │  ┌───────────────┐ │  ╚═══════════════╝   ╚═══════════════╝
                  └─▶│ WS            ├─┘
                     │ D detected    │
                     └───────────────┘
"""


def test_large_and_narrow_boards_become_lists():
    """Should list what does not fit, with every host, and stay inside the width."""
    for n, width in ((12, 80), (16, 80), (40, 80), (5, 40)):
        hosts = tuple(f"w{i}" for i in range(n))
        segment = Topology(hosts, tuple(pairwise(hosts)), "w0", ("w3",))
        c = configure(network_game(hosts, segment.links, "w0"), ["G (w3 != Z)"])
        text = io.StringIO()
        Console(file=text, width=width).print(board(c, segment, c.initial, width, frozenset({"w1"})))
        shown = text.getvalue()
        assert max(map(len, shown.splitlines())) <= width
        assert "X compromised" in shown
        assert "w3!" in shown if n > 16 else "critical" in shown
        assert "*w1" in shown


def test_hosts_that_no_link_leads_to_come_last():
    """Should not stand with the entry."""
    hosts = tuple(f"w{i}" for i in range(40))
    segment = Topology(hosts, tuple(pairwise(hosts[:38])), "w0")
    c = configure(network_game(hosts, segment.links, "w0"), ["G (w3 != Z)"])
    text = io.StringIO()
    Console(file=text, width=80).print(board(c, segment, c.initial, 80, frozenset()))
    rows = {" ".join(line.split()) for line in text.getvalue().splitlines()}
    assert {"entry X compromised w0", "1 link away C clean w1", "not linked C clean w38, w39"} <= rows


def test_numbered_names_run_together():
    """Should shorten runs of three and more only."""
    assert run_together([]) == ""
    assert run_together(["ws1", "ws2", "db", "ws9", "ws10", "ws11", "x01"]) == "ws1, ws2, db, ws9…ws11, x01"
