"""Plug-ins: what packages installed beside Holdfast add to it, found by entry points.

Models, importers, exporters, solvers and commands are looked up by group and name, and what Holdfast itself
ships is registered in the same way. Nothing is imported before it is asked for by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

from holdfast.errors import InputError, did_you_mean

HOME = "holdfast"


@cache
def plugins(group: str) -> Mapping[str, EntryPoint]:
    """The plug-ins of a group by name: those that Holdfast ships first, then others by name.

    Where two packages claim one name, Holdfast's own is taken, then the first in alphabetical order of the
    packages.
    """
    found: EntryPoints = _entry_points().select(group=f"{HOME}.{group}")
    listed = sorted(found, key=lambda one: (not _shipped(one), _package(one)))
    named: dict[str, EntryPoint] = {}
    for one in listed:
        named.setdefault(one.name, one)
    return named


@cache
def _entry_points() -> Any:  # its type has another name in each version of Python
    """The entry points of all groups, read once: looking through what is installed takes time."""
    return entry_points()


def load_plugin(group: str, name: str) -> Any:
    """The object that a plug-in names, imported when it is first asked for.

    Raises:
        InputError: for a name that no package registers, or a plug-in that cannot be imported.
    """
    named = plugins(group)
    if name not in named:
        raise InputError(
            f'no "{name}" among the {group}: {", ".join(named)}' + did_you_mean(name, tuple(named))
        )
    try:
        return named[name].load()
    except (ImportError, AttributeError) as error:
        raise InputError(
            f'"{name}", one of the {group} that the package {_package(named[name])} brings, cannot be loaded '
            f"({error}); install a version of the package that fits this one, or uninstall it"
        ) from error


def _package(one: EntryPoint) -> str:
    return one.dist.name if one.dist is not None else "?"


def _shipped(one: EntryPoint) -> bool:
    return one.value.partition(".")[0].partition(":")[0] == HOME
