"""Letters as diagrams: which successor valuations lead an automaton, and so a block, where.

Within a class of moves an automaton reads the successor state alone, so that its transition function is a
partition of the valuations. The clauses of both sides are joined one at a time and empty combinations are
dropped at once; the joint alphabet is never written out.
"""

from __future__ import annotations

from itertools import product as cartesian

from holdfast.engines.quotient import Blocks, ClauseAtoms, MoveClass, Side
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.diagrams import Diagram, Diagrams

Edges = dict[int | None, Diagram]
"""The successor valuations that lead from a block to each block, and under None those that lead to an
unsafe position through an admissible move."""


def block_edges(diagrams: Diagrams, blocks: Blocks, left: MoveClass) -> tuple[Edges, ...]:
    """The edges of each block under one class of moves."""
    defender = _steps(diagrams, blocks.defender, left[0])
    adversary = _steps(diagrams, blocks.adversary, left[1])
    return tuple(_edges(diagrams, blocks, block, defender, adversary) for block in range(blocks.n_blocks))


def _steps(diagrams: Diagrams, side: Side, left: ClauseAtoms) -> list[dict[tuple[int, int], Diagram]]:
    """For each clause, the successor valuations on which q moves to q'."""
    steps = []
    for automaton, atoms in zip(side.automata, left, strict=True):
        masks = mask_sets(automaton, [diagrams.truth(atom) for atom in atoms], diagrams.valid)
        step: dict[tuple[int, int], Diagram] = {}
        for q in range(automaton.n_states):
            if automaton.accepting[q]:
                for target, states in zip(automaton.delta[q], masks, strict=True):
                    step[q, target] = step[q, target] | states if (q, target) in step else states
        steps.append({pair: states for pair, states in step.items() if states.satisfiable()})
    return steps


def mask_sets(automaton: SafetyAutomaton, truths: list[Diagram], within: Diagram) -> list[Diagram]:
    """The valuations of a set that show each mask of the automaton."""
    sets = []
    for mask in automaton.masks:
        states = within
        for i, truth in enumerate(truths):
            states &= truth if mask >> i & 1 else ~truth
        sets.append(states)
    return sets


def _edges(
    diagrams: Diagrams,
    blocks: Blocks,
    block: int,
    defender: list[dict[tuple[int, int], Diagram]],
    adversary: list[dict[tuple[int, int], Diagram]],
) -> Edges:
    """The successor valuations that lead from a block to each block, or to U (None)."""
    n_planes, sink = len(blocks.planes), len(blocks.adversary.accepting)
    q_defender, plane = blocks.defender.accepting[block // n_planes], blocks.planes[block % n_planes]
    if plane is None:
        after_adversary = {sink: diagrams.valid}
    else:
        after_adversary = _joint(diagrams, blocks.adversary, plane, adversary)
    after_defender = _joint(diagrams, blocks.defender, q_defender, defender)
    admissible = diagrams.false
    for states in after_adversary.values():
        admissible |= states
    unsafe = admissible
    for states in after_defender.values():
        unsafe &= ~states
    edges: Edges = {None: unsafe} if unsafe.satisfiable() else {}
    for (d, one), (a, other) in cartesian(after_defender.items(), after_adversary.items()):
        both = one & other
        if both.satisfiable():
            edges[d * n_planes + a] = both
    return edges


def _joint(
    diagrams: Diagrams, side: Side, states: tuple[int, ...], steps: list[dict[tuple[int, int], Diagram]]
) -> dict[int, Diagram]:
    """The valuations after which the side is in each accepting tuple."""
    joint: dict[tuple[int, ...], Diagram] = {(): diagrams.valid}
    for automaton, q, step in zip(side.automata, states, steps, strict=True):
        longer: dict[tuple[int, ...], Diagram] = {}
        for before, condition in joint.items():
            for target in range(automaton.n_states):
                if automaton.accepting[target] and (q, target) in step:
                    both = condition & step[q, target]
                    if both.satisfiable():
                        longer[(*before, target)] = both
        joint = longer
    return {side.number(target): condition for target, condition in joint.items()}
