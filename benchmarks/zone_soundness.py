"""Verdicts by zones against whole solutions, on random small networks, every certificate verified.

``python -m benchmarks.zone_soundness FIRST COUNT``: networks of two or three zones with all options
(``tests/support/zoned.py``), one for each seed from FIRST on; every other one without merging, so that
promises and allowances have to decide, and every fifth with other zones than it declares. With ``groups``
behind it the networks have counted groups of up to four hosts, and the whole is that with every host written
out. Stops at the first verdict that is not that of the whole, and at the first certificate that is refused.
Prints every thousand networks how many each step decided.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time

from holdfast.certificates import verify
from holdfast.composition import certify_composition, compose
from holdfast.errors import InputError, LimitError
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import solve

HOSTS = 6
"""As many as such a network has at most: merging may go on to the whole."""


def compared(seed: int, groups: bool = False) -> str:
    """What decided a random network, after all that was said of it was checked."""
    from zoned import other_zones, zoned_groups, zoned_network

    draw = Random(seed)
    text, written = zoned_groups(draw) if groups else (zoned_network(draw), "")
    try:
        whole = configuration(scenario_from_text(written or text))
    except InputError:
        return "refused"
    divided = configuration(scenario_from_text(text)) if groups else whole
    partition = other_zones(draw, whole.system.graph.names) if seed % 5 == 0 and not groups else None
    found = compose(divided, partition, most_nodes=0 if seed % 2 else HOSTS)
    if found.defensible is None:
        if seed % 2 == 0:
            raise SystemExit(f"seed {seed}: open although all zones may be taken as one: {found.open}")
        return "open, without merging"
    try:
        expected = solve(whole).defensible
    except LimitError:
        return "too large to be solved as a whole"
    if found.defensible is not expected:
        raise SystemExit(f"seed {seed}: UNSOUND: {found.defensible} by {found.decided_by}")
    if not verify(certify_composition(found)).valid:
        raise SystemExit(f"seed {seed}: the certificate of {found.decided_by} is refused")
    return found.decided_by


def main(first: int, count: int, groups: bool) -> None:
    """Compare so many networks."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
    steps, started = Counter[str](), process_time()
    for number in range(1, count + 1):
        if number == 2:
            gc.freeze()  # all that was imported, which need not be looked through again
        steps[compared(first + number - 1, groups)] += 1
        if number % 1000 == 0 or number == count:
            told = ", ".join(f"{n:,} {step}" for step, n in steps.most_common())
            print(f"{number:,} from {first:,}, {process_time() - started:.0f} s: {told}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "groups" in sys.argv)
