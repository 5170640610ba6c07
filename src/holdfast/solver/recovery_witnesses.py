"""The witness of a claim about recovery, laid out as that of a verdict is (:mod:`.witnesses`).

W stands in front, since a claim about recovery is one about a design that holds. Behind it come

- where the goal can be forced, the positions by recovery rank as far as v₀'s;
- where it never can, the trap that v₀ is in, and the ranks and forcing moves of the lost positions that a
  defender could leave it for;
- where it can be visited again and again, the set in which the defender keeps the play for that, its *home*,
  and its positions by the moves to the next visit;
- where it cannot, the positions by the *visits* that are left at most, and what a trap has besides.

Where s₀ violates φ_A the adversary never moves, and v₀ with its successors is all there is to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from holdfast.budget import Budget
from holdfast.game import Position
from holdfast.logic import Diagram, Player
from holdfast.solver.diagram_positions import DiagramPositions
from holdfast.solver.forcing import joined
from holdfast.solver.product_diagrams import within_memory
from holdfast.solver.witnesses import (
    Levels,
    WitnessPlane,
    admissible_planes,
    dddmp,
    forcing_numbers,
    forcing_sets,
    listed_planes,
    packed,
    require_cells,
)

if TYPE_CHECKING:
    from holdfast.arrays import Int32s
    from holdfast.solver.explicit import ArrayRegions
    from holdfast.solver.position_sets import PositionSet
    from holdfast.solver.quotient import Blocks
    from holdfast.solver.recovery import ProofSections
    from holdfast.solver.symbolic import DiagramRegions

SettledPositions = Sequence[Position] | None
"""All that is to be listed where s₀ violates φ_A; None where it does not."""


NUMBERED = ("recovery", "visits")
"""The sections that have numbers, and are not sets."""


def _trap(proof: ProofSections) -> PositionSet | None:
    """Where the adversary holds the play; None where it does not."""
    sets = proof.get("trap") or proof.get("visits")
    return joined(sets) if sets else None


def _planes(blocks: Blocks, settled: SettledPositions) -> list[WitnessPlane]:
    if settled is None:
        return admissible_planes(blocks)
    planes = dict.fromkeys(
        WitnessPlane(v.turn, v.q_defender, v.q_adversary, blocks.number(v) or 0) for v in settled
    )
    return list(planes)


def array_recovery_witness(
    regions: ArrayRegions, proof: ProofSections, settled: SettledPositions, budget: Budget
) -> dict[str, Any]:
    """``region`` with the sections of a proof and, where it has a trap, ``ranks`` and ``moves``.

    Raises:
        LimitError: where there are too many numbers.
    """
    import numpy as np

    from holdfast.solver.array_positions import ArrayPositions
    from holdfast.solver.product_tables import TURNS

    tables = regions.tables
    sets: dict[str, Int32s] = {"region": regions.winning().inside.astype(np.int32)}
    for name, layers in cast("dict[str, tuple[ArrayPositions, ...]]", proof).items():
        sets[name] = np.zeros_like(sets["region"])
        for number, layer in enumerate(layers, 1):
            sets[name][layer.inside] = number
    if trap := cast("ArrayPositions | None", _trap(proof)):
        left = trap.at(Player.DEFENDER).post(budget=budget) - regions.winning()
        horizon = regions.ranks[left.inside].max(initial=0)
        sets["ranks"] = np.where(regions.ranks <= horizon, regions.ranks.clip(0), 0).astype(np.int32)
    if settled is not None:
        points = joined([ArrayPositions.of(tables, v) for v in settled]).inside
        sets = {name: numbers * points for name, numbers in sets.items()}
    planes = _planes(tables.blocks, settled)
    rows = {
        name: {plane: numbers[TURNS.index(plane.turn), plane.block] for plane in planes}
        for name, numbers in sets.items()
    }
    planes = [plane for plane in planes if any(own[plane].any() for own in rows.values())]
    require_cells(len(planes) * len(rows) * tables.n)
    witness = {"kind": "arrays", "planes": listed_planes(planes)}
    witness |= {name: packed(own[plane] for plane in planes) for name, own in rows.items()}
    if "ranks" in rows:
        moves = [
            forcing_numbers(regions, plane, rows["ranks"][plane])
            for plane in planes
            if plane.turn is Player.ADVERSARY
        ]
        witness["moves"] = packed(moves)
    return witness


def diagram_recovery_witness(
    regions: DiagramRegions, proof: ProofSections, settled: SettledPositions, budget: Budget
) -> dict[str, Any]:
    """The diagrams of W and of the proof; with a trap those of the lost ranks and the forcing moves.

    Args:
        regions: in the order in which they are written.
        proof: the sections of a proof about v₀, in the same order.
        settled: what is to be listed alone.
        budget: time.

    Raises:
        LimitError: where the diagrams have too many nodes.
    """
    product, winning = regions.product, regions.winning()
    with within_memory("the certificate"):
        sections: list[list[DiagramPositions]] = [[winning]]
        for layers in cast("dict[str, tuple[DiagramPositions, ...]]", proof).values():
            sections.append([joined(layers[: k + 1]) for k in range(len(layers))])
        trap = cast("DiagramPositions | None", _trap(proof))
        if trap is not None:
            left = trap.at(Player.DEFENDER).post(budget=budget) - winning
            horizon = next((k for k, layer in enumerate(regions.layers, 1) if not left - layer), 0)
            sections.append(list(regions.layers[: horizon if left else 0]))
        if settled is not None:
            points = joined([DiagramPositions.of(product, v) for v in settled])
            sections = [[states & points for states in own] for own in sections]
        planes = [
            plane
            for plane in _planes(product.blocks, settled)
            if any(own and own[-1][plane.turn][plane.block].satisfiable() for own in sections)
        ]
        levels: list[Levels] = [
            {plane: [states[plane.turn][plane.block] for states in own] for plane in planes}
            for own in sections
        ]
        roots: list[Diagram] = [states for own in levels for sets in own.values() for states in sets]
        witness: dict[str, Any] = {"kind": "diagrams", "planes": listed_planes(planes)}
        witness |= {name: len(layers) for name, layers in proof.items() if name in NUMBERED}
        if trap is not None:
            moves = forcing_sets(regions, levels[-1], budget)
            witness["ranks"] = len(sections[-1])
            witness["moves"] = [[planes.index(plane), name] for plane, name in moves]
            roots += moves.values()
        return {**witness, "dddmp": dddmp(product.diagrams, roots)}
