"""Random small networks with zones, as scenario texts: two or three zones, all options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

Pair = tuple[str, str]


def zoned_network(draw: Random) -> str:
    """A scenario of up to six hosts in zones, with clauses of many kinds."""
    zones = _zones(draw)
    hosts = [host for of in zones for host in of]
    links, tight = _links(draw, zones), draw.random() < 0.2
    if tight:  # the adversary begins in the last zone, and little leads out of it: promises can be kept
        links = [(a, b) for a, b in links if a not in zones[-1] or b in zones[-1] or draw.random() < 0.2]
    network = {
        "hosts": _list(_host(draw, host) for host in hosts),
        "zones": _boxes(draw, zones),
        "links": _list(_link(draw, pair) for pair in links),
        "entry": _list(
            zones[-1][:1] if tight else draw.sample(hosts, draw.choice((1, 1, 1, 1, min(2, len(hosts)))))
        ),
        "reset": "none",
    }
    if draw.random() < 0.25 and not tight:
        network["exposed"] = _list(draw.sample(hosts, draw.choice((1, 1, min(2, len(hosts))))))
    network |= _conduits(draw, links) | _rhythm(draw) | _flows(draw, hosts, links)
    if draw.random() < 0.12:
        network["chance"] = _chances(draw, hosts, links)
    demands = [_tight(draw, zones[:-1]) for _ in zones] if tight else []
    while len(demands) < (2 if tight else 1) or draw.random() < 0.55:
        demands.append(_demand(draw, zones, "flows" in network))
    draw.shuffle(demands)
    chancy = network.get("chance", "")
    destroys = "destroy" in network.get("actions", "destroy") and "destroy" not in chancy
    bounds = _boundary(draw, zones, destroys, "spread" not in chancy and "->" not in chancy)
    section = "\n".join(f"  {key}: {value}" for key, value in network.items())
    text = f"holdfast: 1\nname: Zoned\nnetwork:\n{section}\nspecs:\n  defender:\n{_clauses(demands)}"
    return text + (f"  adversary:\n{_clauses(bounds)}" if bounds else "")


def other_zones(draw: Random, hosts: Sequence[str]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """A random partition of the hosts, whatever zones they are declared in."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for host in hosts:
        zone = (f"part{draw.randrange(3)}",)
        found[zone] = (*found.get(zone, ()), host)
    return found


def _zones(draw: Random) -> list[list[str]]:
    n_zones = draw.choice((2, 2, 3))
    sizes = [draw.choice((1, 2, 2, 3) if n_zones == 2 else (1, 1, 2)) for _ in range(n_zones)]
    return [[f"{'abc'[z]}{i}" for i in range(size)] for z, size in enumerate(sizes)]


def _boxes(draw: Random, zones: list[list[str]]) -> str:
    """The zones as they are declared; now and then the hosts of the last are in none."""
    named = zones[:-1] if draw.random() < 0.1 else zones
    return "{" + ", ".join(f"z{'abc'[i]}: {_list(of)}" for i, of in enumerate(named)) + "}"


def _links(draw: Random, zones: list[list[str]]) -> list[Pair]:
    inside = [(a, b) for of in zones for a in of for b in of if a != b and draw.random() < 0.5]
    cross = [(a, b) for one in zones for other in zones if one is not other for a in one for b in other]
    often = draw.choice((0.05, 0.15, 0.3))
    return inside + [link for link in cross if draw.random() < often]


def _link(draw: Random, pair: Pair) -> str:
    a, b = pair
    kind = draw.random()
    if kind < 0.1:
        return f"{{from: {a}, to: {b}, block: yes, name: g{a}{b}}}"
    return f"{{from: {a}, to: {b}, filter: yes}}" if kind < 0.14 else f"{a} -> {b}"


def _conduits(draw: Random, links: list[Pair]) -> dict[str, str]:
    """A switch for one link or two, which may lead into two zones."""
    if not links or draw.random() > 0.12:
        return {}
    shut = draw.sample(links, min(len(links), draw.choice((1, 2))))
    return {"conduits": "{gate: " + _list(f"{a} -> {b}" for a, b in shut) + "}"}


def _rhythm(draw: Random) -> dict[str, str]:
    """What the sides can do at all, and how often."""
    found = {}
    if draw.random() < 0.4:
        found["isolate"] = "detected"
    if draw.random() < 0.15:
        found["actions"] = draw.choice(
            (
                "{adversary: [noop, spread]}",
                "{adversary: [spread, destroy]}",
                "{defender: [monitor, isolate, restore, fix, block]}",
                "{defender: [noop, isolate, fix]}",
            )
        )
    if draw.random() < 0.15:
        found["tempo"] = draw.choice(
            ("{adversary: 2}", "{adversary: 3}", "{defender: 2}", "{adversary: 2, defender: 2}")
        )
    return found


def _flows(draw: Random, hosts: list[str], links: list[Pair]) -> dict[str, str]:
    """A path of links and, now and then, any path between two hosts or a host alone."""
    path = [draw.choice(hosts)]
    for _ in range(3):
        onward = [b for a, b in links if a == path[-1] and b not in path]
        path += [draw.choice(onward)] if onward else []
    flows = [f"f: {' -> '.join(path)}"] if len(path) > 1 else []
    if flows and draw.random() < 0.3:
        flows.append(
            draw.choice((f"h: {{from: {path[0]}, to: {path[-1]}, value: 2}}", f"h: {draw.choice(hosts)}"))
        )
    if not flows:
        return {}
    serves = {"compromised_serves": "no"} if draw.random() < 0.2 else {}
    return {"flows": "{" + ", ".join(flows) + "}"} | serves


def _chances(draw: Random, hosts: list[str], links: list[Pair]) -> str:
    one = draw.choice(hosts)
    kinds = ["spread: 0.5", "monitor: 0.5, spread: 0.3", "destroy: 0.9", f"spread({one}): 0.5"]
    kinds += ["isolate: 0.5, fix: 0.5", f"restore({one}): 0.5"]
    if links:
        kinds.append(f"{' -> '.join(draw.choice(links))}: 0.5")
    return "{" + draw.choice(kinds) + "}"


def _list(items: Iterable[str]) -> str:
    return "[" + ", ".join(items) + "]"


def _clauses(clauses: Iterable[str]) -> str:
    return "".join(f"    - {clause}\n" for clause in clauses)


def _host(draw: Random, name: str) -> str:
    if draw.random() < 0.1:
        kind = draw.choice(("isolate", "spread", "destroy", "fix", "monitor", "restore"))
        return f"{{{name}: {{cannot: [{kind}]}}}}"
    return name


def _bad(draw: Random) -> str:
    return draw.choice(("{X, D, Z}", "{Z}", "{X, D}", "{I, Z}", "{X}"))


def _tight(draw: Random, zones: list[list[str]]) -> str:
    """That a host is never touched, or only in one way: held where nothing comes in."""
    one = draw.choice(draw.choice(zones))
    return f"G ({one} {draw.choice(('= C', 'not in {X, D}', 'in {C, I}', '!= Z'))})"


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
        f"per_zone: G (count(zone in {_bad(draw)}) <= {number})",
        f"per_zone: G (count(zone in {{Z}}) <= {number} & count(zone in {{X}}) <= 1)",
        f"G !({one} in {_bad(draw)} & {far} in {_bad(draw)})",
        f"G (active >= {max(0, len(hosts) - number)})",
        f"G (count(* in {_bad(draw)}) <= {number})",
        f"G (clean >= {max(0, len(hosts) - number - 1)})",
        f"G (active + {number} > clean)",
        f"G ({one} in {{X, D}} -> F[<=2] {one} not in {{X, D}})",
        f"G ({one} = Z -> ({far} != X) U[<=2] {one} = C)",
        f"G ({one} = I -> X {other} != I)",
        f"G (times(isolate({one})) <= {number})" if draw.random() < 0.3 else f"G ({one} != Z)",
        f"G ({one} != Z & {far} != Z)",
        f"G !({one} = Z & Y {far} = Z)",
        f"G ({one} = Z -> ({far} in {{C, D}} S {far} = C))",
        f"({one} = C) W ({far} = X | {other} = D)",
        f"G (destroy({one}) -> {far} != X)" if draw.random() < 0.2 else f"G ({far} in {{C, X, D, I}})",
        f"G (isolate({one}) -> {far} != X & O {other} = X)",
        f"G (count({', '.join(hosts)} in {{Z}}) <= 1 | {one} = I)",
        f"G (times(destroy({far})) <= {number} | {one} = C)",
        _automaton(f"{one} = Z", f"{far} = C" if draw.random() < 0.3 else f"{other} = C"),
    ]
    if flows:
        kinds += ["G flow(f)", f"G (flow(f) | {one} = C)", "G (flows_up >= 1)"]
    return draw.choice(kinds)


def _automaton(bad: str, well: str) -> str:
    """Once it was bad it must never be so after being well again."""
    edges = [
        f'{{from: q0, to: q1, when: "{bad}"}}, {{from: q0, to: q0, when: "!({bad})"}}',
        f'{{from: q1, to: q2, when: "{well} & !({bad})"}}, {{from: q1, to: q1, when: "!({well} & !({bad}))"}}',
        f'{{from: q2, to: q3, when: "{bad}"}}, {{from: q2, to: q2, when: "!({bad})"}}',
        "{from: q3, to: q3}",
    ]
    return (
        "{name: bad once, automaton: {states: [q0, q1, q2, q3], initial: q0, "
        f"accepting: [q0, q1, q2], edges: [{', '.join(edges)}]}}}}"
    )


def _boundary(draw: Random, zones: list[list[str]], destroys: bool, spreads: bool) -> list[str]:
    """What the adversary keeps to; of what may fail nothing, since nobody can keep to what is drawn."""
    of = draw.choice(zones)
    one, far = draw.choice(of), draw.choice(draw.choice(zones))
    found = [f"G (times(destroy) <= {draw.choice((0, 1, 1, 2))})"] if destroys and draw.random() < 0.8 else []
    kinds = []
    if spreads:
        kinds += [
            "G (times(spread) <= 2)",
            f"G (spread({one}) -> false)" if draw.random() < 0.2 else f"G (times(spread({one})) <= 1)",
            f"G (spread -> !O spread({one}))",
            "G (spread -> !Y Y spread)",
            f"G (spread -> {one} != Z)",
            "G (spread -> count(* in {X, D}) <= 2)",
            f"G (spread({one}) -> {far} in {{X, D}})",
        ]
    if destroys:
        kinds += [f"G (times(destroy({one})) <= 1)", f"G (destroy({one}) -> O {far} = D)"]
    if kinds and draw.random() < 0.3:
        found.append(draw.choice(kinds))
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
    paths = [pair for pair in chosen if pair[0] != pair[1]]
    if paths and draw.random() < 0.25:
        network["flows"] = f"{{f: {' -> '.join(draw.choice(paths))}}}"
        ours += f"\n    - {draw.choice(('G flow(f)', f'G (flow(f) | count({hosts[0]} in {{C}}) >= 1)'))}"
    if draw.random() < 0.15:
        surely = draw.choice(("{monitor: 0.5, fix: 0.3}", "{isolate: 0.9}", "{destroy: 0.9}"))
        network["chance"] = surely if "spread" in bounds else draw.choice((surely, "{spread: 0.5}"))

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
