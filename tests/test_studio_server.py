"""The studio's server as a process on loopback: what it answers, what it refuses, what it survives."""

import shutil

import pytest

from holdfast.analysis import analyse
from holdfast.results import to_object
from holdfast.scenario.load import configuration, scenario_from_text
from studio_server import SCENARIOS, StudioServer

PAPER = (SCENARIOS / "paper.yaml").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("designs")
    shutil.copy(SCENARIOS / "paper.yaml", found)
    (found.parent / "outside.yaml").write_text(PAPER)
    (found / "leak.yaml").symlink_to(found.parent / "outside.yaml")
    (found / "notes.txt").write_text("not a scenario")
    return found


@pytest.fixture(scope="module")
def server(folder):
    found = StudioServer(str(folder / "paper.yaml"))
    yield found
    assert found.end() == 0


# -- answers ----------------------------------------------------------------------------------------


def test_check_answers_as_the_command_line_does(server):
    """Should give the object of check --json."""
    found = server.post("check", PAPER, "no-bypass").object
    expected = to_object(analyse(configuration(scenario_from_text(PAPER), "no-bypass")))
    for told in (found, expected):
        told.pop("seconds")
    assert found.pop("gates") == []
    assert found == {**expected, "shells": list(expected["shells"])} | {
        key: list(expected[key]) for key in ("warnings", "requirement", "boundary")
    }


def test_readings_come_one_by_one(server):
    """Should end with DDR* as published, and say when all is done."""
    lines = server.post("readings", PAPER, "no-bypass").lines
    assert lines[0]["certificate"]["banner"]["word"] == "DEFENSIBLE"
    found = {key: value for line in lines for key, value in line.items()}
    assert round(found["metrics"]["slt"], 4) == 0.7327
    assert found["response"] == {"effort": 1, "tempo": "unbounded", "grace": 1}
    assert round(found["ddr_exact"]["value"], 4) == 0.8855
    assert lines[-1]["done"] is True


def test_a_drawing_has_what_the_reports_draw(server):
    """Should place every host, and show a link that a variant lacks as off."""
    found = server.post("drawing", PAPER, "no-bypass").object
    assert [node["name"] for node in found["nodes"]] == ["GW", "Web", "WS", "DB", "BK"]
    assert {(a["from"], a["to"]) for a in found["arrows"] if a["off"]} == {("GW", "WS")}
    assert found["initial"]["GW"] == "X" and found["variants"][-1] == "no-bypass"


def test_an_edit_changes_its_line_and_no_other(server):
    """Should keep the comment beside a line that goes, and answer with the drawing."""
    cut = {"kind": "cut_link", "from": "GW", "to": "WS"}
    found = server.post("edit", PAPER, operation=cut).object
    kept = set(PAPER.splitlines()) - set(found["scenario"].splitlines())
    assert kept == {"    - GW -> WS           # the VPN bypass", "    remove_links: [GW -> WS]"}
    assert "# the VPN bypass" in found["scenario"]
    assert len(found["drawing"]["arrows"]) == 5


# -- refusals ---------------------------------------------------------------------------------------


def test_no_answer_without_the_token(server):
    """Should refuse a question without the token, or with another."""
    for token in (None, "", "x" * 32, server.token[:-1]):
        assert server.ask("GET", "/api/files", X_Holdfast_Token=token).status == 403


def test_no_answer_for_another_host_or_origin(server):
    """Should refuse a name that was pointed at this machine, and pages of others."""
    assert server.ask("GET", "/api/files", Host=f"evil.example:{server.port}").status == 403
    assert server.ask("GET", "/api/files", Origin="http://evil.example").status == 403
    assert server.ask("GET", "/api/files", Origin="null").status == 403
    own = f"http://127.0.0.1:{server.port}"
    assert server.ask("GET", "/api/files", Origin=own).status == 200


@pytest.mark.parametrize(
    "name",
    [
        "../outside.yaml",
        "/etc/passwd",
        "leak.yaml",
        "notes.txt",
        "..%2Foutside.yaml",
        "",
        ".",
        "a/../paper.yaml",
    ],
)
def test_no_path_out_of_the_folder(server, name):
    """Should read files of the folder and nothing else, links followed."""
    assert server.ask("GET", f"/api/file?name={name}").status in (400, 404, 422)
