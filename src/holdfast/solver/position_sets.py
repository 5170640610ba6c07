"""Sets of positions, and the operators of a game on them: what both engines offer.

A set holds positions outside U, where φ_D has not been violated yet, of either turn. It knows the game that
its positions are of, never changes, and answers by operators:

- ``a & b``, ``a | b``, ``a - b``, ``~a`` (within the positions outside U), ``a == b``, ``a <= b``,
  ``position in a``, and ``bool(a)``, false for the empty set;
- pre(A): whoever is to move has an admissible move into A;
- cpre(A), the *controllable predecessor*: the defender has a move into A, the adversary has admissible moves
  into A alone. An adversary without any is in it, whatever A is;
- post(A): where the admissible moves lead from A.

A game *by* which pre and cpre go may have fewer moves of the defender
(:meth:`~holdfast.solver.solution.Regions.only`).

A move may also lead into U, which is in no set: pre can count it as a way in, and cpre never does. So W is
the largest fixpoint of cpre, and what the adversary attracts the least one of ~cpre(~·). Every result is
exact.

Decision diagrams (:mod:`holdfast.solver.diagram_positions`) and arrays
(:mod:`holdfast.solver.array_positions`) have the same operators, so that what is built on them is written
once.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Action, Position, Seen
from holdfast.logic import Expression, Player, Variable

_Positions = TypeVar("_Positions", bound="PositionSet")


class PositionSet(Protocol):
    """A set of positions outside U: the contract of both engines.

    The operators of the game look ``among`` some positions alone, if they are given; what is left out costs
    nothing. They raise LimitError past the budget.
    """

    def __and__(self: _Positions, other: _Positions, /) -> _Positions:
        """What is in both sets."""

    def __or__(self: _Positions, other: _Positions, /) -> _Positions:
        """What is in one of the sets, or in both."""

    def __sub__(self: _Positions, other: _Positions, /) -> _Positions:
        """What is in this set and not in the other."""

    def __invert__(self: _Positions) -> _Positions:
        """The positions outside U that are not in the set."""

    def __le__(self: _Positions, other: _Positions, /) -> bool:
        """Whether everything in this set is in the other."""

    def __hash__(self) -> int:
        """Equal sets have equal hashes."""

    def __bool__(self) -> bool:
        """Whether there is anything in the set."""

    def __contains__(self, position: Position, /) -> bool:
        """Whether a position is in the set; one of U never is."""

    def count(self, multiplicity: bool = True) -> int:
        """How many positions there are, exactly.

        Positions that the solver takes for one since φ_A rejects in all of them count each; without their
        ``multiplicity``, once.
        """

    def size(self) -> int:
        """How much there is to look at: nodes of diagrams, or positions."""

    def alone(self: _Positions, position: Position) -> _Positions:
        """The set of one position of the game, which must be outside U."""

    def some(self) -> Position | None:
        """Some position of the set; None if it is empty."""

    def at(self: _Positions, player: Player) -> _Positions:
        """The positions of the set at which it is a player's turn."""

    def satisfying(self: _Positions, predicate: Expression) -> _Positions:
        """The positions of the set in whose state a predicate holds."""

    def forgetting(self: _Positions, variables: Collection[Variable]) -> _Positions:
        """The positions that differ from one of the set in the values of some variables at most.

        It may have values in it that the variables do not have, and is for joins with sets that have not.
        """

    def recalling(self: _Positions, memories: Collection[tuple[int, ...]]) -> _Positions:
        """The positions of the set at which φ_A is in some of its states."""

    def split(self: _Positions, seen: Seen) -> dict[int, _Positions]:
        """The set in parts that look alike to somebody who sees some of every position.

        The key of a part has a bit for each thing that is seen, the first one lowest.
        """

    def pre(
        self: _Positions,
        among: _Positions | None = None,
        *,
        by: Any = None,
        unsafe: bool = False,
        budget: Budget = UNLIMITED,
    ) -> _Positions:
        """From where some admissible move leads into the set or, if ``unsafe``, into U."""

    def cpre(
        self: _Positions, among: _Positions | None = None, *, by: Any = None, budget: Budget = UNLIMITED
    ) -> _Positions:
        """From where the defender can move into the set, and the adversary cannot but move into it."""

    def pre_as(
        self: _Positions, number: int, doing: Action, among: _Positions, *, unsafe: bool = False
    ) -> _Positions:
        """From where the adversary would lead into the set (or U) if one of its moves did something else.

        The move keeps its number, its name and so what automata read of it; ``doing`` says what it does.
        """

    def kept(self: _Positions, budget: Budget = UNLIMITED, *, here: Position | None = None) -> _Positions:
        """The largest part of the set in which the defender can keep play for ever.

        Where only the part that has a position ``here`` is asked for, a larger one without it may be given.
        """

    def post(self: _Positions, *, by: Any = None, budget: Budget = UNLIMITED) -> _Positions:
        """Where admissible moves lead from the set, as long as they do not lead into U."""

    def narrowest(
        self: _Positions, among: _Positions, *, budget: Budget = UNLIMITED
    ) -> tuple[int, _Positions]:
        """The fewest actions that lead into the set from any of some defender positions, and where.

        There must be such a position.
        """

    def extent(self, term: Expression) -> tuple[Fraction | int, Fraction | int]:
        """The least and the greatest value of a term in the states of the set, which is not empty."""


def out_of_moves(positions: _Positions, budget: Budget = UNLIMITED) -> _Positions:
    """The adversary positions of a set without an admissible move; the defender always has one.

    Raises:
        LimitError: past the budget.
    """
    adversary, nothing = positions.at(Player.ADVERSARY), positions - positions
    return adversary - (~nothing).pre(among=adversary, unsafe=True, budget=budget)
