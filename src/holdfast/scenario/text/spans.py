"""Where the nodes and the comments of a text stand, to the character."""

from __future__ import annotations

import re
from functools import lru_cache

import yaml

from holdfast.errors import InputError
from holdfast.scenario.text.places import Problem
from holdfast.scenario.text.yaml import Node, read_yaml

ANCHOR = re.compile(r"&\S+\s+")


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
    spans, last = [], 0
    for token in yaml.scan(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        spans += _gap(text, last, token.start_mark.index)
        last = max(last, token.end_mark.index)
    return spans + _gap(text, last, len(text))


def _gap(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [match.span() for match in re.compile(r"#[^\r\n]*").finditer(text, start, end)]


def span(node: Node) -> tuple[int, int]:
    """From its first character to past its last; of what came by an alias, those of the alias."""
    if node.alias is not None:
        return node.alias
    return node.start, end_of(node)


def end_of(node: Node) -> int:
    """Past the last character; a block is said to end where the next token begins."""
    if node.alias is not None:
        return node.alias[1]
    parts = (*node.items, *node.entries.values())
    if parts and not is_flow(node):
        return max(end_of(parts[-1]), *(key.end for key in list(node.keys.values())[-1:]), 0)
    return node.start + len(node.source.text[node.start : node.end].rstrip())


def is_flow(node: Node) -> bool:
    """Whether a list or mapping stands in brackets."""
    text = node.source.text
    anchor = ANCHOR.match(text, node.start)
    return text[anchor.end() if anchor else node.start] in "[{"


def line_start(text: str, at: int) -> int:
    """Where the line of a character begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Where the line of a character ends, before its line break."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end > at and text[end - 1] == "\r" else end


def indent_at(text: str, at: int) -> str:
    """As many blanks as stand before a character in its line."""
    return " " * (at - line_start(text, at))


def line_break(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"
