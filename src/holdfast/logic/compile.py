"""Specification clauses to safety automata.

A formula is compiled by exploring (residue, past memory, counters) letter by letter, see
:mod:`holdfast.logic.temporal` and :mod:`holdfast.logic.progression`. The result is then

1. *pruned*: a state from which every continuation violates is violating, so that ranks are as small as
   the semantics allows;
2. *minimised* by partition refinement, so that a clause has one size however it is written.

An automaton written out in a scenario is taken as it is, states and all, once it has been checked to be
deterministic, complete and absorbing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product as cartesian

from holdfast.errors import AutomatonError, did_you_mean, expect
from holdfast.logic.automata import (
    MAX_STATES,
    MAX_TRANSITIONS,
    Letters,
    SafetyAutomaton,
    feasible_masks,
)
from holdfast.logic.evaluate import holds
from holdfast.logic.expressions import (
    And,
    Compare,
    Expression,
    Iff,
    Implies,
    Label,
    Member,
    Not,
    Or,
    Read,
    Temporal,
    Times,
    Truth,
    children,
    is_local,
    walk,
)
from holdfast.logic.parser import parse_formula, parse_predicate
from holdfast.logic.progression import SATISFIED, VIOLATED, Progression, Residue
from holdfast.logic.temporal import counters, decided_parts, normal_form, with_counts
from holdfast.logic.vocabulary import Vocabulary

Table = list[list[int]]
_Memory = tuple[tuple[bool, ...], tuple[int, ...]]
_Reader = Callable[[int, Sequence[bool], Sequence[int]], bool]


def compile_formula(text: str, vocabulary: Vocabulary) -> SafetyAutomaton:
    """The minimal safety automaton of a formula over the letters of ``vocabulary``.

    >>> from holdfast.logic.expressions import Variable
    >>> print(compile_formula("G (level < 8)", Vocabulary((Variable("level", range(10)),))))
    automaton of G (level < 8)
      q0  (initial)
        level < 8 → q0
        !(level < 8) → viol
      viol  (violating)
        true → viol

    Raises:
        FormulaError: for text that is not a safety formula.
        AutomatonError: past the size limits of :mod:`holdfast.logic.automata`.
    """
    expect(text, str, "a formula", 'text, such as "G (level < 8)"')
    expect(vocabulary, Vocabulary, "the vocabulary of a formula", "game.vocabulary")
    return compile_tree(parse_formula(text, vocabulary), vocabulary, text)


def compile_tree(node: Expression, vocabulary: Vocabulary, text: str = "") -> SafetyAutomaton:
    """The minimal safety automaton of a formula that is parsed already.

    Args:
        node: the formula.
        vocabulary: whose letters it reads.
        text: what it was parsed from, for messages; the formula as it prints by default.

    Raises:
        FormulaError, AutomatonError: as :func:`compile_formula`.
    """
    text = text or str(node)
    body = normal_form(node, text)
    machine = _Machine.build(body, text)
    letters = feasible_masks(machine.atoms, vocabulary)
    table, violating = _explore(body, machine, letters, text)
    _prune(table, violating, letters)
    return _minimise(table, violating, letters, machine.atoms, text)


# -- exploration ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Machine:
    """What one letter does to the memory of a formula."""

    atoms: tuple[Expression, ...]
    pasts: tuple[Temporal, ...]
    caps: dict[Times, int]
    readers: dict[Expression, _Reader]

    @classmethod
    def build(cls, body: Expression, text: str) -> _Machine:
        parts = tuple(dict.fromkeys(decided_parts(body)))
        caps: dict[Times, int] = {}
        for part in parts:
            for times, cap in counters(part, text).items():
                caps[times] = max(cap, caps.get(times, 0))
        need = 1
        for cap in caps.values():
            need *= cap + 1
        bounds = [n.bound for n in walk(body) if isinstance(n, Temporal) and n.bound is not None]
        need = max([need, *(bound + 2 for bound in bounds)])
        if need > MAX_STATES:
            raise AutomatonError(
                f"the clause needs about {need:,} automaton states; at most {MAX_STATES:,} are built: "
                "lower the bound, or count in a variable of the model"
            )
        pasts = tuple(dict.fromkeys(p for part in parts for p in _postorder(part) if isinstance(p, Temporal)))
        atoms = dict.fromkeys(atom for part in parts for atom in _atoms(part, caps))
        atoms |= dict.fromkeys(atom for times in caps for atom in _atoms(times.of, caps))
        machine = cls(tuple(atoms), pasts, caps, {})
        for node in (*parts, *(times.of for times in caps), *(arg for past in pasts for arg in past.args)):
            machine.readers[node] = machine.reader(node)
        return machine

    @property
    def start(self) -> _Memory:
        return tuple(past.op == "H" for past in self.pasts), (0,) * len(self.caps)

    def step(self, memory: _Memory, mask: int) -> tuple[_Memory, Callable[[Expression], bool]]:
        """The memory after a letter, and the truth at that letter of the decided parts."""
        bits, counts = memory
        counts = tuple(
            min(cap, count + self.readers[times.of](mask, (), ()))
            for count, (times, cap) in zip(counts, self.caps.items(), strict=True)
        )
        now: list[bool] = []
        after: list[bool] = []
        for past, before in zip(self.pasts, bits, strict=True):
            values = [self.readers[arg](mask, now, counts) for arg in past.args]
            held = {
                "Y": lambda v, b: b,
                "O": lambda v, b: v[0] or b,
                "H": lambda v, b: v[0] and b,
                "S": lambda v, b: v[1] or (v[0] and b),
            }[past.op](values, before)
            now.append(held)
            after.append(values[0] if past.op == "Y" else held)

        def decided(node: Expression) -> bool:
            if isinstance(node, Not) and node not in self.readers:
                return not decided(node.of)
            return self.readers[node](mask, now, counts)

        return (tuple(after), counts), decided

    def reader(self, node: Expression) -> _Reader:
        """A function of (mask, values of past subformulas, counts) that gives the node's truth."""
        match node:
            case Truth(value):
                return lambda mask, now, counts: value
            case Not(of):
                inner = self.reader(of)
                return lambda mask, now, counts: not inner(mask, now, counts)
            case _ if node in self.atoms:
                place = self.atoms.index(node)
                return lambda mask, now, counts: bool(mask >> place & 1)
            case Temporal():
                index = self.pasts.index(node)
                return lambda mask, now, counts: now[index]
            case Compare():
                return self.counting_reader(node)
            case And(args):
                parts = [self.reader(arg) for arg in args]
                return lambda mask, now, counts: all(part(mask, now, counts) for part in parts)
            case Or(args):
                parts = [self.reader(arg) for arg in args]
                return lambda mask, now, counts: any(part(mask, now, counts) for part in parts)
            case Implies(left, right):
                return self.reader(Or((Not(left), right)))
            case Iff(left, right):
                one, other = self.reader(left), self.reader(right)
                return lambda mask, now, counts: one(mask, now, counts) == other(mask, now, counts)
        raise TypeError(f"not a formula without future operators: {node}")

    def counting_reader(self, node: Compare) -> _Reader:
        names = list(self.caps)
        own = [names.index(part) for part in walk(node) if isinstance(part, Times)]
        known: dict[tuple[int, ...], _Reader] = {}

        def read(mask: int, now: Sequence[bool], counts: Sequence[int]) -> bool:
            key = tuple(counts[i] for i in own)
            if key not in known:
                known[key] = self.reader(_counted(node, dict(zip(names, counts, strict=True))))
            return known[key](mask, now, counts)

        return read


def _postorder(node: Expression) -> Iterable[Expression]:
    for child in children(node):
        yield from _postorder(child)
    yield node


def _atoms(node: Expression, caps: dict[Times, int]) -> Iterable[Expression]:
    """The maximal local predicates below a node, without negations and constants."""
    if isinstance(node, Truth):
        return
    if isinstance(node, Not):
        yield from _atoms(node.of, caps)
    elif is_local(node):
        yield node
    elif isinstance(node, Compare):
        own = dict.fromkeys(part for part in walk(node) if isinstance(part, Times))
        for counts in cartesian(*(range(caps[times] + 1) for times in own)):
            yield from _atoms(_counted(node, dict(zip(own, counts, strict=True))), caps)
    else:
        for child in children(node):
            yield from _atoms(child, caps)


def _counted(node: Expression, counts: dict[Times, int]) -> Expression:
    """A comparison at given counts; a constant unless it also reads the state."""
    local = with_counts(node, counts)
    if any(isinstance(part, Member | Read | Label) for part in walk(local)):
        return local
    return Truth(holds(local, {}))


def _explore(body: Expression, machine: _Machine, letters: Letters, text: str) -> tuple[Table, list[bool]]:
    """All states reached from the start: a table over letters, and which states violate."""
    future = Progression()
    first = (future.residue(body), machine.start)
    index: dict[tuple[Residue, _Memory | None], int] = {first: 0}
    order: list[tuple[Residue, _Memory | None]] = [first]
    table: Table = []
    while len(table) < len(order):
        goals, memory = order[len(table)]
        row = []
        for mask, moved in zip(letters.masks, letters.after_moves, strict=True):
            if table and not moved:  # only the start reads the initial letter
                row.append(len(table))
                continue
            target: tuple[Residue, _Memory | None] = (goals, None)
            if memory is not None:
                after, decided = machine.step(memory, mask)
                goals_after = future.advance(goals, decided)
                target = (goals_after, None if goals_after in (SATISFIED, VIOLATED) else after)
            if target not in index:
                index[target] = len(order)
                order.append(target)
            row.append(index[target])
        table.append(row)
        if len(order) > MAX_STATES or len(table) * len(letters.masks) > MAX_TRANSITIONS:
            raise AutomatonError(
                f"the clause grows past {MAX_STATES:,} automaton states or {MAX_TRANSITIONS:,} transitions; "
                f"split it into several clauses or lower its bounds: {text[:120]}"
            )
    return table, [goals == VIOLATED for goals, _ in order]


# -- reduction --------------------------------------------------------------------------------------


def _prune(table: Table, violating: list[bool], letters: Letters) -> None:
    """Make every state violating from which all continuations violate, in place.

    Continuations consist of letters after moves. The start alone reads the initial letter; if only
    that letter saves it, it stays, but nothing may lead back to it.
    """
    after = [j for j, moved in enumerate(letters.after_moves) if moved]
    sink = violating.index(True) if True in violating else -1
    changed = True
    while changed:
        changed = False
        for q, row in enumerate(table):
            if not violating[q] and after and all(violating[row[j]] for j in after):
                violating[q] = changed = True
    if violating[0] and sink > 0 and not all(violating[target] for target in table[0]):
        violating[0] = False
        for row in table:
            row[:] = [sink if target == 0 else target for target in row]


def _minimise(
    table: Table, violating: list[bool], letters: Letters, atoms: tuple[Expression, ...], text: str
) -> SafetyAutomaton:
    """Merge states with the same future, number them in reading order, and gather violation in one sink.

    The sink is there even when no letter leads to it: a clause that cannot fail still has two states.
    """
    block = _same_future(table, violating, letters)
    row_of = {block[q]: table[q] for q in reversed(range(len(table))) if not violating[q]}
    order = [block[0]] if not violating[0] else []
    for b in order:
        order += [t for t in dict.fromkeys(block[t] for t in row_of[b]) if t in row_of and t not in order]
    place = {b: i for i, b in enumerate(order)}
    sink = len(order)
    return SafetyAutomaton(
        source=text.strip(),
        states=(*(f"q{i}" for i in range(sink)), "viol"),
        initial=place.get(block[0], sink),
        accepting=(*(True for _ in order), False),
        atoms=atoms,
        masks=letters.masks,
        delta=(
            *(tuple(place.get(block[t], sink) for t in row_of[b]) for b in order),
            (sink,) * len(letters.masks),
        ),
    )


def _same_future(table: Table, violating: list[bool], letters: Letters) -> list[int]:
    """The block of each state, by partition refinement on the letters after moves."""
    after = [j for j, moved in enumerate(letters.after_moves) if moved]
    rows = [[] if bad else [row[j] for j in after] for row, bad in zip(table, violating, strict=True)]
    block = [int(bad) for bad in violating]
    n_blocks = len(set(block))
    while True:
        names: dict[tuple[int, ...], int] = {}
        refined = [
            names.setdefault((block[q], *[block[t] for t in row]), len(names)) for q, row in enumerate(rows)
        ]
        if len(names) == n_blocks:
            return block
        block, n_blocks = refined, len(names)


# -- automata written out ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Edge:
    """A guarded edge of an automaton written out: ``source`` to ``target`` when the guard holds."""

    source: str
    target: str
    when: str | Expression = "true"


def build_automaton(
    states: Sequence[str],
    initial: str,
    accepting: Sequence[str],
    edges: Sequence[Edge],
    vocabulary: Vocabulary,
    source: str = "automaton",
) -> SafetyAutomaton:
    """The safety automaton with these guarded edges, its states kept as declared.

    Raises:
        FormulaError: for a guard that does not parse.
        AutomatonError: for unknown or repeated names, for a letter with no edge or with two edges to
            different states, and for an edge out of violation.
    """
    names = tuple(states)
    if len(set(names)) != len(names) or not names:
        raise AutomatonError("states must be listed once each, at least one")
    if len(names) > MAX_STATES:
        raise AutomatonError(f"{len(names):,} states; at most {MAX_STATES:,} are built")
    for name in (initial, *accepting, *(n for edge in edges for n in (edge.source, edge.target))):
        if name not in names:
            raise AutomatonError(f'unknown state "{name}"' + did_you_mean(name, names))
    guards = [
        parse_predicate(edge.when, vocabulary) if isinstance(edge.when, str) else edge.when for edge in edges
    ]
    atoms = tuple(dict.fromkeys(guard for guard in guards if not isinstance(guard, Truth)))
    letters = feasible_masks(atoms, vocabulary)
    delta = []
    for name in names:
        own = [(e, g) for e, g in zip(edges, guards, strict=True) if e.source == name]
        delta.append(
            tuple(_target(name, own, atoms, letters, j, vocabulary, names) for j in range(len(letters.masks)))
        )
    return SafetyAutomaton(
        source=source,
        states=names,
        initial=names.index(initial),
        accepting=tuple(name in accepting for name in names),
        atoms=atoms,
        masks=letters.masks,
        delta=tuple(delta),
    )


def _target(
    name: str,
    edges: list[tuple[Edge, Expression]],
    atoms: tuple[Expression, ...],
    letters: Letters,
    j: int,
    vocabulary: Vocabulary,
    names: tuple[str, ...],
) -> int:
    mask = letters.masks[j]
    taken = [
        edge
        for edge, guard in edges
        if (guard.value if isinstance(guard, Truth) else mask >> atoms.index(guard) & 1)
    ]
    targets = {edge.target for edge in taken}
    if len(targets) == 1:
        return names.index(taken[0].target)
    move, codes = letters.witnesses[j]
    where = ", ".join(
        f"{v.name} = {v.values[codes[v.name]]}" for v in vocabulary.variables if v.name in codes
    )
    letter = "; ".join(part for part in (f"after {move[1]}" if move else "", where) if part) or "any letter"
    if not targets:
        raise AutomatonError(
            f'incomplete: state "{name}" has no edge for the letter ({letter}); add one, or widen a guard'
        )
    both = " and ".join(f'"{edge.when}" to {edge.target}' for edge in taken[:2])
    raise AutomatonError(
        f'nondeterministic: in state "{name}" the letter ({letter}) satisfies {both}; '
        "make the guards exclusive"
    )
