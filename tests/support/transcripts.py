"""Record the console examples of the documentation anew: ``python tests/support/transcripts.py [PAGE …]``.

Commands are run as the tests run them, on 80 columns. What a page leaves out (``...``) stays left out: a
piece that is shown begins and ends at the words where it did, by the longest common sequences of words, in
whole lines. Look at the difference before you commit it.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "laws"), str(ROOT / "tests" / "support")]

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


def record(page: Path) -> None:
    """Write a page anew."""
    from test_docs import BLOCK, COMMAND, run

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
