"""``fragile`` and ``guard`` from the command line: a change that adds the bypass is refused with the rule."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from junitparser import JUnitXml

from commands import command_folder, holdfast
from paths import ROOT

PAPER = str(ROOT / "scenarios" / "paper.yaml")
SEGMENT = """\
holdfast: 1
name: Shop
network:
  hosts: [GW, Web, DB]
  links:
    - GW -> Web
  entry: GW
specs: {defender: [G (DB = C)], adversary: [G (times(destroy) <= 1)]}
"""
BYPASS = SEGMENT.replace("    - GW -> Web\n", "    - GW -> Web\n    - GW -> DB\n")
REFUSED = "link GW -> DB must never be added: it no longer holds. The attack: "


@pytest.fixture
def shop(tmp_path):
    """A folder with a scenario and its guard."""
    (tmp_path / "segment.yaml").write_text(SEGMENT)
    (tmp_path / "bypass.yaml").write_text(BYPASS)
    done = holdfast("fragile", "segment.yaml", "--kind", "link", "--write", "guard.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_a_change_that_adds_the_bypass_is_refused(tmp_path):
    guard = str(tmp_path / "guard.json")
    asked = [
        "fragile",
        PAPER,
        "-v",
        "no-bypass",
        "--keep",
        "evict",
        "--kind",
        "link",
        "--write",
        guard,
        "--json",
    ]
    done = holdfast(*asked)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["additions"] for each in found["breakers"]] == [
        ["link GW -> WS"],
        ["link GW -> DB"],
        ["link GW -> BK"],
    ]
    assert (found["robustness"], found["complete_to"]) == (1, 1)
    assert len(json.loads((tmp_path / "guard.json").read_text())["proof_sha256"]) == 64
    assert holdfast("guard", guard, PAPER).returncode == 0
    refused = holdfast("guard", guard, PAPER, "-v", "base")
    assert refused.returncode == 1 and "link GW -> WS must never be added" in refused.stdout
    weaker = holdfast("guard", guard, PAPER, "-v", "two-active", "--json")
    assert weaker.returncode == 1 and json.loads(weaker.stdout)["weaker"]


def test_a_design_that_lacks_it_is_refused(tmp_path):
    lost = str(ROOT / "scenarios" / "indefensible.yaml")
    assert holdfast("fragile", lost).returncode == 1
    done = holdfast("fragile", lost, "--write", str(tmp_path / "guard.json"))
    assert done.returncode == 2 and "nothing to guard" in done.stderr


def test_several_files_and_what_pipelines_read_of_them(shop):
    """Should answer for each file, point at the new link, and leave with the worst exit code."""
    files = ["segment.yaml", "bypass.yaml"]
    done = holdfast("guard", "guard.json", *files, "--sarif", "a.sarif", "--junit", "a.xml", cwd=shop)
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first == "segment.yaml passes: it is the design that was proved"
    assert second.startswith(f"bypass.yaml FAILS: {REFUSED}")
    (result,) = json.loads((shop / "a.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "forbidden-addition" and REFUSED in result["message"]["text"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 7
    assert [suite.failures for suite in JUnitXml.fromstring((shop / "a.xml").read_text())] == [0, 1]
    told = json.loads(holdfast("guard", "guard.json", *files, "none.yaml", "--json", cwd=shop).stdout)
    assert told["exit_code"] == 2
    assert [each["exit_code"] for each in told["files"]] == [0, 1, 2]
    assert told["files"][1]["rule"] == ["link GW -> DB"] and "no such file" in told["files"][2]["error"]
    comment = holdfast("guard", "guard.json", *files, "--markdown", cwd=shop).stdout
    assert "1 of 2 designs must not be accepted" in comment


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("G (DB = C)", "G (DB != Z)", 'the requirement no longer asks "G (DB = C)"'),
        ("<= 1)", "<= 0)", 'the adversary is assumed to keep "G (times(destroy) <= 0)"'),
        ("entry: GW", "entry: Web", "the adversary is assumed not to begin at GW"),
        (
            "  entry",
            "  actions: {adversary: [noop, spread]}\n  entry",
            "the adversary is assumed not to destroy",
        ),
    ],
)
def test_a_weaker_claim_is_named_and_fails_unless_it_is_allowed(shop, old, new, named):
    weaker = SEGMENT.replace(old, new)
    if "destroy" in named:
        weaker = weaker.replace(", adversary: [G (times(destroy) <= 1)]", "")
    (shop / "segment.yaml").write_text(weaker)
    done = holdfast("guard", "guard.json", "segment.yaml", "--sarif", "a.sarif", cwd=shop)
    assert done.returncode == 1 and "claims less than what was proved" in done.stdout and named in done.stdout
    (result,) = json.loads((shop / "a.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "weaker-claim"
    allowed = holdfast("guard", "guard.json", "segment.yaml", "--allow-weaker", "--json", cwd=shop)
    assert json.loads(allowed.stdout)["solved"]


def test_compare_asks_the_guard_besides(shop):
    """Should fail although both designs would do without the guard, name the rule, and tell pipelines."""
    (shop / "two.yaml").write_text(SEGMENT.replace("- GW -> Web", "- GW -> Web\n    - Web -> GW"))
    asked = ["--against", "segment.yaml", "--guard", "guard.json", "--no-learning", "--no-ladder"]
    fine = holdfast("compare", "two.yaml", *asked, "--json", cwd=shop)
    assert fine.returncode == 0, fine.stderr
    assert json.loads(fine.stdout)["guard"]["two.yaml"]["added"] == ["link Web -> GW"]
    refused = holdfast("compare", "bypass.yaml", *asked, "--junit", "a.xml", cwd=shop)
    assert refused.returncode == 1 and f"guard: bypass.yaml: {REFUSED}" in refused.stderr
    assert "forbidden-addition" in (shop / "a.xml").read_text()


def ran(command, folder, **environment):
    """A command run as a person would, with ``holdfast`` on the path."""
    path = f"{command_folder()}{os.pathsep}{os.environ['PATH']}"
    given = os.environ | {"PATH": path, "PRE_COMMIT_HOME": str(folder / ".cache")} | environment
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, timeout=120)


def test_the_action_and_the_gitlab_job_ask_the_guard(shop):
    step = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][-1]
    job = yaml.safe_load((ROOT / "pipelines/gitlab.yml").read_text())[".holdfast"]
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    for file, code in (("segment.yaml", 0), ("bypass.yaml", 1)):
        asked = {"FILES": file, "GUARD": "guard.json", "GITHUB_STEP_SUMMARY": str(shop / "summary.md")}
        assert ran([*bash, step["run"]], shop, **asked).returncode == code
        asked = {"HOLDFAST_FILES": file, "HOLDFAST_GUARD": "guard.json"}
        assert ran([*bash, job["script"][-1]], shop, **asked).returncode == code
        assert (shop / "holdfast-guard.sarif").exists() and (shop / "holdfast-guard.xml").exists()
    assert "must never be added" in (shop / "summary.md").read_text()


def test_a_commit_that_adds_the_bypass_is_refused_by_the_hook(shop):
    """Should let an innocent commit pass, and refuse the bypass with the rule and the attack in words."""
    (hook,) = (
        each
        for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
        if each["id"] == "holdfast-guard"
    )
    own = hook | {"language": "system", "args": ["guard.json"], "files": r"^segment\.yaml$"}
    config = {"repos": [{"repo": "local", "hooks": [own]}]}
    (shop / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    files = ["segment.yaml", "guard.json", ".pre-commit-config.yaml"]
    install = [str(Path(sys.executable).with_name("pre-commit")), "install"]
    for command in (["git", "init", "-q"], install, ["git", "add", *files]):
        assert ran(command, shop).returncode == 0
    first = ran([*git, "commit", "-m", "A segment and its guard"], shop)
    assert first.returncode == 0, first.stderr
    (shop / "segment.yaml").write_text(BYPASS)
    refused = ran([*git, "commit", "-am", "A shortcut to the database"], shop)
    assert refused.returncode == 1
    assert REFUSED in refused.stderr and "DB is compromised (spread(DB))" in refused.stderr
    (shop / "segment.yaml").write_text(SEGMENT.replace("GW -> Web", "GW -> Web\n    - Web -> GW"))
    assert ran([*git, "commit", "-am", "A way back"], shop).returncode == 0
