"""An attack played against a playbook of what is seen, as an example of how it is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.appearances import news_in_words
from holdfast.explanation.playbook.seen_phases import SeenPhase, SeenRounds
from holdfast.game import Configuration, Position, Sight
from holdfast.logic import Player
from holdfast.solver import Decision, Stepper, looker, outcome_in_words

MAX_SHOWN = 16
"""Moves of an example, both players' counted."""
MAX_LOOKED_AHEAD = 5_000
"""Situations that are looked at for one in which a rule decides that the example has not shown yet."""


@dataclass(frozen=True)
class SeenMove:
    """A move of an example.

    Attributes:
        mover, action: who did what.
        change: what it changed, seen or not.
        news: what of it was seen.
        phase, rule: of a defender's move the phase, from 1, and the number of the rule that decided, where
            the last resort counts as the last; None for the adversary's.
    """

    mover: str
    action: str
    change: str
    news: str
    phase: int | None = None
    rule: int | None = None


Situation = tuple[Position, int, int]
"""A position of the defender, the phase that its decision came from, and the place of the rule there."""


class SeenExample:
    """A play in which the adversary shows as many rules as it can, the nearest first."""

    def __init__(
        self,
        configuration: Configuration,
        sight: Sight,
        phases: tuple[SeenPhase, ...],
        rounds: SeenRounds,
        idle: tuple[int, ...] = (),
        budget: Budget = UNLIMITED,
    ) -> None:
        """Compile the moves; nothing is played yet."""
        self.configuration, self.phases, self.rounds = configuration, phases, rounds
        self.idle, self.budget = idle, budget
        self.stepper, self.look = Stepper(configuration), looker(configuration, sight)
        names = [action.name for action in configuration.game.actions[Player.ADVERSARY]]
        self.noticed = frozenset(n for n, name in enumerate(names) if name in sight.noticed)

    def moves(self) -> Iterator[SeenMove]:
        """The moves, to where no rule is left that can be shown, or to a length that one can read."""
        start = self.configuration.initial
        begin = self._decided(start, 0, start, -1) if start.turn is Player.DEFENDER else None
        shown, n_moves = set[tuple[int, int]](), 0
        here: Situation | None = begin
        while n_moves < MAX_SHOWN:
            path = self._nearest(here, shown)
            if path is None:
                break
            for action, situation in path:
                for move in self._told(here, action, situation):
                    yield move
                    n_moves += 1
                here = situation
                shown.add(situation[1:])
        if here is not None and n_moves:
            yield self._own_move(here)

    def _decided(self, made: Position, phase: int, position: Position, noticed: int) -> Situation:
        seen = self.look(made), (self.look(position), noticed)
        return position, phase, self.rounds.place(self.phases[phase], seen)

    def _decision(self, situation: Situation) -> Decision:
        _, phase, place = situation
        rules = self.phases[phase]
        return rules.rules[place].decision if place < len(rules.rules) else rules.otherwise

    def _next(self, here: Situation | None) -> Iterator[tuple[int, Situation]]:
        """The adversary's moves after the defender's, and the situations that they lead to."""
        phase, made = 0, self.configuration.initial
        if here is not None:
            decision = self._decision(here)
            phase, target = decision.phase, self.stepper.target(here[0], decision.action)
            assert target is not None, "a playbook says only what can be done"
            made = target
        outcomes = self.stepper.outcomes(made).items()
        for position, actions in sorted(outcomes, key=lambda each: each[0].state == made.state):
            for action in actions:
                yield action, self._decided(made, phase, position, action if action in self.noticed else -1)

    def _nearest(
        self, here: Situation | None, shown: set[tuple[int, int]]
    ) -> list[tuple[int, Situation]] | None:
        """The shortest way to a situation in which another rule decides; None if there is none nearby."""
        came: dict[Situation | None, tuple[Situation | None, int]] = {}
        queue = deque([here])
        while queue and len(came) < MAX_LOOKED_AHEAD:
            self.budget.tick("an example")
            before = queue.popleft()
            for action, after in self._next(before):
                if after in came:
                    continue
                came[after] = before, action
                queue.append(after)
                if after[1:] not in shown and not self._is_last_resort(after):
                    return self._way(came, here, after)
        return None

    def _is_last_resort(self, situation: Situation) -> bool:
        _, phase, place = situation
        idle = self._decision(situation).action in self.idle
        return idle and place == len(self.phases[phase].rules)

    def _way(
        self,
        came: dict[Situation | None, tuple[Situation | None, int]],
        here: Situation | None,
        there: Situation,
    ) -> list[tuple[int, Situation]]:
        way, at = [], there
        while True:
            before, action = came[at]
            way.append((action, at))
            if before is None or before == here:
                return way[::-1]
            at = before

    def _told(self, here: Situation | None, action: int, after: Situation) -> Iterator[SeenMove]:
        """The defender's move, if it has moved, and the adversary's."""
        made = self.configuration.initial
        if here is not None:
            yield self._own_move(here)
            target = self.stepper.target(here[0], self._decision(here).action)
            assert target is not None, "a playbook says only what can be done"
            made = target
        news = news_in_words(self.rounds.seen, self.look(made), self.look(after[0]))
        name = self.configuration.game.actions[Player.ADVERSARY][action].name
        if action in self.noticed:
            news = f"{name} is noticed" + ("" if news.startswith("nothing") else f"; {news}")
        change = outcome_in_words(self.configuration.system, made, action, after[0])
        yield SeenMove(str(Player.ADVERSARY), name, change, news)

    def _own_move(self, here: Situation) -> SeenMove:
        decision = self._decision(here)
        target = self.stepper.target(here[0], decision.action)
        assert target is not None, "a playbook says only what can be done"
        change = outcome_in_words(self.configuration.system, here[0], decision.action, target)
        news = news_in_words(self.rounds.seen, self.look(here[0]), self.look(target))
        name = self.configuration.game.actions[Player.DEFENDER][decision.action].name
        return SeenMove(str(Player.DEFENDER), name, change, news, here[1] + 1, here[2] + 1)
