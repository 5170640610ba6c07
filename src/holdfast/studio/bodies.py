"""What a request may say: one model for each kind of body, from which the OpenAPI document is made too."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_BODY = 2_000_000
"""Bytes of a request."""

MAX_SECONDS, MAX_GIB = 3600.0, 16.0

Name = Annotated[str, Field(max_length=200)]
Player = Literal["defender", "adversary"]


class RequestLimits(BaseModel):
    """What an answer may cost; less than the server allows, never more."""

    model_config = ConfigDict(extra="forbid")
    seconds: float = Field(default=60.0, gt=0, le=MAX_SECONDS, description="time, from when the work begins")
    memory: float = Field(default=2.0, gt=0, le=MAX_GIB, description="GiB that may be held at once")


class Asking(BaseModel):
    """What every question says: which design, and who asks."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    scenario: str = Field(max_length=MAX_BODY, description="the text of the scenario, YAML")
    variant: Name | None = Field(default=None, description="a variant of it; null for the base")
    window: Name | None = Field(default=None, description="who asks, as a name of the asker's own")
    topic: Name | None = Field(
        default=None, description="a newer request of the same window and topic ends the work for this one"
    )
    limits: RequestLimits | None = Field(default=None, description="the server's own if left out")


class EditBody(Asking):
    """A change of the text."""

    operation: dict[str, Any] = Field(
        description="what to do: {kind: cut_link, from: GW, to: WS}; a drawing lists the kinds that there are"
    )


class ReadingsBody(Asking):
    """Which readings are wanted."""

    exact: bool = Field(default=True, description="whether DDR* is solved")


class ParseBody(Asking):
    """A clause while it is typed."""

    side: Player
    text: str = Field(max_length=100_000, description="the clause")


class FileBody(BaseModel):
    """A scenario to be saved."""

    model_config = ConfigDict(extra="forbid")
    name: Name = Field(description="of a file in the opened folder")
    scenario: str = Field(max_length=MAX_BODY)
    expected_digest: Name | None = Field(
        default=None, description="of the file as it was opened; null for a file that is not to be there"
    )
