"""What a person waits for in the studio: from opening to drawing and verdict, from a click to the verdict.

A server is started as a person would start it, and its page is opened in Chromium at once. Measured is, from
when the address is printed, when the first host is drawn and when the verdict is there; then, with the same
page, from the click on a link to the verdict of the changed design, at several sizes. ``--source`` names the
``src`` folder of another checkout, which is measured in turns with this one: before and after in one run.

``look`` measures when *Why* and *Change* have their first section, of networks of 40 hosts that nothing was
tuned on, held and lost, and of the library's plant: as soon as the verdict is there, and once the first
screen has looked for advice for some seconds. Behind the clock stands the processor time of the server and
all its processes: a machine of two cores that does nothing else takes half of it or more. Names of designs
ask about these alone.

    python -m benchmarks.studio_page
    python -m benchmarks.studio_page look
    python -m benchmarks.studio_page --source /path/of/another/checkout/src
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.held_out import drawn as network_of
from benchmarks.studio import scenario

SIZES = (5, 12, 20, 40)
OPENINGS, CLICKS = 3, 3
CHROMIUM = "/usr/bin/chromium"

VERDICT = """document.getElementById("verdict").ariaBusy !== "true" &&
    /DEFENSIBLE/.test(document.getElementById("verdict").textContent)"""
DRAWN = "() => document.querySelector('.node, .zone')"
ANSWERED = f"() => {VERDICT}"
LINK = '.link[data-from="GW"][data-to="Web"]'
SWITCHED = f"""() => document.querySelector('{LINK}').getAttribute("aria-checked") === "false" && {VERDICT}"""
SHOWN = """async (text) => {
    const { open } = await import("/page/store.js");
    open(text, { name: null, digest: null, saved: text });
}"""
WARM = 8_000
"""Milliseconds after which all workers are ready, before clicks are measured."""


class Served:
    """A studio of some checkout, opened with a design."""

    def __init__(self, source: str | None, path: Path) -> None:
        paths = {"PYTHONPATH": source} if source else {}
        command = [sys.executable, "-m", "holdfast", "studio", str(path), "--no-browser", "--port", "0"]
        state = {"XDG_STATE_HOME": str(path.parent / "state")}
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | paths | state,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.since = time.perf_counter()
        assert re.match(r"http://127", self.address), self.address

    def end(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


def opened(browser: Any, served: Served) -> tuple[Any, float, float]:
    """A page, and the seconds from the address to its drawing and to its verdict."""
    page = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce").new_page()
    page.set_default_timeout(300_000)
    page.goto(served.address)
    page.wait_for_function(DRAWN, polling=20)
    drawn = time.perf_counter() - served.since
    page.wait_for_function(ANSWERED, polling=20)
    return page, drawn, time.perf_counter() - served.since


def clicked(page: Any) -> float:
    """Seconds from a switched link to the verdict without it; the link is switched on again."""
    page.locator(LINK).focus()
    started = time.perf_counter()
    page.keyboard.press("Space")
    page.wait_for_function(SWITCHED, polling=20)
    taken = time.perf_counter() - started
    page.keyboard.press("Control+z")
    page.wait_for_function(ANSWERED, polling=20)
    return taken


def measured(browser: Any, source: str | None, n: int, folder: Path) -> tuple[float, float, float]:
    """Drawing and verdict after a cold start, and a click, each the least of some, for one size."""
    path = folder / f"departments-{n}.yaml"
    starts, clicks = [], []
    for turn in range(OPENINGS):
        path.write_text(f"{scenario('departments', n)}# {turn}\n")
        served = Served(source, path)
        try:
            page, drawn, answered = opened(browser, served)
            starts.append((drawn, answered))
            if turn == OPENINGS - 1:
                page.wait_for_timeout(WARM)
                for change in range(CLICKS):
                    text = f"{path.read_text()}# change {change}\n"
                    page.evaluate(SHOWN, text)
                    page.wait_for_function(DRAWN, polling=20)
                    page.wait_for_function(ANSWERED, polling=20)
                    clicks.append(clicked(page))
            page.context.close()
        finally:
            served.end()
    return min(d for d, _ in starts), min(a for _, a in starts), min(clicks)


# -- what is looked at ------------------------------------------------------------------------------

LOOKED_AT = {"why": "h3", "change": ".changes > li"}
"""The panels, and what their first answer is made of; the attack is told where it is drawn."""

UNDER_WAY, MOST = 5_000, 60_000
"""Milliseconds for which advice is looked for, and after which a first answer is given up."""


def spent(root: int) -> float:
    """Processor seconds of a process and all below it."""
    parents, used = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(entry.parent.name)
        parents[pid], used[pid] = int(fields[1]), int(fields[11]) + int(fields[12])
    below = {root}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(used.get(pid, 0) for pid in below) / os.sysconf("SC_CLK_TCK")


def held_out(family: str, active: int) -> str:
    """A network of 40 hosts of a held-out family as the text of a scenario."""
    (hosts, ends, (first, second)), entry = network_of(family, 40, 7, 1)
    links = ", ".join(f"{a} -> {b}" for a, b in ends)
    both = f"G !({first} in {{X, D, Z}} & {second} in {{X, D, Z}})"
    return f"""holdfast: 1
network: {{hosts: [{", ".join(hosts)}], entry: {entry}, links: [{links}]}}
specs: {{defender: ["{both}", G (active >= {active})], adversary: [G (times(destroy) <= 2)]}}
"""


def looked(browser: Any, source: str | None, path: Path, tab: str, later: bool) -> str:
    """Clock and processor until a panel shows its first answer, at once or with advice under way."""
    served = Served(source, path)
    try:
        page, _, _ = opened(browser, served)
        if later:
            page.wait_for_event("request", lambda asked: asked.url.endswith("recommend-parts"))
            page.wait_for_timeout(UNDER_WAY)
        before, began = spent(served.process.pid), time.perf_counter()
        page.click(f"#tab-{tab}")
        shown = f"""() => [...document.querySelectorAll("#panel-{tab} {LOOKED_AT[tab]}")]
            .some((one) => !one.parentElement.querySelector(".waiting"))"""
        try:
            page.wait_for_function(shown, polling=50, timeout=MOST)
        except Exception:
            return f"> {MOST // 1000}"
        taken, worked = time.perf_counter() - began, spent(served.process.pid) - before
        page.context.close()
        return f"{taken:.1f} ({worked:.1f})"
    finally:
        served.end()


def look(browser: Any, sources: tuple[str | None, ...], names: list[str], folder: Path) -> None:
    """Print what each panel takes to its first answer, for each design and checkout."""
    designs = {
        f"{family}-{word}": held_out(family, active)
        for family in ("enterprise", "campus")
        for word, active in (("held", 37), ("lost", 39))
    } | {"plant": Path("scenarios/plant.yaml").read_text()}
    for name, text in designs.items():
        if names and name not in names:
            continue
        path = folder / f"{name}.yaml"
        path.write_text(text)
        for tab in LOOKED_AT:
            for later in (False, True):
                told = [looked(browser, source, path, tab, later) for source in sources]
                print(
                    f"{name:16s} {tab:7s} {'later' if later else 'at once'}  {'   '.join(told)}", flush=True
                )


def main(arguments: list[str]) -> None:
    """Print a line for each size and checkout."""
    from playwright.sync_api import sync_playwright

    other = arguments[arguments.index("--source") + 1] if "--source" in arguments else None
    sizes = tuple(int(one) for one in arguments if one.isdigit()) or SIZES
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if "look" in arguments:
            names = [one for one in arguments if one not in ("look", "--source", other)]
            look(browser, (other, None) if other else (None,), names, Path(folder))
            return
        print("hosts  checkout  drawing  verdict  click to verdict")
        for n in sizes:
            for source in (other, None) if other else (None,):
                drawn, answered, click = measured(browser, source, n, Path(folder))
                name = "other" if source else "this"
                print(f"{n:5d}  {name:8s}  {drawn:7.2f}  {answered:7.2f}  {click:16.2f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
