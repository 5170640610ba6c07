"""For a design without a property: all minimal sets of changes that give it, cheapest first.

The property (:mod:`~holdfast.design.properties`) is that the design holds, or that a goal can be forced
besides. A set *works* if the design with all of its changes has it, and still everything that has to stay.
It is minimal if no part of it works.

Changes that can only help go through the search of :mod:`holdfast.design.repairs`, which proves that nothing
cheaper works. Named changes that may hurt are laid underneath, every choice of at most :data:`MOST_NAMED` of
them with the others on top; sets with more of those are not tried: the answer says so, and claims to be
complete only below the cost of the cheapest of them.

Where the time is limited, the first set that works is looked for alone, by the search and, where that takes
too long, by taking changes back from all of them; it is the answer if the search then finds none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import isfinite

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.assumption import Assumption
from holdfast.design.cores import AssumptionSet
from holdfast.design.lost_design import LostDesign
from holdfast.design.properties import HELD, Property
from holdfast.design.recommend.some_remedy import some_remedy
from holdfast.design.recommend.space import RESPOND, DesignSpace
from holdfast.design.repairs import Exclusion, Search
from holdfast.design.trials import SolvedDesign, Trials
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration
from holdfast.running import Backend
from holdfast.solver import recovery_layers

FIRST_PART = 0.3
"""The part of the time in which the search looks for a first set, and in which any other is looked for."""

MOST_NAMED = 2
MOST_REPAIRS = 200
"""Repairs that are listed; a flat network can have millions."""

MOST_TIMED = 20
"""Repairs of which is told how soon the goal is reached."""


@dataclass(frozen=True)
class Remedy:
    """A set of changes that works; no part of it does.

    Attributes:
        changes, cost: in words, and what they cost.
        moves: within how many moves the goal can be forced then; None where there is none, and for those
            that were not asked, see :data:`MOST_TIMED`.
    """

    changes: tuple[str, ...]
    cost: int
    moves: int | None = None


@dataclass(frozen=True)
class Remedies:
    """What was found out about a design without a property.

    Attributes:
        sets: minimal sets of changes that work, cheapest first.
        complete_to: every one that costs no more is among them.
        total: what all changes cost together.
        n_solved: how many changed designs were solved.
        unfinished: why the search ended before that; else empty.
        remark: what the answer does not cover; else empty.
    """

    sets: tuple[Remedy, ...]
    complete_to: int
    total: int
    n_solved: int
    unfinished: str = ""
    remark: str = ""

    @property
    def cheapest_known(self) -> bool:
        """Whether nothing cheaper than the first set works."""
        return not self.sets or self.sets[0].cost <= self.complete_to + 1


def remedies(
    space: DesignSpace,
    max_cost: int | None = None,
    wanted: Property = HELD,
    *,
    base: SolvedDesign | None = None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    tell: Callable[[Remedies], object] | None = None,
) -> Remedies:
    """All minimal sets of changes that give a design a property it lacks, up to a cost; see the module.

    Without ``max_cost`` the search goes on to the cheapest ones and all others of the same cost. Each time a
    set is found, ``tell`` is called with what is known by then. ``base`` is the design, if it is solved.
    """
    helping = [i for i, change in enumerate(space.changes) if change.helps]
    others = [i for i, change in enumerate(space.changes) if not change.helps]
    under = [
        frozenset(c) for size in range(min(MOST_NAMED, len(others)) + 1) for c in combinations(others, size)
    ]
    under.sort(key=space.cost)
    everything = space.cost(range(len(space.changes)))
    most = everything if max_cost is None else max_cost
    complete, remark = everything, ""
    if len(others) > MOST_NAMED:
        remark = f"sets with more than {MOST_NAMED} changes that may hurt"
        complete = sum(sorted(space.changes[i].cost for i in others)[: MOST_NAMED + 1]) - 1
    working: list[AssumptionSet] = []
    trials, n_tried, unfinished = Trials(engine, budget, base), 0, ""

    def minimal(upto: int) -> list[AssumptionSet]:
        least = [chosen for chosen in dict.fromkeys(working) if not any(other < chosen for other in working)]
        least = [chosen for chosen in least if space.cost(chosen) <= upto]
        return sorted(least, key=lambda chosen: (space.cost(chosen), len(chosen), sorted(chosen)))

    def found(some: Sequence[AssumptionSet]) -> None:
        sets = tuple(Remedy(space.names(chosen), space.cost(chosen)) for chosen in some)
        if tell is not None:
            tell(Remedies(sets, min(proved, most), everything, trials.n_solved + n_tried, "", remark))

    proved, (some, cores) = 0, _first(space, helping, wanted, trials, most)
    if some is not None and space.cost(some) <= most:
        found([some])
    for number, named in enumerate(under):
        price = space.cost(named)
        if price > most:
            break
        search = _search(space, named, helping, wanted, trials, budget, backend)
        search.cores += [] if named else cores
        later = [space.cost(named) - 1 for named in under[number + 1 :]]
        try:
            for chosen in _on_top(space, named, helping, search, trials, most - price, max_cost is None):
                working.append(chosen)
                most = most if max_cost is not None else min(most, space.cost(chosen))
                proved = max(0, min(complete, price + search.complete_to, *later))
                found(minimal(most))
                if len(working) >= MOST_REPAIRS:
                    raise LimitError(f"the first {MOST_REPAIRS} are listed; there are more of the same cost")
        except LimitError as limit:
            unfinished = str(limit)
            complete = min(complete, price + search.complete_to, *later)
        n_tried += search.n_tried
        if unfinished:
            break
    if unfinished and not working and some is not None and space.cost(some) <= most:
        working.append(some)
    chosen_sets = minimal(most)
    sets = tuple(
        Remedy(space.names(chosen), space.cost(chosen), moves)
        for chosen, moves in zip(chosen_sets, _moves(space, chosen_sets, wanted, trials), strict=True)
    )
    n_solved = trials.n_solved + n_tried
    return Remedies(sets, min(complete, most), everything, n_solved, unfinished, remark)


def _moves(
    space: DesignSpace, sets: Sequence[AssumptionSet], wanted: Property, trials: Trials
) -> Iterator[int | None]:
    """How soon the goal of a property is reached with each of some sets, as far as that is worked out."""
    for number, chosen in enumerate(sets):
        moves = None
        if wanted.goal and number < MOST_TIMED:
            with suppress(LimitError):
                solution = trials.solve(space.changed(chosen, trials.budget))
                layers = recovery_layers(solution, wanted.goal)
                moves = layers.rank(solution.configuration.initial, trials.budget)
        yield moves


def _on_top(
    space: DesignSpace,
    named: AssumptionSet,
    helping: list[int],
    search: Search,
    trials: Trials,
    most: int,
    cheapest: bool,
) -> Iterator[AssumptionSet]:
    """The minimal sets that work and have just these of the changes that may hurt, cheapest first."""
    if named and space.keeps(named):
        search.complete_to = -1  # until they are solved, nothing is known of them alone either
        holds = _holds(space, named, search.question.wanted, trials)
        search.complete_to = 0
        if holds:
            yield named
            return
    if helping and not _hopeless(space, named, helping, search.question.wanted, trials):
        for chosen in search.repairs(most, cheapest=cheapest):
            yield named | {helping[i] for i in chosen}
    elif helping:
        search.complete_to = most


def _first(
    space: DesignSpace, helping: list[int], wanted: Property, trials: Trials, most: int
) -> tuple[AssumptionSet | None, list[AssumptionSet]]:
    """Some set that works, where the time is limited, and the cores that were found on the way."""
    unchanged = AssumptionSet()
    if not isfinite(trials.budget.deadline) or not helping:
        return None, []
    if _hopeless(space, unchanged, helping, wanted, trials):
        return None, []
    serial = replace(trials.budget.share(FIRST_PART), jobs=1)
    search = _search(space, unchanged, helping, wanted, trials, serial, None)
    try:
        chosen = next(search.repairs(most, cheapest=True), None)
        return None if chosen is None else frozenset(helping[i] for i in chosen), search.cores
    except LimitError:
        patience = Trials(trials.engine, trials.budget.share(FIRST_PART), trials.base)
        return some_remedy(space, wanted, patience), search.cores


def _hopeless(
    space: DesignSpace, named: AssumptionSet, helping: list[int], wanted: Property, trials: Trials
) -> bool:
    """Whether not even all helping changes together are enough, so that no set of them is.

    Not asked of changes that bring new actions, which would all have to be solved at once, nor where more
    is asked than that it holds, which fewer changes may serve better.
    """
    if wanted != HELD:
        return False
    system = space.configuration.system
    plain = {*system.parts, *system.hardenable, *(p for p in system.upgrades if p.verb == RESPOND)}
    if any(space.changes[i].part not in plain for i in helping):
        return False
    try:
        return not trials.solve(space.changed(named | set(helping), trials.budget)).defensible
    except InputError:  # they do not go together
        return False


def _search(
    space: DesignSpace,
    named: AssumptionSet,
    helping: list[int],
    wanted: Property,
    trials: Trials,
    budget: Budget,
    backend: Backend | None,
) -> Search:
    """The search over the helping changes, with some named ones made before."""
    changes = [space.changes[i] for i in helping]
    known = {*space.configuration.system.parts, *space.configuration.system.hardenable}
    replayed = [not named and change.part in known for change in changes]
    candidates = tuple(
        Assumption(change.kind, change.name, part=change.part if plain else None)
        for change, plain in zip(changes, replayed, strict=True)
    )
    question = LostDesign(
        space.configuration,
        candidates,
        trials.engine,
        opaque=frozenset(i for i, plain in enumerate(replayed) if not plain),
        rebuild=partial(_rebuilt, space, named, tuple(helping)),
        wanted=wanted,
        base=trials.base,
    )
    backend = backend or Backend()
    about = f"{backend.about}{sorted(named)} " if backend.log is not None else ""
    search = Search(question, [c.cost for c in changes], budget, replace(backend, about=about))
    search.refusal = partial(_refusal, space, named, tuple(helping))
    return search


def _rebuilt(
    space: DesignSpace, named: AssumptionSet, helping: tuple[int, ...], chosen: AssumptionSet
) -> Configuration:
    return space.changed(named | {helping[i] for i in chosen})


def _refusal(
    space: DesignSpace, named: AssumptionSet, helping: tuple[int, ...], chosen: AssumptionSet
) -> Exclusion | None:
    refused = space.refusal(named | {helping[i] for i in chosen})
    if refused is None:
        return None
    together, unless = (frozenset(i for i, n in enumerate(helping) if n in part) for part in refused)
    return together, unless


def _holds(space: DesignSpace, chosen: AssumptionSet, wanted: Property, trials: Trials) -> bool:
    try:
        return wanted.holds(trials.solve(space.changed(chosen, trials.budget)), trials.budget)
    except InputError:  # changes that do not go together
        return False


def droppable(
    space: DesignSpace, wanted: Property = HELD, engine: str = "auto", budget: Budget = UNLIMITED
) -> Iterator[str]:
    """The clauses of the requirement each of which alone, if it were dropped, would give the property."""
    here, trials = space.configuration, Trials(engine, budget)
    for number, clause in enumerate(here.requirement):
        rest = here.requirement[:number] + here.requirement[number + 1 :]
        try:
            has_it = wanted.holds(trials.solve(replace(here, requirement=rest)), budget)
        except (InputError, LimitError):
            continue
        if has_it:
            yield clause.label
