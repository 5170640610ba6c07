"""The relational reading: the paper's story on its five cases, and what must stay undefined."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from holdfast.analysis import analyse
from holdfast.compare import Subject, combined, compare, movement, to_object
from holdfast.engines import solve
from holdfast.errors import InputError, LimitError
from holdfast.game import from_arrays
from holdfast.learn.protocol import Protocol
from holdfast.models.network import network_game
from holdfast.product import configure
from holdfast.report.comparison import comparison_text, reading
from holdfast.scenario.load import configuration, read_scenario

ROOT = Path(__file__).parent.parent
PAPER = ROOT / "scenarios" / "paper.yaml"
GOLDEN = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]
BASE, FULL, FREE, TWO, CUT = (case["variant"] for case in GOLDEN.values())


def subject(label, chosen, **kwargs):
    return Subject(label, analyse(chosen, **kwargs), chosen)


def with_ddr(given, mean, low, high):
    ddr = {"mean": mean, "low": low, "high": high, "per_seed": [mean], "seeds": [1]}
    return replace(given, analysis=replace(given.analysis, ddr=ddr))


@pytest.fixture(scope="module")
def subjects():
    """The five cases with the published means and intervals of DDR."""
    scenario = read_scenario(PAPER)
    return [
        with_ddr(
            subject(case["variant"], configuration(scenario, case["variant"]), exact=True),
            case["ddr"],
            *case["ddr_interval"],
        )
        for case in GOLDEN.values()
    ]


@pytest.fixture(scope="module")
def paper(subjects):
    return compare(subjects)


# -- the paper's story ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDEN.values(), ids=lambda case: case["variant"])
def test_the_table_is_the_papers(paper, case):
    """Should repeat tab:results."""
    row = paper.entry(case["variant"])
    assert (round(row.win, 4), round(row.stp, 4), round(row.slt, 4)) == (
        case["win"],
        case["stp"],
        case["slt"],
    )
    assert [row.ddr, row.ddr_low, row.ddr_high] == [case["ddr"], *case["ddr_interval"]]
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
    """Should remove 33 % of shell 1 and 80 % of the ranks 3 and 4 together."""
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
            row = paper.entry(label)
            assert margin == [*row.shells, row.winning]


def test_slt_channels_are_the_papers(paper):
    """Should see 80 positions leave and no menu change in case 5, and 56 menus narrow in case 2."""
    cut, full = paper.delta(CUT).channels, paper.delta(FULL).channels
    assert (cut.n_changed, cut.n_left, cut.n_entered) == (0, 80, 0)
    assert cut.by_menus == 0.0
    assert cut.latitude_left < paper.entry(BASE).slt
    assert (full.n_narrowed, full.n_widened, full.n_exchanged) == (56, 0, 0)


def test_the_two_channels_add_up(paper):
    """Should split ΔSLT without a remainder, over domains as large as the analyses say."""
    for delta in paper.deltas:
        c, slt = delta.channels, delta.movements["slt"]
        assert c.by_menus + c.by_domain == pytest.approx(slt.absolute, abs=1e-12)


def test_domains_are_those_of_the_analyses(paper, subjects):
    """Should match exactly R ∩ V_D, resets left out."""
    sizes = {s.label: s.analysis.reachable["defender"] for s in subjects}
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
    """Should cost 13.5 % of the winning region (sec:demo-pricing)."""
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
    turned = compare(subjects, CUT)
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
    assert all(d.axes == ("win", "stp", "slt", "ddr") for d in paper.dominances)


def test_the_reading_tells_the_story(paper):
    """Should say in sentences what the paper does."""
    words = reading(paper)
    assert words.startswith("All 5 designs are defensible.")
    assert f"{FULL} is formally stronger than {FREE} on every static axis, yet holds less" in words
    assert "changes the shells of ranks 3 and 4 only; no menu changes, 80 positions leave safe play" in words
    assert "56 menus narrow" in words
    assert "not by itself a better design" in words


def test_the_text_shows_every_part(paper):
    """Should print reading, table, ΔF, shells, inversions, attribution, in this order."""
    text = comparison_text(paper, str(PAPER))
    parts = [
        "All 5 designs",
        "Fingerprints",
        "ΔF against",
        "Depth:",
        "by rank",
        "Inversions:",
        "What moved SLT",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "intervals disjoint" in text


def test_it_is_plain_data(paper):
    """Should survive JSON."""
    data = json.loads(json.dumps(to_object(paper)))
    assert data["base"] == BASE
    assert data["deltas"][3]["channels"]["n_left"] == 80
    assert data["deltas"][0]["movements"]["ddr"]["absolute"] == pytest.approx(0.227 - 0.539)


# -- what is not defined ----------------------------------------------------------------------------


def pair(links=(("GW", "DB"),), defender=("G (DB != Z)",), adversary=(), **kwargs):
    game = network_game(["GW", "DB"], links, "GW")
    return configure(game, list(defender), list(adversary), **kwargs)


def test_an_indefensible_variant_has_no_latitude_to_compare():
    """Should leave SLT, DDR and the channels None, with the reason."""
    found = compare([subject("good", pair()), subject("lost", pair(defender=["G (GW = C)"]))])
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
    found = compare([subject("linked", pair()), subject("cut", pair(links=()))])
    assert found.inversions == () and found.spread is None
    assert all(d.axes == ("win", "stp", "slt") for d in found.dominances)
    assert "DDR" not in comparison_text(found, "x").replace("WIN, STP, SLT, DDR", "")


def test_overlapping_intervals_are_told():
    """Should mark an inversion that the seeds do not settle."""
    loose, strict = pair(), pair(defender=["G (DB not in {X, D, Z} & GW != Z)"])
    formal = with_ddr(subject("loose", loose), 0.8, 0.7, 0.9)
    held = with_ddr(subject("strict", strict), 0.9, 0.5, 1.0)
    found = compare([formal, held]).inversions
    assert {(i.formal, i.operational, i.disjoint) for i in found} == {("loose", "strict", False)}


def test_equal_designs_differ_in_nothing():
    """Should find no change, no inversion and no dominance."""
    found = compare([subject("one", pair()), subject("other", pair())])
    assert found.deltas[0].changed == ()
    assert found.deltas[0].ranks.n_changed == 0
    assert found.inversions == found.dominances == found.refinements == found.warnings == ()


def test_analyses_alone_are_compared_as_far_as_they_go():
    """Should not guess at parts or positions."""
    one, other = subject("one", pair()), subject("other", pair(links=()))
    found = compare([replace(one, configuration=None), other])
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
    delta = compare([subject("one", pair()), subject("other", other)]).deltas[0]
    assert delta.ranks is delta.channels is None
    assert reason in delta.ranks_unknown and reason in delta.channels_unknown


def test_the_same_clauses_in_another_order_are_the_same_specification():
    """Should report no changed requirement, and not match states of one clause with the other's."""
    clauses = ["G (DB != Z)", "G (GW != D)"]
    found = compare([subject("a", pair(defender=clauses)), subject("b", pair(defender=clauses[::-1]))])
    assert found.deltas[0].changed == ()
    assert "another order" in found.deltas[0].ranks_unknown


def test_refinement_where_positions_do_not_correspond():
    """Should fall back to the certificate."""
    free, bound = pair(), pair(adversary=["G (times(destroy) <= 1)"])
    (check,) = compare([subject("free", free), subject("bound", bound)]).refinements
    assert (check.free, check.restricted, check.scope, check.holds) == ("free", "bound", "certificate", True)


def test_refinement_is_not_claimed_for_boundaries_that_cross():
    """Should stay silent where neither boundary lies inside the other."""
    one, other = pair(adversary=["G !destroy(DB)"]), pair(adversary=["G !destroy(GW)"])
    assert compare([subject("one", one), subject("other", other)]).refinements == ()


def test_tabulated_games():
    """Should compare games given as arrays, by their tables."""
    games = [
        from_arrays([[0], [1]], [[0, 1], [1, last]], dominance=[1, 0], labels={"bad": [False, True]})
        for last in (1, 0)
    ]
    found = compare([subject(str(i), configure(game, ["G true"])) for i, game in enumerate(games)])
    assert found.deltas[0].changed == ("arena",)
    assert found.deltas[0].ranks.n_changed == 0


def test_large_games_are_refused_with_the_reason():
    """Should not enumerate what does not fit."""
    hosts = [f"h{i}" for i in range(14)]
    chain = list(pairwise(hosts))
    games = [configure(network_game(hosts, links, "h0"), ["G (h13 != Z)"]) for links in (chain, chain[1:])]
    found = compare([Subject(str(i), analyse(game, latitude=False), game) for i, game in enumerate(games)])
    delta = found.deltas[0]
    assert delta.ranks is delta.channels is None
    assert "too many to list" in delta.ranks_unknown and "too many to list" in delta.channels_unknown
    assert "too many to list" in comparison_text(found, "x")


def test_impatience_leaves_positions_out():
    """Should keep what the analyses say when time is up."""

    def stop(doing):
        if "row" in doing:
            raise LimitError("stopped after 1 s")

    delta = compare([subject("a", pair()), subject("b", pair(links=()))], progress=stop).deltas[0]
    assert delta.ranks is None and "stopped after 1 s" in delta.ranks_unknown
    assert delta.shells


def test_given_solutions_are_used():
    """Should give the same with either engine's solution."""
    chosen = [pair(), pair(links=())]
    plain = compare([subject(str(i), c) for i, c in enumerate(chosen)])
    for engine in ("explicit", "symbolic"):
        given = [Subject(str(i), analyse(c), solution=solve(c, engine)) for i, c in enumerate(chosen)]
        assert compare(given).deltas == plain.deltas


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
        compare([replace(one, label=label) for label in labels], base)


def test_names_cannot_steer_the_terminal():
    """Should make control characters in labels visible."""
    found = compare([subject("a\x1b[31m", pair()), subject("b\x07", pair(links=()))])
    text = comparison_text(found, "x\x1b")
    assert "\x1b" not in text and "\x07" not in text


def test_end_to_end_with_short_training():
    """Should compare trained analyses, and warn where the protocols differ."""
    scenario, protocol = read_scenario(PAPER), Protocol(episodes=30, window=10, steps=100, seeds=2)
    one, other = (configuration(scenario, v) for v in (None, CUT))
    found = compare(
        [
            Subject("base", analyse(one, protocol, learning=True, exact=True), one),
            Subject(CUT, analyse(other, replace(protocol, steps=50), learning=True, exact=True), other),
        ]
    )
    assert found.spread is not None
    assert found.delta(CUT).movements["ddr"].absolute is not None
    assert found.delta(CUT).movements["ddr_exact"].absolute is not None
    assert any("another protocol" in warning for warning in found.warnings)
    assert "DDR*" in comparison_text(found, "x")
