"""Holdfast for agents: driven by a real client over stdio, bounded, and never outside its folder."""

import json
import os
import shutil
import sys
from functools import partial

import pytest

from holdfast.apps.agents.folder import SealedFolder
from holdfast.apps.agents.questions import MAX_DATA, MAX_SUMMARY, AgentQuestion, answered, bounded
from holdfast.errors import InputError
from paths import ROOT

anyio = pytest.importorskip("anyio")

NEEDS_MCP = "the extra mcp is not installed: no server to drive"


@pytest.fixture
def folder(tmp_path):
    """A folder with scenarios, a file to import, and every trap that leads out of it."""
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    for name in ("paper", "indefensible"):
        shutil.copy(ROOT / "scenarios" / f"{name}.yaml", home)
    shutil.copy(ROOT / "scenarios" / "two-lines.yaml", home / "sub")
    (home / "links.csv").write_text("GW,Web\nWeb,DB\n")
    secret = tmp_path / "secret.yaml"
    shutil.copy(ROOT / "scenarios" / "two-lines.yaml", secret)
    (home / "link.yaml").symlink_to(secret)
    (home / "inner.yaml").symlink_to(home / "paper.yaml")
    (home / "out").symlink_to(tmp_path)
    os.mkfifo(home / "fifo")
    return home


OUTSIDE = [
    "../secret.yaml", "sub/../../secret.yaml", "{parent}/secret.yaml", "link.yaml", "inner.yaml", "out/secret.yaml",
    "fifo", "sub", "", ".", "a\0b", "/etc/passwd", "..\\secret.yaml", "nobody.yaml", "a/" * 40 + "b",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_name_should_lead_out_of_the_folder(folder, name):
    """Should refuse parents, absolute paths, links wherever they lead, and what is no plain file."""
    with pytest.raises(InputError):
        SealedFolder(folder).read(name.format(parent=folder.parent))


@pytest.mark.parametrize(
    "name", ["../new.yaml", "out/new.yaml", "link.yaml", "paper.yaml", "sub", "nobody/new.yaml"]
)
def test_nothing_should_be_written_outside_or_over_what_is_there(folder, name):
    """Should refuse to write through links, over files and into other folders."""
    before = {path: path.read_bytes() for path in folder.parent.rglob("*.yaml")}
    with pytest.raises(InputError):
        SealedFolder(folder).write_new(name, "mine")
    assert {path: path.read_bytes() for path in folder.parent.rglob("*.yaml")} == before


def test_a_folder_should_be_gathered_without_its_links(folder):
    """Should have the plain files of all folders below, and nothing that a link leads to."""
    sealed = SealedFolder(folder)
    (folder / "sub" / "deeper").mkdir()
    (folder / "sub" / "deeper" / "a.txt").write_text("a")
    (folder / "sub" / "b.yaml").symlink_to(folder.parent / "secret.yaml")
    (folder / "sub" / "up").symlink_to(folder.parent)
    assert sorted(sealed.gathered("sub")) == ["deeper/a.txt", "two-lines.yaml"]
    assert sealed.gathered("links.csv") == {"links.csv": b"GW,Web\nWeb,DB\n"}
    assert sealed.read("sub/two-lines.yaml").startswith(b"#")


# -- answers, in this process -------------------------------------------------------------------------


def ask(kind, name, seconds=60.0, **options):
    data = (ROOT / "scenarios" / name).read_bytes()
    question = AgentQuestion(kind, seconds, 2.0, options, {name: data})
    return answered(AgentQuestion.from_json(question.to_json()))


def test_every_question_should_be_answered_within_bounds():
    """Should say yes or no with a summary and data that an agent can read, and be cut where they are long."""
    lost = ask("explain", "indefensible.yaml")
    assert lost["outcome"] == "no" and "NOT DEFENSIBLE" in lost["summary"]
    advice = ask("recommend", "indefensible.yaml")
    assert advice["outcome"] == "yes" and advice["data"]["repairs"]
    frail = ask("fragile", "paper.yaml", kinds=["link"], max_cost=1)
    assert frail["outcome"] == "yes" and "link" in frail["summary"]
    for answer in (lost, advice, frail):
        assert len(answer["summary"]) <= MAX_SUMMARY and len(json.dumps(answer["data"])) <= MAX_DATA


def test_a_folder_should_be_imported_together():
    """Should make one scenario of all files of a folder, and name no place of this machine."""
    cluster = (ROOT / "tests" / "imports" / "shop-cluster.yaml").read_bytes()
    first, rest = cluster.split(b"\n---\n", 1)
    made = answered(AgentQuestion("import", 30.0, 2.0, {}, {"a.yaml": first, "sub/b.yaml": rest}))
    assert (
        made["outcome"] == "done" and len(made["data"]["hosts"]) == 4 and "(from 2 files" in made["summary"]
    )
    assert "holdfast-" not in made["scenario"]
    none = answered(AgentQuestion("import", 30.0, 2.0, {}, {"a.yaml": b"x: [", "b.yaml": b""}))
    assert none["outcome"] == "error" and "/tmp" not in none["error"]


def test_bad_input_and_limits_should_be_answers():
    """Should tell a mistake with its place, and that a limit left it undecided."""
    bad = answered(AgentQuestion("check", 5.0, 2.0, {}, {"a.yaml": b"holdfast: 1\nnonsense: 2\n"}))
    assert bad["outcome"] == "error" and bad["error"].startswith("a.yaml:")
    raw = answered(AgentQuestion("check", 5.0, 2.0, {}, {"a.yaml": b"\xff\xfe"}))
    assert raw["outcome"] == "error" and "UTF-8" in raw["error"]
    late = ask("check", "paper.yaml", seconds=1e-9)
    assert late["outcome"] == "undecided" and "as the budget asks" in late["undecided"]


def test_data_should_be_cut_until_it_is_small():
    """Should count what is left out, and give up with a word where nothing helps."""
    wide = bounded({"rows": [{"text": "x" * 5000}] * 1000})
    assert len(json.dumps(wide)) <= MAX_DATA and wide["rows"][-1].endswith(" more")
    assert bounded({str(i): "x" * 900 for i in range(500)}) == "too large; ask for less"


# -- a client over stdio ------------------------------------------------------------------------------


def driven(folder, talk):
    """Start the server as an agent would, and talk to it by the official client."""
    client = pytest.importorskip("mcp.client", reason=NEEDS_MCP)
    stdio = pytest.importorskip("mcp.client.stdio", reason=NEEDS_MCP)
    holdfast = [sys.executable, "-m", "holdfast", "mcp", "."]
    server = stdio.StdioServerParameters(command=holdfast[0], args=holdfast[1:], cwd=folder)

    async def session():
        with anyio.fail_after(120):
            async with client.Client(stdio.stdio_client(server)) as connected:
                await talk(connected)

    anyio.run(session)


async def _call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    return result.is_error, result.content[0].text, result.structured_content


async def _talk(client, folder):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"check", "explain", "recommend", "fragile", "verify", "import"}
    assert all("seconds" in tool.input_schema["required"] for tool in tools.values()), (
        "no call without a budget"
    )

    failed, _, found = await _call(client, "check", file="paper.yaml", seconds=60)
    assert not failed and found["outcome"] == "yes" and found["data"]["defensible"] is True
    uri = found["certificate"]["uri"]
    (proof,) = (await client.read_resource(uri)).contents
    assert len(proof.text) == found["certificate"]["bytes"] and '"holdfast-certificate"' in proof.text
    failed, _, checked = await _call(client, "verify", certificate=uri, scenario="paper.yaml", seconds=60)
    assert not failed and checked["outcome"] == "yes" and "VALID" in checked["summary"]

    for name in (
        "../secret.yaml",
        "link.yaml",
        "/etc/passwd",
        str(folder.parent / "secret.yaml"),
        "out/secret.yaml",
    ):
        failed, text, _ = await _call(client, "check", file=name, seconds=5)
        assert failed and "secret" not in text.replace(name, "") and "Traceback" not in text, text
        failed, text, _ = await _call(client, "verify", certificate=name, seconds=5)
        assert failed and "Traceback" not in text
    for seconds in (None, 0, -1, 1e9):
        budget = {} if seconds is None else {"seconds": seconds}
        failed, text, _ = await _call(client, "check", file="paper.yaml", **budget)
        assert failed and "seconds" in text
    with pytest.raises(Exception, match=r"certificate|resource"):
        await client.read_resource("holdfast://certificate/..%2F..%2Fpaper.yaml")

    failed, _, late = await _call(client, "check", file="paper.yaml", seconds=0.01)
    assert not failed and late["outcome"] == "undecided" and "0.01 s" in late["undecided"]

    failed, _, made = await _call(client, "import", source="links.csv", output="sub/new.yaml", entry=["GW"],
                                  critical=["DB"], seconds=60)  # fmt: skip
    assert not failed and made["outcome"] == "done" and made["written"] == "sub/new.yaml"
    assert (folder / "sub" / "new.yaml").read_text().startswith("# Imported from links.csv")
    failed, text, _ = await _call(client, "import", source="links.csv", output="sub/new.yaml", seconds=60)
    assert failed and "already exists" in text


def test_a_real_client_should_be_answered_and_kept_inside(folder):
    """Should check, hand its proof over, verify it, refuse hostile paths, and stop in time."""
    driven(folder, partial(_talk, folder=folder))
    assert not (folder.parent / "new.yaml").exists()


def test_a_question_that_does_not_stop_should_be_ended(folder, monkeypatch):
    """Should end the process of a question that is past its budget, and leave none behind."""
    server = pytest.importorskip("holdfast.apps.agents.server", reason=NEEDS_MCP)
    monkeypatch.setattr(server, "START_SECONDS", -1.0)  # so that the process has no time to begin, even
    before = set(server.family_of(os.getpid()))  # other tests in this process may have helpers
    question = AgentQuestion("check", 0.01, 2.0, {}, {"paper.yaml": (folder / "paper.yaml").read_bytes()})
    answer = anyio.run(server._worked, question)
    assert answer == {"outcome": "undecided", "undecided": "stopped after 0.01 s, as the budget asks"}
    assert set(server.family_of(os.getpid())) <= before


def test_what_is_missing_should_be_said(monkeypatch):
    """Should name the extra where the library is not installed, and a folder that is not there."""
    from typer.testing import CliRunner

    from holdfast.apps.cli import app

    assert "no such folder" in CliRunner().invoke(app, ["mcp", "nowhere"]).output
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "holdfast.apps.agents.server", raising=False)
    refused = CliRunner().invoke(app, ["mcp", "scenarios"])
    assert refused.exit_code == 2 and "holdfast[mcp]" in refused.output
