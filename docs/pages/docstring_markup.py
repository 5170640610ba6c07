"""Docstrings as Markdown: what is written in the manner of Sphinx becomes what the site can show."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`(?P<short>~?)(?P<path>[\w.]+)`")
LITERAL = re.compile(r"::$", re.M)
TABLE = re.compile(r"^=+(?: +=+)+$(?:\n.*)+?\n=+(?: +=+)+$", re.M)


class Markup(griffe.Extension):
    """Rewrites every docstring as it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called once for each object; what is another name for one has its docstring rewritten there."""
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    """A docstring with its roles as code, linked where there is a target, and its tables as text."""
    return TABLE.sub(lambda m: f"```text\n{m[0]}\n```", LITERAL.sub(":", ROLE.sub(_code, text)))


def _code(role: re.Match[str]) -> str:
    path = role["path"]
    if not path.startswith("holdfast."):
        return f"`{path}`"
    shown = path.rpartition(".")[2] if role["short"] else path
    return f'<autoref optional identifier="{path}"><code>{shown}</code></autoref>'
