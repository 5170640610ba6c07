"""Files with something wrong in them: bytes, words and lines changed, and the structure of what they hold."""

from __future__ import annotations

import json

import yaml

WORDS = [
    *"G{}[]&*!\"'|#é\0()<>=%@`\\~^?;,",
    "null",
    "true",
    "-1",
    "1e9",
    "0..3",
    "->",
    "<->",
    "times(",
    "F[<=3]",
]
WORDS += [
    "defender",
    ": ",
    "- ",
    "\n",
    "\t",
    "count(* in {C})",
    "<<: *a",
    "&a ",
    "*a",
    "!!int ",
    "---\n",
    "...\n",
]
WORDS += [
    "\ufeff",
    "\u202e",
    "\U0001f600",
    "\u2028",
    "e\u0301",
    "ﬁ",
    "０",
    "X X X X ",
    "G (",
    "U[<=2]",
    "S",
    "'",
    '"',
]

NUMBERS = [
    0,
    -1,
    1,
    2,
    10**6,
    10**30,
    -(10**30),
    1e308,
    float("inf"),
    float("nan"),
    0.1,
    1e-320,
    2**31,
    2**64,
]
VALUES = [
    None,
    True,
    False,
    "",
    " ",
    "yes",
    "no",
    "C",
    "h0",
    "0..3",
    "0..99999999",
    "1..0",
    [],
    {},
    [[]],
    [None],
]
VALUES += [
    {"a": {}},
    "G true",
    "G (" * 50 + "true" + ")" * 50,
    "X " * 300 + "true",
    " & ".join(["true"] * 3000),
]
VALUES += [
    "(" * 400,
    "G F true",
    "x" * 20_000,
    "a -> b",
    "G (times(noop) <= 900)",
    "F[<=100000000] true",
    "\0",
]
VALUES += [
    " <-> ".join(["(X true)"] * 15),
    "G (count(* in {C}) / 0 > 1)",
    "1 / 0",
    "2025-01-01",
    "0x1F",
    "1_000",
]


def damaged_text(text: str, rng) -> str:
    """A copy of the text with a few bytes, words or lines changed."""
    for _ in range(rng.randint(1, 3)):
        text = text or "x"
        at, kind = rng.randrange(len(text)), rng.randrange(8)
        if kind == 0:
            text = text[:at] + text[at + rng.randint(1, 8) :]
        elif kind == 1:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 2:
            text = text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + text[at + 1 :]
        elif kind == 3:
            text = text[:at] + str(rng.choice(VALUES)) + text[at + rng.randint(0, 5) :]
        else:
            text = _with_lines_changed(text, rng, kind)
    return text


def _with_lines_changed(text, rng, kind):
    lines = text.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    if kind == 4:
        del lines[i]
    elif kind == 5:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 6:
        lines.insert(i, lines[j])
    else:
        lines[i] = rng.choice(("  ", "\t", "- ", "")) + lines[i].lstrip()
    return "".join(lines)


def places(data, path=()):
    """Where something stands in nested data."""
    yield path
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield from places(value, (*path, key))


def damaged_data(data, rng, own=()):
    """A copy of nested data with a few entries deleted, exchanged, repeated, renamed or put deeper."""
    data = json.loads(json.dumps(data))
    for _ in range(rng.randint(1, 3)):
        every = [path for path in places(data) if path]
        if not every:
            return data
        *way, key = rng.choice(every)
        inside = data
        for step in way:
            inside = inside[step]
        _change(inside, key, rng, data, every, own)
    return data


def _change(inside, key, rng, data, every, own):
    kind = rng.randrange(8)
    if kind == 0:
        del inside[key]
    elif kind == 1:
        inside[key] = rng.choice(NUMBERS)
    elif kind == 2:
        inside[key] = rng.choice([*VALUES, *own])
    elif kind == 3:
        other = data
        for step in rng.choice(every):
            other = other[step]
        inside[key] = json.loads(json.dumps(other))
    elif kind == 4 and isinstance(inside, list):
        inside.insert(key, inside[key])
    elif kind == 5 and isinstance(inside, dict):
        inside[rng.choice(["", "h0", "all", "base", "é", "a b", "-", "noop", "G", str(key) + "1"])] = inside[
            key
        ]
    elif kind == 6:
        inside[key] = {"a": [inside[key]]} if rng.random() < 0.5 else [inside[key]]
    elif isinstance(inside[key], str):
        inside[key] = damaged_text(inside[key], rng)
    elif isinstance(inside[key], int | float):
        inside[key] += rng.choice((-1, 1, 0.5))


def deep(n, rng) -> str:
    """Text that is nested n times."""
    return rng.choice(("[" * n, "{a: " * n, "- " * n, "a: &a [*a]\n" * n))


def damaged_yaml(text, rng) -> str:
    """A YAML text with damage to its structure, or to its letters."""
    if rng.random() < 0.5:
        return damaged_text(text, rng)
    if rng.random() < 0.03:
        return text + "\nmore: " + deep(rng.choice((10, 100, 5000)), rng)
    data = damaged_data(yaml.safe_load(text), rng)
    if rng.random() < 0.4:
        return json.dumps(data, indent=1)
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def without_comments(text: str) -> str:
    """The text without lines that are comments."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
