"""The words of the glossary: which of them a page uses, and what a pointer over one shows.

Run as a program (``make pictures``) it writes them for the studio's page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import relpath

GLOSSARY = Path(__file__).parents[1] / "glossary.md"
STUDIO = Path(__file__).parents[2] / "src/holdfast/apps/studio/page/glossary.json"
MOST = 16

_ENTRY = re.compile(r"^### (?P<word>.+?) \{ #(?P<anchor>[\w-]+) \}\n+(?P<meaning>(?:.+\n)+)", re.M)
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`|\]\([^)]*\)|<svg.*?</svg>|^#[^\n]*$", re.M | re.S)


@dataclass(frozen=True)
class Word:
    """An entry of the glossary; ``word`` may give several, with commas."""

    word: str
    anchor: str
    meaning: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """What to look for in a text: any of its forms, also in the plural."""
        forms = "|".join(re.escape(form.replace("\\", "")) for form in self.word.split(", "))
        if self.word.isupper():  # a short name, and DDR is not DDR*
            return re.compile(rf"(?<![\w-])({forms})(?![\w*])")
        return re.compile(rf"(?<![\w-])({forms})s?(?!\w)", re.I)


@cache
def glossary_words() -> tuple[Word, ...]:
    """All entries in the order of the page."""
    found = _ENTRY.finditer(GLOSSARY.read_text("utf-8"))
    return tuple(Word(m["word"], m["anchor"], " ".join(m["meaning"].split())) for m in found)


def words_on(text: str) -> Iterator[Word]:
    """The words that a page uses outside of code and links, in the order in which they first come."""
    prose = _CODE.sub(" ", text).replace("\\*", "*")
    first = {word: at.start() for word in glossary_words() if (at := word.pattern.search(prose))}
    return iter(sorted(first, key=first.__getitem__))


def footer(page: str, text: str) -> str:
    """What stands below a page: a link to the glossary, and to the words that the page uses.

    Args:
        page: its path below ``docs``.
        text: of the page, as Markdown.
    """
    way = relpath("glossary.md", str(Path(page).parent))
    links = [f"[{word.word.split(', ')[0]}]({way}#{word.anchor})" for word in words_on(text)][:MOST]
    listed = ": " + " · ".join(links) if links else ""
    return f'\n\n<div class="words" data-search-exclude markdown>\n\n[Glossary]({way}){listed}\n\n</div>\n'


def abbreviations() -> str:
    """Explanations of the short names of readings, shown where a pointer rests on one.

    DDR is left out: it cannot be told from DDR* there.
    """
    short = {word.word: word.meaning for word in glossary_words() if word.word in ("WIN", "STP", "SLT")}
    return "\n\n" + "\n".join(f"*[{name}]: {_plain(meaning)}" for name, meaning in short.items()) + "\n"


def studio_words() -> dict[str, dict[str, str]]:
    """What the studio's page shows behind a word: the words of an entry, and its line, by its anchor."""
    return {w.anchor: {"word": _plain(w.word), "meaning": _plain(w.meaning)} for w in glossary_words()}


def _plain(text: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "").replace("`", "").replace("\\", "")


if __name__ == "__main__":
    STUDIO.write_text(json.dumps(studio_words(), ensure_ascii=False, indent=1) + "\n", "utf-8")
