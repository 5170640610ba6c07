"""Hosts that are counted: processor seconds against how many there are.

``python -m benchmarks.counted`` asks about an office in which an attacker may hold three workstations at
most, and about one in which nothing bounds how many, for SLT the hard case; and about small groups against
the same hosts written out. ``python -m benchmarks.counted twins FIRST LAST MOST`` compares every reading of
random networks with groups of up to MOST hosts with those of the networks written out, and says how many
differ.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from holdfast.certificates import certify, verify
from holdfast.errors import HoldfastError
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
MEMBERS = (8, 100, 1_000, 10_000, 100_000)
FEW = (2, 4, 8, 16, 40)
UNBOUNDED = (8, 20, 50, 100)


def office(count: int, alike: bool = True, bound: bool = True) -> str:
    """The text of a scenario."""
    return OFFICE.format(
        count=count, alike=", alike: yes" if alike else "", left=count - 5, bound=BOUND if bound else ""
    )


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


def twins(first: int, last: int, most: int) -> None:
    """Compare random networks with groups with the same written out."""
    sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / part) for part in ("support", "models")]
    from test_host_groups import readings

    from grouped import grouped_network

    n = held = refused = 0
    different = []
    seconds = [0.0, 0.0]
    for seed in range(first, last):
        answers = []
        for i, text in enumerate(grouped_network(random.Random(seed), most)):
            spent, answer = timed(lambda text=text: readings(text))
            seconds[i] += spent
            answers.append(answer)
        n += 1
        if isinstance(answers[0], type):
            refused += 1
        else:
            held += dict(answers[0])["defensible"]
        if not same(*answers):
            different.append(seed)
    print(
        f"{n} networks, groups of up to {most}: {held} held, {refused} refused alike, {len(different)} differ"
    )
    print(f"{seconds[0]:.1f} s counted, {seconds[1]:.1f} s written out; seeds that differ: {different}")


def main() -> None:
    """Print the figures."""
    if sys.argv[1:2] == ["twins"]:
        twins(*map(int, sys.argv[2:5]))
        return
    print("three workstations at most may be compromised")
    for count in MEMBERS:
        print(f"  {count:>7,}  {measured(office(count))}", flush=True)
    print("any number of them may be")
    for count in UNBOUNDED:
        print(f"  {count:>7,}  {measured(office(count, bound=False), everything=False)}", flush=True)
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
