"""Fragility: what must never be added to a design, or lost, because it would cost what the design has.

A set of additions (:mod:`~holdfast.design.additions`) that costs the design what it is to keep is a
*breaker*, and a minimal one if no part of it is. **Robustness** is the least cost of a breaker. The breakers
are found as repairs are (:mod:`~holdfast.design.repairs`), cheapest first: a set that breaks nothing is grown
to a large one that does not either (:mod:`~holdfast.design.tolerance`), and every breaker has something
outside it. The answer is a theorem in both directions: each breaker was solved, and so was each of its parts
or something larger that breaks nothing.

Sets that differ by the names of interchangeable places are solved once; that they are alike is proved for
each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.additions import assumption_behind, fragile_design
from holdfast.design.alike_additions import counts, in_names, representatives
from holdfast.design.alike_places import AlikePlaces, Renaming
from holdfast.design.cores import ALIKE, UNASKED, AssumptionSet
from holdfast.design.properties import GateKept, KeptProperty, Property, is_monotone, kept_named
from holdfast.design.repairs import Search
from holdfast.design.tolerance import BreakerQuestion, grown, tolerated_sets
from holdfast.design.trials import SolvedDesign, Trials
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, Displayed, admissible_moves, counted, listed, move
from holdfast.logic import Player
from holdfast.running import Backend
from holdfast.scenario import Scenario, design_section
from holdfast.solver import Solution, SolvedGame, recovery_layers, solve

MOST_BREAKERS = 5_000
"""Breakers that are listed."""

MOST_MOVES = 12
"""Moves of an attack that are told."""

AT_ONCE = 24
"""Sets that are tried at once for each process."""


@dataclass(frozen=True)
class Breaker:
    """A minimal set of additions that costs a design what it is to keep.

    Attributes:
        additions: by their names.
        cost: of all of them.
        breaks: what the design then lacks, in words.
        attack: what the adversary does then, in words.
        moves: the moves of that attack with the defender's longest resistance, as far as they are told.
        n_alike: how many there are of its kind, where interchangeable things are told by a few of them.
    """

    additions: tuple[str, ...]
    cost: int
    breaks: str
    attack: str
    moves: tuple[str, ...] = ()
    n_alike: int = 1


@dataclass(frozen=True)
class Fragility(Displayed):
    """What must never be added to a design.

    Attributes:
        configuration: the design.
        keep, words: what it is to keep, as it was asked for and in words.
        holds: whether the design has it as it is.
        breakers: cheapest first.
        complete_to: every minimal breaker that costs no more is among them.
        kinds: of the additions, and how many there are of each.
        n_solved: how many changed designs were solved.
        seconds: how long it took.
        unfinished: why the search ended early; else empty.
        undecided: where it did, the additions of which it is not known whether one alone is a breaker.
        monotone: whether more additions never bring back what is kept.
        solution: of the design as it is; None where interchangeable things were counted.
        counted: which ones were, such as "40 ws".
    """

    configuration: Configuration = field(repr=False)
    keep: str
    words: str
    holds: bool
    breakers: tuple[Breaker, ...]
    complete_to: int
    kinds: dict[str, int]
    n_solved: int
    seconds: float
    unfinished: str = ""
    undecided: tuple[str, ...] = ()
    monotone: bool = True
    solution: Solution | None = field(default=None, repr=False, compare=False)
    counted: tuple[str, ...] = ()

    @property
    def robustness(self) -> int | None:
        """The least cost of a breaker, 0 of a design that lacks it already; None where none was found."""
        if not self.holds:
            return 0
        return self.breakers[0].cost if self.breakers else None

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The assumptions each of which the proof cannot do without, in words."""
        single = [breaker.additions[0] for breaker in self.breakers if len(breaker.additions) == 1]
        return tuple(words for name in single if (words := assumption_behind(name)))


def fragility(
    configuration: Configuration,
    keep: str = "held",
    *,
    scenario: Scenario | None = None,
    kinds: Collection[str] = (),
    max_cost: int | None = None,
    solution: Solution | None = None,
    tolerated: Collection[str] = (),
    count_alike: bool = False,
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> Fragility:
    """All minimal breakers of a design up to a cost; see the module.

    Args:
        configuration: the design.
        keep: what it is to keep: ``held``, ``evict``, ``recover`` or another goal, ``ladder:detect-first``,
            or a gate such as ``effort <= 1``.
        scenario: its file, which may list what could be added (``design: additions``).
        kinds: only additions of these kinds, such as ``link``.
        max_cost: up to which cost; that of the cheapest single addition if it is left out.
        solution, solved: of the design, where it is solved already; what is called with it before the search.
        tolerated: additions, by their names, of which it is known that none alone is a breaker.
        count_alike: whether interchangeable things may be counted where that pays, no engine is named and the
            file lists no additions. One breaker then stands for all that differ by their names
            (:mod:`~holdfast.design.alike_additions`).
        engine, budget, backend: as elsewhere.

    >>> from holdfast import configure, network_system
    >>> system = network_system(["GW", "Web", "DB"], [("GW", "Web")], "GW")
    >>> found = fragility(configure(system, ["G (DB = C)"]), kinds=["link"])
    >>> [breaker.additions for breaker in found.breakers], found.robustness
    ([('link GW -> DB',)], 1)

    Raises:
        InputError: for something that the design cannot be asked for, and for an unknown kind.
        LimitError: when a limit leaves open whether the design has it as it is.
    """
    started = time.perf_counter()
    counts_alike = count_alike and engine == "auto" and (scenario is None or design_section(scenario) is None)
    few = representatives(configuration, max_cost or 1, budget) if counts_alike else None
    asked = configuration if few is None else few.configuration
    design = fragile_design(asked, scenario, kinds, engine, budget)
    if few is not None:
        design, solution = replace(design, additions=tuple(filter(few.offers, design.additions))), None
    solution = solution or solve(asked, engine, budget)
    if solved is not None:
        solved(solution)
    kept = kept_named(solution, keep, budget)
    most = max_cost if max_cost is not None else min(design.costs, default=1)
    found, unfinished, undecided, complete_to, n_solved = list[Breaker](), "", tuple[str, ...](), most, 0
    holds, monotone = kept.holds(solution, budget), True
    if not holds:
        complete_to = 0
    elif design.additions:
        everything = frozenset(range(len(design.additions)))
        monotone = is_monotone(kept, solution, budget)
        uncertain = design.uncertain if monotone else everything
        question = BreakerQuestion(design, kept, most, uncertain, SolvedDesign(solution))
        search = Search(
            question,
            design.costs,
            budget,
            backend or Backend(),
            work=broken_with,
            images=AlikeAdditions(question, budget),
            batch_size=AT_ONCE,
        )
        try:
            search.cores += (
                everything - some for some in tolerated_sets(question, solution, budget, tolerated)
            )
            for chosen in search.repairs(most) if all(search.cores) else ():
                found.append(_breaker(question, chosen, search.answers[chosen]))
                if len(found) >= MOST_BREAKERS:
                    raise LimitError(f"the first {MOST_BREAKERS:,} are listed; there may be more")
        except LimitError as limit:
            unfinished, complete_to = str(limit), search.complete_to
            left = everything.intersection(*search.cores) - frozenset().union(*search.answers)
            undecided = design.names(left)
        n_solved = search.n_tried
    order = {each.text: i for i, each in enumerate(design.additions)}
    found.sort(key=lambda b: (b.cost, len(b.additions), [order[name] for name in b.additions]))
    if few is not None:
        alike = few.distinct(each.additions for each in found)
        found = [replace(found[i], n_alike=n) for i, n in alike]
    return Fragility(
        configuration,
        kept.name,
        kept.words,
        holds,
        tuple(found),
        complete_to,
        counts(few, design.additions),
        n_solved,
        time.perf_counter() - started,
        unfinished,
        undecided,
        monotone,
        solution if few is None else None,
        () if few is None else few.words,
    )


def fragility_object(found: Fragility) -> dict[str, Any]:
    """The answer as plain data for JSON."""
    return {
        "name": found.configuration.name,
        "variant": found.configuration.variant,
        "keep": found.keep,
        "holds": found.holds,
        "robustness": found.robustness,
        "complete_to": found.complete_to,
        "breakers": [
            {
                key: list(of) if isinstance(of, tuple) else of
                for key, of in asdict(each).items()
                if of != 1 or key != "n_alike"
            }
            for each in found.breakers
        ],
        "rests_on": list(found.rests_on),
        "kinds": found.kinds,
        "solved": found.n_solved,
        "seconds": round(found.seconds, 3),
        "unfinished": found.unfinished or None,
        "undecided": list(found.undecided),
    } | ({"counted": list(found.counted)} if found.counted else {})


def _breaker(question: BreakerQuestion, chosen: AssumptionSet, answer: dict[str, Any]) -> Breaker:
    design = question.design
    told = {"breaks": answer["breaks"], "attack": answer["attack"], "moves": tuple(answer["moves"])}
    return Breaker(design.names(chosen), design.cost(chosen), **told)


# -- one set -----------------------------------------------------------------------------------------


def broken_with(task: tuple[BreakerQuestion, AssumptionSet], budget: Budget) -> list[int] | dict[str, Any]:
    """How the chosen additions break a design; or, as a list, what every breaker has something of."""
    question, chosen = task
    design, everything = question.design, frozenset(range(len(question.design.additions)))
    try:
        solution = Trials(design.engine, budget, question.base).solve(design.extended(chosen))
    except InputError:  # they do not go together
        return sorted(everything - chosen)
    if not question.kept.holds(solution, budget):
        opened = {each.opens[0].name for i in chosen if (each := design.additions[i]).opens is not None}
        return attack_on(question.kept, solution, opened, budget)
    if design.cost(chosen) + min(design.costs) > question.max_cost:
        return sorted(everything - chosen)
    return sorted(everything - grown(question, solution, chosen, budget))


def attack_on(
    kept: KeptProperty, solution: Solution, opened: Collection[str], budget: Budget
) -> dict[str, Any]:
    """What a design lacks that should keep something, and what the adversary does then; plain data.

    Where several moves do, those that were ``opened`` are told.
    """
    if isinstance(kept, GateKept) and kept.likely:
        left = f"{kept.likelihood(solution, budget).high:.4f}"
        return {
            "breaks": f"{kept.name} is no longer certain",
            "attack": f"{kept.reading} is then {left}",
            "moves": [],
        }
    if solution.defensible:
        return _staying(kept, solution, opened, budget)
    moves, rank = list(_line(solution)), solution.initial_rank or 0
    breaks, begun = "it no longer holds", _opening(solution.configuration, moves)
    if not rank:
        attack = "the requirement is violated at the start"
    elif rank == 1 and begun:
        attack = f"{begun}, which is a violation already"
    else:
        left = counted(rank - bool(begun), "move")
        attack = (
            f"{begun}{'; ' if begun else ''}a violation follows within {left}, whatever the defender does"
        )
    return {"breaks": breaks, "attack": attack, "moves": moves}


def _opening(configuration: Configuration, moves: Sequence[str]) -> str:
    """What the adversary's first move does, in words; empty where the defender is first."""
    start, game = configuration.initial, configuration.game
    if start.turn is not Player.ADVERSARY or not moves:
        return ""
    number = next(n for n, action in enumerate(game.actions[start.turn]) if action.name == moves[0])
    after, legend = move(configuration, start, number) or start, configuration.system.legend
    changes = [
        f"{variable.name} is {legend.get(str(variable.values[new]), variable.values[new])}"
        for variable in game.vocabulary.plain
        if (new := after.state[game.places[variable.name]]) != start.state[game.places[variable.name]]
    ]
    changes += [
        f"one of {tally.size:,} {tally.name} is {legend.get(value, value)}"
        for tally in game.tallies
        for value, counter in zip(tally.values, tally.counters, strict=True)
        if after.state[game.places[counter.name]] > start.state[game.places[counter.name]]
    ]
    return f"{listed(changes)} ({moves[0]})" if changes else moves[0]


def _line(solution: Solution) -> Iterator[str]:
    """The moves of an attack against the longest resistance."""
    board = SolvedGame(solution)
    here, actions = board.initial, solution.configuration.game.actions
    for _ in range(MOST_MOVES):
        if not board.rank(here):
            return
        turn = here.turn
        if turn is Player.ADVERSARY:
            action, here = min(board.options(here).items())
        else:
            replies = board.replies(here)
            here = max(replies, key=lambda after: board.rank(after) or 0)
            action = min(replies[here])
        yield actions[turn][action].name


def _staying(
    kept: KeptProperty, solution: Solution, opened: Collection[str], budget: Budget
) -> dict[str, Any]:
    """What is lost of a design that still holds."""
    goal = kept.goal if isinstance(kept, Property) else ""
    if not goal:
        return {"breaks": f"{kept.name} is lost", "attack": f"{kept.name} no longer holds", "moves": []}
    first = _escape(solution, goal, opened, budget)
    breaks = (
        "the attacker can no longer be driven out"
        if goal == "evicted"
        else f'"{goal}" can no longer be forced'
    )
    begun = _opening(solution.configuration, first)
    stays = "the attacker can stay for ever" if goal == "evicted" else "the attacker can prevent it for ever"
    attack = f"{begun}, and from then on {stays}" if begun else stays
    return {"breaks": breaks, "attack": attack, "moves": first}


def _escape(solution: Solution, goal: str, opened: Collection[str], budget: Budget) -> list[str]:
    """The adversary's first move to where the goal cannot be forced any more; none where it need not."""
    here, layers = solution.configuration, recovery_layers(solution, goal)
    start = here.initial
    if start.turn is not Player.ADVERSARY:
        return []
    actions = here.game.actions[Player.ADVERSARY]
    moving = {n: after for n, after in admissible_moves(here, start).items() if after.state != start.state}
    order = sorted(moving, key=lambda number: actions[number].name not in opened)
    number = next((n for n in order if layers.rank(moving[n], budget) is None), None)
    return [] if number is None else [actions[number].name]


# -- sets that are alike -----------------------------------------------------------------------------


class AlikeAdditions:
    """Sets of additions that differ by the names of interchangeable places, each proved to be so."""

    def __init__(self, question: BreakerQuestion, budget: Budget) -> None:
        self.question, self.budget = question, budget
        self.places = AlikePlaces(question.design.configuration, budget)
        self.tried: dict[tuple[str, ...], tuple[AssumptionSet, list[str]]] = {}
        self.answers: dict[AssumptionSet, Any] = {}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The additions by their names."""
        return {each.text: i for i, each in enumerate(self.question.design.additions)}

    def add(self, core: AssumptionSet) -> None:
        """Nothing: what is known are whole sets."""

    def missed(self, chosen: AssumptionSet, most: int) -> list[AssumptionSet]:
        """Nothing: what is known are whole sets."""
        return []

    def answer(self, chosen: AssumptionSet) -> Any:
        """What came of a set that is alike, with other names."""
        if not self.places.class_of:
            return UNASKED
        key, names = self.places.canonical(self.question.design.names(chosen))
        if key not in self.tried:
            self.tried[key] = chosen, names
            return UNASKED
        other, others = self.tried[key]
        if other == chosen:
            return UNASKED
        if other not in self.answers:
            return ALIKE
        return self._renamed(other, chosen, self.places.renaming(others, names), self.answers[other])

    def learn(self, chosen: AssumptionSet, answer: Any) -> None:
        """Keep what came of a set."""
        self.answers[chosen] = answer

    def _renamed(self, one: AssumptionSet, other: AssumptionSet, names: Renaming, answer: Any) -> Any:
        """The answer of a set for another that is alike; :data:`UNASKED` where that cannot be shown."""
        everything = frozenset(range(len(self.numbers)))
        if isinstance(answer, dict):
            if self.question.design.cost(one) == 0 or not self._is_alike(one, other, names):
                return UNASKED
            return {
                "breaks": answer["breaks"],
                "attack": in_names(answer["attack"], names),
                "moves": [in_names(move, names) for move in answer["moves"]],
            }
        # Whatever is tolerated with it: only what never helps, so that one comparison speaks for all parts.
        if one & self.question.uncertain:
            return sorted(everything - other) if self._is_alike(one, other, names) else UNASKED
        large = everything - frozenset(answer) - self.question.uncertain
        image = {self._image(i, names) for i in large}
        there = frozenset(i for i in image if i is not None)
        if None in image or not self._is_alike(large, there, names):
            return UNASKED
        return sorted(everything - there)

    def _image(self, number: int, names: Renaming) -> int | None:
        words = self.question.design.additions[number].text.split(" ")
        return self.numbers.get(" ".join(names.get(word, word) for word in words))

    def _is_alike(self, one: AssumptionSet, other: AssumptionSet, names: Renaming) -> bool:
        design = self.question.design
        self.budget.tick("looking for breakers: the same elsewhere")
        try:
            return self.places.is_renamed(design.extended(one), design.extended(other), names)
        except InputError:
            return False
