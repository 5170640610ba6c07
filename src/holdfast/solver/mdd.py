"""Functions of a state as multi-valued decision diagrams, written out as one array of numbers.

A *node* tests one variable and has a child for each of its values: another node, or an answer. Testing values
instead of bits makes a walk no longer than there are variables and leaves no code without a meaning. Where no
node may be wide, variables are cut into digits of a few bits, and a node tests one digit.

A node is written as its test followed by its children, so that a walk is ``cells[node + 1 + code]`` again and
again. A *reference* is the place of a node or, below zero, the answer ``~reference``. Equal functions have
one reference, children stand before their parents, and nodes are shared by all functions of a table.

A function comes in as a *decision list* of diagrams, the answer of the first that holds, or as an array over
all states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.logic import Diagram, Diagrams, Variable

if TYPE_CHECKING:
    import numpy.typing as npt

    from holdfast.arrays import Int32s


MAX_ENTRIES = 20_000_000
TICK = 1024
WHOLE = 32
"""More bits than the code of any variable has: digits so wide are whole variables."""

NodeReference = int
"""The place of a node or, below zero, the answer ``~reference``."""

NEITHER: NodeReference = ~0
"""The answer 0 everywhere."""

Decisions = tuple[tuple[int, ...], tuple[int, ...]]
"""Conditions, by number, and one answer more: that of the first condition that holds, or the last."""

Halves = tuple[int, int, int]
"""The bit that a diagram tests first, and the numbers of what is left of it without and with that bit."""


class Test(NamedTuple):
    """What a node looks at: the digit ``code // divisor`` of a variable, modulo the base, below ``size``."""

    variable: int
    divisor: int
    size: int


@dataclass(frozen=True)
class FlatFunctions:
    """Some functions of a table in which nodes test whole variables; no diagram is kept.

    Attributes:
        cells: the nodes.
        roots: a reference for each function.
    """

    cells: Int32s = field(repr=False)
    roots: Int32s = field(repr=False)

    def answers(self, state: Sequence[int]) -> Int32s:
        """The answer of each function in a state."""
        import numpy as np

        from holdfast.solver.walk import walk_all  # brings numba, which not every question needs

        out = np.empty(len(self.roots), dtype=np.int32)
        walk_all(self.cells, self.roots, np.array(state, dtype=np.int32), out)
        return out


class MultiValuedDiagrams:
    """A table of nodes, to which functions are added.

    Args:
        diagrams: what conditions are made of; it says in which order variables are tested.
        variables: the order of codes in a state.
        budget: is asked before each function and every so many nodes.
        digit_bits: how many bits a node tests at most; whole variables unless told.
        first: where the first node is to stand; the cells before it are left to the caller.

    Attributes:
        tests: what nodes can look at, variable by variable, the most significant digit first.
        cells: the nodes. Where variables are tested whole, a node begins with its variable, otherwise with 32
            times the variable plus the number of bits below its digit.
    """

    def __init__(
        self,
        diagrams: Diagrams,
        variables: Sequence[Variable],
        budget: Budget = UNLIMITED,
        *,
        digit_bits: int = WHOLE,
        first: int = 0,
    ) -> None:
        """Lay out the tests."""
        self.tests: list[Test] = []
        self.cells: list[int] = [0] * first
        self._diagrams, self._budget, self._first = diagrams, budget, first
        self._base, self._digit_bits = 1 << digit_bits, digit_bits
        self._bits: list[range] = []
        for place, variable in enumerate(variables):
            self._add_tests(variable, place)
        self._names = [self._name(test) for test in self.tests]
        self._tests_by_name = {name: test for test, name in enumerate(self._names)}
        self._levels = sorted(range(len(self.tests)), key=lambda test: self._bits[test].start)
        self._test_of_bit = {bit: test for test, bits in enumerate(self._bits) for bit in bits}
        self._known: dict[Decisions, NodeReference] = {}
        self._unique: dict[tuple[int, ...], NodeReference] = {}
        self._numbers = {diagrams.false: 0, diagrams.true: 1}
        self._conditions = [diagrams.false, diagrams.true]
        self._halves: list[Halves | None] = [(diagrams.n_bits, 0, 0), (diagrams.n_bits, 1, 1)]

    def _add_tests(self, variable: Variable, place: int) -> None:
        """One test for each digit of a variable's code."""
        bits, last, width = self._diagrams.bits[variable.name], len(variable.values) - 1, self._digit_bits
        for shift in reversed(range(0, len(bits), width)):
            end = len(bits) - shift
            self._bits.append(bits[max(0, end - width) : end])
            self.tests.append(Test(place, 1 << shift, min(self._base, (last >> shift) + 1)))

    def _name(self, test: Test) -> int:
        """What a node that makes this test begins with."""
        if self._digit_bits == WHOLE:
            return test.variable
        return 32 * test.variable + test.divisor.bit_length() - 1

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self._unique)

    def node(self, reference: NodeReference) -> tuple[int, list[NodeReference]]:
        """The number of the test of a node, and its children."""
        test = self._tests_by_name[self.cells[reference]]
        return test, self.cells[reference + 1 : reference + 1 + self.tests[test].size]

    def nodes(self) -> Iterator[tuple[NodeReference, int, list[NodeReference]]]:
        """Each node with the number of its test and its children, children before parents."""
        place = self._first
        while place < len(self.cells):
            test, children = self.node(place)
            yield place, test, children
            place += 1 + len(children)

    def flat(self, roots: Sequence[NodeReference]) -> FlatFunctions:
        """Some functions as compiled loops read them."""
        import numpy as np

        return FlatFunctions(np.array(self.cells, dtype=np.int32), np.array(roots, dtype=np.int32))

    def _tell(self) -> None:
        self._budget.tick(f"look-up table: {self.n_nodes:,} nodes")

    # -- functions from diagrams ----------------------------------------------------------------

    def decide(self, conditions: Sequence[Diagram], answers: Sequence[int]) -> NodeReference:
        """Add a function: the answer of the first condition that holds, or the last answer.

        Cost: some microseconds for each node, child and condition.

        Raises:
            LimitError: when the table outgrows :data:`MAX_ENTRIES`.
        """
        self._tell()
        root = _shortened(tuple(map(self._numbered, conditions)), tuple(answers))
        known = self._known
        stack: list[tuple[Decisions, tuple[int, list[Decisions]] | None]] = [(root, None)]
        while stack:
            top, opened = stack.pop()
            if top in known:
                continue
            if not top[0]:
                known[top] = ~top[1][0]
            elif opened is None:
                opened = self._opened(top)
                stack.append((top, opened))
                stack += [(child, None) for child in opened[1] if child not in known]
            else:
                test, children = opened
                known[top] = self._node(test, [known[child] for child in children])
        return known[root]

    def _numbered(self, condition: Diagram) -> int:
        """The number of a diagram: numbers are quicker to handle."""
        number = self._numbers.get(condition)
        if number is None:
            number = self._numbers[condition] = len(self._halves)
            self._halves.append(None)
            self._conditions.append(condition)
        return number

    def _halved(self, number: int) -> Halves:
        """The bit that a diagram tests first, and what is left of it without and with that bit."""
        halves = self._halves[number]
        if halves is None:
            diagram = self._conditions[number]
            bit, cofactors = diagram.node_var(), diagram.cofactors()
            assert bit is not None, "only the terminals have none"
            assert cofactors is not None, "and they are known"
            high, low = cofactors
            halves = self._halves[number] = bit, self._numbered(low), self._numbered(high)
        return halves

    def _opened(self, top: Decisions) -> tuple[int, list[Decisions]]:
        """The first test that some condition needs, and what is left after each outcome."""
        conditions, answers = top
        test = self._test_of_bit[min([self._halved(condition)[0] for condition in conditions])]
        left = list(zip(*[self._parts(condition, test) for condition in conditions], strict=True))
        shortened = {each: _shortened(each, answers) for each in set(left)}
        return test, [shortened[each] for each in left]

    def _parts(self, condition: int, test: int) -> list[int]:
        """What is left of a condition after each outcome of a test."""
        parts, known = [condition], self._halves
        for bit in self._bits[test]:
            longer: list[int] = []
            for part in parts:
                first, low, high = known[part] or self._halved(part)
                longer += (low, high) if first == bit else (part, part)
            parts = longer
        return parts[: self.tests[test].size]

    # -- functions from arrays, and back --------------------------------------------------------

    def gather(self, answers: npt.NDArray[Any]) -> NodeReference:
        """Add a function given by its answer in every state; one axis for each variable.

        Variables are folded from the bottom of the order up, equal rows at once.
        """
        import numpy as np

        self._tell()
        distinct, references = np.unique(answers, return_inverse=True)
        nodes = [~int(answer) for answer in distinct]
        references = references.reshape(answers.shape).transpose(self._order())
        for test in reversed(self._levels):
            nodes.append(~0)  # for codes past the end of a domain, as diagrams answer there
            rows, references = _folded(references, len(nodes), self._base)
            nodes = [self._node(test, [nodes[child] for child in row]) for row in rows.tolist()]
        return nodes[int(references)]

    def spread(self, root: NodeReference) -> Int32s:
        """The answer of a function in every state, in the order of the states' indices; whole variables only.

        Variable by variable, top first, the distinct functions that are left are told apart; a state takes
        one gather for each variable that lies below others.
        """
        import numpy as np

        assert self._digit_bits == WHOLE, "digits would have to be put together again"
        left, which = np.array([root]), np.zeros((), np.int32)
        for test in self._levels:
            size = self.tests[test].size
            rows = np.repeat(left[:, None], size, axis=1)
            for row, reference in zip(rows, left.tolist(), strict=True):
                if reference >= 0 and self.cells[reference] == self._names[test]:
                    row[:] = self.cells[reference + 1 : reference + 1 + size]
            left, places = np.unique(rows, return_inverse=True)
            which = np.asarray(places.reshape(rows.shape).astype(np.int32)[which])
        answers: Int32s = (~left).astype(np.int32)[which].transpose(np.argsort(self._order())).reshape(-1)
        return answers

    def _order(self) -> list[int]:
        """The variables, those that are tested first before the others."""
        return list(dict.fromkeys(self.tests[test].variable for test in self._levels))

    def _node(self, test: int, children: list[NodeReference]) -> NodeReference:
        """The reference of a node, or its child if all children are one."""
        if children.count(children[0]) == len(children):
            return children[0]
        row = (self._names[test], *children)
        if row not in self._unique:
            if len(self.cells) + len(row) > MAX_ENTRIES:
                raise LimitError(
                    f"the look-up table has more than {MAX_ENTRIES:,} entries, too many to write out"
                )
            if self.n_nodes % TICK == 0:
                self._tell()
            self._unique[row] = len(self.cells)
            self.cells += row
        return self._unique[row]


def _shortened(conditions: tuple[int, ...], answers: tuple[int, ...]) -> Decisions:
    """A decision list without the entries that decide nothing; 0 and 1 are the sets of no and all states."""
    if len(conditions) == 1 and conditions[0] > 1 and answers[0] != answers[1]:
        return conditions, answers
    kept: list[tuple[int, int]] = []
    default = answers[-1]
    for condition, answer in zip(conditions, answers, strict=False):
        if condition == 1:
            default = answer
            break
        if condition:
            kept.append((condition, answer))
    while kept and kept[-1][1] == default:
        kept.pop()
    return tuple([condition for condition, _ in kept]), (*[answer for _, answer in kept], default)


def _folded(references: npt.NDArray[Any], n: int, base: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The distinct rows along the last digit of the last axis, and which of them each place has.

    References are below n, and n − 1 fills the rows of a variable that is cut into digits.
    """
    import numpy as np

    size = references.shape[-1]
    if size > base:
        spare = [(0, 0)] * (references.ndim - 1) + [(0, -size % base)]
        references = np.pad(references, spare, constant_values=n - 1)
        references = references.reshape(*references.shape[:-1], -1, base)
    rows = references.reshape(-1, references.shape[-1])
    code, span = rows[:, 0].astype(np.int64), n
    for column in rows.T[1:]:
        if span > 2**62 // n:
            distinct, code = np.unique(code, return_inverse=True)
            span = len(distinct)
        code, span = code * n + column, span * n
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], which.reshape(references.shape[:-1])
