"""The paper reproduced: what agrees and what does not is told apart, and files are handled with care."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import tomllib
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

import holdfast.reproduce as package
from holdfast.cli import app
from holdfast.engines import solve
from holdfast.errors import InputError
from holdfast.models.network import network_game
from holdfast.reproduce import Status, corpus, files, reproduce, tables, words
from holdfast.reproduce.evidence import printed_evidence
from holdfast.reproduce.printed import agrees, printed_number, rounded
from holdfast.reproduce.published import paper_resource, published
from holdfast.reproduce.quantities import DERIVED, QUANTITIES, crossing_episode, early_peak
from holdfast.reproduce.verdicts import Summary, compare_all, summary

ROOT = Path(__file__).parent.parent
GOLDEN = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]

LEARNED = {
    1: (0.5386729, 0.5243891, 0.5529567),
    2: (0.226711, 0.2164657, 0.2369563),
    3: (0.4753611, 0.4717405, 0.4789817),
    4: (0.778545, 0.7740303, 0.7830597),
    5: (0.8071449, 0.7936072, 0.8206826),
}
"""DDR and its interval as ten seeds of Holdfast give it, to seven digits; tests/test_learn.py trains them."""


@pytest.fixture(scope="module")
def quick():
    return reproduce(quick=True)


@pytest.fixture(scope="module")
def learned(quick):
    """The evidence of the quick run, with DDR as training gives it."""
    cases = {
        n: replace(case, ddr=LEARNED[n][0], ddr_low=LEARNED[n][1], ddr_high=LEARNED[n][2])
        for n, case in quick.evidence.cases.items()
    }
    return replace(quick.evidence, cases=cases)


def line_of(lines, what, printed=None):
    return next(line for line in lines if line.figure.what == what and printed in (None, line.figure.printed))


def changed(paper, what, **changes):
    """The published numbers with one of them other than it is."""
    figures = tuple(replace(f, **changes) if f.what == what else f for f in paper.figures)
    return replace(paper, figures=figures)


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
    """Should be compared as words."""
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
        assert rounded(value, printed_number(other)) in (text, text.replace("-", "", 1))


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
    cases = printed_evidence(published()).cases
    assert [published().cases[n].variant for n in cases] == [
        "base", *(case["variant"] for number, case in GOLDEN.items() if number != "1")
    ]  # fmt: skip
    for number, golden in GOLDEN.items():
        case = cases[int(number)]
        assert (case.positions, case.unsafe, case.winning) == (
            golden["positions"], golden["unsafe"], golden["winning"],
        )  # fmt: skip
        assert list(case.shells) == golden["shells"]
        readings = [case.win, case.stp, case.slt, case.ddr, case.ddr_low, case.ddr_high]
        stated = [golden["win"], golden["stp"], golden["slt"], golden["ddr"], *golden["ddr_interval"]]
        assert [float(x) for x in readings] == stated


def test_the_scenario_in_the_package_is_the_one_in_the_repository():
    """Should be the same file, byte for byte."""
    assert (ROOT / "scenarios" / "paper.yaml").read_text("utf-8") == paper_resource("paper.yaml")


def test_every_quantity_is_published_and_every_published_one_known():
    """Should have no dead code and no number without a computation."""
    assert {figure.quantity for figure in published().figures} == set(QUANTITIES)
    assert len({(f.where, f.what, f.printed) for f in published().figures}) == len(published().figures)
    assert all(figure.where and figure.what for figure in published().figures)


# -- verdicts ---------------------------------------------------------------------------------------


def test_everything_static_agrees(quick):
    """Should reproduce every number that needs no training; the others are marked as not run."""
    assert quick.summary.reproduced
    assert quick.summary.counts == {
        Status.AGREES: 144,
        Status.FROM_PRINTED: 2,
        Status.DECLARED: 2,
        Status.KNOWN: 0,
        Status.DIFFERS: 0,
        Status.NOT_RUN: 45,
    }
    assert quick.summary.n_table == quick.summary.n_table_agreeing == 92
    learned = {"crossing_episode", "crossing_share", "early_peak", "highest_at_first", "intervals"}
    for line in quick.lines:
        arguments = line.figure.arguments
        of = arguments.get("of", "")
        needs = line.figure.quantity in learned or "ddr" in of or line.figure.quantity.startswith("burden")
        needs = needs or of == ["slt", "ddr"]
        assert (line.status is Status.NOT_RUN) == needs, line.figure.what


def test_learned_numbers_and_those_that_do_not_simply_agree(quick, learned):
    """Should tell the paper's early rounding and its one slip from agreement, by name."""
    lines = compare_all(quick.paper, learned)
    found = {s: [line.figure.what for line in lines if line.status is s] for s in Status}
    assert found[Status.DIFFERS] == []
    assert found[Status.KNOWN] == ["ratio of the two holding burdens"]
    assert sorted(found[Status.FROM_PRINTED]) == [
        "DDR of Case 3 less that of Case 2",
        "mean absolute relative movement of WIN in Cases 2 and 5",
        "mean movement per static axis in Cases 2 and 5, the least",
        "movement of DDR in Case 3",
        "movement of DDR in Case 5",
        "what Case 3 costs of DDR",
    ]
    assert all(line.status is Status.AGREES for line in lines if line.figure.in_table)
    assert summary(lines).n_table == summary(lines).n_table_agreeing == 107
    slip = line_of(lines, "ratio of the two holding burdens")
    assert (slip.rounded, slip.rounded_from_printed) == ("4.01", "4.01")
    assert slip.difference == pytest.approx(0.0097, abs=1e-4)
    bypass = line_of(lines, "movement of DDR in Case 5")
    assert (bypass.rounded, bypass.rounded_from_printed, bypass.figure.printed) == (
        "+49.8%", "+49.7%", "+49.7%",
    )  # fmt: skip
    assert bypass.difference == pytest.approx(100 * (0.8071449 / 0.5386729 - 1) - 49.7)


def test_a_wrong_number_of_a_table_differs(quick, learned):
    """Should give numbers of a table no second chance through the printed inputs, which they are."""
    paper = changed(quick.paper, "DDR of Case 5", printed="0.808")
    lines = compare_all(paper, learned)
    assert line_of(lines, "DDR of Case 5", "0.808").status is Status.DIFFERS
    assert not summary(lines).reproduced
    assert "reading" not in {quantity.__name__ for quantity in DERIVED}


def test_a_declared_slip_hides_nothing_else(quick, learned):
    """Should differ when neither the printed number nor the one on record comes out."""
    cases = dict(learned.cases) | {2: replace(learned.cases[2], ddr=0.2275)}
    line = line_of(
        compare_all(quick.paper, replace(learned, cases=cases)), "ratio of the two holding burdens"
    )
    assert line.rounded == "4.01" and line.status is Status.KNOWN
    cases[2] = replace(learned.cases[2], ddr=0.2215)
    line = line_of(
        compare_all(quick.paper, replace(learned, cases=cases)), "ratio of the two holding burdens"
    )
    assert line.rounded == "4.04" and line.status is Status.DIFFERS
    assert "4.01" in line.reason


@pytest.mark.parametrize(
    ("what", "printed"),
    [
        ("the largest relative movement of a static reading in Cases 2 and 5", "2.6%"),
        ("the ranks whose shell changes in Case 5", "2, 3, 4"),
        ("row 5, after Destroy(WS)", "X C Z I C def q0 safe q0"),
        ("defender positions that leave the domain in Case 5 (“eighty”)", "81"),
        ("|Attr_3|", "125,887"),
    ],
)
def test_bounds_words_and_counts_can_differ_too(quick, what, printed):
    """Should notice another bound, another text, another count by one."""
    line = line_of(compare_all(changed(quick.paper, what, printed=printed), quick.evidence), what)
    assert line.status is Status.DIFFERS


def test_movements_of_sec_demo_operation_from_printed_inputs():
    """Should give, from the rounded readings, every derived number of the paper but its slip."""
    inputs = printed_evidence(published())
    for figure in published().figures:
        quantity = QUANTITIES[figure.quantity]
        if quantity not in DERIVED or figure.relation != "is":
            continue
        value = quantity(inputs, **figure.arguments)
        assert agrees(value, printed_number(figure.printed)) != bool(figure.known), figure.what


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


@pytest.mark.parametrize(
    ("draw", "digest"),
    [(corpus.independent, "4899b01b660c86eb"), (corpus.uniform, "150dbfb9cf17d6fa")],
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
    arenas = [len(links) / 20 for links in corpus.independent(HOSTS, Random(5))]
    means = [sum(arenas[10 * k : 10 * k + 10]) / 10 for k in range(9)]
    assert means == pytest.approx([k / 10 for k in range(1, 10)], abs=0.12)
    counts = [len(links) for links in corpus.uniform(HOSTS, Random(5))]
    assert 1 <= min(counts) <= 3 and 18 <= max(counts) <= 20


def test_correlations_are_stable_and_near_the_papers(quick):
    """Should come out the same everywhere; the paper's figures lie inside our intervals."""
    main, second = quick.evidence.corpus.main, quick.evidence.corpus.second
    # As scipy.stats.spearmanr had them for the same arenas.
    assert main.win.rho == pytest.approx(-0.8654732509185264, abs=1e-12)
    assert main.slt.rho == pytest.approx(-0.8835901096324396, abs=1e-12)
    assert (round(second.win.rho, 3), round(second.slt.rho, 3)) == (-0.915, -0.918)
    assert main.win.low < -0.852 < main.win.high
    assert main.slt.low < -0.868 < main.slt.high
    assert (main.n_defensible, second.n_defensible) == (90, 90)
    assert (main.n_disconnecting, second.n_disconnecting) == (44, 35)
    line = line_of(quick.lines, "Spearman's correlation of WIN and edge density")
    assert line.status is Status.DECLARED and line.rounded == "-0.865"


def test_every_arena_is_defensible(quick):
    """Should follow from the arena with all links, since another link never enlarges W."""
    reference = quick.evidence.configurations[1]
    pairs = list(permutations(HOSTS, 2))
    assert solve(replace(reference, game=network_game(HOSTS, pairs, "GW"))).defensible
    random = Random(11)
    for _ in range(8):
        links = random.sample(pairs, random.randrange(1, 19))
        more = random.choice([pair for pair in pairs if pair not in links])
        sizes = [
            solve(replace(reference, game=network_game(HOSTS, given, "GW"))).n_winning
            for given in (links, [*links, more])
        ]
        assert sizes[0] >= sizes[1]


def test_hosts_cut_off_are_those_that_no_path_reaches(quick):
    """Should agree with following the links as often as there are hosts."""
    for reading in quick.evidence.corpus.main.readings:
        reached = {"GW"}
        for _ in HOSTS:
            reached |= {target for source, target in reading.links if source in reached}
        assert reading.n_cut_off == len(HOSTS) - len(reached)


# -- files ------------------------------------------------------------------------------------------


def listing(directory):
    return {file.relative_to(directory).as_posix() for file in directory.rglob("*") if file.is_file()}


@pytest.fixture
def known(quick, monkeypatch):
    """The command with the cases and the corpus already solved; it still compares, draws and writes."""
    monkeypatch.setattr(package, "gather", lambda *args, **kwargs: quick.evidence)
    monkeypatch.setattr(package, "run_corpus", lambda *args, **kwargs: quick.evidence.corpus)


def test_the_command_writes_everything_and_answers_in_json(known, tmp_path):
    """Should leave tables, figures, data and page, print one object, and exit with 0."""
    out = tmp_path / "deep" / "report"
    done = CliRunner().invoke(app, ["reproduce", "--quick", "--json", "--output", str(out)])
    assert (done.exit_code, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    saved = json.loads((out / "reproduction.json").read_text("utf-8"))
    assert printed == saved
    assert saved["holdfast_reproduction"] == files.FORMAT
    assert saved["quick"] is True and saved["reproduced"] is True
    assert saved["summary"]["status"]["differs"] == 0
    assert saved["summary"]["compared"] == 148
    assert len(saved["numbers"]) == len(published().figures) == 193
    one = next(n for n in saved["numbers"] if n["what"] == "|W| as a share of |V| of Case 5")
    assert (one["published"], one["rounded"], one["status"]) == ("15.91%", "15.91%", "agrees")
    assert one["ours"] == 23858 / 150000
    assert one["difference"] == pytest.approx(100 * 23858 / 150000 - 15.91)
    assert len(saved["corpus"]["main"]["readings"]) == 90

    written = listing(out)
    assert written <= files.OWN
    trained = {"fig-dominance", "fig-trajectories", "seeds"}
    assert files.OWN - written == {name for name in files.OWN if Path(name).stem in trained}
    for name in written:
        assert (out / name).stat().st_size > 0
    with (out / "tables" / "tab-shells.csv").open(newline="", encoding="utf-8") as text:
        rows = list(csv.reader(text))
    assert rows[0] == ["case", "|Sh_1|", "|Sh_2|", "|Sh_3|", "|Sh_4|", "|Attr*|", "|W|"]
    assert [int(float(x)) for x in rows[5][1:]] == [19238, 6392, 224, 288, 126142, 23858]
    assert "| 2 · Fully connected | 0.4662 |" in (out / "tables" / "tab-results.md").read_text("utf-8")
    assert r"\toprule" in (out / "tables" / "tab-results.tex").read_text("utf-8")
    page = (out / "reproduction.html").read_text("utf-8")
    assert "REPRODUCED IN PART" in page and "the paper&#39;s" in page


def test_a_difference_is_named_and_exits_with_1(quick, known, monkeypatch, tmp_path):
    """Should say which number differs, on the terminal and in the files, and leave others' files alone."""
    wrong = changed(quick.paper, "|Attr_3|", printed="125,887")
    monkeypatch.setattr(package, "published", lambda: wrong)
    few = [d for d in files.drawings(quick.paper, quick.evidence) if d.stem in ("fig-topology", "corpus")]
    monkeypatch.setattr(files, "drawings", lambda *args: few)
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
    counts = dict.fromkeys(Status, 0) | {Status.AGREES: 5, Status.DECLARED: 2, Status.NOT_RUN: 1}
    assert Summary(counts, 5, 5).to_the_digit
    assert not Summary(counts | {status: 1}, 5, 5).to_the_digit


def test_a_file_is_no_place_for_a_report(tmp_path):
    """Should refuse before the work begins, and say what to do."""
    place = tmp_path / "report"
    place.write_text("mine")
    with pytest.raises(InputError, match="is a file; name a directory"):
        files.prepare(place)
    done = CliRunner().invoke(app, ["reproduce", "--output", str(place)])
    assert isinstance(done.exception, InputError)
    assert place.read_text() == "mine"
    with pytest.raises(InputError, match="cannot write there"):
        files.prepare(place / "below")


def test_an_interruption_leaves_no_half_report(quick, tmp_path):
    """Should leave the directory as it was, whatever was under way."""
    (tmp_path / "reproduction.json").write_text("of an earlier run")

    def interrupt(doing):
        if doing.startswith("drawing fig-topology"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write(quick, tmp_path, interrupt)
    assert listing(tmp_path) == {"reproduction.json"}
    assert (tmp_path / "reproduction.json").read_text() == "of an earlier run"


def test_an_interrupted_training_is_no_reproduction():
    """Should end the command instead of comparing with what some of the seeds gave."""
    calls = []

    def stop(number, done):
        calls.append(number)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(training=stop, jobs=1)
    assert calls


# -- words ------------------------------------------------------------------------------------------


def test_the_headline_counts(quick, learned):
    """Should say how many agree, and that none or some differ."""
    assert words.headline(quick.summary).startswith(
        "148 published numbers were compared: 144 agree to the last printed digit, 2 only from the paper's own"
    )
    assert "45 more need training" in words.headline(quick.summary)
    whole = words.headline(summary(compare_all(quick.paper, learned)))
    assert "1 differs as declared and none differ" in whole
    one = changed(quick.paper, "|Attr_3|", printed="125,887")
    assert "and 1 differs." in words.headline(summary(compare_all(one, quick.evidence)))


def test_the_table_of_a_case_shows_what_the_paper_has_where_it_is_not_ours(quick, learned):
    """Should mark the row and keep our number first."""
    paper = changed(quick.paper, "DDR of Case 5", printed="0.808")
    found = tables.case_table(paper.tables[0], paper, compare_all(paper, learned))
    rows = list(found.marked())
    assert [mark for _, mark in rows] == ["", "", "", "", "differs"]
    assert (rows[4][0][4].text, rows[4][0][4].note) == ("0.807", "paper: 0.808")
