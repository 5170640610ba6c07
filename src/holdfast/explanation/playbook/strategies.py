"""The strategies that playbooks write down, position by position and as sets: late, early, or to a goal.

See :mod:`holdfast.explanation.playbook.playbooks` for what they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import partial, reduce
from operator import and_, or_
from typing import Literal, TypeAlias, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.playbook.losses import fallen, losses, touched
from holdfast.game import Action, Position, State, choices, idle_actions, preimage
from holdfast.logic import Compare, Diagram, Diagrams, Number, Player, reader
from holdfast.solver import (
    DiagramPositions,
    PositionSet,
    Solution,
    Stepper,
    forced,
    recovery_layers,
    safe_actions,
    winning_positions,
    within_memory,
)

_Positions = TypeVar("_Positions", bound=PositionSet)

PlaybookStyle: TypeAlias = Literal["early", "late"]

DEFENDER = Player.DEFENDER


class PlaybookStrategy(ABC):
    """What a defender may do wherever it keeps play, and what it knows of the game.

    A choice with several outcomes goes by the number of the first of them.
    """

    def __init__(self, solution: Solution, budget: Budget = UNLIMITED) -> None:
        """Nothing is asked yet."""
        self.solution, self.stepper, self.budget = solution, Stepper(solution.configuration), budget
        game = solution.configuration.game
        self.outcomes = {own[0]: own for own in choices(game, DEFENDER)}
        self.idle = tuple(action for action in idle_actions(game, budget) if action in self.outcomes)
        self._safe: dict[Position, tuple[int, ...]] = {}
        self._choices: dict[Position, tuple[int, ...]] = {}

    @property
    def idle_alike(self) -> tuple[int, ...]:
        """The idle actions, if no clause tells one from another; else none."""
        kinds = self.stepper.kinds(DEFENDER)
        return self.idle if len({kinds[action] for action in self.idle}) == 1 else ()

    def safe(self, position: Position) -> tuple[int, ...]:
        """Safe(v)."""
        if position not in self._safe:
            self.budget.tick("what is safe")
            self._safe[position] = safe_actions(self.solution, position)
        return self._safe[position]

    def targets(self, position: Position, action: int) -> dict[Position, int]:
        """Where a choice may lead, and by which outcome; nowhere if it is unavailable."""
        targets: dict[Position, int] = {}
        for target, own in self.stepper.groups(position, self.outcomes[action]):
            targets.setdefault(target, own[0])
        return targets

    def _led(self, position: Position) -> Iterator[tuple[tuple[Position, ...], list[int]]]:
        """Where safe choices may lead, those that surely come to the same taken together."""
        safe = self.safe(position)
        sure = [action for action in safe if len(self.outcomes[action]) == 1]
        for target, actions in self.stepper.groups(position, sure):
            yield (target,), actions
        for action in safe:
            if len(self.outcomes[action]) > 1:
                yield tuple(self.targets(position, action)), [action]

    def choices(self, position: Position) -> tuple[int, ...]:
        """What may be done at a position of W."""
        if position not in self._choices:
            self._choices[position] = self._chosen(position)
        return self._choices[position]

    def _safe_sets(self, inside: DiagramPositions) -> dict[int, DiagramPositions]:
        """For each action of the defender from where in a set it stays in the set."""
        safe, mine = {}, inside.at(DEFENDER)
        actions = self.solution.configuration.game.actions[DEFENDER]
        for number in self.outcomes:
            self.budget.tick(f"where {actions[number].name} is safe")
            safe[number] = inside.product.diagrams.tidied(partial(inside.pre_by, number, mine))
        return safe

    @abstractmethod
    def _chosen(self, position: Position) -> tuple[int, ...]:
        """What is right at a position, in ascending order."""

    @abstractmethod
    def in_sets(self, winning: DiagramPositions) -> tuple[DiagramPositions, dict[int, DiagramPositions]]:
        """Where the defender keeps play, and for each action where it is right; W is given."""


class LateStrategy(PlaybookStrategy):
    """Idle where that is safe; else a safe action that keeps most freedom."""

    def _chosen(self, position: Position) -> tuple[int, ...]:
        safe = self.safe(position)
        idle = tuple(action for action in safe if action in self.idle)
        if idle:
            return idle
        freedom: dict[int, int] = {}
        for targets, actions in self._led(position):
            n = min(len(self.safe(target._replace(turn=DEFENDER))) for target in targets)
            freedom |= dict.fromkeys(actions, n)
        most = max(freedom.values())
        return tuple(action for action in safe if freedom[action] == most)

    def in_sets(self, winning: DiagramPositions) -> tuple[DiagramPositions, dict[int, DiagramPositions]]:
        """Where the defender keeps play, and for each action where it is right; W is given.

        Of the safe actions all are right where no idle one is, however much freedom they keep.
        """
        safe = self._safe_sets(winning)
        at_rest = _any_of(safe, self.idle)
        return winning, {a: here if a in self.idle else here - at_rest for a, here in safe.items()}


class EarlyStrategy(PlaybookStrategy):
    """Contain what has fallen as soon as that can be, and never let more fall at a time than must.

    Attributes:
        at_once: whether it contains what can be contained as soon as that is so; otherwise only as far as is
            needed lest more fall.
        most_lost: how many nodes fall at a time at most; None where the picture does not tell.
        home: where play is kept: the largest set of winning positions in which that is so for ever.
    """

    at_once = True

    def __init__(self, solution: Solution, budget: Budget = UNLIMITED) -> None:
        """Find how many must fall; the sets are those of the solution's engine."""
        super().__init__(solution, budget)
        configuration = solution.configuration
        self._terms = losses(configuration)
        self._read = [reader(term, configuration.game.places) for term in self._terms]
        self._fallen, winning = fallen(configuration), winning_positions(solution)
        self.most_lost = None
        with within_memory("the playbook"):
            if self._fallen is None:
                self.home = winning
            else:
                self.most_lost, self.home = self._least_lost(winning)

    def _least_lost(self, winning: PositionSet) -> tuple[int, PositionSet]:
        """How many have fallen at most whatever the adversary does, and where the defender keeps to that.

        It is looked for from as many as have fallen at the start, in steps that double, and then between.
        """
        assert self._fallen is not None
        configuration = self.solution.configuration
        start = configuration.initial
        most = int(reader(self._fallen, configuration.game.places)(start.state))
        step, too_few = 1, most - 1
        while start not in (home := self._kept(winning, most)):
            most, too_few, step = most + step, most, 2 * step
        while most - too_few > 1:
            between = (most + too_few) // 2
            if start in (fewer := self._kept(winning, between)):
                most, home = between, fewer
            else:
                too_few = between
        return most, home

    def patient(self) -> EarlyStrategy:
        """The strategy that contains no more than is needed lest more fall."""
        other = copy(self)
        other.at_once, other._choices = False, {}
        return other

    def _kept(self, winning: PositionSet, most: int | None) -> PositionSet:
        """Where no more have fallen than so many, and the defender can see to it that no more do."""
        if self._fallen is None or most is None:
            return winning
        few = Compare("<=", self._fallen, Number(Fraction(most)))
        busy = self.budget.part("what must be lost on the way")
        return winning.satisfying(few).kept(busy, here=self.solution.configuration.initial)

    def _chosen(self, position: Position) -> tuple[int, ...]:
        home, groups = self.home, self._led(position)
        inside = {a: own for own, actions in groups if all(v in home for v in own) for a in actions}
        before = self._lost(position.state)
        after = {a: [self._lost(target.state) for target in own] for a, own in inside.items()}
        places = {a: _first_lowered(before, own) for a, own in after.items()}
        containing = [a for a, place in places.items() if place == 0 and self.at_once]
        harmless = [a for a, place in places.items() if place is not None or a in self.idle]
        return tuple(sorted(containing or harmless or inside))

    def _lost(self, state: State) -> tuple[Fraction, ...]:
        return tuple(read(state) for read in self._read)

    def in_sets(self, winning: DiagramPositions) -> tuple[DiagramPositions, dict[int, DiagramPositions]]:
        """Where the defender keeps play, and for each action where it is right; W is given."""
        home = self._kept(winning, self.most_lost)
        assert isinstance(home, DiagramPositions)
        safe, left = self._safe_sets(home), home.at(DEFENDER)
        lowering = {
            action: [self._lowering(place, action, here) for place in range(len(self._terms))]
            for action, here in safe.items()
        }
        containing = {a: first if self.at_once else first - first for a, (first, *_) in lowering.items()}
        harmless = {
            action: safe[action] if action in self.idle else reduce(or_, sets)
            for action, sets in lowering.items()
        }
        right = dict.fromkeys(safe, left - left)
        for chosen in (containing, harmless, safe):
            right = {action: here | chosen[action] & left for action, here in right.items()}
            left -= _any_of(chosen, chosen)
        return home, right

    def _lowering(self, place: int, number: int, among: DiagramPositions) -> DiagramPositions:
        """From where a choice may lower a term, and leaves those before it, or all of them, as they are."""
        self.budget.tick("where something can be lowered")
        if not among:
            return among
        actions, diagrams = self.solution.configuration.game.actions[DEFENDER], among.product.diagrams
        outcomes = [actions[outcome] for outcome in self.outcomes[number]]
        here = reduce(or_, (self._lowers(place, outcome, diagrams) for outcome in outcomes))
        if len(outcomes) > 1:
            here &= reduce(and_, (self._spares(outcome, diagrams) for outcome in outcomes))
        return among & DiagramPositions.where(among.product, here)

    def _lowers(self, place: int, action: Action, diagrams: Diagrams) -> Diagram:
        """The states in which an action lowers a term, and leaves those before it as they are."""
        own, here = touched(self._terms[place], action), diagrams.false
        if own is None:
            return here
        for value, states in diagrams.term(own).items():
            lower = [others for other, others in diagrams.term(own).items() if other < value]
            here |= states & preimage(diagrams, action, _union(diagrams.false, lower))
        for graver in range(place):
            here &= self._keeps(graver, action, diagrams)
        return here

    def _keeps(self, place: int, action: Action, diagrams: Diagrams) -> Diagram:
        """The states in which an action leaves a term as it is."""
        kept = touched(self._terms[place], action)
        if kept is None:
            return diagrams.true
        parts = diagrams.term(kept).values()
        return _union(diagrams.false, [states & preimage(diagrams, action, states) for states in parts])

    def _spares(self, action: Action, diagrams: Diagrams) -> Diagram:
        """The states in which an action lowers a term before it raises any, or raises none."""
        places = range(len(self._terms))
        lowered = (self._lowers(place, action, diagrams) for place in places)
        return _union(reduce(and_, (self._keeps(p, action, diagrams) for p in places)), lowered)


class GoalStrategy(PlaybookStrategy):
    """Go to a goal by the recovery rank, and from there hold: idle where that is safe.

    Where the goal is met at the start, play is kept where it can be met again and again.

    Attributes:
        within: the number of moves within which the goal is reached from the start or, where it is met there,
            from wherever the play was forced away from it.
    """

    def __init__(self, solution: Solution, goal: str, budget: Budget = UNLIMITED) -> None:
        """Find the ranks; the design has the property that the goal can be forced."""
        super().__init__(solution, budget)
        layers, initial = recovery_layers(solution, goal), solution.configuration.initial
        self._goal = solution.configuration.goals[goal]
        self._again = initial in layers.goal
        self.home: PositionSet = winning_positions(solution)
        self._ranks: tuple[PositionSet, ...] = layers.proof(initial, budget).ranks
        if self._again:
            with within_memory("the playbook"):
                self.home = layers.again(budget)
                self._ranks = self._ranked(winning_positions(solution), self.home)
        self.within = len(self._ranks) - 1

    def _ranked(self, winning: _Positions, home: _Positions) -> tuple[_Positions, ...]:
        """Where the goal is, and the positions of a set from where it is forced by one move, by two, …"""
        goal, initial = home.satisfying(self._goal), self.solution.configuration.initial
        ranks = [home.cpre(goal, budget=self.budget) if self._again else goal]
        away = winning - ranks[0]
        while ranks[-1] and (self._again or initial not in ranks[-1]):
            self.budget.tick("the way to the goal")
            ranks.append(forced(ranks[-1], home & away, away, None, self.budget))
            away -= ranks[-1]
        return tuple(rank for rank in ranks if rank)

    def rank(self, position: Position) -> int | None:
        """In how many moves the goal is reached; None where nothing is promised."""
        return next((k for k, layer in enumerate(self._ranks) if position in layer), None)

    def _chosen(self, position: Position) -> tuple[int, ...]:
        targets = {action: own for own, actions in self._led(position) for action in actions}
        rank = self.rank(position)
        if rank:
            after = {action: [self.rank(target) for target in own] for action, own in targets.items()}
            return tuple(
                sorted(a for a, own in after.items() if all(left is not None and left < rank for left in own))
            )
        staying = sorted(a for a, own in targets.items() if all(target in self.home for target in own))
        return tuple(action for action in staying if action in self.idle) or tuple(staying)

    def in_sets(self, winning: DiagramPositions) -> tuple[DiagramPositions, dict[int, DiagramPositions]]:
        """Where the defender keeps play, and for each action where it is right; W is given."""
        if self._again:
            raise LimitError("play that comes back to a goal again and again is too large to be listed")
        ranks = self._ranked(winning, winning)
        safe, left = self._safe_sets(winning), winning.at(DEFENDER)
        right = dict.fromkeys(safe, left - left)
        reached = ranks[0]
        for layer in ranks[1:]:
            here = layer.at(DEFENDER)
            for action in safe:
                self.budget.tick("which moves lead to the goal")
                right[action] |= reached.pre_by(action, here)
            reached, left = reached | layer, left - here
        at_rest = _any_of(safe, self.idle)
        for action, here in safe.items():
            right[action] |= (here if action in self.idle else here - at_rest) & left
        return winning, right


def _lowered(before: Sequence[Fraction], after: Sequence[Fraction]) -> int | None:
    """The place of the first of several numbers that changed, if it went down."""
    changed = (i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new)
    first = next(changed, None)
    return first if first is not None and after[first] < before[first] else None


def _first_lowered(before: Sequence[Fraction], after: Iterable[Sequence[Fraction]]) -> int | None:
    """The gravest of the numbers that outcomes lower, if none of them raises one before it lowers any."""
    places = [_lowered(before, numbers) for numbers in after if numbers != before]
    known = [place for place in places if place is not None]
    return min(known) if known and len(known) == len(places) else None


def _any_of(sets: Mapping[int, DiagramPositions], actions: Iterable[int]) -> DiagramPositions:
    """The union of the sets of some actions."""
    whole = next(iter(sets.values()))
    whole -= whole
    for action in actions:
        whole |= sets[action]
    return whole


def _union(nothing: Diagram, parts: Iterable[Diagram]) -> Diagram:
    for part in parts:
        nothing |= part
    return nothing
