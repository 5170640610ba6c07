"""Environments for learners: any configuration as a game to train in, with the shield as action mask.

=========  ==============================================================================================
aec        both players as agents of a PettingZoo environment, turn by turn
gym        one player as a Gymnasium environment, the other played by an opponent
vector     the same for many games at once, as a Gymnasium vector environment
games      many games, both players, arrays in and out: for a training loop of your own
evaluate   what a policy is worth against a perfect opponent, exactly, beside DDR*
simulate   what it comes to in many episodes, and how often the requirement was violated
=========  ==============================================================================================

The first three need the extra ``holdfast[rl]``. Inside the shield no play ever violates the requirement,
whatever the learner tries; and unlike other environments these know what perfect play is worth.

>>> import holdfast as hf
>>> from holdfast import env
>>> pair = hf.configure(hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW"), ["G (DB != Z)"])
>>> game = env.gym(pair, opponent="random", horizon=20)
>>> observation, info = game.reset(seed=1)
>>> observation, reward, terminated, truncated, info = game.step(int(game.action_masks().argmax()))
>>> terminated, truncated, info["moves"]
(False, False, 3)
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.env.constructors import aec, games, gym, vector
    from holdfast.env.evaluation import evaluate
    from holdfast.env.simulation import simulate

_HOME = {
    "aec": "constructors",
    "evaluate": "evaluation",
    "games": "constructors",
    "gym": "constructors",
    "simulate": "simulation",
    "vector": "constructors",
}

__all__ = ["aec", "evaluate", "games", "gym", "simulate", "vector"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'holdfast.env' has no attribute {name!r}")
    return getattr(import_module(f"holdfast.env.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if find_spec("gymnasium") is not None:
    import_module("holdfast.env.registration").register()
