"""Specification clauses to safety automata.

A formula is compiled by exploring (residue, past memory, counters) letter by letter, see
:mod:`holdfast.logic.machine` and :mod:`holdfast.logic.temporal`. The result is then

1. *pruned*: a state from which every continuation violates is violating, so that ranks are as small as
   the semantics allows;
2. *minimised* by partition refinement, so that a clause has one size however it is written.

An automaton written out in a scenario is taken as it is, states and all, once it has been checked to be
deterministic, complete and absorbing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import AutomatonError, did_you_mean, expect
from holdfast.logic.automata import MAX_STATES, MAX_TRANSITIONS, Letters, SafetyAutomaton, feasible_masks
from holdfast.logic.expressions import Expression, Move, Truth
from holdfast.logic.inclusion import same_future
from holdfast.logic.machine import Machine, PastMemory, build_machine
from holdfast.logic.parser import parse_formula, parse_predicate
from holdfast.logic.tallies import spelled_short
from holdfast.logic.temporal import SATISFIED, VIOLATED, NormalForm, Progression, Residue
from holdfast.logic.vocabulary import Vocabulary

TransitionTable = list[list[int]]
_Explored = tuple[Residue, PastMemory | None]
"""What is still owed and what is remembered; nothing need be remembered once the clause is settled."""


def compile_formula(text: str, vocabulary: Vocabulary, budget: Budget = UNLIMITED) -> SafetyAutomaton:
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
        LimitError: past the deadline of the budget.
    """
    expect(text, str, "a formula", 'text, such as "G (level < 8)"')
    expect(vocabulary, Vocabulary, "the vocabulary of a formula", "game.vocabulary")
    return compile_tree(parse_formula(text, vocabulary, budget), vocabulary, text, budget)


def compile_tree(
    node: Expression, vocabulary: Vocabulary, text: str = "", budget: Budget = UNLIMITED
) -> SafetyAutomaton:
    """The minimal safety automaton of a formula that is parsed already.

    ``text`` is what it was parsed from, for messages. Raises what :func:`compile_formula` raises.
    """
    text = text or str(node)
    key = (node, text, vocabulary.variables, vocabulary.moves, vocabulary.tallies)
    if (known := _kept.get(key)) is not None:
        for doing, done in known.steps:
            budget.tick(doing, done)
        return known.automaton
    steps: list[tuple[str, float | None]] = []

    def watch(doing: str, done: float | None) -> None:
        steps.append((doing, done))
        budget.watch(doing, done)

    automaton = _compiled(node, vocabulary, text, replace(budget, watch=watch))
    if len(steps) <= MOST_STEPS:
        while len(_kept) >= MOST_KEPT:
            _kept.pop(next(iter(_kept)), None)
        _kept[key] = _Compiled(automaton, tuple(steps))
    return automaton


@dataclass(frozen=True)
class _Compiled:
    """An automaton and the steps that it took, which are told again so that limits mean the same."""

    automaton: SafetyAutomaton
    steps: tuple[tuple[str, float | None], ...]


MOST_KEPT, MOST_STEPS = 32, 1_000
_kept: dict[Hashable, _Compiled] = {}
"""The last clauses: to find out what to change, hundreds of designs are asked about with the same ones."""


def _compiled(node: Expression, vocabulary: Vocabulary, text: str, budget: Budget) -> SafetyAutomaton:
    form = NormalForm(node, text)
    machine = build_machine(form, text)
    atoms = tuple(spelled_short(atom, vocabulary.tallies) for atom in machine.atoms)
    letters = feasible_masks(atoms, vocabulary, budget)
    table, violating = _explore(form, machine, letters, text, budget)
    _prune(table, violating, letters)
    return _minimise(table, violating, letters, atoms, text, budget)


# -- exploration ------------------------------------------------------------------------------------


def _explore(
    form: NormalForm, machine: Machine, letters: Letters, text: str, budget: Budget = UNLIMITED
) -> tuple[TransitionTable, list[bool]]:
    """All states reached from the start: a table over letters, and which states violate."""
    future = Progression(form, budget)
    advanced: dict[tuple[Residue, tuple[bool, ...]], Residue] = {}
    order: list[_Explored] = [(future.residue(form.root), machine.start)]
    index = {order[0]: 0}
    table: TransitionTable = []
    while len(table) < len(order):
        goals, memory = order[len(table)]
        row = []
        for mask, moved in zip(letters.masks, letters.after_moves, strict=True):
            budget.tick("compiling a formula")
            if table and not moved:  # only the start reads the initial letter
                row.append(len(table))
                continue
            target: _Explored = (goals, None)
            if memory is not None:
                after, truths = machine.step(memory, mask)
                if (goals, truths) not in advanced:
                    decided = dict(zip(machine.decided, truths, strict=True))
                    advanced[goals, truths] = future.advance(goals, decided)
                goals_after = advanced[goals, truths]
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


def _prune(table: TransitionTable, violating: list[bool], letters: Letters) -> None:
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
    table: TransitionTable,
    violating: list[bool],
    letters: Letters,
    atoms: tuple[Expression, ...],
    text: str,
    budget: Budget,
) -> SafetyAutomaton:
    """Merge states with the same future, number them in reading order, and gather violation in one sink.

    The sink is there even when no letter leads to it: a clause that cannot fail still has two states.
    """
    after = [j for j, moved in enumerate(letters.after_moves) if moved]
    rows = [[] if bad else [row[j] for j in after] for row, bad in zip(table, violating, strict=True)]
    block = same_future(rows, violating, budget)
    row_of = {block[q]: table[q] for q in reversed(range(len(table))) if not violating[q]}
    order = [block[0]] if not violating[0] else []
    for b in order:
        order += [t for t in dict.fromkeys(block[t] for t in row_of[b]) if t in row_of and t not in order]
    place = {b: i for i, b in enumerate(order)}
    sink = len(order)
    accepted = (tuple(place.get(block[t], sink) for t in row_of[b]) for b in order)
    return SafetyAutomaton(
        source=text.strip(),
        states=(*(f"q{i}" for i in range(sink)), "viol"),
        initial=place.get(block[0], sink),
        accepting=(*(True for _ in order), False),
        atoms=atoms,
        masks=letters.masks,
        delta=(*accepted, (sink,) * len(letters.masks)),
    )


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
    budget: Budget = UNLIMITED,
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
        parse_predicate(edge.when, vocabulary, budget) if isinstance(edge.when, str) else edge.when
        for edge in edges
    ]
    atoms = tuple(dict.fromkeys(guard for guard in guards if not isinstance(guard, Truth)))
    letters = feasible_masks(atoms, vocabulary, budget)
    # For each guard the letters that show it, as bits.
    shown: dict[Expression, int] = {
        atom: sum((mask >> i & 1) << j for j, mask in enumerate(letters.masks))
        for i, atom in enumerate(atoms)
    }
    shown |= {Truth(False): 0, Truth(True): (1 << len(letters.masks)) - 1}
    place = {name: q for q, name in enumerate(names)}
    delta = []
    for name in names:
        leaving = [
            (edge, shown[guard]) for edge, guard in zip(edges, guards, strict=True) if edge.source == name
        ]
        row = []
        for j in range(len(letters.masks)):
            budget.tick("building an automaton")
            taken = [edge for edge, where in leaving if where >> j & 1]
            if len({edge.target for edge in taken}) != 1:
                raise _unclear(name, taken, letters.witness(letters.masks[j]), vocabulary)
            row.append(place[taken[0].target])
        delta.append(tuple(row))
    return SafetyAutomaton(
        source=source,
        states=names,
        initial=names.index(initial),
        accepting=tuple(name in accepting for name in names),
        atoms=atoms,
        masks=letters.masks,
        delta=tuple(delta),
    )


def _unclear(
    name: str, taken: list[Edge], witness: tuple[Move | None, Mapping[str, int]], vocabulary: Vocabulary
) -> AutomatonError:
    """What to say of a letter with no edge, or with edges to several states."""
    move, codes = witness
    where = ", ".join(
        f"{v.name} = {v.values[codes[v.name]]}" for v in vocabulary.variables if v.name in codes
    )
    letter = "; ".join(part for part in (f"after {move[1]}" if move else "", where) if part) or "any letter"
    if not taken:
        return AutomatonError(
            f'incomplete: state "{name}" has no edge for the letter ({letter}); add one, or widen a guard'
        )
    both = " and ".join(f'"{edge.when}" to {edge.target}' for edge in taken[:2])
    return AutomatonError(
        f'nondeterministic: in state "{name}" the letter ({letter}) satisfies {both}; '
        "make the guards exclusive"
    )
