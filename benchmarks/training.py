"""Agents trained in the environments, with the exact yardstick beside them: ``pip install
'holdfast[train]'``.

``python -m benchmarks.training`` trains MaskablePPO as the defender of the paper's segment against the
optimal attacker, with the shield and without it, lets two agents train each other, and goes on to a segment
of 15 hosts. It prints what each is worth and how often the requirement was violated, and writes
``docs/learning-curve.svg``. Some minutes a part; ``python -m benchmarks.training shield`` and the like run
one of them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from benchmarks.families import chain
from holdfast import env
from holdfast.budget import Budget
from holdfast.env.vector_env import RoleVectorEnv
from holdfast.operation.point import operating_point
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from holdfast.solver.solution import Solution

ROOT = Path(__file__).parent.parent
N_ENVS, N_STEPS, STEPS = 32, 128, 300_000
PART_STEPS = 60_000
HORIZON = 1000

Policy = Callable[[Any, Any], Any]


class Adapter(VecEnv):
    """Our vector environment as Stable-Baselines3 wants it; counts what the shield is there to prevent."""

    def __init__(self, many: RoleVectorEnv) -> None:
        """Take it as it is."""
        super().__init__(many.num_envs, many.single_observation_space, many.single_action_space)
        self.many, self.violations, self.forfeits, self.episodes = many, 0, 0, 0
        self._actions: Any = None

    def reset(self) -> Any:
        """New episodes everywhere."""
        return self.many.reset(seed=1)[0]

    def step_async(self, actions: Any) -> None:
        """Keep the actions."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Step, and tell of ends as dictionaries."""
        seen, rewards, terminated, truncated, told = self.many.step(self._actions)
        over = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if over.any():
            self.episodes += int(over.sum())
            self.violations += int(told["final_info"]["violation"][over].sum())
            self.forfeits += int(told["final_info"]["forfeit"][over].sum())
            for i in np.flatnonzero(over):
                infos[i] = {
                    "terminal_observation": told["final_obs"][i],
                    "TimeLimit.truncated": bool(truncated[i]),
                }
        return seen, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        """Nothing is open."""

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """The masks, which is all that is asked for."""
        return list(getattr(self.many, method_name)(*args, **kwargs))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the games, repeated for each of them."""
        return [getattr(self.many, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Nothing can be set."""
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False] * self.num_envs


@dataclass
class Curve:
    """What was seen in the course of a training: by steps, the mean met and the worst case."""

    steps: list[int] = field(default_factory=list)
    met: list[float] = field(default_factory=list)
    guaranteed: list[float] = field(default_factory=list)


class Watch(BaseCallback):
    """Looks at the policy now and then."""

    def __init__(self, look: Callable[[int, Policy], None], every: int) -> None:
        """``look`` gets the steps so far and the policy."""
        super().__init__()
        self._look, self._every, self._next = look, every, 0

    def _on_step(self) -> bool:
        if self.num_timesteps >= self._next:
            self._next += self._every
            self._look(self.num_timesteps, policy_of(self.model))
        return True


def new_agent(games: Adapter, seed: int = 1) -> MaskablePPO:
    """A small network, with rollouts and a discount that suit long episodes."""
    return MaskablePPO(
        "MlpPolicy", games, n_steps=N_STEPS, batch_size=512, n_epochs=4, gamma=0.98, ent_coef=0.01,
        learning_rate=1e-3, seed=seed, policy_kwargs={"net_arch": [64, 64]}, device="cpu",
    )  # fmt: skip


def policy_of(model: Any) -> Policy:
    """What the agent does when it does not explore."""

    def choose(seen: Any, masks: Any) -> Any:
        return model.predict(seen, action_masks=masks, deterministic=True)[0]

    return choose


def defender(solution: Solution, mask: str, opponent: Any = "optimal", steps: int = STEPS) -> dict[str, Any]:
    """Train a defender, and say what it is worth."""
    games = Adapter(env.vector(solution, N_ENVS, opponent=opponent, mask=mask, horizon=HORIZON))
    curve, exact = Curve(), opponent == "optimal"

    def look(done: int, policy: Policy) -> None:
        met = env.simulate(solution, policy, opponent=opponent, mask=mask, episodes=20, seed=1)
        curve.steps.append(done)
        curve.met.append(met.mean)
        if exact:
            curve.guaranteed.append(env.evaluate(solution, policy, mask=mask, exact=False).value)

    started = time.process_time()
    agent = new_agent(games)
    agent.learn(steps, callback=Watch(look, steps // 12))
    seconds, policy = time.process_time() - started, policy_of(agent)
    met = env.simulate(solution, policy, opponent=opponent, mask=mask, episodes=200, seed=2)
    found: dict[str, Any] = {
        "mask": mask,
        "steps": steps,
        "seconds": round(seconds),
        "training": {"episodes": games.episodes, "violations": games.violations, "forfeits": games.forfeits},
        "met": [met.mean, met.low, met.high],
        "violations": met.violations,
        "curve": vars(curve),
    }
    if exact:
        worth = env.evaluate(solution, policy, mask=mask)
        found |= {
            "guaranteed": worth.value,
            "ddr_exact": worth.point and worth.point.value,
            "violable": worth.violable,
        }
    return found


def shield() -> dict[str, Any]:
    """The paper's segment against the optimal attacker, with the shield."""
    return defender(paper(), "shield")


def no_shield() -> dict[str, Any]:
    """The paper's segment against the optimal attacker, without the shield."""
    return defender(paper(), "legal")


def self_play(rounds: int = 3) -> dict[str, Any]:
    """Two agents that train each other in turn, each against what the other has come to."""
    solution = paper()
    policies: dict[str, Any] = {"defender": "random", "adversary": "random"}
    rows = []
    for _ in range(rounds):
        for role, other in (("adversary", "defender"), ("defender", "adversary")):
            games = Adapter(
                env.vector(solution, N_ENVS, role=role, opponent=policies[other], horizon=HORIZON)
            )
            agent = new_agent(games)
            agent.learn(PART_STEPS)
            policies[role] = policy_of(agent)
        kept = env.evaluate(solution, policies["defender"])
        left = env.evaluate(solution, policies["adversary"], role="adversary", exact=False)
        played = env.simulate(
            solution, policies["defender"], opponent=policies["adversary"], episodes=20, seed=1
        )
        point = kept.point.value if kept.point else None
        rows.append(
            {"guaranteed": kept.value, "ddr_exact": point, "conceded": left.value, "played": played.mean}
        )
    return {"rounds": rows}


def fifteen_hosts() -> dict[str, Any]:
    """A chain of 15 hosts, whose safe play is too large to list, against the greedy attacker."""
    solution = solve(chain(15))
    found = defender(solution, "shield", "greedy", 2 * PART_STEPS)
    plain = env.simulate(solution, "random", opponent="greedy", episodes=50, seed=2)
    point = operating_point(solution, budget=Budget(memory=3 << 30, deadline=time.monotonic() + 120))
    return {**found, "random": plain.mean, "ddr_exact": [point.low, point.high]}


def paper() -> Solution:
    """The paper's reference segment."""
    return solve(load(ROOT / "scenarios" / "paper.yaml"))


def draw(found: Mapping[str, Any], path: Path) -> None:
    """The learning curves with the shield and without it, beside DDR*."""
    from matplotlib.figure import Figure

    from holdfast.report.figures.style import look, series, svg_document

    lines = (
        ("shield", "guaranteed", "with the shield, against any attacker"),
        ("no-shield", "met", "without it, against the optimal attacker"),
        ("no-shield", "guaranteed", "without it, against any attacker"),
    )
    with look():
        figure = Figure(figsize=(6.0, 3.4), layout="constrained")
        axes = figure.add_subplot()
        for i, (part, key, label) in enumerate(lines):
            curve, style = found[part]["curve"], series(i)
            axes.plot(
                curve["steps"], curve[key], color=style.colour, marker=style.marker, markersize=4, label=label
            )
        point = found["shield"]["ddr_exact"]
        axes.axhline(point, color="#404040", linestyle="--", label=f"DDR* {point:.4f}")
        axes.set(xlabel="decisions in training", ylabel="mean dominance", ylim=(-0.01, 1.35 * point))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.legend(loc="upper left", ncols=2, fontsize=7)
    path.write_text(svg_document(figure), "utf-8")


PARTS = {"shield": shield, "no-shield": no_shield, "self-play": self_play, "fifteen-hosts": fifteen_hosts}


def main() -> None:
    """Run the parts that are named, or all; the curves are drawn once there are both."""
    torch.set_num_threads(1)
    found = {}
    for name in sys.argv[1:] or PARTS:
        found[name] = PARTS[name]()
        print(name, json.dumps(found[name]), flush=True)
    if {"shield", "no-shield"} <= found.keys():
        draw(found, ROOT / "docs" / "learning-curve.svg")


if __name__ == "__main__":
    main()
