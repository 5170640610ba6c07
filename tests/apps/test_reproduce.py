"""The paper reproduced: what agrees and what does not is told apart, and files are handled with care."""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest
from matplotlib.patches import Circle
from typer.testing import CliRunner

import holdfast.apps.reproduce.reproducing as package
from budgets import watched
from holdfast.apps.cli import app
from holdfast.apps.reproduce import corpus, exhibits, folder, outcome
from holdfast.apps.reproduce.claims import paper_resource, published
from holdfast.apps.reproduce.evidence import gather, printed_readings
from holdfast.apps.reproduce.gallery import STEMS, drawings
from holdfast.apps.reproduce.quantities import DERIVED, QUANTITIES, crossing_episode, early_peak
from holdfast.apps.reproduce.reproducing import Reproduction, reproduce, reproduction_object
from holdfast.apps.reproduce.rounding import agrees, printed_number, rounded
from holdfast.apps.reproduce.verdicts import Status, Summary, assess, summary
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError
from holdfast.models.network.game import network_game
from holdfast.models.network.segment import Segment
from holdfast.operation.training.trajectory import crossing
from holdfast.report.renderers.markdown import markdown_table
from holdfast.running.files import prepare
from holdfast.running.tasks import Backend
from holdfast.solver.engines import solve
from paths import ROOT
from variations import with_game

GOLDEN = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]


@pytest.fixture(scope="module")
def quick():
    return reproduce(quick=True)


@pytest.fixture(scope="module")
def whole(quick):
    """The paper in full, five cases with ten seeds each: about fifteen seconds of one core."""
    evidence = gather(quick.paper, corpus=quick.evidence.corpus)
    return Reproduction(quick.paper, evidence, assess(quick.paper, evidence), quick=False, seconds=0.0)


def line_of(lines, what, printed=None):
    return next(line for line in lines if line.claim.what == what and printed in (None, line.claim.printed))


def changed(paper, what, **changes):
    """The published numbers with one of them other than it is."""
    claims = tuple(replace(f, **changes) if f.what == what else f for f in paper.claims)
    return replace(paper, claims=claims)


# -- printed numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "digits", "scale"),
    [
        ("0.4746", Fraction(4746, 10_000), 4, 1),
        ("150,000", 150_000, 0, 1),
        ("15.82%", Fraction(1582, 100), 2, 100),
        ("-57.9%", Fraction(-579, 10), 1, 100),
        ("+2.0%", 2, 1, 100),
        ("58.0 points", 58, 1, 100),
        ("4", 4, 0, 1),
    ],
)
def test_a_printed_number_is_taken_apart(text, value, digits, scale):
    """Should keep the digits that are printed, trailing zeros too."""
    printed = printed_number(text)
    assert (printed.value, printed.digits, printed.scale, printed.text) == (value, digits, scale, text)


@pytest.mark.parametrize("text", ["disjoint", "1/3", "Case 2", "12,34", "", "1.", "--1", "0.5 %"])
def test_other_texts_are_not_numbers(text):
    """Should be compared as outcome."""
    assert printed_number(text) is None


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        (0.47455, "0.4746", True),
        (0.47465, "0.4746", True),  # half-way: both neighbours are correct roundings
        (0.474651, "0.4746", False),
        (0.474549, "0.4746", False),
        (Fraction(55, 10_000), "0.006", True),
        (Fraction(55, 10_000), "0.005", True),
        (-0.0155, "-1.6%", True),
        (-0.0165, "-1.6%", True),
        (-0.01651, "-1.6%", False),
        (0.016, "-1.6%", False),
        (0.5804339, "58.0 points", True),
        (149_999, "150,000", False),
        (4.0097, "4.00", False),
        (4.0097, "4", True),
        (0.1 + 0.2, "0.3", True),
    ],
)
def test_agreement_is_being_a_correct_rounding(value, text, expected):
    """Should accept what lies within half a unit of the last printed place, and nothing else."""
    assert agrees(value, printed_number(text)) is expected


def test_agreement_is_decimal_rounding_on_random_numbers():
    """Should say of every printed number what formatting says, away from ties."""
    random = Random(7)
    for _ in range(500):
        digits, value = random.randrange(5), random.uniform(-3, 3)
        text = f"{value:.{digits}f}"
        other = f"{value + random.choice([-1, 1]) * 1.01 * 10**-digits:.{digits}f}"
        assert agrees(value, printed_number(text))
        assert rounded(value, printed_number(text)) == text
        assert not agrees(value, printed_number(other))
        # A number that rounds to zero has lost its sign.
        assert rounded(value, printed_number(other)) == (text if float(text) else text.lstrip("-"))


def test_beside_a_bound_one_digit_more_tells_the_side():
    """Should not show the bound itself for a number close to it."""
    assert rounded(0.4984, printed_number("50%")) == "50%"
    assert rounded(0.4984, printed_number("50%"), extra=1) == "49.8%"
    assert rounded(0.50001, printed_number("50%"), extra=1) == "50.0%"


def test_ours_is_written_as_the_paper_writes():
    """Should keep sign, separators, decimals and unit."""
    assert rounded(0.498395, printed_number("+49.7%")) == "+49.8%"
    assert rounded(-0.117533, printed_number("-11.9%")) == "-11.8%"
    assert rounded(12_345.4, printed_number("99,999")) == "12,345"
    assert rounded(0.2486501, printed_number("24.8 points")) == "24.9 points"
    assert rounded(0.005, printed_number("0.006")) == "0.005"


# -- the published numbers --------------------------------------------------------------------------


def test_published_numbers_are_the_golden_ones():
    """Should not have been copied wrongly: two files, made apart, say the same."""
    cases = printed_readings(published())
    assert [published().cases[n].variant for n in cases] == [
        "base", *(case["variant"] for number, case in GOLDEN.items() if number != "1")
    ]  # fmt: skip
    for number, golden in GOLDEN.items():
        case = cases[int(number)]
        shells = [case[f"shell_{k}"] for k in range(1, 5)]
        positions, unsafe = case["winning"] + case["attractor"], case["attractor"] - sum(shells)
        assert (positions, unsafe, case["winning"]) == (
            golden["positions"], golden["unsafe"], golden["winning"],
        )  # fmt: skip
        assert shells == golden["shells"]
        readings = [case[name] for name in ("win", "stp", "slt", "ddr", "ddr_low", "ddr_high")]
        stated = [golden["win"], golden["stp"], golden["slt"], golden["ddr"], *golden["ddr_interval"]]
        assert [float(x) for x in readings] == stated


@pytest.mark.parametrize("number", GOLDEN, ids=[case["variant"] for case in GOLDEN.values()])
def test_published_dominance(whole, number):
    """Should give DDR, its interval, and the seeds' means to the last printed digit."""
    golden, ddr = GOLDEN[number], whole.evidence.analyses[int(number)].ddr
    assert [round(100 * x, 6) for x in ddr.per_seed[:3]] == golden["ddr_percent_seed_1_2_3"]
    assert [round(x, 3) for x in (ddr.mean, ddr.low, ddr.high)] == [golden["ddr"], *golden["ddr_interval"]]
    assert list(ddr.seeds) == list(range(1, 11))


@pytest.mark.parametrize("number", GOLDEN, ids=[case["variant"] for case in GOLDEN.values()])
def test_the_published_runs_have_settled(whole, number):
    """Should accuse none of the five readings, neither by its runs nor by perfect play."""
    ddr = whole.evidence.analyses[int(number)].ddr
    assert (ddr.standing, ddr.reason) == ("settled", "")
    assert ddr.settling.fresh < 0.001 and abs(ddr.settling.drift) < 0.005


def test_trajectories_of_the_paper(whole):
    """Should start highest without a destroy budget and fall below the reference for good (sec:demo-trajectory).

    The curves cross at episode 1,769, as the paper says, whichever of these is its smoothing; in the end the
    cases have the order of tab:results.
    """
    means = whole.evidence.means
    assert [crossing(means[3], means[1], n) for n in (20, 25, 30)] == [1769] * 3
    early = {case: curve[:100].mean() for case, curve in means.items()}
    settled = {case: curve[-200:].mean() for case, curve in means.items()}
    assert max(early, key=early.get) == 3
    assert sorted(settled, key=settled.get) == [2, 3, 1, 4, 5]


def test_the_scenario_in_the_package_is_the_one_in_the_repository():
    """Should be the same file, byte for byte."""
    assert (ROOT / "scenarios" / "paper.yaml").read_text("utf-8") == paper_resource("paper.yaml")


def test_every_quantity_is_published_and_every_published_one_known():
    """Should have no dead code and no number without a computation."""
    assert {figure.quantity for figure in published().claims} == set(QUANTITIES)
    assert len({(f.where, f.what, f.printed) for f in published().claims}) == len(published().claims)
    assert all(figure.where and figure.what for figure in published().claims)


# -- verdicts ---------------------------------------------------------------------------------------


def test_everything_static_agrees(quick):
    """Should reproduce every number that needs no training; the others are marked as not run."""
    assert quick.summary.reproduced
    assert quick.summary.counts == {
        Status.AGREES: 144,
        Status.GIVEN: 18,
        Status.FROM_PRINTED: 2,
        Status.DECLARED: 2,
        Status.KNOWN: 0,
        Status.DIFFERS: 0,
        Status.NOT_RUN: 54,
    }
    assert quick.summary.n_compared == 146
    assert quick.summary.n_table == quick.summary.n_table_agreeing == 79
    learned = {
        "burden", "burden_ratio", "crossing_episode", "crossing_share", "early_peak", "highest_at_first",
        "highest_settled", "intervals", "lowest_throughout",
    }  # fmt: skip
    for line in quick.assessments:
        of = line.claim.arguments.get("of", "")
        needs = line.claim.quantity in learned or "ddr" in of
        assert (line.status is Status.NOT_RUN) == needs, line.claim.what


def test_the_whole_paper_and_what_does_not_simply_agree(whole):
    """Should tell the paper's early rounding and its two slips from agreement, by name, and leave nothing out."""
    lines = whole.assessments
    found = {s: [line.claim.what for line in lines if line.status is s] for s in Status}
    assert found[Status.DIFFERS] == found[Status.NOT_RUN] == []
    assert found[Status.KNOWN] == [
        "relative movement of DDR in Cases 2 and 5, the smaller of the two",
        "ratio of the two holding burdens",
    ]
    assert sorted(found[Status.FROM_PRINTED]) == [
        "DDR of Case 3 less that of Case 2",
        "mean absolute relative movement of WIN in Cases 2 and 5",
        "mean movement per static axis in Cases 2 and 5, the least",
        "movement of DDR in Case 3",
        "movement of DDR in Case 5",
        "what Case 3 costs of DDR",
    ]
    assert found[Status.DECLARED] == [
        "Spearman's correlation of WIN and edge density",
        "Spearman's correlation of SLT and edge density",
    ]
    assert len(found[Status.GIVEN]) == 18 and len(found[Status.AGREES]) == 192
    assert whole.summary.n_table == whole.summary.n_table_agreeing == 94
    slip = line_of(lines, "ratio of the two holding burdens")
    assert (slip.rounded, slip.rounded_from_printed) == ("4.01", "4.01")
    assert slip.difference == pytest.approx(0.0097, abs=1e-4)
    half = line_of(lines, "relative movement of DDR in Cases 2 and 5, the smaller of the two")
    assert (half.claim.printed, half.rounded, half.rounded_from_printed) == (
        "more than half", "49.8%", "49.7%",
    )  # fmt: skip
    bypass = line_of(lines, "movement of DDR in Case 5")
    assert (bypass.rounded, bypass.rounded_from_printed, bypass.claim.printed) == (
        "+49.8%", "+49.7%", "+49.7%",
    )  # fmt: skip
    ddr = {case: found["ddr"] for case, found in whole.evidence.readings.items()}
    assert bypass.difference == pytest.approx(100 * (ddr[5] / ddr[1] - 1) - 49.7)


@pytest.mark.parametrize(
    ("what", "printed"),
    [
        ("the episode, counted from 0, from which Case 3 stays below the reference", "1,770"),
        ("the highest mean of μ over the first hundred episodes", "Case 4"),
        ("the highest point of Case 3 in the first hundred episodes, smoothed", "77%"),
        ("the case whose smoothed curve is below every other throughout", "Case 1"),
        ("the cases that settle highest", "Cases 1 and 5"),
        ("the DDR intervals of Cases 4 and 5", "overlapping"),
        ("window N_rep, in final episodes", "100"),
    ],
)
def test_statements_on_training_and_settings_can_differ(whole, what, printed):
    """Should notice another episode, case, peak or setting."""
    line = line_of(assess(changed(whole.paper, what, printed=printed), whole.evidence), what)
    assert line.status is Status.DIFFERS


def test_no_curve_below_every_other_throughout_where_two_cross(whole):
    """Should name a case only if its smoothed curve is below the others in every single episode."""
    means = dict(whole.evidence.means)
    means[2] = np.concatenate([means[2][:1500], means[4][1500:]])
    assert QUANTITIES["lowest_throughout"](replace(whole.evidence, means=means)) == "none"


def test_a_wrong_number_of_a_table_differs(whole):
    """Should give numbers of a table no second chance through the printed inputs, which they are."""
    paper = changed(whole.paper, "DDR of Case 5", printed="0.808")
    lines = assess(paper, whole.evidence)
    assert line_of(lines, "DDR of Case 5", "0.808").status is Status.DIFFERS
    assert not summary(lines).reproduced
    assert "reading" not in {quantity.__name__ for quantity in DERIVED}


def test_a_declared_slip_hides_nothing_else(whole):
    """Should differ when neither the printed number nor the one on record comes out."""
    ours = whole.evidence.readings
    readings = {**ours, 2: {**ours[2], "ddr": 0.2275}}
    line = line_of(
        assess(whole.paper, replace(whole.evidence, readings=readings)), "ratio of the two holding burdens"
    )
    assert line.rounded == "4.01" and line.status is Status.KNOWN
    readings[2] = {**ours[2], "ddr": 0.2215}
    line = line_of(
        assess(whole.paper, replace(whole.evidence, readings=readings)), "ratio of the two holding burdens"
    )
    assert line.rounded == "4.04" and line.status is Status.DIFFERS
    assert "4.01" in line.reason


@pytest.mark.parametrize(
    ("what", "printed"),
    [
        ("the largest relative movement of a static reading in Cases 2 and 5", "2.6%"),
        ("the ranks whose shell changes in Case 5", "2, 3, 4"),
        ("row 5, after Destroy(WS)", "X C Z I C def q0 safe q0"),
        ("the ranks whose shell changes in Case 5", "3, 4, 5"),
        ("|Attr_3|", "125,887"),
    ],
)
def test_bounds_words_and_counts_can_differ_too(quick, what, printed):
    """Should notice another bound, another text, another count by one."""
    line = line_of(assess(changed(quick.paper, what, printed=printed), quick.evidence), what)
    assert line.status is Status.DIFFERS


def test_a_number_in_words_is_compared_in_digits(quick):
    """Should show the words and compare the number they stand for."""
    what = "defender positions that leave the domain in Case 5"
    line = line_of(quick.assessments, what)
    assert (line.status, line.rounded, exhibits.published_text(line)) == (Status.AGREES, "80", "“eighty”")
    other = changed(quick.paper, what, printed="eighty-one", numeral="81")
    assert line_of(assess(other, quick.evidence), what).status is Status.DIFFERS


def test_the_automata_of_the_paper_come_out_of_its_formulas(quick):
    """Should compile to the states that the paper counts, and be drawn under the labels of its figures."""
    found = {
        a.claim.what: (a.ours, a.status)
        for a in quick.assessments
        if a.claim.quantity in ("automaton_states", "accepting_states")
    }
    assert found == {
        "states of A_D^(1), which counts the bad assets": (3, Status.GIVEN),
        "states of A_D^(2), compiled from its formula": (2, Status.AGREES),
        "states of A_A, compiled from its formula": (4, Status.AGREES),
        "accepting states of A_A, compiled from its formula": ("q0, q1, q2", Status.AGREES),
    }
    pictures = {d.label: d.draw() for d in drawings(quick.paper, quick.evidence) if "dfa" in d.label}
    circles = {label: len(figure.findobj(Circle)) for label, figure in pictures.items()}
    # Five states with three double circles among them, and four with three.
    assert circles == {"fig:dfa-defender": 5 + 3, "fig:dfa-attacker": 4 + 3}


def test_movements_of_sec_demo_operation_from_printed_inputs():
    """Should give, from the rounded readings, every derived number of the paper but its slip."""
    inputs = printed_readings(published())
    for figure in published().claims:
        quantity = QUANTITIES[figure.quantity]
        if quantity not in DERIVED or figure.relation != "is":
            continue
        value = quantity(inputs, **figure.arguments)
        assert agrees(value, printed_number(figure.stated)) != bool(figure.known), figure.what


def test_the_crossing_is_counted_from_0(quick):
    """Should name the first episode from which one smoothed curve stays below another."""
    falling = np.concatenate([np.full(50, 0.9), np.full(150, 0.1)])
    level = np.full(200, 0.5)
    found = replace(quick.evidence, means={3: falling, 1: level})
    smooth = [math.fsum(falling[max(0, e - 24) : e + 1]) / min(25, e + 1) for e in range(200)]
    below = next(e for e in range(200) if all(value < 0.5 for value in smooth[e:]))
    assert crossing_episode(found, [3, 1]) == below == 62
    assert crossing_episode(found, [1, 3]) is None
    assert early_peak(found, 3) == pytest.approx(0.9)


# -- the corpus -------------------------------------------------------------------------------------

HOSTS = ("GW", "Web", "WS", "DB", "BK")


def literal_ranks(values):
    return [(sum(v < value for v in values) + 1 + sum(v <= value for v in values)) / 2 for value in values]


def literal_spearman(one, other):
    a, b = literal_ranks(one), literal_ranks(other)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    spread = math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))
    return covariance / spread


def test_spearman_with_ties():
    """Should be Pearson's correlation of mean ranks, as written out."""
    random = Random(3)
    for _ in range(60):
        size = random.randrange(5, 40)
        one = [random.randrange(6) / 5 for _ in range(size)]
        other = [x + random.randrange(4) for x in one]
        if len(set(one)) == 1 or len(set(other)) == 1:
            continue
        assert corpus.mean_ranks(one).tolist() == literal_ranks(one)
        rho = corpus.correlation(one, other).rho
        assert rho == pytest.approx(literal_spearman(one, other), abs=1e-12)


def test_the_interval_of_a_correlation():
    """Should be symmetric on Fisher's scale and end at a perfect one."""
    found = corpus.correlation([1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 3, 5, 4, 6, 8, 7])
    assert math.atanh(found.rho) == pytest.approx((math.atanh(found.low) + math.atanh(found.high)) / 2)
    half = 1.959964 * math.sqrt((1 + found.rho**2 / 2) / 5)
    assert math.atanh(found.high) - math.atanh(found.rho) == pytest.approx(half, abs=1e-6)
    assert corpus.correlation([1, 2, 3, 4], [4, 3, 2, 1]) == corpus.Correlation(-1, -1, -1)


def uniform_arenas(hosts, random):
    """Other arenas than the corpus has: a number of links, equally likely from 1 to all, then that many."""
    pairs = list(permutations(hosts, 2))
    for _ in range(corpus.SIZE):
        n_links = 1 + int(random.random() * len(pairs))
        keys = [random.random() for _ in pairs]
        chosen = sorted(range(len(pairs)), key=keys.__getitem__)[:n_links]
        yield tuple(pairs[i] for i in sorted(chosen))


@pytest.mark.parametrize(
    ("draw", "digest"),
    [(corpus.random_arenas, "4899b01b660c86eb"), (uniform_arenas, "150dbfb9cf17d6fa")],
    ids=["independent", "uniform"],
)
def test_the_generators_always_draw_the_same(draw, digest):
    """Should give 90 arenas without self-links, the same ones everywhere."""
    arenas = list(draw(HOSTS, Random(corpus.SEED)))
    assert arenas == list(draw(HOSTS, Random(corpus.SEED)))
    assert len(arenas) == 90
    assert all(len(set(links)) == len(links) and all(a != b for a, b in links) for links in arenas)
    text = "\n".join(" ".join(f"{a}>{b}" for a, b in links) for links in arenas)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


def test_densities_of_the_generators():
    """Should rise in steps of 0.1 where links are independent, and be spread evenly where they are uniform."""
    arenas = [len(links) / 20 for links in corpus.random_arenas(HOSTS, Random(5))]
    means = [sum(arenas[10 * k : 10 * k + 10]) / 10 for k in range(9)]
    assert means == pytest.approx([k / 10 for k in range(1, 10)], abs=0.12)
    counts = [len(links) for links in uniform_arenas(HOSTS, Random(5))]
    assert 1 <= min(counts) <= 3 and 18 <= max(counts) <= 20


def test_arenas_read_by_processes_and_from_a_log_are_the_same(quick, monkeypatch, tmp_path):
    """Should equal the same arenas read one after the other, to the last bit."""
    monkeypatch.setattr(corpus, "SIZE", 9)
    reference, log = quick.evidence.configurations[1], tmp_path / "log.jsonl"
    alone = corpus.run_corpus(reference, Budget(jobs=1), Backend(log=log))
    both = corpus.run_corpus(reference, Budget(jobs=2), Backend(patience=-1.0))
    known = log.read_bytes()
    assert alone == both == corpus.run_corpus(reference, Budget(jobs=1), Backend(log=log))
    assert log.read_bytes() == known and known.count(b"\n") == 9


def test_correlations_are_stable_and_near_the_papers(quick):
    """Should come out the same everywhere; the paper's figures lie inside our intervals."""
    main, reference = quick.evidence.corpus, quick.evidence.configurations[1]
    drawn = uniform_arenas(HOSTS, Random(corpus.SEED))
    second = corpus.correlated(
        [corpus.read_arena(reference, Segment(HOSTS, links, ("GW",)), static=True) for links in drawn]
    )
    # As scipy.stats.spearmanr had them for the same arenas.
    assert main.win.rho == pytest.approx(-0.8654732509185264, abs=1e-12)
    assert main.slt.rho == pytest.approx(-0.8835901096324396, abs=1e-12)
    assert (round(second.win.rho, 3), round(second.slt.rho, 3)) == (-0.915, -0.918)
    assert main.win.low < -0.852 < main.win.high
    assert main.slt.low < -0.868 < main.slt.high
    assert (main.n_defensible, second.n_defensible) == (90, 90)
    assert (main.n_disconnecting, second.n_disconnecting) == (44, 35)
    line = line_of(quick.assessments, "Spearman's correlation of WIN and edge density")
    assert line.status is Status.DECLARED and line.rounded == "-0.865"


def test_every_arena_is_defensible(quick):
    """Should follow from the arena with all links, since another link never enlarges W."""
    reference = quick.evidence.configurations[1]
    pairs = list(permutations(HOSTS, 2))
    assert solve(with_game(reference, network_game(HOSTS, pairs, "GW"))).defensible
    random = Random(11)
    for _ in range(8):
        links = random.sample(pairs, random.randrange(1, 19))
        more = random.choice([pair for pair in pairs if pair not in links])
        sizes = [
            solve(with_game(reference, network_game(HOSTS, given, "GW"))).n_winning
            for given in (links, [*links, more])
        ]
        assert sizes[0] >= sizes[1]


def test_hosts_cut_off_are_those_that_no_path_reaches(quick):
    """Should agree with following the links as often as there are hosts."""
    for reading in quick.evidence.corpus.readings:
        reached = {"GW"}
        for _ in HOSTS:
            reached |= {target for source, target in reading.links if source in reached}
        assert reading.n_cut_off == len(HOSTS) - len(reached)


# -- files ------------------------------------------------------------------------------------------


def listing(directory):
    return {file.relative_to(directory).as_posix() for file in directory.rglob("*") if file.is_file()}


@pytest.fixture
def known(quick, whole, monkeypatch):
    """The command with the cases and the corpus already solved; it still compares, draws and writes."""
    monkeypatch.setattr(
        package, "gather", lambda *args, learn, **kwargs: (whole if learn else quick).evidence
    )


def test_the_command_writes_everything_and_answers_in_json(known, tmp_path):
    """Should leave tables, figures, data and page, print one object, and exit with 0."""
    out = tmp_path / "deep" / "report"
    done = CliRunner().invoke(app, ["reproduce", "--json", "--output", str(out)])
    assert (done.exit_code, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    saved = json.loads((out / "reproduction.json").read_text("utf-8"))
    assert printed == saved
    assert saved["holdfast_reproduction"] == package.FORMAT
    assert saved["quick"] is False and saved["reproduced"] is True
    assert saved["summary"]["status"]["differs"] == saved["summary"]["status"]["not run"] == 0
    assert saved["summary"]["compared"] == 200
    assert len(saved["numbers"]) == len(published().claims) == 220
    one = next(n for n in saved["numbers"] if n["what"] == "|W| as a share of |V| of Case 5")
    assert (one["published"], one["rounded"], one["status"]) == ("15.91%", "15.91%", "agrees")
    assert one["ours"] == 23858 / 150000
    assert one["difference"] == pytest.approx(100 * 23858 / 150000 - 15.91)
    assert len(saved["corpus"]["readings"]) == 90
    assert all(saved["durations"].values())

    assert listing(out) == folder.OWN
    assert all((out / name).stat().st_size > 0 for name in folder.OWN)
    page = (out / "reproduction.html").read_text("utf-8")
    assert ">REPRODUCED<" in page and "the paper&#39;s" in page


def test_the_tables_of_the_paper_hold_our_numbers(whole):
    """Should have the paper's rows and columns, counts whole and readings with its digits."""
    results, shells = (exhibits.case_table(t, whole.paper, whole.assessments) for t in whole.paper.tables)
    assert [c.title for c in shells.columns] == [
        "case", "|Sh_1|", "|Sh_2|", "|Sh_3|", "|Sh_4|", "|Attr*|", "|W|",
    ]  # fmt: skip
    row = list(shells.marked())[4][0]
    assert [cell.value for cell in row[1:]] == [19238, 6392, 224, 288, 126142, 23858]
    assert "| 2 · Fully connected | 0.4662 |" in markdown_table(results)


def test_without_training_nothing_is_said_of_it(quick):
    """Should draw no learned figure, and give no duration of a training that never was."""
    trained = {"fig-dominance", "fig-trajectories"}
    assert {d.stem for d in drawings(quick.paper, quick.evidence)} == set(STEMS) - trained
    assert outcome.verdict(quick) == "REPRODUCED IN PART"
    durations = reproduction_object(quick)["durations"]
    assert durations["all"] > 0 and durations["case"] is durations["case_cpu"] is durations["cases"] is None
    assert {row[2] for row in exhibits.times_table(quick.paper, quick.durations).rows} == {""}


def test_a_difference_is_named_and_exits_with_1(quick, known, monkeypatch, tmp_path):
    """Should say which number differs, on the terminal and in the files, and leave others' files alone."""
    wrong = changed(quick.paper, "|Attr_3|", printed="125,887")
    monkeypatch.setattr(package, "published", lambda: wrong)
    few = [d for d in folder.drawings(quick.paper, quick.evidence) if d.stem in ("fig-topology", "corpus")]
    monkeypatch.setattr(folder, "drawings", lambda *args: few)
    (tmp_path / "figures").mkdir()
    mine, stale = tmp_path / "figures" / "mine.png", tmp_path / "figures" / "fig-dominance.png"
    mine.write_text("mine")
    stale.write_text("of an earlier run")
    (tmp_path / "notes.txt").write_text("mine too")
    done = CliRunner().invoke(app, ["reproduce", "--quick", "--output", str(tmp_path)])
    assert done.exit_code == 1
    shown = " ".join(done.stdout.split())
    assert "DIFFERS" in shown and "|Attr_3| 125,887 125,886" in shown
    assert shown.endswith("reproduction.html")
    saved = json.loads((tmp_path / "reproduction.json").read_text("utf-8"))
    differing = [n for n in saved["numbers"] if n["status"] == "differs"]
    assert [(n["what"], n["published"], n["ours"], n["difference"]) for n in differing] == [
        ("|Attr_3|", "125,887", 125886, -1)
    ]
    assert saved["reproduced"] is False
    assert mine.read_text() == "mine" and (tmp_path / "notes.txt").exists() and not stale.exists()
    assert not [name for name in listing(tmp_path) if name.startswith(".")]


@pytest.mark.parametrize("status", [Status.KNOWN, Status.FROM_PRINTED, Status.DIFFERS])
def test_strictly_no_difference_is_excused(status):
    """Should count what is on record and what needs rounded inputs as differences, too."""
    counts = dict.fromkeys(Status, 0) | {
        Status.AGREES: 5, Status.GIVEN: 3, Status.DECLARED: 2, Status.NOT_RUN: 1,
    }  # fmt: skip
    assert Summary(counts, 5, 5).to_the_digit
    assert not Summary(counts | {status: 1}, 5, 5).to_the_digit


def test_a_file_is_no_place_for_a_report(tmp_path):
    """Should refuse before the work begins, and say what to do."""
    place = tmp_path / "report"
    place.write_text("mine")
    with pytest.raises(InputError, match="is a file; name a directory"):
        prepare(place)
    done = CliRunner().invoke(app, ["reproduce", "--output", str(place)])
    assert done.exit_code == 2 and "is a file; name a directory" in done.stderr
    assert place.read_text() == "mine"
    with pytest.raises(InputError, match="cannot write there"):
        prepare(place / "below")


def test_an_interruption_leaves_no_half_report(quick, tmp_path):
    """Should leave the directory as it was, whatever was under way."""
    (tmp_path / "reproduction.json").write_text("of an earlier run")

    def interrupt(doing):
        if doing.startswith("drawing fig-topology"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.write(quick, tmp_path, watched(interrupt))
    assert listing(tmp_path) == {"reproduction.json"}
    assert (tmp_path / "reproduction.json").read_text() == "of an earlier run"


def test_an_interrupted_training_is_no_reproduction():
    """Should end the command instead of comparing with what some of the seeds gave."""
    calls = []

    def stop(doing):
        if "training" not in doing:
            return
        calls.append(doing)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(budget=watched(stop, jobs=1))
    assert calls


def test_a_limit_is_no_interruption():
    """Should say which reading a limit left out, and not pass for Ctrl-C."""

    def patience(doing):
        if "Case 2" in doing and "safe play" in doing:
            raise LimitError("enough")

    with pytest.raises(LimitError, match="SLT: enough"):
        reproduce(quick=True, budget=watched(patience))


def test_a_limit_of_the_command_leaves_it_undecided_and_writes_nothing(tmp_path):
    """Should stop for want of time or memory as the other commands do, and not pass numbers over."""
    done = CliRunner().invoke(app, ["reproduce", "--quick", "--timeout", "0", "--output", str(tmp_path)])
    assert done.exit_code == 3 and "as --timeout asks" in done.stderr
    done = CliRunner().invoke(app, ["reproduce", "--quick", "--memory", "0.001", "--output", str(tmp_path)])
    assert done.exit_code == 3 and done.stderr.startswith("undecided: ")
    assert "would need about" in done.stderr
    assert listing(tmp_path) == set()


def test_time_over_while_drawing_leaves_nothing_half_written(quick, tmp_path):
    """Should hold the limit after the numbers are known, too."""
    with pytest.raises(LimitError):
        folder.write(quick, tmp_path, Budget.lasting(0.0))
    assert listing(tmp_path) == set()


# -- words ------------------------------------------------------------------------------------------


def test_the_headline_counts(quick, whole):
    """Should say how many agree, that none or some differ, and what was not compared."""
    assert outcome.headline(quick.summary) == (
        "146 published numbers and statements were compared: 144 agree to the last printed digit, 2 only from "
        "the paper's own rounded readings and none differ. Of the 79 in its tables all agree. Not compared: 18 "
        "are settings taken from it, 2 cannot be compared and 54 need training and were not run."
    )
    assert outcome.headline(whole.summary) == (
        "200 published numbers and statements were compared: 192 agree to the last printed digit, 6 only from "
        "the paper's own rounded readings, 2 differ as declared and none differ. Of the 94 in its tables all "
        "agree. Not compared: 18 are settings taken from it and 2 cannot be compared."
    )
    one = summary(assess(changed(quick.paper, "|Attr_3|", printed="125,887"), quick.evidence))
    assert "and 1 differs. Of the 79 in its tables 78 agree." in outcome.headline(one)


def test_the_table_of_a_case_shows_what_the_paper_has_where_it_is_not_ours(whole):
    """Should mark the row and keep our number first."""
    paper = changed(whole.paper, "DDR of Case 5", printed="0.808")
    found = exhibits.case_table(paper.tables[0], paper, assess(paper, whole.evidence))
    rows = list(found.marked())
    assert [mark for _, mark in rows] == ["", "", "", "", "differs"]
    assert (rows[4][0][4].text, rows[4][0][4].note) == ("0.807", "paper: 0.808")
