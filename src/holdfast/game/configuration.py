"""Configurations C = (M, φ_D, φ_A) and their product game G_× (def:casg, def:product).

A position is v = (s, q_D, q_A). On a move a from v to s' every automaton reads the letter (a, s'); v₀ has
read (no action, s₀). Each clause of a specification keeps its own automaton, and the side's automaton is
their synchronous product, of which nothing is minimised away: |V| = |S|·|Q_D|·|Q_A|.

U = {v : q_D ∉ F_D}. Λ keeps the adversary moves with q_A' ∈ F_A and every defender move. A threat boundary
is *admissible* iff no defender move takes it from F_A out of F_A (eq:phia-defender); that is checked
here, exactly, over all positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, expect, expect_all
from holdfast.game.actions import State
from holdfast.game.admissibility import check_admissible, check_drawn
from holdfast.game.clauses import Clause, clause
from holdfast.game.criticality import critical_nodes
from holdfast.game.display import Displayed
from holdfast.game.sight import memories
from holdfast.game.structure import GameStructure, successor
from holdfast.game.system import CRITICAL, Graph, PicturePlace, System
from holdfast.logic import (
    Defined,
    Expression,
    Move,
    Player,
    SafetyAutomaton,
    Vocabulary,
    accepts,
    build_automaton,
    compile_tree,
    is_static,
    parse_predicate,
    redefined,
    walk,
    with_moves,
)

if TYPE_CHECKING:
    pass


class Position(NamedTuple):
    """A position v of the product game; automaton states clause by clause."""

    state: State
    turn: Player
    q_defender: tuple[int, ...]
    q_adversary: tuple[int, ...]


@dataclass(frozen=True)
class Configuration(Displayed):
    """An asymmetrically constrained safety game C = (M, φ_D, φ_A).

    Attributes:
        system: M with what surrounds it.
        requirement, boundary: the clauses of φ_D and of φ_A.
        name, variant, description: for display.
        text: of the scenario that it comes from; empty if it comes from none.
        costs: what interventions cost, by name or type; 1 where none is given.
        recovery: states that the defender wants to get back to, by name, besides those of the system.
        pace: how many seconds a move takes, for display; None where nobody says.
        layout: where nodes of its picture stand, as in :attr:`Graph.places`; it changes no answer.
        labels, notes: words for nodes and arrows of its picture, in place of names and beside them.
        budget: its deadline ends the check of φ_A.
    """

    system: System
    requirement: tuple[Clause, ...]
    boundary: tuple[Clause, ...]
    name: str = ""
    variant: str | None = None
    description: str = field(default="", compare=False)
    text: str = field(default="", compare=False, repr=False)
    costs: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    recovery: Mapping[str, Expression] = field(default_factory=dict, kw_only=True)
    pace: float | None = field(default=None, kw_only=True)
    layout: Mapping[str, PicturePlace] = field(default_factory=dict, kw_only=True, compare=False, repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True, compare=False, repr=False)
    notes: Mapping[str, str] = field(default_factory=dict, kw_only=True, compare=False, repr=False)
    budget: InitVar[Budget] = UNLIMITED

    def __post_init__(self, budget: Budget) -> None:
        """Refuse a threat boundary that a defender move can violate."""
        hint = "configure(game, …) puts one together"
        expect(self.system, System, "the system of a configuration", f"a System; {hint}")
        for clauses in (self.requirement, self.boundary):
            expect_all(clauses, Clause, "the clauses of a configuration", f"a tuple of Clauses; {hint}")
        check_admissible(self, budget)
        check_drawn(self, budget)

    @property
    def game(self) -> GameStructure:
        """M."""
        return self.system.game

    @cached_property
    def defender(self) -> tuple[SafetyAutomaton, ...]:
        """The automata of φ_D, one for each clause."""
        return tuple(clause.automaton for clause in self.clauses(Player.DEFENDER))

    @cached_property
    def adversary(self) -> tuple[SafetyAutomaton, ...]:
        """The automata of φ_A, one for each clause."""
        return tuple(clause.automaton for clause in self.clauses(Player.ADVERSARY))

    def clauses(self, side: Player) -> tuple[Clause, ...]:
        """The clauses of φ_D or φ_A; those that the model itself brings come last."""
        if side is Player.DEFENDER:
            return (*self.requirement, *self.system.requirement)
        return (*self.boundary, *self.system.boundary)

    @property
    def required(self) -> tuple[str, ...]:
        """What must always hold, in words: the labels of φ_D without the clauses that only remember."""
        only = memories(self.system.sight)
        return tuple(clause.label for clause in self.clauses(Player.DEFENDER) if clause not in only)

    def broken(self, position: Position, side: Player = Player.DEFENDER) -> tuple[str, ...]:
        """The labels of the clauses of a side that reject at a position."""
        return tuple(self.clauses(side)[i].label for i in broken_clauses(self, position, side))

    @property
    def title(self) -> str:
        """The name, with that of the variant."""
        return f"{self.name} · {self.variant}" if self.variant else self.name

    @property
    def n_states(self) -> int:
        """|S|, both turns counted."""
        return 2 * self.game.n_valuations

    @property
    def n_positions(self) -> int:
        """|V| = |S|·|Q_D|·|Q_A| over the declared automata."""
        return self.n_states * _n_states(self.defender) * _n_states(self.adversary)

    @property
    def n_unsafe(self) -> int:
        """|U|: positions with q_D ∉ F_D."""
        n_rejecting = _n_states(self.defender) - math.prod(a.n_accepting for a in self.defender)
        return self.n_states * n_rejecting * _n_states(self.adversary)

    @property
    def goals(self) -> dict[str, Expression]:
        """What the defender wants to get back to, by name: the goals of the system, then its own."""
        return {**self.system.goals, **self.recovery}

    @cached_property
    def initial(self) -> Position:
        """v₀: both automata have read the label of s₀."""
        return self.start(self.game.initial, self.game.first)

    def start(self, state: State, turn: Player) -> Position:
        """The position in which an engagement starts: both automata have read the label of the state."""
        codes, sides = self.game.codes(state), (self.defender, self.adversary)
        q_defender, q_adversary = (tuple(a.read(a.initial, codes, None) for a in side) for side in sides)
        return Position(state, turn, q_defender, q_adversary)

    def describe(self, position: Position) -> str:
        """A position in the words of the model."""
        words = [self.game.describe(position.state), f"{position.turn} to move"]
        sides = (("φ_D", self.defender, position.q_defender), ("φ_A", self.adversary, position.q_adversary))
        for tag, side, qs in sides:
            words += [" ".join([tag, *(a.states[q] for a, q in zip(side, qs, strict=True))])] if side else []
        return "; ".join(words)


def configure(
    system: GameStructure | System,
    defender: Sequence[str | SafetyAutomaton | Clause] = (),
    adversary: Sequence[str | SafetyAutomaton | Clause] = (),
    *,
    name: str = "",
    variant: str | None = None,
    costs: Mapping[str, int] | None = None,
    recovery: Mapping[str, str | Expression] | None = None,
    budget: Budget = UNLIMITED,
) -> Configuration:
    """Compile the clauses that are formulas and put the parts together.

    Args:
        system: what a model gives, or a game alone.
        defender, adversary: the clauses of φ_D and φ_A, as formulas or as automata.
        costs: what the defender's interventions cost, by name or type; 1 where none is given.
        recovery: states that the defender wants to get back to, by name, besides those of the system.

    Raises:
        FormulaError, AutomatonError: for a clause that does not compile.
        InadmissibleError: for a φ_A that a defender move can violate.
        LimitError: past the deadline of the budget.
    """
    expect(system, (GameStructure, System), "what is to be configured", "a game, or the system of a model")
    for side, clauses in (("defender", defender), ("adversary", adversary)):
        expected = 'a list of formulas or automata, such as ["G (level < 8)"]'
        expect_all(clauses, (str, SafetyAutomaton, Clause), f"the {side}'s clauses", expected)
    whole = system if isinstance(system, System) else System(system)
    named = whole.vocabulary
    requirement, boundary = (
        tuple(clause(each, named, budget) for each in side) for side in (defender, adversary)
    )
    goals = {
        goal: parse_predicate(states, named) if isinstance(states, str) else states
        for goal, states in (recovery or {}).items()
    }
    return Configuration(
        whole, requirement, boundary, name, variant, costs=costs or {}, recovery=goals, budget=budget
    )


def on_system(configuration: Configuration, system: System) -> Configuration:
    """The configuration on a changed system, with clauses and goals that say there what they say here.

    A clause that uses a definition, or reads moves, which mean something else on the other system is compiled
    again.

    Raises:
        InputError: where a clause can no longer be compiled.
    """
    before, after = configuration.game.definitions, system.game.definitions
    changed = {name: body for name, body in after.items() if before.get(name, body) != body}
    moved = configuration.game.vocabulary.actions != system.game.vocabulary.actions
    requirement, boundary = (
        tuple(_reread(each, changed, system, moved) for each in side) if changed or moved else side
        for side in (configuration.requirement, configuration.boundary)
    )
    goals = {name: redefined(states, changed) for name, states in configuration.recovery.items()}
    return replace(configuration, system=system, requirement=requirement, boundary=boundary, recovery=goals)


def _reread(given: Clause, changed: Mapping[str, Expression], system: System, moved: bool) -> Clause:
    """A clause with other meanings of some definitions and, if others can be made, of its moves."""
    automaton = given.automaton
    reads_moves = moved and not all(is_static(atom) for atom in automaton.atoms)
    if used_definitions(automaton).isdisjoint(changed) and not reads_moves:
        return given

    def reread(expression: Expression) -> Expression:
        meant = redefined(expression, changed)
        return with_moves(meant, partial(_moves_called, system.vocabulary)) if reads_moves else meant

    if all(reread(atom) == atom for atom in automaton.atoms):
        return given
    if given.formula is not None:
        formula = reread(given.formula)
        compiled = compile_tree(formula, system.vocabulary, automaton.source)
        return replace(given, automaton=compiled, formula=formula)
    edges = tuple(
        edge if isinstance(edge.when, str) else replace(edge, when=reread(edge.when)) for edge in given.edges
    )
    if not edges:
        raise InputError(f'the clause "{given.label}" cannot be read again; write it as a formula')
    accepting = [name for name, good in zip(automaton.states, automaton.accepting, strict=True) if good]
    initial, source = automaton.states[automaton.initial], automaton.source
    rebuilt = build_automaton(automaton.states, initial, accepting, edges, system.vocabulary, source)
    return replace(given, automaton=rebuilt, edges=edges)


def _moves_called(vocabulary: Vocabulary, name: str) -> frozenset[Move]:
    """The moves that a name means, which may begin with whose they are."""
    side, _, rest = name.partition(".")
    player = next((player for player in Player if str(player) == side and rest), None)
    known = vocabulary.moves_by_name.get(name if player is None else rest, frozenset())
    moves = frozenset(move for move in known if player in (None, move[0]))
    if not moves:
        raise InputError(f'a clause reads the action "{name}", which is not there any more')
    return moves


def used_definitions(automaton: SafetyAutomaton) -> frozenset[str]:
    """The names of the definitions that an automaton reads."""
    parts = (part for atom in automaton.atoms for part in walk(atom))
    return frozenset(part.name for part in parts if isinstance(part, Defined))


def without_reset(configuration: Configuration) -> Configuration:
    """The configuration in which no engagement reset happens: R and the static readings know none."""
    system = configuration.system
    if system.game.reset is None:
        return configuration
    return replace(configuration, system=replace(system, game=replace(system.game, reset=None)))


def drawn_graph(configuration: Configuration) -> Graph | None:
    """The picture of the system as it is arranged, with the nodes marked that must not fall."""
    graph = configuration.system.graph
    if graph is None:
        return None
    marked = graph.with_mark(CRITICAL, critical_nodes(graph, configuration.defender))
    if not configuration.layout and not configuration.labels:
        return marked
    here = {name: place for name, place in configuration.layout.items() if name in graph.names}
    words = {" ".join(name.split()): label for name, label in configuration.labels.items()}
    drawn = {arrow: words[" -> ".join(arrow)] for arrow in graph.arrows if " -> ".join(arrow) in words}
    captions = {name: words[name] for name in graph.names if name in words}
    return replace(
        marked,
        places={**graph.places, **here},
        labels={**graph.labels, **drawn},
        captions={**graph.captions, **captions},
    )


def is_unsafe(configuration: Configuration, position: Position) -> bool:
    """Whether v ∈ U."""
    return not accepts(configuration.defender, position.q_defender)


def is_admissible(configuration: Configuration, position: Position) -> bool:
    """Whether q_A ∈ F_A."""
    return accepts(configuration.adversary, position.q_adversary)


def broken_clauses(
    configuration: Configuration, position: Position, side: Player = Player.DEFENDER
) -> tuple[int, ...]:
    """The clauses of a side that reject at a position, by number from 0."""
    states = position.q_defender if side is Player.DEFENDER else position.q_adversary
    pairs = zip(configuration.clauses(side), states, strict=True)
    return tuple(i for i, (clause, q) in enumerate(pairs) if not clause.automaton.accepting[q])


def move(configuration: Configuration, position: Position, action: int) -> Position | None:
    """Succ(v, a), or None where a tabulated action is unavailable.

    Raises:
        InputError: for what is no position of the game, or no number of an action.
    """
    try:
        game, turn = configuration.game, position.turn
        if action < 0:
            raise IndexError
        state = successor(game, turn, action, position.state)
        if state is None:
            return None
        codes, letter = game.codes(state), (turn, game.actions[turn][action].choice)
        ones = zip(configuration.defender, position.q_defender, strict=True)
        others = zip(configuration.adversary, position.q_adversary, strict=True)
        after = (tuple(a.read(q, codes, letter) for a, q in side) for side in (ones, others))
        return Position(state, turn.opponent, *after)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise InputError(
            f"there is no move {action!r} at {position!r}; expected the number of an action, and a position "
            f"of this game, such as {configuration.initial}"
        ) from None


def admissible_moves(configuration: Configuration, position: Position) -> dict[int, Position]:
    """Λ(v) by action: every move of the defender, the adversary's moves with q_A' ∈ F_A."""
    expect(position, Position, "what the moves are asked of", "a Position of this game")
    expect(position.turn, Player, "the turn of a position", "a Player")
    actions = range(len(configuration.game.actions[position.turn]))
    moves = ((a, move(configuration, position, a)) for a in actions)
    free = position.turn is Player.DEFENDER
    return {a: v for a, v in moves if v is not None and (free or is_admissible(configuration, v))}


def _n_states(side: Iterable[SafetyAutomaton]) -> int:
    return math.prod(a.n_states for a in side)
