"""The libraries that environments are made for, which Holdfast itself does without."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from holdfast.errors import InputError, missing

EXTRA = {"gymnasium": "rl", "pettingzoo": "rl"}
"""The extra that brings each library."""


def require(*libraries: str) -> None:
    """See that libraries are there.

    Raises:
        InputError: with the command that installs the first that is not.
    """
    for library in libraries:
        if find_spec(library) is None:
            raise InputError(missing(library, EXTRA[library]))
        import_module(library)
