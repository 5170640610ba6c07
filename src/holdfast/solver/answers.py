"""One intervention after which waiting for ever holds, looked for position by position.

The layer of effort 0 is where waiting holds, and far more complicated than what one position needs of it. So
a few answers are tried from where play gets to: those first that change something near the clauses, and leave
the adversary few moves. Play after such an answer is followed forward, in which the defender has no choice
left; where waiting never leaves W the answer is a remedy, and everything on the way is known to hold, too.
Mostly it even holds against an adversary who may do more than it can, which is seen at once. What is not
found that way may still be there: it is left to the layers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.budget import Budget
from holdfast.game import Configuration, Position, movers
from holdfast.logic import Player
from holdfast.solver.ordering import distances
from holdfast.solver.stepper import Stepper

if TYPE_CHECKING:
    from holdfast.solver.position_sets import PositionSet
    from holdfast.solver.solution import Regions

MOST_TRIED = 4
"""So many answers are tried from one position."""


class WaitingAnswers:
    """What is known to hold without another intervention, and which answers lead there."""

    def __init__(
        self,
        regions: Regions,
        configuration: Configuration,
        free: tuple[int, ...],
        actions: tuple[int, ...],
        budget: Budget,
    ) -> None:
        """Nothing is known yet.

        Args:
            regions: of the solved game, without gambles.
            configuration: of the solved game.
            free: the defender's moves that are no interventions; they are idle and look alike.
            actions: the interventions to try.
            budget: memory and time.
        """
        self._regions, self._actions, self._budget = regions, actions, budget
        self._waiting, self._winning = regions.only(free), regions.winning()
        self._loosened = regions.loosened(self._waiting)
        self._stepper, game = Stepper(configuration), configuration.game
        self._adversary = movers(game, Player.ADVERSARY)
        steps = distances(game, (*configuration.defender, *configuration.adversary))
        self._distances = tuple(steps[variable.name] for variable in game.variables)
        self._held = self._winning - self._winning

    def answer_all(self, here: PositionSet) -> bool:
        """Whether a remedy was found from each of some defender positions.

        Raises:
            LimitError: past the budget.
        """
        while (position := here.some()) is not None:
            self._budget.tick("one intervention")
            if not self._is_answered(position):
                return False
            here -= self._winning.alone(position)
        return True

    def _is_answered(self, position: Position) -> bool:
        after = [target for target, _ in self._stepper.groups(position, self._actions)]
        after = [target for target in after if target in self._winning]
        if any(target in self._held for target in after):
            return True
        promising = sorted(after, key=partial(self._promise, position))[:MOST_TRIED]
        return any(self._holds(target, by) for by in (self._loosened, self._waiting) for target in promising)

    def _promise(self, before: Position, after: Position) -> tuple[int, int]:
        """How near to the clauses something was changed, and in how many ways the adversary can go on."""
        changed = (a != b for a, b in zip(before.state, after.state, strict=True))
        near = (steps for steps, own in zip(self._distances, changed, strict=True) if own)
        moved = {move(after.state) for move in self._adversary}
        return min(near, default=len(self._distances)), len(moved - {after.state, None})

    def _holds(self, position: Position, by: Any) -> bool:
        """Whether waiting for ever is seen to hold a winning position, in this game or a harder one."""
        play = self._regions.followed(self._winning.alone(position), by, self._budget)
        held = self._regions.run("what waiting comes to", partial(self._stays, play))
        self._held |= play if held else play - play
        return held

    def _stays(self, play: PositionSet) -> bool:
        """Whether waiting leads into W from everywhere in a set."""
        waiting, attacking = play.at(Player.DEFENDER), self._winning.at(Player.ADVERSARY)
        return not waiting - attacking.pre(waiting, by=self._waiting, budget=self._budget)
