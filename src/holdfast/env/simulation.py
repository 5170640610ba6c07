"""What a policy comes to in many episodes: the mean of μ with its interval, and violations counted."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from holdfast.budget import UNLIMITED, Budget
from holdfast.env.constructors import HORIZON, book_of, count_of, player_of
from holdfast.env.many_games import Games, Terms
from holdfast.env.observations import encoding
from holdfast.env.opponents import Opponent, mover
from holdfast.game import Configuration
from holdfast.operation import student_quantile
from holdfast.solver import TURNS, Solution

AT_ONCE = 1024
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Simulation:
    """What came of many episodes.

    Attributes:
        mean: of the dominance of the episodes.
        low, high: 95% Student-t interval of it; None for a single episode.
        episodes: how many there were.
        violations: how many ended in a violation of the requirement.
        forfeits: how many ended with an action that the mask forbids.
        dominance: of each episode.
    """

    mean: float
    low: float | None
    high: float | None
    episodes: int
    violations: int
    forfeits: int
    dominance: npt.NDArray[np.float64] = field(repr=False, compare=False)


def simulate(
    configuration: Configuration | Solution,
    policy: Opponent,
    *,
    opponent: Opponent = "optimal",
    role: str = "defender",
    episodes: int = 100,
    mask: str = "shield",
    observe: str = "position",
    horizon: int = HORIZON,
    reset: float | None = None,
    seed: int | None = None,
    budget: Budget = UNLIMITED,
) -> Simulation:
    """Play episodes between a policy and an opponent, each given as for :func:`holdfast.env.gym`.

    Under the shield there is no violation: that is asserted.

    >>> import holdfast as hf
    >>> pair = hf.configure(hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW"), ["G (DB != Z)"])
    >>> found = simulate(pair, "optimal", episodes=50, seed=1)
    >>> found.violations, found.low < 0.7139 < found.high
    (0, True)

    Raises:
        InputError, LimitError: as :func:`holdfast.env.gym`.
    """
    book, terms, player = book_of(configuration, budget), Terms(mask, horizon, reset), player_of(role)
    seen, total = encoding(book.configuration, observe), count_of(episodes)
    movers = {
        TURNS.index(side): mover(who, side, book, terms, seen, budget)
        for side, who in ((player, policy), (player.opponent, opponent))
    }
    rng = np.random.default_rng(seed)
    means: list[npt.NDArray[np.float64]] = []
    violations = forfeits = 0
    for n in _batches(total):
        games = Games(book, terms, n)
        games.rng = rng
        actions = np.zeros(n, dtype=np.int32)
        while games.going.any():
            budget.tick(f"simulating episodes: {len(means) * AT_ONCE:,} of {total:,}")
            for side, moving in movers.items():
                asked = games.going & (games.table.turn == side) & ~games.resting.view(np.bool_)
                if asked.any():
                    moving(games, asked, actions)
            came = games.step(actions, games.going.copy())
            violations += int(came.violated.sum())
            forfeits += int(came.forfeited.sum())
        means.append(games.dominance())
    assert mask != "shield" or violations == 0, "the shield does not let the requirement be violated"
    dominance = np.concatenate(means)
    mean = float(dominance.mean())
    low, high = _interval(dominance)
    return Simulation(mean, low, high, total, violations, forfeits, dominance)


def _batches(total: int) -> list[int]:
    return [min(AT_ONCE, total - done) for done in range(0, total, AT_ONCE)]


def _interval(values: npt.NDArray[np.float64]) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    half = student_quantile(CONFIDENCE, len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return float(values.mean()) - half, float(values.mean()) + half
