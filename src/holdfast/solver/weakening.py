"""Whether a solved game still holds when the adversary can do more, or the defender less.

Nothing that was lost is held then: the attractor goes on from what is lost already, in the diagrams of the
solved game, and ends as soon as it has the start. No game is made for it. What the adversary can do more is
taken as largely as it may be, so that the start staying outside is a proof, and its being drawn in is none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import or_

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Action
from holdfast.logic import Diagram, Expression, Player
from holdfast.solver.diagram_positions import DiagramPositions, attractor
from holdfast.solver.solution import Solution
from holdfast.solver.symbolic import DiagramRegions

WEAKENING = "what the design withstands"

Opened = tuple[int, Action, Expression]
"""An action of the adversary by its number, what it also does, and where."""


def can_be_weakened(solution: Solution) -> bool:
    """Whether this can be asked of a solved game: one that holds, in diagrams, without counters or chance."""
    regions = solution.regions
    return (
        solution.defensible
        and isinstance(regions, DiagramRegions)
        and not regions.gambling
        and not solution.configuration.game.tallies
    )


def holds_weakened(
    solution: Solution,
    opened: Sequence[Opened] = (),
    closed: Collection[int] = (),
    budget: Budget = UNLIMITED,
) -> bool:
    """Whether the start of a solved game is surely not lost when moves are opened and closed.

    Args:
        solution: for which :func:`can_be_weakened` says so.
        opened: what the adversary can do more, all of it together.
        closed: actions of the defender, by their numbers, that it lacks; some other one is left.
        budget: time.

    >>> from holdfast.game import configure
    >>> from holdfast.models.network import network_system
    >>> from holdfast.solver import solve
    >>> here = configure(network_system(["GW", "Web", "DB"], [("GW", "Web")], "GW"), ["G (DB = C)"])
    >>> new = next(each for each in here.system.additions() if each.text == "link Web -> DB")
    >>> number = [action.name for action in here.game.actions[Player.ADVERSARY]].index("spread(DB)")
    >>> holds_weakened(solve(here, "symbolic"), [(number, *new.opens)])
    True

    Raises:
        LimitError: past the budget.
    """
    regions = solution.regions
    assert isinstance(regions, DiagramRegions), "see can_be_weakened"
    return regions.run(WEAKENING, partial(_start_is_kept, solution, regions, opened, closed, budget))


def _start_is_kept(
    solution: Solution,
    regions: DiagramRegions,
    opened: Sequence[Opened],
    closed: Collection[int],
    budget: Budget,
) -> bool:
    game, start = solution.configuration.game, solution.configuration.initial
    left = tuple(n for n in range(len(game.actions[Player.DEFENDER])) if n not in closed)
    states: dict[tuple[int, Action], Diagram] = {}
    for number, doing, when in opened:
        truth = regions.product.diagrams.truth(when)
        states[number, doing] = states[number, doing] | truth if (number, doing) in states else truth
    lost = ~regions.winning()
    lost = replace(lost, product=regions.only(left)) if closed else lost

    def drawn(lost: DiagramPositions) -> DiagramPositions:
        """From where what was opened leads to what is lost."""
        among = (~lost).at(Player.ADVERSARY)
        parts = (_done(lost, *action, here, among) for action, here in states.items())
        return reduce(or_, parts, DiagramPositions.nothing(lost.product))

    newest = None if closed else drawn(lost)
    lost = lost if newest is None else lost | newest
    if start in lost:
        return False
    tick = partial(budget.tick, WEAKENING)
    return not any(start in more for more, _ in attractor(lost, newest, tick, drawn))


def _done(
    lost: DiagramPositions, number: int, doing: Action, states: Diagram, among: DiagramPositions
) -> DiagramPositions:
    """From where an action, done so in some states, leads to what is lost."""
    here = DiagramPositions.where(lost.product, states) & among
    return lost.pre_as(number, doing, here, unsafe=True)
