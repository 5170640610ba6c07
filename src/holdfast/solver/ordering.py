"""Variable orders from the structure of the game, for a race (:mod:`holdfast.solver.race`).

Variables that one rule or one small atom reads together should be neighbours in the diagrams. Each such
group is an edge of a hypergraph. Counts over many variables bind no two of them closely and are left out.

Two costs judge an order. *Span*: how far apart the variables of an edge are, summed over the edges.
*Separation*: what a diagram has to remember at a cut, the sum over all cuts of 2 to the power of how many
kinds of variables stand on one side of it, told apart by their neighbours on the other. Separation predicts
the size of diagrams well, also where variables are twins; span is quick and does for small games.

On large random graphs no order is good for all edges, but few of them may matter: a game that is lost within
a few moves, or not at all, turns on those of the variables that a clause reads, then on those of the
variables that decide about these, and so on. *Inner* edges are those up to so many steps away from a clause.
The *weighted* cost adds up the logarithms of the separations by the edges of one step, of two, of three, and
of all, each counted a quarter as much as the one before. It tells well what the certificate takes, but not
what R does, which turns on all edges; so it decides where R is out of reach in any order.

The candidates are the declared order; breadth-first orders (Cuthill and McKee's) from several starts;
greedy ones, which go on with the variable that leaves the fewest above the cut with a neighbour below it,
for all edges and for the inner ones; and the one in which every variable has been pulled to the middle of
its edges, again and again (Aloul, Markov and Sakallah, 2003). An order costs as much as its reverse; the end
that the adversary touches first is put on top, where the search of R begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from holdfast.game import GameStructure
from holdfast.logic import (
    Count,
    Expression,
    Member,
    Player,
    Read,
    SafetyAutomaton,
    Variable,
    children,
    reader,
)

MAX_STARTS = 12
MAX_EDGES = 20_000
"""Past so many edges greedy orders would take longer than they save."""
FINE = 16
"""Up to this separation for each variable the cheapest order by span is as good as any."""
ROUNDS = 40
HOPELESS, DEPTH = 1 << 20, 3
"""Past this separation inner edges decide, up to so many steps away from the clauses."""

Order = tuple[Variable, ...]
Names = tuple[str, ...]


def usual_order(game: GameStructure, automata: tuple[SafetyAutomaton, ...]) -> Order:
    """The order to begin with, and in which sets are written out, whatever order they were found in."""
    return next(variable_orders(game, automata))


def variable_orders(game: GameStructure, automata: tuple[SafetyAutomaton, ...]) -> Iterator[Order]:
    """Candidate orders, all different, the usual one first; each is worked out when it is asked for."""
    bonds = _Bonds.of(game, automata)
    seen: set[Names] = set()
    for order in _candidates(bonds, automata):
        if order not in seen:
            seen.add(order)
            yield bonds.variables(order)


def distances(game: GameStructure, automata: tuple[SafetyAutomaton, ...]) -> dict[str, int]:
    """How many steps each variable is away from what the clauses read, large counts left out.

    A step leads to what decides about a variable. Those that nothing leads to come last.
    """
    deciders, steps = _deciders(game), dict[str, int]()
    ring = {name for atom in _atoms(automata) for name in atom}
    while ring:
        steps |= dict.fromkeys(ring, len(set(steps.values())))
        ring = {other for name in ring for other in deciders[name]} - steps.keys()
    return {variable.name: steps.get(variable.name, len(game.variables)) for variable in game.variables}


def _candidates(bonds: _Bonds, automata: tuple[SafetyAutomaton, ...]) -> Iterator[Names]:
    if _separation(bonds.spanned[0], bonds.near) <= FINE * len(bonds.names):
        yield bonds.spanned[0]
    if _separation(bonds.separated[0], bonds.near) > HOPELESS:
        inner = _inner(bonds, automata)
        orders = (bonds.separated[0], bonds.forced, *(own.separated[0] for own in inner))
        yield _ranked(orders, lambda order: _weighted(order, (*inner, bonds)))[0]
    yield bonds.separated[0]
    yield bonds.spanned[0]
    yield bonds.names
    yield bonds.forced


@dataclass(frozen=True)
class _Bonds:
    """The names of the variables, in an order to start from, mostly the declared one, and their edges."""

    game: GameStructure
    names: Names
    edges: tuple[Names, ...]

    @classmethod
    def of(cls, game: GameStructure, automata: tuple[SafetyAutomaton, ...]) -> _Bonds:
        names = tuple(variable.name for variable in game.variables)
        return cls(game, names, _edges(names, _deciders(game), automata))

    def variables(self, order: Names) -> Order:
        by_name = {variable.name: variable for variable in self.game.variables}
        return tuple(by_name[name] for name in order)

    @cached_property
    def near(self) -> dict[str, Names]:
        """The neighbours of each variable."""
        near: dict[str, dict[str, None]] = {name: {} for name in self.names}
        for edge in self.edges:
            for name in edge:
                near[name] |= dict.fromkeys(other for other in edge if other != name)
        return {name: tuple(others) for name, others in near.items()}

    @cached_property
    def starts(self) -> list[str]:
        """Where searches begin: the first variable, and those with few neighbours."""
        few = sorted(self.names, key=lambda name: len(self.near[name]) or len(self.names))[:MAX_STARTS]
        return list(dict.fromkeys((self.names[0], *few)))

    @cached_property
    def spanned(self) -> list[Names]:
        """The declared order and breadth-first ones, by span; the declared one first on a tie."""
        orders = (self.oriented(_breadth_first(self, start)) for start in self.starts)
        return _ranked((self.names, *orders), lambda order: _span(order, self.edges))

    @cached_property
    def separated(self) -> list[Names]:
        """Those of :attr:`spanned` and greedy ones, by separation."""
        many = sorted(self.names, key=lambda name: -len(self.near[name]))[: MAX_STARTS // 4]
        starts = dict.fromkeys((*self.starts, *many)) if len(self.edges) <= MAX_EDGES else ()
        orders = (self.oriented(_greedy(self, start, age)) for start in starts for age in (1, -1))
        return _ranked((*self.spanned, self.forced, *orders), lambda order: _separation(order, self.near))

    @cached_property
    def forced(self) -> Names:
        """The best by span of the orders that forces settle through."""
        return self.oriented(_forced(self))

    def oriented(self, order: Sequence[str]) -> Names:
        """The order or its reverse: what the adversary touches first on top."""
        places = [i for i, name in enumerate(order) if name in self._touched]
        late = bool(places) and 2 * sum(places) > len(places) * (len(order) - 1)
        return tuple(order[::-1] if late else order)

    @cached_property
    def _touched(self) -> set[str]:
        """The variables that an adversary move can assign in s₀."""
        return {
            variable.name
            for action in self.game.actions[Player.ADVERSARY]
            for rule in action.rules
            if reader(rule.when, self.game.places)(self.game.initial)
            for variable, _ in rule.assign
        }


def _ranked(orders: Iterable[Names], cost: Callable[[Names], float]) -> list[Names]:
    return sorted(dict.fromkeys(orders), key=cost)


def _breadth_first(bonds: _Bonds, start: str) -> list[str]:
    """Every component from a start of its own, neighbours of low degree first."""
    near, place = bonds.near, {name: i for i, name in enumerate(bonds.names)}
    order: dict[str, None] = {}
    for first in (start, *bonds.names):
        queue = [] if first in order else [first]
        order |= dict.fromkeys(queue)
        for name in queue:
            fresh = sorted((n for n in near[name] if n not in order), key=lambda n: (len(near[n]), place[n]))
            order |= dict.fromkeys(fresh)
            queue += fresh
    return list(order)


def _greedy(bonds: _Bonds, start: str, age: int) -> list[str]:
    """On with the variable that leaves the smallest boundary; of several the one touched first (last: −1)."""
    near = bonds.near
    place: dict[str, int] = {}
    below = {name: len(near[name]) for name in bonds.names}
    closed = dict.fromkeys(bonds.names, 0)  # how many placed ones have this one alone left below
    touched: dict[str, int] = {}
    left = dict.fromkeys(bonds.names)

    def cost(name: str) -> tuple[int, int]:
        return (below[name] > 0) - closed[name], age * touched[name]

    while left:
        name = start if not place else min(touched, key=cost) if touched else next(iter(left))
        place[name] = len(place)
        del left[name]
        touched.pop(name, None)
        for other in near[name]:
            below[other] -= 1
            if other in left:
                touched.setdefault(other, place[name])
        for other in (name, *near[name]):
            if below[other] == 1 and other in place:
                closed[next(last for last in near[other] if last in left)] += 1
    return list(place)


def _forced(bonds: _Bonds) -> Names:
    """The best by span of the orders that forces settle through."""
    place = {name: float(i) for i, name in enumerate(bonds.names)}
    own: dict[str, list[int]] = {name: [] for name in bonds.names}
    for i, edge in enumerate(bonds.edges):
        for name in edge:
            own[name].append(i)
    orders = []
    for _ in range(ROUNDS):
        middle = [sum(place[name] for name in edge) / len(edge) for edge in bonds.edges]
        pull = {n: sum(middle[i] for i in own[n]) / len(own[n]) if own[n] else place[n] for n in bonds.names}
        orders.append(tuple(sorted(bonds.names, key=lambda name: pull[name])))
        place = {name: float(i) for i, name in enumerate(orders[-1])}
        if len(orders) > 1 and orders[-1] == orders[-2]:
            break
    return _ranked(orders, lambda order: _span(order, bonds.edges))[0]


def _span(order: Names, edges: Iterable[Names]) -> int:
    """How far apart the variables of an edge are, summed over the edges."""
    place = {name: i for i, name in enumerate(order)}
    return sum(max(place[n] for n in edge) - min(place[n] for n in edge) for edge in edges)


def _separation(order: Names, near: dict[str, Names]) -> float:
    """Σ over the cuts of 2^(kinds of variables on one side, by their neighbours on the other)."""
    place = {name: i for i, name in enumerate(order)}
    masks = [sum(1 << place[other] for other in near[name]) for name in order]
    upper = _kinds_at_cuts((mask, -1 << i) for i, mask in enumerate(masks[:-1], 1))
    lower = _kinds_at_cuts(
        (mask, (1 << i) - 1) for i, mask in zip(range(len(order) - 1, 0, -1), masks[:0:-1], strict=True)
    )
    return sum(2.0 ** min(*kinds, 500) for kinds in zip(upper, reversed(lower), strict=True))


def _kinds_at_cuts(variables: Iterable[tuple[int, int]]) -> list[int]:
    """How many kinds of variables are on one side of a cut, told apart by their neighbours on the other.

    One variable after the other joins the side, each with its neighbours and with what is then on the other.
    Those that are alike at one cut are alike at all that follow, so one of them is kept.
    """
    kinds: set[int] = set()
    n_kinds = []
    for neighbours, beyond in variables:
        kinds.add(neighbours)
        kinds = {kind & beyond for kind in kinds} - {0}
        n_kinds.append(len(kinds))
    return n_kinds


def _weighted(order: Names, depths: Sequence[_Bonds]) -> float:
    """The logarithms of the separations by edges of each depth, each a quarter as much as the one before."""
    logarithms = (math.log2(1 + _separation(order, own.near)) for own in depths)
    return sum(logarithm * 0.25**i for i, logarithm in enumerate(logarithms))


def _inner(bonds: _Bonds, automata: tuple[SafetyAutomaton, ...]) -> list[_Bonds]:
    """The edges up to one, two, … steps away from the clauses, where these are not all.

    Variables that they do not bind start in the order that is best for the edges of one step more.
    """
    deciders = _deciders(bonds.game)
    reached = {name for atom in _atoms(automata) for name in atom}
    rings: list[tuple[Names, ...]] = []
    for _ in range(DEPTH):
        known = {name: deciders[name] for name in bonds.names if name in reached}
        rings.append(_edges(bonds.names, known, automata))
        reached |= {other for others in known.values() for other in others}
    inner, outer = list[_Bonds](), bonds
    for edges in reversed(rings):
        if edges != outer.edges:
            outer = _Bonds(bonds.game, outer.separated[0], edges)
            inner.append(outer)
    return inner[::-1]


def _edges(
    names: Names, deciders: dict[str, set[str]], automata: tuple[SafetyAutomaton, ...]
) -> tuple[Names, ...]:
    """The groups that belong together: a variable with one that decides about it, and those of an atom."""
    pairs = (frozenset((name, other)) for name, others in deciders.items() for other in others)
    places = {name: i for i, name in enumerate(names)}
    edges = {edge for edge in (*pairs, *_atoms(automata)) if len(edge) > 1}
    return tuple(sorted(tuple(sorted(edge, key=lambda name: places[name])) for edge in edges))


def _deciders(game: GameStructure) -> dict[str, set[str]]:
    """For each variable those that are read where it is assigned."""
    deciders: dict[str, set[str]] = {variable.name: set() for variable in game.variables}
    for player in Player:
        for action in game.actions[player]:
            for rule in action.rules:
                read = _names(rule.when) | {name for _, value in rule.assign for name in _names(value)}
                for variable, _ in rule.assign:
                    deciders[variable.name] |= read
    return deciders


def _atoms(automata: tuple[SafetyAutomaton, ...]) -> Iterator[frozenset[str]]:
    """The variables of each atom."""
    return (frozenset(_names(atom)) for automaton in automata for atom in automaton.atoms)


def _names(node: Expression) -> set[str]:
    """The variables an expression reads, large counts left out."""
    match node:
        case Member(variable, _) | Read(variable):
            return {variable.name}
        case Count(items) if len(items) > 4:
            return set()
    return {name for child in children(node) for name in _names(child)}
