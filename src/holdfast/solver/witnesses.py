"""The witness of a certificate, laid out by *planes*: a turn with a state for each automaton.

An explicit solution writes one number for each plane and valuation, compressed. A symbolic one writes
decision diagrams in the text form of DDDMP 2.0, CUDD's exchange format, which oxidd and other packages read.
There a node is a line ``number bit then else``, its children stand before it, a minus is a complement, node 1
is true, and a *then* edge is never complemented. That makes the text a canonical form: equal sets give equal
bytes.
"""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.game import Position
from holdfast.logic import Diagram, Diagrams, Player, children_first
from holdfast.solver.diagram_positions import DiagramPositions
from holdfast.solver.product_diagrams import within_memory
from holdfast.solver.quotient import Blocks

if TYPE_CHECKING:
    from holdfast.arrays import Int32s
    from holdfast.solver.explicit import ArrayRegions
    from holdfast.solver.symbolic import DiagramRegions

MAX_CELLS, MAX_NODES = 1 << 26, 1 << 21


class WitnessPlane(NamedTuple):
    """The positions with this turn and these automaton states; ``block`` is the engine's number for them."""

    turn: Player
    q_defender: tuple[int, ...]
    q_adversary: tuple[int, ...]
    block: int


def admissible_planes(blocks: Blocks) -> list[WitnessPlane]:
    """Every plane outside U in which φ_A is kept."""
    n = len(blocks.planes)
    return [
        WitnessPlane(turn, q_defender, q_adversary, d * n + a)
        for turn in Player
        for d, q_defender in enumerate(blocks.defender.accepting)
        for a, q_adversary in enumerate(blocks.adversary.accepting)
    ]


def listed_planes(planes: list[WitnessPlane]) -> list[list[Any]]:
    """The planes as the file has them."""
    return [[plane.turn.value, list(plane.q_defender), list(plane.q_adversary)] for plane in planes]


def require_cells(n_cells: int) -> None:
    """Refuse to write more numbers than the checker takes.

    Raises:
        LimitError: past :data:`MAX_CELLS` numbers.
    """
    if n_cells > MAX_CELLS:
        raise LimitError(
            f"the certificate would list {n_cells:,} positions (at most {MAX_CELLS:,}); "
            "the symbolic engine writes diagrams instead"
        )


def array_witness(regions: ArrayRegions, settled: dict[Position, int] | None) -> dict[str, Any]:
    """``region`` of a defensible game; ``ranks`` and ``moves`` of any other.

    Raises:
        LimitError: past :data:`MAX_CELLS` numbers.
    """
    import numpy as np

    game = regions.tables.configuration.game
    planes = admissible_planes(regions.tables.blocks)
    if settled is not None:
        planes = [WitnessPlane(v.turn, v.q_defender, v.q_adversary, -1) for v in settled]
    require_cells(len(planes) * game.n_valuations)
    horizon = regions.rank(regions.tables.configuration.initial)
    by_plane: dict[WitnessPlane, Int32s] = {}
    if settled is not None:
        for plane, (position, number) in zip(planes, settled.items(), strict=True):
            by_plane[plane] = np.zeros(game.n_valuations, np.int32)
            by_plane[plane][game.index(position.state)] = number
    else:
        for plane in planes:
            ranks = regions.ranks[list(Player).index(plane.turn), plane.block]
            numbers = (ranks < 0) if horizon is None else np.where(ranks <= horizon, ranks.clip(0), 0)
            by_plane[plane] = numbers.astype(np.int32)
    by_plane = {plane: numbers for plane, numbers in by_plane.items() if numbers.any()}
    witness = {"kind": "arrays", "planes": listed_planes(list(by_plane))}
    if horizon is None:
        return {**witness, "region": packed(by_plane.values())}
    moves = [
        forcing_numbers(regions, plane, by_plane[plane])
        for plane in by_plane
        if plane.turn is Player.ADVERSARY
    ]
    return {**witness, "ranks": packed(by_plane.values()), "moves": packed(moves)}


def forcing_numbers(regions: ArrayRegions, plane: WitnessPlane, numbers: Int32s) -> Int32s:
    """For each position of rank k the first admissible move to a lower rank."""
    import numpy as np

    rows = np.flatnonzero(numbers)
    chosen = np.full(len(rows), -1, np.int32)
    outcomes = regions.tables.outcomes(regions.ranks, plane.turn, plane.block, rows)
    for action, (admissible, rank, _) in enumerate(outcomes):
        lower = (rank >= 0) & (rank < numbers[rows])
        chosen[(chosen < 0) & admissible & lower] = action
    moves = np.zeros(len(numbers), np.int32)
    moves[rows] = chosen
    return moves


def packed(arrays: Any) -> str:
    """Arrays as text: little-endian 32-bit words, zlib, base64."""
    raw = b"".join(array.astype("<u4").tobytes() for array in arrays)
    return base64.b64encode(zlib.compress(raw, 9)).decode()


Levels = dict[WitnessPlane, list[Diagram]]
"""For each plane the positions of rank at most 1, 2, …; a region has one level."""


def diagram_witness(
    regions: DiagramRegions, settled: dict[Position, int] | None, budget: Budget
) -> dict[str, Any]:
    """The region's diagrams, or the ranks' and the forcing moves'.

    Raises:
        LimitError: where the diagrams have too many nodes.
    """
    horizon = regions.rank(regions.product.configuration.initial)
    with within_memory("the certificate"):
        levels = _levels(regions, horizon) if settled is None else _points(regions, settled)
        levels = {plane: sets for plane, sets in levels.items() if sets and sets[-1].satisfiable()}
        roots = [states for sets in levels.values() for states in sets]
        witness: dict[str, Any] = {"kind": "diagrams", "planes": listed_planes(list(levels))}
        if horizon is not None:
            moves = {} if settled is not None else forcing_sets(regions, levels, budget)
            witness["ranks"] = len(next(iter(levels.values()), ()))
            witness["moves"] = [[list(levels).index(plane), name] for plane, name in moves]
            roots += moves.values()
        return {**witness, "dddmp": dddmp(regions.product.diagrams, roots)}


def _levels(regions: DiagramRegions, horizon: int | None) -> Levels:
    planes = admissible_planes(regions.product.blocks)
    if horizon is None:
        winning = regions.winning()
        return {plane: [winning[plane.turn][plane.block]] for plane in planes}
    return {plane: [layer[plane.turn][plane.block] for layer in regions.layers[:horizon]] for plane in planes}


def _points(regions: DiagramRegions, settled: dict[Position, int]) -> Levels:
    codes = regions.product.configuration.game.codes
    return {
        WitnessPlane(v.turn, v.q_defender, v.q_adversary, -1): [
            regions.product.diagrams.state(codes(v.state))
        ]
        for v in settled
    }


def forcing_sets(
    regions: DiagramRegions, levels: Levels, budget: Budget
) -> dict[tuple[WitnessPlane, str], Diagram]:
    """For each adversary plane and action, where it is the first that leads to a lower rank."""
    product, false = regions.product, regions.product.diagrams.false
    actions = product.configuration.game.actions[Player.ADVERSARY]
    chosen: dict[tuple[WitnessPlane, str], Diagram] = {}
    for plane, sets in levels.items():
        if plane.turn is not Player.ADVERSARY:
            continue
        for k, states in enumerate(sets):
            budget.tick(f"the forcing moves at rank {k + 1}")
            left = states & ~sets[k - 1] if k else states
            lower = regions.layers[k - 1] if k else DiagramPositions.nothing(product)
            leading = lower.by_action(Player.ADVERSARY, plane.block, unsafe=True)
            for action in actions:
                if not left.satisfiable():
                    break
                forced = left & next(leading)
                if forced.satisfiable():
                    chosen[plane, action.name] = chosen.get((plane, action.name), false) | forced
                    left &= ~forced
    return chosen


def dddmp(diagrams: Diagrams, roots: list[Diagram]) -> str:
    """The diagrams as DDDMP text; bit ``x.j`` is bit j of the code of variable x.

    Raises:
        LimitError: past :data:`MAX_NODES` nodes.
    """
    names = [f"{name}.{len(bits) - 1 - i}" for name, bits in diagrams.bits.items() for i in range(len(bits))]
    rows: dict[tuple[int, int, int], int] = {}
    numbers: dict[Diagram, int] = {diagrams.true: 1, diagrams.false: -1}
    signed = [_number(root, numbers, rows) for root in roots]
    n, ids = len(names), " ".join(map(str, range(len(names))))
    return "\n".join(
        (
            ".ver DDDMP-2.0",
            ".mode A",
            ".varinfo 4",
            f".nnodes {len(rows) + 1}",
            f".nvars {n}",
            f".nsuppvars {n}",
            f".suppvarnames {' '.join(names)}",
            f".orderedvarnames {' '.join(names)}",
            f".ids {ids}",
            f".permids {ids}",
            f".nroots {len(signed)}",
            f".rootids {' '.join(map(str, signed))}",
            ".nodes",
            "1 T 0 0",
            *(f"{i} {bit} {high} {low}" for (bit, high, low), i in rows.items()),
            ".end\n",
        )
    )


def _number(root: Diagram, numbers: dict[Diagram, int], rows: dict[tuple[int, int, int], int]) -> int:
    """The signed number of a diagram, its descendants numbered before it."""
    for node, children in children_first(root, numbers):
        bit = node.node_level()
        assert bit is not None, "only the terminals have none"
        high, low = (numbers[child] for child in children)
        sign = 1 if high > 0 else -1
        numbers[node] = sign * rows.setdefault((bit, sign * high, sign * low), len(rows) + 2)
        if len(rows) > MAX_NODES:
            raise LimitError(f"the certificate needs more than {MAX_NODES:,} nodes of decision diagrams")
    return numbers[root]
