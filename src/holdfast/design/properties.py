"""Properties: what a design can be asked to have, for searches that look for changes which give or take it.

A design is *held* if its requirement can be kept for ever. More can be asked: that it is held, and one of its
goals can be forced (:mod:`holdfast.solver.recovery`). A goal that is met at the start has to be met again
whenever it was left: nobody is inside yet is no answer to whether somebody can be got out.

Taking moves from the adversary, or giving the defender some, never takes such a property away, as long as an
adversary that is left without a move was at the goal: it rests where it is. :func:`rests_elsewhere` says
where that must be looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Configuration
from holdfast.logic import Player
from holdfast.readings import CAN, EVICTED, RECOVERED
from holdfast.solver import Solution, out_of_moves, recovery_layers, winning_positions

GOAL_OF = {"evict": EVICTED, "recover": RECOVERED}
"""The goals that have a reading, by its key."""


@dataclass(frozen=True)
class Property:
    """What is asked of a design.

    Attributes:
        name: as it is asked for, such as ``evict``.
        words: a clause of a sentence whose subject is the design, such as ``it holds``.
        goal: what the defender must be able to force besides holding; empty for nothing.
    """

    name: str
    words: str
    goal: str = ""

    def holds(self, solution: Solution, budget: Budget = UNLIMITED) -> bool:
        """Whether a solved design has it.

        Raises:
            LimitError: past the budget.
        """
        if not self.goal or not solution.defensible:
            return solution.defensible
        layers, initial = recovery_layers(solution, self.goal), solution.configuration.initial
        moves = layers.rank(initial, budget)
        return layers.is_again(initial, budget) if moves == 0 else moves is not None


HELD: Property = Property("held", "it holds")


def property_named(configuration: Configuration, name: str) -> Property:
    """That a design holds (``held``), or that a goal can be forced besides: by its name or its reading's key.

    Raises:
        InputError: for a goal that the design does not have.
    """
    if name == HELD.name:
        return HELD
    goal = GOAL_OF.get(name, name)
    if goal not in configuration.goals:
        known = [HELD.name, *(key for key, own in GOAL_OF.items() if own in configuration.goals)]
        known += [own for own in configuration.goals if own not in GOAL_OF.values()]
        raise InputError(
            f'this design has no goal "{name}"; it can be asked for {", ".join(known)}'
            + did_you_mean(name, known)
        )
    can = CAN.get(goal, f'"{goal}" can be reached')
    return Property(name, f"it holds and {can}", goal)


def rests_elsewhere(solution: Solution, goal: str, budget: Budget = UNLIMITED) -> bool:
    """Whether an adversary may be out of moves away from a goal, or has no move that changes nothing.

    Such an adversary may be worse off with more moves, or with moves that lead somewhere.
    """
    game = solution.configuration.game
    if game.tables is not None or all(action.rules for action in game.actions[Player.ADVERSARY]):
        return True
    winning, initial = winning_positions(solution), solution.configuration.initial
    resting = out_of_moves(winning - recovery_layers(solution, goal).goal, budget)
    before = resting.pre(winning, budget=budget)
    # No admissible move of the adversary leads to where φ_A rejects, and such positions do not count.
    return initial in resting or initial in before or bool(before.pre(winning, budget=budget))
