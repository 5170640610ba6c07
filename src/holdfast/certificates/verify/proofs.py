"""What each section of a witness must show, one step from each of its positions.

A :class:`Demand` says which moves of a player must be good ones: all of them, one of them, those that the
witness names, or those that rules name. A move is good that leads to a listed position (of a lower rank, in a
section of ranks), or to a successor valuation that is *free*. Each proof of :mod:`.checking` is a few of
these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Generic, Literal

from holdfast.certificates.verify.planes import MoveLetters, Plane, PlaneGame
from holdfast.certificates.verify.rules import CheckedRule, told
from holdfast.certificates.verify.sets import Goal, States, Transition, WitnessNumbers, truth, union
from holdfast.logic.expressions import Expression, Player

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY


@dataclass(frozen=True)
class Demand(Generic[States]):
    """What the moves of a player must do at the positions of a section.

    Attributes:
        turn: whose moves.
        which: of them must be good.
        free: the successor valuations that are good wherever they lead.
        failing: what is said of a move that is not, or where no move is.
        exempt: the valuations at which nothing is asked.
    """

    turn: Player
    which: Literal["all", "one", "named", "ruled"]
    free: Callable[[MoveLetters[States]], States]
    failing: str
    exempt: States


class Proofs(Generic[States, Goal, Transition]):
    """The proofs over one game and its planes."""

    def __init__(self, game: PlaneGame[States, Transition]) -> None:
        self.game, self.space = game, game.space

    # -- what sections prove ------------------------------------------------------------------------------

    def region(self, inside: WitnessNumbers[States, Goal, Transition], rules: list[CheckedRule]) -> str:
        """Why a set is none that contains v₀ and in which the defender (by rules, if any) stays for ever."""
        nothing = self.space.false
        stays = Demand[States](DEFENDER, "one", lambda _: nothing, "no defender move stays inside", nothing)
        if rules:
            stays = Demand(DEFENDER, "ruled", stays.free, "that the rules name leads outside", nothing)
        led = Demand[States](ADVERSARY, "all", lambda s: s.forbidden, "leads outside", nothing)
        return (
            self._safe(inside)
            or self._start(inside)
            or self._unmet(inside, led)
            or self._unmet(inside, stays, rules)
        )

    def forced(self, ranks: WitnessNumbers[States, Goal, Transition], start: bool) -> str:
        """Why ranks are none from which the adversary forces a violation; from v₀, if asked for."""
        wrong, nothing = "is inadmissible or lowers no rank", self.space.false
        named = Demand[States](ADVERSARY, "named", lambda s: s.unsafe & s.admissible, wrong, nothing)
        drawn = Demand[States](DEFENDER, "all", lambda s: s.unsafe, wrong, nothing)
        needed = start and not self.game.is_unsafe(self.game.initial)
        return (
            (self._start(ranks) if needed else "") or self._unmet(ranks, named) or self._unmet(ranks, drawn)
        )

    def reached(
        self,
        inside: WitnessNumbers[States, Goal, Transition],
        ranks: WitnessNumbers[States, Goal, Transition],
        goal: Expression,
        moves: int,
    ) -> str:
        """Why ranks within a region do not lead from v₀ to a goal within so many moves."""
        game = self.game
        wrong = "a position with a recovery rank is outside the region"
        if why := self._beyond(ranks, inside, wrong) or self._start(ranks):
            return why
        rank = ranks.rank(game.planes[game.initial], game.structure.initial) - 1
        if rank != moves:
            return f"it claims {moves} moves, and the recovery rank of the initial position is {rank}"
        return self._nearing(ranks, truth(self.space, goal))

    def _nearing(self, ranks: WitnessNumbers[States, Goal, Transition], there: States) -> str:
        """Why ranks do not lead from where they are to a set of valuations."""
        space, game, wrong = self.space, self.game, "leads no nearer to the goal"
        drawn = Demand[States](ADVERSARY, "all", lambda s: s.forbidden, wrong, there)
        none = "no defender move leads nearer to the goal"
        nears = Demand[States](DEFENDER, "one", lambda _: space.false, none, there)
        asked = self._asked(ranks, drawn)
        resting = self._resting(ranks, asked, lambda s: ~s.admissible)
        for plane, states in resting.items():
            if space.occurs(states):
                return f"the adversary has no move, and rests for ever, at: {game.described(plane, states)}"
        return self._unmet(ranks, drawn) or self._unmet(ranks, nears)

    def again(
        self,
        inside: WitnessNumbers[States, Goal, Transition],
        home: WitnessNumbers[States, Goal, Transition],
        ranks: WitnessNumbers[States, Goal, Transition],
        goal: Expression,
    ) -> str:
        """Why a set with ranks is none in which the defender visits a goal again and again from v₀ on."""
        space, there = self.space, truth(self.space, goal)
        stays = Demand[States](
            DEFENDER, "one", lambda _: space.false, "no defender move stays in the home", ~there
        )
        led = Demand[States](ADVERSARY, "all", lambda s: s.forbidden, "leads out of the home", ~there)
        return (
            self._beyond(home, inside, "a position of the home is outside the region")
            or self._beyond(home, ranks, "a position of the home has no recovery rank")
            or self._beyond(ranks, home, "a position with a recovery rank is outside the home")
            or self._start(home)
            or self._unmet(home, led)
            or self._unmet(home, stays)
            or self._nearing(ranks, there)
        )

    def trapped(
        self,
        trap: WitnessNumbers[States, Goal, Transition],
        lost: WitnessNumbers[States, Goal, Transition],
        goal: Expression,
    ) -> str:
        """Why a set is none in which the adversary keeps the play away from a goal, unless it is lost."""
        space, game, there = self.space, self.game, truth(self.space, goal)
        if why := self._safe(trap) or self._start(trap):
            return why
        for plane, i in game.planes.items():
            inside = trap.members(i) & there
            if space.occurs(inside):
                return f"the trap contains a position at the goal: {game.described(plane, inside)}"

        held, holds = self._holding(lost, space.false)
        return self._unmet(trap, held) or self._unmet(trap, holds, may_rest=True)

    def left_in_the_end(
        self,
        visits: WitnessNumbers[States, Goal, Transition],
        lost: WitnessNumbers[States, Goal, Transition],
        goal: Expression,
    ) -> str:
        """Why numbers are none of visits that the adversary leaves at most from v₀ on, unless φ_D is lost."""
        there, lasting = truth(self.space, goal), visits.lasting()
        held, holds = self._holding(lost, there)
        spent, spends = self._holding(lost, ~there)
        return (
            self._safe(visits)
            or self._start(visits)
            or self._unmet(lasting, held)
            or self._unmet(lasting, holds, may_rest=True)
            or self._unmet(visits, spent)
            or self._unmet(visits, spends)
        )

    def _holding(
        self, lost: WitnessNumbers[States, Goal, Transition], exempt: States
    ) -> tuple[Demand[States], Demand[States]]:
        """That the defender leads nowhere else, or loses; and that the adversary can lead there."""
        space = self.space

        def given_up(letters: MoveLetters[States]) -> States:
            return letters.unsafe | union(space, (both & lost.members(i) for i, both in letters.targets))

        wrong, none = "leaves the trap and is not shown to lose", "no adversary move stays in the trap"
        return (
            Demand(DEFENDER, "all", given_up, wrong, exempt),
            Demand(ADVERSARY, "one", lambda _: space.false, none, exempt),
        )

    # -- steps --------------------------------------------------------------------------------------------

    def _beyond(
        self,
        numbers: WitnessNumbers[States, Goal, Transition],
        inside: WitnessNumbers[States, Goal, Transition],
        wrong: str,
    ) -> str:
        """Which position of a section is in no other, said as what is wrong with it."""
        for plane, i in self.game.planes.items():
            outside = numbers.members(i) & ~inside.members(i)
            if self.space.occurs(outside):
                return f"{wrong}: {self.game.described(plane, outside)}"
        return ""

    def _safe(self, inside: WitnessNumbers[States, Goal, Transition]) -> str:
        """Which unsafe position is in a set."""
        for plane, i in self.game.planes.items():
            if self.game.is_unsafe(plane) and self.space.occurs(inside.members(i)):
                return f"an unsafe position is inside: {self.game.described(plane, inside.members(i))}"
        return ""

    def _start(self, inside: WitnessNumbers[States, Goal, Transition]) -> str:
        """Whether v₀ is missing."""
        start = self.game.planes.get(self.game.initial)
        if start is None or not self.space.contains(inside.members(start), self.game.structure.initial):
            return f"the initial position is outside: {self.game.start}"
        return ""

    def _asked(
        self, numbers: WitnessNumbers[States, Goal, Transition], demand: Demand[States]
    ) -> dict[Plane, States]:
        """In each plane of the mover, the positions at which something is asked."""
        planes = self.game.planes.items()
        return {plane: numbers.members(i) & ~demand.exempt for plane, i in planes if plane[0] is demand.turn}

    def _unmet(
        self,
        numbers: WitnessNumbers[States, Goal, Transition],
        demand: Demand[States],
        rules: list[CheckedRule] | None = None,
        *,
        may_rest: bool = False,
    ) -> str:
        """Why the moves of a player do not do what they must."""
        game, space, turn, which = self.game, self.space, demand.turn, demand.which
        left = self._asked(numbers, demand)
        says = {plane: told(space, rules, plane[1], own) for plane, own in left.items()} if rules else {}
        for alike in game.alike(turn) if left else ():
            goals = {}
            for plane in left:
                game.budget.tick(f"following the {turn}'s {alike[0][1]}")
                letters = game.after(plane, game.letter(turn, alike[0][0]))
                goals[plane] = numbers.goal(letters.targets, demand.free(letters))
            for outcomes in game.choices(turn, alike):
                action, name = outcomes[0]
                game.budget.tick(f"checking the {turn}'s {name}")
                steps = [space.step(turn, number) for number, _ in outcomes]
                for plane in left:
                    if which == "one" and not space.exists(left[plane]):
                        continue
                    i = game.planes[plane]
                    escapes = [numbers.escapes(i, goals[plane], step) for step in steps]
                    # Where all moves must be good one good outcome is enough; else none may be bad.
                    wrong = reduce(and_ if which == "all" else or_, escapes) & ~demand.exempt
                    if which == "one":
                        left[plane] = left[plane] & wrong
                        continue
                    if which == "ruled":
                        wrong = wrong & says[plane].get(name, space.false)
                    if which == "named":
                        here = numbers.named(i, action, name)
                        wrong, left[plane] = wrong & here, left[plane] & ~here
                    if space.occurs(wrong):
                        at = game.described(plane, wrong)
                        return f"the {turn} move {name} {demand.failing} at: {at}"
        if which in ("all", "ruled"):
            return ""
        if may_rest:
            left = {plane: own for plane, own in left.items() if space.exists(own)}
            resting = self._resting(numbers, left, lambda s: s.forbidden)
            left = {plane: own & ~resting[plane] for plane, own in left.items()}
        for plane, own in left.items():
            if space.occurs(own):
                what = "no adversary move is named" if which == "named" else demand.failing
                return f"{what} at: {game.described(plane, own)}"
        return ""

    def _resting(
        self,
        numbers: WitnessNumbers[States, Goal, Transition],
        left: dict[Plane, States],
        barred: Callable[[MoveLetters[States]], States],
    ) -> dict[Plane, States]:
        """Those of some adversary positions from where every move leads to what is barred."""
        game, left = self.game, dict(left)
        for alike in game.alike(ADVERSARY) if left else ():
            bars = {
                plane: numbers.goal([], barred(game.after(plane, game.letter(ADVERSARY, alike[0][0]))))
                for plane in left
            }
            for action, name in alike:
                game.budget.tick(f"looking for rest from the adversary's {name}")
                step = self.space.step(ADVERSARY, action)
                for plane, own in left.items():
                    left[plane] = own & ~numbers.escapes(game.planes[plane], bars[plane], step)
        return left
