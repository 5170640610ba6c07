"""The winning region by effort and by grace, on the sets of either engine.

The definitions stand in :mod:`holdfast.solver.response`. Everything happens inside W, which is closed, so
that U never comes up. On diagrams, going back over an idle move only changes blocks: the state stays, and
nothing is composed. Going back over the adversary's moves distributes over unions, so that only what was lost
last is looked at.

A layer of effort is what is left when the adversary has drawn in all it can against free moves alone. Ways
back by an intervention lead into one layer at a time, and are looked for once for each layer and cost. Layers
are found as they are asked for, and kept: the effort of v₀ seldom needs them all.

A layer is large, and one position mostly needs little of it. Where idle moves look alike to the automata and
are all that is free, whoever waits has no choice, so that play is followed forward from the position for some
turns: until nothing is left that could be lost, which settles its effort without the layer, or until waiting
loses, which is its grace.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Configuration, Interventions, LayerCounts, Position
from holdfast.logic import Computed, Player

if TYPE_CHECKING:
    from holdfast.solver.position_sets import PositionSet
    from holdfast.solver.solution import Regions

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY
WHAT = "the response profile"
LARGE = 20_000
"""Where W has so many nodes, the layer that one intervention leads to is worth avoiding."""
MOST_TURNS, MOST_NODES, MOST_TIMES = 16, 20_000, 4
"""For so many turns of the defender, and in sets of so many nodes or so many times those of W, play is
followed from one position: that costs less than a layer, which is worked out in all of W."""


@dataclass
class Unfolding:
    """The layers of a reading so far; a step that a limit stops changes nothing.

    Attributes:
        left: the winning positions that are in none of the layers.
        layers: values, and the positions that have them.
        complete: whether there are no more.
    """

    left: PositionSet
    layers: list[tuple[int, PositionSet]] = field(default_factory=list)
    complete: bool = False


@dataclass
class EffortUnfolding(Unfolding):
    """Layers of effort.

    Attributes:
        actions: what they cost.
        open_to: the defender's positions from which an intervention leads into a layer that can be paid for.
        due: the values still to be looked at, each with the layers that open at it, and at what cost.
        values: the effort of single positions.
    """

    actions: Interventions = field(kw_only=True)
    open_to: PositionSet = field(kw_only=True)
    due: dict[int, list[tuple[int, PositionSet]]] = field(default_factory=lambda: {0: []})
    values: dict[Position, int] = field(default_factory=dict)


class RegionLayers:
    """The positions by effort and by grace, found layer by layer."""

    def __init__(self, regions: Regions, configuration: Configuration, actions: Interventions) -> None:
        """Nothing is found yet."""
        self._regions, self._configuration, self._actions = regions, configuration, actions
        self._winning = regions.winning()
        self._steps = _Steps(regions, self._winning, actions)
        self._graces = Unfolding(self._winning)
        self._efforts = self._unfolding(actions)

    def effort(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """The least total cost with which the requirement can be kept from a position."""
        if self._regions.rank(position) is not None:
            return None
        return self._least_effort(self._efforts, position, budget)

    def grace(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """For how many of its own turns the defender may idle first."""
        if self._regions.rank(position) is not None:
            return None
        held, turns = self._waited(
            position, self._winning, self._actions.idle, lambda here: here - here, budget
        )
        if held is not None:
            return math.inf if held else turns
        return self._value(self._graces, self._next_grace, position, budget)

    def efforts(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by effort, or those of R."""
        return self._counts(self._efforts, self._next_effort, budget, reachable)

    def graces(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by grace, or those of R."""
        return self._counts(self._graces, self._next_grace, budget, reachable)

    def tempo(self, budget: Budget = UNLIMITED) -> float:
        """The tempo of v₀."""
        initial, counted, once = self._configuration.initial, self._actions.counted, self._efforts
        if self._actions != counted:
            once = self._unfolding(counted)
        if self._least_effort(once, initial, budget, 1) <= 1:
            return math.inf
        return self._slowest(initial, budget)

    # -- unfolding ------------------------------------------------------------------------------------

    def _unfolding(self, actions: Interventions) -> EffortUnfolding:
        return EffortUnfolding(self._winning, actions=actions, open_to=self._winning - self._winning)

    def _value(
        self,
        found: Unfolding,
        unfold: Callable[[Unfolding, Budget], None],
        position: Position,
        budget: Budget,
    ) -> float:
        looked = 0
        while True:
            for level, layer in found.layers[looked:]:
                if position in layer:
                    return level
            looked = len(found.layers)
            if found.complete:
                return math.inf
            unfold(found, budget)

    def _least_effort(
        self, found: EffortUnfolding, position: Position, budget: Budget, most: float = math.inf
    ) -> float:
        """The effort of a winning position; infinite where it is more than ``most``."""
        for level, layer in found.layers:
            if position in layer:
                return level
        while position not in found.values and not found.complete and min(found.due) <= most:
            level = min(found.due)
            settled = partial(self._settled, found, level, budget)
            held = self._waited(position, found.left, found.actions.free, settled, budget)[0]
            if held:
                found.values[position] = level
                break
            if held is False and not level and self._answered_once(found, position, budget):
                found.values[position] = min(found.actions.by_cost)
                break
            self._next_effort(found, budget)
            if position not in found.left:
                return level
        return found.values.get(position, math.inf)

    def _answered_once(self, found: EffortUnfolding, position: Position, budget: Budget) -> bool:
        """Whether one of the cheapest interventions is soon seen to hold a position that waiting loses."""
        from holdfast.solver.answers import WaitingAnswers

        prices, free = found.actions.by_cost, found.actions.free
        if not prices or self._winning.size() < LARGE:
            return False
        own = budget.part("response profile: one intervention")
        here = self._winning.alone(position)
        if position.turn is ADVERSARY:
            here = self._run(partial(here.post, budget=own))
        answers = WaitingAnswers(self._regions, self._configuration, free, prices[min(prices)], own)
        return answers.answer_all(here)

    def _settled(self, found: EffortUnfolding, level: int, budget: Budget, here: PositionSet) -> PositionSet:
        """From which of some defender positions an intervention can be paid for."""
        own = budget.part(f"response profile: effort {level}")
        ready = here & found.open_to
        for cost, layer in found.due[level]:
            actions = found.actions.by_cost[cost]
            ready |= self._run(partial(self._steps.ways_into, actions, layer, here - ready, own))
        return ready

    def _waited(
        self,
        position: Position,
        left: PositionSet,
        free: tuple[int, ...],
        settled: Callable[[PositionSet], PositionSet],
        budget: Budget,
    ) -> tuple[bool | None, int]:
        """Whether waiting holds a position until play is settled or leaves a set, and for how many turns.

        ``settled`` tells which of some defender positions need no waiting any more. None if free moves leave
        a choice, or that is not known soon.
        """
        if self._regions.gambling or not self._steps.alike(free):
            return None, 0
        run, budget = self._run, budget.part("response profile: play from one position")
        here = self._winning.alone(position)
        if position.turn is ADVERSARY:
            here = run(partial(here.post, budget=budget))
        seen, most = here, max(MOST_NODES, MOST_TIMES * self._winning.size())
        for turns in range(MOST_TURNS):
            here = here & left
            here -= settled(here)
            if not here:
                return True, turns
            if here.size() > most:
                break
            waited = run(partial(self._steps.waited, here, free, budget))
            if waited is None:
                return False, turns
            here = run(partial((waited & left).post, budget=budget)) - seen
            seen |= here
        return None, 0

    def _counts(
        self,
        found: Unfolding,
        unfold: Callable[[Unfolding, Budget], None],
        budget: Budget,
        reachable: bool,
    ) -> LayerCounts:
        within = self._regions.safe_play(budget) if reachable else self._winning
        while not found.complete:
            unfold(found, budget)
        counts = [self._run(partial(_count, layer, within, budget)) for _, layer in found.layers]
        sizes = [(level, n) for (level, _), n in zip(found.layers, counts, strict=True) if n]
        return LayerCounts(tuple(sizes), self._run(partial(_count, found.left, within, budget)))

    def _next_grace(self, found: Unfolding, budget: Budget) -> None:
        """One more layer of grace: those whom one idle turn more would cost the requirement."""
        own = budget.part(f"response profile: grace {len(found.layers)}")
        kept = self._run(partial(self._steps.later, found.left, own))
        dropped = found.left - kept
        if dropped:
            found.layers.append((len(found.layers), dropped))
            found.left = kept
        else:
            found.complete = True

    def _next_effort(self, found: Unfolding, budget: Budget) -> None:
        """The next value of effort that may have positions."""
        assert isinstance(found, EffortUnfolding)
        level, open_to, prices = min(found.due), found.open_to, found.actions.by_cost
        own = budget.part(f"response profile: effort {level}")
        for cost, layer in found.due[level]:
            closed = found.left.at(DEFENDER) - open_to
            open_to |= self._run(partial(self._steps.ways_into, prices[cost], layer, closed, own))
        left = self._run(partial(self._steps.drawn_in, found.actions.free, found.left, open_to, own))
        new = found.left - left
        due = {other: list(opens) for other, opens in found.due.items() if other != level}
        if new:
            # What is drawn may lead to several layers, none of which costs more.
            open_from = self._winning - left if self._regions.gambling else new
            for cost in prices:
                due.setdefault(level + cost, []).append((cost, open_from))
            found.layers.append((level, new))
        found.left, found.open_to, found.due, found.complete = left, open_to, due, not due

    def _slowest(self, start: Position, budget: Budget) -> int:
        """The largest number of turns in which one intervention is enough, where one in all is not."""
        steps, rested = self._steps, [self._winning]  # for j, who holds if its next j turns must be idle
        for turns in count(2):
            if turns > 2 and turns > 1 + (self.graces(budget).largest or 0):
                return turns - 1
            own = budget.part(f"response profile: tempo {turns}")
            rested.append(self._run(partial(steps.later, rested[-1], own)))
            while True:
                free = self._run(partial(steps.unhurried, self._actions.acting, rested, own))
                if start not in free:
                    return turns - 1
                if free == rested[0]:
                    break
                rested[0] = free
                for j in range(1, turns):
                    rested[j] &= self._run(partial(steps.later, rested[j - 1], own))
        raise AssertionError("counting ends where the graces do")

    def _run(self, work: Callable[[], Computed]) -> Computed:
        return self._regions.run(WHAT, work)


def _count(positions: PositionSet, within: PositionSet, budget: Budget) -> int:
    budget.tick("response profile: counting")
    return (positions & within).count()


class _Steps:
    """One-step questions about sets of winning positions."""

    def __init__(self, regions: Regions, winning: PositionSet, actions: Interventions) -> None:
        self.only, self.idle, self.waited_out = cache(regions.only), actions.idle, regions.waited_out
        self.attacking = winning.at(ADVERSARY)

    def ways_into(
        self, actions: tuple[int, ...], targets: PositionSet, among: PositionSet, budget: Budget
    ) -> PositionSet:
        """From where among some positions one of the defender's actions leads into the targets."""
        return targets.pre(among, by=self.only(actions), budget=budget)

    def alike(self, free: tuple[int, ...]) -> bool:
        """Whether free moves are idle, and look alike to the automata."""
        return set(free) == set(self.idle) and len(set(self.only(free).move_class[DEFENDER])) == 1

    def waited(self, here: PositionSet, free: tuple[int, ...], budget: Budget) -> PositionSet | None:
        """Where idle moves lead from some defender positions; None if that is not always into W."""
        by = self.only(free)
        if here - self.attacking.pre(here, by=by, budget=budget):
            return None
        return here.post(by=by, budget=budget)

    def later(self, inside: PositionSet, budget: Budget) -> PositionSet:
        """From where one idle turn, the next of the defender, leads into a set: a subset of it."""
        idles = inside.pre(inside.at(DEFENDER), by=self.only(self.idle), budget=budget)
        return _closed(inside, idles, budget)

    def unhurried(self, acting: tuple[int, ...], rested: list[PositionSet], budget: Budget) -> PositionSet:
        """Who may idle and stay free to act, or act and rest."""
        free, defending = rested[0], rested[0].at(DEFENDER)
        idles = free.pre(defending, by=self.only(self.idle), budget=budget)
        acts = rested[-1].pre(defending, by=self.only(acting), budget=budget)
        return _closed(free, idles | acts, budget)

    def drawn_in(
        self, free: tuple[int, ...], left: PositionSet, open_to: PositionSet, budget: Budget
    ) -> PositionSet:
        """What of ``left`` the adversary draws in, against free moves and the ways that are open."""
        attackers, bound = left.at(ADVERSARY), left.at(DEFENDER) - open_to
        newest = lost = self._trapped(free, bound, left - left, budget)
        while newest:
            drawn = self.waited_out(lost, bound, attackers, self.only(free), budget) - lost
            newest, lost = newest | drawn, lost | drawn
            lost |= newest.pre(attackers - lost, budget=budget)
            newest = self._trapped(free, bound - lost, lost, budget)
            lost |= newest
        return lost

    def _trapped(
        self, free: tuple[int, ...], among: PositionSet, lost: PositionSet, budget: Budget
    ) -> PositionSet:
        """The defender's positions among some from which every free move leads to what is lost."""
        return among - (self.attacking - lost).pre(among, by=self.only(free), budget=budget)


def _closed(inside: PositionSet, kept: PositionSet, budget: Budget) -> PositionSet:
    """What is left of a set if the defender keeps to some of its positions, and the adversary near them."""
    attacking, lost = inside.at(ADVERSARY), inside.at(DEFENDER) - kept
    return kept | attacking - lost.pre(attacking, budget=budget)
