"""The game of a defender that does not see everything: it is played on *beliefs*.

A belief is a set of positions that look alike to a defender who remembers all that it saw: exactly those that
play may be in. Before a move of the defender it contains everything that fits what was seen so far. An action
must exist in every position of the belief. What is seen after the defender's move, and after the adversary's,
splits what is possible into the next beliefs. A defense that uses only what is seen exists iff the defender
can keep every belief free of positions in U (Reif 1984; Chatterjee, Doyen, Henzinger and Raskin 2007). Where
the adversary is out of moves play rests, as everywhere, and there is no next belief.

*The search* lists no belief that it does not need. It gives each belief the first action that is not refuted,
and follows what may be seen then. A belief without an action left is lost, and whoever counted on it looks
for another action. What is left when nothing is open is a controller. Three laws save most of the work:

- a belief that is not inside W is lost, since the defender would lose there even with sight;
- a belief inside another one may do what that does: it is *covered*, as long as the other one is not lost;
- a belief that contains a lost one is lost.

What was found last is followed first, so that a wrong action is noticed before much rests on it. But of two
beliefs that play may begin with one may be held with thousands of others while the other one is soon lost;
so now and then it is the turn of what has waited longest.

Both answers are exact, and each carries its proof: the controller (an inductive invariant over beliefs), or
the lost beliefs in an order in which every action leads, for something that may be seen, outside W or to a
belief that contains an earlier one.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Configuration, Sight, refuse_chance
from holdfast.logic import Player
from holdfast.solver.position_sets import PositionSet
from holdfast.solver.solution import Solution, winning_positions, work_on_sets

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY

BLIND_BELIEFS = 2_000
"""So many beliefs are looked at for a defense without sensors: counted, so that no clock decides."""

OLDEST_EVERY = 64
"""Each time after so many beliefs it is the turn of the one that has waited longest."""

Look = tuple[int, int]
"""What is seen when it is the defender's turn again: a bit for each predicate that holds, and the number of
the adversary's action if it was noticed as such, else -1."""


@dataclass(frozen=True)
class Stance:
    """A state of the defender's controller: what it holds possible, what it does, and where that leads.

    Attributes:
        belief: positions at the defender's turn, among them all that play may be in.
        action: the number of the action.
        after: for what is seen after the action, and then after the adversary's move, the next stance.
    """

    belief: PositionSet
    action: int
    after: dict[tuple[int, Look], int]


@dataclass(frozen=True)
class LostBelief:
    """A belief from which the defender cannot hold, whatever it does.

    Attributes:
        belief: positions at the defender's turn.
        refuted: for each action of the defender the number of an earlier lost belief that is inside what the
            defender may come to hold possible; None where the action leads outside W in some position.
    """

    belief: PositionSet
    refuted: tuple[tuple[tuple[int, Look], int] | None, ...]


@dataclass(frozen=True)
class BeliefSolution:
    """What came of the game of a defender that does not see everything.

    Attributes:
        configuration: the question.
        sight: what is seen, or as much of it as the defense needs.
        defensible: the verdict.
        start: for what is seen before the defender's first move, its first stance; or the number of the lost
            belief that decides.
        stances: the controller, where there is one.
        lost: where there is none, the proof.
        n_beliefs: how many beliefs were looked at.
    """

    configuration: Configuration
    sight: Sight
    defensible: bool
    start: dict[Look, int] = field(default_factory=dict)
    stances: tuple[Stance, ...] = field(default=(), repr=False)
    lost: tuple[LostBelief, ...] = field(default=(), repr=False)
    n_beliefs: int = 0


def solve_beliefs(solution: Solution, sight: Sight, budget: Budget = UNLIMITED) -> BeliefSolution:
    """Whether a defense exists that uses only what is seen, with its proof.

    A defense that needs no sensor is looked for first: where there is one it is much the smaller.

    Raises:
        LimitError: past the budget, or where the diagrams outgrow the memory.
    """
    assert sight.placed is not None, "whoever sees everything holds nothing for possible"
    # The adversary's outcomes are as if it chose them, which nobody sees; but what is noticed is a choice.
    whose = None if sight.noticed else DEFENDER
    refuse_chance(
        solution.configuration.game, "the verdict for a defender who does not see everything", whose
    )
    if not solution.defensible:
        return BeliefSolution(solution.configuration, sight, False)
    blind = replace(sight, placed=())
    if sight.placed:
        try:
            without = _searched(solution, blind, budget, BLIND_BELIEFS)
            if without.defensible:
                return without
        except LimitError:
            budget.tick()
    return _searched(solution, sight, budget)


def _searched(solution: Solution, sight: Sight, budget: Budget, most: float = math.inf) -> BeliefSolution:
    return work_on_sets(solution, "the beliefs", lambda: _Search(solution, sight, budget, most).run())


def initial_beliefs(solution: Solution, moves: SeenMoves, budget: Budget) -> dict[Look, PositionSet]:
    """What the defender may hold possible before its first move; the initial position is known to it."""
    configuration = solution.configuration
    start = moves.only_position(configuration.initial)
    if configuration.initial.turn is DEFENDER:
        ((key, belief),) = start.split(moves.seen).items()
        return {(key, NOBODY): belief}
    return dict(moves.answered(start, budget))


NOBODY = -1
"""Instead of the number of an action that was noticed: none was."""


class SeenMoves:
    """The moves of a solved game as a defender sees them that does not see everything."""

    def __init__(self, solution: Solution, sight: Sight) -> None:
        """Sort the adversary's actions into those that are noticed as such and all others."""
        self.winning = winning_positions(solution)
        self.seen = sight.seen
        self._regions = solution.regions
        actions = solution.configuration.game.actions
        names = [action.name for action in actions[ADVERSARY]]
        noticed = [n for n, name in enumerate(names) if name in sight.noticed]
        others = tuple(n for n in range(len(names)) if n not in noticed)
        self._unnoticed: Any = None if not noticed else self._regions.only(others, ADVERSARY)
        self._noticed = {n: self._regions.only((n,), ADVERSARY) for n in noticed}
        self._by_action: dict[int, Any] = {}
        self._safe: dict[int, PositionSet] = {}

    def _alone(self, action: int) -> Any:
        """The game in which the defender has one action."""
        if action not in self._by_action:
            self._by_action[action] = self._regions.only((action,))
        return self._by_action[action]

    def only_position(self, position: Any) -> PositionSet:
        """The set of one position."""
        return self.winning.alone(position)

    def safe(self, action: int, budget: Budget = UNLIMITED) -> PositionSet:
        """The defender positions in which an action leads into W."""
        if action not in self._safe:
            among = self.winning.at(DEFENDER)
            self._safe[action] = self.winning.pre(among, by=self._alone(action), budget=budget)
        return self._safe[action]

    def made(self, belief: PositionSet, action: int, budget: Budget) -> dict[int, PositionSet]:
        """By what is seen after an action of the defender, what it then holds possible."""
        return belief.post(by=self._alone(action), budget=budget).split(self.seen)

    def answered(self, belief: PositionSet, budget: Budget) -> Iterator[tuple[Look, PositionSet]]:
        """By what is seen after the adversary's move, what the defender then holds possible."""
        for action, by in ((NOBODY, self._unnoticed), *self._noticed.items()):
            for key, after in belief.post(by=by, budget=budget).split(self.seen).items():
                yield (key, action), after

    def after(
        self, belief: PositionSet, action: int, budget: Budget
    ) -> Iterator[tuple[tuple[int, Look], PositionSet]]:
        """By what is seen after both moves, what the defender then holds possible."""
        for key, made in self.made(belief, action, budget).items():
            for look, answered in self.answered(made, budget):
                yield (key, look), answered

    def sources(
        self, belief: PositionSet, action: int, seen: tuple[int, Look], target: Any, budget: Budget
    ) -> PositionSet:
        """From where in a belief an action, and an answer to it, lead to a position and look so then."""
        between, (_, noticed) = seen
        middle = self.made(belief, action, budget)[between]
        by = self._unnoticed if noticed == NOBODY else self._noticed[noticed]
        before = self.winning.alone(target).pre(middle, by=by, budget=budget)
        return before.pre(belief, by=self._alone(action), budget=budget)


class _Node:
    """A belief in the search: the actions that are left to it, the one it counts on, and who counts on it."""

    __slots__ = ("actions", "after", "belief", "key", "lost", "next", "parents", "refuted", "waiting")

    def __init__(self, key: Look, belief: PositionSet, actions: list[int], n_actions: int) -> None:
        self.key, self.belief = key, belief
        self.actions = actions
        self.refuted: list[tuple[tuple[int, Look], int] | None] = [None] * n_actions
        self.next: list[tuple[tuple[int, Look], PositionSet]] | None = None
        self.after: dict[tuple[int, Look], _Node] = {}
        self.parents: dict[_Node, None] = {}
        self.lost = -1
        self.waiting = False

    @property
    def needed(self) -> bool:
        """Whether some belief that is not lost counts on it."""
        return any(parent.lost < 0 and self in parent.after.values() for parent in self.parents)


class _Search:
    """The search for a controller, or for the proof that there is none."""

    def __init__(self, solution: Solution, sight: Sight, budget: Budget, most: float) -> None:
        self.solution, self.sight, self.budget, self.most = solution, sight, budget, most
        self.moves = SeenMoves(solution, sight)
        game = solution.configuration.game
        self.n_actions = len(game.actions[DEFENDER])
        self.n_beliefs = 0
        self.alive: dict[int, dict[PositionSet, _Node]] = {}
        self.minimal: dict[int, list[_Node]] = {}
        self.lost: list[_Node] = []
        self.open: deque[_Node] = deque()

    def run(self) -> BeliefSolution:
        """Follow what is open until nothing is, or the start is lost."""
        starts = {
            look: self._node(look, belief)
            for look, belief in initial_beliefs(self.solution, self.moves, self.budget).items()
        }
        for turn in count(1):
            if not self.open or any(node.lost >= 0 for node in starts.values()):
                break
            self.budget.tick(f"{self.n_beliefs:,} beliefs")
            node = self.open.popleft() if turn % OLDEST_EVERY == 0 else self.open.pop()
            if node.lost >= 0:
                continue
            if node.needed or node in starts.values():
                self._advance(node)
            else:
                node.waiting = True
        for look, node in starts.items():
            if node.lost >= 0:
                return self._refutation(look, node)
        return self._controller(starts)

    # -- one belief ------------------------------------------------------------------------------

    def _node(self, look: Look, belief: PositionSet) -> _Node:
        """The node of a belief, of one that covers it, or of a lost one that it contains."""
        key = look[0]
        alive = self.alive.setdefault(key, {})
        known = alive.get(belief)
        if known is not None:
            return known
        for lost in self.minimal.get(key, ()):
            if lost.belief <= belief:
                return lost
        for other in alive.values():
            if belief <= other.belief:
                return other
        self.n_beliefs += 1
        if self.n_beliefs > self.most:
            raise LimitError(f"more than {self.most:,} beliefs")
        actions = [a for a in range(self.n_actions) if belief <= self.moves.safe(a, self.budget)]
        node = alive[belief] = _Node(look, belief, actions[::-1], self.n_actions)
        self.open.append(node)
        return node

    def _advance(self, node: _Node) -> None:
        """Give a belief the first action that nothing refutes; it is lost if there is none."""
        while node.actions:
            action = node.actions[-1]
            if node.next is None:
                node.next = list(self.moves.after(node.belief, action, self.budget))
            node.after = {}
            for look, belief in node.next:
                below = self._node(look[1], belief)
                if below.lost >= 0:
                    node.refuted[action] = look, below.lost
                    break
                node.after[look] = below
            else:
                for below in node.after.values():
                    below.parents[node] = None
                    if below.waiting:
                        below.waiting = False
                        self.open.append(below)
                return
            node.actions.pop()
            node.next = None
        self._lose(node)

    def _lose(self, node: _Node) -> None:
        node.lost, node.after = len(self.lost), {}
        self.lost.append(node)
        key = node.key[0]
        del self.alive[key][node.belief]
        smaller = [other for other in self.minimal.get(key, ()) if not node.belief <= other.belief]
        self.minimal[key] = [*smaller, node]
        self.open += [parent for parent in node.parents if parent.lost < 0]

    # -- the answers -----------------------------------------------------------------------------

    def _controller(self, starts: dict[Look, _Node]) -> BeliefSolution:
        """The beliefs that play can come to, in the order in which it does."""
        numbers: dict[_Node, int] = {}
        queue = list(starts.values())
        for node in queue:
            if node not in numbers:
                numbers[node] = len(numbers)
                queue += node.after.values()
        stances = tuple(
            Stance(
                node.belief, node.actions[-1], {look: numbers[below] for look, below in node.after.items()}
            )
            for node in numbers
        )
        start = {look: numbers[node] for look, node in starts.items()}
        return self._solution(True, start, stances=stances)

    def _refutation(self, look: Look, node: _Node) -> BeliefSolution:
        """The lost beliefs that decide, each after those that it rests on."""
        needed, stack = {node.lost}, [node]
        while stack:
            for refuted in stack.pop().refuted:
                if refuted is not None and refuted[1] not in needed:
                    needed.add(refuted[1])
                    stack.append(self.lost[refuted[1]])
        numbers = {old: new for new, old in enumerate(sorted(needed))}
        lost = tuple(
            LostBelief(
                self.lost[old].belief,
                tuple(None if r is None else (r[0], numbers[r[1]]) for r in self.lost[old].refuted),
            )
            for old in numbers
        )
        return self._solution(False, {look: numbers[node.lost]}, lost=lost)

    def _solution(self, defensible: bool, start: dict[Look, int], **proof: Any) -> BeliefSolution:
        configuration = self.solution.configuration
        return BeliefSolution(configuration, self.sight, defensible, start, n_beliefs=self.n_beliefs, **proof)
