"""Which exploit matters: how the probability of holding moves with that of one choice.

Let both sides play their best for T moves. HOLD_T is then the mean, over all plays, of what the last
positions are worth, and moves with the probability p of a choice by

    Σ over moves t of P(the choice is made at move t) · (what its success is worth − what its failure is).

That is exact where the best play is unique (the players' own changes count for nothing, since they are at
their best). Elsewhere it belongs to one of the best plays, and another one may take its place when p falls:
an exploit for which there is a substitute does not matter. So each choice that seems to matter is made less
likely by a small part, and what that changes is told where the two differ. Only choices that may fail and
change nothing are looked at; where several successes are possible, all of them are moved alike.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdfast.arrays import Floats, Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.operation.holding.choice_game import ChoiceGame

PART, TOLERANCE, NEGLIGIBLE = 1e-3, 0.05, 1e-6
"""By which part a choice is made less likely; how far what that changes may be from the derivative; and what
is too little to count."""
MAX_NUMBERS = 20_000_000
"""So many values are kept at most, of all positions after all moves."""


def sensitivities(game: ChoiceGame, moves: int, budget: Budget = UNLIMITED) -> dict[str, float]:
    """By how much HOLD_T moves as each choice succeeds less often, those that matter most first.

    A short T is taken where values of all positions after so many moves would not fit.
    """
    stages = stages_of(game, moves, budget)
    total, there = np.zeros(len(game.choices)), np.zeros(game.n + 2)
    there[game.initial] = 1.0
    place = np.full(len(game.target), -1)
    place[game.gambles] = np.arange(len(game.gambles))
    scaled, failing = _success(game)
    for values in reversed(stages[:-1]):
        budget.tick("which exploit matters")
        chosen = chosen_options(game, game.options(values))
        drawn = place[chosen]
        gambling = np.flatnonzero(drawn >= 0)
        rows, weight = drawn[gambling], there[gambling]
        after = values[game.drawn[rows]]
        gain = (scaled[rows] * after).sum(axis=1) - (failing[rows] * after).sum(axis=1)
        np.add.at(total, game.names[rows], weight * gain)
        onward = np.zeros(game.n + 2)
        plain = np.flatnonzero(drawn < 0)
        np.add.at(onward, game.target[chosen[plain]], there[plain])
        np.add.at(onward, game.drawn[rows], game.shares[rows] * weight[:, None])
        onward[game.n :] = 0.0  # what is decided matters no more
        there = onward
    named = {name: float(total[i]) for i, (_, name) in enumerate(game.choices)}
    held = float(stages[-1][game.initial])
    for i, (_, name) in enumerate(game.choices):
        if abs(named[name]) > NEGLIGIBLE:
            other, changed_by = _less_likely(game, i)
            changed = (held - _held(other, len(stages) - 1, budget)) / changed_by
            if abs(changed - named[name]) > TOLERANCE * abs(named[name]):
                named[name] = changed if abs(changed) > NEGLIGIBLE else 0.0
    return dict(sorted(named.items(), key=lambda each: -abs(each[1])))


def _less_likely(game: ChoiceGame, choice: int) -> tuple[ChoiceGame, float]:
    """The game in which a choice succeeds less often by a small part, and by how much that is."""
    rows = np.flatnonzero(game.names == choice)
    success, failing = _success(game)
    moved = (1.0 - (failing * game.shares).sum(axis=1)[rows]) * PART
    shares = game.shares.copy()
    shares[rows] += moved[:, None] * (failing[rows] - success[rows])
    return replace(game, shares=shares), float(moved.max())


def _held(game: ChoiceGame, moves: int, budget: Budget) -> float:
    """HOLD_T of v₀, in doubles."""
    values = game.start()
    for _ in range(moves):
        budget.tick("which exploit matters")
        values = game.after(values)
    return float(values[game.initial])


def stages_of(game: ChoiceGame, moves: int, budget: Budget = UNLIMITED) -> list[Floats]:
    """HOLD_0, HOLD_1, … of all positions, as far as is asked and as they fit."""
    stages = [game.start()]
    for _ in range(min(moves, MAX_NUMBERS // (game.n + 2))):
        budget.tick("how both sides play")
        stages.append(game.after(stages[-1]))
    return stages


def _success(game: ChoiceGame) -> tuple[Floats, Floats]:
    """For each gamble the outcomes that are successes, with their shares among those, and its failure."""
    shares, last = game.shares, (game.shares > 0).sum(axis=1) - 1
    rows = np.arange(len(shares))
    failing = np.zeros_like(shares)
    failing[rows, last] = 1.0
    success = np.where(failing > 0, 0.0, shares)
    whole = success.sum(axis=1, keepdims=True)
    return success / np.where(whole > 0, whole, 1.0), failing


def chosen_options(game: ChoiceGame, worth: Floats) -> Int64s:
    """At each position the first choice that is best."""
    best = game.best(worth)[: game.n]
    counts = np.diff(game.first)
    numbers = np.where(worth == np.repeat(best, counts), np.arange(len(worth)), len(worth))
    return np.asarray(np.minimum.reduceat(numbers, game.first[:-1]))
