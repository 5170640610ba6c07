"""The documentation is run: Python examples as doctests, shell examples as a reader would type them.

A page is worked through from top to bottom in an empty directory. A block below ``<!-- file: NAME -->`` is
written to that file; in a ``console`` block a line that starts with ``$`` is typed, and what stands below it
must come out (``...`` for any text, white space at will). Without anything below, only success is asked.

The site itself is built and looked through by ``make docs``; here are tested what it is made from, and the check.
"""

import doctest
import importlib
import pkgutil
import re
import shutil
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import holdfast
from holdfast.apps import cli
from holdfast.apps.cli.examples import EXAMPLES, Example
from holdfast.models.network import techniques
from holdfast.scenario.library import library_card, library_cards
from paths import ROOT
from transcripts import BLOCK, COMMAND, run

sys.path.insert(0, str(ROOT / "docs" / "pages"))

import api_pages
import command_pages
import glossary_words
import hooks
import library_page
import markup
import site_check

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MADE = {
    ROOT / "docs" / "library.md",
    *(ROOT / "docs" / page for page in (*hooks.FROM_THE_ROOT, hooks.OUTPUT)),
    ROOT / "docs" / "commands" / "index.md",
    ROOT / "docs" / "api" / "index.md",
}
MADE |= {ROOT / "docs" / "library" / f"{card.name}.md" for card in library_cards()}
MADE |= {ROOT / "docs" / "commands" / f"{name}.md" for name in command_pages.command_names()}
MADE |= {ROOT / "docs" / "api" / f"{page}.md" for page in api_pages.CHAPTERS}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")


def blocks(page):
    return BLOCK.finditer(page.read_text("utf-8"))


def typed(page):
    return any(block["language"] == "console" for block in blocks(page))


@pytest.mark.parametrize("page", [p for p in PAGES if typed(p)], ids=lambda p: p.stem)
def test_shell_examples_should_do_what_the_page_shows(page, tmp_path):
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios")
    checker, last = doctest.OutputChecker(), 0
    for block in blocks(page):
        if block["file"]:
            (tmp_path / block["file"]).write_text(block["body"], "utf-8")
        if block["language"] != "console":
            continue
        found = list(COMMAND.finditer(block["body"]))
        for here, after in zip(found, [*found[1:], None]):
            last, out, err = run(here["command"], tmp_path, last)
            if here["output"].strip():
                shown = checker.check_output(here["output"], out + err, FLAGS)
                assert shown, f"{here['command']}\n\nexpected:\n{here['output']}\ngot:\n{out}{err}"
            elif after is None or "$?" not in after["command"]:
                assert last == 0, f"{here['command']} left with {last}:\n{out}{err}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_should_lead_somewhere(page):
    for link in LINK.finditer(page.read_text("utf-8")):
        target = (page.parent / link["target"]).resolve() if link["target"] else page
        if target in MADE:
            continue
        assert target.exists(), f"{page.name} links to {link['target']}, which is not there"
        if link["anchor"] and target.suffix == ".md":
            titles = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.M)
            anchors = {found[1] for title in titles if (found := re.search(r"\{ #([\w-]+) \}$", title))}
            anchors |= {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
            assert link["anchor"] in anchors, (
                f"{page.name}: no heading for #{link['anchor']} in {target.name}"
            )


OUTSIDE = re.compile(r"\]\((?P<address>https?:[^)\s]*)\)")
WELL_FORMED = re.compile(r"https://[a-z0-9.-]+\.[a-z]{2,}(?:/[\w.~%/+#=?&:-]*)?")


def test_addresses_outside_should_be_well_formed():
    """Should be encrypted and whole; whether anybody is there cannot be asked without a network."""
    found = [a for page in PAGES for a in OUTSIDE.findall(page.read_text("utf-8"))]
    assert found and [address for address in found if not WELL_FORMED.fullmatch(address)] == []


CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
DOTTED = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\(.*\))?")
FILES = {"html", "json", "md", "py", "pyi", "sarif", "toml", "xml", "yaml", "yml"}
PACKAGE = Path(holdfast.__file__).parent
TOP = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}


def named_in(page):
    """The dotted names of code on a page, as they read from the package on."""
    for code in CODE.finditer(page.read_text("utf-8")):
        found = DOTTED.fullmatch(code[1])
        if found is None or found["name"].rpartition(".")[2] in FILES:
            continue
        first, _, rest = found["name"].partition(".")
        if first in ("holdfast", "hf"):
            yield rest
        elif (
            page.name == "theory.md" or first in TOP
        ):  # elsewhere others are keys of JSON, or words of formulas
            yield found["name"]


def resolved(name):
    """Whether there is a module of this name, or an attribute of one or of a class."""
    try:
        pkgutil.resolve_name(f"holdfast.{name}")
    except (AttributeError, ImportError):
        owner, _, last = name.rpartition(".")
        return bool(owner) and resolved(owner) and last in fields_of(f"holdfast.{owner}")
    return True


def fields_of(name):
    return getattr(pkgutil.resolve_name(name), "__dataclass_fields__", ())


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.stem)
def test_names_of_code_should_exist(page):
    names = set(named_in(page))
    assert {name for name in names if not resolved(name)} == set()
    assert len(names) > 20 or page.name != "theory.md"


@pytest.mark.parametrize(
    "name", ["learn.kernels", "compare.compare", "Solution.nothing", "nothing", "env.nothing"]
)
def test_a_name_that_is_not_there_should_be_found_out(name):
    assert not resolved(name)


def test_every_page_should_be_in_the_navigation():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8")))
    written = {str(p.relative_to(ROOT / "docs")) for p in PAGES if p.name != "README.md"}
    assert written | {hooks.OUTPUT, *hooks.FROM_THE_ROOT} == listed


# -- the pages that are made when the site is built --------------------------------------------------


@pytest.mark.parametrize("name", command_pages.command_names())
def test_a_command_page_should_say_all_that_its_help_says(name):
    command, page = app_command(name), command_pages.command_page(name, run=False)
    for parameter in command.params:
        for written in parameter.opts:
            assert written in page or written.upper() in page or parameter.metavar in page
    assert EXAMPLES[name].lines[-1] in page
    assert "\n| 1 |" in page or not re.search(r"Exit 1|, 1 if", command.help)
    assert EXAMPLES[name].lines[-1] in CliRunner().invoke(cli.app, [name, "--help"]).stdout
    assert f"](../{command_pages.MORE[name][1]})" in page


def app_command(name):
    return typer.main.get_command(cli.app).whole(name)


def test_examples_of_commands_should_be_run_and_their_output_shown():
    """Should show what a reader would see; the slower examples are run when the site is built."""
    page = command_pages.command_page("verify")
    assert "$ holdfast init --like paper segment.yaml\n" in page
    assert "$ holdfast verify proof.json\nReference segment\nVALID: it is DEFENSIBLE" in page
    assert "… and " not in page and "README" not in page


def test_an_example_that_fails_should_stop_the_build(monkeypatch):
    monkeypatch.setitem(EXAMPLES, "check", Example(("holdfast check nowhere.yaml",)))
    with pytest.raises(RuntimeError, match="left with 2"):
        command_pages.command_page("check")


def test_every_command_should_have_an_example():
    assert tuple(EXAMPLES) == command_pages.command_names() == tuple(command_pages.MORE)


def test_examples_in_docstrings_should_be_shown_as_code():
    shown = markup.from_docstring("Reads.\n\n>>> [one for one in (DDR*,)]\n[('a',)]\n\nThen DDR*.")
    assert shown == "Reads.\n\n```pycon\n>>> [one for one in (DDR*,)]\n[('a',)]\n```\n\nThen DDR\\*."


def test_a_warning_should_stop_the_build_of_the_site():
    recipe = re.search(r"^docs:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)[1]
    build = next(line for line in recipe.splitlines() if "mkdocs build" in line).split()
    assert "--strict" in build
    assert not {"--quiet", "-q"} & {*build}  # it takes the warnings away before --strict counts them


def test_every_public_name_should_have_one_place_in_the_reference():
    assert api_pages.unplaced() == set()
    for page in api_pages.CHAPTERS:
        for name in re.findall(r"^::: ([\w.]+)$", api_pages.api_page(page), re.M):
            owner, _, last = name.rpartition(".")
            assert (
                name in ("holdfast.env", "holdfast.operation", "holdfast.models")
                or getattr(pytest.importorskip(owner), last).__doc__
            ), f"{name} has no docstring"


def test_the_library_should_tell_each_scenario_with_its_verdicts():
    """Should have the question, the answers and a picture that says something, if there is one."""
    assert "<svg" not in "\n".join(library_page._entry(library_card("water-tank")))  # one box
    entry = "\n".join(library_page._entry(library_card("indefensible")))
    assert (
        "- φ_A: `G (times(destroy) <= 1)`" in entry and '<span class="held">DEFENSIBLE</span>, WIN' in entry
    )
    assert '<span class="lost">NOT DEFENSIBLE within 3 moves</span>' in entry
    assert entry.count("<svg") == 1 and "\n\n" not in entry[entry.index("<svg") : entry.index("</svg>")]
    assert "holdfast init --like indefensible\nholdfast check indefensible.yaml\n" in entry
    assert "| Actions | 15 of the defender, 9 of the adversary |" in entry


def test_actions_should_have_the_names_that_layers_have():
    """Should hold the page of the actions to what `explain --layer` writes."""
    page = (ROOT / "docs" / "actions.md").read_text("utf-8")
    for technique in (techniques.SPREAD, techniques.ENTER, techniques.DESTROY, *techniques.ANSWERS.values()):
        assert f"[{technique.id}](" in page and technique.name in page
    assert {*re.findall(r"\{ #(\w+) \}", page)} == {"spread", "destroy", "noop", *techniques.ANSWERS} - {
        "unblock"
    }


def test_every_page_should_end_in_the_glossary():
    words = {word.anchor: word for word in glossary_words.glossary_words()}
    assert {"win", "stp", "slt", "ddr", "ddr-star", "effort", "tempo", "grace", "shell", "rank"} < set(words)
    text = "# Title WIN\n\nThe *shield* keeps SLT; see `STP` and [a rank](how-to/x.md). Two shells, DDR*.\n"
    told = glossary_words.footer("how-to/explain.md", text)
    links = re.findall(r"\((\.\./glossary\.md#?[\w-]*)\)", told)
    assert [link.partition("#")[2] for link in links] == ["", "shield", "slt", "rank", "shell", "ddr-star"]
    assert "[Glossary](../glossary.md)" in glossary_words.footer("how-to/explain.md", "nothing")
    shown = re.findall(r"^\*\[(\w+)\]: \S", glossary_words.abbreviations(), re.M)
    assert shown == ["WIN", "STP", "SLT"]


def test_a_site_with_dead_links_should_be_refused(tmp_path):
    (tmp_path / "glossary").mkdir()
    (tmp_path / "glossary" / "index.html").write_text('<h1 id="win">WIN</h1><a href="..">up</a>')
    good = '<a href="glossary/#win">WIN</a><a href="https://else.example/x">far</a><img src="data:,x">'
    (tmp_path / "index.html").write_text(good)
    assert list(site_check.faults(tmp_path)) == []
    (tmp_path / "index.html").write_text(
        '<a href="glossary/#lose">x</a><a href="gone/">x</a><script src="https://else.example/x.js"></script>'
        '<link rel="stylesheet" href="a.css">'
    )
    (tmp_path / "glossary" / "other.html").write_text("<p>alone</p>")
    assert list(site_check.faults(tmp_path)) == [
        "glossary/other.html has no link to the glossary",
        "index.html loads https://else.example/x.js from another host",
        "index.html loads a.css, which is not there",
        "index.html links to glossary/#lose, and there is no such anchor",
        "index.html links to gone/, which is not there",
    ]


# -- pictures ---------------------------------------------------------------------------------------


def test_pictures_should_show_what_the_program_draws_today(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    monkeypatch.chdir(ROOT)
    for name, drawn in importlib.import_module("picture").pictures():
        shown = (ROOT / "docs" / name).read_text("utf-8")
        assert words_of(drawn) == words_of(shown), f"docs/{name} is out of date: make pictures"


def words_of(svg):
    """The texts in a picture, in order; coordinates may differ between versions of the plotting library."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)
