"""The checker: it distrusts the solver, and proves a certificate again in a few hundred lines of its own.

What is proved. A *valid* certificate shows, of the scenario whose text it carries (or of that scenario under
one clause more, which the certificate names and the checker makes itself: :mod:`.added_clause`),

- "defensible": a set W of positions with v₀ ∈ W and W ∩ U = ∅, such that every admissible adversary move
  from W leads into W, and at each defender position of W some move does. So the defender can stay in W for
  ever and φ_D is never violated (def:defensibility). W is the shield: any move that stays in it is permitted.
- "not defensible": v₀ ∈ U, or ranks 1, 2, … for some positions, v₀ among them, such that each move named at
  an adversary position (one at least) is admissible and leads into U or to a lower rank, and every defender
  move leads there too. So the adversary forces a violation from v₀ within as many moves as its rank.
- "playbook": a set as for "defensible", where it is not some move of the defender that stays inside but the
  one that the given rules name. So whoever follows the rules from v₀ on never violates φ_D, whatever an
  admissible adversary does; and wherever that leads, the rules have an answer (:mod:`.rules`).

What is trusted: the reader of scenario files and the compiler of formulas, which say what the question is
(the rules of the game, the table of each clause's automaton, and that φ_A is admissible); this package;
Python, NumPy for arrays, oxidd's Boolean algebra for diagrams. What is not trusted: the engines, the shield,
the writer of certificates, any word of the file. What is not claimed: that W is the largest such set or a
rank the least, nor any count or reading (WIN, STP, SLT).

How. A *plane* is a turn with a state of each automaton; a witness has a set of valuations for each plane that
it lists. For a move and a plane, the successor valuations s' are split by where the letter (move, s') takes
the automata. So "leads into" becomes a set of s', and the rules of the action carry it back to s. A letter
for which a table has no entry counts as leading outside.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Generic

from oxidd.util import DDMemoryError

from holdfast.budget import UNLIMITED, Budget
from holdfast.certificates.verify.added_clause import AddedClause, Automaton, clause_table, read_clause
from holdfast.certificates.verify.container import read, refuse
from holdfast.certificates.verify.rules import CheckedRule, read_rules, told
from holdfast.certificates.verify.sets import Goal, Space, States, Transition, truth, union
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration
from holdfast.game.display import Displayed
from holdfast.logic.expressions import Did, Move, Player, walk
from holdfast.scenario.reading import configuration, scenario_from_text

if TYPE_CHECKING:
    from oxidd.bcdd import BCDDFunction

    from holdfast.arrays import Bools, UInt32s
    from holdfast.certificates.verify.array_space import Indices
    from holdfast.certificates.verify.diagram_space import Steps


@dataclass(frozen=True)
class Verdict(Displayed):
    """What the checker found.

    Attributes:
        valid: whether the certificate proves what it says.
        defensible: what it says; a playbook says that it is.
        reason: the first thing that is wrong, in the words of the model; empty where nothing is.
        rank: the number of moves within which a violation is forced; None unless that is proved.
        name, variant, text: of the scenario that it is about.
        n_rules: of a playbook, how many rules it has besides its last resort; None for a certificate without
            rules.
        restriction: the clause that was added to the defender's side of the scenario; None where the
            certificate is about the scenario as it is written.
    """

    valid: bool
    defensible: bool
    reason: str
    rank: int | None
    name: str
    variant: str | None
    text: str = field(repr=False)
    n_rules: int | None = None
    restriction: AddedClause | None = None


Plane = tuple[Player, tuple[int, ...]]
"""A turn and the states of the automata, φ_D's before φ_A's."""


def verify(source: str | os.PathLike[str] | bytes, budget: Budget = UNLIMITED) -> Verdict:
    """Check a certificate, given as a file or as its bytes.

    Raises:
        InputError: for what is not a whole, unaltered certificate.
        LimitError: where it is too large to be checked.
    """
    data = read(source)
    text, defensible = data["scenario"]["text"], data["verdict"] != "not defensible"
    scenario = scenario_from_text(text, "the scenario of the certificate", budget)
    chosen, added = configuration(scenario, data["scenario"]["variant"], budget), read_clause(data)
    try:
        check = _begun(chosen, added, data["witness"], defensible, budget)
        reason = check.refutation()
        rank = None if reason or defensible else check.initial_rank()
    except (DDMemoryError, MemoryError):
        raise LimitError("the certificate outgrew the memory for checking it") from None
    n_rules = len(check.rules) - 1 if check.rules else None
    return Verdict(not reason, defensible, reason, rank, scenario.name, chosen.variant, text, n_rules, added)


def _begun(
    chosen: Configuration,
    added: AddedClause | None,
    witness: dict[str, Any],
    defensible: bool,
    budget: Budget,
) -> _Check[Bools, UInt32s, Indices] | _Check[BCDDFunction, list[BCDDFunction], Steps]:
    """The check of a witness, over the kind of sets that it is written in."""
    sizes = [[automaton.n_states for automaton in side] for side in (chosen.defender, chosen.adversary)]
    if added is not None:
        sizes[0].insert(len(chosen.requirement), added.n_states)
    planes = {_plane(entry, *sizes): i for i, entry in enumerate(witness["planes"])}
    if len(planes) < len(witness["planes"]):
        refuse("a plane stands twice")
    rules = read_rules(witness, chosen, budget) if "rules" in witness else []
    turns = [turn for turn, _ in planes]
    if witness["kind"] == "arrays":
        from holdfast.certificates.verify.array_space import ArraySpace

        arrays = ArraySpace(chosen.game, witness, turns, defensible, budget)
        return _Check(chosen, added, planes, rules, arrays, defensible, budget)
    from holdfast.certificates.verify.diagram_space import DiagramSpace

    diagrams = DiagramSpace(chosen.game, witness, turns, defensible, budget)
    return _Check(chosen, added, planes, rules, diagrams, defensible, budget)


def _plane(entry: Any, n_defender: list[int], n_adversary: list[int]) -> Plane:
    """An entry of the list of planes, given how many states each automaton of a side has."""
    match entry:
        case ["defender" | "adversary" as turn, [*ones], [*others]] if len(ones) == len(n_defender):
            states, sizes = (*ones, *others), (*n_defender, *n_adversary)
            if len(states) == len(sizes) and all(
                type(q) is int and 0 <= q < n for q, n in zip(states, sizes, strict=True)
            ):
                return Player(turn), states
    refuse("a plane is not a turn with a state of each automaton of φ_D and of φ_A")


class _Check(Generic[States, Goal, Transition]):
    """One configuration and one witness, over one kind of sets."""

    def __init__(
        self,
        chosen: Configuration,
        added: AddedClause | None,
        planes: dict[Plane, int],
        rules: list[CheckedRule],
        space: Space[States, Goal, Transition],
        defensible: bool,
        budget: Budget,
    ) -> None:
        self.game, self.defensible, self.budget = chosen.game, defensible, budget
        self.planes, self.rules, self.space = planes, rules, space
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
        self.initial = (self.game.first, tuple(map(self._initial_state, range(len(self.automata)))))

    def refutation(self) -> str:
        """Why the witness does not prove the verdict; empty where it does."""
        space, start = self.space, self.planes.get(self.initial)
        needed = self.defensible or not self._is_unsafe(self.initial)
        for plane, i in self.planes.items() if self.defensible else ():
            if self._is_unsafe(plane) and space.exists(space.members(i)):
                return f"an unsafe position is inside: {self._described(plane, space.members(i))}"
        if needed and (start is None or not space.contains(space.members(start), self.game.initial)):
            return f"the initial position is outside: {self._words(self.initial, self.game.initial)}"
        return self._moves(Player.ADVERSARY) or self._moves(Player.DEFENDER)

    def _moves(self, turn: Player) -> str:
        """Why the moves of a player do not do what they must: all of them, one of them, or the named one."""
        space, planes = self.space, {plane: i for plane, i in self.planes.items() if plane[0] is turn}
        ruled = bool(self.rules) and turn is Player.DEFENDER
        one = self.defensible and turn is Player.DEFENDER and not ruled
        named = not self.defensible and turn is Player.ADVERSARY
        says = {p: told(space, self.rules, p[1], space.members(i)) for p, i in planes.items() if ruled}
        left = {plane: space.members(i) for plane, i in planes.items()}
        for alike in self._alike(turn) if planes else ():
            goals = {}
            for plane in planes:
                self.budget.tick(f"following the {turn}'s {alike[0][1]}")
                goals[plane] = space.goal(*self._after(plane, (turn, alike[0][1])))
            for action, name in alike:
                self.budget.tick(f"checking the {turn}'s {name}")
                step = space.step(turn, action)
                for plane, i in planes.items():
                    if one and not space.exists(left[plane]):
                        continue
                    wrong = space.escapes(i, goals[plane], step)
                    if one:
                        left[plane] = left[plane] & wrong
                        continue
                    if ruled:
                        wrong = wrong & says[plane].get(name, space.false)
                    if named:
                        here = space.named(i, action, name)
                        wrong, left[plane] = wrong & here, left[plane] & ~here
                    if space.exists(wrong):
                        what = "leads outside" if self.defensible else "is inadmissible or lowers no rank"
                        what = f"that the rules name {what}" if ruled else what
                        return f"the {turn} move {name} {what} at: {self._described(plane, wrong)}"
        for plane in planes if one or named else ():
            if space.exists(left[plane]):
                what = "no defender move stays inside" if one else "no adversary move is named"
                return f"{what} at: {self._described(plane, left[plane])}"
        return ""

    def _after(self, plane: Plane, move: Move) -> tuple[list[tuple[int, States]], States]:
        """Where the letters of a move lead from a plane.

        The successor valuations that lead to each listed plane, and those that are *free*, asking for no
        plane: for W, no admissible move; for ranks, a move into U that the adversary, if it moves, may make.
        """
        space, (turn, states) = self.space, plane
        adversary, following = turn is Player.ADVERSARY, turn.opponent
        targets: dict[tuple[int, ...], States] = {(): space.true}
        unsafe, forbidden, admissible = space.false, space.false, space.true
        for i, (automaton, q) in enumerate(zip(self.automata, states, strict=True)):
            steps = self._steps(i, q, move)
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
        if self.defensible:
            free = forbidden if adversary else space.false
        else:
            free = unsafe & admissible if adversary else unsafe
        listed = ((self.planes.get((following, q)), both) for q, both in targets.items())
        return [(i, both) for i, both in listed if i is not None], free

    def _steps(self, i: int, q: int, move: Move | None) -> dict[int, States]:
        """By the state that automaton i goes to from q: the valuations s' of the letters (move, s')."""
        automaton, key = self.automata[i], (i, self._signature(move))
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

    def _signature(self, move: Move | None) -> tuple[bool, ...]:
        """All that the automata can see of a move."""
        return tuple(move in moves for moves in self.seen)

    def _alike(self, turn: Player) -> list[list[tuple[int, str]]]:
        """The actions of a player, those that the automata cannot tell apart together."""
        groups: dict[tuple[bool, ...], list[tuple[int, str]]] = {}
        for i, action in enumerate(self.game.actions[turn]):
            groups.setdefault(self._signature((turn, action.name)), []).append((i, action.name))
        return list(groups.values())

    def _initial_state(self, i: int) -> int:
        """The state of automaton i after the letter (no move, s₀)."""
        steps = self._steps(i, self.automata[i].initial, None)
        reached = [t for t, states in steps.items() if self.space.contains(states, self.game.initial)]
        return reached[0] if len(reached) == 1 else refuse("an automaton of its scenario cannot read s₀")

    def initial_rank(self) -> int:
        """The rank of v₀."""
        unsafe = self._is_unsafe(self.initial)
        return 0 if unsafe else self.space.rank(self.planes[self.initial], self.game.initial)

    def _is_unsafe(self, plane: Plane) -> bool:
        requirement = zip(self.automata[: self.n_defender], plane[1], strict=False)
        return not all(automaton.accepting[q] for automaton, q in requirement)

    def _described(self, plane: Plane, states: States) -> str:
        return self._words(plane, self.space.first(states))

    def _words(self, plane: Plane, state: tuple[int, ...]) -> str:
        """A position in the words of the model."""
        turn, states = plane
        named = [automaton.states[q] for automaton, q in zip(self.automata, states, strict=True)]
        sides = (("φ_D", named[: self.n_defender]), ("φ_A", named[self.n_defender :]))
        remembered = [" ".join((side, *clauses)) for side, clauses in sides if clauses]
        return "; ".join([self.game.describe(state), f"{turn} to move", *remembered])
