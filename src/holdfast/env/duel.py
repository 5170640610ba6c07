"""Both players as agents of a PettingZoo environment (AEC: one agent acts at a time)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils.seeding import np_random
from pettingzoo import AECEnv

from holdfast.arena import GameRows
from holdfast.env.drawings import RENDER_MODES, rendered, require_mode
from holdfast.env.many_games import Games, GamesSnapshot, StepResult
from holdfast.env.observations import OneHot
from holdfast.errors import InputError
from holdfast.game import Position
from holdfast.solver import TURNS

AGENTS = {"defender": "defender_0", "adversary": "adversary_0"}

Observation = dict[str, npt.NDArray[np.int8]]


_TOLD = (
    "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos",
)  # fmt: skip


@dataclass(frozen=True)
class DuelSnapshot:
    """Where a game stands, and what its agents have been told."""

    games: GamesSnapshot
    told: Mapping[str, Any]


class DuelEnv(AECEnv):
    """A game of two, on :class:`~holdfast.env.many_games.Games` with one game.

    An observation is a dictionary of ``observation`` and ``action_mask``, zeros for whoever is not to move.
    Where the adversary is out of moves play rests without asking it. After rests or a reset the information
    of whoever is to move has, as ``landed``, what the move itself led to: a learner that looks ahead looks
    there.

    Attributes:
        games: the one game.
        metadata: has the names of the actions of both agents, by their number.
    """

    def __init__(self, games: Games, encoding: OneHot, render_mode: str | None = None) -> None:
        """Made by :func:`holdfast.env.aec`."""
        super().__init__()
        configuration = games.book.configuration
        self.games, self.encoding, self.render_mode = games, encoding, require_mode(render_mode)
        self.possible_agents = [AGENTS["adversary"], AGENTS["defender"]]
        self.agents: list[str] = []
        self.metadata = {
            "name": configuration.title or "holdfast",
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
            "action_names": {
                AGENTS[turn]: [action.name for action in configuration.game.actions[turn]] for turn in TURNS
            },
            "observation_names": list(encoding.names),
        }
        mask = Box(0, 1, (games.book.n_actions,), np.int8)
        seen = Box(0, 1, (encoding.width,), np.int8)
        self.observation_spaces = {
            agent: Dict({"observation": seen, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(games.book.n_actions) for agent in self.possible_agents}
        whole = len(configuration.game.variables) + games.book.n_clauses
        self.state_space = Box(0, np.iinfo(np.int32).max, (whole + 1,), np.int32)

    def observation_space(self, agent: str) -> Dict:
        """What an agent observes: its encoding and its mask; equal for both agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The actions of an agent, padded at the end so that both agents have equally many."""
        return self.action_spaces[agent]

    @property
    def np_random(self) -> Any:
        """What draws the resets: any object with NumPy's ``random``, such as a ``RandomState``."""
        return self.games.rng

    @np_random.setter
    def np_random(self, rng: Any) -> None:
        self.games.rng = rng

    @property
    def position(self) -> Position:
        """Where play stands."""
        return self.games.position()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new episode; draws go on where they were unless there is a seed."""
        if seed is not None:
            self.games.rng = np_random(seed)[0]
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.games.begin(np.array([True]))
        self._tell(None)
        self._rest()
        self._accumulate_rewards()

    def step(self, action: int | None) -> None:
        """A move of the selected agent, and the rests after it."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        came = self.games.step([-1 if action is None else action])
        self._add(came)
        elsewhere = came.reset[0] or self.games.resting[0]
        landed = self._seen(self.games.landed, self.games.landed_mask()) if elsewhere else None
        self._rest()
        if landed is not None:
            self.infos[self.agent_selection]["landed"] = landed
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What an agent sees now."""
        mask = self.games.mask[0] if agent == AGENTS[TURNS[self.games.table.turn[0]]] else None
        return self._seen(self.games.table, mask)

    def state(self) -> npt.NDArray[np.int32]:
        """Codes, automaton states and turn (0 the defender's)."""
        table = self.games.table
        state: npt.NDArray[np.int32] = np.concatenate(
            [table.codes[0], table.automata[0], table.turn.astype(np.int32)]
        )
        return state

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The board as text (``ansi``), printed (``human``), or as an image (``rgb_array``)."""
        return rendered(self.games, self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""

    # -- there and back -----------------------------------------------------------------------------

    def snapshot(self) -> DuelSnapshot:
        """Where play stands, for :meth:`restore`; the state of the draws included.

        It is not called state: that is PettingZoo's word for what is observed of the whole.
        """
        told = {name: deepcopy(getattr(self, name)) for name in _TOLD if hasattr(self, name)}
        return DuelSnapshot(self.games.snapshot(), told)

    def restore(self, snapshot: DuelSnapshot) -> None:
        """Go back to where play stood; what comes then is what came after the snapshot was taken.

        Raises:
            InputError: for a snapshot of another environment.
        """
        if not isinstance(snapshot, DuelSnapshot):
            raise InputError("the snapshot is not one of this environment; expected what snapshot() gave")
        self.games.restore(snapshot.games)
        for name, value in snapshot.told.items():
            setattr(self, name, deepcopy(value))

    def __reduce__(self) -> tuple[Any, ...]:
        return DuelEnv, (self.games, self.encoding, self.render_mode), self.snapshot()

    def __setstate__(self, snapshot: DuelSnapshot) -> None:
        self.restore(snapshot)

    # -- inside -------------------------------------------------------------------------------------

    def _seen(self, table: GameRows, mask: npt.NDArray[np.int8] | None) -> Observation:
        shown = np.zeros(self.games.book.n_actions, dtype=np.int8) if mask is None else mask.copy()
        return {"observation": self.encoding.observed(table)[0], "action_mask": shown}

    def _rest(self) -> None:
        """Let the adversary's moves pass that it does not have."""
        while self.games.resting[0]:
            self._add(self.games.step([0]))

    def _add(self, step: StepResult) -> None:
        """Take over what came of a step."""
        defender, adversary = AGENTS["defender"], AGENTS["adversary"]
        self.rewards[defender] += float(step.reward[0])
        self.rewards[adversary] -= float(step.reward[0])
        self.terminations = dict.fromkeys(self.agents, bool(step.terminated[0]))
        self.truncations = dict.fromkeys(self.agents, bool(step.truncated[0]))
        self._tell(step)

    def _tell(self, step: StepResult | None) -> None:
        games = self.games
        self.agent_selection = AGENTS[TURNS[games.table.turn[0]]]
        told: dict[str, Any] = {
            "moves": int(games.n_moves[0]),
            "dominance": float(games.dominance()[0]),
            "violation": bool(step is not None and step.violated[0]),
            "forfeit": bool(step is not None and step.forfeited[0]),
        }
        self.infos = {agent: dict(told) for agent in self.agents}
