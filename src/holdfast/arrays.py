"""NumPy arrays by what they hold, for annotations; and what NumPy does slowly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""An array of which only its user knows the type of the entries."""

Bools = npt.NDArray[np.bool_]
Int8s = npt.NDArray[np.int8]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt32s = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]


def distinct(numbers: Array) -> Array:
    """Whole numbers, each once and in order.

    NumPy's ``unique`` puts them into a hash table before it sorts them, which takes many times as long.
    """
    ordered = np.sort(numbers, axis=None)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered
