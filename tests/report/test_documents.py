"""Reports as Markdown and CSV, and the options that ask for them, run as a user runs them."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from holdfast.apps.cli import main
from holdfast.apps.services.design import reasons_of
from holdfast.budget import Budget
from holdfast.explanation.lines import FirstMove
from holdfast.readings.analysis import analyse
from holdfast.readings.archive import analysis_of
from holdfast.readings.compare.designs import compare_subjects
from holdfast.readings.compare.findings import movement
from holdfast.readings.compare.positions import Subject
from holdfast.readings.gates import Gate
from holdfast.readings.results import analysis_object, plain_of
from holdfast.report.blocks import (
    Aside,
    Banner,
    Branch,
    Cell,
    Column,
    CommandLine,
    Document,
    Facts,
    Heading,
    Illustrations,
    Points,
    Prose,
    Row,
    Section,
    Span,
    Table,
    Tree,
    cell,
    words,
)
from holdfast.report.documents.attack_tree import MAX_LISTED, first_moves
from holdfast.report.documents.comparison import comparison_document, sentences
from holdfast.report.documents.differences import comparison_csv, moved
from holdfast.report.documents.explanation import reasons, reasons_together
from holdfast.report.documents.fingerprint import (
    analysis_document,
    meaning,
    readings,
    shell_sizes,
    verdict_of,
)
from holdfast.report.renderers.markdown import MAX_COMMENT, escaped, markdown, markdown_table
from holdfast.report.renderers.terminal import terminal
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from paths import ROOT
from samples import changed

PAPER = "scenarios/paper.yaml"

SMALL = """
holdfast: 1
name: {name}
network: {{hosts: [GW, DB], links: [{links}], entry: GW}}
specs: {{defender: ["{spec}"]}}
learning: {{episodes: 20, steps: 20, seeds: 2, window: 5}}
variants:
  cut: {{remove_links: [{links}]}}
"""

NASTY = (
    "a|b",
    "`code` **bold** _it_ ~~no~~",
    "<script>alert(1)</script> <!-- x",
    "[text](http://example.org) ![i](x) https://example.org www.example.org a@b.org",
    "two\nlines\r\n| x |",
    "- item",
    "1. first",
    "# head @team #12",
    "=== setext",
    "\\| $x$ &lt;",
    "back\\",
)


@dataclass
class Done:
    """What a run left behind."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def holdfast(monkeypatch, capsys):
    """Run the command in this process, which has loaded everything already."""

    def run(*args, cwd=ROOT):
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["holdfast", *map(str, args)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return Done(int(stopped.value.code or 0), said.out, said.err)

    return run


@pytest.fixture(scope="module")
def pair():
    """A small comparison with a lost design and a name that starts a formula."""
    base = scenario_from_text(SMALL.format(name="Pair", links="GW -> DB", spec="G (DB != Z)"))
    lost = scenario_from_text(SMALL.format(name="Lost", links="GW -> DB", spec="G (GW = C)"))
    chosen = {"=base": configuration(base), "cut": configuration(base, "cut"), "lost": configuration(lost)}
    subjects = [Subject(label, analyse(c, exact=True), c) for label, c in chosen.items()]
    return compare_subjects(subjects), subjects


# -- tables -----------------------------------------------------------------------------------------


def test_plain_values_become_cells():
    """Should keep the number behind what is shown, and a dash for none."""
    assert cell(True) == Cell("yes", 1)
    assert cell(5**40).text == "9.095×10²⁷" and cell(5**40).value == 5**40
    assert cell(-1234).text == "−1,234"
    assert cell(Cell("x", 1)) == Cell("x", 1)


def test_a_change_is_absolute_over_relative():
    """Should leave the percentage out where there is none."""
    assert moved(movement(0.4, 0.3)) == Cell("−0.1000", 0.3 - 0.4, "−25.0%")
    assert moved(movement(0.0, 0.25)) == Cell("+0.2500", 0.25, "")
    assert moved(movement(0.5, 0.5)) == Cell("0", 0.0, "")
    assert moved(movement(None, 0.5)) == Cell("–", None, "")


def test_one_shell_has_no_last():
    """Should say of a single shell that all of it is one move from violation."""
    found = analyse(configuration(read_scenario(PAPER)), latitude=False)
    said = {axis: words for axis, _, words in readings(replace(found, shells=(7,))).rows}
    assert said["STP"] == "shell steepness: every lost position is 1 move from violation"
    assert readings(found).rows[1][2].endswith("1 move from violation, the last 4")


def test_many_shells_are_gathered():
    """Should keep the first, the last and the sum of the rest."""
    found = analyse(configuration(read_scenario(PAPER)), latitude=False)
    deep = replace(found, shells=tuple(range(1, 41)))
    rows = shell_sizes(deep).rows
    assert len(rows) == 15
    names = [row[0] for row in rows]
    assert names[0] == "never (winning)" and names[-2] == "40 moves" and names[-1] == "violating already"
    assert sum(row[1] for row in rows[1:-1]) == sum(deep.shells)


def test_verdicts_in_words(pair):
    """Should tell from the rank how soon, and when it is too late already."""
    lost = pair[1][2].analysis
    assert not lost.defensible and verdict_of(lost).tone == "bad"
    assert "already violates" in verdict_of(replace(lost, initial_rank=0)).sentence
    assert "No defense can help" in meaning(replace(lost, initial_rank=0))
    assert "within 1 move," in verdict_of(replace(lost, initial_rank=1)).sentence


# -- Markdown ---------------------------------------------------------------------------------------


class Rendered(HTMLParser):
    """Tags and text of rendered Markdown."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def rendered(text):
    return Rendered(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


@pytest.mark.parametrize("text", NASTY)
def test_text_stays_text(text):
    """Should show exactly what was given, on one line, as paragraph and as cell, with no markup of its own."""
    wanted = " ".join(text.split())
    alone = rendered(escaped(text))
    assert [tag for tag, _ in alone.tags] == ["p"]
    assert alone.text.strip() == wanted
    table = rendered(markdown_table(Table("", (words("design"), Column("n")), ((text, 1),))))
    assert {tag for tag, _ in table.tags} - {"br"} == {"table", "thead", "tbody", "tr", "th", "td"}
    assert [tag for tag, _ in table.tags].count("td") == 2
    assert "".join(table.text.split()) == "".join(f"design n {text} 1".split())


def test_names_call_nobody():
    """Should break mentions, references and addresses that GitHub would make links of."""
    safe = escaped("@team #12 https://example.org www.example.org a@b.org")
    for sign in ("@team", "#12", "://", "www.", "a@b"):
        assert sign not in safe


def test_long_and_steering_text_is_tamed():
    """Should cut what is too long and show control characters."""
    assert len(escaped("x" * 10_000)) <= 500
    assert escaped("a\x1b[31m\u202eb") == "a·\\[31m·b"


def test_a_comparison_says_who_can_be_got_out():
    """Should tell which of the designs that hold recovers, in the verdicts, a sentence, a table and the sheet."""
    paper = read_scenario("scenarios/paper.yaml")
    chosen = {"base": configuration(paper), "no-bypass": configuration(paper, "no-bypass")}
    chosen["two-active"] = configuration(paper, "two-active")
    subjects = {label: Subject(label, analyse(c), c) for label, c in chosen.items()}
    both = compare_subjects([subjects["base"], subjects["no-bypass"]])
    text = markdown(comparison_document(both))
    assert (
        "**DEFENSIBLE** base: Whatever the adversary does, every requirement can be kept, but the attacker"
        in text
    )
    assert (
        "no-bypass: Whatever the adversary does, every requirement can be kept, and the attacker can be"
        in text
    )
    assert "Both hold, but only no-bypass can drive the attacker out: within 4 moves." in text
    assert "| no-bypass | 4<br><sub>was never</sub> | 8<br><sub>was never</sub> |" in text
    assert [entry.columns()["evict"] for entry in both.entries] == ["never", 4]
    assert both.delta("no-bypass").movements["evict"].after == 4
    every = compare_subjects(list(subjects.values()))
    inverted = {(i.formal, i.operational, i.axis) for i in every.response_inversions if i.point == "evict"}
    assert {("two-active", "no-bypass", axis) for axis in ("win", "stp", "slt")} == inverted
    text = markdown(comparison_document(compare_subjects([subjects["no-bypass"], subjects["two-active"]])))
    assert (
        "Both hold, and the attacker can be driven out of each: no-bypass within 4 and two-active within 6"
        in text
    )


def test_a_comparison_for_a_pull_request(pair):
    """Should start with the verdicts, warn, show the tables, and fold the details."""
    text = markdown(comparison_document(pair[0]))
    assert text.startswith(
        "## Holdfast: 3 designs against =base\n\n❌ **NOT DEFENSIBLE** lost: The start already"
    )
    assert "✅ **DEFENSIBLE** =base: Whatever the adversary does" in text
    assert "✅ **DEFENSIBLE** cut: Whatever the adversary does" in text
    assert "> [!WARNING]\n> lost changes the requirement" in text
    assert "### Fingerprints" in text
    assert text.count("<details>") == text.count("</details>") >= 3
    assert "<summary>Provenance</summary>" in text
    for line in text.splitlines():
        assert not line.startswith("|") or line.endswith("|")
    tags = {tag for tag, _ in rendered(text).tags}
    assert "script" not in tags and "a" not in tags and "img" not in tags


def test_a_folded_heading_is_html():
    """Should show the notation and what a name holds as they are, with no backslash and no markup."""
    folded = Section("φ_A of *a* <b> @team www.x.org", (Prose(""),), detail=True)
    text = markdown(Document("", (Section("", ()), folded)))
    (line,) = text.splitlines()[:1]
    assert (
        line.startswith("<details><summary>φ_A of *a* &lt;b&gt;") and "@team" not in line and "\\" not in line
    )
    found = rendered(text)
    assert "φ_A of *a* <b> @team www.x.org" in found.text
    assert [tag for tag, _ in found.tags] == ["details", "summary"]


def test_a_comment_is_never_too_long(pair):
    """Should leave out what has no room and say so."""
    comparison, _ = pair
    more = tuple(replace(comparison.entries[0], label=f"{i}" + "x" * 400) for i in range(400))
    many = replace(comparison, entries=(*comparison.entries, *more))
    text = markdown(comparison_document(many))
    assert len(text) < MAX_COMMENT + 2_000
    assert "Left out for lack of space: Fingerprints" in text


def test_an_analysis_as_markdown(pair):
    """Should tell verdict, gates, readings and contract."""
    gates = [Gate("slt", minimum=0.9, value=None, met=False)]
    found = replace(pair[1][2].analysis, undecided="SLT: stopped", warnings=("beware | of",))
    text = markdown(analysis_document(found, gates))
    assert "❌ **NOT DEFENSIBLE**" in text and "⚠️ **LEFT OPEN** SLT: stopped" in text
    assert "| SLT ≥ 0.9 | not defined | MISSED |" in text
    assert "> beware \\| of" in text


@pytest.mark.parametrize("text", NASTY)
def test_every_block_is_inert_in_markdown(text):
    """Should show trees, facts and commands as text, whatever they hold."""
    wanted = "".join(text.split())
    branch = Branch((Span(text, "bad"), Span(f"  {text}")), (Branch((Span(text, "quiet"),)),))
    blocks = (
        Tree((branch,)),
        Facts(((text, text), (text, (Span(text, "strong"),)))),
        Points((text, (Span(text),))),
        Heading(text),
        CommandLine(text, text.replace("\n", " ").replace("\r", " ")),
    )
    found = rendered(markdown(Document(text, (Section("", ()), Section(text, blocks, detail=True)))))
    assert {tag for tag, _ in found.tags} <= {"details", "summary", "ul", "li", "strong", "h4", "p", "code"}
    assert [tag for tag, _ in found.tags].count("code") == 1
    assert "".join(found.text.split()).count(wanted) >= 12


def test_lists_that_follow_each_other_stay_apart():
    """Should not run two lists into one, and put what a name repeated stands for below it."""
    one, other = Facts((("a", "1"), ("b", "2"), ("b", "3"))), Facts((("a", "4"),))
    text = markdown(Document("t", (Section("s", (one, other)),)))
    assert "- a: 1\n- b:\n  - 2\n  - 3\n\n<!-- -->\n\n- a: 4" in text
    assert [tag for tag, _ in rendered(text).tags].count("ul") == 3


def test_only_a_page_draws():
    """Should not draw what it has no place for, and print no heading over nothing."""
    drawn = Illustrations(lambda: pytest.fail("drawn for nobody"))
    document = Document("t", (Section("s", (Prose("said"),)), Section("Figures", (drawn, Row((drawn,))))))
    for text in (terminal(document), markdown(document)):
        assert "said" in text and "Figures" not in text


# -- the terminal -----------------------------------------------------------------------------------


def test_the_terminal_shows_every_block_and_leaves_asides_out():
    """Should keep what a file holds from steering the terminal, print trees and bars, and never cut a command."""
    nasty, line = "a\x1b[31m\u202eb [red]", "holdfast explain " + "x" * 200
    table = Table("", (words(nasty), Column("share", "share")), ((nasty, Cell("50%", 0.5)),), title=nasty)
    blocks = (
        Banner("open", nasty, nasty, nasty),
        Facts(((nasty, (Span(nasty, "bad"),)),)),
        Tree((Branch((Span(nasty),), (Branch((Span("below"),)),)),)),
        Heading(nasty),
        table,
        Points((nasty,)),
        CommandLine(nasty, line),
        Aside((Prose("for those with time"),)),
    )
    text = terminal(Document(nasty, (Section("s", blocks),), nasty, closing=(nasty,)))
    assert not {"\x1b", "\u202e"} & set(text) and text.count("[red]") >= 12
    assert "└── below" in text and "█" * 12 in text and line in text
    assert "for those with time" not in text


# -- CSV --------------------------------------------------------------------------------------------


def test_csv_is_exact_and_computes_nothing(pair):
    """Should give counts whole, readings with all digits, and disarm formulas."""
    comparison, _ = pair
    huge = changed(comparison.entries[1], 'say "hi", =x', positions=5**100)
    attacks = [replace(huge, label=label) for label in ("+1", "-1", "@x", "\t=x", " =x", "＝x")]
    text = comparison_csv(replace(comparison, entries=(*comparison.entries[:1], huge, *attacks)))
    assert all(line.endswith("\r\n") for line in text.splitlines(keepends=True))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    names = (
        "design is_base defensible positions unsafe winning shells win stp slt room ddr_exact ddr_exact_low "
        "ddr_exact_high ddr ddr_low ddr_high ddr_standing"
    )
    assert " ".join(rows[0]) == f"{names} evict recover effort tempo grace burden burden_ratio undecided"
    first, second = comparison.entries[0].analysis, rows[1]
    assert rows[0]["design"] == "'=base" and rows[0]["is_base"] == "yes"
    assert float(rows[0]["win"]) == first.win and rows[0]["ddr"] == ""
    assert [int(n) for n in rows[0]["shells"].split()] == list(first.shells)
    assert second["design"] == 'say "hi", =x' and int(second["positions"]) == 5**100
    assert all(row["design"].startswith("'") for row in rows[2:])


# -- the command line -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of one name in two folders, and a third with another name."""
    root = tmp_path_factory.mktemp("files")
    for folder, name, links in (
        ("old", "Net", "GW -> DB"),
        ("new", "Net", "DB -> GW"),
        (".", "Other", "GW -> DB"),
    ):
        (root / folder).mkdir(exist_ok=True)
        text = SMALL.format(name=name, links=links, spec="G (DB != Z)")
        (root / folder / "net.yaml").write_text(text, "utf-8")
    return root


def labels(done):
    assert done.returncode == 0, done.stderr
    return [entry["label"] for entry in json.loads(done.stdout)["entries"]]


def test_several_files(files, holdfast):
    """Should compare their bases, told apart by name, else by file, else by path; --base takes either."""
    one = holdfast("compare", "net.yaml", "new/net.yaml", "--no-learning", "--json", cwd=files)
    assert labels(one) == ["Other", "Net"]
    same = holdfast(
        "compare",
        "old/net.yaml",
        "new/net.yaml",
        "--no-learning",
        "--json",
        "--base",
        "new/net.yaml",
        cwd=files,
    )
    assert labels(same) == ["old/net.yaml", "new/net.yaml"]
    assert json.loads(same.stdout)["base"] == "new/net.yaml"
    by_path = holdfast(
        "compare", "net.yaml", "new/net.yaml", "--no-learning", "--json", "--base", "new/net.yaml", cwd=files
    )
    assert json.loads(by_path.stdout)["base"] == "Net"


def test_the_same_variant_of_several_files(files, holdfast):
    """Should take the variants that are named, of each file."""
    done = holdfast(
        "compare", "net.yaml", "new/net.yaml", "-v", "base", "-v", "cut", "--no-learning", "--json", cwd=files
    )
    assert labels(done) == ["Other", "Other · cut", "Net", "Net · cut"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["compare", "net.yaml", "-v", "base"], "two designs or more"),
        (["compare", "net.yaml", "net.yaml"], 'called "net.yaml"'),
        (["compare", "net.yaml", "new/net.yaml", "--base", "Nett"], 'did you mean "Net"'),
        (["compare", "net.yaml", "new/net.yaml", "-v", "none"], 'no variant "none"'),
        (["compare", "net.yaml", "--csv", "--json"], "choose one of them"),
        (["compare", "net.yaml", "--csv", "table.csv"], "end the command with > table.csv"),
        (["check", "net.yaml", "--markdown", "--json"], "choose one of them"),
        (["explain", "net.yaml", "--markdown", "--json"], "choose one of them"),
        (["explain", "net.yaml", "--html", "net.yaml"], "is already used by another option"),
        (["explain", "net.yaml", "--html", "nowhere/r.html"], "no folder nowhere"),
        (["check", "net.yaml", "--html", "nowhere/r.html"], "no folder nowhere"),
        (["compare", "net.yaml", "--html", "."], "is a folder"),
        (["compare"], "Missing argument"),
    ],
)
def test_what_cannot_be_done_is_said_first(args, message, files, holdfast):
    """Should refuse before any work, with exit code 2."""
    done = holdfast(*args, cwd=files)
    assert done.returncode == 2
    assert message in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_html_beside_an_answer(files, holdfast):
    """Should write the page and keep standard output for the answer."""
    done = holdfast("compare", "net.yaml", "--csv", "--html", "report.html", "--jobs", "1", cwd=files)
    assert done.returncode == 0
    assert done.stderr == "wrote report.html\n"
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["design"] for row in rows] == ["base", "cut"] and rows[0]["ddr_low"]
    page = (files / "report.html").read_text("utf-8")
    assert "Mean dominance by episode" in page


def test_fingerprint_page_and_markdown(files, holdfast):
    """Should report one analysis both ways, and still say no by its exit code."""
    args = ("fingerprint", "net.yaml", "--no-learning", "--markdown", "--html", "one.html", "--min-win", "1")
    done = holdfast(*args, cwd=files)
    assert done.returncode == 1
    assert done.stdout.startswith("## Holdfast: Other") and "| WIN ≥ 1 |" in done.stdout
    page = (files / "one.html").read_text("utf-8")
    assert "MISSED" in page and "scenario sha256" in page


LOST = "scenarios/indefensible.yaml"
HELD = "scenarios/paper.yaml"
ATTACK = ("How a violation is forced", "spread(DB)", "The attack, and what it depends on", "GW -> DB")
SAFETY = ("Where the defender has the least choice", "restore(WS)", "Margins", "holds for every value")


def words_of(text):
    """What a reader of Markdown or HTML sees."""
    return " ".join(rendered(text).text.replace("\xa0", " ").split())


@pytest.mark.parametrize(
    ("command", "file", "said"),
    [
        *((command, LOST, ATTACK) for command in ("check", "explain", "fingerprint", "compare")),
        *((command, HELD, SAFETY) for command in ("check", "explain", "fingerprint")),
    ],
)
def test_reports_tell_why(command, file, said, holdfast, tmp_path):
    """Should tell in page and comment how a design is lost, or where it is tight; compare tells the first."""
    more = [] if command in ("check", "explain") else ["--no-learning"]
    done = holdfast(command, file, *more, "--markdown", "--html", tmp_path / "why.html")
    assert done.returncode == (file == LOST) and done.stderr == f"wrote {tmp_path / 'why.html'}\n"
    page = (tmp_path / "why.html").read_text("utf-8")
    for text in (done.stdout, page):
        for part in said:
            assert part in words_of(text), part
    assert done.stdout.count("<details>") == done.stdout.count("</details>") >= 2
    opened = re.search(r'class="tree">\s*<ul>\s*<li><details open>', page) is not None
    assert opened == (file == LOST)
    assert len(done.stdout) < MAX_COMMENT


def test_each_answer_names_the_command_to_ask_next(holdfast, tmp_path):
    """Should print a command line that can be typed as it stands, whatever the file is called."""
    file = tmp_path / "a net.yaml"
    file.write_text(SMALL.format(name="Net", links="GW -> DB", spec="G (GW = C)"), "utf-8")
    done = holdfast("check", file, "-v", "cut")
    (line,) = (line for line in done.stdout.splitlines() if "holdfast explain" in line)
    assert line.strip() == f"holdfast explain '{file}' --variant cut"
    assert "To see the attack and what would fix it:" in done.stdout
    again = holdfast(*shlex.split(line)[1:])
    assert again.returncode == 1 and "The attack, and what it depends on" in again.stdout
    assert f"holdfast recommend '{file}' --variant cut" in again.stdout
    assert f"  holdfast explain {HELD}\n" in holdfast("check", HELD).stdout
    held = holdfast("explain", HELD).stdout
    assert "cheapest changes that drive the attacker out" in held
    assert f"  holdfast recommend {HELD} --for evict\n" in held
    better = holdfast("explain", HELD, "-v", "no-bypass").stdout
    assert f"  holdfast recommend {HELD} --variant no-bypass\n" in better


@pytest.mark.parametrize("command", ["check", "explain", "compare"])
def test_variants_are_described_everywhere(command, holdfast, tmp_path):
    """Should tell what a variant is and which links it changes, on the terminal, in Markdown and on the page."""
    chosen = (
        ["--no-learning", "-v", "base", "-v", "no-bypass"] if command == "compare" else ["-v", "no-bypass"]
    )
    shown = holdfast(command, HELD, *chosen, "--html", tmp_path / "r.html").stdout
    page = (tmp_path / "r.html").read_text("utf-8")
    for text in (shown, words_of(page), words_of(holdfast(command, HELD, *chosen, "--markdown").stdout)):
        flat = " ".join(text.split())
        assert "The forgotten VPN link is gone." in flat
        assert "it removes 1 link (GW → WS)." in flat


def test_reasons_that_there_is_no_time_for_are_named():
    """Should keep what is known and say what was not looked at."""
    solution = solve(configuration(read_scenario(LOST)))
    found = reasons_of(solution, "auto", Budget.lasting(-1.0))
    *_, last = reasons(found)
    assert last.title == "Not examined, or not completely"
    together = reasons_together(found, "Why")
    assert together.title == "Why" and Heading(last.title) in together.blocks


def test_check_without_a_report_loads_no_report():
    """Should import neither numpy nor the template engine nor the plotting library."""
    code = (
        "import sys; sys.argv = ['holdfast', 'check', 'scenarios/paper.yaml']\n"
        "from holdfast.apps.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'jinja2', 'matplotlib', 'holdfast.report.renderers.page')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_many_designs_are_summed_up(pair):
    """Should name the first and count the rest, in sentences and tables."""
    comparison, _ = pair
    row, delta, names = comparison.entries[1], comparison.deltas[0], [f"v{i}" for i in range(500)]
    many = replace(
        comparison,
        entries=(comparison.entries[0], *(replace(row, label=name) for name in names)),
        deltas=tuple(replace(delta, label=name) for name in names),
    )
    said = sentences(many)
    assert len(said) < 60 and "… 480 more designs in the tables." in said


@pytest.mark.parametrize(("n", "more", "said"), [
    (MAX_LISTED, 0, "every first move wins"),
    (MAX_LISTED + 2, 1, "1 other first move does not win"),
    (1, 5, "5 other first moves do not win"),
])  # fmt: skip
def test_first_moves_as_quick_as_each_other_are_told_together(n, more, said):
    """Should name a few for each rank, say how many there are, and how many do not win."""
    moves = tuple(FirstMove((f"m{rank}({i})",), rank, "") for rank in (1, 3) for i in range(n))
    shown = terminal(Document("", (Section("", first_moves(moves, 2 * n + more)),)))
    *lines, last = [line.strip() for line in shown.splitlines()[1:]]
    assert last == said and len(lines) == 2
    for line, rank, soon in zip(lines, (1, 3), ("1 move", "3 moves")):
        assert line.endswith(f"violation within {soon}")
        assert f"m{rank}({', '.join(map(str, range(min(n, MAX_LISTED))))}" in line
        assert (f"… {n} in all" in line) == (n > MAX_LISTED)


def test_assumptions_are_part_of_an_answer():
    """Should list what is taken for granted, with the options that change it; in text, Markdown and data."""
    found = analyse(configuration(read_scenario(ROOT / "scenarios/paper.yaml")))
    told = analysis_object(found)["assumptions"]
    assert {"assumption": "the two sides take turns, one move each", "option": "network.tempo"} in told
    assert terminal(analysis_document(found)).count("assuming") == 1
    for form in (terminal, markdown):
        text = " ".join(form(analysis_document(found)).split())
        assert all(premise["assumption"] in text and premise["option"] in text for premise in told)
    assert analysis_of(plain_of(found)) == found
