"""The board: a list of nodes with status, marks and arrows, that stays inside the terminal."""

from __future__ import annotations

import io
import random
import re
from itertools import pairwise

import pytest
from rich.console import Console

from holdfast.game.configuration import Position, configure
from holdfast.models.network.game import network_system
from holdfast.models.network.segment import STATUS_NAMES, STATUSES
from holdfast.report.board import MAX_LISTED, board, run_together, within_reach
from holdfast.scenario.reading import load
from paths import ROOT
from variations import segment_graph, with_game


def shown(configuration, state=None, width=100, changed=frozenset()):
    """The board of a state as text."""
    position = configuration.initial
    if state is not None:
        position = Position(state, position.turn, position.q_defender, position.q_adversary)
    text = io.StringIO()
    Console(file=text, width=width).print(board(configuration, position, changed))
    return text.getvalue()


@pytest.mark.parametrize("seed", range(30))
def test_a_board_shows_exactly_the_links(seed):
    """Should be readable: every line names a host, its status and marks, and the hosts its links lead to."""
    rng = random.Random(seed)
    for _ in range(6):
        hosts = [f"h{i}" for i in range(rng.randint(1, MAX_LISTED))]
        links = {(hosts[rng.randrange(i)], hosts[i]) for i in range(1, len(hosts)) if rng.random() < 0.9}
        links |= {tuple(rng.sample(hosts, 2)) for _ in range(rng.randint(0, 6)) if len(hosts) > 1}
        critical = rng.sample(hosts, min(2, len(hosts) - 1)) if len(hosts) > 2 else []
        clauses = [f"G ({host} != Z)" for host in critical]
        c = configure(network_system(hosts, sorted(links), "h0"), clauses)
        state = tuple(rng.randrange(len(STATUSES)) for _ in hosts)
        found = {}
        for row in shown(c, state, 200).splitlines():
            name, letter, word, rest = re.match(r"\s+(\w+)\s+([CXDIZ]) (\w+)(.*)", row).groups()
            assert STATUS_NAMES[letter] == word
            marks, _, targets = rest.partition("→")
            found[name] = letter, set(marks.replace("·", " ").split()), set(re.findall(r"\w+", targets))
        for host, code in zip(hosts, state):
            marks = ({"entry"} if host == "h0" else set()) | ({"critical"} if host in critical else set())
            assert found[host] == (STATUSES[code], marks, {b for a, b in links if a == host})


def test_the_board_of_the_reference():
    """Should look like this."""
    c = load(ROOT / "scenarios/paper.yaml")
    state = tuple(map("CXDIZ".index, "XCDIZ"))
    text = shown(c, state, 79, frozenset({"WS"}))
    assert "\n".join(line.rstrip() for line in text.rstrip().split("\n")) == REFERENCE.strip("\n")


REFERENCE = """
  GW    X compromised   entry     → Web, WS
  Web   C clean                   → WS, DB
  *WS   D detected                → DB
  DB    I isolated      critical  → BK
  BK    Z destroyed     critical
"""


def test_many_hosts_are_gathered():
    """Should name every host and stay inside the width."""
    for n, width in ((12, 80), (16, 80), (40, 80), (5, 40)):
        hosts = tuple(f"w{i}" for i in range(n))
        c = configure(network_system(hosts, pairwise(hosts), "w0"), ["G (w3 != Z)"])
        text = shown(c, width=width, changed=frozenset({"w1"}))
        assert max(map(len, text.splitlines())) <= width
        assert "X compromised" in text
        assert "w3!" in text if n > 16 else "critical" in text
        assert "*w1" in text


def test_hosts_that_no_link_leads_to_come_last():
    """Should not stand with the entry."""
    hosts = tuple(f"w{i}" for i in range(40))
    c = configure(network_system(hosts, pairwise(hosts[:38]), "w0"), ["G (w3 != Z)"])
    rows = {" ".join(line.split()) for line in shown(c, width=80).splitlines()}
    assert {"entry X compromised w0", "1 link away C clean w1", "not linked C clean w38, w39"} <= rows


def test_what_trouble_can_reach():
    """Should follow arrows that leave compromised and detected hosts, to clean ones."""
    graph = segment_graph("abcd", [("a", "b"), ("a", "c"), ("c", "d"), ("d", "a")], "a")
    assert within_reach(graph, dict(zip("abcd", "XCDC"))) == ["b", "d"]


def test_a_system_without_a_picture_shows_its_variables():
    """Should list a game's variables, and a bare game's as well."""
    c = load(ROOT / "scenarios/water-tank.yaml")
    assert shown(c) == shown(with_game(c, c.game))
    assert all(variable.name in shown(c) for variable in c.game.variables)


def test_numbered_names_run_together():
    """Should shorten runs of three and more only."""
    assert run_together([]) == ""
    assert run_together(["ws1", "ws2", "db", "ws9", "ws10", "ws11", "x01"]) == "ws1, ws2, db, ws9…ws11, x01"
