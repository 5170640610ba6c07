"""The rules of a phase: short lists that ask only for what is seen in a round."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.appearances import Appearance
from holdfast.explanation.playbook.decision_list import decision_list
from holdfast.explanation.playbook.listed_play import Rows, bits
from holdfast.explanation.playbook.traits import BETWEEN, NOW, Condition, Trait
from holdfast.game import Configuration, Sight, listed
from holdfast.logic import Player
from holdfast.solver import Decision, Round

NOTICED = "the move that was noticed"


@dataclass(frozen=True)
class SeenRule:
    """What to do where all that it asks for is seen, and the phase that then begins, from 0."""

    conditions: tuple[Condition, ...]
    decision: Decision

    @property
    def condition(self) -> str:
        """The conditions in words."""
        return listed([_in_words(condition) for condition in self.conditions])


@dataclass(frozen=True)
class SeenPhase:
    """The rules of a phase; the first that applies decides, and else there is a last resort."""

    rules: tuple[SeenRule, ...]
    otherwise: Decision


def _in_words(condition: Condition) -> str:
    """``DB is detected``; or ``DB was detected before the adversary's move``."""
    told, name = str(condition), condition.trait.name
    if condition.trait.of != BETWEEN:
        return told
    return f"{name} was{told.removeprefix(f'{name} is')} before the adversary's move"


class SeenRounds:
    """What can be looked at in a round, as traits with their values."""

    def __init__(self, configuration: Configuration, sight: Sight, seen: tuple[Appearance, ...]) -> None:
        """Of each thing what it looks like now, and what it looked like before the adversary's move."""
        self.seen = seen
        names = [action.name for action in configuration.game.actions[Player.ADVERSARY]]
        self.noticed = [-1, *(n for n, name in enumerate(names) if name in sight.noticed)]
        spoken = ("none", *(names[n] for n in self.noticed[1:]))
        now = tuple(each.trait for each in seen)
        between = tuple(replace(trait, of=BETWEEN) for trait in now)
        notices = (Trait(NOTICED, spoken, NOW),) if len(spoken) > 1 else ()
        self.traits = (*now, *notices, *between)

    def codes(self, seen: Round) -> tuple[int, ...]:
        """The value of each trait."""
        between, (now, noticed) = seen
        first = tuple(each.look(now) for each in self.seen)
        notices = (self.noticed.index(noticed),) if len(self.noticed) > 1 else ()
        return (*first, *notices, *(each.look(between) for each in self.seen))

    def place(self, phase: SeenPhase, seen: Round) -> int:
        """The place of the rule that decides, from 0; past the end, the last resort."""
        codes = dict(zip(self.traits, self.codes(seen), strict=True))
        for place, rule in enumerate(phase.rules):
            if all(codes[c.trait] in c.codes for c in rule.conditions):
                return place
        return len(phase.rules)


def phase_rules(
    number: int,
    table: dict[Round, Decision],
    rounds: SeenRounds,
    idle: tuple[int, ...],
    budget: Budget = UNLIMITED,
) -> SeenPhase:
    """A short list of rules for what can be seen in one phase."""
    decisions = list(dict.fromkeys(table.values()))
    rows = list(table)
    ground = Rows(rounds.traits, [rounds.codes(row) for row in rows])
    right = {
        n: bits([k for k, row in enumerate(rows) if table[row] == decision])
        for n, decision in enumerate(decisions)
    }
    if not decisions:
        # The adversary is always out of moves then.
        return SeenPhase((), Decision(idle[0] if idle else 0, number))

    def fitness(n: int) -> tuple[bool, bool, int]:
        return decisions[n].action in idle, decisions[n].phase == number, right[n].bit_count()

    default = max(right, key=fitness)
    instructions = decision_list(ground, right, default, budget)
    rules = tuple(SeenRule(rule.conditions, decisions[rule.action]) for rule in instructions)
    return SeenPhase(rules, decisions[default])
