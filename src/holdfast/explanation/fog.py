"""Why a design that holds with sight is lost with what is seen: what may be the case, and what fails then.

The proof of such a verdict is a list of lost beliefs (:mod:`holdfast.solver.beliefs`): from each of them
every action leads out of W in some of its positions, or lets the defender come to hold possible all of an
earlier one. For people each belief is made *small*: of its positions only those are kept that some action
needs to fail. For an action that leaves W that is one position, the *case* in which it does. For any other
action those are kept from which play may come to the small belief that follows. What is left is lost for the
same reasons, and is often two cases: it has happened, or it has not.

Among the earlier beliefs that an action may lead to, the one is taken that is over soonest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.appearances import (
    Appearance,
    appearances,
    cases_in_words,
    common_in_words,
    news_in_words,
    seen_in_words,
)
from holdfast.game import Position, counted
from holdfast.logic import Player
from holdfast.solver import (
    BeliefSolution,
    LostBelief,
    PositionSet,
    Round,
    SeenMoves,
    Solution,
    SolvedGame,
    names_of,
    verdicts,
    work_on_sets,
)

MANY_CASES = 400
"""Positions of a belief that are tried as the case in which many actions fail at once."""
MANY_BELIEFS = 150
"""Lost beliefs up to which each action is led to the one that is over soonest."""
MAX_STEPS = 40
"""Steps that are told."""


@dataclass(frozen=True)
class FailedActions:
    """Actions of the defender that fail for one reason.

    Attributes:
        actions: by name.
        case: the number of the case in which they lose even with sight, from 1; None where another step
            follows.
        reason: why they lose in that case.
        seen: where another step follows, what is seen until then that is new.
        unseen: moves of the adversary that may have been made until then.
        step: the number of that step.
    """

    actions: tuple[str, ...]
    case: int | None = None
    reason: str = ""
    seen: str = ""
    unseen: tuple[str, ...] = ()
    step: int | None = None


@dataclass(frozen=True)
class FogStep:
    """A situation in which every action fails for something that may be the case.

    Attributes:
        number: from 1.
        seen: what the defender sees.
        cases: what may be the case; others may be possible, too.
        common: what is not seen and so in every case.
        failing: all actions, by why they fail.
    """

    number: int
    seen: str
    cases: tuple[str, ...]
    common: str
    failing: tuple[FailedActions, ...]


@dataclass(frozen=True)
class Fog:
    """Why a design is lost with what is seen.

    Attributes:
        sensors: what the defender has to see by.
        opening: where the adversary moves first, its moves that lead to the cases of the first step.
        steps: the first is where play begins for the defender.
        complete: whether all steps are told.
    """

    sensors: tuple[str, ...]
    opening: tuple[str, ...]
    steps: tuple[FogStep, ...]
    complete: bool


def fog(solution: Solution, answer: BeliefSolution, budget: Budget = UNLIMITED) -> Fog:
    """Why no defense is enough that uses only what is seen; ``answer`` must say so.

    Raises:
        LimitError: past the budget.
    """
    return work_on_sets(
        solution, "why it is lost with these sensors", lambda: _Told(solution, answer, budget).fog()
    )


@dataclass
class _Small:
    """A lost belief with the positions that matter.

    Attributes:
        key: what is seen.
        cases: its positions.
        case_of: for an action that leaves W, the position in which it does.
        next_of: for any other the round that is seen, and the number of the belief that follows.
        height: how many beliefs follow at most.
    """

    key: int
    cases: dict[Position, None] = field(default_factory=dict)
    case_of: dict[int, Position] = field(default_factory=dict)
    next_of: dict[int, tuple[Round, int]] = field(default_factory=dict)
    height: int = 0


class _Told:
    """The lost beliefs of a proof, made small one after the other, and told from the start."""

    def __init__(self, solution: Solution, answer: BeliefSolution, budget: Budget) -> None:
        self.solution, self.answer, self.budget = solution, answer, budget
        self.configuration, self.solved = solution.configuration, SolvedGame(solution)
        self.moves = SeenMoves(solution, answer.sight)
        self.seen: tuple[Appearance, ...] = appearances(self.configuration, answer.sight)
        self.small: list[_Small] = []
        for lost in answer.lost:
            budget.tick(f"{len(self.small):,} of {len(answer.lost):,} beliefs")
            self.small.append(self._made_small(lost))

    def _made_small(self, lost: LostBelief) -> _Small:
        ((key, _),) = lost.belief.split(self.moves.seen).items()
        small = _Small(key)
        leaving = [a for a, refuted in enumerate(lost.refuted) if refuted is None]
        for position, actions in self._cases(lost.belief, leaving):
            small.cases[position] = None
            small.case_of |= dict.fromkeys(actions, position)
        for action, refuted in enumerate(lost.refuted):
            if refuted is not None:
                seen, earlier = self._soonest(lost.belief, action, refuted)
                small.next_of[action] = seen, earlier
                small.height = max(small.height, self.small[earlier].height + 1)
                for position in self.small[earlier].cases:
                    sources = self.moves.sources(lost.belief, action, seen, position, self.budget)
                    if not any(case in sources for case in small.cases):
                        source = sources.some()
                        assert source is not None, "play may come to everything that is held possible"
                        small.cases[source] = None
        return small

    def _cases(self, belief: PositionSet, actions: list[int]) -> Iterator[tuple[Position, list[int]]]:
        """Positions in which actions lose even with sight, as few as are found easily, each with its own."""
        tried: dict[Position, None] = {}
        left = belief
        while len(tried) < MANY_CASES and (position := left.some()) is not None:
            tried[position] = None
            left = left - left.alone(position)
        for action in actions:
            position = (belief - self.moves.safe(action)).some()
            assert position is not None, "the action leads out of W somewhere"
            tried[position] = None
        fails = {p: [a for a in actions if p not in self.moves.safe(a)] for p in tried}
        open_actions = set(actions)
        while open_actions:
            best = max(fails, key=lambda p: len(open_actions.intersection(fails[p])))
            yield best, [a for a in fails[best] if a in open_actions]
            open_actions.difference_update(fails[best])

    def _soonest(self, belief: PositionSet, action: int, refuted: tuple[Round, int]) -> tuple[Round, int]:
        """Of the earlier beliefs that an action may lead to, the one that is over soonest."""
        if len(self.answer.lost) > MANY_BELIEFS:
            return refuted
        best, least = refuted, self._length(refuted[1])
        for seen, after in self.moves.after(belief, action, self.budget):
            for number, small in enumerate(self.small):
                sooner = small.key == seen[1][0] and self._length(number) < least
                if sooner and all(case in after for case in small.cases):
                    best, least = (seen, number), self._length(number)
        return best

    def _length(self, number: int) -> tuple[int, int]:
        return self.small[number].height, len(self.small[number].cases)

    # -- in words --------------------------------------------------------------------------------

    def fog(self) -> Fog:
        ((_, start),) = self.answer.start.items()
        order: dict[int, int] = {}
        queue = [start]
        for number in queue:
            if number not in order:
                order[number] = len(order) + 1
                queue += [after for _, after in self.small[number].next_of.values()]
        shown = [number for number, place in order.items() if place <= MAX_STEPS]
        steps = tuple(self._step(number, order) for number in shown)
        opening: dict[int, None] = {}
        if self.solved.initial.turn is Player.ADVERSARY:
            opening = self._answers(self.solved.initial, self.small[start].cases)
        first = names_of(self.configuration.game, Player.ADVERSARY, tuple(opening))
        return Fog(self.answer.sight.placed or (), first, steps, len(shown) == len(order))

    def _step(self, number: int, order: dict[int, int]) -> FogStep:
        small = self.small[number]
        cases = list(small.cases)
        told = cases_in_words(self.configuration, self.seen, cases)
        groups: dict[FailedActions, list[int]] = {}
        for action, position in small.case_of.items():
            why = FailedActions((), cases.index(position) + 1, self._reason(position, action))
            groups.setdefault(why, []).append(action)
        for action, (seen, after) in small.next_of.items():
            why = FailedActions(
                (),
                seen=self._news(small.key, seen),
                unseen=self._unseen(number, action, seen, after),
                step=order[after],
            )
            groups.setdefault(why, []).append(action)
        failing = tuple(
            FailedActions(
                names_of(self.configuration.game, Player.DEFENDER, tuple(sorted(actions))),
                why.case, why.reason, why.seen, why.unseen, why.step,
            )
            for why, actions in groups.items()
        )  # fmt: skip
        common = common_in_words(self.configuration, self.seen, cases)
        return FogStep(order[number], seen_in_words(self.seen, small.key), told, common, failing)

    def _news(self, before: int, seen: Round) -> str:
        between, (after, noticed) = seen
        news = news_in_words(self.seen, before, after)
        if between not in (before, after):
            first, then = (news_in_words(self.seen, *pair) for pair in ((before, between), (between, after)))
            news = f"first {first}, then {then}"
        if noticed >= 0:
            news += f", and {self.configuration.game.actions[Player.ADVERSARY][noticed].name} is noticed"
        return news

    def _reason(self, position: Position, action: int) -> str:
        """Why an action loses in one case."""
        verdict = verdicts(self.solution, position)[action]
        if verdict.target is None or verdict.rank is None:
            return "it cannot be done then"
        clause = self._violated(verdict.target)
        if not verdict.rank:
            return f"it violates “{clause}” at once"
        return f"even with sight “{clause}” is then violated within {counted(verdict.rank, 'move')}"

    def _violated(self, position: Position) -> str:
        """The clause that is violated in the end where the adversary plays on from a lost position."""
        while rank := self.solved.rank(position):
            position = next(t for t in self.solved.moves(position) if self.solved.rank(t) == rank - 1)
        return self.configuration.broken(position)[0]

    def _unseen(self, number: int, action: int, seen: Round, after: int) -> tuple[str, ...]:
        """The adversary's moves with which play comes from the cases of one belief to those of the next."""
        goal, found = self.small[after].cases, dict[int, None]()
        for case in self.small[number].cases:
            for target, actions in self.solved.moves(case).items():
                if action in actions and self.solved.rank(target) is None:
                    found |= self._answers(target, goal)
        return names_of(self.configuration.game, Player.ADVERSARY, tuple(found))

    def _answers(self, position: Position, goal: dict[Position, None]) -> dict[int, None]:
        """The adversary's moves that lead from a position to some others, one for each of them."""
        moves = self.solved.moves(position)
        return {actions[0]: None for target, actions in moves.items() if target in goal}
