"""Record the console examples of the documentation anew: ``python tests/support/transcripts.py [PAGE …]``.

Commands are run as the tests run them, on 80 columns. What a page leaves out (``...``) stays left out: a
piece that is shown begins and ends at the words where it did, by the longest common sequences of words, in
whole lines. Look at the difference before you commit it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from difflib import SequenceMatcher
from pathlib import Path

from commands import command_folder
from paths import ROOT

BLOCK = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n+)?^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.M | re.S
)
COMMAND = re.compile(r"^\$ (?P<command>.*(?:\\\n.*)*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.M)
GAP = "..."
LONG, MOST_LINES = 66, 3


def recorded(expected: str, actual: str) -> str:
    """The output of a command, cut as the page cut it.

    >>> recorded("...\\n two words\\n...\\n", "one\\n two  other words\\nthree\\n").splitlines()
    ['...', ' two  other words', '...']
    """
    if GAP not in expected:
        return actual if actual.endswith("\n") else actual + "\n"
    said = [(m[0], m.start(), m.end()) for m in re.finditer(r"\S+", actual)]
    pieces = [piece.split() for piece in expected.split(GAP)]
    words = [word for piece in pieces for word in piece]
    matcher = SequenceMatcher(None, words, [word for word, *_ in said], autojunk=False)
    place = {b.a + i: b.b + i for b in matcher.get_matching_blocks() for i in range(b.size)}
    out, at, done = [], 0, 0
    for piece in pieces:
        found = [place[i] for i in range(at, at + len(piece)) if i in place]
        at += len(piece)
        if not found:
            continue
        start = max(actual.rfind("\n", 0, said[found[0]][1]) + 1, done)
        end = _whole(actual, actual.find("\n", said[found[-1]][2]) + 1 or len(actual))
        if end <= done:
            continue
        if actual[done:start].strip():
            out.append(GAP + "\n")
        elif not out:
            start = done
        out.append(actual[start:end])
        done = end
    if actual[done:].strip():
        out.append(GAP + "\n")
    return "".join(out)


def _whole(text: str, end: int) -> int:
    """The end of the sentence or cell that goes on after a line: below it and deeper, or in lower case."""
    for _ in range(MOST_LINES):
        line, below = text[:end].rstrip("\n").rpartition("\n")[2], text[end:].partition("\n")[0]
        deeper = len(below) - len(below.lstrip()) > len(line) - len(line.lstrip())
        goes_on = len(line) > LONG and below.strip()[:1].islower()
        if not below.strip() or below.strip()[0] in "├└│•" or not (deeper or goes_on):
            break
        end += len(below) + 1
    return end


def installer(site: Path) -> Path:
    """The folder of a ``pip`` that installs into a folder beside the page's files, from no network.

    After that, commands start Python anew: a process that is ready has looked for plug-ins already.
    """
    pip = site.parent / ".pip" / "pip"
    if not pip.exists():
        pip.parent.mkdir()
        options = f"--quiet --no-deps --no-index --no-build-isolation --target '{site}'"
        pip.write_text(f'#!/bin/sh\nshift\nexec "{sys.executable}" -m pip install {options} "$@"\n')
        pip.chmod(0o755)
    return pip.parent


def run(command: str, folder: Path, last: int) -> tuple[int, str, str]:
    """One typed line; ``$?`` is what the line before left."""
    site = folder / "site"
    folders = [installer(site), *([] if site.exists() else [command_folder()]), Path(sys.executable).parent]
    environment = os.environ | {
        "PATH": os.pathsep.join([*map(str, folders), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]),
        "COLUMNS": "80",
    }
    done = subprocess.run(
        ["bash", "-c", f"(exit {last}); {command}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def record(page: Path) -> None:
    """Write a page anew."""
    with tempfile.TemporaryDirectory() as folder:
        here, last, text = Path(folder), 0, page.read_text("utf-8")
        shutil.copytree(ROOT / "scenarios", here / "scenarios")
        for block in list(BLOCK.finditer(text)):
            if block["file"]:
                (here / block["file"]).write_text(block["body"], "utf-8")
            if block["language"] != "console":
                continue
            new = ""
            for command in COMMAND.finditer(block["body"]):
                last, out, err = run(command["command"], here, last)
                shown = command["output"]
                new += f"$ {command['command']}\n" + (recorded(shown, out + err) if shown.strip() else shown)
            text = text.replace(block["body"], new, 1)
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        record(Path(name))
