"""Recovery: can the defender get back to where it wants to be, and never lose on the way?

A *goal* G is a set of states, such as those in which no host is compromised. Inside W the defender tries to
force the play into G, and never leaves W:

- Rec⁰ = W ∩ G; v ∈ Rec^{k+1} if v ∈ Rec^k; or v ∈ W ∩ V_D and a move leads into Rec^k; or v ∈ W ∩ V_A has
  admissible moves and all of them lead into Rec^k. The *recovery rank* of v is the least such k, in moves of
  both players as shells are. Where there is none the adversary can keep the play away from G for ever, or
  else the defender would have to leave W. An adversary without a move rests, so that such a position
  recovers only where it is in G.
- *Again and again*: νY. μX. W ∩ ((G ∩ CPre Y) ∪ CPre X), from where G can be visited for ever.
- *Effort*: the least m such that G is reached with interventions that cost at most m in all (what an
  intervention is, and costs, stands in :mod:`holdfast.game.interventions`). It goes by layers: from a layer
  free moves and forced moves of the adversary lead on, an intervention of cost c into the layer m + c.

Everything is a fixpoint on the game that is solved already, written once for both engines
(:mod:`holdfast.solver.position_sets`). Since predecessors distribute over unions, an iteration looks at what
came last only.

*One position.* The ranks of all of W can be far more complicated than W itself, and what v₀ needs of them is
mostly close to the goal. So they are found up to d moves only, for d that grow; and where v₀ is not among
them, P is looked at, the positions from which both sides *together* would reach the goal within d moves. With
everything outside P given to the defender v₀ can only recover sooner, and with everything outside P denied to
it only later. Where both say the same, that is the rank; where even the first says never, what is left of P
is a *trap*, in which the adversary holds the play for as long as the defender stays in W. In the end P is W.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from operator import or_
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import NEVER, Position, has_chance, interventions_of
from holdfast.logic import Player
from holdfast.solver.position_sets import PositionSet
from holdfast.solver.solution import Solution

if TYPE_CHECKING:
    from holdfast.logic import Expression

_Positions = TypeVar("_Positions", bound=PositionSet)

WHAT = "recovery"
FIRST, STRIDE = 8, 4
"""How many moves around the goal are looked at first, and by how many more that grows."""

MoveCount = int | Literal["never"] | None
"""A number of moves, or none that is enough; None where it is undefined or was left open."""

Surroundings = tuple[PositionSet, PositionSet, PositionSet]
"""What counts as the goal, the positions that are looked at, and the winning ones that are not (yet) good."""


@dataclass(frozen=True)
class RecoveryProfile:
    """How a design recovers to one goal.

    Each is None where it was not asked for or a limit left it open. All but ``share`` and ``layers`` speak of
    v₀ or of R, and are None too where v₀ is lost.

    Attributes:
        moves: the recovery rank of v₀.
        share: the part of W from which the goal can be forced.
        everywhere: whether it can be from every position of safe play R.
        longest: the largest recovery rank in R, never where some position has none.
        again: whether v₀ is a position from which the goal can be visited again and again.
        effort: what interventions must cost at least on the way from v₀.
        layers: how many positions have recovery rank 0, 1, 2, …
    """

    moves: MoveCount = None
    share: float | None = None
    everywhere: bool | None = None
    longest: MoveCount = None
    again: bool | None = None
    effort: MoveCount = None
    layers: tuple[int, ...] = ()


@dataclass(frozen=True)
class RecoveryProof:
    """Why a position recovers, or never does.

    Attributes:
        ranks: sets of positions, of which the first are at the goal and from each of which the defender
            forces the play into the ones before by one move; empty where the position never recovers.
        trap: winning positions outside the goal in which the adversary can hold the play for as long as the
            defender stays in W; None where the position recovers.
    """

    ranks: tuple[PositionSet, ...] = ()
    trap: PositionSet | None = None

    @property
    def moves(self) -> MoveCount:
        """The recovery rank."""
        return len(self.ranks) - 1 if self.trap is None else NEVER


class RecoveryLayers:
    """W by recovery rank, found when it is first asked for, and kept.

    What a limit stops can be asked again; the ranks go on from there.
    """

    def __init__(self, solution: Solution, goal: Expression) -> None:
        """Nothing is found yet but where the goal is."""
        self._solution, self._regions = solution, solution.regions
        self._winning = solution.regions.winning()
        self.goal = self._run(partial(self._winning.satisfying, goal))
        self._ranks = [self.goal]
        self._left = self._winning - self.goal
        self._complete = False
        self._near = [self.goal]
        self._proofs: dict[Position, RecoveryProof] = {}
        self._gambling = has_chance(solution.configuration.game, Player.DEFENDER)

    # -- all of W -------------------------------------------------------------------------------------

    def ranks(self, budget: Budget = UNLIMITED) -> tuple[PositionSet, ...]:
        """The positions of recovery rank 0, 1, 2, …"""
        return self._ranked(math.inf, budget)

    def _ranked(self, most: float, budget: Budget) -> tuple[PositionSet, ...]:
        """The positions of recovery rank 0, 1, 2, … as far as ``most`` at least."""
        while not self._complete and len(self._ranks) <= most:
            part = budget.part(f"{WHAT}: rank {len(self._ranks)}")
            newest = self._forced(self._ranks[-1], self._left, self._left, None, part)
            if newest:
                self._ranks.append(newest)
                self._left = self._left - newest
            else:
                self._complete = True
        return tuple(self._ranks)

    def never(self, budget: Budget = UNLIMITED) -> PositionSet:
        """The winning positions from where the adversary can keep the play away from the goal."""
        self.ranks(budget)
        return self._left

    def again(self, budget: Budget = UNLIMITED) -> PositionSet:
        """From where the goal can be visited again and again."""
        return self._again(self._winning - self.never(budget), self._left - self._left, budget)

    # -- one position ---------------------------------------------------------------------------------

    def proof(self, position: Position, budget: Budget = UNLIMITED) -> RecoveryProof:
        """Why a winning position recovers, or never does."""
        if position not in self._proofs:
            self._proofs[position] = self._proved(position, budget)
        return self._proofs[position]

    def rank(self, position: Position, budget: Budget = UNLIMITED) -> int | None:
        """The recovery rank of a winning position; None where there is none."""
        moves = self.proof(position, budget).moves
        return None if moves == NEVER else moves

    def _proved(self, position: Position, budget: Budget) -> RecoveryProof:
        for other in recoveries(self._solution):
            for proof in other._proofs.values():
                if proof.trap is not None and position in proof.trap and not proof.trap & self.goal:
                    return proof
        for d in self._distances():
            here = self._rank_up_to(d, position, budget)
            if here is not None:
                return RecoveryProof(tuple(self._ranks[: here + 1]))
            near = self.around(d, budget)
            if position not in near:
                continue
            part = budget.part(f"{WHAT}: {d} moves around the goal")
            wanting = near - self.goal
            soonest = self._reached(position, (self.goal | self._winning - near, wanting, wanting), part)
            if soonest.trap is not None:
                return soonest
            latest = self._reached(position, (self.goal, wanting, self._winning - self.goal), part)
            if latest.moves == soonest.moves:
                return latest
        raise AssertionError("in the end all of W is looked at")

    def _reached(self, position: Position, start: Surroundings, budget: Budget) -> RecoveryProof:
        """How soon the play is forced from a position, and through which sets; or what is left."""
        goal, among, away = start
        ranks = [goal]
        while ranks[-1]:
            if position in ranks[-1]:
                return RecoveryProof(tuple(ranks))
            budget.tick()
            newest = self._forced(ranks[-1], among, away, None, budget)
            ranks.append(newest)
            among, away = among - newest, away - newest
        return RecoveryProof(trap=among)

    def _rank_up_to(self, most: float, position: Position, budget: Budget) -> int | None:
        """The recovery rank of a position if it is at most so large."""
        k = 0
        while k <= most and k < len(self._ranked(k, budget)):
            if position in self._ranks[k]:
                return k
            k += 1
        return None

    def _distances(self) -> Iterator[float]:
        """How many moves around the goal are looked at, one after the other; the last is far enough."""
        if not self._regions.listable:
            for d in range(FIRST, 1 << 30, STRIDE):
                if not self._near[-1]:
                    break
                yield d
        yield math.inf

    def around(self, d: float, budget: Budget = UNLIMITED) -> PositionSet:
        """The part of W from where both sides together reach the goal within d moves."""
        if math.isinf(d):
            return self._winning
        while len(self._near) <= d and self._near[-1]:
            part = budget.part(f"{WHAT}: {len(self._near)} moves around the goal")
            newest, farther = self._near[-1], self._winning - joined(self._near)
            self._near.append(self._run(partial(newest.pre, farther, budget=part)))
        return joined(self._near[: int(d) + 1])

    def effort(self, position: Position, budget: Budget = UNLIMITED) -> int | None:
        """What reaching the goal costs at least from a position with a recovery rank; None without idling.

        It goes by layers of one cost: from a layer free moves and forced moves of the adversary lead on; an
        intervention leads into a layer that costs as much more.
        """
        actions = interventions_of(self._solution.configuration, budget)
        if actions is None:
            return None
        part, left, seeds = budget.part(f"{WHAT}: effort"), self._winning - self.goal, self.goal
        free = self._regions.only(actions.free)
        due: dict[int, list[tuple[tuple[int, ...], PositionSet]]] = {0: []}
        while due:
            level = min(due)
            layer = newest = self._run(partial(self._opened, due.pop(level), seeds, left, part))
            left, seeds = left - layer, left - left
            while newest:
                newest = self._forced(newest, left, left, free, part)
                layer, left = layer | newest, left - newest
            if position in layer:
                return level
            for cost, own in actions.by_cost.items() if layer else ():
                # What is drawn may lead to several layers, none of which costs more.
                due.setdefault(level + cost, []).append(
                    (own, self._winning - left if self._gambling else layer)
                )
        raise AssertionError("a position with a recovery rank has an effort")

    def _opened(
        self,
        ways: list[tuple[tuple[int, ...], PositionSet]],
        layer: PositionSet,
        left: PositionSet,
        budget: Budget,
    ) -> PositionSet:
        """A layer with those from where one of some interventions leads into a cheaper one."""
        for own, cheaper in ways:
            defending = (left - layer).at(Player.DEFENDER)
            layer = layer | cheaper.pre(defending, by=self._regions.only(own), budget=budget)
        return layer

    def is_again(self, position: Position, budget: Budget = UNLIMITED) -> bool:
        """Whether the goal can be visited again and again from a position with a recovery rank.

        Who can do so inside a set can do so; who cannot, with all outside of it given, cannot.
        """
        nothing = self.goal - self.goal
        if position in self._again(joined(self.proof(position, budget).ranks), nothing, budget):
            return True
        for d in self._distances():
            if position in self._again(joined(self._ranked(d, budget)), nothing, budget):
                return True
            near = self.around(d, budget)
            if position in near and position not in self._again(near, self._winning - near, budget):
                return False
        raise AssertionError("in the end all of W is looked at")

    def _again(self, kept: PositionSet, given: PositionSet, budget: Budget) -> PositionSet:
        """From where in a set the goal can be visited for ever, or what is given is reached."""
        part = budget.part(f"{WHAT}: again and again")
        inside = self.goal & kept
        while True:
            visited = self._run(partial(_visited, inside, kept, given, part))
            reached = newest = visited | given
            while newest:
                part.tick()
                away = self._winning - reached
                newest = self._forced(newest, kept - reached, away, None, part)
                reached = reached | newest
            reached = reached & kept
            if not kept - reached:
                return kept
            kept = reached

    def _forced(
        self, newest: PositionSet, among: PositionSet, away: PositionSet, by: Any, budget: Budget
    ) -> PositionSet:
        """From where among some positions the play is forced into what is not away."""
        reached = self._winning - away if self._gambling else newest
        return self._run(partial(forced, newest, among, away, by, budget, reached))

    def _run(self, work: Callable[[], PositionSet]) -> PositionSet:
        return self._regions.run(WHAT, work)


def joined(sets: Sequence[_Positions]) -> _Positions:
    """What is in one of some sets."""
    return reduce(or_, sets)


def _visited(goal: PositionSet, kept: PositionSet, given: PositionSet, budget: Budget) -> PositionSet:
    """The positions at the goal from where the play stays in a set, or reaches what is given."""
    return (kept | given).cpre(goal, budget=budget)


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
        by: the defender's moves, as ``Regions.only`` gives them; None for all.
        budget: time.
        reached: the whole set, where the outcomes of one move may lead to several parts of it.
    """
    defends = (newest if reached is None else reached).pre(among.at(Player.DEFENDER), by=by, budget=budget)
    near = newest.at(Player.DEFENDER).pre(among.at(Player.ADVERSARY), budget=budget)
    return defends | near - away.at(Player.DEFENDER).pre(near, budget=budget)


def recovery_layers(solution: Solution, name: str) -> RecoveryLayers:
    """Where to ask how positions recover to one of the goals of a configuration, by its name."""
    known: dict[str, RecoveryLayers] = solution.cached("recovery", dict)
    if name not in known:
        known[name] = RecoveryLayers(solution, solution.configuration.goals[name])
    return known[name]


def recoveries(solution: Solution) -> Iterator[RecoveryLayers]:
    """What has been asked of a solution so far."""
    known: dict[str, RecoveryLayers] = solution.cached("recovery", dict)
    return chain(known.values())


def recovery_profile(
    solution: Solution,
    name: str,
    budget: Budget = UNLIMITED,
    *,
    whole: bool | None = None,
    reachable: bool = True,
    undecided: list[str] | None = None,
) -> RecoveryProfile:
    """How a solved design recovers to one of its goals.

    Args:
        solution: of the design.
        name: of the goal.
        budget: memory and time.
        whole: whether to rank every winning position, for ``share``, ``layers`` and what is said of R; if
            None, where all positions can be listed soon.
        reachable: whether to look at safe play R then.
        undecided: where to say which of the readings a limit stopped, which are then None.

    Raises:
        LimitError: past the budget, where nobody wants to know.
    """
    layers, initial = recovery_layers(solution, name), solution.configuration.initial
    known: dict[str, Any] = {}

    def ask(what: str, work: Callable[[], dict[str, Any]]) -> None:
        try:
            known.update(work())
        except LimitError as stop:
            if undecided is None:
                raise
            undecided.append(f"{name}, {what}: {stop}")

    def counts() -> dict[str, Any]:
        sizes, n_winning = tuple(layer.count() for layer in layers.ranks(budget)), solution.n_winning
        return {"layers": sizes, "share": sum(sizes) / n_winning if n_winning else None}

    if solution.defensible:
        ask("moves", lambda: {"moves": layers.proof(initial, budget).moves})
        if known.get("moves") == NEVER:
            known |= {"again": False, "effort": NEVER, "everywhere": False, "longest": NEVER}
        elif "moves" in known:
            ask("effort", lambda: {"effort": layers.effort(initial, budget)})
            ask("again and again", lambda: {"again": layers.is_again(initial, budget)})
    if solution.regions.listable if whole is None else whole:
        ask("share", counts)
        if reachable and "share" in known and known.get("moves", NEVER) != NEVER:
            ask("from everywhere in safe play", lambda: _everywhere(solution, layers, budget))
    return RecoveryProfile(**known)


def _everywhere(solution: Solution, layers: RecoveryLayers, budget: Budget) -> dict[str, Any]:
    """Whether every position of R recovers, and the largest rank there."""
    regions, ranks = solution.regions, layers.ranks(budget)
    reached = regions.safe_play(budget)

    def look() -> dict[str, Any]:
        if reached & layers.never(budget):
            return {"everywhere": False, "longest": NEVER}
        return {"everywhere": True, "longest": max(k for k, layer in enumerate(ranks) if layer & reached)}

    return regions.run(WHAT, look)
