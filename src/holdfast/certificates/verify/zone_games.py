"""The games of zones as the checker makes them: one in which a zone has to be held, and one that is open.

See :mod:`.zones` for what they prove.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from holdfast.budget import Budget
from holdfast.certificates.verify.container import refuse
from holdfast.certificates.verify.zone_division import (
    AGAINST,
    FLIPPED,
    WITH,
    Divided,
    Promised,
    added_up,
    counted_in_zones,
    opened,
    spending,
)
from holdfast.errors import InadmissibleError
from holdfast.game.actions import Action, Rule
from holdfast.game.clauses import Clause, clause_of
from holdfast.game.configuration import Configuration
from holdfast.game.structure import GameStructure
from holdfast.game.system import System
from holdfast.logic import expressions as ex
from holdfast.logic.expressions import FALSE, TRUE, Expression, Member, Move, Player, Truth
from holdfast.logic.tallies import Tally

# -- expressions as a zone knows them ---------------------------------------------------------------


@dataclass(frozen=True)
class ZoneView:
    """What a zone knows: its variables, its moves by the names in its game, and what it is promised.

    ``stays`` says that the adversary makes no moves elsewhere. ``tallies`` are counted here or elsewhere.
    """

    variables: frozenset[str]
    moves: Mapping[Move, tuple[str, ...]]
    relies: frozenset[Promised] = frozenset()
    stays: bool = False
    tallies: tuple[Tally, ...] = ()


def _is_known(node: Expression, view: ZoneView) -> bool:
    for part in ex.walk(node):
        variable = getattr(part, "variable", None)
        if variable is not None and variable.name not in view.variables:
            return False
        if isinstance(part, ex.Did) and any(view.moves.get(move) != (move[1],) for move in part.moves):
            return False
    return True


def _seen(node: Expression, view: ZoneView, up: bool) -> Expression:
    """What follows from an expression (``up``), or what it follows from, over a zone alone."""
    if _is_known(node, view):
        return node
    match node:
        case ex.Defined(_, body):
            return _seen(body, view, up)
        case ex.Not(of):
            return ex.negation(_seen(of, view, not up))
        case ex.And(args):
            return ex.conjunction([_seen(arg, view, up) for arg in args])
        case ex.Or(args):
            return ex.disjunction([_seen(arg, view, up) for arg in args])
        case ex.Implies(left, right):
            return ex.disjunction([ex.negation(_seen(left, view, not up)), _seen(right, view, up)])
        case ex.Iff(left, right):
            both = (ex.Implies(left, right), ex.Implies(right, left))
            return ex.conjunction([_seen(one, view, up) for one in both])
        case ex.Temporal(op, args):
            inside = tuple(_seen(arg, view, up) for arg in args)
            constant = op in "GH" and isinstance(inside[0], Truth)
            return inside[0] if constant else ex.Temporal(op, inside, node.bound)
        case ex.Did(text, moves):
            own = {(move[0], name) for move, names in view.moves.items() if move in moves for name in names}
            elsewhere = (move for move in moves if move not in view.moves)
            if up and any(not (view.stays and move[0] is AGAINST) for move in elsewhere):
                return TRUE
            return ex.Did(text, frozenset(own)) if own else FALSE
        case ex.Compare() if node not in view.relies:
            return _seen_comparison(node, view, up)
    return FALSE if node in view.relies else Truth(up)


def _seen_comparison(node: ex.Compare, view: ZoneView, up: bool) -> Expression:
    left, right, op = opened(node.left), opened(node.right), node.op
    if isinstance(left, ex.Number) and op in FLIPPED:
        left, right, op = right, left, FLIPPED[op]
    if not isinstance(right, ex.Number) or op not in FLIPPED:
        return Truth(up)
    if not isinstance(left, ex.Count | ex.Times):
        return _seen_sum(op, left, right.value, view, up)
    most = up == (op in (">", ">="))
    if isinstance(left, ex.Times):
        of = _seen(left.of, view, most)
        if of == FALSE:
            return Truth(_compares(0, op, right.value))
        return Truth(up) if of == TRUE else ex.Compare(op, ex.Times(of), right)
    seen = [_seen(item, view, most) for item in left.items]
    unsure = tuple(item for item in seen if not isinstance(item, Truth))
    limit = right.value - seen.count(TRUE)
    if not unsure or (_compares(0, op, limit) and _compares(len(unsure), op, limit)):
        return Truth(_compares(0, op, limit))
    return ex.Compare(op, ex.Count(unsure), ex.Number(limit))


def _seen_sum(op: str, left: Expression, limit: Fraction, view: ZoneView, up: bool) -> Expression:
    """A sum compared with a number; what is counted elsewhere is at its most or its least."""
    if not ex.is_static(left):
        return Truth(up)
    most = up == (op in (">", ">="))
    terms, ends = list[Expression](), [Fraction(0), Fraction(0)]
    rest = ex.addends(left)
    for tally in view.tallies:
        weights = [rest.get(ex.Read(counter), Fraction(0)) * tally.size for counter in tally.counters]
        if tally.counters[0].name not in view.variables:
            limit -= max(weights) if most else min(weights)
            for counter in tally.counters:
                rest.pop(ex.Read(counter), None)
        else:
            ends = [ends[0] + min(weights), ends[1] + max(weights)]
    counters = {ex.Read(counter) for tally in view.tallies for counter in tally.counters}
    for part, weight in rest.items():
        if isinstance(part, ex.Count):
            seen = [_seen(item, view, most == (weight > 0)) for item in part.items]
            limit -= weight * seen.count(TRUE)
            unsure = tuple(item for item in seen if not isinstance(item, Truth))
            known: Expression = ex.Count(unsure)
            low, high = Fraction(0), Fraction(len(unsure))
        elif not _is_known(part, view):
            if not isinstance(part, ex.Read):
                return Truth(up)
            limit -= weight * ex.term_range(part)[most == (weight > 0)]
            continue
        else:
            known = part
            low, high = (Fraction(0), Fraction(0)) if part in counters else ex.term_range(part)
        ends = [ends[0] + min(low * weight, high * weight), ends[1] + max(low * weight, high * weight)]
        terms.append(known if weight == 1 else ex.Arithmetic("*", ex.Number(weight), known))
    truths = {_compares(end, op, limit) for end in ends}
    if len(truths) == 1:
        return Truth(truths.pop())
    total = terms[0]
    for term in terms[1:]:
        total = ex.Arithmetic("+", total, term)
    return ex.Compare(op, total, ex.Number(limit))


def _compares(value: Fraction | int, op: str, limit: Fraction) -> bool:
    return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}[op]


# -- the games of zones -----------------------------------------------------------------------------


def guarded_game(divided: Divided, number: int) -> Configuration:
    """The game in which a zone has to be held."""
    zone, demanded = divided.zones[number], list(_held_to(divided, number))
    read = _read_moves(divided, demanded)
    for waiting in (False, True):
        view = ZoneView(zone.variables, {}, zone.relies, tallies=divided.tallies)
        theirs, moves = list[Action](), dict[Move, tuple[str, ...]]()
        for action in divided.actions[number][AGAINST]:
            move, own = (AGAINST, action.choice), [Action(action.name, action.rules)]
            if not all(_is_known(rule.when, view) for rule in action.rules):
                own = list(_ruled(action, view, True))
                own += [Action(f"{action.name} in vain")] if waiting or move in read else []
            theirs += own
            moves[move] = (*moves.get(move, ()), *(each.name for each in own))
        game = _structure(divided, number, theirs, moves, [WITH, AGAINST] if waiting else [])
        view = replace(view, moves=moves)
        required = _clauses(demanded, view, game, False, divided.budget)
        if waiting:
            required = (*required, _answered_elsewhere(game, divided.budget))
        allowed = [
            seen
            for clause, zones in divided.bounds
            if number in zones
            for seen in [_clause(clause, clause.formula, view, game, True, divided.budget)]
            if seen is not None and seen.formula != TRUE
        ]
        made = _admissible(divided, game, required, allowed)
        clauses = (*made.requirement, *made.boundary)
        rests = any(_is_rest(action, WITH, _told(clauses)) for action in game.actions[WITH])
        if waiting or len(divided.zones) == 1 or (rests and not any(_notices(c) for c in clauses)):
            return made
    raise AssertionError("the second round returns")


def open_game(divided: Divided, number: int) -> Configuration | str:
    """The game whose loss in a zone is the loss of the whole; or why nothing follows from it."""
    zone, chosen = divided.zones[number], divided.chosen
    codes = chosen.game.codes(chosen.game.initial)
    for clause, _ in divided.bounds:
        mask = sum(bool(_value(atom, codes)) << i for i, atom in enumerate(clause.automaton.atoms))
        automaton = clause.automaton
        if not automaton.accepting[automaton.delta[automaton.initial][automaton.masks.index(mask)]]:
            return "the threat boundary is broken at the start"
    demanded = [
        (demand.clause, demand.formula)
        for demand in divided.asked
        if number in demand.zones and (demand.formula is not None or len(demand.zones) == 1)
    ]
    read = _read_moves(divided, demanded)
    view = ZoneView(zone.variables, {}, stays=True, tallies=divided.tallies)
    own = divided.actions[number][AGAINST]
    waits = any(_is_rest(action, AGAINST, read) for action in own)
    theirs, moves = list[Action](), dict[Move, tuple[str, ...]]()
    for action in own:
        move, kept = (AGAINST, action.choice), [Action(action.name, action.rules)]
        if not all(_is_known(rule.when, view) for rule in action.rules):
            kept = list(_ruled(action, view, False)) if waits and move not in read else []
        theirs += kept
        moves[move] = (*moves.get(move, ()), *(each.name for each in kept))
    game = _structure(divided, number, theirs, moves, [WITH])
    view = replace(view, moves=moves)
    allowed = []
    for clause, zones in divided.bounds:
        static = all(ex.is_static(atom) for atom in clause.automaton.atoms)
        if number not in zones and static and not _notices(clause):
            continue  # the defender cannot break it, and a move elsewhere shows it nothing new
        seen = _clause(clause, clause.formula, view, game, False, divided.budget)
        if seen is None:
            return f'nothing is known of "{clause.label}" in the zone'
        allowed += [seen] if seen.formula != TRUE else []
    required = _clauses(demanded, view, game, True, divided.budget)
    try:
        return Configuration(System(game), required, tuple(allowed), budget=divided.budget)
    except InadmissibleError:
        return "its threat boundary would bind the defender"


HeldTo = tuple[Clause | None, Expression | None]


def _held_to(divided: Divided, number: int) -> Iterator[HeldTo]:
    """What a zone is held to: what is about it, what it meets alone, its shares, its promises."""
    zone = divided.zones[number]
    for demand in divided.asked:
        if demand.zones == {number} or (not demand.zones and number == 0):
            yield demand.clause, demand.formula
    for each in zone.alone:
        yield divided.asked[each].clause, divided.asked[each].formula
    moves, _ = spending(divided)
    own = frozenset(move for move in moves if divided.home[move] == number)
    for each, profile in sorted(zone.shares.items()):
        demand = divided.asked[each]
        counted = None if demand.formula is None else counted_in_zones(divided, demand.formula)
        if counted is None or number not in counted[1]:
            refuse("a zone of it has a share of something that is not counted there")
        counts, highest = added_up(divided, counted[1][number])
        for k, most in enumerate(profile):
            last = k + 1 == len(profile)
            if most >= highest or (not last and profile[k + 1] == most):
                continue
            within: Expression = ex.Compare("<=", counts, ex.Number(Fraction(most)))
            if not last and own:
                less = ex.Compare("<=", ex.Times(ex.Did("spent", own)), ex.Number(Fraction(k)))
                within = ex.Implies(less, within)
            yield demand.clause, ex.Temporal("G", (within,))
    for predicate in sorted(zone.promises, key=str):
        yield None, ex.Temporal("G", (ex.negation(predicate),))


def _read_moves(divided: Divided, demanded: Iterable[HeldTo]) -> set[Move]:
    """The moves that clauses read."""
    atoms = [atom for clause, _ in divided.bounds for atom in clause.automaton.atoms]
    for clause, formula in demanded:
        atoms += [formula] if formula is not None else clause.automaton.atoms if clause is not None else []
    return {move for atom in atoms for p in ex.walk(atom) if isinstance(p, ex.Did) for move in p.moves}


def _told(clauses: Iterable[Clause]) -> set[Move]:
    """The moves that automata read."""
    parts = (part for clause in clauses for atom in clause.automaton.atoms for part in ex.walk(atom))
    return {move for part in parts if isinstance(part, ex.Did) for move in part.moves}


def _is_rest(action: Action, player: Player, told: set[Move]) -> bool:
    """Whether an action never changes anything, and no automaton reads it."""
    return not action.rules and not action.outcome_of and (player, action.choice) not in told


def _ruled(action: Action, view: ZoneView, up: bool) -> Iterator[Action]:
    """Each rule of an action as one of its own, where it applies at the most (``up``) or at the least."""
    for i, rule in enumerate(action.rules):
        before = [ex.negation(earlier.when) for earlier in action.rules[:i]]
        guard = _seen(ex.conjunction([rule.when, *before]), view, up)
        if guard != FALSE:
            yield Action(f"{action.name} {i}" if i else action.name, (Rule(guard, rule.assign),))


def _structure(
    divided: Divided,
    number: int,
    theirs: list[Action],
    moves: dict[Move, tuple[str, ...]],
    elsewhere: list[Player],
) -> GameStructure:
    whole, ours = divided.chosen.game, divided.actions[number][WITH]
    moves |= {(WITH, action.choice): (action.choice,) for action in ours}
    actions = {
        player: (*own, *([Action("elsewhere")] if player in elsewhere else []))
        for player, own in ((WITH, ours), (AGAINST, theirs))
    }
    places = [i for i, v in enumerate(whole.variables) if v.name in divided.zones[number].variables]
    variables = tuple(whole.variables[i] for i in places)
    initial = tuple(whole.initial[i] for i in places)
    tallies = tuple(tally for tally in divided.tallies if tally.counters[0] in variables)
    return GameStructure(variables, initial, AGAINST, actions, ex.Number(Fraction(1)), tallies=tallies)


def _clauses(
    demanded: Iterable[HeldTo], view: ZoneView, game: GameStructure, up: bool, budget: Budget
) -> tuple[Clause, ...]:
    clauses = list[Clause]()
    for clause, formula in demanded:
        seen = _clause(clause, formula, view, game, up, budget)
        if seen is None:
            refuse("an automaton of its scenario reads several of its zones")
        known = seen.formula is not None and any(seen.formula == other.formula for other in clauses)
        clauses += [] if known or seen.formula == TRUE else [seen]
    return tuple(clauses)


def _clause(
    clause: Clause | None,
    formula: Expression | None,
    view: ZoneView,
    game: GameStructure,
    up: bool,
    budget: Budget,
) -> Clause | None:
    """A clause over a zone alone; with the formula ``true`` where it asks for nothing there."""
    if formula is None:
        assert clause is not None
        atoms = [tuple(_seen(atom, view, each) for atom in clause.automaton.atoms) for each in (True, False)]
        if atoms[0] != atoms[1]:
            return None
        return replace(clause, automaton=replace(clause.automaton, atoms=atoms[0]), edges=())
    known = _seen(formula, view, up)
    if known == FALSE:
        known = ex.Temporal("G", (FALSE,))
    return clause_of(known, game.vocabulary, budget)


def _answered_elsewhere(game: GameStructure, budget: Budget) -> Clause:
    ours, theirs = (ex.Did(f"{p}.elsewhere", frozenset({(p, "elsewhere")})) for p in (WITH, AGAINST))
    return clause_of(ex.Temporal("G", (ex.Iff(ours, ex.Temporal("Y", (theirs,))),)), game.vocabulary, budget)


def _admissible(
    divided: Divided, game: GameStructure, required: tuple[Clause, ...], allowed: list[Clause]
) -> Configuration:
    """The game without those clauses of φ_A that would bind the defender; fewer of them only help the
    adversary.
    """
    while True:
        try:
            return Configuration(System(game), required, tuple(allowed), budget=divided.budget)
        except InadmissibleError as error:
            allowed = [clause for i, clause in enumerate(allowed) if i != error.clause]


def _notices(clause: Clause) -> bool:
    """Whether an automaton may change when it is shown the same state again with a move it does not read."""
    automaton = clause.automaton
    same, rest = 0, 0
    for i, atom in enumerate(automaton.atoms):
        if ex.is_static(atom):
            same |= 1 << i
        elif ex.variables_of(atom):
            return True
        elif ex.after_move(atom, (AGAINST, "")) == TRUE:
            rest |= 1 << i
    place = {mask: j for j, mask in enumerate(automaton.masks)}
    for row in automaton.delta:
        for mask, after in zip(automaton.masks, row, strict=True):
            again = place.get((mask & same) | rest)
            if again is None or automaton.delta[after][again] != after:
                return True
    return False


def _value(node: Expression, codes: Mapping[str, int]) -> Any:
    """The value of a predicate or term at the start, where no move has been made."""
    match node:
        case Truth(value) | ex.Number(value):
            return value
        case ex.Did():
            return False
        case Member(variable, _):
            return codes[variable.name] in node.codes
        case ex.Read(variable):
            return Fraction(int(variable.values[codes[variable.name]]))
        case ex.Defined(_, body):
            return _value(body, codes)
        case ex.Not(of):
            return not _value(of, codes)
        case ex.And(args):
            return all(_value(arg, codes) for arg in args)
        case ex.Or(args):
            return any(_value(arg, codes) for arg in args)
        case ex.Implies(left, right):
            return not _value(left, codes) or bool(_value(right, codes))
        case ex.Iff(left, right):
            return bool(_value(left, codes)) == bool(_value(right, codes))
        case ex.Count(items):
            return Fraction(sum(bool(_value(item, codes)) for item in items))
        case ex.Compare(op, left, right):
            one, other = _value(left, codes), _value(right, codes)
            truths = {"=": one == other, "!=": one != other, "<": one < other, "<=": one <= other,
                      ">": one > other, ">=": one >= other}  # fmt: skip
            return truths[op]
        case ex.Arithmetic(op, left, right):
            one, other = _value(left, codes), _value(right, codes)
            if op == "/":
                return one / other
            return one + other if op == "+" else one - other if op == "-" else one * other
    refuse("its scenario has a clause that cannot be divided into zones")
