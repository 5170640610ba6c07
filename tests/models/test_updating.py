"""A scenario that a person edited, brought up to date with its source."""

from __future__ import annotations

import json
import random

import pytest

import holdfast as hf
from cases import TIMES
from commands import holdfast
from holdfast.errors import InputError
from holdfast.models.network.importers import import_network, updated_network
from holdfast.models.network.reader import gather_segment
from holdfast.scenario import read_scenario
from paths import SCENARIOS


def written(tmp_path, rows, name="links.csv"):
    (tmp_path / name).write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return import_network(tmp_path / name, entry=[rows[0][0]], critical=[rows[-1][1]])


def segment_of(text):
    return gather_segment(hf.scenario_from_text(text)._root["network"], None)


SHOP = [("GW", "Web"), ("Web", "App"), ("App", "DB")]


def test_what_a_person_wrote_should_stay_and_what_is_new_be_added(tmp_path):
    before = written(tmp_path, SHOP).text
    ours = before.replace("\nspecs:", "\n# our own question\nspecs:").replace(
        "times(destroy) <= 2", "times(destroy) <= 1"
    )
    now = written(tmp_path, [*SHOP[:2], ("Web", "Mail"), ("App", "DB")])
    found = updated_network(hf.scenario_from_text(ours), now.network, now.renamed)
    assert found.added == ("host Mail", "link Web -> Mail") and found.gone == () and found.refused == ()
    assert "# our own question" in found.text and "times(destroy) <= 1" in found.text
    lines = [line for line in found.text.splitlines() if line not in ours.splitlines()]
    assert [line.strip() for line in lines] == ["hosts: [GW, Web, App, DB, Mail]", "- Web -> Mail"]


def test_what_is_gone_should_be_kept_until_it_is_pruned(tmp_path):
    scenario = hf.scenario_from_text(written(tmp_path, [*SHOP, ("GW", "App"), ("Web", "DB")]).text)
    now = written(tmp_path, SHOP)
    kept = updated_network(scenario, now.network, now.renamed)
    assert kept.text == scenario.text and kept.gone == ("link GW -> App", "link Web -> DB")
    pruned = updated_network(scenario, now.network, now.renamed, prune=True)
    assert set(segment_of(pruned.text).links) == set(SHOP)


def test_a_host_that_was_renamed_should_be_known_by_its_list(tmp_path):
    rows = [("10.0.0.1", "10.0.0.2"), ("10.0.0.2", "10.0.0.3")]
    ours = written(tmp_path, rows).text.replace("h10_0_0_3", "orders")
    now = written(tmp_path, [*rows, ("10.0.0.1", "10.0.0.3")])
    found = updated_network(hf.scenario_from_text(ours), now.network, now.renamed)
    assert found.added == ("link h10_0_0_1 -> orders",) and found.gone == ()


def test_an_update_should_give_the_network_that_an_import_gives():
    """Should make hosts and links those of the source, whatever both were, once what is gone is pruned."""
    rng = random.Random(5)
    hosts = [f"h{i}" for i in range(6)]
    from holdfast.models.network.importers.draft import Draft
    from holdfast.models.network.importers.scenario_text import scenario_text

    def drawn():
        links = {(a, b): () for a in hosts for b in hosts if a != b and rng.random() < 0.3}
        some = tuple(h for h in hosts if h in ("h0", "h5") or rng.random() < 0.7)
        kept = {link: () for link in links if link[0] in some and link[1] in some}
        exposed = tuple(h for h in some if rng.random() < 0.3)
        return Draft(some, kept, entry=("h0",), exposed=exposed, critical=("h5",))

    for _ in range(12 * TIMES):
        before, now = drawn(), drawn()
        text = scenario_text(before, "a test", {})
        found = updated_network(hf.scenario_from_text(text), now, {}, prune=True)
        segment = segment_of(found.text)
        assert found.refused == () and set(segment.hosts) == set(now.hosts)
        assert set(segment.links) == set(now.links) and set(segment.exposed) == set(now.exposed)


def test_the_command_should_show_the_difference_and_ask_the_guard(tmp_path):
    (tmp_path / "links.csv").write_text("GW,Web\nWeb,App\nApp,DB\n")
    scenario = str(tmp_path / "s.yaml")
    holdfast(
        "import",
        str(tmp_path / "links.csv"),
        "-o",
        scenario,
        "--entry",
        "GW",
        "--critical",
        "DB",
        "--no-check",
    )
    guard = str(tmp_path / "guard.json")
    assert holdfast("fragile", scenario, "--kind", "link", "--write", guard).returncode == 0
    same = holdfast(
        "import", str(tmp_path / "links.csv"), "--update", scenario, "--guard", guard, "--no-check"
    )
    assert same.returncode == 0 and "0 added, 0 gone" in same.stdout and "passes" in same.stdout
    (tmp_path / "links.csv").write_text("GW,Web\nWeb,App\nApp,DB\nGW,DB\n")
    done = holdfast(
        "import", str(tmp_path / "links.csv"), "--update", scenario, "--guard", guard, "--no-check", "--json"
    )
    told = json.loads(done.stdout)
    assert told["added"] == ["link GW -> DB"] and done.returncode == told["guard"]["exit_code"] == 1


def test_options_of_an_update_should_be_refused_without_one(tmp_path):
    (tmp_path / "links.csv").write_text("GW,Web\n")
    assert "need --update" in holdfast("import", str(tmp_path / "links.csv"), "--prune").stderr
    now = import_network(tmp_path / "links.csv")
    other = read_scenario(SCENARIOS / "water-tank.yaml")
    with pytest.raises(InputError, match="this scenario has no network"):
        updated_network(other, now.network, now.renamed)
