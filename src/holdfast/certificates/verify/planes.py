"""The game with its automata, plane by plane: where the letters of a move lead.

A *plane* is a turn with a state of each automaton. For a move and a plane, the successor valuations s' are
split by where the letter (move, s') takes the automata. A letter for which a table has no entry counts as
leading outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Generic

from holdfast.budget import Budget
from holdfast.certificates.verify.added_clause import AddedClause, Automaton, clause_table
from holdfast.certificates.verify.container import refuse
from holdfast.certificates.verify.sets import Space, States, Transition, truth, union
from holdfast.game.configuration import Configuration
from holdfast.logic.expressions import Did, Move, Player, walk

Plane = tuple[Player, tuple[int, ...]]
"""A turn and the states of the automata, φ_D's before φ_A's."""


@dataclass(frozen=True)
class MoveLetters(Generic[States]):
    """The successor valuations of a move from a plane, by what they mean.

    Attributes:
        targets: those that lead to each listed plane, by its number: no violation of φ_D, and none of φ_A
            where the adversary moves.
        unsafe: those with which φ_D is violated.
        forbidden: those with which φ_A is.
        admissible: those with which it is kept.
    """

    targets: list[tuple[int, States]]
    unsafe: States
    forbidden: States
    admissible: States


class PlaneGame(Generic[States, Transition]):
    """One configuration over one kind of sets, and the planes that a witness lists of it."""

    def __init__(
        self,
        chosen: Configuration,
        added: AddedClause | None,
        planes: dict[Plane, int],
        space: Space[States, Transition],
        budget: Budget,
    ) -> None:
        self.structure, self.planes, self.space, self.budget = chosen.game, planes, space, budget
        defender: list[Automaton] = list(chosen.defender)
        if added is not None:  # after the clauses of the file, before those that its model brings
            defender.insert(len(chosen.requirement), clause_table(added, chosen, space, budget))
        self.automata: tuple[Automaton, ...] = (*defender, *chosen.adversary)
        self.n_defender = len(defender)
        # Only what begins a listed plane is followed: the product of many automata has too many others.
        self.begun = {(turn, states[:i]) for turn, states in planes for i in range(len(states) + 1)}
        atoms = [part for automaton in self.automata for atom in automaton.atoms for part in walk(atom)]
        self.seen = {part.moves for part in atoms if isinstance(part, Did)}
        self.letters: dict[tuple[int, tuple[bool, ...]], list[States]] = {}
        self.initial = (self.structure.first, tuple(map(self._initial_state, range(len(self.automata)))))

    def after(self, plane: Plane, move: Move) -> MoveLetters[States]:
        """Where the letters of a move lead from a plane."""
        space, (turn, states) = self.space, plane
        adversary, following = turn is Player.ADVERSARY, turn.opponent
        targets: dict[tuple[int, ...], States] = {(): space.true}
        unsafe, forbidden, admissible = space.false, space.false, space.true
        for i, (automaton, q) in enumerate(zip(self.automata, states, strict=True)):
            steps = self.steps(i, q, move)
            rejected = union(space, (s for t, s in steps.items() if not automaton.accepting[t]))
            if i < self.n_defender:
                unsafe = unsafe | rejected
            else:
                forbidden = forbidden | rejected
                admissible = admissible & union(
                    space, (s for t, s in steps.items() if automaton.accepting[t])
                )
            targets = {
                (*before, t): both
                for before, reached in targets.items()
                for t, condition in steps.items()
                if automaton.accepting[t] or not (adversary or i < self.n_defender)
                if (following, (*before, t)) in self.begun
                if space.exists(both := reached & condition)
            }
        listed = ((self.planes.get((following, q)), both) for q, both in targets.items())
        return MoveLetters([(i, both) for i, both in listed if i is not None], unsafe, forbidden, admissible)

    def steps(self, i: int, q: int, move: Move | None) -> dict[int, States]:
        """By the state that automaton i goes to from q: the valuations s' of the letters (move, s')."""
        automaton, key = self.automata[i], (i, self.signature(move))
        if key not in self.letters:
            truths = [truth(self.space, atom, move) for atom in automaton.atoms]
            self.letters[key] = [
                reduce(and_, (t if mask >> j & 1 else ~t for j, t in enumerate(truths)), self.space.true)
                for mask in automaton.masks
            ]
        steps: dict[int, States] = {}
        for target, states in zip(automaton.delta[q], self.letters[key], strict=True):
            steps[target] = steps[target] | states if target in steps else states
        return steps

    def signature(self, move: Move | None) -> tuple[bool, ...]:
        """All that the automata can see of a move."""
        return tuple(move in moves for moves in self.seen)

    def alike(self, turn: Player) -> list[list[tuple[int, str]]]:
        """The actions of a player, those that the automata cannot tell apart together."""
        groups: dict[tuple[bool, ...], list[tuple[int, str]]] = {}
        for i, action in enumerate(self.structure.actions[turn]):
            groups.setdefault(self.signature((turn, action.name)), []).append((i, action.name))
        return list(groups.values())

    def _initial_state(self, i: int) -> int:
        """The state of automaton i after the letter (no move, s₀)."""
        steps = self.steps(i, self.automata[i].initial, None)
        reached = [t for t, states in steps.items() if self.space.contains(states, self.structure.initial)]
        return reached[0] if len(reached) == 1 else refuse("an automaton of its scenario cannot read s₀")

    def is_unsafe(self, plane: Plane) -> bool:
        """Whether φ_D is violated in a plane."""
        requirement = zip(self.automata[: self.n_defender], plane[1], strict=False)
        return not all(automaton.accepting[q] for automaton, q in requirement)

    def described(self, plane: Plane, states: States) -> str:
        """One position of a plane and a set that is not empty, in the words of the model."""
        return self._words(plane, self.space.first(states))

    @property
    def start(self) -> str:
        """v₀ in the words of the model."""
        return self._words(self.initial, self.structure.initial)

    def _words(self, plane: Plane, state: tuple[int, ...]) -> str:
        turn, states = plane
        named = [automaton.states[q] for automaton, q in zip(self.automata, states, strict=True)]
        sides = (("φ_D", named[: self.n_defender]), ("φ_A", named[self.n_defender :]))
        remembered = [" ".join((side, *clauses)) for side, clauses in sides if clauses]
        return "; ".join([self.structure.describe(state), f"{turn} to move", *remembered])
