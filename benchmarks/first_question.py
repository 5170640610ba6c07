"""The first question about networks as they come: what a newcomer reads about files nobody has adapted.

``python -m benchmarks.first_question [FOLDER] [SECONDS]`` imports every file of a folder that is a network
(``$HOLDFAST_SAMPLES`` by default; of a file with several networks each), takes the networks of the library
too, and prints a table: hosts, links, exposed hosts, flows, how many sentences say what was left out, the
verdict as the file is written, whether the attacker can be got out, the rungs of the ladder that are reached,
the first three recommendations, and the processor seconds of reading the file and of all of it. None of the
recommendations may cut what a flow needs; that is asserted. Files that belong together (``TOGETHER``) are
imported as one network, too. With ``quick`` the recommendations are left out.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import holdfast as hf
from holdfast.design import ladder_of
from holdfast.design.flow_needs import needed_parts
from holdfast.game import EXPOSED, NEVER
from holdfast.readings import EVICTED
from holdfast.scenario import Scenario, read_scenario, scenario_from_text

LIBRARY = Path(__file__).parent.parent / "scenarios"
SECONDS = 120.0
"""What the recommendations for one network may take."""

COLUMNS = (
    *("source", "hosts", "links", "exposed", "flows", "dropped"),
    *("verdict", "evict", "ladder", "recommended", "read s", "s"),
)
TOGETHER = (
    ("k8s-online-boutique.yaml", "k8s-online-boutique-netpols.yaml"),
    ("bloodhound-computers.json", "bloodhound-sessions.json"),
)
"""Samples that are one network together."""


def main(words: list[str]) -> None:
    """Print the table as Markdown, a row as soon as it is known."""
    quick = "quick" in words
    words = [word for word in words if word != "quick"]
    seconds = float(words.pop()) if words and re.fullmatch(r"[\d.]+", words[-1]) else SECONDS
    folder = words[0] if words else os.environ.get("HOLDFAST_SAMPLES", "")
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    held = n_rows = 0
    for source, scenario, told in networks(Path(folder) if folder else None):
        row = told | asked(source, scenario, seconds, quick)
        held, n_rows = held + (row["verdict"] == "held"), n_rows + 1
        print("| " + " | ".join(str(row[column]) for column in COLUMNS) + " |", flush=True)
    print(f"\n{n_rows} networks, {held} held as they come", flush=True)


def networks(folder: Path | None) -> Iterator[tuple[str, Scenario, dict[str, Any]]]:
    """The samples of a folder that are networks, then those of the library; with what reading them took."""
    given: list[list[Path]] = [[path] for path in sorted(folder.iterdir())] if folder is not None else []
    given += [[folder / name for name in names] for names in TOGETHER] if folder is not None else []
    for paths in given:
        for name in several(paths[0]) if len(paths) == 1 else [None]:
            started = time.process_time()
            try:
                found = hf.import_network(paths, network=name)
            except hf.InputError as error:
                print(
                    f"(not imported: {paths[0].name}: {str(error).split(': ', 1)[-1][:90]})", file=sys.stderr
                )
                continue
            told = {"dropped": len(found.network.dropped), "read s": round(time.process_time() - started, 2)}
            called = " + ".join(path.name for path in paths) + (f", {name}" if name else "")
            yield called, scenario_from_text(found.text), told
    for path in sorted(LIBRARY.glob("*.yaml")):
        scenario = read_scenario(path)
        if hf.configuration(scenario).system.model == "network":
            yield f"library: {path.stem}", scenario, {"dropped": "", "read s": ""}


def several(path: Path) -> list[str | None]:
    """The names of the networks in a file, None for one that holds only one."""
    try:
        hf.import_network(path)
    except hf.InputError as error:
        named = str(error).partition("take one with --network: ")[2]
        return re.findall(r'"([^"]+)"', named) or [None]
    return [None]


def asked(source: str, scenario: Scenario, seconds: float, quick: bool = False) -> dict[str, Any]:
    """One row of the table."""
    started = time.process_time()
    configuration = hf.configuration(scenario)
    graph = configuration.system.graph
    assert graph is not None
    row: dict[str, Any] = {"source": source, "hosts": len(graph.nodes), "links": len(graph.arrows)}
    row |= {"exposed": len(graph.marked(EXPOSED)), "flows": len(graph.flows)}
    budget = hf.Budget.lasting(seconds)
    try:
        solution = hf.solve(configuration, budget=budget)
    except hf.LimitError:
        return row | {"verdict": "undecided", "evict": "", "ladder": "", "recommended": "", "s": seconds}
    rank = solution.initial_rank
    row["verdict"] = "held" if rank is None else f"lost in {rank}"
    row["evict"], row["ladder"] = "", ""
    if solution.defensible:
        analysis = hf.analyse(configuration, response=False, latitude=False, budget=budget.share(0.2))
        row["evict"] = evicted(analysis)
        ladder = ladder_of(solution, budget=budget.share(0.2))
        row["ladder"] = f"{sum(v.defensible is True for v in ladder.rungs)} of {len(ladder.rungs)}"
    row["recommended"] = "not asked"
    if not quick:
        row["recommended"] = "; ".join(recommended(scenario, hf.Budget.lasting(seconds))) or "nothing"
    return row | {"s": round(time.process_time() - started, 1)}


def evicted(analysis: hf.Analysis) -> str:
    """How soon the attacker can be got out, in a word or two."""
    profile = analysis.recovery.get(EVICTED)
    if profile is None or profile.moves is None or (profile.moves == 0 and profile.again is None):
        return "not known in time"
    if profile.moves == 0:
        return "whenever he gets in" if profile.again else "once inside, never"
    return "never" if profile.moves == NEVER else f"within {profile.moves}"


def recommended(scenario: Scenario, budget: hf.Budget) -> list[str]:
    """The first three recommendations in words."""
    found = hf.recommend(scenario, budget=budget)
    sets = [remedy.changes for remedy in found.remedies.sets] if found.remedies else []
    sets += [one.changes for one in found.improvements.front] if found.improvements else []
    system = found.space.configuration.system
    needed = {f"{part.verb} {part.name}" for part in needed_parts(system)}
    assert not any(name in needed for changes in sets for name in changes), "cuts what a flow needs"
    return [" and ".join(changes) for changes in sets[:3]]


if __name__ == "__main__":
    main(sys.argv[1:])
