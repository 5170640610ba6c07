"""A small directed graph laid out in layers on a grid of characters, with lines between its boxes.

Boxes stand in columns by their distance from the entry. Between two columns there is a channel, in which
every *net* has a vertical track of its own: the one-way links of one source form a net and leave it at one
port, a two-way link is a net by itself; every arrow enters at a port of its own. So each connected line has
one source, and where two lines cross without meeting, the vertical one is drawn through. A link between
neighbours of a column is an arrow from box to box. A link that skips columns passes them on lanes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Link = tuple[str, str]
Cell = tuple[int, int]

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
LINES = {
    UP | DOWN: "│", LEFT | RIGHT: "─", DOWN | RIGHT: "┌", DOWN | LEFT: "┐", UP | RIGHT: "└", UP | LEFT: "┘",
    UP | DOWN | RIGHT: "├", UP | DOWN | LEFT: "┤", LEFT | RIGHT | DOWN: "┬", LEFT | RIGHT | UP: "┴",
    UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip
GAP, LEAST_INSIDE = 1, 2


MAX_PAIRS = 2_000_000
"""Pairs of links that are compared at most to untangle a segment."""


@dataclass(frozen=True)
class Box:
    """Where a node stands; ``left`` and ``right`` are the rows at which its own lines leave it."""

    top: int
    start: int
    width: int
    height: int
    left: frozenset[int] = frozenset()
    right: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Picture:
    """Boxes by node, and the lines: for each cell (row, column) a character and the nodes that feed it."""

    width: int
    height: int
    boxes: dict[str, Box]
    lines: dict[Cell, tuple[str, tuple[str, ...]]] = field(repr=False)


@dataclass
class _Net:
    """One source, or two for a two-way link; ports are (node, "left" or "right" of the channel)."""

    sources: tuple[str, ...]
    ports: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Whether an arrow enters there."""
    rows: dict[tuple[str, str], int] = field(default_factory=dict)

    def span(self) -> tuple[int, int]:
        return min(self.rows.values()), max(self.rows.values())

    def straight(self) -> bool:
        return len(set(self.rows.values())) == 1


def distances(links: Iterable[Link], entry: str) -> dict[str, int]:
    """How many links every node that the entry reaches is from it, the nearest first.

    >>> distances([("a", "b"), ("b", "c"), ("a", "c"), ("d", "a")], "a")
    {'a': 0, 'b': 1, 'c': 1}
    """
    after: dict[str, list[str]] = {}
    for source, target in links:
        after.setdefault(source, []).append(target)
    found, queue = {entry: 0}, deque([entry])
    while queue:
        node = queue.popleft()
        for target in after.get(node, ()):
            if target not in found:
                found[target] = found[node] + 1
                queue.append(target)
    return found


def picture(
    nodes: Sequence[str], links: Sequence[Link], entry: str, widths: dict[str, int], room: int
) -> Picture | None:
    """Lay the graph out in at most ``room`` columns; None if it does not fit or its lines get in a knot.

    Args:
        nodes: in the order to prefer.
        links: directed; both directions of a pair become one two-way line.
        entry: stands in the first column.
        widths: of each box, border included.
        room: columns of the terminal.
    """
    layers, nets, beside = _layered(nodes, links, entry)
    inside = {node: max(LEAST_INSIDE, _n_ports(nets, node)) for node in nodes}
    tops, height = _stacked(layers, inside)
    for channel in nets:
        _place_ports(channel, layers, tops, inside)
    tracks = [_tracks(channel) for channel in nets]
    spread = [max([widths[node] for node in layer if node in widths], default=1) for layer in layers]
    starts, column = [], 0
    lines: dict[Cell, tuple[str, tuple[str, ...]]] = {}
    for n, layer in enumerate(layers):
        starts.append(column)
        for lane in (node for node in layer if node not in widths):
            sources = next(net.sources for channel in nets for net in channel if _touches(net, lane))
            for x in range(column, column + spread[n]):
                lines[tops[lane], x] = "─", sources
        column += spread[n]
        placed = tracks[n]
        if placed is None or not _draw(lines, nets[n], placed, column):
            return None
        column += _channel_width(nets[n], placed)
    if column > room:
        return None
    own = {(node, side): rows for side in ("left", "right") for node, rows in _departures(nets, side).items()}
    boxes = {
        node: Box(
            tops[node], starts[n], spread[n], inside[node] + 2,
            frozenset(own.get((node, "right"), ())), frozenset(own.get((node, "left"), ())),
        )
        for n, layer in enumerate(layers) for node in layer if node in widths
    }  # fmt: skip
    for one, other, mark, sources in beside:
        box = boxes[one]
        lines[boxes[other].top - 1, box.start + box.width // 2] = mark, sources
    return Picture(column, height, boxes, lines)


# -- columns ----------------------------------------------------------------------------------------


def _layered(
    nodes: Sequence[str], links: Sequence[Link], entry: str
) -> tuple[list[list[str]], list[list[_Net]], list[tuple[str, str, str, tuple[str, ...]]]]:
    """The columns, lanes included; the nets of the channel right of each; and the arrows within columns."""
    reached = distances(links, entry)
    level = {node: reached.get(node, 0) for node in nodes}
    layers: list[list[str]] = [[] for _ in range(max(level.values()) + 1)]
    for node in nodes:
        layers[level[node]].append(node)
    known = dict.fromkeys(links)
    pairs = list(dict.fromkeys((a, b) if level[a] <= level[b] else (b, a) for a, b in known))
    pairs = [(a, b) for n, (a, b) in enumerate(pairs) if (b, a) not in pairs[:n]]
    chains = {}
    for a, b in pairs:
        lanes = [f"{a}\0{b}\0{n}" for n in range(level[a] + 1, level[b])]
        for n, lane in enumerate(lanes, level[a] + 1):
            layers[n].append(lane)
        chains[a, b] = [a, *lanes, b]
    _untangle(layers, [edge for chain in chains.values() for edge in pairwise(chain)])
    nets: list[dict[object, _Net]] = [{} for _ in layers]
    beside = []
    for (a, b), chain in chains.items():
        forth, back = (a, b) in known, (b, a) in known
        if level[a] == level[b]:
            column = layers[level[a]]
            upper, lower = sorted((a, b), key=column.index)
            if column.index(lower) == column.index(upper) + 1:
                down, up = (upper, lower) in known, (lower, upper) in known
                sources = ((upper,) if down else ()) + ((lower,) if up else ())
                beside.append((upper, lower, "↕" if down and up else "▼" if down else "▲", sources))
                continue
        for n, (x, y) in enumerate(pairwise(chain), level[a]):
            _wire(nets[n], (a, b), (x, y), (forth, back), same=level[a] == level[b])
    return layers, [list(channel.values()) for channel in nets], beside


def _wire(
    channel: dict[object, _Net], pair: Link, step: Link, ways: tuple[bool, bool], *, same: bool
) -> None:
    """Enter one step of a link into the nets of its channel."""
    (a, b), (x, y), (forth, back) = pair, step, ways
    far = "left" if same else "right"
    if forth and back:
        net = channel[pair] = _Net((a, b))
        net.ports |= {(x, "left"): x == a, (y, far): y == b}
        return
    source, start, end, side, other = (a, x, y, "left", far) if forth else (b, y, x, far, "left")
    key = (source, side) if start == source else (source, side, pair)
    net = channel.setdefault(key, _Net((source,)))
    net.ports |= {(start, side): False, (end, other): end in pair}


def _untangle(layers: list[list[str]], edges: list[Link]) -> None:
    """Swap neighbours of a column as long as that makes fewer crossings and shorter ways.

    In a dense segment there is much to try and little to gain, so the tries are counted.
    """

    def tangle() -> int:
        place = {node: (n, i) for n, layer in enumerate(layers) for i, node in enumerate(layer)}
        ends = [(*place[a], *place[b]) for a, b in edges]
        crossings = sum(
            p[0] == q[0] and p[2] == q[2] != p[0] and (p[1] - q[1]) * (p[3] - q[3]) < 0
            for n, p in enumerate(ends)
            for q in ends[:n]
        )
        return 4 * crossings + sum(3 * (abs(p[1] - p[3]) - 1) for p in ends if p[0] == p[2])

    least, better, tries = tangle(), True, MAX_PAIRS // (1 + len(edges) ** 2)
    while better:
        better = False
        for layer in layers:
            for i in range(len(layer) - 1):
                if not tries:
                    return
                tries -= 1
                layer[i], layer[i + 1] = layer[i + 1], layer[i]
                now = tangle()
                if now < least:
                    least, better = now, True
                else:
                    layer[i], layer[i + 1] = layer[i + 1], layer[i]


def _stacked(layers: list[list[str]], inside: dict[str, int]) -> tuple[dict[str, int], int]:
    """The top row of every box and lane, columns centred; and the height of it all."""
    tall = {node: inside[node] + 2 if node in inside else 1 for layer in layers for node in layer}
    heights = [sum(tall[node] for node in layer) + GAP * (len(layer) - 1) for layer in layers]
    tops = {}
    for layer, used in zip(layers, heights, strict=True):
        row = (max(heights) - used) // 2
        for node in layer:
            tops[node] = row
            row += tall[node] + GAP
    return tops, max(heights)


# -- ports and tracks -------------------------------------------------------------------------------


def _touches(net: _Net, node: str) -> bool:
    return any(port[0] == node for port in net.ports)


def _n_ports(nets: list[list[_Net]], node: str) -> int:
    sides = ("left", "right")
    return max(sum((node, side) in net.ports for channel in nets for net in channel) for side in sides)


def _place_ports(
    channel: list[_Net], layers: list[list[str]], tops: dict[str, int], inside: dict[str, int]
) -> None:
    """Give each port a row of its box, in the order of where its lines lead."""
    middle = {node: tops[node] + (inside[node] + 1) / 2 if node in inside else tops[node] for node in tops}
    wanted: dict[tuple[str, str], list[_Net]] = {}
    for net in channel:
        for port in net.ports:
            wanted.setdefault(port, []).append(net)
    for (node, side), nets in wanted.items():
        if node not in inside:
            for net in nets:
                net.rows[node, side] = tops[node]
            continue

        def heading(net: _Net, node: str = node) -> float:
            others = [middle[other] for other, _ in net.ports if other != node]
            return sum(others) / len(others)

        first = tops[node] + 1 + (inside[node] - len(nets)) // 2
        for row, net in enumerate(sorted(nets, key=heading), first):
            net.rows[node, side] = row


def _tracks(channel: list[_Net]) -> dict[int, int] | None:
    """A track for each net that turns, by its number; None if no order of the tracks keeps the lines apart.

    Where one net enters a row from the left and another leaves it to the right, the first must turn before.
    """
    turning = [n for n, net in enumerate(channel) if not net.straight()]
    rows = {
        (n, side): {row for (_, s), row in channel[n].rows.items() if s == side}
        for n in turning
        for side in ("left", "right")
    }
    before = {n: {m for m in turning if m != n and rows[m, "left"] & rows[n, "right"]} for n in turning}
    placed: dict[int, int] = {}
    while len(placed) < len(turning):
        ready = [n for n in turning if n not in placed and before[n] <= placed.keys()]
        if not ready:
            return None
        n = min(ready, key=lambda n: (channel[n].span()[1] - channel[n].span()[0], n))
        track = max((placed[m] + 1 for m in before[n]), default=0)
        while any(placed[m] == track and _overlap(channel[m], channel[n]) for m in placed):
            track += 1
        placed[n] = track
    return placed


def _overlap(one: _Net, other: _Net) -> bool:
    (a, b), (c, d) = one.span(), other.span()
    return a <= d and c <= b


def _channel_width(channel: list[_Net], tracks: dict[int, int]) -> int:
    if not channel:
        return 0
    return max(2 * (max(tracks.values(), default=-1) + 1) + 2, 3)


def _departures(nets: list[list[_Net]], side: str) -> dict[str, set[int]]:
    """The rows at which lines leave boxes on one side of a channel, where no arrow marks the place."""
    found: dict[str, set[int]] = {}
    for channel in nets:
        for net in channel:
            for (node, where), arrow in net.ports.items():
                if where == side and not arrow:
                    found.setdefault(node, set()).add(net.rows[node, where])
    return found


def _draw(
    lines: dict[Cell, tuple[str, tuple[str, ...]]], channel: list[_Net], tracks: dict[int, int], start: int
) -> bool:
    """Draw a channel; False if two lines would run along each other."""
    width = _channel_width(channel, tracks)
    for n, net in enumerate(channel):
        track = 1 + 2 * tracks[n] if n in tracks else width // 2
        arms: dict[Cell, int] = {}

        def along(cell: Cell, arm: int, arms: dict[Cell, int] = arms) -> None:
            arms[cell] = arms.get(cell, 0) | arm

        low, high = net.span()
        for row in range(low, high):
            along((row, track), DOWN)
            along((row + 1, track), UP)
        for (_, side), row in net.rows.items():
            cells = range(0, track) if side == "left" else range(track + 1, width)
            for x in cells:
                along((row, x), LEFT | RIGHT)
            along((row, track), LEFT if side == "left" else RIGHT)
        for (row, x), arm in arms.items():
            mark = LINES[arm]
            if (row, start + x) in lines:
                there = lines[row, start + x][0]
                if {there, mark} != {"─", "│"}:
                    return False
                mark = "│"
            lines[row, start + x] = mark, net.sources
        for (_, side), row in ((port, net.rows[port]) for port, arrow in net.ports.items() if arrow):
            lines[row, start + (0 if side == "left" else width - 1)] = (
                "◀" if side == "left" else "▶",
                net.sources,
            )
    return True
