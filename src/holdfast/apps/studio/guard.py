"""Who may ask: a program on this machine that knows the token, and no page of another origin.

Every request has to name this server as its host, which stops a foreign name that was pointed at this machine
(DNS rebinding). One with an Origin has to come from the page itself. What lies under ``/api/`` needs the
token of the address that was printed at the start; a browser sends it in a header, which a foreign page
cannot do without being asked (CORS), and such questions are refused.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from secrets import compare_digest
from typing import Any
from urllib.parse import parse_qs

from holdfast.apps.studio.bench import told

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADER = "x-holdfast-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """Lets requests through to an application, or refuses them; adds the headers of every answer."""

    def __init__(self, app: Asgi, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        if port == 80:
            self.hosts |= {"127.0.0.1", "localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message.get("headers", [])}
                added = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in own]
                message = {**message, "headers": [*message.get("headers", []), *added]}
            await send(message)

        refused = self.refusal(scope)
        if refused is None:
            await self.app(scope, receive, send_with_headers)
            return
        raw = json.dumps(told(refused)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
        await send_with_headers({"type": "http.response.start", "status": 403, "headers": headers})
        await send_with_headers({"type": "http.response.body", "body": raw})

    def refusal(self, scope: Scope) -> str | None:
        """Why a request is refused; None if it is not."""
        given: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = given.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "this server answers only at its own address; open the one that was printed"
        if any(
            origin.lower() not in {f"http://{host}" for host in self.hosts}
            for origin in given.get("origin", [])
        ):
            return "requests from pages of another origin are refused"
        if given.get("sec-fetch-site", ["none"])[0] not in ("same-origin", "none"):
            return "requests from pages of another origin are refused"
        if not scope["path"].startswith("/api/"):
            return None
        shown = given.get(HEADER, [])
        if not shown and scope["method"] == "GET":
            shown = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        if len(shown) != 1 or not compare_digest(shown[0].encode("latin-1", "replace"), self.token.encode()):
            return "the token is missing or wrong; open the address that was printed at the start"
        return None
