"""Results that a notebook shows as what they say.

A result knows nothing of reports, which stand above it. So it asks the package as a whole, as a user would,
and reports are loaded when a notebook first asks for one.
"""

from __future__ import annotations

from typing import Any


class Displayed:
    """Something that :func:`holdfast.render` can show."""

    def _repr_html_(self) -> str:
        """What Jupyter and its kin show of it."""
        import holdfast

        result: Any = self
        return holdfast.render(result, "notebook")
