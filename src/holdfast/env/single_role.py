"""One player as a Gymnasium environment; the opponent moves inside a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete

from holdfast.arrays import Int8s
from holdfast.env.drawings import RENDER_MODES, rendered, require_mode
from holdfast.env.exchanges import RolePlay
from holdfast.env.lookout import Lookout
from holdfast.env.many_games import Games
from holdfast.env.observations import OneHot
from holdfast.env.opponents import MoveWriter
from holdfast.game import Position
from holdfast.logic import Player


class RoleEnv(RolePlay, gymnasium.Env[Int8s, np.int64]):
    """One role of a game, on :class:`~holdfast.env.many_games.Games` with one game.

    A step is a move of the role and whatever follows until it is to move again; its reward is the sum of
    theirs, and what the opponent earns before the first decision is paid with the first step.

    Attributes:
        games: the one game.
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
        self._set_up(games, encoding, role, replies, make)
        self.render_mode = require_mode(render_mode)
        self.observation_space = Box(0, 1, (encoding.width,), np.int8)
        self.action_space = Discrete(games.book.n_actions)

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
        return self._seen(), self._info()

    def step(self, action: Any) -> tuple[Int8s, float, bool, bool, dict[str, Any]]:
        """A move of the role, and of the opponent."""
        came = self._exchange.step(np.array([action]))
        info = self._info()
        info["violation"], info["forfeit"] = bool(came.violated[0]), bool(came.forfeited[0])
        return self._seen(), float(came.reward[0]), bool(came.terminated[0]), bool(came.truncated[0]), info

    def render(self) -> Any:
        """The board as text (``ansi``), printed (``human``), or as an image (``rgb_array``)."""
        return rendered(self.games, self.render_mode)

    def _seen(self) -> Int8s:
        seen: Int8s = self.encoding.observed(self.games.table)[0]
        return seen

    def _info(self) -> dict[str, Any]:
        games = self.games
        return {
            "action_mask": self._exchange.mask[0].copy(),
            "moves": int(games.n_moves[0]),
            "dominance": float(games.dominance()[0]),
        }
