"""One player as a Gymnasium environment; the opponent moves inside a step."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete

from holdfast.arrays import Int8s
from holdfast.env.drawings import RENDER_MODES, rendered, require_mode
from holdfast.env.exchanges import Exchange, ExchangeSnapshot
from holdfast.env.lookout import Lookout
from holdfast.env.many_games import Games
from holdfast.env.observations import OneHot
from holdfast.env.opponents import MoveWriter
from holdfast.game import Position
from holdfast.logic import Player
from holdfast.solver import TURNS


class RoleEnv(gymnasium.Env[Int8s, np.int64]):
    """One role of a game, on :class:`~holdfast.env.many_games.Games` with one game.

    A step is a move of the role and whatever follows until it is to move again; its reward is the sum of
    theirs, and what the opponent earns before the first decision is paid with the first step.

    Attributes:
        games: the one game.
        role: who is trained.
        action_names: of the role, by number.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        games: Games,
        encoding: OneHot | Lookout,
        role: Player,
        replies: MoveWriter,
        make: Callable[[], RoleEnv],
        render_mode: str | None = None,
    ) -> None:
        """Made by :func:`holdfast.env.gym`, which ``make`` is asked of again where it is unpickled."""
        self.games, self.encoding, self.role = games, encoding, role
        self.render_mode = require_mode(render_mode)
        self.action_names = [action.name for action in games.book.configuration.game.actions[role]]
        self.observation_space = Box(0, 1, (encoding.width,), np.int8)
        self.action_space = Discrete(games.book.n_actions)
        lookout = encoding if isinstance(encoding, Lookout) else None
        self._exchange = Exchange(games, TURNS.index(role), replies, lookout)
        self._make = make

    @property
    def position(self) -> Position:
        """Where play stands."""
        return self.games.position()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The actions that are left, as MaskablePPO asks for them."""
        mask: npt.NDArray[np.bool_] = self._exchange.mask[0].astype(np.bool_)
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Int8s, dict[str, Any]]:
        """A new episode, up to the first decision of the role."""
        super().reset(seed=seed)
        self.games.rng = self.np_random
        self._exchange.begin(np.array([True]))
        return self._seen(), self._told()

    def step(self, action: Any) -> tuple[Int8s, float, bool, bool, dict[str, Any]]:
        """A move of the role, and of the opponent."""
        came = self._exchange.step(np.array([action]))
        told = self._told()
        told["violation"], told["forfeit"] = bool(came.violated[0]), bool(came.forfeited[0])
        return self._seen(), float(came.reward[0]), bool(came.terminated[0]), bool(came.truncated[0]), told

    def render(self) -> Any:
        """The board as text (``ansi``), printed (``human``), or as an image (``rgb_array``)."""
        return rendered(self.games, self.render_mode)

    # -- there and back -----------------------------------------------------------------------------

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

    def __deepcopy__(self, memo: object) -> RoleEnv:
        twin = RoleEnv(
            deepcopy(self.games),
            self.encoding.twin() if isinstance(self.encoding, Lookout) else self.encoding,
            self.role,
            self._exchange.replies,
            self._make,
            self.render_mode,
        )
        twin.restore(self.snapshot())
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._make,), self.snapshot()

    def __setstate__(self, snapshot: ExchangeSnapshot) -> None:
        self.restore(snapshot)

    def _seen(self) -> Int8s:
        seen: Int8s = self.encoding.observed(self.games.table)[0]
        return seen

    def _told(self) -> dict[str, Any]:
        games = self.games
        return {
            "action_mask": self._exchange.mask[0].copy(),
            "moves": int(games.n_moves[0]),
            "dominance": float(games.dominance()[0]),
        }


def _made(make: Callable[[], RoleEnv]) -> RoleEnv:
    return make()
