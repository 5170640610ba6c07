"""What a person waits for in the studio: from opening to drawing and verdict, from a click to the verdict.

A server is started as a person would start it, and its page is opened in Chromium at once. Measured is, from
when the address is printed, when the first host is drawn and when the verdict is there; then, with the same
page, from the click on a link to the verdict of the changed design, at several sizes. ``--source`` names the
``src`` folder of another checkout, which is measured in turns with this one: before and after in one run.

    python -m benchmarks.studio_page
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


def main(arguments: list[str]) -> None:
    """Print a line for each size and checkout."""
    from playwright.sync_api import sync_playwright

    other = arguments[arguments.index("--source") + 1] if "--source" in arguments else None
    sizes = tuple(int(one) for one in arguments if one.isdigit()) or SIZES
    print("hosts  checkout  drawing  verdict  click to verdict")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for n in sizes:
            for source in (other, None) if other else (None,):
                drawn, answered, click = measured(browser, source, n, Path(folder))
                name = "other" if source else "this"
                print(f"{n:5d}  {name:8s}  {drawn:7.2f}  {answered:7.2f}  {click:16.2f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
