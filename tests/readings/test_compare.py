"""The relational reading: the paper's story on its five cases, and what must stay undefined."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from itertools import pairwise

import pytest

from budgets import watched
from commands import holdfast
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError
from holdfast.game.array_games import from_arrays
from holdfast.game.configuration import configure
from holdfast.game.protocol import Protocol
from holdfast.models.network.game import network_game
from holdfast.readings.analysis import Asked, analyse, iter_analysis
from holdfast.readings.compare import designs
from holdfast.readings.compare.designs import compare_subjects
from holdfast.readings.compare.findings import combined, comparison_object, movement
from holdfast.readings.compare.parts import changed_parts
from holdfast.readings.compare.positions import Subject
from holdfast.report.documents.comparison import comparison_document, sentences
from holdfast.report.renderers.terminal import terminal
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from paths import ROOT
from samples import learned, solved

PAPER = ROOT / "scenarios" / "paper.yaml"
GOLDEN = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]
BASE, FULL, FREE, TWO, CUT = (case["variant"] for case in GOLDEN.values())


def comparison_text(comparison, source):
    """What compare prints."""
    return terminal(comparison_document(comparison, source=source))


def reading(comparison):
    """What the comparison comes to, as one text."""
    return " ".join(sentences(comparison))


def subject(label, chosen, **kwargs):
    return Subject(label, analyse(chosen, **kwargs), chosen)


def without_exact(given):
    return replace(given, analysis=replace(given.analysis, ddr_exact=None))


def with_ddr(given, mean, low, high):
    return replace(given, analysis=replace(given.analysis, ddr=learned(mean, low, high)))


def solved_subject(label, chosen, **kwargs):
    """With its solution, which is not worked out again by every comparison."""
    solutions = []
    found = analyse(chosen, solved=solutions.append, **kwargs)
    return Subject(label, found, chosen, *solutions)


@pytest.fixture(scope="module")
def subjects():
    """The five cases with the published means and intervals of DDR."""
    scenario = read_scenario(PAPER)
    return [
        with_ddr(
            solved_subject(case["variant"], configuration(scenario, case["variant"]), exact=True),
            case["ddr"],
            *case["ddr_interval"],
        )
        for case in GOLDEN.values()
    ]


@pytest.fixture(scope="module")
def paper(subjects):
    return compare_subjects(subjects)


# -- the paper's story ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDEN.values(), ids=lambda case: case["variant"])
def test_the_table_is_the_papers(paper, case):
    """Should repeat tab:results."""
    row = paper.entry(case["variant"]).analysis
    assert (round(row.win, 4), round(row.stp, 4), round(row.slt, 4)) == (
        case["win"],
        case["stp"],
        case["slt"],
    )
    assert [row.ddr.mean, *row.ddr.interval] == [case["ddr"], *case["ddr_interval"]]
    assert row.winning == case["winning"]


def test_full_inversions_are_exactly_the_papers_two(paper):
    """Should find (2, 3) and (4, 5) on every static axis, with disjoint intervals."""
    found = [(i.formal, i.operational, i.disjoint) for i in paper.full_inversions if i.point == "ddr"]
    assert found == [(FULL, FREE, True), (TWO, CUT, True)]


def test_inversion_gaps_are_the_papers(paper):
    """Should give the gaps of sec:demo-inversion, and the one single-axis inversion besides."""
    learned = [i for i in paper.inversions if i.point == "ddr"]
    gaps = {i.axis: round(i.static_gap, 3) for i in learned if (i.formal, i.operational) == (FULL, FREE)}
    assert gaps == {"win": 0.056, "stp": 0.045, "slt": 0.244}
    assert {round(i.operational_gap, 3) for i in learned if i.formal == FULL and i.operational == FREE} == {
        0.248
    }
    single = [(i.formal, i.operational, i.axis) for i in learned if {i.formal, i.operational} == {BASE, FULL}]
    assert single == [(FULL, BASE, "stp")]
    assert len(learned) == 7


def test_the_exact_operating_point_is_inverted_in_the_same_pairs(paper):
    """Should hold the same two pairs against DDR*, which has no interval."""
    found = [(i.formal, i.operational, i.disjoint) for i in paper.full_inversions if i.point == "ddr_exact"]
    assert found == [(FULL, FREE, None), (TWO, CUT, None)]


def test_removing_the_bypass_acts_at_ranks_three_and_four_only(paper):
    """Should localise the edge (sec:demo-structure)."""
    delta = paper.delta(CUT)
    assert delta.changed_ranks == (3, 4)
    assert [(s.size.before, s.size.after) for s in delta.shells[2:]] == [(256, 224), (384, 288)]
    assert delta.ranks.n_changed == 128
    assert delta.ranks.before == delta.ranks.after == (1, 2, 3, 4, None)
    assert delta.ranks.counts[2] == (0, 0, 224, 0, 32)
    assert delta.ranks.counts[3] == (0, 0, 0, 288, 96)


def test_relaxing_availability_dissolves_long_chains(paper):
    """Should remove 33% of shell 1 and 80% of the ranks 3 and 4 together."""
    delta = paper.delta(TWO)
    assert round(delta.shells[0].size.relative, 2) == -0.33
    assert (delta.deep.first, delta.deep.last) == (3, 4)
    assert (delta.deep.size.before, delta.deep.size.after, delta.deep.size.relative) == (640, 128, -0.8)


def test_rank_matrices_have_the_shells_as_margins(paper):
    """Should count every open position once."""
    for delta in paper.deltas:
        for label, margin in (
            (BASE, [sum(row) for row in delta.ranks.counts]),
            (delta.label, [sum(column) for column in zip(*delta.ranks.counts)]),
        ):
            row = paper.entry(label).analysis
            assert margin == [*row.shells, row.winning]


def test_slt_channels_are_the_papers(paper):
    """Should see 80 positions leave and no menu change in case 5, and 56 menus narrow in case 2."""
    cut, full = paper.delta(CUT).channels, paper.delta(FULL).channels
    assert (cut.n_changed, cut.n_left, cut.n_entered) == (0, 80, 0)
    assert cut.by_menus == 0.0
    assert cut.latitude_left < paper.entry(BASE).analysis.slt
    assert (full.n_narrowed, full.n_widened, full.n_exchanged) == (56, 0, 0)


def test_the_two_channels_add_up(paper):
    """Should split ΔSLT without a remainder, over domains as large as the analyses say."""
    for delta in paper.deltas:
        c, slt = delta.channels, delta.movements["slt"]
        assert c.by_menus + c.by_domain == pytest.approx(slt.absolute, abs=1e-12)


def test_domains_are_those_of_the_analyses(paper, subjects):
    """Should match exactly R ∩ V_D, resets left out."""
    sizes = {s.label: s.analysis.reachable.n_defender for s in subjects}
    for delta in paper.deltas:
        assert delta.channels.n_shared + delta.channels.n_left == sizes[BASE]
        assert delta.channels.n_shared + delta.channels.n_entered == sizes[delta.label]


@pytest.mark.parametrize(
    ("variant", "slt", "ddr"),
    [(FULL, -1.6, -57.9), (CUT, 2.0, 49.7), (FREE, -35.6, -11.9), (TWO, 13.9, 44.5)],
)
def test_relative_movements_are_the_papers(paper, variant, slt, ddr):
    """Should give sec:demo-attribution from the printed means.

    The unrounded means give +49.8 and −11.8 instead of +49.7 and −11.9: the paper divided printed digits.
    """
    moved = paper.delta(variant).movements
    assert round(100 * moved["slt"].relative, 1) == slt
    assert round(100 * moved["ddr"].relative, 1) == ddr


def test_destruction_costs_what_the_paper_says(paper):
    """Should cost 13.5% of the winning region (sec:demo-pricing)."""
    assert round(100 * paper.delta(FREE).movements["win"].relative, 1) == -13.5


def test_holding_burdens(paper):
    """Should be 0.773 and 0.193, about fourfold.

    The paper prints 4.00; 0.773 / 0.193 is 4.005, and the unrounded burdens give 4.010.
    """
    assert round(paper.entry(FULL).burden, 3) == 0.773
    assert round(paper.entry(CUT).burden, 3) == 0.193
    assert (paper.spread.heaviest, paper.spread.lightest) == (FULL, CUT)
    assert paper.spread.ratio == pytest.approx(4.00, abs=0.006)


def test_burden_ratios_are_to_the_chosen_base(subjects):
    """Should turn with the base."""
    turned = compare_subjects(subjects, CUT)
    assert turned.base == CUT
    assert turned.entry(FULL).burden_ratio == pytest.approx(4.005, abs=5e-4)
    assert turned.delta(BASE).channels.n_entered == 80
    assert [delta.label for delta in turned.deltas] == [BASE, FULL, FREE, TWO]


def test_the_changed_parts_are_the_papers_classes(paper):
    """Should be arena, φ_A, φ_D, arena (tab:cases), with a warning for each changed contract."""
    classes = {delta.label: delta.changed for delta in paper.deltas}
    assert classes == {FULL: ("arena",), FREE: ("boundary",), TWO: ("requirement",), CUT: ("arena",)}
    assert [warning.split()[0] for warning in paper.warnings] == [FREE, TWO]
    assert all("not by itself a better design" in warning for warning in paper.warnings)


def test_memory_is_the_same_unless_the_counter_counts_something_else(paper):
    """Should tell that the free counter stays where the charged one moves on."""
    assert {d.label: d.same_memory for d in paper.deltas} == {FULL: True, FREE: False, TWO: True, CUT: True}


def test_refinement_is_checked_position_by_position(paper):
    """Should confirm that the destroy budget enlarges W, and claim nothing else."""
    (check,) = paper.refinements
    assert (check.free, check.restricted, check.scope, check.holds) == (FREE, BASE, "positions", True)
    assert check.n_gained == 23_730 - 20_526


def test_uniform_dominance(paper):
    """Should see case 5 above the reference on every axis, and cases 4 and 5 incomparable."""
    pairs = {(d.over, d.under) for d in paper.dominances}
    assert (CUT, BASE) in pairs
    assert not {(TWO, CUT), (CUT, TWO), (BASE, FULL), (FULL, BASE)} & pairs
    assert all(d.axes == ("win", "stp", "slt", "ddr_exact") for d in paper.dominances)


def test_uniform_dominance_by_training_alone(subjects):
    """Should go by DDR, with its intervals, where DDR* was not read."""
    found = compare_subjects([without_exact(one) for one in subjects]).dominances
    pairs = {(d.over, d.under): d.disjoint for d in found}
    assert pairs[CUT, BASE] is True
    assert not {(TWO, CUT), (CUT, TWO), (BASE, FULL), (FULL, BASE)} & pairs.keys()
    assert all(d.axes == ("win", "stp", "slt", "ddr") for d in found)


def test_the_reading_tells_the_story(paper):
    """Should say in sentences what the paper does."""
    words = reading(paper)
    assert words.startswith("All 5 designs are defensible.")
    assert f"{FULL} is formally stronger than {FREE} on every static score, yet does worse in play" in words
    assert "changes the shells of ranks 3 and 4 only; no menu changes, 80 positions leave safe play" in words
    assert "56 menus narrow" in words
    assert "not by itself mean a better design" in words


def test_the_text_shows_every_part(paper):
    """Should print reading, table, ΔF, shells, inversions, attribution, in this order."""
    text = comparison_text(paper, str(PAPER))
    parts = [
        "All 5 designs",
        "Fingerprints",
        "How the readings differ from",
        "Depth:",
        "Positions by the moves to a violation",
        "Stronger on paper",
        "Why the share of safe moves",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "intervals disjoint" in text


def test_it_is_plain_data(paper):
    """Should survive JSON."""
    data = json.loads(json.dumps(comparison_object(paper)))
    assert data["base"] == BASE
    assert data["deltas"][3]["channels"]["n_left"] == 80
    assert data["deltas"][0]["movements"]["ddr"]["absolute"] == pytest.approx(0.227 - 0.539)


# -- what is not defined ----------------------------------------------------------------------------


def pair(links=(("GW", "DB"),), defender=("G (DB != Z)",), adversary=(), **kwargs):
    game = network_game(["GW", "DB"], links, "GW")
    return configure(game, list(defender), list(adversary), **kwargs)


def test_an_indefensible_variant_has_no_latitude_to_compare():
    """Should leave SLT, DDR and the channels None, with the reason."""
    found = compare_subjects([subject("good", pair()), subject("lost", pair(defender=["G (GW = C)"]))])
    delta = found.delta("lost")
    assert delta.movements["slt"].absolute is None and delta.movements["slt"].relative is None
    assert delta.movements["ddr"].absolute is None
    assert delta.channels is None and "not defensible" in delta.channels_unknown
    assert found.spread is None
    assert not [d for d in found.dominances if "lost" in (d.over, d.under)]
    text = comparison_text(found, "x")
    assert "Not defensible: lost" in text and "lost (not defensible)" in text


def test_ranks_that_one_side_lacks():
    """Should align by rank, with no size past the last rank, and no percentage of nothing."""
    short, long = combined((5, 3), (5, 3, 2), 3, 3), combined((5, 3, 2), (5,), 2, 3)
    assert (short.size.before, short.size.after, short.size.absolute, short.size.relative) == (
        None,
        2,
        2,
        None,
    )
    assert (long.size.before, long.size.after, long.size.absolute, long.size.relative) == (5, None, -5, -1.0)


def test_movement_of_what_is_missing():
    """Should be None, never 0."""
    assert movement(None, 0.5).absolute is None
    assert movement(0.0, 0.0).relative is None


def test_without_learning_only_static_axes_are_compared():
    """Should drop DDR from table and order, and say nothing of burdens."""
    found = compare_subjects([subject("linked", pair()), subject("cut", pair(links=()))])
    assert found.inversions == () and found.spread is None
    assert [d.axes for d in found.dominances] == [("win", "stp", "slt")]
    assert "DDR" not in comparison_text(found, "x")


def test_without_learning_the_solved_operating_point_counts(subjects):
    """Should not call a design larger on every axis that DDR* puts below, and read DDR* in its sentence."""
    found = compare_subjects([replace(s, analysis=replace(s.analysis, ddr=None)) for s in subjects])
    pairs = {(d.over, d.under): d.axes for d in found.dominances}
    assert (TWO, CUT) not in pairs and pairs[CUT, BASE] == ("win", "stp", "slt", "ddr_exact")
    inverted = {(i.formal, i.operational) for i in found.full_inversions}
    assert inverted and not inverted & pairs.keys()
    assert "SLT by +2.0%, room by +2.5% and DDR* by +251.4%; changes the shells" in reading(found)


def test_overlapping_intervals_are_told():
    """Should mark an inversion that the seeds do not settle."""
    loose, strict = pair(), pair(defender=["G (DB not in {X, D, Z} & GW != Z)"])
    formal = with_ddr(subject("loose", loose), 0.8, 0.7, 0.9)
    held = with_ddr(subject("strict", strict), 0.9, 0.5, 1.0)
    found = compare_subjects([formal, held]).inversions
    assert {(i.formal, i.operational, i.disjoint) for i in found} == {("loose", "strict", False)}


def test_equal_designs_differ_in_nothing():
    """Should find no change, no inversion and no dominance."""
    found = compare_subjects([subject("one", pair()), subject("other", pair())])
    assert found.deltas[0].changed == ()
    assert found.deltas[0].ranks.n_changed == 0
    assert found.inversions == found.dominances == found.refinements == found.warnings == ()


# -- over different variables -----------------------------------------------------------------------


SYSTEM = """
holdfast: 1
name: S
game:
  variables: {{a: 0..{top}}}
  define: {{high: a >= {high}}}
  initial: {{a: 0}}
  first: adversary
  defender: {{wait: {{}}, down: [{{when: a > 0, set: {{a: a - 1}}}}]}}
  adversary: {{wait: {{}}, up: [{{when: a < 2, set: {{a: a + 1}}}}]}}
  dominance: {dominance}
  reset: {{when: a = 0, probability: {chance}, set: {{a: 1}}}}
specs: {{defender: [{spec}]}}
"""


def system(top, spec="G (a <= 1)", dominance="1 - a / 4", chance=0.1, high=2):
    text = SYSTEM.format(top=top, spec=spec, dominance=dominance, chance=chance, high=high)
    return configuration(scenario_from_text(text))


def written_out(good, bad, name=""):
    """A clause as states and edges, under a name or under none."""
    edges = (
        f"{{from: ok, to: ok, when: {good}}}, {{from: ok, to: viol, when: {bad}}}, {{from: viol, to: viol}}"
    )
    named = f"name: {name}, " if name else ""
    return f"{{{named}automaton: {{states: [ok, viol], initial: ok, accepting: [ok], edges: [{edges}]}}}}"


OK, LESS = ("a <= 1", "a > 1"), ("a <= 0", "a > 0")


@pytest.mark.parametrize(
    ("one", "other", "changed"),
    [
        ({}, {}, ()),
        ({}, {"spec": "G (a <= 2)"}, ("requirement",)),
        ({"spec": written_out(*OK)}, {"spec": written_out(*OK)}, ()),
        ({"spec": written_out(*OK)}, {"spec": written_out(*LESS)}, ("requirement",)),
        ({"spec": written_out(*OK, "low")}, {"spec": written_out(*LESS, "low")}, ("requirement",)),
        ({"spec": written_out(*OK, "low")}, {"spec": written_out(*OK, "near")}, ()),
        ({"spec": "{name: n, formula: G (a <= 1)}"}, {"spec": "{name: n, formula: G (a <= 0)}"},
         ("requirement",)),
        ({"spec": "G !high"}, {"spec": "G !high", "high": 1}, ("requirement",)),
        ({}, {"dominance": "a / 4"}, ("dominance",)),
        ({}, {"chance": 0.2}, ("reset",)),
    ],
)  # fmt: skip
def test_parts_over_different_variables_are_what_they_say(one, other, changed):
    """Should see a changed clause, μ or reset by its text, whatever the clause is called."""
    found = compare_subjects([subject("one", system(3, **one)), subject("other", system(4, **other))])
    assert found.deltas[0].changed == ("arena", *changed)
    warned = " ".join(found.warnings)
    assert ("cannot be compared with those of" in warned) == ("requirement" in changed)
    assert ("changes μ" in warned) == ("dominance" in changed)


def test_networks_of_different_size_keep_their_rules():
    """Should know the share of clean hosts, the reset and a count over all hosts again."""
    clauses = ["G (count(* in {Z}) <= 1)", "G (active >= 1)"]
    games = [network_game(hosts, [("GW", "DB")], "GW") for hosts in (["GW", "DB"], ["GW", "DB", "BK"])]
    small, large = (configure(game, clauses) for game in games)
    assert changed_parts(small, large) == ("arena",)
    less = configure(games[1], ["G (count(GW, DB in {Z}) <= 1)", clauses[1]])
    assert changed_parts(small, less) == ("arena", "requirement")


def test_tables_of_different_size_say_different_things():
    """Should not take two tables of μ for the same."""
    games = [from_arrays([[0]] * n, [[0]] * n, dominance=[1] * n) for n in (2, 3)]
    assert changed_parts(*(configure(game, ["G true"]) for game in games)) == ("arena", "dominance")


# -- what the sentences say -------------------------------------------------------------------------


def changed(given, **readings):
    return replace(given, analysis=replace(given.analysis, **readings))


def test_steepness_is_compared_at_one_depth_only():
    """Should warn where k_max differs, and where the shallowest shell is not the largest (sec:stp)."""
    one = changed(subject("one", pair()), shells=(5, 3))
    said = compare_subjects([one, changed(replace(one, label="same"), shells=(4, 4))]).warnings
    assert said == ()
    (said,) = compare_subjects([one, changed(replace(one, label="deep"), shells=(5, 3, 1))]).warnings
    assert said == "STP compares only designs of one depth k_max: one has 2, deep 3"
    (said,) = compare_subjects([one, changed(replace(one, label="late"), shells=(3, 5))]).warnings
    assert said.startswith("STP measures closeness") and said.endswith("which is not so in late")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ((0.555, 0.55, 0.56), (0.585, 0.58, 0.59),
         "dominance ranges from 0.555 (low) to 0.585 (high): low has 1.07 times the burden of high "
         "(0.445 against 0.415)."),
        ((0.5, 0.3, 0.6), (0.6, 0.4, 0.7), "(0.500 against 0.400), though their intervals overlap."),
        ((0.5, None, None), (0.6, None, None), "(0.500 against 0.400), with too few seeds for an interval."),
        ((0.5001, None, None), (0.5002, None, None), "from 0.5001 (low) to 0.5002 (high)"),
        ((0.5, 0.4, 0.6), (1.0, 1.0, 1.0), "low has a burden of 0.500, high 0.000."),
    ],
)  # fmt: skip
def test_the_burden_says_who_carries_it(low, high, said):
    """Should name the heavier burden first, and how sure that is."""
    one = subject("low", pair())
    words = reading(compare_subjects([with_ddr(one, *low), with_ddr(replace(one, label="high"), *high)]))
    assert said in words


def test_a_tie_has_no_range():
    """Should not run from a number to itself."""
    one = with_ddr(subject("one", pair()), 1.0, 1.0, 1.0)
    assert "After training, dominance" not in reading(compare_subjects([one, replace(one, label="other")]))


def test_an_inversion_shows_digits_that_differ():
    """Should not say that something is less than itself."""
    strong = changed(subject("strong", pair()), win=0.9, stp=0.9, slt=0.9, ddr_exact=solved(0.25196))
    weak = changed(subject("weak", pair()), win=0.1, stp=0.1, slt=0.1, ddr_exact=solved(0.25203))
    assert "yet does worse in play: DDR* 0.25196 against 0.25203." in reading(
        compare_subjects([strong, weak])
    )


def test_a_certificate_that_is_won_or_lost_is_said():
    """Should say so, and how far WIN moves from nothing."""
    good, lost = subject("good", pair()), subject("lost", pair(defender=["G (GW = C)"]))
    assert "lost (change of requirement) moves WIN by" in reading(compare_subjects([good, lost]))
    assert "; loses the certificate; " in reading(compare_subjects([good, lost]))
    assert "; gains the certificate; " in reading(compare_subjects([lost, good]))
    none = changed(replace(lost, label="none"), win=0.0)
    some = changed(replace(lost, label="some"), win=0.25)
    assert "some (no change) moves WIN by +0.2500;" in reading(compare_subjects([none, some]))


def test_one_is_not_many(paper):
    """Should say 1 menu widens, 1 position enters."""
    delta = paper.delta(CUT)
    single = replace(delta.channels, n_left=1, n_entered=1, n_narrowed=1, n_widened=2)
    words = reading(replace(paper, deltas=(replace(delta, channels=single),)))
    assert "1 menu narrows and 2 menus widen, 1 position leaves safe play and 1 position enters" in words


# -- the terminal -----------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_tables_keep_row_names_and_numbers_at_any_width(paper, columns, monkeypatch):
    """Should fold words and continue below, and never cut a number or a name short."""
    monkeypatch.setenv("COLUMNS", str(columns))
    base = paper.entries[0]
    deep = replace(
        base, label="deep", analysis=replace(base.analysis, shells=tuple(10_000 + k for k in range(9)))
    )
    text = comparison_text(replace(paper, entries=(deep, *paper.entries)), "x")
    lines = text.splitlines()
    assert max(map(len, lines)) <= columns
    first = next(i for i, line in enumerate(lines) if line.startswith("  Depth"))
    depth = lines[first : next(i for i, line in enumerate(lines) if line.startswith("  Positions by"))]
    tables = [line for line in depth if line.split()[:1] == ["design"]]
    named = [line.split()[1:] for line in depth if line.split()[:1] == ["deep"]]
    assert len(tables) == len(named) == len([line for line in depth if line.split()[:1] == [FREE]])
    assert [word for line in named for word in line][1:10] == [f"{n:,}" for n in deep.analysis.shells]
    assert "…" not in "".join(depth)


def test_analyses_alone_are_compared_as_far_as_they_go():
    """Should not guess at parts or positions."""
    one, other = subject("one", pair()), subject("other", pair(links=()))
    found = compare_subjects([replace(one, configuration=None), other])
    delta = found.deltas[0]
    assert delta.changed is delta.ranks is delta.channels is delta.same_memory is None
    assert "not both at hand" in delta.ranks_unknown
    assert delta.movements["win"].absolute is not None
    assert "what changed is not known" in comparison_text(found, "x")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (
            configure(network_game(["GW", "DB", "BK"], [("GW", "DB")], "GW"), ["G (DB != Z)"]),
            "different variables",
        ),
        (pair(defender=["G (DB != Z)", "G (GW != Z)"]), "different shapes"),
    ],
)
def test_positions_that_do_not_correspond(other, reason):
    """Should say why ranks and menus are not compared."""
    delta = compare_subjects([subject("one", pair()), subject("other", other)]).deltas[0]
    assert delta.ranks is delta.channels is None
    assert reason in delta.ranks_unknown and reason in delta.channels_unknown


def test_the_same_clauses_in_another_order_are_the_same_specification():
    """Should report no changed requirement, and not match states of one clause with the other's."""
    clauses = ["G (DB != Z)", "G (GW != D)"]
    found = compare_subjects(
        [subject("a", pair(defender=clauses)), subject("b", pair(defender=clauses[::-1]))]
    )
    assert found.deltas[0].changed == ()
    assert "another order" in found.deltas[0].ranks_unknown


def test_refinement_where_positions_do_not_correspond():
    """Should fall back to the certificate."""
    free, bound = pair(), pair(adversary=["G (times(destroy) <= 1)"])
    (check,) = compare_subjects([subject("free", free), subject("bound", bound)]).refinements
    assert (check.free, check.restricted, check.scope, check.holds) == ("free", "bound", "certificate", True)


def test_refinement_is_not_claimed_for_boundaries_that_cross():
    """Should stay silent where neither boundary lies inside the other."""
    one, other = pair(adversary=["G !destroy(DB)"]), pair(adversary=["G !destroy(GW)"])
    assert compare_subjects([subject("one", one), subject("other", other)]).refinements == ()


def test_tabulated_games():
    """Should compare games given as arrays, by their tables."""
    games = [
        from_arrays([[0], [1]], [[0, 1], [1, last]], dominance=[1, 0], labels={"bad": [False, True]})
        for last in (1, 0)
    ]
    found = compare_subjects([subject(str(i), configure(game, ["G true"])) for i, game in enumerate(games)])
    assert found.deltas[0].changed == ("arena",)
    assert found.deltas[0].ranks.n_changed == 0


def test_large_games_are_refused_with_the_reason():
    """Should not enumerate what does not fit."""
    hosts = [f"h{i}" for i in range(14)]
    chain = list(pairwise(hosts))
    games = [configure(network_game(hosts, links, "h0"), ["G (h13 != Z)"]) for links in (chain, chain[1:])]
    found = compare_subjects(
        [Subject(str(i), analyse(game, latitude=False), game) for i, game in enumerate(games)]
    )
    delta = found.deltas[0]
    assert delta.ranks is delta.channels is None
    assert "too many to list" in delta.ranks_unknown and "too many to list" in delta.channels_unknown
    assert "too many to list" in comparison_text(found, "x")


def test_impatience_leaves_positions_out():
    """Should keep what the analyses say when time is up."""

    def stop(doing):
        raise LimitError("stopped after 1 s")

    delta = compare_subjects(
        [subject("a", pair()), subject("b", pair(links=()))], budget=watched(stop)
    ).deltas[0]
    assert delta.ranks is None and "stopped after 1 s" in delta.ranks_unknown
    assert delta.shells


def test_given_solutions_are_used():
    """Should give the same with either engine's solution."""
    chosen = [pair(), pair(links=())]
    plain = compare_subjects([subject(str(i), c) for i, c in enumerate(chosen)])
    for engine in ("explicit", "symbolic"):
        given = [Subject(str(i), analyse(c), c, solve(c, engine)) for i, c in enumerate(chosen)]
        assert compare_subjects(given).deltas == plain.deltas


@pytest.mark.parametrize(
    ("labels", "base", "message"),
    [
        (["a"], None, "two designs"),
        (["a", "a"], None, 'called "a"'),
        (["alpha", "b"], "alpa", "did you mean"),
    ],
)
def test_what_cannot_be_compared_is_refused(labels, base, message):
    """Should say what is wrong and what to do."""
    one = subject("x", pair())
    with pytest.raises(InputError, match=message):
        compare_subjects([replace(one, label=label) for label in labels], base)


def test_names_cannot_steer_the_terminal():
    """Should make control characters in labels visible."""
    found = compare_subjects([subject("a\x1b[31m", pair()), subject("b\x07", pair(links=()))])
    text = comparison_text(found, "x\x1b")
    assert "\x1b" not in text and "\x07" not in text


def test_all_verdicts_come_before_readings_that_share_the_time(monkeypatch):
    """Should lose no verdict to a slow reading of an earlier design."""
    scenario, order, deadlines = read_scenario("scenarios/paper.yaml"), [], []

    def solved(chosen, *given):
        order.append(("solve", chosen.variant))
        return solve(chosen, *given)

    def read(solution, *given, budget, **options):
        order.append(("read", solution.configuration.variant))
        deadlines.append(budget.deadline)
        return iter_analysis(solution, *given, budget=Budget.lasting(0.0), **options)

    monkeypatch.setattr(designs, "solve", solved)
    monkeypatch.setattr(designs, "iter_analysis", read)
    names, budget = [FREE, FULL, CUT], Budget.lasting(3000.0)
    found = designs.compare({n: configuration(scenario, n) for n in names}, budget=budget)
    assert order == [("solve", name) for name in names] + [("read", name) for name in names]
    assert all(entry.analysis.undecided and entry.analysis.slt is None for entry in found.entries)
    assert [entry.analysis.winning > 0 for entry in found.entries] == [True] * 3
    # A seventh is kept for the comparison; each has what is left shared by those to come, and used up none.
    begun = budget.deadline - 3000
    assert [deadline - begun for deadline in deadlines] == pytest.approx([850, 1275, 2550], abs=150)


def test_a_verdict_that_is_undecided_leaves_the_others_known(monkeypatch):
    """Should tell which designs were decided before the limit."""
    scenario, told = read_scenario("scenarios/paper.yaml"), []

    def solved(chosen, *given):
        if chosen.variant == CUT:
            raise LimitError("the time ran out")
        return solve(chosen, *given)

    monkeypatch.setattr(designs, "solve", solved)
    asked = {name: (configuration(scenario, name), None) for name in (BASE, CUT)}
    with pytest.raises(LimitError) as stopped:
        designs.subjects_of(asked, Asked(), "auto", Budget(), decided=lambda known: told.append(dict(known)))
    assert stopped.value.known["verdicts"] == {BASE: True} == told[0]


def test_slow_readings_can_be_skipped():
    """Should compare without SLT, and without effort, tempo and grace."""
    bare = ["compare", "scenarios/paper.yaml", "-v", CUT, "--no-learning", "--json"]
    done = holdfast(*bare, "--no-latitude", "--no-response")
    assert done.returncode == 0
    for entry in json.loads(done.stdout)["entries"]:
        assert entry["slt"] is None and entry["effort"] is None and entry["win"] is not None


def test_end_to_end_with_training():
    """Should compare trained analyses that have settled, and warn where the protocols differ."""
    scenario, protocol = read_scenario(PAPER), Protocol(seeds=2)
    one, other = (configuration(scenario, v) for v in (None, CUT))
    found = compare_subjects(
        [
            Subject("base", analyse(one, protocol, learning=True, exact=True), one),
            Subject(CUT, analyse(other, replace(protocol, steps=900), learning=True, exact=True), other),
        ]
    )
    assert found.spread is not None
    assert found.delta(CUT).movements["ddr"].absolute is not None
    assert found.delta(CUT).movements["ddr_exact"].absolute is not None
    assert any("another protocol" in warning for warning in found.warnings)
    assert "DDR*" in comparison_text(found, "x")


# -- what may be ordered ----------------------------------------------------------------------------


def point(given, label, low, high):
    """The subject under another label, with DDR* between two ends."""
    value = low if low == high else None
    exact = solved(low, value=value, low=low, high=high)
    return replace(given, label=label, analysis=replace(given.analysis, ddr_exact=exact))


def standing(given, word):
    ddr = replace(given.analysis.ddr, standing=word, reason="it moved")
    return replace(given, analysis=replace(given.analysis, ddr=ddr))


def test_brackets_order_only_where_they_do_not_overlap(subjects):
    """Should find an inversion by DDR* where the ends are apart, and none where they overlap."""
    for ends, inverted in (((0.1, 0.2), True), ((0.1, 0.4), False), ((0.1, 0.3), False)):
        strong, weak = point(subjects[3], "strong", *ends), point(subjects[4], "weak", 0.3, 0.5)
        found = compare_subjects([strong, weak])
        exact = [i for i in found.full_inversions if i.point == "ddr_exact"]
        assert bool(exact) == inverted
        if inverted:
            assert exact[0].operational_gap == pytest.approx(0.1) and exact[0].disjoint is None
            assert "DDR* 0.200 against 0.300" in reading(found)
            assert "DDR* ranges from at most 0.200 (strong) to at least 0.300 (weak)" in reading(found)
        assert "0.1000 … 0." in comparison_text(found, "x")
        assert found.delta("weak").movements["ddr_exact"].absolute is None


def test_brackets_and_uniform_dominance(subjects):
    """Should call a design larger everywhere only where the ends leave no doubt."""
    for ends, above in (((0.5, 0.6), True), ((0.4, 0.6), True), ((0.39, 0.6), False)):
        over, under = point(subjects[4], "over", *ends), point(subjects[0], "under", 0.3, 0.4)
        pairs = {(d.over, d.under): d.axes for d in compare_subjects([over, under]).dominances}
        assert (("over", "under") in pairs) == above
        assert all(axes[-1] == "ddr_exact" for axes in pairs.values())


@pytest.mark.parametrize("word", ["unsettled", "contradicted"])
def test_what_has_not_settled_orders_nothing(subjects, word):
    """Should keep the number and its word, and use it for no order, headline, burden or change."""
    doubted = [standing(one, word) for one in subjects]
    for found in (compare_subjects(doubted), compare_subjects([without_exact(one) for one in doubted])):
        assert not [i for i in found.inversions if i.point == "ddr"]
        assert found.spread is None and not found.disagreements
        assert all(d.movements["ddr"].absolute is None for d in found.deltas)
        assert all("ddr" not in d.axes for d in found.dominances)
        assert "After training, dominance" not in reading(found)
        assert f"DDR of {FULL} is {word} and ranks nothing: it moved" in found.warnings
        text = comparison_text(found, "x")
        assert "0.2270" in text and word in text and "1−DDR" not in text
        row = found.entry(FULL).columns()
        assert (row["ddr"], row["ddr_standing"], row["burden"]) == (0.227, word, None)


def test_one_that_has_not_settled_leaves_the_others_in_order(subjects):
    """Should leave out the pairs of the one, and no other."""
    found = compare_subjects([standing(subjects[1], "unsettled"), *subjects[2:], subjects[0]], BASE)
    pairs = {(i.formal, i.operational) for i in found.full_inversions if i.point == "ddr"}
    assert pairs == {(TWO, CUT)}
    assert FULL not in (found.spread.heaviest, found.spread.lightest)


def test_perfect_play_and_training_may_disagree(subjects):
    """Should name the pairs that training orders and perfect play does not, equal ones too."""
    found = compare_subjects(subjects)
    assert [(d.above, d.below, d.perfect_gap) for d in found.disagreements] == [(BASE, FREE, 0.0)]
    assert f"Training puts {BASE} above {FREE}; perfect play does not" in reading(found)
    assert "DDR* equal" in comparison_text(found, "x")
    over, under = point(subjects[4], "over", 0.1, 0.2), point(subjects[0], "under", 0.3, 0.4)
    (pair_,) = compare_subjects([over, under]).disagreements
    assert (pair_.above, pair_.below, round(pair_.perfect_gap, 9)) == ("over", "under", 0.1)
    over = point(subjects[4], "over", 0.1, 0.35)
    assert not compare_subjects([over, under]).disagreements


def test_designs_that_perfect_play_cannot_tell_apart(subjects):
    """Should say that they hold the same."""
    same = [point(one, one.label, 0.9285, 0.9285) for one in subjects]
    assert "Under perfect play the designs are equal: DDR* 0.9285." in reading(compare_subjects(same))
