"""The ground that a restructuring must not move: what every command answers on every scenario of the library.

Before such a change ``make ground ARGS=--write`` keeps the answers in ``build/ground.json``; after it ``make ground``
asks everything again and compares. Kept are the exit code and a digest of each field of the ``--json`` object and of each file that a
command writes, so a difference names the command, the scenario and the field. Times and versions are left out: they are
not answers.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import fresh_holdfast
from paths import ROOT

KEPT = ROOT / "build" / "ground.json"
SCENARIOS = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))

NO_ANSWERS = re.compile(r"seconds|version|memory|elapsed|^provenance$|^durations$")
"""Fields that may differ from run to run."""

COMMANDS = {
    "check": ("check", "--json", "--certificate", "OUT"),
    "check-explicit": ("check", "--json", "--engine", "explicit", "--no-response"),
    "fingerprint": ("fingerprint", "--json", "--no-learning"),
    "compare": ("compare", "--json", "--no-learning"),
    "explain": ("explain", "--json"),
    "recommend": ("recommend", "--json", "--write", "OUT"),
    "frontier": ("frontier", "--json"),
    "playbook": ("playbook", "--json", "--certificate", "OUT"),
    "automata": ("automata", "--json"),
    "shield-c": ("export-shield", "--json", "--format", "c", "--output", "OUT"),
    "shield-json": ("export-shield", "--json", "--format", "json", "--output", "OUT"),
    "shield-python": ("export-shield", "--json", "--format", "python", "--output", "OUT"),
}

SLOW = {
    "paper trained": ("compare", "scenarios/paper.yaml", "--json"),
    "paper reproduced": ("reproduce", "--output", "OUT", "--json"),
}
"""The paper's own runs: DDR of every seed, and every published figure."""


def questions(slow: bool) -> dict[str, tuple[str, ...]]:
    """Every question by name, as words of a command line."""
    asked = {
        f"{scenario} {name}": (words[0], f"scenarios/{scenario}.yaml", *words[1:])
        for scenario in SCENARIOS
        for name, words in COMMANDS.items()
    }
    return asked | (SLOW if slow else {})


def answer(words: tuple[str, ...], seconds: int) -> dict[str, object]:
    """Exit code, and digests of the fields and files that a command line gives."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        limit = () if words[0] == "automata" else ("--timeout", str(seconds))
        done = fresh_holdfast(*(str(out) if word == "OUT" else word for word in words), *limit, timeout=None)
        fields = {"exit": done.returncode}
        if done.stdout.startswith("{"):
            told = without_times(json.loads(done.stdout.replace(folder, "")))
            fields |= {key: digest(json.dumps(value, sort_keys=True)) for key, value in told.items()}
        files = sorted(
            p for p in Path(folder).rglob("*") if p.is_file() and p.suffix in ("", ".json", ".csv")
        )
        fields |= {f"file {p.relative_to(folder)}": digest(file_text(p)) for p in files}
    return fields


def without_times(value: object) -> object:
    """A JSON value without the fields that are no answers."""
    if isinstance(value, dict):
        return {key: without_times(held) for key, held in value.items() if not NO_ANSWERS.search(key)}
    if isinstance(value, list):
        return [without_times(held) for held in value]
    return value


def file_text(path: Path) -> str:
    """What a written file says, without times where it is JSON."""
    text = path.read_text("utf-8")
    if text.startswith("{"):
        return json.dumps(without_times(json.loads(text)), sort_keys=True)
    return text


def digest(text: str) -> str:
    """Sixteen digits that tell texts apart."""
    return sha256(text.encode()).hexdigest()[:16]


def differences(before: dict[str, object], now: dict[str, object]) -> list[str]:
    """The fields that are new, gone or other than before."""
    return [key for key in sorted(before.keys() | now.keys()) if before.get(key) != now.get(key)]


def main() -> int:
    """Ask, and write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep what is heard")
    parser.add_argument("--slow", action="store_true", help="also the paper's own runs")
    parser.add_argument("--only", default="", help="questions whose name contains this")
    parser.add_argument("--seconds", type=int, default=120, help="what is undecided by then is passed over")
    options = parser.parse_args()
    if not options.write and not KEPT.exists():
        parser.error(
            f"there is no {KEPT.relative_to(ROOT)} to compare with: --write keeps the answers of now"
        )
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    asked = {name: words for name, words in questions(options.slow).items() if options.only in name}
    moved = 0
    with ThreadPoolExecutor(2) as pool:
        for name, fields in zip(asked, pool.map(lambda w: answer(w, options.seconds), asked.values())):
            if fields["exit"] in (3, 124, 137):
                print(f"{name}: undecided, passed over", flush=True)
            elif options.write:
                kept[name] = fields
            elif name in kept and (other := differences(kept[name], fields)):
                moved += 1
                print(f"{name}: {', '.join(other)}", flush=True)
    if options.write:
        lines = (f"{json.dumps(name)}: {json.dumps(kept[name], sort_keys=True)}" for name in sorted(kept))
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(f"{len(asked)} questions, {moved} answers moved")
    return bool(moved)


if __name__ == "__main__":
    sys.exit(main())
