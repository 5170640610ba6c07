"""How the defender forces the play to a goal inside some surroundings: by rank, at the least cost, for ever.

The definitions are those of :mod:`holdfast.solver.recovery`, the surroundings those of
:mod:`holdfast.solver.surroundings`. Everything is written once for both engines
(:mod:`holdfast.solver.position_sets`). Since predecessors distribute over unions, an iteration looks at what
came last only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from typing import Any, TypeVar

from holdfast.budget import Budget
from holdfast.game import Interventions, Position, State
from holdfast.logic import Player, Variable
from holdfast.solver.position_sets import PositionSet
from holdfast.solver.solution import Regions
from holdfast.solver.surroundings import Surroundings, conceded, denied

_Positions = TypeVar("_Positions", bound=PositionSet)

RECOVERING = "recovery"

Ways = list[tuple[tuple[int, ...], PositionSet]]
"""Interventions, and what they may lead into."""


def joined(sets: tuple[_Positions, ...] | list[_Positions]) -> _Positions:
    """What is in one of some sets."""
    return reduce(or_, sets)


def forced(
    newest: _Positions,
    among: _Positions,
    away: _Positions,
    by: Any,
    budget: Budget,
    reached: _Positions | None = None,
) -> _Positions:
    """From where among some winning positions the defender forces the play, by one move, into a set.

    Args:
        newest: what of the set nobody has come from yet.
        among: where to look.
        away: the winning positions that are not in the set.
        by: the game, as ``Regions.only`` and ``Regions.frozen`` give it with fewer moves; None for all.
        budget: time.
        reached: the whole set, where the outcomes of one move may lead to several parts of it.
    """
    defends = (newest if reached is None else reached).pre(among.at(Player.DEFENDER), by=by, budget=budget)
    near = newest.at(Player.DEFENDER).pre(among.at(Player.ADVERSARY), by=by, budget=budget)
    return defends | near - away.at(Player.DEFENDER).pre(near, by=by, budget=budget)


class Forcing:
    """Surroundings by rank, as far as they have been asked for; what a limit stops goes on from there.

    Attributes:
        where: the surroundings.
        ranks: from where the goal is forced within 0, 1, 2, … moves and not within fewer.
        left: where no rank is known yet; none ever will be once they are ``complete``.
    """

    def __init__(self, regions: Regions, where: Surroundings[PositionSet], by: Any = None) -> None:
        """Nothing is known yet but where the goal is; ``by`` is the game, if it has fewer moves."""
        self._regions, self.where, self._by = regions, where, by
        self.ranks = [where.goal]
        self.left = where.positions - where.goal - where.barred
        self.complete = False

    def advance(self, budget: Budget) -> None:
        """Find the next rank, or that there is none.

        Raises:
            LimitError: past the budget.
        """
        part = budget.part(f"{RECOVERING}: rank {len(self.ranks)}")
        reached = joined(self.ranks) if self._regions.gambling else None
        work = partial(forced, self.ranks[-1], self.left, self.left, self._by, part, reached)
        newest = self._regions.run(RECOVERING, work)
        if len(self.ranks) == 1:
            newest = newest | self.where.given & self.left
        if newest:
            self.ranks.append(newest)
            self.left = self.left - newest
        else:
            self.complete = True


@dataclass(frozen=True)
class Frozen:
    """What stays as it is while nobody does anything outside a part.

    Attributes:
        variables: those outside.
        state: it has their values.
        memories: of φ_A, from which the adversary can come back to where it begins.
    """

    variables: tuple[Variable, ...] = ()
    state: State = ()
    memories: Collection[tuple[int, ...]] = ()


class Excerpt:
    """A part of W, and what the ranks in it say of those in all of W; worked out when it is first asked for.

    Attributes:
        inner: its positions, where what is outside is denied.
    """

    def __init__(
        self,
        regions: Regions,
        goal: PositionSet,
        inner: PositionSet,
        outer: PositionSet,
        closed: bool,
        frozen: Frozen = Frozen(),
    ) -> None:
        """Nothing is worked out yet.

        Args:
            regions: of the solved game.
            goal: all of it.
            inner: the positions, where what is outside is denied.
            outer: the positions, where what is outside is conceded; ``inner`` and maybe more.
            closed: whether no move of the defender leaves ``outer``.
            frozen: the variables in which ``outer`` may differ from ``inner``, and what is true of them.
        """
        self._regions, self._goal, self._closed = regions, goal, closed
        self.inner, self._outer, self._frozen = inner, outer, frozen
        self._denied: Forcing | None = None
        self._conceded: Forcing | None = None
        self._confined: Forcing | None = None
        self._widened: Forcing | None = None

    def denied(self, budget: Budget) -> Forcing:
        """The ranks if leaving the part counts as failing: none is smaller than in all of W."""
        if self._denied is None:
            where = self._regions.run(RECOVERING, partial(denied, self.inner, self._goal, budget))
            self._denied = Forcing(self._regions, where, self._staying)
        return self._denied

    def conceded(self, budget: Budget) -> Forcing:
        """The ranks if leaving the part counts as reaching the goal: none is larger than in all of W."""
        if self._conceded is None:
            self._conceded = self._conceding(self._outer, self._closed, budget)
        return self._conceded

    def confined(self, budget: Budget) -> Forcing:
        """The ranks if nobody does anything outside, and the adversary spends nothing for good.

        An adversary who would have to concedes, and the defender goes wherever it could if it had done more
        outside. The ranks show nothing of all of W. But where the adversary can hold out here it mostly can
        whatever else the defender does, and this question has few variables, however large the game is. It
        is mostly strongest with all that φ_A allows it still ahead; how it is driven out when that is spent
        may take hundreds of moves, which are nobody's way then.
        """
        if self._confined is None:
            others, state, memories = self._frozen.variables, self._frozen.state, self._frozen.memories
            by = self._regions.frozen(others, state)

            def alone() -> Surroundings[PositionSet]:
                part, goal = (own.forgetting(others) for own in (self._outer, self._goal & self._outer))
                attacking = part.at(Player.ADVERSARY)
                given = attacking - part.pre(attacking, by=by, budget=budget)
                return Surroundings(part, goal | part - part.recalling(memories), given, part - part)

            self._confined = Forcing(self._regions, self._regions.run(RECOVERING, alone), by)
        return self._confined

    def widened(self, budget: Budget) -> Forcing:
        """The ranks if leaving where the adversary holds out here, whatever is the case outside, is conceded.

        None is larger than in all of W, and mostly there are none at all.
        """
        if self._widened is None:
            where = self._regions.run(RECOVERING, partial(self._holding, self.confined(budget).left, budget))
            self._widened = Forcing(self._regions, where)
        return self._widened

    def _holding(self, held: PositionSet, budget: Budget) -> Surroundings[PositionSet]:
        """Where the adversary holds out by the variables inside, whatever is true of the others.

        Its moves are looked for among those inside first. And the defender leaves nothing but where the
        variables inside are no longer as they are ``held``, or where the goal is met, which is looked at
        without all that is true of the others.
        """
        part, winning, outer = (self._outer & held) - self._goal, self._regions.winning(), self._outer
        attacking, defending = part.at(Player.ADVERSARY), part.at(Player.DEFENDER)
        given = attacking - part.pre(attacking, by=self._staying, budget=budget)
        if given:
            given = given - part.pre(given, budget=budget)
        if given:
            given = (winning - part).pre(given, budget=budget)
        away = outer.forgetting(self._frozen.variables) - held | self._goal
        leaving = away.pre(defending, budget=budget)
        if leaving:
            given = given | (winning - part).pre(leaving, budget=budget)
        return Surroundings(part, self._goal & part, given, part - part)

    @property
    def _staying(self) -> Any:
        """The game without moves that change nothing but what is outside; all of it where that is nothing."""
        return self._regions.staying(self._frozen.variables) if self._frozen.variables else None

    def _conceding(self, part: PositionSet, closed: bool, budget: Budget) -> Forcing:
        work = partial(conceded, part, self._goal, self._regions.winning(), closed, budget)
        return Forcing(self._regions, self._regions.run(RECOVERING, work))


def in_turn(*ways: Iterator[Excerpt]) -> Iterator[Excerpt]:
    """One part of each, then the next of each; none is worked out before it is asked for."""
    going = list(ways)
    while going:
        for way in tuple(going):
            part = next(way, None)
            if part is None:
                going.remove(way)
            else:
                yield part


def held_in(trap: PositionSet, winning: PositionSet, budget: Budget) -> PositionSet:
    """What of a set, maybe of another game, the adversary holds the play in while the defender stays in W."""
    trap = winning & trap  # in this order: a set goes by the moves of its own game
    while True:
        attacking, defending = trap.at(Player.ADVERSARY), trap.at(Player.DEFENDER)
        escaping = (winning - trap).pre(defending, budget=budget)
        left = trap.pre(attacking, budget=budget) | defending - escaping
        if left == trap:
            return trap
        trap = left


def least_cost(
    regions: Regions,
    where: Surroundings[PositionSet],
    position: Position,
    actions: Interventions,
    budget: Budget,
) -> int | None:
    """What interventions cost at least on the way from a position to the goal; None where there is no way.

    It goes by layers of one cost: from a layer free moves and forced moves of the adversary lead on; an
    intervention leads into a layer that costs as much more.
    """
    left, seeds = where.open, where.goal | where.given
    reached = left - left
    free = regions.only(actions.free)
    due: dict[int, Ways] = {0: []}
    while due:
        level = min(due)
        layer = newest = regions.run(
            RECOVERING, partial(_opened, regions, due.pop(level), seeds, left, budget)
        )
        left, seeds = left - layer, left - left
        while newest:
            known = reached | layer if regions.gambling else None
            newest = regions.run(RECOVERING, partial(forced, newest, left, left, free, budget, known))
            layer, left = layer | newest, left - newest
        if position in layer:
            return level
        # What is drawn may lead to several layers, none of which costs more.
        reached = reached | layer
        for cost, own in actions.by_cost.items() if layer else ():
            due.setdefault(level + cost, []).append((own, reached if regions.gambling else layer))
    return None


def _opened(
    regions: Regions, ways: Ways, layer: PositionSet, left: PositionSet, budget: Budget
) -> PositionSet:
    """A layer with those from where one of some interventions leads into a cheaper one."""
    for own, cheaper in ways:
        defending = (left - layer).at(Player.DEFENDER)
        layer = layer | cheaper.pre(defending, by=regions.only(own), budget=budget)
    return layer


@dataclass(frozen=True)
class Visits:
    """From where in some surroundings the goal can be visited for ever.

    Attributes:
        ranks: those positions: at the goal, from where it can be visited again; from where these are forced
            within one move; and so on.
        lost: the others: from where the adversary keeps the play away from the goal; from where it does so
            after one more visit at most; and so on.
    """

    ranks: tuple[PositionSet, ...]
    lost: tuple[PositionSet, ...]


def again_and_again(
    regions: Regions, where: Surroundings[PositionSet], budget: Budget, asked: Collection[Position] = ()
) -> Visits:
    """From where in some surroundings the goal can be visited for ever.

    Where only some positions are ``asked`` about, it ends as soon as one of them is lost.
    """
    kept, lost = where.positions - where.barred, list[PositionSet]()
    while True:
        ranks = [regions.run(RECOVERING, partial(_visited, where, kept, budget))]
        among = kept - ranks[0]
        while ranks[-1]:
            budget.tick()
            ranks.append(
                regions.run(
                    RECOVERING, partial(_led, ranks[-1], where, kept, among, budget, regions.gambling)
                )
            )
            among = among - ranks[-1]
        if not among:
            return Visits(tuple(rank for rank in ranks if rank), tuple(lost))
        kept = kept - among
        lost.append(among)
        if any(position in among for position in asked):
            return Visits((), tuple(lost))


def _visited(where: Surroundings[PositionSet], kept: PositionSet, budget: Budget) -> PositionSet:
    """What is given, and the positions at the goal from where the play stays in what is kept."""
    goal = where.goal & kept
    defends = kept.pre(goal.at(Player.DEFENDER), budget=budget)
    attacked = goal.at(Player.ADVERSARY)
    lost = (where.positions - kept).at(Player.DEFENDER)
    return where.given | defends | attacked - lost.pre(attacked, budget=budget)


def _led(
    newest: PositionSet,
    where: Surroundings[PositionSet],
    kept: PositionSet,
    among: PositionSet,
    budget: Budget,
    gambling: bool,
) -> PositionSet:
    """From where among the rest of what is kept the play is forced into what was reached last."""
    away = among | where.positions - kept
    return forced(newest, among, away, None, budget, kept - among if gambling else None)
