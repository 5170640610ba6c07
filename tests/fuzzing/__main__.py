"""``python -m fuzzing``: attack for some minutes, and say what was tried and found."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import sys
import time
from pathlib import Path

from fuzzing.attacks import ATTACKS, case_of, judged
from fuzzing.campaign import campaign, summary
from fuzzing.found import read


def main() -> int:
    """Exit 0 if nothing was found, 1 if something was."""
    options = _options()
    if options.replay:
        return _replay(options.replay, options.seed)
    _warm()
    started = time.monotonic()
    tally = campaign(
        options.seed, options.minutes, options.cores, options.attacks, not options.forget, _teller(started)
    )
    told = summary(tally, time.monotonic() - started)
    if options.summary:
        options.summary.parent.mkdir(parents=True, exist_ok=True)
        options.summary.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    print(_words(told))
    return 1 if told["findings"] else 0


def _options():
    parser = argparse.ArgumentParser(prog="fuzzing", description="Attack Holdfast with random cases.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--attacks", nargs="+", choices=ATTACKS, default=list(ATTACKS))
    parser.add_argument("--summary", type=Path, help="write the summary there, as JSON")
    parser.add_argument("--forget", action="store_true", help="keep no files of what is found")
    parser.add_argument("--replay", metavar="CASE", help="judge one case: a kept file, or ATTACK:NUMBER")
    return parser.parse_args()


def _warm():
    """Load everything once, so that forked processes need not."""
    import holdfast

    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        if module.name not in ("holdfast.__main__", "holdfast.apps.studio.kit"):
            try:
                importlib.import_module(module.name)
            except ImportError:  # what an extra brings
                continue


def _teller(started):
    last = [time.monotonic()]

    def tell(tally, finding):
        if finding:
            print(f"FOUND {finding}", flush=True)
        elif time.monotonic() - last[0] > 30:
            last[0] = time.monotonic()
            done = ", ".join(f"{n:,} {attack}" for attack, n in tally.cases.items())
            print(f"{time.monotonic() - started:5.0f} s: {done}; {len(tally.findings)} findings", flush=True)

    return tell


def _words(told) -> str:
    lines = [f"seed {told['seed']}, {told['seconds']} s"]
    for attack, n in told["cases"].items():
        n_found = sum(f["attack"] == attack for f in told["findings"])
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in list(told["kinds"][attack].items())[:6])
        slowest = told["slowest"][attack]
        lines.append(
            f"  {attack:10} {n:7,} cases {told['processor_seconds'][attack]:7.0f} s {n_found:3} findings   "
            f"({kinds}; slowest {slowest['seconds']} s, number {slowest['number']})"
        )
    n_marks = len({(f["attack"], f["mark"]) for f in told["findings"]})
    lines.append(
        f"  {sum(told['cases'].values()):,} cases, {len(told['findings'])} findings of {n_marks} kinds"
    )
    return "\n".join(lines)


def _replay(which, seed) -> int:
    if os.path.exists(which):
        attack, case = read(Path(which))
    else:
        attack, number = which.split(":")
        case = case_of(attack, seed, int(number))
    print(json.dumps(case, indent=1, ensure_ascii=False))
    kinds, complaint = judged(attack, case)
    print("nothing is wrong: " + ", ".join(kinds) if complaint is None else complaint.words)
    return 0 if complaint is None else 1


if __name__ == "__main__":
    sys.exit(main())
