"""What a clause remembers of the letters read: bits for its past subformulas, counters for ``times``.

The letter just read and this memory decide every part of a formula that has no future operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as cartesian

from holdfast.errors import AutomatonError, FormulaError
from holdfast.logic import expressions as ex
from holdfast.logic.automata import MAX_STATES
from holdfast.logic.evaluate import ARITHMETIC, Reader, reader
from holdfast.logic.expressions import Expression
from holdfast.logic.temporal import NormalForm

PastMemory = tuple[tuple[bool, ...], tuple[int, ...]]
"""The value of each past subformula one letter ago, and the counts."""

_HELD: dict[str, Callable[[list[bool], bool], bool]] = {
    "Y": lambda values, before: before,
    "O": lambda values, before: values[0] or before,
    "H": lambda values, before: values[0] and before,
    "S": lambda values, before: values[1] or (values[0] and before),
}
"""Whether a past operator holds, by the values of its operands now and its own one letter ago."""


@dataclass(frozen=True)
class Machine:
    """What one letter does to the memory of a formula.

    A reader of this machine takes what is known at a letter: its mask, the values of the past subformulas
    that come before, and the counts.

    Attributes:
        atoms: the local predicates whose truth a letter shows; bit i of its mask is atom i.
        pasts: each past operator with the readers of its operands, inner ones first.
        counted: the reader of each counted predicate, and where its counter saturates.
        decided: for the parts of the normal form that a letter decides, their readers.
    """

    atoms: tuple[Expression, ...]
    pasts: tuple[tuple[str, tuple[Reader, ...]], ...]
    counted: tuple[tuple[Reader, int], ...]
    decided: dict[int, Reader]

    @property
    def start(self) -> PastMemory:
        """The memory before the first letter."""
        return tuple(op == "H" for op, _ in self.pasts), (0,) * len(self.counted)

    def step(self, memory: PastMemory, mask: int) -> tuple[PastMemory, tuple[bool, ...]]:
        """The memory after a letter, and the truth at that letter of each decided part."""
        bits, before = memory
        letter = (mask, (), ())
        counts = tuple(
            min(cap, n + bool(read(letter))) for n, (read, cap) in zip(before, self.counted, strict=True)
        )
        now: list[bool] = []
        after: list[bool] = []
        known = (mask, now, counts)
        for (op, operands), bit in zip(self.pasts, bits, strict=True):
            values = [bool(read(known)) for read in operands]
            now.append(_HELD[op](values, bit))
            after.append(values[0] if op == "Y" else now[-1])
        return (tuple(after), counts), tuple(bool(read(known)) for read in self.decided.values())


def build_machine(form: NormalForm, text: str) -> Machine:
    """The machine of a formula in normal form.

    Raises:
        FormulaError: for counters without a bound.
        AutomatonError: for more memory than an automaton may have states.
    """
    numbered = {i: part.decided for i, part in enumerate(form.parts) if part.decided is not None}
    parts = tuple(dict.fromkeys(numbered.values()))
    caps = _counters(parts, text)
    bounds = [part.bound + 2 for part in form.parts if part.bound is not None]
    need = max([math.prod(cap + 1 for cap in caps.values()), *bounds])
    if need > MAX_STATES:
        raise AutomatonError(
            f"the clause needs about {need:,} automaton states; at most {MAX_STATES:,} are built: "
            "lower the bound, or count in a variable of the model"
        )
    pasts = dict.fromkeys(p for part in parts for p in _postorder(part) if isinstance(p, ex.Temporal))
    atoms = dict.fromkeys(
        atom for part in (*parts, *(times.of for times in caps)) for atom in _atoms(part, caps)
    )
    read = _Readers(tuple(atoms), tuple(pasts), tuple(caps)).reader
    return Machine(
        tuple(atoms),
        tuple((past.op, tuple(map(read, past.args))) for past in pasts),
        tuple((read(times.of), cap) for times, cap in caps.items()),
        {number: read(part) for number, part in numbered.items()},
    )


class _Readers:
    """Formulas without future operators as functions of what is known at a letter."""

    def __init__(
        self, atoms: tuple[Expression, ...], pasts: tuple[ex.Temporal, ...], times: tuple[ex.Times, ...]
    ) -> None:
        self.atoms = {atom: i for i, atom in enumerate(atoms)}
        self.pasts = {past: i for i, past in enumerate(pasts)}
        self.times = {each: i for i, each in enumerate(times)}

    def reader(self, node: Expression) -> Reader:
        return reader(node, {}, self.leaf)

    def leaf(self, node: Expression) -> Reader | None:
        """The reader of what is looked up; None for what is put together from it."""
        if node in self.atoms:
            place = self.atoms[node]
            return lambda known: bool(known[0] >> place & 1)
        if isinstance(node, ex.Temporal):
            index = self.pasts[node]
            return lambda known: known[1][index]
        return self.counting(node) if isinstance(node, ex.Compare) else None

    def counting(self, node: ex.Compare) -> Reader:
        """A comparison of counters: at given counts it is a local predicate or a constant."""
        counters = {part: self.times[part] for part in ex.walk(node) if isinstance(part, ex.Times)}
        at_counts: dict[tuple[int, ...], Reader] = {}

        def read(known: tuple[int, tuple[bool, ...], tuple[int, ...]]) -> bool:
            key = tuple(known[2][i] for i in counters.values())
            if key not in at_counts:
                at_counts[key] = self.reader(_counted(node, dict(zip(counters, key, strict=True))))
            return bool(at_counts[key](known))

        return read


def _postorder(node: Expression) -> Iterable[Expression]:
    for child in ex.children(node):
        yield from _postorder(child)
    yield node


def _atoms(node: Expression, caps: dict[ex.Times, int]) -> Iterable[Expression]:
    """The maximal local predicates below a node, without negations and constants."""
    if isinstance(node, ex.Truth):
        return
    if isinstance(node, ex.Not):
        yield from _atoms(node.of, caps)
    elif ex.is_local(node):
        yield node
    elif isinstance(node, ex.Compare):
        counters = dict.fromkeys(part for part in ex.walk(node) if isinstance(part, ex.Times))
        for counts in cartesian(*(range(caps[times] + 1) for times in counters)):
            yield from _atoms(_counted(node, dict(zip(counters, counts, strict=True))), caps)
    else:
        for child in ex.children(node):
            yield from _atoms(child, caps)


def _counted(node: Expression, counts: dict[ex.Times, int]) -> Expression:
    """A comparison at given counts; a constant unless it also reads the state."""
    local = _with_counts(node, counts)
    return local if local.contents else ex.Truth(reader(local, {})(()))


# -- counters ---------------------------------------------------------------------------------------


def _counters(parts: Iterable[Expression], text: str) -> dict[ex.Times, int]:
    """Each counted predicate with the value at which its counter may saturate.

    In a comparison Σ cᵢ·timesᵢ + rest ⋈ 0 with all cᵢ of one sign, counter i is decided for good once
    cᵢ·timesᵢ alone outweighs the least value of the rest.

    Raises:
        FormulaError: when the counters pull in opposite directions, or are multiplied together.
    """
    caps: dict[ex.Times, int] = {}
    below = (node for part in parts for node in ex.walk(part))
    for part in below:
        if not isinstance(part, ex.Compare) or ex.is_local(part):
            continue
        try:
            weights, low, high = _balance(part)
        except (TypeError, ZeroDivisionError):
            problem = "times(...) must stand alone or in a sum, as in times(a) + times(b) <= 3"
            raise _counter_error(problem, text) from None
        signs = {weight > 0 for weight in weights.values() if weight}
        if len(signs) > 1:
            raise _counter_error("counters that pull in opposite directions have no bound", text)
        margin = -low if signs == {True} else high
        for times, weight in weights.items():
            cap = max(0, int(margin // abs(weight)) + 1) if weight else 0
            caps[times] = max(cap, caps.get(times, 0))
    return caps


def _counter_error(problem: str, text: str) -> FormulaError:
    return FormulaError(problem, text, max(0, text.find("times")), 5)


def _balance(comparison: ex.Compare) -> tuple[dict[ex.Times, Fraction], Fraction, Fraction]:
    """The weights of the counters in left - right, and between what values the rest of it lies."""
    weights: dict[ex.Times, Fraction] = {}
    low = high = Fraction(0)
    for term, weight in ex.addends(ex.Arithmetic("-", comparison.left, comparison.right)).items():
        if isinstance(term, ex.Times):
            weights[term] = weight
        else:
            ends = sorted(weight * end for end in ex.term_range(term))
            low, high = low + ends[0], high + ends[1]
    return weights, low, high


def _with_counts(node: Expression, counts: dict[ex.Times, int]) -> Expression:
    """A comparison with each ``times(...)`` replaced by its count, constants worked out: a local predicate.

    So ``times(a) + times(b) <= x`` gives one predicate for each sum, and not for each pair of counts.
    """
    if ex.is_local(node):
        return node
    if isinstance(node, ex.Times):
        return ex.Number(Fraction(counts[node]))
    match ex.rebuild(node, lambda part: _with_counts(part, counts)):
        case ex.Arithmetic(op, ex.Number(one), ex.Number(other)):
            return ex.Number(Fraction(ARITHMETIC[op](one, other)))
        case counted:
            return counted
