"""The ``plant:`` section, with a variant's changes, to the plant that it means."""

from __future__ import annotations

import re
from dataclasses import replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import System
from holdfast.logic import Player, Vocabulary, parse_term
from holdfast.models.failures import chances_of, check_chances
from holdfast.models.patches import patched
from holdfast.models.plant.flow_network import (
    DOSE,
    PIPE,
    TAKEN,
    WORKING,
    FlowLine,
    FlowPlant,
    LevelSensor,
    Tank,
    Trip,
)
from holdfast.models.plant.game import plant_definitions, plant_variables, system_of_plant
from holdfast.models.plant.schema import PlantSection
from holdfast.scenario import Node, new_entries, placed, validate

_TRIP = re.compile(r"\s*(\S+)\s*(>=|<=)\s*(\d{1,9})\s*")


def build_plant(section: Node, change: Node | None, budget: Budget) -> System:
    """The system of a ``plant:`` section and a variant's changes to it."""
    plant = gather_plant(section, change, budget)
    budget.tick("reading the plant")
    with placed(section):
        system = system_of_plant(plant, budget)
    check_chances(system.game, section, change)
    return system


def gather_plant(section: Node, change: Node | None, budget: Budget = UNLIMITED) -> FlowPlant:
    """The plant of a section, without its game."""
    if change is not None:
        section = patched(section, change)
        validate(PlantSection, section)
    taken = dict(TAKEN)
    tanks = {
        name: Tank(_number(node, "holds", 1), _number(node, "level", 0))
        for name, _, node in new_entries(section, "tanks", "a tank", taken)
    }
    lines = {name: _line(key, node) for name, key, node in new_entries(section, "lines", "a line", taken)}
    sensors = {
        name: LevelSensor(node["of"].text if "of" in node.entries else "", *map(bool, _flags(node)))
        for name, _, node in new_entries(section, "sensors", "a sensor", taken)
    }
    repair, dominance = section.get("repair"), section.get("dominance")
    with placed(section):
        repaired = repair is None or repair.value in (True, "yes")
        plant = FlowPlant(
            tanks, lines, sensors, repaired, observed=_observed(section, sensors), chance=chances_of(section)
        )
    if dominance is None:
        return plant
    variables = plant_variables(plant)
    vocabulary = Vocabulary(tuple(variables.values()), {}, plant_definitions(plant, variables))
    with placed(dominance):
        return replace(plant, dominance=parse_term(dominance.text, vocabulary, budget))


def _observed(section: Node, sensors: dict[str, LevelSensor]) -> tuple[str, ...] | None:
    """The tanks whose level the operator sees; None for everything."""
    node = section.get("observes")
    if node is None or node.is_null or (node.kind == "scalar" and node.text == "all"):
        return None
    if node.kind == "scalar":
        return tuple(dict.fromkeys(sensor.of for sensor in sensors.values()))
    return tuple(item.text for item in node.items)


def _number(node: Node, key: str, default: int) -> int:
    entry = node.get(key)
    return entry.value if entry is not None and isinstance(entry.value, int) else default


def _words(node: Node, key: str) -> tuple[str, ...]:
    entry = node.get(key)
    return tuple(item.text for item in entry.items) if entry is not None else ()


def _flags(node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _words(node, "sabotage"), _words(node, "denied")


def _line(key: Node, node: Node) -> FlowLine:
    kinds = [kind for kind in (*WORKING, DOSE) if node.get(kind) is not None]
    if len(kinds) > 1:
        raise key.problem(
            f"a line has a {kinds[0]} or a {kinds[1]}, not both; make it two, one behind the other"
        )
    kind = kinds[0] if kinds else PIPE
    sabotage, denied = _flags(node)
    trips = node.get("trips")
    return FlowLine(
        source=node["from"].text,
        target=node["to"].text,
        rate=_number(node, "rate", 1),
        kind=kind,
        passing=kind not in WORKING or node[kind].text == WORKING[kind][0],
        by=Player(node[DOSE].text) if kind == DOSE else None,
        trips=tuple(_trip(item) for item in trips.items) if trips is not None else (),
        behind=_words(node, "behind"),
        sabotage=frozenset(sabotage),
        denied=frozenset(denied),
    )


def _trip(node: Node) -> Trip:
    match = _TRIP.fullmatch(node.text)
    if match is None:
        raise node.problem(
            f"expected a sensor and a bound, such as LIT101 >= 8 or LIT101 <= 1, found {node.describe()}"
        )
    return Trip(match[1], match[2], int(match[3]))
