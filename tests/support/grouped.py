"""Random networks with groups of alike hosts, as text in which the groups are counted or written out."""

import dataclasses
import random

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import HoldfastError
from holdfast.readings import analyse
from holdfast.scenario.reading import configuration, scenario_from_text

BESIDE = {"seconds", "engine", "start", "warnings", "caveats", "counted", "provenance"}
"""What an analysis has besides readings."""


def built(text):
    return configuration(scenario_from_text(text))


def plain(value):
    """Readings as nested tuples, with floats as they are shown."""
    if isinstance(value, float):
        return round(value, 9)
    if dataclasses.is_dataclass(value):
        fields = (f.name for f in dataclasses.fields(value) if f.name not in BESIDE)
        return tuple((name, plain(getattr(value, name))) for name in fields)
    if isinstance(value, dict):
        return tuple((key, plain(own)) for key, own in value.items())
    return tuple(map(plain, value)) if isinstance(value, tuple | list) else value


def readings(text, seconds=None):
    """All readings of a scenario, or the kind of error that there is."""
    try:
        return readings_of(built(text), seconds=seconds)
    except HoldfastError as error:
        return type(error)


def readings_of(chosen, exact=True, seconds=None):
    """All readings of a configuration for which there is time, or the kind of error that there is."""
    budget = UNLIMITED if seconds is None else Budget.lasting(seconds)
    try:
        return plain(analyse(chosen, layers=True, learning=False, exact=exact, budget=budget))
    except HoldfastError as error:
        return type(error)


def grouped_network(
    rng: random.Random, most: int = 4, *, alone: bool = False, flows: bool = False, chance: bool = False
) -> tuple[str, str]:
    """A scenario with the hosts of its groups counted, and the same with every host written out.

    A group that is ``alone`` has a single host beside it, and is as large as it may be or a little smaller.
    With ``flows`` the links are in use, and the requirement may speak of it; with ``chance`` actions may fail.
    """
    groups = {name: rng.randint(2, most) for name in ("ws", "srv")[: rng.choice((1, 1, 2))]}
    if alone:
        groups = {"ws": rng.randint(max(2, most - 2), most)}
    while sum(groups.values()) > most + 1:
        groups[max(groups, key=groups.__getitem__)] -= 1
    singles = ["GW", "DB"][: rng.choice((1, 2)) if sum(groups.values()) > 3 else 2]
    singles = singles[:1] if alone else singles
    names = [*singles, *groups]
    links = [f"{a} -> {b}" for a in names for b in names if a != b and rng.random() < 0.5]
    links += [f"{name} -> {name}" for name in groups if rng.random() < 0.4]
    settings = {name: _settings(rng) for name in groups}
    entry = rng.choice([*singles, *groups, *(f"[{name}]" for name in groups), "none"])
    exposed = [name for name in names if rng.random() < 0.15] or ([names[-1]] if entry == "none" else [])
    lines = []
    if exposed:
        lines.append(f"  exposed: [{', '.join(exposed)}]")
    if rng.random() < 0.2:
        lines.append("  isolate: detected")
    if rng.random() < 0.2:
        kinds = rng.sample(["spread", "destroy"], rng.randint(1, 2))
        lines.append(f"  actions: {{adversary: [{', '.join(['noop'] * rng.randint(0, 1) + kinds)}]}}")
    if entry != "none" and rng.random() < 0.5:
        lines.append("  reset: {probability: 0.2}")
    elif entry != "none":
        lines.append("  reset: none")
    if rng.random() < 0.15:
        lines.append("  zones: {inside: [" + ", ".join(groups) + "]}")
    if links and rng.random() < 0.2:
        lines.append(f"  conduits: {{door: {rng.choice(links)}}}")
    n = len(singles) + sum(groups.values())
    defender = [_requirement(rng, singles, groups, n) for _ in range(rng.randint(1, 2))]
    adversary = [_boundary(rng, groups)] if rng.random() < 0.6 else []
    if flows:
        _use(rng, links, singles, lines, defender)
    if chance:
        lines.append(f"  chance: {{{_chances(rng, names, links)}}}")
    texts = []
    for counted in (True, False):
        hosts = [*singles]
        for name, size in groups.items():
            extra = [f"count: {size}", *(["alike: yes"] if counted else []), *settings[name]]
            hosts.append("{" + name + ": {" + ", ".join(extra) + "}}")
        first = entry if counted or entry not in groups else f"{entry}1"
        head = [] if entry == "none" else [f"  entry: {first}"]
        texts.append(
            "\n".join(
                [
                    "holdfast: 1",
                    "name: groups",
                    "network:",
                    f"  hosts: [{', '.join(hosts)}]",
                    f"  links: [{', '.join(links)}]",
                    *head,
                    *lines,
                    "specs:",
                    "  defender:",
                    *(f"    - {clause}" for clause in defender),
                    *(["  adversary:", *(f"    - {clause}" for clause in adversary)] if adversary else []),
                    "",
                ]
            )
        )
    return texts[0], texts[1]


def _use(
    rng: random.Random, links: list[str], singles: list[str], lines: list[str], defender: list[str]
) -> None:
    """Add flows along some of the links, and what is asked of them."""
    arrows = [tuple(link.split(" -> ")) for link in links if len(set(link.split(" -> "))) == 2]
    if not arrows:
        return
    paths = []
    for _ in range(rng.choice((1, 2))):
        path = list(rng.choice(arrows))
        onward = [b for a, b in arrows if a == path[-1] and b not in path]
        paths.append(path + ([rng.choice(onward)] if onward and rng.random() < 0.6 else []))
    named = [f"f{i}: {' -> '.join(path)}" for i, path in enumerate(paths)]
    if len(singles) == 2 and _joins(arrows, *singles):
        named.append(f"any: {{from: {singles[0]}, to: {singles[1]}, value: 2}}")
    lines.append(f"  flows: {{{', '.join(named)}}}")
    if rng.random() < 0.3:
        lines.append("  compromised_serves: no")
    if rng.random() < 0.4:
        lines.append("  dominance: flows")
    flow = f"flow({rng.choice(named).partition(':')[0]})"
    asked = (
        f"G {flow}",
        f"G ({flow} | count(* in {{Z}}) >= 1)",
        f"G !(!{flow} & !Y {flow})",
        "G (flows_up >= 1)",
    )
    defender[0] = rng.choice(asked)


def _joins(arrows: list[tuple[str, ...]], source: str, target: str) -> bool:
    """Whether some path leads from a host to another."""
    reached = {source}
    for _ in arrows:
        reached |= {b for a, b in arrows if a in reached}
    return target in reached


def _chances(rng: random.Random, names: list[str], links: list[str]) -> str:
    """How likely some actions succeed, by type, by host and by link."""
    kinds = ["spread", "destroy", "monitor", "isolate", "restore", "fix"]
    given = {kind: rng.choice((0.3, 0.5, 0.9, 1)) for kind in rng.sample(kinds, rng.randint(1, 2))}
    if rng.random() < 0.4:
        given[f"{rng.choice(kinds)}({rng.choice(names)})"] = rng.choice((0, 0.2, 0.7))
    if links and rng.random() < 0.6:
        given |= {f'"{link}"': rng.choice((0, 0.1, 0.8, 1)) for link in rng.sample(links, 1)}
    return ", ".join(f"{what}: {chance}" for what, chance in given.items())


def _settings(rng: random.Random) -> list[str]:
    settings = []
    if rng.random() < 0.25:
        kinds = rng.sample(["isolate", "fix", "monitor", "restore", "destroy", "spread"], rng.randint(1, 2))
        settings.append(f"cannot: [{', '.join(kinds)}]")
    if rng.random() < 0.25:
        settings.append(f"value: {rng.choice((0, 2, 3))}")
    return settings


def _requirement(rng: random.Random, singles: list[str], groups: dict[str, int], n: int) -> str:
    group = rng.choice([*groups])
    size, statuses = groups[group], rng.sample("CXDIZ", rng.randint(1, 3))
    bad = rng.sample("XDZ", rng.randint(1, 3))
    listed, worse = ", ".join(statuses), ", ".join(bad)
    return rng.choice(
        [
            f"G (count({group} in {{{worse}}}) <= {rng.randint(0, size)})",
            f"G (count(* in {{{worse}}}) <= {rng.randint(0, n - 1)})",
            f"G (active >= {rng.randint(1, n)})",
            f"G (clean >= {rng.randint(0, max(1, n // 2))})",
            f"G ({rng.choice(singles)} not in {{{worse}}})",
            f"G ({rng.choice(singles)} != Z | count({group} not in {{{listed}}}) < {rng.randint(1, size)})",
            f"G (count({group} in {{Z}}) >= 1 -> X X (count({group} in {{{listed}}}) >= 1))",
            f"G (count({group}, {singles[0]} in {{{worse}}}) <= {rng.randint(1, size)})",
            f"G (times(isolate) <= {rng.randint(1, 3)})",
        ]
    )


def _boundary(rng: random.Random, groups: dict[str, int]) -> str:
    group = rng.choice([*groups])
    return rng.choice(
        [
            f"G (times(destroy) <= {rng.randint(0, 2)})",
            f"G (times(spread) <= {rng.randint(1, 3)})",
            f"G (destroy -> count({group} in {{X, D}}) <= {rng.randint(0, groups[group])})",
        ]
    )
