"""The board of a play in the terminal: a segment as boxes and links, any other system as a table.

Every status is shown by letter, and by word where there is room; colours repeat it and differ in lightness
too. Entry and critical assets are marked in the frame, which is double for critical ones. Links that leave a
compromised or detected host are coloured, since the attacker can use them now. ``*`` marks what has just
changed. A segment that does not fit into the width, or has many hosts, becomes a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from holdfast.game import GameStructure, State
from holdfast.models.network import STATUS_NAMES, Topology
from holdfast.product import Configuration, Position
from holdfast.report.tables import counted
from holdfast.report.terminal import plain
from holdfast.report.wiring import Box, Picture, distances, picture

CHIPS = {
    "C": "#101010 on #a6d8f5",
    "X": "bold #ffffff on #b3261e",
    "D": "bold #101010 on #f0a500",
    "I": "#101010 on #b8b8b8",
    "Z": "bold #ffffff on #4a1a5c",
}
"""What a status looks like: light, dark red, amber, grey, near black."""

HOT = "bold #e0552b"
INFECTED = ("X", "D")
MAX_DRAWN, MAX_LINKS, MAX_ROWS = 12, 40, 26
"""Hosts, links and height of a drawing; more is easier to read as a list."""

MAX_LISTED, MAX_VALUES = 16, 12
STYLES = ((True, 1), (True, 0), (False, 0))
"""With words or letters alone, and how many blanks at the sides of a box; the first that fits."""

SINGLE, DOUBLE = "┌─┐│└┘├┤", "╔═╗║╚╝╟╢"


def board(
    configuration: Configuration,
    topology: Topology | None,
    position: Position,
    width: int,
    changed: frozenset[str] = frozenset(),
) -> RenderableType:
    """The state of a position, drawn.

    Args:
        configuration: whose position it is.
        topology: of a segment; None for any other system.
        position: what to draw.
        width: columns of the terminal.
        changed: variables to point out.
    """
    game = configuration.game
    if topology is None:
        return _variables(game, position.state, changed)
    status = statuses(game, position.state)
    if len(topology.hosts) <= MAX_DRAWN:
        drawn = drawing(topology, status, width - 1, changed)
        if drawn is not None:
            return Padding(drawn, (0, 0, 0, 1))
    listed = _listed if len(topology.hosts) <= MAX_LISTED else _grouped
    return Padding(listed(topology, status, changed), (0, 0, 0, 2))


def clauses(configuration: Configuration, position: Position) -> RenderableType:
    """Where the automata stand."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    sides = (
        ("φ_D", configuration.defender, position.q_defender),
        ("φ_A", configuration.adversary, position.q_adversary),
    )
    for tag, automata, states in sides:
        for n, (automaton, q) in enumerate(zip(automata, states, strict=True)):
            broken = "" if automaton.accepting[q] else "bold red"
            table.add_row(
                "" if n else tag,
                Text(plain(automaton.states[q]), broken),
                Text(plain(automaton.source), broken),
            )
    return Padding(table, (0, 0, 0, 2))


def statuses(game: GameStructure, state: State) -> dict[str, str]:
    """The letter of each host."""
    return {v.name: str(v.values[code]) for v, code in zip(game.variables, state, strict=True)}


def within_reach(topology: Topology, status: dict[str, str]) -> list[str]:
    """The clean hosts to which the attacker can spread now."""
    open_to = {b for a, b in topology.links if status[a] in INFECTED and status[b] == "C"}
    return [host for host in topology.hosts if host in open_to]


def legend() -> Text:
    """Letters and words."""
    return Text("  ").join(
        Text.assemble((f" {letter} ", CHIPS[letter]), f" {word}") for letter, word in STATUS_NAMES.items()
    )


# -- drawn ------------------------------------------------------------------------------------------


def drawing(
    topology: Topology, status: dict[str, str], width: int, changed: frozenset[str] = frozenset()
) -> Text | None:
    """Boxes and links, with words if they fit; None if even letters alone do not."""
    if len(set(topology.links)) > MAX_LINKS:
        return None
    for words, pad in STYLES:
        found = layout(topology, width, words, pad)
        if found is not None and found.height <= MAX_ROWS:
            text = _painted(found, topology, status, words, changed)
            return text if words else text.append("\n\n").append_text(legend())
    return None


@lru_cache(maxsize=32)
def layout(topology: Topology, width: int, words: bool, pad: int) -> Picture | None:
    """Where boxes and lines go, if they fit; ``words`` and ``pad`` as in :data:`STYLES`."""
    longest = max(map(len, STATUS_NAMES.values())) + 2 if words else 1
    widths = {
        host: max(max(cell_len(host) + 1, longest) + 2 + 2 * pad, len(_mark(topology, host)) + 4)
        for host in topology.hosts
    }
    return picture(topology.hosts, topology.links, topology.entry, widths, width)


def _painted(
    found: Picture, topology: Topology, status: dict[str, str], words: bool, changed: frozenset[str]
) -> Text:
    """The picture row by row, each a sequence of styled characters."""
    grid = [[(" ", "")] * found.width for _ in range(found.height)]
    for (row, x), (mark, sources) in found.lines.items():
        hot = any(status[source] in INFECTED for source in sources)
        grid[row][x] = mark, HOT if hot else "dim"
    for host, box in found.boxes.items():
        _paint_box(grid, box, topology, host, status[host], words, host in changed)
    text = Text(no_wrap=True, overflow="crop")
    for n, cells in enumerate(grid):
        for mark, style in cells:
            text.append(mark, style)
        if n < len(grid) - 1:
            text.append("\n")
    return text


def _paint_box(
    grid: list[list[tuple[str, str]]],
    box: Box,
    topology: Topology,
    host: str,
    letter: str,
    words: bool,
    changed: bool,
) -> None:
    frame = DOUBLE if host in topology.critical else SINGLE
    style = HOT if letter in INFECTED else ""
    inner = box.width - 2
    mark = _mark(topology, host)
    top = f"{frame[1]}{mark}" if mark else ""
    _paint(grid, box.top, box.start, [(frame[0] + top + frame[1] * (inner - len(top)) + frame[2], style)])
    for row in range(box.top + 1, box.top + box.height - 1):
        left = frame[7] if row in box.left else frame[3]
        right = frame[6] if row in box.right else frame[3]
        _paint(grid, row, box.start, [(left, style), (" " * inner, ""), (right, style)])
    bottom = frame[4] + frame[1] * inner + frame[5]
    _paint(grid, box.top + box.height - 1, box.start, [(bottom, style)])
    first = box.top + 1 + (box.height - 4) // 2
    name = f"{'*' if changed else ''}{host}"
    _paint(
        grid,
        first,
        box.start + 1,
        [(set_cell_size(f" {name}" if cell_len(name) < inner else name, inner), "bold")],
    )
    word = f"{letter} {STATUS_NAMES[letter]}" if words else letter
    chip = f" {word}" if cell_len(word) < inner else word
    _paint(grid, first + 1, box.start + 1, [(set_cell_size(chip, inner), CHIPS[letter])])


def _paint(grid: list[list[tuple[str, str]]], row: int, x: int, parts: Iterable[tuple[str, str]]) -> None:
    """Write styled text into a row; a wide character takes the place of two."""
    for text, style in parts:
        for character in text:
            size = cell_len(character)
            if size:
                grid[row][x : x + size] = [(character, style)] + [("", "")] * (size - 1)
            x += size


def _mark(topology: Topology, host: str) -> str:
    """What the frame says of a host."""
    return "·".join(
        word
        for word, on in (("entry", host == topology.entry), ("critical", host in topology.critical))
        if on
    )


# -- listed -----------------------------------------------------------------------------------------


def _chip(letter: str) -> Text:
    return Text(f" {letter} {STATUS_NAMES[letter]} ", CHIPS[letter])


def _listed(topology: Topology, status: dict[str, str], changed: frozenset[str]) -> Table:
    """A line for each host, in order of its distance from the entry, with its links."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    away = distances(topology.links, topology.entry)
    for host in sorted(topology.hosts, key=lambda host: away.get(host, len(away))):
        targets = [b for a, b in topology.links if a == host]
        links = Text("→ " + ", ".join(targets), HOT if status[host] in INFECTED else "dim") if targets else ""
        name = f"{'*' if host in changed else ''}{host}"
        table.add_row(name, _chip(status[host]), _mark(topology, host), links)
    return table


def _grouped(topology: Topology, status: dict[str, str], changed: frozenset[str]) -> Table:
    """Hosts by distance from the entry and by status; what needs attention comes first."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    away = distances(topology.links, topology.entry)
    for distance in (*dict.fromkeys(away.values()), None):
        words = (
            "not linked" if distance is None else f"{counted(distance, 'link')} away" if distance else "entry"
        )
        for letter in "ZXDIC":
            hosts = [h for h in topology.hosts if away.get(h) == distance and status[h] == letter]
            if hosts:
                table.add_row(words, _chip(letter), Text(_marked(hosts, topology, changed)))
                words = ""
    reach = within_reach(topology, status)
    table.add_row("in reach", "", Text(_marked(reach, topology, frozenset()) or "nothing", HOT))
    if topology.critical:
        table.add_row("", "", Text("! is critical, * has just changed", "dim"))
    return table


def _marked(hosts: list[str], topology: Topology, changed: frozenset[str]) -> str:
    """Names run together; ``!`` marks a critical host, ``*`` a change."""
    return run_together(
        [f"{'*' if h in changed else ''}{h}{'!' if h in topology.critical else ''}" for h in hosts]
    )


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
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
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
    return Padding(table, (0, 0, 0, 2))
