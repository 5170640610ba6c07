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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from holdfast.errors import InadmissibleError
from holdfast.game import UNAVAILABLE, Action, GameStructure, State, successor
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.compile import compile_formula
from holdfast.logic.diagrams import Diagram, Diagrams
from holdfast.logic.expressions import FALSE, Expression, Player, after_move, is_static


class Position(NamedTuple):
    """A position v of the product game; automaton states clause by clause."""

    state: State
    turn: Player
    q_defender: tuple[int, ...]
    q_adversary: tuple[int, ...]


@dataclass(frozen=True)
class Configuration:
    """An asymmetrically constrained safety game C = (M, φ_D, φ_A).

    Attributes:
        game: M.
        defender: the automata of φ_D, one for each clause.
        adversary: the automata of φ_A, one for each clause.
        name, variant: for display.
    """

    game: GameStructure
    defender: tuple[SafetyAutomaton, ...]
    adversary: tuple[SafetyAutomaton, ...]
    name: str = ""
    variant: str | None = None

    def __post_init__(self) -> None:
        """Refuse a threat boundary that a defender move can violate."""
        _check_admissible(self)

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

    @cached_property
    def initial(self) -> Position:
        """v₀: both automata have read the label of s₀."""
        game = self.game
        codes = game.codes(game.initial)
        start = [
            tuple(a.read(a.initial, codes, None) for a in side) for side in (self.defender, self.adversary)
        ]
        return Position(game.initial, game.first, start[0], start[1])

    def describe(self, position: Position) -> str:
        """A position in the words of the model."""
        automata = [
            f"{tag} {' '.join(a.states[q] for a, q in zip(side, qs, strict=True))}"
            for tag, side, qs in (
                ("φ_D", self.defender, position.q_defender),
                ("φ_A", self.adversary, position.q_adversary),
            )
            if side
        ]
        return "; ".join([self.game.describe(position.state), f"{position.turn} to move", *automata])


def configure(
    game: GameStructure,
    defender: Sequence[str | SafetyAutomaton] = (),
    adversary: Sequence[str | SafetyAutomaton] = (),
    *,
    name: str = "",
    variant: str | None = None,
) -> Configuration:
    """Compile the clauses that are formulas and put the parts together.

    Raises:
        FormulaError, AutomatonError: for a clause that does not compile.
        InadmissibleError: for a φ_A that a defender move can violate.
    """
    compiled = [
        tuple(c if isinstance(c, SafetyAutomaton) else compile_formula(c, game.vocabulary) for c in side)
        for side in (defender, adversary)
    ]
    return Configuration(game, compiled[0], compiled[1], name, variant)


def is_unsafe(configuration: Configuration, position: Position) -> bool:
    """Whether v ∈ U."""
    return not _accepts(configuration.defender, position.q_defender)


def is_admissible(configuration: Configuration, position: Position) -> bool:
    """Whether q_A ∈ F_A."""
    return _accepts(configuration.adversary, position.q_adversary)


def broken_clauses(
    configuration: Configuration, position: Position, side: Player = Player.DEFENDER
) -> tuple[int, ...]:
    """The clauses of a side that reject at a position, by number from 0."""
    automata, states = (
        (configuration.defender, position.q_defender)
        if side is Player.DEFENDER
        else (configuration.adversary, position.q_adversary)
    )
    return tuple(i for i, (a, q) in enumerate(zip(automata, states, strict=True)) if not a.accepting[q])


def move(configuration: Configuration, position: Position, action: int) -> Position | None:
    """Succ(v, a), or None where a tabulated action is unavailable."""
    game, turn = configuration.game, position.turn
    state = successor(game, turn, action, position.state)
    if state is None:
        return None
    codes, letter = game.codes(state), (turn, game.actions[turn][action].name)
    return Position(
        state,
        turn.opponent,
        tuple(
            a.read(q, codes, letter) for a, q in zip(configuration.defender, position.q_defender, strict=True)
        ),
        tuple(
            a.read(q, codes, letter)
            for a, q in zip(configuration.adversary, position.q_adversary, strict=True)
        ),
    )


def admissible_moves(configuration: Configuration, position: Position) -> dict[int, Position]:
    """Λ(v) by action: every move of the defender, the adversary's moves with q_A' ∈ F_A."""
    moves: dict[int, Position] = {}
    for action in range(len(configuration.game.actions[position.turn])):
        target = move(configuration, position, action)
        if target is None:
            continue
        if position.turn is Player.DEFENDER or is_admissible(configuration, target):
            moves[action] = target
    return moves


def warnings(configuration: Configuration) -> list[str]:
    """Ways in which the question may be emptier than it looks; an answer to it is still exact."""
    found = []
    if not configuration.defender:
        found.append("nothing is required: φ_D has no clause, so every play is safe")
    if not configuration.game.actions[Player.ADVERSARY]:
        found.append("the adversary has no action at all, so nothing was withstood")
    for number, (automaton, q) in enumerate(
        zip(configuration.defender, configuration.initial.q_defender, strict=True), 1
    ):
        clause = f'clause {number} of φ_D, "{automaton.source}",'
        if automaton.accepting[q] and set(automaton.delta[q]) == {q}:
            if not automaton.accepting[automaton.initial] or set(automaton.delta[automaton.initial]) != {q}:
                found.append(
                    f"{clause} is settled in the first moment and binds no later one; "
                    "a requirement on every moment starts with G"
                )
            else:
                found.append(f"{clause} can never be violated")
    first = [configuration.initial]
    if configuration.game.first is Player.DEFENDER:
        first = list(admissible_moves(configuration, configuration.initial).values())
    asked = configuration.game.actions[Player.ADVERSARY] and not is_unsafe(
        configuration, configuration.initial
    )
    if asked and not any(admissible_moves(configuration, position) for position in first):
        found.append("no adversary is admissible: φ_A forbids every first move, so nothing was withstood")
    return found


def preimage(diagrams: Diagrams, action: Action, target: Diagram) -> Diagram:
    """The states from which a factored action leads into ``target``: first matching rule wins."""
    result = target
    for rule in reversed(action.rules):
        applied = target.substitute(diagrams.assignment(rule.assign)) if rule.assign else target
        result = diagrams.truth(rule.when).ite(applied, result)
    return result


def _n_states(side: Iterable[SafetyAutomaton]) -> int:
    return math.prod(a.n_states for a in side)


def _accepts(side: Sequence[SafetyAutomaton], qs: tuple[int, ...]) -> bool:
    return all(a.accepting[q] for a, q in zip(side, qs, strict=True))


# -- admissibility of φ_A ---------------------------------------------------------------------------


def _check_admissible(configuration: Configuration) -> None:
    """Clause by clause: no defender move takes an accepting state out of F.

    Checking each clause alone is exact: the others can sit in any of their accepting states.
    """
    if any(a.n_accepting == 0 for a in configuration.adversary):
        return
    game = configuration.game
    diagrams = None
    for number, automaton in enumerate(configuration.adversary):
        rejecting = _rejecting_guards(automaton)
        if not rejecting:
            continue
        static = all(is_static(atom) for atom in automaton.atoms)
        decided: dict[tuple[Expression, ...], list[tuple[int, Expression]]] = {}
        for action_index, action in enumerate(game.actions[Player.DEFENDER]):
            letter = (Player.DEFENDER, action.name)
            key = () if static else tuple(after_move(atom, letter) for atom in automaton.atoms)
            if key not in decided:
                decided[key] = [(q, after_move(guard, letter)) for q, guard in rejecting]
            for q, guard in decided[key]:
                if guard == FALSE:
                    continue
                if game.tables is not None:
                    witness = _tabulated_witness(game, action_index, guard)
                else:
                    diagrams = diagrams or Diagrams(game.variables)
                    codes = diagrams.pick(preimage(diagrams, action, diagrams.truth(guard)))
                    witness = None if codes is None else tuple(codes[v.name] for v in game.variables)
                if witness is not None:
                    raise _inadmissible(configuration, number, q, witness, action.name)


def _rejecting_guards(automaton: SafetyAutomaton) -> list[tuple[int, Expression]]:
    """For each accepting state, the condition under which a letter makes it reject."""
    guards = []
    for q, row in enumerate(automaton.delta):
        if automaton.accepting[q]:
            guards += [(q, automaton.guard(q, t)) for t in sorted(set(row)) if not automaton.accepting[t]]
    return guards


def _tabulated_witness(game: GameStructure, action: int, guard: Expression) -> State | None:
    import numpy as np

    from holdfast.logic.arrays import holds_array

    assert game.tables is not None
    grid = np.unravel_index(np.arange(game.n_valuations), game.shape)
    truth = np.broadcast_to(
        holds_array(guard, {v.name: g for v, g in zip(game.variables, grid, strict=True)}),
        (game.n_valuations,),
    )
    targets = game.tables[Player.DEFENDER][:, action]
    bad = np.flatnonzero((targets != UNAVAILABLE) & truth[targets])
    return game.state(int(bad[0])) if len(bad) else None


def _inadmissible(
    configuration: Configuration, clause: int, q: int, state: State, action: str
) -> InadmissibleError:
    automaton = configuration.adversary[clause]
    error = InadmissibleError(
        f'adversary clause {clause + 1}, "{automaton.source}", can be violated by the defender: at '
        f"{configuration.game.describe(state)}; defender to move; automaton in {automaton.states[q]}, "
        f"the action {action} makes it reject. φ_A may bind the adversary only (eq:phia-defender): "
        "let the clause speak of adversary moves, as in G (destroy -> …)"
    )
    error.clause = clause
    return error
