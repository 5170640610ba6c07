"""Clauses of a specification: what was written, what it is called, where it stands, and its automaton."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import expect
from holdfast.logic import Edge, Expression, SafetyAutomaton, Vocabulary, compile_tree, parse_formula


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


def one_line(text: str) -> str:
    """The text of a formula without its line breaks, as it stands within a line of an answer."""
    return " ".join(text.split())
