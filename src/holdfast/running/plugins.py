"""Plug-ins: what packages installed beside Holdfast add to it, found by entry points.

Models, importers, exporters, solvers and commands are looked up by group and name, and what Holdfast itself
ships is registered in the same way. Nothing is imported before it is asked for by its name, so a plug-in
that does not work harms only those who ask for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from holdfast.errors import InputError, did_you_mean

HOME = "holdfast"


def plugins_of(group: str, first: Sequence[str] = ()) -> Mapping[str, tuple[EntryPoint, ...]]:
    """The plug-ins of a group by name; more than one for a name that several packages claim.

    Those of ``first`` stand first, then what else Holdfast ships, then the others, both by name: installers
    do not keep the order in which a package lists its entry points.

    Raises:
        InputError: where not even those that Holdfast ships are there, as it is not installed.
    """
    named = _claims(group)
    ahead = {name: named[name] for name in first if name in named}
    return ahead | {name: claims for name, claims in named.items() if name not in ahead}


def load_plugin(group: str, name: str, kind: type[Any] | None = None) -> Any:
    """The object that a plug-in names, imported when it is first asked for.

    Of a ``kind``, its ``key`` must be the name of the entry point.

    Raises:
        InputError: for a name that no package registers or that two claim, and for a plug-in that cannot be
            imported, is not of the kind that the group expects or has another key.
    """
    named = plugins_of(group)
    if name not in named:
        raise InputError(
            f'no "{name}" among the {group}: {", ".join(named)}' + did_you_mean(name, tuple(named))
        )
    (one, *others) = named[name]
    if others:
        packages = " and ".join(map(package_of, named[name]))
        raise InputError(
            f'"{name}" among the {group} is claimed by {packages}; uninstall all but one of them'
        )
    try:
        plugin = one.load()
    except Exception as error:  # whatever a foreign module does when it is imported, the message names it
        if isinstance(error.__cause__, KeyboardInterrupt):  # so Python wraps one while a class is made
            raise error.__cause__ from None
        if "KeyboardInterrupt" in str(error):  # so pydantic tells of one while it builds a validator
            raise KeyboardInterrupt from None
        raise InputError(
            f'"{name}", one of the {group} that the package {package_of(one)} brings, cannot be loaded '
            f"({type(error).__name__}: {error}); install a version of the package that fits this one, or "
            "uninstall it"
        ) from error
    if kind is not None and not isinstance(plugin, kind):
        raise InputError(
            f'"{name}", one of the {group} that the package {package_of(one)} brings, is {plugin!r:.80}; '
            f"expected {kind.__name__} at {one.value}"
        )
    if kind is not None and plugin.key != name:
        raise InputError(
            f'the entry point "{name}" of the group {HOME}.{group} names one with the key "{plugin.key}"; '
            f'expected "{name}"'
        )
    return plugin


def package_of(one: EntryPoint) -> str:
    """The package that brings a plug-in, as it is called when it is installed."""
    return one.dist.name if one.dist is not None else "?"


@cache
def _claims(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    listed = sorted(
        _installed().select(group=f"{HOME}.{group}"), key=lambda one: (not _shipped(one), one.name)
    )
    if not listed or not _shipped(listed[0]):
        raise InputError(
            f"the entry points of Holdfast's own {group} are missing: this copy was never installed, or has "
            "changed since; run pip install on it (with -e for a checkout)"
        )
    named: dict[str, tuple[EntryPoint, ...]] = {}
    for one in listed:
        named[one.name] = (*named.get(one.name, ()), one)
    return named


@cache
def _installed() -> Any:  # before Python 3.12 of another type, which has the same method
    """All entry points of all packages, which are looked through once."""
    return entry_points()


def _shipped(one: EntryPoint) -> bool:
    return one.value.partition(".")[0].partition(":")[0] == HOME
