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
from dataclasses import dataclass
from typing import Any

from holdfast.design import Bound
from holdfast.explanation.safe_play import SafePlay
from holdfast.game import Position, choices
from holdfast.logic import Player
from holdfast.solver import MoveInWords, MoveVerdict, Solution, names_of, state_in_words, verdicts

N_EXAMPLES = 3


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
        memory: the automaton states, in words.
        play: a shortest play from v₀ that leads here; None where a limit kept it from being found.
        n_outcomes: how many different positions the permitted actions lead to.
        forbidden: the other actions, by reason, the worst first.
    """

    state: str
    memory: str
    play: tuple[MoveInWords, ...] | None
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
class TermRange:
    """The least and the greatest value that the term of a bound takes over R."""

    bound: str
    least: int
    greatest: int


@dataclass(frozen=True)
class Approach:
    """How close the adversary gets.

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
    extents: tuple[TermRange, ...]


def tight_spots(safe: SafePlay, n_examples: int = N_EXAMPLES) -> TightSpots | None:
    """The tightest positions of R; None where the defender is never to move."""
    if not safe.n:
        return None
    where: Any
    least, where = safe.fewest_permitted()
    n_actions = len(choices(safe.solution.configuration.game, Player.DEFENDER))
    examples = tuple(_spot(safe.solution, *play) for play in safe.plays(where, n_examples))
    return TightSpots(least, n_actions, safe.count(where), safe.n, examples)


def closest_approach(safe: SafePlay, bounds: Iterable[Bound] = ()) -> Approach:
    """How close the adversary gets over R; ``bounds`` are the numbers whose terms are read."""
    near = safe.closest()
    requirement = safe.solution.configuration.clauses(Player.DEFENDER)
    threats = safe.threatened(near) if near.moves == 1 else {}
    return Approach(
        moves=near.moves,
        by_waiting=near.by_waiting,
        n_positions=safe.count(near.where),
        n_searched=safe.n,
        n_waiting_loses=near.n_waiting_loses,
        example=_spot(safe.solution, *safe.plays(near.where, 1)[0]) if near.moves is not None else None,
        threats=tuple(Threat(requirement[clause].label, n) for clause, n in threats.items()),
        extents=tuple(TermRange(b.text(), *safe.extent(b.term)) for b in bounds if b.term is not None),
    )


def _spot(solution: Solution, position: Position, play: tuple[MoveInWords, ...] | None) -> Spot:
    game = solution.configuration.game
    judged = verdicts(solution, position)
    every = [judged[outcomes[0]] for outcomes in choices(game, position.turn)]
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
