"""Random small networks with zones, as scenario texts: two or three zones, all options."""

from __future__ import annotations

from random import Random


def zoned_network(draw: Random) -> str:
    """A scenario of up to six hosts in zones, with clauses of many kinds."""
    n_zones = draw.choice((2, 2, 3))
    sizes = [draw.choice((1, 2, 2, 3) if n_zones == 2 else (1, 2, 2)) for _ in range(n_zones)]
    zones, hosts = [], []
    for z, size in enumerate(sizes):
        zones.append([f"{'abc'[z]}{i}" for i in range(size)])
        hosts += zones[-1]
    inside = [(a, b) for of in zones for a in of for b in of if a != b and draw.random() < 0.5]
    cross = [(a, b) for one in zones for other in zones if one is not other for a in one for b in other]
    chosen = inside + [link for link in cross if draw.random() < draw.choice((0.05, 0.15, 0.3))]
    links, gates = [], 0
    for a, b in chosen:
        if draw.random() < 0.1:
            gates += 1
            links.append(f"{{from: {a}, to: {b}, block: yes, name: g{gates}}}")
        else:
            links.append(f"{a} -> {b}")
    network = {
        "hosts": _list(_host(draw, host) for host in hosts),
        "zones": "{" + ", ".join(f"z{'abc'[i]}: {_list(of)}" for i, of in enumerate(zones)) + "}",
        "links": _list(links),
        "entry": _list(draw.sample(hosts, 1 if draw.random() < 0.8 else min(2, len(hosts)))),
        "reset": "none",
    }
    if draw.random() < 0.25:
        network["exposed"] = _list(draw.sample(hosts, 1))
    if draw.random() < 0.4:
        network["isolate"] = "detected"
    if draw.random() < 0.15:
        network["actions"] = draw.choice(
            (
                "{adversary: [noop, spread]}",
                "{adversary: [spread, destroy]}",
                "{defender: [monitor, isolate, restore, fix, block]}",
            )
        )
    if draw.random() < 0.1:
        network["tempo"] = draw.choice(("{adversary: 2}", "{defender: 2}"))
    if draw.random() < 0.1:
        network["chance"] = draw.choice(("{spread: 0.5}", "{monitor: 0.5, spread: 0.3}", "{destroy: 0.9}"))
    path = [draw.choice(hosts)]
    for _ in range(3):
        onward = [b for a, b in chosen if a == path[-1] and b not in path]
        path += [draw.choice(onward)] if onward else []
    if len(path) > 1:
        network["flows"] = "{f: " + " -> ".join(path) + "}"
    section = "\n".join(f"  {key}: {value}" for key, value in network.items())
    ours = [_demand(draw, zones, "flows" in network) for _ in range(draw.choice((1, 2, 2, 3, 4)))]
    theirs = _boundary(
        draw, zones, "destroy" in network.get("actions", "destroy"), "spread" not in network.get("chance", "")
    )
    specs = "\n".join(f"    - {clause}" for clause in ours)
    bounds = "".join(f"\n    - {clause}" for clause in theirs)
    return f"holdfast: 1\nname: Zoned\nnetwork:\n{section}\nspecs:\n  defender:\n{specs}\n" + (
        f"  adversary:{bounds}\n" if bounds else ""
    )


def _list(items: object) -> str:
    return "[" + ", ".join(items) + "]"  # type: ignore[call-overload]


def _host(draw: Random, name: str) -> str:
    if draw.random() < 0.1:
        return f"{{{name}: {{cannot: [{draw.choice(('isolate', 'spread', 'destroy', 'fix', 'noop' if False else 'monitor'))}]}}}}"
    return name


def _bad(draw: Random) -> str:
    return draw.choice(("{X, D, Z}", "{Z}", "{X, D}", "{I, Z}", "{X}"))


def _demand(draw: Random, zones: list[list[str]], flows: bool) -> str:
    hosts = [host for of in zones for host in of]
    of = draw.choice(zones)
    number = draw.choice((0, 1, 1, 2, 2, 3))
    one, other = draw.choice(of), draw.choice(of)
    far = draw.choice(hosts)
    kinds = [
        f"G !({one} in {_bad(draw)} & {other} in {_bad(draw)})",
        f"G (count({', '.join(of)} in {{I, Z}}) <= {number})",
        f"G (count({', '.join(of)} in {_bad(draw)}) <= {number})",
        f"G !({one} in {_bad(draw)} & {far} in {_bad(draw)})",
        f"G (active >= {max(0, len(hosts) - number)})",
        f"G (count(* in {_bad(draw)}) <= {number})",
        f"G (clean >= {max(0, len(hosts) - number - 1)})",
        f"G ({one} in {{X, D}} -> F[<=2] {one} not in {{X, D}})",
        f"G ({one} = I -> X {other} != I)",
        f"G (times(isolate({one})) <= {number})" if draw.random() < 0.3 else f"G ({one} != Z)",
        f"G ({one} != Z & {far} != Z)",
        f"G !({one} = Z & Y {far} = Z)",
        f"({one} = C) W ({far} = X | {other} = D)",
        f"G (destroy({one}) -> {far} != X)" if draw.random() < 0.2 else f"G ({far} in {{C, X, D, I}})",
        f"G (count({', '.join(hosts)} in {{Z}}) <= 1 | {one} = I)",
    ]
    if flows:
        kinds += ["G flow(f)", f"G (flow(f) | {one} = C)", "G (flows_up >= 1)"]
    return draw.choice(kinds)


def _boundary(draw: Random, zones: list[list[str]], destroys: bool, sure: bool) -> list[str]:
    of = draw.choice(zones)
    one = draw.choice(of)
    found = [f"G (times(destroy) <= {draw.choice((0, 1, 1, 2))})"] if destroys and draw.random() < 0.8 else []
    if sure and draw.random() < 0.25:
        found.append(
            draw.choice(
                (
                    "G (times(spread) <= 2)",
                    f"G (spread({one}) -> false)"
                    if draw.random() < 0.2
                    else f"G (times(spread({one})) <= 1)",
                    f"G (spread -> !O spread({one}))",
                    "G (spread -> !Y Y spread)",
                    f"G (spread -> {one} != Z)",
                )
            )
        )
    return found


def zoned_groups(draw: Random, most: int = 4) -> tuple[str, str]:
    """A scenario of two or three zones with counted groups of up to so many hosts, and the same with every
    host written out.
    """
    zones: list[dict[str, int]] = []
    for z in range(draw.choice((2, 2, 3))):
        names = [f"{'abc'[z]}{kind}" for kind in draw.sample(("x", "y", "g"), draw.choice((1, 1, 2)))]
        zones.append({name: draw.randint(2, most) if name.endswith("g") else 1 for name in names})
    if not any(size > 1 for of in zones for size in of.values()):
        zones[0]["ag"] = draw.randint(2, most)
    while sum(size for of in zones for size in of.values()) > 7:
        largest = max((of for of in zones), key=lambda of: max(of.values()))
        largest[max(largest, key=largest.__getitem__)] -= 1
    sizes = {name: size for of in zones for name, size in of.items()}
    hosts = [*sizes]
    inside = [
        (a, b) for of in zones for a in of for b in of if (a != b or sizes[a] > 1) and draw.random() < 0.5
    ]
    cross = [(a, b) for one in zones for other in zones if one is not other for a in one for b in other]
    chosen = inside + [link for link in cross if draw.random() < draw.choice((0.1, 0.2, 0.4))]
    links = [
        f"{{from: {a}, to: {b}, block: yes, name: d{i}}}" if draw.random() < 0.1 else f"{a} -> {b}"
        for i, (a, b) in enumerate(chosen)
    ]
    network = {
        "zones": "{" + ", ".join(f"z{'abc'[i]}: {_list(of)}" for i, of in enumerate(zones)) + "}",
        "links": _list(links),
        "entry": _list(draw.sample(hosts, 1)),
        "reset": "none",
    }
    if draw.random() < 0.25:
        network["exposed"] = _list(draw.sample(hosts, 1))
    if draw.random() < 0.3:
        network["isolate"] = "detected"
    if draw.random() < 0.15:
        network["actions"] = draw.choice(("{adversary: [noop, spread]}", "{adversary: [spread, destroy]}"))
    if draw.random() < 0.1:
        network["tempo"] = draw.choice(("{adversary: 2}", "{defender: 2}"))
    cannot = {
        host: f"cannot: [{draw.choice(('isolate', 'destroy', 'fix', 'monitor'))}]"
        for host in hosts
        if draw.random() < 0.1
    }
    ours = "".join(f"\n    - {_group_demand(draw, zones)}" for _ in range(draw.choice((1, 2, 2, 3))))
    theirs = _boundary(draw, zones_alone(zones), "destroy" in network.get("actions", "destroy"), True)
    bounds = "\n  adversary:" + "".join(f"\n    - {clause}" for clause in theirs) if theirs else ""

    def text(alike: str) -> str:
        listed = []
        for host, size in sizes.items():
            settings = [f"count: {size}{alike}"] if size > 1 else []
            settings += [cannot[host]] if host in cannot else []
            listed.append(f"{{{host}: {{{', '.join(settings)}}}}}" if settings else host)
        body = "\n".join(f"  {key}: {value}" for key, value in network.items())
        return (
            f"holdfast: 1\nname: Zoned\nnetwork:\n  hosts: {_list(listed)}\n{body}\n"
            f"specs:\n  defender:{ours}{bounds}\n"
        )

    return text(", alike: yes"), text("")


def zones_alone(zones: list[dict[str, int]]) -> list[list[str]]:
    """The hosts of each zone that are no group; a zone without any is left out."""
    return [own for of in zones if (own := [name for name, size in of.items() if size == 1])] or [["none"]]


def _group_demand(draw: Random, zones: list[dict[str, int]]) -> str:
    sizes = {name: size for of in zones for name, size in of.items()}
    of = draw.choice(zones)
    n, number = sum(sizes.values()), draw.choice((0, 1, 1, 2, 2, 3))
    one, far = draw.choice([*of]), draw.choice([*sizes])
    some = f"count({one} in {_bad(draw)})"
    return draw.choice(
        [
            f"per_zone: G (count(zone in {_bad(draw)}) <= {number})",
            f"G (count({', '.join(of)} in {{I, Z}}) <= {number})",
            f"G (count({one} in {_bad(draw)}) <= {number})",
            f"G (count({one} in {_bad(draw)}) <= {draw.randint(0, sizes[one])})",
            f"G !({some} >= 1 & count({far} in {_bad(draw)}) >= 1)",
            f"G (active >= {max(0, n - number)})",
            f"G (count(* in {_bad(draw)}) <= {number})",
            f"G (clean >= {max(0, n - number - 1)})",
            f"G (2 * count({one} in {{Z}}) + count({far} in {{I}}) <= {number})",
            f"G ({some} >= 1 -> F[<=2] {some} < 1)",
            f"G (count({one} in {{I}}) >= 1 -> X count({far} in {{I}}) < 1)",
            f"G (count({one} in {{Z}}) = 0 & count({far} in {{Z}}) < 1)",
            f"(count({one} in {{X, D}}) < 1) W (count({far} in {{X}}) >= 1)",
            f"G (count({', '.join(sizes)} in {{Z}}) <= 1 | {some} >= 1)",
            f"G (count({one} in {{C}}) >= count({far} in {{Z}}))",
        ]
    )
