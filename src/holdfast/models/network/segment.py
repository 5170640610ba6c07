"""A network segment: what it is made of, checked once (def:ndg of the paper, and what real segments add).

Hosts, links and the entry are the paper's. Everything else has a default that gives the paper's game: hosts
that can be compromised from outside, types of action that some hosts or a whole side do not have, hosts that
count for more, links that the defender can block, links that are filtered, players that act in every k-th
turn at most, zones, and flows: what the links are in use for.
The game that a segment means is made in :mod:`holdfast.models.network.game`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from holdfast.errors import LimitError, ModelError, did_you_mean, expect, expect_all, repeated
from holdfast.game import Flow, FlowRoute, carried, routes_between
from holdfast.logic import Player

STATUSES = ("C", "X", "D", "I", "Z")
STATUS_NAMES = {"C": "clean", "X": "compromised", "D": "detected", "I": "isolated", "Z": "destroyed"}
OPEN, BLOCKED = "open", "blocked"

NOOP = "noop"
HOST_TYPES = {
    Player.DEFENDER: (NOOP, "monitor", "isolate", "restore", "fix"),
    Player.ADVERSARY: (NOOP, "spread", "destroy"),
}
"""The types of action that are applied to a host, in the order of their numbers."""

BLOCKING = ("block", "unblock")
"""The types of action that are applied to a conduit; only the defender has them."""

TYPES = {
    Player.DEFENDER: (*HOST_TYPES[Player.DEFENDER], *BLOCKING),
    Player.ADVERSARY: HOST_TYPES[Player.ADVERSARY],
}

Link = tuple[str, str]

DEFAULT_RESET = Fraction(1, 10)
MAX_TEMPO = 50
MAX_LATE, MAX_MISSING = 20, 20


@dataclass(frozen=True)
class Segment:
    """A network segment.

    Attributes:
        hosts: names, in the order of the host index.
        links: directed pairs along which compromise can spread, each once.
        entries: the hosts that are compromised at the start.
        reset_probability: chance of a new engagement in each all-clean state; None for no resets.
        reset_kept: whether what the requirement remembers goes on after one.
        groups: named sets of hosts, for ``count`` in specifications.
        exposed: hosts that can be compromised from outside at any time.
        cannot: for a host, the types of action that do not exist for it.
        values: what a host weighs in μ; 1 for a host that is not named.
        actions: the types of action that a side has; all of them for a side that is not named.
        isolate_detected: whether ``isolate`` acts on clean and detected hosts only.
        conduits: named sets of links that are blocked and unblocked together.
        tempo: for a side, k if it acts at most once in k consecutive turns of its own.
        zones: named places of hosts; a host is in one of them at most.
        alike: groups of hosts that one declaration made, drawn as one.
        hardened: hosts to which nothing can spread, although the action is there and does nothing.
        filtered: links that stay in use, but along which nothing spreads.
        flows: what the links are in use for; a path of one that is not there is never up.
        compromised_serves: whether a host that is compromised or detected still serves flows.
        flow_dominance: whether μ is the share of the flows that are up, instead of that of clean hosts.
        chance: how likely an action succeeds, by its type or, which goes first, by its name; 1 for others.
        link_chance: how likely spreading along a link succeeds, whatever ``chance`` says of it.
        sensors: the hosts at which a compromise is seen; None if everything is seen, as in the paper.
        late: for a sensor, how many moves after a compromise began it is shown at the earliest.
        missing: for a sensor, how many compromises it may miss; which ones the adversary chooses.
        noticed: types of the adversary's actions that the defender notices as such.
        counted: names among the hosts that each stand for so many alike ones; links between them are links
            from each to each, and as an entry all of them are compromised.
        apart: hosts that are never counted by themselves, however alike they are.

    Raises:
        ModelError: when the parts do not fit together.
    """

    hosts: tuple[str, ...]
    links: tuple[Link, ...]
    entries: tuple[str, ...]
    reset_probability: Fraction | None = DEFAULT_RESET
    reset_kept: bool = False
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    exposed: tuple[str, ...] = ()
    cannot: Mapping[str, frozenset[str]] = field(default_factory=dict)
    values: Mapping[str, Fraction] = field(default_factory=dict)
    actions: Mapping[Player, tuple[str, ...]] = field(default_factory=dict)
    isolate_detected: bool = False
    conduits: Mapping[str, tuple[Link, ...]] = field(default_factory=dict)
    tempo: Mapping[Player, int] = field(default_factory=dict)
    zones: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    alike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hardened: frozenset[str] = frozenset()
    filtered: frozenset[Link] = frozenset()
    flows: tuple[Flow, ...] = ()
    compromised_serves: bool = True
    flow_dominance: bool = False
    chance: Mapping[str, Fraction] = field(default_factory=dict)
    link_chance: Mapping[Link, Fraction] = field(default_factory=dict)
    sensors: tuple[str, ...] | None = None
    late: Mapping[str, int] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    noticed: tuple[str, ...] = ()
    counted: Mapping[str, int] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.hosts:
            raise ModelError("a network needs at least one host")
        if (twice := repeated(self.hosts)) is not None:
            raise ModelError(f'host "{twice}" is listed twice')
        known = set(self.hosts)
        _check_links(self, known)
        _check_origins(self, known)
        for name, of in {**self.groups, **self.zones}.items():
            expect_all(of, str, f'the hosts of the group "{name}"', "a list of names")
            _check_known(f'group "{name}"', of, known)
        _check_differences(self, known)
        _check_flows(self)
        _check_chances(self)
        _check_sensors(self, known)
        _check_counted(self, known)

    def chance_of(self, kind: str, target: str) -> Fraction:
        """How likely an action of a type on a host or conduit succeeds, where no link says otherwise."""
        return self.chance.get(f"{kind}({target})", self.chance.get(kind, Fraction(1)))

    def types(self, player: Player) -> tuple[str, ...]:
        """The types of action that a side has, in the order of their numbers."""
        allowed = self.actions.get(player)
        return tuple(kind for kind in TYPES[player] if allowed is None or kind in allowed)

    @cached_property
    def single(self) -> tuple[str, ...]:
        """The hosts that are not counted."""
        return tuple(host for host in self.hosts if host not in self.counted)

    @property
    def n_hosts(self) -> int:
        """How many hosts there are, those included that are counted."""
        return len(self.single) + sum(self.counted.values())

    @cached_property
    def gates(self) -> dict[Link, tuple[str, ...]]:
        """The conduits that a link runs through; it carries compromise while all of them are open."""
        gates: dict[Link, tuple[str, ...]] = {}
        for name, links in self.conduits.items():
            for link in links:
                gates[link] = (*gates.get(link, ()), name)
        return gates

    @cached_property
    def routes(self) -> dict[str, tuple[FlowRoute, ...]]:
        """For each flow its paths that are there, as many of them as matter.

        Raises:
            ModelError: where a flow that takes any path has too many of them.
        """
        return {flow.name: self._routes(flow) for flow in self.flows}

    def _routes(self, flow: Flow) -> tuple[FlowRoute, ...]:
        if flow.ends is None:
            return carried(flow, self.hosts, set(self.links))
        if not set(self.hosts).issuperset(flow.ends):
            return ()
        try:
            return routes_between(flow.ends, self.links, self.gates)
        except LimitError as limit:
            message = f'flow "{flow.name}": {limit}; name the path that it takes, {{path: A -> B -> C}}'
            raise ModelError(message) from None


def _check_links(segment: Segment, known: set[str]) -> None:
    for source, target in segment.links:
        _check_known(f"link {source} -> {target}", (source, target), known)
        if source == target and segment.counted.get(source, 1) < 2:
            raise ModelError(f"link {source} -> {target} joins a host to itself; remove it")
    for name, links in segment.conduits.items():
        if name in known:
            raise ModelError(f'"{name}" is a host and a conduit; rename one of them')
        for link in links:
            _check_known(f'conduit "{name}"', link, known)


def check_origin(entries: Sequence[str], exposed: Sequence[str]) -> None:
    """Refuse a design in which the adversary is nowhere; one from which all ways in were taken is none."""
    if not entries and not exposed:
        raise ModelError(
            "the entry is missing; name the host that is compromised at the start, or exposed hosts"
        )


def _check_origins(segment: Segment, known: set[str]) -> None:
    """Where the adversary comes from."""
    for what, hosts in (("entry", segment.entries), ("exposed host", segment.exposed)):
        for host in hosts:
            if host not in known:
                raise ModelError(f'the {what} "{host}" is not a host' + did_you_mean(host, known))
    if segment.reset_probability is not None and not segment.entries:
        raise ModelError(
            "a reset compromises the entry, and there is none; name an entry, or write reset: none"
        )


def _check_differences(segment: Segment, known: set[str]) -> None:
    """What hosts and sides have of their own."""
    kinds = {kind for types in HOST_TYPES.values() for kind in types} - {NOOP}
    for host, types in segment.cannot.items():
        _check_known("cannot", (host,), known)
        for kind in types:
            if kind not in kinds:
                raise ModelError(f'cannot: "{kind}" is no action on a host' + did_you_mean(kind, kinds))
    for host, value in segment.values.items():
        _check_known("value", (host,), known)
        if value < 0:
            raise ModelError(f"the value of {host} is {value}; expected 0 or more")
    if not any(segment.values.get(host, 1) for host in segment.hosts):
        raise ModelError("the values of all hosts are 0; one of them must count")
    for player, own in segment.actions.items():
        for kind in own:
            if kind not in TYPES[player]:
                raise ModelError(f'the {player} has no action "{kind}"' + did_you_mean(kind, TYPES[player]))
    if segment.conduits and BLOCKING[0] not in segment.types(Player.DEFENDER):
        raise ModelError('links can be blocked, but "block" is not among the actions of the defender; add it')
    for player, turns in segment.tempo.items():
        if not 1 <= turns <= MAX_TEMPO:
            raise ModelError(f"the tempo of the {player} is {turns}; expected 1 to {MAX_TEMPO} turns")
        if turns > 1 and NOOP not in segment.types(player):
            raise ModelError(
                f'the {player} has to wait between actions and has no "{NOOP}"; add it to actions'
            )


def _check_flows(segment: Segment) -> None:
    if (twice := repeated([flow.name for flow in segment.flows])) is not None:
        raise ModelError(f'flow "{twice}" is listed twice')
    for flow in segment.flows:
        if bool(flow.routes) == (flow.ends is not None) or not all(flow.routes):
            raise ModelError(f'flow "{flow.name}" needs paths of hosts, or the two ends of any path')
        if flow.value < 0:
            raise ModelError(f"the value of the flow {flow.name} is {flow.value}; expected 0 or more")
    if segment.flow_dominance and not any(flow.value for flow in segment.flows):
        raise ModelError(
            "dominance: flows needs a flow that counts; name one under flows, with a value above 0"
        )


CHANCY = tuple(kind for player in Player for kind in TYPES[player] if kind != NOOP)
"""The types of action that may fail."""


def _check_chances(segment: Segment) -> None:
    known = dict.fromkeys(CHANCY)
    for types in HOST_TYPES.values():
        known |= dict.fromkeys(f"{kind}({host})" for kind in types for host in segment.hosts if kind != NOOP)
    known |= dict.fromkeys(f"{kind}({name})" for kind in BLOCKING for name in segment.conduits)
    for name in segment.chance:
        if name not in known:
            raise ModelError(f'chance: "{name}" is not an action that may fail' + did_you_mean(name, known))
    for source, target in segment.link_chance:
        _check_known("chance", (source, target), set(segment.hosts))
    for what, chance in (*segment.chance.items(), *segment.link_chance.items()):
        if not 0 <= chance <= 1:
            name = what if isinstance(what, str) else " -> ".join(what)
            raise ModelError(f"the chance of {name} is {chance}; expected 0 to 1")


def _check_sensors(segment: Segment, known: set[str]) -> None:
    _check_known("sensors", segment.sensors or (), known)
    for what, numbers, most in (
        ("delay", segment.late, MAX_LATE),
        ("may_miss", segment.missing, MAX_MISSING),
    ):
        for host, number in numbers.items():
            if host not in (segment.sensors or ()):
                raise ModelError(f"{what}: there is no sensor at {host}")
            if not 0 <= number <= most:
                raise ModelError(f"the {what} of the sensor at {host} is {number}; expected 0 to {most}")
    for kind in segment.noticed:
        if kind not in TYPES[Player.ADVERSARY]:
            hint = did_you_mean(kind, TYPES[Player.ADVERSARY])
            raise ModelError(f'seen: the adversary has no action "{kind}"{hint}')


def _check_counted(segment: Segment, known: set[str]) -> None:
    """What is said of single hosts, or makes them differ, cannot be said of hosts that are counted."""
    _check_known("counted", tuple(segment.counted), known)
    for name, size in segment.counted.items():
        if size < 1:
            raise ModelError(f"{name} stands for {size} hosts; expected 1 or more")
        taken = next((other for other in (*known, *segment.conduits) if other in _numbers(name)), None)
        if taken is not None:
            raise ModelError(f'"{taken}" is how many of {name} have a status; rename the one or the other')
        remedy = f"leave out alike: yes, so that each of the {size:,} {name} is a host of its own"
        if segment.sensors is not None:
            raise ModelError(f"{name} are counted, so that no sensor can be at one of them; {remedy}")
        for flow in segment.flows:
            if flow.ends is not None and name in flow.ends:
                raise ModelError(
                    f'flow "{flow.name}" takes any path of one of {name}; name the path it takes'
                )


def _numbers(name: str) -> set[str]:
    return {f"{name}_{status}" for status in STATUSES}


def _check_known(where: str, hosts: Sequence[str], known: set[str]) -> None:
    for host in hosts:
        if host not in known:
            raise ModelError(f'{where}: unknown host "{host}"' + did_you_mean(host, known))


# -- segments from Python ---------------------------------------------------------------------------


def segment_of(
    hosts: Sequence[str],
    links: Iterable[Link],
    entry: str | Sequence[str] | None = None,
    reset_probability: Fraction | None = DEFAULT_RESET,
    groups: Mapping[str, Sequence[str]] | None = None,
    *,
    exposed: Sequence[str] = (),
    cannot: Mapping[str, Iterable[str]] | None = None,
    values: Mapping[str, int | Fraction] | None = None,
    actions: Mapping[str, Sequence[str]] | None = None,
    isolate_detected: bool = False,
    conduits: Mapping[str, Iterable[Link]] | None = None,
    tempo: Mapping[str, int] | None = None,
    zones: Mapping[str, Sequence[str]] | None = None,
    filtered: Iterable[Link] = (),
    flows: Mapping[str, str | Sequence[str]] | Sequence[Flow] = (),
    compromised_serves: bool = True,
    flow_dominance: bool = False,
    chance: Mapping[str | Link, float | str | Fraction] | None = None,
    sensors: Sequence[str] | None = None,
    late: Mapping[str, int] | None = None,
    missing: Mapping[str, int] | None = None,
    noticed: Sequence[str] = (),
    counted: Mapping[str, int] | None = None,
    reset_kept: bool = False,
) -> Segment:
    """A segment as a Python program gives it; see :class:`Segment`.

    Raises:
        ModelError: for arguments of the wrong kind, and for parts that do not fit together.
    """
    expect_all(hosts, str, "the hosts", 'a list of names, such as ["GW", "DB"]')
    pairs = _pairs(links)
    named = 'the hosts of each, such as {"servers": ["DB"]}'
    expect(groups or {}, Mapping, "groups", named)
    expect(zones or {}, Mapping, "zones", named)
    entries = _entries(entry, bool(exposed))
    expect_all(exposed, str, "the exposed hosts", "a list of names")
    check_origin(entries, exposed)
    mappings = (("cannot", cannot), ("values", values), ("conduits", conduits), ("tempo", tempo))
    for what, given in (*mappings, ("chance", chance)):
        expect(given or {}, Mapping, what, "a mapping")
    if not entries and reset_probability == DEFAULT_RESET:
        reset_probability = None
    return Segment(
        hosts=tuple(hosts),
        links=pairs,
        entries=entries,
        reset_probability=reset_probability,
        reset_kept=reset_kept,
        groups={**(groups or {}), **(zones or {})},
        exposed=tuple(exposed),
        cannot={host: frozenset(types) for host, types in (cannot or {}).items()},
        values={host: Fraction(value) for host, value in (values or {}).items()},
        actions={Player(side): tuple(types) for side, types in (actions or {}).items()},
        isolate_detected=isolate_detected,
        conduits={name: _pairs(of) for name, of in (conduits or {}).items()},
        tempo={Player(side): turns for side, turns in (tempo or {}).items()},
        zones={name: tuple(of) for name, of in (zones or {}).items()},
        filtered=frozenset(_pairs(filtered)),
        flows=_flows(flows, set(hosts), set(pairs)),
        compromised_serves=compromised_serves,
        flow_dominance=flow_dominance,
        chance={name: _exact(p) for name, p in (chance or {}).items() if isinstance(name, str)},
        link_chance={
            _pair(link): _exact(p) for link, p in (chance or {}).items() if not isinstance(link, str)
        },
        sensors=None if sensors is None else tuple(sensors),
        late=late or {},
        missing=missing or {},
        noticed=tuple(noticed),
        counted=dict(counted or {}),
    )


def _exact(chance: float | str | Fraction) -> Fraction:
    """A probability as it is written: 0.1 is one tenth."""
    expect(chance, (int, float, str, Fraction), "a chance", "a number from 0 to 1")
    try:
        return chance if isinstance(chance, Fraction) else Fraction(str(chance))
    except ValueError:
        raise ModelError(f"the chance {chance!r} is no number; expected one from 0 to 1") from None


def _flows(
    given: Mapping[str, str | Sequence[str]] | Sequence[Flow], hosts: set[str], links: set[Link]
) -> tuple[Flow, ...]:
    """Flows by name, each a path as text or as a list of hosts; or as they are."""
    if not isinstance(given, Mapping):
        expect_all(given, Flow, "the flows", 'paths by name, such as {"shop": "GW -> Web -> DB"}')
        return tuple(given)
    flows: list[Flow] = []
    for name, path in given.items():
        route = tuple(word.strip() for word in path.split("->")) if isinstance(path, str) else tuple(path)
        _check_known(f'flow "{name}"', route, hosts)
        missing = next((pair for pair in pairwise(route) if pair not in links), None)
        if missing is None:
            flows.append(Flow(name, (route,)))
        elif len(route) == 2:
            flows.append(Flow(name, ends=missing))
        else:
            raise ModelError(f'flow "{name}": there is no link {" -> ".join(missing)}')
    return tuple(flows)


def _entries(entry: str | Sequence[str] | None, others: bool) -> tuple[str, ...]:
    if entry is None and others:
        return ()
    if not isinstance(entry, list | tuple):
        expect(entry, str, "the entry", "the name of a host, or a list of names")
        return (str(entry),)
    expect_all(entry, str, "the entries", "names of hosts")
    return tuple(dict.fromkeys(entry))


def _pairs(links: Iterable[Link]) -> tuple[Link, ...]:
    expected = 'a list of pairs of hosts, such as [("GW", "DB")]'
    expect(links, Iterable, "links", expected)
    listed = list(links)
    expect_all(listed, (tuple, list), "the links", expected)
    return tuple(dict.fromkeys(map(_pair, listed)))


def _pair(link: Sequence[str]) -> Link:
    expect_all(link, str, "the hosts of a link", "two names")
    if len(link) != 2:
        raise ModelError(f"the link {link!r} joins {len(link)} hosts; expected two")
    return link[0], link[1]
