"""Recovery and latitude with what is seen: both engines against the definition, belief by belief."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from cases import TIMES
from hidden_games import random_hidden_game, random_sight
from holdfast.errors import LimitError
from holdfast.game.configuration import configure
from holdfast.game.sight import Sight
from holdfast.logic.expressions import Player
from holdfast.logic.parser import parse_predicate
from holdfast.models.network import network_system
from holdfast.solver import recovery_layers, solve, solve_beliefs
from holdfast.solver.restrictions import Restriction, restricted
from holdfast.solver.seen_profile import seen_profile
from reference import Product, value
from reference_beliefs import TooManyBeliefsError, alike, answers, holds_blindly, looks

N_GAMES = 60 * TIMES
MOST, FAR = 3_000, 9


class Twin:
    """Beliefs as frozen sets, followed by every action that is not lost at once; nothing is known of W."""

    def __init__(self, configuration, sight):
        self.oracle = Product(configuration)
        self.look, self.noticed = looks(self.oracle, sight.seen), sight.noticed
        self.n_actions = len(configuration.game.actions[Player.DEFENDER])
        self.game = configuration.game
        self.after, queue = {}, [frozenset([self.oracle.initial])]
        self.start = queue[0]
        while queue:
            belief = queue.pop()
            if belief not in self.after:
                self.after[belief] = self.next(belief)
                queue += [b for choice in self.after[belief].values() for b in choice]
                if len(self.after) > MOST:
                    raise TooManyBeliefsError
        self.good = set(self.after)
        while bad := {b for b in self.good if not self.holds(b)}:
            self.good -= bad

    def next(self, belief):
        """By action, for the defender; else by None, the adversary's answers."""
        if next(iter(belief))[1] is Player.ADVERSARY:
            return {None: answers(self.oracle, belief, self.look, self.noticed)}
        choices = {}
        for action in range(self.n_actions):
            made = [self.oracle.admissible(position).get(action) for position in belief]
            if None not in made and not self.oracle.unsafe.intersection(made):
                choices[action] = alike(made, self.look)
        return choices

    def holds(self, belief):
        if self.oracle.unsafe & belief:
            return False
        return any(self.good.issuperset(choice) for choice in self.after[belief].values())

    def permitted(self, belief):
        return {a: c for a, c in self.after[belief].items() if self.good.issuperset(c)}

    def latitude(self):
        seen, queue = set(), [self.start]
        while queue:
            belief = queue.pop()
            if belief not in seen:
                seen.add(belief)
                queue += [b for choice in self.permitted(belief).values() for b in choice]
        own = [belief for belief in seen if next(iter(belief))[1] is Player.DEFENDER]
        shares = [Fraction(len(self.permitted(belief)), self.n_actions) for belief in own]
        return len(own), sum(shares, Fraction()) / len(own) if own else None

    def known(self, belief, goal):
        names = [v.name for v in self.game.variables]
        values = [dict(zip(names, (v.values[c] for v, c in zip(self.game.variables, p[0])))) for p in belief]
        return all(value(goal, each) for each in values)

    def moves(self, goal):
        ranks = {belief: 0 for belief in self.good if self.known(belief, goal)}
        while True:
            newest = {}
            for belief in self.good - ranks.keys():
                resting = next(iter(belief))[1] is Player.ADVERSARY and any(
                    not self.oracle.admissible(position) for position in belief
                )
                for choice in self.permitted(belief).values():
                    if not resting and all(after in ranks for after in choice):
                        newest[belief] = 1 + max((ranks[after] for after in choice), default=0)
            if not newest:
                return ranks.get(self.start, "never")
            ranks |= newest


def test_both_engines_against_the_definition():
    """Should agree on latitude, the beliefs that play comes to, and the rank of a random goal."""
    seen = {"held": 0, "reached": 0, "never": 0}
    for seed in range(N_GAMES):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng)
        sight = random_sight(rng, configuration)
        goal = parse_predicate(
            f"a = {rng.choice((0, 1))} & c = {rng.choice((0, 1))}", configuration.game.vocabulary
        )
        configuration = with_goal(configuration, goal)
        try:
            twin = Twin(configuration, sight)
        except TooManyBeliefsError:
            continue
        for engine in ("explicit", "symbolic")[: 1 + (seed % 3 == 0)]:
            solution = solve(configuration, engine)
            found = seen_profile(solution, sight)
            assert found.defensible == (twin.start in twin.good) == solve_beliefs(solution, sight).defensible
            if found.defensible:
                assert (found.n_beliefs, found.latitude) == twin.latitude(), seed
                assert found.recovery == {"there": twin.moves(goal)}, seed
                assert found.response is None, "no action is idle"
                seen["held"] += 1
                seen["never" if found.recovery["there"] == "never" else "reached"] += 1
    assert min(seen.values()) > 5, seen


def test_response_is_that_of_the_definition():
    """Should be the least effort, the slowest pace and the latest start with which the slow twin holds."""
    seen = Counter()
    for seed in range(N_GAMES):
        rng = random.Random(f"response {seed}")
        configuration = random_hidden_game(rng, idle=True)
        sight, costs = random_sight(rng, configuration), {"d0": rng.choice((0, 1, 2, 3))}
        configuration = replace(configuration, costs=costs)
        try:
            found = seen_profile(solve(configuration), sight, max_beliefs=150)
        except LimitError:
            continue
        if found.defensible:
            check_response(configuration, sight, found.response)
            seen.update(vars(found.response).items())
    assert len([extents for kind, extents in seen if kind == "effort"]) > 3, seen
    assert {0, 1, "unbounded"} <= {extents for kind, extents in seen if kind == "grace"}, seen
    assert {1, "unbounded"} <= {extents for kind, extents in seen if kind == "tempo"}, seen


def check_response(configuration, sight, found):
    """What is told is borne, and one step further is not, by the slow twin with one more clause."""

    def held(kind, number):
        asked = restricted(configuration, Restriction(kind, number))
        return holds_blindly(Product(asked), sight.seen, sight.noticed)[0]

    if found.effort == "unbounded":
        assert not held("effort", FAR)
    else:
        assert held("effort", found.effort) and not (found.effort and held("effort", found.effort - 1))
    for kind, trivial in (("tempo", 1), ("grace", 0)):
        extent = getattr(found, kind)
        if extent == "unbounded":
            assert held(kind, FAR)
        else:
            assert extent == trivial or held(kind, extent)
            assert not held(kind, extent + 1)


def with_goal(configuration, goal):
    """The configuration with one goal."""
    return replace(configuration, system=replace(configuration.system, goals={"there": goal}))


def test_who_sees_everything_recovers_as_ever():
    """Should be the recovery rank and the latitude of the game with sight where every host is watched."""
    hosts = ["GW", "Web", "DB"]
    links = [("GW", "Web"), ("Web", "DB")]
    system = network_system(hosts, links, "GW", sensors=tuple(hosts))
    solution = solve(configure(system, ["G (DB in {C, I})"]))
    watched = seen_profile(solution, system.sight)
    for goal, moves in watched.recovery.items():
        assert moves == recovery_layers(solution, goal).proof(solution.configuration.initial).moves
    blind = seen_profile(solution, replace(system.sight, placed=()))
    assert blind.latitude <= watched.latitude
    with pytest.raises(LimitError, match="more than 3"):
        seen_profile(solution, system.sight, max_beliefs=3)


def test_a_lost_design_has_neither():
    """Should say that it is not held, and nothing else."""
    system = network_system(["GW", "DB"], [("GW", "DB")], "GW", sensors=())
    found = seen_profile(solve(configure(system, ["G (DB = C)"])), system.sight)
    assert not found.defensible and found.latitude is None and found.recovery == {}
    assert isinstance(system.sight, Sight)
