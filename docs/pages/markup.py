"""Text of the program as Markdown: plain text so that it is shown as it is, and docstrings."""

from __future__ import annotations

import re

ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "|": "&#124;", "&": "&amp;"})

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`(?P<short>~?)(?P<path>[\w.]+)`")
STARRED = re.compile(r"\b(DDR|Attr)\*")
LITERAL = re.compile(r"::$", re.M)
TOGETHER = re.compile(r"^    (?P<names>\w+(?:, \w+)+): (?P<told>.*(?:\n {8,}.*)*)", re.M)
SYMBOL = re.compile(
    r"(?<![\w`])(?P<letter>HOLD|[A-Zsvqtμφσ])(?P<mark>[_^])(?:\{(?P<group>[^{}`]+)\}|(?P<one>[A-Za-z0-9∞*]+))"
)
CODE = re.compile(r"(```.*?^ *```|`[^`\n]*`|<svg.*?</svg>)", re.M | re.S)
EXAMPLE = re.compile(r"^(>>> .*(?:\n.+)*)", re.M)
TABLE = re.compile(r"^=+(?: +=+)+$(?:\n.*)+?\n=+(?: +=+)+$", re.M)


def escaped(text: str) -> str:
    r"""Text in which nothing is markup, on one line.

    >>> escaped("0 <= x\n[DDR*]")
    '0 &lt;= x \\[DDR\\*\\]'
    """
    return re.sub(r"([\\*_`\[\]])", r"\\\1", " ".join(text.split())).translate(ENTITIES)


def with_subscripts(text: str) -> str:
    r"""Markdown in which a symbol's lower and upper marks are set as such, outside of code.

    >>> with_subscripts("φ_D and `φ_D`, HOLD_T, G^∞, E^{m−c}, n_positions")
    'φ<sub>D</sub> and `φ_D`, HOLD<sub>T</sub>, G<sup>∞</sup>, E<sup>m−c</sup>, n_positions'
    """
    pieces = CODE.split(text)
    pieces[::2] = (SYMBOL.sub(_marked, piece) for piece in pieces[::2])
    return "".join(pieces)


def _marked(symbol: re.Match[str]) -> str:
    tag = "sub" if symbol["mark"] == "_" else "sup"
    return f"{symbol['letter']}<{tag}>{symbol['group'] or symbol['one']}</{tag}>"


def from_docstring(text: str) -> str:
    r"""A docstring with its roles as code, linked where there is a target; examples are code, tables text.

    >>> from_docstring("DDR* by :func:`solve`::")
    'DDR\\* by `solve`:'
    >>> from_docstring(":class:`~holdfast.game.system.System`")
    '<autoref optional identifier="holdfast.game.system.System"><code>System</code></autoref>'
    >>> print(from_docstring("Both:\n    low, high: the ends,\n        both certain."))
    Both:
        low: the ends,
            both certain.
        high: see `low`.
    >>> print(from_docstring("===  ====\na    DDR*\n===  ===="))
    ```text
    ===  ====
    a    DDR*
    ===  ====
    ```
    >>> from_docstring(">>> [2 * DDR]\n[1.5]\n\nThat is DDR*.")
    '```pycon\n>>> [2 * DDR]\n[1.5]\n```\n\nThat is DDR\\*.'
    """
    # Every second piece is an example: it is shown as it is.
    pieces = EXAMPLE.split(text)
    pieces[::2] = map(_prose, pieces[::2])
    pieces[1::2] = (f"```pycon\n{example}\n```" for example in pieces[1::2])
    return "".join(pieces)


def _prose(text: str) -> str:
    """The part of a docstring between two examples."""
    text = TOGETHER.sub(_one_by_one, text)
    # Given to a dataclass and not kept, so that its type is not found among the attributes.
    text = re.sub(r"^    budget: ", "    budget (Budget): ", text, flags=re.M)
    text = STARRED.sub(r"\1\\*", LITERAL.sub(":", ROLE.sub(_code, text)))
    return TABLE.sub(lambda m: "```text\n" + m[0].replace("\\*", "*") + "\n```", text)


def _one_by_one(entry: re.Match[str]) -> str:
    """Attributes or arguments that are explained together, each with a line of its own."""
    first, *others = entry["names"].split(", ")
    return "\n".join((f"    {first}: {entry['told']}", *(f"    {name}: see `{first}`." for name in others)))


def _code(role: re.Match[str]) -> str:
    path = role["path"]
    if not path.startswith("holdfast."):
        return f"`{path}`"
    shown = path.rpartition(".")[2] if role["short"] else path
    return f'<autoref optional identifier="{path}"><code>{shown}</code></autoref>'
