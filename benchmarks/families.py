"""Families of networks to measure on."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path

from holdfast.game.configuration import Configuration, configure
from holdfast.models.network.game import network_system
from holdfast.models.network.segment import Link


def _configured(
    hosts: list[str], links: list[Link], pair: tuple[str, str], n_active: int, budget: int
) -> Configuration:
    game = network_system(hosts, links, hosts[0])
    both = f"G !({pair[0]} in {{X, D, Z}} & {pair[1]} in {{X, D, Z}})"
    return configure(game, [both, f"G (active >= {n_active})"], [f"G (times(destroy) <= {budget})"])


def chain(n: int, slack: int = 3, budget: int = 2) -> Configuration:
    """A gateway, a web server, n − 4 workstations in a chain, a database and its backup."""
    stations = [f"ws{i}" for i in range(1, n - 3)]
    hosts = ["GW", "Web", *stations, "DB", "BK"]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK")]
    if stations:
        links += [("GW", stations[0]), ("Web", stations[0]), (stations[-1], "DB")]
        links += list(itertools.pairwise(stations))
    return _configured(hosts, links, ("DB", "BK"), n - slack, budget)


def subnets(n: int, slack: int = 3, budget: int = 2, size: int = 6) -> Configuration:
    """As :func:`chain`, but the workstations sit in subnets of up to six behind the web server."""
    stations = [f"ws{i}" for i in range(1, n - 3)]
    nets = [stations[i : i + size] for i in range(0, len(stations), size)]
    hosts = ["GW", "Web", *stations, "DB", "BK"]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK")]
    for net in nets:
        links += [("Web", net[0]), (net[-1], "DB")]
        links += [(net[0], other) for other in net[1:]] + list(itertools.pairwise(net))
    return _configured(hosts, links, ("DB", "BK"), n - slack, budget)


def enterprise(n: int, slack: int = 3, budget: int = 2) -> Configuration:
    """As :func:`chain`, but the web server leads to all workstations, every third of them to the database."""
    stations = [f"ws{i}" for i in range(1, n - 3)]
    hosts = ["GW", "Web", *stations, "DB", "BK"]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK"), *(("GW", first) for first in stations[:1])]
    links += [("Web", station) for station in stations] + list(itertools.pairwise(stations))
    links += [(station, "DB") for station in stations[::3]]
    return _configured(hosts, links, ("DB", "BK"), n - slack, budget)


def star(n: int, slack: int = 3, budget: int = 2) -> Configuration:
    """Workstations that do not know each other between a web server and a database."""
    stations = [f"ws{i}" for i in range(1, n - 3)]
    hosts = ["GW", "Web", *stations, "DB", "BK"]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK")]
    links += [("Web", station) for station in stations] + [(station, "DB") for station in stations]
    return _configured(hosts, links, ("DB", "BK"), n - slack, budget)


def mesh(n: int, slack: int = 3, budget: int = 2) -> Configuration:
    """Two tiers, every host of the first linked to every host of the second."""
    front = [f"f{i}" for i in range((n - 2) // 2)]
    back = [f"b{i}" for i in range(n - 2 - len(front))]
    hosts = [*front, *back, "DB", "BK"]
    links = [(a, b) for a in front for b in back] + [(b, "DB") for b in back] + [("DB", "BK")]
    links += list(itertools.pairwise(front))
    return _configured(hosts, links, ("DB", "BK"), n - slack, budget)


def topology(name: str, slack: int = 3, budget: int = 2) -> Configuration:
    """A network of topohub: links in both directions, the first node the entry, the last two the pair."""
    import topohub

    graph = topohub.get(name)
    hosts = [f"h{node['id']}" for node in graph["nodes"]]
    ends = [(f"h{edge['source']}", f"h{edge['target']}") for edge in graph["edges"]]
    links = list(dict.fromkeys(pair for a, b in ends if a != b for pair in ((a, b), (b, a))))
    return _configured(hosts, links, (hosts[-2], hosts[-1]), len(hosts) - slack, budget)


def real_topologies(fewest: int, most: int) -> list[str]:
    """The networks of topohub's two collections of real ones with so many nodes, small ones first."""
    import topohub

    folder, found = Path(topohub.__file__).parent / "data", []
    for path in (*folder.glob("topozoo/*.json"), *folder.glob("sndlib/*.json")):
        n_nodes = len(json.loads(path.read_text("utf-8"))["nodes"])
        if fewest <= n_nodes <= most:
            found.append((n_nodes, f"{path.parent.name}/{path.stem}"))
    return [name for _, name in sorted(found)]


def scattered(n: int, density: float, slack: int = 3, budget: int = 2, seed: int = 1) -> Configuration:
    """A random directed graph; the last two hosts are the critical pair."""
    rng = random.Random(seed)
    hosts = [f"h{i}" for i in range(n)]
    links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < density]
    return _configured(hosts, links, (hosts[-2], hosts[-1]), n - slack, budget)


REAL = (
    "topozoo/Abilene",
    "sndlib/polska",
    "topozoo/Nsfnet",
    "topozoo/Arnes",
    "topozoo/Bics",
    "topozoo/Geant2010",
    "topozoo/BtNorthAmerica",
    "sndlib/germany50",
    "topozoo/Garr201005",
    "topozoo/Chinanet",
)
"""Ten topologies of 11 to 50 nodes."""

FAMILIES: dict[str, Callable[[int], Configuration]] = {
    "chain": chain,
    "subnets": subnets,
    "enterprise": enterprise,
    "star": star,
    "mesh": mesh,
    "random-0.1": lambda n: scattered(n, 0.1),
    "random-0.3": lambda n: scattered(n, 0.3),
}
