"""Configurations with one thing exchanged, and pictures of segments."""

from dataclasses import replace

from holdfast.game.clauses import Clause
from holdfast.game.system import CRITICAL, ENTRY, Graph, GraphNode
from holdfast.models.network.game import TONES


def with_game(configuration, game):
    """The configuration on another game with the same variables."""
    return replace(configuration, system=replace(configuration.system, game=game))


def with_boundary(configuration, automata):
    """The configuration with other automata of φ_A."""
    return replace(configuration, boundary=tuple(Clause(a, a.source) for a in automata))


def segment_graph(hosts, links, entry, critical=()):
    """The picture of a segment."""
    marks = {h: ((ENTRY,) if h == entry else ()) + ((CRITICAL,) if h in critical else ()) for h in hosts}
    return Graph(
        tuple(GraphNode(host, host, marks[host]) for host in hosts),
        tuple(links),
        noun="host",
        relation="link",
        tones=TONES,
        spreads=frozenset("XD"),
        open_to=frozenset("C"),
    )
