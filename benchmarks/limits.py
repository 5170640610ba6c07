"""What commands tell within a limit, and when, about networks that nothing was tuned on.

``python -m benchmarks.limits FOLDER [SECONDS] [FAMILY …] [HOSTS …] [key=value …]`` writes networks of
:mod:`benchmarks.held_out` as files, one that holds and one that is lost because all hosts but one must stay
in service, and asks every command about each, with ``--timeout``. Time is that of the processor, for the
limit too, so that a busy machine makes no difference; a command has one core. ``seed=11 tree=DIR
commands=ladder,playbook`` are the options; ``tree`` measures another checkout in turn with this one. The
table is Markdown: seconds until the verdict stands somewhere, until the end, and in brackets an exit code
other than 0.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.held_out import GENERATORS, drawn

HERE = Path(__file__).resolve().parent
COMMANDS = {
    "check": ["check"],
    "fingerprint": ["fingerprint", "--jobs", "1"],
    "explain": ["explain"],
    "recommend": ["recommend", "--jobs", "1"],
    "frontier": ["frontier", "--jobs", "1"],
    "fragile": ["fragile", "--jobs", "1"],
    "sensors": ["sensors", "--jobs", "1"],
    "ladder": ["ladder"],
    "playbook": ["playbook"],
    "playbook, evict": ["playbook", "--for", "evict"],
    "report": ["report"],
    "export-shield": ["export-shield", "--format", "json", "--output", "shield.json"],
}
VERDICTS = (
    "DEFENSIBLE",
    "is held",
    "is lost",
    "it holds",
    "NO SENSOR",
    "RULE",
    "bytes of json",
    "not defensible",
)
"""What an answer says where somebody who reads it knows the verdict."""


def text(family: str, n_hosts: int, seed: int, slack: int) -> str:
    """A network as a file; all but so many hosts must stay in service."""
    (hosts, links, (first, second)), entry = drawn(family, n_hosts, seed, 1)
    return (
        f"holdfast: 1\nname: {family} {n_hosts}\nnetwork:\n  hosts: [{', '.join(hosts)}]\n"
        f"  links: [{', '.join(f'{a} -> {b}' for a, b in links)}]\n  entry: {entry}\nspecs:\n  defender:\n"
        f"    - G !({first} in {{X, D, Z}} & {second} in {{X, D, Z}})\n"
        f"    - G (active >= {n_hosts - slack})\n"
        "  adversary:\n    - G (times(destroy) <= 2)\n"
    )


def work(seconds: float, words: list[str]) -> None:
    """Give one command in this process, by the processor's clock; say when it told what."""
    from holdfast import budget as budgets
    from holdfast.apps.cli import main as command

    told = list[tuple[float, str]]()

    class Hearing:
        """A stream that notes when something is written to it."""

        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def write(self, said: str) -> int:
            told.append((time.process_time(), said))
            return len(said)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.stream, name)

    budgets.time = SimpleNamespace(monotonic=time.process_time)  # type: ignore[assignment]
    sys.stdout, sys.stderr, code = Hearing(sys.stdout), Hearing(sys.stderr), 0
    sys.argv = ["holdfast", *words, "--timeout", str(seconds)]
    try:
        command()
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    at = next((at for at, said in told if any(word in said for word in VERDICTS)), None)
    print(json.dumps({"verdict": at, "end": time.process_time(), "code": code}), file=sys.__stdout__)


def asked(tree: Path, seconds: float, words: list[str], folder: Path) -> str:
    """A cell of the table."""
    line = [sys.executable, "-c", "import sys; from benchmarks.limits import work; "
            "work(float(sys.argv[1]), sys.argv[2:])", str(seconds), *words]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}:{HERE.parent}"}
    most = int(10 * seconds)

    def capped() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))

    done = subprocess.run(
        line, cwd=folder, env=environment, capture_output=True, text=True, preexec_fn=capped, check=False
    )
    if done.returncode:
        return f"stopped after {most}" if done.returncode < 0 else "a fault"
    found = json.loads(done.stdout.splitlines()[-1])
    verdict = "never" if found["verdict"] is None else f"{found['verdict']:.1f}"
    return f"{verdict}, {found['end']:.1f}" + (f" ({found['code']})" if found["code"] else "")


def main(words: list[str]) -> None:
    """Print the table, a row as soon as it is known."""
    options = dict(word.split("=", 1) for word in words if "=" in word)
    folder, *rest = (word for word in words if "=" not in word)
    numbers = [int(word) for word in rest if word.isdecimal()]
    seconds, sizes = (numbers or [10])[0], numbers[1:] or [40, 100, 200]
    families = [word for word in rest if word in GENERATORS] or ["enterprise", "campus"]
    names = options["commands"].split(",") if "commands" in options else list(COMMANDS)
    trees = [HERE.parent, *([Path(options["tree"]).resolve()] if "tree" in options else [])][::-1]
    Path(folder).mkdir(parents=True, exist_ok=True)
    heads = [tree.name if len(trees) > 1 else "verdict, end" for tree in trees]
    print(f"| file | command | {' | '.join(heads)} |\n|---|---|{'---|' * len(trees)}", flush=True)
    for family in families:
        for n_hosts in sizes:
            for word, slack in (("held", 3), ("lost", 1)):
                file = Path(folder).resolve() / f"{family}-{n_hosts}-{word}.yaml"
                file.write_text(text(family, n_hosts, int(options.get("seed", 11)), slack), "utf-8")
                for name in names:
                    command, *more = COMMANDS[name]
                    cells = [asked(tree, seconds, [command, str(file), *more], file.parent) for tree in trees]
                    print(f"| {family} {n_hosts}, {word} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
