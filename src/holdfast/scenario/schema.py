"""The shape of a scenario file: pydantic models, and the JSON Schema made from them.

The models check shape only: keys, kinds of values, numbers in range, sizes. What names mean is decided
where the parts are built. Every complaint is in Holdfast's own words and carries the path to the node
it is about, from which :mod:`holdfast.scenario.shape` finds line and column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from holdfast.errors import did_you_mean
from holdfast.scenario.places import shortened

VERSION = 1
MAX_VARIABLES, MAX_VALUES, MAX_ACTIONS, MAX_CLAUSES = 1_000, 10_000, 2_000, 200
MAX_GROUP, MAX_VARIANTS = 500, 1_000


def complaint(text: str, key: str | None = None) -> PydanticCustomError:
    """An error in our own words; with ``key`` it is about that key of the mapping."""
    return PydanticCustomError("holdfast", "{text}", {"text": text, "key": key})


def _leaf(expected: str, *kinds: type) -> PlainValidator:
    """A scalar of one of these kinds (a bool is not an int)."""

    def check(value: Any) -> Any:
        if type(value) in kinds:
            return value
        raise complaint(f"expected {expected}")

    return PlainValidator(check)


def _by_kind(expected: str, *tags: str) -> Discriminator:
    """Tell the branches of a union apart by the kind of value, so that only one of them complains."""
    kinds: dict[type, str] = {dict: "~mapping", list: "~list", type(None): "~null"}

    def branch(value: Any) -> str | None:
        tag = kinds.get(type(value), "~scalar")
        return tag if tag in tags else None

    return Discriminator(
        branch,
        custom_error_type="holdfast",
        custom_error_message="{text}",
        custom_error_context={"text": f"expected {expected}"},
    )


def _one_of(*words: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value in words:
            return value
        hint = did_you_mean(value, words) if isinstance(value, str) else ""
        raise complaint(f"expected {' or '.join(words)}{hint}")

    return check


_SCALAR_JSON = WithJsonSchema({"type": ["string", "number", "boolean"]})
_NAME_JSON = WithJsonSchema({"type": ["string", "integer", "boolean"]})

Text = Annotated[
    str, _leaf("text (in quotes, if it looks like a number)", str), WithJsonSchema({"type": "string"})
]
Name = Annotated[Any, _leaf("a name", str, int, bool), _NAME_JSON]
Expression = Annotated[Any, _leaf("an expression", str, int, float, bool), _SCALAR_JSON]
Link = Annotated[
    str, _leaf("a link such as GW -> Web", str), WithJsonSchema({"type": "string", "pattern": "->"})
]
Side = Annotated[
    str, PlainValidator(_one_of("defender", "adversary")), WithJsonSchema({"enum": ["defender", "adversary"]})
]
Probability = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """A mapping of the file with known keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, defer_build=True)
    called: ClassVar[str] = "this mapping"

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise complaint("expected a mapping")
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        for key in value:
            if key not in fields:
                hint = did_you_mean(key, fields) or f"; the keys here are {', '.join(fields)}"
                raise complaint(f'unknown key "{shortened(key)}" in {cls.called}{hint}', key)
        for key, field in fields.items():
            if field.is_required() and key not in value:
                raise complaint(f'"{key}" is missing in {cls.called}: {field.description}')
        return value


class Edge(Section):
    """An edge of an automaton, taken when its guard holds of the letter (move, state after it)."""

    called = "an edge"
    source: Name = Field(alias="from", description="the state it leaves")
    target: Name = Field(alias="to", description="the state it enters")
    when: Expression = Field(default="true", description="guard over the move and the state after it")


class Automaton(Section):
    """A safety automaton written out: deterministic, complete, and without a way out of violation."""

    called = "an automaton"
    states: list[Name] = Field(
        description="the names of all states", min_length=1, examples=[["q0", "q1", "viol"]]
    )
    initial: Name = Field(description="the state before anything is read")
    accepting: list[Name] = Field(description="the states that are not violating")
    edges: list[Edge] = Field(
        description="guarded edges; in each state every letter needs exactly one target"
    )


class Clause(Section):
    """A clause with a name, or with an automaton in place of a formula."""

    called = "a clause"
    name: Text = Field(default="", description="shown in reports in place of the formula")
    formula: Expression = Field(default=None, description="a safety formula", examples=["G (active >= 3)"])
    automaton: Automaton | None = Field(default=None, description="an automaton in place of a formula")

    @model_validator(mode="after")
    def _check_one(self) -> Clause:
        if (self.formula is None) == (self.automaton is None):
            raise complaint('a clause has either "formula" or "automaton", and one of them')
        return self


_Clause = Annotated[
    Annotated[Expression, Tag("~scalar")] | Annotated[Clause, Tag("~mapping")],
    _by_kind("a formula such as G (active >= 3), or {automaton: …}", "~scalar", "~mapping"),
]
Clauses = Annotated[list[_Clause], Field(max_length=MAX_CLAUSES)]


class Specs(Section):
    """The requirements: what the defender must uphold, and what bounds the adversary."""

    called = "specs"
    defender: Clauses = Field(
        default_factory=list, description="clauses of φ_D, all to be upheld", examples=[["G (active >= 3)"]]
    )
    adversary: Clauses = Field(
        default_factory=list, description="clauses of φ_A, never left", examples=[["G (times(destroy) <= 2)"]]
    )


class Learning(Section):
    """The adaptive protocol; the defaults are the paper's (tab:hyperparams)."""

    called = "learning"
    episodes: int = Field(default=3000, ge=1, le=10_000_000, description="training episodes of each run")
    steps: int = Field(
        default=1000, ge=1, le=10_000_000, description="moves of an episode, both players' counted"
    )
    seeds: int = Field(default=10, ge=1, le=10_000, description="number of runs, with seeds 1, 2, …")
    window: int = Field(
        default=200, ge=1, le=10_000_000, description="final episodes that the reading averages"
    )
    alpha: float = Field(default=0.05, gt=0, le=1, description="learning rate")
    gamma: float = Field(default=0.95, ge=0, lt=1, description="discount")
    epsilon: Probability = Field(default=0.5, description="exploration in the first episode")
    epsilon_min: Probability = Field(default=0.1, description="least exploration")
    q_initial: float = Field(default=5.0, ge=-1e6, le=1e6, description="initial value of both tables")


class Group(Section):
    """Several hosts that are alike."""

    called = "a group of hosts"
    count: int = Field(ge=1, le=MAX_GROUP, description="how many there are; they are named name1, name2, …")


class ResetChance(Section):
    """A new engagement begins in an all-clean state with this probability."""

    called = "reset"
    probability: Probability = Field(description="chance of a reset, from 0 to 1")


_Groups = Annotated[dict[str, Group], Field(min_length=1, max_length=1)]
Host = Annotated[
    Annotated[Name, Tag("~scalar")] | Annotated[_Groups, Tag("~mapping")],
    _by_kind("a host name, or a group such as workstations: {count: 40}", "~scalar", "~mapping"),
]
Hosts = Annotated[list[Host], Field(max_length=MAX_VARIABLES)]
_NoReset = Annotated[str, PlainValidator(_one_of("none")), WithJsonSchema({"const": "none"})]
NetworkReset = Annotated[
    Annotated[_NoReset, Tag("~scalar")]
    | Annotated[None, Tag("~null")]
    | Annotated[ResetChance, Tag("~mapping")],
    _by_kind("none, or {probability: 0.1}", "~scalar", "~null", "~mapping"),
]


class Network(Section):
    """A network segment (sec. instantiation of the paper)."""

    called = "network"
    hosts: Annotated[Hosts, Field(min_length=1)] = Field(
        description="a list of names, or of groups such as workstations: {count: 40}",
        examples=[["GW", "Web", "DB"]],
    )
    links: list[Link] = Field(
        description="a list of A -> B, or A <-> B for both directions; a group stands for every member",
        examples=[["GW -> Web", "Web <-> DB"]],
    )
    sets: dict[str, list[Name]] = Field(
        default_factory=dict,
        description="named sets of hosts, for links and for count(critical in {X, D, Z})",
        examples=[{"critical": ["DB", "BK"]}],
    )
    entry: Name = Field(description="the host that is compromised at the start", examples=["GW"])
    reset: NetworkReset = Field(
        default=None, description="{probability: 0.1} if left out, or none for no resets"
    )


class Effect(Section):
    """A guarded effect of an action."""

    called = "an effect"
    when: Expression = Field(default="true", description="guard over the state", examples=["level > 0"])
    set: dict[str, Expression] = Field(
        default={}, description="variables and their new values", examples=[{"level": "level - 1"}]
    )


class Reset(Section):
    """A new engagement, in the adaptive layer."""

    called = "reset"
    when: Expression = Field(description="where a reset may happen, such as level = 0")
    probability: Probability = Field(description="its chance there, from 0 to 1")
    set: dict[str, Expression] = Field(description="variables and their new values")


_ACTION = "an action: {}, {when: …, set: {…}}, or a list of such effects"
_Effect = Annotated[Effect, Tag("~mapping")]
_Effects = Annotated[list[Effect], Tag("~list")]
_Null = Annotated[None, Tag("~null")]
Action = Annotated[_Effect | _Effects, _by_kind(_ACTION, "~mapping", "~list")]
Actions = Annotated[dict[str, Action], Field(max_length=MAX_ACTIONS)]
ActionChange = Annotated[
    _Effect | _Effects | _Null, _by_kind(_ACTION + ", or null to remove it", "~mapping", "~list", "~null")
]
_Values = Annotated[list[Name], Field(min_length=1, max_length=MAX_VALUES)]
Domain = Annotated[
    Annotated[Expression, Tag("~scalar")] | Annotated[_Values, Tag("~list")],
    _by_kind("a range such as 0..9, or a list of values such as [open, shut]", "~scalar", "~list"),
]
DomainChange = Annotated[
    Annotated[Expression, Tag("~scalar")] | Annotated[_Values, Tag("~list")] | _Null,
    _by_kind("a range such as 0..9, a list of values, or null to remove it", "~scalar", "~list", "~null"),
]
ExpressionChange = Annotated[
    Annotated[Expression, Tag("~scalar")] | _Null,
    _by_kind("an expression, or null to remove it", "~scalar", "~null"),
]


class Game(Section):
    """A game in the framework's own language."""

    called = "game"
    variables: Annotated[dict[str, Domain], Field(min_length=1, max_length=MAX_VARIABLES)] = Field(
        description="a mapping from each variable to its values",
        examples=[{"valve": ["open", "shut"], "level": "0..9"}],
    )
    define: dict[str, Expression] = Field(
        default={}, description="named expressions; later ones may use earlier ones"
    )
    initial: dict[str, Name] = Field(
        description="a value for every variable", examples=[{"valve": "open", "level": 4}]
    )
    first: Side = Field(default="adversary", description="who moves first")
    defender: Actions = Field(
        description="actions; the first effect whose guard holds applies, otherwise nothing changes",
        examples=[{"drain": {"when": "level > 0", "set": {"level": "level - 1"}}, "wait": {}}],
    )
    adversary: Actions = Field(description="actions, written like the defender's")
    dominance: Expression = Field(
        default=1, description="μ, from 0 to 1 in every state", examples=["1 - level / 9"]
    )
    reset: Reset | None = Field(default=None, description="engagement reset of the adaptive layer")


class GameChange(Section):
    """Entries of a game that a variant adds, replaces or, with null, removes."""

    called = "the game of a variant"
    variables: dict[str, DomainChange] = Field(default={}, description="variables to add, replace or remove")
    define: dict[str, ExpressionChange] = Field(
        default={}, description="definitions to add, replace or remove"
    )
    initial: dict[str, ExpressionChange] = Field(default={}, description="initial values to change")
    first: Side = Field(default="adversary", description="who moves first")
    defender: dict[str, ActionChange] = Field(default={}, description="actions to add, replace or remove")
    adversary: dict[str, ActionChange] = Field(default={}, description="actions to add, replace or remove")
    dominance: Expression = Field(default=1, description="another μ")
    reset: Reset | None = Field(default=None, description="another reset, or null for none")


class Variant(Section):
    """What a variant changes; everything else is as in the base."""

    called = "a variant"
    description: Text = Field(default="", description="what changes, in words")
    specs: Specs | None = Field(default=None, description="clauses of a side, in place of the base's")
    learning: Learning | None = Field(default=None, description="settings that differ from the base's")
    links: list[Link] = Field(default_factory=list, description="network: all links, in place of the base's")
    add_links: list[Link] = Field(default_factory=list, description="network: links to add")
    remove_links: list[Link] = Field(default_factory=list, description="network: links to remove")
    add_hosts: Hosts = Field(default_factory=list, description="network: hosts to add, after the base's")
    remove_hosts: list[Name] = Field(
        default_factory=list, description="network: hosts to remove, with their links"
    )
    entry: Name = Field(default=None, description="network: another entry host")
    reset: NetworkReset = Field(default=None, description="network: other engagement resets")
    game: GameChange | None = Field(
        default=None, description="entries of the game to replace; null removes one"
    )


class ScenarioFile(Section):
    """A Holdfast scenario: a system under attack, its requirements, and variants of both."""

    model_config = ConfigDict(
        title="Holdfast scenario",
        json_schema_extra={"oneOf": [{"required": ["network"]}, {"required": ["game"]}]},
    )
    called = "a scenario"
    holdfast: Annotated[Any, WithJsonSchema({"const": VERSION})] = Field(
        description=f'the version of this format; write "holdfast: {VERSION}"'
    )
    name: Text = Field(default="", description="title for reports")
    description: Text = Field(default="", description="what the scenario is about")
    network: Network | None = Field(default=None, description="the system as a network segment")
    game: Game | None = Field(
        default=None, description="the system as a game in the framework's own language"
    )
    specs: Specs = Field(description="the requirements, {defender: […], adversary: […]}")
    learning: Learning | None = Field(default=None, description="settings of the adaptive layer")
    variants: Annotated[dict[str, Variant], Field(max_length=MAX_VARIANTS)] = Field(
        default={}, description="named changes, for what-if comparisons"
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenario files, for editors and other tools.

    >>> sorted(json_schema()["required"])
    ['holdfast', 'specs']
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **ScenarioFile.model_json_schema()}
