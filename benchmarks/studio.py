"""How long a change in the studio takes to be answered, beside the same question on the command line.

A server is started as a person would start it, and asked over HTTP as the page does: a link is switched
(``/api/edit``), and the text that comes back, which no worker has solved before, is asked about. Measured is
the time from the click to the verdict (edit, then the first line of ``/api/readings``), and to all static
readings. The command line is asked for the same: ``check --no-latitude --no-response`` for the verdict,
``fingerprint --no-learning`` for all. Both take turns; the least and the middle of each are shown, since what
else the machine does befalls both. ``cpu`` is what a warm process needs from click to verdict, without the
server and its wires.

    python -m benchmarks.studio          # 5, 10 and 20 hosts
    python -m benchmarks.studio 5 10
"""

from __future__ import annotations

import http.client
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

Network = tuple[list[str], list[tuple[str, str]]]

SIZES = (5, 10, 20)
REPEATS = 7
COMMAND = [sys.executable, "-m", "holdfast"]


def chain(n: int) -> Network:
    """A gateway, a web server, n − 4 workstations in a chain, a database and its backup."""
    stations = [f"ws{i}" for i in range(1, n - 3)]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK"), ("GW", stations[0]), (stations[-1], "DB")]
    return ["GW", "Web", *stations, "DB", "BK"], [*links, *pairwise(stations)]


def departments(n: int) -> Network:
    """A gateway and a web server, departments of four behind it, a database and its backup."""
    desks = [f"d{i}" for i in range(1, n - 3)]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK")]
    for i in range(0, len(desks), 4):
        own = desks[i : i + 4]
        links += [("Web", own[0]), (own[-1], "DB"), *((own[0], other) for other in own[1:])]
    return ["GW", "Web", *desks, "DB", "BK"], links


FAMILIES = {"chain": chain, "departments": departments}


def scenario(family: str, n: int) -> str:
    """A network of a family as the text of a scenario."""
    hosts, ends = FAMILIES[family](n)
    links = "\n".join(f"    - {a} -> {b}" for a, b in ends)
    return f"""holdfast: 1
name: {family} of {n}
network:
  hosts: [{", ".join(hosts)}]
  links:
{links}
  entry: {hosts[0]}
specs:
  defender:
    - G !(DB in {{X, D, Z}} & BK in {{X, D, Z}})
    - G (active >= {n - 3})
  adversary:
    - G (times(destroy) <= 2)
"""


SWITCH = {"kind": "cut_link", "from": "GW", "to": "Web"}


def asked(port: int, token: str, text: str) -> tuple[float, float]:
    """Seconds from the click on a link to the first line of the readings, and to the last."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    header = {"X-Holdfast-Token": token}
    started = time.perf_counter()
    connection.request("POST", "/api/edit", json.dumps({"scenario": text, "operation": SWITCH}), header)
    changed = json.loads(connection.getresponse().read())["scenario"]
    body = json.dumps({"scenario": changed, "window": "benchmark", "topic": "readings"})
    connection.request("POST", "/api/readings", body, header)
    answer = connection.getresponse()
    first = answer.readline()
    verdict = time.perf_counter() - started
    rest = answer.read()
    whole = time.perf_counter() - started
    assert b"certificate" in first and b'"done": true' in rest, first + rest
    return verdict, whole


def warm_cpu(text: str) -> float:
    """Processor seconds from click to verdict in a process that has everything loaded; the least of some."""
    from holdfast.apps.studio.bench import Bench
    from holdfast.apps.studio.questions import QUESTIONS

    bench, taken = Bench(), []
    for turn in range(REPEATS):
        before = f"{text}# change {turn}\n"
        QUESTIONS["drawing"](bench, {"scenario": before})
        started = time.process_time()
        changed = QUESTIONS["edit"](bench, {"scenario": before, "operation": SWITCH})["scenario"]
        next(QUESTIONS["readings"](bench, {"scenario": changed}))
        taken.append(time.process_time() - started)
    return min(taken)


def called(path: Path, *arguments: str) -> float:
    """Seconds of a command."""
    started = time.perf_counter()
    subprocess.run([*COMMAND, *arguments, "--json", str(path)], check=False, capture_output=True)
    return time.perf_counter() - started


def measured(port: int, token: str, family: str, n: int, folder: Path) -> dict[str, Any]:
    """One network, both ways, in turns."""
    text, path = scenario(family, n), folder / f"{family}-{n}.yaml"
    path.write_text(text.replace("    - GW -> Web\n", ""))
    taken: dict[str, list[float]] = {key: [] for key in ("verdict", "all", "cli_verdict", "cli_all")}
    for turn in range(REPEATS):
        verdict, whole = asked(port, token, f"{text}# change {turn}\n")
        taken["verdict"].append(verdict)
        taken["all"].append(whole)
        if turn < 3:
            taken["cli_verdict"].append(called(path, "check", "--no-latitude", "--no-response"))
            taken["cli_all"].append(called(path, "fingerprint", "--no-learning"))
    row: dict[str, Any] = {"family": family, "hosts": n, "cpu": warm_cpu(text)}
    for key, times in taken.items():
        row[key] = {"least": min(times), "middle": statistics.median(times)}
    return row


def run(sizes: tuple[int, ...] = SIZES, families: Iterable[str] = FAMILIES) -> list[dict[str, Any]]:
    """Every family and size; a line on the terminal for each."""
    command = [*COMMAND, "studio", "--no-browser", "--port", "0", "--timeout", "600"]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        assert server.stdout is not None
        found = re.search(r":(\d+)/\?token=(\S+)", server.stdout.readline())
        assert found is not None
        try:
            asked(int(found[1]), found[2], scenario("chain", 5))  # the workers are there
            for family in families:
                for n in sizes:
                    row = measured(int(found[1]), found[2], family, n, Path(folder))
                    rows.append(row)
                    told = "  ".join(
                        f"{key} {row[key]['least']:.3f}–{row[key]['middle']:.3f}"
                        for key in ("verdict", "all", "cli_verdict", "cli_all")
                    )
                    print(f"{family:11} {n:3} hosts  cpu {row['cpu']:.3f}  {told}", flush=True)
        finally:
            server.terminate()
            server.wait()
    return rows


if __name__ == "__main__":
    run(tuple(map(int, sys.argv[1:])) or SIZES)
