"""A file of another program: its text, read once and within bounds, and the tree of it if it is YAML or
JSON.

JSON is read by the reader of YAML, which knows where everything stands; what comes in hundreds of thousands
of entries by the standard library, as plain data. The helpers at the end take a
tree apart; what is not as the format has it is a :class:`~holdfast.scenario.text.places.Problem` with its
place.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.scenario import (
    MAX_BYTES,
    Node,
    Problem,
    Source,
    read_documents,
    read_text,
    read_yaml,
    shortened,
)

MAX_TABLE_BYTES = 20_000_000
"""Of a list of links, which is read line by line, a scan or a stream of manifests; a graph may be as large as
a scenario."""

MAX_JSON_BYTES = 64_000_000
"""Of JSON, which collections and plans are written in."""

MAX_COMMENTS = 10_000
"""Lines of comments and blanks that a file may start with."""

_TREE = re.compile(r"""---|[\[{]|-\s|("[^"\n]*"|'[^'\n]*'|[^\s,;:"'#][^,;:\n]*):(\s|$)""")
# JSON writes characters past U+FFFF as two halves, which YAML does not know; an escaped backslash is none.
_SURROGATES = re.compile(r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def _character(found: re.Match[str]) -> str:
    if len(found[0]) == 2:
        return found[0]
    high, low = int(found[0][2:6], 16), int(found[0][8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


@dataclass(frozen=True)
class ForeignFile:
    """A file to import.

    Attributes:
        path: where it is; only its name is looked at.
        text: the whole of it.
        budget: the limits of reading it.
        part: the name of the one network to take, for formats whose files hold several.
    """

    path: Path
    text: str = field(repr=False)
    budget: Budget = UNLIMITED
    part: str | None = None

    @cached_property
    def source(self) -> Source:
        """The file, for messages."""
        return Source(str(self.path), self.text)

    @cached_property
    def start(self) -> str:
        """The first characters that are neither blank nor comment."""
        at = 0
        for _ in range(MAX_COMMENTS):
            end = self.text.find("\n", at) + 1 or len(self.text)
            line = self.text[at:end].strip()
            if at == end or (line and not line.startswith("#")):
                break
            at = end
        return self.text[at : at + 400].lstrip()

    @cached_property
    def tree(self) -> Node:
        """The file as YAML or JSON.

        Raises:
            Problem: where it is neither.
        """
        self.budget.tick("reading the file")
        return read_yaml(self._plain, str(self.path), foreign=True)

    @cached_property
    def documents(self) -> tuple[Node, ...]:
        """All documents of the file, which is a stream of YAML, or JSON.

        Raises:
            Problem: where it is neither.
        """
        self.budget.tick("reading the file")
        return read_documents(self._plain, str(self.path))

    @cached_property
    def json(self) -> Any:
        """The file as plain data of JSON, for what is too large for a tree.

        Raises:
            Problem: where it is no JSON.
        """
        self.budget.tick("reading the file")
        try:
            return json.loads(self.text)
        except json.JSONDecodeError as error:
            raise self.problem(f"not valid JSON: {error.msg}", error.lineno) from None
        except (RecursionError, ValueError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else shortened(str(error))
            raise self.problem(f"not JSON that can be read: {reason}") from None

    @property
    def _plain(self) -> str:
        return self.text if self.start[:1] not in ("{", "[") else _SURROGATES.sub(_character, self.text)

    @property
    def is_tree(self) -> bool:
        """Whether this looks like YAML or JSON rather than a table, XML or GML."""
        if self.path.suffix.lower() in (".yaml", ".yml", ".json"):
            return True
        return self.path.suffix.lower() not in (".csv", ".tsv") and _TREE.match(self.start) is not None

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys at the top of the tree; none where there is no tree."""
        if not self.is_tree:
            return frozenset()
        if self.start.startswith("{"):
            try:
                parsed = self.json
            except Problem:
                pass  # YAML may be written so, too
            else:
                return frozenset(parsed if isinstance(parsed, dict) else ())
        try:
            return frozenset(self.tree.entries)
        except Problem:
            return frozenset()

    def problem(self, text: str, line: int | None = None) -> Problem:
        """A mistake in the file, in one of its lines (from 1) if that is known."""
        starts = self.source.starts
        index = None if line is None else starts[min(line, len(starts)) - 1]
        return Problem(self.source, index, text)


def open_foreign(
    path: str | os.PathLike[str], budget: Budget = UNLIMITED, part: str | None = None
) -> ForeignFile:
    """Read a file to import.

    Raises:
        Problem: where it cannot be read, is too large or is not UTF-8.
    """
    limit = MAX_JSON_BYTES if Path(path).suffix.lower() == ".json" else MAX_TABLE_BYTES
    text = read_text(path, "a network", "network.graphml", limit)
    return ForeignFile(Path(path), text, budget, part)


def refuse_large(file: ForeignFile) -> None:
    """Refuse what is too large to be built as a whole."""
    if len(file.text) > MAX_BYTES:
        raise file.problem(
            f"more than {MAX_BYTES:,} characters; export a part of the network, or a CSV of links"
        )


# -- taking a tree apart ----------------------------------------------------------------------------


def mapping(node: Node, key: str) -> Mapping[str, Node]:
    """The entries of a mapping below a key; none where the key is absent or null."""
    below = node.get(key)
    if below is None:
        return {}
    if below.kind != "mapping":
        raise below.problem(f'expected a mapping for "{key}", found {below.describe()}')
    return below.entries


def items(node: Node, key: str) -> tuple[Node, ...]:
    """The items of a list below a key; none where the key is absent or null."""
    below = node.get(key)
    if below is None:
        return ()
    if below.kind != "list":
        raise below.problem(f'expected a list for "{key}", found {below.describe()}')
    return below.items


def word(node: Node, key: str, otherwise: str = "") -> str:
    """A text or number below a key, as it is written."""
    below = node.get(key)
    if below is None:
        return otherwise
    return scalar(below, f'"{key}"')


def scalar(node: Node, what: str) -> str:
    """A text or number, as it is written; ``what`` it is, for messages."""
    if node.kind != "scalar" or node.is_null:
        raise node.problem(f"expected a text for {what}, found {node.describe()}")
    return node.text


def flag(node: Node, key: str) -> bool:
    """Whether a key has a value that means yes."""
    below = node.get(key)
    return below is not None and truthy(below.value)


def truthy(value: object) -> bool:
    """Whether a value of a file means yes.

    >>> [truthy(value) for value in (True, 1, "yes", "True", False, 0, "no", "", None)]
    [True, True, True, True, False, False, False, False, False]
    """
    if isinstance(value, str):
        return value.strip().lower() in ("true", "yes", "on", "1")
    return isinstance(value, bool | int | float) and value == 1


def known(node: Node, name: str, among: Mapping[str, object], what: str) -> str:
    """A name that must be one of those that the file has declared."""
    if name not in among:
        raise node.problem(f'"{shortened(name)}" is not {what} of this file; declare it or remove it')
    return name
