"""The board of a play in the terminal: the nodes of a system's graph with their status, or its variables.

Every status is shown by letter and by word; colours repeat it and differ in lightness too. Marks say where
trouble comes from and what the requirement singles out. Arrows that trouble can follow now are coloured, and
those that are shut stand in brackets. ``*`` marks what has just changed. Many nodes are gathered by their
zone or, without zones, by their distance from the entry. A floor is drawn square by square, with what stands
on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.game import (
    CRITICAL,
    EXPOSED,
    HARDENED,
    Arrow,
    Configuration,
    Floor,
    GameStructure,
    Graph,
    Position,
    State,
    counted,
    distances,
    drawn_graph,
)
from holdfast.logic import Player, Tally
from holdfast.report.renderers.terminal import indented, plain

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
    if graph is not None and graph.floor is not None:
        return _on_floor(graph.floor, game, position.state, changed)
    if graph is None or not graph.tones:
        return _variables(game, position.state, changed)
    listed = _listed if len(graph.nodes) <= MAX_LISTED else _grouped
    legend, status = configuration.system.legend, statuses(graph, game, position.state)
    values = _values(game, position.state)
    table = listed(graph, legend, status, changed, shut_arrows(graph, values))
    switches = dict.fromkeys(variable for gates in graph.gates.values() for variable, _ in gates)
    if switches:
        words = (f"{'*' if name in changed else ''}{name} {values[name]}" for name in switches)
        return indented(Group(table, Text(f"switches: {', '.join(words)}", "dim")))
    return indented(table)


def clauses(configuration: Configuration, position: Position) -> RenderableType:
    """Where the automata stand."""
    table = _table("dim", "")
    sides = (("φ_D", Player.DEFENDER, position.q_defender), ("φ_A", Player.ADVERSARY, position.q_adversary))
    for tag, side, states in sides:
        for n, (clause, q) in enumerate(zip(configuration.clauses(side), states, strict=True)):
            broken = "" if clause.automaton.accepting[q] else "bold red"
            texts = (Text(plain(text), broken) for text in (clause.automaton.states[q], clause.label))
            table.add_row("" if n else tag, *texts)
    return indented(table)


def statuses(graph: Graph, game: GameStructure, state: State) -> dict[str, str]:
    """The value of each node."""
    values = _values(game, state) | {t.name: _worst(graph, game, t, state) for t in game.tallies}
    return {node.name: values[node.variable] for node in graph.nodes}


def _worst(graph: Graph, game: GameStructure, tally: Tally, state: State) -> str:
    """Of alike things, the value that is most to be minded among those that some of them have."""
    there = [
        value
        for value, counter in zip(tally.values, tally.counters, strict=True)
        if state[game.places[counter.name]]
    ]
    return min(there, key=lambda value: URGENT.index(graph.tones[value]))


def _values(game: GameStructure, state: State) -> dict[str, str]:
    return {v.name: str(v.values[code]) for v, code in zip(game.variables, state, strict=True)}


def shut_arrows(graph: Graph, values: Words) -> frozenset[Arrow]:
    """The arrows that nothing can follow now; those that are filtered, never."""
    shut = (arrow for arrow, gates in graph.gates.items() if any(values[v] == at for v, at in gates))
    return graph.filtered.union(shut)


def within_reach(graph: Graph, status: Words, shut: Collection[Arrow] = ()) -> list[str]:
    """The nodes to which trouble can come now, along an arrow or from outside."""
    arrows = (arrow for arrow in graph.arrows if arrow not in shut)
    reached = {b for a, b in arrows if status[a] in graph.spreads} | set(graph.marked(EXPOSED))
    proof = graph.marked(HARDENED)
    return [n for n in graph.names if n in reached and n not in proof and status[n] in graph.open_to]


def _chip(graph: Graph, legend: Words, value: str) -> Text:
    return Text(f" {value} {legend.get(value, '')} ", CHIPS[graph.tones[value]])


def _table(*styles: str) -> Table:
    """A grid with a column for each style and one more, which may fold."""
    table = Table.grid(padding=(0, 2))
    for style in styles:
        table.add_column(style=style, no_wrap=True)
    table.add_column()
    return table


def _listed(
    graph: Graph, legend: Words, status: Words, changed: frozenset[str], shut: frozenset[Arrow]
) -> Table:
    """A line for each node, zone by zone in order of the distance from the entry, with its arrows."""
    table = _table("bold", "", "dim", *(["dim"] if graph.zones else []))
    away = distances(graph.arrows, graph.starts)
    zone = {name: zone for zone, names in graph.zones.items() for name in names}
    first = {zone: min(away.get(n, len(away)) for n in names) for zone, names in graph.zones.items() if names}

    def place(name: str) -> tuple[int, str, int]:
        own = away.get(name, len(away))
        return first.get(zone.get(name, ""), own), zone.get(name, ""), own

    for node in sorted(graph.nodes, key=lambda node: place(node.name)):
        arrows = [arrow for arrow in graph.arrows if arrow[0] == node.name]
        targets = ", ".join(f"[{b}]" if (a, b) in shut else b for a, b in arrows)
        value = status[node.name]
        leads = Text(f"→ {targets}", HOT if value in graph.spreads else "dim") if targets else ""
        name = f"{'*' if node.variable in changed else ''}{node.name}"
        inside = [plain(zone.get(node.name, ""))] if graph.zones else []
        table.add_row(plain(name), _chip(graph, legend, value), *inside, "·".join(node.marks), leads)
    return table


def _places(graph: Graph) -> dict[str, list[str]]:
    """Nodes by zone or, without zones, by their distance from the entry."""
    places: dict[str, list[str]] = {plain(zone): list(names) for zone, names in graph.zones.items()}
    inside = {name for names in graph.zones.values() for name in names}
    if graph.zones:
        return {**places, "in no zone": [name for name in graph.names if name not in inside]}
    away = distances(graph.arrows, graph.starts)
    for distance in dict.fromkeys(away.values()):
        words = f"{counted(distance, graph.relation)} away" if distance else "entry"
        places[words] = [name for name in graph.names if away.get(name) == distance]
    return {**places, "not linked": [name for name in graph.names if name not in away]}


def _grouped(
    graph: Graph, legend: Words, status: Words, changed: frozenset[str], shut: frozenset[Arrow]
) -> Table:
    """Nodes by place and by status; what needs attention comes first."""
    table = _table("dim", "")
    ordered = sorted(graph.tones, key=lambda value: URGENT.index(graph.tones[value]))
    for words, members in _places(graph).items():
        for value in ordered:
            names = [name for name in members if status[name] == value]
            if names:
                table.add_row(words, _chip(graph, legend, value), Text(_marked(names, graph, changed)))
                words = ""
    reach = within_reach(graph, status, shut)
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


ROOMY = 18
"""Columns of a floor up to which its squares stand apart, with barriers between them."""


def _on_floor(floor: Floor, game: GameStructure, state: State, changed: frozenset[str]) -> RenderableType:
    """The floor with what stands on it, each by its letter, and all other variables below."""
    values = _values(game, state)
    standing: dict[str, list[str]] = {}
    for name in floor.start:
        standing.setdefault(values[name], []).append(floor.letters[name])
    line = "   ".join(
        f"{'*' if name in changed else ''}{floor.letters[name]} {plain(name)} {values[name]}"
        for name in floor.start
    )
    draw = _floor if floor.columns <= ROOMY else _narrow_floor
    drawn = indented(Group(*draw(floor, standing), Text(line)))
    still = frozenset(variable.name for variable in game.variables) - frozenset(floor.start)
    return Group(drawn, _variables(game, state, changed, still)) if still else drawn


def _floor(floor: Floor, standing: Mapping[str, list[str]]) -> Iterator[Text]:
    """The lines of a floor; ``standing`` gives the letters on a square. Barriers run between squares."""
    value_at = {point: value for value, point in floor.at.items()}
    barriers = {frozenset(floor.at[value] for value in pair) for pair in floor.barriers}
    wide = max(map(len, floor.down), default=0)
    if floor.across:
        yield Text(" " * wide + " " + " ".join(f"{name:^3}" for name in floor.across), "dim")
    for y in range(floor.rows):
        line = Text().append(f"{floor.down[y] if floor.down else '':>{wide}} ", "dim")
        below = Text(" " * (wide + 1))
        for x in range(floor.columns):
            line += _square(floor, value_at.get((x, y)), standing, 3)
            line.append("┃" if frozenset(((x, y), (x + 1, y))) in barriers else " ", "bold")
            below.append("━━━ " if frozenset(((x, y), (x, y + 1))) in barriers else "    ", "bold")
        yield line
        if below.plain.strip():
            yield below


def _narrow_floor(floor: Floor, standing: Mapping[str, list[str]]) -> Iterator[Text]:
    """A character for each square; barriers are told, not drawn."""
    value_at = {point: value for value, point in floor.at.items()}
    for y in range(floor.rows):
        squares = (_square(floor, value_at.get((x, y)), standing, 1) for x in range(floor.columns))
        yield Text("").join(squares)
    if floor.barriers:
        yield Text(f"barriers: {', '.join(f'{a} - {b}' for a, b in floor.barriers)}", "dim")


def _square(floor: Floor, value: str | None, standing: Mapping[str, list[str]], wide: int) -> Text:
    """A few characters: who stands here, or the first letter of the area, or nothing."""
    if value is None:
        return Text("█" * wide, "dim")
    here = [name for name, values in floor.areas.items() if value in values]
    here.sort(key=lambda name: (name not in floor.tones, len(floor.areas[name])))
    look = CHIPS.get(floor.tones.get(here[0], ""), "") if here else ""
    letters = "".join(standing.get(value, ()))[:wide]
    if letters:
        return Text(f"{letters:^{wide}}", f"bold {look}".strip())
    return Text(f"{plain(here[0])[0] if here else '·':^{wide}}", look or "dim")


def _variables(
    game: GameStructure, state: State, changed: frozenset[str], shown: frozenset[str] | None = None
) -> RenderableType:
    """A row for each variable that is shown, all by default: its value among the values it can have."""
    table = _table("bold", "")
    for variable, code in zip(game.variables, state, strict=True):
        if shown is not None and variable.name not in shown:
            continue
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
