"""For a held design: what each change, and each affordable set of changes, does to its readings.

Every single change is read, then sets of changes in the order of size while they cost no more than the budget
and there are no more than :data:`MOST_SETS` of them; past that only sets that add one change to the best ones
found so far. The answer says what it covered. A change *improves* on the design if some reading is better, or
a rung of the ladder is gained, and the design still holds; one is *dominated* if another is at least as good
in every reading, on the ladder and in cost, and better in one. Those that are not dominated are the Pareto
front, in the order of :mod:`~holdfast.design.recommend.weighing`.

Where the time is limited, or the design as it is takes long and somebody waits, every single change is looked
at without what takes long (DDR*, recovery) first, so that the most promising ones are read in full as long as
there is time. Whoever wants to hear of it is told what is known after each change. Who asks for no more than
the single changes, and does not say how long that may take, gets what is known after two minutes.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb, inf, isfinite

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.flow_needs import WHOLE
from holdfast.design.ladder import ladder_of
from holdfast.design.recommend.alike_plays import AlikePlays
from holdfast.design.recommend.changed_designs import (
    IN_FULL,
    NOT_REACHED,
    ChangedDesign,
    as_changed,
    read_all,
    read_base,
    read_designs,
    read_verdict,
)
from holdfast.design.recommend.space import DesignSpace
from holdfast.design.recommend.twins import twins
from holdfast.design.recommend.weighing import beats, gains, order_of
from holdfast.errors import LimitError
from holdfast.game import NEVER, Protocol
from holdfast.readings import EVICTED, Analysis, Asked
from holdfast.running import Backend, run_tasks
from holdfast.solver import Solution

MOST_SETS = 2_000
BEAM = 8
"""Sets of one size that are looked at, and how many of the best are built on past that."""

SHORTLIST = 40
"""Changed designs that are taken up the ladder, the best by all else."""

ALL_PARTS, BASE_PART, LOOK_PART, LADDER_PART = 0.85, 0.4, 0.4, 0.3
"""The parts of the time that is left: for everything, since some work goes on without looking at the clock;
for the design as it is, for a first look, and for the ladder."""

UNASKED_SECONDS = 120.0
"""How long designs are read where nobody says how long that may take."""

SOON = 2.0
"""Seconds in which a design is read in full; else there is a first look, even if the time is not limited."""

QUIET = 10.0
"""How long nothing is told, in terms of how long telling took."""

UNREAD = "DDR* and recovery"


@dataclass(frozen=True)
class Improvements:
    """What was found out about a held design.

    Attributes:
        base: its readings as it is.
        singles: every single change.
        front: sets of changes that improve it and are not dominated, the best first.
        dominated: sets that improve it too, each with the number in ``front`` of one that is better.
        coverage: what was looked at, in words.
        n_read: how many changed designs were analysed.
        complete: whether all of them were read in full, so that the first one is the best.
    """

    base: ChangedDesign
    singles: tuple[ChangedDesign, ...]
    front: tuple[ChangedDesign, ...]
    dominated: tuple[tuple[ChangedDesign, int], ...]
    coverage: str
    n_read: int
    complete: bool = True


def improvements(
    space: DesignSpace,
    solution: Solution,
    max_cost: int | None = None,
    *,
    protocol: Protocol | None = None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    asked: Asked = IN_FULL,
    alike: AlikePlays | None = None,
    tell: Callable[[Improvements], object] | None = None,
) -> Improvements:
    """What changes do to a held design, which is solved; sets of several only with ``max_cost``.

    ``asked`` says what is read of each, and ``alike`` what was read before. While changed designs are read
    ``tell`` is called with what is known by then.
    """
    backend, waiting = backend or Backend(), isfinite(budget.deadline)
    plain = max_cost is None and not waiting and not backend.cluster and backend.log is None
    budget = budget.share(ALL_PARTS, UNASKED_SECONDS if plain else inf)
    briefly = replace(asked, exact=False, recovery=False)
    progress = _Progress(read_verdict(space, solution, protocol, budget), tell)
    progress.say()
    alike = AlikePlays(solution) if alike is None else alike
    climb = _Climb(space, solution, engine, budget, backend, alike)
    looked: dict[AssumptionSet, ChangedDesign] = {}
    base: ChangedDesign | None = None
    if not waiting and tell is not None and backend.log is None:
        base = read_base(space, solution, protocol, budget.share(1.0, SOON), backend, asked)
        base = None if base.undecided else base
        waiting = base is None
    if waiting:  # what can be told of the changes is told before the design is read in full
        progress.base = read_base(space, solution, protocol, budget.share(LOOK_PART / 2), backend, briefly)
        progress.say()
        alike.take_up(progress.base.analysis, protocol, briefly)
        looked = _looked(space, protocol, engine, budget, backend, climb, progress, briefly)
    base = base or read_base(space, solution, protocol, budget.share(BASE_PART), backend, asked)
    alike.take_up(base.analysis, protocol, asked)
    progress.base = base
    progress.say()

    def read(sets: Iterable[AssumptionSet]) -> list[ChangedDesign]:
        fitting = [chosen for chosen in sets if space.keeps(chosen)]
        return read_designs(space, fitting, protocol, engine, budget, backend, progress.hear, asked, alike)

    singles = _singles(space, looked, read)
    designs, coverage = list(singles), _covered(singles, "single changes", f"all {len(singles)}")
    size, best = 2, singles
    while max_cost is not None and size <= len(space.changes) and _all_reached(designs):
        complete = comb(len(space.changes), size) <= MOST_SETS
        sets = _larger(space, best, size, max_cost, complete)
        if not sets:
            break
        more = read(sets)
        designs += more
        word = {2: "pairs", 3: "triples"}.get(size, f"sets of {size}")
        some = "all" if complete else f"{len(sets)} of the"
        coverage += ", " + _covered(more, word if not complete else f"{word} within the budget", some)
        best, size = sorted(more, key=order_of)[:BEAM], size + 1
    designs = climb.taken_up([_with_flows(space, one) for one in designs])
    complete = _all_reached(designs) and not any(one.undecided for one in designs if one.analysis is not None)
    return _weighed(base, designs, len(singles), coverage, complete)


def _weighed(
    base: ChangedDesign, designs: Sequence[ChangedDesign], n_singles: int, coverage: str, complete: bool
) -> Improvements:
    """What changed designs come to."""
    better = sorted((one for one in designs if one.defensible and _improves(one, base)), key=order_of)
    front = [one for one in better if not any(beats(other, one) for other in better)]
    beaten = [
        (one, next(i for i, other in enumerate(front) if beats(other, one)))
        for one in better
        if one not in front
    ]
    singles = tuple(designs[:n_singles])
    return Improvements(
        base, singles, tuple(front), tuple(beaten), coverage, 1 + len(designs), complete=complete
    )


class _Progress:
    """What is known of changed designs, told when there is more, but never for most of the time.

    The first one that is better is told at once.
    """

    def __init__(self, base: ChangedDesign, tell: Callable[[Improvements], object] | None) -> None:
        self.base, self.tell, self.quiet_until = base, tell, 0.0
        self.known: dict[AssumptionSet, ChangedDesign] = {}
        self.improves = False

    def hear(self, *designs: ChangedDesign) -> None:
        """Take up designs, each in place of what was known of it."""
        self.known |= {one.chosen: one for one in designs if one.analysis is not None}
        first = not self.improves and any(one.defensible and _improves(one, self.base) for one in designs)
        if first or time.monotonic() >= self.quiet_until:
            self.say()

    def say(self) -> None:
        """Tell what is known."""
        if self.tell is None:
            return
        started = time.monotonic()
        designs = sorted(self.known.values(), key=lambda one: (len(one.chosen), sorted(one.chosen)))
        n_singles = sum(len(one.chosen) == 1 for one in designs)
        found = _weighed(self.base, designs, n_singles, f"{len(designs)} so far", complete=False)
        self.improves = bool(found.front)
        self.tell(found)
        self.quiet_until = time.monotonic() + QUIET * (time.monotonic() - started)


def _looked(
    space: DesignSpace,
    protocol: Protocol | None,
    engine: str,
    budget: Budget,
    backend: Backend,
    climb: _Climb,
    progress: _Progress,
    briefly: Asked,
) -> dict[AssumptionSet, ChangedDesign]:
    """Every single change without what takes long."""
    # Kinds of which there are few come first: a rule between zones, before each of a hundred links.
    n_alike = Counter(change.kind for change in space.changes)
    sets = [frozenset({i}) for i in range(len(space.changes)) if space.keeps({i})]
    rare = sorted(sets, key=lambda chosen: n_alike[space.changes[min(chosen)].kind])
    tasks = {chosen: (space, chosen, protocol, engine, briefly, climb.alike) for chosen in rare}
    limited, apart = budget.share(LOOK_PART), backend.with_scope("look")

    def glance(chosen: AssumptionSet, known: Analysis) -> None:
        """The first change that makes something better is told before all is read of it."""
        if not progress.improves:
            progress.hear(as_changed(space, chosen, known, ""))

    with climb.alike.telling(glance):
        first = read_all(space, tasks, limited, apart, progress.hear)
    if isfinite(budget.deadline):
        first = climb.taken_up(first)
    progress.hear(*first)
    return {one.chosen: one for one in first}


def _singles(
    space: DesignSpace,
    looked: Mapping[AssumptionSet, ChangedDesign],
    read: Callable[[Iterable[AssumptionSet]], list[ChangedDesign]],
) -> list[ChangedDesign]:
    """Every single change, read in full as far as there is time, the most promising ones first."""
    sets = [frozenset({i}) for i in range(len(space.changes)) if space.keeps({i})]
    promising = sorted(sets, key=lambda chosen: order_of(looked[chosen])) if looked else sets
    designs = {one.chosen: one for one in read(promising)}
    for chosen, one in looked.items():
        if designs[chosen].undecided == NOT_REACHED and one.analysis is not None:
            designs[chosen] = replace(one, undecided=f"{UNREAD}: {NOT_REACHED}")
    return [designs[chosen] for chosen in sets]


def _covered(designs: Sequence[ChangedDesign], what: str, all_of_them: str) -> str:
    """How many of some designs were looked at, in words."""
    missed = sum(one.undecided == NOT_REACHED for one in designs)
    briefly = sum(NOT_REACHED in one.undecided and one.undecided != NOT_REACHED for one in designs)
    if not missed and not briefly:
        return f"{all_of_them} {what}"
    part = f" ({briefly} of them without {UNREAD})" if briefly else ""
    return f"{len(designs) - missed} of {len(designs)} {what}{part}, then the time ran out"


def _all_reached(designs: Iterable[ChangedDesign]) -> bool:
    return not any(NOT_REACHED in one.undecided for one in designs)


def _improves(one: ChangedDesign, base: ChangedDesign) -> bool:
    """Whether some reading is better for certain, or a rung is gained."""
    return bool(one.rungs_gained) or any(True for _ in gains(one, base))


# -- the ladder ---------------------------------------------------------------------------------------


class _Climb:
    """The rungs that changed designs reach and the design as it is does not, each found out once."""

    def __init__(
        self,
        space: DesignSpace,
        solution: Solution,
        engine: str,
        budget: Budget,
        backend: Backend,
        alike: AlikePlays,
    ) -> None:
        self.space, self.solution, self.engine, self.budget = space, solution, engine, budget
        self.alike = alike
        self.backend = backend.with_scope("ladder")
        self.gained: dict[AssumptionSet, tuple[str, ...]] = {}

    @cached_property
    def fallen(self) -> tuple[str, ...]:
        """The rungs that the design as it is does not reach; asked for when there are changes to compare."""
        ladder = ladder_of(self.solution, self.engine, self.budget.share(LADDER_PART / 2))
        return tuple(verdict.rung for verdict in ladder.rungs if verdict.defensible is False)

    def taken_up(self, designs: Sequence[ChangedDesign]) -> list[ChangedDesign]:
        """Designs with the rungs that they gain, those that are best by all else as far as there is time."""
        short = sorted((one for one in designs if one.defensible), key=order_of)[:SHORTLIST]
        same = twins(self.space, [one.chosen for one in short], self.budget)
        asked = [one for one in short if one.chosen not in self.gained and one.chosen not in same]
        left = {json.dumps(one.changes): one.chosen for one in asked}
        known = {one.chosen: _evictable(one) for one in short}
        tasks = {
            key: (self.space, own, self.fallen, self.engine, known[own], self.alike)
            for key, own in left.items()
        }
        if not self.fallen:
            self.gained |= dict.fromkeys(left.values(), ())
            tasks = {}
        with suppress(LimitError):
            limited = self.budget.share(LADDER_PART)
            for key, answer in run_tasks(rungs_reached, tasks, limited, self.backend):
                if answer.value is not None:
                    self.gained[left[key]] = tuple(answer.value)
        self.gained |= {chosen: self.gained[one] for chosen, one in same.items() if one in self.gained}
        return [replace(one, rungs_gained=self.gained.get(one.chosen)) for one in designs]


def _with_flows(space: DesignSpace, one: ChangedDesign) -> ChangedDesign:
    if one.analysis is None:
        return one
    return replace(one, flows_hit=sum(left.kept != WHOLE for left in space.flows_left(one.changes)))


def _evictable(one: ChangedDesign) -> bool | None:
    """Whether the attacker can be got out of a design that holds, where that was read."""
    profile = None if one.analysis is None else one.analysis.recovery.get(EVICTED)
    if profile is None or profile.moves is None:
        return None
    return profile.again if profile.moves == 0 else profile.moves != NEVER


def rungs_reached(
    task: tuple[DesignSpace, AssumptionSet, tuple[str, ...], str, bool | None, AlikePlays], budget: Budget
) -> list[str]:
    """Which of some rungs a changed design reaches."""
    space, chosen, rungs, engine, evictable, alike = task
    solution = alike.changed(space.changed(chosen, budget), engine, budget)
    ladder = ladder_of(solution, engine, budget, only=rungs, evictable=evictable)
    return [verdict.rung for verdict in ladder.rungs if verdict.defensible]


def _larger(
    space: DesignSpace, best: Sequence[ChangedDesign], size: int, max_cost: int, complete: bool
) -> list[AssumptionSet]:
    """The sets of a size that can be paid: all of them, or those that add one change to the best."""
    everything = range(len(space.changes))
    if complete:
        sets: Iterator[AssumptionSet] = map(frozenset, combinations(everything, size))
    else:
        sets = (reading.chosen | {i} for reading in best for i in everything if i not in reading.chosen)
    return [chosen for chosen in dict.fromkeys(sets) if space.cost(chosen) <= max_cost]
