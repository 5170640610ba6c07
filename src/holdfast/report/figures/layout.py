"""Where the hosts of a segment stand in a picture: layers by distance from the entry."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.models.network import Link


def layers(hosts: Sequence[str], links: Sequence[Link], entry: str) -> list[list[str]]:
    """Hosts by the number of links from the entry; those it does not reach come last.

    >>> layers(["GW", "DB", "Web", "Lone"], [("GW", "Web"), ("Web", "DB")], "GW")
    [['GW'], ['Web'], ['DB'], ['Lone']]
    """
    found, seen = [[entry]], {entry}
    while True:
        following = [
            host for host in hosts if host not in seen and any(a in found[-1] and b == host for a, b in links)
        ]
        if not following:
            break
        found.append(following)
        seen |= set(following)
    rest = [host for host in hosts if host not in seen]
    return [*found, rest] if rest else found
