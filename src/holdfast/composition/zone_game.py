"""The games of a zone: one that is harder for the defender than the whole is there, and one that is easier.

**Held.** In the *guarded* game of a zone the adversary's moves there need nothing from elsewhere: a predicate
about another zone is taken to hold if it helps, unless it is *promised* never to (the exposures of a zone are
what is taken so). φ_A is weakened to what it says of the zone. The defender answers with moves of the zone;
when the adversary moves elsewhere it waits there. If it wins the guarded game of every zone, each with the
demands that are about it, its allowances, what it took over and its own promises, then the whole is held: it
answers in the zone in which the adversary moved. Seen from a zone, every round of the whole is a move there
and its answer, or nothing and waiting; so it is a play of the guarded game, in which no demand breaks. With
promises, let the first violation of a demand or promise be at some move: until then all promises were kept
in every state, so up to that move, and with it, the play is one of guarded games with these promises, and
nothing breaks. That is why zones may promise each other in a circle.

*Waiting.* A round in which nothing happens in a zone need not be played if no automaton of the zone notices
it: reading the same state once more, with a move that it does not know, leaves every automaton where it is
(:func:`is_still`), and then position follows upon itself. So it is with predicates of states and with
``times``. Where some automaton does notice (``X``, ``Y``, ``F[<=k]``), the guarded game has the round: the
adversary may move ELSEWHERE, and the defender must then do so too, and at no other time.

*In vain.* Where the guarded game lets a move succeed that needs something from elsewhere, the whole may see
it fail. That is a round in which nothing happens, unless an automaton reads the move: then the guarded game
has it as a move of its own, "in vain".

**Lost.** In the *open* game of a zone the adversary stays in it, and what depends on elsewhere does not
happen; φ_A is strengthened, φ_D weakened to what they say of the zone. The defender may also move elsewhere,
at any time. If it loses this game, it loses the whole: the adversary plays as it does here. A move that does
nothing in the open game may do something in the whole; it is used only as waiting, for which there must be
another move, or it is left out.

Chance, where there is any, is on the adversary's side in both games, as in every verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from holdfast.budget import UNLIMITED, Budget
from holdfast.composition.counting import highest, total
from holdfast.composition.division import Division, Zone
from holdfast.composition.scope import ZoneScope, bounded
from holdfast.errors import InadmissibleError
from holdfast.game import (
    Action,
    Clause,
    Configuration,
    GameStructure,
    Rule,
    System,
    clause_of,
    is_admissible,
)
from holdfast.logic import (
    FALSE,
    TRUE,
    Compare,
    Did,
    Expression,
    Implies,
    Member,
    Move,
    Number,
    Player,
    Read,
    SafetyAutomaton,
    Temporal,
    Truth,
    Vocabulary,
    after_move,
    conjunction,
    expressions as ex,
    is_static,
    variables_of,
    walk,
)

ELSEWHERE = "elsewhere"
IN_VAIN = " in vain"


@dataclass(frozen=True)
class ZoneTerms:
    """What a zone is held to besides the demands about it alone, and what it may rely on.

    Attributes:
        relies: predicates about other zones that these promise never to hold.
        promises: predicates about this zone that it promises never to hold.
        allowances: for demands that are counts, by number, how many of the zone may be counted once the
            adversary has spent 0, 1, … of its budget here; the last entry holds whatever it spends.
        taken: the demands about several zones that this one meets alone.
    """

    relies: frozenset[Expression] = frozenset()
    promises: frozenset[Expression] = frozenset()
    allowances: tuple[tuple[int, tuple[int, ...]], ...] = ()
    taken: tuple[int, ...] = ()


def exposures(division: Division, zone: Zone) -> tuple[Member | Compare, ...]:
    """The predicates about other zones on which the adversary's moves in a zone depend."""
    inside, found = frozenset(zone.variables), dict[Member | Compare, None]()
    for number in zone.actions[Player.ADVERSARY]:
        for rule in division.configuration.game.actions[Player.ADVERSARY][number].rules:
            for part in walk(rule.when):
                match part:
                    case Member(variable, _) | Compare(_, Read(variable), Number(_)):
                        if variable.name not in inside:
                            found[part] = None
    return tuple(found)


def guarded_game(
    division: Division, zone: Zone, terms: ZoneTerms, budget: Budget = UNLIMITED
) -> Configuration:
    """The game of a zone that the defender must win for the whole to be held by zones."""
    demanded, tallies = list(demands_of(division, zone, terms)), division.configuration.game.tallies
    read = _own_moves_read(division, zone, demanded)
    for waits in (False, True):
        game, moves = _guarded_structure(division, zone, terms.relies, read, waits)
        scope = ZoneScope(frozenset(zone.variables), moves, terms.relies, tallies=tallies)
        make = _compiler(division, game.vocabulary, budget)
        required = _compiled(demanded, scope, make, weaker=False)
        if waits:
            required = (*required, _waiting(game.vocabulary))
        allowed = _allowed(division, zone, scope, make)
        configured = _with_boundary(division, zone, game, required, allowed, budget)
        clauses = (*configured.requirement, *configured.boundary)
        if waits or len(division.zones) == 1:  # where there is no elsewhere, nobody waits
            return configured
        if _can_idle(game, clauses) and all(is_still(c.automaton) for c in clauses):
            return configured
    raise AssertionError("the second round returns")


def open_game(division: Division, zone: Zone, budget: Budget = UNLIMITED) -> Configuration | None:
    """The game of a zone whose loss is the loss of the whole; None where nothing would follow from it."""
    whole, own = division.configuration, _number_of(division, zone)
    if not is_admissible(whole, whole.initial):
        return None
    clauses = whole.clauses(Player.DEFENDER)
    demanded: list[Demanded] = [
        (clauses[demand.clause], demand.formula)
        for number, demand in enumerate(division.demands)
        if own in demand.zones and (demand.formula is not None or number in division.local[own])
    ]
    game, moves = _open_structure(division, zone, _own_moves_read(division, zone, demanded))
    scope = ZoneScope(frozenset(zone.variables), moves, stays=True, tallies=whole.game.tallies)
    make = _compiler(division, game.vocabulary, budget)
    required = _compiled(demanded, scope, make, weaker=True)
    if not required:
        return None
    allowed = []
    for clause, zones in zip(whole.clauses(Player.ADVERSARY), division.boundary_zones, strict=True):
        if own not in zones and _keeps_by_itself(clause):
            continue
        seen = _seen_from(clause, clause.formula, scope, make, weaker=False)
        if seen is None:
            return None
        allowed += [seen] if seen is not MET else []
    try:
        return _configured(division, zone, game, required, tuple(allowed), budget)
    except InadmissibleError:
        return None


# -- what is demanded -------------------------------------------------------------------------------

Demanded = tuple[Clause | None, Expression | None]
"""The clause of φ_D that something comes from, if any, and the formula; none for a whole automaton."""


def _number_of(division: Division, zone: Zone) -> int:
    return division.owner[zone.variables[0]]


def demands_of(division: Division, zone: Zone, terms: ZoneTerms) -> Iterator[Demanded]:
    """What a zone is held to: its own demands, what it took over, its allowances and its promises."""
    own, clauses = _number_of(division, zone), division.configuration.clauses(Player.DEFENDER)
    for number in (*division.local[own], *terms.taken):
        demand = division.demands[number]
        yield clauses[demand.clause], demand.formula
    for number, profile in terms.allowances:
        for formula in allowed_counts(division, own, number, profile):
            yield clauses[division.demands[number].clause], formula
    for predicate in sorted(terms.promises, key=str):
        yield None, Temporal("G", (ex.negation(predicate),))


def allowed_counts(
    division: Division, zone: int, demand: int, profile: tuple[int, ...]
) -> Iterator[Expression]:
    """What an allowance asks of a zone: at most so many, and while less is spent here, fewer."""
    items, spending = division.tallies[demand].items.get(zone, ()), division.spending
    tallies = division.configuration.game.tallies
    for spent, most in enumerate(profile):
        last = spent + 1 == len(profile)
        if most >= highest(items, tallies) or (not last and profile[spent + 1] == most):
            continue
        within: Expression = Compare("<=", total(items), Number(Fraction(most))) if most >= 0 else FALSE
        if not last:
            assert spending is not None, "a profile is of a budget"
            own = frozenset(move for move in spending.moves if division.mover[move] == zone)
            less = Compare("<=", ex.Times(Did("spent", own)), Number(Fraction(spent)))
            within = Implies(less, within) if own else within
        yield Temporal("G", (within,))


def _own_moves_read(division: Division, zone: Zone, demanded: Iterable[Demanded]) -> frozenset[Move]:
    """The adversary's moves of a zone that some clause reads."""
    parts = list(division.boundary_moves)
    for clause, formula in demanded:
        for part in (formula,) if formula is not None else clause.automaton.atoms if clause else ():
            parts += [did for did in walk(part) if isinstance(did, Did)]
    actions = division.configuration.game.actions[Player.ADVERSARY]
    own = {(Player.ADVERSARY, actions[number].choice) for number in zone.actions[Player.ADVERSARY]}
    return frozenset(move for move in own if any(move in part.moves for part in parts))


MET = Clause(SafetyAutomaton("true", ("q0",), 0, (True,), (), (0,), ((0,),)), "true")
"""A clause that asks for nothing in a zone."""


ClauseMaker = Callable[[Expression], Clause]


def _compiler(division: Division, vocabulary: Vocabulary, budget: Budget) -> ClauseMaker:
    """What makes clauses of formulas, each once for a zone with the same moves, whatever its terms are."""
    known, names = division.compiled, (vocabulary.variables, vocabulary.moves)

    def made(formula: Expression) -> Clause:
        key = formula, names
        if key not in known:
            known[key] = clause_of(formula, vocabulary, budget)
        return known[key]

    return made


def _compiled(
    demanded: Iterable[Demanded], scope: ZoneScope, make: ClauseMaker, weaker: bool
) -> tuple[Clause, ...]:
    """The clauses of a zone, each once."""
    found: dict[Expression | int, Clause] = {}
    for number, (clause, formula) in enumerate(demanded):
        seen = _seen_from(clause, formula, scope, make, weaker)
        assert seen is not None, "an automaton about several zones makes them one"
        if seen is not MET:
            found.setdefault(seen.formula or number, seen)
    return tuple(found.values())


def _seen_from(
    clause: Clause | None,
    formula: Expression | None,
    scope: ZoneScope,
    make: ClauseMaker,
    weaker: bool,
) -> Clause | None:
    """A clause, or a part of one, as a zone knows it; MET where nothing is left of it, None where that cannot
    be said because it is an automaton about other zones.
    """
    if formula is None:
        assert clause is not None
        atoms = tuple(bounded(atom, scope, True) for atom in clause.automaton.atoms)
        if atoms != tuple(bounded(atom, scope, False) for atom in clause.automaton.atoms):
            return None
        return replace(clause, automaton=replace(clause.automaton, atoms=atoms), edges=())
    known = bounded(formula, scope, weaker)
    if known == TRUE:
        return MET
    known = Temporal("G", (known,)) if isinstance(known, Truth) else known
    made = make(known)
    if clause is None:
        return replace(made, label=f"promised to other zones: {made.label}")
    return replace(made, label=clause.label if known == clause.formula else made.label, place=clause.place)


def _allowed(division: Division, zone: Zone, scope: ZoneScope, make: ClauseMaker) -> list[Clause]:
    """What φ_A says of a zone at least."""
    own, whole, allowed = _number_of(division, zone), division.configuration, list[Clause]()
    for clause, zones in zip(whole.clauses(Player.ADVERSARY), division.boundary_zones, strict=True):
        if own in zones:
            seen = _seen_from(clause, clause.formula, scope, make, weaker=True)
            allowed += [seen] if seen is not None and seen is not MET else []
    return allowed


def _with_boundary(
    division: Division,
    zone: Zone,
    game: GameStructure,
    required: tuple[Clause, ...],
    allowed: list[Clause],
    budget: Budget,
) -> Configuration:
    """The game with what φ_A says of a zone; a clause that would bind the defender is left out."""
    while True:
        try:
            return _configured(division, zone, game, required, tuple(allowed), budget)
        except InadmissibleError as error:
            del allowed[error.clause]


def _configured(
    division: Division,
    zone: Zone,
    game: GameStructure,
    required: tuple[Clause, ...],
    allowed: tuple[Clause, ...],
    budget: Budget,
) -> Configuration:
    whole, inside = division.configuration, frozenset(zone.nodes)
    graph = whole.system.graph
    assert graph is not None, "what is divided has a picture"
    drawn = replace(
        graph,
        nodes=tuple(node for node in graph.nodes if node.name in inside),
        arrows=tuple(arrow for arrow in graph.arrows if inside.issuperset(arrow)),
        zones={}, groups={}, gates={}, labels={}, flows=(), filtered=frozenset(),
    )  # fmt: skip
    system = System(game, whole.system.model, whole.system.legend, graph=drawn)
    return Configuration(system, required, allowed, zone.name, whole.variant, budget=budget)


def can_wait(game: Configuration) -> bool:
    """Whether the adversary has a move that changes nothing and that no clause reads."""
    read = _moves_of((*game.requirement, *game.boundary))
    return any(_is_idle(a, Player.ADVERSARY, read) for a in game.game.actions[Player.ADVERSARY])


# -- automata that wait -----------------------------------------------------------------------------


def is_still(automaton: SafetyAutomaton) -> bool:
    """Whether reading the same state again, with a move that it does not know, never changes anything."""
    unknown: Move = (Player.ADVERSARY, "")
    static, idle = 0, 0
    for i, atom in enumerate(automaton.atoms):
        if is_static(atom):
            static |= 1 << i
        elif variables_of(atom):
            return False  # it reads a move and the state together
        else:
            idle |= (after_move(atom, unknown) == TRUE) << i
    for row in automaton.delta:
        for mask, target in zip(automaton.masks, row, strict=True):
            again = automaton.column.get(mask & static | idle)
            if again is None or automaton.delta[target][again] != target:
                return False
    return True


def _can_idle(game: GameStructure, clauses: Iterable[Clause]) -> bool:
    """Whether the defender has a move that changes nothing and that no clause reads."""
    read = _moves_of(clauses)
    return any(_is_idle(action, Player.DEFENDER, read) for action in game.actions[Player.DEFENDER])


def _moves_of(clauses: Iterable[Clause]) -> frozenset[Move]:
    parts = (part for clause in clauses for atom in clause.automaton.atoms for part in walk(atom))
    return frozenset(move for part in parts if isinstance(part, Did) for move in part.moves)


def _is_idle(action: Action, player: Player, read: frozenset[Move]) -> bool:
    return not action.rules and not action.outcome_of and (player, action.name) not in read


def _waiting(vocabulary: Vocabulary) -> Clause:
    """The defender waits in a zone when the adversary moved elsewhere, and at no other time."""
    ours, theirs = (Did(f"{p}.{ELSEWHERE}", frozenset({(p, ELSEWHERE)})) for p in Player)
    formula = Temporal("G", (ex.Iff(ours, Temporal("Y", (theirs,))),))
    return replace(clause_of(formula, vocabulary), label="what is answered here was done here")


def _keeps_by_itself(clause: Clause) -> bool:
    """Whether φ_A's clause stays kept as long as the adversary does nothing where it is about.

    The defender cannot break it, as was checked of the whole, and a move elsewhere shows it the state that it
    saw last.
    """
    return all(map(is_static, clause.automaton.atoms)) and is_still(clause.automaton)


# -- moves ------------------------------------------------------------------------------------------

OwnMoves = dict[Move, tuple[str, ...]]


def _guarded_structure(
    division: Division, zone: Zone, relies: frozenset[Expression], read: frozenset[Move], waits: bool
) -> tuple[GameStructure, OwnMoves]:
    tallies, player = division.configuration.game.tallies, Player.ADVERSARY
    scope = ZoneScope(frozenset(zone.variables), {}, relies, tallies=tallies)
    actions, moves = list[Action](), OwnMoves()
    for action in _own_actions(division, zone, player):
        move = (player, action.choice)
        own = [Action(action.name, action.rules)]
        if not all(scope.knows(rule.when) for rule in action.rules):
            own = list(_one_by_one(action, scope, weaker=True))
            own += [Action(action.name + IN_VAIN)] if waits or move in read else []
        actions += own
        moves[move] = (*moves.get(move, ()), *(each.name for each in own))
    return _structure(division, zone, actions, moves, ELSEWHERE if waits else "", ELSEWHERE if waits else "")


def _open_structure(division: Division, zone: Zone, read: frozenset[Move]) -> tuple[GameStructure, OwnMoves]:
    tallies, player = division.configuration.game.tallies, Player.ADVERSARY
    scope = ZoneScope(frozenset(zone.variables), {}, stays=True, tallies=tallies)
    own = list(_own_actions(division, zone, player))
    can_wait = any(_is_idle(action, player, read) for action in own)
    actions, moves = list[Action](), OwnMoves()
    for action in own:
        move, kept = (player, action.choice), [Action(action.name, action.rules)]
        if not all(scope.knows(rule.when) for rule in action.rules):
            usable = can_wait and move not in read
            kept = list(_one_by_one(action, scope, weaker=False)) if usable else []
        actions += kept
        moves[move] = (*moves.get(move, ()), *(each.name for each in kept))
    return _structure(division, zone, actions, moves, "", ELSEWHERE)


def _own_actions(division: Division, zone: Zone, player: Player) -> Iterator[Action]:
    actions = division.configuration.game.actions[player]
    return (actions[number] for number in zone.actions[player])


def _one_by_one(action: Action, scope: ZoneScope, weaker: bool) -> Iterator[Action]:
    """What an action can do at the most, or at the least: each rule that may apply as an action."""
    before = list[Expression]()
    for number, rule in enumerate(action.rules):
        applies = conjunction((rule.when, *map(ex.negation, before)))
        before.append(rule.when)
        guard = bounded(applies, scope, weaker)
        if guard != FALSE:
            yield Action(
                action.name if number == 0 else f"{action.name} {number}", (Rule(guard, rule.assign),)
            )


def _structure(
    division: Division, zone: Zone, adversary: list[Action], moves: OwnMoves, theirs: str, ours: str
) -> tuple[GameStructure, OwnMoves]:
    game, defender = division.configuration.game, list(_own_actions(division, zone, Player.DEFENDER))
    for action in defender:
        moves[Player.DEFENDER, action.choice] = (action.choice,)
    variables = tuple(game.variables[game.places[name]] for name in zone.variables)
    inside = frozenset(variables)
    actions = {
        Player.DEFENDER: (*defender, *([Action(ours)] if ours else [])),
        Player.ADVERSARY: (*adversary, *([Action(theirs)] if theirs else [])),
    }
    initial = tuple(game.initial[game.places[name]] for name in zone.variables)
    tallies = tuple(tally for tally in game.tallies if not inside.isdisjoint(tally.counters))
    made = GameStructure(variables, initial, Player.ADVERSARY, actions, Number(Fraction(1)), tallies=tallies)
    return made, moves
