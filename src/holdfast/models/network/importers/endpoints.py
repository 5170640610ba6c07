"""Hosts that settings name: in environment variables, arguments and connection strings."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_TEXT = 2_000
"""Of one setting; nobody names a host behind so much else."""

_NAMES_HOST = re.compile(
    r"host|addr|url|uri|endpoint|server|service|broker|upstream|target|dsn|svc", re.IGNORECASE
)
_BETWEEN = re.compile(r"[\s,;'\"()]+")
_HOST = re.compile(r"[A-Za-z0-9][-A-Za-z0-9_.]*")


def endpoints(name: str, text: str) -> Iterator[tuple[str, bool]]:
    """The words of a setting that may be hosts, and whether something says that they are.

    That is a scheme or a port with them, or the name of the setting.

    >>> list(endpoints("CART", "cart:7070")), list(endpoints("MODE", "cart"))
    ([('cart', True)], [('cart', False)])
    >>> list(endpoints("DSN", "postgres://shop:secret@db.shop.svc:5432/orders?x=y"))
    [('db.shop.svc', True)]
    """
    for token in _BETWEEN.split(text[:MAX_TEXT]):
        scheme, found, rest = token.rpartition("://")
        address = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
        host, _, port = address.partition(":")
        if _HOST.fullmatch(host):
            sure = bool(found and scheme) or port.isdigit() or _NAMES_HOST.search(name) is not None
            yield host.lower().rstrip("."), sure
