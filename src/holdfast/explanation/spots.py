"""Where safe play is tightest, and how near to a violation the adversary comes in it.

*Tight*: the fewer of its actions the shield permits at a defender position of R, the tighter it is.

*Near*: inside W the adversary forces nothing, so how near it comes is measured by what one wrong move of
the defender would concede. Let near(v), at a defender position v of R, be the rank to which doing nothing
leads: if the defender waits there, the adversary wins in so many moves. The closest approach is the least
near(v) over R. Where waiting never loses, or every action changes something, the least rank of any
forbidden successor takes its place. Rank 0, a move by which the defender itself violates, is left out: it
says nothing of the adversary. Beside it stand the values that the terms compared in φ_D take over R.

All of it is exact over R, whether R is had as a list or as diagrams.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.reasons import MoveVerdict, verdicts
from holdfast.explanation.safe_positions import NEVER, SafePositions
from holdfast.explanation.safe_sets import (
    Blockwise,
    SafeSets,
    extent,
    fewest_permitted,
    nearest,
    nearest_plays,
    some_position,
    threatened,
)
from holdfast.logic.arrays import number_array
from holdfast.logic.expressions import Player
from holdfast.product import Position, broken_clauses
from holdfast.solution import Solution
from holdfast.solved_game import SolvedGame
from holdfast.whatif.bounds import Bound
from holdfast.words import Move, names_of, state_in_words

N_EXAMPLES = 3
MAX_ASKED = 2_000
"""Positions up to which it is looked at which clauses the adversary would violate."""


@dataclass(frozen=True)
class Forbidden:
    """Actions that are forbidden for the same reason; ``rank`` moves later they would lose."""

    actions: tuple[str, ...]
    rank: int
    reason: str


@dataclass(frozen=True)
class Spot:
    """A defender position of R.

    Attributes:
        state: in words.
        memory: the automaton states, in words.
        play: a shortest play from v₀ that leads here; None where a limit kept it from being found.
        permitted: Safe(v), by name.
        n_outcomes: how many different positions the permitted actions lead to.
        forbidden: the other actions, by reason, the worst first.
    """

    state: str
    memory: str
    play: tuple[Move, ...] | None
    permitted: tuple[str, ...]
    n_outcomes: int
    forbidden: tuple[Forbidden, ...]


@dataclass(frozen=True)
class TightSpots:
    """The tightest positions.

    Attributes:
        n_permitted: the fewest permitted actions; ``n_actions`` is |Act_D|.
        n_positions: how many of the ``n_searched`` defender positions of R have so few.
        examples: those nearest to v₀, in different states where there are.
    """

    n_permitted: int
    n_actions: int
    n_positions: int
    n_searched: int
    examples: tuple[Spot, ...]


@dataclass(frozen=True)
class Threat:
    """A clause that the adversary would violate with its very next move, and at how many positions."""

    clause: str
    n_positions: int


@dataclass(frozen=True)
class Extent:
    """The least and the greatest value that the term of a bound takes over R."""

    bound: str
    least: int
    greatest: int


@dataclass(frozen=True)
class Approach:
    """How near the adversary comes.

    Attributes:
        moves: the least near(v); None if no wrong move lets the adversary win.
        by_waiting: whether the wrong move is to do nothing.
        n_positions: at how many of the ``n_searched`` defender positions it is that near.
        n_waiting_loses: at how many of them doing nothing loses, sooner or later.
        example: the one nearest to v₀.
        threats: where ``moves`` is 1, the clauses that are then violated.
        extents: of the numbers in φ_D.
    """

    moves: int | None
    by_waiting: bool
    n_positions: int
    n_searched: int
    n_waiting_loses: int
    example: Spot | None
    threats: tuple[Threat, ...]
    extents: tuple[Extent, ...]


# -- where the positions are listed -------------------------------------------------------------------


def tight_spots(solution: Solution, found: SafePositions, n_examples: int = N_EXAMPLES) -> TightSpots | None:
    """The tightest of the positions; None where there are none."""
    if not found.n:
        return None
    least = int(found.n_permitted.min())
    tightest = np.flatnonzero(found.n_permitted == least)
    chosen, states = [], set()
    for i in tightest[: 50 * n_examples].tolist():
        state = found.position(i).state
        if state not in states:
            states.add(state)
            chosen.append(i)
    chosen += [i for i in tightest[:n_examples].tolist() if i not in chosen]
    n_actions = len(solution.configuration.game.actions[Player.DEFENDER])
    examples = tuple(_spot(solution, found.position(i), found.play(i)) for i in chosen[:n_examples])
    return TightSpots(least, n_actions, len(tightest), found.n, examples)


def closest_approach(
    solution: Solution, found: SafePositions, bounds: Iterable[Bound] = (), budget: Budget = UNLIMITED
) -> Approach:
    """How near the adversary comes over the positions; ``bounds`` are the numbers whose terms are read."""
    by_waiting = bool((found.waiting < NEVER).any())
    near = found.waiting if by_waiting else found.nearest
    least = int(near.min(initial=NEVER))
    here = np.flatnonzero(near == least) if least < NEVER else near[:0]
    return Approach(
        moves=least if least < NEVER else None,
        by_waiting=by_waiting,
        n_positions=len(here),
        n_searched=found.n,
        n_waiting_loses=int((found.waiting < NEVER).sum()),
        example=_spot(solution, found.position(int(here[0])), found.play(int(here[0])))
        if len(here)
        else None,
        threats=_threats(solution, found, here.tolist(), by_waiting, budget) if least == 1 else (),
        extents=tuple(_extent(solution, found, bound) for bound in bounds if bound.term is not None),
    )


def _extent(solution: Solution, found: SafePositions, bound: Bound) -> Extent:
    assert bound.term is not None
    variables = solution.configuration.game.variables
    values = number_array(bound.term, {v.name: found.codes[:, i] for i, v in enumerate(variables)})
    return Extent(bound.text(), int(np.min(values)), int(np.max(values)))


def _threats(
    solution: Solution, found: SafePositions, near: list[int], by_waiting: bool, budget: Budget
) -> tuple[Threat, ...]:
    """Clause by clause, at how many positions the wrong move lets the adversary violate it at once."""
    if len(near) > MAX_ASKED:
        return ()
    solved, counts = SolvedGame(solution), dict.fromkeys(range(len(solution.configuration.defender)), 0)
    known: dict[Position, frozenset[int]] = {}
    for i in near:
        budget.tick("what one wrong move concedes")
        here = found.position(i)
        clauses: set[int] = set()
        for target in solved.moves(here):
            if solved.rank(target) != 1 or (by_waiting and target.state != here.state):
                continue
            if target not in known:
                ends = solved.options(target).values()
                known[target] = frozenset(
                    c for end in ends for c in broken_clauses(solved.configuration, end)
                )
            clauses |= known[target]
        for clause in clauses:
            counts[clause] += 1
    sources = [c.label for c in solution.configuration.requirement]
    return tuple(Threat(sources[clause], n) for clause, n in counts.items() if n)


# -- where they are diagrams --------------------------------------------------------------------------


def spots_of_sets(safe: SafeSets, n_examples: int = N_EXAMPLES) -> TightSpots | None:
    """The tightest positions of R, exactly; None where the defender is never to move."""
    solution, n_searched = safe.solution, safe.count(safe.seen[Player.DEFENDER])
    if not n_searched:
        return None
    least, where = fewest_permitted(safe)
    n_actions = len(solution.configuration.game.actions[Player.DEFENDER])
    examples = _nearest_spots(safe, where, n_examples)
    return TightSpots(least, n_actions, safe.count(where), n_searched, examples)


def approach_of_sets(safe: SafeSets, bounds: Iterable[Bound] = ()) -> Approach:
    """How near the adversary comes over R, exactly."""
    solution, near = safe.solution, nearest(safe)
    sources = [c.label for c in solution.configuration.requirement]
    threats = threatened(safe, near) if near.moves == 1 else {}
    extents = [(bound.text(), extent(safe, bound.term)) for bound in bounds if bound.term is not None]
    return Approach(
        moves=near.moves,
        by_waiting=near.by_waiting,
        n_positions=safe.count(near.where),
        n_searched=safe.count(safe.seen[Player.DEFENDER]),
        n_waiting_loses=near.n_waiting_loses,
        example=_nearest_spots(safe, near.where, 1)[0] if near.moves is not None else None,
        threats=tuple(Threat(sources[clause], n) for clause, n in threats.items()),
        extents=tuple(Extent(text, *values) for text, values in extents),
    )


def _nearest_spots(safe: SafeSets, where: Blockwise, n: int) -> tuple[Spot, ...]:
    """Positions of a set nearest to v₀; if a limit keeps these from being found, any one without a play."""
    found: list[Spot] = []
    with suppress(LimitError):
        found += (_spot(safe.solution, *one) for one in nearest_plays(safe, where, n))
    return tuple(found) or (_spot(safe.solution, some_position(safe, where), None),)


# -- in words -----------------------------------------------------------------------------------------


def _spot(solution: Solution, position: Position, play: tuple[Move, ...] | None) -> Spot:
    game = solution.configuration.game
    every = verdicts(solution, position)
    permitted = [verdict for verdict in every if verdict.permitted]
    grouped: dict[tuple[int, str], list[MoveVerdict]] = {}
    for verdict in every:
        if not verdict.permitted and verdict.rank is not None:
            grouped.setdefault((verdict.rank, verdict.reason), []).append(verdict)
    return Spot(
        state_in_words(game, position.state),
        solution.configuration.describe(position).partition(f"{position.turn} to move; ")[2],
        play,
        names_of(game, Player.DEFENDER, tuple(verdict.action for verdict in permitted)),
        len({verdict.target for verdict in permitted}),
        tuple(
            Forbidden(names_of(game, Player.DEFENDER, tuple(v.action for v in group)), rank, reason)
            for (rank, reason), group in sorted(grouped.items())
        ),
    )
