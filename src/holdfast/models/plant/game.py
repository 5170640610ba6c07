"""The game of a plant, and the system around it.

**How water runs.** Once in a round, in the adversary's turn, every line that *passes* moves water from its
one end to the other. A line passes if its valve is open or its pump is on, if the same is true of every line
that it is behind, and if none of its trips holds; a pipe has no device of its own, and a dose passes in the
turn in which it is run. Which lines pass, and what the tanks hold, is read at the beginning of the turn: what
the adversary turns or breaks in this turn shows in the next. The lines are served in the order of the file,
doses last. A line moves its rate or, if less, what its tank holds, or what the tank at its other end has room
for; lines that pass and share an end with it are served before it at their full rate. So nothing is lost,
no tank goes below 0 or above what it holds, and water that leaves a tank makes room in the next round only.

**The adversary** does one thing in a turn: it ``flip``s a valve or pump to its other value, ``jam``s it as it
is, ``blind``s a sensor, runs a dose of its own, or waits. **The defender** then does one thing: it opens or
shuts a valve, starts or stops a pump, repairs what is jammed or blind, runs a dose of its own (which moves
water at once, alone), or waits. What is jammed obeys nobody until it is repaired. A *trip* is an interlock: a
sensor that sees its level at or past a bound holds a line shut, whatever its device says; a blind one does
not.

This is the mass balance of a tank, V' = V + inflow − outflow, in whole units and rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import (
    HARDENED,
    IN_SIGHT,
    NO_CHANCE,
    USUAL_PREMISES,
    Action,
    GameStructure,
    Graph,
    GraphNode,
    Part,
    Premise,
    Rule,
    Sight,
    System,
    listed,
    value_bits,
)
from holdfast.logic import Assignments, Expression, Player, Variable, expressions as ex
from holdfast.models.failures import chance_premise, gambled
from holdfast.models.plant.flow_network import (
    BLIND,
    DOSE,
    DRAIN,
    FLIP,
    JAM,
    JAMMED,
    MAX_SHARING,
    PUMP,
    SOURCE,
    VALVE,
    WORKING,
    FlowLine,
    FlowPlant,
    LevelSensor,
)

Variables = Mapping[str, Variable]

OK = "ok"
DENY, HARDEN, RELIEVE = "deny", "harden", "relieve"
KINDS = {DENY: "sabotage", HARDEN: "device", RELIEVE: "tank"}
VERBS = {kind: verb for verb, kind in KINDS.items()}
RELIEF = "relief-"

_COMMANDS = {VALVE: ("open", "shut"), PUMP: ("start", "stop")}
"""What the defender does to a device so that it lets water through, and so that it does not."""

ONE = ex.Number(Fraction(1))


def system_of_plant(plant: FlowPlant, budget: Budget = UNLIMITED) -> System:
    """The system of a plant."""
    variables = plant_variables(plant)
    game = GameStructure(
        variables=tuple(variables.values()),
        initial=_initial(plant, variables),
        first=Player.ADVERSARY,
        actions={
            Player.DEFENDER: tuple(_defender(plant, variables)),
            Player.ADVERSARY: tuple(_adversary(plant, variables)),
        },
        dominance=plant.dominance or ONE,
        definitions=plant_definitions(plant, variables),
        budget=budget,
    )
    return System(
        gambled(game, plant.chance),
        "plant",
        parts=tuple(_parts(plant)),
        hardenable=tuple(_weak_devices(plant)),
        upgrades=tuple(_unrelieved(plant)),
        premises=tuple(_premises(plant)),
        goals={SET_POINTS: _set_points(plant, variables)},
        sight=_sight(plant, variables),
        graph=_graph(plant, variables),
        rebuild=partial(_without, plant),
        written=partial(_written, plant),
    )


SET_POINTS = "set points"
"""What the operator wants to get back to."""


def _set_points(plant: FlowPlant, variables: Variables) -> Expression:
    """Every tank at the level that it starts with, and nothing out of order."""
    levels = (ex.Member(variables[name], (tank.level,)) for name, tank in plant.tanks.items())
    working = (
        ex.Member(variable, tuple(v for v in variable.values if v != BLIND and not str(v).startswith(JAMMED)))
        for name, variable in variables.items()
        if name not in plant.tanks
    )
    return ex.conjunction((*levels, *working))


def _sight(plant: FlowPlant, variables: Variables) -> Sight:
    """The operator sees every device; a level if it is observed, while a sensor of the tank is not blind."""
    devices = (variables[name] for name in plant.lines if name in variables)
    always = tuple(bit for device in devices for bit in value_bits(device))
    levels = {name: value_bits(variables[name], _watched(plant, name, variables)) for name in plant.tanks}
    placed = plant.observed
    return Sight(always, levels, None if placed is None else tuple(t for t in plant.tanks if t in placed))


def _watched(plant: FlowPlant, tank: str, variables: Variables) -> Expression:
    """Where one of the sensors of a tank sees; everywhere if it has none that could be blinded alone."""
    names = [name for name, sensor in plant.sensors.items() if sensor.of == tank]
    if not names or any(name not in variables for name in names):
        return ex.TRUE
    return ex.disjunction(tuple(ex.Member(variables[name], (OK,)) for name in names))


def _premises(plant: FlowPlant) -> Iterator[Premise]:
    yield Premise("water moves in whole units, once a round")
    if plant.repair:
        yield Premise("a repair takes one move and always works", "plant.repair: no")
    else:
        yield Premise("jammed valves and blinded sensors are never repaired", "plant.repair: yes")
    for premise in USUAL_PREMISES:
        if premise is IN_SIGHT and plant.observed is not None:
            tanks = listed(plant.observed) or "no tank"
            yield Premise(f"the operator sees only the level of {tanks}", "plant.observes")
        elif premise is NO_CHANCE:
            yield chance_premise(premise, plant.chance, "plant.chance")
        else:
            yield premise


# -- variables ------------------------------------------------------------------------------------------


def plant_variables(plant: FlowPlant) -> dict[str, Variable]:
    """The level of each tank, the state of each device, and whether sensors that can be blinded see."""
    variables = [Variable(name, range(tank.holds + 1)) for name, tank in plant.tanks.items()]
    variables += [Variable(name, line.values) for name, line in plant.lines.items() if line.values]
    variables += [Variable(name, (OK, BLIND)) for name, sensor in plant.sensors.items() if sensor.sabotage]
    return {variable.name: variable for variable in variables}


def _initial(plant: FlowPlant, variables: Variables) -> tuple[int, ...]:
    at: dict[str, str | int] = {name: tank.level for name, tank in plant.tanks.items()}
    at |= {n: line.values[0 if line.passing else 1] for n, line in plant.lines.items() if line.values}
    at |= dict.fromkeys(plant.sensors, OK)
    return tuple(variable.code(at[name]) for name, variable in variables.items())


def plant_definitions(plant: FlowPlant, variables: Variables) -> dict[str, Expression]:
    """Which tanks are full, which are empty, and whether any is."""
    definitions: dict[str, Expression] = {}
    for name, tank in plant.tanks.items():
        definitions[f"{name}-full"] = ex.Member(variables[name], (tank.holds,))
        definitions[f"{name}-empty"] = ex.Member(variables[name], (0,))
    for word, ending in (("overflow", "full"), ("dry", "empty")):
        each = ((f"{name}-{ending}", definitions[f"{name}-{ending}"]) for name in plant.tanks)
        definitions[word] = ex.disjunction(ex.Defined(name, body) for name, body in each)
    return definitions


# -- how water runs ---------------------------------------------------------------------------------------


def _times(*factors: Expression) -> Expression:
    """A product, without ones."""
    kept = [factor for factor in factors if factor != ONE]
    product: Expression = kept[0] if kept else ONE
    for factor in kept[1:]:
        product = ex.Arithmetic("*", product, factor)
    return product


def _one_if(variable: Variable, values: Iterable[ex.Value]) -> Expression:
    """1 where a variable has one of these values, 0 elsewhere."""
    return ex.Count((ex.Member(variable, tuple(values)),))


def _lets_through(plant: FlowPlant, name: str, variables: Variables) -> Expression:
    line = plant.lines[name]
    own = WORKING[line.kind][0]
    return _one_if(variables[name], (value for value in line.values if value in (own, JAMMED + own)))


def _passes(plant: FlowPlant, name: str, variables: Variables) -> Expression:
    """1 where a line passes, a dose as if it were run; 0 elsewhere."""
    line = plant.lines[name]
    factors = [_lets_through(plant, other, variables) for other in line.behind]
    if line.kind in WORKING:
        factors.append(_lets_through(plant, name, variables))
    for trip in line.trips:
        level = variables[plant.sensors[trip.sensor].of]
        holds = plant.tanks[level.name].holds
        beyond = range(trip.bound, holds + 1) if trip.op == ">=" else range(min(trip.bound, holds) + 1)
        if trip.sensor not in variables:
            factors.append(_one_if(level, (v for v in level.values if v not in beyond)))
        elif beyond:
            held = _times(_one_if(level, beyond), _one_if(variables[trip.sensor], (OK,)))
            factors.append(ex.Arithmetic("-", ONE, held))
    return _times(*factors)


def _amount(plant: FlowPlant, name: str, running: Sequence[str], variables: Variables) -> Expression:
    """How much a line moves, among those that are running.

    For each way in which the lines before it at either end may pass or not, and for each unit up to its rate,
    1 where it passes, the tank holds that unit beyond what they take, and there is room for it beyond theirs.
    """
    line = plant.lines[name]
    before: dict[str, list[str]] = {end: [] for end in (SOURCE, DRAIN)}
    for end, served in ((SOURCE, plant.out_of(line.source)), (DRAIN, plant.into(line.target))):
        if name in served and (line.source if end == SOURCE else line.target) in plant.tanks:
            before[end] = [other for other in served[: served.index(name)] if other in running]
    rivals = list(dict.fromkeys((*before[SOURCE], *before[DRAIN])))
    total: Expression = ex.Number(Fraction(0))
    for passing in product((True, False), repeat=len(rivals)):
        chosen = {rival for rival, on in zip(rivals, passing, strict=True) if on}
        factors = [_passes(plant, name, variables)]
        for rival, on in zip(rivals, passing, strict=True):
            own = _passes(plant, rival, variables)
            factors.append(own if on else ex.Arithmetic("-", ONE, own))
        taken, filled = (
            sum(plant.lines[other].rate for other in before[end] if other in chosen)
            for end in (SOURCE, DRAIN)
        )
        for unit in range(1, line.rate + 1):
            there = _there(plant, line, unit + taken, unit + filled, variables)
            if there is not None:
                total = ex.Arithmetic("+", total, _times(*factors, *there))
    return total


def _there(
    plant: FlowPlant, line: FlowLine, needed: int, room: int, variables: Variables
) -> list[Expression] | None:
    """1 where the one tank holds so much and the other has so much room; None where that never is."""
    conditions = []
    if line.source != SOURCE:
        holds = plant.tanks[line.source].holds
        if needed > holds:
            return None
        conditions.append(_one_if(variables[line.source], range(needed, holds + 1)))
    if line.target != DRAIN:
        highest = plant.tanks[line.target].holds - room
        if highest < 0:
            return None
        conditions.append(_one_if(variables[line.target], range(highest + 1)))
    return conditions


def _flow(plant: FlowPlant, running: Sequence[str], variables: Variables) -> Assignments:
    """What the levels become when these lines run."""
    amounts = {name: _amount(plant, name, running, variables) for name in running}
    levels = []
    for tank in plant.tanks:
        level: Expression = ex.Read(variables[tank])
        for op, served in (("+", plant.into(tank)), ("-", plant.out_of(tank))):
            for name in served:
                if name in running:
                    level = ex.Arithmetic(op, level, amounts[name])
        if not isinstance(level, ex.Read):
            levels.append((variables[tank], level))
    return tuple(levels)


# -- actions ----------------------------------------------------------------------------------------------


def _defender(plant: FlowPlant, variables: Variables) -> Iterator[Action]:
    yield Action("wait")
    for name, line in plant.lines.items():
        for command, value in zip(_COMMANDS.get(line.kind, ()), WORKING.get(line.kind, ()), strict=True):
            obeys = ex.Member(variables[name], WORKING[line.kind])
            yield Action(f"{command}({name})", (Rule(obeys, ((variables[name], ex.Symbol(value)),)),))
        if line.kind == DOSE and line.by is Player.DEFENDER:
            yield Action(f"run({name})", (Rule(ex.TRUE, _flow(plant, (name,), variables)),))
    for name, ways in plant.attacked.items() if plant.repair else ():
        if ways & {JAM, BLIND}:
            yield Action(f"repair({name})", tuple(_repairs(variables[name])))


def _repairs(variable: Variable) -> Iterator[Rule]:
    for value in map(str, variable.values):
        if value.startswith(JAMMED) or value == BLIND:
            after = OK if value == BLIND else value.removeprefix(JAMMED)
            yield Rule(ex.Member(variable, (value,)), ((variable, ex.Symbol(after)),))


def _adversary(plant: FlowPlant, variables: Variables) -> Iterator[Action]:
    standing = [name for name, line in plant.lines.items() if line.kind != DOSE]
    flow = _flow(plant, standing, variables)
    last = (Rule(ex.TRUE, flow),) if flow else ()
    yield Action("wait", last)
    for name, ways in plant.attacked.items():
        for way in (FLIP, JAM, BLIND):
            if way in ways:
                changes = () if _denied(plant, name, way) else _sabotage(variables[name], way)
                yield Action(
                    f"{way}({name})",
                    (*(Rule(ex.Member(v, (a,)), ((v, ex.Symbol(b)), *flow)) for v, a, b in changes), *last),
                )
    for name, line in plant.lines.items():
        if line.kind == DOSE and line.by is Player.ADVERSARY:
            running = standing if "run" in line.denied else [*standing, name]
            after = _flow(plant, running, variables)
            yield Action(f"run({name})", (Rule(ex.TRUE, after),) if after else ())


def _denied(plant: FlowPlant, name: str, way: str) -> bool:
    return plant.sensors[name].denied if name in plant.sensors else way in plant.lines[name].denied


def _sabotage(variable: Variable, way: str) -> Iterator[tuple[Variable, str, str]]:
    """What a way of sabotage makes of each value that it acts on."""
    working = [str(value) for value in variable.values if not str(value).startswith(JAMMED)]
    if way == BLIND:
        yield variable, OK, BLIND
    elif way == JAM:
        yield from ((variable, value, JAMMED + value) for value in working)
    else:
        yield from ((variable, value, other) for value, other in zip(working, working[::-1], strict=True))


# -- parts ------------------------------------------------------------------------------------------------


def _parts(plant: FlowPlant) -> Iterator[Part]:
    """Everything that the adversary can do, one by one."""
    for name, ways in plant.attacked.items():
        for way in (FLIP, JAM, BLIND):
            if way in ways and not _denied(plant, name, way):
                yield Part(KINDS[DENY], f"{way}({name})", DENY)
    for name, line in plant.lines.items():
        if line.by is Player.ADVERSARY and "run" not in line.denied:
            yield Part(KINDS[DENY], f"run({name})", DENY)


def _weak_devices(plant: FlowPlant) -> Iterator[Part]:
    """Devices and sensors to which something can be done."""
    for name, ways in plant.attacked.items():
        if any(not _denied(plant, name, way) for way in ways):
            yield Part(KINDS[HARDEN], name, HARDEN)


def _unrelieved(plant: FlowPlant) -> Iterator[Part]:
    """Tanks that the defender could be enabled to let out."""
    for name in plant.tanks:
        if RELIEF + name not in plant.lines and len(plant.out_of(name)) < MAX_SHARING:
            yield Part(KINDS[RELIEVE], name, RELIEVE)


def _without(plant: FlowPlant, taken: frozenset[Part]) -> System:
    """The plant with sabotage denied and with reliefs."""
    named = {(VERBS[part.kind], part.name) for part in taken}
    lines: dict[str, FlowLine] = {}
    for name, line in plant.lines.items():
        denied = {way for way in (*line.sabotage, "run") if (DENY, f"{way}({name})") in named}
        hard = line.sabotage if (HARDEN, name) in named else frozenset[str]()
        lines[name] = replace(line, denied=line.denied | denied | hard)
    sensors: dict[str, LevelSensor] = {}
    for name, sensor in plant.sensors.items():
        gone = {(DENY, f"{BLIND}({name})"), (HARDEN, name)} & named
        sensors[name] = replace(sensor, denied=sensor.denied or bool(gone))
    for name in plant.tanks:
        if (RELIEVE, name) in named:
            lines[RELIEF + name] = FlowLine(name, DRAIN, 1, DOSE, by=Player.DEFENDER)
    return system_of_plant(replace(plant, lines=lines, sensors=sensors))


def _written(plant: FlowPlant, taken: frozenset[Part]) -> dict[str, Any]:
    """What is taken away, written as the ``plant`` section of a variant."""
    after = {(VERBS[part.kind], part.name) for part in taken}
    change: dict[str, Any] = {}
    for name, ways in plant.attacked.items():
        every = {way for way in ways if (HARDEN, name) in after or (DENY, f"{way}({name})") in after}
        if every:
            section = "sensors" if name in plant.sensors else "lines"
            already = plant.lines[name].denied if name in plant.lines else frozenset()
            change.setdefault(section, {})[name] = {"denied": sorted(every | already)}
    for name in plant.lines:
        if (DENY, f"run({name})") in after:
            change.setdefault("lines", {})[name] = {"denied": ["run"]}
    for name in plant.tanks:
        if (RELIEVE, name) in after:
            relief = {"from": name, "to": DRAIN, "dose": str(Player.DEFENDER)}
            change.setdefault("lines", {})[RELIEF + name] = relief
    return change


# -- picture ----------------------------------------------------------------------------------------------


def _graph(plant: FlowPlant, variables: Variables) -> Graph:
    """Tanks and devices along the flow; a line without a device between two tanks is an arrow.

    What can be shut is barred, and what the adversary can no longer touch is hardened.
    """
    weak = {part.name for part in _weak_devices(plant)}
    hard = [name for name in plant.attacked if name not in weak]
    nodes = {name: GraphNode(name, name, (HARDENED,) if name in hard else ()) for name in variables}
    arrows: dict[tuple[str, str], None] = {}
    gates: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
    for name, line in plant.lines.items():
        ends = [end for end in (line.source, name, line.target) if end in nodes]
        arrows |= dict.fromkeys(pairwise(ends))
        if name in nodes:
            shut = WORKING[line.kind][1]
            values = tuple((name, value) for value in line.values if value.endswith(shut))
            gates |= {pair: values for pair in pairwise(ends) if pair[0] == name}
    arrows |= {(sensor.of, name): None for name, sensor in plant.sensors.items() if name in nodes}
    return Graph(tuple(nodes.values()), tuple(arrows), noun="part", relation="pipe", gates=gates)
