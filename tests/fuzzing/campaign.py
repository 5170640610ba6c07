"""A run: batches of cases in forked processes, two at a time, until the time is over or somebody stops it.

Each batch is a process of its own, so that nothing that a case does can reach another, and one that never ends
is ended by the kernel. A batch that ends in any other way than by itself is tried again, case by case: a limit
that was exceeded is a finding only if it is exceeded alone.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fuzzing.attacks import ATTACKS, case_of, judged, smaller
from fuzzing.found import keep
from fuzzing.processes import kill_group, limit_processor, scratch

PROCESSOR, WALL = 240, 900.0
"""Seconds of processor time, and of any time, for one batch."""

BATCH, SHRINKING, ENDING = 8.0, 60.0, 30.0
"""Seconds of processor time after which a batch is handed over, seconds for making a finding smaller, and seconds
that batches have at the end."""


@dataclass(frozen=True)
class Finding:
    """A case with something wrong, as it was made."""

    attack: str
    number: int
    words: str
    mark: str


@dataclass
class Tally:
    """What a run has tried and found so far."""

    seed: int
    cases: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    processor_seconds: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, tuple[float, int]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    alone: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class _Batch:
    attack: str
    numbers: range
    results: Path
    started: float
    alone: bool


def campaign(
    seed: int,
    minutes: float,
    cores: int,
    attacks: list[str],
    keep_findings: bool,
    tell: Callable[[Tally, str], None],
) -> Tally:
    """Attack for so long; ends early, and in order, when it is interrupted."""
    tally, end = Tally(seed), time.monotonic() + 60 * minutes
    following: Counter[str] = Counter()
    running: dict[int, _Batch] = {}
    with scratch() as folder:
        try:
            while time.monotonic() < end or (running and time.monotonic() < end + ENDING):
                while len(running) < cores and time.monotonic() < end:
                    _start(tally, attacks, following, running, folder)
                _gather(tally, running, keep_findings, tell)
        except KeyboardInterrupt:
            pass
        finally:
            for child in running:
                kill_group(child)
                os.waitpid(child, 0)
    return tally


def _start(tally, attacks, following, running, folder):
    """Fork a process for the attack that is furthest behind its share; what is to be tried alone comes first."""
    if tally.alone:
        attack, number = tally.alone.pop()
        numbers, alone = range(number, number + 1), True
    else:
        busy = Counter(batch.attack for batch in running.values())
        attack = min(attacks, key=lambda a: (tally.processor_seconds[a] + BATCH * busy[a]) / ATTACKS[a].share)
        numbers, alone = range(following[attack], following[attack] + 1000), False
    batch = _Batch(attack, numbers, folder / f"{time.monotonic_ns()}", time.monotonic(), alone)
    if not alone:
        following[attack] += len(numbers)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _work(tally.seed, batch)
            code = 0
        finally:
            os._exit(code)
    running[child] = batch


def _work(seed, batch):
    """Case after case, each written down when it begins and when it is done."""
    os.setsid()
    os.nice(5)
    limit_processor(PROCESSOR)
    # What a case writes goes when the run ends, also if its process was killed.
    tempfile.tempdir = os.environ["TMPDIR"] = os.fspath(batch.results.parent)
    with open(batch.results, "w", encoding="utf-8") as results:
        began = _used()
        for number in batch.numbers:
            print(json.dumps([number]), file=results, flush=True)
            before = _used()
            kinds, complaint = judged(batch.attack, case_of(batch.attack, seed, number))
            wrong = None if complaint is None else [complaint.words, complaint.mark]
            print(json.dumps([number, kinds, wrong, _used() - before]), file=results, flush=True)
            if _used() - began > BATCH:
                return


def _used() -> float:
    """Seconds of processor time of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _gather(tally, running, keep_findings, tell):
    """Wait for a batch, and add up what it has done."""
    for child, batch in list(running.items()):
        pid, status, _ = os.wait4(child, os.WNOHANG)
        if not pid and time.monotonic() - batch.started > WALL:
            kill_group(child)
        if pid:
            kill_group(child)  # what it has left behind
            del running[child]
            _add(tally, batch, os.waitstatus_to_exitcode(status), keep_findings, tell)
    time.sleep(0.02)


def _add(tally, batch, code, keep_findings, tell):
    attack, open_ = batch.attack, None
    for line in batch.results.read_text("utf-8").splitlines() if batch.results.exists() else ():
        number, *rest = json.loads(line)
        open_ = None if rest else number
        if rest:
            kinds, wrong, seconds = rest
            tally.cases[attack] += 1
            tally.kinds.setdefault(attack, Counter()).update(set(kinds))
            tally.processor_seconds[attack] += seconds
            tally.slowest[attack] = max(tally.slowest.get(attack, (0.0, 0)), (seconds, number))
            if wrong is not None:
                _report(tally, Finding(attack, number, *wrong), keep_findings, tell)
    batch.results.unlink(missing_ok=True)
    if open_ is not None and not batch.alone:
        tally.alone.append((attack, open_))
    elif open_ is not None:
        words = f"ended with {code} after {time.monotonic() - batch.started:.0f} s, alone"
        _report(tally, Finding(attack, open_, words, f"ended with {code}"), keep_findings, tell)
    tell(tally, "")


def _report(tally, finding, keep_findings, tell):
    """The first finding of a kind is made smaller and kept; later ones are counted."""
    first = all((finding.attack, finding.mark) != (f.attack, f.mark) for f in tally.findings)
    tally.findings.append(finding)
    tell(tally, f"{finding.attack} {finding.number}: {finding.words}")
    if not first or not keep_findings:
        return
    child = os.fork()  # what is wrong may end the process that tries it
    if child == 0:
        try:
            os.setsid()
            limit_processor(PROCESSOR)
            case = case_of(finding.attack, tally.seed, finding.number)
            keep(finding.attack, case, finding.words)
            less = smaller(finding.attack, case, finding.mark, SHRINKING)
            if less != case:
                keep(finding.attack, case, finding.words).unlink()
                keep(finding.attack, less, finding.words)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def summary(tally: Tally, seconds: float) -> dict:
    """The run as plain data."""
    return {
        "seed": tally.seed,
        "seconds": round(seconds),
        "cases": dict(tally.cases),
        "kinds": {attack: dict(kinds.most_common()) for attack, kinds in tally.kinds.items()},
        "processor_seconds": {a: round(s, 1) for a, s in tally.processor_seconds.items()},
        "slowest": {a: {"seconds": round(s, 2), "number": n} for a, (s, n) in tally.slowest.items()},
        "findings": [
            {"attack": f.attack, "number": f.number, "mark": f.mark, "words": f.words} for f in tally.findings
        ],
    }
