"""The shape of the ``cell:`` section, and of what a variant may change in it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainValidator, Tag, WithJsonSchema

from holdfast.models.cell.work_cell import MAX_BATTERY, MAX_CLOCK, MAX_NEAR, MAX_PHASES
from holdfast.models.failures import FailureTable, chance_words
from holdfast.scenario import FileSection, Name, Text, YesNo, by_kind, one_of

_Sides = ("defender", "adversary", "both")
_Side = Annotated[str, PlainValidator(one_of(*_Sides)), WithJsonSchema({"enum": list(_Sides)})]
_Names = Annotated[list[Name], Field(min_length=1)]
_Squares = Annotated[
    Annotated[Name, Tag("~scalar")] | Annotated[_Names, Tag("~list")],
    by_kind("a place or square such as dock or b3, or a list of them", "~scalar", "~list"),
]
_Turn = Annotated[int, Field(ge=0, lt=MAX_CLOCK)]
_Worth = Annotated[float, Field(ge=0, le=1)]
_RAILS = (
    "passages that people cannot use: between two squares (b3 - b4), or between two places (aisle - press)"
)


class WalkerSettings(FileSection):
    """Somebody whom the adversary moves: a person, or a vehicle."""

    called = "a person"
    at: Name = Field(description="the square, or the place of one square, where the person is at the start")
    within: _Squares = Field(
        default="", description="the places and squares that the person stays in; by default, the whole plan"
    )


class HazardSettings(FileSection):
    """A machine that is dangerous to be in, some of the time."""

    called = "a hazard"
    at: _Squares = Field(
        default="",
        description="the places and squares that it strikes; the place of its own name if left out",
    )
    phases: Annotated[list[Name], Field(min_length=2, max_length=MAX_PHASES)] = Field(
        default=["open", "closed"], description="its phases, in order; each trigger advances it by one"
    )
    danger: _Names = Field(
        default=["closed"], description="the phases in which it strikes; the last if left out"
    )
    closed: Annotated[list[_Turn], Field(min_length=1)] = Field(
        default=[], description="instead of phases: the turns of the clock in which it strikes"
    )
    curtain: YesNo = Field(
        default="no", description="yes if it does not go into danger while somebody is inside"
    )
    stop: YesNo = Field(default="no", description="yes if the defender can bring it back to its first phase")
    locked: YesNo = Field(default="no", description="yes if the adversary cannot trigger it")


class DoorSettings(FileSection):
    """A square that can be shut and opened."""

    called = "a door"
    at: Name = Field(default="", description="its square; the place of its own name if left out")
    by: _Side = Field(default="defender", description="who shuts and opens it: defender, adversary or both")
    shut: YesNo = Field(default="no", description="yes if it is shut at the start")
    secured: YesNo = Field(default="no", description="yes if the adversary can no longer move it")


_CHANCE = chance_words("{go: 0.95, trigger(press): 0.5}")


class CellSection(FileSection):
    """A robot, people and machines on a floor plan."""

    called = "cell"
    plan: Text = Field(
        description="the floor as text: # is a wall, . is floor, other characters are places",
        examples=["####\n#.P#\n#D.#\n####\n"],
    )
    places: dict[str, Name] = Field(
        default={}, description="for each place the character it is drawn with", examples=[{"dock": "D"}]
    )
    robot: Name = Field(description="the square, or the place of one square, where the robot starts")
    people: dict[str, WalkerSettings] = Field(
        default={}, description="people and vehicles, which the adversary moves"
    )
    hazards: dict[str, HazardSettings] = Field(default={}, description="machines that strike")
    doors: dict[str, DoorSettings] = Field(default={}, description="squares that can be shut")
    clock: int = Field(default=1, ge=2, le=MAX_CLOCK, description="how many turns a round of the clock has")
    battery: int = Field(
        default=1, ge=1, le=MAX_BATTERY, description="how many turns the robot runs on a full battery"
    )
    chargers: _Names = Field(default=[], description="the places and squares where the battery is charged")
    rails: list[Text] = Field(default=[], description=_RAILS, examples=[["b3 - b4", "aisle - press"]])
    near: int = Field(
        default=1, ge=0, le=MAX_NEAR, description="how many squares away, also diagonally, counts as near"
    )
    worth: dict[str, _Worth] = Field(
        default={}, description="for some places μ, from 0 to 1, while the robot is there; 0 elsewhere"
    )
    chance: FailureTable = Field(
        default={}, description=_CHANCE, examples=[{"go": 0.95, "trigger(press)": 0.5}]
    )


class WalkerChange(FileSection):
    """What a variant changes about a person."""

    called = "a person"
    at: Name = Field(default="", description="another start")
    within: _Squares = Field(default="", description="other bounds")


_Walker = Annotated[
    Annotated[WalkerChange, Tag("~mapping")] | Annotated[None, Tag("~null")],
    by_kind("settings of a person, or null to remove it", "~mapping", "~null"),
]
_Hazard = Annotated[
    Annotated[HazardSettings, Tag("~mapping")] | Annotated[None, Tag("~null")],
    by_kind("settings of a hazard, or null to remove it", "~mapping", "~null"),
]
_Door = Annotated[
    Annotated[DoorSettings, Tag("~mapping")] | Annotated[None, Tag("~null")],
    by_kind("settings of a door, or null to remove it", "~mapping", "~null"),
]
_NameOrNull = Annotated[
    Annotated[Name, Tag("~scalar")] | Annotated[None, Tag("~null")],
    by_kind("a character, or null to remove the place", "~scalar", "~null"),
]


class CellChange(FileSection):
    """What a variant changes in a cell; settings that are not named stay, and null removes an entry."""

    called = "the cell of a variant"
    plan: Text = Field(default="", description="another drawing")
    places: dict[str, _NameOrNull] = Field(default={}, description="places to add, redraw or remove")
    robot: Name = Field(default="", description="another start of the robot")
    people: dict[str, _Walker] = Field(default={}, description="people to add, change or remove")
    hazards: dict[str, _Hazard] = Field(default={}, description="machines to add, change or remove")
    doors: dict[str, _Door] = Field(default={}, description="doors to add, change or remove")
    clock: int = Field(default=1, ge=2, le=MAX_CLOCK, description="another round of the clock")
    battery: int = Field(default=1, ge=1, le=MAX_BATTERY, description="another battery")
    chargers: _Names = Field(default=[], description="other chargers in place of the base's")
    add_chargers: _Names = Field(default=[], description="more chargers")
    rails: list[Text] = Field(default=[], description="other rails in place of the base's")
    add_rails: list[Text] = Field(default=[], description=f"more {_RAILS}")
    near: int = Field(default=1, ge=0, le=MAX_NEAR, description="another distance that counts as near")
    worth: dict[str, _Worth] = Field(default={}, description="worth of places, added or replaced")
    chance: FailureTable = Field(default={}, description="more chances, or other ones: " + _CHANCE)
