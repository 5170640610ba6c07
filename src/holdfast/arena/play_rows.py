"""The arrays that the kernels of play read and write (:mod:`holdfast.arena.play_kernels`)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from holdfast.arrays import Array, Floats, Int32s
from holdfast.game import GameStructure, choices
from holdfast.solver import TURNS

Flags = npt.NDArray[np.int8]


def wide(number: int, kind: type[np.signedinteger] = np.int64) -> int:
    """A number that is written down, as wide as others of its kind.

    A kernel is compiled anew for each width of its numbers, and for each number that is written out where it
    is called; with these, nearly all kernels of play are compiled once.
    """
    return cast(int, kind(number))


SPARE, SECOND, THEIRS, NOTHING = wide(0), wide(1), wide(1, np.int8), wide(0, np.int32)
"""The first and the second row to spare; the adversary's turn; the number of no actions."""

DIGITS = 2**53
"""Numbers from 0 to 1 are drawn as multiples of one part of so many."""


class GameRows(NamedTuple):
    """Games side by side, a row each."""

    codes: Int32s
    automata: Int32s
    turn: Flags

    def at(self, rows: slice | Array) -> GameRows:
        """Some of them, given by their places or by a mask."""
        return GameRows(self.codes[rows], self.automata[rows], self.turn[rows])


class LearnerView(NamedTuple):
    """Play as learners read it: the first four by position, the others by move."""

    first: npt.NDArray[np.int64]
    """The moves of v are ``first[v]`` up to, not including, ``first[v + 1]``."""
    reset: Int32s
    """Where a reset leads from a position; −1 where none can happen, −2 where that has yet to be asked."""
    mu: Floats
    gain: Floats
    """The reward, at v, of the player who has just moved to v."""
    entry: Int32s
    """Where Q(s, a) is in a table with a row for each state and the defender's actions first."""
    successor: Int32s
    """The position after a move, −1 where that is not known yet."""


class MoveDraws(NamedTuple):
    """How outcomes are drawn, by move: each outcome of a choice is one, and they follow each other."""

    outcomes: Int32s
    """Of the first outcome of a choice how many it has, of the others 0."""
    upto: Floats
    """The probability of the outcomes up to this one, as drawn numbers are compared with it
    (:func:`thresholds`)."""


class PositionTable(NamedTuple):
    """Positions met in play, by their number, and how they are found again; with room for more."""

    games: GameRows
    state: Int32s
    """The number of the state of a position."""
    holder: Int32s
    """For each state, by its number, a position that has it."""
    action: Int32s
    """By move."""
    slots: tuple[Int32s, Int32s]
    """Numbers of positions by a hash of the position, and of its state alone; −1 where there is none."""
    sizes: npt.NDArray[np.int64]
    """How many positions, states and moves there are."""
    levels: tuple[Floats, Floats]
    """For each value of μ the double nearest to it, and that nearest to 2μ − 1."""
    sink: Int32s
    """States of φ_A that stand for all that reject; none where all of them are told apart."""
    kind: int
    """Which mask leaves the moves."""
    upto: Floats
    """For each player and action, as in :class:`MoveDraws`; shape (2, n_actions)."""
    draws: MoveDraws
    """Without an entry where nothing is drawn."""
    spare: GameRows
    """One row: the position to be entered."""
    mask: Flags
    alike: Flags


def thresholds(game: GameStructure, width: int) -> tuple[Int32s, Floats]:
    """How many outcomes the choice has that begins with each action, and the probability up to each.

    A number u with 53 binary digits is below one of the latter if and only if it is below the probability
    itself, so that outcomes are drawn exactly as likely as such numbers allow. Both of shape (2, width).
    """
    n_outcomes, upto = np.zeros((2, width), dtype=np.int32), np.ones((2, width))
    for turn, player in enumerate(TURNS):
        for outcomes in choices(game, player):
            n_outcomes[turn, outcomes[0]], reached = len(outcomes), Fraction(0)
            for action in outcomes:
                reached += Fraction(game.actions[player][action].probability)
                upto[turn, action] = math.ceil(reached * DIGITS) / DIGITS
    return n_outcomes, upto


class Memo(NamedTuple):
    """The masks of positions met before, each in its one place; a turn of −1 says that a place is empty."""

    games: GameRows
    mask: Flags
    n_left: Int32s
    alike: Flags
    """Room for an answer for each kind of move."""
