"""The shape of the ``network:`` section and of what a variant may change in it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, Tag, WithJsonSchema, model_validator

from holdfast.logic import Player
from holdfast.models.network.profiles import DEFENDER_WORDS, Defender
from holdfast.models.network.segment import (
    HOST_TYPES,
    MAX_LATE,
    MAX_MISSING,
    MAX_TEMPO,
    NOOP,
    TYPES,
)
from holdfast.scenario import FileSection, Name, Probability, YesNo, by_kind, complaint, leaf, one_of

MAX_HOSTS, MAX_GROUP = 50_000, 500
MAX_COUNTED = 100_000
"""How many alike hosts a group may have that are counted."""
MAX_VALUE = 1_000_000
MAX_FLOWS = 1_000
MAX_CHANCES = 10_000

HOST_ACTIONS = tuple(kind for types in HOST_TYPES.values() for kind in types if kind != NOOP)


def _word(*words: str, otherwise: str = "") -> Any:
    """One of some words."""
    check = PlainValidator(one_of(*words, otherwise=otherwise))
    return Annotated[str, check, WithJsonSchema({"enum": list(words)})]


_HostAction: Any = _word(*HOST_ACTIONS)
_DefenderAction: Any = _word(*TYPES[Player.DEFENDER])
_AdversaryAction: Any = _word(*TYPES[Player.ADVERSARY])
_Isolate: Any = _word("any", "detected")
_Dominance: Any = _word("hosts", "flows")
LinkText = Annotated[
    str, leaf("a link such as GW -> Web", str), WithJsonSchema({"type": "string", "pattern": "->"})
]


class HostSettings(FileSection):
    """A host that differs from others, or several hosts that are alike."""

    called = "a host"
    count: int = Field(
        default=1,
        ge=1,
        le=MAX_COUNTED,
        description=f"how many there are; they are named name1, name2, … (up to {MAX_GROUP}), "
        "or counted if they are alike",
    )
    alike: YesNo = Field(
        default="no",
        description="yes if they are interchangeable: they then have no names and are counted; no if they "
        "are never to be counted, which is else done by itself where it pays",
    )
    cannot: list[_HostAction] = Field(
        default_factory=list,
        description="types of action that do not apply to it; cannot: [spread] makes the host hardened",
        examples=[["isolate", "fix"]],
    )
    value: float = Field(default=1, ge=0, le=MAX_VALUE, description="its weight in μ")
    zone: Name = Field(default=None, description="its zone")

    @model_validator(mode="after")
    def _check_count(self) -> HostSettings:
        alike = self.alike in (True, "yes")
        if alike and self.count < 2:
            raise complaint("alike: yes needs a group of hosts; add count, as in {count: 500, alike: yes}")
        if self.count > MAX_GROUP and not alike:
            raise complaint(
                f"a group of {self.count:,} hosts with names is too large; at most {MAX_GROUP} are read. "
                f"If they are interchangeable, count them: {{count: {self.count}, alike: yes}}"
            )
        return self


class LinkSettings(FileSection):
    """A link, or all links between two sets of hosts, that may be blocked or filtered."""

    called = "a link"
    source: Name = Field(alias="from", description="the host, group, set or zone that it leaves")
    target: Name = Field(alias="to", description="the host, group, set or zone that it leads to")
    both: YesNo = Field(default="no", description="yes for both directions")
    block: YesNo = Field(default="no", description="yes if the defender can block and unblock it")
    filter: YesNo = Field(
        default="no", description="yes if it stays in use, for flows, but compromise cannot spread along it"
    )
    name: Name = Field(default=None, description="what it is called if it can be blocked; A-to-B if left out")


PathText = Annotated[
    str, leaf("a path of links such as GW -> Web -> DB", str), WithJsonSchema({"type": "string"})
]
_PathItems = Annotated[list[Name], Field(min_length=1)]
FlowPath: Any = Annotated[
    Annotated[PathText, Tag("~scalar")] | Annotated[_PathItems, Tag("~list")],
    by_kind("a path such as GW -> Web -> DB, or a list of its hosts in order", "~scalar", "~list"),
]


class FlowSettings(FileSection):
    """Something that the network is used for: a path of links, several of them, or any between two hosts."""

    called = "a flow"
    path: FlowPath = Field(default=None, description="the path that it takes, such as GW -> Web -> DB")
    paths: Annotated[list[FlowPath], Field(min_length=1)] = Field(
        default_factory=list, description="several paths: the flow is up while one of them is"
    )
    source: Name = Field(
        default=None, alias="from", description="the host that it starts at, if it takes any path"
    )
    target: Name = Field(
        default=None, alias="to", description="the host that it ends at, if it takes any path"
    )
    value: float = Field(default=1, ge=0, le=MAX_VALUE, description="its weight in μ, with dominance: flows")

    @model_validator(mode="after")
    def _check_form(self) -> FlowSettings:
        given = self.model_fields_set - {"value"}
        if given not in ({"path"}, {"paths"}, {"source", "target"}):
            raise complaint(
                "a flow has a path, or paths, or from and to: {path: GW -> DB} or {from: GW, to: DB}"
            )
        return self


class HostSensor(FileSection):
    """A sensor that is late, or may miss something."""

    called = "a sensor"
    delay: int = Field(
        default=0, ge=0, le=MAX_LATE, description="a compromise becomes visible after this many moves"
    )
    may_miss: int = Field(
        default=0,
        ge=0,
        le=MAX_MISSING,
        description="at most this many compromises are missed; the adversary chooses which",
    )


_SENSOR_HOSTS = "a list of hosts such as [DB, BK], or hosts with settings such as {DB: {delay: 2}}"
_SensorWord: Any = _word("all", "none", otherwise=_SENSOR_HOSTS)
Sensors = Annotated[
    Annotated[_SensorWord, Tag("~scalar")]
    | Annotated[list[Name], Tag("~list")]
    | Annotated[dict[str, HostSensor | None], Tag("~mapping")],
    by_kind(
        f"all, none, {_SENSOR_HOSTS}",
        "~scalar",
        "~list",
        "~mapping",
    ),
]


class ResetChance(FileSection):
    """A new engagement begins in an all-clean state with this probability."""

    called = "reset"
    probability: Probability = Field(description="chance of a reset, from 0 to 1")
    memory: Literal["kept"] | None = Field(
        default=None, description="kept: what the requirement remembers goes on; else it must not be erased"
    )


class SideActions(FileSection):
    """The types of action that a side has; all of them for a side that is left out."""

    called = "actions"
    defender: list[_DefenderAction] = Field(
        default_factory=list,
        min_length=1,
        description="of noop, monitor, isolate, restore, fix, block, unblock",
    )
    adversary: list[_AdversaryAction] = Field(
        default_factory=list, min_length=1, description="of noop, spread, destroy"
    )


_Turns = Annotated[int, Field(ge=1, le=MAX_TEMPO)]


class Tempo(FileSection):
    """How often a side can act: 2 means in every second turn of its own at most."""

    called = "tempo"
    defender: _Turns = Field(default=1, description="the defender acts at most once in this many turns")
    adversary: _Turns = Field(default=1, description="the adversary acts at most once in this many turns")


_OneHost = Annotated[dict[str, HostSettings], Field(min_length=1, max_length=1)]
_Host = Annotated[
    Annotated[Name, Tag("~scalar")] | Annotated[_OneHost, Tag("~mapping")],
    by_kind(
        "a host name, or one with settings such as workstations: {count: 40} or DB: {value: 3}",
        "~scalar",
        "~mapping",
    ),
]
Hosts = Annotated[list[_Host], Field(max_length=MAX_HOSTS)]
_Link = Annotated[
    Annotated[LinkText, Tag("~scalar")] | Annotated[LinkSettings, Tag("~mapping")],
    by_kind("a link such as GW -> Web, or {from: GW, to: Web, block: yes}", "~scalar", "~mapping"),
]
Links = list[_Link]
_LinkTexts = Annotated[
    Annotated[LinkText, Tag("~scalar")] | Annotated[list[LinkText], Tag("~list")],
    by_kind("a link such as IT -> OT, or a list of links", "~scalar", "~list"),
]
Conduits = dict[str, _LinkTexts]
_Flow = Annotated[
    Annotated[PathText, Tag("~scalar")] | Annotated[FlowSettings, Tag("~mapping")],
    by_kind("a path such as GW -> Web -> DB, or {from: GW, to: DB} for any path", "~scalar", "~mapping"),
]
Flows = Annotated[dict[str, _Flow], Field(max_length=MAX_FLOWS)]
_Names = Annotated[
    Annotated[Name, Tag("~scalar")] | Annotated[list[Name], Tag("~list")],
    by_kind("a host, or a list of hosts", "~scalar", "~list"),
]
_NoReset = Annotated[str, PlainValidator(one_of("none")), WithJsonSchema({"const": "none"})]
NetworkReset = Annotated[
    Annotated[_NoReset, Tag("~scalar")]
    | Annotated[None, Tag("~null")]
    | Annotated[ResetChance, Tag("~mapping")],
    by_kind("none, or {probability: 0.1}", "~scalar", "~null", "~mapping"),
]

ChanceTable = Annotated[dict[str, Probability], Field(max_length=MAX_CHANCES)]

_CHANCE = (
    "how likely actions succeed; otherwise they change nothing: by type such as {spread: 0.3}, by type "
    "and host "
    "such as {spread(DB): 0.2}, or for spreading along a link such as {GW -> WS: 0.1}; the closest one counts"
)
_RESET = "{probability: 0.1} if left out, or none for no resets"
_ENTRY = "the host, or the list of hosts, compromised at the start"
_EXPOSED = "hosts that can be compromised from outside at any time, without a foothold inside"
_ISOLATE = "detected if a compromised host must be detected before isolate acts on it; else any"
_ACTIONS = "the types of action that a side has, such as {adversary: [noop, spread]}"
_TEMPO = "{defender: 2} if the defender acts in every second turn at most; the same for the adversary"
_CONDUITS = "links that are blocked and unblocked together, such as {perimeter: IT -> OT}; they must be there"
_FLOWS = (
    "what the links are used for: paths such as {shop: GW -> Web -> DB}, or {from: GW, to: DB} for any path"
)
_SERVES = "no if a host serves flows only while it is clean; else a compromised or detected one still serves"
_DOMINANCE = (
    "flows if μ is the share of flows that are up, weighted by value; otherwise hosts: the share of "
    "clean hosts"
)


_SENSORS = (
    "the hosts at which a compromise is seen: all, none, [DB, BK], or {DB: {delay: 2}}; elsewhere it looks "
    "like a clean host. Left out: everything is seen, as in the paper"
)
_SEEN = "types of the adversary's actions that are noticed as such, such as [destroy]"


class NetworkSection(FileSection):
    """A network segment (sec. instantiation of the paper)."""

    called = "network"
    hosts: Annotated[Hosts, Field(min_length=1)] = Field(
        description="a list of names, or of hosts with settings such as workstations: {count: 40}",
        examples=[
            ["GW", "Web", "DB"],
            ["GW", {"PLC1": {"cannot": ["isolate", "fix"]}}, {"DB": {"value": 3}}],
        ],
    )
    links: Links = Field(
        description="a list of A -> B, or A <-> B for both directions; a group, set or zone stands for every "
        "member; {from: A, to: B, block: yes} for one that the defender can block",
        examples=[["GW -> Web", "Web <-> DB"], [{"from": "Corp", "to": "Plant", "block": "yes"}]],
    )
    remove_links: list[LinkText] = Field(
        default_factory=list,
        description="links of that list that are switched off, in every variant too unless it adds them",
        examples=[["GW -> WS"]],
    )
    zones: dict[str, list[Name]] = Field(
        default_factory=dict,
        description="groups of hosts, drawn as boxes; also usable as sets; a host is in one zone at most",
        examples=[{"dmz": ["Web", "Mail"], "plant": ["PLC1", "HMI"]}],
    )
    sets: dict[str, list[Name]] = Field(
        default_factory=dict,
        description="named sets of hosts, for links and for count(critical in {X, D, Z})",
        examples=[{"critical": ["DB", "BK"]}],
    )
    entry: _Names = Field(default=None, description=_ENTRY, examples=["GW", ["GW", "VPN"]])
    exposed: _Names = Field(default=None, description=_EXPOSED, examples=[["VPN", "Mail"]])
    conduits: Conduits = Field(default_factory=dict, description=_CONDUITS)
    flows: Flows = Field(
        default_factory=dict,
        description=_FLOWS,
        examples=[{"shop": "GW -> Web -> DB", "backup": {"from": "DB", "to": "BK", "value": 2}}],
    )
    compromised_serves: YesNo = Field(default="yes", description=_SERVES)
    dominance: _Dominance = Field(default="hosts", description=_DOMINANCE)
    isolate: _Isolate = Field(default="any", description=_ISOLATE)
    defender: Defender | None = Field(default=None, description=DEFENDER_WORDS)
    sensors: Sensors | None = Field(
        default=None, description=_SENSORS, examples=["none", ["DB", "BK"], {"DB": {"delay": 2}}]
    )
    seen: list[_AdversaryAction] = Field(default_factory=list, description=_SEEN, examples=[["destroy"]])
    actions: SideActions | None = Field(default=None, description=_ACTIONS)
    tempo: Tempo | None = Field(default=None, description=_TEMPO)
    chance: ChanceTable = Field(
        default_factory=dict, description=_CHANCE, examples=[{"spread": 0.3, "GW -> WS": 0.1, "monitor": 0.8}]
    )
    reset: NetworkReset = Field(default=None, description=_RESET)

    @model_validator(mode="after")
    def _check_origin(self) -> NetworkSection:
        if not self.entry and not self.exposed:
            raise complaint(f'"entry" is missing in network: {_ENTRY}; or list exposed hosts')
        return self


class NetworkChange(FileSection):
    """What a variant changes in a network."""

    called = "the network of a variant"
    links: Links = Field(default_factory=list, description="all links, in place of the base's")
    add_links: Links = Field(default_factory=list, description="links to add, or to make blockable or filter")
    remove_links: list[LinkText] = Field(default_factory=list, description="links to remove")
    add_hosts: Hosts = Field(default_factory=list, description="hosts to add, after the base's")
    remove_hosts: list[Name] = Field(default_factory=list, description="hosts to remove, with their links")
    change_hosts: Hosts = Field(
        default_factory=list, description="other settings for hosts that are there, {WS: {cannot: [spread]}}"
    )
    conduits: Conduits = Field(default_factory=dict, description="more " + _CONDUITS)
    entry: _Names = Field(default=None, description="in place of the base's: " + _ENTRY)
    exposed: _Names = Field(default=None, description="in place of the base's: " + _EXPOSED)
    flows: Flows = Field(default_factory=dict, description="in place of the base's: " + _FLOWS)
    compromised_serves: YesNo = Field(default="yes", description=_SERVES)
    dominance: _Dominance = Field(default="hosts", description=_DOMINANCE)
    isolate: _Isolate = Field(default="any", description=_ISOLATE)
    defender: Defender | None = Field(default=None, description=DEFENDER_WORDS)
    sensors: Sensors | None = Field(default=None, description="in place of the base's: " + _SENSORS)
    seen: list[_AdversaryAction] = Field(default_factory=list, description="in place of the base's: " + _SEEN)
    actions: SideActions | None = Field(default=None, description="in place of the base's: " + _ACTIONS)
    tempo: Tempo | None = Field(default=None, description="in place of the base's: " + _TEMPO)
    chance: ChanceTable = Field(default_factory=dict, description="more chances, or other ones: " + _CHANCE)
    reset: NetworkReset = Field(default=None, description="other engagement resets: " + _RESET)
