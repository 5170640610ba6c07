"""Clauses of the ``specs:`` section, compiled, each with the place where it stands."""

from __future__ import annotations

import re

from holdfast.budget import Budget
from holdfast.clauses import Clause
from holdfast.errors import AutomatonError, did_you_mean
from holdfast.logic.compile import Edge, build_automaton, compile_tree
from holdfast.logic.parser import parse_formula, parse_predicate
from holdfast.logic.vocabulary import Vocabulary
from holdfast.source.places import placed, shortened
from holdfast.source.yaml import Node

_STATE = re.compile(r'(nondeterministic)?.*?state "(.*?)"')


def build_clause(node: Node, vocabulary: Vocabulary, budget: Budget) -> Clause:
    """One clause: a formula, or an automaton written out."""
    budget.tick("compiling the clauses")
    named = node.get("name") if node.kind == "mapping" else None
    label = named.text if named is not None else ""
    written = node.get("automaton") if node.kind == "mapping" else None
    if written is not None:
        return _automaton(written, vocabulary, label or "automaton", budget)
    text = node if node.kind == "scalar" else node["formula"]
    with placed(text):
        formula = parse_formula(text.text, vocabulary, budget)
        automaton = compile_tree(formula, vocabulary, text.text, budget)
    return Clause(automaton, label or automaton.source, formula, place=text.place)


def _automaton(node: Node, vocabulary: Vocabulary, label: str, budget: Budget) -> Clause:
    states = _states(node["states"])
    edges = []
    for edge in node["edges"].items:
        when = edge.get("when")
        guard = "true" if when is None else when.text
        with placed(when or edge):
            ends = [_known(edge[end], states) for end in ("from", "to")]
            edges.append(Edge(ends[0], ends[1], parse_predicate(guard, vocabulary, budget)))
    initial = _known(node["initial"], states)
    accepting = [_known(state, states) for state in node["accepting"].items]
    with placed(node):
        try:
            automaton = build_automaton(tuple(states), initial, accepting, edges, vocabulary, label, budget)
        except AutomatonError as error:
            raise _culprit(node, states, str(error)).problem(str(error)) from None
    return Clause(automaton, label, edges=tuple(edges), place=node.place)


def _states(section: Node) -> dict[str, Node]:
    states: dict[str, Node] = {}
    for item in section.items:
        if item.text in states:
            raise item.problem(f'state "{shortened(item.text)}" is listed twice; remove one')
        states[item.text] = item
    return states


def _known(node: Node, states: dict[str, Node]) -> str:
    if node.text not in states:
        hint = did_you_mean(node.text, states) or "; add it to states"
        raise node.problem(f'unknown state "{shortened(node.text)}"{hint}')
    return node.text


def _culprit(node: Node, states: dict[str, Node], message: str) -> Node:
    """The state an error is about or, where two edges disagree, the first of them."""
    found = _STATE.match(message)
    if found is None or found[2] not in states:
        return node
    leaving = [edge for edge in node["edges"].items if edge["from"].text == found[2]]
    return leaving[0] if found[1] and leaving else states[found[2]]
