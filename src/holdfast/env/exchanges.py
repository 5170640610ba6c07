"""One role against an opponent in many games: what happens between two decisions of the role.

After a move of the role the opponent moves, and play that rests goes on, until the role is to move again or
the episode is over. Games stand still while others are still being answered, so that all come back at a
decision of the role.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arrays import Bools
from holdfast.env.lookout import Lookout, LookoutSnapshot
from holdfast.env.many_games import Games, GamesSnapshot, StepResult
from holdfast.env.observations import OneHot
from holdfast.env.opponents import MoveWriter
from holdfast.errors import InputError
from holdfast.logic import Player
from holdfast.solver import TURNS


@dataclass(frozen=True)
class ExchangeSnapshot:
    """Where games stand, and what the role is still owed for moves before its first decision."""

    games: GamesSnapshot
    owed: npt.NDArray[np.float64]
    seen: LookoutSnapshot | None = None


class Exchange:
    """Games in which one side is asked and the other is answered for.

    Attributes:
        games: the games.
        side: 0 where the defender is asked, 1 where the adversary is.
        replies: moves the other side.
        lookout: what the role sees; None where that is everything.
    """

    def __init__(self, games: Games, side: int, replies: MoveWriter, lookout: Lookout | None = None) -> None:
        """``replies`` moves the other side."""
        self.games, self.side, self.lookout = games, side, lookout
        self.replies = replies
        self._sign = 1.0 if side == 0 else -1.0
        self._owed = np.zeros(games.n)
        self._actions = np.zeros(games.n, dtype=np.int32)

    @property
    def mask(self) -> npt.NDArray[np.int8]:
        """The actions that are left to the role in each game."""
        if self.lookout is None or self.lookout.beliefs is None:
            return self.games.mask
        return self.lookout.mask

    def snapshot(self) -> ExchangeSnapshot:
        """Where play stands."""
        seen = None if self.lookout is None else self.lookout.snapshot()
        return ExchangeSnapshot(self.games.snapshot(), self._owed.copy(), seen)

    def restore(self, snapshot: ExchangeSnapshot) -> None:
        """Put play where it stood.

        Raises:
            InputError: for a snapshot of something else.
        """
        if not isinstance(snapshot, ExchangeSnapshot):
            raise InputError("the snapshot is not one of these games; expected what snapshot() gave")
        self.games.restore(snapshot.games)
        self._owed[:] = snapshot.owed
        if self.lookout is not None and snapshot.seen is not None:
            self.lookout.restore(snapshot.seen)

    def begin(self, chosen: Bools) -> None:
        """New episodes in the chosen games, up to the first decision."""
        self.games.begin(chosen)
        if self.lookout is not None:
            self.lookout.begin(self.games.table, chosen)
        self._owed[chosen] = 0.0
        before = self._answered(_nothing(self.games.n), chosen)
        if before.over.any():
            raise InputError("the role never comes to move: the episode is over before its first decision")
        self._owed += before.reward

    def step(self, actions: npt.ArrayLike) -> StepResult:
        """A move of the role in every game, and all that follows it; the reward is the role's."""
        games, seen = self.games, self.lookout
        actions = actions if seen is None else seen.permitted(actions)
        first = games.step(actions)
        if seen is not None:
            seen.moved(games.table, actions)
        came = replace(first, reward=first.reward * self._sign + self._owed)
        self._owed[:] = 0.0
        return self._answered(came, ~first.over)

    def _answered(self, came: StepResult, going: Bools) -> StepResult:
        """What has come so far, and what comes until the role is to move in all games that are going on."""
        games = self.games
        while True:
            waiting = going & ((games.table.turn != self.side) | games.resting.view(np.bool_))
            if not waiting.any():
                return came
            asked = waiting & ~games.resting.view(np.bool_)
            if asked.any():
                self.replies(games, asked, self._actions)
            after = games.step(self._actions, waiting)
            wrong = after.forfeited & waiting
            if wrong.any():
                i = int(np.flatnonzero(wrong)[0])
                position = games.book.configuration.describe(games.position(i))
                raise InputError(
                    f"the opponent chose action {self._actions[i]}, which the mask forbids, at {position}"
                )
            came = StepResult(
                came.reward + after.reward * self._sign,
                came.terminated | after.terminated,
                came.truncated | after.truncated,
                came.violated | after.violated,
                came.forfeited,
                came.reset | after.reset,
            )
            if self.lookout is not None:
                self.lookout.answered(games.table, self._actions, asked, after.over)
            going = going & ~after.over


class RolePlay:
    """One role in some games: what environments that ask it share; copied, pickled and put back.

    Attributes:
        games: the games.
        encoding: how positions are observed.
        role: who is trained.
        action_names: of the role, by number.
    """

    games: Games
    encoding: OneHot | Lookout
    role: Player
    action_names: list[str]
    render_mode: str | None
    _exchange: Exchange
    _make: Callable[[], Any]

    def _set_up(
        self,
        games: Games,
        encoding: OneHot | Lookout,
        role: Player,
        replies: MoveWriter,
        make: Callable[[], Any],
    ) -> None:
        """``make`` is asked for such an environment where it is unpickled."""
        self.games, self.encoding, self.role, self._make = games, encoding, role, make
        self.action_names = [action.name for action in games.book.configuration.game.actions[role]]
        lookout = encoding if isinstance(encoding, Lookout) else None
        self._exchange = Exchange(games, TURNS.index(role), replies, lookout)

    def snapshot(self) -> ExchangeSnapshot:
        """Where play stands, for :meth:`restore`; the state of the draws included."""
        return self._exchange.snapshot()

    def restore(self, snapshot: ExchangeSnapshot) -> None:
        """Go back to where play stood; what comes then is what came after the snapshot was taken.

        Raises:
            InputError: for a snapshot of another environment.
        """
        self._exchange.restore(snapshot)
        self._np_random = self.games.rng

    def __deepcopy__(self, memo: object) -> Any:
        alike: Any = type(self)
        seen = self.encoding.twin() if isinstance(self.encoding, Lookout) else self.encoding
        twin = alike(deepcopy(self.games), seen, self.role, self._exchange.replies, self._make)
        twin.render_mode = self.render_mode
        twin.restore(self.snapshot())
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._make,), self.snapshot()

    def __setstate__(self, snapshot: ExchangeSnapshot) -> None:
        self.restore(snapshot)


def _made(make: Callable[[], Any]) -> Any:
    return make()


def _nothing(n: int) -> StepResult:
    none = np.zeros(n, dtype=np.bool_)
    return StepResult(np.zeros(n), none, none, none, none, none)
