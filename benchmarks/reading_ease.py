"""How easy the words are to read: Flesch reading ease and grade level, now and at another commit.

    python -m benchmarks.reading_ease [COMMIT]

The help texts are taken from the manual page, which is made of them. Only sentences count: headings,
tables, code, option names and examples are left out. Higher ease is easier (60 is plain English, 30 is
academic prose); the grade is the years of schooling a reader needs. Both formulas know nothing of meaning:
they count words per sentence and syllables per word.

It needs textstat 0.7.3, the last release that brings its own syllables: ``pip install textstat==0.7.3``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HELP = "release/holdfast.1"
TEXTS = ("README.md", "docs/tutorial.md", HELP)


def prose(page: str) -> str:
    """The sentences of a Markdown page: no code, tables, headings, pictures or addresses of links."""
    page = re.sub(r"^(```|~~~).*?^\1\s*$", "", page, flags=re.M | re.S)
    page = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", page)
    page = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page)
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", page)
    kept = [" ".join(paragraph.split()) for paragraph in paragraphs if _is_prose(paragraph.strip())]
    return "\n".join(
        _ended(re.sub(r"^(?:[-*]|\d+\.) ", "", text).replace("**", "").replace("`", "")) for text in kept
    )


def help_prose(manual: str) -> str:
    """The sentences of the help texts: descriptions of commands and of what their options do."""
    manual = re.sub(r"^\.nf$.*?^\.fi$", "", manual, flags=re.M | re.S)
    lines = [line for line in manual.splitlines() if line and not line.startswith((".", "\\fB"))]
    texts = (re.sub(r"\\f[BIR]|\s*\[(?:default|required|x|\d|env)[^\]]*\]", "", line) for line in lines)
    return "\n".join(
        _ended(text.replace("\\-", "-").replace("\\", "")) for text in texts if " " in text.strip()
    )


def _is_prose(paragraph: str) -> bool:
    return bool(paragraph) and not paragraph.startswith(("#", "|", "<", "[", ">>>"))


def _ended(text: str) -> str:
    text = text.strip().rstrip(":;,")
    return text if text.endswith((".", "?", "!")) else text + "."


def measured(text: str) -> tuple[float, float, float]:
    """Reading ease, grade and words in a sentence."""
    import textstat

    return (
        textstat.flesch_reading_ease(text),
        textstat.flesch_kincaid_grade(text),
        textstat.words_per_sentence(text),
    )


def main(words: list[str]) -> None:
    """Print one line for each text and commit."""
    for name in TEXTS:
        read = help_prose if name == HELP else prose
        pages = {"now": (ROOT / name).read_text()}
        for commit in words:
            pages[commit] = subprocess.run(
                ["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout
        for when, page in reversed(pages.items()):
            ease, grade, length = measured(read(page))
            print(f"{name:18} {when:8} ease {ease:5.1f}  grade {grade:4.1f}  {length:4.1f} words a sentence")


if __name__ == "__main__":
    main(sys.argv[1:])
