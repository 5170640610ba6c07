"""Solutions and environments travel: copied, pickled, in another process, and back to where play stood."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import holdfast as hf
from holdfast import env
from holdfast.errors import InputError
from paths import ROOT

PAIR = hf.configure(
    hf.network_game(["GW", "Web", "DB"], [("GW", "Web"), ("Web", "DB")], entry="GW"), ["G (DB != Z)"]
)


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.yaml")), ids=lambda path: path.stem)
def test_configurations_of_the_library_can_be_pickled(path):
    """Should be equal, whatever the model."""
    chosen = hf.load(str(path))
    for again in (pickle.loads(pickle.dumps(chosen)), copy.deepcopy(chosen)):
        assert (again.initial, again.n_positions, again.title) == (
            chosen.initial,
            chosen.n_positions,
            chosen.title,
        )
        if chosen.game.tables is None:
            assert again == chosen


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_a_solution_answers_alike_where_it_is_read(engine):
    """Should be solved again by the engine that it names; a copy is the solution itself."""
    solution = hf.solve(PAIR, engine)
    again = pickle.loads(pickle.dumps(solution))
    assert (again.engine, again.shells, again.defensible) == (engine, solution.shells, solution.defensible)
    assert again.configuration == PAIR
    start = PAIR.initial
    assert hf.safe_actions(again, start) == hf.safe_actions(solution, start)
    assert copy.deepcopy(solution) is solution is copy.copy(solution)


def test_a_solution_and_an_environment_reach_another_process():
    """Should be read by a Python that was started for them."""
    game = env.gym(PAIR, opponent="random", horizon=30)
    game.reset(seed=3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(hf.rank, (hf.solve(PAIR), PAIR.initial)) is None
        there = pool.apply(played, (game, 8))
    assert there == played(game, 8)


def played(game, n):
    """The rewards and masks of n steps of the first action that is left."""
    told = []
    for _ in range(n):
        _, reward, terminated, truncated, _ = game.step(int(game.action_masks().argmax()))
        told.append((reward, terminated, truncated, game.action_masks().tolist(), game.position))
    return told


def games_played(games, n):
    return [games.step(games.mask.argmax(axis=1)).reward.tolist() for _ in range(n)]


def vectors_played(game, n):
    return [game.step(game.action_masks().argmax(axis=1))[1].tolist() for _ in range(n)]


def duel_played(game, n):
    told = []
    for _ in range(n):
        mask = game.observe(game.agent_selection)["action_mask"]
        game.step(int(mask.argmax()))
        told.append((game.agent_selection, dict(game.rewards), game.unwrapped.position))
    return told


def first_left(observations, masks):
    return masks.argmax(axis=1)


MADE = {
    "gym": (lambda: env.gym(PAIR, opponent="random", horizon=200), played),
    "optimal": (lambda: env.gym(PAIR, role="adversary", horizon=60), played),
    "function": (lambda: env.gym(PAIR, opponent=first_left, horizon=60), played),
    "vector": (lambda: env.vector(PAIR, 5, opponent="random", horizon=20), vectors_played),
    "aec": (lambda: env.aec(PAIR, horizon=200), duel_played),
    "games": (lambda: env.games(PAIR, 4, seed=7, horizon=200), games_played),
}
AGAIN = {
    "pickled": lambda game: pickle.loads(pickle.dumps(game)),
    "copied": copy.deepcopy,
}


@pytest.mark.parametrize("way", AGAIN)
@pytest.mark.parametrize("kind", MADE)
def test_an_environment_goes_on_as_it_would_have(kind, way):
    """Should make the same draws and come to the same rewards, each for itself."""
    make, play = MADE[kind]
    game = make()
    if kind != "games":
        game.reset(seed=5)
    play(game, 6)
    twin = AGAIN[way](game)
    ahead = play(twin, 10)
    assert play(game, 10) == ahead


@pytest.mark.parametrize("kind", MADE)
def test_play_goes_back_to_a_snapshot_any_number_of_times(kind):
    """Should come to the same again, after other moves and after new episodes."""
    make, play = MADE[kind]
    game = make()
    if kind != "games":
        game.reset(seed=11)
    play(game, 4)
    here = game.snapshot()
    first = play(game, 12)
    for _ in range(2):
        if kind != "games":
            game.reset(seed=99)
        play(game, 5)
        game.restore(here)
        assert play(game, 12) == first
    with pytest.raises(InputError, match="not one of"):
        game.restore("elsewhere")


def test_a_snapshot_of_other_games_is_refused():
    """Should not be squeezed into games of another number."""
    few, many = env.games(PAIR, 2), env.games(PAIR, 3)
    with pytest.raises(InputError, match="not one of these games"):
        few.restore(many.snapshot())
    assert np.array_equal(few.mask, env.games(PAIR, 2).mask)
