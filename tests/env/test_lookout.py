"""Environments of a defender that sees what its sensors show: observations, what is left to it, and safety."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from cases import TIMES
from holdfast import env
from holdfast.errors import InputError
from holdfast.game.configuration import Position
from holdfast.game.sight import Recalled
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.beliefs import solve_beliefs
from holdfast.solver.engines import solve
from reference import value
from reference_beliefs import alike, answers, beliefs_after, looks
from sights import random_seen_scenario, whole_game

FORK = """
holdfast: 1
network:
  hosts: [GW, Web, DB]
  links: [GW -> Web, GW -> DB, Web -> DB, DB -> GW, DB -> Web]
  entry: GW
  isolate: detected
  sensors: [DB]
  seen: [destroy]
specs: {defender: ["G !(DB in {X, D, Z} & Web in {X, D, Z})", G (active >= 1)], adversary: [G (times(destroy) <= 1)]}
variants:
  blind: {network: {sensors: none}}
  late: {network: {sensors: {DB: {delay: 1}, Web: {}}}}
  sighted: {network: {sensors: null}}
"""


@cache
def fork(variant=None):
    return solve(configuration(scenario_from_text(FORK), variant))


# -- the twin: beliefs as sets of listed positions ------------------------------------------------------


class Twin:
    """What is possible, and which actions are left, position by position."""

    def __init__(self, text):
        self.whole, self.solution = whole_game(text), solve(configuration(scenario_from_text(text)))
        sight = self.solution.configuration.system.sight
        self.noticed, self.look = sight.noticed, looks(self.whole, sight.seen)
        answer = solve_beliefs(self.solution, sight)
        self.held = [
            frozenset(v for v in self.whole.positions if v in self.whole.winning and self._in(v, stance))
            for stance in answer.stances
        ]
        self.defensible = answer.defensible

    def _in(self, v, stance):
        return Position(*v) in stance.belief

    def starts(self):
        v = self.whole.initial
        one = frozenset([v])
        return [one] if v[1] is Player.DEFENDER else answers(self.whole, one, self.look, self.noticed)

    def left(self, belief):
        """By action that is left, what may be possible next."""
        left = {}
        for action in range(len(self.whole.configuration.game.actions[Player.DEFENDER])):
            after = beliefs_after(self.whole, belief, action, self.look, self.noticed)
            if all(any(below <= held for held in self.held) for below in after):
                moved = alike([self.whole.admissible(v)[action] for v in belief], self.look)
                if not any(part & self.whole.unsafe for part in moved):
                    left[action] = after
        return left


def test_masks_against_listed_beliefs():
    """Should be what is left by the definition, contain where play is, and never let it be violated."""
    seen = Counter()
    for seed in range(12 * TIMES):
        rng = random.Random(f"lookout {seed}")
        twin = Twin(random_seen_scenario(rng))
        if not twin.defensible:
            with pytest.raises(InputError, match="cannot be held with these sensors"):
                env.gym(twin.solution, opponent="random", observe="sensors")
            seen["lost"] += 1
            continue
        if twin.whole.initial[1] is Player.ADVERSARY and not twin.whole.admissible(twin.whole.initial):
            continue
        game = env.gym(twin.solution, opponent="random", observe="sensors", horizon=40)
        for episode in range(3):
            game.reset(seed=seed * 10 + episode)
            possible = twin.starts()
            while True:
                v = tuple(game.position)
                here = [belief for belief in possible if v in belief]
                assert here, "what is possible has what is the case"
                seen["several"] += any(len(belief) > 1 for belief in here)
                options = [twin.left(belief) for belief in here]
                mask = set(np.flatnonzero(game.action_masks()).tolist())
                assert mask and mask in [set(left) for left in options]
                left = next(left for left in options if set(left) == mask)
                action = rng.choice(sorted(mask))
                _, _, terminated, truncated, told = game.step(action)
                assert not terminated and not told["violation"] and not told["forfeit"]
                seen["moves"] += 1
                if truncated:
                    break
                possible = left[action]
    assert seen["lost"] >= 1 and seen["several"] >= 20 and seen["moves"] >= 200, seen


# -- observations -----------------------------------------------------------------------------------------


def test_observations_are_what_is_seen():
    """Should have the truth of each thing after both moves, and the move that was noticed; nothing else."""
    for variant in ("late", None):
        solution = fork(variant)
        chosen, sight = solution.configuration, solution.configuration.system.sight
        game = env.gym(solution, opponent="random", mask="legal", observe="sensors", horizon=30)
        n = len(sight.seen)
        heard = [
            name for name in (a.name for a in chosen.game.actions[Player.ADVERSARY]) if name in sight.noticed
        ]
        assert game.encoding.names[2 * n :] == tuple(f"noticed: {name}" for name in heard)
        rng, noticed = random.Random(1), Counter()
        for episode in range(20):
            seen, _ = game.reset(seed=episode)
            while True:
                position = game.position
                named = dict(zip((v.name for v in chosen.game.variables), position.state))
                for bit, part in enumerate(sight.seen):
                    if isinstance(part, Recalled):
                        place = chosen.defender.index(part.clause.automaton)
                        expected = position.q_defender[place] in part.states
                    else:
                        expected = holding(part, chosen, named)
                    assert seen[n + bit] == expected
                assert seen[2 * n :].sum() <= 1
                noticed.update(name for name, one in zip(heard, seen[2 * n :]) if one)
                seen, _, terminated, truncated, _ = game.step(rng.choice(np.flatnonzero(game.action_masks())))
                if terminated or truncated:
                    break
        assert len(noticed) >= 2, noticed


def holding(part, chosen, codes):
    return bool(value(part, {v.name: v.values[codes[v.name]] for v in chosen.game.variables}))


def test_positions_that_look_alike_are_observed_alike():
    """Should not tell a clean host from a compromised one without a sensor."""
    game = env.gym(fork("blind"), opponent="random", mask="legal", observe="sensors", horizon=2)
    rows: dict[tuple[int, ...], set[bytes]] = {}
    for seed in range(60):
        seen, _ = game.reset(seed=seed)
        rows.setdefault(game.position.state, set()).add(seen.tobytes())
    spread = [rows[state] for state in ((1, 1, 0), (1, 0, 1))]  # to Web, and to DB
    assert spread[0] == spread[1] and len(spread[0]) == 1


# -- conventions --------------------------------------------------------------------------------------------


def test_gymnasium_accepts_it():
    """Should keep the rules of Gymnasium."""
    check_env(env.gym(fork(), opponent="random", observe="sensors", horizon=20), skip_render_check=True)


def played(game, seed, n=40):
    """What is seen, left and paid in one episode."""
    rng, story = random.Random(seed), []
    seen, told = game.reset(seed=seed)
    for _ in range(n):
        story.append((seen.tolist(), told["action_mask"].tolist()))
        seen, reward, terminated, truncated, told = game.step(rng.choice(np.flatnonzero(game.action_masks())))
        story.append((reward, terminated, truncated))
        if terminated or truncated:
            break
    return story


def test_there_and_back():
    """Should go on from a snapshot, a copy and what was pickled as if nothing had happened."""
    game = env.gym(fork(), opponent="random", observe="sensors", horizon=30)
    assert played(game, 4) == played(game, 4)
    game.reset(seed=2)
    for _ in range(3):
        game.step(int(np.flatnonzero(game.action_masks())[-1]))
    twins = [deepcopy(game), pickle.loads(pickle.dumps(game))]
    kept = game.snapshot()

    def rest(one):
        story = []
        for _ in range(6):
            seen, reward, *_ = one.step(int(np.flatnonzero(one.action_masks())[0]))
            story.append((seen.tolist(), reward, one.action_masks().tolist(), one.position))
        return story

    expected = rest(game)
    assert all(rest(twin) == expected for twin in twins)
    game.restore(kept)
    assert rest(game) == expected


def test_many_games_at_once():
    """Should leave in each game what the single one leaves, and begin again where one is over."""
    solution, n = fork(), 5
    games = env.vector(solution, n, opponent="greedy", observe="sensors", horizon=12)
    one = env.gym(solution, opponent="greedy", observe="sensors", horizon=12)
    seen, _ = games.reset(seed=1)
    first, _ = one.reset(seed=1)
    rng = random.Random(2)
    for _ in range(20):
        assert (seen == first).all() and (games.action_masks() == one.action_masks()).all()
        action = rng.choice(np.flatnonzero(one.action_masks()))
        seen, reward, terminated, truncated, told = games.step(np.full(n, action))
        first, paid, over, cut, _ = one.step(action)
        assert (reward == paid).all() and (terminated == over).all() and (truncated == cut).all()
        assert (told["action_mask"] == games.action_masks()).all()
        if over or cut:
            assert (told["final_obs"][0] == first).all()
            first, _ = one.reset()


def test_what_is_not_left_is_forfeited():
    """Should end the episode, although the shield of a defender with sight might permit it."""
    game = env.gym(fork(), opponent="random", observe="sensors", horizon=30)
    sighted = env.gym(fork("sighted"), opponent="random", horizon=30)
    n_left = n_safe = 0
    for seed in range(10):
        game.reset(seed=seed)
        sighted.reset(seed=seed)
        n_left += int(game.action_masks().sum())
        n_safe += int(sighted.action_masks().sum())
        wrong = int(np.flatnonzero(~game.action_masks())[0])
        _, _, terminated, _, told = game.step(wrong)
        assert terminated and told["forfeit"] and not game.action_masks().any()
    assert n_left < n_safe


@pytest.mark.parametrize(
    ("options", "variant", "words"),
    [
        ({}, "blind", "cannot be held with these sensors"),
        ({}, "sighted", "the defender sees everything"),
        ({"role": "adversary"}, None, 'with role="defender"'),
        ({"reset": 0.5}, None, "goes with no engagement resets"),
    ],
)
def test_what_cannot_be_had(options, variant, words):
    """Should be refused, with what to do instead."""
    with pytest.raises(InputError, match=words):
        env.gym(fork(variant), opponent="random", observe="sensors", **options)
    with pytest.raises(InputError, match=words):
        env.vector(fork(variant), 2, opponent="random", observe="sensors", **options)


def test_sensors_are_the_defenders():
    """Should be refused where both players observe, and where a policy is judged."""
    for made in (env.aec, lambda c, observe: env.simulate(c, "random", opponent="random", observe=observe)):
        with pytest.raises(InputError, match="sensors are what the defender sees"):
            made(fork(), observe="sensors")
