"""The board of a play in the terminal: the nodes of a system's graph with their status, or its variables.

Every status is shown by letter and by word; colours repeat it and differ in lightness too. Marks say where
trouble comes from and what the requirement singles out. Arrows that trouble can follow now are coloured.
``*`` marks what has just changed. Many nodes are gathered by their distance from the entry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.game import GameStructure, State
from holdfast.logic.expressions import Player
from holdfast.numerals import counted
from holdfast.product import Configuration, Position, drawn_graph
from holdfast.report.terminal import indented, plain
from holdfast.system import CRITICAL, ENTRY, Graph, distances

CHIPS = {
    "good": "#101010 on #a6d8f5",
    "bad": "bold #ffffff on #b3261e",
    "watched": "bold #101010 on #f0a500",
    "apart": "#101010 on #b8b8b8",
    "gone": "bold #ffffff on #4a1a5c",
}
"""What the tones of a graph look like: light, dark red, amber, grey, near black."""

HOT = "bold #e0552b"
URGENT = ("gone", "bad", "watched", "apart", "good")
"""The tones, what needs attention first."""

MAX_LISTED, MAX_VALUES = 16, 12

Words = Mapping[str, str]


def board(
    configuration: Configuration, position: Position, changed: frozenset[str] = frozenset()
) -> RenderableType:
    """The state of a position; ``changed`` are variables to point out."""
    game, graph = configuration.game, drawn_graph(configuration)
    if graph is None or not graph.tones:
        return _variables(game, position.state, changed)
    listed = _listed if len(graph.nodes) <= MAX_LISTED else _grouped
    legend, status = configuration.system.legend, statuses(graph, game, position.state)
    return indented(listed(graph, legend, status, changed))


def clauses(configuration: Configuration, position: Position) -> RenderableType:
    """Where the automata stand."""
    table = _table("dim", "")
    sides = (("φ_D", Player.DEFENDER, position.q_defender), ("φ_A", Player.ADVERSARY, position.q_adversary))
    for tag, side, states in sides:
        for n, (clause, q) in enumerate(zip(configuration.clauses(side), states, strict=True)):
            broken = "" if clause.automaton.accepting[q] else "bold red"
            told = (Text(plain(text), broken) for text in (clause.automaton.states[q], clause.label))
            table.add_row("" if n else tag, *told)
    return indented(table)


def statuses(graph: Graph, game: GameStructure, state: State) -> dict[str, str]:
    """The value of each node."""
    values = {v.name: str(v.values[code]) for v, code in zip(game.variables, state, strict=True)}
    return {node.name: values[node.variable] for node in graph.nodes}


def within_reach(graph: Graph, status: Words) -> list[str]:
    """The nodes to which trouble can follow an arrow now."""
    reached = {b for a, b in graph.arrows if status[a] in graph.spreads and status[b] in graph.open_to}
    return [name for name in graph.names if name in reached]


def _chip(graph: Graph, legend: Words, value: str) -> Text:
    return Text(f" {value} {legend.get(value, '')} ", CHIPS[graph.tones[value]])


def _table(*styles: str) -> Table:
    """A grid with a column for each style and one more, which may fold."""
    table = Table.grid(padding=(0, 2))
    for style in styles:
        table.add_column(style=style, no_wrap=True)
    table.add_column()
    return table


def _listed(graph: Graph, legend: Words, status: Words, changed: frozenset[str]) -> Table:
    """A line for each node, in order of its distance from the entry, with its arrows."""
    table = _table("bold", "", "dim")
    away = distances(graph.arrows, graph.marked(ENTRY))
    for node in sorted(graph.nodes, key=lambda node: away.get(node.name, len(away))):
        targets = [b for a, b in graph.arrows if a == node.name]
        value = status[node.name]
        arrows = Text("→ " + ", ".join(targets), HOT if value in graph.spreads else "dim") if targets else ""
        name = f"{'*' if node.variable in changed else ''}{node.name}"
        table.add_row(plain(name), _chip(graph, legend, value), "·".join(node.marks), arrows)
    return table


def _grouped(graph: Graph, legend: Words, status: Words, changed: frozenset[str]) -> Table:
    """Nodes by distance from the entry and by status; what needs attention comes first."""
    table = _table("dim", "")
    away = distances(graph.arrows, graph.marked(ENTRY))
    ordered = sorted(graph.tones, key=lambda value: URGENT.index(graph.tones[value]))
    for distance in (*dict.fromkeys(away.values()), None):
        words = f"{counted(distance, graph.relation)} away" if distance else "entry"
        words = "not linked" if distance is None else words
        for value in ordered:
            names = [n for n in graph.names if away.get(n) == distance and status[n] == value]
            if names:
                table.add_row(words, _chip(graph, legend, value), Text(_marked(names, graph, changed)))
                words = ""
    reach = within_reach(graph, status)
    table.add_row("in reach", "", Text(_marked(reach, graph, frozenset()) or "nothing", HOT))
    if graph.marked(CRITICAL):
        table.add_row("", "", Text("! is critical, * has just changed", "dim"))
    return table


def _marked(names: list[str], graph: Graph, changed: frozenset[str]) -> str:
    """Names run together; ``!`` marks a critical node, ``*`` a change."""
    critical = graph.marked(CRITICAL)
    return run_together([f"{'*' if n in changed else ''}{n}{'!' if n in critical else ''}" for n in names])


def run_together(names: list[str]) -> str:
    """Names in a list, with numbered runs shortened.

    >>> run_together(["GW", "ws1", "ws2", "ws3", "ws5"])
    'GW, ws1…ws3, ws5'
    """
    runs: list[list[str]] = []
    for name in names:
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(f"{run[0]}…{run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)


def _follows(one: str, other: str) -> bool:
    """Whether ``ws8`` is followed by ``ws9``."""
    a, b = re.fullmatch(r"(.*?)(\d{1,9})", one), re.fullmatch(r"(.*?)(\d{1,9})", other)
    return a is not None and b is not None and a[1] == b[1] and int(b[2]) == int(a[2]) + 1


def _variables(game: GameStructure, state: State, changed: frozenset[str]) -> RenderableType:
    """A row for each variable: its value among the values it can have."""
    table = _table("bold", "")
    for variable, code in zip(game.variables, state, strict=True):
        value = plain(str(variable.values[code]))
        name = f"{'*' if variable.name in changed else ''}{variable.name}"
        low = max(0, min(code - MAX_VALUES // 2, len(variable.values) - MAX_VALUES))
        around = range(low, min(low + MAX_VALUES, len(variable.values)))
        domain = Text(" ").join(
            Text(f"[{value}]", "bold reverse") if n == code else Text(plain(str(variable.values[n])), "dim")
            for n in around
        )
        before = "… " if low else ""
        after = " …" if around and around[-1] < len(variable.values) - 1 else ""
        table.add_row(Text(plain(name)), Text(f"= {value}"), Text(before) + domain + Text(after))
    return indented(table)
