"""What is said of a release in several places says the same."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import yaml

import holdfast

ROOT = Path(__file__).parents[1]
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
    assert everything == f"holdfast[{','.join(sorted(set(extras) - {'all', 'dev', 'train'}))}]"
