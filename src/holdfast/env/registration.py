"""Environments by id: ``gymnasium.make("Holdfast-v0", scenario="paper")``, once :mod:`holdfast.env` is
imported.

``scenario`` is the path of a file or a name of the library (``holdfast init --list``), ``variant`` one of
its variants; all else is as for :func:`holdfast.env.gym`. ``gymnasium.make("holdfast.env:Holdfast-v0", …)``
imports it by itself, and ``gymnasium.make_vec`` makes the vector environment, ``pettingzoo.make("aec",
"Holdfast-v0", …)`` that of both players.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.env.constructors import aec, gym, vector
from holdfast.game import Configuration
from holdfast.scenario import library_card, load

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from holdfast.env.single_role import RoleEnv
    from holdfast.env.vector_env import RoleVectorEnv

ID, HERE = "Holdfast-v0", "holdfast.env.registration"


def register() -> None:
    """Tell Gymnasium and PettingZoo of the id, once."""
    import gymnasium

    if ID not in gymnasium.registry:
        gymnasium.register(ID, entry_point=f"{HERE}:make", vector_entry_point=f"{HERE}:make_vector")
    if find_spec("pettingzoo") is not None:
        from pettingzoo.env_registry import registration

        if ID not in registration.aec_registry:
            registration.register("aec", ID, entry_point=f"{HERE}:make_aec")


def make(scenario: str = "paper", variant: str | None = None, **options: Any) -> RoleEnv:
    """The environment of a scenario for one role."""
    return gym(_configuration(scenario, variant), **options)


def make_vector(
    num_envs: int, scenario: str = "paper", variant: str | None = None, **options: Any
) -> RoleVectorEnv:
    """The vector environment of a scenario for one role."""
    return vector(_configuration(scenario, variant), num_envs, **options)


def make_aec(scenario: str = "paper", variant: str | None = None, **options: Any) -> AECEnv:
    """The environment of a scenario for both players."""
    return aec(_configuration(scenario, variant), **options)


def _configuration(scenario: str, variant: str | None) -> Configuration:
    path = Path(scenario)
    return load(path if path.suffix or path.exists() else library_card(scenario).path, variant)
