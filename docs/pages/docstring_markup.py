"""What mkdocstrings reads docstrings with: those in the manner of Sphinx become Markdown."""

from __future__ import annotations

from typing import Any

import griffe
from markup import from_docstring


class Markup(griffe.Extension):
    """Rewrites every docstring as it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called once for each object; what is another name for one has its docstring rewritten there."""
        if obj.docstring is not None:
            obj.docstring.value = from_docstring(obj.docstring.value)
