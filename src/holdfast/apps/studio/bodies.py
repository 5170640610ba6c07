"""What a request may say: one model for each kind of body, from which the OpenAPI document is made too."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from holdfast.apps.studio.canvas import ROUTED

MAX_BODY = 2_000_000
"""Bytes of a request."""

MAX_IMPORT = 30_000_000
"""Bytes of a file that is imported."""

MAX_SECONDS, MAX_GIB = 3600.0, 16.0

ShortName = Annotated[str, Field(max_length=200)]
PlayerName = Literal["defender", "adversary"]
StyleName = Literal["early", "late"]


class RequestLimits(BaseModel):
    """What an answer may cost; less than the server allows, never more."""

    model_config = ConfigDict(extra="forbid")
    seconds: float = Field(default=60.0, gt=0, le=MAX_SECONDS, description="time, from when the work begins")
    memory: float = Field(default=2.0, gt=0, le=MAX_GIB, description="memory limit in GiB")


class Asking(BaseModel):
    """What every question says: which design, and who asks."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    scenario: str = Field(max_length=MAX_BODY, description="the text of the scenario, YAML")
    variant: ShortName | None = Field(default=None, description="a variant of it; null for the base")
    window: ShortName | None = Field(default=None, description="who asks, as a name of the asker's own")
    topic: ShortName | None = Field(
        default=None, description="a newer request from the same window on the same topic cancels this one"
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
    ladder: bool = Field(default=False, description="whether to ask about weaker defenders as well")


class ParseBody(Asking):
    """A clause while it is typed."""

    side: PlayerName
    text: str = Field(max_length=100_000, description="the clause")


class TrainBody(Asking):
    """A training; the scenario's own protocol where nothing is said."""

    episodes: int | None = Field(default=None, ge=1, le=1_000_000)
    seeds: int | None = Field(default=None, ge=1, le=1_000)


class CompareBody(Asking):
    """Which designs."""

    variants: list[ShortName] | None = Field(default=None, max_length=1_000, description="all if null")


class RecommendBody(Asking):
    """Which changes."""

    kinds: list[ShortName] = Field(default_factory=list, max_length=100, description="such as cut and harden")
    max_cost: int | None = Field(default=None, ge=1, le=1_000_000)


class FragileBody(Asking):
    """What must be kept, whatever is added."""

    keep: ShortName | None = Field(
        default=None,
        description="held, evict, a gate; if null, that the attacker can be got out, or that it holds",
    )
    kinds: list[ShortName] = Field(default_factory=list, max_length=100, description="such as link and entry")
    max_cost: int | None = Field(default=None, ge=1, le=1_000_000)


class FrontierBody(CompareBody):
    """Which numbers to move; by default one of the requirement and one of the threat."""

    over: list[ShortName] = Field(
        default_factory=list,
        max_length=3,
        description="such as times(destroy)=0..5",
        examples=[["active=2..4"]],
    )


class PlayBody(Asking):
    """A play: whose moves come with the request, and which they are."""

    side: Literal["defender", "adversary", "both", "none"] = Field(
        default="defender", description="whom the asker plays; the others play perfectly"
    )
    moves: list[ShortName] = Field(
        default_factory=list, max_length=1_000, description="the asker's, in order"
    )
    given: list[ShortName] = Field(
        default_factory=list,
        alias="from",
        max_length=1_000,
        description="moves of both sides from the start, to begin where they lead",
    )
    length: int = Field(default=40, ge=1, le=1_000, description="after how many more moves the play ends")
    opponent: Literal["optimal"] = "optimal"


class StoryBody(Asking):
    """Which play: of a lost design the attack, of a held one how a goal is reached, or why it never is."""

    defense: Literal["slowest", "acting"] = Field(
        default="slowest", description="who resists the attack: the longest defense, or one that always acts"
    )
    goal: ShortName | None = Field(default=None, description="such as evicted; the first one if null")


class PlaybookBody(Asking):
    """Which rules."""

    style: StyleName = Field(default="early", description="act at the first sign, or only when necessary")


class DownloadBody(CompareBody, StoryBody):
    """Which file."""

    what: Literal["animation", "report", "certificate", "playbook", "picture", "scenario", "comparison"]
    name: ShortName | None = Field(default=None, description="of the scenario file, for the report to name")
    style: StyleName = Field(default="early", description="of the playbook")
    format: Literal["svg", "png", "pdf"] = Field(default="svg", description="of the picture")
    claim: ShortName | None = Field(default=None, description="what the certificate proves besides")
    shown: bool = Field(default=False, description="to be opened in a window: the answer is its address")


class ImportBody(BaseModel):
    """The file of another program."""

    model_config = ConfigDict(extra="forbid")
    name: ShortName
    content: str = Field(max_length=MAX_IMPORT)
    encoding: Literal["text", "base64"] = "text"
    format: ShortName | None = Field(default=None, description="recognised if null")
    network: ShortName | None = Field(default=None, description="the one to take, of a file with several")
    window: ShortName | None = None
    topic: ShortName | None = None
    limits: RequestLimits | None = None


Inches = Annotated[float, Field(ge=-10_000, le=10_000)]


class RoutesBody(BaseModel):
    """Where boxes stand, and which of them links join; in inches, y downwards."""

    model_config = ConfigDict(extra="forbid")
    places: dict[ShortName, tuple[Inches, Inches]] = Field(
        max_length=2_000, description="the centre of each box"
    )
    width: float = Field(gt=0, le=100, description="of every box")
    height: float = Field(gt=0, le=100, description="of every box")
    links: list[tuple[ShortName, ShortName]] = Field(
        max_length=2 * ROUTED, description="from which box to which"
    )


class VerifyBody(BaseModel):
    """A certificate, as check writes it."""

    model_config = ConfigDict(extra="forbid")
    certificate: str = Field(max_length=MAX_BODY)
    window: ShortName | None = None
    topic: ShortName | None = None
    limits: RequestLimits | None = None


class DraftBody(BaseModel):
    """Unsaved work of a window."""

    model_config = ConfigDict(extra="forbid")
    key: ShortName = Field(description="of the window")
    state: dict[str, Any] | None = Field(description="what the page keeps; null to forget it")


class FileBody(BaseModel):
    """A scenario to be saved."""

    model_config = ConfigDict(extra="forbid")
    name: ShortName = Field(description="of a file in the opened folder")
    scenario: str = Field(max_length=MAX_BODY)
    expected_digest: ShortName | None = Field(
        default=None, description="of the file as it was opened; null for a file that must not exist yet"
    )
