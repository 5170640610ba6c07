"""The studio's server as a process on loopback: what it answers, what it refuses, what it survives."""

import contextlib
import itertools
import json
import shutil
import socket
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from typer.testing import CliRunner

from holdfast.apps.cli import app
from holdfast.apps.studio.bench import Task
from holdfast.apps.studio.endpoints import ENDPOINTS
from holdfast.apps.studio.pool import LEAST, QueuedTask, Urgency, WorkerPool
from holdfast.readings.analysis import analyse
from holdfast.readings.results import analysis_object
from holdfast.scenario.reading import configuration, scenario_from_text
from paths import SCENARIOS
from studio_server import StudioServer, is_gone

PAPER = (SCENARIOS / "paper.yaml").read_text("utf-8")
LOST = (SCENARIOS / "indefensible.yaml").read_text("utf-8")
MANY = """holdfast: 1
network: {hosts: [GW, PC: {count: 40, alike: no}, DB], links: [GW -> PC, PC -> PC, PC -> DB], entry: GW}
specs: {defender: [G (DB != Z), G (active >= 39)], adversary: [G (times(destroy) <= 2)]}
"""
HARD = (SCENARIOS / "enterprise.yaml").read_text("utf-8")
SMALL = """holdfast: 1
name: Small
network: {hosts: [GW, Web, DB], links: [GW -> Web, Web -> DB], entry: GW}
specs: {defender: [G (DB != Z), G (active >= 1)], adversary: [G (times(destroy) <= 1)]}
learning: {episodes: 20, steps: 20, seeds: 2}
variants: {cut: {remove_links: [Web -> DB]}}
"""


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
    family = found.family()
    assert found.end() == 0
    assert len(family) > 2 and all(is_gone(pid) for pid in family)


# -- answers ----------------------------------------------------------------------------------------


def test_check_answers_as_the_command_line_does(server):
    """Should give the object of check --json."""
    found = server.post("check", PAPER, "no-bypass").object
    expected = analysis_object(analyse(configuration(scenario_from_text(PAPER), "no-bypass")))
    for told in (found, expected):
        told.pop("seconds")
    assert found.pop("gates") == []
    assert found == json.loads(json.dumps(expected))


def test_readings_come_one_by_one(server):
    """Should end with DDR* as published, and say when all is done."""
    lines = server.post("readings", PAPER, "no-bypass").lines
    assert lines[0]["certificate"]["banner"]["word"] == "DEFENSIBLE"
    found = {key: value for line in lines for key, value in line.items()}
    assert round(found["metrics"]["slt"], 4) == 0.7327
    assert found["response"] == {"effort": 1, "tempo": "unbounded", "grace": 1}
    assert round(found["ddr_exact"]["value"], 4) == 0.8855
    assert lines[-1]["done"] is True


@pytest.mark.parametrize(("question", "key"), [("explain", "explanation"), ("recommend", "recommendation")])
def test_reasons_and_changes_come_part_by_part(server, question, key):
    """Should end with the object that is given at once, and say before what is still coming."""
    lines = server.post(f"{question}-parts", SMALL).lines
    assert all(line["coming"] for line in lines[:-1]) and len(lines) > 2
    last, whole = lines[-1], server.post(question, SMALL).object
    assert last["coming"] == []
    for told in (last[key], whole):
        told.pop("seconds")
    assert last[key] == whole


def test_how_likely_a_design_holds_comes_in_a_line_of_its_own(server):
    """Should have brackets and a curve, and every other step still in its place."""
    gambling = SMALL.replace("entry: GW", "entry: GW, chance: {spread: 0.25}", 1)
    lines = server.post("readings", gambling).lines
    (line,) = [line for line in lines if "hold" in line]
    assert set(line["hold"]["moves"]) == {"10", "100", "1000"} and line["hold"]["curve"]
    assert any("recovery" in line for line in lines) and any("response" in line for line in lines)
    assert not any("hold" in line for line in server.post("readings", SMALL).lines)


def test_a_drawing_has_what_the_reports_draw(server):
    """Should place every host, and show a link that a variant lacks as off."""
    found = server.post("drawing", PAPER, "no-bypass").object
    assert [node["name"] for node in found["nodes"]] == ["GW", "Web", "WS", "DB", "BK"]
    assert {(a["from"], a["to"]) for a in found["arrows"] if a["off"]} == {("GW", "WS")}
    assert found["initial"]["GW"] == "X" and found["variants"][-1] == "no-bypass"


def test_links_are_routed_for_any_places(server):
    """Should answer with the curves of the drawing for its places, and bend a link around a box put in its way."""
    found = server.post("drawing", PAPER).object
    at = {node["name"]: [node["x"], node["y"]] for node in found["nodes"]}
    links = [[arrow["from"], arrow["to"]] for arrow in found["arrows"]]
    asked = {"places": at, "links": links} | {key: found["sizes"][key] for key in ("width", "height")}
    curves = server.ask("POST", "/api/routes", asked).object["curves"]
    assert curves == [arrow["curve"] for arrow in found["arrows"]]
    (start, control, end) = curves[links.index(["DB", "BK"])]
    assert start[1] == control[1] == end[1] and at["DB"][0] < start[0] < end[0] < at["BK"][0]
    at["Web"] = [(at["DB"][0] + at["BK"][0]) / 2, at["DB"][1]]
    moved = server.ask("POST", "/api/routes", asked).object["curves"][links.index(["DB", "BK"])]
    assert abs(moved[1][1] - at["DB"][1]) > found["sizes"]["height"]
    refused = server.ask("POST", "/api/routes", asked | {"links": [["GW", "nobody"]]})
    assert refused.status == 422 and '"nobody", which has no place' in refused.object["error"]["message"]
    assert server.ask("POST", "/api/routes", asked | {"places": {}, "links": []}).object == {"curves": []}


def test_a_drawing_needs_no_figures():
    """Should make workers ready, and draw a design, without loading what draws the figures of reports."""
    code = (
        "import sys\n"
        "from holdfast.apps.studio import kit\n"
        "from holdfast.apps.studio.bench import Bench\n"
        "from holdfast.apps.studio.questions import draw\n"
        "draw(Bench(), {'scenario': sys.stdin.read()})\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=PAPER, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n" and not done.stderr


def test_an_edit_changes_its_line_and_no_other(server):
    """Should keep every line, of the variant that removes the same link too, and answer with the drawing."""
    cut = {"kind": "cut_link", "from": "GW", "to": "WS"}
    found = server.post("edit", PAPER, operation=cut).object
    before, after = (Counter(text.splitlines()) for text in (PAPER, found["scenario"]))
    assert not before - after and after - before == Counter(["  remove_links: [GW -> WS]"])
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


def test_a_page_without_a_token_has_headers_that_bind_it(server):
    """Should forbid everything that the page does not need."""
    for path in ("/", "/page/nothing.js", "/api/files"):
        headers = server.ask("GET", path).headers
        assert headers["cache-control"] == "no-store" and headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


def test_a_page_cannot_be_read_past_its_folder(server):
    """Should serve the files of the page and nothing beside them."""
    for path in ("/page/../server.py", "/page/%2e%2e/server.py", "/page/..%2fserver.py", "//etc/passwd"):
        assert server.ask("GET", path).status in (403, 404)


BAD_BODIES = {
    "no JSON": b"{",
    "no object": b"[]",
    "deep": b'{"scenario": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "no scenario": b"{}",
    "unknown key": b'{"scenario": "", "evil": 1}',
    "a number": b'{"scenario": 1}',
    "nan": b'{"scenario": "", "limits": {"seconds": NaN}}',
    "no UTF-8": b'{"scenario": "\xff\xfe"}',
    "negative time": b'{"scenario": "", "limits": {"seconds": -1}}',
    "much time": b'{"scenario": "", "limits": {"seconds": 1e9}}',
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_bad_request_is_told_so(server, body):
    """Should answer 400 and say what is wrong."""
    found = server.ask("POST", "/api/check", body)
    assert found.status == 400 and found.object["error"]["message"]


def test_a_huge_body_is_refused_before_it_is_read(server):
    """Should stop reading at its limit, whether the size is announced or not."""
    assert server.ask("POST", "/api/check", b" " * 2_500_000).status == 413
    connection = server.connection()
    connection.putrequest("POST", "/api/check")
    connection.putheader("X-Holdfast-Token", server.token)
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    with contextlib.suppress(OSError):
        for _ in range(60):
            connection.send(b"10000\r\n" + b" " * 65536 + b"\r\n")
    assert connection.getresponse().status == 413
    connection.close()


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in itertools.pairwise("abcdefghi")
)
HOSTILE_TEXTS = {
    "bomb": BOMB,
    "not a scenario": "just a text",
    "tags": "!!python/object/apply:os.system ['true']",
    "deep": "[" * 5000,
    "control": "a: \x00",
    "surrogate": "holdfast: 1\nname: \ud800",
    "many hosts": PAPER.replace("[GW, Web", "[" + ", ".join(f"h{i}" for i in range(60_000)) + ", GW, Web"),
}


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_hostile_text_is_refused_with_its_place(server, text):
    """Should tell what is wrong with it, and neither run nor expand anything."""
    found = server.post("readings", text)
    assert found.status in (400, 422) and found.object["error"]["message"]


def test_a_place_in_the_text_comes_with_the_error(server):
    """Should point at the characters that are wrong."""
    wrong = PAPER.replace("when: active >= 3", "when: actve >= 3")
    place = server.post("drawing", wrong).object["error"]["place"]
    line = wrong.splitlines()[place["line"] - 1]
    assert line[place["column"] - 1 : place["end_column"] - 1] == "actve"
    parsed = server.post("parse", PAPER, side="defender", text="G (actve >= 3)").object
    assert parsed["error"]["place"] == {"offset": 3, "width": 5}


# -- files ------------------------------------------------------------------------------------------


def test_a_file_is_saved_whole_and_only_over_what_was_seen(server, folder):
    """Should answer 409 for a file that has changed, and then leave it as it is."""
    saved = server.ask("PUT", "/api/file", {"name": "mine.yaml", "scenario": "a: 1\n"})
    assert saved.status == 200 and (folder / "mine.yaml").read_text() == "a: 1\n"
    digest = saved.object["digest"]
    assert server.ask("PUT", "/api/file", {"name": "mine.yaml", "scenario": "b"}).status == 409
    body = {"name": "mine.yaml", "scenario": "a: 2\n", "expected_digest": digest}
    assert server.ask("PUT", "/api/file", body).status == 200
    (folder / "mine.yaml").write_text("by another\n")
    assert server.ask("PUT", "/api/file", body).status == 409
    assert (folder / "mine.yaml").read_text() == "by another\n"
    assert not list(folder.glob(".holdfast-*"))


def test_a_saved_file_is_readable_for_whom_it_was(server, folder):
    """Should keep a private file private, and make a new one as others of the user are."""
    saved = server.ask("PUT", "/api/file", {"name": "private.yaml", "scenario": "a: 1\n"}).object
    place, plain = folder / "private.yaml", folder / "plain.txt"
    plain.write_text("")
    assert place.stat().st_mode == plain.stat().st_mode
    place.chmod(0o600)
    body = {"name": "private.yaml", "scenario": "a: 2\n", "expected_digest": saved["digest"]}
    assert server.ask("PUT", "/api/file", body).status == 200
    assert place.read_text() == "a: 2\n" and place.stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_deleted_is_saved_anew(server, folder):
    """Should write what the window still has."""
    saved = server.ask("PUT", "/api/file", {"name": "gone.yaml", "scenario": "a: 1\n"}).object
    (folder / "gone.yaml").unlink()
    body = {"name": "gone.yaml", "scenario": "a: 2\n", "expected_digest": saved["digest"]}
    assert server.ask("PUT", "/api/file", body).status == 200
    assert (folder / "gone.yaml").read_text() == "a: 2\n"


@pytest.mark.parametrize(
    "name", ["../out.yaml", "leak.yaml", "evil.sh", ".hidden.yaml", "a/b.yaml", "x\n.yaml"]
)
def test_nothing_is_written_past_the_folder(server, folder, name):
    """Should refuse names that lead out, and write nothing."""
    before = (folder.parent / "outside.yaml").read_text()
    found = server.ask("PUT", "/api/file", {"name": name, "scenario": "a: 1"})
    assert found.status in (400, 409, 422)
    assert (folder.parent / "outside.yaml").read_text() == before
    assert not (folder.parent / "out.yaml").exists() and not (folder / "evil.sh").exists()


def test_files_of_other_programs_are_imported(server):
    """Should give a scenario that loads, and tell what was chosen."""
    found = server.ask("POST", "/api/import", {"name": "../net.csv", "content": "a,b\nb,c\n"}).object
    assert configuration(scenario_from_text(found["scenario"])).system.graph.names == ("a", "b", "c")
    assert any("entry" in note for note in found["notes"])
    assert (
        server.ask("POST", "/api/import", {"name": "x", "content": "?", "encoding": "base64"}).status == 422
    )


def test_a_scenario_is_imported_as_it_is(server):
    """Should come back to the letter, mistakes included, by whatever name it has."""
    for text in (PAPER, PAPER.replace("entry: GW", "entry: Nobody"), '{"holdfast": 1, "network": {}}'):
        found = server.ask("POST", "/api/import", {"name": "sent.yml", "content": text}).object
        assert found == {"scenario": text, "format": "holdfast", "notes": []}
    refused = server.ask("POST", "/api/import", {"name": "notes.txt", "content": "<p>Buy milk.</p>"})
    assert refused.status == 422 and "not in a known format" in refused.object["error"]["message"]


def test_a_folder_has_a_port_of_its_own(tmp_path):
    """Should be found at the same address again, and elsewhere while that one is taken."""
    first = StudioServer(str(tmp_path), port=None)
    second = StudioServer(str(tmp_path), port=None)
    first.end(), second.end()
    third = StudioServer(str(tmp_path), port=None)
    third.end()
    assert first.port == third.port != second.port
    assert 20_000 <= first.port < 30_000


# -- the document -----------------------------------------------------------------------------------


def test_every_endpoint_of_the_document_answers(server, folder):
    """Should answer each path of the OpenAPI document, by the body that it describes."""
    document = server.ask("GET", "/api/openapi.json").object
    assert document["openapi"].startswith("3.1")
    certificate = server.post("download", SMALL, what="certificate").raw.decode()
    more = {
        "edit": {"operation": {"kind": "add_link", "from": "DB", "to": "GW"}},
        "parse": {"side": "defender", "text": "G (DB = C)"},
        "download": {"what": "picture"},
        "train": {"episodes": 20, "seeds": 2},
    }
    own = {
        "import": {"name": "n.csv", "content": "a,b\n"},
        "verify": {"certificate": certificate},
        "file": {"name": "new.yaml", "scenario": SMALL},
        "draft": {"key": "window", "state": None},
        "routes": {"places": {"a": [0, 0], "b": [2, 1]}, "width": 1, "height": 0.4, "links": [["a", "b"]]},
    }
    answered = set()
    for path, operations in document["paths"].items():
        name = path.removeprefix("/api/")
        for method, operation in operations.items():
            query = {"file": "?name=paper.yaml", "library": "?name=paper"}.get(name, "")
            body = own.get(name, {"scenario": SMALL, **more.get(name, {})})
            found = server.ask(
                method.upper(), path + (query if method == "get" else ""), None if method == "get" else body
            )
            assert found.status == 200, (path, found.raw[:300])
            if "requestBody" in operation:
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
                jsonschema.validate(body, {**schema, "components": document["components"]})
            answered.add((method, name))
    assert len(answered) == len(ENDPOINTS)


def test_what_must_never_be_added(server):
    """Should ask for the most that the design has, of every link, whatever the file lists."""
    listed = PAPER + "\ndesign: {additions: [link GW -> DB]}\n"
    found = server.post("fragile", listed, variant="no-bypass", kinds=["link"]).object
    assert found["keep"] == "evict" and found["kinds"] == {"link": 15}
    assert found["breakers"][0]["additions"] == ["link GW -> WS"]
    assert server.post("fragile", PAPER, kinds=["link"]).object["keep"] == "held"


def test_playbooks_have_a_style(server):
    """Should be early where nothing is said, and late where that is asked for; a page too."""
    early, late = (server.post("playbook", SMALL, **more).object for more in ({}, {"style": "late"}))
    assert (early["style"], late["style"]) == ("early", "late") and early["most_lost"] <= late["most_lost"]
    page = server.post("download", SMALL, what="playbook", style="late")
    assert page.status == 200 and b"does nothing if that is safe" in page.raw
    assert server.post("playbook", SMALL, style="soon").status == 400


def test_pages_are_shown_under_an_address_of_their_own(server):
    """Should show a report in a sandbox, under a name that cannot be guessed."""
    found = server.post("download", SMALL, what="playbook", shown=True).object
    page = server.ask("GET", found["address"], X_Holdfast_Token=None)
    assert page.status == 200 and page.headers["content-security-policy"].startswith("sandbox")
    assert server.ask("GET", "/shown/another").status == 404
    raw = server.post("download", SMALL, what="picture")
    assert raw.headers["content-disposition"].startswith("attachment") and b"<svg" in raw.raw


# -- plays ------------------------------------------------------------------------------------------


def test_a_lost_design_is_played_to_its_violation(server):
    """Should follow the forced line, and let the viewer try another reply."""
    found = server.post("play", LOST, side="none").object
    assert [p["move"] and p["move"]["player"] for p in found["positions"]][:3] == [
        None,
        "adversary",
        "defender",
    ]
    ranks = [p["rank"] for p in found["positions"]]
    assert ranks == sorted(ranks, reverse=True) and ranks[-1] == 0
    assert found["over"].startswith("violation")
    first = server.post("play", LOST, side="defender").object
    assert first["mover"] == "defender" and not any(action["safe"] for action in first["actions"])
    assert all(action["why"] for action in first["actions"])
    moves = [action["name"] for action in first["actions"]][-1:]
    assert len(server.post("play", LOST, side="defender", moves=moves).object["positions"]) > 2


def test_a_story_is_told_in_sentences(server):
    """Should tell the attack on a lost design with all replies, and of a held one how each goal is reached."""
    lost = server.post("story", LOST).object
    assert lost["told"] == "attack" and lost["positions"][-1]["rank"] == 0
    assert lost["positions"][1]["replies"] and lost["positions"][1]["move"]["sentence"].startswith(
        "The attacker "
    )
    assert server.post("story", LOST, defense="acting").object["told"] == "acting"
    held = server.post("story", PAPER, "no-bypass", goal="recovered").object
    assert (held["told"], len(held["positions"])) == ("eviction", 9)
    assert server.post("story", PAPER, goal="evictd").status == 422


def test_a_held_design_is_played_against_the_optimal_opponent(server):
    """Should say which moves are safe, and why others are not; given moves come first."""
    line = server.post("play", PAPER, side="none", length=5).object["positions"]
    names = [position["move"]["action"] for position in line[1:4]]
    found = server.post("play", PAPER, side="both", **{"from": names}).object
    assert [p["values"] for p in found["positions"]] == [p["values"] for p in line[:4]]
    assert any(action["safe"] for action in found["actions"])
    forbidden = [action for action in found["actions"] if not action["safe"]]
    assert all(action["why"] for action in forbidden)
    assert server.post("play", PAPER, side="defender", moves=["dance"]).status == 422


# -- limits -----------------------------------------------------------------------------------------


def test_time_and_memory_end_a_question(server):
    """Should say which limit was met, and answer the next question."""
    late = server.post("explain", HARD, limits={"seconds": 0.05})
    assert late.status == 504 or late.object["partial"]
    small = server.post("check", MANY, limits={"memory": 0.001})
    assert small.status in (503, 504) and small.object["error"]["message"]
    assert server.post("check", SMALL).status == 200


def begun(server, question, **body):
    """A question whose answer has begun to come."""
    raw = json.dumps(body).encode()
    client = socket.create_connection(("127.0.0.1", server.port))
    head = f"POST /api/{question} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n"
    head += f"X-Holdfast-Token: {server.token}\r\nContent-Length: {len(raw)}\r\n\r\n"
    client.sendall(head.encode() + raw)
    assert client.recv(10) == b"HTTP/1.1 2"
    return client


def test_a_newer_question_of_the_window_ends_the_older(server):
    """Should answer the newest, and tell the older one that it is superseded."""
    asked = {"window": "w", "topic": "readings"}
    older = begun(server, "train", scenario=PAPER, **asked)
    assert server.post("readings", SMALL, **asked).lines[-1]["done"] is True
    with older:
        rest = b"".join(iter(lambda: older.recv(65536), b""))
    assert b"superseded" in rest and b'"ddr"' not in rest


def test_a_client_that_goes_away_takes_its_question_back(server):
    """Should end the training of somebody who has closed the window: there are workers for the next one."""
    for _ in range(6):  # more than there are workers for it
        begun(server, "train", scenario=PAPER).close()
    assert server.post("frontier", SMALL, over=["times(destroy)=0..1"]).status == 200


def test_a_thousand_quick_changes_are_survived(server):
    """Should keep processes and memory bounded while a slider is moved, and answer the last change."""

    def change(number):
        text = f"{SMALL}# change {number}\n"
        return server.post("readings", text, window="slider", topic="readings").status

    with ThreadPoolExecutor(16) as pool:
        statuses = Counter(pool.map(change, range(1000)))
    assert set(statuses) <= {200, 409, 429} and statuses[200] > 0
    assert server.post("readings", PAPER, window="slider", topic="readings").lines[-1]["done"] is True
    family = server.family()
    assert len(family) < 12
    held = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in family) * 4096
    assert held < 3 * 2**30


# -- its life ---------------------------------------------------------------------------------------


def test_nothing_is_left_of_a_server_that_is_killed(tmp_path):
    """Should end its workers with it; without a file it offers a stub and the library.

    A limit of time is for each question, and never ends the server itself.
    """
    server = StudioServer("--timeout", "0.1", cwd=tmp_path)
    try:
        listing = server.ask("GET", "/api/files").object
        assert listing["opened"] is None and listing["stub"].startswith("#") and listing["library"]
        answer = server.post("explain", PAPER)
        assert answer.status == 504 or b"s ran out" in answer.raw
        assert server.ask("GET", "/api/files").status == 200
        family = server.family()
        assert len(family) > 2
    finally:
        server.kill()
    assert all(is_gone(pid) for pid in family)


def test_a_file_that_cannot_be_opened_is_told(tmp_path):
    """Should end with a message before anything is served."""
    runner = CliRunner()
    found = runner.invoke(app, ["studio", str(tmp_path / "missing.yaml"), "--no-browser"])
    assert found.exit_code == 2 and "no such file" in found.output
    (tmp_path / "net.graphml").write_text("")
    found = runner.invoke(app, ["studio", str(tmp_path / "net.graphml"), "--no-browser"])
    assert found.exit_code == 2 and "Import" in found.output


def test_without_its_libraries_it_says_what_to_install(tmp_path, monkeypatch):
    """Should name the extra."""
    monkeypatch.setitem(sys.modules, "holdfast.apps.studio.server", None)
    found = CliRunner().invoke(app, ["studio", "--no-browser"])
    assert found.exit_code == 2 and "holdfast[studio]" in found.output


def test_a_worker_should_be_born_with_nothing_to_collect():
    """Should leave no diagram to a fork, which has none of their threads and crashes when it collects one."""
    code = "import gc\ngc.disable()\nimport holdfast.apps.studio.kit\nprint(gc.collect())\n"
    done = subprocess.run([sys.executable, "-c", code], timeout=120, capture_output=True, text=True)
    assert done.stdout == "0\n", done.stderr


# -- names, races and silence -------------------------------------------------------------------------


def test_odd_names_are_refused_and_not_a_fault_of_the_server(server):
    """Should answer with a refusal for names that no file can have, and import under a name with anything in it."""
    long = "n" * 300 + ".yaml"
    assert server.ask("GET", f"/api/file?name={long}").status == 422
    assert server.ask("PUT", "/api/file", {"name": "é" * 120 + ".yaml", "scenario": SMALL}).status == 422
    odd = server.ask("POST", "/api/import", {"name": "../a\0b/\\.csv", "content": "a,b\nb,c\n"})
    assert odd.status == 200 and "hosts:" in odd.object["scenario"]


def test_of_several_writers_at_once_one_is_served(server):
    """Should accept one of several saves over the same contents, and tell all others that the file has changed."""
    first = server.ask("PUT", "/api/file", {"name": "race.yaml", "scenario": SMALL}).object["digest"]
    for turn in range(5):
        bodies = [
            {"name": "race.yaml", "scenario": f"{SMALL}# {turn} {k}\n", "expected_digest": first}
            for k in range(4)
        ]
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda body: server.ask("PUT", "/api/file", body), bodies))
        assert sorted(answer.status for answer in answers) == [200, 409, 409, 409]
        first = next(answer.object["digest"] for answer in answers if answer.status == 200)


def test_connections_that_say_nothing_are_closed(server):
    """Should close a connection on which nothing is asked, and go on answering others meanwhile."""
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    try:
        assert server.ask("GET", "/api/files").status == 200
        silent[0].settimeout(30)
        assert silent[0].recv(1) == b""
    finally:
        for one in silent:
            one.close()


def test_drafts_are_kept_until_they_are_forgotten(server):
    """Should keep what a page asks to keep, under names that lead nowhere else."""
    draft = {"document": {"text": SMALL}}
    assert server.ask("PUT", "/api/draft", {"key": "w-1", "state": draft}).object == {"kept": True}
    (found,) = server.ask("GET", "/api/drafts").object["drafts"]
    assert found["key"] == "w-1" and found["state"] == draft
    assert server.ask("PUT", "/api/draft", {"key": "../w", "state": draft}).status == 422
    server.ask("PUT", "/api/draft", {"key": "w-1", "state": None})
    assert server.ask("GET", "/api/drafts").object["drafts"] == []


def test_of_three_long_questions_none_waits_for_another():
    """Should have a worker for what somebody looks at while advice is worked out and what must never be added."""
    pool, asked = WorkerPool(LEAST), QueuedTask(Task(1, "explain-parts", {}, 1.0), Urgency.LONG, None)
    busy = [SimpleNamespace(order=asked) for _ in range(3)]
    pool.workers = busy[:2]
    assert pool._may_begin(asked)
    pool.workers = busy
    assert not pool._may_begin(asked)
    pool.threads.shutdown()
