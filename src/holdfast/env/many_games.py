"""Many games of one configuration side by side: arrays in, arrays out, every step compiled.

A step is a move of whoever is to move in each game. As in the paper's protocol
(:mod:`holdfast.game.protocol`)

- an episode starts at v₀ and has ``horizon`` moves, both players' counted, and is then *truncated*;
- at the start of a move, where an engagement reset can happen, u is drawn, and if u < p the reset happens;
  no draw is made anywhere else, so that one game draws what the paper's learners draw;
- a choice whose outcome is drawn goes by the number of its first outcome, and no mask has the others; when
  it is made, one number is drawn that says which outcome it has;
- the defender's reward of a move that leads to s' is 2μ(s') − 1, the adversary's the opposite;
- where the adversary is out of moves the play *rests*: its action is ignored, and the move counts.

What the paper's shielded players never do ends an episode, as lost by the one who did it: −1 for that move
and for every move left. A *violation* of φ_D is lost by the defender; an action that is not there, that φ_A
does not admit, or that the shield does not permit where it is the mask, is *forfeited* by the mover, and
the state stays as it was. Both *terminate* the episode.

The dominance of an episode is the mean of μ over its moves, before each of them is made, and 0 for those that
the defender has lost (1 for those that a forfeiting adversary has): what DDR* is the minimax value of.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import (
    FORFEITED,
    LEGAL,
    NONE,
    POSSIBLE,
    REFUSED,
    SHIELD,
    VIOLATED,
    GameRows,
    Memo,
    PlayRules,
    play_kernels as kernels,
    rows_of,
)
from holdfast.arrays import Bools
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Position, Protocol, has_chance, reset_chance
from holdfast.logic import Player
from holdfast.solver import Resets

MASKS = {"shield": SHIELD, "legal": LEGAL, "none": NONE}
"""What an action mask leaves: Safe(v), Λ(v), or all that the mover has."""


REMEMBERED = 1 << 14
"""Positions of which the mask is kept, at most."""


@dataclass(frozen=True)
class Terms:
    """What is agreed before games begin.

    Attributes:
        mask: which actions are left, one of :data:`MASKS`.
        horizon: T, the moves per episode, counting both players.
        reset: p, the chance of an engagement reset; None for the game's own.
    """

    mask: str = "shield"
    horizon: int = Protocol.steps
    reset: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        if self.mask not in MASKS:
            known = f"; known: {', '.join(MASKS)}" + did_you_mean(str(self.mask), MASKS)
            raise InputError(f'there is no mask "{self.mask}"{known}')
        Protocol(steps=self.horizon, reset_probability=self.reset)

    @property
    def protocol(self) -> Protocol:
        """Horizon and reset as the paper's protocol has them."""
        return Protocol(steps=self.horizon, reset_probability=self.reset)


@dataclass(frozen=True)
class StepResult:
    """What came of a step, an entry for each game.

    Attributes:
        reward: the defender's; the adversary's is the opposite.
        terminated: a violation, or a forfeited action.
        truncated: the horizon.
        violated, forfeited: which of them.
        reset: whether an engagement reset happened after the move.
    """

    reward: npt.NDArray[np.float64]
    terminated: Bools
    truncated: Bools
    violated: Bools
    forfeited: Bools
    reset: Bools

    @property
    def over(self) -> Bools:
        """Whether the episode has ended either way."""
        return self.terminated | self.truncated


@dataclass(frozen=True)
class GamesSnapshot:
    """Where games stand, as :meth:`Games.snapshot` tells it: arrays by name, and what draws."""

    arrays: Mapping[str, npt.NDArray[Any]]
    rng: Any


class Games:
    """N games, each at a position, with a number of moves behind it.

    They can be copied and pickled, and for a search :meth:`snapshot` and :meth:`restore` go back and forth.

    Attributes:
        book: the rules.
        terms: what was agreed.
        rng: draws outcomes and resets; any object with NumPy's ``random(size)``.
        table: where the games stand.
        n_moves: moves made in the episode; shape (n,).
        going: whether the episode goes on; shape (n,).
        mask: the actions left to the mover; int8, shape (n, n_actions).
        counts: how many these are; shape (n,).
        resting: where the adversary is out of moves; shape (n,).
        landed: the positions that the last moves led to, before any reset.
        spare: two rows that kernels may write to.
    """

    def __init__(self, book: PlayRules, terms: Terms, n: int, seed: int | None = None) -> None:
        """All games at v₀.

        Raises:
            InputError: where there is nothing to play: no shield, or a requirement that is already violated.
        """
        require_playable(book, terms)
        self.book, self.terms, self.n = book, terms, n
        self.rng: Any = np.random.default_rng(seed)
        game = book.configuration.game
        self._p, self._kind = reset_chance(terms.protocol, game), MASKS[terms.mask]
        self._resets = Resets(book.solution) if game.reset is not None else None
        self.table, self.landed, self._other = (rows_of(book, n) for _ in range(3))
        self._memos = {
            kind: new_memo(book) for kind in {self._kind, LEGAL if self._kind == NONE else self._kind}
        }
        self.spare = rows_of(book, 2)
        self.n_moves, self.going = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
        self.mask = np.zeros((n, book.n_actions), dtype=np.int8)
        self.resting = np.zeros(n, dtype=np.int8)
        self.counts, self._level = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
        self._total = np.zeros(n)
        self._outcome, self._chance = np.zeros(n, dtype=np.int8), np.zeros(n, dtype=np.int8)
        self._all, self._draws, self._uniform = np.full(n, True), has_chance(game), np.zeros(n)
        self.begin(self._all)

    def begin(self, chosen: Bools) -> None:
        """Start a new episode in the chosen games."""
        codes, automata, turn = self.book.initial
        self.table.codes[chosen], self.table.automata[chosen], self.table.turn[chosen] = codes, automata, turn
        self.n_moves[chosen], self._total[chosen] = 0, 0.0
        kernels.put(self.landed, self.table, chosen.view(np.int8))
        self.landed.turn[chosen] = turn
        self._open(chosen)

    def step(self, actions: npt.ArrayLike, chosen: Bools | None = None) -> StepResult:
        """Make a move in each game, or in the chosen ones; an ended episode must begin again before its
        next step.

        Raises:
            InputError: for actions that do not fit the games.
            ModelError: for an engagement reset that is refused (:mod:`holdfast.solver.resets`).
        """
        book, table, flags = self.book, self.table, self._all if chosen is None else chosen
        movers, outcome, given = table.turn.copy(), self._outcome, self._checked(actions)
        if self._draws:
            self._draw(given, flags)
        kernels.advance(
            book.rules,
            table,
            flags.view(np.int8),
            given,
            self.mask,
            self.resting,
            book.upto,
            self._uniform,
            self.spare,
            outcome,
        )
        kernels.levels(book.rules, table.codes, self._level)
        left = self.terms.horizon - self.n_moves
        violated, forfeited = (outcome == VIOLATED) & flags, (outcome == FORFEITED) & flags
        terminated = violated | forfeited
        reward = np.where(flags, book.reward[self._level], 0.0)
        if terminated.any():
            reward[terminated] = np.where(violated | (movers == 0), -left, left)[terminated]
            won = forfeited & (movers == 1)
            self._total[won] += left[won] - 1
        self.n_moves += flags
        truncated = ~terminated & flags & (self.n_moves >= self.terms.horizon)
        over = terminated | truncated
        self.mask[over], self.counts[over], self.resting[over], self.going[over] = 0, 0, 0, False
        kernels.put(self.landed, table, flags.view(np.int8))
        self.landed.turn[:] = table.turn
        happened = self._open(flags & ~over)
        return StepResult(reward, terminated, truncated, violated, forfeited, happened)

    def dominance(self) -> npt.NDArray[np.float64]:
        """The mean of μ of each episode up to the coming move; over the whole horizon once it has ended."""
        return self._total / np.where(self.going, self.n_moves + 1, self.terms.horizon)

    # -- there and back ---------------------------------------------------------------------------

    def snapshot(self) -> GamesSnapshot:
        """Where all games stand: positions, moves, dominance so far, masks, and the state of the draws."""
        return GamesSnapshot(
            {name: array.copy() for name, array in self._arrays().items()}, deepcopy(self.rng)
        )

    def restore(self, snapshot: Any) -> None:
        """Put all games where they stood; what comes then is what came after the snapshot was taken.

        Raises:
            InputError: for a snapshot of other games.
        """
        arrays = self._arrays()
        given = getattr(snapshot, "arrays", {})
        if {k: a.shape for k, a in given.items()} != {k: a.shape for k, a in arrays.items()}:
            raise InputError("the snapshot is not one of these games; expected what snapshot() gave")
        for name, array in arrays.items():
            array[...] = snapshot.arrays[name]
        self.rng = deepcopy(snapshot.rng)

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that changes in play, but for the draws and what is only remembered to save time."""
        return {
            **{f"table {name}": array for name, array in self.table._asdict().items()},
            **{f"landed {name}": array for name, array in self.landed._asdict().items()},
            "moves": self.n_moves,
            "going": self.going,
            "mask": self.mask,
            "resting": self.resting,
            "counts": self.counts,
            "level": self._level,
            "total": self._total,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return Games, (self.book, self.terms, self.n), self.snapshot()

    def __setstate__(self, snapshot: GamesSnapshot) -> None:
        self.restore(snapshot)

    # -- what can be asked ------------------------------------------------------------------------

    def position(self, i: int = 0) -> Position:
        """Where game i stands."""
        return self.book.position(self.table.codes[i], self.table.automata[i], int(self.table.turn[i]))

    def landed_mask(self, i: int = 0) -> npt.NDArray[np.int8]:
        """The mask of game i where its last move led, had no reset happened."""
        out, alike = np.zeros((1, self.book.n_actions), dtype=np.int8), self._memos[self._kind].alike
        kernels.mask(self.book.rules, self.landed, i, self._kind, alike, self.spare, out, 0)
        mask: npt.NDArray[np.int8] = out[0]
        return mask

    def _checked(self, actions: npt.ArrayLike) -> npt.NDArray[np.int32]:
        given = np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iub":
            raise InputError(
                f"the actions are {given.dtype} of shape {given.shape}; expected a whole number for each of "
                f"{self.n} games"
            )
        return np.ascontiguousarray(given, dtype=np.int32)

    def _draw(self, actions: npt.NDArray[np.int32], chosen: Bools) -> None:
        """Draw a number for each of the chosen games in which the outcome of a choice is open."""
        inside = np.clip(actions, 0, self.mask.shape[1] - 1)
        made = (self.mask[np.arange(self.n), inside] > 0) & (inside == actions) & (self.resting == 0)
        open_ = np.flatnonzero(chosen & made & (self.book.n_outcomes[self.table.turn, inside] > 1))
        if len(open_):
            self._uniform[open_] = self.rng.random(len(open_))

    # -- the start of a move ----------------------------------------------------------------------

    def _open(self, chosen: Bools) -> Bools:
        """Let resets happen at the start of the coming moves; μ counts, and the masks are written."""
        happened = self._reset(chosen)
        if happened.any() or not self.n_moves.all():
            kernels.levels(self.book.rules, self.table.codes, self._level)
        self._total[chosen] += self.book.mu[self._level[chosen]]
        self.going[chosen] = True
        self._write_masks(chosen, self._kind, self.mask)
        if self._kind == NONE:  # every action is shown, so those are asked for that there are
            self._write_masks(chosen, LEGAL, np.empty_like(self.mask))
        self.resting[chosen] = self.counts[chosen] == 0
        return happened

    def _write_masks(self, chosen: Bools, kind: int, out: npt.NDArray[np.int8]) -> None:
        memo, flags = self._memos[kind], chosen.view(np.int8)
        kernels.masks(self.book.rules, self.table, flags, kind, memo, self.spare, out, self.counts)

    def _reset(self, chosen: Bools) -> Bools:
        happened = np.zeros(self.n, dtype=np.bool_)
        if self._resets is None:
            return happened
        kernels.restart(self.book.rules, self.table, chosen.view(np.int8), self._other, self._chance)
        can = np.flatnonzero(self._chance)
        if not len(can):
            return happened
        happened[can] = self.rng.random(len(can)) < self._p
        if self._p > 0 and (self._chance == REFUSED).any():
            self._refuse(int(np.flatnonzero(self._chance == REFUSED)[0]))
            happened &= self._chance == POSSIBLE
        kernels.put(self.table, self._other, happened.view(np.int8))
        return happened

    def _refuse(self, i: int) -> None:
        """Say why a reset is refused, where the shield keeps play inside W; elsewhere none happens."""
        assert self._resets is not None
        if self._kind == SHIELD:
            self._resets.target(self.position(i))


def canonical(book: PlayRules, table: GameRows) -> npt.NDArray[np.int64]:
    """The numbers of positions: by turn (defender first), block of automaton states and state; −1 in U."""
    assert book.weights is not None
    block = np.empty(len(table.turn), dtype=np.int64)
    kernels.blocks(book.rules, table.automata, block)
    n_blocks, n_states = int(book.rules[kernels.N_BLOCKS]), book.configuration.game.n_valuations
    number = (table.turn * n_blocks + block) * n_states + table.codes.astype(np.int64) @ book.weights
    return np.where(block < 0, -1, number)


def new_memo(book: PlayRules) -> Memo:
    """Room for the masks of positions, none of them known yet."""
    games = rows_of(book, REMEMBERED)
    games.turn[:] = -1
    return Memo(
        games,
        np.zeros((REMEMBERED, book.n_actions), dtype=np.int8),
        np.zeros(REMEMBERED, dtype=np.int32),
        np.zeros(book.n_readings, dtype=np.int8),
    )


def require_playable(book: PlayRules, terms: Terms) -> None:
    """Refuse a game that is lost before it begins, or that has no shield to play in."""
    solution = book.solution
    if solution.initial_rank == 0:
        broken = "; ".join(solution.configuration.broken(solution.configuration.initial))
        raise InputError(f"the requirement is violated at the start ({broken}), so there is nothing to play")
    if terms.mask == "shield" and not solution.defensible:
        raise InputError(
            f"the configuration is not defensible: v0 has rank {solution.initial_rank}, so there is no "
            'shield to play in; strengthen the design, or play with mask="legal"'
        )
    for player in Player:
        if not book.configuration.game.actions[player]:
            raise InputError(f"the {player} has no action at all, so there is no two-player game to play")
