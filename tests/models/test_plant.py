"""Plants: water runs as the rule says, and the answers are those worked out by hand."""

import json
import re
from itertools import product

import pytest

import holdfast as hf
from holdfast.errors import ScenarioError
from holdfast.game.structure import successor
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration, scenario_from_text
from paths import ROOT
from reference_plant import SlowPlant, random_plant, rng_of


def scenario(section, defender=(), adversary=(), variants=None):
    """A scenario of one plant."""
    specs = {"defender": list(defender), "adversary": list(adversary)}
    written = {"holdfast": 1, "name": "plant", "plant": section, "specs": specs}
    return scenario_from_text(json.dumps(written | ({"variants": variants} if variants else {}), indent=1))


def agree(seed, limit):
    """Hold the game of one random plant against the literal rules, state by state and action by action."""
    rng = rng_of(seed)
    section = random_plant(rng)
    game, slow = configuration(scenario(section)).game, SlowPlant(section)

    def literal(state):
        return {v.name: v.values[code] for v, code in zip(game.variables, state)}

    assert literal(game.initial) == slow.start()
    every = list(product(*map(range, game.shape)))
    n = 0
    for state in every if len(every) <= limit else rng.sample(every, limit):
        for player in Player:
            for number, action in enumerate(game.actions[player]):
                after = successor(game, player, number, state)
                assert literal(after) == slow.after(player, literal(state), action.name), action.name
                n += 1
    return n


def test_water_should_run_as_the_rule_says():
    assert sum(agree(seed, 40) for seed in range(25)) > 3_000


def test_all_states_of_small_plants_should_follow_the_rules():
    assert sum(agree(seed, 5_000) for seed in range(40, 46)) > 3_000


@pytest.mark.parametrize("seed", range(10))
def test_both_engines_should_agree_on_plants(seed):
    section = random_plant(rng_of(seed))
    found = [
        hf.solve(configuration(scenario(section, ["G !overflow"])), engine=engine)
        for engine in ("explicit", "symbolic")
    ]
    assert found[0].shells == found[1].shells and found[0].n_winning == found[1].n_winning
    assert hf.verify(hf.certify(found[1])).valid


# -- answers that are known -------------------------------------------------------------------------------

TANK = {
    "tanks": {"level": {"holds": 4, "level": 2}},
    "lines": {
        "pump": {"from": "source", "to": "level", "dose": "defender"},
        "out": {"from": "level", "to": "drain", "dose": "defender"},
        "fill": {"from": "source", "to": "level", "dose": "adversary"},
        "draw": {"from": "level", "to": "drain", "dose": "adversary"},
    },
    "dominance": "(count(level in {1, 2, 3}) + count(level in {2})) / 2",
}


@pytest.mark.parametrize("variant", [None, "no-drain", "one-fill"])
def test_the_water_tank_should_be_a_plant_of_doses(variant):
    """Should have the shells and readings of the scenario that is written as a game, and is solved on paper."""
    game = hf.solve(hf.load(ROOT / "scenarios/water-tank.yaml", variant))
    lines = {name: line for name, line in TANK["lines"].items() if variant is None or name != "out"}
    limits = ["G (times(run(fill)) <= 1)"] if variant == "one-fill" else []
    found = configuration(scenario(TANK | {"lines": lines}, ["G (level in {1, 2, 3})"], limits))
    plant = hf.solve(found)
    assert (plant.defensible, plant.shells, plant.n_winning) == (game.defensible, game.shells, game.n_winning)
    assert [plant.configuration.game.mu((n,)) for n in range(5)] == [
        game.configuration.game.mu((n,)) for n in range(5)
    ]
    if plant.defensible:
        assert hf.static_reading(plant).shield_latitude == hf.static_reading(game).shield_latitude


def test_a_trip_should_hold_until_its_sensor_is_blind():
    """By hand: 2 units run in each round, up to the trip at 6; blinded, the tank is full one round later.

    The tank holds 8 and starts at 6. With its sensor the line stays shut for ever. The adversary blinds it
    (move 1), the defender can do nothing about it (2), and in move 3 two units run and fill the tank.
    """
    section = {
        "tanks": {"T": {"holds": 8, "level": 6}},
        "lines": {"feed": {"from": "source", "to": "T", "rate": 2, "trips": ["L >= 6"]}},
        "sensors": {"L": {"of": "T", "sabotage": ["blind"]}},
        "repair": "no",
    }
    lost = hf.solve(configuration(scenario(section, ["G !overflow"])))
    assert hf.rank(lost, lost.configuration.initial) == 3
    assert hf.solve(configuration(scenario(section, ["G !overflow"], ["G (times(blind) <= 0)"]))).defensible
    repaired = configuration(scenario(section | {"repair": "yes"}, ["G !overflow"]))
    assert hf.solve(repaired).defensible


SMALL = {"tanks": {"T": {"holds": 3}}, "lines": {"v": {"from": "source", "to": "T", "valve": "open"}}}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"lines": {"v": {"from": "source", "to": "S"}}}, 'the line v: unknown "S"'),
        ({"lines": {"v": {"from": "source", "to": "drain"}}}, "it must join a tank to something else"),
        ({"lines": {"v": {"from": "source", "to": "T", "sabotage": ["jam"]}}}, "has no device to sabotage"),
        ({"lines": {"v": {"from": "source", "to": "T", "valve": "open", "pump": "on"}}}, "not both"),
        ({"lines": {"v": {"from": "source", "to": "T", "trips": ["L >= 2"]}}}, 'unknown "L"'),
        ({"lines": {"v": {"from": "source", "to": "T", "trips": ["L > 2"]}}}, "expected a sensor and a bound"),
        ({"lines": {"v": {"from": "source", "to": "T", "behind": ["v"]}}}, "which has no valve or pump"),
        ({"tanks": {"T": {"holds": 3, "level": 4}}}, "T starts at 4; it holds 0 to 3"),
        ({"tanks": {"run": {"holds": 3}}}, '"run" is already an action'),
        ({"dominance": "T"}, "it must stay between 0 and 1"),
        ({"lines": {f"v{i}": {"from": "source", "to": "T"} for i in range(6)}}, "6 lines share one end"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_plant_should_be_told_with_its_place(change, told):
    with pytest.raises(ScenarioError) as error:
        configuration(scenario(SMALL | change))
    assert told in str(error.value) and re.match(r"<text>:\d+:\d+: ", str(error.value)), str(error.value)


def test_what_is_recommended_should_be_a_variant_that_says_the_same():
    """Should lead to the same game by taking parts away and by writing the change down."""
    for seed in range(10):
        section = random_plant(rng_of(f"written {seed}"))
        system = configuration(scenario(section)).system
        offered = (*system.parts, *system.hardenable, *system.upgrades)
        taken = frozenset(part for part in offered if rng_of(f"{seed} {part}").random() < 0.4)
        if taken:
            found = scenario(section, variants={"it": {"plant": system.written(taken)}})
            assert configuration(found, "it").system.game == system.without(taken).game
