"""The compiled walk down flattened decision diagrams (:mod:`holdfast.solver.flat`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from holdfast.arrays import Int32s


@njit(cache=True, nogil=True)
def walk(
    roots: Int32s,
    nodes: tuple[Int32s, Int32s, Int32s],
    bits: tuple[Int32s, Int32s],
    codes: Int32s,
    out: npt.NDArray[np.bool_],
) -> None:
    """For each root, whether the state with these codes belongs to its set."""
    bit, low, high = nodes
    place, shift = bits
    for i in range(len(roots)):
        node = roots[i]
        while node > 1:
            b = bit[node]
            node = high[node] if codes[place[b]] >> shift[b] & 1 else low[node]
        out[i] = node == 1
