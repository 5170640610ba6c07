"""Which parts of two configurations differ, whether positions correspond, whether boundaries are nested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np

from holdfast.errors import AutomatonError, LimitError
from holdfast.game import Clause, Configuration, GameStructure, Recalled, Reset, memories
from holdfast.logic import (
    And,
    Arithmetic,
    Automata,
    Defined,
    Expression,
    Lookup,
    Member,
    Number,
    Pair,
    Player,
    ProductState,
    SafetyAutomaton,
    accepts,
    joint_states,
    walk,
)
from holdfast.readings.compare.findings import ARENA, BOUNDARY, DOMINANCE, PARTS, REQUIREMENT, RESET, SIGHT


def changed_parts(before: Configuration, after: Configuration) -> tuple[str, ...]:
    """The parts in which two configurations differ, names and order of clauses aside.

    Over the same variables expressions and automata are compared as they are. Over others they differ with
    the variables, and a part is what it says: its text, definitions written out.
    """
    one, other = before.game, after.game
    parts = _said if one.variables != other.variables else _meant
    was, now = {ARENA: True, **parts(before)}, {ARENA: _same_arena(one, other), **parts(after)}
    return tuple(part for part in PARTS if was[part] != now[part])


def _same_arena(one: GameStructure, other: GameStructure) -> bool:
    """Whether states, start, actions and transitions are the same."""
    if (one.variables, one.initial, one.first) != (other.variables, other.initial, other.first):
        return False
    if any(one.actions[player] != other.actions[player] for player in Player):
        return False
    if one.tables is None or other.tables is None:
        return one.tables is other.tables
    if not _same_states(one, other):
        return False
    return all(np.array_equal(one.tables[player], other.tables[player]) for player in Player)


def _same_states(one: GameStructure, other: GameStructure) -> bool:
    """Whether two games over the same variables have the same states, in the same rows where listed."""
    if one.listed is None or other.listed is None:
        return one.listed is other.listed
    return np.array_equal(one.listed, other.listed)


def _meant(configuration: Configuration) -> dict[str, object]:
    """Every part but the arena, to be compared over the same variables."""
    return {
        DOMINANCE: configuration.game.dominance,
        RESET: configuration.game.reset,
        SIGHT: _seen(configuration),
        REQUIREMENT: Counter(_language(clause.automaton) for clause in _required(configuration)),
        BOUNDARY: Counter(map(_language, configuration.adversary)),
    }


def _seen(configuration: Configuration) -> object:
    """What the sensors show that there are, and what is noticed; None where everything is seen."""
    sight = configuration.system.sight
    if sight is None or sight.placed is None:
        return None
    shown = [
        (name, part.clause.label if isinstance(part, Recalled) else part)
        for name in sight.placed
        for part in sight.sensors[name]
    ]
    return frozenset(shown), sight.noticed


def _required(configuration: Configuration) -> list[Clause]:
    """The clauses of φ_D that require something; others only remember what late sensors show."""
    only = memories(configuration.system.sight)
    return [clause for clause in configuration.clauses(Player.DEFENDER) if clause not in only]


def _language(automaton: SafetyAutomaton) -> object:
    a = automaton
    return a.initial, a.accepting, a.atoms, a.masks, a.delta


# -- what a part says -------------------------------------------------------------------------------


def _said(configuration: Configuration) -> dict[str, object]:
    """Every part but the arena as text, to be compared over different variables."""
    game = configuration.game
    return {
        DOMINANCE: _dominance(game),
        RESET: None if game.reset is None else _reset(game.reset, game),
        SIGHT: _seen(configuration),
        REQUIREMENT: Counter(map(_clause, _required(configuration))),
        BOUNDARY: Counter(map(_clause, configuration.clauses(Player.ADVERSARY))),
    }


def _dominance(game: GameStructure) -> object:
    """μ; the share of all variables for which something holds says the same however many there are."""
    match game.dominance:
        case Arithmetic("/", part, Number(n)) if n == len(game.variables):
            return _text(part), "of all"
        case Lookup() as table:
            return table.values
    return _text(game.dominance)


def _reset(reset: Reset, game: GameStructure) -> object:
    """A reset; a condition on every variable says the same however many there are."""
    members = reset.when.args if isinstance(reset.when, And) else (reset.when,)
    values = {part.values if isinstance(part, Member) else None for part in members}
    alike = len(members) == len(game.variables) and len(values) == 1 and None not in values
    assigned = [(variable.name, _text(value)) for variable, value in reset.assign]
    return values if alike else _text(reset.when), reset.probability, assigned


def _clause(clause: Clause) -> object:
    """A formula as text; an automaton that was written out by its states and letters."""
    if clause.formula is not None:
        return _text(clause.formula)
    automaton = clause.automaton
    atoms = tuple(_text(atom) for atom in automaton.atoms)
    return automaton.initial, automaton.accepting, atoms, automaton.masks, automaton.delta


def _text(expression: Expression) -> str:
    """What an expression says, and what its names stand for."""
    defined = {part.name: part.body for part in walk(expression) if isinstance(part, Defined)}
    return "; ".join([str(expression), *(f"{name} := {body}" for name, body in sorted(defined.items()))])


# -- correspondence ---------------------------------------------------------------------------------


def unmatched(before: Configuration, after: Configuration) -> str | None:
    """Why the positions of two configurations do not correspond, or None if they do.

    They do over the same variables, with clauses of the same number, order and shape: (s, q_D, q_A) then
    names a position of either.
    """
    if before.game.variables != after.game.variables:
        return "the two have different variables"
    if not _same_states(before.game, after.game):
        return "the two list different states"
    sides = (("φ_D", before.defender, after.defender), ("φ_A", before.adversary, after.adversary))
    for name, one, other in sides:
        if [a.accepting for a in one] != [a.accepting for a in other]:
            return f"the automata of {name} have different shapes"
        reordered = [_language(a) for a in one] != [_language(a) for a in other]
        if reordered and Counter(map(_language, one)) == Counter(map(_language, other)):
            return f"the clauses of {name} stand in another order"
    return None


# -- two specifications side by side ----------------------------------------------------------------


def includes(free: Configuration, restricted: Configuration, starts: Iterable[Pair]) -> bool:
    """Whether φ_A of ``free`` admits all that φ_A of ``restricted`` does, from these pairs of states.

    The automata are deterministic, so the answer is no iff reading some word from a pair (q_restricted,
    q_free) leads to an accepting q_restricted beside a rejecting q_free. Words are over the letters that
    some move of the game has, a superset of what plays show: a yes is certain, a no is not.
    """
    pairs = _pairs(restricted.adversary, free.adversary, free, starts)
    return pairs is not None and all(
        accepts(free.adversary, q) for p, q in pairs if accepts(restricted.adversary, p)
    )


def same_memory(before: Configuration, after: Configuration) -> bool:
    """Whether matched positions remember the same, for configurations whose positions correspond.

    They do iff two clauses that start in the same state and read the same letters stay in the same state
    as long as both accept; they may then differ in what they forbid. As above, a yes is certain.
    """
    clauses = zip((*before.defender, *before.adversary), (*after.defender, *after.adversary), strict=True)
    return all(one == other or _same_memory(one, other, before) for one, other in clauses)


def _same_memory(one: SafetyAutomaton, other: SafetyAutomaton, game: Configuration) -> bool:
    pairs = _pairs((one,), (other,), game, [((q,), (q,)) for q in range(one.n_states)])
    return pairs is not None and all(p == q for p, q in pairs if accepts((one,), p) and accepts((other,), q))


def _pairs(one: Automata, other: Automata, game: Configuration, starts: Iterable[Pair]) -> set[Pair] | None:
    """The states in which two sides can be after the same word; None where that is too much to find out."""
    try:
        return joint_states(one, other, game.game.vocabulary, starts)
    except (AutomatonError, LimitError):
        return None


def accepting_tuples(automata: Automata) -> Iterator[ProductState]:
    """The accepting states of a side's synchronous product, clause by clause."""
    return product(*([q for q in range(a.n_states) if a.accepting[q]] for a in automata))
