"""The shape of the ``game:`` section, and of what a variant may change in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PlainValidator, Tag, WithJsonSchema

from holdfast.scenario import ExpressionText, FileSection, Name, Probability, by_kind, one_of

MAX_VARIABLES, MAX_VALUES, MAX_ACTIONS, MAX_OUTCOMES = 1_000, 10_000, 2_000, 100

SideName = Annotated[
    str, PlainValidator(one_of("defender", "adversary")), WithJsonSchema({"enum": ["defender", "adversary"]})
]


class Outcome(FileSection):
    """One of the things that may happen when an action is taken."""

    called = "an outcome"
    probability: Probability = Field(description="how likely it is, from 0 to 1")
    set: dict[str, ExpressionText] = Field(default={}, description="variables and their new values")


class Effect(FileSection):
    """A guarded effect of an action."""

    called = "an effect"
    when: ExpressionText = Field(default="true", description="guard over the state", examples=["level > 0"])
    set: dict[str, ExpressionText] = Field(
        default={}, description="variables and their new values", examples=[{"level": "level - 1"}]
    )
    outcomes: Annotated[list[Outcome], Field(min_length=1, max_length=MAX_OUTCOMES)] = Field(
        default=[],
        description="what may happen in place of set, each with its probability; else nothing changes",
        examples=[[{"probability": 0.3, "set": {"level": "level - 1"}}]],
    )


class GameReset(FileSection):
    """A new engagement, in the adaptive layer."""

    called = "reset"
    when: ExpressionText = Field(description="where a reset may happen, such as level = 0")
    probability: Probability = Field(description="its chance there, from 0 to 1")
    set: dict[str, ExpressionText] = Field(description="variables and their new values")
    memory: Literal["kept"] | None = Field(
        default=None, description="kept: what the requirement remembers goes on; else it must not be erased"
    )


_ACTION = "an action: {}, {when: …, set: {…}}, or a list of such effects"
_Effect = Annotated[Effect, Tag("~mapping")]
_Effects = Annotated[list[Effect], Tag("~list")]
_Null = Annotated[None, Tag("~null")]
ActionEffects = Annotated[_Effect | _Effects, by_kind(_ACTION, "~mapping", "~list")]
ActionTable = Annotated[dict[str, ActionEffects], Field(max_length=MAX_ACTIONS)]
ActionChange = Annotated[
    _Effect | _Effects | _Null, by_kind(_ACTION + ", or null to remove it", "~mapping", "~list", "~null")
]
_Values = Annotated[list[Name], Field(min_length=1, max_length=MAX_VALUES)]
Domain = Annotated[
    Annotated[ExpressionText, Tag("~scalar")] | Annotated[_Values, Tag("~list")],
    by_kind("a range such as 0..9, or a list of values such as [open, shut]", "~scalar", "~list"),
]
DomainChange = Annotated[
    Annotated[ExpressionText, Tag("~scalar")] | Annotated[_Values, Tag("~list")] | _Null,
    by_kind("a range such as 0..9, a list of values, or null to remove it", "~scalar", "~list", "~null"),
]
ExpressionChange = Annotated[
    Annotated[ExpressionText, Tag("~scalar")] | _Null,
    by_kind("an expression, or null to remove it", "~scalar", "~null"),
]


class GameSection(FileSection):
    """A game in the framework's own language."""

    called = "game"
    variables: Annotated[dict[str, Domain], Field(min_length=1, max_length=MAX_VARIABLES)] = Field(
        description="a mapping from each variable to its values",
        examples=[{"valve": ["open", "shut"], "level": "0..9"}],
    )
    define: dict[str, ExpressionText] = Field(
        default={}, description="named expressions; later ones may use earlier ones"
    )
    initial: dict[str, Name] = Field(
        description="a value for every variable", examples=[{"valve": "open", "level": 4}]
    )
    first: SideName = Field(default="adversary", description="who moves first")
    defender: ActionTable = Field(
        description="actions; the first effect whose guard holds applies, otherwise nothing changes",
        examples=[{"drain": {"when": "level > 0", "set": {"level": "level - 1"}}, "wait": {}}],
    )
    adversary: ActionTable = Field(description="actions, written like the defender's")
    dominance: ExpressionText = Field(
        default=1, description="μ, from 0 to 1 in every state", examples=["1 - level / 9"]
    )
    reset: GameReset | None = Field(default=None, description="engagement reset of the adaptive layer")
    observes: list[ExpressionText] | None = Field(
        default=None,
        description="what the defender sees: variables, definitions or expressions; everything if left out",
        examples=[["level", "valve = open"]],
    )


class GameChange(FileSection):
    """Entries of a game that a variant adds, replaces or, with null, removes."""

    called = "the game of a variant"
    variables: dict[str, DomainChange] = Field(default={}, description="variables to add, replace or remove")
    define: dict[str, ExpressionChange] = Field(
        default={}, description="definitions to add, replace or remove"
    )
    initial: dict[str, ExpressionChange] = Field(default={}, description="initial values to change")
    first: SideName = Field(default="adversary", description="who moves first")
    defender: dict[str, ActionChange] = Field(default={}, description="actions to add, replace or remove")
    adversary: dict[str, ActionChange] = Field(default={}, description="actions to add, replace or remove")
    dominance: ExpressionText = Field(default=1, description="another μ")
    reset: GameReset | None = Field(default=None, description="another reset, or null for none")
    observes: list[ExpressionText] | None = Field(
        default=None, description="what the defender sees instead, or null for everything"
    )
