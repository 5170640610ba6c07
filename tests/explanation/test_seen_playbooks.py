"""Playbooks of what is seen: every play under the rules is held, and the words are those of a responder."""

from __future__ import annotations

import json
import random

import pytest

import holdfast as hf
from cases import TIMES
from hidden_games import random_hidden_game, random_sight
from holdfast.errors import InputError
from holdfast.explanation import seen_playbook, seen_playbook_object
from holdfast.explanation.appearances import appearances
from holdfast.explanation.playbook.seen_phases import SeenRounds, phase_rules
from holdfast.game.configuration import configure
from holdfast.models.network import network_system
from holdfast.solver import controller, looker, solve, solve_beliefs
from seen_plays import every_play, look_of

N_GAMES = 50 * TIMES
HOSTS = ["GW", "Web", "WS"]
LINKS = [("GW", "Web"), ("GW", "WS"), ("Web", "WS")]


def two_doors(sensors, **options):
    """A segment that is held with sight, and with a sensor at each of two hosts."""
    system = network_system(HOSTS, LINKS, "GW", isolate_detected=True, sensors=sensors, **options)
    names = ", ".join(HOSTS)
    clauses = [f"G (count({names} in {{X, D, Z}}) <= 2)", f"G (count({names} in {{C, X, D}}) >= 1)"]
    return configure(system, clauses, ["G (times(destroy) <= 1)"])


def play_by_rules(configuration, sight, phases, initial):
    """Every play under rules, which are read as they stand."""
    rounds = SeenRounds(configuration, sight, appearances(configuration, sight))

    def decided(phase, between, look):
        place = rounds.place(phases[phase], (between, look))
        rules = phases[phase].rules
        return rules[place].decision if place < len(rules) else phases[phase].otherwise

    return every_play(configuration, sight, lambda look: decided(0, initial, look), decided)


def test_every_play_under_the_rules_is_held():
    """Should hold random games, whatever the adversary does and whatever is seen of it."""
    n_held = 0
    for seed in range(N_GAMES):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng)
        sight = random_sight(rng, configuration)
        answer = solve_beliefs(solve(configuration), sight)
        if not answer.defensible:
            continue
        machine = controller(answer)
        look = look_of(configuration, answer.sight)
        assert looker(configuration, answer.sight)(configuration.initial) == look(configuration.initial)
        rounds = SeenRounds(configuration, answer.sight, appearances(configuration, answer.sight))
        phases = tuple(phase_rules(n, table, rounds, ()) for n, table in enumerate(machine.phases))
        play_by_rules(configuration, answer.sight, phases, machine.initial)
        n_held += 1
    assert n_held > 10


def test_words_of_a_segment():
    """Should ask for what sensors show, say what it takes to be seen, and play an example."""
    configuration = two_doors(("GW", "Web"))
    found = seen_playbook(configuration)
    assert found.held and found.sight.placed == ("GW", "Web") and len(found.phases) == 1
    told = [(rule.condition, found.action(rule.decision.action)) for rule in found.phases[0].rules]
    assert told == [
        ("GW is compromised and Web is clean", "isolate(Web)"),
        ("Web is compromised and WS is seemingly clean", "isolate(WS)"),
    ]
    assert found.hidden == ("seemingly clean is clean or compromised",)
    assert [(move.mover, move.action) for move in found.example] == [
        ("adversary", "spread(Web)"),
        ("defender", "isolate(WS)"),
    ]
    assert play_by_rules(configuration, found.sight, found.phases, found.controller.initial) > 10
    data = json.loads(json.dumps(seen_playbook_object(found)))
    assert data["n_rules"] == 2 and data["uses"] == ["GW", "Web"] and data["n_stances"] >= 1
    text = " ".join(hf.render(found).split())
    assert "2 RULES" in text and "by 2 sensors, at GW and Web" in text
    assert "<html" in hf.render(found, "html") and "isolate Web" in hf.render(found, "markdown")


def test_sensors_that_are_late_or_miss_and_moves_that_are_noticed():
    """Should speak of the sensor where it shows something of the past, and of a move that was noticed."""
    system = network_system(
        ["GW", "DB"], [("GW", "DB")], "GW", sensors=("DB",), late={"DB": 1}, noticed=("destroy",)
    )
    words = {each.trait.name for each in appearances(configure(system, ["G (DB != Z)"]), system.sight)}
    assert "the sensor at DB" in words
    found = seen_playbook(configure(system, ["G (DB != Z)"]))
    assert found.held
    assert play_by_rules(found.configuration, found.sight, found.phases, found.controller.initial)


def test_lost_designs_and_those_that_see_everything():
    """Should say that there is no playbook, and refuse to tell one where everything is seen."""
    found = seen_playbook(two_doors(()))
    assert found.defensible and not found.held
    assert "NOT DEFENSIBLE WITH THESE SENSORS" in hf.render(found)
    assert seen_playbook_object(found)["phases"] is None
    with pytest.raises(InputError, match="sees everything"):
        seen_playbook(two_doors(None))
