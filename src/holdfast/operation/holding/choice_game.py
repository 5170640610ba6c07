"""The game of HOLD, listed: every position outside U and W, and what can be chosen there.

Positions of W are one, with the value 1; so are those of U, with the value 0. What is listed are the
positions outside both that some play from v₀ can meet, the defender's first. Choices that lead to one place,
whatever is drawn, are told apart from *gambles*, and of those that lead to the same place one is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from holdfast.arrays import Array, Floats, Int32s, Int64s, distinct
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.logic import Player
from holdfast.solver import TURNS, ArrayRegions, ProductTables, Solution, arrays

LISTABLE = 30_000_000
"""Up to so many positions times actions they are listed."""
CHUNK = 1 << 16
BYTES_PER_CHOICE = 64

_NOWHERE, _UNSAFE, _WON = -3, -2, -1
"""In place of a position: there is no such choice; the successor is in U, or in W."""


@dataclass(frozen=True)
class ChoiceGame:
    """The positions outside U and W that play can meet, numbered, the defender's first.

    Values are arrays of ``n + 2`` numbers: that of U, which is 0, and that of W, which is 1, come last.

    Attributes:
        n, n_defender: how many positions there are, and how many of them are the defender's.
        initial: the number of v₀.
        first: for each position, where its choices begin.
        target: for each choice the position it leads to; for a gamble, any.
        gambles: the choices whose outcome is drawn.
        drawn: for each gamble the positions that it may lead to, filled up with U.
        shares: their probabilities, rounded to doubles; 0 where it is filled up.
        exact: the probabilities of its outcomes, exactly, for each class of gambles; and which it is.
        names: of each gamble the number of its choice in ``choices``.
        choices: the names of the choices whose outcome is drawn, each with whose it is.
        keys: of each position, its number within the arrays of its turn.
    """

    n: int
    n_defender: int
    initial: int
    first: Int64s
    target: Int32s
    gambles: Int64s
    drawn: Int32s
    shares: Floats
    exact: tuple[tuple[Fraction, ...], ...]
    classes: Int32s
    names: Int32s
    choices: tuple[tuple[Player, str], ...]
    keys: Int64s

    @property
    def error(self) -> float:
        """How far one step in doubles can be off: each product and sum, and each probability, is rounded."""
        return float((self.drawn.shape[1] + 2) * 2.0**-53) if len(self.gambles) else 0.0

    def start(self, value: float = 1.0) -> Floats:
        """One value at all positions, 0 at U and 1 at W."""
        values = np.full(self.n + 2, value)
        values[self.n], values[self.n + 1] = 0.0, 1.0
        return values

    def options(self, values: Floats) -> Floats:
        """The value of each choice; that of a gamble in doubles."""
        worth = values[self.target]
        if len(self.gambles):
            worth[self.gambles] = (self.shares * values[self.drawn]).sum(axis=1)
        return worth

    def at_least(self, values: Floats) -> Floats:
        """The value of each choice, or less: of a gamble what rounding leaves of it, or its worst outcome."""
        worth = values[self.target]
        if len(self.gambles):
            after = values[self.drawn]
            mean = (self.shares * after).sum(axis=1) - self.error
            worth[self.gambles] = np.maximum(mean, np.where(self.shares > 0, after, 1.0).min(axis=1))
        return worth

    def best(self, worth: Floats) -> Floats:
        """The best choice of whoever moves: the greatest for the defender, the least for the adversary."""
        values, own = np.empty(self.n + 2), self.n_defender
        cut = int(self.first[own])
        if own:
            values[:own] = np.maximum.reduceat(worth[:cut], self.first[:own])
        if own < self.n:
            values[own : self.n] = np.minimum.reduceat(worth[cut:], self.first[own : self.n] - cut)
        values[self.n], values[self.n + 1] = 0.0, 1.0
        return values

    def after(self, values: Floats) -> Floats:
        """Φ: the values one move earlier."""
        return self.best(self.options(values))


def is_listed(solution: Solution) -> bool:
    """Whether listing every position is quicker than diagrams, or the only way; never with counters."""
    game = solution.configuration.game
    if game.tallies:
        return False
    n_actions = sum(len(game.actions[player]) for player in Player)
    return game.tables is not None or solution.configuration.n_positions * n_actions <= LISTABLE


def choice_game(solution: Solution, budget: Budget = UNLIMITED, *, whole: bool = False) -> ChoiceGame | None:
    """The game of HOLD of a solution; None where v₀ is in U or in W, where HOLD is 0 or 1.

    The positions of W are listed too if it is to be the ``whole`` game; then there is one wherever v₀ is not
    in U.

    Raises:
        LimitError: where there are too many positions to list, or past the budget.
    """
    regions = arrays(solution, budget)
    place = regions.tables.place(solution.configuration.initial)
    if place is None or (regions.ranks[place] < 0 and not whole):
        return None
    return _Listing(regions, budget, whole).listed()


class _Listing:
    """The positions met so far, turn by turn."""

    def __init__(self, regions: ArrayRegions, budget: Budget, whole: bool) -> None:
        self.tables: ProductTables = regions.tables
        self.ranks, self.budget, self.all = regions.ranks, budget, whole
        size = self.tables.blocks.n_blocks * self.tables.n
        self.number = [np.full(size, -1, dtype=np.int32) for _ in TURNS]
        self.found: list[list[Int64s]] = [[], []]
        self.n_found = [0, 0]
        self.plain: list[list[tuple[Int64s, Int64s]]] = [[], []]
        self.gambles: list[list[tuple[Int64s, Int64s, int, int]]] = [[], []]
        self.choices: dict[tuple[Player, str], int] = {}
        self.classes: dict[tuple[Fraction, ...], int] = {}
        self.n_choices = 0

    def listed(self) -> ChoiceGame:
        """Follow play from v₀ until nothing is new."""
        place = self.tables.place(self.tables.configuration.initial)
        assert place is not None
        start = place[1] * self.tables.n + place[2]
        frontier = self._enter(place[0], np.array([start]))
        turn = place[0]
        waiting = {turn: frontier, 1 - turn: frontier[:0]}
        while any(len(keys) for keys in waiting.values()):
            turn = 1 - turn
            if not len(waiting[turn]):
                continue
            fresh, waiting[turn] = waiting[turn], waiting[turn][:0]
            entered = [self._expand(turn, fresh[i : i + CHUNK]) for i in range(0, len(fresh), CHUNK)]
            waiting[1 - turn] = np.concatenate([waiting[1 - turn], *entered])
        return self._listed(place[0], start)

    def _enter(self, turn: int, keys: Array) -> Array:
        """Number the positions that are new."""
        new = distinct(keys)
        new = new[self.number[turn][new] < 0]
        self.number[turn][new] = np.arange(self.n_found[turn], self.n_found[turn] + len(new))
        self.found[turn].append(new)
        self.n_found[turn] += len(new)
        return new

    def _expand(self, turn: int, keys: Array) -> Array:
        """List the choices at some positions of a turn; the positions that are new by them."""
        self.budget.tick(f"listing play: {sum(self.n_found):,} positions")
        tables, player = self.tables, TURNS[turn]
        own = self.number[turn][keys].astype(np.int64)
        outside = np.ones((2, tables.blocks.n_blocks, tables.n), dtype=np.int8)
        rows = tables.single_outcomes(outside, player, *np.divmod(keys, tables.n))
        after = self.ranks[1 - turn].reshape(-1)
        plain, met = [], [keys[:0]]
        for outcomes in tables.choices[player]:
            targets = []
            for _ in outcomes:
                row = next(rows, None)
                if row is None:  # the adversary is out of moves here
                    break
                admissible, inside, key = row
                won = False if self.all else after[key] < 0
                target = np.where(inside == 0, _UNSAFE, np.where(won, _WON, key))
                targets.append(np.where(admissible, target, _NOWHERE))
            if len(targets) < len(outcomes):
                break
            here = targets[0]
            if len(targets) > 1:
                here = self._gamble(turn, own, targets, outcomes)
            plain.append(here)
            met += [target[target >= 0] for target in targets]
        self._plain(turn, own, plain)
        return self._enter(1 - turn, np.concatenate(met))

    def _gamble(self, turn: int, own: Array, targets: list[Array], outcomes: tuple[int, ...]) -> Array:
        """Note the positions at which the outcomes of a choice differ; where it leads at the others."""
        actions = self.tables.configuration.game.actions[TURNS[turn]]
        shares = tuple(Fraction(actions[number].probability) for number in outcomes)
        together = np.stack(targets)
        possible = (together != _NOWHERE).all(axis=0)
        risky = possible & (together != together[0]).any(axis=0)
        if risky.any():
            number = self.classes.setdefault(shares, len(self.classes))
            named = TURNS[turn], actions[outcomes[0]].choice
            choice = self.choices.setdefault(named, len(self.choices))
            self.gambles[turn].append((own[risky], together[:, risky].T, number, choice))
            self.n_choices += int(risky.sum())
        return np.where(possible & ~risky, together[0], _NOWHERE)

    def _plain(self, turn: int, own: Array, targets: list[Array]) -> None:
        """Note where choices without chance lead, each place once."""
        if not targets:
            return
        together = np.sort(np.stack(targets), axis=0)
        new = together != _NOWHERE
        new[1:] &= together[1:] != together[:-1]
        choice, column = np.nonzero(new)
        self.plain[turn].append((own[column], together[choice, column]))
        self.n_choices += len(choice)
        if self.n_choices * BYTES_PER_CHOICE > self.budget.memory:
            raise LimitError(f"more than {self.n_choices:,} choices do not fit in the memory")

    def _listed(self, turn: int, start: int) -> ChoiceGame:
        """Everything in its place."""
        n_defender, n = self.n_found[0], sum(self.n_found)
        width = max(map(len, self.classes), default=1)
        owners, targets, drawn = list[Array](), list[Array](), list[Array]()
        kinds: list[tuple[int, int]] = []
        for t in range(2):
            base = 0 if t == 0 else n_defender
            stuck = np.ones(self.n_found[t], dtype=bool)
            for own, target in self.plain[t]:
                owners.append(own + base)
                targets.append(self._numbers(1 - t, target, n))
                stuck[own] = False
            for own, together, number, choice in self.gambles[t]:
                owners.append(own + base)
                targets.append(np.full(len(own), -1 - len(kinds)))
                filled = np.full((len(own), width), n)
                filled[:, : together.shape[1]] = self._numbers(1 - t, together, n)
                drawn.append(filled)
                kinds.append((number, choice))
                stuck[own] = False
            rests = np.flatnonzero(stuck) + base  # the adversary is out of moves, and the requirement is kept
            owners.append(rests)
            targets.append(np.full(len(rests), n + 1))
        return self._sorted(turn, start, owners, targets, drawn, kinds, width)

    def _sorted(
        self,
        turn: int,
        start: int,
        owners: list[Array],
        targets: list[Array],
        drawn: list[Array],
        kinds: list[tuple[int, int]],
        width: int,
    ) -> ChoiceGame:
        """The choices in the order of their positions."""
        n_defender, n = self.n_found[0], sum(self.n_found)
        owner, target = np.concatenate(owners), np.concatenate(targets)
        row = np.zeros(len(target), dtype=np.int64)
        row[target < 0] = np.arange(int((target < 0).sum()))
        order = np.argsort(owner, kind="stable")
        owner, target, row = owner[order], target[order], row[order]
        gambles = np.flatnonzero(target < 0)
        exact = tuple(self.classes)
        shares = np.zeros((len(exact), width))
        for i, own in enumerate(exact):
            shares[i, : len(own)] = [float(share) for share in own]
        listed = np.concatenate(drawn) if drawn else np.zeros((0, width), dtype=np.int64)
        kind, name = (
            np.concatenate([np.full(len(d), k[i]) for d, k in zip(drawn, kinds, strict=True)] or [row[:0]])
            for i in range(2)
        )
        first = np.searchsorted(owner, np.arange(n + 1))
        return ChoiceGame(
            n=n,
            n_defender=n_defender,
            initial=int(self.number[turn][start]) + (n_defender if turn else 0),
            first=first.astype(np.int64),
            target=np.where(target < 0, n, target).astype(np.int32),
            gambles=gambles,
            drawn=listed[row[gambles]].astype(np.int32),
            shares=shares[kind[row[gambles]]] if len(exact) else np.zeros((0, width)),
            exact=exact,
            classes=kind[row[gambles]].astype(np.int32),
            names=name[row[gambles]].astype(np.int32),
            choices=tuple(self.choices),
            keys=np.concatenate([*self.found[0], *self.found[1]]),
        )

    def _numbers(self, turn: int, targets: Array, n: int) -> Array:
        """Positions of a turn by their numbers."""
        base = 0 if turn == 0 else self.n_found[0]
        known = self.number[turn][targets.clip(0)].astype(np.int64) + base
        return np.where(targets == _UNSAFE, n, np.where(targets == _WON, n + 1, known))
