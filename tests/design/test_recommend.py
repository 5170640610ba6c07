"""What to change: all minimal sets of changes by brute force, what is kept, improvements, and the command."""

import dataclasses
import itertools
import json
import random
import re
import sys
from collections import Counter

import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch
from typer.testing import CliRunner

import holdfast as hf
from holdfast.apps.cli import app
from holdfast.budget import Budget
from holdfast.design.additions import fragile_design
from holdfast.design.recommend.burdens import relieves, shifts, to_objects
from holdfast.design.recommend.changed_designs import ChangedDesign
from holdfast.design.recommend.recommending import recommend, recommendation_object
from holdfast.design.recommend.remedies import Remedy, remedies
from holdfast.design.recommend.robustness import KINDS, undone_by, undone_object
from holdfast.design.recommend.space import design_space
from holdfast.design.recommend.variants import with_variants
from holdfast.errors import InputError, ScenarioError
from holdfast.game.configuration import Configuration
from holdfast.game.system import distances
from holdfast.readings.analysis import Asked
from holdfast.report.documents.burden import burden_figure, burden_section
from holdfast.report.documents.recommendation import recommendation_document
from holdfast.report.figures.burden_map import COLOURS, THIN, WIDE
from holdfast.report.rendering import rendered
from holdfast.running.tasks import Backend
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from paths import ROOT

PAPER = ROOT / "scenarios" / "paper.yaml"
SERIAL = Budget(jobs=1)


def brute(space, most):
    """Every minimal set within the cost, by solving all subsets that keep the ways that must stay open."""
    found = []
    sets = [
        frozenset(s)
        for n in range(1, len(space.changes) + 1)
        for s in itertools.combinations(range(len(space.changes)), n)
    ]
    for chosen in sorted(sets, key=len):
        if space.cost(chosen) > most or any(smaller <= chosen for smaller in found) or closes(space, chosen):
            continue
        if solve(space.changed(chosen)).defensible:
            found.append(chosen)
    return {(tuple(sorted(space.names(s))), space.cost(s)) for s in found}


def closes(space, chosen):
    arrows = space.changed(chosen).system.graph.arrows
    return any(end not in distances(arrows, [start]) for start, end in space.kept_paths)


def lost_scenario(rng):
    while True:
        hosts = ["a", "b", "c"]
        links = [f"{x} -> {y}" for x, y in itertools.permutations(hosts, 2) if rng.random() < 0.6]
        if len(links) < 2:
            continue
        changes = rng.choice(
            (
                ["cut all"],
                [
                    f"{{change: cut all, cost: {rng.randint(1, 3)}}}",
                    "harden b",
                    "{change: harden c, cost: 4}",
                ],
                ["cut all", f"block {links[0]}"],
                [
                    "cut all",
                    "{name: patch, cost: 2, variant: {network: {change_hosts: [{b: {cannot: [spread]}}]}}}",
                ],
                [
                    "{name: patch, cost: 2, helps: true, variant: {network: {change_hosts: [{c: {cannot: [spread]}}]}}}",
                    "cut all",
                ],
            )
        )
        keep = rng.choice(([], [rng.choice(links)]))
        ways = [link for link in links if link.startswith("a")]
        paths = rng.choice(([], ways[:1]))
        clause = rng.choice(("G (c = C)", "G !(b in {X, D, Z} & c in {X, D, Z})", "G (c != Z)"))
        text = f"""
holdfast: 1
network: {{hosts: [a, b, c], links: [{", ".join(links)}], entry: a}}
specs: {{defender: ["{clause}", "G (active >= 2)"], adversary: ["G (times(destroy) <= 1)"]}}
design:
  changes: [{", ".join(changes)}]
  keep: [{", ".join(keep)}]
  keep_paths: [{", ".join(paths)}]
"""
        scenario = scenario_from_text(text)
        try:
            space = design_space(scenario)
        except InputError:
            continue
        if not solve(configuration(scenario)).defensible:
            return space


@pytest.mark.parametrize("seed", range(18))
def test_all_minimal_repairs_are_those_of_brute_force(seed):
    space = lost_scenario(random.Random(seed))
    total = space.cost(range(len(space.changes)))
    found = remedies(space, total, budget=SERIAL)
    assert {(tuple(sorted(r.changes)), r.cost) for r in found.sets} == brute(space, total)
    assert [r.cost for r in found.sets] == sorted(r.cost for r in found.sets)
    assert found.complete_to == total and not found.unfinished
    cheapest = remedies(space, budget=SERIAL)
    least = min((r.cost for r in found.sets), default=None)
    assert {r.changes for r in cheapest.sets} == {r.changes for r in found.sets if r.cost == least}


def test_two_processes_find_the_same():
    space = lost_scenario(random.Random(3))
    alone = remedies(space, 6, budget=SERIAL)
    both = remedies(space, 6, budget=Budget(jobs=2), backend=Backend(patience=-9.0))
    assert both.sets == alone.sets and both.complete_to == alone.complete_to


@pytest.fixture(scope="module")
def reference():
    return recommend(read_scenario(PAPER), budget=SERIAL)


@pytest.mark.parametrize(
    ("name", "limited"), [("indefensible", False), ("indefensible", True), ("paper", True)]
)
def test_what_people_need_first_is_told_first(name, limited):
    """Should tell the verdict, then changes, then the rest; the document only ever grows."""
    scenario, told = read_scenario(ROOT / "scenarios" / f"{name}.yaml"), []
    kinds = ["cut"] if name == "indefensible" else ["harden"]
    budget = Budget.lasting(1000.0) if limited else Budget()
    budget = dataclasses.replace(budget, jobs=1)
    whole = recommend(scenario, kinds=kinds, budget=budget, tell=told.append)
    assert whole.awaited == () and all(part.awaited for part in told)
    assert told[0].remedies is None and told[0].improvements is None
    documents = [recommendation_document(part, "x.yaml") for part in (*told, whole)]
    texts = [rendered(document, "text") for document in documents if document.sections]
    assert all(more.startswith(text) for text, more in itertools.pairwise(texts))
    if name == "indefensible":
        first = next(part for part in told if part.remedies is not None)
        assert first.remedies.sets[0] in whole.remedies.sets
        assert first.remedies.complete_to <= whole.remedies.complete_to
    else:
        first = next(part for part in told if part.improvements is not None)
        assert first.improvements.base.defensible and not first.improvements.complete
    objects = [recommendation_object(part) for part in told]
    assert json.loads(json.dumps(objects[-1]))["for"] == "held"


def test_readings_that_nobody_asks_for_are_left_out():
    """Should weigh changes by what is left: the verdict, WIN and STP, and the response."""
    scenario = read_scenario(ROOT / "scenarios" / "paper.yaml")
    asked = Asked(latitude=False, recovery=False)
    advice = recommend(scenario, kinds=["harden"], readings=asked, budget=Budget(jobs=1))
    designs = (advice.improvements.base, *advice.improvements.singles)
    assert all(one.values["ddr_exact"] is None and one.values["slt"] is None for one in designs)
    assert all(one.values["response"]["effort"] is not None for one in designs)
    assert all(one.analysis.recovery == {} for one in designs)


def test_every_single_cut_of_the_reference(reference):
    """Should give the operating points that were solved independently."""
    found = reference.improvements
    values = {r.changes[0]: round(r.values["ddr_exact"], 4) for r in found.singles}
    assert round(found.base.values["ddr_exact"], 4) == 0.2520
    assert values == {
        "cut GW -> Web": 0.8855,
        "cut GW -> WS": 0.8855,
        "cut Web -> WS": 0.2520,
        "cut Web -> DB": 0.4506,
        "cut WS -> DB": 0.4506,
        "cut DB -> BK": 0.8091,
    }
    assert {r.changes for r in found.front} >= {("cut GW -> Web",)}
    for reading, i in found.dominated:
        better = found.front[i]
        assert better.cost <= reading.cost and better.values["slt"] >= reading.values["slt"]


def test_which_part_carries_the_burden(reference):
    """Should be the readings of the design without each part, set against those of the design as it is."""
    base = hf.analyse(reference.space.configuration, exact=True)
    told = {entry["change"]: entry for entry in recommendation_object(reference)["burden"]}
    system = reference.space.configuration.system
    weak = [part for part in system.hardenable if part.verb == "harden"]
    assert set(told) == {f"{part.verb} {part.name}" for part in (*system.parts, *weak)}
    for part in (*system.parts[3:5], system.hardenable[3]):
        here = dataclasses.replace(reference.space.configuration, system=system.without([part]))
        without = hf.analyse(here, exact=True)
        delta = told[f"{part.verb} {part.name}"]["delta"]
        assert delta["ddr_exact"] == pytest.approx(without.ddr_exact.value - base.ddr_exact.value, abs=1e-12)
        assert delta["slt"] == pytest.approx(without.slt - base.slt, abs=1e-12)
        for name in ("effort", "tempo", "grace"):
            before, after = (getattr(found.response, name) for found in (base, without))
            assert delta[name] == ("unbounded" if after == "unbounded" else after - before)
    ranked = [entry["delta"]["ddr_exact"] for entry in recommendation_object(reference)["burden"]]
    assert ranked == sorted(ranked, reverse=True)
    assert {b.part.name for b in reference.burdens if relieves(b, reference.improvements.base)} == {
        "GW -> Web", "GW -> WS", "WS -> DB", "DB -> BK", "Web", "WS", "DB", "BK"
    }  # fmt: skip


def test_the_burden_is_drawn_as_wide_as_it_is_heavy(reference):
    here, base = reference.space.configuration, reference.improvements.base
    figure = burden_figure(here, reference.burdens, base)
    lines = [patch for patch in figure.axes[0].get_children() if isinstance(patch, FancyArrowPatch)]
    wide = sorted((round(line.get_linewidth(), 2), line.get_edgecolor()[:3]) for line in lines)
    colours = {tone: to_rgb(colour) for tone, colour in COLOURS.items()}
    heaviest = max(b["delta"]["ddr_exact"] for b in recommendation_object(reference)["burden"])
    expected = [(2.0, to_rgb("#1a1a1c"))]  # the arrow into the entry
    for entry in recommendation_object(reference)["burden"]:
        if entry["kind"] == "link":
            gain, response = entry["delta"]["ddr_exact"], entry["response"]
            tone = "relieved" if response != base.values["response"] else "better" if gain > 1e-4 else ""
            expected.append((round(THIN + (WIDE - THIN) * gain / heaviest, 2), colours[tone]))
    assert wide == sorted(expected)


def test_a_part_that_was_not_reached_is_counted_and_not_shown(reference):
    base, (first, *rest) = reference.improvements.base, reference.burdens
    missed = dataclasses.replace(first, without=dataclasses.replace(first.without, analysis=None))
    section = burden_section(reference.space.configuration, [missed, *rest], base)
    table = section.blocks[-1]
    assert len(table.rows) == len(rest) and table.note.endswith("Not analysed in time: 1 part.")
    assert to_objects([missed], base)[0]["delta"]["ddr_exact"] is None


def test_a_burden_that_is_only_bracketed_is_not_told_as_a_number(reference):
    base = reference.improvements.base
    exact = dataclasses.replace(base.analysis.ddr_exact, value=None, low=0.2, high=0.3)
    wide = dataclasses.replace(base, analysis=dataclasses.replace(base.analysis, ddr_exact=exact))
    (burden,) = [b for b in reference.burdens if b.part.name == "DB -> BK"]
    (told,) = to_objects([burden], wide)
    assert told["delta"]["ddr_exact"] is None and told["delta"]["slt"] > 0
    moved = shifts(burden, wide)["ddr_exact"]
    assert (moved.low, moved.high) == pytest.approx((0.8091 - 0.3, 0.8091 - 0.2), abs=1e-4)


def test_what_the_business_needs_is_kept_and_the_bypass_comes_first():
    text = PAPER.read_text("utf-8").replace("steps: 1000", "steps: 300")
    scenario = scenario_from_text(text + "\ndesign: {keep: [GW -> Web]}\n")
    whole = recommend(scenario, kinds=["cut"], budget=SERIAL)
    found = whole.improvements
    assert {b.part.kind for b in whole.burdens} == {"link"} and len(whole.burdens) == 6
    assert "cut GW -> Web" not in {r.changes[0] for r in found.singles}
    assert found.front[0].changes == ("cut GW -> WS",)


def test_sets_up_to_a_budget():
    text = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, GW -> DB, Web -> DB], entry: GW}
specs: {defender: [G (DB != Z)], adversary: ["G (times(destroy) <= 1)"]}
learning: {steps: 50}
design: {changes: [cut all, "harden DB"]}
"""
    found = recommend(scenario_from_text(text), max_cost=2, budget=SERIAL).improvements
    assert found.coverage == "all 4 single changes, all pairs within the budget"
    assert found.n_read == 1 + 4 + 6
    pair = next(r for r in found.front if len(r.chosen) == 2)
    alone = [r.values["ddr_exact"] for r in found.singles if r.chosen <= pair.chosen]
    assert pair.values["ddr_exact"] >= max(alone) and pair.cost == 2


def test_recommended_variants_are_written_and_read(reference):
    found = reference
    text = with_variants(found)
    assert text.startswith(PAPER.read_text("utf-8").rstrip())
    again = scenario_from_text(text)
    assert again.variants[-3:] == ("cut-GW-Web", "cut-DB-BK", "cut-WS-DB")
    new = configuration(again, "cut-GW-Web")
    assert new.system.graph.arrows == found.space.changed([0]).system.graph.arrows
    bare = "holdfast: 1\nnetwork: {hosts: [a, b], links: [a -> b], entry: a, exposed: [b]}\nspecs: {defender: [G (b = C)]}\n"
    lost = recommend(scenario_from_text(bare), kinds=["cut", "close", "harden"], max_cost=9, budget=SERIAL)
    assert {frozenset(r.changes) for r in lost.remedies.sets} == {
        frozenset({"harden b"}),
        frozenset({"cut a -> b", "close b"}),
    }
    written = scenario_from_text(with_variants(lost))
    for name in written.variants:
        assert solve(configuration(written, name)).defensible
    with pytest.raises(InputError, match="nothing is recommended"):
        with_variants(recommend(scenario_from_text(bare), kinds=["cut"], budget=SERIAL))


def test_the_last_way_in_is_never_closed():
    """Should offer no design in which the adversary is nowhere: it holds for nothing, and no file can say it."""
    text = (
        "holdfast: 1\nnetwork: {hosts: [front, pay], links: [front -> pay], exposed: [%s]}\n"
        "specs: {defender: [G (pay = C)%s], adversary: [G (times(destroy) <= 1)]}\n"
    )
    held = scenario_from_text(text % ("front", ""))
    found = recommend(held, kinds=["cut", "close"], max_cost=2, budget=SERIAL)
    offered = {name for reading in found.improvements.front for name in reading.changes}
    assert "close front" not in offered and found.space.ways_in
    for name in scenario_from_text(with_variants(found)).variants:
        configuration(scenario_from_text(with_variants(found)), name)
    lost = scenario_from_text(text % ("front, pay", ', "G (front != I)"'))
    sets = recommend(lost, kinds=["cut", "close"], max_cost=9, budget=SERIAL).remedies.sets
    assert {frozenset(r.changes) for r in sets} == {frozenset({"close pay", "cut front -> pay"})}
    entered = scenario_from_text(text.replace("exposed", "entry: front, exposed") % ("pay", ""))
    assert not recommend(entered, kinds=["cut", "close"], budget=SERIAL).space.ways_in


def test_named_changes_are_written_over_each_other_as_they_are_solved():
    """Should write one variant that is the design with both changes: what each adds is added."""
    text = """
holdfast: 1
network: {hosts: [a, b, c], links: [a -> b, b -> c, a -> c], entry: a}
specs: {defender: [G (c = C)]}
design:
  changes:
    - cut a -> c
    - {name: one, helps: true, variant: {network: {remove_links: [b -> c]}}}
    - {name: two, variant: {network: {add_hosts: [d], add_links: [a -> d]}}}
"""
    space = design_space(scenario_from_text(text))
    found = recommend(scenario_from_text(text), max_cost=3, budget=SERIAL)
    assert {r.changes for r in found.remedies.sets} == {("cut a -> c",)}
    sets = (Remedy(("cut a -> c", "one", "two"), 3),)
    again = scenario_from_text(
        with_variants(dataclasses.replace(found, remedies=dataclasses.replace(found.remedies, sets=sets)))
    )
    (name,) = again.variants
    graph, same = configuration(again, name).system.graph, space.changed([0, 1, 2]).system.graph
    assert set(graph.arrows) == set(same.arrows) == {("a", "b"), ("a", "d")} and graph.names == same.names


def test_clauses_are_never_traded_for_a_design():
    found = recommendation_object(
        recommend(read_scenario(ROOT / "scenarios" / "indefensible.yaml"), max_cost=9, budget=SERIAL)
    )
    assert [r["changes"] for r in found["repairs"]] == [["cut GW -> DB"], ["cut GW -> BK", "cut DB -> BK"]]
    assert found["droppable"] == ["G !(DB in {X, D, Z} & BK in {X, D, Z})", "G (active >= 2)"]


@pytest.mark.parametrize(
    ("design", "problem"),
    [
        ("{changes: [cut GW -> Wob]}", 'did you mean "cut GW -> Web"'),
        ("{changes: [paint DB]}", "expected block or cut or filter or harden"),
        ("{changes: [{change: cut all, cost: 0}]}", "at least 1"),
        ("{keep: [GW -> Mars]}", "no part of this design"),
        ("{keep_paths: [BK -> GW]}", "already no way"),
        ("{keep_paths: [GW -> Mars]}", "is no host"),
        ("{changes: [{nome: x}]}", '"nome"'),
    ],
)
def test_a_design_space_that_cannot_be_is_told_with_its_place(design, problem):
    with pytest.raises(ScenarioError, match=problem):
        design_space(scenario_from_text(PAPER.read_text("utf-8") + f"\ndesign: {design}\n"))


def test_kinds():
    scenario = read_scenario(PAPER)
    assert {c.kind for c in design_space(scenario).changes} == {"cut"}
    assert {c.kind for c in design_space(scenario, kinds=["harden", "block"]).changes} == {"harden", "block"}
    with pytest.raises(InputError, match='did you mean "harden"'):
        design_space(scenario, kinds=["hardn"])


def test_the_command(tmp_path):
    page, out = tmp_path / "report.html", tmp_path / "out.yaml"
    lost = str(ROOT / "scenarios" / "indefensible.yaml")
    told = CliRunner().invoke(
        app, ["recommend", lost, "--html", str(page), "--write", str(out), "--budget", "3"]
    )
    assert told.exit_code == 0, told.output
    assert "With cut GW -> DB it would hold. That costs 1, and nothing cheaper is enough." in told.output
    assert "This list is complete" in told.output and "Requirements that could be given up" in told.output
    shown = page.read_text("utf-8")
    assert "cut GW -&gt; DB" in shown and "Before and after" in shown
    assert "Change 2, cut GW -&gt; BK and cut DB -&gt; BK, removes 2 links" in shown
    assert shown.count("<svg") == 3  # both changes over the topology, and the fingerprints
    assert hf.read_scenario(out).variants[-1] == "cut-GW-BK-cut-DB-BK"
    found = json.loads(CliRunner().invoke(app, ["recommend", lost, "--kind", "harden", "--json"]).stdout)
    assert found["repairs"] == [{"changes": ["harden DB"], "cost": 1}, {"changes": ["harden BK"], "cost": 1}]
    assert (found["complete_to"], found["improvements"]) == (1, [])


HOPELESS = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, Web -> DB, GW -> DB], entry: GW}
specs: {defender: ["G (active >= 3)"], adversary: [G (times(destroy) <= 1)]}
variants: {cut: {remove_links: [GW -> DB]}, none: {links: []}}
design: {changes: [cut GW -> DB, cut Web -> DB], keep: [GW -> Web]}
"""


def test_what_a_variant_has_changed_already_is_left_out():
    """Should offer the rest; what the base does not know either is a mistake."""
    scenario = scenario_from_text(HOPELESS)
    assert [c.name for c in design_space(scenario).changes] == ["cut GW -> DB", "cut Web -> DB"]
    assert [c.name for c in design_space(scenario, "cut").changes] == ["cut Web -> DB"]
    with pytest.raises(InputError, match="nothing to change"):
        design_space(scenario, "none")
    with pytest.raises(ScenarioError, match='no change is called "cut GW -> DX"'):
        design_space(scenario_from_text(HOPELESS.replace("[cut GW -> DB,", "[cut GW -> DX,")), "cut")


def test_a_design_that_nothing_makes_hold_is_told_and_refused(tmp_path):
    """Should not end as if something had been found."""
    file = tmp_path / "f.yaml"
    file.write_text(HOPELESS)
    told = CliRunner().invoke(app, ["recommend", str(file)])
    assert told.exit_code == 1
    assert "Nothing works, not even all of the changes together." in told.output
    assert "This list is complete" not in told.output and "to use a change" not in told.output


def test_unbounded_readings_are_words_in_json(reference):
    told = json.loads(json.dumps(recommendation_object(reference), allow_nan=False))
    assert told["base"]["response"] == {"effort": 2, "tempo": 1, "grace": 1}
    assert told["improvements"][0]["response"] == {"effort": 1, "tempo": "unbounded", "grace": 1}


# -- once is enough -------------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    """The configurations that are made from a file, and those that are solved, as it happens."""
    made, solved = [], []
    symbolic, checked = sys.modules["holdfast.solver.symbolic"], Configuration.__post_init__

    def solve_and_count(configuration, budget):
        solved.append(configuration)
        return symbolic.solve(configuration, budget)

    def check_and_count(self, budget):
        checked(self, budget)
        made.append(self)

    monkeypatch.setattr(symbolic, "SOLVER", dataclasses.replace(symbolic.SOLVER, solve=solve_and_count))
    monkeypatch.setattr(Configuration, "__post_init__", check_and_count)
    return made, solved


@pytest.mark.parametrize("clause", ["G (DB != Z)", "G (DB = C)"], ids=["held", "lost"])
@pytest.mark.parametrize("variant", [None, "more"])
def test_the_design_as_it_is_is_made_and_solved_once(clause, variant, counted, tmp_path, monkeypatch):
    """Should be read from its solution, with pictures of before and after as well."""
    made, solved = counted
    # A proposal with what it cut is this design again, and is asked about as an addition.
    recommending = sys.modules["holdfast.design.recommend.recommending"]
    monkeypatch.setattr(recommending, "undone_by", lambda *asked: ())
    file = tmp_path / "f.yaml"
    file.write_text(f"""
holdfast: 1
network: {{hosts: [GW, Web, DB], links: [GW -> Web, GW -> DB], entry: GW}}
specs: {{defender: [{clause}], adversary: ["G (times(destroy) <= 1)"]}}
learning: {{steps: 50}}
variants: {{more: {{add_links: [Web -> GW]}}}}
""")
    options = ["--kind", "cut", "--html", str(tmp_path / "f.html"), "--jobs", "1"]
    options += ["--variant", variant] if variant else []
    told = CliRunner().invoke(app, ["recommend", str(file), *options])
    assert told.exit_code == 0 and "Before and after" in (tmp_path / "f.html").read_text("utf-8"), told.output
    for found in made, solved:
        # Rungs of its ladder are other questions: one clause more, a wider boundary or another game.
        first = next(c for c in solved if c.requirement)
        alike = [c for c in found if c.requirement == first.requirement and c.boundary == first.boundary]
        drawn = [c.system.graph.arrows for c in alike if c.game.actions == first.game.actions]
        assert [len(arrows) for arrows in drawn].count(3 if variant else 2) == 1


def test_readings_are_not_written_down_and_read_again_without_a_log(monkeypatch, tmp_path):
    """Should go through JSON only where a log keeps them, and be the same."""
    text = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, GW -> DB, Web -> DB], entry: GW}
specs: {defender: [G (DB != Z)]}
learning: {steps: 50}
"""
    logged = Backend(log=tmp_path / "log")
    first, again = (recommend(scenario_from_text(text), budget=SERIAL, backend=logged) for _ in range(2))
    assert logged.log.read_text("utf-8").count('"key": "[]"') == 1  # the second time it was taken from there
    monkeypatch.setattr(sys.modules[ChangedDesign.__module__], "analysis_of", None)
    alone = recommend(scenario_from_text(text), budget=SERIAL)
    for found in (again, alone):
        told, same = ({**recommendation_object(one), "seconds": 0} for one in (found, first))
        assert told == same


# -- variants in the text -------------------------------------------------------------------------------

COMMENTED = """\
# what this is about
holdfast: 1
network: {hosts: [a, b, c], links: [a -> b, a -> c], entry: a}   # small
specs: {defender: [G (b = C)]}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("variants:   # what we think of\n    x: {remove_links: [a -> c]}  # this\n", "# about learning\nlearning: {steps: 9}\n"),
        ("variants: {x: {remove_links: [a -> c]}}   # in a line\n", "learning: {steps: 9}\n"),
        ("variants: {}\n", "# the end\n"),
        ("", "# the end\n"),
        ("", ""),
    ],
)  # fmt: skip
def test_variants_are_written_where_they_belong_and_nothing_else_moves(before, after):
    """Should only ever add characters, none of them between a comment and what it is about."""
    text = COMMENTED + before + after
    found = recommend(scenario_from_text(text), kinds=["cut", "harden"], budget=SERIAL)
    new = with_variants(found)
    again = scenario_from_text(new)
    assert (
        again.variants[-2:] == ("cut-a-b", "harden-b")
        and again.variants[:-2] == found.space.scenario.variants
    )
    assert set(configuration(again, "cut-a-b").system.graph.arrows) == {("a", "c")}
    assert configuration(again, "harden-b").description == "Recommended: harden b."
    assert new.startswith(COMMENTED + (before.partition("\n")[0] if ": {" not in before else ""))
    assert after in new and Counter(re.findall("#.*", new)) == Counter(re.findall("#.*", text))
    if not before:
        assert new.startswith(f"{text.rstrip()}\n\nvariants:\n  cut-a-b:\n    description:")


def test_a_recommended_variant_takes_no_name_that_means_something_else():
    text = (
        COMMENTED + "design: {changes: [{name: reference, variant: {network: {remove_links: [a -> b]}}}]}\n"
    )
    found = recommend(scenario_from_text(text), budget=SERIAL)
    assert scenario_from_text(with_variants(found)).variants == ("reference-2",)


# -- configurations -------------------------------------------------------------------------------------


def test_a_configuration_without_a_file_is_a_design_too():
    system = hf.network_system(["GW", "DB"], [("GW", "DB")], "GW")
    lost = hf.recommend(hf.configure(system, ["G (DB = C)"], name="pair"))
    assert [r.changes for r in lost.remedies.sets] == [("cut GW -> DB",)]
    assert "cut GW -> DB" in hf.render(lost, "text") and lost._repr_html_()
    held = hf.recommend(
        hf.configure(system, ["G (DB != Z)"]), kinds=["harden"], protocol=hf.Protocol(steps=50)
    )
    assert [r.changes for r in held.improvements.singles] == [("harden GW",), ("harden DB",)]
    with pytest.raises(InputError, match="no scenario file"):
        with_variants(lost)
    with pytest.raises(InputError, match="nothing to change in this design; its system has no such parts"):
        hf.recommend(hf.configure(system.game, ["G (DB = C)"]))


def test_a_configuration_from_a_file_keeps_what_the_file_says():
    text = (
        COMMENTED
        + "design: {changes: [cut all, harden b], keep: [a -> b]}\nvariants: {v: {remove_links: [a -> c]}}\n"
    )
    scenario = scenario_from_text(text)
    here = configuration(scenario)
    assert [r.changes for r in hf.recommend(here, budget=SERIAL).remedies.sets] == [("harden b",)]
    assert hf.recommend(configuration(scenario, "v"), budget=SERIAL).space.variant == "v"
    with pytest.raises(InputError, match='the base; ask its scenario about "v"'):
        hf.recommend(here, "v")
    with pytest.raises(InputError, match="no longer the design of its file"):
        hf.recommend(dataclasses.replace(here, system=here.system.without(here.system.parts[1:])))
    with pytest.raises(InputError, match="expected a scenario"):
        hf.recommend("file.yaml")


def test_upgrades_that_may_hurt_are_not_offered_without_a_file():
    grid = read_scenario(ROOT / "scenarios" / "nine-bus.yaml")
    here = configuration(grid)
    assert {c.kind for c in design_space(grid, kinds=["raise"]).changes} == {"raise"}
    with pytest.raises(InputError, match='no change is of the kind "raise"'):
        design_space(dataclasses.replace(here, text=""), kinds=["raise"])


LEAKY = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, GW -> DB, Web -> DB], entry: GW}
specs: {defender: [G (DB = C)]}
"""


def test_what_would_undo_each_proposal():
    """Should name exactly the single additions that cost what was won, and say where that is not known."""
    scenario = scenario_from_text(LEAKY)
    found = recommend(scenario)
    told = recommendation_object(found)
    assert [repair["changes"] for repair in told["repairs"]] == [["cut GW -> DB"]]
    (robustness,) = told["robustness"]
    undone = robustness["undone_by"]
    (remedy,) = found.undone
    changed = found.space.changed([i for i, c in enumerate(found.space.changes) if c.name in remedy.changes])
    design = fragile_design(changed, None, KINDS)
    broken = {i for i in range(len(design.additions)) if not solve(design.extended([i])).defensible}
    assert set(undone) == set(design.names(broken)) and "link GW -> DB" in undone
    assert robustness["additions"] == len(design.additions)
    assert robustness["changes"] == ["cut GW -> DB"]
    page = rendered(recommendation_document(found), "text")
    assert "How robust the fixed design is" in page and "link GW -> DB" in page
    (unknown,) = undone_by(found.space, found.solution, [frozenset()], "held", budget=Budget.lasting(0.0))
    assert unknown.additions is None and undone_object(unknown)["undone_by"] is None
