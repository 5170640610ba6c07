"""The threat frontier: which combinations of the numbers of a specification are defensible, exactly.

A *scale* is a number of the specifications, or a circumstance (tempo, effort, grace, entries, sensors:
:mod:`~holdfast.design.circumstances`), with the values that it is to take, from the easiest for the defender
to the hardest. Making one harder never helps the defender (prop:refinement), so over the grid of all
combinations the defensible ones are closed towards the easy end, and their edge is a staircase: for each
combination of all scales but the last, how far the last may go. That number can only fall as the others
become harder, so what was found at an easier combination bounds it from above, and it is looked for downwards
from there in steps that double. A grid of m by n takes about m + n solves or fewer, not m · n.

Where a design says what is seen, a cell holds if it does with that; where the number of sensors is moved, if
it does with some set of so many.

The same scales are laid over several designs. A design without a budget that another has gets it added: its
frontier says how much it would bear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.bound import Bound, bounds, missing_limits
from holdfast.design.circumstances import ENTRIES, SENSORS, Circumstance, circumstances, holds_from_all
from holdfast.design.knobs import PLACE
from holdfast.design.properties import HELD, has_sensors, property_named
from holdfast.design.sensing import holds_with_sensors
from holdfast.errors import InputError, LimitError, did_you_mean
from holdfast.game import Clause, Configuration, Displayed
from holdfast.logic import Player
from holdfast.readings import analyse, reading_of, untrained_readings
from holdfast.running import Backend, TaskResult, run_tasks
from holdfast.solver import solve

MAX_VALUES, MAX_CELLS = 100, 10_000
BEYOND = 3
"""Numbers past its own that a scale goes to where nobody says how far."""

Movable = Bound | Circumstance
"""What a scale can move."""

_ASKED = re.compile(r"(.+?)\s*=\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*")


@dataclass(frozen=True)
class Scale:
    """A number that is moved.

    Attributes:
        template: the bound in words, with a sign in place of its number.
        values: what it takes, from the easiest for the defender to the hardest.
        value: as the base has it; None where it has no such limit.
    """

    template: str
    values: tuple[int, ...]
    value: int | None

    def text(self, k: int | str = "k") -> str:
        """The bound with a number."""
        return self.template.replace(PLACE, str(k))


@dataclass(frozen=True)
class Staircase:
    """The frontier of one design.

    Attributes:
        label: of the design.
        reach: for each combination of all scales but the last, in the order of :func:`levels`, how many
            values of the last are defensible; None where a limit left that open.
        n_solved: how many configurations were solved.
        unfinished: why some are open; else empty.
    """

    label: str
    reach: tuple[int | None, ...]
    n_solved: int
    unfinished: str = ""


@dataclass(frozen=True)
class Frontier(Displayed):
    """The frontiers of some designs over the same scales, the base first."""

    scales: tuple[Scale, ...]
    staircases: tuple[Staircase, ...]


StaircaseTask = tuple[Configuration, tuple[Scale, ...], str]
"""A design, the scales, and how it is solved."""

ALL_BUT_TELLING = 0.95
"""The part of the time in which games are solved."""


def levels(scales: Sequence[Scale]) -> Iterator[tuple[int, ...]]:
    """The combinations of all scales but the last, as values, easier ones before harder ones."""
    return product(*(scale.values for scale in scales[:-1]))


def frontier(
    designs: Mapping[str, Configuration],
    over: Sequence[Scale] | Sequence[str] = (),
    *,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> Frontier:
    """The frontiers of some designs, the base first, over scales as :func:`scales_of` makes them.

    >>> from holdfast.models.network import STUB
    >>> from holdfast.scenario.reading import configuration, scenario_from_text
    >>> here = configuration(scenario_from_text(STUB))
    >>> found = frontier({"base": here}, ["active=2..4", "times(destroy)=0..3"])
    >>> found.staircases[0].reach
    (4, 4, 1)

    Raises:
        InputError: for no design, for text that is no scale, and for a design that has one of the numbers in
            no clause of its own and cannot get it.
    """
    if not designs:
        raise InputError("no design was given; expected at least one configuration under its label")
    asked = [scale for scale in over if isinstance(scale, str)]
    given = tuple(scale for scale in over if isinstance(scale, Scale))
    scales = given or scales_of(next(iter(designs.values())), asked)
    for here in designs.values():
        numbers_of(here, scales)  # what does not fit is said before the work
    tasks = {label: (here, tuple(scales), engine) for label, here in designs.items()}
    logged = backend is not None and backend.log is not None  # what a log has is whole, so that it can go on
    reached: dict[str, TaskResult] = {}
    with nullcontext() if logged else suppress(LimitError):
        limited = budget if logged else budget.share(ALL_BUT_TELLING)
        for label, answer in run_tasks(staircase_of if logged else staircase_so_far, tasks, limited, backend):
            reached[label] = answer
    n_levels = sum(1 for _ in levels(scales))
    staircases = []
    for label in designs:
        answer = reached.get(label, TaskResult(None, "the time ran out before it was tried"))
        reach, n_solved, *why = answer.value or ([None] * n_levels, 0)
        staircases.append(Staircase(label, tuple(reach), n_solved, *(why or [answer.failure])))
    return Frontier(tuple(scales), tuple(staircases))


def staircase_of(task: StaircaseTask, budget: Budget) -> tuple[list[int], int]:
    """How many values of the last scale are defensible at each level, and how many games that took."""
    reach, n_solved, why = staircase_so_far(task, budget)
    if why:
        raise LimitError(why)
    return [level for level in reach if level is not None], n_solved


def staircase_so_far(task: StaircaseTask, budget: Budget) -> tuple[list[int | None], int, str]:
    """As far as it is known: each level, None where a limit left it open; the games; what stopped it."""
    configuration, scales, engine = task
    numbers = numbers_of(configuration, scales)
    reach: dict[tuple[int, ...], int] = {}
    n_solved, why = 0, ""

    def holds(place: tuple[int, ...]) -> bool:
        nonlocal n_solved
        n_solved += 1
        budget.tick(f"frontier, game {n_solved}")
        values = [scale.values[i] for scale, i in zip(scales, place, strict=True)]
        return is_held(configuration, numbers, values, engine, budget)

    places = list(product(*(range(len(scale.values)) for scale in scales[:-1])))
    try:
        for place in places:
            easier = [(*place[:i], place[i] - 1, *place[i + 1 :]) for i in range(len(place)) if place[i]]
            most = min((reach[p] for p in easier), default=len(scales[-1].values))
            reach[place] = _furthest(most, lambda i, place=place: holds((*place, i)))  # type: ignore[misc]
    except LimitError as limit:
        why = str(limit)
    return [reach.get(place) for place in places], n_solved, why


def _furthest(most: int, holds: Callable[[int], bool]) -> int:
    """How many of the first ``most`` hold, where none holds after one that does not.

    >>> [_furthest(9, lambda i: i < n) for n in (0, 1, 4, 8, 9)]
    [0, 1, 4, 8, 9]
    """
    low, high, step = most, most, 1
    while low and not holds(low - 1):
        low, high, step = max(0, low - step), low - 1, 2 * step
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle - 1) else (low, middle - 1)
    return low


def is_held(
    configuration: Configuration,
    numbers: Sequence[Movable],
    values: Sequence[int],
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> bool:
    """Whether the configuration is defensible with other numbers, from every start that they allow.

    Raises:
        InputError: for many starts of a design that says what is seen.
    """
    solution = solve(at_numbers(configuration, numbers, values, budget), engine, budget)
    moved = {_kind(number): k for number, k in zip(numbers, values, strict=True)}
    if ENTRIES in moved and (SENSORS in moved or has_sensors(configuration)):
        raise InputError(
            "entries ask about many starts, and what is seen is followed from one; leave entries out, or ask "
            "about a variant without sensors"
        )
    if not solution.defensible:
        return False
    if ENTRIES in moved:
        return holds_from_all(solution, moved[ENTRIES], budget)
    if SENSORS in moved:
        return holds_with_sensors(solution, moved[SENSORS], budget)
    return property_named(solution.configuration, HELD.name).holds(solution, budget)


def _kind(number: Movable) -> str:
    return number.kind if isinstance(number, Circumstance) else ""


def at_numbers(
    configuration: Configuration,
    numbers: Sequence[Movable],
    values: Sequence[int],
    budget: Budget = UNLIMITED,
) -> Configuration:
    """The configuration with other numbers; a limit or a restriction that is not there yet is added."""
    sides = {Player.DEFENDER: list(configuration.requirement), Player.ADVERSARY: list(configuration.boundary)}
    added: list[Clause] = []
    around: list[tuple[Circumstance, int]] = []
    for bound, value in zip(numbers, values, strict=True):
        if isinstance(bound, Circumstance):
            around.append((bound, value))
            continue
        automaton = bound.automaton(value)
        clause = Clause(automaton, automaton.source)
        if bound.value is None:
            added.append(clause)
        else:
            sides[bound.side][bound.clause] = clause
    boundary = (*sides[Player.ADVERSARY], *added)
    changed = replace(configuration, requirement=tuple(sides[Player.DEFENDER]), boundary=boundary)
    for circumstance, value in around:
        changed = circumstance.at(changed, value, budget)
    return changed


def numbers_of(configuration: Configuration, scales: Sequence[Scale]) -> list[Movable]:
    """The numbers of a configuration that the scales move.

    Raises:
        InputError: where it has none such, or two of them stand in one clause.
    """
    known = _known(configuration)
    numbers: list[Movable] = []
    for scale in scales:
        if scale.template not in known:
            raise InputError(f"{_called(configuration)} has no number as in {scale.text()}; {_listed(known)}")
        numbers.append(known[scale.template])
    written = [bound for bound in numbers if isinstance(bound, Bound) and bound.value is not None]
    places = [(bound.side, bound.clause) for bound in written]
    if len(set(places)) < len(places):
        raise InputError(
            "two of the numbers are in one clause; write it as two clauses to vary them separately"
        )
    return numbers


def scales_of(configuration: Configuration, asked: Sequence[str] = ()) -> tuple[Scale, ...]:
    """The scales that are asked for, such as ``times(destroy)=0..5``; or a threshold and a budget.

    Args:
        configuration: whose numbers they are.
        asked: each the beginning of a bound and the values that it is to take.

    Raises:
        InputError: for text that is no scale, or names no number; without ``asked``, where there is none.
    """
    known = _known(configuration)
    if asked:
        scales = tuple(_asked(text, known) for text in asked)
    else:
        written = [
            number for number in known.values() if isinstance(number, Bound) and number.value is not None
        ]
        sides = ([b for b in written if b.side is side] for side in Player)
        chosen: list[Movable] = [number[0] for number in sides if number]
        chosen += [b for b in [*written, *known.values()] if b not in chosen][: 2 - len(chosen)]
        scales = tuple(_usual(bound) for bound in chosen)
    if not scales:
        raise InputError("no clause has a number that can be varied, so there is no frontier to draw")
    templates = [scale.template for scale in scales]
    if len(set(templates)) < len(templates):
        raise InputError("a number is named twice; name each once")
    n_cells = 1
    for scale in scales:
        n_cells *= len(scale.values)
    if n_cells > MAX_CELLS:
        raise InputError(
            f"the grid has {n_cells:,} cells; at most {MAX_CELLS:,} are drawn, so name fewer values"
        )
    return scales


def _known(configuration: Configuration) -> dict[str, Movable]:
    """Every number by its template: those of the file, budgets that could be added, then circumstances."""
    written, _ = bounds(configuration)
    by_template: dict[str, Movable] = {}
    movable: tuple[Movable, ...] = (*written, *missing_limits(configuration, written))
    for number in (*movable, *circumstances(configuration)):
        by_template.setdefault(number.template, number)
    return by_template


def _asked(text: str, known: dict[str, Movable]) -> Scale:
    match = _ASKED.fullmatch(text)
    if match is None:
        raise InputError(
            f'"{text}" is not a number with its values; expected something like times(destroy)=0..5'
        )
    name, low, high = match[1].strip(), int(match[2]), int(match[3])
    if low > high or high - low >= MAX_VALUES:
        raise InputError(f'"{text}": expected a first and a last value, at most {MAX_VALUES} in all')
    spoken = {template: template.replace(PLACE, "").strip() for template in known}
    matching = [template for template, words in spoken.items() if name == words] or [
        template for template, words in spoken.items() if words.startswith(name) or name in words
    ]
    if len(matching) != 1:
        hint = did_you_mean(name, (words.split(" ")[0] for words in spoken.values()))
        problem = f'no number is called "{name}"' if not matching else f'"{name}" could be several numbers'
        raise InputError(f"{problem}{hint}; {_listed(known)}")
    return _scale(known[matching[0]], range(low, high + 1))


def _usual(bound: Movable) -> Scale:
    """What a threshold can be, from its first number that asks something to the last that can be kept at all;
    a budget or a deadline from nothing to a little past its own number.
    """
    value = bound.value if bound.value is not None else 0
    low, high = (bound.low, value + BEYOND) if bound.high is None else (bound.low + 1, bound.high - 1)
    if high - low >= MAX_VALUES // 4:
        low, high = max(low, value - 2 * BEYOND), min(high, value + 2 * BEYOND)
    return _scale(bound, range(low, max(low, high) + 1))


def _scale(bound: Movable, values: range) -> Scale:
    if bound.high is not None:
        values = range(max(values.start, bound.low), min(values.stop, bound.high + 1))
    values = range(max(values.start, bound.low), values.stop)
    if not values:
        raise InputError(f"{bound.text('k')}: none of these values makes a difference; name others")
    return Scale(bound.template, tuple(values)[:: bound.harder], bound.value)


def _called(configuration: Configuration) -> str:
    return f'the variant "{configuration.variant}"' if configuration.variant else "the design"


def _listed(known: dict[str, Movable]) -> str:
    return "the numbers are " + (
        ", ".join(number.text("k") for number in list(known.values())[:16]) or "none"
    )


# -- readings in the cells ------------------------------------------------------------------------


def cell_readings(
    designs: Mapping[str, Configuration],
    frontier: Frontier,
    key: str,
    *,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> dict[tuple[str, int, int], float | None]:
    """A reading in every cell that is defensible, by design, level and place on the last scale.

    Args:
        designs: those of the frontier.
        found: the frontier.
        key: of a reading that needs no training, such as ``slt``.

    Raises:
        InputError: for a reading that there is not, or that needs training.
    """
    readable = [reading.key for reading in untrained_readings()]
    if key not in readable:
        hint = did_you_mean(key, readable) or f"; there are {', '.join(readable)}"
        raise InputError(f'no reading is called "{key}"{hint}')
    if ENTRIES in map(_kind, numbers_of(next(iter(designs.values())), frontier.scales)):
        raise InputError("a reading is of one start, and entries ask about many; leave one of the two out")
    tasks: dict[str, tuple[Configuration, tuple[Scale, ...], tuple[int, ...], str, str]] = {}
    places: dict[str, tuple[str, int, int]] = {}
    for staircase in frontier.staircases:
        for level, (values, n) in enumerate(zip(levels(frontier.scales), staircase.reach, strict=True)):
            for column in range(n or 0):
                numbers = (*values, frontier.scales[-1].values[column])
                name = json.dumps([staircase.label, *numbers])
                places[name] = staircase.label, level, column
                tasks[name] = designs[staircase.label], frontier.scales, numbers, key, engine
    read = run_tasks(reading_at, tasks, budget, backend)
    return {places[name]: answer.value for name, answer in read}


def reading_at(
    task: tuple[Configuration, tuple[Scale, ...], tuple[int, ...], str, str], budget: Budget
) -> float | None:
    """One reading of a configuration at other numbers."""
    configuration, scales, numbers, key, engine = task
    reading = reading_of(key)
    edited = at_numbers(configuration, numbers_of(configuration, scales), numbers)
    analysis = analyse(
        edited,
        engine=engine,
        latitude=reading.needs == "latitude",
        response=reading.needs == "response",
        exact=reading.needs == "exact",
        budget=budget,
    )
    return reading.read(analysis)


# -- in words -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contrast:
    """How far one design bears more than the base, level by level.

    Attributes:
        label: of the design.
        more, fewer: at how many levels it bears more, and fewer, values of the last scale.
        everywhere: by how many it differs, where that is the same at every level; else None.
        n_levels: how many levels could be compared.
        n_hopeless: at how many more levels neither bears anything.
    """

    label: str
    more: int
    fewer: int
    everywhere: int | None
    n_levels: int
    n_hopeless: int = 0


def contrasts(frontier: Frontier) -> Iterator[Contrast]:
    """Each design against the base; a level at which both bear all values, or none, tells nothing."""
    base, *others = frontier.staircases
    n_values = len(frontier.scales[-1].values)
    for other in others:
        pairs = [
            (a, b)
            for a, b in zip(base.reach, other.reach, strict=True)
            if a is not None and b is not None and not (a == b and a in (0, n_values))
        ]
        n_hopeless = sum(a == b == 0 for a, b in zip(base.reach, other.reach, strict=True))
        steps = [b - a for a, b in pairs]
        capped = any(n_values in pair for pair in pairs)
        same = steps[0] if steps and len(set(steps)) == 1 and not capped else None
        more, fewer = sum(d > 0 for d in steps), sum(d < 0 for d in steps)
        yield Contrast(other.label, more, fewer, same, len(pairs), n_hopeless)


def frontier_object(frontier: Frontier) -> dict[str, Any]:
    """The frontier as plain data for JSON: at each level the hardest value of the last scale that holds."""
    last = frontier.scales[-1].values
    return {
        "scales": [
            {"number": scale.text(), "values": list(scale.values), "value": scale.value}
            for scale in frontier.scales
        ],
        "designs": [
            {
                "label": staircase.label,
                "limits": [
                    {"at": list(level), "holds": last[n - 1] if n else None, "n_held": n}
                    for level, n in zip(levels(frontier.scales), staircase.reach, strict=True)
                ],
                "n_solved": staircase.n_solved,
                "undecided": staircase.unfinished or None,
            }
            for staircase in frontier.staircases
        ],
    }
