"""HOLD as one probability is moved: against the twin in fractions, monotone, with crossings that are proved."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

import holdfast as hf
from cases import TIMES
from commands import holdfast
from holdfast.design.probabilities import likely_frontier, probability_scale, with_probability
from holdfast.errors import InputError
from holdfast.game.structure import choices
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_system
from holdfast.operation.holding.asking import held_for
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from strategies import random_configuration, with_chance

P = [Fraction(n, 10) for n in (1, 4, 7)]


def moved(seed):
    """A random game with a choice that may fail, and the name of that choice with its player; or None."""
    configuration = random_configuration(random.Random(seed), 200, change=with_chance)
    for player in Player:
        for outcomes in choices(configuration.game, player):
            own = [configuration.game.actions[player][action] for action in outcomes]
            if len(own) == 2 and own[1].name.endswith("fails") and not own[1].rules:
                return configuration, own[0].choice, player
    return None


def test_hold_at_another_probability_contains_the_twin():
    """Should contain the twin's value in fractions at each probability."""
    seen = 0
    for seed in range(60 * TIMES):
        if (found := moved(seed)) is None:
            continue
        configuration, name, _ = found
        values = []
        for p in P:
            changed = with_probability(configuration, name, p)
            values.append(ChanceProduct(changed).hold_within(6)[-1])
            ends = held_for(solve(changed, "explicit"), 6)
            assert ends.low <= values[-1] <= ends.high, seed
        seen += values[0] != values[-1]
    assert seen


def test_hold_moves_one_way_with_a_probability():
    """Should never rise with an attack's, nor fall with a defense's, nor rise with the moves, on random networks."""
    seen = Counter()
    for seed in range(10 * TIMES):
        rng = random.Random(seed)
        hosts = ["GW", "A", "B"][: rng.randint(2, 3)]
        links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.6]
        chance = {"spread": "0.5", "isolate": "0.5", "destroy": rng.choice(["0.3", "0.9"])}
        system = network_system(hosts, links, "GW", chance=chance)
        wanted = rng.choice(
            ["G (active >= 1)", f"G ({hosts[-1]} = C)", f"G ({hosts[-1]} != Z)", "G (active >= 2)"]
        )
        lost = hf.configure(system, [wanted], rng.choice([[], ["G (times(destroy) <= 1)"]]))
        for name, falls in (("spread", True), ("destroy", True), ("isolate", False)):
            ends = [[held_for(solve(with_probability(lost, name, p)), t) for t in (2, 7, 30)] for p in P]
            for before, after in pairwise(ends):
                for one, other in zip(before, after, strict=True):
                    assert (other.low <= one.high) if falls else (one.low <= other.high), (seed, name)
                    seen[falls] += abs(one.low - other.low) > 1e-3
            for row in ends:
                assert all(later.low <= earlier.high for earlier, later in pairwise(row)), (seed, name)
    assert min(seen[True], seen[False]) > 3, seen


def test_a_crossing_has_the_threshold_between_its_ends():
    """Should hold likely enough at one end and not at the other, at most a thousandth apart."""
    system = network_system(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.5"})
    lost = hf.configure(system, ["G (DB = C)"])
    found = likely_frontier({"base": lost}, "chance(spread)=0.05..0.45 by 0.2", moves=1, least=0.8)
    (curve,) = found.curves
    assert [round(one.low, 6) for one in curve.cells] == [0.95, 0.75, 0.55]
    assert curve.crossing.low <= Fraction(1, 5) <= curve.crossing.high
    assert curve.crossing.high - curve.crossing.low <= Fraction(1, 1000)
    assert likely_frontier({"base": lost}, "chance(spread)=0.05", moves=1).curves[0].crossing is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chance(spread)=0..1", "above 0 and below 1"),
        ("chance(spread)=0.5..0.1", "is no chance"),
        ("chance(spread)=x", "is no chance"),
        ("chance(spread)=0.0001..0.9999", "at most 100|is no chance"),
        ("chance(spred)=0.1..0.2", "did you mean"),
    ],
)
def test_wrong_scales_are_refused(text, message):
    """Should say what was expected."""
    system = network_system(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.5"})
    with pytest.raises(InputError, match=message):
        likely_frontier({"base": hf.configure(system, ["G (DB = C)"])}, text)
    assert probability_scale("times(destroy)=0..3") is None


def test_the_command_answers_in_words_and_for_programs(tmp_path):
    """Should have a table, a curve, and the crossing; and refuse a second scale."""
    (tmp_path / "s.yaml").write_text(
        "holdfast: 1\nnetwork: {hosts: [GW, DB], links: [GW -> DB], entry: GW, chance: {spread: 0.5}}\n"
        'specs: {defender: ["G (DB = C)"]}\n',
        "utf-8",
    )
    over = ("--over", "chance(spread)=0.1..0.3", "--hold", "1", "--least", "0.8")
    done = holdfast("frontier", "s.yaml", *over, "--svg", "s.svg", cwd=tmp_path)
    assert done.returncode == 0 and "up to a chance of spread between 0." in " ".join(done.stdout.split())
    assert "<svg" in (tmp_path / "s.svg").read_text("utf-8")
    told = json.loads(holdfast("frontier", "s.yaml", *over, "--json", cwd=tmp_path).stdout)
    assert told["values"] == [0.1, 0.2, 0.3] and told["designs"][0]["hold"][0]["low"] <= 0.9
    assert holdfast("frontier", "s.yaml", *over, "--over", "tempo=1..2", cwd=tmp_path).returncode == 2
