"""Ask an exported shield; the standard library is all that this needs.

A position is a state (one code for each variable: the index of its value), whose turn it is, and one state
for each automaton. Keep the current position, let :meth:`Shield.observe` advance it on every move of either
player, and choose the defender's moves among :meth:`Shield.permitted`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

DEFENDER, ADVERSARY = "defender", "adversary"
UNAVAILABLE = 1


class Position(NamedTuple):
    """A position: the codes of the variables, who moves, and the states of the automata."""

    state: tuple[int, ...]
    turn: str
    q_defender: tuple[int, ...]
    q_adversary: tuple[int, ...]


class Shield:
    """Look-ups in an exported table; nothing in it ever changes."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Take the object that the JSON format documents."""
        if table.get("holdfast_shield") not in (1, 2):
            raise ValueError("not a shield in version 1 or 2 of the format")
        self.table = table
        start = table["initial"]
        self.initial = Position(
            tuple(start["state"]), start["turn"], tuple(start["q_defender"]), tuple(start["q_adversary"])
        )
        self.n_values = tuple(len(variable["values"]) for variable in table["variables"])
        self._choices = tuple(table.get("choices", ()))  # where outcomes are drawn, the first of the choice
        self._n_answers = table["n_answers"]
        self._nodes = (0,) * self._n_answers + tuple(table["nodes"])  # so that a reference is an index
        self._tests = tuple((variable, divisor) for variable, divisor, _ in table["tests"])
        self._whole = len(self._tests) == len(self.n_values)  # then the tests are the variables in order
        self._offsets = {
            side: [c["offset"] for c in table["clauses"][side]] for side in (DEFENDER, ADVERSARY)
        }

    def state(self, values: Mapping[str, str | int]) -> tuple[int, ...]:
        """The state in which each variable has the value given for its name."""
        variables = self.table["variables"]
        if set(values) != {variable["name"] for variable in variables}:
            raise ValueError("give every variable a value, and nothing else")
        return tuple(variable["values"].index(values[variable["name"]]) for variable in variables)

    def action(self, player: str, name: str) -> int:
        """The number of an action."""
        return int(self.table["actions"][player].index(name))

    def is_winning(self, position: Position) -> bool:
        """Whether the defender can hold out from here for ever."""
        self._check(position)
        return self._is_winning(position)

    def is_unsafe(self, position: Position) -> bool:
        """Whether the requirement has been violated already."""
        self._check(position)
        return _rejects(self._offsets[DEFENDER], position.q_defender)

    def is_admissible(self, position: Position) -> bool:
        """Whether the adversary has kept to what is assumed of it."""
        self._check(position)
        return not _rejects(self._offsets[ADVERSARY], position.q_adversary)

    def permitted(self, position: Position) -> tuple[int, ...]:
        """The actions of whoever moves that stay winning, ascending; none if the position is not winning.

        For the adversary these are all the moves that its assumption admits. Where outcomes are drawn, a
        choice of the defender goes by the first of them, and stays winning if every outcome does.
        """
        self._check(position)
        if not self._is_winning(position):
            return ()
        same: dict[int, bool] = {}  # actions that change nothing and read alike lead to one position
        safe = []
        for action, reading in enumerate(self.table["readings"][position.turn]):
            state = self._successor(position, action)
            if state == position.state:
                if reading not in same:
                    same[reading] = self._is_kept(position, action, state)
                kept = same[reading]
            else:
                kept = state is not None and self._is_kept(position, action, state)
            if kept:
                safe.append(action)
        if position.turn == DEFENDER and self._choices:
            kept_outcomes = set(safe)
            failing = {first for a, first in enumerate(self._choices) if a not in kept_outcomes}
            safe = [a for a in safe if self._choices[a] == a and a not in failing]
        return tuple(safe)

    def is_permitted(self, position: Position, action: int) -> bool:
        """Whether :meth:`permitted` lists the action."""
        self._check(position, action)
        outcomes = [action]
        if position.turn == DEFENDER and self._choices:
            outcomes = [a for a, first in enumerate(self._choices) if first == action]
        if not outcomes or not self._is_winning(position):
            return False
        states = [(outcome, self._successor(position, outcome)) for outcome in outcomes]
        return all(state is not None and self._is_kept(position, a, state) for a, state in states)

    def move(self, position: Position, action: int) -> Position | None:
        """The position after an action of whoever moves, by the model; None if it cannot be chosen."""
        self._check(position, action)
        state = self._successor(position, action)
        return None if state is None else self._read(position, action, state)

    def observe(self, position: Position, action: int, state: Iterable[int]) -> Position:
        """The position after an action that led to this state, whatever the model says of it."""
        self._check(position, action)
        after = tuple(state)
        if not self._fits(after):
            raise ValueError(f"{after} is not a state: give each variable a code of its domain")
        return self._read(position, action, after)

    # -- the table ------------------------------------------------------------------------------

    def _digits(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """The outcome of each test."""
        if self._whole:
            return state
        return tuple(state[variable] // divisor % 16 for variable, divisor in self._tests)

    def _walk(self, reference: int, digits: tuple[int, ...]) -> int:
        nodes, n_answers = self._nodes, self._n_answers
        while reference >= n_answers:
            reference = nodes[reference + 1 + digits[nodes[reference]]]
        return reference

    def _successor(self, position: Position, action: int) -> tuple[int, ...] | None:
        """The state after an action; None if it cannot be chosen."""
        digits = self._digits(position.state)
        effect = self._walk(self.table["moves"][position.turn][action], digits)
        if effect == UNAVAILABLE:
            return None
        after = list(position.state)
        for variable, root in self.table["effects"][effect]:
            after[variable] = self._walk(root, digits)
        return tuple(after)

    def _read(self, position: Position, action: int, state: tuple[int, ...]) -> Position:
        """The position after the automata have read the action and the state it led to."""
        row = self.table["steps"][self.table["readings"][position.turn][action]]
        digits, first = self._digits(state), 0
        after: list[tuple[int, ...]] = []
        for side, qs in ((DEFENDER, position.q_defender), (ADVERSARY, position.q_adversary)):
            states = []
            for clause, q in zip(self.table["clauses"][side], qs, strict=True):
                states.append(self._walk(row[first + q], digits))
                first += len(clause["states"])
            after.append(tuple(states))
        return Position(state, ADVERSARY if position.turn == DEFENDER else DEFENDER, after[0], after[1])

    def _is_winning(self, position: Position) -> bool:
        if _rejects(self._offsets[DEFENDER], position.q_defender):
            return False
        block = _total(self._offsets[DEFENDER], position.q_defender)
        if _rejects(self._offsets[ADVERSARY], position.q_adversary):
            block += self.table["sink"]
        else:
            block += _total(self._offsets[ADVERSARY], position.q_adversary)
        return self._walk(self.table["winning"][position.turn][block], self._digits(position.state)) == 1

    def _is_kept(self, position: Position, action: int, state: tuple[int, ...]) -> bool:
        after = self._read(position, action, state)
        if position.turn == ADVERSARY and _rejects(self._offsets[ADVERSARY], after.q_adversary):
            return False
        return self._is_winning(after)

    def _check(self, position: Position, action: int | None = None) -> None:
        """Refuse what is not a position of this shield, or not an action of whoever moves."""
        if position.turn not in (DEFENDER, ADVERSARY) or not self._fits(position.state):
            raise ValueError(f"{position} is not a position: turn, or a code outside its variable's domain")
        for side, qs in ((DEFENDER, position.q_defender), (ADVERSARY, position.q_adversary)):
            clauses = self.table["clauses"][side]
            if len(qs) != len(clauses) or any(
                not 0 <= q < len(clause["states"]) for clause, q in zip(clauses, qs, strict=True)
            ):
                raise ValueError(f"{position} is not a position: automaton states of the {side}'s clauses")
        n_actions = len(self.table["actions"][position.turn])
        if action is not None and not 0 <= action < n_actions:
            raise ValueError(f"there is no action {action}; the {position.turn} has {n_actions}")

    def _fits(self, state: tuple[int, ...]) -> bool:
        return len(state) == len(self.n_values) and all(
            0 <= code < n for code, n in zip(state, self.n_values, strict=True)
        )


def _rejects(offsets: list[list[int]], qs: tuple[int, ...]) -> bool:
    return any(offset[q] < 0 for offset, q in zip(offsets, qs, strict=True))


def _total(offsets: list[list[int]], qs: tuple[int, ...]) -> int:
    return sum(offset[q] for offset, q in zip(offsets, qs, strict=True))
