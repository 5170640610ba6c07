"""Why a design is lost with what is seen: the cases are ones, and every action fails for one of them."""

from __future__ import annotations

import json
import random

from cases import TIMES
from hidden_games import random_hidden_game, random_sight
from holdfast.budget import UNLIMITED
from holdfast.explanation import explain, explanation_object
from holdfast.explanation.fog import _Told, fog
from holdfast.game import move
from holdfast.game.configuration import configure
from holdfast.logic.expressions import Player
from holdfast.models.network import network_system
from holdfast.report import explanation_document
from holdfast.solver import rank, solve, solve_beliefs
from seen_plays import answers, look_of

N_GAMES = 150 * TIMES

HOSTS = ["GW", "Web", "WS"]
LINKS = [("GW", "Web"), ("GW", "WS"), ("Web", "WS")]
REQUIREMENT = [
    f"G (count({', '.join(HOSTS)} in {{X, D, Z}}) <= 2)",
    f"G (count({', '.join(HOSTS)} in {{C, X, D}}) >= 1)",
]


def two_doors(sensors):
    """A segment that is held with sight alone."""
    system = network_system(HOSTS, LINKS, "GW", isolate_detected=True, sensors=sensors)
    return configure(system, REQUIREMENT, ["G (times(destroy) <= 1)"])


def check_small(solution, answer):
    """Each small belief looks alike, and what is said of each action is so, from the definitions."""
    configuration, sight = solution.configuration, answer.sight
    look, told = look_of(configuration, sight), _Told(solution, answer, UNLIMITED)
    ((_, start),) = answer.start.items()
    assert all(case in answer.lost[start].belief for case in told.small[start].cases)
    n_actions = len(configuration.game.actions[Player.DEFENDER])
    for number, small in enumerate(told.small):
        assert {look(case) for case in small.cases} == {small.key}
        assert small.case_of.keys() | small.next_of.keys() == set(range(n_actions))
        for action, case in small.case_of.items():
            target = move(configuration, case, action)
            assert case in small.cases and (target is None or rank(solution, target) is not None)
        for action, ((between, seen), after) in small.next_of.items():
            assert after < number
            made = [move(configuration, case, action) for case in small.cases]
            reached = {
                last
                for middle in made
                if look(middle) == between
                for noticed, last in answers(configuration, middle, sight)
                if (look(last), noticed) == seen
            }
            assert told.small[after].cases.keys() <= reached


def test_every_action_fails_for_what_may_be_the_case():
    """Should name cases that look alike, and a reason for every action, on random games and both engines."""
    n_lost = n_steps = 0
    for seed in range(N_GAMES):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng)
        sight = random_sight(rng, configuration)
        for engine in ("explicit", "symbolic"):
            solution = solve(configuration, engine)
            answer = solve_beliefs(solution, sight)
            if not solution.defensible or answer.defensible:
                break
            check_small(solution, answer)
            lines = fog(solution, answer)
            n_lost, n_steps = n_lost + 1, max(n_steps, len(lines.steps))
            names = {action.name for action in configuration.game.actions[Player.DEFENDER]}
            for step in lines.steps:
                failing = [name for group in step.failing for name in group.actions]
                assert sorted(failing) == sorted(names)
                assert all(group.step is None or group.step <= len(lines.steps) for group in step.failing)
    assert n_lost > 5 and n_steps > 1, (n_lost, n_steps)


def test_words_of_a_segment():
    """Should say what it looks like, the two cases, and what fails in each."""
    explanation = explain(solve(two_doors(())))
    assert explanation.defensible and explanation.held is False
    (step,) = explanation.fog.steps
    assert step.seen == "GW, Web and WS are seemingly clean"
    assert set(step.cases) == {"Web is clean; WS is compromised", "Web is compromised; WS is clean"}
    assert step.common == "GW is compromised"
    assert set(explanation.fog.opening) == {"spread(Web)", "spread(WS)"}
    assert sum(len(group.actions) for group in step.failing) == 15
    data = json.loads(json.dumps(explanation_object(explanation)))
    assert data["sight"]["defensible"] is False and data["fog"]["steps"][0]["number"] == 1
    titles = [section.title for section in explanation_document(explanation).sections]
    assert "Why it is lost with these sensors" in titles


def test_nothing_is_said_where_it_holds():
    """Should say nothing of the kind with enough sensors, and where everything is seen."""
    watched = explain(solve(two_doors(tuple(HOSTS))))
    assert watched.held and watched.fog is None and watched.sight.defensible
    seeing = explain(solve(two_doors(None)))
    assert seeing.held and seeing.fog is None and seeing.sight is None
