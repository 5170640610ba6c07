"""Many games at once as a Gymnasium vector environment: one role each, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from holdfast.arrays import Bools, Int8s
from holdfast.env.exchanges import RolePlay
from holdfast.env.lookout import Lookout
from holdfast.env.many_games import Games
from holdfast.env.observations import OneHot
from holdfast.env.opponents import MoveWriter
from holdfast.logic import Player


class RoleVectorEnv(RolePlay, VectorEnv[Int8s, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """N games on :class:`~holdfast.env.many_games.Games`, each as
    :class:`~holdfast.env.single_role.RoleEnv` plays it.

    A game that is over begins again in the same step; the information then has, as ``final_obs`` and
    ``final_info``, where it ended, as Gymnasium's own vector environments do.

    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        games: Games,
        encoding: OneHot | Lookout,
        role: Player,
        replies: MoveWriter,
        make: Callable[[], RoleVectorEnv],
    ) -> None:
        """Made by :func:`holdfast.env.vector`, which ``make`` is asked of again where it is unpickled."""
        self._set_up(games, encoding, role, replies, make)
        self.num_envs = games.n
        self.single_observation_space = Box(0, 1, (encoding.width,), np.int8)
        self.single_action_space = Discrete(games.book.n_actions)
        self.observation_space = batch_space(self.single_observation_space, games.n)
        self.action_space = batch_space(self.single_action_space, games.n)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The actions that are left in each game; shape (n, n_actions)."""
        return self._exchange.mask.astype(np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Int8s, dict[str, Any]]:
        """New episodes in all games, or in those of ``options["reset_mask"]``.

        All games share one generator, so that of a list of seeds the first is taken.
        """
        first = seed[0] if isinstance(seed, list | tuple) else seed
        super().reset(seed=first)
        self.games.rng = self.np_random
        chosen = (options or {}).get("reset_mask", np.full(self.num_envs, True))
        self._exchange.begin(np.asarray(chosen, dtype=np.bool_))
        return self.encoding.observed(self.games.table), self._info()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Int8s, npt.NDArray[np.float64], Bools, Bools, dict[str, Any]]:
        """A move of the role in every game, and of the opponents."""
        came = self._exchange.step(actions)
        over = came.over
        last: dict[str, Any] = {}
        if over.any():
            seen = self.encoding.observed(self.games.table)
            ended = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(over):
                ended[i] = seen[i]
            final = {
                "dominance": self.games.dominance(),
                "violation": came.violated,
                "forfeit": came.forfeited,
            }
            last = {
                "final_obs": ended,
                "_final_obs": over,
                "final_info": {**final, **{f"_{name}": over for name in final}},
                "_final_info": over,
            }
            self._exchange.begin(over)
        info = self._info() | last
        return self.encoding.observed(self.games.table), came.reward, came.terminated, came.truncated, info

    def _info(self) -> dict[str, Any]:
        everywhere = np.full(self.num_envs, True)
        return {"action_mask": self._exchange.mask.copy(), "_action_mask": everywhere}
