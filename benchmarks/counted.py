"""Hosts that are counted: processor seconds against how many there are.

``python -m benchmarks.counted`` asks about an office in which an attacker may hold three workstations at
most, and about one in which nothing bounds how many, for SLT the hard case; and about small groups against
the same hosts written out. ``python -m benchmarks.counted twins FIRST LAST MOST`` compares every reading of
random networks with groups of up to MOST hosts with those of the networks written out, and with those of the
latter as they are counted by themselves, and says how many differ; a reading that a limit left out on one
side is not compared. DDR* of counted hosts is found by numbers there, which `check` does of many only. With
``alone`` behind it there is one group of about MOST hosts, and one host beside it; with ``flows`` links are
in use, and what is asked may be about that; with ``chance`` actions may fail.
"""

from __future__ import annotations

import importlib
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from holdfast.certificates import certify, verify
from holdfast.composition import certify_composition, compose, composed_readings
from holdfast.errors import HoldfastError
from holdfast.game import gathered, with_counters
from holdfast.readings import analyse
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver import reachable, solve

OFFICE = """\
holdfast: 1
name: office
network:
  hosts: [GW, {{ws: {{count: {count}{alike}}}}}, Files, DB]
  links: [GW -> ws, ws -> Files, Files -> DB]
  entry: GW
specs:
  defender:
    - G (DB not in {{X, D, Z}})
    - G (active >= {left})
{bound}  adversary:
    - G (times(destroy) <= 2)
"""
BOUND = "    - G (count(ws in {X, D}) <= 3)\n"
ZONES = ((4, 30), (20, 500), (50, 2_000))
MEMBERS = (8, 100, 1_000, 10_000, 100_000)
FEW = (2, 4, 8, 16, 40)
UNBOUNDED = (8, 20, 50, 100)
SECONDS = 30.0
"""What one network may take, of the clock: what is left out is not compared."""


def office(count: int, alike: bool = True, bound: bool = True) -> str:
    """The text of a scenario."""
    return OFFICE.format(
        count=count, alike=", alike: yes" if alike else "", left=count - 5, bound=BOUND if bound else ""
    )


def estate(n_zones: int, count: int, alike: bool = True) -> str:
    """The text of a scenario of equal zones in a ring, each with a group."""
    numbers = range(n_zones)
    counted = ", alike: yes" if alike else ""
    hosts = [f"gw{i}, {{ws{i}: {{count: {count}{counted}}}}}, fs{i}, db{i}" for i in numbers]
    zones = [f"z{i}: [gw{i}, ws{i}, fs{i}, db{i}]" for i in numbers]
    links = [
        f"gw{i} -> ws{i}, ws{i} -> fs{i}, fs{i} -> db{i}, fs{i} -> gw{(i + 1) % n_zones}" for i in numbers
    ]
    return (
        f"holdfast: 1\nname: estate\nnetwork:\n  hosts: [{', '.join(hosts)}]\n"
        f"  zones: {{{', '.join(zones)}}}\n  links: [{', '.join(links)}]\n  entry: gw0\n  reset: none\n"
        "specs:\n  defender:\n    - per_zone: G (count(zone in {I, Z}) <= 4)\n"
        "    - per_zone: G (count(zone in {X, D}) <= 4)\n"
        f"    - G (active >= {n_zones * (count + 3) - 3 * n_zones - 10})\n"
        "  adversary: [G (times(destroy) <= 2)]\n"
    )


def by_zone(text: str) -> str:
    """One line about a scenario that is asked zone by zone, and what it is when alike hosts are counted."""
    read, chosen = timed(lambda: configuration(scenario_from_text(text)))
    solved, found = timed(lambda: compose(gathered(chosen)))
    understood, readings = timed(lambda: composed_readings(found))
    line = f"read {read:.2f}, verdict {solved:.2f}, readings {understood:.2f}"
    if readings is not None and readings.unread:
        line += f" (not all: {readings.unread})"
    if chosen.game.tallies:
        proved, raw = timed(lambda: certify_composition(found))
        checked, verdict = timed(lambda: verify(raw))
        line += f", certificate {proved:.2f} ({len(raw):,} bytes), verify {checked:.2f} ({verdict.valid})"
    return f"{line}; {'held' if found.defensible else 'not held'} by {found.decided_by}"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds, and what the work gave."""
    begun = time.process_time()
    given = work()
    return time.process_time() - begun, given


def measured(text: str, everything: bool = True) -> str:
    """One line about a scenario."""
    read, chosen = timed(lambda: configuration(scenario_from_text(text)))
    solved, solution = timed(lambda: solve(chosen))
    followed, reach = timed(lambda: reachable(solution))
    line = f"read {read:.2f}, verdict {solved:.2f}, SLT {followed:.2f}"
    if everything:
        proved, raw = timed(lambda: certify(solution))
        checked, found = timed(lambda: verify(raw))
        whole, _ = timed(lambda: analyse(chosen, learning=False))
        line += f", certificate {proved:.2f} ({len(raw):,} bytes), verify {checked:.2f} ({found.valid})"
        line += f", all readings of check {whole:.2f}"
    return (
        f"{line}; {'held' if solution.defensible else 'lost'}, |R| has {len(str(reach.n_positions))} digits"
    )


def same(one: Any, other: Any) -> bool:
    """Whether two answers agree in all that both have; of a large network written out less is worked out."""
    if one is None or other is None or () in (one, other):
        return True
    if is_dataclass(one) and is_dataclass(other):
        return same(vars(one), vars(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def overlapping(one: Any, other: Any) -> bool:
    """Whether what is known of how likely a design holds agrees, for ever and for so many moves."""
    if one is None or other is None:
        return True
    pairs = [(dict(one)["forever"], dict(other)["forever"])]
    pairs += zip((b for _, b in dict(one)["moves"]), (b for _, b in dict(other)["moves"]), strict=True)
    ends = [(dict(left), dict(right)) for left, right in pairs]
    return all(a["low"] <= b["high"] and b["low"] <= a["high"] for a, b in ends)


def _value_of(answer: dict[str, Any]) -> Any:
    """DDR*, where it was solved."""
    point = answer["ddr_exact"]
    return None if point is None else dict(point)["value"]


def twins(first: int, last: int, most: int, **options: bool) -> None:
    """Compare random networks with groups with the same written out, and with what is counted by itself."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
    from grouped import built, grouped_network, readings, readings_of

    analysis = importlib.import_module("holdfast.readings.analysis")
    analysis.MOST_PLAYED = analysis.MOST_DRAWN = 0
    found: Counter[str] = Counter()
    different = []
    seconds = [0.0, 0.0, 0.0]
    for seed in range(first, last):
        counted, written = grouped_network(random.Random(seed), most, **options)

        def by_itself(written: str = written) -> Any:
            try:
                found_alike = with_counters(built(written), least=2)
            except HoldfastError as error:
                return type(error)
            return None if found_alike is None else readings_of(found_alike, seconds=SECONDS)

        answers = []
        works = (lambda: readings(counted, SECONDS), lambda: readings(written, SECONDS), by_itself)  # noqa: B023
        for i, work in enumerate(works):
            spent, answer = timed(work)
            seconds[i] += spent
            answers.append(answer)
        found["networks"] += 1
        if any(isinstance(answer, type) for answer in answers):
            found["refused alike"] += answers[0] == answers[1]
            different += [] if answers[0] == answers[1] else [seed]
            continue
        known = [dict(answer) for answer in answers if answer is not None]
        missing = [answer.pop("undecided") for answer in known]
        likely = [answer.pop("hold") for answer in known]
        found["with HOLD"] += all(likely) and options.get("chance", False)
        if not all(overlapping(likely[0], other) for other in likely[1:]):
            different.append(seed)
        found["held"] += known[0]["defensible"]
        found["compared in all readings"] += not any(missing)
        found["counted by themselves"] += len(known) == 3
        found["with DDR*"] += all(_value_of(answer) is not None for answer in known)
        if not all(same(known[0], other) for other in known[1:]):
            different.append(seed)
        if found["networks"] % 20 == 0:
            print(f"  up to seed {seed}: {dict(found)}, {len(different)} differ", flush=True)
    print(f"groups of up to {most}: {dict(found)}, {len(different)} differ: {different}")
    print("{:.0f} s counted, {:.0f} s written out, {:.0f} s counted by themselves".format(*seconds))


def main() -> None:
    """Print the figures."""
    if sys.argv[1:2] == ["twins"]:
        first, last, most = map(int, sys.argv[2:5])
        options = {name: name in sys.argv for name in ("alone", "flows", "chance")}
        twins(first, last, most, **options)
        return
    print("three workstations at most may be compromised")
    for count in MEMBERS:
        print(f"  {count:>7,}  {measured(office(count))}", flush=True)
    print("any number of them may be")
    for count in UNBOUNDED:
        print(f"  {count:>7,}  {measured(office(count, bound=False), everything=False)}", flush=True)
    print("zone by zone")
    for n_zones, count in ZONES:
        print(f"  {n_zones} zones of {count + 3:,}  {by_zone(estate(n_zones, count))}", flush=True)
    print(f"  4 zones of 33, listed  {by_zone(estate(4, 30, alike=False))}", flush=True)
    print("counted against written out, three at most")
    for count in FEW:
        for alike in (True, False):
            try:
                line = measured(office(count, alike), everything=False)
            except HoldfastError as error:
                line = str(error)
            print(f"  {count:>7,}  {'counted    ' if alike else 'written out'}  {line}", flush=True)


if __name__ == "__main__":
    main()
