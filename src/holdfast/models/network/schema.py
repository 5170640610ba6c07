"""The shape of the ``network:`` section and of what a variant may change in it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, Tag, WithJsonSchema, model_validator

from holdfast.logic import Player
from holdfast.models.network.profiles import DEFENDER_WORDS, Defender
from holdfast.models.network.segment import HOST_TYPES, MAX_TEMPO, NOOP, TYPES
from holdfast.scenario import FileSection, Name, Probability, YesNo, by_kind, complaint, leaf, one_of

MAX_HOSTS, MAX_GROUP = 1_000, 500
MAX_VALUE = 1_000_000

HOST_ACTIONS = tuple(kind for types in HOST_TYPES.values() for kind in types if kind != NOOP)


def _word(*words: str) -> Any:
    """One of some words."""
    return Annotated[str, PlainValidator(one_of(*words)), WithJsonSchema({"enum": list(words)})]


_HostAction: Any = _word(*HOST_ACTIONS)
_DefenderAction: Any = _word(*TYPES[Player.DEFENDER])
_AdversaryAction: Any = _word(*TYPES[Player.ADVERSARY])
_Isolate: Any = _word("any", "detected")
LinkText = Annotated[
    str, leaf("a link such as GW -> Web", str), WithJsonSchema({"type": "string", "pattern": "->"})
]


class HostSettings(FileSection):
    """A host that differs from others, or several hosts that are alike."""

    called = "a host"
    count: int = Field(
        default=1, ge=1, le=MAX_GROUP, description="how many there are; they are named name1, name2, …"
    )
    cannot: list[_HostAction] = Field(
        default_factory=list,
        description="types of action that do not exist for it; a host that cannot spread is hardened",
        examples=[["isolate", "fix"]],
    )
    value: float = Field(default=1, ge=0, le=MAX_VALUE, description="what it weighs in μ")
    zone: Name = Field(default=None, description="the zone that it stands in")


class LinkSettings(FileSection):
    """A link, or all links between two sets of hosts, that the defender may be able to block."""

    called = "a link"
    source: Name = Field(alias="from", description="the host, group, set or zone that it leaves")
    target: Name = Field(alias="to", description="the host, group, set or zone that it leads to")
    both: YesNo = Field(default="no", description="yes for both directions")
    block: YesNo = Field(default="no", description="yes if the defender can block and unblock it")
    name: Name = Field(default=None, description="what it is called if it can be blocked; A-to-B if left out")


class ResetChance(FileSection):
    """A new engagement begins in an all-clean state with this probability."""

    called = "reset"
    probability: Probability = Field(description="chance of a reset, from 0 to 1")


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
    defender: _Turns = Field(default=1, description="the defender acts at most once in so many turns")
    adversary: _Turns = Field(default=1, description="the adversary acts at most once in so many turns")


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

_RESET = "{probability: 0.1} if left out, or none for no resets"
_ENTRY = "the host, or the list of hosts, compromised at the start"
_EXPOSED = "hosts that can be compromised from outside at any time, without a foothold inside"
_ISOLATE = "detected if a compromised host must be detected before isolate acts on it; else any"
_ACTIONS = "the types of action that a side has, such as {adversary: [noop, spread]}"
_TEMPO = "{defender: 2} if the defender acts in every second turn at most; the same for the adversary"
_CONDUITS = "links that are blocked and unblocked together, such as {perimeter: IT -> OT}; they must be there"


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
        description="places of hosts, drawn as boxes; sets as well, in which no host stands twice",
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
    isolate: _Isolate = Field(default="any", description=_ISOLATE)
    defender: Defender | None = Field(default=None, description=DEFENDER_WORDS)
    actions: SideActions | None = Field(default=None, description=_ACTIONS)
    tempo: Tempo | None = Field(default=None, description=_TEMPO)
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
    add_links: Links = Field(default_factory=list, description="links to add, or to make blockable")
    remove_links: list[LinkText] = Field(default_factory=list, description="links to remove")
    add_hosts: Hosts = Field(default_factory=list, description="hosts to add, after the base's")
    remove_hosts: list[Name] = Field(default_factory=list, description="hosts to remove, with their links")
    change_hosts: Hosts = Field(
        default_factory=list, description="other settings for hosts that are there, {WS: {cannot: [spread]}}"
    )
    conduits: Conduits = Field(default_factory=dict, description="more " + _CONDUITS)
    entry: _Names = Field(default=None, description="in place of the base's: " + _ENTRY)
    exposed: _Names = Field(default=None, description="in place of the base's: " + _EXPOSED)
    isolate: _Isolate = Field(default="any", description=_ISOLATE)
    defender: Defender | None = Field(default=None, description=DEFENDER_WORDS)
    actions: SideActions | None = Field(default=None, description="in place of the base's: " + _ACTIONS)
    tempo: Tempo | None = Field(default=None, description="in place of the base's: " + _TEMPO)
    reset: NetworkReset = Field(default=None, description="other engagement resets: " + _RESET)
