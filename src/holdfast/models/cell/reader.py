"""The ``cell:`` section, with a variant's changes, to the robot cell that it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdfast.budget import Budget
from holdfast.errors import ModelError
from holdfast.game import System
from holdfast.logic import Player
from holdfast.models.cell.floor_plan import (
    FLOOR,
    OPEN_FLOOR,
    WALLS,
    FloorPlan,
    Passage,
    in_order,
    read_plan,
)
from holdfast.models.cell.game import system_of_cell
from holdfast.models.cell.schema import CellSection
from holdfast.models.cell.work_cell import TAKEN, Door, Hazard, Walker, WorkCell
from holdfast.models.failures import chances_of, check_chances
from holdfast.models.patches import patched
from holdfast.scenario import Node, check_name, exact, new_entries, placed, validate


def build_cell(section: Node, change: Node | None, budget: Budget) -> System:
    """The system of a ``cell:`` section and a variant's changes to it."""
    cell = gather_cell(section, change)
    budget.tick("reading the cell")
    with placed(section):
        system = system_of_cell(cell)
    check_chances(system.game, section, change)
    return system


def gather_cell(section: Node, change: Node | None) -> WorkCell:
    """The robot cell of a section, without its game."""
    if change is not None:
        section = patched(section, change)
        validate(CellSection, section)
    plan = _plan(section)
    taken = dict(TAKEN)
    people = {
        name: _walker(plan, node) for name, _, node in new_entries(section, "people", "a person", taken)
    }
    hazards = {
        name: _hazard(plan, name, key, node)
        for name, key, node in new_entries(section, "hazards", "a hazard", taken)
    }
    doors = {
        name: _door(plan, name, key, node)
        for name, key, node in new_entries(section, "doors", "a door", taken)
    }
    clock, battery, near = (section.get(key) for key in ("clock", "battery", "near"))
    worth = section.get("worth")
    with placed(section):
        return WorkCell(
            plan=plan,
            robot=_one_square(plan, section["robot"]),
            people=people,
            hazards=hazards,
            doors=doors,
            clock=_number(clock),
            battery=_number(battery),
            chargers=_squares(plan, section.get("chargers"), ()),
            rails=tuple(_rails(plan, section.get("rails"))),
            near=1 if (reach := _number(near)) is None else reach,
            chance=chances_of(section),
            worth={name: exact(value) for name, value in worth.entries.items()} if worth is not None else {},
        )


def _number(node: Node | None) -> int | None:
    return node.value if node is not None and isinstance(node.value, int) else None


def _plan(section: Node) -> FloorPlan:
    characters: dict[str, str] = {}
    for name, _, node in new_entries(section, "places", "a place", {OPEN_FLOOR: "the floor without a name"}):
        character = node.text
        if len(character) != 1 or character in WALLS + FLOOR:
            raise node.problem(f"{node.describe()} cannot mark a place; expected one character, not # or .")
        if character in characters.values():
            raise node.problem(f'two places are drawn as "{character}"; give one of them another character')
        characters[name] = character
    with placed(section["plan"]):
        return read_plan(section["plan"].text, characters)


def _squares(plan: FloorPlan, node: Node | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """The squares that a name, or a list of names, stands for."""
    if node is None:
        return default
    squares: list[str] = []
    for item in node.items if node.kind == "list" else (node,):
        with placed(item):
            squares += plan.squares_of(item.text)
    return in_order(plan, squares)


def _one_square(plan: FloorPlan, node: Node) -> str:
    squares = _squares(plan, node, ())
    if len(squares) > 1:
        raise node.problem(f"{node.text} has {len(squares)} squares; name one of them, such as {squares[0]}")
    return squares[0]


def _own(plan: FloorPlan, name: str, key: Node, node: Node) -> tuple[str, ...]:
    """The squares of a machine or door: those it names, or the place of its own name."""
    given = node.get("at")
    with placed(key):
        return _squares(plan, given, ()) if given is not None else plan.squares_of(name)


def _walker(plan: FloorPlan, node: Node) -> Walker:
    start = _one_square(plan, node["at"])
    with placed(node["at"]):
        walker = Walker(start, _squares(plan, node.get("within"), plan.squares))
        if start not in walker.within:
            raise ModelError(f"{start} is not within the bounds; add it to within, or start elsewhere")
    return walker


def _hazard(plan: FloorPlan, name: str, key: Node, node: Node) -> Hazard:
    squares = _own(plan, name, key, node)
    flags: dict[str, Any] = {flag: _is_set(node, flag) for flag in ("curtain", "stop", "locked")}
    phases, danger, closed = (node.get(part) for part in ("phases", "danger", "closed"))
    if closed is not None:
        if phases is not None or danger is not None:
            raise closed.problem("a machine runs either by the clock (closed) or in phases, not both")
        turns = tuple(turn for item in closed.items if (turn := _number(item)) is not None)
        return Hazard(squares=squares, phases=(), danger=(), closed=turns, **flags)
    names = tuple(check_name(item, "a phase") for item in phases.items) if phases is not None else None
    names = names or ("open", "closed")
    struck = tuple(item.text for item in danger.items) if danger is not None else (names[-1],)
    return Hazard(squares, names, struck, **flags)


def _door(plan: FloorPlan, name: str, key: Node, node: Node) -> Door:
    squares = _own(plan, name, key, node)
    if len(squares) > 1:
        raise key.problem(f"a door is one square, and {name} has {len(squares)}; name one with at")
    by = node.get("by")
    side = by.text if by is not None else "defender"
    players = tuple(Player) if side == "both" else (Player(side),)
    return Door(squares[0], players, _is_set(node, "shut"), _is_set(node, "secured"))


def _is_set(node: Node, key: str) -> bool:
    return key in node.entries and node[key].value in (True, "yes")


def _rails(plan: FloorPlan, node: Node | None) -> Iterator[Passage]:
    """The passages that the rails of a section close, in reading order."""
    closed: set[Passage] = set()
    for item in node.items if node is not None else ():
        ends = [end.strip() for end in item.text.split(" - ")]
        if len(ends) != 2:
            raise item.problem(f"expected a rail such as b3 - b4 or aisle - press, found {item.describe()}")
        with placed(item):
            passages = plan.between(*ends)
        if not passages:
            raise item.problem(
                f"{ends[0]} and {ends[1]} share no side; a rail separates neighbouring squares"
            )
        closed |= set(passages)
    return (passage for passage in plan.passages if passage in closed)
