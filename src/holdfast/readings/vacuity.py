"""Vacuity checks: ways in which a question asks less than it seems to. Its answer is exact all the same.

What can happen at all is found by an abstraction that errs on one side only: every variable has a set of
values that it may ever take, all combinations of them are thought possible, and an action is thought possible
where its guard does not contradict them. What is impossible there is impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import (
    BAD,
    GOOD,
    UNBOUNDED,
    Action,
    Clause,
    Configuration,
    GameStructure,
    Graph,
    Reset,
    Rule,
    admissible_moves,
    critical_nodes,
    is_unsafe,
    listed,
)
from holdfast.logic import (
    And,
    Arithmetic,
    Compare,
    Diagram,
    Diagrams,
    Expression,
    Member,
    Number,
    Or,
    OutOfNodes,
    Player,
    Read,
    Symbol,
    Tally,
    Truth,
    Value,
    Variable,
    after_move,
    expressions as ex,
    is_static,
    variables_of,
    walk,
)
from holdfast.solver import ResponseProfile, Solution, recovery_layers

MAX_NAMED = 6

Possible = Mapping[str, set[Value]]


@dataclass(frozen=True)
class Caveat:
    """A way in which a question is (nearly) vacuous, and what it is about: clauses, or nodes by name.

    ``whole`` if there is no question left: nothing is required, or nobody attacks.
    """

    text: str
    clauses: tuple[Clause, ...] = ()
    nodes: tuple[str, ...] = ()
    whole: bool = False


UNDEFENDED = Caveat(
    "nothing has to be defended: the requirement holds even if the defender never acts, so the verdict "
    "says nothing about the defense; require more, or allow the adversary more"
)


def warnings(
    configuration: Configuration,
    *,
    held: bool = True,
    response: ResponseProfile | None = None,
    budget: Budget = UNLIMITED,
) -> list[str]:
    """What :func:`caveats` finds, in words."""
    noticed = caveats(configuration, held=held, response=response, budget=budget)
    return [caveat.text for caveat in noticed]


def caveats(
    configuration: Configuration,
    *,
    held: bool = True,
    response: ResponseProfile | None = None,
    budget: Budget = UNLIMITED,
) -> list[Caveat]:
    """What a reader should know before trusting a verdict; ``held`` if it was that the system is defensible.

    Whether anything has to be defended is told by the response, where that is known. A caveat that cannot be
    decided within the budget is left out.
    """
    noticed = _of_question(configuration, held, budget)
    return [*noticed, *undefended(noticed, response)]


def undefended(known: Sequence[Caveat], response: ResponseProfile | None) -> tuple[Caveat, ...]:
    """The caveat that the defender may idle for ever, unless others say already that nobody attacks."""
    idle = response is not None and response.grace == UNBOUNDED
    return (UNDEFENDED,) if idle and not any(caveat.whole for caveat in known) else ()


def goal_caveats(solution: Solution) -> Iterator[Caveat]:
    """Goals that the file names and that ask for nothing, or for what the requirement rules out."""
    configuration = solution.configuration
    for name in configuration.recovery if solution.defensible else ():
        goal = recovery_layers(solution, name).goal
        if configuration.initial in goal:
            yield Caveat(
                f'the recovery goal "{name}" already holds at the start; recovery means regaining it'
            )
        elif not goal:
            yield Caveat(f'the recovery goal "{name}" can never be reached while the requirement is kept')


def _of_question(configuration: Configuration, held: bool, budget: Budget) -> list[Caveat]:
    """What the question tells by itself."""
    settled = list(_settled(configuration))
    if len(settled) == len(configuration.defender):
        settled = [replace(caveat, whole=True) for caveat in settled]
    reasons = [*_missing(configuration), *settled, *_powerless(configuration)]
    graph = configuration.system.graph
    if graph is None or not graph.tones or configuration.game.tables is not None:
        return reasons
    named = critical_nodes(graph, configuration.defender)
    spared = _spared(configuration.game, graph, named)
    many = _spared_tallies(configuration, graph)
    if spared or many:
        names = _some([*spared, *(f"the {tally.size:,} {tally.name}" for tally in many)])
        it = "it" if len(spared) == 1 and not many else "them"
        text = (
            f"the requirement names {names}, but nothing bad can ever happen there: "
            f"no way leads from the start to {it}"
        )
        reasons.append(Caveat(text, nodes=(*spared, *(tally.name for tally in many))))
    if held:
        with suppress(LimitError, OutOfNodes):
            reasons += _switched_off(configuration, graph, [n for n in named if n not in spared], budget)
    return reasons


def _missing(configuration: Configuration) -> Iterator[Caveat]:
    if not configuration.defender:
        text = "nothing is required: specs has no clause for the defender, so every play is safe"
        yield Caveat(text, whole=True)
    if not configuration.game.actions[Player.ADVERSARY]:
        yield Caveat("the adversary has no action at all, so no attack was withstood", whole=True)


def _settled(configuration: Configuration) -> Iterator[Caveat]:
    """Clauses that bind no moment after the first."""
    clauses = configuration.clauses(Player.DEFENDER)
    for number, (own, q) in enumerate(zip(clauses, configuration.initial.q_defender, strict=True), 1):
        automaton, named = own.automaton, f'requirement {number}, "{own.label}",'
        if automaton.accepting[q] and set(automaton.delta[q]) == {q}:
            if not automaton.accepting[automaton.initial] or set(automaton.delta[automaton.initial]) != {q}:
                text = (
                    f"{named} constrains only the first moment; a requirement on every moment starts with G"
                )
                yield Caveat(text, (own,))
            else:
                yield Caveat(f"{named} can never be violated", (own,))


# -- adversaries that can do nothing ------------------------------------------------------------------


def _powerless(configuration: Configuration) -> Iterator[Caveat]:
    game, first = configuration.game, configuration.initial
    actions = game.actions[Player.ADVERSARY]
    if not actions:
        return
    starts = [first] if first.turn is Player.ADVERSARY else admissible_moves(configuration, first).values()
    if not is_unsafe(configuration, first) and not any(admissible_moves(configuration, v) for v in starts):
        text = "the limits on the adversary forbid every first move, so no attack was withstood"
        yield Caveat(text, configuration.clauses(Player.ADVERSARY), whole=True)
        return
    if game.tables is not None:
        return
    able = [action for action in actions if action.rules]
    if not able:
        yield Caveat(
            "the adversary has no action that changes anything, so no attack was withstood", whole=True
        )
        return
    clauses = configuration.clauses(Player.ADVERSARY)
    forbidden = [_forbidden(clause, able) for clause in clauses]
    if not all(any(row[i] for row in forbidden) for i in range(len(able))):
        return
    alone = next((n for n, row in enumerate(forbidden) if all(row)), None)
    named = "what the adversary keeps to"
    if alone is not None:
        clauses = (clauses[alone],)
        named = f'limit {alone + 1} on the adversary, "{clauses[0].label}",'
    text = f"{named} forbids every move that changes anything, so no attack was withstood"
    yield Caveat(text, clauses, whole=True)


def _forbidden(clause: Clause, actions: Sequence[Action]) -> list[bool]:
    """For each action, whether the clause never admits it, whatever the state."""
    automaton = clause.automaton
    decided: dict[int, bool] = {}

    def never(action: Action) -> bool:
        read = [after_move(atom, (Player.ADVERSARY, action.choice)) for atom in automaton.atoms]
        if not all(isinstance(atom, Truth) for atom in read):
            return False
        mask = sum(atom == Truth(True) and 1 << i for i, atom in enumerate(read))
        if mask not in decided:
            column = automaton.column.get(mask)
            rows = (row for row, kept in zip(automaton.delta, automaton.accepting, strict=True) if kept)
            decided[mask] = column is not None and not any(automaton.accepting[row[column]] for row in rows)
        return decided[mask]

    return [never(action) for action in actions]


# -- nodes out of reach -------------------------------------------------------------------------------


def _spared(game: GameStructure, graph: Graph, named: Sequence[str]) -> list[str]:
    """The nodes among some that never have a bad value."""
    if not named:
        return []
    possible, variables = possible_values(game), {node.name: node.variable for node in graph.nodes}
    return [n for n in named if not any(_tone(graph, v) in BAD for v in possible[variables[n]])]


def _spared_tallies(configuration: Configuration, graph: Graph) -> list[Tally]:
    """The alike things of which a clause lets one fall at most, and none ever can."""
    tallies = configuration.game.tallies
    if not tallies:
        return []
    possible = possible_values(configuration.game)
    atoms = [atom for automaton in configuration.defender for atom in automaton.atoms]
    compared = [part for atom in atoms for part in walk(atom) if isinstance(part, Compare)]
    spared = []
    for tally in tallies:
        bad = [tally.counter(value) for value in tally.values if _tone(graph, value) in BAD]
        if all(possible[counter.name] == {0} for counter in bad) and any(
            _bounds(node, bad) for node in compared
        ):
            spared.append(tally)
    return spared


def _bounds(node: Compare, counters: Sequence[Variable]) -> bool:
    """Whether a comparison says that some of these numbers together are one at most."""
    weights = dict(ex.addends(Arithmetic("-", node.left, node.right)))
    most = -weights.pop(Number(Fraction(1)), Fraction(0)) - (node.op == "<")
    ones = all(isinstance(part, Read) and part.variable in counters for part in weights)
    return node.op in ("<", "<=") and bool(weights) and ones and set(weights.values()) == {1} and most <= 1


def possible_values(game: GameStructure) -> dict[str, set[Value]]:
    """For each variable at least all values that it ever takes."""
    start = zip(game.variables, game.initial, strict=True)
    possible: dict[str, set[Value]] = {variable.name: {variable.values[code]} for variable, code in start}
    rules: list[Rule | Reset] = [r for p in Player for action in game.actions[p] for r in action.rules]
    rules += [game.reset] if game.reset is not None else []
    pending = [(rule.when, variable, value) for rule in rules for variable, value in rule.assign]
    moved = True
    while moved:
        waiting = [entry for entry in pending if not _can_hold(entry[0], possible)]
        moved = len(waiting) < len(pending)
        for when, variable, value in pending if moved else ():
            if _can_hold(when, possible):
                own = (value.value,) if isinstance(value, Symbol) else variable.values
                possible[variable.name].update(own)
        pending = waiting
    return possible


def _can_hold(node: Expression, possible: Possible) -> bool:
    match node:
        case Truth(value):
            return value
        case Member(variable, values):
            return not possible[variable.name].isdisjoint(values)
        case And(args):
            return all(_can_hold(arg, possible) for arg in args)
        case Or(args):
            return any(_can_hold(arg, possible) for arg in args)
        case Compare(">=", Read(variable), Number(least)):
            return any(int(value) >= least for value in possible[variable.name])
    return True


# -- requirements that one node apart fulfils ---------------------------------------------------------


def _switched_off(
    configuration: Configuration, graph: Graph, named: Sequence[str], budget: Budget
) -> Iterator[Caveat]:
    """Nodes among some that could stay apart for ever, and that nobody asks for."""
    game = configuration.game
    by_name = {variable.name: variable for variable in game.variables}
    switches: dict[Value, list[str]] = {}
    clauses = [_StateClause(clause, budget) for clause in configuration.clauses(Player.DEFENDER)]
    for node in graph.nodes:
        if node.name in named:
            variable = by_name[node.variable]
            good = next((v for v in variable.values if _tone(graph, v) in GOOD), None)
            apart = next((v for v in variable.values if _tone(graph, v) == "apart"), None)
            if good is None or apart is None or not _can_be_put(game, variable, apart):
                continue
            if _can_stay([c for c in clauses if variable in c.read], variable, good, apart):
                switches.setdefault(apart, []).append(node.name)
    legend = configuration.system.legend
    for value, names in switches.items():
        one, first = len(names) == 1, names[0]
        text = (
            f"{_some(names)} can simply stay {legend.get(str(value), value)}: nothing asks that "
            f"{'it be' if one else 'they be'} in service; add G ({first} != {value}) or a count"
        )
        yield Caveat(text, nodes=tuple(names))


def _can_stay(reading: Sequence[_StateClause], variable: Variable, good: Value, apart: Value) -> bool:
    """Whether a variable at ``apart`` fulfils a clause for ever, and no clause likes ``good`` better."""
    if any(clause.mentions(variable, apart) for clause in reading):
        return False
    free = [clause.holds_at(variable, apart) for clause in reading]
    others = [clause for clause, kept in zip(reading, free, strict=True) if not kept]
    return any(free) and not any(clause.tells_apart(variable, good, apart) for clause in others)


def _can_be_put(game: GameStructure, variable: Variable, value: Value) -> bool:
    """Whether the defender has an action that sets the value, and the adversary none that ends it."""

    def rules(player: Player) -> Iterator[tuple[Expression, Expression]]:
        for action in game.actions[player]:
            for rule in action.rules:
                yield from ((rule.when, to) for assigned, to in rule.assign if assigned == variable)

    anything: dict[str, set[Value]] = {v.name: set(v.values) for v in game.variables}
    there = {**anything, variable.name: {value}}
    sets = any(isinstance(to, Symbol) and to.value == value for _, to in rules(Player.DEFENDER))
    return sets and not any(_can_hold(when, there) for when, _ in rules(Player.ADVERSARY))


class _StateClause:
    """A clause of φ_D, asked what it makes of one variable; its diagrams are kept."""

    def __init__(self, clause: Clause, budget: Budget) -> None:
        self.clause, self.automaton, self.budget = clause, clause.automaton, budget
        self.read = {variable for atom in clause.automaton.atoms for variable in variables_of(atom)}
        self.static = all(is_static(atom) for atom in clause.automaton.atoms)

    @cached_property
    def diagrams(self) -> Diagrams:
        """Over the variables that the clause reads."""
        return Diagrams(sorted(self.read, key=lambda variable: variable.name), budget=self.budget)

    @cached_property
    def violated(self) -> Diagram:
        """The states whose letter violates the clause in some state of its automaton."""
        violating = self.diagrams.truth(Truth(False))
        for q, row in enumerate(self.automaton.delta):
            for target in set(row) if self.automaton.accepting[q] else ():
                if not self.automaton.accepting[target]:
                    violating |= self.diagrams.truth(self.automaton.guard(q, target, self.budget))
        return violating & self.diagrams.valid

    def mentions(self, variable: Variable, value: Value) -> bool:
        """Whether somebody wrote the value down for this very variable, and so thought of it."""
        written = self.clause.formula
        trees = self.automaton.atoms if written is None else (written,)
        parts = (part for tree in trees for part in walk(tree))
        return any(isinstance(p, Member) and p.variable == variable and value in p.values for p in parts)

    def holds_at(self, variable: Variable, value: Value) -> bool:
        """Whether the clause cannot be violated while the variable has this value."""
        if not self.static:
            return False
        return not (self.violated & self.diagrams.truth(Member(variable, (value,)))).satisfiable()

    def tells_apart(self, variable: Variable, one: Value, other: Value) -> bool:
        """Whether some predicate of the clause can change when the variable goes from one to the other."""
        if not self.static:
            return True
        valid = self.diagrams.valid
        ends = [self.diagrams.assignment(((variable, Symbol(str(value))),)) for value in (one, other)]
        for atom in self.automaton.atoms:
            truth = self.diagrams.truth(atom) & valid
            if variable in variables_of(atom) and valid & truth.substitute(
                ends[0]
            ) != valid & truth.substitute(ends[1]):
                return True
        return False


def _tone(graph: Graph, value: Value) -> str:
    return graph.tones.get(str(value), "")


def _some(names: Sequence[str]) -> str:
    """The names, as many as a sentence has room for."""
    more = len(names) - MAX_NAMED
    return listed([*names[:MAX_NAMED], f"{more} more"] if more > 0 else list(names))
