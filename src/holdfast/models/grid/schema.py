"""The shape of the ``grid:`` section and of what a variant may change in it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, Tag, WithJsonSchema, model_validator

from holdfast.logic import Player
from holdfast.models.failures import FailureTable, chance_words
from holdfast.models.grid.power_grid import TYPES, WAIT
from holdfast.scenario import FileSection, Name, Text, by_kind, complaint, one_of

MAX_BRANCHES, MAX_OUTAGES, MAX_POWER = 500, 12, 1_000_000_000


def _words(player: Player) -> Any:
    words = tuple(kind for kind in TYPES[player] if kind != WAIT)
    return Annotated[str, PlainValidator(one_of(*words)), WithJsonSchema({"enum": list(words)})]


_DefenderAction: Any = _words(Player.DEFENDER)
_AdversaryAction: Any = _words(Player.ADVERSARY)
Power = Annotated[float, Field(ge=0, le=MAX_POWER)]
Positive = Annotated[float, Field(gt=0, le=MAX_POWER)]
Tolerance = Annotated[float, Field(ge=1, le=100)]
Outages = Annotated[int, Field(ge=1, le=MAX_OUTAGES)]


class BranchSettings(FileSection):
    """A line or transformer."""

    called = "a branch"
    source: Name = Field(alias="from", description="the bus at one end")
    target: Name = Field(alias="to", description="the bus at the other end")
    x: Positive = Field(description="its reactance, per unit")
    rating: Positive | None = Field(default=None, description="the power it can carry continuously, in MW")


class GeneratorSettings(FileSection):
    """A generator."""

    called = "a generator"
    scheduled: Power = Field(description="the power that it is scheduled to give, in MW")
    most: Power = Field(description="the most that it can give, in MW")


class UsualRating(FileSection):
    """The rating of branches that have none of their own."""

    called = "rating"
    margin: Annotated[float, Field(ge=1, le=1000)] = Field(
        description="the flow in the intact grid, times this"
    )
    least: Power = Field(default=0, description="but at least so many MW")


class GridActions(FileSection):
    """The types of action that a side has, besides waiting; a side that is left out has the usual ones."""

    called = "actions"
    defender: list[_DefenderAction] = Field(
        default_factory=list, description="of reclose, repair, shed and restore; all if left out"
    )
    adversary: list[_AdversaryAction] = Field(
        default_factory=list, description="of trip and damage; trip if left out"
    )


_Generator = Annotated[
    Annotated[Power, Tag("~scalar")] | Annotated[GeneratorSettings, Tag("~mapping")],
    by_kind("the most that it can give in MW, or {scheduled: 60, most: 90}", "~scalar", "~mapping"),
]
Branches = Annotated[dict[str, BranchSettings], Field(max_length=MAX_BRANCHES)]
Generators = dict[str, _Generator]
Loads = dict[str, Power]
Ratings = dict[str, Positive]

_LOADS = "the load at a bus in MW, such as {B5: 90}"
_GENERATORS = "the most that the generators at a bus give in MW, or {scheduled: 60, most: 90}"
_RATINGS = "the ratings of some branches in MW, such as {L4-5: 150}"
_RATING = "{margin: 1.4, least: 20} for branches without a rating: 1.4 times what they carry, at least 20 MW"
_TOLERANCE = "a branch trips above its rating times this; 1.2 if left out"
_OUTAGES = "the most branches that can be out; where more would be, the grid counts as lost; 2 if left out"
_PROTECTED = "branches that the adversary cannot touch"
_SHED = "buses whose load the operator can shed and restore"
_ACTIONS = "the types of action that a side has, such as {adversary: [trip, damage]}"


_OBSERVES = (
    "the branches whose status is telemetered; of others the operator sees only what becomes of buses and "
    "loads. Left out: everything is seen"
)


_CHANCE = chance_words("{reclose: 0.9, trip(AB): 0.3}")


class GridSection(FileSection):
    """A power grid, as a named case or written out."""

    called = "grid"
    case: Text | None = Field(
        default=None,
        description="a case of pandapower: ieee9, ieee14, ieee24, ieee30, ieee39",
        examples=["ieee14"],
    )
    branches: Branches = Field(
        default_factory=dict,
        description="lines and transformers, where there is no case",
        examples=[{"AB": {"from": "A", "to": "B", "x": 0.1, "rating": 80}}],
    )
    loads: Loads = Field(default_factory=dict, description=_LOADS + "; with a case, in place of the case's")
    generators: Generators = Field(
        default_factory=dict, description=_GENERATORS + "; with a case, in place of the case's"
    )
    rating: UsualRating | None = Field(default=None, description=_RATING)
    ratings: Ratings = Field(default_factory=dict, description=_RATINGS)
    tolerance: Tolerance = Field(default=1.2, description=_TOLERANCE)
    outages: Outages = Field(default=2, description=_OUTAGES)
    protected: list[Name] = Field(default_factory=list, description=_PROTECTED)
    shed: list[Name] = Field(default_factory=list, description=_SHED)
    actions: GridActions | None = Field(default=None, description=_ACTIONS)
    observes: list[Name] | None = Field(default=None, description=_OBSERVES)
    chance: FailureTable = Field(
        default={}, description=_CHANCE, examples=[{"reclose": 0.9, "trip(AB)": 0.3}]
    )

    @model_validator(mode="after")
    def _check_origin(self) -> GridSection:
        if bool(self.case) == bool(self.branches):
            raise complaint("expected a case such as ieee14, or branches, and not both")
        return self


class GridChange(FileSection):
    """What a variant changes in a grid."""

    called = "the grid of a variant"
    add_branches: Branches = Field(default_factory=dict, description="branches to add, after the base's")
    remove_branches: list[Name] = Field(default_factory=list, description="branches to remove")
    loads: Loads = Field(default_factory=dict, description="other loads: " + _LOADS)
    generators: Generators = Field(default_factory=dict, description="other generators: " + _GENERATORS)
    rating: UsualRating | None = Field(default=None, description="in place of the base's: " + _RATING)
    ratings: Ratings = Field(default_factory=dict, description="other ratings: " + _RATINGS)
    tolerance: Tolerance = Field(default=1.2, description="in place of the base's: " + _TOLERANCE)
    outages: Outages = Field(default=2, description="in place of the base's: " + _OUTAGES)
    protected: list[Name] = Field(default_factory=list, description="in place of the base's: " + _PROTECTED)
    add_protected: list[Name] = Field(default_factory=list, description="more " + _PROTECTED)
    shed: list[Name] = Field(default_factory=list, description="in place of the base's: " + _SHED)
    actions: GridActions | None = Field(default=None, description="in place of the base's: " + _ACTIONS)
    observes: list[Name] | None = Field(default=None, description="in place of the base's: " + _OBSERVES)
    chance: FailureTable = Field(default={}, description="more chances, or other ones: " + _CHANCE)
