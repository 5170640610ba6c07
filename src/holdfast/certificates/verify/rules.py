"""The rules of a playbook: read from a certificate, and what they say at each position.

A rule has a predicate over the state, conditions on what clauses remember (a side, the number of a clause of
it and some states of its automaton), and the name of a defender action. The first rule that applies decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.budget import Budget
from holdfast.certificates.verify.container import refuse
from holdfast.certificates.verify.sets import Algebra, States, truth
from holdfast.errors import FormulaError
from holdfast.game.configuration import Configuration
from holdfast.logic.expressions import TRUE, Expression, Player, is_static
from holdfast.logic.parser import parse_predicate


@dataclass(frozen=True)
class CheckedRule:
    """A rule as it is checked: ``memory`` has, for automata by their number, the states that it asks for."""

    when: Expression
    memory: dict[int, frozenset[int]]
    do: str


def read_rules(witness: dict[str, Any], chosen: Configuration, budget: Budget) -> list[CheckedRule]:
    """The rules of a witness, the last resort as the last of them.

    A choice goes by its first outcome: what comes of it is not for the defender to say.
    """
    first = {action.choice: action.name for action in reversed(chosen.game.actions[Player.DEFENDER])}
    names = set(first.values())
    rules = []
    for number, entry in enumerate(witness["rules"], 1):
        budget.tick("reading the rules")
        try:
            when = parse_predicate(entry["when"], chosen.system.vocabulary, budget)
        except FormulaError as error:
            refuse(f"rule {number} cannot be read: {error}")
        if not is_static(when):
            refuse(f"rule {number} asks for more than the state: {entry['when']}")
        rules.append(CheckedRule(when, _memory(entry["memory"], number, chosen), entry["do"]))
    rules.append(CheckedRule(TRUE, {}, witness["otherwise"]))
    unknown = next((rule.do for rule in rules if rule.do not in names), None)
    return rules if unknown is None else refuse(f'a rule says "{unknown}", which the defender cannot do')


def _memory(entries: list[Any], number: int, chosen: Configuration) -> dict[int, frozenset[int]]:
    """The conditions on automata, numbered as in a plane: φ_D's before φ_A's."""
    n_defender, memory = len(chosen.defender), dict[int, frozenset[int]]()
    automata = (*chosen.defender, *chosen.adversary)
    for entry in entries:
        match entry:
            case ["defender" | "adversary" as side, int(clause), [*states]] if type(clause) is int:
                clauses = chosen.clauses(Player(side))
                place = clause + (n_defender if side == "adversary" else 0)
                known = 0 <= clause < len(clauses) and place not in memory
                if known and all(type(q) is int and 0 <= q < automata[place].n_states for q in states):
                    memory[place] = frozenset(states)
                    continue
        refuse(
            f"the memory of rule {number} is not made of a side, a clause and states of it, each clause once"
        )
    return memory


def told(
    space: Algebra[States], rules: list[CheckedRule], states: tuple[int, ...], members: States
) -> dict[str, States]:
    """For the members of a defender plane with these automaton states, by action, where the rules say it."""
    states_by_action: dict[str, States] = {}
    for rule, here in _deciding(space, rules, states, members):
        states_by_action[rule.do] = states_by_action[rule.do] | here if rule.do in states_by_action else here
    return states_by_action


def _deciding(
    space: Algebra[States], rules: list[CheckedRule], states: tuple[int, ...], left: States
) -> Iterator[tuple[CheckedRule, States]]:
    for rule in rules:
        if all(states[place] in allowed for place, allowed in rule.memory.items()):
            here = left & truth(space, rule.when)
            yield rule, here
            left = left & ~here
