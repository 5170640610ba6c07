"""The documentation is run: Python examples as doctests, shell examples as a reader would type them.

A page is worked through from top to bottom in an empty directory. A block below ``<!-- file: NAME -->`` is
written to that file; in a ``console`` block a line that starts with ``$`` is typed, and what stands below it
must come out (``...`` for any text, white space at will). Without anything below, only success is asked.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import command_folder

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

BLOCK = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n+)?^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.M | re.S
)
COMMAND = re.compile(r"^\$ (?P<command>.*(?:\\\n.*)*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.M)
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")


def blocks(page):
    return BLOCK.finditer(page.read_text("utf-8"))


def typed(page):
    return any(block["language"] == "console" for block in blocks(page))


def run(command, folder, last):
    """One typed line; ``$?`` is what the line before left."""
    environment = os.environ | {
        "PATH": f"{command_folder()}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", f"(exit {last}); {command}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


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
        assert target.exists(), f"{page.name} links to {link['target']}, which is not there"
        if link["anchor"] and target.suffix == ".md":
            titles = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.M)
            anchors = {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
            assert link["anchor"] in anchors, (
                f"{page.name}: no heading for #{link['anchor']} in {target.name}"
            )


def test_every_page_should_be_in_the_navigation():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8")))
    assert {str(p.relative_to(ROOT / "docs")) for p in PAGES if p.name != "README.md"} == listed


def test_the_site_should_build_without_a_warning(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tutorial" / "index.html").exists()


def test_the_built_site_should_ask_nothing_of_the_network(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    for file in tmp_path.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?:[^\"]+)\"", file.read_text("utf-8")
        )
        assert not loaded, f"{file.name} loads {loaded}"
