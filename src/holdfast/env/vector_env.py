"""Many games at once as a Gymnasium vector environment: one role each, compiled."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from holdfast.arrays import Bools, Int8s
from holdfast.env.exchanges import Exchange, ExchangeSnapshot
from holdfast.env.lookout import Lookout
from holdfast.env.many_games import Games
from holdfast.env.observations import OneHot
from holdfast.env.opponents import MoveWriter
from holdfast.logic import Player
from holdfast.solver import TURNS


class RoleVectorEnv(VectorEnv[Int8s, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """N games on :class:`~holdfast.env.many_games.Games`, each as
    :class:`~holdfast.env.single_role.RoleEnv` plays it.

    A game that is over begins again in the same step; the information then has, as ``final_obs`` and
    ``final_info``, where it ended, as Gymnasium's own vector environments do.

    Attributes:
        games: the games.
        role: who is trained.
        action_names: of the role, by number.
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
        self.games, self.encoding, self.role, self.num_envs = games, encoding, role, games.n
        self.action_names = [action.name for action in games.book.configuration.game.actions[role]]
        self.single_observation_space = Box(0, 1, (encoding.width,), np.int8)
        self.single_action_space = Discrete(games.book.n_actions)
        self.observation_space = batch_space(self.single_observation_space, games.n)
        self.action_space = batch_space(self.single_action_space, games.n)
        lookout = encoding if isinstance(encoding, Lookout) else None
        self._exchange = Exchange(games, TURNS.index(role), replies, lookout)
        self._make = make

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
        return self.encoding.observed(self.games.table), self._told()

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
        told = self._told() | last
        return self.encoding.observed(self.games.table), came.reward, came.terminated, came.truncated, told

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

    def __deepcopy__(self, memo: object) -> RoleVectorEnv:
        seen = self.encoding.twin() if isinstance(self.encoding, Lookout) else self.encoding
        twin = RoleVectorEnv(deepcopy(self.games), seen, self.role, self._exchange.replies, self._make)
        twin.restore(self.snapshot())
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._make,), self.snapshot()

    def __setstate__(self, snapshot: ExchangeSnapshot) -> None:
        self.restore(snapshot)

    def _told(self) -> dict[str, Any]:
        everywhere = np.full(self.num_envs, True)
        return {"action_mask": self._exchange.mask.copy(), "_action_mask": everywhere}


def _made(make: Callable[[], RoleVectorEnv]) -> RoleVectorEnv:
    return make()
