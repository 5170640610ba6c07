"""A scenario's text with one thing changed in it, and every other character as it was.

A change is a splice: the positions of the nodes (:mod:`holdfast.scenario.text.yaml`) say which characters go
and where new ones come. ruamel.yaml was tried for this: it keeps comments, but writes indentation, lists and
spaces anew, and the paper's file comes back with half of its lines changed. After each splice the text is
read again, and what it then says is compared with what was meant. Where an alias shares a place with
others, what it stands for is written out first. Comments are counted before and after: what stood beside
something that went stays as a line.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from holdfast.errors import InputError
from holdfast.scenario.text.spans import (
    ANCHOR,
    comments,
    end_of,
    indent_at,
    is_flow,
    line_break,
    line_end,
    line_start,
    span,
    tree,
)
from holdfast.scenario.text.spellings import after_colon, block, inline, scalar
from holdfast.scenario.text.yaml import Node, data

Path = tuple[str | int, ...]
"""Keys and indices from the root to a node."""

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
    return _freed(text, path, lambda text: _put(text, path, value))


def _put(text: str, path: Path, value: Any) -> str:
    root = tree(text)
    *above, last = path
    meant = data(root)
    holder = _at(root, tuple(above), make=True)
    if holder is None:  # what should hold it is not there either
        return _put(text, tuple(above), {last: value})
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
    return _freed(text, path, lambda text: _append(text, path, value))


def _append(text: str, path: Path, value: Any) -> str:
    root = tree(text)
    node = _at(root, path)
    if node is None or node.is_null:
        return _put(text, path, [value])
    meant = data(root)
    _data_at(meant, path).append(copy.deepcopy(value))
    return _done(text, _with_item(text, node, value), meant)


def drop(text: str, path: Path, keep: Path | None = None) -> str:
    r"""The text without a key or an item; what is left empty goes, too, down to the path that is to ``keep``.

    >>> drop("a: [x, y]\n", ("a", 0))
    'a: [y]\n'
    >>> drop("a:\n  - x  # first\n  - y\n", ("a", 0))
    'a:\n  # first\n  - y\n'
    """
    return _freed(text, path, lambda text: _drop(text, path, keep))


def _drop(text: str, path: Path, keep: Path | None) -> str:
    root = tree(text)
    *above, last = path
    holder = _at(root, tuple(above))
    if holder is None:
        raise InputError(_REFUSED)
    alone = len(holder.items or holder.entries) == 1
    if alone and above:
        if keep is not None and len(above) > len(keep):
            return _drop(text, tuple(above), keep)
        return _put(text, tuple(above), [] if holder.kind == "list" else {})
    meant = data(root)
    del _data_at(meant, above)[last]
    splices = _without(text, holder, last)
    return _done(text, splices, meant)


def rename(text: str, path: Path, key: str) -> str:
    r"""The text with another name for a key.

    >>> rename("a: {b: 1}\n", ("a", "b"), "c d")
    'a: {c d: 1}\n'
    """
    return _freed(text, path, lambda text: _rename(text, path, key))


def _rename(text: str, path: Path, key: str) -> str:
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
    return _done(text, [_Splice(*span(node), scalar(key))], meant)


def respelled(text: str, spell: Callable[[Path, str], str]) -> str:
    r"""The text with its words exchanged: every text and key by what ``spell`` makes of it, given its place.

    What stands behind an alias changes with its anchor.

    >>> respelled("a: &x GW  # GW\nb: [*x, 3, 'GW']\n", lambda path, word: word.replace("GW", "FW"))
    'a: &x FW  # GW\nb: [*x, 3, FW]\n'
    """
    splices: list[_Splice] = []

    def visit(node: Node, path: Path) -> Any:
        if node.kind == "list":
            return [visit(item, (*path, i)) for i, item in enumerate(node.items)]
        if node.kind == "mapping":
            return {
                spelled(node.keys[key], (*path, key), key): visit(value, (*path, key))
                for key, value in node.entries.items()
            }
        return spelled(node, path, node.text) if isinstance(node.value, str) else node.value

    def spelled(node: Node, path: Path, old: str) -> str:
        new = spell(path, old)
        if new != old and node.alias is None:
            start, end = span(node)
            anchor = ANCHOR.match(text, start)
            splices.append(_Splice(anchor.end() if anchor else start, end, scalar(new)))
        return new

    meant = visit(tree(text), ())
    return _done(text, list(dict.fromkeys(splices)), meant)


def _freed(text: str, path: Path, change: Callable[[str], str]) -> str:
    """The text changed; where an alias stands in the way, what aliases share is written out first.

    Those of what stands along the path are tried before all others.
    """
    try:
        return change(text)
    except InputError:
        anchors = {
            node.start for k in range(len(path) + 1) if (node := _at(tree(text), path[:k])) is not None
        }
        for wanted in (anchors, None):
            freed = text
            while (alias := _alias(tree(freed), wanted)) is not None:
                freed = _put(freed, alias[0], data(alias[1]))
            if freed != text:
                with suppress(InputError):
                    return change(freed)
        raise


def _alias(node: Node, anchors: set[int] | None, path: Path = ()) -> tuple[Path, Node] | None:
    """Where an alias stands, and what it stands for; of the last one, so that anchors stay where they are."""
    if node.alias is not None:
        return (path, node) if anchors is None or node.start in anchors else None
    parts: list[tuple[str | int, Node]] = [*enumerate(node.items), *node.entries.items()]
    places = (_alias(part, anchors, (*path, step)) for step, part in reversed(parts))
    return next((place for place in places if place is not None), None)


# -- reading and checking -----------------------------------------------------------------------------


def _at(root: Node, path: Path, *, make: bool = False) -> Node | None:
    """The node at a path; None where there is none, or with ``make`` where it cannot hold a key."""
    here = root
    for step in path:
        if isinstance(step, int):
            if step >= len(here.items):
                return None
            here = here.items[step]
        else:
            child = here.entries.get(step)
            if child is None:
                return None
            here = child
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
        meaning = data(tree(new))
    except InputError:
        raise InputError(_REFUSED) from None
    if meaning != meant or _remarks(text) != _remarks(new):
        raise InputError(_REFUSED)
    return new


def _remarks(text: str) -> Counter[str]:
    return Counter(text[start:end].rstrip() for start, end in comments(text))


# -- going --------------------------------------------------------------------------------------------


def _without(text: str, holder: Node, last: str | int) -> list[_Splice]:
    """Splices that take one item or key away, of several."""
    if isinstance(last, int):
        spans, number = [span(item) for item in holder.items], last
    else:
        spans = [(holder.keys[k].start, _end_of_entry(holder, k)) for k in holder.keys]
        number = list(holder.keys).index(last)
    if is_flow(holder):
        return _without_in_brackets(text, spans, number)
    start, end = spans[number]
    first = line_start(text, start)
    before = text[first:start].strip()
    if before not in ("", "-") or (before == "-") != isinstance(last, int):
        # It shares its line with what it stands in: only what follows it on can take its place.
        if number + 1 == len(spans) or any(start <= at < spans[number + 1][0] for at, _ in comments(text)):
            raise InputError(_REFUSED)
        return [_Splice(start, spans[number + 1][0])]
    onward, left = _lines_left(text, first, end, _indent_of_line(text, first))
    if onward == len(text) and first and not left and not text.endswith("\n"):
        first = len(text[:first].removesuffix("\n").removesuffix("\r"))  # the text ends as it did, in a line
    return [_Splice(first, onward, left)]


def _lines_left(text: str, first: int, end: int, indent: str) -> tuple[int, str]:
    """Where whole lines that go end, and what is left of them: their comments."""
    after = line_end(text, end)
    left = [text[a:b].rstrip() for a, b in comments(text) if first <= a < after]
    onward = after + (2 if text.startswith("\r\n", after) else 1 if after < len(text) else 0)
    return onward, "".join(f"{indent}{remark}{line_break(text)}" for remark in left)


def _indent_of_line(text: str, first: int) -> str:
    match = re.compile(r"[ ]*").match(text, first)
    assert match is not None
    return match[0]


def _end_of_entry(holder: Node, key: str) -> int:
    node, value = holder.keys[key], holder.entries[key]
    colon = holder.source.text.find(":", node.end) + 1
    return max(colon, end_of(value))


def _without_in_brackets(text: str, spans: list[tuple[int, int]], number: int) -> list[_Splice]:
    start, end = spans[number]
    remarks = comments(text)
    if number + 1 < len(spans):
        comma = _comma(text, end, spans[number + 1][0], remarks) + 1
        while comma < len(text) and text[comma] in " \t":
            comma += 1
        first = line_start(text, start)
        if not text[first:start].strip() and text[comma : comma + 1] in ("\n", "\r"):
            after = line_end(text, comma)  # it had a line of its own
            return [_Splice(first, after + len(line_break(text)))]
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


def _with_item(text: str, node: Node, value: Any) -> list[_Splice]:
    """Splices that add an item at the end of a list."""
    if node.kind != "list" or node.alias is not None:
        raise InputError(_REFUSED)
    if not node.items:
        start, end = span(node)
        return [_Splice(start, end, f"[{inline(value)}]")]
    last = span(node.items[-1])[1]
    if not is_flow(node):
        first = span(node.items[0])[0]
        dash = text.rfind("-", 0, first)
        end = line_end(text, last)
        new = block(value, indent_at(text, dash) + "  ")
        return [_Splice(end, end, f"{line_break(text)}{indent_at(text, dash)}- {new}")]
    start = span(node.items[-1])[0]
    lead = text[line_start(text, start) : start]
    own_line = not lead.strip() and len(node.items) > 1
    separator = f",{line_break(text)}{lead}" if own_line else ", "
    return [_Splice(last, last, f"{separator}{inline(value)}")]


def _with_key(text: str, root: Node, above: Path, holder: Node, key: str, value: Any) -> list[_Splice]:
    """Splices that add a key at the end of a mapping."""
    if holder.kind != "mapping" or holder.alias is not None:
        raise InputError(_REFUSED)
    name = scalar(key)
    start, end = span(holder)
    if is_flow(holder):
        outer = _at(root, above[:-1]) if above else None
        if not holder.entries and outer is not None and outer.kind == "mapping" and not is_flow(outer):
            indent = indent_at(text, outer.keys[str(above[-1])].start) + "  "
            new = f"{line_break(text)}{indent}{name}:{after_colon(value, indent)}"
            blank = start - len(text[:start].rstrip(" \t")) if start else 0
            return [_Splice(start - blank, end, new)]
        if not holder.entries:
            return [_Splice(start, end, f"{{{name}: {inline(value)}}}")]
        last = _end_of_entry(holder, list(holder.entries)[-1])
        return [_Splice(last, last, f", {name}: {inline(value)}")]
    indent = indent_at(text, next(iter(holder.keys.values())).start)
    last = line_end(text, _end_of_entry(holder, list(holder.entries)[-1]))
    new = f"{line_break(text)}{indent}{name}:{after_colon(value, indent)}"
    return [_Splice(last, last, new)]


def _in_place(text: str, root: Node, path: Path, holder: Node, value: Any) -> list[_Splice]:
    """Splices that replace a value."""
    last = path[-1]
    node = holder.items[last] if isinstance(last, int) else holder.entries[last]
    start, end = span(node)
    if is_flow(holder):
        return [_Splice(start, end, inline(value))]
    if isinstance(last, int):
        new, begin = block(value, indent_at(text, text.rfind("-", 0, start)) + "  "), start
        after = start
    else:
        key = holder.keys[last]
        begin = after = text.find(":", key.end) + 1
        new = after_colon(value, indent_at(text, key.start))
        end = max(end, after)
    remarks = [span for span in comments(text) if begin <= span[0] < end]
    if not remarks:
        return [_Splice(begin, end, new)]
    indent = _indent_of_line(text, line_start(text, begin)) + "  "
    left = "".join(f"{line_break(text)}{indent}{text[a:b].rstrip()}" for a, b in remarks)
    return [_Splice(begin, end, new + left)]
