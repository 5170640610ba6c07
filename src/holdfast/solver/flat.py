"""Decision diagrams flattened into arrays: one state is answered in microseconds, all in a few sweeps.

A node is a number; 0 and 1 are the terminals. Node i tests bit ``bit[i]`` of the state's codes and goes on
to ``high[i]`` or ``low[i]``. Complement edges are written out, which at most doubles the nodes; all
diagrams share one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.arrays import Int32s
from holdfast.logic import Diagram, Diagrams, Variable, children_first


@dataclass(frozen=True)
class FlatDiagrams:
    """Several sets of states over the same variables.

    Attributes:
        roots: one node for each set.
        bit, low, high: the nodes; entries 0 and 1 stand for the terminals.
        place, shift: for each bit, which code of the state it belongs to and how far to shift it.
    """

    roots: Int32s
    bit: Int32s
    low: Int32s
    high: Int32s
    place: Int32s
    shift: Int32s

    def members(self, state: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which of the sets the state belongs to."""
        out = np.empty(len(self.roots), dtype=np.bool_)
        from holdfast.solver.walk import walk  # brings numba, which not every question needs

        nodes, bits = (self.bit, self.low, self.high), (self.place, self.shift)
        walk(self.roots, nodes, bits, np.array(state, dtype=np.int32), out)
        return out

    def over_all_states(self, root: int, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """Which states belong to the set with this root, in the order of their index.

        Variable by variable, top first, each node is replaced by the nodes that the values lead to. That is a
        few gathers for each state, however deep the diagram is. ``shape`` are the sizes of the domains.
        """
        nodes = np.array(root, dtype=np.int32)
        places = list(dict.fromkeys(self.place.tolist()))
        for place in places:
            bits = np.flatnonzero(self.place == place).tolist()
            reached = []
            for code in range(shape[place]):
                after = nodes
                for bit in bits:
                    child = self.high if code >> int(self.shift[bit]) & 1 else self.low
                    after = np.where(self.bit[after] == bit, child[after], after)
                reached.append(after)
            nodes = np.stack(reached, axis=-1)
        found: npt.NDArray[np.bool_] = nodes.transpose(np.argsort(places)).reshape(-1) == 1
        return found


def flatten(diagrams: Diagrams, variables: Sequence[Variable], sets: Sequence[Diagram]) -> FlatDiagrams:
    """Write the diagrams out; ``variables`` is the order of the codes in a state.

    Cost: a few microseconds for each node.
    """
    numbers: dict[Diagram, int] = {diagrams.false: 0, diagrams.true: 1}
    rows: list[tuple[int, int, int]] = [(0, 0, 0), (0, 1, 1)]
    roots = [_number(states, numbers, rows) for states in sets]
    place, shift = np.zeros(diagrams.n_bits, np.int32), np.zeros(diagrams.n_bits, np.int32)
    for i, variable in enumerate(variables):
        bits = diagrams.bits[variable.name]
        for j, bit in enumerate(reversed(bits)):
            place[bit], shift[bit] = i, j
    bit, low, high = np.array(rows, dtype=np.int32).T.copy()
    return FlatDiagrams(np.array(roots, dtype=np.int32), bit, low, high, place, shift)


def _number(root: Diagram, numbers: dict[Diagram, int], rows: list[tuple[int, int, int]]) -> int:
    """The number of a diagram, its descendants numbered before it."""
    for node, (high, low) in children_first(root, numbers):
        bit = node.node_var()
        assert bit is not None, "only the terminals have none"
        numbers[node] = len(rows)
        rows.append((bit, numbers[low], numbers[high]))
    return numbers[root]
