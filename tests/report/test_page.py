"""The HTML report, opened in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from contrasts import CONTRASTS
from holdfast.errors import InputError
from holdfast.explanation.explaining import explain
from holdfast.game.configuration import drawn_graph
from holdfast.game.protocol import Protocol
from holdfast.readings.analysis import analyse
from holdfast.readings.archive import provenance_of
from holdfast.readings.compare.designs import compare_subjects
from holdfast.readings.compare.positions import Subject
from holdfast.readings.gates import Gate
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
    Illustration,
    Illustrations,
    Points,
    Prose,
    Row,
    Section,
    Span,
    Table,
    Tree,
    Warnings,
    words,
)
from holdfast.report.documents import explanation as explanation_document, pictures
from holdfast.report.documents.background import background
from holdfast.report.documents.comparison import comparison_document
from holdfast.report.documents.fingerprint import analysis_document
from holdfast.report.renderers import page
from holdfast.report.renderers.page import shown, written
from holdfast.running.files import write_whole
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from samples import changed

HOSTILE = (
    "<script>window.hacked = 1</script>",
    '"\'><img src=x onerror="window.hacked = 2">',
    "</style></script><svg onload='window.hacked = 3'>",
    "{{ 7 * 7 }}{% raw %}",
    "\u202ereversed\u2066 \u200f",
    "x" * 10_000,
)


# -- pages ------------------------------------------------------------------------------------------


def subjects_of(scenario, names, protocol=None):
    """The variants, analysed; with their solutions, which are then not worked out again for every page."""
    subjects = []
    for name in names:
        chosen, solutions = configuration(scenario, name), []
        found = analyse(
            chosen,
            protocol,
            learning=protocol is not None,
            exact=True,
            provenance=provenance_of(scenario.text, chosen.variant, {}),
            solved=solutions.append,
        )
        subjects.append(Subject(name, found, chosen, *solutions))
    return subjects


def page_of(scenario, subjects, base=None):
    return page.page(
        comparison_document(
            compare_subjects(subjects, base),
            lead=f"{scenario.name}\n\n{scenario.description}",
            backgrounds={s.label: background(scenario, s.configuration) for s in subjects},
        )
    )


@pytest.fixture(scope="module")
def paper():
    scenario = read_scenario("scenarios/paper.yaml")
    return page_of(scenario, subjects_of(scenario, ["base", *scenario.variants]))


@pytest.fixture(scope="module")
def learned_subjects():
    """Two cases after a short training, so that box plot and trajectories are drawn."""
    protocol = Protocol(episodes=40, window=10, steps=100, seeds=3)
    return subjects_of(read_scenario("scenarios/paper.yaml"), ["base", "no-bypass"], protocol)


@pytest.fixture(scope="module")
def learned(learned_subjects):
    return page_of(read_scenario("scenarios/paper.yaml"), learned_subjects)


@pytest.fixture(scope="module")
def single():
    scenario = read_scenario("scenarios/paper.yaml")
    chosen = configuration(scenario)
    gates = [Gate("win", minimum=0.5, value=0.4746, met=False)]
    return page.page(analysis_document(analyse(chosen, exact=True), gates, background(scenario, chosen)))


@pytest.fixture(scope="module")
def explained():
    """A lost design with its reasons, whose clause and action are attacks."""
    scenario = scenario_from_text(
        "holdfast: 1\n"
        "game:\n"
        "  variables: {level: 0..3, brake: 0..1}\n"
        "  initial: {level: 0, brake: 1}\n"
        "  defender:\n"
        "    hold: [{when: brake > 0 & level > 0, set: {brake: 0, level: level - 1}}]\n"
        "    wait: {}\n"
        "  adversary: {push: [{when: level < 3, set: {level: level + 1}}]}\n"
        f"specs: {{defender: [{{name: {quoted(HOSTILE[0] + HOSTILE[4] + HOSTILE[5])}, formula: G (level < 3)}}]}}\n"
    )
    chosen = configuration(scenario)
    reasons = tuple(explanation_document.reasons(explain(solve(chosen))))
    return page.page(analysis_document(analyse(chosen), (), background(scenario, chosen), reasons))


@pytest.fixture(scope="module")
def hostile():
    """A comparison whose every name is an attack; the first of them is also the title and the description."""
    variants = "".join(f"  ? {quoted(name)}\n  : {{remove_links: [GW -> DB]}}\n" for name in HOSTILE)
    scenario = scenario_from_text(
        "holdfast: 1\n"
        f"name: {quoted(' '.join(HOSTILE))}\n"
        f"description: {quoted(' '.join(HOSTILE))}\n"
        "network: {hosts: [GW, DB], links: [GW -> DB], entry: GW}\n"
        "specs:\n  defender:\n"
        f"    - {{name: {quoted(HOSTILE[0])}, formula: G (DB != Z)}}\n"
        f"variants:\n{variants}"
    )
    return page_of(scenario, subjects_of(scenario, ["base", *scenario.variants]), " ".join(HOSTILE[:1]))


def quoted(text):
    """A YAML string in double quotes, every unusual character as an escape."""
    return '"' + "".join(c if c.isalnum() or c == " " else f"\\U{ord(c):08x}" for c in text) + '"'


# -- a browser --------------------------------------------------------------------------------------


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page from a file; what the console says and what is requested is kept in lists."""
    contexts = []

    def opening(html, width=1400, **options):
        file = tmp_path / "report.html"
        file.write_text(html, "utf-8")
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        tab = contexts[-1].new_page()
        tab.said, tab.asked = [], []
        tab.on("console", lambda message: tab.said.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: tab.said.append(str(error)))
        tab.on("dialog", lambda dialog: (tab.said.append("dialog"), dialog.dismiss()))
        tab.on("request", lambda request: tab.asked.append(request.url))
        tab.goto(file.as_uri())
        return tab

    yield opening
    for context in contexts:
        context.close()


def column(tab, n, table=0):
    """The texts of a column, from the top down."""
    rows = f"table >> nth={table} >> css=tbody tr > :nth-child({n})"
    return [text.split("\n")[0] for text in tab.locator(rows).all_inner_texts()]


def header(tab, n, table=0):
    return tab.locator(f"table >> nth={table} >> css=thead th:nth-child({n})")


# -- what it must show ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["paper", "learned", "single", "explained", "hostile"])
def test_a_page_is_quiet_and_asks_for_nothing(name, opened, request):
    """Should log nothing, request nothing but itself, and not scroll sideways, narrow or wide."""
    tab = opened(request.getfixturevalue(name), 360)
    assert tab.evaluate("document.documentElement.scrollWidth") == 360
    tab.set_viewport_size({"width": 1400, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") == 1400
    assert tab.said == []
    assert [url.rsplit("/", 1)[-1] for url in tab.asked] == ["report.html"]


@pytest.mark.parametrize("name", ["paper", "learned", "single", "explained"])
def test_text_has_contrast(name, opened, request):
    """Should reach 4.5 to 1 everywhere (WCAG AA), also on the bars, light and dark."""
    tab = opened(request.getfixturevalue(name))
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        found = tab.evaluate(CONTRASTS)
        assert len(found) > 100
        assert [(round(ratio, 2), text) for ratio, text in found if ratio < 4.5] == [], scheme


def test_light_and_dark(paper, opened):
    """Should follow the system, and the reader's own choice over it."""
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (opened(paper, color_scheme=scheme) for scheme in ("light", "dark"))
    assert light.evaluate(ground) != dark.evaluate(ground)
    button = light.get_by_role("button", name="Dark colours")
    button.focus()
    light.keyboard.press("Enter")
    assert light.evaluate(ground) == dark.evaluate(ground)
    light.get_by_role("button", name="Light colours").click()
    assert light.evaluate(ground) != dark.evaluate(ground)
    ink = "getComputedStyle(document.querySelector('.drawing text')).fill"
    assert light.evaluate(ink) != dark.evaluate(ink)


def test_tables_sort_by_number_and_by_word(paper, opened):
    """Should sort by clicks and keys, say so to a screen reader, and find back to the order of the file."""
    tab = opened(paper)
    original = column(tab, 1)
    assert original == ["base", "fully-connected", "unlimited-destroys", "two-active", "no-bypass"]
    assert header(tab, 2).get_attribute("aria-sort") == "none"
    win = header(tab, 2).get_by_role("button")
    win.click()
    assert column(tab, 2) == sorted(column(tab, 2), key=float)
    assert column(tab, 1)[0] == "unlimited-destroys"
    assert header(tab, 2).get_attribute("aria-sort") == "ascending"
    win.press("Enter")
    assert column(tab, 1)[0] == "two-active"
    assert header(tab, 2).get_attribute("aria-sort") == "descending"
    win.press("Space")
    assert column(tab, 1) == original
    assert header(tab, 2).get_attribute("aria-sort") == "none"
    header(tab, 1).get_by_role("button").press("Enter")
    assert column(tab, 1) == sorted(original)
    assert header(tab, 1).get_attribute("aria-sort") == "ascending"


def test_sorting_is_exact_stable_and_keeps_what_is_missing_last(opened):
    """Should tell apart counts past 2^53, keep ties in order, and put a dash at the end both ways."""
    values = [5**100 + 1, None, 3, 5**100, -2.5, 3]
    rows = tuple((f"case-{i}", value) for i, value in enumerate([*values, *[0.5] * 6]))
    table = Table("Counts", (words("design"), Column("positions")), rows)
    tab = opened(page.page(Document("t", (Section("s", (table,)),))))
    names = [name for name, _ in rows]
    button = header(tab, 2).get_by_role("button")
    for reverse in (False, True):
        button.click()
        known = sorted(
            (row for row in rows if row[1] is not None),
            key=lambda row: (-1 if reverse else 1) * row[1],
        )
        assert column(tab, 1) == [*(name for name, _ in known), "case-1"]
    header(tab, 1).get_by_role("button").click()
    assert column(tab, 1) == names, "case-2 comes before case-10"


def test_a_matrix_does_not_sort(paper, opened):
    """Should leave tables alone whose order means something."""
    tab = opened(paper)
    matrix = tab.locator("table", has_text="before ↓ after →").first
    assert matrix.get_by_role("button").count() == 0


def test_hostile_names_are_inert(hostile, opened):
    """Should show attacks as text, in headings, cells, figures and the title."""
    tab = opened(hostile, 360)
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("script").count() == 1
    assert tab.locator("img, iframe, object, embed, link[rel=stylesheet]").count() == 0
    assert tab.evaluate("[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
                        ".filter(name => name.startsWith('on'))") == []  # fmt: skip
    text = tab.evaluate("document.body.textContent")
    assert HOSTILE[0] in text and HOSTILE[2] in text and HOSTILE[3] in text
    assert not set("\u202e\u2066\u200f") & set(text + tab.title())
    assert len(tab.title()) <= 120
    for button in tab.locator("thead button").all()[:4]:
        button.click()
    assert tab.said == []


def test_the_policy_holds_even_against_a_script(paper, opened):
    """Should refuse requests and added scripts in the browser itself."""
    tab = opened(paper)
    refused = tab.evaluate(
        """async () => {
            const broken = [];
            addEventListener("securitypolicyviolation", (e) => broken.push(e.effectiveDirective));
            await fetch("http://127.0.0.1:9/").catch(() => {});
            const script = document.createElement("script");
            script.textContent = "window.hacked = 1";
            document.body.append(script);
            await new Promise((done) => setTimeout(done, 50));
            return broken;
        }"""
    )
    assert "connect-src" in refused and any(name.startswith("script-src") for name in refused)
    assert tab.evaluate("window.hacked") is None


def test_it_prints(learned, opened):
    """Should give a few pages on white, without the navigation, even when the reader looks at it in the dark."""
    tab = opened(learned, color_scheme="dark")
    tab.get_by_role("button", name="Light colours").click()
    tab.get_by_role("button", name="Dark colours").click()
    pdf = tab.pdf(prefer_css_page_size=True, print_background=True)
    assert 3 <= len(re.findall(rb"/Type /Page\b", pdf)) <= 12
    tab.emulate_media(media="print")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not tab.locator("nav").is_visible()
    assert not tab.get_by_role("button", name="Light colours").is_visible()


def test_it_can_be_read_without_scripts_and_without_eyes(paper, opened):
    """Should be complete without JavaScript, with one h1, captions, scopes and described figures."""
    tab = opened(paper, java_script_enabled=False)
    assert tab.locator("thead button").count() == 0
    assert not tab.locator("#theme").is_visible()
    assert tab.get_by_role("heading", level=1).count() == 1
    n_tables = tab.locator("table").count()
    assert n_tables >= 8 and tab.locator("table > caption").count() == n_tables
    assert tab.locator("thead th:not([scope=col])").count() == 0
    assert tab.locator("tbody th:not([scope=row])").count() == 0
    described = [box.get_attribute("aria-label") for box in tab.locator("figure [role=img]").all()]
    assert len(described) >= 5 and all(len(words) > 40 for words in described)


def test_wide_tables_are_reached_by_keyboard(paper, opened):
    """Should give what scrolls sideways a place in the order of the Tab key, and only that."""
    tab = opened(paper, 360)
    boxes = tab.locator(".scroll[tabindex='0'], .drawing[tabindex='0']")
    assert boxes.count() > 3
    tab.set_viewport_size({"width": 1400, "height": 900})
    tab.wait_for_function("!document.querySelector('[tabindex]')")
    assert boxes.count() == 0


@pytest.mark.parametrize("width", [1000, 1200, 1400])
def test_no_matrix_is_clipped_where_there_is_room(paper, opened, width):
    """Should put side by side only what fits there."""
    tab = opened(paper, width)
    clipped = tab.evaluate(
        "[...document.querySelectorAll('.row .scroll')]"
        ".filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)"
    )
    assert clipped == []


def test_an_attack_folds(explained, opened):
    """Should fold a branch of the attack by click and by key, without a script, and hold nothing that acts."""
    tab = opened(explained, java_script_enabled=False)
    branch = tab.locator(".tree details").first
    reply = branch.locator("li").first
    assert reply.is_visible() and "push" in branch.locator("summary").first.inner_text()
    branch.locator("summary").first.click()
    assert not reply.is_visible()
    branch.locator("summary").first.press("Enter")
    assert reply.is_visible()
    assert tab.locator("script").count() == 1 and not set("\u202e\u2066") & set(explained)
    assert "violates “<script>" in tab.locator(".tree").inner_text()


def test_ids_are_different(learned, opened):
    """Should not let one figure borrow the parts of another."""
    ids = opened(learned).evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)) > 10


# -- what stands on it ------------------------------------------------------------------------------


def test_the_comparison_tells_the_story(paper):
    """Should have verdicts, warnings, reading, every table and the provenance."""
    text = re.sub(r"<[^>]+>", "", paper)
    for said in ("All 5 designs are defensible", "is formally stronger than", "not by itself mean a better design",
                 "11,612 positions change rank", "changes the shells of ranks 3 and 4 only", "80 positions leave safe play",
                 "no-bypass removes 1 link (GW → WS)", "scenario sha256", "Reference segment"):  # fmt: skip
        assert said in text, said
    assert 'data-value="23858"' in paper


def test_training_adds_box_plot_and_trajectories(paper, learned):
    """Should draw operation where there was training, and say nothing of it elsewhere."""
    assert "Operation" not in paper and "Operation" in learned
    assert "last 10 episodes" in learned and "Box plot of DDR" in learned


def test_what_is_left_out_is_said(learned_subjects):
    """Should count the designs past those that are shown, and the ranks past those that are told."""
    scenario = read_scenario("scenarios/paper.yaml")
    base, other = learned_subjects
    names = [f"v{i}" for i in range(30)]
    many = [base, *(replace(other, label=name, configuration=None) for name in names)]
    comparison = compare_subjects(many)
    html = page.page(comparison_document(comparison))
    assert "v18, v19 and 10 others:" in html and "The first 12 of 31 designs." in html
    segments = pictures.segments("base", {name: drawn_graph(configuration(scenario)) for name in
                                          ("base", *names)})  # fmt: skip
    assert segments[-1] == Prose("… 18 more designs") and len(segments) == 1 + 12 + 1
    deep = changed(comparison.entries[0], shells=(1,) * 13)
    assert pictures.decomposition([deep]).description.endswith("1 in 12 moves, ….")


def test_captions_claim_only_what_is_there(learned_subjects):
    """Should speak of intervals and of one window only where there are such."""
    box, curves = pictures.operation(compare_subjects(learned_subjects))
    assert box.caption == "Dominance of each trained run, its mean and 95% interval, and DDR* where solved."
    assert "the last 10 episodes" in curves.caption and "last 10: DDR" in curves.svg
    one, other = learned_subjects
    alone = [
        replace(s, analysis=replace(s.analysis, ddr=replace(s.analysis.ddr, low=None, high=None)))
        for s in learned_subjects
    ]
    box, _ = pictures.operation(compare_subjects(alone))
    assert box.caption == "Dominance of each trained run, and DDR* where solved." and "boxed" not in box.svg
    longer = replace(
        other, analysis=replace(other.analysis, protocol=replace(other.analysis.protocol, window=20))
    )
    _, curves = pictures.operation(compare_subjects([one, longer]))
    assert "as each protocol says" in curves.caption and ": DDR" not in curves.svg


def test_the_single_page_tells_gates_and_certificate(single):
    """Should show the verdict, the counts behind it, and which gate was missed."""
    text = re.sub(r"<[^>]+>", "", single)
    for said in ("DEFENSIBLE", "WIN ≥ 0.5", "MISSED", "150,000", "26,270", "at most two destroys",
                 "The segment: entry GW, critical DB and BK."):  # fmt: skip
        assert said in text, said


def test_a_lost_design(opened):
    """Should say how soon, and leave out what is not defined."""
    scenario = read_scenario("scenarios/patrol-robot.yaml")
    found = analyse(configuration(scenario), exact=True)
    changed = replace(found, undecided="SLT: stopped", warnings=("beware",))
    tab = opened(page.page(analysis_document(changed)))
    assert tab.locator(".verdict.bad").inner_text().startswith("NOT DEFENSIBLE")
    assert "within 6 moves" in tab.locator(".verdict.bad").inner_text()
    assert tab.locator(".verdict.open").inner_text().startswith("LEFT OPEN")
    assert "beware" in tab.locator(".warnings").inner_text()
    assert tab.said == []


def test_every_block_is_rendered():
    """Should escape every kind of text, and draw marks, notes and bars."""
    attack = "<i>&\"'"
    table = Table(
        attack,
        (words(attack, attack), Column("n", "share"), Column("f", "code")),
        ((attack, Cell("50%", 0.5, attack), Cell(attack, strong=True)),),
        marks=("differs",),
        note=attack,
    )
    blocks = (
        Prose(attack),
        Points((attack,)),
        Banner("open", attack, attack, attack),
        Warnings((attack,)),
        Facts(((attack, attack), (attack, attack))),
        Row((table, Illustration("<?xml version='1.0'?><svg width='10pt'></svg>", attack, attack))),
        Heading(attack),
        CommandLine(attack, attack),
        Tree((Branch((Span(attack, "bad"),), (Branch((Span(attack),)),)),)),
        Aside((Illustrations(lambda: [Prose((Span(attack, "strong"), Span(attack, "quiet")))]),)),
    )
    html = page.page(
        Document(attack, (Section(attack, blocks),), attack, attack, ((attack, attack),), (attack,))
    )
    assert "<i>&" not in html and "<?xml" not in html
    assert html.count("&lt;i&gt;&amp;") >= 20
    assert 'class="mark-differs"' in html and "--share: 50.00%" in html
    assert html.startswith("<!DOCTYPE html>") and html.endswith("</html>\n")


def test_text_is_made_fit():
    """Should show direction marks, cut what nobody reads, and let long words break."""
    assert shown("a\x00\u202eb\nc") == "a··b\nc"
    assert len(shown("x" * 10_000)) == page.LONGEST_WORD
    assert len(shown("x " * 10_000)) == page.MAX_TEXT
    assert written("47.5% of φ_D") == "47.5% of φ<sub>D</sub>"
    assert written("a" * 30 + " <") == "a" * 24 + "<wbr>" + "a" * 6 + " &lt;"


def test_a_page_replaces_only_when_it_is_whole(tmp_path):
    """Should write beside and move, follow links, touch no other file, and say what went wrong."""
    file, link, other = tmp_path / "r.html", tmp_path / "link.html", tmp_path / "r.html.part"
    link.symlink_to(file)
    other.write_text("mine")
    write_whole(link, "one")
    assert file.read_text("utf-8") == "one" and link.is_symlink()
    with pytest.raises(InputError, match="cannot write"):
        write_whole(file, "\ud800 cannot be encoded")
    with pytest.raises(InputError, match="cannot write"):
        write_whole(tmp_path / "none" / "r.html", "x")
    assert file.read_text("utf-8") == "one" and other.read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.html", "r.html", "r.html.part"]
    usual = tmp_path / "usual"
    usual.touch()
    assert file.stat().st_mode == usual.stat().st_mode
