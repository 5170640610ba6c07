"""Clauses of the ``specs:`` section to safety automata."""

from __future__ import annotations

import re
from dataclasses import replace

from holdfast.errors import AutomatonError, did_you_mean
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.compile import Edge, build_automaton, compile_formula
from holdfast.logic.parser import parse_predicate
from holdfast.logic.vocabulary import Vocabulary
from holdfast.scenario.places import placed, shortened
from holdfast.scenario.yaml import Node

_STATE = re.compile(r'(nondeterministic)?.*?state "(.*?)"')


def build_clause(node: Node, vocabulary: Vocabulary) -> SafetyAutomaton:
    """The automaton of one clause: a formula, or an automaton written out."""
    if node.kind == "scalar":
        return _formula(node, vocabulary)
    formula, name = node.get("formula"), node.get("name")
    source = name.text if name is not None and name.text else ""
    if formula is None:
        return _automaton(node["automaton"], vocabulary, source or "automaton")
    automaton = _formula(formula, vocabulary)
    return replace(automaton, source=source) if source else automaton


def _formula(node: Node, vocabulary: Vocabulary) -> SafetyAutomaton:
    with placed(node):
        return compile_formula(node.text, vocabulary)


def _automaton(node: Node, vocabulary: Vocabulary, source: str) -> SafetyAutomaton:
    states = _states(node["states"])
    edges = []
    for edge in node["edges"].items:
        when = edge.get("when")
        if when is not None:
            with placed(when):
                parse_predicate(when.text, vocabulary)
        ends = [_known(edge[end], states) for end in ("from", "to")]
        edges.append(Edge(ends[0], ends[1], when.text if when is not None else "true"))
    initial = _known(node["initial"], states)
    accepting = [_known(state, states) for state in node["accepting"].items]
    with placed(node):
        try:
            return build_automaton(tuple(states), initial, accepting, edges, vocabulary, source)
        except AutomatonError as error:
            raise _culprit(node, states, str(error)).problem(str(error)) from None


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
