"""Clauses of a specification: what was written, what it is called, where it stands, and its automaton."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, expect
from holdfast.logic import (
    Edge,
    Expression,
    SafetyAutomaton,
    Temporal,
    Variable,
    Vocabulary,
    compile_tree,
    conjunction,
    is_local,
    is_static,
    parse_formula,
    variables_of,
    with_group,
)


@dataclass(frozen=True)
class Clause:
    """One clause of φ_D or φ_A.

    Attributes:
        automaton: the safety automaton that decides it.
        label: its name or, without one, the formula as it was written, on one line.
        formula: the formula; None for an automaton that was written out.
        edges: of an automaton that was written out, its guarded edges.
        place: where it stands, as ``file:line:column``; empty if it comes from no file.
    """

    automaton: SafetyAutomaton
    label: str
    formula: Expression | None = None
    edges: tuple[Edge, ...] = ()
    place: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The formula as it was written; empty for an automaton that was written out."""
        return self.automaton.source if self.formula is not None else ""


def clause(
    given: str | SafetyAutomaton | Clause, vocabulary: Vocabulary, budget: Budget = UNLIMITED
) -> Clause:
    """A clause from the text of a formula, or from an automaton.

    >>> from holdfast.logic.expressions import Variable
    >>> found = clause("G (level < 8)", Vocabulary((Variable("level", range(10)),)))
    >>> found.label, found.automaton.n_states
    ('G (level < 8)', 2)

    Raises:
        FormulaError, AutomatonError: for a formula that does not compile.
        LimitError: past the deadline of the budget.
    """
    if isinstance(given, Clause):
        return given
    if isinstance(given, SafetyAutomaton):
        return Clause(given, given.source)
    expect(given, str, "a clause", 'a formula as text, such as "G (level < 8)", or an automaton')
    formula = parse_formula(given, vocabulary, budget)
    automaton = compile_tree(formula, vocabulary, given, budget)
    return Clause(automaton, one_line(automaton.source), formula)


def clause_of(formula: Expression, vocabulary: Vocabulary, budget: Budget = UNLIMITED) -> Clause:
    """A clause from a formula that is not text, such as one that was made of another."""
    automaton = compile_tree(formula, vocabulary, "", budget)
    return Clause(automaton, automaton.source, formula)


ZONE, _ZONE_WORD = "zone", re.compile(r"(?<![\w-])zone(?![\w-])")
"""What a clause for every zone calls the zone that it is about."""


def zone_clause(
    given: str, vocabulary: Vocabulary, zones: Mapping[str, tuple[Variable, ...]], budget: Budget = UNLIMITED
) -> Clause:
    """A clause that every zone has to meet, as one: in the text ``zone`` stands for what is in the zone.

    >>> a, b = Variable("a", range(3)), Variable("b", range(3))
    >>> each = zone_clause("G (count(zone in {2}) <= 0)", Vocabulary((a, b)), {"one": (a,), "two": (b,)})
    >>> str(each.formula), each.automaton.n_states
    ('G (count(one in {2}) <= 0 & count(two in {2}) <= 0)', 2)

    Raises:
        InputError: where there are no zones, or something is called "zone" already.
        FormulaError, AutomatonError: for a formula that does not compile.
    """
    if not zones:
        raise InputError("there are no zones to speak of; name them under zones:")
    if ZONE in vocabulary.words:
        raise InputError('something is called "zone" here, so that "per_zone" cannot mean the zone by it')
    first = next(iter(zones.values()))
    parse_formula(given, with_group(vocabulary, ZONE, first), budget)  # so that a mistake is shown as written
    formulas = []
    for name, variables in zones.items():
        budget.tick("compiling the clauses")
        named = vocabulary if name in vocabulary.groups else with_group(vocabulary, name, variables)
        formulas.append(parse_formula(_ZONE_WORD.sub(name, given), named, budget))
    insides = [f.args[0] for f in formulas if isinstance(f, Temporal) and f.op == "G" and f.bound is None]
    joined = conjunction(formulas)
    if len(insides) == len(formulas) and all(map(is_local, insides)):
        joined = Temporal("G", (conjunction(insides),))
    automaton = _one_by_one(insides, vocabulary, given, budget) if len(insides) == len(formulas) else None
    automaton = automaton or compile_tree(joined, vocabulary, given, budget)
    return Clause(automaton, f"in every zone: {one_line(given)}", joined)


def _one_by_one(
    predicates: Sequence[Expression], vocabulary: Vocabulary, given: str, budget: Budget
) -> SafetyAutomaton | None:
    """The automaton of G of all these predicates, which share no variable, from those of each.

    It has two states whatever their number; None where it is not as simple as that. Diagrams of them all
    together would grow with the square of their number.
    """
    read = [variables_of(predicate) for predicate in predicates]
    if sum(map(len, read)) > len(set().union(*read)) or not all(map(is_static, predicates)):
        return None
    parts = [compile_tree(Temporal("G", (p,)), vocabulary, given, budget) for p in predicates]
    kept = [part for part in parts if part.n_accepting < part.n_states]
    if not kept or any(len(part.atoms) != 1 for part in kept):
        return None
    first = kept[0]
    if any((p.masks, p.delta, p.accepting) != (first.masks, first.delta, first.accepting) for p in kept):
        return None
    if first.n_states != 2 or first.masks != (0, 1) or first.delta[first.initial][1] != first.initial:
        return None  # true of a predicate that holds is that its atom does
    return replace(first, atoms=(conjunction(part.atoms[0] for part in kept),))


def one_line(text: str) -> str:
    """The text of a formula without its line breaks, as it stands within a line of an answer."""
    return " ".join(text.split())
