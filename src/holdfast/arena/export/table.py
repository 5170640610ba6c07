"""Decision diagrams over whole variables, for one array of numbers that any language can walk.

A *node* tests one variable and has a child for each of its values: an answer, or another node. Testing values
instead of bits makes a walk no longer than there are variables and leaves no code without a meaning. A
variable of more than 16 values is tested digit by digit, so that no node is wide.

A function comes in as a *decision list* of diagrams, the answer of the first that holds, or as an array over
all states. Either way equal functions become one node, and :func:`lay_out` numbers the nodes from the roots
down, so that the array depends on the functions and on the order of the variables, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.logic import Diagram, Diagrams, Variable

if TYPE_CHECKING:
    import numpy.typing as npt

DIGIT_BITS = 4
BASE = 1 << DIGIT_BITS
MAX_ENTRIES = 20_000_000
TICK = 1024

RowReference = int
"""While the table grows: a row, or, below zero, the answer ``~reference``."""

Decisions = tuple[tuple[Diagram, ...], tuple[int, ...]]
"""Conditions, and one answer more: that of the first condition that holds, or the last."""


class Test(NamedTuple):
    """What a node looks at: the digit ``code // divisor % 16`` of a variable, below ``size``."""

    variable: int
    divisor: int
    size: int


class LookupTable:
    """Nodes shared by all functions that are added; ``variables`` is the order of codes in a state."""

    def __init__(self, diagrams: Diagrams, variables: Sequence[Variable], budget: Budget) -> None:
        """Lay out the tests."""
        self.tests: list[Test] = []
        self.rows: list[tuple[int, ...]] = []
        self._diagrams, self._budget, self._n_entries = diagrams, budget, 0
        self._bits: list[range] = []
        for place, variable in enumerate(variables):
            self._add_tests(variable, place)
        self._levels = sorted(range(len(self.tests)), key=lambda test: self._bits[test].start)
        self._test_of_bit = {bit: test for test, bits in enumerate(self._bits) for bit in bits}
        self._known: dict[Decisions, RowReference] = {}
        self._unique: dict[tuple[int, ...], RowReference] = {}
        self._split: dict[tuple[Diagram, int], tuple[Diagram, ...]] = {}

    def _add_tests(self, variable: Variable, place: int) -> None:
        """One test for the variable, or one for each digit of its code, the most significant first."""
        bits, last = self._diagrams.bits[variable.name], len(variable.values) - 1
        for shift in reversed(range(0, len(bits), DIGIT_BITS)):
            end = len(bits) - shift
            self._bits.append(bits[max(0, end - DIGIT_BITS) : end])
            self.tests.append(Test(place, 1 << shift, min(BASE, (last >> shift) + 1)))

    def _tell(self) -> None:
        self._budget.tick(f"look-up table: {len(self.rows):,} nodes")

    # -- functions from diagrams ----------------------------------------------------------------

    def decide(self, conditions: Sequence[Diagram], answers: Sequence[int]) -> RowReference:
        """Add a function: the answer of the first condition that holds, or the last answer.

        Cost: some microseconds for each node, child and condition.

        Raises:
            LimitError: when the table outgrows :data:`MAX_ENTRIES`.
        """
        self._tell()
        root = self._shortened(conditions, answers)
        stack: list[tuple[Decisions, tuple[int, list[Decisions]] | None]] = [(root, None)]
        while stack:
            top, opened = stack.pop()
            if top in self._known:
                continue
            if not top[0]:
                self._known[top] = ~top[1][0]
            elif opened is None:
                opened = self._opened(top)
                stack.append((top, opened))
                stack += [(child, None) for child in opened[1] if child not in self._known]
            else:
                test, children = opened
                self._known[top] = self._node(test, [self._known[child] for child in children])
        return self._known[root]

    def _shortened(self, conditions: Sequence[Diagram], answers: Sequence[int]) -> Decisions:
        """An equal function without the entries that decide nothing."""
        kept: list[tuple[Diagram, int]] = []
        default = answers[-1]
        for condition, answer in zip(conditions, answers, strict=False):
            if condition == self._diagrams.true:
                default = answer
                break
            if condition != self._diagrams.false:
                kept.append((condition, answer))
        while kept and kept[-1][1] == default:
            kept.pop()
        return tuple(condition for condition, _ in kept), (*(answer for _, answer in kept), default)

    def _opened(self, top: Decisions) -> tuple[int, list[Decisions]]:
        """The first test that some condition needs, and what is left after each outcome."""
        conditions, answers = top
        bit = min(bit for bit in (condition.node_var() for condition in conditions) if bit is not None)
        test = self._test_of_bit[bit]
        left = zip(*(self._parts(condition, test) for condition in conditions), strict=True)
        return test, [self._shortened(each, answers) for each in left]

    def _parts(self, condition: Diagram, test: int) -> tuple[Diagram, ...]:
        """What is left of a condition after each outcome of a test."""
        known = self._split.get((condition, test))
        if known is None:
            parts = [condition]
            for bit in self._bits[test]:
                parts = [half for part in parts for half in _halves(part, bit)]
            known = self._split[condition, test] = tuple(parts[: self.tests[test].size])
        return known

    # -- functions from arrays ------------------------------------------------------------------

    def gather(self, answers: npt.NDArray[Any]) -> RowReference:
        """Add a function given by its answer in every state; one axis for each variable.

        Variables are folded from the bottom of the order up, equal rows at once.
        """
        import numpy as np

        self._tell()
        order = [self.tests[test].variable for test in self._levels]
        found, references = np.unique(answers, return_inverse=True)
        nodes = [~int(answer) for answer in found]
        references = references.reshape(answers.shape).transpose(list(dict.fromkeys(order)))
        for test in reversed(self._levels):
            nodes.append(~0)  # for codes past the end of a domain, as diagrams answer there
            rows, references = _folded(references, len(nodes))
            nodes = [self._node(test, [nodes[child] for child in row]) for row in rows.tolist()]
        return nodes[int(references)]

    def _node(self, test: int, children: list[RowReference]) -> RowReference:
        """The reference of a node, or its child if all children are one."""
        if children.count(children[0]) == len(children):
            return children[0]
        row = (test, *children)
        if row not in self._unique:
            self._n_entries += len(row)
            if self._n_entries > MAX_ENTRIES:
                raise LimitError(
                    f"the look-up table has more than {MAX_ENTRIES:,} entries, too many to export"
                )
            if len(self.rows) % TICK == 0:
                self._tell()
            self._unique[row] = len(self.rows)
            self.rows.append(row)
        return self._unique[row]


def _halves(part: Diagram, bit: int) -> tuple[Diagram, Diagram]:
    """The cofactors without and with a bit that nothing above tests."""
    if part.node_var() != bit:
        return part, part
    cofactors = part.cofactors()
    assert cofactors is not None, "a node that tests a bit has two"
    return cofactors[1], cofactors[0]


def _folded(references: npt.NDArray[Any], n: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The distinct rows along the last digit of the last axis, and which of them each place has.

    References are below n, and n − 1 fills the rows of a variable that is cut into digits.
    """
    import numpy as np

    size = references.shape[-1]
    if size > BASE:
        spare = [(0, 0)] * (references.ndim - 1) + [(0, -size % BASE)]
        references = np.pad(references, spare, constant_values=n - 1)
        references = references.reshape(*references.shape[:-1], -1, BASE)
    rows = references.reshape(-1, references.shape[-1])
    code, span = rows[:, 0].astype(np.int64), n
    for column in rows.T[1:]:
        if span > 2**62 // n:
            distinct, code = np.unique(code, return_inverse=True)
            span = len(distinct)
        code, span = code * n + column, span * n
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], which.reshape(references.shape[:-1])


@dataclass(frozen=True)
class Layout:
    """The array, and how the references of the table read in it.

    Attributes:
        n_answers: a reference below this is an answer; any other is the place of a node, so much higher.
        nodes: each node's test and children, one after the other.
        n_nodes: how many there are.
    """

    n_answers: int
    nodes: tuple[int, ...]
    n_nodes: int
    moved: dict[RowReference, int]


def lay_out(table: LookupTable, roots: Iterable[RowReference]) -> Layout:
    """Number the nodes under the roots, children before parents."""
    moved: dict[RowReference, int] = {}
    order: list[tuple[int, ...]] = []
    n_entries, n_answers = 0, 2
    stack = [(root, False) for root in dict.fromkeys(roots)][::-1]
    while stack:
        top, closed = stack.pop()
        if top in moved:
            continue
        if top < 0:
            moved[top], n_answers = ~top, max(n_answers, ~top + 1)
        elif closed:
            moved[top], n_entries = n_entries, n_entries + len(table.rows[top])
            order.append(table.rows[top])
        else:
            stack.append((top, True))
            stack += [(child, False) for child in reversed(table.rows[top][1:]) if child not in moved]
    moved = {r: place if r < 0 else n_answers + place for r, place in moved.items()}
    nodes = tuple(n for test, *children in order for n in (test, *(moved[child] for child in children)))
    return Layout(n_answers, nodes, len(order), moved)
