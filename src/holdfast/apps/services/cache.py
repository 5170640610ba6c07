"""Analyses that are kept in a folder, so that the same question is not worked out twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.readings import Analysis


def cached(path: Path, key: str) -> Analysis | None:
    """The analysis kept there; what is missing, damaged, a link or of something else is computed again."""
    from holdfast.readings import load_analysis

    if path.is_symlink() or path.with_suffix(".npz").is_symlink():
        return None
    try:
        return load_analysis(path, key)
    except InputError:
        return None


def keep_cached(analysis: Analysis, path: Path, warn: Callable[[str], None]) -> None:
    """Save to the cache; a cache that cannot be written costs time later, never the answer."""
    from holdfast.readings import save_analysis

    try:
        save_analysis(analysis, path)
    except InputError as error:
        warn(f"the cache was not written: {error}")
