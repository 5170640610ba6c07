"""YAML text to a tree of nodes that know where they stand.

PyYAML's C parser supplies *events* only; nothing is ever constructed from a tag. Plain scalars are
resolved by the core schema of YAML 1.2: ``true false null``, integers and floats are special, while
``on off yes no``, dates and ``12:30`` are text, because hosts and statuses may be called so.

Refused, with the place: tags, merge keys, repeated keys, several documents, text that is not UTF-8,
control characters, files over :data:`MAX_BYTES`, nesting past :data:`MAX_DEPTH`, an alias inside
its own anchor, and aliases that stand for more than :data:`MAX_NODES` nodes in all. The events are read
one by one with an explicit stack, so no input can exhaust Python's or C's.

Files of other programs, which are imported, are read by the same rules, except that merge keys are followed:
what they bring counts as if it were written out. Streams of several documents are read by
:func:`read_documents`, which takes larger files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import yaml

from holdfast.scenario.text.places import Problem, Source, shortened

MAX_BYTES = 5_000_000
MAX_DEPTH = 40
MAX_NODES = 250_000
MAX_DIGITS = 400

MAX_STREAM_BYTES, MAX_STREAM_NODES = 20_000_000, 600_000
"""Of a stream of documents that another program wrote, such as the manifests of a cluster."""

Scalar = str | int | float | bool | None

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_WORDS: dict[str, Scalar] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}

# libyaml's complaint, and what the writer of a scenario most likely did.
_HINTS = {
    "mapping values are not allowed": 'quote a text that contains ": ", or check the indentation',
    "expected alphabetic or numeric": 'quote a formula that contains & or * after a blank, as in ["a & b"]',
    "expected ',' or": "inside [ ] and { } quote a formula that contains { } [ ] or a comma",
    "cannot start any token": "indent with spaces, not tabs, and quote a text that starts with @ ` or %",
    "expected <block end>": "check the indentation, and quote a text that goes on after a closing quote",
    "expected key": "check the indentation",
    "could not find expected ':'": 'write "key: value", with a space after the colon',
    "undefined alias": "an anchor &name must come before its alias *name; quote a text that starts with *",
    "unexpected end of stream": "a quote or bracket is left open",
    "block sequence entries are not allowed": "a list with dashes starts on the line below its key",
}
_DASH = "this dash is not aligned with the one before; give the dashes of a list the same indentation"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A scalar, list or mapping of the file, and the span of the text it came from.

    Attributes:
        value, text, style: of a scalar: resolved, as written (unquoted), and its quotes, if any.
        items: of a list.
        entries, keys: of a mapping: values and key nodes by the text of the key.
        size, depth: with every alias expanded.
        alias: where the alias stands that this came by; None for what is written in its own place.
    """

    source: Source = field(repr=False)
    start: int
    end: int
    kind: Literal["scalar", "list", "mapping"]
    value: Scalar = None
    text: str = ""
    style: str | None = None
    items: tuple[Node, ...] = ()
    entries: Mapping[str, Node] = field(default_factory=dict)
    keys: Mapping[str, Node] = field(default_factory=dict)
    size: int = 1
    depth: int = 1
    alias: tuple[int, int] | None = None

    def get(self, key: str) -> Node | None:
        """The value of a key, or None where the key is absent or null."""
        node = self.entries.get(key)
        return None if node is None or node.is_null else node

    def __getitem__(self, key: str) -> Node:
        return self.entries[key]

    @property
    def place(self) -> str:
        """``file:line:column``."""
        return ":".join(map(str, (self.source.filename, *self.source.place(self.start))))

    @property
    def is_null(self) -> bool:
        """Whether this is YAML's null, or nothing at all."""
        return self.kind == "scalar" and self.value is None

    def describe(self) -> str:
        """What was found here, for a message."""
        if self.kind != "scalar":
            n = len(self.items or self.entries)
            return f"{'an empty' if n == 0 else 'a'} {self.kind}"
        if self.value is None:
            return "nothing"
        return f'"{shortened(self.text)}"' if isinstance(self.value, str) else shortened(self.text)

    def problem(self, text: str, offset: int | None = None, width: int = 1) -> Problem:
        """A mistake at this node or, with ``offset``, at one character of its text, with a caret."""
        if offset is None:
            return Problem(self.source, self.start, text)
        return Problem(self.source, self.index(offset), text, width)

    def index(self, offset: int) -> int:
        """Where in the file the character ``offset`` of this scalar's text stands.

        Folding and indentation change white space only, so the n-th visible character of the text is
        the n-th visible character of the source; escapes in double quotes are not followed.
        """
        n_before = sum(not c.isspace() for c in self.text[:offset])
        at_visible = offset < len(self.text) and not self.text[offset].isspace()
        index = last = self.start
        for count, index in enumerate(self._visible()):
            if count == n_before and at_visible:
                return index
            if count == n_before - 1:
                last = index + 1
                if not at_visible:
                    return last
        return last

    def _visible(self) -> Iterator[int]:
        """Indices of the visible characters of a scalar in the file."""
        raw, at = self.source.text, self.start
        if self.style in ("|", ">"):
            at = raw.find("\n", self.start) + 1 or self.end
        elif self.style in ("'", '"'):
            at += 1
        while at < self.end:
            if self.style == '"' and raw[at] == "\\":
                return
            if not raw[at].isspace():
                yield at
            at += 2 if self.style == "'" and raw.startswith("''", at) else 1


def data(node: Node) -> Any:
    """The node as plain Python data; keys are text."""
    if node.kind == "list":
        return [data(item) for item in node.items]
    if node.kind == "mapping":
        return {key: data(value) for key, value in node.entries.items()}
    return node.value


def exact(node: Node) -> Fraction:
    """A number as written: 0.1 is one tenth."""
    if isinstance(node.value, int):
        return Fraction(node.value)
    return Fraction(node.text if "e" not in node.text.lower() else str(node.value))


def read_text(
    path: str | os.PathLike[str],
    what: str = "a scenario",
    example: str = "paper.yaml",
    limit: int = MAX_BYTES,
) -> str:
    """The text of a file, at most ``limit`` bytes of it; ``what`` it is, and an example, are for messages."""
    name = Path(path)
    source = Source(str(name), "")
    try:
        with name.open("rb") as file:
            raw = file.read(limit + 1)
    except IsADirectoryError:
        raise Problem(source, None, f"this is a directory; give {what} file, such as {example}") from None
    except FileNotFoundError:
        raise Problem(source, None, "no such file; check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Problem(source, None, f"cannot be read: {reason}") from None
    if len(raw) > limit:
        big = f"the file is larger than {limit:,} bytes; {what} this big must be split"
        raise Problem(source, 0, big)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig")
        bad = f"byte 0x{raw[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise Problem(Source(str(name), before), len(before), bad) from None


def read_yaml(text: str, filename: str, *, foreign: bool = False) -> Node:
    """The one document of a YAML text, ``foreign`` if another program's.

    Raises:
        Problem: for anything the module's head lists, and for YAML that does not parse.
    """
    text = text.removeprefix("\ufeff")
    source = Source(filename, text)
    if len(text) > MAX_BYTES:
        raise Problem(source, 0, f"the text is longer than {MAX_BYTES:,} characters; split the scenario")
    composer = _Composer(source, foreign)
    _compose(composer)
    if not composer.roots:
        hint = "" if foreign else '; a scenario starts with "holdfast: 1" (see holdfast init)'
        raise Problem(source, 0, f"the file is empty{hint}")
    return composer.roots[0]


def read_documents(text: str, filename: str) -> tuple[Node, ...]:
    """All documents of a YAML stream of another program, those without content left out.

    Raises:
        Problem: as :func:`read_yaml`, except that there may be several documents, or none.
    """
    text = text.removeprefix("\ufeff")
    source = Source(filename, text)
    if len(text) > MAX_STREAM_BYTES:
        raise Problem(source, 0, f"longer than {MAX_STREAM_BYTES:,} characters; import it in parts")
    composer = _Composer(source, foreign=True, several=True)
    _compose(composer)
    return tuple(root for root in composer.roots if not root.is_null)


def _compose(composer: _Composer) -> None:
    """Let a composer read its text."""
    source = composer.source
    text = source.text
    if (bad := _UNPRINTABLE.search(text)) is not None:
        what = "a NUL byte" if bad.group() == "\0" else f"control character U+{ord(bad.group()):04X}"
        raise Problem(source, bad.start(), f"{what}; a scenario is plain text")
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            composer.read(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        wording = error.problem or error.context or "it does not parse"
        hint = next((f"; {hint}" for known, hint in _HINTS.items() if known in wording), "")
        if mark and text.startswith("- ", mark.index) and "expected" in wording:
            hint = f"; {_DASH}"
        raise Problem(source, mark.index if mark else 0, f"not valid YAML: {wording}{hint}", 1) from None
    except yaml.YAMLError as error:
        raise Problem(source, 0, f"not valid YAML: {shortened(str(error))}") from None


class _Open:
    """A list or mapping whose end has not been read yet."""

    def __init__(self, start: int, kind: Literal["list", "mapping"], anchor: str | None) -> None:
        self.start, self.kind, self.anchor = start, kind, anchor
        self.items: list[Node] = []
        self.entries: dict[str, Node] = {}
        self.keys: dict[str, Node] = {}
        self.key: Node | None = None


class _Composer:
    """Builds the tree event by event."""

    def __init__(self, source: Source, foreign: bool, several: bool = False) -> None:
        self.source, self.foreign, self.several = source, foreign, several
        self.limit = MAX_STREAM_NODES if several else MAX_NODES
        self.roots: list[Node] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, Node | None] = {}
        self.size = 0

    def read(self, event: Any) -> None:
        start, kind = event.start_mark.index, type(event)
        anchor: Any = getattr(event, "anchor", None)
        if kind is yaml.DocumentStartEvent and self.roots:
            if not self.several:
                raise self.problem(start, "a second document; a scenario file holds one: remove the ---")
            self.anchors.clear()
        if (tag := getattr(event, "tag", None)) is not None:
            text = f'tag "{shortened(tag)}": a scenario has no tags; quote a text that starts with !'
            raise self.problem(start, text, 1)
        if kind is yaml.AliasEvent:
            span = start, event.end_mark.index
            self.add(replace(self.aliased(anchor, start), alias=span))
        elif kind is yaml.ScalarEvent:
            node = self.scalar(event, start)
            if anchor:
                self.anchors[anchor] = node
            self.add(node)
        elif kind in (yaml.SequenceStartEvent, yaml.MappingStartEvent):
            if len(self.stack) >= MAX_DEPTH:
                raise self.problem(start, f"nested more than {MAX_DEPTH} levels deep")
            if anchor:
                self.anchors[anchor] = None
            self.stack.append(_Open(start, "list" if kind is yaml.SequenceStartEvent else "mapping", anchor))
        elif kind in (yaml.SequenceEndEvent, yaml.MappingEndEvent):
            self.close(event.end_mark.index)

    def problem(self, start: int, text: str, width: int = 0) -> Problem:
        return Problem(self.source, start, text, width)

    def aliased(self, anchor: str, start: int) -> Node:
        alias = f'alias "*{shortened(anchor)}"'
        if anchor not in self.anchors:
            raise self.problem(start, f"{alias} has no anchor before it; quote a text that starts with *")
        node = self.anchors[anchor]
        if node is None:
            raise self.problem(start, f"{alias} stands inside its own anchor")
        if len(self.stack) + node.depth > MAX_DEPTH:
            raise self.problem(start, f"nested more than {MAX_DEPTH} levels deep, aliases expanded")
        self.grow(node.size - 1, start)
        return node

    def grow(self, by: int, start: int) -> None:
        self.size += by
        if self.size > self.limit:
            text = f"more than {self.limit:,} entries, aliases expanded; make the file smaller"
            raise self.problem(start, text)

    def scalar(self, event: Any, start: int) -> Node:
        style = event.style if event.style in ("'", '"', "|", ">") else None
        value = event.value if style else self.resolved(event.value, start)
        end = event.end_mark.index
        return Node(self.source, start, end, "scalar", value=value, text=event.value, style=style)

    def resolved(self, text: str, start: int) -> Scalar:
        """A plain scalar by the core schema of YAML 1.2."""
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            if len(text) > MAX_DIGITS:
                digits = f"a number of {len(text):,} digits; at most {MAX_DIGITS} are read"
                raise self.problem(start, digits)
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        if len(text) <= MAX_DIGITS and _FLOAT.fullmatch(text):
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        return text

    def add(self, node: Node) -> None:
        """Put a finished node where it belongs."""
        self.grow(1, node.start)
        if not self.stack:
            self.roots.append(node)
            return
        top = self.stack[-1]
        if top.kind == "list":
            top.items.append(node)
        elif top.key is None:
            self.check_key(node, top)
            top.key = node
        else:
            top.keys[top.key.text], top.entries[top.key.text] = top.key, node
            top.key = None

    def check_key(self, node: Node, top: _Open) -> None:
        if node.kind != "scalar" or not node.text:
            raise node.problem(
                f"a key must be a word, found {node.describe()}; quote a text that starts with {{ or ["
            )
        if node.text == "<<" and node.style is None and not self.foreign:
            raise node.problem(
                "merge keys (<<) are not read; repeat the entries, or use an alias for a whole value"
            )
        if node.text in top.entries:
            line, _ = self.source.place(top.keys[node.text].start)
            raise node.problem(f'key "{shortened(node.text)}" appears twice, first in line {line}; keep one')

    def merge(self, top: _Open) -> None:
        """Replace a merge key by the entries that it brings; those that are written out go first."""
        merged = top.entries.pop("<<")
        del top.keys["<<"]
        for part in merged.items if merged.kind == "list" else (merged,):
            if part.kind != "mapping":
                raise part.problem(f"a merge key (<<) takes mappings, found {part.describe()}")
            top.entries = {**part.entries, **top.entries}
            top.keys = {**part.keys, **top.keys}

    def close(self, end: int) -> None:
        top = self.stack.pop()
        if self.foreign and "<<" in top.entries and top.keys["<<"].style is None:
            self.merge(top)
        inside = (*top.items, *top.entries.values())
        size = 1 + sum(child.size for child in inside) + len(top.keys)
        depth = 1 + max((child.depth for child in inside), default=0)
        parts: dict[str, Any] = {"items": tuple(top.items), "entries": top.entries, "keys": top.keys}
        node = Node(self.source, top.start, end, top.kind, **parts, size=size, depth=depth)
        if top.anchor:
            self.anchors[top.anchor] = node
        self.add(node)
