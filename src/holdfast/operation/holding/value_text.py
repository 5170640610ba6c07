"""Value diagrams as the text that a certificate has of them.

A value diagram reads variables, and the text bits, most significant bit first, as all diagrams of a
certificate do. Behind a word each it has how many units make 1, the names of the bits from the top, the
values, and the roots; then a line ``bit high low`` for each node. A node is known by its number, from 0, and
value i by −1 − i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdfast.errors import LimitError
from holdfast.logic import Diagrams
from holdfast.operation.brackets.value_diagrams import ORIGIN, ValueDiagrams

MAX_LINES, MAX_NAMES = 1 << 20, 400
"""So many nodes, which read so many bits, can be checked."""


class ValueText:
    """Functions as nodes over bits, numbered as they come.

    Raises:
        LimitError: where there are more than :data:`MAX_NAMES` bits.
    """

    def __init__(self, diagrams: Diagrams) -> None:
        bits = diagrams.bits
        self._names = [f"{name}.{len(own) - 1 - i}" for name, own in bits.items() for i in range(len(own))]
        if len(self._names) > MAX_NAMES:
            raise LimitError(
                f"the certificate's values would read {len(self._names):,} bits; "
                f"at most {MAX_NAMES:,} can be checked"
            )
        self._levels = [bits[variable.name] for variable in diagrams.variables]
        self._values: dict[str, int] = {}
        self._nodes: dict[tuple[int, int, int], int] = {}
        self._roots: list[int] = []

    def add(self, table: ValueDiagrams, functions: Sequence[int], word: Callable[[int], str]) -> None:
        """Some functions more, and how their values are written.

        Raises:
            LimitError: past :data:`MAX_LINES` nodes.
        """
        known: dict[int, int] = {}

        def number(reference: int) -> int:
            if reference >= 0:
                return known[reference]
            return -1 - self._values.setdefault(word(reference + ORIGIN), len(self._values))

        for reference, level, children in table.nodes(functions):
            known[reference] = self._spread(self._levels[level], [number(child) for child in children])
        self._roots += [number(function) for function in functions]

    def text(self, units: int) -> str:
        """All of them."""
        return "\n".join(
            (
                f".units {units}",
                f".bits {' '.join(self._names)}",
                f".values {' '.join(self._values)}",
                f".roots {' '.join(map(str, self._roots))}",
                ".nodes",
                *(f"{bit} {high} {low}" for bit, high, low in self._nodes),
                ".end\n",
            )
        )

    def _spread(self, bits: Sequence[int], children: list[int]) -> int:
        """One node of a variable, as nodes of its bits; what codes past its end lead to does not matter."""
        for bit in reversed(bits):
            if len(children) % 2:
                children.append(children[-1])
            children = [
                self._node(bit, high, low) for low, high in zip(children[::2], children[1::2], strict=True)
            ]
        return children[0]

    def _node(self, bit: int, high: int, low: int) -> int:
        if high == low:
            return high
        if len(self._nodes) >= MAX_LINES:
            raise LimitError(f"the certificate needs more than {MAX_LINES:,} nodes of value diagrams")
        return self._nodes.setdefault((bit, high, low), len(self._nodes))
