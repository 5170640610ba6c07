"""Interchangeable variables counted by themselves, and counted ones written out: every reading stays."""

import importlib
import random

import pytest

from cases import TIMES
from grouped import built, grouped_network, readings_of
from holdfast.apps.services.design import Wanted, check, whole_ladder
from holdfast.budget import UNLIMITED
from holdfast.design import ladder_of, recommend, recommendation_object, with_variants
from holdfast.errors import HoldfastError, InputError
from holdfast.explanation import explain, explanation_object, playbook
from holdfast.game import gathered, n_choices, with_counters, written_out
from holdfast.logic import Player
from holdfast.readings import Asked, analyse, analysis_object
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import solve

OFFICE = """\
holdfast: 1
name: office
network:
  hosts: [GW, {ws: {count: COUNT}}, Files, DB]
  links: [GW -> ws, ws -> Files, Files -> DB]
  entry: GW
specs:
  defender:
    - G (DB not in {X, D, Z})
    - G (count(ws in {X, D}) <= 2)
    - G (active >= LEFT)
  adversary:
    - G (times(destroy) <= 1)
"""


def office(count=12, *changes):
    text = OFFICE.replace("COUNT", str(count)).replace("LEFT", str(count))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return built(text)


@pytest.mark.parametrize("seed", range(10 * TIMES))
def test_both_forms_have_the_same_readings(seed):
    """What a file names one by one is counted by itself; what it counts is written out."""
    counted, written = grouped_network(random.Random(5000 + seed), 3)
    try:
        single, declared = built(written), built(counted)
    except HoldfastError:
        pytest.skip("the boundary is not admissible")
    known = readings_of(single, exact=False)
    assert readings_of(written_out(declared, "a test"), exact=False) == known
    by_itself = with_counters(single, least=2)
    if by_itself is not None:
        assert by_itself.game.tallies
        assert readings_of(by_itself, exact=False) == known


def test_only_large_classes_are_counted():
    assert with_counters(office(11)) is None
    numbers = with_counters(office(12))
    assert [(tally.name, tally.size) for tally in numbers.game.tallies] == [("ws", 12)]
    assert numbers.n_positions == office(12).n_positions
    assert n_choices(numbers.game, Player.DEFENDER) == 15 * 5


@pytest.mark.parametrize(
    "change",
    [
        ("{count: 12}", "{count: 12, alike: no}"),
        ("G (DB not in {X, D, Z})", "G (ws7 != Z | DB = C)"),
        ("G (DB not in {X, D, Z})", "G (count(ws1, ws2, ws3 in {Z}) <= 1)"),
        ("times(destroy)", "times(destroy(ws3))"),
        ("entry: GW", "entry: GW\n  sensors: [DB]"),
        ("entry: GW", "entry: GW\n  chance: {spread: 0.5}"),
        ("specs:", "effort: {isolate(ws4): 3}\nspecs:"),
        ("specs:", "recovery: {up: ws2 = C}\nspecs:"),
    ],
)
def test_what_is_named_one_by_one_is_not_counted(change):
    assert with_counters(office(12, change)) is None


def test_the_others_are_counted_where_one_is_named():
    chosen = office(
        13, ("specs:", "recovery: {up: DB = C}\nspecs:"), ("ws -> Files", "ws -> Files, GW -> DB")
    )
    assert with_counters(chosen).game.tallies[0].size == 13
    apart = office(13, ("entry: GW", "entry: GW\n  exposed: [ws1]"))
    assert with_counters(apart).game.tallies[0].size == 12
    assert "ws1" in with_counters(apart).game.places


def test_hosts_that_are_listed_one_by_one():
    """Nobody declared a group; the name is what theirs begin with, and every way of saying all of them counts."""
    names = [f"PC-{n:02}" for n in range(1, 13)]
    hosts = ", ".join(names)
    links = ", ".join(f"GW -> {name}, {name} -> DB" for name in names)
    chosen = built(
        f"holdfast: 1\nname: listed\nnetwork:\n  hosts: [GW, DB, {hosts}]\n  links: [{links}]\n  entry: GW\n"
        f"specs:\n  defender:\n    - G (count({hosts} in {{X, D}}) <= 2)\n    - G (DB != Z)\n"
        f"    - G ({' | '.join(f'{name} = C' for name in names)})\n"
    )
    numbers = with_counters(chosen)
    assert [(tally.name, tally.size) for tally in numbers.game.tallies] == [("PC", 12)]
    before, after = solve(chosen), solve(numbers)
    assert (before.defensible, before.shells) == (after.defensible, after.shells)


def test_an_analysis_says_that_it_counted():
    chosen = office(14)
    plainly, by_itself = (
        analyse(chosen, latitude=False, response=False, recovery=False, count_alike=given)
        for given in (False, True)
    )
    assert (plainly.counted, by_itself.counted) == ((), ("14 ws",))
    assert (plainly.start, plainly.shells, plainly.win) == (by_itself.start, by_itself.shells, by_itself.win)
    assert "counted" not in analysis_object(plainly)
    assert analyse(chosen, engine="symbolic", count_alike=True, response=False, recovery=False).counted == ()


def test_few_are_written_out_where_single_ones_are_asked_for():
    few = office(3, ("{count: 3}", "{count: 3, alike: yes}"))
    named = office(3)
    assert playbook(few).n_positions == playbook(named).n_positions
    assert playbook(solve(few)).defensible
    many = office(40, ("{count: 40}", "{count: 40, alike: yes}"))
    with pytest.raises(InputError, match="Up to 10 of them are written out by themselves"):
        playbook(many)


def test_numbers_in_formulas_are_written_out():
    counted = office(
        4, ("{count: 4}", "{count: 4, alike: yes}"), ("count(ws in {X, D}) <= 2", "ws_X in {0, 1}")
    )
    named = office(4, ("count(ws in {X, D}) <= 2", "count(ws in {X}) <= 1"))
    assert solve(written_out(counted, "a test")).shells == solve(named).shells


def test_the_ladder_has_all_rungs():
    """What numbers cannot be asked, such as what a defender without any sight could do, is asked of the hosts."""
    chosen = office(3)
    numbers = solve(with_counters(chosen, least=2))
    known, found = ladder_of(solve(chosen)), whole_ladder(chosen, numbers, "auto", UNLIMITED)
    assert "blind" in [verdict.rung for verdict in found.rungs]
    assert [(v.rung, v.defensible, v.within) for v in found.rungs] == [
        (v.rung, v.defensible, v.within) for v in known.rungs
    ]


def test_check_says_in_a_sentence_that_it_counted():
    wanted = Wanted(latitude=False, response=False, recovery=False, why="lost")
    office_12 = OFFICE.replace("COUNT", "12").replace("LEFT", "12")
    for text, said in ((office_12, True), (office_12.replace("count: 12", "count: 12, alike: no"), False)):
        answer = check(scenario_from_text(text), None, wanted)
        words = "The 12 ws are interchangeable and were counted"
        assert (words in " ".join(answer.document("office.yaml").closing)) is said
        assert answer.configuration.game.tallies == ()


def plainly_told(answer):
    """An answer without what differs from run to run, and without the names of hosts."""
    beside = ("seconds", "counted", "n_solved", "certificate", "state", "path")
    if isinstance(answer, dict):
        return {key: plainly_told(own) for key, own in answer.items() if key not in beside}
    return [plainly_told(own) for own in answer] if isinstance(answer, list | tuple) else answer


@pytest.mark.parametrize("seed", range(2 + 3 * (TIMES - 1)))
def test_reasons_and_advice_are_those_of_a_declared_group(seed, monkeypatch):
    """Hosts that are counted by themselves are explained, and changed, as those with alike: yes."""
    monkeypatch.setattr(importlib.import_module("holdfast.game.alike"), "PAYS", 2)
    counted, written = grouped_network(random.Random(8000 + seed), 2 if TIMES == 1 else 3, alone=True)
    try:
        declared, single = scenario_from_text(counted), scenario_from_text(written)
        same, by_itself = configuration(declared), gathered(configuration(single))
    except HoldfastError:
        pytest.skip("the boundary is not admissible")
    if [tally.name for tally in same.game.tallies] != [tally.name for tally in by_itself.game.tallies]:
        pytest.skip("one of them is named, so that the others have another name")
    told = [explanation_object(explain(solve(each))) for each in (same, by_itself)]
    assert plainly_told(told[0]) == plainly_told(told[1])
    quick, advice = Asked(latitude=False, response=False, recovery=False), []
    for file in (declared, single):
        try:
            advised = recommend(file, kinds=["cut", "close"], readings=quick, count_alike=True)
            advice.append(plainly_told(recommendation_object(advised)))
        except InputError as error:
            advice.append(str(error))
    assert advice[0] == advice[1]


def test_what_is_recommended_for_many_is_written_with_names_of_the_file():
    """A group that the file has is named; hosts that it only lists are written one by one."""
    names = [f"PC-{n:02}" for n in range(1, 13)]
    declared = OFFICE.replace("COUNT", "12").replace("LEFT", "12").replace("<= 2", "<= 0")
    listed = declared.replace("{ws: {count: 12}}", ", ".join(names)).replace(
        "GW -> ws, ws -> Files", ", ".join(f"GW -> {name}, {name} -> Files" for name in names)
    )
    listed = listed.replace("count(ws in", f"count({', '.join(names)} in")
    for text, links in ((declared, ["GW -> ws"]), (listed, [f"GW -> {name}" for name in names])):
        advice = recommend(scenario_from_text(text), count_alike=True)
        assert [one.cost for one in advice.remedies.sets] == [1]
        again = scenario_from_text(with_variants(advice))
        (name,) = again.variants
        assert all(link in again.text.split("variants:")[1] for link in links)
        assert solve(gathered(configuration(again, name))).defensible
