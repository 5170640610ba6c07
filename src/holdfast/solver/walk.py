"""The compiled walk down flattened decision diagrams (:mod:`holdfast.solver.flat`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int32]


@njit(cache=True, nogil=True)
def walk(
    roots: Ints,
    nodes: tuple[Ints, Ints, Ints],
    bits: tuple[Ints, Ints],
    codes: Ints,
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
