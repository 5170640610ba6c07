"""What may be the case in a play, for a defender who knows only what it saw: a set of positions.

It begins with the start, which is known. A move of the defender leads each position on; a move of the
adversary leads to all that it may have played, unless it was noticed. What is seen then leaves those that
look like the position of the play. A new engagement is noticed, and so is that play goes on: nothing has been
violated.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.apps.play.session import Event, Match, Session, Step, is_resting, reset_target
from holdfast.errors import LimitError
from holdfast.game import Position, Sight, is_unsafe
from holdfast.logic import Player
from holdfast.solver import Stepper, looker

MANY = 20_000
"""Cases past which they are no longer followed."""

Cases = frozenset[Position]


class Possibilities:
    """What may be the case after each step of a play; a play that goes on, or back, is not followed anew."""

    def __init__(self, match: Match, sight: Sight) -> None:
        """Compile the moves; nothing is followed yet."""
        self.match, self.look = match, looker(match.configuration, sight)
        self._stepper = Stepper(match.configuration)
        names = [action.name for action in match.configuration.game.actions[Player.ADVERSARY]]
        self.noticed = frozenset(n for n, name in enumerate(names) if name in sight.noticed)
        self._known: list[tuple[Step, Cases]] = []

    def after(self, session: Session, n: int | None = None) -> Cases:
        """What may be the case after step ``n`` of a play; after its last one, unless it is given.

        Raises:
            LimitError: past :data:`MANY` cases.
        """
        wanted = session.steps if n is None else session.steps[: n + 1]
        kept = 0
        while kept < min(len(wanted), len(self._known)) and self._known[kept][0] == wanted[kept]:
            kept += 1
        known = self._known[:kept]
        for place in range(kept, len(wanted)):
            step = wanted[place]
            cases = frozenset({step.position})
            if place:
                before, earlier = wanted[place - 1].position, known[-1][1]
                cases = frozenset(
                    case for case in self._next(before, step, earlier) if self._fits(case, step.position)
                )
            if len(cases) > MANY:
                raise LimitError(f"more than {MANY:,} cases are possible")
            known.append((step, cases))
        self._known = known if len(wanted) >= len(self._known) else self._known
        return known[len(wanted) - 1][1]

    def _fits(self, case: Position, position: Position) -> bool:
        """Whether a case looks like the position of the play; a violation would end the play."""
        over = is_unsafe(self.match.configuration, position)
        same = is_unsafe(self.match.configuration, case) == over
        return same and self.look(case) == self.look(position)

    def _next(self, before: Position, step: Step, cases: Cases) -> Iterator[Position]:
        if step.event is Event.RESET:
            for case in cases:
                target = reset_target(self.match, case)
                if target is not None:
                    yield target
        elif step.event is Event.REST:
            yield from (case for case in cases if is_resting(self.match.configuration, case))
        elif before.turn is Player.DEFENDER:
            assert step.action is not None
            for case in cases:
                made = self._stepper.target(case, step.action)
                if made is not None:
                    yield made
        else:
            for case in cases:
                for target, actions in self._stepper.outcomes(case).items():
                    if any(self._alike(action, step.action) for action in actions):
                        yield target

    def _alike(self, action: int, played: int | None) -> bool:
        """Whether a move of the adversary cannot be told from the one that was played by what is noticed."""
        return action == played if played in self.noticed else action not in self.noticed
