"""The compiled walk down multi-valued decision diagrams (:mod:`holdfast.solver.mdd`)."""

from __future__ import annotations

from numba import njit

from holdfast.arrays import Int32s


@njit(cache=True, nogil=True)
def walk_all(cells: Int32s, roots: Int32s, codes: Int32s, out: Int32s) -> None:
    """Write for each root the answer in the state with these codes; nodes test whole variables."""
    for i in range(len(roots)):
        node = roots[i]
        while node >= 0:
            node = cells[node + 1 + codes[cells[node]]]
        out[i] = ~node
