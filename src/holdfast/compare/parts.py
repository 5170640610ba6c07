"""Which parts of two configurations differ, whether positions correspond, whether boundaries are nested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from holdfast.compare.findings import ARENA, BOUNDARY, DOMINANCE, REQUIREMENT, RESET
from holdfast.errors import AutomatonError, LimitError
from holdfast.game import GameStructure
from holdfast.logic.automata import SafetyAutomaton, feasible_masks
from holdfast.logic.expressions import Player
from holdfast.product import Configuration

if TYPE_CHECKING:
    from holdfast.game import Table

Automata = tuple[SafetyAutomaton, ...]
Tuple = tuple[int, ...]
Pair = tuple[Tuple, Tuple]

MAX_READS = 1_000_000
"""Letters that are read, over all pairs of automaton states, to relate two specifications."""


def changed_parts(before: Configuration, after: Configuration) -> tuple[str, ...]:
    """The parts in which two configurations differ, names and order of clauses aside.

    Over the same variables a specification is its automata. Over others the automata differ with
    the variables, and a specification is what its clauses say and how many states they have.
    """
    one, other = before.game, after.game
    by_text = one.variables != other.variables
    differs = {
        ARENA: not same_arena(one, other),
        DOMINANCE: one.dominance != other.dominance and not by_text,
        RESET: one.reset != other.reset and not by_text,
        REQUIREMENT: _clauses(before.defender, by_text) != _clauses(after.defender, by_text),
        BOUNDARY: _clauses(before.adversary, by_text) != _clauses(after.adversary, by_text),
    }
    return tuple(part for part, differing in differs.items() if differing)


def same_arena(one: GameStructure, other: GameStructure) -> bool:
    """Whether states, start, actions and transitions are the same."""
    return (
        one.variables == other.variables
        and (one.initial, one.first) == (other.initial, other.first)
        and all(one.actions[player] == other.actions[player] for player in Player)
        and _same_tables(one.tables, other.tables)
    )


def _same_tables(one: Mapping[Player, Table] | None, other: Mapping[Player, Table] | None) -> bool:
    if one is None or other is None:
        return one is other
    return all(np.array_equal(one[player], other[player]) for player in Player)


def _clauses(automata: Automata, by_text: bool) -> Counter[object]:
    return Counter((a.source, a.accepting) if by_text else _language(a) for a in automata)


def _language(automaton: SafetyAutomaton) -> object:
    a = automaton
    return a.initial, a.accepting, a.atoms, a.masks, a.delta


# -- correspondence ---------------------------------------------------------------------------------


def unmatched(before: Configuration, after: Configuration) -> str | None:
    """Why the positions of two configurations do not correspond, or None if they do.

    They do over the same variables, with clauses of the same number, order and shape: (s, q_D, q_A) then
    names a position of either.
    """
    if before.game.variables != after.game.variables:
        return "the two have different variables"
    sides = (("φ_D", before.defender, after.defender), ("φ_A", before.adversary, after.adversary))
    for name, one, other in sides:
        if [a.accepting for a in one] != [a.accepting for a in other]:
            return f"the automata of {name} have different shapes"
        reordered = [_language(a) for a in one] != [_language(a) for a in other]
        if reordered and _clauses(one, by_text=False) == _clauses(other, by_text=False):
            return f"the clauses of {name} stand in another order"
    return None


# -- two specifications side by side ----------------------------------------------------------------


def includes(free: Configuration, restricted: Configuration, starts: Iterable[Pair]) -> bool:
    """Whether φ_A of ``free`` admits all that φ_A of ``restricted`` does, from these pairs of states.

    The automata are deterministic, so the answer is no iff reading some word from a pair (q_restricted,
    q_free) leads to an accepting q_restricted beside a rejecting q_free. Words are over the letters that
    some move of the game has, a superset of what plays show: a yes is certain, a no is not.
    """
    try:
        pairs = _pairs(restricted.adversary, free.adversary, free.game, starts)
    except (AutomatonError, LimitError):
        return False
    return all(_accepts(free.adversary, q) for p, q in pairs if _accepts(restricted.adversary, p))


def same_memory(before: Configuration, after: Configuration) -> bool:
    """Whether matched positions remember the same, for configurations whose positions correspond.

    They do iff two clauses that start in the same state and read the same letters stay in the same state
    as long as both accept; they may then differ in what they forbid. As above, a yes is certain.
    """
    clauses = zip((*before.defender, *before.adversary), (*after.defender, *after.adversary), strict=True)
    return all(one == other or _same_memory(one, other, before.game) for one, other in clauses)


def _same_memory(one: SafetyAutomaton, other: SafetyAutomaton, game: GameStructure) -> bool:
    try:
        pairs = _pairs((one,), (other,), game, [((q,), (q,)) for q in range(one.n_states)])
    except (AutomatonError, LimitError):
        return False
    return all(p == q for p, q in pairs if _accepts((one,), p) and _accepts((other,), q))


def _pairs(one: Automata, other: Automata, game: GameStructure, starts: Iterable[Pair]) -> set[Pair]:
    """The pairs of states that reading the same letters leads to, as long as both accept.

    Raises:
        AutomatonError: for too many kinds of letters.
        LimitError: past :data:`MAX_READS`.
    """
    atoms = tuple(dict.fromkeys(atom for a in (*one, *other) for atom in a.atoms))
    letters = feasible_masks(atoms, game.vocabulary)
    masks = [mask for mask, moved in zip(letters.masks, letters.after_moves, strict=True) if moved]
    ones, others = ([_columns(a, atoms, masks) for a in side] for side in (one, other))
    waiting = list(starts)
    seen = set(waiting)
    while waiting:
        if len(seen) * len(masks) > MAX_READS:
            raise LimitError("the specifications have too many states to relate")
        p, q = waiting.pop()
        if _accepts(one, p) and _accepts(other, q):
            after = {(_read(one, ones, p, j), _read(other, others, q, j)) for j in range(len(masks))}
            waiting += after - seen
            seen |= after
    return seen


def accepting_tuples(automata: Automata) -> Iterator[Tuple]:
    """The accepting states of a side's synchronous product, clause by clause."""
    return product(*([q for q in range(a.n_states) if a.accepting[q]] for a in automata))


def _columns(automaton: SafetyAutomaton, atoms: tuple[object, ...], masks: list[int]) -> list[int]:
    """For each letter over all atoms, the column of the automaton's own table."""
    places = [atoms.index(atom) for atom in automaton.atoms]
    return [
        automaton.column[sum((mask >> place & 1) << i for i, place in enumerate(places))] for mask in masks
    ]


def _read(automata: Automata, columns: list[list[int]], states: Tuple, j: int) -> Tuple:
    return tuple(a.delta[q][c[j]] for a, q, c in zip(automata, states, columns, strict=True))


def _accepts(automata: Automata, states: Tuple) -> bool:
    return all(a.accepting[q] for a, q in zip(automata, states, strict=True))
