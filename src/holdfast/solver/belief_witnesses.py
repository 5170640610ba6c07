"""The witness of a verdict under observation, laid out as that of a verdict is (:mod:`.witnesses`).

A belief is a set of positions at the defender's turn: their numbers on arrays, a diagram for each plane that
it has positions in on diagrams. What is seen is a text, ``1f``: a bit for each thing that is seen, in
hexadecimal digits.

- Where the defender holds with what it sees, there is a *stance* for each belief: an action, and for all that
  may be seen after both moves the number of the next stance.
- Where it does not, the lost beliefs stand in an order in which each action of a belief is *refuted*: by what
  may be seen so that an earlier lost belief is possible, or, where there is nothing to see, by a position
  from which the adversary wins even against a defender who sees everything. So ranks and forcing moves
  of such positions, as far as they are needed, stand beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.logic import Diagram, Player
from holdfast.solver.beliefs import NOBODY, BeliefSolution, Look
from holdfast.solver.diagram_positions import DiagramPositions
from holdfast.solver.product_diagrams import within_memory
from holdfast.solver.quotient import Blocks
from holdfast.solver.witnesses import (
    Levels,
    WitnessPlane,
    dddmp,
    forcing_numbers,
    forcing_sets,
    listed_planes,
    packed,
    require_cells,
)

if TYPE_CHECKING:
    from holdfast.solver.explicit import ArrayRegions
    from holdfast.solver.symbolic import DiagramRegions

MAX_LOOKS = 200_000
"""How many times at most a certificate says what may be seen."""


def array_belief_witness(regions: ArrayRegions, answer: BeliefSolution, budget: Budget) -> dict[str, Any]:
    """``beliefs``, ``positions`` and what is done in them; with ``ranks`` and ``moves`` of a lost one.

    Raises:
        LimitError: where there is too much to write.
    """
    import numpy as np

    from holdfast.solver.array_positions import ArrayPositions
    from holdfast.solver.product_tables import TURNS

    tables, own = regions.tables, TURNS.index(Player.DEFENDER)
    beliefs = [cast(ArrayPositions, belief).inside[own] for belief in _beliefs(answer)]
    ranks = np.zeros_like(regions.ranks)
    if not answer.defensible:
        horizon = 0
        for belief, action in _given_up(answer):
            budget.tick("the ranks of what is given up")
            outside = _outside(regions, belief, action, budget)
            if outside is not None:
                horizon = max(horizon, int(regions.ranks[cast(ArrayPositions, outside).inside].min()))
        ranks = np.where(regions.ranks <= horizon, regions.ranks.clip(0), 0).astype(regions.ranks.dtype)
    planes = [
        plane
        for plane in _planes(tables.blocks, answer)
        if ranks[TURNS.index(plane.turn), plane.block].any()
        or (plane.turn is Player.DEFENDER and any(belief[plane.block].any() for belief in beliefs))
    ]
    first = np.full(tables.blocks.n_blocks, -1, dtype=np.int64)
    for number, plane in enumerate(planes):
        if plane.turn is Player.DEFENDER:
            first[plane.block] = number * tables.n
    numbers = []
    for belief in beliefs:
        blocks, rows = np.nonzero(belief)
        numbers.append(np.sort(first[blocks] + rows))
    require_cells(sum(map(len, numbers)) + (0 if answer.defensible else len(planes) * tables.n))
    witness: dict[str, Any] = {
        "kind": "arrays",
        "planes": listed_planes(planes),
        "beliefs": [len(positions) for positions in numbers],
        "positions": packed(numbers),
        **_told(answer),
    }
    if not answer.defensible:
        by_plane = {plane: ranks[TURNS.index(plane.turn), plane.block] for plane in planes}
        adversary = [plane for plane in planes if plane.turn is Player.ADVERSARY]
        witness["ranks"] = packed(by_plane.values())
        witness["moves"] = packed(forcing_numbers(regions, plane, by_plane[plane]) for plane in adversary)
    return witness


def diagram_belief_witness(regions: DiagramRegions, answer: BeliefSolution, budget: Budget) -> dict[str, Any]:
    """The diagrams of beliefs and what is done in them; before those, of a lost one, ranks and moves.

    Args:
        regions: in the order in which they are written, and the beliefs of ``answer`` in the same.
        answer: the verdict and its proof.
        budget: time.

    Raises:
        LimitError: where there is too much to write.
    """
    product = regions.product
    with within_memory("the certificate"):
        beliefs = [cast(DiagramPositions, belief) for belief in _beliefs(answer)]
        layers: tuple[DiagramPositions, ...] = ()
        if not answer.defensible:
            horizon = 0
            for belief, action in _given_up(answer):
                budget.tick("the ranks of what is given up")
                outside = _outside(regions, belief, action, budget)
                if outside is not None:
                    ranks = enumerate(regions.layers, 1)
                    horizon = max(horizon, next(rank for rank, layer in ranks if outside & layer))
            layers = regions.layers[:horizon]
        planes = [
            plane
            for plane in _planes(product.blocks, answer)
            if (layers and layers[-1][plane.turn][plane.block].satisfiable())
            or any(belief[plane.turn][plane.block].satisfiable() for belief in beliefs)
        ]
        levels: Levels = {plane: [layer[plane.turn][plane.block] for layer in layers] for plane in planes}
        roots: list[Diagram] = [states for sets in levels.values() for states in sets]
        witness: dict[str, Any] = {"kind": "diagrams", "planes": listed_planes(planes)}
        if not answer.defensible:
            moves = forcing_sets(regions, levels, budget)
            witness["ranks"] = len(layers)
            witness["moves"] = [[planes.index(plane), name] for plane, name in moves]
            roots += moves.values()
        inside: list[list[int]] = []
        for belief in beliefs:
            budget.tick("the beliefs")
            parts = [belief[plane.turn][plane.block] for plane in planes]
            inside.append([i for i, states in enumerate(parts) if states.satisfiable()])
            roots += [parts[i] for i in inside[-1]]
        witness |= {"beliefs": inside, **_told(answer)}
        return {**witness, "dddmp": dddmp(product.diagrams, roots)}


# -- what both have -------------------------------------------------------------------------------------


def _beliefs(answer: BeliefSolution) -> list[Any]:
    return [part.belief for part in (answer.stances if answer.defensible else answer.lost)]


def _given_up(answer: BeliefSolution) -> list[tuple[Any, int]]:
    """The lost beliefs with each action by which some position of them is left for one outside W."""
    return [
        (lost.belief, action)
        for lost in answer.lost
        for action, refuted in enumerate(lost.refuted)
        if refuted is None
    ]


def _outside(regions: Any, belief: Any, action: int, budget: Budget) -> Any:
    """Where an action leads from a belief outside W; None if it leads into U, which needs no rank."""
    alone = regions.only((action,))
    if (belief - belief).pre(among=belief, by=alone, unsafe=True, budget=budget):
        return None
    return belief.post(by=alone, budget=budget) - regions.winning()


def _planes(blocks: Blocks, answer: BeliefSolution) -> list[WitnessPlane]:
    """Every plane outside U in which φ_A is kept; and where it is violated from the start, that of v₀."""
    initial = answer.configuration.initial
    rejected = blocks.number(initial)
    planes = []
    for turn in Player:
        for block in range(blocks.n_blocks):
            q_defender, q_adversary = blocks.states(block)
            if not blocks.is_sink(block):
                planes.append(WitnessPlane(turn, q_defender, q_adversary, block))
            elif block == rejected:
                planes.append(WitnessPlane(turn, q_defender, initial.q_adversary, block))
    return planes


def _told(answer: BeliefSolution) -> dict[str, Any]:
    """What is seen and done, as the file has it."""
    actions = answer.configuration.game.actions
    names = {NOBODY: None} | {n: action.name for n, action in enumerate(actions[Player.ADVERSARY])}

    def seen(look: Look) -> list[Any]:
        return [f"{look[0]:x}", names[look[1]]]

    n_looks = sum(len(stance.after) for stance in answer.stances)
    n_looks += sum(len(lost.refuted) for lost in answer.lost)
    if n_looks > MAX_LOOKS:
        raise LimitError(
            f"the certificate would say {n_looks:,} times what may be seen; "
            f"at most {MAX_LOOKS:,} can be checked"
        )
    start = [[*seen(look), number] for look, number in sorted(answer.start.items())]
    if answer.defensible:
        own = [action.name for action in actions[Player.DEFENDER]]
        stances = [
            [
                own[stance.action],
                [[f"{made:x}", *seen(look), n] for (made, look), n in sorted(stance.after.items())],
            ]
            for stance in answer.stances
        ]
        return {"start": start, "stances": stances}
    refuted = [
        [None if r is None else [f"{r[0][0]:x}", *seen(r[0][1]), r[1]] for r in lost.refuted]
        for lost in answer.lost
    ]
    return {"start": start, "refuted": refuted}
