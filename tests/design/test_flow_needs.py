"""What flows need of a design: no advice takes it away, and every repair found is one that leaves flows alone."""

import json
import random
from itertools import chain, combinations, pairwise

import pytest

import holdfast as hf
from cases import TIMES
from holdfast.design.assumption import assumptions
from holdfast.design.bound import bounds
from holdfast.design.flow_needs import BROKEN, PARTLY, WHOLE, needed_parts
from holdfast.design.recommend.recommending import recommend, recommendation_object
from holdfast.design.recommend.space import design_space
from holdfast.errors import InputError
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from segments import walks

N_DESIGNS = 7 * TIMES


def random_scenario(rng):
    """A small network with flows and a requirement that may speak of them, as data."""
    names = ["a", "b", "c"]
    links = [[x, y] for x in names for y in names if x != y and rng.random() < 0.6] or [["a", "b"]]
    flows = {}
    for number in range(rng.randint(1, 2)):
        path = rng.choice([p for x in names for p in walks(links, [x]) if len(p) > 1])
        flows[f"f{number}"] = {"from": path[0], "to": path[-1]} if rng.random() < 0.5 else {"path": path}
    clauses = [
        "G (c not in {X, D, Z})",
        "G (b != Z)",
        "G flow(f0)",
        "G (flow(f0) | b = X)",
        "G (flows_up >= 1)",
    ]
    network = {
        "hosts": names,
        "links": [" -> ".join(link) for link in links],
        "flows": flows,
        "reset": "none",
    }
    network |= {"entry": "a"} if rng.random() < 0.7 else {"exposed": ["a"]}
    specs = {"defender": rng.sample(clauses, 2), "adversary": ["G (times(destroy) <= 1)"]}
    return {"holdfast": 1, "name": "random", "network": network, "specs": specs}, links


def literal(data, links, kinds):
    """The changed designs by the names of their changes: whether each keeps all flows, and whether it holds."""
    cuts = [f"cut {x} -> {y}" for x, y in links]
    filters = [f"filter {x} -> {y}" for x, y in links]
    closes = [f"close {host}" for host in data["network"].get("exposed", ())]
    names = [name for name in (*cuts, *closes, *filters) if name.split()[0] in kinds]
    for chosen in chain.from_iterable(combinations(names, n) for n in range(len(names) + 1)):
        gone = [name.split()[1::2] for name in chosen if name.startswith("cut")]
        left = [link for link in links if link not in gone]
        filtered = [name.split()[1::2] for name in chosen if name.startswith("filter")]
        if any(link in gone for link in filtered):
            continue
        kept = True
        for flow in data["network"]["flows"].values():
            there = paths(flow, left)
            kept = kept and bool(there) and ("from" in flow or there == paths(flow, links))
            start = flow["from"] if "from" in flow else flow["path"][0]
            kept = kept and f"close {start}" not in chosen
        variant = {
            "links": [{"from": x, "to": y, "filter": "yes" if [x, y] in filtered else "no"} for x, y in left]
        }
        if closes:
            variant["exposed"] = [] if set(closes) & set(chosen) else data["network"]["exposed"]
        yield frozenset(chosen), kept, variant


def paths(flow, links):
    if "path" in flow:
        path = flow["path"]
        return [path] if all([x, y] in links for x, y in pairwise(path)) else []
    return [p for p in walks(links, [flow["from"]]) if p[-1] == flow["to"]]


@pytest.mark.parametrize("kinds", [("cut", "close"), ("cut", "filter")])
def test_minimal_repairs_that_keep_flows(kinds):
    """Should find exactly the minimal sets of changes that hold and keep all flows, read from a file each."""
    n_repairs = 0
    for seed in range(8 * N_DESIGNS):
        rng = random.Random(seed)
        data, links = random_scenario(rng)
        if len(links) > 4 or solve(configuration(scenario_from_text(json.dumps(data)))).defensible:
            continue
        working = []
        for chosen, kept, variant in literal(data, links, kinds):
            if kept and not any(smaller <= chosen for smaller in working):
                text = json.dumps(data | {"variants": {"v": variant}})
                try:
                    if solve(configuration(scenario_from_text(text), "v")).defensible:
                        working.append(chosen)
                except InputError as error:  # no way in is left: that is no design, and no advice
                    assert "entry" in str(error)
        try:
            there = [kind for kind in kinds if kind != "close" or "exposed" in data["network"]]
            found = recommend(scenario_from_text(json.dumps(data)), kinds=there, max_cost=99)
        except InputError as error:
            assert "nothing to change" in str(error)
            assert not working
            continue
        assert {frozenset(remedy.changes) for remedy in found.remedies.sets} == set(working), data
        n_repairs += len(working)
    assert n_repairs > 5


def test_no_advice_breaks_a_flow():
    """Should leave every flow with what it needs in all advice, and name what was left out."""
    for seed in range(N_DESIGNS):
        data, links = random_scenario(random.Random(seed))
        scenario = scenario_from_text(json.dumps(data))
        here = configuration(scenario)
        needed = {part.name for part in needed_parts(here.system)}
        for x, y in links:
            left = [link for link in links if link != [x, y]]
            flows = data["network"]["flows"].values()
            lost = any(
                not paths(f, left) or ("path" in f and paths(f, left) != paths(f, links)) for f in flows
            )
            assert (f"{x} -> {y}" in needed) == lost, (data, x, y)
        asked = assumptions(here, bounds(here)[0])
        assert not {a.name for a in asked if a.kind in ("link", "exposure")} & needed
        try:
            told = recommendation_object(recommend(scenario, max_cost=3))
        except InputError:
            continue
        for advice in (*told["repairs"], *told["improvements"]):
            assert {flow["kept"] for flow in advice["flows"]} <= {WHOLE, PARTLY}
            assert not {name for name in advice["changes"] if name.split(" ", 1)[0] == "cut"} & {
                f"cut {name}" for name in needed
            }


SHOP = """\
holdfast: 1
name: Shop
network:
  hosts: [Web, App, DB, BK]
  links: [Web -> App, App -> DB, Web -> DB, DB -> BK]
  exposed: [Web]
  flows: {shop: Web -> App -> DB, read: {from: Web, to: DB}}
specs:
  defender: ["G (BK not in {X, D, Z})", G (flow(read) | DB = I)]
"""


def test_a_shop_is_not_unplugged(tmp_path):
    """Should cut what no flow needs, filter what one needs, and cut the shop only if asked to."""
    scenario = scenario_from_text(SHOP)
    space = design_space(scenario)
    assert space.withheld == ("cut Web -> App", "cut App -> DB", "close Web")
    assert {change.name: (change.cost, change.helps) for change in space.changes} == {
        "cut Web -> DB": (1, False),
        "cut DB -> BK": (1, True),
        "filter Web -> App": (2, True),
        "filter App -> DB": (2, True),
        "filter Web -> DB": (2, True),
    }
    assert "close Web" in {change.name for change in design_space(scenario, cut_flows=True).changes}
    told = recommendation_object(hf.recommend(scenario, kinds=("filter",), max_cost=6))
    for repair in told["repairs"]:
        assert repair["flows"] == [{"flow": "shop", "kept": WHOLE}, {"flow": "read", "kept": WHOLE}]
    assert [left.kept for left in space.flows_left(["cut Web -> DB"])] == [WHOLE, PARTLY]
    every = design_space(scenario, cut_flows=True)
    assert [left.kept for left in every.flows_left(["cut Web -> App"])] == [BROKEN, WHOLE]
    assert [left.kept for left in every.flows_left(["close Web"])] == [BROKEN, BROKEN]
    written = (
        hf.with_variants(hf.recommend(scenario, kinds=("filter",), max_cost=6)) if told["repairs"] else ""
    )
    assert "filter: yes" in written or not told["repairs"]


def test_a_blockable_link_is_no_free_block():
    """Should count the flow of a link as down once a change makes the link blockable and it is blocked."""
    here = design_space(scenario_from_text(SHOP), kinds=("block",)).changed([0])
    names = [variable.name for variable in here.game.variables]
    assert names[-1] == "Web-to-App"
    assert "Web-to-App = open" in str(here.game.definitions["flow(shop)"])
    assert here.requirement[1].formula.args[0].args[0].body == here.game.definitions["flow(read)"]


def test_adversary_actions_are_no_design_changes():
    """Should not offer to take an attacker's action away, unless its kind is asked for."""
    text = """\
holdfast: 1
game:
  variables: {level: 0..3}
  initial: {level: 0}
  first: adversary
  defender: {drain: [{when: level > 0, set: {level: level - 1}}], wait: {}}
  adversary: {surge: [{when: level < 2, set: {level: level + 2}}], wait: {}}
  dominance: 1 - level / 3
specs: {defender: [G (level < 2)]}
"""
    with pytest.raises(InputError, match="nothing to change"):
        design_space(scenario_from_text(text))
    assert [c.name for c in design_space(scenario_from_text(text), kinds=("drop",)).changes][:1] == [
        "drop surge"
    ]
