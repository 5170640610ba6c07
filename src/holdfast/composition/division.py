"""A configuration divided into zones: which variable, action and clause belongs to which.

*Variables.* A zone has the variables of its nodes. Any other variable, such as a switch, belongs to the zone
that its readers write in: the one whose actions depend on it. Where these are several zones, they are taken
as one.

*Actions.* An action belongs to the zone that it writes in or, if it never writes, to that of the node that it
is named after. One that writes in several zones makes them one.

*Clauses.* G (p & q) asks for G p and for G q, and a conjunction for each of its parts: these are *demands*. A
demand about one zone belongs to it. G (count ≤ n) over several zones is *counted*: each zone gets an
allowance, and the allowances add up to n at most. Any other demand about several zones can still be *taken
over* by a single one, which then meets it alone (a ∨ b holds if a does). What nobody can take over, such
as an automaton written out that reads several zones, makes them one.

What stands in the way of dividing at all is an :class:`~holdfast.errors.InputError` that says what, where and
what to do instead.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.composition.counting import at_most, opened
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Action, Clause, Configuration
from holdfast.logic import (
    And,
    Compare,
    Defined,
    Did,
    Expression,
    Move,
    Not,
    Number,
    Player,
    Temporal,
    Variable,
    expressions as ex,
    variables_of,
    walk,
)

OTHERS = "others"
"""The zone of the nodes that are in none."""


@dataclass(frozen=True)
class ZoneDemand:
    """Something that a clause of φ_D asks for by itself.

    Attributes:
        clause: its number in φ_D.
        formula: what is asked; None for an automaton that was written out.
        zones: the zones that it reads, by number, in order.
    """

    clause: int
    formula: Expression | None
    zones: tuple[int, ...]


@dataclass(frozen=True)
class JointCount:
    """A demand G (count ≤ limit) over several zones; for each zone what is counted in it: predicates, and
    counters of alike things.
    """

    limit: int
    items: Mapping[int, tuple[Expression, ...]]


@dataclass(frozen=True)
class Spending:
    """Moves of the adversary that it may make so often in all."""

    moves: frozenset[Move]
    most: int


@dataclass(frozen=True)
class Zone:
    """A part of the system that is solved by itself.

    Attributes:
        names: what it is called; several where zones were taken as one.
        nodes: its nodes, in the order of the whole.
        variables: the names of its variables, in the order of the whole.
        actions: the numbers of its actions in the whole, for each player.
    """

    names: tuple[str, ...]
    nodes: tuple[str, ...]
    variables: tuple[str, ...]
    actions: Mapping[Player, tuple[int, ...]]

    @property
    def name(self) -> str:
        """Its name, or the names of those that it was made of."""
        return " + ".join(self.names)


@dataclass(frozen=True)
class Division:
    """A configuration with its zones, and what follows from them."""

    configuration: Configuration
    zones: tuple[Zone, ...]
    joined: Mapping[tuple[str, ...], str]
    """Zones that had to be taken as one, by their names, and why."""
    compiled: dict[Hashable, Clause] = field(default_factory=dict, compare=False, repr=False)
    """Clauses of zones by all that decides them; :mod:`.zone_game` keeps them here, for terms are many."""

    @cached_property
    def owner(self) -> dict[str, int]:
        """The zone of each variable."""
        return {name: i for i, zone in enumerate(self.zones) for name in zone.variables}

    @cached_property
    def home(self) -> dict[str, int]:
        """The zone of each node."""
        return {node: i for i, zone in enumerate(self.zones) for node in zone.nodes}

    def size(self, zone: Zone) -> int:
        """How many nodes a zone has, one for each of those that are counted."""
        counted = {tally.name: tally.size for tally in self.configuration.game.tallies}
        return sum(counted.get(node, 1) for node in zone.nodes)

    @cached_property
    def mover(self) -> dict[Move, int]:
        """The zone of each move."""
        actions = self.configuration.game.actions
        return {
            (player, actions[player][number].choice): i
            for i, zone in enumerate(self.zones)
            for player in Player
            for number in zone.actions[player]
        }

    @cached_property
    def demands(self) -> tuple[ZoneDemand, ...]:
        """All that φ_D asks for."""
        found = []
        for number, clause in enumerate(self.configuration.clauses(Player.DEFENDER)):
            parts = [None] if clause.formula is None else conjuncts(clause.formula)
            for part in parts:
                read = clause.automaton.atoms if part is None else (part,)
                found.append(ZoneDemand(number, part, self.zones_of(read)))
        return tuple(found)

    @cached_property
    def tallies(self) -> dict[int, JointCount]:
        """The demands that are counts over several zones, by their number."""
        found = {}
        for number, demand in enumerate(self.demands):
            if len(demand.zones) > 1 and (tally := self._tally(demand)) is not None:
                found[number] = tally
        return found

    @cached_property
    def local(self) -> tuple[tuple[int, ...], ...]:
        """For each zone the numbers of the demands about it alone."""
        found: list[list[int]] = [[] for _ in self.zones]
        for number, demand in enumerate(self.demands):
            if len(demand.zones) <= 1:
                found[demand.zones[0] if demand.zones else 0].append(number)
        return tuple(map(tuple, found))

    @cached_property
    def shared(self) -> tuple[int, ...]:
        """The numbers of the demands about several zones that are no counts."""
        return tuple(
            number
            for number, demand in enumerate(self.demands)
            if len(demand.zones) > 1 and number not in self.tallies
        )

    @cached_property
    def boundary_zones(self) -> tuple[frozenset[int], ...]:
        """For each clause of φ_A the zones that it is about."""
        return tuple(
            frozenset(self.zones_of((clause.formula,) if clause.formula else clause.automaton.atoms))
            for clause in self.configuration.clauses(Player.ADVERSARY)
        )

    @cached_property
    def boundary_moves(self) -> tuple[Did, ...]:
        """The moves that clauses of φ_A read."""
        return tuple(
            part
            for clause in self.configuration.clauses(Player.ADVERSARY)
            for atom in clause.automaton.atoms
            for part in walk(atom)
            if isinstance(part, Did)
        )

    @cached_property
    def spending(self) -> Spending | None:
        """What φ_A lets the adversary do in several zones only so often in all; the first such clause."""
        for clause, zones in zip(
            self.configuration.clauses(Player.ADVERSARY), self.boundary_zones, strict=True
        ):
            match clause.formula:
                case Temporal("G", (Compare(op, ex.Times(Did(_, moves)), Number(limit)),), None):
                    most = limit.numerator // limit.denominator - (op == "<" and limit.denominator == 1)
                    if len(zones) > 1 and op in ("<", "<=") and most >= 0:
                        return Spending(moves, most)
        return None

    def zones_of(self, read: Iterable[Expression]) -> tuple[int, ...]:
        """The zones that expressions are about."""
        zones = set[int]()
        for expression in read:
            zones |= {self.owner[v.name] for v in variables_of(expression)}
            for part in walk(expression):
                if isinstance(part, Did):
                    zones |= {self.mover[move] for move in part.moves}
        return tuple(sorted(zones))

    def _tally(self, demand: ZoneDemand) -> JointCount | None:
        match demand.formula:
            case Temporal("G", (inside,), None):
                counted = at_most(inside, self.configuration.game.tallies)
            case _:
                return None
        if counted is None:
            return None
        items: dict[int, list[Expression]] = {}
        for item in counted[0]:
            zones = self.zones_of((item,))
            if len(zones) != 1:
                return None
            items.setdefault(zones[0], []).append(item)
        return JointCount(counted[1], {zone: tuple(of) for zone, of in sorted(items.items())})


def conjuncts(formula: Expression) -> list[Expression]:
    """What a formula asks for, one by one: conjunctions are taken apart, under G too.

    >>> from holdfast.logic import Vocabulary, Variable, parse_formula
    >>> names = Vocabulary((Variable("a", range(3)), Variable("b", range(3))))
    >>> [str(part) for part in conjuncts(parse_formula("G (a < 2 & !(b = 1 | a = 1))", names))]
    ['G (a < 2)', 'G !(b = 1)', 'G !(a = 1)']
    """
    match formula:
        case Defined(_, body) if isinstance(opened(body), And | Defined | ex.Or | Not):
            parts = conjuncts(body)
            return parts if len(parts) > 1 else [formula]
        case And(args):
            return [part for arg in args for part in conjuncts(arg)]
        case Not(of) if isinstance(inner := opened(of), ex.Or):
            return [part for arg in inner.args for part in conjuncts(ex.negation(arg))]
        case Temporal("G", (of,), None):
            return [Temporal("G", (part,)) for part in conjuncts(of)]
    return [formula]


Partition = Mapping[tuple[str, ...], Sequence[str]]
"""The nodes of each zone, by its names: one, or several where zones were taken as one."""


def declared_zones(configuration: Configuration) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The zones of the picture, the nodes outside of them as one more; empty where there are none."""
    graph = configuration.system.graph
    if graph is None or not graph.zones:
        return {}
    zones = {name: tuple(of) for name, of in graph.zones.items() if of}
    inside = {node for of in zones.values() for node in of}
    outside = tuple(name for name in graph.names if name not in inside)
    if outside:
        name = OTHERS
        while name in zones:
            name += "'"
        zones[name] = outside
    return {(name,): of for name, of in zones.items()}


def divide(configuration: Configuration, partition: Partition) -> Division:
    """A configuration divided by a partition of its nodes.

    Zones that cannot be told apart are taken as one, which :attr:`Division.joined` says.

    Raises:
        InputError: for what cannot be divided at all.
    """
    refuse_indivisible(configuration)
    graph = configuration.system.graph
    assert graph is not None, "refused before"
    variable_of = {node.name: node.variable for node in graph.nodes}
    _refuse_partition(partition, variable_of, graph.noun)
    names = [of[0] for of in partition]
    home = {variable_of[node]: i for i, of in enumerate(partition.values()) for node in of}
    for tally in configuration.game.tallies:  # what is counted is one node, with a variable for each value
        home |= dict.fromkeys((counter.name for counter in tally.counters), home[tally.name])
    union = _Unions(len(names))
    _settle_variables(configuration, home, union)
    actions = _settle_actions(configuration, home, variable_of, union)
    while True:
        division = _built(configuration, partition, home, actions, union)
        before = len(division.zones)
        for demand in division.demands:
            if len(demand.zones) > 1 and demand.formula is None:
                clause = configuration.clauses(Player.DEFENDER)[demand.clause]
                first, *rest = (division.zones[i].names[0] for i in demand.zones)
                for other in rest:
                    union.join(names.index(first), names.index(other), _automaton_says(clause))
        if len({union.root(i) for i in range(len(names))}) == before:
            return division


def _refuse_partition(partition: Partition, known: Collection[str], noun: str) -> None:
    """Refuse zones that are not made of the nodes there are, each once."""
    owner = dict[str, str]()
    for names, nodes in partition.items():
        for node in nodes:
            zone = " + ".join(names)
            if node not in known:
                hint = did_you_mean(node, known)
                raise InputError(f'the zone "{zone}" has "{node}", which is no {noun} of this system{hint}')
            if node in owner:
                raise InputError(f'{node} is in two zones, "{owner[node]}" and "{zone}"; put it in one')
            owner[node] = zone
    missing = [node for node in known if node not in owner]
    if missing:
        raise InputError(f"{missing[0]} is in no zone; every {noun} has to be in one")


def _automaton_says(clause: Clause) -> str:
    where = f" ({clause.place})" if clause.place else ""
    return f'the automaton "{clause.label}"{where} reads them all; a formula could be divided'


def refuse_indivisible(configuration: Configuration) -> None:
    """Refuse what cannot be answered for zone by zone.

    Raises:
        InputError: saying what stands in the way, and what to do instead.
    """
    game, system = configuration.game, configuration.system
    if game.tables is not None or system.graph is None:
        raise InputError("this system has no zones: only one with a picture of nodes can be divided")
    if game.first is not Player.ADVERSARY:
        raise InputError("the defender moves first, so no zone can answer for itself; check it as a whole")
    if system.sight is not None and system.sight.placed is not None:
        raise InputError(
            "with sensors, what is seen in one zone tells of others, which is not divided; leave out "
            "sensors: to ask about a defender who sees everything, or check it as a whole"
        )


def _settle_variables(configuration: Configuration, home: dict[str, int], union: _Unions) -> None:
    """Give every variable that is no node's a zone: that of what depends on it."""
    game = configuration.game
    rest = [v.name for v in game.variables if v.name not in home]
    readers: dict[str, dict[int, None]] = {name: {} for name in rest}
    for player in Player if rest else ():
        for action in game.actions[player]:
            for rule in action.rules:
                zones = [home[v.name] for v, _ in rule.assign if v.name in home]
                for variable in variables_of(rule.when):
                    if variable.name in readers:
                        readers[variable.name] |= dict.fromkeys(zones)
    for name in rest:
        first, *others = readers[name] or {0: None}
        home[name] = first
        for other in others:
            union.join(first, other, f"{name} shuts what leads into both")


def _settle_actions(
    configuration: Configuration, home: dict[str, int], variable_of: Mapping[str, str], union: _Unions
) -> dict[Player, list[int]]:
    """For each action of a player the zone that it belongs to."""
    zones: dict[Player, list[int]] = {}
    for player in Player:
        zones[player] = []
        by_choice: dict[str, int] = {}
        for action in configuration.game.actions[player]:
            written = {home[v.name]: None for rule in action.rules for v, _ in rule.assign}
            written |= {home[v.name]: None for v in _needed(action, player)}
            if not written:
                target = variable_of.get(action.target, action.target)
                if target not in home:
                    raise InputError(
                        f'the {player}\'s action "{action.choice}" belongs to no zone; '
                        "only systems whose actions are about one node each can be divided"
                    )
                written = {home[target]: None}
            first, *others = written
            for other in (*others, by_choice.setdefault(action.choice, first)):
                union.join(first, other, f"{action.choice} acts on both")
            zones[player].append(first)
    return zones


def _needed(action: Action, player: Player) -> Iterator[Variable]:
    """What the zone of an action has to know: what is assigned and, for the defender, where it applies."""
    for rule in action.rules:
        for _, value in rule.assign:
            yield from variables_of(value)
        if player is Player.DEFENDER:
            yield from variables_of(rule.when)


class _Unions:
    """Zones that are taken as one, by number, and why."""

    def __init__(self, n_zones: int) -> None:
        self.parent = list(range(n_zones))
        self.reasons: dict[int, str] = {}

    def root(self, zone: int) -> int:
        """The first of the zones that a zone is one with."""
        while self.parent[zone] != zone:
            zone = self.parent[zone]
        return zone

    def join(self, one: int, other: int, reason: str) -> None:
        """Take two zones as one."""
        first, second = sorted((self.root(one), self.root(other)))
        if first != second:
            self.parent[second] = first
            self.reasons.setdefault(first, reason)


def _built(
    configuration: Configuration,
    partition: Partition,
    home: Mapping[str, int],
    actions: Mapping[Player, Sequence[int]],
    union: _Unions,
) -> Division:
    names = list(partition)
    roots = sorted({union.root(i) for i in range(len(names))})
    place = {i: roots.index(union.root(i)) for i in range(len(names))} if len(roots) < len(names) else {}
    number = place or {i: i for i in range(len(names))}
    called: list[list[str]] = [[] for _ in roots]
    nodes: list[list[str]] = [[] for _ in roots]
    variables: list[list[str]] = [[] for _ in roots]
    moves: list[dict[Player, list[int]]] = [{player: [] for player in Player} for _ in roots]
    zone_of = {node: i for i, of in enumerate(partition.values()) for node in of}
    for i, name in enumerate(names):
        called[number[i]] += name
    graph = configuration.system.graph
    assert graph is not None
    for node in graph.names:
        nodes[number[zone_of[node]]].append(node)
    for variable in configuration.game.variables:
        variables[number[home[variable.name]]].append(variable.name)
    for player in Player:
        for action, zone in enumerate(actions[player]):
            moves[number[zone]][player].append(action)
    zones = tuple(
        Zone(
            tuple(called[i]),
            tuple(nodes[i]),
            tuple(variables[i]),
            {p: tuple(of) for p, of in moves[i].items()},
        )
        for i in range(len(roots))
    )
    joined = {
        zone.names: union.reasons[roots[i]] for i, zone in enumerate(zones) if roots[i] in union.reasons
    }
    return Division(configuration, zones, joined)
