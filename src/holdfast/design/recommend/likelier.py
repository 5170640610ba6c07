"""For a design in which outcomes are drawn: which changes make it likelier to hold, for what they cost.

Every single change is looked at, and sets of changes in the order of size while they cost no more than what
may be spent. What a change gains is certain: the lower end of HOLD with it less the upper end without. They
are ordered by gain for each unit of cost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.properties import Property
from holdfast.design.recommend.space import DesignSpace
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, Interval, counted, has_chance
from holdfast.operation import hold
from holdfast.running import Backend, run_tasks
from holdfast.solver import Solution, solve

MOST_SETS = 500
"""Sets of changes that are looked at."""
LONG = 100
"""For so many moves it is asked where no change helps for ever."""
MAX_HELD = 1_000_000

_ASKED = re.compile(r"hold(?:@(\d+))?")

_Ends = tuple[float, float]


@dataclass(frozen=True)
class LikelierDesign:
    """A changed design.

    Attributes:
        changes, cost: in words, and what they cost.
        hold: how likely it holds.
        gain: by how much more likely, for certain.
    """

    changes: tuple[str, ...]
    cost: int
    hold: Interval[float]
    gain: float

    @property
    def per_cost(self) -> float:
        """What a unit of cost gains."""
        return self.gain / self.cost if self.cost else self.gain


@dataclass(frozen=True)
class Likelier:
    """What makes a design likelier to hold.

    Attributes:
        moves: for how many moves; None for ever.
        base: how likely it holds as it is.
        designs: changed designs that certainly hold more likely, the best for its cost first.
        n_read: how many were looked at.
        complete: whether all sets that can be paid were looked at.
        undecided: why some were not; else empty.
    """

    moves: int | None
    base: Interval[float]
    designs: tuple[LikelierDesign, ...]
    n_read: int
    complete: bool
    undecided: str = ""

    @property
    def words(self) -> str:
        """For how long."""
        return "for ever" if self.moves is None else f"for {counted(self.moves, 'move')}"


def likelihood_named(configuration: Configuration, name: str) -> tuple[Property, int | None] | None:
    """What ``hold`` or ``hold@1000`` asks for, and for how many moves; None for another name.

    Raises:
        InputError: where nothing is left to chance, or for a number of moves that is too large.
    """
    match = _ASKED.fullmatch(name)
    if match is None:
        return None
    if not has_chance(configuration.game):
        raise InputError(
            f'nothing is left to chance in this design, so "{name}" has no meaning; say how likely attempts '
            "succeed under chance:, or leave --for out"
        )
    moves = None if match[1] is None else int(match[1])
    if moves is not None and not 0 < moves <= MAX_HELD:
        raise InputError(f'"{name}": expected a number of moves up to {MAX_HELD:,}, such as hold@100')
    return Property(name, "it is more likely to hold"), moves


def likelier(
    space: DesignSpace,
    solution: Solution,
    moves: int | None,
    max_cost: int | None,
    *,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> Likelier:
    """What makes a solved design likelier to hold."""
    asked = (LONG if moves is None else moves,)
    base = _ends(solution, asked, budget)
    sets, complete = _sets(space, max_cost)
    keys = {json.dumps(space.names(chosen)): chosen for chosen in sets}
    tasks = {key: (space, chosen, asked, engine) for key, chosen in keys.items()}
    found: dict[AssumptionSet, list[_Ends]] = {}
    undecided = ""
    with suppress(LimitError):
        for key, answer in run_tasks(hold_changed, tasks, budget, backend):
            if answer.value is not None:
                found[keys[key]] = [(low, high) for low, high in answer.value]
            undecided = undecided or answer.failure
    if len(found) < len(keys) and not undecided:
        complete = False
    for_ever = moves is None and any(ends[-1][0] > base[-1][1] for ends in found.values())
    place = -1 if for_ever else 0
    designs = [
        LikelierDesign(
            space.names(chosen), space.cost(chosen), Interval(*ends[place]), ends[place][0] - base[place][1]
        )
        for chosen, ends in found.items()
    ]
    better = sorted(filter(_worth_it(designs), designs), key=lambda one: (-one.per_cost, one.cost))
    within = None if for_ever else asked[0]
    return Likelier(within, Interval(*base[place]), tuple(better), len(found), complete, undecided)


def _worth_it(designs: list[LikelierDesign]) -> Callable[[LikelierDesign], bool]:
    """Whether a set of changes gains something, and more than each part of it that was looked at."""

    def worth_it(one: LikelierDesign) -> bool:
        parts = (other for other in designs if set(other.changes) < set(one.changes))
        return one.gain > 0 and all(one.hold.low > part.hold.high for part in parts)

    return worth_it


def _sets(space: DesignSpace, max_cost: int | None) -> tuple[list[AssumptionSet], bool]:
    """Every single change and, where something may be spent, every set that can be paid; whether all."""
    everything = range(len(space.changes))

    def payable() -> Iterator[AssumptionSet]:
        for size in range(1, len(space.changes) + 1 if max_cost is not None else 2):
            for chosen in map(frozenset, combinations(everything, size)):
                if max_cost is None or space.cost(chosen) <= max_cost:
                    yield chosen

    sets: list[AssumptionSet] = []
    for chosen in payable():
        if len(sets) == MOST_SETS:
            return sets, False
        sets.append(chosen)
    return sets, True


def hold_changed(
    task: tuple[DesignSpace, AssumptionSet, tuple[int, ...], str], budget: Budget
) -> list[_Ends] | None:
    """How likely a changed design holds for some moves, and for ever; None if there can be no such design."""
    space, chosen, moves, engine = task
    try:
        changed = space.changed(chosen, budget)
    except InputError:
        return None
    return _ends(solve(changed, engine, budget), moves, budget)


def _ends(solution: Solution, moves: tuple[int, ...], budget: Budget) -> list[_Ends]:
    """Both ends of HOLD for some moves, and for ever."""
    known = hold(solution, moves, budget)
    every = (*(known.moves[t] for t in moves), known.forever)
    return [(one.low, one.high) for one in every]


def likelier_object(found: Likelier) -> dict[str, object]:
    """It as plain data for JSON."""
    return {
        "moves": found.moves,
        "base": {"low": found.base.low, "high": found.base.high},
        "designs": [
            {
                "changes": list(one.changes),
                "cost": one.cost,
                "hold": {"low": one.hold.low, "high": one.hold.high},
                "gain": one.gain,
                "gain_per_cost": one.per_cost,
            }
            for one in found.designs
        ],
        "complete": found.complete,
        "undecided": found.undecided or None,
    }
