"""The text of an expression cut into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.errors import FormulaError
from holdfast.logic.vocabulary import Vocabulary

MAX_LENGTH = 200_000
MAX_DIGITS = 30

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d]\w*(?:-\w+)*)"
    r"|(?P<op><->|->|<=|>=|!=|==|&&|\|\||[-+*/=<>!&|(){}\[\],.])"
)
_SPELLING = {"&&": "&", "||": "|", "==": "=", "and": "&", "or": "|", "not": "!"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: its kind (``name``, ``number``, ``op`` or ``end``), its spelling, its offset."""

    kind: str
    text: str
    at: int


def scan(text: str, vocabulary: Vocabulary) -> Iterator[Token]:
    """The tokens of a text, ``and or not`` and doubled signs in their short spelling, an end mark last.

    Raises:
        FormulaError: for a character no token starts with, a number or a text that is too long.
    """
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"the text has {len(text):,} characters; at most {MAX_LENGTH:,} are read", text, 0)
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise FormulaError(f"unexpected character {text[at]!r}", text, at)
        kind, word = str(found.lastgroup), found.group()
        if kind == "name":
            word = _longest_known(word, vocabulary)
        if kind == "number" and len(word) > MAX_DIGITS:
            raise FormulaError(f"a number may have at most {MAX_DIGITS} digits", text, at)
        if kind != "space":
            yield Token("op" if word in _SPELLING else kind, _SPELLING.get(word, word), at)
        at += len(word)
    yield Token("end", "", len(text))


def _longest_known(word: str, vocabulary: Vocabulary) -> str:
    """``web-1`` is one name where it is known, and a subtraction where it is not."""
    while "-" in word and word not in vocabulary.words:
        word = word.rpartition("-")[0]
    return word
