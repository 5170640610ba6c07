"""The network defense game M_net (def:ndg, tab:instance) of a segment, and the system around it.

Each host carries a status: Clean, Compromised (X), Detected, Isolated or Destroyed (Z). The action with
number type·n + host applies one type to one host; all actions are selectable everywhere, and what they do
is a matter of the host's status. ``spread`` needs a link from a compromised or detected host.

What a segment may have beyond the paper changes the game as follows. A type that a host ``cannot`` is left
out of the list of actions, and so is one that its side does not have. ``spread`` to an *exposed* host needs
no link. A *conduit* is a variable, open or blocked, with the actions ``block`` and ``unblock``; ``spread``
uses a link only while all conduits of the link are open. With ``isolate: detected``, isolating a compromised
host does nothing until it has been detected. μ weighs hosts by their value. A *tempo* is one more clause of
φ_D or φ_A. A reset leads to the initial state. A *filtered* link carries no spread. *Flows* add the
predicates ``flow(name)`` and the quantity ``flows_up`` (:mod:`holdfast.models.network.flows`), and nothing to
the moves. With a *chance* an action may fail and then changes nothing; ``spread`` takes the likeliest of the
links that are open to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from holdfast.game import (
    ENTRY,
    EXPOSED,
    HARDENED,
    IN_TURN,
    WATCHED,
    Action,
    Addition,
    Clause,
    DrawnRule,
    GameStructure,
    Graph,
    GraphNode,
    Part,
    Premise,
    Reset,
    Rule,
    State,
    System,
    Weakening,
    clause,
    drawn_actions,
    listed,
)
from holdfast.logic import Assignments, Expression, Player, Tally, Variable, expressions as ex
from holdfast.models.network import sensors
from holdfast.models.network.additions import INFECTED, possible_additions, with_additions
from holdfast.models.network.alike_hosts import alike_hosts, counted_hosts, single_hosts
from holdfast.models.network.flows import flow_definitions, flow_share, weighted_share
from holdfast.models.network.host_groups import (
    counted_actions,
    initial_codes,
    tallies_of,
    valued_share,
    with_counted,
)
from holdfast.models.network.parts import (
    blind_spots,
    carriers,
    delays,
    named_singly,
    openings,
    removable,
    weak_hosts,
    without,
    written,
)
from holdfast.models.network.segment import (
    BLOCKED,
    BLOCKING,
    DEFAULT_RESET,
    HOST_TYPES,
    NOOP,
    OPEN,
    STATUS_NAMES,
    STATUSES,
    Link,
    Segment,
    segment_of,
)

# tab:instance without the unchanged cells: for each type, the statuses it acts on and the result.
EFFECTS = {
    "monitor": ("X", "D"),
    "isolate": ("CXD", "I"),
    "restore": ("I", "C"),
    "fix": ("Z", "C"),
    "spread": ("C", "X"),
    "destroy": ("XD", "Z"),
}
ISOLATE_DETECTED = ("CD", "I")

TONES = {"C": "good", "X": "bad", "D": "watched", "I": "apart", "Z": "gone"}


def network_game(
    hosts: Sequence[str],
    links: Iterable[Link],
    entry: str | Sequence[str] | None = None,
    reset_probability: Fraction | None = DEFAULT_RESET,
    groups: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> GameStructure:
    """The network defense game on a segment, without the clauses of a tempo.

    Args:
        hosts: names, in the order of the host index.
        links: directed pairs along which compromise can spread.
        entry: the host, or the hosts, compromised at the start.
        reset_probability: chance of a new engagement in each all-clean state; None for no resets.
        groups: named sets of hosts.
        options: ``exposed``, ``cannot``, ``values``, ``actions``, ``isolate_detected``, ``conduits``,
            ``tempo``, ``zones``, ``filtered``, ``flows``, ``compromised_serves``, ``flow_dominance``,
            ``chance``, ``counted``; see :class:`~holdfast.models.network.segment.Segment`.

    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> game.n_valuations, len(game.actions[Player.DEFENDER]), len(game.actions[Player.ADVERSARY])
    (25, 10, 6)

    Raises:
        ModelError: for unknown, repeated or self-linked hosts.
    """
    return network_system(hosts, links, entry, reset_probability, groups, **options).game


def network_system(
    hosts: Sequence[str],
    links: Iterable[Link],
    entry: str | Sequence[str] | None = None,
    reset_probability: Fraction | None = DEFAULT_RESET,
    groups: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> System:
    """The network's system: its game with its links as parts and its picture, for explanations and reports.

    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW")
    >>> [part.name for part in system.parts], system.without(system.parts).graph.arrows
    (['GW -> DB'], ())
    """
    return system_of(segment_of(hosts, links, entry, reset_probability, groups, **options))


def system_of(segment: Segment) -> System:
    """The system of a segment."""
    game = _game(segment)
    requirement, boundary = (_tempo(segment, player, game) for player in Player)
    late = (sensors.recalled(segment, host, game.vocabulary) for host in segment.hosts if segment.late)
    requirement += tuple(memory.clause for memory in late if memory is not None)
    return System(
        game,
        "network",
        STATUS_NAMES,
        parts=tuple(removable(segment)),
        hardenable=(*weak_hosts(segment), *carriers(segment)),
        upgrades=(*openings(segment), *delays(segment), *blind_spots(segment)),
        graph=_graph(segment),
        requirement=requirement,
        boundary=boundary,
        goals=_goals(segment),
        sight=None if segment.counted else sensors.sight_of(segment, game.vocabulary),
        premises=tuple(_premises(segment)),
        defender_tempo=segment.tempo.get(Player.DEFENDER, 1),
        weakenings=_weakenings(segment),
        starts=_HostStarts(segment),
        started=partial(_initial, segment),
        rebuild=partial(_rebuilt, segment),
        redraw=partial(_redrawn, segment),
        written=partial(written, segment),
        additions=partial(possible_additions, segment),
        extend=partial(_extended, segment),
        alike=partial(alike_hosts, segment),
        count=partial(_counted, segment),
        write_out=partial(_written_out, segment),
    )


def _rebuilt(segment: Segment, taken: frozenset[Part]) -> System:
    """The system without some parts."""
    return system_of(without(segment, taken))


def _redrawn(segment: Segment, taken: frozenset[Part]) -> Graph:
    """The picture without some parts; no game is made for it."""
    return _graph(without(segment, taken))


def _extended(segment: Segment, chosen: frozenset[Addition]) -> System:
    """The system with some additions."""
    return system_of(with_additions(segment, chosen))


def _counted(segment: Segment, classes: tuple[tuple[str, ...], ...]) -> System:
    """The system with some classes of alike hosts counted; files are written with names that they know."""
    counted = counted_hosts(segment, classes)
    return replace(system_of(counted), written=partial(_written_singly, segment, counted, classes))


def _written_singly(
    segment: Segment, counted: Segment, classes: tuple[tuple[str, ...], ...], taken: frozenset[Part]
) -> dict[str, Any]:
    """What a variant says, by the names of single hosts where the file has none for all of them."""
    new = [name for name in counted.counted if name not in segment.counted]
    members = {name: own for name, own in zip(new, classes, strict=True) if name not in segment.groups}
    return named_singly(written(counted, taken), members)


def _written_out(segment: Segment) -> System:
    """The system with every counted host written out."""
    return system_of(single_hosts(segment))


EVICTED, RECOVERED = "evicted", "recovered"


def _goals(segment: Segment) -> dict[str, Expression]:
    """What a defender wants to get back to: no foothold is left; every host is clean."""
    hosts = [Variable(host, STATUSES) for host in segment.single]
    apart = tuple(status for status in STATUSES if status not in INFECTED)
    tallies = tallies_of(segment).values()
    return {
        EVICTED: ex.conjunction(
            (*(ex.Member(h, apart) for h in hosts), *(t.none(INFECTED) for t in tallies))
        ),
        RECOVERED: ex.conjunction(
            (*(ex.Member(h, ("C",)) for h in hosts), *(t.none(STATUSES[1:]) for t in tallies))
        ),
    }


def _weakenings(segment: Segment) -> dict[str, Weakening]:
    """Detection before isolation, where somebody can isolate; without ``noop`` it could even help."""
    types = segment.types(Player.DEFENDER)
    can = any("isolate" not in segment.cannot.get(host, ()) for host in segment.hosts)
    if "isolate" not in types or NOOP not in types or not can:
        return {}
    weaker = partial(system_of, replace(segment, isolate_detected=True))
    words = "a compromise must be detected before it can be isolated"
    return {"detect-first": Weakening(words, None if segment.isolate_detected else weaker)}


def _premises(segment: Segment) -> Iterator[Premise]:
    """What is taken for granted about this segment."""
    if segment.sensors is not None:
        words = "no compromise is visible by itself: a compromised host looks clean"
        if segment.sensors:
            words = f"a compromise is seen at {listed(segment.sensors)}; elsewhere it looks like a clean host"
        yield Premise(words, "network.sensors")
    if "isolate" in segment.types(Player.DEFENDER):
        known = segment.sensors is None
        if segment.isolate_detected and known:
            words = "every compromise is known at once, and must be monitored before that host is isolated"
            yield Premise(words, "network.sensors")
        if segment.isolate_detected:
            yield Premise("monitoring a host always reveals a compromise", "network.defender")
        elif known:
            yield Premise("every compromise is seen at once and can be isolated", "network.defender: staffed")
        else:
            yield Premise("a host can be isolated on suspicion", "network.defender: staffed")
        yield Premise("isolating a host costs only its service")
    paces = {side: k for side, k in segment.tempo.items() if k > 1}
    if paces:
        text = listed([f"the {side} acts once in {k} turns" for side, k in paces.items()])
        yield Premise(f"both sides move in turn, and {text}", "network.tempo")
    else:
        yield replace(IN_TURN, option="network.tempo")
    if segment.chance or segment.link_chance:
        yield Premise("attacks that may succeed are assumed to succeed, and take one move", "network.chance")
    else:
        yield Premise("exploits always succeed, and take one move", "network.chance")
    if not segment.exposed:
        yield Premise("the attacker can get in only at the entry", "network.exposed")


# -- picture ----------------------------------------------------------------------------------------


def _graph(segment: Segment) -> Graph:
    """Hosts and links; marks tell where the adversary comes from, cannot go, and is seen."""
    proof = set(segment.hosts) - set(weak_hosts(segment).values())
    marked = (
        (ENTRY, segment.entries),
        (EXPOSED, segment.exposed),
        (HARDENED, proof),
        (WATCHED, segment.sensors or ()),
    )
    marks = {host: tuple(mark for mark, of in marked if host in of) for host in segment.hosts}
    gates = {
        link: tuple((name, BLOCKED) for name in segment.gates[link])
        for link in segment.links
        if link in segment.gates
    }
    return Graph(
        tuple(GraphNode(host, host, marks[host]) for host in segment.hosts),
        segment.links,
        "host",
        "link",
        TONES,
        frozenset(INFECTED),
        open_to=frozenset("C"),
        zones={name: tuple(of) for name, of in segment.zones.items()},
        groups={name: tuple(of) for name, of in segment.alike.items()},
        gates=gates,
        labels=dict.fromkeys((link for link in segment.links if link in segment.filtered), "filter"),
        flows=segment.flows,
        filtered=frozenset(link for link in segment.links if link in segment.filtered),
        captions={host: f"{size:,} × {host}" for host, size in segment.counted.items()},
    )


# -- game -------------------------------------------------------------------------------------------


def _initial(segment: Segment, entries: Iterable[str]) -> State:
    """The state in which some hosts are compromised, all others are clean, and every conduit is open.

    Of a counted group that is an entry all are compromised, of another one a single host.
    """
    held = set(entries)
    hosts = (STATUSES.index("X" if host in held else "C") for host in segment.single)
    counters = (
        code
        for host, size in segment.counted.items()
        for code in initial_codes(size, "X", size if host in segment.entries else 1 if host in held else 0)
    )
    return (*hosts, *counters, *(0 for _ in segment.conduits), *sensors.start(segment))


@dataclass(frozen=True)
class _HostStarts(Mapping[str, State]):
    """For each host the state in which it alone is compromised, made when it is asked for."""

    segment: Segment

    def __getitem__(self, host: str) -> State:
        if host not in self.segment.hosts:
            raise KeyError(host)
        return _initial(self.segment, (host,))

    def __iter__(self) -> Iterator[str]:
        return iter(self.segment.hosts)

    def __len__(self) -> int:
        return len(self.segment.hosts)


def _game(segment: Segment) -> GameStructure:
    status = {host: Variable(host, STATUSES) for host in segment.single}
    tallies = tallies_of(segment)
    counters = tuple(counter for tally in tallies.values() for counter in tally.counters)
    gate = {name: Variable(name, (OPEN, BLOCKED)) for name in segment.conduits}
    hosts = tuple(status.values())
    all_clean = tuple(ex.Member(v, ("C",)) for v in hosts)
    clean: Expression = ex.Count(all_clean, "" if tallies else "* in {C}")
    in_service = tuple(ex.Member(v, ("C", "X", "D")) for v in hosts)
    active: Expression = ex.Count(in_service, "" if tallies else "* in {C, X, D}")
    if tallies:
        clean = with_counted(clean if hosts else None, tallies.values(), ("C",))
        active = with_counted(active if hosts else None, tallies.values(), ("C", "X", "D"))
    flows = flow_definitions(segment, status, gate, tallies)
    reset = None
    if segment.reset_probability is not None:
        again: list[tuple[Variable, Expression]] = []
        again += [(status[host], ex.Symbol("X")) for host in segment.entries if host in status]
        for tally in (tallies[host] for host in segment.entries if host in tallies):
            again += [(tally.counter("C"), ex.Number(Fraction(0)))]
            again += [(tally.counter("X"), ex.Number(Fraction(tally.size)))]
        again += [(variable, ex.Symbol(OPEN)) for variable in gate.values()]
        again += sensors.renewed(segment)
        fresh = ex.conjunction((*all_clean, *(t.none(STATUSES[1:]) for t in tallies.values())))
        reset = Reset(fresh, segment.reset_probability, tuple(again), segment.reset_kept)
    actions = {player: tuple(_host_actions(segment, player, status, gate, tallies)) for player in Player}
    actions[Player.DEFENDER] += tuple(_blocking_actions(segment, gate))
    return GameStructure(
        variables=(*hosts, *counters, *gate.values(), *sensors.memory(segment)),
        initial=_initial(segment, segment.entries),
        first=Player.ADVERSARY,
        actions=actions,
        dominance=flow_share(segment, flows)
        if segment.flow_dominance
        else _dominance(segment, status, clean, tallies),
        definitions={"active": active, "clean": clean, **flows},
        reset=reset,
        groups={name: tuple(status[h] for h in of if h in status) for name, of in segment.groups.items()},
        tallies=tuple(tallies.values()),
    )


def _host_actions(
    segment: Segment,
    player: Player,
    status: Mapping[str, Variable],
    gate: Mapping[str, Variable],
    tallies: Mapping[str, Tally],
) -> Iterable[Action]:
    """The actions of a side on hosts, type by type."""
    into: dict[str, dict[Fraction, list[Expression]]] = {host: {} for host in segment.hosts}
    spreading = (link for link in segment.links if link not in segment.filtered)
    for link in spreading if player is Player.ADVERSARY else ():
        passable = (ex.Member(gate[name], (OPEN,)) for name in segment.gates.get(link, ()))
        source = link[0]
        near = tallies[source].some(INFECTED) if source in tallies else ex.Member(status[source], INFECTED)
        reached = ex.conjunction((near, *passable))
        chance = segment.link_chance.get(link, segment.chance_of("spread", link[1]))
        into[link[1]].setdefault(chance, []).append(reached)
    effects = EFFECTS | ({"isolate": ISOLATE_DETECTED} if segment.isolate_detected else {})
    for kind in segment.types(player):
        for host in segment.hosts if kind in HOST_TYPES[player] else ():
            name = f"{kind}({host})"
            if kind in segment.cannot.get(host, ()):
                continue
            still = kind == NOOP or (kind == "spread" and host in segment.hardened)
            if host in tallies:
                ways: Mapping[Fraction, Expression] = {segment.chance_of(kind, host): ex.TRUE}
                if kind == "spread":
                    ways = _ways_in(segment, host, ex.TRUE, into[host])
                yield from counted_actions(kind, tallies[host], None if still else effects[kind], ways)
                continue
            if still:
                yield Action(name)
                continue
            before, after = effects[kind]
            here: Expression = ex.Member(status[host], tuple(before))
            guards = {segment.chance_of(kind, host): here}
            if kind == "spread":
                guards = _ways_in(segment, host, here, into[host])
            for action in _attempts(name, guards, ((status[host], ex.Symbol(after)),)):
                yield from sensors.told_apart(segment, action)


def _ways_in(
    segment: Segment, host: str, here: Expression, into: Mapping[Fraction, list[Expression]]
) -> dict[Fraction, Expression]:
    """When something can spread to a host, by how likely it succeeds; likelier ways first."""
    usual = segment.chance_of("spread", host)
    if host in segment.exposed:
        likelier = {chance: links for chance, links in into.items() if chance > usual}
        guards = {p: ex.conjunction((here, ex.disjunction(tuple(links)))) for p, links in likelier.items()}
        return dict(sorted(guards.items(), reverse=True)) | {usual: here}
    ways = dict(sorted(into.items(), reverse=True)) or {usual: []}
    return {p: ex.conjunction((here, ex.disjunction(tuple(links)))) for p, links in ways.items()}


def _attempts(name: str, guards: Mapping[Fraction, Expression], assign: Assignments) -> Iterable[Action]:
    """An action that does something where a guard holds, with the probability of the first that does."""
    if set(guards) == {Fraction(1)}:
        return (Action(name, (Rule(guards[Fraction(1)], assign),)),)
    return drawn_actions(name, [DrawnRule(guard, ((p, assign),)) for p, guard in guards.items()])


def _blocking_actions(segment: Segment, gate: Mapping[str, Variable]) -> Iterable[Action]:
    allowed = segment.types(Player.DEFENDER)
    for kind, before, after in zip(BLOCKING, (OPEN, BLOCKED), (BLOCKED, OPEN), strict=True):
        for name, variable in gate.items() if kind in allowed else ():
            guard = {segment.chance_of(kind, name): ex.Member(variable, (before,))}
            yield from _attempts(f"{kind}({name})", guard, ((variable, ex.Symbol(after)),))


def _dominance(
    segment: Segment, status: Mapping[str, Variable], clean: Expression, tallies: Mapping[str, Tally]
) -> Expression:
    """μ: the value of the clean hosts as a share of the value of all."""
    values = [segment.values.get(host, Fraction(1)) for host in segment.hosts]
    if set(values) == {Fraction(1)}:
        return ex.Arithmetic("/", ex.Defined("clean", clean), ex.Number(Fraction(segment.n_hosts)))
    valued = [(ex.Member(v, ("C",)), segment.values.get(host, Fraction(1))) for host, v in status.items()]
    if not tallies:
        return weighted_share(valued)
    return valued_share(valued, [(t, segment.values.get(host, Fraction(1))) for host, t in tallies.items()])


def _tempo(segment: Segment, player: Player, game: GameStructure) -> tuple[Clause, ...]:
    """The clause of a side that acts at most once in k turns: after an action its next k − 1 turns are idle.

    Turns alternate, so the turn before is two moments ago.
    """
    turns = segment.tempo.get(player, 1)
    names = dict.fromkeys(action.type for action in game.actions[player])
    acts = " | ".join(f"{player}.{kind}" for kind in names if kind != NOOP)
    if turns == 1 or not acts:
        return ()
    before = f"Y Y ({acts})"
    for _ in range(turns - 2):
        before = f"Y Y ({acts} | {before})"
    paced = clause(f"G ({acts} -> !{before})", game.vocabulary)
    return (replace(paced, label=f"the {player} acts at most once in {turns} turns"),)
