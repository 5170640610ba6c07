"""Perfect play where positions cannot be listed: best moves, and a play of them, read off value diagrams.

With k moves to go the defender chooses what the bound from below promises most after, the adversary what the
bound from above concedes least after. Both are then sure of their own end of the bracket, whatever the other
does; and where the bracket is closed, both ends are tight all along the play, so that its moves are best.
Engagement resets are left to chance and do not happen in the play that is shown.

A window of values holds what perfect play comes to, and what is a little worse. Where somebody has erred by
more than that, value diagrams do not tell how to go on.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.arena import Classes, merged_solution, value_classes
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Interval, Position, Protocol, admissible_moves, has_chance, move
from holdfast.logic import Player
from holdfast.operation.brackets.climbs import Landmark
from holdfast.operation.brackets.value_brackets import CLOSED, Bracket, value_search
from holdfast.solver import Solution


@dataclass(frozen=True)
class ValuePlay:
    """Perfect play of both sides over N moves, as far as value diagrams tell.

    Attributes:
        solution: of the configuration that is played; ``merged`` is the same with alike values made one.
        classes: which values are alike.
        bracket: the bounds of both sides, of the merged game.
        n_moves: N.
    """

    solution: Solution
    merged: Solution
    classes: Classes
    bracket: Bracket
    n_moves: int

    @property
    def mean(self) -> Interval[float]:
        """The mean of μ over the N moves from v₀: what each side can be sure of."""
        return Interval(float(self.bracket.value.low), float(self.bracket.value.high))

    @property
    def is_closed(self) -> bool:
        """Whether both ends are one number."""
        return self.mean.width < CLOSED

    def image(self, position: Position) -> Position:
        """A position of the configuration in the merged one."""
        if self.merged is self.solution:
            return position
        variables = self.solution.configuration.game.variables
        codes = (self.classes[v.name][code] for v, code in zip(variables, position.state, strict=True))
        return position._replace(state=tuple(codes))


@dataclass(frozen=True)
class BestReply:
    """A position of perfect play, and what its mover does there.

    Attributes:
        position: where the mover is to choose.
        actions: moves that are best, ascending; the first of them is made. Empty where the adversary is out
            of moves and play rests.
        low, high: the mean of μ over the moves to go lies between them; None where a bound says nothing.
            One number where play was listed.
    """

    position: Position
    actions: tuple[int, ...]
    low: float | None
    high: float | None


def value_play(solution: Solution, protocol: Protocol, budget: Budget = UNLIMITED) -> ValuePlay | None:
    """Perfect play over the episode of a protocol; None where a limit leaves one side without a bound, and
    where outcomes are drawn.

    Raises:
        InputError, ModelError: as :func:`~holdfast.operation.brackets.value_brackets.value_bracket`.
    """
    if has_chance(solution.configuration.game):
        return None
    merged = merged_solution(solution, budget)
    bracket = value_search(merged, protocol, budget)
    if len(bracket.sides) < 2:
        return None
    return ValuePlay(solution, merged, value_classes(solution.configuration, budget), bracket, protocol.steps)


def promised(play: ValuePlay, position: Position, to_go: int) -> dict[int, float] | None:
    """For each safe action the mean of μ over the moves to go that its mover can then be sure of.

    Actions after which that is not known are left out; None where it is for none of several.
    """
    configuration = play.solution.configuration
    side = play.bracket.sides[position.turn is Player.DEFENDER]
    game = side.game
    now, n_safe, worth = configuration.game.mu(position.state), 0, {}
    for action, target in admissible_moves(configuration, position).items():
        if game.product.blocks.number(target) is None:
            continue
        mark = Landmark.of(game, play.image(target))
        if mark.is_safe(game):
            n_safe += 1
            value = side.value(to_go - 1, mark)
            if value is not None:
                worth[action] = float((now + value * game.unit) / to_go)
    return None if n_safe and not worth else worth


def replies_along(play: ValuePlay, n_moves: int) -> tuple[BestReply, ...]:
    """The first moves of a play; fewer where value diagrams do not tell how to go on."""
    here, replies = play.solution.configuration.initial, []
    for to_go in range(play.n_moves, max(0, play.n_moves - n_moves), -1):
        worth = promised(play, here, to_go)
        if worth is None:
            break
        best = max if here.turn is Player.DEFENDER else min
        actions = tuple(a for a in sorted(worth) if worth[a] == best(worth.values()))
        replies.append(BestReply(here, actions, *_means(play, here, to_go)))
        if actions:
            after = move(play.solution.configuration, here, actions[0])
            assert after is not None
            here = after
    return tuple(replies)


def _means(play: ValuePlay, position: Position, to_go: int) -> tuple[float | None, float | None]:
    """Bounds of the mean over the moves to go."""
    here, means = play.image(position), list[float | None]()
    for lower in (True, False):
        side = play.bracket.sides[lower]
        value = side.value(to_go, Landmark.of(side.game, here))
        means.append(None if value is None else float(value * side.game.unit / to_go))
    return means[0], means[1]
