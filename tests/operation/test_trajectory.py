"""Smoothed trajectories and their crossing, against literal loops."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cases import TIMES
from holdfast.errors import InputError
from holdfast.operation.training.trajectory import crossing, smoothed


def literal_mean(values, n):
    return [sum(values[max(0, i - n + 1) : i + 1]) / min(n, i + 1) for i in range(len(values))]


def literal_crossing(one, other, n):
    """The first episode (from 0) from which on the first curve is always below, after having been above."""
    pairs = list(zip(literal_mean(one, n), literal_mean(other, n)))
    for i in range(1, len(pairs)):
        if all(a < b for a, b in pairs[i:]) and not pairs[i - 1][0] < pairs[i - 1][1]:
            return i if any(a > b for a, b in pairs) else None
    return None


# Halves and quarters add up exactly, so that ties are ties.
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
N_CURVES = 1000 * TIMES


def random_curve(rng, length):
    """Of one level, of few or of all of them, so that short ties and long ones occur."""
    return rng.choices(rng.sample(LEVELS, rng.randint(1, 5)), k=length)


def test_trailing_mean_of_random_curves_is_the_literal_one():
    """Should average the last n episodes, or those there are."""
    for seed in range(N_CURVES):
        rng = random.Random(seed)
        values, n = random_curve(rng, rng.randint(1, 40)), rng.randint(1, 50)
        assert np.allclose(smoothed(np.array(values), n), literal_mean(values, n), atol=1e-12), seed


def test_crossing_of_random_curves_is_the_literal_one():
    """Should be where the first curve, once above, stays below."""
    n_crossing = 0
    for seed in range(N_CURVES):
        rng = random.Random(seed)
        length, n = rng.randint(1, 40), rng.choice((1, 2, 4, 8))
        one, other = random_curve(rng, length), random_curve(rng, length)
        expected = literal_crossing(one, other, n)
        assert crossing(np.array(one), np.array(other), n) == expected, seed
        n_crossing += expected is not None
    assert n_crossing > N_CURVES // 10


def test_every_seed_is_smoothed_alone():
    """Should keep the shape and treat each row as if it were alone."""
    runs = np.random.default_rng(5).random((3, 60))
    assert smoothed(runs, 25).shape == (3, 60)
    for row, curve in zip(runs, smoothed(runs, 25)):
        assert (smoothed(row, 25) == curve).all()


def test_a_mean_of_one_episode_changes_nothing():
    """Should be the curve itself, to rounding."""
    values = np.random.default_rng(1).random(100)
    assert np.allclose(smoothed(values, 1), values, atol=1e-12)


def test_no_crossing_where_nothing_crosses_for_good():
    """Should be None for a curve that ends above, was never above, or only touches."""
    level = np.full(6, 0.5)
    assert crossing(np.array([0.9, 0.1, 0.1, 0.1, 0.1, 0.9]), level, 1) is None
    assert crossing(level - 0.1, level, 1) is None
    assert crossing(np.array([0.5, 0.4, 0.4, 0.4, 0.4, 0.4]), level, 1) is None
    assert crossing(np.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.5]), level, 1) is None


def test_what_cannot_be_smoothed_or_crossed_is_refused():
    """Should say what was expected."""
    with pytest.raises(InputError, match="1 or more"):
        smoothed(np.zeros(3), 0)
    with pytest.raises(InputError, match="of one length"):
        crossing(np.zeros(3), np.zeros(4))
    with pytest.raises(InputError, match="mean over its seeds"):
        crossing(np.zeros((2, 3)), np.zeros((2, 3)))
