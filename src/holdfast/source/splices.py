"""A scenario's text with one thing changed in it, and every other character as it was.

A change is a splice: the positions of the nodes (:mod:`holdfast.source.yaml`) say which characters go and
where new ones come. ruamel.yaml was tried for this: it keeps comments, but writes indentation, quotes and
long lines anew all over the file. After each splice the text is read again, and what it then says is compared
with what was meant; a text in which both do not fit, because an alias shares the place with others, is
refused. Comments are counted before and after: what stood beside something that went stays as a line.
"""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from holdfast.errors import InputError
from holdfast.source.places import Problem
from holdfast.source.yaml import Node, data, read_yaml

Path = tuple[str | int, ...]
"""Keys and indices from the root to a node."""

WIDTH = 100
"""Columns up to which lists are written in one line."""

_ANCHOR = re.compile(r"&\S+\s+")
_REFUSED = "this cannot be changed here without touching other parts of the file; edit its text instead"


@dataclass(frozen=True)
class _Splice:
    """Characters from ``start`` to ``end`` give way to ``new``."""

    start: int
    end: int
    new: str = ""


# -- changes ------------------------------------------------------------------------------------------


def put(text: str, path: Path, value: Any) -> str:
    r"""The text with a value at a path, in place of what is there; a key that is missing is added.

    >>> put("a: 1   # one\nb: [x, y]\n", ("b", 1), "z")
    'a: 1   # one\nb: [x, z]\n'
    >>> put("a:\n  b: 1\n", ("a", "c"), [1, 2])
    'a:\n  b: 1\n  c: [1, 2]\n'
    """
    root = tree(text)
    *above, last = path
    meant = data(root)
    holder = _at(root, tuple(above), make=True)
    if holder is None:  # what should hold it is not there either
        return put(text, tuple(above), {last: value})
    _data_at(meant, above)[last] = copy.deepcopy(value)
    if isinstance(last, str) and last not in holder.entries:
        splices = _with_key(text, root, tuple(above), holder, last, value)
    else:
        splices = _in_place(text, root, path, holder, value)
    return _done(text, splices, meant)


def append(text: str, path: Path, value: Any) -> str:
    r"""The text with one item more at the end of a list, which is made where there is none.

    >>> append("a:\n- x  # first\n", ("a",), "y")
    'a:\n- x  # first\n- y\n'
    """
    root = tree(text)
    found = _at(root, path)
    if found is None or found.is_null:
        return put(text, path, [value])
    meant = data(root)
    _data_at(meant, path).append(copy.deepcopy(value))
    return _done(text, _with_item(text, found, value), meant)


def drop(text: str, path: Path, *, prune: bool = False) -> str:
    r"""The text without a key or an item; with ``prune``, a list or mapping that is left empty goes, too.

    >>> drop("a: [x, y]\n", ("a", 0))
    'a: [y]\n'
    >>> drop("a:\n  - x  # first\n  - y\n", ("a", 0))
    'a:\n  # first\n  - y\n'
    """
    root = tree(text)
    *above, last = path
    holder = _at(root, tuple(above))
    if holder is None:
        raise InputError(_REFUSED)
    alone = len(holder.items or holder.entries) == 1
    if alone and above:
        if prune:
            return drop(text, tuple(above), prune=prune)
        return put(text, tuple(above), [] if holder.kind == "list" else {})
    meant = data(root)
    del _data_at(meant, above)[last]
    splices = _without(text, holder, last)
    return _done(text, splices, meant)


def rename(text: str, path: Path, key: str) -> str:
    r"""The text with another name for a key.

    >>> rename("a: {b: 1}\n", ("a", "b"), "c d")
    'a: {c d: 1}\n'
    """
    root = tree(text)
    *above, last = path
    holder = _at(root, tuple(above))
    if holder is None or last not in holder.keys:
        raise InputError(_REFUSED)
    meant = data(root)
    entries = _data_at(meant, above)
    changed = {key if k == last else k: value for k, value in entries.items()}
    entries.clear()
    entries.update(changed)
    node = holder.keys[str(last)]
    return _done(text, [_Splice(*_span(node), _scalar(key))], meant)


# -- reading and checking -----------------------------------------------------------------------------


@lru_cache(maxsize=4)
def tree(text: str) -> Node:
    """What a text says.

    Raises:
        InputError: for a text that is no scenario's.
    """
    try:
        return read_yaml(text, "scenario")
    except Problem as problem:
        raise InputError(problem.message()) from None


@lru_cache(maxsize=4)
def comments(text: str) -> list[tuple[int, int]]:
    """Where the comments of a text stand: what lies between two tokens and begins with #.

    >>> text = "a: 'b # c'  # d"
    >>> [text[start:end] for start, end in comments(text)]
    ['# d']
    """
    found, last = [], 0
    for token in yaml.scan(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        found += _gap(text, last, token.start_mark.index)
        last = max(last, token.end_mark.index)
    return found + _gap(text, last, len(text))


def _gap(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [match.span() for match in re.compile(r"#[^\r\n]*").finditer(text, start, end)]


def _at(root: Node, path: Path, *, make: bool = False) -> Node | None:
    """The node at a path; None where there is none, or with ``make`` where it cannot hold a key."""
    here = root
    for step in path:
        if isinstance(step, int):
            if step >= len(here.items):
                return None
            here = here.items[step]
        else:
            found = here.entries.get(step)
            if found is None:
                return None
            here = found
    return None if make and here.kind == "scalar" else here


def _data_at(whole: Any, path: Any) -> Any:
    for step in path:
        whole = whole[step]
    return whole


def _done(text: str, splices: list[_Splice], meant: Any) -> str:
    """The text with the splices made, checked.

    Raises:
        InputError: where it does not say what was meant.
    """
    new = text
    for splice in sorted(splices, key=lambda s: s.start, reverse=True):
        new = new[: splice.start] + splice.new + new[splice.end :]
    try:
        said = data(tree(new))
    except InputError:
        raise InputError(_REFUSED) from None
    if said != meant or _remarks(text) != _remarks(new):
        raise InputError(_REFUSED)
    return new


def _remarks(text: str) -> Counter[str]:
    return Counter(text[start:end].rstrip() for start, end in comments(text))


# -- where things stand -------------------------------------------------------------------------------


def _span(node: Node) -> tuple[int, int]:
    """From its first character to past its last; of what came by an alias, those of the alias."""
    if node.alias is not None:
        return node.alias
    return node.start, _end(node)


def _end(node: Node) -> int:
    """Past the last character; a block is said to end where the next token begins."""
    if node.alias is not None:
        return node.alias[1]
    parts = (*node.items, *node.entries.values())
    if parts and not _is_flow(node):
        return max(_end(parts[-1]), *(key.end for key in list(node.keys.values())[-1:]), 0)
    return node.start + len(node.source.text[node.start : node.end].rstrip())


def _is_flow(node: Node) -> bool:
    """Whether a list or mapping stands in brackets."""
    text = node.source.text
    anchor = _ANCHOR.match(text, node.start)
    return text[anchor.end() if anchor else node.start] in "[{"


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Where the line of a character ends, before its line break."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _indent(text: str, at: int) -> str:
    return " " * (at - _line_start(text, at))


def _break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# -- going --------------------------------------------------------------------------------------------


def _without(text: str, holder: Node, last: str | int) -> list[_Splice]:
    """Splices that take one item or key away, of several."""
    if isinstance(last, int):
        spans, number = [_span(item) for item in holder.items], last
    else:
        spans = [(holder.keys[k].start, _end_of_entry(holder, k)) for k in holder.keys]
        number = list(holder.keys).index(last)
    if _is_flow(holder):
        return _without_in_brackets(text, spans, number)
    start, end = spans[number]
    first = _line_start(text, start)
    before = text[first:start].strip()
    if before not in ("", "-") or (before == "-") != isinstance(last, int):
        # It shares its line with what it stands in: only what follows it on can take its place.
        if number + 1 == len(spans) or any(start <= at < spans[number + 1][0] for at, _ in comments(text)):
            raise InputError(_REFUSED)
        return [_Splice(start, spans[number + 1][0])]
    return [_Splice(first, *_lines_left(text, first, end, _indent_of_line(text, first)))]


def _lines_left(text: str, first: int, end: int, indent: str) -> tuple[int, str]:
    """Where whole lines that go end, and what is left of them: their comments."""
    after = _line_end(text, end)
    left = [text[a:b].rstrip() for a, b in comments(text) if first <= a < after]
    onward = after + (2 if text.startswith("\r\n", after) else 1 if after < len(text) else 0)
    return onward, "".join(f"{indent}{remark}{_break(text)}" for remark in left)


def _indent_of_line(text: str, first: int) -> str:
    found = re.compile(r"[ ]*").match(text, first)
    assert found is not None
    return found[0]


def _end_of_entry(holder: Node, key: str) -> int:
    node, value = holder.keys[key], holder.entries[key]
    colon = holder.source.text.find(":", node.end) + 1
    return max(colon, _end(value))


def _without_in_brackets(text: str, spans: list[tuple[int, int]], number: int) -> list[_Splice]:
    start, end = spans[number]
    remarks = comments(text)
    if number + 1 < len(spans):
        comma = _comma(text, end, spans[number + 1][0], remarks) + 1
        while comma < len(text) and text[comma] in " \t":
            comma += 1
        first = _line_start(text, start)
        if not text[first:start].strip() and text[comma : comma + 1] in ("\n", "\r"):
            after = _line_end(text, comma)  # it had a line of its own
            return [_Splice(first, after + len(_break(text)))]
        return [_Splice(start, comma)]
    before = spans[number - 1][1]
    if any(before <= a < start for a, _ in remarks):
        return [_Splice(start, end)]
    return [_Splice(before, end)]


def _comma(text: str, start: int, end: int, remarks: list[tuple[int, int]]) -> int:
    """The comma between two items, which is in no comment."""
    for at in range(start, end):
        if text[at] == "," and not any(a <= at < b for a, b in remarks):
            return at
    raise InputError(_REFUSED)


# -- coming -------------------------------------------------------------------------------------------


def _with_item(text: str, found: Node, value: Any) -> list[_Splice]:
    """Splices that add an item at the end of a list."""
    if found.kind != "list" or found.alias is not None:
        raise InputError(_REFUSED)
    if not found.items:
        start, end = _span(found)
        return [_Splice(start, end, f"[{_inline(value)}]")]
    last = _span(found.items[-1])[1]
    if not _is_flow(found):
        first = _span(found.items[0])[0]
        dash = text.rfind("-", 0, first)
        end = _line_end(text, last)
        new = _block(value, _indent(text, dash) + "  ")
        return [_Splice(end, end, f"{_break(text)}{_indent(text, dash)}- {new}")]
    start = _span(found.items[-1])[0]
    lead = text[_line_start(text, start) : start]
    own_line = not lead.strip() and len(found.items) > 1
    separator = f",{_break(text)}{lead}" if own_line else ", "
    return [_Splice(last, last, f"{separator}{_inline(value)}")]


def _with_key(text: str, root: Node, above: Path, holder: Node, key: str, value: Any) -> list[_Splice]:
    """Splices that add a key at the end of a mapping."""
    if holder.kind != "mapping" or holder.alias is not None:
        raise InputError(_REFUSED)
    name = _scalar(key)
    start, end = _span(holder)
    if _is_flow(holder):
        outer = _at(root, above[:-1]) if above else None
        if not holder.entries and outer is not None and outer.kind == "mapping" and not _is_flow(outer):
            indent = _indent(text, outer.keys[str(above[-1])].start) + "  "
            new = f"{_break(text)}{indent}{name}:{_after_colon(value, indent)}"
            blank = start - len(text[:start].rstrip(" \t")) if start else 0
            return [_Splice(start - blank, end, new)]
        if not holder.entries:
            return [_Splice(start, end, f"{{{name}: {_inline(value)}}}")]
        last = _end_of_entry(holder, list(holder.entries)[-1])
        return [_Splice(last, last, f", {name}: {_inline(value)}")]
    indent = _indent(text, next(iter(holder.keys.values())).start)
    last = _line_end(text, _end_of_entry(holder, list(holder.entries)[-1]))
    new = f"{_break(text)}{indent}{name}:{_after_colon(value, indent)}"
    return [_Splice(last, last, new + ("" if last < len(text) else _break(text)))]


def _in_place(text: str, root: Node, path: Path, holder: Node, value: Any) -> list[_Splice]:
    """Splices that replace a value."""
    last = path[-1]
    node = holder.items[last] if isinstance(last, int) else holder.entries[last]
    start, end = _span(node)
    if _is_flow(holder):
        return [_Splice(start, end, _inline(value))]
    if isinstance(last, int):
        new, begin = _block(value, _indent(text, text.rfind("-", 0, start)) + "  "), start
        after = start
    else:
        key = holder.keys[last]
        begin = after = text.find(":", key.end) + 1
        new = _after_colon(value, _indent(text, key.start))
        end = max(end, after)
    remarks = [span for span in comments(text) if begin <= span[0] < end]
    if not remarks:
        return [_Splice(begin, end, new)]
    indent = _indent_of_line(text, _line_start(text, begin)) + "  "
    left = "".join(f"{_break(text)}{indent}{text[a:b].rstrip()}" for a, b in remarks)
    return [_Splice(begin, end, new + left)]


# -- writing ------------------------------------------------------------------------------------------


def _after_colon(value: Any, indent: str) -> str:
    """What follows ``key:`` in a block."""
    deep = isinstance(value, Mapping) and any(isinstance(v, Mapping | list) for v in value.values())
    deep = deep or (isinstance(value, list) and any(isinstance(v, Mapping | list) for v in value))
    line = "" if deep else f" {_inline(value)}"
    if line and len(indent) + len(line) <= WIDTH:
        return line
    if isinstance(value, Mapping) and value:
        return "".join(f"\n{indent}  {_scalar(k)}:{_after_colon(v, indent + '  ')}" for k, v in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{indent}  - {_block(item, indent + '    ')}" for item in value)
    return f" {_inline(value)}"


def _block(value: Any, indent: str) -> str:
    """What follows a dash."""
    line = _inline(value)
    if not isinstance(value, Mapping) or not value or len(indent) + len(line) <= WIDTH:
        return line
    rows = (f"{_scalar(k)}:{_after_colon(v, indent)}" for k, v in value.items())
    return f"\n{indent}".join(rows)


def _inline(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(k)}: {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """A scalar that reads back as it is, plain if it can be."""
    if not isinstance(value, str):
        return json.dumps(value)
    for written in _spellings(value):
        try:
            back = read_yaml(f"[{written}, {{k: {written}}}]", "value")
        except Problem:
            continue
        if data(back) == [value, {"k": value}] and (not back.items or back.items[0].text == value):
            return written
    raise InputError(f"{value[:40]!r} cannot be written to a scenario")


def _spellings(value: str) -> Iterator[str]:
    if value and "\n" not in value:
        yield value
        if value.isprintable():
            yield (
                '"' + value + '"'
                if '"' not in value and "\\" not in value
                else "'" + value.replace("'", "''") + "'"
            )
    yield json.dumps(value, ensure_ascii=False)
