"""The endpoints under ``/api/``: one table, from which routes, checks and the OpenAPI document are made."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from holdfast.apps.studio.bodies import (
    Asking,
    CompareBody,
    DownloadBody,
    DraftBody,
    EditBody,
    FileBody,
    FragileBody,
    FrontierBody,
    ImportBody,
    ParseBody,
    PlayBody,
    PlaybookBody,
    ReadingsBody,
    RecommendBody,
    RoutesBody,
    StoryBody,
    TrainBody,
    VerifyBody,
)
from holdfast.apps.studio.pool import Urgency


@dataclass(frozen=True)
class Endpoint:
    """Something that can be asked.

    Attributes:
        name: its path is ``/api/`` and this.
        summary: what it answers, for the document.
        body: of the request; None for a GET.
        urgency: of the work; None where the server answers by itself.
        files: whether the answer is a file.
        streams: whether the answer is lines of JSON (NDJSON), each as soon as it is known.
        parameters: of the address.
    """

    name: str
    summary: str
    body: type[BaseModel] | None = None
    urgency: Urgency | None = None
    streams: bool = False
    files: bool = False
    method: str = "POST"
    parameters: tuple[str, ...] = ()


ENDPOINTS = (
    Endpoint("openapi.json", "This document.", method="GET"),
    Endpoint("files", "The scenario files of the opened folder, the library, and a stub.", method="GET"),
    Endpoint("file", "The text of a file, and its digest.", method="GET", parameters=("name",)),
    Endpoint("file", "Save a file, unless it has changed since it was opened.", FileBody, method="PUT"),
    Endpoint("drafts", "Unsaved work that was kept for this folder.", method="GET"),
    Endpoint("draft", "Keep unsaved work, or forget it.", DraftBody, method="PUT"),
    Endpoint("library", "A scenario that comes with Holdfast.", method="GET", parameters=("name",)),
    Endpoint("drawing", "How a design is drawn, and what can be edited in it.", Asking, Urgency.QUICK),
    Endpoint("routes", "How links run between boxes: three control points each.", RoutesBody, Urgency.QUICK),
    Endpoint("edit", "The text with one operation done, the rest as it was.", EditBody, Urgency.QUICK),
    Endpoint("parse", "Whether a text is a clause; if not, where it goes wrong.", ParseBody, Urgency.QUICK),
    Endpoint("check", "Certificate and static readings, as check --json.", Asking, Urgency.STEADY),
    Endpoint("readings", "The static readings, a line each.", ReadingsBody, Urgency.STEADY, streams=True),
    Endpoint("fingerprint", "With DDR*, as fingerprint --no-learning --json.", Asking, Urgency.STEADY),
    Endpoint("play", "A play with the other side's moves filled in.", PlayBody, Urgency.STEADY),
    Endpoint("story", "The attack, or how they are driven out, in sentences.", StoryBody, Urgency.STEADY),
    Endpoint("import", "A scenario, or the file of another program as one.", ImportBody, Urgency.STEADY),
    Endpoint("verify", "Whether a certificate is valid, as verify --json.", VerifyBody, Urgency.STEADY),
    Endpoint("playbook", "The rules to follow, as playbook --json.", PlaybookBody, Urgency.LONG),
    Endpoint("explain", "Why, as explain --json.", Asking, Urgency.LONG),
    Endpoint("explain-parts", "Why, with more in each line.", Asking, Urgency.LONG, streams=True),
    Endpoint("compare", "Designs of a file, as compare --no-learning --json.", CompareBody, Urgency.LONG),
    Endpoint("recommend", "What to change, as recommend --json.", RecommendBody, Urgency.LONG),
    Endpoint("recommend-parts", "What to change, with more in each line.", RecommendBody, Urgency.LONG, True),
    Endpoint("frontier", "How much attack it tolerates, as frontier --json.", FrontierBody, Urgency.LONG),
    Endpoint("fragile", "What must never be added, as fragile --json.", FragileBody, Urgency.LONG),
    Endpoint("train", "DDR of trained players, a line a step.", TrainBody, Urgency.LONG, streams=True),
    Endpoint("download", "A file: report, certificate, picture …", DownloadBody, Urgency.LONG, files=True),
)  # fmt: skip
