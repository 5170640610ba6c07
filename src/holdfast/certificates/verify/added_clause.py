"""One clause more on φ_D, which holds the defender to an effort, a tempo or a grace.

A certificate of the response profile is about a scenario as it is written, under one clause more. It only
names that clause, by its kind and a number; the checker makes the clause itself, from the rules of the game
and the costs in the scenario. So what is proved is what is named, and no other clause can hide behind it.

The clause is a small automaton that reads the defender's moves. A move that never changes the state is
*idle*; every other one is an *intervention*, and costs what the scenario says of it.

- *effort* m: interventions cost at most m in the whole play. The states count what has been spent.
- *tempo* k: any k turns of the defender in a row have at most one intervention. The states count the turns of
  rest that are still due.
- *grace* d: the first d turns of the defender are idle. The states count those that are still due.

The last state is the violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.budget import Budget
from holdfast.certificates.verify.container import refuse
from holdfast.certificates.verify.sets import Algebra, States, rules, union
from holdfast.game.configuration import Configuration
from holdfast.game.numerals import counted
from holdfast.game.structure import GameStructure
from holdfast.logic.expressions import Did, Expression, Player
from holdfast.logic.vocabulary import action_type

LEAST = {"effort": 0, "tempo": 1, "grace": 0}
MAX_NUMBER = 1_000


@dataclass(frozen=True)
class AddedClause:
    """What a certificate says of the clause: its ``kind`` (effort, tempo or grace) and its ``number``."""

    kind: str
    number: int

    @property
    def n_states(self) -> int:
        """How many states its automaton has, the violation among them."""
        return self.number + (1 if self.kind == "tempo" else 2)

    def __str__(self) -> str:
        """What the clause demands.

        >>> print(AddedClause("effort", 2), AddedClause("tempo", 3), AddedClause("grace", 1), sep="; ")
        interventions cost at most 2; at most one intervention in any 3 turns; the first turn is idle
        """
        if self.kind == "tempo":
            return f"at most one intervention in any {counted(self.number, 'turn')}"
        if self.kind == "grace":
            return f"the first {'turn is' if self.number == 1 else f'{self.number} turns are'} idle"
        return f"interventions cost at most {self.number}"


class Automaton(Protocol):
    """What the checker reads of a clause: its states, and a table of where each letter leads."""

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states; a state is its index."""

    @property
    def initial(self) -> int:
        """The state before anything is read."""

    @property
    def accepting(self) -> tuple[bool, ...]:
        """For each state, whether it is no violation."""

    @property
    def atoms(self) -> tuple[Expression, ...]:
        """The predicates by which letters are told apart."""

    @property
    def masks(self) -> tuple[int, ...]:
        """The letters: bit i says whether atom i holds."""

    @property
    def delta(self) -> tuple[tuple[int, ...], ...]:
        """For each state and each letter, the state after it."""


@dataclass(frozen=True)
class ClauseTable:
    """The automaton of an added clause; the fields are those of :class:`Automaton`."""

    states: tuple[str, ...]
    initial: int
    accepting: tuple[bool, ...]
    atoms: tuple[Expression, ...]
    masks: tuple[int, ...]
    delta: tuple[tuple[int, ...], ...]


def read_clause(data: dict[str, Any]) -> AddedClause | None:
    """The clause that a certificate names beside its scenario; None where it names none."""
    if "restriction" not in data:
        return None
    kind, number = data["restriction"]["kind"], data["restriction"]["number"]
    if kind not in LEAST:
        refuse(f'its restriction is of the kind "{kind}"; known are {", ".join(LEAST)}')
    if not LEAST[kind] <= number <= MAX_NUMBER:
        refuse(f"its restriction has the number {number}; expected {LEAST[kind]} to {MAX_NUMBER:,}")
    if data["verdict"] == "playbook":
        refuse("a playbook is for a scenario as it is written; it cannot have a restriction")
    return AddedClause(kind, number)


def clause_table(
    clause: AddedClause, chosen: Configuration, space: Algebra[States], budget: Budget
) -> ClauseTable:
    """The automaton of an added clause, for the actions of a game and what they cost."""
    names = [action.name for action in chosen.game.actions[Player.DEFENDER]]
    prices: dict[int | None, set[str]] = {}  # by what an action costs; None for one that is idle
    for number, name in enumerate(names):
        budget.tick("looking for idle actions")
        idle = _is_idle(space, chosen.game, number)
        prices.setdefault(None if idle else _cost(name, chosen.costs), set()).add(name)
    if None not in prices:
        refuse(f"the defender has no idle action, and so no {clause.kind} can be asked of it")
    broken = clause.n_states - 1
    rows = [
        (q, *(_after(clause, q, price) if q < broken else broken for price in prices))
        for q in range(broken + 1)
    ]
    return ClauseTable(
        states=(*(f"n{q}" for q in range(broken)), "broken"),
        initial=clause.number if clause.kind == "grace" else 0,
        accepting=(True,) * broken + (False,),
        atoms=tuple(
            Did(" | ".join(sorted(own)), frozenset((Player.DEFENDER, name) for name in own))
            for own in prices.values()
        ),
        masks=(0, *(1 << i for i in range(len(prices)))),  # another letter; or one of the atoms, never two
        delta=tuple(rows),
    )


def _after(clause: AddedClause, q: int, price: int | None) -> int:
    """The state after a defender's move of this price (None: an idle one), from a state with no violation."""
    broken = clause.n_states - 1
    if clause.kind == "effort":
        return min(q + (price or 0), broken)
    if price is None:
        return max(q - 1, 0)
    if q:
        return broken
    return clause.number - 1 if clause.kind == "tempo" else 0


def _cost(action: str, costs: Mapping[str, int]) -> int:
    """What an intervention costs: by its name, or else by what stands before the bracket, or else 1."""
    named = action[: action.rfind(")") + 1] or action
    return costs.get(named, costs.get(action_type(action), 1))


def _is_idle(space: Algebra[States], game: GameStructure, number: int) -> bool:
    """Whether an action of the defender never changes the state."""
    if game.tables is not None:
        after = game.tables[Player.DEFENDER][:, number]
        return all(int(target) == state for state, target in enumerate(after))
    for applies, assigned in rules(space, game.actions[Player.DEFENDER][number]):
        for variable, parts in assigned:
            if isinstance(parts, int):
                if space.exists(applies):
                    return False
                continue
            same = union(space, (states & space.table(variable, [code]) for code, states in parts.items()))
            if space.exists(applies & ~same):
                return False
    return True
