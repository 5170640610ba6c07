"""Where sensors are needed: brute force over all sets, laws, and the command."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from cases import TIMES
from commands import holdfast
from holdfast.budget import Budget
from holdfast.design.fragility import fragility
from holdfast.design.frontiers import frontier
from holdfast.design.recommend.recommending import recommend
from holdfast.design.sensing import AlikeSensors, SensorQuestion, sensor_sets
from holdfast.errors import InputError, ModelError
from holdfast.game.clauses import clause
from holdfast.game.configuration import configure, on_system
from holdfast.game.sight import with_sensors
from holdfast.game.system import extended
from holdfast.models.game.reader import game_system
from holdfast.models.network.game import network_system
from holdfast.running import Backend
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.beliefs import solve_beliefs
from holdfast.solver.engines import solve
from paths import SCENARIOS

N_DESIGNS = 60 * TIMES


def random_network(rng):
    """A segment in which a compromise must be detected first, with requirements that can hang on sight."""
    n = rng.choice((3, 3, 4))
    hosts = [f"h{i}" for i in range(n)]
    links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 2 / n]
    pool = [
        "G (count(* in {C, I}) >= 1)",
        f"G (count(* in {{X, D, Z}}) < {rng.randint(2, n)})",
        f"G ({hosts[-1]} != Z)",
        "G (count(* in {I}) <= 1)",
        f"G ({hosts[1]} in {{C, I}} | {hosts[2]} in {{C, I}})",
    ]
    required = rng.sample(pool, rng.choice((1, 2, 2)))
    boundary = rng.choice(([], ["G (times(destroy) <= 1)"]))
    return configure(network_system(hosts, links, hosts[0], isolate_detected=True), required, boundary)


def brute_force(solution, costs):
    """All minimal sets of sensors, by trying each."""
    sight, minimal = solution.configuration.system.sight, []
    for size in range(len(costs) + 1):
        for names in combinations(costs, size):
            if any(set(known) <= set(names) for known in minimal):
                continue
            if solve_beliefs(solution, with_sensors(sight, names)).defensible:
                minimal.append(names)
    return sorted(
        minimal,
        key=lambda some: (sum(costs[n] for n in some), len(some), [list(costs).index(n) for n in some]),
    )


def test_minimal_sets_equal_brute_force():
    """Should be all minimal sets, cheapest first, with costs; and with all sensors full sight is back."""
    seen = Counter()
    for seed in range(N_DESIGNS):
        rng = random.Random(seed)
        here = random_network(rng)
        costs = {name: rng.choice((1, 1, 2, 3)) for name in here.system.sight.sensors}
        solution = solve(here)
        found = sensor_sets(here, costs)
        assert found.defensible == solution.defensible
        everything = solve_beliefs(solution, with_sensors(here.system.sight, costs))
        assert everything.defensible == solution.defensible == found.enough, seed
        assert list(found.minimal) == (brute_force(solution, costs) if solution.defensible else []), seed
        assert found.complete_to == sum(costs.values())
        seen[solution.defensible, len(found.minimal[0]) if found.minimal else -1] += 1
    assert seen[True, 0] and seen[True, 1] and seen[False, -1], seen


def random_star(rng):
    """Alike hosts behind a gateway, of one kind or two; now and then a clause speaks of one of them alone."""
    texts = rng.choice((["a0 a1"], ["a0 a1 a2"], ["a0 a1", "b0 b1"]))
    kinds = [text.split() for text in texts]
    leaves = [leaf for group in kinds for leaf in group]
    links = [("GW", leaf) for leaf in leaves]
    if rng.random() < 0.4:
        links += [(a, b) for a in kinds[0] for b in kinds[-1] if a != b]
    required = []
    for group in kinds:
        several, most = ", ".join(group), len(group) - 1
        pool = [
            f"G (count({several} in {{C, I}}) >= {rng.randint(1, most)})",
            f"G (count({several} in {{I}}) <= {rng.randint(1, most)})",
            f"G (count({several} in {{X, D, Z}}) <= {rng.randint(1, most)})",
            f"G (count({several} in {{I, Z}}) <= {rng.randint(1, most)})",
        ]
        required += rng.sample(pool, 2)
    if rng.random() < 0.2:
        required.append(f"G ({leaves[0]} != {rng.choice('ZI')})")
    boundary = rng.choice(([], ["G (times(destroy) <= 1)"], ["G (times(destroy) <= 2)"]))
    hosts = rng.sample(["GW", *leaves], len(leaves) + 1)
    return configure(network_system(hosts, links, "GW", isolate_detected=True), required, boundary)


def alone(self):
    """Every sensor in a class of its own."""
    return tuple(frozenset({i}) for i in range(len(self.question.names)))


def test_sets_that_are_alike_are_solved_once(monkeypatch):
    """Should be what brute force finds, and what is found without symmetries, with fewer sets solved."""
    solved, largest = Counter(), Counter()
    for seed in range(16 * TIMES):
        rng = random.Random(f"alike {seed}")
        here = random_star(rng)
        costs = {name: rng.choice((1, 1, 1, 2)) for name in here.system.sight.sensors}
        found = sensor_sets(here, costs, budget=Budget(jobs=1 + seed % 2))
        with monkeypatch.context() as patch:
            patch.setattr(AlikeSensors, "classes", property(alone))
            without = sensor_sets(here, costs)
        solution = solve(here)
        assert list(found.minimal) == (brute_force(solution, costs) if solution.defensible else []), seed
        assert (without.minimal, without.enough) == (found.minimal, found.enough), seed
        solved["with"] += found.n_solved
        solved["without"] += without.n_solved
        largest[max(map(len, found.minimal), default=-1)] += 1
    assert solved["with"] < solved["without"] and largest[1] and largest[3], (solved, largest)


def test_sensors_are_alike_only_where_they_show_the_same():
    """Should tell apart sensors that are late, sensors that show something else, and another start."""

    def classes(here):
        question = SensorQuestion(here, here.system.sight, tuple(here.system.sight.sensors))
        found = AlikeSensors(question, Budget()).classes
        return [sorted(question.names[i] for i in of) for of in found if len(of) > 1]

    def game(start, observes):
        names = list(start)
        return configure(
            game_system(
                variables={name: range(3) for name in names},
                initial=start,
                defender={"wait": {}} | {f"mend({name})": {"set": {name: 0}} for name in names},
                adversary={f"break({name})": {"set": {name: 2}} for name in names},
                observes=observes,
            ),
            ["G (a + b + c < 5)"],
        )

    equal = dict.fromkeys("abc", 0)
    assert classes(game(equal, ["a", "b", "c"])) == [["a", "b", "c"]]
    assert classes(game(equal, ["a", "b", "c > 1"])) == [["a", "b"]]
    assert classes(game(equal, ["a", "b", "c", "a > b"])) == []
    assert classes(game(equal | {"c": 1}, ["a", "b", "c"])) == [["a", "b"]]
    star = {
        "hosts": ["GW", "A", "B", "E"],
        "links": ["GW -> A", "GW -> B", "GW -> E"],
        "entry": "GW",
        "defender": "staffed",
    }
    for sensors, expected in (
        ("none", [["A", "B", "E"]]),
        ({"A": {"delay": 1}}, [["B", "E"]]),
        ({"E": {"may_miss": 1}}, [["A", "B"]]),
    ):
        specs = {"defender": ["G (active >= 2)"]}
        text = json.dumps({"holdfast": 1, "network": star | {"sensors": sensors}, "specs": specs})
        assert classes(configuration(scenario_from_text(text))) == expected, sensors


def test_a_core_over_many_alike_sensors_has_a_few_images_at_a_time():
    """Should not list the hundred billion choices of 20 sensors out of 40."""
    leaves = [f"w{i}" for i in range(40)]
    system = network_system(["GW", *leaves], [("GW", leaf) for leaf in leaves], "GW")
    here = configure(system, ["G (GW != Z)"])
    alike = AlikeSensors(SensorQuestion(here, system.sight, tuple(system.sight.sensors)), Budget())
    assert sorted(map(len, alike.classes)) == [1, 40]
    alike.add(frozenset(range(1, 21)))
    chosen = frozenset(range(0, 20))
    images = alike.missed(chosen, 5)
    assert len(set(images)) == 5
    assert all(len(image) == 20 and not image & chosen and 0 not in image for image in images)
    assert alike.missed(frozenset(range(1, 22)), 5) == []


def test_one_more_sensor_never_hurts():
    """Should hold with whatever contains a set that is enough."""
    for seed in range(N_DESIGNS // 2):
        rng = random.Random(seed)
        solution = solve(random_network(rng))
        sight = solution.configuration.system.sight
        order, before = rng.sample(list(sight.sensors), len(sight.sensors)), False
        for n in range(len(order) + 1):
            held = solve_beliefs(solution, with_sensors(sight, order[:n])).defensible
            assert held or not before
            before = held


def test_the_frontier_of_sensors_against_service():
    """Should be the least number of sensors at each level; and a file that says what is seen is asked with that."""
    needed = Counter()
    for seed in range(20 * TIMES):
        here = random_network(random.Random(f"frontier {seed}"))
        n = len(here.system.sight.sensors)
        service = clause(f"G (active >= {n - 2})", here.system.vocabulary)
        here = replace(here, requirement=(*here.requirement, service))
        (staircase,) = frontier({"": here}, [f"active=1..{n - 1}", f"sensors=0..{n}"]).staircases
        for active, reach in zip(range(1, n), staircase.reach, strict=True):
            asked = clause(f"G (active >= {active})", here.system.vocabulary)
            at = replace(here, requirement=(*here.requirement[:-1], asked))
            found = sensor_sets(at).minimal
            assert reach == (n + 1 - len(found[0]) if found else 0), (seed, active)
            needed[len(found[0]) if found else -1] += 1
    assert needed[-1] and needed[0] and needed[1], needed
    scenario = read_scenario(SCENARIOS / "two-copies.yaml")
    designs = {name: configuration(scenario, name) for name in (None, "watched")}
    seen = frontier(designs, ["times(destroy)=0..1"]).staircases
    assert [staircase.reach for staircase in seen] == [(0,), (2,)]
    with pytest.raises(InputError, match="leave entries out"):
        frontier(designs, ["entries=1..2"])


def copies():
    links = [("WS", "Mail"), ("Mail", "WS"), ("WS", "FS"), ("WS", "BK"), ("Mail", "FS")]
    system = network_system(["WS", "Mail", "FS", "BK"], links, "WS", isolate_detected=True)
    return configure(system, ["G (FS in {C, I} | BK in {C, I})", "G (FS != I | BK != I)"])


def test_limits_and_mistakes():
    """Should list what is known, name the price of something that is no sensor, and refuse where there is none."""
    found = sensor_sets(copies(), max_cost=1)
    assert (found.minimal, found.complete_to) == ((("FS",), ("BK",)), 1)
    dear = sensor_sets(copies(), {"FS": 5}, max_cost=2)
    assert (dear.minimal, dear.complete_to) == ((("BK",),), 2)
    two = sensor_sets(copies(), budget=Budget(jobs=2), backend=Backend())
    assert two.minimal == found.minimal
    with pytest.raises(ModelError, match='no sensor "XY"'):
        sensor_sets(copies(), {"XY": 2})
    bare = game_system(
        variables={"a": range(3)}, initial={"a": 0}, defender={"wait": {}}, adversary={"wait": {}}
    )
    with pytest.raises(InputError, match="observes"):
        sensor_sets(configure(bare, ["G (a < 2)"]))


def test_a_game_that_says_what_is_seen():
    """Should need the expression that tells what to do, and nothing more."""
    system = game_system(
        variables={"coin": ["heads", "tails"], "lost": ["no", "yes"], "noise": range(3)},
        initial={"coin": "heads", "lost": "no", "noise": 0},
        defender={
            "left": {"when": "coin = tails", "set": {"lost": "yes"}},
            "right": {"when": "coin = heads", "set": {"lost": "yes"}},
        },
        adversary={
            "heads": {"set": {"coin": "heads", "noise": 1}},
            "tails": {"set": {"coin": "tails", "noise": 2}},
        },
        observes=["coin", "noise > 1", "lost = yes"],
    )
    found = sensor_sets(configure(system, ["G (lost = no)"]))
    assert found.minimal == (("coin",), ("noise > 1",))


def test_the_command(tmp_path):
    """Should answer in a sentence and as one object."""
    file = tmp_path / "copies.json"
    network = {
        "hosts": ["WS", "FS", "BK"],
        "links": ["WS -> FS", "WS -> BK"],
        "entry": "WS",
        "defender": "staffed",
    }
    specs = {"defender": ["G (FS in {C, I} | BK in {C, I})", "G (FS != I | BK != I)"]}
    file.write_text(json.dumps({"holdfast": 1, "network": network, "specs": specs}))
    told = holdfast("sensors", str(file))
    assert told.returncode == 0 and "You need to watch FS, or BK." in told.stdout
    data = json.loads(holdfast("sensors", str(file), "--cost", "FS=3", "--json").stdout)
    assert (data["minimal"], data["costs"], data["complete_to"]) == ([["BK"], ["FS"]], [1, 3], 5)
    page = tmp_path / "page.html"
    assert holdfast("sensors", str(file), "--html", str(page)).returncode == 0
    assert "Sensors at FS are enough, and no cheaper set is." in page.read_text()
    assert "a compromise is seen, new" in page.read_text()
    assert holdfast("sensors", str(file), "--cost", "FS").returncode == 2
    specs["defender"] = ["G (FS = C)"]
    file.write_text(json.dumps({"holdfast": 1, "network": network, "specs": specs}))
    lost = holdfast("sensors", str(file))
    assert lost.returncode == 1 and "NO SENSOR HELPS" in lost.stdout


def test_recommend_offers_to_watch(tmp_path):
    """Should ask the question of the file: what makes it hold with what is seen."""
    scenario = read_scenario(SCENARIOS / "two-copies.yaml")
    advice = recommend(scenario)
    assert advice.wanted.sight and advice.defensible
    assert {("watch", "FS"), ("watch", "BK")} <= {
        tuple(name.split(" ", 1)) for one in advice.remedies.sets for name in one.changes
    }
    told = holdfast("recommend", str(SCENARIOS / "two-copies.yaml"), "--write", str(tmp_path / "better.yaml"))
    assert told.returncode == 0 and "NOT DEFENSIBLE WITH THESE SENSORS" in told.stdout
    better = read_scenario(tmp_path / "better.yaml")
    new = [name for name in better.variants if name not in scenario.variants]
    assert new
    for name in new:
        here = configuration(better, name)
        assert solve_beliefs(solve(here), here.system.sight).defensible, name


def test_what_must_never_be_added_may_be_asked_of_what_is_seen():
    """Should equal solving with each addition, one by one."""
    here = configuration(read_scenario(SCENARIOS / "two-copies.yaml"), "watched")
    found = fragility(here, "sight", kinds=["link", "expose"])
    assert found.holds
    assert fragility(here, kinds=["link", "expose"]).breakers == found.breakers
    assert not fragility(configuration(read_scenario(SCENARIOS / "two-copies.yaml"))).holds
    undone = []
    for each in here.system.additions():
        if each.kind in ("link", "expose"):
            changed = on_system(here, extended(here.system, [each]))
            if not solve_beliefs(solve(changed), changed.system.sight).defensible:
                undone.append((each.text,))
    assert [breaker.additions for breaker in found.breakers] == undone
