"""Properties: what a design can be asked to have, for searches that look for changes which give or take it.

- *Held*: its requirement can be kept for ever. More can be asked: that it is held, and one of its goals can
  be forced (:mod:`holdfast.solver.recovery`). A goal that is met at the start has to be met again whenever it
  was left: nobody is inside yet is no answer to whether somebody can be got out.
- *A rung* of its ladder (:mod:`~holdfast.design.ladder`): the design holds there.
- *A gate*: the design holds, and one of its readings keeps a bound. The gates on effort, tempo and grace ask
  that the design holds with one clause more (:mod:`holdfast.solver.restrictions`), the others are read off an
  analysis. That on HOLD asks how likely the requirement is kept, which a lost design may be asked as well.

Taking moves from the adversary, or giving the defender some, never takes such a property away, but for gates
on readings such as WIN, and as long as an adversary that is left without a move was at the goal: it rests
where it is. :func:`is_monotone` says whether that is so, :func:`rests_elsewhere` where it must be looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.ladder import GATED, rung_verdict, rungs
from holdfast.design.trials import forces
from holdfast.errors import InputError, LimitError, did_you_mean
from holdfast.game import Configuration, Interval, counted, interventions_of
from holdfast.logic import Player
from holdfast.operation import hold
from holdfast.readings import CAN, EVICTED, RECOVERED, analyse, every_reading, gates_of, reading_of
from holdfast.solver import (
    Restriction,
    Solution,
    out_of_moves,
    recovery_layers,
    restricted,
    solve,
    solve_beliefs,
    winning_positions,
)

GOAL_OF = {"evict": EVICTED, "recover": RECOVERED}
"""The goals that have a reading, by its key."""

RESPONSE: tuple[Literal["effort", "tempo", "grace"], ...] = ("effort", "tempo", "grace")
READ = ("win", "stp", "slt", *GOAL_OF, *RESPONSE)
"""The readings that are read off a solution, whose gates can be asked for."""

UNDECIDED = 1e-6
"""Ends of HOLD that are farther apart leave a bound between them open; else it is not certainly kept."""
LIKELY = "hold"
"""The reading that says how likely a design holds."""

_BOUND = re.compile(r"\s*(\w+(?:@\d{1,7})?)\s*(<=|>=)\s*(\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class Property:
    """What is asked of a design.

    Attributes:
        name: as it is asked for, such as ``evict``.
        words: a clause of a sentence whose subject is the design, such as ``it holds``.
        goal: what the defender must be able to force besides holding; empty for nothing.
        sight: whether the defense may use only what is seen.
    """

    name: str
    words: str
    goal: str = ""
    sight: bool = False

    def holds(self, solution: Solution, budget: Budget = UNLIMITED) -> bool:
        """Whether a solved design has it.

        Raises:
            LimitError: past the budget.
        """
        if self.sight and solution.defensible:
            sight = solution.configuration.system.sight
            assert sight is not None, "only a design with sensors is asked this"
            return solve_beliefs(solution, sight, budget).defensible
        return solution.defensible and (not self.goal or forces(solution, self.goal, budget))


@dataclass(frozen=True)
class RungKept:
    """That a design holds on a rung of its ladder; ``goal`` is what it must be able to force there."""

    name: str
    words: str
    rung: str
    goal: str = ""

    def holds(self, solution: Solution, budget: Budget = UNLIMITED) -> bool:
        """Whether a solved design has it.

        Raises:
            LimitError: past the budget.
        """
        if not solution.defensible:
            return False
        rung = next((r for r in rungs(solution.configuration, budget) if r.key == self.rung), None)
        if rung is None:  # the design has the weakening already, or none to whom it could happen
            return True
        verdict = rung_verdict(solution, rung, solution.engine, budget)
        if verdict.defensible is None:
            raise LimitError(verdict.note or f"the rung {self.rung} stayed undecided")
        return verdict.defensible


@dataclass(frozen=True)
class GateKept:
    """That a design holds, and one of its readings keeps a bound."""

    name: str
    words: str
    reading: str
    bound: float

    def holds(self, solution: Solution, budget: Budget = UNLIMITED) -> bool:
        """Whether a solved design has it.

        Raises:
            LimitError: past the budget, and where the reading stays undecided.
        """
        if self.likely:
            known = self.likelihood(solution, budget)
            if known.low < self.bound <= known.high and known.width > UNDECIDED:
                raise LimitError(f"{self.name} stayed undecided")
            return known.low >= self.bound
        if not solution.defensible:
            return False
        here, engine = solution.configuration, solution.engine
        for kind in RESPONSE:
            if self.reading == kind:
                if interventions_of(here, budget) is None:
                    return False
                narrowed = restricted(here, Restriction(kind, int(self.bound)), budget)
                return solve(narrowed, engine, budget).defensible
        recovery, latitude = self.reading in GOAL_OF, self.reading == "slt"
        read = analyse(
            here, engine=engine, latitude=latitude, response=False, recovery=recovery, budget=budget
        )
        (gate,) = gates_of(read, {self.reading: self.bound})
        if gate.undecided:
            raise LimitError(f"{self.name} stayed undecided")
        return gate.met

    @property
    def likely(self) -> bool:
        """Whether it asks how likely the design holds."""
        return self.reading.partition("@")[0] == LIKELY

    def likelihood(self, solution: Solution, budget: Budget = UNLIMITED) -> Interval[float]:
        """How likely a solved design holds, for as long as is asked.

        Raises:
            LimitError: past the budget.
        """
        _, _, moves = self.reading.partition("@")
        known = hold(solution, (int(moves),) if moves else (), budget)
        return known.moves[int(moves)] if moves else known.forever


KeptProperty: TypeAlias = Property | RungKept | GateKept


HELD: Property = Property("held", "it holds")
SEEN: Property = Property("sight", "it holds with what the sensors show", sight=True)


def kept_named(solution: Solution, name: str, budget: Budget = UNLIMITED) -> KeptProperty:
    """What a design is to keep: ``held``, a goal (``evict``), a rung (``ladder:…``) or a gate on a reading.

    Raises:
        InputError: for something that the design cannot be asked for.
    """
    here = solution.configuration
    if name.startswith(GATED):
        return _rung(here, name, budget)
    if any(sign in name for sign in "<>="):
        return _gate(name)
    return property_named(here, name)


def _rung(configuration: Configuration, name: str, budget: Budget) -> RungKept:
    known = {rung.key: rung for rung in rungs(configuration, budget)}
    key = name.removeprefix(GATED)
    if key not in known:
        hint = did_you_mean(key, known) or f"; it has {', '.join(known) or 'none'}"
        raise InputError(f'this design has no rung "{key}"{hint}')
    return RungKept(name, f"it holds where {known[key].words}", key, known[key].goal)


def _gate(name: str) -> GateKept:
    match = _BOUND.fullmatch(name)
    keys = [reading.key for reading in every_reading() if reading.gated and reading.key in READ]
    keys.append(LIKELY)
    kind, at, _ = match[1].partition("@") if match is not None else ("", "", "")
    if match is None or kind not in keys or (at and kind != LIKELY):
        hint = did_you_mean(match[1], keys) if match is not None else ""
        raise InputError(
            f'"{name}" is not a gate{hint}; expected a score, <= or >=, and a number, such as effort <= 1: '
            + ", ".join(keys)
        )
    reading, number = reading_of(match[1]), float(match[3])
    if (match[2] == "<=") != reading.less:
        right = "<=" if reading.less else ">="
        raise InputError(f"a gate on {reading.key} is {reading.key} {right} {match[3]}: {reading.meaning}")
    if reading.whole and not number.is_integer():
        raise InputError(f"{reading.key} is a whole number; write {reading.key} {match[2]} {int(number)}")
    words = f"it holds with {reading.key} {match[2]} {match[3]}"
    if reading.key.partition("@")[0] == LIKELY:
        _, _, moves = reading.key.partition("@")
        long = f"for {counted(int(moves), 'move')}" if moves else "for ever"
        words = f"the requirement is kept {long} with probability {match[3]} at least"
    return GateKept(f"{reading.key} {match[2]} {match[3]}", words, reading.key, number)


def has_sensors(configuration: Configuration) -> bool:
    """Whether the file says what the defender sees."""
    sight = configuration.system.sight
    return sight is not None and sight.placed is not None


def property_named(configuration: Configuration, name: str) -> Property:
    """That a design holds (``held``), or that a goal can be forced besides: by its name or its reading's key.

    Where the file says what is seen, a design holds if it does with that.

    Raises:
        InputError: for a goal that the design does not have.
    """
    if name in (HELD.name, SEEN.name) and has_sensors(configuration):
        return SEEN
    if name == HELD.name:
        return HELD
    goal = GOAL_OF.get(name, name)
    if goal not in configuration.goals:
        known = [HELD.name, *(key for key, own in GOAL_OF.items() if own in configuration.goals)]
        known += [own for own in configuration.goals if own not in GOAL_OF.values()]
        known += [SEEN.name] if has_sensors(configuration) else []
        raise InputError(
            f'this design has no goal "{name}"; it can be asked for {", ".join(known)}'
            + did_you_mean(name, known)
        )
    can = CAN.get(goal, f'"{goal}" can be reached')
    return Property(name, f"it holds and {can}", goal)


def is_monotone(kept: KeptProperty, solution: Solution, budget: Budget = UNLIMITED) -> bool:
    """Whether additions that never help the defender never bring what is kept back."""
    goal = GOAL_OF.get(kept.reading, "") if isinstance(kept, GateKept) else kept.goal
    if isinstance(kept, GateKept) and not goal and kept.reading not in RESPONSE and not kept.likely:
        return False
    return not goal or not rests_elsewhere(solution, goal, budget)


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
