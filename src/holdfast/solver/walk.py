"""The compiled walk down multi-valued decision diagrams (:mod:`holdfast.solver.mdd`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int32]


@njit(cache=True, nogil=True)
def walk_all(cells: Ints, roots: Ints, codes: Ints, out: Ints) -> None:
    """Write for each root the answer in the state with these codes; nodes test whole variables."""
    for i in range(len(roots)):
        node = roots[i]
        while node >= 0:
            node = cells[node + 1 + codes[cells[node]]]
        out[i] = ~node
