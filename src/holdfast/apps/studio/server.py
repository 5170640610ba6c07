"""The HTTP server: routes from the table of endpoints, answers from workers or from the folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import socket
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from holdfast.apps.studio import shelf
from holdfast.apps.studio.bench import failure, told
from holdfast.apps.studio.bodies import MAX_BODY, MAX_IMPORT, RequestLimits
from holdfast.apps.studio.downloads import File
from holdfast.apps.studio.drafts import Drafts
from holdfast.apps.studio.endpoints import ENDPOINTS, Endpoint
from holdfast.apps.studio.guard import Guard, Receive, Scope, Send
from holdfast.apps.studio.pool import Refusal, WorkerPool
from holdfast.apps.studio.shelf import ChangedError, MissingError, Shelf
from holdfast.budget import GIB, Budget
from holdfast.errors import HoldfastError, InputError

PAGE = Path(__file__).parent / "page"
PALETTE = PAGE.parents[2] / "report" / "templates" / "palette.css"
LIFE_LIMITS = RequestLimits()
TOUR = Path(__file__).parent / "tour.yaml"

FIRST_SECONDS, FIRST_SIZE = 10.0, 200_000
"""What the server draws by itself at the start: for so long, and a text of so many letters at most."""

FIRST_PORT, N_PORTS = 20_000, 10_000
"""Where folders have their ports: below those that systems hand out by themselves."""

SILENCE = 5.0
"""Seconds after which a connection that has asked nothing is closed."""

MAX_SHOWN, MAX_SHOWN_BYTES = 8, 64_000_000
"""Pages that are kept to be opened in windows, and their bytes together."""

SHOWN_POLICY = (
    "sandbox allow-scripts allow-popups; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Reports bring a policy of their own, which allows their one script; they cannot reach the studio."""


class FirstDrawing:
    """The drawing of the file that was asked for, made by the server itself while the workers get ready."""

    def __init__(self, opened: Shelf) -> None:
        self.text = _first_text(opened)
        self.done = threading.Event()
        self.drawn: dict[str, Any] | None = None

    def draw(self) -> None:
        """Make it; a file with mistakes has none, and a worker is asked who tells them."""
        try:
            if self.text:
                from holdfast.apps.studio.bench import Bench
                from holdfast.apps.studio.questions import draw

                bench = Bench(budget=Budget.lasting(FIRST_SECONDS))
                self.drawn = draw(bench, {"scenario": self.text, "variant": None})
        except Exception:  # whatever it is, the worker that is asked next says it better
            self.drawn = None
        finally:
            self.done.set()

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """The drawing, if it is the one that is asked for."""
        if asked.get("variant") is not None or asked.get("scenario") != self.text:
            return None
        await asyncio.to_thread(self.done.wait, FIRST_SECONDS)
        return self.drawn


def _first_text(opened: Shelf) -> str:
    """The text of the file that was asked for, or of the tour; nothing for one that cannot be drawn soon."""
    try:
        text = opened.read(opened.opened)["scenario"] if opened.opened else TOUR.read_text("utf-8")
    except (HoldfastError, OSError):
        return ""
    return text if len(text) <= FIRST_SIZE else ""


class Studio:
    """An opened folder, the workers, and the limits that hold for every request."""

    def __init__(self, opened: Shelf, stub: str, limits: RequestLimits = LIFE_LIMITS) -> None:
        self.shelf, self.stub, self.limits = opened.swept(), stub, limits
        self.drafts = Drafts.of(opened.folder)
        self.first = FirstDrawing(self.shelf)
        self.pool: WorkerPool | None = None
        self.shown: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self.direct: dict[tuple[str, str], Callable[..., Any]] = {
            ("GET", "openapi.json"): self._document,
            ("GET", "files"): lambda _: (
                self.shelf.listing() | {"stub": self.stub, "tour": TOUR.read_text("utf-8")}
            ),
            ("GET", "drafts"): lambda _: self.drafts.listing(),
            ("PUT", "draft"): lambda body: self.drafts.keep(body["key"], body["state"]),
            ("GET", "file"): lambda asked: self.shelf.read(asked["name"]),
            ("GET", "library"): lambda asked: shelf.from_library(asked["name"]),
            ("PUT", "file"): lambda body: self.shelf.write(
                body["name"], body["scenario"], body["expected_digest"]
            ),
        }

    @asynccontextmanager
    async def life(self, app: Starlette) -> AsyncIterator[None]:
        """The workers live as long as the server does."""
        self.pool = WorkerPool()
        drawing = asyncio.ensure_future(asyncio.to_thread(self.first.draw))
        opening = asyncio.ensure_future(self.pool.open())  # the first request waits for it, the page need not
        try:
            yield
        finally:
            opening.cancel()
            drawing.cancel()
            await self.pool.close()

    async def close(self) -> None:
        """End all work."""
        if self.pool is not None:
            await self.pool.close()

    def routes(self) -> list[Route | Mount]:
        """The page, its files, and the endpoints."""
        api = [Route(f"/api/{e.name}", _Handler(self, e), methods=[e.method]) for e in ENDPOINTS]
        page = StaticFiles(directory=PAGE, check_dir=False)
        shown = Route("/shown/{name}", self.show, methods=["GET"])
        files = [Route("/", _page, methods=["GET"]), Route("/page/palette.css", _palette, methods=["GET"])]
        return [*files, *api, shown, Mount("/page", page)]

    def keep(self, media: str, raw: bytes) -> str:
        """Keep a page for a while; the address under which it can be seen."""
        name = secrets.token_urlsafe(16)
        self.shown[name] = media, raw
        while len(self.shown) > MAX_SHOWN or sum(len(r) for _, r in self.shown.values()) > MAX_SHOWN_BYTES:
            self.shown.popitem(last=False)
        return f"/shown/{name}"

    async def show(self, request: Request) -> Response:
        """A page that was kept, alone in its own origin; its name is as hard to guess as the token."""
        media, raw = self.shown.get(request.path_params["name"], ("", b""))
        if not raw:
            return Response("This page has expired; request it again.", 404, media_type="text/plain")
        return Response(raw, media_type=media, headers={"content-security-policy": SHOWN_POLICY})

    def _document(self, _: object) -> dict[str, Any]:
        from holdfast.apps.studio.openapi import document

        return document()


async def _page(request: Request) -> Response:
    return FileResponse(PAGE / "index.html", media_type="text/html")


async def _palette(request: Request) -> Response:
    return FileResponse(PALETTE, media_type="text/css")


class _Handler:
    """Answers one endpoint, as an ASGI application."""

    def __init__(self, studio: Studio, endpoint: Endpoint) -> None:
        self.studio, self.endpoint = studio, endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            asked = await self._asked(request)
            if self.endpoint.urgency is None:
                reply = await asyncio.to_thread(
                    self.studio.direct[self.endpoint.method, self.endpoint.name], asked
                )
                await JSONResponse(reply)(scope, receive, send)
            else:
                await self._worked(asked, scope, receive, send)
        except Refusal as refusal:
            await JSONResponse(refusal.answer, refusal.status)(scope, receive, send)
        except HoldfastError as error:
            await JSONResponse(failure(error)[1], _status(error))(scope, receive, send)
        except Exception as error:  # a fault of ours is told as one
            traceback.print_exc()
            answer = told(f"internal error: {type(error).__name__}; please report it")
            await JSONResponse(answer, 500)(scope, receive, send)

    async def _asked(self, request: Request) -> dict[str, Any]:
        """What the request says, checked."""
        if self.endpoint.body is None:
            asked = dict(request.query_params)
            missing = [name for name in self.endpoint.parameters if name not in asked]
            if missing:
                raise Refusal(400, told(f'the address needs "{missing[0]}="'))
            return asked
        most = 2 * MAX_IMPORT if self.endpoint.name == "import" else MAX_BODY
        return _checked(self.endpoint.body, await _read(request, most)).model_dump(by_alias=True)

    async def _worked(self, asked: dict[str, Any], scope: Scope, receive: Receive, send: Send) -> None:
        """The answer of a worker; a client that goes away takes its question back."""
        answering = asyncio.ensure_future(self._send(asked, scope, receive, send))
        leaving = asyncio.ensure_future(_gone(receive))
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not answering.done():
            answering.cancel()
            with suppress(asyncio.CancelledError, Refusal):
                await answering
            return
        answering.result()

    def _file(self, file: File, asked: dict[str, Any]) -> Response:
        """A file to be kept; or, if it is to be shown, the address under which it can be seen."""
        name, media, raw = file
        if asked["shown"]:
            return JSONResponse({"name": name, "address": self.studio.keep(media, raw)})
        disposition = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(raw, media_type=media, headers=disposition)

    async def _send(self, asked: dict[str, Any], scope: Scope, receive: Receive, send: Send) -> None:
        assert self.studio.pool is not None and self.endpoint.urgency is not None
        if self.endpoint.name == "drawing" and (drawn := await self.studio.first.answer(asked)) is not None:
            await JSONResponse(drawn)(scope, receive, send)
            return
        limits = self.studio.limits
        own = asked.get("limits") or {}
        seconds = min(limits.seconds, own.get("seconds", limits.seconds))
        memory = int(min(limits.memory, own.get("memory", limits.memory)) * GIB)
        about = (asked["window"], asked["topic"]) if asked.get("window") and asked.get("topic") else None
        answers = self.studio.pool.answers(
            self.endpoint.name, asked, seconds, memory, self.endpoint.urgency, about
        )
        try:
            if self.endpoint.streams:
                await _stream(answers, send)
                return
            async for kind, value in answers:
                if kind == "done":
                    answer = self._file(value, asked) if self.endpoint.files else JSONResponse(value)
                    await answer(scope, receive, send)
        finally:
            await answers.aclose()


async def _stream(found: AsyncIterator[tuple[str, Any]], send: Send) -> None:
    """Lines of JSON as they are known; an error after the first line is a line, too."""
    begun = False

    async def line(value: Any) -> None:
        nonlocal begun
        if not begun:
            begun = True
            headers = [(b"content-type", b"application/x-ndjson")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
        raw = json.dumps(value).encode() + b"\n"
        await send({"type": "http.response.body", "body": raw, "more_body": True})

    try:
        async for kind, value in found:
            if kind == "item":
                await line(value)
    except Refusal as refusal:
        if not begun:
            raise
        await line(refusal.answer)
    if begun:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    """Returns when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read(request: Request, most: int) -> bytes:
    """The body, as long as it is not too long."""
    raw = bytearray()
    async for piece in request.stream():
        raw += piece
        if len(raw) > most:
            raise Refusal(413, told(f"the request is larger than {most:,} bytes"))
    return bytes(raw)


def _checked(shape: type[BaseModel], raw: bytes) -> BaseModel:
    try:
        return shape.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Refusal(400, told(f"{where + ': ' if where else ''}{first['msg']}")) from None


def _status(error: HoldfastError) -> int:
    if isinstance(error, ChangedError):
        return 409
    return 404 if isinstance(error, MissingError) else failure(error)[0]


def application(studio: Studio, token: str, port: int) -> Guard:
    """The server as an ASGI application."""
    return Guard(Starlette(routes=studio.routes(), lifespan=studio.life), token, port)


def usual_port(folder: Path) -> int:
    """The port of a folder, always the same.

    A browser keeps unsaved work for an address, of which the port is a part: at another port the work would
    not be found again.
    """
    return FIRST_PORT + int.from_bytes(hashlib.sha256(str(folder).encode()).digest()[:8]) % N_PORTS


def _listening(port: int | None, folder: Path) -> socket.socket:
    """A socket at a port; with None at the usual one of the folder, or at a free one where that is taken.

    Raises:
        InputError: for a given port that is taken.
    """
    if port is None:
        with suppress(OSError):
            return socket.create_server(("127.0.0.1", usual_port(folder)))
    try:
        return socket.create_server(("127.0.0.1", port or 0))
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used: {error.strerror}; try --port 0 for a free one"
        ) from None


def serve(studio: Studio, token: str, port: int | None, ready: Callable[[str], None]) -> None:
    """Serve on loopback until it is interrupted; ``ready`` is called with the address.

    Args:
        studio: what is served.
        token: without which nothing is answered.
        port: where; 0 for a free one, None for the usual one of the folder if it is free.
        ready: called when requests are answered.

    Raises:
        InputError: for a port that is taken.
    """
    listening = _listening(port, studio.shelf.folder)
    number = listening.getsockname()[1]
    config = uvicorn.Config(
        application(studio, token, number),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=256,
        ws="none",
    )
    server = _Server(config, lambda: ready(f"http://127.0.0.1:{number}/?token={token}"), studio.close)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], closing: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(config)
        self.ready, self.closing = ready, closing
        self.silent: dict[Any, float] = {}

    async def on_tick(self, counter: int) -> bool:
        """Besides what a server does now and then: close connections on which nobody has asked anything."""
        now, idle = time.monotonic(), {}
        for connection in list(self.server_state.connections):
            if getattr(connection, "cycle", None) is None:
                idle[connection] = self.silent.get(connection, now)
                if now - idle[connection] > SILENCE:
                    connection.transport.close()
        self.silent = idle
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the work first: whoever waits for an answer is told, and nothing has to be cancelled."""
        await self.closing()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()
