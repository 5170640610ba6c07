"""The shape of a whole scenario file, put together from the models' sections: check and JSON Schema."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, WithJsonSchema, create_model, model_validator

from holdfast.game import Protocol
from holdfast.scenario.registry import Model, all_models, model_keys, model_of
from holdfast.scenario.text.places import Problem, is_one_line, shortened
from holdfast.scenario.text.shape import (
    ExpressionText,
    FileSection,
    Name,
    Probability,
    Text,
    Title,
    by_kind,
    complaint,
    leaf,
    validate,
)
from holdfast.scenario.text.yaml import Node

VERSION = 1
BASE = "base"
MAX_CLAUSES, MAX_VARIANTS, MAX_COSTS, MAX_CHANGES = 2_000, 1_000, 10_000, 1_000
MAX_PLACES = 50_000


class ClauseEdge(FileSection):
    """An edge of an automaton, taken when its guard holds of the letter (move, state after it)."""

    called = "an edge"
    source: Name = Field(alias="from", description="the state it leaves")
    target: Name = Field(alias="to", description="the state it enters")
    when: ExpressionText = Field(default="true", description="guard over the move and the state after it")


class ClauseAutomaton(FileSection):
    """A safety automaton written out: deterministic, complete, and without a way out of violation."""

    called = "an automaton"
    states: list[Name] = Field(
        description="the names of all states", min_length=1, examples=[["q0", "q1", "viol"]]
    )
    initial: Name = Field(description="the state before anything is read")
    accepting: list[Name] = Field(description="the states that are not violating")
    edges: list[ClauseEdge] = Field(
        description="guarded edges; in each state every letter needs exactly one target"
    )


class ClauseSection(FileSection):
    """A clause with a name, or with an automaton in place of a formula."""

    called = "a clause"
    name: Title = Field(default="", description="shown in reports instead of the formula")
    formula: ExpressionText = Field(
        default=None, description="a safety formula", examples=["G (active >= 3)"]
    )
    automaton: ClauseAutomaton | None = Field(default=None, description="an automaton in place of a formula")
    per_zone: ExpressionText = Field(
        default=None,
        description="a safety formula that every zone must meet; zone means the hosts of that zone",
        examples=["G (count(zone in {I, Z}) <= 2)"],
    )

    @model_validator(mode="after")
    def _check_one(self) -> ClauseSection:
        if sum(given is not None for given in (self.formula, self.automaton, self.per_zone)) != 1:
            raise complaint('a clause has one of "formula", "per_zone" and "automaton"')
        return self


_Clause = Annotated[
    Annotated[ExpressionText, Tag("~scalar")] | Annotated[ClauseSection, Tag("~mapping")],
    by_kind("a formula such as G (active >= 3), or {automaton: …}", "~scalar", "~mapping"),
]
ClauseSections = Annotated[list[_Clause], Field(max_length=MAX_CLAUSES)]


class Specs(FileSection):
    """The requirements: what the defender must uphold, and what bounds the adversary."""

    called = "specs"
    defender: ClauseSections = Field(
        default_factory=list,
        description="clauses of φ_D, which must always hold",
        examples=[["G (active >= 3)"]],
    )
    adversary: ClauseSections = Field(
        default_factory=list,
        description="clauses of φ_A, which the adversary always obeys",
        examples=[["G (times(destroy) <= 2)"]],
    )


class ClausesChange(FileSection):
    """The base's clauses of a side, some of them changed; a clause is called by its name or its formula."""

    called = "a change of clauses"
    replace: dict[str, _Clause] = Field(
        default_factory=dict,
        description="for a clause of the base, its replacement",
        examples=[{"enough in service": "G (active >= 2)"}],
    )
    add: ClauseSections = Field(default_factory=list, description="clauses to add, after the base's")
    remove: list[ExpressionText] = Field(default_factory=list, description="clauses of the base to leave out")


_SideChange = Annotated[
    Annotated[ClauseSections, Tag("~list")] | Annotated[ClausesChange, Tag("~mapping")],
    by_kind("a list of clauses, or {replace: …, add: …, remove: …}", "~list", "~mapping"),
]


class SpecsChange(FileSection):
    """What a variant changes in the requirements: a list stands in place of the base's."""

    called = "specs"
    defender: _SideChange = Field(
        default_factory=list, description="clauses of φ_D, or changes of the base's"
    )
    adversary: _SideChange = Field(
        default_factory=list, description="clauses of φ_A, or changes of the base's"
    )


_PAPER = Protocol()
PositiveCount = Annotated[int, Field(ge=1, le=10_000_000)]


class LearningSection(FileSection):
    """The adaptive protocol; the defaults are the paper's (tab:hyperparams)."""

    called = "learning"
    episodes: PositiveCount = Field(default=_PAPER.episodes, description="training episodes of each run")
    steps: PositiveCount = Field(default=_PAPER.steps, description="moves per episode, counting both players")
    seeds: int = Field(
        default=len(_PAPER.seed_numbers), ge=1, le=10_000, description="number of runs, with seeds 1, 2, …"
    )
    window: PositiveCount = Field(
        default=_PAPER.window, description="number of final episodes that are averaged"
    )
    alpha: float = Field(default=_PAPER.alpha, gt=0, le=1, description="learning rate")
    gamma: float = Field(default=_PAPER.gamma, ge=0, lt=1, description="discount")
    epsilon: Probability = Field(default=_PAPER.epsilon, description="exploration in the first episode")
    epsilon_min: Probability = Field(default=_PAPER.epsilon_min, description="least exploration")
    q_initial: float = Field(
        default=_PAPER.q_initial, ge=-1e6, le=1e6, description="initial value of both tables"
    )


EFFORT = "what interventions of the defender cost, by action or type of action; everything else costs 1"
Costs = Annotated[dict[str, Annotated[int, Field(ge=0, le=1_000_000)]], Field(max_length=MAX_COSTS)]


RECOVERY = (
    "states that the defender wants to return to, by name, such as {db back: DB = C}; the model's own "
    "goals need no entry"
)
Goals = Annotated[dict[str, Annotated[str, leaf("an expression such as DB = C", str)]], Field(max_length=100)]


class PaceSection(FileSection):
    """How long things take, so that numbers of moves are told in hours and days too."""

    called = "pace"
    move: Annotated[str, leaf("a duration such as 30 min", str)] = Field(
        description="how long a move takes, such as 30 min, 2 h, 1 d", examples=["30 min"]
    )


PictureInches = Annotated[float, Field(ge=-1_000, le=1_000)]
PictureLayout = Annotated[
    dict[str, Annotated[list[PictureInches], Field(min_length=2, max_length=2)]], Field(max_length=MAX_PLACES)
]
LAYOUT = (
    "where boxes stand in pictures, such as {GW: [0, 1.5]}: inches to the right and downwards; it changes no "
    "answer, and what is not named stands where there is room"
)


PictureWords = Annotated[dict[str, Text], Field(max_length=MAX_PLACES)]
LABELS = (
    "what pictures write in place of a name, such as {DB: db.corp.local}, or on a link, such as "
    "{GW -> Web: 443}; rules and answers use the names"
)
NOTES = "remarks on hosts and links, for those who read the picture: {DB: replaced in May}"


class _VariantHead(FileSection):
    """What a variant changes; everything else is as in the base."""

    called = "a variant"
    description: Text = Field(default="", description="what changes, in words")
    specs: SpecsChange | None = Field(
        default=None, description="clauses of a side in place of the base's, or changes of single clauses"
    )
    learning: LearningSection | None = Field(default=None, description="settings that differ from the base's")
    effort: Costs = Field(default_factory=dict, description="costs that differ from the base's")
    recovery: Goals = Field(default_factory=dict, description="goals besides the base's, or in place of them")
    pace: PaceSection | None = Field(default=None, description="a pace in place of the base's")


class _FileHead(FileSection):
    """A Holdfast scenario: a system under attack, its requirements, and variants of both."""

    called = "a scenario"
    holdfast: Annotated[Any, WithJsonSchema({"const": VERSION})] = Field(
        description=f'the version of this format; write "holdfast: {VERSION}"'
    )
    name: Title = Field(default="", description="title for reports")
    description: Text = Field(default="", description="what the scenario is about")


class PricedAddition(FileSection):
    """An addition by its words, with its cost."""

    called = "an addition"
    add: Title = Field(description="what is added or lost, such as link GW -> DB, or link all")
    cost: int = Field(default=1, ge=1, le=1_000_000, description="what it costs, a whole number")


_Additions = list[
    Annotated[
        Annotated[Title, Tag("~scalar")] | Annotated[PricedAddition, Tag("~mapping")],
        by_kind("an addition such as link GW -> DB, or {add: link GW -> DB, cost: 3}", "~scalar", "~mapping"),
    ]
]


class DesignSection(FileSection):
    """What could be changed in a design, at which cost, and what the business needs."""

    called = "design"
    changes: list[Any] = Field(
        default_factory=list,
        max_length=MAX_CHANGES,
        description="changes to choose from: cut GW -> Web, harden all, {change: harden DB, cost: 3}, or "
        "{name: …, cost: …, variant: {…}}; every link if left out",
        examples=[["cut all", {"change": "harden DB", "cost": 3}]],
    )
    additions: _Additions = Field(
        default_factory=list,
        max_length=MAX_CHANGES,
        description="what could be added or lost, for fragile: link GW -> DB, link all, "
        "{add: expose Mail, cost: 3}; everything if left out",
        examples=[["link all", {"add": "expose Mail", "cost": 3}]],
    )
    keep: list[Title] = Field(
        default_factory=list, description="parts that stay as they are", examples=[["GW -> Web"]]
    )
    keep_paths: list[Title] = Field(
        default_factory=list,
        description="a path from one place to another that must stay open, however long",
        examples=[["GW -> DB"]],
    )


class PricedChange(FileSection):
    """A change by its words, with its cost."""

    called = "a change"
    change: Title = Field(description="what changes, such as harden DB, or cut all for every link")
    cost: int = Field(default=1, ge=1, le=1_000_000, description="what it costs, a whole number")


@cache
def _file_model(models: tuple[Model, ...], keys: frozenset[str] | None = None) -> type[FileSection]:
    """The shape of a file with one of these models, in its variants with these keys of theirs; None: all."""
    changes: dict[str, Any] = {}
    for model in models:
        for name in model.flat:
            field = copy(model.change.model_fields[name])
            field.description = f"{model.key}: {field.description}"
            changes[name] = (field.annotation, field)
        about = f"what changes in {model.called}"
        changes[model.key] = (model.change | None, Field(default=None, description=about))
    changes = {key: field for key, field in changes.items() if keys is None or key in keys}
    variant = create_model("Variant", __base__=_VariantHead, __doc__=_VariantHead.__doc__, **changes)
    named = create_model(
        "NamedChange",
        __base__=FileSection,
        __doc__="A change of any kind, written as a variant is.",
        name=(Title, Field(description="what it is called")),
        cost=(int, Field(default=1, ge=1, le=1_000_000, description="what it costs, a whole number")),
        helps=(bool, Field(default=False, description="whether it can only help the defender")),
        variant=(variant, Field(description="what changes, as in variants")),
    )
    named.called = "a change"
    priced = Annotated[PricedChange, Tag("change")] | Annotated[named, Tag("name")]  # type: ignore[valid-type]
    change = Annotated[Annotated[Title, Tag("~scalar")] | priced, Discriminator(_kind_of_change)]
    design = create_model(
        "Design",
        __base__=DesignSection,
        __doc__=DesignSection.__doc__,
        changes=(list[change], copy(DesignSection.model_fields["changes"])),
    )
    sections: dict[str, Any] = {
        model.key: (model.section | None, Field(default=None, description=f"the system as {model.called}"))
        for model in models
    }
    rest: dict[str, Any] = {
        "specs": (Specs, Field(description="the requirements, {defender: […], adversary: […]}")),
        "learning": (
            LearningSection | None,
            Field(default=None, description="settings of the adaptive layer"),
        ),
        "effort": (Costs, Field(default={}, description=EFFORT, examples=[{"isolate": 2, "fix": 5}])),
        "recovery": (Goals, Field(default={}, description=RECOVERY, examples=[{"db back": "DB = C"}])),
        "pace": (
            PaceSection | None,
            Field(default=None, description="how long a move takes, {move: 30 min}"),
        ),
        "variants": (
            Annotated[dict[str, variant], Field(max_length=MAX_VARIANTS)],  # type: ignore[valid-type]
            Field(default={}, description="named changes, for what-if comparisons"),
        ),
        "design": (design | None, Field(default=None, description="what could be changed, for recommend")),
        "labels": (PictureWords, Field(default={}, description=LABELS, examples=[{"DB": "db.corp.local"}])),
        "notes": (PictureWords, Field(default={}, description=NOTES, examples=[{"DB": "replaced in May"}])),
        "layout": (PictureLayout, Field(default={}, description=LAYOUT, examples=[{"GW": [0, 1.5]}])),
    }
    return create_model("ScenarioFile", __base__=_FileHead, __doc__=_FileHead.__doc__, **sections, **rest)


def _kind_of_change(value: Any) -> str:
    """Which of the shapes of a change is meant, so that only that one complains."""
    if isinstance(value, dict):
        return "change" if "change" in value else "name"
    return "~scalar"


def file_model() -> type[FileSection]:
    """The shape of a scenario file, with every model that is registered."""
    return _file_model(tuple(all_models().values()))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenario files, for editors and other tools.

    >>> sorted(json_schema()["required"])
    ['holdfast', 'specs']
    """
    made = file_model().model_json_schema()
    one = [{"required": [key]} for key in all_models()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "Holdfast scenario",
        "oneOf": one,
    }


# -- the check of a file ----------------------------------------------------------------------------


def _tell_mistakes(root: Node) -> None:
    """Check a file against all that there is, which knows what is meant where a key is indented too far."""
    whole = file_model()
    validate(whole, root, whole.model_fields)


def check_shape(root: Node) -> Model:
    """Check a whole scenario file, variants included; returns the model that it uses.

    Raises:
        Problem: for the first mistakes, in the order of the file.
    """
    if root.kind != "mapping":
        raise root.problem(
            f'expected a mapping that starts with "holdfast: {VERSION}", found {root.describe()}'
        )
    version = root.entries.get("holdfast")
    if version is not None and (type(version.value) is not int or version.value != VERSION):
        raise version.problem(
            f"version {version.describe()} of the format; this Holdfast reads version {VERSION}: "
            f'write "holdfast: {VERSION}", or use a newer Holdfast'
        )
    used = [key for key in model_keys() if root.get(key) is not None]
    if len(used) > 1:  # before all else: what is missing in the one that is too many is no help
        raise root.keys[used[1]].problem(
            f'both "{used[0]}" and "{used[1]}"; a scenario has one of them: remove the other'
        )
    if not used:
        _tell_mistakes(root)
        known = " or ".join(f'"{key}"' for key in model_keys())
        raise root.problem(f"a scenario needs {known}; add the system to be defended")
    model, variants = model_of(used[0]), root.get("variants")
    keys = frozenset(_occurring(root) & {model.key, *model.flat})
    try:  # against what is used alone, which is soon loaded; a mistake is told with all that there is
        validate(_file_model((model,), keys), root)
    except Problem:
        _tell_mistakes(root)
        for name, variant in variants.entries.items() if variants is not None else ():
            _refuse_others(model, name, variant)
        raise
    if variants is not None:
        for name, key in variants.keys.items():
            _check_variant(model, name, key, variants[name])
    return model


def _occurring(root: Node) -> set[str]:
    """The keys that variants use, and named changes of the design, which are written as variants are."""
    variants, design = root.get("variants"), root.get("design")
    listed = design.get("changes") if design is not None else None
    sections = list(variants.entries.values()) if variants is not None else []
    sections += [
        item["variant"] for item in (listed.items if listed is not None else ()) if "variant" in item.entries
    ]
    return {key for variant in sections for key in variant.keys}


def _refuse_others(used: Model, name: str, variant: Node) -> None:
    """A variant changes what the base has, and not what another model would have."""
    for model in all_models().values():
        for changed, place in variant.keys.items():
            if model.key != used.key and changed in (model.key, *model.flat):
                instead = f"{used.flat[1]}, …" if used.flat else f'"{used.key}"'
                raise place.problem(
                    f'variant "{shortened(name)}": "{changed}" changes {model.called}, but this scenario has '
                    f"{used.called}; use {instead}"
                )


def _check_variant(used: Model, name: str, key: Node, variant: Node) -> None:
    """A name of its own, and no change that stands twice."""
    if name == BASE:
        raise key.problem(f'a variant cannot be called "{BASE}": that is the scenario without changes')
    if not is_one_line(name):
        raise key.problem("the name of a variant must be on one line; remove its line break")
    nested = variant.get(used.key)
    both = set(variant.keys) & set(nested.keys if nested is not None else ())
    twice = next((key for key in used.flat if key in both), None)
    if twice is not None:
        raise variant.keys[twice].problem(
            f'variant "{shortened(name)}": "{twice}" is both here and under "{used.key}"; keep one of them'
        )
