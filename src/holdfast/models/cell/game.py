"""The game of a robot cell, and the system around it.

The players take turns, and in a turn one thing happens.

- The *defender* moves the robot one square north, south, east or west (``go(north)``), or lets it ``stay``.
  It may shut and open doors that are its own, and stop machines that can be stopped.
- The *adversary* moves one person one square inside the person's bounds (``walk(ann-north)``), triggers a
  machine (``trigger(press)``: it goes on to its next phase), shuts or opens a door of its own, or waits.

A step into a wall, into a shut door or, for a person, across a rail or out of bounds, is no step: whoever
tried stays. Nobody is in another's way: that the robot and a person meet is for the requirement to forbid. A
door shuts only while its square is empty. A machine with a light curtain does not go into a dangerous phase
while somebody is in its squares. The clock goes on with every turn of the adversary, whatever it does. With
every turn of the defender the battery loses one, unless the robot then stands on a charger, which fills it;
a robot with an empty battery does nothing any more.

There is one variable for each thing that moves: the square of the robot and of every person, the phase of a
machine, a door, the clock, the battery. A step is therefore a rule that reads little more than the variable
that it changes, whatever else is on the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from holdfast.game import (
    NO_CHANCE,
    USUAL_PREMISES,
    Action,
    Floor,
    GameStructure,
    Graph,
    GraphNode,
    Part,
    Premise,
    Rule,
    System,
)
from holdfast.logic import Assignments, Expression, Player, Variable, expressions as ex
from holdfast.models.cell.floor_plan import DIRECTIONS, OPEN_FLOOR, Passage, column_name, in_order
from holdfast.models.cell.work_cell import BATTERY, CLOCK, OPEN, ROBOT, SHUT, Hazard, WorkCell
from holdfast.models.failures import chance_premise, gambled

RAIL, LOCK, SECURE, CURTAIN, STOP, CHARGE = "rail", "lock", "secure", "curtain", "stop", "charge"
KINDS = {
    RAIL: "passage",
    LOCK: "trigger",
    SECURE: "door",
    CURTAIN: "opening",
    STOP: "machine",
    CHARGE: "square",
}
"""For each verb what it is done to: the kinds of parts."""

VERBS = {kind: verb for verb, kind in KINDS.items()}

PREMISES = (
    Premise("in each turn one person moves one square, anywhere within bounds", "cell.people"),
    Premise("people do not block each other"),
)


def system_of_cell(cell: WorkCell) -> System:
    """The system of a robot cell."""
    variables = _variables(cell)
    game = GameStructure(
        variables=tuple(variables.values()),
        initial=_initial(cell, variables),
        first=Player.ADVERSARY,
        actions={
            Player.DEFENDER: tuple(_defender(cell, variables)),
            Player.ADVERSARY: tuple(_adversary(cell, variables)),
        },
        dominance=_dominance(cell, variables),
        definitions=_definitions(cell, variables),
    )
    usual = (chance_premise(p, cell.chance, "cell.chance") if p is NO_CHANCE else p for p in USUAL_PREMISES)
    return System(
        gambled(game, cell.chance),
        "cell",
        {square: place for square, place in cell.plan.place_of.items() if place != OPEN_FLOOR},
        parts=tuple(_parts(cell)),
        hardenable=tuple(_openings(cell)),
        upgrades=tuple(_upgrades(cell)),
        premises=(*PREMISES, *usual),
        goals={HOME: ex.Member(variables[ROBOT], (_start_of(game),))},
        graph=_graph(cell, variables),
        rebuild=partial(_without, cell),
        written=_written,
    )


HOME = "robot home"
"""What the operator wants to get back to: the robot stands where it started."""


def _start_of(game: GameStructure) -> str:
    names = [variable.name for variable in game.variables]
    place = names.index(ROBOT)
    return str(game.variables[place].values[game.initial[place]])


# -- variables and their words ------------------------------------------------------------------------


def _variables(cell: WorkCell) -> dict[str, Variable]:
    variables = [Variable(ROBOT, cell.plan.squares)]
    variables += [Variable(BATTERY, range(cell.battery + 1))] if cell.battery is not None else []
    variables += [Variable(name, in_order(cell.plan, person.within)) for name, person in cell.people.items()]
    variables += [Variable(name, hazard.phases) for name, hazard in cell.triggered.items()]
    variables += [Variable(name, (OPEN, SHUT)) for name in cell.doors]
    variables += [Variable(CLOCK, range(cell.clock))] if cell.clock is not None else []
    return {variable.name: variable for variable in variables}


def _initial(cell: WorkCell, variables: Mapping[str, Variable]) -> tuple[int, ...]:
    at: dict[str, str | int] = {ROBOT: cell.robot, BATTERY: cell.battery or 0, CLOCK: 0}
    at |= {name: walker.at for name, walker in cell.people.items()}
    at |= {name: hazard.phases[0] for name, hazard in cell.triggered.items()}
    at |= {name: SHUT if door.shut else OPEN for name, door in cell.doors.items()}
    return tuple(variable.code(at[name]) for name, variable in variables.items())


def _inside(variable: Variable, squares: Iterable[str]) -> Expression:
    """Whether somebody stands in some squares."""
    here = set(squares)
    inside = tuple(square for square in variable.values if square in here)
    return ex.Member(variable, inside) if inside else ex.FALSE


def _dangerous(name: str, hazard: Hazard, variables: Mapping[str, Variable]) -> Expression:
    if hazard.timed:
        return ex.Member(variables[CLOCK], tuple(sorted(set(hazard.closed))))
    return ex.Member(variables[name], tuple(p for p in hazard.phases if p in hazard.danger))


def _definitions(cell: WorkCell, variables: Mapping[str, Variable]) -> dict[str, Expression]:
    """What specifications may ask: where somebody is, and whether something bad has happened."""
    robot = variables[ROBOT]
    definitions = {f"at-{place}": _inside(robot, squares) for place, squares in cell.plan.places.items()}
    for name in cell.people:
        person = variables[name]
        definitions |= {f"{name}-at-{p}": _inside(person, squares) for p, squares in cell.plan.places.items()}
        for word, reach in (("hit", 0), ("near", cell.near)):
            pairs = (
                ex.conjunction(
                    (ex.Member(robot, (square,)), _inside(person, cell.plan.around(square, reach)))
                )
                for square in cell.plan.squares
            )
            definitions[f"{word}-{name}"] = ex.disjunction(pairs)
    for name, hazard in cell.hazards.items():
        definitions[f"{name}-danger"] = _dangerous(name, hazard, variables)
        struck = (_inside(robot, hazard.squares), definitions[f"{name}-danger"])
        definitions[f"{name}-strikes"] = ex.conjunction(struck)
    whole = {word: [f"{word}-{name}" for name in cell.people] for word in ("hit", "near")}
    whole["struck"] = [f"{name}-strikes" for name in cell.hazards]
    for word, names in whole.items():
        if names:
            definitions[word] = ex.disjunction(ex.Defined(name, definitions[name]) for name in names)
    for name in cell.people:
        moves = frozenset((Player.ADVERSARY, f"walk({name}-{way})") for way in DIRECTIONS)
        definitions[f"{name}-walks"] = ex.Did(f"{name}-walks", moves)
    return definitions


def _dominance(cell: WorkCell, variables: Mapping[str, Variable]) -> Expression:
    """μ: what the place is worth in which the robot stands."""
    total: Expression = ex.Number(Fraction(0 if cell.worth else 1))
    for place, worth in cell.worth.items():
        here = ex.Count((ex.Member(variables[ROBOT], cell.plan.squares_of(place)),))
        total = ex.Arithmetic("+", total, ex.Arithmetic("*", ex.Number(worth), here))
    return total


# -- moves ----------------------------------------------------------------------------------------------


def _steps(
    cell: WorkCell, mover: Variable, way: str, variables: Mapping[str, Variable], rails: Iterable[Passage]
) -> Iterator[tuple[str, str, Expression]]:
    """The steps of a mover in one direction: from where, where to, and what must hold besides."""
    shut_off = {frozenset(passage) for passage in rails}
    doors = {door.square: name for name, door in cell.doors.items()}
    for square in map(str, mover.values):
        target = cell.plan.beside(square, way)
        if target is None or target not in mover.values or frozenset((square, target)) in shut_off:
            continue
        passable = ex.Member(variables[doors[target]], (OPEN,)) if target in doors else ex.TRUE
        yield square, target, passable


def _defender(cell: WorkCell, variables: Mapping[str, Variable]) -> Iterator[Action]:
    robot = variables[ROBOT]
    yield Action("stay", tuple(_powered(cell, variables, ())))
    for way in DIRECTIONS:
        steps = _steps(cell, robot, way, variables, ())
        moved = [
            (ex.conjunction((ex.Member(robot, (a,)), passable)), ((robot, ex.Symbol(b)),), b)
            for a, b, passable in steps
        ]
        yield Action(f"go({way})", tuple(_powered(cell, variables, moved)))
    for name, door in cell.doors.items():
        if Player.DEFENDER in door.by:
            for verb, guard, assign in _door_moves(cell, name, variables):
                yield Action(f"{verb}({name})", tuple(_powered(cell, variables, [(guard, assign, None)])))
    for name, hazard in cell.triggered.items():
        if hazard.stop:
            first: Assignments = ((variables[name], ex.Symbol(hazard.phases[0])),)
            yield Action(f"stop({name})", tuple(_powered(cell, variables, [(ex.TRUE, first, None)])))


def _powered(
    cell: WorkCell,
    variables: Mapping[str, Variable],
    moves: Iterable[tuple[Expression, Assignments, str | None]],
) -> Iterator[Rule]:
    """Rules of the robot, each with what it does to the battery.

    A move is a guard, what it assigns, and where the robot then stands, None for where it stood.
    """
    if cell.battery is None:
        yield from (Rule(guard, assign) for guard, assign, _ in moves)
        return
    battery, robot = variables[BATTERY], variables[ROBOT]
    charged: Assignments = ((battery, ex.Number(Fraction(cell.battery))),)
    less = ex.Arithmetic("-", ex.Read(battery), ex.Number(Fraction(1)))
    spent: Assignments = ((battery, less),)
    runs = ex.Compare(">", ex.Read(battery), ex.Number(Fraction(0)))
    plugged = _inside(robot, cell.chargers)
    for guard, assign, target in (*moves, (ex.TRUE, (), None)):
        if target is not None:
            effect = charged if target in cell.chargers else spent
            yield Rule(ex.conjunction((runs, guard)), assign + effect)
        else:
            yield Rule(ex.conjunction((runs, guard, plugged)), assign + charged)
            yield Rule(ex.conjunction((runs, guard)), assign + spent)


def _door_moves(
    cell: WorkCell, name: str, variables: Mapping[str, Variable]
) -> Iterator[tuple[str, Expression, Assignments]]:
    """Shutting and opening a door, as guard and assignment."""
    door, square = variables[name], (cell.doors[name].square,)
    people = (variables[who] for who in (ROBOT, *cell.people))
    empty = [ex.negation(_inside(who, square)) for who in people]
    yield SHUT, ex.conjunction((ex.Member(door, (OPEN,)), *empty)), ((door, ex.Symbol(SHUT)),)
    yield OPEN, ex.Member(door, (SHUT,)), ((door, ex.Symbol(OPEN)),)


def _adversary(cell: WorkCell, variables: Mapping[str, Variable]) -> Iterator[Action]:
    timed = partial(_timed, cell, variables)
    yield Action("wait", timed([]))
    for name in cell.people:
        person = variables[name]
        for way in DIRECTIONS:
            steps = _steps(cell, person, way, variables, cell.rails)
            moved = [
                (ex.conjunction((ex.Member(person, (a,)), free)), ((person, ex.Symbol(b)),))
                for a, b, free in steps
            ]
            yield Action(f"walk({name}-{way})", timed(moved))
    for name, hazard in cell.triggered.items():
        yield Action(
            f"trigger({name})", timed([] if hazard.locked else _turns(cell, name, hazard, variables))
        )
    for name, door in cell.doors.items():
        for verb, guard, assign in _door_moves(cell, name, variables) if Player.ADVERSARY in door.by else ():
            yield Action(f"{verb}({name})", timed([] if door.secured else [(guard, assign)]))


def _turns(
    cell: WorkCell, name: str, hazard: Hazard, variables: Mapping[str, Variable]
) -> list[tuple[Expression, Assignments]]:
    """From each phase of a machine to the next."""
    people = [variables[who] for who in (ROBOT, *cell.people)]
    empty = ex.conjunction(ex.negation(_inside(who, hazard.squares)) for who in people)
    turns: list[tuple[Expression, Assignments]] = []
    for before, after in zip(hazard.phases, (*hazard.phases[1:], hazard.phases[0]), strict=True):
        held = hazard.curtain and after in hazard.danger
        guard = ex.conjunction((ex.Member(variables[name], (before,)), empty if held else ex.TRUE))
        turns.append((guard, ((variables[name], ex.Symbol(after)),)))
    return turns


def _timed(
    cell: WorkCell, variables: Mapping[str, Variable], moves: Iterable[tuple[Expression, Assignments]]
) -> tuple[Rule, ...]:
    """Rules of the adversary, each with the clock going on, which it also does where nothing else happens."""
    if cell.clock is None:
        return tuple(Rule(guard, assign) for guard, assign in moves)
    clock = variables[CLOCK]
    one, whole = ex.Number(Fraction(1)), ex.Number(Fraction(cell.clock))
    last = ex.Count((ex.Member(clock, (cell.clock - 1,)),))
    onward = ex.Arithmetic("-", ex.Arithmetic("+", ex.Read(clock), one), ex.Arithmetic("*", whole, last))
    tick: Assignments = ((clock, onward),)
    return (*(Rule(guard, assign + tick) for guard, assign in moves), Rule(ex.TRUE, tick))


# -- parts ----------------------------------------------------------------------------------------------


def _part(verb: str, name: str) -> Part:
    return Part(KINDS[verb], name, verb)


def _parts(cell: WorkCell) -> Iterator[Part]:
    """What the adversary could do without: ways between two places, triggers, doors."""
    yield from (_part(RAIL, f"{one} - {other}") for one, other in _borders(cell))
    yield from (_part(LOCK, name) for name, hazard in cell.triggered.items() if not hazard.locked)
    for name, door in cell.doors.items():
        if Player.ADVERSARY in door.by and not door.secured:
            yield _part(SECURE, name)


def _borders(cell: WorkCell) -> dict[tuple[str, str], tuple[Passage, ...]]:
    """The passages between two places that some person can use."""
    borders: dict[tuple[str, str], list[Passage]] = {}
    order, place_of = list(cell.plan.places), cell.plan.place_of
    regions = [set(walker.within) for walker in cell.people.values()]
    for one, other in cell.plan.passages:
        if (one, other) not in cell.rails and any(one in region and other in region for region in regions):
            ends = sorted({place_of[one], place_of[other]}, key=order.index)
            if len(ends) == 2:
                borders.setdefault((ends[0], ends[1]), []).append((one, other))
    return {ends: tuple(passages) for ends, passages in borders.items()}


def _openings(cell: WorkCell) -> Iterator[Part]:
    """Machines that anybody can be in when they close, and that could have a light curtain."""
    return (_part(CURTAIN, name) for name, hazard in cell.triggered.items() if not hazard.curtain)


def _upgrades(cell: WorkCell) -> Iterator[Part]:
    """Machines that the defender could be enabled to stop, and squares that could have a charger."""
    yield from (_part(STOP, name) for name, hazard in cell.triggered.items() if not hazard.stop)
    for square in cell.plan.squares if cell.battery is not None else ():
        if square not in cell.chargers:
            yield _part(CHARGE, square)


def _without(cell: WorkCell, taken: frozenset[Part]) -> System:
    """The system with rails, locks, secured doors and curtains, and with stops and chargers added."""
    named = {(VERBS[part.kind], part.name) for part in taken}
    rails = set(cell.rails)
    for (one, other), passages in _borders(cell).items():
        rails |= set(passages) if (RAIL, f"{one} - {other}") in named else set()
    hazards = {
        name: replace(
            hazard,
            locked=hazard.locked or (LOCK, name) in named,
            curtain=hazard.curtain or (CURTAIN, name) in named,
            stop=hazard.stop or (STOP, name) in named,
        )
        for name, hazard in cell.hazards.items()
    }
    doors = {n: replace(door, secured=door.secured or (SECURE, n) in named) for n, door in cell.doors.items()}
    chargers = (*cell.chargers, *(name for verb, name in named if verb == CHARGE))
    changed = replace(
        cell,
        hazards=hazards,
        doors=doors,
        chargers=in_order(cell.plan, chargers),
        rails=tuple(passage for passage in cell.plan.passages if passage in rails),
    )
    return system_of_cell(changed)


_LISTS = {RAIL: "add_rails", CHARGE: "add_chargers"}
_SETTINGS = {LOCK: "locked", SECURE: "secured", CURTAIN: "curtain", STOP: "stop"}


def _written(taken: frozenset[Part]) -> dict[str, Any]:
    """What is taken away, written as the ``cell`` section of a variant."""
    change: dict[str, Any] = {}
    for verb, name in sorted((VERBS[part.kind], part.name) for part in taken):
        if verb in _LISTS:
            change.setdefault(_LISTS[verb], []).append(name)
        else:
            section = change.setdefault("doors" if verb == SECURE else "hazards", {})
            section.setdefault(name, {})[_SETTINGS[verb]] = "yes"
    return change


# -- picture --------------------------------------------------------------------------------------------


def _graph(cell: WorkCell, variables: Mapping[str, Variable]) -> Graph:
    """The plan, with everything at its start."""
    areas = {place: squares for place, squares in cell.plan.places.items() if place != OPEN_FLOOR}
    areas |= {name: hazard.squares for name, hazard in cell.hazards.items()}
    areas |= {name: (door.square,) for name, door in cell.doors.items()}
    tones = dict.fromkeys(cell.hazards, "bad") | dict.fromkeys(cell.doors, "watched")
    guarded = [s for hazard in cell.hazards.values() if hazard.curtain for s in hazard.squares]
    if guarded:
        areas["curtain"] = in_order(cell.plan, guarded)
    if cell.chargers:
        areas["charger"] = cell.chargers
        tones["charger"] = "good"
    return Graph(
        tuple(GraphNode(name, name) for name in variables),
        noun="thing",
        relation="way",
        floor=Floor(
            cell.plan.columns,
            cell.plan.rows,
            cell.plan.at,
            areas,
            tones,
            cell.rails,
            {ROBOT: cell.robot, **{name: walker.at for name, walker in cell.people.items()}},
            tuple(map(column_name, range(cell.plan.columns))),
            tuple(str(row + 1) for row in range(cell.plan.rows)),
        ),
    )
