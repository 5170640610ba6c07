"""A scenario divided into zones by the checker itself: what each action and each clause is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.budget import Budget
from holdfast.certificates.verify.container import refuse
from holdfast.game.actions import Action
from holdfast.game.clauses import Clause
from holdfast.game.configuration import Configuration
from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Expression, Member, Move, Player

MOST_TIMES = 50
"""How often something may be counted that is counted more than once."""

WITH, AGAINST = Player.DEFENDER, Player.ADVERSARY
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


Promised = Member | ex.Compare
"""Where a variable never is, or how large a number never is."""


@dataclass(frozen=True)
class CheckedZone:
    """A zone as a certificate has it; ``shares`` and ``alone`` are about demands, by number."""

    name: str
    variables: frozenset[str]
    relies: frozenset[Promised] = frozenset()
    promises: frozenset[Promised] = frozenset()
    shares: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    alone: tuple[int, ...] = ()


@dataclass(frozen=True)
class AskedOfZones:
    """A demand: the clause it is from, the formula (None for an automaton), and the zones that it reads."""

    clause: Clause
    formula: Expression | None
    zones: frozenset[int]


class Divided:
    """A scenario with its zones, and what the checker needs to know of them."""

    def __init__(self, chosen: Configuration, zones: list[CheckedZone], budget: Budget) -> None:
        self.chosen, self.zones, self.budget = chosen, zones, budget
        self.tallies = chosen.game.tallies
        game, graph = chosen.game, chosen.system.graph
        if game.tables is not None or game.first is not AGAINST:
            refuse("its scenario cannot be divided into zones")
        self.owner = {name: i for i, zone in enumerate(zones) for name in zone.variables}
        listed = sum(len(zone.variables) for zone in zones)
        if len(self.owner) != listed or self.owner.keys() != set(game.places):
            refuse("its zones do not have every variable of its scenario, each once")
        called = {node.name: node.variable for node in graph.nodes} if graph is not None else {}
        for tally in game.tallies:
            if len({self.owner[counter.name] for counter in tally.counters}) != 1:
                refuse(f"{tally.name} are in several of its zones")
            called[tally.name] = tally.counters[0].name
        self.home: dict[Move, int] = {}
        self.actions: list[dict[Player, list[Action]]] = [{p: [] for p in Player} for _ in zones]
        for player in Player:
            for action in game.actions[player]:
                zone = self._zone_of(action, player, called)
                if self.home.setdefault((player, action.choice), zone) != zone:
                    refuse(f"{action.choice} acts in several of its zones")
                self.actions[zone][player].append(action)
        self.asked = [
            AskedOfZones(clause, part, self.read_by((part,) if part is not None else clause.automaton.atoms))
            for clause in chosen.clauses(WITH)
            for part in ([None] if clause.formula is None else _parts(clause.formula))
        ]
        self.bounds = [
            (clause, self.read_by((clause.formula,) if clause.formula else clause.automaton.atoms))
            for clause in chosen.clauses(AGAINST)
        ]

    def _zone_of(self, action: Action, player: Player, called: Mapping[str, str]) -> int:
        names = {variable.name for rule in action.rules for variable, _ in rule.assign}
        names |= {v.name for rule in action.rules for _, value in rule.assign for v in ex.variables_of(value)}
        if player is WITH:
            names |= {v.name for rule in action.rules for v in ex.variables_of(rule.when)}
        if not names:
            names = {called.get(action.target, action.target)}
        zones = {self.owner.get(name, -1) for name in names}
        if len(zones) != 1 or -1 in zones:
            refuse(f"{action.choice} acts in several of its zones, or in none")
        return zones.pop()

    def read_by(self, expressions: Iterable[Expression]) -> frozenset[int]:
        """The zones that expressions read."""
        zones = set[int]()
        for expression in expressions:
            for part in ex.walk(expression):
                if isinstance(part, ex.Did):
                    zones |= {self.home[move] for move in part.moves}
            zones |= {self.owner[variable.name] for variable in ex.variables_of(expression)}
        return frozenset(zones)


def _parts(formula: Expression) -> list[Expression]:
    """What a formula asks for: each part of a conjunction, under G too."""
    inside = opened(formula)
    if isinstance(inside, ex.And):
        return [part for arg in inside.args for part in _parts(arg)]
    if isinstance(inside, ex.Not) and isinstance(below := opened(inside.of), ex.Or):
        return [part for arg in below.args for part in _parts(ex.negation(arg))]
    if isinstance(formula, ex.Temporal) and formula.op == "G" and formula.bound is None:
        return [ex.Temporal("G", (part,)) for part in _parts(formula.args[0])]
    return [formula]


def opened(node: Expression) -> Expression:
    """What a definition says; any other expression itself."""
    while isinstance(node, ex.Defined):
        node = node.body
    return node


def counted_in_zones(
    divided: Divided, formula: Expression
) -> tuple[int, dict[int, tuple[Expression, ...]]] | None:
    """G (count ≤ n) as n and what is counted in each zone; None for anything else."""
    if not isinstance(formula, ex.Temporal) or formula.op != "G" or formula.bound is not None:
        return None
    inside, turned = opened(formula.args[0]), False
    if isinstance(inside, ex.Not):
        inside, turned = opened(inside.of), True
    if not isinstance(inside, ex.Compare) or inside.op not in FLIPPED:
        return None
    op = OPPOSITE[inside.op] if turned else inside.op
    left, right = opened(inside.left), opened(inside.right)
    if isinstance(left, ex.Number):
        left, right, op = right, left, FLIPPED[op]
    if divided.chosen.game.tallies and not (isinstance(left, ex.Count) and isinstance(right, ex.Number)):
        return _summed_in_zones(divided, left, op, right)
    if not isinstance(left, ex.Count) or not isinstance(right, ex.Number):
        return None
    items, n = left.items, len(left.items)
    if op in (">", ">="):
        items = tuple(ex.negation(item) for item in items)
        op, right = ("<" if op == ">" else "<="), ex.Number(n - right.value)
    whole = right.value.denominator == 1
    limit = int(right.value) - 1 if op == "<" and whole else right.value.numerator // right.value.denominator
    by_zone = _by_zone(divided, items)
    return None if by_zone is None else (limit, by_zone)


def _by_zone(divided: Divided, items: Iterable[Expression]) -> dict[int, tuple[Expression, ...]] | None:
    """Items by the zone that each reads; None if one reads several."""
    by_zone: dict[int, list[Expression]] = {}
    for item in items:
        zones = divided.read_by((item,))
        if len(zones) != 1:
            return None
        by_zone.setdefault(min(zones), []).append(item)
    return {zone: tuple(of) for zone, of in by_zone.items()}


def _summed_in_zones(
    divided: Divided, left: Expression, op: str, right: Expression
) -> tuple[int, dict[int, tuple[Expression, ...]]] | None:
    """A sum of counts and of counters of alike things, brought to the form: so many at most.

    A predicate with a negative weight is replaced by its negation. The counters of a group add up to its
    size: as many of each are taken away as the least of their weights says.
    """
    if op in (">", ">="):
        left, op, right = right, FLIPPED[op], left
    if not ex.is_static(left) or not ex.is_static(right):
        return None
    sums = ex.addends(ex.Arithmetic("-", left, right))
    limit, items = Fraction(0), list[tuple[Expression, Fraction]]()
    for part, times in sums.items():
        if isinstance(part, ex.Number):
            limit -= times
        elif isinstance(part, ex.Count) and times < 0:
            limit -= times * len(part.items)
            items += [(ex.negation(item), -times) for item in part.items]
        elif isinstance(part, ex.Count):
            items += [(item, times) for item in part.items]
        elif not (isinstance(part, ex.Read) and any(part.variable in t.counters for t in divided.tallies)):
            return None
    for tally in divided.tallies:
        weights = {counter: sums.get(ex.Read(counter), Fraction(0)) for counter in tally.counters}
        least = min(weights.values())
        limit -= least * tally.size
        items += [(ex.Read(counter), times - least) for counter, times in weights.items()]
    if any(times.denominator != 1 or times > MOST_TIMES for _, times in items):
        return None
    most = limit.numerator // limit.denominator - (op == "<" and limit.denominator == 1)
    by_zone = _by_zone(divided, [item for item, times in items for _ in range(int(times))])
    return None if by_zone is None else (most, by_zone)


def added_up(divided: Divided, items: Iterable[Expression]) -> tuple[Expression, int]:
    """How much is counted of some items as a term, and how much that can be.

    Of a group no more is counted than there is of it, each as often as one of it can be.
    """
    counters, predicates = list[ex.Read](), list[Expression]()
    for item in items:
        if isinstance(item, ex.Read):
            counters.append(item)
        else:
            predicates.append(item)
    term: Expression | None = ex.Count(tuple(predicates)) if predicates or not counters else None
    for counter in counters:
        term = counter if term is None else ex.Arithmetic("+", term, counter)
    assert term is not None
    most = len(predicates)
    for tally in divided.tallies:
        most += tally.size * max(counters.count(ex.Read(counter)) for counter in tally.counters)
    return term, most


def spending(divided: Divided) -> tuple[frozenset[Move], int]:
    """The moves in several zones that φ_A allows so often in all, and how often; by the first such clause."""
    for clause, zones in divided.bounds:
        match clause.formula:
            case ex.Temporal(
                "G", (ex.Compare("<=" | "<" as op, ex.Times(ex.Did(_, moves)), ex.Number(n)),), None
            ):
                most = n.numerator // n.denominator - (op == "<" and n.denominator == 1)
                if len(zones) > 1 and most >= 0:
                    return moves, most
    return frozenset(), 0
