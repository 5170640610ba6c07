"""A solved game laid out for the compiled loops: the functions of the shield, and with them μ and the reset.

The shield is the one that is exported (:mod:`holdfast.arena.export.flat_shield`). Play asks for three
functions of a state more: the value of μ there, whether an engagement reset can happen and what it sets, and
where each automaton goes when it reads the state at the start of an engagement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, chain
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena.export.flat_shield import (
    ShieldFunctions,
    shield_clauses,
    shield_functions,
    sink_of,
    step,
)
from holdfast.arena.play_kernels import LAYOUT, READINGS, WIDTH
from holdfast.arena.play_rows import thresholds
from holdfast.arrays import Int32s
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Configuration, Position, refuse_counted
from holdfast.logic import OutOfNodes, Player, after_move, languages
from holdfast.solver import TURNS, Blocks, NodeReference, Solution, mask_sets

LARGEST = 2**62
"""Numbers of positions go up to here; games with more have none."""


@dataclass(frozen=True)
class PlayRules:
    """Everything that play asks of a solved game; it never changes, and pickled it is the solution alone.

    Attributes:
        solution: of the game.
        rules: for the kernels.
        mu, reward: for each value of μ the double nearest to it, and that nearest to 2μ − 1.
        initial: v₀ as (codes, automaton states, turn).
        n_actions: the larger of |Act_D| and |Act_A|: both players' actions are padded to it.
        weights: with these a row of codes adds up to the number of its state; None where there are too many.
        n_outcomes, upto: how the outcomes of choices are drawn (:func:`~.play_rows.thresholds`).
    """

    solution: Solution
    rules: Int32s = field(repr=False)
    mu: npt.NDArray[np.float64] = field(repr=False)
    reward: npt.NDArray[np.float64] = field(repr=False)
    initial: tuple[Int32s, Int32s, int] = field(repr=False)
    n_actions: int
    weights: npt.NDArray[np.int64] | None = field(repr=False)
    n_outcomes: Int32s = field(repr=False)
    upto: npt.NDArray[np.float64] = field(repr=False)

    def __copy__(self) -> PlayRules:
        return self

    def __deepcopy__(self, memo: object) -> PlayRules:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return play_rules, (self.solution,)

    @property
    def configuration(self) -> Configuration:
        """What is played."""
        return self.solution.configuration

    @property
    def n_readings(self) -> int:
        """How many kinds of moves the automata tell apart, at most."""
        first, width = self.rules[READINGS], self.rules[WIDTH]
        return 1 + int(self.rules[first : first + 2 * width].max())

    @property
    def n_clauses(self) -> int:
        """How many clauses both sides have."""
        return len(self.initial[1])

    def position(self, codes: npt.ArrayLike, automata: npt.ArrayLike, turn: int) -> Position:
        """A row of games as a position."""
        qs = tuple(np.asarray(automata).tolist())
        n = len(self.configuration.defender)
        return Position(tuple(np.asarray(codes).tolist()), TURNS[turn], qs[:n], qs[n:])


def play_rules(solution: Solution, budget: Budget = UNLIMITED) -> PlayRules:
    """Lay a solution out, once.

    Raises:
        LimitError: when diagrams or tables grow too large.
    """
    refuse_counted(solution.configuration.game, "play as learners and environments have it")
    return solution.cached("rules of play", lambda: _laid_out(solution, budget))


def _laid_out(solution: Solution, budget: Budget) -> PlayRules:
    configuration, game = solution.configuration, solution.configuration.game
    shield = shield_functions(solution, budget, first=len(LAYOUT))
    try:
        rules, values = _rules(configuration, shield)
    except OutOfNodes:
        raise LimitError("μ outgrew the memory for decision diagrams; allow more memory") from None
    first = configuration.initial
    automata = np.array([*first.q_defender, *first.q_adversary], dtype=np.int32)
    fits = 2 * Blocks.of(configuration).n_blocks * game.n_valuations < LARGEST
    strides = [*accumulate(reversed(game.shape[1:]), lambda a, b: a * b, initial=1)][::-1] if fits else None
    return PlayRules(
        solution,
        rules,
        np.array([float(mu) for mu in values]),
        np.array([float(2 * mu - 1) for mu in values]),
        (np.array(first.state, dtype=np.int32), automata, TURNS.index(first.turn)),
        max(len(game.actions[player]) for player in Player),
        None if strides is None else np.array(strides, dtype=np.int64),
        *thresholds(game, max(len(game.actions[player]) for player in Player)),
    )


def _rules(configuration: Configuration, shield: ShieldFunctions) -> tuple[Int32s, list[Fraction]]:
    """The rules as the kernels read them, and the values of μ by their number."""
    game, table = configuration.game, shield.table
    values = shield.diagrams.term(game.dominance)
    level = table.decide(list(values.values()), [*range(len(values)), 0])
    reset, assigned = _reset(configuration, shield)
    fresh = _fresh(configuration, shield)
    automata = (*configuration.defender, *configuration.adversary)
    clause = list(accumulate((a.n_states for a in automata), initial=0))
    clauses, effects = shield_clauses(configuration), list(chain.from_iterable(shield.effects.listed))
    width = max(len(shield.moves[turn]) for turn in TURNS)
    rules = _written(
        table.cells,
        n_actions=[len(shield.moves[turn]) for turn in TURNS],
        n_requirements=len(configuration.defender),
        clause=clause,
        offset=[n for turn in TURNS for c in clauses[turn] for n in c.offset],
        sink=sink_of(configuration),
        n_blocks=len(shield.winning[TURNS[0]]),
        winning=[root for turn in TURNS for root in shield.winning[turn]],
        width=width,
        moves=[n for turn in TURNS for n in _padded(shield.moves[turn], width)],
        readings=[n for turn in TURNS for n in _padded(shield.readings[turn], width)],
        effect_first=list(accumulate(map(len, shield.effects.listed), initial=0)),
        effect_variable=[variable for variable, _ in effects],
        effect_root=[root for _, root in effects],
        n_steps=clause[-1],
        steps=[root for row in shield.steps for root in row],
        level=level,
        reset=reset,
        n_reset=len(assigned),
        reset_variable=[variable for variable, _ in assigned],
        reset_root=[root for _, root in assigned],
        start=[first + a.initial for first, a in zip(clause, automata, strict=False)],
        fresh=fresh,
        language=[n for a in automata for n in languages(a)],
        outcomes=thresholds(game, width)[0].reshape(-1).tolist(),
        kept=int(game.reset is not None and game.reset.kept),
    )
    return rules, list(values)


def _written(cells: list[int], **parts: int | Sequence[int]) -> Int32s:
    """The one array of the kernels: the nodes, and behind them each table; the head says where it begins."""
    numbers = list(cells)
    for name, part in parts.items():
        if isinstance(part, int):
            numbers[LAYOUT.index(name)] = part
        else:
            numbers[LAYOUT.index(name)] = len(numbers)
            numbers += part
    return np.array(numbers, dtype=np.int32)


def _reset(
    configuration: Configuration, shield: ShieldFunctions
) -> tuple[NodeReference, list[tuple[int, NodeReference]]]:
    """Where a reset can happen, and the code that each variable gets by it."""
    game, table = configuration.game, shield.table
    if game.reset is None:
        return table.decide([], [0]), []
    when = table.decide([shield.diagrams.truth(game.reset.when)], [1, 0])
    return when, [(game.places[v.name], shield.effects.code(v, value)) for v, value in game.reset.assign]


def _fresh(configuration: Configuration, shield: ShieldFunctions) -> list[NodeReference]:
    """For each state of each automaton, where it goes by reading a state to which no action led."""
    references, diagrams = [], shield.diagrams
    for automaton in (*configuration.defender, *configuration.adversary):
        atoms = [diagrams.truth(after_move(atom, None)) for atom in automaton.atoms]
        sets = mask_sets(automaton, atoms, diagrams.true)
        references += [step(automaton, q, sets, diagrams, shield.table) for q in range(automaton.n_states)]
    return references


def _padded(row: Sequence[int], width: int) -> list[int]:
    """A row of this length; what is filled in is never read."""
    return [*row, *[0] * (width - len(row))]
