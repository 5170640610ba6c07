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
mostly close to the goal, or about a few variables. So v₀ is looked for in smaller and in larger surroundings
(:mod:`holdfast.solver.surroundings`), which bound its rank from both sides, and in all of W, in turn: whoever
has done least so far goes on, until the bounds meet. The same is tried for effort and for *again and again*.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any, Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import NEVER, Position, admissible_moves, interventions_of
from holdfast.logic import Player
from holdfast.solver.forcing import (
    RECOVERING,
    Excerpt,
    Forcing,
    Frozen,
    Visits,
    again_and_again,
    held_in,
    in_turn,
    joined,
    least_cost,
)
from holdfast.solver.position_sets import PositionSet
from holdfast.solver.recovery_search import RankSearch
from holdfast.solver.solution import Solution, ranked_soon, varied_from
from holdfast.solver.surroundings import Surroundings, Window, clusters, denied, returning, whole, windows

if TYPE_CHECKING:
    from holdfast.logic import Expression

FIRST, STRIDE = 8, 4
"""How many moves around the goal are looked at first, and by how many more that grows."""
HEAD_START = 30
"""How many times the diagrams of W windows may work through before others have their turn, too."""

ProofSections = dict[str, tuple[PositionSet, ...]]
"""Sets of positions by what they show."""

MoveCount = int | Literal["never"] | None
"""A number of moves, or none that is enough; None where it is undefined or was left open."""


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

    @property
    def sections(self) -> ProofSections:
        """Its sets by the names that a certificate has for them."""
        return {"recovery": self.ranks} if self.trap is None else {"trap": (self.trap,)}


@dataclass(frozen=True)
class AgainProof:
    """Why the goal can be visited again and again from a position, or cannot.

    Attributes:
        ranks: sets of positions. The first are at the goal, and the defender keeps the play in one of the
            sets from there; from each of the others it forces the play into the ones before by one move.
            Empty where the goal cannot be visited for ever.
        trap: sets of winning positions; None where it can. As long as the defender stays in W the adversary
            holds the play in a set and those before it, and from where it is at the goal leads it into one
            before. So the goal is visited at most as often as there are sets.
    """

    ranks: tuple[PositionSet, ...] = ()
    trap: tuple[PositionSet, ...] | None = None

    @property
    def sections(self) -> ProofSections:
        """Its sets by the names that a certificate has for them."""
        if self.trap is not None:
            return {"visits": self.trap}
        return {"home": (joined(self.ranks),), "recovery": self.ranks}


class RecoveryLayers:
    """W by recovery rank, found when it is first asked for, and kept.

    What a limit stops can be asked again; the ranks go on from there.
    """

    def __init__(self, solution: Solution, goal: Expression) -> None:
        """Nothing is found yet but where the goal is."""
        self._solution, self._regions, self._wanted = solution, solution.regions, goal
        self._winning, self._start = solution.regions.winning(), solution.configuration.initial
        self.goal = self._regions.run(RECOVERING, partial(self._winning.satisfying, goal))
        self._whole = whole(self._winning, self.goal)
        self._all = Forcing(self._regions, self._whole)
        self._near = [self.goal]
        self._windows: list[Excerpt] = []
        self._balls: list[Excerpt] = []
        self._proofs: dict[Position, RecoveryProof] = {}
        self._again_proofs: dict[Position, AgainProof] = {}
        self._again: dict[Position, bool] = {}
        self._traps: list[PositionSet] = []

    # -- all of W -------------------------------------------------------------------------------------

    def ranks(self, budget: Budget = UNLIMITED) -> tuple[PositionSet, ...]:
        """The positions of recovery rank 0, 1, 2, …"""
        while not self._all.complete:
            self._all.advance(budget)
        return tuple(self._all.ranks)

    def never(self, budget: Budget = UNLIMITED) -> PositionSet:
        """The winning positions from where the adversary can keep the play away from the goal."""
        self.ranks(budget)
        return self._all.left

    def again(self, budget: Budget = UNLIMITED) -> PositionSet:
        """From where the goal can be visited again and again."""
        return joined((self.goal - self.goal, *self._visiting(self._whole, budget).ranks))

    def _visiting(
        self, where: Surroundings[PositionSet], budget: Budget, asked: Collection[Position] = ()
    ) -> Visits:
        return again_and_again(self._regions, where, budget.part(f"{RECOVERING}: again and again"), asked)

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
        if position in self.goal:
            return RecoveryProof((self.goal,))
        for trap, proof in self._known_traps(budget):
            if position in trap:
                return proof
        search = RankSearch(position)
        ways = [search.exactly(self._all, budget)]
        done = [0]
        if not self._regions.listable:
            trapping = [search.caught(map(self._excerpt, own), budget) for own in self._clusters()]
            ways += [
                search.within(self._about_start(), budget, bool(trapping)),
                search.within(self._about_goal(budget), budget),
                *trapping,
            ]
            size = self._winning.size()
            done = [HEAD_START * size, 0, HEAD_START * size, *(size for _ in trapping)]
        while not search.over:
            least = done.index(min(done))
            done[least] += next(ways[least], sys.maxsize)
        return RecoveryProof(search.ranks) if search.trap is None else RecoveryProof(trap=search.trap)

    def _trapping(self) -> Iterator[RecoveryProof]:
        """What is known of where the adversary can keep the play away from this goal."""
        yield from (proof for proof in self._proofs.values() if proof.trap is not None)
        yield from (RecoveryProof(trap=trap) for trap in self._traps)

    def _known_traps(self, budget: Budget) -> Iterator[tuple[PositionSet, RecoveryProof]]:
        """Traps that the goal is not in, those of the game that this one varies as far as they are traps."""
        base = None if self._regions.gambling else varied_from(self._solution)

        def left() -> list[RecoveryProof]:
            proofs = chain(*(own._trapping() for own in recoveries(base))) if base is not None else ()
            traps = dict.fromkeys(proof.trap for proof in proofs if proof.trap is not None)
            return [RecoveryProof(trap=held_in(trap, self._winning, budget)) for trap in traps]

        handed = self._solution.cached("traps of the base", lambda: self._regions.run(RECOVERING, left))
        for proof in chain(*([*other._trapping()] for other in recoveries(self._solution)), handed):
            if proof.trap is not None and not proof.trap & self.goal:
                yield proof.trap, proof

    def effort(self, position: Position, budget: Budget = UNLIMITED) -> int | None:
        """What reaching the goal costs at least from a position with a recovery rank; None without idling."""
        actions = interventions_of(self._solution.configuration, budget)
        if actions is None:
            return None
        part = budget.part(f"{RECOVERING}: effort")

        def cost(where: Surroundings[PositionSet]) -> float:
            found = least_cost(self._regions, where, position, actions, part)
            return math.inf if found is None else found

        most, parts = math.inf, [] if self._regions.listable else self._windows[::-1]
        if parts:
            most = cost(self._on_the_way(position, budget))
        for window in parts:
            if position in window.inner:
                least = cost(window.conceded(part).where)
                most = most if least == most else min(most, cost(window.denied(part).where))
                if least == most:
                    return int(most)
        return int(cost(self._whole))

    def _on_the_way(self, position: Position, budget: Budget) -> Surroundings[PositionSet]:
        """The positions that the proof of a recovery rank leads through, and none else."""
        way = joined(self.proof(position, budget).ranks)
        return self._regions.run(RECOVERING, partial(denied, way, self.goal, budget))

    def is_again(self, position: Position, budget: Budget = UNLIMITED) -> bool:
        """Whether the goal can be visited again and again from a winning position."""
        if position not in self._again_proofs and position not in self._again:
            trapped = self.proof(position, budget).trap is not None
            self._again[position] = not trapped and self._is_visited(position, budget)
        known = self._again.get(position)
        return self.again_proof(position, budget).trap is None if known is None else known

    def _is_visited(self, position: Position, budget: Budget) -> bool:
        """Whether the goal can be visited again and again from a position that recovers.

        It cannot where one move of the adversary leads into a trap, maybe of another goal.
        """
        asked = [position]
        if position.turn is Player.ADVERSARY:
            asked += dict.fromkeys(admissible_moves(self._solution.configuration, position).values())
        if any(after in trap for trap, _ in self._known_traps(budget) for after in asked):
            return False
        return bool(self._visits(position, budget, asked).ranks)

    def again_proof(self, position: Position, budget: Budget = UNLIMITED) -> AgainProof:
        """Why the goal can be visited again and again from a winning position, or cannot."""
        if position not in self._again_proofs:
            self._again_proofs[position] = self._again_proved(position, budget)
        return self._again_proofs[position]

    def _again_proved(self, position: Position, budget: Budget) -> AgainProof:
        trap = self.proof(position, budget).trap
        if trap is not None:
            return AgainProof(trap=(trap,))
        visits = self._visits(position, budget)
        return AgainProof(visits.ranks) if visits.ranks else AgainProof(trap=visits.lost)

    def _visits(self, position: Position, budget: Budget, asked: Collection[Position] = ()) -> Visits:
        """In surroundings that decide it: either without ranks, or with those of the position among them.

        Where nothing but the answer is wanted, what is lost may be told in part: it is enough that one of the
        positions that are ``asked`` about is.
        """
        parts = () if self._regions.listable else self._kept_to(position, budget, brief=bool(asked))
        for where, denies in parts:
            if denies and asked and position in where.barred:
                continue
            visits = self._visiting(where, budget, asked)
            if asked and not denies:
                self._traps += visits.lost[:1]
            if denies == any(position in rank for rank in visits.ranks):
                break
        else:
            visits = self._visiting(self._whole, budget, asked)
        held = any(position in rank for rank in visits.ranks)
        return visits if held else Visits((), visits.lost)

    def _kept_to(
        self, position: Position, budget: Budget, brief: bool
    ) -> Iterator[tuple[Surroundings[PositionSet], bool]]:
        """Surroundings that may decide *again and again*, and whether the defender may not leave them.

        Where the way to the goal does not show it, mostly it cannot be shown: who is ``brief`` looks for that
        first.
        """
        yield self._on_the_way(position, budget), True
        known = self._windows[::-1]
        fresh = in_turn(islice(self._about_start(), len(known), None), self._about_goal(budget))
        for part in chain(known, fresh):
            if position in part.inner:
                if brief:
                    yield part.conceded(budget).where, False
                yield part.denied(budget).where, True
                if not brief:
                    yield part.conceded(budget).where, False

    # -- surroundings ---------------------------------------------------------------------------------

    def _about_start(self) -> Iterator[Excerpt]:
        """Windows about the start, smaller ones first."""
        seen = windows(self._solution.configuration.game, self._wanted, self._start.state)
        for number, window in enumerate(seen):
            if number == len(self._windows):
                self._windows.append(self._excerpt(window))
            yield self._windows[number]

    def _clusters(self) -> tuple[Iterator[Window], ...]:
        """Variables among which a trap is looked for first."""
        if self._regions.gambling:
            return ()
        return clusters(self._solution.configuration.game, self._wanted, self._start.state)

    def _excerpt(self, window: Window) -> Excerpt:
        sets = (partial(self._winning.satisfying, own) for own in (window.kept, window.defended))
        inner, outer = (self._regions.run(RECOVERING, work) for work in sets)
        frozen = Frozen(window.others, self._start.state, self._returning)
        return Excerpt(self._regions, self.goal, inner, outer, True, frozen)

    @cached_property
    def _returning(self) -> frozenset[tuple[int, ...]]:
        return returning(self._solution.configuration.adversary, self._start.q_adversary)

    def _about_goal(self, budget: Budget) -> Iterator[Excerpt]:
        """Balls about the goal, smaller ones first; none that is all of W."""
        for number in count():
            if number == len(self._balls):
                ball = self.around(FIRST + STRIDE * number, budget)
                if not self._near[-1]:
                    return
                self._balls.append(Excerpt(self._regions, self.goal, ball, ball, closed=False))
            yield self._balls[number]

    def around(self, d: int, budget: Budget = UNLIMITED) -> PositionSet:
        """The part of W from where both sides together reach the goal within d moves."""
        while len(self._near) <= d and self._near[-1]:
            part = budget.part(f"{RECOVERING}: {len(self._near)} moves around the goal")
            newest, farther = self._near[-1], self._winning - joined(self._near)
            self._near.append(self._regions.run(RECOVERING, partial(newest.pre, farther, budget=part)))
        return joined(self._near[: d + 1])


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
    if ranked_soon(solution) if whole is None else whole:
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

    return regions.run(RECOVERING, look)
