"""The witness of a symbolic solution: decision diagrams in the text form of DDDMP 2.0.

DDDMP is CUDD's exchange format; oxidd and other packages read it. A node is a line ``number bit then else``,
its children stand before it, a minus is a complement, node 1 is true, and a *then* edge is never
complemented. That makes the text a canonical form: equal sets give equal bytes.
"""

from __future__ import annotations

from typing import Any

from holdfast.budget import Budget
from holdfast.engines.diagram_regions import DiagramRegions
from holdfast.engines.quotient import classify_moves
from holdfast.engines.witness import WitnessPlane, admissible_planes, listed
from holdfast.errors import LimitError
from holdfast.logic.diagrams import Diagram, Diagrams, OutOfNodes, children_first
from holdfast.logic.expressions import Player
from holdfast.product import Position, preimage

MAX_NODES = 1 << 21

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
    try:
        levels = _levels(regions, horizon) if settled is None else _points(regions, settled)
        levels = {plane: sets for plane, sets in levels.items() if sets and sets[-1].satisfiable()}
        roots = [states for sets in levels.values() for states in sets]
        witness: dict[str, Any] = {"kind": "diagrams", "planes": listed(list(levels))}
        if horizon is not None:
            moves = {} if settled is not None else _forcing(regions, levels, budget)
            witness["ranks"] = len(next(iter(levels.values()), ()))
            witness["moves"] = [[list(levels).index(plane), name] for plane, name in moves]
            roots += moves.values()
        return {**witness, "dddmp": dddmp(regions.product.diagrams, roots)}
    except OutOfNodes:
        raise LimitError("the certificate outgrew the memory for decision diagrams") from None


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


def _forcing(
    regions: DiagramRegions, levels: Levels, budget: Budget
) -> dict[tuple[WitnessPlane, str], Diagram]:
    """For each adversary plane and action, where it is the first that leads to a lower rank."""
    product, false = regions.product, regions.product.diagrams.false
    actions = product.configuration.game.actions[Player.ADVERSARY]
    kinds = classify_moves(product.configuration)[1][Player.ADVERSARY]
    chosen: dict[tuple[WitnessPlane, str], Diagram] = {}
    for plane, sets in levels.items():
        if plane.turn is not Player.ADVERSARY:
            continue
        for k, states in enumerate(sets):
            budget.tick(f"the forcing moves at rank {k + 1}")
            left = states & ~sets[k - 1] if k else states
            lower = regions.layers[k - 1][Player.DEFENDER] if k else [false] * product.blocks.n_blocks
            goals = {kind: product.goal(kind, plane.block, lower, unsafe=True) for kind in set(kinds)}
            for action, kind in zip(actions, kinds, strict=True):
                if not left.satisfiable():
                    break
                forced = left & preimage(product.diagrams, action, goals[kind])
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
