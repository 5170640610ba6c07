"""Büchi games for gr1py, a solver of GR(1) games from outside."""

from __future__ import annotations

import sys
from types import ModuleType
from unittest.mock import patch

import networkx

from holdfast.logic.expressions import Player

# Its reader of files writes tables beside itself when it is loaded; we hand it games that are built already.
with patch.dict(sys.modules, {"gr1py.form": ModuleType("gr1py.form")}):
    from gr1py.solve import get_winning_set
    from gr1py.tstruct import AnnTransitionSystem


def won_again_and_again(oracle, there):
    """The positions from which the defender can be at some others again and again, and never violates."""
    nodes, game = _game(oracle, there)
    won = get_winning_set(game)
    return {v for v, node in nodes.items() if node in won}


def _game(oracle, there):
    """A game for gr1py: its environment names the next position where the adversary moves, its system elsewhere.

    A node is what the environment chose and a position. Nobody may move to an unsafe position but the
    adversary, which wins by it; an adversary without a move rests.
    """
    numbers = {v: i for i, v in enumerate(sorted(set(oracle.positions) - set(oracle.unsafe)))}
    nodes = {v: (i if v[1] is Player.DEFENDER else -1, i) for v, i in numbers.items()}
    graph, choices = networkx.DiGraph(), {}
    for v, node in nodes.items():
        graph.add_node(node, sat=["ENVGOAL0", *(["SYSGOAL0"] if v in there else [])])
    for v, node in nodes.items():
        targets = list(oracle.admissible(v).values())
        graph.add_edges_from((node, nodes[t]) for t in targets if t in nodes)
        if v[1] is Player.DEFENDER:
            choices[node] = [(-1,)]
        elif targets:
            choices[node] = [(numbers.get(t, -2),) for t in targets]
        else:
            graph.add_edge(node, node)
            choices[node] = [(-1,)]
    variables = [{"name": "chosen", "uncontrolled": True}, {"name": "position", "uncontrolled": False}]
    return nodes, AnnTransitionSystem(variables, graph, choices, num_egoals=1, num_sgoals=1)
