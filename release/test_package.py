"""What is shipped: built, installed into an empty environment far from the project, and used there.

`make package` runs this. The environment has the wheel and what that depends on, no extra, no pip.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata

from holdfast import __version__

ROOT = Path(__file__).parents[1]


def run(*command: object, at: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a command says in a folder, with nothing of this project on Python's path."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        list(map(str, command)), cwd=at, env={**clean, **environment}, capture_output=True, text=True
    )


def build(at: Path, to: Path, *kinds: str) -> list[Path]:
    """The distributions of a source tree."""
    asked = [word for kind in kinds for word in ("-t", kind)]
    done = run(sys.executable, "-m", "hatchling", "build", "-d", to, *asked, at=at)
    assert done.returncode == 0, done.stderr
    return sorted(to.iterdir())


def inside(wheel: Path) -> dict[str, str]:
    """What is in a wheel: each file with its hash."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The sdist and the wheel of this tree."""
    sdist, wheel = sorted(
        build(ROOT, tmp_path_factory.mktemp("dist"), "sdist", "wheel"), key=lambda path: path.suffix
    )
    return sdist, wheel


@pytest.fixture(scope="session")
def room(built, tmp_path_factory):
    """An empty environment with the wheel in it; gives the folder of its programs."""
    place = tmp_path_factory.mktemp("room")
    assert run(sys.executable, "-m", "venv", "--without-pip", place, at=place).returncode == 0
    bin = place / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", bin / "python", "install", "--quiet", "--no-compile"]
    done = run(*pip, built[1], at=place)
    assert done.returncode == 0, done.stderr
    return bin


@pytest.fixture(scope="session")
def desk(room, tmp_path_factory):
    """A folder somewhere else, with a scenario of the library in it."""
    place = tmp_path_factory.mktemp("desk")
    done = run(room / "holdfast", "init", "--like", "paper", "segment.yaml", at=place)
    assert done.returncode == 0, done.stderr
    return place


# -- what is built ----------------------------------------------------------------------------------


def test_the_wheel_has_the_package_and_the_library_and_nothing_else(built):
    """Should hold every file of the package and every scenario that the project knows of."""
    known = run("git", "ls-files", "-co", "--exclude-standard", "src/holdfast", "scenarios", at=ROOT)
    if known.returncode:
        pytest.skip("not a clone of the project")
    expected = {
        name.removeprefix("src/") if name.startswith("src/") else f"holdfast/{name}"
        for name in known.stdout.splitlines()
        if (ROOT / name).exists()
    }
    found = {name for name in inside(built[1]) if ".dist-info/" not in name and ".data/" not in name}
    assert found == expected


def test_the_sdist_builds_the_same_wheel(built, tmp_path):
    """Should give file for file the same, so that both ways of installing are one."""
    sdist, wheel = built
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    assert {"CHANGELOG.md", "LICENSE", "Makefile", "release", "tests"} <= {p.name for p in tree.iterdir()}
    (again,) = build(tree, tmp_path / "again", "wheel")
    assert again.name == wheel.name and inside(again) == inside(wheel)


def test_the_container_file_copies_what_a_wheel_needs(built, tmp_path):
    """Should build the very same wheel from those files alone, and run it as somebody who is not root."""
    text = (ROOT / "Containerfile").read_text("utf-8")
    for words in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        *sources, target = words.split()
        for source in sources:
            place = tmp_path / "source" / (source if target == "./" else target)
            copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
            place.parent.mkdir(exist_ok=True)
            copy(ROOT / source, place)
    shutil.copy(ROOT / ".gitignore", tmp_path / "source")  # a clean clone has no caches in the first place
    (wheel,) = build(tmp_path / "source", tmp_path / "wheels", "wheel")
    assert inside(wheel) == inside(built[1])
    steps = re.findall(r"^(USER|ENTRYPOINT) (.+)$", text, re.MULTILINE)
    assert steps == [("USER", "1000"), ("ENTRYPOINT", '["holdfast"]')]


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_the_container_file_is_without_fault():
    """Should please the linter of such files."""
    done = run("hadolint", "Containerfile", at=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_metadata_are_whole(built):
    """Should be valid, and name the version, the licence, the text on the front and every extra."""
    with zipfile.ZipFile(built[1]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        found = Metadata.from_email(archive.read(name), validate=True)
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    assert str(found.version) == __version__ and found.license_expression == "MIT"
    assert found.description_content_type == "text/markdown"
    assert (found.description or "").startswith("# Holdfast")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(found.provides_extra or ()) == set(declared)


# -- what it does in an empty environment -----------------------------------------------------------


@pytest.mark.parametrize("command", [["holdfast"], ["python", "-m", "holdfast"]])
def test_it_says_its_version(room, tmp_path, command):
    """Should be found by both of its names, and be the one that was built."""
    done = run(room / command[0], *command[1:], "--version", at=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"holdfast {__version__}\n")


def test_it_checks_and_a_proof_is_verified(room, desk):
    """Should answer with the published count, and check its own proof."""
    done = run(room / "holdfast", "check", "segment.yaml", "--json", "--certificate", "proof.json", at=desk)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["winning"] == 23730
    done = run(room / "holdfast", "verify", "proof.json", at=desk)
    assert done.returncode == 0 and "VALID" in done.stdout


def test_it_compares_and_writes_a_page(room, desk):
    """Should write a report that has its style, its script and its pictures."""
    asked = "compare", "segment.yaml", "--no-learning", "--html", "report.html"
    done = run(room / "holdfast", *asked, at=desk)
    assert done.returncode == 0, done.stderr
    page = (desk / "report.html").read_text("utf-8")
    assert "no-bypass" in page and page.count("<svg") >= 5 and "<style>" in page and "<script>" in page


def test_man_finds_its_page(room):
    """Should lie beside the programs, where `man` looks for what is on the path."""
    page = room.parent / "share" / "man" / "man1" / "holdfast.1"
    assert page.read_text("utf-8") == (ROOT / "release" / "holdfast.1").read_text("utf-8")


def test_every_scenario_that_travels_is_listed(room, desk):
    """Should list the library of the project."""
    done = run(room / "holdfast", "init", "--list", at=desk)
    assert done.returncode == 0
    for scenario in (ROOT / "scenarios").glob("*.yaml"):
        assert re.search(rf"^\s*{re.escape(scenario.stem)}\b", done.stdout, re.MULTILINE), scenario.stem


WITHOUT = {
    "studio": ("holdfast", "studio", "segment.yaml", "--no-browser"),
    "mcp": ("holdfast", "mcp", "."),
    "cluster": ("holdfast", "frontier", "segment.yaml", "--cluster", "tcp://127.0.0.1:1"),
    "grid": ("holdfast", "check", "fourteen.yaml"),
}
"""For each extra a command that cannot do without it."""


@pytest.mark.parametrize("extra", WITHOUT)
def test_a_command_says_which_extra_it_needs(room, desk, extra):
    """Should be one clear message with what to type, and the exit code of bad input."""
    run(room / "holdfast", "init", "--like", "fourteen-bus", "fourteen.yaml", at=desk)
    program, *words = WITHOUT[extra]
    done = run(room / program, *words, at=desk)
    assert (done.returncode, done.stdout) == (2, "")
    first, *excerpt = done.stderr.splitlines()
    assert first.startswith("error: ") and f"pip install 'holdfast[{extra}]'" in first
    assert "Traceback" not in done.stderr and len(excerpt) <= 2  # the line of the file, and a caret


PYTHON = {
    "pandas": "hf.to_pandas(hf.analyse(hf.load('segment.yaml')))",
    "rl": "from holdfast import env; env.gym(hf.load('segment.yaml'))",
}
"""For each extra that only Python programs use, a line that needs it."""


@pytest.mark.parametrize("extra", PYTHON)
def test_a_program_hears_which_extra_it_needs(room, desk, extra):
    """Should be an error of Holdfast's own."""
    done = run(room / "python", "-c", f"import holdfast as hf; {PYTHON[extra]}", at=desk)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("holdfast.errors.InputError: ") and f"pip install 'holdfast[{extra}]'" in last
