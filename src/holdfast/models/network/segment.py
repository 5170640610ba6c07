"""The network defense game M_net (def:ndg, tab:instance).

Each host carries a status: Clean, Compromised (X), Detected, Isolated or Destroyed (Z). The action with
number type·n + host applies one type to one host; all actions are selectable everywhere, and what they do
is a matter of the host's status. ``spread`` needs a link from a compromised or detected host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from holdfast.errors import ModelError, did_you_mean, expect, expect_all, repeated
from holdfast.game import Action, GameStructure, Reset, Rule
from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Expression, Player, Variable
from holdfast.system import ENTRY, Graph, GraphNode, Part, System

STATUSES = ("C", "X", "D", "I", "Z")
INFECTED = ("X", "D")
STATUS_NAMES = {"C": "clean", "X": "compromised", "D": "detected", "I": "isolated", "Z": "destroyed"}
DEFENDER_TYPES = ("noop", "monitor", "isolate", "restore", "fix")
ADVERSARY_TYPES = ("noop", "spread", "destroy")

# tab:instance without the unchanged cells: for each type, the statuses it acts on and the result.
EFFECTS = {
    "monitor": ("X", "D"),
    "isolate": ("CXD", "I"),
    "restore": ("I", "C"),
    "fix": ("Z", "C"),
    "spread": ("C", "X"),
    "destroy": ("XD", "Z"),
}

Link = tuple[str, str]

TONES = {"C": "good", "X": "bad", "D": "watched", "I": "apart", "Z": "gone"}
DEFAULT_RESET = Fraction(1, 10)


@dataclass(frozen=True)
class Segment:
    """A network segment.

    Attributes:
        hosts: names, in the order of the host index.
        links: directed pairs along which compromise can spread, each once.
        entry: the host that is compromised at the start.
        reset_probability: chance of a new engagement in each all-clean state; None for no resets.
        groups: named sets of hosts, for ``count`` in specifications.

    Raises:
        ModelError: for unknown, repeated or self-linked hosts.
    """

    hosts: tuple[str, ...]
    links: tuple[Link, ...]
    entry: str
    reset_probability: Fraction | None = DEFAULT_RESET
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        expect(self.entry, str, "the entry", "the name of a host")
        if not self.hosts:
            raise ModelError("a network needs at least one host")
        if (twice := repeated(self.hosts)) is not None:
            raise ModelError(f'host "{twice}" is listed twice')
        known = set(self.hosts)
        for source, target in self.links:
            _check_known(f"link {source} -> {target}", (source, target), known)
            if source == target:
                raise ModelError(f"link {source} -> {target} joins a host to itself; remove it")
        if self.entry not in known:
            raise ModelError(f'the entry "{self.entry}" is not a host' + did_you_mean(self.entry, known))
        for name, of in self.groups.items():
            expect_all(of, str, f'the hosts of the group "{name}"', "a list of names")
            _check_known(f'group "{name}"', of, known)


def _check_known(where: str, hosts: Sequence[str], known: set[str]) -> None:
    for host in hosts:
        if host not in known:
            raise ModelError(f'{where}: unknown host "{host}"' + did_you_mean(host, known))


def network_game(
    hosts: Sequence[str],
    links: Iterable[Link],
    entry: str,
    reset_probability: Fraction | None = DEFAULT_RESET,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> GameStructure:
    """The network defense game on a segment; for the arguments see :class:`Segment`.

    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> game.n_valuations, len(game.actions[Player.DEFENDER]), len(game.actions[Player.ADVERSARY])
    (25, 10, 6)

    Raises:
        ModelError: for unknown, repeated or self-linked hosts.
    """
    return network_system(hosts, links, entry, reset_probability, groups).game


def network_system(
    hosts: Sequence[str],
    links: Iterable[Link],
    entry: str,
    reset_probability: Fraction | None = DEFAULT_RESET,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> System:
    """The same with its links as parts and its picture, for explanations and reports.

    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW")
    >>> [part.name for part in system.parts], system.without(system.parts).graph.arrows
    (['GW -> DB'], ())
    """
    expect_all(hosts, str, "the hosts", 'a list of names, such as ["GW", "DB"]')
    expected = 'a list of pairs of hosts, such as [("GW", "DB")]'
    expect(links, Iterable, "links", expected)
    listed = list(links)
    expect_all(listed, (tuple, list), "the links", expected)
    expect(groups or {}, Mapping, "groups", 'the hosts of each group, such as {"servers": ["DB"]}')
    pairs = dict.fromkeys(map(_pair, listed))
    return system_of(Segment(tuple(hosts), tuple(pairs), entry, reset_probability, groups or {}))


def _pair(link: Sequence[str]) -> Link:
    expect_all(link, str, "the hosts of a link", "two names")
    if len(link) != 2:
        raise ModelError(f"the link {link!r} joins {len(link)} hosts; expected two")
    return link[0], link[1]


def system_of(segment: Segment) -> System:
    """The system of a segment."""
    parts = {Part("link", " -> ".join(link)): link for link in segment.links}

    def rebuild(taken: frozenset[Part]) -> System:
        cut = {parts[part] for part in taken}
        return system_of(replace(segment, links=tuple(link for link in segment.links if link not in cut)))

    nodes = (GraphNode(host, host, (ENTRY,) if host == segment.entry else ()) for host in segment.hosts)
    graph = Graph(
        tuple(nodes), segment.links, "host", "link", TONES, frozenset(INFECTED), open_to=frozenset("C")
    )
    return System(_game(segment), "network", STATUS_NAMES, tuple(parts), graph, rebuild=rebuild)


def _game(segment: Segment) -> GameStructure:
    status = {host: Variable(host, STATUSES) for host in segment.hosts}
    sources: dict[str, list[str]] = {host: [] for host in segment.hosts}
    for source, target in segment.links:
        sources[target].append(source)
    variables = tuple(status.values())

    def action(kind: str, host: str) -> Action:
        name = f"{kind}({host})"
        if kind == "noop":
            return Action(name)
        before, after = EFFECTS[kind]
        guard: Expression = ex.Member(status[host], tuple(before))
        if kind == "spread":
            near = ex.disjunction(tuple(ex.Member(status[source], INFECTED) for source in sources[host]))
            guard = ex.conjunction((guard, near))
        return Action(name, (Rule(guard, ((status[host], ex.Symbol(after)),)),))

    all_clean = tuple(ex.Member(v, ("C",)) for v in variables)
    clean = ex.Count(all_clean)
    active = ex.Count(tuple(ex.Member(v, ("C", "X", "D")) for v in variables))
    reset = None
    if segment.reset_probability is not None:
        again = ((status[segment.entry], ex.Symbol("X")),)
        reset = Reset(ex.conjunction(all_clean), segment.reset_probability, again)
    return GameStructure(
        variables=variables,
        initial=tuple(STATUSES.index("X" if host == segment.entry else "C") for host in segment.hosts),
        first=Player.ADVERSARY,
        actions={
            Player.DEFENDER: tuple(action(kind, host) for kind in DEFENDER_TYPES for host in segment.hosts),
            Player.ADVERSARY: tuple(action(kind, host) for kind in ADVERSARY_TYPES for host in segment.hosts),
        },
        dominance=ex.Arithmetic("/", ex.Defined("clean", clean), ex.Number(Fraction(len(segment.hosts)))),
        definitions={"active": active, "clean": clean},
        reset=reset,
        groups={name: tuple(status[host] for host in of) for name, of in segment.groups.items()},
    )
