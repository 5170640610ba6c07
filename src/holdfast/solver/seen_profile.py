"""Recovery, latitude and response where not everything is seen: evicted, *and known to be*.

The game is the one on beliefs (:mod:`holdfast.solver.beliefs`). Here all beliefs are listed that play can
come to while it stays inside W, those before a move of the defender and those between the two moves of a
round.

- A belief before a move of the defender is *winning* if some action leads, whatever is then seen, to winning
  ones alone; such actions are *permitted* there. That is the largest set for which this holds.
- *Latitude* is the mean share of permitted actions over the winning beliefs that play comes to under
  permitted actions, each belief counted once.
- A goal is *known* in a belief if it holds in all of its positions. The recovery rank of a belief is 0 if the
  goal is known in it; else k + 1 if a permitted action of the defender, or every move of the adversary, leads
  to beliefs of rank k at most, whatever is then seen. An adversary that may be out of moves in some position
  rests there, unseen, so that such a belief has a rank only where the goal is known already.
- *Effort*, *tempo* and *grace* are those of :mod:`holdfast.solver.response`, asked of beliefs
  (:mod:`holdfast.solver.seen_response`).

Beliefs are not covered by others here, since fewer cases may be worth more: whoever knows less may never know
that it is done. So there may be many more than a verdict needs; past a limit nothing is decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import NEVER, Sight, interventions_of
from holdfast.logic import Player
from holdfast.solver.beliefs import SeenMoves
from holdfast.solver.position_sets import PositionSet, out_of_moves
from holdfast.solver.recovery import MoveCount
from holdfast.solver.response import ResponseProfile
from holdfast.solver.seen_response import BeliefMoves, largest, seen_response
from holdfast.solver.solution import Solution, work_on_sets

MAX_BELIEFS = 20_000


@dataclass(frozen=True)
class SeenProfile:
    """What is left of latitude and recovery where not everything is seen.

    Attributes:
        defensible: whether the design is held with what is seen; if not, nothing else is told.
        n_beliefs: how many winning beliefs play comes to under permitted actions.
        latitude: the mean share of permitted actions over them; None where the defender never moves.
        recovery: for each goal within how many moves it can be reached and known to be.
        response: effort, tempo and grace of a defender who knows only that; None where no action is idle.
    """

    defensible: bool
    n_beliefs: int = 0
    latitude: Fraction | None = None
    recovery: dict[str, MoveCount] = field(default_factory=dict)
    response: ResponseProfile | None = None


def seen_profile(
    solution: Solution, sight: Sight, budget: Budget = UNLIMITED, max_beliefs: int = MAX_BELIEFS
) -> SeenProfile:
    """Latitude, the rank of every goal, and the response of a defender who knows only what it sees.

    Raises:
        LimitError: past the budget, and past so many beliefs.
    """
    if not solution.defensible:
        return SeenProfile(False)
    return work_on_sets(
        solution,
        "recovery with what is seen",
        lambda: _Beliefs(solution, sight, budget, max_beliefs).profile(),
    )


class _Beliefs:
    """All beliefs that play can come to inside W, by number."""

    def __init__(self, solution: Solution, sight: Sight, budget: Budget, max_beliefs: int) -> None:
        self.solution, self.budget, self.max_beliefs = solution, budget, max_beliefs
        self.moves = SeenMoves(solution, sight)
        self.n_actions = len(solution.configuration.game.actions[Player.DEFENDER])
        self.beliefs: list[PositionSet] = []
        self.choices: list[dict[int, tuple[int, ...]]] = []
        """For a belief of the defender, by action the beliefs of the adversary; empty for one of its."""
        self.answers: list[tuple[int, ...]] = []
        """For a belief of the adversary, the beliefs of the defender."""
        self._numbers: dict[PositionSet, int] = {}
        initial = solution.configuration.initial
        self.start = self._number(self.moves.only_position(initial))
        self.first = initial.turn
        self._list()
        self.before = self._before()
        self.winning = largest(range(len(self.beliefs)), self._holds, self.before.__getitem__, budget)

    def _number(self, belief: PositionSet) -> int:
        if belief not in self._numbers:
            if len(self.beliefs) >= self.max_beliefs:
                raise LimitError(f"more than {self.max_beliefs:,} sets of possible cases")
            self._numbers[belief] = len(self.beliefs)
            self.beliefs.append(belief)
        return self._numbers[belief]

    def _list(self) -> None:
        """Follow every action inside W, and every answer."""
        turns = {self.start: self.first}
        number = 0
        while number < len(self.beliefs):
            self.budget.tick(f"{number:,} of {len(self.beliefs):,} beliefs")
            belief, turn = self.beliefs[number], turns[number]
            choices: dict[int, tuple[int, ...]] = {}
            answers: tuple[int, ...] = ()
            if turn is Player.DEFENDER:
                for action in range(self.n_actions):
                    if belief <= self.moves.safe(action, self.budget):
                        made = self.moves.made(belief, action, self.budget).values()
                        choices[action] = tuple(dict.fromkeys(map(self._number, made)))
            else:
                after = (each for _, each in self.moves.answered(belief, self.budget))
                answers = tuple(dict.fromkeys(map(self._number, after)))
            turns |= dict.fromkeys((n for own in choices.values() for n in own), Player.ADVERSARY)
            turns |= dict.fromkeys(answers, Player.DEFENDER)
            self.choices.append(choices)
            self.answers.append(answers)
            number += 1
        self.turns = turns

    def _before(self) -> list[list[int]]:
        """For each belief, those from which it is the next."""
        before: list[list[int]] = [[] for _ in self.beliefs]
        for number, (choices, answers) in enumerate(zip(self.choices, self.answers, strict=True)):
            for after in {*answers, *(n for made in choices.values() for n in made)}:
                before[after].append(number)
        return before

    def _holds(self, number: int, winning: set[int]) -> bool:
        if self.turns[number] is Player.DEFENDER:
            return any(winning.issuperset(made) for made in self.choices[number].values())
        return winning.issuperset(self.answers[number])

    def profile(self) -> SeenProfile:
        """Latitude, the ranks of the start, and the response."""
        if self.start not in self.winning:
            return SeenProfile(False)
        permitted = {
            n: {a: made for a, made in self.choices[n].items() if self.winning.issuperset(made)}
            for n in self.winning
        }
        reached = {self.start: None}
        for number in (queue := [self.start]):
            after = [n for made in permitted[number].values() for n in made]
            fresh = [n for n in dict.fromkeys((*after, *self.answers[number])) if n not in reached]
            reached |= dict.fromkeys(fresh)
            queue += fresh
        own = [n for n in reached if self.turns[n] is Player.DEFENDER]
        latitude = None
        if own:
            latitude = Fraction(sum(len(permitted[n]) for n in own), len(own) * self.n_actions)
        recovery = {goal: self._rank(goal, permitted, reached) for goal in self.solution.configuration.goals}
        response, actions = None, interventions_of(self.solution.configuration, self.budget)
        if actions is not None:
            follow = {n: permitted[n] for n in reached}
            moves = BeliefMoves(self.start, follow, self.answers, self.before, frozenset(own))
            response = seen_response(moves, actions, self.budget)
        return SeenProfile(True, len(own), latitude, recovery, response)

    def _rank(
        self, goal: str, permitted: dict[int, dict[int, tuple[int, ...]]], reached: dict[int, None]
    ) -> MoveCount:
        """Within how many moves a goal is reached from the start, and known to be."""
        wanted = self.solution.configuration.goals[goal]
        ranks = {n: 0 for n in reached if self.beliefs[n].satisfying(wanted) == self.beliefs[n]}
        left = [n for n in reached if n not in ranks]
        left = [n for n in left if permitted[n] or not out_of_moves(self.beliefs[n], self.budget)]
        for rank in range(1, len(reached) + 1):
            self.budget.tick(f"rank {rank}")
            if self.start in ranks:
                break
            newest = [n for n in left if self._forced(n, permitted[n], ranks)]
            if not newest:
                return NEVER
            ranks |= dict.fromkeys(newest, rank)
            left = [n for n in left if n not in ranks]
        return ranks.get(self.start, NEVER)

    def _forced(self, number: int, permitted: dict[int, tuple[int, ...]], ranks: dict[int, int]) -> bool:
        if self.turns[number] is Player.DEFENDER:
            return any(all(n in ranks for n in made) for made in permitted.values())
        return all(n in ranks for n in self.answers[number])
