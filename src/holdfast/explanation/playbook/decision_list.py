"""Short decision lists that are exact on given positions.

Given are a finite set of positions and, for each action, those at which it is *right*; at every position some
action is. A decision list is a sequence of instructions and a last resort; the first instruction whose
conditions hold decides. It is exact if what it says is right at every position. Several actions may be
right at one position, and then the list may say any of them: that freedom is what makes it short.

The list grows by one instruction at a time. Among all actions, the conjunction of conditions is looked for
that holds at the most positions at which the last resort is wrong, and at no position, among those that
earlier instructions left, at which the action is. Conjunctions are searched in two ways: from the top, by
adding conditions to the most promising ones (a beam, as in CN2, Clark and Niblett 1989); and from one
position outwards, dropping every trait that need not be looked at and widening the values of the others
(as in AQ, Michalski 1969), in several orders. Afterwards conditions and instructions that turned out
to be of no use are dropped. The list is short, not proved to be the shortest; to do all of it over with other
choices, up to sixteen times, made none of the lists of the library shorter.

Trees were tried on the same positions and conditions. To be compared are the answers that a reader has to
choose from: the leaves of a tree, the instructions of a list with its last resort. On the paper's five cases,
in their order, lists have 8, 7, 7, 2 and 7. Trees of dtControl, with entropy and determinization by
frequency, have 12, 8, 13, 2 and 9; those of scikit-learn 13, 8, 13, 2 and 9; trees of least depth (pystreed)
20, 8, 10, 2 and 10. The plant with a firewall has 12 against 22, 22 and none within depth 5; the boutique
16 against 18, 18 and none.

Positions are asked about through a :class:`TraitSpace`: rows of bits where they are listed, decision diagrams
where they are not. The sets of a ground know ``& | ~`` and are true unless they are empty.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any, NamedTuple, Protocol

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.playbook.traits import Condition, Instruction, Trait, TraitCodes
from holdfast.game import counted

BEAM, MAX_CONDITIONS = 12, 4
"""How many conjunctions are kept at each length, and up to which length they are built from the top."""
MAX_RULES = 100
"""Past so many rules nobody can follow them."""
N_SEEDS, N_ORDERS = 3, 4
"""Positions from which conjunctions are widened, and in how many orders each."""


class TraitSpace(Protocol):
    """A set of positions, as the learner sees it.

    Attributes:
        traits: what can be looked at.
        everywhere: all positions.
        listed: whether the sets are rows of bits, so that an operation costs next to nothing.
    """

    traits: tuple[Trait, ...]
    everywhere: Any
    listed: bool

    def where(self, trait: int, codes: TraitCodes) -> Any:
        """The positions at which a trait has one of these values."""

    def count(self, positions: Any) -> int:
        """How many positions a set has."""

    def member(self, positions: Any, rng: random.Random) -> tuple[int, ...]:
        """The codes of all traits at some position of a set."""


@dataclass(frozen=True)
class _Conjunction:
    """Conditions by the number of their trait, and how many of the wanted positions they hold at."""

    codes: tuple[tuple[int, TraitCodes], ...]
    action: int
    n_wanted: int
    n_memories: int

    @property
    def merit(self) -> tuple[int, int, int, int]:
        """The greater the better: positions gained, then few conditions, then those on the state alone."""
        return self.n_wanted, -self.n_memories, -len(self.codes), -self.action


def decision_list(
    ground: TraitSpace,
    right: Mapping[int, Any],
    default: int,
    budget: Budget = UNLIMITED,
    most: int | None = None,
) -> tuple[Instruction, ...]:
    """A short list that is exact on the ground; the same ground gives the same list.

    Args:
        ground: the positions.
        right: for each action the positions at which it is right.
        default: the action of last resort.
        budget: its deadline ends the search.
        most: how many instructions there may be; :data:`MAX_RULES` if nobody says.

    Raises:
        LimitError: past so many instructions, and past the budget.
    """
    grown = _List(ground, right, default, budget, most or MAX_RULES).grown()
    return _with_pauses(ground, right, default, tidied(ground, right, grown), budget)


def _unfinished(message: str, instructions: Sequence[Instruction]) -> LimitError:
    """A list that was not finished; known is how often it says each action, in the order of the rules."""
    error = LimitError(message)
    error.known["says"] = dict(Counter(instruction.action for instruction in instructions))
    return error


def length(instructions: tuple[Instruction, ...]) -> int:
    """How much there is to read: instructions and conditions."""
    return sum(1 + len(instruction.conditions) for instruction in instructions)


def meets(ground: TraitSpace, instruction: Instruction) -> Any:
    """The positions of a ground at which all conditions of an instruction hold."""
    places = {trait: i for i, trait in enumerate(ground.traits)}
    sets = (ground.where(places[c.trait], c.codes) for c in instruction.conditions)
    return reduce(and_, sets, ground.everywhere)


def _with_pauses(
    ground: TraitSpace,
    right: Mapping[int, Any],
    default: int,
    instructions: tuple[Instruction, ...],
    budget: Budget,
) -> tuple[Instruction, ...]:
    """The list with the last resort drawn forward where that spares the others a condition.

    ``if A and M: do this; if B and M: do that`` says the same as ``if not M: do nothing; if A: …; if B: …``.
    What stands before a pause is tidied once for all, and a list that gets no shorter is not gone on with.
    """
    numbered = _numbered(ground, instructions)
    shared = Counter(i for step in numbered for i, _ in step.codes)
    pauses = [
        _Step(((i, codes),), default) for i, n in shared.items() if n > 2 for codes in ground.traits[i].plain
    ]
    best, before, left = instructions, _Tidy(ground.everywhere), ground.everywhere
    for place, after in enumerate(numbered):
        idle = left & ~right[default]
        for pause in pauses:
            budget.tick("shortening the rules")
            if not _met(ground, pause.codes, idle):
                other = _tidied(ground, right, [pause, *numbered[place:]], before, below=length(best))
                best = best if other is None else _spelled(ground, other.kept)
        left = left & ~_met(ground, after.codes, left)
        following = _tidied(ground, right, [after], before)
        assert following is not None, "there is nothing to be shorter than"
        before = following
    return best


def tidied(
    ground: TraitSpace, right: Mapping[int, Any], instructions: Sequence[Instruction]
) -> tuple[Instruction, ...]:
    """Without conditions that exclude nothing that matters, and without instructions that came too late."""
    whole = _tidied(ground, right, _numbered(ground, instructions), _Tidy(ground.everywhere))
    assert whole is not None, "there is nothing to be shorter than"
    return _spelled(ground, whole.kept)


class _Step(NamedTuple):
    """An instruction, its traits by their numbers: to look a trait up takes longer than all else."""

    codes: tuple[tuple[int, TraitCodes], ...]
    action: int


class _Tidy(NamedTuple):
    """Where none of the tidied instructions decides, and these."""

    left: Any
    kept: tuple[_Step, ...] = ()


def _numbered(ground: TraitSpace, instructions: Sequence[Instruction]) -> list[_Step]:
    places = {trait: i for i, trait in enumerate(ground.traits)}
    return [_Step(tuple((places[c.trait], c.codes) for c in i.conditions), i.action) for i in instructions]


def _spelled(ground: TraitSpace, steps: Iterable[_Step]) -> tuple[Instruction, ...]:
    traits = ground.traits
    return tuple(Instruction(tuple(Condition(traits[i], c) for i, c in s.codes), s.action) for s in steps)


def _met(ground: TraitSpace, codes: Iterable[tuple[int, TraitCodes]], among: Any) -> Any:
    """Those of some positions at which all conditions hold."""
    return reduce(and_, (ground.where(i, values) for i, values in codes), among)


def _tidied(
    ground: TraitSpace,
    right: Mapping[int, Any],
    steps: Iterable[_Step],
    before: _Tidy,
    below: int | None = None,
) -> _Tidy | None:
    """The list tidied so far and more of it; None if it does not get shorter than so much to read."""
    left, kept = before
    n_read = sum(1 + len(step.codes) for step in kept)
    for step in steps:
        if below is not None and n_read >= below:
            return None
        wrong, codes = left & ~right[step.action], list(step.codes)
        for condition in sorted(codes, key=lambda c: not ground.traits[c[0]].is_memory):
            others = [c for c in codes if c != condition]
            if len(codes) > 1 and not _met(ground, others, wrong):
                codes = others
        here = _met(ground, codes, left)
        if here:
            kept = (*kept, _Step(_plainer(ground, codes, left, here), step.action))
            n_read += 1 + len(codes)
            left = left & ~here
    return _Tidy(left, kept) if below is None or n_read < below else None


def _plainer(
    ground: TraitSpace, conditions: Sequence[tuple[int, TraitCodes]], left: Any, here: Any
) -> tuple[tuple[int, TraitCodes], ...]:
    """Conditions that decide alike, each with the plainest set of values that will do."""
    plainer = list(conditions)
    for place, (i, codes) in enumerate(conditions):
        others = _met(ground, (*plainer[:place], *plainer[place + 1 :]), left)
        alike = (plain for plain in ground.traits[i].plain if others & ground.where(i, plain) == here)
        plainer[place] = (i, next(alike, codes))
    return tuple(plainer)


class _List:
    """One list in the making."""

    def __init__(
        self, ground: TraitSpace, right: Mapping[int, Any], default: int, budget: Budget, most: int
    ) -> None:
        self.ground, self.right, self.default, self.budget, self.most = ground, right, default, budget, most
        self.rng = random.Random(0)

    def grown(self) -> list[Instruction]:
        """Instructions until the last resort is right wherever none of them holds."""
        ground, left = self.ground, self.ground.everywhere
        instructions: list[Instruction] = []
        while wanted := left & ~self.right[self.default]:
            to_go = ground.count(wanted)
            self.budget.tick(f"{len(instructions)} rules, {to_go:,} positions to go")
            if len(instructions) == self.most:
                raise _unfinished(
                    f"the playbook stays long: after {self.most} rules {to_go:,} of "
                    f"{ground.count(ground.everywhere):,} positions still need another",
                    instructions,
                )
            try:
                best = self._best(left, wanted)
            except LimitError as stop:
                raise _unfinished(
                    f"{stop}; {counted(len(instructions), 'rule')} found by then, and {to_go:,} of "
                    f"{ground.count(ground.everywhere):,} positions still need another",
                    instructions,
                ) from None
            traits = ground.traits
            conditions = tuple(Condition(traits[i], codes) for i, codes in sorted(best.codes))
            instructions.append(Instruction(conditions, best.action))
            left = left & ~meets(ground, instructions[-1])
        return instructions

    def _best(self, left: Any, wanted: Any) -> _Conjunction:
        """The conjunction that gains most."""
        ground, best = self.ground, None
        gains = {a: wanted & positions for a, positions in self.right.items() if a != self.default}
        sizes = {a: ground.count(positions) for a, positions in gains.items() if positions}
        for action in sorted(sizes, key=lambda a: (-sizes[a], a)):
            if best is not None and sizes[action] < best.n_wanted:
                break
            bad = left & ~self.right[action]
            for conjunction in self._conjunctions(action, gains[action], bad, best):
                if best is None or conjunction.merit > best.merit:
                    best = conjunction
        assert best is not None, "at every position some action is right"
        return best

    def _conjunctions(
        self, action: int, want: Any, bad: Any, best: _Conjunction | None
    ) -> Iterator[_Conjunction]:
        if not bad:
            yield self._weighed(action, (), want)
        if self.ground.listed:
            yield from self._from_the_top(action, want, bad, best)
        for _ in range(N_SEEDS):
            point = self.ground.member(want, self.rng)
            for _ in range(N_ORDERS):
                yield self._weighed(action, self._widened(point, bad), want)

    def _weighed(self, action: int, codes: tuple[tuple[int, TraitCodes], ...], want: Any) -> _Conjunction:
        ground = self.ground
        here = reduce(and_, (ground.where(i, values) for i, values in codes), want)
        memories = sum(ground.traits[i].is_memory for i, _ in codes)
        return _Conjunction(codes, action, ground.count(here), memories)

    def _from_the_top(
        self, action: int, want: Any, bad: Any, best: _Conjunction | None
    ) -> Iterator[_Conjunction]:
        """Conjunctions of up to so many conditions, the most promising first."""
        ground, floor = self.ground, best.n_wanted if best else 0
        every = [(i, codes) for i, trait in enumerate(ground.traits) for codes in trait.plain]
        beam: list[tuple[float, tuple[tuple[int, TraitCodes], ...], Any, Any]] = [(0.0, (), want, bad)]
        seen: set[tuple[int, int]] = set()
        for _ in range(MAX_CONDITIONS):
            longer = []
            for _, codes, wanted, wrong in beam:
                self.budget.tick("looking for a rule")
                last = {i for i, _ in codes}
                for i, values in every:
                    if i in last:
                        continue
                    gained = wanted & ground.where(i, values)
                    n = ground.count(gained)
                    if n < max(floor, 1):
                        continue
                    lost = wrong & ground.where(i, values)
                    if not lost:
                        floor = n
                        yield self._weighed(action, (*codes, (i, values)), want)
                    elif (gained, lost) not in seen:
                        seen.add((gained, lost))
                        promise = n * n / (n + ground.count(lost))
                        longer.append((promise, (*codes, (i, values)), gained, lost))
            beam = sorted(longer, key=lambda entry: -entry[0])[:BEAM]

    def _widened(self, point: tuple[int, ...], bad: Any) -> tuple[tuple[int, TraitCodes], ...]:
        """From one position outwards: traits that need not be looked at are dropped, others widened."""
        ground, traits = self.ground, self.ground.traits
        order = list(range(len(traits)))
        self.rng.shuffle(order)
        order.sort(
            key=lambda i: traits[i].weight, reverse=True
        )  # what we would rather not ask for goes first
        ahead = [bad]
        for i in reversed(order):
            ahead.append(ahead[-1] & ground.where(i, frozenset((point[i],))))
        conditions, here = [], ground.everywhere
        for place, i in enumerate(order):
            rest = ahead[len(order) - 1 - place] & here
            if not rest:
                continue
            wide = (codes for codes in sorted(traits[i].plain, key=len, reverse=True) if point[i] in codes)
            single = frozenset((point[i],))
            chosen = next((codes for codes in wide if not rest & ground.where(i, codes)), single)
            conditions.append((i, chosen))
            here = here & ground.where(i, chosen)
        return tuple(conditions)
