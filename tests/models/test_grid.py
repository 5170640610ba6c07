"""Power grids: settled as slow twins settle them, by hand and as pandapower does; the game, its parts, its files."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import sys
import zlib
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import holdfast as hf
import reference
import reference_grid as slow
from holdfast.apps.cli import app
from holdfast.errors import InputError, LimitError, ModelError, ScenarioError
from holdfast.explanation.explaining import explain
from holdfast.game.configuration import Position
from holdfast.game.structure import successor
from holdfast.logic.expressions import Player
from holdfast.models.grid import MODEL, case_reader, case_tables, net_file, tabulation
from holdfast.models.grid.cascades import balanced, cascade, grid_arrays, settled
from holdfast.models.grid.case_reader import CASES
from holdfast.models.grid.case_tables import shipped_case
from holdfast.models.grid.game import grid_system
from holdfast.models.grid.net_file import grid_from_file
from holdfast.models.grid.power_grid import BUS_STATUSES, GridBranch, PowerGrid, PowerSource
from holdfast.models.grid.reader import gather_grid
from holdfast.report.figures.topologies import topology
from holdfast.scenario.library import library_card
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text

N_GRIDS = 12


def random_grid(rng, n_buses, n_branches, **options):
    buses = [f"N{i}" for i in range(n_buses)]
    ends = [(buses[i], buses[rng.randrange(i)]) for i in range(1, n_buses)]
    while len(ends) < n_branches:
        ends.append(tuple(rng.sample(buses, 2)))
    rng.shuffle(ends)
    branches = tuple(
        GridBranch(f"L{i}", *pair, Fraction(rng.randint(1, 9), 10), Fraction(rng.randint(8, 60)))
        for i, pair in enumerate(ends)
    )
    loads = {bus: Fraction(rng.randint(1, 60)) for bus in buses if rng.random() < 0.7} or {
        buses[0]: Fraction(9)
    }
    sources = []
    for bus in rng.sample(buses, rng.randint(1, 2)):
        most = Fraction(rng.randint(20, 150))
        sources.append(PowerSource(bus, most * rng.randint(0, 4) / 4, most))
    shed = tuple(rng.sample(sorted(loads), min(len(loads), rng.randint(0, 1))))
    kinds = rng.choice([("trip",), ("trip", "damage")])
    grid = PowerGrid(
        branches, loads, tuple(sources), Fraction(rng.choice([10, 12, 15]), 10), rng.randint(2, 3),
        frozenset(rng.sample([b.name for b in branches], rng.randint(0, 1))), shed,
        {Player.ADVERSARY: kinds, Player.DEFENDER: ("reclose", "repair", "shed", "restore")}, **options,
    )  # fmt: skip
    # Ratings not far above what is carried, or nothing would ever trip.
    flow = slow.flows_by_fractions(grid, branches, slow.balance(grid, branches, ())[0])
    snug = (replace(b, rating=abs(flow[b.name]) * rng.randint(9, 20) // 10 + 2) for b in branches)
    return replace(grid, branches=tuple(snug))


def values(game, state):
    return {v.name: v.values[code] for v, code in zip(game.variables, state)}


def follow(grid, flows=slow.flows_by_fractions):
    """Hold every situation and every action of the game to the slow twin, from the whole grid on."""
    game = grid_system(grid).game
    known, queue = {slow.whole(): game.initial}, [slow.whole()]
    while queue:
        here = queue.pop()
        assert values(game, known[here]) == slow.seen(grid, here, flows)
        for player in Player:
            for number, action in enumerate(game.actions[player]):
                then = slow.after(grid, here, action.name, flows)
                found = successor(game, player, number, known[here])
                if then not in known:
                    known[then] = found
                    queue.append(then)
                assert known[then] == found, (here, action.name)
    return len(known), game


def test_every_situation_and_move_is_as_in_the_slow_twin():
    """Should agree on random grids with exact fractions, protected branches tabulated as others are."""
    rng, n_cascades, n_grids = random.Random(7), 0, 0
    while n_grids < N_GRIDS:
        grid = random_grid(rng, rng.randint(3, 4), rng.randint(4, 5))
        try:
            n, game = follow(grid)
        except ModelError as error:
            assert "is overloaded as it is" in str(error)
            assert slow.settle(grid, set(), set(), set())[0] != frozenset()
            continue
        n_grids += 1
        assert n <= game.n_valuations
        n_cascades += any(cascade(grid, [b.name]) for b in grid.branches)
    assert n_cascades > N_GRIDS / 3


# -- by hand ----------------------------------------------------------------------------------------


def branch(name, x, rating):
    return GridBranch(name, *name, Fraction(x), Fraction(rating))


def triangle(rating=60, outages=2, **options):
    """90 MW from A to C, directly and over B, all reactances alike."""
    lines = tuple(branch(name, "0.1", rating) for name in ("AB", "BC", "AC"))
    source = PowerSource("A", Fraction(90), Fraction(120))
    return PowerGrid(lines, {"C": Fraction(90)}, (source,), outages=outages, **options)


def test_flows_by_hand():
    """Should split 90 MW two to one, as the direct way has half the reactance of the way round."""
    grid = triangle()
    found = balanced(grid_arrays(grid), np.ones((1, 3), bool), np.zeros((1, 3), bool))
    assert found.flow[0] / 1e6 == pytest.approx([30, 30, 60])


def test_a_cascade_by_hand():
    """Should lose C: without AC the way round carries 90 MW, more than 1.2 times 60; with 75 it would hold."""
    (step,) = cascade(triangle(), ["AC"])
    assert step.tripped == ("AB", "BC") and step.carried == pytest.approx((90, 90))
    assert cascade(triangle(75), ["AC"]) == ()
    game = grid_system(triangle(75)).game
    trip = [a.name for a in game.actions[Player.ADVERSARY]].index("trip(AC)")
    held = values(game, successor(game, Player.ADVERSARY, trip, game.initial))
    assert (held["served"], held["overloaded"], held["islands"], held["C"]) == (100, 2, 1, "live")
    assert slow.settle(triangle(), {"AC"}, set(), set()) == (slow.BLACKOUT, [{"AB", "BC"}])


def test_redispatch_by_hand():
    """Should give more in proportion to the room, less in proportion to the schedule, and share what is short."""
    grid = PowerGrid(
        (branch("AB", 1, 500), branch("BC", 1, 500)),
        {"B": Fraction(70), "C": Fraction(30)},
        (PowerSource("A", Fraction(20), Fraction(60)), PowerSource("C", Fraction(40), Fraction(60))),
    )
    # 100 MW are wanted and 60 scheduled: of the 40 that are missing A has 40/60 of the room and C 20/60.
    whole, cut, split = (
        balanced(grid_arrays(grid), np.array([up]), np.zeros((1, 3), bool))
        for up in ([True, True], [True, False], [False, False])
    )
    assert whole.flow[0] / 1e6 == pytest.approx([20 + 40 * 40 / 60, -(40 + 40 * 20 / 60 - 30)])
    # Without BC, A gives its 60 for the 70 of B, and C needs no more than 30 of its 60.
    assert cut.flow[0] / 1e6 == pytest.approx([60, 0]) and cut.served[0] == 90_000_000
    assert cut.status[0].tolist() == [1, 1, 0]
    assert split.served[0] == 30_000_000 and split.status[0].tolist() == [0, 2, 0]


def test_a_bus_without_load_is_as_its_island_is():
    """Should be short where the island lacks generation and dark where it has none, though it asks for nothing."""
    grid = PowerGrid(
        (branch("AB", 1, 500), branch("BC", 1, 500), branch("CD", 1, 500)),
        {"C": Fraction(70)},
        (PowerSource("A", Fraction(20), Fraction(60)), PowerSource("D", Fraction(0), Fraction(40))),
        outages=3,
    )
    by_hand = {
        (): ["live", "live", "live", "live"],  # 60 and 40 carry the 70
        ("CD",): ["short", "short", "short", "live"],  # 60 do not, and D, alone, lacks nothing
        ("AB", "CD"): ["live", "dark", "dark", "live"],
    }
    for out, expected in by_hand.items():
        up = [b for b in grid.branches if b.name not in out]
        rows = np.array([[b in up for b in grid.branches]])
        found = balanced(grid_arrays(grid), rows, np.zeros((1, 4), bool)).status[0]
        assert [BUS_STATUSES[status] for status in found] == expected
        assert list(slow.balance(grid, up, ())[2].values()) == expected


def test_a_grid_that_is_lost_stays_lost():
    """Should count more outages than asked for as a blackout, from which no action returns."""
    game = grid_system(triangle(outages=1)).game
    dark = next(s for s in map(tuple, game.listed.tolist()) if values(game, s)["A"] == "dark")
    for player in Player:
        assert {successor(game, player, a, dark) for a in range(len(game.actions[player]))} == {dark}


# -- pandapower -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pandapower():
    """pandapower, whose import warns about its own dependencies."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pandapower")


CASE = "holdfast: 1\ngrid: {case: %s, outages: %d, rating: {margin: %s, least: %d}}\nspecs: {defender: [G (served >= 50)]}\n"


@pytest.fixture(scope="module")
def shipped(pandapower):
    """The folder of pandapower's cases."""
    return Path(pandapower.__file__).parent / case_tables.FOLDER


@pytest.fixture(scope="module")
def nine():
    return case_grid("ieee9", 2, 1.4, 20)


@pytest.fixture(scope="module")
def fourteen():
    return case_grid("ieee14", 2, 1.4, 20)


@pytest.fixture(scope="module")
def net_of(pandapower):
    """The net of a case, which pandapower takes seconds to make; not to be changed."""
    import pandapower.networks

    return cache(lambda name: getattr(pandapower.networks, CASES[name])())


def case_grid(*given):
    return gather_grid(scenario_from_text(CASE % given)._root["grid"], None)


def run(pandapower, net):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pandapower.rundcpp(net, numba=False)


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_read_as_pandapower_converts_it(name, shipped, net_of):
    """Should have every branch, load and generator of pandapower's own conversion, in the order of its net."""
    ours = case_reader._parts_of_case(name)
    net = net_file._parsed(shipped / f"{CASES[name]}.json")
    tables = net_file._tables(net, name)
    theirs = net_file._read({t: tables[t] for t in net_file.TABLES if t in tables}, net["sn_mva"])
    assert ours == theirs.parts
    if name in ("ieee9", "ieee14"):
        theirs = case_reader.parts_of(net_of(name))
        assert ours == theirs
        assert [list(part) for part in ours] == [list(part) for part in theirs]


@pytest.mark.parametrize(
    "change",
    [
        lambda tables: tables["bus"]["data"][0].__setitem__(
            tables["bus"]["columns"].index("in_service"), False
        ),
        lambda tables: tables["trafo"]["data"][0].__setitem__(
            tables["trafo"]["columns"].index("pfe_kw"), 1.0
        ),
        lambda tables: tables["trafo"]["data"][0].__setitem__(
            tables["trafo"]["columns"].index("tap_side"), "lv"
        ),
        lambda tables: tables["switch"].update(index=[0], data=[[None] * len(tables["switch"]["columns"])]),
        lambda tables: tables["line"]["columns"].__setitem__(2, "begin"),
    ],
    ids=["bus out of service", "losses", "tap below", "switch", "other columns"],
)
def test_a_case_that_is_more_than_lines_and_transformers_is_left_to_pandapower(
    change, shipped, monkeypatch, tmp_path
):
    """Should not be guessed at: neither what the tables do not say nor what another edition calls otherwise."""
    net = json.loads((shipped / "case14.json").read_text())
    tables = {
        name: json.loads(entry["_object"])
        for name, entry in net["_object"].items()
        if isinstance(entry, dict) and entry.get("_class") == "DataFrame"
    }
    change(tables)
    for name, table in tables.items():
        net["_object"][name]["_object"] = json.dumps(table)
    (tmp_path / "case14.json").write_text(json.dumps(net))
    monkeypatch.setattr(case_tables, "FOLDER", str(tmp_path))
    assert shipped_case("case14") is None
    assert shipped_case("case9") is None  # not there


@pytest.mark.parametrize(("name", "case"), [("nine", "ieee9"), ("fourteen", "ieee14")])
def test_flows_of_a_case_are_those_of_pandapower(name, case, pandapower, net_of, request):
    """Should be the same to the watt in the whole grid, with the transformers' taps."""
    grid = request.getfixturevalue(name)
    net = net_of(case)
    run(pandapower, net)
    theirs = [*net.res_line.p_from_mw, *net.res_trafo.p_hv_mw]
    ours = balanced(grid_arrays(grid), np.ones((1, len(theirs)), bool), np.zeros((1, len(grid.buses)), bool))
    assert ours.flow[0] / 1e6 == pytest.approx(theirs, abs=1e-6)


def test_every_position_is_as_pandapower_has_it(pandapower):
    """Should agree on a small grid with a full DC power flow by pandapower for every situation and move."""
    n, game = follow(triangle(75), slow.flows_by_pandapower)
    assert n == game.n_valuations > 4


def test_outages_of_the_ieee_cases_are_as_pandapower_has_them(nine, fourteen):
    """Should settle single and double outages of both cases alike, cascades round by round included."""
    rng, n_rounds = random.Random(5), []
    for grid in (nine, fourteen):
        grid = replace(grid, outages=6)
        pairs = [*combinations([b.name for b in grid.branches], 2)]
        for out in [*rng.sample(pairs, 7)]:
            found, rounds = slow.settle(grid, set(out), set(), set(), slow.flows_by_pandapower)
            steps = cascade(grid, out)
            assert [set(step.tripped) for step in steps] == rounds
            up = np.array([[b.name not in out for b in grid.branches]])
            ours = settled(grid, up, np.zeros((1, len(grid.buses)), bool))
            assert bool(ours.lost[0]) == (found == slow.BLACKOUT)
            if found != slow.BLACKOUT:
                assert {b.name for b, on in zip(grid.branches, ours.up[0]) if not on} == found
            n_rounds.append(len(rounds))
    assert max(n_rounds) >= 2 and min(n_rounds) == 0


def test_security_is_as_the_contingency_analysis_of_pandapower_has_it(pandapower, net_of):
    """Should find the same outages to cause overloads, and the same worst loading of each line."""
    import warnings

    from pandapower.contingency import run_contingency

    net = deepcopy(net_of("ieee9"))
    net.line["max_i_ka"] *= 0.7
    grid = case_grid("ieee9", 9, 1.4, 0)
    ratings = net.line.max_i_ka * 345 * 3**0.5
    grid = replace(
        grid, branches=tuple(replace(b, rating=Fraction(r)) for b, r in zip(grid.branches, ratings))
    )
    # Outages that cut a generator off are left out: pandapower then dispatches by its slack alone.
    loop = [
        i
        for i, b in enumerate(grid.branches)
        if len(slow.islands(grid, [o for o in grid.branches if o != b])) == 1
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = run_contingency(
            net, {"line": {"index": loop}}, contingency_evaluation_function=pandapower.rundcpp
        )
    arrays = grid_arrays(grid)
    up = np.ones((len(loop), 9), bool)
    up[np.arange(len(loop)), loop] = False
    loading = np.abs(balanced(arrays, up, np.zeros((len(loop), 9), bool)).flow) / arrays.rating * 100
    assert theirs["line"]["max_loading_percent"] == pytest.approx(loading.max(axis=0), abs=1e-4)
    assert list(net.res_line.causes_overloading[loop]) == list((loading > 100).any(axis=1))
    assert 0 < net.res_line.causes_overloading.sum() < len(loop)


# -- files and commands -----------------------------------------------------------------------------

TEXT = MODEL.stub


@pytest.fixture(scope="module")
def solved():
    """The stub and its variants, solved."""
    scenario = scenario_from_text(TEXT)
    return {name: hf.solve(configuration(scenario, name)) for name in (None, *scenario.variants)}


def test_a_certificate_of_listed_states_is_checked(solved):
    """Should stand without the solver, and fall where a position is slipped in or the witness is of another kind."""
    assert {name: solution.defensible for name, solution in solved.items()} == {
        None: True,
        "no-operator": False,
        "tight-line": True,
    }
    for solution in solved.values():
        verdict = hf.verify(hf.certify(solution))
        assert verdict.valid and verdict.defensible == solution.defensible
    forged = forge(solved[None], lambda witness: witness | {"region": packed(all_ones(witness["region"]))})
    assert not hf.verify(forged).valid
    diagrams = {"kind": "diagrams", "planes": [["adversary", [0, 0], [0]]], "dddmp": ""}
    with pytest.raises(InputError, match="the moves of its scenario are tables"):
        hf.verify(forge(solved[None], lambda witness: diagrams))


def forge(solution, change):
    """A certificate whose witness is another, with hashes that fit."""
    found = json.loads(hf.certify(solution))
    found["witness"] = change(found["witness"])
    rest = {key: value for key, value in found.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return json.dumps({**rest, "sha256": hashlib.sha256(text.encode()).hexdigest()}).encode()


def all_ones(text):
    return np.ones_like(np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u4"))


def packed(array):
    return base64.b64encode(zlib.compress(array.astype("<u4").tobytes())).decode()


def test_ranks_and_safe_play_of_a_listed_game_are_those_of_the_definitions(solved):
    """Should be what the paper's definitions give on the game written out position by position."""
    for solution in solved.values():
        whole = reference.Product(solution.configuration)
        assert solution.defensible == whole.defensible
        assert solution.shells == whole.shells()
        if whole.defensible:
            assert hf.static_reading(solution).shield_latitude == pytest.approx(float(whole.slt()))
        for v in whole.positions:
            if v[3] in whole.accepting_adversary:
                assert hf.rank(solution, Position(*v)) == whole.rank.get(v)
                assert hf.safe_actions(solution, Position(*v)) == whole.safe(v)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"case: ieee15"}, 'there is no case "ieee15"; did you mean "ieee14"?'),
        ({"case: ieee14, branches: {AB: {from: A, to: B, x: 1}}"}, "and not both"),
        ({"branches: {}"}, "expected a case such as ieee14, or branches"),
        ({"branches: {AB: {from: A, to: A, x: 1, rating: 5}}"}, "joins A to itself"),
        ({"branches: {AB: {from: A, to: B, x: 1}}, loads: {B: 5}"}, "branch AB has no rating"),
        ({"branches: {AB: {from: A, to: B, x: 0, rating: 1}}"}, "expected a number greater than 0"),
        ({"branches: {AB: {from: A, to: served, x: 1, rating: 1}}"}, '"served" is already a quantity'),
        ({"branches: {A: {from: A, to: B, x: 1, rating: 1}}"}, '"A" is already a branch'),
        ({"branches: {AB: {from: A, to: B, x: 1, rating: 1}}"}, "no load, so there is nothing to serve"),
        ({"branches: {AB: {from: A, to: B, x: 1, rating: 1}}, loads: {C: 1}"}, 'the load "C" is not in the grid'),
        ({"branches: {AB: {from: A, to: B, x: 1, rating: 1}}, loads: {B: 1}, shed: [A]"}, "no load at A to shed"),
        ({"branches: {AB: {from: A, to: B, x: 1, rating: 1}}, loads: {B: 1}, protected: [AC]"}, 'no branch "AC"'),
        ({"branches: {AB: {from: A, to: B, x: 1, rating: 1}}, loads: {B: 9}, generators: {A: 9}"}, "is overloaded as it is"),
        (
            {"branches: {AB: {from: A, to: B, x: 1, rating: 9}}, loads: {B: 9}, generators: {A: {scheduled: 9, most: 3}}"},
            "expected from 0 to its most",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(change, told):
    """Should name what is wrong, where."""
    text = f"holdfast: 1\ngrid: {{{change.pop()}}}\nspecs: {{}}\n"
    with pytest.raises(ScenarioError, match=r"^<text>:2:\d+: ") as error:
        configuration(scenario_from_text(text))
    assert told in str(error.value)


def test_a_case_without_pandapower_says_what_to_install(monkeypatch):
    """Should not end in a traceback where the extra is missing."""
    monkeypatch.setitem(sys.modules, "pandapower", None)
    monkeypatch.setattr(case_reader, "_parts_of_case", case_reader._parts_of_case.__wrapped__)
    with pytest.raises(ScenarioError, match=r"not installed; pip install 'holdfast\[grid\]'"):
        configuration(scenario_from_text(CASE % ("ieee39", 2, 1.4, 20)))


def test_a_grid_with_too_many_situations_is_refused(monkeypatch):
    """Should end in a limit, not in a full memory."""
    monkeypatch.setattr(tabulation, "MAX_SITUATIONS", 5)
    monkeypatch.setattr(tabulation, "_kept", {})
    with pytest.raises(LimitError, match="lower outages"):
        grid_system(triangle(75))
    wide = replace(
        triangle(),
        branches=tuple(GridBranch(f"L{i}", "A", "C", Fraction(1), Fraction(90)) for i in range(40)),
    )
    with pytest.raises(ModelError, match="more than can be tabulated"):
        grid_system(replace(wide, actions={Player.ADVERSARY: ("damage",)}))


def test_variants_change_a_grid():
    """Should add, remove, rate and protect branches, and say so as a variant would."""
    text = (
        TEXT
        + "  all:\n    grid:\n      add_branches: {Loop: {from: Town, to: Factory, x: 0.2, rating: 50}}\n"
    )
    text += "      remove_branches: [West]\n      ratings: {North: 70}\n      add_protected: [South]\n      outages: 1\n"
    grid = gather_grid(
        scenario_from_text(text)._root["grid"], scenario_from_text(text)._root["variants"]["all"]["grid"]
    )
    assert [b.name for b in grid.branches] == ["North", "South", "East", "Loop"]
    assert (grid.branches[0].rating, grid.protected, grid.outages) == (70, {"South"}, 1)
    system = grid_system(grid)
    parts = {f"{part.verb} {part.name}": part for part in (*system.parts, *system.upgrades)}
    assert "protect South" not in parts
    chosen = frozenset(parts[name] for name in ("protect Loop", "raise Loop", "double East"))
    assert system.written(chosen) == {
        "add_protected": ["Loop"],
        "ratings": {"Loop": 75},
        "add_branches": {"East_2": {"from": "Hydro", "to": "Factory", "x": 0.1, "rating": 80}},
    }
    assert [a.name for a in system.without(chosen).game.actions[Player.ADVERSARY]][-1] == "trip(East_2)"


def test_what_a_variant_adds_does_not_alter_the_ratings_of_the_rule(nine):
    """Should rate by the flows of the base, and only a new branch by those of the variant."""
    text = (
        CASE % ("ieee14", 2, 1.5, 0)
        + "variants: {v: {grid: {add_branches: {New: {from: B5, to: B6, x: 0.2}}}}}\n"
    )
    root = scenario_from_text(text)._root
    base = gather_grid(root["grid"], None)
    more = gather_grid(root["grid"], root["variants"]["v"]["grid"])
    assert more.branches[:-1] == base.branches
    flow = balanced(grid_arrays(more), np.ones((1, 21), bool), np.zeros((1, 14), bool)).flow[0, -1]
    assert more.branches[-1].rating == -(-abs(flow) * 1.5 // 1e6)


def test_a_parallel_line_can_be_attacked_as_well(tmp_path):
    """Should count its trips against the budget of the adversary: the clauses read the new actions."""
    file = tmp_path / "grid.yaml"
    file.write_text(TEXT)
    told = json.loads(
        invoke("recommend", str(file), "--variant", "no-operator", "--kind", "double", "--json")
    )
    assert [names["changes"] for names in told["repairs"]] == [["double North"], ["double South"]]


def invoke(*given):
    done = CliRunner().invoke(app, [*given])
    assert done.exit_code in (0, 1), done.output
    return done.stdout


def test_every_command_takes_a_grid(tmp_path):
    """Should explain, compare, recommend, play and report without code of their own for grids."""
    file, page = tmp_path / "grid.yaml", tmp_path / "page.html"
    assert CliRunner().invoke(app, ["init", str(file), "--model", "grid"]).exit_code == 0
    assert "without a generator" in " ".join(invoke("check", str(file)).split())
    explained = invoke("explain", str(file), "--variant", "no-operator")
    assert "trip(North)" in explained and "branch North" in explained
    assert "protect North" in invoke("recommend", str(file), "--variant", "no-operator")
    invoke("compare", str(file), "--no-learning", "--html", str(page))
    assert "The line to the factory has a lower rating." in page.read_text()
    played = CliRunner().invoke(app, ["play", str(file), "--moves", "4"], input="1\n1\n")
    assert "You are the defender" in played.stdout and "over 4 moves" in played.stdout
    refused = CliRunner().invoke(
        app, ["export-shield", str(file), "--format", "c", "-o", str(tmp_path / "s.c")]
    )
    assert refused.exit_code == 2 and "states of this model are listed" in refused.stderr


def test_a_cascade_is_told_round_by_round():
    """Should say what tripped by itself and at which power, in explanations and in plays, and what ends it."""
    line = explain(hf.solve(hf.load(library_card("two-lines").path, "weak-lines"))).line
    assert "overloads trip South at 50 MW" in str(line)
    system = grid_system(triangle())
    names = [a.name for a in system.game.actions[Player.ADVERSARY]]
    told = system.aftermath(system.game.initial, Player.ADVERSARY, names.index("trip(AC)"))
    assert told == "overloads trip AB at 90 MW, BC at 90 MW; more than 2 branches out: blackout"
    assert system.aftermath(system.game.initial, Player.ADVERSARY, names.index("wait")) == ""
    quiet = grid_system(triangle(75))
    assert quiet.aftermath(quiet.game.initial, Player.ADVERSARY, names.index("trip(AC)")) == ""


def test_the_picture_has_what_branches_carry():
    """Should draw buses, arrows in the direction of the flow, and the loading on each."""
    graph = grid_system(triangle()).graph
    assert dict(graph.labels) == {
        ("A", "B"): "30 MW · 50%",
        ("B", "C"): "30 MW · 50%",
        ("A", "C"): "60 MW · 100%",
    }
    assert graph.marked("supply") == ("A",) and graph.place("AC") == ("A", "C")
    drawn = [text.get_text() for text in topology(graph).axes[0].texts]
    assert sorted(text for text in drawn if "MW" in text) == sorted(graph.labels.values())


# -- nets of pandapower -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(pandapower, net_of, tmp_path_factory):
    """The 9-bus case as pandapower saves it."""
    path = tmp_path_factory.mktemp("nets") / "nine.json"
    pandapower.to_json(net_of("ieee9"), str(path))
    return path


def test_a_net_of_pandapower_is_written_out(saved, nine, tmp_path):
    """Should be the same grid, in a scenario that needs pandapower no more."""
    file = tmp_path / "nine.yaml"
    told = invoke("import", str(saved), "-o", str(file))
    assert "9 branches" in told and "first check: " in told
    found = gather_grid(read_scenario(file)._root["grid"], None)
    assert found.branches == case_grid("ieee9", 2, 1.4, 20).branches and found.loads == nine.loads
    assert sorted(found.sources, key=str) == sorted(nine.sources, key=str)


def distribution(pandapower, shifts=(0.0,), open_ring=True, **columns):
    """A ring of three buses at 20 kV behind transformers side by side, one for each shift."""
    net = pandapower.create_empty_network()
    top = pandapower.create_bus(net, 110.0)
    ring = [pandapower.create_bus(net, 20.0) for _ in range(3)]
    pandapower.create_ext_grid(net, top)
    for shift in shifts:
        pandapower.create_transformer_from_parameters(
            net, top, ring[0], sn_mva=40, vn_hv_kv=110, vn_lv_kv=20, vkr_percent=0.3, vk_percent=12,
            pfe_kw=0, i0_percent=0, shift_degree=shift,
        )  # fmt: skip
    for i in range(3):
        pandapower.create_line_from_parameters(
            net, ring[i], ring[(i + 1) % 3], 2.0 + i, 0.1, 0.12, 0, max_i_ka=0.3, **columns
        )
    if open_ring:
        pandapower.create_switch(net, ring[2], 1, et="l", closed=False)
    for i, power in enumerate((1.0, 4.0, 2.5)):
        pandapower.create_load(net, ring[i], power)
    return net


def imported(pandapower, net, path):
    pandapower.to_json(net, str(path))
    found = grid_from_file(path)
    return found, gather_grid(scenario_from_text(found.text)._root["grid"], None)


@pytest.mark.parametrize("open_ring", [True, False])
@pytest.mark.parametrize("shifts", [(0.0,), (150.0,), (150.0, 150.0)])
def test_a_distribution_net_carries_what_it_carries_in_pandapower(pandapower, tmp_path, shifts, open_ring):
    """Should leave out the line with an open switch, and take shifts that cancel around every loop."""
    net = distribution(pandapower, shifts, open_ring)
    found, grid = imported(pandapower, net, tmp_path / "net.json")
    run(pandapower, net)
    lines = [net.res_line.p_from_mw[i] for i in range(3) if not (open_ring and i == 1)]
    n = len(lines) + len(shifts)
    ours = balanced(grid_arrays(grid), np.ones((1, n), bool), np.zeros((1, len(grid.buses)), bool))
    assert found.n_branches == n
    assert ours.flow[0] / 1e6 == pytest.approx([*lines, *net.res_trafo.p_hv_mw], abs=1e-6)
    assert any("1 line with an open switch" in told for told in found.dropped) == open_ring


def test_a_net_with_switches_between_buses_and_parts_out_of_service(pandapower, tmp_path):
    """Should join what a closed switch joins, whatever its impedance, and name what is left at no branch."""
    net = distribution(pandapower)
    alone, twin, off = (pandapower.create_bus(net, 20.0) for _ in range(3))
    pandapower.create_switch(net, 1, twin, et="b", z_ohm=0.1)
    pandapower.create_line_from_parameters(net, 1, twin, 1.0, 0.1, 0.1, 0, max_i_ka=0.3)
    pandapower.create_line_from_parameters(net, 1, off, 1.0, 0.1, 0.1, 0, max_i_ka=0.3)
    net.bus.loc[off, "in_service"] = False
    pandapower.create_load(net, alone, 9.0)
    pandapower.create_load(net, twin, 0.5)
    found, grid = imported(pandapower, net, tmp_path / "net.json")
    assert float(grid.loads["B2"]) == 1.5 and float(grid.demand) == 8.0
    assert [branch.name for branch in grid.branches] == ["L2-3", "L4-2", "T1-2"]
    assert found.dropped == (
        "2 lines with an open switch, out of service, or at a bus out of service",
        "1 branch between buses that a closed switch joins",
        "1 entry of load at buses without a branch",
    )


def test_shifts_that_drive_power_around_a_loop_are_refused(pandapower, tmp_path):
    """Should name the branch that closes the loop, the shift around it, and what to do."""
    with pytest.raises(
        InputError, match=r"net.json: branch T1-2b closes a loop .* by 120 degrees.*open the loop"
    ):
        imported(pandapower, distribution(pandapower, (150.0, 30.0)), tmp_path / "net.json")


def test_ratings_are_those_of_the_net_and_what_is_chosen_is_named(pandapower, tmp_path):
    """Should take current or power at 100% where the net names no share, and say so; never 100 MW for all."""
    path = tmp_path / "net.json"
    found, grid = imported(pandapower, distribution(pandapower), path)
    assert [float(branch.rating) for branch in grid.branches] == pytest.approx(
        [0.3 * 20 * 3**0.5] * 2 + [40], rel=1e-5
    )
    assert any(
        told.startswith("3 branches without max_loading_percent: rated at 100%") for told in found.assumed
    )
    _, half = imported(pandapower, distribution(pandapower, max_loading_percent=50.0), path)
    assert float(half.branches[0].rating) == pytest.approx(0.3 * 20 * 3**0.5 / 2, rel=1e-5)
    net = distribution(pandapower)
    net.line.loc[0, "max_i_ka"] = float("nan")
    found, grid = imported(pandapower, net, path)
    assert grid.branches[0].rating == 10 and "L2-3: {from: B2, to: B3, x:" in found.text
    assert any(told.startswith("1 branch without a rating") for told in found.assumed)
    told = json.loads(invoke("import", str(path), "-o", str(tmp_path / "net.yaml"), "--no-check", "--json"))
    assert told["assumed"] == list(found.assumed) and told["dropped"] == list(found.dropped)
    assert all(
        f"chosen:   {each}" in invoke("import", str(path), "-o", str(tmp_path / "o.yaml"), "--force")
        for each in found.assumed
    )


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda net: "[" * 100_000, "truncated, or not JSON"),
        (lambda net: json.dumps(net)[:-9], "truncated, or not JSON"),
        (lambda net: json.dumps({"_class": "pandapowerNet"}), "not a net that pandapower saved"),
        (lambda net: json.dumps(table(net, "bus", "index", [10**9] * 9)), "its table bus has rows of different"),
        (lambda net: json.dumps(table(net, "line", "data", [[]])), "its table line has rows of different lengths"),
        (lambda net: json.dumps(cell(net, "line", "from_bus", 10**8)), "has 100000000 under from_bus"),
        (lambda net: json.dumps(cell(net, "line", "x_ohm_per_km", 1e300)), "has 1e+300 under x_ohm_per_km"),
        (lambda net: json.dumps(cell(net, "line", "x_ohm_per_km", "far")), "pandapower cannot make a net"),
        (lambda net: json.dumps(cell(net, "line", "from_bus", 77)), "its table line names bus 77"),
        (lambda net: json.dumps(table(net, "trafo3w", "index", [0], data=[[]], columns=[])), "trafo3w, which is not"),
        (lambda net: json.dumps(net | {"_object": net["_object"] | {"sn_mva": -1}}), "its sn_mva is -1"),
        (
            lambda net: json.dumps(net | {"_object": net["_object"] | {"bus": {"_module": "os", "_class": "system"}}}),
            "the net has no bus",
        ),
    ],
)  # fmt: skip
def test_a_hostile_net_is_refused(saved, tmp_path, spoil, told):
    """Should say what is wrong with the file, and make nothing that it names."""
    path = tmp_path / "net.json"
    path.write_text(spoil(json.loads(saved.read_text())))
    with pytest.raises(InputError) as error:
        grid_from_file(path)
    assert told in str(error.value) and str(error.value).startswith(str(path))


def table(net, name, key, value, **others):
    entry = net["_object"][name]
    inside = json.loads(entry["_object"]) | {key: value} | others
    return net | {"_object": net["_object"] | {name: entry | {"_object": json.dumps(inside)}}}


def cell(net, name, column, value):
    inside = json.loads(net["_object"][name]["_object"])
    inside["data"][0][inside["columns"].index(column)] = value
    return table(net, name, "data", inside["data"])
