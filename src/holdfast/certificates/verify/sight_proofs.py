"""What the defender may hold possible, followed forwards from what a certificate lists.

A *belief* is a set of positions, plane by plane. Where the moves of a player lead from it is worked out here
from the rules of the game, the tables of the automata and what the scenario says is seen, and split by what
is seen. Of the file comes only what is to be compared with that.

What is seen of a position is a bit for each thing that can be seen, lowest first: whether a predicate holds
in its state, or whether the automaton of a clause is in some of its states (what a late sensor recalls).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from holdfast.certificates.verify.container import refuse
from holdfast.certificates.verify.planes import Plane, PlaneGame
from holdfast.certificates.verify.proofs import Proofs
from holdfast.certificates.verify.sets import Goal, States, Transition, WitnessNumbers, truth, union
from holdfast.game.actions import State
from holdfast.game.sight import Recalled, Sight
from holdfast.logic.expressions import Player

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY

Members = TypeVar("Members")
"""Some valuations, as a belief has them."""

Belief = dict[Plane, Members]
"""The positions that may be the case: in each plane some valuations, never none."""


class BeliefSets(Protocol[States, Members]):
    """Beliefs over one kind of sets."""

    def only(self, state: State) -> Members:
        """One valuation."""

    def image(self, members: Members, turn: Player, number: int) -> Members:
        """Where an action leads."""

    def among(self, members: Members, states: States) -> Members:
        """Those that are in a set."""

    def joined(self, one: Members, other: Members) -> Members:
        """What is in either."""

    def some(self, members: Members) -> bool:
        """Whether there are any."""

    def covers(self, members: Members, others: Members) -> bool:
        """Whether all others are among them."""

    def states(self, members: Members) -> States:
        """As a set."""


class Glimpse(NamedTuple):
    """What is seen when it is the defender's turn: bits, and the adversary's move if it was noticed."""

    bits: int
    noticed: str | None

    def __str__(self) -> str:
        """In words."""
        return f"what is seen is {self.bits:x}" + (f" and {self.noticed}" if self.noticed else "")


@dataclass(frozen=True)
class WitnessStance:
    """What the file says of a belief: an action, and the next one by what is seen after either move."""

    action: str
    after: dict[tuple[int, Glimpse], int]


WitnessRefutation = tuple[tuple[int, Glimpse, int] | None, ...]
"""What the file says of a lost belief: for each action what is seen so that an earlier one is possible."""


@dataclass(frozen=True)
class SightWitness:
    """What a witness says besides its sets.

    Attributes:
        start: the number of a belief by what is seen before the defender's first move.
        stances: of the beliefs of a controller.
        refuted: of lost beliefs.
    """

    start: dict[Glimpse, int]
    stances: list[WitnessStance]
    refuted: list[WitnessRefutation]


def read_sight_witness(witness: dict[str, Any]) -> SightWitness:
    """The entries of a witness, each of the right form; the numbers are those of its beliefs."""
    n = len(witness["beliefs"])
    start = dict(_after(entry, n)[1:] for entry in (["0", *_listed(e, 3)] for e in witness["start"]))
    stances, refuted = [], []
    for entry in witness.get("stances", ()):
        action, entries = _listed(entry, 2)
        if not isinstance(action, str) or not isinstance(entries, list):
            refuse("a stance is not an action and what comes after it")
        after = {(made, look): number for made, look, number in (_after(e, n) for e in entries)}
        if len(after) != len(entries):
            refuse("a stance says twice what comes after the same is seen")
        stances.append(WitnessStance(action, after))
    for entry in witness.get("refuted", ()):
        if not isinstance(entry, list):
            refuse("a lost belief has no list of what refutes each action")
        refuted.append(tuple(None if e is None else _after(e, n) for e in entry))
    if len(start) != len(witness["start"]) or len(stances) + len(refuted) != n:
        refuse("it does not say once of each belief what is done in it")
    return SightWitness(start, stances, refuted)


def _listed(entry: Any, n: int) -> list[Any]:
    return entry if isinstance(entry, list) and len(entry) == n else refuse("an entry of its beliefs is none")


def _after(entry: Any, n_beliefs: int) -> tuple[int, Glimpse, int]:
    match entry:
        case [str(made), str(bits), None | str() as noticed, int(number)] if (
            type(number) is int
            and 0 <= number < n_beliefs
            and all(re.fullmatch("0|[1-9a-f][0-9a-f]{0,4999}", text, re.ASCII) for text in (made, bits))
        ):
            return int(made, 16), Glimpse(int(bits, 16), noticed), number
    refuse("what is seen does not stand there as two numbers, a move and a belief")


class SeenGame(Generic[States, Members, Transition]):
    """A game as a defender sees it that does not see everything."""

    def __init__(
        self, game: PlaneGame[States, Transition], sets: BeliefSets[States, Members], sight: Sight
    ) -> None:
        self.game, self.sets, self.sight = game, sets, sight
        self.steps: dict[tuple[int, int, tuple[bool, ...]], dict[int, States]] = {}
        self.shown: list[States | None] = []
        self.recalled: list[tuple[int, frozenset[int]] | None] = []
        automata = list(game.automata[: game.n_defender])
        for part in sight.seen:
            if isinstance(part, Recalled):
                places = [i for i, automaton in enumerate(automata) if automaton == part.clause.automaton]
                self.recalled.append((places[0] if places else refuse("a sensor has no clause"), part.states))
                self.shown.append(None)
            else:
                self.recalled.append(None)
                self.shown.append(truth(game.space, part))
        names = [action.name for action in game.structure.actions[ADVERSARY]]
        self.groups: dict[str | None, list[int]] = {None: []}
        for number, name in enumerate(names):
            self.groups.setdefault(name if name in sight.noticed else None, []).append(number)

    # -- where moves lead ---------------------------------------------------------------------------------

    def after(
        self, belief: Belief[Members], turn: Player, actions: Iterable[int]
    ) -> tuple[Belief[Members], str]:
        """Where admissible moves lead from a belief without a violation; and in words one that violates."""
        game, sets = self.game, self.sets
        reached: Belief[Members] = {}
        violation = ""
        alike: dict[tuple[bool, ...], list[int]] = {}
        for number in actions:
            alike.setdefault(game.signature(game.letter(turn, number)), []).append(number)
        for plane, members in belief.items():
            assert plane[0] is turn, "a belief is at one player's turn"
            for numbers in alike.values():
                game.budget.tick("following what may be the case")
                move = game.letter(turn, numbers[0])
                moved = [sets.image(members, turn, number) for number in numbers]
                landed = moved[0]
                for other in moved[1:]:
                    landed = sets.joined(landed, other)
                for target, own in self._read(plane, move, landed).items():
                    if game.is_unsafe(target):
                        violation = violation or game.described(target, sets.states(own))
                    else:
                        reached[target] = sets.joined(reached[target], own) if target in reached else own
        return reached, violation

    def _read(self, plane: Plane, move: tuple[Player, str], landed: Members) -> Belief[Members]:
        """The successor valuations of a move by the planes that their letters lead to."""
        game, sets, (turn, states) = self.game, self.sets, plane
        signature = game.signature(move)
        parts: dict[tuple[int, ...], Members] = {(): landed}
        for i, (automaton, q) in enumerate(zip(game.automata, states, strict=True)):
            key = (i, q, signature)
            if key not in self.steps:
                self.steps[key] = game.steps(i, q, move)
                if game.space.exists(~union(game.space, self.steps[key].values())):
                    refuse("an automaton of its scenario cannot read a move")
            barred = turn is ADVERSARY and i >= game.n_defender
            parts = {
                (*before, t): own
                for before, members in parts.items()
                for t, condition in self.steps[key].items()
                if automaton.accepting[t] or not barred
                if sets.some(own := sets.among(members, condition))
            }
        return {(turn.opponent, q): own for q, own in parts.items()}

    def answered(self, belief: Belief[Members], noticed: str | None) -> tuple[Belief[Members], str]:
        """Where the adversary's moves lead: the one that is noticed, or all that are not."""
        return self.after(belief, ADVERSARY, self.groups.get(noticed, ()))

    # -- what is seen -------------------------------------------------------------------------------------

    def split(self, belief: Belief[Members]) -> dict[int, Belief[Members]]:
        """A belief by what is seen."""
        sets, parts = self.sets, dict[int, dict[Plane, Members]]()
        for plane, members in belief.items():
            own = {self._recalled(plane): members}
            for bit, states in enumerate(self.shown):
                if states is not None:
                    halves = (
                        (key | value << bit, sets.among(inside, half))
                        for key, inside in own.items()
                        for value, half in ((1, states), (0, ~states))
                    )
                    own = {key: half for key, half in halves if sets.some(half)}
            for key, inside in own.items():
                parts.setdefault(key, {})[plane] = inside
        return parts

    def looking(self, belief: Belief[Members], bits: int) -> Belief[Members]:
        """The part of a belief in which something is seen."""
        sets, chosen = self.sets, dict[Plane, Members]()
        recalls = sum(1 << bit for bit, states in enumerate(self.shown) if states is None)
        for plane, members in belief.items():
            if self._recalled(plane) != bits & recalls or bits >> len(self.shown):
                continue
            for bit, states in enumerate(self.shown):
                if states is not None:
                    members = sets.among(members, states if bits >> bit & 1 else ~states)
            if sets.some(members):
                chosen[plane] = members
        return chosen

    def _recalled(self, plane: Plane) -> int:
        places = (None if r is None else plane[1][r[0]] in r[1] for r in self.recalled)
        return sum(1 << bit for bit, inside in enumerate(places) if inside)

    def covered(self, belief: Belief[Members], by: Belief[Members]) -> str:
        """Which position of a belief another one does not have, in words."""
        for plane, members in belief.items():
            if plane not in by:
                return self.game.described(plane, self.sets.states(members))
            if not self.sets.covers(by[plane], members):
                left = self.sets.states(members) & ~self.sets.states(by[plane])
                return self.game.described(plane, left)
        return ""

    def starts(self) -> dict[Glimpse, Belief[Members]]:
        """What the defender may hold possible before its first move."""
        initial = {self.game.initial: self.sets.only(self.game.structure.initial)}
        if self.game.initial[0] is DEFENDER:
            return {Glimpse(bits, None): belief for bits, belief in self.split(initial).items()}
        beliefs = {}
        for noticed in self.groups:
            for bits, belief in self.split(self.answered(initial, noticed)[0]).items():
                beliefs[Glimpse(bits, noticed)] = belief
        return beliefs


# -- the two proofs ---------------------------------------------------------------------------------------


def held(
    seen: SeenGame[States, Members, Transition], beliefs: list[Belief[Members]], says: SightWitness
) -> str:
    """Why stances are none by which the defender holds with what it sees."""
    game, actions = seen.game, seen.game.structure.actions[DEFENDER]
    numbers = {action.name: number for number, action in enumerate(actions)}
    if game.is_unsafe(game.initial):
        return f"the initial position is unsafe: {game.start}"
    for number, belief in enumerate(beliefs):
        for plane, members in belief.items():
            if game.is_unsafe(plane):
                at = game.described(plane, seen.sets.states(members))
                return f"an unsafe position is in belief {number}: {at}"
    if game.initial[0] is ADVERSARY:
        for noticed in seen.groups:
            start = {game.initial: seen.sets.only(game.structure.initial)}
            if violation := seen.answered(start, noticed)[1]:
                return f"the adversary can violate the requirement at once: {violation}"
    for look, belief in seen.starts().items():
        if why := _not_next(seen, beliefs, says.start.get(look), belief):
            return f"before the first move, where {look}, {why}"
    for number, (belief, stance) in enumerate(zip(beliefs, says.stances, strict=True)):
        if stance.action not in numbers:
            return f'in belief {number} it says "{stance.action}", which the defender cannot do'
        made, violation = seen.after(belief, DEFENDER, [numbers[stance.action]])
        if violation:
            return f"in belief {number} {stance.action} violates the requirement: {violation}"
        for bits, part in seen.split(made).items():
            for noticed in seen.groups:
                answered, violation = seen.answered(part, noticed)
                if violation:
                    return f"after {stance.action} in belief {number} the adversary can violate: {violation}"
                for after, belief_after in seen.split(answered).items():
                    look = Glimpse(after, noticed)
                    why = _not_next(seen, beliefs, stance.after.get((bits, look)), belief_after)
                    if why:
                        return f"after {stance.action} in belief {number}, where {look}, {why}"
    return ""


def _not_next(
    seen: SeenGame[States, Members, Transition],
    beliefs: list[Belief[Members]],
    number: int | None,
    belief: Belief[Members],
) -> str:
    if number is None:
        return "it does not say what comes next"
    missing = seen.covered(belief, beliefs[number])
    return f"belief {number} does not have a position that may be the case: {missing}" if missing else ""


def lost(
    seen: SeenGame[States, Members, Transition],
    beliefs: list[Belief[Members]],
    says: SightWitness,
    ranks: WitnessNumbers[States, Goal, Transition],
) -> str:
    """Why beliefs are none in which every action is refuted, one of them possible at the start."""
    game, actions = seen.game, seen.game.structure.actions[DEFENDER]
    if why := Proofs[States, Goal, Transition](game).forced(ranks, start=False):
        return why
    starts = seen.starts()
    if len(says.start) != 1:
        return "it does not say what is seen before the first move that is lost"
    ((look, number),) = says.start.items()
    if why := seen.covered(beliefs[number], starts.get(look, {})):
        return f"before the first move, where {look}, this is not possible: {why}"
    for number, (belief, refuted) in enumerate(zip(beliefs, says.refuted, strict=True)):
        if not belief:
            return f"nothing is possible in belief {number}"
        if len(refuted) != len(actions):
            return f"it does not say of each action what refutes it in belief {number}"
        for action, by in enumerate(refuted):
            if why := _not_refuted(seen, beliefs, number, action, by, ranks):
                return f"in belief {number} {actions[action].name} is not refuted: {why}"
    return ""


def _not_refuted(
    seen: SeenGame[States, Members, Transition],
    beliefs: list[Belief[Members]],
    number: int,
    action: int,
    by: tuple[int, Glimpse, int] | None,
    ranks: WitnessNumbers[States, Goal, Transition],
) -> str:
    planes = seen.game.planes
    made, violation = seen.after(beliefs[number], DEFENDER, [action])
    if by is None:
        doomed = any(
            seen.sets.some(seen.sets.among(members, ranks.members(planes[plane])))
            for plane, members in made.items()
            if plane in planes
        )
        return "" if violation or doomed else "it leads to no position with a rank"
    bits, look, earlier = by
    if earlier >= number:
        return f"belief {earlier} does not stand before it"
    answered, _ = seen.answered(seen.looking(made, bits), look.noticed)
    missing = seen.covered(beliefs[earlier], seen.looking(answered, look.bits))
    return f"where {look}, a position of belief {earlier} is not possible: {missing}" if missing else ""
