"""What is said of a release in several places says the same."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from typer.testing import CliRunner

import holdfast
from holdfast.apps.cli import app
from holdfast.apps.cli.manual import manual
from paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_version_is_written_once():
    """Should be read from the package by the build, and be that of the citation and of the newest changes."""
    assert PROJECT["dynamic"] == ["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    heads = re.findall(r"^## \[(.+?)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert str(cited["version"]) == heads[0][0] == holdfast.__version__


def test_a_release_has_one_date():
    """Should be unreleased in both files, or released on the same day."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    head = re.search(r"^## \[.+?\] - (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert head is not None and head[1] == str(cited.get("date-released", "unreleased"))


def test_classifiers_begin_with_the_oldest_python():
    """Should name the versions of Python one after the other, from the oldest that is accepted."""
    named = [c.rpartition(" :: ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    first = int(PROJECT["requires-python"].removeprefix(">=3."))
    assert named == [f"3.{n}" for n in range(first, first + len(named))]


def test_every_extra_that_a_message_names_exists():
    """Should be one that pip knows, wherever a library is missing; and `all` should have them all."""
    named = set()
    for path in (ROOT / "src" / "holdfast").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "missing":
                extra = node.args[1]
                named |= {extra.value} if isinstance(extra, ast.Constant) else {"rl"}
    extras = PROJECT["optional-dependencies"]
    assert named >= {"cluster", "grid", "rl", "studio"} and named <= set(extras)
    (everything,) = extras["all"]
    assert everything == f"holdfast[{','.join(sorted(set(extras) - {'all', 'dev', 'docs', 'train'}))}]"


def test_every_extra_is_documented():
    """Should stand in the table of the page on installing, with a word on what it is for."""
    text = (ROOT / "docs" / "how-to" / "install.md").read_text("utf-8")
    named = set(re.findall(r"^\| `holdfast\[(\w+)\]` \|", text, re.MULTILINE))
    assert named == set(PROJECT["optional-dependencies"]) - {"dev", "docs"}


def test_the_manual_page_is_that_of_the_commands():
    """Should have been written anew where a text or an option of a command has changed."""
    kept = (ROOT / "release" / "holdfast.1").read_text("utf-8")
    assert kept == manual(), "make man writes it anew"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_good_roff():
    """Should be set without a warning, with the commands, their options and the exit codes in it."""
    command = ["groff", "-ww", "-man", "-K", "utf8", "-T", "utf8", str(ROOT / "release" / "holdfast.1")]
    done = subprocess.run(command, capture_output=True, text=True)
    shown = " ".join(re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout).split())  # lines are justified
    assert (done.returncode, done.stderr) == (0, "")
    for expected in ("export-shield [OPTIONS]", "--min-slt", "undecided because a limit stopped the work"):
        assert expected in " ".join(shown.split()), expected  # lines are set full, by wider spaces


@pytest.mark.parametrize(
    ("line", "offered"),
    {
        "ch": "check",
        "check --eng": "--engine",
        "check paper.yaml --engine ": "auto explicit symbolic",
        "check paper.yaml --variant ": "fully-connected unlimited-destroys two-active no-bypass",
        "compare paper.yaml office.yaml -v st": "strict strict-one-door strict-offline-backup",
        "explain nowhere.yaml -v ": "",
        "frontier . --variant ": "",
        "init --like water": "water-tank water-works",
        "check pap": "",  # left to the shell, which knows files
        "nonsense x": "",
    }.items(),
)
def test_a_shell_completes(monkeypatch, line, offered):
    """Should offer commands, options, their values, the variants of the file on the line, and the library."""
    monkeypatch.chdir(ROOT / "scenarios")
    words = f"holdfast {line}"
    place = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    done = CliRunner().invoke(
        app, [], prog_name="holdfast", env={"_HOLDFAST_COMPLETE": "complete_bash", **place}
    )
    assert done.exit_code == 0 and done.output.split() == offered.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell):
    """Should call this very program back."""
    done = CliRunner().invoke(app, [], prog_name="holdfast", env={"_HOLDFAST_COMPLETE": f"source_{shell}"})
    assert done.exit_code == 0 and f"_HOLDFAST_COMPLETE=complete_{shell}" in done.output
