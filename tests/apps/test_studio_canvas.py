"""The canvas of the studio in a real browser: other models, arranging, editing several hosts, marks, files."""

from __future__ import annotations

import os
import shutil
from itertools import pairwise

import pytest

from paths import ROOT, SCENARIOS
from studio_server import StudioServer

SEVERAL = """holdfast: 1
name: Several
network:
  hosts: [GW, Web, WS, DB]
  links: [GW -> Web, GW -> WS, Web -> DB, WS -> DB]   # four
  entry: GW
specs:
  defender: [G (DB != Z), "G (count(* in {X, D}) <= 3)"]
  adversary: [G (times(destroy) <= 1)]
"""


def zoned(n_zones, n_hosts):
    """So many zones in a row, each a chain of so many hosts."""
    zones = {f"zone{z}": [f"h{z}x{k}" for k in range(n_hosts)] for z in range(n_zones)}
    links = [pair for hosts in zones.values() for pair in pairwise(hosts)]
    links += [(f"h{z}x0", f"h{z + 1}x0") for z in range(n_zones - 1)]
    listed = "\n".join(f"    {name}: [{', '.join(hosts)}]" for name, hosts in zones.items())
    return (
        f"holdfast: 1\nname: Many\nnetwork:\n  hosts: [{', '.join(h for hs in zones.values() for h in hs)}]\n"
        f"  links: [{', '.join(f'{a} -> {b}' for a, b in links)}]\n  zones:\n{listed}\n  entry: h0x0\n"
        f"specs: {{defender: [G (h{n_zones - 1}x1 != Z)], adversary: [G (times(destroy) <= 0)]}}\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("drawn")
    for name in ("robot-cell.yaml", "water-works.yaml", "patrol-robot.yaml"):
        shutil.copy(SCENARIOS / name, place / name)
    (place / "several.yaml").write_text(SEVERAL, "utf-8")
    (place / "many.yaml").write_text(zoned(6, 14), "utf-8")
    return place


@pytest.fixture(scope="module")
def server(folder):
    running = StudioServer(str(folder / "several.yaml"))
    yield running
    assert running.end() == 0


@pytest.fixture(scope="module")
def tab(browser, server):
    """One window for all tests; what its console says is looked at in the end."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, said = context.new_page(), []
    page.set_default_timeout(30_000)
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(server.address)
    page.wait_for_selector(".node")
    yield page
    assert [line for line in said if "409" not in line] == []


def shown(tab, name):
    """Open a file of the folder, whatever is unsaved."""
    tab.evaluate("(name) => { import('/page/files.js').then((files) => files.openNamed(name)); }", name)
    tab.wait_for_function(
        "name => document.getElementById('file').textContent.startsWith(name) && document.querySelector('.node, .zone')",
        arg=name,
    )


def state(tab, words):
    return tab.evaluate(f"async () => (await import('/page/store.js')).state.{words}")


def says(tab, words):
    tab.wait_for_function("words => document.getElementById('said').textContent.includes(words)", arg=words)


def host(tab, name):
    return tab.locator(f'.node[data-name="{name}"]')


def middle(element):
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(tab, start, by, *, key=None):
    if key:
        tab.keyboard.down(key)
    tab.mouse.move(*start)
    tab.mouse.down()
    tab.mouse.move(start[0] + by[0], start[1] + by[1], steps=4)
    tab.mouse.up()
    if key:
        tab.keyboard.up(key)


def bar(tab, word):
    tab.locator("#inspector").get_by_role("button", name=word).click()


def answered(tab, word, text=None, field="input"):
    """Fill in a dialog and press one of its buttons."""
    box = tab.get_by_role("dialog")
    if text is not None:
        box.locator(field).fill(text)
    box.get_by_role("button", name=word).click()


def pixels(tab):
    """How large the names of hosts are on the screen, in pixels."""
    return tab.evaluate(
        """() => Math.min(...[...document.querySelectorAll(".node .name, .zone.closed .title")].map((text) =>
            parseFloat(getComputedStyle(text).fontSize) * text.getCTM().a))"""
    )


@pytest.mark.browser
def test_other_models_are_drawn_as_themselves(tab):
    """Should show a floor to play on, tanks with their level, and the values of a game."""
    shown(tab, "robot-cell.yaml")
    assert tab.locator(".square").count() == len(state(tab, "drawing.floor.at"))
    assert tab.locator(".node.shape-token .letter").all_text_contents() == ["R", "A"]
    start = middle(host(tab, "robot").locator(".disc"))
    tab.locator("#tab-play").click()
    tab.locator("[data-key=defend]").click()
    tab.locator('.offer[data-action="go(east)"]').click()
    tab.wait_for_function("() => document.querySelectorAll('.steps li').length > 1")
    there = middle(host(tab, "robot").locator(".disc"))
    assert there[0] > start[0] + 20 and abs(there[1] - start[1]) < 2
    tab.locator("[data-key=end]").click()
    tab.locator("#tab-answer").click()
    shown(tab, "water-works.yaml")
    level, tank = (
        host(tab, "T301").locator(".water").bounding_box(),
        host(tab, "T301").locator(".box").bounding_box(),
    )
    assert 0.2 < level["height"] / tank["height"] < 0.6
    assert host(tab, "T301").locator(".extra .status").text_content() == "3 of 6"
    assert host(tab, "MV101").locator(".sign.valve").count() == 1
    shown(tab, "patrol-robot.yaml")
    assert host(tab, "press").locator(".value").all_text_contents() == ["up", "armed", "down"]
    assert host(tab, "press").locator(".value.here").text_content() == "up"


@pytest.mark.browser
def test_an_arrangement_is_part_of_the_file_and_of_its_picture(tab, server, folder):
    """Should be unsaved work, survive saving and opening, be undone, and cost no answer."""
    shown(tab, "several.yaml")
    tab.wait_for_function("() => document.getElementById('verdict').ariaBusy !== 'true'")
    before, place = (
        server.post("download", SEVERAL, what="picture").raw,
        middle(host(tab, "DB").locator(".box")),
    )
    asked = []
    tab.on("request", lambda request: asked.append(request.url.split("/api/")[-1]))
    drag(tab, place, (90, 150))
    says(tab, "DB was moved.")
    assert "unsaved" in tab.locator("#file").inner_text()
    tab.wait_for_timeout(300)
    assert "readings" not in asked
    there = state(tab, "drawing.layout")
    tab.keyboard.press("Control+z")
    tab.wait_for_function("() => !document.getElementById('file').textContent.includes('unsaved')")
    assert middle(host(tab, "DB").locator(".box")) == pytest.approx(place, abs=1)
    tab.keyboard.press("Control+Shift+z")
    tab.keyboard.press("Control+s")
    says(tab, "Saved as several.yaml")
    written = (folder / "several.yaml").read_text("utf-8")
    assert written.startswith(SEVERAL) and "\nlayout:\n  GW: [" in written
    shown(tab, "several.yaml")
    assert state(tab, "drawing.layout").keys() == there.keys()
    for name, at in there.items():
        node = next(one for one in state(tab, "drawing.nodes") if one["name"] == name)
        assert (node["x"], node["y"]) == pytest.approx(at, abs=0.01)
    after = server.post("download", written, what="picture").raw
    assert before != after
    for ending, sign in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        assert server.post("download", written, what="picture", format=ending).raw.startswith(sign)


@pytest.mark.browser
def test_many_hosts_stand_in_zones_that_open_and_are_found(tab):
    """Should close the zones of a large design, keep names readable, open one, and find a host in another."""
    shown(tab, "many.yaml")
    assert tab.locator(".zone.closed").count() == 6 and tab.locator(".node").count() == 0
    assert pixels(tab) >= 10
    tab.locator('.zone[data-zone="zone1"]').click()
    tab.wait_for_selector('.node[data-name="h1x13"]')
    assert tab.locator(".node").count() == 14 and tab.locator(".zone.closed").count() == 5
    assert pixels(tab) >= 9.9
    tab.keyboard.press("Control+f")
    tab.get_by_label("Find a host").fill("h4x7")
    tab.keyboard.press("Enter")
    tab.wait_for_selector('.node[data-name="h4x7"].found')
    x, y = middle(host(tab, "h4x7"))
    stage = tab.locator("#stage").bounding_box()
    assert stage["x"] < x < stage["x"] + stage["width"] and stage["y"] < y < stage["y"] + stage["height"]
    tab.keyboard.press("Escape")
    assert state(tab, "selection.name") == "h4x7"


@pytest.mark.browser
def test_several_hosts_are_edited_at_once(tab):
    """Should choose by a box, align, duplicate, copy and paste, zone and remove, each one step to undo."""
    tab.evaluate(
        "async (text) => (await import('/page/store.js')).open(text, { name: null, digest: null, saved: text })",
        SEVERAL,
    )
    tab.wait_for_selector('.node[data-name="WS"]')
    tab.locator("#fit").click()
    boxes = [host(tab, name).locator(".box").bounding_box() for name in ("Web", "WS")]
    left, top = min(b["x"] for b in boxes) - 12, min(b["y"] for b in boxes) - 12
    right = max(b["x"] + b["width"] for b in boxes) + 12
    bottom = max(b["y"] + b["height"] for b in boxes) + 12
    drag(tab, (left, top), (right - left, bottom - top), key="Shift")
    assert sorted(state(tab, "chosen")) == ["WS", "Web"]
    bar(tab, "In a row")
    says(tab, "2 hosts were moved.")
    bar(tab, "Duplicate")
    tab.wait_for_selector('.node[data-name="Web2"]')
    assert {(a["from"], a["to"]) for a in state(tab, "drawing.arrows")} >= {
        ("GW", "Web2"),
        ("Web2", "DB"),
        ("GW", "WS2"),
    }
    assert len(state(tab, "past")) == 2
    bar(tab, "Zone…")
    answered(tab, "Put it there", "dmz")
    says(tab, "2 hosts are in dmz now.")
    tab.wait_for_selector('.zone[data-zone="dmz"]')
    tab.keyboard.press("Control+z")
    tab.keyboard.press("Control+z")
    tab.wait_for_function("() => document.querySelectorAll('.node').length === 4")
    host(tab, "Web").click()
    tab.keyboard.press("Control+c")
    tab.keyboard.press("Control+v")
    tab.wait_for_selector('.node[data-name="Web2"]')
    assert not [a for a in state(tab, "drawing.arrows") if "Web2" in (a["from"], a["to"])]
    host(tab, "Web2").click(button="right")
    tab.get_by_role("menuitem", name="Remove").click()
    tab.wait_for_function("() => document.querySelectorAll('.node').length === 4")
    host(tab, "DB").click()
    tab.keyboard.press("Delete")
    assert "G (DB != Z)" in tab.get_by_role("dialog").inner_text()
    tab.get_by_role("dialog").get_by_label("Another host").select_option("WS")
    answered(tab, "Let them name the other host")
    says(tab, "The rules speak of WS instead.")
    assert "G (WS != Z)" in state(tab, "document.text")
    tab.keyboard.press("Control+z")
    tab.wait_for_selector('.node[data-name="DB"]')


@pytest.mark.browser
def test_a_zone_is_drawn_wherever_the_box_is_begun(tab):
    """Should draw a box from the middle of a link too, where a drag would otherwise move the picture."""
    shown(tab, "several.yaml")
    source, target = tab.locator(".link").first.evaluate("link => [link.dataset.from, link.dataset.to]")
    start = tab.wait_for_function(
        """([from, to]) => {
            const paths = [...document.querySelectorAll(`.link[data-from="${from}"][data-to="${to}"] path`)];
            const line = paths.find((path) => path.getTotalLength() > 0);
            if (!line) return null;
            const { x, y } = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());
            return [x, y];
        }""",
        arg=[source, target],
    ).json_value()
    there = middle(host(tab, target))
    bar(tab, "Draw a zone")
    drag(tab, start, [2 * (end - begin) or 60 for begin, end in zip(start, there, strict=True)])
    tab.locator("dialog[open] input").fill("vault")
    tab.keyboard.press("Enter")
    says(tab, "in vault now")
    assert (
        target
        in tab.evaluate("async () => (await import('/page/store.js')).state.document.text").split("vault")[1]
    )
    tab.keyboard.press("Control+z")


def test_links_have_chances_costs_ports_and_flows(tab):
    """Should write each mark into the file, show it, and have the answer follow a chance."""
    tab.wait_for_function("() => document.getElementById('verdict').ariaBusy !== 'true'")
    link = tab.locator('.link[data-from="GW"][data-to="WS"]')
    link.focus()
    tab.keyboard.press("q")
    says(tab, "GW -> WS is needed")
    assert "needed" in link.get_attribute("class")
    tab.locator("[data-key=chance]").evaluate(
        "slider => { slider.value = 30; slider.dispatchEvent(new Event('change')); }"
    )
    says(tab, "GW -> WS succeeds with probability 0.3.")
    for _ in range(300):
        if (state(tab, "readings") or {}).get("hold"):
            break
        tab.wait_for_timeout(100)
    assert state(tab, "readings.hold"), "how likely it holds is answered"
    bar(tab, "Port…")
    answered(tab, "Write it", "443/tcp")
    says(tab, "443/tcp")
    assert link.locator(".label").text_content() == "443/tcp"
    bar(tab, "Cost…")
    answered(tab, "Set it", "3")
    says(tab, "cut GW -> WS costs 3.")
    host(tab, "DB").click()
    bar(tab, "Label…")
    answered(tab, "Write it", "db.corp.local")
    tab.wait_for_function(
        """() => document.querySelector('.node[data-name="DB"] .name').textContent === 'db.corp.local'"""
    )
    tab.keyboard.press("Escape")
    bar(tab, "Flows…")
    for name in ("GW", "Web", "DB"):
        host(tab, name).click()
    bar(tab, "Done")
    answered(tab, "Add it", "shop")
    says(tab, "The flow shop takes GW -> Web -> DB.")
    assert tab.locator(".link.flowing").count() == 2
    text = state(tab, "document.text")
    for written in (
        "keep: [GW -> WS]",
        "{GW -> WS: 0.3}",
        "GW -> WS: 443/tcp",
        "cost: 3",
        "db.corp.local",
        "shop: GW -> Web -> DB",
    ):
        assert written in text


@pytest.mark.browser
def test_files_are_saved_elsewhere_and_conflicts_shown(tab, folder):
    """Should save under another name, show what somebody else has written, take it, and have undo bring back one's own."""
    (folder / "mine.yaml").write_text(SEVERAL, "utf-8")
    shown(tab, "mine.yaml")
    host(tab, "Web").click()
    tab.keyboard.press("h")
    says(tab, "Web is hardened")
    mine = state(tab, "document.text")
    theirs = SEVERAL.replace("name: Several", "name: Theirs")
    (folder / "mine.yaml").write_text(theirs, "utf-8")
    tab.keyboard.press("Control+s")
    box = tab.get_by_role("dialog")
    assert "- name: Theirs" in box.locator(".difference .gone").first.inner_text()
    assert "+ name: Several" in box.locator(".difference .new").first.inner_text()
    answered(tab, "Open theirs")
    tab.wait_for_function("() => document.getElementById('title').textContent === 'Theirs'")
    assert "unsaved" not in tab.locator("#file").inner_text()
    tab.keyboard.press("Control+z")
    tab.wait_for_function("() => document.getElementById('title').textContent === 'Several'")
    assert state(tab, "document.text") == mine and "unsaved" in tab.locator("#file").inner_text()
    tab.keyboard.press("Control+Shift+s")
    answered(tab, "Save", "other name.v2")
    says(tab, "Saved as other name.v2.yaml.")
    assert (folder / "other name.v2.yaml").read_text("utf-8") == mine
    assert (folder / "mine.yaml").read_text("utf-8") == theirs
    tab.keyboard.press("Control+Shift+s")
    answered(tab, "Save", "mine")
    box.get_by_text("mine.yaml is in the folder already").wait_for()
    answered(tab, "Open that one")
    tab.wait_for_function("() => document.getElementById('title').textContent === 'Theirs'")
    assert (folder / "mine.yaml").read_text("utf-8") == theirs


@pytest.mark.browser
def test_a_file_with_several_networks_lets_one_be_chosen(tab):
    """Should ask which network is meant, and tell what was chosen without options of a command line."""
    drop = """([name, text]) => void import("/page/files.js").then((files) => files.openForeign(new File([text], name), true))"""
    tab.evaluate(drop, ["two.json", (ROOT / "tests" / "imports" / "yawning-titan.json").read_text()])
    tab.get_by_role("dialog").get_by_role("button", name="Chain").click()
    tab.wait_for_selector('.node[data-name="App"]')
    assert tab.locator(".node").count() == 3
    assert "--" not in tab.locator("#notice").inner_text()
    assert "unsaved" in tab.locator("#file").inner_text()


@pytest.mark.browser
def test_unsaved_work_survives_a_restart(browser, tmp_path):
    """Should be kept by the server, for the user alone, and be offered to another browser at another start."""
    (tmp_path / "states").mkdir()
    (tmp_path / "designs").mkdir()
    (tmp_path / "designs" / "several.yaml").write_text(SEVERAL, "utf-8")
    for again in (False, True):
        server = StudioServer(str(tmp_path / "designs" / "several.yaml"), state=tmp_path / "states")
        context = browser.new_context(viewport={"width": 1200, "height": 800})
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.goto(server.address)
        page.wait_for_selector('.node[data-name="Web"]')
        if again:
            page.get_by_role("button", name="Bring it back").click()
            page.wait_for_function(
                """() => document.querySelector('.node[data-name="Web"]').classList.contains("hardened")"""
            )
        else:
            page.locator('.node[data-name="Web"]').focus()
            page.keyboard.press("h")
            with page.expect_response("**/api/draft"):
                pass
        context.close()
        assert server.end() == 0
        (draft,) = (tmp_path / "states").rglob("*.json")
        assert draft.stat().st_mode & 0o077 == 0
        os.utime(draft, (draft.stat().st_mtime - 60,) * 2)


@pytest.mark.browser
def test_the_tour_goes_from_lost_to_held(browser, tmp_path):
    """Should begin on a lost design, show its attack, have the bypass cut, show that it holds, and what must never come."""
    server = StudioServer(cwd=tmp_path)
    page = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce").new_page()
    page.set_default_timeout(30_000)
    page.goto(server.address)
    card = page.locator("#tour")
    card.get_by_text("This shop is lost").wait_for()
    page.wait_for_function("() => document.getElementById('verdict').textContent.includes('NOT DEFENSIBLE')")
    card.get_by_role("button", name="Show me the attack").click()
    page.wait_for_selector('.node[data-name="Database"].tone-bad')
    page.wait_for_selector('.node[data-name="Database"].tone-gone')
    lost = page.locator('.node[data-name="Database"] .status')
    assert lost.evaluate("text => getComputedStyle(text).fill") == "rgb(255, 255, 255)", "readable on dark"
    card.get_by_role("button", name="Now fix it").click()
    page.locator('.link[data-from="VPN"][data-to="Database"]').focus()
    page.keyboard.press("Space")
    card.get_by_text("It holds").wait_for()
    page.wait_for_function(
        "() => /^DEFENSIBLE/.test(document.getElementById('verdict').textContent.trim()) && document.getElementById('verdict').ariaBusy !== 'true'"
    )
    card.get_by_role("button", name="What must never come?").click()
    page.wait_for_selector('.link.never[data-from="VPN"][data-to="Database"]')
    card.get_by_role("button", name="Open an example").click()
    page.get_by_role("dialog").get_by_role("button", name="Robot cell").or_(
        page.locator(".gallery .card").first
    ).first.click()
    card.wait_for(state="detached")
    page.context.close()
    assert server.end() == 0
