"""The protocol of the adaptive layer (tab:hyperparams), fixed to the last draw.

1. A run has one stream, ``numpy.random.RandomState(seed)``.
2. An episode starts at v₀ and has T moves, both players' counted.
3. At the start of a move, where a reset can happen, u is drawn; if u < p the reset happens. The turn stays.
4. μ(s) of the position, after step 3, is what the episode averages.
5. u is drawn; if u < ε the action is ``choice`` among Safe(v), in ascending order, else the first maximiser
   of Qᵢ(s, ·) over Safe(v).
6. The move leads to v', and Qᵢ(s, a) += α·(Rᵢ + γ·(−max_{a' ∈ Safe(v')} Qⱼ(s', a')) − Qᵢ(s, a)) with
   Rᵢ = ±(2μ(s') − 1), evaluated from left to right in doubles. The tables know s alone, not the automata.
7. After an episode ε = max(ε − 1/(2·N_ep), ε_min).

Where the adversary is out of moves the play rests: nothing is drawn for step 5, nothing is learned, the move
counts with its μ, and the look-ahead of the move that led there is the value of resting for ever,
Rᵢ/(1 − γ). The paper's games have no such position.

DDR is the mean of μ over the last ``window`` episodes, averaged over the seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from holdfast.errors import InputError, expect
from holdfast.game.structure import GameStructure

MAX_SEED = 2**32 - 1
MAX_MOVES = 10**13

_PROBABILITY = (lambda p: 0 <= p <= 1, "a probability, from 0 to 1")
_RANGES: dict[str, tuple[Callable[[float], bool], str]] = {
    "alpha": (lambda alpha: 0 < alpha <= 1, "above 0 and at most 1"),
    "gamma": (lambda gamma: 0 <= gamma < 1, "at least 0 and below 1"),
    "epsilon": _PROBABILITY,
    "epsilon_min": _PROBABILITY,
    "q_initial": (math.isfinite, "a finite number"),
    "reset_probability": _PROBABILITY,
}


@dataclass(frozen=True)
class Protocol:
    """How to train and what to read; the defaults are the paper's.

    Attributes:
        alpha: learning rate α, in (0, 1].
        gamma: discount γ, in [0, 1).
        epsilon: exploration in the first episode.
        epsilon_min: least exploration.
        episodes: N_ep, training episodes of a run.
        steps: T, moves of an episode.
        window: N_rep, number of final episodes that are averaged.
        seeds: how many runs (with seeds 1, 2, …), or the seeds themselves.
        q_initial: what both tables start with.
        reset_probability: p; None for the game's own.

    >>> Protocol(seeds=3).seed_numbers
    (1, 2, 3)

    Raises:
        InputError: for a value out of range; the message says which are in range.
    """

    alpha: float = 0.05
    gamma: float = 0.95
    epsilon: float = 0.5
    epsilon_min: float = 0.1
    episodes: int = 3000
    steps: int = 1000
    window: int = 200
    seeds: int | tuple[int, ...] = 10
    q_initial: float = 5.0
    reset_probability: float | None = None

    def __post_init__(self) -> None:
        """Refuse, with the reason, what cannot be run."""
        for name in ("episodes", "steps", "window"):
            value = getattr(self, name)
            if not _is_whole(value) or value < 1:
                raise InputError(f"{name} is {value!r}; expected a whole number of at least 1")
        _check_seeds(self.seeds)
        for name, (inside, expected) in _RANGES.items():
            value = getattr(self, name)
            if name != "reset_probability" or value is not None:
                expect(value, (int, float, Fraction), name, "a number")
                if not inside(value):
                    raise InputError(f"{name} is {value}; expected {expected}")
        if self.epsilon_min > self.epsilon:
            raise InputError(
                f"epsilon_min {self.epsilon_min} is above epsilon {self.epsilon}: exploration only falls; "
                "lower epsilon_min or raise epsilon"
            )
        if self.window > self.episodes:
            raise InputError(
                f"a window of {self.window:,} is longer than the run of {self.episodes:,} episodes; "
                f"shorten it to at most {self.episodes:,}, or train longer"
            )
        if self.episodes * self.steps > MAX_MOVES:
            raise InputError(
                f"{self.episodes:,} episodes of {self.steps:,} moves are too many: "
                f"a run has at most {MAX_MOVES:,} moves"
            )

    @property
    def seed_numbers(self) -> tuple[int, ...]:
        """The seeds, one run each."""
        return tuple(range(1, self.seeds + 1)) if isinstance(self.seeds, int) else self.seeds

    @property
    def decay(self) -> float:
        """What ε loses after each episode: 1/(2·N_ep)."""
        return 1 / (2 * self.episodes)


def with_runs(protocol: Protocol, *, episodes: int | None = None, seeds: int | None = None) -> Protocol:
    """The protocol with other runs; a shorter run shortens the window with it.

    >>> with_runs(Protocol(), episodes=50, seeds=2).window
    50
    """
    if episodes is not None:
        protocol = replace(protocol, episodes=episodes, window=min(protocol.window, max(episodes, 1)))
    return protocol if seeds is None else replace(protocol, seeds=seeds)


def reset_chance(protocol: Protocol, game: GameStructure) -> float:
    """p: the protocol's, or else the game's own; 0 for a game that never resets.

    Raises:
        InputError: for a probability given to a game without a reset.
    """
    if protocol.reset_probability is None:
        return float(game.reset.probability) if game.reset is not None else 0.0
    if game.reset is None or (game.reset.probability == 0 and protocol.reset_probability > 0):
        raise InputError(
            f"the protocol gives a reset probability of {protocol.reset_probability}, but the game has no "
            "reset: say in the model when one happens and what it sets, or leave the probability out"
        )
    return float(protocol.reset_probability)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_seeds(seeds: int | tuple[int, ...]) -> None:
    if isinstance(seeds, int):
        if not _is_whole(seeds) or seeds < 1:
            raise InputError(f"seeds is {seeds!r}; expected how many runs, at least 1, or a tuple of seeds")
        return
    expect(seeds, tuple, "seeds", "how many runs, or a tuple of seeds")
    if not seeds:
        raise InputError("seeds is empty; give at least one seed")
    for i, seed in enumerate(seeds):
        if not _is_whole(seed) or not 0 <= seed <= MAX_SEED:
            raise InputError(
                f"seed {i + 1} of the list is {seed!r}; expected a whole number from 0 to {MAX_SEED}"
            )
        if seed in seeds[:i]:
            raise InputError(f"seed {seed} is listed twice; runs with the same seed are the same run")
