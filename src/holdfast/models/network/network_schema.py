"""The shape of the ``network:`` section, and of what a variant may change in it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainValidator, Tag, WithJsonSchema

from holdfast.source.shape import FileSection, Name, Probability, by_kind, leaf, one_of

MAX_HOSTS, MAX_GROUP = 1_000, 500

LinkText = Annotated[
    str, leaf("a link such as GW -> Web", str), WithJsonSchema({"type": "string", "pattern": "->"})
]


class HostGroup(FileSection):
    """Several hosts that are alike."""

    called = "a group of hosts"
    count: int = Field(ge=1, le=MAX_GROUP, description="how many there are; they are named name1, name2, …")


class ResetChance(FileSection):
    """A new engagement begins in an all-clean state with this probability."""

    called = "reset"
    probability: Probability = Field(description="chance of a reset, from 0 to 1")


_Groups = Annotated[dict[str, HostGroup], Field(min_length=1, max_length=1)]
_Host = Annotated[
    Annotated[Name, Tag("~scalar")] | Annotated[_Groups, Tag("~mapping")],
    by_kind("a host name, or a group such as workstations: {count: 40}", "~scalar", "~mapping"),
]
Hosts = Annotated[list[_Host], Field(max_length=MAX_HOSTS)]
_NoReset = Annotated[str, PlainValidator(one_of("none")), WithJsonSchema({"const": "none"})]
NetworkReset = Annotated[
    Annotated[_NoReset, Tag("~scalar")]
    | Annotated[None, Tag("~null")]
    | Annotated[ResetChance, Tag("~mapping")],
    by_kind("none, or {probability: 0.1}", "~scalar", "~null", "~mapping"),
]


class NetworkSection(FileSection):
    """A network segment (sec. instantiation of the paper)."""

    called = "network"
    hosts: Annotated[Hosts, Field(min_length=1)] = Field(
        description="a list of names, or of groups such as workstations: {count: 40}",
        examples=[["GW", "Web", "DB"]],
    )
    links: list[LinkText] = Field(
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


class NetworkChange(FileSection):
    """What a variant changes in a network."""

    called = "the network of a variant"
    links: list[LinkText] = Field(default_factory=list, description="all links, in place of the base's")
    add_links: list[LinkText] = Field(default_factory=list, description="links to add")
    remove_links: list[LinkText] = Field(default_factory=list, description="links to remove")
    add_hosts: Hosts = Field(default_factory=list, description="hosts to add, after the base's")
    remove_hosts: list[Name] = Field(default_factory=list, description="hosts to remove, with their links")
    entry: Name = Field(default=None, description="another entry host")
    reset: NetworkReset = Field(default=None, description="other engagement resets")
