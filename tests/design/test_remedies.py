"""What has to stay stays in every recommended design: named changes, and cuts beside them, against brute force."""

import itertools
import json
import random
import sys

import pytest
from typer.testing import CliRunner

from cases import TIMES
from holdfast.apps.cli import app
from holdfast.budget import Budget
from holdfast.design.properties import HELD
from holdfast.design.recommend.recommending import recommend
from holdfast.design.recommend.remedies import MOST_NAMED, remedies
from holdfast.design.recommend.some_remedy import some_remedy
from holdfast.design.recommend.space import design_space
from holdfast.design.trials import Trials
from holdfast.errors import InputError, LimitError
from holdfast.report.documents.recommendation import recommendation_document
from holdfast.report.renderers.markdown import markdown
from holdfast.running.tasks import Backend
from holdfast.scenario.reading import scenario_from_text
from holdfast.solver.engines import solve

SERIAL = Budget(jobs=1)
HOSTS = ("a", "b", "c")

# -- the slow twin ----------------------------------------------------------------------------------------


def is_kept(configuration, keep, paths):
    """Whether a design has every link and unhardened host of ``keep``, and a way for each of ``paths``."""
    graph = configuration.system.graph
    links = {" -> ".join(arrow) for arrow in graph.arrows}
    open_hosts = {part.name for part in configuration.system.hardenable}
    return all(name in (links if "->" in name else open_hosts) for name in keep) and all(
        reaches(graph, *way.split(" -> ")) for way in paths
    )


def reaches(graph, start, end):
    seen, before = set(graph.starts) if start == "outside" else {start}, None
    while seen != before:
        before, seen = seen, seen | {target for source, target in graph.arrows if source in seen}
    return {start, end} <= {*graph.names, "outside"} and end in seen


def brute(space, keep, paths):
    """Every minimal set of changes, of all subsets, whose design is defensible and keeps what must stay."""
    found, numbers = [], range(len(space.changes))
    for size in range(1, len(space.changes) + 1):
        for chosen in map(frozenset, itertools.combinations(numbers, size)):
            hurting = sum(not space.changes[i].helps for i in chosen)
            if hurting > MOST_NAMED or any(smaller <= chosen for smaller in found):
                continue
            try:
                changed = space.changed(chosen)
            except InputError:  # they do not go together
                continue
            if is_kept(changed, keep, paths) and solve(changed).defensible:
                found.append(chosen)
    return {(space.names(chosen), space.cost(chosen)) for chosen in found}


def named_changes(rng, links):
    """Named changes that take links and hosts away, harden, and give ways back; some can only help."""
    missing = [f"{x} -> {y}" for x, y in itertools.permutations(HOSTS, 2) if f"{x} -> {y}" not in links]
    gone, new = rng.choice(links), rng.choice(missing or links)
    return [
        ("unplug", f"{{network: {{remove_links: [{gone}]}}}}", True),
        ("rewire", f"{{network: {{remove_links: [{gone}], add_links: [{new}]}}}}", False),
        ("bypass", f"{{network: {{add_links: [{new}]}}}}", False),
        ("proxy", "{network: {add_hosts: [p: {cannot: [spread]}], add_links: [a -> p, p -> c]}}", True),
        ("relay", "{network: {add_hosts: [d], add_links: [a -> d, d -> c]}}", False),
        ("second half", "{network: {add_links: [p -> b]}}", True),  # of a way that needs the proxy
        ("retire", "{network: {remove_hosts: [b]}}", False),
        ("patch", f"{{network: {{change_hosts: [{{{rng.choice('bbc')}: {{cannot: [spread]}}}}]}}}}", True),
        ("over", f"{{network: {{links: [{', '.join(rng.sample(links, len(links) - 1))}]}}}}", False),
        ("again", f"{{network: {{links: [{', '.join(links)}]}}}}", False),
    ]


def lost_design(rng):
    """A lost design whose file says what has to stay: the space, and what stays."""
    while True:
        links = [f"{x} -> {y}" for x, y in itertools.permutations(HOSTS, 2) if rng.random() < 0.65]
        if len(links) < 2:
            continue
        changes = [f"{{change: cut {link}, cost: {rng.randint(1, 3)}}}" for link in links[:4]]
        changes += rng.sample(["harden b", f"block {links[-1]}", "close b"], 1)
        for name, variant, helps in rng.sample(named_changes(rng, links), rng.randint(1, 3)):
            told = f", helps: {str(helps).lower()}, cost: {rng.randint(1, 3)}"
            changes.append(f"{{name: {name}, variant: {variant}{told}}}")
        rng.shuffle(changes)
        ways = ["a -> b", "a -> c", "b -> c", "outside -> c", "outside -> b"]
        keep = rng.sample([*links, "b", "c"], rng.choice((0, 0, 1)))
        paths = rng.sample(ways, rng.choice((0, 1, 1, 2)))
        clause = rng.choice(("G (c = C)", "G !(b in {X, D, Z} & c in {X, D, Z})", "G (c != Z)"))
        text = f"""
holdfast: 1
network: {{hosts: [a, b, c], links: [{", ".join(links)}], entry: a, exposed: [b]}}
specs: {{defender: ["{clause}"]}}
design: {{changes: [{", ".join(changes)}], keep: [{", ".join(keep)}], keep_paths: [{", ".join(paths)}]}}
"""
        if rng.random() < 0.7:
            text = text.replace(", exposed: [b]", "")
        try:
            space = design_space(scenario_from_text(text))
        except InputError:  # a path that is not there, or a change
            continue
        if (keep or paths) and not solve(space.configuration).defensible:
            return space, keep, paths


@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_what_is_recommended_is_what_brute_force_finds(seed):
    """Should find every minimal set that works and keeps what must stay, and no other, ten times a seed."""
    rng = random.Random(seed)
    for _ in range(10):
        space, keep, paths = lost_design(rng)
        total, expected = space.cost(range(len(space.changes))), brute(space, keep, paths)
        found = remedies(space, total, budget=SERIAL)
        assert {(r.changes, r.cost) for r in found.sets} == expected, space.scenario.text
        assert not found.unfinished and (found.complete_to == total or found.remark)
        cheapest, least = remedies(space, budget=SERIAL), min((cost for _, cost in expected), default=None)
        assert {r.changes for r in cheapest.sets} == {s for s, cost in expected if cost == least}
        assert cheapest.complete_to == (total if least is None else least) or cheapest.remark


def test_several_sets_tried_at_once_find_the_same():
    rng = random.Random(7)
    for _ in range(4):
        space, keep, paths = lost_design(rng)
        found = remedies(space, 20, budget=Budget(jobs=2), backend=Backend(patience=9e9))
        assert {(r.changes, r.cost) for r in found.sets} == brute(space, keep, paths), space.scenario.text


# -- promises ---------------------------------------------------------------------------------------------

LOST = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, GW -> DB], entry: GW}
specs: {defender: [G (DB = C)]}
"""
PROXY = "{name: proxy, cost: 2, variant: {network: {add_hosts: [P: {cannot: [spread]}], add_links: [GW -> P, P -> DB]}}}"


def told(design, tmp_path, *options, text=LOST):
    file = tmp_path / "f.yaml"
    file.write_text(f"{text}design: {design}\n")
    return CliRunner().invoke(app, ["recommend", str(file), "--json", *options])


@pytest.mark.parametrize("helps", ["true", "false"])
@pytest.mark.parametrize("promise", ["keep: [GW -> DB]", "keep_paths: [GW -> DB]"])
def test_a_named_change_that_breaks_a_promise_is_not_recommended(promise, helps, tmp_path):
    split = f"{{name: split, helps: {helps}, variant: {{network: {{remove_links: [GW -> DB]}}}}}}"
    found = told(
        f"{{changes: [{split}, {{change: harden DB, cost: 5}}], {promise}}}", tmp_path, "--budget", "9"
    )
    assert found.exit_code == 0
    assert json.loads(found.stdout)["repairs"] == [{"changes": ["harden DB"], "cost": 5}]
    alone = told(f"{{changes: [{split}], {promise}}}", tmp_path)
    assert alone.exit_code == 1 and json.loads(alone.stdout)["repairs"] == []


def test_a_host_that_is_kept_is_not_hardened_by_another_name(tmp_path):
    patch = "{name: patch, variant: {network: {change_hosts: [DB: {cannot: [spread]}]}}}"
    assert told(f"{{changes: [{patch}]}}", tmp_path).exit_code == 0
    assert told(f"{{changes: [{patch}], keep: [DB]}}", tmp_path).exit_code == 1


@pytest.mark.parametrize("helps", ["true", "false"])
def test_a_cut_is_recommended_with_the_change_that_gives_the_way_back(helps, tmp_path):
    """Should not be refused for what the cuts alone would close, nor be told that nothing helps."""
    proxy = PROXY.replace("cost", f"helps: {helps}, cost")
    found = told(f"{{changes: [cut all, {proxy}], keep_paths: [GW -> DB]}}", tmp_path)
    assert found.exit_code == 0
    answer = json.loads(found.stdout)
    assert answer["repairs"] == [{"changes": ["cut GW -> DB", "proxy"], "cost": 3}]
    assert answer["complete_to"] == 3


def test_a_way_that_two_changes_give_back_together():
    """Should find them although each alone changes nothing about what is refused."""
    halves = [
        "{name: one, variant: {network: {add_hosts: [P: {cannot: [spread]}], add_links: [GW -> P]}}, helps: true}",
        "{name: two, variant: {network: {add_links: [P -> DB]}}, helps: true}",
    ]
    scenario = scenario_from_text(
        f"{LOST}design: {{changes: [cut all, {', '.join(halves)}], keep_paths: [GW -> DB]}}"
    )
    found = recommend(scenario, budget=SERIAL).remedies
    assert [r.changes for r in found.sets] == [("cut GW -> DB", "one", "two")]


def test_improvements_keep_what_has_to_stay():
    text = LOST.replace("G (DB = C)", "G (DB != Z)") + "learning: {steps: 50}\n"
    split = "{name: split, variant: {network: {remove_links: [GW -> Web]}}}"
    for promise in ("keep: [GW -> Web]", "keep_paths: [GW -> Web]"):
        scenario = scenario_from_text(f"{text}design: {{changes: [{split}, cut GW -> DB], {promise}}}")
        found = recommend(scenario, max_cost=9, budget=SERIAL).improvements
        assert [reading.changes for reading in found.singles] == [("cut GW -> DB",)]
        assert all("split" not in reading.changes for reading in found.front)


def test_that_nothing_helps_is_told_as_it_is(tmp_path):
    """Should not say of all changes together what was never asked, because they break a promise."""
    file = tmp_path / "f.yaml"
    file.write_text(f"{LOST}design: {{changes: [cut all], keep_paths: [GW -> DB]}}\n")
    found = CliRunner().invoke(app, ["recommend", str(file)])
    assert found.exit_code == 1
    assert "Nothing does: no set of the changes makes it hold and keeps what must stay." in found.output
    assert "not even all" not in found.output


# -- how far the answer is complete -----------------------------------------------------------------------


def named_cuts(costs):
    links = [f"GW -> h{i}" for i in range(len(costs))]
    changes = [
        f"{{name: n{i}, cost: {cost}, variant: {{network: {{remove_links: [{links[i]}]}}}}}}"
        for i, cost in enumerate(costs)
    ]
    hosts = ", ".join(f"h{i}" for i in range(len(costs)))
    clean = " & ".join(f"h{i} = C" for i in range(len(costs)))
    return design_space(
        scenario_from_text(f"""
holdfast: 1
network: {{hosts: [GW, {hosts}], links: [{", ".join(links)}], entry: GW}}
specs: {{defender: [G ({clean})]}}
design: {{changes: [{", ".join(changes)}]}}
""")
    )


def test_sets_that_are_not_tried_are_not_claimed():
    """Should claim nothing about three changes that may hurt, which together are what makes it hold."""
    space = named_cuts([3, 1, 2])
    assert solve(space.changed([0, 1, 2])).defensible
    for max_cost in (None, 6):
        found = remedies(space, max_cost, budget=SERIAL)
        assert not found.sets and found.remark and (found.complete_to, found.total) == (5, 6)
    assert remedies(named_cuts([3, 1]), budget=SERIAL).complete_to == 4


def test_named_changes_that_a_limit_left_untried_are_not_claimed(monkeypatch):
    """Should be complete only below the first named change that was not reached."""
    cuts = "{change: cut all, cost: 4}, {name: hard, cost: 2, variant: {network: {change_hosts: [DB: {cannot: [spread]}]}}}"
    space = design_space(scenario_from_text(f"{LOST}design: {{changes: [{cuts}]}}"))
    everything = remedies(space, 9, budget=SERIAL)
    assert (("hard",), 2) in {(r.changes, r.cost) for r in everything.sets}
    monkeypatch.setattr(sys.modules[remedies.__module__], "MOST_REPAIRS", 1)
    first = remedies(space, 9, budget=SERIAL)
    listed = {r.changes for r in first.sets}
    assert first.unfinished and first.complete_to == 1
    assert {r.changes for r in everything.sets if r.cost <= first.complete_to} <= listed


def test_the_cheapest_are_the_cheapest_where_a_named_change_is_cheaper():
    dear = "{change: cut all, cost: 2}, {name: hard, variant: {network: {change_hosts: [DB: {cannot: [spread]}]}}}"
    space = design_space(scenario_from_text(f"{LOST}design: {{changes: [{dear}]}}"))
    assert [(r.changes, r.cost) for r in remedies(space, budget=SERIAL).sets] == [(("hard",), 1)]


# -- where the time is short ------------------------------------------------------------------------------


def test_some_set_that_works_needs_all_of_its_changes():
    """Should hold, keep what has to stay, and be lost with any one of its changes taken back."""
    n_found = 0
    for seed in range(30 * TIMES):
        space = lost_space(random.Random(seed))
        some = some_remedy(space, HELD, Trials(budget=SERIAL))
        if some is None:
            continue
        assert space.keeps(some) and solve(space.changed(some)).defensible
        for i in some:
            without = some - {i}
            assert not (space.keeps(without) and solve(space.changed(without)).defensible), space.names(some)
        n_found += len(some) > 1
    assert n_found > 3


def lost_space(rng):
    """A random lost design, of which every link can be cut, filtered or hardened away."""
    while True:
        links = [f"{x} -> {y}" for x, y in itertools.permutations(HOSTS, 2) if rng.random() < 0.7]
        clause = rng.choice(("G (c = C)", "G (c not in {X, D, Z})", "G (count(* in {X, D, Z}) < 2)"))
        keep = rng.sample(links, 1) if links and rng.random() < 0.4 else []
        text = {
            "holdfast": 1,
            "network": {"hosts": list(HOSTS), "links": links, "entry": "a", "isolate": "detected"},
            "specs": {"defender": [clause], "adversary": ["G (times(destroy) <= 1)"]},
            "design": {"changes": ["cut all", "harden all", "respond at once"], "keep": keep},
        }
        try:
            space = design_space(scenario_from_text(json.dumps(text)))
        except InputError:
            continue
        if not solve(space.configuration).defensible:
            return space


def test_what_nothing_cures_takes_one_solution():
    """Should be told at once: all changes together are not enough, so no set of them is."""
    text = "holdfast: 1\nnetwork: {hosts: [a, b, c], links: [a -> b, b -> c, a -> c], entry: a}\n"
    text += "specs: {defender: [G (a = C)]}\n"
    found = recommend(scenario_from_text(text), kinds=["cut", "harden"], budget=SERIAL)
    assert not found.remedies.sets and found.remedies.complete_to == found.remedies.total
    assert found.remedies.n_solved == 1


def test_a_limit_gives_some_set_and_says_that_it_may_not_be_the_cheapest(monkeypatch):
    module = sys.modules["holdfast.design.recommend.remedies"]

    def stopped(self, max_cost=None, *, cheapest=False):
        raise LimitError("the time ran out")
        yield

    monkeypatch.setattr(module.Search, "repairs", stopped)
    some = None
    for seed in itertools.count():  # one that costs 1 is the cheapest
        space = lost_space(random.Random(seed))
        some = some_remedy(space, HELD, Trials(budget=SERIAL))
        if some is not None and space.cost(some) > 1:
            break
    found = recommend(space.scenario, budget=Budget.lasting(600, jobs=1))
    assert [remedy.changes for remedy in found.remedies.sets] == [space.names(some)]
    assert not found.remedies.cheapest_known
    text = " ".join(markdown(recommendation_document(found)).split())
    assert "; there may be something cheaper." in text and "nothing cheaper is enough" not in text
    assert "there may be a cheaper set that works" in text
